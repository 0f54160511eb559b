// SPDX-License-Identifier: Apache-2.0
// The load engine turns tile commands into rows to be read. A tile command may start once the
// second tile command before it has been computed: then its halves of the operand buffers are free.
// Its vectors wait until the second tile command before it has been stored.
//
// A command with `after` reads nothing before the command so far before it is complete, D
// in memory. With b_free what belongs to B is read meanwhile: B, its MX scales, its vector
// of scales and the bias.
//
// After a read error the engine loads nothing until the error state is left. The rows of an image
// operand are requested strip by strip, and assembled by fp8mac_image_align. Strips leave cycles
// without a request: those of padding are not read. Rows of B are requested in these cycles, unless
// MX scales of A come before B.
module fp8mac_load
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS = 8,
  parameter int unsigned COLS = 8,
  parameter int unsigned BEAT = 16,
  parameter bit          IMAGES = 1'b1, // A may be an image
  parameter bit          DEPTHWISE = 1'b0,  // they may be those of depthwise convolutions
  parameter bit          REQUANTISE = 1'b0  // scales of B are integer scales, of two words
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         abort_i,
  input  logic         clear_i,
  output logic         idle_o,           // no tile command is being loaded, and the operand buffers are free

  input  logic          valid_i,
  input  checked_jobs_t checked_i,
  input  logic          room_i,         // there is room for its store_job_t
  output logic          ready_o,

  // The tile command starts to load. The compute engine's queue keeps it until its operands have
  // arrived. At most two tile commands are between their start here and released_i, so a queue
  // of two never overflows.
  output logic         loaded_valid_o,
  output loaded_job_t  loaded_o,
  input  logic         released_i,       // the oldest of them has read all its operands

  output logic         row_valid_o,
  output row_request_t row_o,
  output read_dest_t   dest_o,
  input  logic         row_ready_i,

  // C and X of a tile command are to be read, when all its operands were requested.
  output logic         c_valid_o,
  output source_job_t  c_o,
  output logic         x_valid_o,
  output source_job_t  x_o,
  input  logic         sources_ready_i,  // there is room for both
  // Strips of an image operand. One with beats goes together with the request for them.
  output logic         strip_valid_o,
  output image_strip_t strip_o,
  input  logic         strip_ready_i,
  output logic         few_strips_o,  // C is added: its reads must not wait behind many strips
  input  logic         align_idle_i,
  output logic [ROWS-1:0][StripW-1:0] row_start_o,

  input  logic         complete_i,       // a command is complete, or was skipped to its end: D is in memory
  output logic         waits_o,          // the tile command at hand waits for that
  input  logic         read_failed_i,
  input  logic         stored_i         // a tile command's last use of its vectors
);
  localparam int unsigned BeatLog = $clog2(BEAT);
  localparam int unsigned HeldW   = 4;
  localparam int unsigned BegunW  = 4;  // as `after` has: less commands are in flight than it can name

  typedef enum logic [3:0] {
    Idle,
    Wait,      // for commands before
    LoadA,
    LoadMxA,
    LoadB,
    LoadMxB,
    LoadScaleA,
    LoadScaleB,
    LoadBias,
    Finish
  } state_e;

  state_e    state_q, state_d;
  load_job_t job_q, job_d;
  halves_t   halves_q;
  logic      failed_q, stop;
  logic      accept, row_taken;

  logic [1:0] in_use_q;  // tile commands that use their halves of the operand buffers
  logic       halves_in_use;

  // ---- taking a tile command --------------------------------------------------------------------
  halves_t halves_d;

  assign stop    = failed_q || abort_i;
  assign ready_o = state_q == Idle && !halves_in_use && room_i && !stop;
  assign accept  = ready_o && valid_i;
  assign idle_o  = state_q == Idle && in_use_q == '0;
  assign job_d   = accept ? checked_i.load : job_q;

  always_comb begin
    halves_d.a      = halves_q.a ^ checked_i.load.a.wanted;
    halves_d.b      = halves_q.b ^ checked_i.load.b.wanted;
    halves_d.vectors = !halves_q.vectors;
  end

  assign loaded_valid_o = accept;
  assign loaded_o       = '{compute: checked_i.compute, halves: halves_d, error: checked_i.store.error,
                            record: checked_i.store.record, tag: checked_i.store.tag};

  // ---- tile commands that use their operands ----------------------------------------------------
  assign halves_in_use = in_use_q[1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) in_use_q <= '0;
    else in_use_q <= in_use_q + 2'(accept) - 2'(released_i);
  end

  // ---- commands before that are not complete ----------------------------------------------------
  // The command at hand is one of those that have begun, from its first tile command on.
  logic [BegunW-1:0] begun_q, earlier;
  logic              may_read;

  assign earlier  = accept ? begun_q : begun_q - BegunW'(1);
  assign may_read = job_d.after == '0 || earlier < job_d.after;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begun_q <= '0;
    else begun_q <= begun_q + BegunW'(accept && checked_i.load.first) - BegunW'(complete_i && begun_q != '0);
  end

  // ---- tile commands that may still use their vectors -------------------------------------------
  logic [HeldW-1:0] held_q;
  logic             vectors_free;

  assign vectors_free = held_q <= HeldW'(1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) held_q <= '0;
    else held_q <= held_q + HeldW'(state_q == Finish && row_taken) - HeldW'(stored_i);
  end

  // ---- rows -------------------------------------------------------------------------------------
  addr_t      addr_q, stride_q;
  logic [3:0] tile_q;             // of the rows, modulo 16
  dim_t       rows_q;             // still to be requested, this one included
  logic [7:0] ram_q, last_ram_q;
  dim_t       word_q;
  logic [4:0] last_byte_q;
  logic       vector_state;

  function automatic dim_t vector_beats(dim_t count);
    return dim_t'(({2'b00, count, 2'b00} + (DimW+4)'(BEAT - 1)) >> BeatLog);
  endfunction

  logic       beside_q;           // rows of B are left that may be requested beside strips of A
  logic       begun_beside_q;     // there were some when the load of A began
  logic       beside_d, row_beside, beside_ends;

  // What the tile command at hand loads
  typedef struct packed {
    logic a;
    logic mx_a;
    logic b;
    logic mx_b;
    logic scale_a;
    logic scale_b;
    logic bias;
  } wanted_t;

  wanted_t wanted, left_q, left;  // of all, what is left, and without what the state at hand loads

  assign wanted = '{a: checked_i.load.a.wanted, mx_a: checked_i.load.a.mx_wanted,
                    b: checked_i.load.b.wanted, mx_b: checked_i.load.b.mx_wanted,
                    scale_a: checked_i.load.a.scale_wanted, scale_b: checked_i.load.b.scale_wanted,
                    bias: checked_i.load.bias_wanted};

  always_comb begin
    left = accept ? wanted : left_q;
    unique case (state_q)
      LoadA: begin
        left.a = 1'b0;
        if (begun_beside_q && (!beside_q || beside_ends)) left.b = 1'b0;
      end
      LoadMxA:    left.mx_a    = 1'b0;
      LoadB:      left.b       = 1'b0;
      LoadMxB:    left.mx_b    = 1'b0;
      LoadScaleA: left.scale_a = 1'b0;
      LoadScaleB: left.scale_b = 1'b0;
      LoadBias:   left.bias    = 1'b0;
      default: ;
    endcase
  end

  // What is loaded next. A state that waits for the vectors' memory would hold up what may be read
  // later.
  state_e next_state;

  always_comb begin
    next_state = Finish;
    if (may_read) begin
      if (left.a) next_state = LoadA;
      else if (left.mx_a) next_state = LoadMxA;
      else if (left.b) next_state = LoadB;
      else if (left.mx_b) next_state = LoadMxB;
      else if (left.scale_a) next_state = LoadScaleA;
      else if (left.scale_b) next_state = LoadScaleB;
      else if (left.bias) next_state = LoadBias;
    end else begin
      next_state = Wait;
      if (job_d.b_free) begin
        if (left.b) next_state = LoadB;
        else if (left.mx_b) next_state = LoadMxB;
        else if (vectors_free && left.scale_b) next_state = LoadScaleB;
        else if (vectors_free && left.bias) next_state = LoadBias;
      end
    end
  end

  // Words of a vector
  dim_t vector_words;
  assign vector_words = (state_q == LoadScaleA) ? job_q.a.rows :
                        (REQUANTISE && state_q == LoadScaleB) ? dim_t'(job_q.b.rows << 1) : job_q.b.rows;
  assign vector_state = state_q == LoadScaleA || state_q == LoadScaleB || state_q == LoadBias;
  assign row_taken    = row_valid_o && row_ready_i;

  // ---- strips -----------------------------------------------------------------------------------
  logic         image, strip_valid, strip_taken, strip_reads, image_done;
  row_request_t strip_row;

  assign few_strips_o  = job_q.adds_c;
  assign image         = IMAGES && state_q == LoadA && job_q.conv_a;
  assign strip_taken   = strip_valid && !stop && strip_ready_i && (!strip_reads || row_ready_i);
  assign strip_valid_o = strip_valid && !stop && (!strip_reads || row_ready_i);

  if (IMAGES) begin : g_strips
    fp8mac_image_strips #(.ROWS(ROWS), .BEAT(BEAT), .DEPTHWISE(DEPTHWISE)) u_strips (
      .clk_i, .rst_ni,
      .start_i     (image),
      .stop_i      (stop),
      .image_i     (job_q.image),
      .addr_i      (job_q.a.addr),
      .stride_i    (job_q.a.stride),
      .m_i         (job_q.a.rows),
      .k_i         (job_q.a_k),
      .row_words_i (job_q.a_row_words),
      .depthwise_i (DEPTHWISE && job_q.depthwise),
      .pairs_i     (DEPTHWISE && job_q.pairs),
      .first_rows_i(job_q.first_rows),
      .next_rows_i (job_q.next_rows),
      .k_start_i   (job_q.k_start),
      .half_i      (halves_q.a),
      .fmt_i       (job_q.a.fmt),
      .last_byte_i (DEPTHWISE && job_q.depthwise ? 5'(BEAT - 1) : last_byte_q),
      .done_o      (image_done),
      .valid_o     (strip_valid),
      .ready_i     (strip_taken),
      .strip_o,
      .read_o      (strip_reads),
      .row_o       (strip_row),
      .align_idle_i,
      .row_start_o
    );
  end else begin : g_no_strips
    assign image_done  = 1'b0;
    assign strip_valid = 1'b0;
    assign strip_reads = 1'b0;
    assign strip_o     = '0;
    assign strip_row   = '0;
    assign row_start_o = '0;
    logic unused_image;
    assign unused_image = ^{image, strip_taken, align_idle_i};
  end

  // ---- rows and vectors -------------------------------------------------------------------------
  logic offers_strip, rows_of_b;

  assign offers_strip = strip_valid && strip_reads && strip_ready_i;
  assign row_beside   = image && !offers_strip && row_taken;
  assign beside_ends  = row_beside && rows_q == dim_t'(1);
  assign rows_of_b    = state_q == LoadB || (image && !offers_strip);

  // As the load of A begins, B is wanted and comes next.
  assign beside_d = IMAGES && state_d == LoadA && job_d.conv_a && left.b && !left.mx_a;

  always_comb begin
    row_valid_o = 1'b0;
    row_o       = '{none: 1'b0, addr: addr_q, beats: job_q.row_beats};
    dest_o      = '{kind: DestA, half: halves_q.a, ram: ram_q, word: word_q, fmt: job_q.a.fmt,
                    last_byte: last_byte_q, last: 1'b0, depthwise: 1'b0, pairs: 1'b0,
                    rotate: '0};
    unique case (state_q)
      LoadA: begin
        row_valid_o = !stop && (!image || offers_strip || beside_q);
        if (image && offers_strip) begin
          row_o       = strip_row;
          dest_o.kind = DestImage;
        end
      end
      LoadB:   row_valid_o = !stop;
      LoadMxA, LoadMxB: begin
        row_valid_o = !stop;
        row_o.beats = job_q.mx_words;
        dest_o.kind = (state_q == LoadMxA) ? DestMxA : DestMxB;
        dest_o.half = (state_q == LoadMxA) ? halves_q.a : halves_q.b;
      end
      LoadScaleA, LoadScaleB, LoadBias: begin
        row_valid_o = !stop && vectors_free;
        row_o.beats = vector_beats(vector_words);
        dest_o.kind = (state_q == LoadScaleA) ? DestScaleA : (state_q == LoadBias) ? DestBias :
                      job_q.gamma ? DestGamma : DestScaleB;
        dest_o.half = halves_q.vectors;
        dest_o.word = '0;
        dest_o.last_byte = 5'({vector_words, 2'b00} - 18'd1) & 5'(BEAT - 1);
      end
      Finish: begin
        row_valid_o = sources_ready_i;
        row_o.none  = 1'b1;
      end
      default: ;
    endcase
    if (rows_of_b) begin
      dest_o.kind = DestB;
      dest_o.half = halves_q.b;
      dest_o.fmt  = job_q.b.fmt;
      if (DEPTHWISE && job_q.depthwise) dest_o.rotate = job_q.pairs ? tile_q : {tile_q[2:0], 1'b0};
    end
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    if (accept) state_d = next_state;
      Wait:    state_d = next_state;
      LoadA:   if (image ? image_done : (row_taken && rows_q == dim_t'(1))) state_d = next_state;
      LoadMxA, LoadB, LoadMxB:
               if (row_taken && rows_q == dim_t'(1)) state_d = next_state;
      LoadScaleA, LoadScaleB, LoadBias:
               if (row_taken) state_d = next_state;
      Finish:  if (row_taken) state_d = Idle;
      default: state_d = Idle;
    endcase
    if (stop && state_q != Idle && state_q != Finish) state_d = Finish;
  end

  // The rows that the registers below count: those of B beside an image, which go on in LoadB
  state_e rows_of;
  logic   begins, goes_on;

  assign rows_of = beside_d ? LoadB : state_d;
  assign begins  = state_d != state_q && !(state_d == LoadB && begun_beside_q);
  assign goes_on = image ? row_beside : row_taken && !vector_state;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q        <= Idle;
      halves_q       <= '0;
      failed_q       <= 1'b0;
      begun_beside_q <= 1'b0;
      beside_q       <= 1'b0;
    end else begin
      if (state_d != state_q) begin
        begun_beside_q <= beside_d;
        beside_q       <= beside_d;
      end else if (beside_ends) begin
        beside_q <= 1'b0;
      end
      state_q  <= state_d;
      failed_q <= (failed_q || read_failed_i) && !clear_i;
      if (accept) halves_q <= halves_d;
    end
    job_q       <= job_d;
    if (state_d != state_q) left_q <= left;
    last_byte_q <= 5'(job_d.k - dim_t'(1)) & 5'(BEAT - 1);

    if (begins) begin
      ram_q      <= '0;
      word_q     <= '0;
      tile_q     <= '0;
      rows_q     <= (rows_of == LoadA || rows_of == LoadMxA) ? job_d.a.rows :
                    (DEPTHWISE && job_d.pairs && rows_of == LoadB) ? dim_t'(job_d.b.rows << 1) : job_d.b.rows;
      last_ram_q <= (rows_of == LoadA || rows_of == LoadMxA) ? 8'(ROWS - 1) : 8'(COLS - 1);
      unique case (rows_of)
        LoadA: begin
          addr_q      <= job_d.a.addr;
          stride_q    <= job_d.a.stride;
        end
        LoadB: begin
          addr_q      <= job_d.b.addr;
          stride_q    <= job_d.b.stride;
        end
        LoadMxA: begin
          addr_q      <= job_d.a.mx_addr;
          stride_q    <= job_d.a.mx_stride;
        end
        LoadMxB: begin
          addr_q      <= job_d.b.mx_addr;
          stride_q    <= job_d.b.mx_stride;
        end
        LoadScaleA: addr_q <= job_d.a.scale;
        LoadScaleB: addr_q <= job_d.b.scale;
        default:    addr_q <= job_d.bias;
      endcase
    end else if (goes_on) begin
      addr_q <= addr_q + stride_q;
      rows_q <= rows_q - dim_t'(1);
      ram_q  <= (ram_q == last_ram_q) ? '0 : ram_q + 8'd1;
      if (ram_q == last_ram_q) begin
        tile_q <= tile_q + 4'd1;
        word_q <= word_q + ((state_q == LoadMxA || state_q == LoadMxB) ? job_q.mx_words : job_q.row_words);
      end
    end
  end

  assign c_valid_o = state_q == Finish && row_taken && job_q.c_wanted && !stop;
  assign c_o       = job_q.c;
  assign x_valid_o = state_q == Finish && row_taken && job_q.x_wanted && !stop;
  assign x_o       = job_q.x;

  in_use_is_bounded : assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_use_q != 2'd3 && !(released_i && in_use_q == '0));
  assign waits_o = state_q == Wait;

  // Else a distance that `after` cannot name would need a wait, too.
  begun_is_bounded : assert property (@(posedge clk_i) disable iff (!rst_ni) begun_q != '1);
  held_is_bounded : assert property (@(posedge clk_i) disable iff (!rst_ni) held_q != '1);

endmodule
