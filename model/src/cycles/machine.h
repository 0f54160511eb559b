// SPDX-License-Identifier: Apache-2.0
// The registers of the accelerator that decide about time. A register has the name that it has in
// the RTL, without _q. Numbers of tile commands take the place of the records that travel from
// engine to engine, so that most queues are differences of counts.
//
// A cycle has two parts: first the wires are found from the registers, in the order in which they
// depend on each other; then each block's *_clock gives its registers their next values, from its
// own registers and the wires.
#ifndef FP8MAC_MACHINE_H
#define FP8MAC_MACHINE_H

#include "cycles/parameters.h"
#include "cycles/watch.h"

// ---- the blocks ---------------------------------------------------------------------------------

// FETCH_DONE is the cycle in which the command passes. A command that loads a table comes to it
// last.
typedef enum fetch_state {
    FETCH_IDLE,
    FETCH_REQUEST,
    FETCH_DATA,
    FETCH_READ,
    FETCH_WAIT, // until the command before it has ended
    FETCH_TABLE_REQUEST,
    FETCH_TABLE_DATA,
    FETCH_DONE
} fetch_state;

typedef struct front {
    size_t next;    // the next command that software submits
    size_t fetched; // the command whose descriptor is read
    size_t pushed, popped;
    size_t following;  // the next command of the list, if it has room
    uint32_t address;  // of the descriptor that is read
    uint32_t position; // of the next one of the list
    fetch_state state;
    uint32_t table_word; // of four codes, which is written next
    bool longer, room, shown;
    bool listed; // the descriptor that is read belongs to the list
    bool paused;
} front;

typedef struct walk {
    walk_state state;
    uint64_t offered;       // tile commands that were taken from it
    uint32_t products_left; // cycles in which products of sizes and strides are formed
    bool steps_done;
    uint32_t image_wait; // cycles until the end of the image is known
} walk;

typedef enum check_state { CHECK_IDLE, CHECK_CHECK, CHECK_OFFER } check_state;

typedef struct check {
    check_state state;
    uint32_t cycle, last_cycle;
} check;

typedef enum load_state {
    LOAD_IDLE,
    LOAD_WAIT,
    LOAD_A,
    LOAD_MX_A,
    LOAD_B,
    LOAD_MX_B,
    LOAD_SCALE_A,
    LOAD_SCALE_B,
    LOAD_BIAS,
    LOAD_FINISH
} load_state;

typedef struct load {
    load_state state;
    uint64_t accepted; // tile commands; the last one is at hand
    uint32_t in_use, begun, held;
    uint32_t left; // bits 1 << load_state
    uint32_t rows_left, beats, address, stride;
    uint32_t beside; // rows of B are left that may be requested while an image is read
} load;

typedef enum row_kind {
    ROW_OPERAND, // but A
    ROW_A,
    ROW_NONE,
    ROW_DESCRIPTOR,
    ROW_C,
    ROW_X,
    ROW_IMAGE,
    ROW_TABLE
} row_kind;

typedef struct row {
    row_kind kind; // ROW_NONE: the end of a tile command
    uint32_t region_last;
    uint32_t beats, to_page; // beats until the next page, at most those of the row
    // For the watcher: where the next burst begins, and the bytes from there
    uint32_t address, bytes;
} row;

typedef struct burst {
    row_kind kind;
    uint32_t region_last, row_last, beats;
} burst;

typedef struct splitter {
    bool busy;
    row row;
} splitter;

typedef struct read_dma {
    splitter split;
    bool ar_valid;
    uint32_t ar_beats;
    burst in_flight[READS];
    uint32_t head, level;
    uint32_t dests; // of them, those that are not of an image
} read_dma;

typedef struct waiting_burst {
    uint64_t due; // FP8MAC_CYCLES_CHIP: its arrival
    uint64_t beats;
} waiting_burst;

typedef struct memory {
    waiting_burst reads[MEMORY_RING];
    uint32_t reads_head, reads_level;
    // The chip's: beats that were read and wait for R, of which last_bits are last ones
    bool issued, issued_last;
    uint32_t shown, last_bits;
    uint32_t writes[MEMORY_RING]; // beats that are still to come
    uint32_t writes_head, writes_level;
    uint32_t data; // beats that came before their address
    uint64_t answers[MEMORY_RING];
    uint32_t answers_head, answers_level;
    // The chip's random stalls
    uint64_t stall_state;
    bool r_waits, b_waits; // was offered and not taken: it stays
} memory;

// ---- image operands -----------------------------------------------------------------------------

// A piece of an image line, as it comes in beats
typedef struct strip {
    uint32_t reads, begins, ends, shared;
    uint32_t first_row, last_row, start, length;
    uint32_t zeros, beats, steps, address;
    uint32_t last_byte; // of a row, in its last word
    uint32_t depthwise;
} strip;

typedef enum strips_state {
    STRIPS_IDLE,
    STRIPS_SETUP,
    STRIPS_START,
    STRIPS_COUNT,
    STRIPS_SEGMENTS,
    STRIPS_FINISH
} strips_state;

// Where a row begins, and where a code lies from there
typedef struct image_row {
    int64_t column, line;
    uint32_t ox, address;
} image_row;

typedef struct image_code {
    int64_t line;
    uint32_t number, base, column, left, address, unused;
} image_code;

typedef struct strips {
    strips_state state;
    uint32_t command; // of the strips that were made
    uint32_t product, factor, starts;
    uint32_t pixels, whole; // of a depthwise command's row: left; bytes that are whole kernel lines
    image_row row, rows;
    image_code code, codes;
    uint32_t rows_left, k_left, ram, count;
    uint32_t joined, sharing, shared, first;
    uint32_t along; // shared strips go on along the rows of an output line
    uint32_t valid; // bits 1 to 4: stages
    strip stage[5];
} strips;

typedef struct align {
    strip queue[READS];
    uint32_t head, level, shown;
    uint32_t data; // beats that wait
    uint32_t busy, before, beats, left;
    strip strip;
    uint32_t ahead[32], take[32], position[32];
    uint32_t valid1, completes1, full, turn, word;
    uint32_t depthwise1, depthwise; // of the words in stage 1, and of the finished ones
} align;

typedef enum source_state { SOURCE_IDLE, SOURCE_REGION, SOURCE_ROWS } source_state;

typedef struct source {
    source_state state;
    uint64_t jobs[SOURCE_DEPTH];
    uint32_t head, level;
    uint64_t job; // at hand
    uint32_t size, shape, stride, band, region, address;
    uint32_t rows_left, all_bytes, bytes_left, row, last_row, beats;
    uint32_t used, pending;
    uint32_t filled; // regions that are there
    bool ready;      // the oldest one is there
} source;

// Of a tile of the array in its tile command
typedef struct position {
    uint32_t row_tile, col_tile, last;
} position;

typedef struct compute {
    uint64_t taken; // tile commands; the last one is at hand
    bool busy;
    uint32_t shape, cols_more_all, last_block, last_step;
    uint32_t pass_rows, pass_cols; // tiles of a whole pass, less one
    bool acc_continue, acc_keep;
    uint32_t row_tile, col_tile, rows_more, cols_more, block, im, in, step;
    // Cycles in which the array advanced, and those from which on the next block may end: any, and
    // one of the same tile
    uint64_t ticks, share_ends, loop_ends[PASS_TILES];
    bool valid1, valid2, end1, end2, keep1, keep2;
    bool block_last1, block_last2, acc_last1, acc_last2;
    position at1, at2;
    uint64_t keeping; // a shift register
} compute;

typedef struct array {
    uint32_t valid, last; // shift registers: bit s is a block whose last step came s cycles ago
    uint32_t phase;       // of the block in stage 1
    bool acc_last;        // of the block in stage 1
    position results[RESULT_RING]; // of the blocks that will have results
    uint32_t head, tail;
    uint32_t result_phase;
} array;

typedef enum store_state { STORE_IDLE, STORE_START, STORE_RESULTS, STORE_FINISH } store_state;

typedef struct store {
    store_state state;
    uint64_t done; // tile commands
    bool skid_valid, ready;
    position skid;
    uint32_t skid_phase, bundle_row;
    bool open, slot_available;
    uint32_t regions, kept_seen;
    // Of the tile command at hand
    uint32_t last_row_tile, last_col_tile, region_rows, region_cols, c_cols, x_cols;
    bool uses_c, uses_x, row_by_row, no_results;
    bool statistic, every_second, waits; // of a row command
    uint32_t pause, wait;                // cycles without a transfer behind one; those left
    bool rows_in_turn;                   // even rows and odd ones, with C
    bool turn;                           // for every second cycle
    // Transfers, and what ends with them: bits 0 and 1 are stages t+1 and t+2
    uint32_t valid, region_ends, c_ends, x_ends, rows_ends;
    uint64_t pushed; // tile commands that write-out and report know
} store;

typedef struct epilogue {
    uint32_t valid, last;    // shift registers
    uint32_t c_ends, x_ends; // of the buffers of C and X: the last transfers of their regions
    bool c_en, multiply;
    // Row commands: transfers before the first stage, and what follows a phase
    uint32_t front, front_last;
    bool rows, exponential, ends;
    fp8mac_rows_step step;
    uint32_t program; // cycles that the program of the phase still takes
    uint32_t program_all;
} epilogue;

typedef struct write_out {
    uint64_t done; // tile commands
    uint64_t job;  // whose region is being read
    bool begun, busy, end, ends;
    uint32_t band, band_stride, region, rows_left, bytes_left;
    uint32_t waiting;
    uint32_t address, stride, row, last_row, beats, beat, row_bytes;
    // With pairs: the row at hand, whose results 1 may follow, and the rows of its
    // output line from it on
    bool pairs, second, fresh;
    uint32_t row_address, line, out_w, line_rows, seconds, seconds_left;
    bool offered;
} write_out;

typedef struct write_dma {
    splitter split;
    bool aw_valid;
    uint32_t aw_beats;
    uint32_t none; // bits of the bursts in flight, the oldest one is bit 0
    uint32_t level;
    uint32_t lens[WRITES];
    uint32_t lens_head, lens_level;
    uint32_t beats; // that wait for the bus
    bool w_valid, w_last;
    uint32_t sent;
} write_dma;

typedef struct report {
    uint64_t retired; // tile commands
    bool begun;       // a step has been issued since the accelerator was idle
} report;

typedef struct machine {
    parameters p;
    const fp8mac_cycles_command *commands;
    size_t count;
    tile_list list;
    bool uses_turn; // transfers of a tile command enter in odd cycles or in even ones
    uint64_t *completed;
    fp8mac_status status;
    size_t refused;
    fp8mac_cycles_counters counters;
    watch *watch; // NULL: nobody watches
    // From here on all decides about the cycles to come.
    uint64_t now;
    front front;
    walk walk;
    check check;
    load load;
    strips strips;
    align align;
    read_dma read;
    memory memory;
    source c, x;
    compute compute;
    uint64_t loads_done; // tile commands whose operands are there
    array array;
    store store;
    epilogue epilogue;
    write_out out;
    write_dma write;
    report report;
} machine;

// The wires between blocks in one cycle
typedef struct wires {
    bool ar_ready, r_valid, r_last, aw_ready, w_ready, b_valid;
    bool read_done, beat, read_row_ready, read_burst;
    const burst *oldest; // of the reads in flight
    bool ring, resume, submit, follow, queue_pop, tile_taken, fetching, fetch_row, c_row, x_row,
        load_row, table_row;
    bool table_beat; // it is there; it is taken with its last word
    bool load_strip; // its row is that of a strip
    bool c_row_taken, x_row_taken, load_row_taken;
    bool accept; // load takes a tile command
    bool image, strip_taken, image_done, align_idle, align_quiet, beat_ready;
    bool sources_ready;
    bool result_valid, advance;
    bool take, issue, spacing, stalled, finished, released, kept;
    bool last_step, last_tile, last_block, has_room;
    position bundle;
    uint32_t bundle_phase;
    bool bundle_valid, go, bundle_done, region_done, c_done, x_done, tile_done;
    bool is_storing, start, region_full, c_slot_free, x_slot_free;
    bool out_take, out_ready, out_step, out_region_done, out_row;
    bool write_burst, write_row_ready, w_load, answered, retire;
} wires;

static inline const tile *tile_at(const machine *m, uint64_t number)
{
    return &m->list.tiles[number - m->list.first];
}

static inline const fp8mac_command *command_of(const machine *m, const tile *t)
{
    return &m->commands[t->key.command].command;
}

// Divides all commands, judges their tile commands, and derives what the engines get.
void fp8mac_cycles_plan_tiles(machine *m);
void fp8mac_cycles_refuse(machine *m, size_t command, fp8mac_status status);

// The registers behind a reset. The parameters are there.
void fp8mac_cycles_reset(machine *m);
// Makes command `number` as the RTL has it, and refuses one whose codes or submission are not
// possible.
void fp8mac_cycles_prepare(machine *m, fp8mac_cycles_command *commands, size_t number);
// One cycle. Whether the accelerator was idle in it; *w has its wires.
bool fp8mac_cycles_step(machine *m, wires *w);
bool fp8mac_cycles_engines_are_idle(const machine *m);
// Nor is a command in the queue or before the load engine.
bool fp8mac_cycles_is_drained(const machine *m);
// The generator of stalls, so many cycles later
uint64_t fp8mac_cycles_stall_on(uint64_t state, uint64_t cycles);

// Whether the next word of a table is the last one of its beat
static inline bool fp8mac_cycles_ends_beat(const machine *m)
{
    return m->front.table_word % (m->p.beat / 4u) == m->p.beat / 4u - 1u;
}
void fp8mac_cycles_front_wires(machine *m, wires *w);
void fp8mac_cycles_front_clock(machine *m, const wires *w);
void fp8mac_cycles_walk_clock(machine *m, const wires *w);
void fp8mac_cycles_check_clock(machine *m, const wires *w);
// Cycles of its check
uint32_t fp8mac_cycles_cycles_of_check(const tile *t);
void fp8mac_cycles_load_wires(const machine *m, wires *w);
void fp8mac_cycles_load_clock(machine *m, const wires *w);
void fp8mac_cycles_image_wires(const machine *m, wires *w);
// Strips of an image that may wait
uint32_t fp8mac_cycles_strips(const machine *m);
void fp8mac_cycles_strip_wires(const machine *m, wires *w);
void fp8mac_cycles_image_clock(machine *m, const wires *w);
void fp8mac_cycles_source_clock(machine *m, source *s, bool is_c, const wires *w);
void fp8mac_cycles_read_wires(machine *m, wires *w);
void fp8mac_cycles_read_rows(const machine *m, wires *w);
void fp8mac_cycles_read_clock(machine *m, const wires *w);
void fp8mac_cycles_memory_wires(const machine *m, wires *w);
void fp8mac_cycles_memory_clock(machine *m, const wires *w);
void fp8mac_cycles_compute_wires(const machine *m, wires *w);
void fp8mac_cycles_compute_clock(machine *m, const wires *w);
void fp8mac_cycles_array_clock(machine *m, const wires *w);
void fp8mac_cycles_store_wires(machine *m, wires *w);
void fp8mac_cycles_store_clock(machine *m, const wires *w);
void fp8mac_cycles_epilogue_clock(machine *m);
void fp8mac_cycles_write_wires(machine *m, wires *w);
void fp8mac_cycles_write_clock(machine *m, const wires *w);

// Tells the watcher what happens in this cycle, before the registers and the counters change
void fp8mac_cycles_watch_clock(machine *m, const wires *w);
// The same for so many idle cycles that are left out
void fp8mac_cycles_watch_skip(machine *m, uint64_t cycles);

// Whether C and products of scales share multipliers: scales differ from row to row or
// from column to column
static inline bool fp8mac_cycles_shares_products(const fp8mac_command *c, const tile_key *key)
{
    return key->reads_c && key->step == FP8MAC_STEP_NONE && (c->a.scale_vec || c->b.scale_vec);
}

// Exponentials use the epilogue's operators twice.
static inline bool fp8mac_cycles_is_exponential(fp8mac_rows_step step)
{
    return step == FP8MAC_STEP_EXP_SUM || step == FP8MAC_STEP_EXP_OUT;
}

// Whether operators of the epilogue serve a transfer twice, so that the parity of its cycle counts
static inline bool fp8mac_cycles_uses_turn(const fp8mac_command *c, const tile_key *key)
{
    return fp8mac_cycles_is_exponential(key->step) || fp8mac_cycles_shares_products(c, key);
}

// Whether the results of a tile command are the scales of MX blocks, a byte of each row, and the
// beat of the first result
static inline bool fp8mac_cycles_writes_scales(const tile *t)
{
    return t->key.blocks && t->key.step == FP8MAC_STEP_RESULT;
}
static inline uint32_t fp8mac_cycles_d_address(const machine *m, const tile *t)
{
    const uint32_t scale = t->address[REGION_MX_A] + t->first_n / FP8MAC_MX_BLOCK;
    return fp8mac_cycles_writes_scales(t) ? scale & ~(m->p.beat - 1u) : t->address[REGION_D];
}

// A row at this address
row fp8mac_cycles_row_at(const parameters *p, row_kind kind, uint32_t address, uint32_t beats);
// The beats of the next burst, and whether it is the row's last one
uint32_t fp8mac_cycles_split_beats(const splitter *s);
static inline bool split_final(const splitter *s, uint32_t beats)
{
    return s->row.kind == ROW_NONE || s->row.beats == beats;
}
// The splitter's next burst, for the watcher, which moves to the one behind it
void fp8mac_cycles_split_tell(const parameters *p, splitter *s, bus_side *side);
void fp8mac_cycles_split_clock(const parameters *p, splitter *s, bool taken, bool row_valid,
                               const row *row);

#endif
