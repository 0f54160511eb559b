// SPDX-License-Identifier: Apache-2.0
// Control registers of a board, at the addresses that the simulator's control has in the simulated
// chip. So a program for that chip runs on the board as it is.
//
//   +0x00 EXIT      w   the program has ended with this status, which the LEDs show; the console stays as it is
//   +0x04 PUTC      w   one character for the UART. The write ends when the character before it has left
//   +0x08 CHECK     w   no effect       r   0xfffffffe: there is no golden model
//   +0x0c ARGS      r   address of the arguments: argc, then argc addresses of strings. They are part of the program
//   +0x10 STALL     r   0: the bus does not stall
//   +0x14 LOCATION  w   no effect
module fp8mac_board_ctrl
  import fp8mac_sys_pkg::*;
#(
  parameter int unsigned CLOCK_HZ = 25_000_000,
  parameter int unsigned BAUD     = 115_200
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,      // only if no answer is owed behind this cycle
  input  core_req_t   req_i,
  output logic        done_o,       // the answer to the last access: in the next cycle, or later for PUTC
  output logic [31:0] rdata_o,
  output logic        err_o,

  output logic        uart_tx_o,
  output logic        exited_o,
  output logic [7:0]  status_o      // of the exit; as many bits as a Unix program has
);

  localparam logic [31:0] ArgsAddr = RamBase + (32'd1 << RamAddrW) - 32'd4096;

  logic [WindowW-1:0] offset;
  logic uart_ready, waits_q;  // a character waits for the UART
  logic [7:0] char_q;

  assign offset = {req_i.addr[WindowW-1:2], 2'b00};
  assign done_o = !waits_q || uart_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)      waits_q <= 1'b0;
    else if (valid_i) waits_q <= req_i.we && offset == RegPutc;
    else if (done_o)  waits_q <= 1'b0;
    if (valid_i) char_q <= req_i.wdata[7:0];
  end

  fp8mac_board_uart #(.CLOCK_HZ(CLOCK_HZ), .BAUD(BAUD)) u_uart (
    .clk_i, .rst_ni, .valid_i(waits_q), .char_i(char_q), .ready_o(uart_ready), .tx_o(uart_tx_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      exited_o <= 1'b0;
      status_o <= '0;
    end else if (valid_i && req_i.we && offset == RegExit) begin
      exited_o <= 1'b1;
      status_o <= req_i.wdata[7:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      err_o   <= 1'b0;
      rdata_o <= '0;
      unique case (offset)
        RegExit, RegPutc, RegStall, RegLocation: ;
        RegCheck: rdata_o <= 32'hffff_fffe;
        RegArgs: begin
          rdata_o <= ArgsAddr;
          err_o   <= req_i.we;
        end
        default: err_o <= 1'b1;
      endcase
    end
  end

  logic unused_req;
  assign unused_req = ^{req_i.be, req_i.addr[31:WindowW], req_i.addr[1:0], req_i.wdata[31:8]};

endmodule
