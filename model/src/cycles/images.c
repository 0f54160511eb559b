// SPDX-License-Identifier: Apache-2.0
// Image operands: which strips of the image are read (fp8mac_image_strips).
#include "cycles/images.h"

static const tile *at_hand(const machine *m)
{
    return tile_at(m, m->load.accepted - 1u);
}

uint32_t fp8mac_cycles_strips(const machine *m)
{
    return fp8mac_command_reads_c(command_of(m, at_hand(m))) ? STRIPS_BESIDE_C : READS;
}

// Of a row of A
static uint32_t bytes_of(const machine *m)
{
    const tile_key *key = &at_hand(m)->key;
    return key->depthwise ? key->k * m->p.quads * (key->pairs ? 2u : 1u) : key->k;
}

static uint32_t start_of(const fp8mac_command *c, uint32_t ram)
{
    return ram * c->image.step_x & STRIP_MASK;
}

uint32_t fp8mac_cycles_strip_start(const machine *m, uint32_t ram)
{
    return start_of(&m->commands[m->strips.command].command, ram);
}

// ---- wires --------------------------------------------------------------------------------------

void fp8mac_cycles_image_wires(const machine *m, wires *w)
{
    const align *a = &m->align;
    const bool zeros = a->before != 0 || a->beats == 0;
    w->align_quiet = a->data == 0 && !a->valid1 && a->full == 0 && !a->word &&
                     (a->busy ? !zeros : a->level == 0);
    w->align_idle = a->level == 0 && !a->busy;
    const row_kind kind = m->read.in_flight[m->read.head].kind;
    switch (kind) {
    case ROW_A: w->beat_ready = !a->word; break;
    case ROW_IMAGE: w->beat_ready = a->data != 2; break;
    case ROW_TABLE: w->beat_ready = fp8mac_cycles_ends_beat(m); break;
    default: w->beat_ready = true;
    }
    w->image = m->load.state == LOAD_A && at_hand(m)->key.image;
}

void fp8mac_cycles_strip_wires(const machine *m, wires *w)
{
    const strips *s = &m->strips;
    const bool valid = (s->valid & 1u << 4) != 0;
    // Strips are those of the tile command at hand, if there are some.
    const bool room = valid && m->align.level < fp8mac_cycles_strips(m);
    w->strip_taken = w->image && valid && room && (!s->stage[4].reads || w->load_row_taken);
    w->image_done = w->image && s->state == STRIPS_FINISH && (s->valid & 0xeu) == 0 &&
                    (!valid || w->strip_taken);
}

// ---- positions ----------------------------------------------------------------------------------

static image_row first_row(const fp8mac_command *c)
{
    return (image_row){.column = -(int64_t)c->image.pad_left,
                       .line = -(int64_t)c->image.pad_top,
                       .address = (uint32_t)c->a.addr - c->image.pad_top * c->a.stride};
}

static image_code first_code(const fp8mac_command *c)
{
    return (image_code){.left = c->image.segment_bytes};
}

// Counting stops behind every image.
static bool counts(int64_t line)
{
    return line < 1 << 17;
}

static image_code next_code(const fp8mac_command *c, image_code k, uint32_t length, bool ends,
                            bool line_ends)
{
    if (!ends) {
        k.column += length;
        k.left -= length;
        return k;
    }
    if (!line_ends) {
        k.number++;
        k.base += c->image.segment_step;
        k.column = k.base;
        k.left = c->image.segment_bytes;
        return k;
    }
    image_code next = first_code(c);
    next.line = k.line + (counts(k.line) ? c->image.dil_y : 0);
    next.address = k.address + (counts(k.line) ? c->image.dil_y * c->a.stride : 0);
    return next;
}

static void next_rows(machine *m, const fp8mac_command *c)
{
    strips *s = &m->strips;
    const bool line_ends = c->image.out_w - s->row.ox == s->count;
    s->rows_left -= s->count;
    s->ram = (s->ram + s->count) & (m->p.rows - 1u);
    if (!line_ends) {
        s->row.ox += s->count;
        s->row.column += s->shared ? (int64_t)s->count * c->image.step_x : start_of(c, s->count);
        return;
    }
    s->row.ox = 0;
    s->row.column = first_row(c).column;
    if (counts(s->row.line)) {
        s->row.line += c->image.step_y;
        s->row.address += c->image.step_y * c->a.stride;
    }
}

// ---- a strip ------------------------------------------------------------------------------------

// What a segment is. Shared strips have number `segments` and more for the rows behind the first
// one.
typedef struct part {
    bool behind, line_ends, all_codes; // behind: the first row has no such segment
    bool segment_ends, k_ends;
    uint32_t length;
} part;

static part part_of(const strips *s, const fp8mac_command *c)
{
    const uint32_t of_first = c->image.segments - 1u;
    part p = {.behind = s->code.number > of_first};
    p.line_ends = s->code.number == of_first + (s->shared ? s->count - 1u : 0);
    p.all_codes = s->k_left <= (p.behind ? 0 : s->code.left);
    p.segment_ends = s->shared || s->code.left <= s->k_left;
    p.k_ends = s->shared ? p.line_ends && p.all_codes : s->k_left <= s->code.left;
    p.length = p.segment_ends ? s->code.left : s->k_left;
    return p;
}

// The rows of a shared strip begin and end one after the other.
static void set_rows(const machine *m, const fp8mac_command *c, const part *p, strip *strip)
{
    const strips *s = &m->strips;
    const uint32_t number = s->code.number, of_first = c->image.segments - 1u,
                   of_last = s->count - 1u;
    strip->shared = s->shared;
    strip->begins = s->first;
    strip->ends = p->k_ends;
    strip->first_row = s->ram;
    strip->last_row = s->ram + of_last;
    if (s->shared) {
        strip->begins = (s->first || strip->depthwise) && number <= of_last;
        strip->ends = p->all_codes && number >= of_first;
        strip->first_row = (s->ram + (p->behind ? number - of_first : 0)) & (m->p.rows - 1u);
        strip->last_row = (s->ram + least(number, of_last)) & (m->p.rows - 1u);
    }
}

static strip strip_of(const machine *m, const fp8mac_command *c, const part *p)
{
    const strips *s = &m->strips;
    const uint32_t length = p->length, more = s->shared ? 0 : s->count - 1u;
    const int64_t column = s->row.column + s->code.column, line = s->row.line + s->code.line;
    const int64_t span = (start_of(c, more) + length) & STRIP_MASK;
    const int64_t room = (int64_t)c->image.width - column, outside = column < 0 ? -column : 0;
    const uint32_t address = s->row.address + s->code.address + (uint32_t)column;
    const uint32_t offset = address % m->p.beat, log2 = m->p.beat_log2;
    const uint32_t end = offset + (uint32_t)span - 1u;
    strip strip = {.start = (offset - (s->shared ? 0 : start_of(c, s->ram))) & STRIP_MASK,
                   .length = length,
                   .steps = (end >> log2) + 1u,
                   .depthwise = at_hand(m)->key.depthwise,
                   .last_byte = (bytes_of(m) - 1u) % m->p.beat};
    set_rows(m, c, p, &strip);
    strip.reads = line >= 0 && line < c->image.height && room > 0 && outside < span;
    if (strip.reads) {
        const uint32_t to = offset + (uint32_t)(room < span ? room : span) - 1u;
        strip.zeros = (offset + (uint32_t)outside) >> log2;
        strip.beats = (to >> log2) - strip.zeros + 1u;
        strip.address = address - offset + (strip.zeros << log2);
    }
    return strip;
}

// ---- the clock ----------------------------------------------------------------------------------

// A product takes a cycle for each bit of its factor, and one more.
static void setup(machine *m, const fp8mac_command *c, bool align_idle)
{
    strips *s = &m->strips;
    const tile_key *key = &at_hand(m)->key;
    const bool counted = !key->depthwise || s->pixels < c->image.segments;
    if (s->product == 3u && s->starts == m->p.rows && counted) {
        s->state = STRIPS_START;
    }
    if (key->k_start) {
        s->whole = key->depthwise && counted && s->pixels == 0 ? bytes_of(m) : 0;
    }
    s->pixels -= counted ? 0 : c->image.segments;
    if (s->product != 3u && s->factor == 0) {
        s->product++;
        s->factor = s->product == 1u ? c->image.step_y : c->image.dil_y;
    } else {
        s->factor >>= 1;
    }
    if (align_idle && s->starts != m->p.rows) {
        s->command = at_hand(m)->key.command; // no strip of another one is left
        s->starts++;
    }
}

static void start(machine *m, const fp8mac_command *c)
{
    strips *s = &m->strips;
    const tile_key *key = &at_hand(m)->key;
    s->joined =
        c->image.step_x <= c->image.segment_bytes && c->image.step_x <= key->k && !key->depthwise;
    const bool steps_fit = c->image.step_x <= STRIP_MASK / m->p.rows; // all of them, in a strip
    const bool apart = c->image.step_x > c->image.segment_bytes || key->depthwise;
    s->sharing = c->image.step_x == c->image.segment_step && apart && steps_fit;
    s->along = key->depthwise && c->image.segments > 1u && c->image.segments <= m->p.rows;
    s->shared = s->sharing && key->depthwise && key->k_start && s->whole == bytes_of(m);
    s->rows_left = key->m;
    s->ram = 0;
    if (key->first) {
        s->row = first_row(c);
    } else if (!key->next_rows) {
        s->row = s->rows;
    }
    s->rows = s->row;
    s->code = key->k_start ? first_code(c) : s->code;
    s->codes = s->code;
    s->state = STRIPS_COUNT;
}

static void count(machine *m, const fp8mac_command *c)
{
    strips *s = &m->strips;
    s->count = 1;
    if (s->joined || s->shared) {
        s->count = least(least(m->p.rows - s->ram, s->rows_left), c->image.out_w - s->row.ox);
    }
    if (s->shared && s->along) {
        s->count = least(least(LINE_ROWS, s->rows_left), c->image.out_w - s->row.ox);
    }
    s->code = s->codes;
    s->k_left = bytes_of(m);
    s->first = 1;
    s->state = STRIPS_SEGMENTS;
}

// One segment enters the stages.
static void segment(machine *m, const fp8mac_command *c)
{
    strips *s = &m->strips;
    const part p = part_of(s, c);
    s->stage[1] = strip_of(m, c, &p);
    s->valid |= 1u << 1;
    s->code = next_code(c, s->code, p.length, p.segment_ends, p.line_ends);
    s->k_left -= p.behind ? 0 : p.length;
    s->first = s->first && s->shared && !p.line_ends;
    if (p.k_ends) {
        s->state = s->rows_left == s->count ? STRIPS_FINISH : STRIPS_COUNT;
        next_rows(m, c);
        s->shared = s->sharing && s->codes.number == 0 && s->codes.left == c->image.segment_bytes &&
                    p.line_ends && p.segment_ends;
    }
}

static void move_stages(strips *s)
{
    memmove(&s->stage[2], &s->stage[1], 3 * sizeof s->stage[0]);
    s->valid = s->valid << 1 & 0x1cu;
}

static void begin(machine *m)
{
    strips *s = &m->strips;
    const tile *t = at_hand(m);
    s->product = s->starts = 0;
    s->factor = command_of(m, t)->image.pad_top;
    s->pixels = bytes_of(m) / m->p.beat;
    s->state = t->key.first ? STRIPS_SETUP : STRIPS_START;
}

void fp8mac_cycles_image_clock(machine *m, const wires *w)
{
    strips *s = &m->strips;
    fp8mac_cycles_align_clock(m, w);
    if (!w->image) {
        return;
    }
    const fp8mac_command *c = command_of(m, at_hand(m));
    const bool go = (s->valid & 1u << 4) == 0 || w->strip_taken;
    if (go) {
        move_stages(s);
    }
    switch (s->state) {
    case STRIPS_IDLE: begin(m); break;
    case STRIPS_SETUP: setup(m, c, w->align_idle); break;
    case STRIPS_START: start(m, c); break;
    case STRIPS_COUNT: count(m, c); break;
    case STRIPS_SEGMENTS:
        if (go) {
            segment(m, c);
        }
        break;
    case STRIPS_FINISH: s->state = w->image_done ? STRIPS_IDLE : STRIPS_FINISH; break;
    }
}
