// SPDX-License-Identifier: Apache-2.0
#include "array_io.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

// ---- reading ------------------------------------------------------------------------------------

// A whole stream, followed by a NUL.
static char *read_all(cli *c, FILE *from, const char *origin, size_t *size)
{
    size_t room = 1 << 16, used = 0;
    char *bytes = cli_alloc(c, room + 1, 1);
    for (size_t got; (got = fread(bytes + used, 1, room - used, from)) > 0;) {
        used += got;
        if (used == room) {
            room *= 2;
            bytes = cli_grow(c, bytes, room + 1, 1);
        }
    }
    if (ferror(from)) {
        cli_fail(c, "%.200s could not be read", origin);
    }
    // No larger, so that a sanitizer sees what reads beyond
    bytes = cli_grow(c, bytes, used + 1, 1);
    bytes[used] = '\0';
    *size = used;
    return bytes;
}

static bool is_inline(const char *operand)
{
    char *end;
    strtod(operand, &end);
    return end != operand &&
           (*end == '\0' || strchr(",; xX", *end) != NULL || isxdigit((unsigned char)*end));
}

array array_read(cli *c, const char *operand, const fp8mac_format *codes)
{
    size_t size;
    if (strcmp(operand, "-") == 0) {
        char *bytes = read_all(c, c->in, "standard input", &size);
        return text_parse(c, "standard input", bytes, size, codes);
    }
    c->open = fopen(operand, "rb");
    if (c->open != NULL) {
        char *bytes = read_all(c, c->open, operand, &size);
        fclose(c->open);
        c->open = NULL;
        return text_parse(c, operand, bytes, size, codes);
    }
    if (!is_inline(operand)) {
        cli_fail(c, "'%.200s' is neither a number nor a file that can be read (%s)", operand,
                 strerror(errno));
    }
    return text_parse(c, "the argument", operand, strlen(operand), codes);
}

void array_read_two(cli *c, const fp8mac_format *first, const fp8mac_format *second,
                    array arrays[2])
{
    size_t size;
    char *bytes = read_all(c, c->in, "standard input", &size);
    text_parse_two(c, bytes, size, first, second, arrays);
}

// ---- writing ------------------------------------------------------------------------------------

static void refuse_npy(cli *c, const char *path)
{
    size_t length = strlen(path);
    if (length >= 4 && strcmp(path + length - 4, ".npy") == 0) {
        cli_fail(c,
                 "'%.200s' would be a NumPy file: this tool writes text, so name a text file or "
                 "use the Python package",
                 path);
    }
}

void array_write(cli *c, const array *a, const array_output *output)
{
    FILE *to = c->out;
    if (output->path != NULL) {
        refuse_npy(c, output->path);
        to = c->open = fopen(output->path, "wb");
        if (to == NULL) {
            cli_fail_output(c, "'%.200s' cannot be written: %s", output->path, strerror(errno));
        }
    }
    text_write(to, a, output->codes);
    bool failed = ferror(to) != 0;
    if (output->path != NULL) {
        c->open = NULL;
        failed = fclose(to) != 0 || failed;
    }
    if (failed) {
        cli_fail_output(c, "'%.200s' could not be written",
                        output->path != NULL ? output->path : "standard output");
    }
}

void array_report_flags(cli *c, fp8mac_flags flags)
{
    static const char *const names[] = {"invalid", "overflow", "saturated",
                                        "nan",     "inexact",  "underflow"};
    fputs("flags:", c->err);
    flags &= ~(fp8mac_flags)FP8MAC_FLAG_TRACK_INEXACT;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((flags >> i & 1) != 0) {
            fprintf(c->err, " %s", names[i]);
        }
    }
    fputs(flags == 0 ? " none\n" : "\n", c->err);
}
