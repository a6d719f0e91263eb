/*
 * Sorts rows of a derived type by location. Rows are added in the order of the run, so one after the other may be of
 * different locations. An open array takes memory, and a trace may have very many locations. So the sorter keeps the
 * rows in a temporary file, and writes them at the end, a few locations at a time.
 *
 * To be used by one thread. xtf_row_sorter_write() uses all cores.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/replay/logs/log.h"
#include "src/analysis/steps/steps.h"

typedef struct {
    XtfSpool spool;
    XtfLogWriter *groups; /* of consecutive locations */
    uint32_t n_groups, group_size, n_locations;
    uint32_t row_size;
    uint64_t n_rows;
} XtfRowSorter;

/* Initializes a sorter for rows of `row_size` bytes, at most 248. */
bool xtf_row_sorter_init(XtfRowSorter *sorter, uint32_t n_locations, uint32_t row_size, GError **error);
void xtf_row_sorter_finish(XtfRowSorter *sorter); /* also after xtf_row_sorter_init() failed; may be called twice */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRowSorter, xtf_row_sorter_finish)

/* Adds the next row of a location, given by its index. */
bool xtf_row_sorter_add(XtfRowSorter *sorter, uint32_t location, const void *row, GError **error);

/* Appends the rows of each location to its array of a schema, in the order in which they were added, and closes the
 * arrays. `id` returns the key of a location and is called by any thread. Counts each row for the current step. */
bool xtf_row_sorter_write(XtfRowSorter *sorter, XtfWriter *writer, uint32_t schema,
                          uint64_t (*id)(const void *data, uint32_t location), const void *data, XtfSteps *steps,
                          GError **error);
