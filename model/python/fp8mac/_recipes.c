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

// scale(fp8_max, margin, power_of_two, amax, previous, division, underflow)
static PyObject *recipe_scale(PyObject *self, PyObject *arguments)
{
    (void)self;
    fp8mac_recipe_formula formula;
    int power_of_two, division, underflow;
    float amax, previous;
    if (!PyArg_ParseTuple(arguments, "fipffii", &formula.fp8_max, &formula.margin, &power_of_two,
                          &amax, &previous, &division, &underflow)) {
        return NULL;
    }
    formula.form = power_of_two ? FP8MAC_RECIPE_POWER_OF_TWO : FP8MAC_RECIPE_RATIO;
    formula.division = (fp8mac_recipe_division)division;
    formula.underflow = (fp8mac_recipe_underflow)underflow;
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

// ---- delayed scaling ----------------------------------------------------------------------------

// The caller's functions, and whether one of them raised an exception.
typedef struct callbacks {
    PyObject *amax, *scale; // None: the recipe's own
    bool raised;
} callbacks;

// The result of a caller's function; NaN keeps the previous scale.
static float number_from(PyObject *result, callbacks *own)
{
    double number = result == NULL ? 0 : PyFloat_AsDouble(result);
    Py_XDECREF(result);
    if (PyErr_Occurred()) {
        own->raised = true;
        return (float)Py_NAN;
    }
    return (float)number;
}

static float call_amax(const float *history, size_t length, void *context)
{
    callbacks *own = context;
    PyObject *all = PyTuple_New((Py_ssize_t)length);
    for (size_t i = 0; all != NULL && i < length; i++) {
        PyObject *one = PyFloat_FromDouble((double)history[i]);
        if (one == NULL || PyTuple_SetItem(all, (Py_ssize_t)i, one) != 0) {
            Py_CLEAR(all);
        }
    }
    PyObject *result = all == NULL ? NULL : PyObject_CallFunctionObjArgs(own->amax, all, NULL);
    Py_XDECREF(all);
    return number_from(result, own);
}

static float call_scale(float amax, float previous, fp8mac_recipe_formula formula, void *context)
{
    (void)formula;
    callbacks *own = context;
    if (own->raised) {
        return (float)Py_NAN;
    }
    return number_from(PyObject_CallFunction(own->scale, "dd", (double)amax, (double)previous),
                       own);
}

static PyObject *refuse_delayed(fp8mac_status status)
{
    switch (status) {
    case FP8MAC_ERR_SCALE_EXPONENT: return refuse(status, "margin must be in -32..32");
    case FP8MAC_ERR_SCALE:
        return refuse(status, "fp8_max and initial must be finite and greater than zero");
    case FP8MAC_ERR_SHAPE: return refuse(status, "length must be at least 1");
    default: return refuse(status, NULL);
    }
}

// delayed((fp8_max, margin, power_of_two, interval, window, division), amax_fn or None,
//         scale_fn or None, history, scale, updates, (amax, nonfinite) or None) -> (scale, updates)
// Updates the history in place. Without an amax it is cleared, and the arguments are checked.
static PyObject *recipe_delayed(PyObject *self, PyObject *arguments)
{
    (void)self;
    fp8mac_recipe_delayed_config config = {.interval = 0};
    callbacks own = {.raised = false};
    int power_of_two, window, division, nonfinite;
    Py_ssize_t interval, updates;
    PyObject *observed, *result = NULL;
    Py_buffer history;
    float scale, amax;
    if (!PyArg_ParseTuple(arguments, "(fipnii)OOw*fnO", &config.formula.fp8_max,
                          &config.formula.margin, &power_of_two, &interval, &window, &division,
                          &own.amax, &own.scale, &history, &scale, &updates, &observed)) {
        return NULL;
    }
    size_t length = (size_t)history.len / sizeof(float);
    float *before = PyMem_Malloc((length + 1) * sizeof *before);
    if (before == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    memcpy(before, history.buf, length * sizeof *before);
    config.formula.form = power_of_two ? FP8MAC_RECIPE_POWER_OF_TWO : FP8MAC_RECIPE_RATIO;
    config.formula.division = (fp8mac_recipe_division)division;
    config.interval = (size_t)interval;
    config.window = (fp8mac_recipe_window)window;
    config.amax_fn = own.amax == Py_None ? NULL : call_amax;
    config.scale_fn = own.scale == Py_None ? NULL : call_scale;
    config.context = &own;
    config.history = history.buf;
    config.history_length = length;
    fp8mac_recipe_delayed delayed;
    fp8mac_status status = fp8mac_recipe_delayed_init(&delayed, config, scale);
    if (status != FP8MAC_OK) {
        refuse_delayed(status);
        goto done;
    }
    if (observed != Py_None) {
        if (!PyArg_ParseTuple(observed, "fp", &amax, &nonfinite)) {
            goto done;
        }
        memcpy(history.buf, before, length * sizeof *before);
        delayed.updates = (size_t)updates;
        (void)fp8mac_recipe_delayed_update(&delayed, amax, nonfinite != 0);
    }
    if (!own.raised) {
        result = Py_BuildValue("(fn)", delayed.scale, (Py_ssize_t)delayed.updates);
    }
done:
    PyMem_Free(before);
    PyBuffer_Release(&history);
    return result;
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

static PyObject *recipe_xla_example_next(PyObject *self, PyObject *arguments)
{
    (void)self;
    float fp8_max, amax;
    return PyArg_ParseTuple(arguments, "ff", &fp8_max, &amax)
               ? PyFloat_FromDouble((double)fp8mac_recipe_xla_example_next(fp8_max, amax))
               : NULL;
}

typedef float recipe_with_margin(float fp8_max, int margin, float amax, float previous);

// recipe(fp8_max, margin, amax, previous)
static PyObject *with_margin(recipe_with_margin *recipe, PyObject *arguments)
{
    float fp8_max, amax, previous;
    int margin;
    if (!PyArg_ParseTuple(arguments, "fiff", &fp8_max, &margin, &amax, &previous)) {
        return NULL;
    }
    if (margin < FP8MAC_RECIPE_MARGIN_MIN || margin > FP8MAC_RECIPE_MARGIN_MAX) {
        return refuse(FP8MAC_ERR_SCALE_EXPONENT, "margin must be in -32..32");
    }
    return PyFloat_FromDouble((double)recipe(fp8_max, margin, amax, previous));
}

static PyObject *recipe_flax_scale(PyObject *self, PyObject *arguments)
{
    (void)self;
    return with_margin(fp8mac_recipe_flax_scale, arguments);
}

static PyObject *recipe_msamp_scale(PyObject *self, PyObject *arguments)
{
    (void)self;
    return with_margin(fp8mac_recipe_msamp_scale, arguments);
}

// xla_mode(format, loss_scaled_gradient) -> the overflow mode's number
static PyObject *recipe_xla_mode(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder h;
    int gradient;
    if (!PyArg_ParseTuple(arguments, "O&p", take_format, &h, &gradient)) {
        return NULL;
    }
    const fp8mac_format *found = fp8mac_format_by_name(h.format.name);
    fp8mac_format_id id = found == NULL
                              ? FP8MAC_FORMAT_COUNT
                              : (fp8mac_format_id)(found - fp8mac_format_get(FP8MAC_E4M3FN));
    return PyLong_FromLong((long)fp8mac_recipe_xla_mode(id, gradient != 0).overflow);
}

// xla_quantize(dst_format, dst, src, scale, mode) -> flags
static PyObject *recipe_xla_quantize(PyObject *self, PyObject *arguments)
{
    (void)self;
    return quantize_with(fp8mac_recipe_xla_quantize, arguments);
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

static PyObject *recipe_torchao_scale(PyObject *self, PyObject *arguments)
{
    (void)self;
    float fp8_max, amax;
    int power_of_two;
    return PyArg_ParseTuple(arguments, "ffp", &fp8_max, &amax, &power_of_two)
               ? PyFloat_FromDouble(
                     (double)fp8mac_recipe_torchao_scale(fp8_max, amax, power_of_two != 0))
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

static PyObject *recipe_graphcore_cscale_bias(PyObject *self, PyObject *arguments)
{
    (void)self;
    int bias;
    return PyArg_ParseTuple(arguments, "i", &bias)
               ? PyLong_FromLong(fp8mac_recipe_graphcore_cscale_bias(bias))
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
    {"recipe_delayed", recipe_delayed, METH_VARARGS, NULL},
    {"recipe_te_operand", recipe_te_operand, METH_VARARGS, NULL},
    {"recipe_xla_next", recipe_xla_next, METH_VARARGS, NULL},
    {"recipe_xla_example_next", recipe_xla_example_next, METH_VARARGS, NULL},
    {"recipe_flax_scale", recipe_flax_scale, METH_VARARGS, NULL},
    {"recipe_msamp_scale", recipe_msamp_scale, METH_VARARGS, NULL},
    {"recipe_torchao_scale", recipe_torchao_scale, METH_VARARGS, NULL},
    {"recipe_xla_mode", recipe_xla_mode, METH_VARARGS, NULL},
    {"recipe_xla_quantize", recipe_xla_quantize, METH_VARARGS, NULL},
    {"recipe_pytorch_scale", recipe_pytorch_scale, METH_VARARGS, NULL},
    {"recipe_graphcore_amax_bias", recipe_graphcore_amax_bias, METH_VARARGS, NULL},
    {"recipe_graphcore_cscale_bias", recipe_graphcore_cscale_bias, METH_VARARGS, NULL},
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
