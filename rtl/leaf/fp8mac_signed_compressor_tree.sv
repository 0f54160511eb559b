// SPDX-License-Identifier: Apache-2.0
// Compressor tree for ADDENDS one's complement words: a word w with sign s stands for w - s
// * 2^WORD_W + s. The signs are counted once, and the count enters the compressor tree
// twice. Combinational.
//
//   column  SUM_W-1 ...  WORD_W   WORD_W-1 ...................... 0
//                                [         words                  ]   ADDENDS of them
//          [     - count        ]                     [   count   ]
module fp8mac_signed_compressor_tree #(
  parameter int unsigned ADDENDS = 4,
  parameter int unsigned WORD_W = 27,
  parameter int unsigned SUM_W = 33  // above WORD_W, wide enough for the sum in two's complement
) (
  input  logic [ADDENDS-1:0][WORD_W-1:0] word_i,
  input  logic [ADDENDS-1:0]             sign_i,
  output logic [SUM_W-1:0]               sum_o,
  output logic [SUM_W-1:0]               carry_o
);

  localparam int unsigned HeadW = SUM_W - WORD_W;
  localparam int unsigned CountW = $clog2(ADDENDS + 1);

  typedef logic [ADDENDS:0][SUM_W-1:0] addend_t;

  function automatic addend_t present();
    addend_t mask;
    for (int unsigned i = 0; i < ADDENDS; i++) mask[i] = {{HeadW{1'b0}}, {WORD_W{1'b1}}};
    mask[ADDENDS] = {{HeadW{1'b1}}, WORD_W'((1 << CountW) - 1)};
    return mask;
  endfunction

  // The number of negative words
  logic [ADDENDS-1:0][CountW-1:0] sign;
  logic [CountW-1:0]           count, count_sum, count_carry;
  logic                        unused;

  for (genvar i = 0; i < int'(ADDENDS); i++) begin : g_sign
    assign sign[i] = CountW'(sign_i[i]);
  end
  fp8mac_compressor_tree #(.ADDENDS(ADDENDS), .W(CountW), .MASK({ADDENDS{CountW'(1)}})) u_signs (
    .addend_i(sign), .sum_o(count_sum), .carry_o(count_carry)
  );
  fp8mac_adder #(.W(CountW)) u_count (
    .a_i(count_sum), .b_i(count_carry), .carry_i(1'b0), .sum_o(count), .carry_o(unused)
  );

  addend_t addend;
  for (genvar i = 0; i < int'(ADDENDS); i++) begin : g_word
    assign addend[i] = {{HeadW{1'b0}}, word_i[i]};
  end
  assign addend[ADDENDS] = {-HeadW'(count), WORD_W'(count)};

  fp8mac_compressor_tree #(.ADDENDS(ADDENDS + 1), .W(SUM_W), .MASK(present())) u_tree (
    .addend_i(addend), .sum_o(sum_o), .carry_o(carry_o)
  );

endmodule
