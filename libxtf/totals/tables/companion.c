#include "libxtf/totals/tables/companion.h"

#include "libxtf/base/checksum.h"
#include "libxtf/disk/page.h"

/* Bytes that are read first of a companion in batches: the head, most directories, and often the first section. */
enum { FIRST_BYTES = 4096 };

/* The bytes of a companion's file. */
typedef struct {
    const XtfDescentPage *page;
    uint64_t place, offset;
    uint64_t room; /* bytes of the file from `offset` on that the companion may take */
    XtfDiskPage head;
} Companion;

/* Returns the byte of a sealed page that states its batches; 0 if the byte is reserved. */
static unsigned get_batch_byte(const XtfDescentPage *page)
{
    const bool known = page->array->trace->superblock.incompatible & XTF_FEATURE_BATCHES;

    return known ? xtf_page_head(page->page.block)->batch : 0;
}

unsigned xtf_companion_batch_bits(const XtfDescentPage *page)
{
    const unsigned bits = page->open ? 0 : get_batch_byte(page);

    return xtf_batches_are_valid(page->page.count, bits) ? bits : 0;
}

bool xtf_companion_fail(const XtfDescentPage *page, uint64_t place, const char *fault, GError **error)
{
    return xtf_damaged(error, "page %" PRIu64 ": totals of array %u, level %u: %s", place, page->array->id, page->level,
                       fault);
}

bool xtf_companion_find(const XtfDescentPage *page, uint64_t *place, GError **error)
{
    const XtfArray *array = page->array;
    const XtfBlock *block = page->page.block;
    uint32_t companion = xtf_read32(xtf_page_head(block)->companion);

    *place = xtf_place_at(xtf_array_segment(array), xtf_array_page_size(array), block->offset) + companion;
    return companion > 0 || xtf_companion_fail(page, *place, "the page has no companion", error);
}

/* Returns a fault of a companion's head, compared with its index page, or NULL. */
static const char *head_fault(const Companion *companion)
{
    const XtfDescentPage *page = companion->page;
    const XtfDiskPage *index = xtf_page_head(page->page.block), *head = &companion->head;

    if (xtf_read32(head->magic) != XTF_PAGE_MAGIC || head->kind != XTF_PAGE_TOTALS)
        return "the companion has no valid head";
    if (head->codec != page->array->codec)
        return "the companion's codec differs from that of the rows";
    if (head->level != index->level || xtf_read32(head->array) != page->array->id ||
        xtf_read64(head->segment) != xtf_read64(index->segment) || xtf_read64(head->first_n) != page->page.first_n ||
        xtf_read32(head->count) != page->page.count)
        return "the companion belongs to another page";
    if (xtf_read32(head->epoch) != xtf_read32(index->epoch))
        return "the companion and its page have different epochs";
    if (xtf_read64(head->previous) != xtf_read64(index->previous) ||
        xtf_read64(head->next) != xtf_read64(index->next) || xtf_read32(head->companion) != 0 ||
        (get_batch_byte(page) > 0 && head->batch != index->batch))
        return "the companion's head differs from that of its page";
    if (xtf_read32(head->length) > XTF_COMPANION_BYTES_MAX)
        return "the companion has more than 256 MiB";
    return xtf_read32(head->length) > companion->room - sizeof *head ? "the companion is truncated" : NULL;
}

/* Returns a fault of the batches that the page names, or NULL. */
static const char *batches_fault(const Companion *companion)
{
    const unsigned bits = get_batch_byte(companion->page);
    const uint32_t n = companion->page->page.count;

    if (bits == 0)
        return NULL;
    if (!xtf_batches_are_valid(n, bits))
        return "its batches have a wrong size";
    return xtf_read32(companion->head.length) < xtf_batches_directory_size(xtf_batches_count(n, bits))
               ? "its batches are truncated"
               : NULL;
}

static bool report_damage(const Companion *companion, const char *fault, GError **error)
{
    return xtf_companion_fail(companion->page, companion->place, fault, error);
}

/* Sets the error of a wrong checksum, which names the file if there are several. */
static bool report_changed(const Companion *companion, const char *fault, GError **error)
{
    XtfSource *file = companion->page->array->trace->source;

    report_damage(companion, fault, error);
    if (file->ops->name_file)
        file->ops->name_file(file, companion->offset, error);
    return false;
}

static bool read_bytes(const Companion *companion, uint64_t from, void *bytes, uint32_t length, GError **error)
{
    XtfSource *file = companion->page->array->trace->source;

    return file->ops->read(file, companion->offset + from, bytes, length, error);
}

/* Finds the bytes of the companion at a place. */
static bool open_companion(const XtfDescentPage *page, uint64_t place, Companion *companion, GError **error)
{
    const XtfSegment *segment = xtf_array_segment(page->array);
    const uint64_t size = xtf_source_size(page->array->trace->source);
    const uint32_t page_size = xtf_array_page_size(page->array);

    *companion = (Companion){.page = page, .place = place};
    if (place >= segment->pages)
        return report_damage(companion, "the companion is beyond the last page", error);
    companion->offset = xtf_page_offset(segment, page_size, place);
    if (companion->offset > size || size - companion->offset < page_size)
        return report_damage(companion, "the companion is beyond the end of the file", error);
    companion->room = MIN((segment->pages - place) * page_size, size - companion->offset);
    return true;
}

static bool check_head(const Companion *companion, GError **error)
{
    const char *fault = head_fault(companion);

    if (!fault)
        fault = batches_fault(companion);
    return !fault || report_damage(companion, fault, error);
}

static bool is_section_whole(const uint8_t *bytes, const XtfDiskBatch *entry)
{
    return xtf_checksum(bytes, xtf_read32(entry->length)) == xtf_read32(entry->checksum);
}

bool xtf_companion_read(const XtfDescentPage *page, uint64_t place, XtfCompanionTables *tables, GError **error)
{
    Companion companion;

    if (!open_companion(page, place, &companion, error) ||
        !read_bytes(&companion, 0, &companion.head, sizeof companion.head, error) || !check_head(&companion, error))
        return false;
    const uint32_t length = xtf_read32(companion.head.length);
    g_autofree uint8_t *payload = g_malloc(MAX(length, 1));
    if (!read_bytes(&companion, sizeof companion.head, payload, length, error))
        return false;
    if (xtf_read32(companion.head.checksum) != xtf_page_checksum(&companion.head, place, payload, length))
        return report_changed(&companion, "the companion's checksum is wrong", error);
    const char *fault = xtf_companion_batch_bits(page) > 0 ? xtf_batches_fault(&companion.head, place, payload) : NULL;
    if (fault)
        return report_damage(&companion, fault, error);
    *tables = (XtfCompanionTables){.bytes = g_steal_pointer(&payload), .length = length};
    return true;
}

/* Reads the rest of a directory of `size` bytes that is longer than the n bytes that were read. Returns all of the
 * directory, to be freed by the caller. */
static uint8_t *read_directory(const Companion *companion, const uint8_t *bytes, uint64_t n, uint32_t size,
                               GError **error)
{
    g_autofree uint8_t *directory = g_malloc(size);

    n = MIN(n, size);
    memcpy(directory, bytes, n);
    if (n < size && !read_bytes(companion, sizeof companion->head + n, directory + n, size - (uint32_t)n, error))
        return NULL;
    return g_steal_pointer(&directory);
}

bool xtf_companion_read_section(const XtfDescentPage *page, uint64_t place, uint32_t section,
                                XtfCompanionTables *tables, GError **error)
{
    const uint32_t n = xtf_batches_count(page->page.count, xtf_companion_batch_bits(page));
    uint8_t first[FIRST_BYTES];
    Companion companion;
    XtfDiskBatch entry;

    if (!open_companion(page, place, &companion, error) || !read_bytes(&companion, 0, first, sizeof first, error))
        return false;
    memcpy(&companion.head, first, sizeof companion.head);
    if (!check_head(&companion, error))
        return false;
    const uint8_t *payload = first + sizeof companion.head;
    const uint64_t n_read = sizeof first - sizeof companion.head;
    g_autofree uint8_t *directory = read_directory(&companion, payload, n_read, xtf_batches_directory_size(n), error);
    if (!directory)
        return false;
    const char *fault = xtf_batches_fault(&companion.head, place, directory);
    if (fault)
        return report_changed(&companion, fault, error);
    const uint32_t offset = xtf_batches_section(directory, n, section, &entry), length = xtf_read32(entry.length);
    g_autofree uint8_t *bytes = g_malloc(MAX(length, 1));
    if ((uint64_t)offset + length <= n_read)
        memcpy(bytes, payload + offset, length);
    else if (!read_bytes(&companion, sizeof companion.head + offset, bytes, length, error))
        return false;
    if (!is_section_whole(bytes, &entry))
        return report_changed(&companion, "the checksum of a batch is wrong", error);
    *tables = (XtfCompanionTables){.bytes = g_steal_pointer(&bytes), .length = length};
    return true;
}

/* Returns a section of a payload, and sets *entry to its entry in the directory. */
static XtfBytesReader find_section(const XtfDescentPage *page, const XtfCompanionTables *tables, uint32_t section,
                                   XtfDiskBatch *entry)
{
    const uint32_t n = xtf_batches_count(page->page.count, xtf_companion_batch_bits(page));
    const uint32_t offset = xtf_batches_section(tables->bytes, n, section, entry);

    return (XtfBytesReader){.at = tables->bytes + offset, .left = xtf_read32(entry->length)};
}

XtfBytesReader xtf_companion_section(const XtfDescentPage *page, const XtfCompanionTables *tables, uint32_t section)
{
    XtfDiskBatch entry;

    return find_section(page, tables, section, &entry);
}

bool xtf_companion_section_is_whole(const XtfDescentPage *page, const XtfCompanionTables *tables, uint32_t section)
{
    XtfDiskBatch entry;

    return is_section_whole(find_section(page, tables, section, &entry).at, &entry);
}
