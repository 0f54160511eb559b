// SPDX-License-Identifier: Apache-2.0
#include "element_model.h"

#include "fp8mac/preset.h"
#include "fp8rt/registers.h"
#include "operand_format.h"

// ACC_FMT is 1 for FP16. An integer accumulator has the code of FP32, the format of its read-out.
static fp8mac_acc_format accumulator(const fp8rt_element *element, uint32_t mode)
{
    if (FP8RT_GET(MODE__ACC_FMT, mode)) {
        return FP8MAC_ACC_FP16;
    }
    return fp8rt_element_is_integer(element) ? fp8rt_element_accumulator(element) : FP8MAC_ACC_FP32;
}

// Whether the register's word describes a possible element.
static bool read_element(uint32_t word, unsigned lanes, fp8rt_element *element)
{
    const fp8rt_element read = fp8rt_element_decode(word);
    return fp8rt_element_make(read.kind, lanes, read.frac_bits, element) &&
           fp8rt_element_encode(element) == word;
}

bool fp8rt_element_model(uint32_t word, uint32_t mode, fp8mac_dot_config *dot)
{
    fp8mac_dot_config settings;
    fp8rt_element element;
    const fp8mac_format_id a = fp8rt_mode_a_format(mode), b = fp8rt_mode_b_format(mode);
    if (!read_element(word, dot->group, &element) ||
        fp8mac_element_config(element.kind, dot->group, element.frac_bits, &settings) !=
            FP8MAC_OK) {
        return false;
    }
    settings.a = dot->a;
    settings.b = dot->b;
    settings.a.format = fp8mac_format_get(a);
    settings.b.format = fp8mac_format_get(b);
    settings.acc_format = accumulator(&element, mode);
    *dot = settings;
    return fp8rt_element_has(&element, settings.acc_format) && fp8rt_element_takes(&element, a) &&
           fp8rt_element_takes(&element, b);
}
