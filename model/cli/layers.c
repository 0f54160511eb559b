// SPDX-License-Identifier: Apache-2.0
#include "layers.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_COLUMNS = 32, MOST_LINE = 4096, TOPOLOGY_COLUMNS = 8 };

typedef enum column {
    LAYER,
    M,
    N,
    K,
    COUNT,
    FORMAT_D,
    FORMAT_A,
    FORMAT_B,
    FORMAT_C,
    MX,
    // A convolution of SCALE-Sim, as the GEMM of its gathered rows
    IFMAP_HEIGHT,
    IFMAP_WIDTH,
    FILTER_HEIGHT,
    FILTER_WIDTH,
    CHANNELS,
    NUM_FILTER,
    STRIDES,
    COLUMNS,
    IGNORED
} column;

static const char *const names[COLUMNS] = {"layer",
                                           "m",
                                           "n",
                                           "k",
                                           "count",
                                           "format_d",
                                           "format_a",
                                           "format_b",
                                           "format_c",
                                           "mx",
                                           "ifmap height",
                                           "ifmap width",
                                           "filter height",
                                           "filter width",
                                           "channels",
                                           "num filter",
                                           "strides"};

// What a reader needs to know of where it is
typedef struct reader {
    cli *c;
    const char *path;
    unsigned line;
    column columns[MOST_COLUMNS];
    unsigned count;
    bool has[COLUMNS];
    bool topology; // SCALE-Sim's, whose lines may have more behind their columns
    workload usual;
} reader;

typedef struct values {
    uint64_t number[COLUMNS];
    const char *layer;
    workload work; // without m, n and k
} values;

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

// Divides a line at its commas. A comma at its end begins no field.
static unsigned split(const reader *r, char *line, char *fields[MOST_COLUMNS])
{
    unsigned count = 0;
    for (char *at = line; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        char *field = trimmed(at);
        at = comma == NULL ? NULL : comma + 1;
        if (at == NULL && *field == '\0' && count != 0) {
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
        if (strcasecmp(name, names[i]) == 0) {
            return i;
        }
    }
    return strcasecmp(name, "layer name") == 0 ? LAYER : IGNORED;
}

// SCALE-Sim goes by the places of the columns: its files name some twice, and may have a comment in
// a ninth one.
static bool is_convolutions(const reader *r, char *const fields[])
{
    return r->count >= TOPOLOGY_COLUMNS && column_named(fields[0]) == LAYER &&
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
    r->count = split(r, line, fields);
    if (is_convolutions(r, fields)) {
        take_places(r);
        return;
    }
    for (unsigned i = 0; i < r->count; i++) {
        const column found = column_named(fields[i]);
        if (found == IGNORED || r->has[found]) {
            cli_fail(r->c,
                     "%.200s:%u:%u: '%.60s' is %s; layer, m, n, k, count, format_a, format_b, "
                     "format_c, format_d, mx, or the columns of a SCALE-Sim topology are expected",
                     r->path, r->line, i + 1u, fields[i],
                     found == IGNORED ? "no name of a column" : "there twice");
        }
        r->columns[i] = found;
        r->has[found] = true;
    }
    const bool gemm = r->has[M] && r->has[N] && r->has[K];
    bool conv = true;
    for (column i = IFMAP_HEIGHT; i <= STRIDES; i++) {
        conv = conv && r->has[i];
    }
    if (!gemm && !conv) {
        cli_fail(r->c,
                 "%.200s:%u:1: the first line must name the columns m, n and k, or those of a "
                 "SCALE-Sim topology from IFMAP Height to Strides",
                 r->path, r->line);
    }
}

// ---- the lines of layers ------------------------------------------------------------------------

static uint64_t number_field(const reader *r, unsigned i, const char *text)
{
    uint64_t number = 0;
    const uint64_t most = r->columns[i] == COUNT ? 1000000000000u : UINT32_MAX;
    if (!isdigit((unsigned char)text[0]) || !settings_number(text, most, &number) || number == 0) {
        cli_fail(r->c, "%.200s:%u:%u: %s is '%.60s'; a whole number in 1..%llu is expected",
                 r->path, r->line, i + 1u, names[r->columns[i]], text, (unsigned long long)most);
    }
    return number;
}

static bool operand_format(const char *name, fp8mac_format_id *id)
{
    static const fp8mac_format_id narrow[] = {FP8MAC_E3M2FN, FP8MAC_E2M3FN, FP8MAC_E2M1FN};
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
        if (strcmp(fp8mac_format_get(narrow[i])->name, name) == 0) {
            *id = narrow[i];
            return true;
        }
    }
    return layers_d_format(name, id) && fp8mac_format_bytes(fp8mac_format_get(*id)) == 1;
}

static _Noreturn void refuse_field(const reader *r, unsigned i, const char *text, const char *good)
{
    cli_fail(r->c, "%.200s:%u:%u: %s is '%.60s'; %s is expected", r->path, r->line, i + 1u,
             names[r->columns[i]], text, good);
}

#define MATRIX_FORMATS "e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, float16, bfloat16, float32 or int8"

static void take_format(const reader *r, unsigned i, const char *text, workload *work)
{
    const column which = r->columns[i];
    if (which == FORMAT_A || which == FORMAT_B) {
        if (!operand_format(text, which == FORMAT_A ? &work->a_format : &work->b_format)) {
            refuse_field(r, i, text,
                         "e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, e3m2fn, e2m3fn, e2m1fn or int8");
        }
    } else if (which == FORMAT_D) {
        if (!layers_d_format(text, &work->d_format)) {
            refuse_field(r, i, text, MATRIX_FORMATS);
        }
    } else if (*text != '\0') {
        work->adds_c = true;
        if (!layers_d_format(text, &work->c_format)) {
            refuse_field(r, i, text, MATRIX_FORMATS ", or nothing where C is not added,");
        }
    }
}

static void take_field(const reader *r, unsigned i, char *text, values *v)
{
    const column which = r->columns[i];
    if (which == LAYER) {
        char *own = cli_alloc(r->c, strlen(text) + 1, 1);
        v->layer = strcpy(own, text);
    } else if (which == MX) {
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
            refuse_field(r, i, text, "0 or 1");
        }
        v->work.mx = *text == '1';
    } else if (which >= FORMAT_D && which <= FORMAT_C) {
        take_format(r, i, text, &v->work);
    } else {
        v->number[which] = number_field(r, i, text);
    }
}

// Output pixels along one side
static uint64_t pixels(const reader *r, const values *v, column image, column filter)
{
    const uint64_t size = v->number[image], kernel = v->number[filter];
    if (kernel > size) {
        cli_fail(r->c, "%.200s:%u:1: %s is larger than %s; at most as large is expected", r->path,
                 r->line, names[filter], names[image]);
    }
    return (size - kernel + v->number[STRIDES]) / v->number[STRIDES];
}

static uint32_t as_size(const reader *r, const char *what, uint64_t size)
{
    if (size > UINT32_MAX) {
        cli_fail(r->c, "%.200s:%u:1: the layer's %s is above %u", r->path, r->line, what,
                 UINT32_MAX);
    }
    return (uint32_t)size;
}

static uint64_t product(const reader *r, uint64_t a, uint64_t b, const char *what)
{
    return as_size(r, what, a > UINT32_MAX || b > UINT32_MAX ? UINT64_MAX : a * b);
}

static workload work_of(const reader *r, const values *v)
{
    const uint64_t *x = v->number;
    workload work = v->work;
    if (r->has[M]) {
        work.m = (uint32_t)x[M], work.n = (uint32_t)x[N], work.k = (uint32_t)x[K];
        return work;
    }
    work.m = (uint32_t)product(r, pixels(r, v, IFMAP_HEIGHT, FILTER_HEIGHT),
                               pixels(r, v, IFMAP_WIDTH, FILTER_WIDTH), "m");
    work.n = (uint32_t)x[NUM_FILTER];
    work.k =
        (uint32_t)product(r, product(r, x[FILTER_HEIGHT], x[FILTER_WIDTH], "k"), x[CHANNELS], "k");
    return work;
}

// SCALE-Sim's depthwise layers have DP in their names: a GEMM of one filter for each channel.
static void take_depthwise(const reader *r, values *v)
{
    uint64_t *x = v->number;
    if (!r->has[M] && strstr(v->layer, "DP") != NULL) {
        x[COUNT] = product(r, x[COUNT], x[CHANNELS], "count of depthwise channels");
        x[CHANNELS] = x[NUM_FILTER] = 1;
    }
}

static layer read_layer(const reader *r, char *line)
{
    char *fields[MOST_COLUMNS];
    values v = {.number[COUNT] = 1, .layer = "", .work = r->usual};
    unsigned count = split(r, line, fields);
    count = r->topology && count > r->count ? r->count : count;
    if (count != r->count) {
        cli_fail(r->c, "%.200s:%u:%u: %u columns are expected, and there are %u", r->path, r->line,
                 (count < r->count ? count : r->count) + 1u, r->count, count);
    }
    for (unsigned i = 0; i < count; i++) {
        take_field(r, i, fields[i], &v);
    }
    take_depthwise(r, &v);
    return (layer){v.layer, work_of(r, &v), v.number[COUNT], r->line};
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
            cli_fail(r->c, "%.200s:%u:%u: there is a byte of 0; text is expected", r->path, r->line,
                     field);
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
        all.list[all.count++] = read_layer(r, line);
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
