// SPDX-License-Identifier: Apache-2.0
// fp8mac_operand_bound: beats leave one cycle later, unchanged but for the bytes behind a row's
// last code and for narrow codes, which keep their values. The bound is the largest exponent of
// the block's codes so far, computed from the formats' definitions. Words of an image's rows come
// between other beats. With GROUPS, words of a depthwise image go to any rows at once, and to the
// rows of a RAM in any turn; each row has a bound for each quad, or with pairs for each group.
// One block is followed.
module formal_operand_bound
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned BEAT  = 8,
  parameter int unsigned BLOCK = 32,
  parameter int unsigned ROWS  = 2,
  parameter int unsigned GROUPS = 1,
  parameter bit          PAIRS  = 1'b0  // all depthwise images have pairs, or none
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              valid_i,
  input read_dest_t        dest_i,
  input logic [ROWS-1:0]   rows_i,
  input dim_t [ROWS-1:0]   words_i,
  input logic              any_row_i,
  input logic [2:0]        any_group_i,
  input logic [1:0]        any_block_i,
  input logic [BEAT*8-1:0] data_i
);
  localparam int unsigned BlockWords = bound_block(BLOCK) / BEAT;
  localparam int unsigned Blocks     = 4;  // of depthwise rows, in a RAM

  logic              valid;
  read_dest_t        dest;
  logic [BEAT*8-1:0] data;
  logic [BoundW-1:0] bound;
  logic [ROWS-1:0]   rows;
  dim_t [ROWS-1:0]   words;
  logic [ROWS-1:0][GROUPS-1:0][BoundW-1:0] group_bound;

  fp8mac_operand_bound #(
    .BEAT(BEAT), .BLOCK(BLOCK), .ROWS(ROWS), .DEPTH(Blocks * BlockWords * GROUPS), .GROUPS(GROUPS)
  ) dut (
    .clk_i, .rst_ni, .valid_i, .dest_i, .data_i, .rows_i, .words_i, .valid_o(valid), .dest_o(dest), .data_o(data),
    .bound_o(bound), .rows_o(rows), .words_o(words), .group_bound_o(group_bound)
  );
  formal_reset u_reset (.clk_i, .rst_ni);

  // The exponent of a code's leading bit plus 16, with E5M2's or E4M3FN's bias; -1 if
  // there is no leading bit.
  function automatic int exponent_of(fp8_fmt_e fmt, logic [7:0] code);
    unique case (fmt)
      FmtE4m3fn:   if (code[6:0] == 7'h7f) return -1;
      FmtE5m2:     if (code[6:2] == 5'h1f) return -1;
      default:     if (code[6:0] == 7'h00) return -1;
    endcase
    if (fmt == FmtE4m3fn || fmt == FmtE4m3fnuz) begin
      if (code[6:3] != '0) return int'(code[6:3]) - 7 + 16;
      return code[2] ? 9 : code[1] ? 8 : code[0] ? 7 : -1;
    end
    if (code[6:2] != '0) return int'(code[6:2]) - 15 + 16;
    return code[1] ? 1 : code[0] ? 0 : -1;
  endfunction

  // The magnitude of a narrow code in units of 2^-4, of which all of them are whole numbers
  function automatic logic [8:0] narrow_units(narrow_fmt_e fmt, logic [7:0] code);
    unique case (fmt)
      NarrowE3m2fn: return (code[4:2] == '0) ? 9'(code[1:0]) : 9'({1'b1, code[1:0]}) << (code[4:2] - 3'd1);
      NarrowE2m3fn: return (code[4:3] == '0) ? 9'(code[2:0]) << 1 : 9'({1'b1, code[2:0]}) << code[4:3];
      default:      return (code[2:1] == '0) ? 9'(code[0]) << 3 : 9'({1'b1, code[0]}) << (3'(code[2:1]) + 3'd2);
    endcase
  endfunction

  // The magnitude of a finite e4m3fn code in units of 2^-9, of which all of them are whole numbers
  function automatic logic [17:0] e4m3fn_units(logic [7:0] code);
    return (code[6:3] == '0) ? 18'(code[2:0]) : 18'({1'b1, code[2:0]}) << (code[6:3] - 4'd1);
  endfunction

  function automatic logic same_value(narrow_fmt_e fmt, logic [7:0] narrow_code, logic [7:0] code);
    return code[7] == ((fmt inside {NarrowE3m2fn, NarrowE2m3fn}) ? narrow_code[5] : narrow_code[3]) &&
           code[6:0] != 7'h7f && e4m3fn_units(code) == 18'(narrow_units(fmt, narrow_code)) << 5;
  endfunction

  // ---- what came one cycle ago ------------------------------------------------------------------
  logic                 valid_q, is_operand;
  read_dest_t           dest_q;
  logic [BEAT-1:0][7:0] data_q, masked, expected;
  logic                 narrow, values_are_kept;
  int                   so_far_q [ROWS+1];  // of the block before this beat, for each source of beats
  int                   largest;            // with it

  assign is_operand = dest_q.kind == DestA || dest_q.kind == DestB || dest_q.kind == DestImage;

  // Rows of an image are a source each, and all other beats are one.
  localparam int unsigned SourceW = $clog2(ROWS + 1);
  function automatic logic [SourceW-1:0] source_of(read_dest_t of);
    return (of.kind == DestImage) ? SourceW'(of.ram) + SourceW'(1) : '0;
  endfunction

  logic [SourceW-1:0] source, next_source;  // of the beat of one cycle ago, and of the present one
  assign source      = source_of(dest_q);
  assign next_source = source_of(dest_i);

  assign narrow = is_operand && dest_q.fmt.narrow;

  always_comb begin
    values_are_kept = 1'b1;
    largest = (32'(dest_q.word) % BlockWords == 0) ? -1 : so_far_q[source];
    for (int unsigned i = 0; i < BEAT; i++) begin
      masked[i]   = (is_operand && dest_q.last && i > 32'(dest_q.last_byte)) ? '0 : data_q[i];
      expected[i] = narrow ? data[8*i+:8] : masked[i];
      if (narrow && !same_value(narrow_fmt_e'(dest_q.fmt.fmt), masked[i], expected[i])) values_are_kept = 1'b0;
      if (exponent_of(array_fmt(dest_q.fmt), expected[i]) > largest) begin
        largest = exponent_of(array_fmt(dest_q.fmt), expected[i]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni && valid_i;
    dest_q  <= dest_i;
    data_q  <= data_i;
    if (valid_q) so_far_q[source] <= largest;
  end

  // ---- a group of a block of a row, which the solver chooses ------------------------------------
  if (GROUPS > 1) begin : g_groups
    localparam int unsigned Codes = PAIRS ? BEAT / GROUPS : 2 * BEAT / GROUPS;  // that share a bound
    localparam int unsigned Words = bound_block(BLOCK) / Codes;
    logic            row;
    logic [2:0]      group;
    logic [1:0]      block;
    logic [ROWS-1:0] rows_q;
    dim_t [ROWS-1:0] words_q;
    logic            takes;
    int              group_so_far_q, group_largest;
    logic            known_q;  // the block has begun

    formal_const #(.WIDTH(6)) u_group (
      .clk_i, .any_i({any_row_i, any_group_i, any_block_i}), .const_o({row, group, block})
    );
    assign takes = valid_q && dest_q.depthwise && rows_q[row] && 32'(words_q[row]) / Words == 32'(block);

    always_comb begin
      group_largest = (32'(words_q[row]) % Words == 0) ? -1 : group_so_far_q;
      for (int unsigned i = 0; i < BEAT; i++) begin
        if (i / Codes == 32'(group) * (BEAT / GROUPS) / Codes &&
            exponent_of(array_fmt(dest_q.fmt), expected[i]) > group_largest) begin
          group_largest = exponent_of(array_fmt(dest_q.fmt), expected[i]);
        end
      end
    end

    always_ff @(posedge clk_i) begin
      rows_q  <= rows_i;
      words_q <= words_i;
      if (!rst_ni) known_q <= 1'b0;
      else if (takes) known_q <= 1'b1;
      if (takes) group_so_far_q <= group_largest;
    end

    for (genvar q = 0; q < int'(GROUPS); q++) begin : g_group
      for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
        always_comb begin
          if (rst_ni && 32'(group) == q && 32'(row) == r) begin
            pairs_or_not : assume (!valid_i || !dest_i.depthwise || dest_i.pairs == PAIRS);
            blocks_begin : assume (!takes || known_q || 32'(words_q[row]) % Words == 0);
            bound_of_its_group : assert (!takes || (rows[r] && words[r] == words_q[r] && (group_largest < 0
              ? group_bound[r][q] == BoundNone : 32'(group_bound[r][q]) == group_largest)));
            goes_to_its_rows : assert (!valid_q || (rows[r] == rows_q[r] && words[r] == words_q[r] &&
              32'(words_q[r]) < Blocks * Words));
            words_are_in_the_ram : assume (!valid_i || 32'(words_i[r]) < Blocks * Words);
            engine_knows_the_block : assert (!takes || !known_q || (group_so_far_q < 0
              ? !dut.g_bound.g_groups.block[r][q].any
              : dut.g_bound.g_groups.block[r][q].any &&
                32'(dut.g_bound.g_groups.block[r][q].bound) == group_so_far_q));
            bound_from_an_earlier_word : cover (takes && group_largest == group_so_far_q && group_so_far_q == 3 &&
              32'(words_q[row]) % Words == 2);
          end
        end
      end
    end
    for (genvar b = 0; b < int'(Blocks); b++) begin : g_block
      for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
        logic [GROUPS-1:0][BoundW:0] kept;
        assign kept = dut.g_bound.g_groups.g_blocks[r].u_blocks.word_q[b];
        always_comb begin
          if (rst_ni && 32'(block) == b && 32'(row) == r && 32'(group) < GROUPS) begin
            memory_has_the_block : assert (!known_q || (group_so_far_q < 0
              ? !kept[group][BoundW] : kept[group][BoundW] && 32'(kept[group][BoundW-1:0]) == group_so_far_q));
          end
        end
      end
    end
  end else begin : g_no_groups
    logic unused_groups;
    assign unused_groups = ^{any_row_i, any_group_i, any_block_i, rows, words, group_bound};
  end

  // A row begins with a block, and no beat of a block is left out.
  logic [ROWS:0] begun_q;
  dim_t [ROWS:0] next_word_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= '0;
    else if (valid_i) begun_q[next_source] <= 1'b1;
    if (valid_i) next_word_q[next_source] <= dest_i.word + dim_t'(1);
  end

  // Beats that have left the engine's first stage
  logic [ROWS:0] seen_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) seen_q <= '0;
    else if (valid_q) seen_q[source] <= 1'b1;
  end

  always_comb begin
    if (rst_ni) begin
      last_byte_is_in_the_beat : assume (32'(dest_i.last_byte) < BEAT);
      row_is_in_the_image : assume (dest_i.kind != DestImage || 32'(dest_i.ram) < ROWS);
      beats_follow : assume (!valid_i || 32'(dest_i.word) % BlockWords == 0 ||
        (begun_q[next_source] && dest_i.word == next_word_q[next_source]));

      leaves_a_cycle_later : assert (valid == valid_q && (!valid || dest == dest_q));
      bytes_behind_are_zero : assert (!valid || data == expected);
      narrow_codes_keep_their_values : assert (!valid || values_are_kept);
      bound_is_the_largest : assert (!valid || (largest < 0 ? bound == BoundNone : 32'(bound) == largest));

      row_is_known : assert (!valid_q || dest_q.kind != DestImage || 32'(dest_q.ram) < ROWS);
      begun_is_known : assert (!valid_q || begun_q[source]);
      word_is_known : assert (!valid_q || next_word_q[source] == dest_q.word + dim_t'(1));
      seen_before : assert (!(valid_q && 32'(dest_q.word) % BlockWords != 0) || seen_q[source]);
      largest_from_an_earlier_beat : cover (valid && dest.last && !dest.fmt.narrow && dest.fmt.fmt == FmtE5m2 &&
                                            bound == 6'd1 &&
                                            so_far_q[0] == 1 && 32'(dest.word) % BlockWords == 1 && data != '0);
      none : cover (valid && is_operand && bound == BoundNone && data_q != '0);
    end
  end

  for (genvar s = 0; s <= int'(ROWS); s++) begin : g_source
    always_comb begin
      if (rst_ni) begin
        all_are_seen : assert (begun_q[s] == (seen_q[s] || (valid_q && int'(source) == s)));
        engine_knows_the_largest : assert (!seen_q[s] ||
          (so_far_q[s] < 0 ? !dut.g_bound.so_far_valid_q[s]
                           : dut.g_bound.so_far_valid_q[s] && 32'(dut.g_bound.so_far_q[s]) == so_far_q[s]));
      end
    end
  end

endmodule
