# SPDX-License-Identifier: Apache-2.0
"""Writes the command for C from the register map: its enumerations, its structure, and its words.

    command_c.py [-I FOLDER] [-D NAME=VALUE]... -o FOLDER MAP.rdl

FOLDER is that of the model, `model`, which keeps the three files, because whoever builds the library has no compiler of
register maps. `make regs` writes them, and a test compares.

  include/fp8mac/codes.h           the codes of a command's fields, and of its error
  include/fp8mac/command_fields.h  fp8mac_command, with the members that the map's `member` and `c_member` name
  src/command/words.c              makes a command of the words of a descriptor, and these words of a command
"""

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import command_package
import register_map
from command_package import Wrong
from systemrdl.node import AddrmapNode, FieldNode, RegNode

# Enumerations of the map: their name in C, what their constants begin with, and what they are
ENUMERATIONS = {
    "operation": ("fp8mac_operation", "FP8MAC_OP", "What a command computes"),
    "rows_operation": (
        "fp8mac_rows_operation",
        "FP8MAC_ROWS",
        "What a row command computes: fp8mac/rows.h has the equations",
    ),
    "activation": ("fp8mac_activation", "FP8MAC_ACT", "The activation of an epilogue"),
    "overflow_mode": ("fp8mac_overflow", "FP8MAC_OVERFLOW", "What a result too large becomes"),
    "pass_shape": ("fp8mac_pass_shape", "FP8MAC_PASS", "The tiles that are computed in turn"),
    "error_code": ("fp8mac_command_error", "FP8MAC_COMMAND_ERROR", "Why a command failed"),
}
# Those whose number of codes is a constant
COUNTED = {"rows_operation": "FP8MAC_ROWS_OPERATIONS"}
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


def codes(source: str, registers: list[RegNode]) -> str:
    encodings = {}
    for register in registers:
        for field in register.fields():
            if encoding := field.get_property("encode"):
                encodings[encoding.type_name] = encoding
    text = head(source, "the codes of a command's fields, and of its error.")
    text += "#ifndef FP8MAC_CODES_H\n#define FP8MAC_CODES_H\n\n"
    for name, (kind, prefix, what) in ENUMERATIONS.items():
        if name not in encodings:
            raise Wrong(f"no field has the codes {name}")
        text += f"{comment(what)}typedef enum {kind} {{\n"
        for code in encodings[name]:
            if code.rdl_desc:
                text += comment(" ".join(code.rdl_desc.split()), "    ")
            text += f"    {prefix}_{code.name.upper()} = {code.value},\n"
        text += f"}} {kind};\n\n"
        if name in COUNTED:
            text += f"enum {{ {COUNTED[name]} = {len(list(encodings[name]))} }};\n\n"
    functions = next(r for r in registers if r.inst_name == FUNCTIONS)
    text += (
        comment(f"Bits of {FUNCTIONS}: what the extension of a command may ask for") + "enum {\n"
    )
    for field in functions.fields():
        text += comment(" ".join(field.get_property("desc").split()), "    ")
        text += f"    FP8MAC_FUNCTION_{field.inst_name.upper()} = 1u << {field.low},\n"
    return text + "};\n\n#endif\n"


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
    text += "typedef struct fp8mac_command {\n"
    for name in groups:
        if name in types:
            text += f"    fp8mac_{types[name].removesuffix('_t')} {name};\n"
    text += declarations([m for m in members if len(m.path) == 1])
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
    return text + "    fp8mac_command_clear_extension(c);\n}\n\n#endif\n"


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
    }


def formatted(name: str, text: str) -> str:
    """As the project's other C, by the formatter that is installed beside this Python."""
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
