// SPDX-License-Identifier: Apache-2.0
// A fault is located by what the wrong bytes have in common: their position in a beat of the bus,
// and the row RAM of the buffer in which they lay.
#include "paths.h"

#include <stdio.h>
#include <string.h>

#include "operand_format.h"
#include "probe.h"

// ---- commands and patterns ----------------------------------------------------------------------

bool probe_run(const paths *p, const char *part, const fp8rt_command *command)
{
    fp8rt_status status = fp8rt_device_submit(p->dev, command);
    if (status == FP8RT_OK) {
        status = fp8rt_device_wait(p->dev);
    }
    if (status != FP8RT_OK) {
        report_broken(p->r, part, "%s", fp8rt_status_string(status));
        fp8rt_device_clear(p->dev, FP8RT_CLEAR_ERROR);
    }
    return status == FP8RT_OK;
}

void *probe_take(paths *p, size_t bytes)
{
    void *memory = fp8rt_arena_alloc(&p->arena, bytes);
    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

// FP32 words whose bits all change from phase to phase. Exponents are those of 2^43 and of 2^-42.
static uint32_t word_of(uint32_t index, uint32_t phase)
{
    const uint32_t mixed = (index + 1u) * 0x9e3779b9u;
    const uint32_t word = 0x55000000u | (mixed >> 8 & 0x007fffffu) | (index & 1u) << 23;
    const uint32_t value = (index >> 1 & 1u) != 0 ? ~word : word;
    return phase == 0 ? value : ~value;
}

void probe_fill(uint32_t *words, uint32_t count, uint32_t phase)
{
    for (uint32_t i = 0; i < count; i++) {
        words[i] = word_of(i, phase);
    }
}

// Compares words with a pattern, byte by byte where they differ.
void probe_add(const paths *p, evidence *e, const uint32_t *got, uint32_t count,
               const uint32_t *want)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t byte = 0; want[i] != got[i] && byte < 4; byte++) {
            evidence_add(e, 0, (i * 4u + byte) & (p->beat - 1u), (uint8_t)(want[i] >> 8 * byte),
                         (uint8_t)(got[i] >> 8 * byte));
        }
    }
}

static uint32_t side_of(const fp8rt_caps *caps)
{
    const uint32_t rams = caps->rows < caps->cols ? caps->rows : caps->cols;
    uint32_t side = 32;
    while (side * 2u <= caps->max_mn && side < MOST_SIDE &&
           side * 2u * (side * 2u) <= rams * caps->beat_bytes * caps->buf_beats) {
        side *= 2u;
    }
    return side < caps->max_mn ? side : caps->max_mn;
}

fp8rt_command probe_product(const paths *p, const square *s)
{
    fp8rt_command command = {
        .a.addr = (uintptr_t)s->a,
        .b.addr = (uintptr_t)s->b,
        .d.addr = (uintptr_t)s->d,
        .a.stride = s->side,
        .b.stride = s->side,
        .d.stride = s->side,
        .d.fmt = (uint8_t)s->format,
        .m = s->side,
        .n = s->side,
        .k = s->side,
        .mode.pass_shape = FP8MAC_PASS_AUTOMATIC,
        .a.scale = FP8RT_FP32_ONE,
        .b.scale = FP8RT_FP32_ONE,
        .d.scale = FP8RT_FP32_ONE,
    };
    fp8rt_set_formats(&command, &p->dev->caps.element, s->format, s->format);
    return command;
}

// ---- all ----------------------------------------------------------------------------------------

static bool has(const paths *p, uint32_t function)
{
    return (p->dev->caps.functions & function) != 0;
}

static void check_through_x(const paths *p, const sheet *sheet)
{
    if (!check_values(p, sheet, false)) {
        printf("     not tested: C, vectors of scales and tables, which are seen through X\n");
        return;
    }
    if (has(p, FP8MAC_FUNCTION_C)) {
        check_values(p, sheet, true);
    }
    check_scale_a(p, sheet);
    if (has(p, FP8MAC_FUNCTION_TABLES) && has(p, FP8MAC_FUNCTION_INT8)) {
        check_tables(p, sheet);
    }
}

static void check_through_array(const paths *p, const sheet *sheet, const square *s)
{
    check_operands(p, s);
    if (report_is_broken(p->r, PATH_A) || report_is_broken(p->r, PATH_B) ||
        report_is_broken(p->r, PATH_ARRAY) || report_is_broken(p->r, PATH_PRODUCTS)) {
        printf("     not tested: what is seen through the array\n");
        return;
    }
    check_columns(p, s, sheet, false);
    check_columns(p, s, sheet, true);
    if (has(p, FP8MAC_FUNCTION_MX)) {
        check_scales(p, s, sheet);
    }
}

bool check_paths(fp8rt_device *dev, fp8rt_arena arena, report *r)
{
    const unsigned before = r->broken_count;
    enum { SHEET = 32 * 128 * 4 }; // also a column of values, one in each beat
    paths p = {.dev = dev, .r = r, .arena = arena, .beat = dev->caps.beat_bytes};
    const fp8mac_format_id format = fp8rt_element_format(&dev->caps.element);
    square s = {
        .side = side_of(&dev->caps), .format = format, .one = format == FP8MAC_INT8 ? 0x01 : 0x38};
    const sheet sheet = {probe_take(&p, SHEET), probe_take(&p, SHEET), probe_take(&p, SHEET),
                         probe_take(&p, SHEET)};
    s.a = probe_take(&p, s.side * s.side);
    s.b = probe_take(&p, s.side * s.side);
    s.d = probe_take(&p, s.side * s.side);
    if (s.d == NULL) {
        report_broken(r, "memory", "too little for the operands");
        return false;
    }
    if (!has(&p, FP8MAC_FUNCTION_ELEMENTWISE)) {
        printf("     not tested: the ways of D, X and C, which need element-wise commands\n");
    } else if (check_d(&p, &sheet)) {
        check_through_x(&p, &sheet);
    } else {
        printf("     not tested: what is seen through D\n");
        return false;
    }
    check_through_array(&p, &sheet, &s);
    return r->broken_count - before == report_is_broken(r, PATH_PRODUCTS);
}
