// SPDX-License-Identifier: Apache-2.0
// The load engine, the read DMA and the two queues behind them, connected as in fp8mac_accel. Every tile command that
// is taken comes to compute exactly once, with its outcome after its last beat. Neither queue overflows. All rows of a
// tile command are requested, each at its address and for its row RAM, word and half. After an error there may be
// fewer.
module formal_load
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 2,
  parameter int unsigned COLS      = 4,
  parameter int unsigned BEAT      = 8,
  parameter int unsigned IN_FLIGHT = 4
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              abort_i,
  input logic              clear_i,
  input logic              valid_i,
  input checked_jobs_t     checked_i,
  input logic              pop_i,       // compute takes the oldest tile command
  input logic              released_i,  // the oldest tile command that compute took has read its operands
  input logic              stored_i,
  input logic              stores_done_i,
  input logic              arready_i,
  input logic [BEAT*8-1:0] rdata_i,
  input logic [1:0]        rresp_i,
  input logic              rlast_i,
  input logic              rvalid_i
);
  localparam int unsigned LoadedDepth = 2;

  logic         idle, ready, loaded_push, loaded_full, loaded_empty, done_empty, row_valid, row_ready, read_done;
  loaded_job_t  pushed;
  row_request_t row;
  read_dest_t   dest, beat_dest;
  error_e       read_error;
  logic [1:0]   loaded_level, done_level;
  logic         rready, beat_valid, arvalid;

  fp8mac_load #(.ROWS(ROWS), .COLS(COLS), .BEAT(BEAT)) u_load (
    .clk_i, .rst_ni, .abort_i, .clear_i, .idle_o(idle), .valid_i, .checked_i, .ready_o(ready),
    .loaded_valid_o(loaded_push), .loaded_o(pushed), .released_i, .row_valid_o(row_valid),
    .row_o(row), .dest_o(dest), .row_ready_i(row_ready), .strip_valid_o(), .strip_o(), .strip_ready_i(1'b1),
    .align_idle_i(1'b1), .row_start_o(), .c_valid_o(), .c_o(),
    .x_valid_o(), .x_o(), .sources_ready_i(1'b1), .stores_done_i, .read_failed_i(read_error != ErrNone), .stored_i
  );

  fp8mac_dma_read #(.AXI_DATA_W(BEAT * 8), .IN_FLIGHT(IN_FLIGHT)) u_dma (
    .clk_i, .rst_ni, .bus_rst_ni(rst_ni), .row_valid_i(row_valid), .row_ready_o(row_ready), .row_i(row), .dest_i(dest),
    .beat_valid_o(beat_valid), .beat_ready_i(1'b1), .beat_dest_o(beat_dest), .beat_data_o(), .beat_error_o(),
    .done_valid_o(read_done), .done_ready_i(1'b1),
    .done_error_o(read_error), .m_axi_araddr_o(), .m_axi_arlen_o(), .m_axi_arsize_o(),
    .m_axi_arburst_o(), .m_axi_arvalid_o(arvalid), .m_axi_arready_i(arready_i), .m_axi_rdata_i(rdata_i),
    .m_axi_rresp_i(rresp_i), .m_axi_rlast_i(rlast_i), .m_axi_rvalid_i(rvalid_i), .m_axi_rready_o(rready)
  );

  fp8mac_fifo #(.T(logic), .DEPTH(LoadedDepth)) u_loaded (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(loaded_push), .data_i(1'b0), .full_o(loaded_full), .pop_i, .data_o(),
    .empty_o(loaded_empty), .level_o(loaded_level)
  );

  fp8mac_fifo #(.T(error_e), .DEPTH(LoadedDepth)) u_load_done (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(read_done), .data_i(read_error), .full_o(), .pop_i, .data_o(),
    .empty_o(done_empty), .level_o(done_level)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // The load engine's states, in their order
  typedef enum logic [3:0] {Idle, LoadA, LoadMxA, LoadB, LoadMxB, LoadScaleA, LoadScaleB, LoadBias, Finish} state_e;
  logic [3:0] state;
  assign state = 4'(u_load.state_q);

  logic waits;  // for a tile command
  assign waits = state == Idle;

  // ---- ends of tile commands on their way --------------------------------------------------------------------------
  localparam int unsigned CountW = $clog2(IN_FLIGHT + 4);
  logic [CountW-1:0]    ends;   // ends between the load engine and the second queue
  logic [IN_FLIGHT-1:0] is_end;

  for (genvar i = 0; i < int'(IN_FLIGHT); i++) begin : g_end
    logic [31:0] behind;   // the head
    assign behind    = (32'(i) + IN_FLIGHT - 32'(u_dma.u_in_flight.head_q)) % IN_FLIGHT;
    assign is_end[i] = behind < 32'(u_dma.u_in_flight.level_q) && u_dma.u_in_flight.mem_q[i].none;
  end

  always_comb begin
    ends = CountW'(u_dma.u_split.busy_q && u_dma.u_split.row_q.none);
    for (int unsigned i = 0; i < IN_FLIGHT; i++) ends += CountW'(is_end[i]);
  end

  // Tile commands that compute has taken and whose vectors are still in use: at most the depth of the queue to the
  // store engine
  localparam int unsigned StoringDepth = 4;
  logic [2:0] storing_q;
  logic [1:0] computing_q;  // taken by compute, and not released

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      storing_q   <= '0;
      computing_q <= '0;
    end else begin
      storing_q   <= storing_q + 3'(pop_i) - 3'(stored_i);
      computing_q <= computing_q + 2'(pop_i) - 2'(released_i);
    end
  end

  always_comb begin
    if (rst_ni) begin
      // As in the accelerator, compute takes a tile command only if its outcome is known and the next queue has room.
      // The store engine only ends tile commands that it has.
      takes_what_is_there : assume (!pop_i || (!done_empty && 32'(storing_q) < StoringDepth));
      ends_what_it_has : assume (!stored_i || storing_q != '0);
      releases_what_it_took : assume (!released_i || computing_q != '0);

      operands_are_in_use : assert (32'(u_load.in_use_q) == 32'(loaded_level) + 32'(computing_q));
      halves_are_two : assert (32'(u_load.in_use_q) <= LoadedDepth);
      vectors_are_held : assert (32'(u_load.held_q) == 32'(ends) + 32'(done_level) + 32'(storing_q));

      loaded_has_room : assert (!(loaded_push && loaded_full));
      done_has_room : assert (!(read_done && 32'(done_level) == LoadedDepth));
      an_outcome_has_its_command : assert (done_level <= loaded_level);
      each_command_has_one_end : assert (32'(loaded_level) == 32'(done_level) + 32'(ends) + 32'(!waits));
      queues_are_in_order : assert (u_dma.u_in_flight.level_q <= IN_FLIGHT && 32'(u_dma.u_in_flight.head_q) < IN_FLIGHT
        && 32'(u_dma.u_in_flight.tail_q) ==
           (32'(u_dma.u_in_flight.head_q) + 32'(u_dma.u_in_flight.level_q)) % IN_FLIGHT && loaded_level <= LoadedDepth);
      both_waiting : cover (32'(done_level) == LoadedDepth);
      end_on_its_way : cover (32'(ends) == 2);
    end
  end

  // ---- the rows of a tile command ----------------------------------------------------------------------------------
  load_job_t job_q;          // the current tile command
  halves_t   halves_q;
  logic      stopped_q;      // an abort or an error since it was taken
  dim_t      a_q, b_q;       // rows requested so far
  dim_t      xa_q, xb_q;     // rows of MX scales
  addr_t     next_addr_q;    // of the next row of the same operand
  dim_t      next_word_q;
  logic [7:0] next_ram_q;
  logic [2:0] vectors_q;     // requested so far: scale A, scale B, bias
  logic      taken, is_a, is_b, is_xa, is_xb, more_of_a, more_of_b, more_of_xa, more_of_xb;

  assign taken = row_valid && row_ready;
  assign is_a  = !row.none && dest.kind == DestA;
  assign is_b  = !row.none && dest.kind == DestB;
  assign is_xa = !row.none && dest.kind == DestMxA;
  assign is_xb = !row.none && dest.kind == DestMxB;

  // Operand rows go to one row RAM after the other. After the last one, the word address grows by the words of a row.
  logic [7:0] rams;
  assign rams = is_a || is_xa ? 8'(ROWS) : 8'(COLS);

  logic first_of_kind;
  assign first_of_kind = is_a ? a_q == '0 : is_xa ? xa_q == '0 : is_b ? b_q == '0 : xb_q == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      halves_q  <= '0;
      stopped_q <= 1'b0;
    end else begin
      stopped_q <= (stopped_q && !(loaded_push)) || abort_i || u_load.failed_q;
      if (loaded_push) begin
        job_q            <= checked_i.load;
        halves_q.a       <= halves_q.a ^ checked_i.load.a.wanted;
        halves_q.b       <= halves_q.b ^ checked_i.load.b.wanted;
        halves_q.vectors <= !halves_q.vectors;
        a_q              <= '0;
        b_q              <= '0;
        xa_q             <= '0;
        xb_q             <= '0;
        vectors_q        <= '0;
        stopped_q        <= 1'b0;
      end
    end
    if (taken && (is_a || is_b || is_xa || is_xb)) begin
      if (is_a) a_q <= a_q + 1;
      if (is_b) b_q <= b_q + 1;
      if (is_xa) xa_q <= xa_q + 1;
      if (is_xb) xb_q <= xb_q + 1;
      next_addr_q <= row.addr + (is_a ? job_q.a.stride : is_xa ? job_q.a.mx_stride : is_b ? job_q.b.stride
                                                                                         : job_q.b.mx_stride);
      next_ram_q <= (dest.ram + 8'd1 == rams) ? 8'd0 : dest.ram + 8'd1;
      next_word_q <= (dest.ram + 8'd1 != rams) ? dest.word
                                               : dest.word + (is_a || is_b ? job_q.row_words : job_q.mx_words);
    end
    if (taken && !row.none && dest.kind == DestScaleA) vectors_q[0] <= 1'b1;
    if (taken && !row.none && dest.kind == DestScaleB) vectors_q[1] <= 1'b1;
    if (taken && !row.none && dest.kind == DestBias) vectors_q[2] <= 1'b1;
  end

  function automatic dim_t vector_beats(dim_t values);
    return dim_t'((32'(values) * 4 + BEAT - 1) / BEAT);
  endfunction

  assign more_of_a = job_q.a.wanted && a_q < job_q.a.rows;
  assign more_of_b = job_q.b.wanted && b_q < job_q.b.rows;
  assign more_of_xa = job_q.a.mx_wanted && xa_q < job_q.a.rows;
  assign more_of_xb = job_q.b.mx_wanted && xb_q < job_q.b.rows;

  always_comb begin
    if (rst_ni) begin
      no_strips : assert (u_load.u_strips.state_q == '0 && !u_load.u_strips.valid1_q && !u_load.u_strips.valid2_q &&
        !u_load.u_strips.valid3_q && !u_load.u_strips.valid4_q);
      it_stays_a_matrix : assert (waits || !u_load.job_q.conv_a);
      // The rows of an image are fp8mac_image_strips's.
      a_is_a_matrix : assume (!valid_i || !checked_i.load.conv_a);
      shape_is_proper : assume (!valid_i || (checked_i.load.a.rows != '0 && checked_i.load.b.rows != '0 &&
        checked_i.load.k != '0 &&
        checked_i.load.row_beats != '0 && checked_i.load.a.addr % BEAT == 0 && checked_i.load.b.addr % BEAT == 0 &&
        checked_i.load.a.stride % BEAT == 0 && checked_i.load.b.stride % BEAT == 0 &&
        checked_i.load.a.mx_addr % BEAT == 0 && checked_i.load.b.mx_addr % BEAT == 0 &&
        checked_i.load.a.mx_stride % BEAT == 0 && checked_i.load.b.mx_stride % BEAT == 0 &&
        checked_i.load.mx_words != '0 &&
        checked_i.load.a.scale % BEAT == 0 && checked_i.load.b.scale % BEAT == 0 && checked_i.load.bias % BEAT == 0));

      if (row_valid && is_a) begin
        a_row_is_wanted : assert (more_of_a && xa_q == '0 && b_q == '0 && xb_q == '0 && vectors_q == '0);
        a_row_of_its_length : assert (row.beats == job_q.row_beats && dest.half == halves_q.a);
        a_is_of_its_format : assert (dest.fmt == job_q.a.fmt && 32'(dest.last_byte) == (32'(job_q.k) - 1) % BEAT);
        a_begins : assert (!first_of_kind || (row.addr == job_q.a.addr && dest.ram == '0 && dest.word == '0));
        a_goes_on : assert (first_of_kind ||
          (row.addr == next_addr_q && dest.ram == next_ram_q && dest.word == next_word_q));
      end
      if (row_valid && is_xa) begin
        scales_of_a_are_wanted : assert (more_of_xa && !more_of_a && b_q == '0 && xb_q == '0 && vectors_q == '0);
        scales_of_a_of_their_length : assert (row.beats == job_q.mx_words && dest.half == halves_q.a);
        scales_of_a_begin : assert (!first_of_kind ||
          (row.addr == job_q.a.mx_addr && dest.ram == '0 && dest.word == '0));
        scales_of_a_go_on : assert (first_of_kind ||
          (row.addr == next_addr_q && dest.ram == next_ram_q && dest.word == next_word_q));
      end
      if (row_valid && is_xb) begin
        scales_of_b_are_wanted : assert (more_of_xb && !more_of_b && !more_of_a && !more_of_xa && vectors_q == '0);
        scales_of_b_of_their_length : assert (row.beats == job_q.mx_words && dest.half == halves_q.b);
        scales_of_b_begin : assert (!first_of_kind ||
          (row.addr == job_q.b.mx_addr && dest.ram == '0 && dest.word == '0));
        scales_of_b_go_on : assert (first_of_kind ||
          (row.addr == next_addr_q && dest.ram == next_ram_q && dest.word == next_word_q));
      end
      if (row_valid && is_b) begin
        b_row_is_wanted : assert (more_of_b && !more_of_a && !more_of_xa && xb_q == '0 && vectors_q == '0);
        b_row_of_its_length : assert (row.beats == job_q.row_beats && dest.half == halves_q.b);
        b_is_of_its_format : assert (dest.fmt == job_q.b.fmt && 32'(dest.last_byte) == (32'(job_q.k) - 1) % BEAT);
        b_begins : assert (!first_of_kind || (row.addr == job_q.b.addr && dest.ram == '0 && dest.word == '0));
        b_goes_on : assert (first_of_kind ||
          (row.addr == next_addr_q && dest.ram == next_ram_q && dest.word == next_word_q));
      end
      if (row_valid && !row.none && !is_a && !is_b && !is_xa && !is_xb) begin
        vectors_after_operands : assert (!more_of_a && !more_of_b && !more_of_xa && !more_of_xb &&
          dest.half == halves_q.vectors && dest.word == '0);
        scale_a_in_its_position : assert (dest.kind != DestScaleA || (job_q.a.scale_wanted && vectors_q == 3'b000 &&
          row.addr == job_q.a.scale && row.beats == vector_beats(job_q.a.rows)));
        scale_b_in_its_position : assert (dest.kind != DestScaleB || (job_q.b.scale_wanted && !vectors_q[1] &&
          !vectors_q[2] && row.addr == job_q.b.scale && row.beats == vector_beats(job_q.b.rows)));
        its_last_byte_is_known : assert (32'(dest.last_byte) ==
          (4 * 32'((dest.kind == DestScaleA) ? job_q.a.rows : job_q.b.rows) - 1) % BEAT);
        bias_in_its_position : assert (dest.kind != DestBias || (job_q.bias_wanted && !vectors_q[2] &&
          row.addr == job_q.bias && row.beats == vector_beats(job_q.b.rows)));
      end
      nothing_is_left_out : assert (!(row_valid && row.none) || stopped_q || (!more_of_a && !more_of_b &&
        !more_of_xa && !more_of_xb &&
        vectors_q == {job_q.bias_wanted, job_q.b.scale_wanted, job_q.a.scale_wanted}));
      no_row_after_a_stop : assert (!(row_valid && !row.none) || !(abort_i || u_load.failed_q));
      waits_for_stores : assert (!loaded_push || !checked_i.load.wait_stores ||
        (loaded_level == '0 && !computing_q && stores_done_i));
      pushed_with_its_halves : assert (!loaded_push || (pushed.halves.a == (halves_q.a ^ checked_i.load.a.wanted) &&
        pushed.halves.b == (halves_q.b ^ checked_i.load.b.wanted) && pushed.halves.vectors == !halves_q.vectors));

      // The engines' state
      rest_is_proper : assert (!u_dma.u_split.busy_q || u_dma.u_split.row_q.none ||
        (u_dma.u_split.row_q.addr % BEAT == 0 && u_dma.u_split.row_q.beats != '0));
      command_stays_proper : assert (waits ||
        (job_q.a.rows != '0 && job_q.b.rows != '0 && job_q.k != '0 && job_q.row_beats != '0 &&
        job_q.a.stride % BEAT == 0 && job_q.b.stride % BEAT == 0 && job_q.a.addr % BEAT == 0 &&
        job_q.b.addr % BEAT == 0 && job_q.a.scale % BEAT == 0 && job_q.b.scale % BEAT == 0 &&
        job_q.a.mx_addr % BEAT == 0 && job_q.b.mx_addr % BEAT == 0 && job_q.a.mx_stride % BEAT == 0 &&
        job_q.b.mx_stride % BEAT == 0 && job_q.mx_words != '0 && job_q.bias % BEAT == 0));
      address_is_aligned : assert (waits || state == Finish || u_load.addr_q % BEAT == 0);
      engine_knows_the_last_byte : assert (waits || 32'(u_load.last_byte_q) == (32'(job_q.k) - 1) % BEAT);
      idle_has_no_command : assert (idle == (waits && loaded_level == '0 && computing_q == '0));
      engine_knows_the_command : assert (u_load.halves_q == halves_q && (waits || u_load.job_q == job_q));
      engine_counts_a : assert (state != LoadA || (u_load.rows_q == job_q.a.rows - a_q && a_q < job_q.a.rows &&
        job_q.a.wanted && xa_q == '0 && b_q == '0 && xb_q == '0 && vectors_q == '0 &&
        u_load.stride_q == job_q.a.stride &&
        u_load.last_ram_q == 8'(ROWS - 1)));
      engine_counts_scales_of_a : assert (state != LoadMxA || (u_load.rows_q == job_q.a.rows - xa_q &&
        xa_q < job_q.a.rows && job_q.a.mx_wanted && b_q == '0 && xb_q == '0 && vectors_q == '0 &&
        u_load.stride_q == job_q.a.mx_stride &&
        (!more_of_a || stopped_q) && u_load.last_ram_q == 8'(ROWS - 1)));
      engine_counts_scales_of_b : assert (state != LoadMxB || (u_load.rows_q == job_q.b.rows - xb_q &&
        xb_q < job_q.b.rows && job_q.b.mx_wanted && vectors_q == '0 && u_load.stride_q == job_q.b.mx_stride &&
        ((!more_of_a && !more_of_xa && !more_of_b) || stopped_q) && u_load.last_ram_q == 8'(COLS - 1)));
      engine_counts_b : assert (state != LoadB || (u_load.rows_q == job_q.b.rows - b_q && b_q < job_q.b.rows &&
        job_q.b.wanted && xb_q == '0 && vectors_q == '0 && u_load.stride_q == job_q.b.stride &&
        ((!more_of_a && !more_of_xa) || stopped_q) &&
        u_load.last_ram_q == 8'(COLS - 1)));
      engine_is_at_scale_a : assert (state != LoadScaleA || (job_q.a.scale_wanted && !more_of_a && !more_of_b &&
        !more_of_xa && !more_of_xb && vectors_q == 3'b000 && u_load.addr_q == job_q.a.scale));
      engine_is_at_scale_b : assert (state != LoadScaleB || (job_q.b.scale_wanted && !more_of_a && !more_of_b &&
        !more_of_xa && !more_of_xb && vectors_q == {2'b00, job_q.a.scale_wanted} && u_load.addr_q == job_q.b.scale));
      engine_is_at_bias : assert (state != LoadBias || (job_q.bias_wanted && !more_of_a && !more_of_b &&
        !more_of_xa && !more_of_xb &&
        vectors_q == {1'b0, job_q.b.scale_wanted, job_q.a.scale_wanted} && u_load.addr_q == job_q.bias));
      engine_is_at_the_end : assert (state != Finish || stopped_q || (!more_of_a && !more_of_b &&
        !more_of_xa && !more_of_xb &&
        vectors_q == {job_q.bias_wanted, job_q.b.scale_wanted, job_q.a.scale_wanted}));
      a_state_that_exists : assert (32'(state) <= 32'(Finish) && (waits || 32'(loaded_level) != 0));
      all_kinds : cover (row_valid && row.none && vectors_q == 3'b111 && a_q == 16'd3 && b_q == 16'd1);
      scales_too : cover (row_valid && row.none && a_q == 16'd1 && xa_q == 16'd1 && b_q == 16'd1 &&
        xb_q == 16'd1);
      stopped_halfway : cover (row_valid && row.none && more_of_b && a_q == 16'd1);
    end
  end

endmodule
