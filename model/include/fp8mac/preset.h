// SPDX-License-Identifier: Apache-2.0
// Published hardware as settings of fp8mac_dot_config. NUMERICS.md has the table with what each source says.
#ifndef FP8MAC_PRESET_H
#define FP8MAC_PRESET_H

#include "fp8mac/dot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8mac_preset {
    const char *name;
    const char *summary; // one sentence: what it computes
    const char *source;  // where that is known from
    bool
        covered; // false: no public bit-accurate source is matched; `config` is all zero, `summary` says why
    fp8mac_dot_config
        config; // valid as it is; the operand formats, and what `summary` says, may be changed
} fp8mac_preset;

// The preset of that index from 0, or NULL past the last one. Presets live for the whole program.
const fp8mac_preset *fp8mac_preset_get(size_t index);
// The preset of that name, or NULL.
const fp8mac_preset *fp8mac_preset_by_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
