# SPDX-License-Identifier: Apache-2.0
"""Full INT8 networks of TensorFlow Lite for an accelerator that requantises: the program's bytes are the executor's, and with
--reference each tensor of the executor is that of TensorFlow Lite's reference kernels, by LiteRT.

With the variable MLPERF_TINY the four networks of MLPerf Tiny, too."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from fp8net import cli, integer_import, integer_layers, integers, plan, validate, weights, writer
from fp8net.errors import Refused
from fp8net.executor import Executor
from programs import run
from requantised import AVERAGE, MAX_POOL, VALID, Files, random_file

RUNS = 3
SMALL = ("ROWS=2", "COLS=2", "LANES=4")  # a simulator of the RTL that is soon built
ON = {"FP8RT_ELEMENT": "int8", "FP8RT_REQUANTISE": "1"}


def _inputs(rng: np.random.Generator, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Codes at random, and some that change slowly"""
    slow = np.cumsum(rng.normal(size=shape).reshape(-1)) * 8
    smooth = np.clip(np.rint(slow), -128, 127).astype(np.int8).reshape(shape)
    return [smooth, *(rng.integers(-128, 128, shape).astype(np.int8) for _ in range(RUNS - 1))]


def _check_program(bench, name: str, graph, runs, folder: Path, compiler, chip: bool, beat) -> None:
    sources = writer.prepare(graph, folder, "requantised.tflite", runs, beat=beat)
    writer.write(folder, sources, {})
    program, made = compiler.build(folder), sources.plan
    bus = {**ON, "FP8RT_AXI_DATA_W": str(8 * beat)}
    outcome = run(program, **bus)
    bench.check(f"{name} runs: {outcome.text}", outcome.status == 0)
    bench.check(f"{name} compares bytes: {outcome.text}", outcome.compared > 0)
    bench.check(f"{name} equals the executor: {outcome.text}", outcome.different == 0)
    bench.check(f"{name} needs the planned lists", outcome.number(r"lists (\d+)") == made.lists)
    scratch = outcome.number(r"scratch (\d+)")
    bench.check(f"{name} needs the planned scratch", made.scratch - 32 < scratch <= made.scratch)
    less = run(program, f"ARENA={made.arena - 1}", **bus)
    bench.check(f"{name} needs its arena", less.status != 0 and "scratch" in less.text)
    without = run(program, **{**bus, "FP8RT_REQUANTISE": "0"})
    bench.check(
        f"{name} needs the requantiser: {without.text}",
        without.status != 0 and "does not implement" in without.text,
    )
    if chip:
        _check_chip(bench, name, folder)


def _check_chip(bench, name: str, folder: Path) -> None:
    """The RTL has the executor's bytes, and the timing model the RTL's cycles."""
    cycles = []
    for timed in ("TIMED=0", "TIMED=1"):
        more = (*SMALL, timed)
        text = validate.run_program(Path.cwd(), folder, "chip", *more, int8=True, requantise=True)
        equal = re.search(r"[1-9]\d* bytes compared, 0 differ$", text, re.M) is not None
        bench.check(f"{name} equals the executor on the chip, {timed}: {text}", equal)
        cycles.append(validate.Result(1, {}, {}, text=text).cycles)
    bench.check(f"{name} takes the RTL's cycles: {cycles}", cycles[0] == cycles[1])


def _check_reference(bench, name: str, data: bytes, graph, runs) -> None:
    """Each tensor that LiteRT computes"""
    from ai_edge_litert import interpreter as litert

    own = litert.Interpreter(
        model_content=data,
        experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=True,
    )
    own.allocate_tensors()
    places = {t["name"]: t["index"] for t in own.get_tensor_details()}
    executor = Executor(graph)
    for values in runs:
        executor.run(values)
        for detail in own.get_input_details():
            own.set_tensor(detail["index"], values[detail["name"]])
        own.invoke()
        for layer in graph.layers:
            want = own.get_tensor(places[layer.output]).reshape(-1)
            got = executor.codes[layer.output].reshape(-1)
            differ = int((want != got).sum())
            bench.check(f"{name}: {layer.op} {layer.output}: {differ} bytes differ", differ == 0)


def test_random(bench, seed, count, compiler, work, request) -> None:
    chip, reference = (request.config.getoption(o) for o in ("--chip", "--reference"))
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        data, shape = random_file(rng)
        graph = integer_import.load(data, f"network {number}")
        runs = [{"x": x} for x in _inputs(rng, shape)]
        beat = 16 if chip else int(rng.choice([8, 16, 32]))
        graph.columns = 4 if beat == 16 and not chip else 0
        name = f"network {number}"
        _check_program(bench, name, graph, runs, work / f"net{number}", compiler, chip, beat)
        if reference:
            _check_reference(bench, name, data, graph, runs)


def _costs(graph) -> dict[str, int]:
    """Figures of sim/bench/networks.json"""
    layers = [layer for layer in graph.layers if layer.op == "int_convolution"]
    groups = [weights.join(layer, graph, 16).count for layer in layers]
    linear = sum(layer.op == "int_linear" for layer in graph.layers)
    made = plan.make(graph)
    every = sum(asked.commands for asked in made.layers)
    biases = [integer_layers.biases(layer, graph) for layer in layers]
    return {
        "layers": len(graph.layers),
        "commands": every,
        "inner_commands": sum(groups) + linear,
        "edge_bytes": sum(4 * (rows.size - rows.shape[1]) for rows in biases),
        "arena": made.arena,
    }


def _check_timed(bench, name: str, graph, runs, folder: Path) -> int:
    """The bytes of the default array's timing model, and its core cycles"""
    writer.write(folder, writer.prepare(graph, folder, "requantised.tflite", runs), {})
    text = validate.run_program(Path.cwd(), folder, "chip", int8=True, requantise=True)
    equal = re.search(r"[1-9]\d* bytes compared, 0 differ$", text, re.M) is not None
    bench.check(f"{name} equals the executor on the chip: {text}", equal)
    return validate.Result(1, {}, {}, text=text).cycles


def _check_results(bench, tiny, graph, cycles: int) -> None:
    """The recorded row; cycles of the core's part depend a little on the values."""
    row = json.loads(Path("sim/bench/networks.json").read_text())["rows"][tiny.int8]
    for name, value in _costs(graph).items():
        bench.check(
            f"{tiny.int8}: {name} is {value}, the results have {row[name]}", value == row[name]
        )
    text = f"{tiny.int8}: {cycles} cycles, the results have {row['cycles']}"
    bench.check(text, abs(cycles - row["cycles"]) <= row["cycles"] / 100)


@pytest.mark.parametrize("kind", ("keyword", "image", "person", "anomaly"))
def test_tiny(bench, rng, compiler, work, request, kind) -> None:
    """With --chip also beside the recorded figures"""
    if "MLPERF_TINY" not in os.environ:
        pytest.skip("without MLPERF_TINY")
    import tiny

    network = tiny.NETWORKS[kind]
    path = tiny.folder() / network.int8
    graph = integer_import.read(path, 4)
    (name, view), *_ = graph.inputs.items()
    runs = [{name: x} for x in _inputs(rng, view.shape)]
    if request.config.getoption("--reference"):
        _check_reference(bench, kind, path.read_bytes(), graph, runs)
    _check_program(bench, kind, graph, runs, work / kind, compiler, False, 16)
    if request.config.getoption("--chip"):
        values = tiny.runs(network, name, "test")[:1]
        cycles = _check_timed(bench, kind, graph, values, work / "timed")
        _check_results(bench, network, graph, cycles)


def test_factors(bench) -> None:
    """Ends of their ranges"""
    for real, want in (
        (0.0, (0, 0)),
        (1.0, (2**30, 1)),
        (0.75, (3 * 2**29, 0)),
        (2.0**-32, (2**30, -31)),
        (2.0**-33, (0, 0)),
        (1 - 2.0**-40, (2**30, 1)),
        (2.0**29, (2**30, 30)),
    ):
        got = integers.factor(real)
        bench.check(f"{real}: {got}, want {want}", got == want)
    for real in (2.0**30, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError):
            integers.factor(real)
        bench.check(f"{real} has no factor", True)


def _scaled_maxima(rng) -> Files:
    files = Files(rng, (1, 6, 6, 8))
    files.pool(MAX_POOL, (2, 2))
    files.tensors[-1].zeros = files.tensors[-1].zeros // 2 + 1
    return files


def _pad_channels(rng) -> Files:
    files = Files(rng, (1, 6, 6, 8))
    files.pad((1, 1, 1, 1))
    pads = files.tensors[files.operators[-1].inputs[1]]
    pads.data = np.array([[0, 0], [1, 1], [1, 1], [0, 2]], np.int32)
    return files


def _pad_less(rng) -> Files:
    files = Files(rng, (1, 6, 6, 8))
    files.pad((1, 1, 1, 1))
    files.tensors[files.last].shape = (1, 8, 7, 8)
    return files


def _moved(rng) -> Files:
    files = Files(rng, (1, 2, 3, 8))
    files.reshape((1, 48))
    return files


def _zero_weights(rng) -> Files:
    files = Files(rng, (2, 9))
    files.linear(4)
    files.tensors[1].zeros = np.array([3])
    return files


def _scaled_pool(rng) -> Files:
    files = Files(rng, (1, 6, 6, 8))
    files.pool(AVERAGE, (2, 2))
    files.tensors[-1].scales = files.tensors[-1].scales * np.float32(2)
    return files


def _wide_softmax(rng) -> Files:
    files = Files(rng, (2, 9))
    files.softmax()
    files.tensors[-1].zeros = np.array([0])
    return files


def _broadcast(rng) -> Files:
    files = Files(rng, (1, 4, 4, 8))
    first = files.last
    files.pool(AVERAGE, (4, 4))
    out = files.computed("y", (1, 4, 4, 8), 1.0)
    files.layer(0, [first, files.last], out, {0: ("b", 0)}, 11)
    return files


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (_scaled_maxima, "its output has another scale"),
        (
            _pad_channels,
            "its paddings are [[0, 0], [1, 1], [1, 1], [0, 2]]: of lines and of pixels alone",
        ),
        (_pad_less, "does not fit its paddings"),
        (_moved, "it moves values"),
        (_zero_weights, "its weights have a zero point"),
        (_scaled_pool, "its output has another scale"),
        (_wide_softmax, "its output has not the scale 1 / 256"),
        (_broadcast, "not two tensors of one shape"),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_refused(bench, rng, make, what) -> None:
    try:
        integer_import.load(make(rng).write(), "net.tflite")
        text = ""
    except Refused as error:
        text = "; ".join(map(str, error.problems))
    bench.check(f"{what}: {text}", what in text)


@pytest.mark.parametrize("kind", ("taken over", "of another code", "read twice", "too wide"))
def test_edges(bench, rng, compiler, work, request, kind) -> None:
    """A convolution takes the edge of its image over if nothing else reads it, and if each window sees some of the image."""
    files = Files(rng, (1, 5, 6, 8), 5)
    first = files.last
    files.pad((4, 0, 0, 1) if kind == "too wide" else (1, 2, 0, 1), 6 if "code" in kind else None)
    wide = files.last
    other = files.convolution(8, (3, 3), padding=VALID)
    if kind == "read twice":
        files.last = wide
        files.pool(MAX_POOL, (3, 3))
        files.add(other)
    graph = integer_import.load(files.write(), "edges")
    taken = all(layer.op != "int_pad" for layer in graph.layers)
    bench.check(f"an edge {kind}", taken == (kind == "taken over"))
    runs = [{"x": x} for x in _inputs(rng, files.tensors[first].shape)]
    _check_program(bench, kind, graph, runs, work / "edges", compiler, False, 16)
    if request.config.getoption("--reference"):
        _check_reference(bench, kind, files.write(), graph, runs)


@pytest.mark.parametrize("sizes", ((16, 16), (1, 257), (1, 258), (20, 20)))
def test_averages(bench, rng, compiler, work, sizes) -> None:
    """Of as many pixels as sums of 16 bits take, and of more: also of the largest and the least codes alone"""
    files = Files(rng, (1, *sizes, 6))
    files.pool(AVERAGE, sizes)
    graph = integer_import.load(files.write(), "averages")
    shape = (1, *sizes, 6)
    ends = [np.full(shape, code, np.int8) for code in (-128, 127)]
    runs = [{"x": x} for x in (*ends, *_inputs(rng, shape))]
    name = f"averages of {sizes}"
    _check_program(bench, name, graph, runs, work / "averages", compiler, False, 16)


def test_quads(bench, rng, compiler, work) -> None:
    """A depthwise convolution as depthwise commands, and as groups of a beat: the same bytes. Another array is refused."""
    files = Files(rng, (1, 9, 7, 20), 5)
    files.convolution(0, (3, 3))
    runs = [{"x": x} for x in _inputs(rng, (1, 9, 7, 20))]
    for columns in (4, 0):
        graph = integer_import.load(files.write(), "quads")
        graph.columns = columns
        rows = weights.join(graph.layers[0], graph, 16)
        bench.check(
            f"codes of {columns} columns", rows.codes.shape[1] == (24 if columns else 9 * 16)
        )
        name, folder = f"{columns} columns", work / f"quads{columns}"
        _check_program(bench, name, graph, runs, folder, compiler, False, 16)
        other = run(compiler.build(folder), FP8RT_ARRAY="4x8x16", **ON)
        equal = other.status == 0 and other.different == 0
        bench.check(f"{name} on 8 columns: {other.text}", equal == (columns == 0))


def test_damaged(bench, rng) -> None:
    """A file that is cut off, or has a byte changed, is refused or read: it raises nothing else."""
    data, _ = random_file(rng)
    refused = 0
    for _ in range(150):
        broken = bytearray(data)
        if rng.random() < 0.3:
            broken = broken[: int(rng.integers(8, len(data)))]
        else:
            broken[int(rng.integers(8, len(broken)))] = int(rng.integers(256))
        try:
            integer_import.load(bytes(broken), "net.tflite")
        except Refused:
            refused += 1
        bench.check("no other exception", True)
    bench.check(f"{refused} are refused", refused > 20)


# A program that gives the network values in place of codes
_VALUES = """
#include <stdio.h>

#include "fp8rt/app.h"
#include "numbers.h"

int main(void)
{
    static fp8rt_device dev;
    static _Alignas(32) uint8_t arena[NUMBERS_ARENA_BYTES];
    static const float x[] = {%s};
    float y[%d];
    numbers_net net;
    if (fp8rt_device_open(&dev, &fp8rt_app_port) != FP8RT_OK ||
        numbers_open(&net, &dev, arena, sizeof arena) != FP8RT_OK ||
        numbers_set_input(&net, 0, x) != FP8RT_OK || numbers_run(&net) != FP8RT_OK ||
        numbers_get_output(&net, 0, y) != FP8RT_OK) {
        return 1;
    }
    for (unsigned i = 0; i < sizeof y / sizeof *y; i++) {
        printf("%%a\\n", (double)y[i]);
    }
    return 0;
}
"""


def test_values(bench, rng, compiler, work) -> None:
    """Values become codes and codes values as in the executor, with zero points."""
    files = Files(rng, (2, 9), 17)
    files.linear(20)
    graph = integer_import.load(files.write(), "values.tflite")
    x = (rng.normal(size=(2, 9)) * 60 * graph.tensors["x"].scale).astype(np.float32)
    writer.write(
        work / "numbers", writer.prepare(graph, work / "numbers", "values.tflite", [{"x": x}]), {}
    )
    numbers = ", ".join(f"{float(v).hex()}f" for v in x.reshape(-1))
    (work / "numbers/main.c").write_text(_VALUES % (numbers, 40))
    outcome = run(compiler.build(work / "numbers"), **ON)
    got = np.array([float.fromhex(line) for line in outcome.text.split()], np.float32)
    want = next(iter(Executor(graph).run({"x": x}).values())).reshape(-1)
    bench.check(f"values: {outcome.text}", outcome.status == 0 and (got == want).all())


def _check_validate(bench, capsys, path: Path, data: Path, on: str) -> None:
    command = ["validate", str(path), "--requantise", "--data", str(data)]
    status = cli.main([*command, "--on", on, "--runs", "2"])
    text = capsys.readouterr().out
    bench.check(f"validate --on {on}: {text}", status == 0 and ": SQNR inf" in text)
    if on != "executor":
        equal = re.search(r"[1-9]\d* bytes compared, 0 differ$", text, re.M) is not None
        bench.check(f"bytes on {on}: {text}", equal)
    status = cli.main([*command, "--on", on, "--runs", "2", "--floor", "199"])
    bench.check(f"a floor on {on} needs a reference", status == 2)


def _check_measure(bench, folder: Path) -> None:
    """Cycles of the program, by the timing model of the default array that requantises"""
    status = cli.main(["measure", str(folder)])
    found = json.loads((folder / "report.json").read_text())
    bench.check("measure", status == 0 and found["requantise"] and found["core_cycles"] > 0)
    layers = [x for x in found["layers"] if x["call"] == "fp8rt_int_convolution"]
    bench.check("cycles of layers", bool(layers) and all(x["accelerator_cycles"] for x in layers))


def test_commands(bench, rng, work, capsys, request) -> None:
    """generate --requantise and validate --requantise: a network, and options that they do not take"""
    path, out = work / "net.tflite", work / "net"
    data, shape = random_file(rng)
    path.write_bytes(data)
    np.savez(work / "x.npz", x=np.stack(_inputs(rng, shape)))
    base = ["generate", str(path), "--requantise", "-o", str(out)]
    bench.check("generate", cli.main([*base, "--data", str(work / "x.npz")]) == 0)
    bench.check("report", "fp8rt_int_linear" in (out / "report.md").read_text())
    capsys.readouterr()
    chip = request.config.getoption("--chip")
    for on in ("executor", "host", *(["chip"] if chip else [])):
        _check_validate(bench, capsys, path, work / "x.npz", on)
    if chip:
        _check_measure(bench, out)
    for more in (["--shape", "x=1"], ["--state", "h:c"], ["--element", "int8_l16"]):
        validate_too = ["validate", str(path), "--requantise", "--data", str(work / "x.npz"), *more]
        bench.check(f"validate: {more[0]} is refused", cli.main(validate_too) == 2)
        bench.check(f"validate: {more[0]} is named", "has no effect" in capsys.readouterr().err)
    for more in (["--shape", "x=1"], ["--reference", "net.onnx"], ["--element", "int8_l16"]):
        bench.check(f"{more[0]} is refused", cli.main([*base, *more]) == 2)
        bench.check(f"{more[0]} is named", f"{more[0]}: has no effect" in capsys.readouterr().err)
    (work / "net.onnx").write_bytes(b"no file of TensorFlow Lite")
    bench.check("another file", cli.main(["generate", str(work / "net.onnx"), *base[2:]]) == 1)
