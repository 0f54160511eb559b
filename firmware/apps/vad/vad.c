// SPDX-License-Identifier: Apache-2.0
//: Detects speech in recordings with Silero's network, and compares its decisions with those of
//: float32.
//: RECORDINGS=  how many of the recordings, from the first on (chip: 1, host: all)
//: FRAMES=      how many frames of each, 32 ms each (chip: 16, host: all)
//: LIST=1       the probability of each frame, which plot.py draws
//: PROFILE=1    the layers of the last frame: cycles, products, bytes; on the host the error
//:              of each
//
// The weights are e4m3fn with a scale for each output. vad_net.h says what is between the layers.
//
// Exit status: 0; 1 if the runtime reports an error; 2 for an argument that is not possible.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/reference_profile.h"
#include "vad_net.h"

enum {
    SAMPLES_PER_SECOND = 16000,
    CHIP_FRAMES = 16,
    ALL = 1000000, // more than there are
    LAYERS = 32,   // of a frame, at most
};

static fp8rt_profile_entry entries[LAYERS];
static fp8rt_profile profile = {
    .entries = entries, .capacity = LAYERS, .clock = fp8rt_app_cycles}; // of the last frame

static fp8rt_reference_observer references; // the errors of the profile, on the host

typedef struct options {
    uint32_t recordings, frames, list, profile;
} options;

typedef struct score {
    uint32_t frames, speech, float32_speech, equal;
    float largest;     // difference of probabilities
    uint64_t cycles;   // of the core, for the frames alone
    uint32_t checksum; // of all frames
} score;

// ---- arguments ----------------------------------------------------------------------------------

// Decimal, 1..ALL; 0 if it is not that.
static uint32_t parse_count(const char *text)
{
    uint32_t count = 0;
    for (; *text >= '0' && *text <= '9' && count <= ALL; text++) {
        count = count * 10 + (uint32_t)(*text - '0');
    }
    return *text == '\0' && count <= ALL ? count : 0;
}

static bool count_option(int argc, char **argv, const char *key, uint32_t *count)
{
    const char *text = fp8rt_app_option(argc, argv, key);
    if (text == NULL) {
        return true;
    }
    *count = parse_count(text);
    if (*count == 0) {
        printf("%s=%s is not possible: choose a number from 1 to %d.\n", key, text, ALL);
    }
    return *count != 0;
}

static bool known_option(const char *argument)
{
    static const char *const names[] = {"RECORDINGS=", "FRAMES=", "LIST=", "PROFILE="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(argument, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    printf("%s is not an option of vad: choose from RECORDINGS=, FRAMES=, LIST= and PROFILE=.\n",
           argument);
    return false;
}

static bool parse_options(int argc, char **argv, options *options)
{
    options->recordings = fp8rt_app_is_host ? ALL : 1;
    options->frames = fp8rt_app_is_host ? ALL : CHIP_FRAMES;
    for (int i = 1; i < argc; i++) {
        if (!known_option(argv[i])) {
            return false;
        }
    }
    return count_option(argc, argv, "RECORDINGS", &options->recordings) &&
           count_option(argc, argv, "FRAMES", &options->frames) &&
           count_option(argc, argv, "LIST", &options->list) &&
           count_option(argc, argv, "PROFILE", &options->profile);
}

// ---- recordings ---------------------------------------------------------------------------------

static void judge(score *score, float probability, float float32)
{
    const float difference = probability > float32 ? probability - float32 : float32 - probability;
    score->frames++;
    score->speech += probability > 0.5f;
    score->float32_speech += float32 > 0.5f;
    score->equal += (probability > 0.5f) == (float32 > 0.5f);
    score->largest = difference > score->largest ? difference : score->largest;
}

static void add(score *sum, const score *x)
{
    sum->frames += x->frames;
    sum->speech += x->speech;
    sum->float32_speech += x->float32_speech;
    sum->equal += x->equal;
    sum->largest = x->largest > sum->largest ? x->largest : sum->largest;
}

static void print_score(const char *name, const score *score)
{
    printf("%-14s %6" PRIu32 " %7" PRIu32 " %8" PRIu32 " %7" PRIu32 " %11.4f\n", name,
           score->frames, score->speech, score->float32_speech, score->equal,
           (double)score->largest);
}

static fp8rt_status run_recording(vad_net *net, const vad_recording *recording,
                                  const options *options, score *total)
{
    score here = {0};
    vad_net_reset(net);
    for (uint32_t i = 0; i < recording->frames && i < options->frames; i++) {
        float probability;
        profile.count = 0;
        const uint64_t start = fp8rt_app_cycles();
        const fp8rt_status status =
            vad_net_frame(net, &recording->samples[i * VAD_FRAME], &probability);
        total->cycles += fp8rt_app_cycles() - start;
        if (status != FP8RT_OK) {
            printf("%s, frame %" PRIu32 ": %s\n", recording->name, i, fp8rt_status_string(status));
            return status;
        }
        total->checksum = vad_net_checksum(net, total->checksum);
        judge(&here, probability, recording->float32[i]);
        if (options->list != 0) {
            printf("frame %s %" PRIu32 " %.6f %.6f\n", recording->name, i, (double)probability,
                   (double)recording->float32[i]);
        }
    }
    print_score(recording->name, &here);
    add(total, &here);
    return FP8RT_OK;
}

static void print_speed(const score *total)
{
    const double frame = (double)total->cycles / total->frames;
    printf(
        "vad: %.0f core cycles a frame: %.1f frames per million cycles, real time from %.2f MHz\n",
        frame, 1e6 / frame, frame * SAMPLES_PER_SECOND / VAD_FRAME / 1e6);
}

static fp8rt_status run(vad_net *net, const options *options)
{
    score total = {0};
    printf("recording      frames  speech  float32   equal  difference\n");
    for (uint32_t i = 0; i < vad_recording_count && i < options->recordings; i++) {
        const fp8rt_status status = run_recording(net, &vad_recordings[i], options, &total);
        if (status != FP8RT_OK) {
            return status;
        }
    }
    print_score("all", &total);
    if (options->profile != 0) {
        fp8rt_app_print_profile(&net->dev->caps, &profile);
    }
    printf("vad: decisions=%" PRIu32 " equal=%" PRIu32 " checksum=%08" PRIx32 "\n", total.frames,
           total.equal, total.checksum);
    if (!fp8rt_app_is_host) {
        print_speed(&total);
    }
    return FP8RT_OK;
}

int main(int argc, char **argv)
{
    static fp8rt_device dev;
    static vad_net net;
    options options = {0};
    fp8rt_arena arena = fp8rt_app_arena();
    if (!parse_options(argc, argv, &options)) {
        return 2;
    }
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status == FP8RT_OK) {
        status = vad_net_open(&net, &dev, &arena);
    }
    if (status != FP8RT_OK) {
        printf("vad: %s\n", fp8rt_status_string(status));
        return 1;
    }
    references = fp8rt_reference_observer_on(arena);
    profile.observer = fp8rt_app_is_host ? &references.observer : NULL;
    net.run.profile = options.profile != 0 ? &profile : NULL;
    return run(&net, &options) == FP8RT_OK ? 0 : 1;
}
