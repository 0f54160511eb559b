# SPDX-License-Identifier: Apache-2.0
"""What FP8 costs: error, memory and work of each layer."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np

from . import estimate, integer_layers, mx, picture, steps
from .c_text import counted
from .executor import Executor, decode, encode
from .ir import FORMAT_BYTES, INT8, OPS, Graph, Layer, name_of, product
from .plan import Plan
from .version import VERSION

MACS_A_CYCLE = 256  # of the default array


def sqnr(reference: np.ndarray, values: np.ndarray) -> float:
    """Signal over the noise of rounding, in dB; Inf where nothing differs."""
    reference = np.asarray(reference, np.float64)
    with np.errstate(all="ignore"):  # Inf and NaN are results
        noise = np.square(reference - np.asarray(values, np.float64)).sum()
        signal = np.square(reference).sum()
    return decibels(signal, noise)


def decibels(signal: float, noise: float) -> float:
    """Inf without noise, -Inf without signal or with infinite noise; NaN where a value is."""
    if noise == 0:
        return math.inf
    with np.errstate(all="ignore"):
        ratio = float(np.float64(signal) / noise)
    return 10.0 * math.log10(ratio) if ratio != 0 else -math.inf


@dataclasses.dataclass
class Row:
    """A layer."""

    name: str
    nodes: list[str]
    call: str
    rows: int
    cols: int
    format: str
    scale: float
    macs: int
    weight_bytes: int
    output_bytes: int
    least_cycles: int  # of the array of 256 MACs, if nothing else took time
    label: str = ""  # in profiles
    estimated_cycles: int | None = None  # of the accelerator
    estimated_core_cycles: int | None = None  # of the core, in pauses
    core_cycles: int | None = None  # measured: with the layers behind the one before that has some
    accelerator_cycles: int | None = None
    sqnr: float | None = None  # of the output, with the rounded values of float32's inputs
    sqnr_so_far: float | None = None
    saturated: float | None = None  # share of codes that are the format's largest numbers


def rows_of(graph: Graph) -> list[Row]:
    return [_row(graph, layer) for layer in graph.layers]


def add_estimates(rows: list[Row], estimates: list[estimate.Estimate]) -> None:
    for row, its in zip(rows, estimates, strict=True):
        row.estimated_cycles, row.estimated_core_cycles = its.accelerator, its.core


def _row(graph: Graph, layer: Layer) -> Row:
    out = graph.tensors[layer.output]
    weights = sum(
        w.codes.size
        + (4 * w.codes.shape[0] if w.mx is None else w.mx.size)
        + (0 if w.bias is None else 4 * w.bias.size)
        for w in layer.all_weights
    )
    if layer.integer is not None and layer.weights is not None:
        bands = integer_layers.biases(layer, graph)
        weights = layer.weights.codes.size + 8 * len(layer.weights.codes) + 4 * bands.size
    if layer.table is not None:
        weights = layer.table.size * FORMAT_BYTES[out.format]
    weights += sum(graph.constants[name].nbytes for name in layer.reads if name in graph.constants)
    return Row(
        layer.name,
        layer.nodes,
        OPS[layer.op],
        out.rows,
        out.cols,
        f"MX {out.format}" if out.mx else out.format,
        out.scale,
        graph.macs(layer),
        weights,
        out.rows * (out.cols * FORMAT_BYTES[out.format] + out.mx * mx.blocks(out.cols)),
        -(-graph.macs(layer) // MACS_A_CYCLE),
        name_of(layer),
    )


def reference_name(graph: Graph, tensor: str) -> str:
    """What the float file calls a tensor: a result is rounded before it gets its name."""
    return next((name for name, view in graph.outputs.items() if view.tensor == tensor), tensor)


def measure(
    graph: Graph,
    rows: list[Row],
    executor: Executor,
    reference,
    runs: list[dict[str, np.ndarray]],
) -> None:
    """Errors of each layer beside the reference, over all runs."""
    written = set(reference.names)
    names = {t: reference_name(graph, t) for t in graph.tensors}
    known = {t: n for t, n in names.items() if n in written or n in graph.inputs}
    sums = {layer.output: np.zeros(3) for layer in graph.layers}
    saturated = {layer.output: 0 for layer in graph.layers}
    inner = sorted(set(known.values()) - set(graph.inputs))
    reference.reset()
    for run in runs:
        before = dict(executor.kept)
        executor.run(run)
        codes, after = dict(executor.codes), executor.kept
        truth = {**dict(zip(inner, reference.run(inner, run))), **run}
        exact = {t: _as_rows(graph, t, truth[n]) for t, n in known.items()} | graph.constants
        exact = {t: rows for t, rows in exact.items() if rows is not None}
        _move_exact(graph, executor, exact)
        executor.kept = before  # where a layer alone begins
        for layer in graph.layers:
            out = graph.tensors[layer.output]
            saturated[layer.output] += _saturated(codes[layer.output], out)
            if layer.output not in exact:
                continue
            got = decode(codes[layer.output], out)
            sums[layer.output] += _powers(
                exact[layer.output], got, _alone(graph, executor, layer, exact)
            )
        executor.kept = after
    for row, layer in zip(rows, graph.layers):
        signal, noise, alone = sums[layer.output]
        row.saturated = saturated[layer.output] / (len(runs) * row.rows * row.cols)
        if signal:
            row.sqnr_so_far = decibels(signal, noise)
            row.sqnr = None if math.isnan(alone) else decibels(signal, alone)


def _move_exact(graph: Graph, executor: Executor, exact: dict) -> None:
    """Tensors that the file does not have, but whose values are those of others."""
    for layer in graph.layers:
        if layer.op == "to_mx" and layer.inputs[0] in exact:
            exact[layer.output] = exact[layer.inputs[0]]
        if layer.op == "move" and layer.output not in exact:
            if all(name in exact for name in layer.inputs):
                executor.codes |= {name: exact[name] for name in layer.inputs}
                exact[layer.output] = executor.move(layer)


def _powers(exact: np.ndarray, got: np.ndarray, alone: np.ndarray | None) -> np.ndarray:
    exact = exact.astype(np.float64)
    single = np.nan if alone is None else np.square(exact - alone).sum()
    return np.array([np.square(exact).sum(), np.square(exact - got).sum(), single])


def _alone(graph: Graph, executor: Executor, layer: Layer, exact: dict) -> np.ndarray | None:
    if any(name not in exact for name in layer.reads):
        return None
    for name in layer.reads:
        executor.codes[name] = encode(exact[name], graph.tensors[name])
    return decode(executor.alone(layer), graph.tensors[layer.output])


def _saturated(codes: np.ndarray, tensor) -> int:
    if not tensor.has_codes:
        return 0
    if tensor.format == INT8:
        return int((np.abs(codes.view(np.int8).astype(np.int16)) >= 127).sum())
    codes, _ = mx.split(codes, tensor)
    largest = {"e4m3fn": 0x7E, "e5m2": 0x7B, "e4m3fnuz": 0x7F, "e5m2fnuz": 0x7F}[tensor.format]
    return int(((codes & 0x7F) == largest).sum())


def _as_rows(graph: Graph, tensor: str, array: np.ndarray) -> np.ndarray | None:
    """The rows of a tensor from the float file's array, by the view that its shape has. None: the file has another array."""
    view = graph.views[tensor]
    if np.size(array) != product(view.shape):
        return None
    return view.to_rows(np.asarray(array, np.float32), graph.tensors[tensor].cols)


# ---- the report's files -------------------------------------------------------------------------


def document(
    graph: Graph, plan: Plan, rows: list[Row], origin: str, outputs: dict, tried: dict | None = None
) -> dict:
    """All of the report. measure.py adds what a run took."""
    return {
        "generator": f"fp8net {VERSION}",
        "file": origin,
        "network": graph.name,
        "arena_bytes": plan.arena,
        "activation_bytes": plan.activations,
        "scratch_bytes": plan.scratch,
        "list_bytes": plan.lists,
        "weight_bytes": sum(r.weight_bytes for r in rows),
        "macs": sum(r.macs for r in rows),
        "lists": sum(s.recorded for s in plan.segments),
        "recorded_layers": sum(s.count for s in plan.segments if s.recorded),
        "int8": graph.is_int8,
        "requantise": graph.requantises,
        "core_cycles": None,
        "estimated_rest": estimate.rest(plan),
        "outputs": outputs,
        "quantiser": tried or {},
        "layers": [_finite(dataclasses.asdict(r)) for r in rows],
    }


def estimated(report: dict) -> str:
    """The sum of all estimates, which is less than a run if layers have none."""
    layers, rest = report["layers"], report["estimated_rest"]
    keys = ("estimated_cycles", "estimated_core_cycles")
    accelerator, core = (sum(layer[key] or 0 for layer in layers) for key in keys)
    without = sum(any(layer[key] is None for key in keys) for layer in layers)
    text = (
        f"A run is estimated to take {accelerator + core + rest:,} cycles: {accelerator:,} of the accelerator, {core:,} of the "
        f"core's parts of layers, and {rest:,} of its lists and tables."
    )
    has = "has" if without == 1 else "have"
    return text + (f" {counted(without, 'layer')} {has} no estimate." if without else "")


def how_layers_run(report: dict) -> str:
    recorded, lists = report["recorded_layers"], report["lists"]
    others = len(report["layers"]) - recorded
    if recorded == 0:
        return "The layers run one by one."
    as_lists = "one list of commands" if lists == 1 else f"{lists} lists of commands"
    if others == 0:
        return f"All layers run as {as_lists}."
    those = f"{counted(recorded, 'layer')} {'runs' if recorded == 1 else 'run'} as {as_lists}"
    return f"{those}. The other {'one runs alone' if others == 1 else f'{others} run one by one'}."


def files(report: dict) -> dict[str, str]:
    return {
        "report.json": json.dumps(report, indent=1) + "\n",
        "report.md": as_markdown(report),
        "report.svg": picture.draw(report),
    }


def _finite(row: dict) -> dict:
    """JSON has no Inf and no NaN."""
    return {
        k: str(float(v)) if isinstance(v, float) and not math.isfinite(v) else v
        for k, v in row.items()
    }


def _db(value: float | str | None) -> str:
    return "-" if value is None else "exact" if value == "inf" else f"{float(value):.1f}"


def _cycles(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _of_cycles(report: dict) -> tuple[str, str]:
    """How long a run takes, measured or else estimated; and what the table's cycles are."""
    if report["core_cycles"] is None:
        return estimated(report), (
            "Estimated cycles are those of the accelerator if each command ran alone, and those of the core in the pauses of a list."
        )
    alone = sum(layer["core_cycles"] or 0 for layer in report["layers"])
    return f"A run takes {report['core_cycles']:,} core cycles, measured on the simulated chip.", (
        f"Core cycles are those of `fp8net measure`, which starts the layers one by one: {alone:,} in all. In a run lists start\n"
        "them. The accelerator's are a part of them. Moves count with a layer beside them."
    )


def as_markdown(report: dict) -> str:
    layers = report["layers"]
    run, about = _of_cycles(report)
    lines = [
        f"# {report['network']}",
        "",
        f"From `{report['file']}`, by {report['generator']}. {len(layers)} layers, {report['macs']:,} MACs,",
        f"{report['weight_bytes']:,} bytes of weights. Arena: {report['arena_bytes']:,} bytes, of them "
        f"{report['activation_bytes']:,} tensors,",
        f"{report['scratch_bytes']:,} scratch, {report['list_bytes']:,} lists of commands. "
        + how_layers_run(report),
        "",
        *(f"- {name}: {text}" for name, text in report["outputs"].items()),
        f"- {run}",
        "",
        *steps.table(report.get("quantiser", {})),
        "![Error and cycles of each layer](report.svg)",
        "",
        "SQNR alone is that of the layer behind rounded float32 inputs; so far, behind all layers before it.",
        about,
        f"Least cycles are those of an array of {MACS_A_CYCLE} MACs.",
        "",
    ]
    measured = report["core_cycles"] is not None
    names = ["core cycles, one by one", "accelerator's part"]
    keys = ("core_cycles", "accelerator_cycles")
    if not measured:
        names = ["accelerator, estimated cycles", "core, estimated"]
        keys = ("estimated_cycles", "estimated_core_cycles")
    heads = ["layer", "fp8rt", "output", "format", "scale", "MACs", "weights, bytes"]
    heads += ["SQNR alone, dB", "so far, dB", "saturated", *names, "least cycles"]
    lines += [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for r in layers:
        share = "-" if r["saturated"] is None else f"{100 * r['saturated']:.2f} %"
        lines.append(
            f"| {', '.join(r['nodes'])} | `{r['call']}` | {r['rows']} x {r['cols']} | {r['format']} | "
            f"{r['scale']:.4g} | {r['macs']:,} | {r['weight_bytes']:,} | {_db(r['sqnr'])} | {_db(r['sqnr_so_far'])} | "
            f"{share} | {' | '.join(_cycles(r[key]) for key in keys)} | {r['least_cycles']:,} |"
        )
    return "\n".join(lines) + "\n"
