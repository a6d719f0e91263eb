/*
 * Filters of groups: totals, ranks and selections of the rows whose groups a filter takes.
 *
 * A filter sees keys of groups, not rows, so the index answers for whole children at once. Where a child's totals are
 * coarse, kept by the first keys only, the filter is asked about these, and may say that it must know more.
 */
#pragma once

#include "libxtf/aggregates.h"

XTF_BEGIN_DECLS

/* What a filter says of the groups whose keys begin with the `depth` values it is given. */
typedef enum {
    XTF_MATCH_NONE, /* it takes none of them */
    XTF_MATCH_ALL,  /* it takes all of them */
    XTF_MATCH_SOME, /* it takes some: more keys must be known. Never said when all keys are known */
} XtfMatch;

/* Called often: both functions should be quick. A filter that takes one group alone says so by `exact`, all keys of the
 * group, and has no functions: then it can be told of most leaves that they have no row of it, where the aggregate has
 * filters (schema.h). A filter with neither takes all groups. */
struct XtfGroupFilter {
    const uint64_t *exact; /* borrowed; NULL: match() says */
    XtfMatch (*match)(const uint64_t *key, unsigned depth, const void *data);
    /* match() of a row's whole key; NULL: match() is asked instead. */
    bool (*takes_row)(const uint8_t *row, const void *data);
    const void *data; /* borrowed */
    /* Of an XTF_AGGREGATE_FRAMES: of the rows of these groups, only those that begin a frame. Ranks and selects heed
     * it; xtf_array_totals() does not, since each cell is about beginnings, ends or times already. */
    bool begun;
};

/* The number of rows before n whose groups the filter takes. For frames a row's key is the one that it holds, so no
 * row is in XTF_FRAMES_BEFORE. A NULL filter takes all. */
bool xtf_array_group_rank(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n,
                          uint64_t *rank, GError **error);
/* The number of rows [n1, n2) whose groups the filter takes; n2 is cut off at the array's end. */
bool xtf_array_group_count(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1,
                           uint64_t n2, uint64_t *count, GError **error);
/* The number in the whole array, if the totals that are kept of it tell; *known says whether they do. No page is read
 * for it. */
bool xtf_array_group_known(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t *count,
                           bool *known, GError **error);
/* The row that the filter takes and that has k such rows before it; n_rows if there is none. */
bool xtf_array_group_select(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t k,
                            uint64_t *n, GError **error);
/* Whether the filter takes a row. */
bool xtf_row_matches(const XtfSchema *schema, unsigned index, const XtfGroupFilter *filter, const uint8_t *row);

XTF_END_DECLS
