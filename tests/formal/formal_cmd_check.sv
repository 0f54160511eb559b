// SPDX-License-Identifier: Apache-2.0
// fp8mac_cmd_check with any tile commands, and engines that take them at any time. The proof has no
// bound on time. Each tile command that enters leaves exactly once, after a fixed number of cycles
// if it is taken at once, with its own fields. Its error is the first one that applies, by
// definition: of the descriptor, sizes and buffers, alignment, addresses, mode, scaling exponents,
// scales, sequence. So a region of memory is refused exactly if its last byte lies behind the last
// address. What is reused or continued was left by the tile command before. The shape of the passes
// is the one that was asked for, or the first with the fewest passes. Of a refused tile command
// nothing is loaded, and no tile command enters behind it until the error state is left. An abort
// drops the tile command at hand.
//
// Not covered: images, row commands, MX scales, depthwise commands, integer scales and integer
// accumulators. The accelerator of this proof is built without them. Its array has E4M3 operands
// and FP32 accumulators alone. m and n are at most MAX_MN; larger ones are refused. Assumed, as in
// the accelerator: no row commands come, because such a command has an error and another operation
// in its place. An abort lasts until the error state is left, and this happens when no tile command
// is here and none comes.
module formal_cmd_check
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 2,
  parameter int unsigned COLS      = 2,
  parameter int unsigned BLOCK     = 32,
  parameter int unsigned TILES     = 4,
  parameter int unsigned BEAT      = 8,
  parameter int unsigned BUF_BEATS = 16,
  parameter int unsigned MAX_MN    = 3,
  parameter bit          REGIONS   = 1'b1  // alignment and addresses are judged by definition; else they are believed
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       abort_i,
  input logic       clear_i,
  input logic [1:0] tables_loaded_i,
  input logic       valid_i,
  input tile_cmd_t  tile_i,
  input logic       ready_i,
  input logic [2:0] any_region_i
);
  localparam functions_t Built = '{
    records: 1'b1, depthwise: 1'b0, requantise: 1'b0, mx: 1'b0, rows: 1'b0, int8: 1'b1, conv_a: 1'b0, tables: 1'b1,
    stochastic: 1'b1, elementwise: 1'b1, c: 1'b1
  };
  localparam element_t Element = '{
    terms_log2: '0, frac_bits: '0, align_by_operands: 1'b0, int8: 1'b0, narrow: 1'b0, e5m2: 1'b0, acc_fixed: 1'b0,
    acc_fp16: 1'b0, acc_fp32: 1'b1, kind: '0
  };

  logic          idle, ready, valid;
  checked_jobs_t checked;

  fp8mac_cmd_check #(
    .ROWS(ROWS), .COLS(COLS), .BLOCK(BLOCK), .TILES(TILES), .BEAT(BEAT), .BUF_BEATS(BUF_BEATS), .MAX_MN(MAX_MN),
    .ELEMENT(Element), .FUNCTIONS(Built)
  ) dut (
    .clk_i, .rst_ni, .abort_i, .clear_i, .idle_o(idle), .tables_loaded_i, .valid_i, .tile_i, .ready_o(ready),
    .valid_o(valid), .checked_o(checked), .ready_i
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // The check's states, in their order
  typedef enum logic [1:0] {
    Idle, Check, Offer, Blocked
  } state_e;
  state_e state;
  assign state = state_e'(dut.state_q);

  // ---- the tile command at hand, and the one that left before it --------------------------------
  tile_cmd_t   tile_q, before_q;
  pass_shape_e before_shape_q;
  logic        open_q, blocked_q, has_before_q, failed_q, aborted_q;
  logic [3:0]  age_q;  // cycles since it entered
  logic        enters, leaves;

  assign enters = valid_i && ready && !abort_i;
  assign leaves = valid && ready_i;

  // ---- sizes and buffers ------------------------------------------------------------------------
  logic        gemm, finishes, vectors, c_en;
  logic [31:0] m, n, k, row_beats, row_words;
  logic [3:0]  down, across;  // tiles
  logic        sizes_legal, shape_bad;

  function automatic logic [31:0] ceil_div(logic [31:0] x, int unsigned by);
    return (x + by - 1) / by;
  endfunction

  assign gemm      = tile_q.mode.op == OpGemm;
  assign finishes  = !tile_q.mode.acc_keep;
  assign c_en      = finishes && tile_q.c.en;
  assign vectors   = finishes && (tile_q.a.scale_vec || tile_q.b.scale_vec || tile_q.finish.bias_en);
  assign m         = 32'(tile_q.m);
  assign n         = 32'(tile_q.n);
  assign k         = 32'(tile_q.k);
  assign row_beats = ceil_div(k, BEAT);
  assign row_words = ceil_div(k, BLOCK) * (BLOCK / BEAT);
  assign down      = 4'(ceil_div(32'(m[3:0]), ROWS));  // of legal sizes
  assign across    = 4'(ceil_div(32'(n[3:0]), COLS));

  // Rows of one operand in a row RAM: few enough tiles for a product of a few bits
  function automatic logic too_many_words(logic [3:0] tiles);
    logic [9:0] words;
    words = '0;
    for (int unsigned i = 0; i < MAX_MN; i++) if (4'(i) < tiles) words += 10'(row_words);
    return words > 10'(BUF_BEATS);
  endfunction

  assign sizes_legal = m != 0 && n != 0 && k != 0 && m <= MAX_MN && n <= MAX_MN && row_words <= BUF_BEATS;
  assign shape_bad   = !sizes_legal || (gemm && (too_many_words(down) || too_many_words(across)));

  // ---- passes: of the shapes that are wanted, the first one with the fewest ---------------------
  function automatic logic [5:0] passes_of(logic [1:0] s);
    unique case (s)
      PassAcross: return 6'(down) * 6'(ceil_div(32'(across), 4));
      PassSquare: return 6'(ceil_div(32'(down), 2)) * 6'(ceil_div(32'(across), 2));
      default:    return 6'(ceil_div(32'(down), 4)) * 6'(across);
    endcase
  endfunction

  function automatic logic is_wanted(logic [1:0] s);
    return s != PassAutomatic && (tile_q.mode.pass_shape == PassAutomatic || tile_q.mode.pass_shape == s);
  endfunction

  typedef struct packed {
    logic        found;
    pass_shape_e shape;
  } best_t;

  function automatic best_t best_of(logic [2:0] shapes);  // how many were tried
    best_of = '{found: 1'b0, shape: PassAcross};
    for (int unsigned s = 0; s < 3; s++) begin
      if (32'(s) < 32'(shapes) && is_wanted(2'(s)) &&
          (!best_of.found || passes_of(2'(s)) < passes_of(best_of.shape))) begin
        best_of = '{found: 1'b1, shape: pass_shape_e'(s)};
      end
    end
  endfunction

  best_t best;
  assign best = best_of(3'd3);

  // ---- regions of memory ------------------------------------------------------------------------
  localparam int unsigned PlaceW  = AddrW + 6;
  typedef logic [PlaceW-1:0] place_t;

  typedef struct packed {
    logic        used;
    addr_t       addr;
    addr_t       stride;
    logic [2:0]  rows_behind;  // the first one
    logic [17:0] bytes;        // of a row
  } region_t;

  function automatic region_t matrix(logic used, addr_t addr, addr_t stride, dim_t rows, logic [17:0] bytes);
    return '{used: used, addr: addr, stride: stride, rows_behind: 3'(rows - 1), bytes: bytes};
  endfunction

  function automatic logic [17:0] bytes_of(dim_t values, logic [2:0] fmt);
    return 18'(values) << dst_size(dst_fmt_e'(fmt));
  endfunction

  // A, B, D, scales of A, scales of B, bias, C
  function automatic region_t region_of(logic [3:0] r);
    unique case (r)
      4'd0: return matrix(!tile_q.a.reuse, tile_q.a.addr, tile_q.a.stride, tile_q.m,
                          gemm ? 18'(tile_q.k) : bytes_of(tile_q.n, tile_q.x_fmt));
      4'd1: return matrix(!tile_q.b.reuse && gemm, tile_q.b.addr, tile_q.b.stride, tile_q.n, 18'(tile_q.k));
      4'd2: return matrix(finishes, tile_q.d.addr, tile_q.d.stride, tile_q.m, bytes_of(tile_q.n, tile_q.d.fmt));
      4'd3: return matrix(finishes && tile_q.a.scale_vec, tile_q.a.scale, '0, dim_t'(1), 18'(tile_q.m) << 2);
      4'd4: return matrix(finishes && tile_q.b.scale_vec, tile_q.b.scale, '0, dim_t'(1), 18'(tile_q.n) << 2);
      4'd6: return matrix(c_en, tile_q.c.addr, tile_q.c.stride, tile_q.m, bytes_of(tile_q.n, tile_q.c.fmt));
      4'd7, 4'd8: return '0;  // MX scales
      default: return matrix(finishes && tile_q.finish.bias_en, tile_q.finish.bias, '0, dim_t'(1), 18'(tile_q.n) << 2);
    endcase
  endfunction

  function automatic place_t end_of(region_t r);
    end_of = place_t'(r.addr) + place_t'(r.bytes);
    for (int unsigned i = 0; i < $clog2(MAX_MN); i++) if (r.rows_behind[i]) end_of += place_t'(r.stride) << i;
  endfunction

  function automatic logic align_bad(region_t r);
    return r.used && (r.addr % BEAT != 0 || (r.rows_behind != '0 && r.stride % BEAT != 0));
  endfunction

  function automatic logic range_bad(region_t r);
    return r.used && end_of(r) > place_t'(1) << AddrW;
  endfunction

  // ---- the pipeline of the checks ---------------------------------------------------------------
  logic [3:0] cycle;
  logic       there;
  region_t    region1, region2, region3;  // in the first three stages
  best_t      tried;
  logic [3:0] shape1, shape2;             // counted from 0

  assign cycle   = age_q;
  assign there   = state == Check;
  assign region1 = region_of(cycle - 4'd1);
  assign region2 = region_of(cycle - 4'd2);
  assign region3 = region_of(cycle - 4'd3);
  assign shape1  = cycle - 4'd2;
  assign shape2  = cycle - 4'd3;
  assign tried   = best_of(cycle < 4'd4 ? 3'd0 : cycle > 4'd6 ? 3'd3 : 3'(cycle - 4'd3));

  // One region is judged in each cycle, until the verdict: its alignment two cycles after it was
  // selected, its end three.
  logic       align_found_q, range_found_q;
  logic [2:0] chosen;  // by the solver
  region_t    region;

  formal_const #(.WIDTH(3)) u_region (.clk_i, .any_i(any_region_i), .const_o(chosen));
  assign region = region_of({1'b0, chosen});

  always_ff @(posedge clk_i) begin
    if (enters) begin
      align_found_q <= 1'b0;
      range_found_q <= 1'b0;
    end else if (there) begin
      if (cycle >= 4'd2 && align_bad(region2)) align_found_q <= 1'b1;
      if (cycle >= 4'd3 && range_bad(region3)) range_found_q <= 1'b1;
    end
  end

  // ---- mode and scales --------------------------------------------------------------------------
  logic mode_bad, exp_bad, scale_bad;

  function automatic logic operand_bad(command_operand_t x);  // the array has E4M3 formats alone
    return x.narrow || !(fp8_fmt_e'(x.fmt) inside {FmtE4m3fn, FmtE4m3fnuz});
  endfunction

  assign mode_bad =
    tile_q.finish.overflow == 2'd3 || tile_q.finish.act == 2'd3 || tile_q.finish.act_table == 2'd3 ||
    (dst_fmt_e'(tile_q.d.fmt) == DstInt8 && overflow_e'(tile_q.finish.overflow) != OvfSaturate) ||
    (tile_q.finish.act_table != 2'd0 && dst_size(dst_fmt_e'(tile_q.d.fmt)) != 2'd0) ||
    (gemm && (operand_bad(tile_q.a) || operand_bad(tile_q.b) || acc_fmt_e'(tile_q.mode.acc_fmt) != AccFp32)) ||
    (!gemm && (tile_q.a.reuse || tile_q.b.reuse || tile_q.mode.acc_continue || tile_q.mode.acc_keep)) ||
    (tile_q.mode.op == OpMultiply && (!tile_q.c.en || tile_q.finish.bias_en)) ||
    (tile_q.mode.maximum && (tile_q.mode.op != OpAdd || !tile_q.c.en));

  function automatic logic outside(logic signed [7:0] x);
    return x < -8'sd32 || x > 8'sd32;
  endfunction
  assign exp_bad = outside(tile_q.a.scale_exp) || outside(tile_q.b.scale_exp);

  // A scale is finite and above 0.
  function automatic logic no_scale(logic [31:0] x);
    return x == '0 || x >= 32'h7f80_0000;
  endfunction

  // Whether finite FP32 values are in this order
  function automatic logic in_order(logic [31:0] low, logic [31:0] high);
    if (low[30:0] == '0 && high[30:0] == '0) return 1'b1;
    if (low[31] != high[31]) return low[31];
    return low[31] ? low[30:0] >= high[30:0] : low[30:0] <= high[30:0];
  endfunction

  assign scale_bad = finishes && (
    (!tile_q.a.scale_vec && no_scale(tile_q.a.scale)) || (!tile_q.b.scale_vec && no_scale(tile_q.b.scale)) ||
    no_scale(tile_q.d.scale) ||
    (activation_e'(tile_q.finish.act) == ActClamp &&
     (&tile_q.finish.clamp_lo[30:23] || &tile_q.finish.clamp_hi[30:23] ||
      !in_order(tile_q.finish.clamp_lo, tile_q.finish.clamp_hi))));

  // ---- sequence ---------------------------------------------------------------------------------
  // Operands and accumulators are those of the tile command that left last, if they have the
  // same sizes and formats.
  logic same_m, same_n, same_k, left_operands, left_accumulators, sequence_bad;

  assign same_m            = has_before_q && before_q.m == tile_q.m;
  assign same_n            = has_before_q && before_q.n == tile_q.n;
  assign same_k            = has_before_q && before_q.k == tile_q.k;
  assign left_operands     = has_before_q && before_q.mode.op == OpGemm;
  assign left_accumulators = has_before_q && before_q.mode.acc_keep && before_q.mode.acc_fmt == tile_q.mode.acc_fmt &&
                             before_shape_q == best.shape;

  assign sequence_bad =
    tile_q.sequence_bad ||
    (tile_q.finish.act_table == 2'd1 && !tables_loaded_i[0]) ||
    (tile_q.finish.act_table == 2'd2 && !tables_loaded_i[1]) ||
    (tile_q.mode.acc_continue && !(left_accumulators && same_m && same_n)) ||
    ((tile_q.mode.acc_continue || tile_q.mode.acc_keep) && passes_of(best.shape) > 6'(TILES / PassTiles)) ||
    (tile_q.mode.acc_keep && k % BLOCK != 0) ||
    (tile_q.a.reuse && !(left_operands && same_m && same_k && code_fmt(before_q.a) == code_fmt(tile_q.a))) ||
    (tile_q.b.reuse && !(left_operands && same_n && same_k && code_fmt(before_q.b) == code_fmt(tile_q.b)));

  // ---- verdict ----------------------------------------------------------------------------------
  error_e verdict, verdict_q;  // verdict_q: of the cycle before it is offered, because tables are loaded at any time

  always_comb begin
    if (tile_q.error != ErrNone) verdict = tile_q.error;
    else if (shape_bad) verdict = ErrShape;
    else if (REGIONS ? align_found_q : dut.align_bad_q) verdict = ErrAlign;
    else if (tile_q.range_bad || (REGIONS ? range_found_q : dut.range_bad_q)) verdict = ErrRange;
    else if (mode_bad) verdict = ErrMode;
    else if (exp_bad) verdict = ErrScaleExp;
    else if (scale_bad) verdict = ErrScale;
    else if (sequence_bad) verdict = ErrSequence;
    else verdict = ErrNone;
  end

  logic [3:0] latency;
  assign latency = c_en ? 4'd11 : vectors ? 4'd10 : 4'd7;

  always_ff @(posedge clk_i) begin
    aborted_q <= rst_ni && abort_i && !clear_i;
    if (!rst_ni || abort_i || clear_i) begin
      open_q    <= 1'b0;
      blocked_q <= 1'b0;
    end else begin
      if (enters) open_q <= 1'b1;
      else if (leaves) open_q <= 1'b0;
      if (leaves) blocked_q <= checked.store.error != ErrNone;
    end
    if (!rst_ni || clear_i) has_before_q <= 1'b0;
    else if (leaves) has_before_q <= 1'b1;
    if (enters) tile_q <= offered_tile(tile_i, Built);
    if (leaves) begin
      failed_q       <= checked.store.error != ErrNone;
      before_q       <= tile_q;
      before_shape_q <= best.shape;
    end
    age_q <= enters ? 4'd0 : (age_q == '1) ? age_q : age_q + 4'd1;
    if (state == Check) verdict_q <= verdict;
  end

  // ---- what each engine gets --------------------------------------------------------------------
  logic fields_are_its_own, nothing_is_wanted, wants_what_it_needs;

  assign fields_are_its_own =
    checked.store.tag == tile_q.tag && checked.store.first == tile_q.first && checked.store.last == tile_q.last &&
    checked.store.record == tile_q.mode.record && checked.store.irq == tile_q.mode.irq &&
    checked.store.m == tile_q.m && checked.store.n == tile_q.n && checked.store.acc_keep == tile_q.mode.acc_keep &&
    checked.store.d_addr == tile_q.d.addr && checked.store.d_stride == tile_q.d.stride &&
    checked.store.epilogue.d_fmt == dst_fmt_e'(tile_q.d.fmt) && checked.store.epilogue.c_en == c_en &&
    checked.store.epilogue.x_en == !gemm && checked.store.epilogue.multiply == (tile_q.mode.op == OpMultiply) &&
    checked.store.epilogue.beta == tile_q.c.beta && checked.store.epilogue.scale_d == tile_q.d.scale &&
    checked.store.epilogue.bias_en == tile_q.finish.bias_en &&
    checked.store.a == store_scale_t'{in_vector: tile_q.a.scale_vec, value: tile_q.a.scale} &&
    checked.store.b == store_scale_t'{in_vector: tile_q.b.scale_vec, value: tile_q.b.scale} &&
    checked.compute.m == tile_q.m && checked.compute.n == tile_q.n && checked.compute.k == tile_q.k &&
    checked.compute.acc_continue == tile_q.mode.acc_continue && checked.compute.acc_keep == tile_q.mode.acc_keep &&
    checked.compute.empty == !gemm &&
    checked.load.first == tile_q.first && checked.load.after == (tile_q.first ? tile_q.mode.after : '0) &&
    checked.load.b_free == tile_q.mode.b_free && checked.load.k == tile_q.k &&
    checked.load.a.rows == tile_q.m && checked.load.a.addr == tile_q.a.addr &&
    checked.load.a.stride == tile_q.a.stride &&
    checked.load.b.rows == tile_q.n && checked.load.b.addr == tile_q.b.addr &&
    checked.load.b.stride == tile_q.b.stride &&
    checked.load.a.scale == tile_q.a.scale && checked.load.b.scale == tile_q.b.scale &&
    checked.load.bias == tile_q.finish.bias &&
    checked.load.c.m == tile_q.m && checked.load.c.n == tile_q.n && checked.load.c.addr == tile_q.c.addr &&
    checked.load.c.stride == tile_q.c.stride && checked.load.x.m == tile_q.m && checked.load.x.n == tile_q.n &&
    checked.load.x.addr == tile_q.a.addr && checked.load.x.stride == tile_q.a.stride;

  assign nothing_is_wanted =
    !checked.load.a.wanted && !checked.load.b.wanted && !checked.load.a.scale_wanted && !checked.load.b.scale_wanted &&
    !checked.load.bias_wanted && !checked.load.c_wanted && !checked.load.x_wanted;

  assign wants_what_it_needs =
    checked.load.a.wanted == (gemm && !tile_q.a.reuse) && checked.load.b.wanted == (gemm && !tile_q.b.reuse) &&
    checked.load.a.scale_wanted == (finishes && tile_q.a.scale_vec) &&
    checked.load.b.scale_wanted == (finishes && tile_q.b.scale_vec) &&
    checked.load.bias_wanted == (finishes && tile_q.finish.bias_en) && checked.load.c_wanted == c_en &&
    checked.load.x_wanted == !gemm && 32'(checked.load.row_beats) == row_beats &&
    32'(checked.load.row_words) == row_words && checked.compute.pass_shape == best.shape &&
    checked.store.pass_shape == best.shape && checked.load.c.pass_shape == best.shape &&
    checked.load.x.pass_shape == best.shape;

  function automatic logic settled(logic [3:0] after);
    return state == Offer || (state == Check && age_q >= after);
  endfunction

  // ---- properties -------------------------------------------------------------------------------
  always_comb begin
    if (rst_ni) begin
      abort_lasts : assume (!aborted_q || abort_i);
      no_row_commands : assume (tile_i.mode.op != OpRows);
      clears_when_idle : assume (!clear_i || (idle && !valid_i));

      one_at_a_time : assert (idle == !open_q && ready == (!open_q && !blocked_q));
      comes_in_time : assert (valid == (open_q && !abort_i && age_q >= latency));
      each_region_is_judged : assert (!open_q || !region.used || {1'b0, chosen} + 4'd5 <= latency);
      if (valid) begin
        error_is_the_first : assert (checked.store.error == verdict_q);
        has_its_fields : assert (fields_are_its_own);
        refused_without_work : assert (checked.store.error == ErrNone ? wants_what_it_needs : nothing_is_wanted);
      end

      // ---- what the induction needs
      state_is_known : assert (state == (blocked_q ? Blocked : !open_q ? Idle : age_q < latency ? Check : Offer));
      nothing_behind_a_failed_one : assert (!has_before_q || !failed_q || blocked_q || aborted_q);
      blocked_alone : assert (!blocked_q || !open_q);
      knows_the_one_before : assert (dut.before_q == left_operands &&
                                     dut.kept_q == (has_before_q && before_q.mode.acc_keep));
      knows_its_fields : assert (!has_before_q || (dut.left_q.m == before_q.m && dut.left_q.n == before_q.n &&
        dut.left_q.k == before_q.k && dut.left_q.a_fmt == code_fmt(before_q.a) &&
        dut.left_q.b_fmt == code_fmt(before_q.b) && dut.left_q.acc_fmt == before_q.mode.acc_fmt &&
        (failed_q || dut.left_q.pass_shape == before_shape_q) && !dut.left_q.mx &&
        !dut.left_q.depthwise && !dut.left_q.pairs &&
        dut.left_q.mx_first == '0));
      if (open_q) begin
        keeps_its_tile_command : assert (dut.cmd_q == tile_q && tile_q == offered_tile(tile_q, Built) &&
                                         tile_q.mode.op != OpRows);
        counts_cycles : assert (!there || dut.cycle_q == cycle);
        sizes_are_derived : assert (!settled(4'd1) || (32'(dut.row_words_q) == row_words &&
          32'(dut.row_beats_q) == row_beats && dut.a_row_words_q == dut.row_words_q &&
          (!sizes_legal || (4'(dut.a_tiles_q) == down && 4'(dut.b_tiles_q) == across))));
        sizes_are_judged : assert (!settled(4'd2) || dut.size_bad_q == !sizes_legal);
        words_are_counted : assert (!settled(4'd2) || !sizes_legal ||
          ((dut.a_words_q > BUF_BEATS) == too_many_words(down) &&
           (dut.b_words_q > BUF_BEATS) == too_many_words(across)));
        modes_are_judged : assert (!settled(4'd1) || (dut.mode_bad_q == mode_bad && dut.scale_exp_bad_q == exp_bad &&
          (finishes && (dut.scales_bad_q || dut.clamp_bad_q)) == scale_bad));
        if (there && sizes_legal) begin
          tries_shapes : assert (dut.try_q == (cycle >= 4'd2 && cycle <= 4'd4 && is_wanted(shape1[1:0])) &&
                                 (!dut.try_q || (dut.try_shape_q == pass_shape_e'(shape1[1:0]) &&
                                                 6'(dut.down_q) * 6'(dut.across_q) == passes_of(shape1[1:0]))));
          counts_passes : assert (dut.count_q == (cycle >= 4'd3 && cycle <= 4'd5 && is_wanted(shape2[1:0])) &&
                                  (!dut.count_q || (dut.count_shape_q == pass_shape_e'(shape2[1:0]) &&
                                                    6'(dut.passes_tried_q) == passes_of(shape2[1:0]))));
          keeps_the_best : assert (dut.found_q == tried.found && (!tried.found || (dut.shape_q == tried.shape &&
                                   dut.passes_q == passes_of(tried.shape))));
          selects_a_region : assert (!REGIONS || dut.select_q.used == (cycle >= 4'd1 && region1.used) &&
            (!dut.select_q.used || (dut.select_q.addr == region1.addr && dut.select_q.row_bytes == region1.bytes &&
                                    32'(dut.select_q.more_rows) == 32'(region1.rows_behind) &&
                                    (region1.rows_behind == '0 || dut.select_q.stride == region1.stride))));
          multiplies_its_rows : assert (!REGIONS || dut.span_used_q == (cycle >= 4'd2 && region2.used) &&
            (!dut.span_used_q || (dut.misaligned_q == align_bad(region2) &&
              place_t'(dut.row_end_q) + place_t'(dut.low_q) + (place_t'(dut.high_q) << (AddrW / 2)) ==
              end_of(region2))));
          alignment_so_far : assert (!REGIONS || dut.align_bad_q == align_found_q);
          range_so_far : assert (!REGIONS || dut.range_bad_q == range_found_q);
          adds_its_end : assert (!REGIONS || dut.end_used_q == (cycle >= 4'd3 && region3.used) &&
            (!dut.end_used_q || place_t'(dut.region_end) == end_of(region3)));
        end
        if (state == Offer) begin
          keeps_its_error : assert (dut.error_q == verdict_q && (verdict_q != ErrNone || !shape_bad));
          keeps_its_shape : assert (!sizes_legal || (dut.shape_q == best.shape && !dut.count_q));
        end
      end

      leaves_refused : cover (leaves && checked.store.error == ErrRange && !tile_q.range_bad &&
                              !range_bad(region_of(4'd0)));
      ends_at_the_last_address : cover (leaves && checked.store.error == ErrNone &&
                                        end_of(region_of(4'd2)) == place_t'(1) << AddrW);
      continues_what_was_left : cover (leaves && checked.store.error == ErrNone && tile_q.mode.acc_continue);
      reuses : cover (leaves && checked.store.error == ErrNone && tile_q.a.reuse);
      passes_a_gemm : cover (leaves && checked.store.error == ErrNone && !has_before_q && gemm);
    end
  end

endmodule
