// SPDX-License-Identifier: Apache-2.0
// Stops the build of the accelerator with one sentence for each parameter that has no legal value.
// A limit that depends on another parameter is only checked if that one is legal.
module fp8mac_accel_checks
  import fp8mac_accel_pkg::*;
#(
  parameter asked_t ASKED = '0
);
  localparam parameters_t Found  = parameters_of(ASKED);
  localparam legal_t      Legal  = Found.legal;
  localparam limits_t     Limits = Found.limits;
  localparam bit          DataOk = legal_data_w(ASKED.axi_data_w) == ASKED.axi_data_w;

  if (!Legal.sides) begin : g_check_sides
    $error("ROWS=%0d, COLS=%0d: ROWS and COLS must be powers of two, 1 to 32", ASKED.rows, ASKED.cols);
  end
  if (!Legal.element) begin : g_check_element
    $error("ELEMENT=%0d is none of the kinds that commands know: see element_in_accelerator()", ASKED.element);
  end
  if (Legal.element && !Legal.lanes) begin : g_check_lanes
    $error("LANES=%0d is not possible: it must be a power of two, 1 to %0d", ASKED.lanes, Limits.most_lanes);
  end
  if (!Legal.tiles) begin : g_check_tiles
    $error("TILES=%0d is not possible: it must be a power of two, %0d to %0d", ASKED.tiles, Limits.least_tiles, Most16);
  end
  if (Legal.element && Legal.lanes && Legal.window && !Legal.frac_bits) begin : g_check_frac_bits
    $error("FRAC_BITS=%0d is not possible: it must be %0d to %0d with this ELEMENT", ASKED.frac_bits,
           Limits.least_frac_bits, Limits.most_frac_bits);
  end
  if (ASKED.mx && Legal.element && !Legal.mx) begin : g_check_mx
    $error("MX=1 is not possible: only kinds that sum blocks of 32 products have MX scales");
  end
  if (Legal.sides && Legal.element && Legal.lanes && !Legal.epi_width) begin : g_check_epi_width
    $error("EPI_WIDTH=%0d is not possible: it must divide the %0d results of a bundle, as a multiple of COLS up to 32",
           ASKED.epi_width, Limits.bundle);
  end
  if (!DataOk) begin : g_check_data_width
    $error("AXI_DATA_W=%0d is not possible: it must be 64, 128 or 256", ASKED.axi_data_w);
  end
  if (legal_addr_w(ASKED.axi_addr_w) != ASKED.axi_addr_w) begin : g_check_address_width
    $error("AXI_ADDR_W=%0d is not possible: it must be 32 to 64", ASKED.axi_addr_w);
  end
  if (legal_id_w(ASKED.axi_id_w) != ASKED.axi_id_w) begin : g_check_id_width
    $error("AXI_ID_W=%0d is not possible: it must be 1 to 32", ASKED.axi_id_w);
  end else if (ASKED.axi_id_w < 32 && ASKED.axi_id >> (ASKED.axi_id_w % 32) != 0) begin : g_check_id
    $error("AXI_ID=%0d does not fit AXI_ID_W=%0d bits", ASKED.axi_id, ASKED.axi_id_w);
  end
  if (!Legal.queue_depth) begin : g_check_queue
    $error("QUEUE_DEPTH=%0d is not possible: it must be 1 to 127", ASKED.queue_depth);
  end
  if (Legal.element && Legal.lanes && DataOk && !Legal.buf_beats) begin : g_check_beats
    $error("BUF_BEATS=%0d is not possible: it must be a power of two, %0d to %0d", ASKED.buf_beats, Limits.least_beats,
           Most16);
  end
  if (Legal.sides && Legal.max_mn && ASKED.row_commands && !Legal.row_commands) begin : g_check_rows
    $error("ROW_COMMANDS=1 is not possible: it needs ELEMENTWISE=1, COLS <= 16 for its 16 partial sums, MAX_MN >= 32");
  end
  if (Legal.sides && Legal.lanes && DataOk && ASKED.depthwise && !Legal.depthwise) begin : g_check_depthwise
    $error("DEPTHWISE=1 is not possible: it needs IMAGES=1, LANES >= a beat's bytes, COLS >= 2, 1/8 to 1/2 of those");
  end
  if (Legal.element && ASKED.requantise && !Legal.requantise) begin : g_check_requantise
    $error("REQUANTISE=1 is not possible: it needs a kind that sums INT32, ELEMENTWISE=0, ADD_C=0 and STOCHASTIC=0");
  end
  if (Legal.sides && !Legal.max_mn) begin : g_check_max
    $error("MAX_MN=%0d is not possible: it must be %0d to %0d", ASKED.max_mn, Limits.least_mn, Limits.most_mn);
  end
endmodule
