# SPDX-License-Identifier: Apache-2.0
"""Writes the command for C from the register map: its enumerations, its structure, and its words; and the enumerations
for Python.

    command_c.py [-I FOLDER] [-D NAME=VALUE]... -o FOLDER MAP.rdl

FOLDER is that of the model, `model`, which keeps the four files, because whoever builds the library has no compiler of
register maps. `make regs` writes them, and a test compares.

  include/fp8mac/codes.h           the codes of a command's fields, and of its error
  include/fp8mac/command_fields.h  fp8mac_command, with the members that the map's `member` and `c_member` name
  src/command/words.c              makes a command of the words of a descriptor, and these words of a command
  python/fp8mac/register_codes.py  the same codes for Python, and those of formats
"""

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import command_package
import register_map
from command_package import Wrong
from systemrdl.node import AddrmapNode, FieldNode, RegNode


class Enumeration(NamedTuple):
    kind: str  # its name in C
    prefix: str  # what its constants begin with
    count: str  # the constant that says how many codes it has
    what: str
    worded: bool = False  # users write its words


# Of the map
ENUMERATIONS = {
    "operation": Enumeration(
        "fp8mac_operation", "FP8MAC_OP", "FP8MAC_OPERATIONS", "What a command computes"
    ),
    "rows_operation": Enumeration(
        "fp8mac_rows_operation",
        "FP8MAC_ROWS",
        "FP8MAC_ROWS_OPERATIONS",
        "What a row command computes: fp8mac/rows.h has the equations",
        True,
    ),
    "activation": Enumeration(
        "fp8mac_activation",
        "FP8MAC_ACT",
        "FP8MAC_ACTIVATIONS",
        "The activation of an epilogue",
        True,
    ),
    "overflow_mode": Enumeration(
        "fp8mac_overflow",
        "FP8MAC_OVERFLOW",
        "FP8MAC_OVERFLOWS",
        "What a result too large becomes",
        True,
    ),
    "pass_shape": Enumeration(
        "fp8mac_pass_shape",
        "FP8MAC_PASS",
        "FP8MAC_PASS_SHAPES",
        "The tiles that are computed in turn",
    ),
    "code_table": Enumeration(
        "fp8mac_d_table",
        "FP8MAC_D_TABLE",
        "FP8MAC_D_TABLES",
        "The table that gives the codes of D; NONE counts as one of them",
    ),
    "error_code": Enumeration(
        "fp8mac_command_error",
        "FP8MAC_COMMAND_ERROR",
        "FP8MAC_COMMAND_ERRORS",
        "Why a command failed",
    ),
}
# Those that Python has beside them; C has format.h
PYTHON_FORMATS = {
    "fp8_format": ("Fp8Format", "The format of an operand of FP8"),
    "d_format": (
        "DFormat",
        "The format of D, of C, and of the X of an element-wise or row command",
    ),
}
FUNCTIONS = "CONFIG4"
WIDTH = 100


class Member:
    """A member of C's structure: its path, the word of a descriptor, and its bits."""

    def __init__(self, path: str, word: int, field: FieldNode, note: str):
        self.path = tuple(path.split("."))
        self.word, self.field, self.note = word, field, note
        self.address = bool(field.parent.get_property("member_address"))
        self.signed = bool(field.get_property("member_signed"))

    @property
    def type(self) -> str:
        if self.address:
            return "uintptr_t"
        if self.field.width == 1:
            return "bool"
        size = next(size for size in (8, 16, 32) if self.field.width <= size)
        return f"{'' if self.signed else 'u'}int{size}_t"

    @property
    def size(self) -> int:
        return (
            8 if self.address else 4 if self.field.width > 16 else 2 if self.field.width > 8 else 1
        )

    def get(self) -> str:
        """The member's value, of the words."""
        if self.field.width == 32:
            return f"word[{self.word}]"
        shift = f"word[{self.word}] >> {self.field.low}" if self.field.low else f"word[{self.word}]"
        if self.field.width == 1:
            return f"({shift} & 1u) != 0"
        if self.field.high == 31 or self.field.width in (8, 16):
            return f"({self.type})({shift})" if self.field.low else f"({self.type}){shift}"
        bits = f"{shift} & 0x{(1 << self.field.width) - 1:x}u"
        return f"({self.type})({bits})" if self.field.width < 17 else bits

    def put(self) -> str:
        """The member's bits of its word."""
        value = f"c->{'.'.join(self.path)}"
        if self.field.width == 32:
            return f"(uint32_t){value}" if self.address else value
        value = f"(uint32_t){value}"
        if self.signed:
            value = f"({value} & 0x{(1 << self.field.width) - 1:x}u)"
        return f"{value} << {self.field.low}" if self.field.low else value


def members_of(words: list[RegNode]) -> list[Member]:
    members = []
    for n, register in enumerate(words):
        whole = register.get_property("member") or register.get_property("c_member")
        fields = register.fields()
        for field in fields:
            path = whole or field.get_property("member") or field.get_property("c_member")
            if path:
                name = register.inst_name + ("" if len(fields) == 1 else f".{field.inst_name}")
                members.append(Member(path, n, field, name))
    return members


def zeros(members: list[Member]) -> str:
    zero = {"bool": "false"}
    return "".join(f"    c->{'.'.join(m.path)} = {zero.get(m.type, 0)};\n" for m in members)


def comment(text: str, indent: str = "") -> str:
    lines = textwrap.wrap(text, WIDTH - len(indent) - 3, break_on_hyphens=False)
    return "".join(f"{indent}// {line}\n" for line in lines)


def head(source: str, what: str) -> str:
    made = f"Generated from {source} by rtl/regs/command_c.py (`make regs`): {what}"
    return "// SPDX-License-Identifier: Apache-2.0\n" + comment(made)


def constant(code: str) -> str:
    """What the name of a constant ends with. A table has its number alone."""
    return code.upper().removeprefix("TABLE_")


def words_of(one: Enumeration, codes: list) -> str:
    words = {code.name: code.name.replace("_", "-") for code in codes}
    each = [f'X("{word}", {one.prefix}_{constant(name)})' for name, word in words.items()]
    text = "// Their words, and X(word, code) of each\n"
    text += f'#define {one.prefix}_WORDS "{", ".join(words.values())}"\n'
    return text + f"#define {one.prefix}_EACH(X) \\\n    " + " \\\n    ".join(each) + "\n\n"


def codes(source: str, registers: list[RegNode]) -> str:
    encodings = command_package.encodings_of(registers)
    text = head(source, "the codes of a command's fields, and of its error.")
    text += "#ifndef FP8MAC_CODES_H\n#define FP8MAC_CODES_H\n\n"
    for name, one in ENUMERATIONS.items():
        if name not in encodings:
            raise Wrong(f"no field has the codes {name}")
        codes = list(encodings[name][0])
        if [code.value for code in codes] != list(range(len(codes))):
            raise Wrong(f"{name}: its codes are not 0, 1, 2, ..")
        text += f"{comment(one.what)}typedef enum {one.kind} {{\n"
        for code in codes:
            if code.rdl_desc:
                text += comment(" ".join(code.rdl_desc.split()), "    ")
            text += f"    {one.prefix}_{constant(code.name)} = {code.value},\n"
        text += f"}} {one.kind};\n\nenum {{ {one.count} = {len(codes)} }};\n\n"
        if one.worded:
            text += words_of(one, codes)
    functions = next(r for r in registers if r.inst_name == FUNCTIONS)
    text += (
        comment(f"Bits of {FUNCTIONS}: what the extension of a command may ask for") + "enum {\n"
    )
    for field in functions.fields():
        text += comment(" ".join(field.get_property("desc").split()), "    ")
        text += f"    FP8MAC_FUNCTION_{field.inst_name.upper()} = 1u << {field.low},\n"
    return text + "};\n\n#endif\n"


def python_codes(source: str, registers: list[RegNode]) -> str:
    encodings = command_package.encodings_of(registers)
    text = f"""# SPDX-License-Identifier: Apache-2.0
# Generated from {source} by rtl/regs/command_c.py (`make regs`).
\"\"\"The codes of a command's fields, and of its error. fp8mac/codes.h says what each one means.\"\"\"

from __future__ import annotations

from enum import IntEnum


class Codes(IntEnum):
    \"\"\"Codes whose words are their names in small letters, with hyphens.\"\"\"

    @property
    def word(self) -> str:
        return self.name.lower().replace("_", "-")

    @classmethod
    def words(cls) -> tuple[str, ...]:
        return tuple(code.word for code in cls)

    @classmethod
    def of(cls, word: str) -> int:
        return cls[word.upper().replace("-", "_")].value
"""
    own = {name: (camel(one.kind), one.what) for name, one in ENUMERATIONS.items()}
    for name, (kind, what) in (own | PYTHON_FORMATS).items():
        text += f'\n\nclass {kind}(Codes):\n    """{what.split(":")[0]}."""\n\n'
        codes = encodings[name][0]
        text += "".join(f"    {code.name.upper()} = {code.value}\n" for code in codes)
    return text


def camel(kind: str) -> str:
    return "".join(word.capitalize() for word in kind.removeprefix("fp8mac_").split("_"))


def declarations(members: list[Member]) -> str:
    """Members of a structure, the widest first."""
    text = ""
    for member in sorted(members, key=lambda member: -member.size):
        note = f" // {member.note}" if member.note else ""
        text += f"    {member.type} {member.path[-1]};{note}\n"
    return text


def structures(members: list[Member], types: dict[str, str]) -> str:
    groups: dict[str, list[Member]] = {}
    for member in members:
        groups.setdefault(member.path[0], []).append(member)
    text = ""
    for kind in dict.fromkeys(types.values()):
        alike = [groups[name] for name, its in types.items() if its == kind and name in groups]
        if not alike:
            raise Wrong(f"{kind}: no member has this type")
        if len(alike) > 1:
            alike = [sorted(group, key=lambda member: member.path[1]) for group in alike]
            if any([m.path[1] for m in group] != [m.path[1] for m in alike[0]] for group in alike):
                raise Wrong(f"{kind}: not all that have this type have the same members")
            for same in zip(*alike):
                same[0].note = ", ".join(member.note for member in same)
        name = "fp8mac_" + kind.removesuffix("_t")
        text += f"typedef struct {name} {{\n{declarations(alike[0])}}} {name};\n\n"
    # Words first: RISC-V's short loads and stores are of words and reach 128 bytes.
    text += "typedef struct fp8mac_command {\n"
    text += declarations([m for m in members if len(m.path) == 1])
    widest = {name: max(m.size for m in its) for name, its in groups.items() if name in types}
    for name in sorted(widest, key=lambda name: -widest[name]):
        text += f"    fp8mac_{types[name].removesuffix('_t')} {name};\n"
    return text + "} fp8mac_command;\n\n"


def fields(
    source: str, words: list[RegNode], base: int, members: list[Member], types: dict[str, str]
) -> str:
    text = head(
        source,
        "a command, a member for each field of its registers. The register map says what each field means. "
        "Members are named as those of the RTL's command_t. fp8mac/command.h has the functions.",
    )
    text += """#ifndef FP8MAC_COMMAND_FIELDS_H
#define FP8MAC_COMMAND_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/codes.h"

"""
    text += structures(members, types)
    text += f"""// The words of a descriptor: those that every one has, and those with the extension
enum {{ FP8MAC_COMMAND_WORDS = {base}, FP8MAC_COMMAND_WORDS_MOST = {len(words)} }};

// The word of a descriptor that has a register
enum {{
"""
    text += "".join(f"    FP8MAC_WORD_{word.inst_name} = {n},\n" for n, word in enumerate(words))
    text += """};

// Each member by itself. So the compiler calls no function, and leaves out those that are then set.
static inline void fp8mac_command_clear_extension(fp8mac_command *c)
{
"""
    text += zeros([m for m in members if m.word >= base])
    text += "}\n\nstatic inline void fp8mac_command_clear(fp8mac_command *c)\n{\n"
    text += zeros([m for m in members if m.word < base])
    text += "    fp8mac_command_clear_extension(c);\n}\n\n"
    text += "// Whether each member of unsigned numbers fits the field of its register.\n"
    text += "static inline bool fp8mac_command_fits(const fp8mac_command *c)\n{\n    return "
    narrow = [m for m in members if not m.signed and 1 < m.field.width < 8 * m.size]
    return text + " && ".join(map(limit, narrow)) + ";\n}\n\n#endif\n"


def limit(member: Member) -> str:
    """Whether a member fits its field. A shift, because a comparison with 2^32 is always true where a word has 32 bits."""
    path, width = ".".join(member.path), member.field.width
    return f"(uint64_t)c->{path} >> 32 == 0" if width == 32 else f"c->{path} < {1 << width}"


def word_functions(source: str, base: int, count: int, members: list[Member]) -> str:
    text = head(source, "a command as the words of its descriptor.")
    text += '#include "command/tiles.h"\n\n'

    def read(part: list[Member]) -> str:
        return "".join(f"    c->{'.'.join(m.path)} = {m.get()};\n" for m in part)

    def write(part: list[Member]) -> str:
        text = ""
        for n in sorted({m.word for m in part}):
            bits = [m.put() for m in part if m.word == n]
            if len(bits) > 1:
                bits = [f"({b})" if "<<" in b else b for b in bits]
            text += f"    word[{n}] = {' | '.join(bits)};\n"
        return text

    short = [m for m in members if m.word < base]
    long = [m for m in members if m.word >= base]
    return (
        text
        + f"""// Commands are read of their words more seldom than they are written.
#define SELDOM __attribute__((cold))

static SELDOM void read_extension(const uint32_t *word, fp8mac_command *c)
{{
{read(long)}}}

SELDOM fp8mac_command fp8mac_command_of_words(const uint32_t *word)
{{
    fp8mac_command command, *const c = &command;
    fp8mac_command_clear(c);
{read(short)}    if (c->mode.extended) {{
        read_extension(word, c);
    }}
    return command;
}}

static SELDOM void write_extension(const fp8mac_command *c, uint32_t *word)
{{
{write(long)}}}

void fp8mac_command_drop_extension(fp8mac_command *c)
{{
    if (!c->mode.extended) {{
        fp8mac_command_clear_extension(c);
    }}
}}

unsigned fp8mac_words_of_command(const fp8mac_command *c, uint32_t word[FP8MAC_COMMAND_WORDS_MOST])
{{
{write(short)}    if (c->mode.extended) {{
        write_extension(c, word);
    }}
    return c->mode.extended ? FP8MAC_COMMAND_WORDS_MOST : FP8MAC_COMMAND_WORDS;
}}
"""
    )


def files(source: str, top: AddrmapNode, registers: list[RegNode]) -> dict[str, str]:
    words, base = command_package.words_of(registers)
    members = members_of(words)
    types = command_package.types_of(top.get_property("member_types"))
    return {
        "include/fp8mac/codes.h": codes(source, registers),
        "include/fp8mac/command_fields.h": fields(source, words, base, members, types),
        "src/command/words.c": word_functions(source, base, len(words), members),
        "python/fp8mac/register_codes.py": python_codes(source, registers),
    }


def formatted(name: str, text: str) -> str:
    """As the project's other C, by the formatter that is installed beside this Python."""
    if name.endswith(".py"):
        return text
    tool = shutil.which("clang-format", path=Path(sys.executable).parent)
    if tool is None:
        raise Wrong("clang-format is not installed beside Python: `make setup` does that")
    command = [tool, f"--assume-filename=model/{name}"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main() -> int:
    given = register_map.arguments(__doc__)
    top, registers = register_map.compiled(given)
    try:
        made = files(str(given.map), top, registers)
        made = {name: formatted(name, text) for name, text in made.items()}
    except Wrong as wrong:
        print(f"{given.map}: {wrong}", file=sys.stderr)
        return 1
    for name, text in made.items():
        path = given.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
