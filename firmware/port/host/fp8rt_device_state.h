// SPDX-License-Identifier: Apache-2.0
// State of the golden model in place of the accelerator. Commands run when they are submitted.
#ifndef FP8RT_DEVICE_STATE_H
#define FP8RT_DEVICE_STATE_H

// The largest array that the model stands for.
#define FP8RT_HOST_MAX_SIDE 32u // rows, columns
#define FP8RT_HOST_MAX_MN 128u  // max_mn
#define FP8RT_HOST_RECORDS 8u
#define FP8RT_HOST_FUNCTIONS                                                                       \
    (FP8RT_FUNCTION_INT8 | FP8RT_FUNCTION_C | FP8RT_FUNCTION_ELEMENTWISE |                         \
     FP8RT_FUNCTION_STOCHASTIC | FP8RT_FUNCTION_TABLES | FP8RT_FUNCTION_CONV_A)
#define FP8RT_HOST_BUFFER_BYTES                                                                    \
    (FP8RT_HOST_MAX_SIDE * 256u * 32u) // row RAMs * buf_beats * beat_bytes

#include "fp8rt_host_fault.h"

typedef struct fp8rt_descriptor {
    fp8rt_command command;
} fp8rt_descriptor;

// An operand's buffers, and what is kept of the preceding tile command.
typedef struct fp8rt_host_operand {
    int8_t scale_exp;
    uint8_t codes[FP8RT_HOST_BUFFER_BYTES]; // rows of k; depthwise: those of each tile of columns
    uint8_t mx[FP8RT_HOST_BUFFER_BYTES / 32u]; // rows of ceil(k / 32) scales
} fp8rt_host_operand;

typedef struct fp8rt_device_state {
    uint16_t error; // error_code; 0: none
    uint16_t error_tag;
    bool error_event; // since the last acknowledgement
    fp8rt_host_fault fault;
    fp8rt_observed observed;
    uint8_t tables[FP8RT_TABLES][FP8RT_TABLE_CODES];
    bool loaded[FP8RT_TABLES];
    fp8rt_counters counters;
    fp8rt_record records[FP8RT_HOST_RECORDS];
    const struct fp8rt_network *network; // whose list runs
    uint32_t list_word;                  // its position
    bool list_paused;
    // The state after the preceding tile command.
    bool before; // there was one after the last error was cleared
    bool kept;   // it kept its accumulators
    uint32_t m, n, k;
    uint32_t mode;
    bool depthwise; // A was a depthwise convolution's
    bool pairs;     // with two results of each row and channel
    bool mx;        // its operands have MX scales, from this position in a beat on
    uint32_t mx_first;
    // Products of its accumulators, with those of the commands that it continues.
    uint32_t terms;
    fp8rt_host_operand a, b;
    fp8mac_acc acc[FP8RT_HOST_MAX_MN * FP8RT_HOST_MAX_MN]; // that it kept
} fp8rt_device_state;

#endif
