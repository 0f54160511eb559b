// SPDX-License-Identifier: Apache-2.0
// What the parts of the extension share. Each part has a table of methods, which _core.c puts into
// the module.
#ifndef FP8MAC_PYTHON_SHARED_H
#define FP8MAC_PYTHON_SHARED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "settings.h"

extern PyMethodDef fp8mac_py_shared_methods[], fp8mac_py_formats_methods[],
    fp8mac_py_convert_methods[], fp8mac_py_config_methods[], fp8mac_py_gemm_methods[],
    fp8mac_py_recipes_methods[], fp8mac_py_rows_methods[], fp8mac_py_environment_methods[];

// The class fp8mac.Error.
extern PyObject *fp8mac_py_error;

// Raises Error with `what` or, if it is NULL, with the status's own text. Returns NULL.
PyObject *refuse(fp8mac_status status, const char *what);
// Whether the buffer holds count elements; otherwise 0, with `what` raised.
int length_is(const Py_buffer *buffer, size_t count, size_t bytes, const char *what);

typedef struct format_holder {
    fp8mac_format format;
    char name[48];
} format_holder;

// A name ("e4m3fn", "cfloat8_e4m3:9"), or the fields of a format as a tuple. For O&.
int take_format(PyObject *object, void *to);
PyObject *format_tuple(const fp8mac_format *format);

typedef struct mode_holder {
    fp8mac_convert_mode mode;
    unsigned random_bits;
    fp8mac_generator generator;
    fp8mac_flags flags; // to begin with: FP8MAC_FLAG_TRACK_INEXACT or 0
} mode_holder;

// (rounding, overflow, random_bits), optionally followed by inexact_flags and the generator's
// number. The first two are names. For O&.
int take_mode(PyObject *object, void *to);
// Whether the mode is possible for results of the format; otherwise 0, with the reason raised.
int mode_fits(const fp8mac_format *format, const mode_holder *how);
// FP8MAC_FLAG_TRACK_INEXACT or 0, for a call to begin with.
static inline fp8mac_flags flags_wanted(int inexact)
{
    return inexact ? FP8MAC_FLAG_TRACK_INEXACT : 0u;
}
// The flags that were raised, without what was asked for.
static inline unsigned long flags_raised(fp8mac_flags flags)
{
    return flags & ~(fp8mac_flags)FP8MAC_FLAG_TRACK_INEXACT;
}
// The raised flags as a number, or the status raised.
PyObject *finish(fp8mac_status status, fp8mac_flags flags);

// fp8mac_quantize, and recipes of its form.
typedef fp8mac_status quantizer(const fp8mac_format *dst_format, void *dst, const float *src,
                                size_t n, float scale, fp8mac_convert_mode mode,
                                fp8mac_flags *flags);
// Calls one of them with the arguments (dst_format, dst, src, scale, mode): the raised flags.
PyObject *quantize_with(quantizer *quantize, PyObject *arguments);

// Block scales of k terms.
static inline size_t blocks_of(size_t k)
{
    return k / FP8MAC_MX_BLOCK + (k % FP8MAC_MX_BLOCK != 0);
}

// The settings in a capsule that config() returned, or NULL with an exception.
const settings *config_of(PyObject *capsule);

#endif
