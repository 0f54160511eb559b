// SPDX-License-Identifier: Apache-2.0
// A command and its words, and the memory that it names against what the register map says
// of images and pairs, place by place. tests/rtl/command_tb.cpp compares tile commands and
// refusals with the RTL.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp8mac/command.h"

enum { WORDS = FP8MAC_COMMAND_WORDS_MOST, LINES = 64, OUTPUTS = 512 };

static unsigned passed, failed;

static void expect(bool right, const char *what)
{
    passed += right;
    failed += !right;
    if (!right && failed < 5) {
        printf("FAIL %s\n", what);
    }
}

static uint32_t random_word(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

static uint32_t below(uint32_t x)
{
    return random_word() % x;
}

// Bits of the register map that have a field, but for those of SUBMIT
static uint32_t known_bits(unsigned word)
{
    static const struct {
        uint8_t word;
        uint32_t bits;
    } parts[] = {
        {FP8MAC_WORD_SCALE_EXP, 0xffff},      {FP8MAC_WORD_SUBMIT, 0x3ffff},
        {FP8MAC_WORD_OPERATION, 0x7fffff},    {FP8MAC_WORD_CONV_LINE, 0xffffff},
        {FP8MAC_WORD_CONV_SEGMENT, 0xffffff}, {FP8MAC_WORD_CONV_LINES, 0xffffff},
        {FP8MAC_WORD_CONV_PAD, 0xffff},
    };
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].word == word) {
            return parts[i].bits;
        }
    }
    return UINT32_MAX;
}

// Words become a command and the same words again; without the extension, its members are 0.
static void test_words(void)
{
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t words[WORDS], again[WORDS] = {0};
        for (unsigned w = 0; w < WORDS; w++) {
            words[w] = random_word() & known_bits(w);
        }
        fp8mac_command c = fp8mac_command_of_words(words);
        const unsigned count = fp8mac_words_of_command(&c, again);
        expect(count == (c.mode.extended ? WORDS : FP8MAC_COMMAND_WORDS) &&
                   memcmp(words, again, count * sizeof *words) == 0,
               "words of a command");
        c.mode.extended = false;
        words[FP8MAC_WORD_MODE] &= ~(1u << 25);
        fp8mac_command_drop_extension(&c);
        const fp8mac_command short_one = fp8mac_command_of_words(words);
        uint32_t x[WORDS] = {0}, y[WORDS] = {0};
        c.mode.extended = true; // so that all members have words
        fp8mac_command all = short_one;
        all.mode.extended = true;
        fp8mac_words_of_command(&c, x);
        fp8mac_words_of_command(&all, y);
        expect(memcmp(x, y, sizeof x) == 0, "a command without its extension");
    }
}

// ---- images -------------------------------------------------------------------------------------

static const fp8mac_caps caps = {.cols = 4, .beat_bytes = 16};

static fp8mac_command random_image(void)
{
    fp8mac_command c = {
        .mode.extended = true,
        .mode.conv_a = true,
        .a.addr = 0x1000,
        .a.stride = 32u + below(64),
        .b.addr = 0x100000,
        .d.addr = 0x200000,
        .d.stride = 64,
        .m = 0,
        .n = 4,
        .image = {.width = 1 + below(32),
                  .height = (uint16_t)(1 + below(20)),
                  .out_w = (uint16_t)(1 + below(9)),
                  .segment_bytes = (uint16_t)(1 + below(9)),
                  .segments = (uint8_t)(1 + below(3)),
                  .step_x = (uint16_t)below(9),
                  .segment_step = (uint16_t)below(9),
                  .step_y = (uint8_t)below(4),
                  .dil_y = (uint8_t)below(3),
                  .pad_top = (uint8_t)below(4),
                  .pad_left = (uint16_t)below(6)},
    };
    c.m = below(2) ? c.image.out_w * (1 + below(9)) : 1 + below(OUTPUTS / 4);
    c.k = 1 + below(4u * c.image.segment_bytes * c.image.segments);
    return c;
}

// Lines of the image that codes of A lie in, by the definition in the register map
static void touched_lines(const fp8mac_command *c, bool lines[LINES], uint32_t *end)
{
    const fp8mac_command_image *i = &c->image;
    const uint32_t of_line = (uint32_t)i->segment_bytes * i->segments;
    *end = 0;
    for (uint32_t r = 0; r < c->m; r++) {
        for (uint32_t k = 0; k < c->k; k++) {
            const int y = (int)(r / i->out_w * i->step_y + k / of_line * i->dil_y) - i->pad_top;
            const int x =
                (int)(r % i->out_w * i->step_x + k % of_line / i->segment_bytes * i->segment_step +
                      k % i->segment_bytes) -
                i->pad_left;
            if (y >= 0 && y < i->height && x >= 0 && (uint32_t)x < i->width) {
                lines[y] = true;
                *end = (uint32_t)x + 1u > *end ? (uint32_t)x + 1u : *end;
            }
        }
    }
}

static void test_images(void)
{
    for (unsigned n = 0; n < 20000; n++) {
        const fp8mac_command c = random_image();
        bool touched[LINES] = {false}, named[LINES] = {false};
        uint32_t end;
        fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST];
        const unsigned count = fp8mac_command_regions(&caps, &c, list);
        touched_lines(&c, touched, &end);
        uint32_t bytes = 0;
        for (unsigned i = 0; i < count; i++) {
            for (uint32_t r = 0; list[i].of == FP8MAC_REGION_A && r < list[i].at.rows; r++) {
                const uintptr_t at = list[i].at.address + (uintptr_t)r * list[i].at.stride;
                named[(at - c.a.addr) / c.a.stride] = true;
                bytes = list[i].at.row_bytes;
            }
        }
        // Part of a line, of outputs or of the kernel, may touch less of it than is named.
        const bool whole = c.m % c.image.out_w == 0 &&
                           c.k % ((uint32_t)c.image.segment_bytes * c.image.segments) == 0;
        bool right = whole ? end == bytes || end == 0 : end <= bytes;
        const bool one = c.k <= (uint32_t)c.image.segment_bytes * c.image.segments &&
                         c.m % c.image.out_w == 0; // else the last line may lack the pixels inside
        for (unsigned y = 0; y < LINES; y++) {
            right = right && (!touched[y] || named[y]);
            // A kernel of one line names no line that it skips, unless all of it is beside the
            // image.
            right = right && (!one || end == 0 || !named[y] || touched[y]);
        }
        expect(right, "lines of an image");
    }
}

// ---- pairs --------------------------------------------------------------------------------------

// With D from its first row to its last one, the extents of a command are its regions.
static bool extents_are(const fp8mac_command *c, const fp8mac_command_region *list, unsigned count)
{
    fp8mac_command_region extents[FP8MAC_COMMAND_EXTENTS_MOST] = {0};
    fp8mac_command_region products[FP8MAC_COMMAND_EXTENTS_MOST] = {0};
    const unsigned all = fp8mac_command_extents(&caps, c, extents);
    unsigned kept = 1;
    uintptr_t end = 0;
    bool right = extents[0].of == FP8MAC_REGION_D && extents[0].at.address == c->d.addr &&
                 extents[0].at.stride == c->d.stride &&
                 extents[0].at.row_bytes == list[0].at.row_bytes && extents[0].written &&
                 fp8mac_product_extents(&caps, c, products) == all &&
                 memcmp(extents, products, all * sizeof *extents) == 0;
    for (unsigned i = 0; i < count; i++) {
        if (list[i].of == FP8MAC_REGION_D) {
            const uintptr_t one = list[i].at.address + list[i].at.rows * c->d.stride;
            end = one > end ? one : end;
        } else {
            right = right && kept < all && memcmp(&list[i], &extents[kept], sizeof *list) == 0;
            kept++;
        }
    }
    return right && kept == all && c->d.addr + extents[0].at.rows * c->d.stride == end;
}

static void test_pairs(void)
{
    for (unsigned n = 0; n < 20000; n++) {
        fp8mac_command c = random_image();
        const uint32_t lines = 1 + below(6);
        c.mode.depthwise = c.mode.pairs = true;
        c.image.step_y = 2;
        c.m = c.image.out_w * lines - below(2) * below(c.image.out_w);
        c.c.stride = c.m - below(c.image.out_w + 1u); // at most a line without second results
        bool written[OUTPUTS] = {false}, named[OUTPUTS] = {false};
        for (uint32_t r = 0; r < c.m; r++) {
            const uint32_t y = r / c.image.out_w, x = r % c.image.out_w;
            written[2u * y * c.image.out_w + x] = true;
            written[(2u * y + 1u) * c.image.out_w + x] |= r < c.c.stride;
        }
        fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST] = {0};
        const unsigned count = fp8mac_command_regions(&caps, &c, list);
        bool b = false;
        for (unsigned i = 0; i < count; i++) {
            b |= list[i].of == FP8MAC_REGION_B && list[i].at.rows == 2u * c.n;
            for (uint32_t r = 0; list[i].of == FP8MAC_REGION_D && r < list[i].at.rows; r++) {
                named[(list[i].at.address - c.d.addr) / c.d.stride + r] = true;
            }
        }
        expect(b, "rows of B with pairs");
        // What lies between first results counts where two lines have no second results.
        const bool exact = c.c.stride / c.image.out_w + 1u >= (c.m - 1u) / c.image.out_w + 1u ||
                           c.m - c.c.stride / c.image.out_w * c.image.out_w <= c.image.out_w;
        bool right = true;
        for (unsigned i = 0; i < OUTPUTS; i++) {
            right = right && (exact ? written[i] == named[i] : !written[i] || named[i]);
        }
        expect(right, "rows of D with pairs");
        expect(extents_are(&c, list, count), "the extents of a command");
    }
}

int main(void)
{
    test_words();
    test_images();
    test_pairs();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
