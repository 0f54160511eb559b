# SPDX-License-Identifier: Apache-2.0
"""Proofs of the issue of steps, and of the pipelined adder."""

from __future__ import annotations

from proof import RESET, Fault, Proof

COMPUTE_FAULTS = [
    Fault(
        "share_does_not_wait",
        "fp8mac_compute.sv",
        "last_step && (share_wait_q != '0 || (",
        "last_step && ((",
        "blocks_are_apart|share_is_awaited",
    ),
    Fault(
        "tile_does_not_wait",
        "fp8mac_compute.sv",
        "(!acc_first && loop_wait_q[position] != '0)",
        "1'b0",
        "tiles_are_apart|loop_is_awaited",
    ),
    Fault(
        "waits_end_in_a_stall",
        "fp8mac_compute.sv",
        "end else if (advance_i) begin\n      if (block_ends) share_wait_q",
        "end else begin\n      if (block_ends) share_wait_q",
        "share_is_awaited|loop_is_awaited",
    ),
    Fault(
        "absent_columns_are_visited",
        "fp8mac_compute.sv",
        "last_in    = last_n ? cols_more_q[1:0] : pass_cols;",
        "last_in    = pass_cols;",
        "in_the_pass|next_step_is_right",
    ),
    Fault(
        "kept_is_handed_over",
        "fp8mac_compute.sv",
        "step.acc_last               = last_block && !work_q.acc_keep;",
        "step.acc_last               = last_block;",
        "next_step_is_right",
    ),
    Fault(
        "continued_is_begun_again",
        "fp8mac_compute.sv",
        "acc_first  = block_q == '0 && !work_q.acc_continue;",
        "acc_first  = block_q == '0;",
        "next_step_is_right",
    ),
    Fault(
        "next_pass_reads_the_same_rows",
        "fp8mac_compute.sv",
        "a_base_q    <= a_base_q + a_pass_words;",
        "a_base_q    <= a_base_q;",
        "words_follow",
        depth=16,
    ),
    Fault(
        "scales_of_the_first_block",
        "fp8mac_compute.sv",
        "(BlockW+ByteW+1)'(block_q) + (BlockW+ByteW+1)'(work_q.mx_first);",
        "(BlockW+ByteW+1)'(work_q.mx_first);",
        "reads_its_scales",
    ),
    Fault(
        "next_pass_reads_the_same_scales",
        "fp8mac_compute.sv",
        "a_scale_base_q <= a_scale_base_q + a_pass_scales;",
        "a_scale_base_q <= a_scale_base_q;",
        "scales_follow",
        depth=16,
    ),
    Fault(
        "read_in_a_stall",
        "fp8mac_compute.sv",
        "read_o = valid_q1 && advance_i;",
        "read_o = valid_q1;",
        "read_was_visited",
    ),
    Fault(
        "ends_with_the_first_row_of_passes",
        "fp8mac_compute.sv",
        "last_block && last_n && last_m));",
        "last_block && last_n));",
        "at_the_end_visited|released_at_the_end|next_released_at_the_end",
    ),
    Fault(
        "failed_is_computed",
        "fp8mac_compute.sv",
        "skip: skip\n",
        "skip: 1'b0\n",
        "skips_as_told",
    ),
]


COMPUTE_DEPTHWISE_FAULTS = [
    Fault(
        "pairs_are_read_as_quads",
        "fp8mac_compute.sv",
        "(pairs ? WORD_W'(step_nr) << GroupLog : depthwise",
        "(depthwise",
        "reads_its_operands",
    ),
    Fault(
        "groups_are_quads",
        "fp8mac_compute.sv",
        "pairs ? GroupW'(col_tile) : GroupW'(col_tile << 1);",
        "GroupW'(col_tile << 1);",
        "reads_its_operands",
    ),
]


# Blocks of two steps and of one; words of a beat and of two beats; steps of half a word and of a whole one
COMPUTE_SIZES = (
    {},
    {"LANES": 1, "BLOCK": 2, "LOOP": 3},
    {"LANES": 2, "BLOCK": 2, "SHARE": 1, "LOOP": 3},
    {"LANES": 4, "BLOCK": 8, "BEAT": 2},
    {"LANES": 4, "BLOCK": 8, "BEAT": 4, "DEPTHWISE": 1},
)


def compute(sizes):
    """Unbounded. A step is two cycles behind the walk, and its waits are counted from the walk."""
    name = "_".join(str(value) for value in sizes.values())
    faults = COMPUTE_DEPTHWISE_FAULTS if "DEPTHWISE" in sizes else []
    if not sizes:
        faults = COMPUTE_FAULTS
    return Proof(
        "compute" + (f"_{name}" if name else ""),
        "formal_compute",
        RESET + ["rtl/accel/fp8mac_compute.sv", "formal/formal_compute.sv"],
        "prove",
        3,
        cover_depth=20,
        fault_depth=12,
        cost=60,
        params=sizes,
        faults=faults,
        repeats=bool(sizes),
    )


PIPELINED_ADDER_FAULTS = [
    Fault(
        "carry_is_lost",
        "fp8mac_pipelined_adder.sv",
        "carry_q <= carry;",
        "carry_q <= 1'b0;",
        "sum_of_its_words",
    ),
    Fault(
        "carry_of_other_words",
        "fp8mac_pipelined_adder.sv",
        ".carry_i(g_stage[s-1].carry_q),",
        ".carry_i(s == 1 ? 1'b0 : g_stage[s].carry_q),",
        "sum_of_its_words",
    ),
    Fault(
        "other_word",
        "fp8mac_pipelined_adder.sv",
        "b_q     <= g_stage[s-1].b_q;",
        "b_q     <= b_i;",
        "sum_of_its_words",
    ),
]


# Width, chunk, ripple: whole chunks, a last chunk that is shorter, a single chunk
PIPELINED_ADDER_SIZES = ((8, 3, 3), (8, 2, 2), (9, 3, 2), (7, 7, 7), (20, 7, 7))


def pipelined_adder(w, chunk, ripple):
    """Unbounded: a sum comes as many cycles after its words as there are chunks, and the induction spans them."""
    chunks = -(-w // chunk)
    first = (w, chunk) == (8, 3)
    return Proof(
        f"pipelined_adder_{w}_{chunk}_{ripple}",
        "formal_pipelined_adder",
        RESET
        + [
            "rtl/leaf/fp8mac_full_adder.sv",
            "rtl/leaf/fp8mac_adder.sv",
            "rtl/leaf/fp8mac_pipelined_adder.sv",
            "formal/formal_pipelined_adder.sv",
        ],
        "prove",
        chunks + 2,
        cover_depth=chunks + 4,
        fault_depth=chunks + 4,
        params={"W": w, "CHUNK": chunk, "RIPPLE": ripple},
        faults=PIPELINED_ADDER_FAULTS if first else [],
        repeats=not first,
    )
