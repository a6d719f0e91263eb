/*
 * Rows of a derived type that are found in the order of the run: now of one location, now of another. An array to which
 * rows are appended takes memory, and a trace may have very many locations. So rows are kept in a temporary file, and
 * written at the end, a few locations at a time.
 *
 * Belongs to one thread, but writing takes all cores.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/replay/logs/log.h"
#include "src/analysis/steps/steps.h"

typedef struct {
    XtfSpool spool;
    XtfLogWriter *groups; /* of locations side by side */
    uint32_t n_groups, group_size, n_locations;
    uint32_t row_size;
    uint64_t n_rows;
} XtfRowSorter;

/* Of rows of `row_size` bytes, at most 248. */
bool xtf_row_sorter_init(XtfRowSorter *sorter, uint32_t n_locations, uint32_t row_size, GError **error);
void xtf_row_sorter_finish(XtfRowSorter *sorter); /* also if _init() failed; twice is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRowSorter, xtf_row_sorter_finish)

/* Adds the next row of a location, given by its index. */
bool xtf_row_sorter_add(XtfRowSorter *sorter, uint32_t location, const void *row, GError **error);

/* Appends all rows to the locations' arrays of a schema, in the order in which they were added, and closes these.
 * `id` gives the key of a location, in any thread. Each row counts for the step at hand. */
bool xtf_row_sorter_write(XtfRowSorter *sorter, XtfWriter *writer, uint32_t schema,
                          uint64_t (*id)(const void *data, uint32_t location), const void *data, XtfSteps *steps,
                          GError **error);
