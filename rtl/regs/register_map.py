# SPDX-License-Identifier: Apache-2.0
"""The register map, compiled: what the generators of this folder have in common."""

import argparse
from pathlib import Path

from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, RegNode


def arguments(description: str) -> argparse.Namespace:
    """[-I FOLDER] [-D NAME=VALUE]... -o FILE MAP.rdl"""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("map", type=Path)
    parser.add_argument("-I", dest="folders", action="append", default=[])
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("-o", dest="out", type=Path, required=True)
    return parser.parse_args()


def compiled(given: argparse.Namespace) -> tuple[AddrmapNode, list[RegNode]]:
    """The map and its registers, in the order of their addresses."""
    compiler = RDLCompiler()
    compiler.compile_file(
        str(given.map),
        incl_search_paths=given.folders,
        defines=dict(define.split("=") for define in given.defines),
    )
    top = compiler.elaborate().top
    registers = [node for node in top.children() if isinstance(node, RegNode)]
    return top, sorted(registers, key=lambda register: register.address_offset)
