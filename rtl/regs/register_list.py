# SPDX-License-Identifier: Apache-2.0
"""Writes the registers of the register map as a list for C, with what software may expect of each.

    register_list.py [-I FOLDER] [-D NAME=VALUE]... -o FILE MAP.rdl

FILE defines FP8MAC_REGS_LIST(X), which calls X(name, offset, writable, constant, reset) for each register:

  writable   bits that keep what software writes, and that nothing else changes. Registers whose writing has a side effect
             have none.
  constant   bits that the hardware never changes and software cannot write
  reset      the value of these two kinds after reset
"""

import register_map
from systemrdl.node import FieldNode, RegNode
from systemrdl.rdltypes import AccessType


def keeps_writes(field: FieldNode) -> bool:
    return (
        field.get_property("sw") == AccessType.rw
        and field.get_property("hw") in (AccessType.r, AccessType.na)
        and field.get_property("onwrite") is None
        and field.get_property("onread") is None
        and not field.get_property("singlepulse")
        and not any(other.get_property("swmod") for other in field.parent.fields())
    )


def is_constant(field: FieldNode) -> bool:
    return field.get_property("sw") == AccessType.r and field.get_property("hw") == AccessType.na


def row(register: RegNode) -> str:
    writable = constant = reset = 0
    for field in register.fields():
        mask = (1 << field.width) - 1 << field.low
        if keeps_writes(field):
            writable |= mask
        elif is_constant(field):
            constant |= mask
        else:
            continue
        reset |= (field.get_property("reset") or 0) << field.low
    name = register.inst_name
    return f"    X({name}, 0x{register.absolute_address:03x}, 0x{writable:08x}, 0x{constant:08x}, 0x{reset:08x})"


def main() -> None:
    given = register_map.arguments(__doc__)
    _, registers = register_map.compiled(given)
    text = "// SPDX-License-Identifier: Apache-2.0\n"
    text += f"// Generated from {given.map} by rtl/regs/register_list.py: X(name, offset, writable, constant, reset).\n"
    text += (
        "#ifndef FP8MAC_REGS_LIST_H\n#define FP8MAC_REGS_LIST_H\n\n#define FP8MAC_REGS_LIST(X) \\\n"
    )
    text += " \\\n".join(row(register) for register in registers) + "\n\n#endif\n"
    given.out.write_text(text)


if __name__ == "__main__":
    main()
