# SPDX-License-Identifier: Apache-2.0
"""Runs a model for all data at once, in parts: each part ends where a value is wanted, which may then be changed."""

from __future__ import annotations

import collections

import numpy as np
import onnx
from onnx import TensorProto, helper

from . import shapes


class Walk:
    """`stops` are the values that `to` is going to be asked for, once for each time that they stand there. Constants of a part are
    those that the graph has when the part runs, so weights may be changed until then."""

    def __init__(self, model: onnx.ModelProto, inputs: list[dict], stops: list[str]):
        self.model, self.graph = model, model.graph
        self.stops = collections.Counter(stops)
        self.live = [dict(run) for run in inputs]
        self._made = {o: n for n in self.graph.node for o in n.output}
        self._constant = {t.name for t in self.graph.initializer}
        for node in self.graph.node:
            if all(name in self._constant for name in node.input if name):
                self._constant |= set(node.output)
        self._moving = [n for n in self.graph.node if n.output[0] not in self._constant]
        self._place = {o: i for i, n in enumerate(self._moving) for o in n.output}
        self._begin = 0
        self._kinds = _kinds(model)

    def to(self, name: str) -> list[np.ndarray]:
        """The value in all runs. It may be changed; what follows reads it so."""
        end = self._place.get(name, -1) + 1
        if end > self._begin:
            self._run(self._moving[self._begin : end], self._moving[end:])
            self._begin = end
        self.stops -= collections.Counter([name])
        return [values[name] for values in self.live]

    def _run(self, part: list, rest: list) -> None:
        wanted = {n for node in rest for n in node.input} | set(self.stops)
        names = [o for node in part for o in node.output if o in wanted]
        session = self._session(part, names)
        read = {i.name for i in session.get_inputs()}
        for values in self.live:
            found = shapes.run(session, names, {n: v for n, v in values.items() if n in read})
            values |= {n: np.array(v) for n, v in zip(names, found)}
            for name in values.keys() - wanted:
                del values[name]

    def _session(self, part: list, names: list[str]):
        """Of these nodes, with the constants that they read"""
        written = {o for node in part for o in node.output}
        wanted = {n for node in part for n in node.input if n}
        before: list[onnx.NodeProto] = []
        pending = [n for n in wanted if n in self._constant and n in self._made]
        while pending:
            node = self._made[pending.pop()]
            if node not in before:
                before.insert(0, node)
                wanted |= set(node.input)
                pending += [n for n in node.input if n in self._made]
        constants = [t for t in self.graph.initializer if t.name in wanted]
        inputs = sorted(n for n in wanted - written - self._constant if n)
        graph = helper.make_graph(
            [*before, *part],
            "part",
            [self._info(n) for n in inputs],
            [self._info(n) for n in names],
            constants,
        )
        model = helper.make_model(graph, opset_imports=self.model.opset_import)
        model.ir_version = self.model.ir_version
        return shapes.session(model).session

    def _info(self, name: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, self._kinds.get(name, TensorProto.FLOAT), None)


def _kinds(model: onnx.ModelProto) -> dict[str, int]:
    inferred = onnx.shape_inference.infer_shapes(model).graph
    values = [*inferred.value_info, *inferred.input, *inferred.output]
    return {v.name: v.type.tensor_type.elem_type for v in values}
