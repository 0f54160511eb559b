// SPDX-License-Identifier: Apache-2.0
// fp8mac_quad_buffer: a group that is read is the one that was last written to its place,
// whether rows are read as words, as the quads of pixels, or with pairs as their groups, and so
// is the bound of its block.
module formal_quad_buffer #(
  parameter int unsigned RAMS        = 2,
  parameter int unsigned BEAT        = 4,
  parameter int unsigned DEPTH       = 8,
  parameter int unsigned GROUPS      = 4,
  parameter int unsigned BLOCK_BEATS = 2,
  localparam int unsigned BoundW    = 3,
  localparam int unsigned BeatW     = $clog2(DEPTH),
  localparam int unsigned RamW      = $clog2(RAMS),
  localparam int unsigned GroupW    = $clog2(GROUPS),
  localparam int unsigned GroupBits = BEAT * 8 / GROUPS,
  localparam int unsigned PlaceW    = RamW + 1 + BeatW + GroupW + 2
) (
  input logic                                    clk_i,
  input logic                                    rst_ni,
  input logic [RAMS-1:0]                         write_i,
  input logic                                    write_half_i,
  input logic [RAMS-1:0][BeatW-1:0]              write_beat_i,
  input logic [BEAT*8-1:0]                       write_data_i,
  input logic                                    write_depthwise_i,
  input logic                                    write_pairs_i,
  input logic [BoundW-1:0]                       write_bound_i,
  input logic [RAMS-1:0][GROUPS-1:0][BoundW-1:0] write_group_bound_i,
  input logic                                    read_i,
  input logic                                    read_half_i,
  input logic [BeatW-1:0]                        read_word_i,
  input logic                                    read_depthwise_i,
  input logic                                    read_pairs_i,
  input logic [GroupW-1:0]                       read_group_i,
  input logic [PlaceW-1:0]                       place_i
);
  logic [RAMS-1:0][BEAT-1:0][7:0] read_data;
  logic [RAMS-1:0][BoundW-1:0]    read_bound;

  fp8mac_quad_buffer #(
    .RAMS(RAMS), .BEAT(BEAT), .DEPTH(DEPTH), .GROUPS(GROUPS), .BLOCK_BEATS(BLOCK_BEATS), .BOUND_W(BoundW)
  ) dut (
    .clk_i, .rst_ni, .write_i, .write_half_i, .write_beat_i, .write_data_i, .write_depthwise_i, .write_pairs_i,
    .write_bound_i, .write_group_bound_i, .read_i, .read_half_i, .read_word_i, .read_depthwise_i, .read_pairs_i,
    .read_group_i,
    .read_data_o(read_data), .read_bound_o(read_bound)
  );

  // A group of a beat that the solver chooses, of a depthwise row, with or without
  // pairs, or of another one
  logic [RamW-1:0]  ram;
  logic             half, pixel, pairs;
  logic [BeatW-1:0] beat;
  logic [GroupW-1:0] group;
  formal_const #(.WIDTH(PlaceW)) u_place (.clk_i, .any_i(place_i), .const_o({ram, half, beat, group, pixel, pairs}));
  formal_reset u_reset (.clk_i, .rst_ni);

  // The block of its bound, counted in beats of its kind of row
  function automatic logic [31:0] block_of(logic [BeatW-1:0] of_beat);
    return 32'(of_beat) / (!pixel ? BLOCK_BEATS : pairs ? BLOCK_BEATS * GROUPS : BLOCK_BEATS * GROUPS / 2);
  endfunction

  // The banks of the group and of the bound
  logic [GroupW-1:0] bank, bound_bank;
  assign bank       = !pixel ? group : pairs ? GroupW'(beat) + group : GroupW'({beat, 1'b0}) + group;
  assign bound_bank = !pixel ? GroupW'(block_of(beat)) : pairs ? group : {group[GroupW-1:1], 1'(block_of(beat))};

  // A write to the half is of the other kind, so what it had counts no more.
  logic to_ram, written_q, bound_written_q, shown_q, bound_shown_q;
  logic [GroupBits-1:0] value_q, expected_q;
  logic [BoundW-1:0]   bound_q, expected_bound_q;
  logic [GroupW-1:0]   lane_q;  // the group of lanes in which it is read

  assign to_ram = write_i[ram] && write_half_i == half;

  logic reads_it, reads_its_block;
  logic reads_its_kind, reads_its_group, writes_its_kind;
  assign reads_its_kind  = read_depthwise_i == pixel && (!pixel || read_pairs_i == pairs);
  assign writes_its_kind = write_depthwise_i == pixel && (!pixel || write_pairs_i == pairs);
  assign reads_its_group = pairs ? read_group_i == group : read_group_i / 2 == group / 2;
  assign reads_it = read_i && read_half_i == half && reads_its_kind &&
                    (!pixel ? read_word_i == beat :
                     reads_its_group && (pairs ? read_word_i / GROUPS == beat / GROUPS :
                                                 read_word_i / (GROUPS / 2) == beat / (GROUPS / 2)));
  assign reads_its_block = read_i && read_half_i == half && reads_its_kind &&
                           block_of(read_word_i) == block_of(beat) && (!pixel || reads_its_group);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q       <= 1'b0;
      bound_written_q <= 1'b0;
      shown_q         <= 1'b0;
      bound_shown_q   <= 1'b0;
    end else begin
      if (to_ram && !writes_its_kind) begin
        written_q       <= 1'b0;
        bound_written_q <= 1'b0;
      end else if (to_ram) begin
        if (write_beat_i[ram] == beat) begin
          written_q <= 1'b1;
          value_q   <= GroupBits'(write_data_i >> (GroupBits * group));
        end
        if (block_of(write_beat_i[ram]) == block_of(beat)) begin
          bound_written_q <= 1'b1;
          bound_q         <= pixel ? write_group_bound_i[ram][bound_bank] : write_bound_i;
        end
      end
      if (read_i) begin
        shown_q          <= written_q && reads_it;
        expected_q       <= value_q;
        lane_q           <= bank;
        bound_shown_q    <= bound_written_q && reads_its_block;
        expected_bound_q <= bound_q;
      end
    end
  end

  for (genvar b = 0; b < int'(RAMS); b++) begin : g_ram
    for (genvar h = 0; h < 2; h++) begin : g_half
      for (genvar k = 0; k < int'(GROUPS); k++) begin : g_bank
        always_comb begin
          if (rst_ni && ram == RamW'(b) && half == 1'(h)) begin
            keeps_its_group : assert (!written_q || bank != GroupW'(k) ||
              dut.g_ram[b].g_bank[k].g_half[h].g_part[0].u_words.mem_q[beat] == value_q);
            keeps_its_bound : assert (!bound_written_q || bound_bank != GroupW'(k) ||
              dut.g_ram[b].g_bank[k].g_half[h].g_bound.u_bounds.mem_q[32'(beat) / (BLOCK_BEATS * GROUPS)] == bound_q);
          end
        end
      end
    end
    always_comb begin
      if (rst_ni && ram == RamW'(b)) begin
        read_gives_the_group : assert (!shown_q ||
          read_data[b][BEAT / GROUPS * lane_q +: BEAT / GROUPS] == expected_q);
        read_gives_the_bound : assert (!bound_shown_q || read_bound[b] == expected_bound_q);
        pixels_are_read : cover (shown_q && bound_shown_q && pixel && !pairs && group == '1 && beat[0] &&
          expected_q == 8'h5a);
        pairs_are_read : cover (shown_q && bound_shown_q && pixel && pairs && group == '1 && beat[1] &&
          expected_q == 8'h5a);
      end
    end
  end

  always_comb begin
    quads_begin_with_even_groups : assume (!read_i || !read_depthwise_i || read_pairs_i || !read_group_i[0]);
    halves_are_apart : assume (!(write_i != '0 && read_i && write_half_i == read_half_i));
  end

endmodule
