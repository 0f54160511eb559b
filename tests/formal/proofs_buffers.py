# SPDX-License-Identifier: Apache-2.0
"""Proofs of queues and operand buffers."""

from __future__ import annotations

from dataclasses import replace

from proof import FIFO, RESET, Fault, Proof

FIFO_FAULTS = [
    Fault(
        "tail_stays_in_a_full_turn",
        "fp8mac_fifo.sv",
        "if (push_i) tail_q <= next(tail_q);",
        "if (push_i && !pop_i) tail_q <= next(tail_q);",
        "tail_follows",
    ),
    Fault(
        "wraps_one_too_far",
        "fp8mac_fifo.sv",
        "PtrW'(DEPTH - 1)) ? '0",
        "PtrW'(DEPTH)) ? '0",
        "tail_follows",
    ),
    Fault(
        "written_at_the_head",
        "fp8mac_fifo.sv",
        "mem_q[tail_q] <=",
        "mem_q[head_q] <=",
        "leaves_unchanged|lies_in_its_position",
    ),
    Fault(
        "level_forgets_a_pop",
        "fp8mac_fifo.sv",
        " - LevelW'(pop_i);",
        " - LevelW'(pop_i && !push_i);",
        "level_is_count",
    ),
    Fault(
        "flush_keeps_level",
        "fp8mac_fifo.sv",
        "level_q <= '0;",
        "if (!flush_i) level_q <= '0;",
        "level_is_count",
    ),
]


def fifo(depth):
    return Proof(
        f"fifo_{depth}",
        "formal_fifo",
        FIFO + ["formal/formal_fifo.sv"],
        "prove",
        3,
        cover_depth=depth + 5,
        params={"DEPTH": depth},
        faults=FIFO_FAULTS if depth == 3 else [],
        repeats=depth not in (1, 3),
    )


def cmd_queue(depth, followed):
    faults = [
        Fault(
            "pushed_in_the_error_state",
            "fp8mac_cmd_queue.sv",
            "submit_i && !full_o && !error_i;",
            "submit_i && !full_o;",
            "level_is_count|tail_follows",
        ),
        Fault(
            "pushed_when_full",
            "fp8mac_cmd_queue.sv",
            "submit_i && !full_o && !error_i;",
            "submit_i && !error_i;",
            "level_is_count|no_overflow",
            depth=12,
        ),
        Fault(
            "popped_when_refused",
            "fp8mac_cmd_queue.sv",
            "pop        = valid_o && ready_i;",
            "pop        = valid_o;",
            "level_is_count|tail_follows",
        ),
        Fault(
            "drops_in_silence",
            "fp8mac_cmd_queue.sv",
            "submit_i && full_o && !error_i;",
            "1'b0;",
            "a_drop_is_reported",
        ),
        Fault(
            "abort_keeps_commands",
            "fp8mac_ram_fifo.sv",
            "if (!rst_ni || flush_i) begin",
            "if (!rst_ni) begin",
            "level_is_count|tail_follows",
        ),
        Fault(
            "pops_in_abort",
            "fp8mac_cmd_queue.sv",
            "shown && !abort_i;",
            "shown;",
            "offers_what_it_has",
        ),
        Fault(
            "shows_the_same_again",
            "fp8mac_ram_fifo.sv",
            "pop_i ? next(head_q) : head_q;",
            "head_q;",
            "shows_its_head|leaves_unchanged",
        ),
        Fault(
            "first_command_is_not_read",
            "fp8mac_ram_fifo.sv",
            "(pop_i || !shown_q) && level_q",
            "pop_i && level_q",
            "shows_its_head|leaves_unchanged",
        ),
    ]
    return Proof(
        f"cmd_queue_{depth}",
        "formal_cmd_queue",
        FIFO
        + [
            "rtl/leaf/fp8mac_two_port_ram.sv",
            "rtl/accel/fp8mac_ram_fifo.sv",
            "rtl/accel/fp8mac_cmd_queue.sv",
            "formal/formal_cmd_queue.sv",
        ],
        "prove",
        3,
        cover_depth=depth + 6,
        params={"DEPTH": depth, **({"FOLLOWED": followed} if followed else {})},
        faults=faults if depth == 4 else [],
        repeats=depth != 4,
        cost=10,
    )


OPERAND_BUFFER_FAULTS = [
    Fault(
        "halves_share_words",
        "fp8mac_operand_buffer.sv",
        "write_i && write_half_i == 1'(half) && write_ram_i",
        "write_i && write_ram_i",
        "keeps_its_beat|keeps_its_bound|read_gives_the_slice|read_gives_the_bound",
    ),
    Fault(
        "written_to_every_ram",
        "fp8mac_operand_buffer.sv",
        "write_half_i == 1'(half) && write_ram_i == RamW'(ram);",
        "write_half_i == 1'(half);",
        "keeps_its_beat|keeps_its_bound|read_gives_the_slice|read_gives_the_bound",
    ),
    Fault(
        "slice_changes_without_a_read",
        "fp8mac_operand_buffer.sv",
        "    if (read_i) begin\n      slice_q",
        "    begin\n      slice_q",
        "read_gives_the_slice|read_gives_the_bound",
    ),
    Fault(
        "reads_the_other_half",
        "fp8mac_operand_buffer.sv",
        "half_q  <= read_half_i;",
        "half_q  <= 1'b0;",
        "read_gives_the_slice|read_gives_the_bound",
    ),
    Fault(
        "bound_of_the_next_block",
        "fp8mac_operand_buffer.sv",
        "BlockIdxW'(addr >> BlockLog)",
        "BlockIdxW'(read[half] ? (addr >> BlockLog) : addr)",
        "keeps_its_bound|read_gives_the_bound",
    ),
    Fault(
        "write_in_the_read_word",
        "fp8mac_ram.sv",
        "if (en_i && !write_i) data_o",
        "if (en_i) data_o",
        "read_gives_the_slice|read_gives_the_bound",
    ),
]


def operand_buffer(lanes):
    """Slices of half a word, of a whole one, and words of two beats."""
    return Proof(
        f"operand_buffer_{lanes}",
        "formal_operand_buffer",
        RESET
        + [
            "rtl/accel/fp8mac_ram.sv",
            "rtl/accel/fp8mac_operand_buffer.sv",
            "formal/formal_operand_buffer.sv",
        ],
        "prove",
        2,
        cover_depth=8,
        params={"LANES": lanes},
        faults=OPERAND_BUFFER_FAULTS if lanes == 2 else [],
        repeats=lanes != 2,
    )


QUAD_BOUND_FAULTS = [
    Fault(
        "quads_share_a_bound",
        "fp8mac_operand_bound.sv",
        "valid_i(counts_q[g*GroupCodes +: GroupCodes])",
        "valid_i(counts_q[0 +: GroupCodes])",
        "bound_of_its_group|engine_knows_the_block|memory_has_the_block",
    ),
    Fault(
        "rows_begin_together",
        "fp8mac_operand_bound.sv",
        "begins[r] = (words_o[r] & ",
        "begins[r] = (words_o[0] & ",
        "bound_of_its_group|engine_knows_the_block|memory_has_the_block",
    ),
    Fault(
        "the_word_before_is_forgotten",
        "fp8mac_operand_bound.sv",
        "again_q ? last_q : kept",
        "kept",
        "bound_of_its_group|engine_knows_the_block|memory_has_the_block",
    ),
    Fault(
        "rows_of_a_ram_share_a_bound",
        "fp8mac_operand_bound.sv",
        "again_q ? last_q : kept",
        "last_q",
        "bound_of_its_group|engine_knows_the_block|memory_has_the_block",
    ),
]


PAIR_BOUND_FAULTS = [
    Fault(
        "groups_share_a_bound",
        "fp8mac_operand_bound.sv",
        "any_of_word[g ^ 1] && !dest_o.pairs",
        "any_of_word[g ^ 1]",
        "bound_of_its_group|engine_knows_the_block|memory_has_the_block",
    ),
    Fault(
        "blocks_of_quads",
        "fp8mac_operand_bound.sv",
        ">> pairs)",
        ">> 1'b0)",
        "bound_of_its_group|engine_knows_the_block|memory_has_the_block",
    ),
]


OPERAND_BOUND_FAULTS = [
    Fault(
        "block_goes_on_from_the_one_before",
        "fp8mac_operand_bound.sv",
        "{so_far_valid && !first, counts_q}",
        "{so_far_valid, counts_q}",
        "bound_is_the_largest",
    ),
    Fault(
        "every_beat_begins_a_block",
        "fp8mac_operand_bound.sv",
        "{so_far_valid && !first, counts_q}",
        "{1'b0, counts_q}",
        "bound_is_the_largest",
    ),
    Fault(
        "rows_of_an_image_share_a_bound",
        "fp8mac_operand_bound.sv",
        "(dest_o.kind == DestImage) ? SourceW'(dest_o.ram) + SourceW'(1) : '0",
        "'0",
        "bound_is_the_largest|engine_knows_the_largest",
    ),
    Fault(
        "bytes_behind_the_last_count",
        "fp8mac_operand_bound.sv",
        ".code_i(taken[i])",
        ".code_i(code[i])",
        "bound_is_the_largest",
    ),
    Fault(
        "a_narrow_subnormal_is_doubled",
        "fp8mac_narrow_code.sv",
        "least - 4'd2",
        "least - 4'd1",
        "narrow_codes_keep_their_values",
    ),
    Fault(
        "vectors_are_widened",
        "fp8mac_operand_bound.sv",
        "NARROW && operand && dest_i.fmt.narrow",
        "NARROW && dest_i.fmt.narrow",
        "bytes_behind_are_zero",
    ),
    Fault(
        "vectors_are_masked",
        "fp8mac_operand_bound.sv",
        "(operand && dest_i.last && ",
        "(dest_i.last && ",
        "bytes_behind_are_zero",
    ),
    Fault(
        "one_byte_too_many",
        "fp8mac_operand_bound.sv",
        "5'(i) > dest_i.last_byte",
        "5'(i) >= dest_i.last_byte",
        "bytes_behind_are_zero|bound_is_the_largest|narrow_codes_keep_their_values",
    ),
]


def operand_bound(beat, block=32, groups=1, pairs=False):
    return Proof(
        f"operand_bound_{beat}"
        + ("" if block == 32 else f"_{block}")
        + ("" if groups == 1 else f"_groups_{groups}")
        + ("_pairs" if pairs else ""),
        "formal_operand_bound",
        RESET
        + [
            "catalogue/fp8mac_catalogue_pkg.sv",
            "rtl/element/fp8mac_element_pkg.sv",
            "rtl/leaf/fp8mac_maximum.sv",
            "rtl/leaf/fp8mac_two_port_ram.sv",
            "rtl/feed/fp8mac_decode.sv",
            "rtl/feed/fp8mac_narrow_code.sv",
            "rtl/accel/fp8mac_operand_bound.sv",
            "formal/formal_operand_bound.sv",
        ],
        "prove",
        2,
        cover_depth=6,
        params={"BEAT": beat, "BLOCK": block, "GROUPS": groups, "PAIRS": int(pairs)},
        repeats=beat != 8 or groups != 1,
        faults=PAIR_BOUND_FAULTS
        if pairs
        else QUAD_BOUND_FAULTS
        if groups != 1
        else []
        if beat != 8
        else OPERAND_BOUND_FAULTS,
    )


QUAD_BUFFER = Proof(
    "quad_buffer",
    "formal_quad_buffer",
    RESET
    + [
        "rtl/accel/fp8mac_ram.sv",
        "rtl/accel/fp8mac_quad_buffer.sv",
        "formal/formal_quad_buffer.sv",
    ],
    "prove",
    2,
    cover_depth=6,
    faults=[
        Fault(
            "pixels_are_not_rotated",
            "fp8mac_quad_buffer.sv",
            "!write_depthwise_i ? '0 :",
            "1'b1 ? '0 :",
            "keeps_its_group|read_gives_the_group",
        ),
        Fault(
            "quads_of_one_pixel",
            "fp8mac_quad_buffer.sv",
            "{read_word_i[WordW-1:QuadW], pixel[GroupW-1:1]}",
            "read_word_i",
            "read_gives_the_group",
        ),
        Fault(
            "groups_of_one_pixel",
            "fp8mac_quad_buffer.sv",
            "{read_word_i[WordW-1:GroupW], pixel}",
            "read_word_i",
            "read_gives_the_group",
        ),
        Fault(
            "bound_of_another_quad",
            "fp8mac_quad_buffer.sv",
            "!read_depthwise_i ? GroupW'(read_beat >> BlockLog) :",
            "1'b1 ? GroupW'(read_beat >> BlockLog) :",
            "read_gives_the_bound",
        ),
    ],
)


IMAGE_ALIGN = Proof(
    "image_align",
    "formal_image_align",
    RESET
    + [
        "rtl/accel/fp8mac_fifo.sv",
        "rtl/leaf/fp8mac_two_port_ram.sv",
        "rtl/accel/fp8mac_ram_fifo.sv",
        "rtl/accel/fp8mac_image_align.sv",
        "formal/formal_image_align.sv",
    ],
    "bmc",
    8,
    deeper_by=2,
    cover_depth=14,
    fault_depth=10,
    cost=60,
    faults=[
        Fault(
            "rotated_the_other_way",
            "fp8mac_image_align.sv",
            "rotate1_q[r] <= position_q[r] - from[r];",
            "rotate1_q[r] <= from[r] - position_q[r];",
            "byte_in_its_position",
        ),
        Fault(
            "finished_word_is_replaced",
            "fp8mac_image_align.sv",
            "assign go1 = ((completes1_q | {ROWS{depthwise1}}) & full_q & ~grant) == '0;",
            "assign go1 = 1'b1;",
            "byte_in_its_position|words_in_order|none_is_lost",
        ),
        Fault(
            "bytes_outside_the_image_stay",
            "fp8mac_image_align.sv",
            "5'(i) > strip_q.last_byte",
            "5'(i) > strip_q.last_byte + 5'd1",
            "byte_in_its_position",
        ),
        Fault(
            "no_last_word",
            "fp8mac_image_align.sv",
            "next.steps + dim_t'(flushes(next.ends, next.dest.last_byte));",
            "next.steps;",
            "none_is_lost",
        ),
        Fault(
            "all_rows_of_a_shared_strip_begin",
            "fp8mac_image_align.sv",
            "r >= (shared ? last : first);",
            "r >= first;",
            "byte_in_its_position|words_in_order|none_is_lost",
        ),
        Fault(
            "all_rows_of_a_shared_strip_end",
            "fp8mac_image_align.sv",
            "row_en[r] && (!strip_q.shared || 5'(r) == strip_q.first_row);",
            "row_en[r];",
            "byte_in_its_position|words_in_order|none_is_lost",
        ),
        Fault(
            "rows_of_a_shared_strip_lie_apart",
            "fp8mac_image_align.sv",
            "(next.shared ? '0 : row_start_i[r]);",
            "row_start_i[r];",
            "byte_in_its_position|rows_are_complete",
        ),
    ],
)


# Strips of depthwise images, whose words leave for several rows at once
IMAGE_ALIGN_DEPTHWISE = replace(
    IMAGE_ALIGN,
    name="image_align_depthwise",
    params={"DEPTHWISE": 1},
    repeats=True,
    deeper_by=0,
    faults=[
        Fault(
            "a_row_is_left_out",
            "fp8mac_image_align.sv",
            "dest_q[chosen].depthwise) grant = full_q;",
            "dest_q[chosen].depthwise) grant = full_q & ~ROWS'(1);",
            "byte_in_its_position|words_in_order|none_is_lost",
        ),
        Fault(
            "rows_end_with_the_last_ram",
            "fp8mac_image_align.sv",
            "(5'(r) >= strip_q.first_row || 5'(r) <= strip_q.last_row)",
            "(5'(r) >= strip_q.first_row)",
            "byte_in_its_position|words_in_order|none_is_lost",
        ),
        Fault(
            "pairs_are_forgotten",
            "fp8mac_image_align.sv",
            "pairs: DEPTHWISE && dest1_q.pairs,",
            "pairs: 1'b0,",
            "pixel_keeps_its_kind",
        ),
        Fault(
            "words_are_mixed",
            "fp8mac_image_align.sv",
            "((completes1_q | {ROWS{depthwise1}}) & full_q",
            "(completes1_q & full_q",
            "byte_in_its_position|words_in_order|none_is_lost",
        ),
    ],
)


def vector_buffer(read):
    """Tiles of half a beat, of a whole one, and of two."""
    faults = [
        Fault(
            "halves_share_words",
            "fp8mac_vector_buffer.sv",
            "AddrW'({write_half_i, write_word_i} >> BankLog);",
            "AddrW'({1'b0, write_word_i} >> BankLog);",
            "keeps_its_value|read_gives_the_value",
        ),
        Fault(
            "tile_one_cycle_early",
            "fp8mac_vector_buffer.sv",
            "tiles[tile_q];",
            "tiles[TilesLog'(read_tile_i)];",
            "read_gives_the_value",
        ),
        Fault(
            "word_from_the_low_bits",
            "fp8mac_vector_buffer.sv",
            "AddrW'(32'(read_tile_i) >> TilesLog);",
            "AddrW'(32'(read_tile_i));",
            "read_gives_the_value",
        ),
    ]
    return Proof(
        f"vector_buffer_{read}",
        "formal_vector_buffer",
        RESET
        + [
            "rtl/leaf/fp8mac_two_port_ram.sv",
            "rtl/accel/fp8mac_vector_buffer.sv",
            "formal/formal_vector_buffer.sv",
        ],
        "prove",
        3,
        cover_depth=6,
        params={"READ": read},
        faults=faults if read == 2 else [],
        repeats=read != 2,
    )
