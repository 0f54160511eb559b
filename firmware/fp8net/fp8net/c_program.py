# SPDX-License-Identifier: Apache-2.0
"""NAME.h, and a program that runs the network on its vectors."""

from __future__ import annotations

from . import estimate
from .c_text import head, number, plain
from .ir import FORMAT_BYTES, View
from .plan import labels_of


def header(s) -> str:
    inputs = [_describe(s, i, n, v) for i, (n, v) in enumerate(s.graph.inputs.items())]
    outputs = [_describe(s, i, n, v) for i, (n, v) in enumerate(s.graph.outputs.items())]
    values = {
        "head": head(s, f"The network {s.graph.name}: {len(s.graph.layers)} layers."),
        "n": s.name,
        "N": s.upper,
        "arena": s.plan.arena,
        "beat": s.plan.beat,
        "inputs": len(inputs),
        "outputs": len(outputs),
        "lists": len(s.plan.segments),
        "layers": len(s.graph.layers),
        "about_inputs": "\n".join(inputs),
        "about_outputs": "\n".join(outputs),
        "vectors": len(s.vectors),
        "externs": "\n".join(
            f"extern const uint8_t {s.name}_{kind}{i}[];"
            for kind, views in (("input", inputs), ("output", outputs))
            for i in range(len(views))
        ),
    }
    return _fill(_HEADER, values)


def _fill(text: str, values: dict) -> str:
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    return text


def _describe(s, index: int, name: str, view: View) -> str:
    tensor = s.graph.tensors[view.tensor]
    shape = " x ".join(map(str, view.shape))
    where = view if view.base is None else view.base
    order = " x ".join(str(where.shape[a]) for a in where.axes)
    if tensor.format == "int32":
        return f"//   {index}   {plain(name)}: {shape}; numbers of words, uint32_t"
    return (
        f"//   {index}   {plain(name)}: {shape}; in memory {order}, rows of {tensor.cols}; {tensor.format}, "
        f"scale {number(tensor.scale)}" + (f", zero point {tensor.zero}" if tensor.integer else "")
    )


_HEADER = """@head@
//
//   static _Alignas(@N@_ARENA_ALIGN) uint8_t arena[@N@_ARENA_BYTES];
//   @n@_net net;
//   status = @n@_open(&net, &dev, arena, sizeof arena);
//   status = @n@_set_input(&net, 0, values); // before each run: layers may use the memory of inputs
//   status = @n@_run(&net);
//   status = @n@_get_output(&net, 0, results);
//
// Nothing is allocated. The arena has tensors, scratch and lists of commands.
#ifndef @N@_H
#define @N@_H

#include "fp8rt/network.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    @N@_ARENA_BYTES = @arena@,
    @N@_ARENA_ALIGN = 32,
    @N@_BEAT_BYTES = @beat@, // of the bus that the network was planned for
    @N@_INPUTS = @inputs@,
    @N@_OUTPUTS = @outputs@,
    @N@_LAYERS = @layers@,
    @N@_VECTORS = @vectors@, // inputs with the golden model's outputs
};

typedef struct @n@_net {
    fp8rt_device *dev;
    uint8_t *arena;
    fp8rt_network lists[@lists@];
    const char *failed, *wrong; // the layer and the argument of the last error; NULL: none is known
    size_t scratch_bytes, list_bytes; // that the library asked for in @n@_open
} @n@_net;

// Inputs:
@about_inputs@
// Outputs:
@about_outputs@

// Plans and records all layers. `dev` is open; dev and arena stay while the network is in use.
// FP8RT_ERR_SCRATCH: fewer than @N@_ARENA_BYTES. FP8RT_ERR_ALIGNMENT: the arena is not at
// @N@_ARENA_ALIGN, or the bus has other beats. FP8RT_ERR_NULL, and those of the layers (net->failed).
fp8rt_status @n@_open(@n@_net *net, fp8rt_device *dev, void *arena, size_t bytes);
// Sets states that are kept between runs to 0, as @n@_open does. A network without them has nothing to set.
void @n@_reset(@n@_net *net);
// Status of the layer that failed: net->failed. Tables of activations are loaded into the accelerator
// first, so other networks may use the device between runs.
fp8rt_status @n@_run(@n@_net *net);
// Runs the commands one by one: each layer has an entry with its cycles.
fp8rt_status @n@_profile(@n@_net *net, fp8rt_profile *profile);

// The tensor of an input or output in the arena.
fp8rt_tensor @n@_input(const @n@_net *net, unsigned i);
fp8rt_tensor @n@_output(const @n@_net *net, unsigned i);
// All values of an input or output, rows without gaps, in the order of memory as above. FP8RT_ERR_SHAPE if
// the number of a word is not a whole number. If it is beyond the vocabulary, @n@_run returns an error.
fp8rt_status @n@_set_input(const @n@_net *net, unsigned i, const float *values);
fp8rt_status @n@_get_output(const @n@_net *net, unsigned i, float *values);

// Codes of the vectors, rows without gaps, one vector after the other.
@externs@

#ifdef __cplusplus
}
#endif
#endif
"""


def main(s) -> str:
    rows = []
    for kind, views in (("input", s.graph.inputs), ("output", s.graph.outputs)):
        for index, view in enumerate(views.values()):
            tensor = s.graph.tensors[view.tensor]
            size = tensor.rows * tensor.cols * FORMAT_BYTES[tensor.format]
            rows.append((kind, f"    {{{s.name}_{kind}{index}, {size}}},"))
    values = {
        "head": head(s, "Runs the network on its vectors and compares all bytes of its outputs."),
        "n": s.name,
        "N": s.upper,
        "inputs": "\n".join(text for kind, text in rows if kind == "input"),
        "outputs": "\n".join(text for kind, text in rows if kind == "output"),
        "silence": estimate.silence(s.graph, s.plan, s.estimates, len(s.vectors)),
        "element": s.element.rsplit("_l", 1)[0],
        "entries": 4 * sum(labels_of(layer) for layer in s.graph.layers),
    }
    return _fill(_MAIN, values)


_MAIN = """@head@
//: VECTORS=   how many of the vectors run (all)
//: PROFILE=   csv: a line for each layer, with a head
//: ARENA=     bytes of the arena (those that the network needs)
//: --silence @silence@
#include "@n@.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp8rt/app.h"
#include "fp8rt/element.h"

typedef struct vector {
    const uint8_t *codes; // rows without gaps, one vector after the other
    uint32_t bytes;       // of one vector
} vector;

static const vector inputs[] = {
@inputs@
};
static const vector outputs[] = {
@outputs@
};

// The element whose outputs the vectors are.
static const char element[] = "@element@";

static uint32_t row_bytes(const fp8rt_tensor *t)
{
    return t->cols * fp8mac_format_bytes(fp8mac_format_get(t->format));
}

static void write_codes(const @n@_net *net, unsigned i, uint32_t number)
{
    const fp8rt_tensor t = @n@_input(net, i);
    const uint8_t *from = inputs[i].codes + (size_t)number * inputs[i].bytes;
    for (uint32_t row = 0; row < t.rows; row++, from += row_bytes(&t)) {
        memcpy((uint8_t *)t.data + (size_t)row * t.stride, from, row_bytes(&t));
    }
}

// How many bytes of an output differ from the vector's.
static uint32_t compare(const @n@_net *net, unsigned i, uint32_t number)
{
    const fp8rt_tensor t = @n@_output(net, i);
    const uint8_t *want = outputs[i].codes + (size_t)number * outputs[i].bytes;
    uint32_t different = 0;
    for (uint32_t row = 0; row < t.rows; row++) {
        const uint8_t *got = (const uint8_t *)t.data + (size_t)row * t.stride;
        for (uint32_t byte = 0; byte < row_bytes(&t); byte++) {
            different += *got++ != *want++;
        }
    }
    return different;
}

static int fail(const @n@_net *net, const char *what, fp8rt_status status)
{
    printf("@n@: %s: %s%s%s%s%s\\n", what, net->failed == NULL ? "" : net->failed,
           net->failed == NULL ? "" : ": ", net->wrong == NULL ? "" : net->wrong,
           net->wrong == NULL ? "" : ": ", fp8rt_status_string(status));
    return EXIT_FAILURE;
}

// Lanes do not change what an element computes, because its blocks have a fixed number of products.
static bool is_known(const fp8rt_caps *caps)
{
    char spelling[FP8RT_ELEMENT_SPELLING_BYTES];
    fp8rt_element_spell(&caps->element, caps->lanes, spelling);
    return strncmp(spelling, element, sizeof element - 1) == 0 && spelling[sizeof element - 1] == '_';
}

static fp8rt_status profile(@n@_net *net, const char *form)
{
    static fp8rt_profile_entry entries[@entries@];
    fp8rt_profile p = {.entries = entries,
                       .capacity = sizeof entries / sizeof *entries,
                       .clock = fp8rt_app_cycles};
    for (unsigned i = 0; i < @N@_INPUTS; i++) {
        write_codes(net, i, 0);
    }
    const fp8rt_status status = @n@_profile(net, &p);
    if (form != NULL && strcmp(form, "csv") == 0) {
        fp8rt_app_print_profile_csv(&net->dev->caps, &p);
    } else {
        fp8rt_app_print_profile(&net->dev->caps, &p);
    }
    return status;
}

static fp8rt_status run_all(@n@_net *net, uint32_t count, uint64_t *cycles, uint32_t *different)
{
    for (uint32_t number = 0; number < count; number++) {
        for (unsigned i = 0; i < @N@_INPUTS; i++) {
            write_codes(net, i, number);
        }
        const uint64_t start = fp8rt_app_cycles();
        const fp8rt_status status = @n@_run(net);
        if (status != FP8RT_OK) {
            return status;
        }
        *cycles += fp8rt_app_cycles() - start;
        for (unsigned i = 0; i < @N@_OUTPUTS; i++) {
            *different += compare(net, i, number);
        }
    }
    return FP8RT_OK;
}

int main(int argc, char **argv)
{
    static fp8rt_device dev;
    static @n@_net net;
    fp8rt_arena memory = fp8rt_app_arena();
    const char *option = fp8rt_app_option(argc, argv, "ARENA");
    const size_t bytes = option == NULL ? @N@_ARENA_BYTES : strtoul(option, NULL, 10);
    void *arena = fp8rt_arena_alloc(&memory, bytes);
    if (arena == NULL) {
        printf("@n@: there is no memory of %lu bytes\\n", (unsigned long)bytes);
        return EXIT_FAILURE;
    }
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status != FP8RT_OK) {
        return fail(&net, "device", status);
    }
    const uint64_t start = fp8rt_app_cycles();
    status = @n@_open(&net, &dev, arena, bytes);
    const uint64_t opened = fp8rt_app_cycles() - start;
    if (status != FP8RT_OK) {
        return fail(&net, "open", status);
    }
    option = fp8rt_app_option(argc, argv, "VECTORS");
    uint32_t count = option == NULL ? @N@_VECTORS : (uint32_t)strtoul(option, NULL, 10);
    count = count < @N@_VECTORS ? count : @N@_VECTORS;
    uint32_t different = 0, compared = 0;
    uint64_t cycles = 0;
    status = run_all(&net, count, &cycles, &different);
    if (status != FP8RT_OK) {
        return fail(&net, "run", status);
    }
    for (unsigned i = 0; i < @N@_OUTPUTS; i++) {
        compared += count * outputs[i].bytes;
    }
    const bool known = is_known(&dev.caps);
    printf("arena         %u bytes; scratch %lu, lists %lu\\n", (unsigned)@N@_ARENA_BYTES,
           (unsigned long)net.scratch_bytes, (unsigned long)net.list_bytes);
    printf("outputs       %" PRIu32 " runs, %" PRIu32 " bytes compared, %" PRIu32 " differ%s\\n", count,
           compared, different, known ? "" : "; the vectors are those of another element");
    if (!fp8rt_app_is_host && count != 0) {
        char text[21], more[21];
        printf("core cycles   %s a run, %s to open\\n", fp8rt_app_decimal(cycles / count, text),
               fp8rt_app_decimal(opened, more));
    }
    if (@N@_VECTORS != 0 && (!fp8rt_app_is_host || fp8rt_app_option(argc, argv, "PROFILE") != NULL)) {
        status = profile(&net, fp8rt_app_option(argc, argv, "PROFILE"));
    }
    return status == FP8RT_OK && (different == 0 || !known) ? EXIT_SUCCESS : EXIT_FAILURE;
}
"""
