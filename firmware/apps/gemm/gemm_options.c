// SPDX-License-Identifier: Apache-2.0
#include "gemm_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A word that a key accepts, and what it stands for. Lists end with a NULL name; the first is the
// default.
typedef struct word {
    const char *name;
    int32_t value;
} word;

static const word operand_formats[] = {
    {"e4m3fn", FP8MAC_E4M3FN},     {"e5m2", FP8MAC_E5M2},     {"e4m3fnuz", FP8MAC_E4M3FNUZ},
    {"e5m2fnuz", FP8MAC_E5M2FNUZ}, {"e3m2fn", FP8MAC_E3M2FN}, {"e2m3fn", FP8MAC_E2M3FN},
    {"e2m1fn", FP8MAC_E2M1FN},     {"int8", FP8MAC_INT8},     {NULL, 0}};
static const word d_formats[] = {
    {"float32", FP8MAC_FP32},      {"fp32", FP8MAC_FP32},     {"float16", FP8MAC_FP16},
    {"fp16", FP8MAC_FP16},         {"bfloat16", FP8MAC_BF16}, {"bf16", FP8MAC_BF16},
    {"e4m3fn", FP8MAC_E4M3FN},     {"e5m2", FP8MAC_E5M2},     {"e4m3fnuz", FP8MAC_E4M3FNUZ},
    {"e5m2fnuz", FP8MAC_E5M2FNUZ}, {"int8", FP8MAC_INT8},     {NULL, 0}};
static const word accumulators[] = {{"fp32", FP8MAC_ACC_FP32},
                                    {"float32", FP8MAC_ACC_FP32},
                                    {"fp16", FP8MAC_ACC_FP16},
                                    {"float16", FP8MAC_ACC_FP16},
                                    {"fixed", FP8MAC_ACC_FIXED},
                                    {"int32", FP8MAC_ACC_INT32},
                                    {NULL, 0}};
static const word scale_modes[] = {{"none", FP8MAC_SCALE_NONE},
                                   {"tensor", FP8MAC_SCALE_TENSOR},
                                   {"vector", FP8MAC_SCALE_VECTOR},
                                   {NULL, 0}};
#define WORD(word, code) {word, code},
static const word activations[] = {FP8MAC_ACT_EACH(WORD){NULL, 0}};
static const word overflows[] = {{"saturate", FP8MAC_OVERFLOW_SATURATE},
                                 {"saturate_finite", FP8MAC_OVERFLOW_SATURATE_FINITE},
                                 {"ieee", FP8MAC_OVERFLOW_IEEE},
                                 {NULL, 0}};
static const word data_kinds[] = {{"finite", FP8RT_DATA_FINITE},
                                  {"wide", FP8RT_DATA_WIDE},
                                  {"codes", FP8RT_DATA_CODES},
                                  {NULL, 0}};

static bool takes(const fp8rt_element *element, int32_t format)
{
    return fp8rt_element_takes(element, (fp8mac_format_id)format);
}
static bool has(const fp8rt_element *element, int32_t format)
{
    return fp8rt_element_has(element, (fp8mac_acc_format)format);
}

// Words, or numbers from `least` to `most`.
typedef struct option {
    const char *key;
    const word *words;
    bool (*fits)(const fp8rt_element *element,
                 int32_t value); // NULL: every array has all of the words
    int32_t least, most, start;
    int32_t value;
} option;

enum { M, N, K, A, B, D, ACC, SA, SB, SCALE, BIAS, MX, ACT, OVERFLOW, SEED, DATA, OPTIONS };

static const option defaults[OPTIONS] = {
    [M] = {.key = "M", .least = 1, .most = 65536, .start = 64},
    [N] = {.key = "N", .least = 1, .most = 65536, .start = 64},
    [K] = {.key = "K", .least = 1, .most = 65536, .start = 64},
    [A] = {.key = "A", .words = operand_formats, .fits = takes},
    [B] = {.key = "B", .words = operand_formats, .fits = takes},
    [D] = {.key = "D", .words = d_formats},
    [ACC] = {.key = "ACC", .words = accumulators, .fits = has},
    [SA] = {.key = "SA", .least = -32, .most = 32},
    [SB] = {.key = "SB", .least = -32, .most = 32},
    [SCALE] = {.key = "SCALE", .words = scale_modes},
    [BIAS] = {.key = "BIAS", .least = 0, .most = 1},
    [MX] = {.key = "MX", .least = 0, .most = 1},
    [ACT] = {.key = "ACT", .words = activations},
    [OVERFLOW] = {.key = "OVERFLOW", .words = overflows},
    [SEED] = {.key = "SEED", .least = 0, .most = INT32_MAX, .start = 1},
    [DATA] = {.key = "DATA", .words = data_kinds},
};

static bool is_good(const option *o, const fp8rt_element *element, const word *w)
{
    return o->fits == NULL || o->fits(element, w->value);
}

static bool parse_word(option *o, const fp8rt_element *element, const char *text)
{
    bool known = false;
    for (const word *w = o->words; w->name != NULL; w++) {
        if (strcmp(text, w->name) != 0) {
            continue;
        }
        o->value = w->value;
        if (is_good(o, element, w)) {
            return true;
        }
        known = true;
    }
    printf("gemm: %s=%s is not possible", o->key, text);
    if (known) {
        printf(" with %s elements", fp8rt_element_name(element->kind));
    }
    printf(": choose one of");
    for (const word *w = o->words; w->name != NULL; w++) {
        if (is_good(o, element, w)) {
            printf(" %s", w->name);
        }
    }
    printf("\n");
    return false;
}

// Decimal digits with an optional minus. False for anything else, and for numbers outside every
// range here.
static bool read_number(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    if (negative) {
        text++;
    }
    *value = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || *value > INT32_MAX) {
            return false;
        }
        *value = 10 * *value + (*text - '0');
    }
    if (negative) {
        *value = -*value;
    }
    return true;
}

static bool parse_number(option *o, const char *text)
{
    int64_t value;
    if (read_number(text, &value) && value >= o->least && value <= o->most) {
        o->value = (int32_t)value;
        return true;
    }
    printf("gemm: %s=%s is not possible: choose a number from %" PRId32 " to %" PRId32 "\n", o->key,
           text, o->least, o->most);
    return false;
}

static option *find_option(option list[OPTIONS], const char *argument, size_t key_length)
{
    for (int i = 0; i < OPTIONS; i++) {
        if (strlen(list[i].key) == key_length && strncmp(list[i].key, argument, key_length) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

static bool parse_argument(option list[OPTIONS], const fp8rt_element *element, const char *argument)
{
    const char *equals = strchr(argument, '=');
    option *o = equals == NULL ? NULL : find_option(list, argument, (size_t)(equals - argument));
    if (o != NULL) {
        return o->words != NULL ? parse_word(o, element, equals + 1) : parse_number(o, equals + 1);
    }
    printf("gemm: %s is not possible: choose one of", argument);
    for (int i = 0; i < OPTIONS; i++) {
        printf(" %s=", list[i].key);
    }
    printf("\n");
    return false;
}

bool gemm_options_parse(int argc, char **argv, const fp8rt_element *element, fp8rt_trial *trial)
{
    option o[OPTIONS];
    bool good = true;
    memcpy(o, defaults, sizeof o);
    for (int i = 0; i < OPTIONS; i++) {
        o[i].value = o[i].words != NULL ? o[i].words[0].value : o[i].start;
    }
    o[A].value = o[B].value = fp8rt_element_format(element);
    o[ACC].value = fp8rt_element_accumulator(element);
    for (int i = 1; i < argc; i++) {
        good = parse_argument(o, element, argv[i]) && good;
    }
    *trial = (fp8rt_trial){
        .m = (uint32_t)o[M].value,
        .n = (uint32_t)o[N].value,
        .k = (uint32_t)o[K].value,
        .a.format = (fp8mac_format_id)o[A].value,
        .b.format = (fp8mac_format_id)o[B].value,
        .d_format = (fp8mac_format_id)o[D].value,
        .acc_format = (fp8mac_acc_format)o[ACC].value,
        .a.scale_exp = o[SA].value,
        .b.scale_exp = o[SB].value,
        .scales = (fp8mac_scale_mode)o[SCALE].value,
        .bias = o[BIAS].value != 0,
        .mx = o[MX].value != 0,
        .activation = (fp8mac_activation)o[ACT].value,
        .overflow = (fp8mac_overflow)o[OVERFLOW].value,
        .data = (fp8rt_data)o[DATA].value,
        .seed = (uint32_t)o[SEED].value,
    };
    return good;
}

const char *gemm_accumulator_name(fp8mac_acc_format format)
{
    switch (format) {
    case FP8MAC_ACC_FIXED: return "fixed";
    case FP8MAC_ACC_INT32: return "int32";
    default: return format == FP8MAC_ACC_FP16 ? "float16" : "float32";
    }
}
