// SPDX-License-Identifier: Apache-2.0
// The planner's tiles beside the best ones: GEMMs and images that are drawn, each with many
// divisions into tiles and chunks, by the model of cycles. The mean of the ratios of cycles, and
// the largest ratio, are bounded.
//
//   divisions [COUNT [SEED]]   of each kind; prints those with the largest ratios
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "workload.h"

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

#define DRAW(list) (list)[draw(sizeof(list) / sizeof((list)[0]))]

static uint32_t round_up(uint32_t x, uint32_t by)
{
    return (x + by - 1u) / by * by;
}

static uint32_t divided(uint32_t x, uint32_t count, uint32_t granule)
{
    return count == 1 ? x : round_up((x + count - 1u) / count, granule);
}

// UINT64_MAX: the accelerator refuses it.
static uint64_t cycles_of(const fp8mac_cycles_config *config, const fp8mac_cycles_command *command)
{
    fp8mac_cycles_counters counters;
    return fp8mac_cycles_run(config, command, 1, NULL, NULL, &counters) == FP8MAC_OK
               ? counters.cycles
               : UINT64_MAX;
}

// Few enough for a test: tiles of a quarter of the array's loop to all of D, and chunks of K
static uint64_t best_of(const fp8mac_cycles_config *config, const fp8mac_cycles_command *planned)
{
    static const uint32_t tiles[] = {0, 4, 8, 16, 32, 64}, chunks[] = {0, 32, 64, 128};
    fp8mac_cycles_command c = *planned;
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        for (unsigned j = 0; j < sizeof tiles / sizeof tiles[0]; j++) {
            for (unsigned k = 0; k < sizeof chunks / sizeof chunks[0]; k++) {
                if (tiles[i] >= c.command.m || tiles[j] >= c.command.n || tiles[j] % 16u != 0 ||
                    chunks[k] >= c.command.k) {
                    continue;
                }
                c.command.tile.m =
                    (uint16_t)(tiles[i] == 0
                                   ? c.command.m
                                   : divided(c.command.m, (c.command.m + tiles[i] - 1u) / tiles[i],
                                             4));
                c.command.tile.n =
                    (uint16_t)(tiles[j] == 0
                                   ? c.command.n
                                   : divided(c.command.n, (c.command.n + tiles[j] - 1u) / tiles[j],
                                             16));
                c.command.tile.k = c.command.tile.first_k =
                    (uint16_t)(chunks[k] == 0 ? c.command.k : chunks[k]);
                const uint64_t cycles = cycles_of(config, &c);
                best = cycles < best ? cycles : best;
            }
        }
    }
    return best;
}

// A workload that is a GEMM, or a convolution
static workload drawn(const fp8mac_cycles_config *config, bool image)
{
    static const uint32_t m[] = {1, 2, 4, 8, 16, 20, 32, 40, 48, 49, 64, 80, 96, 100, 128, 196},
                          n[] = {4, 8, 10, 16, 24, 32, 48, 64, 80, 100, 128},
                          k[] = {8, 9, 16, 27, 32, 48, 64, 96, 128, 144, 192, 256, 288, 512},
                          edge[] = {4, 5, 7, 8, 10, 14, 16, 20},
                          channels[] = {1, 3, 4, 8, 16, 32, 64}, kernel[] = {2, 3, 3, 3, 5},
                          filters[] = {8, 16, 24, 32, 64};
    workload work = workload_usual(config);
    work.vectors = draw(2) != 0;
    work.m = DRAW(m);
    work.n = DRAW(n);
    work.k = DRAW(k);
    if (image) {
        convolution *x = &work.image;
        *x = (convolution){.images = 1, .dilation_y = 1, .dilation_x = 1, .groups = 1};
        x->channels = DRAW(channels);
        x->pixel_bytes = draw(2) != 0 ? x->channels : round_up(x->channels, 16);
        x->kernel_h = x->kernel_w = DRAW(kernel);
        x->stride_y = x->stride_x = 1u + (draw(3) == 0);
        x->pad_y = x->pad_x = x->kernel_w / 2u;
        x->width = DRAW(edge) * x->stride_x;
        x->height = DRAW(edge) * x->stride_y;
        x->filters = work.n = DRAW(filters);
        work.m = (uint32_t)(convolution_outputs(x->height, x->kernel_h, x->stride_y, 1, x->pad_y) *
                            convolution_outputs(x->width, x->kernel_w, x->stride_x, 1, x->pad_x));
        work.k = x->channels * x->kernel_w * x->kernel_h;
    }
    return work;
}

static unsigned failed, passed;

static void expect(double got, double most, const char *what)
{
    const bool right = got <= most;
    printf("%s %-44s %.4f, at most %.2f\n", right ? "ok  " : "FAIL", what, got, most);
    *(right ? &passed : &failed) += 1u;
}

static void compare(bool image, unsigned count, double most_mean, double most)
{
    const fp8mac_cycles_config config = fp8mac_cycles_default();
    double sum = 0, largest = 1;
    for (unsigned i = 0; i < count; i++) {
        const workload work = drawn(&config, image), *const one = &work;
        workload_commands commands;
        const char *why = "";
        if (workload_issue(&config, &one, 1, false, WORKLOAD_NO_TABLES, &commands, &why) !=
            FP8MAC_OK) {
            printf("FAIL %u x %u x %u: %s\n", work.m, work.n, work.k, why);
            failed++;
            continue;
        }
        const fp8mac_cycles_command command = commands.list[0];
        workload_free(&commands);
        const uint64_t planned = cycles_of(&config, &command), best = best_of(&config, &command);
        const double ratio = (double)planned / (double)(best < planned ? best : planned);
        if (planned == UINT64_MAX) {
            printf("FAIL %u x %u x %u: the accelerator refuses the plan\n", work.m, work.n, work.k);
            failed++;
        }
        if (ratio > 1.15) {
            printf("     %u x %u x %u, %u channels of %u bytes, kernel of %u: tiles of %u x %u x "
                   "%u take "
                   "%" PRIu64 " cycles, others %" PRIu64 "\n",
                   work.m, work.n, work.k, work.image.channels, work.image.pixel_bytes,
                   work.image.kernel_w, command.command.tile.m, command.command.tile.n,
                   command.command.tile.k, planned, best);
        }
        sum += log(ratio);
        largest = ratio > largest ? ratio : largest;
    }
    expect(exp(sum / count), most_mean,
           image ? "images: cycles beside the best, mean" : "GEMMs: mean");
    expect(largest, most, image ? "images: the largest ratio" : "GEMMs: the largest ratio");
}

int main(int argc, char **argv)
{
    const unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 60;
    state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    // Requirements on the planner: most products must lose nothing by its estimates
    compare(false, count, 1.02, 1.2);
    compare(true, count, 1.03, 1.3);
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
