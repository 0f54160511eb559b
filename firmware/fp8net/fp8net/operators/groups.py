# SPDX-License-Identifier: Apache-2.0
"""Groups of nodes that recognise.py finds: each is one layer."""

from __future__ import annotations

from ..ir import Fused, Norm
from ..recognise import Group
from .elementwise import quotient
from .layout import turn
from .rows import normalise_axis, softmax_axis


def group(importer, node, found: Group) -> None:
    """The node is the last one of the group."""
    names = [found.operand, found.divisor] if found.divisor else [found.operand]
    first = type(node)(node.proto, node.name, node.op, names, node.outputs)
    _GROUPS[found.kind](importer, first, found)


def _norm(importer, node, found: Group) -> None:
    normalise_axis(importer, node, found.axes[0], Norm(False, found.eps, found.gamma))
    turn(importer, node.outputs[0], list(found.perm))


def _softmax(importer, node, found: Group) -> None:
    softmax_axis(importer, node, found.axes[0])


def _expression(importer, node, found: Group) -> None:
    view = importer.view(node)
    fused = Fused(function="Expression", arguments=found.steps, table_from=found.operand)
    layer = importer.layer(node, "convert", [view.tensor], fused=fused)
    importer.add_like(node, layer, view)


def _quotient(importer, node, found: Group) -> None:
    quotient(importer, node, zero=True)


_GROUPS = {"norm": _norm, "softmax": _softmax, "expression": _expression, "quotient": _quotient}
