// SPDX-License-Identifier: Apache-2.0
// The machine timer: mtime counts clock cycles, and its interrupt is pending while mtime >=
// mtimecmp.
//
//   +0x0 mtime, low word    +0x4 high word    (writes replace that word)
//   +0x8 mtimecmp, low      +0xc high         (reset: all ones)
module fp8mac_sys_timer
  import fp8mac_sys_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  core_req_t   req_i,
  output logic [31:0] rdata_o,   // in the cycle after valid_i
  output logic        err_o,
  output logic        irq_o
);

  logic [63:0] mtime_q, mtimecmp_q;
  logic mapped;
  logic [31:0] byte_mask;

  assign mapped    = req_i.addr[WindowW-1:4] == '0;
  assign byte_mask = {{8{req_i.be[3]}}, {8{req_i.be[2]}}, {8{req_i.be[1]}}, {8{req_i.be[0]}}};

  function automatic logic [31:0] merge(logic [31:0] old, logic [31:0] wdata, logic [31:0] mask);
    return (old & ~mask) | (wdata & mask);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mtime_q    <= '0;
      mtimecmp_q <= '1;
      irq_o      <= 1'b0;
    end else begin
      mtime_q <= mtime_q + 1'b1;
      irq_o   <= mtime_q >= mtimecmp_q;
      if (valid_i && req_i.we && mapped) begin
        unique case (req_i.addr[3:2])
          2'd0:    mtime_q[31:0]     <= merge(mtime_q[31:0], req_i.wdata, byte_mask);
          2'd1:    mtime_q[63:32]    <= merge(mtime_q[63:32], req_i.wdata, byte_mask);
          2'd2:    mtimecmp_q[31:0]  <= merge(mtimecmp_q[31:0], req_i.wdata, byte_mask);
          default: mtimecmp_q[63:32] <= merge(mtimecmp_q[63:32], req_i.wdata, byte_mask);
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    err_o <= !mapped;
    unique case (req_i.addr[3:2])
      2'd0:    rdata_o <= mtime_q[31:0];
      2'd1:    rdata_o <= mtime_q[63:32];
      2'd2:    rdata_o <= mtimecmp_q[31:0];
      default: rdata_o <= mtimecmp_q[63:32];
    endcase
  end

  logic unused_addr;
  assign unused_addr = ^{req_i.addr[31:WindowW], req_i.addr[1:0]};

endmodule
