// SPDX-License-Identifier: Apache-2.0
#include "layers_reader.h"

#include <ctype.h>
#include <string.h>

typedef struct values {
    uint64_t number[COLUMNS]; // 0: not there
    const char *layer;
    workload work; // without m, n and k
    bool convolves;
} values;

static uint64_t number_field(const reader *r, unsigned i, const char *text)
{
    uint64_t number = 0;
    const column which = r->columns[i];
    const uint64_t most = which == COUNT ? 1000000000000u : UINT32_MAX;
    const uint64_t least = which != PAD_Y && which != PAD_X;
    if (!isdigit((unsigned char)text[0]) || !settings_number(text, most, &number) ||
        number < least) {
        cli_fail(r->c, "%.200s:%u:%u: %s is '%.60s'; a whole number in %llu..%llu is expected",
                 r->path, r->line, i + 1u, layers_names[which], text, (unsigned long long)least,
                 (unsigned long long)most);
    }
    return number;
}

static bool operand_format(const char *name, fp8mac_format_id *id)
{
    static const fp8mac_format_id narrow[] = {FP8MAC_E3M2FN, FP8MAC_E2M3FN, FP8MAC_E2M1FN};
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
        if (strcmp(fp8mac_format_get(narrow[i])->name, name) == 0) {
            *id = narrow[i];
            return true;
        }
    }
    return layers_d_format(name, id) && fp8mac_format_bytes(fp8mac_format_get(*id)) == 1;
}

static _Noreturn void refuse_field(const reader *r, unsigned i, const char *text, const char *good)
{
    cli_fail(r->c, "%.200s:%u:%u: %s is '%.60s'; %s is expected", r->path, r->line, i + 1u,
             layers_names[r->columns[i]], text, good);
}

#define MATRIX_FORMATS "e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, float16, bfloat16, float32 or int8"

static void take_format(const reader *r, unsigned i, const char *text, workload *work)
{
    const column which = r->columns[i];
    if (which == FORMAT_A || which == FORMAT_B) {
        if (!operand_format(text, which == FORMAT_A ? &work->a_format : &work->b_format)) {
            refuse_field(r, i, text,
                         "e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, e3m2fn, e2m3fn, e2m1fn or int8");
        }
    } else if (which == FORMAT_D) {
        if (!layers_d_format(text, &work->d_format)) {
            refuse_field(r, i, text, MATRIX_FORMATS);
        }
    } else if (*text != '\0') {
        work->adds_c = true;
        if (!layers_d_format(text, &work->c_format)) {
            refuse_field(r, i, text, MATRIX_FORMATS ", or nothing where C is not added,");
        }
    }
}

static void take_field(const reader *r, unsigned i, char *text, values *v)
{
    const column which = r->columns[i];
    if (which == LAYER) {
        char *own = cli_alloc(r->c, strlen(text) + 1, 1);
        v->layer = strcpy(own, text);
    } else if (which == MX || which == VECTORS) {
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
            refuse_field(r, i, text, "0 or 1");
        }
        *(which == MX ? &v->work.mx : &v->work.vectors) = *text == '1';
    } else if (which >= FORMAT_D && which <= FORMAT_C) {
        take_format(r, i, text, &v->work);
    } else {
        v->number[which] = number_field(r, i, text);
    }
}

static bool is_gemms(column which)
{
    return which >= M && which <= K;
}

static bool is_convolutions(column which)
{
    return which >= IFMAP_HEIGHT && which < COLUMNS;
}

// In a list of both kinds, a line has the fields of one of them. What it need not say of a
// convolution may be empty, too.
static void take_fields(const reader *r, char *const fields[], values *v)
{
    v->convolves = !r->has[M];
    for (unsigned i = 0; i < r->count && r->mixed; i++) {
        v->convolves = v->convolves || (is_convolutions(r->columns[i]) && *fields[i] != '\0');
    }
    for (unsigned i = 0; i < r->count; i++) {
        const column which = r->columns[i];
        if (r->mixed && (v->convolves ? is_gemms(which) : is_convolutions(which))) {
            if (*fields[i] != '\0') {
                refuse_field(r, i, fields[i], "nothing, because the line has a convolution,");
            }
        } else if (!r->mixed || which < STRIDES || *fields[i] != '\0') {
            take_field(r, i, fields[i], v);
        }
    }
}

// ---- convolutions -------------------------------------------------------------------------------

static uint32_t as_size(const reader *r, const char *what, uint64_t size)
{
    if (size > UINT32_MAX) {
        cli_fail(r->c, "%.200s:%u:1: the layer's %s is above %u", r->path, r->line, what,
                 UINT32_MAX);
    }
    return (uint32_t)size;
}

static uint64_t product(const reader *r, uint64_t a, uint64_t b, const char *what)
{
    return as_size(r, what, a > UINT32_MAX || b > UINT32_MAX ? UINT64_MAX : a * b);
}

static uint32_t or_else(uint64_t number, uint64_t other)
{
    return (uint32_t)(number != 0 ? number : other);
}

// SCALE-Sim's depthwise layers have DP in their names: as many filters as channels.
static convolution convolution_of(const reader *r, const values *v)
{
    const uint64_t *x = v->number;
    const uint64_t lines = x[IFMAP_HEIGHT] == 1 ? 1 : x[STRIDES]; // a signal has one line
    const bool deep = r->topology && strstr(v->layer, "DP") != NULL;
    return (convolution){
        .images = or_else(x[IMAGES], 1),
        .height = (uint32_t)x[IFMAP_HEIGHT],
        .width = (uint32_t)x[IFMAP_WIDTH],
        .channels = (uint32_t)x[CHANNELS],
        .filters = (uint32_t)x[deep ? CHANNELS : NUM_FILTER],
        .kernel_h = (uint32_t)x[FILTER_HEIGHT],
        .kernel_w = (uint32_t)x[FILTER_WIDTH],
        .stride_y = or_else(x[STRIDE_Y], or_else(lines, 1)),
        .stride_x = or_else(x[STRIDE_X], or_else(x[STRIDES], 1)),
        .dilation_y = or_else(x[DILATION_Y], 1),
        .dilation_x = or_else(x[DILATION_X], 1),
        .pad_y = (uint32_t)x[PAD_Y],
        .pad_x = (uint32_t)x[PAD_X],
        .groups = or_else(deep ? x[CHANNELS] : x[GROUPS], 1),
        .pixel_bytes = (uint32_t)x[PIXEL_BYTES],
    };
}

// Output pixels along one side; `outputs` of 0: the kernel does not fit.
static uint64_t pixels(const reader *r, uint64_t outputs, column image, column filter)
{
    if (outputs == 0) {
        cli_fail(r->c, "%.200s:%u:1: %s is larger than %s; it must be at most as large", r->path,
                 r->line, layers_names[filter], layers_names[image]);
    }
    return outputs;
}

static void take_convolution(const reader *r, const values *v, layer *l)
{
    const convolution x = l->work.image = convolution_of(r, v);
    const uint64_t out_h =
        pixels(r, convolution_outputs(x.height, x.kernel_h, x.stride_y, x.dilation_y, x.pad_y),
               IFMAP_HEIGHT, FILTER_HEIGHT);
    const uint64_t out_w =
        pixels(r, convolution_outputs(x.width, x.kernel_w, x.stride_x, x.dilation_x, x.pad_x),
               IFMAP_WIDTH, FILTER_WIDTH);
    const uint64_t points = product(r, x.kernel_h, x.kernel_w, "k");
    l->work.m = (uint32_t)product(r, product(r, out_h, out_w, "m"), x.images, "m");
    l->work.n = x.filters;
    l->work.vectors = l->work.vectors || l->work.scale_bytes == 8; // whole numbers have both
    l->work.k =
        (uint32_t)product(r, points, x.groups > x.channels ? 1 : x.channels / x.groups, "k");
}

// ---- a line -------------------------------------------------------------------------------------

layer layers_line(const reader *r, char *line)
{
    char *fields[MOST_COLUMNS];
    values v = {.number[COUNT] = 1, .layer = "", .work = r->usual};
    unsigned count = layers_split(r, line, fields, r->count);
    count = r->topology && count > r->count ? r->count : count;
    if (count != r->count) {
        cli_fail(r->c, "%.200s:%u:%u: %u columns are expected, and there are %u", r->path, r->line,
                 (count < r->count ? count : r->count) + 1u, r->count, count);
    }
    take_fields(r, fields, &v);
    layer l = {.name = v.layer, .work = v.work, .count = v.number[COUNT], .line = r->line};
    if (v.convolves) {
        take_convolution(r, &v, &l);
    } else {
        l.work.m = (uint32_t)v.number[M];
        l.work.n = (uint32_t)v.number[N];
        l.work.k = (uint32_t)v.number[K];
    }
    return l;
}
