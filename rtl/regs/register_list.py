# SPDX-License-Identifier: Apache-2.0
"""Writes the registers of the register map as a list for C, with what software may expect of each.

    register_list.py [-I FOLDER] [-D NAME=VALUE]... -o FILE MAP.rdl

FILE defines FP8MAC_REGS_LIST(X), which calls X(name, offset, writable, constant, reset) for each register:

  writable   bits that keep what software writes, and that nothing else changes. Bits with a side effect are none.
  constant   bits that the hardware never changes and software cannot write
  reset      the value of these two kinds after reset
"""

import argparse
from pathlib import Path

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode
from systemrdl.rdltypes import AccessType


def keeps_writes(field: FieldNode) -> bool:
    return (
        field.get_property("sw") == AccessType.rw
        and field.get_property("hw") in (AccessType.r, AccessType.na)
        and field.get_property("onwrite") is None
        and field.get_property("onread") is None
        and not field.get_property("singlepulse")
        and not field.get_property("swmod")
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("map", type=Path)
    parser.add_argument("-I", dest="folders", action="append", default=[])
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("-o", dest="out", type=Path, required=True)
    arguments = parser.parse_args()
    compiler = RDLCompiler()
    compiler.compile_file(
        str(arguments.map),
        incl_search_paths=arguments.folders,
        defines=dict(define.split("=") for define in arguments.defines),
    )
    registers = [node for node in compiler.elaborate().top.children() if isinstance(node, RegNode)]
    text = "// SPDX-License-Identifier: Apache-2.0\n"
    text += f"// Generated from {arguments.map} by rtl/regs/register_list.py: X(name, offset, writable, constant, reset).\n"
    text += (
        "#ifndef FP8MAC_REGS_LIST_H\n#define FP8MAC_REGS_LIST_H\n\n#define FP8MAC_REGS_LIST(X) \\\n"
    )
    text += " \\\n".join(row(register) for register in registers) + "\n\n#endif\n"
    arguments.out.write_text(text)


if __name__ == "__main__":
    main()
