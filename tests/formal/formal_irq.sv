// SPDX-License-Identifier: Apache-2.0
// Registers and reports, connected as in fp8mac_accel. The command is what software wrote, and
// reads give the true values. The interrupt line follows from the registers. No completion and no
// error is lost on its way to the line. An access with less protection than the DMA has no effect,
// whatever the protection of both.
module formal_irq
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
(
  input logic          clk_i,
  input logic          rst_ni,
  input logic          psel_i,
  input logic          penable_i,
  input logic          pwrite_i,
  input logic [2:0]    pprot_i,
  input logic [2:0]    any_prot_i,
  input logic [11:0]   paddr_i,
  input logic [31:0]   pwdata_i,
  input logic [3:0]    pstrb_i,
  input logic          idle_i,
  input logic          draining_i,
  input logic          refused_i,
  input logic          record_busy_i,
  input logic          timeout_i,
  input tag_t          timeout_tag_i,
  input logic          timeout_record_i,
  input logic          retire_valid_i,
  input finished_job_t retire_i,
  input flags_t        step_flags_i,
  input logic          epi_valid_i,
  input flags_t        epi_flags_i,
  input logic [31:0]   epi_amax_i,
  input logic          epi_nonfinite_i,
  input counters_t     counters_i,
  input logic [6:0]    queue_level_i,
  input logic          paused_i,
  input logic          paused_event_i,
  input addr_t         list_position_i,
  input logic          fetching_i,
  input logic          queue_full_i,
  input record_t       record_i,
  input logic [Records-1:0] records_done_i,
  input logic [11:0]   any_addr_i
);
  logic        pready, pslverr, submit, clear_error, clear_flags, clear_counters, soft_reset, irq;
  logic [31:0] prdata, completed, amax;
  logic [23:0] watchdog;
  command_t    command;
  logic        ring, resume, end_list;
  addr_t       ring_addr;
  logic [31:0] pause_limit;
  logic        clear, abort, error, done_event, error_event, amax_nonfinite;
  error_e      error_code;
  tag_t        error_tag;
  flags_t      flags;
  logic        ended, release_record;
  tag_t        ended_tag, release_tag;
  error_e      ended_error, refused_error;
  record_index_t select;

  // Protection: bit 0 is 1 if privileged, bit 1 is 0 if secure.
  logic [2:0] dma_prot;
  logic       allowed;
  formal_const #(.WIDTH(3)) u_dma_prot (.clk_i, .any_i(any_prot_i), .const_o(dma_prot));
  assign allowed = pprot_i[0] >= dma_prot[0] && pprot_i[1] <= dma_prot[1];

  assign refused_error = record_busy_i ? ErrRecord : ErrQueueFull;

  fp8mac_csr u_csr (
    .clk_i, .rst_ni, .dma_prot_i(dma_prot[1:0]),
    .psel_i, .penable_i, .pwrite_i, .pprot_i, .paddr_i, .pwdata_i, .pstrb_i, .pready_o(pready),
    .prdata_o(prdata), .pslverr_o(pslverr), .submit_o(submit), .command_o(command), .ring_o(ring),
    .ring_addr_o(ring_addr), .clear_error_o(clear_error), .clear_flags_o(clear_flags),
    .clear_counters_o(clear_counters), .soft_reset_o(soft_reset), .watchdog_o(watchdog),
    .resume_o(resume), .end_list_o(end_list), .pause_limit_o(pause_limit), .paused_i, .paused_event_i, .list_position_i,
    .idle_i, .draining_i, .queue_full_i, .queue_level_i, .fetching_i,
    .error_i(error), .error_code_i(error_code), .error_tag_i(error_tag), .completed_i(completed), .flags_i(flags),
    .amax_i(amax), .amax_nonfinite_i(amax_nonfinite), .counters_i,
    .table_begin_i(1'b0), .table_write_i('0), .record_select_o(select),
    .record_release_o(release_record), .record_release_tag_o(release_tag), .record_i,
    .records_done_i, .done_event_i(done_event), .error_event_i(error_event), .irq_o(irq)
  );

  fp8mac_report u_report (
    .clk_i, .rst_ni, .idle_i, .clear_error_i(clear_error), .soft_reset_i(soft_reset), .clear_flags_i(clear_flags),
    .refused_i, .refused_error_i(refused_error), .refused_tag_i(command.tag), .timeout_i, .timeout_tag_i,
    .timeout_record_i, .retire_valid_i, .retire_i,
    .step_flags_i, .epi_valid_i, .epi_flags_i, .epi_amax_i,
    .epi_nonfinite_i, .clear_o(clear), .abort_o(abort), .error_o(error), .error_code_o(error_code),
    .error_tag_o(error_tag), .completed_o(completed), .done_event_o(done_event), .error_event_o(error_event),
    .ended_o(ended), .ended_tag_o(ended_tag), .ended_error_o(ended_error), .flags_o(flags), .amax_o(amax),
    .amax_nonfinite_o(amax_nonfinite)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- a bus that keeps to APB ------------------------------------------------------------------
  logic        access_q;      // the access phase: from the cycle after select until the answer
  logic        write_q;
  logic [11:0] addr_q;
  logic [31:0] wdata_q;
  logic [3:0]  strb_q;
  logic [2:0]  prot_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) access_q <= 1'b0;
    else access_q <= psel_i && !(penable_i && pready);
    write_q  <= pwrite_i;
    addr_q   <= paddr_i;
    wdata_q  <= pwdata_i;
    strb_q   <= pstrb_i;
    prot_q   <= pprot_i;
  end

  always_comb begin
    if (rst_ni) begin
      enable_after_setup : assume (penable_i == access_q);
      select_stays : assume (!access_q || psel_i);
      request_stays : assume (!access_q || (pwrite_i == write_q && paddr_i == addr_q && pwdata_i == wdata_q &&
                                            pstrb_i == strb_q && pprot_i == prot_q));
    end else begin
      quiet_in_reset : assume (!psel_i && !penable_i);
    end
  end

  // ---- the registers, as software knows them ----------------------------------------------------
  // One register, at an address that the solver chooses, with the mask of its bits and the
  // value that a read gives
  localparam logic [11:0] Status = 12'h024, IrqState = 12'h028, IrqEnable = 12'h02c, Submit = 12'h0cc,
                          Doorbell = 12'h0d0, Select = 12'h0d8, Release = 12'h0e4,
                          List = 12'h0f8, PauseLimit = 12'h0fc;

  logic [11:0] addr;
  formal_const #(.WIDTH(12)) u_addr (.clk_i, .any_i(any_addr_i), .const_o(addr));

  logic [31:0] mask, shown, value_q;

  function automatic logic [31:0] reset_value(logic [11:0] a);
    if (a == 12'h03c) return 32'h1_0000;
    if (a == PauseLimit) return 32'h100_0000;
    return (a == 12'h0b4 || a == 12'h0b8 || a == 12'h0c0) ? Fp32One : '0;
  endfunction

  always_comb begin
    mask  = '1;
    shown = '0;
    unique case (addr)
      12'h03c: begin
        mask  = 32'hff_ffff;
        shown = 32'(watchdog);
      end
      12'h080: shown = command.a.addr;
      12'h084: shown = command.a.stride;
      12'h088: shown = command.b.addr;
      12'h08c: shown = command.b.stride;
      12'h090: shown = command.d.addr;
      12'h094: shown = command.d.stride;
      12'h098: shown = command.m;
      12'h09c: shown = command.n;
      12'h0a0: shown = command.k;
      12'h0a4: shown = {command.tile.n, command.tile.m};
      12'h0a8: shown = {command.tile.first_k, command.tile.k};
      12'h0ac: begin
        shown = 32'({command.mode.after, command.b.narrow, command.a.narrow, command.mode.extended, command.mode.record,
                     command.mode.b_free, command.mode.b_resident, command.mode.pass_shape,
                     command.mode.irq, command.mode.acc_keep, command.mode.acc_continue,
                     command.b.reuse, command.a.reuse, command.finish.bias_en, command.b.scale_vec,
                     command.a.scale_vec, command.finish.act, command.finish.overflow, command.d.fmt,
                     command.mode.acc_fmt, command.b.fmt, command.a.fmt});
      end
      12'h0b0: begin
        mask  = 32'hffff;
        shown = {16'h0, command.b.scale_exp, command.a.scale_exp};
      end
      12'h0b4: shown = command.a.scale;
      12'h0b8: shown = command.b.scale;
      12'h0bc: shown = command.finish.bias;
      12'h0c0: shown = command.d.scale;
      12'h0c4: shown = command.finish.clamp_lo;
      12'h0c8: shown = command.finish.clamp_hi;
      Submit: begin
        mask  = 32'h3_ffff;
        shown = 32'({u_csr.out.SUBMIT.pause.value, u_csr.out.SUBMIT.more.value, command.tag});
      end
      Doorbell: shown = ring_addr;
      PauseLimit: shown = pause_limit;
      Select: begin
        mask  = 32'hffff;
        shown = 32'(u_csr.out.RECORD_SELECT.tag.value);
      end
      Release: begin
        mask  = 32'hffff;
        shown = 32'(release_tag);
      end
      default: mask = '0;
    endcase
  end

  // A write takes effect in the cycle of its answer.
  logic        answered, written;
  logic [11:0] word_addr;
  logic [31:0] biten;

  assign answered  = psel_i && penable_i && pready && allowed;
  assign written   = answered && pwrite_i;
  assign word_addr = {paddr_i[11:2], 2'b00};
  for (genvar i = 0; i < 4; i++) begin : g_biten
    assign biten[8*i +: 8] = {8{pstrb_i[i]}};
  end

  logic submit_q, ring_q, release_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) value_q <= reset_value(addr) & mask;
    else if (written && word_addr == addr) value_q <= ((value_q & ~biten) | (pwdata_i & biten)) & mask;
    ring_q   <= rst_ni && written && word_addr == Doorbell && biten != '0;
    submit_q <= rst_ni && written && word_addr == Submit && biten[15:0] != '0;
    release_q <= rst_ni && written && word_addr == Release && biten[15:0] != '0;
  end

  // ---- causes and enables -----------------------------------------------------------------------
  logic [2:0] cause_q, enable_q, events, cleared;

  // Causes, derived from the tile commands and not from the events in between. A failed or dropped
  // command is an error. A command is done if it asks for an interrupt, its last tile command does
  // not fail, and no failure came before.
  logic good, bad;
  assign good    = retire_valid_i && !abort && retire_i.error == ErrNone && retire_i.irq && retire_i.last;
  assign bad     = timeout_i || refused_i || (retire_valid_i && !abort && retire_i.error != ErrNone);
  assign events  = {paused_event_i, bad, good};

  logic good_end, bad_end;
  assign good_end = retire_valid_i && !abort && retire_i.error == ErrNone && retire_i.last && retire_i.record;
  assign bad_end  = retire_valid_i && !abort && retire_i.error != ErrNone && retire_i.record;
  assign cleared = (written && word_addr == IrqState) ? pwdata_i[2:0] & biten[2:0] : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cause_q  <= '0;
      enable_q <= '0;
    end else begin
      cause_q <= (cause_q & ~cleared) | events;
      if (written && word_addr == IrqEnable) enable_q <= (enable_q & ~biten[2:0]) | (pwdata_i[2:0] & biten[2:0]);
    end
  end

  // ---- the error state --------------------------------------------------------------------------
  logic        in_error_q, in_abort_q, leaves;
  logic [31:0] completed_q;
  error_e      code_q;
  tag_t        tag_q;

  // CTRL.clear_error, soft_reset, resume and end_list are pulses in the cycle after their write.
  logic clear_written_q, soft_reset_written_q, resume_written_q, end_list_written_q;
  assign leaves = clear_written_q && idle_i && in_error_q;

  always_ff @(posedge clk_i) begin
    clear_written_q <= rst_ni && written && word_addr == 12'h020 && pwdata_i[0] && biten[0];
    soft_reset_written_q <= rst_ni && written && word_addr == 12'h020 && pwdata_i[3] && biten[3];
    resume_written_q <= rst_ni && written && word_addr == 12'h020 && pwdata_i[4] && biten[4];
    end_list_written_q <= rst_ni && written && word_addr == 12'h020 && pwdata_i[5] && biten[5];
    if (!rst_ni || leaves || soft_reset_written_q) begin
      in_error_q <= 1'b0;
      in_abort_q <= 1'b0;
    end else if (bad) begin
      in_error_q <= 1'b1;
      if (timeout_i || (retire_valid_i && !in_abort_q && retire_i.error != ErrNone)) in_abort_q <= 1'b1;
      if (timeout_i) begin
        code_q <= ErrTimeout;
        tag_q  <= timeout_tag_i;
      end else if (!in_error_q) begin
        code_q <= (retire_valid_i && retire_i.error != ErrNone) ? retire_i.error : refused_error;
        tag_q  <= (retire_valid_i && retire_i.error != ErrNone) ? retire_i.tag : command.tag;
      end
    end
    if (!rst_ni) completed_q <= '0;
    else completed_q <= completed_q + 32'(retire_valid_i && !in_abort_q && retire_i.error == ErrNone && retire_i.last);
  end

  logic read_status, read_state, read_enable;
  assign read_status = answered && !pwrite_i && word_addr == Status;
  assign read_state  = answered && !pwrite_i && word_addr == IrqState;
  assign read_enable = answered && !pwrite_i && word_addr == IrqEnable;

  always_comb begin
    if (rst_ni) begin
      // As in the accelerator, no command retires or is dropped in an idle cycle, and none is
      // dropped in the error state.
      idle_is_quiet : assume (!idle_i || (!retire_valid_i && !refused_i && !timeout_i));
      no_drop_in_error : assume (!refused_i || !error);

      answered_at_once : assert (!access_q || pready);
      answered_when_asked : assert (!pready || access_q);
      a_weaker_access_is_refused : assert (!(psel_i && penable_i && !allowed) || (pslverr && prdata == '0));
      software_writes_the_command : assert ((shown & mask) == value_q);
      software_reads_it_back : assert (!(answered && !pwrite_i && word_addr == addr && mask != '0) ||
                                       prdata == value_q);
      nowhere_is_an_error : assert (!(answered && (word_addr >= 12'h140 || word_addr == 12'h0ec)) || pslverr);
      somewhere_is_none : assert (!(answered && word_addr == addr && mask != '0) || !pslverr);
      a_submission_per_write : assert (submit == submit_q);
      a_fetch_per_write : assert (ring == ring_q);
      the_tag_selects : assert (select == u_csr.out.RECORD_SELECT.tag.value[RecordW-1:0]);
      a_release_per_write : assert (release_record == release_q);
      the_record_is_read : assert (!(answered && !pwrite_i && word_addr == 12'h0dc) ||
        prdata == {record_i.tag, 6'h0, record_i.done, record_i.amax_nonfinite, record_i.error, record_i.flags.nan,
                   record_i.flags.saturated, record_i.flags.overflow, record_i.flags.invalid});
      its_amax_is_read : assert (!(answered && !pwrite_i && word_addr == 12'h0e0) || prdata == record_i.amax);
      complete_records_are_read : assert (!(answered && !pwrite_i && word_addr == 12'h0d4) ||
                                          prdata == 32'(records_done_i));
      // A command that has a record ends once: as it retires, or by the timeout that begins an
      // abort.
      an_end_per_command : assert (ended == (good_end || bad_end || (timeout_i && !abort && timeout_record_i &&
        !(retire_valid_i && (retire_i.last || retire_i.error != ErrNone)))));
      an_end_has_its_tag : assert (!ended || ended_tag == ((good_end || bad_end) ? retire_i.tag : timeout_tag_i));
      an_end_has_its_error : assert (!ended || ended_error == (good_end ? ErrNone : bad_end ? retire_i.error :
                                                                                       ErrTimeout));

      line_is_causes_and_enables : assert (irq == ((cause_q & enable_q) != '0));
      causes_are_read : assert (!read_state || prdata == 32'(cause_q));
      list_is_read : assert (!(answered && !pwrite_i && word_addr == List) ||
                             prdata == {list_position_i[31:3], 2'b00, paused_i});
      enables_are_read : assert (!read_enable || prdata == 32'(enable_q));
      status_is_read : assert (!read_status || prdata == {in_error_q ? tag_q : tag_t'(0), fetching_i, queue_level_i,
        in_error_q ? code_q : ErrNone, draining_i, in_error_q, queue_full_i, idle_i});
      state_is_known : assert (error == in_error_q && abort == in_abort_q && (!in_abort_q || in_error_q) &&
        error_code == (in_error_q ? code_q : ErrNone) && error_tag == (in_error_q ? tag_q : tag_t'(0)));
      an_error_has_its_code : assert (!in_error_q || code_q != ErrNone);
      clears_when_told : assert (clear == leaves);
      completions_are_counted : assert (completed == completed_q);

      // The register file's state between accesses and during one
      request_is_held : assert (u_csr.u_regs.is_active == (access_q && allowed) &&
        u_csr.u_regs.cpuif_req == (access_q && allowed) && (!access_q || !allowed ||
        (u_csr.u_regs.cpuif_req_is_wr == pwrite_i && u_csr.u_regs.cpuif_addr == word_addr &&
         u_csr.u_regs.cpuif_wr_data == pwdata_i && u_csr.u_regs.cpuif_wr_biten == biten)));
      causes_are_held : assert (u_csr.out.IRQ_STATE.paused.value == cause_q[2] &&
                                u_csr.out.IRQ_STATE.error.value == cause_q[1] &&
                                u_csr.out.IRQ_STATE.done.value == cause_q[0]);
      enables_are_held : assert (u_csr.out.IRQ_ENABLE.paused.value == enable_q[2] &&
                                 u_csr.out.IRQ_ENABLE.error.value == enable_q[1] &&
                                 u_csr.out.IRQ_ENABLE.done.value == enable_q[0]);
      a_clear_lasts_one_cycle : assert (clear_error == clear_written_q && soft_reset == soft_reset_written_q);
      an_answer_lasts_one_cycle : assert (resume == resume_written_q && end_list == end_list_written_q);

      all_at_once : cover (events == 3'b111);
      event_wins_over_clear : cover (irq && cleared[0] && events[0]);
      a_refused_write : cover (psel_i && penable_i && pwrite_i && !allowed);
      line_falls : cover (cleared == 3'b010 && cause_q == 3'b010 && enable_q == 3'b111);
      a_pause_alone_is_told : cover (irq && cause_q == 3'b100 && paused_i);
      resumes : cover (resume && !end_list && paused_i);
      reset_in_the_error_state : cover (soft_reset && in_abort_q && !idle_i && code_q == ErrTimeout);
      leaves_the_error_state : cover (leaves && in_abort_q);
      reads_a_command_register : cover (answered && !pwrite_i && word_addr == addr && addr == 12'h0a0 &&
                                        prdata == 32'h000a_5a5a);
    end
  end

endmodule
