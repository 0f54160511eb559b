// SPDX-License-Identifier: Apache-2.0
// fp8mac_operand_buffer: any word of any row RAM and half holds what was last written to it. A read gives the requested
// group of the word, in the next cycle and until the next read.
module formal_operand_buffer #(
  parameter int unsigned RAMS = 2,
  parameter int unsigned LANES = 2,
  parameter int unsigned BEAT  = 4,
  parameter int unsigned DEPTH = 4,
  localparam int unsigned WordW  = $clog2(DEPTH),
  localparam int unsigned RamW  = $clog2(RAMS),
  localparam int unsigned Groups = BEAT / LANES,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1,
  localparam int unsigned PlaceW = RamW + 1 + WordW
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              write_i,
  input logic              write_half_i,
  input logic [RamW-1:0]  write_ram_i,
  input logic [WordW-1:0]  write_word_i,
  input logic [BEAT*8-1:0] write_data_i,
  input logic              read_i,
  input logic              read_half_i,
  input logic [WordW-1:0]  read_word_i,
  input logic [GroupW-1:0] read_group_i,
  input logic [PlaceW-1:0] place_i
);
  localparam int unsigned GroupBits = LANES * 8;

  logic [RAMS-1:0][GroupBits-1:0] read_data;

  fp8mac_operand_buffer #(.RAMS(RAMS), .LANES(LANES), .BEAT(BEAT), .DEPTH(DEPTH)) dut (
    .clk_i, .write_i, .write_half_i, .write_ram_i, .write_word_i, .write_data_i, .read_i, .read_half_i, .read_word_i,
    .read_group_i, .read_data_o(read_data)
  );

  // The word that the solver chooses
  logic [RamW-1:0] ram;
  logic             half;
  logic [WordW-1:0] word;
  formal_const #(.WIDTH(PlaceW)) u_compare (.clk_i, .any_i(place_i), .const_o({ram, half, word}));
  formal_reset u_reset (.clk_i, .rst_ni);

  logic                 written_q, shown_q;
  logic [BEAT*8-1:0]    word_q;
  logic [GroupBits-1:0] expected_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q <= 1'b0;
      shown_q   <= 1'b0;
    end else begin
      if (write_i && {write_ram_i, write_half_i, write_word_i} == {ram, half, word}) begin
        written_q <= 1'b1;
        word_q    <= write_data_i;
      end
      if (read_i) begin
        shown_q    <= written_q && {read_half_i, read_word_i} == {half, word};
        expected_q <= GroupBits'(word_q >> (32'(read_group_i) * GroupBits));
      end
    end
  end

  for (genvar b = 0; b < int'(RAMS); b++) begin : g_ram
    always_comb begin
      if (rst_ni && ram == RamW'(b)) begin
        keeps_its_word : assert (!written_q || dut.g_ram[b].mem_q[{half, word}] == word_q);
        read_gives_the_group : assert (!shown_q || read_data[b] == expected_q);
        reads_what_was_written : cover (shown_q && expected_q == GroupBits'(32'h5a3c_96c3 >> b));
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      group_exists : assume (32'(read_group_i) < Groups);
      in_one_cycle : cover (shown_q && write_i && {write_ram_i, write_half_i, write_word_i} == {ram, half, word} &&
                            read_i && {read_half_i, read_word_i} == {half, word});
    end
  end

endmodule
