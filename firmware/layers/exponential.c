// SPDX-License-Identifier: Apache-2.0
#include "exponential.h"

enum { ONE_BITS = 20, CHUNK = 1024 };
#define LOG_ONE (1 << FP8RT_LOG_BITS)

// How powers of two become codes of a format.
typedef struct coder {
    uint32_t mantissa_bits;
    int32_t top; // exponent field of 1
} coder;

static int32_t top_exponent(fp8mac_format_id format)
{
    return fp8mac_recipe_floor_log2(fp8mac_recipe_format_max(fp8mac_format_get(format)));
}

float fp8rt_exponential_unit(fp8mac_format_id format)
{
    return fp8mac_recipe_power_of_two(-top_exponent(format));
}

static coder coder_of(fp8mac_format_id id)
{
    const fp8mac_format *format = fp8mac_format_get(id);
    return (coder){.mantissa_bits = format->mantissa_bits, .top = top_exponent(id) + format->bias};
}

static int32_t largest(const int32_t *words, uint32_t count)
{
    int32_t most = words[0];
    for (uint32_t i = 1; i < count; i++) {
        most = words[i] > most ? words[i] : most;
    }
    return most;
}

// The code of significand * 2^(field - top), where the significand is 2^20 up to 2^21. Ties go up. A
// significand that is rounded up to the next power of two carries into the exponent field.
static inline uint8_t encode(coder c, uint32_t significand, int32_t field)
{
    const uint32_t drop = ONE_BITS - c.mantissa_bits;
    if (field > 0) {
        return (uint8_t)(((uint32_t)(field - 1) << c.mantissa_bits) +
                         ((significand + (1u << (drop - 1u))) >> drop));
    }
    const uint32_t shift = drop + 1u - (uint32_t)field;
    return (uint8_t)(shift > ONE_BITS + 1u ? 0u : (significand + (1u << (shift - 1u))) >> shift);
}

// 2^(x / 2^12) for x <= 0, in units of 2^-20, rounded down
static inline uint32_t power(uint32_t significand, int32_t whole)
{
    return whole < -(ONE_BITS + 1) ? 0 : significand >> -whole;
}

static uint32_t exponentials(coder c, const int32_t *words, uint32_t count, int32_t top,
                             uint8_t *codes)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t x = words[i] - top, whole = x >> FP8RT_LOG_BITS;
        const uint32_t significand = fp8rt_fixed_exp2((uint32_t)x & (LOG_ONE - 1u));
        codes[i] = encode(c, significand, c.top + whole);
        sum += power(significand, whole);
    }
    return sum;
}

// Chunks, because a sum of more does not fit one word.
static uint64_t codes_of_row(coder c, const int32_t *words, uint32_t count, int32_t top,
                             uint8_t *codes)
{
    uint64_t sum = 0;
    for (uint32_t first = 0; first < count; first += CHUNK) {
        const uint32_t rest = count - first;
        sum += exponentials(c, words + first, rest < CHUNK ? rest : CHUNK, top, codes + first);
    }
    return sum;
}

// log2(sum / 2^20) * 2^12 of a sum >= 2^20, by squaring: each time, a bit of the logarithm appears.
static int32_t logarithm(uint64_t sum)
{
    int32_t log = 0;
    while (sum >> (ONE_BITS + 1) != 0) {
        sum = (sum + 1u) >> 1;
        log += LOG_ONE;
    }
    uint64_t x = sum << (31 - ONE_BITS); // 1 up to 2, in units of 2^-31
    for (int32_t bit = LOG_ONE >> 1; bit != 0; bit >>= 1) {
        x = (x * x) >> 31;
        if (x >> 32 != 0) {
            x >>= 1;
            log += bit;
        }
    }
    return log;
}

void fp8rt_exponential_rows(const fp8rt_caps *caps, const fp8rt_exponential *exponential,
                            const fp8rt_tensor *words, const fp8rt_tensor *codes, float *row_scale)
{
    const coder c = coder_of(codes->format);
    const uint32_t words_stride = fp8rt_tensor_stride(caps, words) / sizeof(int32_t);
    const int32_t *from = words->data;
    uint8_t *to = codes->data;
    for (uint32_t row = 0; row < words->rows; row++) {
        const uint32_t next = exponential->seen + (exponential->causal ? row : 0);
        const uint32_t seen = next < words->cols ? next : words->cols;
        const int32_t top = largest(from, seen);
        const uint64_t sum = codes_of_row(c, from, seen, top, to);
        if (exponential->normalise) {
            codes_of_row(c, from, seen, top + logarithm(sum), to);
        } else {
            row_scale[row] = (float)(1 << ONE_BITS) / (float)sum;
        }
        memset(to + seen, 0, words->cols - seen);
        from += words_stride;
        to += fp8rt_tensor_stride(caps, codes);
    }
}
