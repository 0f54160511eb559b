# SPDX-License-Identifier: Apache-2.0
"""The digits application on the golden model, over the whole test set: FP8 loses at most half a point against float32,
every output equals the untiled golden model, and impossible arguments are refused with one sentence. The convolutional
network and the transformer likewise; their outputs have the committed hashes."""

import json
import os
import pathlib
import re
import subprocess

import pytest

IMAGES = 540
OUTPUTS, MACS = 96 + 64 + 10, 64 * 96 + 96 * 64 + 64 * 10  # of one image
MOST_LOST = 0.005
FORMATS = "e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"
DEFAULT = "block"
RUNS = [[], ["ACC=fp16"]]
RUNS += [[f"FORMAT={f}", f"ACC={acc}"] for f in FORMATS[1:] for acc in ("fp32", "fp16")]
ELEMENTS = {
    "aligned_fp32": (("fp32",), FORMATS),
    "late_fp16_f10": (("fp16",), FORMATS),
    "kulisch": (("fixed",), FORMATS[::2]),
    "late_f13": (("fp32", "fp16"), FORMATS),
    "aligned": (("fp32", "fp16"), FORMATS),
    "int8": (("int32",), ("int8",)),
}  # accumulators, the first without options, and formats that there are
RUNS += [
    ["BATCH=1", "IMAGES=9"],
    ["BATCH=540"],
    ["BATCH=37", "IMAGES=200"],
    ["BATCH=540", "IMAGES=5"],
]
# Of the networks of layers, for each image: outputs of the layers, and products of those that multiply
CNN = [(64 * 16, 9), (16 * 32, 9 * 16), (10, 16 * 32)]
TOKENS, WIDTH, INNER = 8, 32, 64
PROJECTION, SUM = (TOKENS * INNER, WIDTH), (TOKENS * WIDTH, INNER)
NORM = CONVERSION = (TOKENS * WIDTH, 0)
TRANSFORMER = [(TOKENS * WIDTH, 24), NORM, *[PROJECTION] * 3, (TOKENS * INNER, 2 * TOKENS)]
TRANSFORMER += [SUM, NORM, PROJECTION, SUM, CONVERSION, (10, TOKENS * WIDTH)]
LAYERED = {"cnn": CNN, "transformer": TRANSFORMER}
LAYERED_RUNS = ["FORMAT=e5m2"], ["FORMAT=e4m3fnuz"], ["FORMAT=e5m2fnuz"], ["ACC=fp16"]
LAYERED_ELEMENTS = "kulisch", "late_fp16_f10"
SOME = 64  # images of these runs, of which one may be lost
RECORDED = pathlib.Path("sim/bench/quality.json")
DIGITS = pathlib.Path(__file__).resolve().parents[2] / "firmware" / "apps" / "digits"
REFUSED = {
    "1 to 540": [
        "IMAGES=0",
        "IMAGES=541",
        "IMAGES=",
        "IMAGES=-1",
        "IMAGES=0x10",
        "IMAGES=99999999999",
        "BATCH=0",
        "BATCH=541",
        "BATCH=64k",
    ],
    "fp32 or fp16": ["ACC=", "ACC=bf16", "ACC=fp320", "ACC=FP32"],
    "e4m3fn, e5m2, e4m3fnuz or e5m2fnuz": [
        "FORMAT=",
        "FORMAT=float16",
        "FORMAT=e4m3",
        "FORMAT=int8",
    ],
    "perceptron, cnn or transformer": ["NET=", "NET=mlp", "NET=CNN"],
    "0 or 1": ["HASHES=", "HASHES=2"],
    "cnn or transformer": ["HASHES=1"],
    "NET=, IMAGES=, BATCH=, ACC=, FORMAT= and HASHES=": ["M=64", "images=3", "ACC", "fp16", ""],
}


def run(program, options, element=DEFAULT, **environment):
    return subprocess.run(
        [program, *options],
        capture_output=True,
        text=True,
        env={**os.environ, "FP8RT_ELEMENT": element, **environment},
    )


def record_of(bench, result, name):
    """The fields of the line for programs, or None."""
    lines = re.findall(r"^digits: (images=.*)$", result.stdout, re.M)
    bench.check(
        "exit status and result line",
        (result.returncode, len(lines)),
        (0, 1),
        lambda: f"{name}: {result.stdout[-400:]}",
    )
    return dict(field.split("=") for field in lines[0].split()) if len(lines) == 1 else None


def check_recorded(bench, net, format, number):
    """All images of the default: the answers are those that pages quote."""
    row = json.loads(RECORDED.read_text())["rows"][f"digits, {net}"]
    got = (number("images"), number("float32_right"), number("right"))
    want = (row["of"], row["float32_right"], row[f"{format}_right"])
    bench.check("right answers; if the change is meant: make accept-quality", got, want, net)


def check_run(bench, program, options, element=DEFAULT, acc="fp32"):
    asked = dict(option.split("=") for option in options)
    images, name = int(asked.get("IMAGES", IMAGES)), " ".join(options) or "defaults"
    if element != DEFAULT:
        name = f"{element} {name}"
    values = record_of(bench, run(program, options, element), name)
    if values is None:
        return
    number = lambda key: int(values[key])
    bench.check(
        "the options are taken",
        (values["format"], values["acc"], values["batch"], number("images")),
        (asked.get("FORMAT", "e4m3fn"), asked.get("ACC", acc), asked.get("BATCH", "128"), images),
        name,
    )
    bench.check(
        "counts of outputs and multiply-accumulates",
        (number("outputs"), number("macs")),
        (OUTPUTS * images, MACS * images),
        name,
    )
    bench.check("every output equals the golden model's", number("equal"), OUTPUTS * images, name)
    if not options and element in (DEFAULT, "int8"):
        check_recorded(bench, "perceptron", "int8" if element == "int8" else "fp8", number)
    lost = number("float32_right") - number("right")
    bench.check(
        "at most half a point below float32",
        lost <= MOST_LOST * images,
        True,
        f"{name}: {lost} images",
    )
    print(
        f"{name:<28} float32 {number('float32_right')}, {values['format']} {number('right')} of {images} right; "
        f"{number('equal')} of {number('outputs')} outputs equal"
    )


RUNS_OF_KINDS = [(DEFAULT, options) for options in RUNS] + [("exact", o) for o in RUNS[:2]]


@pytest.mark.parametrize(("element", "options"), RUNS_OF_KINDS)
def test_run(bench, program, element, options):
    check_run(bench, program, options, element)


def check_layered(bench, program, net, options, images, element=DEFAULT, **environment):
    """Returns the hash of all outputs."""
    name = " ".join([net, *options, element, *environment.values()])
    asked = [f"NET={net}", f"IMAGES={images}", *options]
    values = record_of(bench, run(program, asked, element, **environment), name)
    if values is None:
        return None
    number = lambda key: int(values[key])
    layers = LAYERED[net]
    known = element == DEFAULT and not any(o.startswith(("FORMAT", "ACC")) for o in options)
    outputs = sum(n for n, _ in layers) * images if known else 0
    bench.check(
        "networks of layers: outputs that are compared, and equal",
        (number("outputs"), number("equal")),
        (outputs, outputs),
        name,
    )
    macs = sum(n * k for n, k in layers) * images
    bench.check("networks of layers: multiply-accumulates", number("macs"), macs, name)
    if images == IMAGES and not options and element == DEFAULT:
        check_recorded(bench, net, "fp8", number)
    lost = number("float32_right") - number("right")
    bench.check(
        "networks of layers: at most half a point, or one image of a few, below float32",
        lost <= max(MOST_LOST * images, 1),
        True,
        f"{name}: {lost} images",
    )
    print(f"{name:<40} float32 {number('float32_right')}, {number('right')} of {images} right")
    return values["hash"]


@pytest.mark.parametrize("net", LAYERED)
def test_networks_of_layers(bench, program, net):
    check_layered(bench, program, net, [], IMAGES)
    for options in LAYERED_RUNS:
        check_layered(bench, program, net, options, SOME)
    for element in LAYERED_ELEMENTS:
        check_layered(bench, program, net, [], SOME, element)
    small = [
        check_layered(bench, program, net, [], 9),
        check_layered(bench, program, net, ["BATCH=4"], 9),
        check_layered(bench, program, net, ["BATCH=540"], 9, FP8RT_ARRAY="2x4x8"),
        check_layered(bench, program, net, [], 9, FP8RT_AXI_DATA_W="64"),
        check_layered(bench, program, net, [], 9, FP8RT_AXI_DATA_W="256"),
    ]
    bench.check("networks of layers: batches, arrays and buses do not matter", len(set(small)), 1)
    listed = run(program, [f"NET={net}", "HASHES=1", "IMAGES=3"]).stdout.splitlines()
    file = (DIGITS / f"digits_{net}_hashes.c").read_text().splitlines()
    bench.check("hashes: the file's first lines", listed[:-1], file[: len(listed) - 1], net)
    bench.check(
        "refused with what is possible",
        run(program, [f"NET={net}"], "int8").stdout,
        f"NET={net} is not possible with int8 elements: choose perceptron.\n",
    )


def test_refusals(bench, program):
    for names, wrong in REFUSED.items():
        for option in wrong:
            result = run(program, [option])
            sentence = result.stdout.strip()
            bench.check(
                "refused with one sentence that names what is possible",
                (
                    result.returncode,
                    names in sentence,
                    sentence.count("\n"),
                    sentence.endswith("."),
                ),
                (2, True, 0, True),
                f"{option!r}: {sentence}",
            )


@pytest.mark.parametrize("element", ELEMENTS)
def test_elements(bench, program, element):
    """Without options the accumulator is the one that the elements have; what they do not have is refused by name."""
    accs, formats = ELEMENTS[element]
    kind = re.sub(r"_f\d+$", "", element)
    for format in formats:
        check_run(bench, program, [f"FORMAT={format}", "IMAGES=200"], element, accs[0])
    for acc in accs[1:]:
        check_run(bench, program, [f"ACC={acc}", "IMAGES=200"], element)
    bad = [f"ACC={a}" for a in ("fp32", "fp16", "fixed", "int32") if a not in accs]
    bad += [f"FORMAT={f}" for f in (*FORMATS, "int8") if f not in formats]
    for option in bad:
        choice = " or ".join(filter(None, (", ".join(formats[:-1]), formats[-1])))
        good = " or ".join(accs) if option.startswith("ACC") else choice
        bench.check(
            "refused with what is possible",
            run(program, [option], element).stdout,
            f"{option} is not possible with {kind} elements: choose {good}.\n",
            element,
        )
