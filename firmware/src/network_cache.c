// SPDX-License-Identifier: Apache-2.0
// The processor's cache around recorded networks.
#include "cache.h"

#include "command_words.h"
#include "fp8mac/rows.h"
#include "fp8rt/registers.h"
#include "network_image.h"

static uint32_t bytes_of(uint32_t format)
{
    return fp8mac_format_bytes(fp8mac_format_get((fp8mac_format_id)format));
}

// A row command that gives MX codes and their scales
static bool writes_scales(const fp8rt_command *c)
{
    return (c->mode & FP8RT_BIT(MODE__EXTENDED)) != 0 &&
           fp8rt_operation_writes_scales(c->operation);
}

// The last row of D that a command with pairs writes, which has two for each row of A but the last ones
static uint32_t rows_of_pairs(const fp8rt_command *c)
{
    const uint32_t out_w = FP8RT_GET(CONV_SIZE__OUT_W, c->conv[1]), m = c->m,
                   seconds = c->c_stride < m ? c->c_stride : m;
    const uint32_t first = 2u * ((m - 1u) / out_w) * out_w + (m - 1u) % out_w,
                   second = seconds == 0 ? 0
                                         : (2u * ((seconds - 1u) / out_w) + 1u) * out_w +
                                               (seconds - 1u) % out_w;
    return (first > second ? first : second) + 1u;
}

// What lies at an address of the command
static fp8rt_region region_of(const fp8rt_caps *caps, const fp8rt_command *c, const uintptr_t *at)
{
    const uint32_t operation = (c->mode & FP8RT_BIT(MODE__EXTENDED)) != 0 ? c->operation : 0;
    const uint32_t op = FP8RT_GET(OPERATION__OP, operation);
    if (at == &c->a.address && (operation & FP8RT_BIT(OPERATION__CONV_A)) != 0) {
        return (fp8rt_region){*at, FP8RT_GET(CONV_SIZE__HEIGHT, c->conv[1]), c->a.stride,
                              FP8RT_GET(CONV_LINE__WIDTH, c->conv[0])};
    }
    if (at == &c->a.address) {
        const uint32_t x = c->n * bytes_of(FP8RT_GET(OPERATION__X_FMT, operation));
        return (fp8rt_region){*at, c->m, c->a.stride, op != FP8RT_OPERATION_GEMM ? x : c->k};
    }
    const bool pairs = (operation & FP8RT_BIT(OPERATION__PAIRS)) != 0;
    const uint32_t integer_scale = (caps->functions & FP8RT_FUNCTION_REQUANTISE) != 0 ? 8 : 4;
    if (at == &c->b.address) {
        return (fp8rt_region){*at, pairs ? 2u * c->n : c->n, c->b.stride, c->k};
    }
    if (at == &c->d) {
        const bool one = op == FP8RT_OPERATION_ROWS &&
                         fp8mac_rows_is_reduction(
                             (fp8mac_rows_operation)FP8RT_GET(OPERATION__ROW_OP, operation));
        return (fp8rt_region){*at, pairs ? rows_of_pairs(c) : c->m, c->d_stride,
                              (one ? 1 : c->n) * bytes_of(FP8RT_GET(MODE__D_FMT, c->mode))};
    }
    if (at == &c->c) {
        return (fp8rt_region){*at, c->m, c->c_stride,
                              c->n * bytes_of(FP8RT_GET(OPERATION__C_FMT, operation))};
    }
    if (at == &c->table) {
        return (fp8rt_region){*at, 1, 0, FP8RT_TABLE_CODES};
    }
    if (at == &c->a.mx || at == &c->b.mx) {
        const bool is_a = at == &c->a.mx;
        return (fp8rt_region){*at, is_a ? c->m : c->n, is_a ? c->a.mx_stride : c->b.mx_stride,
                              fp8rt_mx_blocks(writes_scales(c) ? c->n : c->k)};
    }
    if (at == &c->b.scale) {
        return (fp8rt_region){*at, c->n, integer_scale, integer_scale};
    }
    return (fp8rt_region){*at, at == &c->a.scale ? c->m : c->n, sizeof(float), sizeof(float)};
}

void fp8rt_network_clean(fp8rt_network *network)
{
    fp8rt_device *dev = network->dev;
    const uint32_t *const list = fp8rt_list_of(network);
    for (uint32_t word = network->position; word < fp8rt_list_words(network);
         word += fp8rt_words_stride(&dev->caps, &list[word])) {
        fp8rt_command command = fp8rt_command_of_words(&list[word]);
        fp8rt_address addresses[FP8RT_ADDRESSES_MOST];
        const unsigned count = fp8rt_command_addresses(&command, addresses);
        for (unsigned i = 0; i < count; i++) {
            const fp8rt_region region = region_of(&dev->caps, &command, addresses[i].at);
            fp8rt_clean(dev, &region);
        }
    }
    dev->port->clean(dev, list, fp8rt_list_words(network) * sizeof *list);
}

static void invalidate(fp8rt_device *dev, fp8rt_region region)
{
    fp8rt_cache_after(dev, region.address, fp8rt_region_bytes(&region));
}

void fp8rt_network_invalidate(fp8rt_network *network, uint32_t end)
{
    fp8rt_device *dev = network->dev;
    const uint32_t *const list = fp8rt_list_of(network);
    for (uint32_t word = network->position; dev->port->invalidate != NULL && word < end;
         word += fp8rt_words_stride(&dev->caps, &list[word])) {
        const fp8rt_command command = fp8rt_command_of_words(&list[word]);
        if ((command.mode & FP8RT_BIT(MODE__ACC_KEEP)) == 0) {
            invalidate(dev, region_of(&dev->caps, &command, &command.d));
        }
        if (writes_scales(&command)) {
            invalidate(dev, region_of(&dev->caps, &command, &command.a.mx));
        }
    }
}
