// SPDX-License-Identifier: Apache-2.0
// Recording: commands with their dependencies and relocations, layers and calls, as words of an
// image.
//
// The list grows up from its header, and the notes grow down from the end of the memory, in their
// order. At the end they are turned round and moved to the list.
#include "record.h"

#include <string.h>

#include "backend.h"
#include "descriptor.h"
#include "fp8rt/registers.h"
#include "gemm_choose.h"
#include "gemm_image.h"
#include "gemm_prepare.h"
#include "regions.h"
#include "layer.h"

enum {
    DISTANCES = 15,   // that MODE.after can name
    SIDE_REGIONS = 4, // A: codes, scales, MX scales, C; B: codes, scales, MX scales, bias
};

// What a command reads on the side of A, C included, and on the side of B, and what it writes
typedef struct memory {
    fp8rt_region a[SIDE_REGIONS], b[SIDE_REGIONS];
    fp8rt_region d, scales; // of MX, that it writes; no rows: it writes none
    unsigned a_count, b_count;
} memory;

fp8rt_recorder fp8rt_recorder_in(void *memory, size_t bytes)
{
    return (fp8rt_recorder){
        .image = memory,
        .words = memory == NULL || ((uintptr_t)memory & (FP8RT_NETWORK_ALIGN - 1u)) != 0
                     ? 0
                     : (uint32_t)(bytes / sizeof(uint32_t)),
    };
}

// ---- memory -------------------------------------------------------------------------------------

void fp8rt_record_count(fp8rt_run *run)
{
    const uint32_t beat = run->dev->caps.beat_bytes;
    run->record_bytes += ((FP8MAC_COMMAND_WORDS_MOST * 4u + beat - 1u) & ~(size_t)(beat - 1u)) +
                         FP8MAC_COMMAND_ADDRESSES_MOST * sizeof(uint32_t);
}

static bool has_room(const fp8rt_recorder *r, uint32_t words)
{
    return r->words >= FP8RT_IMAGE_HEADER + r->list_words + r->note_words &&
           words <= r->words - FP8RT_IMAGE_HEADER - r->list_words - r->note_words;
}

static void put(fp8rt_recorder *r, uint32_t word)
{
    r->image[r->words - ++r->note_words] = word;
}

// A note with one number and some bytes, which a text ends with at least one 0
static fp8rt_status put_note(fp8rt_recorder *r, fp8rt_note_kind kind, uint32_t number,
                             const void *bytes, size_t count, bool text)
{
    const uint32_t words = (uint32_t)((count + (text ? 4u : 3u)) / 4u);
    if (words >= FP8RT_NOTE_MOST_WORDS || !has_room(r, 2u + words)) {
        return FP8RT_ERR_SCRATCH;
    }
    put(r, fp8rt_note_head(kind, 1u + words));
    put(r, number);
    for (uint32_t i = 0; i < words; i++) {
        uint32_t word = 0;
        const size_t left = count - (size_t)i * 4u;
        if (left != 0) {
            memcpy(&word, (const uint8_t *)bytes + (size_t)i * 4u, left < 4u ? left : 4u);
        }
        put(r, word);
    }
    return FP8RT_OK;
}

// ---- symbols ------------------------------------------------------------------------------------

// Memory that no symbol has: all that 32 bits of an offset reach. On the chip that is everything.
static uintptr_t window_of(uintptr_t address)
{
    return address - (uint32_t)address;
}

// The number of the symbol of an address; FP8RT_NETWORK_SYMBOLS: there are too many.
static uint32_t symbol_of(fp8rt_recorder *r, uintptr_t address)
{
    for (uint32_t i = 0; i < r->symbol_count; i++) {
        const uintptr_t from = (uintptr_t)r->symbols[i].data;
        if (address - from < r->symbols[i].bytes && address >= from) {
            return i;
        }
    }
    uint32_t i = r->symbol_count;
    const uint32_t end = r->symbol_count + r->bases_count;
    while (i < end && r->bases[i] != window_of(address)) {
        i++;
    }
    if (i == end && i < FP8RT_NETWORK_SYMBOLS) {
        r->bases[i] = window_of(address);
        r->bases_count++;
    }
    return i;
}

static uintptr_t base_of(const fp8rt_recorder *r, uint32_t symbol)
{
    return symbol < r->symbol_count ? (uintptr_t)r->symbols[symbol].data : r->bases[symbol];
}

// ---- dependencies -------------------------------------------------------------------------------

// A table is no dependency: nobody writes its codes, and its load waits for all commands before.
static memory memory_of(const fp8rt_caps *caps, const fp8rt_command *command)
{
    fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST];
    const unsigned count = fp8mac_command_extents(caps, command, list);
    memory m = {.a_count = 0};
    for (unsigned i = 0; i < count; i++) {
        const fp8rt_region *at = &list[i].at;
        switch (list[i].of) {
        case FP8MAC_REGION_D: m.d = *at; break;
        case FP8MAC_REGION_MX_A:
            if (list[i].written) {
                m.scales = *at;
                break;
            }
            // fall through
        case FP8MAC_REGION_A:
        case FP8MAC_REGION_SCALE_A:
        case FP8MAC_REGION_C: m.a[m.a_count++] = *at; break;
        case FP8MAC_REGION_B:
        case FP8MAC_REGION_SCALE_B:
        case FP8MAC_REGION_BIAS:
        case FP8MAC_REGION_MX_B: m.b[m.b_count++] = *at; break;
        default: break;
        }
    }
    return m;
}

// Whether a command has written a part of the region: D, or MX scales
static bool meets(const fp8rt_recorder *r, uint32_t place, unsigned which, const fp8rt_region *at)
{
    const fp8rt_region written = {r->written[place][which].address, r->written[place][which].rows,
                                  r->written[place][which].stride,
                                  r->written[place][which].row_bytes};
    return written.rows != 0 && fp8rt_regions_overlap(&written, at);
}

// How many commands before is the last one that writes what is read here; 0: none whose writes may
// be late.
static uint32_t distance(const fp8rt_recorder *r, const fp8rt_region *list, unsigned count)
{
    for (uint32_t d = 1; d <= DISTANCES && d <= r->since; d++) {
        const uint32_t place = (r->commands - d) % DISTANCES;
        for (unsigned i = 0; i < count; i++) {
            if (meets(r, place, 0, &list[i]) || meets(r, place, 1, &list[i])) {
                return d;
            }
        }
    }
    return 0;
}

static void wait_for_writers(const fp8rt_recorder *r, const memory *reads, fp8rt_command *command)
{
    const uint32_t a = distance(r, reads->a, reads->a_count),
                   b = distance(r, reads->b, reads->b_count);
    command->mode.after = (uint8_t)(a == 0 || (b != 0 && b < a) ? b : a);
    command->mode.b_free = b == 0;
}

static void remember(fp8rt_recorder *r, unsigned which, const fp8rt_region *region)
{
    const uint32_t place = r->commands % DISTANCES;
    r->written[place][which].address = region->address;
    r->written[place][which].rows = region->rows;
    r->written[place][which].stride = region->stride;
    r->written[place][which].row_bytes = region->row_bytes;
}

// ---- commands -----------------------------------------------------------------------------------

// Whether a region that begins in a symbol ends there
static bool is_within(const fp8rt_recorder *r, const fp8rt_region *region)
{
    for (uint32_t i = 0; i < r->symbol_count; i++) {
        const uintptr_t from = (uintptr_t)r->symbols[i].data;
        if (region->address >= from && region->address - from < r->symbols[i].bytes) {
            return fp8rt_region_span(region) < r->symbols[i].bytes - (region->address - from);
        }
    }
    return true;
}

static bool is_within_symbols(const fp8rt_recorder *r, const fp8rt_caps *caps,
                              const fp8rt_command *command)
{
    fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST];
    const unsigned count = fp8mac_command_extents(caps, command, list);
    bool within = true;
    for (unsigned i = 0; i < count; i++) {
        within = within && is_within(r, &list[i].at);
    }
    return within;
}

// The command lies at word `at` of the list: its addresses become offsets.
static fp8rt_status relocate(fp8rt_recorder *r, uint32_t at, fp8rt_command *command)
{
    fp8mac_command_address addresses[FP8MAC_COMMAND_ADDRESSES_MOST];
    const unsigned count = fp8mac_command_addresses(command, addresses);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t symbol = symbol_of(r, *addresses[i].at);
        if (symbol >= FP8RT_NETWORK_SYMBOLS) {
            return FP8RT_ERR_SHAPE;
        }
        put(r, fp8rt_relocation(symbol, at + addresses[i].word));
        *addresses[i].at -= base_of(r, symbol);
    }
    return FP8RT_OK;
}

// The command loads its table, if that was asked for since the last command with this table. Nobody
// writes a table's codes, and the load waits for all commands before, so it is no dependency.
static const uint8_t **table_of(fp8rt_recorder *r, const fp8rt_command *command)
{
    const uint32_t table = command->finish.act_table;
    return table != 0 && r->tables[table - 1u] != NULL ? &r->tables[table - 1u] : NULL;
}

static fp8rt_status append(fp8rt_run *run, fp8rt_command *command, const memory *reads)
{
    fp8rt_recorder *r = run->recorder;
    const fp8rt_caps *caps = &run->dev->caps;
    const uint32_t at = r->list_words, beat = caps->beat_bytes / 4u;
    const uint32_t most = (FP8MAC_COMMAND_WORDS_MOST + beat - 1u) & ~(beat - 1u);
    uint32_t *const list = r->image + FP8RT_IMAGE_HEADER;
    if (r->commands == FP8RT_NETWORK_COMMANDS || at + most > FP8RT_LIST_MOST_WORDS) {
        return FP8RT_ERR_SHAPE;
    }
    if (!has_room(r, most + FP8MAC_COMMAND_ADDRESSES_MOST)) {
        return FP8RT_ERR_SCRATCH;
    }
    command->tag = (uint16_t)(r->commands + 1u);
    command->mode.irq = command->mode.record = false;
    wait_for_writers(r, reads, command);
    const uint8_t **const table = table_of(r, command);
    if (table != NULL) {
        command->table.load = true;
        command->table.addr = (uintptr_t)*table;
    }
    if (!is_within_symbols(r, caps, command)) {
        return FP8RT_ERR_SHAPE;
    }
    const fp8rt_status status = relocate(r, at, command);
    if (status != FP8RT_OK) {
        return status;
    }
    memset(&list[at], 0, most * sizeof *list);
    fp8mac_words_of_command(command, &list[at]);
    if (r->commands != 0) {
        list[r->last + FP8MAC_WORD_SUBMIT] |= FP8RT_BIT(SUBMIT__MORE);
    }
    remember(r, 0, &reads->d);
    remember(r, 1, &reads->scales);
    if (table != NULL) {
        *table = NULL;
    }
    r->last = at;
    r->list_words = at + fp8rt_words_stride(caps, &list[at]);
    r->commands++;
    r->since++;
    return FP8RT_OK;
}

// ---- what the last command has left -------------------------------------------------------------

static fp8rt_left_b left_by(const fp8rt_command *command)
{
    const bool mx = fp8mac_command_has_mx(command);
    return (fp8rt_left_b){
        .address = command->b.addr,
        .mx = mx ? command->b.mx_addr : 0,
        .stride = command->b.stride,
        .mx_stride = mx ? command->b.mx_stride : 0,
        .n = command->n,
        .k = command->k,
        .format = command->b.fmt,
        .narrow = command->b.narrow,
        .depthwise = command->mode.depthwise,
        .pairs = command->mode.pairs,
        .has_mx = mx,
    };
}

// Whether the last command read the same B, and did not write into it
static bool has_same_b(const fp8rt_recorder *r, const memory *reads, const fp8rt_left_b *b)
{
    const fp8rt_left_b *left = &r->left;
    return r->since != 0 && left->n == b->n && left->k == b->k && left->address == b->address &&
           left->stride == b->stride && left->mx == b->mx && left->mx_stride == b->mx_stride &&
           left->format == b->format && left->narrow == b->narrow &&
           left->depthwise == b->depthwise && left->pairs == b->pairs &&
           left->has_mx == b->has_mx && distance(r, reads->b, reads->b_count) != 1;
}

static void leave_nothing(fp8rt_recorder *r)
{
    r->steps = 0;
    r->left = (fp8rt_left_b){0};
}

// The plan of a small GEMM has small tiles, so that its first load is short, and reads operands
// more than once. A GEMM that loads while the one before computes reads each once, as one tile
// command. If the one before has left B in the buffers, too, it reads A alone.
static void join_tiles(fp8rt_recorder *r, const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                       const memory *reads, fp8rt_command *command)
{
    if (r->one_by_one) {
        return;
    }
    const uint32_t before = r->since == 0 ? 0 : r->steps;
    const fp8rt_left_b b = left_by(command);
    const bool same = has_same_b(r, reads, &b);
    uint32_t beats;
    const bool fits = fp8rt_gemm_is_one_tile(caps, desc, &beats, &r->steps);
    const uint32_t a_after = distance(r, reads->a, reads->a_count);
    const bool hidden = !fp8rt_has_image(desc) && beats <= 2u * before && a_after == 0 &&
                        distance(r, reads->b, reads->b_count) == 0;
    if (fits && (hidden || (same && a_after != 1))) {
        command->tile = (fp8mac_command_tile){0};
        command->mode.b_resident = false;
    }
    const bool whole = fp8rt_command_is_one_tile(command);
    if (same && r->left.whole && whole) {
        command->b.reuse = true;
    }
    r->left = b;
    r->left.whole = whole;
}

fp8rt_status fp8rt_record_gemm(fp8rt_run *run, fp8rt_gemm_plan *plan)
{
    if (plan->scratch_bytes != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    const fp8rt_status status = fp8rt_gemm_complete(run->dev, plan, NULL, 0, false);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_command command = fp8rt_backend_decode(&plan->descriptor);
    const memory reads = memory_of(&run->dev->caps, &command);
    join_tiles(run->recorder, &run->dev->caps, &plan->desc, &reads, &command);
    return append(run, &command, &reads);
}

fp8rt_status fp8rt_record_elementwise(fp8rt_run *run, fp8rt_elementwise_plan *plan)
{
    const fp8rt_status status = fp8rt_elementwise_complete(run->dev, plan);
    leave_nothing(run->recorder);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_command command = fp8rt_backend_decode(&plan->descriptor);
    const memory reads = memory_of(&run->dev->caps, &command);
    return append(run, &command, &reads);
}

fp8rt_status fp8rt_record_rows(fp8rt_run *run, fp8rt_rows_plan *plan)
{
    const fp8rt_status status = fp8rt_rows_complete(run->dev, plan);
    leave_nothing(run->recorder);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_command command = fp8rt_backend_decode(&plan->descriptor);
    const memory reads = memory_of(&run->dev->caps, &command);
    return append(run, &command, &reads);
}

// ---- tables -------------------------------------------------------------------------------------

fp8rt_status fp8rt_load_table(fp8rt_run *run, uint32_t table, const uint8_t *codes)
{
    if (run == NULL || run->dev == NULL || codes == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_caps *caps = &run->dev->caps;
    if (run->status != FP8RT_OK) {
        return run->status;
    }
    if ((caps->functions & FP8MAC_FUNCTION_TABLES) == 0 || table == 0 || table > FP8RT_TABLES) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (run->query) {
        return FP8RT_OK;
    }
    if (run->recorder == NULL) {
        return fp8rt_device_load_table(run->dev, table, codes);
    }
    if (((uintptr_t)codes & (caps->beat_bytes - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    run->recorder->tables[table - 1u] = codes;
    return FP8RT_OK;
}

// ---- layers and the core ------------------------------------------------------------------------

void fp8rt_record_layer(fp8rt_run *run, const char *name)
{
    if (run->depth != 1) {
        return;
    }
    if (run->query) {
        run->record_bytes += (strlen(name) / 4u + 3u) * sizeof(uint32_t);
    } else if (run->recorder != NULL && run->status == FP8RT_OK) {
        run->status = put_note(run->recorder, FP8RT_NOTE_LAYER, run->recorder->commands, name,
                               strlen(name), true);
    }
}

bool fp8rt_layer_computes(fp8rt_run *run)
{
    if (run->recorder != NULL && run->status == FP8RT_OK) {
        run->status = FP8RT_ERR_UNSUPPORTED;
    }
    return !run->query && run->recorder == NULL;
}

// The list pauses behind the command before, and everything is in memory then.
fp8rt_status fp8rt_layer_core(fp8rt_run *run, fp8rt_core_function *function, const void *context,
                              size_t bytes)
{
    fp8rt_recorder *r = run->recorder;
    _Alignas(max_align_t) uint8_t copy[FP8RT_CALL_BYTES];
    uint8_t note[sizeof function + FP8RT_CALL_BYTES];
    if (bytes > FP8RT_CALL_BYTES) {
        return FP8RT_ERR_SHAPE;
    }
    if (run->query) {
        run->record_bytes += 2u * sizeof(uint32_t) + sizeof note;
        return FP8RT_OK;
    }
    memcpy(copy, context, bytes);
    if (r == NULL) {
        function(copy);
        return FP8RT_OK;
    }
    memcpy(note, &function, sizeof function);
    memcpy(note + sizeof function, context, bytes);
    r->calls = true;
    r->since = 0;
    if (r->commands != 0) {
        r->image[FP8RT_IMAGE_HEADER + r->last + FP8MAC_WORD_SUBMIT] |= FP8RT_BIT(SUBMIT__PAUSE);
    }
    return put_note(r, FP8RT_NOTE_CALL, r->commands, note, sizeof function + bytes, false);
}

typedef struct fill {
    void *data;
    uint8_t byte;
    size_t bytes;
} fill;

static void fill_bytes(void *context)
{
    const fill *f = context;
    memset(f->data, f->byte, f->bytes);
}

fp8rt_status fp8rt_layer_fill(fp8rt_run *run, void *data, uint8_t byte, size_t bytes)
{
    const fill f = {data, byte, bytes};
    return fp8rt_layer_core(run, fill_bytes, &f, sizeof f);
}

typedef struct copy {
    void *to;
    const void *from;
    size_t bytes;
} copy;

static void copy_bytes(void *context)
{
    const copy *c = context;
    memcpy(c->to, c->from, c->bytes);
}

fp8rt_status fp8rt_layer_copy(fp8rt_run *run, void *to, const void *from, size_t bytes)
{
    const copy c = {to, from, bytes};
    return fp8rt_layer_core(run, copy_bytes, &c, sizeof c);
}

// ---- the end ------------------------------------------------------------------------------------

static fp8rt_status put_symbols(fp8rt_recorder *r)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < r->symbol_count + r->bases_count && status == FP8RT_OK; i++) {
        const bool named = i < r->symbol_count;
        const char *name = named ? r->symbols[i].name : "";
        const size_t bytes = named ? r->symbols[i].bytes : 0;
        status = put_note(r, FP8RT_NOTE_SYMBOL, (uint32_t)bytes, name, strlen(name), true);
    }
    return status;
}

// The notes, whose words are in the reverse order, move to the end of the list in theirs.
static void move_notes(fp8rt_recorder *r)
{
    uint32_t *const notes = r->image + r->words - r->note_words;
    for (uint32_t i = 0, j = r->note_words; i + 1 < j; i++) {
        const uint32_t word = notes[i];
        notes[i] = notes[--j];
        notes[j] = word;
    }
    memmove(r->image + FP8RT_IMAGE_HEADER + r->list_words, notes, r->note_words * sizeof *notes);
}

static fp8rt_status check_symbols(const fp8rt_recorder *r, const fp8rt_caps *caps)
{
    if (r->symbol_count + r->bases_count > FP8RT_NETWORK_SYMBOLS) {
        return FP8RT_ERR_SHAPE;
    }
    for (uint32_t i = 0; i < r->symbol_count; i++) {
        const fp8rt_symbol *own = &r->symbols[i];
        if (own->name == NULL || own->data == NULL) {
            return FP8RT_ERR_NULL;
        }
        if (((uintptr_t)own->data & (caps->beat_bytes - 1u)) != 0) {
            return FP8RT_ERR_ALIGNMENT;
        }
        bool unique = own->name[0] != '\0';
        for (uint32_t j = 0; j < i; j++) {
            unique = unique && strcmp(own->name, r->symbols[j].name) != 0;
        }
        if (!unique) {
            return FP8RT_ERR_SHAPE;
        }
    }
    return FP8RT_OK;
}

static void make(fp8rt_network *network, const fp8rt_run *run)
{
    const fp8rt_recorder *r = run->recorder;
    uint32_t *const image = r->image;
    image[FP8RT_IMAGE_WORD_MAGIC] = FP8RT_IMAGE_MAGIC;
    image[FP8RT_IMAGE_WORD_VERSION] = FP8RT_IMAGE_VERSION;
    image[FP8RT_IMAGE_WORD_WORDS] = FP8RT_IMAGE_HEADER + r->list_words + r->note_words;
    image[FP8RT_IMAGE_WORD_STAMP] = run->dev->stamp;
    image[FP8RT_IMAGE_WORD_COMMANDS] = r->commands;
    image[FP8RT_IMAGE_WORD_LIST] = r->list_words;
    image[FP8RT_IMAGE_WORD_NOTES] = r->note_words;
    image[FP8RT_IMAGE_WORD_HASH] = fp8rt_image_hash(image);
    *network = (fp8rt_network){.dev = run->dev, .image = image};
    fp8rt_network_find_last(network);
    network->calls = r->calls;
    network->local = r->calls || r->bases_count != 0;
    for (uint32_t i = 0; i < r->symbol_count + r->bases_count; i++) {
        fp8rt_network_place(network, i, base_of(r, i));
    }
}

fp8rt_status fp8rt_network_record(fp8rt_network *network, fp8rt_run *run)
{
    if (network == NULL || run == NULL || run->recorder == NULL || run->dev == NULL ||
        (run->recorder->symbols == NULL && run->recorder->symbol_count != 0)) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_recorder *r = run->recorder;
    *network = (fp8rt_network){0};
    if (((uintptr_t)r->image & (FP8RT_NETWORK_ALIGN - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    if (run->status != FP8RT_OK) {
        return run->status;
    }
    if (r->commands == 0) {
        return FP8RT_ERR_SHAPE;
    }
    fp8rt_status status = check_symbols(r, &run->dev->caps);
    if (status == FP8RT_OK) {
        status = put_symbols(r);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    uint32_t *const last = r->image + FP8RT_IMAGE_HEADER + r->last;
    last[FP8MAC_WORD_MODE] |= FP8RT_BIT(MODE__IRQ);
    move_notes(r);
    make(network, run);
    return FP8RT_OK;
}
