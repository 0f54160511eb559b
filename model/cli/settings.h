// SPDX-License-Identifier: Apache-2.0
// A configuration of the dot product as text: names and values of its fields, and the reason for a
// refusal. The command-line tool, the Python package and the DPI package share it, so a setting is
// spelled the same everywhere.
#ifndef FP8MAC_CLI_SETTINGS_H
#define FP8MAC_CLI_SETTINGS_H

#include "fp8mac/fp8mac.h"

// For the lists of fp8mac/codes.h: the words alone
#define OPTIONS_WORD(word, code) word,

// A configuration that owns its two formats. They may have another bias than the table's, or be the
// caller's own. It must not be copied by assignment, because `config` points to these formats.
typedef struct settings {
    fp8mac_dot_config config;
    fp8mac_format a_format, b_format;
} settings;

enum { SETTINGS_MESSAGE = 512 }; // bytes that hold every sentence that is written here

// The default: group 1, FP32, exact, both operands e4m3fn.
void settings_init(settings *s);
// A copy of `config` and of its two formats.
void settings_from(settings *s, const fp8mac_dot_config *config);

// The functions below return false if they refuse an argument. They then write one sentence to
// `message`, which has SETTINGS_MESSAGE bytes.

// `text` is NAME or NAME:BIAS.
bool settings_format(fp8mac_format *format, const char *text, char *message);
// The preset of that name, with the suffixes of an element's spelling.
bool settings_preset(fp8mac_preset *preset, const char *name, char *message);
// Sets the field `name` of fp8mac_dot_config; '-' and '_' are equivalent. "format" sets both
// formats, "preset" sets everything.
bool settings_set(settings *s, const char *name, const char *value, char *message);
// fp8mac_dot_config_validate, with a sentence that names the setting and its legal values.
bool settings_check(const settings *s, char *message);
bool settings_rounding(fp8mac_rounding *rounding, const char *text, char *message);
bool settings_generator(fp8mac_generator *generator, const char *text, char *message);
bool settings_overflow(fp8mac_overflow *overflow, const char *text, char *message);
// fp8mac_convert_mode_validate likewise; `rounding` may be stochastic.
bool settings_check_mode(const fp8mac_format *format, fp8mac_convert_mode mode,
                         unsigned random_bits, fp8mac_generator generator, char *message);
// K is within what the accumulator sums without overflow.
bool settings_check_k(const settings *s, size_t k, char *message);
// The format is one of those that a GEMM takes for C (`is_c`) or gives for D.
bool settings_check_format(const fp8mac_format *format, bool is_c, char *message);
// A float that is finite and greater than zero.
bool settings_scale(float scale, const char *what, char *message);
// The whole text is one unsigned number, decimal or 0x, of at most `most`.
bool settings_number(const char *text, uint64_t most, uint64_t *number);

// ---- to list them -------------------------------------------------------------------------------

size_t settings_count(void);
const char *settings_name(size_t i);
const char *settings_help(size_t i);
// Writes the value of setting i as settings_set reads it. True if it differs from the default,
// which is zero.
bool settings_value(const fp8mac_dot_config *config, size_t i, char *text, size_t size);
// Lists the names of all formats, "e4m3fn, e5m2, ...", or of all presets.
void settings_format_names(char *text, size_t size);
void settings_preset_names(char *text, size_t size);
const char *settings_acc_name(fp8mac_acc_format acc);

#endif
