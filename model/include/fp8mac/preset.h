// SPDX-License-Identifier: Apache-2.0
// Hardware as settings of fp8mac_dot_config: published processors and this project's own processing
// elements. NUMERICS.md has the table of published hardware with what each source says. The
// catalogue of elements, fp8mac/catalogue.h, is generated from the table that the RTL is generated
// from.
#ifndef FP8MAC_PRESET_H
#define FP8MAC_PRESET_H

#include "fp8mac/dot.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FP8MAC_ELEMENT_LANES_DEFAULT 4

typedef struct fp8mac_preset {
    const char *name;
    const char *summary;  // one sentence: what it computes
    const char *source;   // the document or program that says so
    const char *compared; // what this library's results were compared with
    // false: no public bit-accurate source is matched. `config` is all zero and `summary` gives the
    // reason.
    bool covered;
    // Valid as it is. The operand formats may be changed, and what `summary` says.
    fp8mac_dot_config config;
} fp8mac_preset;

// The number of presets. Their indices are 0 to count - 1.
size_t fp8mac_preset_count(void);
// The preset of that index. FP8MAC_ERR_NULL; FP8MAC_ERR_PRESET if there is none.
fp8mac_status fp8mac_preset_get(size_t index, fp8mac_preset *preset);

// The preset of that name. An element's name is its spelling: KIND, then _fF for F fraction bits of
// the alignment window, then _lL for L lanes; both suffixes may be left out. "late_fp16_f13_l16" is
// an element of 16 lanes. preset->name is then the kind alone. FP8MAC_ERR_NULL; FP8MAC_ERR_PRESET
// if the name is unknown or a suffix is malformed; otherwise as fp8mac_element_config.
fp8mac_status fp8mac_preset_by_name(const char *name, fp8mac_preset *preset);

// How an element of the array computes: `kind` is a fp8mac_element_kind, from fp8mac/catalogue.h; 1
// to 1024 lanes; fraction bits of the alignment window, where 0 is the kind's default. A kind
// without a choice takes 0 alone. The operands are e4m3fn, or int8 for the kind int8. Where the
// accumulator's format is chosen at run time it is FP32. The kind `static` gets the largest
// exponent of an e4m3fn product, 16, as its static_exponent. FP8MAC_ERR_NULL; FP8MAC_ERR_PRESET
// (kind); FP8MAC_ERR_GROUP (lanes); FP8MAC_ERR_ACCUMULATOR (frac_bits).
fp8mac_status fp8mac_element_config(uint32_t kind, unsigned lanes, unsigned frac_bits,
                                    fp8mac_dot_config *config);

#ifdef __cplusplus
}
#endif
#endif
