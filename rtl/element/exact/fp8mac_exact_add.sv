// SPDX-License-Identifier: Apache-2.0
// Add: the accumulator plus the sum of the products, in one fixed-point frame. Usually the frame
// holds the exact sum. Where bits of acc lie below the frame, they are ORed into its last bit; this
// cannot change the rounding.
//
// d is how far the accumulator's last bit lies above the sum's last bit:
//
//   d >= 0, at most SumW+1               d < 0
//   acc        [ 24 bits ]000 d zeros    acc                      [ 24 bits, ends with the frame ]
//   sum             [  SumW bits    ]    sum       [  SumW bits  ]000 BelowW zeros
//
// - d > SumW+1: the sum is below a quarter of acc's last place for every such d, so d =
//   SumW+1 is used for all.
// - d < -BelowW: |sum| is at least 1 and |acc| is below 1/8, in the sum's units. So the
//   result's leading bit is at most one place below the sum's last bit, and its 24 bits end at
//   most AccSigW below that bit. The guard and sticky bits make BelowW = 26. Bits of acc below
//   the frame are ORed into its last bit. This is round to odd, so that the second rounding is
//   as if of the exact sum.
// - sum = 0: the result is acc itself, with d = 0.
//
// The frame's magnitude always fits SumW-1+BelowW bits. With d >= 0, acc << d is below
// 2^(AccSigW+SumW+1). With d < 0, acc is below 2^23 of the sum's units; the largest product (14 *
// 14 of 2^8) leaves far more than that free above it.
module fp8mac_exact_add
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  localparam int unsigned SumW = sum_width(LANES),
  localparam int unsigned BelowW = AccSigW + 2,
  localparam int unsigned FrameW = SumW + BelowW
) (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  logic signed [SumW-1:0]   sum_i,
  input  scale_sum_t               scale_sum_i,  // FNUZ-adjusted
  input  products_class_t          class_i,
  input  logic [31:0]              acc_i,        // FP32 pattern
  output logic signed [FrameW-1:0] frame_o,      // registered, as all outputs are
  output logic [7:0]               field_o,      // FP32 exponent field of a significand whose last bit is the frame's
  output logic                     neg_zero_o,   // sign of an exactly zero sum
  output special_e                 special_o,
  output logic                     invalid_o,
  output logic                     nan_o
);

  localparam int unsigned DistanceW = 10;        // -181..+203
  localparam int signed DistanceMax = int'(SumW) + 1;
  // Exponent field of a significand whose last bit is the sum's last bit
  localparam int signed SumField = SumUnitExp + Fp32Bias + int'(Fp32MantW);  // 118

  // acc's last bit starts PadW places below the frame's last bit. acc is shifted within a
  // word, then by whole words.
  localparam int unsigned PadW = 32;
  localparam int unsigned PlaceW = 7;            // 0..DistanceMax+PadW
  localparam int unsigned FineW = 5;
  localparam int unsigned TermW = AccSigW + (1 << FineW) - 1;

  typedef logic signed [DistanceW-1:0] distance_t;
  typedef logic signed [FrameW-1:0]    frame_t;

  typedef struct packed {
    logic              below;  // d < 0
    logic [PlaceW-1:0] place;  // where acc's last bit goes; PadW is the frame's last bit
    logic [7:0]        field;
  } placement_t;

  function automatic placement_t place_acc(logic [7:0] acc_field, scale_sum_t scale_sum, logic sum_zero);
    logic       below;
    logic [7:0] field;
    distance_t  sum_field, d;
    field     = acc_field == '0 ? 8'd1 : acc_field;  // a subnormal's last bit is that of the lowest normal binade
    sum_field = distance_t'(SumField) + distance_t'(scale_sum);
    d         = distance_t'({2'b0, field}) - sum_field;
    below     = d[DistanceW-1] && !sum_zero;
    if (sum_zero) d = '0;
    else if (below) d = d + distance_t'(BelowW);
    else if (d > distance_t'(DistanceMax)) d = distance_t'(DistanceMax);
    return '{
      below: below,
      place: d < -distance_t'(PadW) ? '0 : PlaceW'(d + distance_t'(PadW)),
      field: below ? 8'(sum_field - distance_t'(BelowW)) : field - d[7:0]
    };
  endfunction

  //   place[6:5] = 0   frame's first word [ term >> 32 ], the rest of the term is ORed into its last bit
  //   place[6:5] = w   term at word w-1 of the frame
  function automatic frame_t align_acc(logic [AccSigW-1:0] sig, logic [PlaceW-1:0] place);
    logic [TermW-1:0] term;
    frame_t           frame;
    term = TermW'(sig) << place[FineW-1:0];
    case (place[PlaceW-1:FineW])
      2'd0:    frame = frame_t'({term[TermW-1:PadW+1], term[PadW] || term[PadW-1:0] != '0});
      2'd1:    frame = frame_t'(term);
      2'd2:    frame = frame_t'({term, 32'b0});
      default: frame = frame_t'({term, 64'b0});
    endcase
    return frame;
  endfunction

  function automatic frame_t add(logic signed [SumW-1:0] sum, logic [31:0] acc, logic below, logic [PlaceW-1:0] place);
    logic [AccSigW-1:0] sig;
    frame_t             acc_frame, sum_frame;
    sig       = {acc[30:Fp32MantW] != '0, acc[Fp32MantW-1:0]};
    acc_frame = align_acc(sig, place);
    sum_frame = below ? {sum, BelowW'(0)} : frame_t'(sum);
    return acc[31] ? sum_frame - acc_frame : sum_frame + acc_frame;
  endfunction

  function automatic logic is_inf(logic [31:0] acc, logic negative);
    return acc == {negative, 8'(Fp32ExpMax), Fp32MantW'(0)};
  endfunction

  // The accumulator's only NaN is the canonical one.
  function automatic logic is_nan(logic [31:0] acc);
    return acc == Fp32Nan;
  endfunction

  // Inf - Inf, between products or with acc.
  function automatic logic inf_minus_inf(products_class_t c, logic [31:0] acc);
    return (c.pos_inf || is_inf(acc, 1'b0)) && (c.neg_inf || is_inf(acc, 1'b1));
  endfunction

  function automatic special_e special(products_class_t c, logic [31:0] acc);
    if (c.nan || c.invalid || is_nan(acc) || inf_minus_inf(c, acc)) return SpecialNan;
    if (c.pos_inf || is_inf(acc, 1'b0)) return SpecialPosInf;
    if (c.neg_inf || is_inf(acc, 1'b1)) return SpecialNegInf;
    return SpecialNone;
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      automatic placement_t p;
      p = place_acc(acc_i[30:Fp32MantW], scale_sum_i, sum_i == '0);
      frame_o    <= add(sum_i, acc_i, p.below, p.place);
      field_o    <= p.field;
      neg_zero_o <= class_i.neg_zero && acc_i[31];
      special_o  <= special(class_i, acc_i);
      invalid_o  <= class_i.invalid || inf_minus_inf(class_i, acc_i);
      nan_o      <= class_i.nan;
    end
  end

endmodule
