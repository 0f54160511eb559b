// SPDX-License-Identifier: Apache-2.0
// What the parts of the extension share: errors, formats and modes as arguments.
#include "_shared.h"

#include <string.h>

PyObject *fp8mac_py_error;

static const char *const status_names[] = {
    "OK",         "NULL",           "FORMAT", "ROUNDING", "OVERFLOW_MODE", "ACCUMULATOR",
    "GROUP",      "SCALE_EXPONENT", "SCALE",  "SHAPE",    "STRIDE",        "K_LIMIT",
    "ACTIVATION", "UNSUPPORTED",    "PRESET", "OVERLAP",  "CONFIG",        "COMMAND"};

PyObject *refuse(fp8mac_status status, const char *what)
{
    const char *text = what == NULL ? fp8mac_status_string(status) : what;
    const size_t length = strlen(text);
    const bool ends = length > 0 && text[length - 1] == '.';
    PyObject *message = PyUnicode_FromFormat(ends ? "%s" : "%s.", text);
    PyObject *instance =
        message == NULL ? NULL : PyObject_CallFunctionObjArgs(fp8mac_py_error, message, NULL);
    PyObject *name = PyUnicode_FromFormat("FP8MAC_ERR_%s", status_names[status]);
    if (instance != NULL && name != NULL && PyObject_SetAttrString(instance, "status", name) == 0) {
        PyErr_SetObject(fp8mac_py_error, instance);
    }
    Py_XDECREF(message);
    Py_XDECREF(instance);
    Py_XDECREF(name);
    return NULL;
}

int length_is(const Py_buffer *buffer, size_t count, size_t bytes, const char *what)
{
    if (bytes != 0 && (count > PY_SSIZE_T_MAX / bytes || (size_t)buffer->len != count * bytes)) {
        char message[128];
        PyOS_snprintf(message, sizeof message, "%s: the buffer has another length", what);
        refuse(FP8MAC_ERR_SHAPE, message);
        return 0;
    }
    return 1;
}

// A name ("e4m3fn", "cfloat8_e4m3:9"), or the fields of a format as a tuple. For O&.
int take_format(PyObject *object, void *to)
{
    format_holder *holder = to;
    const char *name;
    if (PyUnicode_Check(object)) {
        char message[SETTINGS_MESSAGE];
        Py_ssize_t length;
        name = PyUnicode_AsUTF8AndSize(object, &length);
        if (name == NULL) {
            return 0;
        }
        if ((size_t)length != strlen(name)) {
            refuse(FP8MAC_ERR_FORMAT, "the name of a format has a NUL in it");
            return 0;
        }
        if (!settings_format(&holder->format, name, message)) {
            refuse(FP8MAC_ERR_FORMAT, message);
            return 0;
        }
        return 1;
    }
    int is_signed, exponent_bits, mantissa_bits, bias, has_inf, has_negative_zero, nan_encoding,
        exponent_zero;
    if (!PyTuple_Check(object)) {
        refuse(FP8MAC_ERR_FORMAT, "a format must be a name or a Format");
        return 0;
    }
    if (!PyArg_ParseTuple(object, "spiiippii", &name, &is_signed, &exponent_bits, &mantissa_bits,
                          &bias, &has_inf, &has_negative_zero, &nan_encoding, &exponent_zero)) {
        return 0;
    }
    PyOS_snprintf(holder->name, sizeof holder->name, "%s", name);
    bool fits =
        exponent_bits >= 0 && exponent_bits < 256 && mantissa_bits >= 0 && mantissa_bits < 256;
    if (!fits || bias < -10000 || bias > 10000) {
        refuse(FP8MAC_ERR_FORMAT, "exponent_bits, mantissa_bits or bias is out of range");
        return 0;
    }
    holder->format = (fp8mac_format){holder->name,
                                     is_signed != 0,
                                     (uint8_t)exponent_bits,
                                     (uint8_t)mantissa_bits,
                                     (int16_t)bias,
                                     has_inf != 0,
                                     has_negative_zero != 0,
                                     (fp8mac_nan_encoding)nan_encoding,
                                     (fp8mac_exponent_zero)exponent_zero};
    const char *why = fp8mac_format_refusal(&holder->format);
    if (why != NULL) {
        refuse(FP8MAC_ERR_FORMAT, why);
        return 0;
    }
    return 1;
}

PyObject *format_tuple(const fp8mac_format *format)
{
    return Py_BuildValue("(sNiiiNNii)", format->name, PyBool_FromLong(format->is_signed),
                         format->exponent_bits, format->mantissa_bits, format->bias,
                         PyBool_FromLong(format->has_inf),
                         PyBool_FromLong(format->has_negative_zero), (int)format->nan_encoding,
                         (int)format->exponent_zero);
}

int take_mode(PyObject *object, void *to)
{
    mode_holder *holder = to;
    const char *rounding, *overflow;
    char message[SETTINGS_MESSAGE];
    int inexact = 0;
    unsigned generator = FP8MAC_GENERATOR_THREEFRY;
    if (!PyArg_ParseTuple(object, "ssI|pI", &rounding, &overflow, &holder->random_bits, &inexact,
                          &generator)) {
        return 0;
    }
    holder->flags = flags_wanted(inexact);
    holder->generator = (fp8mac_generator)generator;
    if (!settings_rounding(&holder->mode.rounding, rounding, message)) {
        refuse(FP8MAC_ERR_ROUNDING, message);
        return 0;
    }
    if (!settings_overflow(&holder->mode.overflow, overflow, message)) {
        refuse(FP8MAC_ERR_OVERFLOW_MODE, message);
        return 0;
    }
    return 1;
}

int mode_fits(const fp8mac_format *format, const mode_holder *how)
{
    char message[SETTINGS_MESSAGE];
    if (settings_check_mode(format, how->mode, how->random_bits, how->generator, message)) {
        return 1;
    }
    bool stochastic = how->mode.rounding == FP8MAC_ROUND_STOCHASTIC;
    unsigned most = how->generator == FP8MAC_GENERATOR_SIMON ? 16 : 24;
    bool bits =
        stochastic ? how->random_bits < 1 || how->random_bits > most : how->random_bits != 0;
    refuse(bits ? FP8MAC_ERR_ROUNDING : FP8MAC_ERR_OVERFLOW_MODE, message);
    return 0;
}

PyObject *finish(fp8mac_status status, fp8mac_flags flags)
{
    return status == FP8MAC_OK ? PyLong_FromUnsignedLong(flags_raised(flags))
                               : refuse(status, NULL);
}

// status_text(name) -> the sentence of FP8MAC_ERR_name
static PyObject *core_status_text(PyObject *self, PyObject *arguments)
{
    (void)self;
    const char *name;
    if (!PyArg_ParseTuple(arguments, "s", &name)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof status_names / sizeof status_names[0]; i++) {
        if (strcmp(name, status_names[i]) == 0) {
            return PyUnicode_FromString(fp8mac_status_string((fp8mac_status)i));
        }
    }
    PyErr_Format(PyExc_KeyError, "no status %s", name);
    return NULL;
}

PyMethodDef fp8mac_py_shared_methods[] = {
    {"status_text", core_status_text, METH_VARARGS, NULL},
    {0},
};
