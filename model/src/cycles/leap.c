// SPDX-License-Identifier: Apache-2.0
// Leaps over tile commands that take the same time as those before.
//
// Whenever compute takes a tile command, the state is noted, relative to that tile command and to
// the cycle. If it equals one that was noted p tile commands ago, and the keys of the tile commands
// inside and ahead equal those of p before, then the next p tile commands take the same cycles and
// leave the same state. So the machine goes on by as many times p tile commands as the keys stay
// equal. Nothing is estimated: what is left out would have been the same.
#include "cycles/leap.h"

#include <stddef.h>

// ---- the state, relative ------------------------------------------------------------------------

// Whether load has rows to request by their number. Strips of an image have none.
static bool counts_rows(const machine *m)
{
    const load *l = &m->load;
    const bool strips_alone =
        l->state == LOAD_A && !l->beside && tile_at(m, l->accepted - 1u)->key.image;
    return l->state >= LOAD_A && l->state <= LOAD_BIAS && !strips_alone;
}

static uint32_t load_base(const machine *m)
{
    static const uint8_t region[] = {
        [LOAD_A] = REGION_A,       [LOAD_MX_A] = REGION_MX_A,       [LOAD_B] = REGION_B,
        [LOAD_MX_B] = REGION_MX_B, [LOAD_SCALE_A] = REGION_SCALE_A, [LOAD_SCALE_B] = REGION_SCALE_B,
        [LOAD_BIAS] = REGION_BIAS,
    };
    const load_state state = m->load.state;
    if (!counts_rows(m)) {
        return m->load.address; // without meaning
    }
    return tile_at(m, m->load.accepted - 1u)->address[m->load.beside ? REGION_B : region[state]];
}

static uint32_t source_base(const machine *m, const source *s, unsigned region)
{
    return tile_at(m, s->job)->address[region];
}

// Addresses of D: of the rows that are read, and of the next region
static uint32_t row_base(const machine *m)
{
    return fp8mac_cycles_d_address(m, tile_at(m, m->out.job));
}

static uint32_t region_base(const machine *m)
{
    return fp8mac_cycles_d_address(m, tile_at(m, m->out.done));
}

static void move_source(source *s, uint32_t by)
{
    s->band += by;
    s->region += by;
    s->address += by;
}

static bool has_region(const machine *m)
{
    return m->out.begun && m->out.done != m->store.pushed;
}

// Takes the addresses of the tile commands away (back), or adds them.
static void move_addresses(machine *m, bool back)
{
    const uint32_t sign = back ? UINT32_MAX : 1u;
    m->load.address += sign * load_base(m);
    if (m->c.state != SOURCE_IDLE) {
        move_source(&m->c, sign * source_base(m, &m->c, REGION_C));
    }
    if (m->x.state != SOURCE_IDLE) {
        move_source(&m->x, sign * source_base(m, &m->x, REGION_A));
    }
    if (m->out.busy) {
        m->out.address += sign * row_base(m);
        m->out.row_address += m->out.pairs ? sign * row_base(m) : 0;
    }
    if (has_region(m)) {
        m->out.band += sign * region_base(m);
        m->out.region += sign * region_base(m);
    }
}

static void clear_source(const machine *m, source *s)
{
    if (s->state == SOURCE_IDLE) {
        s->band = s->region = s->address = 0;
        s->job = m->compute.taken;
    }
}

static void clear_splitter(splitter *s)
{
    if (!s->busy) {
        memset(&s->row, 0, sizeof s->row);
    }
    s->row.address = s->row.bytes = 0; // nobody listens to the bus
}

// What has no meaning now is the same in all notes.
static void clear_unused(machine *m)
{
    write_out *o = &m->out;
    if (!counts_rows(m)) {
        m->load.address = m->load.stride = m->load.rows_left = m->load.beats = 0;
    }
    clear_source(m, &m->c);
    clear_source(m, &m->x);
    m->store.turn &= m->uses_turn;
    clear_splitter(&m->read.split);
    clear_splitter(&m->write.split);
    o->address = o->busy ? o->address : 0;
    o->row_bytes = 0; // as o->beats
    o->job = o->busy ? o->job : m->compute.taken;
    o->region = has_region(m) ? o->region : 0;
    o->band = has_region(m) ? o->band : 0;
    o->rows_left = has_region(m) ? o->rows_left : 0;
    o->bytes_left = has_region(m) ? o->bytes_left : 0;
}

static void move_numbers(machine *m, uint64_t by)
{
    m->walk.offered += by;
    m->load.accepted += by;
    m->loads_done += by;
    m->compute.taken += by;
    m->store.done += by;
    m->store.pushed += by;
    m->out.done += by;
    m->out.job += by;
    m->report.retired += by;
    m->c.job += by;
    m->x.job += by;
    for (unsigned i = 0; i < SOURCE_DEPTH; i++) {
        m->c.jobs[i] += by;
        m->x.jobs[i] += by;
    }
}

static void move_time(machine *m, uint64_t by)
{
    m->now += by;
    for (unsigned i = 0; i < MEMORY_RING; i++) {
        m->memory.reads[i].due += by;
        m->memory.answers[i] += by;
    }
}

// ---- queues, from their oldest entry on ---------------------------------------------------------

// Entries that are not in the queue become 0.
static void straighten(void *ring, size_t size, uint32_t depth, uint32_t *head, uint32_t level)
{
    unsigned char old[MEMORY_RING * sizeof(waiting_burst)];
    unsigned char *entries = ring;
    memcpy(old, entries, depth * size);
    memset(entries, 0, depth * size);
    for (uint32_t i = 0; i < level; i++) {
        memcpy(entries + i * size, old + (*head + i) % depth * size, size);
    }
    *head = 0;
}

static void straighten_all(machine *m)
{
    read_dma *r = &m->read;
    memory *y = &m->memory;
    array *a = &m->array;
    write_dma *d = &m->write;
    straighten(r->in_flight, sizeof r->in_flight[0], READS, &r->head, r->level);
    straighten(y->reads, sizeof y->reads[0], MEMORY_RING, &y->reads_head, y->reads_level);
    straighten(y->writes, sizeof y->writes[0], MEMORY_RING, &y->writes_head, y->writes_level);
    straighten(y->answers, sizeof y->answers[0], MEMORY_RING, &y->answers_head, y->answers_level);
    straighten(d->lens, sizeof d->lens[0], WRITES, &d->lens_head, d->lens_level);
    straighten(m->c.jobs, sizeof m->c.jobs[0], SOURCE_DEPTH, &m->c.head, m->c.level);
    straighten(m->x.jobs, sizeof m->x.jobs[0], SOURCE_DEPTH, &m->x.head, m->x.level);
    const uint32_t results = (a->tail - a->head) % RESULT_RING;
    straighten(a->results, sizeof a->results[0], RESULT_RING, &a->head, results);
    a->tail = results;
}

static uint64_t cycles_until(uint64_t tick, uint64_t now)
{
    return tick > now ? tick - now : 0;
}

static void relative_ticks(compute *c)
{
    c->share_ends = cycles_until(c->share_ends, c->ticks);
    for (unsigned i = 0; i < PASS_TILES; i++) {
        c->loop_ends[i] = cycles_until(c->loop_ends[i], c->ticks);
    }
    c->ticks = 0;
}

// ---- notes --------------------------------------------------------------------------------------

static const size_t kState = offsetof(machine, now);

static void take_note(const machine *m, note *n)
{
    static const size_t rest = sizeof(machine) - offsetof(machine, now);
    n->taken = m->compute.taken;
    n->retired = m->report.retired;
    n->now = m->now;
    n->counters = m->counters;
    n->state = *m;
    machine *s = &n->state;
    clear_unused(s);
    move_addresses(s, true);
    move_numbers(s, (uint64_t)0 - m->compute.taken);
    move_time(s, (uint64_t)0 - m->now);
    straighten_all(s);
    relative_ticks(&s->compute);
    n->hash = 0xcbf29ce484222325u;
    const unsigned char *bytes = (const unsigned char *)s + kState;
    for (size_t i = 0; i + 8u <= rest; i += 8u) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        n->hash = (n->hash ^ word) * 0x100000001b3u;
        n->hash ^= n->hash >> 29;
    }
}

static bool same_state(const note *a, const note *b)
{
    return a->hash == b->hash &&
           memcmp((const unsigned char *)&a->state + kState,
                  (const unsigned char *)&b->state + kState, sizeof(machine) - kState) == 0;
}

// How many tile commands have the keys of those `period` before, from the oldest one inside on
static uint64_t equal_keys(const machine *m, uint64_t period)
{
    uint64_t at = m->report.retired;
    while (at < m->list.count &&
           memcmp(&tile_at(m, at)->key, &tile_at(m, at - period)->key, sizeof(tile_key)) == 0) {
        at++;
    }
    return at - m->report.retired;
}

// ---- leaps --------------------------------------------------------------------------------------

static void count_on(machine *m, const fp8mac_cycles_counters *since, uint64_t times)
{
    fp8mac_cycles_counters *n = &m->counters;
    n->cycles += times * (n->cycles - since->cycles);
    n->compute += times * (n->compute - since->compute);
    n->results += times * (n->results - since->results);
    n->spacing += times * (n->spacing - since->spacing);
    n->first_load += times * (n->first_load - since->first_load);
    n->load += times * (n->load - since->load);
    n->command += times * (n->command - since->command);
    n->store += times * (n->store - since->store);
    n->idle += times * (n->idle - since->idle);
    n->read_beats += times * (n->read_beats - since->read_beats);
    n->write_beats += times * (n->write_beats - since->write_beats);
}

// Returns the cycles that are left out.
static uint64_t leap(machine *m, const note *from)
{
    const uint64_t period = m->compute.taken - from->taken;
    const uint64_t inside = m->walk.offered - m->report.retired, equal = equal_keys(m, period);
    const uint64_t times = equal > inside ? (equal - inside) / period : 0;
    const uint64_t cycles = times * (m->now - from->now);
    if (times == 0) {
        return 0;
    }
    count_on(m, &from->counters, times);
    move_time(m, cycles);
    clear_unused(m);
    move_addresses(m, true);
    move_numbers(m, times * period);
    move_addresses(m, false);
    return cycles;
}

void fp8mac_cycles_leap_if_known(machine *m, history *h)
{
    note *n = &h->notes[h->count % NOTES];
    take_note(m, n);
    uint64_t cycles = 0;
    for (uint32_t i = 1; cycles == 0 && i < NOTES && i <= h->count; i++) {
        const note *old = &h->notes[(h->count - i) % NOTES];
        cycles = same_state(n, old) ? leap(m, old) : 0;
    }
    h->left_out += cycles;
    h->count++;
}
