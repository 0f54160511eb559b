# SPDX-License-Identifier: Apache-2.0
"""The Python package as a page: what its modules export, read from the sources without building or importing it."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass

from markdown_text import code, directive, escaped, prose, table
from pages import ROOT, Sources, Wrong

PACKAGE = ROOT / "model" / "python" / "fp8mac"
MODULES = {"fp8mac": "__init__", "fp8mac.recipes": "recipes"}


@dataclass
class Definition:
    node: ast.stmt
    lines: list[str]  # of its file


def parsed(stem: str) -> tuple[ast.Module, list[str]]:
    path = PACKAGE / f"{stem}.py"
    text = (path if path.exists() else path.with_suffix(".pyi")).read_text()
    return ast.parse(text), text.split("\n")


def names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def definitions(stem: str) -> dict[str, Definition]:
    """What a module defines; of overloads the last, which has the whole signature."""
    tree, lines = parsed(stem)
    return {name: Definition(node, lines) for node in tree.body for name in names_of(node)}


def exported(stem: str) -> list[str]:
    tree, _ = parsed(stem)
    for node in tree.body:
        if "__all__" in names_of(node):
            return [name for name in ast.literal_eval(node.value) if not name.startswith("__")]
    raise Wrong(f"{PACKAGE / stem}.py has no __all__: name there what it exports")


def public(stem: str) -> dict[str, Definition | None]:
    """The exported names of a module: where each is defined; None for a module."""
    tree, _ = parsed(stem)
    own = definitions(stem)
    origin = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
    }
    found: dict[str, Definition | None] = {}
    for name in exported(stem):
        module, original = origin.get(name, (stem, name))
        if module is None:
            found[name] = None
        else:
            found[name] = own.get(name) or definitions(module)[original]
    return found


def docstring(text: str | None) -> str:
    """The colon at an end stands before a list that the package adds when it is imported."""
    return prose(re.sub(r":\s*\Z", ".", inspect.cleandoc(text or "")))


def signature(node: ast.FunctionDef, method: bool) -> str:
    arguments = node.args
    if method and "staticmethod" not in decorators(node):
        arguments = ast.parse(f"def f({ast.unparse(arguments)}): ...").body[0].args
        (arguments.posonlyargs or arguments.args).pop(0)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(arguments)}){returns}"


def decorators(node: ast.FunctionDef) -> list[str]:
    return [ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list]


def comment_of(node: ast.stmt, lines: list[str]) -> str:
    """The comment behind a field, or that in the lines above it."""
    behind = re.search(r"#:? ?(.*)$", lines[node.end_lineno - 1])
    if behind:
        return behind[1]
    above, line = [], node.lineno - 2
    while line >= 0 and (match := re.match(r"\s*#:? ?(.*)$", lines[line])):
        above.insert(0, match[1])
        line -= 1
    return " ".join(above)


def class_body(found: Definition) -> str:
    node = found.node
    text, out, fields = docstring(ast.get_docstring(node)), "", []
    for child in node.body:
        name = (names_of(child) or ["_"])[0]
        if name.startswith("_"):
            continue
        if isinstance(child, ast.FunctionDef):
            what = docstring(ast.get_docstring(child))
            if {"property", "cached_property"} & set(decorators(child)):
                kind = (f"type: {ast.unparse(child.returns)}",)
                out += directive("py:property", name, what, kind)
            else:
                out += directive("py:method", signature(child, True), what)
        else:
            kind = ast.unparse(
                child.annotation if isinstance(child, ast.AnnAssign) else child.value
            )
            fields.append((code(name), code(kind), escaped(comment_of(child, found.lines))))
    return text + table(("field", "type or value", "meaning"), fields) + out


def error_text() -> str:
    """What the extension says of its class Error."""
    match = re.search(
        r'PyErr_NewExceptionWithDoc\(\s*"fp8mac\.Error",((?:\s*"(?:[^"\\]|\\.)*")+)',
        (PACKAGE / "_core.c").read_text(),
    )
    if match is None:
        raise Wrong(f"{PACKAGE}/_core.c has no text for fp8mac.Error where it makes the class")
    return prose("".join(map(ast.literal_eval, re.findall(r'"(?:[^"\\]|\\.)*"', match[1]))))


def shown(name: str, found: Definition) -> str:
    node = found.node
    if isinstance(node, ast.FunctionDef):
        return directive("py:function", signature(node, False), docstring(ast.get_docstring(node)))
    if isinstance(node, ast.ClassDef):
        inits = [x for x in node.body if isinstance(x, ast.FunctionDef) and x.name == "__init__"]
        call = signature(inits[-1], True).removeprefix("__init__") if inits else ""
        body = error_text() if name == "Error" else class_body(found)
        kind = "py:exception" if name == "Error" else "py:class"
        return directive(kind, name + call, body)
    kind = (f"type: {ast.unparse(node.annotation)}",) if isinstance(node, ast.AnnAssign) else ()
    return directive("py:data", name, docstring(comment_of(node, found.lines)), kind)


def write(sources: Sources) -> None:
    out = "# Python interface\n\n"
    out += "[The package's page](../model/python/README.md) says how to install it, and has examples.\n\n"
    for module, stem in MODULES.items():
        tree, _ = parsed(stem)
        out += f"## {module}\n\n" + directive(
            "py:module", module, docstring(ast.get_docstring(tree))
        )
        out += "\n"
        for name, found in sorted(public(stem).items(), key=lambda item: item[0].lower()):
            if found is not None:
                out += shown(name, found) + "\n"
    sources.write("reference/python.md", out)
