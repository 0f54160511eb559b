# SPDX-License-Identifier: Apache-2.0
"""Networks as lists of layers. A layer that several lines or networks have runs once on each configuration."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .errors import PlanError

# These change no cycle. The names of a topology of SCALE-Sim do: they tell depthwise layers.
WITHOUT_EFFECT = ("layer", "count")
TOPOLOGY = "ifmap height"  # its second column


@dataclass(frozen=True)
class Layer:
    """The columns that decide about its cycles, and their fields"""

    columns: tuple[str, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Network:
    """`layers`: each as often as it counts. The lines of a file that `fp8mac cycles` has taken."""

    path: Path
    layers: tuple[tuple[Layer, int], ...]


def read(path: Path) -> Network:
    try:
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PlanError(f"{path} cannot be read ({error})") from None
    rows = [row for row in rows if any(field.strip() for field in row)]
    names = [name.strip().lower() for name in rows[0]] if rows else []
    ours = names[1:2] != [TOPOLOGY]
    kept = [i for i, name in enumerate(names) if not (ours and name in WITHOUT_EFFECT)]
    count = names.index("count") if ours and "count" in names else None
    columns = tuple(rows[0][i].strip() for i in kept) if rows else ()
    found = [
        (
            Layer(columns, tuple(row[i].strip() for i in kept if i < len(row))),
            int(row[count]) if count is not None else 1,
        )
        for row in rows[1:]
    ]
    return Network(path, tuple(found))


def distinct(networks: Iterable[Network]) -> dict[tuple[str, ...], list[Layer]]:
    """The layers of all networks, by their columns"""
    found: dict[tuple[str, ...], dict[Layer, None]] = {}
    for network in networks:
        for layer, _ in network.layers:
            found.setdefault(layer.columns, {})[layer] = None
    return {columns: list(layers) for columns, layers in found.items()}


def text(columns: tuple[str, ...], layers: Iterable[Layer]) -> str:
    """A list for `fp8mac cycles`"""
    return "".join(f"{','.join(one)}\n" for one in (columns, *(its.fields for its in layers)))
