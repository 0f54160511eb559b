// SPDX-License-Identifier: Apache-2.0
// A result as the array keeps it, in its accumulator's format, to an FP32 pattern. Exact but for the one rounding of an
// integer to nearest even.
//
// No integer overflows or is subnormal. FIXED: |integer| <= 2^52 in units of 2^-18, scaled by 2^-66 .. 2^64, so that
// not zero it is 2^-84 .. 2^98; INT32: 1 .. 2^31.
module fp8mac_readout
  import fp8mac_pkg::*;
  import fp8mac_array_pkg::*;
#(
  parameter int unsigned ELEMENT = ElementExact,
  localparam int unsigned ResultW = result_width(ELEMENT)
) (
  input  logic [ResultW-1:0] result_i,
  input  scale_sum_t         scale_sum_i,  // FIXED: of the result's steps, FNUZ-adjusted
  output logic [31:0]        pattern_o
);

  if (ELEMENT == ElementWindowFp16) begin : g_fp16

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

  end else if (ELEMENT == ElementFixed) begin : g_fixed

    logic [31:0] pattern;
    fp8mac_readout_integer #(.W(FixedAccW)) u_integer (
      .value_i(result_i[FixedAccW-1:0]), .field_one_i(8'(Fp32Bias + FixedUnitExp) + 8'(scale_sum_i)),
      .pattern_o(pattern)
    );
    assign pattern_o = result_i[FixedAccW] ? Fp32Nan : pattern;

  end else if (ELEMENT == ElementInt8) begin : g_int8

    fp8mac_readout_integer #(.W(32)) u_integer (
      .value_i(result_i), .field_one_i(8'(Fp32Bias)), .pattern_o
    );

  end else begin : g_fp32

    assign pattern_o = result_i;

  end

endmodule
