# SPDX-License-Identifier: Apache-2.0
"""The command line: fp8net analyze | quantize | generate | validate | measure | cut | supported-ops."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import sys
import traceback

import fp8mac
import numpy as np

from . import (
    __version__,
    agreement,
    analyze,
    cut,
    integer_import,
    lower,
    measure,
    mx,
    operators,
    proof,
    propose,
    quantize,
    recipe,
    reference,
    report,
    shapes,
    states,
    steps,
    tflite_operators,
    validate,
    weights,
    writer,
)
from .c_text import counted
from .errors import Refused, refuse, words
from .executor import Executor
from .ir import FORMATS, INT8, Graph
from .plan import BEAT, COLUMNS

ELEMENTS = "block_f19_l16, or int8_l16"
MX = "mx"  # of --format
POWERS = "power-of-two"  # of --scales
INTERNAL = 3  # exit status of an error of the tool itself
_OWN = str(pathlib.Path(__file__).parent)
MOST_VECTORS = 4  # that generate keeps


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        with np.errstate(all="ignore"):  # Inf and NaN are results
            return options.run(options)
    except Refused as error:
        for problem in error.problems:
            print(f"fp8net: {problem}", file=sys.stderr)
        return 2 if all(p.where.startswith("--") for p in error.problems) else 1
    except BrokenPipeError:  # whoever reads the output has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = error.filename or "a file"
        print(f"fp8net: {where}: {error.strerror or error}", file=sys.stderr)
        return 1
    except MemoryError:
        print("fp8net: there is too little memory for this network and its data", file=sys.stderr)
        return 1
    except Exception as error:
        if options.debug:
            raise
        print(f"fp8net: {_internal(error)}", file=sys.stderr)
        return INTERNAL


def _internal(error: Exception) -> str:
    """What to report of an exception that should not be, in one line"""
    last = traceback.extract_tb(error.__traceback__)[-1]
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(_OWN)]
    place = (own or [last])[-1]
    text = words(error, 200)
    return (
        f"an error of fp8net {__version__} itself: {type(error).__name__} in {pathlib.Path(place.filename).name}, line "
        f"{place.lineno}: {text}; please report this line with the command and the file; --debug prints the traceback"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fp8net", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    _add_debug(parser, default=False)
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    _add_analyze(verbs)
    _add_quantize(verbs)
    _add_generate(verbs)
    _add_validate(verbs)
    _add_measure(verbs)
    _add_cut(verbs)
    verb = verbs.add_parser("supported-ops", help="operators, their forms and what they become")
    verb.set_defaults(run=_supported)
    for verb in verbs.choices.values():
        _add_debug(verb, default=argparse.SUPPRESS)  # what stands before the verb stays
    return parser


def _add_debug(parser: argparse.ArgumentParser, default) -> None:
    about = "prints the traceback of an error of fp8net itself"
    parser.add_argument("--debug", action="store_true", default=default, help=about)


def _verb(verbs, name: str, about: str, run) -> argparse.ArgumentParser:
    verb = verbs.add_parser(name, help=about, description=about)
    verb.add_argument("file", help="an ONNX or TensorFlow Lite file")
    verb.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="NAME=1,3,32,32",
        help="the shape of an input",
    )
    verb.add_argument(
        "--state",
        action="append",
        default=[],
        metavar="INPUT:OUTPUT",
        help="kept between runs, 0 at first: h or c of LSTM or GRU (a quantised file has them)",
    )
    verb.set_defaults(run=run)
    return verb


def _add_cut(verbs) -> None:
    about = "writes the part of an ONNX file between some values"
    verb = verbs.add_parser("cut", help=about, description=about)
    verb.add_argument("file", help="an ONNX file")
    verb.add_argument("-o", "--output-file", required=True, help="the file that is written")
    verb.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="VALUE=1,3,32,32",
        help="a value that becomes an input, with its shape (those of the file)",
    )
    verb.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="VALUE",
        help="a value that becomes an output (those of the file)",
    )
    verb.set_defaults(run=_cut)


def _number_from(least: int):
    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return int(text)

    return number


def _add_analyze(verbs) -> None:
    verb = _verb(verbs, "analyze", "operators, shapes, MACs, and what is not supported", _analyze)
    verb.add_argument("--json", action="store_true", help="as JSON")


def _add_quantize(verbs) -> None:
    verb = _verb(
        verbs, "quantize", "calibrates, and writes the file with scales and FP8 weights", _quantize
    )
    verb.add_argument("--data", required=True, help=".npz of inputs by name, one after the other")
    verb.add_argument("-o", "--output", required=True, help="the file that is written")
    verb.add_argument(
        "--format",
        choices=(*FORMATS, MX),
        default="e4m3fn",
        help="of activations (e4m3fn); mx: OCP MX of e4m3fn where a product can have it, else e4m3fn",
    )
    verb.add_argument("--weights-format", choices=FORMATS, help="(e4m3fn, or int8 with int8)")
    verb.add_argument(
        "--method", choices=weights.METHODS, default="max", help="scales of activations (max)"
    )
    verb.add_argument(
        "--scales",
        choices=("float", POWERS),
        default="float",
        help="power-of-two: the next one above each scale of the file (float)",
    )
    verb.add_argument("--weights-method", choices=weights.METHODS, default="max", help="(max)")
    verb.add_argument(
        "--percentile", type=float, default=99.9, help="of the method percentile (99.9)"
    )
    verb.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="TENSOR[=fp16]",
        help="a tensor that stays float32, or becomes float16",
    )
    verb.add_argument(
        "--split",
        action="append",
        default=[],
        metavar="TENSOR",
        help="carried as two FP8 codes, for the products that read it",
    )
    verb.add_argument(
        "--no-equalisation",
        action="store_true",
        help="leaves the ranges of channels between convolutions: without it, powers of two make them equal where that gains",
    )
    verb.add_argument(
        "--no-weight-rounding",
        action="store_true",
        help="takes the nearest codes of weights: without it, those with the least error of results where that gains",
    )
    verb.add_argument(
        "--no-bias-correction",
        action="store_true",
        help="leaves the biases: without it, mean errors of channels go into them where that gains",
    )
    verb.add_argument(
        "--no-input-split",
        action="store_true",
        help="carries no input as two codes: without it, those where that gains",
    )
    verb.add_argument(
        "--no-proposals", action="store_true", help="does not look for tensors to keep or to split"
    )


def _add_generate(verbs) -> None:
    verb = _verb(verbs, "generate", "writes a C program for fp8rt", _generate)
    verb.add_argument(
        "-o", "--output", required=True, help="the folder; its name is the prefix in C"
    )
    verb.add_argument("--data", help=".npz with test inputs: the program has vectors of them")
    verb.add_argument(
        "--reference",
        help="the file that was quantised: the report then has the errors of each layer",
    )
    _add_answers(verb)
    verb.add_argument(
        "--vectors",
        type=_number_from(0),
        default=MOST_VECTORS,
        help=f"of the data ({MOST_VECTORS})",
    )
    verb.add_argument(
        "--requantise",
        action="store_true",
        help="a full INT8 file of TensorFlow Lite keeps its codes: for a chip with REQUANTISE=1",
    )
    verb.add_argument(
        "--columns",
        type=_number_from(0),
        help="of the array, whose depthwise commands the program has; 0: none, for any array (4 with a beat of 16)",
    )
    verb.add_argument("--element", help=f"that computes the vectors ({ELEMENTS})")
    verb.add_argument(
        "--beat", type=int, choices=(8, 16, 32), default=16, help="bytes of the bus (16)"
    )


def _add_validate(verbs) -> None:
    verb = _verb(
        verbs,
        "validate",
        "runs the network and compares it with the file it was made of",
        _validate,
    )
    verb.add_argument("--data", required=True, help=".npz of test inputs")
    verb.add_argument("--on", choices=("executor", "host", "chip"), default="executor")
    verb.add_argument(
        "--reference", help="the file that was quantised (the quantised file itself: a bit check)"
    )
    verb.add_argument(
        "--requantise",
        action="store_true",
        help="as with generate: a full INT8 file of TensorFlow Lite, beside LiteRT",
    )
    verb.add_argument(
        "--runs",
        type=_number_from(1),
        default=MOST_VECTORS,
        help=f"on host and chip ({MOST_VECTORS})",
    )
    verb.add_argument("--root", help="the folder of fp8mac (where the command runs)")
    verb.add_argument("--element", help=f"({ELEMENTS})")
    _add_answers(verb)
    verb.add_argument("--floor", type=float, help="fails if an output's SQNR is lower, in dB")


def _given(options) -> tuple[dict, dict]:
    """Shapes and states"""
    return shapes.parse_shapes(options.shape), states.parse(options.state)


def _reference(options, kept: dict[str, str]):
    """The file that --reference names as it is, with the states of the quantised one."""
    return reference.read(options.reference, kept)


def _add_measure(verbs) -> None:
    about = "runs a generated program on the simulated chip, and adds its cycles to its report"
    verb = verbs.add_parser("measure", help=about, description=about)
    verb.add_argument("folder", help="what generate has written, with vectors")
    verb.add_argument("--root", help="the folder of fp8mac (where the command runs)")
    verb.set_defaults(run=_measure)


def _add_answers(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="[OUTPUT=]TASK",
        help=f"what an output is: {', '.join(agreement.TASKS)} (from its shape)",
    )
    verb.add_argument(
        "--labels",
        help="a label for each run: .npz with an array for each output, or a CSV file with one in the last column",
    )


def _answers(options, graph: Graph, runs: int) -> tuple[dict, dict]:
    """Tasks and labels of outputs"""
    outputs = list(graph.outputs)
    labels = agreement.read_labels(options.labels, outputs, runs) if options.labels else {}
    return agreement.parse(options.task, outputs), labels


def _root(options) -> pathlib.Path:
    return pathlib.Path(options.root) if options.root else validate.find_root(pathlib.Path.cwd())


# ---- verbs --------------------------------------------------------------------------------------


def _analyze(options) -> int:
    found = analyze.analyze(options.file, *_given(options))
    print(json.dumps(analyze.as_dict(found), indent=1) if options.json else analyze.as_text(found))
    return 1 if found.problems else 0


def _quantize(options) -> int:
    if not 0 < options.percentile <= 100:
        raise refuse("--percentile", f"is {options.percentile}", "above 0, 100 at most")
    if options.format == MX and options.weights_format == INT8:
        raise refuse("--weights-format int8", "is not possible with MX", "one of the FP8 formats")
    chosen = quantize.Options(
        "e4m3fn" if options.format == MX else options.format,
        options.weights_format or (INT8 if options.format == INT8 else "e4m3fn"),
        options.method,
        options.weights_method,
        options.percentile,
        *_kept(options.keep),
        tuple(options.split),
        options.format == MX,
        options.scales == POWERS,
    )
    given = _given(options)
    runs = quantize.read_data(options.data, shapes.prepare(options.file, *given))
    wanted = recipe.Recipe(
        not options.no_equalisation,
        not options.no_weight_rounding,
        not options.no_bias_correction,
        not options.no_input_split,
    )
    result = recipe.quantise(options.file, runs, chosen, *given, wanted)
    # What cannot be generated, or computes something else, is not written.
    model, scales, graph = recipe.proved(result, options.file, runs, given[1])
    _write_whole(pathlib.Path(options.output), model.SerializeToString(), _read_back)
    print(f"{options.output} rounds {counted(len(scales), 'tensor')} to {chosen.format}.")
    for line in mx.summary(graph) if chosen.mx else ():
        print(line)
    for line in result.lines():
        print(line)
    if not options.no_proposals and not chosen.mx:  # by ONNX Runtime, which has no MX
        for line in propose.proposals(result.source, result.options):
            print(line)
    return 0


def _kept(texts: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tensors that stay float32, and those that become float16."""
    wide, half = [], []
    for text in texts:
        name, _, format = text.rpartition("=")
        if format in ("fp16", "fp32") and name:
            (half if format == "fp16" else wide).append(name)
        else:
            wide.append(text)
    return tuple(wide), tuple(half)


def _read_back(path: pathlib.Path) -> Graph:
    """What `generate` makes of a file: one that it cannot read is not written."""
    return lower.lower_model(shapes.prepare(path))


def _write_whole(path: pathlib.Path, data: bytes, read):
    """What `read` makes of the file. It has its name when that is done."""
    if path.is_dir():
        raise refuse(str(path), "is a folder", "the name of a file")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        result = read(part)
        part.replace(path)
        return result
    except Refused as error:
        here = [
            p if p.where != str(part) else dataclasses.replace(p, where=str(path))
            for p in error.problems
        ]
        raise Refused(here) from None
    except OSError as error:
        raise refuse(str(path), f"cannot be written: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


def _check_element(name: str | None, graph: Graph) -> None:
    """The golden model has it, and it takes the network's formats."""
    code = np.zeros((1, 1), np.uint8)
    format = INT8 if graph.is_int8 else "e4m3fn"
    try:
        fp8mac.gemm(code, code, preset=name or graph.element, a_format=format, b_format=format)
    except fp8mac.Error as error:
        raise refuse(f"--element {name}", str(error)) from None


def _no_effect(options, *names: str) -> None:
    for name in names:
        if getattr(options, name):
            raise refuse(f"--{name}", "has no effect with --requantise", "without it")


def _columns(given: int | None, element: str | None, beat: int = BEAT) -> int:
    """Columns of the array with depthwise commands, whose elements have as many lanes as a beat has bytes"""
    if given is None:
        lanes = element is None or element.endswith(f"_l{BEAT}")
        return COLUMNS if beat == BEAT and lanes else 0
    if given and not 2 * given <= beat <= 8 * given:
        raise refuse(f"--columns {given}", f"is not possible with a beat of {beat} bytes")
    return given


def _generate_whole(options) -> int:
    """An integer network"""
    _no_effect(options, "shape", "state", "reference", "element", "task", "labels")
    path, folder = pathlib.Path(options.file), pathlib.Path(options.output)
    graph = integer_import.read(path, _columns(options.columns, options.element, options.beat))
    runs = integer_import.read_data(options.data, graph) if options.data else []
    source = reference.LiteReference(path.read_bytes(), str(path), codes=True)
    proof.check_import(graph, source, runs, str(path))
    sources = writer.prepare(graph, folder, path.name, runs[: options.vectors], beat=options.beat)
    rows = report.rows_of(graph)
    report.add_estimates(rows, sources.estimates)
    _write_program(folder, sources, rows, {})
    return 0


def _write_program(
    folder: pathlib.Path, sources: writer.Sources, rows, outputs: dict, tried: dict | None = None
) -> None:
    graph, plan = sources.graph, sources.plan
    found = report.document(graph, plan, rows, sources.origin, outputs, tried)
    writer.write(folder, sources, report.files(found))
    print(
        f"{folder} has a program of {counted(len(graph.layers), 'layer')}. Its arena has {plan.arena:,} bytes."
    )


def _generate(options) -> int:
    if options.requantise:
        return _generate_whole(options)
    if options.reference and not options.data:
        raise refuse("--reference", "is compared with data", "give --data TEST.npz")
    for name in ("task", "labels"):
        if getattr(options, name) and not options.reference:
            raise refuse(f"--{name}", "is for the report's errors", "give --reference NET.onnx")
    model = shapes.prepare(options.file, *_given(options))
    graph = lower.lower_model(model)
    graph.columns = _columns(options.columns, options.element, options.beat)
    _check_element(options.element, graph)
    runs = quantize.read_data(options.data, model) if options.data else []
    itself = reference.read(options.file, states.of(model), rounded=False)
    proof.check_import(graph, itself, runs, options.file)
    folder = pathlib.Path(options.output)
    origin = pathlib.Path(options.file).name
    sources = writer.prepare(
        graph, folder, origin, runs[: options.vectors], options.element, options.beat
    )
    rows, outputs = report.rows_of(graph), {}
    report.add_estimates(rows, sources.estimates)
    if options.reference and runs:
        source = _reference(options, states.of(model))
        reference.check(source, graph.inputs, graph.outputs)
        executor = Executor(graph, options.element, options.beat)
        report.measure(graph, rows, executor, source, runs)
        result = validate.compare(graph, executor, source, runs)
        outputs = validate.lines_of(result, *_answers(options, graph, len(runs)), 1)
    _write_program(folder, sources, rows, outputs, steps.of(model))
    return 0


def _validate(options) -> int:
    if options.requantise:
        _no_effect(options, "shape", "state", "element")
    kept: dict[str, str] = {}
    hashed = ""
    if options.requantise:
        graph = integer_import.read(pathlib.Path(options.file), COLUMNS)
        runs = integer_import.read_data(options.data, graph)
    else:
        model = shapes.prepare(options.file, *_given(options))
        graph = lower.lower_model(model)
        graph.columns = _columns(None, options.element)
        _check_element(options.element, graph)
        runs = quantize.read_data(options.data, model)
        kept, hashed = states.of(model), reference.source_of(model)
    _say_what_is_compared(options, hashed)
    answers = _answers(options, graph, len(runs))
    if options.on != "executor":
        runs = runs[: options.runs]
        answers = answers[0], {name: array[: len(runs)] for name, array in answers[1].items()}
    source = reference.read(options.reference or options.file, kept)
    result = validate.compare(graph, Executor(graph, options.element), source, runs)
    if options.on != "executor":
        root = _root(options)
        origin = pathlib.Path(options.file).name
        validate.on_target(root, graph, origin, runs, options.on, result, options.element)
        print(result.text, end="")
    for name, text in validate.lines_of(result, *answers, 2).items():
        print(f"{name}: {text}")
    # An SQNR that is no number reaches no floor.
    low = options.floor is not None and not all(v >= options.floor for v in result.sqnr.values())
    return 1 if result.different or low else 0


def _say_what_is_compared(options, hashed: str) -> None:
    """Without the file that was quantised, nobody knows how good a network is."""
    begins = f", whose SHA-256 begins with {hashed[:12]}" if hashed else ""
    if options.reference:
        if hashed and reference.sha256(options.reference) != hashed:
            print(f"{options.reference} is not the file that {options.file} was made of{begins}.")
        return
    if options.floor is not None:
        what = f"needs --reference: the file that {options.file} was made of{begins}"
        raise refuse("--floor", what, "without it, only bits are compared")
    print(
        f"bit check, not quality: {options.file} is compared with itself. --reference takes the file that it was made of{begins}."
    )


def _measure(options) -> int:
    found = measure.measure(_root(options), pathlib.Path(options.folder))
    print(
        f"A run takes {found['core_cycles']:,} core cycles. {options.folder}/report.md has those of each layer."
    )
    return 0


def _cut(options) -> int:
    data = cut.cut(pathlib.Path(options.file), shapes.parse_shapes(options.input), options.output)
    found = _write_whole(pathlib.Path(options.output_file), data, analyze.analyze)
    counts = counted(sum(found.operators.values()), "node")
    print(
        f"{options.output_file} has {counts}. `fp8net analyze {options.output_file}` looks at them."
    )
    return 0


def _supported(options) -> int:
    print("ONNX")
    for op, handler in sorted(operators.HANDLERS.items()):
        print(f"{op:24} {handler.becomes}: {handler.forms}")
    print("\nTensorFlow Lite, as operators of ONNX")
    for name, becomes in sorted(tflite_operators.BECOMES.items()):
        print(f"{name:24} {becomes}")
    print("\nTensorFlow Lite with --requantise, in integers")
    print("\n".join(sorted(integer_import.OPERATORS)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
