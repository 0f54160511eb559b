// SPDX-License-Identifier: Apache-2.0
#include "layers_reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_LINE = 4096, TOPOLOGY_COLUMNS = 8 };

const char *const layers_names[COLUMNS] = {"layer",
                                           "m",
                                           "n",
                                           "k",
                                           "count",
                                           "format_d",
                                           "format_a",
                                           "format_b",
                                           "format_c",
                                           "mx",
                                           "vectors",
                                           "ifmap height",
                                           "ifmap width",
                                           "filter height",
                                           "filter width",
                                           "channels",
                                           "num filter",
                                           "strides",
                                           "stride_y",
                                           "stride_x",
                                           "dilation_y",
                                           "dilation_x",
                                           "pad_y",
                                           "pad_x",
                                           "images",
                                           "groups",
                                           "pixel_bytes"};

// ---- fields -------------------------------------------------------------------------------------

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) {
        end--;
    }
    *end = '\0';
    return text;
}

unsigned layers_split(const reader *r, char *line, char *fields[MOST_COLUMNS], unsigned expected)
{
    unsigned count = 0;
    for (char *at = line; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        char *field = trimmed(at);
        at = comma == NULL ? NULL : comma + 1;
        if (at == NULL && *field == '\0' && count != 0 && count + 1 != expected) {
            break;
        }
        if (count == MOST_COLUMNS) {
            cli_fail(r->c, "%.200s:%u:%u: at most %d columns are expected", r->path, r->line,
                     count + 1u, MOST_COLUMNS);
        }
        fields[count++] = field;
    }
    return count;
}

bool layers_d_format(const char *name, fp8mac_format_id *id)
{
    for (int i = FP8MAC_E4M3FN; i <= FP8MAC_INT8; i++) {
        if (strcmp(fp8mac_format_get((fp8mac_format_id)i)->name, name) == 0) {
            *id = (fp8mac_format_id)i;
            return true;
        }
    }
    return false;
}

// ---- the line of names --------------------------------------------------------------------------

static column column_named(const char *name)
{
    for (column i = LAYER; i < COLUMNS; i++) {
        if (strcasecmp(name, layers_names[i]) == 0) {
            return i;
        }
    }
    return strcasecmp(name, "layer name") == 0 ? LAYER : IGNORED;
}

// SCALE-Sim goes by the places of the columns: its files name some twice, and may have a comment in
// a ninth one. They have none of our own columns.
static bool is_topology(const reader *r, char *const fields[])
{
    bool own = false;
    for (unsigned i = 0; i < r->count; i++) {
        const column found = column_named(fields[i]);
        own = own || (found >= M && found <= VECTORS) || (found > STRIDES && found < COLUMNS);
    }
    return !own && r->count >= TOPOLOGY_COLUMNS && column_named(fields[0]) == LAYER &&
           column_named(fields[1]) == IFMAP_HEIGHT;
}

static void take_places(reader *r)
{
    static const column places[TOPOLOGY_COLUMNS] = {LAYER,         IFMAP_HEIGHT, IFMAP_WIDTH,
                                                    FILTER_HEIGHT, FILTER_WIDTH, CHANNELS,
                                                    NUM_FILTER,    STRIDES};
    r->topology = true;
    r->count = TOPOLOGY_COLUMNS;
    for (unsigned i = 0; i < TOPOLOGY_COLUMNS; i++) {
        r->columns[i] = places[i];
        r->has[places[i]] = true;
    }
}

static void read_names(reader *r, char *line)
{
    char *fields[MOST_COLUMNS];
    r->count = layers_split(r, line, fields, 0);
    if (is_topology(r, fields)) {
        take_places(r);
        return;
    }
    for (unsigned i = 0; i < r->count; i++) {
        const column found = column_named(fields[i]);
        if (found == IGNORED || r->has[found]) {
            cli_fail(r->c,
                     "%.200s:%u:%u: '%.60s' is %s; layer, m, n, k, count, format_a, format_b, "
                     "format_c, format_d, mx, vectors, or the columns of a SCALE-Sim topology, "
                     "stride_y, stride_x, "
                     "dilation_y, dilation_x, pad_y, pad_x, images, groups, pixel_bytes are "
                     "expected",
                     r->path, r->line, i + 1u, fields[i],
                     found == IGNORED ? "no name of a column" : "there twice");
        }
        r->columns[i] = found;
        r->has[found] = true;
    }
    const bool gemm = r->has[M] && r->has[N] && r->has[K];
    bool conv = true, any = r->has[M] || r->has[N] || r->has[K];
    for (column i = IFMAP_HEIGHT; i <= NUM_FILTER; i++) {
        conv = conv && r->has[i];
    }
    r->mixed = any && conv;
    for (unsigned i = 0; i < r->count && gemm && !conv; i++) {
        if (r->columns[i] >= IFMAP_HEIGHT) {
            cli_fail(r->c,
                     "%.200s:%u:%u: '%.60s' is of convolutions; all columns from IFMAP Height to "
                     "Num Filter are expected beside it",
                     r->path, r->line, i + 1u, fields[i]);
        }
    }
    if ((!gemm && !conv) || (any && !gemm)) {
        cli_fail(r->c,
                 "%.200s:%u:1: the first line must name the columns m, n and k, or those of a "
                 "SCALE-Sim topology from IFMAP Height to Num Filter",
                 r->path, r->line);
    }
}

// ---- the file -----------------------------------------------------------------------------------

// A line without its end; false: there is none
static bool get_line(reader *r, FILE *from, char line[MOST_LINE])
{
    unsigned length = 0, field = 1;
    int c = getc(from);
    if (c == EOF) {
        return false;
    }
    r->line++;
    for (; c != EOF && c != '\n'; c = getc(from)) {
        if (c == '\0') {
            cli_fail(r->c, "%.200s:%u:%u: the line has a byte 0; give a text file", r->path,
                     r->line, field);
        }
        if (length == MOST_LINE - 2) {
            cli_fail(r->c, "%.200s:%u:1: at most %d characters are expected in a line", r->path,
                     r->line, MOST_LINE - 2);
        }
        field += c == ',';
        line[length++] = (char)c;
    }
    line[length] = '\0';
    return true;
}

static bool next_line(reader *r, FILE *from, char line[MOST_LINE])
{
    if (!get_line(r, from, line)) {
        return false;
    }
    static const char mark[] = "\xef\xbb\xbf"; // of UTF-8
    if (r->line == 1 && strncmp(line, mark, sizeof mark - 1) == 0) {
        memmove(line, line + sizeof mark - 1, strlen(line) - (sizeof mark - 2));
    }
    return true;
}

static layers read_from(reader *r, FILE *from)
{
    layers all = {NULL, 0};
    char line[MOST_LINE];
    size_t room = 0;
    while (next_line(r, from, line)) {
        const char *text = trimmed(line);
        if (*text == '\0' || *text == '#') {
            continue;
        }
        if (r->count == 0) {
            read_names(r, line);
            continue;
        }
        if (all.count == room) {
            room = room == 0 ? 64 : 2 * room;
            all.list = cli_grow(r->c, all.list, room, sizeof *all.list);
        }
        all.list[all.count++] = layers_line(r, line);
    }
    if (all.count == 0) {
        cli_fail(r->c, "%.200s:%u:1: a line of names and a line for each layer are expected",
                 r->path, r->line + 1u);
    }
    return all;
}

layers layers_read(cli *c, const char *path, const workload *usual)
{
    reader r = {.c = c, .path = path, .usual = *usual};
    if (strcmp(path, "-") == 0) {
        r.path = "standard input";
        return read_from(&r, c->in);
    }
    c->open = fopen(path, "r");
    if (c->open == NULL) {
        cli_fail(c, "'%.200s' cannot be read (%s)", path, strerror(errno));
    }
    const layers all = read_from(&r, c->open);
    fclose(c->open);
    c->open = NULL;
    return all;
}
