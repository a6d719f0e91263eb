/*
 * Private parts of joining runs, shared by its files.
 *
 *   runs.c       order of the runs, schemas, tables
 *   run-plan.c   changes to rows
 *   run-rows.c   rows of a location
 *   run-parts.c  runs in place
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/merge/join.h"
#include "libxtf/runs.h"
#include "libxtf/schema/row-map.h"
#include "libxtf/trace.h"
#include "libxtf/write/parts/anchor.h"

#define XTF_NOT_WRITTEN UINT32_MAX

/* A field to which a number is added. */
typedef struct {
    const XtfField *field;
    uint64_t by;
} XtfFieldShift;

/* The changes to the rows of a schema of one run. */
typedef struct {
    const XtfSchema *schema; /* the run's */
    uint32_t id;             /* of the schema in the whole */
    XtfRowMap *map;          /* references to tables */
    GArray *strings;         /* XtfReference: references to strings */
    GArray *shifts;          /* XtfFieldShift */
    const XtfField *seq;     /* ordinal among the location's records; NULL: none */
    const XtfField *message; /* row number in the array of another schema; NULL: none */
    uint32_t message_schema; /* id of that schema in the whole */
    int frames;              /* index of the aggregate of frames; -1: none */
} XtfRunPlan;

typedef struct {
    const XtfRun *run;
    XtfNumberShift *shifts; /* by options->numbers */
    XtfPartMap map;
    uint32_t **final_rows; /* by the table's id in the whole, then by row of the run: row of the whole */
    XtfRunPlan *plans;     /* by schema of the run; all zeros: its rows are not copied */
    GHashTable *strings;   /* string ids of the run -> ids of the whole, plus 1 */
    uint64_t rank;         /* of the next array to copy */
    XtfAnchorPart anchor;  /* of runs that stay where they are */
} XtfRunPart;

typedef struct {
    XtfWriter *writer;
    const XtfRunsOptions *options;
    XtfJoin *join;
    XtfRunPart *parts;
    size_t n;
    uint32_t *written;    /* ids of the writer's schemas, by id in the whole; XTF_NOT_WRITTEN: left out */
    uint64_t done, total; /* rows copied, and all rows of arrays */
} XtfRunsJoin;

/* ---- run-plan.c */

/* Makes the plans of all schemas of a run, after the tables are finished. */
void xtf_run_make_plans(const XtfRunsJoin *runs, XtfRunPart *part);
void xtf_run_plan_finish(XtfRunPlan *plan); /* accepts all zeros */

/* ---- run-rows.c */

/* Copies the rows of all locations. */
bool xtf_runs_copy_rows(XtfRunsJoin *runs, GError **error);

/* ---- run-parts.c: runs that stay where they are */

/* Names the files of all runs in the writer's file, which becomes an anchor. */
bool xtf_runs_name_parts(const XtfRunsJoin *runs, GError **error);
/* Maps the tables of all runs, after the tables are written. */
bool xtf_runs_map_tables(const XtfRunsJoin *runs, GError **error);

/* Numbers that are added to the rows of an array, besides the shifts of its plan. */
typedef struct {
    uint64_t seq, message;
} XtfAddedNumbers;

/* Begins a piece of the joined array: all rows of an array of a run. */
bool xtf_run_begin_piece(const XtfRunsJoin *runs, const XtfRunPart *part, const XtfArray *array,
                         const XtfAddedNumbers *added, XtfArrayWriter *to, GError **error);
