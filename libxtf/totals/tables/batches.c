#include "libxtf/totals/tables/batches.h"

#include "libxtf/base/checksum.h"

static uint32_t count_batches(const XtfDiskPage *head)
{
    return xtf_batches_count(xtf_read32(head->count), head->batch);
}

static XtfDiskBatch entry_of(const uint8_t *directory, uint32_t section)
{
    XtfDiskBatch entry;

    memcpy(&entry, directory + sizeof(XtfDiskBatches) + section * sizeof entry, sizeof entry);
    return entry;
}

void xtf_batches_end_section(GByteArray *payload, guint directory, uint32_t section, guint start)
{
    XtfDiskBatch entry;

    xtf_write32(&entry.length, payload->len - start);
    xtf_write32(&entry.checksum, xtf_checksum(payload->data + start, payload->len - start));
    memcpy(payload->data + directory + sizeof(XtfDiskBatches) + section * sizeof entry, &entry, sizeof entry);
}

/* Returns the checksum that a directory should have. */
static uint32_t directory_checksum(const XtfDiskPage *head, uint64_t place, const uint8_t *directory)
{
    const size_t own = offsetof(XtfDiskBatches, reserved);
    XtfLe64 le_place;

    xtf_write64(&le_place, place);
    uint32_t crc = xtf_checksum(le_place.bytes, sizeof le_place);
    crc = xtf_checksum_on(crc, head, offsetof(XtfDiskPage, checksum));
    return xtf_checksum_on(crc, directory + own, xtf_batches_directory_size(count_batches(head)) - own);
}

void xtf_batches_set_checksum(const XtfDiskPage *head, uint64_t place, uint8_t *payload)
{
    XtfLe32 checksum;

    if (head->kind != XTF_PAGE_TOTALS || !xtf_batches_are_valid(xtf_read32(head->count), head->batch) ||
        xtf_read32(head->length) < xtf_batches_directory_size(count_batches(head)))
        return;
    xtf_write32(&checksum, directory_checksum(head, place, payload));
    memcpy(payload + offsetof(XtfDiskBatches, checksum), &checksum, sizeof checksum);
}

const char *xtf_batches_fault(const XtfDiskPage *head, uint64_t place, const uint8_t *directory)
{
    const uint32_t n = count_batches(head);
    uint64_t bytes = xtf_batches_directory_size(n);
    XtfDiskBatches first;

    memcpy(&first, directory, sizeof first);
    if (xtf_read32(first.checksum) != directory_checksum(head, place, directory))
        return "the checksum of its batches is wrong";
    for (uint32_t section = 0; section <= n; section++) {
        uint32_t length = xtf_read32(entry_of(directory, section).length);
        if (length % XTF_ITEM_ALIGNMENT != 0)
            return "the length of a batch is no multiple of 8";
        bytes += length;
    }
    return bytes == xtf_read32(head->length) ? NULL : "the batches do not fill the companion";
}

uint32_t xtf_batches_section(const uint8_t *directory, uint32_t n_batches, uint32_t section, XtfDiskBatch *entry)
{
    uint32_t offset = xtf_batches_directory_size(n_batches);

    for (uint32_t i = 0; i < section; i++)
        offset += xtf_read32(entry_of(directory, i).length);
    *entry = entry_of(directory, section);
    return offset;
}
