// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/status.h"

const char *fp8rt_status_string(fp8rt_status status)
{
    switch (status) {
    case FP8RT_OK: return "ok";
    case FP8RT_ERR_NULL: return "a required pointer is NULL";
    case FP8RT_ERR_SHAPE: return "a dimension is zero or too large, or sizes disagree";
    case FP8RT_ERR_STRIDE:
        return "a stride is shorter than its row, or the matrix leaves the address space";
    case FP8RT_ERR_ALIGNMENT: return "an address or a stride is not a multiple of the bus beat";
    case FP8RT_ERR_FORMAT: return "a format cannot be used in this place, or not on this array";
    case FP8RT_ERR_ACCUMULATOR: return "the array has no such accumulator";
    case FP8RT_ERR_OVERFLOW_MODE: return "unknown overflow mode, or one that int8 does not have";
    case FP8RT_ERR_SCALE_EXPONENT:
        return "a scaling exponent is outside -32..+32, or not 0 with int8";
    case FP8RT_ERR_SCALE:
        return "a scale is not finite and greater than zero, or not a kind of scaling";
    case FP8RT_ERR_ACTIVATION:
        return "unknown activation, or its bounds are not finite or not lo <= hi";
    case FP8RT_ERR_SCRATCH: return "the scratch is smaller than the plan asks for";
    case FP8RT_ERR_UNSUPPORTED: return "a valid request that this accelerator does not implement";
    case FP8RT_ERR_NO_DEVICE: return "no accelerator answers that this library knows";
    case FP8RT_ERR_RECORDS: return "as many commands as there are records are not ended";
    case FP8RT_ERR_OVERLAP: return "D or the scratch overlaps what the GEMM reads";
    case FP8RT_ERR_FLAGS: return "an unknown flag";
    case FP8RT_ERR_NOT_OPEN: return "the device is not open";
    case FP8RT_ERR_PLAN: return "the plan was not made for this array by this version";
    case FP8RT_ERR_IMAGE: return "a field of the image is out of its range";
    case FP8RT_ERR_LATE: return "the command is still in flight";
    case FP8RT_ERR_HW: break;
    case FP8RT_ERR_HW_SHAPE: return "accelerator: a dimension is zero or larger than the buffers";
    case FP8RT_ERR_HW_ALIGNMENT:
        return "accelerator: an address or a stride is not a multiple of the bus beat";
    case FP8RT_ERR_HW_RANGE:
        return "accelerator: a short stride, or a matrix that leaves the address space";
    case FP8RT_ERR_HW_MODE:
        return "accelerator: a reserved code in the mode, or a format it does not have";
    case FP8RT_ERR_HW_SCALE_EXPONENT:
        return "accelerator: a scaling exponent is outside -32..+32, or not 0 with int8";
    case FP8RT_ERR_HW_SCALE: return "accelerator: a scale or the clamp bounds";
    case FP8RT_ERR_HW_SEQUENCE:
        return "accelerator: nothing there to continue or to reuse, or a table that was never "
               "loaded";
    case FP8RT_ERR_HW_READ_SLVERR: return "accelerator: a read was answered SLVERR";
    case FP8RT_ERR_HW_READ_DECERR: return "accelerator: a read was answered DECERR";
    case FP8RT_ERR_HW_WRITE_SLVERR: return "accelerator: a write was answered SLVERR";
    case FP8RT_ERR_HW_WRITE_DECERR: return "accelerator: a write was answered DECERR";
    case FP8RT_ERR_HW_QUEUE_FULL: return "accelerator: the queue was full";
    case FP8RT_ERR_HW_TIMEOUT: return "accelerator: the bus did not answer in time";
    case FP8RT_ERR_HW_RECORD: return "accelerator: the record belongs to another command";
    case FP8RT_ERR_HW_DROPPED:
        return "accelerator: an earlier command failed or was reset, or no command has this tag";
    case FP8RT_ERR_SILENT: return "the accelerator waits for a bus that does not answer";
    }
    return "unknown status";
}
