/*
 * Finding what an array takes. The file may be damaged, or made to deceive: a page counts as the array's only if it
 * says so itself, since what is found here will be written over.
 */
#include "libxtf/write/array-pages.h"

#include <unistd.h>

#include "libxtf/disk/address.h"
#include "libxtf/disk/page.h"

typedef struct {
    const XtfArrayWriter *array;
    XtfSegment segment;
    GArray *places;
} Walk;

static bool read_all(const XtfWriter *writer, uint64_t place, uint8_t *bytes, size_t length)
{
    uint64_t offset = place * writer->page_size;
    ssize_t n = 1;

    for (; length > 0 && n > 0; bytes += n, offset += (uint64_t)n, length -= (size_t)n)
        n = pread(writer->fd, bytes, length, (off_t)offset);
    return length == 0;
}

/* Notes pages side by side. A tree that leads to a page twice might lead to it very often. */
static bool take(Walk *walk, uint64_t place, uint64_t n_pages)
{
    const XtfWriter *writer = walk->array->writer;

    if (place < xtf_first_place(writer->page_size) || place >= writer->pages || n_pages > writer->pages - place ||
        walk->places->len + n_pages > writer->pages || xtf_space_is_used(writer->space, place, n_pages))
        return false;
    for (uint64_t i = 0; i < n_pages; i++, place++)
        g_array_append_val(walk->places, place);
    return true;
}

static bool take_companion(Walk *walk, const XtfDiskPage *page, uint64_t place)
{
    const XtfWriter *writer = walk->array->writer;
    uint32_t distance = xtf_read32(page->companion);
    XtfDiskPage head;

    if (distance == 0)
        return true;
    if (place + distance >= writer->pages || !read_all(writer, place + distance, (uint8_t *)&head, sizeof head))
        return false;
    uint64_t used = sizeof head + (uint64_t)xtf_read32(head.length);
    return xtf_read32(head.magic) == XTF_PAGE_MAGIC && head.kind == XTF_PAGE_TOTALS &&
           xtf_read32(head.array) == walk->array->id && xtf_read64(head.segment) == writer->segment &&
           take(walk, place + distance, (used + writer->page_size - 1) / writer->page_size);
}

/* A sealed page, and all below it. */
static bool walk_page(Walk *walk, uint64_t place, unsigned level)
{
    const XtfWriter *writer = walk->array->writer;
    g_autofree uint8_t *bytes = g_malloc(writer->page_size);
    const XtfDiskPage *head = (const XtfDiskPage *)(const void *)bytes;
    const XtfDiskEntry *entries = (const XtfDiskEntry *)(const void *)(bytes + sizeof *head);

    if (!take(walk, place, 1) || !read_all(writer, place, bytes, writer->page_size) ||
        xtf_page_fault(bytes, writer->page_size, place, &walk->segment) || xtf_read32(head->array) != walk->array->id ||
        head->level != level || !take_companion(walk, head, place))
        return false;
    for (uint32_t i = 0; level > 0 && i < xtf_read32(head->count); i++)
        if (!walk_page(walk, xtf_read64(entries[i].child), level - 1))
            return false;
    return true;
}

/* The open page of a level: the place that is reserved for it, and what is below it. Its last entry leads to the open
 * page below. */
static bool walk_open(Walk *walk, unsigned number)
{
    const XtfLevel *level = &walk->array->levels[number];
    const XtfDiskEntry *entries =
        level->page ? (const XtfDiskEntry *)(const void *)(level->page + sizeof(XtfDiskPage)) : NULL;

    if (level->place && !take(walk, level->place, 1))
        return false;
    for (uint32_t i = 0; number > 0 && i + 1 < level->count; i++)
        if (!walk_page(walk, xtf_read64(entries[i].child), number - 1))
            return false;
    return true;
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool has_twice(GArray *places)
{
    g_array_sort(places, compare_places);
    for (guint i = 1; i < places->len; i++)
        if (g_array_index(places, uint64_t, i) == g_array_index(places, uint64_t, i - 1))
            return true;
    return false;
}

bool xtf_array_writer_find_pages(const XtfArrayWriter *array, GArray *places)
{
    const XtfWriter *writer = array->writer;
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    Walk walk = {.array = array,
                 .segment = {.id = writer->segment, .pages = writer->pages, .epoch = writer->epoch},
                 .places = found};

    if (!array->levels)
        return array->n_rows == 0;
    if (array->height == 1 && !array->levels[0].place)
        return true;
    for (unsigned i = 0; i < array->height; i++)
        if (!walk_open(&walk, i))
            return false;
    if (has_twice(found))
        return false;
    g_array_append_vals(places, found->data, found->len);
    return true;
}
