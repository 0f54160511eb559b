// SPDX-License-Identifier: Apache-2.0
// The stage of the load path between the read DMA and the memories. Beats leave it one cycle after
// they came. In the last beat of an operand's row, the bytes behind the row's last code become
// 0x00, which is +0 in every format. Narrow codes leave as e4m3fn codes of the same value.
//
// Each beat of an operand leaves with the bound of its block, as far as the block has come. The
// bound is the largest exponent of the finite codes that are not zero, normalised, plus BoundBias;
// BoundNone if there are none.
//
// A word of a depthwise command's image goes to several rows, and has a bound for each of its
// groups, half a quad: of the same quad of the words of a block of the row, or with pairs, of the
// same group of the words of a block, twice as many.
//
// The beats of a block come one after the other. Words of an image operand (DestImage) may come in
// between, where one instance has both, and are in order for each row RAM. A row begins with a
// block. Words of a depthwise command's image are in order for each row, and may go to several rows
// of a RAM in turn: a memory for each RAM has the bounds of its blocks so far.
module fp8mac_operand_bound
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned BEAT   = 16,
  parameter int unsigned BLOCK  = 32,   // products that join an accumulator together
  parameter int unsigned ROWS   = 4,    // row RAMs that image operands have
  parameter bit          BOUNDS = 1'b1, // 0: no bounds, bound_o is 0
  parameter bit          NARROW = 1'b1, // 0: no narrow codes come
  parameter int unsigned DEPTH  = 256,  // words of a row RAM
  parameter int unsigned GROUPS = 1     // of a beat of a depthwise command's image; 1: there are no such commands
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              valid_i,
  input  read_dest_t        dest_i,
  input  logic [BEAT*8-1:0] data_i,
  input  logic [ROWS-1:0]   rows_i,   // of an image: those that take the word, and where
  input  dim_t [ROWS-1:0]   words_i,

  output logic              valid_o,
  output read_dest_t        dest_o,
  output logic [BEAT*8-1:0] data_o,
  output logic [BoundW-1:0] bound_o,
  output logic [ROWS-1:0]   rows_o,
  output dim_t [ROWS-1:0]   words_o,
  output logic [ROWS-1:0][GROUPS-1:0][BoundW-1:0] group_bound_o  // of a depthwise command's image
);
  localparam int unsigned BlockWords = bound_block(BLOCK) / BEAT;
  localparam int unsigned SourceW    = $clog2(ROWS + 1);

  // ---- the cycle of the beat: mask and decode ---------------------------------------------------
  logic                 operand;
  logic [BEAT-1:0][7:0] code;

  assign operand = dest_i.kind == DestA || dest_i.kind == DestB || dest_i.kind == DestImage;
  assign code    = data_i;

  logic [BEAT-1:0][7:0] masked, widened, taken;
  always_comb begin
    for (int unsigned i = 0; i < BEAT; i++) begin
      masked[i] = (operand && dest_i.last && 5'(i) > dest_i.last_byte) ? '0 : code[i];
    end
  end
  assign taken = (NARROW && operand && dest_i.fmt.narrow) ? widened : masked;

  for (genvar i = 0; i < int'(BEAT); i++) begin : g_narrow
    if (NARROW) begin : g_code
      fp8mac_narrow_code u_code (.code_i(masked[i]), .fmt_i(narrow_fmt_e'(dest_i.fmt.fmt)), .code_o(widened[i]));
    end else begin : g_none
      assign widened[i] = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_i;
    dest_o <= dest_i;
    data_o <= taken;
    rows_o <= rows_i;
    words_o <= words_i;
  end

  // ---- the next cycle: the largest exponent of this beat and of the block's beats before it -----
  if (BOUNDS) begin : g_bound
    logic [BEAT-1:0]             counts_q;
    logic [BEAT-1:0][BoundW-1:0] bound_q;
    logic                        so_far_valid, first, any;
    logic [BoundW-1:0]           so_far, largest;
    // One of the beats; one of each row of an image
    logic [ROWS:0]               so_far_valid_q;
    logic [ROWS:0][BoundW-1:0]   so_far_q;
    logic [SourceW-1:0]          source;

    assign source       = (dest_o.kind == DestImage) ? SourceW'(dest_o.ram) + SourceW'(1) : '0;
    assign so_far       = so_far_q[source];
    assign so_far_valid = so_far_valid_q[source];

    for (genvar i = 0; i < int'(BEAT); i++) begin : g_code
      operand_t decoded;
      leading_t normalised;

      fp8mac_decode u_decode (.code_i(taken[i]), .fmt_i(array_fmt(dest_i.fmt)), .operand_o(decoded));
      assign normalised = leading(decoded.exp, decoded.sig);
      always_ff @(posedge clk_i) begin
        counts_q[i] <= decoded.sig != '0;  // 0 for zero, Inf and NaN
        bound_q[i]  <= normalised.top - BoundW'(TopOffset - 1);  // BoundBias counts from E5M2's smallest subnormal
      end

      logic unused_decoded;
      assign unused_decoded = ^{decoded.sign, decoded.zero, decoded.is_inf, decoded.nan, normalised.frac};
    end

    assign first = (dest_o.word & dim_t'(BlockWords - 1)) == '0;

    fp8mac_maximum #(.COUNT(BEAT + 1), .W(BoundW)) u_maximum (
      .value_i({so_far, bound_q}), .valid_i({so_far_valid && !first, counts_q}), .maximum_o(largest), .any_o(any)
    );
    assign bound_o = any ? largest : BoundNone;

    always_ff @(posedge clk_i) begin
      if (valid_o) begin
        so_far_q[source]       <= largest;
        so_far_valid_q[source] <= any;
      end
    end

    // Each row has a block of each group.
    if (GROUPS > 1) begin : g_groups
      localparam int unsigned GroupCodes = BEAT / GROUPS;
      localparam int unsigned GroupBlock = bound_block(BLOCK) / GroupCodes;  // words of a block with pairs
      localparam int unsigned QuadBlock  = GroupBlock / 2;                   // without
      localparam int unsigned BlockIdxW  = (DEPTH > QuadBlock) ? $clog2(DEPTH / QuadBlock) : 1;

      typedef struct packed {
        logic              any;   // it has a code that counts
        logic [BoundW-1:0] bound;
      } group_block_t;

      group_block_t [ROWS-1:0][GROUPS-1:0] block, block_after;  // before the word, and with it
      logic [ROWS-1:0]              begins;                   // the word is the first one of its block
      logic [GROUPS-1:0]             any_of_word;
      logic [GROUPS-1:0][BoundW-1:0] of_word;

      for (genvar g = 0; g < int'(GROUPS); g++) begin : g_group
        fp8mac_maximum #(.COUNT(GroupCodes), .W(BoundW)) u_maximum (
          .value_i(bound_q[g*GroupCodes +: GroupCodes]), .valid_i(counts_q[g*GroupCodes +: GroupCodes]),
          .maximum_o(of_word[g]), .any_o(any_of_word[g])
        );
        for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
          logic              group_any;
          logic [BoundW-1:0] group_largest;

          // Without pairs, both groups of a quad have the bound of the quad.
          fp8mac_maximum #(.COUNT(3), .W(BoundW)) u_maximum (
            .value_i({block[r][g].bound, of_word[g], of_word[g ^ 1]}),
            .valid_i({block[r][g].any && !begins[r], any_of_word[g], any_of_word[g ^ 1] && !dest_o.pairs}),
            .maximum_o(group_largest), .any_o(group_any)
          );
          assign block_after[r][g]   = '{any: group_any, bound: group_largest};
          assign group_bound_o[r][g] = group_any ? group_largest : BoundNone;
        end
      end

      function automatic logic [BlockIdxW-1:0] block_at(dim_t word, logic pairs);
        return BlockIdxW'(word >> $clog2(QuadBlock) >> pairs);
      endfunction

      // The block of the word that comes is read while that of the word before is written.
      for (genvar r = 0; r < int'(ROWS); r++) begin : g_blocks
        logic                    read, write, again_q;  // again_q: the block is that of the word before
        logic [BlockIdxW-1:0]    read_at, write_at;
        group_block_t [GROUPS-1:0] kept, last_q;

        assign read      = valid_i && dest_i.depthwise && rows_i[r];
        assign write     = valid_o && dest_o.depthwise && rows_o[r];
        assign read_at   = block_at(words_i[r], dest_i.pairs);
        assign write_at  = block_at(words_o[r], dest_o.pairs);
        assign begins[r] = (words_o[r] & (dest_o.pairs ? dim_t'(GroupBlock - 1) : dim_t'(QuadBlock - 1))) == '0;
        assign block[r]  = again_q ? last_q : kept;

        always_ff @(posedge clk_i) begin
          again_q <= write && read_at == write_at;
          last_q  <= block_after[r];
        end

        fp8mac_two_port_ram #(.DEPTH(DEPTH / QuadBlock), .WIDTH($bits(block_after[r]))) u_blocks (
          .clk_i, .write_i(write), .write_address_i(write_at), .write_data_i(block_after[r]), .read_i(read),
          .read_address_i(read_at), .read_data_o(kept)
        );
      end
    end else begin : g_no_groups
      assign group_bound_o = '0;
    end
  end else begin : g_no_bound
    assign bound_o = '0;
    assign group_bound_o = '0;
  end

  if (bound_block(BLOCK) % BEAT != 0) begin : g_check_beat
    $error("a beat must be a whole part of bound_block(BLOCK) bytes");
  end

  bytes_are_in_the_beat : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(valid_i && operand) || 32'(dest_i.last_byte) < BEAT);

endmodule
