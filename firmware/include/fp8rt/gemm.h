// SPDX-License-Identifier: Apache-2.0
// The scaled GEMM of any shape, as one command of the accelerator. A is m x k, B is n x k, both
// K-contiguous (C = A * B^T):
//
//   t0 = acc to FP32          s  = scale_a[m] * scale_b[n]        t1 = t0 * s
//   t2 = t1 + bias[n]         T  = act(t2 + beta * C[m][n])
//   amax = max |T| over the m x n outputs that are finite (+0 if none)
//   amax_nonfinite is set if an output is not finite
//   D[m][n] = convert(T * scale_d)
//
// Each operation is one FP32 nearest-even operation, in this order. scale_d multiplies, so the next
// layer passes 1/scale_d as its input scale. Products are added in ascending k for any tiles, so
// tiling never changes a bit.
//
//   fp8rt_gemm_plan plan;
//   fp8rt_gemm_desc desc = {
//       .m = 64, .n = 64, .k = 64, .a = {.codes = a}, .b = {.codes = b}, .d = d};
//   status = fp8rt_gemm_plan_make(&dev.caps, desc, &plan);
//   ... provide plan.scratch_bytes of scratch ...
//   status = fp8rt_gemm_run(&dev, &plan, scratch, sizeof scratch, &result);
//
// A plan contains its descriptor, so the two cannot disagree. It may run any number of times, and
// fp8rt_gemm_plan_move gives it other matrices. The functions allocate nothing and keep nothing
// between calls.
#ifndef FP8RT_GEMM_H
#define FP8RT_GEMM_H

#include <stddef.h>

#include "fp8mac/gemm.h"
#include "fp8mac/requantise.h"
#include "fp8rt/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// What fp8rt_gemm_run keeps from the GEMMs before it. Without the first two bits it is cleared
// first. The third bit is for fp8rt_gemm_begin.
enum {
    FP8RT_GEMM_KEEP_FLAGS = 1u << 0,    // flags and amax
    FP8RT_GEMM_KEEP_COUNTERS = 1u << 1, // counters
    FP8RT_GEMM_WAIT_STORES = 1u << 2, // an input is D of a GEMM that was begun before and not ended
    FP8RT_GEMM_FLAGS = (1u << 3) - 1u, // all of them
};

// A convolution reads its image in place: with image.channels set, A is m = output pixels x k =
// kernel_h * kernel_w * channels codes, gathered from the image at a.codes as fp8mac/image.h
// defines it, and a.stride is the bytes from line to line of the image. Both may be any
// number of bytes. B is n output channels x k codes, in the order ky, kx, c. FP8RT_ERR_IMAGE:
// a field is out of range.
typedef struct fp8rt_image {
    uint32_t height;      // lines, 1 to 65535
    uint32_t width;       // pixels of a line, at least 1 and at most 2^24 - 1 bytes
    uint32_t channels;    // of a pixel that count; 0: A is a matrix
    uint32_t pixel_bytes; // from pixel to pixel, >= channels; 0: channels
    uint32_t out_w;       // output pixels of a line, 1 to 65535
    uint32_t kernel_w;    // 0: 1; a line of the kernel has at most 65535 bytes and 255 pixels
    uint32_t stride_y, stride_x;     // 0: 1; at most 255 lines, 65535 bytes
    uint32_t dilation_y, dilation_x; // as the strides
    // Pixels of zeros before the image; at most 255 lines, 65535 bytes. Those behind
    // follow from m and out_w.
    uint32_t pad_top, pad_left;
    // Channels are divided into quads of caps.cols, and column n of D sees those of quad n /
    // caps.cols alone: k is kernel_h * kernel_w * caps.cols, `channels` caps.beat_bytes, and n at
    // most that. a.codes, a.stride and pixel_bytes are multiples of a beat. FP8RT_ERR_IMAGE: they
    // are not. FP8RT_ERR_UNSUPPORTED: caps.functions has no FP8MAC_FUNCTION_DEPTHWISE.
    bool depthwise;
    // With depthwise: a row of A gives two results of each channel, the outputs of two neighbouring
    // lines. Channels are divided into groups of caps.cols / 2 in the place of quads, and k is that
    // for each pixel of the kernel, which has the lines of both outputs. So stride_y is twice the
    // stride of output lines. B has 2 * n rows: row caps.cols * g + s * caps.cols / 2 + c has the
    // weights of result s of channel c of group g. Scales and biases of B have n values. D has 2 *
    // m / out_w lines of out_w rows, of one byte an output, or one line less if they are odd.
    // FP8RT_ERR_IMAGE: m is no multiple of out_w.
    // FP8RT_ERR_UNSUPPORTED: C, or stochastic rounding; FP8RT_ERR_FORMAT: a D of more than a byte.
    bool pairs;
    bool odd; // with pairs alone: the last row of lines has one
} fp8rt_image;

// One operand of a GEMM: A, m x k, or B, n x k.
typedef struct fp8rt_operand {
    const void *codes;       // rows of k codes; A may be an image
    fp8mac_format_id format; // FP8MAC_E4M3FN .. E5M2FNUZ, E3M2FN .. E2M1FN, or INT8
    uint32_t stride;         // bytes from row to row, >= k; 0: fp8rt_packed_stride(caps, k)
    int scale_exp;           // used value = 2^scale_exp * decoded value; -32..+32; INT8: 0
    fp8mac_scale scale;      // none, one, or a value for each row; finite and greater than 0
    // MX scales: an E8M0 code for each 32 codes of a row, ceil(k / 32) in a row; 0xff makes its
    // products NaN. Both operands have them or none. Addresses and strides are as those of the
    // codes. A stride of 0: fp8rt_packed_stride(caps, ceil(k / 32)). FP8RT_ERR_UNSUPPORTED:
    // caps.functions has no MX, or A is an image. fp8rt_gemm_plan_move leaves them where they are.
    const uint8_t *mx;
    uint32_t mx_stride;
} fp8rt_operand;

// How an accelerator that requantises (FP8MAC_FUNCTION_REQUANTISE) finishes its sums, in place of
// the equations above: fp8mac/requantise.h has its own. Elements are INT8. D is INT8, or with
// d_format FP8MAC_FP32 the INT32 of sum and bias. An image's padding is 0 there too, so that a zero
// point of A in the bias holds for whole windows alone (fp8rt/integer.h). FP8RT_ERR_UNSUPPORTED:
// scales, bias, activation, C, MX scales or coding of the descriptor are in use as well; or the
// accelerator does not requantise. FP8RT_ERR_FORMAT: another D. FP8RT_ERR_NULL: INT8 without
// scales. FP8RT_ERR_SCALE: INT32 with scales. FP8RT_ERR_ACTIVATION: lo > hi. FP8RT_ERR_ALIGNMENT.
typedef struct fp8rt_requantise {
    const fp8mac_int_scale *scales; // n, at a beat. The accelerator checks them: FP8RT_ERR_HW_SCALE
    const int32_t *bias;            // n, at a beat; NULL: 0
    int8_t zero_point, lo, hi;      // of INT8
} fp8rt_requantise;

// A descriptor with only m, n, k, a.codes, b.codes and d set multiplies e4m3fn by e4m3fn into
// e4m3fn, with an FP32 accumulator, without scales, bias or activation; D saturates. Elements of
// INT8 need the formats of A and B and acc_format, too. caps.element says which formats of A and B
// and which accumulators the array has. Others return FP8RT_ERR_FORMAT and FP8RT_ERR_ACCUMULATOR.
//
// Addresses and strides of A, B and D are multiples of caps.beat_bytes; fp8rt_pack converts other
// layouts. The accelerator reads whole beats, so it may read bytes beyond the end of a row. They
// never influence a result, and they are never written. Bias and scale vectors may have any float
// alignment; those that are not aligned to a beat are copied to the scratch. D may have no byte in
// common with an input, except that it may be C, with its stride and format. Its rows may alternate
// with those of a matrix of the same stride. Where the core has a data cache, fp8rt/port.h says
// what may lie beside D.
typedef struct fp8rt_gemm_desc {
    uint32_t m, n, k;   // each >= 1; k at most what an accumulator takes (caps.element.terms_log2)
    fp8rt_operand a, b; // independent of each other
    fp8rt_image image;  // of A
    // FP8MAC_ACC_FP32, _FP16, _FIXED or _INT32; see fp8rt_element_accumulator
    fp8mac_acc_format acc_format;
    const float *bias; // n values, or NULL
    fp8mac_activation activation;
    float clamp_lo, clamp_hi; // FP8MAC_ACT_CLAMP: finite, lo <= hi
    // 0: C is not read, and nothing is added. Else FP8RT_ERR_UNSUPPORTED, if
    // caps.functions has no C.
    float beta;
    const void *c;             // m x n of c_format; D itself, with its stride and format, is legal
    uint32_t c_stride;         // bytes, >= n * bytes of c_format; 0: that, rounded up to a beat
    fp8mac_format_id c_format; // FP8MAC_E4M3FN .. FP8MAC_INT8
    void *d;                   // m x n of d_format
    uint32_t d_stride;         // bytes, >= n * bytes of d_format; 0: that, rounded up to a beat
    fp8mac_format_id d_format; // FP8MAC_E4M3FN .. FP8MAC_INT8
    // For FP8 d_format. INT8 needs FP8MAC_OVERFLOW_SATURATE; others are always as
    // FP8MAC_OVERFLOW_IEEE
    fp8mac_overflow overflow;
    fp8rt_coding coding;  // how D's codes are made, beside that
    const float *scale_d; // one value, finite and greater than 0; NULL: 1.0
    fp8rt_requantise requantise;
    uint32_t flags; // FP8RT_GEMM_*
} fp8rt_gemm_desc;

// How the accelerator divides a command: see fp8rt_command.
typedef struct fp8rt_gemm_tiles {
    uint16_t m, n, k, first_k;
    bool b_resident;   // MODE.b_resident
    uint32_t commands; // tile commands that the accelerator makes of it
} fp8rt_gemm_tiles;

// A GEMM as one command. Callers may read and copy it; only the functions here write it. The
// accelerator reads the plan itself: it stays where it is while a run of it is in flight.
typedef struct fp8rt_gemm_plan {
    fp8rt_descriptor descriptor; // the command as the accelerator reads it
    uint32_t stamp;              // of the array and the library's version; 0: not a plan
    fp8rt_gemm_desc desc;        // strides filled in
    size_t scratch_bytes;        // what fp8rt_gemm_run needs; any alignment
    fp8rt_gemm_tiles tiles;
    bool late; // each run reads scales, or copies vectors to the scratch
    struct {   // offsets in the scratch of what cannot stay in place; FP8RT_IN_PLACE otherwise
        size_t scale_a, scale_b, bias;
    } staged;
} fp8rt_gemm_plan;

#define FP8RT_IN_PLACE ((size_t) - 1)

typedef struct fp8rt_gemm_result {
    fp8rt_status status; // as returned
    float amax;          // these three only if status is FP8RT_OK
    bool amax_nonfinite;
    fp8mac_flags flags; // FP8MAC_FLAG_*
    fp8rt_counters
        counters; // FP8RT_OK and accelerator errors: of this run, from its start to its end
} fp8rt_gemm_result;

// Checks the descriptor and chooses the tiles for `caps`. It does not check the values of scale
// vectors, which the accelerator checks at the run (FP8RT_ERR_HW_SCALE).
fp8rt_status fp8rt_gemm_plan_make(const fp8rt_caps *caps, fp8rt_gemm_desc desc,
                                  fp8rt_gemm_plan *plan);
// Gives a plan other matrices of the same sizes and strides. A run in flight keeps the old ones.
// FP8RT_ERR_NULL, FP8RT_ERR_PLAN (of another array), FP8RT_ERR_STRIDE, FP8RT_ERR_ALIGNMENT,
// FP8RT_ERR_OVERLAP: the plan has not changed.
fp8rt_status fp8rt_gemm_plan_move(fp8rt_device *dev, fp8rt_gemm_plan *plan, const void *a,
                                  const void *b, void *d);
// Runs a plan and sleeps until D is complete. Single scales are read and checked again.
// `scratch` may be NULL if the plan needs none, and may have no byte in common with the matrices
// and vectors. `result` may be NULL, which saves the time of reading amax, flags and counters.
// Leaves the accelerator idle and without error, unless it returns FP8RT_ERR_SILENT.
fp8rt_status fp8rt_gemm_run(fp8rt_device *dev, fp8rt_gemm_plan *plan, void *scratch,
                            size_t scratch_bytes, fp8rt_gemm_result *result);
// Several GEMMs in flight: begins a plan and returns. `tag` identifies it until fp8rt_gemm_end. The
// inputs, D and the scratch belong to the GEMM until then. Flags, amax and counters are not
// cleared. As fp8rt_gemm_run without waiting, and FP8RT_ERR_RECORDS (see fp8rt_device_begin).
// FP8RT_ERR_HW_*: an earlier GEMM has failed, and this one was not begun.
fp8rt_status fp8rt_gemm_begin(fp8rt_device *dev, fp8rt_gemm_plan *plan, void *scratch,
                              size_t scratch_bytes, uint16_t *tag);
// Sleeps until the GEMM has completed or failed. The result has flags and amax of this GEMM alone,
// and no counters. A failure also drops the GEMMs that were begun behind it: they return
// FP8RT_ERR_HW_DROPPED. Then fp8rt_device_clear(dev, FP8RT_CLEAR_ERROR) makes the accelerator work.
fp8rt_status fp8rt_gemm_end(fp8rt_device *dev, uint16_t tag, fp8rt_gemm_result *result);
// Makes a plan and runs it, for callers that know that their scratch suffices.
fp8rt_status fp8rt_gemm(fp8rt_device *dev, fp8rt_gemm_desc desc, void *scratch,
                        size_t scratch_bytes, fp8rt_gemm_result *result);

#ifdef __cplusplus
}
#endif
#endif
