// SPDX-License-Identifier: Apache-2.0
// ROWS x COLS elements, output-stationary: each cycle's operand codes are decoded once at the edge and broadcast, a
// row of A along the columns and a column of B along the rows.
//
// Cycle by cycle, for a step issued in cycle t:
//   t                   decode, masks
//   t+1 .. t+5          the element (see fp8mac_pe)
//   t+ArrayStages (7)   flags_o holds the step's flags; if it was a slot's last, slot_full_o is up and the results
//                       can be read: read_slot_i and read_row_i in one cycle, read_data_o in the next
// busy_o is up from t+1 to t+ArrayStages, so flags are complete once it is down.
//
// The issuer's part: steps of one slot are at least LoopCycles (3) apart; a slot's last step is issued in cycle t only
// if the slot is empty, or being released, by cycle t+ArrayStages-1, and has no other last step in flight.
// slot_release_i, a pulse, may come with the slot's last read_row_i.
//
// Elements of rows or columns that are not enabled do not step: they raise nothing and their results mean nothing.
// Lanes that are not enabled are absent from the sum.
module fp8mac_array
  import fp8mac_pkg::*;
#(
  parameter int unsigned ROWS    = 8,
  parameter int unsigned COLS    = 8,
  parameter int unsigned LANES   = 4,
  parameter int unsigned SLOTS_M = 2,
  parameter int unsigned SLOTS_N = 2,
  localparam int unsigned Slots = SLOTS_M * SLOTS_N,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned RowW = (ROWS > 1) ? $clog2(ROWS) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // One step of one slot in every element; the configuration travels with the step.
  input  logic                            step_valid_i,
  input  logic [SlotW-1:0]                step_slot_i,
  input  logic                            step_first_i,  // start from +0
  input  logic                            step_last_i,   // hand the result over
  input  step_cfg_t                       step_cfg_i,
  input  logic [ROWS-1:0]                 row_en_i,
  input  logic [COLS-1:0]                 col_en_i,
  input  logic [LANES-1:0]                lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0] a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0] b_code_i,

  // Results, FP32 patterns
  output logic [Slots-1:0]                slot_full_o,
  input  logic [Slots-1:0]                slot_release_i,
  input  logic [SlotW-1:0]                read_slot_i,
  input  logic [RowW-1:0]                 read_row_i,
  output logic [COLS-1:0][31:0]           read_data_o,   // one cycle after read_slot_i and read_row_i

  output flags_t                          flags_o,       // of the step that finished, else 0
  output logic                            busy_o         // steps in flight
);

  // Decode, masks: the edge registers hold operands. The rest of a step travels beside them.
  operand_t [LANES-1:0] a_q [ROWS];
  operand_t [LANES-1:0] b_q [COLS];
  logic [ROWS-1:0]      row_en_q;
  logic [COLS-1:0]      col_en_q;
  acc_fmt_e             acc_fmt_q;
  scale_sum_t           scale_sum_q;
  logic                 first_q;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_edge_a
    operand_t [LANES-1:0] present, operand;
    for (genvar lane = 0; lane < int'(LANES); lane++) begin : g_lane
      fp8mac_decode u_decode (
        .code_i(a_code_i[r][lane]), .fmt_i(step_cfg_i.a_fmt), .operand_o(present[lane])
      );
      assign operand[lane] = lane_en_i[lane] ? present[lane] : AbsentA;
    end
    always_ff @(posedge clk_i) begin
      if (step_valid_i) a_q[r] <= operand;
    end
  end

  for (genvar c = 0; c < int'(COLS); c++) begin : g_edge_b
    operand_t [LANES-1:0] present, operand;
    for (genvar lane = 0; lane < int'(LANES); lane++) begin : g_lane
      fp8mac_decode u_decode (
        .code_i(b_code_i[c][lane]), .fmt_i(step_cfg_i.b_fmt), .operand_o(present[lane])
      );
      assign operand[lane] = lane_en_i[lane] ? present[lane] : AbsentB;
    end
    always_ff @(posedge clk_i) begin
      if (step_valid_i) b_q[c] <= operand;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_valid_i) begin
      row_en_q    <= row_en_i;
      col_en_q    <= col_en_i;
      first_q     <= step_first_i;
      acc_fmt_q   <= step_cfg_i.acc_fmt;
      scale_sum_q <= fnuz_adjust(step_cfg_i.scale_sum, step_cfg_i.a_fmt, step_cfg_i.b_fmt);
    end
  end

  // Stage s holds the step issued s cycles ago, up to the one whose results the elements show.
  localparam int unsigned Shown = ArrayStages - 1;
  logic [Shown:1]            valid_q, last_q;
  logic [Shown:1][SlotW-1:0] slot_q;
  logic                      finished_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q    <= '0;
      finished_q <= 1'b0;
    end else begin
      valid_q    <= {valid_q[Shown-1:1], step_valid_i};
      finished_q <= valid_q[Shown];
    end
    last_q <= {last_q[Shown-1:1], step_last_i};
    slot_q <= {slot_q[Shown-1:1], step_slot_i};
  end

  assign busy_o = finished_q || valid_q != '0;

  // Elements
  logic                  result_valid;
  logic [COLS-1:0][31:0] result [ROWS];
  flags_t                flags [ROWS][COLS];

  assign result_valid = valid_q[Shown] && last_q[Shown];

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    for (genvar c = 0; c < int'(COLS); c++) begin : g_col
      logic             shown;
      logic [SlotW-1:0] shown_slot;

      fp8mac_pe #(.LANES(LANES), .SLOTS(Slots)) u_pe (
        .clk_i,
        .rst_ni,
        .step_valid_i  (valid_q[1] && row_en_q[r] && col_en_q[c]),
        .step_slot_i   (slot_q[1]),
        .step_first_i  (first_q),
        .step_last_i   (last_q[1]),
        .acc_fmt_i     (acc_fmt_q),
        .scale_sum_i   (scale_sum_q),
        .a_i           (a_q[r]),
        .b_i           (b_q[c]),
        .result_valid_o(shown),
        .result_slot_o (shown_slot),
        .result_o      (result[r][c]),
        .flags_o       (flags[r][c])
      );

      // This module's pipeline speaks for every element that steps.
      always_ff @(posedge clk_i) begin
        if (rst_ni && shown) assert (result_valid && shown_slot == slot_q[Shown]);
      end
    end
  end

  // Results: one register per element and slot, so that a slot is read while its accumulators go on.
  logic [COLS-1:0][31:0] result_q [Slots][ROWS];
  logic [Slots-1:0]      full_q, filled;

  always_ff @(posedge clk_i) begin
    if (result_valid) begin
      for (int unsigned r = 0; r < ROWS; r++) result_q[slot_q[Shown]][r] <= result[r];
    end
  end

  always_comb begin
    filled = '0;
    filled[slot_q[Shown]] = result_valid;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) full_q <= '0;
    else full_q <= (full_q & ~slot_release_i) | filled;
  end

  assign slot_full_o = full_q;

  always_ff @(posedge clk_i) begin
    read_data_o <= result_q[read_slot_i][read_row_i];
  end

  // Flags of every element together
  flags_t flags_any;

  always_comb begin
    flags_any = '0;
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned c = 0; c < COLS; c++) flags_any = flags_any | flags[r][c];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) flags_o <= '0;
    else flags_o <= flags_any;
  end

  // A result is read before the next one takes its place.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(result_valid && full_q[slot_q[Shown]] && !slot_release_i[slot_q[Shown]]));
  assert property (@(posedge clk_i) disable iff (!rst_ni) (slot_release_i & ~full_q) == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    !step_valid_i || (step_cfg_i.scale_sum >= scale_sum_t'(2 * ScaleExpMin) &&
                      step_cfg_i.scale_sum <= scale_sum_t'(2 * ScaleExpMax)));

endmodule
