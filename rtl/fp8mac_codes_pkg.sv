// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/regs/fp8mac.rdl by rtl/regs/command_package.py (`make regs`):
// codes of a command's fields.
package fp8mac_codes_pkg;

  typedef enum logic [1:0] {
    FmtE4m3fn = 2'd0,  // OCP E4M3: 4.3, bias 7, no Inf
    FmtE5m2 = 2'd1,  // OCP E5M2: 5.2, bias 15, Inf
    FmtE4m3fnuz = 2'd2,  // 4.3, bias 8, no Inf, no -0
    FmtE5m2fnuz = 2'd3  // 5.2, bias 16, no Inf, no -0
  } fp8_fmt_e;

  typedef enum logic [2:0] {
    DstE4m3fn = 3'd0,
    DstE5m2 = 3'd1,
    DstE4m3fnuz = 3'd2,
    DstE5m2fnuz = 3'd3,
    DstFp16 = 3'd4,
    DstBf16 = 3'd5,
    DstFp32 = 3'd6,
    DstInt8 = 3'd7  // Two's complement. Results are clamped to +-127; a NaN becomes 0 and raises `invalid`
  } dst_fmt_e;

  typedef enum logic {
    AccFp32 = 1'd0,
    AccFp16 = 1'd1
  } acc_fmt_e;

  typedef enum logic [1:0] {
    OvfSaturate = 2'd0,  // Finite overflow and Inf become +-max
    OvfSaturateFinite = 2'd1,  // Finite overflow becomes +-max; Inf is converted as by ieee
    OvfIeee = 2'd2  // Overflow and Inf become Inf where the format has one, else NaN
  } overflow_e;

  function automatic logic is_overflow(logic [1:0] code);
    return 32'(code) < 32'd3;
  endfunction

  typedef enum logic [1:0] {
    ActNone = 2'd0,
    ActRelu = 2'd1,  // NaN stays NaN, any other value with the sign bit set becomes +0
    ActClamp = 2'd2  // NaN stays NaN, other values are limited to CLAMP_LO .. CLAMP_HI
  } activation_e;

  function automatic logic is_activation(logic [1:0] code);
    return 32'(code) < 32'd3;
  endfunction

  typedef enum logic [1:0] {
    TableNone = 2'd0,
    Table0 = 2'd1,
    Table1 = 2'd2
  } code_table_e;

  function automatic logic is_code_table(logic [1:0] code);
    return 32'(code) < 32'd3;
  endfunction

endpackage
