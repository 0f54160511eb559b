// SPDX-License-Identifier: Apache-2.0
// libfp8mac: bit-accurate golden model of an FP8 multiply-accumulate array. This header includes
// all others, except for the generated fp8mac/catalogue.h, which describes the elements of the
// array.
//
// Results do not depend on the caller's floating-point environment: flushed subnormals
// (-ffast-math), a directed rounding, enabled traps. Every function leaves it as it was,
// with its exception flags.
#ifndef FP8MAC_FP8MAC_H
#define FP8MAC_FP8MAC_H

#include "fp8mac/version.h"
#include "fp8mac/status.h"
#include "fp8mac/format.h"
#include "fp8mac/convert.h"
#include "fp8mac/fp32.h"
#include "fp8mac/function.h"
#include "fp8mac/arith.h"
#include "fp8mac/random.h"
#include "fp8mac/dot.h"
#include "fp8mac/preset.h"
#include "fp8mac/gemm.h"
#include "fp8mac/requantise.h"
#include "fp8mac/rows.h"
#include "fp8mac/image.h"
#include "fp8mac/fast.h"
#include "fp8mac/recipe.h"
#include "fp8mac/recipe_published.h"

#endif
