// SPDX-License-Identifier: Apache-2.0
// Functions of FP32 arrays, and row commands.
#include "_shared.h"

#include <string.h>

typedef uint32_t function_of(uint32_t x, fp8mac_flags *flags);

static const struct {
    const char *name;
    function_of *function;
} functions[] = {
    {"exp2", fp8mac_fp32_exp2},
    {"exp", fp8mac_fp32_exp},
    {"sigmoid", fp8mac_fp32_sigmoid},
    {"tanh", fp8mac_fp32_tanh},
    {"reciprocal", fp8mac_fp32_reciprocal},
    {"rsqrt", fp8mac_fp32_rsqrt},
};

static function_of *function_named(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return functions[i].function;
        }
    }
    PyErr_Format(PyExc_KeyError, "no function %s", name);
    return NULL;
}

// function(name, dst, src) -> flags
static PyObject *core_function(PyObject *self, PyObject *arguments)
{
    (void)self;
    const char *name;
    Py_buffer dst, src;
    if (!PyArg_ParseTuple(arguments, "sw*y*", &name, &dst, &src)) {
        return NULL;
    }
    PyObject *result = NULL;
    const size_t count = (size_t)src.len / 4;
    function_of *function = function_named(name);
    if (function != NULL && length_is(&src, count, 4, "src") && length_is(&dst, count, 4, "dst")) {
        fp8mac_flags flags = 0;
        Py_BEGIN_ALLOW_THREADS for (size_t i = 0; i < count; i++)
        {
            uint32_t x;
            memcpy(&x, (const char *)src.buf + 4 * i, sizeof x);
            x = function(x, &flags);
            memcpy((char *)dst.buf + 4 * i, &x, sizeof x);
        }
        Py_END_ALLOW_THREADS result = finish(FP8MAC_OK, flags);
    }
    PyBuffer_Release(&src);
    PyBuffer_Release(&dst);
    return result;
}

// ---- row commands -------------------------------------------------------------------------------

typedef struct rows_arguments {
    unsigned operation, activation;
    Py_ssize_t rows, cols, seen;
    int causal;
    float eps, clamp_lo, clamp_hi, factor, scale_d;
    format_holder x_format, d_format;
    mode_holder d_mode;
    Py_buffer x, d, gamma, beta, d_table, scales; // the last four may be empty
} rows_arguments;

static int take_optional(PyObject *object, void *to)
{
    return object == Py_None || PyObject_GetBuffer(object, to, PyBUF_SIMPLE) == 0;
}

static int take_optional_output(PyObject *object, void *to)
{
    return object == Py_None || PyObject_GetBuffer(object, to, PyBUF_WRITABLE) == 0;
}

static int take_rows(PyObject *arguments, rows_arguments *r)
{
    return PyArg_ParseTuple(arguments, "I(nn)y*O&(npff)O&O&(Iff)w*O&O&fO&O&", &r->operation,
                            &r->rows, &r->cols, &r->x, take_format, &r->x_format, &r->seen,
                            &r->causal, &r->factor, &r->eps, take_optional, &r->gamma,
                            take_optional, &r->beta, &r->activation, &r->clamp_lo, &r->clamp_hi,
                            &r->d, take_format, &r->d_format, take_mode, &r->d_mode, &r->scale_d,
                            take_optional, &r->d_table, take_optional_output, &r->scales);
}

static bool is_argmax(const rows_arguments *r)
{
    return r->operation == FP8MAC_ROWS_ARGMAX;
}

static size_t d_columns(const rows_arguments *r)
{
    return fp8mac_rows_is_reduction((fp8mac_rows_operation)r->operation) ? 1 : (size_t)r->cols;
}

static int fits(const Py_buffer *buffer, size_t count, size_t bytes, const char *what)
{
    return buffer->obj == NULL || length_is(buffer, count, bytes, what);
}

static int rows_fit(const rows_arguments *r)
{
    if (r->rows < 1 || r->cols < 1 || r->seen < 0 || r->rows > PY_SSIZE_T_MAX / 4 / r->cols) {
        refuse(FP8MAC_ERR_SHAPE, "x must be a matrix with an element at least");
        return 0;
    }
    const size_t rows = (size_t)r->rows, cols = (size_t)r->cols;
    const size_t d_bytes = is_argmax(r) ? 4 : fp8mac_format_bytes(&r->d_format.format);
    return length_is(&r->x, rows * cols, fp8mac_format_bytes(&r->x_format.format), "x") &&
           length_is(&r->d, rows * d_columns(r), d_bytes, "d") &&
           fits(&r->gamma, cols, 4, "gamma must have a value for each column") &&
           fits(&r->beta, cols, 4, "beta must have a value for each column") &&
           fits(&r->d_table, FP8MAC_TABLE_CODES, 1, "d_table must have 256 codes") &&
           fits(&r->scales, rows * fp8mac_rows_blocks(cols), 1,
                "scales must have a code for each 32 columns of a row");
}

// A factor or a scale of 1 is absent, as some operations have none.
static const float *unless_one(const float *x)
{
    const float one = 1.0f;
    return memcmp(x, &one, sizeof one) == 0 ? NULL : x;
}

static fp8mac_rows_desc describe(const rows_arguments *r)
{
    const bool has_d = !is_argmax(r);
    return (fp8mac_rows_desc){
        .operation = (fp8mac_rows_operation)r->operation,
        .rows = (size_t)r->rows,
        .cols = (size_t)r->cols,
        .x = r->x.buf,
        .x_format = &r->x_format.format,
        .ldx = (size_t)r->cols,
        .seen = (size_t)r->seen,
        .causal = r->causal != 0,
        .factor = unless_one(&r->factor),
        .eps = r->eps,
        .gamma = r->gamma.buf,
        .beta = r->beta.buf,
        .activation = (fp8mac_activation)r->activation,
        .clamp_lo = r->clamp_lo,
        .clamp_hi = r->clamp_hi,
        .d = r->d.buf,
        .d_format = has_d ? &r->d_format.format : NULL,
        .ldd = d_columns(r),
        .d_mode = r->d_mode.mode,
        .scale_d = unless_one(&r->scale_d),
        .d_table = r->d_table.buf,
        .scales = r->scales.buf,
        .lds = r->scales.buf == NULL ? 0 : fp8mac_rows_blocks((size_t)r->cols),
    };
}

// rows(operation, (rows, cols), x, x_format, (seen, causal, factor, eps), gamma, beta, (activation,
// lo,
//      hi), d, d_format, d_mode, scale_d, d_table, scales) -> (amax, amax_nonfinite, flags)
static PyObject *core_rows(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyObject *result = NULL;
    rows_arguments r = {0};
    if (take_rows(arguments, &r) && rows_fit(&r)) {
        const fp8mac_rows_desc desc = describe(&r);
        fp8mac_gemm_result done = {0};
        fp8mac_status status;
        Py_BEGIN_ALLOW_THREADS status = fp8mac_rows(&desc, &done);
        Py_END_ALLOW_THREADS result =
            status == FP8MAC_OK
                ? Py_BuildValue("(fNk)", done.amax, PyBool_FromLong(done.amax_nonfinite),
                                (unsigned long)done.flags)
                : refuse(status, NULL);
    }
    PyBuffer_Release(&r.x);
    PyBuffer_Release(&r.d);
    PyBuffer_Release(&r.gamma);
    PyBuffer_Release(&r.beta);
    PyBuffer_Release(&r.d_table);
    PyBuffer_Release(&r.scales);
    return result;
}

PyMethodDef fp8mac_py_rows_methods[] = {
    {"function", core_function, METH_VARARGS, NULL},
    {"rows", core_rows, METH_VARARGS, NULL},
    {0},
};
