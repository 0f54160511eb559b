// SPDX-License-Identifier: Apache-2.0
// Compares the leaves of rtl/leaf that are built cell by cell with a behavioural description, in
// the widths that the elements use. Each leaf has a bit of wrong_o, which is 1 if the two differ.
module element_leaf_tb #(
  localparam int unsigned Words = 33,
  localparam int unsigned WordMax = 31,
  localparam int unsigned Shifts = 10,
  localparam int unsigned Trees = 4,
  localparam int unsigned SumMax = 40
) (
  input  logic [Words-1:0][WordMax-1:0] word_i,
  input  logic [Words-1:0]              sign_i,
  input  logic [33:0]                  value_i,
  input  logic                         fill_i,
  input  logic                         void_i,
  input  logic [5:0]                   shift_i,
  output logic [Shifts+Trees-1:0]      wrong_o
);

  // Pairs of value width and word width: products and accumulators with FP32 and FP16, windows of
  // other widths, and the addition of the products' sum and the accumulator with FP16 and FP32.
  localparam int unsigned ValueW[Shifts] = '{8, 25, 8, 12, 8, 8, 25, 25, 20, 34};
  localparam int unsigned WordW[Shifts] = '{27, 27, 15, 15, 31, 12, 28, 25, 20, 34};
  localparam int unsigned Above = 64;  // the longest shift, plus 1

  for (genvar i = 0; i < int'(Shifts); i++) begin : g_shift
    localparam int unsigned V = ValueW[i];
    localparam int unsigned W = WordW[i];
    localparam int unsigned Levels = $clog2(W + 1);
    logic [W-1:0]       word;
    logic               lost, cut;
    logic [Above+W-1:0] whole;
    fp8mac_align_shift #(.VALUE_W(V), .W(W)) u_shift (
      .value_i(value_i[V-1:0]), .fill_i, .void_i, .shift_i(shift_i[Levels-1:0]), .word_o(word), .lost_o(lost)
    );
    always_comb begin
      whole = {(Above + W){fill_i}};
      whole[W-1-:V] = value_i[V-1:0];
      cut = 1'b0;
      for (int unsigned c = 0; c < Above; c++) begin
        if (c < 32'(shift_i[Levels-1:0]) && whole[c] != void_i) cut = 1'b1;
      end
      wrong_o[i] = word != W'(whole >> shift_i[Levels-1:0]) || lost != cut;
    end
  end

  // Number of words, their width, the sum's width: 1, 4, 16 and 32 lanes. Many words are narrow,
  // because a simulation model of the full width would take minutes to compile.
  localparam int unsigned TreeWords[Trees] = '{2, 5, 17, 33};
  localparam int unsigned TreeWordW[Trees] = '{27, 27, 9, 9};
  localparam int unsigned TreeSumW[Trees] = '{29, 31, 14, 16};

  for (genvar i = 0; i < int'(Trees); i++) begin : g_tree
    localparam int unsigned R = TreeWords[i];
    localparam int unsigned W = TreeWordW[i];
    localparam int unsigned S = TreeSumW[i];
    logic [R-1:0][W-1:0] word;
    logic [S-1:0]        sum, carry;
    logic [SumMax-1:0]   meant;
    for (genvar r = 0; r < int'(R); r++) begin : g_word
      assign word[r] = word_i[r][W-1:0];
    end
    fp8mac_signed_compressor_tree #(.ADDENDS(R), .WORD_W(W), .SUM_W(S)) u_tree (
      .word_i(word), .sign_i(sign_i[R-1:0]), .sum_o(sum), .carry_o(carry)
    );
    always_comb begin
      meant = '0;
      for (int unsigned r = 0; r < R; r++) begin
        meant = meant + SumMax'(word[r]) - (SumMax'(sign_i[r]) << W) + SumMax'(sign_i[r]);
      end
    end
    assign wrong_o[Shifts+i] = S'(sum + carry) != meant[S-1:0];
  end

endmodule
