// SPDX-License-Identifier: Apache-2.0
// The library's bits do not depend on the caller's floating-point environment, and a call leaves
// that environment as it was, with its exception flags. Every public function is called in every
// environment: subnormals flushed, each directed rounding, every trap enabled. Its results are
// compared with those of the default environment. test_declared.py compares the calls with the
// headers. The line "results" is the same on every machine and with every compiler (compilers.sh).
#include <signal.h>
#include <stdlib.h>

#include "environment_control.h"
#include "environment_recipes.h"
#include "fp8mac/accelerator_model.h"
#include "fp8mac/cycles.h"

// ---- the functions, a row each or a few together ------------------------------------------------

static void take_transfer(void *context, const fp8mac_cycles_transfer *transfer)
{
    (void)context;
    take_u64(transfer->cycle);
    take_u64(transfer->address);
}

// A GEMM in one command of the accelerator
static void take_cycles(void)
{
    const fp8mac_cycles_config config = fp8mac_cycles_default();
    const fp8mac_cycles_command command = {.submission = FP8MAC_CYCLES_DOORBELL,
                                           .command.m = 8,
                                           .command.n = 8,
                                           .command.k = 64,
                                           .command.b.addr = 0x10000,
                                           .command.d.addr = 0x20000,
                                           .command.a.stride = 64,
                                           .command.b.stride = 64,
                                           .command.d.stride = 16,
                                           .command.a.scale = 0x3f800000,
                                           .command.b.scale = 0x3f800000,
                                           .command.d.scale = 0x3f800000};
    fp8mac_cycles_counters counters;
    const char *parameter, *range;
    take_u64(fp8mac_cycles_check(&config, &parameter, &range));
    take_u64(fp8mac_cycles_run(&config, &command, 1, NULL, NULL, &counters));
    take_u64(counters.cycles);
    take_u64(counters.store);
    const fp8mac_caps caps = {.rows = 4,
                              .cols = 4,
                              .lanes = 16,
                              .beat_bytes = 16,
                              .block = 32,
                              .max_mn = 128,
                              .element = {.kind = FP8MAC_ELEMENT_BLOCK}};
    take_u64(fp8mac_functions_possible(&caps, false));
    take_u64(fp8mac_cycles_stall_state(1, 100));
    const fp8mac_cycles_watcher watcher = {.transfer = take_transfer};
    take_u64(fp8mac_cycles_run_watched(&config, &command, 1, NULL, NULL, &counters, &watcher));
}

static void *memory_at(void *context, uintptr_t address, uint64_t bytes)
{
    return address + bytes <= 4096 ? (uint8_t *)context + address : NULL;
}

// A small GEMM as the accelerator's command: its words, its memory, its tile commands and its bytes
static void run_command(void)
{
    static fp8mac_accelerator x;
    static uint8_t memory[4096], codes[256];
    uint32_t words[FP8MAC_COMMAND_WORDS_MOST];
    fp8mac_command_region regions[FP8MAC_COMMAND_REGIONS_MOST];
    fp8mac_command_address addresses[FP8MAC_COMMAND_ADDRESSES_MOST];
    fp8mac_tile_region parts[FP8MAC_TILE_REGIONS];
    const fp8mac_element_info *element = fp8mac_element_find(FP8MAC_ELEMENT_BLOCK);
    fp8mac_command c = {.m = 4,
                        .n = 4,
                        .k = 32,
                        .a = {.addr = 0, .stride = 32, .scale = 0x3f800000},
                        .b = {.addr = 1024, .stride = 32, .scale = 0x3f000000},
                        .d = {.addr = 2048, .stride = 16, .scale = 0x3f800000, .fmt = FP8MAC_FP32},
                        .finish.act_table = 0};
    x.caps = (fp8mac_caps){.rows = 4,
                           .cols = 4,
                           .lanes = 16,
                           .beat_bytes = 16,
                           .block = 32,
                           .pass_tiles = 4,
                           .acc_tiles = 256,
                           .buf_beats = 256,
                           .max_mn = 128,
                           .functions = FP8MAC_FUNCTION_TABLES,
                           .element = {.kind = FP8MAC_ELEMENT_BLOCK,
                                       .accumulators = (uint8_t)element->accumulators,
                                       .frac_bits = 19}};
    x.memory = memory_at;
    x.context = memory;
    for (unsigned i = 0; i < 2048; i++) {
        memory[i] = (uint8_t)(i * 37u % 120u);
    }
    take_u64(fp8mac_words_of_command(&c, words));
    take(words, sizeof words[0] * FP8MAC_COMMAND_WORDS);
    c = fp8mac_command_of_words(words);
    fp8mac_command_drop_extension(&c);
    take_u64(fp8mac_command_regions(&x.caps, &c, regions));
    take_u64(fp8mac_command_extents(&x.caps, &c, regions));
    take_u64(fp8mac_product_extents(&x.caps, &c, regions));
    take_u64(fp8mac_command_addresses(&c, addresses));
    take_u64(fp8mac_bus_address(&x.caps, c.d.addr));
    take_u64(fp8mac_caps_scale_beats(&x.caps));
    fp8mac_left left = {.any = false};
    fp8mac_walk walk;
    fp8mac_tile tile;
    fp8mac_walk_begin(&walk, &x.caps, &c);
    fp8mac_walk_next(&walk, &tile);
    take_u64(fp8mac_command_absent(&x.caps, &c));
    take_u64(fp8mac_tile_check(&x.caps, &c, 0, &left, &tile));
    fp8mac_tile_regions(&x.caps, &c, &tile, parts);
    take_u64(fp8mac_command_check(&x.caps, &c, 0, &left));
    fp8mac_accelerator_load_table(&x, 1, codes);
    fp8mac_accelerator_forget(&x);
    take_u64(fp8mac_accelerator_run(&x, &c));
    take_u64(x.observed.amax);
    take(memory + 2048, 64);
}

static void run_names(void)
{
    take_text(fp8mac_version());
    take_cycles();
    take_u64(fp8mac_preset_count());
    CHECK(fp8mac_isa_available(fp8mac_isa_best()) && fp8mac_isa_name(fp8mac_isa_best()) != NULL);
    for (int s = FP8MAC_OK; s <= FP8MAC_ERR_COMMAND; s++) {
        take_text(fp8mac_status_string((fp8mac_status)s));
    }
}

static void run_formats(void)
{
    for (int id = 0; id < FP8MAC_FORMAT_COUNT; id++) {
        const fp8mac_format *f = fp8mac_format_get((fp8mac_format_id)id);
        const fp8mac_format biased = fp8mac_format_with_bias((fp8mac_format_id)id, 9);
        take_u64(fp8mac_format_by_name(f->name) == f);
        take_u64((uint16_t)biased.bias);
        take_u64(fp8mac_format_validate(f));
        take_text(fp8mac_format_refusal(f));
        take_u64(fp8mac_format_bits(f) << 8 | fp8mac_format_bytes(f));
        take_u64((uint64_t)fp8mac_format_max_code(f) << 32 | fp8mac_format_nan_code(f));
        take_u64((uint32_t)fp8mac_format_unit_exponent(f));
    }
}

static void run_values(void)
{
    for (int id = 0; id < FP8MAC_FORMAT_COUNT; id++) {
        const fp8mac_format *f = fp8mac_format_get((fp8mac_format_id)id);
        for (uint32_t i = 0; i < 256; i++) {
            const uint32_t code = fp8mac_format_bits(f) <= 8 ? i : random_words[i] * 0x10001u;
            const fp8mac_value value = fp8mac_decode(f, code);
            const double x = fp8mac_value_to_double(value);
            take_value(value);
            take(&x, sizeof x);
            take_value(fp8mac_value_from_double(x));
            const fp8mac_record record = fp8mac_record_of(f, code);
            take(&record.value, sizeof record.value);
        }
    }
    for (size_t i = 0; i < 512; i++) { // subnormal doubles
        const double x =
            fp8mac_value_to_double(fp8mac_value_from_double(double_of(double_bits(i) >> 12)));
        take(&x, sizeof x);
    }
    for (size_t i = 0; i < 64; i++) {
        char text[2300];
        const fp8mac_value value = fp8mac_value_from_double(doubles[i]);
        take(text, fp8mac_value_text(value, FP8MAC_TEXT_DECIMAL, text, sizeof text));
        take(text, fp8mac_value_text(value, FP8MAC_TEXT_HEX, text, sizeof text));
    }
}

static void run_value_arithmetic(void)
{
    fp8mac_flags flags = 0;
    for (size_t i = 0; i + 1 < 512; i++) {
        const fp8mac_value a = fp8mac_value_from_double(doubles[i]),
                           b = fp8mac_value_from_double(doubles[i + 1]);
        take_u64((uint64_t)(fp8mac_compare(a, b) + 1));
        take_value(fp8mac_value_mul(a, b, &flags));
        // The exponents are nearer, so that the sum fits.
        take_value(fp8mac_value_add(fp8mac_value_from_double((double)i),
                                    fp8mac_value_from_double(3), &flags));
    }
    take_u64(flags);
}

static void run_code_arithmetic(void)
{
    fp8mac_flags flags = 0;
    for (int id = 0; id < FP8MAC_FP16; id++) {
        const fp8mac_format *f = fp8mac_format_get((fp8mac_format_id)id);
        for (uint32_t i = 0; i < 512; i++) {
            const uint32_t a = codes_a[i], b = codes_b[i];
            take_u64(fp8mac_neg(f, a, &flags) << 8 | fp8mac_abs(f, a, &flags));
            take_u64(fp8mac_add(f, a, b, mode_saturate, &flags));
            take_u64(fp8mac_mul(f, a, b, mode_saturate, &flags));
        }
    }
    for (size_t i = 0; i + 1 < FLOATS; i++) {
        uint32_t a, b;
        memcpy(&a, &floats[i], sizeof a);
        memcpy(&b, &floats[i + 1], sizeof b);
        take_u64((uint64_t)fp8mac_fp32_add(a, b, &flags) << 32 | fp8mac_fp32_mul(a, b, &flags));
    }
    take_u64(flags);
}

static void run_encode(void)
{
    fp8mac_flags flags = 0;
    for (int id = 0; id < FP8MAC_ARRAY_FORMAT_COUNT; id++) {
        const fp8mac_format *f = fp8mac_format_get((fp8mac_format_id)id);
        take_u64(fp8mac_convert_mode_validate(f, mode_ieee));
        for (size_t i = 0; i < 512; i++) {
            const fp8mac_value value =
                fp8mac_decode(row(FP8MAC_FP32), random_words[i] << 16 | 0x8421);
            take_u64(fp8mac_encode(f, value, mode_saturate, &flags));
            take_u64(fp8mac_encode_stochastic(f, value, FP8MAC_OVERFLOW_SATURATE, random_words[i],
                                              16, &flags));
        }
    }
    take_u64(flags);
}

// Every array format to every other.
static void run_convert(void)
{
    static float out[FLOATS];
    for (int id = 0; id < FP8MAC_ARRAY_FORMAT_COUNT * FP8MAC_ARRAY_FORMAT_COUNT; id++) {
        const fp8mac_format *to = row((fp8mac_format_id)(id % FP8MAC_ARRAY_FORMAT_COUNT)),
                            *from = row((fp8mac_format_id)(id / FP8MAC_ARRAY_FORMAT_COUNT));
        fp8mac_flags flags = 0;
        take_u64(fp8mac_convert(to, out, from, floats, FLOATS / 4, mode_saturate, &flags));
        take(out, FLOATS / 4 * fp8mac_format_bytes(to));
        const uint64_t before = hash;
        for (int i = 0; i < ISAS; i++) {
            const fp8mac_run how = {.isa = isas[i]};
            if (fp8mac_isa_available(isas[i])) {
                begin_isa(before);
                take_u64(fp8mac_convert_run(to, out, from, floats, FLOATS / 8, mode_saturate, &how,
                                            &flags));
                take(out, FLOATS / 8 * fp8mac_format_bytes(to));
                end_isa(i);
            }
        }
        take_u64(flags);
    }
}

static void run_scaled_convert(void)
{
    static float out[FLOATS];
    const float scales[] = {float_of(0x3eaaaaab), float_of(0x00000003), float_of(0x7e967699),
                            float_of(0x00812345)};
    for (int id = 0; id < FP8MAC_ARRAY_FORMAT_COUNT * 4; id++) {
        const fp8mac_format *f = row((fp8mac_format_id)(id / 4));
        fp8mac_flags flags = 0;
        take_u64(fp8mac_quantize(f, out, floats, FLOATS, scales[id % 4], mode_saturate, &flags));
        take(out, FLOATS * fp8mac_format_bytes(f));
        take_u64(fp8mac_dequantize(out, f, codes_a, FLOATS / 4, scales[id % 4]));
        take(out, FLOATS);
        take_u64(flags);
    }
}

static void run_stochastic_convert(void)
{
    static float out[FLOATS];
    const fp8mac_random_source given = {.r = random_words, .bits = 16},
                               drawn = {.bits = 20, .seed = 77, .n = 3},
                               simon = {.bits = 12, .generator = FP8MAC_GENERATOR_SIMON};
    const fp8mac_random_source *const sources[] = {&given, &drawn, &simon};
    for (int id = 0; id < FP8MAC_ARRAY_FORMAT_COUNT * 3; id++) {
        const fp8mac_format *f = row((fp8mac_format_id)(id / 3));
        fp8mac_flags flags = 0;
        take_u64(fp8mac_convert_stochastic(f, out, row(FP8MAC_FP32), floats, FLOATS,
                                           FP8MAC_OVERFLOW_SATURATE, sources[id % 3], &flags));
        take(out, FLOATS * fp8mac_format_bytes(f));
        take_u64(flags);
    }
}

static void run_doubles(void)
{
    static double out[FLOATS];
    fp8mac_flags flags = 0;
    for (int id = 0; id < FP8MAC_ARRAY_FORMAT_COUNT; id++) {
        const fp8mac_format *f = row((fp8mac_format_id)id);
        take_u64(fp8mac_convert_from_double(f, out, doubles, FLOATS, mode_saturate, &flags));
        take(out, FLOATS * fp8mac_format_bytes(f));
        take_u64(fp8mac_convert_to_double(out, f, floats, FLOATS));
        take(out, sizeof out);
    }
    take_u64(flags);
}

static void run_random(void)
{
    const uint32_t counter[4] = {1, 2, 3, 4}, key[4] = {5, 6, 7, 8};
    uint32_t output[4];
    fp8mac_threefry4x32(counter, key, output);
    take(output, sizeof output);
    fp8mac_simon64(counter, key, output);
    take(output, 2 * sizeof output[0]);
    take_u64(fp8mac_simon_bits(3, 4, 5, 16));
    take_u64(fp8mac_random_bits(3, 4, 5, 6, FP8MAC_RANDOM_STEP, 24));
}

static void run_presets(void)
{
    for (size_t i = 0; i < fp8mac_preset_count(); i++) {
        fp8mac_preset preset, same;
        take_u64(fp8mac_preset_get(i, &preset));
        take_u64(fp8mac_preset_by_name(preset.name, &same));
        take_u64(preset.covered ? fp8mac_dot_config_validate(&same.config) : 0);
    }
    fp8mac_dot_config config;
    take_u64(fp8mac_element_config(0, 16, 0, &config));
    take_u64(config.group);
}

static void run_dots(void)
{
    for (size_t i = 0; i < fp8mac_preset_count(); i++) {
        fp8mac_preset preset;
        fp8mac_flags flags = 0;
        if (fp8mac_preset_get(i, &preset) != FP8MAC_OK || !preset.covered) {
            continue;
        }
        const fp8mac_dot_config *config = &preset.config;
        fp8mac_acc acc = {0};
        const fp8mac_format *loaded = fp8mac_acc_loaded_format(config);
        take_u64(loaded == NULL ? 0 : fp8mac_acc_load(config, &acc, 3));
        take_u64(fp8mac_dot(config, &acc, codes_a, codes_b, 256, &flags));
        take_u64(fp8mac_dot_step(config, &acc, codes_b, codes_a, 1, &flags));
        take_u64(fp8mac_acc_to_fp32(config, &acc, &flags));
        acc = (fp8mac_acc){0};
        const fp8mac_dot_terms a = {codes_a, codes_b}, b = {codes_b, NULL};
        take_u64(fp8mac_dot_mx(config, &acc, a, b, 128, &flags));
        take_u64(fp8mac_acc_to_fp32(config, &acc, &flags));
        take_u64(flags);
    }
}

// An epilogue with small numbers in every place.
static void run_epilogue(void)
{
    const fp8mac_epilogue epilogue = {.has_bias = true,
                                      .activation = FP8MAC_ACT_CLAMP,
                                      .clamp_lo = float_of(0x80000007),
                                      .clamp_hi = float_of(0x7e000000),
                                      .beta = float_of(0x00000011),
                                      .d_format = row(FP8MAC_FP16),
                                      .scale_d = float_of(0x3f000001)};
    fp8mac_flags flags = 0;
    uint32_t amax = 0, words[6];
    bool nonfinite = false;
    for (size_t i = 0; i + 6 < FLOATS; i++) {
        memcpy(words, &floats[i], sizeof words);
        take_u64(fp8mac_epilogue_apply(&epilogue, words[0], words[1] & 0x7fffffff,
                                       words[2] & 0x7fffffff, words[3], words[4], &amax, &nonfinite,
                                       &flags));
        take_u64(fp8mac_epilogue_apply_random(&epilogue, random_words[i], 16, words[0], 0x3f800000,
                                              0x3f800000, words[3], words[4], &amax, &nonfinite,
                                              &flags));
    }
    take_u64((uint64_t)flags << 33 | (uint64_t)nonfinite << 32 | amax);
}

// M x N x K; scales, beta, C and clamps reach subnormals.
static void gemm_of(const fp8mac_dot_config *dot, size_t m, size_t n, size_t k, fp8mac_format_id d,
                    const fp8mac_run *run)
{
    static float out[128 * 128];
    static float scale_a[128], scale_b[128];
    for (size_t i = 0; i < 128; i++) {
        scale_a[i] = float_of((i % 3 == 0 ? 0x3f800001u : 0x00000100u) + (uint32_t)i);
        scale_b[i] = float_of(0x3f000003u + (uint32_t)i);
    }
    const float scale_d = float_of(0x3faaaaab);
    const fp8mac_gemm_desc desc = {.m = m,
                                   .n = n,
                                   .k = k,
                                   .dot = *dot,
                                   .a = {codes_a, k, {FP8MAC_SCALE_VECTOR, scale_a}, NULL, 0},
                                   .b = {codes_b, k, {FP8MAC_SCALE_VECTOR, scale_b}, NULL, 0},
                                   .bias = floats,
                                   .beta = float_of(0x00400000),
                                   .c = floats,
                                   .c_format = row(FP8MAC_BF16),
                                   .ldc = n,
                                   .activation = FP8MAC_ACT_CLAMP,
                                   .clamp_lo = float_of(0x80000900),
                                   .clamp_hi = float_of(0x7f000000),
                                   .d = out,
                                   .d_format = row(d),
                                   .ldd = n,
                                   .scale_d = &scale_d};
    fp8mac_gemm_result result = {0};
    take_u64(run == NULL ? fp8mac_gemm(&desc, &result) : fp8mac_gemm_run(&desc, run, &result));
    take(out, m * n * fp8mac_format_bytes(row(d)));
    take_float(result.amax);
    take_u64((uint64_t)result.flags << 1 | result.amax_nonfinite);
    // Without an epilogue, whose subnormals could hide those of the sums.
    fp8mac_gemm_desc plain = {.m = m,
                              .n = n,
                              .k = k,
                              .dot = *dot,
                              .a = {.codes = codes_b, .stride = k},
                              .b = {.codes = codes_a, .stride = k},
                              .d = out,
                              .d_format = row(d),
                              .ldd = n};
    plain.dot.a.scale_exp = dot->acc_format == FP8MAC_ACC_INT32 ? 0 : -32;
    plain.dot.b.scale_exp = plain.dot.a.scale_exp;
    take_u64(fp8mac_gemm_run(&plain, run, &result));
    take(out, m * n * fp8mac_format_bytes(row(d)));
}

static void run_gemms(void)
{
    for (size_t i = 0; i < fp8mac_preset_count(); i++) {
        fp8mac_preset preset;
        if (fp8mac_preset_get(i, &preset) != FP8MAC_OK || !preset.covered) {
            continue;
        }
        gemm_of(&preset.config, 9, 17, 64, FP8MAC_FP32, NULL);
        const uint64_t before = hash;
        for (int isa = 0; isa < ISAS; isa++) {
            const fp8mac_run run = {.isa = isas[isa]};
            if (fp8mac_isa_available(isas[isa])) {
                begin_isa(before);
                gemm_of(&preset.config, 5, 9, 64, i % 2 ? FP8MAC_FP32 : FP8MAC_BF16, &run);
                end_isa(isa);
            }
        }
    }
}

// Two threads, each with as much work as a thread needs at least.
static void run_threads(void)
{
    static const char *const names[] = {"ieee-fma", "block_f19_l16"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fp8mac_preset preset;
        take_u64(fp8mac_preset_by_name(names[i], &preset));
        for (int isa = 0; isa < ISAS; isa++) {
            const bool fast = isas[isa] != FP8MAC_ISA_DEFINED;
            const fp8mac_run run = {isas[isa], 2};
            if (fp8mac_isa_available(isas[isa])) {
                gemm_of(&preset.config, fast ? 128 : 64, fast ? 128 : 8, fast ? 128 : 48,
                        FP8MAC_FP32, &run);
            }
        }
    }
}

static void run_image(void)
{
    const fp8mac_image image = {.data = codes_a,
                                .line_bytes = 64,
                                .pixel_bytes = 4,
                                .height = 8,
                                .width = 8,
                                .channels = 3,
                                .kernel_w = 3,
                                .stride_y = 1,
                                .stride_x = 2,
                                .dilation_y = 1,
                                .dilation_x = 1,
                                .pad_top = 1,
                                .pad_left = 1,
                                .out_w = 4};
    uint8_t codes[27];
    take_u64(fp8mac_image_row(&image, 5, 0, sizeof codes, codes));
    take(codes, sizeof codes);
}

// ---- functions and row commands -----------------------------------------------------------------

static void run_functions(void)
{
    fp8mac_flags flags = 0;
    for (size_t i = 0; i < FLOATS; i++) {
        uint32_t any;
        memcpy(&any, &floats[i], sizeof any);
        // Exponents from -8 to 7: results that are neither 0 nor Inf.
        const uint32_t middle = (any & 0x807fffff) | (119 + (uint32_t)i % 16) << 23;
        take_u64((uint64_t)fp8mac_fp32_exp2(any, &flags) << 32 | fp8mac_fp32_exp2(middle, &flags));
        take_u64((uint64_t)fp8mac_fp32_exp(any, &flags) << 32 | fp8mac_fp32_exp(middle, &flags));
        take_u64((uint64_t)fp8mac_fp32_reciprocal(any, &flags) << 32 |
                 fp8mac_fp32_rsqrt(any, &flags));
        take_u64((uint64_t)fp8mac_fp32_sigmoid(middle, &flags) << 32 |
                 fp8mac_fp32_tanh(middle, &flags));
    }
    // Around where exp2 becomes subnormal and where it becomes 0
    for (uint32_t bits = 0xc2f80000; bits < 0xc3180000; bits += 0x1234) {
        take_u64(fp8mac_fp32_exp2(bits, &flags));
    }
    take_u64(flags);
}

static void run_requantise(void)
{
    static int8_t out[32 * 32];
    fp8mac_int_scale scales[32];
    for (size_t i = 0; i < 32; i++) {
        take_u64(fp8mac_int_scale_of(doubles[i], &scales[i]));
        take_u64(fp8mac_int_scale_of(0x1.23456789abcdp-9, &scales[i]));
        take_u64((uint64_t)scales[i].multiplier << 32 | (uint32_t)scales[i].shift);
        take_u64((uint32_t)fp8mac_int_scale_apply((int32_t)random_words[i], scales[i]));
    }
    const fp8mac_requantise to = {3, -128, 127};
    take_u64((uint8_t)fp8mac_requantise_apply(&to, 12345, -77, scales[0]));
    const fp8mac_int8_gemm_desc desc = {.m = 32,
                                        .n = 32,
                                        .k = 64,
                                        .a = (const int8_t *)codes_a,
                                        .b = (const int8_t *)codes_b,
                                        .lda = 64,
                                        .ldb = 64,
                                        .scales = scales,
                                        .scale_per_column = true,
                                        .to = to,
                                        .d = out,
                                        .ldd = 32};
    take_u64(fp8mac_int8_gemm(&desc));
    take(out, sizeof out);
}

static void run_rows(void)
{
    static float out[FLOATS];
    enum { ROWS = 8, COLS = 131 };
    for (int i = FP8MAC_ROWS_SUM; i < FP8MAC_ROWS_OPERATIONS; i++) {
        const bool norm = i == FP8MAC_ROWS_RMS_NORM || i == FP8MAC_ROWS_LAYER_NORM;
        for (int id = 0; id < FP8MAC_ARRAY_FORMAT_COUNT; id++) {
            const bool mx = i == FP8MAC_ROWS_QUANTISE_MX;
            uint8_t scales[ROWS * ((COLS + 31) / 32)] = {0};
            const fp8mac_rows_desc desc = {
                .operation = (fp8mac_rows_operation)i,
                .rows = ROWS,
                .cols = COLS,
                .x = id == FP8MAC_FP32 ? (const void *)floats : (const void *)codes_a,
                .x_format = row((fp8mac_format_id)id),
                .ldx = COLS,
                .eps = float_of(norm ? 0x00000123 : 0),
                .gamma = norm ? floats + 7 : NULL,
                .d = out,
                .d_format = i == FP8MAC_ROWS_ARGMAX ? NULL : row(mx ? FP8MAC_E4M3FN : FP8MAC_FP32),
                .ldd = COLS,
                .scales = mx ? scales : NULL,
                .lds = mx ? fp8mac_rows_blocks(COLS) : 0,
            };
            fp8mac_gemm_result result = {0};
            memset(out, 0, sizeof out);
            take_u64(fp8mac_rows(&desc, &result));
            take(out, sizeof out);
            take(scales, sizeof scales);
            take_float(result.amax);
            take_u64(result.flags);
        }
    }
}

static const struct {
    const char *functions; // for messages
    void (*run)(void);
    bool is_local; // the results depend on the instruction sets that there are
} rows[] = {
    {"names", run_names, false},
    {"formats", run_formats, false},
    {"decode, to_double, record_of, value_text", run_values, false},
    {"compare, value_add, value_mul", run_value_arithmetic, false},
    {"neg, abs, add, mul, fp32_add, fp32_mul", run_code_arithmetic, false},
    {"encode, encode_stochastic", run_encode, false},
    {"convert, convert_run", run_convert, false},
    {"quantize, dequantize", run_scaled_convert, false},
    {"convert_stochastic", run_stochastic_convert, false},
    {"convert_from_double, convert_to_double", run_doubles, false},
    {"generators", run_random, false},
    {"presets", run_presets, false},
    {"dot, dot_step, dot_mx", run_dots, false},
    {"epilogue_apply", run_epilogue, false},
    {"gemm, gemm_run", run_gemms, false},
    {"gemm_run with threads", run_threads, true},
    {"image_row", run_image, false},
    {"fp32_exp2, fp32_exp, fp32_reciprocal, fp32_rsqrt", run_functions, false},
    {"int_scale_of, int_scale_apply, requantise_apply, int8_gemm", run_requantise, false},
    {"rows", run_rows, false},
    {"commands, accelerator_run", run_command, false},
    {"recipe_inverse and others", run_recipe_parts, false},
    {"recipe_scale, recipe_dynamic", run_recipe_scale, false},
    {"recipe_delayed_update", run_recipe_delayed, false},
    {"recipes of training", run_recipe_training, false},
    {"recipe_xla_quantize", run_recipe_xla_quantize, false},
    {"recipe_static_scales, recipe_mx_quantize", run_recipe_inference, false},
    {"recipe_qualcomm_bias", run_recipe_qualcomm, false},
};

// A trap ends the test.
static const char *running = "";

static void trapped(int signal)
{
    (void)signal;
    establish(environments[0].control);
    printf("%s: a trap\n%lu passed, %lu failed\n", running, passed, failed + 1);
    fflush(stdout);
    _Exit(1);
}

int main(void)
{
    signal(SIGFPE, trapped);
    make_operands();
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t expected = 0;
        running = rows[i].functions;
        for (int e = 0; e < ENVIRONMENTS; e++) {
            hash = UINT64_C(0xcbf29ce484222325);
            establish(environments[e].control);
            rows[i].run();
            const bool kept = is_established(environments[e].control);
            establish(environments[0].control);
            expected = e == 0 ? hash : expected;
            CHECK(kept);
            CHECK(hash == expected);
            if (!kept || hash != expected) {
                printf("%s: %s in the environment \"%s\"\n", rows[i].functions,
                       kept ? "other results" : "left another environment", environments[e].name);
            }
        }
        CHECK(expected != UINT64_C(0xcbf29ce484222325));
        all = rows[i].is_local ? all : (all ^ expected) * UINT64_C(0x100000001b3);
    }
    printf("results %08lx%08lx\n", (unsigned long)(all >> 32), (unsigned long)(all & UINT32_MAX));
    return report();
}
