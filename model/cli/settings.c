// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- sentences ----------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static bool refuse(char *message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, SETTINGS_MESSAGE, format, arguments);
    va_end(arguments);
    return false;
}

// Appends to a text of `size` bytes, separated by commas.
static void list(char *text, size_t size, const char *item)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", item);
}

void settings_format_names(char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned id = 0; id < FP8MAC_FORMAT_COUNT; id++) {
        list(text, size, fp8mac_format_get((fp8mac_format_id)id)->name);
    }
}

void settings_preset_names(char *text, size_t size)
{
    text[0] = '\0';
    fp8mac_preset preset;
    for (size_t i = 0; fp8mac_preset_get(i, &preset) == FP8MAC_OK; i++) {
        if (preset.covered) {
            list(text, size, preset.name);
        }
    }
}

// ---- the fields ---------------------------------------------------------------------------------

typedef enum kind {
    KIND_FORMAT,
    KIND_UNSIGNED,
    KIND_INT,
    KIND_BOOL,
    KIND_SEED,
    KIND_CODE,
    KIND_ENUM
} kind;

static const char *const acc_names[] = {"fp32",  "fp16", "fixed", "bf16",
                                        "e8m13", "e6m9", "int32", NULL};
static const char *const rounding_names[] = {"nearest-even", "toward-zero", "stochastic", NULL};
static const char *const acc_rounding_names[] = {"nearest-even", "toward-zero", "stochastic", "odd",
                                                 NULL};
static const char *const align_names[] = {"toward-zero", "floor", "odd", NULL};
static const char *const k_order_names[] = {"ascending", "pairs", NULL};
static const char *const align_by_names[] = {"products", "operands", NULL};
static const char *const overflow_names[] = {FP8MAC_OVERFLOW_EACH(OPTIONS_WORD) NULL};
static const char *const generator_names[] = {"threefry", "simon", NULL};

typedef struct field {
    const char *name;
    kind kind;
    size_t offset;
    int64_t low, high;        // KIND_UNSIGNED, KIND_INT
    const char *const *names; // KIND_ENUM: enumerators from 0
    const char *help;
} field;

#define AT(member) offsetof(fp8mac_dot_config, member)

static const field fields[] = {
    {"a-format", KIND_FORMAT, AT(a.format), 0, 0, NULL, "format of A: a name, or name:bias"},
    {"b-format", KIND_FORMAT, AT(b.format), 0, 0, NULL, "format of B"},
    {"acc-format", KIND_ENUM, AT(acc_format), 0, 0, acc_names,
     "accumulator: fp32, fp16, bf16, e8m13, e6m9, fixed, int32"},
    {"group", KIND_UNSIGNED, AT(group), 0, 1024, NULL, "products per step, 1..1024; 0 is 1"},
    {"scale-exp-a", KIND_INT, AT(a.scale_exp), -32, 32, NULL, "A is scaled by 2^this, -32..32"},
    {"scale-exp-b", KIND_INT, AT(b.scale_exp), -32, 32, NULL, "B is scaled by 2^this, -32..32"},
    {"guard-bits", KIND_UNSIGNED, AT(guard_bits), 0, 40, NULL,
     "fixed: K is at most 2^this, up to 40; 0 is 16"},
    {"acc-saturate", KIND_BOOL, AT(acc_saturate), 0, 0, NULL,
     "overflow of a step gives the largest value, not infinity"},
    {"acc-rounding", KIND_ENUM, AT(acc_rounding), 0, 0, acc_rounding_names,
     "nearest-even, toward-zero, stochastic or odd"},
    {"random-bits", KIND_UNSIGNED, AT(random_bits), 0, 24, NULL,
     "stochastic: random bits for a rounding, 1..24"},
    {"seed", KIND_SEED, AT(seed), 0, 0, NULL, "stochastic: key of the generator"},
    {"frac-bits", KIND_UNSIGNED, AT(frac_bits), 0, 64, NULL,
     "fraction bits of the alignment window, 1..64; 0 is exact"},
    {"static-exponent", KIND_INT, AT(static_exponent), FP8MAC_STATIC_EXPONENT_MIN,
     FP8MAC_STATIC_EXPONENT_MAX, NULL, "fixed: products are aligned to this exponent, -524..323"},
    {"align-round", KIND_ENUM, AT(align_round), 0, 0, align_names,
     "how terms are truncated: toward-zero, floor or odd"},
    {"align-by", KIND_ENUM, AT(align_by), 0, 0, align_by_names,
     "terms are aligned to the largest: products or operands"},
    {"min-exponent", KIND_INT, AT(min_exponent), -1100, FP8MAC_MIN_EXPONENT_ACC, NULL,
     "least alignment exponent, -1100..-1; 0 is -126, 1 acc's own"},
    {"acc-late", KIND_BOOL, AT(acc_late), 0, 0, NULL,
     "late accumulation: it is added after the product sum"},
    {"late-bits-sum", KIND_UNSIGNED, AT(late_bits_sum), 0, 64, NULL,
     "late: fraction bits of the sum, 1..64; 0: it is rounded"},
    {"late-bits-acc", KIND_UNSIGNED, AT(late_bits_acc), 0, 64, NULL,
     "late: fraction bits of the accumulator, 1..64"},
    {"late-drop", KIND_UNSIGNED, AT(late_drop), 0, 1000, NULL,
     "late: drops the accumulator this far below; 0 disables it"},
    {"late-round", KIND_ENUM, AT(late_round), 0, 0, align_names,
     "late: how they are truncated: toward-zero, floor or odd"},
    {"even-odd", KIND_BOOL, AT(even_odd), 0, 0, NULL,
     "late: even and odd products are summed separately"},
    {"flush", KIND_BOOL, AT(flush), 0, 0, NULL,
     "sums below the smallest normal number become zero"},
    {"nan-code", KIND_CODE, AT(nan_code), 0, 0, NULL,
     "the NaN that is written; 0 is the canonical one"},
    {"lscale", KIND_UNSIGNED, AT(lscale), 0, 127, NULL,
     "products are also scaled by 2^-this, 0..127 (fp16: 0..15)"},
    {"promote", KIND_UNSIGNED, AT(promote), 0, UINT32_MAX, NULL,
     "products after which acc is added to a second, FP32 one"},
    {"chunk", KIND_UNSIGNED, AT(chunk), 0, UINT32_MAX, NULL,
     "products after which acc is added to an outer accumulator"},
    {"k-order", KIND_ENUM, AT(k_order), 0, 0, k_order_names,
     "ascending; pairs: of 2 groups, first those with k mod 4 < 2"},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

size_t settings_count(void)
{
    return FIELDS;
}
const char *settings_name(size_t i)
{
    return fields[i].name;
}
const char *settings_help(size_t i)
{
    return fields[i].help;
}
const char *settings_acc_name(fp8mac_acc_format acc)
{
    return acc_names[acc];
}

static bool same_name(const char *a, const char *b)
{
    for (; *a != '\0' || *b != '\0'; a++, b++) {
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b)) {
            return false;
        }
    }
    return true;
}

static int index_of(const char *const *names, const char *text)
{
    for (int i = 0; names[i] != NULL; i++) {
        if (same_name(names[i], text)) {
            return i;
        }
    }
    return -1;
}

static bool refuse_name(char *message, const char *what, const char *text, const char *const *names)
{
    char good[256] = "";
    for (int i = 0; names[i] != NULL; i++) {
        list(good, sizeof good, names[i]);
    }
    return refuse(message, "%s '%.60s' is unknown; choose from %s", what, text, good);
}

static int64_t read_int(const fp8mac_dot_config *config, const field *f)
{
    const char *at = (const char *)config + f->offset;
    int32_t i;
    uint32_t u;
    memcpy(&i, at, sizeof i);
    memcpy(&u, at, sizeof u);
    return f->kind == KIND_INT ? (int64_t)i : (int64_t)u;
}

static void write_bits(fp8mac_dot_config *config, const field *f, uint32_t bits)
{
    memcpy((char *)config + f->offset, &bits, sizeof bits);
}

// ---- reading ------------------------------------------------------------------------------------

void settings_init(settings *s)
{
    memset(s, 0, sizeof *s);
    s->a_format = s->b_format = *fp8mac_format_get(FP8MAC_E4M3FN);
    s->config.a.format = &s->a_format;
    s->config.b.format = &s->b_format;
}

void settings_from(settings *s, const fp8mac_dot_config *config)
{
    s->a_format = *config->a.format;
    s->b_format = *config->b.format;
    s->config = *config;
    s->config.a.format = &s->a_format;
    s->config.b.format = &s->b_format;
}

bool settings_number(const char *text, uint64_t most, uint64_t *number)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = text + (hex ? 2 : 0);
    if (digits[0] == '\0' ||
        strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits)) {
        return false;
    }
    errno = 0;
    *number = strtoull(digits, NULL, hex ? 16 : 10);
    return errno == 0 && *number <= most;
}

static bool signed_number(const char *text, int64_t low, int64_t high, int64_t *number)
{
    bool negative = text[0] == '-';
    uint64_t magnitude;
    if (!settings_number(text + (negative || text[0] == '+'), UINT32_MAX, &magnitude)) {
        return false;
    }
    *number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return *number >= low && *number <= high;
}

static bool biased(fp8mac_format *format, fp8mac_format_id id, const char *text, char *message)
{
    int64_t bias;
    if (!signed_number(text, -10000, 10000, &bias)) {
        return refuse(message, "bias '%.60s' is not a whole number", text);
    }
    *format = fp8mac_format_with_bias(id, (int)bias);
    const char *why = fp8mac_format_refusal(format);
    return why == NULL || refuse(message, "bias %d is refused: %s", (int)bias, why);
}

bool settings_format(fp8mac_format *format, const char *text, char *message)
{
    char name[32];
    size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             text);
    const fp8mac_format *found = length < sizeof name ? fp8mac_format_by_name(name) : NULL;
    if (found == NULL) {
        char good[SETTINGS_MESSAGE - 96];
        settings_format_names(good, sizeof good);
        return refuse(message, "format '%.31s' is unknown; choose from %s", name, good);
    }
    *format = *found;
    return text[length] == '\0' ||
           biased(format, (fp8mac_format_id)(found - fp8mac_format_get(FP8MAC_E4M3FN)),
                  text + length + 1, message);
}

bool settings_rounding(fp8mac_rounding *rounding, const char *text, char *message)
{
    int i = index_of(rounding_names, text);
    *rounding = (fp8mac_rounding)i;
    return i >= 0 || refuse_name(message, "rounding", text, rounding_names);
}

bool settings_overflow(fp8mac_overflow *overflow, const char *text, char *message)
{
    int i = index_of(overflow_names, text);
    *overflow = (fp8mac_overflow)i;
    return i >= 0 || refuse_name(message, "overflow mode", text, overflow_names);
}

bool settings_generator(fp8mac_generator *generator, const char *text, char *message)
{
    int i = index_of(generator_names, text);
    *generator = (fp8mac_generator)i;
    return i >= 0 || refuse_name(message, "generator", text, generator_names);
}

static bool refuse_preset(char *message, const char *name, fp8mac_status status)
{
    char good[SETTINGS_MESSAGE - 120];
    switch (status) {
    case FP8MAC_ERR_GROUP:
        return refuse(message, "preset '%.60s' has a number of lanes that is not in 1..1024", name);
    case FP8MAC_ERR_ACCUMULATOR:
        return refuse(message, "preset '%.60s' has fraction bits that its kind does not have",
                      name);
    default: break;
    }
    settings_preset_names(good, sizeof good);
    return refuse(message, "preset '%.60s' is unknown; choose from %s", name, good);
}

bool settings_preset(fp8mac_preset *preset, const char *name, char *message)
{
    fp8mac_status status = fp8mac_preset_by_name(name, preset);
    return status == FP8MAC_OK || refuse_preset(message, name, status);
}

static bool set_preset(settings *s, const char *name, char *message)
{
    fp8mac_preset preset;
    if (!settings_preset(&preset, name, message)) {
        return false;
    }
    if (!preset.covered) {
        return refuse(message, "preset %s has no configuration: %s", preset.name, preset.summary);
    }
    settings_from(s, &preset.config);
    return true;
}

static bool set_bool(settings *s, const field *f, const char *value, char *message)
{
    static const char *const names[] = {"false", "true",  "0",    "1", "no",
                                        "yes",   "False", "True", NULL};
    int i = index_of(names, value);
    if (i < 0) {
        return refuse(message, "%s '%.60s' is neither true nor false", f->name, value);
    }
    bool set = i % 2 != 0;
    memcpy((char *)&s->config + f->offset, &set, sizeof set);
    return true;
}

static bool set_seed(settings *s, const field *f, const char *value, char *message)
{
    return settings_number(value, UINT64_MAX, &s->config.seed) ||
           refuse(message, "%s '%.60s' is not a whole number of at most 64 bits", f->name, value);
}

static bool set_code(settings *s, const field *f, const char *value, char *message)
{
    uint64_t code;
    if (!settings_number(value, UINT32_MAX, &code)) {
        return refuse(message, "%s '%.60s' is not a code of at most 32 bits", f->name, value);
    }
    write_bits(&s->config, f, (uint32_t)code);
    return true;
}

static bool set_number(settings *s, const field *f, const char *value, char *message)
{
    int64_t number;
    if (!signed_number(value, f->low, f->high, &number)) {
        return refuse(message, "%s '%.60s' is not a whole number in %lld..%lld", f->name, value,
                      (long long)f->low, (long long)f->high);
    }
    write_bits(&s->config, f, (uint32_t)number);
    return true;
}

static bool set_enum(settings *s, const field *f, const char *value, char *message)
{
    int i = index_of(f->names, value);
    if (i < 0) {
        return refuse_name(message, f->name, value, f->names);
    }
    write_bits(&s->config, f, (uint32_t)i);
    return true;
}

static bool set_field(settings *s, const field *f, const char *value, char *message)
{
    switch (f->kind) {
    case KIND_FORMAT:
        return settings_format(f->offset == AT(a.format) ? &s->a_format : &s->b_format, value,
                               message);
    case KIND_BOOL: return set_bool(s, f, value, message);
    case KIND_SEED: return set_seed(s, f, value, message);
    case KIND_CODE: return set_code(s, f, value, message);
    case KIND_ENUM: return set_enum(s, f, value, message);
    case KIND_UNSIGNED:
    case KIND_INT: return set_number(s, f, value, message);
    }
    return false;
}

bool settings_set(settings *s, const char *name, const char *value, char *message)
{
    if (same_name(name, "preset")) {
        return set_preset(s, value, message);
    }
    if (same_name(name, "format")) {
        return settings_format(&s->a_format, value, message) &&
               settings_format(&s->b_format, value, message);
    }
    for (size_t i = 0; i < FIELDS; i++) {
        if (same_name(name, fields[i].name)) {
            return set_field(s, &fields[i], value, message);
        }
    }
    return refuse(message, "there is no setting '%.60s'", name);
}

// ---- refusing -----------------------------------------------------------------------------------

static bool check_range(const fp8mac_dot_config *config, const field *f, char *message)
{
    if (f->kind == KIND_UNSIGNED || f->kind == KIND_INT) {
        int64_t x = read_int(config, f);
        if (x < f->low || x > f->high) {
            return refuse(message, "%s is %lld and must be in %lld..%lld", f->name, (long long)x,
                          (long long)f->low, (long long)f->high);
        }
    }
    return true;
}

static const char *late_reason(const fp8mac_dot_config *c)
{
    bool any = c->late_bits_sum != 0 || c->late_bits_acc != 0 || c->late_drop != 0 || c->even_odd ||
               c->late_round != FP8MAC_ALIGN_TOWARD_ZERO;
    if (!c->acc_late) {
        return any ? "late-bits-sum, late-bits-acc, late-drop, late-round and even-odd need "
                     "acc-late"
                   : NULL;
    }
    if ((c->late_bits_sum == 0) != (c->late_bits_acc == 0)) {
        return "late-bits-sum and late-bits-acc are 1..64 each, or both 0";
    }
    return c->late_bits_sum == 0 && c->late_drop != 0
               ? "late-drop needs late-bits-sum and late-bits-acc"
               : NULL;
}

static const char *float_reason(const fp8mac_dot_config *c)
{
    unsigned group = c->group == 0 ? 1 : c->group;
    if (c->acc_rounding == FP8MAC_ROUND_STOCHASTIC ? c->random_bits == 0 : c->random_bits != 0) {
        return "random-bits is 1..24 for stochastic acc-rounding and 0 for any other";
    }
    if (c->guard_bits != 0) {
        return "guard-bits is for the fixed accumulator alone";
    }
    if (c->static_exponent != 0) {
        return "static-exponent is for the fixed accumulator alone";
    }
    bool aligned = c->align_round != FP8MAC_ALIGN_TOWARD_ZERO ||
                   c->align_by != FP8MAC_ALIGN_BY_PRODUCTS || c->min_exponent != 0 || c->acc_late;
    if (c->frac_bits == 0 && aligned) {
        return "align-round, align-by, min-exponent and acc-late need frac-bits, 1..64";
    }
    if (c->even_odd && c->align_by != FP8MAC_ALIGN_BY_PRODUCTS) {
        return "even-odd needs align-by products";
    }
    if (late_reason(c) != NULL) {
        return late_reason(c);
    }
    if (c->promote != 0 && c->chunk != 0) {
        return "promote and chunk cannot both be set";
    }
    if (c->promote % group != 0 || c->chunk % group != 0) {
        return "promote and chunk must be multiples of group";
    }
    if (c->k_order == FP8MAC_K_PAIRS) {
        if (group % 2 != 0 || c->promote % (2 * group) != 0 || c->chunk % (2 * group) != 0) {
            return "k-order pairs needs an even group, and promote and chunk that are multiples of "
                   "2 * group";
        }
    }
    if (c->acc_format == FP8MAC_ACC_FP16 && c->lscale > 15) {
        return "lscale is at most 15 for fp16";
    }
    return c->nan_code != 0 ? "nan-code is not a NaN of the accumulator's format" : NULL;
}

static const char *refusal_reason(const fp8mac_dot_config *c, fp8mac_status status)
{
    if (c->acc_format == FP8MAC_ACC_INT32) {
        return "int32 takes two int8 operands, group, and no other setting";
    }
    if (status == FP8MAC_ERR_FORMAT) {
        return "a-format and b-format must have at most 8 bits and no wider range than "
               "cfloat8_e5m2";
    }
    if (c->acc_format == FP8MAC_ACC_FIXED && c->frac_bits == 0 && c->static_exponent != 0) {
        return "static-exponent needs frac-bits, 1..64";
    }
    if (c->acc_format == FP8MAC_ACC_FIXED) {
        return "fixed takes group, scale-exp-a, scale-exp-b, guard-bits, frac-bits and "
               "static-exponent and no other setting, "
               "and its width with the guard bits is at most 128";
    }
    return float_reason(c);
}

bool settings_check(const settings *s, char *message)
{
    const fp8mac_dot_config *c = &s->config;
    fp8mac_status status = fp8mac_dot_config_validate(c);
    if (status == FP8MAC_OK) {
        return true;
    }
    const char *format = fp8mac_format_refusal(c->a.format);
    format = format != NULL ? format : fp8mac_format_refusal(c->b.format);
    if (format != NULL) {
        return refuse(message, "a format is refused: %s", format);
    }
    for (size_t i = 0; i < FIELDS; i++) {
        if (!check_range(c, &fields[i], message)) {
            return false;
        }
    }
    const char *why = refusal_reason(c, status);
    return refuse(message, "%s", why != NULL ? why : fp8mac_status_string(status));
}

bool settings_check_mode(const fp8mac_format *format, fp8mac_convert_mode mode,
                         unsigned random_bits, fp8mac_generator generator, char *message)
{
    bool stochastic = mode.rounding == FP8MAC_ROUND_STOCHASTIC;
    unsigned most = generator == FP8MAC_GENERATOR_SIMON ? 16 : FP8MAC_RANDOM_BITS_MAX;
    if (stochastic ? random_bits < 1 || random_bits > most : random_bits != 0) {
        return refuse(message, "random-bits is 1..%u for stochastic rounding and 0 for any other",
                      most);
    }
    mode.rounding = stochastic ? FP8MAC_ROUND_NEAREST_EVEN : mode.rounding;
    fp8mac_status status = fp8mac_convert_mode_validate(format, mode);
    if (status == FP8MAC_ERR_OVERFLOW_MODE && (unsigned)mode.overflow < FP8MAC_OVERFLOWS) {
        return refuse(message,
                      "%s has neither infinity nor NaN and takes no overflow mode but saturate",
                      format->name);
    }
    if (status == FP8MAC_ERR_FORMAT && fp8mac_format_refusal(format) != NULL) {
        return refuse(message, "the format is refused: %s", fp8mac_format_refusal(format));
    }
    return status == FP8MAC_OK || refuse(message, "%s", fp8mac_status_string(status));
}

bool settings_check_k(const settings *s, size_t k, char *message)
{
    const fp8mac_dot_config *c = &s->config;
    unsigned guard = c->guard_bits == 0 ? FP8MAC_GUARD_BITS_DEFAULT : c->guard_bits;
    if (c->acc_format == FP8MAC_ACC_INT32 && k > FP8MAC_INT8_K_MAX) {
        return refuse(message, "K is %zu, and int32 sums at most %d products", k,
                      FP8MAC_INT8_K_MAX);
    }
    if (c->acc_format == FP8MAC_ACC_FIXED && k > UINT64_C(1) << guard) {
        return refuse(message, "K is %zu, and fixed with %u guard bits sums at most 2^%u products",
                      k, guard, guard);
    }
    return true;
}

bool settings_check_format(const fp8mac_format *format, bool is_c, char *message)
{
    for (unsigned id = is_c ? FP8MAC_FP16 : FP8MAC_E4M3FN;
         id < (is_c ? FP8MAC_FP32 + 1 : FP8MAC_ARRAY_FORMAT_COUNT); id++) {
        const fp8mac_format *good = fp8mac_format_get((fp8mac_format_id)id);
        if (strcmp(good->name, format->name) == 0 && good->bias == format->bias) {
            return true;
        }
    }
    return refuse(message, "%s is %s and must be %sfloat16, bfloat16 or float32", is_c ? "C" : "D",
                  format->name, is_c ? "" : "e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, int8, ");
}

bool settings_scale(float scale, const char *what, char *message)
{
    // By its bits: a comparison may take a subnormal for zero.
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    return (bits > 0 && bits < 0x7f800000u) ||
           refuse(message, "%s is %g; a scale must be finite and greater than zero", what,
                  (double)scale);
}

// ---- writing ------------------------------------------------------------------------------------

bool settings_value(const fp8mac_dot_config *config, size_t i, char *text, size_t size)
{
    const field *f = &fields[i];
    if (f->kind == KIND_FORMAT) {
        snprintf(text, size, "%s",
                 (f->offset == AT(a.format) ? config->a.format : config->b.format)->name);
        return true;
    }
    if (f->kind == KIND_BOOL) {
        bool set;
        memcpy(&set, (const char *)config + f->offset, sizeof set);
        snprintf(text, size, "%s", set ? "true" : "false");
        return set;
    }
    if (f->kind == KIND_SEED) {
        snprintf(text, size, "%llu", (unsigned long long)config->seed);
        return config->seed != 0;
    }
    int64_t x = read_int(config, f);
    if (f->kind == KIND_ENUM) {
        snprintf(text, size, "%s", f->names[x]);
    } else {
        snprintf(text, size, f->kind == KIND_CODE ? "0x%llx" : "%lld", (long long)x);
    }
    return x != 0;
}
