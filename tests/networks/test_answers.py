# SPDX-License-Identifier: Apache-2.0
"""What validate and the report say of answers: what an output is, how often it is right, and when agreement says nothing."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from fp8net import agreement
from fp8net.cli import main
from fp8net.errors import Refused
from onnx import TensorProto, helper, numpy_helper
from scipy.optimize import minimize_scalar


def write(path, weights: np.ndarray, *more: str) -> None:
    """x times weights, then operators of one operand"""
    w = numpy_helper.from_array(weights.astype(np.float32), "w")
    names = ["x", *(f"v{i}" for i in range(len(more))), "y"]
    nodes = [helper.make_node("MatMul", ["x", "w"], [names[1]], "product")]
    nodes += [helper.make_node(op, [names[1 + i]], [names[2 + i]], op) for i, op in enumerate(more)]
    ends = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
        for n, s in (("x", (1, 4)), ("y", (1, weights.shape[1])))
    ]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], [w])
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), path
    )


@pytest.fixture
def said(work, capsys, rng):
    """What validate says of a network whose float file has other weights, with more options"""

    def check(
        weights: np.ndarray, reference: np.ndarray, *options, activation: tuple[str, ...] = ()
    ) -> tuple[int, str]:
        write(work / "net.onnx", weights, *activation)
        write(work / "float.onnx", reference, *activation)
        np.savez(work / "d.npz", x=work_data)
        made = ["--data", str(work / "d.npz"), "-o", str(work / "q.onnx"), "--no-proposals"]
        assert main(["quantize", str(work / "net.onnx"), *made]) == 0, capsys.readouterr()
        capsys.readouterr()
        reference_file = ["--reference", str(work / "float.onnx")]
        status = main(
            [
                "validate",
                str(work / "q.onnx"),
                "--data",
                str(work / "d.npz"),
                *reference_file,
                *map(str, options),
            ]
        )
        out, error = capsys.readouterr()
        return status, out + error

    work_data = rng.normal(size=(40, 1, 4)).astype(np.float32)
    check.data = work_data
    return check


def test_one_number(bench, said, work) -> None:
    """A single output always "agrees" with its largest value. Reversed decisions are seen now."""
    weights = np.array([[1.0], [2], [-1], [0.5]])
    _, text = said(-weights, weights, activation=("Sigmoid",))
    bench.check(
        f"a number is a regression: {text}", "Measured as regression: one number (1 x 1)" in text
    )
    bench.check("no largest value", "largest value" not in text and "40 of 40" not in text)
    _, text = said(-weights, weights, "--task", "binary", activation=("Sigmoid",))
    bench.check(
        f"reversed decisions: {text}", "above 0.5, is the reference's in 0 of 40 (0.0 %)" in text
    )
    right = (said.data[:, 0] @ weights[:, 0] > 0).astype(int)
    (work / "labels.csv").write_text("name,label\n" + "".join(f"a,{n}\n" for n in right))
    _, text = said(-weights, weights, "--labels", work / "labels.csv", activation=("Sigmoid",))
    bench.check(f"labels of 0 and 1 make it binary: {text}", "Measured as binary" in text)
    bench.check(
        f"right: {text}",
        "Right beside the labels: 0 of 40 (0.0 %); the float reference's: 40 of 40" in text,
    )
    np.savez(work / "labels.npz", y=said.data[:, 0] @ weights[:, 0] + 1)
    _, text = said(weights, weights, "--labels", work / "labels.npz")
    bench.check(
        f"numbers: {text}", "Mean error beside the labels:" in text and "reference's: 1." in text
    )


def test_classes(bench, said, work, rng) -> None:
    weights = rng.normal(size=(4, 8))
    labels = (said.data[:, 0] @ weights).argmax(1)
    np.savez(work / "labels.npz", labels=labels)
    _, text = said(weights, weights, "--labels", work / "labels.npz")
    bench.check(f"default: {text}", "Measured as classes: one row of 8 numbers" in text)
    bench.check(
        f"top-1: {text}",
        "the float reference's: 40 of 40 (100.0 %)" in text
        and "Top-5 beside the labels: 40" in text,
    )
    other = np.roll(weights, 1, axis=1)
    _, text = said(other, weights, "--labels", work / "labels.npz")
    bench.check(f"wrong classes: {text}", "Top-1 beside the labels: 0 of 40 (0.0 %)" in text)
    _, text = said(weights * [1, 0, 0, 0, 0, 0, 0, 0] + 0, weights * 0)
    bench.check(
        f"a constant reference: {text}", "always gives the same answer, so this says little" in text
    )


def test_refused(bench, said, work) -> None:
    weights = np.ones((4, 3))
    for name, content, words in (
        ("short.csv", "1\n2\n", "has 2 labels"),
        ("words.csv", "1\ncat\n", "'cat' in its last column"),
        ("large.csv", "3\n" * 40, "whole numbers from 0 to 2"),
        ("empty.csv", "", "has no labels"),
    ):
        (work / name).write_text(content)
        status, text = said(weights, weights, "--labels", work / name)
        bench.check(f"{name}: {status} {text}", status == 2 and words in text)
    for options, words in (
        (("--task", "dog"), "is no task"),
        (("--task", "z=classes"), "no output 'z'"),
        (("--task", "boxes"), "no rows of four numbers"),
        (("--task", "none", "--labels", work / "large.csv"), "cannot be compared"),
        (("--labels", work / "none.csv"), "cannot be read"),
    ):
        status, text = said(weights, weights, *options)
        bench.check(f"{options}: {status} {text}", status == 2 and words in text)


def test_shapes(bench) -> None:
    for shape, task in (((1, 1), "regression"), ((1, 10), "classes"), ((10,), "classes"), ((1, 1, 1, 3), "classes"),
                        ((1, 896, 4), "boxes"), ((1, 4), "classes"), ((1, 8, 6, 6), "none"), ((), "regression"),
                        ((1, 10, 1, 1), "none"), ((1, 20, 16), "none")):  # fmt: skip
        bench.check(f"{shape}: {agreement.task_of(shape)}", agreement.task_of(shape)[0] == task)


def test_boxes(bench) -> None:
    """Of the same boxes in both forms, one moved by half of its width: 1 and 1 / 3 of the union."""
    corners = np.array([[[0, 0, 2, 2], [1, 1, 3, 5.0]]])
    moved = corners + np.array([[[0, 0, 0, 0], [1, 0, 1, 0]]])
    form = lambda x: np.concatenate([(x[..., :2] + x[..., 2:]) / 2, x[..., 2:] - x[..., :2]], -1)
    for name, how in (
        ("two corners", lambda x: x),
        ("a centre and sizes", lambda x: form(x) + [8, 8, 0, 0]),
    ):
        text = " ".join(
            agreement.lines("y", agreement.Output(how(corners), how(moved)), "boxes", (2, 4))
        )
        bench.check(
            f"{name}: {text}",
            f"Boxes as {name}: mean intersection over union 0.667, above 0.5 in 1 of 2" in text,
        )
    no = np.array([[[0, 0, -1, 2.0]]])
    bench.check(
        "no boxes",
        "are no boxes" in " ".join(agreement.lines("y", agreement.Output(no, no), "boxes", (1, 4))),
    )
    with pytest.raises(Refused):
        agreement.lines("y", agreement.Output(no, no, np.zeros(3)), "regression", (1, 4))


def test_report(bench, said, work, capsys) -> None:
    """The report says the same."""
    weights = np.array([[1.0], [2], [-1], [0.5]])
    said(-weights, weights)
    files = [
        "--data",
        str(work / "d.npz"),
        "--reference",
        str(work / "float.onnx"),
        "--task",
        "binary",
    ]
    main(["generate", str(work / "q.onnx"), "-o", str(work / "net"), *files])
    text = (work / "net" / "report.md").read_text()
    bench.check(
        f"{text}", "is the reference's in 0 of 40 (0.0 %)" in text and "largest value" not in text
    )
    status = main(["generate", str(work / "q.onnx"), "-o", str(work / "net"), "--task", "binary"])
    bench.check(f"{capsys.readouterr()}", status == 2)


def _likeliest(p: agreement.Paired, d: float) -> float:
    """The score at d, whose share of losses a search has found"""

    def unlikely(lost: float) -> float:
        shares = (lost + d, lost, 1 - 2 * lost - d)
        counts = (p.gained, p.lost, p.of - p.gained - p.lost)
        return -sum(n * np.log(max(share, 1e-300)) for n, share in zip(counts, shares) if n)

    bounds = (max(0, -d) + 1e-12, (1 - d) / 2 - 1e-12)
    lost = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    return (p.gained - p.lost - p.of * d) / np.sqrt(p.of * (2 * lost + d - d * d))


def test_paired(bench, rng) -> None:
    """At both ends of the interval the runs are 1.96 deviations away, by SciPy's search; it covers the truth in 95 % of experiments."""
    for counts in ((0, 7, 48), (7, 0, 500), (3, 12, 60), (20, 20, 500), (1, 0, 48), (150, 90, 600)):
        found = agreement.Paired(*counts)
        ends = [_likeliest(found, d) for d in found.interval()]
        bench.check(f"{counts}: {ends}", np.allclose(ends, [1.96, -1.96], atol=2e-3))
    mine, other = np.array([1, 1, 0, 0, 1], bool), np.array([1, 0, 1, 0, 0], bool)
    bench.check("counts", agreement.paired(mine, other) == agreement.Paired(2, 1, 5))
    same = agreement.Paired(0, 0, 48).interval()
    square = 1.96**2
    bench.check(
        f"none differs: {same}",
        np.allclose(same, [-square / (48 + square), square / (48 + square)], atol=1e-5),
    )
    text = f"{agreement.Paired(0, 10, 200)}"
    bench.check(
        text, text.startswith("-5.0 % (-9.0 to -2.") and agreement.Paired(0, 10, 200).is_loss
    )
    bench.check("no loss", not agreement.Paired(5, 8, 500).is_loss)
    covered = 0
    for _ in range(400):
        gained, lost, _ = rng.multinomial(60, [0.05, 0.1, 0.85])
        low, high = agreement.Paired(int(gained), int(lost), 60).interval()
        covered += low <= -0.05 <= high
    bench.check(f"{covered} of 400 cover the truth", 365 <= covered <= 396)
