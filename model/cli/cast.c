// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "options.h"
#include "text.h"

// dst = convert(float32(src) * scale): one FP32 product, then one rounding.
static array scaled(cli *c, const array *from, float scale, fp8mac_flags *flags)
{
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    mode plain = {.convert = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_SATURATE}};
    array single = convert_array(c, from, fp32, plain, 0, NULL);
    array product = array_of(c, fp32, from);
    fp8mac_status status =
        fp8mac_quantize(fp32, product.data, single.data, single.count, scale, plain.convert, flags);
    if (status != FP8MAC_OK) {
        cli_fail(c, "%s", fp8mac_status_string(status));
    }
    return product;
}

// Several numbers as operands are one list.
static array read_operands(cli *c, cli_operands operands, size_t first, const fp8mac_format *codes)
{
    if (operands.count <= first + 1) {
        return array_read(c, operands.count == first ? "-" : operands.text[first], codes);
    }
    size_t length = 1;
    for (size_t i = first; i < operands.count; i++) {
        length += strlen(operands.text[i]) + 1;
    }
    char *joined = cli_alloc(c, length, 1);
    for (size_t i = first; i < operands.count; i++) {
        strcat(strcat(joined, operands.text[i]), " ");
    }
    return text_parse(c, "the arguments", joined, strlen(joined), codes);
}

void cli_cast(cli *c, int argc, char **argv)
{
    const char *from = NULL, *scale = NULL, *seed_text = NULL;
    mode_options how_options = {0};
    array_output output = {0};
    bool codes = false, values = false, report = false, inexact = false;
    const cli_option options[] = {{"from", &from, NULL},
                                  {"scale", &scale, NULL},
                                  {"rounding", &how_options.rounding, NULL},
                                  {"overflow", &how_options.overflow, NULL},
                                  {"random-bits", &how_options.random_bits, NULL},
                                  {"generator", &how_options.generator, NULL},
                                  {"seed", &seed_text, NULL},
                                  {"output", &output.path, NULL},
                                  {"o", &output.path, NULL},
                                  {"codes", NULL, &codes},
                                  {"values", NULL, &values},
                                  {"flags", NULL, &report},
                                  {"inexact-flags", NULL, &inexact},
                                  {0}};
    cli_operands operands = cli_arguments(c, argc, argv, options, NULL);
    if (operands.count == 0) {
        cli_fail(c, "name the format to convert to, as in: fp8mac cast e4m3fn 1.5");
    }
    if (codes && values) {
        cli_fail(c, "give --codes or --values, not both");
    }
    const fp8mac_format *to = options_format(c, operands.text[0], true);
    const fp8mac_format *source = from == NULL ? NULL : options_format(c, from, true);
    mode how = options_mode(c, to, how_options);
    uint64_t seed = 0;
    if (seed_text != NULL && !settings_number(seed_text, UINT64_MAX, &seed)) {
        cli_fail(c, "seed '%.60s' is not a whole number of at most 64 bits", seed_text);
    }
    float factor = scale == NULL ? 1 : options_scale(c, "--scale", scale);
    array in = read_operands(c, operands, 1, source);
    fp8mac_flags flags = inexact ? FP8MAC_FLAG_TRACK_INEXACT : 0u;
    if (scale != NULL) {
        in = scaled(c, &in, factor, &flags);
    }
    array out = convert_array(c, &in, to, how, seed, &flags);
    output.codes = codes || (!values && to != NULL && fp8mac_format_bits(to) <= 8);
    array_write(c, &out, &output);
    if (report || inexact) {
        array_report_flags(c, flags);
    }
}
