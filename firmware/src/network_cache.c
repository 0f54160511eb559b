// SPDX-License-Identifier: Apache-2.0
// The processor's cache around recorded networks.
#include "cache.h"
#include "descriptor.h"
#include "network_image.h"

void fp8rt_network_clean(fp8rt_network *network)
{
    fp8rt_device *dev = network->dev;
    const uint32_t *const list = fp8rt_list_of(network);
    for (uint32_t word = network->position; word < fp8rt_list_words(network);
         word += fp8rt_words_stride(&dev->caps, &list[word])) {
        const fp8rt_command command = fp8mac_command_of_words(&list[word]);
        fp8rt_cache_command(dev, &command, FP8RT_CACHE_BEFORE);
    }
    dev->port->clean(dev, list, fp8rt_list_words(network) * sizeof *list);
}

void fp8rt_network_invalidate(fp8rt_network *network, uint32_t end)
{
    fp8rt_device *dev = network->dev;
    const uint32_t *const list = fp8rt_list_of(network);
    for (uint32_t word = network->position; dev->port->invalidate != NULL && word < end;
         word += fp8rt_words_stride(&dev->caps, &list[word])) {
        const fp8rt_command command = fp8mac_command_of_words(&list[word]);
        fp8rt_cache_command(dev, &command, FP8RT_CACHE_BEHIND);
    }
}
