#include "libxtf/disk/page.h"

#include "libxtf/base/checksum.h"

/* Computes the checksum with the place, so that readers detect a page written to a wrong place. */
uint32_t xtf_page_checksum(const XtfDiskPage *head, uint64_t place, const uint8_t *payload, size_t length)
{
    XtfLe64 le_place;

    xtf_write64(&le_place, place);
    uint32_t crc = xtf_checksum(le_place.bytes, sizeof le_place);
    crc = xtf_checksum_on(crc, head, offsetof(XtfDiskPage, checksum));
    return xtf_checksum_on(crc, payload, length);
}

/* True if the times of the rows never decrease. */
static bool rows_ordered(const uint8_t *rows, uint32_t count, uint32_t row_size)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t t = xtf_load64(rows + (size_t)i * row_size);
        if (t < last)
            return false;
        last = t;
    }
    return true;
}

/* True if the entries' times never decrease, and their N increase. */
static bool entries_ordered(const XtfDiskEntry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (xtf_read64(entries[i].first_t) < xtf_read64(entries[i - 1].first_t) ||
            xtf_read64(entries[i].before) <= xtf_read64(entries[i - 1].before))
            return false;
    return true;
}

const char *xtf_payload_fault(unsigned level, const XtfCodec *codec, uint64_t first_n, uint32_t count,
                              uint32_t row_size, const uint8_t *payload, uint64_t length)
{
    if (count == 0)
        return "it is empty";
    if (!codec->side_by_side)
        return NULL; /* unpacking the rows finds other faults */
    if ((uint64_t)count * row_size != length)
        return "its rows do not fill it";
    if (level == 0)
        return rows_ordered(payload, count, row_size) ? NULL : "time goes backwards in it";
    const XtfDiskEntry *entries = (const XtfDiskEntry *)payload;
    if (xtf_read64(entries[0].before) != first_n)
        return "its first entry does not begin with the page's first row";
    return entries_ordered(entries, count) ? NULL : "its entries are out of order";
}

/* Returns what is wrong with the payload of a page with a valid head. The array is unknown here, so the payload's
 * length gives the size of a plain row. */
static const char *content_fault(const XtfDiskPage *head, const uint8_t *payload, uint32_t length)
{
    const XtfCodec *codec = xtf_codec(head->codec);
    uint32_t count = xtf_read32(head->count);
    uint32_t row = head->level > 0 ? sizeof(XtfDiskEntry) : count > 0 ? length / count : 0;

    if (codec->side_by_side && row < sizeof(XtfLe64))
        return "its rows are too short";
    return xtf_payload_fault(head->level, codec, xtf_read64(head->first_n), count, row, payload, length);
}

const char *xtf_page_fault(const uint8_t *page, uint32_t length, uint64_t place, const XtfSegment *segment)
{
    const XtfDiskPage *head = (const XtfDiskPage *)page;
    const uint8_t *payload = page + sizeof *head;
    uint32_t used = xtf_read32(head->length);

    if (xtf_read32(head->magic) != XTF_PAGE_MAGIC)
        return "it does not begin with the magic number of pages";
    if (used > length - sizeof *head)
        return "its payload is longer than a page";
    if (xtf_read32(head->checksum) != xtf_page_checksum(head, place, payload, used))
        return "its checksum is wrong";
    if (xtf_read64(head->segment) != segment->id)
        return "it belongs to another file";
    if (xtf_read32(head->epoch) > segment->epoch)
        return "a later writer than the commit's wrote it";
    if (head->kind != (head->level == 0 ? XTF_PAGE_LEAF : XTF_PAGE_INDEX))
        return "its kind does not match its level";
    if (head->kind == XTF_PAGE_LEAF && xtf_read32(head->companion) != 0)
        return "it is a leaf but names a companion";
    if (!xtf_codec(head->codec) || head->codec != xtf_level_codec(head->codec, head->level))
        return "its codec is not known";
    return content_fault(head, payload, used);
}
