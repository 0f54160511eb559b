// SPDX-License-Identifier: Apache-2.0
// fp8mac_rotating_accumulator: the solver chooses a turn. The output in that turn is the sum of exactly the turn's
// steps since its last `first`.
module formal_rotate #(
  parameter int unsigned SUM_W = 5,
  parameter int unsigned ACC_W = 8,
  parameter int unsigned BANKS = 4,
  parameter int unsigned CHUNK = 3,
  parameter int unsigned RIPPLE = CHUNK,
  localparam int unsigned TurnW = (BANKS > 1) ? $clog2(BANKS) : 1
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    first_i,
  input logic signed [SUM_W-1:0] sum_i,
  input logic [TurnW-1:0]        any_turn_i
);

  logic [ACC_W-1:0] acc;

  fp8mac_rotating_accumulator #(.SUM_W(SUM_W), .ACC_W(ACC_W), .BANKS(BANKS), .CHUNK(CHUNK), .RIPPLE(RIPPLE)) dut (
    .clk_i, .first_i, .sum_i, .acc_o(acc)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  logic [TurnW-1:0] turn, turn_q;  // the chosen turn; the turn of this cycle
  formal_const #(.WIDTH(TurnW)) u_turn (.clk_i, .any_i(any_turn_i), .const_o(turn));

  logic signed [ACC_W-1:0] total_q, before_q;
  logic                    known_q;      // the turn has had a `first`, so its sum is known
  logic [2:0]              steps_q;      // steps of this sum, up to 7
  logic                    others_q;     // other turns have begun anew meanwhile
  logic                    its_turn;

  assign its_turn = turn_q == turn;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_q   <= '0;
      known_q  <= 1'b0;
      others_q <= 1'b0;
      steps_q  <= '0;
    end else begin
      turn_q <= (turn_q == TurnW'(BANKS - 1)) ? '0 : turn_q + TurnW'(1);
      if (its_turn && first_i) begin
        known_q  <= 1'b1;
        total_q  <= ACC_W'(sum_i);
        steps_q  <= 3'd1;
        others_q <= 1'b0;
      end else if (its_turn) begin
        total_q  <= total_q + ACC_W'(sum_i);
        before_q <= total_q;
        if (steps_q != '1) steps_q <= steps_q + 3'd1;
      end else if (first_i) begin
        others_q <= 1'b1;
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      sum_of_its_turn : assert (!(its_turn && known_q) || acc == total_q);

      carries_to_the_top : cover (its_turn && steps_q == 3'd3 && before_q == '1 && acc == '0 &&
        (others_q || BANKS == 1));
      is_negative : cover (its_turn && steps_q == 3'd3 && before_q == '0 && acc == '1);
    end
  end

endmodule
