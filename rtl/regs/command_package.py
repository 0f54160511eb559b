# SPDX-License-Identifier: Apache-2.0
"""Writes the package of the command from the register map: the one description of a command, for the RTL.

    command_package.py [-I FOLDER] [-D NAME=VALUE]... -o FILE MAP.rdl

The properties `member` of the map say which registers and fields are members of command_t, and where. FILE is the package
fp8mac_command_pkg. It has

  command_t   the command, and the types of its members
  error_e, operation_e, rows_operation_e, pass_shape_e
              the codes of its fields and of its outcome
  command_of  makes a command of the words of a descriptor
  words_of    makes these words of the registers

A FILE of the name fp8mac_codes_pkg.sv is the package of the codes that the array and the epilogue know, too.

A descriptor has the words from the first register of the command up to SUBMIT, then those of the extension, up to
TABLE_ADDR. Not all of them have members.
"""

import itertools
import sys
from dataclasses import dataclass
from pathlib import Path

import register_map
from systemrdl.node import FieldNode, RegNode
from systemrdl.rdltypes import UserEnum

FIRST, LAST, EXTENSION, END = "A_ADDR", "SUBMIT", "OPERATION", "TABLE_ADDR"
# Enumerations of the map, and what their names begin with: those that the array and the epilogue know, too
CODES = {
    "fp8_format": ("fp8_fmt_e", "Fmt"),
    "d_format": ("dst_fmt_e", "Dst"),
    "acc_format": ("acc_fmt_e", "Acc"),
    "overflow_mode": ("overflow_e", "Ovf"),
    "activation": ("activation_e", "Act"),
    "code_table": ("code_table_e", "Table"),
}
# Those of the accelerator alone
ENUMERATIONS = {
    "error_code": ("error_e", "Err"),
    "operation": ("operation_e", "Op"),
    "rows_operation": ("rows_operation_e", "Rows"),
    "pass_shape": ("pass_shape_e", "Pass"),
}
# Those that have a function which says whether a field's value is one of the codes
CHECKED = ("overflow_mode", "activation", "code_table", "rows_operation")


class Wrong(Exception):
    """The map does not describe a command."""


@dataclass(frozen=True)
class Member:
    path: tuple[str, ...]  # its name, behind that of the member that it is in
    word: int
    field: FieldNode
    note: str

    @property
    def declaration(self) -> str:
        sign = "signed " if self.field.get_property("member_signed") else ""
        width = f"[{self.field.width - 1}:0] " if self.field.width > 1 or sign else ""
        return f"logic {sign}{width}{self.path[-1]};"

    @property
    def value(self) -> str:
        low, high = self.field.low, self.field.high
        bits = "" if self.field.width == 32 else f"[{high}:{low}]" if high > low else f"[{low}]"
        return f"word[{self.word}]{bits}"


def words_of(registers: list[RegNode]) -> tuple[list[RegNode], int]:
    """The registers in the order of a descriptor, and how many are before the extension."""
    names = [register.inst_name for register in registers]
    base = registers[names.index(FIRST) : names.index(LAST) + 1]
    with_members = [n for n, register in enumerate(registers) if members_of(register, 0)]
    extension = registers[names.index(EXTENSION) : names.index(END) + 1]
    words = base + extension
    for part in (base, extension):
        for before, behind in itertools.pairwise(part):
            if behind.address_offset != before.address_offset + 4:
                raise Wrong(f"{behind.inst_name} does not follow {before.inst_name}")
    lost = {registers[n].inst_name for n in with_members} - {word.inst_name for word in words}
    if lost:
        raise Wrong(f"{', '.join(sorted(lost))}: a member, but no word of a descriptor")
    return words, len(base)


def members_of(register: RegNode, word: int) -> list[Member]:
    whole = register.get_property("member")
    fields = register.fields()
    if whole and len(fields) != 1:
        raise Wrong(f"{register.inst_name}: only a register with one field can be a member")
    members = []
    for field in fields:
        path = whole or field.get_property("member")
        if path:
            name = register.inst_name + ("" if len(fields) == 1 else f".{field.inst_name}")
            members.append(Member(tuple(path.split(".")), word, field, name))
    return members


def label(prefix: str, code: str) -> str:
    """The name of a code: float16 is Fp16, and a table has its number alone."""
    words = code.replace("bfloat", "bf").replace("float", "fp").removeprefix("table_").split("_")
    return prefix + "".join(word.capitalize() for word in words)


def encodings_of(registers: list[RegNode]) -> dict[str, tuple[type[UserEnum], int]]:
    """The enumerations of fields by name, and the bits of a field."""
    fields = [field for register in registers for field in register.fields()]
    encodings = [(field.get_property("encode"), field.width) for field in fields]
    return {encoding.type_name: (encoding, width) for encoding, width in encodings if encoding}


def enumerations(registers: list[RegNode], kinds: dict[str, tuple[str, str]]) -> str:
    encodings = encodings_of(registers)
    text = ""
    for name, (kind, prefix) in kinds.items():
        if name not in encodings:
            raise Wrong(f"no field has the codes {name}")
        encoding, width = encodings[name]
        lines = [
            (
                label(prefix, code.name),
                code.value,
                code.rdl_desc,
            )
            for code in encoding
        ]
        text += f"  typedef enum logic {f'[{width - 1}:0] ' if width > 1 else ''}{{\n"
        for n, (code, value, desc) in enumerate(lines):
            comma = "," if n + 1 < len(lines) else ""
            note = "  // " + " ".join(desc.split()) if desc else ""
            text += f"    {code} = {width}'d{value}{comma}{note}\n"
        text += f"  }} {kind};\n\n"
        if name not in CHECKED:
            continue
        # In 32 bits: no comparison is constant where every code has a meaning.
        text += f"  function automatic logic is_{kind.removesuffix('_e')}(logic [{width - 1}:0] code);\n"
        text += f"    return 32'(code) < 32'd{len(lines)};\n  endfunction\n\n"
    return text


def types_of(text: str) -> dict[str, str]:
    """The type of each member that has members."""
    types = {}
    for part in text.split(","):
        *names, kind = part.split()
        types.update(dict.fromkeys(names, kind))
    return types


def structure(name: str, lines: list[tuple[str, str]]) -> str:
    width = max(len(line) for line, _ in lines)
    body = "".join(
        f"    {line:{width}}  // {note}\n" if note else f"    {line}\n" for line, note in lines
    )
    return f"  typedef struct packed {{\n{body}  }} {name};\n\n"


def structures(members: list[Member], types: dict[str, str]) -> str:
    """The types of the members that have members, then the command. Members of a type that several have are in the order
    of their names, because the map may have another order for each."""
    groups: dict[str, list[Member]] = {}
    for member in members:
        groups.setdefault(member.path[0], []).append(member)
    text = ""
    for kind in dict.fromkeys(types.values()):
        alike = [groups[name] for name, its in types.items() if its == kind and name in groups]
        if not alike:  # of C alone
            continue
        if len(alike) > 1:
            alike = [sorted(group, key=lambda member: member.path[1]) for group in alike]
        lines = [[member.declaration for member in group] for group in alike]
        if any(other != lines[0] for other in lines):
            raise Wrong(f"{kind}: not all that have this type have the same members")
        notes = [", ".join(member.note for member in same) for same in zip(*alike)]
        text += structure(kind, list(zip(lines[0], notes)))
    top: list[tuple[str, str]] = []
    for name, inside in groups.items():
        if name in types:
            top.append((f"{types[name]} {name};", ""))
        elif len(inside[0].path) == 1:
            top.append((inside[0].declaration, inside[0].note))
        else:
            raise Wrong(f"{'.'.join(inside[0].path)}: member_types does not have {name}")
    reason = "other than ErrNone: the descriptor could not be read, and nothing else counts"
    top.append(("error_e error;", reason))
    return text + structure("command_t", top)


def package(source: Path, registers: list[RegNode], types: dict[str, str]) -> str:
    words, base = words_of(registers)
    members = [member for n, word in enumerate(words) for member in members_of(word, n)]
    mode = next(n for n, word in enumerate(words) if word.inst_name == "MODE")
    extended = next(field for field in words[mode].fields() if field.inst_name == "extended")
    last = {field.inst_name: field for field in words[base - 1].fields()}
    operation = {field.inst_name: field for field in words[base].fields()}
    text = "// SPDX-License-Identifier: Apache-2.0\n"
    text += f"// Generated from {source} by rtl/regs/command_package.py: the command, of its registers or its descriptor.\n"
    text += "package fp8mac_command_pkg;\n\n"
    text += enumerations(registers, ENUMERATIONS)
    text += structures(members, types)
    text += f"""  // The words of a descriptor, those of the extension behind them, and the bit that says whether they are there
  parameter int unsigned CommandWords   = {base};
  parameter int unsigned ExtensionWords = {len(words) - base};
  parameter int unsigned MostWords      = CommandWords + ExtensionWords;
  parameter int unsigned ModeWord       = {mode};
  parameter int unsigned ExtendedBit    = {extended.low};

  // Bits of the last word without the extension: another descriptor follows; the list pauses before it
  parameter int unsigned MoreBit        = {last["more"].low};
  parameter int unsigned PauseBit       = {last["pause"].low};

  // The load of a table of codes: the bit of the first word of the extension that asks for it, and the word of the address
  parameter int unsigned LoadTableBit   = {operation["load_table"].low};
  parameter int unsigned TableAddrWord  = {len(words) - 1};

  typedef logic [MostWords-1:0][31:0] words_t;

  // All of the extension is 0 if it is not there.
  function automatic command_t command_of(words_t words);
    words_t word;
    command_t command;
    logic unused;
    word = words;
    unused = ^word[TableAddrWord];  // which is no member
    if (!words[ModeWord][ExtendedBit]) word[MostWords-1:CommandWords] = '0;
    command.error = ErrNone;
"""
    for member in members:
        text += f"    command.{'.'.join(member.path)} = {member.value};\n"
    text += "    return command;\n  endfunction\n\n"
    text += "  function automatic words_t words_of(fp8mac_regs_pkg::fp8mac_regs__out_t out);\n"
    text += "    words_t word;\n    word = '0;\n"
    for n, register in enumerate(words):
        for field in register.fields():
            name = f"out.{register.inst_name}.{field.inst_name}.value"
            text += f"    word[{n}][{field.high}:{field.low}] = {name};\n"
    return text + "    return word;\n  endfunction\n\nendpackage\n"


def codes(source: Path, registers: list[RegNode]) -> str:
    """The package of the codes that array and epilogue know."""
    text = "// SPDX-License-Identifier: Apache-2.0\n"
    text += f"// Generated from {source} by rtl/regs/command_package.py (`make regs`):\n"
    text += "// codes of a command's fields.\n"
    return text + "package fp8mac_codes_pkg;\n\n" + enumerations(registers, CODES) + "endpackage\n"


def main() -> int:
    given = register_map.arguments(__doc__)
    top, registers = register_map.compiled(given)
    try:
        if given.out.name == "fp8mac_codes_pkg.sv":
            text = codes(given.map, registers)
        else:
            text = package(given.map, registers, types_of(top.get_property("member_types")))
    except Wrong as wrong:
        print(f"{given.map}: {wrong}", file=sys.stderr)
        return 1
    given.out.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
