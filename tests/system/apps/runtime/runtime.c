// SPDX-License-Identifier: Apache-2.0
// What applications may use on the chip as on the host: printf with all of its conversions, and the
// model's recipes.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8mac/recipe.h"
#include "fp8mac/recipe_published.h"

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

int main(void)
{
    printf("%f %.3e %g %5.2f %+d\n", 3.25, 0.00125, 1e20, -0.125, 5);
    printf("%llu %lld %" PRIu64 " %016" PRIx64 "\n", 12345678901234567890ull, -5ll,
           UINT64_C(4294967296), UINT64_C(0x123456789abcdef));
    printf("%08" PRIx32 " %08" PRIx32 " %u %08" PRIx32 "\n",
           bits_of(fp8mac_recipe_xla_next(448.0f, 3.0f, 1.0f)),
           bits_of(fp8mac_recipe_pytorch_scale(448.0f, 7.0f, true, 1.0f)),
           (unsigned)fp8mac_recipe_mx_scale(fp8mac_format_get(FP8MAC_E4M3FN), 100.0f),
           bits_of(fp8mac_recipe_scale((fp8mac_recipe_formula){.fp8_max = 448.0f}, 3.0f, 1.0f)));
    return 0;
}
