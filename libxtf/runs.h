/*
 * Joining runs: makes one trace of the runs of one job, one after another in time, such as a job that restarts from a
 * checkpoint.
 *
 * A location of the whole has the rows of all runs, in the order of time. Rows of tables become one row as in a merge
 * (merge.h), except that numbers which each run gives out by itself become different ones. So the communicators of two
 * runs stay different, and no message leads from one run to another. The rows are copied and rewritten, or rewritten
 * whenever they are read.
 *
 * Where a run ends with open frames, a row is added that ends each of them. Its time is that of the location's last
 * record in the run. So no frame lasts into the gap between two runs. Frames of the last run stay open.
 *
 * The runs may also stay where they are. Then the whole is an anchor: it has its own index and totals, and names the
 * files that have the rows. It opens like any trace, as long as the runs are in its folder and do not change.
 *
 * Times of the whole are the global times of the runs. Clock maps are not copied, nor are derived rows: they cover one
 * run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/error.h"
#include "libxtf/handles.h"
#include "libxtf/writer.h"

XTF_BEGIN_DECLS

typedef struct {
    XtfTrace *trace;
    const char *path; /* for messages */
} XtfRun;

/* A field whose numbers each run gives out by itself. Fields of one name share their numbers. */
typedef struct {
    const char *schema, *field;
} XtfRunNumber;

typedef struct {
    const XtfRunNumber *numbers;
    size_t n_numbers;
    const char *const *separate; /* tables whose rows describe one run: they join no row of another. NULL-terminated */
    const char *const *left_out; /* tables that are not copied. NULL-terminated */
    bool in_place;               /* do not copy rows: the file becomes an anchor, which names the runs' files */
    /* Called repeatedly with the copied rows and the total; returns false to stop. May be NULL. */
    bool (*progress)(uint64_t done, uint64_t total, void *data);
    void *data;
} XtfRunsOptions;

/* Sorts runs by the times of their first records. Runs without records are the first. XTF_ERROR_INVALID if the runs
 * overlap in time, their clocks have different resolutions, or volumes of a run were removed; the message names the
 * runs. */
bool xtf_runs_sort(XtfRun *runs, size_t n, GError **error);

/* Writes all runs, sorted, into an empty writer of the same resolution. XTF_ERROR_INVALID if two runs have different
 * schemas of one name. XTF_ERROR_TOO_LARGE if a field is too narrow for the numbers of the whole. */
bool xtf_join_runs(XtfWriter *writer, const XtfRun *runs, size_t n, const XtfRunsOptions *options, GError **error);

XTF_END_DECLS
