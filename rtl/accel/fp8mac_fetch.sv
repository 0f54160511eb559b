// SPDX-License-Identifier: Apache-2.0
// Fetches a command's descriptor from memory: CommandWords words, which are an image of the
// registers A_ADDR .. SUBMIT, in whole beats from a beat's address on. With MODE.extended it
// fetches the rest of MostWords words, too: the beats behind. A descriptor that cannot be read, or
// is asked for with an error, gives a command with this error, the tag 0 and no record.
module fp8mac_fetch
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned BEAT = 16
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              ring_i,  // only while busy_o is 0
  input  addr_t             addr_i,
  input  error_e            ring_error_i,  // other than ErrNone: nothing is read
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
  output command_t          command_o,
  // What the descriptor says of a list, with valid_o: another one follows, the list pauses before
  // that
  output logic              more_o,
  output logic              pause_o,
  output addr_t             next_o,        // the beat behind it
  output logic              next_beyond_o, // which has no address
  // The load of a table that the command asks for, with valid_o: fp8mac_table_load
  output logic              load_table_o,
  output addr_t             table_addr_o
);
  localparam int unsigned BeatLog = $clog2(BEAT);
  localparam int unsigned Bytes   = MostWords * 4;
  localparam int unsigned Short   = (CommandWords * 4 + BEAT - 1) / BEAT;  // beats without an extension
  localparam int unsigned Beats   = (Bytes + BEAT - 1) / BEAT;
  localparam int unsigned CountW  = $clog2(Beats + 1);

  typedef enum logic [1:0] {
    Idle,
    Request,
    Data,
    Done
  } state_e;

  state_e                state_q;
  addr_t                 addr_q;
  error_e                error_q;
  logic [CountW-1:0]     count_q;   // beats that came
  logic                  longer_q;  // the rest is being read
  logic [Beats-1:0][BEAT*8-1:0] beats_q;   // the last one may have more than the last words
  logic [MostWords-1:0][31:0]   word;
  logic                  misaligned, beyond, longer, rest_beyond;
  error_e                error, ring_error;
  logic [AddrW:0]        next;
  logic [Beats*BEAT*8-1:0]      data;
  logic                         unused;

  assign data   = beats_q;
  assign unused = ^(data >> (Bytes * 8));  // behind the last word

  assign misaligned  = addr_i[BeatLog-1:0] != '0;
  assign beyond      = addr_i > addr_t'(-(Short * BEAT));
  assign word        = data[Bytes*8-1:0];
  assign longer      = word[ModeWord][ExtendedBit] && !longer_q && error == ErrNone;
  assign rest_beyond = addr_q > addr_t'(-(Beats * BEAT));
  assign ring_error  = (ring_error_i != ErrNone) ? ring_error_i : misaligned ? ErrAlign : beyond ? ErrRange : ErrNone;
  assign error       = (error_q == ErrNone && beat_valid_i) ? beat_error_i : error_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:    if (ring_i) state_q <= (ring_error != ErrNone) ? Done : Request;
        Request: if (row_ready_i) state_q <= Data;
        Data:    if (beat_valid_i && beat_last_i) state_q <= (longer && !rest_beyond) ? Request : Done;
        default: state_q <= Idle;
      endcase
    end
    if (ring_i && state_q == Idle) begin
      addr_q   <= addr_i;
      error_q  <= ring_error;
      count_q  <= '0;
      longer_q <= 1'b0;
    end else if (beat_valid_i) begin
      error_q  <= (beat_last_i && longer && rest_beyond) ? ErrRange : error;
      count_q  <= count_q + CountW'(1);
      longer_q <= longer_q || (beat_last_i && longer);
    end
    for (int unsigned i = 0; i < Beats; i++) begin
      if (beat_valid_i && count_q == CountW'(i)) beats_q[i] <= beat_data_i;
    end
  end

  assign busy_o      = state_q != Idle;
  assign row_valid_o = state_q == Request;
  assign row_o       = '{none: 1'b0, addr: longer_q ? addr_q + addr_t'(Short * BEAT) : addr_q,
                         beats: longer_q ? dim_t'(Beats - Short) : dim_t'(Short)};
  assign dest_o      = '{kind: DestCommand, half: 1'b0, ram: '0, word: '0, fmt: '0, last_byte: '0, last: 1'b0,
                         depthwise: 1'b0, pairs: 1'b0, rotate: '0};
  assign valid_o     = state_q == Done;

  assign more_o  = word[CommandWords-1][MoreBit] && error_q == ErrNone;
  assign pause_o = word[CommandWords-1][PauseBit];
  assign next    = (AddrW+1)'(addr_q) + (longer_q ? (AddrW+1)'(Beats * BEAT) : (AddrW+1)'(Short * BEAT));
  assign next_o  = next[AddrW-1:0];
  assign next_beyond_o = next[AddrW];

  assign load_table_o = longer_q && word[CommandWords][LoadTableBit] && error_q == ErrNone;
  assign table_addr_o = word[TableAddrWord];

  always_comb begin
    command_o       = command_of(word);
    command_o.error = error_q;
    if (error_q != ErrNone) begin
      command_o.tag         = '0;
      command_o.mode.record = 1'b0;
    end
  end

  rings_when_idle : assert property (@(posedge clk_i) disable iff (!rst_ni) !(ring_i && busy_o));
  beats_are_wanted : assert property (@(posedge clk_i) disable iff (!rst_ni) !beat_valid_i || state_q == Data);

endmodule
