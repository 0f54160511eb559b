// SPDX-License-Identifier: Apache-2.0
// Read-out: converts an accumulator's code (result_width()) to an FP32 pattern. The conversion is
// exact but for integers, which are rounded once to nearest even. Combinational.
//
// No integer overflows or becomes subnormal. A fixed-point result is a multiple of 2^-32, the
// product of E5M2's smallest subnormals. It is the sum of at most 2^16 products below 2^32 each.
// Scaled by 2^-66 .. 2^64 it is 0 or has a magnitude within 2^-98 .. 2^112. An INT32 has a
// magnitude of 1 .. 2^31.
module fp8mac_readout
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT = ElementExact,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  localparam int unsigned ResultW = result_width(ELEMENT, FRAC_BITS)
) (
  input  logic [ResultW-1:0] result_i,
  input  acc_fmt_e           acc_fmt_i,    // kinds with both formats: the accumulator's
  input  logic [7:0]         field_one_i,  // integers: the value of the last bit, as FP32's exponent field
  output logic [31:0]        pattern_o
);

  if (acc_is_fp16(ELEMENT)) begin : g_fp16

    // The leading bit of a subnormal moves to the top: 1 + 10 places at most.
    localparam int unsigned FieldOfMin = Fp16FieldMin;  // FP32's field of FP16's smallest binade
    logic [4:0]           field16;
    logic [Fp16MantW-1:0] fraction16, fraction;
    logic [7:0]           field;

    assign {field16, fraction16} = result_i[14:0];
    always_comb begin
      field    = 8'(field16) + 8'(FieldOfMin - 1);
      fraction = fraction16;
      if (field16 == '1) begin
        field = 8'(Fp32ExpMax);
      end else if (field16 == '0) begin
        field = '0;
        for (int unsigned i = 0; i < Fp16MantW; i++) begin
          if (fraction16[i]) begin  // the highest that is set comes last
            field    = 8'(FieldOfMin - Fp16MantW + i);
            fraction = fraction16 << (Fp16MantW - i);
          end
        end
      end
    end
    assign pattern_o = {result_i[15], field, fraction, {(Fp32MantW - Fp16MantW){1'b0}}};

  end else if (element_has_fixed(ELEMENT)) begin : g_fixed

    localparam int unsigned AccW = fixed_acc_width(ELEMENT, FRAC_BITS);
    logic [31:0] pattern;
    special_e    special;

    fp8mac_readout_integer #(.W(AccW)) u_integer (.value_i(result_i[AccW-1:0]), .field_one_i, .pattern_o(pattern));

    if (element_takes_e5m2(ELEMENT)) begin : g_special
      assign special = special_of(result_i[AccW+:$bits(sticky_t)]);
    end else begin : g_nan
      assign special = result_i[AccW] ? SpecialNan : SpecialNone;
    end
    always_comb begin
      unique case (special)
        SpecialNan:    pattern_o = Fp32Nan;
        SpecialPosInf: pattern_o = Fp32Inf;
        SpecialNegInf: pattern_o = {1'b1, Fp32Inf[30:0]};
        default:       pattern_o = pattern;
      endcase
    end

  end else if (element_has_int32(ELEMENT)) begin : g_int8

    fp8mac_readout_integer #(.W(32)) u_integer (.value_i(result_i), .field_one_i, .pattern_o);

  end else if (acc_is_chosen(ELEMENT) && !result_is_pattern(ELEMENT)) begin : g_choice

    fp8mac_acc_pattern u_pattern (.acc_fp16_i(acc_fmt_i == AccFp16), .acc_i(result_i), .pattern_o);

  end else if (result_is_pattern(ELEMENT)) begin : g_fp32

    assign pattern_o = result_i;

  end else begin : g_check_result
    $error("fp8mac_readout has no branch for the accumulator of ELEMENT=%0d", ELEMENT);
  end

endmodule
