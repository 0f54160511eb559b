// SPDX-License-Identifier: Apache-2.0
// The memory of a command.
#include "command/tiles.h"

enum { INTEGER_SCALE_BYTES = 8, VALUE_BYTES = 4, TABLE_BYTES = 256 };

// Functions take the place of the next region and return the one behind those that they have added.
typedef fp8mac_command_region region;

// Most commands have A, B and D alone. So the rest is out of their way, and small.
#define RARE __attribute__((noinline, cold))

static inline region *put(region *r, fp8mac_region_of of, uintptr_t address, uint32_t rows,
                          uint32_t stride, uint32_t row_bytes)
{
    r->at.address = address;
    r->at.rows = rows;
    r->at.stride = stride;
    r->at.row_bytes = row_bytes;
    r->of = (uint8_t)of;
    r->written = of == FP8MAC_REGION_D;
    return r + 1;
}

static RARE region *add(region *r, fp8mac_region_of of, uintptr_t address, uint32_t rows,
                        uint32_t stride, uint32_t row_bytes)
{
    return put(r, of, address, rows, stride, row_bytes);
}

// A vector, as rows of one value: its bytes may exceed 32 bits.
static __attribute__((noinline)) region *
add_vector(region *r, fp8mac_region_of of, uintptr_t address, uint32_t count, uint32_t bytes)
{
    return put(r, of, address, count, bytes, bytes);
}

// ---- an image -----------------------------------------------------------------------------------

// Codes of K that each pixel of the kernel has in a depthwise command
static uint32_t codes_of_pixel(const fp8mac_caps *caps, const fp8mac_command *c)
{
    return c->mode.pairs ? caps->cols / 2u : caps->cols;
}

static uint32_t kernel_lines(const fp8mac_caps *caps, const fp8mac_command *c)
{
    const fp8mac_command_image *image = &c->image;
    const uint32_t codes =
        image->segments * (c->mode.depthwise ? codes_of_pixel(caps, c) : image->segment_bytes);
    return c->k <= codes ? 1 : (c->k - 1u) / codes + 1u;
}

// Where the last segment begins that is not behind the line. Places count from the left padding,
// and the line ends at `line`. The further a segment, the earlier its last output.
static uint32_t last_place(const fp8mac_command_image *image, uint32_t line)
{
    uint32_t outputs = image->out_w - 1u, at = outputs * image->step_x, last = 0;
    for (uint32_t s = 0; s < image->segments; s++, at += image->segment_step) {
        for (; at >= line; at -= image->step_x) {
            if (outputs-- == 0) {
                return last;
            }
        }
        last = at > last ? at : last;
    }
    return last;
}

// Bytes of a line up to the last one that the kernel touches. Behind the channels of the last pixel
// nothing counts: the commands before may write there.
static uint32_t line_bytes(const fp8mac_command_image *image)
{
    const uint32_t width = image->width, pad = image->pad_left;
    if (width > INT32_MAX) {
        return width; // its sums need more than 32 bits
    }
    const uint32_t end = last_place(image, width + pad) + image->segment_bytes;
    const uint32_t bytes = end > pad ? end - pad : 0;
    return bytes < width ? bytes : width;
}

// Lines from the first one that the kernel touches to the last one. Output lines lie step_y lines
// apart, and lines of the kernel dil_y.
static RARE region *add_image(region *r, const fp8mac_caps *caps, const fp8mac_command *c)
{
    const fp8mac_command_image *image = &c->image;
    const uint32_t kernel = kernel_lines(caps, c), bytes = line_bytes(image);
    const uint32_t apart = kernel == 1 && image->step_y > 1 ? image->step_y : 1;
    const uint32_t end = (c->m - 1u) / image->out_w * image->step_y + (kernel - 1u) * image->dil_y;
    const uint32_t above = image->pad_top % apart, first = above == 0 ? 0 : apart - above;
    if (bytes == 0 || end < image->pad_top + first || first >= image->height) {
        return r; // all of it is padding
    }
    const uint32_t last =
        end - image->pad_top < image->height ? end - image->pad_top : image->height - 1u;
    return add(r, FP8MAC_REGION_A, c->a.addr + (uintptr_t)first * c->a.stride,
               (last - first) / apart + 1u, apart * c->a.stride, bytes);
}

// ---- operands -----------------------------------------------------------------------------------

static RARE region *add_scales(region *r, fp8mac_region_of of, const fp8mac_command_operand *x,
                               uint32_t rows, uint32_t products)
{
    return put(r, of, x->mx_addr, rows, x->mx_stride, fp8mac_command_scales(products));
}

static inline region *add_operands(region *r, const fp8mac_caps *caps, const fp8mac_command *c,
                                   bool pairs)
{
    const bool mx = c->mode.mx;
    if (!c->a.reuse) {
        r = c->mode.conv_a ? add_image(r, caps, c)
                           : put(r, FP8MAC_REGION_A, c->a.addr, c->m, c->a.stride, c->k);
        r = mx ? add_scales(r, FP8MAC_REGION_MX_A, &c->a, c->m, c->k) : r;
    }
    if (!c->b.reuse) {
        r = put(r, FP8MAC_REGION_B, c->b.addr, pairs ? 2u * c->n : c->n, c->b.stride, c->k);
        r = mx ? add_scales(r, FP8MAC_REGION_MX_B, &c->b, c->n, c->k) : r;
    }
    return r;
}

// ---- D ------------------------------------------------------------------------------------------

static RARE region *add_rows_of_d(region *r, const fp8mac_command *c, uint32_t first, uint32_t rows)
{
    return put(r, FP8MAC_REGION_D, c->d.addr + (uintptr_t)first * c->d.stride, rows, c->d.stride,
               c->n << fp8mac_command_size_log2(c->d.fmt));
}

// Output lines in pairs: whole ones, then first results without second ones, then the second
// results of a part of a line
static region *add_pairs(region *r, const fp8mac_command *c)
{
    const uint32_t out_w = c->image.out_w, seconds = fp8mac_command_seconds(c);
    const uint32_t whole = seconds / out_w * out_w;
    if (whole != 0) {
        r = add_rows_of_d(r, c, 0, 2u * whole);
    }
    if (whole == c->m) {
        return r;
    }
    const uint32_t last = fp8mac_command_pair_row(c, c->m - 1u, 0);
    r = add_rows_of_d(r, c, 2u * whole, last - 2u * whole + 1u);
    return seconds != whole ? add_rows_of_d(r, c, 2u * whole + out_w, seconds - whole) : r;
}

// Rows from the first one of D to the last one, which the last output line has: a second result, or
// a first one if the line has no second ones
static RARE uint32_t rows_of_pairs(const fp8mac_command *c)
{
    const uint32_t out_w = c->image.out_w, before = (c->m - 1u) / out_w * out_w,
                   seconds = fp8mac_command_seconds(c);
    return before + (seconds > before ? out_w + seconds : c->m);
}

static inline region *add_d(region *r, const fp8mac_command *c, bool pairs)
{
    return put(r, FP8MAC_REGION_D, c->d.addr, pairs ? rows_of_pairs(c) : c->m, c->d.stride,
               c->n << fp8mac_command_size_log2(c->d.fmt));
}

// D and X of a command that has no products
static RARE region *add_d_and_x(region *r, const fp8mac_command *c)
{
    const uint32_t columns = fp8mac_command_is_reduction(c) ? 1 : c->n,
                   d_bytes = columns << fp8mac_command_size_log2(c->d.fmt);
    r = put(r, FP8MAC_REGION_D, c->d.addr, c->m, c->d.stride, d_bytes);
    if (fp8mac_command_writes_scales(c)) {
        r = add_scales(r, FP8MAC_REGION_MX_A, &c->a, c->m, c->n);
        r[-1].written = true;
    }
    return put(r, FP8MAC_REGION_A, c->a.addr, c->m, c->a.stride,
               c->n << fp8mac_command_size_log2(c->x_fmt));
}

// ---- the rest -----------------------------------------------------------------------------------

static inline region *add_vectors(region *r, const fp8mac_caps *caps, const fp8mac_command *c)
{
    if (c->a.scale_vec) {
        r = add_vector(r, FP8MAC_REGION_SCALE_A, c->a.scale, c->m, VALUE_BYTES);
    }
    if (c->b.scale_vec) {
        const bool integers = (caps->functions & FP8MAC_FUNCTION_REQUANTISE) != 0;
        r = add_vector(r, FP8MAC_REGION_SCALE_B, c->b.scale, c->n,
                       integers ? INTEGER_SCALE_BYTES : VALUE_BYTES);
    }
    if (c->finish.bias_en) {
        r = add_vector(r, FP8MAC_REGION_BIAS, c->finish.bias, c->n, VALUE_BYTES);
    }
    return r;
}

static region *add_others(region *r, const fp8mac_caps *caps, const fp8mac_command *c)
{
    if (!c->mode.acc_keep) {
        if (c->a.scale_vec || c->b.scale_vec || c->finish.bias_en) {
            r = add_vectors(r, caps, c);
        }
        if (fp8mac_command_reads_c(c)) {
            r = add(r, FP8MAC_REGION_C, c->c.addr, c->m, c->c.stride,
                    c->n << fp8mac_command_size_log2(c->c.fmt));
        }
    }
    return c->table.load ? add(r, FP8MAC_REGION_TABLE, c->table.addr, 1, 0, TABLE_BYTES) : r;
}

unsigned fp8mac_product_extents(const fp8mac_caps *caps, const fp8mac_command *c,
                                fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST])
{
    const bool pairs = c->mode.pairs && c->mode.depthwise;
    region *const r = c->mode.acc_keep ? list : add_d(list, c, pairs);
    return (unsigned)(add_others(add_operands(r, caps, c, pairs), caps, c) - list);
}

unsigned fp8mac_command_extents(const fp8mac_caps *caps, const fp8mac_command *c,
                                fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST])
{
    return fp8mac_command_has_x(c) ? (unsigned)(add_others(add_d_and_x(list, c), caps, c) - list)
                                   : fp8mac_product_extents(caps, c, list);
}

unsigned fp8mac_command_regions(const fp8mac_caps *caps, const fp8mac_command *c,
                                fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST])
{
    if (c->mode.acc_keep || !fp8mac_command_has_pairs(c)) {
        return fp8mac_command_extents(caps, c, list);
    }
    return (unsigned)(add_others(add_operands(add_pairs(list, c), caps, c, true), caps, c) - list);
}

// ---- addresses ----------------------------------------------------------------------------------

unsigned fp8mac_command_addresses(fp8mac_command *c,
                                  fp8mac_command_address list[FP8MAC_COMMAND_ADDRESSES_MOST])
{
    const bool ends = !c->mode.acc_keep, mx = fp8mac_command_has_mx(c);
    const struct {
        bool used;
        fp8mac_command_address address;
    } all[FP8MAC_COMMAND_ADDRESSES_MOST] = {
        {!c->a.reuse, {&c->a.addr, FP8MAC_WORD_A_ADDR}},
        {!fp8mac_command_has_x(c), {&c->b.addr, FP8MAC_WORD_B_ADDR}},
        {ends, {&c->d.addr, FP8MAC_WORD_D_ADDR}},
        {ends && c->a.scale_vec, {&c->a.scale, FP8MAC_WORD_SCALE_A}},
        {ends && c->b.scale_vec, {&c->b.scale, FP8MAC_WORD_SCALE_B}},
        {ends && c->finish.bias_en, {&c->finish.bias, FP8MAC_WORD_BIAS}},
        {ends && fp8mac_command_reads_c(c), {&c->c.addr, FP8MAC_WORD_C_ADDR}},
        {mx || fp8mac_command_writes_scales(c), {&c->a.mx_addr, FP8MAC_WORD_MX_A_ADDR}},
        {mx, {&c->b.mx_addr, FP8MAC_WORD_MX_B_ADDR}},
        {c->table.load, {&c->table.addr, FP8MAC_WORD_TABLE_ADDR}},
    };
    unsigned count = 0;
    for (unsigned i = 0; i < FP8MAC_COMMAND_ADDRESSES_MOST; i++) {
        if (all[i].used) {
            list[count++] = all[i].address;
        }
    }
    return count;
}
