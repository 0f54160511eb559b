// SPDX-License-Identifier: Apache-2.0
// The public stochastic conversion of arrays. The random bits are given or drawn; then a kernel or
// the definition converts.
#include "core/environment.h"
#include "fast/fast.h"

static uint32_t draw(const fp8mac_random_source *source, size_t i)
{
    if (source->r != NULL) {
        return source->r[i];
    }
    uint64_t position = ((uint64_t)source->m << 32 | source->n) + i;
    return fp8mac_generator_bits(source->generator, source->seed, (uint32_t)(position >> 32),
                                 (uint32_t)position, source->step, FP8MAC_RANDOM_CONVERT,
                                 source->bits);
}

static uint32_t bits_used(const uint32_t *words, size_t n)
{
    const fp8mac_kernels *kernels = fp8mac_kernels_best();
    if (kernels != NULL) {
        return kernels->bits_used(words, n);
    }
    uint32_t used = 0;
    for (size_t i = 0; i < n; i++) {
        used |= words[i];
    }
    return used;
}

static fp8mac_status validate_source(const fp8mac_random_source *source, size_t n)
{
    if (!fp8mac_generator_gives(source->generator, source->bits, source->step)) {
        return FP8MAC_ERR_ROUNDING;
    }
    if (source->r != NULL && bits_used(source->r, n) >> source->bits != 0) {
        return FP8MAC_ERR_ROUNDING;
    }
    return FP8MAC_OK;
}

// Draws the random bits of a block together. They are drawn one by one where n carries into m, and
// from the generator that has no kernel.
static void draw_block(const fp8mac_kernels *kernels, const fp8mac_random_source *source,
                       size_t first, uint32_t *r, size_t count)
{
    uint64_t position = ((uint64_t)source->m << 32 | source->n) + first;
    if ((uint32_t)position > UINT32_MAX - count || source->generator != FP8MAC_GENERATOR_THREEFRY) {
        for (size_t i = 0; i < count; i++) {
            r[i] = draw(source, first + i);
        }
        return;
    }
    const fp8mac_draw at = {
        .m = (uint32_t)(position >> 32),
        .n = (uint32_t)position,
        .step_low = (uint32_t)source->step,
        .step_high = (uint32_t)(source->step >> 32) | (uint32_t)FP8MAC_RANDOM_CONVERT << 28,
        .key = {(uint32_t)source->seed, (uint32_t)(source->seed >> 32)},
        .bits = source->bits,
    };
    kernels->draw(r, count, &at);
}

// Converts block by block. A kernel exists for every block or for none, so a false result means
// that nothing has been written.
static bool convert_fast(const fp8mac_format *dst_format, void *dst,
                         const fp8mac_format *src_format, const void *src, size_t n,
                         fp8mac_overflow overflow, const fp8mac_random_source *source,
                         fp8mac_flags *flags)
{
    enum { BLOCK = 1024 };
    const fp8mac_kernels *kernels = fp8mac_kernels_best();
    bool done = FP8MAC_FAST && kernels != NULL && !fp8mac_tracks_inexact(flags);
    if (done && source->r != NULL) {
        return fp8mac_fast_convert_stochastic(kernels, dst_format, dst, src_format, src, n,
                                              overflow, source->r, source->bits, flags);
    }
    unsigned dst_bytes = fp8mac_format_bytes(dst_format),
             src_bytes = fp8mac_format_bytes(src_format);
    uint32_t r[BLOCK];
    for (size_t i = 0; done && i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        draw_block(kernels, source, i, r, count);
        done = fp8mac_fast_convert_stochastic(kernels, dst_format, (uint8_t *)dst + i * dst_bytes,
                                              src_format, (const uint8_t *)src + i * src_bytes,
                                              count, overflow, r, source->bits, flags);
    }
    return done;
}

FP8MAC_APART static fp8mac_status
convert_stochastic(const fp8mac_format *dst_format, void *dst, const fp8mac_format *src_format,
                   const void *src, size_t n, fp8mac_overflow overflow,
                   const fp8mac_random_source *source, fp8mac_flags *flags)
{
    if (source == NULL || (n > 0 && (dst == NULL || src == NULL))) {
        return FP8MAC_ERR_NULL;
    }
    if (fp8mac_format_validate(src_format) != FP8MAC_OK) {
        return FP8MAC_ERR_FORMAT;
    }
    fp8mac_status status =
        fp8mac_convert_mode_validate(dst_format, (fp8mac_convert_mode){.overflow = overflow});
    if (status == FP8MAC_OK) {
        status = validate_source(source, n);
    }
    if (status != FP8MAC_OK) {
        return status;
    }
    if (convert_fast(dst_format, dst, src_format, src, n, overflow, source, flags)) {
        return FP8MAC_OK;
    }
    unsigned dst_bytes = fp8mac_format_bytes(dst_format);
    unsigned src_bytes = fp8mac_format_bytes(src_format);
    for (size_t i = 0; i < n; i++) {
        fp8mac_value value = fp8mac_decode(src_format, fp8mac_load_code(src, i, src_bytes));
        uint32_t code = fp8mac_encode_stochastic(dst_format, value, overflow, draw(source, i),
                                                 source->bits, flags);
        fp8mac_store_code(dst, i, dst_bytes, code);
    }
    return FP8MAC_OK;
}

fp8mac_status fp8mac_convert_stochastic(const fp8mac_format *dst_format, void *dst,
                                        const fp8mac_format *src_format, const void *src, size_t n,
                                        fp8mac_overflow overflow,
                                        const fp8mac_random_source *source, fp8mac_flags *flags)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(
        fp8mac_status,
        convert_stochastic(dst_format, dst, src_format, src, n, overflow, source, flags));
}
