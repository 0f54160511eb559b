# SPDX-License-Identifier: Apache-2.0
# The table of proofs: property sets, how each is proved, and the faults that each must catch.
from dataclasses import dataclass, field, replace

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
    same cycle: the solver shows one of them."""

    name: str
    file: str
    old: str
    new: str
    catches: str
    depth: int = 0


@dataclass
class Proof:
    """`mode` is prove (k-induction: unbounded) or bmc (every trace of `depth` cycles from reset)."""

    name: str
    top: str
    files: list
    mode: str
    depth: int
    cover_depth: int = 0
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
        faults=faults if depth == 8 else [],
        repeats=depth != 8,
        cost=10,
    )


RESET = ["formal/formal_reset.sv"]


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
        else [
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
        ],
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
            "{read_word_i[BeatW-1:QuadW], pixel[GroupW-1:1]}",
            "read_word_i",
            "read_gives_the_group",
        ),
        Fault(
            "groups_of_one_pixel",
            "fp8mac_quad_buffer.sv",
            "{read_word_i[BeatW-1:GroupW], pixel}",
            "read_word_i",
            "read_gives_the_group",
        ),
        Fault(
            "bound_of_another_quad",
            "fp8mac_quad_buffer.sv",
            "!read_depthwise_i ? GroupW'(read_word_i >> BlockLog) :",
            "1'b1 ? GroupW'(read_word_i >> BlockLog) :",
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


PAIR_PACK_FAULTS = [
    Fault(
        "results_1_in_the_word_of_results_0",
        "fp8mac_pack.sv",
        "? addr_q + AddrW'(1) : addr_q;",
        "? addr_q : addr_q;",
        "written_in_the_next_cycle|no_other_byte_is_written",
    ),
    Fault(
        "halves_are_not_exchanged_back",
        "fp8mac_pack.sv",
        "(Split && read_second_q) ? 1 - half : half",
        "half",
        "read_gives_the_byte",
    ),
    Fault(
        "results_0_twice",
        "fp8mac_pack.sv",
        "pairs ? code_i[r][(second[b] ? Each : 0) + b % Each][7:0]",
        "pairs ? code_i[r][b % Each][7:0]",
        "written_in_the_next_cycle",
    ),
]


def pack(rows, cols, word, beat, pairs=False):
    faults = [
        Fault(
            "high_bytes_first",
            "fp8mac_pack.sv",
            "[b % (COLS * 2) / 2][b % 2 * 8 +: 8];",
            "[b % (COLS * 2) / 2][(b + 1) % 2 * 8 +: 8];",
            "written_in_the_next_cycle",
        ),
        Fault(
            "writes_every_row",
            "fp8mac_pack.sv",
            "valid_i ? row_i : '0;",
            "valid_i ? '1 : '0;",
            "no_other_byte_is_written",
        ),
        Fault(
            "writes_every_column",
            "fp8mac_pack.sv",
            "== '0 && col_i[b % Widest / 4];",
            "== '0;",
            "no_other_byte_is_written",
        ),
        Fault(
            "writes_the_whole_word",
            "fp8mac_pack.sv",
            "(write_q[row] ? enable_q[half*Bytes +: Bytes] : '0)",
            "({Bytes{write_q[row]}})",
            "kept|read_gives_the_byte|still_shown",
        ),
        Fault(
            "table_of_the_other_number",
            "fp8mac_pack.sv",
            "({code_table_i == Table1,",
            "({code_table_i == Table0,",
            "entry_is_used",
        ),
    ]
    if word > beat:
        faults.append(
            Fault(
                "beat_of_the_next_read",
                "fp8mac_pack.sv",
                "read_beats[read_row_q][read_beat_q];",
                "read_beats[read_row_q][read_beat_i];",
                "read_gives_the_byte",
            )
        )
    return Proof(
        f"pack_{rows}_{cols}_{word}_{beat}" + ("_pairs" if pairs else ""),
        "formal_pack",
        RESET
        + [
            "rtl/accel/fp8mac_byte_ram.sv",
            "rtl/leaf/fp8mac_two_port_ram.sv",
            "rtl/accel/fp8mac_pack.sv",
            "formal/formal_pack.sv",
        ],
        "prove",
        3,
        cover_depth=8,
        params={"ROWS": rows, "COLS": cols, "WORD": word, "BEAT": beat, "PAIRS": int(pairs)},
        faults=PAIR_PACK_FAULTS
        if pairs and word == beat
        else faults
        if (rows, beat) == (2, 8) and not pairs
        else [],
        repeats=pairs or (rows, beat) != (2, 8),
    )


def burst_split(beat):
    faults = [
        Fault(
            "page_forgotten",
            "fp8mac_burst_split.sv",
            "(to_page < dim_t'(MAX_BURST)) ? to_page :",
            "",
            "in_one_page",
        ),
        Fault(
            "last_burst_too_long",
            "fp8mac_burst_split.sv",
            "final_burst ? LenW'(row_q.beats) : LenW'(most);",
            "LenW'(most);",
            "not_beyond_the_row|next_row_when_this_is_done",
        ),
        Fault(
            "address_moves_by_the_most",
            "fp8mac_burst_split.sv",
            "row_q.addr + (addr_t'(most) << BeatLog);",
            "row_q.addr + (addr_t'(MAX_BURST) << BeatLog);",
            "begins_where_the_last_ended",
        ),
        Fault(
            "start_of_the_row_before",
            "fp8mac_burst_split.sv",
            "start_q <= '0;",
            "start_q <= start_q;",
            "knows_its_start",
        ),
        Fault(
            "none_is_lost",
            "fp8mac_burst_split.sv",
            "busy_q <= row_valid_i;",
            "busy_q <= row_valid_i && !row_i.none;",
            "a_burst_per_row_at_hand|next_row_when_this_is_done",
        ),
        Fault(
            "moves_on_unasked",
            "fp8mac_burst_split.sv",
            "end else if (taken) begin",
            "end else if (busy_q) begin",
            "stays_until_taken|begins_where_the_last_ended",
        ),
    ]
    return Proof(
        f"burst_split_{beat}",
        "formal_burst_split",
        RESET + ["rtl/accel/fp8mac_burst_split.sv", "formal/formal_burst_split.sv"],
        "prove",
        3,
        cover_depth=8,
        params={"BEAT": beat},
        faults=faults if beat == 16 else [],
        repeats=beat != 16,
        cost=5,
    )


SPLIT = ["rtl/accel/fp8mac_fifo.sv", "rtl/accel/fp8mac_burst_split.sv"]

DMA_READ_FILES = (
    RESET
    + SPLIT
    + ["rtl/accel/fp8mac_dma_read.sv", "formal/formal_axi.sv", "formal/formal_dma_read.sv"]
)

DMA_READ_ADDRESSES = Proof(
    "dma_read_addresses",
    "formal_dma_read",
    DMA_READ_FILES,
    "prove",
    3,
    cover_depth=8,
    params={"ADDRESSES": "1'b1"},
    faults=[
        Fault(
            "request_changes_while_it_waits",
            "fp8mac_dma_read.sv",
            "ar_free     = !arvalid_q || m_axi_arready_i;",
            "ar_free     = 1'b1;",
            "request_stays",
        ),
        Fault(
            "request_is_withdrawn",
            "fp8mac_dma_read.sv",
            "else if (m_axi_arready_i) arvalid_q <= 1'b0;",
            "else arvalid_q <= 1'b0;",
            "request_stays",
        ),
        Fault(
            "page_forgotten",
            "fp8mac_burst_split.sv",
            "(to_page < dim_t'(MAX_BURST)) ? to_page :",
            "",
            "page_is_kept",
        ),
    ],
)

DMA_READ = Proof(
    "dma_read",
    "formal_dma_read",
    DMA_READ_FILES,
    "bmc",
    9,
    deeper_by=3,
    cover_depth=12,
    fault_depth=11,
    cost=20,
    faults=[
        Fault(
            "length_counts_from_one",
            "fp8mac_dma_read.sv",
            "8'(arbeats_q) - 8'd1;",
            "8'(arbeats_q);",
            "page_is_kept",
        ),
        Fault(
            "more_in_flight_than_room",
            "fp8mac_dma_read.sv",
            "!full && (burst_none || ar_free)",
            "(burst_none || ar_free)",
            "no_overflow",
        ),
        Fault(
            "more_destinations_than_room",
            "fp8mac_dma_read.sv",
            "order_full || (!image && dests_full);",
            "order_full;",
            "no_overflow|has_room|its_own_destination",
        ),
        Fault(
            "a_beat_of_an_image_takes_a_destination",
            "fp8mac_dma_read.sv",
            ".pop_i(pop && !head_is_image)",
            ".pop_i(pop)",
            "its_own_destination|no_underflow|no_end_but_owed",
        ),
        Fault(
            "second_burst_lands_on_the_first",
            "fp8mac_dma_read.sv",
            "row_dest.word + burst_start;",
            "row_dest.word;",
            "its_own_destination",
        ),
        Fault(
            "beats_of_a_burst_in_one_word",
            "fp8mac_dma_read.sv",
            "rlast_i ? '0 : beats_q + dim_t'(1);",
            "rlast_i ? '0 : beats_q;",
            "its_own_destination",
        ),
        Fault(
            "every_burst_ends_its_row",
            "fp8mac_dma_read.sv",
            "head.row_final && m_axi_rlast_i;",
            "m_axi_rlast_i;",
            "its_own_destination",
        ),
        Fault(
            "end_passes_its_beats",
            "fp8mac_dma_read.sv",
            "done_valid_o   = !empty && head.none && done_ready_i;",
            "done_valid_o   = !empty && (head.none || m_axi_rresp_i == 2'b01) && done_ready_i;",
            "no_end_but_owed",
        ),
        Fault(
            "error_outlives_its_command",
            "fp8mac_dma_read.sv",
            "if (done_valid_o) error = ErrNone;",
            "if (1'b0) ;",
            "first_error_is_told",
        ),
        Fault(
            "last_error_is_told",
            "fp8mac_dma_read.sv",
            "!own_error && error_q == ErrNone)",
            "!own_error && beat_error != ErrNone)",
            "first_error_is_told",
        ),
    ],
)

DMA_WRITE_FILES = (
    RESET
    + SPLIT
    + ["rtl/accel/fp8mac_dma_write.sv", "formal/formal_axi.sv", "formal/formal_dma_write.sv"]
)

DMA_WRITE_ADDRESSES = Proof(
    "dma_write_addresses",
    "formal_dma_write",
    DMA_WRITE_FILES,
    "prove",
    3,
    cover_depth=8,
    params={"ADDRESSES": "1'b1", "AXI_DATA_W": 128},
    faults=[
        Fault(
            "page_forgotten",
            "fp8mac_burst_split.sv",
            "(to_page < dim_t'(MAX_BURST)) ? to_page :",
            "",
            "page_is_kept",
        ),
        Fault(
            "beat_changes_while_it_waits",
            "fp8mac_dma_write.sv",
            "(!wvalid_q || m_axi_wready_i);",
            "1'b1;",
            "a_beat_stays",
        ),
        Fault(
            "beat_is_withdrawn",
            "fp8mac_dma_write.sv",
            "else if (m_axi_wready_i) wvalid_q <= 1'b0;",
            "else wvalid_q <= 1'b0;",
            "a_beat_stays",
        ),
    ],
)

DMA_WRITE = Proof(
    "dma_write",
    "formal_dma_write",
    DMA_WRITE_FILES,
    "bmc",
    11,
    deeper_by=3,
    cover_depth=14,
    fault_depth=11,
    cost=60,
    faults=[
        Fault(
            "last_one_beat_early",
            "fp8mac_dma_write.sv",
            "sent_q + LenW'(1) == len;",
            "sent_q + LenW'(2) >= len;",
            "last_on_the_last_beat_alone",
        ),
        Fault(
            "count_goes_on_after_last",
            "fp8mac_dma_write.sv",
            "sent_q <= w_last ? '0 : sent_q + LenW'(1);",
            "sent_q <= sent_q + LenW'(1);",
            "last_on_the_last_beat_alone",
        ),
        Fault(
            "data_before_any_address",
            "fp8mac_dma_write.sv",
            "!beats_empty && !lens_empty && ",
            "!beats_empty && ",
            "data_after_its_address",
        ),
        Fault(
            "strobes_dropped_unasked",
            "fp8mac_dma_write.sv",
            "discard_i ? '0 : beat.strb;",
            "(discard_i || w_last) ? '0 : beat.strb;",
            "beat_is_unchanged",
        ),
        Fault(
            "end_before_its_answers",
            "fp8mac_dma_write.sv",
            "done_valid_o   = !flight_empty && flight_none;",
            "done_valid_o   = !flight_empty;",
            "no_end_but_owed|an_end_is_after_its_answers",
        ),
        Fault(
            "last_error_is_told",
            "fp8mac_dma_write.sv",
            "m_axi_bresp_i[1] && error_q == ErrNone)",
            "m_axi_bresp_i[1])",
            "first_error_is_told",
        ),
    ],
)

AXI_GUARD = Proof(
    "axi_guard",
    "formal_axi_guard",
    RESET
    + [
        "rtl/accel/fp8mac_fifo.sv",
        "rtl/accel/fp8mac_axi_guard.sv",
        "formal/formal_axi_guard.sv",
    ],
    "prove",
    3,
    cover_depth=14,
    fault_depth=12,
    cost=20,
    faults=[
        Fault(
            "added_beats_keep_their_strobes",
            "fp8mac_axi_guard.sv",
            "wvalid_i ? wstrb_i : '0;",
            "wstrb_i;",
            "added_beats_write_nothing|w_stays",
        ),
        Fault(
            "data_are_dropped",
            "fp8mac_axi_guard.sv",
            "(wvalid_i || draining_q) && !lengths_empty;",
            "wvalid_i && !lengths_empty;",
            "w_stays|data_flow_while_draining",
        ),
        Fault(
            "drains_reads_alone",
            "fp8mac_axi_guard.sv",
            "bready_i || (draining_q && writes_q != '0);",
            "bready_i;",
            "ready_while_draining",
        ),
        Fault(
            "ends_with_reads_open",
            "fp8mac_axi_guard.sv",
            "!lengths_empty || reads_q != '0 ||",
            "!lengths_empty ||",
            "drains_to_the_end|times_out_when_it_should|stillness_agrees",
        ),
        Fault(
            "length_of_a_late_address_is_lost",
            "fp8mac_axi_guard.sv",
            "m_axi_awvalid_o && !aw_seen_q)",
            "m_axi_awvalid_o && m_axi_awready_i)",
            "lengths_agree|last_on_the_last_beat_alone",
        ),
        Fault(
            "watchdog_ignores_answers",
            "fp8mac_axi_guard.sv",
            "!(ar || r || aw || w || b) && !flush_o;",
            "!(ar || aw || w) && !flush_o;",
            "times_out_when_it_should|stillness_agrees",
        ),
        Fault(
            "watchdog_cannot_be_disabled",
            "fp8mac_axi_guard.sv",
            "stuck && limit_i != '0 && still_q",
            "stuck && still_q",
            "times_out_when_it_should",
        ),
    ],
)

IRQ = Proof(
    "irq",
    "formal_irq",
    RESET
    + [
        "regs/fp8mac_regs.sv",
        "rtl/accel/fp8mac_csr.sv",
        "rtl/accel/fp8mac_report.sv",
        "formal/formal_irq.sv",
    ],
    "prove",
    4,
    cover_depth=14,
    fault_depth=12,
    cost=30,
    faults=[
        Fault(
            "line_ignores_an_enable",
            "fp8mac_csr.sv",
            "(out.IRQ_STATE.error.value && out.IRQ_ENABLE.error.value)",
            "out.IRQ_STATE.error.value",
            "line_is_causes_and_enables",
        ),
        Fault(
            "error_hides_done",
            "fp8mac_csr.sv",
            "in.IRQ_STATE.done.hwset      = done_event_i;",
            "in.IRQ_STATE.done.hwset      = done_event_i && !error_event_i;",
            "causes_are_held",
        ),
        Fault(
            "a_drop_is_no_event",
            "fp8mac_report.sv",
            "error_event_o = failed || refused_i || timeout_i;",
            "error_event_o = failed || timeout_i;",
            "causes_are_held",
        ),
        Fault(
            "done_after_a_failure",
            "fp8mac_report.sv",
            "reported  = retire_valid_i && !abort_o;",
            "reported  = retire_valid_i;",
            "an_end_per_command|completions_are_counted|causes_are_held",
        ),
        Fault(
            "cleared_while_busy",
            "fp8mac_report.sv",
            "clear_error_i && idle_i && error_o;",
            "clear_error_i && error_o;",
            "clears_when_told",
        ),
        Fault(
            "last_error_is_told",
            "fp8mac_report.sv",
            "if (!error_o && (failed || refused_i))",
            "if (failed || refused_i)",
            "state_is_known",
        ),
        Fault(
            "timeout_keeps_an_earlier_code",
            "fp8mac_report.sv",
            "if (timeout_i) begin",
            "if (timeout_i && !error_o) begin",
            "state_is_known|status_is_read",
        ),
        Fault(
            "soft_reset_keeps_the_error",
            "fp8mac_report.sv",
            "else if (clear_o || soft_reset_i) begin",
            "else if (clear_o) begin",
            "state_is_known|status_is_read",
        ),
        Fault(
            "submits_twice",
            "fp8mac_csr.sv",
            "submit_o         <= out.SUBMIT.tag.swmod;",
            "submit_o         <= out.SUBMIT.tag.swmod || (submit_o && command_o.tag[0]);",
            "a_submission_per_write",
        ),
        Fault(
            "scales_change_places",
            "fp8mac_command_pkg.sv",
            "word[12][7:0] = out.SCALE_EXP.sa.value;",
            "word[12][7:0] = out.SCALE_EXP.sb.value;",
            "software_writes_the_command",
        ),
        Fault(
            "strobes_ignored",
            "fp8mac_regs.sv",
            "cpuif_wr_biten[i*8 +: 8] <= {8{s_apb_pstrb[i]}};",
            "cpuif_wr_biten[i*8 +: 8] <= 8'hff;",
            "request_is_held",
        ),
        Fault(
            "a_read_is_not_answered",
            "fp8mac_regs.sv",
            "assign s_apb_pready = cpuif_rd_ack | cpuif_wr_ack;",
            "assign s_apb_pready = cpuif_wr_ack;",
            "answered_at_once",
        ),
        Fault(
            "a_refused_write_has_its_effect",
            "fp8mac_csr.sv",
            ".s_apb_psel   (psel_i && !weaker),",
            ".s_apb_psel   (psel_i),",
            "request_is_held|software_writes_the_command|a_submission_per_write|a_fetch_per_write",
        ),
        Fault(
            "privilege_is_not_compared",
            "fp8mac_csr.sv",
            " || (!pprot_i[0] && dma_prot_i[0]);",
            ";",
            "a_weaker_access_is_refused|request_is_held",
        ),
        Fault(
            "line_ignores_the_enable_of_pauses",
            "fp8mac_csr.sv",
            "(out.IRQ_STATE.paused.value && out.IRQ_ENABLE.paused.value)",
            "out.IRQ_STATE.paused.value",
            "line_is_causes_and_enables",
        ),
        Fault(
            "a_pause_is_told_while_it_lasts",
            "fp8mac_csr.sv",
            "in.IRQ_STATE.paused.hwset    = paused_event_i;",
            "in.IRQ_STATE.paused.hwset    = paused_i;",
            "causes_are_held",
        ),
        Fault(
            "resume_ends_the_list",
            "fp8mac_csr.sv",
            "end_list_o       = out.CTRL.end_list.value;",
            "end_list_o       = out.CTRL.resume.value;",
            "an_answer_lasts_one_cycle",
        ),
        Fault(
            "position_without_its_highest_bit",
            "fp8mac_csr.sv",
            "list_position_i[31:3];",
            "29'(list_position_i[30:3]);",
            "list_is_read",
        ),
        Fault(
            "b_is_always_free",
            "fp8mac_command_pkg.sv",
            "word[11][23:23] = out.MODE.b_free.value;",
            "word[11][23:23] = 1'b1;",
            "software_writes_the_command|software_reads_it_back",
        ),
    ],
)

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


def fetch(beat):
    return Proof(
        f"fetch_{beat}",
        "formal_fetch",
        RESET + ["rtl/accel/fp8mac_fetch.sv", "formal/formal_fetch.sv"],
        "prove",
        3,
        cover_depth=24,
        fault_depth=14,
        params={"BEAT": beat},
        repeats=beat != 16,
        cost=20,
        faults=[]
        if beat != 16
        else [
            Fault(
                "beats_in_the_reverse_order",
                "fp8mac_fetch.sv",
                "count_q == CountW'(i)",
                "count_q == CountW'(Beats - 1 - i)",
                "beats_stay|words_are_in_order",
            ),
            Fault(
                "last_error_is_told",
                "fp8mac_fetch.sv",
                "(error_q == ErrNone && beat_valid_i)",
                "beat_valid_i",
                "first_error_is_told|its_error_is_kept",
            ),
            Fault(
                "reads_beside_a_beat",
                "fp8mac_fetch.sv",
                "misaligned ? ErrAlign : beyond ?",
                "beyond ?",
                "one_command_each|one_request_each",
            ),
            Fault(
                "reads_past_the_last_address",
                "fp8mac_fetch.sv",
                "addr_i > addr_t'(-(Short * BEAT))",
                "addr_i > addr_t'(-BEAT)",
                "one_command_each|one_request_each",
            ),
            Fault(
                "extension_past_the_last_address",
                "fp8mac_fetch.sv",
                "(longer && !rest_beyond) ? Request",
                "longer ? Request",
                "one_command_each|one_request_each",
            ),
            Fault(
                "extension_of_a_failed_descriptor",
                "fp8mac_fetch.sv",
                "&& !longer_q && error == ErrNone",
                "&& !longer_q",
                "one_command_each|one_request_each|its_length_is_kept",
            ),
            Fault(
                "requests_until_a_beat_comes",
                "fp8mac_fetch.sv",
                "if (row_ready_i) state_q",
                "if (row_ready_i && error_q != ErrNone) state_q",
                "one_request_each|one_command_each",
            ),
            Fault(
                "ends_with_the_first_beat",
                "fp8mac_fetch.sv",
                "beat_valid_i && beat_last_i",
                "beat_valid_i",
                "one_command_each|busy_until_the_command|one_request_each",
            ),
            Fault(
                "a_ring_with_an_error_reads",
                "fp8mac_fetch.sv",
                "(ring_error_i != ErrNone) ? ring_error_i : ",
                "",
                "one_command_each|one_request_each",
            ),
            Fault(
                "another_one_behind_a_failure",
                "fp8mac_fetch.sv",
                "[MoreBit] && error_q == ErrNone",
                "[MoreBit]",
                "another_one_as_told",
            ),
            Fault(
                "every_list_pauses",
                "fp8mac_fetch.sv",
                "[PauseBit]",
                "[MoreBit]",
                "pauses_as_told",
            ),
            Fault(
                "next_one_is_in_the_extension",
                "fp8mac_fetch.sv",
                "(longer_q ? (AddrW+1)'(Beats * BEAT) : (AddrW+1)'(Short * BEAT))",
                "(AddrW+1)'(Short * BEAT)",
                "next_is_behind|its_next_is_kept",
            ),
            Fault(
                "next_one_at_address_0",
                "fp8mac_fetch.sv",
                "next_beyond_o = next[AddrW];",
                "next_beyond_o = 1'b0;",
                "next_is_behind",
            ),
            Fault(
                "an_error_has_a_record",
                "fp8mac_fetch.sv",
                "command_o.mode.record = 1'b0;",
                "command_o.mode.irq = 1'b0;",
                "an_error_has_no_tag",
            ),
        ],
    )


LIST = Proof(
    "list",
    "formal_list",
    RESET + ["rtl/accel/fp8mac_list.sv", "formal/formal_list.sv"],
    "prove",
    3,
    cover_depth=12,
    fault_depth=12,
    faults=[
        Fault(
            "goes_on_after_a_refusal",
            "fp8mac_list.sv",
            "more_i && !abort_i && !refuse_i;",
            "more_i && !abort_i;",
            "rung_once_in_order|busy_until_the_last|paused_until_the_answer|waits_for_room|position_is_told",
        ),
        Fault(
            "goes_on_in_an_abort",
            "fp8mac_list.sv",
            "if (abort_i || follow) room_q",
            "if (follow) room_q",
            "rung_once_in_order|busy_until_the_last|waits_for_room",
        ),
        Fault(
            "rings_twice",
            "fp8mac_list.sv",
            "if (abort_i || follow) room_q",
            "if (abort_i) room_q",
            "busy_until_the_last|waits_for_room",
        ),
        Fault(
            "rings_without_room",
            "fp8mac_list.sv",
            "!abort_i && !queue_full_i && !fetching_i;",
            "!abort_i && !fetching_i;",
            "rung_once_in_order",
        ),
        Fault(
            "rings_beside_a_command",
            "fp8mac_list.sv",
            "!abort_i && !queue_full_i && !fetching_i;",
            "!abort_i && !queue_full_i;",
            "rung_once_in_order|one_reader",
        ),
        Fault(
            "a_command_in_a_pause_goes_on",
            "fp8mac_list.sv",
            "if (ring_o) listed_q <= !paused_q;",
            "if (ring_o) listed_q <= 1'b1;",
            "belongs_to_the_list",
        ),
        Fault(
            "no_pause",
            "fp8mac_list.sv",
            "(goes_on && !pause_i)",
            "goes_on",
            "busy_until_the_last|waits_for_room",
        ),
        Fault(
            "end_goes_on",
            "fp8mac_list.sv",
            "(paused_q && resume_i)",
            "(paused_q && (resume_i || end_i))",
            "busy_until_the_last|waits_for_room",
        ),
        Fault(
            "announced_while_busy",
            "fp8mac_list.sv",
            "!announced_q && idle_i && !abort_i;",
            "!announced_q && !abort_i;",
            "announced_once",
        ),
        Fault(
            "announced_after_a_failure",
            "fp8mac_list.sv",
            "!announced_q && idle_i && !abort_i;",
            "!announced_q && idle_i;",
            "announced_once",
        ),
        Fault(
            "announced_in_every_idle_cycle",
            "fp8mac_list.sv",
            "!announced_q && idle_i && !abort_i;",
            "idle_i && !abort_i;",
            "announced_once",
        ),
        Fault(
            "a_cycle_more_than_the_limit",
            "fp8mac_list.sv",
            "cycles_q >= limit_i;",
            "cycles_q > limit_i;",
            "busy_until_the_last|paused_until_the_answer|waits_for_room",
        ),
        Fault(
            "counts_before_the_announcement",
            "fp8mac_list.sv",
            "cycles_q <= announced_q ? cycles_q",
            "cycles_q <= paused_q ? cycles_q",
            "counts_from_the_announcement",
        ),
        Fault(
            "the_limit_0_is_a_limit",
            "fp8mac_list.sv",
            "announced_q && limit_i != '0 &&",
            "announced_q &&",
            "busy_until_the_last|paused_until_the_answer|waits_for_room",
        ),
        # Software can fill the queue before the error's command comes.
        Fault(
            "busy_when_it_rings",
            "fp8mac_list.sv",
            "busy_o         = fetching_i || room_q;",
            "busy_o         = fetching_i || (room_q && !late_q);",
            "busy_until_the_last|one_reader|room_when_it_comes",
        ),
        Fault(
            "late_without_an_error",
            "fp8mac_list.sv",
            "late_q ? ErrTimeout : ",
            "",
            "with_its_error",
        ),
        Fault(
            "every_one_after_a_late_one_fails",
            "fp8mac_list.sv",
            "(late_q && !follow && !abort_i);",
            "late_q;",
            "with_its_error|waits_for_room",
        ),
        Fault(
            "first_address_behind_the_last",
            "fp8mac_list.sv",
            "beyond_q   <= next_beyond_i;",
            "beyond_q   <= 1'b0;",
            "with_its_error|knows_the_next",
        ),
        Fault(
            "a_command_in_a_pause_moves_the_position",
            "fp8mac_list.sv",
            "rst_ni && ring_i && !paused_q)",
            "rst_ni && ring_i)",
            "position_is_told|knows_the_next",
        ),
        Fault(
            "a_reset_moves_the_position",
            "fp8mac_list.sv",
            "rst_ni && goes_on)",
            "goes_on)",
            "position_is_told",
        ),
    ],
)

RECORDS = Proof(
    "records",
    "formal_records",
    RESET + ["rtl/accel/fp8mac_records.sv", "formal/formal_records.sv"],
    "prove",
    3,
    cover_depth=10,
    fault_depth=10,
    cost=20,
    faults=[
        Fault(
            "released_by_another_tag",
            "fp8mac_records.sv",
            "release_i && release_tag_i == tag_q[i] && done_q[i]",
            "release_i && release_tag_i[RecordW-1:0] == RecordW'(i) && done_q[i]",
            "held_from_claim_to_release|done_when_it_ended",
        ),
        Fault(
            "released_in_flight",
            "fp8mac_records.sv",
            "release_tag_i == tag_q[i] && done_q[i];",
            "release_tag_i == tag_q[i];",
            "held_from_claim_to_release|done_when_it_ended",
        ),
        Fault(
            "a_drop_changes_a_complete_record",
            "fp8mac_records.sv",
            "drop_i && held_q[i] && !done_q[i];",
            "drop_i && held_q[i];",
            "has_its_error",
        ),
        Fault(
            "a_reset_loses_an_end",
            "fp8mac_records.sv",
            "(soft_reset_i && !done_q[i] && !finish[i])",
            "(soft_reset_i && !done_q[i])",
            "held_from_claim_to_release",
        ),
        Fault(
            "flags_of_another_command",
            "fp8mac_records.sv",
            "stepped[i]     = step_owner_q.valid && step_owner_q.index == RecordW'(i);",
            "stepped[i]     = step_owner_q.valid;",
            "a_flags_have_an_owner_in_flight|flags_are_late|nothing_else_is_late",
        ),
        Fault(
            "amax_of_another_record",
            "fp8mac_records.sv",
            "epi_amax_q > amax_q[epi_owner_q.index];",
            "epi_amax_q > amax_q[0];",
            "flags_are_late|has_its_flags",
        ),
        Fault(
            "a_claim_keeps_the_flags",
            "fp8mac_records.sv",
            "flags_q[i]     <= '0;",
            "flags_q[i]     <= flags_q[i];",
            "flags_are_late|has_its_flags|nothing_else_is_late",
        ),
        Fault(
            "a_free_record_shows_the_last_command",
            "fp8mac_records.sv",
            "record_o = held_q[select_i] ? record : '0;",
            "record_o = record;",
            "a_free_one_shows_nothing",
        ),
        Fault(
            "an_error_of_the_last_command",
            "fp8mac_records.sv",
            "error: done_q[select_i] ? error_q[select_i] : ErrNone,",
            "error: error_q[select_i],",
            "no_error_before_the_end",
        ),
    ],
)

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
    3,
    cover_depth=14,
    fault_depth=12,
    cost=60,
    faults=[
        Fault(
            "after_is_ignored",
            "fp8mac_load.sv",
            "job_d.after == '0 || earlier < job_d.after;",
            "1'b1;",
            "engine_waits_no_more|b_alone_in_a_wait|no_end_in_a_wait",
        ),
        Fault(
            "taken_without_room_to_store",
            "fp8mac_load.sv",
            "state_q == Idle && !halves_in_use && room_i && !stop;",
            "state_q == Idle && !halves_in_use && !stop;",
            "taken_at_once",
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

# By SHARE: a bundle is one transfer, or two.
STORE_FAULTS = {
    2: [
        Fault(
            "rows_beyond_d",
            "fp8mac_store.sv",
            "row_tile == last_row_tile_q ? last_rows_q : '1;",
            "row_tile == last_row_tile_q ? '1 : '1;",
            "all_at_the_end",
        ),
        Fault(
            "ready_while_a_bundle_waits",
            "fp8mac_store.sv",
            "ready_q      <= !(bundle_valid && !bundle_done);",
            "ready_q      <= 1'b1;",
            "once|vectors_of_its_tile|all_at_the_end|unchanged",
        ),
        Fault(
            "slot_before_it_is_free",
            "fp8mac_store.sv",
            "slot_available_q <= regions != (SlotW+1)'(SLOTS);",
            "slot_available_q <= 1'b1;",
            "slot_is_free|slots_are_counted",
        ),
        Fault(
            "scale_of_another_phase",
            "fp8mac_store.sv",
            "scale_a[source_q.bundle_row][source_q.phase]",
            "scale_a[source_q.bundle_row][bundle.phase]",
            "scale_of_its_row",
        ),
    ],
    1: [
        Fault(
            "region_goes_on_below",
            "fp8mac_store.sv",
            "(bundle.position.row_tile & region_rows_q) == region_rows_q);",
            "(bundle.position.row_tile & region_rows_q) == '0);",
            "all_at_the_end|regions_at_the_end",
        ),
        Fault(
            "part_of_the_next_bundle",
            "fp8mac_store.sv",
            "skid_valid_q <= bundle_valid && !bundle_done;",
            "skid_valid_q <= bundle_valid && !go;",
            "all_at_the_end|once|unchanged",
        ),
    ],
}


STATISTIC_FAULTS = [
    Fault(
        "statistics_have_regions",
        "fp8mac_store.sv",
        "region_done: region_done && !statistic_q",
        "region_done: region_done",
        "regions_at_the_end|slots_are_counted",
    ),
    Fault(
        "rows_of_statistics_move",
        "fp8mac_store.sv",
        "epi_row_o     <= statistic_q ? '0 : row_moves;",
        "epi_row_o     <= row_moves;",
        "only_enabled_rows_move",
    ),
    Fault(
        "exponentials_in_every_cycle",
        "fp8mac_store.sv",
        "assign turn           = (turn_q || !every_second_q) &&",
        "assign turn           =",
        "every_second_cycle",
    ),
    Fault(
        "end_of_each_region",
        "fp8mac_store.sv",
        "job.rows_end && source_q.command_done;",
        "job.rows_end && source_q.x_done;",
        "end_comes",
    ),
]


def store(m, n, share, width, shape, size, statistic=False):
    """Commands of m x n outputs: `depth` is long enough for one of them, from its first to its last transfer. A statistic
    of a row command has no outputs in the D buffer."""
    first = share == 2
    faults = STATISTIC_FAULTS if statistic else STORE_FAULTS[share]
    return Proof(
        f"store_{m}_{n}_{share}_{width}_{shape}_{size}{'_statistic' * statistic}",
        "formal_store",
        RESET
        + [
            "rtl/accel/fp8mac_source_slots.sv",
            "rtl/accel/fp8mac_store.sv",
            "formal/formal_store.sv",
        ],
        "bmc",
        16,
        cover_depth=16,
        fault_depth=16,
        params={
            **{"M": m, "N": n, "SHARE": share, "WIDTH": width, "SHAPE": shape, "SIZE": size},
            "STATISTIC": int(statistic),
        },
        cost=60,
        faults=faults if width == 2 else [],
        repeats=not first,
    )


WRITE_OUT_FAULTS = [
    Fault(
        "reads_before_the_region_is_full",
        "fp8mac_write_out.sv",
        "begun_q && region_waits);",
        "begun_q);",
        "region_is_full|one_slot_each|no_region_is_bad",
    ),
    Fault(
        "next_region_at_the_first_column",
        "fp8mac_write_out.sv",
        "region_addr_q <= region_addr_q + addr_t'(most_bytes);",
        "region_addr_q <= region_addr_q;",
        "once|all_at_the_end|from_its_own_word|strobes_of_d",
    ),
    Fault(
        "end_before_the_last_row",
        "fp8mac_write_out.sv",
        "(region_done && ends_q) ||",
        "(row_done && ends_q) ||",
        "all_at_the_end|end_after_the_rows",
    ),
    Fault(
        "all_bytes_of_the_last_beat",
        "fp8mac_write_out.sv",
        "(!last_beat || last_byte_q[BeatLog-1:0] + first_byte_q >= BeatLog'(b))",
        "1'b1",
        "strobes_of_d",
    ),
    Fault(
        "goes_on_while_refused",
        "fp8mac_write_out.sv",
        "s1_ready     = !s1_valid_q || beat_ready_i;",
        "s1_ready     = 1'b1;",
        "offered_until_taken|strobes_of_d",
    ),
    Fault(
        "rows_in_the_order_of_the_tile",
        "fp8mac_write_out.sv",
        "phase       = 32'(row_q) % SHARE;",
        "phase       = 32'(row_q) / SHARE % SHARE;",
        "from_its_own_word",
    ),
]


PAIR_WRITE_OUT_FAULTS = [
    Fault(
        "lines_follow_each_other",
        "fp8mac_write_out.sv",
        "pairs_d && !more_d && !line_ends_d;",
        "pairs_d && !more_d;",
        "all_at_the_end|once",
    ),
    Fault(
        "all_rows_have_two",
        "fp8mac_write_out.sv",
        "!second_d && has_second_d;",
        "!second_d;",
        "rows_of_d_alone",
    ),
    Fault(
        "results_0_twice",
        "fp8mac_write_out.sv",
        "(32'(beat_q) + 32'(second_q)) * BEAT;",
        "32'(beat_q) * BEAT;",
        "from_its_own_word|from_its_own_beat",
    ),
]


def write_out(m, n, share, banks, shape, size, out_w=0, seconds=0):
    """Commands of m x n outputs. `depth` reaches most beats of one; the deeper run and the bench reach all."""
    first = (m, n, share, banks) == (3, 5, 2, 1)
    return Proof(
        f"write_out_{m}_{n}_{share}_{banks}_{shape}_{size}"
        + (f"_pairs_{out_w}_{seconds}" if out_w else ""),
        "formal_write_out",
        RESET + ["rtl/accel/fp8mac_write_out.sv", "formal/formal_write_out.sv"],
        "bmc",
        10,
        deeper_by=3,
        cover_depth=16,
        fault_depth=12,
        params={"M": m, "N": n, "SHARE": share, "BANKS": banks, "SHAPE": shape, "SIZE": size}
        | ({"PAIRS": 1, "OUT_W": out_w, "SECONDS": seconds} if out_w else {}),
        cost=60,
        faults=WRITE_OUT_FAULTS if first else PAIR_WRITE_OUT_FAULTS if out_w else [],
        repeats=not first,
    )


SOURCE_FAULTS = [
    Fault(
        "a_region_too_many",
        "fp8mac_source.sv",
        "used_q != (SlotW+1)'(SLOTS) && !abort_i;",
        "used_q != (SlotW+1)'(SLOTS + 1) && !abort_i;",
        "no_beat_is_overwritten|slots_are_enough",
    ),
    Fault(
        "next_band_at_the_last_region",
        "fp8mac_source.sv",
        "region_addr_q <= band_addr_q + band_stride_q;",
        "region_addr_q <= region_addr_q + band_stride_q;",
        "row_of_the_matrix",
    ),
    Fault(
        "regions_of_whole_rows",
        "fp8mac_source.sv",
        "bytes_t'(ROW_BYTES) >> shape;",
        "bytes_t'(ROW_BYTES);",
        "row_of_the_matrix|last_row_is_marked|no_beat_is_overwritten",
    ),
    Fault(
        "tiles_of_a_pass_share_words",
        "fp8mac_source.sv",
        "(tile_row * (ROW_BYTES / BEAT) >> shape)",
        "(tile_row)",
        "no_beat_is_overwritten",
    ),
    Fault(
        "idle_while_rows_are_under_way",
        "fp8mac_source.sv",
        "empty && pending_q == '0;",
        "empty;",
        "idle_without_rows",
    ),
]


def source(share, banks):
    """`depth` reaches the second region of a command, or the second command."""
    first = share == 1
    return Proof(
        f"source_{share}_{banks}",
        "formal_source",
        RESET
        + ["rtl/accel/fp8mac_fifo.sv", "rtl/accel/fp8mac_source.sv", "formal/formal_source.sv"],
        "bmc",
        10,
        cover_depth=16,
        fault_depth=14,
        params={"SHARE": share, "BANKS": banks},
        cost=40,
        faults=SOURCE_FAULTS if first else [],
        repeats=not first,
    )


SOURCE_SLOTS = Proof(
    "source_slots",
    "formal_source_slots",
    RESET + ["rtl/accel/fp8mac_source_slots.sv", "formal/formal_source_slots.sv"],
    "bmc",
    14,
    cover_depth=14,
    fault_depth=14,
    faults=[
        Fault(
            "error_of_the_last_beat",
            "fp8mac_source_slots.sv",
            "(beat_i && so_far_q == ErrNone)",
            "(beat_i)",
            "first_error_of_the_region",
        ),
        Fault(
            "error_goes_on_into_the_next_region",
            "fp8mac_source_slots.sv",
            "(beat_i && full_i) ? ErrNone : so_far;",
            "so_far;",
            "first_error_of_the_region",
        ),
        Fault(
            "passed_on_twice",
            "fp8mac_source_slots.sv",
            "(SlotW+1)'(done_i && ready_o);",
            "(SlotW+1)'(1'b0);",
            "ready_when_there",
        ),
    ],
)

CORE_FETCH = Proof(
    "core_fetch",
    "formal_core_fetch",
    RESET
    + [
        "rtl/system/fp8mac_sys_pkg.sv",
        "rtl/system/fp8mac_sys_fetch_ahead.sv",
        "formal/formal_core_fetch.sv",
    ],
    "prove",
    3,
    cover_depth=8,
    fault_depth=8,
    cost=5,
    faults=[
        Fault(
            "answers_with_what_lies_ahead",
            "fp8mac_sys_fetch_ahead.sv",
            "waiting_q && was_read_q && read_q == addr_q[RamAddrW-1:2];",
            "waiting_q && was_read_q;",
            "answers_with_its_word",
        ),
        Fault(
            "answers_though_the_ram_was_busy",
            "fp8mac_sys_fetch_ahead.sv",
            "waiting_q && was_read_q && read_q",
            "waiting_q && read_q",
            "answers_with_its_word",
        ),
        Fault(
            "reads_ahead_of_a_request_that_waits",
            "fp8mac_sys_fetch_ahead.sv",
            "waiting_q && !hit ? addr_q[RamAddrW-1:2] : behind",
            "behind",
            "waits_for_one_read",
        ),
        Fault(
            "reads_the_last_word_again",
            "fp8mac_sys_fetch_ahead.sv",
            "addr_q[RamAddrW-1:2] + 1'b1;",
            "addr_q[RamAddrW-1:2];",
            "no_wait_in_a_row",
        ),
        Fault(
            "takes_a_second_request",
            "fp8mac_sys_fetch_ahead.sv",
            "req_i && (!waiting_q || hit);",
            "req_i;",
            "owes_one",
        ),
    ],
)


# The first move comes 12 to 16 cycles behind the first tile command.
CMD_WALK_FAULTS = [
    Fault(
        "a_chunk_is_given_twice",
        "fp8mac_cmd_walk.sv",
        "k_more_q ? k_left_q - size_t'(k_q) : cmd_q.k;",
        "k_more_q ? k_left_q : cmd_q.k;",
        "position_is_kept|is_the_next_one",
    ),
    Fault(
        "a_tile_behind_the_last_row",
        "fp8mac_cmd_walk.sv",
        "m_left_q > size_t'(cmd_q.tile.m);",
        "m_left_q >= size_t'(cmd_q.tile.m);",
        "is_the_next_one|sizes_are_kept",
    ),
]

CMD_WALK_ADDRESS_FAULTS = [
    Fault(
        "first_move_does_not_wait",
        "fp8mac_cmd_walk.sv",
        "(steps_done_q || (rows && !move_m));",
        "1'b1;",
        "places_are_kept|moves_in_time|moves_by|products_in_time",
    ),
    Fault(
        "chunks_of_the_first_products",
        "fp8mac_cmd_walk.sv",
        "a_q        <= (conv || from_start_q) ? a_tile_q : a_q + position_addr_t'(k_q);",
        "a_q        <= a_tile_q;",
        "places_of_the_chunk|is_the_next_one",
    ),
    Fault(
        "rows_may_touch",
        "fp8mac_cmd_walk.sv",
        ": cmd_q.a.stride < addr_t'(cmd_q.k))) ||",
        ": cmd_q.a.stride <= addr_t'(cmd_q.k))) ||",
        "strides_are_judged",
    ),
]


def cmd_walk(matrix=None, **params):
    """Unbounded. The addresses of each matrix are a proof of their own: together they take many times as long."""
    faults = {None: CMD_WALK_FAULTS, "a": CMD_WALK_ADDRESS_FAULTS}
    return Proof(
        "cmd_walk" + (f"_{matrix}" if matrix else ""),
        "formal_cmd_walk",
        RESET + ["rtl/accel/fp8mac_cmd_walk.sv", "formal/formal_cmd_walk.sv"],
        "prove",
        1,
        cover_depth=0 if matrix else 17,
        fault_depth=20,
        cost=20 if matrix is None else 60,
        params=params,
        faults=faults.get(matrix, []),
        repeats=matrix is not None,
    )


CMD_CHECK_REGION_FAULTS = [
    Fault(
        "rows_of_b_are_not_judged",
        "fp8mac_cmd_check.sv",
        "matrix(cmd_q.b.addr, cmd_q.b.stride, RegionW'(columns)",
        "matrix(cmd_q.b.addr, cmd_q.b.stride, RegionW'(cmd_q.m)",
        "selects_a_region|adds_its_end",
    ),
    Fault(
        "one_tile_of_b_in_a_row_ram",
        "fp8mac_cmd_check.sv",
        "(MnW+WordsW)'(b_tiles_q) * ",
        "(MnW+WordsW)'(1) * ",
        "words_are_counted",
    ),
    Fault(
        "carry_between_halves_is_lost",
        "fp8mac_cmd_check.sv",
        "(SpanW+2-HalfW)'(end_low_q[AddrW+1:HalfW]) + (SpanW+2-HalfW)'(end_high_q);",
        "(SpanW+2-HalfW)'(end_low_q[AddrW-1:HalfW]) + (SpanW+2-HalfW)'(end_high_q);",
        "adds_its_end|range_so_far|error_is_the_first|keeps_its_error",
    ),
    Fault(
        "last_byte_may_lie_behind",
        "fp8mac_cmd_check.sv",
        "region_end > (SpanW+2)'(1) << AddrW;",
        "region_end > ((SpanW+2)'(1) << AddrW) + (SpanW+2)'(1);",
        "range_so_far|error_is_the_first|keeps_its_error",
    ),
    Fault(
        "last_address_is_not_used",
        "fp8mac_cmd_check.sv",
        "region_end > (SpanW+2)'(1) << AddrW;",
        "region_end >= (SpanW+2)'(1) << AddrW;",
        "range_so_far|error_is_the_first|keeps_its_error",
    ),
    Fault(
        "only_the_last_region_counts",
        "fp8mac_cmd_check.sv",
        "range_bad_q <= range_bad_q || region_end",
        "range_bad_q <= region_end",
        "range_so_far|error_is_the_first|keeps_its_error",
    ),
    Fault(
        "strides_are_not_aligned",
        "fp8mac_cmd_check.sv",
        "(select_q.more_rows != '0 && select_q.stride[BeatLog-1:0] != '0);",
        "1'b0;",
        "multiplies_its_rows|alignment_so_far|error_is_the_first|keeps_its_error",
    ),
    Fault(
        "a_reused_operand_is_judged",
        "fp8mac_cmd_check.sv",
        "4'd0:    region.used = !cmd_q.a.reuse && !image_used;",
        "4'd0:    region.used = !image_used;",
        "selects_a_region",
    ),
]

# A tile command leaves nine cycles after it entered, at the earliest.
CMD_CHECK_FAULTS = [
    Fault(
        "verdict_before_the_last_region",
        "fp8mac_cmd_check.sv",
        "LastRegion = 4'd8,\n                         Stages = 4'd4;",
        "LastRegion = 4'd8,\n                         Stages = 4'd3;",
        "comes_in_time|state_is_known",
    ),
    Fault(
        "the_last_shape_wins",
        "fp8mac_cmd_check.sv",
        "passes_tried_q < passes_q)) begin",
        "passes_tried_q <= passes_q)) begin",
        "keeps_the_best|refused_without_work|keeps_its_shape",
    ),
    Fault(
        "another_one_while_blocked",
        "fp8mac_cmd_check.sv",
        "(error_q == ErrNone) ? Idle : Blocked;",
        "Idle;",
        "one_at_a_time|state_is_known",
        depth=12,
    ),
    Fault(
        "offered_in_an_abort",
        "fp8mac_cmd_check.sv",
        "state_q == Offer && !abort_i;",
        "state_q == Offer;",
        "comes_in_time",
    ),
    Fault(
        "abort_keeps_the_tile_command",
        "fp8mac_cmd_check.sv",
        "if (!rst_ni || abort_i || clear_i) begin\n      state_q <= Idle;",
        "if (!rst_ni || clear_i) begin\n      state_q <= Idle;",
        "one_at_a_time|state_is_known|comes_in_time",
    ),
    Fault(
        "a_refused_one_is_loaded",
        "fp8mac_cmd_check.sv",
        "wanted = error_q == ErrNone && !operand.reuse && !elementwise;",
        "wanted = !operand.reuse && !elementwise;",
        "refused_without_work",
    ),
]

CMD_CHECK = Proof(
    "cmd_check",
    "formal_cmd_check",
    RESET + ["rtl/accel/fp8mac_cmd_check.sv", "formal/formal_cmd_check.sv"],
    "prove",
    1,
    cover_depth=20,
    cost=20,
    faults=CMD_CHECK_REGION_FAULTS,
)

# Without the sums of addresses faults of all else show in a tenth of the time.
CMD_CHECK_ELSE = replace(
    CMD_CHECK,
    name="cmd_check_else",
    params={"REGIONS": 0},
    cost=5,
    faults=CMD_CHECK_FAULTS,
    repeats=True,
)


TABLE_LOAD_FAULTS = [
    Fault(
        "loaded_although_a_beat_failed",
        "fp8mac_table_load.sv",
        "write: beat_i && error == ErrNone,",
        "write: beat_i,",
        "writes_what_came",
    ),
    Fault(
        "last_beat_is_dropped",
        "fp8mac_table_load.sv",
        "write: beat_i && error == ErrNone,",
        "write: beat_i && error == ErrNone && !beat_last_i,",
        "writes_what_came",
        depth=66,
    ),
    Fault(
        "other_table",
        "fp8mac_table_load.sv",
        "second: code_table_i == Table1",
        "second: code_table_i != Table1",
        "words_are_in_order|the_other_stays",
    ),
    Fault(
        "old_codes_stay_valid",
        "fp8mac_table_load.sv",
        "begin_o = state_q == Request;",
        "begin_o = 1'b0;",
        "no_codes_before",
    ),
    Fault(
        "last_error_is_told",
        "fp8mac_table_load.sv",
        "(error_q == ErrNone && beat_i)",
        "beat_i",
        "writes_what_came|its_error_is_kept",
        depth=20,
    ),
    Fault(
        "does_not_wait",
        "fp8mac_table_load.sv",
        "else if (drained_i) state_q <= Request;",
        "else state_q <= Request;",
        "requests_once|state_is_known",
    ),
    Fault(
        "waits_in_an_abort",
        "fp8mac_table_load.sv",
        "Wait:    if (abort_i) state_q <= Done;\n                 else if",
        "Wait:    if",
        "passes_once|state_is_known",
    ),
    Fault(
        "reads_an_illegal_table",
        "fp8mac_table_load.sv",
        "(request_error != ErrNone) ? Done : Wait;",
        "Wait;",
        "passes_once|state_is_known",
    ),
    Fault(
        "ends_with_the_first_word_of_the_last_beat",
        "fp8mac_table_load.sv",
        "if (taken && beat_last_i)",
        "if (beat_i && beat_last_i)",
        "passes_once|state_is_known",
        depth=70,
    ),
    Fault(
        "table_past_the_last_address",
        "fp8mac_table_load.sv",
        "addr_i > addr_t'(-Bytes)",
        "addr_i > addr_t'(-BEAT)",
        "passes_once|state_is_known|its_error_is_kept",
    ),
]


def table_load(beat):
    """Unbounded. A load has 64 words in any case, so its end shows first with the widest beat."""
    return Proof(
        f"table_load_{beat}",
        "formal_table_load",
        RESET + ["rtl/accel/fp8mac_table_load.sv", "formal/formal_table_load.sv"],
        "prove",
        2,
        cover_depth=72,
        params={"BEAT": beat},
        faults=TABLE_LOAD_FAULTS if beat == 32 else [],
        repeats=beat != 32,
        cost=10,
    )


PROOFS = [
    *[fifo(depth) for depth in (1, 2, 3, 8)],
    *[cmd_queue(depth, followed) for depth, followed in ((2, None), (8, 16))],
    *[operand_buffer(lanes) for lanes in (2, 4, 8)],
    *[operand_bound(beat) for beat in (8, 16)],
    operand_bound(16, 64),
    operand_bound(8, groups=4),
    operand_bound(8, groups=4, pairs=True),
    QUAD_BUFFER,
    IMAGE_ALIGN,
    IMAGE_ALIGN_DEPTHWISE,
    *[vector_buffer(read) for read in (2, 4, 8)],
    *[pack(*sizes) for sizes in ((2, 2, 16, 8), (1, 4, 16, 16), (2, 1, 8, 8))],
    *[pack(*sizes, pairs=True) for sizes in ((1, 4, 16, 16), (2, 4, 16, 8))],
    *[burst_split(beat) for beat in (8, 16)],
    CMD_CHECK,
    CMD_CHECK_ELSE,
    cmd_walk(),
    cmd_walk("a", MATRICES=1, MOST=3),
    cmd_walk("b", MATRICES=2, MOST=3),
    cmd_walk("c", MATRICES=8, MOST=3),
    cmd_walk("d", MATRICES=4, MOST=3),
    cmd_walk("elementwise", ELEMENTWISE=1),
    cmd_walk("elementwise_x", ELEMENTWISE=1, MATRICES=1, MOST=3),
    DMA_READ_ADDRESSES,
    DMA_READ,
    DMA_WRITE_ADDRESSES,
    DMA_WRITE,
    AXI_GUARD,
    IRQ,
    fetch(16),
    fetch(8),
    fetch(32),
    *[table_load(beat) for beat in (32, 16, 8)],
    LIST,
    RECORDS,
    LOAD,
    LOAD_IMAGE,
    store(5, 1, 2, 2, 0, 0),
    store(3, 3, 1, 2, 1, 2),
    store(3, 2, 1, 4, 2, 2),
    store(3, 2, 2, 2, 0, 0, statistic=True),
    *[source(*sizes) for sizes in ((1, 1), (2, 1), (1, 2))],
    SOURCE_SLOTS,
    write_out(3, 5, 2, 1, 2, 1),
    write_out(3, 1, 2, 1, 2, 0),  # a byte of each row
    write_out(3, 5, 1, 2, 0, 1),
    write_out(3, 3, 1, 1, 1, 2),
    write_out(3, 3, 2, 1, 2, 0, out_w=2, seconds=2),
    *[compute(sizes) for sizes in COMPUTE_SIZES],
    *[pipelined_adder(*sizes) for sizes in PIPELINED_ADDER_SIZES],
    CORE_FETCH,
]

# The bounded sets again, to a greater depth. Only `make formal-long` runs them.
PROOFS += [
    replace(
        proof,
        name=f"{proof.name}_deeper",
        depth=proof.depth + proof.deeper_by,
        cover_depth=0,
        faults=[],
        repeats=False,
        deeper=True,
    )
    for proof in PROOFS
    if proof.mode == "bmc"
]
