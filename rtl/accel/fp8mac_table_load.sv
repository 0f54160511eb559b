// SPDX-License-Identifier: Apache-2.0
// Loads a table of codes from memory before a command that asks for it (OPERATION.load_table). It
// stands between fp8mac_fetch and the queue: a command without a load passes in the cycle in which
// its descriptor is there.
//
//   read          drained: no command is left          row taken          last beat
//   Nothing ----> Wait -----------------------------> Request ---------> Data ----> Done: the command passes
//                   |                                                                ^
//                   '----------------------------------------------------------------'  an abort, or a bad address
//
// So each command before it has its own table up to its end, and each behind it the new one.
// A beat stays on the bus until its words are written, one in each cycle. A load that fails
// gives the command its error, and the table has no codes then. Nothing is read from an address
// that is none. What is no table fails at once and loses none.
module fp8mac_table_load
  import fp8mac_codes_pkg::*;
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned BEAT   = 16,
  parameter bit          TABLES = 1'b1  // there are tables
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // fp8mac_fetch. What comes with read_i stays until busy_o is 0.
  input  logic              read_i,        // a command was read
  input  logic              wanted_i,      // it asks for a load
  input  code_table_e       code_table_i,
  input  addr_t             addr_i,
  output logic              busy_o,

  input  logic              abort_i,       // the command will be dropped
  input  logic              drained_i,     // no command is behind the queue's entrance

  // To the read DMA
  output logic              row_valid_o,
  output row_request_t      row_o,
  output read_dest_t        dest_o,
  input  logic              row_ready_i,

  input  logic              beat_i,        // a beat of the table is there
  input  logic [BEAT*8-1:0] beat_data_i,
  input  error_e            beat_error_i,
  input  logic              beat_last_i,
  output logic              beat_ready_o,

  output logic              begin_o,       // the table has no codes from now on
  output table_write_t      write_o,

  output logic              valid_o,       // the command passes
  output error_e            error_o        // with valid_o
);
  localparam int unsigned Bytes   = 256;
  localparam int unsigned Words   = BEAT / 4;  // of a beat
  localparam int unsigned WordW   = $clog2(Words);
  localparam int unsigned BeatLog = $clog2(BEAT);

  typedef enum logic [2:0] {
    Nothing,
    Wait,
    Request,
    Data,
    Done
  } state_e;

  state_e     state_q;
  error_e     error_q, request_error, error;
  logic [5:0] word_q;  // of the table
  logic       taken, refused;  // its address is none

  always_comb begin
    request_error = ErrNone;
    if (!TABLES || !(code_table_i inside {Table0, Table1})) request_error = ErrMode;
    else if (addr_i[BeatLog-1:0] != '0) request_error = ErrAlign;
    else if (addr_i > addr_t'(-Bytes)) request_error = ErrRange;
  end

  assign error        = (error_q == ErrNone && beat_i) ? beat_error_i : error_q;
  assign beat_ready_o = word_q[WordW-1:0] == '1;
  assign taken        = beat_i && beat_ready_o;
  assign refused      = error_q != ErrNone;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Nothing;
    end else begin
      unique case (state_q)
        Nothing: if (read_i && wanted_i) state_q <= (request_error == ErrMode) ? Done : Wait;
        Wait:    if (abort_i) state_q <= Done;
                 else if (drained_i) state_q <= refused ? Done : Request;
        Request: if (row_ready_i) state_q <= Data;
        Data:    if (taken && beat_last_i) state_q <= Done;
        default: state_q <= Nothing;
      endcase
    end
    if (state_q == Nothing) begin
      error_q <= request_error;
      word_q  <= '0;
    end else if (beat_i) begin
      error_q <= error;
      word_q  <= word_q + 6'd1;
    end
  end

  assign busy_o      = state_q != Nothing;
  assign row_valid_o = state_q == Request;
  assign row_o       = '{none: 1'b0, addr: addr_i, beats: dim_t'(Bytes / BEAT)};
  assign dest_o      = '{kind: DestTable, half: 1'b0, ram: '0, word: '0, fmt: '0, last_byte: '0, last: 1'b0,
                         depthwise: 1'b0, pairs: 1'b0, rotate: '0};

  assign begin_o = state_q == Request || (state_q == Wait && !abort_i && drained_i && refused);
  assign write_o = '{write: beat_i && error == ErrNone, second: code_table_i == Table1, word: word_q,
                     codes: beat_data_i[word_q[WordW-1:0] * 32 +: 32]};

  assign valid_o = state_q == Done || (read_i && !wanted_i);
  assign error_o = (state_q == Done) ? error_q : ErrNone;

  one_command_at_a_time : assert property (@(posedge clk_i) disable iff (!rst_ni) !(read_i && busy_o));
  beats_are_wanted : assert property (@(posedge clk_i) disable iff (!rst_ni) !beat_i || state_q == Data);

endmodule
