# SPDX-License-Identifier: Apache-2.0
"""The tool fp8mac: every refusal, one sentence with its status."""

import subprocess

from tool import COMMANDS, tool

__all__ = ["tool"]


def test_refusals(tool, folder):
    refused = tool.refused
    refused("which command")
    refused("there is no command 'cats'; choose from show, table", "cats")
    for command in COMMANDS:
        refused("there is no option '--nonsense'", command, "--nonsense")
    refused("give a format and at least one code", "show", "e4m3fn")
    refused("format 'e4m3fx' is unknown; choose from e4m3fn, e5m2", "show", "e4m3fx", "0")
    refused("odd number of hexadecimal digits", "show", "e4m3fn", "0x7")
    refused("odd number of hexadecimal digits", "show", "e4m3fn", "0x123")
    refused("is no code of e4m3fn, which has 8 bits", "show", "e4m3fn", "256")
    refused("is no code of e2m1fn, which has 4 bits", "show", "e2m1fn", "0x10")
    refused("is not a code", "show", "e4m3fn", "0xgg")
    refused("is not a code", "show", "e4m3fn", "99999999999999999999")
    refused(
        "bias 64 is refused: The bias is not one that this format can have",
        "show",
        "cfloat8_e4m3:64",
        "0",
    )
    refused("bias 'x' is not a whole number", "show", "cfloat8_e4m3:x", "0")
    refused("one format is needed", "table")
    refused("2^32 codes", "table", "float32")


def test_cast_refusals(tool):
    refused = tool.refused
    refused("name the format to convert to", "cast")
    refused("float64", "cast", "nope", "1")
    refused("'12x' is not a number", "cast", "e4m3fn", "12x", "1")
    refused("neither a number nor a file that can be read", "cast", "e4m3fn", "no/such/file")
    refused("holds no numbers", "cast", "e4m3fn")
    refused("line 2 has 1 numbers and the lines before it 2", "cast", "e4m3fn", stdin="1 2\n3\n")
    refused("line 3: 'three' is not a number", "cast", "e4m3fn", stdin="1\n2\nthree\n")
    refused("codes and values are mixed", "cast", "e4m3fn", "--from", "e5m2", "0x12", "1")
    refused("'0x12' is a code; name its format with --from", "cast", "e4m3fn", "0x12")
    refused(
        "one of e4m3fn has 2 hexadecimal digits", "cast", "float32", "--from", "e4m3fn", "0x7e0"
    )
    refused(
        "one of float16 has 4 hexadecimal digits", "cast", "float32", "--from", "float16", "0x7e"
    )
    refused("0xff is no code of e2m1fn", "cast", "float32", "--from", "e2m1fn", "0xff")
    refused("this is not text", "cast", "e4m3fn", stdin=b"1 2\x003\n")
    refused(
        "--scale is nan; a scale must be finite and greater than zero",
        "cast",
        "e4m3fn",
        "--scale",
        "nan",
        "1",
    )
    for scale in ["0", "-1", "inf", "1e39", "1e-60"]:
        refused(
            "a scale must be finite and greater than zero", "cast", "e4m3fn", "--scale", scale, "1"
        )
    refused("--scale 'x' is not a number", "cast", "e4m3fn", "--scale", "x", "1")
    refused("option --scale needs a value", "cast", "e4m3fn", "1", "--scale")
    refused("option --flags takes no value", "cast", "e4m3fn", "1", "--flags=1")
    refused(
        "rounding 'up' is unknown; choose from nearest-even",
        "cast",
        "e4m3fn",
        "--rounding",
        "up",
        "1",
    )
    refused("overflow mode 'wrap' is unknown", "cast", "e4m3fn", "--overflow", "wrap", "1")
    refused("takes no overflow mode but saturate", "cast", "qc_e4m3", "--overflow", "ieee", "1")
    refused(
        "is not a whole number in 1..24",
        "cast",
        "e4m3fn",
        "--rounding",
        "stochastic",
        "--random-bits",
        "25",
        "1",
    )
    refused("random-bits is 1..24 for stochastic", "cast", "e4m3fn", "--random-bits", "5", "1")
    refused(
        "seed 'x' is not a whole number",
        "cast",
        "e4m3fn",
        "--rounding",
        "stochastic",
        "--seed",
        "x",
        "1",
    )
    refused("give --codes or --values, not both", "cast", "e4m3fn", "--codes", "--values", "1")


def test_operand_refusals(tool, folder):
    refused = tool.refused
    ones = folder / "ones"
    ones.write_text("1 " * 131072)
    refused("the lengths disagree: A has 2 terms and B 1", "dot", "1,2", "1")
    refused("give both A and B, or neither", "dot", "1,2")
    refused("--acc has 2 values and must have one", "dot", "1,2", "1,2", "--acc", "1,2")
    for acc in ("fixed", "int32"):
        accumulator = ("--acc-format", acc, "--format", "int8", "1", "1", "--acc", "1")
        refused("accumulators cannot be loaded", "dot", *accumulator)
        refused("accumulators cannot be loaded", "gemm", *accumulator)
    refused("an operation and X are needed", "rows", "sum")
    refused("there is no operation 'mean'; choose from sum, sum-of-squares", "rows", "mean", "1,2")
    refused("--seen '3' is not a whole number in 1..2", "rows", "sum", "1,2", "--seen", "3")
    refused("--gamma has 1 values and must have 2", "rows", "rms-norm", "1,2", "--gamma", "1")
    refused("sum does not take one of these options", "rows", "sum", "1,2", "--gamma", "1,1")
    refused("argmax does not take one of these", "rows", "argmax", "1,2", "--d-format", "e5m2")
    refused("quantise-mx needs --scales FILE", "rows", "quantise-mx", "1")
    refused("quantise-mx needs --scales FILE", "rows", "quantise", "1", "--scales", "s")
    mx = ("rows", "quantise-mx", "1,2", "--scales", folder / "refused")
    to = ("--d-format", "e5m2")
    refused("quantise-mx does not take one of these options", *mx, *to, "--factor", "2")
    refused("quantise-mx does not take one of these options", *mx, *to, "--seen", "1")
    refused("quantise-mx does not take one of these options", *mx, *to, "--scale-d", "2")
    refused("format", *mx, "--d-format", "float16")
    refused("A scale is not finite and greater than zero", "rows", "rms-norm", "1", "--eps", "-1")
    refused("--acc is 1 x 2 and must be 1 x 1", "gemm", "1,2", "3,4", "--acc", "1,2")
    integers = ("--acc-format", "int32", "--format", "int8", ones, ones)
    for command in ("dot", "gemm"):
        refused("K is 131072, and int32 sums at most 131071 products", command, *integers)
        fixed = ("--acc-format", "fixed", "--guard-bits", "1", "1,1,1", "1,1,1")
        refused("K is 3, and fixed with 1 guard bits sums at most 2^1", command, *fixed)
    for name in ("e4m3", "e8m0fnu", "e8m13", "cfloat8_e4m3:9"):
        refused("D is " + name.split(":")[0], "gemm", "1", "1", "--d-format", name)
    for name in ("e8m13", "e6m9", "e4m3fn"):
        refused("C is " + name, "gemm", "1", "1", "--c", "1", "--c-format", name)
    refused("needs two lines", "dot", stdin="1 2\n")
    refused("more than two lines", "dot", stdin="1\n2\n3\n")


def test_accumulator_refusals(tool):
    refused = tool.refused
    refused("group '0x401' is not a whole number in 0..1024", "dot", "--group", "0x401", "1", "1")
    refused(
        "scale-exp-a '33' is not a whole number in -32..32", "dot", "--scale-exp-a", "33", "1", "1"
    )
    refused(
        "acc-format 'fp8' is unknown; choose from fp32, fp16",
        "dot",
        "--acc-format",
        "fp8",
        "1",
        "1",
    )
    refused(
        "1..64 each, or both 0",
        "dot",
        "--frac-bits",
        "9",
        "--acc-late",
        "--late-bits-sum",
        "9",
        "1",
        "1",
    )
    refused(
        "late-drop needs", "dot", "--frac-bits", "9", "--acc-late", "--late-drop", "9", "1", "1"
    )
    refused(
        "rounding 'odd' is unknown; choose from nearest-even",
        "cast",
        "e4m3fn",
        "--rounding",
        "odd",
        "1",
    )
    refused("need acc-late", "dot", "--frac-bits", "9", "--even-odd", "1", "1")
    refused("need frac-bits", "dot", "--min-exponent", "-9", "1", "1")
    refused(
        "random-bits is 1..24 for stochastic acc-rounding",
        "dot",
        "--acc-rounding",
        "stochastic",
        "1",
        "1",
    )
    refused("guard-bits is for the fixed accumulator alone", "dot", "--guard-bits", "3", "1", "1")
    refused("fixed takes group", "dot", "--acc-format", "fixed", "--flush", "1", "1")
    refused("need frac-bits", "dot", "--align-by", "operands", "1", "1")
    refused(
        "align-by 'sums' is unknown; choose from products, operands",
        "dot",
        "--align-by",
        "sums",
        "1",
        "1",
    )
    refused(
        "even-odd needs align-by products",
        "dot",
        "--frac-bits",
        "9",
        "--acc-late",
        "--even-odd",
        "--align-by",
        "operands",
        "1",
        "1",
    )


def test_static_and_preset_refusals(tool):
    refused = tool.refused
    static = "--acc-format", "fixed", "--frac-bits", "1", "--static-exponent", "0"
    refused("a product exceeds the static exponent", "dot", *static, "1,2", "1,1")
    refused("each output of a GEMM has its own static_exponent", "gemm", *static, "1", "1")
    refused(
        "static-exponent needs frac-bits",
        "dot",
        "--acc-format",
        "fixed",
        "--static-exponent",
        "1",
        "1",
        "1",
    )
    refused(
        "static-exponent is for the fixed accumulator alone",
        "dot",
        "--static-exponent",
        "1",
        "1",
        "1",
    )
    refused(
        "static-exponent '324' is not a whole number in -524..323",
        "dot",
        "--static-exponent",
        "324",
        "1",
        "1",
    )
    refused("fixed takes group", "dot", *static, "--align-by", "operands", "1", "1")
    refused("int32 takes two int8 operands", "dot", "--acc-format", "int32", "1", "1")
    refused("must have at most 8 bits", "dot", "--format", "float16", "1", "1")
    refused("multiples of group", "dot", "--group", "4", "--promote", "6", "1", "1")
    refused("cannot both be set", "dot", "--chunk", "4", "--promote", "4", "1", "1")
    refused("lscale is at most 15", "dot", "--acc-format", "fp16", "--lscale", "16", "1", "1")
    refused("nan-code is not a NaN", "dot", "--nan-code", "1", "1", "1")
    refused("preset 'volta' is unknown; choose from ieee-fma", "dot", "--preset", "volta", "1", "1")
    refused("preset gaudi2-fp8 has no configuration", "dot", "--preset", "gaudi2-fp8", "1", "1")
    refused(
        "K is 3, and fixed with 1 guard bits",
        "dot",
        "--acc-format",
        "fixed",
        "--guard-bits",
        "1",
        "1,1,1",
        "1,1,1",
    )
    refused("--mx-a has 2 scales; 3 terms need 1", "dot", "1,1,1", "1,1,1", "--mx-a", "1,2")
    refused("The accumulator is unknown", "dot", "--acc-format", "fixed", "--mx-a", "1", "1", "1")


def test_gemm_refusals(tool):
    refused = tool.refused
    refused("give both A and B, as in", "gemm", "1")
    refused("the shapes disagree: A is 1 x 2 and B 1 x 3", "gemm", "1,2", "1,2,3")
    refused(
        "--scale-a has 3 values and must have 1 or 2", "gemm", "1;2", "1;2", "--scale-a", "1,2,3"
    )
    refused("--scale-b is nan", "gemm", "1;2", "1;2", "--scale-b", "1,nan")
    refused("--scale-d is 0", "gemm", "1", "1", "--scale-d", "0")
    refused("--bias has 3 values and must have 1", "gemm", "1", "1", "--bias", "1,2,3")
    refused("--beta needs --c", "gemm", "1", "1", "--beta", "2")
    refused("C is 1 x 2 and must be 1 x 1", "gemm", "1", "1", "--c", "1,2")
    refused("C is e4m3fn and must be float16", "gemm", "1", "1", "--c", "1", "--c-format", "e4m3fn")
    refused("activation 'gelu' is unknown", "gemm", "1", "1", "--act", "gelu")
    refused("bounds are not finite and ordered", "gemm", "1", "1", "--act", "clamp:2,1")
    refused("--mx-a is 1 x 2 and must be 1 x 1", "gemm", "1", "1", "--mx-a", "1,2")


def test_refusals_of_names_and_files(tool, folder):
    refused = tool.refused
    refused("is not an option", "probe", "1")
    refused("preset 'x' is unknown", "presets", "x")
    refused("has fraction bits that its kind does not have", "presets", "late_fp16_f8")
    refused("a number of lanes that is not in 1..1024", "dot", "--preset", "exact_l2000", "1", "1")
    refused("format 'x' is unknown", "formats", "x")
    refused("cannot be written", "cast", "e4m3fn", "1", "-o", folder / "no" / "such", status=1)
    refused("this tool writes text", "cast", "e4m3fn", "1", "-o", folder / "x.npy")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool.path, "table", "e4m3fn"], stdout=full, stderr=subprocess.PIPE)
    tool.bench.check(
        "a full disk is status 1",
        (done.returncode, b"could not be written" in done.stderr),
        (1, True),
    )
