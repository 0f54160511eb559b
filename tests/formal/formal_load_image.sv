// SPDX-License-Identifier: Apache-2.0
// The load engine with an image operand: rows of B are requested between strips. In place of
// fp8mac_image_strips any strips come. A strip takes the address channel before a row of B does.
// All rows of B are requested exactly once and in order, each at its address and for its row RAM,
// word and half, before the tile command's end. Without MX scales of A rows of B are offered in
// each cycle in which no strip is, until they are all requested.
module formal_load_image
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS = 2,
  parameter int unsigned COLS = 2,
  parameter int unsigned BEAT = 8
) (
  input logic          clk_i,
  input logic          rst_ni,
  input logic          abort_i,
  input logic          clear_i,
  input logic          valid_i,
  input checked_jobs_t checked_i,
  input logic          released_i,
  input logic          stored_i,
  input logic          complete_i,
  input logic          row_ready_i,
  input logic          strip_ready_i,
  input logic          read_failed_i,
  input logic          any_done_i,
  input logic          any_valid_i,
  input logic          any_read_i,
  input image_strip_t  any_strip_i,
  input row_request_t  any_row_i
);
  logic         ready, loaded_push, row_valid, strip_valid;
  row_request_t row;
  read_dest_t   dest;

  fp8mac_load #(.ROWS(ROWS), .COLS(COLS), .BEAT(BEAT), .DEPTHWISE(1'b1)) dut (
    .clk_i, .rst_ni, .abort_i, .clear_i, .idle_o(), .valid_i, .checked_i, .room_i(1'b1), .ready_o(ready),
    .loaded_valid_o(loaded_push), .loaded_o(), .released_i, .row_valid_o(row_valid), .row_o(row), .dest_o(dest),
    .row_ready_i, .strip_valid_o(strip_valid), .strip_o(), .strip_ready_i, .few_strips_o(), .align_idle_i(1'b1),
    .row_start_o(), .c_valid_o(), .c_o(), .x_valid_o(), .x_o(), .sources_ready_i(1'b1), .complete_i, .waits_o(),
    .read_failed_i, .stored_i
  );
  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- what was requested -----------------------------------------------------------------------
  load_job_t job_q;
  logic      half_q, stopped_q, taken, is_b, is_strip, loads_a;
  dim_t      b_q, rows_of_b;      // rows of B so far; all of them
  logic      strip_waits_q;       // a strip was not taken
  addr_t     addr_q, next_addr_q;
  logic [7:0] next_ram_q;
  dim_t      next_word_q;

  assign taken     = row_valid && row_ready_i;
  assign is_b      = !row.none && dest.kind == DestB;
  assign is_strip  = !row.none && dest.kind == DestImage;
  assign loads_a   = 4'(dut.state_q) == 4'd2;
  assign rows_of_b = !job_q.b.wanted ? '0 : job_q.pairs ? dim_t'(job_q.b.rows << 1) : job_q.b.rows;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      half_q    <= 1'b0;
      stopped_q <= 1'b0;
    end else begin
      stopped_q <= (stopped_q && !loaded_push) || abort_i || dut.failed_q;
      if (loaded_push) half_q <= half_q ^ checked_i.load.b.wanted;
    end
    if (loaded_push) begin
      job_q <= checked_i.load;
      b_q   <= '0;
    end
    if (taken && is_b) begin
      b_q         <= b_q + dim_t'(1);
      next_addr_q <= row.addr + job_q.b.stride;
      next_ram_q  <= (dest.ram == 8'(COLS - 1)) ? '0 : dest.ram + 8'd1;
      next_word_q <= (dest.ram == 8'(COLS - 1)) ? dest.word + job_q.row_words : dest.word;
    end
    strip_waits_q <= rst_ni && dut.strip_valid && !dut.strip_taken && !dut.stop;
    addr_q        <= dut.strip_row.addr;
  end

  always_comb begin
    if (rst_ni) begin
      images_alone : assume (!valid_i || (checked_i.load.conv_a && checked_i.load.a.wanted));
      few_rows : assume (!valid_i || (checked_i.load.b.rows inside {[1:3]} && checked_i.load.a.rows inside {[1:2]} &&
        checked_i.load.after == '0));
      pairs_are_depthwise : assume (!valid_i || !checked_i.load.pairs || checked_i.load.depthwise);
      no_mx_without_its_operand : assume (!valid_i || checked_i.load.b.wanted || !checked_i.load.b.mx_wanted);
      one_command : assume (!complete_i && !clear_i && !released_i && !stored_i);

      // Strips come while A is loaded, stay until they are taken, and end with the last one.
      strips_of_a : assume (!(dut.strip_valid || dut.image_done) || dut.image);
      strips_have_rows : assume (!dut.strip_row.none);
      strips_stay : assume (!strip_waits_q || (dut.strip_valid && dut.strip_reads && dut.strip_row.addr == addr_q));
      end_of_strips : assume (!dut.image_done || !dut.strip_valid || dut.strip_taken);

      strip_goes_before_b : assert (!(row_valid && is_b) || !(dut.strip_valid && dut.strip_reads && strip_ready_i));
      strip_with_its_request : assert (!(strip_valid && strip_ready_i && dut.strip_reads) || (taken && is_strip));
      strip_is_wanted : assert (!(row_valid && is_strip) || (dut.strip_valid && dut.strip_reads && strip_ready_i &&
        row == dut.strip_row));
      if (row_valid && is_b) begin
        b_row_is_wanted : assert (b_q < rows_of_b && (!loads_a || !job_q.a.mx_wanted));
        b_row_of_its_length : assert (row.beats == job_q.row_beats && dest.half == half_q &&
          dest.fmt == job_q.b.fmt && 32'(dest.last_byte) == (32'(job_q.k) - 1) % BEAT);
        b_begins : assert (b_q != '0 || (row.addr == job_q.b.addr && dest.ram == '0 && dest.word == '0));
        b_goes_on : assert (b_q == '0 ||
          (row.addr == next_addr_q && dest.ram == next_ram_q && dest.word == next_word_q));
        b_is_rotated_by_its_tile : assert (dest.rotate == (!job_q.depthwise ? 4'd0 :
          4'((job_q.pairs ? 1 : 2) * (32'(b_q) / COLS))));
      end
      no_cycle_is_lost : assert (!dut.image || job_q.a.mx_wanted || b_q == rows_of_b || row_valid || dut.stop);
      no_matrix_of_a : assert (!(row_valid && !row.none) || dest.kind != DestA);
      b_is_complete : assert (!(row_valid && row.none) || stopped_q || b_q == rows_of_b);
      no_row_after_a_stop : assert (!(row_valid && !row.none) || !(abort_i || dut.failed_q));

      b_is_done_beside_a : cover (dut.image && dut.image_done && b_q == 16'd2 && rows_of_b == 16'd2);
      b_goes_on_behind_a : cover (taken && is_b && !loads_a && b_q == 16'd1 && 4'(dut.state_q) == 4'd4);
      strip_between_rows_of_b : cover (taken && is_strip && b_q == 16'd1 && rows_of_b == 16'd2);
      last_row_with_the_end_of_a : cover (taken && is_b && dut.image_done && rows_of_b == 16'd3 && b_q == 16'd2);
    end
  end

endmodule

// Any strips: inputs of the property module.
module fp8mac_image_strips
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS = 4,
  parameter int unsigned BEAT = 16,
  parameter bit          DEPTHWISE = 1'b0
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          start_i,
  input  logic                          stop_i,
  input  command_image_t                image_i,
  input  addr_t                         addr_i,
  input  addr_t                         stride_i,
  input  dim_t                          m_i,
  input  dim_t                          k_i,
  input  dim_t                          row_words_i,
  input  logic                          depthwise_i,
  input  logic                          pairs_i,
  input  logic                          first_rows_i,
  input  logic                          next_rows_i,
  input  logic                          k_start_i,
  input  logic                          half_i,
  input  code_fmt_t                     fmt_i,
  input  logic [4:0]                    last_byte_i,
  output logic                          done_o,
  output logic                          valid_o,
  input  logic                          ready_i,
  output image_strip_t                  strip_o,
  output logic                          read_o,
  output row_request_t                  row_o,
  input  logic                          align_idle_i,
  output logic [ROWS-1:0][StripW-1:0]   row_start_o
);
  assign done_o      = formal_load_image.any_done_i;
  assign valid_o     = formal_load_image.any_valid_i;
  assign read_o      = formal_load_image.any_read_i;
  assign strip_o     = formal_load_image.any_strip_i;
  assign row_o       = formal_load_image.any_row_i;
  assign row_start_o = '0;
endmodule
