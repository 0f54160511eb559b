# SPDX-License-Identifier: Apache-2.0
"""How good a network's answers are: what an output means decides what is counted, beside the reference and beside labels.

classes      the largest of the last axis' values is the answer
binary       one number, and whether it is above a threshold: 0.5 where the reference's are 0 to 1, else 0
regression   the numbers themselves
boxes        rows of four numbers: two corners, or a centre with its sizes
none         no more than the SQNR
"""

from __future__ import annotations

import csv
import dataclasses
import math
import pathlib
import zipfile
from collections.abc import Callable

import numpy as np

from .errors import refuse

TASKS = ("classes", "binary", "regression", "boxes", "none")
TOP = 5
OVERLAP = 0.5  # intersection over union of boxes that are counted as found


@dataclasses.dataclass
class Output:
    """The values of all runs, the first axis"""

    truth: np.ndarray  # the reference's
    mine: np.ndarray
    labels: np.ndarray | None = None


def task_of(shape: tuple[int, ...]) -> tuple[str, str]:
    """The default for an output of this shape, and why."""
    sizes = " x ".join(map(str, shape)) or "1"
    long = [n for n in shape if n > 1]
    if not long:
        return "regression", f"one number ({sizes}); --task binary if it is a decision"
    if len(long) == 1 and shape[-1] > 1:
        return "classes", f"one row of {shape[-1]} numbers ({sizes})"
    if len(long) == 2 and shape[-1] == 4 and shape[-2] > 1:
        return "boxes", f"rows of four numbers ({sizes})"
    return "none", f"neither a row nor rows of four ({sizes})"


def parse(texts: list[str], outputs: list[str]) -> dict[str, str]:
    """--task [OUTPUT=]TASK: the task of each output that has one"""
    tasks: dict[str, str] = {}
    for text in texts:
        name, _, task = text.rpartition("=")
        if task not in TASKS:
            raise refuse(f"--task {text}", "is no task", f"one of {', '.join(TASKS)}")
        if name and name not in outputs:
            raise refuse(f"--task {text}", f"there is no output {name!r}", f"{outputs}"[:300])
        tasks |= dict.fromkeys([name] if name else outputs, task)
    return tasks


# ---- labels -------------------------------------------------------------------------------------


def read_labels(path: str, outputs: list[str], runs: int) -> dict[str, np.ndarray]:
    """A label for each run: an .npz with an array for each output, or with one array; or a CSV file whose last column has them."""
    columns = _arrays(path) if zipfile.is_zipfile(path) else {"": _column(path)}
    if len(columns) == 1 and len(outputs) == 1:
        columns = {outputs[0]: next(iter(columns.values()))}
    named = {name: array for name, array in columns.items() if name in outputs}
    if not named:
        text = "names no output" if len(outputs) > 1 or len(columns) > 1 else "has no labels"
        raise refuse(
            f"--labels {path}", text, f"an .npz with arrays named as outputs: {outputs}"[:300]
        )
    for name, array in named.items():
        if len(array) < runs or array.dtype.kind not in "fiu" or not np.isfinite(array).all():
            text = f"has {len(array)} labels of {array.dtype} for {name!r}"
            raise refuse(f"--labels {path}", text, f"{runs} finite numbers, one for each run")
    return {
        name: array[:runs].reshape(runs, -1).squeeze(1) if array[0].size == 1 else array[:runs]
        for name, array in named.items()
    }


def _arrays(path: str) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: np.atleast_1d(file[name]) for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise refuse(f"--labels {path}", f"is no .npz of arrays: {error}") from None


def _column(path: str) -> np.ndarray:
    try:
        rows = [
            row for row in csv.reader(pathlib.Path(path).read_text("utf-8").splitlines()) if row
        ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise refuse(f"--labels {path}", f"cannot be read: {error}") from None
    texts = [row[-1].strip() for row in rows]
    if texts and not _is_number(texts[0]):  # a head
        texts = texts[1:]
    wrong = next((text for text in texts if not _is_number(text)), None)
    if wrong is not None or not texts:
        text = f"has {wrong!r} in its last column" if texts else "has no labels"
        raise refuse(f"--labels {path}", text, "a number in each line")
    return np.array([float(text) for text in texts])


def _is_number(text: str) -> bool:
    try:
        return np.isfinite(float(text))
    except ValueError:
        return False


# ---- how sure a difference is -------------------------------------------------------------------

_Z = 1.959963984540054  # of the normal distribution, for 95 %


@dataclasses.dataclass(frozen=True)
class Paired:
    """Right answers of a network beside those of another one, on the same runs"""

    gained: int  # runs that are right where the other one is wrong
    lost: int
    of: int

    @property
    def difference(self) -> float:
        """Of the shares of right answers"""
        return (self.gained - self.lost) / self.of

    def interval(self) -> tuple[float, float]:
        """The 95 % score interval of the difference of paired shares (T. Tango, Statistics in Medicine 17, 1998): differences that the
        runs do not refute. It is right for few runs, and for runs in which no answer differs."""
        low = _root(lambda d: self.score(d) <= _Z, -1.0, self.difference)
        high = _root(lambda d: self.score(d) < -_Z, self.difference, 1.0)
        return low, high

    def score(self, d: float) -> float:
        """How many deviations the runs are above a difference d, whose share of losses is the likeliest one"""
        n = self.of
        a, b = 2 * n, (2 * n - self.gained + self.lost) * d - self.gained - self.lost
        lost = (math.sqrt(max(b * b + 4 * a * self.lost * d * (1 - d), 0.0)) - b) / (2 * a)
        variance = n * (2 * lost + d * (1 - d))
        above = self.gained - self.lost - n * d
        return above / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, above)

    @property
    def is_loss(self) -> bool:
        """The interval is below 0."""
        return self.interval()[1] < 0

    def __str__(self) -> str:
        """In per cent"""
        low, high = (100 * x for x in self.interval())
        return f"{100 * self.difference:+.1f} % ({low:+.1f} to {high:+.1f})"


def paired(mine: np.ndarray, other: np.ndarray) -> Paired:
    """Of whether each answer is right"""
    return Paired(int((mine & ~other).sum()), int((other & ~mine).sum()), len(mine))


def _root(is_above: Callable[[float], bool], low: float, high: float) -> float:
    """Where what is false becomes true"""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if is_above(middle) else (middle, high)
    return (low + high) / 2


# ---- what is said -------------------------------------------------------------------------------


def lines(name: str, output: Output, task: str | None, shape: tuple[int, ...]) -> list[str]:
    """Sentences about an output of this shape. Without a task its default is taken, and said."""
    said = ""
    if task is None:
        task, why = task_of(shape)
        if task == "regression" and _are_decisions(output.labels):
            task, why = "binary", "one number, whose labels are 0 and 1"
        said = f"Measured as {task}: {why}."
    if task == "none" and output.labels is not None:
        raise refuse(
            "--labels",
            f"cannot be compared with {name}",
            "--task classes, binary, regression or boxes",
        )
    found = _MEASURES[task](name, output)
    return [*([said] if said else []), *found]


def _are_decisions(labels: np.ndarray | None) -> bool:
    return labels is not None and set(np.unique(labels)) <= {0.0, 1.0}


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({100 * count / max(of, 1):.1f} %)"


def _beside(mine: np.ndarray, truth: np.ndarray) -> str:
    """Right answers of both, and how sure their difference is"""
    counts = [_share(int(right.sum()), len(right)) for right in (mine, truth)]
    difference = paired(mine, truth)
    return (
        f"{counts[0]}; the float reference's: {counts[1]}. Difference {difference}, 95 % interval."
    )


def _one_answer(answers: np.ndarray) -> str:
    """An agreement that a constant would have, too"""
    return (
        " The reference always gives the same answer, so this says little."
        if len(np.unique(answers)) == 1
        else ""
    )


def _classes(name: str, output: Output) -> list[str]:
    truth, mine = (_in_rows(x) for x in (output.truth, output.mine))
    if truth.shape[1] < 2:
        raise refuse("--task classes", f"output {name} has rows of one number", "--task binary")
    wanted, got = truth.argmax(1), mine.argmax(1)
    found = [
        f"The answer is the reference's in {_share(int((wanted == got).sum()), len(got))}.{_one_answer(wanted)}"
    ]
    if output.labels is None:
        return found
    labels = _labels(name, output.labels, len(truth), truth.shape[1])
    for top in (1, TOP) if truth.shape[1] > TOP else (1,):
        right = [
            (labels[:, None] == np.argsort(-x, 1, kind="stable")[:, :top]).any(1)
            for x in (mine, truth)
        ]
        found.append(f"Top-{top} beside the labels: {_beside(*right)}")
    return found


def _in_rows(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, values.shape[-1])


def _labels(name: str, labels: np.ndarray, count: int, classes: int) -> np.ndarray:
    flat = labels.reshape(-1)
    if (
        len(flat) != count
        or (flat != np.rint(flat)).any()
        or flat.min() < 0
        or flat.max() >= classes
    ):
        text = f"has {len(flat)} labels from {flat.min():g} to {flat.max():g} for output {name}"
        raise refuse("--labels", text, f"{count} whole numbers from 0 to {classes - 1}")
    return flat.astype(np.int64)


def _binary(name: str, output: Output) -> list[str]:
    truth, mine = output.truth.reshape(-1), output.mine.reshape(-1)
    if output.truth.shape[-1] == 2:
        truth, mine = (
            np.subtract(x[:, 1], x[:, 0]) for x in (_in_rows(output.truth), _in_rows(output.mine))
        )
        threshold, how = 0.0, "whether the second number is larger"
    else:
        threshold = 0.5 if truth.min() >= 0 and truth.max() <= 1 else 0.0
        how = f"whether it is above {threshold:g}"
    wanted, got = truth > threshold, mine > threshold
    agree = _share(int((wanted == got).sum()), len(got))
    found = [f"The decision, {how}, is the reference's in {agree}.{_one_answer(wanted)}"]
    if output.labels is not None:
        labels = _labels(name, output.labels, len(truth), 2) == 1
        found.append(f"Right beside the labels: {_beside(got == labels, wanted == labels)}")
    return found


def _regression(name: str, output: Output) -> list[str]:
    truth, mine = (x.astype(np.float64) for x in (output.truth, output.mine))
    off = np.abs(truth - mine)
    found = [
        f"It differs from the reference by {off.mean():.3g} on average and {off.max():.3g} at most; "
        f"the reference's numbers are {truth.min():.3g} to {truth.max():.3g}."
    ]
    if output.labels is not None:
        if output.labels.size != truth.size:
            text = f"has {output.labels.size} labels for output {name}"
            raise refuse("--labels", text, f"{truth.size} numbers")
        labels = output.labels.reshape(truth.shape)
        errors = [np.abs(x - labels).mean() for x in (mine, truth)]
        found.append(
            f"Mean error beside the labels: {errors[0]:.3g}; the float reference's: {errors[1]:.3g}."
        )
    return found


def _boxes(name: str, output: Output) -> list[str]:
    if output.truth.shape[-1] != 4:
        raise refuse(
            "--task boxes", f"output {name} has no rows of four numbers", "--task regression"
        )
    truth, mine = (_in_rows(x).astype(np.float64) for x in (output.truth, output.mine))
    corners = bool((truth[:, 2:] >= truth[:, :2]).all())
    if not corners and (truth[:, 2:] < 0).any():
        where = "The reference's rows are no boxes: neither ends behind beginnings, nor sizes of 0 and more."
        return [where, *_regression(name, dataclasses.replace(output, labels=None))]
    form = "two corners" if corners else "a centre and sizes"
    found = [f"Boxes as {form}: {_overlaps(mine, truth, corners)} beside the reference."]
    if output.labels is not None:
        if output.labels.size != truth.size:
            raise refuse(
                "--labels", f"has {output.labels.size} numbers for output {name}", f"{truth.size}"
            )
        labels = output.labels.reshape(truth.shape).astype(np.float64)
        found.append(
            f"Beside the labels: {_overlaps(mine, labels, corners)}; the float reference: {_overlaps(truth, labels, corners)}."
        )
    return found


def _overlaps(boxes: np.ndarray, others: np.ndarray, corners: bool) -> str:
    """Intersection over union of each row with its fellow"""
    if not corners:
        boxes, others = (
            np.concatenate([x[:, :2] - x[:, 2:] / 2, x[:, :2] + x[:, 2:] / 2], 1)
            for x in (boxes, others)
        )
    sides = np.clip(
        np.minimum(boxes[:, 2:], others[:, 2:]) - np.maximum(boxes[:, :2], others[:, :2]), 0, None
    )
    both = sides.prod(1)
    areas = [np.clip(x[:, 2:] - x[:, :2], 0, None).prod(1) for x in (boxes, others)]
    union = areas[0] + areas[1] - both
    share = np.where(union > 0, both / np.where(union > 0, union, 1), 1.0)
    return f"mean intersection over union {share.mean():.3f}, above {OVERLAP:g} in {_share(int((share > OVERLAP).sum()), len(share))}"


def _none(name: str, output: Output) -> list[str]:
    return []


_MEASURES = {
    "classes": _classes,
    "binary": _binary,
    "regression": _regression,
    "boxes": _boxes,
    "none": _none,
}
