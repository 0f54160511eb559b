// SPDX-License-Identifier: Apache-2.0
// fp8mac_element_int8 behind the recoding of its column. As in element_tb, the ports always have 32
// lanes, and a netlist can take the element's place. The result comes BANKS + 2 cycles after its
// step: if the element has no register behind its compressor tree, there is one before the element.
// Without RECODE only a netlist of rtl/behavioural's element works. With UNIT_NETLIST a netlist of
// fp8mac_int8_pipeline takes the element's place, and the accumulators are here.
module int8_tb
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  parameter int unsigned TREE_REGISTER = 0,
  parameter int unsigned RECODE = 1,
  localparam int unsigned LanesMax = 32
) (
  input  logic                     clk_i,
  input  logic                     step_first_i,
  input  logic [LanesMax-1:0][7:0] a_code_i,
  input  logic [LanesMax-1:0][7:0] b_code_i,
  output logic [31:0]              acc_o,
  output logic [31:0]              parameters_o
);

  assign parameters_o = {8'(LANES), 8'(BANKS), 16'd0};

  logic [LanesMax-1:0][7:0] a_code, b_code;
  logic                     first;

  if (TREE_REGISTER != 0) begin : g_at_once
    assign a_code = a_code_i;
    assign b_code = b_code_i;
    assign first  = step_first_i;
  end else begin : g_later
    always_ff @(posedge clk_i) begin
      a_code <= a_code_i;
      b_code <= b_code_i;
      first  <= step_first_i;
    end
  end

  localparam int unsigned DigitW = RECODE != 0 ? $bits(digits_t) : 8;
  logic [LANES*8-1:0]      a;
  logic [LANES*DigitW-1:0] b;
  logic [negatives_width(LANES)-1:0] negatives;
  assign a = a_code[LANES-1:0];
  if (RECODE != 0) begin : g_recode
    fp8mac_digit_recode #(.LANES(LANES)) u_recode (
      .code_i(b_code[LANES-1:0]), .digits_o(b), .negatives_o(negatives)
    );
  end else begin : g_as_is
    assign b         = b_code[LANES-1:0];
    assign negatives = '0;
  end

`ifdef UNIT_NETLIST
  localparam int unsigned Stages = 2;
  localparam int unsigned FirstCycles = TREE_REGISTER != 0 ? 2 : 1;
  localparam int unsigned Waiting = BANKS - Stages;  // cycles in which an accumulator is not in the pipeline
  logic [31:0]              added;
  logic [FirstCycles-1:0]   first_q;
  logic [Waiting-1:0][31:0] waiting_q;
  always_ff @(posedge clk_i) begin
    first_q   <= FirstCycles'({first_q, first});
    waiting_q <= (Waiting * 32)'({waiting_q, added});
  end
  assign acc_o = waiting_q[Waiting-1];

  fp8mac_int8_pipeline u_pipeline (
    .clk_i, .a_i(a), .b_i(b), .negatives_i(negatives), .acc_i(first_q[FirstCycles-1] ? '0 : acc_o), .acc_o(added)
  );
`else
`ifdef ELEMENT_NETLIST
  fp8mac_element_int8 u_element (
`else
  fp8mac_element_int8 #(.LANES(LANES), .BANKS(BANKS), .TREE_REGISTER(TREE_REGISTER != 0)) u_element (
`endif
    .clk_i(clk_i), .step_first_i(first), .a_i(a), .b_i(b),
`ifndef CODES_NETLIST
    .negatives_i(negatives),
`endif
    .acc_o(acc_o)
  );
`endif

  logic unused;
  assign unused = ^{a_code, b_code, negatives};

endmodule
