/* A random selection of a random run, and the lines that a view shows of it. */
#pragma once

#include <criterion/criterion.h>

#include "tests/tree/traces/run.h"

typedef struct {
    GString *path;
    uint64_t a, b;
    gint32 proc, proc_last, thread; /* -1: any */
} Pick;

/* Returns the selection of the whole run. The caller frees its path. */
Pick pick_all(const Run *run);
Pick pick_random(Run *run); /* the caller frees the path */
uint64_t pick_end_of(const Run *run);
bool pick_takes(const Pick *pick, const RunLocation *location);
bool pick_in_window(const Pick *pick, const RunEvent *event);

/* Returns the lines of a view below its header, with one blank between cells. The header must equal `header`. */
GPtrArray *pick_read_lines(Run *run, const Pick *pick, const char *view, const char *header);
const char *line_at(const GPtrArray *lines, unsigned i);

#define assert_line(pick, lines, i, ...)                                               \
    do {                                                                               \
        g_autofree char *expected = g_strdup_printf(__VA_ARGS__);                      \
        cr_assert_lt(i, (lines)->len, "%s", (pick)->path->str);                        \
        cr_assert_str_eq(line_at(lines, i), expected, "%s: %u", (pick)->path->str, i); \
    } while (0)

/* Returns ticks of a nanosecond as the views print them: in seconds. */
char *seconds(uint64_t ticks);

/* Compares views with sums over the events of the run. */
void check_profile(Run *run, const Pick *pick);
void check_imbalance(Run *run, const Pick *pick);
void check_stack(Run *run, const Pick *pick);
void check_matrix(Run *run, const Pick *pick, const char *view, RunKind kind);
void check_bytes(Run *run, const Pick *pick);
void check_histogram(Run *run, const Pick *pick);
void check_values(Run *run, const Pick *pick, const char *view);
