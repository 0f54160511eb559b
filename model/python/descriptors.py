# SPDX-License-Identifier: Apache-2.0
"""Structures and enumerations of this project's headers as a module of ctypes, and a C file that proves their layout.

The compiler's preprocessor gives the text. Few forms of a declaration have to be known: `typedef struct NAME {...} NAME;`, an
enumeration, a member with stars, sizes, or several names. All pointers are addresses. A form that is not known is an error.
"""

import ctypes
import os
import re
import subprocess
from pathlib import Path

BASIC = {
    **{f"{u}int{n}_t": f"c_{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)},
    **{"float": "c_float", "_Bool": "c_bool", "size_t": "c_size_t", "uintptr_t": "c_size_t"},
    **{"int": "c_int", "unsigned": "c_uint", "double": "c_double", "char": "c_char"},
}
MEMBER = re.compile(r"(?:const |struct )*(\w+) ?(?:const )?([\w\s*,\[\]]+)")
NAME = re.compile(r"(\**) ?(?:const )?(\w+)((?:\[\w+\])*)")


class Headers:
    def __init__(self, names: list[str], folders: list[Path]):
        self.constants: dict[str, int] = {}
        self.enums: set[str] = set()
        self.structs: dict[str, list[tuple[str, str, list[int]]]] = {}
        text = _preprocessed(names, folders)
        self.aliases = {m[2]: m[1] for m in re.finditer(r"^typedef (\w+) (\w+);", text, re.M)}
        for kind, name, start in self._begins(text):
            body = text[start : _end(text, start)]
            if kind == "enum":
                self._enum(name, body)
            else:
                self._struct(name, body)

    @staticmethod
    def _begins(text: str) -> list[tuple[str, str, int]]:
        """Enumerations first: they are sizes of arrays."""
        found = [
            (m[1], m[2], m.end())
            for m in re.finditer(r"^(?:typedef )?(enum|struct) ?(\w*) ?\{", text, re.M)
        ]
        return sorted(found, key=lambda one: one[0] != "enum")

    def _enum(self, name: str, body: str) -> None:
        self.enums.add(name)
        value = -1
        for item in filter(None, (" ".join(part.split()) for part in body.split(","))):
            own, _, text = (part.strip() for part in item.partition("="))
            text = re.sub(r"\b(\d\w*?)[uUlL]+\b|\(u?int\w*\)", r"\1", text)
            value = int(eval(text, {}, self.constants)) if text else value + 1
            self.constants[own] = value

    def _struct(self, name: str, body: str) -> None:
        fields = []
        while inner := re.search(r"(struct|union) ?\{", body):
            end = _end(body, inner.end())
            own = f"{name}_{len(self.structs)}"
            self._struct(own, body[inner.end() : end])
            body = body[: inner.start()] + own + body[end + 1 :]
        for member in filter(None, (" ".join(part.split()) for part in body.split(";"))):
            if function := re.search(r"\(\*(?:const )?(\w+)\)\(", member):
                fields.append((function[1], "c_void_p", []))
                continue
            match = MEMBER.fullmatch(member)
            if match is None:
                raise ValueError(f"{name}: '{member}' is no member of a known form")
            for part in match[2].split(","):
                stars, own, sizes = NAME.fullmatch(part.strip()).groups()
                kind = "c_void_p" if stars else match[1]
                fields.append((own, kind, re.findall(r"\w+", sizes)))
        self.structs[name] = fields

    def type_of(self, kind: str) -> str:
        kind = self.aliases.get(kind, kind)
        if kind == "c_void_p" or kind in self.structs:
            return kind
        return BASIC.get(kind, "c_int" if kind in self.enums else "")

    def in_order(self) -> list[str]:
        """Of structures all whose members are known: each behind those that it has."""
        order: list[str] = []
        left = dict(self.structs)
        while ready := [
            name
            for name, fields in left.items()
            if all(self._is_known(self.type_of(k), order) for _, k, _ in fields)
        ]:
            order += ready
            left = {name: fields for name, fields in left.items() if name not in ready}
        return order

    def _is_known(self, kind: str, structs: list[str]) -> bool:
        return bool(kind) and (kind not in self.structs or kind in structs)

    def size(self, text: str) -> int:
        return int(text) if text.isdigit() else self.constants[text]


def _preprocessed(names: list[str], folders: list[Path]) -> str:
    """The text of these headers, and of those of the folders that they include."""
    command = [os.environ.get("CC", "cc"), "-E", "-", *(f"-I{folder}" for folder in folders)]
    given = "".join(f'#include "{name}"\n' for name in names)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    kept, own = [], False
    for line in done.stdout.splitlines():
        if marker := re.match(r'# \d+ "(.*)"', line):
            own = any(Path(marker[1]).is_relative_to(folder) for folder in folders)
        elif own:
            kept.append(line)
    return "\n".join(kept)


def _end(text: str, start: int) -> int:
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError("a brace is not closed")


def module(headers: Headers) -> str:
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Generated from the headers of the model and of the firmware by descriptors.py.",
        "from ctypes import *",
        "",
        f"CONSTANTS = {headers.constants!r}",
    ]
    for name in headers.in_order():
        lines += ["", "", f"class {name}(Structure):", "    _fields_ = ["]
        for own, kind, sizes in headers.structs[name]:
            times = "".join(f" * {headers.size(size)}" for size in reversed(sizes))
            lines.append(f'        ("{own}", {headers.type_of(kind)}{times}),')
        lines.append("    ]")
    ready = headers.in_order()
    names = {name: headers.type_of(name) for name in headers.aliases}
    lines += ["", ""] + [f"{name} = {kind}" for name, kind in names.items() if kind in ready]
    return "\n".join(lines) + "\n"


def proof(text: str, includes: list[str]) -> str:
    """A C file that compiles if C has the layout of the module `text`."""
    scope: dict = {}
    exec(text, scope)
    lines = ["#include <stddef.h>", *(f'#include "{name}"' for name in includes)]
    for name, kind in scope.items():
        if (
            isinstance(kind, type)
            and issubclass(kind, ctypes.Structure)
            and "_fields_" in vars(kind)
        ):
            if re.search(r"_\d+$", name):  # has no name in C
                continue
            size = ctypes.sizeof(kind)
            lines.append(f'_Static_assert(sizeof({name}) == {size}, "{name}");')
            for field, *_ in kind._fields_:
                at = getattr(kind, field).offset
                lines.append(
                    f'_Static_assert(offsetof({name}, {field}) == {at}, "{name}.{field}");'
                )
    return "\n".join(lines) + "\n"
