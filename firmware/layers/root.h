// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_LAYERS_ROOT_H
#define FP8RT_LAYERS_ROOT_H

// 1 / sqrt(x) of a normal x > 0, in integers: the error is below 2^-23 of it.
float fp8rt_inverse_root(float x);

#endif
