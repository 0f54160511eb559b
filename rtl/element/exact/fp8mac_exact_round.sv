// SPDX-License-Identifier: Apache-2.0
// Round: rounds to nearest even at FP32's or FP16's quantum, and selects special values.
//
//   significand    [ sig, 24 bits ][ guard ][ sticky ]
//   FP32           the quantum is sig's last bit
//   FP16           the quantum is 13 bits above sig's last bit, and one more for each binade below 2^-14, because it
//                  stays at 2^-24; at 25 bits all of sig is below half a quantum
//
// Masks derived from the quantum select the last bit kept, the guard bit and the rest
// (fp8mac_round_even).
module fp8mac_exact_round
  import fp8mac_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   en_i,
  input  acc_fmt_e               acc_fmt_i,
  input  normalised_t            normalised_i,
  input  special_e               special_i,
  output logic [31:0]            acc_o,       // FP32 pattern, registered
  output logic                   overflow_o   // registered
);

  localparam int unsigned TailW = 2;                                // guard and sticky
  localparam int unsigned Fp16Drop = Fp32MantW - Fp16MantW;         // 13
  localparam int unsigned QuantumMax = AccSigW + 1;                 // 25: the significand is below half a quantum
  localparam int unsigned RoundW = QuantumMax + TailW + 1;          // 28
  localparam int unsigned PatternW = RoundFieldW + 1 + Fp32MantW;

  typedef struct packed {
    logic        overflow;
    logic [31:0] pattern;
  } rounded_t;

  // How many bits the quantum lies above sig's last bit
  function automatic logic [4:0] quantum_of(logic [RoundFieldW-1:0] field, acc_fmt_e acc_fmt);
    logic [4:0] fp16;
    if (field >= RoundFieldW'(Fp16FieldMin)) fp16 = 5'(Fp16Drop);
    else if (field <= RoundFieldW'(Fp16FieldMin - (QuantumMax - Fp16Drop))) fp16 = 5'(QuantumMax);
    else fp16 = 5'(Fp16Drop + Fp16FieldMin) - field[4:0];
    return acc_fmt == AccFp16 ? fp16 : '0;
  endfunction

  function automatic logic [31:0] special_pattern(special_e special);
    return special == SpecialNan ? Fp32Nan : {special == SpecialNegInf, Fp32Inf[30:0]};
  endfunction

  logic [RoundW-1:0] value, quantum, rounded;
  logic              up;
  assign value   = RoundW'({normalised_i.sig, normalised_i.guard, normalised_i.sticky});
  assign quantum = RoundW'(1 << TailW) << quantum_of(normalised_i.field, acc_fmt_i);

  fp8mac_round_even u_round (
    .last_i((value & quantum) != '0), .guard_i((value & (quantum >> 1)) != '0),
    .rest_i((value & ((quantum >> 1) - RoundW'(1))) != '0), .inverted_i(1'b0), .up_o(up)
  );
  assign rounded = (value & -quantum) + (up ? quantum : '0);

  // Exponent field and significand are added. So a significand that has become 2 raises the field
  // by one, and so does a subnormal that has become normal.
  function automatic rounded_t result_of(logic sign, logic [RoundFieldW-1:0] field, logic [RoundW-1:0] sig,
                                         special_e special, acc_fmt_e acc_fmt);
    rounded_t            r;
    logic [PatternW-1:0] pattern;
    pattern    = {(RoundFieldW + 1)'(field) - (RoundFieldW + 1)'(1), Fp32MantW'(0)} +
                 PatternW'(sig[RoundW-1:TailW]);
    if (sig == '0) pattern = '0;
    r.overflow = pattern[PatternW-1:Fp32MantW] >=
                 (RoundFieldW + 1)'(acc_fmt == AccFp16 ? Fp16FieldInf : Fp32ExpMax);
    r.pattern  = {sign, r.overflow ? Fp32Inf[30:0] : pattern[30:0]};
    if (special != SpecialNone) r = '{overflow: 1'b0, pattern: special_pattern(special)};
    return r;
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      automatic rounded_t r;
      r = result_of(normalised_i.sign, normalised_i.field, rounded, special_i, acc_fmt_i);
      overflow_o <= r.overflow;
      acc_o      <= r.pattern;
    end
  end

endmodule
