// SPDX-License-Identifier: Apache-2.0
// All layers of networks. fp8rt/tensor.h says what they have in common.
#ifndef FP8RT_LAYERS_H
#define FP8RT_LAYERS_H

#include "fp8rt/tensor.h"
#include "fp8rt/weights.h"
#include "fp8rt/linear.h"
#include "fp8rt/to_mx.h"
#include "fp8rt/convolution.h"
#include "fp8rt/pooling.h"
#include "fp8rt/arithmetic.h"
#include "fp8rt/nonlinear.h"
#include "fp8rt/normalise.h"
#include "fp8rt/softmax.h"
#include "fp8rt/reduce.h"
#include "fp8rt/recurrent.h"
#include "fp8rt/embedding.h"
#include "fp8rt/move.h"
#include "fp8rt/reciprocal.h"
#include "fp8rt/logarithm.h"
#include "fp8rt/attention.h"
#include "fp8rt/transformer.h"
#include "fp8rt/integer.h"

#endif
