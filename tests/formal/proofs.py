# SPDX-License-Identifier: Apache-2.0
# The table of proofs: property sets, how each is proved, and the faults that each must catch.
from dataclasses import replace

from proof import PACKAGES, RESET, Fault, Proof
from proofs_buffers import (
    IMAGE_ALIGN,
    IMAGE_ALIGN_DEPTHWISE,
    QUAD_BUFFER,
    cmd_queue,
    fifo,
    operand_bound,
    operand_buffer,
    vector_buffer,
)
from proofs_bus import (
    AXI_GUARD,
    DMA_READ,
    DMA_READ_ADDRESSES,
    DMA_WRITE,
    DMA_WRITE_ADDRESSES,
    IRQ,
    burst_split,
    pack,
)
from proofs_compute import COMPUTE_SIZES, PIPELINED_ADDER_SIZES, compute, pipelined_adder
from proofs_lists import LIST, RECORDS, fetch, table_load
from proofs_load import LOAD, LOAD_IMAGE
from proofs_store import SOURCE_SLOTS, source, store, write_out

__all__ = ["PACKAGES", "PROOFS"]

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
        first_step=4,
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
        first_cover=0 if matrix else 16,
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


PROOFS = [
    *[fifo(depth) for depth in (1, 2, 3, 8)],
    *[cmd_queue(depth, followed) for depth, followed in ((2, None), (4, 16), (8, 16))],
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
