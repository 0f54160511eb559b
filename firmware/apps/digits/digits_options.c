// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "digits.h"

enum { CHIP_IMAGES = 256 };

static const char *const option_names[] = {"NET", "IMAGES", "BATCH", "ACC", "FORMAT", "HASHES"};
static const digits_net *const nets[] = {&digits_perceptron_net, &digits_cnn_net,
                                         &digits_transformer_net};

static bool known_option(const char *argument)
{
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++) {
        size_t length = strlen(option_names[i]);
        if (strncmp(argument, option_names[i], length) == 0 && argument[length] == '=') {
            return true;
        }
    }
    printf("%s is not an option of digits: choose from NET=, IMAGES=, BATCH=, ACC=, FORMAT= and "
           "HASHES=.\n",
           argument);
    return false;
}

// Decimal, 1..DIGITS_IMAGES; 0 if it is not that.
static uint32_t parse_count(const char *text)
{
    uint32_t count = 0;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c < '0' || *c > '9') {
            return 0;
        }
        count = count * 10 + (uint32_t)(*c - '0');
        if (count > DIGITS_IMAGES) {
            return 0;
        }
    }
    return count;
}

static bool count_option(int argc, char **argv, const char *key, uint32_t *count)
{
    const char *text = fp8rt_app_option(argc, argv, key);
    if (text == NULL) {
        return true;
    }
    *count = parse_count(text);
    if (*count == 0) {
        printf("%s=%s is not possible: choose a number from 1 to %d.\n", key, text, DIGITS_IMAGES);
    }
    return *count != 0;
}

const char *digits_acc_name(fp8mac_acc_format format)
{
    switch (format) {
    case FP8MAC_ACC_FP32: return "fp32";
    case FP8MAC_ACC_FP16: return "fp16";
    case FP8MAC_ACC_INT32: return "int32";
    default: return "fixed";
    }
}

static const char *good_accumulators(const fp8rt_element *element)
{
    bool both =
        fp8rt_element_has(element, FP8MAC_ACC_FP32) && fp8rt_element_has(element, FP8MAC_ACC_FP16);
    return both ? "fp32 or fp16" : digits_acc_name(fp8rt_element_accumulator(element));
}

static bool refuse(const fp8rt_element *element, const char *key, const char *text,
                   const char *good)
{
    printf("%s=%s is not possible with %s elements: choose %s.\n", key, text,
           fp8rt_element_name(element->kind), good);
    return false;
}

static bool acc_option(int argc, char **argv, const fp8rt_element *element,
                       fp8mac_acc_format *acc_format)
{
    const char *text = fp8rt_app_option(argc, argv, "ACC");
    *acc_format = fp8rt_element_accumulator(element);
    if (text == NULL) {
        return true;
    }
    for (int format = FP8MAC_ACC_FP32; format <= FP8MAC_ACC_INT32; format++) {
        *acc_format = (fp8mac_acc_format)format;
        if (fp8rt_element_has(element, *acc_format) &&
            strcmp(text, digits_acc_name(*acc_format)) == 0) {
            return true;
        }
    }
    return refuse(element, "ACC", text, good_accumulators(element));
}

static const char *good_formats(const fp8rt_element *element)
{
    if (element->int8) {
        return "int8";
    }
    return element->e5m2 ? "e4m3fn, e5m2, e4m3fnuz or e5m2fnuz" : "e4m3fn or e4m3fnuz";
}

static bool format_option(int argc, char **argv, const fp8rt_element *element,
                          fp8mac_format_id *format)
{
    const char *text = fp8rt_app_option(argc, argv, "FORMAT");
    *format = fp8rt_element_format(element);
    if (text == NULL) {
        return true;
    }
    for (int id = FP8MAC_E4M3FN; id < FP8MAC_ARRAY_FORMAT_COUNT; id++) {
        *format = (fp8mac_format_id)id;
        if (fp8rt_element_takes(element, *format) &&
            strcmp(text, fp8mac_format_get(*format)->name) == 0) {
            return true;
        }
    }
    return refuse(element, "FORMAT", text, good_formats(element));
}

static bool net_option(int argc, char **argv, const fp8rt_element *element, const digits_net **net)
{
    const char *text = fp8rt_app_option(argc, argv, "NET");
    *net = nets[0];
    for (size_t i = 0; i < sizeof nets / sizeof *nets && text != NULL; i++) {
        if (strcmp(text, nets[i]->name) == 0) {
            *net = nets[i];
            return i == 0 || !element->int8 ? true : refuse(element, "NET", text, nets[0]->name);
        }
    }
    if (text != NULL) {
        printf("NET=%s is not possible: choose perceptron, cnn or transformer.\n", text);
    }
    return text == NULL;
}

static bool hashes_option(int argc, char **argv, digits_options *options)
{
    const char *text = fp8rt_app_option(argc, argv, "HASHES");
    options->hashes = text != NULL && strcmp(text, "1") == 0;
    if (text != NULL && !options->hashes && strcmp(text, "0") != 0) {
        printf("HASHES=%s is not possible: choose 0 or 1.\n", text);
        return false;
    }
    if (options->hashes && options->net->list == NULL) {
        printf("HASHES=1 is not possible with NET=%s: choose cnn or transformer.\n",
               options->net->name);
        return false;
    }
    return true;
}

bool digits_parse_options(int argc, char **argv, const fp8rt_element *element,
                          digits_options *options)
{
    for (int i = 1; i < argc; i++) {
        if (!known_option(argv[i])) {
            return false;
        }
    }
    if (!net_option(argc, argv, element, &options->net)) {
        return false;
    }
    options->images = fp8rt_app_is_host ? DIGITS_IMAGES : CHIP_IMAGES;
    options->batch = options->net->batch;
    return count_option(argc, argv, "IMAGES", &options->images) &&
           count_option(argc, argv, "BATCH", &options->batch) &&
           acc_option(argc, argv, element, &options->acc_format) &&
           format_option(argc, argv, element, &options->format) &&
           hashes_option(argc, argv, options);
}
