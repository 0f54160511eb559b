// SPDX-License-Identifier: Apache-2.0
// fp8mac_pack: every input byte leaves exactly once, unchanged, at its place in its own row's beat. No other byte is
// enabled. The solver chooses one byte position of the beat, which is followed through all rows.
module formal_pack #(
  parameter int unsigned WIDTH = 4,
  parameter int unsigned BEAT  = 16,
  localparam int unsigned PosW = $clog2(BEAT)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   valid_i,
  input logic [WIDTH-1:0]       en_i,
  input logic [WIDTH-1:0][31:0] code_i,
  input logic [PosW-1:0]        pos_i,
  input logic [1:0]             size_i,
  input logic                   final_i,
  input logic                   beat_ready_i,
  input logic [PosW-1:0]        byte_i
);
  logic                 ready, beat_valid, moves, leaves;
  logic [BEAT-1:0][7:0] beat_data;
  logic [BEAT-1:0]      beat_strb;

  fp8mac_pack #(.WIDTH(WIDTH), .BEAT(BEAT)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .en_i, .code_i, .pos_i, .size_i, .final_i, .beat_valid_o(beat_valid),
    .beat_data_o(beat_data), .beat_strb_o(beat_strb), .beat_ready_i
  );

  logic [PosW-1:0] place;
  formal_const #(.WIDTH(PosW)) u_byte (.clk_i, .any_i(byte_i), .const_o(place));
  formal_reset u_reset (.clk_i, .rst_ni);

  assign moves  = valid_i && ready;
  assign leaves = beat_valid && beat_ready_i;

  // ---- how it is used: transfers of a row follow each other without gaps -------------------------------------------
  logic            in_row_q;       // a row has begun, and its last transfer has not come
  logic [PosW-1:0] next_pos_q;
  logic [1:0]      size_q;
  logic [PosW:0]   end_pos;        // of this transfer

  assign end_pos = (PosW+1)'(pos_i) + ((PosW+1)'(WIDTH) << size_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) in_row_q <= 1'b0;
    else if (moves) in_row_q <= !final_i;
    if (moves) begin
      next_pos_q <= PosW'(end_pos);
      size_q     <= size_i;
    end
  end

  always_comb begin
    if (rst_ni && valid_i) begin
      codes_have_1_2_or_4_bytes : assume (size_i <= 2'd2);
      lies_in_one_beat : assume (end_pos <= (PosW+1)'(BEAT));
      starts_at_its_own_size : assume ((32'(pos_i) & ((WIDTH << size_i) - 1)) == 0);
      follows : assume (!in_row_q || (pos_i == next_pos_q && size_i == size_q));
    end
  end

  // ---- the byte ----------------------------------------------------------------------------------------------------
  logic       given, waits_q;   // this transfer gives the byte; an earlier one has given it
  logic [7:0] value, value_q;
  logic [PosW-1:0] offset, which;

  assign offset = place - pos_i;
  assign which  = offset >> size_i;

  always_comb begin
    given = 1'b0;
    value = '0;
    for (int unsigned w = 0; w < WIDTH; w++) begin
      if (place >= pos_i && 32'(which) == w && en_i[w]) begin
        given = 1'b1;
        value = 8'(code_i[w] >> {offset & PosW'((1 << size_i) - 1), 3'b000});
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (moves && leaves)) waits_q <= 1'b0;
    else if (moves) waits_q <= waits_q || given;
    if (moves && given) value_q <= value;
  end

  always_comb begin
    if (rst_ni) begin
      takes_when_the_bus_does : assert (ready == beat_ready_i);
      leaves_when_complete : assert (beat_valid == (valid_i && (final_i || end_pos == (PosW+1)'(BEAT))));
      if (beat_valid) begin
        enabled_if_given : assert (beat_strb[place] == (waits_q || given));
        unchanged : assert (!beat_strb[place] || beat_data[place] == (given ? value : value_q));
      end
      not_given_twice : assert (!(valid_i && waits_q && given));
      lies_below_the_next : assert (!waits_q || (in_row_q && next_pos_q != '0 && place < next_pos_q));
      nothing_waits_between_rows : assert (in_row_q && next_pos_q != '0 || dut.strb_q == '0);
      kept : assert (dut.strb_q[place] == waits_q && (!waits_q || dut.data_q[place] == value_q));
      leaves_after_waiting : cover (leaves && waits_q && place == '0 && !final_i);
      leaves_at_once : cover (leaves && given && final_i && size_i == 2'd0);
    end
  end

endmodule
