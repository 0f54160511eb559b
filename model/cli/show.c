// SPDX-License-Identifier: Apache-2.0
// The subcommands show, table, formats and presets.
#include <string.h>

#include "cli.h"

enum { VALUE_TEXT = 400 };

static const char *const class_names[] = {"zero", "finite", "inf", "nan"};

static fp8mac_format format_named(cli *c, const char *name)
{
    fp8mac_format format;
    char message[SETTINGS_MESSAGE];
    if (!settings_format(&format, name, message)) {
        cli_fail(c, "%s", message);
    }
    return format;
}

// "s.eeee.mmm"
static void bits_text(const fp8mac_format *format, uint32_t code, char *text)
{
    unsigned bits = fp8mac_format_bits(format);
    for (unsigned i = bits; i-- > 0;) {
        *text++ = (char)('0' + (code >> i & 1));
        bool exponent_ends = i == format->mantissa_bits && format->exponent_bits != 0 && i != 0;
        if (i != 0 && (exponent_ends || (format->is_signed && i == bits - 1))) {
            *text++ = '.';
        }
    }
    *text = '\0';
}

static uint32_t parse_code(cli *c, const fp8mac_format *format, const char *text)
{
    uint64_t code;
    unsigned bits = fp8mac_format_bits(format);
    bool hex = strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0;
    if (hex && strlen(text + 2) % 2 != 0) {
        cli_fail(c, "'%.60s' has an odd number of hexadecimal digits; a code of %s has %u", text,
                 format->name, 2 * fp8mac_format_bytes(format));
    }
    if (!settings_number(text, UINT32_MAX, &code)) {
        cli_fail(c, "'%.60s' is not a code: 0x and hexadecimal digits, or a decimal number", text);
    }
    if (bits < 32 && code >> bits != 0) {
        cli_fail(c, "'%.60s' is no code of %s, which has %u bits", text, format->name, bits);
    }
    return (uint32_t)code;
}

static void show_one(cli *c, const fp8mac_format *format, uint32_t code)
{
    char bits[64], decimal[VALUE_TEXT], hex[VALUE_TEXT];
    fp8mac_value value = fp8mac_decode(format, code);
    fp8mac_record record = fp8mac_record_of(format, code);
    bits_text(format, code, bits);
    fp8mac_value_text(value, FP8MAC_TEXT_DECIMAL, decimal, sizeof decimal);
    fp8mac_value_text(value, FP8MAC_TEXT_HEX, hex, sizeof hex);
    fprintf(c->out, "format       %s\n", format->name);
    fprintf(c->out, "code         0x%0*x\n", (int)(2 * fp8mac_format_bytes(format)), record.code);
    fprintf(c->out, "bits         %s\n", bits);
    fprintf(c->out, "class        %s%s\n", record.subnormal ? "subnormal " : "",
            class_names[record.cls]);
    fprintf(c->out, "sign         %c\n", record.sign ? '-' : '+');
    if (record.cls == FP8MAC_CLASS_FINITE) {
        fprintf(c->out, "exponent     %d\n", record.exponent);
        fprintf(c->out, "significand  %llu * 2^%d\n", (unsigned long long)record.significand,
                value.exponent);
    }
    fprintf(c->out, "value        %s\n", decimal);
    if (record.cls == FP8MAC_CLASS_FINITE || record.cls == FP8MAC_CLASS_ZERO) {
        fprintf(c->out, "             %s\n", hex);
    }
}

void cli_show(cli *c, int argc, char **argv)
{
    const cli_option options[] = {{0}};
    cli_operands operands = cli_arguments(c, argc, argv, options, NULL);
    if (operands.count < 2) {
        cli_fail(c, "give a format and at least one code, as in: fp8mac show e4m3fn 0x7e");
    }
    fp8mac_format format = format_named(c, operands.text[0]);
    for (size_t i = 1; i < operands.count; i++) {
        parse_code(c, &format, operands.text[i]);
    }
    for (size_t i = 1; i < operands.count; i++) {
        fputs(i > 1 ? "\n" : "", c->out);
        show_one(c, &format, parse_code(c, &format, operands.text[i]));
    }
}

void cli_table(cli *c, int argc, char **argv)
{
    const cli_option options[] = {{0}};
    cli_operands operands = cli_arguments(c, argc, argv, options, NULL);
    if (operands.count != 1) {
        cli_fail(c, "one format is needed");
    }
    fp8mac_format format = format_named(c, operands.text[0]);
    unsigned bits = fp8mac_format_bits(&format);
    if (bits > 16) {
        cli_fail(c, "%s has 2^%u codes; only formats of at most 16 bits have a table", format.name,
                 bits);
    }
    for (uint32_t code = 0; code >> bits == 0; code++) {
        char pattern[64], value[VALUE_TEXT];
        bits_text(&format, code, pattern);
        fp8mac_value_text(fp8mac_decode(&format, code), FP8MAC_TEXT_DECIMAL, value, sizeof value);
        fprintf(c->out, "0x%0*x  %s  %s\n", (int)(2 * fp8mac_format_bytes(&format)), code, pattern,
                value);
    }
}

// ---- formats ------------------------------------------------------------------------------------

static void power_text(int32_t exponent, char *text, size_t size)
{
    snprintf(text, size, "2^%d", exponent);
}

static void format_line(cli *c, const fp8mac_format *format)
{
    static const char *const nans[] = {"none", "ieee", "all-ones", "code of -0"};
    char layout[16], max[VALUE_TEXT], least[24];
    snprintf(layout, sizeof layout, "%u.%u.%u", format->is_signed, format->exponent_bits,
             format->mantissa_bits);
    fp8mac_value largest = fp8mac_decode(format, fp8mac_format_max_code(format));
    double x = fp8mac_value_to_double(largest);
    snprintf(max, sizeof max, "%.9g", x);
    fp8mac_value smallest = fp8mac_decode(format, 1);
    bool zero_less = fp8mac_decode(format, 0).cls == FP8MAC_CLASS_FINITE;
    smallest = zero_less ? fp8mac_decode(format, 0) : smallest;
    if (smallest.significand != 0 && (smallest.significand & (smallest.significand - 1)) == 0) {
        int32_t exponent = smallest.exponent;
        for (uint64_t s = smallest.significand; s > 1; s >>= 1) {
            exponent++;
        }
        power_text(exponent, least, sizeof least);
    } else {
        snprintf(least, sizeof least, "%.6g", fp8mac_value_to_double(smallest));
    }
    fprintf(c->out, "%-14s %-7s %5d  %-15s %-12s %-4s %-11s %s\n", format->name, layout,
            format->bias, max, least, format->has_inf ? "yes" : "no", nans[format->nan_encoding],
            format->has_negative_zero ? "yes" : "no");
}

void cli_formats(cli *c, int argc, char **argv)
{
    const cli_option options[] = {{0}};
    cli_operands operands = cli_arguments(c, argc, argv, options, NULL);
    for (size_t i = 0; i < operands.count; i++) {
        format_named(c, operands.text[i]);
    }
    fprintf(c->out, "%-14s %-7s %5s  %-15s %-12s %-4s %-11s %s\n", "name", "s.e.m", "bias",
            "largest", "smallest", "inf", "nan", "-0");
    for (size_t i = 0; i < operands.count; i++) {
        fp8mac_format format = format_named(c, operands.text[i]);
        format_line(c, &format);
    }
    for (unsigned id = 0; operands.count == 0 && id < FP8MAC_FORMAT_COUNT; id++) {
        format_line(c, fp8mac_format_get((fp8mac_format_id)id));
    }
}

// ---- presets ------------------------------------------------------------------------------------

static void preset_block(cli *c, const char *name, const fp8mac_preset *preset)
{
    fprintf(c->out, "%s\n    %s\n", name, preset->summary);
    if (preset->covered) {
        fputs("   ", c->out);
        for (size_t i = 0; i < settings_count(); i++) {
            char value[64];
            if (settings_value(&preset->config, i, value, sizeof value)) {
                fprintf(c->out, " %s=%s", settings_name(i), value);
            }
        }
        fputc('\n', c->out);
    }
    fprintf(c->out, "    %s\n", preset->source);
    fprintf(c->out, "    compared with: %s\n", preset->compared);
}

void cli_presets(cli *c, int argc, char **argv)
{
    const cli_option options[] = {{0}};
    cli_operands operands = cli_arguments(c, argc, argv, options, NULL);
    char message[SETTINGS_MESSAGE];
    fp8mac_preset preset;
    for (size_t i = 0; i < operands.count; i++) {
        if (!settings_preset(&preset, operands.text[i], message)) {
            cli_fail(c, "%s", message);
        }
    }
    for (size_t i = 0; i < operands.count; i++) {
        settings_preset(&preset, operands.text[i], message);
        preset_block(c, operands.text[i], &preset);
    }
    for (size_t i = 0; operands.count == 0 && fp8mac_preset_get(i, &preset) == FP8MAC_OK; i++) {
        preset_block(c, preset.name, &preset);
    }
}
