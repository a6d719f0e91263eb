/*
 * The files that an anchor names. The check skips the content of wrong files, which are missing, unreadable or not the
 * expected ones.
 */
#include "libxtf/check/check-private.h"
#include "libxtf/trace.h"
#include "libxtf/tree/parts.h"

/* Returns the index of the file that contains a page; -1: the checked file itself. */
static int find_file(const XtfChecking *check, uint64_t page)
{
    const XtfCatalog *catalog = &check->trace->catalog;
    uint64_t own_first = check->trace->superblock.own_first;
    uint32_t low = 0, high = own_first > 0 && page >= own_first ? 0 : catalog->n_files;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (catalog->files[middle].first_page <= page)
            low = middle + 1;
        else
            high = middle;
    }
    return (int)low - 1;
}

bool xtf_checking_can_read(const XtfChecking *check, uint64_t page)
{
    int file = find_file(check, page);
    return file < 0 || !check->wrong_files[file];
}

bool xtf_checking_is_removed(const XtfChecking *check, uint64_t page)
{
    int file = find_file(check, page);
    return file >= 0 && check->trace->catalog.files[file].size == 0;
}

uint64_t xtf_checking_page_slot(const XtfChecking *check, uint64_t page)
{
    int file = find_file(check, page);
    uint32_t n_before = check->trace->superblock.own_first > 0 ? check->trace->catalog.n_files : 0;

    return page - check->wrong_pages[file < 0 ? n_before : (uint32_t)file];
}

bool xtf_checking_lies_in_anchor(const XtfChecking *check, uint64_t page)
{
    return find_file(check, page) < 0;
}

bool xtf_checking_lies_in_one_file(const XtfChecking *check, uint64_t first, uint64_t last)
{
    return find_file(check, first) == find_file(check, last);
}

/* True if two files are volumes of one trace. */
static bool is_same_trace(const XtfPartFile *a, const XtfPartFile *b)
{
    return memcmp(a->file_id, b->file_id, sizeof a->file_id) == 0;
}

/* True if the pages of a segment lie in one of the files, or in volumes that follow one another. */
static bool segment_lies_in_files(const XtfChecking *check, const XtfSegment *segment)
{
    const XtfCatalog *catalog = &check->trace->catalog;
    int i = find_file(check, segment->first_page);

    if (i < 0)
        return false;
    uint64_t end = catalog->files[i].first_page + catalog->files[i].pages;
    while ((uint32_t)++i < catalog->n_files && is_same_trace(&catalog->files[i - 1], &catalog->files[i]))
        end += catalog->files[i].pages;
    return segment->first_page < end && segment->pages <= end - segment->first_page;
}

static void check_names(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;
    g_autoptr(GHashTable) ids = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);

    for (uint32_t i = 0; i < catalog->n_files; i++) {
        const XtfPartFile *file = &catalog->files[i];
        bool later_volume = i > 0 && is_same_trace(file - 1, file) && file[-1].commit < file->commit;
        if (!g_hash_table_add(ids, g_bytes_new_static(file->file_id, sizeof file->file_id)) && !later_volume)
            xtf_checking_problem(check, "catalog: file \"%s\" is named twice", file->name);
    }
}

/* True if the file is a volume before the last of its trace. Only such a file may have been removed on purpose. */
static bool is_earlier_volume(const XtfTrace *trace, uint32_t i)
{
    const XtfPartFile *file = &trace->catalog.files[i];

    return trace->superblock.own_first > 0 ||
           (xtf_trace_has_volumes(trace) && i + 1 < trace->catalog.n_files && is_same_trace(file, file + 1));
}

/* True if an entry of a companion is that of its anchor, whose pages follow `first_page` in the companion. */
static bool is_same_entry(const XtfPartFile *file, const XtfPartFile *named, uint64_t first_page)
{
    return file->first_page == named->first_page + first_page && file->pages == named->pages &&
           file->size == named->size && is_same_trace(file, named) && file->commit == named->commit &&
           file->wall_time == named->wall_time && file->epoch == named->epoch && g_str_equal(file->name, named->name);
}

/* Checks that the companion of an anchor names the files that the anchor names. */
static void check_anchor(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;
    g_autoptr(GError) error = NULL;
    g_autofree char *path = xtf_parts_source_path(check->trace->source, 0);
    g_autoptr(XtfTrace) anchor = xtf_trace_open(path, NULL, &error);
    const XtfCatalog *named = anchor ? &anchor->catalog : NULL;
    bool same = anchor && named->n_files + 1 == catalog->n_files;

    for (uint32_t i = 0; same && i < named->n_files; i++)
        same = is_same_entry(&catalog->files[i + 1], &named->files[i], catalog->files[0].first_page);
    if (error)
        xtf_checking_problem(check, "%s", error->message);
    else if (!same)
        xtf_checking_problem(check, "catalog: the files are others than those that \"%s\" names",
                             catalog->files[0].name);
}

void xtf_checking_files(XtfChecking *check)
{
    const XtfTrace *trace = check->trace;
    const XtfCatalog *catalog = &trace->catalog;
    bool has_feature = trace->superblock.incompatible & XTF_FEATURE_FILES;
    uint64_t n_wrong_pages = 0;

    check->wrong_files = g_new0(bool, catalog->n_files + 1);
    check->wrong_pages = g_new0(uint64_t, catalog->n_files + 1);
    if (has_feature != (catalog->n_files > 0))
        xtf_checking_problem(check, "superblock: its feature bit for files does not match the catalog");
    for (uint32_t i = 0; i < catalog->n_files; i++) {
        g_autoptr(GError) error = NULL;
        check->wrong_pages[i] = n_wrong_pages;
        check->wrong_files[i] = !xtf_parts_source_check(trace->source, i, &error);
        if (check->wrong_files[i]) {
            if (catalog->files[i].size > 0 || !is_earlier_volume(trace, i))
                xtf_checking_problem(check, "%s", error->message);
            n_wrong_pages += catalog->files[i].pages;
        }
    }
    check->wrong_pages[catalog->n_files] = n_wrong_pages;
    if ((trace->superblock.incompatible & XTF_FEATURE_ANCHORED) && !check->wrong_files[0])
        check_anchor(check);
    check_names(check);
    for (uint32_t i = 0; catalog->n_files > 0 && trace->superblock.own_first == 0 && i < catalog->n_segments; i++)
        if (!(i == 0 && xtf_trace_has_own_segment(trace)) && !segment_lies_in_files(check, &catalog->segments[i]))
            xtf_checking_problem(check, "segment %u lies in none of the files", i);
}
