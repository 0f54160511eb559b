// SPDX-License-Identifier: Apache-2.0
// A configuration of the dot product as text: names and values of its fields, and why one is
// refused. Shared by the command-line tool, the Python package and the DPI package, so that a
// setting is spelled the same everywhere.
#ifndef FP8MAC_CLI_SETTINGS_H
#define FP8MAC_CLI_SETTINGS_H

#include "fp8mac/fp8mac.h"

// A configuration that owns its rows, which may have another bias than the table's, or be the
// caller's own. It must not be copied by assignment: config points into it.
typedef struct settings {
    fp8mac_dot_config config;
    fp8mac_format a_format, b_format;
} settings;

enum { SETTINGS_MESSAGE = 512 }; // bytes that hold every sentence that is written here

// group 1, FP32, exact, both operands e4m3fn.
void settings_init(settings *s);
// The preset's configuration; its rows stay the table's.
void settings_from(settings *s, const fp8mac_dot_config *config);

// What follows returns false for what it refuses and writes a sentence to message (of
// SETTINGS_MESSAGE bytes).

// NAME or NAME:BIAS.
bool settings_format(fp8mac_format *format, const char *text, char *message);
// The preset of that name, with the suffixes of an element's spelling.
bool settings_preset(fp8mac_preset *preset, const char *name, char *message);
// A field of fp8mac_dot_config by its name, '-' and '_' being the same; "format" sets both formats,
// "preset" everything.
bool settings_set(settings *s, const char *name, const char *value, char *message);
// fp8mac_dot_config_validate, in a sentence that says which setting and what would be right.
bool settings_check(const settings *s, char *message);
bool settings_rounding(fp8mac_rounding *rounding, const char *text, char *message);
bool settings_overflow(fp8mac_overflow *overflow, const char *text, char *message);
// fp8mac_convert_mode_validate likewise; `rounding` may be stochastic.
bool settings_check_mode(const fp8mac_format *format, fp8mac_convert_mode mode,
                         unsigned random_bits, char *message);
// A float that is finite and greater than zero.
bool settings_scale(float scale, const char *what, char *message);
// The whole text is one unsigned number, decimal or 0x, of at most `most`.
bool settings_number(const char *text, uint64_t most, uint64_t *number);

// ---- to list them -------------------------------------------------------------------------------

size_t settings_count(void);
const char *settings_name(size_t i);
const char *settings_help(size_t i);
// The value of setting i as settings_set reads it; true if it is not the default, which is a
// setting of zero.
bool settings_value(const fp8mac_dot_config *config, size_t i, char *text, size_t size);
// "e4m3fn, e5m2, ..." of all rows, the presets' names likewise.
void settings_format_names(char *text, size_t size);
void settings_preset_names(char *text, size_t size);
const char *settings_acc_name(fp8mac_acc_format acc);

#endif
