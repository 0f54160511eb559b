// SPDX-License-Identifier: Apache-2.0
// The tile walker divides a command into tile commands. D is divided into tiles of tile_m x
// tile_n outputs, and K of each tile into chunks of at most tile_k products. A size of 0 stands
// for the whole matrix.
//
// One operand is resident: B with b_resident, else A. For each of its tiles in order, the tiles of
// the other operand are streamed, first forwards, then backwards, and so on in turn. A tile
// command with all of K reuses the operand that it has in common with the tile command before it,
// if that had all of K too.
//
// All chunks of a tile but the last keep their accumulators, all but the first continue them. A
// chunk has at most `cap` products, and about half of the rest if that is less than two caps. A
// rest of at most a granule is one chunk. All chunks but the last are whole granules if cap is. The
// cap is tile_k, except in the first tile: it begins with first_k there and doubles from chunk to
// chunk, because nothing hides the first load.
//
// An image operand A stays at its address, and tile commands say how their rows and products
// follow those before. Only forwards: tiles of its rows must not be streamed for more than
// one tile of B's rows.
//
// A row command is divided into bands of RowsBand rows, and these into tile commands of
// rows_columns() columns, whatever its tile sizes are. Phases follow each other in a band: each
// visits all columns forwards. Only the last one gives D, with the norms' vectors. In a
// reduction it is one tile command of one column. Where rows are divided into MX blocks, a tile
// command has the columns of a block, and all phases of a block come before the next block. The
// last one gives scales.
//
//   Idle -> Size -> Offer -> Size ...      the next chunk
//                         -> Move -> Size  the next tile; a first Move waits for the products of sizes and strides,
//                                          and a first Size for that of an image
//
// The walker also judges what concerns the command as a whole: strides against rows, tiles behind
// the last address, and chains, which only commands of one tile command can be part of.
module fp8mac_cmd_walk
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned GRANULE = 32,  // products: a power of two
  parameter int unsigned BEAT    = 16,  // bytes
  parameter int unsigned MAX_MN  = 128, // limit of a tile's m and n
  parameter bit          REQUANTISE = 1'b0  // scales of B are integer scales, of two words
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      abort_i,  // drop the command at hand and take no other
  output logic      idle_o,

  input  logic      valid_i,
  input  command_t  command_i,
  output logic      ready_o,

  output logic      valid_o,
  output tile_cmd_t tile_o,
  input  logic      ready_i
);
  localparam int unsigned MnW        = $clog2(MAX_MN + 1);
  localparam int unsigned GranuleLog = $clog2(GRANULE);

  typedef enum logic [1:0] {
    Idle,
    Size,   // the sizes of the tile command at hand
    Offer,
    Move
  } state_e;

  // An address with a bit for "behind the last address". Tiles are visited forwards before they are
  // visited backwards, and the walk ends at the first such address, so one bit suffices.
  typedef logic [AddrW:0] position_addr_t;

  state_e   state_q, state_d;
  command_t cmd_q;
  logic     accept, taken, moved;
  logic     size_known;  // the sizes wait for nothing

  logic     conv, mx;

  assign conv    = cmd_q.mode.conv_a;
  assign mx      = cmd_q.mode.mx && cmd_q.mode.op == OpGemm;
  assign ready_o = state_q == Idle && !abort_i;
  assign accept  = ready_o && valid_i;
  assign idle_o  = state_q == Idle;
  assign valid_o = state_q == Offer && !abort_i;
  assign taken   = valid_o && ready_i;

  // An element-wise command has no K. C is not read if beta is 0, unless X is multiplied by C. K of
  // a row command has another meaning.
  command_t command;
  logic     elementwise, rows, reduction, blocks;  // blocks: MX blocks of a row command
  logic     pairs;                                 // two results of each row of an image and channel
  size_t    seen_q;

  always_comb begin
    command = command_i;
    if (command_i.mode.op != OpGemm) begin
      command.k      = size_t'(1);
      command.tile.k = '0;
    end
    if (command_i.mode.op == OpRows) begin
      command.tile.m          = dim_t'(RowsBand);
      command.tile.n          = rows_mx(rows_operation_e'(command_i.mode.row_op)) ? dim_t'(MxBlock) :
                                                                                    dim_t'(rows_columns(MAX_MN));
      command.mode.b_resident = 1'b0;
    end
    // BETA is the factor of C in sums alone.
    if (command_i.c.beta[30:0] == '0 && (command_i.mode.op == OpGemm || command_i.mode.op == OpAdd)) begin
      command.c.en = 1'b0;
    end
  end

  assign elementwise = cmd_q.mode.op != OpGemm;
  assign rows        = cmd_q.mode.op == OpRows;
  assign reduction   = rows && rows_reduction(rows_operation_e'(cmd_q.mode.row_op));
  assign pairs       = !elementwise && conv && cmd_q.mode.depthwise && cmd_q.mode.pairs;
  assign blocks      = rows && rows_mx(rows_operation_e'(cmd_q.mode.row_op));

  always_ff @(posedge clk_i) begin
    if (accept) cmd_q <= command;
    if (accept) seen_q <= command_i.k;
  end

  // The phase of a row command's band
  logic [1:0] phase_q;
  logic       last_phase, result;  // the result of a reduction: one column

  assign last_phase = phase_q == rows_last_phase(rows_operation_e'(cmd_q.mode.row_op));
  assign result     = (reduction || blocks) && last_phase;

  // ---- products of tile sizes and strides -------------------------------------------------------
  // One bit of a tile's rows per cycle, the highest first: A, B, D, then C. In place of A's rows,
  // an image has the lines behind its first one. With pairs, an output line's rows times D's stride
  // is the second product, in the place of C. A product beyond the addresses becomes the first
  // address behind the last one. This and the choice of the next stride have a cycle of their own,
  // behind the lowest bit. MX scales are matrices, too.
  typedef enum logic [2:0] {
    ProductA,
    ProductB,
    ProductD,
    ProductC,
    ProductMxA,
    ProductMxB
  } product_e;

  localparam int unsigned FactorW = 16;  // as an image's height
  localparam int unsigned BitW    = $clog2(FactorW + 1);

  logic             stepping_q;
  product_e         product_q, product_next;
  logic             product_last;
  logic [BitW-1:0]  bits_left_q;
  logic [FactorW-1:0] factor_q;   // these bits, at the top
  addr_t            stride_q;
  addr_t            step_q;       // the product of the bits before
  logic             beyond_q;     // it is beyond the addresses
  logic [AddrW+1:0] step_sum;
  position_addr_t   step, a_step_q, b_step_q, d_step_q, c_step_q, mx_a_step_q, mx_b_step_q;
  logic             product_done, steps_done_q;

  assign product_done = bits_left_q == '0;
  assign step_sum     = {1'b0, step_q, 1'b0} + (factor_q[FactorW-1] ? (AddrW+2)'(stride_q) : '0);
  assign step         = beyond_q ? {1'b1, {AddrW{1'b0}}} : {1'b0, step_q};

  function automatic logic [FactorW-1:0] to_top(logic [MnW-1:0] factor);
    return {factor, {FactorW-MnW{1'b0}}};
  endfunction

  logic [FactorW-1:0] lines_behind;
  assign lines_behind = command_i.image.height - 16'd1;

  always_comb begin
    unique case (product_q)
      ProductA:   product_next = pairs ? ProductC : ProductB;
      ProductB:   product_next = ProductD;
      ProductD:   product_next = cmd_q.c.en ? ProductC : ProductMxA;
      ProductC:   product_next = pairs ? ProductB : ProductMxA;
      default:    product_next = ProductMxB;
    endcase
    product_last = product_q == ProductMxB ||
                   (pairs ? product_q == ProductD :
                    !mx && !blocks && (product_q == ProductC || (product_q == ProductD && !cmd_q.c.en)));
  end

  always_ff @(posedge clk_i) begin
    steps_done_q <= !stepping_q;
    if (!rst_ni) stepping_q <= 1'b0;
    else if (accept) stepping_q <= 1'b1;
    else if (product_last && product_done) stepping_q <= 1'b0;
    if (accept) begin
      product_q   <= ProductA;
      bits_left_q <= command_i.mode.conv_a ? BitW'(FactorW) : BitW'(MnW);
      factor_q    <= command_i.mode.conv_a ? lines_behind : to_top(MnW'(command.tile.m));
      stride_q    <= command_i.a.stride;
      step_q      <= '0;
      beyond_q    <= 1'b0;
    end else if (stepping_q && product_done) begin
      product_q   <= product_next;
      bits_left_q <= (pairs && product_next == ProductC) ? BitW'(FactorW) : BitW'(MnW);
      factor_q    <= (pairs && product_next == ProductC) ? cmd_q.image.out_w :
                     to_top((product_next == ProductB || product_next == ProductMxB) ? MnW'(cmd_q.tile.n)
                                                                                     : MnW'(cmd_q.tile.m));
      unique case (product_next)
        ProductB:   stride_q <= cmd_q.b.stride;
        ProductD:   stride_q <= cmd_q.d.stride;
        ProductC:   stride_q <= pairs ? cmd_q.d.stride : cmd_q.c.stride;
        ProductMxA: stride_q <= cmd_q.a.mx_stride;
        default:    stride_q <= cmd_q.b.mx_stride;
      endcase
      step_q      <= '0;
      beyond_q    <= 1'b0;
      unique case (product_q)
        ProductA:   a_step_q <= step;
        ProductB:   b_step_q <= step;
        ProductD:   d_step_q <= step;
        ProductC:   c_step_q <= step;
        ProductMxA: mx_a_step_q <= step;
        default:    mx_b_step_q <= step;
      endcase
    end else if (stepping_q) begin
      bits_left_q <= bits_left_q - BitW'(1);
      factor_q    <= factor_q << 1;
      step_q      <= step_sum[AddrW-1:0];
      beyond_q    <= beyond_q || step_sum[AddrW+1:AddrW] != '0;
    end
  end

  // ---- sizes ------------------------------------------------------------------------------------
  // The rows, columns and products that remain, those of the tile command at hand included. Sizes
  // beyond DimW bits are illegal. They become 0, which is illegal too.
  size_t m_left_q, n_left_q, k_left_q;
  dim_t  m_q, n_q, k_q, cap_q;
  logic  m_more, n_more, k_more;        // more remains behind
  logic  m_more_q, n_more_q, k_more_q;
  logic  m_start_q, n_start_q;          // nothing is before
  size_t first_m_q, first_n_q;          // what is before
  logic  k_near;
  dim_t  k_half;                        // half of what remains, in whole granules
  dim_t  m_size, n_size, k_size;

  localparam size_t MostColumns = size_t'(1 << 24);  // of a row command: numbers of columns have 24 bits

  function automatic dim_t to_dim(size_t x);
    return (x[31:DimW] == '0) ? x[DimW-1:0] : '0;
  endfunction

  assign m_more = cmd_q.tile.m != '0 && m_left_q > size_t'(cmd_q.tile.m);
  assign n_more = cmd_q.tile.n != '0 && n_left_q > size_t'(cmd_q.tile.n) && (!result || blocks);
  assign k_more = cmd_q.tile.k != '0 && k_left_q > size_t'(cap_q) && k_left_q > size_t'(GRANULE);
  assign k_near = k_left_q < size_t'({cap_q, 1'b0});
  assign k_half = dim_t'(((DimW+1)'(k_left_q) + (DimW+1)'(2 * GRANULE - 1)) >> (GranuleLog + 1)) << GranuleLog;

  always_comb begin
    m_size = m_more ? cmd_q.tile.m : to_dim(m_left_q);
    n_size = n_more ? cmd_q.tile.n : to_dim(n_left_q);
    k_size = !k_more ? to_dim(k_left_q) : k_near ? k_half : cap_q;
    if (result) n_size = dim_t'(1);
    if (rows && (cmd_q.n > MostColumns || seen_q > cmd_q.n || cmd_q.n == '0)) n_size = '0;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Size) begin
      m_q       <= m_size;
      n_q       <= n_size;
      k_q       <= k_size;
      m_more_q  <= m_more;
      n_more_q  <= n_more;
      k_more_q  <= k_more;
      m_start_q <= m_left_q == cmd_q.m;
      n_start_q <= n_left_q == cmd_q.n;
      first_m_q <= cmd_q.m - m_left_q;
      first_n_q <= cmd_q.n - n_left_q;
    end
  end

  // ---- the next tile command --------------------------------------------------------------------
  // The streamed operand's next tile, else the next phase of a row command, else the resident
  // operand's next tile. The next phase of MX blocks comes first.
  logic first_q, backwards_q, from_start_q;
  logic stream_more, resident_more, move_m, move_n, next_phase, phase_ends;

  assign stream_more   = cmd_q.mode.b_resident ? (backwards_q ? !m_start_q : m_more_q)
                                               : (backwards_q ? !n_start_q : n_more_q);
  assign resident_more = cmd_q.mode.b_resident ? n_more_q : m_more_q;
  assign next_phase    = rows && (blocks || !stream_more) && !last_phase;
  assign phase_ends    = rows && (blocks || !stream_more);
  assign move_m        = (cmd_q.mode.b_resident == stream_more) && (stream_more || resident_more) && !next_phase;
  assign move_n        = (cmd_q.mode.b_resident != stream_more) && (stream_more || resident_more) &&
                         !(blocks && next_phase);
  assign moved         = state_q == Move && (steps_done_q || (rows && !move_m));

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    if (valid_i) state_d = Size;
      Size:    if (size_known) state_d = Offer;
      Offer:   if (taken) state_d = k_more_q ? Size : (stream_more || next_phase || resident_more) ? Move : Idle;
      default: if (moved) state_d = Size;
    endcase
    if (abort_i) state_d = Idle;
  end

  // Whether a command's tiles are visited from the tile behind on: the streamed operand
  // moves against its order.
  logic back;
  assign back = stream_more && backwards_q;

  // To the first column of a band: its own, or the next one's
  logic rewinds;
  assign rewinds = rows && !stream_more && !(blocks && next_phase);

  function automatic size_t left_after(size_t left, dim_t tile, logic towards_start);
    return towards_start ? left + size_t'(tile) : left - size_t'(tile);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
    if (accept) begin
      m_left_q     <= command_i.m;
      n_left_q     <= command_i.n;
      k_left_q     <= command.k;
      cap_q        <= (command_i.tile.first_k != '0) ? command_i.tile.first_k : command_i.tile.k;
      first_q      <= 1'b1;
      backwards_q  <= 1'b0;
      from_start_q <= 1'b1;
    end else if (taken) begin
      first_q      <= 1'b0;
      k_left_q     <= k_more_q ? k_left_q - size_t'(k_q) : cmd_q.k;
      from_start_q <= !k_more_q;
      cap_q        <= (k_more_q && !cap_q[DimW-1] && {cap_q[DimW-2:0], 1'b0} < cmd_q.tile.k) ?
                      {cap_q[DimW-2:0], 1'b0} : cmd_q.tile.k;
    end else if (moved) begin
      if (move_m) m_left_q <= left_after(m_left_q, cmd_q.tile.m, back);
      if (move_n) n_left_q <= left_after(n_left_q, cmd_q.tile.n, back);
      if (rewinds) n_left_q <= cmd_q.n;
      if (!stream_more) backwards_q <= !backwards_q && !rows;
    end
    if (accept) phase_q <= '0;
    else if (moved && phase_ends) phase_q <= last_phase ? '0 : phase_q + 2'd1;
  end

  // ---- reuse ------------------------------------------------------------------------------------
  // An operand is there if the tile command before had all of K and the same rows of it.
  logic whole, has_a_q, has_b_q;
  logic next_rows_q;  // since the tile command before

  assign whole = from_start_q && !k_more_q;

  always_ff @(posedge clk_i) begin
    if (accept) begin
      has_a_q <= command_i.a.reuse;
      has_b_q <= command_i.b.reuse;
    end else if (taken) begin
      has_a_q <= whole && !move_m;
      has_b_q <= whole && !move_n;
    end
    if (accept || taken) next_rows_q <= 1'b0;
    else if (moved && move_m) next_rows_q <= 1'b1;
  end

  // ---- addresses --------------------------------------------------------------------------------
  position_addr_t a_tile_q, b_tile_q, c_q, d_q, scale_a_q, scale_b_q, bias_q;
  position_addr_t a_q, b_q;   // of the chunk
  position_addr_t a_band_q, d_band_q;  // of a row command's band
  position_addr_t mx_a_tile_q, mx_b_tile_q, mx_a_q, mx_b_q;
  position_addr_t lines_q;    // with pairs: D's address, of twice the rows before, and an output line behind
  beat_byte_t     mx_first_q;
  dim_t           mx_next, mx_beats;  // a row's scales from the beat of the chunk before to the chunk; in whole beats
  logic [1:0]     d_size, c_size, x_size;

  assign d_size = dst_size(dst_fmt_e'(cmd_q.d.fmt));
  assign c_size = dst_size(dst_fmt_e'(cmd_q.c.fmt));
  assign x_size = dst_size(dst_fmt_e'(cmd_q.x_fmt));

  function automatic position_addr_t along(position_addr_t from, position_addr_t by, logic towards_start);
    return towards_start ? from - by : from + by;
  endfunction

  // What a move adds to addresses of matrices, and where from, a cycle before it
  logic           rewinds_q;           // from the first column of the band, to it or to the next one
  position_addr_t a_by_q, b_by_q, c_by_q, d_by_q, mx_a_by_q, mx_b_by_q;

  function automatic position_addr_t along_n(logic [1:0] element_size);
    return position_addr_t'(cmd_q.tile.n) << element_size;
  endfunction

  function automatic position_addr_t twice(position_addr_t x);
    return {x[AddrW] || x[AddrW-1], x[AddrW-2:0], 1'b0};
  endfunction

  always_ff @(posedge clk_i) begin
    rewinds_q <= rewinds;
    a_by_q <= along('0, move_m ? (conv ? '0 : a_step_q) : (move_n && elementwise) ? along_n(x_size) : '0, back);
    b_by_q <= along('0, move_n ? b_step_q : '0, back);
    c_by_q <= along('0, (move_m && !pairs) ? c_step_q : move_n ? along_n(c_size) : '0, back);
    d_by_q <= along('0, move_m ? (pairs ? twice(d_step_q) : d_step_q) :
                        (move_n && !(rows && !last_phase)) ? along_n(d_size) : '0, back);
    mx_a_by_q <= along('0, move_m ? mx_a_step_q : '0, back);
    mx_b_by_q <= along('0, move_n ? mx_b_step_q : '0, back);
  end

  function automatic position_addr_t sum_of(position_addr_t a, position_addr_t b);
    logic [AddrW:0] sum;
    sum = {1'b0, a[AddrW-1:0]} + {1'b0, b[AddrW-1:0]};
    return {sum[AddrW] || a[AddrW] || b[AddrW], sum[AddrW-1:0]};
  endfunction

  always_ff @(posedge clk_i) begin
    if (accept) begin
      a_tile_q  <= {1'b0, command_i.a.addr};
      b_tile_q  <= {1'b0, command_i.b.addr};
      d_q       <= {1'b0, command_i.d.addr};
      a_band_q  <= {1'b0, command_i.a.addr};
      d_band_q  <= {1'b0, command_i.d.addr};
      c_q       <= {1'b0, command_i.c.addr};
      mx_a_tile_q <= {1'b0, command_i.a.mx_addr};
      mx_b_tile_q <= {1'b0, command_i.b.mx_addr};
      scale_a_q <= {1'b0, command_i.a.scale};
      scale_b_q <= {1'b0, command_i.b.scale};
      bias_q    <= {1'b0, command_i.finish.bias};
    end else if (moved) begin
      a_tile_q <= (rewinds_q ? a_band_q : a_tile_q) + a_by_q;
      b_tile_q <= b_tile_q + b_by_q;
      c_q      <= c_q + c_by_q;
      d_q      <= (rewinds_q ? d_band_q : d_q) + d_by_q;
      if (rewinds_q) a_band_q <= a_band_q + a_by_q;
      if (rewinds_q) d_band_q <= d_band_q + d_by_q;
      mx_a_tile_q <= mx_a_tile_q + mx_a_by_q;
      mx_b_tile_q <= mx_b_tile_q + mx_b_by_q;
      if (move_m && cmd_q.a.scale_vec) begin
        scale_a_q <= along(scale_a_q, position_addr_t'({cmd_q.tile.m, 2'b00}), back);
      end
      if (rewinds_q) begin
        bias_q    <= {1'b0, cmd_q.finish.bias};
        scale_b_q <= {1'b0, cmd_q.b.scale};
      end else if (move_n && !(rows && !last_phase)) begin
        bias_q <= along(bias_q, position_addr_t'({cmd_q.tile.n, 2'b00}), back);
        if (cmd_q.b.scale_vec) begin
          scale_b_q <= along(scale_b_q, position_addr_t'(cmd_q.tile.n) << (REQUANTISE ? 3 : 2), back);
        end
      end
    end
    if (state_q == Size) begin
      a_q        <= (conv || from_start_q) ? a_tile_q : a_q + position_addr_t'(k_q);
      b_q        <= from_start_q ? b_tile_q : b_q + position_addr_t'(k_q);
      mx_a_q     <= from_start_q ? mx_a_tile_q : mx_a_q + position_addr_t'(mx_beats);
      mx_b_q     <= from_start_q ? mx_b_tile_q : mx_b_q + position_addr_t'(mx_beats);
      mx_first_q <= from_start_q ? '0 : beat_byte_t'(mx_next & dim_t'(BEAT - 1));
      lines_q    <= sum_of(d_q, c_step_q);
    end
  end

  // A chunk that others follow has whole MX blocks, or the command is refused.
  assign mx_next  = dim_t'(mx_first_q) + (k_q >> $clog2(MxBlock));
  assign mx_beats = mx_next & ~dim_t'(BEAT - 1);

  // ---- the end of an image: two stages behind its product ---------------------------------------
  logic [2:0]       image_known_q;
  logic [AddrW+1:0] last_line_q;
  logic             image_bad_q;

  assign size_known = !conv || image_known_q[2];

  always_ff @(posedge clk_i) begin
    if (accept) image_known_q <= '0;
    else begin
      image_known_q <= {image_known_q[1:0],
                        !(product_q == ProductA || (pairs && product_q == ProductC)) || !stepping_q};
    end
    last_line_q <= (AddrW+2)'(a_tile_q) + (AddrW+2)'(a_step_q);
    image_bad_q <= last_line_q + (AddrW+2)'(cmd_q.image.width) > (AddrW+2)'(1) << AddrW;
  end

  // ---- what concerns the whole command ----------------------------------------------------------
  // The bytes of a row of C, D or X need two bits more than its columns.
  logic stride_bad_q, scales_bad_q, beyond, divided;  // scales_bad_q: a stride of MX scales

  function automatic logic too_short(addr_t stride, size_t columns, logic [1:0] element_size);
    return (AddrW+2)'(stride) < (AddrW+2)'(columns) << element_size;
  endfunction

  size_t row_values;
  assign row_values = blocks ? cmd_q.n : cmd_q.k;

  // A row has more MX blocks than the stride has bytes.
  function automatic logic too_short_for_scales(addr_t stride);
    return (AddrW + $clog2(MxBlock))'(row_values) > {stride, ($clog2(MxBlock))'(0)};
  endfunction

  always_ff @(posedge clk_i) begin
    if (state_q == Size) begin
      stride_bad_q <= (cmd_q.m > size_t'(1) && !cmd_q.a.reuse && !conv &&
                       (elementwise ? too_short(cmd_q.a.stride, cmd_q.n, x_size)
                                    : cmd_q.a.stride < addr_t'(cmd_q.k))) ||
                      (cmd_q.n > size_t'(1) && !cmd_q.b.reuse && !elementwise &&
                       cmd_q.b.stride < addr_t'(cmd_q.k)) ||
                      ((cmd_q.m > size_t'(1) || pairs) && !cmd_q.mode.acc_keep &&
                       (too_short(cmd_q.d.stride, reduction ? size_t'(1) : cmd_q.n, d_size) ||
                        (cmd_q.c.en && too_short(cmd_q.c.stride, cmd_q.n, c_size))));
      scales_bad_q <= (mx && ((cmd_q.m > size_t'(1) && !cmd_q.a.reuse && too_short_for_scales(cmd_q.a.mx_stride)) ||
                              (cmd_q.n > size_t'(1) && !cmd_q.b.reuse && too_short_for_scales(cmd_q.b.mx_stride)))) ||
                      (blocks && cmd_q.m > size_t'(1) && too_short_for_scales(cmd_q.a.mx_stride));
    end
  end

  assign beyond  = a_q[AddrW] || (!elementwise && b_q[AddrW]) || (cmd_q.c.en && c_q[AddrW]) ||
                   d_q[AddrW] || scale_a_q[AddrW] || scale_b_q[AddrW] || (cmd_q.finish.bias_en && bias_q[AddrW]) ||
                   (pairs && lines_q[AddrW]) || ((mx || blocks) && mx_a_q[AddrW]) || (mx && mx_b_q[AddrW]);
  assign divided = m_more_q || n_more_q || k_more_q;

  // With pairs: the rows of A from here on that have results 1
  size_t seconds_difference;
  dim_t  seconds_left;

  assign seconds_difference = cmd_q.c.stride - first_m_q;
  assign seconds_left       = (cmd_q.c.stride <= first_m_q) ? '0 :
                              (seconds_difference[31:DimW] != '0) ? '1 : seconds_difference[DimW-1:0];

  // ---- the tile command -------------------------------------------------------------------------
  always_comb begin
    tile_o = '{
      tag: cmd_q.tag, error: cmd_q.error, first: first_q,
      last: !k_more_q && !stream_more && !next_phase && !resident_more,
      range_bad: stride_bad_q || scales_bad_q || beyond || (conv && !cmd_q.a.reuse && image_bad_q),
      sequence_bad: (first_q && divided &&
                     (cmd_q.a.reuse || cmd_q.b.reuse || cmd_q.mode.acc_continue || cmd_q.mode.acc_keep)) ||
                    (first_q && conv && (cmd_q.mode.b_resident || cmd_q.mode.depthwise) && n_more_q),
      rows_phase: phase_q, rows_out: last_phase, rows_first: n_start_q || blocks, rows_end: !n_more_q || blocks,
      seen: seen_q,
      next_rows: next_rows_q, k_start: from_start_q, m: m_q, n: n_q, k: k_q, a: cmd_q.a, b: cmd_q.b, c: cmd_q.c,
      d: cmd_q.d, x_fmt: cmd_q.x_fmt, finish: cmd_q.finish, mode: cmd_q.mode, image: cmd_q.image, mx_first: mx_first_q,
      first_m: first_m_q, first_n: first_n_q, seconds: seconds_left
    };
    tile_o.a.addr            = a_q[AddrW-1:0];
    tile_o.b.addr            = b_q[AddrW-1:0];
    tile_o.c.addr            = pairs ? lines_q[AddrW-1:0] : c_q[AddrW-1:0];
    tile_o.c.stride          = pairs ? c_step_q[AddrW-1:0] : cmd_q.c.stride;
    tile_o.d.addr            = d_q[AddrW-1:0];
    tile_o.a.mx_addr         = mx_a_q[AddrW-1:0];
    tile_o.b.mx_addr         = mx_b_q[AddrW-1:0];
    tile_o.a.scale           = scale_a_q[AddrW-1:0];
    tile_o.b.scale           = scale_b_q[AddrW-1:0];
    tile_o.finish.bias       = bias_q[AddrW-1:0];
    tile_o.a.reuse           = elementwise ? cmd_q.a.reuse : has_a_q && whole;
    tile_o.b.reuse           = elementwise ? cmd_q.b.reuse : has_b_q && whole;
    tile_o.mode.acc_continue = !from_start_q || cmd_q.mode.acc_continue;
    tile_o.mode.acc_keep     = k_more_q || cmd_q.mode.acc_keep;
  end

  if (MnW > FactorW) begin : g_factor
    $error("MAX_MN must be less than 65536");
  end
  if ((1 << GranuleLog) != GRANULE || GRANULE < 2) begin : g_granule
    $error("GRANULE must be a power of two");
  end

`ifndef SYNTHESIS
  tile_stays : assert property (@(posedge clk_i) disable iff (!rst_ni)
    valid_o && !ready_i |=> abort_i || (valid_o && $stable(tile_o)));
`endif
  chunks_have_products : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(taken && k_more_q) || k_q != '0);

endmodule
