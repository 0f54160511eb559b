# SPDX-License-Identifier: Apache-2.0
"""The accelerator's cycles of products, before anything runs: those of a GEMM by the golden model's timing (fp8mac.cycles).

They are those of the array of 4 x 4 elements of 16 lanes with the network's bus, for a command that runs alone. The command's
residual, vectors of scales and bias are not in them. A convolution is taken as the GEMM of its output pixels. That holds where
each pixel is whole beats; images with narrower pixels take longer, and they, groups, MX and all other layers have no estimate.
"""

from __future__ import annotations

import fp8mac

from . import weights
from .ir import Graph, Layer

KINDS = {"block_f19_l16": "block", "int8_l16": "int8"}  # elements that both know


def cycles(graph: Graph, layer: Layer, element: str, beat: int) -> int | None:
    """None: there is no estimate."""
    source, out = (graph.tensors[name] for name in (layer.inputs[0], layer.output))
    if element not in KINDS or layer.mx or layer.op not in ("linear", "matmul", "convolution"):
        return None
    count, m, k = 1, out.rows, source.cols
    if layer.op == "matmul":
        count = layer.images
    elif layer.op == "convolution":
        points = layer.window.kernel[0] * layer.window.kernel[1]
        narrow = points > 1 and source.cols % beat != 0
        if narrow or weights.join(layer, graph, beat).count > 1:
            return None
        count, k = layer.images, layer.weights.codes.shape[1]
    options = {"element": KINDS[element], "axi_data_w": 8 * beat, "d_format": _written(layer, out)}
    return count * fp8mac.cycles(m // count, out.cols, k, **options).cycles


def _written(layer: Layer, out) -> str:
    return layer.fused.table_format if layer.fused.function else out.format
