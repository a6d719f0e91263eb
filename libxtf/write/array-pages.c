/*
 * Finds the pages that an array occupies. The file may be damaged or crafted, and the writer will overwrite the pages
 * that the search returns. So a page counts as the array's only if its head names the array and its checksum is
 * correct. The search visits no page twice, even if several pages name it.
 */
#include "libxtf/write/array-pages.h"

#include <unistd.h>

#include "libxtf/base/checksum.h"
#include "libxtf/disk/address.h"
#include "libxtf/disk/edge.h"
#include "libxtf/disk/page.h"

typedef struct {
    XtfPageSearch *search;
    const XtfArrayWriter *array;
    XtfSegment segment;
    GArray *places;
} Walk;

static gint compare_ids(gconstpointer a, gconstpointer b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Lists the ids of all arrays in ascending order. Returns false if two arrays have the same id. */
static bool list_ids(GArray *ids, const XtfObjectPool *of)
{
    const XtfArrayWriter *array;
    XtfObjectIter arrays;

    xtf_object_iter_init(&arrays, of);
    while ((array = xtf_object_iter_next(&arrays)))
        g_array_append_val(ids, array->id);
    g_array_sort(ids, compare_ids);
    for (guint i = 1; i < ids->len; i++)
        if (g_array_index(ids, uint32_t, i - 1) == g_array_index(ids, uint32_t, i))
            return false;
    return true;
}

bool xtf_page_search_init(XtfPageSearch *search, const XtfWriter *writer)
{
    *search =
        (XtfPageSearch){.writer = writer,
                        .visited = g_hash_table_new(g_direct_hash, g_direct_equal),
                        .ids = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), (guint)writer->arrays.n_objects)};
    for (guint i = 0; i < writer->dropped_pages->len; i++)
        g_hash_table_add(search->visited, GSIZE_TO_POINTER(g_array_index(writer->dropped_pages, uint64_t, i)));
    search->free = xtf_space_list(writer->space, &search->n_free);
    return list_ids(search->ids, &writer->arrays);
}

void xtf_page_search_finish(XtfPageSearch *search)
{
    g_clear_pointer(&search->visited, g_hash_table_unref);
    g_clear_pointer(&search->ids, g_array_unref);
}

static bool any_free(const XtfPageSearch *search, uint64_t place, uint64_t n_pages)
{
    uint32_t low = 0, high = search->n_free;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (search->free[middle].page < place + n_pages)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && search->free[low - 1].page + search->free[low - 1].n_pages > place;
}

static bool read_all(const XtfWriter *writer, uint64_t offset, uint8_t *bytes, size_t length)
{
    ssize_t n = 1;

    for (; length > 0 && n > 0; bytes += n, offset += (uint64_t)n, length -= (size_t)n)
        n = pread(writer->fd, bytes, length, (off_t)offset);
    return length == 0;
}

/* Adds consecutive pages to walk->places. Returns false if one of them is outside the file, free, used by an item, or
 * already visited. */
static bool add_pages(Walk *walk, uint64_t place, uint64_t n_pages)
{
    const XtfWriter *writer = walk->array->writer;

    if (place < writer->own_first + xtf_first_place(writer->page_size) || place >= writer->pages ||
        n_pages > writer->pages - place || any_free(walk->search, place, n_pages) ||
        xtf_space_is_used(writer->space, place, n_pages))
        return false;
    for (uint64_t i = 0; i < n_pages; i++, place++) {
        if (!g_hash_table_add(walk->search->visited, GSIZE_TO_POINTER(place)))
            return false;
        g_array_append_val(walk->places, place);
    }
    return true;
}

/* Reads a leaf or index page. Returns true if it is a sealed page of the array, on this level. */
static bool read_page(const Walk *walk, uint64_t place, unsigned level, uint8_t *bytes)
{
    const XtfWriter *writer = walk->array->writer;
    const XtfDiskPage *head = (const XtfDiskPage *)(const void *)bytes;

    return place >= writer->own_first && place < writer->pages &&
           read_all(writer, (place - writer->own_first) * writer->page_size, bytes, writer->page_size) &&
           !xtf_page_fault(bytes, writer->page_size, place, &walk->segment) &&
           xtf_read32(head->array) == walk->array->id && head->level == level;
}

/* True if a companion's head matches the head of its index page. */
static bool heads_agree(const XtfArrayWriter *array, const XtfDiskPage *page, const XtfDiskPage *companion)
{
    XtfDiskPage expected = *page;

    expected.kind = XTF_PAGE_TOTALS;
    expected.codec = array->codec;
    expected.length = companion->length;
    expected.checksum = companion->checksum;
    xtf_write32(&expected.companion, 0);
    return memcmp(&expected, companion, sizeof expected) == 0;
}

/* True if the companion's checksum is correct. Reads the payload in pieces, because its length cannot be trusted before
 * the checksum is verified. */
static bool companion_is_valid(const XtfWriter *writer, const XtfDiskPage *head, uint64_t place)
{
    g_autofree uint8_t *piece = g_malloc(writer->page_size);
    uint64_t offset = place * writer->page_size + sizeof *head;
    uint32_t left = xtf_read32(head->length), checksum = xtf_page_checksum(head, place, piece, 0);

    while (left > 0) {
        uint32_t n = MIN(left, writer->page_size);
        if (!read_all(writer, offset, piece, n))
            return false;
        checksum = xtf_checksum_on(checksum, piece, n);
        offset += n;
        left -= n;
    }
    return checksum == xtf_read32(head->checksum);
}

static bool add_companion(Walk *walk, const XtfDiskPage *page, uint64_t place)
{
    const XtfWriter *writer = walk->array->writer;
    uint32_t distance = xtf_read32(page->companion);
    XtfDiskPage head;

    if (distance == 0)
        return true;
    place += distance;
    if (place >= writer->pages || !read_all(writer, place * writer->page_size, (uint8_t *)&head, sizeof head) ||
        !heads_agree(walk->array, page, &head) || !companion_is_valid(writer, &head, place))
        return false;
    uint64_t used = sizeof head + (uint64_t)xtf_read32(head.length);
    return add_pages(walk, place, (used + writer->page_size - 1) / writer->page_size);
}

/* Adds a sealed page whose first row is row `first_n`, its companion, and all pages below it. */
static bool walk_page(Walk *walk, uint64_t place, unsigned level, uint64_t first_n)
{
    g_autofree uint8_t *bytes = g_malloc(walk->array->writer->page_size);
    const XtfDiskPage *head = (const XtfDiskPage *)(const void *)bytes;
    const XtfDiskEntry *entries = (const XtfDiskEntry *)(const void *)(bytes + sizeof *head);

    if (!add_pages(walk, place, 1) || !read_page(walk, place, level, bytes) || xtf_read64(head->first_n) != first_n ||
        !add_companion(walk, head, place))
        return false;
    for (uint32_t i = 0; level > 0 && i < xtf_read32(head->count); i++)
        if (!walk_page(walk, xtf_read64(entries[i].child), level - 1, xtf_read64(entries[i].before)))
            return false;
    return true;
}

/* True if the head of the page at a place names another array of this file. */
static bool names_another_array(const Walk *walk, uint64_t place)
{
    const XtfWriter *writer = walk->array->writer;
    XtfDiskPage head;

    if (!read_all(writer, place * writer->page_size, (uint8_t *)&head, sizeof head))
        return false; /* the file ends before the page */
    uint32_t id = xtf_read32(head.array);
    return xtf_read32(head.magic) == XTF_PAGE_MAGIC && xtf_read64(head.segment) == writer->segment &&
           id != walk->array->id && g_array_binary_search(walk->search->ids, &id, compare_ids, NULL);
}

/* Adds the place reserved for the open page of a level. No page of the array is stored there yet: the level's previous
 * page names the place as its next. */
static bool add_reserved_place(Walk *walk, unsigned number)
{
    const XtfLevel *level = &walk->array->open->levels[number];
    g_autofree uint8_t *bytes = g_malloc(walk->array->writer->page_size);
    const XtfDiskPage *before = (const XtfDiskPage *)(const void *)bytes;

    return read_page(walk, level->previous, number, bytes) && xtf_read64(before->next) == level->place &&
           add_pages(walk, level->place, 1) && !names_another_array(walk, level->place);
}

/* Adds the place reserved for the open page of a level, and all sealed pages below. The last entry of an open page
 * leads to the open page below, which has its own call. */
static bool walk_open_page(Walk *walk, unsigned number)
{
    const XtfLevel *level = &walk->array->open->levels[number];
    const XtfDiskEntry *entries =
        level->page ? (const XtfDiskEntry *)(const void *)(level->page + sizeof(XtfDiskPage)) : NULL;

    if (level->place && !add_reserved_place(walk, number))
        return false;
    for (uint32_t i = 0; number > 0 && i + 1 < level->count; i++)
        if (!walk_page(walk, xtf_read64(entries[i].child), number - 1, xtf_read64(entries[i].before)))
            return false;
    return true;
}

bool xtf_page_search_array(XtfPageSearch *search, const XtfArrayWriter *array, GArray *places)
{
    const XtfWriter *writer = search->writer;
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    Walk walk = {.search = search,
                 .array = array,
                 .segment = {.id = writer->segment, .pages = writer->pages, .epoch = writer->epoch},
                 .places = found};

    if (!array->open)
        return array->n_rows == 0;
    if (array->height == 1 && !array->open->levels[0].place)
        return true;
    for (unsigned i = 0; i < array->height; i++)
        if (!walk_open_page(&walk, i))
            return false;
    g_array_append_vals(places, found->data, found->len);
    return true;
}

/* ---- Entries of level 1. */

typedef struct {
    Walk walk;
    GArray *entries; /* XtfDiskEntry */
    guint most;
} LeafWalk;

/* Appends the entries of level 1 below entries of a level. Returns false if a page is damaged, or there are too many.
 */
static bool add_leaves(const LeafWalk *leaves, unsigned level, const XtfDiskEntry *entries, uint32_t n)
{
    const XtfWriter *writer = leaves->walk.array->writer;
    g_autofree uint8_t *bytes = level > 1 ? g_malloc(writer->page_size) : NULL;

    if (level == 1) {
        g_array_append_vals(leaves->entries, entries, n);
        return leaves->entries->len <= leaves->most;
    }
    for (uint32_t i = 0; i < n; i++) {
        const XtfDiskPage *head = (const XtfDiskPage *)(const void *)bytes;
        if (!read_page(&leaves->walk, xtf_read64(entries[i].child), level - 1, bytes) ||
            xtf_read64(head->first_n) != xtf_read64(entries[i].before) ||
            !add_leaves(leaves, level - 1, (const XtfDiskEntry *)(const void *)(bytes + sizeof *head),
                        xtf_read32(head->count)))
            return false;
    }
    return true;
}

/* Reads the stored right edge of an array. Returns NULL if it is damaged, or lies in an earlier volume. */
static uint8_t *read_edge(const XtfArrayWriter *array)
{
    const XtfWriter *writer = array->writer;
    const XtfArray stored = xtf_array_writer_stored(array);
    uint64_t first = writer->own_first * writer->page_size;
    g_autofree uint8_t *edge = g_malloc(MAX(array->edge.length, 1));

    return array->edge.offset >= first && read_all(writer, array->edge.offset - first, edge, array->edge.length) &&
                   xtf_checksum(edge, array->edge.length) == array->edge.checksum &&
                   !xtf_edge_layout_fault(&stored, writer->page_size, edge, array->edge.length)
               ? g_steal_pointer(&edge)
               : NULL;
}

bool xtf_array_pages_leaves(const XtfArrayWriter *array, GArray *entries, guint most)
{
    const XtfWriter *writer = array->writer;
    const LeafWalk leaves = {
        .walk = {.array = array, .segment = {.id = writer->segment, .pages = writer->pages, .epoch = writer->epoch}},
        .entries = entries,
        .most = most,
    };
    g_autofree uint8_t *edge = array->open ? NULL : read_edge(array);

    if (!array->open && !edge)
        return false;
    for (unsigned level = array->height - 1u; level > 0; level--) {
        const XtfLevel *open = array->open ? &array->open->levels[level] : NULL;
        XtfEdgeLevel stored = open ? (XtfEdgeLevel){0} : xtf_edge_level(edge, array->height, level);
        const uint8_t *payload = open ? open->page + sizeof(XtfDiskPage) : stored.payload;
        uint32_t count = open ? open->count : stored.count;
        /* The last entry of a higher level leads to the open page below, which the next round reads. */
        if (!add_leaves(&leaves, level, (const XtfDiskEntry *)(const void *)payload, level > 1 ? count - 1 : count))
            return false;
    }
    return true;
}
