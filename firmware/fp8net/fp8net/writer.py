# SPDX-License-Identifier: Apache-2.0
"""Writes a network as C for fp8rt: NAME.h, NAME.c, NAME_weights.c, NAME_vectors.c, main.c."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import shutil
import tempfile

import numpy as np

from . import c_integers, c_layers, c_program, estimate
from .c_text import array, floats, head, plain
from .calls import up
from .errors import refuse
from .executor import Executor, table_codes
from .ir import Graph, Layer, Weights
from .plan import Plan, make
from .reserved import RESERVED
from .transposed import split
from .weights import averages_quads, join, ones_of


@dataclasses.dataclass
class Sources:
    """A network and what its program needs to be written."""

    graph: Graph
    plan: Plan
    name: str  # the prefix of all names
    origin: str  # the file that it was made from
    element: str
    vectors: list[tuple[dict, dict]]  # codes of inputs and of outputs, by tensor
    estimates: list[estimate.Estimate]  # of each layer

    @property
    def upper(self) -> str:
        return self.name.upper()


def prefix_of(folder: pathlib.Path) -> str:
    """The name of all that is written, which is the folder's."""
    name = re.sub(r"\W", "_", folder.name).lower()
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name):
        text = "its last part is no name in C"
        raise refuse(
            str(folder), text, "a letter, then letters, digits and _, 63 characters at most"
        )
    if name == "main" or name.startswith("fp8") or name in RESERVED:
        text = f"its last part, {name}, is a word of C, or names a header or function of a library"
        raise refuse(str(folder), text, f"take another name, such as {name}_net")
    return name


def prepare(
    graph: Graph,
    folder: pathlib.Path,
    origin: str,
    runs: list[dict[str, np.ndarray]],
    element: str | None = None,
    beat: int = 16,
) -> Sources:
    """Plans the network, and computes what it gives for each run."""
    plan = make(graph, beat)
    executor = Executor(graph, element, beat)
    vectors = []
    for run in runs:
        executor.run(run)
        codes = executor.codes
        vectors.append(
            (
                {v.tensor: codes[v.tensor] for v in graph.inputs.values()},
                {v.tensor: codes[v.tensor] for v in graph.outputs.values()},
            )
        )
    estimates = estimate.layers(graph, plan, executor.element)
    return Sources(graph, plan, prefix_of(folder), origin, executor.element, vectors, estimates)


def write(folder: pathlib.Path, sources: Sources, reports: dict[str, str]) -> None:
    """All files, or none: they are moved to their places when the last one is complete."""
    name = sources.name
    files = {
        f"{name}.h": c_program.header(sources),
        f"{name}.c": c_layers.source(sources),
        f"{name}_weights.c": _weights(sources),
        f"{name}_vectors.c": _vectors(sources),
        "main.c": c_program.main(sources),
        **reports,
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = pathlib.Path(tempfile.mkdtemp(prefix=".fp8net-", dir=folder.parent))
    try:
        for file, text in files.items():
            (temporary / file).write_bytes(text.encode())
            if (temporary / file).read_bytes() != text.encode():
                raise refuse(str(folder), f"{file} is not what was written", "is the disk full?")
        folder.mkdir(exist_ok=True)
        for file in files:
            (temporary / file).replace(folder / file)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _weights(s: Sources) -> str:
    """Codes with rows at beats, scales and biases; tables."""
    text = [head(s, "Weights and tables."), f'#include "{s.name}.h"\n']
    if s.graph.constants:
        text.append("#include <math.h>\n")
    if s.graph.requantises:
        text.append('#include "fp8mac/requantise.h"\n')
    for index, layer in enumerate(s.graph.layers):
        if layer.integer is not None:
            text += c_integers.arrays(s, index, layer)
            continue
        for place, w in enumerate(layer.all_weights):
            text += _arrays(s, layer, f"{index}{'ab'[place]}", w)
        if layer.table is not None:
            text += _words(s, index, layer)
        if layer.op == "global_average" and averages_quads(layer, s.graph):
            ones = _at_beats(ones_of(layer, s.graph, s.plan.beat), s.plan.beat)
            text += [
                f"// {plain(layer.name)}: ones",
                array("uint8_t", f"{s.name}_ones{index}", ones),
            ]
        for name in ("gamma", "beta") if layer.norm is not None else ():
            values = getattr(layer.norm, name)
            if values is not None:
                text.append(array("float", f"{s.name}_{name}{index}", values, floats))
    for index, name in enumerate(s.graph.constants):
        text += _constant(s, index, name)
    for index, table in enumerate(s.plan.tables):
        text.append(array("uint8_t", f"{s.name}_table{index}", table))
    return "\n".join(text) + "\n"


def _constant(s: Sources, index: int, name: str) -> list[str]:
    """A constant tensor, rows at beats."""
    values = s.graph.constants[name]
    wide = np.zeros((len(values), s.plan.strides[name] // 4), np.float32)
    wide[:, : values.shape[1]] = values
    text = f"// {plain(name)}: {values.shape[0]} x {values.shape[1]}"
    return [text, array("float", f"{s.name}_constant{index}", wide, floats)]


def _at_beats(codes: np.ndarray, beat: int) -> np.ndarray:
    """Rows that begin at beats"""
    wide = np.zeros((len(codes), up(codes.shape[1], beat)), np.uint8)
    wide[:, : codes.shape[1]] = codes
    return wide


def _words(s: Sources, index: int, layer: Layer) -> list[str]:
    """The table of an embedding, rows at beats."""
    rows = table_codes(layer, s.graph.tensors[layer.output])
    data = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
    wide = _at_beats(data, s.plan.beat)
    name = f"{s.name}_words{index}"
    return [f"// {plain(layer.name)}: {rows.shape[0]} words", array("uint8_t", name, wide)]


def _arrays(s: Sources, layer: Layer, suffix: str, w: Weights) -> list[str]:
    codes = w.codes
    if layer.op == "convolution":
        codes = join(layer, s.graph, s.plan.beat).codes
    elif layer.op == "transposed":
        codes = split(layer)
    rows, cols = codes.shape
    wide = _at_beats(codes, s.plan.beat)
    text = [f"// {plain(layer.name)}: {rows} x {cols}"]
    text.append(array("uint8_t", f"{s.name}_codes{suffix}", wide))
    if w.mx is None:
        text.append(array("float", f"{s.name}_scales{suffix}", w.row_scale, floats))
    else:
        scales = _at_beats(w.mx, s.plan.beat)
        text.append(array("uint8_t", f"{s.name}_mx{suffix}", scales))
    if w.bias is not None:
        text.append(array("float", f"{s.name}_bias{suffix}", w.bias, floats))
    return text


def _vectors(s: Sources) -> str:
    """Inputs and the outputs of the golden model, rows without gaps, one run after the other."""
    text = [
        head(s, "Inputs, and the outputs that the golden model computes."),
        f'#include "{s.name}.h"\n',
    ]
    for kind, place, views in (("input", 0, s.graph.inputs), ("output", 1, s.graph.outputs)):
        for index, view in enumerate(views.values()):
            parts = [vector[place][view.tensor] for vector in s.vectors]
            codes = np.stack(parts) if parts else np.zeros(1, np.uint8)
            text.append(array("uint8_t", f"{s.name}_{kind}{index}", codes.view(np.uint8)))
    return "\n".join(text) + "\n"
