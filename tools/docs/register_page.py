# SPDX-License-Identifier: Apache-2.0
"""The register map as a page: each register with its fields, and the values that have names."""

from __future__ import annotations

import argparse
import inspect
import sys

from markdown_text import code, prose, table
from pages import ROOT, Sources

sys.path.insert(0, str(ROOT / "rtl" / "regs"))
import register_map
from systemrdl.node import FieldNode, RegNode


def text_of(node: FieldNode | RegNode) -> str:
    return inspect.cleandoc(node.get_property("desc") or "")


def cell(text: str) -> str:
    return prose(" ".join(text.split())).strip()


def access(field: FieldNode) -> str:
    """As software sees the field."""
    kind = field.get_property("sw").name
    write = field.get_property("onwrite")
    if field.get_property("singlepulse"):
        return f"{kind}, acts once"
    return f"{kind}, {write.name} to change" if write is not None else kind


def reset(field: FieldNode) -> str:
    value = field.get_property("reset")
    return "" if not isinstance(value, int) else str(value) if value < 10 else hex(value)


def field_row(field: FieldNode, enums: dict[str, type]) -> tuple[str, ...]:
    bits = str(field.high) if field.high == field.low else f"{field.high}:{field.low}"
    text = cell(text_of(field))
    encode = field.get_property("encode")
    if encode is not None:
        enums[encode.type_name] = encode
        text += f" Values: [{code(encode.type_name)}](#{encode.type_name})."
    return bits, code(field.inst_name), access(field), reset(field), text.strip()


def write(sources: Sources, given: argparse.Namespace) -> None:
    top, registers = register_map.compiled(given)
    enums: dict[str, type] = {}
    index, body = [], ""
    for register in registers:
        name = register.inst_name
        title = register.get_property("name", default="")
        address = f"0x{register.absolute_address:03x}"
        index.append((address, f"[{code(name)}](#{name.lower()})", cell(title)))
        body += f"## {name}\n\n{cell(title)}, at {code(address)}\n\n{prose(text_of(register))}\n"
        body += table(
            ("bits", "field", "software", "reset", "meaning"),
            [field_row(field, enums) for field in register.fields()],
        )
    out = "# Registers\n\n" + prose(inspect.cleandoc(top.get_property("desc") or ""))
    out += "\nOffsets are in bytes. Every register has 32 bits.\n\n"
    out += table(("offset", "register", "meaning"), index) + body
    out += "".join(
        f"## {name}\n\n"
        + table(
            ("value", "name", "meaning"),
            [(str(m.value), code(m.name), cell(m.rdl_desc or "")) for m in enum],
        )
        for name, enum in sorted(enums.items())
    )
    sources.write("reference/registers.md", out)
