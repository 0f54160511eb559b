// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "options.h"

static const uint8_t *block_scales(cli *c, const char *operand, const char *what, size_t k)
{
    if (operand == NULL) {
        return NULL;
    }
    array scales = array_read(c, operand, fp8mac_format_get(FP8MAC_E8M0FNU));
    scales = convert_operand(c, &scales, fp8mac_format_get(FP8MAC_E8M0FNU));
    size_t blocks = (k + FP8MAC_MX_BLOCK - 1) / FP8MAC_MX_BLOCK;
    if (scales.count != blocks) {
        cli_fail(c, "%s has %zu scales; %zu terms need %zu, one for every 32", what, scales.count,
                 k, blocks);
    }
    return scales.data;
}

static void check(cli *c, fp8mac_status status)
{
    if (status != FP8MAC_OK) {
        cli_fail(c, "%s", fp8mac_status_string(status));
    }
}

void cli_dot(cli *c, int argc, char **argv)
{
    const char *mx_a = NULL, *mx_b = NULL, *start = NULL;
    array_output output = {0};
    bool report = false, inexact = false;
    const cli_option options[] = {{"mx-a", &mx_a, NULL},
                                  {"mx-b", &mx_b, NULL},
                                  {"acc", &start, NULL},
                                  {"inexact-flags", NULL, &inexact},
                                  {"output", &output.path, NULL},
                                  {"o", &output.path, NULL},
                                  {"codes", NULL, &output.codes},
                                  {"flags", NULL, &report},
                                  {0}};
    settings s;
    settings_init(&s);
    cli_operands operands = cli_arguments(c, argc, argv, options, &s);
    options_check(c, &s);
    array in[2];
    if (operands.count == 0) {
        array_read_two(c, s.config.a.format, s.config.b.format, in);
    } else if (operands.count == 2) {
        in[0] = array_read(c, operands.text[0], s.config.a.format);
        in[1] = array_read(c, operands.text[1], s.config.b.format);
    } else {
        cli_fail(c, "give both A and B, or neither: then standard input has A in its first line, B "
                    "in its second");
    }
    size_t k = in[0].count;
    if (k != in[1].count) {
        cli_fail(c, "the lengths disagree: A has %zu terms and B %zu", k, in[1].count);
    }
    options_check_k(c, &s, k);
    const fp8mac_dot_terms a = {convert_operand(c, &in[0], s.config.a.format).data,
                                block_scales(c, mx_a, "--mx-a", k)},
                           b = {convert_operand(c, &in[1], s.config.b.format).data,
                                block_scales(c, mx_b, "--mx-b", k)};
    fp8mac_acc acc = {0};
    fp8mac_flags flags = inexact ? FP8MAC_FLAG_TRACK_INEXACT : 0u;
    if (start != NULL) {
        array from = options_acc(c, &s, start);
        if (from.count != 1) {
            cli_fail(c, "--acc has %zu values and must have one", from.count);
        }
        check(c, fp8mac_acc_load(&s.config, &acc, array_code(&from, 0)));
    }
    if (a.mx != NULL || b.mx != NULL) {
        check(c, fp8mac_dot_mx(&s.config, &acc, a, b, k, &flags));
    } else {
        check(c, fp8mac_dot(&s.config, &acc, a.codes, b.codes, k, &flags));
    }
    uint32_t code = fp8mac_acc_to_fp32(&s.config, &acc, &flags);
    array result = {.format = fp8mac_format_get(FP8MAC_FP32), .count = 1, .data = &code};
    array_write(c, &result, &output);
    if (report || inexact) {
        array_report_flags(c, flags);
    }
}
