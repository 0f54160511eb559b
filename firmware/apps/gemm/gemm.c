// SPDX-License-Identifier: Apache-2.0
//: One scaled GEMM of any shape and format on seeded data. Every output is compared with the golden
//: model. A value that is not possible is refused with the list of possible ones.
//: M=         rows of A and D: 1 to 65536 (64)
//: N=         rows of B, columns of D: 1 to 65536 (64)
//: K=         products of one output: 1 to 65536 (64)
//: A=         format of A: e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, e3m2fn, e2m3fn or e2m1fn (e4m3fn);
//:            int8 with int8 elements
//: B=         format of B: the same choice (e4m3fn)
//: D=         format of D: float32, float16, bfloat16, an FP8 format or int8 (float32)
//: ACC=       accumulator: fp32, fp16, fixed or int32, if the element has it (its first)
//: SA=        A is scaled by 2^SA: -32 to 32 (0); 0 with int8 elements
//: SB=        B is scaled by 2^SB: -32 to 32 (0); 0 with int8 elements
//: SCALE=     FP32 scales: none, tensor or vector, one for each row of A and B (none)
//: BIAS=      1: a bias is added to each column of D (0)
//: MX=        1: A and B have MX scales, one for each 32 codes of a row (0)
//: ACT=       activation, such as relu; clamp has the bounds -2 .. 6 (none)
//: OVERFLOW=  of D: saturate, saturate_finite or ieee (saturate)
//: SEED=      seed of the data (1)
//: DATA=      operands: finite (near 1), wide (all magnitudes) or codes (all codes) (finite)
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gemm_options.h"

static fp8rt_device dev;

static const char *format_name(fp8mac_format_id id)
{
    return fp8mac_format_get(id)->name;
}

static void print_head(const fp8rt_trial *trial)
{
    const fp8rt_caps *caps = &dev.caps;
    printf("gemm          %" PRIu32 " x %" PRIu32 " x %" PRIu32 " on an array of %u x %u x %u\n",
           trial->m, trial->n, trial->k, caps->rows, caps->cols, caps->lanes);
    fp8rt_app_print_element(caps);
    printf("formats       A %s, B %s, accumulator %s, D %s\n", format_name(trial->a.format),
           format_name(trial->b.format), gemm_accumulator_name(trial->acc_format),
           format_name(trial->d_format));
}

static void print_plan(const fp8rt_gemm_plan *plan, uint32_t cycles)
{
    const fp8rt_gemm_tiles *tiles = &plan->tiles;
    printf("tiles         %u x %u x %u, %" PRIu32 " tile commands\n", tiles->m, tiles->n, tiles->k,
           tiles->commands);
    if (!fp8rt_app_is_host) {
        printf("planning      %" PRIu32 " cycles of the core, before the GEMM\n", cycles);
    }
}

static void print_counters(const fp8rt_counters *c, uint64_t run_cycles)
{
    char macs[21];
    printf("macs          %s\n", fp8rt_app_decimal(c->macs, macs));
    if (c->cycles != 0) {
        fp8rt_app_print_utilisation(&dev.caps, c, run_cycles);
        printf("cycles        %" PRIu32 " of the GEMM\n", c->cycles);
#define PRINT_PART(field, meaning) printf("  %-12s%9" PRIu32 " %s\n", #field, c->field, meaning);
        FP8RT_CYCLE_PARTS(PRINT_PART)
#undef PRINT_PART
    } else {
        printf("cycles        none: the golden model has no clock\n");
    }
    printf("bus beats     %" PRIu32 " read, %" PRIu32 " written\n", c->read_beats, c->write_beats);
}

// A finite value that is not negative, to four decimals (truncated), and its bits.
static void print_fp32(uint32_t bits)
{
    enum { SIG_BITS = 23, UNIT = 10000 };
    int exponent = (int)(bits >> SIG_BITS) - (127 + SIG_BITS);
    uint64_t units = (uint64_t)((bits & 0x7fffffu) | 0x800000u) * UNIT; // 38 bits
    char text[21];
    units = exponent < -60   ? 0
            : exponent < 0   ? units >> -exponent
            : exponent <= 24 ? units << exponent
                             : 0;
    if (exponent <= 24) {
        printf("%s.%04u, ", fp8rt_app_decimal(units / UNIT, text), (unsigned)(units % UNIT));
    }
    printf("0x%08" PRIx32, bits);
}

static void print_observed(const fp8rt_gemm_result *result)
{
    static const char *const names[] = {"invalid", "overflow", "saturated", "nan"};
    uint32_t amax;
    memcpy(&amax, &result->amax, sizeof amax);
    printf("amax          ");
    print_fp32(amax);
    printf("%s\n", result->amax_nonfinite ? ", and outputs that are not finite" : "");
    printf("flags        ");
    for (unsigned i = 0; i < 4; i++) {
        if (result->flags >> i & 1u) {
            printf(" %s", names[i]);
        }
    }
    printf("%s\n", result->flags == 0 ? " none" : "");
}

static int report(const fp8rt_trial *trial, const fp8rt_trial_outcome *outcome, uint64_t run_cycles)
{
    uint32_t outputs = trial->m * trial->n;
    uint32_t equal = outcome->differing < outputs ? outputs - outcome->differing : 0;
    print_plan(&outcome->plan, outcome->plan_cycles);
    printf("outputs       %" PRIu32 " compared, %" PRIu32 " equal\n", outputs, equal);
    print_counters(&outcome->result.counters, run_cycles);
    print_observed(&outcome->result);
    if (outcome->overwritten != 0) {
        printf("%" PRIu32 " bytes between rows of D were written\n", outcome->overwritten);
    }
    return fp8rt_trial_passed(outcome) ? 0 : 1;
}

int main(int argc, char **argv)
{
    fp8rt_trial trial;
    const uint64_t start = fp8rt_app_cycles();
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status == FP8RT_OK) {
        if (!gemm_options_parse(argc, argv, &dev.caps.element, &trial)) {
            return 2;
        }
        print_head(&trial);
        fp8rt_trial_outcome outcome = fp8rt_trial_run(&dev, &trial, fp8rt_app_arena());
        if (outcome.status == FP8RT_OK) {
            return report(&trial, &outcome, fp8rt_app_cycles() - start);
        }
        status = outcome.status;
    }
    printf("gemm: %s\n", status == FP8RT_ERR_SCRATCH ? "the matrices do not fit in memory"
                                                     : fp8rt_status_string(status));
    return 1;
}
