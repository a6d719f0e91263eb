/*
 * Two selections side by side, of two traces or of one: what changed between them, by totals, by class and by
 * region.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/trace/text/lines.h"
#include "src/tree/paths/tree.h"

extern const XtfTableDeclaration xtf_table_diff_facts, xtf_table_diff_regions;

typedef enum { XTF_DIFF_BY_EXCLUSIVE, XTF_DIFF_BY_INCLUSIVE, XTF_DIFF_BY_CALLS } XtfDiffOrder;

typedef struct {
    XtfDiffOrder by; /* what `difference` and `ratio` are of, and the order of the lines */
    uint64_t top;    /* regions are the first `top` lines of that order; 0: all */
} XtfDiffOptions;

/* The name of an order, as the column has it; NULL if there are no more. */
const char *xtf_diff_order_name(unsigned order);

/* What must not grow, and what did. */
typedef struct {
    uint64_t limit;          /* growth that passes, in millionths of the first value */
    uint64_t noise;          /* growth that passes in any case, in millionths of `total` */
    unsigned __int128 total; /* set by xtf_diff: the first selection's total */
    uint64_t n_judged;       /* set by xtf_diff: rows compared, with the total */
    GPtrArray *failures;     /* owned by the caller; xtf_diff adds a string for each row that grew more */
} XtfDiffGrowth;

/*
 * Appends the tables to `out`. Each begins with a line that starts with `#`, and has lines of one length. `a` and `b`
 * are directories of records: XTF_ERROR_NOT_FOUND if one is not. It costs what profile and bytes cost.
 * `growth` may be NULL; if not, all rows of the regions' table are judged, also those that `top` leaves out, and a
 * directory without a profile is XTF_ERROR_NOT_FOUND.
 */
bool xtf_diff(XtfNode *a, XtfNode *b, const XtfDiffOptions *options, XtfDiffGrowth *growth, GString *out,
              GError **error);
