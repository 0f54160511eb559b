# SPDX-License-Identifier: Apache-2.0
"""`fp8mac cycles`: the counters that the simulated chip had for its throughput list, lists of layers, and every refusal."""

import csv
import io
import json
import re
import subprocess
from pathlib import Path

import pytest

RESULTS = Path(__file__).resolve().parents[2] / "sim" / "bench" / "results.json"
COUNTERS = ["compute", "results", "spacing", "first_load", "load", "command", "store"]
BEATS = ["read_beats", "write_beats"]
DRIVER_IDLE = "idle"  # of the chip's cycles: the core writes the doorbell, and sees the end


class Tool:
    def __init__(self, path, bench):
        self.path, self.bench = path, bench

    def run(self, *arguments, stdin=""):
        return subprocess.run(
            [self.path, "cycles", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
        )

    def one(self, *arguments):
        """The numbers of one GEMM by their names."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        lines = re.findall(r"^([a-z ]+?) +([\d.]+)", done.stdout, re.M)
        return {name.replace(" ", "_"): float(value) for name, value in lines}

    def table(self, text, *arguments):
        done = self.run("-", *arguments, stdin=text)
        assert done.returncode == 0, done.stderr
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def refused(self, sentence, *arguments, stdin=""):
        done = self.run(*arguments, stdin=stdin)
        got = (done.returncode, done.stdout, done.stderr.count("\n"), sentence in done.stderr)
        self.bench.check("refusals", got, (2, "", 1, True), f"{arguments}: {done.stderr.strip()!r}")


@pytest.fixture
def tool(bench, build):
    """The one with the sanitizers."""
    return Tool((build / "model-san" / "fp8mac").resolve(), bench)


@pytest.fixture
def fast_tool(bench, build):
    return Tool((build / "model" / "fp8mac").resolve(), bench)


def gemms():
    """The GEMMs of the throughput list, with what the chip counted for them."""
    for command, row in json.loads(RESULTS.read_text())["rows"].items():
        options = dict(re.findall(r"(\w+)=(\w+)", command))
        if options.get("APP") == "gemm":
            yield options, row


def test_throughput_list(bench, fast_tool):
    count = 0
    for options, want in gemms():
        got = fast_tool.one(
            *("--m", options["M"], "--n", options["N"], "--k", options["K"]),
            *("--d-format", options["D"], "--element", options.get("ELEMENT", "block")),
        )
        names = [name for name in COUNTERS + BEATS if name in want]
        bench.check(
            "counters of the chip",
            [got[name] for name in names],
            [want[name] for name in names],
            options,
        )
        bench.check(
            "cycles of the chip", got["cycles"], want["cycles"] - want[DRIVER_IDLE], options
        )
        count += 1
    bench.check("GEMMs", count > 40, True, count)


def test_lists(bench, tool):
    one = tool.one("--m", 64, "--n", 48, "--k", 80)
    table = tool.table(
        "k, layer ,N,m,count,format_d\n\n# a comment\n80,a b,48,64,7,e4m3fn\n80,,48,64,1,float32\n"
    )
    bench.check("lines", [(x["layer"], x["count"]) for x in table], [("a b", "7"), ("", "1")], "")
    for name in ["cycles", *COUNTERS]:
        bench.check("a line is a GEMM", float(table[0][name]), one[name], name)
    bench.check("bytes", int(table[0]["bytes_read"]), 16 * one["read_beats"], "")
    bench.check("wider D", int(table[1]["bytes_written"]), 4 * int(table[0]["bytes_written"]), "")
    wide = tool.one("--m", 64, "--n", 48, "--k", 80, "--axi", 256, "--rows", 8, "--cols", 8)
    again = tool.table("m,n,k\n64,48,80\n", "--axi", "256", "--rows", "8", "--cols", "8")
    bench.check("a configuration", float(again[0]["cycles"]), wide["cycles"], "")
    bench.check("another one", wide["cycles"] < one["cycles"], True, (wide, one))
    late = tool.one("--m", 64, "--n", 48, "--k", 80, "--latency", 50)
    bench.check("a late memory", late["cycles"] > one["cycles"] + 50, True, (late, one))


def test_topologies(bench, tool):
    """SCALE-Sim's: ResNet-18's second layer has 56 x 56 outputs of 3 x 3 x 64 products."""
    gemm = tool.table("Layer, M, N, K,\nfc, 10, 20, 30,\n")
    bench.check(
        "a GEMM", [gemm[0][x] for x in ("layer", "m", "n", "k")], ["fc", "10", "20", "30"], ""
    )
    names = "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,"
    conv = tool.table(
        f"{names}\nConv2, 58, 58, 3, 3, 64, 64, 1,\nConv1, 224, 224, 7, 7, 3, 64, 2,\n"
    )
    sizes = [[int(x[name]) for name in ("m", "n", "k")] for x in conv]
    bench.check("convolutions", sizes, [[3136, 64, 576], [109 * 109, 64, 147]], "")
    deep = tool.table(f"\ufeff{names}\nConv2 DP, 114, 114, 3, 3, 32, 32, 1,\n")[0]
    got = [int(deep[name]) for name in ("m", "n", "k", "count")]
    bench.check("a depthwise layer, behind a byte order mark", got, [112 * 112, 32, 9, 1], "")
    # A channel is a byte of D, so 16 of 32 are a beat: two commands write all 4 x 4 pixels
    join = tool.table(f"{names}\nx DP, 6, 6, 3, 3, 32, 32, 1,\n")[0]
    bench.check("groups of whole beats", int(join["bytes_written"]), 16 * 2 * 16, join)

    twice = names.replace("IFMAP Width", "IFMAP Height").replace("Strides,", "Strides, Comment")
    odd = tool.table(f"{twice}\nConv2, 58, 57, 3, 3, 64, 64, 1, third, of four\n")[0]
    bench.check("a name twice, and comments", [odd["m"], odd["k"]], [str(56 * 55), "576"], "")


CONVOLUTIONS = (
    "layer,ifmap height,ifmap width,filter height,filter width,channels,num filter,stride_y,stride_x,dilation_y,"
    "dilation_x,pad_y,pad_x,pixel_bytes"
)
# The layers of the application convolution, by their names there
LAYERS = {
    "28 x 28 x 8 to 16, 3 x 3": "28,28,3,3,8,16,1,1,1,1,1,1,8",
    "14 x 56 x 64 to 64, 3 x 3": "14,56,3,3,64,64,1,1,1,1,1,1,64",
    "13 x 11 x 5 to 9, 3 x 2, stride 2, dilation 2": "13,11,3,2,5,9,2,2,2,2,2,1,5",
    "20 x 20 x 16 to 24, 1 x 1, stride 2": "20,20,1,1,16,24,2,2,1,1,0,0,16",
    "200 samples x 3 to 10, 7, stride 2": "1,200,1,7,3,10,1,2,1,1,0,3,3",
    "10 x 10, 4 of 12 channels, to 8, 3 x 3": "10,10,3,3,4,8,1,1,1,1,0,0,12",
}


def test_convolutions_of_the_chip(bench, fast_tool):
    """Cycles and read beats that the simulated chip had. Rows take turns from layer to layer, so one list has all.

    Bursts end at pages, and the chip's weights begin within one. So cycles may differ, by one in 1,000 at most.
    """
    rows = json.loads(RESULTS.read_text())["rows"]
    found = {name: rows[f"make run APP=convolution: {name}"] for name in LAYERS}
    lines = [f"{i},{LAYERS[name]}" for i, name in enumerate(found)]
    table = fast_tool.table("\n".join([CONVOLUTIONS, *lines, ""]))
    for got, (name, want) in zip(table, found.items(), strict=True):
        cycles, beats = int(got["cycles"]), int(got["bytes_read"]) // 16
        near = abs(cycles - want["cycles"]) * 1000 <= want["cycles"]
        text = f"{name}: {cycles} cycles"
        bench.check("convolutions of the chip", [near, beats], [True, want["beats"]], text)


def test_convolutions(bench, tool):
    """What a list adds to one command: images, groups, GEMMs beside them."""
    head = f"{CONVOLUTIONS},images,groups,m,n,k\n"
    lines = {
        "one": ",9,8,3,3,32,32,1,1,1,1,1,1,,,,,,\n",
        "images": ",9,8,3,3,32,32,1,1,1,1,1,1,,3,,,,\n",
        "groups": ",9,8,3,3,32,32,1,1,1,1,1,1,,,2,,,\n",
        "half": ",9,8,3,3,16,16,1,1,1,1,1,1,32,,,,,\n",
        "point": ",9,8,1,1,32,32,1,1,1,1,0,0,,3,,,,\n",
        "gemm": ",,,,,,,,,,,,,,,,216,32,32\n",
    }
    got = dict(zip(lines, tool.table(head + "".join(lines.values())), strict=True))
    number = lambda name, column: int(got[name][column])
    sizes = lambda name: [number(name, x) for x in ("m", "n", "k")]
    bench.check("an image", sizes("one"), [72, 32, 288], "")
    bench.check("three images", sizes("images"), [216, 32, 288], "")
    bench.check("two groups", sizes("groups"), [72, 32, 144], "")
    for name, times, of in (("images", 3, "one"), ("groups", 2, "half")):
        for column in ("compute", "bytes_written"):
            want = times * number(of, column)
            bench.check(f"{name}: {column}", number(name, column), want, got[name])
        close = times * number(of, "cycles")
        bench.check(f"{name}: cycles", abs(number(name, "cycles") - close) < 50, True, got[name])
    for column in ("cycles", "bytes_read", "m", "n", "k", "roofline"):
        bench.check("pixels are rows of a GEMM", got["point"][column], got["gemm"][column], column)
    names = "ifmap height,ifmap width,filter height,filter width,channels,num filter,strides"
    residual = tool.table(f"{names},format_c\n5,5,3,3,16,16,1,\n5,5,3,3,16,16,1,float32\n")
    added = int(residual[1]["bytes_read"]) - int(residual[0]["bytes_read"])
    bench.check("C is read", added, 9 * 16 * 4, residual)


def test_pixels_are_shared(bench, fast_tool):
    """Rows of an output line share the reads of a pixel, and a late memory costs an image little."""
    names = "ifmap height,ifmap width,filter height,filter width,channels,num filter,groups,pad_y,pad_x\n"
    layer = names + "28,28,3,3,16,16,16,1,1\n"
    near, far = (fast_tool.table(layer, "--latency", late)[0] for late in (0, 20))
    # A pair of output lines reads four lines, those at the edges three: once, but for the first rows of loads
    pixels = 28 * (12 * 4 + 2 * 3)
    beats = int(near["bytes_read"]) / 16
    bench.check("a pixel once for a line", pixels < beats < 1.2 * pixels, True, near)
    bench.check("a late memory", int(far["cycles"]) < 1.20 * int(near["cycles"]), True, (near, far))


def test_formats(bench, tool):
    """C and MX scales are bytes more of what is read: a row is whole beats of 16, and the descriptor has 60 bytes more."""
    head = "m,n,k,format_a,format_b,format_c,format_d,mx\n"
    plain, other, added, scaled = tool.table(
        head
        + "16,16,32,e4m3fn,e4m3fn,,e4m3fn,0\n16,16,32,e5m2,e2m1fn,,e4m3fn,0\n"
        + "16,16,32,e4m3fn,e4m3fn,float32,e4m3fn,0\n16,16,32,e4m3fn,e4m3fn,,e4m3fn,1\n"
    )
    more = lambda line: (int(line["bytes_read"]) - int(plain["bytes_read"])) // 16
    extension = -(-140 // 16) - -(-80 // 16)
    same = [x for x in plain if not x.startswith("format")]
    bench.check("formats of A and B", [other[x] for x in same], [plain[x] for x in same], "")
    shown = [[x[f"format_{y}"] for y in "abdc"] + [x["mx"]] for x in (other, added, scaled)]
    want = [["e5m2", "e2m1fn", "e4m3fn", "", "0"], ["e4m3fn"] * 3 + ["float32", "0"]]
    bench.check("formats are in the output", shown, [*want, ["e4m3fn"] * 3 + ["", "1"]], "")
    bench.check("beats of C", more(added), extension + 16 * 64 // 16, added)
    bench.check("beats of scales", more(scaled), extension + 16 + 16, scaled)
    bench.check("C takes time", int(added["cycles"]) > int(plain["cycles"]), True, added)
    # The roofline of 2 x 2 x 32 is what is read: A and B, C of four bytes, and one scale a row
    shares = tool.table(
        head
        + "2,2,32,e4m3fn,e4m3fn,,e4m3fn,0\n2,2,32,e4m3fn,e4m3fn,float32,e4m3fn,0\n"
        + "2,2,32,e4m3fn,e4m3fn,,e4m3fn,1\n"
    )
    for line, bytes_read in zip(shares, (128, 128 + 16, 128 + 4)):
        want = f"{bytes_read / 16 / int(line['cycles']):.4f}"
        bench.check("bytes of the roofline", line["roofline"], want, line)
    int8 = tool.table("m,n,k\n16,16,32\n", "--element", "int8")[0]
    named = tool.table(head + "16,16,32,int8,int8,,e4m3fn,0\n", "--element", "int8")[0]
    bench.check("INT8", named["cycles"], int8["cycles"], "")


def test_bus(bench, tool, tmp_path):
    """The whole file of a GEMM of one tile, by its counts; sim-bus compares each line with the chip."""
    path = tmp_path / "bus.csv"
    one = tool.one("--m", 20, "--n", 12, "--k", 40, "--bus", path, "--start", 1000, "--d", 0x50000)
    lines = list(csv.DictReader(io.StringIO(path.read_text())))
    channels = [x["channel"] for x in lines]
    bench.check("read beats", channels.count("r"), one["read_beats"], "")
    bench.check("write beats", channels.count("w"), one["write_beats"], "")
    first = [lines[0][name] for name in ("cycle", "channel", "bytes")]
    bench.check("the descriptor", first, ["1003", "ar", "80"], "")
    written = [x for x in lines if x["channel"] == "aw"]
    bench.check("D", [x["address"] for x in written[:2]], ["0x00050000", "0x00050010"], "")
    bench.check("bytes of D", sum(int(x["bytes"]) for x in lines if x["channel"] == "w"), 240, "")
    stalled = tool.one("--m", 20, "--n", 12, "--k", 40, "--stall", 500)
    bench.check("stalls", stalled["cycles"] > one["cycles"], True, (stalled, one))
    for option in ("--bus", "--timeline"):
        for file, text in (("/dev/full", "could not be"), (tmp_path / "no/x", "cannot be written")):
            bad = tool.run("--m", 8, "--n", 8, "--k", 8, option, file)
            bench.check(f"{option} {file}", (bad.returncode, text in bad.stderr), (1, True), "")


def test_timeline(bench, tool, tmp_path):
    """Of a list: each command has the name of its layer and waits for the one before. sim-bus compares a GEMM's."""
    path = tmp_path / "list.json"
    layers = 'layer,m,n,k\nfirst,40,16,32\n"a ""b""",16,16,300\nlast,8,8,8\n'
    done = tool.run("-", "--list", "--timeline", path, stdin=layers)
    cycles = int(re.search(r"cycles +(\d+)", done.stdout)[1])
    events = json.loads(path.read_text())["traceEvents"]
    names = ["command first", 'command a "b"', "command last"]
    for phase in "be":
        got = [e["name"] for e in events if e["ph"] == phase]
        bench.check(f"names, {phase}", got, names, "")
    ends = {e["name"]: e["ts"] for e in events if e["ph"] == "e"}
    loads = {e["name"]: e["ts"] for e in events if e["name"].startswith("load")}
    bench.check("the second waits", loads['load a "b"'] > ends["command first"], True, events)
    bench.check("the end", cycles - 4 <= ends["command last"] <= cycles, True, (ends, cycles))
    rates = [r for e in events if e["ph"] == "C" for r in e["args"].values()]
    bench.check("rates", 0 < max(rates) <= 1, True, rates)


def test_recorded(bench, tool, fast_tool):
    """A list: without dependencies its commands overlap, and what waits for D takes longer. sim has whole networks."""
    numbers = lambda done: dict(re.findall(r"^([a-z ]+?) +(\d+)$", done.stdout, re.M))
    text = "m,n,k\n64,64,64\n"
    one = numbers(tool.run("-", "--list", stdin=text))
    bench.check(
        "a GEMM", float(one["cycles"]), tool.one("--m", 64, "--n", 64, "--k", 64)["cycles"], ""
    )
    core, total = int(one["core"]), int(one["total"])
    bench.check("total", total, int(one["cycles"]) + core, one)
    two = numbers(tool.run("-", "--list", stdin=text + "64,64,64\n"))
    bench.check("two commands", (two["commands"], two["core"]), ("2", one["core"]), two)
    cycles = int(two["cycles"])
    # Without the wait, 40 cycles lie between the last step of one and the first step of the other.
    waits = int(one["cycles"]) + 1024 + 100 < cycles < 2 * int(one["cycles"])
    bench.check("the second one waits for the first one's D, not for its B", waits, True, two)
    # A load waits until nothing is left, and then reads 256 bytes.
    stay, load = (
        int(numbers(tool.run("-", "--list", "--tables", one, stdin=text + "64,64,64\n"))["cycles"])
        for one in ("stay", "load")
    )
    bench.check("two tables are loaded", 2 * 64 < load - stay < 2 * 64 + 300, True, (load, stay))
    bench.check("longer descriptors", cycles <= stay < cycles + 40, True, (cycles, stay))
    names = "ifmap height,ifmap width,filter height,filter width,channels,num filter,images\n"
    line = lambda images: f"6,6,3,3,16,16,{images}\n"
    alike = numbers(fast_tool.run("-", "--list", stdin=names + line(3) + "4,4,3,3,16,16,3\n"))
    other = numbers(fast_tool.run("-", "--list", stdin=names + line(3) + "4,4,3,3,16,16,2\n"))
    bench.check("commands", (alike["commands"], other["commands"]), ("6", "5"), "")
    per_line = tool.table(names + line(3))[0]
    counts = (per_line["commands"], int(per_line["core"]) % 3)
    bench.check("commands of a line, and the core's part", counts, ("3", 0), per_line)


def test_output(bench, tool, tmp_path):
    path = tmp_path / "out.csv"
    done = tool.run("-", "-o", path, stdin="m,n,k\n8,8,8\n")
    bench.check("to a file", (done.returncode, done.stdout, done.stderr), (0, "", ""), "")
    bench.check("the same", path.read_text(), tool.run("-", stdin="m,n,k\n8,8,8\n").stdout, "")
    layers = tmp_path / "layers.csv"
    layers.write_text("m,n,k\n8,8,8\n")
    bench.check("from a file", tool.run(layers).stdout, path.read_text(), "")
    full = tool.run("-", "-o", "/dev/full", stdin="m,n,k\n8,8,8\n")
    bench.check(
        "a full disk", (full.returncode, "could not be written" in full.stderr), (1, True), ""
    )


def test_refusals(tool, tmp_path):
    size = ("--m", 8, "--n", 8, "--k", 8)
    tool.refused("give --m, --n and --k")
    tool.refused("give --m, --n and --k", "--m", 8, "--n", 8)
    tool.refused("or one CSV file", "a.csv", "b.csv")
    tool.refused("or one CSV file", "a.csv", "--m", 8)
    tool.refused("--list needs a CSV file", *size, "--list")
    tool.refused("--list needs a CSV file", "-", "--list", "-o", tmp_path / "x.csv", stdin="m\n")
    tool.refused("--tables needs --list", "-", "--tables", "stay", stdin="m,n,k\n8,8,8\n")
    tool.refused("--tables 'x' is unknown", "-", "--list", "--tables", "x", stdin="m,n,k\n8,8,8\n")
    halves = ("--list", "--tables", "load", "--d-format", "float16")
    tool.refused(
        ":2:1: codes of a table have one byte, and D has more", "-", *halves, stdin="m,n,k\n8,8,8\n"
    )
    twice = "m,n,k,count\n8,8,8,1\n8,8,8,2\n"
    tool.refused(":3:1: a list runs each line once; set the count to 1", "-", "--list", stdin=twice)
    tool.refused("--output needs a CSV file", *size, "-o", tmp_path / "x.csv")
    tool.refused("--m '0' is not a whole number in 1..", "--m", 0, "--n", 8, "--k", 8)
    tool.refused("--k 'x' is not a whole number", "--m", 8, "--n", 8, "--k", "x")
    tool.refused("D cannot have the format 'e3m2fn'", *size, "--d-format", "e3m2fn")
    tool.refused("there is no element 'static'; choose from exact, ", *size, "--element", "static")
    tool.refused("there is no memory 'fast'", *size, "--memory", "fast")
    tool.refused("rows is not possible; a power of two, 1 to 32 is expected", *size, "--rows", 3)
    tool.refused("latency is not possible; 0 to 10000 is expected", *size, "--latency", 10001)
    tool.refused("axi_data_w is not possible; 64, 128 or 256", *size, "--axi", 100)
    tool.refused("stall_permille is not possible; 0 to 900 is", *size, "--stall", 901)
    ideal = ("--memory", "ideal", "--stall", 1)
    tool.refused("stall_permille is not possible; 0 with an ideal memory", *size, *ideal)
    tool.refused("--bus traces one GEMM", "-", "--bus", tmp_path / "x.csv", stdin="m,n,k\n8,8,8\n")
    tool.refused("need one GEMM with --bus or --timeline", *size, "--d", 64)
    timeline = ("--timeline", tmp_path / "x.json")
    tool.refused("--timeline shows one run", "-", *timeline, stdin="m,n,k\n8,8,8\n")
    bus = (*size, "--bus", tmp_path / "x.csv")
    tool.refused("--a 'x' is not an address", *bus, "--a", "x")
    tool.refused("the accelerator refuses these addresses", *bus, "--a", 8)
    tool.refused("the matrices do not fit 4 GiB", "--m", 70000, "--n", 70000, "--k", 1)
    tool.refused("there is no option '--row'", *size, "--row", 3)


def test_refused_files(tool, tmp_path):
    missing = tmp_path / "missing.csv"
    tool.refused(f"'{missing}' cannot be read (No such file", missing)
    path = tmp_path / "bad.csv"
    for text, sentence in (
        ("", ":1:1: a line of names and a line for each layer are expected"),
        ("m,n,k\n", ":2:1: a line of names and a line for each layer are expected"),
        ("m,n\n1,2\n", ":1:1: the first line must name the columns m, n and k"),
        ("m,n,k,bias\n", ":1:4: 'bias' is no name of a column; layer, m, n, k, count"),
        ("m,n,k,mx\n1,1,1,2\n", ":2:4: mx is '2'; 0 or 1 is expected"),
        ("m,n,k,format_a\n1,1,1,float16\n", ":2:4: format_a is 'float16'; e4m3fn, e5m2, "),
        ("m,n,k,format_b\n1,1,1,int8\n", ":2:1: the element does not take the format of B"),
        ("m,n,k,format_a\n1,1,1,int8\n", ":2:1: the element does not take the format of A"),
        ("m,n,k,format_c\n1,1,1,e3m2fn\n", ":2:4: format_c is 'e3m2fn'; e4m3fn, e5m2, "),
        ("m,n,k\n1,2\x00,3\n", ":2:2: the line has a byte 0; give a text file"),
        ("m,n,k,M\n", ":1:4: 'M' is there twice"),
        ("m,n,k\n1,2\n", ":2:3: 3 columns are expected, and there are 2"),
        ("m,n,k\n1,2,3,4\n", ":2:4: 3 columns are expected, and there are 4"),
        (
            "m,n,k\n1,2,3\n\n1,-2,3\n",
            ":4:2: n is '-2'; a whole number in 1..4294967295 is expected",
        ),
        ("m,n,k\n1,2,0\n", ":2:3: k is '0'; a whole number in 1.."),
        ("m,n,k\n1,,3\n", ":2:2: n is ''; a whole number"),
        ("m,n,k\n4294967296,1,1\n", ":2:1: m is '4294967296'"),
        ("m,n,k,count\n1,1,1,1.5\n", ":2:4: count is '1.5'; a whole number in 1..1000000000000"),
        ("m,n,k,format_d\n1,1,1,fp8\n", ":2:4: format_d is 'fp8'; e4m3fn, e5m2, "),
        ("m,n,k\n" + ",".join("1" * 50) + "\n", ":2:41: at most 40 columns are expected"),
        ("m,n,k\n" + " " * 5000 + "\n", ":2:1: at most 4094 characters are expected"),
        ("m,n,k\n70000,70000,1\n", ":2:1: the matrices do not fit 4 GiB"),
    ):
        path.write_text(text)
        tool.refused(f"{path}{sentence}", path)
        tool.refused(f"standard input{sentence}", "-", stdin=text)
    names = "IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides\n"
    ours = names.strip() + ",groups,pixel_bytes,pad_y,dilation_x,mx\n"
    both = names.strip() + ",m,n,k\n"
    for text, sentence in (
        ("m,n,k,groups\n", ":1:4: 'groups' is of convolutions; all columns from IFMAP Height"),
        ("m,ifmap height\n", ":1:1: the first line must name the columns m, n and k"),
        (
            ours + "9,9,3,3,6,6,1,4,6,0,1,0\n",
            ":2:1: groups must divide both the channels and the filters",
        ),
        (
            ours + "9,9,3,3,6,6,1,1,5,0,1,0\n",
            ":2:1: pixel_bytes must be at least the number of channels",
        ),
        (ours + "9,9,3,3,6,6,1,1,6,256,1,0\n", ":2:1: pad_y is at most 255"),
        (ours + "9,9000,1,1,99,6,1,1,99,0,800,0\n", ":2:1: dilation_x is at most 65535 bytes"),
        (ours + "9,9,3,3,6,6,1,1,6,-1,1,0\n", ":2:10: pad_y is '-1'; a whole number in 0.."),
        (ours + "9,9,3,3,6,6,1,1,6,0,1,1\n", ":2:1: a convolution cannot have MX scales"),
        (ours + "9,9,3,3,6,6,300,1,6,0,1,0\n", ":2:1: stride_y is at most 255"),
        (ours + "9,9,3,3,6,6,1,1,6,0,5,0\n", ":2:1: filter width is larger than ifmap width"),
        (names.strip() + ",images\n2,2,2,2,6,6,1,65536\n", ":2:1: a layer has at most 65535 com"),
        (both + "9,9,3,3,6,6,1,4,,\n", ":2:8: m is '4'; nothing, because the line has a conv"),
        (both + ",,,,,,,8,8,\n", ":2:10: k is ''; a whole number in 1.."),
        (both + "9,9,3,3,6,,1,,,\n", ":2:6: num filter is ''; a whole number in 1.."),
    ):
        tool.refused(sentence, "-", stdin=text)
    tool.refused(
        ":2:1: filter height is larger than ifmap height", "-", stdin=names + "2,9,3,3,1,1,1\n"
    )
    mx = "m,n,k,mx\n8,8,64,1\n"
    tool.refused(":2:1: the element has no MX scales", "-", "--element", "late", stdin=mx)


def test_refused_sizes(tool):
    names = "IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides\n"
    tool.refused(
        "it has more than 1048576 tile", "--max-mn", 16, "--m", 40000, "--n", 40000, "--k", 4
    )
    long = ("--m", 1, "--n", 1, "--k", 70000)
    tool.refused("k is more than an accumulator of this element", "--element", "kulisch", *long)
    narrow = ("--max-mn", 4, "--tiles", 8, "--buf-beats", 4)
    for m, n, axi in ((8, 4, 256), (4, 8, 128)):  # rows of tiles are 4 bytes of a beat, columns 1
        sides = ("--m", m, "--n", n, "--k", 8, "--axi", axi)
        tool.refused("no tile fits the memories of this accelerator", *narrow, *sides)
    tool.refused(":2:1: the layer's k is above", "-", stdin=names + f"{2**31},9,{2**31},3,9,1,1\n")
