// SPDX-License-Identifier: Apache-2.0
#include "array.h"

#include <string.h>

unsigned array_element_bytes(const fp8mac_format *format)
{
    return format == NULL ? 8 : fp8mac_format_bytes(format);
}

array array_of(cli *c, const fp8mac_format *format, const array *shape)
{
    array a = *shape;
    a.format = format;
    a.data = cli_alloc(c, a.count, array_element_bytes(format));
    return a;
}

uint32_t array_code(const array *a, size_t i)
{
    uint8_t u1;
    uint16_t u2;
    uint32_t u4;
    switch (array_element_bytes(a->format)) {
    case 1: memcpy(&u1, (const char *)a->data + i, 1); return u1;
    case 2: memcpy(&u2, (const char *)a->data + 2 * i, 2); return u2;
    default: memcpy(&u4, (const char *)a->data + 4 * i, 4); return u4;
    }
}

double array_value(const array *a, size_t i)
{
    double x;
    if (a->format == NULL) {
        memcpy(&x, (const char *)a->data + 8 * i, 8);
        return x;
    }
    return fp8mac_value_to_double(fp8mac_decode(a->format, array_code(a, i)));
}
