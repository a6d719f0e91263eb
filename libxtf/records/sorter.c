/*
 * A radix sort: stable, and without branches that depend on keys.
 */
#include "libxtf/records/records-private.h"

G_STATIC_ASSERT(1 << XTF_RECORD_PART_BITS >= XTF_RECORD_PARTS_MAX);

XtfRecordSorter *xtf_record_sorter_new(void)
{
    return g_new0(XtfRecordSorter, 1);
}

void xtf_record_sorter_free(XtfRecordSorter *sorter)
{
    if (!sorter)
        return;
    g_free(sorter->keys);
    g_free(sorter->sorted);
    g_free(sorter->order);
    g_free(sorter);
}

size_t xtf_record_sorter_bytes(const XtfRecordSorter *sorter)
{
    return sizeof *sorter + sorter->room * (2 * sizeof *sorter->keys + sizeof *sorter->order);
}

void xtf_record_sorter_reserve(XtfRecordSorter *sorter, uint32_t n)
{
    if (sorter->room >= n)
        return;
    sorter->room = n + n / 2;
    sorter->keys = g_renew(uint64_t, sorter->keys, sorter->room);
    sorter->sorted = g_renew(uint64_t, sorter->sorted, sorter->room);
    sorter->order = g_renew(uint8_t, sorter->order, sorter->room);
}

/* Sorts by `bits` bits from bit `shift` on: one pass. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, uint32_t n, unsigned shift, unsigned bits,
                          uint32_t *counts)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint32_t start = 0;

    memset(counts, 0, sizeof *counts << bits);
    for (uint32_t i = 0; i < n; i++)
        counts[from[i] >> shift & mask]++;
    for (uint64_t digit = 0; digit <= mask; digit++) {
        uint32_t count = counts[digit];
        counts[digit] = start;
        start += count;
    }
    for (uint32_t i = 0; i < n; i++)
        to[counts[from[i] >> shift & mask]++] = from[i];
}

void xtf_record_sorter_sort(XtfRecordSorter *sorter, uint32_t n, uint64_t last)
{
    unsigned width = MAX(1, (unsigned)g_bit_storage(last));
    unsigned passes = (width + XTF_RECORD_DIGIT_BITS - 1) / XTF_RECORD_DIGIT_BITS;
    unsigned bits = (width + passes - 1) / passes;

    for (unsigned pass = 0, shift = XTF_RECORD_PART_BITS; pass < passes; pass++, shift += bits) {
        sort_by_digit(sorter->keys, sorter->sorted, n, shift, bits, sorter->counts);
        if (pass + 1 < passes) {
            uint64_t *sorted = sorter->sorted;
            sorter->sorted = sorter->keys;
            sorter->keys = sorted;
        }
    }
}
