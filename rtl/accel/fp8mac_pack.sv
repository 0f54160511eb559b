// SPDX-License-Identifier: Apache-2.0
// Packs finished outputs of a row into beats. A transfer lies within one beat, from byte pos_i on. A beat leaves when
// it is complete or with the row's last transfer. Its strobes mark the bytes that were written.
module fp8mac_pack #(
  parameter int unsigned WIDTH = 4,
  parameter int unsigned BEAT  = 16,
  localparam int unsigned PosW = $clog2(BEAT)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   valid_i,
  output logic                   ready_o,
  input  logic [WIDTH-1:0]       en_i,
  input  logic [WIDTH-1:0][31:0] code_i,   // right-justified
  input  logic [PosW-1:0]        pos_i,
  input  logic [1:0]             size_i,   // log2 of a code's bytes
  input  logic                   final_i,  // the row's last transfer

  output logic                   beat_valid_o,
  output logic [BEAT*8-1:0]      beat_data_o,
  output logic [BEAT-1:0]        beat_strb_o,
  input  logic                   beat_ready_i
);
  logic [BEAT-1:0][7:0] data_q, data, shifted;
  logic [BEAT-1:0]      strb_q, strb, shifted_strb;
  logic [WIDTH*4-1:0][7:0] bytes;
  logic [WIDTH*4-1:0]      bytes_en;
  logic                    complete;

  // Codes side by side:  | code 0 | code 1 | ... |  each of 2^size bytes
  always_comb begin
    bytes    = '0;
    bytes_en = '0;
    for (int unsigned w = 0; w < WIDTH; w++) begin
      unique case (size_i)
        2'd0: begin
          bytes[w]    = code_i[w][7:0];
          bytes_en[w] = en_i[w];
        end
        2'd1: begin
          bytes[2*w +: 2]    = code_i[w][15:0];
          bytes_en[2*w +: 2] = {2{en_i[w]}};
        end
        default: begin
          bytes[4*w +: 4]    = code_i[w];
          bytes_en[4*w +: 4] = {4{en_i[w]}};
        end
      endcase
    end
  end

  // The transfer moves to byte pos_i of the beat. Other bytes keep what earlier transfers wrote.
  always_comb begin
    shifted      = (BEAT*8)'(bytes) << {pos_i, 3'b000};
    shifted_strb = BEAT'(bytes_en) << pos_i;
    data = data_q;
    for (int unsigned b = 0; b < BEAT; b++) begin
      if (shifted_strb[b]) data[b] = shifted[b];
    end
    strb = strb_q | shifted_strb;
  end

  localparam logic [PosW:0] Full = (PosW+1)'(BEAT);
  assign complete = final_i || {1'b0, pos_i} + ((PosW+1)'(WIDTH) << size_i) == Full;

  assign beat_valid_o = valid_i && complete;
  assign beat_data_o  = data;
  assign beat_strb_o  = strb;
  assign ready_o      = beat_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (valid_i && ready_o && complete)) strb_q <= '0;
    else if (valid_i && ready_o) strb_q <= strb;
    if (valid_i && ready_o) data_q <= data;
  end

endmodule
