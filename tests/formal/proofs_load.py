# SPDX-License-Identifier: Apache-2.0
"""Proofs of the load engine."""

from __future__ import annotations

from proof import RESET, Fault, Proof
from proofs_bus import SPLIT

LOAD_IMAGE = Proof(
    "load_image",
    "formal_load_image",
    RESET + ["rtl/accel/fp8mac_load.sv", "formal/formal_load_image.sv"],
    "bmc",
    8,
    cover_depth=8,
    deeper_by=2,
    fault_depth=9,
    cost=12,
    faults=[
        Fault(
            "row_of_b_is_lost_with_the_last_strip",
            "fp8mac_load.sv",
            "!(state_d == LoadB && begun_beside_q);",
            "1'b1;",
            "b_row_is_wanted|b_begins|b_goes_on|b_is_complete",
        ),
        Fault(
            "strip_counts_as_a_row_of_b",
            "fp8mac_load.sv",
            "image && !offers_strip && row_taken;",
            "image && row_taken;",
            "b_begins|b_goes_on|b_is_complete|no_cycle_is_lost",
        ),
        Fault(
            "last_row_beside_a_comes_again",
            "fp8mac_load.sv",
            "(!beside_q || beside_ends)) left.b",
            "!beside_q) left.b",
            "b_row_is_wanted",
        ),
        Fault(
            "b_before_scales_of_a",
            "fp8mac_load.sv",
            "left.b && !left.mx_a;",
            "left.b;",
            "b_row_is_wanted",
        ),
    ],
)


LOAD = Proof(
    "load",
    "formal_load",
    RESET
    + SPLIT
    + [
        "rtl/accel/fp8mac_dma_read.sv",
        "rtl/accel/fp8mac_image_strips.sv",
        "rtl/accel/fp8mac_load.sv",
        "formal/formal_load.sv",
    ],
    "prove",
    2,
    cover_depth=14,
    fault_depth=12,
    cost=60,
    faults=[
        Fault(
            "taken_without_room_to_store",
            "fp8mac_load.sv",
            "state_q == Idle && !halves_in_use && room_i && !stop;",
            "state_q == Idle && !halves_in_use && !stop;",
            "taken_at_once",
        ),
        Fault(
            "after_is_ignored",
            "fp8mac_load.sv",
            "job_d.after == '0 || earlier < job_d.after;",
            "1'b1;",
            "engine_waits_no_more|b_alone_in_a_wait|no_end_in_a_wait",
            first_step=4,
        ),
        Fault(
            "taken_without_room",
            "fp8mac_load.sv",
            "state_q == Idle && !halves_in_use && room_i && !stop;",
            "state_q == Idle && room_i && !stop;",
            "loaded_has_room|halves_are_two|taken_at_once",
        ),
        Fault(
            "end_is_left_out_after_a_stop",
            "fp8mac_load.sv",
            "Finish) state_d = Finish;",
            "Finish) state_d = Idle;",
            "each_command_has_one_end",
        ),
        Fault(
            "ram_goes_on_after_the_last",
            "fp8mac_load.sv",
            "ram_q  <= (ram_q == last_ram_q) ? '0 : ram_q + 8'd1;",
            "ram_q <= ram_q + 8'd1;",
            "a_goes_on",
        ),
        Fault(
            "same_half_twice",
            "fp8mac_load.sv",
            "halves_q.a ^ checked_i.load.a.wanted;",
            "halves_q.a;",
            "pushed_with_its_halves",
        ),
        Fault(
            "a_row_too_few",
            "fp8mac_load.sv",
            "LoadA:   if (image ? image_done : (row_taken && rows_q == dim_t'(1)))",
            "LoadA:   if (image ? image_done : (row_taken && rows_q <= dim_t'(2)))",
            "engine_is_at_scale_a|engine_is_at_scale_b|engine_counts_b|engine_counts_scales_of_a",
        ),
        Fault(
            "words_of_rows_run_together",
            "fp8mac_load.sv",
            "job_q.mx_words : job_q.row_words);",
            "job_q.mx_words : job_q.row_beats);",
            "a_goes_on",
        ),
        Fault(
            "scales_have_the_words_of_rows",
            "fp8mac_load.sv",
            "job_q.mx_words : job_q.row_words);",
            "job_q.row_words : job_q.row_words);",
            "scales_of_a_go_on",
        ),
        Fault(
            "scales_of_b_in_the_half_of_a",
            "fp8mac_load.sv",
            "dest_o.half = (state_q == LoadMxA) ? halves_q.a : halves_q.b;",
            "dest_o.half = halves_q.a;",
            "scales_of_b_of_their_length",
        ),
        Fault(
            "b_in_the_format_of_a",
            "fp8mac_load.sv",
            "dest_o.fmt  = job_q.b.fmt;",
            "dest_o.fmt  = job_q.a.fmt;",
            "b_is_of_its_format",
        ),
        Fault(
            "bias_of_m_values",
            "fp8mac_load.sv",
            "vector_words = (state_q == LoadScaleA) ? job_q.a.rows :",
            "vector_words = (state_q != LoadScaleB) ? job_q.a.rows :",
            "bias_in_its_position",
        ),
        Fault(
            "waits_for_one_command_too_few",
            "fp8mac_load.sv",
            "earlier < job_d.after;",
            "earlier <= job_d.after;",
            "engine_waits_no_more|b_alone_in_a_wait|no_end_in_a_wait",
        ),
        Fault(
            "waits_for_itself",
            "fp8mac_load.sv",
            "accept ? begun_q : begun_q - BegunW'(1);",
            "begun_q;",
            "waits_for_a_command",
        ),
        Fault(
            "a_in_a_wait",
            "fp8mac_load.sv",
            "if (job_d.b_free) begin",
            "if (job_d.b_free && left.a) next_state = LoadA;\n      else if (job_d.b_free) begin",
            "engine_waits_no_more|b_alone_in_a_wait",
        ),
        Fault(
            "b_in_every_wait",
            "fp8mac_load.sv",
            "if (job_d.b_free) begin",
            "if (1'b1) begin",
            "engine_waits_no_more|b_alone_in_a_wait|engine_counts_b|b_row_is_wanted",
        ),
        Fault(
            "b_is_left_out_in_a_wait",
            "fp8mac_load.sv",
            "if (job_d.b_free) begin",
            "if (1'b0) begin",
            "waits_for_nothing_else",
        ),
        Fault(
            "a_vector_twice",
            "fp8mac_load.sv",
            "LoadScaleB: left.scale_b = 1'b0;",
            "LoadScaleB: ;",
            "scale_b_in_its_position|engine_is_at_scale_b|what_is_left",
        ),
        Fault(
            "an_operand_twice",
            "fp8mac_load.sv",
            "LoadB:      left.b       = 1'b0;",
            "LoadB: ;",
            "b_row_is_wanted|engine_counts_b|what_is_left",
        ),
        Fault(
            "vectors_without_memory",
            "fp8mac_load.sv",
            "row_valid_o = !stop && vectors_free;",
            "row_valid_o = !stop;",
            "vectors_have_memory",
            depth=16,
        ),
        Fault(
            "vectors_hold_up_a",
            "fp8mac_load.sv",
            "(vectors_free && left.scale_b)",
            "(left.scale_b)",
            "vectors_wait_alone",
            depth=16,
        ),
        Fault(
            "commands_before_an_error_count",
            "fp8mac_load.sv",
            "(!rst_ni || clear_i) begun_q",
            "(!rst_ni) begun_q",
            "engine_counts_commands",
        ),
        Fault(
            "waits_in_silence",
            "fp8mac_load.sv",
            "waits_o = state_q == Wait;",
            "waits_o = state_q == Wait && job_q.b_free;",
            "works_or_waits",
        ),
    ],
)
