// SPDX-License-Identifier: Apache-2.0
// Dot products and GEMMs. Their arguments are keywords, a row of a table each.
#include "_shared.h"

#include <stddef.h>
#include <string.h>

// ---- arguments ----------------------------------------------------------------------------------

// A keyword: how its value is taken, and what is given back when the call ends. Returns 0 with an
// exception set.
typedef struct keyword {
    const char *name;
    int (*take)(PyObject *value, void *to);
    void (*give_back)(void *to); // or NULL
    size_t offset;               // in the structure of the call's arguments
} keyword;

// An optional buffer: None leaves it empty.
static int take_buffer(PyObject *value, void *to)
{
    return value == Py_None || PyObject_GetBuffer(value, to, PyBUF_SIMPLE) == 0;
}

static int take_output(PyObject *value, void *to)
{
    return PyObject_GetBuffer(value, to, PyBUF_WRITABLE) == 0;
}

static void give_back_buffer(void *to)
{
    PyBuffer_Release(to);
}

// A matrix or batch of codes, with the scales of its rows and its block scales.
typedef struct operand {
    Py_buffer codes, scale, mx;
} operand;

// (codes, scale or None, mx or None)
static int take_operand(PyObject *value, void *to)
{
    operand *x = to;
    PyObject *codes, *scale, *mx;
    return PyArg_ParseTuple(value, "OOO", &codes, &scale, &mx) && take_buffer(codes, &x->codes) &&
           take_buffer(scale, &x->scale) && take_buffer(mx, &x->mx);
}

static void give_back_operand(void *to)
{
    operand *x = to;
    PyBuffer_Release(&x->codes);
    PyBuffer_Release(&x->scale);
    PyBuffer_Release(&x->mx);
}

static int take_config(PyObject *value, void *to)
{
    const settings **s = to;
    *s = config_of(value);
    return *s != NULL;
}

static int take_size(PyObject *value, void *to)
{
    const Py_ssize_t size = PyNumber_AsSsize_t(value, PyExc_OverflowError);
    *(size_t *)to = size < 0 ? 0 : (size_t)size;
    return size != -1 || PyErr_Occurred() == NULL;
}

static int take_u32(PyObject *value, void *to)
{
    const unsigned long number = PyLong_AsUnsignedLong(value);
    *(uint32_t *)to = (uint32_t)number;
    return PyErr_Occurred() == NULL;
}

static int take_float(PyObject *value, void *to)
{
    const double number = PyFloat_AsDouble(value);
    *(float *)to = (float)number;
    return PyErr_Occurred() == NULL;
}

static int take_bool(PyObject *value, void *to)
{
    const int truth = PyObject_IsTrue(value);
    *(bool *)to = truth > 0;
    return truth >= 0;
}

// A call has each keyword of its table, and no other.
static int take_all(PyObject *given, const keyword *table, void *arguments)
{
    Py_ssize_t left = given == NULL ? 0 : PyDict_Size(given);
    for (; table->name != NULL; table++, left--) {
        PyObject *value = given == NULL ? NULL : PyDict_GetItemString(given, table->name);
        if (value == NULL) {
            PyErr_Format(PyExc_TypeError, "the argument %s is missing", table->name);
            return 0;
        }
        if (!table->take(value, (char *)arguments + table->offset)) {
            return 0;
        }
    }
    if (left != 0) {
        PyErr_SetString(PyExc_TypeError, "there is an unknown argument");
    }
    return left == 0;
}

static void give_back_all(const keyword *table, void *arguments)
{
    for (; table->name != NULL; table++) {
        if (table->give_back != NULL) {
            table->give_back((char *)arguments + table->offset);
        }
    }
}

// ---- checks -------------------------------------------------------------------------------------

// What was None is right.
static int fits(const Py_buffer *buffer, size_t count, size_t bytes, const char *what)
{
    return buffer->obj == NULL || length_is(buffer, count, bytes, what);
}

// `rows` rows of k codes, each with block scales. A scale is one float or `rows` of them.
static int operand_fits(const operand *x, size_t rows, size_t k, const char *name)
{
    char what[64];
    if (!length_is(&x->codes, rows * k, 1, name)) {
        return 0;
    }
    PyOS_snprintf(what, sizeof what, "scale_%s must have one value, or one for each row of %s",
                  name, name);
    if (x->scale.len != 4 && !fits(&x->scale, rows, 4, what)) {
        return 0;
    }
    PyOS_snprintf(what, sizeof what, "mx_%s must have one scale for every 32 terms", name);
    return fits(&x->mx, rows * blocks_of(k), 1, what);
}

// Accumulators to begin with: one code for each output, if they can be loaded.
static int acc_fits(const settings *s, const Py_buffer *acc, size_t count)
{
    const fp8mac_format *loaded = fp8mac_acc_loaded_format(&s->config);
    if (acc->obj != NULL && loaded == NULL) {
        refuse(FP8MAC_ERR_ACCUMULATOR, "fixed and int32 accumulators cannot be loaded");
        return 0;
    }
    return loaded == NULL ||
           fits(acc, count, fp8mac_format_bytes(loaded), "acc must have one code for each output");
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

// ---- dot products -------------------------------------------------------------------------------

// A batch: vectors of k codes each, one after the other.
typedef struct dot_arguments {
    const settings *s;
    size_t count, k;
    operand a, b;  // without scale
    Py_buffer acc; // codes to load, or none
    uint32_t m, n; // position of the first one; the next ones follow in m
    Py_buffer out; // float32
    bool inexact;
} dot_arguments;

#define AT(field) offsetof(dot_arguments, field)
static const keyword dot_keywords[] = {
    {"config", take_config, NULL, AT(s)},
    {"count", take_size, NULL, AT(count)},
    {"k", take_size, NULL, AT(k)},
    {"a", take_operand, give_back_operand, AT(a)},
    {"b", take_operand, give_back_operand, AT(b)},
    {"acc", take_buffer, give_back_buffer, AT(acc)},
    {"m", take_u32, NULL, AT(m)},
    {"n", take_u32, NULL, AT(n)},
    {"out", take_output, give_back_buffer, AT(out)},
    {"inexact", take_bool, NULL, AT(inexact)},
    {0},
};
#undef AT

static fp8mac_dot_terms terms_of(const operand *x, size_t i, size_t k)
{
    const uint8_t *mx = x->mx.buf;
    return (fp8mac_dot_terms){.codes = (const uint8_t *)x->codes.buf + i * k,
                              .mx = mx == NULL ? NULL : mx + i * blocks_of(k)};
}

// The dot product with number i.
static fp8mac_status run_one(const dot_arguments *all, size_t i, fp8mac_acc *acc,
                             fp8mac_flags *flags)
{
    const fp8mac_dot_config *config = &all->s->config;
    const fp8mac_dot_terms a = terms_of(&all->a, i, all->k), b = terms_of(&all->b, i, all->k);
    if (all->acc.buf != NULL) {
        const unsigned bytes = fp8mac_format_bytes(fp8mac_acc_loaded_format(config));
        uint32_t code = 0;
        memcpy(&code, (const uint8_t *)all->acc.buf + i * bytes, bytes); // little-endian
        const fp8mac_status status = fp8mac_acc_load(config, acc, code);
        if (status != FP8MAC_OK) {
            return status;
        }
    }
    return a.mx == NULL && b.mx == NULL ? fp8mac_dot(config, acc, a.codes, b.codes, all->k, flags)
                                        : fp8mac_dot_mx(config, acc, a, b, all->k, flags);
}

static fp8mac_status run_batch(const dot_arguments *all, fp8mac_flags *flags)
{
    for (size_t i = 0; i < all->count; i++) {
        fp8mac_acc acc = {.m = all->m + (uint32_t)i, .n = all->n};
        const fp8mac_status status = run_one(all, i, &acc, flags);
        if (status != FP8MAC_OK) {
            return status;
        }
        const uint32_t code = fp8mac_acc_to_fp32(&all->s->config, &acc, flags);
        memcpy((float *)all->out.buf + i, &code, sizeof code);
    }
    return FP8MAC_OK;
}

static int batch_fits(const dot_arguments *all)
{
    if (all->count == 0 || all->k == 0 || all->count > PY_SSIZE_T_MAX / all->k ||
        all->count - 1 > UINT32_MAX - (size_t)all->m) {
        refuse(FP8MAC_ERR_SHAPE, "a batch needs a vector, and its origin must fit 32 bits");
        return 0;
    }
    return operand_fits(&all->a, all->count, all->k, "a") &&
           operand_fits(&all->b, all->count, all->k, "b") &&
           length_is(&all->out, all->count, 4, "out") && acc_fits(all->s, &all->acc, all->count);
}

// dot(keywords of dot_keywords) -> flags
static PyObject *core_dot(PyObject *self, PyObject *positional, PyObject *keywords)
{
    (void)self, (void)positional;
    PyObject *result = NULL;
    dot_arguments all = {0};
    if (take_all(keywords, dot_keywords, &all) && batch_fits(&all)) {
        fp8mac_flags flags = flags_wanted(all.inexact);
        fp8mac_status status;
        Py_BEGIN_ALLOW_THREADS status = run_batch(&all, &flags);
        Py_END_ALLOW_THREADS result = status == FP8MAC_OK
                                          ? PyLong_FromUnsignedLong(flags_raised(flags))
                                          : refuse_dot(all.s, status, all.k);
    }
    give_back_all(dot_keywords, &all);
    return result;
}

// ---- GEMMs --------------------------------------------------------------------------------------

typedef struct gemm_arguments {
    const settings *s;
    size_t m, n, k;
    operand a, b;
    Py_buffer bias, c, d, acc, d_table; // all but d are optional
    format_holder c_format, d_format;
    mode_holder d_mode;
    float beta, clamp_lo, clamp_hi, scale_d;
    uint32_t activation, origin_m, origin_n;
    bool inexact;
} gemm_arguments;

#define AT(field) offsetof(gemm_arguments, field)
static const keyword gemm_keywords[] = {
    {"config", take_config, NULL, AT(s)},
    {"m", take_size, NULL, AT(m)},
    {"n", take_size, NULL, AT(n)},
    {"k", take_size, NULL, AT(k)},
    {"a", take_operand, give_back_operand, AT(a)},
    {"b", take_operand, give_back_operand, AT(b)},
    {"bias", take_buffer, give_back_buffer, AT(bias)},
    {"beta", take_float, NULL, AT(beta)},
    {"c", take_buffer, give_back_buffer, AT(c)},
    {"c_format", take_format, NULL, AT(c_format)},
    {"activation", take_u32, NULL, AT(activation)},
    {"clamp_lo", take_float, NULL, AT(clamp_lo)},
    {"clamp_hi", take_float, NULL, AT(clamp_hi)},
    {"d", take_output, give_back_buffer, AT(d)},
    {"d_format", take_format, NULL, AT(d_format)},
    {"d_mode", take_mode, NULL, AT(d_mode)},
    {"d_table", take_buffer, give_back_buffer, AT(d_table)},
    {"scale_d", take_float, NULL, AT(scale_d)},
    {"origin_m", take_u32, NULL, AT(origin_m)},
    {"origin_n", take_u32, NULL, AT(origin_n)},
    {"acc", take_buffer, give_back_buffer, AT(acc)},
    {"inexact", take_bool, NULL, AT(inexact)},
    {0},
};
#undef AT

static int gemm_fits(const gemm_arguments *g)
{
    const size_t room = PY_SSIZE_T_MAX / 4;
    if (g->m == 0 || g->n == 0 || g->k == 0 || g->m > room / g->k || g->n > room / g->k ||
        g->m > room / g->n) {
        refuse(FP8MAC_ERR_SHAPE, "m, n and k must be at least 1");
        return 0;
    }
    const size_t outputs = g->m * g->n;
    return operand_fits(&g->a, g->m, g->k, "a") && operand_fits(&g->b, g->n, g->k, "b") &&
           length_is(&g->d, outputs, fp8mac_format_bytes(&g->d_format.format), "d") &&
           mode_fits(&g->d_format.format, &g->d_mode) &&
           fits(&g->bias, g->n, 4, "bias must have N values") &&
           fits(&g->c, outputs, fp8mac_format_bytes(&g->c_format.format), "c must be M x N") &&
           acc_fits(g->s, &g->acc, outputs) &&
           fits(&g->d_table, FP8MAC_TABLE_CODES, 1, "d_table must have 256 codes");
}

static fp8mac_gemm_operand operand_of(const operand *x, size_t k)
{
    const fp8mac_scale_mode mode = x->scale.obj == NULL ? FP8MAC_SCALE_NONE
                                   : x->scale.len == 4  ? FP8MAC_SCALE_TENSOR
                                                        : FP8MAC_SCALE_VECTOR;
    return (fp8mac_gemm_operand){.codes = x->codes.buf,
                                 .stride = k,
                                 .scale = {mode, x->scale.buf},
                                 .mx = x->mx.buf,
                                 .mx_stride = blocks_of(k)};
}

static fp8mac_gemm_desc describe(const gemm_arguments *g)
{
    return (fp8mac_gemm_desc){
        .m = g->m,
        .n = g->n,
        .k = g->k,
        .dot = g->s->config,
        .a = operand_of(&g->a, g->k),
        .b = operand_of(&g->b, g->k),
        .bias = g->bias.buf,
        .beta = g->beta,
        .c = g->c.buf,
        .c_format = &g->c_format.format,
        .ldc = g->n,
        .activation = (fp8mac_activation)g->activation,
        .clamp_lo = g->clamp_lo,
        .clamp_hi = g->clamp_hi,
        .d = g->d.buf,
        .d_format = &g->d_format.format,
        .ldd = g->n,
        .d_mode = g->d_mode.mode,
        .d_random_bits = g->d_mode.random_bits,
        .d_generator = g->d_mode.generator,
        .d_table = g->d_table.buf,
        .scale_d = &g->scale_d,
        .origin_m = g->origin_m,
        .origin_n = g->origin_n,
        .acc = g->acc.buf,
        .ldacc = g->n,
        .inexact_flags = g->inexact,
    };
}

// gemm(keywords of gemm_keywords) -> (amax, amax_nonfinite, flags)
static PyObject *core_gemm(PyObject *self, PyObject *positional, PyObject *keywords)
{
    (void)self, (void)positional;
    PyObject *result = NULL;
    gemm_arguments g = {0};
    if (take_all(keywords, gemm_keywords, &g) && gemm_fits(&g)) {
        const fp8mac_gemm_desc desc = describe(&g);
        fp8mac_gemm_result r = {0};
        fp8mac_status status;
        Py_BEGIN_ALLOW_THREADS status = fp8mac_gemm(&desc, &r);
        Py_END_ALLOW_THREADS result =
            status == FP8MAC_OK ? Py_BuildValue("(fNk)", r.amax, PyBool_FromLong(r.amax_nonfinite),
                                                (unsigned long)r.flags)
                                : refuse_dot(g.s, status, g.k);
    }
    give_back_all(gemm_keywords, &g);
    return result;
}

// A function with keywords, as the table of methods holds it.
#define WITH_KEYWORDS(function)                                                                    \
    (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

PyMethodDef fp8mac_py_gemm_methods[] = {
    {"acc_format", core_acc_format, METH_O, NULL},
    {"dot", WITH_KEYWORDS(core_dot), NULL},
    {"gemm", WITH_KEYWORDS(core_gemm), NULL},
    {0},
};
