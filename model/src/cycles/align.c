// SPDX-License-Identifier: Apache-2.0
// Strips become words of the rows of an image operand (fp8mac_image_align).
#include "cycles/images.h"

// What a row takes of a step, and whether that completes a word
typedef struct share {
    uint32_t count, position;
    bool completes;
} share;

static bool flushes(const strip *s, uint32_t beat)
{
    return s->ends && s->last_byte != beat - 1u;
}

// Of the rows of a shared strip the last one begins with it, and the first one ends.
static bool begins_with(const strip *s, uint32_t row)
{
    return s->begins &&
           (s->shared ? row == s->last_row : row >= s->first_row && row <= s->last_row);
}

static bool ends_with(const strip *s, uint32_t row)
{
    return !s->shared || row == s->first_row;
}

static share share_of(const machine *m, uint32_t row, bool flush)
{
    const align *a = &m->align;
    const uint32_t beat = m->p.beat, position = a->position[row];
    if (flush && ends_with(&a->strip, row)) {
        return (share){0, 0, position != 0};
    }
    if (flush) {
        return (share){0, position, false};
    }
    const bool takes = a->ahead[row] < beat && a->take[row] != 0;
    const uint32_t count = takes ? least(a->take[row], beat - a->ahead[row]) : 0;
    const uint32_t sum = position + count;
    return (share){count, sum % beat, sum >= beat};
}

// One step of the strip at hand; returns the rows whose words it completes.
static uint32_t step(machine *m, bool flush, bool zeros)
{
    align *a = &m->align;
    uint32_t completes = 0;
    const uint32_t mask = m->p.rows - 1u, rows = a->strip.last_row - a->strip.first_row;
    for (uint32_t i = 0; i <= (rows & mask); i++) {
        const uint32_t row = (a->strip.first_row + i) & mask;
        const share s = share_of(m, row, flush);
        a->ahead[row] = a->ahead[row] < m->p.beat ? 0 : a->ahead[row] - m->p.beat;
        a->take[row] -= s.count;
        a->position[row] = s.position;
        completes |= (uint32_t)s.completes << row;
    }
    a->left--;
    if (a->before != 0) {
        a->before--;
    } else if (!zeros) {
        a->beats--;
    }
    return completes;
}

static void take(machine *m)
{
    align *a = &m->align;
    const strip *next = &a->queue[a->head];
    a->strip = *next;
    a->before = next->zeros;
    a->beats = next->beats;
    a->left = next->steps + flushes(next, m->p.beat);
    a->busy = 1;
    for (uint32_t row = 0; row < m->p.rows; row++) {
        const uint32_t from = next->shared ? 0 : fp8mac_cycles_strip_start(m, row);
        a->ahead[row] = (next->start + from) & STRIP_MASK;
        a->take[row] = next->length;
        if (begins_with(next, row)) {
            a->position[row] = 0;
        }
    }
}

// The row whose finished word leaves
static uint32_t chosen_row(const align *a, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t row = (a->turn + i) & (rows - 1u);
        if ((a->full >> row & 1u) != 0) {
            return row;
        }
    }
    return 0;
}

static void queue_clock(machine *m, const wires *w, bool strip_take)
{
    align *a = &m->align;
    a->shown = a->level > (uint32_t)strip_take;
    if (w->strip_taken) {
        a->queue[(a->head + a->level) % READS] = m->strips.stage[4];
    }
    a->level += w->strip_taken;
    if (strip_take) {
        a->head = (a->head + 1u) % READS;
        a->level--;
    }
}

static bool is_still(const align *a)
{
    return !a->busy && a->level == 0 && a->data == 0 && !a->valid1 && a->full == 0 && !a->word;
}

// Those that leave: one word, or that of all rows of a depthwise image
static uint32_t leaving(const align *a, uint32_t chosen)
{
    return a->depthwise ? a->full : a->full & 1u << chosen;
}

static void words_clock(align *a, uint32_t rows, uint32_t chosen, uint32_t completed)
{
    a->word = a->full != 0;
    if (a->full != 0) {
        a->turn = (chosen + 1u) & (rows - 1u);
    }
    a->full = (a->full & ~leaving(a, chosen)) | completed;
    a->depthwise = completed != 0 ? a->depthwise1 : a->depthwise;
}

void fp8mac_cycles_align_clock(machine *m, const wires *w)
{
    align *a = &m->align;
    const bool comes = w->beat && w->oldest->kind == ROW_IMAGE;
    if (is_still(a) && !w->strip_taken && !comes) {
        return;
    }
    const uint32_t chosen = chosen_row(a, m->p.rows);
    const uint32_t stay = a->full & ~leaving(a, chosen);
    const bool go1 = ((a->depthwise1 ? UINT32_MAX : a->completes1) & stay) == 0;
    const bool ready1 = !a->valid1 || go1, zeros = a->before != 0 || a->beats == 0;
    const bool last = a->left == 1u, flush = last && flushes(&a->strip, m->p.beat);
    const bool steps = a->busy && (zeros || a->data != 0) && ready1;
    const bool strip_take = a->shown && (!a->busy || (steps && last));
    words_clock(a, m->p.rows, chosen, a->valid1 && go1 ? a->completes1 : 0);
    a->valid1 = ready1 ? steps : a->valid1;
    if (steps) {
        a->depthwise1 = a->strip.depthwise;
        a->completes1 = step(m, flush, zeros);
    }
    a->data += comes;
    a->data -= steps && !zeros;
    if (strip_take) {
        take(m);
    } else if (steps && last) {
        a->busy = 0;
    }
    queue_clock(m, w, strip_take);
}
