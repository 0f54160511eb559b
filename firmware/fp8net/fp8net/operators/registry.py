# SPDX-License-Identifier: Apache-2.0
"""Which function handles an operator, and what to say of those that none does."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Handler:
    function: Callable
    becomes: str  # the layer of fp8rt
    forms: str  # which forms are supported
    many: bool  # it has more outputs than one


HANDLERS: dict[str, Handler] = {}

# What to use in place of operators that are not supported.
_NEAREST = {
    "LogSoftmax": "Softmax",
    "RNN": "LSTM or GRU",
    "ConvInteger": "Conv between QuantizeLinear and DequantizeLinear of FLOAT8E4M3FN",
    "QLinearConv": "Conv between QuantizeLinear and DequantizeLinear of FLOAT8E4M3FN",
    "QLinearMatMul": "MatMul between QuantizeLinear and DequantizeLinear of FLOAT8E4M3FN",
    "MatMulInteger": "MatMul between QuantizeLinear and DequantizeLinear of FLOAT8E4M3FN",
    "DynamicQuantizeLinear": "QuantizeLinear with a constant scale",
    "Upsample": "Resize",
    "LpPool": "AveragePool or MaxPool",
    "Sum": "Add",
}


def handles(op: str, becomes: str, forms: str, many: bool = False):
    """Registers a handler: handler(importer, node)."""

    def register(function: Callable) -> Callable:
        HANDLERS[op] = Handler(function, becomes, forms, many)
        return function

    return register


def nearest(op: str) -> str:
    return _NEAREST.get(op, "fp8net supported-ops lists what is")
