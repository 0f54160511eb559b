// SPDX-License-Identifier: Apache-2.0
// Formats and single codes.
#include "_shared.h"

#include <string.h>

static PyObject *core_format(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder holder;
    return PyArg_ParseTuple(arguments, "O&", take_format, &holder) ? format_tuple(&holder.format)
                                                                   : NULL;
}

static PyObject *core_formats(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *all = PyList_New(0);
    for (unsigned id = 0; all != NULL && id < FP8MAC_FORMAT_COUNT; id++) {
        PyObject *one = format_tuple(fp8mac_format_get((fp8mac_format_id)id));
        if (one == NULL || PyList_Append(all, one) != 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(one);
    }
    return all;
}

// (bits, bytes, max_code, nan_code)
static PyObject *core_format_facts(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder h;
    if (!PyArg_ParseTuple(arguments, "O&", take_format, &h)) {
        return NULL;
    }
    return Py_BuildValue("(IIkk)", fp8mac_format_bits(&h.format), fp8mac_format_bytes(&h.format),
                         (unsigned long)fp8mac_format_max_code(&h.format),
                         (unsigned long)fp8mac_format_nan_code(&h.format));
}

// (code, class, sign, subnormal, exponent, significand, value, text)
static PyObject *core_record(PyObject *self, PyObject *arguments)
{
    (void)self;
    static const char *const classes[] = {"zero", "finite", "inf", "nan"};
    format_holder h;
    unsigned long code;
    if (!PyArg_ParseTuple(arguments, "O&k", take_format, &h, &code)) {
        return NULL;
    }
    unsigned bits = fp8mac_format_bits(&h.format);
    if (code > UINT32_MAX || (bits < 32 && code >> bits != 0)) {
        return refuse(FP8MAC_ERR_FORMAT, "code has more bits than the format");
    }
    char text[400];
    fp8mac_record r = fp8mac_record_of(&h.format, (uint32_t)code);
    fp8mac_value_text(fp8mac_decode(&h.format, (uint32_t)code), FP8MAC_TEXT_DECIMAL, text,
                      sizeof text);
    return Py_BuildValue("(ksNNiKds)", (unsigned long)r.code, classes[r.cls],
                         PyBool_FromLong(r.sign), PyBool_FromLong(r.subnormal), (int)r.exponent,
                         (unsigned long long)r.significand, r.value, text);
}

PyMethodDef fp8mac_py_formats_methods[] = {
    {"format", core_format, METH_VARARGS, NULL},
    {"formats", core_formats, METH_NOARGS, NULL},
    {"format_facts", core_format_facts, METH_VARARGS, NULL},
    {"record", core_record, METH_VARARGS, NULL},
    {0},
};
