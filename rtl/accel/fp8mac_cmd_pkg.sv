// SPDX-License-Identifier: Apache-2.0
// Records of a command on its way through the accelerator: the command as software wrote it, its tile commands, and
// each engine's part of a tile command. Where the engines say command, they mean a tile command.
package fp8mac_cmd_pkg;
  import fp8mac_pkg::*;

  parameter int unsigned DimW  = 16;  // m, n, k of a tile command and everything counted in them
  parameter int unsigned AddrW = 32;  // byte addresses
  parameter int unsigned TagW  = 16;

  typedef logic [31:0]      size_t;  // m, n and k of a command
  typedef logic [DimW-1:0]  dim_t;
  typedef logic [AddrW-1:0] addr_t;
  typedef logic [TagW-1:0]  tag_t;

  // The MODE register's fields, in the order of its bits. Formats are unchecked codes; fp8mac_cmd_check rejects the
  // reserved ones.
  typedef struct packed {
    logic       b_narrow;
    logic       a_narrow;
    logic       extended;
    logic       record;
    logic       wait_stores;
    logic       b_resident;
    logic [1:0] pass_shape;
    logic       irq;
    logic       acc_keep;
    logic       acc_continue;
    logic       reuse_b;
    logic       reuse_a;
    logic       bias_en;
    logic       scale_b_vec;
    logic       scale_a_vec;
    logic [1:0] act;
    logic [1:0] overflow;
    logic [2:0] d_fmt;
    logic       acc_fmt;
    logic [1:0] b_fmt;
    logic [1:0] a_fmt;
  } mode_t;

  // The OPERATION register's fields
  typedef enum logic [1:0] {
    OpGemm     = 2'd0,
    OpAdd      = 2'd1,
    OpMultiply = 2'd2
  } operation_e;

  typedef struct packed {
    logic       mx;
    logic       conv_a;
    logic [1:0] act_table;
    logic       stochastic;
    logic [2:0] x_fmt;
    logic [2:0] c_fmt;
    logic       c_en;
    logic [1:0] op;
  } operation_t;

  // The extension of a command: the registers from OPERATION on, the first one lowest. All is 0 without MODE.extended.
  typedef struct packed {
    addr_t            mx_b_stride;
    addr_t            mx_b_addr;
    addr_t            mx_a_stride;
    addr_t            mx_a_addr;
    logic [5:0][31:0] conv;
    logic [31:0]      seed;
    logic [31:0]      beta;    // FP32 bits
    addr_t            c_stride;
    addr_t            c_addr;
    operation_t       operation;
  } extension_t;

  // What an extension may ask for: the CONFIG4 register's fields. MX scales depend on the elements.
  typedef struct packed {
    logic int8;
    logic conv_a;
    logic tables;
    logic stochastic;
    logic elementwise;
    logic c;
  } functions_t;

  parameter functions_t Functions = '{
    int8: 1'b1, conv_a: 1'b1, tables: 1'b1, stochastic: 1'b1, elementwise: 1'b1, c: 1'b1
  };

  // Completion records, a power of two, and the one to which a command's flags and amax belong. Commands in flight have
  // different records.
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

  // A command as software wrote it. A tile size of 0 stands for the whole matrix.
  typedef struct packed {
    tag_t        tag;
    error_e      error;  // other than ErrNone: its descriptor could not be read, and nothing else counts
    addr_t       a_addr;
    addr_t       a_stride;
    addr_t       b_addr;
    addr_t       b_stride;
    addr_t       d_addr;
    addr_t       d_stride;
    size_t       m;
    size_t       n;
    size_t       k;
    dim_t        tile_m;
    dim_t        tile_n;
    dim_t        tile_k;
    dim_t        first_k;
    mode_t       mode;
    logic signed [7:0] sa;
    logic signed [7:0] sb;
    logic [31:0] scale_a;  // FP32 bits, or an address
    logic [31:0] scale_b;
    addr_t       bias;
    logic [31:0] scale_d;
    logic [31:0] clamp_lo;
    logic [31:0] clamp_hi;
    extension_t  ext;
  } command_t;

  // The words of a descriptor, which are the registers A_ADDR .. SUBMIT, and those of the extension behind them
  parameter int unsigned CommandWords   = 20;
  parameter int unsigned ExtensionWords = 15;
  parameter int unsigned MostWords      = CommandWords + ExtensionWords;
  parameter int unsigned ModeWord       = 11;
  parameter mode_t       Extended       = '{extended: 1'b1, default: '0};
  parameter int unsigned ExtendedBit    = $clog2(32'(Extended));  // of this word

  function automatic extension_t extension_of(logic [ExtensionWords-1:0][31:0] word);
    return extension_t'({word[ExtensionWords-1:1], operation_t'(word[0])});
  endfunction

  function automatic command_t command_of(logic [MostWords-1:0][31:0] word);
    return '{
      ext: word[ModeWord][ExtendedBit] ? extension_of(word[MostWords-1:CommandWords]) : '0,
      error: ErrNone, a_addr: word[0], a_stride: word[1], b_addr: word[2], b_stride: word[3], d_addr: word[4],
      d_stride: word[5], m: word[6], n: word[7], k: word[8], tile_m: word[9][15:0], tile_n: word[9][31:16],
      tile_k: word[10][15:0], first_k: word[10][31:16], mode: mode_t'(word[ModeWord]), sa: word[12][7:0],
      sb: word[12][15:8], scale_a: word[13], scale_b: word[14], bias: word[15], scale_d: word[16], clamp_lo: word[17],
      clamp_hi: word[18], tag: word[19][15:0]
    };
  endfunction

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
    addr_t       a_addr;
    addr_t       a_stride;
    addr_t       b_addr;
    addr_t       b_stride;
    addr_t       d_addr;
    addr_t       d_stride;
    dim_t        m;
    dim_t        n;
    dim_t        k;
    mode_t       mode;
    logic signed [7:0] sa;
    logic signed [7:0] sb;
    logic [31:0] scale_a;
    logic [31:0] scale_b;
    addr_t       bias;
    logic [31:0] scale_d;
    logic [31:0] clamp_lo;
    logic [31:0] clamp_hi;
    extension_t  ext;           // with the addresses of this part
    beat_byte_t  mx_first;      // byte of the first scale of this part in the first beat of a row of scales
    size_t       first_m;       // place of its first output in the command's D
    size_t       first_n;
  } tile_cmd_t;

  // Tiles of a pass (PassTiles), down x across: the codes of MODE.pass_shape. The engines never get PassAuto.
  typedef enum logic [1:0] {
    Pass1x4  = 2'd0,
    Pass2x2  = 2'd1,
    Pass4x1  = 2'd2,
    PassAuto = 2'd3   // the shape with the fewest passes, of equal ones the widest
  } pass_shape_e;

  // log2 of a pass's tiles down; those across are the rest of PassTiles.
  function automatic logic [1:0] pass_rows_log2(pass_shape_e shape);
    return 2'(shape);
  endfunction

  function automatic logic [1:0] pass_cols_log2(pass_shape_e shape);
    return 2'd2 - 2'(shape);
  endfunction

  // The place of a tile in its command, which travels through the array with the tile's steps.
  typedef logic [7:0] tile_index_t;

  typedef struct packed {
    tile_index_t row_tile;  // tiles above it
    tile_index_t col_tile;  // tiles to its left
    logic        last;      // the command's last tile
    owner_t      owner;     // of the results and flags
  } place_t;

  // Words of the operand memories begin blocks of so many codes: one bound is stored for each of them. A row begins with
  // a block. `block` is the number of products that join an accumulator together.
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

  // Beats of a row RAM's MX scales in half an operand buffer, a power of two and at least 2. `tiles` are those of MAX_MN rows or
  // columns, whichever are more.
  function automatic int unsigned scale_beats(int unsigned buf_beats, int unsigned tiles);
    int unsigned most = buf_beats / 8 > tiles ? buf_beats / 8 : tiles;
    return unsigned'(1 << $clog2(most > 2 ? most : 2));
  endfunction

  // A matrix that results meet on their way to memory: C, or X of an element-wise command. It is m x n.
  typedef struct packed {
    dim_t        m;
    dim_t        n;
    logic [1:0]  size;        // log2 of the bytes of an element
    pass_shape_e pass_shape;
    addr_t       addr;
    addr_t       stride;
  } source_cmd_t;
  // Operand A as an image that is read in place: see fp8mac_image_strips. Sizes and steps without a unit are bytes.
  typedef struct packed {
    logic [23:0] width;     // of a line
    logic [15:0] height;    // lines
    logic [15:0] out_w;     // rows of A for each output line
    logic [15:0] run;
    logic [7:0]  runs;      // of a kernel line
    logic [15:0] step_x;
    logic [15:0] run_step;
    logic [7:0]  step_y;    // lines
    logic [7:0]  dil_y;     // lines
    logic [7:0]  pad_top;   // lines
    logic [15:0] pad_left;
  } image_t;

  // From the words CONV_LINE .. CONV_PAD
  function automatic image_t image_of(logic [5:0][31:0] word);
    return '{
      width: word[0][23:0], height: word[1][15:0], out_w: word[1][31:16], run: word[2][15:0], runs: word[2][23:16],
      step_x: word[3][15:0], run_step: word[3][31:16], step_y: word[4][7:0], dil_y: word[4][15:8],
      pad_top: word[4][23:16], pad_left: word[5][15:0]
    };
  endfunction

  // What the load engine reads: rows of A and B, then vectors.
  typedef struct packed {
    logic a;
    logic mx_a;
    logic b;
    logic mx_b;
    logic scale_a;
    logic scale_b;
    logic bias;
  } wanted_t;

  typedef struct packed {
    logic    wait_stores;  // all earlier commands are to be stored first
    wanted_t wanted;
    addr_t a_addr;
    addr_t a_stride;
    addr_t b_addr;
    addr_t b_stride;
    addr_t scale_a;
    addr_t scale_b;
    addr_t bias;
    dim_t  m;
    dim_t  n;
    dim_t  k;
    dim_t  row_beats;  // ceil(k / beat)
    dim_t  row_words;  // row_beats, rounded up to whole blocks that have a bound: see bound_block()
    addr_t mx_a_addr;  // MX scales
    addr_t mx_a_stride;
    addr_t mx_b_addr;
    addr_t mx_b_stride;
    dim_t  mx_words;   // beats of a row of scales
    code_fmt_t   a_fmt;
    code_fmt_t   b_fmt;
    logic        c_wanted;
    logic        x_wanted;
    source_cmd_t c;
    source_cmd_t x;
    logic     conv_a;      // A is an image at a_addr; its lines are a_stride bytes apart
    image_t   image;
    logic     first_rows;  // rows of A begin with row 0 of the command
    logic     next_rows;   // they begin behind those of the last load of A; else they are the same
    logic     k_start;     // codes begin with code 0 of the command; else behind those of the last load of A
  } load_cmd_t;

  typedef struct packed {
    dim_t        m;
    dim_t        n;
    dim_t        k;
    dim_t        row_words;     // as in load_cmd_t
    logic        mx;            // blocks have MX scales
    dim_t        mx_words;      // as in load_cmd_t
    beat_byte_t  mx_first;      // of the first beat of a row of scales: the scale of block 0
    pass_shape_e pass_shape;
    step_cfg_t   cfg;
    logic        acc_continue;
    logic        acc_keep;
    logic        empty;         // no row takes part: the results are +0, and X takes their place
  } compute_cmd_t;

  // How D is finished and stored, and what is reported at the command's end.
  typedef struct packed {
    tag_t          tag;
    logic          record;     // the command has a record
    logic          irq;
    logic          last;       // the last tile command of its command
    error_e        error;      // other than ErrNone: nothing is loaded, computed or stored
    logic          acc_keep;   // nothing is stored
    dim_t          m;
    dim_t          n;
    pass_shape_e   pass_shape;
    addr_t         d_addr;
    addr_t         d_stride;
    epilogue_cfg_t epilogue;
    logic          scale_a_vec;
    logic          scale_b_vec;
    logic [31:0]   scale_a;
    logic [31:0]   scale_b;
  } store_cmd_t;

  typedef struct packed {
    load_cmd_t    load;
    compute_cmd_t compute;
    store_cmd_t   store;
  } checked_cmd_t;

  // Which halves of the double buffers a command uses.
  typedef struct packed {
    logic a;
    logic b;
    logic vectors;
  } halves_t;

  // A command between its load and the end of its compute.
  typedef struct packed {
    compute_cmd_t compute;
    store_cmd_t   store;
    halves_t      halves;
  } loaded_cmd_t;

  // A command between the start of its compute and the end of its store. With `skip` it has no results: it or an older
  // command failed.
  typedef struct packed {
    store_cmd_t cmd;
    logic       vector_half;
    logic       skip;
  } storing_cmd_t;

  // What the drain engine knows of a command. With `none` it has no results.
  typedef struct packed {
    logic        none;
    dim_t        m;
    dim_t        n;
    logic [1:0]  size;        // log2 of the bytes of a D element
    pass_shape_e pass_shape;
    addr_t       d_addr;
    addr_t       d_stride;
  } drain_cmd_t;

  // What is reported when all writes of a tile command have been acknowledged.
  typedef struct packed {
    tag_t   tag;
    logic   record;
    logic   irq;
    logic   last;
    error_e error;
  } finished_cmd_t;

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
    DestMxB     = 4'd10
  } dest_kind_e;

  typedef struct packed {
    dest_kind_e kind;
    logic       half;
    logic [7:0] ram;
    dim_t       word;       // address of the first beat; the others follow
    code_fmt_t  fmt;        // DestA, DestB: format of the codes
    logic [4:0] last_byte;  // the row's last byte in its last beat
    logic       last;       // with a beat: it is the row's last one
  } read_dest_t;

  // Where the rows of an image operand go
  typedef struct packed {
    logic       half;
    dim_t       word;       // of each row's first word
    code_fmt_t  fmt;
    logic [4:0] last_byte;  // of a row, in its last word
  } image_dest_t;

  // A strip of an image, as it comes in beats. Bytes count from the start of its first beat.
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
    logic              begins;      // the rows begin with it
    logic              ends;        // the rows end with it
    image_dest_t       dest;
  } image_strip_t;

  // A row to be moved over AXI. A row with `none` has no beats; it marks the end of a command.
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
    logic [31:0] drain;
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

  // Outputs that the epilogue finishes per cycle, unless told otherwise: 8, or what a bundle of the array's results has,
  // and at least a row of it.
  function automatic int unsigned default_epi_width(int unsigned rows, int unsigned cols, int unsigned share);
    int unsigned bundle;
    bundle = rows / share * cols;
    if (bundle < 8) return bundle;
    return cols > 8 ? cols : 8;
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

endpackage
