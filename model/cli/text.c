// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- reading ------------------------------------------------------------------------------------

typedef struct text {
    cli *c;
    const char *origin;
    const char *at, *end;
    size_t line;
    const fp8mac_format *codes;
    array *to;
    size_t room;
    bool is_codes; // of the first element on
} text;

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\r' || ch == ',';
}

static bool is_code_token(const char *token)
{
    size_t digits = strspn(token, "0123456789abcdefABCDEFxX");
    return token[0] == '0' && (token[1] == 'x' || token[1] == 'X') && token[digits] == '\0';
}

static void append(text *t, const void *element, unsigned bytes)
{
    array *a = t->to;
    if (a->count == t->room) {
        t->room = t->room == 0 ? 64 : 2 * t->room;
        a->data = cli_grow(t->c, a->data, t->room, bytes);
    }
    memcpy((char *)a->data + a->count++ * bytes, element, bytes);
}

static void append_code(text *t, uint32_t code)
{
    uint8_t u1 = (uint8_t)code;
    uint16_t u2 = (uint16_t)code;
    unsigned bytes = array_element_bytes(t->codes);
    append(t, bytes == 1 ? (void *)&u1 : bytes == 2 ? (void *)&u2 : (void *)&code, bytes);
}

// "0x" and the digits of one code or of several.
static void take_codes(text *t, const char *token)
{
    if (t->codes == NULL) {
        cli_fail(t->c, "%s, line %zu: '%.40s' is a code; name its format with --from FORMAT",
                 t->origin, t->line, token);
    }
    size_t digits = strlen(token + 2), each = 2 * (size_t)array_element_bytes(t->codes);
    if (digits == 0 || digits % each != 0 ||
        strspn(token + 2, "0123456789abcdefABCDEF") != digits) {
        cli_fail(t->c,
                 "%s, line %zu: '%.40s' is not whole codes; one of %s has %zu hexadecimal digits",
                 t->origin, t->line, token, t->codes->name, each);
    }
    for (const char *digit = token + 2; *digit != '\0'; digit += each) {
        char one[9] = "";
        memcpy(one, digit, each);
        uint32_t code = (uint32_t)strtoul(one, NULL, 16);
        unsigned bits = fp8mac_format_bits(t->codes);
        if (bits < 32 && code >> bits != 0) {
            cli_fail(t->c, "%s, line %zu: 0x%s is no code of %s, which has %u bits", t->origin,
                     t->line, one, t->codes->name, bits);
        }
        append_code(t, code);
    }
}

static void take_value(text *t, const char *token)
{
    char *end;
    double x = strtod(token, &end);
    if (end == token || *end != '\0' || isspace((unsigned char)token[0])) {
        cli_fail(t->c, "%s, line %zu: '%.40s' is not a number", t->origin, t->line, token);
    }
    append(t, &x, 8);
}

static void take_token(text *t, const char *begin, size_t length)
{
    char token[4096];
    if (length >= sizeof token) {
        cli_fail(t->c, "%s, line %zu: '%.40s...' is too long for a number", t->origin, t->line,
                 begin);
    }
    memcpy(token, begin, length);
    token[length] = '\0';
    bool code = is_code_token(token);
    if (t->to->count != 0 && code != t->is_codes) {
        cli_fail(t->c, "%s, line %zu: '%.40s': codes and values are mixed", t->origin, t->line,
                 token);
    }
    t->is_codes = code;
    if (code) {
        take_codes(t, token);
    } else {
        take_value(t, token);
    }
}

// One line without its end. It may be empty. '#' begins a comment.
static void take_line(text *t)
{
    while (t->at < t->end && *t->at != '\n' && *t->at != ';' && *t->at != '#') {
        if (is_blank(*t->at)) {
            t->at++;
            continue;
        }
        const char *begin = t->at;
        while (t->at < t->end && !is_blank(*t->at) && strchr("\n;#", *t->at) == NULL) {
            t->at++;
        }
        if (memchr(begin, '\0', (size_t)(t->at - begin)) != NULL ||
            (t->at < t->end && *t->at == '\0')) {
            cli_fail(t->c, "%s, line %zu: this is not text", t->origin, t->line);
        }
        take_token(t, begin, (size_t)(t->at - begin));
    }
    while (t->at < t->end && *t->at == '#') {
        while (t->at < t->end && *t->at != '\n') {
            t->at++;
        }
    }
    t->at += t->at < t->end;
}

// All lines as the rows of one array. A single line, or one element per line, is a vector.
array text_parse(cli *c, const char *origin, const char *bytes, size_t size,
                 const fp8mac_format *codes)
{
    array a = {.origin = origin};
    text t = {.c = c, .origin = origin, .at = bytes, .end = bytes + size, .codes = codes, .to = &a};
    size_t rows = 0, columns = 0;
    while (t.at < t.end) {
        size_t before = a.count;
        t.line++;
        take_line(&t);
        size_t found = a.count - before;
        if (found == 0) {
            continue;
        }
        if (rows != 0 && found != columns) {
            cli_fail(c, "%s, line %zu has %zu numbers and the lines before it %zu", origin, t.line,
                     found, columns);
        }
        columns = found;
        rows++;
    }
    if (rows == 0) {
        cli_fail(c, "%s holds no numbers", origin);
    }
    a.format = t.is_codes ? codes : NULL;
    a.dims = rows == 1 || columns == 1 ? 1 : 2;
    a.shape[0] = a.dims == 1 ? a.count : rows;
    a.shape[1] = columns;
    a.column = rows > 1 && columns == 1;
    return a;
}

void text_parse_two(cli *c, const char *bytes, size_t size, const fp8mac_format *first,
                    const fp8mac_format *second, array arrays[2])
{
    text t = {.c = c, .origin = "standard input", .at = bytes, .end = bytes + size};
    for (int i = 0; i < 2; i++) {
        arrays[i] = (array){.origin = i == 0 ? "the first line" : "the second line", .dims = 1};
        t.to = &arrays[i];
        t.codes = i == 0 ? first : second;
        t.room = 0;
        while (t.at < t.end && arrays[i].count == 0) {
            t.line++;
            take_line(&t);
        }
        arrays[i].format = t.is_codes ? t.codes : NULL;
        arrays[i].shape[0] = arrays[i].count;
        if (arrays[i].count == 0) {
            cli_fail(c, "standard input needs two lines of numbers, A and B");
        }
    }
    array rest = {0};
    t.to = &rest;
    t.room = 0;
    while (t.at < t.end) {
        t.line++;
        take_line(&t);
        if (rest.count != 0) {
            cli_fail(c, "standard input has more than two lines of numbers");
        }
    }
}

// ---- writing ------------------------------------------------------------------------------------

static void write_element(FILE *to, const array *a, size_t i, bool codes)
{
    if (codes && a->format != NULL) {
        fprintf(to, "0x%0*x", (int)(2 * array_element_bytes(a->format)), array_code(a, i));
        return;
    }
    double x = array_value(a, i);
    if (x != x) {
        fputs("nan", to); // glibc prints a NaN's sign, others do not
    } else {
        fprintf(to, "%.*g", a->format == NULL ? 17 : 9, x);
    }
}

void text_write(FILE *to, const array *a, bool codes)
{
    size_t columns = a->dims == 0 || a->column ? 1 : a->shape[a->dims - 1];
    for (size_t i = 0; i < a->count; i++) {
        write_element(to, a, i, codes);
        fputc((i + 1) % columns == 0 ? '\n' : ' ', to);
    }
}
