// SPDX-License-Identifier: Apache-2.0
// fp8mac_dma_read between an engine that requests rows and any legal AXI slave. The solver chooses
// one beat of one row. The beat arrives exactly once, in its turn, with its own destination, of
// which a beat of an image has the kind alone. One end of a command is followed likewise.
module formal_dma_read
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned AXI_DATA_W = 64,
  parameter int unsigned IN_FLIGHT  = 3,
  parameter int unsigned DESTS      = 2,
  parameter bit          ADDRESSES  = 1'b0,  // only the rules of the address channel, for rows of any length
  localparam int unsigned Beat = AXI_DATA_W / 8
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  row_valid_i,
  input row_request_t          row_i,
  input read_dest_t            dest_i,
  input logic                  arready_i,
  input logic [AXI_DATA_W-1:0] rdata_i,
  input logic [1:0]            rresp_i,
  input logic                  rlast_i,
  input logic                  rvalid_i,
  input logic                  beat_ready_i,
  input logic                  done_ready_i,
  input logic                  mark_row_i,
  input logic                  mark_end_i,
  input dim_t                  index_i
);
  logic                  row_ready, beat_valid, done_valid, arvalid, rready;
  read_dest_t            beat_dest;
  logic [AXI_DATA_W-1:0] beat_data;
  error_e                done_error, beat_error;
  logic [31:0]           araddr;
  logic [7:0]            arlen;
  logic [2:0]            arsize;
  logic [1:0]            arburst;
  logic [3:0]            open;

  fp8mac_dma_read #(.AXI_DATA_W(AXI_DATA_W), .IN_FLIGHT(IN_FLIGHT), .DESTS(DESTS)) dut (
    .clk_i, .rst_ni, .bus_rst_ni(rst_ni), .row_valid_i, .row_ready_o(row_ready), .row_i, .dest_i,
    .beat_valid_o(beat_valid), .beat_ready_i,
    .beat_dest_o(beat_dest), .beat_data_o(beat_data), .beat_error_o(beat_error),
    .done_valid_o(done_valid), .done_ready_i, .done_error_o(done_error),
    .m_axi_araddr_o(araddr), .m_axi_arlen_o(arlen), .m_axi_arsize_o(arsize),
    .m_axi_arburst_o(arburst), .m_axi_arvalid_o(arvalid), .m_axi_arready_i(arready_i), .m_axi_rdata_i(rdata_i),
    .m_axi_rresp_i(rresp_i), .m_axi_rlast_i(rlast_i), .m_axi_rvalid_i(rvalid_i), .m_axi_rready_o(rready)
  );

  formal_axi_address #(.BEAT(Beat)) u_ar (
    .clk_i, .rst_ni, .addr_i(araddr), .len_i(arlen), .size_i(arsize), .burst_i(arburst), .valid_i(arvalid),
    .ready_i(arready_i)
  );
  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- what is owed -----------------------------------------------------------------------------
  typedef logic [6:0] count_t;

  logic   taken, taken_row, taken_end;
  count_t owed_q;         // beats of the accepted rows minus the beats that came
  logic [3:0] ends_q;     // ends accepted minus ends reported

  assign taken     = row_valid_i && row_ready;
  assign taken_row = taken && !row_i.none;
  assign taken_end = taken && row_i.none;

  logic       beat_held_q, end_held_q, same_dest;
  count_t     beats_ahead_q, end_beats_ahead_q;
  logic [3:0] ends_ahead_q;
  read_dest_t dest_q;
  error_e     error_q;    // the first error since the last end, descriptors left out

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owed_q      <= '0;
      ends_q      <= '0;
      beat_held_q <= 1'b0;
      end_held_q  <= 1'b0;
      error_q     <= ErrNone;
    end else begin
      owed_q <= owed_q + (taken_row ? count_t'(row_i.beats) : '0) - count_t'(beat_valid);
      ends_q <= ends_q + 4'(taken_end) - 4'(done_valid);

      if (!beat_held_q) begin
        beat_held_q   <= taken_row && mark_row_i && index_i < row_i.beats;
        beats_ahead_q <= owed_q - count_t'(beat_valid) + count_t'(index_i);
        dest_q        <= dest_i;
        dest_q.word   <= dest_i.word + index_i;
        dest_q.last   <= index_i == row_i.beats - 1;
      end else if (beat_valid) begin
        beat_held_q   <= beats_ahead_q != '0;
        beats_ahead_q <= beats_ahead_q - 1;
      end

      if (!end_held_q) begin
        end_held_q        <= taken_end && mark_end_i;
        end_beats_ahead_q <= owed_q - count_t'(beat_valid);
        ends_ahead_q      <= ends_q - 4'(done_valid);
      end else begin
        if (beat_valid && end_beats_ahead_q != '0) end_beats_ahead_q <= end_beats_ahead_q - 1;
        if (done_valid) begin
          end_held_q   <= ends_ahead_q != '0;
          ends_ahead_q <= ends_ahead_q - 1;
        end
      end

      if (done_valid) error_q <= ErrNone;
      else if (beat_valid && error_q == ErrNone &&
               !(beat_dest.kind inside {DestCommand, DestTable, DestC, DestX})) begin
        if (rresp_i == 2'b10) error_q <= ErrReadSlv;
        if (rresp_i == 2'b11) error_q <= ErrReadDec;
      end
    end
  end

  assign same_dest = beat_dest == dest_q || (beat_dest.kind == DestImage && dest_q.kind == DestImage);

  always_comb begin
    if (rst_ni) begin
      rows_are_proper : assume (!row_valid_i || row_i.none || (row_i.beats != '0 && row_i.addr % Beat == 0));
      in_the_address_space : assume (!row_valid_i || row_i.none ||
        33'(row_i.addr) + 33'(row_i.beats) * Beat <= 33'h1_0000_0000);
    end
  end

  if (ADDRESSES) begin : g_addresses
    // The address generator's state is proper, so its bursts are.
    always_comb begin
      if (rst_ni && dut.u_split.busy_q && !dut.u_split.row_q.none) begin
        rest_is_proper : assert (dut.u_split.row_q.addr % Beat == 0 && dut.u_split.row_q.beats != '0);
      end
    end

    // Each burst that is not of an image has a destination.
    localparam int unsigned CountW = $clog2(IN_FLIGHT + 1);
    logic [IN_FLIGHT-1:0] has_dest;
    logic [CountW-1:0]    dests;

    for (genvar i = 0; i < int'(IN_FLIGHT); i++) begin : g_burst
      logic [31:0] behind;  // the head
      assign behind      = (32'(i) + IN_FLIGHT - 32'(dut.g_images.u_order.head_q)) % IN_FLIGHT;
      assign has_dest[i] = behind < 32'(dut.g_images.u_order.level_q) && !dut.g_images.u_order.mem_q[i];
    end

    always_comb begin
      dests = '0;
      for (int unsigned i = 0; i < IN_FLIGHT; i++) dests += CountW'(has_dest[i]);
      if (rst_ni) begin
        order_is_a_queue : assert (32'(dut.g_images.u_order.level_q) <= IN_FLIGHT &&
          32'(dut.g_images.u_order.head_q) < IN_FLIGHT && 32'(dut.g_images.u_order.tail_q) ==
          (32'(dut.g_images.u_order.head_q) + 32'(dut.g_images.u_order.level_q)) % IN_FLIGHT);
        each_has_its_destination : assert (32'(dests) == 32'(dut.u_in_flight.level_q));
      end
    end
  end else begin : g_beats
    formal_axi_read_slave #(.DEPTH(8)) u_slave (
      .clk_i, .rst_ni, .arlen_i(arlen), .arvalid_i(arvalid), .arready_i, .rvalid_i, .rlast_i, .rready_i(rready),
      .open_o(open)
    );

    // Rows are short, so that the counts are small. They start anywhere and may cross the end of a
    // page.
    always_comb begin
      if (rst_ni) begin
        rows_are_short : assume (!row_valid_i || row_i.none ||
          (row_i.beats < 4 && dest_i.word < 16 && dest_i.ram < 2));
        few_ends : assume (!(row_valid_i && row_i.none) || ends_q < 4'd15);
        enough_room_to_count : assume (!row_valid_i || owed_q < count_t'(1) << 6);

        none_but_owed : assert (!beat_valid || owed_q != '0);
        every_beat_is_passed_on : assert (beat_valid == (rvalid_i && rready) && beat_data == rdata_i);
        always_ready_for_an_answer : assert (open == '0 || rready || done_valid || !beat_ready_i ||
          !done_ready_i);
        its_own_destination : assert (!(beat_valid && beat_held_q && beats_ahead_q == '0) || same_dest);
        no_more_than_can_wait : assert (32'(open) <= IN_FLIGHT);
        an_end_is_after_its_beats : assert (!(done_valid && end_held_q && ends_ahead_q == '0) ||
          end_beats_ahead_q == '0);
        an_end_is_not_passed : assert (!(beat_valid && end_held_q) || end_beats_ahead_q != '0);
        no_end_but_owed : assert (!done_valid || ends_q != '0);
        first_error_is_told : assert (done_error == error_q);
      error_comes_with_its_beat : assert (!beat_valid || beat_error == (rresp_i == 2'b10 ? ErrReadSlv :
        rresp_i == 2'b11 ? ErrReadDec : ErrNone));

        follows_into_a_second_burst : cover (beat_valid && beat_held_q && beats_ahead_q == '0 &&
                                             beat_dest.word == 11 && owed_q == count_t'(1));
        an_end_with_an_error : cover (done_valid && end_held_q && ends_ahead_q == '0 && done_error == ErrReadDec);
        all_in_flight : cover (32'(open) == IN_FLIGHT);
      end
    end
  end

endmodule
