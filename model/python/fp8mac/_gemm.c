// SPDX-License-Identifier: Apache-2.0
// Dot products and GEMMs.
#include "_shared.h"

#include <string.h>

// An optional buffer: None is NULL. Returns 0 with an exception set.
static int optional(PyObject *object, Py_buffer *buffer, size_t count, size_t bytes,
                    const char *what)
{
    if (object == Py_None) {
        return 1;
    }
    return PyObject_GetBuffer(object, buffer, PyBUF_SIMPLE) == 0 &&
           length_is(buffer, count, bytes, what);
}

// dot(config, a, b, mx_a or None, mx_b or None, m, n) -> (FP32 code, flags)
static PyObject *core_dot(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyObject *capsule, *mx_a, *mx_b, *result = NULL;
    Py_buffer a, b, sa = {0}, sb = {0};
    unsigned long m, n;
    if (!PyArg_ParseTuple(arguments, "Oy*y*OOkk", &capsule, &a, &b, &mx_a, &mx_b, &m, &n)) {
        return NULL;
    }
    const settings *s = config_of(capsule);
    size_t k = (size_t)a.len;
    if (s == NULL || !length_is(&b, k, 1, "a and b must have equal lengths") ||
        !optional(mx_a, &sa, blocks_of(k), 1, "mx_a must have one scale for every 32 terms") ||
        !optional(mx_b, &sb, blocks_of(k), 1, "mx_b must have one scale for every 32 terms")) {
        goto done;
    }
    fp8mac_acc acc = {.m = (uint32_t)m, .n = (uint32_t)n};
    fp8mac_flags flags = 0;
    fp8mac_status status;
    uint32_t code = 0;
    Py_BEGIN_ALLOW_THREADS status =
        sa.buf == NULL && sb.buf == NULL
            ? fp8mac_dot(&s->config, &acc, a.buf, b.buf, k, &flags)
            : fp8mac_dot_mx(&s->config, &acc, a.buf, b.buf, k, sa.buf, sb.buf, &flags);
    code = status == FP8MAC_OK ? fp8mac_acc_to_fp32(&s->config, &acc, &flags) : 0;
    Py_END_ALLOW_THREADS result =
        status == FP8MAC_OK ? Py_BuildValue("(kk)", (unsigned long)code, (unsigned long)flags)
                            : refuse(status, NULL);
done:
    PyBuffer_Release(&a);
    PyBuffer_Release(&b);
    PyBuffer_Release(&sa);
    PyBuffer_Release(&sb);
    return result;
}

static fp8mac_scale scale_from(const Py_buffer *buffer)
{
    return (fp8mac_scale){buffer->obj == NULL ? FP8MAC_SCALE_NONE
                          : buffer->len == 4  ? FP8MAC_SCALE_TENSOR
                                              : FP8MAC_SCALE_VECTOR,
                          buffer->buf};
}

// A scale is one float or `rows` of them.
static int optional_scale(PyObject *object, Py_buffer *buffer, size_t rows, const char *what)
{
    if (object == Py_None) {
        return 1;
    }
    return PyObject_GetBuffer(object, buffer, PyBUF_SIMPLE) == 0 &&
           (buffer->len == 4 || length_is(buffer, rows, 4, what));
}

// gemm(config, (m, n, k), a, b, scale_a, scale_b, bias, beta, c, c_format, act, lo, hi, d,
// d_format, mode, scale_d, mx_a, mx_b,
//      (origin_m, origin_n)) -> (amax, amax_nonfinite, flags)
static PyObject *core_gemm(PyObject *self, PyObject *arguments)
{
    (void)self;
    enum { SCALE_A, SCALE_B, BIAS, C, MX_A, MX_B, OPTIONAL };
    PyObject *capsule, *object[OPTIONAL], *result = NULL;
    Py_buffer a, b, d, buffer[OPTIONAL] = {{0}};
    format_holder c_format, d_format;
    mode_holder how;
    fp8mac_gemm_desc desc = {0};
    Py_ssize_t m, n, k;
    int activation;
    unsigned long origin_m, origin_n;
    float scale_d;
    if (!PyArg_ParseTuple(arguments, "O(nnn)y*y*OOOfOO&iffw*O&O&fOO(kk)", &capsule, &m, &n, &k, &a,
                          &b, &object[SCALE_A], &object[SCALE_B], &object[BIAS], &desc.beta,
                          &object[C], take_format, &c_format, &activation, &desc.clamp_lo,
                          &desc.clamp_hi, &d, take_format, &d_format, take_mode, &how, &scale_d,
                          &object[MX_A], &object[MX_B], &origin_m, &origin_n)) {
        return NULL;
    }
    const settings *s = config_of(capsule);
    size_t um = (size_t)m, un = (size_t)n, uk = (size_t)k, room = PY_SSIZE_T_MAX / 4;
    if (s == NULL) {
        goto done;
    }
    if (m <= 0 || n <= 0 || k <= 0 || um > room / uk || un > room / uk || um > room / un) {
        refuse(FP8MAC_ERR_SHAPE, "m, n and k must be at least 1");
        goto done;
    }
    if (!length_is(&a, um * uk, 1, "a") || !length_is(&b, un * uk, 1, "b") ||
        !length_is(&d, um * un, fp8mac_format_bytes(&d_format.format), "d") ||
        !mode_fits(&d_format.format, &how) ||
        !optional_scale(object[SCALE_A], &buffer[SCALE_A], um,
                        "scale_a must have one value, or one for each row of a") ||
        !optional_scale(object[SCALE_B], &buffer[SCALE_B], un,
                        "scale_b must have one value, or one for each row of b") ||
        !optional(object[BIAS], &buffer[BIAS], un, 4, "bias must have N values") ||
        !optional(object[C], &buffer[C], um * un, fp8mac_format_bytes(&c_format.format),
                  "c must be M x N") ||
        !optional(object[MX_A], &buffer[MX_A], um * blocks_of(uk), 1,
                  "mx_a must be M x ceil(K / 32)") ||
        !optional(object[MX_B], &buffer[MX_B], un * blocks_of(uk), 1,
                  "mx_b must be N x ceil(K / 32)")) {
        goto done;
    }
    desc.m = um, desc.n = un, desc.k = uk;
    desc.dot = s->config;
    desc.a = a.buf, desc.lda = uk;
    desc.b = b.buf, desc.ldb = uk;
    desc.scale_a = scale_from(&buffer[SCALE_A]);
    desc.scale_b = scale_from(&buffer[SCALE_B]);
    desc.bias = buffer[BIAS].buf;
    desc.c = buffer[C].buf, desc.c_format = &c_format.format, desc.ldc = un;
    desc.activation = (fp8mac_activation)activation;
    desc.d = d.buf, desc.d_format = &d_format.format, desc.ldd = un;
    desc.d_mode = how.mode, desc.d_random_bits = how.random_bits;
    desc.scale_d = &scale_d;
    desc.mx_a = buffer[MX_A].buf, desc.ldmx_a = blocks_of(uk);
    desc.mx_b = buffer[MX_B].buf, desc.ldmx_b = blocks_of(uk);
    desc.origin_m = (uint32_t)origin_m, desc.origin_n = (uint32_t)origin_n;
    fp8mac_gemm_result r = {0};
    fp8mac_status status;
    Py_BEGIN_ALLOW_THREADS status = fp8mac_gemm(&desc, &r);
    Py_END_ALLOW_THREADS result =
        status == FP8MAC_OK ? Py_BuildValue("(fNk)", r.amax, PyBool_FromLong(r.amax_nonfinite),
                                            (unsigned long)r.flags)
                            : refuse(status, NULL);
done:
    for (int i = 0; i < OPTIONAL; i++) {
        PyBuffer_Release(&buffer[i]);
    }
    PyBuffer_Release(&a);
    PyBuffer_Release(&b);
    PyBuffer_Release(&d);
    return result;
}

PyMethodDef fp8mac_py_gemm_methods[] = {
    {"dot", core_dot, METH_VARARGS, NULL},
    {"gemm", core_gemm, METH_VARARGS, NULL},
    {0},
};
