// SPDX-License-Identifier: Apache-2.0
// Normalise: turns the frame into a sign, a significand with its leading bit on top, an exponent
// field and two bits for rounding. The shift stops at exponent field 1, so that FP32's
// subnormals have no leading bit.
//
//   magnitude, 96 bits      [  word 2  ][  word 1  ][  word 0  ]
//   shift[6:5] = w          the window's first word is the w-th from the top; bits below the window are sticky
//   shift[4:0]              within the window, 64 bits:
//                           [ sig, 24 bits ][ guard ][ sticky: OR of the rest ]
module fp8mac_exact_normalise
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  localparam int unsigned FrameW = sum_width(LANES) + AccSigW + 2
) (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  logic signed [FrameW-1:0] frame_i,
  input  logic [7:0]               field_i,
  input  logic                     neg_zero_i,
  output normalised_t              normalised_o  // registered
);

  localparam int unsigned WordW = 32;
  localparam int unsigned Words = 3;
  localparam int unsigned MagnitudeW = Words * WordW;
  localparam int unsigned WindowW = 2 * WordW;
  localparam int unsigned FineW = $clog2(WordW);
  localparam int unsigned ShiftW = FineW + 2;
  // A significand whose leading bit is the magnitude's top bit has the frame's exponent field plus
  // TopField.
  localparam int unsigned TopField = MagnitudeW - AccSigW;  // 72

  if (FrameW - 1 > MagnitudeW) begin : g_check_lanes
    $error("LANES is more than 16: the frame does not fit the magnitude's words");
  end

  typedef logic [MagnitudeW-1:0] magnitude_t;
  typedef logic [ShiftW-1:0]     shift_t;

  // A frame holds FrameW-1 bits of magnitude (see fp8mac_exact_add).
  function automatic magnitude_t absolute(logic signed [FrameW-1:0] frame);
    return frame[FrameW-1] ? -magnitude_t'(frame) : magnitude_t'(frame);
  endfunction

  function automatic shift_t shift_of(magnitude_t magnitude, logic [7:0] field);
    logic [1:0]       words;
    logic [WordW-1:0] word;
    shift_t           count;
    logic [8:0]       limit;
    words = 2'd2;
    word  = magnitude[0 +: WordW];
    if (magnitude[2*WordW +: WordW] != '0) begin
      words = 2'd0;
      word  = magnitude[2*WordW +: WordW];
    end else if (magnitude[WordW +: WordW] != '0) begin
      words = 2'd1;
      word  = magnitude[WordW +: WordW];
    end
    count = {words, leading_zeros(word)};
    limit = 9'(field) + 9'(TopField - 1);
    return 9'(count) < limit ? count : shift_t'(limit);
  endfunction

  function automatic logic [WindowW-1:0] window_of(magnitude_t magnitude, logic [1:0] word);
    logic [WindowW-1:0] window;
    case (word)
      2'd0:    window = magnitude[MagnitudeW-1-:WindowW];
      2'd1:    window = magnitude[WindowW-1:0];
      default: window = {magnitude[WordW-1:0], WordW'(0)};
    endcase
    return window;
  endfunction

  function automatic normalised_t normalise(logic signed [FrameW-1:0] frame, logic [7:0] field, logic neg_zero);
    logic               sticky;
    magnitude_t         magnitude;
    shift_t             shift;
    logic [WindowW-1:0] window;
    magnitude = absolute(frame);
    shift     = shift_of(magnitude, field);
    window    = window_of(magnitude, shift[FineW+:2]) << shift[FineW-1:0];
    sticky    = window[WindowW-2-AccSigW:0] != '0 || (shift[FineW+:2] == 2'd0 && magnitude[WordW-1:0] != '0);
    return '{
      sign:   frame == '0 ? neg_zero : frame[FrameW-1],
      field:  RoundFieldW'(field) + RoundFieldW'(TopField) - RoundFieldW'(shift),
      sig:    window[WindowW-1-:AccSigW],
      guard:  window[WindowW-1-AccSigW],
      sticky: sticky
    };
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i) normalised_o <= normalise(frame_i, field_i, neg_zero_i);
  end

endmodule
