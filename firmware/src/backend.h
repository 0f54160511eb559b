// SPDX-License-Identifier: Apache-2.0
// What a back end provides for the library, beside the functions of fp8rt/device.h that take no
// lock.
#ifndef FP8RT_BACKEND_H
#define FP8RT_BACKEND_H

#include <stddef.h>

#include "fp8rt/device.h"
#include "fp8rt/network.h"

// The record of the command with this tag; one that no command has, if the accelerator has none.
static inline uint32_t fp8rt_record_of(const fp8rt_device *dev, uint16_t tag)
{
    return tag & (dev->caps.records - 1u) & (FP8RT_RECORDS - 1u);
}

static inline uint32_t fp8rt_record_bit(const fp8rt_device *dev, uint16_t tag)
{
    return 1u << fp8rt_record_of(dev, tag);
}

static inline fp8rt_flight *fp8rt_flight_of(fp8rt_device *dev, uint16_t tag)
{
    return &dev->flights[fp8rt_record_of(dev, tag)];
}

// Whether the command with this tag was begun and not ended.
static inline bool fp8rt_is_begun(const fp8rt_device *dev, uint16_t tag)
{
    return tag != 0 && dev->flights[fp8rt_record_of(dev, tag)].tag == tag;
}

// The mutex of the port.
static inline void fp8rt_lock(fp8rt_device *dev)
{
    if (dev->port->lock != NULL) {
        dev->port->lock(dev);
    }
}

static inline void fp8rt_unlock(fp8rt_device *dev)
{
    if (dev->port->unlock != NULL) {
        dev->port->unlock(dev);
    }
}

// ---- of src/device.c, with the lock held --------------------------------------------------------

// From now on the device belongs to a network that runs, and others leave errors, flags and
// counters to it. NULL: to nobody. `plain` of dev: whether the port has neither lock nor cache.
static inline void fp8rt_hold_by(fp8rt_device *dev, fp8rt_network *network, bool plain)
{
    dev->network = network;
    dev->clears =
        network == NULL ? FP8RT_CLEAR_ERROR | FP8RT_CLEAR_FLAGS | FP8RT_CLEAR_COUNTERS : 0;
    dev->plain = network == NULL && plain;
}

// The same, for any port.
void fp8rt_device_hold(fp8rt_device *dev, fp8rt_network *network);
// Chooses the tag of a command with a record, and waits for room as fp8rt_backend_room does.
fp8rt_status fp8rt_device_claim(fp8rt_device *dev, uint16_t *tag);

// ---- of the back end, with the lock held --------------------------------------------------------

// Fills caps and state for dev->port, resets the accelerator, clears flags and counters,
// releases all records.
fp8rt_status fp8rt_backend_open(fp8rt_device *dev);
// Sleeps while the queue is full. FP8RT_OK: there is room for a command, and the accelerator reads
// no descriptor. Otherwise as fp8rt_device_submit.
fp8rt_status fp8rt_backend_room(fp8rt_device *dev);
// Waits until the accelerator reads no descriptor, so that all of them may be changed.
void fp8rt_backend_fetched(const fp8rt_device *dev);
// The command as the accelerator reads it.
void fp8rt_backend_encode(const fp8rt_command *command, fp8rt_descriptor *descriptor);
fp8rt_command fp8rt_backend_decode(const fp8rt_descriptor *descriptor);
// Changes a part of a descriptor.
void fp8rt_backend_set_matrices(fp8rt_descriptor *descriptor, uintptr_t a, uintptr_t b,
                                uintptr_t d);
void fp8rt_backend_set_scales(fp8rt_descriptor *descriptor, uintptr_t scale_a, uintptr_t scale_b,
                              uintptr_t bias, uint32_t scale_d);
// The words of SCALE_A, SCALE_B and BIAS as members of the command
void fp8rt_backend_get_scales(const fp8rt_descriptor *descriptor, fp8rt_command *command);
void fp8rt_backend_set_beta(fp8rt_descriptor *descriptor, uint32_t beta);
// Submits a descriptor, which stays unchanged until fp8rt_backend_fetched returns. A tag of 0: the
// command has no record. A full queue drops it, and the next wait returns FP8RT_ERR_HW_QUEUE_FULL.
void fp8rt_backend_submit(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint16_t tag);
// Waits until no command is in flight, clears `clear`, an OR of FP8RT_CLEAR_*, submits the
// descriptor without a record, and waits again. As fp8rt_backend_wait.
fp8rt_status fp8rt_backend_run(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear);
// The same, with the counters at the moment at which the wait ends.
fp8rt_status fp8rt_backend_count(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear,
                                 fp8rt_counters *counters);
// As fp8rt_device_counters, in place.
void fp8rt_backend_counters(const fp8rt_device *dev, fp8rt_counters *counters);
// Writes a table that exists, while no command is in flight.
void fp8rt_backend_load_table(fp8rt_device *dev, uint32_t table, const uint8_t *codes);
// As the functions of the device that have their names.
fp8rt_status fp8rt_backend_wait(fp8rt_device *dev);
fp8rt_record fp8rt_backend_end(fp8rt_device *dev, uint16_t tag);
fp8rt_status fp8rt_backend_clear(fp8rt_device *dev, uint32_t what);
fp8rt_status fp8rt_backend_reset(fp8rt_device *dev);

// ---- of the back end, for lists -----------------------------------------------------------------

typedef enum fp8rt_list_state {
    FP8RT_LIST_RUNS,
    FP8RT_LIST_PAUSES, // and no command is in flight
    FP8RT_LIST_ENDED,  // or has failed, and no command is in flight
} fp8rt_list_state;

// Starts the network's list with the descriptor at `word`, while no command is in flight.
void fp8rt_backend_list_start(fp8rt_device *dev, const fp8rt_network *network, uint32_t word);
// A whole start and end in one call. Waits until no command is in flight, clears flags and
// counters, starts the list at the descriptor `first`, and sleeps until an event. FP8RT_OK: the
// descriptor `last` was read last, and all commands have ended. FP8RT_ERR_LATE: it has started, and
// fp8rt_backend_list_await tells more. Otherwise as fp8rt_backend_wait: nothing was started.
fp8rt_status fp8rt_backend_list_run(fp8rt_device *dev, const fp8rt_network *network, uint32_t first,
                                    uint32_t last);
fp8rt_list_state fp8rt_backend_list_look(const fp8rt_device *dev);
// The same, after sleeping until it does not run.
fp8rt_list_state fp8rt_backend_list_await(fp8rt_device *dev);
void fp8rt_backend_list_resume(fp8rt_device *dev);
// Bits 31:0 of the address of the descriptor that was read last, or behind the pause.
uint32_t fp8rt_backend_list_position(const fp8rt_device *dev);

// ---- of the back end, for the interrupt ---------------------------------------------------------

// Lowers the interrupt line. What its events have done is in the registers.
void fp8rt_backend_lower(fp8rt_device *dev);
// The same. Whether one of the events since the last call was an error.
bool fp8rt_backend_acknowledge(fp8rt_device *dev);
// The records, a bit each, that are complete and not released.
uint32_t fp8rt_backend_done(const fp8rt_device *dev);

#endif
