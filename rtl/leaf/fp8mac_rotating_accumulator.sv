// SPDX-License-Identifier: Apache-2.0
// BANKS accumulators that rotate through the registers of one adder. The sum that comes in cycle t is added to
// accumulator t mod BANKS. The complete accumulator is at acc_o BANKS cycles later, when its next sum comes.
//
// With BANKS > 1 the addition takes several cycles of CHUNK bits each, the lowest bits first. Then the accumulator
// waits for its next sum.
module fp8mac_rotating_accumulator #(
  parameter int unsigned SUM_W = 20,
  parameter int unsigned ACC_W = 32,   // at least SUM_W
  parameter int unsigned BANKS = 4,
  parameter int unsigned CHUNK = 20,
  parameter int unsigned RIPPLE = CHUNK  // of a chunk's adder, see fp8mac_adder
) (
  input  logic                    clk_i,
  input  logic                    first_i,  // start from 0
  input  logic signed [SUM_W-1:0] sum_i,
  output logic [ACC_W-1:0]        acc_o
);

  logic [ACC_W-1:0] acc, held, sum;
  assign held  = first_i ? '0 : acc;
  assign sum   = ACC_W'(sum_i);
  assign acc_o = acc;

  if (BANKS == 1) begin : g_one

    logic [ACC_W-1:0] after;
    logic             unused;
    fp8mac_adder #(.W(ACC_W), .RIPPLE(RIPPLE)) u_add (
      .a_i(held), .b_i(sum), .carry_i(1'b0), .sum_o(after), .carry_o(unused)
    );
    always_ff @(posedge clk_i) acc <= after;

  end else begin : g_rotate

    localparam int unsigned Chunks = (ACC_W + CHUNK - 1) / CHUNK;
    if (Chunks > BANKS) begin : g_check
      $error("CHUNK is less than ACC_W / BANKS: an addition would last longer than a turn");
    end

    // Stage s has added the chunks below s.
    for (genvar s = 0; s <= int'(BANKS); s++) begin : g_stage
      logic [ACC_W-1:0] acc_q, sum_q;
      logic             carry_q;

      if (s == 0) begin : g_in
        assign acc_q   = held;
        assign sum_q   = sum;
        assign carry_q = 1'b0;
      end else if (s <= int'(Chunks)) begin : g_add
        localparam int unsigned From = (s - 1) * CHUNK;
        localparam int unsigned W = ACC_W - From < CHUNK ? ACC_W - From : CHUNK;
        logic [ACC_W-1:0] next;
        logic [W-1:0]     part;
        logic             carry;
        always_comb begin
          next = g_stage[s-1].acc_q;
          next[From+:W] = part;
        end
        fp8mac_adder #(.W(W), .RIPPLE(RIPPLE)) u_add (
          .a_i(g_stage[s-1].acc_q[From+:W]), .b_i(g_stage[s-1].sum_q[From+:W]), .carry_i(g_stage[s-1].carry_q),
          .sum_o(part), .carry_o(carry)
        );
        always_ff @(posedge clk_i) begin
          acc_q   <= next;
          sum_q   <= g_stage[s-1].sum_q;
          carry_q <= carry;
        end
      end else begin : g_wait
        always_ff @(posedge clk_i) acc_q <= g_stage[s-1].acc_q;
        assign sum_q   = '0;
        assign carry_q = 1'b0;
      end
    end
    assign acc = g_stage[BANKS].acc_q;

  end

endmodule
