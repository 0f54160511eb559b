// SPDX-License-Identifier: Apache-2.0
#include "npy.h"

#include <string.h>

static const char magic[6] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y'};
enum { ALIGNMENT = 64 };

bool npy_is(const char *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

char *npy_read_all(cli *c, FILE *from, const char *origin, size_t *size)
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

// ---- the header, a Python dictionary ------------------------------------------------------------

typedef struct header {
    cli *c;
    const char *origin;
    const char *at, *end;
    char descr[8];
    bool has_descr, has_order, has_shape;
    array *a;
} header;

static _Noreturn void malformed(const header *h, const char *what)
{
    cli_fail(h->c, "%.200s is no .npy file that can be read: %s", h->origin, what);
}

static void skip_space(header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t')) {
        h->at++;
    }
}

static bool take(header *h, const char *what)
{
    skip_space(h);
    size_t n = strlen(what);
    if ((size_t)(h->end - h->at) < n || memcmp(h->at, what, n) != 0) {
        return false;
    }
    h->at += n;
    return true;
}

static void expect(header *h, const char *what)
{
    if (!take(h, what)) {
        malformed(h, "its header is not the dictionary that it should be");
    }
}

static void take_descr(header *h)
{
    expect(h, "'");
    size_t n = 0;
    while (h->at < h->end && *h->at != '\'' && n + 1 < sizeof h->descr) {
        h->descr[n++] = *h->at++;
    }
    h->descr[n] = '\0';
    expect(h, "'");
    h->has_descr = true;
}

static void take_order(header *h)
{
    if (take(h, "True")) {
        malformed(h, "it is in Fortran order; numpy.ascontiguousarray gives C order");
    }
    expect(h, "False");
    h->has_order = true;
}

static size_t take_dimension(header *h)
{
    size_t n = 0;
    const char *begin = h->at;
    for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++) {
        if (n > SIZE_MAX / 20) {
            malformed(h, "its shape is too large");
        }
        n = 10 * n + (size_t)(*h->at - '0');
    }
    if (h->at == begin) {
        malformed(h, "its shape is not a tuple of numbers");
    }
    return n;
}

static void take_shape(header *h)
{
    array *a = h->a;
    expect(h, "(");
    for (a->dims = 0; !take(h, ")"); a->dims++) {
        if (a->dims == ARRAY_DIMS) {
            malformed(h, "it has more than 8 dimensions");
        }
        skip_space(h);
        a->shape[a->dims] = take_dimension(h);
        if (!take(h, ",")) {
            expect(h, ")");
            a->dims++;
            break;
        }
    }
    h->has_shape = true;
}

static void take_header(header *h)
{
    expect(h, "{");
    while (!take(h, "}")) {
        if (take(h, "'descr'")) {
            expect(h, ":");
            take_descr(h);
        } else if (take(h, "'fortran_order'")) {
            expect(h, ":");
            take_order(h);
        } else {
            expect(h, "'shape'");
            expect(h, ":");
            take_shape(h);
        }
        if (!take(h, ",")) {
            expect(h, "}");
            break;
        }
    }
    if (!h->has_descr || !h->has_order || !h->has_shape) {
        malformed(h, "its header lacks descr, fortran_order or shape");
    }
}

// ---- the types ----------------------------------------------------------------------------------

typedef struct element {
    const char *descr;
    unsigned bytes;
    int id; // format of the values, or CODES, or DOUBLES
} element;

enum { CODES = -1, DOUBLES = -2 };

// NumPy writes ml_dtypes' one-byte types as V1 or f1. They are codes.
static const element elements[] = {
    {"|u1", 1, CODES},   {"<u1", 1, CODES}, {"|V1", 1, CODES},       {"<V1", 1, CODES},
    {"<f1", 1, CODES},   {"|f1", 1, CODES}, {"<u2", 2, CODES},       {"<V2", 2, CODES},
    {"|V2", 2, CODES},   {"<u4", 4, CODES}, {"<f2", 2, FP8MAC_FP16}, {"<f4", 4, FP8MAC_FP32},
    {"<f8", 8, DOUBLES},
};

static const element *element_of(const header *h)
{
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        if (strcmp(h->descr, elements[i].descr) == 0) {
            return &elements[i];
        }
    }
    cli_fail(h->c,
             "%.200s holds elements of type '%s'; codes must be u1 (u2, u4), values little-endian "
             "f2, f4 or f8",
             h->origin, h->descr);
}

static const fp8mac_format *format_of(const header *h, const element *e, const fp8mac_format *codes)
{
    if (e->id == CODES) {
        if (codes == NULL) {
            cli_fail(h->c, "%.200s holds codes; --from says of which format", h->origin);
        }
        if (fp8mac_format_bytes(codes) != e->bytes) {
            cli_fail(h->c, "%.200s holds %u-byte codes, and one of %s has %u", h->origin, e->bytes,
                     codes->name, fp8mac_format_bytes(codes));
        }
        return codes;
    }
    return e->id == DOUBLES ? NULL : fp8mac_format_get((fp8mac_format_id)e->id);
}

static void count_elements(const header *h, unsigned bytes, size_t available)
{
    array *a = h->a;
    size_t count = 1;
    bool empty = false;
    for (size_t i = 0; i < a->dims; i++) {
        empty = empty || a->shape[i] == 0;
    }
    for (size_t i = 0; i < a->dims && !empty; i++) {
        if (count > SIZE_MAX / 16 / a->shape[i]) {
            malformed(h, "its shape is too large");
        }
        count *= a->shape[i];
    }
    a->count = empty ? 0 : count;
    if (available != a->count * bytes) {
        cli_fail(h->c, "%.200s %s: its shape needs %zu bytes of data and it has %zu", h->origin,
                 available < a->count * bytes ? "is truncated" : "is too long", a->count * bytes,
                 available);
    }
}

static void check_codes(const header *h)
{
    const array *a = h->a;
    unsigned bits = a->format == NULL ? 0 : fp8mac_format_bits(a->format);
    for (size_t i = 0;
         a->format != NULL && bits < 8 * fp8mac_format_bytes(a->format) && i < a->count; i++) {
        if (array_code(a, i) >> bits != 0) {
            cli_fail(h->c, "%.200s, element %zu: 0x%x is no code of %s, which has %u bits",
                     h->origin, i, array_code(a, i), a->format->name, bits);
        }
    }
}

array npy_parse(cli *c, const char *origin, const char *bytes, size_t size,
                const fp8mac_format *codes)
{
    array a = {.origin = origin};
    header h = {.c = c, .origin = origin, .a = &a};
    unsigned version = size > 6 ? (unsigned char)bytes[6] : 0;
    size_t prefix = version == 1 ? 10 : 12, length = 0;
    if (size < prefix || version < 1 || version > 3) {
        malformed(&h, size < 12 ? "it is truncated" : "its version is not 1, 2 or 3");
    }
    for (size_t i = prefix; i-- > 8;) {
        length = length << 8 | (unsigned char)bytes[i];
    }
    if (length > size - prefix) {
        malformed(&h, "it is truncated within its header");
    }
    h.at = bytes + prefix;
    h.end = h.at + length;
    take_header(&h);
    const element *e = element_of(&h);
    a.format = format_of(&h, e, codes);
    count_elements(&h, e->bytes, size - prefix - length);
    a.data = cli_alloc(c, a.count, e->bytes);
    if (a.count != 0) {
        memcpy(a.data, bytes + prefix + length, a.count * e->bytes);
    }
    check_codes(&h);
    return a;
}

// ---- writing ------------------------------------------------------------------------------------

static const char *descr_of(const fp8mac_format *format)
{
    if (format == NULL) {
        return "<f8";
    }
    bool half = strcmp(format->name, "float16") == 0, single = strcmp(format->name, "float32") == 0;
    unsigned bytes = fp8mac_format_bytes(format);
    return half ? "<f2" : single ? "<f4" : bytes == 1 ? "|u1" : bytes == 2 ? "<u2" : "<u4";
}

void npy_write(FILE *to, const array *a)
{
    char text[512];
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                     descr_of(a->format));
    for (size_t i = 0; i < a->dims; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      a->dims == 1 ? "%zu,"
                      : i == 0     ? "%zu"
                                   : ", %zu",
                      a->shape[i]);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "), }");
    size_t length = (size_t)n + 1, total = 10 + length;
    size_t padding = (ALIGNMENT - total % ALIGNMENT) % ALIGNMENT;
    length += padding;
    fwrite(magic, 1, sizeof magic, to);
    fputc(1, to);
    fputc(0, to);
    fputc((int)(length & 0xff), to);
    fputc((int)(length >> 8), to);
    fwrite(text, 1, (size_t)n, to);
    fprintf(to, "%*s\n", (int)padding, "");
    fwrite(a->data, a->format == NULL ? 8 : fp8mac_format_bytes(a->format), a->count, to);
}
