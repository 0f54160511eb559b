# SPDX-License-Identifier: Apache-2.0
"""Random graphs, numbers and names through all verbs: each ends well, or with a sentence and status 1 or 2."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import onnx
from fp8net.cli import main
from onnx import TensorProto, helper, numpy_helper

PLAIN = ("Relu", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt", "Abs", "Neg", "Elu", "HardSwish", "Identity", "Softplus", "Erf",
         "Reciprocal", "LeakyRelu", "Selu", "Floor")  # fmt: skip
TWO = (
    "Add",
    "Add",
    "Sub",
    "Mul",
    "Mul",
    "Div",
    "Max",
    "Min",
    "Pow",
    "MatMul",
    "MatMul",
    "Sum",
    "PRelu",
)
AXES = ("Softmax", "Softmax", "Flatten", "LogSoftmax")
REDUCE = ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2")
WINDOWS = ("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool")
OTHERS = ("Conv", "Conv", "Gemm", "Gemm", "Reshape", "Transpose", "Concat", "Slice", "Pad", "Squeeze", "Unsqueeze", "Resize",
          "Clip", "Gather", "BatchNormalization", "LayerNormalization", "Split", "Tile", "Expand", "Where", "DepthToSpace",
          "QuantizeLinear", "ConvTranspose", "InstanceNormalization", "Cast")  # fmt: skip
ODD = ("ArgMax", "Hardmax", "CumSum", "LpNormalization", "Sign", "Sin", "Ceil", "Gelu", "Mish", "Not", "Dropout", "TopK", "LRN",
       "NoSuchOperator", "LpPool", "ReduceProd", "Greater", "Mod", "NonZero", "Shape", "Loop")  # fmt: skip
NAMES = ("x", "y", "", "stdio", "int", "a b", "é", "名", "x/y:0", "x_scale", "x_raw", "%s", "*/", "\\", '"', "\t", "\n", "n" * 300,
         "{}", "@n@", "|", "x=1", "--data", "a,b", "w_codes", "x_codes", "x_quantize")  # fmt: skip
MAGNITUDES = (0.0, 1e-45, 1e-39, 2.9e-39, 1e-30, 1e-6, 1.0, 1.0, 1.0, 300.0, 1e6, 1e30, 3e38)
FOLDERS = (
    "net",
    "stdio",
    "int",
    "run",
    "é",
    "9",
    "a b",
    "main",
    "fp8rt",
    "sem",
    "N",
    "x" * 80,
    "layer",
    "-",
    "a.b",
)


Drawn = tuple[list[str], dict]  # inputs and attributes of a node


class Maker:
    def __init__(self, seed: int) -> None:
        self.r, self.numbers = random.Random(seed), np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.used: set[str] = set()
        self.odd = self.r.random() < 0.5  # names are
        self.shape = [
            1,
            *(self.r.choice((1, 2, 3, 4, 5, 8)) for _ in range(self.r.choice((0, 1, 2, 3, 3, 3)))),
        ]
        self.first = list(self.shape)
        self.opset = self.r.choice((18, 18, 19, 19, 19, 21, 13, 9))
        self.label = self.r.choice(NAMES) or "g"
        self.values = [self.name()]

    def name(self) -> str:
        base = self.r.choice(NAMES) if self.odd else f"v{len(self.used)}"
        if self.r.random() < 0.97:  # else it may be there already
            while base in self.used or not base:
                base += "_"
        self.used.add(base)
        return base

    def constant(self, array) -> str:
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def floats(self, *shape: int) -> str:
        scale = self.r.choice(MAGNITUDES)
        with np.errstate(all="ignore"):
            array = (self.numbers.normal(size=shape) * scale).astype(np.float32)
        return self.constant(
            np.nan_to_num(array, posinf=3e38, neginf=-3e38) if self.r.random() < 0.98 else array
        )

    def ints(self, *numbers: int) -> str:
        return self.constant(np.array(numbers, np.int64))

    def shape_like(self) -> list[int]:
        kind = self.r.random()
        if kind < 0.4:
            return list(self.shape)
        if kind < 0.8:
            return [self.r.choice((1, n)) for n in self.shape[self.r.randint(0, 1) :]]
        return [self.r.choice((1, 2, 3, 4)) for _ in range(self.r.randint(0, 4))]

    def node(self) -> None:
        r = self.r
        x = r.choice(self.values[-2:])
        image = (WINDOWS,) if len(self.shape) in (3, 4) else ()
        kinds = (PLAIN, PLAIN, TWO, TWO, AXES, REDUCE, OTHERS, OTHERS, OTHERS, *image)
        kind = r.choice(kinds) if r.random() < 0.97 else ODD
        op = r.choice(kind)
        how = {TWO: self._two, AXES: self._axes, REDUCE: self._reduce, WINDOWS: self._window}
        if kind in how:
            inputs, attributes = how[kind](op, x)
        elif op == "QuantizeLinear":
            op, inputs, attributes = "DequantizeLinear", self._codes(x), {}
        else:
            inputs, attributes = self._weighted(op, x) or self._shaping(op, x) or ([x], {})
        outputs = 2 if op in ("Split", "TopK") else 1
        before = self.values, list(self.nodes)
        results = [self.name() for _ in range(outputs)]
        label = r.choice(("", self.name()))
        attributes = {k: v for k, v in attributes.items() if v != []}
        self.nodes.append(helper.make_node(op, inputs, results, label, **attributes))
        self.values = [*self.values, *results]
        known = self._known(results[0])
        if known is not None:
            self.shape = known
        elif r.random() < 0.97:  # most graphs are sound
            self.values, self.nodes = before

    def _some_axis(self) -> int:
        return self.r.choice((-1, 0, 1, 2, len(self.shape) - 1))

    def _small(self) -> int:
        return self.r.choice((0, 1, 1, 1, 2, 3))

    def _two(self, _op: str, x: str) -> Drawn:
        other = self.r.choice([*self.values, self.floats(*self.shape_like())])
        return ([x, other] if self.r.random() < 0.8 else [other, x]), {}

    def _axes(self, _op: str, x: str) -> Drawn:
        return [x], {"axis": self._some_axis()}

    def _reduce(self, _op: str, x: str) -> Drawn:
        inputs = [x, self.ints(self._some_axis())] if self.r.random() < 0.9 else [x]
        return inputs, {"keepdims": self.r.choice((0, 1))}

    def _window(self, op: str, x: str) -> Drawn:
        if op.startswith("Global"):
            return [x], {}
        r, n = self.r, max(len(self.shape) - 2, 0)
        attributes = {
            "kernel_shape": [self._small() for _ in range(n)],
            "strides": [self._small() for _ in range(n)],
        }
        pads = {"pads": [self._small() for _ in range(2 * n)]}
        attributes |= r.choice(({}, {"ceil_mode": 1}, pads))
        attributes |= {"count_include_pad": 1} if op[0] == "A" and r.random() < 0.5 else {}
        return [x], attributes

    def _codes(self, x: str) -> list[str]:
        """Codes of x, and what their values need"""
        r = self.r
        scale = self.constant(np.float32(r.choice((*MAGNITUDES, -1.0, np.nan, np.inf))))
        kind = r.choice(
            (TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E5M2, TensorProto.INT8, TensorProto.UINT8)
        )
        zero, codes = self.name(), self.name()
        self.constants.append(helper.make_tensor(zero, kind, [], [r.choice((0, 0, 0, 1))]))
        self.nodes.append(
            helper.make_node("QuantizeLinear", [x, scale, zero], [codes], self.name())
        )
        return [codes, scale, zero]

    def _weighted(self, op: str, x: str) -> Drawn | None:
        """Inputs of operators that have constants of floats; None: it is another operator"""
        r, rank = self.r, len(self.shape)
        if op in ("Conv", "ConvTranspose"):
            c, n = self.shape[min(1, rank - 1)], max(rank - 2, 0)
            sizes = (r.choice((1, 2, 3)) for _ in range(n))
            weights = self.floats(r.choice((1, c, 6)), r.choice((c, c, 1)), *sizes)
            pads = [r.choice((0, 1)) for _ in range(2 * n)]
            return [x, weights], {"pads": pads, "group": r.choice((1, 1, 1, c))}
        if op == "Gemm":
            return [x, self.floats(self.shape[-1], r.choice((1, 3, 10)))], {}
        if op == "Clip":
            return [x, self.floats(), self.floats()], {}
        if op == "Where":
            chosen = self.constant(self.numbers.random(self.shape) < 0.5)
            return [chosen, x, self.floats(*self.shape_like())], {}
        if op in ("BatchNormalization", "InstanceNormalization", "LayerNormalization"):
            size = self.shape[-1 if op[0] == "L" else min(1, rank - 1)]
            return [x, *(self.floats(size) for _ in range(4 if op[0] == "B" else 2))], {}
        return None

    def _shaping(self, op: str, x: str) -> Drawn | None:
        """Inputs of operators that move values; None: it is another operator"""
        r, rank, axis = self.r, len(self.shape), self._some_axis()
        if op in ("Reshape", "Expand", "Tile"):
            shapes = ((-1,), (1, -1), (0, -1), tuple(self.shape), (2, 2), (0,))
            return [x, self.ints(*r.choice(shapes))], {}
        if op == "Transpose":
            return [x], {"perm": r.sample(range(rank), rank)}
        if op == "Concat":
            return [x, r.choice(self.values), x], {"axis": axis}
        if op == "Slice":
            ends = (r.choice((0, 1, -1)), r.choice((1, 2, 100, -100)), axis, r.choice((1, 2, -1)))
            return [x, *(self.ints(end) for end in ends)], {}
        if op == "Pad":
            return [x, self.ints(*(r.choice((0, 0, 1, -1)) for _ in range(2 * rank)))], {}
        if op in ("Squeeze", "Unsqueeze"):
            return [x, self.ints(axis)], {}
        if op == "Resize":
            scales = np.array([r.choice((1, 1.5, 2, 0.5)) for _ in range(rank)], np.float32)
            mode = {"mode": r.choice(("nearest", "linear", "cubic"))}
            return [x, "", self.constant(scales)], mode
        if op == "Gather":
            inputs = r.choice(([x, self.ints(0, 1)], [self.floats(5, 4), x]))
            return inputs, {"axis": axis}
        if op == "Split":
            return [x, self.ints(1, max(self.shape[axis % rank] - 1, 1))], {"axis": axis}
        return self._odd(op, x)

    def _odd(self, op: str, x: str) -> Drawn | None:
        if op == "TopK":
            return [x, self.ints(1)], {}
        if op == "DepthToSpace":
            return [x], {"blocksize": 2}
        if op == "Cast":
            types = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT32)
            return [x], {"to": self.r.choice(types)}
        return None

    def _known(self, name: str) -> list[int] | None:
        """The shape that follows"""
        try:
            model = self.model([name])
            found = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
            onnx.checker.check_model(found)
        except Exception:
            return None
        dims = next(
            (v.type.tensor_type.shape.dim for v in found.graph.output if v.name == name), ()
        )
        sizes = [d.dim_value for d in dims]
        return sizes if sizes and min(sizes) > 0 else None

    def model(self, outputs: list[str]) -> onnx.ModelProto:
        first = helper.make_tensor_value_info(self.values[0], TensorProto.FLOAT, self.first)
        ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs]
        graph = helper.make_graph(self.nodes, self.label, [first], ends, self.constants)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=9
        )

    def make(self) -> onnx.ModelProto:
        for _ in range(self.r.randint(1, 6)):
            self.node()
        outputs = [self.values[-1]]
        if self.r.random() < 0.2:
            outputs.append(
                self.r.choice(self.values[self.r.choice((0, 1, 1, 1, 1)) :] or self.values)
            )
        return self.model(outputs)

    def data(self, path: Path) -> None:
        scale = self.r.choice(MAGNITUDES)
        array = self.numbers.normal(size=(2, *self.first))
        with np.errstate(all="ignore"):
            array = np.nan_to_num((array * scale).astype(np.float32), posinf=3e38, neginf=-3e38)
        np.savez(path, **{self.values[0]: array})


def test_fuzz(bench, work, capsys, count, seed) -> None:
    ends = {"refused": 0, "quantised": 0, "generated": 0}
    first = seed
    for seed in range(first, first + count):
        maker = Maker(seed)
        model = maker.make()
        source, ready, data = work / "x.onnx", work / "q.onnx", work / "d.npz"
        ready.unlink(missing_ok=True)
        source.write_bytes(model.SerializeToString())
        try:
            maker.data(data)
        except (OSError, ValueError):  # a name that no archive can have
            continue

        def call(*arguments) -> int:
            try:
                status = main([str(a) for a in arguments])
            except SystemExit as error:
                status = error.code
            out, said = capsys.readouterr()
            said += out if arguments[0] == "analyze" else ""
            lines = said.splitlines()
            good = status == 0 or (
                status in (1, 2)
                and lines
                and (arguments[0] == "analyze" or all(x.startswith("fp8net: ") for x in lines))
            )
            with capsys.disabled():
                bench.check(f"seed {seed}: {arguments[0]} ends with {status}: {said[-600:]}", good)
            return status

        folder = work / maker.r.choice(FOLDERS)
        formats = maker.r.choice(
            (
                [],
                [],
                ["--format", "int8"],
                ["--format", "mx"],
                ["--format", "e5m2"],
                ["--method", "mse"],
            )
        )
        more = ["--no-proposals"] if maker.r.random() < 0.9 else []
        if call("quantize", source, "--data", data, "-o", ready, *formats, *more):
            bench.check(f"seed {seed}: nothing was written", not ready.exists())
            ends["refused"] += 1
            if any(n.op_type == "QuantizeLinear" for n in model.graph.node):
                call("generate", source, "-o", folder, "--data", data)
            continue
        ends["quantised"] += 1
        if call("analyze", ready):
            with capsys.disabled():
                bench.check(f"seed {seed}: what quantize wrote can be read", False)
        ends["generated"] += (
            call("generate", ready, "-o", folder, "--data", data, "--reference", source) == 0
        )
        call("validate", ready, "--data", data, "--reference", source)
    print(ends)
    bench.check(f"{ends}", min(ends.values()) > count // 12)
