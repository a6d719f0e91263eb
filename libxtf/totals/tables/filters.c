#include "libxtf/totals/tables/filters.h"

#include "libxtf/base/splitmix.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/group-totals-private.h"
#include "libxtf/totals/tables/stored-rows.h"

uint64_t xtf_filter_hash(const XtfSchema *schema, const XtfAggregate *aggregate, const uint64_t *key)
{
    uint64_t hash = 0;

    for (unsigned i = 0; i < aggregate->n_keys; i++) {
        if (xtf_key_is_filtered(&schema->fields[aggregate->keys[i]]))
            hash = xtf_splitmix_step(hash, key[i]);
    }
    return hash;
}

/* Returns the position of the i-th bit that a group sets, in a filter of `bits` bits. */
static inline uint64_t probe_bit(uint64_t hash, unsigned i, uint64_t bits)
{
    return ((hash & UINT32_MAX) + i * (hash >> 32 | 1)) % bits;
}

bool xtf_filter_may_have(const uint64_t *words, uint32_t n, uint64_t hash)
{
    for (unsigned i = 0; i < XTF_FILTER_PROBES && n > 0; i++) {
        uint64_t bit = probe_bit(hash, i, UINT64_C(64) * n);
        if (!(words[bit / 64] >> bit % 64 & 1))
            return false;
    }
    return true;
}

void xtf_filter_append(GByteArray *rows, uint32_t child, const XtfSchema *schema, const XtfGroupTotals *totals)
{
    uint32_t n = (uint32_t)(((uint64_t)totals->n * XTF_FILTER_GROUP_BITS + 63) / 64);
    g_autofree uint64_t *words = g_new0(uint64_t, n);

    for (uint32_t group = 0; group < totals->n; group++) {
        uint64_t hash = xtf_filter_hash(schema, totals->aggregate, xtf_group_totals_key(totals, group));
        for (unsigned i = 0; i < XTF_FILTER_PROBES; i++) {
            uint64_t bit = probe_bit(hash, i, UINT64_C(64) * n);
            words[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        xtf_stored_filter_append(rows, child, words[i]);
}

uint64_t xtf_filter_words_most(uint64_t rows, uint32_t n)
{
    return rows / 64 * XTF_FILTER_GROUP_BITS + XTF_FILTER_GROUP_BITS + n;
}

XtfFilters *xtf_filters_read(const XtfTotalsPage *page, const uint8_t *rows, uint32_t n_rows, uint32_t *length,
                             const char **fault)
{
    uint64_t starts_bytes = ((uint64_t)page->n + 1) * sizeof(uint32_t), words_at = sizeof(XtfFilters) + starts_bytes;
    words_at = (words_at + 7) / 8 * 8;
    uint64_t bytes = words_at + (uint64_t)n_rows * sizeof(uint64_t);
    uint32_t row_size = xtf_stored_filter_schema()->row_size, row = 0;

    if (bytes > UINT32_MAX) {
        *fault = "the filters exceed the maximum of a cache block";
        return NULL;
    }
    g_autofree uint8_t *data = g_malloc(bytes);
    uint32_t *starts = (uint32_t *)(void *)(data + sizeof(XtfFilters));
    uint64_t *words = (uint64_t *)(void *)(data + words_at), child = 0;
    for (uint32_t i = 0; i < page->n; i++) {
        starts[i] = row;
        for (; row < n_rows; row++) {
            xtf_stored_filter_read(rows + (size_t)row * row_size, &child, &words[row]);
            if (child != i)
                break;
        }
    }
    starts[page->n] = row;
    if (row < n_rows) {
        *fault = "a filter names a child that does not exist, or is out of order";
        return NULL;
    }
    XtfFilters *filters = (XtfFilters *)(void *)data;
    *filters = (XtfFilters){.page = *page, .starts = starts, .words = words};
    *length = (uint32_t)bytes;
    return (XtfFilters *)(void *)g_steal_pointer(&data);
}
