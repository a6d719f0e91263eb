/*
 * Views: tables that show a selection. All lines of a table are equally long, and their number follows from definitions
 * and selection alone, so that a size costs nothing.
 *
 * A text is made in parts, each when it is first read: a part has as many lines as cost about the same as one line
 * alone. Readers soon come back for the next block, several at once, so a keeper holds the latest parts.
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
#include "src/tables/match/matching.h"
#include "src/trace/select/grouping.h"
#include "src/trace/select/keeper.h"
#include "src/trace/select/selection.h"
#include "src/trace/text/row-sink.h"

typedef struct XtfView XtfView; /* a kind of view */

typedef struct {
    XtfResolver *resolver;    /* borrowed */
    XtfFormats *formats;      /* borrowed */
    XtfTraceContext *context; /* borrowed */
    XtfMatching *matching;    /* borrowed */
    XtfClockCheck *clocks;    /* borrowed */
    XtfKeeper parts;
    XtfKeeper pair_counts; /* pairs.h */
    XtfKeeper group_lists; /* group-list.h */
    XtfKeeper leaders;     /* collective-leaders.h */
} XtfViews;

void xtf_views_init(XtfViews *views, XtfResolver *resolver, XtfFormats *formats, XtfMatching *matching,
                    XtfClockCheck *clocks);
void xtf_views_finish(XtfViews *views);

bool xtf_view_is_name(const char *name); /* of some view */
/* The view that a selection has under a name; where it has none, one of the name all the same, for xtf_view_check() to
 * say why. Selections of different types may have different views of one name. NULL if no view has it. */
const XtfView *xtf_view_find_for(const XtfViews *views, const char *name, const XtfSelection *selection);
/* The same of tables side by side: also of a view that a selection alone shows otherwise. */
const XtfView *xtf_view_find_for_blocks(const XtfViews *views, const char *name, const XtfSelection *selection);
/* Whether no later commit changes what it shows of records that are complete. Locations last until their last record so
 * far, and there may be more of them later: what hangs on that changes. */
bool xtf_view_is_lasting(const XtfView *view);
/* Whether the selection has this view. */
bool xtf_view_exists(const XtfViews *views, const XtfView *view, const XtfSelection *selection);
/* The same; if it has not, XTF_ERROR_NOT_FOUND says why. */
bool xtf_view_check(const XtfViews *views, const XtfView *view, const XtfSelection *selection, GError **error);

/* A table to show: a view of a selection; or, with a grouping, the views of its blocks side by side. Borrowed. */
typedef struct {
    const XtfView *view;
    XtfSelection *selection; /* with a grouping, the one that it cuts up */
    XtfGrouping *grouping;   /* NULL: none */
} XtfShownTable;

bool xtf_view_size(XtfViews *views, const XtfShownTable *table, uint64_t *size, GError **error);
/* Fills `buffer` with `length` bytes from `offset`, all of which lie within the size. */
bool xtf_view_read(XtfViews *views, const XtfShownTable *table, uint64_t offset, char *buffer, size_t length,
                   GError **error);
/* Gives the table's rows to a sink, part by part. The sink must not read the same table. */
bool xtf_view_rows(XtfViews *views, const XtfShownTable *table, const XtfRowSink *sink, GError **error);
/* Gives some columns of a selection's view, by its name, to a picker. XTF_ERROR_NOT_FOUND if it has no such view. */
bool xtf_view_pick(XtfViews *views, const char *view, XtfSelection *selection, XtfRowPicker *picker, GError **error);
