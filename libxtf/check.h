/*
 * The checker: walks every page of a trace and verifies the invariants of docs/FORMAT.md.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"
#include "libxtf/handles.h"

XTF_BEGIN_DECLS

typedef struct {
    uint64_t arrays, rows, pages; /* all arrays; their rows and sealed pages in files that can be read */
    uint64_t reserved_pages;      /* places of open pages that are not written yet */
    uint64_t free_pages;          /* pages of earlier commits, which later commits reuse */
    uint64_t unreachable_pages;   /* pages left by writers that died */
    uint64_t unknown_arrays;      /* arrays of an unknown schema or codec: the checker checks only their entries */
    uint64_t removed_arrays; /* arrays with rows in volumes that were removed on purpose; the check skips these rows */
    uint64_t problems;
    /* The file is closed, but only one of its superblocks is of the last commit; not a problem (docs/FORMAT.md, 2). */
    bool one_superblock;
} XtfCheckReport;

/* Receives one problem. The message says what is broken and where. */
typedef void (*XtfCheckProblem)(const char *message, void *data);
/* Receives the share of the work done, 0 to 1, from time to time. Returns false to stop the check. May be NULL. */
typedef bool (*XtfCheckProgress)(double done, void *data);

/* Checks the whole trace and reports each problem. Skips additions of later versions, which are not problems:
 * xtf_schema_is_supported() names them.
 *
 * Continues after a problem, up to 1000 problems. Returns true at the end or at the 1000th problem. */
bool xtf_trace_check(XtfTrace *trace, XtfCheckProblem problem, XtfCheckProgress progress, void *data,
                     XtfCheckReport *report, GError **error);

/* Verifies the stored structures without the rows: both superblocks and their catalogs, the P index, tables and
 * strings. Verifies the checksum of each page, item and table of totals, and the links between them. Unpacks no row, so
 * it takes little more time than reading the file. */
bool xtf_trace_verify(XtfTrace *trace, XtfCheckProblem problem, XtfCheckProgress progress, void *data,
                      XtfCheckReport *report, GError **error);

XTF_END_DECLS
