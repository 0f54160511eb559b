// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- memory of a run ----------------------------------------------------------------------------

typedef struct cli_block {
    struct cli_block *next;
    size_t unused; // keeps what follows aligned
} cli_block;

void *cli_grow(cli *c, void *old, size_t n, size_t size)
{
    if (size != 0 && n > (SIZE_MAX / 2 - sizeof(cli_block)) / size) {
        cli_fail(c, "the input is too large");
    }
    cli_block **at = &c->blocks;
    while (old != NULL && *at + 1 != old) {
        at = &(*at)->next;
    }
    cli_block *rest = old == NULL ? c->blocks : (*at)->next;
    cli_block *block = realloc(old == NULL ? NULL : *at, sizeof *block + n * size);
    if (block == NULL) {
        cli_fail(c, "there is not enough memory for %zu elements", n);
    }
    block->next = rest;
    *at = block;
    return block + 1;
}

void *cli_alloc(cli *c, size_t n, size_t size)
{
    return memset(cli_grow(c, NULL, n, size), 0, n * size);
}

static void release(cli *c)
{
    while (c->blocks != NULL) {
        cli_block *next = c->blocks->next;
        free(c->blocks);
        c->blocks = next;
    }
    if (c->open != NULL) {
        fclose(c->open);
    }
}

// ---- refusals -----------------------------------------------------------------------------------

static void complain(cli *c, const char *format, va_list arguments)
{
    fprintf(c->err, "fp8mac%s%s: ", c->command != NULL ? " " : "",
            c->command != NULL ? c->command : "");
    vfprintf(c->err, format, arguments);
    fputc('\n', c->err);
}

_Noreturn void cli_fail(cli *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(c, format, arguments);
    va_end(arguments);
    c->status = CLI_REFUSED;
    longjmp(c->stop, 1);
}

_Noreturn void cli_fail_output(cli *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(c, format, arguments);
    va_end(arguments);
    c->status = CLI_FAILED;
    longjmp(c->stop, 1);
}

// ---- arguments ----------------------------------------------------------------------------------

static bool is_operand(const char *text)
{
    static const char *const negative[] = {"-inf", "-nan", "-Inf", "-NaN"};
    for (size_t i = 0; i < sizeof negative / sizeof negative[0]; i++) {
        if (strncmp(text, negative[i], 4) == 0) {
            return true;
        }
    }
    return text[0] != '-' || text[1] == '\0' || isdigit((unsigned char)text[1]) || text[1] == '.';
}

static const cli_option *find(const cli_option *options, const char *name, size_t length)
{
    for (; options->name != NULL; options++) {
        if (strlen(options->name) == length && strncmp(options->name, name, length) == 0) {
            return options;
        }
    }
    return NULL;
}

static bool is_flag_setting(const char *name)
{
    static const char *const flags[] = {"acc-saturate", "acc-late", "even-odd", "flush"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(name, flags[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_setting(const char *name)
{
    bool found = strcmp(name, "preset") == 0 || strcmp(name, "format") == 0;
    for (size_t i = 0; i < settings_count(); i++) {
        found = found || strcmp(name, settings_name(i)) == 0;
    }
    return found;
}

// The option argv[i], which is not an operand; returns how many arguments it took.
static int take_option(cli *c, int argc, char **argv, const cli_option *options, settings *dot)
{
    const char *name = argv[0] + (argv[0][1] == '-' ? 2 : 1);
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    char *own = cli_alloc(c, length + 1, 1);
    memcpy(own, name, length);
    const cli_option *option = find(options, name, length);
    bool setting = option == NULL && dot != NULL && is_setting(own);
    if (option == NULL && !setting) {
        cli_fail(c, "there is no option '%.60s'; 'fp8mac %s --help' lists them", argv[0],
                 c->command);
    }
    if (option != NULL && option->flag != NULL) {
        if (value != NULL) {
            cli_fail(c, "option --%s takes no value", own);
        }
        *option->flag = true;
        return 1;
    }
    int taken = value != NULL ? 1 : 2;
    if (setting && value == NULL && is_flag_setting(own)) {
        value = "true";
        taken = 1;
    } else if (value == NULL && argc < 2) {
        cli_fail(c, "option --%s needs a value", own);
    }
    value = value != NULL ? value : argv[1];
    char message[SETTINGS_MESSAGE];
    if (option != NULL) {
        *option->text = value;
    } else if (!settings_set(dot, own, value, message)) {
        cli_fail(c, "%s", message);
    }
    return taken;
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

cli_operands cli_arguments(cli *c, int argc, char **argv, const cli_option *options, settings *dot)
{
    cli_operands operands = {cli_alloc(c, (size_t)argc + 1, sizeof(char *)), 0};
    bool only_operands = false;
    for (int i = 0; i < argc;) {
        if (!only_operands && strcmp(argv[i], "--") == 0) {
            only_operands = true;
            i++;
        } else if (only_operands || is_operand(argv[i])) {
            operands.text[operands.count++] = argv[i++];
        } else {
            i += take_option(c, argc - i, argv + i, options, dot);
        }
    }
    return operands;
}

// ---- the tool -----------------------------------------------------------------------------------

static const cli_command *command_of(cli *c, const char *name)
{
    char good[256] = "";
    for (const cli_command *command = cli_commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
        size_t used = strlen(good);
        snprintf(good + used, sizeof good - used, "%s%s", used == 0 ? "" : ", ", command->name);
    }
    cli_fail(c, "there is no command '%.60s'; choose from %s", name, good);
}

static void run(cli *c, int argc, char **argv)
{
    if (argc < 2) {
        cli_fail(c, "which command? 'fp8mac --help' lists them");
    }
    bool help = strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
                strcmp(argv[1], "-h") == 0;
    if (help) {
        cli_help(c, argc > 2 ? command_of(c, argv[2]) : NULL);
    } else if (strcmp(argv[1], "--version") == 0) {
        fprintf(c->out, "fp8mac %s\n", FP8MAC_VERSION);
    } else if (strcmp(argv[1], "--man") == 0) {
        cli_man(c);
    } else {
        const cli_command *command = command_of(c, argv[1]);
        c->command = command->name;
        if (wants_help(argc - 2, argv + 2)) {
            cli_help(c, command);
        } else {
            command->run(c, argc - 2, argv + 2);
        }
    }
    if (fflush(c->out) != 0 || ferror(c->out)) {
        cli_fail_output(c, "the output could not be written");
    }
}

int cli_main(int argc, char **argv, FILE *in, FILE *out, FILE *err)
{
    cli c = {.in = in, .out = out, .err = err, .status = CLI_OK};
    if (setjmp(c.stop) == 0) {
        run(&c, argc, argv);
    }
    release(&c);
    return c.status;
}
