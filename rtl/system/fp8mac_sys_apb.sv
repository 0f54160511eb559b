// SPDX-License-Identifier: Apache-2.0
// Turns one core access into one APB4 transfer. done_o comes with the answer, at least two
// cycles after the request.
module fp8mac_sys_apb
  import fp8mac_sys_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        valid_i,   // only when no transfer is under way, or in the cycle of done_o
  input  core_req_t   req_i,
  output logic        done_o,
  output logic [31:0] rdata_o,
  output logic        err_o,

  output logic        psel_o,
  output logic        penable_o,
  output logic        pwrite_o,
  output logic [11:0] paddr_o,
  output logic [31:0] pwdata_o,
  output logic [3:0]  pstrb_o,
  input  logic        pready_i,
  input  logic [31:0] prdata_i,
  input  logic        pslverr_i
);

  typedef enum logic [1:0] {
    ApbIdle   = 2'd0,
    ApbSetup  = 2'd1,
    ApbAccess = 2'd2
  } state_e;

  state_e state_q;
  core_req_t req_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)                    state_q <= ApbIdle;
    else if (valid_i)               state_q <= ApbSetup;
    else if (state_q == ApbSetup)   state_q <= ApbAccess;
    else if (done_o)                state_q <= ApbIdle;
    if (valid_i) req_q <= req_i;
  end

  assign psel_o    = state_q != ApbIdle;
  assign penable_o = state_q == ApbAccess;
  assign pwrite_o  = req_q.we;
  assign paddr_o   = req_q.addr[11:0];
  assign pwdata_o  = req_q.wdata;
  assign pstrb_o   = req_q.we ? req_q.be : '0;

  assign done_o  = penable_o && pready_i;
  assign rdata_o = prdata_i;
  assign err_o   = pslverr_i;

  logic unused_addr;
  assign unused_addr = ^req_q.addr[31:12];

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!valid_i || !psel_o || done_o) else $error("a request came during a transfer");
  end

endmodule
