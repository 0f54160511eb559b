// SPDX-License-Identifier: Apache-2.0
#include "digits_layered.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8mac/recipe.h"

// The elements of the committed hashes; their accumulators are FP32, and activations are e4m3fn.
static const char hashed_element[] = "block_f19";

// In the arena, so that it takes no room from the perceptron on a chip with little RAM
static digits_layered *running;

// ---- memory -------------------------------------------------------------------------------------

fp8rt_tensor digits_tensor(digits_layered *net, uint32_t rows, uint32_t cols,
                           fp8mac_format_id format)
{
    const fp8rt_caps *caps = &net->session->dev.caps;
    fp8rt_tensor t = {.rows = rows, .cols = cols, .format = format, .scale = 1.0f};
    t.stride = fp8rt_tensor_stride(caps, &t);
    t.data = fp8rt_arena_alloc(&net->session->arena, fp8rt_tensor_bytes(caps, &t));
    return t;
}

fp8rt_tensor digits_activations(digits_layered *net, uint32_t rows, uint32_t cols, float amax)
{
    const fp8mac_format_id format = net->session->options.format;
    fp8rt_tensor t = digits_tensor(net, rows, cols, format);
    t.scale = amax / fp8mac_recipe_format_max(fp8mac_format_get(format));
    return t;
}

// ---- a batch ------------------------------------------------------------------------------------

// Counts the cycles of the layers since the last call.
static void collect(digits_layered *net)
{
    fp8rt_profile_entry *sum = &net->layers[net->step];
    for (uint32_t i = 0; i < net->profile.count && i < net->profile.capacity; i++) {
        const fp8rt_profile_entry *entry = &net->profile.entries[i];
        if (entry->depth == 0 && net->recorded) {
            fp8rt_counters_add(&net->session->totals.counters, &entry->counters);
        } else if (entry->depth == 0) {
            sum->core_cycles += entry->core_cycles;
            sum->commands += entry->commands;
            fp8rt_counters_add(&sum->counters, &entry->counters);
            fp8rt_counters_add(&net->session->totals.counters, &entry->counters);
        }
    }
    net->profile.count = 0;
}

// The images are copied to where those of the batch before were, because plans know their address.
static void choose_images(digits_layered *net, uint32_t first, uint32_t number)
{
    net->first = first;
    net->number = number;
    net->images.rows = number * DIGITS_PIXELS;
    memcpy(net->images.data, &digits_images[first * DIGITS_PIXELS], net->images.rows);
    for (uint32_t i = 0; i < net->kind->count; i++) {
        net->kind->steps[i].out->rows = number * net->kind->steps[i].rows;
    }
}

static fp8rt_status run_step(digits_layered *net, uint32_t step)
{
    net->step = step;
    const fp8rt_status status = net->kind->steps[step].run(net);
    collect(net);
    return status;
}

// Lanes do not change what elements of this kind compute: their blocks have 32 products.
static bool has_hashes(const digits_session *session)
{
    const fp8rt_caps *caps = &session->dev.caps;
    char spelling[FP8RT_ELEMENT_SPELLING_BYTES];
    fp8rt_element_spell(&caps->element, caps->lanes, spelling);
    const size_t length = sizeof hashed_element - 1;
    return session->options.format == FP8MAC_E4M3FN &&
           session->options.acc_format == FP8MAC_ACC_FP32 &&
           strncmp(spelling, hashed_element, length) == 0 && spelling[length] == '_';
}

// The steps for a whole batch as a list, if each of them can be recorded.
static void record(digits_layered *net, void *scratch, size_t bytes, void *list,
                   size_t record_bytes)
{
    fp8rt_recorder recorder = fp8rt_recorder_in(list, record_bytes);
    net->run = fp8rt_run_on(&net->session->dev, scratch, bytes);
    net->run.acc_format = net->session->options.acc_format;
    net->run.recorder = &recorder;
    for (uint32_t i = 0; i < net->kind->count; i++) {
        fp8rt_run_label(&net->run, net->kind->steps[i].name);
        net->kind->steps[i].run(net);
    }
    net->recorded = fp8rt_network_record(&net->network, &net->run) == FP8RT_OK;
}

// The same steps as a query say how much scratch, and memory for plans, they need.
static fp8rt_status take_scratch(digits_layered *net)
{
    const digits_options *options = &net->session->options;
    net->run = fp8rt_run_query(&net->session->dev);
    net->run.acc_format = options->acc_format;
    choose_images(net, 0, options->batch);
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < net->kind->count && status == FP8RT_OK; i++) {
        status = net->kind->steps[i].run(net);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    const size_t bytes = net->run.peak, plan_bytes = net->run.plan_bytes,
                 record_bytes = net->run.record_bytes;
    void *scratch = fp8rt_arena_alloc(&net->session->arena, bytes);
    void *plans = fp8rt_arena_alloc(&net->session->arena, plan_bytes);
    void *list = fp8rt_arena_alloc(&net->session->arena, record_bytes);
    if (scratch == NULL || plans == NULL || list == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    record(net, scratch, bytes, list, record_bytes);
    net->plans = fp8rt_plans_in(plans, plan_bytes);
    net->run = fp8rt_run_on(&net->session->dev, scratch, bytes);
    net->run.acc_format = options->acc_format;
    net->run.plans = &net->plans;
    return FP8RT_OK;
}

// What each layer takes, before anything is counted: one batch, command by command.
static fp8rt_status profile_list(digits_layered *net)
{
    fp8rt_network_result result;
    net->all.count = 0;
    return fp8rt_network_profile(&net->network, &net->all, &result);
}

fp8rt_status digits_layered_open(digits_session *session)
{
    digits_layered *net = fp8rt_arena_alloc(&session->arena, sizeof *net);
    if (net == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    running = net;
    memset(net, 0, sizeof *net);
    net->kind = session->options.net->kind;
    net->session = session;
    net->known = has_hashes(session);
    net->profile = (fp8rt_profile){.entries = net->entries,
                                   .capacity = sizeof net->entries / sizeof *net->entries,
                                   .clock = fp8rt_app_cycles};
    net->images = (fp8rt_tensor){
        .data = fp8rt_arena_alloc(&session->arena, session->options.batch * DIGITS_PIXELS),
        .cols = 1,
        .format = FP8MAC_E4M3FN,
        .scale = fp8mac_recipe_power_of_two(DIGITS_PIXEL_EXP)};
    net->all = (fp8rt_profile){.entries = net->layers,
                               .capacity = DIGITS_MOST_LAYERS,
                               .count = net->kind->count,
                               .clock = fp8rt_app_cycles};
    for (uint32_t i = 0; i < net->kind->count; i++) {
        net->layers[i].name = net->kind->steps[i].name;
    }
    if (session->options.hashes) {
        net->list = fp8rt_arena_alloc(&session->arena,
                                      DIGITS_IMAGES * net->kind->count * sizeof *net->list);
    }
    if (net->images.data == NULL || (session->options.hashes && net->list == NULL) ||
        !net->kind->allocate(net, session->options.batch)) {
        return FP8RT_ERR_SCRATCH;
    }
    for (uint32_t i = 0; i < net->kind->count; i++) {
        if (net->kind->steps[i].out->data == NULL) {
            return FP8RT_ERR_SCRATCH;
        }
    }
    const fp8rt_status status = take_scratch(net);
    net->run.profile = &net->profile;
    const fp8rt_tensor *classes = net->kind->steps[net->kind->count - 1].out;
    session->classes = classes->data;
    session->classes_stride = classes->stride;
    return status == FP8RT_OK && net->recorded ? profile_list(net) : status;
}

// ---- the check ----------------------------------------------------------------------------------

// FNV-1a of the words of rows: each row is whole words.
static uint32_t hash_rows(uint32_t hash, const fp8rt_tensor *t, uint32_t first, uint32_t rows)
{
    const uint32_t words = t->cols * fp8mac_format_bytes(fp8mac_format_get(t->format)) / 4;
    const uint8_t *row = (const uint8_t *)t->data + (size_t)first * t->stride;
    for (; rows > 0; rows--, row += t->stride) {
        const uint32_t *word = (const uint32_t *)(const void *)row;
        for (uint32_t i = 0; i < words; i++) {
            hash = (hash ^ word[i]) * UINT32_C(16777619);
        }
    }
    return hash;
}

// An image's outputs count as different from the first layer on that is so: each hash contains
// those of the layers before it.
static void compare(digits_layered *net, uint32_t image, uint16_t hash)
{
    const digits_step *step = &net->kind->steps[net->step];
    const uint32_t outputs = step->rows * step->out->cols;
    net->session->totals.outputs += outputs;
    if (hash == net->kind->hashes[image * net->kind->count + net->step] && !net->differs[image]) {
        return;
    }
    net->session->totals.different += outputs;
    if (!net->differs[image]) {
        printf("image %" PRIu32 ": the output of layer %s differs from the golden model's\n", image,
               step->name);
    }
    net->differs[image] = true;
}

static void check_step(digits_layered *net)
{
    const digits_step *step = &net->kind->steps[net->step];
    for (uint32_t i = 0; i < net->number; i++) {
        uint32_t *hash = &net->hash[net->first + i];
        *hash = hash_rows(*hash, step->out, i * step->rows, step->rows);
        const uint16_t folded = (uint16_t)(*hash ^ *hash >> 16);
        if (net->list != NULL) {
            net->list[(net->first + i) * net->kind->count + net->step] = folded;
        } else if (net->known) {
            compare(net, net->first + i, folded);
        }
    }
}

// The largest difference of the batch's classes from those of float32.
static void compare_float32(digits_layered *net)
{
    float *largest = &net->layers[net->kind->count - 1].error;
    const uint8_t *row = net->session->classes;
    const int8_t *logits = &net->kind->float32->logits[net->first * DIGITS_CLASSES];
    for (uint32_t i = 0; i < net->number; i++, row += net->session->classes_stride) {
        const float *classes = (const float *)(const void *)row;
        for (uint32_t c = 0; c < DIGITS_CLASSES; c++) {
            const float difference = classes[c] - (float)*logits++ / DIGITS_LOGIT_UNIT;
            const float magnitude = difference < 0 ? -difference : difference;
            if (*largest == *largest && !(magnitude <= *largest)) { // NaN is the largest of all
                *largest = magnitude;
            }
        }
    }
}

static fp8rt_status run_list(digits_layered *net)
{
    fp8rt_network *network = &net->network;
    const fp8rt_status status = fp8rt_network_run(network, NULL);
    if (status == FP8RT_OK) {
        return status;
    }
    const char *layer = fp8rt_network_layer(network, fp8rt_network_next(network));
    return digits_failed(net->first, net->number, layer, status);
}

// Layer by layer: each is checked before the next one.
static fp8rt_status run_steps(digits_layered *net)
{
    for (net->step = 0; net->step < net->kind->count; net->step++) {
        const fp8rt_status status = run_step(net, net->step);
        if (status != FP8RT_OK) {
            return digits_failed(net->first, net->number, net->kind->steps[net->step].name, status);
        }
        const uint64_t start = fp8rt_app_cycles();
        check_step(net);
        net->session->totals.checker_cycles += fp8rt_app_cycles() - start;
    }
    return FP8RT_OK;
}

// What is counted and compared belongs to the checker, not to the network.
fp8rt_status digits_layered_run(digits_session *session, uint32_t first, uint32_t count)
{
    digits_layered *net = running;
    choose_images(net, first, count);
    const bool listed = net->recorded && count == session->options.batch;
    const fp8rt_status status = listed ? run_list(net) : run_steps(net);
    if (status != FP8RT_OK) {
        return status;
    }
    const uint64_t start = fp8rt_app_cycles();
    if (listed) {
        const fp8rt_counters counters = fp8rt_device_counters(&session->dev);
        fp8rt_counters_add(&session->totals.counters, &counters);
        for (net->step = 0; net->step < net->kind->count; net->step++) {
            check_step(net);
        }
    }
    compare_float32(net);
    session->totals.checker_cycles += fp8rt_app_cycles() - start;
    return FP8RT_OK;
}

// ---- report -------------------------------------------------------------------------------------

// It does not depend on batches.
uint32_t digits_layered_hash(const digits_session *session)
{
    const digits_layered *net = running;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < session->options.images; i++) {
        sum += net->hash[i] * (2 * i + 1);
    }
    return sum;
}

// E5M2 formats have a mantissa bit less than E4M3 ones, and so twice their error.
static float most(const digits_layered *net)
{
    const fp8mac_format_id format = net->session->options.format;
    const bool e5m2 = format == FP8MAC_E5M2 || format == FP8MAC_E5M2FNUZ;
    return e5m2 ? 2 * net->kind->most : net->kind->most;
}

bool digits_layered_report(const digits_session *session)
{
    digits_layered *net = running;
    net->layers[net->kind->count - 1].compared = true;
    const double largest = (double)net->layers[net->kind->count - 1].error,
                 bound = (double)most(net);
    if (!net->known) {
        printf("outputs       not compared, as their hashes are those of %s, e4m3fn and fp32. With "
               "HOST=1 the hash below is the same\n",
               hashed_element);
    }
    printf("classes       differ from float32's by at most %.3f; bound: %.3f\n", largest, bound);
    if (net->recorded) {
        printf("list          %" PRIu32 " commands, started once for each batch\n",
               fp8rt_network_commands(&net->network));
    }
    if (!fp8rt_app_is_host) {
        printf("network       %s, %s:\n", session->options.net->name,
               net->recorded ? "one batch, command by command" : "all images together");
        fp8rt_app_print_profile(&session->dev.caps, &net->all);
    }
    return largest <= bound;
}

const uint8_t *digits_layered_predictions(const digits_session *session)
{
    const digits_sequence *kind = session->options.net->kind;
    return kind->float32->predictions;
}

void digits_layered_list(const digits_session *session)
{
    const digits_layered *net = running;
    const char *name = session->options.net->name;
    const uint16_t *hash = net->list;
    char spelling[FP8RT_ELEMENT_SPELLING_BYTES];
    const fp8rt_caps *caps = &session->dev.caps;
    fp8rt_element_spell(&caps->element, caps->lanes, spelling);
    printf("// SPDX-License-Identifier: Apache-2.0\n"
           "// Generated by build/firmware/host/digits NET=%s HASHES=1; not to be edited.\n"
           "// Of the outputs of each image, a hash behind each layer: elements %s, activations\n"
           "// %s, accumulators %s.\n"
           "#include \"digits_%s.h\"\n\nconst uint16_t digits_%s_hashes[] = {\n",
           name, spelling, fp8mac_format_get(session->options.format)->name,
           digits_acc_name(session->options.acc_format), name, name);
    for (uint32_t i = 0; i < session->options.images; i++) {
        printf("    ");
        for (uint32_t step = 0; step < net->kind->count; step++) {
            printf("%" PRIu16 ",", *hash++);
        }
        printf("\n");
    }
    printf("};\n");
}
