/*
 * Filters of groups: they exclude groups that a leaf does not have, if its totals are coarse.
 *
 * If nearly every row is a group of its own, as with messages of different tags, leaves keep coarse totals. Then a rank
 * or a select in one group would have to read leaf after leaf. A filter is a Bloom filter of the groups of one leaf. If
 * a bit of a group is not set, the leaf has no row of the group.
 *
 * Only keys that mean the same in every segment go into the hash: keys that are not strings and refer to no table.
 */
#pragma once

#include "libxtf/aggregates.h"
#include "libxtf/cache/cache.h"

enum {
    XTF_FILTER_GROUP_BITS = 10, /* bits of a filter per group */
    XTF_FILTER_PROBES = 7,      /* bits that each group sets */
};

/* Identity of a page with n children, and of an aggregate. In a damaged file, two pages may name totals at one
 * offset. */
typedef struct {
    const XtfSchema *schema;
    uint64_t first_n;
    uint32_t array, segment, n;
    uint8_t index, level;
} XtfTotalsPage;

/* The filters of a page's children, in one allocation. */
typedef struct {
    XtfTotalsPage page;
    const uint32_t *starts; /* child i has the words [starts[i], starts[i + 1]); no words: no filter */
    const uint64_t *words;
} XtfFilters;

/* Returns the hash that determines the bits of a group. */
uint64_t xtf_filter_hash(const XtfSchema *schema, const XtfAggregate *aggregate, const uint64_t *key);
/* True if a filter of n words may have the group. With n = 0 always true. */
bool xtf_filter_may_have(const uint64_t *words, uint32_t n, uint64_t hash);

/* Appends the rows of a child's filter. The totals must have all keys. */
void xtf_filter_append(GByteArray *rows, uint32_t child, const XtfSchema *schema, const XtfGroupTotals *totals);
/* Returns the maximum number of words of the filters of n children that have `rows` rows together. */
uint64_t xtf_filter_words_most(uint64_t rows, uint32_t n);
/* Decodes the filters of a page from their rows. Returns NULL with a fault on failure. */
XtfFilters *xtf_filters_read(const XtfTotalsPage *page, const uint8_t *rows, uint32_t n_rows, uint32_t *length,
                             const char **fault);

static inline bool xtf_filters_may_have(const XtfFilters *filters, uint32_t child, uint64_t hash)
{
    uint32_t start = filters->starts[child];

    return xtf_filter_may_have(filters->words + start, filters->starts[child + 1] - start, hash);
}
