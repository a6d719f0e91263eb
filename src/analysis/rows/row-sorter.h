/*
 * Sorts rows of a derived type by location. Rows are added in the order of the run, so one after the other may be of
 * different locations. An open array takes memory, and a trace may have very many locations. So the sorter keeps the
 * rows in a temporary file, and writes them at the end, a few locations at a time.
 *
 * To be used by one thread, or by one for each block or group of locations.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/replay/logs/log.h"
#include "src/analysis/steps/steps.h"

/* Consecutive locations, from `first` up to the first one of the next group. */
typedef struct {
    XtfLogWriter log;
    uint32_t first;
    uint64_t n_rows;
} XtfRowGroup;

typedef struct {
    XtfSpool spool;
    XtfRowGroup *groups; /* one more than n_groups */
    uint16_t *group_of;  /* by location */
    uint32_t n_groups, group_size;
    uint32_t row_size;
} XtfRowSorter;

/* Initializes a sorter for rows of `row_size` bytes, at most 248. Block i has the locations from borders[i] up to
 * borders[i + 1], without it; `n_blocks` is at most 1024. */
bool xtf_row_sorter_init(XtfRowSorter *sorter, const uint32_t *borders, uint32_t n_blocks, uint32_t row_size,
                         GError **error);
void xtf_row_sorter_finish(XtfRowSorter *sorter); /* also after xtf_row_sorter_init() failed; may be called twice */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRowSorter, xtf_row_sorter_finish)

/* Returns the number of rows added so far. */
uint64_t xtf_row_sorter_n(const XtfRowSorter *sorter);
/* Adds the next row of a location, given by its index. One thread adds the rows of a block. */
bool xtf_row_sorter_add(XtfRowSorter *sorter, uint32_t location, const void *row, GError **error);

typedef bool (*XtfRowSorterRead)(void *data, uint32_t location, const void *row, GError **error);

/* Ends the rows, and reads them: the rows of a location in the order in which they were added. */
bool xtf_row_sorter_read(XtfRowSorter *sorter, XtfRowSorterRead read, void *data, GError **error);
/* Does so for one group. Several threads may read different groups, and read from one sorter while they add to another
 * with the same groups. */
bool xtf_row_sorter_read_group(XtfRowSorter *sorter, uint32_t number, XtfRowSorterRead read, void *data,
                               GError **error);
/* Appends the rows of each location to its array of a schema, in the order in which they were added, and closes the
 * arrays. `id` returns the key of a location. Counts each row for the current step. */
bool xtf_row_sorter_write(XtfRowSorter *sorter, XtfWriter *writer, uint32_t schema,
                          uint64_t (*id)(const void *data, uint32_t location), const void *data, XtfSteps *steps,
                          GError **error);
