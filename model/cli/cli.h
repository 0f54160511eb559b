// SPDX-License-Identifier: Apache-2.0
// The command-line tool as a function of streams and arguments that returns an exit status. A
// refusal leaves through cli_fail, which prints one sentence. Every run releases its memory and
// files at its end.
#ifndef FP8MAC_CLI_CLI_H
#define FP8MAC_CLI_CLI_H

#include <setjmp.h>
#include <stdio.h>

#include "settings.h"

enum {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_REFUSED = 2
}; // exit statuses: done; output not written; bad input

struct cli_block;

typedef struct cli {
    FILE *in, *out, *err;
    const char *command; // NULL before it is known
    jmp_buf stop;
    int status;
    struct cli_block *blocks;
    FILE *open; // the one file that is open
} cli;

// What `fp8mac` does: argv[1] is the subcommand.
int cli_main(int argc, char **argv, FILE *in, FILE *out, FILE *err);

// Prints "fp8mac COMMAND: " and the sentence to err, and ends the run with CLI_REFUSED.
_Noreturn __attribute__((format(printf, 2, 3))) void cli_fail(cli *c, const char *format, ...);
// The same for output that cannot be written. The status is CLI_FAILED.
_Noreturn __attribute__((format(printf, 2, 3))) void cli_fail_output(cli *c, const char *format,
                                                                     ...);
// Allocates n zeroed elements that live until the end of the run. n * size may be 0.
void *cli_alloc(cli *c, size_t n, size_t size);
// Resizes a block from cli_alloc or cli_grow to n * size bytes. `block` may be NULL.
void *cli_grow(cli *c, void *block, size_t n, size_t size);

// ---- arguments ----------------------------------------------------------------------------------

// "--name VALUE" or "--name=VALUE" sets *text, "--name" alone *flag. A table ends with {0}.
typedef struct cli_option {
    const char *name;
    const char **text;
    bool *flag;
} cli_option;

typedef struct cli_operands {
    const char **text;
    size_t count;
} cli_operands;

// Names that the table does not have are settings of `dot`, unless `dot` is NULL. An argument that
// starts with a sign and a digit is an operand. Every argument after "--" is an operand too.
cli_operands cli_arguments(cli *c, int argc, char **argv, const cli_option *options, settings *dot);

// ---- subcommands, each with the arguments after its name ----------------------------------------

typedef struct cli_command {
    const char *name;
    void (*run)(cli *c, int argc, char **argv);
    const char *synopsis;
    const char *summary;
    const char *text;
    const char *examples; // two spaces before each line
    bool settings;        // takes the settings of a dot product
} cli_command;

extern const cli_command cli_commands[]; // ends with a NULL name

void cli_show(cli *c, int argc, char **argv);
void cli_table(cli *c, int argc, char **argv);
void cli_cast(cli *c, int argc, char **argv);
void cli_dot(cli *c, int argc, char **argv);
void cli_gemm(cli *c, int argc, char **argv);
void cli_rows(cli *c, int argc, char **argv);
void cli_cycles(cli *c, int argc, char **argv);
void cli_plan(cli *c, int argc, char **argv);
void cli_probe(cli *c, int argc, char **argv);
void cli_presets(cli *c, int argc, char **argv);
void cli_formats(cli *c, int argc, char **argv);

void cli_help(cli *c, const cli_command *command); // NULL: of the whole tool
void cli_man(cli *c);                              // the same text as a manual page

#endif
