// SPDX-License-Identifier: Apache-2.0
// Fetches a command's descriptor from memory: CommandWords words, which are an image of the registers A_ADDR .. SUBMIT,
// in whole beats from a beat's address on. A descriptor that cannot be read gives a command with an error, the tag 0 and
// no record.
module fp8mac_fetch
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned BEAT = 16
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              ring_i,  // only while busy_o is 0
  input  addr_t             addr_i,
  output logic              busy_o,

  // To the read DMA
  output logic              row_valid_o,
  output row_request_t      row_o,
  output read_dest_t        dest_o,
  input  logic              row_ready_i,

  input  logic              beat_valid_i,  // a beat of the descriptor
  input  logic [BEAT*8-1:0] beat_data_i,
  input  error_e            beat_error_i,
  input  logic              beat_last_i,

  output logic              valid_o,       // one cycle
  output command_t          command_o
);
  localparam int unsigned BeatLog = $clog2(BEAT);
  localparam int unsigned Bytes   = CommandWords * 4;
  localparam int unsigned Beats   = (Bytes + BEAT - 1) / BEAT;

  typedef enum logic [1:0] {
    Idle,
    Request,
    Data,
    Done
  } state_e;

  state_e                state_q;
  addr_t                 addr_q;
  error_e                error_q;
  logic [Beats*BEAT*8-1:0] data_q;
  logic                  misaligned, beyond;

  assign misaligned = addr_i[BeatLog-1:0] != '0;
  assign beyond     = addr_i > addr_t'(-(Beats * BEAT));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:    if (ring_i) state_q <= (misaligned || beyond) ? Done : Request;
        Request: if (row_ready_i) state_q <= Data;
        Data:    if (beat_valid_i && beat_last_i) state_q <= Done;
        default: state_q <= Idle;
      endcase
    end
    if (ring_i && state_q == Idle) begin
      addr_q  <= addr_i;
      error_q <= misaligned ? ErrAlign : beyond ? ErrRange : ErrNone;
    end else if (beat_valid_i && error_q == ErrNone) begin
      error_q <= beat_error_i;
    end
    // The first beat ends up lowest.
    if (beat_valid_i) data_q <= (Beats*BEAT*8)'({beat_data_i, data_q} >> (BEAT * 8));
  end

  assign busy_o      = state_q != Idle;
  assign row_valid_o = state_q == Request;
  assign row_o       = '{none: 1'b0, addr: addr_q, beats: dim_t'(Beats)};
  assign dest_o      = '{kind: DestCommand, half: 1'b0, ram: '0, word: '0, fmt: FmtE4m3fn, last_byte: '0, last: 1'b0};
  assign valid_o     = state_q == Done;

  always_comb begin
    command_o       = command_of(data_q[Bytes*8-1:0]);
    command_o.error = error_q;
    if (error_q != ErrNone) begin
      command_o.tag         = '0;
      command_o.mode.record = 1'b0;
    end
  end

  rings_when_idle : assert property (@(posedge clk_i) disable iff (!rst_ni) !(ring_i && busy_o));
  beats_are_wanted : assert property (@(posedge clk_i) disable iff (!rst_ni) !beat_valid_i || state_q == Data);

endmodule
