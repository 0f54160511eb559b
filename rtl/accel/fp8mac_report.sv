// SPDX-License-Identifier: Apache-2.0
// Reports to software: completed commands, the error state, sticky flags and the amax.
//
// Tile commands finish in order, and a command with its last one. The first one that fails causes
// the error state and an abort: the queue is emptied, and the tile commands still in the engines
// arrive here without being reported. A submission that is refused causes the error state at
// once, but no abort. A timeout causes both, and replaces an earlier error. clear_error_i ends
// the error state if idle_i is 1, and has no effect otherwise; clear_o then tells the engines.
// soft_reset_i ends it at once.
module fp8mac_report
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_ni,

  input  logic          idle_i,
  input  logic          clear_error_i,
  input  logic          soft_reset_i,
  input  logic          clear_flags_i,

  input  logic          refused_i,       // a submission was dropped
  input  error_e        refused_error_i,
  input  tag_t          refused_tag_i,

  input  logic          timeout_i,
  input  tag_t          timeout_tag_i,   // of the oldest command
  input  logic          timeout_record_i,

  // A tile command has left the engines: written and acknowledged, or skipped.
  input  logic          retire_valid_i,
  input  finished_job_t retire_i,

  input  flags_t        step_flags_i,
  input  logic          epi_valid_i,     // the epilogue's transfer is taken
  input  flags_t        epi_flags_i,
  input  logic [31:0]   epi_amax_i,
  input  logic          epi_nonfinite_i,

  output logic          clear_o,
  output logic          abort_o,
  output logic          error_o,
  output error_e        error_code_o,
  output tag_t          error_tag_o,
  output logic [31:0]   completed_o,
  output logic          done_event_o,
  output logic          error_event_o,
  output logic          ended_o,         // a command that has a record completed or failed
  output tag_t          ended_tag_o,
  output error_e        ended_error_o,
  output flags_t        flags_o,
  output logic [31:0]   amax_o,
  output logic          amax_nonfinite_o
);
  // ---- commands and the error state -------------------------------------------------------------
  logic reported, failed, completed;

  assign reported  = retire_valid_i && !abort_o;
  assign failed    = reported && retire_i.error != ErrNone;
  assign completed = reported && !failed && retire_i.last;
  assign clear_o   = clear_error_i && idle_i && error_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      abort_o      <= 1'b0;
      error_o      <= 1'b0;
      error_code_o <= ErrNone;
      error_tag_o  <= '0;
    end else if (clear_o || soft_reset_i) begin
      abort_o      <= 1'b0;
      error_o      <= 1'b0;
      error_code_o <= ErrNone;
      error_tag_o  <= '0;
    end else begin
      if (failed || timeout_i) abort_o <= 1'b1;
      if (failed || refused_i || timeout_i) error_o <= 1'b1;
      if (timeout_i) begin
        error_code_o <= ErrTimeout;
        error_tag_o  <= timeout_tag_i;
      end else if (!error_o && (failed || refused_i)) begin
        error_code_o <= failed ? retire_i.error : refused_error_i;
        error_tag_o  <= failed ? retire_i.tag : refused_tag_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) completed_o <= '0;
    else if (completed) completed_o <= completed_o + 32'd1;
  end

  assign done_event_o  = completed && retire_i.irq;
  assign error_event_o = failed || refused_i || timeout_i;

  always_comb begin
    ended_o       = (completed || failed) ? retire_i.record : timeout_i && !abort_o && timeout_record_i;
    ended_tag_o   = (completed || failed) ? retire_i.tag : timeout_tag_i;
    ended_error_o = (completed || failed) ? retire_i.error : ErrTimeout;
  end

  // ---- sticky flags and amax --------------------------------------------------------------------
  // amax_o is the pattern of a finite value without its sign. Such patterns are ordered as
  // integers.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_flags_i) begin
      flags_o          <= '0;
      amax_o           <= '0;
      amax_nonfinite_o <= 1'b0;
    end else begin
      flags_o <= flags_o | step_flags_i | (epi_valid_i ? epi_flags_i : '0);
      if (epi_valid_i) begin
        if (epi_amax_i > amax_o) amax_o <= epi_amax_i;
        amax_nonfinite_o <= amax_nonfinite_o || epi_nonfinite_i;
      end
    end
  end

endmodule
