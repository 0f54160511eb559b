# SPDX-License-Identifier: Apache-2.0
"""Writes the functions of rules.py in SystemVerilog.

A rule has a docstring, annotated parameters, and these statements: return, NAME = expression, `if` without `else`, and
`for NAME in range(first, end)`. Its expressions have numbers, names, attributes of an element, calls of rules, max() of
two, comparisons, and, or, + - * // % and `a if b else c`. Anything else is refused.
"""

from __future__ import annotations

import ast
import textwrap

TYPES = {"Element": "int unsigned", "int": "int unsigned", "bool": "bit"}
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.And: "&&", ast.Or: "||",
}  # fmt: skip


class Translation:
    """The functions and constants of one Python source."""

    def __init__(self, source: str) -> None:
        body = ast.parse(source).body
        self.rules = {one.name: one for one in body if isinstance(one, ast.FunctionDef)}
        self.constants = {
            one.targets[0].id: one.value.value for one in body if isinstance(one, ast.Assign)
        }

    def text(self) -> str:
        parameters = [
            f"  parameter int unsigned {constant(name)} = {value};"
            for name, value in self.constants.items()
        ]
        return "\n".join([*parameters, "", *map(self.function, self.rules.values())])

    def name(self, rule: str) -> str:
        first = self.rules[rule].args.args[0]
        return ("element_" if first.arg == "element" else "") + rule

    def function(self, rule: ast.FunctionDef) -> str:
        ports = ", ".join(f"{TYPES[one.annotation.id]} {one.arg}" for one in rule.args.args)
        comment = " ".join(ast.get_docstring(rule).split())
        body = rule.body[1:]
        names = dict.fromkeys(one.targets[0].id for one in body if isinstance(one, ast.Assign))
        lines = [
            *textwrap.wrap(comment, 112, initial_indent="// ", subsequent_indent="// "),
            f"function automatic {TYPES[rule.returns.id]} {self.name(rule.name)}({ports});",
            *(f"  int unsigned {name};" for name in names),
            *(f"  {line}" for statement in body for line in self.statement(statement)),
            "endfunction",
            "",
        ]
        return textwrap.indent("\n".join(lines), "  ", str.strip)

    def statement(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Return(value=value):
                return [f"return {self.expression(value, outer=True)};"]
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return [f"{name} = {self.expression(value, outer=True)};"]
            case ast.If(test=test, body=body, orelse=[]):
                head = f"if ({self.expression(test, outer=True)}) begin"
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=[first, end]),
                body=body,
                orelse=[],
            ):
                start = f"int unsigned {name} = {self.expression(first)}"
                head = f"for ({start}; {name} < {self.expression(end)}; {name}++) begin"
            case _:
                raise ValueError(f"a rule cannot have {ast.unparse(node)!r}")
        return [head, *(f"  {line}" for one in body for line in self.statement(one)), "end"]

    def expression(self, node: ast.expr, outer: bool = False) -> str:
        both = self.expression
        match node:
            case ast.Constant(value=int(value)):
                return f"1'b{int(value)}" if isinstance(value, bool) else str(value)
            case ast.Name(id=name):
                return constant(name) if name in self.constants else name
            case ast.Attribute(value=ast.Name(id="element"), attr=column):
                return f"element_{column}(element)"
            case ast.Call(func=ast.Name(id="max"), args=[one, other]):
                text = f"{both(one)} > {both(other)} ? {both(one)} : {both(other)}"
            case ast.Call(func=ast.Name(id=rule), args=arguments) if rule in self.rules:
                return f"{self.name(rule)}({', '.join(both(one, outer=True) for one in arguments)})"
            case ast.IfExp(test=test, body=yes, orelse=no):
                text = f"{both(test)} ? {both(yes)} : {both(no)}"
            case ast.BinOp(left=one, op=operator, right=other) if type(operator) in OPERATORS:
                text = f"{both(one)} {OPERATORS[type(operator)]} {both(other)}"
            case ast.Compare(left=one, ops=[operator], comparators=[other]):
                text = f"{both(one)} {OPERATORS[type(operator)]} {both(other)}"
            case ast.BoolOp(op=operator, values=values):
                text = f" {OPERATORS[type(operator)]} ".join(map(both, values))
            case _:
                raise ValueError(f"a rule cannot have {ast.unparse(node)!r}")
        return text if outer else f"({text})"


def constant(name: str) -> str:
    """PASS_TILES is RulePassTiles: fp8mac_pkg has PassTiles."""
    return "Rule" + "".join(word.capitalize() for word in name.split("_"))


def systemverilog(source: str) -> str:
    return Translation(source).text()
