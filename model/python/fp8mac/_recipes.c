// SPDX-License-Identifier: Apache-2.0
// The scaling recipes.
#include "_shared.h"

#include <string.h>

typedef struct float_buffer {
    Py_buffer buffer;
    const float *at;
    size_t count;
} float_buffer;

// A buffer of float_buffer. For O&, which releases it if a later argument fails; otherwise the
// caller does.
static int take_floats(PyObject *object, void *to)
{
    float_buffer *f = to;
    if (object == NULL) {
        PyBuffer_Release(&f->buffer);
        return 1;
    }
    if (PyObject_GetBuffer(object, &f->buffer, PyBUF_SIMPLE) != 0) {
        return 0;
    }
    f->at = f->buffer.buf;
    f->count = (size_t)f->buffer.len / sizeof(float);
    return Py_CLEANUP_SUPPORTED;
}

static PyObject *recipe_format_max(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder h;
    return PyArg_ParseTuple(arguments, "O&", take_format, &h)
               ? PyFloat_FromDouble((double)fp8mac_recipe_format_max(&h.format))
               : NULL;
}

static PyObject *recipe_floor_log2(PyObject *self, PyObject *arguments)
{
    (void)self;
    float x;
    if (!PyArg_ParseTuple(arguments, "f", &x)) {
        return NULL;
    }
    if (!(x > 0 && x <= 3.40282347e38f)) {
        return refuse(FP8MAC_ERR_SCALE, "x must be finite and greater than zero");
    }
    return PyLong_FromLong(fp8mac_recipe_floor_log2(x));
}

static PyObject *recipe_inverse(PyObject *self, PyObject *arguments)
{
    (void)self;
    float x;
    return PyArg_ParseTuple(arguments, "f", &x)
               ? PyFloat_FromDouble((double)fp8mac_recipe_inverse(x))
               : NULL;
}

static PyObject *recipe_reduce(PyObject *self, PyObject *arguments)
{
    (void)self;
    float_buffer f;
    if (!PyArg_ParseTuple(arguments, "O&", take_floats, &f)) {
        return NULL;
    }
    PyObject *result = PyFloat_FromDouble((double)fp8mac_recipe_reduce(f.at, f.count));
    PyBuffer_Release(&f.buffer);
    return result;
}

// scale(fp8_max, margin, power_of_two, amax, previous)
static PyObject *recipe_scale(PyObject *self, PyObject *arguments)
{
    (void)self;
    fp8mac_recipe_formula formula;
    int power_of_two;
    float amax, previous;
    if (!PyArg_ParseTuple(arguments, "fipff", &formula.fp8_max, &formula.margin, &power_of_two,
                          &amax, &previous)) {
        return NULL;
    }
    formula.form = power_of_two ? FP8MAC_RECIPE_POWER_OF_TWO : FP8MAC_RECIPE_RATIO;
    fp8mac_status status = fp8mac_recipe_formula_validate(formula);
    if (status == FP8MAC_ERR_SCALE) {
        return refuse(status, "fp8_max must be finite and greater than zero");
    }
    if (status == FP8MAC_ERR_SCALE_EXPONENT) {
        return refuse(status, "margin must be in -32..32");
    }
    char message[SETTINGS_MESSAGE];
    if (!settings_scale(previous, "previous", message)) {
        return refuse(FP8MAC_ERR_SCALE, message);
    }
    return PyFloat_FromDouble((double)fp8mac_recipe_scale(formula, amax, previous));
}

static PyObject *recipe_te_operand(PyObject *self, PyObject *arguments)
{
    (void)self;
    int layer_format, gemm, is_gradient;
    if (!PyArg_ParseTuple(arguments, "iip", &layer_format, &gemm, &is_gradient)) {
        return NULL;
    }
    fp8mac_recipe_te_layer layer = {.format = (fp8mac_recipe_te_format)layer_format};
    const fp8mac_format *format =
        fp8mac_recipe_te_operand(&layer, (fp8mac_recipe_te_gemm)gemm, is_gradient != 0);
    return format == NULL ? refuse(FP8MAC_ERR_UNSUPPORTED, "format or gemm is unknown")
                          : PyUnicode_FromString(format->name);
}

static PyObject *recipe_xla_next(PyObject *self, PyObject *arguments)
{
    (void)self;
    float fp8_max, amax, scale;
    return PyArg_ParseTuple(arguments, "fff", &fp8_max, &amax, &scale)
               ? PyFloat_FromDouble((double)fp8mac_recipe_xla_next(fp8_max, amax, scale))
               : NULL;
}

// xla_quantize(dst_format, dst, src, scale, mode) -> flags
static PyObject *recipe_xla_quantize(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder to;
    mode_holder how;
    Py_buffer dst, src;
    float scale;
    if (!PyArg_ParseTuple(arguments, "O&w*y*fO&", take_format, &to, &dst, &src, &scale, take_mode,
                          &how)) {
        return NULL;
    }
    PyObject *result = NULL;
    size_t count = (size_t)src.len / 4;
    char message[SETTINGS_MESSAGE];
    fp8mac_flags flags = 0;
    if (!settings_scale(scale, "scale", message)) {
        refuse(FP8MAC_ERR_SCALE, message);
    } else if (length_is(&src, count, 4, "src") &&
               length_is(&dst, count, fp8mac_format_bytes(&to.format), "dst") &&
               mode_fits(&to.format, &how)) {
        fp8mac_status status = fp8mac_recipe_xla_quantize(&to.format, dst.buf, src.buf, count,
                                                          scale, how.mode, &flags);
        result = finish(status, flags);
    }
    PyBuffer_Release(&src);
    PyBuffer_Release(&dst);
    return result;
}

static PyObject *recipe_pytorch_scale(PyObject *self, PyObject *arguments)
{
    (void)self;
    float fp8_max, amax, previous;
    int power_of_two;
    return PyArg_ParseTuple(arguments, "ffpf", &fp8_max, &amax, &power_of_two, &previous)
               ? PyFloat_FromDouble((double)fp8mac_recipe_pytorch_scale(
                     fp8_max, amax, power_of_two != 0, previous))
               : NULL;
}

static PyObject *recipe_graphcore_amax_bias(PyObject *self, PyObject *arguments)
{
    (void)self;
    float fp8_max, amax;
    int previous;
    return PyArg_ParseTuple(arguments, "ffi", &fp8_max, &amax, &previous)
               ? PyLong_FromLong(fp8mac_recipe_graphcore_amax_bias(fp8_max, amax, previous))
               : NULL;
}

static PyObject *recipe_scale_exponent(PyObject *self, PyObject *arguments)
{
    (void)self;
    int bias;
    return PyArg_ParseTuple(arguments, "i", &bias)
               ? PyLong_FromLong(fp8mac_recipe_scale_exponent(bias))
               : NULL;
}

static PyObject *recipe_fp8lm_mu(PyObject *self, PyObject *arguments)
{
    (void)self;
    float mu;
    unsigned long long saturated, total;
    return PyArg_ParseTuple(arguments, "fKK", &mu, &saturated, &total)
               ? PyFloat_FromDouble((double)fp8mac_recipe_fp8lm_mu(mu, saturated, total))
               : NULL;
}

static PyObject *recipe_fp8lm_shared_scale(PyObject *self, PyObject *arguments)
{
    (void)self;
    float_buffer f;
    if (!PyArg_ParseTuple(arguments, "O&", take_floats, &f)) {
        return NULL;
    }
    PyObject *result =
        f.count == 0 ? refuse(FP8MAC_ERR_SHAPE, "scales must have one element at least")
                     : PyFloat_FromDouble((double)fp8mac_recipe_fp8lm_shared_scale(f.at, f.count));
    PyBuffer_Release(&f.buffer);
    return result;
}

static PyObject *recipe_reduction_factors(PyObject *self, PyObject *arguments)
{
    (void)self;
    int reduction;
    unsigned int ranks;
    float mu;
    if (!PyArg_ParseTuple(arguments, "iIf", &reduction, &ranks, &mu)) {
        return NULL;
    }
    if (ranks == 0) {
        return refuse(FP8MAC_ERR_SHAPE, "ranks must be at least 1");
    }
    fp8mac_recipe_factors f =
        fp8mac_recipe_reduction_factors((fp8mac_recipe_reduction)reduction, ranks, mu);
    return Py_BuildValue("(ff)", f.before, f.after);
}

static PyObject *recipe_mx_scale(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder h;
    float amax;
    return PyArg_ParseTuple(arguments, "O&f", take_format, &h, &amax)
               ? PyLong_FromLong(fp8mac_recipe_mx_scale(&h.format, amax))
               : NULL;
}

// mx_quantize(format, dst, scales, src) -> flags
static PyObject *recipe_mx_quantize(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder h;
    Py_buffer dst, scales, src;
    if (!PyArg_ParseTuple(arguments, "O&w*w*y*", take_format, &h, &dst, &scales, &src)) {
        return NULL;
    }
    PyObject *result = NULL;
    size_t count = (size_t)src.len / 4;
    fp8mac_flags flags = 0;
    if (length_is(&src, count, 4, "src") && length_is(&dst, count, 1, "dst") &&
        length_is(&scales, blocks_of(count), 1, "scales")) {
        fp8mac_status status =
            fp8mac_recipe_mx_quantize(&h.format, dst.buf, scales.buf, src.buf, count, &flags);
        result = status == FP8MAC_ERR_FORMAT ? refuse(status, "element formats have at most 8 bits")
                                             : finish(status, flags);
    }
    PyBuffer_Release(&src);
    PyBuffer_Release(&scales);
    PyBuffer_Release(&dst);
    return result;
}

static PyObject *recipe_qualcomm_bias(PyObject *self, PyObject *arguments)
{
    (void)self;
    const char *name;
    float_buffer f;
    int lowest, highest, bias;
    if (!PyArg_ParseTuple(arguments, "sO&ii", &name, take_floats, &f, &lowest, &highest)) {
        return NULL;
    }
    const fp8mac_format *format = fp8mac_format_by_name(name);
    fp8mac_status status = format == NULL
                               ? FP8MAC_ERR_FORMAT
                               : fp8mac_recipe_qualcomm_bias(
                                     (fp8mac_format_id)(format - fp8mac_format_get(FP8MAC_E4M3FN)),
                                     f.at, f.count, lowest, highest, &bias);
    PyBuffer_Release(&f.buffer);
    switch (status) {
    case FP8MAC_OK: return PyLong_FromLong(bias);
    case FP8MAC_ERR_FORMAT:
        return refuse(status, "format must be qc_e5m2, qc_e4m3, qc_e3m4 or qc_e2m5");
    case FP8MAC_ERR_SHAPE:
        return refuse(status, "x needs an element, and lowest <= highest within -128..255");
    default: return refuse(status, "every element of x must be finite");
    }
}

// static_scales(scheme, fp8_max, amaxes, quantise, dequantise)
static PyObject *recipe_static_scales(PyObject *self, PyObject *arguments)
{
    (void)self;
    int scheme;
    float fp8_max;
    float_buffer f;
    Py_buffer quantise, dequantise;
    if (!PyArg_ParseTuple(arguments, "ifO&w*w*", &scheme, &fp8_max, take_floats, &f, &quantise,
                          &dequantise)) {
        return NULL;
    }
    PyObject *result = NULL;
    if (length_is(&quantise, f.count, 4, "quantise") &&
        length_is(&dequantise, f.count, 4, "dequantise")) {
        fp8mac_status status = fp8mac_recipe_static_scales(
            (fp8mac_recipe_scheme)scheme, fp8_max, f.at, f.count, quantise.buf, dequantise.buf);
        result = status == FP8MAC_ERR_SCALE
                     ? refuse(status, "fp8_max, every amax and every result must be finite, and "
                                      "fp8_max and the results greater than zero")
                     : finish(status, 0);
    }
    PyBuffer_Release(&f.buffer);
    PyBuffer_Release(&quantise);
    PyBuffer_Release(&dequantise);
    return result;
}

PyMethodDef fp8mac_py_recipes_methods[] = {
    {"recipe_format_max", recipe_format_max, METH_VARARGS, NULL},
    {"recipe_floor_log2", recipe_floor_log2, METH_VARARGS, NULL},
    {"recipe_inverse", recipe_inverse, METH_VARARGS, NULL},
    {"recipe_reduce", recipe_reduce, METH_VARARGS, NULL},
    {"recipe_scale", recipe_scale, METH_VARARGS, NULL},
    {"recipe_te_operand", recipe_te_operand, METH_VARARGS, NULL},
    {"recipe_xla_next", recipe_xla_next, METH_VARARGS, NULL},
    {"recipe_xla_quantize", recipe_xla_quantize, METH_VARARGS, NULL},
    {"recipe_pytorch_scale", recipe_pytorch_scale, METH_VARARGS, NULL},
    {"recipe_graphcore_amax_bias", recipe_graphcore_amax_bias, METH_VARARGS, NULL},
    {"recipe_scale_exponent", recipe_scale_exponent, METH_VARARGS, NULL},
    {"recipe_fp8lm_mu", recipe_fp8lm_mu, METH_VARARGS, NULL},
    {"recipe_fp8lm_shared_scale", recipe_fp8lm_shared_scale, METH_VARARGS, NULL},
    {"recipe_reduction_factors", recipe_reduction_factors, METH_VARARGS, NULL},
    {"recipe_mx_scale", recipe_mx_scale, METH_VARARGS, NULL},
    {"recipe_mx_quantize", recipe_mx_quantize, METH_VARARGS, NULL},
    {"recipe_qualcomm_bias", recipe_qualcomm_bias, METH_VARARGS, NULL},
    {"recipe_static_scales", recipe_static_scales, METH_VARARGS, NULL},
    {0},
};
