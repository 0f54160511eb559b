# SPDX-License-Identifier: Apache-2.0
"""Proofs of packing, bursts, the DMA engines, the AXI guard and interrupts."""

from __future__ import annotations

from proof import RESET, Fault, Proof

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
