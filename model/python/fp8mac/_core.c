// SPDX-License-Identifier: Apache-2.0
// The library for Python: buffers in and out, allocated by the caller, which has checked types and
// shapes. Every length is checked here again, so that no call can read or write outside a buffer.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "settings.h"

static PyObject *error_class;

static const char *const status_names[] = {
    "OK",          "NULL",    "FORMAT",         "ROUNDING",   "OVERFLOW_MODE",
    "ACCUMULATOR", "GROUP",   "SCALE_EXPONENT", "SCALE",      "SHAPE",
    "STRIDE",      "K_LIMIT", "ACTIVATION",     "UNSUPPORTED"};

// Raises Error: `what`, if there is any, then the status's own text; returns NULL.
static PyObject *refuse(fp8mac_status status, const char *what)
{
    const char *text = fp8mac_status_string(status);
    PyObject *message =
        what == NULL ? PyUnicode_FromString(text) : PyUnicode_FromFormat("%s. %s", what, text);
    PyObject *instance =
        message == NULL ? NULL : PyObject_CallFunctionObjArgs(error_class, message, NULL);
    PyObject *name = PyUnicode_FromFormat("FP8MAC_ERR_%s", status_names[status]);
    if (instance != NULL && name != NULL && PyObject_SetAttrString(instance, "status", name) == 0) {
        PyErr_SetObject(error_class, instance);
    }
    Py_XDECREF(message);
    Py_XDECREF(instance);
    Py_XDECREF(name);
    return NULL;
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

static int length_is(const Py_buffer *buffer, size_t count, size_t bytes, const char *what)
{
    if (bytes != 0 && (count > PY_SSIZE_T_MAX / bytes || (size_t)buffer->len != count * bytes)) {
        refuse(FP8MAC_ERR_SHAPE, what);
        return 0;
    }
    return 1;
}

// ---- formats ------------------------------------------------------------------------------------

typedef struct format_holder {
    fp8mac_format format;
    char name[48];
} format_holder;

// A name ("e4m3fn", "cfloat8_e4m3:9"), or the fields of a format as a tuple. For O&.
static int take_format(PyObject *object, void *to)
{
    format_holder *holder = to;
    const char *name;
    if (PyUnicode_Check(object)) {
        char message[SETTINGS_MESSAGE];
        name = PyUnicode_AsUTF8AndSize(object, NULL);
        if (name == NULL) {
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

static PyObject *format_tuple(const fp8mac_format *format)
{
    return Py_BuildValue("(sNiiiNNii)", format->name, PyBool_FromLong(format->is_signed),
                         format->exponent_bits, format->mantissa_bits, format->bias,
                         PyBool_FromLong(format->has_inf),
                         PyBool_FromLong(format->has_negative_zero), (int)format->nan_encoding,
                         (int)format->exponent_zero);
}

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

// ---- conversions --------------------------------------------------------------------------------

// (rounding, overflow, random_bits) by name. For O&.
typedef struct mode_holder {
    fp8mac_convert_mode mode;
    unsigned random_bits;
} mode_holder;

static int take_mode(PyObject *object, void *to)
{
    mode_holder *holder = to;
    const char *rounding, *overflow;
    char message[SETTINGS_MESSAGE];
    if (!PyArg_ParseTuple(object, "ssI", &rounding, &overflow, &holder->random_bits)) {
        return 0;
    }
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

static int mode_fits(const fp8mac_format *format, const mode_holder *how)
{
    char message[SETTINGS_MESSAGE];
    if (settings_check_mode(format, how->mode, how->random_bits, message)) {
        return 1;
    }
    bool stochastic = how->mode.rounding == FP8MAC_ROUND_STOCHASTIC;
    bool bits = stochastic ? how->random_bits < 1 || how->random_bits > 24 : how->random_bits != 0;
    refuse(bits ? FP8MAC_ERR_ROUNDING : FP8MAC_ERR_OVERFLOW_MODE, message);
    return 0;
}

static PyObject *finish(fp8mac_status status, fp8mac_flags flags)
{
    return status == FP8MAC_OK ? PyLong_FromUnsignedLong(flags) : refuse(status, NULL);
}

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
    fp8mac_flags flags = 0;
    fp8mac_random_source source = {
        r.obj == NULL ? NULL : r.buf, how.random_bits, seed, (uint32_t)m, (uint32_t)n, step};
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
        uint64_t place = ((uint64_t)source.m << 32 | source.n) + i;
        uint32_t r = source.r != NULL
                         ? source.r[i]
                         : fp8mac_random_bits(source.seed, (uint32_t)(place >> 32), (uint32_t)place,
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
    fp8mac_flags flags = 0;
    fp8mac_random_source source = {
        r.obj == NULL ? NULL : r.buf, how.random_bits, seed, (uint32_t)m, (uint32_t)n, step};
    Py_BEGIN_ALLOW_THREADS if (how.mode.rounding != FP8MAC_ROUND_STOCHASTIC)
    {
        status = fp8mac_convert_from_double(&to.format, dst.buf, src.buf, count, how.mode, &flags);
    }
    else if (!random_fits(source.r, count, how.random_bits))
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

// quantize(dst_format, dst, src, scale, mode) -> flags
static PyObject *core_quantize(PyObject *self, PyObject *arguments)
{
    (void)self;
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
    fp8mac_flags flags = 0;
    Py_BEGIN_ALLOW_THREADS status =
        fp8mac_quantize(&to.format, dst.buf, src.buf, count, scale, how.mode, &flags);
    Py_END_ALLOW_THREADS result = finish(status, flags);
done:
    PyBuffer_Release(&src);
    PyBuffer_Release(&dst);
    return result;
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

// ---- configurations -----------------------------------------------------------------------------

#define CONFIG_NAME "fp8mac._core.config"

typedef struct config_holder {
    settings s;
    char names[2][48];
} config_holder;

static void free_config(PyObject *capsule)
{
    PyMem_Free(PyCapsule_GetPointer(capsule, CONFIG_NAME));
}

static fp8mac_status status_of_setting(const char *name)
{
    if (strstr(name, "format") != NULL && strstr(name, "acc") == NULL) {
        return FP8MAC_ERR_FORMAT;
    }
    if (strstr(name, "scale") != NULL) {
        return FP8MAC_ERR_SCALE_EXPONENT;
    }
    if (strstr(name, "rounding") != NULL || strstr(name, "random") != NULL) {
        return FP8MAC_ERR_ROUNDING;
    }
    return strcmp(name, "group") == 0 ? FP8MAC_ERR_GROUP : FP8MAC_ERR_ACCUMULATOR;
}

static int set_format(config_holder *h, int which, PyObject *object)
{
    format_holder taken;
    if (object == Py_None) {
        return 1;
    }
    if (!take_format(object, &taken)) {
        return 0;
    }
    PyOS_snprintf(h->names[which], sizeof h->names[which], "%s", taken.format.name);
    taken.format.name = h->names[which];
    *(which == 0 ? &h->s.a_format : &h->s.b_format) = taken.format;
    return 1;
}

static int set_pairs(config_holder *h, PyObject *pairs)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(pairs); i++) {
        const char *name, *value;
        char message[SETTINGS_MESSAGE];
        if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "ss", &name, &value)) {
            return 0;
        }
        if (!settings_set(&h->s, name, value, message)) {
            refuse(status_of_setting(name), message);
            return 0;
        }
    }
    return 1;
}

// config(preset or None, a_format or None, b_format or None, ((name, value), ...)) -> capsule
static PyObject *core_config(PyObject *self, PyObject *arguments)
{
    (void)self;
    const char *preset;
    PyObject *a, *b, *pairs;
    if (!PyArg_ParseTuple(arguments, "zOOO!", &preset, &a, &b, &PyTuple_Type, &pairs)) {
        return NULL;
    }
    char message[SETTINGS_MESSAGE];
    config_holder *h = PyMem_Malloc(sizeof *h);
    if (h == NULL) {
        return PyErr_NoMemory();
    }
    settings_init(&h->s);
    if (preset != NULL && !settings_set(&h->s, "preset", preset, message)) {
        refuse(FP8MAC_ERR_ACCUMULATOR, message);
        goto failed;
    }
    if (!set_format(h, 0, a) || !set_format(h, 1, b) || !set_pairs(h, pairs)) {
        goto failed;
    }
    if (!settings_check(&h->s, message)) {
        refuse(fp8mac_dot_config_validate(&h->s.config), message);
        goto failed;
    }
    PyObject *capsule = PyCapsule_New(h, CONFIG_NAME, free_config);
    if (capsule != NULL) {
        return capsule;
    }
failed:
    PyMem_Free(h);
    return NULL;
}

static PyObject *settings_dict(const fp8mac_dot_config *config)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < settings_count(); i++) {
        char value[64], name[32];
        if (!settings_value(config, i, value, sizeof value)) {
            continue;
        }
        PyOS_snprintf(name, sizeof name, "%s", settings_name(i));
        for (char *at = name; *at != '\0'; at++) {
            *at = *at == '-' ? '_' : *at;
        }
        PyObject *text = PyUnicode_FromString(value);
        if (text == NULL || PyDict_SetItemString(dict, name, text) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(text);
    }
    return dict;
}

static const settings *config_of(PyObject *capsule)
{
    config_holder *h = PyCapsule_GetPointer(capsule, CONFIG_NAME);
    return h == NULL ? NULL : &h->s;
}

// config_settings(capsule) -> (a_format, b_format, {name: value})
static PyObject *core_config_settings(PyObject *self, PyObject *capsule)
{
    (void)self;
    const settings *s = config_of(capsule);
    return s == NULL ? NULL
                     : Py_BuildValue("(NNN)", format_tuple(&s->a_format),
                                     format_tuple(&s->b_format), settings_dict(&s->config));
}

static PyObject *core_setting_names(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *all = PyList_New(0);
    for (size_t i = 0; all != NULL && i < settings_count(); i++) {
        PyObject *one = Py_BuildValue("(ss)", settings_name(i), settings_help(i));
        if (one == NULL || PyList_Append(all, one) != 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(one);
    }
    return all;
}

// [(name, summary, source, covered), ...]
static PyObject *core_presets(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *all = PyList_New(0);
    fp8mac_preset p;
    for (size_t i = 0; all != NULL && fp8mac_preset_get(i, &p) == FP8MAC_OK; i++) {
        PyObject *one =
            Py_BuildValue("(sssN)", p.name, p.summary, p.source, PyBool_FromLong(p.covered));
        if (one == NULL || PyList_Append(all, one) != 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(one);
    }
    return all;
}

// ---- dot product, GEMM --------------------------------------------------------------------------

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

static size_t blocks_of(size_t k)
{
    return k / FP8MAC_MX_BLOCK + (k % FP8MAC_MX_BLOCK != 0);
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

#include "_recipes.h"

// ---- the module ---------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"status_text", core_status_text, METH_VARARGS, NULL},
    {"format", core_format, METH_VARARGS, NULL},
    {"formats", core_formats, METH_NOARGS, NULL},
    {"format_facts", core_format_facts, METH_VARARGS, NULL},
    {"record", core_record, METH_VARARGS, NULL},
    {"convert", core_convert, METH_VARARGS, NULL},
    {"convert_from_double", core_convert_from_double, METH_VARARGS, NULL},
    {"convert_to_double", core_convert_to_double, METH_VARARGS, NULL},
    {"quantize", core_quantize, METH_VARARGS, NULL},
    {"dequantize", core_dequantize, METH_VARARGS, NULL},
    {"config", core_config, METH_VARARGS, NULL},
    {"config_settings", core_config_settings, METH_O, NULL},
    {"setting_names", core_setting_names, METH_NOARGS, NULL},
    {"presets", core_presets, METH_NOARGS, NULL},
    {"dot", core_dot, METH_VARARGS, NULL},
    {"gemm", core_gemm, METH_VARARGS, NULL},
    RECIPE_METHODS{NULL, NULL, 0, NULL},
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT,
                             "fp8mac._core",
                             "libfp8mac for the package fp8mac.",
                             -1,
                             methods,
                             NULL,
                             NULL,
                             NULL,
                             NULL};

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *m = PyModule_Create(&module);
    PyObject *members = Py_BuildValue("{s:O}", "status", Py_None);
    error_class =
        members == NULL
            ? NULL
            : PyErr_NewExceptionWithDoc("fp8mac.Error",
                                        "What the library refuses: which argument, what would be "
                                        "right, and the library's own sentence.\n\n`status` is "
                                        "the name of the C status, such as 'FP8MAC_ERR_SCALE'.",
                                        PyExc_ValueError, members);
    Py_XDECREF(members);
    if (m == NULL || error_class == NULL || PyModule_AddObjectRef(m, "Error", error_class) != 0 ||
        PyModule_AddStringConstant(m, "version", fp8mac_version()) != 0) {
        Py_XDECREF(m);
        return NULL;
    }
    return m;
}
