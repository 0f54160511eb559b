// SPDX-License-Identifier: Apache-2.0
// Records of a command on its way through the accelerator: its tile commands, and each engine's
// part of a tile command, its job. The command itself is in fp8mac_command_pkg, which is generated
// from the register map.
package fp8mac_cmd_pkg;
  import fp8mac_codes_pkg::*;
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;

  parameter int unsigned DimW  = 16;  // m, n, k of a tile command and everything counted in them
  parameter int unsigned AddrW = 32;  // byte addresses
  parameter int unsigned TagW  = 16;

  typedef logic [31:0]      size_t;  // m, n and k of a command
  typedef logic [DimW-1:0]  dim_t;
  typedef logic [AddrW-1:0] addr_t;
  typedef logic [TagW-1:0]  tag_t;

  // What a command may ask for: the CONFIG4 register's fields, and records. An accelerator is built
  // with or without each of them.
  typedef struct packed {
    logic records;     // MODE.record; CONFIG3.records is 0 without them
    logic depthwise;
    logic requantise;  // no request: the requantiser is in the place of the FP32 epilogue
    logic mx;
    logic rows;
    logic int8;
    logic conv_a;
    logic tables;
    logic stochastic;
    logic elementwise;
    logic c;
  } functions_t;

  parameter functions_t Functions = '{
    records: 1'b1, depthwise: 1'b0, requantise: 1'b0, mx: 1'b0, rows: 1'b0, int8: 1'b1, conv_a: 1'b1, tables: 1'b1,
    stochastic: 1'b1, elementwise: 1'b1, c: 1'b1
  };

  // A command as an accelerator with these functions takes it: if it asks for another one, it has
  // an error in its place. So the engines know nothing of absent functions.
  function automatic command_t offered(command_t command, functions_t functions);
    logic absent;
    offered = command;
    absent  = 1'b0;
    if (!functions.elementwise) begin
      absent |= command.mode.op != OpGemm || command.mode.maximum;
      offered.mode.op      = OpGemm;
      offered.mode.maximum = 1'b0;
      offered.x_fmt        = '0;
    end
    if (!functions.rows) begin
      absent |= command.mode.op == OpRows;
      if (command.mode.op == OpRows) offered.mode.op = OpGemm;
      offered.mode.row_op = '0;
      offered.mode.causal = 1'b0;
    end
    if (!functions.c) begin
      absent |= command.c.en;
      offered.c.en     = 1'b0;
      offered.c.fmt    = '0;
      offered.c.addr   = '0;
      if (!functions.depthwise) offered.c.stride = '0;  // else a number of rows, with pairs
    end
    if (!functions.stochastic) begin
      absent |= command.finish.stochastic;
      offered.finish.stochastic = 1'b0;
      offered.finish.seed       = '0;
    end
    if (!functions.tables) begin
      absent |= code_table_e'(command.finish.act_table) != TableNone;
      offered.finish.act_table = 2'd0;
    end
    if (!functions.conv_a) begin
      absent |= command.mode.conv_a;
      offered.mode.conv_a = 1'b0;
      offered.image       = '0;
    end
    if (!functions.depthwise) begin
      absent |= command.mode.depthwise || command.mode.pairs;
      offered.mode.depthwise = 1'b0;
      offered.mode.pairs     = 1'b0;
    end
    if (!functions.int8) begin
      absent |= command.d.fmt == DstInt8 || (command.c.en && command.c.fmt == DstInt8) ||
                (command.mode.op != OpGemm && command.x_fmt == DstInt8);
    end
    if (!functions.mx) begin
      absent |= command.mode.mx;
      offered.mode.mx     = 1'b0;
      if (!functions.rows) begin
        offered.a.mx_addr   = '0;
        offered.a.mx_stride = '0;
      end
      offered.b.mx_addr   = '0;
      offered.b.mx_stride = '0;
    end
    if (!functions.records) begin
      absent |= command.mode.record;
      offered.mode.record = 1'b0;
    end
    if (functions.requantise) begin
      absent |= command.a.scale_vec || activation_e'(command.finish.act) == ActRelu ||
                !(dst_fmt_e'(command.d.fmt) inside {DstInt8, DstFp32});
      offered.a.scale_vec = 1'b0;
      offered.d.fmt[2:1]  = '1;  // as both have it
    end
    if (absent && command.error == ErrNone) offered.error = ErrMode;
  endfunction

  // Completion records, a power of two, and the one to which a command's flags and amax belong.
  // Commands in flight have different records.
  parameter int unsigned Records = 8;
  parameter int unsigned RecordW = $clog2(Records);
  typedef logic [RecordW-1:0] record_index_t;

  typedef struct packed {
    logic          valid;  // 0: the command has no record
    record_index_t index;
  } owner_t;

  // What software reads of a record
  typedef struct packed {
    tag_t        tag;
    logic        done;
    error_e      error;
    flags_t      flags;
    logic        amax_nonfinite;
    logic [31:0] amax;
  } record_t;

  typedef logic [4:0] beat_byte_t;  // a byte of a beat

  // One tile command of a command
  typedef struct packed {
    tag_t        tag;
    logic        first;         // of its command
    logic        last;
    error_e      error;         // of its command's descriptor
    logic        range_bad;     // the command has illegal strides, or this part of it illegal addresses
    logic        sequence_bad;  // the command is part of a chain, but not one tile command, or walks back in an image
    logic        next_rows;     // the rows of A behind those of the tile command before
    logic        k_start;       // it begins with the command's first product
    logic [1:0]  rows_phase;    // of a row command
    logic        rows_out;      // its last phase, which gives D
    logic        rows_first;    // first tile command of a phase of a band of rows
    logic        rows_end;      // last one
    size_t       seen;          // columns that the command's first row sees; 0: all
    dim_t        m;
    dim_t        n;
    dim_t        k;
    // As in the command, with the addresses, reuse and chaining of this part
    command_operand_t a;
    command_operand_t b;
    command_source_t  c;
    command_result_t  d;
    logic [2:0]       x_fmt;
    command_finish_t  finish;
    command_mode_t    mode;
    command_image_t   image;
    beat_byte_t  mx_first;      // byte of the first scale of this part in the first beat of a row of scales
    size_t       first_m;       // position of its first output in the command's D
    size_t       first_n;
    // With pairs, c.addr is the end of the rows that it could write, less twice its rows, and
    // c.stride the bytes of an output line of D.
    dim_t        seconds;       // rows of A that have results 1; not limited to m
  } tile_cmd_t;

  // A tile command with 0 in the fields that an accelerator with these functions does not read.
  // Where it comes from registers, nothing reads those bits of them, and synthesis leaves them out.
  // It would not if constants were written to them.
  function automatic tile_cmd_t offered_tile(tile_cmd_t tile, functions_t functions);
    offered_tile = tile;
    if (!functions.elementwise) begin
      offered_tile.mode.op      = OpGemm;
      offered_tile.mode.maximum = 1'b0;
      offered_tile.x_fmt        = '0;
    end
    if (!functions.rows) begin
      offered_tile.rows_phase  = '0;
      offered_tile.rows_out    = 1'b0;
      offered_tile.rows_first  = 1'b0;
      offered_tile.rows_end    = 1'b0;
      offered_tile.seen        = '0;
      offered_tile.mode.row_op = '0;
      offered_tile.mode.causal = 1'b0;
    end
    if (!functions.c) begin
      offered_tile.c.en     = 1'b0;
      offered_tile.c.fmt    = '0;
      if (!functions.depthwise) begin
        offered_tile.c.addr   = '0;
        offered_tile.c.stride = '0;
      end
      if (!functions.rows) offered_tile.c.beta = '0;
    end
    if (!functions.stochastic) begin
      offered_tile.finish.stochastic = 1'b0;
      offered_tile.finish.seed       = '0;
      if (!functions.rows) begin
        offered_tile.first_m = '0;
        offered_tile.first_n = '0;
      end
    end
    if (!functions.tables) offered_tile.finish.act_table = '0;
    if (!functions.records) offered_tile.mode.record = 1'b0;
    if (!functions.conv_a) begin
      offered_tile.mode.conv_a = 1'b0;
      offered_tile.image       = '0;
    end
    if (!functions.depthwise) begin
      offered_tile.mode.depthwise = 1'b0;
      offered_tile.mode.pairs     = 1'b0;
      offered_tile.seconds        = '0;
    end
    if (!functions.mx) begin
      offered_tile.mode.mx     = 1'b0;
      offered_tile.mx_first    = '0;
      offered_tile.b.mx_addr   = '0;
      offered_tile.b.mx_stride = '0;
      if (!functions.rows) begin
        offered_tile.a.mx_addr   = '0;
        offered_tile.a.mx_stride = '0;
      end
    end
  endfunction

  // A row command is divided into bands of rows, and these into tile commands of rows_columns()
  // columns. A row has as many partial sums.
  parameter int unsigned RowsBand     = 16;
  parameter int unsigned RowsPartials = 16;

  // Whether the epilogue can have row commands. A sum's values join 16 partial sums in turn, so 32
  // columns side by side would have two values for each; and an MX block has 32 columns.
  function automatic bit rows_possible(int unsigned cols, int unsigned max_mn);
    return cols <= RowsPartials && max_mn >= MxBlock;
  endfunction

  // Cycles between transfers of a phase that leaves statistics, so that no partial sum is needed
  // again in less than 8: the rows of a column of tiles have this many transfers.
  function automatic int unsigned rows_interval(int unsigned transfers, int unsigned cols);
    int unsigned distance;
    distance = transfers * (cols < RowsPartials ? RowsPartials / cols : 1);
    return distance < 8 ? 8 / distance : 1;
  endfunction

  // Whether the passes of row commands are down unless they ask for others: transfers of the same
  // row have more of other rows between them, where an array has few rows.
  function automatic bit rows_down(int unsigned rows, int unsigned cols);
    return rows < 4 || cols > 2 * rows;
  endfunction

  // In a depthwise command, a quad is `cols` channels of the beat that a pixel has. For each beat
  // of its lanes, a step takes as many pixels as a beat has quads: the same quad of each. So a step
  // has a beat's lanes at least. With pairs, half a quad is a group.
  function automatic bit depthwise_possible(int unsigned lanes, int unsigned cols, int unsigned beat);
    return lanes >= beat && cols >= 2 && beat >= 2 * cols && beat <= 8 * cols;
  endfunction

  function automatic int unsigned rows_columns(int unsigned max_mn);
    return max_mn < 512 ? max_mn / 32 * 32 : 480;  // whose limit has nine bits
  endfunction

  // Columns that the first row of a tile command sees, from the tile command's first one on: where
  // all are seen, more than it has. With `causal` it may be below 0.
  parameter int unsigned LimitW = 10;
  typedef logic signed [LimitW-1:0] limit_t;

  function automatic logic rows_reduction(rows_operation_e op);
    return op <= RowsArgmax || op == RowsMagnitude;
  endfunction

  function automatic logic rows_one_phase(rows_operation_e op);
    return op == RowsSigmoid || op == RowsTanh;
  endfunction

  // A row command with results of MX blocks: D has codes, and MX_A_ADDR their scales
  function automatic logic rows_mx(rows_operation_e op);
    return op == RowsQuantiseMx;
  endfunction

  // The last phase of a row command
  function automatic logic [1:0] rows_last_phase(rows_operation_e op);
    if (rows_one_phase(op)) return 2'd0;
    return (op == RowsArgmax || op == RowsLayerNorm || op == RowsSoftmax || rows_mx(op)) ? 2'd2 : 2'd1;
  endfunction

  // What a phase of a row command does. `out`: it is the last one.
  function automatic rows_step_e rows_step(rows_operation_e op, logic [1:0] phase, logic out);
    if (rows_one_phase(op)) return (op == RowsSigmoid) ? StepSigmoid : StepTanh;
    if (rows_mx(op)) return out ? StepResult : (phase == 2'd0) ? StepMagnitude : StepOut;
    if (out) return rows_reduction(op) ? StepResult : (op == RowsSoftmax) ? StepExpOut : StepOut;
    unique case (op)
      RowsSum:                       return StepSum;
      RowsSumOfSquares, RowsRmsNorm: return StepSquares;
      RowsLayerNorm:                 return (phase == 2'd0) ? StepSum : StepSquares;
      RowsArgmax:                    return (phase == 2'd0) ? StepMaximum : StepFirst;
      RowsSoftmax:                   return (phase == 2'd0) ? StepMaximum : StepExpSum;
      RowsMagnitude, RowsQuantise:   return StepMagnitude;
      default:                       return StepMaximum;
    endcase
  endfunction

  // The engines never get PassAutomatic.
  // log2 of a pass's tiles down; those across are the rest of PassTiles.
  function automatic logic [1:0] pass_rows_log2(pass_shape_e shape);
    return 2'(shape);
  endfunction

  function automatic logic [1:0] pass_cols_log2(pass_shape_e shape);
    return 2'd2 - 2'(shape);
  endfunction

  // The position of a tile in its tile command, which travels through the array with the tile's
  // steps.
  typedef logic [7:0] tile_index_t;

  typedef struct packed {
    tile_index_t row_tile;  // tiles above it
    tile_index_t col_tile;  // tiles to its left
    logic        last;      // the tile command's last tile
    owner_t      owner;     // of the results and flags
  } tile_position_t;

  // Words of the operand memories begin blocks of so many codes: one bound is stored for each
  // of them. A row begins with a block. `block` is the number of products that join an
  // accumulator together.
  function automatic int unsigned bound_block(int unsigned block);
    return block > 32 ? block : 32;
  endfunction

  // Whether a parameter is legal
  function automatic bit is_within(int unsigned x, int unsigned least, int unsigned most);
    return x >= least && x <= most;
  endfunction

  function automatic bit is_power(int unsigned x, int unsigned least, int unsigned most);  // of two
    return $countones(x) == 1 && is_within(x, least, most);
  endfunction

  // Beats of a row RAM's MX scales in half an operand buffer, a power of two and at least 2.
  // `tiles` are those of MAX_MN rows or columns, whichever are more.
  function automatic int unsigned scale_beats(int unsigned buf_beats, int unsigned tiles);
    int unsigned most = buf_beats / 8 > tiles ? buf_beats / 8 : tiles;
    return unsigned'(1 << $clog2(most > 2 ? most : 2));
  endfunction

  function automatic code_fmt_t code_fmt(command_operand_t operand);
    return '{narrow: operand.narrow, fmt: operand.fmt};
  endfunction

  // A matrix that results meet on their way to memory: C, or X of an element-wise
  // command. It is m x n.
  typedef struct packed {
    dim_t        m;
    dim_t        n;
    logic [1:0]  size;        // log2 of the bytes of an element
    pass_shape_e pass_shape;
    addr_t       addr;
    addr_t       stride;
  } source_job_t;
  // What the load engine reads of one operand: its rows, its MX scales and its vector of scales
  typedef struct packed {
    logic      wanted;
    logic      mx_wanted;
    logic      scale_wanted;
    dim_t      rows;
    addr_t     addr;
    addr_t     stride;
    addr_t     mx_addr;
    addr_t     mx_stride;
    addr_t     scale;   // of the vector
    code_fmt_t fmt;
  } load_operand_t;

  typedef struct packed {
    logic          first;        // of its command
    logic [3:0]    after;        // nothing is read before the command so far before is stored; 0: no wait
    logic          b_free;       // what belongs to B is read without this wait
    load_operand_t a;
    load_operand_t b;
    logic          gamma;        // the vector of scales of B is a norm's gamma, which may have any values
    logic          bias_wanted;
    addr_t         bias;
    dim_t          k;
    dim_t          row_beats;    // ceil(k / beat)
    dim_t          row_words;    // row_beats, rounded up to whole blocks that have a bound: see bound_block()
    logic          depthwise;
    logic          pairs;        // B has twice as many rows as b.rows
    dim_t          a_k;          // bytes of a row of A, and its words: with depthwise not those of B
    dim_t          a_row_words;
    dim_t          mx_words;     // beats of a row of MX scales
    logic          adds_c;       // the command adds C, this tile command or a later one of the tile
    logic          c_wanted;
    logic          x_wanted;
    source_job_t   c;
    source_job_t   x;
    logic          conv_a;       // A is an image at a.addr; its lines are a.stride bytes apart
    command_image_t image;
    logic          first_rows;   // rows of A begin with row 0 of the command
    logic          next_rows;    // they begin behind those of the last load of A; else they are the same
    logic          k_start;      // codes begin with code 0 of the command; else behind those of the last load of A
  } load_job_t;

  typedef struct packed {
    dim_t        m;
    dim_t        n;
    dim_t        k;
    logic        depthwise;     // these four as in load_job_t
    logic        pairs;
    dim_t        row_words;
    dim_t        a_row_words;
    logic        mx;            // blocks have MX scales
    dim_t        mx_words;      // as in load_job_t
    beat_byte_t  mx_first;      // of the first beat of a row of scales: the scale of block 0
    pass_shape_e pass_shape;
    step_cfg_t   cfg;
    logic        acc_continue;
    logic        acc_keep;
    logic        empty;         // no row takes part: the results are +0, and X takes their place
  } compute_job_t;

  // The scale of an operand
  typedef struct packed {
    logic        in_vector;  // it is in the operand's vector of scales
    logic [31:0] value;      // FP32 bits, if it is not
  } store_scale_t;

  // How D is finished and stored, and what is reported at the command's end.
  typedef struct packed {
    tag_t          tag;
    logic          record;     // the command has a record
    logic          irq;
    logic          first;      // the first tile command of its command
    logic          last;       // the last one
    error_e        error;      // other than ErrNone: nothing is loaded, computed or stored
    logic          acc_keep;   // nothing is stored
    dim_t          m;
    dim_t          n;
    pass_shape_e   pass_shape;
    addr_t         d_addr;
    addr_t         d_stride;
    epilogue_cfg_t epilogue;
    logic          rows_first;  // as in tile_cmd_t
    logic          rows_end;
    limit_t        limit;       // columns that its first row sees
    logic          causal;      // each other row sees one more than the row before
    store_scale_t  a;
    store_scale_t  b;
    // With epilogue.pairs, m and n are rows of A and columns of the array.
    logic [15:0]   out_w;      // rows of A in an output line
    dim_t          seconds;    // rows of A that have results 1
  } store_job_t;

  typedef struct packed {
    load_job_t    load;
    compute_job_t compute;
    store_job_t   store;
  } checked_jobs_t;

  // Which halves of the double buffers a tile command uses.
  typedef struct packed {
    logic a;
    logic b;
    logic vectors;
  } halves_t;

  // A tile command between the start of its load and that of its compute. Its store_job_t waits
  // in a queue of its own.
  typedef struct packed {
    compute_job_t compute;
    halves_t      halves;
    error_e       error;   // of its check
    logic         record;  // as in store_job_t
    tag_t         tag;
  } loaded_job_t;

  // A tile command between the start of its compute and the end of its store. With `skip` it has no
  // results: it or an older one failed.
  typedef struct packed {
    error_e error;        // of its check or its load
    logic   vector_half;
    logic   skip;
  } begun_job_t;

  typedef struct packed {
    store_job_t job;
    logic       vector_half;
    logic       skip;
  } storing_job_t;

  // The same for jobs in queues
  function automatic store_job_t offered_store(store_job_t job, functions_t functions);
    offered_store = job;
    if (!functions.elementwise) begin
      offered_store.epilogue.x_en     = 1'b0;
      offered_store.epilogue.multiply = 1'b0;
      offered_store.epilogue.maximum  = 1'b0;
      offered_store.epilogue.x_fmt    = dst_fmt_e'(0);
    end
    if (!functions.rows) begin
      offered_store.epilogue.rows = rows_cfg_t'(0);
      offered_store.rows_first    = 1'b0;
      offered_store.rows_end      = 1'b0;
      offered_store.limit         = '0;
      offered_store.causal        = 1'b0;
    end
    if (!functions.c) begin
      offered_store.epilogue.c_en  = 1'b0;
      offered_store.epilogue.c_fmt = dst_fmt_e'(0);
      if (!functions.rows && !functions.depthwise) offered_store.epilogue.beta = '0;
    end
    if (!functions.stochastic) begin
      offered_store.epilogue.stochastic = 1'b0;
      offered_store.epilogue.first_m    = '0;
      if (!functions.rows) begin
        offered_store.epilogue.seed    = '0;
        offered_store.epilogue.first_n = '0;
      end
    end
    if (!functions.tables) offered_store.epilogue.code_table = code_table_e'(0);
    if (!functions.records) offered_store.record = 1'b0;
    if (!functions.depthwise) begin
      offered_store.first = 1'b0;
      offered_store.epilogue.pairs = 1'b0;
      offered_store.out_w = '0;
      offered_store.seconds = '0;
    end
  endfunction

  function automatic compute_job_t offered_compute(compute_job_t job, functions_t functions);
    offered_compute = job;
    if (!functions.elementwise) offered_compute.empty = 1'b0;
    if (!functions.depthwise) begin
      offered_compute.depthwise = 1'b0;
      offered_compute.pairs     = 1'b0;
    end
    if (!functions.mx) begin
      offered_compute.mx       = 1'b0;
      offered_compute.mx_words = '0;
      offered_compute.mx_first = '0;
    end
  endfunction

  // What the write-out engine knows of a tile command. With `none` it has no results.
  typedef struct packed {
    logic        none;
    dim_t        m;
    dim_t        n;
    logic [1:0]  size;        // log2 of the bytes of a D element
    pass_shape_e pass_shape;
    addr_t       d_addr;
    addr_t       d_stride;
    logic        dense;       // one row has results of four bytes, of the rows of one region after the other
    // Two results of each row and channel, as in store_job_t
    logic        pairs;
    logic        first;
    logic [15:0] out_w;
    addr_t       line;        // bytes of an output line
    dim_t        seconds;     // rows that have results 1
  } write_out_job_t;

  // What is reported when all writes of a tile command have been acknowledged.
  typedef struct packed {
    tag_t   tag;
    logic   record;
    logic   irq;
    logic   last;
    error_e error;
  } finished_job_t;

  // Software writes four codes of a table at once, the lowest in the lowest byte.
  typedef struct packed {
    logic        write;
    logic        second;  // of the tables
    logic [5:0]  word;    // its codes are 4 * word .. 4 * word + 3
    logic [31:0] codes;
  } table_write_t;

  // The destination of a read's beats
  typedef enum logic [3:0] {
    DestA      = 4'd0,
    DestB      = 4'd1,
    DestScaleA = 4'd2,
    DestScaleB = 4'd3,
    DestBias   = 4'd4,
    DestCommand = 4'd5,  // a command's descriptor
    DestC       = 4'd6,
    DestImage   = 4'd7,  // beats for, and words of, fp8mac_image_align: A
    DestX       = 4'd8,
    DestMxA     = 4'd9,  // MX scales
    DestMxB     = 4'd10,
    DestGamma   = 4'd11, // as DestScaleB, with any values
    DestTable   = 4'd12  // a table of codes
  } dest_kind_e;

  typedef struct packed {
    dest_kind_e kind;
    logic       half;
    logic [7:0] ram;
    dim_t       word;       // address of the first beat; the others follow
    code_fmt_t  fmt;        // DestA, DestB: format of the codes
    logic [4:0] last_byte;  // the row's last byte in its last beat
    logic       last;       // with a beat: it is the row's last one
    logic       depthwise;  // a word of a depthwise command's image
    logic       pairs;      // the command has pairs
    logic [3:0] rotate;     // DestB: groups by which a depthwise command's weights are rotated
  } read_dest_t;

  // Where the rows of an image operand go
  typedef struct packed {
    logic       half;
    dim_t       word;       // of each row's first word
    code_fmt_t  fmt;
    logic [4:0] last_byte;  // of a row, in its last word
    logic       depthwise;
    logic       pairs;
  } image_dest_t;

  // A strip of an image, as it comes in beats. Bytes count from the start of its first beat.
  // With dest.depthwise it is the one beat of a pixel. If it is shared, its rows may go on from
  // the last RAM to RAM 0.
  parameter int unsigned StripW = 20;
  typedef struct packed {
    logic [4:0]        first_row;   // row RAMs that get bytes of it
    logic [4:0]        last_row;
    logic [StripW-1:0] start;       // first byte of the row in RAM 0, if it had one (modulo 2^StripW)
    dim_t              length;      // bytes of each row
    dim_t              zeros;       // beats of zeros before those from memory
    dim_t              beats;       // beats from memory
    dim_t              steps;       // all beats, with the zeros behind
    logic [4:0]        first_byte;  // of the image in the first beat from memory
    logic [4:0]        last_byte;   // of the image in the last beat from memory
    logic              begins;      // the rows begin with it; of a shared strip the last one of them
    logic              ends;        // the rows end with it; of a shared strip the first one of them
    logic              shared;      // all rows take the same bytes
    image_dest_t       dest;
  } image_strip_t;

  // A row to be moved over AXI. A row with `none` has no beats; it marks the end of a tile command.
  typedef struct packed {
    logic  none;
    addr_t addr;
    dim_t  beats;
  } row_request_t;

  // The kind of element and what it supports: the ELEMENT register's fields.
  typedef struct packed {
    logic [7:0] terms_log2;  // an accumulator takes 2^terms_log2 products; 0: any number
    logic [7:0] frac_bits;   // fraction bits of the alignment window; 0: there is no window
    logic       align_by_operands;
    logic       int8;        // A and B are INT8, and nothing else
    logic       narrow;      // A and B may have narrow codes
    logic       e5m2;        // A and B may have the E5M2 formats; else only the E4M3 formats
    logic       acc_fixed;   // commands select it as FP32, the format in which it is read out
    logic       acc_fp16;
    logic       acc_fp32;
    logic [7:0] kind;        // a number of fp8mac_catalogue_pkg
  } element_t;

  // The counters that software reads; `cycles` is the sum of `compute` .. `idle`.
  typedef struct packed {
    logic [31:0] cycles;
    logic [31:0] compute;
    logic [31:0] results;
    logic [31:0] spacing;
    logic [31:0] first_load;
    logic [31:0] load;
    logic [31:0] command;
    logic [31:0] store;
    logic [31:0] idle;
    logic [63:0] macs;
    logic [31:0] read_beats;
    logic [31:0] write_beats;
  } counters_t;

  // Outputs that the epilogue finishes per cycle, unless told otherwise: 8, or what a bundle of the
  // array's results has, and at least a row of it.
  function automatic int unsigned default_epi_width(int unsigned rows, int unsigned cols, int unsigned share);
    int unsigned bundle;
    bundle = rows / share * cols;
    if (bundle < 8) return bundle;
    return cols > 8 ? cols : 8;
  endfunction

  // An integer scale has two words, a multiplier of 0 or more and a shift of -31 to 30.
  parameter int unsigned IntShiftW = 6;

  function automatic logic multiplier_bad(logic sign);
    return sign;
  endfunction

  function automatic logic shift_bad(logic [31:0] x);
    return x[31:5] != {27{x[31]}} || (x[31] ? x[4:0] == '0 : x[4:0] == '1);
  endfunction

  // A scale must be finite and above 0.
  function automatic logic fp32_is_no_scale(logic [31:0] x);
    return x[31] || x[30:0] == '0 || x[30:23] == '1;
  endfunction

  // log2 of the bytes of a D element
  function automatic logic [1:0] dst_size(dst_fmt_e fmt);
    unique case (fmt)
      DstFp16, DstBf16: return 2'd1;
      DstFp32:          return 2'd2;
      default:          return 2'd0;
    endcase
  endfunction

  // log2 of the bytes of a result
  function automatic logic [1:0] result_size(epilogue_cfg_t cfg);
    return (cfg.rows.mx && cfg.rows.step == StepResult) ? 2'd0 : dst_size(cfg.d_fmt);
  endfunction

endpackage
