// SPDX-License-Identifier: Apache-2.0
// The part of the device interface that all back ends have in common.
#include "fp8rt/device.h"

#include <stddef.h>

#include "backend.h"
#include "stamp.h"

fp8rt_status fp8rt_device_open(fp8rt_device *dev)
{
    if (dev == NULL) {
        return FP8RT_ERR_NULL;
    }
    dev->stamp = 0;
    dev->begun = 0;
    dev->last_tag = 0;
    fp8rt_status status = fp8rt_backend_open(dev);
    if (status == FP8RT_OK) {
        dev->stamp = fp8rt_stamp(&dev->caps);
    }
    return status;
}

// Without a record, the command keeps its own tag for errors.
void fp8rt_device_push(fp8rt_device *dev, const fp8rt_command *command)
{
    fp8rt_backend_fetched(dev);
    fp8rt_backend_encode(command, &dev->descriptor);
    fp8rt_backend_submit(dev, &dev->descriptor, 0);
}

fp8rt_status fp8rt_device_submit(fp8rt_device *dev, const fp8rt_command *command)
{
    fp8rt_status status = dev->stamp == 0 ? FP8RT_ERR_NOT_OPEN : fp8rt_backend_room(dev);
    if (status == FP8RT_OK) {
        fp8rt_device_push(dev, command);
    }
    return status;
}

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
        dev->begun |= fp8rt_record_bit(dev, *tag);
    }
    return status;
}

fp8rt_status fp8rt_device_begin(fp8rt_device *dev, const fp8rt_command *command, uint16_t *tag)
{
    fp8rt_status status = dev->stamp == 0 ? FP8RT_ERR_NOT_OPEN : fp8rt_device_claim(dev, tag);
    if (status == FP8RT_OK) {
        fp8rt_backend_encode(command, &dev->descriptor);
        fp8rt_backend_submit(dev, &dev->descriptor, *tag);
    }
    return status;
}

fp8rt_status fp8rt_device_load_table(fp8rt_device *dev, uint32_t table, const uint8_t *codes)
{
    if (dev == NULL || codes == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (dev->stamp == 0) {
        return FP8RT_ERR_NOT_OPEN;
    }
    if ((dev->caps.functions & FP8RT_FUNCTION_TABLES) == 0 || table == 0 || table > FP8RT_TABLES) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    fp8rt_status status = fp8rt_device_clear(dev, 0);
    if (status == FP8RT_OK) {
        fp8rt_backend_load_table(dev, table, codes);
    }
    return status;
}

fp8rt_record fp8rt_device_end(fp8rt_device *dev, uint16_t tag)
{
    if (dev->stamp == 0) {
        return (fp8rt_record){.status = FP8RT_ERR_NOT_OPEN};
    }
    const fp8rt_record record = fp8rt_backend_end(dev, tag);
    dev->begun &= ~fp8rt_record_bit(dev, tag);
    return record;
}
