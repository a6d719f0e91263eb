/*
 * Batches: the totals of a sealed page's children in sections, each with a checksum of its own (XtfDiskBatches in
 * format.h). So a reader of one child reads and unpacks the totals of one batch, not of the whole page.
 *
 * A companion's payload begins with a directory of the sections. Section 0 has the totals of whole batches. Section
 * 1 + i has the tables of batch i.
 */
#pragma once

#include "libxtf/base/bytes.h"
#include "libxtf/disk/format.h"

/* Returns the number of batches of a page with n children, of 2^bits children each. */
static inline uint32_t xtf_batches_count(uint32_t n, unsigned bits)
{
    return (uint32_t)(((uint64_t)n + (UINT64_C(1) << bits) - 1) >> bits);
}

/* True if a page with n children may have batches of 2^bits children. There are at least two. */
static inline bool xtf_batches_are_valid(uint32_t n, unsigned bits)
{
    return bits >= XTF_BATCH_BITS_LEAST && bits <= XTF_BATCH_BITS_MOST && n >> bits > 0 &&
           xtf_batches_count(n, bits) > 1;
}

/* Returns the bytes of a directory of n batches. */
static inline uint32_t xtf_batches_directory_size(uint32_t n_batches)
{
    return (uint32_t)sizeof(XtfDiskBatches) + (n_batches + 1) * (uint32_t)sizeof(XtfDiskBatch);
}

/* Sets the entry of a section: the bytes from `start` to the end of the payload, whose directory begins at byte
 * `directory`. */
void xtf_batches_end_section(GByteArray *payload, guint directory, uint32_t section, guint start);

/* Sets the checksum of a companion's directory, if its totals are in batches. The head is complete but for its own
 * checksum. */
void xtf_batches_set_checksum(const XtfDiskPage *head, uint64_t place, uint8_t *payload);

/* Returns what is wrong with the directory of a companion, which is whole, or NULL. */
const char *xtf_batches_fault(const XtfDiskPage *head, uint64_t place, const uint8_t *directory);

/* Returns the offset of a section in the payload, and its entry. The directory has no fault. */
uint32_t xtf_batches_section(const uint8_t *directory, uint32_t n_batches, uint32_t section, XtfDiskBatch *entry);
