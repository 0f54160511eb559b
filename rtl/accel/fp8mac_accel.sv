// SPDX-License-Identifier: Apache-2.0
// The accelerator: D = epilogue(A * B) on FP8 or INT8 matrices in memory. It has APB registers, a
// command queue, three engines (load, compute, store) and the array (fp8mac_array).
//
//   APB -> csr -> cmd_queue -> cmd_walk -> cmd_check -> load -> compute -> array -> output -> AXI (write)
//                                                        |         |
//                                           AXI (read) dma_read -> memories, and C and X to output; fetch, list
//
// Software submits a command by writing the registers that rtl/regs/fp8mac.rdl describes. The
// walker divides it into tile commands, and the engines work on different tile commands at
// once. Commands finish in the order of their submission. When a command fails, the accelerator
// enters the error state: STATUS then has the command's error code (error_e) and tag, and the
// commands behind it are dropped. Those before it are complete in memory. D of the failed
// command and of the dropped ones may be partly written. No other byte has changed. A command
// with MODE.record has its own error code, flags and amax (fp8mac_records). irq_o is a level
// interrupt; registers enable and clear it.
//
// The AXI guard (fp8mac_axi_guard) stands between the DMA engines and the pins. After a soft reset
// or a timeout of the bus it resets everything but the registers and the reports, and completes
// what was begun on the bus.
//
// The AXI master uses INCR bursts of whole beats with one identifier. No burst crosses a 4 KiB
// boundary. The APB slave answers accesses outside the register map with pslverr_o. It refuses
// accesses with less protection than AXI_PROT, so that the DMA reaches nothing that its user does
// not reach: a non-secure one (pprot_i[1]) if the DMA is secure, and an unprivileged one
// (!pprot_i[0]) if the DMA is privileged. They have no effect, read 0 and end with pslverr_o.
// rst_ni is synchronous.
module fp8mac_accel
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS        = 4,    // rows of elements: a power of two, 1 to 32
  parameter int unsigned COLS        = 4,    // columns of elements: a power of two, 1 to 32
  // Products of an element per step: a power of two, 1 to 32, with ElementExact 1 to 16
  parameter int unsigned LANES       = 16,
  parameter int unsigned TILES       = 256,  // of ROWS x COLS accumulators: a power of two, 8 to 32768
  parameter int unsigned ELEMENT     = ElementBlock,  // the kind of element: see fp8mac_catalogue_pkg
  // Fraction bits of the alignment window: element_least_frac_bits() to
  // element_most_frac_bits() of the kind
  parameter int unsigned FRAC_BITS   = element_default_frac_bits(ELEMENT),
  parameter bit          MX          = element_has_mx(ELEMENT),  // blocks may have MX scales: 0, 1
  // Outputs that the epilogue finishes per cycle: a multiple of COLS, at most 32, that divides the
  // results that the array gives at a time, ROWS / element_share() * COLS
  parameter int unsigned EPI_WIDTH   = default_epi_width(ROWS, COLS, element_share(ELEMENT, LANES, ROWS)),
  // Limit of a command's m and n: from the larger of ROWS and COLS to 256 times the smaller one
  parameter int unsigned MAX_MN      = 128,
  parameter int unsigned AXI_DATA_W  = 128,  // bits of a beat: 64, 128, 256
  parameter int unsigned AXI_ADDR_W  = 32,   // 32 to 64; the bits above 31 are 0
  parameter int unsigned AXI_ID_W    = 4,    // 1 to 32
  // The integer requantiser (fp8mac_requantise) is in the place of the FP32 epilogue: with a kind
  // that sums INT32, and without ELEMENTWISE, ADD_C and STOCHASTIC
  parameter bit          REQUANTISE  = 1'b0,
  // Functions that commands may ask for (CONFIG4, and records: CONFIG3), 0 or 1 each. Without one
  // the accelerator is smaller, and such a command fails.
  parameter bit          IMAGES      = 1'b1, // A may be the image of a convolution: OPERATION.conv_a
  // Each column of D may have its own channels of an image: OPERATION.depthwise
  parameter bit          DEPTHWISE   = IMAGES && depthwise_possible(LANES, COLS, AXI_DATA_W / 8),
  parameter bit          ELEMENTWISE = !REQUANTISE, // commands without the array: OPERATION.op. Products need ADD_C
  parameter bit          ADD_C       = !REQUANTISE, // beta * C is added: OPERATION.c_en
  parameter bit          STOCHASTIC  = !REQUANTISE, // D may be rounded stochastically: OPERATION.rounding
  parameter bit          TABLES      = 1'b1, // tables of codes: OPERATION.act_table
  parameter bit          RECORDS     = 1'b1, // completion records: MODE.record
  // Row commands: norms, softmax, reductions. They need 4 rows and 4 columns, an EPI_WIDTH of 8, a
  // MAX_MN of 32, and ELEMENTWISE, whose source they have.
  parameter bit          ROW_COMMANDS = ELEMENTWISE && rows_possible(COLS, MAX_MN),
  // What every burst has: identifier, protection, memory attributes, quality of service
  parameter int unsigned AXI_ID      = 0,    // of AXI_ID_W bits
  parameter logic [2:0]  AXI_PROT    = 3'b000,   // data, secure, unprivileged; pprot_i must be so, too
  parameter logic [3:0]  AXI_CACHE   = 4'b0011,  // normal memory, not cacheable, bufferable
  parameter logic [3:0]  AXI_QOS     = 4'd0,
  parameter int unsigned QUEUE_DEPTH = 8,    // commands that can wait: 1 to 127
  // Beats of a row RAM in half an operand buffer: a power of two, at most 32768, that holds two
  // granules at least: 64 bytes, or twice the kind's block
  parameter int unsigned BUF_BEATS   = 256,

  // Widths of ports, legal ones: see the checks of the parameters
  localparam int unsigned AxiDataW = is_power(AXI_DATA_W, 64, 256) ? AXI_DATA_W : 128,
  localparam int unsigned AxiAddrW = is_within(AXI_ADDR_W, AddrW, 64) ? AXI_ADDR_W : AddrW,
  localparam int unsigned AxiIdW   = is_within(AXI_ID_W, 1, 32) ? AXI_ID_W : 4
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // APB4 slave: registers
  input  logic                    psel_i,
  input  logic                    penable_i,
  input  logic                    pwrite_i,
  input  logic [2:0]              pprot_i,
  input  logic [11:0]             paddr_i,
  input  logic [31:0]             pwdata_i,
  input  logic [3:0]              pstrb_i,
  output logic                    pready_o,
  output logic [31:0]             prdata_o,
  output logic                    pslverr_o,

  // AXI4 master: operands, vectors and results
  output logic [AxiIdW-1:0]       m_axi_awid_o,
  output logic [AxiAddrW-1:0]     m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic [2:0]              m_axi_awsize_o,
  output logic [1:0]              m_axi_awburst_o,
  output logic [2:0]              m_axi_awprot_o,
  output logic [3:0]              m_axi_awcache_o,
  output logic [3:0]              m_axi_awqos_o,
  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic [AxiDataW-1:0]     m_axi_wdata_o,
  output logic [AxiDataW/8-1:0]   m_axi_wstrb_o,
  output logic                    m_axi_wlast_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  input  logic [AxiIdW-1:0]       m_axi_bid_i,
  input  logic [1:0]              m_axi_bresp_i,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o,
  output logic [AxiIdW-1:0]       m_axi_arid_o,
  output logic [AxiAddrW-1:0]     m_axi_araddr_o,
  output logic [7:0]              m_axi_arlen_o,
  output logic [2:0]              m_axi_arsize_o,
  output logic [1:0]              m_axi_arburst_o,
  output logic [2:0]              m_axi_arprot_o,
  output logic [3:0]              m_axi_arcache_o,
  output logic [3:0]              m_axi_arqos_o,
  output logic                    m_axi_arvalid_o,
  input  logic                    m_axi_arready_i,
  input  logic [AxiIdW-1:0]       m_axi_rid_i,
  input  logic [AxiDataW-1:0]     m_axi_rdata_i,
  input  logic [1:0]              m_axi_rresp_i,
  input  logic                    m_axi_rlast_i,
  input  logic                    m_axi_rvalid_i,
  output logic                    m_axi_rready_o,

  // Level interrupt
  output logic                    irq_o
);

  function automatic int unsigned larger(int unsigned a, int unsigned b);
    return (a > b) ? a : b;
  endfunction

  // ---- checks of the parameters -----------------------------------------------------------------
  // An illegal value stops the build with one sentence. What is built from it would only add errors
  // of its own, so everything below is built from legal values. A limit that depends on another
  // parameter is only checked if that one is legal.
  localparam int unsigned Most16 = 1 << (DimW - 1);  // the largest power of two in 16 bits

  localparam bit          SidesOk    = is_power(ROWS, 1, 32) && is_power(COLS, 1, 32);
  localparam int unsigned Rows       = SidesOk ? ROWS : 4;
  localparam int unsigned Cols       = SidesOk ? COLS : 4;
  localparam bit          KindOk     = element_in_accelerator(ELEMENT);
  localparam int unsigned Kind       = KindOk ? ELEMENT : ElementBlock;
  localparam int unsigned MostLanes  = element_family(Kind) == FamilyExact ? 16 : 32;
  localparam bit          LanesOk    = is_power(LANES, 1, MostLanes);
  localparam int unsigned Lanes      = LanesOk ? LANES : 16;
  localparam int unsigned LeastTiles = 2 * PassTiles;
  localparam bit          TilesOk    = is_power(TILES, LeastTiles, Most16);
  localparam int unsigned Tiles      = TilesOk ? TILES : 256;
  localparam bit          QueueOk    = is_within(QUEUE_DEPTH, 1, 127);  // STATUS.queue_level has seven bits
  localparam int unsigned QueueDepth = QueueOk ? QUEUE_DEPTH : 8;

  // The alignment window. FRAC_BITS has no effect where so few lanes need no window.
  localparam int unsigned LeastBits  = element_least_frac_bits(Kind);
  localparam int unsigned MostBits   = element_most_frac_bits(Kind);
  localparam bit          Window     = element_has_window(Kind, Lanes);
  localparam bit          BitsOk     = is_within(FRAC_BITS, LeastBits, MostBits);
  localparam bit          BitsCount  = Window || element_window_lanes(Kind) == 0;
  localparam int unsigned FracBits   = KindOk && BitsOk ? FRAC_BITS : element_default_frac_bits(Kind);

  // How the elements accumulate
  localparam int unsigned Block      = element_block(Kind, Lanes);
  localparam int unsigned Share      = element_share(Kind, Lanes, Rows);
  localparam bit          Bounded    = element_feed(Kind) == FeedBounded;
  localparam bit          Mx         = MX && element_has_mx(Kind);

  localparam int unsigned Bundle     = Rows / Share * Cols;  // results that the array gives at a time
  localparam bit          EpiWidthOk = is_within(EPI_WIDTH, 1, 32) && EPI_WIDTH % Cols == 0 &&
                                       EPI_WIDTH <= Bundle && Bundle % EPI_WIDTH == 0;
  localparam int unsigned EpiWidth   = EpiWidthOk ? EPI_WIDTH : default_epi_width(Rows, Cols, Share);

  // Chunks of K are whole blocks, and their rows start at a beat and at a bound.
  localparam int unsigned Beat       = AxiDataW / 8;
  localparam int unsigned Granule    = larger(bound_block(Block), Beat);
  localparam int unsigned LeastBeats = 2 * Granule / Beat;
  localparam bit          BeatsOk    = is_power(BUF_BEATS, LeastBeats, Most16);
  localparam int unsigned BufBeats   = BeatsOk ? BUF_BEATS : 256;

  // A vector has the scales of a whole tile at least, and tiles are numbered in eight bits.
  localparam int unsigned Sides      = (Rows < Cols) ? Rows : Cols;
  localparam int unsigned LeastMn    = larger(Rows, Cols);
  localparam int unsigned MostMn     = (1 << $bits(tile_index_t)) * Sides;
  localparam bit          MnOk       = is_within(MAX_MN, LeastMn, MostMn);
  localparam int unsigned MaxMn      = MnOk ? MAX_MN : MostMn;

  localparam bit          RowsOk     = ELEMENTWISE && rows_possible(Cols, MaxMn);
  localparam bit          RowCommands = ROW_COMMANDS && RowsOk;
  localparam bit          DepthwiseOk = IMAGES && depthwise_possible(Lanes, Cols, Beat);
  localparam bit          Depthwise  = DEPTHWISE && DepthwiseOk;
  localparam bit          RequantiseOk = element_has_int32(Kind) && !ELEMENTWISE && !ADD_C && !STOCHASTIC;
  localparam bit          Requantise = REQUANTISE && RequantiseOk;

  if (!SidesOk) begin : g_check_sides
    $error("ROWS=%0d, COLS=%0d: ROWS and COLS must be powers of two, 1 to 32", ROWS, COLS);
  end
  if (!KindOk) begin : g_check_element
    $error("ELEMENT=%0d is none of the kinds that commands know: see element_in_accelerator()", ELEMENT);
  end
  if (KindOk && !LanesOk) begin : g_check_lanes
    $error("LANES=%0d is not possible: it must be a power of two, 1 to %0d", LANES, MostLanes);
  end
  if (!TilesOk) begin : g_check_tiles
    $error("TILES=%0d is not possible: it must be a power of two, %0d to %0d", TILES, LeastTiles, Most16);
  end
  if (KindOk && LanesOk && BitsCount && !BitsOk) begin : g_check_frac_bits
    $error("FRAC_BITS=%0d is not possible: it must be %0d to %0d with this ELEMENT", FRAC_BITS, LeastBits, MostBits);
  end
  if (MX && KindOk && !element_has_mx(ELEMENT)) begin : g_check_mx
    $error("MX=1 is not possible: only kinds that sum blocks of 32 products have MX scales");
  end
  if (SidesOk && KindOk && LanesOk && !EpiWidthOk) begin : g_check_epi_width
    $error("EPI_WIDTH=%0d is not possible: it must divide the %0d results of a bundle, as a multiple of COLS up to 32",
           EPI_WIDTH, Bundle);
  end
  if (AxiDataW != AXI_DATA_W) begin : g_check_data_width
    $error("AXI_DATA_W=%0d is not possible: it must be 64, 128 or 256", AXI_DATA_W);
  end
  if (AxiAddrW != AXI_ADDR_W) begin : g_check_address_width
    $error("AXI_ADDR_W=%0d is not possible: it must be 32 to 64", AXI_ADDR_W);
  end
  if (AxiIdW != AXI_ID_W) begin : g_check_id_width
    $error("AXI_ID_W=%0d is not possible: it must be 1 to 32", AXI_ID_W);
  end else if (AXI_ID_W < 32 && AXI_ID >> (AXI_ID_W % 32) != 0) begin : g_check_id
    $error("AXI_ID=%0d does not fit AXI_ID_W=%0d bits", AXI_ID, AXI_ID_W);
  end
  if (!QueueOk) begin : g_check_queue
    $error("QUEUE_DEPTH=%0d is not possible: it must be 1 to 127", QUEUE_DEPTH);
  end
  if (KindOk && LanesOk && AxiDataW == AXI_DATA_W && !BeatsOk) begin : g_check_beats
    $error("BUF_BEATS=%0d is not possible: it must be a power of two, %0d to %0d", BUF_BEATS, LeastBeats, Most16);
  end
  if (SidesOk && MnOk && ROW_COMMANDS && !RowsOk) begin : g_check_rows
    $error("ROW_COMMANDS=1 is not possible: it needs ELEMENTWISE=1, COLS <= 16 for its 16 partial sums, MAX_MN >= 32");
  end
  if (SidesOk && LanesOk && AxiDataW == AXI_DATA_W && DEPTHWISE && !DepthwiseOk) begin : g_check_depthwise
    $error("DEPTHWISE=1 is not possible: it needs IMAGES=1, LANES >= a beat's bytes, COLS >= 2, an eighth to half of them");
  end
  if (KindOk && REQUANTISE && !RequantiseOk) begin : g_check_requantise
    $error("REQUANTISE=1 is not possible: it needs a kind that sums INT32, ELEMENTWISE=0, ADD_C=0 and STOCHASTIC=0");
  end
  if (SidesOk && !MnOk) begin : g_check_max
    $error("MAX_MN=%0d is not possible: it must be %0d to %0d", MAX_MN, LeastMn, MostMn);
  end

  localparam int unsigned Word       = larger(Lanes, Beat);  // bytes of a word of the operand memories
  localparam int unsigned WordW      = $clog2(BufBeats * Beat / Word);
  localparam int unsigned Slices     = Word / Lanes;
  localparam int unsigned SliceW     = (Slices > 1) ? $clog2(Slices) : 1;
  localparam int unsigned Groups     = Depthwise ? 2 * Beat / Cols : 1;  // of a beat, in a depthwise command
  localparam int unsigned GroupW     = (Groups > 1) ? $clog2(Groups) : 1;
  localparam int unsigned TileW      = $clog2(Tiles);
  localparam int unsigned PhaseW     = (Share > 1) ? $clog2(Share) : 1;
  localparam int unsigned ScaleBeats = scale_beats(BufBeats, (MaxMn + Sides - 1) / Sides);
  localparam int unsigned ScaleWordW = $clog2(ScaleBeats);

  // What commands may ask of the elements
  localparam element_t Element = '{
    terms_log2: 8'(element_terms_log2(Kind)), frac_bits: Window ? 8'(FracBits) : 8'd0,
    align_by_operands: Window && element_align(Kind) == AlignOperands, e5m2: element_takes_e5m2(Kind),
    int8: element_has_int32(Kind), narrow: element_takes_narrow(Kind),
    acc_fixed: element_has_fixed(Kind) || element_has_int32(Kind),
    acc_fp16: element_has_fp16(Kind), acc_fp32: element_has_fp32(Kind),
    kind: 8'(Kind)
  };

  localparam functions_t Offered = '{
    int8: 1'b1, conv_a: IMAGES, tables: TABLES, stochastic: STOCHASTIC, elementwise: ELEMENTWISE, c: ADD_C,
    records: RECORDS, rows: RowCommands, mx: Mx, requantise: Requantise, depthwise: Depthwise
  };

  // Commands between load and the end of compute: one for each half of the operand buffers.
  localparam int unsigned LoadedDepth = 2;
  // Commands between the start of compute and the end of store: while one is stored, the next one
  // is computed. Results of a third one would wait for both.
  localparam int unsigned StoringDepth = 2;
  // Commands between the start of load and the end of store. Room for a fourth one would let its
  // load begin earlier only where results are the limit, and loads are not.
  localparam int unsigned StoreDepth  = 3;
  // Bursts in flight
  localparam int unsigned ReadDests   = 16;  // bursts that are not of an image
  localparam int unsigned ReadBursts  = IMAGES ? 32 : ReadDests;
  localparam int unsigned WriteBursts = 16;
  localparam int unsigned GuardLenW   = 4;  // of AWLEN: bursts have at most 16 beats

  // ---- the reset of everything that a soft reset or a timeout stops -----------------------------
  logic inside_rst_n, flush, draining, timeout, soft_reset;
  logic [23:0] watchdog;
  assign inside_rst_n = rst_ni && !flush;

  // ---- registers, queue, checks -----------------------------------------------------------------
  logic          submit, clear_error, clear_flags, clear_counters;
  command_t      command;
  logic          csr_submit, ring_written, ring, fetch_busy, list_busy, fetching, fetched, refused;
  logic          list_ring, more, pause, next_beyond, resume, end_list, paused, paused_event;
  addr_t         list_addr, next_descriptor, list_position;
  error_e        list_error;
  logic [31:0]   pause_limit;
  command_t      csr_command, fetched_command;
  addr_t         ring_addr;
  logic          overflow, queue_full, queue_valid, queue_ready;
  logic [6:0]    queue_level;
  command_t      queue_command;
  logic          walk_idle, tile_valid, tile_ready;
  tile_cmd_t     tile;
  logic          check_idle, checked_valid, checked_ready;
  checked_jobs_t checked;
  logic          idle, clear, abort, error, done_event, error_event;
  error_e        error_code;
  tag_t          error_tag;
  logic [31:0]   completed, amax;
  table_write_t  table_write, loaded_write;
  logic [1:0]    tables_loaded;
  logic          table_begin, drained;
  flags_t        flags;
  logic          amax_nonfinite;
  counters_t     counters;
  logic          record_busy, claim, refuse, release_record, ended;
  record_index_t record_select;
  tag_t         release_tag, ended_tag;
  error_e       ended_error;
  record_t      record;
  logic [Records-1:0] records_held, records_done;

  fp8mac_csr #(
    .ROWS(Rows), .COLS(Cols), .LANES(Lanes), .BLOCK(Block), .TILES(Tiles), .BEAT(Beat), .QUEUE_DEPTH(QueueDepth),
    .BUF_BEATS(BufBeats), .MAX_MN(MaxMn), .ELEMENT(Element), .FUNCTIONS(Offered)
  ) u_csr (
    .clk_i, .rst_ni, .dma_prot_i(AXI_PROT[1:0]), .psel_i, .penable_i, .pwrite_i, .pprot_i, .paddr_i, .pwdata_i,
    .pstrb_i, .pready_o, .prdata_o, .pslverr_o,
    .submit_o        (csr_submit),
    .command_o       (csr_command),
    .ring_o          (ring_written),
    .ring_addr_o     (ring_addr),
    .clear_error_o   (clear_error),
    .clear_flags_o   (clear_flags),
    .clear_counters_o(clear_counters),
    .soft_reset_o    (soft_reset),
    .watchdog_o      (watchdog),
    .resume_o        (resume),
    .end_list_o      (end_list),
    .pause_limit_o   (pause_limit),
    .paused_i        (paused),
    .paused_event_i  (paused_event),
    .list_position_i (list_position),
    .idle_i          (idle),
    .draining_i      (draining),
    .queue_full_i    (queue_full || fetching),
    .queue_level_i   (queue_level),
    .fetching_i      (fetching),
    .error_i         (error),
    .error_code_i    (error_code),
    .error_tag_i     (error_tag),
    .completed_i     (completed),
    .flags_i         (flags),
    .amax_i          (amax),
    .amax_nonfinite_i(amax_nonfinite),
    .counters_i      (counters),
    .table_write_o   (table_write),
    .tables_loaded_o (tables_loaded),
    .table_begin_i   (table_begin),
    .table_write_i   (loaded_write),
    .record_select_o (record_select),
    .record_release_o(release_record),
    .record_release_tag_o(release_tag),
    .record_i        (record),
    .records_done_i  (records_done),
    .done_event_i    (done_event),
    .error_event_i   (error_event),
    .irq_o
  );

  // A command comes from the registers or, while these are refused, from the descriptor that is
  // being read. A descriptor is accepted when its reading begins: only an abort drops it.
  assign ring     = ring_written && !list_busy && !queue_full && !error;
  assign fetching = ring || list_busy;
  assign submit   = fetched || (csr_submit && !list_busy);
  assign command  = fetched ? fetched_command : csr_command;
  assign refused  = !error && ((csr_submit && list_busy) || (ring_written && (list_busy || queue_full)));

  error_e table_error;  // of the load of a command's table

  fp8mac_list u_list (
    .clk_i, .rst_ni(inside_rst_n), .position_rst_ni(rst_ni),
    .ring_i        (ring),
    .addr_i        (ring_addr),
    .resume_i      (resume),
    .end_i         (end_list),
    .limit_i       (pause_limit),
    .busy_o        (list_busy),
    .paused_o      (paused),
    .paused_event_o(paused_event),
    .position_o    (list_position),
    .abort_i       (abort),
    .refuse_i      (refuse),
    .idle_i        (idle),
    .queue_full_i  (queue_full),
    .ring_o        (list_ring),
    .addr_o        (list_addr),
    .ring_error_o  (list_error),
    .fetching_i    (fetch_busy),
    .fetched_i     (fetched),
    .more_i        (more && table_error == ErrNone),
    .pause_i       (pause),
    .next_i        (next_descriptor),
    .next_beyond_i (next_beyond)
  );

  // A command that asks for a record is accepted if the record is free.
  logic rejects, accepted;
  assign rejects     = (fetched ? abort : error) || flush;  // without a report
  assign record_busy = command.mode.record && records_held[command.tag[RecordW-1:0]];
  assign accepted    = submit && !rejects && !queue_full;
  assign claim       = accepted && command.mode.record && !record_busy;
  assign refuse      = accepted && record_busy;

  fp8mac_cmd_queue #(.QUEUE_DEPTH(QueueDepth)) u_queue (
    .clk_i, .rst_ni(inside_rst_n),
    .error_i   (rejects),
    .abort_i   (abort),
    .submit_i  (submit && !refuse),
    .command_i (command),
    .overflow_o(overflow),
    .full_o    (queue_full),
    .level_o   (queue_level),
    .valid_o   (queue_valid),
    .command_o (queue_command),
    .ready_i   (queue_ready)
  );

  fp8mac_cmd_walk #(
    .GRANULE(Granule), .BEAT(Beat), .MAX_MN(MaxMn), .REQUANTISE(Requantise)
  ) u_walk (
    .clk_i, .rst_ni(inside_rst_n),
    .abort_i  (abort),
    .idle_o   (walk_idle),
    .valid_i  (queue_valid),
    .command_i(offered(queue_command, Offered)),
    .ready_o  (queue_ready),
    .valid_o  (tile_valid),
    .tile_o   (tile),
    .ready_i  (tile_ready)
  );

  fp8mac_cmd_check #(
    .ROWS(Rows), .COLS(Cols), .BLOCK(Block), .TILES(Tiles), .BEAT(Beat), .BUF_BEATS(BufBeats), .MAX_MN(MaxMn),
    .ELEMENT(Element), .MX(Mx), .SCALE_BEATS(ScaleBeats), .REQUANTISE(Requantise), .DEPTHWISE(Depthwise),
    .FUNCTIONS(Offered)
  ) u_check (
    .clk_i, .rst_ni(inside_rst_n),
    .abort_i  (abort),
    .clear_i  (clear),
    .idle_o   (check_idle),
    .tables_loaded_i(tables_loaded),
    .valid_i  (tile_valid),
    .tile_i(tile),
    .ready_o  (tile_ready),
    .valid_o  (checked_valid),
    .checked_o(checked),
    .ready_i  (checked_ready)
  );

  // ---- read DMA: descriptors, then C and X, then operands of the commands behind ----------------
  logic                  read_row_valid, read_row_ready, beat_valid, read_done;
  row_request_t          read_row;
  read_dest_t            read_dest, beat_dest;
  logic [AxiDataW-1:0]   beat_data;
  error_e                beat_error, read_error;
  logic                  arvalid, arready, rready;  // as the DMA engine sees them
  logic                  fetch_row_valid, load_row_valid;
  row_request_t          fetch_row, load_row;
  read_dest_t            fetch_dest, load_dest;

  logic                  source_row_valid, c_valid, x_valid, sources_ready, sources_idle;
  row_request_t          source_row;
  read_dest_t            source_dest;
  source_job_t           c_source, x_source;

  // A table is read while there is no other row.
  logic                  table_row_valid, table_beat_ready, beat_offered, descriptor_read, descriptor_busy;
  row_request_t          table_row;
  read_dest_t            table_dest;
  command_t              descriptor_command;
  logic                  load_table, table_busy;
  addr_t                 table_addr;

  assign read_row_valid = fetch_row_valid || source_row_valid || load_row_valid || table_row_valid;
  assign read_row       = fetch_row_valid ? fetch_row : source_row_valid ? source_row :
                          load_row_valid ? load_row : table_row;
  assign read_dest      = fetch_row_valid ? fetch_dest : source_row_valid ? source_dest :
                          load_row_valid ? load_dest : table_dest;

  fp8mac_fetch #(.BEAT(Beat)) u_fetch (
    .clk_i, .rst_ni(inside_rst_n),
    .ring_i      (list_ring),
    .addr_i      (list_addr),
    .ring_error_i(list_error),
    .busy_o      (descriptor_busy),
    .row_valid_o (fetch_row_valid),
    .row_o       (fetch_row),
    .dest_o      (fetch_dest),
    .row_ready_i (read_row_ready),
    .beat_valid_i(beat_valid && beat_dest.kind == DestCommand),
    .beat_data_i (beat_data),
    .beat_error_i(beat_error),
    .beat_last_i (beat_dest.last),
    .valid_o     (descriptor_read),
    .command_o   (descriptor_command),
    .more_o      (more),
    .pause_o     (pause),
    .next_o      (next_descriptor),
    .next_beyond_o(next_beyond),
    .load_table_o(load_table),
    .table_addr_o(table_addr)
  );

  fp8mac_table_load #(.BEAT(Beat), .TABLES(TABLES)) u_table_load (
    .clk_i, .rst_ni(inside_rst_n),
    .read_i       (descriptor_read),
    .wanted_i     (load_table),
    .code_table_i (code_table_e'(descriptor_command.finish.act_table)),
    .addr_i       (table_addr),
    .busy_o       (table_busy),
    .abort_i      (abort),
    .drained_i    (drained),
    .row_valid_o  (table_row_valid),
    .row_o        (table_row),
    .dest_o       (table_dest),
    .row_ready_i  (read_row_ready),
    .beat_i       (beat_offered && beat_dest.kind == DestTable),
    .beat_data_i  (beat_data),
    .beat_error_i (beat_error),
    .beat_last_i  (beat_dest.last),
    .beat_ready_o (table_beat_ready),
    .begin_o      (table_begin),
    .write_o      (loaded_write),
    .valid_o      (fetched),
    .error_o      (table_error)
  );

  assign fetch_busy = descriptor_busy || table_busy;
  always_comb begin
    fetched_command = descriptor_command;
    if (table_error != ErrNone) fetched_command.error = table_error;
  end

  // ---- load -------------------------------------------------------------------------------------
  logic         load_idle, load_waits, loaded_push, loaded_empty, loaded_pop, released, stored;
  logic         store_full, store_empty, storing_pop;
  loaded_job_t  loaded_pushed, loaded_held, loaded;
  store_job_t   store_held, store_job;  // of the oldest tile command behind the start of its load
  error_e       load_error, loaded_error;
  logic         scale_bad, scale_bad_q;
  logic         load_done_empty, storing_empty, output_empty, epilogue_empty;
  logic         retire_valid;
  finished_job_t retire;

  // Image operands
  logic                        strip_valid, strip_ready, few_strips, align_idle, align_quiet, align_ready, word_valid;
  image_strip_t                strip;
  logic [Rows-1:0][StripW-1:0] row_start;
  read_dest_t                  word_dest;
  logic [AxiDataW-1:0]         word_data;
  logic [Rows-1:0]             word_rows;
  dim_t [Rows-1:0]             word_words;
  logic                        beat_ready;

  fp8mac_load #(
    .ROWS(Rows), .COLS(Cols), .BEAT(Beat), .IMAGES(IMAGES), .DEPTHWISE(Depthwise), .REQUANTISE(Requantise)
  ) u_load (
    .clk_i, .rst_ni(inside_rst_n),
    .abort_i       (abort),
    .clear_i       (clear),
    .idle_o        (load_idle),
    .valid_i       (checked_valid),
    .checked_i     (checked),
    .room_i        (!store_full),
    .ready_o       (checked_ready),
    .loaded_valid_o(loaded_push),
    .loaded_o      (loaded_pushed),
    .released_i    (released),
    .row_valid_o   (load_row_valid),
    .row_o         (load_row),
    .dest_o        (load_dest),
    .row_ready_i   (read_row_ready && !fetch_row_valid && !source_row_valid),
    .c_valid_o     (c_valid),
    .c_o           (c_source),
    .x_valid_o     (x_valid),
    .x_o           (x_source),
    .sources_ready_i(sources_ready),
    .strip_valid_o (strip_valid),
    .strip_o       (strip),
    .strip_ready_i (strip_ready),
    .few_strips_o  (few_strips),
    .align_idle_i  (align_idle),
    .row_start_o   (row_start),
    .complete_i    (retire_valid && retire.last),
    .waits_o       (load_waits),
    .read_failed_i (loaded_error != ErrNone),
    .stored_i      (stored)
  );

  fp8mac_dma_read #(
    .AXI_DATA_W(AxiDataW), .AXI_ADDR_W(AxiAddrW), .IN_FLIGHT(ReadBursts), .DESTS(ReadDests)
  ) u_dma_read (
    .clk_i, .rst_ni(inside_rst_n), .bus_rst_ni(rst_ni),
    .row_valid_i (read_row_valid),
    .row_ready_o (read_row_ready),
    .row_i       (read_row),
    .dest_i      (read_dest),
    .beat_valid_o(beat_valid),
    .beat_offered_o(beat_offered),
    .beat_ready_i(beat_ready),
    .beat_dest_o (beat_dest),
    .beat_data_o (beat_data),
    .beat_error_o(beat_error),
    .done_valid_o(read_done),
    .done_ready_i(align_quiet),
    .done_error_o(read_error),
    .m_axi_araddr_o, .m_axi_arlen_o, .m_axi_arsize_o, .m_axi_arburst_o,
    .m_axi_arvalid_o(arvalid),
    .m_axi_arready_i(arready),
    .m_axi_rdata_i, .m_axi_rresp_i, .m_axi_rlast_i, .m_axi_rvalid_i,
    .m_axi_rready_o (rready)
  );

  // ---- image operands: their beats leave as words, beside all other beats but those of A --------
  logic                  image_beat;

  assign image_beat = beat_dest.kind == DestImage;
  always_comb begin
    unique case (beat_dest.kind)
      DestA:       beat_ready = !word_valid;
      DestImage:   beat_ready = align_ready;
      DestTable:   beat_ready = table_beat_ready;
      default:     beat_ready = 1'b1;
    endcase
  end

  if (IMAGES) begin : g_align
    fp8mac_image_align #(.ROWS(Rows), .BEAT(Beat), .DEPTHWISE(Depthwise), .STRIPS(ReadBursts)) u_align (
      .clk_i, .rst_ni(inside_rst_n),
      .strip_valid_i(strip_valid),
      .strip_ready_o(strip_ready),
      .few_i        (few_strips),
      .strip_i      (strip),
      .row_start_i  (row_start),
      .beat_valid_i (beat_valid && image_beat),
      .beat_ready_o (align_ready),
      .beat_data_i  (beat_data),
      .word_valid_o (word_valid),
      .word_dest_o  (word_dest),
      .word_data_o  (word_data),
      .word_rows_o  (word_rows),
      .word_words_o (word_words),
      .idle_o       (align_idle),
      .quiet_o      (align_quiet)
    );
  end else begin : g_no_align
    assign strip_ready = 1'b0;
    assign align_ready = 1'b0;
    assign word_valid  = 1'b0;
    assign word_dest   = '0;
    assign word_data   = '0;
    assign word_rows   = '0;
    assign word_words  = '0;
    assign align_idle  = 1'b1;
    assign align_quiet = 1'b1;
    logic unused_strip;
    assign unused_strip = ^{strip_valid, strip, row_start, few_strips};
  end

  // The first beat of a tile command that has a value that is no scale is known one cycle after it
  // came. The end of its load comes in that cycle at the earliest.
  always_ff @(posedge clk_i) begin
    if (!inside_rst_n || read_done) scale_bad_q <= 1'b0;
    else if (scale_bad) scale_bad_q <= 1'b1;
  end

  always_comb begin
    loaded_error = read_error;
    if (read_error == ErrNone && (scale_bad || scale_bad_q)) loaded_error = ErrScale;
  end

  // Tile commands in the order of their loads; the oldest is loaded once its outcome is known. The
  // load engine starts none while the operands of LoadedDepth others are in use.
  fp8mac_fifo #(.T(loaded_job_t), .DEPTH(LoadedDepth)) u_loaded (
    .clk_i, .rst_ni(inside_rst_n), .flush_i(1'b0), .push_i(loaded_push), .data_i(loaded_pushed), .full_o(),
    .pop_i(loaded_pop), .data_o(loaded_held), .empty_o(loaded_empty), .level_o()
  );

  assign loaded = '{compute: offered_compute(loaded_held.compute, Offered), halves: loaded_held.halves,
                    error: loaded_held.error, record: loaded_held.record, tag: loaded_held.tag};

  // How the same tile commands are stored, until they are
  fp8mac_fifo #(.T(store_job_t), .DEPTH(StoreDepth)) u_store_jobs (
    .clk_i, .rst_ni(inside_rst_n), .flush_i(1'b0), .push_i(loaded_push), .data_i(checked.store), .full_o(store_full),
    .pop_i(storing_pop), .data_o(store_held), .empty_o(store_empty), .level_o()
  );

  assign store_job = offered_store(store_held, Offered);

  fp8mac_fifo #(.T(error_e), .DEPTH(LoadedDepth)) u_load_done (
    .clk_i, .rst_ni(inside_rst_n), .flush_i(1'b0), .push_i(read_done), .data_i(loaded_error), .full_o(),
    .pop_i(loaded_pop), .data_o(load_error), .empty_o(load_done_empty), .level_o()
  );

  // ---- operand and vector memories --------------------------------------------------------------
  logic                             operand_read, a_half, b_half, vector_half;
  logic [WordW-1:0]                 a_word, b_word;
  logic                             depthwise;
  logic                             pairs;
  logic [GroupW-1:0]                group;
  logic [SliceW-1:0]                operand_slice;
  logic [Rows-1:0][Lanes-1:0][7:0]  a_code;
  logic [Cols-1:0][Lanes-1:0][7:0]  b_code;
  logic [Rows-1:0][BoundW-1:0]      a_bound;
  logic [Cols-1:0][BoundW-1:0]      b_bound;
  logic                             mx;
  logic [ScaleWordW-1:0]            a_scale_word, b_scale_word;
  logic [$clog2(Beat)-1:0]          scale_byte;
  logic [Rows-1:0][ScaleW-1:0]      a_mx_scale;
  logic [Cols-1:0][ScaleW-1:0]      b_mx_scale;
  tile_index_t                      vector_row_tile, vector_col_tile;
  logic [Rows-1:0][31:0]            scale_a;
  logic [Cols-1:0][31:0]            scale_b, bias;
  logic [Cols-1:0][IntShiftW-1:0]   int_shift;

  fp8mac_memories #(
    .ROWS(Rows), .COLS(Cols), .LANES(Lanes), .BLOCK(Block), .BEAT(Beat), .BUF_BEATS(BufBeats), .MAX_MN(MaxMn),
    .BOUNDS(Bounded),
    .NARROW(Element.narrow), .MX(Mx), .SCALE_BEATS(ScaleBeats), .IMAGES(IMAGES), .DEPTHWISE(Depthwise),
    .REQUANTISE(Requantise)
  ) u_memories (
    .clk_i, .rst_ni(inside_rst_n),
    .beat_valid_i   (beat_valid && !image_beat),
    .beat_dest_i    (beat_dest),
    .beat_data_i    (beat_data),
    .image_valid_i  (word_valid),
    .image_dest_i   (word_dest),
    .image_data_i   (word_data),
    .image_rows_i   (word_rows),
    .image_words_i  (word_words),
    .scale_bad_o    (scale_bad),
    .operand_read_i (operand_read),
    .a_half_i       (a_half),
    .a_word_i       (a_word),
    .depthwise_i    (depthwise),
    .pairs_i        (pairs),
    .group_i        (group),
    .b_half_i       (b_half),
    .b_word_i       (b_word),
    .operand_slice_i(operand_slice),
    .a_code_o       (a_code),
    .b_code_o       (b_code),
    .a_bound_o      (a_bound),
    .b_bound_o      (b_bound),
    .mx_i           (mx),
    .a_scale_word_i (a_scale_word),
    .b_scale_word_i (b_scale_word),
    .scale_byte_i   (scale_byte),
    .a_scale_o      (a_mx_scale),
    .b_scale_o      (b_mx_scale),
    .vector_half_i  (vector_half),
    .row_tile_i     (vector_row_tile),
    .col_tile_i     (vector_col_tile),
    .scale_a_o      (scale_a),
    .scale_b_o      (scale_b),
    .int_shift_o    (int_shift),
    .bias_o         (bias)
  );

  // ---- compute ----------------------------------------------------------------------------------
  logic             storing_push, storing_full, kept, computing, issue, spacing, stalled;
  begun_job_t       storing_pushed, storing_held;
  storing_job_t     storing;
  logic             step_valid, block_first, block_last, acc_first, acc_last;
  logic [TileW-1:0] step_tile;
  step_cfg_t        step_cfg;
  logic [Rows-1:0]  row_en;
  logic [Cols-1:0]  col_en;
  logic [Lanes-1:0] lane_en;
  tile_position_t   tile_position;

  // The array, and what leads to it, stand still while the output part cannot take a result.
  logic advance, result_valid, result_ready;
  assign advance = result_ready || !result_valid;

  fp8mac_compute #(
    .ROWS(Rows), .COLS(Cols), .LANES(Lanes), .BLOCK(Block), .SHARE(Share), .LOOP(element_loop(Kind, Lanes, Rows)),
    .LATENCY(element_latency(Kind) + Share), .TILES(Tiles), .BEAT(Beat), .WORD(Word), .WORD_W(WordW),
    .SCALE_W(ScaleWordW), .DEPTHWISE(Depthwise)
  ) u_compute (
    .clk_i, .rst_ni(inside_rst_n),
    .abort_i        (abort),
    .clear_i        (clear),
    .advance_i      (advance),
    .valid_i        (!load_done_empty),
    .job_i          (loaded),
    .load_error_i   (load_error),
    .ready_o        (loaded_pop),
    .released_o     (released),
    .storing_valid_o(storing_push),
    .storing_o      (storing_pushed),
    .storing_ready_i(!storing_full),
    .kept_o          (kept),
    .read_o          (operand_read),
    .a_half_o        (a_half),
    .a_word_o        (a_word),
    .depthwise_o     (depthwise),
    .pairs_o         (pairs),
    .group_o         (group),
    .b_half_o        (b_half),
    .b_word_o        (b_word),
    .slice_o         (operand_slice),
    .mx_o            (mx),
    .a_scale_word_o  (a_scale_word),
    .b_scale_word_o  (b_scale_word),
    .scale_byte_o    (scale_byte),
    .step_valid_o    (step_valid),
    .step_tile_o     (step_tile),
    .block_first_o   (block_first),
    .block_last_o    (block_last),
    .acc_first_o     (acc_first),
    .acc_last_o      (acc_last),
    .step_cfg_o      (step_cfg),
    .row_en_o        (row_en),
    .col_en_o        (col_en),
    .lane_en_o       (lane_en),
    .tile_position_o (tile_position),
    .busy_o          (computing),
    .issue_o         (issue),
    .spacing_o       (spacing),
    .stalled_o       (stalled)
  );

  fp8mac_fifo #(.T(begun_job_t), .DEPTH(StoringDepth)) u_storing (
    .clk_i, .rst_ni(inside_rst_n), .flush_i(1'b0), .push_i(storing_push), .data_i(storing_pushed),
    .full_o(storing_full), .pop_i(storing_pop), .data_o(storing_held), .empty_o(storing_empty), .level_o()
  );

  always_comb begin
    storing           = '{job: store_job, vector_half: storing_held.vector_half, skip: storing_held.skip};
    storing.job.error = storing_held.error;
  end

  // ---- the array --------------------------------------------------------------------------------
  logic [PhaseW-1:0]                      result_phase;
  logic [Rows/Share-1:0][Cols-1:0][31:0]  result;
  tile_position_t                         result_position;
  flags_t                                 step_flags;
  logic                                   array_busy;

  fp8mac_array #(
    .ROWS(Rows), .COLS(Cols), .LANES(Lanes), .ELEMENT(Kind), .FRAC_BITS(FracBits), .TILES(Tiles), .MX(Mx),
    .INT32_RESULTS(Requantise), .META_W($bits(tile_position_t))
  ) u_array (
    .clk_i, .rst_ni(inside_rst_n),
    .advance_i     (advance),
    .step_valid_i  (step_valid),
    .step_tile_i   (step_tile),
    .block_first_i (block_first),
    .block_last_i  (block_last),
    .acc_first_i   (acc_first),
    .acc_last_i    (acc_last),
    .step_cfg_i    (step_cfg),
    .row_en_i      (row_en),
    .col_en_i      (col_en),
    .lane_en_i     (lane_en),
    .a_code_i      (a_code),
    .b_code_i      (b_code),
    .a_bound_i     (a_bound),
    .b_bound_i     (b_bound),
    .a_scale_i     (a_mx_scale),
    .b_scale_i     (b_mx_scale),
    .meta_i        (tile_position),
    .result_valid_o(result_valid),
    .result_phase_o(result_phase),
    .result_o      (result),
    .result_meta_o (result_position),
    .flags_o       (step_flags),
    .busy_o        (array_busy)
  );

  // ---- results ----------------------------------------------------------------------------------
  logic          epi_valid, epi_nonfinite;
  flags_t        epi_flags;
  logic [31:0]   epi_amax;
  owner_t        epi_owner;
  logic          awvalid, awready, wlast, wvalid, wready, bready;  // as the DMA engine sees them
  logic [Beat-1:0] wstrb;

  fp8mac_output #(
    .ROWS(Rows), .COLS(Cols), .SHARE(Share), .WIDTH(EpiWidth), .AXI_DATA_W(AxiDataW), .AXI_ADDR_W(AxiAddrW),
    .IN_FLIGHT(WriteBursts), .FUNCTIONS(Offered)
  ) u_output (
    .clk_i, .rst_ni(inside_rst_n), .bus_rst_ni(rst_ni),
    .abort_i        (abort),
    .clear_i        (clear),
    .c_beat_i       (beat_valid && beat_dest.kind == DestC),
    .x_beat_i       (beat_valid && beat_dest.kind == DestX),
    .beat_ram_i     (beat_dest.ram),
    .beat_word_i    (beat_dest.word),
    .beat_last_i    (beat_dest.last),
    .beat_full_i    (beat_dest.last && beat_dest.half),
    .beat_data_i    (beat_data),
    .beat_error_i   (beat_error),
    .c_valid_i      (c_valid),
    .c_i            (c_source),
    .x_valid_i      (x_valid),
    .x_i            (x_source),
    .sources_ready_o(sources_ready),
    .sources_idle_o (sources_idle),
    .source_row_valid_o(source_row_valid),
    .source_row_o   (source_row),
    .source_dest_o  (source_dest),
    .source_row_ready_i(read_row_ready && !fetch_row_valid),
    .valid_i           (!storing_empty),
    .job_i             (storing),
    .ready_o           (storing_pop),
    .kept_i            (kept),
    .stored_o          (stored),
    .epilogue_empty_o  (epilogue_empty),
    .result_valid_i    (result_valid),
    .result_ready_o    (result_ready),
    .result_phase_i    (result_phase),
    .result_i          (result),
    .result_position_i (result_position),
    .vector_half_o     (vector_half),
    .row_tile_o        (vector_row_tile),
    .col_tile_o        (vector_col_tile),
    .scale_a_i         (scale_a),
    .scale_b_i         (scale_b),
    .int_shift_i       (int_shift),
    .bias_i            (bias),
    .table_write_i     (table_write),
    .epi_valid_o       (epi_valid),
    .epi_flags_o       (epi_flags),
    .epi_amax_o        (epi_amax),
    .epi_nonfinite_o(epi_nonfinite),
    .epi_owner_o    (epi_owner),
    .empty_o        (output_empty),
    .retire_valid_o (retire_valid),
    .retire_o       (retire),
    .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o, .m_axi_awburst_o,
    .m_axi_awvalid_o(awvalid),
    .m_axi_awready_i(awready),
    .m_axi_wdata_o,
    .m_axi_wstrb_o  (wstrb),
    .m_axi_wlast_o  (wlast),
    .m_axi_wvalid_o (wvalid),
    .m_axi_wready_i (wready),
    .m_axi_bresp_i, .m_axi_bvalid_i,
    .m_axi_bready_o (bready)
  );

  fp8mac_axi_guard #(
    .STRB_W(Beat), .READS(ReadBursts), .WRITES(WriteBursts), .LEN_W(GuardLenW), .LIMIT_W($bits(watchdog))
  ) u_guard (
    .clk_i, .rst_ni,
    .soft_reset_i(soft_reset),
    .limit_i     (watchdog),
    .expired_o   (timeout),
    .flush_o     (flush),
    .draining_o  (draining),
    .arvalid_i   (arvalid),
    .arready_o   (arready),
    .rready_i    (rready),
    .awvalid_i   (awvalid),
    .awlen_i     (m_axi_awlen_o[GuardLenW-1:0]),
    .awready_o   (awready),
    .wvalid_i    (wvalid),
    .wstrb_i     (wstrb),
    .wready_o    (wready),
    .bready_i    (bready),
    .m_axi_arvalid_o, .m_axi_arready_i, .m_axi_rvalid_i, .m_axi_rlast_i, .m_axi_rready_o, .m_axi_awvalid_o,
    .m_axi_awready_i, .m_axi_wvalid_o, .m_axi_wstrb_o, .m_axi_wlast_o, .m_axi_wready_i, .m_axi_bvalid_i,
    .m_axi_bready_o
  );

  assign m_axi_awid_o    = AxiIdW'(AXI_ID);
  assign m_axi_awprot_o  = AXI_PROT;
  assign m_axi_awcache_o = AXI_CACHE;
  assign m_axi_awqos_o   = AXI_QOS;
  assign m_axi_arid_o    = AxiIdW'(AXI_ID);
  assign m_axi_arprot_o  = AXI_PROT;
  assign m_axi_arcache_o = AXI_CACHE;
  assign m_axi_arqos_o   = AXI_QOS;

  // ---- reports and counters ---------------------------------------------------------------------
  // The accelerator is idle if it holds no command. A command is always in at least one of these
  // modules; transfers of a failed one may be in the epilogue alone, and would give their flags to
  // the next owner of its record.
  logic waiting, queued;
  assign queued  = queue_level != '0 || !walk_idle || !check_idle;
  assign drained = !queued && load_idle && storing_empty && output_empty && epilogue_empty && sources_idle &&
                   !array_busy;
  assign waiting = submit || fetching || queued;
  assign idle    = !submit && !fetching && drained && !draining;

  // Tag of the oldest command that the engines have; 0 if they have none and a descriptor is read
  tag_t oldest_tag;
  logic oldest_record;
  always_comb begin
    if (!output_empty) {oldest_record, oldest_tag} = {retire.record, retire.tag};
    else if (!store_empty) {oldest_record, oldest_tag} = {store_job.record, store_job.tag};
    else {oldest_record, oldest_tag} = '0;
  end

  fp8mac_report u_report (
    .clk_i, .rst_ni,
    .idle_i          (idle),
    .clear_error_i   (clear_error),
    .soft_reset_i    (soft_reset),
    .clear_flags_i   (clear_flags),
    .refused_i       (overflow || refused || refuse),
    .refused_error_i (refuse ? ErrRecord : ErrQueueFull),
    .refused_tag_i   (refuse ? command.tag : csr_submit ? csr_command.tag : '0),
    .timeout_i       (timeout),
    .timeout_tag_i   (oldest_tag),
    .timeout_record_i(oldest_record),
    .retire_valid_i  (retire_valid),
    .retire_i        (retire),
    .step_flags_i    (step_flags),
    .epi_valid_i     (epi_valid),
    .epi_flags_i     (epi_flags),
    .epi_amax_i      (epi_amax),
    .epi_nonfinite_i (epi_nonfinite),
    .clear_o         (clear),
    .abort_o         (abort),
    .error_o         (error),
    .error_code_o    (error_code),
    .error_tag_o     (error_tag),
    .completed_o     (completed),
    .done_event_o    (done_event),
    .error_event_o   (error_event),
    .ended_o         (ended),
    .ended_tag_o     (ended_tag),
    .ended_error_o   (ended_error),
    .flags_o         (flags),
    .amax_o          (amax),
    .amax_nonfinite_o(amax_nonfinite)
  );

  if (RECORDS) begin : gen_records
    fp8mac_records u_records (
      .clk_i, .rst_ni,
      .flush_i        (flush),
      .soft_reset_i   (soft_reset),
      .claim_i        (claim),
      .claim_tag_i    (command.tag),
      .held_o         (records_held),
      .finish_i       (ended),
      .finish_tag_i   (ended_tag),
      .finish_error_i (ended_error),
      .drop_i         (abort),
      .step_owner_i   (result_position.owner),
      .step_flags_i   (step_flags),
      .epi_valid_i    (epi_valid),
      .epi_owner_i    (epi_owner),
      .epi_flags_i    (epi_flags),
      .epi_amax_i     (epi_amax),
      .epi_nonfinite_i(epi_nonfinite),
      .release_i      (release_record),
      .release_tag_i  (release_tag),
      .select_i       (record_select),
      .record_o       (record),
      .done_o         (records_done)
    );
  end else begin : gen_no_records
    logic unused_owner;
    assign unused_owner = ^{claim, ended, ended_tag, ended_error, epi_owner, record_select, release_record,
                            release_tag};
    assign records_held = '0;
    assign records_done = '0;
    assign record       = '0;
  end

  fp8mac_counters #(.ROWS(Rows), .COLS(Cols), .LANES(Lanes)) u_counters (
    .clk_i, .rst_ni,
    .clear_i     (clear_counters),
    .issue_i     (issue),
    .stalled_i   (stalled),
    .spacing_i   (spacing),
    .loaded_i    (computing || !load_done_empty),
    .loading_i   (!loaded_empty && !load_waits),
    .waiting_i   (waiting && !load_waits),
    .idle_i      (idle),
    .taken_i     (step_valid && advance),
    .row_en_i    (row_en),
    .col_en_i    (col_en),
    .lane_en_i   (lane_en),
    .read_beat_i (beat_valid),
    .write_beat_i(m_axi_wvalid_o && m_axi_wready_i),
    .counters_o  (counters)
  );

  // The write engine and the guard agree on the beats of the bursts.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !wvalid || (m_axi_wvalid_o && wlast == m_axi_wlast_o));

  assert property (@(posedge clk_i) disable iff (!rst_ni) !m_axi_awvalid_o || 32'(m_axi_awlen_o) < (1 << GuardLenW));

  // All bursts have one identifier, and so must their responses.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !m_axi_bvalid_i || m_axi_bid_i == AxiIdW'(AXI_ID));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !m_axi_rvalid_i || m_axi_rid_i == AxiIdW'(AXI_ID));

endmodule
