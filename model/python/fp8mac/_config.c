// SPDX-License-Identifier: Apache-2.0
// Configurations of the dot product, and presets.
#include "_shared.h"

#include <string.h>

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

const settings *config_of(PyObject *capsule)
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

// [(name, summary, source, compared, covered), ...]
static PyObject *core_presets(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *all = PyList_New(0);
    fp8mac_preset p;
    for (size_t i = 0; all != NULL && fp8mac_preset_get(i, &p) == FP8MAC_OK; i++) {
        PyObject *one = Py_BuildValue("(ssssN)", p.name, p.summary, p.source, p.compared,
                                      PyBool_FromLong(p.covered));
        if (one == NULL || PyList_Append(all, one) != 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(one);
    }
    return all;
}

PyMethodDef fp8mac_py_config_methods[] = {
    {"config", core_config, METH_VARARGS, NULL},
    {"config_settings", core_config_settings, METH_O, NULL},
    {"setting_names", core_setting_names, METH_NOARGS, NULL},
    {"presets", core_presets, METH_NOARGS, NULL},
    {0},
};
