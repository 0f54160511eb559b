// SPDX-License-Identifier: Apache-2.0
// libfp8mac as the scoreboard of a processing element, in SystemVerilog alone. Tiles of random
// formats, accumulators, scaling exponents and codes go through the element, a step a cycle over
// its banks; each result and the tile's flags are compared with the model's. With +fault, every 50
// steps one bit of one lane's code flips, in the element only. The scoreboard must then report
// differences. `make dpi-example` builds and runs it.
module element_scoreboard
  import fp8mac_pkg::*;
  import fp8mac_dpi_pkg::*;
();

  localparam int unsigned Lanes = 4;
  localparam int unsigned Banks = 4;
  localparam int unsigned Tiles = 300;
  localparam int unsigned StepsPerTile = 240;  // a multiple of Banks
  localparam int unsigned StepsPerDot = 10;    // of one bank; divides StepsPerTile / Banks

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #1 clk = !clk;

  // ---- the element behind its decoders

  logic                   step_valid, step_first, step_last;
  logic [1:0]             step_bank;
  step_cfg_t              cfg;
  logic [Lanes-1:0][7:0]  a_code, b_code;
  operand_t [Lanes-1:0]   a, b;
  logic                   result_valid;
  logic [1:0]             result_bank;
  logic [31:0]            result;
  flags_t                 flags;

  for (genvar lane = 0; lane < int'(Lanes); lane++) begin : g_lane
    fp8mac_decode u_a (.code_i(a_code[lane]), .fmt_i(cfg.a_fmt), .operand_o(a[lane]));
    fp8mac_decode u_b (.code_i(b_code[lane]), .fmt_i(cfg.b_fmt), .operand_o(b[lane]));
  end

  fp8mac_element_exact #(.LANES(Lanes), .BANKS(Banks)) u_element (
    .clk_i(clk), .rst_ni(rst_n), .step_valid_i(step_valid), .step_bank_i(step_bank), .step_first_i(step_first),
    .step_last_i(step_last), .acc_fmt_i(cfg.acc_fmt), .scale_sum_i(fnuz_adjust(cfg.scale_sum, cfg.a_fmt, cfg.b_fmt)),
    .a_i(a), .b_i(b), .result_valid_o(result_valid), .result_bank_o(result_bank), .result_o(result), .flags_o(flags)
  );

  // ---- the scoreboard

  int unsigned expected[Banks][$];
  int unsigned seen_flags, wanted_flags;
  int unsigned passed, failed;

  function automatic void check(input bit ok, input string what);
    if (ok) passed++;
    else begin
      failed++;
      if (failed <= 10) $display("FAIL %s", what);
    end
  endfunction

  always @(posedge clk) begin
    if (rst_n) begin
      seen_flags |= {28'b0, flags};
      if (result_valid) begin
        if (expected[result_bank].size() == 0) check(1'b0, "a result that nobody waits for");
        else begin
          automatic int unsigned want = expected[result_bank].pop_front();
          check(result == want, $sformatf("bank %0d: %08x, expected %08x = %s", result_bank, result, want,
                                          fp8mac_to_text(fp8mac_format("float32"), want)));
        end
      end
    end
  end

  // ---- stimulus, on the falling edge

  function automatic string format_name(fp8_fmt_e fmt);
    unique case (fmt)
      FmtE4m3fn:   return "e4m3fn";
      FmtE5m2:     return "e5m2";
      FmtE4m3fnuz: return "e4m3fnuz";
      default:     return "e5m2fnuz";
    endcase
  endfunction

  int unsigned steps;
  int unsigned fault_every;

  // One step in a bank, given to the element and to the model.
  task automatic drive(input int dot, input int unsigned bank, input int unsigned step, input bit specials);
    step_valid = 1'b1;
    step_bank  = 2'(bank);
    step_first = step == 0;
    step_last  = step == StepsPerDot - 1;
    if (step == 0) void'(fp8mac_dot_clear(dot, 0, 0));
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      automatic logic [7:0] code_a = 8'($urandom), code_b = 8'($urandom);
      if (!specials) begin
        code_a[6] = 1'b0;
        code_b[6] = 1'b0;
      end
      a_code[lane] = code_a;
      b_code[lane] = fault_every != 0 && lane == 1 && steps % fault_every == 7 ? code_b ^ 8'h08 : code_b;
      void'(fp8mac_dot_term(dot, code_a, code_b));
    end
    check(fp8mac_dot_step(dot) == 0, fp8mac_message());
    if (step == StepsPerDot - 1) begin
      expected[bank].push_back(fp8mac_dot_result(dot));
      wanted_flags |= fp8mac_dot_flags(dot);
    end
    steps++;
  endtask

  task automatic tile(input bit specials);
    automatic int dot[Banks];
    automatic int sa = int'($urandom_range(64)) - 32, sb = int'($urandom_range(64)) - 32;
    automatic fp8_fmt_e a_fmt = fp8_fmt_e'($urandom_range(3)), b_fmt = fp8_fmt_e'($urandom_range(3));
    automatic acc_fmt_e acc_fmt = acc_fmt_e'($urandom_range(1));
    if (acc_fmt == AccFp16) begin
      sa = sa / 4;
      sb = sb / 4;
    end
    cfg = '{a_fmt: a_fmt, b_fmt: b_fmt, acc_fmt: acc_fmt, scale_sum: scale_sum_t'(sa + sb)};
    seen_flags = 0;
    wanted_flags = 0;
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      dot[bank] = fp8mac_dot_new($sformatf(
        "group=%0d a-format=%s b-format=%s acc-format=%s scale-exp-a=%0d scale-exp-b=%0d", Lanes,
        format_name(a_fmt), format_name(b_fmt), acc_fmt == AccFp16 ? "fp16" : "fp32", sa, sb));
      check(dot[bank] > 0, fp8mac_message());
    end
    for (int unsigned i = 0; i < StepsPerTile; i++) begin
      drive(dot[i % Banks], i % Banks, (i / Banks) % StepsPerDot, specials);
      @(negedge clk);
    end
    step_valid = 1'b0;
    repeat (ElementStages + 2) @(negedge clk);
    check(seen_flags == wanted_flags, $sformatf("flags of a tile: %h, expected %h", seen_flags, wanted_flags));
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      check(expected[bank].size() == 0, "a result that never came");
      expected[bank].delete();
      void'(fp8mac_dot_free(dot[bank]));
    end
  endtask

  // ---- the other functions of the package, by values known from the formats' definitions

  task automatic check_package();
    automatic int e4m3fn = fp8mac_format("e4m3fn"), e5m2 = fp8mac_format("e5m2"), fp32 = fp8mac_format("float32");
    automatic int unsigned f = 0, amax = 0;
    automatic bit nonfinite = 0, sign;
    automatic int cls, exponent, epilogue, dot;
    automatic longint unsigned significand;
    check(fp8mac_format("e4m3fn") == e4m3fn && e5m2 != e4m3fn, "a format has one handle");
    check(fp8mac_format("e4m3fx") == 0, "an unknown format is refused");
    check(fp8mac_message() != "", "with a sentence");
    check(fp8mac_bits(e4m3fn) == 8 && fp8mac_bits(fp32) == 32 && fp8mac_bits(99) == 0, "bits");
    check(fp8mac_to_real(e4m3fn, 32'h7e) == 448.0, "to_real");
    check(fp8mac_to_text(e4m3fn, 32'h81) == "-0.001953125", "to_text");
    check(fp8mac_decode_code(e4m3fn, 32'hbc, cls, sign, exponent, significand) == 0 && cls == int'(ClassFinite) &&
          sign && exponent == -3 && significand == 12, "decode_code");
    check(fp8mac_decode_code(0, 0, cls, sign, exponent, significand) != 0, "decode_code refuses");
    for (int unsigned code = 0; code < 256; code++) begin
      if (code[6:0] != 7'h7f) begin
        check(fp8mac_from_real(e4m3fn, fp8mac_to_real(e4m3fn, code), 0, 0, f) == code, "from_real of to_real");
        check(fp8mac_cast(e4m3fn, fp32, fp8mac_cast(fp32, e4m3fn, code, 0, 0, f), 0, 0, f) == code, "cast and back");
      end
    end
    check(f == 0, "exact conversions raise nothing");
    check(fp8mac_from_real(e4m3fn, 464.0, 0, int'(OverflowIeee), f) == 32'h7e && f == 0, "464 is a tie");
    check(fp8mac_from_real(e4m3fn, 465.0, 0, int'(OverflowIeee), f) == 32'h7f && f == FlagOverflow, "465 overflows");
    check(fp8mac_from_real(e4m3fn, 479.0, int'(RoundTowardZero), 0, f) == 32'h7e, "toward zero");
    f = 0;
    check(fp8mac_cast(e4m3fn, e5m2, 32'h7b, 0, int'(OverflowSaturate), f) == 32'h7e && f == FlagSaturated, "saturates");
    check(fp8mac_cast_stochastic(e5m2, e4m3fn, 32'h39, 0, 32'd0, 1, f) == 32'h3c &&
          fp8mac_cast_stochastic(e5m2, e4m3fn, 32'h39, 0, 32'd1, 1, f) == 32'h3d, "stochastic: half way is r");
    check(fp8mac_dot_new("group=4 a-format=nope") == 0, "a bad setting is refused");
    check(fp8mac_dot_new("group 4") == 0 && fp8mac_dot_new("group=2000") == 0, "bad settings are refused");
    check(fp8mac_dot_step(0) != 0 && fp8mac_dot_term(77, 0, 0) != 0 && fp8mac_dot_free(-1) != 0, "bad handles");
    dot = fp8mac_dot_new("preset=hopper-fp8");
    check(fp8mac_dot_step(dot) != 0, "a step without terms is refused");
    check(fp8mac_dot_scale(dot, 33, 0) != 0 && fp8mac_dot_scale(dot, 2, -1) == 0, "scaling exponents");
    // One call a statement, because a simulator may evaluate the calls of one expression in any
    // order.
    check(fp8mac_dot_load(dot, 32'h3f800000) == 0, "load");
    check(fp8mac_dot_term(dot, 8'h38, 8'h40) == 0, "term");
    check(fp8mac_dot_step(dot) == 0, "step");
    check(fp8mac_dot_result(dot) == 32'h40a00000, "1 + 2 * (1 * 2) = 5");
    check(fp8mac_dot_code(dot) == 32'h40a00000 && fp8mac_dot_flags(dot) == 0, "code and flags");
    check(fp8mac_dot_free(dot) == 0, "free");
    // (3 * (0.5 * 2) + 1) * 0.25 = 1
    epilogue = fp8mac_epilogue_new(e4m3fn, 0, 0, 32'h3e800000, 1'b1, 0, 1, 0, 0);
    f = 0;
    check(fp8mac_epilogue(epilogue, 32'h40400000, 32'h3f000000, 32'h40000000, 32'h3f800000, 0, amax, nonfinite, f)
          == 32'h38 && amax == 32'h40800000 && !nonfinite && f == 0, "epilogue");
    check(fp8mac_epilogue_new(e4m3fn, 0, 0, 32'h7fc00000, 1'b0, 0, 0, 0, 0) == 0, "an epilogue's NaN scale is refused");
  endtask

  initial begin
    if (!$value$plusargs("fault=%d", fault_every)) fault_every = 0;
    step_valid = 1'b0;
    step_bank = '0;
    step_first = 1'b0;
    step_last = 1'b0;
    cfg = '0;
    a_code = '0;
    b_code = '0;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    check_package();
    for (int unsigned t = 0; t < Tiles; t++) tile(t % 4 == 3);
    $display("%0d passed, %0d failed", passed, failed);
    $finish;
  end

endmodule
