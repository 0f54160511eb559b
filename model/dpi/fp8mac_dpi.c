// SPDX-License-Identifier: Apache-2.0
// The functions that fp8mac_dpi_pkg.sv imports. Their types are DPI-C's: int is int32_t, `int
// unsigned` uint32_t, bit unsigned char, byte unsigned char. A simulator's generated prototypes may
// be checked against these.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"

enum { FORMATS = 256, DOTS = 1 << 16, EPILOGUES = 1 << 12, TERMS = 1024 };

typedef struct dot {
    settings s;
    fp8mac_acc acc;
    fp8mac_flags flags;
    unsigned waiting;
    uint8_t a[TERMS], b[TERMS];
} dot;

typedef struct epilogue {
    fp8mac_format format;
    fp8mac_epilogue e;
} epilogue;

// Handles are indices into these, from 1.
static fp8mac_format formats[FORMATS];
static char names[FORMATS][48];
static dot *dots[DOTS];
static epilogue *epilogues[EPILOGUES];
static char message[SETTINGS_MESSAGE];

static int32_t fail(fp8mac_status status, const char *what)
{
    snprintf(message, sizeof message, "%s", what != NULL ? what : fp8mac_status_string(status));
    return (int32_t)status;
}

static int32_t finish(fp8mac_status status)
{
    return status == FP8MAC_OK ? 0 : fail(status, NULL);
}

const char *fp8mac_dpi_message(void)
{
    return message;
}

// ---- formats and conversions --------------------------------------------------------------------

int32_t fp8mac_dpi_format(const char *name)
{
    int32_t i = 1;
    for (; i < FORMATS && names[i][0] != '\0'; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    if (i == FORMATS || strlen(name) >= sizeof names[i]) {
        return fail(FP8MAC_OK, "there are too many formats, or the name is too long");
    }
    if (!settings_format(&formats[i], name, message)) {
        return 0;
    }
    strcpy(names[i], name);
    return i;
}

static const fp8mac_format *format_of(int32_t handle)
{
    bool known = handle > 0 && handle < FORMATS && names[handle][0] != '\0';
    if (!known) {
        fail(FP8MAC_ERR_FORMAT, "this is no format's handle; fp8mac_format gives one");
    }
    return known ? &formats[handle] : NULL;
}

int32_t fp8mac_dpi_bits(int32_t handle)
{
    const fp8mac_format *format = format_of(handle);
    return format == NULL ? 0 : (int32_t)fp8mac_format_bits(format);
}

int32_t fp8mac_dpi_decode_code(int32_t handle, uint32_t code, int32_t *cls, unsigned char *sign,
                               int32_t *exponent, uint64_t *significand)
{
    const fp8mac_format *format = format_of(handle);
    fp8mac_value value = {FP8MAC_CLASS_NAN, false, 0, 0};
    if (format != NULL) {
        value = fp8mac_decode(format, code);
    }
    *cls = (int32_t)value.cls;
    *sign = value.sign;
    *exponent = value.exponent;
    *significand = value.significand;
    return format == NULL ? FP8MAC_ERR_FORMAT : 0;
}

double fp8mac_dpi_to_real(int32_t handle, uint32_t code)
{
    const fp8mac_format *format = format_of(handle);
    return format == NULL ? 0 : fp8mac_value_to_double(fp8mac_decode(format, code));
}

const char *fp8mac_dpi_to_text(int32_t handle, uint32_t code)
{
    static char text[400];
    const fp8mac_format *format = format_of(handle);
    text[0] = '\0';
    if (format != NULL) {
        fp8mac_value_text(fp8mac_decode(format, code), FP8MAC_TEXT_DECIMAL, text, sizeof text);
    }
    return text;
}

static uint32_t encode(const fp8mac_format *format, fp8mac_value value, int32_t rounding,
                       int32_t overflow, uint32_t *flags)
{
    fp8mac_convert_mode mode = {(fp8mac_rounding)rounding, (fp8mac_overflow)overflow};
    fp8mac_status status = fp8mac_convert_mode_validate(format, mode);
    if (status != FP8MAC_OK) {
        fail(status, NULL);
        return 0;
    }
    return fp8mac_encode(format, value, mode, flags);
}

uint32_t fp8mac_dpi_from_real(int32_t handle, double value, int32_t rounding, int32_t overflow,
                              uint32_t *flags)
{
    const fp8mac_format *format = format_of(handle);
    return format == NULL
               ? 0
               : encode(format, fp8mac_value_from_double(value), rounding, overflow, flags);
}

uint32_t fp8mac_dpi_cast(int32_t to_format, int32_t from_format, uint32_t code, int32_t rounding,
                         int32_t overflow, uint32_t *flags)
{
    const fp8mac_format *to = format_of(to_format), *from = format_of(from_format);
    return to == NULL || from == NULL
               ? 0
               : encode(to, fp8mac_decode(from, code), rounding, overflow, flags);
}

uint32_t fp8mac_dpi_cast_stochastic(int32_t to_format, int32_t from_format, uint32_t code,
                                    int32_t overflow, uint32_t r, int32_t n, uint32_t *flags)
{
    const fp8mac_format *to = format_of(to_format), *from = format_of(from_format);
    if (to == NULL || from == NULL) {
        return 0;
    }
    fp8mac_convert_mode mode = {FP8MAC_ROUND_NEAREST_EVEN, (fp8mac_overflow)overflow};
    fp8mac_status status = fp8mac_convert_mode_validate(to, mode);
    if (status != FP8MAC_OK || n < 1 || n > FP8MAC_RANDOM_BITS_MAX || r >> n != 0) {
        fail(status != FP8MAC_OK ? status : FP8MAC_ERR_ROUNDING, NULL);
        return 0;
    }
    return fp8mac_encode_stochastic(to, fp8mac_decode(from, code), mode.overflow, r, (unsigned)n,
                                    flags);
}

// ---- dot products -------------------------------------------------------------------------------

// "name=value" between spaces.
static bool apply(settings *s, const char *text)
{
    char word[128];
    while (*(text += strspn(text, " \t\n")) != '\0') {
        size_t length = strcspn(text, " \t\n");
        const char *equals = memchr(text, '=', length);
        if (equals == NULL || length >= sizeof word) {
            fail(FP8MAC_ERR_ACCUMULATOR, "settings are name=value, between spaces");
            return false;
        }
        memcpy(word, text, length);
        word[length] = '\0';
        word[equals - text] = '\0';
        if (!settings_set(s, word, word + (equals - text) + 1, message)) {
            return false;
        }
        text += length;
    }
    return settings_check(s, message);
}

int32_t fp8mac_dpi_dot_new(const char *text)
{
    int32_t handle = 1;
    while (handle < DOTS && dots[handle] != NULL) {
        handle++;
    }
    dot *d = handle == DOTS ? NULL : calloc(1, sizeof *d);
    if (d == NULL) {
        return fail(FP8MAC_OK, "there are too many dot products, or there is no memory");
    }
    settings_init(&d->s);
    if (!apply(&d->s, text)) {
        free(d);
        return 0;
    }
    dots[handle] = d;
    return handle;
}

static dot *dot_of(int32_t handle)
{
    dot *d = handle > 0 && handle < DOTS ? dots[handle] : NULL;
    if (d == NULL) {
        fail(FP8MAC_ERR_NULL, "this is no dot product's handle; fp8mac_dot_new gives one");
    }
    return d;
}

int32_t fp8mac_dpi_dot_free(int32_t handle)
{
    dot *d = dot_of(handle);
    if (d == NULL) {
        return FP8MAC_ERR_NULL;
    }
    free(d);
    dots[handle] = NULL;
    return 0;
}

int32_t fp8mac_dpi_dot_clear(int32_t handle, uint32_t m, uint32_t n)
{
    dot *d = dot_of(handle);
    if (d == NULL) {
        return FP8MAC_ERR_NULL;
    }
    d->acc = (fp8mac_acc){.m = m, .n = n};
    d->flags = 0;
    d->waiting = 0;
    return 0;
}

int32_t fp8mac_dpi_dot_load(int32_t handle, uint32_t code)
{
    dot *d = dot_of(handle);
    if (d == NULL) {
        return FP8MAC_ERR_NULL;
    }
    if (d->s.config.acc_format == FP8MAC_ACC_FIXED) {
        return fail(FP8MAC_ERR_ACCUMULATOR, "a fixed accumulator has no code to load");
    }
    if (fp8mac_acc_load(&d->s.config, &d->acc, code) != FP8MAC_OK) {
        d->acc.code = code; // int32
    }
    return 0;
}

int32_t fp8mac_dpi_dot_scale(int32_t handle, int32_t scale_exp_a, int32_t scale_exp_b)
{
    dot *d = dot_of(handle);
    if (d == NULL) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_dot_config changed = d->s.config;
    changed.a.scale_exp = scale_exp_a;
    changed.b.scale_exp = scale_exp_b;
    fp8mac_status status = fp8mac_dot_config_validate(&changed);
    if (status == FP8MAC_OK) {
        d->s.config.a.scale_exp = scale_exp_a;
        d->s.config.b.scale_exp = scale_exp_b;
    }
    return finish(status);
}

int32_t fp8mac_dpi_dot_term(int32_t handle, unsigned char a, unsigned char b)
{
    dot *d = dot_of(handle);
    if (d == NULL) {
        return FP8MAC_ERR_NULL;
    }
    if (d->waiting == TERMS) {
        return fail(FP8MAC_ERR_GROUP, NULL);
    }
    d->a[d->waiting] = a;
    d->b[d->waiting++] = b;
    return 0;
}

// A refused step leaves the accumulator unchanged and discards its terms.
int32_t fp8mac_dpi_dot_step(int32_t handle)
{
    dot *d = dot_of(handle);
    if (d == NULL) {
        return FP8MAC_ERR_NULL;
    }
    unsigned n = d->waiting;
    d->waiting = 0;
    return finish(fp8mac_dot_step(&d->s.config, &d->acc, d->a, d->b, n, &d->flags));
}

uint32_t fp8mac_dpi_dot_result(int32_t handle)
{
    dot *d = dot_of(handle);
    return d == NULL ? 0 : fp8mac_acc_to_fp32(&d->s.config, &d->acc, &d->flags);
}

uint32_t fp8mac_dpi_dot_code(int32_t handle)
{
    const dot *d = dot_of(handle);
    return d == NULL ? 0 : d->acc.code;
}

uint32_t fp8mac_dpi_dot_flags(int32_t handle)
{
    const dot *d = dot_of(handle);
    return d == NULL ? 0 : d->flags;
}

// ---- epilogue -----------------------------------------------------------------------------------

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// fp8mac_gemm checks an epilogue's fields, so a GEMM of one zero product checks these.
static fp8mac_status check_epilogue(const fp8mac_epilogue *e)
{
    static const uint8_t zero[1] = {0};
    float c[1] = {0}, d[1];
    fp8mac_gemm_desc desc = {.m = 1,
                             .n = 1,
                             .k = 1,
                             .a.codes = zero,
                             .a.stride = 1,
                             .b.codes = zero,
                             .b.stride = 1,
                             .beta = e->beta,
                             .c = c,
                             .ldc = 1,
                             .c_format = fp8mac_format_get(FP8MAC_FP32),
                             .activation = e->activation,
                             .clamp_lo = e->clamp_lo,
                             .clamp_hi = e->clamp_hi,
                             .d = d,
                             .ldd = 1,
                             .d_format = e->d_format,
                             .d_mode = e->d_mode,
                             .scale_d = &e->scale_d};
    desc.dot.a.format = desc.dot.b.format = fp8mac_format_get(FP8MAC_E4M3FN);
    return fp8mac_gemm(&desc, NULL);
}

int32_t fp8mac_dpi_epilogue_new(int32_t d_format, int32_t rounding, int32_t overflow,
                                uint32_t scale_d, unsigned char has_bias, uint32_t beta,
                                int32_t activation, uint32_t lo, uint32_t hi)
{
    const fp8mac_format *format = format_of(d_format);
    int32_t handle = 1;
    while (handle < EPILOGUES && epilogues[handle] != NULL) {
        handle++;
    }
    epilogue *e = format == NULL || handle == EPILOGUES ? NULL : calloc(1, sizeof *e);
    if (e == NULL) {
        return format == NULL
                   ? 0
                   : fail(FP8MAC_OK, "there are too many epilogues, or there is no memory");
    }
    e->format = *format;
    e->e = (fp8mac_epilogue){
        .has_bias = has_bias != 0,
        .activation = (fp8mac_activation)activation,
        .clamp_lo = float_of(lo),
        .clamp_hi = float_of(hi),
        .beta = float_of(beta),
        .d_format = &e->format,
        .d_mode = {(fp8mac_rounding)rounding, (fp8mac_overflow)overflow},
        .scale_d = float_of(scale_d),
    };
    fp8mac_status status = check_epilogue(&e->e);
    if (status != FP8MAC_OK) {
        fail(status, NULL);
        free(e);
        return 0;
    }
    epilogues[handle] = e;
    return handle;
}

uint32_t fp8mac_dpi_epilogue(int32_t handle, uint32_t t0, uint32_t scale_a, uint32_t scale_b,
                             uint32_t bias, uint32_t c, uint32_t *amax,
                             unsigned char *amax_nonfinite, uint32_t *flags)
{
    if (handle <= 0 || handle >= EPILOGUES || epilogues[handle] == NULL) {
        fail(FP8MAC_ERR_NULL, "this is no epilogue's handle; fp8mac_epilogue_new gives one");
        return 0;
    }
    bool nonfinite = *amax_nonfinite != 0;
    uint32_t d = fp8mac_epilogue_apply(&epilogues[handle]->e, t0, scale_a, scale_b, bias, c, amax,
                                       &nonfinite, flags);
    *amax_nonfinite = nonfinite;
    return d;
}
