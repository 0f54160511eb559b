# SPDX-License-Identifier: Apache-2.0
"""What a proof is, and the sources that several have."""

from __future__ import annotations

from dataclasses import dataclass, field

PACKAGES = [
    "rtl/fp8mac_codes_pkg.sv",
    "rtl/fp8mac_pkg.sv",
    "regs/fp8mac_regs_pkg.sv",
    "regs/fp8mac_command_pkg.sv",
    "rtl/accel/fp8mac_cmd_pkg.sv",
]


@dataclass
class Fault:
    """A change of one place in one source file, and the property that it breaks. `a|b` are properties that break in the
    same cycle: the solver shows one of them. Steps before `first_step` are not searched, because the fault shows in none."""

    name: str
    file: str
    old: str
    new: str
    catches: str
    depth: int = 0
    first_step: int = 0


@dataclass
class Proof:
    """`mode` is prove (k-induction: unbounded) or bmc (every trace of `depth` cycles from reset)."""

    name: str
    top: str
    files: list
    mode: str
    depth: int
    cover_depth: int = 0
    first_cover: int = 0  # steps before it are not searched: a cover statement that is reached there is also reached later
    fault_depth: int = 10
    params: dict = field(default_factory=dict)
    faults: list = field(default_factory=list)
    engine: str = "yices"
    cost: int = 1  # approximate seconds
    repeats: bool = False  # the code of another set, other parameters: for `make test-long`
    deeper: bool = False  # a bounded set again, to a greater depth
    deeper_by: int = 4  # steps

    def is_called(self, name):
        return self.name == name or self.name.startswith(name + "_")


FIFO = ["rtl/accel/fp8mac_fifo.sv", "formal/formal_fifo_track.sv", "formal/formal_reset.sv"]


RESET = ["formal/formal_reset.sv"]
