// SPDX-License-Identifier: Apache-2.0
// The extension module fp8mac._core. The caller allocates all buffers and checks types and shapes.
// The extension checks every length again, so no call can read or write outside a buffer.
#include "_shared.h"

static int add_methods(PyObject *module)
{
    PyMethodDef *const tables[] = {fp8mac_py_shared_methods,  fp8mac_py_formats_methods,
                                   fp8mac_py_convert_methods, fp8mac_py_config_methods,
                                   fp8mac_py_gemm_methods,    fp8mac_py_recipes_methods,
                                   fp8mac_py_rows_methods,    fp8mac_py_environment_methods};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (PyModule_AddFunctions(module, tables[i]) != 0) {
            return -1;
        }
    }
    return 0;
}

static PyModuleDef module = {PyModuleDef_HEAD_INIT,
                             "fp8mac._core",
                             "libfp8mac for the package fp8mac.",
                             -1,
                             NULL,
                             NULL,
                             NULL,
                             NULL,
                             NULL};

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *m = PyModule_Create(&module);
    PyObject *members = Py_BuildValue("{s:O}", "status", Py_None);
    fp8mac_py_error =
        members == NULL
            ? NULL
            : PyErr_NewExceptionWithDoc("fp8mac.Error",
                                        "What the library refuses: which argument, and what would "
                                        "be right.\n\n`status` is the name of the C status, such "
                                        "as 'FP8MAC_ERR_SCALE'.",
                                        PyExc_ValueError, members);
    Py_XDECREF(members);
    if (m == NULL || fp8mac_py_error == NULL || add_methods(m) != 0 ||
        PyModule_AddObjectRef(m, "Error", fp8mac_py_error) != 0 ||
        PyModule_AddStringConstant(m, "version", fp8mac_version()) != 0) {
        Py_XDECREF(m);
        return NULL;
    }
    return m;
}
