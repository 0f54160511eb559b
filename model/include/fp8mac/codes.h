// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/regs/fp8mac.rdl by rtl/regs/command_c.py (`make regs`): the codes of a
// command's fields, and of its error.
#ifndef FP8MAC_CODES_H
#define FP8MAC_CODES_H

// What a command computes
typedef enum fp8mac_operation {
    FP8MAC_OP_GEMM = 0,
    // Element-wise: X, m x n values at A_ADDR, replaces A * B^T. K, the fields of B and the formats
    // of A, B and the accumulator have no effect. In MODE, reuse_a, reuse_b, acc_continue and
    // acc_keep must be 0
    FP8MAC_OP_ADD = 1,
    // As add, but T = act(X * (scale_a * scale_b * C)); c_en must be 1, MODE.bias_en 0, and BETA
    // has no effect
    FP8MAC_OP_MULTIPLY = 2,
    // Row command: OPERATION.row_op is applied to each row of X, m x n values at A_ADDR. K is the
    // number of columns that row 0 sees; 0 means all. B_ADDR, TILE, TILE_K and the formats of A, B
    // and the accumulator have no effect. In MODE, reuse_a, reuse_b, acc_continue, acc_keep and the
    // vectors that the operation does not use must be 0. In OPERATION, c_en, conv_a and mx must be
    // 0 and rounding must be nearest. SCALE_B is 1, or the vector of a norm
    FP8MAC_OP_ROWS = 3,
} fp8mac_operation;

enum { FP8MAC_OPERATIONS = 4 };

// What a row command computes: fp8mac/rows.h has the equations
typedef enum fp8mac_rows_operation {
    // D is m x 1, and SCALE_A the factor
    FP8MAC_ROWS_SUM = 0,
    // D is m x 1, and SCALE_A the factor
    FP8MAC_ROWS_SUM_OF_SQUARES = 1,
    // D is m x 1, and SCALE_A the factor
    FP8MAC_ROWS_MAXIMUM = 2,
    // D is m x 1: the number of the column with the largest value, in 32 bits. SCALE_A and SCALE_D
    // are 1, the format of D is float32, and there is no activation. AMAX does not change
    FP8MAC_ROWS_ARGMAX = 3,
    // With MODE.scale_b_vec SCALE_B is gamma, n floats of any value; without it gamma is 1.
    // B_STRIDE has the FP32 bits of 1/n, and BETA those of eps. K and causal are 0
    FP8MAC_ROWS_RMS_NORM = 4,
    // As rms_norm; BIAS is beta, with MODE.bias_en
    FP8MAC_ROWS_LAYER_NORM = 5,
    // SCALE_A is factor * log2(e), rounded once. Columns that a row does not see become +0 in D
    FP8MAC_ROWS_SOFTMAX = 6,
    // Of each value times SCALE_A. K and causal are 0
    FP8MAC_ROWS_SIGMOID = 7,
    // As sigmoid
    FP8MAC_ROWS_TANH = 8,
    // D is m x 1: the largest magnitude of a row, at least 2^-100; SCALE_A is the factor
    FP8MAC_ROWS_MAGNITUDE = 9,
    // Dynamic scaling: each row of X is divided by its magnitude. SCALE_D is the largest code.
    // SCALE_A has no effect. K and causal are 0
    FP8MAC_ROWS_QUANTISE = 10,
    // X becomes MX codes: D has an FP8 format, and ceil(n / 32) MX scales of each row are written
    // at MX_A_ADDR, with MX_A_STRIDE bytes from row to row. SCALE_A and SCALE_D are 1; K, causal,
    // act_table, overflow and act are 0
    FP8MAC_ROWS_QUANTISE_MX = 11,
} fp8mac_rows_operation;

enum { FP8MAC_ROWS_OPERATIONS = 12 };

// Their words, and X(word, code) of each
#define FP8MAC_ROWS_WORDS                                                                          \
    "sum, sum-of-squares, maximum, argmax, rms-norm, layer-norm, softmax, sigmoid, tanh, "         \
    "magnitude, quantise, quantise-mx"
#define FP8MAC_ROWS_EACH(X)                                                                        \
    X("sum", FP8MAC_ROWS_SUM)                                                                      \
    X("sum-of-squares", FP8MAC_ROWS_SUM_OF_SQUARES)                                                \
    X("maximum", FP8MAC_ROWS_MAXIMUM)                                                              \
    X("argmax", FP8MAC_ROWS_ARGMAX)                                                                \
    X("rms-norm", FP8MAC_ROWS_RMS_NORM)                                                            \
    X("layer-norm", FP8MAC_ROWS_LAYER_NORM)                                                        \
    X("softmax", FP8MAC_ROWS_SOFTMAX)                                                              \
    X("sigmoid", FP8MAC_ROWS_SIGMOID)                                                              \
    X("tanh", FP8MAC_ROWS_TANH)                                                                    \
    X("magnitude", FP8MAC_ROWS_MAGNITUDE)                                                          \
    X("quantise", FP8MAC_ROWS_QUANTISE)                                                            \
    X("quantise-mx", FP8MAC_ROWS_QUANTISE_MX)

// The activation of an epilogue
typedef enum fp8mac_activation {
    FP8MAC_ACT_NONE = 0,
    // NaN stays NaN, any other value with the sign bit set becomes +0
    FP8MAC_ACT_RELU = 1,
    // NaN stays NaN, other values are limited to CLAMP_LO .. CLAMP_HI
    FP8MAC_ACT_CLAMP = 2,
} fp8mac_activation;

enum { FP8MAC_ACTIVATIONS = 3 };

// Their words, and X(word, code) of each
#define FP8MAC_ACT_WORDS "none, relu, clamp"
#define FP8MAC_ACT_EACH(X)                                                                         \
    X("none", FP8MAC_ACT_NONE)                                                                     \
    X("relu", FP8MAC_ACT_RELU)                                                                     \
    X("clamp", FP8MAC_ACT_CLAMP)

// What a result too large becomes
typedef enum fp8mac_overflow {
    // Finite overflow and Inf become +-max
    FP8MAC_OVERFLOW_SATURATE = 0,
    // Finite overflow becomes +-max; Inf is converted as by ieee
    FP8MAC_OVERFLOW_SATURATE_FINITE = 1,
    // Overflow and Inf become Inf where the format has one, else NaN
    FP8MAC_OVERFLOW_IEEE = 2,
} fp8mac_overflow;

enum { FP8MAC_OVERFLOWS = 3 };

// Their words, and X(word, code) of each
#define FP8MAC_OVERFLOW_WORDS "saturate, saturate-finite, ieee"
#define FP8MAC_OVERFLOW_EACH(X)                                                                    \
    X("saturate", FP8MAC_OVERFLOW_SATURATE)                                                        \
    X("saturate-finite", FP8MAC_OVERFLOW_SATURATE_FINITE)                                          \
    X("ieee", FP8MAC_OVERFLOW_IEEE)

// The tiles that are computed in turn
typedef enum fp8mac_pass_shape {
    // 1 x 4: one tile down, four across
    FP8MAC_PASS_ACROSS = 0,
    // 2 x 2
    FP8MAC_PASS_SQUARE = 1,
    // 4 x 1: four tiles down, one across
    FP8MAC_PASS_DOWN = 2,
    // The shape with the fewest passes, of equal ones the widest
    FP8MAC_PASS_AUTOMATIC = 3,
} fp8mac_pass_shape;

enum { FP8MAC_PASS_SHAPES = 4 };

// The table that gives the codes of D; NONE counts as one of them
typedef enum fp8mac_d_table {
    FP8MAC_D_TABLE_NONE = 0,
    FP8MAC_D_TABLE_0 = 1,
    FP8MAC_D_TABLE_1 = 2,
} fp8mac_d_table;

enum { FP8MAC_D_TABLES = 3 };

// Why a command failed
typedef enum fp8mac_command_error {
    FP8MAC_COMMAND_ERROR_NONE = 0,
    // m, n or k is 0 or above its limit; an operand does not fit its buffer; or A is an image and a
    // field of CONV_LINE, CONV_SIZE or CONV_SEGMENT is 0
    FP8MAC_COMMAND_ERROR_SHAPE = 1,
    // An address or a stride is not a multiple of the AXI beat
    FP8MAC_COMMAND_ERROR_ALIGN = 2,
    // A stride is shorter than its row, or a matrix runs past the last address
    FP8MAC_COMMAND_ERROR_RANGE = 3,
    // A field of MODE or OPERATION has a reserved code; the elements lack the format; CONFIG4 lacks
    // the function; or an element-wise command sets a field that it must not set
    FP8MAC_COMMAND_ERROR_MODE = 4,
    // A scaling exponent is outside -32..+32, or is not 0 with int8 operands
    FP8MAC_COMMAND_ERROR_SCALE_EXP = 5,
    // A scale is not finite and above 0, a clamp bound is not finite, or lo > hi. With
    // CONFIG4.requantise: a multiplier, shift, zero point or bound is out of range, or lo > hi
    FP8MAC_COMMAND_ERROR_SCALE = 6,
    // One of these: the command reuses or continues what the preceding command did not leave; it
    // keeps part of a block; it continues or keeps accumulators and has more tiles than
    // CONFIG1.acc_tiles; TILE and TILE_K divide it while MODE reuses, continues or keeps; it uses a
    // table that was never loaded; or A is an image, MODE.b_resident is set and D has more than one
    // tile of columns, though an image's rows can only be visited forwards, once. See also ELEMENT
    FP8MAC_COMMAND_ERROR_SEQUENCE = 7,
    // An AXI read answered SLVERR
    FP8MAC_COMMAND_ERROR_READ_SLV = 8,
    // An AXI read answered DECERR
    FP8MAC_COMMAND_ERROR_READ_DEC = 9,
    // An AXI write answered SLVERR
    FP8MAC_COMMAND_ERROR_WRITE_SLV = 10,
    // An AXI write answered DECERR
    FP8MAC_COMMAND_ERROR_WRITE_DEC = 11,
    // The command was submitted while the queue was full; only this command was dropped
    FP8MAC_COMMAND_ERROR_QUEUE_FULL = 12,
    // An AXI channel owed an answer and no channel moved for WATCHDOG cycles: the command and all
    // after it are dropped, and the code replaces any other. Or a list paused and software did not
    // answer for PAUSE_LIMIT cycles. Or a flipped bit stopped the accelerator: commands were at
    // work, the bus owed nothing, and nothing moved inside for 4,096 cycles, or head, tail and
    // level of a queue contradicted each other
    FP8MAC_COMMAND_ERROR_TIMEOUT = 13,
    // MODE.record is set, but the tag's record belongs to an earlier command, in flight or not yet
    // released. Only this command was dropped
    FP8MAC_COMMAND_ERROR_RECORD = 14,
    // Appears only in a record: an earlier command failed, so this one was dropped
    FP8MAC_COMMAND_ERROR_DROPPED = 15,
} fp8mac_command_error;

enum { FP8MAC_COMMAND_ERRORS = 16 };

// Bits of CONFIG4: what the extension of a command may ask for
enum {
    // OPERATION.c_en: the addition of beta * C.
    FP8MAC_FUNCTION_C = 1u << 0,
    // OPERATION.op: element-wise commands.
    FP8MAC_FUNCTION_ELEMENTWISE = 1u << 1,
    // OPERATION.rounding: stochastic.
    FP8MAC_FUNCTION_STOCHASTIC = 1u << 2,
    // OPERATION.act_table: tables of codes.
    FP8MAC_FUNCTION_TABLES = 1u << 3,
    // OPERATION.conv_a: A is read as a convolution reads its image.
    FP8MAC_FUNCTION_CONV_A = 1u << 4,
    // OPERATION.mx: MX scales.
    FP8MAC_FUNCTION_MX = 1u << 5,
    // C, D and X may be int8.
    FP8MAC_FUNCTION_INT8 = 1u << 6,
    // OPERATION.op: row commands, of at most 2^24 columns.
    FP8MAC_FUNCTION_ROWS = 1u << 7,
    // The accelerator requantises every command; this is no request. The code int8 of D writes int8
    // and float32 writes INT32; any other format, and the activation relu, end with the error mode.
    // Scales, biases and bounds are integers: see SCALE_A to CLAMP_HI. FLAGS and AMAX stay 0.
    FP8MAC_FUNCTION_REQUANTISE = 1u << 8,
    // OPERATION.depthwise: depthwise convolutions.
    FP8MAC_FUNCTION_DEPTHWISE = 1u << 9,
};

#endif
