// SPDX-License-Identifier: Apache-2.0
// Asserts the rules of AXI4 that the accelerator must keep as a master. A violation ends the
// simulation.
module fp8mac_sys_axi_checker #(
  parameter int unsigned DATA_W = 128,
  parameter int unsigned ID_W   = 4
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [ID_W-1:0]     awid_i,
  input logic [31:0]         awaddr_i,
  input logic [7:0]          awlen_i,
  input logic [2:0]          awsize_i,
  input logic [1:0]          awburst_i,
  input logic                awvalid_i,
  input logic                awready_i,
  input logic [DATA_W-1:0]   wdata_i,
  input logic [DATA_W/8-1:0] wstrb_i,
  input logic                wlast_i,
  input logic                wvalid_i,
  input logic                wready_i,
  input logic [ID_W-1:0]     arid_i,
  input logic [31:0]         araddr_i,
  input logic [7:0]          arlen_i,
  input logic [2:0]          arsize_i,
  input logic [1:0]          arburst_i,
  input logic                arvalid_i,
  input logic                arready_i
);

  localparam int unsigned PageW = 12;  // no burst crosses a 4 KiB boundary

  // `offset` is the first address within its page.
  function automatic logic crosses_page(logic [PageW-1:0] offset, logic [7:0] len, logic [2:0] size);
    logic [31:0] first_beat;
    first_beat = 32'(offset) >> size << size;
    return first_beat + ((32'(len) + 32'd1) << size) > (32'd1 << PageW);
  endfunction

  // A payload that was offered and not taken must be offered again, unchanged.
  localparam int unsigned AddrPayloadW = ID_W + 32 + 8 + 3 + 2;
  localparam int unsigned DataPayloadW = DATA_W + DATA_W / 8 + 1;
  logic [AddrPayloadW-1:0] aw, aw_q, ar, ar_q;
  logic [DataPayloadW-1:0] w, w_q;
  logic aw_waits_q, ar_waits_q, w_waits_q;

  assign aw = {awid_i, awaddr_i, awlen_i, awsize_i, awburst_i};
  assign ar = {arid_i, araddr_i, arlen_i, arsize_i, arburst_i};
  assign w  = {wdata_i, wstrb_i, wlast_i};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {aw_waits_q, ar_waits_q, w_waits_q} <= '0;
    end else begin
      aw_waits_q <= awvalid_i && !awready_i;
      ar_waits_q <= arvalid_i && !arready_i;
      w_waits_q  <= wvalid_i && !wready_i;
    end
    if (awvalid_i && !awready_i) aw_q <= aw;
    if (arvalid_i && !arready_i) ar_q <= ar;
    if (wvalid_i && !wready_i)   w_q  <= w;
  end

  // Beats written in the running burst; its length is known here because the slave takes no W
  // before AW.
  logic [7:0] lengths_q [16];
  logic [3:0] aw_count_q, w_count_q;
  logic [7:0] index_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_count_q <= '0;
      w_count_q  <= '0;
      index_q    <= '0;
    end else begin
      if (awvalid_i && awready_i) aw_count_q <= aw_count_q + 1'b1;
      if (wvalid_i && wready_i) begin
        index_q   <= wlast_i ? '0 : index_q + 1'b1;
        w_count_q <= w_count_q + 4'(wlast_i);
      end
    end
    if (awvalid_i && awready_i) lengths_q[aw_count_q] <= awlen_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!aw_waits_q || (awvalid_i && aw == aw_q)) else $error("AW changed before it was taken");
      assert (!ar_waits_q || (arvalid_i && ar == ar_q)) else $error("AR changed before it was taken");
      assert (!w_waits_q || (wvalid_i && w == w_q)) else $error("W changed before it was taken");
      assert (!awvalid_i || !crosses_page(awaddr_i[PageW-1:0], awlen_i, awsize_i)) else $error("AW crosses 4 KiB");
      assert (!arvalid_i || !crosses_page(araddr_i[PageW-1:0], arlen_i, arsize_i)) else $error("AR crosses 4 KiB");
      assert (!(wvalid_i && wready_i) || wlast_i == (index_q == lengths_q[w_count_q]))
        else $error("WLAST is not at the burst's end");
    end
  end

endmodule
