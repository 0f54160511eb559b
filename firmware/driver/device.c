// SPDX-License-Identifier: Apache-2.0
// The device interface over the accelerator's registers, for any core.
#include "fp8rt/device.h"

#include "backend.h"
#include "descriptor.h"
#include "fp8rt/registers.h"
#include "network_image.h"
#include "stamp.h"

#define READ(dev, name) read_register(dev, offsetof(fp8mac_regs_t, name))
#define WRITE(dev, name, value) write_register(dev, offsetof(fp8mac_regs_t, name), value)
#define IDENTITY FP8MAC_REGS__ID__VALUE_reset
#define OLDEST_VERSION                                                                             \
    (FP8RT_PUT(VERSION__MAJOR, FP8MAC_REGS__VERSION__MAJOR_reset) |                                \
     FP8RT_PUT(VERSION__MINOR, FP8MAC_REGS__VERSION__MINOR_reset))
#define IRQ_ALL                                                                                    \
    (FP8RT_BIT(IRQ_STATE__DONE) | FP8RT_BIT(IRQ_STATE__ERROR) | FP8RT_BIT(IRQ_STATE__PAUSED))

_Static_assert(FP8MAC_REGS__IRQ_ENABLE__DONE_bm == FP8MAC_REGS__IRQ_STATE__DONE_bm &&
                   FP8MAC_REGS__IRQ_ENABLE__ERROR_bm == FP8MAC_REGS__IRQ_STATE__ERROR_bm &&
                   FP8MAC_REGS__IRQ_ENABLE__PAUSED_bm == FP8MAC_REGS__IRQ_STATE__PAUSED_bm,
               "IRQ_ENABLE has each event where IRQ_STATE has it");

static inline uint32_t read_at(uintptr_t registers, size_t offset)
{
    return *(volatile uint32_t *)(registers + offset);
}

static inline uint32_t read_register(const fp8rt_device *dev, size_t offset)
{
    return read_at(dev->state.registers, offset);
}

static inline void write_register(const fp8rt_device *dev, size_t offset, uint32_t value)
{
    *(volatile uint32_t *)(dev->state.registers + offset) = value;
}

static fp8rt_caps read_caps(const fp8rt_device *dev)
{
    uint32_t config0 = READ(dev, CONFIG0), config1 = READ(dev, CONFIG1),
             config2 = READ(dev, CONFIG2), config3 = READ(dev, CONFIG3),
             config4 = READ(dev, CONFIG4), release = READ(dev, RELEASE);
    return (fp8rt_caps){
        .rows = (uint16_t)FP8RT_GET(CONFIG0__ROWS, config0),
        .cols = (uint16_t)FP8RT_GET(CONFIG0__COLS, config0),
        .lanes = (uint16_t)FP8RT_GET(CONFIG0__LANES, config0),
        .beat_bytes = (uint16_t)FP8RT_GET(CONFIG0__BEAT_BYTES, config0),
        .block = (uint16_t)FP8RT_GET(CONFIG3__BLOCK, config3),
        .pass_tiles = (uint16_t)FP8RT_GET(CONFIG1__PASS_TILES, config1),
        .acc_tiles = (uint16_t)FP8RT_GET(CONFIG1__ACC_TILES, config1),
        .queue_depth = (uint16_t)FP8RT_GET(CONFIG1__QUEUE_DEPTH, config1),
        .records = (uint16_t)FP8RT_GET(CONFIG3__RECORDS, config3),
        .buf_beats = (uint16_t)FP8RT_GET(CONFIG2__BUF_BEATS, config2),
        .max_mn = (uint16_t)FP8RT_GET(CONFIG2__MAX_MN, config2),
        .functions = config4,
        .element = fp8rt_element_decode(READ(dev, ELEMENT)),
        .release_major = (uint8_t)FP8RT_GET(RELEASE__MAJOR, release),
        .release_minor = (uint8_t)FP8RT_GET(RELEASE__MINOR, release),
        .release_patch = (uint8_t)FP8RT_GET(RELEASE__PATCH, release),
    };
}

// Whether the registers have the layout that this file reads, and the elements are of a kind in the
// catalogue.
static bool is_known(const fp8rt_device *dev)
{
    if (READ(dev, ID) != IDENTITY) {
        return false;
    }
    uint32_t version = READ(dev, VERSION);
    if (FP8RT_GET(VERSION__MAJOR, version) != FP8MAC_REGS__VERSION__MAJOR_reset ||
        version < OLDEST_VERSION) {
        return false;
    }
    return fp8rt_element_name(FP8RT_GET(ELEMENT__KIND, READ(dev, ELEMENT))) != NULL;
}

// Records that a program before has not released. RECORD_STATUS tells the tag of each.
static void release_records(const fp8rt_device *dev)
{
    for (uint32_t index = 0; index < dev->caps.records; index++) {
        WRITE(dev, RECORD_SELECT, index);
        WRITE(dev, RECORD_RELEASE, FP8RT_GET(RECORD_STATUS__TAG, READ(dev, RECORD_STATUS)));
    }
}

fp8rt_status fp8rt_backend_open(fp8rt_device *dev)
{
    dev->state.registers = dev->port->registers;
    if (dev->port->registers == 0) {
        return FP8RT_ERR_NULL;
    }
    if (!is_known(dev)) {
        return FP8RT_ERR_NO_DEVICE;
    }
    dev->caps = read_caps(dev);
    WRITE(dev, IRQ_ENABLE, IRQ_ALL);
    fp8rt_status status = fp8rt_backend_reset(dev);
    if (status != FP8RT_OK) {
        return status;
    }
    release_records(dev);
    return fp8rt_backend_clear(dev, FP8RT_CLEAR_FLAGS | FP8RT_CLEAR_COUNTERS);
}

// ---- waiting ------------------------------------------------------------------------------------

// Of a STATUS at which a wait ended
static fp8rt_status status_of(uint32_t status)
{
    if (!(status & FP8RT_BIT(STATUS__ERROR))) {
        return (status & FP8RT_BIT(STATUS__DRAINING)) ? FP8RT_ERR_SILENT : FP8RT_OK;
    }
    return (fp8rt_status)(FP8RT_ERR_HW + (int)FP8RT_GET(STATUS__ERROR_CODE, status));
}

static inline void sleep_until_event(fp8rt_device *dev)
{
    if (dev->port->sleep != NULL) {
        dev->port->sleep(dev);
    }
}

// An event that comes before the writing is lost, but not its effect: whoever sleeps reads STATUS
// behind.
void fp8rt_backend_lower(fp8rt_device *dev)
{
    WRITE(dev, IRQ_STATE, IRQ_ALL);
}

bool fp8rt_backend_acknowledge(fp8rt_device *dev)
{
    const uint32_t events = READ(dev, IRQ_STATE);
    WRITE(dev, IRQ_STATE, events);
    return (events & FP8RT_BIT(IRQ_STATE__ERROR)) != 0;
}

// The accelerator's own clock. fp8rt_device_clear and runs set it to 0, while no command is in
// flight.
static uint32_t cycles_now(const fp8rt_device *dev)
{
    return READ(dev, CYCLES);
}

// The longest wait for a bus that owes answers after its commands were dropped
static uint32_t drain_limit(const fp8rt_device *dev)
{
    uint32_t watchdog = FP8RT_GET(WATCHDOG__CYCLES, READ(dev, WATCHDOG));
    return watchdog == 0 ? FP8MAC_REGS__WATCHDOG__CYCLES_reset : watchdog;
}

typedef bool stop_when(const fp8rt_device *dev, uint32_t status, uint32_t context);

// Reads STATUS until `stop(dev, status, context)` returns true, or the bus has been drained in vain
// for drain_limit() cycles. The watchdog bounds the time until the drain state. An event after a
// reading ends the sleep.
static uint32_t await(fp8rt_device *dev, stop_when *stop, uint32_t context)
{
    uint32_t start = 0, limit = 0; // of the drain state
    for (;;) {
        const uint32_t status = READ(dev, STATUS);
        if (stop(dev, status, context)) {
            return status;
        }
        // After an error, the last event may have passed while the rest of the queue still leaves.
        // No event tells the end of the drain state. So this loop polls in both.
        if (status & FP8RT_BIT(STATUS__DRAINING)) {
            if (limit == 0) {
                limit = drain_limit(dev);
                start = cycles_now(dev);
            } else if (cycles_now(dev) - start > limit) {
                return status;
            }
        } else if (!(status & FP8RT_BIT(STATUS__ERROR))) {
            sleep_until_event(dev);
        }
    }
}

static bool takes_commands(const fp8rt_device *dev, uint32_t status, uint32_t context)
{
    (void)dev, (void)context;
    return !(status & (FP8RT_BIT(STATUS__QUEUE_FULL) | FP8RT_BIT(STATUS__DRAINING))) ||
           (status & FP8RT_BIT(STATUS__ERROR)) != 0;
}

static bool is_idle(uint32_t status)
{
    return (status & FP8RT_BIT(STATUS__IDLE)) != 0;
}

static bool stops_idle(const fp8rt_device *dev, uint32_t status, uint32_t context)
{
    (void)dev, (void)context;
    return is_idle(status);
}

// Most waits are over at the first reading. So the rest is out of the way.
static __attribute__((noinline, cold)) uint32_t await_idle_longer(fp8rt_device *dev)
{
    return await(dev, stops_idle, 0);
}

// For a caller that knows the address of the registers
static inline uint32_t await_idle_at(fp8rt_device *dev, uintptr_t registers)
{
    const uint32_t status = read_at(registers, offsetof(fp8mac_regs_t, STATUS));
    return is_idle(status) ? status : await_idle_longer(dev);
}

static inline uint32_t await_idle(fp8rt_device *dev)
{
    return await_idle_at(dev, dev->state.registers);
}

// ---- commands -----------------------------------------------------------------------------------

// The words of a descriptor are the command registers in their order. Behind them come the
// words of the extension.
#define WORD(name) words[FP8MAC_WORD_##name]

void fp8rt_backend_fetched(const fp8rt_device *dev)
{
    while (READ(dev, STATUS) & FP8RT_BIT(STATUS__FETCHING)) {
    }
}

void fp8rt_backend_encode(const fp8rt_command *command, fp8rt_descriptor *descriptor)
{
    uint32_t *words = descriptor->words;
    fp8mac_words_of_command(command, words);
    WORD(MODE) |= FP8RT_BIT(MODE__IRQ); // every completion may be what a sleeper waits for
}

fp8rt_command fp8rt_backend_decode(const fp8rt_descriptor *descriptor)
{
    return fp8mac_command_of_words(descriptor->words);
}

void fp8rt_backend_set_matrices(fp8rt_descriptor *descriptor, uintptr_t a, uintptr_t b, uintptr_t d)
{
    uint32_t *words = descriptor->words;
    WORD(A_ADDR) = a;
    WORD(B_ADDR) = b;
    WORD(D_ADDR) = d;
}

void fp8rt_backend_set_scales(fp8rt_descriptor *descriptor, uintptr_t scale_a, uintptr_t scale_b,
                              uintptr_t bias, uint32_t scale_d)
{
    uint32_t *words = descriptor->words;
    WORD(SCALE_A) = scale_a;
    WORD(SCALE_B) = scale_b;
    WORD(BIAS) = bias;
    WORD(SCALE_D) = scale_d;
}

void fp8rt_backend_get_scales(const fp8rt_descriptor *descriptor, fp8rt_command *command)
{
    const uint32_t *words = descriptor->words;
    command->a.scale = WORD(SCALE_A);
    command->b.scale = WORD(SCALE_B);
    command->finish.bias = WORD(BIAS);
}

void fp8rt_backend_set_beta(fp8rt_descriptor *descriptor, uint32_t beta)
{
    uint32_t *words = descriptor->words;
    WORD(BETA) = beta;
}

// The accelerator sees in memory what the core has written.
static inline void publish(fp8rt_device *dev, const fp8rt_descriptor *descriptor)
{
    if (dev->port->clean != NULL) {
        dev->port->clean(dev, descriptor, sizeof *descriptor);
    }
    FP8RT_PORT_BARRIER();
}

static inline void ring(const fp8rt_device *dev, const fp8rt_descriptor *descriptor)
{
    WRITE(dev, DOORBELL, (uint32_t)(uintptr_t)descriptor->words);
}

fp8rt_status fp8rt_backend_clear(fp8rt_device *dev, uint32_t what)
{
    if (!is_idle(await_idle(dev))) {
        return FP8RT_ERR_SILENT;
    }
    WRITE(dev, CTRL, what & (FP8RT_CLEAR_ERROR | FP8RT_CLEAR_FLAGS | FP8RT_CLEAR_COUNTERS));
    if ((what & FP8RT_CLEAR_ERROR) != 0) {
        WRITE(dev, IRQ_STATE, FP8RT_BIT(IRQ_STATE__ERROR));
    }
    return FP8RT_OK;
}

// Of a STATUS at which await_idle returned
static inline fp8rt_status idle_status(uint32_t status)
{
    return is_idle(status) ? status_of(status) : FP8RT_ERR_SILENT;
}

fp8rt_status fp8rt_backend_wait(fp8rt_device *dev)
{
    const uint32_t status = await_idle(dev);
    FP8RT_PORT_BARRIER();
    return idle_status(status);
}

void fp8rt_backend_submit(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint16_t tag)
{
    uint32_t *words = descriptor->words;
    if (tag != 0) {
        WORD(MODE) |= FP8RT_BIT(MODE__RECORD);
        WORD(SUBMIT) = FP8RT_PUT(SUBMIT__TAG, tag);
    } else {
        WORD(MODE) &= ~FP8RT_BIT(MODE__RECORD);
    }
    publish(dev, descriptor);
    ring(dev, descriptor);
}

// While the accelerator is idle, only CYCLES and CYC_IDLE advance. So the idle cycles at the
// reading of CYCLES, which is the first one, are the difference between it and the other parts.
static void counters_at(const fp8rt_device *dev, uint32_t cycles, fp8rt_counters *counters)
{
    *counters = (fp8rt_counters){
        .cycles = cycles,
        .compute = READ(dev, CYC_COMPUTE),
        .results = READ(dev, CYC_RESULTS),
        .spacing = READ(dev, CYC_SPACING),
        .first_load = READ(dev, CYC_FIRST_LOAD),
        .load = READ(dev, CYC_LOAD),
        .command = READ(dev, CYC_COMMAND),
        .store = READ(dev, CYC_STORE),
        .macs = (uint64_t)READ(dev, MACS_HI) << 32 | READ(dev, MACS_LO),
        .read_beats = READ(dev, READ_BEATS),
        .write_beats = READ(dev, WRITE_BEATS),
    };
    counters->idle = cycles - counters->compute - counters->results - counters->spacing -
                     counters->first_load - counters->load - counters->command - counters->store;
}

void fp8rt_backend_counters(const fp8rt_device *dev, fp8rt_counters *counters)
{
    counters_at(dev, READ(dev, CYCLES), counters);
}

// Counters start with the write of CTRL, so all that can be done before it is. Nor is the
// address of the registers loaded again behind the sleep. Returns the last STATUS; *cycles:
// CYCLES at it, NULL: not wanted.
static inline uint32_t run(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear,
                           uint32_t *cycles)
{
    uint32_t *words = descriptor->words;
    const uintptr_t registers = dev->state.registers;
    uint32_t status = await_idle_at(dev, registers);
    if (is_idle(status)) {
        WORD(MODE) &= ~FP8RT_BIT(MODE__RECORD);
        publish(dev, descriptor);
        WRITE(dev, CTRL, clear);
        ring(dev, descriptor);
        sleep_until_event(dev);
        status = await_idle_at(dev, registers);
    }
    if (cycles != NULL) {
        *cycles = read_at(registers, offsetof(fp8mac_regs_t, CYCLES));
    }
    return status;
}

fp8rt_status fp8rt_backend_run(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear)
{
    const uint32_t status = run(dev, descriptor, clear, NULL);
    FP8RT_PORT_BARRIER();
    return idle_status(status);
}

fp8rt_status fp8rt_backend_count(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear,
                                 fp8rt_counters *counters)
{
    uint32_t cycles;
    const uint32_t status = run(dev, descriptor, clear, &cycles);
    counters_at(dev, cycles, counters);
    FP8RT_PORT_BARRIER();
    return idle_status(status);
}

fp8rt_status fp8rt_backend_room(fp8rt_device *dev)
{
    uint32_t status = READ(dev, STATUS);
    if (!takes_commands(dev, status, 0)) {
        status = await(dev, takes_commands, 0);
    }
    if (status & FP8RT_BIT(STATUS__FETCHING)) {
        fp8rt_backend_fetched(dev);
    }
    return status_of(status);
}

// ---- lists --------------------------------------------------------------------------------------

static inline uint32_t list_address(const fp8rt_network *network, uint32_t word)
{
    return (uint32_t)(uintptr_t)(fp8rt_list_of(network) + word);
}

void fp8rt_backend_list_start(fp8rt_device *dev, const fp8rt_network *network, uint32_t word)
{
    FP8RT_PORT_BARRIER();
    WRITE(dev, DOORBELL, list_address(network, word));
}

// LIST differs from the address of `last` in a pause, too: PAUSED is one of its bits.
fp8rt_status fp8rt_backend_list_run(fp8rt_device *dev, const fp8rt_network *network, uint32_t first,
                                    uint32_t last)
{
    const uintptr_t registers = dev->state.registers;
    uint32_t status = await_idle_at(dev, registers);
    if (idle_status(status) != FP8RT_OK) {
        return idle_status(status);
    }
    FP8RT_PORT_BARRIER();
    WRITE(dev, CTRL, FP8RT_CLEAR_FLAGS | FP8RT_CLEAR_COUNTERS);
    WRITE(dev, DOORBELL, list_address(network, first));
    const uint32_t end = list_address(network, last);
    sleep_until_event(dev);
    status = read_at(registers, offsetof(fp8mac_regs_t, STATUS));
    FP8RT_PORT_BARRIER();
    return idle_status(status) == FP8RT_OK &&
                   read_at(registers, offsetof(fp8mac_regs_t, LIST)) == end
               ? FP8RT_OK
               : FP8RT_ERR_LATE;
}

static fp8rt_list_state list_state(const fp8rt_device *dev, uint32_t status)
{
    if (!is_idle(status)) {
        return FP8RT_LIST_RUNS;
    }
    FP8RT_PORT_BARRIER();
    return (READ(dev, LIST) & FP8RT_BIT(LIST__PAUSED)) != 0 ? FP8RT_LIST_PAUSES : FP8RT_LIST_ENDED;
}

fp8rt_list_state fp8rt_backend_list_look(const fp8rt_device *dev)
{
    return list_state(dev, READ(dev, STATUS));
}

fp8rt_list_state fp8rt_backend_list_await(fp8rt_device *dev)
{
    return list_state(dev, await_idle(dev));
}

void fp8rt_backend_list_resume(fp8rt_device *dev)
{
    FP8RT_PORT_BARRIER();
    WRITE(dev, CTRL, FP8RT_BIT(CTRL__RESUME));
}

uint32_t fp8rt_backend_list_position(const fp8rt_device *dev)
{
    return READ(dev, LIST) & FP8RT_BIT(LIST__POSITION);
}

void fp8rt_device_pause_limit(fp8rt_device *dev, uint32_t cycles)
{
    WRITE(dev, PAUSE_LIMIT, cycles);
}

// ---- commands with a record ---------------------------------------------------------------------

// `bit` of its record. A command without one was dropped before the accelerator was idle.
static bool is_ended(const fp8rt_device *dev, uint32_t status, uint32_t bit)
{
    return (status & FP8RT_BIT(STATUS__IDLE)) != 0 || (READ(dev, RECORD_DONE) & bit) != 0;
}

bool fp8rt_device_is_done(const fp8rt_device *dev, uint16_t tag)
{
    return !fp8rt_is_begun(dev, tag) ||
           is_ended(dev, READ(dev, STATUS), fp8rt_record_bit(dev, tag));
}

fp8rt_status fp8rt_device_await(const fp8rt_device *dev, uint16_t tag, uint32_t cycles)
{
    const fp8rt_status open = fp8rt_open_status(dev);
    if (open != FP8RT_OK) {
        return open;
    }
    const uint32_t start = cycles_now(dev);
    while (!fp8rt_device_is_done(dev, tag)) {
        if (cycles_now(dev) - start >= cycles) {
            return fp8rt_device_is_done(dev, tag) ? FP8RT_OK : FP8RT_ERR_LATE; // CYCLES may restart
        }
    }
    return FP8RT_OK;
}

static fp8rt_observed observed_of(uint32_t flags, uint32_t amax)
{
    return (fp8rt_observed){
        .flags = flags & (FP8MAC_FLAG_INVALID | FP8MAC_FLAG_OVERFLOW | FP8MAC_FLAG_SATURATED |
                          FP8MAC_FLAG_NAN),
        .amax_nonfinite = (flags & FP8RT_BIT(FLAGS__AMAX_NONFINITE)) != 0,
        .amax = amax,
    };
}

// What became of a command that left no record: it was not accepted. Only the last one can have
// been a descriptor that the accelerator could not read, which has the tag 0.
static fp8rt_status without_record(const fp8rt_device *dev, uint16_t tag, uint32_t status)
{
    if (!is_idle(status)) {
        return FP8RT_ERR_SILENT;
    }
    bool unread = (status & FP8RT_BIT(STATUS__ERROR)) != 0 &&
                  FP8RT_GET(STATUS__ERROR_TAG, status) == 0 && tag == dev->last_tag;
    return unread ? status_of(status) : FP8RT_ERR_HW_DROPPED;
}

uint32_t fp8rt_backend_done(const fp8rt_device *dev)
{
    return READ(dev, RECORD_DONE);
}

fp8rt_record fp8rt_backend_end(fp8rt_device *dev, uint16_t tag)
{
    fp8rt_record record = {.status = FP8RT_OK};
    const uint32_t bit = fp8rt_record_bit(dev, tag);
    uint32_t status = READ(dev, STATUS);
    if (!is_ended(dev, status, bit)) {
        status = await(dev, is_ended, bit);
    }
    FP8RT_PORT_BARRIER();
    WRITE(dev, RECORD_SELECT, tag);
    const uint32_t word = READ(dev, RECORD_STATUS);
    if ((word & FP8RT_BIT(RECORD_STATUS__DONE)) && FP8RT_GET(RECORD_STATUS__TAG, word) == tag) {
        const uint32_t code = FP8RT_GET(RECORD_STATUS__ERROR_CODE, word);
        record.status = code == 0 ? FP8RT_OK : (fp8rt_status)(FP8RT_ERR_HW + (int)code);
        record.observed = observed_of(word, READ(dev, RECORD_AMAX));
        WRITE(dev, RECORD_RELEASE, tag);
    } else {
        record.status = without_record(dev, tag, status);
    }
    return record;
}

uint16_t fp8rt_device_error_tag(const fp8rt_device *dev)
{
    uint32_t status = READ(dev, STATUS);
    return (status & FP8RT_BIT(STATUS__ERROR)) ? (uint16_t)FP8RT_GET(STATUS__ERROR_TAG, status) : 0;
}

// ---- what happened ------------------------------------------------------------------------------

_Static_assert(FP8RT_CLEAR_ERROR == FP8MAC_REGS__CTRL__CLEAR_ERROR_bm &&
                   FP8RT_CLEAR_FLAGS == FP8MAC_REGS__CTRL__CLEAR_FLAGS_bm &&
                   FP8RT_CLEAR_COUNTERS == FP8MAC_REGS__CTRL__CLEAR_COUNTERS_bm,
               "FP8RT_CLEAR_* are CTRL's bits");
_Static_assert(FP8MAC_FLAG_INVALID == FP8MAC_REGS__FLAGS__INVALID_bm &&
                   FP8MAC_FLAG_OVERFLOW == FP8MAC_REGS__FLAGS__OVERFLOW_bm &&
                   FP8MAC_FLAG_SATURATED == FP8MAC_REGS__FLAGS__SATURATED_bm &&
                   FP8MAC_FLAG_NAN == FP8MAC_REGS__FLAGS__NAN_bm,
               "FP8MAC_FLAG_* are FLAGS' bits");
_Static_assert(FP8MAC_REGS__FLAGS__AMAX_NONFINITE_bm ==
                       FP8MAC_REGS__RECORD_STATUS__AMAX_NONFINITE_bm &&
                   FP8MAC_REGS__FLAGS__INVALID_bm == FP8MAC_REGS__RECORD_STATUS__INVALID_bm &&
                   FP8MAC_REGS__FLAGS__OVERFLOW_bm == FP8MAC_REGS__RECORD_STATUS__OVERFLOW_bm &&
                   FP8MAC_REGS__FLAGS__SATURATED_bm == FP8MAC_REGS__RECORD_STATUS__SATURATED_bm &&
                   FP8MAC_REGS__FLAGS__NAN_bm == FP8MAC_REGS__RECORD_STATUS__NAN_bm,
               "a record has its flags where FLAGS has them");

void fp8rt_backend_load_table(fp8rt_device *dev, uint32_t table, const uint8_t *codes)
{
    WRITE(dev, TABLE_INDEX, FP8RT_PUT(TABLE_INDEX__SECOND, table == 2));
    for (uint32_t i = 0; i < FP8RT_TABLE_CODES; i += 4) {
        WRITE(dev, TABLE_DATA,
              (uint32_t)codes[i] | (uint32_t)codes[i + 1] << 8 | (uint32_t)codes[i + 2] << 16 |
                  (uint32_t)codes[i + 3] << 24);
    }
}

fp8rt_status fp8rt_backend_reset(fp8rt_device *dev)
{
    WRITE(dev, CTRL, FP8RT_BIT(CTRL__SOFT_RESET));
    return fp8rt_backend_clear(dev, 0);
}

void fp8rt_device_watchdog(fp8rt_device *dev, uint32_t cycles)
{
    WRITE(dev, WATCHDOG, FP8RT_PUT(WATCHDOG__CYCLES, cycles));
}

fp8rt_observed fp8rt_device_observed(const fp8rt_device *dev)
{
    const uint32_t flags = READ(dev, FLAGS);
    return observed_of(flags, READ(dev, AMAX));
}

fp8rt_counters fp8rt_device_counters(const fp8rt_device *dev)
{
    fp8rt_counters counters;
    fp8rt_backend_counters(dev, &counters);
    return counters;
}
