// SPDX-License-Identifier: Apache-2.0
// The part of the device interface that all back ends have in common.
#include "fp8rt/device.h"

#include <stddef.h>
#include <string.h>

#include "backend.h"
#include "cache.h"
#include "stamp.h"

void fp8rt_device_hold(fp8rt_device *dev, fp8rt_network *network)
{
    const fp8rt_port *port = dev->port;
    fp8rt_hold_by(dev, network,
                  port->lock == NULL && port->clean == NULL && port->invalidate == NULL);
}

fp8rt_status fp8rt_device_open(fp8rt_device *dev, const fp8rt_port *port)
{
    if (dev == NULL || port == NULL) {
        return FP8RT_ERR_NULL;
    }
    dev->port = port;
    fp8rt_device_hold(dev, NULL);
    dev->stamp = 0;
    dev->begun = 0;
    dev->last_tag = 0;
    dev->resets = 0;
    dev->completed = NULL;
    memset(dev->flights, 0, sizeof dev->flights);
    fp8rt_status status = fp8rt_backend_open(dev);
    if (status == FP8RT_OK) {
        dev->stamp = fp8rt_stamp(&dev->caps);
    }
    return status;
}

// ---- commands -----------------------------------------------------------------------------------

// Without a record, the command keeps its own tag for errors.
static void push(fp8rt_device *dev, const fp8rt_command *command)
{
    fp8rt_backend_fetched(dev);
    fp8rt_backend_encode(command, &dev->descriptor);
    fp8rt_backend_submit(dev, &dev->descriptor, 0);
}

void fp8rt_device_push(fp8rt_device *dev, const fp8rt_command *command)
{
    fp8rt_lock(dev);
    push(dev, command);
    fp8rt_unlock(dev);
}

fp8rt_status fp8rt_device_submit(fp8rt_device *dev, const fp8rt_command *command)
{
    fp8rt_status status = fp8rt_open_status(dev);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_lock(dev);
    status = fp8rt_backend_room(dev);
    if (status == FP8RT_OK) {
        push(dev, command);
    }
    fp8rt_unlock(dev);
    return status;
}

fp8rt_status fp8rt_device_wait(fp8rt_device *dev)
{
    fp8rt_status status = fp8rt_open_status(dev);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_lock(dev);
    status = fp8rt_backend_wait(dev);
    fp8rt_unlock(dev);
    return status;
}

// ---- commands with a record ---------------------------------------------------------------------

// Tags follow each other, but those whose record is in use and 0 are left out.
static uint16_t next_tag(const fp8rt_device *dev)
{
    uint16_t tag = dev->last_tag;
    do {
        tag++;
    } while (tag == 0 || (dev->begun & fp8rt_record_bit(dev, tag)) != 0);
    return tag;
}

fp8rt_status fp8rt_device_claim(fp8rt_device *dev, uint16_t *tag)
{
    const uint32_t all = dev->caps.records >= 32 ? UINT32_MAX : (1u << dev->caps.records) - 1u;
    if (dev->begun == all) {
        return FP8RT_ERR_RECORDS;
    }
    fp8rt_status status = fp8rt_backend_room(dev);
    if (status == FP8RT_OK) {
        *tag = dev->last_tag = next_tag(dev);
        *fp8rt_flight_of(dev, *tag) = (fp8rt_flight){.tag = *tag};
        dev->begun |= fp8rt_record_bit(dev, *tag);
    }
    return status;
}

fp8rt_status fp8rt_device_begin(fp8rt_device *dev, const fp8rt_command *command, uint16_t *tag)
{
    fp8rt_status status = fp8rt_open_status(dev);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_lock(dev);
    status = fp8rt_device_claim(dev, tag);
    if (status == FP8RT_OK) {
        fp8rt_backend_encode(command, &dev->descriptor);
        fp8rt_backend_submit(dev, &dev->descriptor, *tag);
    }
    fp8rt_unlock(dev);
    return status;
}

fp8rt_record fp8rt_device_end(fp8rt_device *dev, uint16_t tag)
{
    const fp8rt_status open = fp8rt_open_status(dev);
    if (open != FP8RT_OK) {
        return (fp8rt_record){.status = open};
    }
    fp8rt_lock(dev);
    if (!fp8rt_is_begun(dev, tag)) {
        fp8rt_unlock(dev);
        return (fp8rt_record){.status = FP8RT_ERR_HW_DROPPED};
    }
    const fp8rt_record record = fp8rt_backend_end(dev, tag);
    fp8rt_flight *flight = fp8rt_flight_of(dev, tag);
    fp8rt_cache_after(dev, flight->d, flight->d_bytes);
    flight->tag = 0;
    dev->begun &= ~fp8rt_record_bit(dev, tag);
    fp8rt_unlock(dev);
    return record;
}

// ---- completion ---------------------------------------------------------------------------------

void fp8rt_device_on_completion(fp8rt_device *dev, fp8rt_completion *completed, void *context)
{
    dev->completed = completed;
    dev->completed_context = context;
}

// A completion after the reading of the records has an event of its own. A sleeper without a
// function to call does not come here: it is in a hurry.
static __attribute__((noinline, cold)) void announce(fp8rt_device *dev)
{
    const bool error = fp8rt_backend_acknowledge(dev);
    uint32_t done = dev->begun & fp8rt_backend_done(dev);
    for (unsigned i = 0; done != 0; i++, done >>= 1) {
        fp8rt_flight *flight = &dev->flights[i];
        if ((done & 1u) != 0 && !flight->announced) {
            flight->announced = true;
            dev->completed(dev->completed_context, flight->tag);
        }
    }
    if (error) {
        dev->completed(dev->completed_context, 0);
    }
}

void fp8rt_device_interrupt(fp8rt_device *dev)
{
    if (dev->completed == NULL) {
        fp8rt_backend_lower(dev);
    } else {
        announce(dev);
    }
}

// ---- state --------------------------------------------------------------------------------------

fp8rt_status fp8rt_device_clear(fp8rt_device *dev, uint32_t what)
{
    fp8rt_status status = fp8rt_open_status(dev);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_lock(dev);
    status = fp8rt_backend_clear(dev, what);
    fp8rt_unlock(dev);
    return status;
}

fp8rt_status fp8rt_device_load_table(fp8rt_device *dev, uint32_t table, const uint8_t *codes)
{
    fp8rt_status status = codes == NULL ? FP8RT_ERR_NULL : fp8rt_open_status(dev);
    if (status != FP8RT_OK) {
        return status;
    }
    if ((dev->caps.functions & FP8MAC_FUNCTION_TABLES) == 0 || table == 0 || table > FP8RT_TABLES) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    fp8rt_lock(dev);
    status = fp8rt_backend_clear(dev, 0);
    if (status == FP8RT_OK) {
        fp8rt_backend_load_table(dev, table, codes);
    }
    fp8rt_unlock(dev);
    return status;
}

fp8rt_status fp8rt_device_reset(fp8rt_device *dev)
{
    fp8rt_status status = fp8rt_open_status(dev);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_lock(dev);
    dev->resets++;
    status = fp8rt_backend_reset(dev);
    fp8rt_unlock(dev);
    return status;
}

void fp8rt_counters_add(fp8rt_counters *sum, const fp8rt_counters *x)
{
    sum->cycles += x->cycles;
#define FP8RT_ADD(field, meaning) sum->field += x->field;
    FP8RT_CYCLE_PARTS(FP8RT_ADD)
#undef FP8RT_ADD
    sum->macs += x->macs;
    sum->read_beats += x->read_beats;
    sum->write_beats += x->write_beats;
}
