// SPDX-License-Identifier: Apache-2.0
// GEMMs as the firmware's driver gives them to the accelerator: one command each, with the tiles
// that its planner chooses.
#ifndef FP8MAC_CLI_WORKLOAD_H
#define FP8MAC_CLI_WORKLOAD_H

#include "fp8mac/cycles.h"
#include "fp8mac/format.h"

typedef struct workload {
    uint32_t m, n, k;
    fp8mac_format_id d_format;           // one that D may have
    fp8mac_format_id a_format, b_format; // that the element takes
    fp8mac_format_id c_format;           // of C, if it is added; as of D
    bool adds_c;                         // beta * C
    bool mx;                             // A and B have MX scales
    bool vectors;                        // B has a vector of scales, and D a bias
    uint32_t scale_bytes;                // of a column in that vector
    uint32_t channels; // 0: A is a matrix. Else an image, and of these the next ones tell, too
    uint32_t pixel_bytes, kernel_w, stride_x, dilation_x;
    bool depthwise; // the image of a depthwise command
    // Output lines, if two of them have one row of A (pairs), else 0; and their pixels
    uint32_t out_h, out_w;
} workload;

// What a workload takes, with what it needs at least
typedef struct workload_result {
    uint64_t commands;
    fp8mac_cycles_counters counters;
    double utilisation; // of the array: products per cycle and product that it can compute
    double
        roofline; // the largest of the cycles for products, for reads and for writes, of all cycles
} workload_result;

// Operands in the formats that a first layer has: e4m3fn, or int8. No sizes, and D in e4m3fn, or
// int8 where the accelerator requantises.
workload workload_usual(const fp8mac_cycles_config *config);

// The command, by the doorbell. A, B and D begin at pages of their own, and their rows at beats.
// FP8MAC_ERR_SHAPE: a size is 0, or the matrices do not fit 4 GiB. FP8MAC_ERR_UNSUPPORTED: no tile
// fits the accelerator's memories. FP8MAC_ERR_FORMAT: the element does not take a format, or MX
// scales. If a status is returned, *why is a sentence without its point.
fp8mac_status workload_command(const fp8mac_cycles_config *config, const workload *work,
                               fp8mac_cycles_command *command, const char **why);
// Whether the accelerator's memories take it as one tile command
bool workload_is_one_tile(const fp8mac_cycles_config *config, const workload *work);
// Runs a command of a workload and adds its counters to those of the result.
fp8mac_status workload_add(const fp8mac_cycles_config *config, const fp8mac_cycles_command *command,
                           const workload *work, workload_result *result, const char **why);
// The ratios of a result, if each of these bytes is read once, and each of D is written once
void workload_rate(const fp8mac_cycles_config *config, const workload *work, double bytes_read,
                   workload_result *result);
uint32_t workload_bytes(fp8mac_format_id format);
// The command and its cycles. The configuration is possible.
fp8mac_status workload_run(const fp8mac_cycles_config *config, const workload *work,
                           workload_result *result, const char **why);

#endif
