# SPDX-License-Identifier: Apache-2.0
"""The tool fp8mac: what it prints, every refusal and its status, arrays against NumPy and ml_dtypes, help and
manual."""

import subprocess

import ml_dtypes
import numpy as np
import pytest

COMMANDS = ["show", "table", "cast", "dot", "gemm", "rows", "cycles", "probe", "presets", "formats"]
FP8 = ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"]
ML_DTYPES = FP8 + ["e4m3", "e3m4", "e4m3b11fnuz", "e8m0fnu"]


class Tool:
    def __init__(self, path, bench):
        self.path, self.bench = path, bench

    def run(self, *arguments, stdin=b""):
        stdin = stdin.encode() if isinstance(stdin, str) else stdin
        return subprocess.run([self.path, *map(str, arguments)], input=stdin, capture_output=True)

    def output(self, name, want, *arguments, stdin=b"", err=""):
        done = self.run(*arguments, stdin=stdin)
        got = (done.returncode, done.stdout.decode(), done.stderr.decode())
        self.bench.check(name, got, (0, want, err), f"fp8mac {' '.join(map(str, arguments))}")

    def refused(self, sentence, *arguments, stdin=b"", status=2):
        """One line on standard error that contains `sentence`, nothing on standard output."""
        done = self.run(*arguments, stdin=stdin)
        text = done.stderr.decode(errors="replace")
        got = (
            done.returncode,
            done.stdout,
            text.count("\n"),
            text.startswith("fp8mac"),
            sentence in text,
        )
        self.bench.check(
            "refusals: status, one sentence, no output",
            got,
            (status, b"", 1, True, True),
            f"fp8mac {' '.join(map(str, arguments))[:80]} said {text.strip()!r}, wanted {sentence!r}",
        )

    def rows(self, *arguments, stdin=b""):
        """What is printed, as a matrix."""
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return np.array([[float(x) for x in line.split()] for line in done.stdout.splitlines()])


@pytest.fixture
def tool(bench, build):
    """The one with the sanitizers."""
    return Tool((build / "model-san" / "fp8mac").resolve(), bench)


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


def test_refusals(tool, folder):
    refused = tool.refused
    ones = folder / "ones"
    ones.write_text("1 " * 131072)
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
