// SPDX-License-Identifier: Apache-2.0
// fp8mac_cmd_walk with commands of one kind, taken one behind the other, and a receiver that waits
// any time. The proof has no bound on time. The solver chooses a product (m, n, k) of a command.
// Exactly one of the command's tile commands has it. A tile command is never larger than its tile,
// nor a chunk of K than it may be, and chunks are whole granules if the tile sizes are. Each tile
// command is the next one in the walk's order, and comes within a few cycles, so every command
// ends. The last one is marked, and no other. An operand is reused exactly if it is that of the
// tile command before, and accumulators are kept and continued exactly between the chunks of a
// tile. All other fields are those of the command. A tile command stays until it is taken. An
// abort drops the command.
//
// With MATRICES, their addresses and those of vectors are proved in place of the chosen product.
// They equal their definition: base, plus rows times stride, plus what lies before in a row. A tile
// command that begins behind the last address is marked, and so is a command whose rows overlap.
// proofs.py proves one matrix at a time. That no other tile command is marked needs all of them at
// once, which takes too long.
//
// Assumed, so not covered: row commands, images, pairs and MX scales. m and n are at most MOST,
// tiles at most MAX_MN, k at most 15, and tile_k and first_k at most 7. As in the accelerator,
// nothing is taken behind a tile command with a bad address until an abort.
module formal_cmd_walk
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned GRANULE     = 2,
  parameter int unsigned MAX_MN      = 3,
  parameter int unsigned MOST        = 7,     // rows and columns of a command, at most 7
  parameter bit          ELEMENTWISE = 1'b0,  // commands are element-wise; else they are GEMMs
  parameter bit [3:0]    MATRICES    = '0     // whose addresses are proved: 1 A, 2 B, 4 D, 8 C
) (
  input logic     clk_i,
  input logic     rst_ni,
  input logic     abort_i,
  input logic     valid_i,
  input command_t command_i,
  input logic     ready_i,
  input logic [2:0] any_m_i,
  input logic [2:0] any_n_i,
  input logic [3:0] any_k_i
);
  localparam bit Places = MATRICES != '0;
  localparam bit OfA = MATRICES[0], OfB = MATRICES[1], OfD = MATRICES[2], OfC = MATRICES[3];

  typedef logic [3:0]       count_t;  // rows, columns and products of a command
  typedef logic [4:0]       sum_t;    // of two of them
  typedef logic [AddrW+3:0] place_t;  // an address that may be beyond the last one

  logic      idle, ready, valid;
  tile_cmd_t tile;

  fp8mac_cmd_walk #(.GRANULE(GRANULE), .MAX_MN(MAX_MN)) dut (
    .clk_i, .rst_ni, .abort_i, .idle_o(idle), .valid_i, .command_i, .ready_o(ready), .valid_o(valid), .tile_o(tile),
    .ready_i
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // The walker's states, in their order
  typedef enum logic [1:0] {
    Idle, Size, Offer, Move
  } state_e;
  state_e state;
  assign state = state_e'(dut.state_q);

  // ---- the command, and what counts of it -------------------------------------------------------
  command_t cmd_q;
  count_t   m_all, n_all, k_all, tile_m, tile_n, tile_k, first_k;
  logic     adds_c, accept, taken;

  assign m_all   = count_t'(cmd_q.m);
  assign n_all   = count_t'(cmd_q.n);
  assign k_all   = ELEMENTWISE ? count_t'(1) : count_t'(cmd_q.k);
  assign tile_m  = count_t'(cmd_q.tile.m);
  assign tile_n  = count_t'(cmd_q.tile.n);
  assign tile_k  = ELEMENTWISE ? '0 : count_t'(cmd_q.tile.k);
  assign first_k = count_t'(cmd_q.tile.first_k);
  assign adds_c  = cmd_q.c.en && (cmd_q.c.beta[30:0] != '0 || cmd_q.mode.op == OpMultiply);
  assign accept  = valid_i && ready;
  assign taken   = valid && ready_i;

  // ---- the position of the next tile command, and of the one before -----------------------------
  // Tiles of the resident operand in order; for each one, those of the other operand forwards
  // and backwards in turn.
  logic   open_q;           // the command was taken, and its last tile command was not
  logic   first_q;          // no tile command was taken
  logic   bad_q;            // one with a bad address was taken
  count_t m_q, n_q, k_q;
  logic   back_q;
  count_t before_m_q, before_n_q;  // of the tile command before
  logic   before_back_q, before_whole_q;
  count_t cap_q;            // products of the next chunk, at most

  function automatic logic more_behind(count_t all, count_t from, count_t size);
    return size != '0 && all - from > size;
  endfunction

  function automatic count_t size_at(count_t all, count_t from, count_t size);
    return more_behind(all, from, size) ? size : all - from;
  endfunction

  // Where the walk goes when all of K is done, and whether it ends there
  typedef struct packed {
    logic   ends;
    count_t m;
    count_t n;
    logic   back;
  } step_t;

  function automatic step_t step_from(count_t m, count_t n, logic back);
    logic more_m, more_n, stream_more;
    more_m      = more_behind(m_all, m, tile_m);
    more_n      = more_behind(n_all, n, tile_n);
    step_from   = '{ends: 1'b0, m: m, n: n, back: back};
    stream_more = cmd_q.mode.b_resident ? (back ? m != '0 : more_m) : (back ? n != '0 : more_n);
    if (stream_more && cmd_q.mode.b_resident) step_from.m = back ? m - tile_m : m + tile_m;
    else if (stream_more) step_from.n = back ? n - tile_n : n + tile_n;
    else begin
      step_from.back = !back;
      if (cmd_q.mode.b_resident) begin
        step_from.n    = n + tile_n;
        step_from.ends = !more_n;
      end else begin
        step_from.m    = m + tile_m;
        step_from.ends = !more_m;
      end
    end
  endfunction

  step_t  next;
  count_t m_size, n_size, k_behind;
  logic   k_ends, whole;

  assign next     = step_from(m_q, n_q, back_q);
  assign m_size   = size_at(m_all, m_q, tile_m);
  assign n_size   = size_at(n_all, n_q, tile_n);
  assign k_behind = k_all - k_q;
  assign k_ends   = dim_t'(k_behind) == tile.k;
  assign whole    = k_q == '0 && k_ends;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i) begin
      open_q <= 1'b0;
      bad_q  <= 1'b0;
    end else if (accept) begin
      cmd_q   <= command_i;
      open_q  <= 1'b1;
      first_q <= 1'b1;
      bad_q   <= 1'b0;
      m_q     <= '0;
      n_q     <= '0;
      k_q     <= '0;
      back_q  <= 1'b0;
      cap_q   <= count_t'(command_i.tile.first_k != '0 ? command_i.tile.first_k : command_i.tile.k);
    end else if (taken) begin
      first_q        <= 1'b0;
      bad_q          <= bad_q || tile.range_bad;
      before_m_q     <= m_q;
      before_n_q     <= n_q;
      before_back_q  <= back_q;
      before_whole_q <= whole;
      if (!k_ends) begin
        k_q   <= k_q + count_t'(tile.k);
        cap_q <= sum_t'(cap_q) + sum_t'(cap_q) < sum_t'(tile_k) ? count_t'(cap_q << 1) : tile_k;
      end else begin
        k_q    <= '0;
        cap_q  <= tile_k;
        m_q    <= next.m;
        n_q    <= next.n;
        back_q <= next.back;
        open_q <= !next.ends;
      end
    end
  end

  // ---- its addresses ----------------------------------------------------------------------------
  function automatic place_t times(addr_t stride, count_t rows);
    times = '0;
    for (int unsigned i = 0; i < $clog2(MOST + 1); i++) if (rows[i]) times += place_t'(stride) << i;
  endfunction

  function automatic place_t values(count_t x, logic [1:0] size_log2);
    return place_t'(x) << size_log2;
  endfunction

  // What the rows before a position take: a stride for each of them. A move adds or takes
  // away those of a tile.
  typedef struct packed {
    place_t a;
    place_t b;
    place_t c;
    place_t d;
  } rows_t;

  rows_t rows_q, rows_before_q;  // rows_before_q: of the tile command before

  function automatic place_t along(place_t x, addr_t stride, count_t rows, logic back);
    return back ? x - times(stride, rows) : x + times(stride, rows);
  endfunction

  // From one position to the next one
  function automatic rows_t moved(rows_t rows, count_t m, count_t n, count_t next_m, count_t next_n);
    moved = rows;
    if (next_m != m) begin
      if (OfA) moved.a = along(rows.a, cmd_q.a.stride, tile_m, next_m < m);
      if (OfC) moved.c = along(rows.c, cmd_q.c.stride, tile_m, next_m < m);
      if (OfD) moved.d = along(rows.d, cmd_q.d.stride, tile_m, next_m < m);
    end
    if (next_n != n && OfB) moved.b = along(rows.b, cmd_q.b.stride, tile_n, next_n < n);
  endfunction

  always_ff @(posedge clk_i) begin
    if (accept) rows_q <= '0;
    else if (taken) begin
      rows_before_q <= rows_q;
      if (k_ends) rows_q <= moved(rows_q, m_q, n_q, next.m, next.n);
    end
  end

  typedef struct packed {
    place_t a;
    place_t b;
    place_t c;
    place_t d;
    place_t scale_a;
    place_t scale_b;
    place_t bias;
  } places_t;

  logic [1:0] c_log2, d_log2, x_log2;
  assign c_log2 = dst_size(dst_fmt_e'(cmd_q.c.fmt));
  assign d_log2 = dst_size(dst_fmt_e'(cmd_q.d.fmt));
  assign x_log2 = dst_size(dst_fmt_e'(cmd_q.x_fmt));

  // 0 for what a command does not have
  function automatic places_t places_at(rows_t rows, count_t m, count_t n, count_t k);
    return '{
      a: !OfA ? '0 : place_t'(cmd_q.a.addr) + rows.a + (ELEMENTWISE ? values(n, x_log2) : place_t'(k)),
      b: ELEMENTWISE || !OfB ? '0 : place_t'(cmd_q.b.addr) + rows.b + place_t'(k),
      c: adds_c && OfC ? place_t'(cmd_q.c.addr) + rows.c + values(n, c_log2) : '0,
      d: !OfD ? '0 : place_t'(cmd_q.d.addr) + rows.d + values(n, d_log2),
      scale_a: !Places ? '0 : place_t'(cmd_q.a.scale) + (cmd_q.a.scale_vec ? values(m, 2'd2) : '0),
      scale_b: !Places ? '0 : place_t'(cmd_q.b.scale) + (cmd_q.b.scale_vec ? values(n, 2'd2) : '0),
      bias: Places && cmd_q.finish.bias_en ? place_t'(cmd_q.finish.bias) + values(n, 2'd2) : '0
    };
  endfunction

  function automatic logic is_beyond(place_t x);
    return x[AddrW+3:AddrW] != '0;
  endfunction

  function automatic logic any_beyond(places_t p);
    return is_beyond(p.a) || is_beyond(p.b) || is_beyond(p.c) || is_beyond(p.d) || is_beyond(p.scale_a) ||
           is_beyond(p.scale_b) || is_beyond(p.bias);
  endfunction

  places_t places;
  assign places = places_at(rows_q, m_q, n_q, k_q);

  // A row must not reach into the next one, where rows are read or written.
  function automatic logic too_short(addr_t stride, count_t columns, logic [1:0] size_log2);
    return place_t'(stride) < values(columns, size_log2);
  endfunction

  logic stride_bad;
  assign stride_bad =
    (m_all > 1 && !cmd_q.a.reuse && too_short(cmd_q.a.stride, ELEMENTWISE ? n_all : k_all,
                                              ELEMENTWISE ? x_log2 : 2'd0)) ||
    (n_all > 1 && !cmd_q.b.reuse && !ELEMENTWISE && too_short(cmd_q.b.stride, k_all, 2'd0)) ||
    (m_all > 1 && !cmd_q.mode.acc_keep && (too_short(cmd_q.d.stride, n_all, d_log2) ||
                                           (adds_c && too_short(cmd_q.c.stride, n_all, c_log2))));

  // ---- the tile command that must come ----------------------------------------------------------
  logic a_there, b_there;  // it was the operand of the tile command before
  assign a_there = first_q ? cmd_q.a.reuse : before_whole_q && before_m_q == m_q;
  assign b_there = first_q ? cmd_q.b.reuse : before_whole_q && before_n_q == n_q;

  // Fields that nothing reads are free. The products of a chunk are limited below.
  tile_cmd_t expected;

  always_comb begin
    expected = '{
      tag: cmd_q.tag, error: cmd_q.error, first: first_q, last: k_ends && next.ends,
      range_bad: (Places && stride_bad) || any_beyond(places),
      sequence_bad: first_q && !expected.last &&
                    (cmd_q.a.reuse || cmd_q.b.reuse || cmd_q.mode.acc_continue || cmd_q.mode.acc_keep),
      next_rows: !first_q && before_m_q != m_q, k_start: k_q == '0, rows_phase: tile.rows_phase,
      rows_out: tile.rows_out, rows_first: tile.rows_first, rows_end: tile.rows_end, seen: tile.seen,
      m: dim_t'(m_size), n: dim_t'(n_size), k: tile.k, a: cmd_q.a, b: cmd_q.b, c: cmd_q.c, d: cmd_q.d,
      x_fmt: cmd_q.x_fmt, finish: cmd_q.finish, mode: cmd_q.mode, image: cmd_q.image, mx_first: tile.mx_first,
      first_m: size_t'(m_q), first_n: size_t'(n_q), seconds: tile.seconds
    };
    expected.a.addr            = OfA ? addr_t'(places.a) : tile.a.addr;
    expected.b.addr            = !ELEMENTWISE && OfB ? addr_t'(places.b) : tile.b.addr;
    expected.c.en              = adds_c;
    expected.c.addr            = adds_c && OfC ? addr_t'(places.c) : tile.c.addr;
    expected.d.addr            = OfD ? addr_t'(places.d) : tile.d.addr;
    expected.a.scale           = addr_t'(places.scale_a);
    expected.b.scale           = addr_t'(places.scale_b);
    expected.finish.bias       = cmd_q.finish.bias_en ? addr_t'(places.bias) : tile.finish.bias;
    expected.a.mx_addr         = tile.a.mx_addr;
    expected.b.mx_addr         = tile.b.mx_addr;
    expected.a.reuse           = ELEMENTWISE ? cmd_q.a.reuse : a_there && whole;
    expected.b.reuse           = ELEMENTWISE ? cmd_q.b.reuse : b_there && whole;
    expected.mode.acc_continue = k_q != '0 || cmd_q.mode.acc_continue;
    expected.mode.acc_keep     = !k_ends || cmd_q.mode.acc_keep;
    // Behind the addresses there are none.
    if (MATRICES != '1) expected.range_bad |= tile.range_bad;
    if (!Places || any_beyond(places)) begin
      expected.a.addr      = tile.a.addr;
      expected.b.addr      = tile.b.addr;
      expected.c.addr      = tile.c.addr;
      expected.d.addr      = tile.d.addr;
      expected.a.scale     = tile.a.scale;
      expected.b.scale     = tile.b.scale;
      expected.finish.bias = tile.finish.bias;
    end
  end

  // ---- one product ------------------------------------------------------------------------------
  count_t m, n, k;
  logic   exists, hit, hit_q;  // hit_q: a tile command before had it

  assign m[3] = 1'b0;
  assign n[3] = 1'b0;
  formal_const #(.WIDTH(10)) u_product (.clk_i, .any_i({any_m_i, any_n_i, any_k_i}), .const_o({m[2:0], n[2:0], k}));

  function automatic logic has(dim_t from, dim_t size, count_t x);
    return dim_t'(x) >= from && dim_t'(x) < from + size;
  endfunction

  assign exists = m < m_all && n < n_all && k < k_all;
  assign hit    = taken && has(dim_t'(tile.first_m), tile.m, m) && has(dim_t'(tile.first_n), tile.n, n) &&
                  has(dim_t'(k_q), tile.k, k);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || accept) hit_q <= 1'b0;
    else if (hit) hit_q <= 1'b1;
  end

  // Whether the walk has gone past it
  count_t resident, stream, resident_at, stream_at, resident_size, stream_size;
  logic   past;

  assign resident      = cmd_q.mode.b_resident ? n : m;
  assign stream        = cmd_q.mode.b_resident ? m : n;
  assign resident_at   = cmd_q.mode.b_resident ? n_q : m_q;
  assign stream_at     = cmd_q.mode.b_resident ? m_q : n_q;
  assign resident_size = cmd_q.mode.b_resident ? n_size : m_size;
  assign stream_size   = cmd_q.mode.b_resident ? m_size : n_size;
  assign past = resident < resident_at ||
                (resident < resident_at + resident_size &&
                 ((back_q ? stream >= stream_at + stream_size : stream < stream_at) ||
                  (has(dim_t'(stream_at), dim_t'(stream_size), stream) && k < k_q)));

  // ---- time -------------------------------------------------------------------------------------
  // Strides times tiles take a cycle for each bit of a tile, and one more; then the first move goes
  // on.
  localparam int unsigned MnW     = $clog2(MAX_MN + 1);
  localparam int unsigned Product = MnW + 1;
  logic [4:0] age_q, total;  // cycles since the command was taken; those of its products
  logic [1:0] since_q;       // cycles since the command, or the last tile command, was taken

  assign total = 5'((adds_c ? 4 : 3) * Product);

  always_ff @(posedge clk_i) begin
    if (accept) age_q <= '0;
    else if (age_q != '1) age_q <= age_q + 5'd1;
    if (accept || taken) since_q <= '0;
    else if (since_q != '1) since_q <= since_q + 2'd1;
  end

  // ---- the walker's registers -------------------------------------------------------------------
  // It moves behind the tile command that was taken. Until then its registers are of the position
  // before.
  command_t kept;   // as the walker keeps the command
  count_t   at_m, at_n;
  rows_t    at_rows;
  places_t  at;

  always_comb begin
    kept = cmd_q;
    if (ELEMENTWISE) begin
      kept.k      = size_t'(1);
      kept.tile.k = '0;
    end
    kept.c.en = adds_c;
  end

  assign at_m = (state == Move) ? before_m_q : m_q;
  assign at_n = (state == Move) ? before_n_q : n_q;
  assign at_rows = (state == Move) ? rows_before_q : rows_q;
  assign at   = places_at(at_rows, at_m, at_n, '0);

  logic moves_m, moves_n, moves_back;
  assign moves_m    = m_q != before_m_q;
  assign moves_n    = n_q != before_n_q;
  assign moves_back = m_q < before_m_q || n_q < before_n_q;

  function automatic logic [AddrW:0] by(logic [AddrW:0] x);
    return moves_back ? -x : x;
  endfunction

  function automatic logic [AddrW:0] by_tile(logic [1:0] size_log2);
    return (AddrW+1)'(tile_n) << size_log2;
  endfunction

  function automatic logic keeps(logic [AddrW:0] x, place_t place);
    return x[AddrW] == is_beyond(place) && (x[AddrW] || x[AddrW-1:0] == place[AddrW-1:0]);
  endfunction

  function automatic logic [AddrW:0] step_of(place_t x);
    return is_beyond(x) ? {1'b1, {AddrW{1'b0}}} : x[AddrW:0];
  endfunction

  function automatic logic is_tile(count_t from, count_t all, count_t size);
    return from == '0 || (from < all && size != '0 && from % size == '0);
  endfunction

  // The product at hand: a tile size and a stride
  logic [4:0] number, bits;
  count_t     factor;
  addr_t      stride;
  place_t     so_far;

  assign number = age_q / 5'(Product);
  assign bits   = 5'(MnW) - age_q % 5'(Product);
  assign factor = (number == 5'd1) ? tile_n : tile_m;
  assign stride = (number == 5'd0) ? cmd_q.a.stride : (number == 5'd1) ? cmd_q.b.stride :
                  (number == 5'd2) ? cmd_q.d.stride : cmd_q.c.stride;
  assign so_far = times(stride, factor >> bits);

  // ---- properties -------------------------------------------------------------------------------
  logic   held_q;  // a tile command waits
  tile_cmd_t held_tile_q;

  always_ff @(posedge clk_i) begin
    held_q      <= rst_ni && valid && !ready_i;
    held_tile_q <= tile;
  end

  function automatic logic is_covered(command_t x);
    return !x.mode.conv_a && !x.mode.mx && x.mode.op != OpRows && (x.mode.op != OpGemm) == ELEMENTWISE &&
           x.m <= size_t'(MOST) && x.n <= size_t'(MOST) && x.k < 16 &&
           x.tile.m <= dim_t'(MAX_MN) && x.tile.n <= dim_t'(MAX_MN) && x.tile.k < 8 && x.tile.first_k < 8;
  endfunction

  function automatic logic whole_granules(count_t x);
    return x % count_t'(GRANULE) == '0;
  endfunction

  always_comb begin
    if (rst_ni) begin
      command_is_covered : assume (is_covered(command_i));
      nothing_behind_a_bad_address : assume (!bad_q || !ready_i);

      busy_to_the_end : assert (idle == !open_q && ready == (!open_q && !abort_i));
      offers_until_an_abort : assert (valid == (open_q && state == Offer && !abort_i));
      comes_in_time : assert (!open_q || abort_i || since_q < 2 || age_q < total + 3 || valid);
      comes_at_once : assert (!open_q || abort_i || valid || since_q < 1 || k_q == '0 && !first_q);
      stays_until_taken : assert (!held_q || abort_i || (valid && tile == held_tile_q));

      if (valid && !bad_q) begin
        is_the_next_one : assert (tile == expected);
        legal_ones_have_products : assert (k_all == '0 || tile.k != '0);
        within_k : assert (tile.k <= dim_t'(k_behind));
        within_the_tile : assert ((tile_m == '0 || tile.m <= dim_t'(tile_m)) &&
                                  (tile_n == '0 || tile.n <= dim_t'(tile_n)));
        within_the_chunk : assert (tile_k == '0 || tile.k <= dim_t'(GRANULE) ||
                                   32'(tile.k) <= (32'(cap_q) + GRANULE - 1) / GRANULE * GRANULE);
        a_small_rest_is_one_chunk : assert (k_ends || (tile_k != '0 && k_behind > cap_q &&
                                                       32'(k_behind) > GRANULE));
        chunks_are_whole_granules : assert (k_ends || !whole_granules(tile_k) || !whole_granules(first_k) ||
                                            whole_granules(count_t'(tile.k)));
      end

      not_twice : assert (Places || !hit || !hit_q);
      what_it_passed_it_gave : assert (Places || !open_q || !exists || hit_q == past);
      all_at_the_end : assert (Places || !(taken && tile.last) || !exists || hit || hit_q);

      // ---- what the induction needs
      if (open_q) begin
        keeps_the_command : assert (dut.cmd_q == kept && is_covered(cmd_q));
        cap_is_kept : assert (ELEMENTWISE || (dut.cap_q == dim_t'(cap_q) && (tile_k == '0 || cap_q != '0) &&
          (!whole_granules(tile_k) || !whole_granules(first_k) || whole_granules(cap_q))));
        position_is_a_tile : assert (is_tile(m_q, m_all, tile_m) && is_tile(n_q, n_all, tile_n) &&
                                     (k_q == '0 || k_q < k_all));
        position_is_kept : assert (dut.m_left_q == size_t'(m_all - at_m) && dut.n_left_q == size_t'(n_all - at_n) &&
                                   dut.k_left_q == size_t'(k_behind) &&
                                   dut.backwards_q == (state == Move ? before_back_q : back_q));
        start_is_kept : assert (dut.first_q == first_q && dut.from_start_q == (k_q == '0));
        rows_are_multiples : assert (
          (!OfA || rows_q.a == times(cmd_q.a.stride, m_q)) && (!OfB || rows_q.b == times(cmd_q.b.stride, n_q)) &&
          (!OfC || rows_q.c == times(cmd_q.c.stride, m_q)) && (!OfD || rows_q.d == times(cmd_q.d.stride, m_q)));
        goes_to_the_next : assert (state != Move || (k_q == '0 && !first_q && !dut.k_more_q &&
                                   step_from(before_m_q, before_n_q, before_back_q) ==
                                   step_t'{ends: 1'b0, m: m_q, n: n_q, back: back_q} &&
                                   (!Places || moved(rows_before_q, before_m_q, before_n_q, m_q, n_q) == rows_q) &&
                                   is_tile(before_m_q, m_all, tile_m) && is_tile(before_n_q, n_all, tile_n)));
        sizes_are_kept : assert (!(state inside {Offer, Move}) ||
          (dut.m_q == dim_t'(size_at(m_all, at_m, tile_m)) && dut.n_q == dim_t'(size_at(n_all, at_n, tile_n)) &&
           dut.m_more_q == more_behind(m_all, at_m, tile_m) && dut.n_more_q == more_behind(n_all, at_n, tile_n) &&
           dut.m_start_q == (at_m == '0) && dut.n_start_q == (at_n == '0) &&
           dut.first_m_q == size_t'(at_m) && dut.first_n_q == size_t'(at_n)));
        chunk_is_kept : assert (state != Offer || (dut.k_more_q == !k_ends));
        operands_are_known : assert (first_q ? dut.has_a_q == cmd_q.a.reuse && dut.has_b_q == cmd_q.b.reuse :
          (dut.has_a_q == (before_whole_q && before_m_q == m_q) &&
           dut.has_b_q == (before_whole_q && before_n_q == n_q)));
        same_tile_in_a_chunk : assert (k_q == '0 || (!first_q && before_m_q == m_q && before_n_q == n_q &&
                                                     !before_whole_q));
        rows_are_known : assert (dut.next_rows_q == (!first_q && state != Move && before_m_q != m_q));
        moves_in_time : assert ((state != Move || since_q == '0 || age_q <= total + 1) &&
                                (state != Size || since_q == '0 || (since_q == 2'd1 && k_q == '0) ||
                                 age_q <= total + 2));
        first_one_is_at_the_start : assert (!first_q ? age_q > 1 : (m_q == '0 && n_q == '0 && k_q == '0 && !back_q &&
                                                         state != Move && !bad_q && (state != Offer || age_q != '0)));

        products_in_time : assert (dut.stepping_q == (age_q < total) &&
                                   (age_q == '0 || dut.steps_done_q == (age_q > total)));
        product_at_hand : assert (!dut.stepping_q || (5'(dut.product_q) == number && 5'(dut.bits_left_q) == bits &&
          dut.factor_q == (16'(factor) << (16 - MnW) << (5'(MnW) - bits)) && dut.stride_q == stride));
        product_so_far : assert (!dut.stepping_q || !MATRICES[number[1:0]] ||
                                  keeps({dut.beyond_q, dut.step_q}, so_far));
        steps_are_kept : assert (
          (!OfA || age_q < 5'(Product) || dut.a_step_q == step_of(times(cmd_q.a.stride, tile_m))) &&
          (!OfB || age_q < 5'(2 * Product) || dut.b_step_q == step_of(times(cmd_q.b.stride, tile_n))) &&
          (!OfD || age_q < 5'(3 * Product) || dut.d_step_q == step_of(times(cmd_q.d.stride, tile_m))) &&
          (!OfC || !adds_c || age_q < 5'(4 * Product) || dut.c_step_q == step_of(times(cmd_q.c.stride, tile_m))));

        if (Places && !bad_q) begin
          legal_so_far : assert (!any_beyond(at) || (state inside {Size, Offer} && k_q == '0));
          places_are_kept : assert (
            (!OfA || keeps(dut.a_tile_q, at.a)) && (!OfD || keeps(dut.d_q, at.d)) &&
            (ELEMENTWISE || !OfB || keeps(dut.b_tile_q, at.b)) && (!adds_c || !OfC || keeps(dut.c_q, at.c)) &&
            keeps(dut.scale_a_q, at.scale_a) && keeps(dut.scale_b_q, at.scale_b) &&
            (!cmd_q.finish.bias_en || keeps(dut.bias_q, at.bias)));
          places_of_the_chunk : assert (state != Offer || ((!OfA || keeps(dut.a_q, places.a)) &&
            (ELEMENTWISE || !OfB || keeps(dut.b_q, places.b))));
          place_of_the_next_chunk : assert (state != Size || k_q == '0 ||
            ((!OfA || keeps(dut.a_q + (AddrW+1)'(dut.k_q), places.a)) &&
             (ELEMENTWISE || !OfB || keeps(dut.b_q + (AddrW+1)'(dut.k_q), places.b))));
        end
        // What the next move adds, in the cycle before
        moves_by : assert (state != Move || !dut.steps_done_q || (dut.rewinds_q == 1'b0 &&
          (!OfA || dut.a_by_q == by(moves_m ? dut.a_step_q : (moves_n && ELEMENTWISE) ? by_tile(x_log2) : '0)) &&
          (ELEMENTWISE || !OfB || dut.b_by_q == by(moves_n ? dut.b_step_q : '0)) &&
          (!adds_c || !OfC || dut.c_by_q == by(moves_m ? dut.c_step_q : moves_n ? by_tile(c_log2) : '0)) &&
          (!OfD || dut.d_by_q == by(moves_m ? dut.d_step_q : moves_n ? by_tile(d_log2) : '0))));
        strides_are_judged : assert (!Places || state inside {Size, Move} ||
                                     (dut.stride_bad_q == stride_bad && !dut.scales_bad_q));
      end

      walks_back_in_chunks : cover (taken && back_q && k_q != '0);
      behind_the_last_address : cover (taken && tile.range_bad && !stride_bad && k_q != '0);
      another_command : cover (accept && hit_q && exists);
      aborted : cover (abort_i && held_q && !first_q);
    end
  end

endmodule
