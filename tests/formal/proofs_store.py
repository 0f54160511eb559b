# SPDX-License-Identifier: Apache-2.0
"""Proofs of the store engine, the writes of D, and the source of C and X."""

from __future__ import annotations

from proof import RESET, Fault, Proof

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
