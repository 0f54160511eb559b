// SPDX-License-Identifier: Apache-2.0
// The maximum of windows as commands of the accelerator. Each takes the larger of two matrices. The
// maximum does not depend on the order, so the windows' lines are compared first, for whole lines
// of the image, and then their pixels. A tap is one place of a window along one of these two ways.
// A window that covers the image is halved again and again.
#include "pooling.h"

// Places of an image, line by line: what is compared
typedef struct grid {
    uint8_t *at;
    uint32_t line, pixel; // bytes from line to line, and from pixel to pixel
} grid;

typedef struct maxima {
    fp8rt_run *run;
    fp8mac_format_id format;
    uint32_t channels;
    uint32_t *count; // of commands, which are not run then; NULL: they run
} maxima;

static grid from(grid g, uint32_t line, uint32_t pixel)
{
    g.at += (size_t)line * g.line + (size_t)pixel * g.pixel;
    return g;
}

// ---- a command, or some -------------------------------------------------------------------------

static fp8rt_tensor matrix(const maxima *m, const grid *g, uint32_t rows, uint32_t cols,
                           uint32_t stride)
{
    return (fp8rt_tensor){
        .data = g->at, .rows = rows, .cols = cols, .stride = stride, .format = m->format};
}

// d = the larger of x and c, or x where c has no address
static fp8rt_status compare(const maxima *m, const grid *x, const grid *c, const grid *d,
                            uint32_t rows, uint32_t cols, bool by_line)
{
    const fp8rt_tensor a = matrix(m, x, rows, cols, by_line ? x->line : x->pixel);
    const fp8rt_tensor b = matrix(m, c, rows, cols, by_line ? c->line : c->pixel);
    fp8rt_tensor out = matrix(m, d, rows, cols, by_line ? d->line : d->pixel);
    const bool copies = c->at == NULL;
    if (m->count != NULL) {
        ++*m->count;
        return FP8RT_OK;
    }
    const fp8rt_combination both = {
        .operation = copies ? FP8RT_OPERATION_ADD : FP8RT_OPERATION_MAXIMUM,
        .x = &a,
        .c = copies ? NULL : &b,
        .factor = 1.0f,
        // Inf stays; INT8 has none, and saturates alone.
        .overflow = m->format == FP8MAC_INT8 ? FP8MAC_OVERFLOW_SATURATE : FP8MAC_OVERFLOW_IEEE,
    };
    return fp8rt_layer_combine(m->run, &both, &out);
}

static bool is_even(const grid *g, uint32_t pixels)
{
    return g->line == pixels * g->pixel;
}

// Lines x pixels of three grids, as one matrix where their rows have one distance. Otherwise a
// command has a line, or a pixel of each line.
static fp8rt_status compare_grids(const maxima *m, grid x, grid c, grid d, uint32_t lines,
                                  uint32_t pixels)
{
    const grid like_c = c.at == NULL ? x : c;
    if (pixels == 1) {
        return compare(m, &x, &c, &d, lines, m->channels, true);
    }
    if (lines == 1 || (is_even(&x, pixels) && is_even(&like_c, pixels) && is_even(&d, pixels))) {
        return compare(m, &x, &c, &d, lines * pixels, m->channels, false);
    }
    if (x.pixel == m->channels && like_c.pixel == m->channels && d.pixel == m->channels) {
        return compare(m, &x, &c, &d, lines, pixels * m->channels, true);
    }
    const bool by_line = pixels < lines;
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < (by_line ? pixels : lines) && status == FP8RT_OK; i++) {
        const uint32_t line = by_line ? 0 : i, pixel = by_line ? i : 0;
        const grid a = from(x, line, pixel), b = c.at == NULL ? c : from(c, line, pixel),
                   out = from(d, line, pixel);
        status = compare(m, &a, &b, &out, by_line ? lines : pixels, m->channels, by_line);
    }
    return status;
}

// ---- one way ------------------------------------------------------------------------------------

// Windows along lines or along pixels
typedef struct way {
    uint32_t taps, stride, pad, size, count; // of a window; of the image; windows
} way;

static bool is_trivial(const way *w)
{
    return w->taps == 1 && w->stride == 1;
}

// The windows of which a tap is in the image
static fp8rt_span windows_of(const way *w, uint32_t tap)
{
    const uint32_t first = tap < w->pad ? fp8rt_ceil_div(w->pad - tap, w->stride) : 0;
    const uint32_t end =
        w->size + w->pad <= tap ? 0 : (w->size + w->pad - tap - 1u) / w->stride + 1u;
    const uint32_t last = end < w->count ? end : w->count;
    return (fp8rt_span){first, last > first ? last - first : 0};
}

static bool is_in_all(const way *w, uint32_t tap)
{
    return windows_of(w, tap).count == w->count;
}

// The first tap from `tap` on that all windows have in the image; w->taps if there is none
static uint32_t common_tap(const way *w, uint32_t tap)
{
    while (tap < w->taps && !is_in_all(w, tap)) {
        tap++;
    }
    return tap;
}

// Where a tap of window `first` is. Grids are turned: a window's tap is along their pixels or
// lines.
static grid tap_at(const way *w, grid g, uint32_t tap, uint32_t first, bool lines)
{
    const uint32_t place = first * w->stride + tap - w->pad;
    grid t = from(g, lines ? place : 0, lines ? 0 : place);
    if (lines) {
        t.line *= w->stride;
    } else {
        t.pixel *= w->stride;
    }
    return t;
}

static fp8rt_status compare_span(const maxima *m, grid x, grid c, grid d, fp8rt_span span,
                                 uint32_t across, bool lines)
{
    return compare_grids(m, x, c, from(d, lines ? span.first : 0, lines ? 0 : span.first),
                         lines ? span.count : across, lines ? across : span.count);
}

// The windows along lines (or pixels) of `x`, which has `across` pixels (or lines) across
static fp8rt_status compare_taps(const maxima *m, const way *w, grid x, grid d, uint32_t across,
                                 bool lines)
{
    const uint32_t first = common_tap(w, 0), second = common_tap(w, first + 1u);
    const grid none = {0};
    const fp8rt_span all = {0, w->count};
    fp8rt_status status = compare_span(m, tap_at(w, x, first, 0, lines),
                                       second < w->taps ? tap_at(w, x, second, 0, lines) : none, d,
                                       all, across, lines);
    for (uint32_t tap = 0; tap < w->taps && status == FP8RT_OK; tap++) {
        const fp8rt_span span = windows_of(w, tap);
        if (tap != first && tap != second && span.count != 0) {
            status = compare_span(m, from(d, lines ? span.first : 0, lines ? 0 : span.first),
                                  tap_at(w, x, tap, span.first, lines), d, span, across, lines);
        }
    }
    return status;
}

// ---- images -------------------------------------------------------------------------------------

static way lines_of(const fp8rt_pools *p)
{
    const fp8rt_window *w = &p->window;
    return (way){w->kernel_h, w->stride_y, w->pad_top, p->height, p->out_h};
}

static way pixels_of(const fp8rt_pools *p)
{
    const fp8rt_window *w = &p->window;
    return (way){w->kernel_w, w->stride_x, w->pad_left, p->width, p->out_w};
}

// One window that sees the whole image
static bool is_global(const fp8rt_pools *p)
{
    return p->out_h == 1 && p->out_w == 1 && fp8rt_pool_lines(p, 0).count == p->height &&
           fp8rt_pool_pixels(p, 0).count == p->width;
}

static uint32_t half(uint32_t pixels)
{
    return pixels - pixels / 2;
}

// The first half of the pixels with the last one. Both have the middle one of an odd number.
static fp8rt_status halve(const maxima *m, grid x, grid d, uint32_t pixels)
{
    const grid last = from(x, 0, pixels / 2);
    return compare_grids(m, x, pixels == 1 ? (grid){0} : last, d, 1, half(pixels));
}

static fp8rt_status find_global(const maxima *m, grid x, grid out, uint32_t pixels)
{
    const uint32_t row = x.pixel;
    grid room[2] = {{.pixel = row}, {.pixel = row}};
    if (pixels > 2) {
        room[0].at = fp8rt_layer_take(m->run, (size_t)half(pixels) * row);
    }
    if (half(pixels) > 2) {
        room[1].at = fp8rt_layer_take(m->run, (size_t)half(half(pixels)) * row);
    }
    if ((pixels > 2 && room[0].at == NULL) || (half(pixels) > 2 && room[1].at == NULL)) {
        return FP8RT_ERR_SCRATCH;
    }
    fp8rt_status status = FP8RT_OK;
    for (unsigned i = 0; pixels > 2 && status == FP8RT_OK; i ^= 1u) {
        status = halve(m, x, room[i], pixels);
        x = room[i];
        pixels = half(pixels);
    }
    return status == FP8RT_OK ? halve(m, x, out, pixels) : status;
}

static fp8rt_status find_windows(const maxima *m, const fp8rt_pools *p, grid x, grid out)
{
    const way lines = lines_of(p), pixels = pixels_of(p);
    if (is_trivial(&lines)) {
        return compare_taps(m, &pixels, x, out, p->height, false);
    }
    if (is_trivial(&pixels)) {
        return compare_taps(m, &lines, x, out, p->width, true);
    }
    grid between = {NULL, x.line, x.pixel};
    between.at = fp8rt_layer_take(m->run, (size_t)p->out_h * between.line);
    if (between.at == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    const fp8rt_status status = compare_taps(m, &lines, x, between, p->width, true);
    return status == FP8RT_OK ? compare_taps(m, &pixels, between, out, p->out_h, false) : status;
}

static fp8rt_status find_all(const maxima *m, const fp8rt_pools *pools)
{
    const fp8rt_tensor *x = pools->desc->x, *out = pools->desc->out;
    const uint32_t pixel = fp8rt_tensor_stride(&m->run->dev->caps, out);
    const uint32_t in_line = pools->width * pools->pixel_bytes, out_line = pools->out_w * pixel;
    const size_t used = m->run->used;
    fp8rt_status status = FP8RT_OK;
    for (uint32_t image = 0; image < pools->images && status == FP8RT_OK; image++) {
        const grid a = {x->data, in_line, pools->pixel_bytes}, d = {out->data, out_line, pixel};
        const grid from_a = from(a, image * pools->height, 0);
        const grid to_d = from(d, image * pools->out_h, 0);
        status = is_global(pools) ? find_global(m, from_a, to_d, pools->height * pools->width)
                                  : find_windows(m, pools, from_a, to_d);
        m->run->used = used;
    }
    return status;
}

static bool is_possible(const fp8rt_run *run, const fp8rt_pools *pools)
{
    const uint32_t needed = FP8MAC_FUNCTION_ELEMENTWISE | FP8MAC_FUNCTION_C;
    const way lines = lines_of(pools), pixels = pixels_of(pools);
    return (run->dev->caps.functions & needed) == needed &&
           (is_global(pools) ||
            (common_tap(&lines, 0) < lines.taps && common_tap(&pixels, 0) < pixels.taps));
}

// The core's cycles on the simulated chip: to check and plan a command, and to compare the
// taps of four channels
static bool are_quicker(fp8rt_run *run, const fp8rt_pools *pools)
{
    enum { COMMAND = 2600, TAP = 36, OUTPUT = 30, CHANNELS = 4 };
    const fp8rt_tensor *x = pools->desc->x, *out = pools->desc->out;
    const uint64_t words = (uint64_t)out->rows * fp8rt_ceil_div(out->cols, CHANNELS);
    const uint64_t taps = (uint64_t)pools->window.kernel_h * pools->window.kernel_w;
    uint32_t commands = 0;
    const maxima m = {run, x->format, x->cols, &commands};
    find_all(&m, pools); // takes the scratch that a query has counted
    return (uint64_t)commands * COMMAND < words * (OUTPUT + TAP * taps);
}

bool fp8rt_max_pool_takes_commands(fp8rt_run *run, const fp8rt_pools *pools)
{
    return is_possible(run, pools) &&
           (run->query || run->recorder != NULL || are_quicker(run, pools));
}

fp8rt_status fp8rt_max_pool_commands(fp8rt_run *run, const fp8rt_pools *pools)
{
    const fp8rt_tensor *x = pools->desc->x;
    const maxima m = {run, x->format, x->cols, NULL};
    return find_all(&m, pools);
}
