/*
 * Comparison of two selections, of two traces or of one trace: changes of totals, of classes and of regions.
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
    XtfDiffOrder by; /* value that `difference` and `ratio` compare and lines are sorted by */
    uint64_t top;    /* number of region lines shown; 0: all */
} XtfDiffOptions;

/* Returns the name of an order, as in the name of its column. NULL if `order` is past the last. */
const char *xtf_diff_order_name(unsigned order);

/* Limits of growth, and the values that grew beyond them. */
typedef struct {
    uint64_t limit;          /* growth that passes, in millionths of the first value */
    uint64_t noise;          /* growth that always passes, in millionths of `total` */
    unsigned __int128 total; /* set by xtf_diff: the first selection's total */
    uint64_t n_judged;       /* set by xtf_diff: number of rows compared, and the total */
    GPtrArray *failures;     /* owned by the caller; xtf_diff adds a string for each row that grew more */
} XtfDiffGrowth;

/*
 * Appends the tables to `out`. Each table begins with a line that starts with `#`, and its lines have one length.
 * XTF_ERROR_NOT_FOUND if `a` or `b` is no directory of records. The cost is the cost of `profile` and `bytes`.
 *
 * If `growth` is not NULL, judges all rows of the table of regions, including the rows that `top` leaves out. Then a
 * directory without a profile is XTF_ERROR_NOT_FOUND.
 */
bool xtf_diff(XtfNode *a, XtfNode *b, const XtfDiffOptions *options, XtfDiffGrowth *growth, GString *out,
              GError **error);
