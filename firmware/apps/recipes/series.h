// SPDX-License-Identifier: Apache-2.0
// A seeded series of GEMMs whose outputs change their range from step to step. A has
// gains: the scales of its rows. Rows of one tensor differ by powers of two, as the
// channels of an activation do.
#ifndef SERIES_H
#define SERIES_H

#include "fp8rt/trial.h"

// An output is SERIES_ROWS x SERIES_COLS: each row is one MX block.
enum { SERIES_ROWS = 8, SERIES_COLS = FP8MAC_MX_BLOCK, SERIES_K = 64, SERIES_CALIBRATION = -1 };

typedef struct series_drift {
    const char *name;
    const char *meaning;
    // The gain of all rows, and what one row has beyond it; both in quarters of a binade.
    int32_t (*level)(int32_t step, int32_t steps);
    int32_t (*outlier)(int32_t step);
} series_drift;

extern const series_drift series_drifts[];
extern const uint32_t series_drift_count;

typedef struct series {
    fp8rt_device *dev;
    uint8_t *a, *b; // codes of A and B; B is the same in all steps
    float *gains;   // of A's rows
    float *t;       // SERIES_ROWS x SERIES_COLS, what is to be quantised
    uint8_t *codes; // the same, quantised
    float *scales;  // one for each row
    uint8_t *mx;    // the same as E8M0 codes, a beat from row to row
} series;

// FP8RT_ERR_SCRATCH: the arena is too small.
fp8rt_status series_open(series *s, fp8rt_device *dev, fp8rt_arena *arena);
// A and the gains of a step. SERIES_CALIBRATION is a step before all others, without drift.
void series_draw(series *s, const series_drift *drift, int32_t step, int32_t steps);
// The GEMM with D in FP32: s->t.
fp8rt_status series_values(series *s, fp8rt_gemm_result *result);
// The GEMM with D in FP8: s->codes = convert(t * scale).
fp8rt_status series_codes(series *s, fp8mac_format_id format, fp8mac_overflow overflow,
                          const float *scale, fp8rt_gemm_result *result);
// The codes of s->t as MX blocks, and their scales.
fp8rt_status series_blocks(series *s, fp8mac_format_id format);
// The same codes from s->t, whose rows have the scales s->scales.
fp8rt_status series_convert(series *s, fp8mac_format_id format, fp8mac_overflow overflow);

#endif
