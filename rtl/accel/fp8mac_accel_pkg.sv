// SPDX-License-Identifier: Apache-2.0
// The parameters of the accelerator, and what its parts tell each other: fp8mac_control,
// fp8mac_commands, fp8mac_load_path, fp8mac_compute_path and fp8mac_output.
package fp8mac_accel_pkg;
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;

  // ---- parameters -------------------------------------------------------------------------------
  typedef logic [31:0] value_t;  // a default as `= 4` has no width before it is cast

  // The parameters of fp8mac_accel, which may have illegal values
  typedef struct packed {
    int unsigned rows;
    int unsigned cols;
    int unsigned lanes;
    int unsigned tiles;
    int unsigned element;
    int unsigned frac_bits;
    int unsigned epi_width;
    int unsigned max_mn;
    int unsigned axi_data_w;
    int unsigned axi_addr_w;
    int unsigned axi_id_w;
    int unsigned axi_id;
    int unsigned queue_depth;
    int unsigned buf_beats;
    logic        mx;
    logic        requantise;
    logic        images;
    logic        depthwise;
    logic        elementwise;
    logic        add_c;
    logic        stochastic;
    logic        tables;
    logic        records;
    logic        row_commands;
  } asked_t;

  // What the accelerator is built from: legal values
  typedef struct packed {
    int unsigned rows;
    int unsigned cols;
    int unsigned lanes;
    int unsigned kind;        // of the element
    int unsigned frac_bits;
    int unsigned share;       // of an accumulate unit: see element_share()
    int unsigned block;       // products that join an accumulator together
    int unsigned tiles;
    int unsigned epi_width;
    int unsigned max_mn;
    int unsigned sides;       // the smaller one of rows and cols
    int unsigned beat;        // bytes
    int unsigned addr_w;      // bits of an address on the bus
    int unsigned queue_depth;
    int unsigned buf_beats;
    int unsigned scale_beats; // of a row RAM's MX scales in half an operand buffer
    int unsigned granule;     // bytes: chunks of K are whole blocks, and their rows start at a beat and at a bound
    functions_t  functions;
    element_t    element;     // what commands may ask of the elements
  } accel_t;

  // Whether each parameter is legal
  typedef struct packed {
    logic sides;              // rows and cols
    logic element;
    logic lanes;
    logic tiles;
    logic frac_bits;
    logic window;             // frac_bits has an effect
    logic mx;
    logic epi_width;
    logic queue_depth;
    logic buf_beats;
    logic max_mn;
    logic row_commands;
    logic depthwise;
    logic requantise;
  } legal_t;

  // Limits that depend on other parameters
  typedef struct packed {
    int unsigned most_lanes;
    int unsigned least_tiles;
    int unsigned least_frac_bits;
    int unsigned most_frac_bits;
    int unsigned bundle;      // results that the array gives at a time
    int unsigned least_beats;
    int unsigned least_mn;
    int unsigned most_mn;
  } limits_t;

  typedef struct packed {
    accel_t  accel;
    legal_t  legal;
    limits_t limits;
  } parameters_t;

  parameter int unsigned Most16 = 1 << (DimW - 1);  // the largest power of two in 16 bits

  function automatic int unsigned larger(int unsigned a, int unsigned b);
    return (a > b) ? a : b;
  endfunction

  // Widths of ports
  function automatic int unsigned legal_data_w(int unsigned asked);
    return is_power(asked, 64, 256) ? asked : 128;
  endfunction

  function automatic int unsigned legal_addr_w(int unsigned asked);
    return is_within(asked, AddrW, 64) ? asked : AddrW;
  endfunction

  function automatic int unsigned legal_id_w(int unsigned asked);
    return is_within(asked, 1, 32) ? asked : 4;
  endfunction

  // A legal value in the place of each illegal one, so that it adds no errors of its own. A limit
  // that depends on another parameter is that of the other one's legal value.
  function automatic parameters_t parameters_of(asked_t asked);
    accel_t  accel;
    legal_t  legal;
    limits_t limits;
    int unsigned bundle;

    legal.sides = is_power(asked.rows, 1, 32) && is_power(asked.cols, 1, 32);
    accel.rows  = legal.sides ? asked.rows : 4;
    accel.cols  = legal.sides ? asked.cols : 4;
    accel.sides = (accel.rows < accel.cols) ? accel.rows : accel.cols;

    legal.element     = element_in_accelerator(asked.element);
    accel.kind        = legal.element ? asked.element : ElementBlock;
    limits.most_lanes = element_family(accel.kind) == FamilyExact ? 16 : 32;
    legal.lanes       = is_power(asked.lanes, 1, limits.most_lanes);
    accel.lanes       = legal.lanes ? asked.lanes : 16;
    accel.block       = element_block(accel.kind, accel.lanes);
    accel.share       = element_share(accel.kind, accel.lanes, accel.rows);
    legal.mx          = element_has_mx(accel.kind);

    limits.least_tiles = 2 * PassTiles;
    legal.tiles        = is_power(asked.tiles, limits.least_tiles, Most16);
    accel.tiles        = legal.tiles ? asked.tiles : 256;
    legal.queue_depth  = is_within(asked.queue_depth, 1, 127);  // STATUS.queue_level has seven bits
    accel.queue_depth  = legal.queue_depth ? asked.queue_depth : 8;

    // The alignment window. It has no effect where so few lanes need none.
    limits.least_frac_bits = element_least_frac_bits(accel.kind);
    limits.most_frac_bits  = element_most_frac_bits(accel.kind);
    legal.frac_bits = is_within(asked.frac_bits, limits.least_frac_bits, limits.most_frac_bits);
    legal.window    = element_has_window(accel.kind, accel.lanes) || element_window_lanes(accel.kind) == 0;
    accel.frac_bits = legal.element && legal.frac_bits ? asked.frac_bits : element_default_frac_bits(accel.kind);

    bundle = accel.rows / accel.share * accel.cols;
    limits.bundle   = bundle;
    legal.epi_width = is_within(asked.epi_width, 1, 32) && asked.epi_width % accel.cols == 0 &&
                      asked.epi_width <= bundle && bundle % asked.epi_width == 0;
    accel.epi_width = legal.epi_width ? asked.epi_width : default_epi_width(accel.rows, accel.cols, accel.share);

    accel.beat         = legal_data_w(asked.axi_data_w) / 8;
    accel.addr_w       = legal_addr_w(asked.axi_addr_w);
    accel.granule      = larger(bound_block(accel.block), accel.beat);
    limits.least_beats = 2 * accel.granule / accel.beat;
    legal.buf_beats    = is_power(asked.buf_beats, limits.least_beats, Most16);
    accel.buf_beats    = legal.buf_beats ? asked.buf_beats : 256;

    // A vector has the scales of a whole tile at least, and tiles are numbered in eight bits.
    limits.least_mn = larger(accel.rows, accel.cols);
    limits.most_mn  = (1 << $bits(tile_index_t)) * accel.sides;
    legal.max_mn    = is_within(asked.max_mn, limits.least_mn, limits.most_mn);
    accel.max_mn    = legal.max_mn ? asked.max_mn : limits.most_mn;
    accel.scale_beats = scale_beats(accel.buf_beats, (accel.max_mn + accel.sides - 1) / accel.sides);

    legal.row_commands = asked.elementwise && rows_possible(accel.cols, accel.max_mn);
    legal.depthwise    = asked.images && depthwise_possible(accel.lanes, accel.cols, accel.beat);
    legal.requantise   = element_has_int32(accel.kind) && !asked.elementwise && !asked.add_c && !asked.stochastic;
    accel.functions    = functions_of(asked, legal);
    accel.element      = element_of(accel.kind, accel.lanes, accel.frac_bits);
    return '{accel: accel, legal: legal, limits: limits};
  endfunction

  function automatic functions_t functions_of(asked_t asked, legal_t legal);
    return '{
      int8: 1'b1, conv_a: asked.images, tables: asked.tables, stochastic: asked.stochastic,
      elementwise: asked.elementwise, c: asked.add_c, records: asked.records,
      rows: asked.row_commands && legal.row_commands, mx: asked.mx && legal.mx,
      requantise: asked.requantise && legal.requantise, depthwise: asked.depthwise && legal.depthwise
    };
  endfunction

  function automatic element_t element_of(int unsigned kind, int unsigned lanes, int unsigned frac_bits);
    logic window;
    window = element_has_window(kind, lanes);
    return '{
      terms_log2: 8'(element_terms_log2(kind)), frac_bits: window ? 8'(frac_bits) : 8'd0,
      align_by_operands: window && element_align(kind) == AlignOperands, e5m2: element_takes_e5m2(kind),
      int8: element_has_int32(kind), narrow: element_takes_narrow(kind),
      acc_fixed: element_has_fixed(kind) || element_has_int32(kind),
      acc_fp16: element_has_fp16(kind), acc_fp32: element_has_fp32(kind),
      kind: 8'(kind)
    };
  endfunction

  // Bursts in flight
  parameter int unsigned WriteBursts = 16;
  parameter int unsigned ReadDests   = 16;  // that are not of an image

  function automatic int unsigned read_bursts(logic images);
    return images ? 32 : ReadDests;
  endfunction

  // ---- between the parts ------------------------------------------------------------------------
  // What software writes to the registers; submit and ring are pulses
  typedef struct packed {
    logic        submit;         // `command` is submitted
    command_t    command;
    logic        ring;           // the descriptor at ring_addr is to be read
    addr_t       ring_addr;
    logic        resume;         // a list goes on from its pause
    logic        end_list;
    logic [31:0] pause_limit;    // cycles; 0: any number
    logic [1:0]  tables_loaded;
  } request_t;

  // What the registers show of the commands that wait
  typedef struct packed {
    logic         full;          // nothing can be submitted
    logic [6:0]   level;
    logic         fetching;      // a descriptor is being read, or a list goes on
    logic         paused;
    logic         paused_event;
    addr_t        list_position;
    logic         table_begin;   // a table of codes is being loaded
    table_write_t table_write;
  } queue_status_t;

  // A submission that is refused, with the reason
  typedef struct packed {
    logic   valid;
    error_e error;
    tag_t   tag;
  } refusal_t;

  // A command that is accepted takes a record.
  typedef struct packed {
    logic valid;
    tag_t tag;
  } claim_t;

  // What a report says of a command
  typedef struct packed {
    logic record;  // it has a record
    tag_t tag;
  } command_id_t;

  // A row that is to be read, and where its beats go
  typedef struct packed {
    logic         valid;
    row_request_t row;
    read_dest_t   dest;
  } row_offer_t;

  // A beat that was read, but for its data
  typedef struct packed {
    logic       offered;  // it is taken when its destination can
    read_dest_t dest;
    error_e     error;
  } beat_t;

  // C and X of a tile command whose load begins
  typedef struct packed {
    logic        c_valid;
    source_job_t c;
    logic        x_valid;
    source_job_t x;
  } sources_t;

  // Outputs that the epilogue has finished
  typedef struct packed {
    logic        valid;
    owner_t      owner;
    flags_t      flags;
    logic        nonfinite;
    logic [31:0] amax;
  } finished_t;

  // What happens in a cycle: see fp8mac_counters
  typedef struct packed {
    logic issue;
    logic stalled;
    logic spacing;
    logic loaded;
    logic loading;
    logic waiting;
    logic idle;
    logic taken;
    logic read_beat;
    logic write_beat;
  } activity_t;
endpackage
