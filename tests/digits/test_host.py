# SPDX-License-Identifier: Apache-2.0
"""The digits application on the golden model, over the whole test set: FP8 loses at most half a point against float32,
every output equals the untiled golden model, and impossible arguments are refused with one sentence."""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "model"))

from checks import Checks

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
    "IMAGES=, BATCH=, ACC= and FORMAT=": ["M=64", "images=3", "ACC", "fp16", ""],
}


def run(program, options, element=DEFAULT):
    return subprocess.run(
        [program, *options],
        capture_output=True,
        text=True,
        env={**os.environ, "FP8RT_ELEMENT": element},
    )


def test_run(c, program, options, element=DEFAULT, acc="fp32"):
    asked = dict(option.split("=") for option in options)
    images, name = int(asked.get("IMAGES", IMAGES)), " ".join(options) or "defaults"
    if element != DEFAULT:
        name = f"{element} {name}"
    result = run(program, options, element)
    record = re.findall(r"^digits: (images=.*)$", result.stdout, re.M)
    c.check("exit status and result line", (result.returncode, len(record)), (0, 1), name)
    if len(record) != 1:
        return
    values = dict(field.split("=") for field in record[0].split())
    number = lambda key: int(values[key])
    c.check(
        "the options are taken",
        (values["format"], values["acc"], values["batch"], number("images")),
        (asked.get("FORMAT", "e4m3fn"), asked.get("ACC", acc), asked.get("BATCH", "128"), images),
        name,
    )
    c.check(
        "counts of outputs and multiply-accumulates",
        (number("outputs"), number("macs")),
        (OUTPUTS * images, MACS * images),
        name,
    )
    c.check("every output equals the golden model's", number("equal"), OUTPUTS * images, name)
    lost = number("float32_right") - number("right")
    c.check(
        "at most half a point below float32",
        lost <= MOST_LOST * images,
        True,
        f"{name}: {lost} images",
    )
    print(
        f"{name:<28} float32 {number('float32_right')}, {values['format']} {number('right')} of {images} right; "
        f"{number('equal')} of {number('outputs')} outputs equal"
    )


def test_refusals(c, program):
    for names, wrong in REFUSED.items():
        for option in wrong:
            result = run(program, [option])
            sentence = result.stdout.strip()
            c.check(
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


def test_elements(c, program):
    """Without options the accumulator is the one that the elements have; what they do not have is refused by name."""
    for element, (accs, formats) in ELEMENTS.items():
        kind = re.sub(r"_f\d+$", "", element)
        for format in formats:
            test_run(c, program, [f"FORMAT={format}", "IMAGES=200"], element, accs[0])
        for acc in accs[1:]:
            test_run(c, program, [f"ACC={acc}", "IMAGES=200"], element)
        bad = [f"ACC={a}" for a in ("fp32", "fp16", "fixed", "int32") if a not in accs]
        bad += [f"FORMAT={f}" for f in (*FORMATS, "int8") if f not in formats]
        for option in bad:
            choice = " or ".join(filter(None, (", ".join(formats[:-1]), formats[-1])))
            good = " or ".join(accs) if option.startswith("ACC") else choice
            c.check(
                "refused with what is possible",
                run(program, [option], element).stdout,
                f"{option} is not possible with {kind} elements: choose {good}.\n",
                element,
            )


def main():
    program, c = sys.argv[1], Checks()
    for options in RUNS:
        test_run(c, program, options)
    for options in ([], ["ACC=fp16"]):
        test_run(c, program, options, "exact")
    test_refusals(c, program)
    test_elements(c, program)
    return c.finish()


if __name__ == "__main__":
    sys.exit(main())
