/*
 * Checking a trace: walks every page and verifies every invariant that docs/FORMAT.md states.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"
#include "libxtf/handles.h"

XTF_BEGIN_DECLS

typedef struct {
    uint64_t arrays, rows, pages; /* pages: reached from the commit that was opened */
    uint64_t reserved_pages;      /* places of open pages, not written yet */
    uint64_t free_pages;          /* of commits before, which later ones reuse */
    uint64_t unreachable_pages;   /* of dead writers */
    uint64_t unknown_arrays;      /* whose schema or codec this library does not know: only their entries are checked */
    uint64_t problems;
    bool one_superblock; /* closed, but the other superblock is of an earlier commit: no problem (docs/FORMAT.md, 2) */
} XtfCheckReport;

/* One problem: the message says what is broken and where. */
typedef void (*XtfCheckProblem)(const char *message, void *data);
/* Called now and then with the share of the work that is done, 0 to 1; false stops the check. May be NULL. */
typedef bool (*XtfCheckProgress)(double done, void *data);

/* What a later version has added is no problem, and is passed over: xtf_schema_is_known() says what it is.
 *
 * Goes on after a problem, up to a thousand problems; true if it came to the end or to that number. */
bool xtf_trace_check(XtfTrace *trace, XtfCheckProblem problem, XtfCheckProgress progress, void *data,
                     XtfCheckReport *report, GError **error);

/* Verifies what is stored, not what rows say: both superblocks and their catalogs, the P index, tables and strings, the
 * checksum of each page, item and table of totals, and that they are linked as they should be. No row is unpacked, so
 * it takes little more than reading the file. */
bool xtf_trace_verify(XtfTrace *trace, XtfCheckProblem problem, XtfCheckProgress progress, void *data,
                      XtfCheckReport *report, GError **error);

XTF_END_DECLS
