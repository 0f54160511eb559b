// SPDX-License-Identifier: Apache-2.0
// The load engine, the read DMA and the two queues behind them, connected as in fp8mac_accel. Every
// tile command that is taken comes to compute exactly once, with its outcome after its last beat.
// Neither queue overflows. All rows of a tile command are requested exactly once, each at its
// address and for its row RAM, word and half. After an error there may be fewer.
//
// Before the command that MODE.after names is complete, nothing is requested but what belongs to B,
// and that only with MODE.b_free. The order is A, MX of A, B, MX of B, scales of A, scales of B,
// bias. If a command waited, what belongs to B may come before all of A. Neither a wait for
// commands nor one for the vectors' memory holds up what may be read.
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
  input logic              room_i,
  input logic              pop_i,       // compute takes the oldest tile command
  input logic              released_i,  // the oldest tile command that compute took has read its operands
  input logic              stored_i,
  input logic              complete_i,
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
  logic         rready, beat_valid, arvalid, c_valid, x_valid, waits;

  fp8mac_load #(.ROWS(ROWS), .COLS(COLS), .BEAT(BEAT), .DEPTHWISE(1'b1)) u_load (
    .clk_i, .rst_ni, .abort_i, .clear_i, .idle_o(idle), .valid_i, .checked_i, .room_i, .ready_o(ready),
    .loaded_valid_o(loaded_push), .loaded_o(pushed), .released_i, .row_valid_o(row_valid),
    .row_o(row), .dest_o(dest), .row_ready_i(row_ready), .strip_valid_o(), .strip_o(), .strip_ready_i(1'b1),
    .few_strips_o(),
    .align_idle_i(1'b1), .row_start_o(), .c_valid_o(c_valid), .c_o(),
    .x_valid_o(x_valid), .x_o(), .sources_ready_i(1'b1), .complete_i, .waits_o(waits),
    .read_failed_i(read_error != ErrNone), .stored_i
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
  typedef enum logic [3:0] {
    Idle, Wait, LoadA, LoadMxA, LoadB, LoadMxB, LoadScaleA, LoadScaleB, LoadBias, Finish
  } state_e;
  logic [3:0] state;
  assign state = 4'(u_load.state_q);

  logic vacant;  // no tile command is being loaded
  assign vacant = state == Idle;

  // ---- ends of tile commands on their way -------------------------------------------------------
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

  // Tile commands that compute has taken and whose vectors are still in use: at most the depth of
  // the queue to the store engine
  localparam int unsigned StoringDepth = 2;
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
      // As in the accelerator, compute takes a tile command only if its outcome is known and the
      // next queue has room. The store engine only ends tile commands that it has.
      takes_what_is_there : assume (!pop_i || (!done_empty && 32'(storing_q) < StoringDepth));
      ends_what_it_has : assume (!stored_i || storing_q != '0);
      releases_what_it_took : assume (!released_i || computing_q != '0);

      operands_are_in_use : assert (32'(u_load.in_use_q) == 32'(loaded_level) + 32'(computing_q));
      halves_are_two : assert (32'(u_load.in_use_q) <= LoadedDepth);
      vectors_are_held : assert (32'(u_load.held_q) == 32'(ends) + 32'(done_level) + 32'(storing_q));

      loaded_has_room : assert (!(loaded_push && loaded_full));
      done_has_room : assert (!(read_done && 32'(done_level) == LoadedDepth));
      an_outcome_has_its_command : assert (done_level <= loaded_level);
      each_command_has_one_end : assert (32'(loaded_level) == 32'(done_level) + 32'(ends) + 32'(!vacant));
      queues_are_in_order : assert (u_dma.u_in_flight.level_q <= IN_FLIGHT && 32'(u_dma.u_in_flight.head_q) < IN_FLIGHT
        && 32'(u_dma.u_in_flight.tail_q) ==
           (32'(u_dma.u_in_flight.head_q) + 32'(u_dma.u_in_flight.level_q)) % IN_FLIGHT && loaded_level <= LoadedDepth);
      both_waiting : cover (32'(done_level) == LoadedDepth);
      end_on_its_way : cover (32'(ends) == 2);
    end
  end

  // ---- the rows of a tile command ---------------------------------------------------------------
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

  // Operand rows go to one row RAM after the other. After the last one, the word address grows
  // by the words of a row.
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
    if (taken && !row.none && dest.kind inside {DestScaleB, DestGamma}) vectors_q[1] <= 1'b1;
    if (taken && !row.none && dest.kind == DestBias) vectors_q[2] <= 1'b1;
  end

  function automatic dim_t vector_beats(dim_t values);
    return dim_t'((32'(values) * 4 + BEAT - 1) / BEAT);
  endfunction

  assign more_of_a = job_q.a.wanted && a_q < job_q.a.rows;
  // With pairs, B has two rows for each of its scales.
  dim_t rows_of_b;
  assign rows_of_b = job_q.pairs ? dim_t'(job_q.b.rows << 1) : job_q.b.rows;
  assign more_of_b = job_q.b.wanted && b_q < rows_of_b;
  assign more_of_xa = job_q.a.mx_wanted && xa_q < job_q.a.rows;
  assign more_of_xb = job_q.b.mx_wanted && xb_q < job_q.b.rows;

  // ---- commands ---------------------------------------------------------------------------------
  // They are numbered from 0 in the order of their first tile commands, and complete in this order.
  localparam int unsigned NumberW   = 8;
  localparam int unsigned MostBegun = 14;  // in the accelerator: see MODE.after
  typedef logic [NumberW-1:0] number_t;

  number_t begun_q, complete_q;   // how many; the first of those that are not complete has the number complete_q
  number_t number;                // of the command at hand, also when its first tile command is taken
  logic    held_up, held_up_q;    // the command that it waits for is not complete; in the cycle before
  logic    waited_q;              // since its first tile command was taken
  logic    aborted_q, idle_q;
  logic [3:0] after;

  assign after   = loaded_push ? checked_i.load.after : job_q.after;
  assign number  = loaded_push ? begun_q : begun_q - number_t'(1);
  // The command `number - after` is one of those from complete_q on.
  assign held_up = after != '0 && number_t'(number - number_t'(after) - complete_q) < number_t'(MostBegun);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q    <= '0;
      complete_q <= '0;
    end else begin
      if (loaded_push && checked_i.load.first) begun_q <= begun_q + number_t'(1);
      if (clear_i) complete_q <= begun_q;
      else if (complete_i) complete_q <= complete_q + number_t'(1);
    end
    held_up_q <= held_up;
    aborted_q <= rst_ni && abort_i;
    idle_q    <= idle;
    waited_q  <= held_up || (waited_q && !loaded_push);
  end

  logic      has_memory, had_memory_q;  // for vectors: those of all tile commands but one before are used up
  logic      no_a, early;               // nothing of A was requested; what belongs to B may come before A
  logic      a_is_done, b_is_done;      // with MX scales

  assign has_memory = 32'(ends) + 32'(done_level) + 32'(storing_q) <= 1;
  assign no_a       = a_q == '0 && xa_q == '0 && !vectors_q[0];
  assign early      = job_q.b_free && waited_q;
  assign a_is_done  = !more_of_a && !more_of_xa;
  assign b_is_done  = !more_of_b && !more_of_xb;

  always_ff @(posedge clk_i) had_memory_q <= has_memory;

  always_comb begin
    if (rst_ni) begin
      // As in the accelerator: only the first tile command waits, what began completes, and the
      // error state is left when nothing is there.
      first_one_waits : assume (!valid_i || checked_i.load.first || checked_i.load.after == '0);
      begun_are_few : assume (!(valid_i && checked_i.load.first) ||
                              number_t'(begun_q - complete_q) < number_t'(MostBegun));
      completes_what_began : assume (!complete_i || begun_q != complete_q);
      command_at_hand_is_not_complete : assume (!complete_i || vacant || number_t'(begun_q - complete_q) != 1);
      abort_lasts : assume (!aborted_q || idle_q || abort_i);
      clears_when_idle : assume (!clear_i || (idle && !valid_i && storing_q == '0 && !complete_i));

      engine_counts_commands : assert (number_t'(u_load.begun_q) == number_t'(begun_q - complete_q) &&
                                       u_load.begun_q <= 4'(MostBegun));
      taken_at_once : assert (ready == (vacant && 32'(loaded_level) + 32'(computing_q) < LoadedDepth && room_i &&
                                        !abort_i && !u_load.failed_q));
      command_at_hand_has_begun : assert (vacant || job_q.after == '0 || begun_q != complete_q);
      no_source_in_a_wait : assert (!(c_valid || x_valid) || !held_up);
      no_end_in_a_wait : assert (!(row_valid && row.none) || !held_up || stopped_q);
      b_alone_in_a_wait : assert (!(row_valid && !row.none) || !held_up || (job_q.b_free &&
        dest.kind inside {DestB, DestMxB, DestScaleB, DestGamma, DestBias}));
      waits_for_a_command : assert (!waits || (held_up_q && !row_valid));
      waits_for_nothing_else : assert (!waits || !job_q.b_free || (!more_of_b && !more_of_xb &&
        (!had_memory_q || (vectors_q[1] == job_q.b.scale_wanted && vectors_q[2] == job_q.bias_wanted))));
      // A wait for the vectors' memory holds up nothing that may be read.
      vectors_wait_alone : assert (!(state inside {LoadScaleA, LoadScaleB, LoadBias}) || has_memory || stopped_q ||
        (!more_of_a && !more_of_xa && !more_of_b && !more_of_xb));
      works_or_waits : assert (vacant || waits || row_valid || abort_i || u_load.failed_q ||
        (state inside {LoadScaleA, LoadScaleB, LoadBias} && !has_memory));

      waits_for_the_last_of_two : cover (waits && held_up && job_q.after == 4'd1 && begun_q - complete_q == 2);
      need_not_wait : cover (taken && is_a && job_q.after == 4'd2 && begun_q - complete_q == 2 && !waited_q);
      a_behind_b : cover (taken && is_a && waited_q && b_q != '0 && xb_q != '0 && vectors_q == 3'b110);
    end
  end

  // ---- its rows ---------------------------------------------------------------------------------
  always_comb begin
    if (rst_ni) begin
      no_strips : assert (u_load.g_strips.u_strips.state_q == '0 &&
        !u_load.g_strips.u_strips.valid1_q && !u_load.g_strips.u_strips.valid2_q &&
        !u_load.g_strips.u_strips.valid3_q && !u_load.g_strips.u_strips.valid4_q);
      nothing_is_beside_a_matrix : assert (!u_load.begun_beside_q && !u_load.beside_q);
      it_stays_a_matrix : assert (vacant || !u_load.job_q.conv_a);
      // The rows of an image are fp8mac_image_strips's.
      a_is_a_matrix : assume (!valid_i || !checked_i.load.conv_a);
      pairs_are_depthwise : assume (!valid_i || !checked_i.load.pairs || checked_i.load.depthwise);
      shape_is_proper : assume (!valid_i || (checked_i.load.a.rows != '0 && checked_i.load.b.rows != '0 &&
        checked_i.load.k != '0 && (!checked_i.load.pairs || !checked_i.load.b.rows[DimW-1]) &&
        checked_i.load.row_beats != '0 && checked_i.load.a.addr % BEAT == 0 && checked_i.load.b.addr % BEAT == 0 &&
        checked_i.load.a.stride % BEAT == 0 && checked_i.load.b.stride % BEAT == 0 &&
        checked_i.load.a.mx_addr % BEAT == 0 && checked_i.load.b.mx_addr % BEAT == 0 &&
        checked_i.load.a.mx_stride % BEAT == 0 && checked_i.load.b.mx_stride % BEAT == 0 &&
        checked_i.load.mx_words != '0 &&
        checked_i.load.a.scale % BEAT == 0 && checked_i.load.b.scale % BEAT == 0 && checked_i.load.bias % BEAT == 0));

      if (row_valid && is_a) begin
        a_row_is_wanted : assert (more_of_a && xa_q == '0 && !vectors_q[0] &&
          (early || (b_q == '0 && xb_q == '0 && vectors_q == '0)));
        a_row_of_its_length : assert (row.beats == job_q.row_beats && dest.half == halves_q.a);
        a_is_of_its_format : assert (dest.fmt == job_q.a.fmt && 32'(dest.last_byte) == (32'(job_q.k) - 1) % BEAT);
        a_begins : assert (!first_of_kind || (row.addr == job_q.a.addr && dest.ram == '0 && dest.word == '0));
        a_goes_on : assert (first_of_kind ||
          (row.addr == next_addr_q && dest.ram == next_ram_q && dest.word == next_word_q));
      end
      if (row_valid && is_xa) begin
        scales_of_a_are_wanted : assert (more_of_xa && !more_of_a && !vectors_q[0] &&
          (early || (b_q == '0 && xb_q == '0 && vectors_q == '0)));
        scales_of_a_of_their_length : assert (row.beats == job_q.mx_words && dest.half == halves_q.a);
        scales_of_a_begin : assert (!first_of_kind ||
          (row.addr == job_q.a.mx_addr && dest.ram == '0 && dest.word == '0));
        scales_of_a_go_on : assert (first_of_kind ||
          (row.addr == next_addr_q && dest.ram == next_ram_q && dest.word == next_word_q));
      end
      if (row_valid && is_xb) begin
        scales_of_b_are_wanted : assert (more_of_xb && !more_of_b && vectors_q == '0 &&
          (a_is_done || (early && no_a)));
        scales_of_b_of_their_length : assert (row.beats == job_q.mx_words && dest.half == halves_q.b);
        scales_of_b_begin : assert (!first_of_kind ||
          (row.addr == job_q.b.mx_addr && dest.ram == '0 && dest.word == '0));
        scales_of_b_go_on : assert (first_of_kind ||
          (row.addr == next_addr_q && dest.ram == next_ram_q && dest.word == next_word_q));
      end
      if (row_valid && is_b) begin
        b_row_is_wanted : assert (more_of_b && xb_q == '0 && vectors_q == '0 && (a_is_done || (early && no_a)));
        b_row_of_its_length : assert (row.beats == job_q.row_beats && dest.half == halves_q.b);
        b_is_of_its_format : assert (dest.fmt == job_q.b.fmt && 32'(dest.last_byte) == (32'(job_q.k) - 1) % BEAT);
        b_begins : assert (!first_of_kind || (row.addr == job_q.b.addr && dest.ram == '0 && dest.word == '0));
        b_goes_on : assert (first_of_kind ||
          (row.addr == next_addr_q && dest.ram == next_ram_q && dest.word == next_word_q));
        b_is_rotated_by_its_tile : assert (dest.rotate == (!job_q.depthwise ? 4'd0 :
          4'((job_q.pairs ? 1 : 2) * (32'(b_q) / COLS))));
      end
      if (row_valid && !row.none && !is_a && !is_b && !is_xa && !is_xb) begin
        vectors_after_operands : assert (b_is_done && (a_is_done || (early && no_a && dest.kind != DestScaleA)) &&
          dest.half == halves_q.vectors && dest.word == '0);
        vectors_have_memory : assert (has_memory);
        vectors_of_b_after_those_of_a : assert (dest.kind == DestScaleA || vectors_q[0] == job_q.a.scale_wanted ||
                                                (early && no_a));
        scale_a_in_its_position : assert (dest.kind != DestScaleA || (job_q.a.scale_wanted && !vectors_q[0] &&
          (early || vectors_q == '0) && row.addr == job_q.a.scale && row.beats == vector_beats(job_q.a.rows)));
        scale_b_in_its_position : assert (!(dest.kind inside {DestScaleB, DestGamma}) ||
          ((dest.kind == DestGamma) == job_q.gamma && job_q.b.scale_wanted && !vectors_q[1] &&
          !vectors_q[2] && row.addr == job_q.b.scale && row.beats == vector_beats(job_q.b.rows)));
        its_last_byte_is_known : assert (32'(dest.last_byte) ==
          (4 * 32'((dest.kind == DestScaleA) ? job_q.a.rows : job_q.b.rows) - 1) % BEAT);
        bias_in_its_position : assert (dest.kind != DestBias || (job_q.bias_wanted && !vectors_q[2] &&
          vectors_q[1] == job_q.b.scale_wanted && row.addr == job_q.bias && row.beats == vector_beats(job_q.b.rows)));
      end
      nothing_is_left_out : assert (!(row_valid && row.none) || stopped_q || (!more_of_a && !more_of_b &&
        !more_of_xa && !more_of_xb &&
        vectors_q == {job_q.bias_wanted, job_q.b.scale_wanted, job_q.a.scale_wanted}));
      no_row_after_a_stop : assert (!(row_valid && !row.none) || !(abort_i || u_load.failed_q));
      pushed_with_its_halves : assert (!loaded_push || (pushed.halves.a == (halves_q.a ^ checked_i.load.a.wanted) &&
        pushed.halves.b == (halves_q.b ^ checked_i.load.b.wanted) && pushed.halves.vectors == !halves_q.vectors));

      // The engines' state
      rest_is_proper : assert (!u_dma.u_split.busy_q || u_dma.u_split.row_q.none ||
        (u_dma.u_split.row_q.addr % BEAT == 0 && u_dma.u_split.row_q.beats != '0));
      command_stays_proper : assert (vacant || ((!job_q.pairs || !job_q.b.rows[DimW-1]) &&
        job_q.a.rows != '0 && job_q.b.rows != '0 && job_q.k != '0 && job_q.row_beats != '0 &&
        job_q.a.stride % BEAT == 0 && job_q.b.stride % BEAT == 0 && job_q.a.addr % BEAT == 0 &&
        job_q.b.addr % BEAT == 0 && job_q.a.scale % BEAT == 0 && job_q.b.scale % BEAT == 0 &&
        job_q.a.mx_addr % BEAT == 0 && job_q.b.mx_addr % BEAT == 0 && job_q.a.mx_stride % BEAT == 0 &&
        job_q.b.mx_stride % BEAT == 0 && job_q.mx_words != '0 && job_q.bias % BEAT == 0));
      address_is_aligned : assert (vacant || state inside {Wait, Finish} || u_load.addr_q % BEAT == 0);
      engine_knows_the_last_byte : assert (vacant || 32'(u_load.last_byte_q) == (32'(job_q.k) - 1) % BEAT);
      idle_has_no_command : assert (idle == (vacant && loaded_level == '0 && computing_q == '0));
      engine_knows_the_command : assert (u_load.halves_q == halves_q && (vacant || u_load.job_q == job_q));
      what_is_left : assert (vacant || stopped_q || u_load.left_q == {more_of_a, more_of_xa, more_of_b, more_of_xb,
        job_q.a.scale_wanted && !vectors_q[0], job_q.b.scale_wanted && !vectors_q[1],
        job_q.bias_wanted && !vectors_q[2]});
      whole_operands : assert (vacant || stopped_q || (
        (state == LoadA || !more_of_a || a_q == '0) && (state == LoadMxA || !more_of_xa || xa_q == '0) &&
        (state == LoadB || !more_of_b || b_q == '0) && (state == LoadMxB || !more_of_xb || xb_q == '0)));
      a_in_order : assert (vacant || stopped_q || (
        (!more_of_a || (xa_q == '0 && !vectors_q[0])) && (!more_of_xa || !vectors_q[0])));
      b_in_order : assert (vacant || stopped_q || ((!more_of_b || (xb_q == '0 && vectors_q[2:1] == '0)) &&
        (!more_of_xb || vectors_q[2:1] == '0) && (!vectors_q[2] || vectors_q[1] == job_q.b.scale_wanted)));
      a_before_b : assert (vacant || stopped_q || early || ((!(more_of_a || more_of_xa) ||
        (b_q == '0 && xb_q == '0 && vectors_q == '0)) && (!vectors_q[1] && !vectors_q[2] ||
        vectors_q[0] == job_q.a.scale_wanted)));
      only_what_is_wanted : assert (vacant || ((job_q.a.wanted || a_q == '0) && (job_q.a.mx_wanted || xa_q == '0) &&
        (job_q.b.wanted || b_q == '0) && (job_q.b.mx_wanted || xb_q == '0) && (vectors_q &
        ~{job_q.bias_wanted, job_q.b.scale_wanted, job_q.a.scale_wanted}) == '0));
      vectors_behind_operands : assert (vacant || stopped_q || ((!vectors_q[0] || (a_is_done && b_is_done)) &&
        (vectors_q[2:1] == '0 || b_is_done)));
      engine_counts_a : assert (state != LoadA || (u_load.rows_q == job_q.a.rows - a_q && more_of_a &&
        u_load.stride_q == job_q.a.stride && u_load.last_ram_q == 8'(ROWS - 1)));
      engine_counts_scales_of_a : assert (state != LoadMxA || (u_load.rows_q == job_q.a.rows - xa_q && more_of_xa &&
        (!more_of_a || stopped_q) && u_load.stride_q == job_q.a.mx_stride && u_load.last_ram_q == 8'(ROWS - 1)));
      engine_counts_b : assert (state != LoadB || (u_load.rows_q == rows_of_b - b_q && more_of_b &&
        (a_is_done || (early && no_a) || stopped_q) && u_load.stride_q == job_q.b.stride &&
        u_load.tile_q == 4'(32'(b_q) / COLS) && 32'(u_load.ram_q) == 32'(b_q) % COLS &&
        u_load.last_ram_q == 8'(COLS - 1)));
      engine_counts_scales_of_b : assert (state != LoadMxB || (u_load.rows_q == job_q.b.rows - xb_q && more_of_xb &&
        ((!more_of_b && (a_is_done || (early && no_a))) || stopped_q) && u_load.stride_q == job_q.b.mx_stride &&
        u_load.last_ram_q == 8'(COLS - 1)));
      engine_is_at_scale_a : assert (state != LoadScaleA || (job_q.a.scale_wanted && !vectors_q[0] && a_is_done &&
        b_is_done && u_load.addr_q == job_q.a.scale));
      engine_is_at_scale_b : assert (state != LoadScaleB || (job_q.b.scale_wanted && !vectors_q[1] && b_is_done &&
        (early && no_a || (a_is_done && vectors_q[0] == job_q.a.scale_wanted)) && u_load.addr_q == job_q.b.scale));
      engine_is_at_bias : assert (state != LoadBias || (job_q.bias_wanted && !vectors_q[2] && b_is_done &&
        vectors_q[1] == job_q.b.scale_wanted && u_load.addr_q == job_q.bias &&
        (early && no_a || (a_is_done && vectors_q[0] == job_q.a.scale_wanted))));
      engine_is_at_the_end : assert (state != Finish || stopped_q || (a_is_done && b_is_done &&
        vectors_q == {job_q.bias_wanted, job_q.b.scale_wanted, job_q.a.scale_wanted}));
      stops_at_once : assert (!stopped_q || vacant || (state == Finish && (abort_i || u_load.failed_q)));
      engine_waits_before_a : assert (state != Wait || stopped_q || no_a);
      engine_waits_no_more : assert (!held_up || vacant || stopped_q || state == Wait ||
        (early && no_a && state inside {LoadB, LoadMxB, LoadScaleB, LoadBias}));
      a_state_that_exists : assert (32'(state) <= 32'(Finish) && (vacant || 32'(loaded_level) != 0));
      all_kinds : cover (row_valid && row.none && vectors_q == 3'b111 && a_q == 16'd3 && b_q == 16'd1);
      scales_too : cover (row_valid && row.none && a_q == 16'd1 && xa_q == 16'd1 && b_q == 16'd1 &&
        xb_q == 16'd1);
      stopped_halfway : cover (row_valid && row.none && more_of_b && a_q == 16'd1);
    end
  end

endmodule
