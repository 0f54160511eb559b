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

// What the dot products of a batch share. Vectors are k codes each, one after the other.
typedef struct batch {
    const settings *s;
    size_t count, k;
    const uint8_t *a, *b, *mx_a, *mx_b;
    const void *acc; // codes to load, or NULL
    uint32_t m, n;   // position of the first one; the next ones follow in m
    float *out;
} batch;

static fp8mac_status run_batch(const batch *all, fp8mac_flags *flags)
{
    const fp8mac_dot_config *config = &all->s->config;
    size_t blocks = blocks_of(all->k);
    for (size_t i = 0; i < all->count; i++) {
        fp8mac_acc acc = {.m = all->m + (uint32_t)i, .n = all->n};
        const uint8_t *a = all->a + i * all->k, *b = all->b + i * all->k;
        fp8mac_status status = FP8MAC_OK;
        if (all->acc != NULL) {
            unsigned bytes = fp8mac_format_bytes(fp8mac_acc_loaded_format(config));
            uint32_t code = 0;
            memcpy(&code, (const uint8_t *)all->acc + i * bytes, bytes); // little-endian
            status = fp8mac_acc_load(config, &acc, code);
        }
        if (status == FP8MAC_OK) {
            status = all->mx_a == NULL && all->mx_b == NULL
                         ? fp8mac_dot(config, &acc, a, b, all->k, flags)
                         : fp8mac_dot_mx(config, &acc, a, b, all->k,
                                         all->mx_a == NULL ? NULL : all->mx_a + i * blocks,
                                         all->mx_b == NULL ? NULL : all->mx_b + i * blocks, flags);
        }
        if (status != FP8MAC_OK) {
            return status;
        }
        uint32_t code = fp8mac_acc_to_fp32(config, &acc, flags);
        memcpy(all->out + i, &code, sizeof code);
    }
    return FP8MAC_OK;
}

// The status raised; where K is too large, with the limit of this accumulator.
static PyObject *refuse_dot(const settings *s, fp8mac_status status, size_t k)
{
    char message[SETTINGS_MESSAGE];
    bool told = status == FP8MAC_ERR_K_LIMIT && !settings_check_k(s, k, message);
    return refuse(status, told ? message : NULL);
}

// acc_format(config) -> the format of a loaded accumulator's code, or None
static PyObject *core_acc_format(PyObject *self, PyObject *capsule)
{
    (void)self;
    const settings *s = config_of(capsule);
    if (s == NULL) {
        return NULL;
    }
    const fp8mac_format *format = fp8mac_acc_loaded_format(&s->config);
    return format == NULL ? Py_NewRef(Py_None) : format_tuple(format);
}

// dot(config, (count, k), a, b, out, mx_a or None, mx_b or None, acc or None, m, n, inexact) -> flags
static PyObject *core_dot(PyObject *self, PyObject *arguments)
{
    (void)self;
    enum { MX_A, MX_B, ACC, OPTIONAL };
    PyObject *capsule, *object[OPTIONAL], *result = NULL;
    Py_buffer a, b, out, buffer[OPTIONAL] = {{0}};
    unsigned long m, n;
    Py_ssize_t count, k;
    int inexact;
    if (!PyArg_ParseTuple(arguments, "O(nn)y*y*w*OOOkkp", &capsule, &count, &k, &a, &b, &out,
                          &object[MX_A], &object[MX_B], &object[ACC], &m, &n, &inexact)) {
        return NULL;
    }
    const settings *s = config_of(capsule);
    if (s == NULL) {
        goto done;
    }
    if (count <= 0 || k <= 0 || count > PY_SSIZE_T_MAX / k ||
        (size_t)count - 1 > UINT32_MAX - (size_t)m) {
        refuse(FP8MAC_ERR_SHAPE, "a batch needs a vector, and its origin must fit 32 bits");
        goto done;
    }
    size_t uc = (size_t)count, uk = (size_t)k, blocks = blocks_of(uk);
    const fp8mac_format *loaded = fp8mac_acc_loaded_format(&s->config);
    if (object[ACC] != Py_None && loaded == NULL) {
        refuse(FP8MAC_ERR_ACCUMULATOR, "fixed and int32 accumulators cannot be loaded");
        goto done;
    }
    if (!length_is(&a, uc * uk, 1, "a") || !length_is(&b, uc * uk, 1, "b") ||
        !length_is(&out, uc, 4, "out") ||
        !optional(object[MX_A], &buffer[MX_A], uc * blocks, 1,
                  "mx_a must have one scale for every 32 terms") ||
        !optional(object[MX_B], &buffer[MX_B], uc * blocks, 1,
                  "mx_b must have one scale for every 32 terms") ||
        !optional(object[ACC], &buffer[ACC], uc, loaded == NULL ? 1 : fp8mac_format_bytes(loaded),
                  "acc must have one code for each dot product")) {
        goto done;
    }
    const batch all = {s,
                       uc,
                       uk,
                       a.buf,
                       b.buf,
                       buffer[MX_A].buf,
                       buffer[MX_B].buf,
                       buffer[ACC].buf,
                       (uint32_t)m,
                       (uint32_t)n,
                       out.buf};
    fp8mac_flags flags = flags_wanted(inexact);
    fp8mac_status status;
    Py_BEGIN_ALLOW_THREADS status = run_batch(&all, &flags);
    Py_END_ALLOW_THREADS result = status == FP8MAC_OK ? PyLong_FromUnsignedLong(flags_raised(flags))
                                                      : refuse_dot(s, status, uk);
done:
    for (int i = 0; i < OPTIONAL; i++) {
        PyBuffer_Release(&buffer[i]);
    }
    PyBuffer_Release(&a);
    PyBuffer_Release(&b);
    PyBuffer_Release(&out);
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
//      (origin_m, origin_n), acc or None, inexact, table or None) -> (amax, amax_nonfinite, flags)
static PyObject *core_gemm(PyObject *self, PyObject *arguments)
{
    (void)self;
    enum { SCALE_A, SCALE_B, BIAS, C, MX_A, MX_B, ACC, TABLE, OPTIONAL };
    PyObject *capsule, *object[OPTIONAL], *result = NULL;
    Py_buffer a, b, d, buffer[OPTIONAL] = {{0}};
    format_holder c_format, d_format;
    mode_holder how;
    fp8mac_gemm_desc desc = {0};
    Py_ssize_t m, n, k;
    int activation, inexact;
    unsigned long origin_m, origin_n;
    float scale_d;
    if (!PyArg_ParseTuple(arguments, "O(nnn)y*y*OOOfOO&iffw*O&O&fOO(kk)OpO", &capsule, &m, &n, &k,
                          &a, &b, &object[SCALE_A], &object[SCALE_B], &object[BIAS], &desc.beta,
                          &object[C], take_format, &c_format, &activation, &desc.clamp_lo,
                          &desc.clamp_hi, &d, take_format, &d_format, take_mode, &how, &scale_d,
                          &object[MX_A], &object[MX_B], &origin_m, &origin_n, &object[ACC],
                          &inexact, &object[TABLE])) {
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
    const fp8mac_format *loaded = fp8mac_acc_loaded_format(&s->config);
    if (object[ACC] != Py_None && loaded == NULL) {
        refuse(FP8MAC_ERR_ACCUMULATOR, "fixed and int32 accumulators cannot be loaded");
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
                  "mx_b must be N x ceil(K / 32)") ||
        !optional(object[ACC], &buffer[ACC], um * un,
                  loaded == NULL ? 1 : fp8mac_format_bytes(loaded), "acc must be M x N") ||
        !optional(object[TABLE], &buffer[TABLE], FP8MAC_TABLE_CODES, 1,
                  "d_table must have 256 codes")) {
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
    desc.d_generator = how.generator;
    desc.d_table = buffer[TABLE].buf;
    desc.scale_d = &scale_d;
    desc.mx_a = buffer[MX_A].buf, desc.ldmx_a = blocks_of(uk);
    desc.mx_b = buffer[MX_B].buf, desc.ldmx_b = blocks_of(uk);
    desc.origin_m = (uint32_t)origin_m, desc.origin_n = (uint32_t)origin_n;
    desc.acc = buffer[ACC].buf, desc.ldacc = un;
    desc.inexact_flags = inexact != 0;
    fp8mac_gemm_result r = {0};
    fp8mac_status status;
    Py_BEGIN_ALLOW_THREADS status = fp8mac_gemm(&desc, &r);
    Py_END_ALLOW_THREADS result =
        status == FP8MAC_OK ? Py_BuildValue("(fNk)", r.amax, PyBool_FromLong(r.amax_nonfinite),
                                            (unsigned long)r.flags)
                            : refuse_dot(s, status, uk);
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
    {"acc_format", core_acc_format, METH_O, NULL},
    {"dot", core_dot, METH_VARARGS, NULL},
    {"gemm", core_gemm, METH_VARARGS, NULL},
    {0},
};
