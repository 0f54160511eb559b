// SPDX-License-Identifier: Apache-2.0
// Probes the width of an accumulator, as people do on a GPU: in 2^k + 1 - 2^k, how large may k be
// before the 1 is lost? Here every power is a product of two codes. 2^k is the largest of them, and
// "1" is the product that lies k binades below.
#include <math.h>

#include "options.h"

enum { POWERS = 160, ZERO = POWERS / 2, MOST_TERMS = 5, ONES = 65536 };

typedef struct term {
    uint8_t a, b;
} term;

typedef struct probe {
    cli *c;
    fp8mac_dot_config config;
    term power[POWERS],
        negative[POWERS]; // product 2^(i - ZERO), where `reached` says that there is one
    bool reached[POWERS];
    int low, high; // exponents of the least and of the largest product used
} probe;

// The code of (-1)^sign * 2^exponent, if the format has it.
static bool power_code(const fp8mac_format *format, bool sign, int exponent, uint8_t *code)
{
    fp8mac_value value = {FP8MAC_CLASS_FINITE, sign, exponent, 1};
    const fp8mac_convert_mode plain = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_SATURATE};
    *code = (uint8_t)fp8mac_encode(format, value, plain, NULL);
    return fp8mac_compare(fp8mac_decode(format, *code), value) == FP8MAC_EQUAL;
}

static void find_powers(probe *p)
{
    for (int i = 0; i < ZERO; i++) {
        for (int j = 0; j < ZERO; j++) {
            int ea = i - ZERO / 2, eb = j - ZERO / 2;
            term plus, minus;
            if (power_code(p->config.a.format, false, ea, &plus.a) &&
                power_code(p->config.b.format, false, eb, &plus.b) &&
                power_code(p->config.a.format, true, ea, &minus.a)) {
                minus.b = plus.b;
                p->power[i + j] = plus;
                p->negative[i + j] = minus;
                p->reached[i + j] = true;
            }
        }
    }
}

static bool find_range(probe *p)
{
    p->high = p->config.acc_format == FP8MAC_ACC_FP16 ? 14 : ZERO - 1;
    bool has_static_exponent = p->config.acc_format == FP8MAC_ACC_FIXED && p->config.frac_bits != 0;
    if (has_static_exponent && p->config.static_exponent < p->high) {
        p->high = p->config.static_exponent;
    }
    while (p->high > -ZERO && !p->reached[p->high + ZERO]) {
        p->high--;
    }
    p->low = p->high;
    while (p->low > -ZERO && p->reached[p->low - 1 + ZERO]) {
        p->low--;
    }
    return p->low < p->high;
}

// One step of a few terms.
static void step(probe *p, fp8mac_acc *acc, const term *terms, unsigned n)
{
    uint8_t a[MOST_TERMS], b[MOST_TERMS];
    for (unsigned i = 0; i < n; i++) {
        a[i] = terms[i].a;
        b[i] = terms[i].b;
    }
    fp8mac_status status = fp8mac_dot_step(&p->config, acc, a, b, n, NULL);
    if (status != FP8MAC_OK) {
        cli_fail(p->c, "%s", fp8mac_status_string(status));
    }
}

static double read_out(const probe *p, const fp8mac_acc *acc)
{
    return fp8mac_value_to_double(
        fp8mac_decode(fp8mac_format_get(FP8MAC_FP32), fp8mac_acc_to_fp32(&p->config, acc, NULL)));
}

static term plus(const probe *p, int exponent)
{
    return p->power[exponent + ZERO];
}
static term minus(const probe *p, int exponent)
{
    return p->negative[exponent + ZERO];
}

// ---- 2^k + 1 - 2^k ------------------------------------------------------------------------------

typedef double (*experiment)(probe *p, int k);

static double within_step(probe *p, int k)
{
    fp8mac_acc acc = {0};
    const term terms[] = {plus(p, p->high), plus(p, p->high - k), minus(p, p->high)};
    step(p, &acc, terms, 3);
    return read_out(p, &acc);
}

static double within_half_step(probe *p, int k)
{
    fp8mac_acc acc = {0};
    const term none = {0, 0};
    const term terms[] = {plus(p, p->high), none, plus(p, p->high - k), none, minus(p, p->high)};
    step(p, &acc, terms, 5);
    return read_out(p, &acc);
}

static double across_steps(probe *p, int k)
{
    fp8mac_acc acc = {0};
    const term terms[] = {plus(p, p->high), plus(p, p->high - k), minus(p, p->high)};
    for (unsigned i = 0; i < 3; i++) {
        step(p, &acc, &terms[i], 1);
    }
    return read_out(p, &acc);
}

static double into_step(probe *p, int k)
{
    fp8mac_acc acc = {0};
    const term first = plus(p, p->high), second[] = {plus(p, p->high - k), minus(p, p->high)};
    step(p, &acc, &first, 1);
    step(p, &acc, second, 2);
    return read_out(p, &acc);
}

// The largest k for which every distance from 1 to k keeps the small term. 0 if there is none.
static int largest_k(probe *p, experiment try)
{
    int k = 0;
    while (p->high - (k + 1) >= p->low && try(p, k + 1) == ldexp(1, p->high - (k + 1))) {
        k++;
    }
    return k;
}

static int report_largest_k(probe *p, const char *name, experiment try)
{
    int k = largest_k(p, try);
    if (p->high - k == p->low) {
        fprintf(p->c->out,
                "%-30s every k up to %d, the largest that products of these formats reach\n", name,
                k);
        return -1;
    }
    fprintf(p->c->out, "%-30s k <= %d: %d bits\n", name, k, k + 1);
    return k;
}

// ---- rounding of the accumulator ----------------------------------------------------------------

// Computes (2^high + odd * ulp) + half an ulp, one term a step, or the same with negative terms.
// Returns the result's distance from 2^high in ulps.
static double rounded(probe *p, int k, bool odd, bool negative)
{
    fp8mac_acc acc = {0};
    const term terms[] = {negative ? minus(p, p->high) : plus(p, p->high),
                          negative ? minus(p, p->high - k) : plus(p, p->high - k),
                          negative ? minus(p, p->high - k - 1) : plus(p, p->high - k - 1)};
    for (unsigned i = 0; i < 3; i++) {
        if (i != 1 || odd) {
            step(p, &acc, &terms[i], 1);
        }
    }
    double ulp = ldexp(negative ? -1 : 1, p->high - k);
    return (read_out(p, &acc) - ldexp(negative ? -1 : 1, p->high)) / ulp;
}

static const char *rounding_seen(probe *p, int k)
{
    double even = rounded(p, k, false, false), odd = rounded(p, k, true, false);
    double minus_even = rounded(p, k, false, true), minus_odd = rounded(p, k, true, true);
    if (even == 0 && minus_even == 0 && odd == 2 && minus_odd == 2) {
        return "to nearest, ties to even";
    }
    if (even == 0 && minus_even == 0 && odd == 1 && minus_odd == 1) {
        return "toward zero";
    }
    if (even == 1 && minus_even == 1 && odd == 1 && minus_odd == 1) {
        return "to odd";
    }
    return even == 0 && minus_even == 1 && odd == 1 && minus_odd == 2 ? "down"
                                                                      : "not the same every time";
}

// ---- the whole ----------------------------------------------------------------------------------

static void report_ones(probe *p)
{
    fp8mac_acc acc = {0};
    const term one = plus(p, 0);
    for (unsigned i = 0; i < ONES; i++) {
        step(p, &acc, &one, 1);
    }
    fprintf(p->c->out, "%-30s %.9g\n", "sum of 65536 ones, a step each", read_out(p, &acc));
}

static void report(probe *p)
{
    unsigned group = p->config.group == 0 ? 1 : p->config.group;
    fprintf(p->c->out, "2^k + 1 - 2^k keeps the 1 for\n");
    if (group >= 3) {
        report_largest_k(p, "  within a step", within_step);
    } else {
        fprintf(p->c->out, "%-30s not possible with a group of %u\n", "  within a step", group);
    }
    if (group >= 5 && p->config.even_odd) {
        report_largest_k(p, "  within the even terms", within_half_step);
    }
    int k = report_largest_k(p, "  one term a step", across_steps);
    if (group >= 2) {
        report_largest_k(p, "  2^k kept, 1 - 2^k in a step", into_step);
    }
    if (k > 0 && p->high - k - 1 >= p->low) {
        fprintf(p->c->out, "%-30s %s\n", "a lost bit is rounded", rounding_seen(p, k));
    }
    if (p->reached[ZERO] && p->high >= 0) {
        report_ones(p);
    }
}

void cli_probe(cli *c, int argc, char **argv)
{
    const cli_option options[] = {{0}};
    settings s;
    settings_init(&s);
    cli_operands operands = cli_arguments(c, argc, argv, options, &s);
    if (operands.count != 0) {
        cli_fail(c, "'%.60s' is not an option; a configuration is given by --preset and settings",
                 operands.text[0]);
    }
    s.config.a.scale_exp = s.config.b.scale_exp = 0;
    options_check(c, &s);
    probe *p = cli_alloc(c, 1, sizeof *p);
    p->c = c;
    p->config = s.config;
    p->config.lscale = 0;
    find_powers(p);
    if (!find_range(p)) {
        cli_fail(c, "%s x %s has too few powers of two to probe with", s.a_format.name,
                 s.b_format.name);
    }
    fputs("probe of", c->out);
    for (size_t i = 0; i < settings_count(); i++) {
        char value[64];
        if (settings_value(&p->config, i, value, sizeof value)) {
            fprintf(c->out, " %s=%s", settings_name(i), value);
        }
    }
    fputc('\n', c->out);
    report(p);
}
