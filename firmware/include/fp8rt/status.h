// SPDX-License-Identifier: Apache-2.0
// The status codes of the runtime, and what each one promises about memory and the accelerator.
#ifndef FP8RT_STATUS_H
#define FP8RT_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

// The library finds argument errors (1..31) before it writes anything. Outputs, scratch, device
// registers and the accelerator's state have not changed.
//
// The accelerator reports accelerator errors (FP8RT_ERR_HW and above), and one guarantee holds for
// all of them: commands before the failing one are complete in memory; D of the failing one, and of
// those that were begun behind it, may be partly written; no other byte has changed. D of a layer
// includes what it writes on the way, and its scratch. The error state stays until
// fp8rt_device_clear(FP8RT_CLEAR_ERROR), which fp8rt_gemm_run calls itself. The accelerator then
// works as before. The library refuses what the accelerator would refuse, so fp8rt_gemm can return
// only the bus errors of these, and FP8RT_ERR_HW_SCALE for a value of a scale vector, which the
// accelerator checks when it loads it, and FP8RT_ERR_HW_SEQUENCE for a table that was never loaded.
//
// No call waits for ever for a bus that does not answer: after FP8RT_ERR_HW_TIMEOUT the bus works
// again, and after FP8RT_ERR_SILENT it does not.
typedef enum fp8rt_status {
    FP8RT_OK = 0,   // done: every output is in memory
    FP8RT_ERR_NULL, // a required pointer is NULL
    // m, n or k (rows or k of a packing) is 0, the bytes of a row exceed 32 bits, or k is more than
    // an accumulator of this array takes; in a layer also: sizes of tensors that do not fit
    // together
    FP8RT_ERR_SHAPE,
    // a stride is shorter than its row, or a matrix or vector exceeds the end of the
    // address space of 32 bits
    FP8RT_ERR_STRIDE,
    // an operand's address or stride is not a multiple of the bus beat; fp8rt_pack makes it one
    FP8RT_ERR_ALIGNMENT,
    // a format that is not possible here (A, B: see fp8rt_element_takes; C, D, X: the four FP8,
    // FP16, BF16, FP32, and INT8 if caps.functions has it)
    FP8RT_ERR_FORMAT,
    FP8RT_ERR_ACCUMULATOR,    // an accumulator that the array does not have (caps.element)
    FP8RT_ERR_OVERFLOW_MODE,  // not one of fp8mac_overflow, or not saturate with D in INT8
    FP8RT_ERR_SCALE_EXPONENT, // a scaling exponent outside -32..+32, or not 0 with INT8 operands
    FP8RT_ERR_SCALE,      // a scale that is not finite and greater than 0, or not a kind of scaling
    FP8RT_ERR_ACTIVATION, // not one of fp8mac_activation, or clamp bounds not finite or lo > hi
    FP8RT_ERR_SCRATCH,    // the scratch is smaller than the plan asked for
    FP8RT_ERR_UNSUPPORTED, // a valid request that this accelerator does not implement
    FP8RT_ERR_NO_DEVICE,   // no accelerator answers, or not one that this library knows
    FP8RT_ERR_RECORDS,     // caps.records commands were begun and not ended: end one of them first
    FP8RT_ERR_OVERLAP,     // D or the scratch has a byte in common with what the GEMM reads
    FP8RT_ERR_FLAGS,       // a bit in `flags` that stands for nothing
    FP8RT_ERR_NOT_OPEN,    // fp8rt_device_open was not called, or has failed
    // the plan was not made, or its making failed, or it was made for another array or by another
    // version of this library
    FP8RT_ERR_PLAN,
    FP8RT_ERR_LATE,  // the time has passed, and the command is still in flight
    FP8RT_ERR_IMAGE, // a field of an image is out of its range

    FP8RT_ERR_HW = 32, // + error_code of the STATUS register:
    FP8RT_ERR_HW_SHAPE =
        FP8RT_ERR_HW + 1, // m, n or k is 0, above the limit, or larger than the buffers
    FP8RT_ERR_HW_ALIGNMENT =
        FP8RT_ERR_HW + 2, // an address or a stride is not a multiple of the bus beat
    FP8RT_ERR_HW_RANGE = FP8RT_ERR_HW + 3, // a short stride, or past the end of the address space
    // A reserved code in a mode field, a format that the array does not have, or a function that
    // CONFIG4 does not have
    FP8RT_ERR_HW_MODE = FP8RT_ERR_HW + 4,
    FP8RT_ERR_HW_SCALE_EXPONENT = FP8RT_ERR_HW + 5, // a scaling exponent outside -32..+32
    FP8RT_ERR_HW_SCALE = FP8RT_ERR_HW + 6, // a scale, also in a vector, or the clamp bounds
    FP8RT_ERR_HW_SEQUENCE =
        FP8RT_ERR_HW + 7, // continues or reuses what the preceding command did not leave, or
                          // changes the unit of a fixed-point accumulator, or fills it up, or
                          // needs a table that was never loaded
    FP8RT_ERR_HW_READ_SLVERR = FP8RT_ERR_HW + 8,   // a read was answered SLVERR
    FP8RT_ERR_HW_READ_DECERR = FP8RT_ERR_HW + 9,   // a read was answered DECERR
    FP8RT_ERR_HW_WRITE_SLVERR = FP8RT_ERR_HW + 10, // a write was answered SLVERR
    FP8RT_ERR_HW_WRITE_DECERR = FP8RT_ERR_HW + 11, // a write was answered DECERR
    FP8RT_ERR_HW_QUEUE_FULL =
        FP8RT_ERR_HW + 12, // pushed into a full queue: that command was dropped, the others ran
    FP8RT_ERR_HW_TIMEOUT = FP8RT_ERR_HW + 13, // the bus was silent for longer than the watchdog
                                              // allows
    FP8RT_ERR_HW_RECORD = FP8RT_ERR_HW + 14,  // asked for another command's record: that command
                                              // was dropped, the others ran
    FP8RT_ERR_HW_DROPPED =
        FP8RT_ERR_HW +
        15, // in a record alone: an earlier command failed, or a reset dropped it, or
            // no command that was begun has this tag
    // The accelerator still waits for answers of the bus, and accepts no command before it has
    // them. The next call tries again.
    FP8RT_ERR_SILENT = FP8RT_ERR_HW + 16,
} fp8rt_status;

// One sentence in English for `status`; never NULL.
const char *fp8rt_status_string(fp8rt_status status);

#ifdef __cplusplus
}
#endif
#endif
