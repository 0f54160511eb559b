# SPDX-License-Identifier: Apache-2.0
"""The tool fp8mac: what it prints, arrays against NumPy and ml_dtypes, help and manual. test_cli_refusals.py has the refusals."""

import subprocess

import ml_dtypes
import numpy as np
import pytest
from tool import COMMANDS, Tool, tool

__all__ = ["tool"]

FP8 = ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"]
ML_DTYPES = FP8 + ["e4m3", "e3m4", "e4m3b11fnuz", "e8m0fnu"]


@pytest.fixture
def fast_tool(bench, build):
    """The one that is installed, for commands of many steps."""
    return Tool((build / "model" / "fp8mac").resolve(), bench)


@pytest.fixture
def page(build):
    return (build / "model" / "fp8mac.1").read_bytes()


@pytest.fixture(autouse=True)
def quiet():
    """NaN, Inf and overflow are among the values."""
    with np.errstate(all="ignore"):
        yield


def text_of(matrix):
    """A line for each row: values, or codes of uint8."""
    show = "0x{:02x}".format if matrix.dtype == np.uint8 else repr
    return "\n".join(" ".join(map(show, row)) for row in matrix.tolist())


def test_golden(tool):
    tool.output(
        "golden: show",
        """format       e4m3fn
code         0x7e
bits         0.1111.110
class        finite
sign         +
exponent     8
significand  14 * 2^5
value        448
             0x1.cp+8
""",
        "show",
        "e4m3fn",
        "0x7e",
    )
    tool.output(
        "golden: show",
        """format       e5m2fnuz
code         0x80
bits         1.00000.00
class        nan
sign         -
value        -nan

format       e5m2fnuz
code         0x01
bits         0.00000.01
class        subnormal finite
sign         +
exponent     -15
significand  1 * 2^-17
value        0.00000762939453125
             0x1p-17
""",
        "show",
        "e5m2fnuz",
        "0x80",
        "1",
    )
    tool.output(
        "golden: table",
        """0x00  0.00.0  0
0x01  0.00.1  0.5
0x02  0.01.0  1
0x03  0.01.1  1.5
0x04  0.10.0  2
0x05  0.10.1  3
0x06  0.11.0  4
0x07  0.11.1  6
0x08  1.00.0  -0
0x09  1.00.1  -0.5
0x0a  1.01.0  -1
0x0b  1.01.1  -1.5
0x0c  1.10.0  -2
0x0d  1.10.1  -3
0x0e  1.11.0  -4
0x0f  1.11.1  -6
""",
        "table",
        "e2m1fn",
    )


def test_golden_cast(tool):
    tool.output("golden: cast", "0x7e 0x2a 0xfe\n", "cast", "e4m3fn", "448", "0.3", "-inf")
    tool.output("golden: cast", "0x7e\n", "cast", "e4m3fn", "464")
    tool.output("golden: cast", "0x7f\n", "cast", "e4m3fn", "464.00000001", "--overflow", "ieee")
    tool.output(
        "golden: cast", "448 0.001953125 1\n", "cast", "float32", "--from", "e4m3fn", "0x7e0138"
    )
    tool.output(
        "golden: cast",
        "0.09375 0.1875\n0.3125 0.375\n",
        "cast",
        "e5m2",
        "--values",
        stdin="0.1 0.2 # two\n\n0.3, 0.4\n",
    )
    tool.output(
        "golden: cast", "0x7e\n", "cast", "e4m3fn", "1e9", "--flags", err="flags: saturated\n"
    )
    tool.output(
        "golden: cast",
        "0x08 0x78 0x7e\n",
        "cast",
        "e4m3fn",
        "--scale",
        "64",
        "0.000244140625",
        "4",
        "7",
    )
    tool.output("golden: cast", "0.10000000000000001\n", "cast", "float64", "0.1")
    tool.output("golden: cast", "0x3dcccccd\n", "cast", "float32", "0.1", "--codes")


def test_golden_dot(tool):
    tool.output("golden: dot", "-11\n", "dot", "1,2,3", "0.5,0.25,-4")
    tool.output(
        "golden: dot",
        "0x40a00000\n",
        "dot",
        "--acc-format",
        "fp16",
        "--codes",
        stdin="0x3840\n1 2\n",
    )
    tool.output(
        "golden: dot",
        "1252\n",
        "dot",
        "--format",
        "e5m2fnuz",
        stdin="0 1 2 3 4 5 6 7 8 8 10 12 12 12 14 16\n" * 2,
    )
    both, exact = "flags: inexact underflow\n", "flags: none\n"
    inexact = ("cast", "e4m3fn", "--inexact-flags")
    tool.output("golden: cast", "0x00\n", *inexact, "1e-5", err=both)
    tool.output("golden: cast", "0x38\n", *inexact, "1", err=exact)
    # 2048 + 1 is a tie in float16; 2048 + 2 is exact.
    accumulator = ("--acc-format", "fp16", "--acc", "2048", "--inexact-flags")
    tool.output("golden: dot", "2048\n", "dot", "1", "1", *accumulator, err="flags: inexact\n")
    tool.output("golden: dot", "2050\n", "dot", "2", "1", *accumulator, err=exact)
    code = ("--acc-format", "fp16", "--acc", "0x6800")
    tool.output("golden: dot", "2050\n", "dot", "2", "1", *code)
    tool.output(
        "golden: gemm", "2048\n", "gemm", "1", "1", *accumulator, err="flags: inexact\namax: 2048\n"
    )
    tool.output("golden: dot", "nan\n", "dot", "nan", "1", "--flags", err="flags: nan\n")
    tool.output("golden: dot", "4\n", "dot", "1,1", "1,1", "--mx-a", "0x80", "--mx-b", "0x7f")


def test_golden_gemm(tool):
    tool.output(
        "golden: gemm",
        "11 22\n13 24\n",
        "gemm",
        "1,2;3,4",
        "1,0;0,1",
        "--bias",
        "10,20",
        "--act",
        "relu",
    )
    tool.output("golden: gemm", "0 0\n0 0\n", "gemm", "1,2;3,4", "-1,0;0,-1", "--act", "relu")
    tool.output("golden: gemm", "1 3\n2 4\n", "gemm", "1,0;0,1", "1,2;3,4")
    tool.output("golden: gemm", "1 2\n3 4\n", "gemm", "1,0;0,1", "1,2;3,4", "--b-kn")
    tool.output(
        "golden: gemm",
        "0x30 0x3c\n",
        "gemm",
        "1",
        "1;3",
        "--d-format",
        "e4m3fn",
        "--scale-d",
        "0.5",
        "--flags",
        err="flags: none\namax: 3\n",
    )


def test_golden_alignment(tool):
    static = "dot", "--acc-format", "fixed", "--frac-bits", "1", "--static-exponent", "0"
    tool.output("golden: dot, static", "3\n", *static, "1.75", "1.75")
    tool.output(
        "golden: dot, static", "-2.5\n", *static, "--group", "2", "-1.75,1,0.25", "1.75,0.5,1"
    )
    for align_by, want in ("products", "7.62939453e-05\n"), ("operands", "8.01086426e-05\n"):
        tool.output(
            "golden: dot, align-by",
            want,
            "dot",
            "--frac-bits",
            "4",
            "--align-by",
            align_by,
            "0x03",
            "0x07",
        )
    tool.output(
        "golden: gemm",
        "3 5\n",
        "gemm",
        "1",
        "1;2",
        "--c",
        "1,1",
        "--beta",
        "2",
        "--scale-b",
        "1,1.5",
    )


def kept_bits(tool, *arguments):
    lines = tool.run("probe", *arguments).stdout.decode().splitlines()
    return {line[:30].strip(): line[30:].strip() for line in lines[2:]}


def test_probe(fast_tool):
    """What the published experiments say: H100 keeps 14 bits of a product's significand, and rounds toward zero."""
    check = fast_tool.bench.check
    hopper = kept_bits(fast_tool, "--preset", "hopper-fp8")
    check("probe", hopper["within a step"], "k <= 13: 14 bits")
    check("probe", hopper["one term a step"], "k <= 13: 14 bits")
    check("probe", hopper["a lost bit is rounded"], "toward zero")
    check(
        "probe",
        kept_bits(fast_tool, "--preset", "blackwell-fp8", "--format", "e5m2")["within a step"],
        "k <= 25: 26 bits",
    )
    fma = kept_bits(fast_tool)
    check("probe", fma["one term a step"], "k <= 23: 24 bits")
    check("probe", fma["a lost bit is rounded"], "to nearest, ties to even")
    half = kept_bits(fast_tool, "--acc-format", "fp16", "--group", "4")
    check("probe", half["one term a step"], "k <= 10: 11 bits")
    check("probe", half["sum of 65536 ones, a step each"], "2048")
    check("probe", half["within a step"].startswith("every k"), True)
    check(
        "probe",
        kept_bits(fast_tool, "--acc-format", "e6m9")["sum of 65536 ones, a step each"],
        "1024",
    )
    check(
        "probe",
        kept_bits(fast_tool, "--preset", "ibm-chunk")["sum of 65536 ones, a step each"],
        "65536",
    )
    check(
        "probe",
        kept_bits(fast_tool, "--preset", "kulisch")["one term a step"].startswith("every k"),
        True,
    )
    static = kept_bits(
        fast_tool,
        "--acc-format",
        "fixed",
        "--frac-bits",
        "9",
        "--static-exponent",
        "3",
        "--group",
        "4",
    )
    check("probe", static["one term a step"], "k <= 9: 10 bits")
    check(
        "probe",
        (static["within a step"], static["a lost bit is rounded"]),
        ("k <= 9: 10 bits", "toward zero"),
    )
    check("probe", static["sum of 65536 ones, a step each"], "65536")
    below_one = kept_bits(
        fast_tool, "--acc-format", "fixed", "--frac-bits", "5", "--static-exponent", "-3"
    )
    check("probe", (below_one["one term a step"], len(below_one)), ("k <= 5: 6 bits", 3))
    odd = kept_bits(fast_tool, "--preset", "riscv-fqbdot8f")
    check(
        "probe",
        (odd["one term a step"], odd["a lost bit is rounded"]),
        ("k <= 23: 24 bits", "to odd"),
    )
    for bits in (1, 2, 12, 23, 24, 32, 33):
        got = kept_bits(fast_tool, "--group", "3", "--frac-bits", bits)["within a step"]
        check("probe: within a step shows frac-bits", got, f"k <= {bits}: {bits + 1} bits")


def test_tables(tool):
    for name in ML_DTYPES:
        dtype = np.dtype(getattr(ml_dtypes, f"float8_{name}"))
        lines = tool.run("table", name).stdout.decode().splitlines()
        values = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float64)
        for code, (line, want) in enumerate(zip(lines, values, strict=True)):
            number, _, value = line.split()
            same = (float(value) == want and str(float(value)) == str(want)) or (
                np.isnan(want) and "nan" in value
            )
            tool.bench.check(
                "table: every code's value, against ml_dtypes",
                (int(number, 16), same),
                (code, True),
            )
    names = tool.run("formats").stdout.decode()
    presets = tool.run("presets").stdout.decode()
    for name in ML_DTYPES + ["float16", "int8", "mxint8", "qc_e2m5", "e8m13"]:
        tool.bench.check("formats lists every format", f"\n{name} " in names, True, name)
    for name in [
        "ieee-fma",
        "hopper-fp8",
        "ada-fp8",
        "blackwell-fp8",
        "cdna3-fp8",
        "arm-fdot2",
        "arm-fdot4",
        "ibm-chunk",
        "gaudi2-fp8",
        "hopper-mma-fp8-fp16",
        "blackwell-mma-fp8",
        "riscv-fqbdot8f",
        "exact",
        "aligned_fp32",
        "aligned_fp16",
        "late_fp32",
        "late_fp16",
        "kulisch",
        "static",
        "int8",
        "block",
        "late",
        "aligned",
        "block64",
        "block64_fp32",
    ]:
        tool.bench.check("presets lists every preset", f"\n{name}\n" in "\n" + presets, True, name)
        done = tool.run("presets", name)
        tool.bench.check(
            "presets NAME", (done.returncode, done.stdout.decode() in presets), (0, True), name
        )
    done = tool.run("presets", "late_fp16_f9_l2").stdout.decode()
    tool.bench.check("presets KIND_fF_lL", "group=2 frac-bits=9 " in done, True, done)


def test_files(tool, rng, folder):
    """Matrices from files and standard input, to files and standard output."""
    arrays = tool.bench.arrays
    values = rng.normal(0, 30, (5, 7)).astype(np.float32)
    values.flat[:4] = [np.nan, np.inf, -np.inf, -0.0]
    for name in FP8:
        dtype = getattr(ml_dtypes, f"float8_{name}")
        for kind in (np.float16, np.float32, np.float64):
            source, target = folder / f"{np.dtype(kind).name}.txt", folder / "out.txt"
            source.write_text(text_of(values.astype(kind)))
            # ml_dtypes overflows as `ieee` does; its float64 casts go through float32, so values are float32's
            done = tool.run("cast", name, source, "--overflow", "ieee", "-o", target)
            assert done.returncode == 0, done.stderr
            want = values.astype(kind).astype(np.float32).astype(dtype)
            lines = target.read_text().splitlines()
            got = np.array([[int(x, 16) for x in line.split()] for line in lines])
            arrays("files: cast against ml_dtypes", got, want.view(np.uint8))
            back = tool.rows("cast", "float32", "--from", name, target).astype(np.float32)
            arrays(
                "files: decoded values",
                back.view(np.uint32) & 0x7FFFFFFF,
                want.astype(np.float32).view(np.uint32) & 0x7FFFFFFF,
            )
            wide = tool.rows("cast", "float64", "--from", name, "-", stdin=target.read_bytes())
            arrays("files: to float64", np.nan_to_num(wide), np.nan_to_num(want.astype(np.float64)))
    a, b = (rng.integers(-8, 9, shape).astype(np.float32) for shape in ((6, 40), (9, 40)))
    start = rng.integers(-99, 99, (6, 9)).astype(np.float32)
    files = {"a": a.astype(ml_dtypes.float8_e4m3fn).view(np.uint8), "b": b, "start": start}
    for name, matrix in (files | {"row": b[:1]}).items():
        (folder / name).write_text(text_of(matrix))
    operands = folder / "a", folder / "b"
    for acc in ["fp32", "fixed"]:
        arrays(
            "files: gemm against NumPy", tool.rows("gemm", *operands, "--acc-format", acc), a @ b.T
        )
    d = tool.rows("gemm", *operands, "--d-format", "float16")
    arrays("files: gemm against NumPy", d, (a @ b.T).astype(np.float16))
    d = tool.rows("gemm", *operands, "--acc", folder / "start")
    arrays("files: gemm from accumulators", d, start + a @ b.T)
    tool.output("files: dot", f"{int(b[0] @ b[0])}\n", "dot", folder / "row", folder / "row")


def test_text(tool, rng):
    """Text in and out carries every value."""
    x = rng.integers(0, 2**32, 4000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = x[np.isfinite(x)]
    printed = (
        tool.run("cast", "float32", stdin=" ".join(repr(float(v)) for v in x))
        .stdout.decode()
        .split()
    )
    tool.bench.arrays(
        "text: float32 there and back", np.array([float(v) for v in printed], np.float32), x
    )
    y = x.astype(np.float64) * (1 + 2.0**-40)
    printed = (
        tool.run("cast", "float64", stdin="\n".join(map(repr, y.tolist()))).stdout.decode().split()
    )
    tool.bench.arrays("text: float64 there and back", np.array([float(v) for v in printed]), y)
    codes = rng.integers(0, 256, 500)
    text = "".join(f"{code:02x}" for code in codes)
    printed = (
        tool.run("cast", "e5m2", "--from", "e5m2", "--overflow", "ieee", "0x" + text)
        .stdout.decode()
        .split()
    )
    wanted = [
        (code & 0x80) | 0x7E if code & 0x7C == 0x7C and code & 3 else code
        for code in codes.tolist()
    ]
    tool.bench.check("text: codes there and back", printed, [f"0x{code:02x}" for code in wanted])


def test_rows(tool, folder):
    def golden(printed, *arguments, err=""):
        tool.output("golden: rows", printed, "rows", *arguments, err=err)

    golden("6\n15\n", "sum", "1,2,3;4,5,6")
    golden("7\n", "sum-of-squares", "1,2,3", "--factor", "0.5")
    golden("3\n0\n", "maximum", "1,3,2;-4,-5,-6", "--act", "relu")
    golden("1\n2\n", "argmax", "1,7,7;-3,-5,-2")
    golden("1 0\n0.5 0.5\n", "softmax", "3,9;2,2", "--seen", "1", "--causal")
    golden("3\n2\n", "magnitude", "1,-3;2,2")
    golden("112 -448\n448 448\n", "quantise", "1,-4;2,2", "--scale-d", "448")
    golden("0.25 0.25 0.25 0.25\n", "softmax", "5,5,5,5", "--factor", "2")
    golden("1 -1\n", "layer-norm", "7,5", "--eps", "0")
    golden("3 -2\n", "layer-norm", "7,5", "--eps", "0", "--gamma", "2,3", "--beta", "1,1")
    golden(
        "0x38 0xb8\n", "rms-norm", "1,-1", "--eps", "3", "--scale-d", "2", "--d-format", "e4m3fn"
    )
    golden("0.5\n", "sum", "0x2828", "--x-format", "e4m3fn")
    golden("448\n", "maximum", "448,9", "--flags", err="flags: none\namax: 448\n")
    scales = folder / "scales"
    mx = ("quantise-mx", "--d-format", "e4m3fn", "--scales", scales)
    golden("0x7e 0x00\n0x00 0x00\n", *mx, "896,0;0,0")
    tool.bench.check("rows: MX scales", scales.read_text(), "0x80\n0x00\n")
    golden("0x7e\n", *mx, "896")
    tool.output("rows: gemm takes MX scales", "896\n", "gemm", "0x7e", "1", "--mx-a", scales)


def test_help(tool, page):
    whole = tool.run("--help")
    for command in COMMANDS:
        first = tool.run(command, "--help")
        tool.bench.check("help", (first.returncode, first.stderr), (0, b""), command)
        tool.bench.check(
            "help: has a usage and examples",
            (b"Usage: fp8mac" in first.stdout, b"Examples:\n  " in first.stdout),
            (True, True),
            command,
        )
        tool.bench.check("help: two ways", tool.run("help", command).stdout, first.stdout)
        tool.bench.check(
            "help: the tool's lists it", f"  {command} ".encode() in whole.stdout, True
        )
        text = first.stdout.decode()
        for line in text.split("Examples:\n")[1].splitlines():
            if ".txt" not in line:
                done = subprocess.run(
                    ["sh", "-c", line.replace("fp8mac ", f"{tool.path} ")], capture_output=True
                )
                tool.bench.check(
                    "help: examples work", (done.returncode, done.stderr), (0, b""), line
                )
        manual = (
            page.decode()
            .replace("\\-", "-")
            .replace("\\(aq", "'")
            .replace("\\(ha", "^")
            .replace("\\e", "\\")
        )
        body = text.split("\n\n")[2].splitlines()
        tool.bench.check(
            "manual: same text as the help", all(line in manual for line in body), True, command
        )
        options = {
            word.strip(",") for word in text.split() if word.startswith("--") and len(word) > 2
        }
        for option in sorted(options - {"--help"}):
            name = option.split("=")[0].strip("'.;)(")
            done = tool.run(command, name, stdin="1\n1\n")
            tool.bench.check(
                "help: every option that it names exists",
                b"there is no option" in done.stderr,
                False,
                f"{command} {name}",
            )
    tool.bench.check("version", tool.run("--version").stdout.startswith(b"fp8mac 0."), True)
    tool.bench.check("manual", page.startswith(b".TH FP8MAC 1"), True)
