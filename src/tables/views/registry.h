/*
 * Views: tables that show a selection. All lines of a table are equally long. Definitions and selection determine their
 * number, so the size of the file costs nothing.
 *
 * The text is made in parts, each when it is first read. Making a part costs about as much as making one of its
 * lines. Several readers soon read the next block, so a keeper holds the latest parts.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tables/clocks/clock-check.h"
#include "src/tables/format/format.h"
#include "src/tables/iterations/iterations.h"
#include "src/tables/match/matching.h"
#include "src/trace/select/grouping.h"
#include "src/trace/select/keeper.h"
#include "src/trace/select/selection.h"
#include "src/trace/text/row-sink.h"

typedef struct XtfView XtfView; /* one of xtf_all_views, see view.h */

typedef struct {
    XtfResolver *resolver;     /* borrowed */
    XtfFormats *formats;       /* borrowed */
    XtfTraceContext *context;  /* borrowed */
    XtfMatching *matching;     /* borrowed */
    XtfClockCheck *clocks;     /* borrowed */
    XtfIterations *iterations; /* borrowed */
    XtfKeeper parts;
    XtfKeeper pair_counts; /* pairs.h */
    XtfKeeper group_lists; /* group-list.h */
    XtfKeeper leaders;     /* collective-leaders.h */
} XtfViews;

void xtf_views_init(XtfViews *views, XtfResolver *resolver, XtfFormats *formats, XtfMatching *matching,
                    XtfClockCheck *clocks, XtfIterations *iterations);
void xtf_views_finish(XtfViews *views);

bool xtf_view_is_name(const char *name); /* true if some view has this name */
/* Returns the view of a name that a selection has. If it has none, returns some view of the name: xtf_view_check() then
 * says why. Selections of different types may have different views of one name. NULL if no view has the name. */
const XtfView *xtf_view_by_name(const XtfViews *views, const char *name, const XtfSelection *selection);
/* Finds a view for tables side by side, like xtf_view_by_name(). Also finds `count`. */
const XtfView *xtf_view_by_name_for_blocks(const XtfViews *views, const char *name, const XtfSelection *selection);
/* True if no later commit changes the view of records that are complete. Later commits may extend locations and add
 * new ones: a view that depends on locations changes with them. */
bool xtf_view_is_final_in_window(const XtfView *view);
/* True if the selection has this view. */
bool xtf_view_exists(const XtfViews *views, const XtfView *view, const XtfSelection *selection);
/* True if the selection has this view. Otherwise XTF_ERROR_NOT_FOUND says why not. */
bool xtf_view_check(const XtfViews *views, const XtfView *view, const XtfSelection *selection, GError **error);

/* A table to show: a view of a selection or, with a grouping, the views of its blocks side by side. All is borrowed. */
typedef struct {
    const XtfView *view;
    XtfSelection *selection; /* the selection to show; with a grouping, the one that the grouping divides */
    XtfGrouping *grouping;   /* NULL: none */
} XtfShownTable;

bool xtf_view_size(XtfViews *views, const XtfShownTable *table, uint64_t *size, GError **error);
/* Fills `buffer` with `length` bytes from `offset`. All of them must be within the size. */
bool xtf_view_read(XtfViews *views, const XtfShownTable *table, uint64_t offset, char *buffer, size_t length,
                   GError **error);
/* Passes the table's rows to a sink, part by part. The sink must not read the same table. */
bool xtf_view_rows(XtfViews *views, const XtfShownTable *table, const XtfRowSink *sink, GError **error);
/* Passes each row of a selection's view to the picker: the cells of the columns that it names. XTF_ERROR_NOT_FOUND if
 * there is no such view. */
bool xtf_view_pick(XtfViews *views, const char *view, XtfSelection *selection, XtfRowPicker *picker, GError **error);
