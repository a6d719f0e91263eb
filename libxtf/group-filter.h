/*
 * Filters of groups: totals, ranks and selects of the rows whose groups a filter accepts.
 *
 * A filter sees keys of groups and not rows, so the index can answer for whole children. If a child has coarse totals,
 * kept by the first keys only, the filter receives these keys, and may answer that it needs more keys.
 */
#pragma once

#include "libxtf/aggregates.h"

XTF_BEGIN_DECLS

/* A filter's answer for the groups whose keys begin with the given `depth` values. */
typedef enum {
    XTF_MATCH_NONE, /* accepts none of the groups */
    XTF_MATCH_ALL,  /* accepts all of the groups */
    XTF_MATCH_SOME, /* accepts some of the groups: needs more keys. Never returned if all keys are given */
} XtfMatch;

/* A filter. Queries call both functions often, so both should be fast. A filter that accepts exactly one group sets
 * `exact` to all keys of the group, and has no functions. If the aggregate has filters (schema.h), queries can then
 * skip most leaves without a row of the group. A filter with neither `exact` nor match() accepts all groups. */
struct XtfGroupFilter {
    const uint64_t *exact; /* borrowed; NULL: match() decides */
    XtfMatch (*match)(const uint64_t *key, unsigned depth, const void *data);
    /* The answer of match() for all keys of a row; NULL: queries call match(). */
    bool (*accepts_row)(const uint8_t *row, const void *data);
    const void *data; /* borrowed */
    /* For an XTF_AGGREGATE_FRAMES: accept only the rows that begin a frame. Ranks and selects obey the flag.
     * xtf_array_totals() does not, because its cells already separate begins, ends and times. */
    bool begins_only;
};

/* Counts the rows before n whose groups the filter accepts. For frames the row's own key decides, so no row is in
 * XTF_FRAMES_BEFORE. A NULL filter accepts all groups. */
bool xtf_array_group_rank(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n,
                          uint64_t *rank, GError **error);
/* Counts the rows in [n1, n2) whose groups the filter accepts. Cuts n2 off at the array's end. */
bool xtf_array_group_count(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1,
                           uint64_t n2, uint64_t *count, GError **error);
/* Counts the accepted rows of the whole array from totals in memory, and reads no page. Sets *known to false if these
 * totals do not suffice. */
bool xtf_array_group_known(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t *count,
                           bool *known, GError **error);
/* Finds the accepted row that has k accepted rows before it; n_rows if there is none. */
bool xtf_array_group_select(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t k,
                            uint64_t *n, GError **error);
/* Does the same among the rows from row `from` on. Where index pages lack totals of the groups, all rows from there to
 * the result are read. */
bool xtf_array_group_select_from(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t from,
                                 uint64_t k, uint64_t *n, GError **error);
/* True if the filter accepts the row. */
bool xtf_row_matches(const XtfSchema *schema, unsigned index, const XtfGroupFilter *filter, const uint8_t *row);

XTF_END_DECLS
