// SPDX-License-Identifier: Apache-2.0
// A fault in the golden model's accelerator, for tests of the selftest: a bit of a memory or data path is stuck.
//
//   FP8RT_FAULT=PART:UNIT:LANE:BIT:VALUE, such as a:2:5:3:1
//
//   PART      what the bytes pass through                UNIT             LANE
//   d, x, c   ways of D, X and C                         0                byte of a beat
//   scale_a, scale_b, bias   their vectors               0                byte of a beat
//   a, b      operand buffers                            row RAM          byte of a beat
//   mx_a, mx_b  MX scale buffers                         row RAM          byte of a beat
//   table     tables of codes                            table, from 1    byte of a word
//   array     an element's FP32 result                   row              column
//   format    the FP32 result where A (B) has a format   number of it     0 (1)
//
// BIT 0 to 7 (array, format: 31) reads as VALUE, 0 or 1.
#ifndef FP8RT_HOST_FAULT_H
#define FP8RT_HOST_FAULT_H

#include <stdbool.h>
#include <stdint.h>

// The parts of B follow those of A.
typedef enum fp8rt_host_part {
    FP8RT_HOST_PART_NONE = 0,
    FP8RT_HOST_PART_D,
    FP8RT_HOST_PART_X,
    FP8RT_HOST_PART_C,
    FP8RT_HOST_PART_SCALE_A,
    FP8RT_HOST_PART_SCALE_B,
    FP8RT_HOST_PART_BIAS,
    FP8RT_HOST_PART_A,
    FP8RT_HOST_PART_B,
    FP8RT_HOST_PART_MX_A,
    FP8RT_HOST_PART_MX_B,
    FP8RT_HOST_PART_TABLE,
    FP8RT_HOST_PART_ARRAY,
    FP8RT_HOST_PART_FORMAT,
} fp8rt_host_part;

typedef struct fp8rt_host_fault {
    fp8rt_host_part part;
    uint32_t unit, lane, bit, value;
} fp8rt_host_fault;

// The part of B that corresponds to a part of A.
static inline fp8rt_host_part fp8rt_host_part_of(fp8rt_host_part part_of_a, bool is_b)
{
    return (fp8rt_host_part)(part_of_a + is_b);
}

// The fault that the environment asks for, or none. False: the variable is not as above.
bool fp8rt_host_fault_read(fp8rt_host_fault *fault);
// `word` as it arrives.
static inline uint32_t fp8rt_host_stuck(const fp8rt_host_fault *fault, fp8rt_host_part part,
                                        uint32_t unit, uint32_t lane, uint32_t word)
{
    if (fault->part != part || fault->unit != unit || fault->lane != lane) {
        return word;
    }
    return (word & ~(UINT32_C(1) << fault->bit)) | fault->value << fault->bit;
}
// The same for each of `count` bytes that begin at byte `offset` of a beat.
void fp8rt_host_stuck_bytes(const fp8rt_host_fault *fault, fp8rt_host_part part, uint32_t unit,
                            uint32_t beat, uint32_t offset, uint8_t *bytes, uint32_t count);

#endif
