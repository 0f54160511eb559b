// SPDX-License-Identifier: Apache-2.0
// An operand buffer (fp8mac_operand_buffer) for A that takes the pixels of depthwise commands, too.
// A beat has GROUPS groups of codes; each row RAM is divided into as many banks, and a bank has a
// group of each beat. Two groups are a quad. A step has LANES = PARTS * BEAT lanes. If PARTS is
// above 1, each half has that many of what follows, side by side: one beat of a word, or in a
// depthwise command one after the other the pixels that a beat's lanes take.
//
// The words of a depthwise row's pixels are rotated: by p groups that of pixel p with pairs, by 2 *
// p without. So the same group of GROUPS pixels, or the same quad of GROUPS / 2, lies in different
// banks. A read with read_depthwise_i and read_pairs_i gives group read_group_i of the pixels
// read_word_i .. read_word_i + GROUPS - 1 of each part. Without pairs it gives the groups
// read_group_i, which is even, and read_group_i + 1 of half as many pixels. With four groups and
// pairs:
//
//   word   bank 0   bank 1   bank 2   bank 3           group g of pixel p is p.g
//     0      0.0      0.1      0.2      0.3
//     1      1.3      1.0      1.1      1.2            group 1 of pixels 0 to 3: bank s has that of pixel s - 1,
//     2      2.2      2.3      2.0      2.1            so the lanes are 3.1 0.1 1.1 2.1
//     3      3.1      3.2      3.3      3.0
//
// A word may be written to several row RAMs at once, at an address of its own in each. A block of
// codes has one bound: of neighbouring words or, with depthwise, of one quad of GROUPS / 2 times as
// many, with pairs of one group of GROUPS times as many. So bounds have banks, too. Bound b of a
// row's blocks lies in bank b % GROUPS, with pairs that of group g in bank g, and of depthwise rows
// without pairs that of quad q in bank 2 * q or 2 * q + 1, as the block's number is even or odd.
module fp8mac_quad_buffer #(
  parameter int unsigned RAMS        = 4,
  parameter int unsigned BEAT        = 16,
  parameter int unsigned PARTS       = 1,     // beats of a word
  parameter int unsigned DEPTH       = 256,   // beats
  parameter int unsigned GROUPS      = 8,     // 4 to 16
  parameter bit          BOUNDS      = 1'b1,
  parameter int unsigned BLOCK_BEATS = 2,     // beats of a block that has a bound
  parameter int unsigned BOUND_W     = 6,
  localparam int unsigned BeatW = $clog2(DEPTH),
  localparam int unsigned WordW = $clog2(DEPTH / PARTS),
  localparam int unsigned GroupW = $clog2(GROUPS)
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,  // of an assertion alone

  input  logic [RAMS-1:0]                         write_i,
  input  logic                                    write_half_i,
  input  logic [RAMS-1:0][BeatW-1:0]              write_beat_i,
  input  logic [BEAT*8-1:0]                       write_data_i,
  input  logic                                    write_depthwise_i,
  input  logic                                    write_pairs_i,      // with write_depthwise_i alone
  input  logic [BOUND_W-1:0]                      write_bound_i,
  input  logic [RAMS-1:0][GROUPS-1:0][BOUND_W-1:0] write_group_bound_i,  // with write_depthwise_i, else write_bound_i

  input  logic                                    read_i,
  input  logic                                    read_half_i,
  input  logic [WordW-1:0]                        read_word_i,
  input  logic                                    read_depthwise_i,
  input  logic                                    read_pairs_i,       // with read_depthwise_i alone
  input  logic [GroupW-1:0]                       read_group_i,
  output logic [RAMS-1:0][PARTS*BEAT-1:0][7:0]    read_data_o,
  output logic [RAMS-1:0][BOUND_W-1:0]            read_bound_o
);
  localparam int unsigned BankBits  = BEAT * 8 / GROUPS;
  localparam int unsigned QuadW     = GroupW - 1;
  localparam int unsigned PartLog   = $clog2(PARTS);
  localparam int unsigned PartW     = (PARTS > 1) ? PartLog : 1;
  localparam int unsigned BlockLog  = $clog2(BLOCK_BEATS);
  localparam int unsigned Blocks    = DEPTH / BLOCK_BEATS;
  localparam int unsigned BankBlocks = Blocks / GROUPS;
  localparam int unsigned BlockIdxW = (BankBlocks > 1) ? $clog2(BankBlocks) : 1;

  logic             half_q;  // of the last read
  logic [GroupW-1:0] bound_q; // the bank of its bound
  logic [BeatW-1:0]  read_beat;

  assign read_beat = BeatW'(read_word_i) << PartLog;

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      half_q  <= read_half_i;
      bound_q <= !read_depthwise_i ? GroupW'(read_beat >> BlockLog) :
                 read_pairs_i ? read_group_i : {read_group_i[GroupW-1:1], read_beat[BlockLog + QuadW]};
    end
  end

  for (genvar ram = 0; ram < int'(RAMS); ram++) begin : g_ram
    logic [1:0][PARTS-1:0][GROUPS-1:0][BankBits-1:0] word;
    logic [1:0][GROUPS-1:0][BOUND_W-1:0]  bound;
    logic [GROUPS-1:0][BankBits-1:0]      data;     // in its banks
    logic [GroupW-1:0]                   rotation;
    logic [PartW-1:0]                    write_part;
    logic [WordW-1:0]                    write_word;

    // Of a depthwise row, | .. | part | pixel |, and else | .. | part |
    always_comb begin
      write_part = PartW'(write_beat_i[ram]);
      write_word = WordW'(write_beat_i[ram] >> PartLog);
      if (write_depthwise_i && write_pairs_i) begin
        write_part = PartW'(write_beat_i[ram] >> GroupW);
        write_word = WordW'({write_beat_i[ram] >> (GroupW + PartLog), write_beat_i[ram][GroupW-1:0]});
      end else if (write_depthwise_i) begin
        write_part = PartW'(write_beat_i[ram] >> QuadW);
        write_word = WordW'({write_beat_i[ram] >> (QuadW + PartLog), write_beat_i[ram][QuadW-1:0]});
      end
    end

    assign rotation = !write_depthwise_i ? '0 :
                      write_pairs_i ? GroupW'(write_beat_i[ram]) : {QuadW'(write_beat_i[ram]), 1'b0};

    if (PARTS == 1) begin : g_one_part
      logic unused;
      assign unused = ^write_part;
    end

    for (genvar bank = 0; bank < int'(GROUPS); bank++) begin : g_bank
      logic [GroupW-1:0] group, pixel;
      logic [WordW-1:0]  pixel_word;
      assign group      = GroupW'(bank) - rotation;
      assign pixel      = GroupW'(bank) - read_group_i;
      assign pixel_word = read_pairs_i ? {read_word_i[WordW-1:GroupW], pixel} :
                                         {read_word_i[WordW-1:QuadW], pixel[GroupW-1:1]};
      assign data[bank] = write_data_i[BankBits*group +: BankBits];

      for (genvar half = 0; half < 2; half++) begin : g_half
        logic             write, read;
        logic [WordW-1:0] addr;

        assign write = write_i[ram] && write_half_i == 1'(half);
        assign read  = read_i && read_half_i == 1'(half);
        assign addr  = !read ? write_word : read_depthwise_i ? pixel_word : read_word_i;

        for (genvar p = 0; p < int'(PARTS); p++) begin : g_part
          logic takes;
          assign takes = write && (PARTS == 1 || write_part == PartW'(p));
          fp8mac_ram #(.WIDTH(BankBits), .DEPTH(DEPTH / PARTS)) u_words (
            .clk_i, .en_i(read || takes), .write_i(takes), .addr_i(addr), .data_i(data[bank]),
            .data_o(word[half][p][bank])
          );
        end

        if (BOUNDS) begin : g_bound
          logic write_bound;
          // The number of a quad's block is odd or even as the bank is.
          assign write_bound = write &&
            (!write_depthwise_i ? GroupW'(write_beat_i[ram] >> BlockLog) == GroupW'(bank) :
                                  write_pairs_i || write_beat_i[ram][BlockLog + QuadW] == 1'(bank));
          fp8mac_ram #(.WIDTH(BOUND_W), .DEPTH(BankBlocks)) u_bounds (
            .clk_i, .en_i(read || write_bound), .write_i(write_bound),
            .addr_i(BlockIdxW'((read ? read_beat : write_beat_i[ram]) >> (BlockLog + GroupW))),
            .data_i(write_depthwise_i ? write_group_bound_i[ram][bank] : write_bound_i), .data_o(bound[half][bank])
          );
        end else begin : g_no_bound
          assign bound[half][bank] = '0;
        end
      end
    end

    assign read_data_o[ram]  = word[half_q];
    assign read_bound_o[ram] = bound[half_q][bound_q];
  end

  if (!BOUNDS) begin : g_unused
    logic unused_bound;
    assign unused_bound = ^{write_bound_i, write_group_bound_i};
  end

  if ((1 << BeatW) != DEPTH || Blocks % GROUPS != 0 || (1 << GroupW) != GROUPS || GROUPS < 4) begin : g_depth
    $error("DEPTH and GROUPS must be powers of two, and DEPTH a multiple of GROUPS blocks");
  end

  halves_apart : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(write_i != '0 && read_i && write_half_i == read_half_i));

endmodule
