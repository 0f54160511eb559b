// SPDX-License-Identifier: Apache-2.0
// The accelerator counts in bytes and segments, where an image has pixels and channels. A segment
// is one line of the kernel if its pixels are neighbours, else the channels of one pixel.
#include "gemm_image.h"

#include "fp8rt/registers.h"
#include "gemm_regions.h"

// The most that a field of a CONV register holds
#define FIELD_MAX(field) (FP8MAC_REGS__CONV_##field##_bm >> FP8MAC_REGS__CONV_##field##_bp)

static void at_least_1(uint32_t *x)
{
    if (*x == 0) {
        *x = 1;
    }
}

void fp8rt_image_fill(fp8rt_gemm_desc *desc)
{
    fp8rt_image *image = &desc->image;
    at_least_1(&image->kernel_w);
    at_least_1(&image->stride_y);
    at_least_1(&image->stride_x);
    at_least_1(&image->dilation_y);
    at_least_1(&image->dilation_x);
    if (image->pixel_bytes == 0) {
        image->pixel_bytes = image->channels;
    }
    if (desc->a.stride == 0) {
        desc->a.stride = image->width * image->pixel_bytes;
    }
}

static bool is_one_segment(const fp8rt_image *image)
{
    return !image->depthwise && fp8rt_image_is_joined(image);
}

// Whether `count` things of `bytes` bytes each have at most `most` bytes together
static bool fits(uint32_t count, uint32_t bytes, uint32_t most)
{
    return (uint64_t)count * bytes <= most;
}

// What a command with pairs must not have, and the rows that it must have
static fp8rt_status check_pairs(const fp8rt_gemm_desc *desc)
{
    const fp8rt_image *image = &desc->image;
    if (fp8rt_gemm_reads_c(desc) || desc->coding.stochastic) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (fp8rt_gemm_d_bytes(desc) != 1) {
        return FP8RT_ERR_FORMAT;
    }
    return image->out_w != 0 && desc->m % image->out_w == 0 ? FP8RT_OK : FP8RT_ERR_IMAGE;
}

// Its segments are the beats of pixels.
static fp8rt_status check_depthwise(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    const fp8rt_image *image = &desc->image;
    const uintptr_t places = (uintptr_t)desc->a.codes | desc->a.stride | image->pixel_bytes;
    if ((caps->functions & FP8MAC_FUNCTION_DEPTHWISE) == 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    const fp8rt_status pairs = image->pairs ? check_pairs(desc) : FP8RT_OK;
    if (pairs != FP8RT_OK) {
        return pairs;
    }
    const uint32_t rest = image->pairs ? caps->cols / 2u - 1u : caps->cols - 1u;
    return image->channels == caps->beat_bytes && desc->n <= image->channels &&
                   (desc->k & rest) == 0 && (!image->pairs || (desc->n & rest) == 0) &&
                   (places & (caps->beat_bytes - 1u)) == 0 &&
                   image->kernel_w <= FIELD_MAX(SEGMENT__SEGMENTS)
               ? FP8RT_OK
               : FP8RT_ERR_IMAGE;
}

fp8rt_status fp8rt_image_check(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    const fp8rt_image *image = &desc->image;
    const uint32_t pixel = image->pixel_bytes;
    if ((caps->functions & FP8MAC_FUNCTION_CONV_A) == 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (image->pairs && !image->depthwise) {
        return FP8RT_ERR_IMAGE;
    }
    if (image->depthwise) {
        const fp8rt_status status = check_depthwise(caps, desc);
        if (status != FP8RT_OK) {
            return status;
        }
    }
    const bool exists =
        image->height != 0 && image->width != 0 && image->out_w != 0 && pixel >= image->channels;
    const bool lines =
        image->height <= FIELD_MAX(SIZE__HEIGHT) && image->stride_y <= FIELD_MAX(LINES__STEP_Y) &&
        image->dilation_y <= FIELD_MAX(LINES__DIL_Y) && image->pad_top <= FIELD_MAX(LINES__PAD_TOP);
    const bool columns = image->out_w <= FIELD_MAX(SIZE__OUT_W) &&
                         fits(image->width, pixel, FIELD_MAX(LINE__WIDTH)) &&
                         fits(image->stride_x, pixel, FIELD_MAX(STEP__STEP_X)) &&
                         fits(image->dilation_x, pixel, FIELD_MAX(STEP__SEGMENT_STEP)) &&
                         fits(image->pad_left, pixel, FIELD_MAX(PAD__PAD_LEFT));
    const bool kernel = is_one_segment(image)
                            ? fits(image->kernel_w, image->channels, FIELD_MAX(SEGMENT__BYTES))
                            : image->kernel_w <= FIELD_MAX(SEGMENT__SEGMENTS) &&
                                  image->channels <= FIELD_MAX(SEGMENT__BYTES);
    return exists && lines && columns && kernel ? FP8RT_OK : FP8RT_ERR_IMAGE;
}

void fp8rt_image_command(const fp8rt_image *image, fp8mac_command_image *to)
{
    const uint32_t pixel = image->pixel_bytes;
    const bool one = is_one_segment(image);
    to->width = image->width * pixel;
    to->height = (uint16_t)image->height;
    to->out_w = (uint16_t)image->out_w;
    to->segment_bytes = (uint16_t)(image->channels * (one ? image->kernel_w : 1u));
    to->segments = (uint8_t)(one ? 1u : image->kernel_w);
    to->step_x = (uint16_t)(image->stride_x * pixel);
    to->segment_step = (uint16_t)(image->dilation_x * pixel);
    to->step_y = (uint8_t)image->stride_y;
    to->dil_y = (uint8_t)image->dilation_y;
    to->pad_top = (uint8_t)image->pad_top;
    to->pad_left = (uint16_t)(image->pad_left * pixel);
}
