// SPDX-License-Identifier: Apache-2.0
// Connects the generated register file (rtl/regs/fp8mac.rdl) to the accelerator's records. An
// access with less protection than the DMA does not reach the registers: it is answered with
// pslverr_o and reads 0.
module fp8mac_csr
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS        = 4,
  parameter int unsigned COLS        = 4,
  parameter int unsigned LANES       = 16,
  parameter int unsigned BLOCK       = 32,
  parameter int unsigned TILES       = 256,
  parameter int unsigned BEAT        = 16,
  parameter int unsigned QUEUE_DEPTH = 8,
  parameter int unsigned BUF_BEATS   = 256,
  parameter int unsigned MAX_MN      = 128,
  parameter element_t    ELEMENT     = '0,
  parameter functions_t  FUNCTIONS   = Functions
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [1:0]  dma_prot_i,  // AxPROT of the DMA, a constant: bit 0 privileged, bit 1 not secure

  input  logic        psel_i,
  input  logic        penable_i,
  input  logic        pwrite_i,
  input  logic [2:0]  pprot_i,
  input  logic [11:0] paddr_i,
  input  logic [31:0] pwdata_i,
  input  logic [3:0]  pstrb_i,
  output logic        pready_o,
  output logic [31:0] prdata_o,
  output logic        pslverr_o,

  // The command that the registers hold; submit_o pulses when software submits it.
  output logic        submit_o,
  output command_t    command_o,

  // The address of a descriptor; ring_o pulses when software writes it.
  output logic        ring_o,
  output addr_t       ring_addr_o,

  output logic        clear_error_o,
  output logic        clear_flags_o,
  output logic        clear_counters_o,
  output logic        soft_reset_o,
  output logic [23:0] watchdog_o,

  // Lists
  output logic        resume_o,
  output logic        end_list_o,
  output logic [31:0] pause_limit_o,
  input  logic        paused_i,
  input  logic        paused_event_i,
  input  addr_t       list_position_i,

  input  logic        idle_i,
  input  logic        draining_i,
  input  logic        queue_full_i,
  input  logic [6:0]  queue_level_i,
  input  logic        fetching_i,
  input  logic        error_i,
  input  error_e      error_code_i,
  input  tag_t        error_tag_i,
  input  logic [31:0] completed_i,
  input  flags_t      flags_i,
  input  logic [31:0] amax_i,
  input  logic        amax_nonfinite_i,
  input  counters_t   counters_i,

  output table_write_t table_write_o,
  output logic [1:0]   tables_loaded_o,  // their last words were written
  // A load of a table from memory: it begins, and what it writes
  input  logic         table_begin_i,
  input  table_write_t table_write_i,

  // Completion records
  output record_index_t record_select_o,
  output logic        record_release_o,
  output tag_t        record_release_tag_o,
  input  record_t     record_i,
  input  logic [Records-1:0] records_done_i,

  input  logic        done_event_i,
  input  logic        error_event_i,
  output logic        irq_o
);
  fp8mac_regs_pkg::fp8mac_regs__in_t  in;
  fp8mac_regs_pkg::fp8mac_regs__out_t out;

  logic [2:0] unused;
  assign unused = list_position_i[2:0];  // 0: a beat has 8 bytes at least

  // Nobody makes the DMA reach what he does not reach himself: a secure DMA takes secure accesses
  // alone, and a privileged one privileged accesses alone. PPROT[2] and AxPROT[2] tell instructions
  // from data, which protects nothing.
  logic        weaker, regs_pready, regs_pslverr;
  logic [31:0] regs_prdata;

  assign weaker    = (pprot_i[1] && !dma_prot_i[1]) || (!pprot_i[0] && dma_prot_i[0]);
  assign pready_o  = weaker ? psel_i && penable_i : regs_pready;
  assign pslverr_o = weaker || regs_pslverr;
  assign prdata_o  = weaker ? '0 : regs_prdata;

  fp8mac_regs u_regs (
    .clk          (clk_i),
    .rst_n        (rst_ni),
    .s_apb_psel   (psel_i && !weaker),
    .s_apb_penable(penable_i),
    .s_apb_pwrite (pwrite_i),
    .s_apb_pprot  (pprot_i),
    .s_apb_paddr  (paddr_i),
    .s_apb_pwdata (pwdata_i),
    .s_apb_pstrb  (pstrb_i),
    .s_apb_pready (regs_pready),
    .s_apb_prdata (regs_prdata),
    .s_apb_pslverr(regs_pslverr),
    .hwif_in      (in),
    .hwif_out     (out)
  );

  // ---- registers that software reads ------------------------------------------------------------
  logic table_write_q;

  always_comb begin
    in.CONFIG0.rows.next         = 8'(ROWS);
    in.CONFIG0.cols.next         = 8'(COLS);
    in.CONFIG0.lanes.next        = 8'(LANES);
    in.CONFIG0.beat_bytes.next   = 8'(BEAT);
    in.CONFIG1.acc_tiles.next    = 16'(TILES);
    in.CONFIG1.queue_depth.next  = 8'(QUEUE_DEPTH);
    in.CONFIG1.pass_tiles.next   = 8'(PassTiles);
    in.CONFIG2.buf_beats.next    = 16'(BUF_BEATS);
    in.CONFIG2.max_mn.next       = 16'(MAX_MN);
    in.CONFIG3.block.next        = 8'(BLOCK);
    in.CONFIG3.records.next      = FUNCTIONS.records ? 8'(Records) : 8'd0;
    in.CONFIG4.c.next            = FUNCTIONS.c;
    in.CONFIG4.elementwise.next  = FUNCTIONS.elementwise;
    in.CONFIG4.stochastic.next   = FUNCTIONS.stochastic;
    in.CONFIG4.tables.next       = FUNCTIONS.tables;
    in.CONFIG4.conv_a.next       = FUNCTIONS.conv_a;
    in.CONFIG4.mx.next           = FUNCTIONS.mx;
    in.CONFIG4.int8.next         = FUNCTIONS.int8;
    in.CONFIG4.rows.next         = FUNCTIONS.rows;
    in.CONFIG4.requantise.next   = FUNCTIONS.requantise;
    in.CONFIG4.depthwise.next    = FUNCTIONS.depthwise;
    in.ELEMENT.kind.next         = ELEMENT.kind;
    in.ELEMENT.acc_fp32.next     = ELEMENT.acc_fp32;
    in.ELEMENT.acc_fp16.next     = ELEMENT.acc_fp16;
    in.ELEMENT.acc_fixed.next    = ELEMENT.acc_fixed;
    in.ELEMENT.e5m2.next         = ELEMENT.e5m2;
    in.ELEMENT.narrow.next       = ELEMENT.narrow;
    in.ELEMENT.int8.next         = ELEMENT.int8;
    in.ELEMENT.align_by_operands.next = ELEMENT.align_by_operands;
    in.ELEMENT.frac_bits.next    = ELEMENT.frac_bits;
    in.ELEMENT.terms_log2.next   = ELEMENT.terms_log2;
    in.STATUS.idle.next          = idle_i;
    in.STATUS.queue_full.next    = queue_full_i;
    in.STATUS.error.next         = error_i;
    in.STATUS.draining.next      = draining_i;
    in.STATUS.error_code.next    = error_code_i;
    in.STATUS.queue_level.next   = queue_level_i;
    in.STATUS.fetching.next      = fetching_i;
    in.STATUS.error_tag.next     = error_tag_i;
    in.IRQ_STATE.done.hwset      = done_event_i;
    in.IRQ_STATE.error.hwset     = error_event_i;
    in.IRQ_STATE.paused.hwset    = paused_event_i;
    in.LIST.paused.next          = paused_i;
    in.LIST.position.next        = list_position_i[31:3];
    in.COMPLETED.value.next      = completed_i;
    in.FLAGS.invalid.next        = flags_i.invalid;
    in.FLAGS.overflow.next       = flags_i.overflow;
    in.FLAGS.saturated.next      = flags_i.saturated;
    in.FLAGS.nan.next            = flags_i.nan;
    in.FLAGS.amax_nonfinite.next = amax_nonfinite_i;
    in.AMAX.value.next           = amax_i;
    in.CYCLES.value.next         = counters_i.cycles;
    in.CYC_COMPUTE.value.next    = counters_i.compute;
    in.CYC_RESULTS.value.next    = counters_i.results;
    in.CYC_SPACING.value.next    = counters_i.spacing;
    in.CYC_FIRST_LOAD.value.next = counters_i.first_load;
    in.CYC_LOAD.value.next       = counters_i.load;
    in.CYC_COMMAND.value.next    = counters_i.command;
    in.CYC_STORE.value.next      = counters_i.store;
    in.CYC_IDLE.value.next       = counters_i.idle;
    in.MACS_LO.value.next        = counters_i.macs[31:0];
    in.MACS_HI.value.next        = counters_i.macs[63:32];
    in.READ_BEATS.value.next     = counters_i.read_beats;
    in.WRITE_BEATS.value.next    = counters_i.write_beats;
    in.RECORD_DONE.value.next    = 32'(records_done_i);
    in.RECORD_STATUS.invalid.next        = record_i.flags.invalid;
    in.RECORD_STATUS.overflow.next       = record_i.flags.overflow;
    in.RECORD_STATUS.saturated.next      = record_i.flags.saturated;
    in.RECORD_STATUS.nan.next            = record_i.flags.nan;
    in.RECORD_STATUS.error_code.next     = record_i.error;
    in.RECORD_STATUS.amax_nonfinite.next = record_i.amax_nonfinite;
    in.RECORD_STATUS.done.next           = record_i.done;
    in.RECORD_STATUS.tag.next            = record_i.tag;
    in.RECORD_AMAX.value.next            = record_i.amax;
    in.TABLE_INDEX.word.we     = table_write_q;
    in.TABLE_INDEX.word.next   = out.TABLE_INDEX.word.value + 6'd1;
    in.TABLE_INDEX.second.we   = table_write_q;
    in.TABLE_INDEX.second.next = out.TABLE_INDEX.second.value ^ (out.TABLE_INDEX.word.value == '1);
  end

  // ---- registers that software writes -----------------------------------------------------------
  // Only a descriptor loads a table.
  always_comb begin
    command_o = command_of(words_of(out));
    if (out.MODE.extended.value && out.OPERATION.load_table.value) command_o.error = ErrMode;
  end

  // The tag, or the address, is in its register one cycle after the write.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      submit_o         <= 1'b0;
      ring_o           <= 1'b0;
      record_release_o <= 1'b0;
    end else begin
      submit_o         <= out.SUBMIT.tag.swmod;
      ring_o           <= out.DOORBELL.value.swmod;
      record_release_o <= out.RECORD_RELEASE.tag.swmod;
    end
  end

  // The codes are in their register one cycle after the write. The index then moves on.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) table_write_q <= 1'b0;
    else table_write_q <= out.TABLE_DATA.codes.swmod;
  end

  always_comb begin
    table_write_o = table_write_i;
    if (!table_write_i.write) begin
      table_write_o = '{write: table_write_q, second: out.TABLE_INDEX.second.value,
                        word: out.TABLE_INDEX.word.value, codes: out.TABLE_DATA.codes.value};
    end
  end

  // A table that is being loaded has no codes before its last word has come.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) tables_loaded_o <= '0;
    else if (table_begin_i) tables_loaded_o[table_write_i.second] <= 1'b0;
    else if (table_write_o.write && table_write_o.word == '1) tables_loaded_o[table_write_o.second] <= 1'b1;
  end

  assign ring_addr_o = out.DOORBELL.value.value;

  assign record_select_o      = record_index_t'(out.RECORD_SELECT.tag.value);
  assign record_release_tag_o = out.RECORD_RELEASE.tag.value;

  assign clear_error_o    = out.CTRL.clear_error.value;
  assign clear_flags_o    = out.CTRL.clear_flags.value;
  assign clear_counters_o = out.CTRL.clear_counters.value;
  assign soft_reset_o     = out.CTRL.soft_reset.value;
  assign watchdog_o       = out.WATCHDOG.cycles.value;
  assign resume_o         = out.CTRL.resume.value;
  assign end_list_o       = out.CTRL.end_list.value;
  assign pause_limit_o    = out.PAUSE_LIMIT.cycles.value;

  assign irq_o = (out.IRQ_STATE.done.value && out.IRQ_ENABLE.done.value) ||
                 (out.IRQ_STATE.error.value && out.IRQ_ENABLE.error.value) ||
                 (out.IRQ_STATE.paused.value && out.IRQ_ENABLE.paused.value);

endmodule
