// SPDX-License-Identifier: Apache-2.0
// Clock cycles of commands as the layer library issues them, each from an idle accelerator.
#include "_shared.h"

#include <string.h>

#include "convolution.h"
#include "fp8mac/rows.h"

enum { PAGE = 4096 };
#define ONE 0x3f800000u // FP32 bits

// The default accelerator with another element and bus; 0, with the reason raised: it is not
// possible
static int take_config(unsigned element, unsigned axi_data_w, fp8mac_cycles_config *config)
{
    const char *parameter, *range;
    char message[160];
    *config = fp8mac_cycles_default();
    config->element = element;
    config->axi_data_w = axi_data_w;
    if (fp8mac_cycles_check(config, &parameter, &range) == FP8MAC_OK) {
        return 1;
    }
    PyOS_snprintf(message, sizeof message, "%s is not possible; %s is expected", parameter, range);
    refuse(FP8MAC_ERR_CONFIG, message);
    return 0;
}

static int are_formats(const unsigned *codes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (codes[i] > FP8MAC_INT8) {
            refuse(FP8MAC_ERR_FORMAT, "a matrix of results cannot have this format");
            return 0;
        }
    }
    return 1;
}

// convolution_cycles((images, height, width, channels, filters, kernel_h, kernel_w, stride_y,
//     stride_x, dilation_y, dilation_x, pad_y, pad_x, groups, pixel_bytes), (vectors, format of D,
//     adds C, format of C), (element, axi_data_w)) -> cycles
static PyObject *core_convolution_cycles(PyObject *self, PyObject *arguments)
{
    (void)self;
    convolution x = {0};
    fp8mac_cycles_config config;
    unsigned formats[2], element, axi_data_w;
    int vectors, adds_c;
    if (!PyArg_ParseTuple(arguments, "(IIIIIIIIIIIIIII)(pIpI)(II)", &x.images, &x.height, &x.width,
                          &x.channels, &x.filters, &x.kernel_h, &x.kernel_w, &x.stride_y,
                          &x.stride_x, &x.dilation_y, &x.dilation_x, &x.pad_y, &x.pad_x, &x.groups,
                          &x.pixel_bytes, &vectors, &formats[0], &adds_c, &formats[1], &element,
                          &axi_data_w) ||
        !take_config(element, axi_data_w, &config) || !are_formats(formats, 2)) {
        return NULL;
    }
    const uint64_t height =
        x.stride_y == 0 || x.kernel_h == 0
            ? 0
            : convolution_outputs(x.height, x.kernel_h, x.stride_y, x.dilation_y, x.pad_y);
    const uint64_t width =
        x.stride_x == 0 || x.kernel_w == 0
            ? 0
            : convolution_outputs(x.width, x.kernel_w, x.stride_x, x.dilation_x, x.pad_x);
    const double rows = (double)x.images * (double)height * (double)width;
    const double depth = (double)x.kernel_h * x.kernel_w * x.channels;
    if (rows < 1 || rows > UINT32_MAX || depth > UINT32_MAX || x.groups == 0 || x.channels == 0 ||
        x.filters == 0) {
        return refuse(FP8MAC_ERR_SHAPE, "the convolution has no outputs, or too many");
    }
    workload work = workload_usual(&config);
    work.m = (uint32_t)rows;
    work.n = x.filters;
    work.k = x.kernel_h * x.kernel_w * (x.channels / x.groups);
    work.vectors = vectors != 0, work.adds_c = adds_c != 0;
    work.d_format = (fp8mac_format_id)formats[0];
    work.c_format = (fp8mac_format_id)formats[1];
    workload_result result;
    fp8mac_status status;
    uint32_t turn = 0;
    const char *why = NULL;
    Py_BEGIN_ALLOW_THREADS status = convolution_run(&config, &x, &work, &turn, &result, &why);
    Py_END_ALLOW_THREADS return status == FP8MAC_OK
        ? PyLong_FromUnsignedLongLong(result.counters.cycles)
        : refuse(status, why);
}

// Matrices from a page on, whose rows begin at beats; 0: they do not fit 4 GiB
static uint32_t place(uint64_t *next, uint32_t rows, uint32_t cols, unsigned format, uint32_t beat,
                      uint32_t *stride)
{
    const uint64_t row =
        ((uint64_t)cols * workload_bytes((fp8mac_format_id)format) + beat - 1u) / beat * beat;
    const uint64_t at = *next;
    if ((double)rows * (double)row + (double)at > UINT32_MAX - PAGE) {
        return 0;
    }
    *stride = (uint32_t)row;
    *next = (at + rows * row + PAGE - 1u) / PAGE * PAGE;
    return (uint32_t)at;
}

// One result for each row
static int is_reduction(unsigned operation, unsigned row)
{
    return operation == FP8MAC_OP_ROWS &&
           (row < FP8MAC_ROWS_RMS_NORM || row == FP8MAC_ROWS_MAGNITUDE);
}

// command_cycles((operation, row operation, m, n, format of X, of C, of D), (reads C, vectors,
// causal),
//     (element, axi_data_w)) -> cycles
static PyObject *core_command_cycles(PyObject *self, PyObject *arguments)
{
    (void)self;
    fp8mac_cycles_config config;
    fp8mac_command c = {0};
    unsigned operation, row_operation, formats[3], element, axi_data_w;
    int reads_c, vectors, causal;
    if (!PyArg_ParseTuple(arguments, "(IIIIIII)(ppp)(II)", &operation, &row_operation, &c.m, &c.n,
                          &formats[0], &formats[1], &formats[2], &reads_c, &vectors, &causal,
                          &element, &axi_data_w) ||
        !take_config(element, axi_data_w, &config) || !are_formats(formats, 3)) {
        return NULL;
    }
    const uint32_t beat = axi_data_w / 8u;
    uint64_t next = PAGE;
    c.mode.extended = true;
    c.a.addr = place(&next, c.m, c.n, formats[0], beat, &c.a.stride);
    c.c.addr = place(&next, c.m, c.n, formats[1], beat, &c.c.stride);
    c.d.addr = place(&next, c.m, is_reduction(operation, row_operation) ? 1 : c.n, formats[2], beat,
                     &c.d.stride);
    const bool mx = operation == FP8MAC_OP_ROWS && row_operation == FP8MAC_ROWS_QUANTISE_MX;
    if (mx) {
        c.a.mx_addr = place(&next, c.m, (c.n + 31u) / 32u, FP8MAC_E4M3FN, beat, &c.a.mx_stride);
    }
    if (c.a.addr == 0 || c.c.addr == 0 || c.d.addr == 0 || (mx && c.a.mx_addr == 0)) {
        return refuse(FP8MAC_ERR_SHAPE, "the matrices do not fit 4 GiB");
    }
    c.tile.m = c.tile.n = config.max_mn;
    c.mode.op = (uint8_t)operation;
    c.mode.row_op = (uint8_t)row_operation;
    c.a.scale = c.b.scale = c.d.scale = ONE;
    c.c.beta = reads_c ? ONE : 0;
    c.c.en = reads_c != 0;
    c.x_fmt = (uint8_t)formats[0], c.c.fmt = (uint8_t)(reads_c ? formats[1] : 0);
    c.d.fmt = (uint8_t)formats[2];
    c.mode.pass_shape = FP8MAC_PASS_AUTOMATIC;
    c.mode.causal = causal != 0;
    if (c.mode.op == FP8MAC_OP_ROWS) {
        c.k = c.mode.causal ? 1 : 0;          // 0: each row sees all columns
        const float each = 1.0f / (float)c.n; // of norms
        memcpy(&c.b.stride, &each, sizeof each);
    }
    if (vectors) {
        c.b.scale_vec = true;
        c.b.scale = (uint32_t)next;
        c.finish.bias_en = c.mode.row_op == FP8MAC_ROWS_LAYER_NORM;
        c.finish.bias = (uint32_t)(next + (c.n * 4ull + PAGE - 1u) / PAGE * PAGE);
    }
    const fp8mac_cycles_command submitted = {.submission = FP8MAC_CYCLES_DOORBELL, .command = c};
    fp8mac_cycles_counters counters;
    fp8mac_status status;
    Py_BEGIN_ALLOW_THREADS status =
        fp8mac_cycles_run(&config, &submitted, 1, NULL, NULL, &counters);
    Py_END_ALLOW_THREADS return status == FP8MAC_OK
        ? PyLong_FromUnsignedLongLong(counters.cycles)
        : refuse(status, "the accelerator refuses the command");
}

PyMethodDef fp8mac_py_layers_methods[] = {
    {"convolution_cycles", core_convolution_cycles, METH_VARARGS, NULL},
    {"command_cycles", core_command_cycles, METH_VARARGS, NULL},
    {0},
};
