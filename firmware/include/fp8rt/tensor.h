// SPDX-License-Identifier: Apache-2.0
// Tensors with scales, and the run of a network: what all layers share.
//
// A layer is one call with one descriptor. It allocates nothing and keeps nothing between calls,
// plans of commands excepted, if the run has memory for them. Its scratch comes from an
// fp8rt_run. A query is the same calls over a run that counts and checks: it computes nothing and
// touches no tensor's data.
//
//   fp8rt_run run = fp8rt_run_query(&dev);
//   status = network(&run, ...);           // any sequence of layers; run.peak is what they need
//   run = fp8rt_run_on(&dev, scratch, run.peak);
//   status = network(&run, ...);           // computes
//
// A query has the status that the run would have, so its tensors lie where they will. It
// does not find what depends on data: an index of an embedding, the length of a cache, a
// value in a vector of scales.
//
// A run that has failed stays failed: each further layer returns the same status and does nothing.
// Where the elements are INT8 (caps.element.int8), tensors and weights of convolutions, linear
// layers, poolings and tables of codes are FP8MAC_INT8 in place of FP8, with static scales.
// Sums, products, moves, norms, softmax and reductions take it as any other format. Attention,
// LSTM and GRU have no INT8.
//
// run.failed names the layer, run.wrong the argument that is wrong, and fp8rt_run_message says both
// in words: "convolution: desc->residual: a dimension is zero or too large, or sizes disagree". So
// a long sequence may check the status once, at its end.
#ifndef FP8RT_TENSOR_H
#define FP8RT_TENSOR_H

#include "fp8mac/recipe.h"
#include "fp8rt/elementwise.h"
#include "fp8rt/gemm.h"
#include "fp8rt/matrix.h"
#include "fp8rt/mx.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- scaling ------------------------------------------------------------------------------------

typedef enum fp8rt_scaling_kind {
    FP8RT_SCALING_STATIC = 0, // the tensor's scale, as it stands
    // From the amax of this output. It is kept in FP32 until then, and not computed twice.
    FP8RT_SCALING_DYNAMIC,
    FP8RT_SCALING_DELAYED,   // from the amaxes of the outputs before this one
    FP8RT_SCALING_CALIBRATE, // as dynamic, and the largest amax of all runs is kept
} fp8rt_scaling_kind;

// How the scale of a tensor is found when a layer writes it. The caller owns it, as it owns the
// history of `delayed`. Tensors may share one only if they shall share its amaxes.
typedef struct fp8rt_scaling {
    fp8rt_scaling_kind kind;
    fp8mac_recipe_formula
        formula; // dynamic, calibrate. fp8_max 0: the largest number of the format
    fp8mac_recipe_delayed *delayed; // delayed: initialised by fp8mac_recipe_delayed_init
    float amax;                     // calibrate: the largest so far; 0 at the start
} fp8rt_scaling;

// ---- tensors ------------------------------------------------------------------------------------

// rows x cols codes. value = scale * decode(code). An image has a row for each pixel, line after
// line, and a column for each channel (NHWC).
typedef struct fp8rt_tensor {
    void *data; // at a beat of the bus
    uint32_t rows, cols;
    uint32_t stride;         // bytes from row to row, whole beats; 0: a row, rounded up to a beat
    fp8mac_format_id format; // FP8MAC_E4M3FN .. FP8MAC_FP32, or FP8MAC_INT8
    float scale;             // finite, > 0; 0 stands for 1. A layer writes it, unless it is static
    fp8rt_scaling *scaling;  // of an FP8 output; NULL: static. Other formats are always static
    // MX: an E8M0 scale for each 32 codes of a row, at a beat (fp8rt/mx.h). NULL: none. The tensor
    // is FP8, its scaling NULL, and value = scale * 2^(mx - 127) * decode(code). For operands and
    // output of fp8rt_linear, and output of fp8rt_to_mx; other layers return FP8RT_ERR_UNSUPPORTED.
    uint8_t *mx;
    // Bytes from row to row, whole beats; 0: the scales of a row, rounded up to a beat
    uint32_t mx_stride;
    // A scale for each row, such as that of a token: rows values at a beat, in place of `scale`,
    // which is 1 or 0. NULL: none. The tensor is FP8, its scaling NULL, and value = row_scale[row]
    // * decode(code). For x and `out` of fp8rt_linear and for `out` of fp8rt_normalise; other
    // layers return FP8RT_ERR_UNSUPPORTED. Those of an output are written: its values stay in FP32
    // until two row commands, QUANTISE and MAGNITUDE (fp8rt/rows.h), give codes and scales. So they
    // are recorded, too. Without tables and stochastic rounding.
    float *row_scale;
    // With row_scale: all rows have one scale. That of an output comes from the largest magnitude
    // of the whole tensor, which is dynamic scaling without the core, and the commands write it to
    // all of row_scale. The columns are whole beats, or there is one row: else FP8RT_ERR_SHAPE.
    // FP8RT_ERR_NULL: there is no row_scale.
    bool one_scale;
} fp8rt_tensor;

// n x k codes of FP8 and what belongs to a row: weight = scale * row_scale[n] * decode(code).
typedef struct fp8rt_weights {
    fp8rt_tensor codes;
    const float *row_scale; // codes.rows values, finite and > 0; NULL: 1
    const float *bias;      // codes.rows values; NULL: 0
} fp8rt_weights;

// What a command does to an output while it writes it, at no cost in cycles.
typedef struct fp8rt_fused {
    fp8mac_activation activation; // none, ReLU, clamp
    float clamp_lo, clamp_hi;
    // Stochastic rounding, and a table of codes behind it (fp8rt_device_load_table). With a table
    // the output is static: the scale of the codes that are looked up is table_scale, and the
    // tensor's scale is that of the codes in the table.
    fp8rt_coding coding;
    float table_scale; // finite, > 0; 0 stands for 1
} fp8rt_fused;

static inline uint32_t fp8rt_tensor_stride(const fp8rt_caps *caps, const fp8rt_tensor *tensor)
{
    const uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(tensor->format));
    return tensor->stride != 0 ? tensor->stride : fp8rt_packed_stride(caps, tensor->cols * bytes);
}
// Bytes of the tensor's data.
static inline size_t fp8rt_tensor_bytes(const fp8rt_caps *caps, const fp8rt_tensor *tensor)
{
    return (size_t)tensor->rows * fp8rt_tensor_stride(caps, tensor);
}
// Bytes of the tensor's MX scales.
static inline uint32_t fp8rt_tensor_mx_stride(const fp8rt_caps *caps, const fp8rt_tensor *tensor)
{
    return tensor->mx_stride != 0 ? tensor->mx_stride
                                  : fp8rt_packed_stride(caps, fp8rt_mx_blocks(tensor->cols));
}
static inline size_t fp8rt_tensor_mx_bytes(const fp8rt_caps *caps, const fp8rt_tensor *tensor)
{
    return (size_t)tensor->rows * fp8rt_tensor_mx_stride(caps, tensor);
}
// Makes a calibrated tensor static: its scale follows from the amax that its scaling has kept.
// FP8RT_ERR_NULL (tensor, scaling), FP8RT_ERR_SCALE (no amax greater than 0 was seen, or a formula
// out of range): nothing has changed.
fp8rt_status fp8rt_tensor_calibrated(fp8rt_tensor *tensor);

// ---- profile ------------------------------------------------------------------------------------

// What one layer took. Layers that a layer calls follow it, one deeper; their cycles, commands and
// counters are also in its own.
typedef struct fp8rt_profile_entry {
    const char *name;
    uint32_t depth;
    uint32_t core_cycles;    // from its start to its end, accelerator included
    uint32_t commands;       // of the accelerator
    fp8rt_counters counters; // of them
    // The largest difference of the layer's output from a reference: an observer's, or the
    // program's own.
    float error;
    bool compared;      // error counts
    const char *reason; // why it does not, in a word; NULL: nobody has compared
} fp8rt_profile_entry;

// Sees each layer that has an entry: such as the references of fp8rt/reference_profile.h. Calls are
// nested as the layers are. Its time counts as the core's.
typedef struct fp8rt_observer {
    // The descriptor of the layer has been checked, and the layer has written nothing. The kind of
    // descriptor follows from the entry's name.
    void (*before)(struct fp8rt_observer *observer, const fp8rt_caps *caps,
                   const fp8rt_profile_entry *entry, const void *desc);
    // After each `before`, with the same entry.
    void (*after)(struct fp8rt_observer *observer, fp8rt_profile_entry *entry, fp8rt_status status);
} fp8rt_observer;

// The caller's memory for entries. Those that have no place are counted and not kept.
typedef struct fp8rt_profile {
    fp8rt_profile_entry *entries;
    uint32_t capacity, count;
    uint64_t (*clock)(void);  // core cycles, such as fp8rt_app_cycles; NULL: core_cycles are 0
    fp8rt_observer *observer; // NULL: none
} fp8rt_profile;

// ---- plans --------------------------------------------------------------------------------------

// Plans of commands that are kept, so that another run of the same network makes none. The bytes of
// its outputs are the same, with plans and without.
//
//   fp8rt_plans plans = fp8rt_plans_in(memory, bytes); // bytes: plan_bytes of a query
//   run.plans = &plans;
//
// A plan serves each command that equals its own in all but the values of scales: shapes, formats,
// strides and addresses. If one of these changes, the command is planned anew, and nothing needs
// to be said. So an fp8rt_plans may serve several networks, one run at a time. A command is first
// compared with the plan that followed the one before it last time, then with those whose
// addresses have the same hash.
//
// With less memory than a query says, the first commands have plans, and the others are planned
// each time. A plan that has served none of the last 2 * capacity commands makes room for another.
//
// A plan takes 512 bytes on RV32. Core cycles of layers of 8 x 8 on the chip (`make
// build/test/system-cycles.log`):
//
//   layer    without plans   with plans, first run   later runs
//   linear           4,800                   5,100        1,800
//   sum              2,700                   2,900        1,500
typedef struct fp8rt_command_scales {
    float operands, out;
} fp8rt_command_scales;

enum { FP8RT_PLAN_CHAINS = 32 }; // a power of 2

typedef struct fp8rt_plans {
    uint32_t capacity;         // plans for which there is memory
    uint32_t count;            // plans that are kept
    uint32_t commands, reused; // so far, and those of them that a kept plan has served
    void *memory;              // private, as all that follows
    uint32_t last, next; // the plan that served last, and the one that is expected to serve next
    uint32_t looked_at;  // the plan that is looked at next when room is wanted
    uint32_t chains[FP8RT_PLAN_CHAINS]; // the first plan of each, + 1; 0: none
    fp8rt_command_scales scales;        // of the command that runs
} fp8rt_plans;

// Empty, in the caller's memory, of any alignment. It stays where it is while it is in use.
fp8rt_plans fp8rt_plans_in(void *memory, size_t bytes);

// ---- run ----------------------------------------------------------------------------------------

typedef struct fp8rt_run {
    fp8rt_device *dev;
    bool query;
    // Of every GEMM; fp8rt_run_query and fp8rt_run_on choose FP32 if the array has it. With FP16
    // the operands are used as numbers up to 2, so that 16,000 products do not overflow.
    fp8mac_acc_format acc_format;
    uint8_t *scratch;    // NULL in a query
    size_t bytes;        // of scratch
    size_t used;         // by the layers that run now
    size_t peak;         // the most that was used at a time
    fp8rt_status status; // of the first layer that failed
    const char *failed;  // its name, or NULL
    // The argument that is wrong, as the layer's source spells it: "desc->x". Of sizes that
    // disagree (FP8RT_ERR_SHAPE), the one that does not fit those before it: a convolution compares
    // x, window, weights, out and residual, in this order. NULL: the reason is no argument, such as
    // a scratch that is too small. The next layer that succeeds clears it.
    const char *wrong;
    fp8mac_flags flags;     // of all commands
    bool nonfinite;         // an output before its scale was Inf or NaN
    fp8rt_profile *profile; // NULL: none
    fp8rt_plans *plans;     // NULL: each command is planned when it runs
    size_t plan_bytes;      // a query: memory for a plan of each command
    // Layers are recorded, and compute nothing: fp8rt/network.h. NULL: they run
    struct fp8rt_recorder *recorder;
    size_t record_bytes;   // a query: memory for a recording
    const char *label;     // of the next layer: see fp8rt_run_label
    uint32_t depth, entry; // private: nesting, and the profile's entry that is open
} fp8rt_run;

// `dev` is open. The scratch is at a beat of the bus.
fp8rt_run fp8rt_run_query(fp8rt_device *dev);
fp8rt_run fp8rt_run_on(fp8rt_device *dev, void *scratch, size_t bytes);
// The next layer has this name, in place of its kind's, in profiles, messages and recordings. The
// name stays there while they are in use. Layers that it calls keep theirs.
static inline void fp8rt_run_label(fp8rt_run *run, const char *name)
{
    run->label = name;
}
// "LAYER: ARGUMENT: what is wrong" of a run that has failed, "ok" of another, or as much of it as
// fits. Returns `text`.
const char *fp8rt_run_message(const fp8rt_run *run, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
