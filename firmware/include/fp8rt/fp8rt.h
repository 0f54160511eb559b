// SPDX-License-Identifier: Apache-2.0
// The firmware runtime. Includes everything but fp8rt/app.h.
#ifndef FP8RT_FP8RT_H
#define FP8RT_FP8RT_H

#include "fp8rt/version.h"
#include "fp8rt/status.h"
#include "fp8rt/device.h"
#include "fp8rt/matrix.h"
#include "fp8rt/mx.h"
#include "fp8rt/gemm.h"
#include "fp8rt/elementwise.h"
#include "fp8rt/rows.h"
#include "fp8rt/activation.h"
#include "fp8rt/layers.h"

#endif
