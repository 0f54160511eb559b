// SPDX-License-Identifier: Apache-2.0
// GEMMs and convolutions as commands of the accelerator, and their cycles. What a layer becomes the
// layer library decides: the driver's planner for a GEMM, fp8rt_convolution or fp8rt_int_convolution for
// an image. They record here, over addresses without memory.
#ifndef FP8MAC_CLI_WORKLOAD_H
#define FP8MAC_CLI_WORKLOAD_H

#include "fp8mac/cycles.h"
#include "fp8mac/format.h"

typedef struct convolution {
    uint32_t images; // 0: the layer is a GEMM
    uint32_t height, width, channels;
    uint32_t filters; // output channels
    uint32_t kernel_h, kernel_w;
    uint32_t stride_y, stride_x, dilation_y, dilation_x;
    uint32_t pad_y, pad_x; // pixels of zeros on each side
    uint32_t groups;       // divides channels and filters. Depthwise: as many as channels
    uint32_t pixel_bytes;  // from pixel to pixel; 0: a pixel begins at each beat that it can
} convolution;

// Output pixels along a side of `size` pixels; 0: the kernel does not fit.
uint64_t convolution_outputs(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t dilation,
                             uint32_t pad);

typedef struct workload {
    // Of a convolution those of the GEMM of gathered rows: images * output pixels, filters, and
    // kernel_h * kernel_w * channels of a group
    uint32_t m, n, k;
    convolution image;
    fp8mac_format_id d_format;           // one that D may have
    fp8mac_format_id a_format, b_format; // that the element takes
    fp8mac_format_id c_format;           // of C, if it is added; as of D
    bool adds_c;                         // beta * C
    bool mx;                             // A and B have MX scales
    bool vectors;                        // B has a vector of scales, and D a bias
    uint32_t scale_bytes;                // of a column in that vector
} workload;

// Operands in the formats that a first layer has: e4m3fn, or int8. No sizes, and D in e4m3fn, or int8
// where the accelerator requantises.
workload workload_usual(const fp8mac_cycles_config *config);
uint32_t workload_bytes(fp8mac_format_id format);

// ---- commands -----------------------------------------------------------------------------------

typedef enum workload_tables {
    WORKLOAD_NO_TABLES,
    WORKLOAD_TABLES_STAY,   // codes of D are looked up; the table was loaded before
    WORKLOAD_TABLES_LOADED, // by each layer's first command
} workload_tables;

typedef struct workload_commands {
    fp8mac_cycles_command *list;
    size_t count;
    size_t *behind; // of each layer: the number of commands up to its end
    size_t failed;  // the layer that was refused
} workload_commands;

// The commands of layers, each behind the one before. `listed`: as one list, in which a layer reads what
// the one before has written; else as they run one by one, each by the doorbell. Matrices begin at
// pages, and their rows at beats. workload_free releases the commands.
// FP8MAC_ERR_SHAPE: a size is 0, a field of the image is beyond the accelerator's, or the matrices do not
// fit 4 GiB. FP8MAC_ERR_UNSUPPORTED: no tile fits the accelerator's memories, or there is no memory.
// FP8MAC_ERR_FORMAT: the element does not take a format, or MX scales. FP8MAC_ERR_COMMAND: another reason
// of the library. If a status is returned, *why is a sentence without its point, and the commands need no
// release. The configuration is possible.
fp8mac_status workload_issue(const fp8mac_cycles_config *config, const workload *const *layers,
                             size_t count, bool listed, workload_tables tables,
                             workload_commands *commands, const char **why);
void workload_free(workload_commands *commands);

// ---- cycles -------------------------------------------------------------------------------------

// What a workload takes, with what it needs at least
typedef struct workload_result {
    uint64_t commands;
    fp8mac_cycles_counters counters;
    double utilisation; // of the array: products per cycle and product that it can compute
    double
        roofline; // the largest of the cycles for products, for reads and for writes, of all cycles
} workload_result;

// The commands of a layer, each from an idle accelerator, and the sum of their counters, whose image_turn
// is that of the last one. As workload_issue.
fp8mac_status workload_run(const fp8mac_cycles_config *config, const workload *work,
                           workload_result *result, const char **why);

#endif
