// SPDX-License-Identifier: Apache-2.0
// Records and widths that the operand feed, the elements and the array share. fp8mac_catalogue_pkg
// defines the kinds of elements, their blocks and their cycles. This package derives the rest from
// it. For a number that is no kind a width is 1; fp8mac_feed, fp8mac_element and fp8mac_readout
// refuse such a number.
//
// A product's exponent inside an element is raw: the sum of two operands' exponent fields as the
// feed gives them (exp_offset). A product is shifted by the largest exponent minus its own. The
// feed sends an operand's exponent inverted (31 - exp), so that this shift is a sum.
package fp8mac_element_pkg;
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;

  // ---- operands, as the feed sends them to the elements -----------------------------------------

  // An operand's sign and what is special about it.
  typedef struct packed {
    logic sign;
    logic zero;
    logic is_inf;
    logic nan;
  } operand_class_t;

  typedef struct packed {
    logic                   sign;
    logic [OperandExpW-1:0] exp_n;  // 31 - exponent, or the operand distance
    logic                   half;   // the exponent is -1, one below the 0 that exp_n = 31 stands for
    logic [SigW-1:0]        sig;    // 0 for zero, Inf and NaN, unless the feed normalises
    logic                   zero;
    logic                   live;   // neither zero nor NaN
    logic                   is_inf;
  } lane_t;

  // FeedExponents: an operand's exponent and its zero flag leave the feed two cycles
  // before the rest of it.
  typedef struct packed {
    logic                   zero_ahead;
    logic [OperandExpW-1:0] exp_ahead;
    lane_t                  lane;
  } aligned_lane_t;

  parameter int unsigned BaseW = 9;
  typedef logic signed [BaseW-1:0] base_t;

  // What the feed reports of all operands of a row or a column together
  typedef struct packed {
    logic  nan;    // some operand is a NaN
    logic  none;   // FeedDistances: all operands are zero, so that no operand is the largest
    base_t field;  // FeedDistances: largest exponent of the row or column, plus base_i
  } feed_common_t;

  // The vector between an operand feed and an element:
  //
  //   bit    high                                                        0
  //         [ feed_common_t | negatives | lane LANES-1 | ......... | lane 1 | lane 0 ]
  //
  //   feed              a lane is         feed_common_t has
  //   FeedFields        operand_t         nothing
  //   FeedExponents     aligned_lane_t    nan
  //   FeedDistances     lane_t            nan, none, field
  //   FeedBounded       lane_t            nan
  //   FeedFormat        lane_t            nan
  //   FeedInt8, A       8-bit code        nothing
  //   FeedInt8, B       digits_t          nothing
  //
  // FeedInt8 on side B alone has `negatives`, the sum that the negative digits of the column need
  // (fp8mac_digit_recode).
  function automatic int unsigned feed_lane_width(int unsigned element, bit side_a);
    case (element_feed(element))
      FeedFields:    return $bits(operand_t);
      FeedExponents: return $bits(aligned_lane_t);
      FeedInt8:      return side_a ? 8 : $bits(digits_t);
      FeedDistances, FeedBounded, FeedFormat: return $bits(lane_t);
      default:       return 1;
    endcase
  endfunction

  function automatic int unsigned feed_width(int unsigned element, int unsigned lanes, bit side_a);
    return $bits(feed_common_t) + lanes * feed_lane_width(element, side_a) +
           (element_feed(element) == FeedInt8 && !side_a ? negatives_width(lanes) : 0);
  endfunction

  // The feed subtracts this from an operand's exponent, so that exponents of the E4M3
  // formats fit in 4 bits.
  function automatic int signed exp_offset(int unsigned exp_w);
    return exp_w < OperandExpW ? 8 : 0;
  endfunction

  // A normalised operand: its leading bit is on top. The significand of a subnormal moves up 1, 2
  // or 3 places, from exponent 1 (E5M2, 2 places at most) or 9 (E4M3). `top` is the exponent plus
  // TopOffset. It is never negative, and its bits follow without an addition:
  //   h = 1: 1 eeeee    else 1 eeee0, and for two places and more   E4M3 1 00111, 1 00110   E5M2 0 11111
  parameter int unsigned TopOffset = 32;

  typedef struct packed {
    logic [OperandExpW:0] top;
    logic [SigW-2:0]      frac;
  } leading_t;

  function automatic leading_t leading(logic [OperandExpW-1:0] exponent, logic [SigW-1:0] sig);
    leading_t result;
    logic     e4m3;  // the format of a subnormal: exponent 9 is E4M3's, 1 is E5M2's
    e4m3       = exponent[3];
    result.top = {1'b1, exponent};
    if (!sig[3] && sig[2]) result.top[0] = 1'b0;
    else if (!sig[3]) result.top = {e4m3, !e4m3, !e4m3, 2'b11, sig[1] || !e4m3};
    unique casez (sig)
      4'b1???: result.frac = sig[2:0];
      4'b01??: result.frac = {sig[1:0], 1'b0};
      4'b001?: result.frac = {sig[0], 2'b0};
      default: result.frac = '0;
    endcase
    return result;
  endfunction

  function automatic operand_class_t class_of(operand_t operand);
    return '{sign: operand.sign, zero: operand.zero, is_inf: operand.is_inf, nan: operand.nan};
  endfunction

  // Every lane is assembled here.
  function automatic lane_t lane_of(operand_class_t kind, logic [OperandExpW-1:0] exp_n, logic half,
                                    logic [SigW-1:0] sig);
    return '{sign: kind.sign, exp_n: exp_n, half: half, sig: sig, zero: kind.zero, live: !kind.zero && !kind.nan,
             is_inf: kind.is_inf};
  endfunction

  // A subnormal stays in the smallest binade, without a leading bit.
  function automatic lane_t encoded_lane(operand_t operand, int unsigned exp_w);
    return lane_of(class_of(operand), ~(operand.exp - OperandExpW'(exp_offset(exp_w))), 1'b0, operand.sig);
  endfunction

  // A subnormal is normalised. The smallest one, 2^-17 of E5M2FNUZ, has the exponent -1: it is sent
  // as exponent 0 and `half`.
  function automatic lane_t normalised_lane(operand_t operand);
    leading_t normalised;
    logic     half;
    normalised = leading(operand.exp, operand.sig);
    half       = !normalised.top[OperandExpW];
    return lane_of(class_of(operand), half ? '1 : ~normalised.top[OperandExpW-1:0], half, {1'b1, normalised.frac});
  endfunction

  // ---- exponents --------------------------------------------------------------------------------

  // A window's exponent is a product's raw exponent plus RawOffset. With the offset 2 a product's
  // shift is a sum without a constant (fp8mac_aligned_align).
  parameter int unsigned RawOffset = 2;

  // The exponent field of a product in the accumulator's format is raw + RawOffset + base. The base
  // subtracts E5M2's bias twice, and adds the accumulator's bias and the feed's offset of both
  // operands. `scale_sum` is FNUZ-adjusted.
  function automatic base_t base_of(scale_sum_t scale_sum, bit acc_fp16, int unsigned exp_w);
    return base_t'(scale_sum) + base_t'((acc_fp16 ? 15 : Fp32Bias) - 2 * 15 + 2 * exp_offset(exp_w) - int'(RawOffset));
  endfunction

  // The width of a window's exponent as a field of the accumulator. The field is not negative,
  // because the accumulator's own field is not. It is at most 254, or with FP16 at most 30 + 31 +
  // 64 - 15 = 110. An exponent after normalising needs one bit more. MX scales add up to 254.
  function automatic int unsigned window_field_bits(bit acc_fp16, bit mx = 1'b0);
    return mx ? 9 : acc_fp16 ? 7 : 8;
  endfunction

  // Integer bits of the sum of `lanes` products, each at most (15/8)^2 = 225/64, and an accumulator
  // below 2.
  function automatic int unsigned integer_bits(int unsigned lanes);
    return unsigned'($clog2((225 * lanes + 63) / 64 + 2));
  endfunction

  // A shift with these bits set moves all of a word of `width` bits out, whatever its other bits
  // are. They are the fewest of the highest bits with this property.
  function automatic logic [31:0] shift_all_out(int unsigned width, int unsigned shift_w);
    logic [31:0] bits;
    bits = '0;
    for (int b = int'(shift_w) - 1; b >= 0; b--) if (bits < width) bits[b] = 1'b1;
    return bits;
  endfunction

  // Width of an operand distance. The largest distance shifts a product out of a window of
  // frac_bits fraction bits. With FeedFormat the distance only covers the exponents of an E4M3
  // format. Other feeds send no distances.
  function automatic int unsigned distance_width(int unsigned element, int unsigned frac_bits);
    case (element_feed(element))
      FeedDistances, FeedBounded: return unsigned'($clog2(frac_bits + 3));
      FeedFormat: return 4;
      default: return 1;
    endcase
  endfunction

  // The flags and the special value of a step, computed beside its finite sum
  typedef struct packed {
    logic     invalid;  // Inf * 0, or Inf - Inf between products and accumulator
    logic     nan;      // a NaN operand
    special_e special;
  } outcome_t;

  // What is special about a fixed-point accumulator. A bit stays set until the next result.
  typedef struct packed {
    logic nan;
    logic plus;   // +Inf was added
    logic minus;
  } sticky_t;

  function automatic special_e special_of(sticky_t sticky);
    if (sticky.nan || (sticky.plus && sticky.minus)) return SpecialNan;
    if (sticky.plus) return SpecialPosInf;
    return sticky.minus ? SpecialNegInf : SpecialNone;
  endfunction

  // ---- bounds and fixed-point accumulators ------------------------------------------------------

  // A bound is the largest exponent of a row's or column's operands plus BoundBias, 0 to 32. The
  // exponent is that of a normalised operand; FNUZ's larger bias is left out. So the bound of
  // E5M2's smallest subnormal is 0. FormatBound is the bound of the E4M3 formats. A fixed-point
  // accumulator counts in units of
  //   2^(a_bound + b_bound - 2 * BoundBias - frac_bits + scaling exponents, FNUZ-adjusted)
  parameter int unsigned BoundW = OperandExpW + 1;
  parameter int unsigned BoundBias = 16;
  parameter int unsigned FormatBound = 24;
  parameter logic [BoundW-1:0] BoundNone = '1;  // of operands that are all zero

  // FeedBounded: a bound plus 1 as an exponent field of the format. It is the same for all lanes.
  function automatic logic [BoundW-1:0] distance_base(logic [BoundW-1:0] bound, fp8_fmt_e fmt);
    return fmt == FmtE5m2 || fmt == FmtE5m2fnuz ? bound : bound - BoundW'(8);
  endfunction

  // Block accumulation with MX scales. The place of a block of a row or column is its bound
  // plus its scale, an E8M0 code, 0 to 318; PlaceNone if the bound is BoundNone. Without MX
  // scales it is the bound.
  parameter int unsigned  ScaleW = 8;
  parameter int unsigned  ScaleBias = 127;
  parameter logic [ScaleW-1:0] ScaleNan = '1;
  parameter int unsigned MxPlaceW = 9;

  function automatic int unsigned place_width(bit mx);
    return mx ? MxPlaceW : BoundW;
  endfunction

  function automatic logic [MxPlaceW-1:0] place_of(logic [BoundW-1:0] bound, logic [ScaleW-1:0] scale);
    return bound == BoundNone ? '1 : MxPlaceW'(bound) + MxPlaceW'(scale);
  endfunction

  // The exponent of a block's sum, as a field of the accumulator's format, is the sum of the places
  // of A and B, and block_base(). With MX scales it is -225 to 477. `scale_sum` is FNUZ-adjusted.
  parameter int unsigned MxBaseW = 10;
  typedef logic signed [MxBaseW-1:0] mx_base_t;

  function automatic int unsigned field_width(bit mx);
    return mx ? MxBaseW : BaseW;
  endfunction

  function automatic mx_base_t block_base(scale_sum_t scale_sum, bit acc_fp16, bit mx);
    return mx_base_t'(scale_sum) + mx_base_t'((acc_fp16 ? 15 : Fp32Bias) - 2 * int'(BoundBias) -
                                              (mx ? 2 * int'(ScaleBias) : 0));
  endfunction

  // What is special about a block's products
  typedef struct packed {
    logic nan;      // an operand is a NaN
    logic invalid;  // a product is Inf * 0
    logic plus;     // a product is +Inf
    logic minus;
  } block_special_t;

  function automatic int unsigned fixed_acc_width(int unsigned element, int unsigned frac_bits);
    return frac_bits + 3 + element_terms_log2(element);
  endfunction

  // ---- results and cycles -----------------------------------------------------------------------

  // An accumulator as the accumulator memory keeps it:
  //
  //   accumulator                    code
  //   FP32 or FP16                   FP32 code; FP16 code
  //   both                           that of fp8mac_acc_code with FP16_CHOICE; FamilyExact: FP32 code
  //   fixed, with Inf as operand     { sticky_t, integer }
  //   fixed, without                 { sticky_t.nan, integer }
  //   INT32                          integer
  function automatic int unsigned result_width(int unsigned element, int unsigned frac_bits);
    if (element_has_fixed(element)) begin
      return fixed_acc_width(element, frac_bits) + (element_takes_e5m2(element) ? $bits(sticky_t) : 1);
    end
    if (element_has_fp32(element) || element_has_int32(element)) return 32;
    return element_has_fp16(element) ? 16 : 1;
  endfunction

  // Whether FP16 is the kind's only accumulator format
  function automatic bit acc_is_fp16(int unsigned element);
    return element_has_fp16(element) && !element_has_fp32(element);
  endfunction

  // Whether each GEMM chooses FP32 or FP16
  function automatic bit acc_is_chosen(int unsigned element);
    return element_has_fp16(element) && element_has_fp32(element);
  endfunction

  // Whether an accumulator's code is the FP32 pattern of its value
  function automatic bit result_is_pattern(int unsigned element);
    return element_has_fp32(element) && !(acc_is_chosen(element) && element_family(element) != FamilyExact);
  endfunction

  // Cycles from the issue of a block's last step to its flags and the first of its results. A code
  // that is no FP32 pattern is converted, which takes one cycle more.
  function automatic int unsigned element_latency(int unsigned element);
    return element_result_cycle(element) + (result_is_pattern(element) ? 1 : 2);
  endfunction

endpackage
