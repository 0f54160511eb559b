// SPDX-License-Identifier: Apache-2.0
// Formats, records and constants shared by every fp8mac module.
//
// Names, in all modules: parameters of modules are ALL_CAPS (LANES, FRAC_BITS), so that an instance
// shows what is set; localparams and constants of packages are PascalCase (ResultW, Fp32Bias).
// Inputs end in _i, outputs in _o, registers in _q, active-low signals in _n; types end in _t,
// enumerations in _e. prim_* modules replace Ibex's and have its names.
//
// An operand leaves the operand decoder (fp8mac_decode) free of its format: value = (-1)^sign *
// sig * 2^(exp - OperandExpBias), with sig = 1.mmm as a 4-bit integer (E5M2: 1.mm0). FNUZ's
// larger bias is not in the operand: it is -1 per FNUZ operand, added to the step's scaling
// exponent (see fnuz_adjust).
package fp8mac_pkg;

  // The codes of a command's fields: formats, overflow, activation, tables. They come from the register map.
  import fp8mac_codes_pkg::*;
  export fp8mac_codes_pkg::*;

  // The same fields with narrow codes: FP6 and FP4, one code in each byte. The array gets
  // e4m3fn codes of the same value (fp8mac_narrow_code). The fourth code is INT8, which only
  // elements of INT8 take.
  typedef enum logic [1:0] {
    NarrowE3m2fn = 2'd0,
    NarrowE2m3fn = 2'd1,
    NarrowE2m1fn = 2'd2,
    NarrowInt8   = 2'd3
  } narrow_fmt_e;

  // Format of the codes of A or B in memory
  typedef struct packed {
    logic       narrow;  // fmt is a narrow_fmt_e; else a fp8_fmt_e
    logic [1:0] fmt;
  } code_fmt_t;

  function automatic fp8_fmt_e array_fmt(code_fmt_t codes);
    return codes.narrow ? FmtE4m3fn : fp8_fmt_e'(codes.fmt);
  endfunction

  // How a format encodes NaN; the C model's fp8mac_format has the same fields as fp8_format_t.
  typedef enum logic [1:0] {
    NanIeee         = 2'd1,
    NanAllOnes      = 2'd2,
    NanNegativeZero = 2'd3
  } nan_encoding_e;

  typedef struct packed {
    logic [3:0]    exponent_bits;
    logic [3:0]    mantissa_bits;
    logic [4:0]    bias;
    logic          has_inf;
    logic          has_negative_zero;
    nan_encoding_e nan_encoding;
  } fp8_format_t;

  // The format table: exponent bits, mantissa bits, bias, Inf, -0, NaN.
  function automatic fp8_format_t fp8_format(fp8_fmt_e fmt);
    unique case (fmt)
      FmtE4m3fn:   return '{4'd4, 4'd3, 5'd7,  1'b0, 1'b1, NanAllOnes};
      FmtE5m2:     return '{4'd5, 4'd2, 5'd15, 1'b1, 1'b1, NanIeee};
      FmtE4m3fnuz: return '{4'd4, 4'd3, 5'd8,  1'b0, 1'b0, NanNegativeZero};
      default:     return '{4'd5, 4'd2, 5'd16, 1'b0, 1'b0, NanNegativeZero};
    endcase
  endfunction

  parameter int unsigned SigW = 4;      // 1.mmm
  parameter int unsigned OperandExpW = 5;
  parameter int signed OperandExpBias = 15 + 3;  // E5M2's bias, plus the three fraction bits of sig

  typedef struct packed {
    logic                   sign;
    logic [OperandExpW-1:0] exp;   // 1..31
    logic [SigW-1:0]        sig;   // 0 for zero, Inf, NaN
    logic                   zero;
    logic                   is_inf;
    logic                   nan;
  } operand_t;

  // IEEE addition's identity is -0, so an absent lane is (-0) * (+0): it adds nothing, raises
  // nothing, and leaves the sign of an all-negative-zero sum alone.
  parameter operand_t AbsentA = '{sign: 1'b1, exp: 5'd1, sig: '0, zero: 1'b1, is_inf: 1'b0, nan: 1'b0};
  parameter operand_t AbsentB = '{sign: 1'b0, exp: 5'd1, sig: '0, zero: 1'b1, is_inf: 1'b0, nan: 1'b0};

  // An INT8 operand as radix-4 digits, the least significant first (fp8mac_digit_recode). A lower
  // digit is -1 (negative), 0, 1 or 2. The highest one is 0, 1 or 2, or the negative of that.
  parameter int unsigned Int8Digits = 4;

  typedef struct packed {
    logic [Int8Digits-1:0] negative_n;
    logic [Int8Digits-1:0] one;
    logic [Int8Digits-1:0] two;
  } digits_t;

  // The width of the sum of 4^j over the negative digits j of LANES operands: at most 85 * LANES
  function automatic int unsigned negatives_width(int unsigned lanes);
    return 2 * Int8Digits - 1 + $clog2(lanes);
  endfunction

  // Scaling exponents: sa, sb in -32..+32 each; with the FNUZ adjustment the sum is -66..+64.
  parameter int signed ScaleExpMin = -32;
  parameter int signed ScaleExpMax = 32;
  parameter int unsigned ScaleSumW = 8;
  typedef logic signed [ScaleSumW-1:0] scale_sum_t;

  function automatic logic is_fnuz(fp8_fmt_e fmt);
    return fmt == FmtE4m3fnuz || fmt == FmtE5m2fnuz;
  endfunction

  // sa + sb - (number of FNUZ operands)
  function automatic scale_sum_t fnuz_adjust(scale_sum_t sum, fp8_fmt_e a, fp8_fmt_e b);
    return sum - scale_sum_t'({7'b0, is_fnuz(a)}) - scale_sum_t'({7'b0, is_fnuz(b)});
  endfunction

  // Sticky exception flags, in the bit order of the C model's FP8MAC_FLAG_*.
  typedef struct packed {
    logic nan;
    logic saturated;
    logic overflow;
    logic invalid;
  } flags_t;

  // The configuration of a step: constant over a tile.
  typedef struct packed {
    fp8_fmt_e   a_fmt;
    fp8_fmt_e   b_fmt;
    acc_fmt_e   acc_fmt;
    scale_sum_t scale_sum;  // sa + sb, before the FNUZ adjustment
  } step_cfg_t;

  // What a tile command of a row command does with X. Those before StepOut only leave
  // statistics of each row.
  typedef enum logic [3:0] {
    StepNone    = 4'd0,  // no row command
    StepSum     = 4'd1,  // the sum of X
    StepSquares = 4'd2,  // the sum of squares of X, or of X - offset
    StepMaximum = 4'd3,
    StepFirst   = 4'd4,  // the first column whose value is the offset
    StepExpSum  = 4'd5,  // the sum of the exponentials of X - offset
    StepMagnitude = 4'd6,  // the maximum of magnitudes
    StepOut     = 4'd7,  // gives X or X - offset, times gain * gamma
    StepExpOut  = 4'd8,  // gives exponentials, times gain
    StepResult  = 4'd9,  // gives the offset of each row: the result of a reduction
    StepSigmoid = 4'd10, // give a function of X * SCALE_A
    StepTanh    = 4'd11
  } rows_step_e;

  typedef struct packed {
    rows_step_e  step;
    logic        centred;  // the offset is subtracted from X
    logic        norm;     // the statistic becomes a mean, or the gain of a norm or of a quantisation
    logic        index;    // the result is the number of a column, or an MX scale: no amax
    logic        dense;    // StepResult: results of four bytes, one behind the other
    logic        mx;       // rows of a tile command are MX blocks; StepResult: their scales, of a byte
  } rows_cfg_t;

  function automatic logic rows_curve(rows_step_e step);
    return step == StepSigmoid || step == StepTanh;
  endfunction

  function automatic logic rows_statistic(rows_step_e step);
    return step != StepNone && step < StepOut;
  endfunction

  // The configuration of the epilogue: constant over a tile.
  typedef struct packed {
    logic        pairs;     // the store engine alone: a tile has two results of COLS / 2 channels
    logic        x_en;      // X in the place of the accumulators
    logic        c_en;      // beta * C is added; with multiply, X is multiplied by C
    logic        multiply;
    logic        maximum;   // with c_en, the larger of X and beta * C, not their sum
    dst_fmt_e    x_fmt;
    dst_fmt_e    c_fmt;
    logic [31:0] beta;        // the eps of a norm; with pairs the bytes of an output line of D
    rows_cfg_t   rows;
    logic        stochastic;  // D is rounded with random bits; else the next three are 0 unless it is a row command
    logic [31:0] seed;        // 1/n of a norm
    logic [31:0] first_m;     // position in D of the tile's first output; first_n is a multiple of 4
    logic [31:0] first_n;     // with scales of MX blocks, their byte in a beat
    code_table_e code_table;
    dst_fmt_e    d_fmt;
    overflow_e   overflow;
    activation_e act;
    logic        bias_en;
    logic [31:0] clamp_lo;
    logic [31:0] clamp_hi;
    logic [31:0] scale_d;
  } epilogue_cfg_t;

  // Product of two operands: (-1)^sign * sig * 2^(shift + ProductExpMin), not normalised. Zero, Inf
  // and NaN operands give sig = 0.
  parameter int unsigned ProductSigW = 2 * SigW;
  parameter int unsigned ProductShiftW = OperandExpW + 1;
  parameter int unsigned ProductShiftMax = 2 * ((1 << OperandExpW) - 1) - 2;  // exponents are at least 1
  parameter int signed ProductExpMin = 2 - 2 * OperandExpBias;                // -34

  typedef struct packed {
    logic                     sign;
    logic [ProductShiftW-1:0] shift;
    logic [ProductSigW-1:0]   sig;
  } product_t;

  // Only products of two E5M2 operands reach below 2^-32, and their two lowest bits are zero: every
  // product is an integer of SumUnitExp, below 2^(SumUnitExp + ProductW).
  parameter int unsigned ProductDropW = 2;
  parameter int signed SumUnitExp = ProductExpMin + int'(ProductDropW);                        // -32
  parameter int unsigned ProductW = ProductSigW + ProductShiftMax - ProductDropW;              // 66

  // Width of the two's complement sum of `lanes` products.
  function automatic int unsigned sum_width(int unsigned lanes);
    return ProductW + unsigned'($clog2(lanes)) + 1;
  endfunction

  // What is special about a step's products, beside their finite sum.
  typedef struct packed {
    logic nan;       // a NaN operand
    logic invalid;   // Inf * 0
    logic pos_inf;   // a product is +Inf
    logic neg_inf;   // a product is -Inf
    logic neg_zero;  // every product is -0
  } products_class_t;

  // The result of a step that is not the rounded sum.
  typedef enum logic [1:0] {
    SpecialNone,
    SpecialNan,
    SpecialPosInf,
    SpecialNegInf
  } special_e;

  // FP32, the format in which fp8mac_element_exact stores its accumulator in any case.
  parameter int unsigned Fp32MantW = 23;
  parameter int unsigned AccSigW = Fp32MantW + 1;
  parameter int signed Fp32Bias = 127;
  parameter int unsigned Fp32ExpMax = 255;                 // exponent field of Inf and NaN
  parameter int unsigned Fp16MantW = 10;
  parameter int unsigned Fp16FieldMin = 113;               // FP16's exponent range, as FP32 fields: 2^-14
  parameter int unsigned Fp16FieldInf = 143;               // and 2^16, the first binade that overflows

  // A sum on its way to rounding: sig * 2^(field - Fp32Bias - Fp32MantW), a guard and a sticky bit
  // below it.
  parameter int unsigned RoundFieldW = 9;                  // up to 257 before overflow is judged

  typedef struct packed {
    logic                   sign;
    logic [RoundFieldW-1:0] field;  // FP32's exponent field; 1 also for a subnormal
    logic [AccSigW-1:0]     sig;
    logic                   guard;
    logic                   sticky;
  } normalised_t;

  // What is decided about an FP32 result beside the arithmetic.
  typedef struct packed {
    logic sign;
    logic is_inf;
    logic nan;
    logic invalid;
  } fp32_special_t;

  // An FP32 result before rounding (fp8mac_fp32_round).
  typedef struct packed {
    fp32_special_t          special;
    logic [RoundFieldW-1:0] exp;     // biased; 0: subnormal or zero; may be above Fp32ExpMax
    logic [Fp32MantW-1:0]   frac;
    logic                   guard;
    logic                   sticky;
  } fp32_unrounded_t;

  // fp8mac_element_exact, in cycles: a step issued in cycle t reads its accumulator in t +
  // 2 and leaves the new value for cycle t + 2 + LoopCycles. Steps of one bank are at
  // least LoopCycles apart.
  parameter int unsigned LoopCycles = 3;
  parameter int unsigned ElementStages = 5;  // from step_valid_i to result_valid_o, flags_o

  // A pass is up to PassTiles tiles of ROWS x COLS outputs that are computed in turn, block by
  // block.
  parameter int unsigned PassTiles = 4;

  // Products that share a pair of MX scales
  parameter int unsigned MxBlock = 32;

  parameter logic [31:0] Fp32Nan = 32'h7fc0_0000;
  parameter logic [31:0] Fp32Inf = 32'h7f80_0000;
  parameter logic [31:0] Fp32One = 32'h3f80_0000;

  // Leading zeros of a word, by repeated halving; 31 if it is zero. A shorter number is followed by
  // ones.
  function automatic logic [4:0] leading_zeros(logic [31:0] word);
    logic [31:0] rest;
    leading_zeros = '0;
    rest = word;
    for (int unsigned half = 16; half > 0; half = half / 2) begin
      if ((rest >> (32 - half)) == '0) begin
        leading_zeros = leading_zeros | 5'(half);
        rest = rest << half;
      end
    end
  endfunction

endpackage
