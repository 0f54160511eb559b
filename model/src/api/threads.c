// SPDX-License-Identifier: Apache-2.0
// A GEMM divided by rows or columns of its output. The parts share only their inputs: an
// output does not depend on the others, amax is a maximum and the flags are a union.
#include "api/threads.h"

#include <pthread.h>

typedef struct share {
    fp8mac_gemm_desc desc;
    const fp8mac_kernels *kernels;
    fp8mac_gemm_totals totals;
    pthread_t thread;
    bool started;
} share;

static void *run_share(void *argument)
{
    share *own = argument;
    own->totals.flags = own->desc.inexact_flags ? FP8MAC_FLAG_TRACK_INEXACT : 0u;
    if (!FP8MAC_FAST || own->kernels == NULL ||
        fp8mac_fast_gemm(own->kernels, &own->desc, &own->totals) != FP8MAC_NOT_REFUSED) {
        fp8mac_gemm_defined(&own->desc, &own->totals);
    }
    return NULL;
}

// Work for one thread. With less, a thread costs more than it saves.
static unsigned useful_threads(const fp8mac_gemm_desc *desc, const fp8mac_kernels *kernels,
                               unsigned threads)
{
    enum { MOST = 64, SIDE_LEAST = 32 };
    double work = (double)desc->m * (double)desc->n * (double)desc->k;
    double share_least = kernels != NULL ? 1e6 : 1e4;
    size_t longer = desc->m > desc->n ? desc->m : desc->n;
    unsigned useful = threads < MOST ? threads : MOST;
    while (useful > 1 && (work / useful < share_least || longer / useful < SIDE_LEAST)) {
        useful--;
    }
    return useful == 0 ? 1 : useful;
}

void fp8mac_gemm_threads(const fp8mac_gemm_desc *desc, const fp8mac_kernels *kernels,
                         unsigned threads, fp8mac_gemm_totals *totals)
{
    share shares[64];
    size_t count = useful_threads(desc, kernels, threads);
    bool by_rows = desc->m >= desc->n;
    size_t longer = by_rows ? desc->m : desc->n;
    for (size_t i = 0; i < count; i++) {
        size_t first = longer * i / count, size = longer * (i + 1) / count - first;
        shares[i] = (share){.kernels = kernels};
        shares[i].desc = by_rows ? fp8mac_gemm_part(desc, first, size, 0, desc->n)
                                 : fp8mac_gemm_part(desc, 0, desc->m, first, size);
        // This thread computes the last share, and each share for which no thread can be created.
        shares[i].started =
            i + 1 < count && pthread_create(&shares[i].thread, NULL, run_share, &shares[i]) == 0;
        if (!shares[i].started) {
            run_share(&shares[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (shares[i].started) {
            pthread_join(shares[i].thread, NULL);
        }
        const fp8mac_gemm_totals *own = &shares[i].totals;
        totals->amax = own->amax > totals->amax ? own->amax : totals->amax;
        totals->amax_nonfinite |= own->amax_nonfinite;
        totals->flags |= own->flags & ~(fp8mac_flags)FP8MAC_FLAG_TRACK_INEXACT;
    }
}
