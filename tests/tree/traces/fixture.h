/* Random traces whose records are hard to order, with the same records in memory. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/xtf.h"
#include "src/tree/paths/tree.h"

typedef struct {
    uint64_t t, location, proc, thread, seq, bytes;
    unsigned type;
    uint64_t n; /* row of its array */
    /* Fields of calls. */
    bool leave;
    uint32_t region;
} Known;

typedef struct {
    unsigned n_locations, n_types; /* at most 4 types */
    uint64_t records_each;         /* records of a location, on average */
    uint64_t t_first, t_step;      /* two times of a location differ by 0 to t_step - 1 */
    uint64_t resolution_num, resolution_den;
    bool has_table; /* the trace has a table of locations */
    bool plain;     /* rows that are not packed */
} Recipe;

typedef struct {
    Recipe recipe;
    char *path;
    GArray *records; /* of Known, in (T, location, seq) order */
    XtfTrace *trace;
    XtfTree *tree;
    GRand *random;
} Fixture;

extern const char *const type_names[4];

extern const Recipe ordinary;
extern const Recipe many; /* more arrays than a heap merges, so that they are read in slices of time */

Fixture *fixture_new(uint32_t seed, const Recipe *recipe);
void fixture_free(Fixture *fixture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Fixture, fixture_free)

static inline const Known *known_at(const GArray *records, uint64_t i)
{
    return &g_array_index(records, Known, i);
}

/* Resolves or reads a path. Fails the test if the tree fails. */
XtfNode *resolve(Fixture *fixture, const char *path);
GString *read_file(Fixture *fixture, const char *path);
uint64_t read_count(Fixture *fixture, const char *path);
/* Returns the code of the error for a path, or -1 if there is none. */
int resolve_error(Fixture *fixture, const char *path);

uint64_t random_below(Fixture *fixture, uint64_t n);
