// SPDX-License-Identifier: Apache-2.0
// names FILE.fst: prints the signals of a waveform, one a line: hierarchical name and, with more
// than one bit, the range, as `TOP.fp8mac_system.pc_o[31:0]`.
#include <stdio.h>
#include <string.h>

#include "gtkwave/fstapi.h"

enum { PATH = 4096 };

// Appends `.name` to the path, or nothing if there is no room.
static void enter(char *path, const char *name)
{
    size_t length = strlen(path);
    if (length + strlen(name) + 2 < PATH) {
        snprintf(path + length, PATH - length, "%s%s", length == 0 ? "" : ".", name);
    }
}

static void leave(char *path)
{
    char *dot = strrchr(path, '.');
    *(dot == NULL ? path : dot) = '\0';
}

// A variable's name is `name` or `name [msb:lsb]`.
static void print_variable(const char *path, const char *name)
{
    const char *space = strchr(name, ' ');
    const int bare = space == NULL ? (int)strlen(name) : (int)(space - name);
    printf("%s.%.*s%s\n", path, bare, name, space == NULL ? "" : space + 1);
}

int main(int argc, char **argv)
{
    char path[PATH] = "";
    void *reader = argc == 2 ? fstReaderOpen(argv[1]) : NULL;
    if (reader == NULL) {
        fprintf(stderr, "names: %s\n", argc == 2 ? "this is no waveform" : "usage: names FILE.fst");
        return 2;
    }
    for (struct fstHier *item; (item = fstReaderIterateHier(reader)) != NULL;) {
        switch (item->htyp) {
        case FST_HT_SCOPE: enter(path, item->u.scope.name); break;
        case FST_HT_UPSCOPE: leave(path); break;
        case FST_HT_VAR: print_variable(path, item->u.var.name); break;
        default: break;
        }
    }
    fstReaderClose(reader);
    return 0;
}
