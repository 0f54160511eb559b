// SPDX-License-Identifier: Apache-2.0
// `fp8mac plan` is the program fp8mac-plan, in Python: beside this tool, or else in PATH.
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { MOST_PATH = 4096 };

#define PROGRAM "fp8mac-plan"

// The folder of this tool with a slash at its end, and in `tool` its path. Linux says where it is.
static bool own_folder(char folder[MOST_PATH], char tool[MOST_PATH])
{
    const ssize_t length = readlink("/proc/self/exe", tool, MOST_PATH - 1);
    if (length <= 0 || length >= MOST_PATH - 1) {
        return false;
    }
    tool[length] = '\0';
    strcpy(folder, tool);
    *(strrchr(folder, '/') + 1) = '\0';
    return true;
}

void cli_plan(cli *c, int argc, char **argv)
{
    char folder[MOST_PATH], tool[MOST_PATH], path[MOST_PATH + sizeof PROGRAM];
    char **arguments = cli_alloc(c, (size_t)argc + 2, sizeof *arguments);
    arguments[0] = PROGRAM;
    memcpy(arguments + 1, argv, (size_t)argc * sizeof *argv);
    if (own_folder(folder, tool)) {
        setenv("FP8MAC_TOOL", tool, 0);
        snprintf(path, sizeof path, "%s%s", folder, PROGRAM);
        execv(path, arguments);
    }
    if (errno == ENOENT) {
        execvp(PROGRAM, arguments);
    }
    cli_fail(c,
             "the program " PROGRAM " cannot be started (%s); `make cli` builds it and `make "
             "install-model` installs it. It needs Python 3.11",
             strerror(errno));
}
