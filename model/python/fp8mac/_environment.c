// SPDX-License-Identifier: Apache-2.0
// The library's floating-point environment for the arithmetic of Python and NumPy. A function of
// the package enters it, and leaves it with what entering returned.
#include "_shared.h"

#include <string.h>

#include "core/environment.h"

// enter_environment() -> the caller's environment as bytes
static PyObject *core_enter_environment(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    const fp8mac_environment caller = fp8mac_environment_enter();
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)&caller, sizeof caller);
    if (bytes == NULL) {
        fp8mac_environment_leave(caller);
    }
    return bytes;
}

// leave_environment(the caller's environment as bytes)
static PyObject *core_leave_environment(PyObject *self, PyObject *bytes)
{
    (void)self;
    fp8mac_environment caller;
    char *at;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(bytes, &at, &size) != 0) {
        return NULL;
    }
    if ((size_t)size != sizeof caller) {
        PyErr_SetString(PyExc_ValueError, "this is no environment");
        return NULL;
    }
    memcpy(&caller, at, sizeof caller);
    fp8mac_environment_leave(caller);
    return Py_NewRef(Py_None);
}

PyMethodDef fp8mac_py_environment_methods[] = {
    {"enter_environment", core_enter_environment, METH_NOARGS, NULL},
    {"leave_environment", core_leave_environment, METH_O, NULL},
    {0},
};
