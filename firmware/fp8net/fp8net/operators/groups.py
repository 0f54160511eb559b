# SPDX-License-Identifier: Apache-2.0
"""Groups of nodes that recognise.py finds: each is one layer."""

from __future__ import annotations

from ..ir import Fused, Norm
from ..recognise import Group
from .layout import turn
from .rows import normalise_axis


def group(importer, node, found: Group) -> None:
    """The node is the last one of the group."""
    first = type(node)(node.proto, node.name, node.op, [found.operand], node.outputs)
    if found.axes:
        normalise_axis(importer, first, found.axes[0], Norm(False, found.eps))
        turn(importer, node.outputs[0], list(found.perm))
        return
    view = importer.view(first)
    fused = Fused(function="Expression", arguments=found.steps, table_from=found.operand)
    layer = importer.layer(node, "convert", [view.tensor], fused=fused)
    importer.add_like(node, layer, view)
