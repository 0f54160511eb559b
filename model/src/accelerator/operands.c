// SPDX-License-Identifier: Apache-2.0
// Operands in the accelerator's buffers.
#include "accelerator/machine.h"

// ACC_FMT has no code for an integer accumulator, which has that of FP32, the format of its
// read-out.
static fp8mac_acc_format accumulator(const fp8mac_accelerator *x, const fp8mac_command *c)
{
    const uint8_t has = x->caps.element.accumulators;
    if (c->mode.acc_fmt) {
        return FP8MAC_ACC_FP16;
    }
    return (has >> FP8MAC_ACC_INT32 & 1u) != 0   ? FP8MAC_ACC_INT32
           : (has >> FP8MAC_ACC_FIXED & 1u) != 0 ? FP8MAC_ACC_FIXED
                                                 : FP8MAC_ACC_FP32;
}

bool fp8mac_accelerator_dot(const fp8mac_accelerator *x, const fp8mac_command *c,
                            fp8mac_dot_config *dot)
{
    const fp8mac_element_caps *element = &x->caps.element;
    if (fp8mac_element_config(element->kind, x->caps.lanes, element->frac_bits, dot) != FP8MAC_OK) {
        return false;
    }
    dot->a.format = fp8mac_format_get(operand_format(&c->a));
    dot->b.format = fp8mac_format_get(operand_format(&c->b));
    dot->a.scale_exp = c->a.scale_exp;
    dot->b.scale_exp = c->b.scale_exp;
    dot->acc_format = accumulator(x, c);
    return true;
}

// ---- images -------------------------------------------------------------------------------------

// The code that the registers CONV_LINE .. CONV_PAD place at row r and code k
static uint8_t image_code(const job *j, uint32_t r, uint32_t k)
{
    const fp8mac_command *c = j->c;
    const fp8mac_command_image *i = &c->image;
    const uint32_t line = (uint32_t)i->segment_bytes * i->segments; // codes of a kernel line
    const int64_t y =
        (int64_t)(r / i->out_w) * i->step_y + (int64_t)(k / line) * i->dil_y - i->pad_top;
    const int64_t column = (int64_t)(r % i->out_w) * i->step_x +
                           (int64_t)(k % line / i->segment_bytes) * i->segment_step +
                           k % i->segment_bytes - i->pad_left;
    if (y < 0 || y >= i->height || column < 0 || column >= i->width) {
        return 0;
    }
    return *at(j, FP8MAC_REGION_A, c->a.addr + (uintptr_t)y * c->a.stride + (uintptr_t)column);
}

void fp8mac_accelerator_image(const job *j, uint32_t r, uint32_t k, uint32_t count, uint8_t *codes)
{
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = image_code(j, r, k + i);
    }
}

// A depthwise command has the rows of A for each quad of channels, or for each group of half a quad
// with pairs. A quad's code k is code k / codes * beat + quad * codes + k % codes of all.
static void load_quads(const job *j, const fp8mac_tile *t)
{
    const fp8mac_caps *caps = &j->x->caps;
    const uint32_t codes = fp8mac_command_has_pairs(j->c) ? caps->cols / 2u : caps->cols;
    const uint32_t quads = (t->n + codes - 1u) / codes;
    uint8_t *row = j->x->a.codes;
    for (uint32_t quad = 0; quad < quads; quad++) {
        for (uint32_t r = 0; r < t->m; r++, row += t->k) {
            for (uint32_t k = 0; k < t->k; k++) {
                const uint32_t of = t->first_k + k;
                row[k] = image_code(j, t->first_m + r,
                                    of / codes * caps->beat_bytes + quad * codes + of % codes);
            }
        }
    }
}

static void load_image(const job *j, const fp8mac_tile *t)
{
    if (fp8mac_command_is_depthwise(j->c)) {
        load_quads(j, t);
        return;
    }
    for (uint32_t r = 0; r < t->m; r++) {
        fp8mac_accelerator_image(j, t->first_m + r, t->first_k, t->k,
                                 j->x->a.codes + (size_t)r * t->k);
    }
}

// ---- rows ---------------------------------------------------------------------------------------

// Rows of `bytes` bytes from memory; the first is row `first` of the region, and its first byte is
// byte `from` of that row.
typedef struct rows {
    fp8mac_region_of of;
    fp8mac_fault_part part;
    uintptr_t address;
    uint32_t stride, first, from, rows, bytes, rams;
} rows;

static void load_rows(const job *j, const rows *r, uint8_t *buffer)
{
    const uint32_t beat = j->x->caps.beat_bytes;
    for (uint32_t i = 0; i < r->rows; i++, buffer += r->bytes) {
        memcpy(buffer, at(j, r->of, r->address + (uintptr_t)(r->first + i) * r->stride + r->from),
               r->bytes);
        fp8mac_fault_bytes(&j->x->fault, r->part, i & (r->rams - 1u), beat, r->from & (beat - 1u),
                           buffer, r->bytes);
    }
}

static void load_operand(const job *j, const fp8mac_tile *t, bool is_b)
{
    fp8mac_accelerator *x = j->x;
    const fp8mac_command_operand *o = is_b ? &j->c->b : &j->c->a;
    fp8mac_operand_buffer *to = is_b ? &x->b : &x->a;
    rows r = {
        .of = is_b ? FP8MAC_REGION_B : FP8MAC_REGION_A,
        .part = is_b ? FP8MAC_FAULT_B : FP8MAC_FAULT_A,
        .address = o->addr,
        .stride = o->stride,
        .first = is_b ? t->first_n : t->first_m,
        .from = t->first_k,
        .rows = is_b ? t->columns : t->m,
        .bytes = t->k,
        .rams = is_b ? x->caps.cols : x->caps.rows,
    };
    if (!is_b && j->c->mode.conv_a) {
        load_image(j, t);
    } else {
        load_rows(j, &r, to->codes);
    }
    if (fp8mac_command_has_mx(j->c)) {
        r.of = is_b ? FP8MAC_REGION_MX_B : FP8MAC_REGION_MX_A;
        r.part = is_b ? FP8MAC_FAULT_MX_B : FP8MAC_FAULT_MX_A;
        r.address = o->mx_addr;
        r.stride = o->mx_stride;
        r.from = t->first_k / FP8MAC_MX_BLOCK;
        r.bytes = fp8mac_command_scales(t->k);
        load_rows(j, &r, to->mx);
    }
}

void fp8mac_accelerator_load(const job *j, const fp8mac_tile *t, bool all)
{
    if ((all && !j->c->a.reuse) || !t->reuse_a) {
        load_operand(j, t, false);
    }
    if ((all && !j->c->b.reuse) || !t->reuse_b) {
        load_operand(j, t, true);
    }
}
