// SPDX-License-Identifier: Apache-2.0
// A small language model generates text. tokens_net.h is the network, train.py has trained it on
// the King James Bible.
//
//: PROMPT=      the text to begin with, of letters and . , : ; (In the beginning)
//: TOKENS=      how many tokens follow (40)
//: TEMPERATURE= 0: always the most likely piece; 100: by the network's probabilities; per cent (60)
//: SEED=        of the choice (1)
//: LIST=        0: the layers of a token one by one, in place of their recorded list (1)
//: PERPLEXITY=  windows of 128 tokens of the text that is held out: their perplexity, in place of
//:              text (0)
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokens_net.h"

typedef struct options {
    const char *prompt;
    uint32_t tokens, temperature, windows;
    uint64_t seed;
} options;

// What a run has done so far
typedef struct record {
    uint64_t hash; // of all scores: FNV-1a
    uint64_t random;
} record;

static uint32_t number(int argc, char **argv, const char *key, uint32_t otherwise)
{
    const char *text = fp8rt_app_option(argc, argv, key);
    return text == NULL ? otherwise : (uint32_t)strtoul(text, NULL, 10);
}

// ---- text ---------------------------------------------------------------------------------------

// The longest piece that the text begins with; TOKENS_WORDS: none
static uint32_t longest(const char *text)
{
    uint32_t best = TOKENS_WORDS;
    size_t most = 0;
    for (uint32_t i = 0; i < TOKENS_WORDS; i++) {
        const size_t length = strlen(tokens_data.pieces[i]);
        if (length > most && strncmp(text, tokens_data.pieces[i], length) == 0) {
            most = length;
            best = i;
        }
    }
    return best;
}

// 0: a character that no piece has, or too many tokens
static uint32_t encode(const char *text, uint32_t tokens[TOKENS_CONTEXT])
{
    uint32_t count = 0;
    while (*text != '\0' && count < TOKENS_CONTEXT) {
        const uint32_t piece = longest(text);
        if (piece == TOKENS_WORDS) {
            return 0;
        }
        tokens[count++] = piece;
        text += strlen(tokens_data.pieces[piece]);
    }
    return *text == '\0' ? count : 0;
}

// ---- the next token -----------------------------------------------------------------------------

static void hash(record *r, const float *scores)
{
    const uint8_t *bytes = (const uint8_t *)scores;
    for (size_t i = 0; i < TOKENS_WORDS * sizeof *scores; i++) {
        r->hash = (r->hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
}

// xorshift64: 24 bits
static uint32_t draw(record *r)
{
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return (uint32_t)(r->random >> 40);
}

static uint32_t largest(const float *scores)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < TOKENS_WORDS; i++) {
        best = scores[i] > scores[best] ? i : best;
    }
    return best;
}

// By probabilities exp((score - largest) / temperature), which are powers of 2 in steps of an
// eighth: integers, so that chip and host choose alike.
static uint32_t choose(record *r, const float *scores, uint32_t temperature)
{
    static const uint32_t eighths[8] = {65536, 60097, 55109, 50535, 46341, 42495, 38968, 35734};
    static uint32_t shares[TOKENS_WORDS];
    const float top = scores[largest(scores)], factor = 8.0f * 144.26950f / (float)temperature;
    uint64_t total = 0;
    for (uint32_t i = 0; i < TOKENS_WORDS; i++) {
        const float steps = (top - scores[i]) * factor;
        const uint32_t whole = steps < 128.0f ? (uint32_t)steps : 128u;
        shares[i] = whole < 128u ? eighths[whole & 7u] >> (whole >> 3) : 0u;
        total += shares[i];
    }
    uint64_t left = (total * draw(r)) >> 24;
    uint32_t piece = 0;
    while (left >= shares[piece]) {
        left -= shares[piece++];
    }
    return piece;
}

// ---- runs ---------------------------------------------------------------------------------------

static int fail(fp8rt_status status)
{
    printf("tokens: %s\n", fp8rt_status_string(status));
    return EXIT_FAILURE;
}

static void print_cycles(const char *what, uint64_t cycles, uint32_t tokens)
{
    char text[21];
    if (!fp8rt_app_is_host && tokens != 0) {
        printf("%-12s %s core cycles a token, %" PRIu32 " tokens\n", what,
               fp8rt_app_decimal(cycles / tokens, text), tokens);
    }
}

static int generate(tokens_net *net, const options *o)
{
    uint32_t tokens[TOKENS_CONTEXT];
    record r = {.hash = UINT64_C(14695981039346656037), .random = o->seed};
    const uint32_t given = encode(o->prompt, tokens);
    if (given == 0 || o->tokens > TOKENS_CONTEXT - given) {
        printf("tokens: PROMPT has a character that the network does not know, or there are more "
               "than %d tokens\n",
               TOKENS_CONTEXT);
        return EXIT_FAILURE;
    }
    uint64_t start = fp8rt_app_cycles();
    fp8rt_status status = tokens_add(net, tokens, given, false);
    const uint64_t first = fp8rt_app_cycles() - start;
    uint64_t others = 0, lists = 0;
    printf("%s", o->prompt);
    for (uint32_t i = 0; i < o->tokens && status == FP8RT_OK; i++) {
        const float *scores = tokens_logits(net, 0);
        hash(&r, scores);
        const uint32_t piece =
            o->temperature == 0 ? largest(scores) : choose(&r, scores, o->temperature);
        printf("%s", tokens_data.pieces[piece]);
        start = fp8rt_app_cycles();
        if (i + 1u < o->tokens) {
            status = tokens_add(net, &piece, 1, false);
            others += fp8rt_app_cycles() - start;
            lists += net->counters.cycles;
        }
    }
    printf("\n");
    if (status != FP8RT_OK) {
        return fail(status);
    }
    print_cycles("prompt", first, given);
    print_cycles("generation", others, o->tokens == 0 ? 0 : o->tokens - 1u);
    print_cycles("its list", lists, !net->step.recorded || o->tokens == 0 ? 0 : o->tokens - 1u);
    printf("tokens: checksum=%016" PRIx64 "\n", r.hash);
    return EXIT_SUCCESS;
}

// -log of the probability of a piece
static double loss(const float *scores, uint32_t piece)
{
    const double top = (double)scores[largest(scores)];
    double sum = 0;
    for (uint32_t i = 0; i < TOKENS_WORDS; i++) {
        sum += exp((double)scores[i] - top);
    }
    return log(sum) + top - (double)scores[piece];
}

static int measure(tokens_net *net, uint32_t windows)
{
    const uint32_t most = (tokens_data.test_tokens - 1u) / TOKENS_CONTEXT;
    uint32_t tokens[TOKENS_CONTEXT];
    double total = 0;
    windows = windows < most ? windows : most;
    for (uint32_t w = 0; w < windows; w++) {
        const uint16_t *text = tokens_data.test + (size_t)w * TOKENS_CONTEXT;
        for (uint32_t i = 0; i < TOKENS_CONTEXT; i++) {
            tokens[i] = text[i];
        }
        tokens_reset(net);
        const fp8rt_status status = tokens_add(net, tokens, TOKENS_CONTEXT, true);
        if (status != FP8RT_OK) {
            return fail(status);
        }
        for (uint32_t i = 0; i < TOKENS_CONTEXT; i++) {
            total += loss(tokens_logits(net, i), text[i + 1u]);
        }
    }
    printf("tokens: perplexity %.3f of %" PRIu32 " tokens\n",
           exp(total / (double)(windows * TOKENS_CONTEXT)), windows * TOKENS_CONTEXT);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static fp8rt_device dev;
    static tokens_net net;
    const char *prompt = fp8rt_app_option(argc, argv, "PROMPT");
    const options o = {.prompt = prompt == NULL ? "In the beginning" : prompt,
                       .tokens = number(argc, argv, "TOKENS", 40),
                       .temperature = number(argc, argv, "TEMPERATURE", 60),
                       .windows = number(argc, argv, "PERPLEXITY", 0),
                       .seed = number(argc, argv, "SEED", 1) + UINT64_C(0x9e3779b97f4a7c15)};
    fp8rt_arena arena = fp8rt_app_arena();
    const fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status != FP8RT_OK) {
        return fail(status);
    }
    if (!tokens_open(&net, &dev, &arena)) {
        return EXIT_FAILURE;
    }
    if (number(argc, argv, "LIST", 1) == 0) {
        tokens_plain(&net);
    }
    fp8rt_app_print_element(&dev.caps);
    printf("tokens: %" PRIu32 " parameters, cache %lu bytes, scratch %lu\n", tokens_data.parameters,
           (unsigned long)net.cache_bytes, (unsigned long)net.scratch_bytes);
    return o.windows == 0 ? generate(&net, &o) : measure(&net, o.windows);
}
