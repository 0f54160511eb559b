// SPDX-License-Identifier: Apache-2.0
// Transfers on their way through the epilogue, and what follows a phase of a row command
// (fp8mac_epilogue, fp8mac_rows, fp8mac_rows_statistics, fp8mac_rows_program).
#include "cycles/epilogue.h"
#include "cycles/tiles.h"

enum {
    ENTRY = 6,        // stage before the pipeline's first one
    EXP_ENTRY = 27,   // the same of exponentials
    CURVE_ENTRY = 12, // the same of sigmoid and tanh
    STEP_CYCLES = 10,
    RECIPROCAL_STEPS = 3,
    TURN_SETS = 8, // sets of rows that the program has side by side
};

static bool finds_maxima(fp8mac_rows_step step)
{
    return step == FP8MAC_STEP_MAXIMUM || step == FP8MAC_STEP_FIRST ||
           step == FP8MAC_STEP_MAGNITUDE;
}

// Bits first to last
static uint32_t bits(uint32_t first, uint32_t last)
{
    return (2u << last) - (1u << first);
}

// ---- the program behind a phase -----------------------------------------------------------------

// Steps of a sum: the partial sums are added, and what the next phase needs is computed
static uint32_t sum_steps(const parameters *p, const fp8mac_command *c, fp8mac_rows_step step)
{
    const uint32_t adds = p->cols >= 4u ? 6u : p->cols == 2u ? 11u : 19u;
    const bool norm = fp8mac_command_is_norm(c);
    const uint32_t more = step == FP8MAC_STEP_EXP_SUM ? RECIPROCAL_STEPS
                          : !norm                     ? 0
                          : step == FP8MAC_STEP_SUM   ? 1
                                                      : 5;
    return adds + more;
}

// Sets of rows of a band of m rows, up to the last one that has rows: of the rows of a transfer,
// which are `share` from each other
static uint32_t sets_of(const parameters *p, uint32_t m)
{
    const uint32_t rows = p->transfer_rows * p->share, last = m - 1u;
    return last / rows * p->share + least(last % rows, p->share - 1u) + 1u;
}

// Where the reciprocal of each maximum follows, they are loaded first.
static uint32_t maximum_steps(const fp8mac_command *c)
{
    return c->mode.row_op == FP8MAC_ROWS_QUANTISE ? 1u + RECIPROCAL_STEPS : 0;
}

// Cycles in which the partial maxima of a set are compared, then the lanes
static uint32_t set_cycles(const parameters *p)
{
    return (p->cols < TURN_SETS ? TURN_SETS / p->cols : 1u) + p->cols_log2 + 1u;
}

// The steps of all sets, and one that is the end
static uint32_t steps_cycles(uint32_t steps, uint32_t sets)
{
    return steps == 0 ? 0 : STEP_CYCLES * (steps * (sets > TURN_SETS ? 2u : 1u) + 1u);
}

static uint32_t program_cycles(const machine *m, const tile *t)
{
    const fp8mac_rows_step step = t->key.step;
    const fp8mac_command *c = command_of(m, t);
    const uint32_t sets = sets_of(&m->p, t->key.m);
    if (finds_maxima(step)) {
        return set_cycles(&m->p) * sets + 1u + steps_cycles(maximum_steps(c), sets);
    }
    return steps_cycles(sum_steps(&m->p, c, step), sets);
}

void fp8mac_cycles_configure(machine *m, const tile *t)
{
    epilogue *e = &m->epilogue;
    e->c_en = t->key.reads_c;
    e->multiply = command_of(m, t)->mode.op == FP8MAC_OP_MULTIPLY;
    e->step = t->key.step;
    e->rows = e->step != FP8MAC_STEP_NONE;
    e->exponential = fp8mac_cycles_is_exponential(e->step);
    e->program_all = e->rows ? program_cycles(m, t) : 0;
}

// ---- stages -------------------------------------------------------------------------------------

// Where the pipeline begins
static uint32_t entry_of(const epilogue *e)
{
    return e->exponential ? EXP_ENTRY : fp8mac_step_is_curve(e->step) ? CURVE_ENTRY : ENTRY;
}

static bool front_busy(const epilogue *e)
{
    return (e->front & bits(1, entry_of(e))) != 0;
}

bool fp8mac_cycles_epilogue_busy(const epilogue *e)
{
    return e->valid != 0 || front_busy(e) || e->ends || e->program != 0;
}

// Stages 14 to 18 add beta * C. Transfers without C go from stage 13 to stage 19. The requantiser
// has fewer stages than these.
static uint32_t shift_stages(const machine *m, uint32_t stages, bool in)
{
    const uint32_t next = (stages << 1 | (uint32_t)in << 1) & bits(1, m->p.epilogue_cycles);
    if (m->epilogue.c_en) {
        return next;
    }
    const uint32_t skips = stages >> 13 & 1u;
    return (next & ~(1u << 14 | 1u << 19)) | skips << 19;
}

// Row commands enter later. Stages up to 9 are those of all, whatever the entry.
static uint32_t shift_front(const epilogue *e, uint32_t stages, bool in)
{
    const uint32_t next = stages << 1 | (uint32_t)(in && e->rows) << 1;
    const uint32_t entry = entry_of(e);
    return next & bits(1, entry > 9 ? entry : 9);
}

static bool enters(const epilogue *e, uint32_t front, bool in)
{
    return !e->rows ? in : (front >> entry_of(e) & 1u) != 0;
}

// The program begins when the last transfer of the phase has left its partial sum or maximum.
static void program_clock(epilogue *e, bool in, bool last)
{
    const uint32_t leaves = finds_maxima(e->step) ? 5 : 13; // the stage
    const bool inside = in || front_busy(e) || (e->valid & bits(1, leaves)) != 0;
    const bool go = e->ends && !inside;
    e->program = go ? e->program_all : e->program - (e->program != 0);
    if (last && fp8mac_step_is_statistic(e->step)) {
        e->ends = true;
    } else if (go) {
        e->ends = false;
    }
}

void fp8mac_cycles_epilogue_clock(machine *m)
{
    epilogue *e = &m->epilogue;
    const store *s = &m->store;
    const bool in = (s->valid & 2u) != 0;
    const bool last = in && (s->region_ends & 2u) != 0;
    program_clock(e, in, in && (s->rows_ends & 2u) != 0);
    e->valid = shift_stages(m, e->valid, enters(e, e->front, in));
    e->last = shift_stages(m, e->last, enters(e, e->front_last, last));
    e->front = shift_front(e, e->front, in);
    e->front_last = shift_front(e, e->front_last, last);
    e->c_ends = (e->c_ends << 1 | (in ? s->c_ends & 2u : 0)) & bits(1, 6);
    e->x_ends = (e->x_ends << 1 | (in ? s->x_ends & 2u : 0)) & bits(1, 7);
}
