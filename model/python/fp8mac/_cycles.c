// SPDX-License-Identifier: Apache-2.0
// Clock cycles of the accelerator.
#include "_shared.h"

#include <string.h>

#include "workload.h"

static PyObject *counters_of(const workload_result *result)
{
    const fp8mac_cycles_counters *n = &result->counters;
    return Py_BuildValue("(KKKKKKKKKKKKdd)", n->cycles, n->compute, n->results, n->spacing,
                         n->first_load, n->load, n->command, n->store, n->idle, n->macs,
                         n->read_beats, n->write_beats, result->utilisation, result->roofline);
}

static PyObject *refuse_config(const fp8mac_cycles_config *config)
{
    const char *parameter, *range;
    char message[160];
    if (fp8mac_cycles_check(config, &parameter, &range) == FP8MAC_OK) {
        return NULL;
    }
    PyOS_snprintf(message, sizeof message, "%s is not possible; %s is expected", parameter, range);
    return refuse(FP8MAC_ERR_CONFIG, message);
}

// cycles((m, n, k, format of D), (rows, cols, lanes, element, tiles, axi_data_w, epi_width, max_mn,
//        queue_depth, buf_beats, memory, latency, stall_permille,
//        requantise), seed) -> counters and shares
static PyObject *core_cycles(PyObject *self, PyObject *arguments)
{
    (void)self;
    fp8mac_cycles_config f = {0};
    unsigned m, n, k, d_format, memory;
    int requantise;
    unsigned long long seed;
    if (!PyArg_ParseTuple(arguments, "(IIII)(IIIIIIIIIIIIIp)K", &m, &n, &k, &d_format, &f.rows,
                          &f.cols, &f.lanes, &f.element, &f.tiles, &f.axi_data_w, &f.epi_width,
                          &f.max_mn, &f.queue_depth, &f.buf_beats, &memory, &f.latency,
                          &f.stall_permille, &requantise, &seed)) {
        return NULL;
    }
    f.stall_state = fp8mac_cycles_stall_state(seed, 0);
    f.memory = (fp8mac_cycles_memory_kind)memory;
    f.requantise = requantise != 0;
    if (d_format > FP8MAC_INT8) {
        return refuse(FP8MAC_ERR_FORMAT, "D cannot have this format");
    }
    const char *parameter, *range;
    if (fp8mac_cycles_check(&f, &parameter, &range) != FP8MAC_OK) {
        return refuse_config(&f);
    }
    workload work = workload_usual(&f);
    work.m = m, work.n = n, work.k = k;
    work.d_format = (fp8mac_format_id)d_format;
    workload_result result;
    fp8mac_status status;
    const char *why = NULL;
    Py_BEGIN_ALLOW_THREADS status = workload_run(&f, &work, &result, &why);
    Py_END_ALLOW_THREADS return status == FP8MAC_OK ? counters_of(&result) : refuse(status, why);
}

// element(name) -> number
static PyObject *core_element(PyObject *self, PyObject *arguments)
{
    (void)self;
    const char *name;
    if (!PyArg_ParseTuple(arguments, "s", &name)) {
        return NULL;
    }
    for (unsigned i = 0; i < FP8MAC_ELEMENT_COUNT; i++) {
        if (strcmp(fp8mac_element_table[i].name, name) == 0) {
            return PyLong_FromUnsignedLong((unsigned long)fp8mac_element_table[i].kind);
        }
    }
    return refuse(FP8MAC_ERR_PRESET, NULL);
}

PyMethodDef fp8mac_py_cycles_methods[] = {
    {"cycles", core_cycles, METH_VARARGS, NULL},
    {"element", core_element, METH_VARARGS, NULL},
    {0},
};
