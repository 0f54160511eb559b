// SPDX-License-Identifier: Apache-2.0
// Conversions of arrays.
#include "_shared.h"

#include <string.h>

// convert(dst_format, dst, src_format, src, mode, random or None, seed, m, n, step) -> flags
static PyObject *core_convert(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder to, from;
    mode_holder how;
    Py_buffer dst, src, r = {0};
    PyObject *random;
    unsigned long long seed, step;
    unsigned long m, n;
    if (!PyArg_ParseTuple(arguments, "O&w*O&y*O&OKkkK", take_format, &to, &dst, take_format, &from,
                          &src, take_mode, &how, &random, &seed, &m, &n, &step)) {
        return NULL;
    }
    PyObject *result = NULL;
    unsigned bytes = fp8mac_format_bytes(&from.format);
    size_t count = (size_t)src.len / bytes;
    if (!length_is(&src, count, bytes, "src") ||
        !length_is(&dst, count, fp8mac_format_bytes(&to.format), "dst") ||
        !mode_fits(&to.format, &how) ||
        (random != Py_None && PyObject_GetBuffer(random, &r, PyBUF_SIMPLE) != 0)) {
        goto done;
    }
    if (r.obj != NULL &&
        !length_is(&r, count, 4, "random must have as many elements as the input")) {
        goto done;
    }
    fp8mac_status status;
    fp8mac_flags flags = how.flags;
    fp8mac_random_source source = {r.obj == NULL ? NULL : r.buf,
                                   how.random_bits,
                                   seed,
                                   (uint32_t)m,
                                   (uint32_t)n,
                                   step,
                                   how.generator};
    Py_BEGIN_ALLOW_THREADS status =
        how.mode.rounding == FP8MAC_ROUND_STOCHASTIC
            ? fp8mac_convert_stochastic(&to.format, dst.buf, &from.format, src.buf, count,
                                        how.mode.overflow, &source, &flags)
            : fp8mac_convert(&to.format, dst.buf, &from.format, src.buf, count, how.mode, &flags);
    Py_END_ALLOW_THREADS result = finish(status, flags);
done:
    PyBuffer_Release(&r);
    PyBuffer_Release(&src);
    PyBuffer_Release(&dst);
    return result;
}

// The same bits as fp8mac_convert_stochastic draws, from doubles.
static void stochastic_from_double(const fp8mac_format *to, char *dst, const double *src,
                                   size_t count, const mode_holder *how,
                                   fp8mac_random_source source, fp8mac_flags *flags)
{
    unsigned bytes = fp8mac_format_bytes(to);
    for (size_t i = 0; i < count; i++) {
        uint64_t position = ((uint64_t)source.m << 32 | source.n) + i;
        uint32_t r =
            source.r != NULL ? source.r[i]
            : source.generator == FP8MAC_GENERATOR_SIMON
                ? fp8mac_simon_bits(source.seed, (uint32_t)(position >> 32), (uint32_t)position,
                                    source.bits)
                : fp8mac_random_bits(source.seed, (uint32_t)(position >> 32), (uint32_t)position,
                                     source.step, FP8MAC_RANDOM_CONVERT, source.bits);
        uint32_t code = fp8mac_encode_stochastic(to, fp8mac_value_from_double(src[i]),
                                                 how->mode.overflow, r, source.bits, flags);
        uint16_t u2 = (uint16_t)code;
        uint8_t u1 = (uint8_t)code;
        memcpy(dst + i * bytes,
               bytes == 1   ? (void *)&u1
               : bytes == 2 ? (void *)&u2
                            : (void *)&code,
               bytes);
    }
}

static bool random_fits(const uint32_t *r, size_t count, unsigned bits)
{
    for (size_t i = 0; r != NULL && i < count; i++) {
        if (r[i] >> bits != 0) {
            return false;
        }
    }
    return true;
}

// convert_from_double(dst_format, dst, src, mode, random or None, seed, m, n, step) -> flags
static PyObject *core_convert_from_double(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder to;
    mode_holder how;
    Py_buffer dst, src, r = {0};
    PyObject *random;
    unsigned long long seed, step;
    unsigned long m, n;
    if (!PyArg_ParseTuple(arguments, "O&w*y*O&OKkkK", take_format, &to, &dst, &src, take_mode, &how,
                          &random, &seed, &m, &n, &step)) {
        return NULL;
    }
    PyObject *result = NULL;
    size_t count = (size_t)src.len / 8;
    if (!length_is(&src, count, 8, "src") ||
        !length_is(&dst, count, fp8mac_format_bytes(&to.format), "dst") ||
        !mode_fits(&to.format, &how) ||
        (random != Py_None && PyObject_GetBuffer(random, &r, PyBUF_SIMPLE) != 0)) {
        goto done;
    }
    if (r.obj != NULL &&
        !length_is(&r, count, 4, "random must have as many elements as the input")) {
        goto done;
    }
    fp8mac_status status = FP8MAC_OK;
    fp8mac_flags flags = how.flags;
    fp8mac_random_source source = {r.obj == NULL ? NULL : r.buf,
                                   how.random_bits,
                                   seed,
                                   (uint32_t)m,
                                   (uint32_t)n,
                                   step,
                                   how.generator};
    Py_BEGIN_ALLOW_THREADS if (how.mode.rounding != FP8MAC_ROUND_STOCHASTIC)
    {
        status = fp8mac_convert_from_double(&to.format, dst.buf, src.buf, count, how.mode, &flags);
    }
    else if (!random_fits(source.r, count, how.random_bits) ||
             (how.generator == FP8MAC_GENERATOR_SIMON && step != 0))
    {
        status = FP8MAC_ERR_ROUNDING;
    }
    else
    {
        stochastic_from_double(&to.format, dst.buf, src.buf, count, &how, source, &flags);
    }
    Py_END_ALLOW_THREADS result = finish(status, flags);
done:
    PyBuffer_Release(&r);
    PyBuffer_Release(&src);
    PyBuffer_Release(&dst);
    return result;
}

// convert_to_double(dst, src_format, src)
static PyObject *core_convert_to_double(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder from;
    Py_buffer dst, src;
    if (!PyArg_ParseTuple(arguments, "w*O&y*", &dst, take_format, &from, &src)) {
        return NULL;
    }
    PyObject *result = NULL;
    unsigned bytes = fp8mac_format_bytes(&from.format);
    size_t count = (size_t)src.len / bytes;
    if (length_is(&src, count, bytes, "src") && length_is(&dst, count, 8, "dst")) {
        result = finish(fp8mac_convert_to_double(dst.buf, &from.format, src.buf, count), 0);
    }
    PyBuffer_Release(&src);
    PyBuffer_Release(&dst);
    return result;
}

PyObject *quantize_with(quantizer *quantize, PyObject *arguments)
{
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
    if (!length_is(&src, count, 4, "src") ||
        !length_is(&dst, count, fp8mac_format_bytes(&to.format), "dst") ||
        !mode_fits(&to.format, &how)) {
        goto done;
    }
    if (!settings_scale(scale, "scale", message)) {
        refuse(FP8MAC_ERR_SCALE, message);
        goto done;
    }
    fp8mac_status status;
    fp8mac_flags flags = how.flags;
    Py_BEGIN_ALLOW_THREADS status =
        quantize(&to.format, dst.buf, src.buf, count, scale, how.mode, &flags);
    Py_END_ALLOW_THREADS result = finish(status, flags);
done:
    PyBuffer_Release(&src);
    PyBuffer_Release(&dst);
    return result;
}

// quantize(dst_format, dst, src, scale, mode) -> flags
static PyObject *core_quantize(PyObject *self, PyObject *arguments)
{
    (void)self;
    return quantize_with(fp8mac_quantize, arguments);
}

// dequantize(dst, src_format, src, scale)
static PyObject *core_dequantize(PyObject *self, PyObject *arguments)
{
    (void)self;
    format_holder from;
    Py_buffer dst, src;
    float scale;
    if (!PyArg_ParseTuple(arguments, "w*O&y*f", &dst, take_format, &from, &src, &scale)) {
        return NULL;
    }
    PyObject *result = NULL;
    unsigned bytes = fp8mac_format_bytes(&from.format);
    size_t count = (size_t)src.len / bytes;
    char message[SETTINGS_MESSAGE];
    if (!settings_scale(scale, "scale", message)) {
        refuse(FP8MAC_ERR_SCALE, message);
    } else if (length_is(&src, count, bytes, "src") && length_is(&dst, count, 4, "dst")) {
        result = finish(fp8mac_dequantize(dst.buf, &from.format, src.buf, count, scale), 0);
    }
    PyBuffer_Release(&src);
    PyBuffer_Release(&dst);
    return result;
}

PyMethodDef fp8mac_py_convert_methods[] = {
    {"convert", core_convert, METH_VARARGS, NULL},
    {"convert_from_double", core_convert_from_double, METH_VARARGS, NULL},
    {"convert_to_double", core_convert_to_double, METH_VARARGS, NULL},
    {"quantize", core_quantize, METH_VARARGS, NULL},
    {"dequantize", core_dequantize, METH_VARARGS, NULL},
    {0},
};
