# SPDX-License-Identifier: Apache-2.0
"""The registers of the accelerator, from Verilator's XML of it.

    python tests/flips/registers.py XML LIST VLT

LIST gets a line for each variable that a nonblocking assignment writes, at each place in the hierarchy:
`CLASS SCOPE VARIABLE`. The scope is spelled as Verilator's runtime spells it. VLT gets the configuration that makes these
variables, and no others, accessible in the simulation. The classes:

    memory   words of a RAM
    data     operands, sums, results and values on their way: a flip changes a number, and nothing else
    control  all others

What is data is said below, by folder and by name. A new register is control until it is named there.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# Folders whose modules hold numbers alone
DATA_FOLDERS = ("rtl/element/", "rtl/feed/", "rtl/leaf/")
# Modules that hold numbers alone
DATA_MODULES = re.compile(
    r"fp8mac_(fp32_\w+|fmt_to_fp32|exp2_\w+|tanh_\w+|newton_table|simon64|requantise_product)"
)
MEMORIES = re.compile(r"fp8mac_(ram|two_port_ram|byte_ram)")
# Registers that hold numbers, by module
DATA = {
    "fp8mac_epilogue": r"bias_q|t0_q|c_q|c_factor_q|value_q|factor_q|t2_q|w_q|scale_d_q|act_q|max_q|s_held_q|m_q|n_q|n_low_q",
    "fp8mac_array": r"part_q|result_q|pattern_q|col_field_q|row_field_q",
    "fp8mac_grid": r"base_\d_q",
    "fp8mac_readout": r"\w*(pattern|value|result)_q",
    "fp8mac_image_align": r"data1_q|word_data_o|word_q|pending_q",
    "fp8mac_operand_bound": r"data_o|bound_q|so_far_q",
    "fp8mac_pack": r"data_q|word_q",
    "fp8mac_rows": r"\w*(sum|square|mean|value|factor)_q",
    "fp8mac_rows_statistics": r"\w*(sum|square|largest|mean|maximum|value)\w*_q",
    "fp8mac_source_buffer": r"data_q|word_q",
    "fp8mac_write_out": r"data_q",
    "fp8mac_requantise": r"value_q|acc_q|bias_q",
}


def module_registers(module):
    """The registers that a module declares: (labels of the blocks around the declaration, name)."""
    found = set()

    def target(node, blocks):
        """Notes the variables that an assignment's left side writes."""
        if node.tag == "varref":
            name = node.get("name")
            for depth in range(len(blocks), -1, -1):
                if (blocks[:depth], name) in declared:
                    found.add((blocks[:depth], name))
                    return
            raise ValueError(f"{module.get('name')}: {name} is assigned but not declared")
        parts = node if node.tag == "concat" else list(node)[:1]
        for part in parts:
            target(part, blocks)

    declared = set()

    def declarations(node, blocks):
        for child in node:
            if child.tag == "var":
                declared.add((blocks, child.get("name")))
            declarations(child, inner(child, blocks))

    def assignments(node, blocks):
        for child in node:
            if child.tag == "assigndly":
                target(child[1], blocks)
            assignments(child, inner(child, blocks))

    def inner(child, blocks):
        named = child.tag == "begin" and child.get("name")
        return (*blocks, child.get("name")) if named else blocks

    declarations(module, ())
    assignments(module, ())
    return sorted(found)


def places(modules):
    """Each instance: (its scope, its module)."""

    def below(module, scope):
        yield scope, module
        yield from inside(module, scope)

    def inside(node, scope):
        for child in node:
            if child.tag == "instance":
                yield from below(modules[child.get("defName")], f"{scope}.{child.get('name')}")
            elif child.tag == "begin" and child.get("name"):
                yield from inside(child, f"{scope}.{child.get('name')}")
            else:
                yield from inside(child, scope)

    top = next(m for m in modules.values() if m.get("topModule"))
    yield from below(top, f"TOP.{top.get('name')}")


def class_of(module, source, name):
    if MEMORIES.fullmatch(module):
        return "memory" if name in ("word_q", "mem_q") else "data"
    if source.startswith(DATA_FOLDERS) or DATA_MODULES.fullmatch(module):
        return "data"
    return "data" if re.fullmatch(DATA.get(module, ""), name) else "control"


def main(xml, listed, configuration):
    root = ElementTree.parse(xml).getroot()
    sources = {file.get("id"): file.get("filename") for file in root.iter("file")}
    modules = {m.get("name"): m for m in root.iter("module")}
    registers = {name: module_registers(module) for name, module in modules.items()}
    lines, public = [], set()
    for scope, module in places(modules):
        original = module.get("origName")
        source = sources[module.get("loc").split(",")[0]]
        for blocks, name in registers[module.get("name")]:
            at = ".".join((scope, *blocks))
            lines.append(f"{class_of(original, source, name)} {at} {name}\n")
            public.add((original, name))
    Path(listed).write_text("".join(lines))
    rules = [
        f'public_flat_rw -module "{module}" -var "{name}"\n' for module, name in sorted(public)
    ]
    Path(configuration).write_text("`verilator_config\n" + "".join(rules))


if __name__ == "__main__":
    main(*sys.argv[1:])
