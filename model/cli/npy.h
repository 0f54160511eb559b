// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy, versions 1 to 3, little-endian and in C order: u1, u2, u4 for codes, f2, f4, f8 for
// values. numpy.lib.format describes it.
#ifndef FP8MAC_CLI_NPY_H
#define FP8MAC_CLI_NPY_H

#include "array.h"

bool npy_is(const char *bytes, size_t size);
array npy_parse(cli *c, const char *origin, const char *bytes, size_t size,
                const fp8mac_format *codes);
// FP16, FP32 and doubles as f2, f4, f8; every other format as u1, u2 or u4 codes.
void npy_write(FILE *to, const array *a);
// A whole stream, followed by a NUL.
char *npy_read_all(cli *c, FILE *from, const char *origin, size_t *size);

#endif
