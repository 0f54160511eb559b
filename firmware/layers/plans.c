// SPDX-License-Identifier: Apache-2.0
#include "plans.h"

#include "gemm_desc.h"
#include "gemm_prepare.h"
#include "gemm_regions.h"
#include "layer.h"
#include "record.h"

// The last result of a function of two numbers
typedef struct result {
    uint32_t x, y; // FP32 bits
    float value;
} result;

// FP32 bits of the numbers that a descriptor has
typedef struct numbers {
    uint32_t operands, out, beta;
} numbers;

typedef enum kind { GEMM, ELEMENTWISE, ROWS } kind;

// One kept plan
typedef struct kept {
    union {
        fp8rt_gemm_plan gemm;
        fp8rt_elementwise_plan elementwise;
        fp8rt_rows_plan rows;
    };
    kind kind;
    uint32_t used;       // the number of the command that used it last
    uint32_t behind;     // the plan that served the next command, last time
    uint32_t chained;    // the next plan of its chain, + 1; 0: none
    const void *scratch; // of its last run; NULL: none, or it was refused
    bool complete;       // the descriptor has these numbers, and needs no scratch
    numbers numbers;
    result inverse, product;
} kept;

// A plan that was not used by so many commands, in units of what the memory holds, makes room. A
// command without a plan looks at so many for one that does.
enum { IDLE_ROUNDS = 2, LOOKED_AT = 8 };

fp8rt_plans fp8rt_plans_in(void *memory, size_t bytes)
{
    const uintptr_t start = ((uintptr_t)memory + _Alignof(kept) - 1u) & ~(_Alignof(kept) - 1u);
    const size_t lost = start - (uintptr_t)memory;
    fp8rt_plans plans = {.memory = (void *)start};
    if (memory != NULL && bytes > lost) {
        plans.capacity = (uint32_t)((bytes - lost) / sizeof(kept));
    }
    return plans;
}

// In a query: the memory for one plan more.
static void count_plan(fp8rt_run *run)
{
    run->plan_bytes += run->plan_bytes == 0 ? sizeof(kept) + _Alignof(kept) - 1u : sizeof(kept);
}

// ---- descriptors --------------------------------------------------------------------------------

typedef uint32_t __attribute__((may_alias)) word;

// Padding may differ where nothing else does. Then a plan is made that need not have been.
static bool are_equal(const void *a, const void *b, size_t bytes)
{
    const word *x = a, *y = b, *const end = x + bytes / sizeof(word);
    for (; end - x >= 4; x += 4, y += 4) {
        if (((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) != 0) {
            return false;
        }
    }
    for (; x != end; x++, y++) {
        if (*x != *y) {
            return false;
        }
    }
    return true;
}

// The parts of a plan of any kind
typedef struct parts {
    kind kind;
    uint32_t stamp;
    void *desc;
    float *beta; // in it; eps of a row command
    size_t bytes;
} parts;

static parts gemm_parts(fp8rt_gemm_plan *plan)
{
    return (parts){GEMM, plan->stamp, &plan->desc, &plan->desc.beta, sizeof plan->desc};
}

static parts elementwise_parts(fp8rt_elementwise_plan *plan)
{
    return (parts){ELEMENTWISE, plan->stamp, &plan->desc, &plan->desc.beta, sizeof plan->desc};
}

static parts rows_parts(fp8rt_rows_plan *plan)
{
    return (parts){ROWS, plan->stamp, &plan->desc, &plan->desc.eps, sizeof plan->desc};
}

static parts parts_of(kept *k)
{
    return k->kind == GEMM          ? gemm_parts(&k->gemm)
           : k->kind == ELEMENTWISE ? elementwise_parts(&k->elementwise)
                                    : rows_parts(&k->rows);
}

static inline bool is_zero(float x)
{
    return fp8rt_fp32_is_zero(fp8rt_fp32_bits(x));
}

// Whether a kept plan serves the command of `fresh`. It then has its beta.
static bool serves(kept *k, const parts *fresh)
{
    if (k->kind != fresh->kind) {
        return false;
    }
    const parts own = parts_of(k);
    const float beta = *own.beta;
    if (is_zero(beta) == is_zero(*fresh->beta)) {
        *own.beta = *fresh->beta;
    }
    if (own.stamp == fresh->stamp && are_equal(own.desc, fresh->desc, fresh->bytes)) {
        return true;
    }
    *own.beta = beta;
    return false;
}

// ---- numbers ------------------------------------------------------------------------------------

// The plan that is expected to serve the next command; NULL: there is none.
static kept *expected(const fp8rt_run *run)
{
    const fp8rt_plans *plans = run->plans;
    return plans == NULL || plans->count == 0 ? NULL : (kept *)plans->memory + plans->next;
}

static bool is_known(const result *known, float x, float y)
{
    return known->x == fp8rt_fp32_bits(x) && known->y == fp8rt_fp32_bits(y);
}

static float know(result *known, float x, float y, float value)
{
    *known = (result){fp8rt_fp32_bits(x), fp8rt_fp32_bits(y), value};
    return value;
}

float fp8rt_plans_inverse(const fp8rt_run *run, float x)
{
    kept *k = expected(run);
    if (k == NULL) {
        return fp8mac_recipe_inverse(x);
    }
    return is_known(&k->inverse, x, 0.0f) ? k->inverse.value
                                          : know(&k->inverse, x, 0.0f, fp8mac_recipe_inverse(x));
}

float fp8rt_plans_product(const fp8rt_run *run, float x, float y)
{
    kept *k = expected(run);
    if (k == NULL) {
        return x * y;
    }
    return is_known(&k->product, x, y) ? k->product.value : know(&k->product, x, y, x * y);
}

// ---- plans --------------------------------------------------------------------------------------

// Commands since the one that used the plan
static uint32_t age(const fp8rt_plans *plans, const kept *k)
{
    return plans->commands - k->used;
}

static uint32_t index_of(const fp8rt_plans *plans, const kept *k)
{
    return (uint32_t)(k - (const kept *)plans->memory);
}

static uintptr_t mix(const void *a, const void *b, const void *d)
{
    return (uintptr_t)a * 3u + (uintptr_t)b * 5u + (uintptr_t)d;
}

// Plans are chained by the addresses in their descriptors.
static uint32_t *chain_of(fp8rt_plans *plans, const parts *p)
{
    const fp8rt_gemm_desc *gemm = p->desc;
    const fp8rt_elementwise_desc *elementwise = p->desc;
    const fp8rt_rows_desc *rows = p->desc;
    const uintptr_t key = p->kind == GEMM ? mix(gemm->a.codes, gemm->b.codes, gemm->d)
                          : p->kind == ELEMENTWISE
                              ? mix(elementwise->x, elementwise->c, elementwise->d)
                              : mix(rows->x, rows->gamma, rows->d);
    return &plans->chains[(uint32_t)key * UINT32_C(0x9e3779b1) /
                          (UINT32_MAX / FP8RT_PLAN_CHAINS + 1u)];
}

static void put_in_chain(fp8rt_plans *plans, kept *k, const parts *fresh)
{
    uint32_t *chain = chain_of(plans, fresh);
    k->chained = *chain;
    *chain = index_of(plans, k) + 1u;
}

static void take_from_chain(fp8rt_plans *plans, kept *k)
{
    const parts own = parts_of(k);
    uint32_t *link = chain_of(plans, &own);
    while (*link != index_of(plans, k) + 1u) {
        link = &((kept *)plans->memory)[*link - 1u].chained;
    }
    *link = k->chained;
}

// The plan that serves the command: most often it is the one that is expected. NULL: there is none.
static kept *find(fp8rt_plans *plans, const parts *fresh)
{
    kept *const entries = plans->memory;
    if (plans->count != 0 && serves(&entries[plans->next], fresh)) {
        return &entries[plans->next];
    }
    for (uint32_t place = *chain_of(plans, fresh); place != 0;
         place = entries[place - 1u].chained) {
        if (serves(&entries[place - 1u], fresh)) {
            return &entries[place - 1u];
        }
    }
    return NULL;
}

// One of the next LOOKED_AT plans that has been idle. NULL: there is none.
static kept *idle(fp8rt_plans *plans)
{
    for (uint32_t i = 0; i < plans->count && i < LOOKED_AT; i++) {
        kept *k = (kept *)plans->memory + plans->looked_at;
        plans->looked_at = plans->looked_at + 1u < plans->count ? plans->looked_at + 1u : 0;
        if (age(plans, k) > IDLE_ROUNDS * plans->capacity) {
            take_from_chain(plans, k);
            return k;
        }
    }
    return NULL;
}

// The entry for a new plan, which is empty or has been idle. NULL: there is none.
static kept *room(fp8rt_plans *plans)
{
    return plans->count < plans->capacity ? (kept *)plans->memory + plans->count++ : idle(plans);
}

// The plan that served last expects this one to be behind it again.
static void follow(fp8rt_plans *plans, kept *k)
{
    const uint32_t last = plans->last;
    plans->last = index_of(plans, k);
    ((kept *)plans->memory)[last].behind = plans->last;
    plans->next = k->behind;
    k->used = plans->commands;
}

// Without the plan itself
static kept *clear(kept *k, kind kind)
{
    if (k != NULL) {
        k->kind = kind;
        k->complete = false;
        k->scratch = NULL;
        k->behind = 0;
        k->inverse = k->product = (result){0};
    }
    return k;
}

// A plan for the command of `fresh`: one that serves it, or a new one, which is not made yet.
// NULL: it cannot be kept.
static kept *plan_of(const fp8rt_run *run, const parts *fresh, bool *made)
{
    fp8rt_plans *plans = run->plans;
    *made = false;
    if (plans == NULL) {
        return NULL;
    }
    kept *k = find(plans, fresh);
    plans->commands++;
    if (k != NULL) {
        *made = true;
        plans->reused++;
    } else {
        k = clear(room(plans), fresh->kind);
        if (k != NULL) {
            put_in_chain(plans, k, fresh);
        }
    }
    if (k != NULL) {
        follow(plans, k);
    }
    return k;
}

// The numbers of the command that runs
static numbers numbers_of(const fp8rt_run *run, float beta)
{
    const fp8rt_command_scales *scales = &run->plans->scales;
    return (numbers){fp8rt_fp32_bits(scales->operands), fp8rt_fp32_bits(scales->out),
                     fp8rt_fp32_bits(beta)};
}

// Whether the descriptor of a kept plan has them
static bool is_complete(const fp8rt_run *run, const kept *k, float beta)
{
    if (k == NULL || !k->complete) {
        return false;
    }
    const numbers now = numbers_of(run, beta);
    return k->numbers.operands == now.operands && k->numbers.out == now.out &&
           k->numbers.beta == now.beta;
}

static void set_complete(const fp8rt_run *run, kept *k, float beta, bool complete)
{
    if (k != NULL) {
        k->numbers = numbers_of(run, beta);
        k->complete = complete;
    }
}

// Padding included. The two may be the same.
static void copy(void *to, const void *from, size_t bytes)
{
    if (to != from) {
        memcpy(to, from, bytes);
    }
}

static bool wants_counters(const fp8rt_run *run)
{
    return run->profile != NULL;
}

// ---- queries and recordings ---------------------------------------------------------------------

static bool runs_nothing(const fp8rt_run *run)
{
    return run->query || run->recorder != NULL;
}

static __attribute__((noinline)) fp8rt_status plan_gemm(fp8rt_run *run, fp8rt_gemm_plan *plan)
{
    const fp8rt_status status = fp8rt_gemm_prepare(&run->dev->caps, run->dev->stamp, plan);
    if (run->query) {
        count_plan(run);
        fp8rt_record_count(run);
        return status;
    }
    return status == FP8RT_OK ? fp8rt_record_gemm(run, plan) : status;
}

static __attribute__((noinline)) fp8rt_status plan_elementwise(fp8rt_run *run,
                                                               fp8rt_elementwise_plan *plan)
{
    const fp8rt_status status = fp8rt_elementwise_prepare(&run->dev->caps, run->dev->stamp, plan);
    if (run->query) {
        count_plan(run);
        fp8rt_record_count(run);
        return status;
    }
    return status == FP8RT_OK ? fp8rt_record_elementwise(run, plan) : status;
}

static __attribute__((noinline)) fp8rt_status plan_rows(fp8rt_run *run, fp8rt_rows_plan *plan)
{
    const fp8rt_status status = fp8rt_rows_prepare(&run->dev->caps, run->dev->stamp, plan);
    if (run->query) {
        count_plan(run);
        fp8rt_record_count(run);
        return status;
    }
    return status == FP8RT_OK ? fp8rt_record_rows(run, plan) : status;
}

// ---- runs ---------------------------------------------------------------------------------------

fp8rt_status fp8rt_plans_gemm(fp8rt_run *run, fp8rt_gemm_plan *fresh, void *scratch, size_t bytes,
                              fp8rt_gemm_result *result)
{
    fp8rt_device *dev = run->dev;
    fp8rt_status status = FP8RT_OK;
    bool made;
    fp8rt_gemm_fill(&dev->caps, &fresh->desc);
    if (runs_nothing(run)) {
        *result = (fp8rt_gemm_result){0};
        return plan_gemm(run, fresh);
    }
    fresh->stamp = dev->stamp;
    const parts wanted = gemm_parts(fresh);
    kept *k = plan_of(run, &wanted, &made);
    fp8rt_gemm_plan *plan = k == NULL ? fresh : &k->gemm;
    if (!made) {
        copy(&plan->desc, &fresh->desc, sizeof plan->desc);
        status = fp8rt_gemm_prepare(&dev->caps, dev->stamp, plan);
    }
    if (status == FP8RT_OK && !is_complete(run, k, plan->desc.beta)) {
        const bool known = k != NULL && scratch != NULL && k->scratch == scratch;
        status = fp8rt_gemm_complete(dev, plan, scratch, bytes, known);
        set_complete(run, k, plan->desc.beta, status == FP8RT_OK && plan->scratch_bytes == 0);
        if (k != NULL) {
            k->scratch = status == FP8RT_OK ? scratch : NULL;
        }
    }
    return status == FP8RT_OK ? fp8rt_gemm_execute(dev, plan, wants_counters(run), result) : status;
}

fp8rt_status fp8rt_plans_elementwise(fp8rt_run *run, fp8rt_elementwise_plan *fresh,
                                     fp8rt_gemm_result *result)
{
    fp8rt_device *dev = run->dev;
    fp8rt_status status = FP8RT_OK;
    bool made;
    fp8rt_elementwise_fill(&dev->caps, &fresh->desc);
    if (runs_nothing(run)) {
        *result = (fp8rt_gemm_result){0};
        return plan_elementwise(run, fresh);
    }
    fresh->stamp = dev->stamp;
    const parts wanted = elementwise_parts(fresh);
    kept *k = plan_of(run, &wanted, &made);
    fp8rt_elementwise_plan *plan = k == NULL ? fresh : &k->elementwise;
    if (!made) {
        copy(&plan->desc, &fresh->desc, sizeof plan->desc);
        status = fp8rt_elementwise_prepare(&dev->caps, dev->stamp, plan);
    }
    if (status == FP8RT_OK && !is_complete(run, k, plan->desc.beta)) {
        status = fp8rt_elementwise_complete(dev, plan);
        set_complete(run, k, plan->desc.beta, status == FP8RT_OK);
    }
    return status == FP8RT_OK ? fp8rt_elementwise_execute(dev, plan, wants_counters(run), result)
                              : status;
}

fp8rt_status fp8rt_plans_rows(fp8rt_run *run, fp8rt_rows_plan *fresh, fp8rt_gemm_result *result)
{
    fp8rt_device *dev = run->dev;
    fp8rt_status status = FP8RT_OK;
    bool made;
    fp8rt_rows_fill(&dev->caps, &fresh->desc);
    if (runs_nothing(run)) {
        *result = (fp8rt_gemm_result){0};
        return plan_rows(run, fresh);
    }
    fresh->stamp = dev->stamp;
    const parts wanted = rows_parts(fresh);
    kept *k = plan_of(run, &wanted, &made);
    fp8rt_rows_plan *plan = k == NULL ? fresh : &k->rows;
    if (!made) {
        copy(&plan->desc, &fresh->desc, sizeof plan->desc);
        status = fp8rt_rows_prepare(&dev->caps, dev->stamp, plan);
    }
    if (status == FP8RT_OK && !is_complete(run, k, plan->desc.eps)) {
        status = fp8rt_rows_complete(dev, plan);
        set_complete(run, k, plan->desc.eps, status == FP8RT_OK);
    }
    return status == FP8RT_OK ? fp8rt_rows_execute(dev, plan, wants_counters(run), result) : status;
}
