#include "libxtf/write/parts/anchor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/disk/files.h"
#include "libxtf/disk/strings.h"
#include "libxtf/write/chunk-writer.h"
#include "libxtf/write/companion.h"

void xtf_writer_begin_anchor(XtfWriter *writer)
{
    writer->base = xtf_writer_base_new(NULL);
    writer->incompatible |= XTF_FEATURE_FILES | XTF_FEATURE_JOINED;
}

/* ---- The files of a part. */

static bool is_same_folder(const char *a, const char *b)
{
    g_autofree char *left = g_path_get_dirname(a), *right = g_path_get_dirname(b);
    struct stat x, y;

    return stat(left, &x) == 0 && stat(right, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Checks that no writer has the file. Trusts file systems without locks. */
static bool check_unwritten(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool good = fd >= 0 && (flock(fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK);

    if (!good)
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, fd < 0 ? g_strerror(errno) : "another program is writing it");
    if (fd >= 0)
        close(fd);
    return good;
}

static bool check_part(const XtfWriter *writer, const XtfTrace *trace, const char *path, GError **error)
{
    const XtfTraceInfo *info = &trace->superblock.info;

    if (info->joined || (trace->catalog.n_files > 0 && trace->superblock.own_first == 0))
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: it consists of several files; xtf copy makes one of them", path);
    if (!is_same_folder(writer->path, path))
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: it is not in the folder of the anchor, %s", path, writer->path);
    if (info->page_size != writer->page_size)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "%s has pages of %u bytes, and the first run has pages of %u bytes; xtf copy --page-size %u "
                        "makes a run that fits",
                        path, info->page_size, writer->page_size, writer->page_size);
    if (info->damaged_commit > 0)
        return xtf_damaged(error, "%s: commit %" PRIu64 " cannot be read", path, info->damaged_commit);
    return check_unwritten(path, error);
}

static bool add_files(XtfWriterBase *base, const XtfTrace *trace, const char *path, GError **error)
{
    const XtfTraceInfo *info = &trace->superblock.info;
    XtfPartFile own = xtf_part_file_of(g_path_get_basename(path), info);
    struct stat status;

    for (uint32_t i = 0; i < trace->catalog.n_files; i++) {
        XtfPartFile volume = trace->catalog.files[i];
        volume.name = g_strdup(volume.name);
        xtf_writer_base_add_file(base, volume);
    }
    if (stat(path, &status) != 0) {
        g_free(own.name);
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
    }
    own.size = (uint64_t)status.st_size;
    uint64_t end = trace->superblock.own_first + (own.size + info->page_size - 1) / info->page_size;
    own.pages = MAX(info->pages, end) - trace->superblock.own_first;
    bool valid = xtf_file_name_valid(own.name, strlen(own.name)) && base->pages + own.pages <= XTF_FILES_PAGES_MAX;
    xtf_writer_base_add_file(base, own);
    return valid || xtf_fail(error, XTF_ERROR_INVALID, "%s: an anchor cannot name a file of such a name or size", path);
}

/* Lets each segment have all pages up to the next: places that are reserved may lie past its stored pages. */
static void add_part_segments(XtfWriterBase *base, const XtfTrace *trace, uint64_t first_page)
{
    const XtfCatalog *catalog = &trace->catalog;
    uint32_t before = base->part_segments->len;

    xtf_writer_base_add_segments(base, catalog->segments, catalog->n_segments, first_page);
    XtfSegment *first = &g_array_index(base->part_segments, XtfSegment, before);
    if (catalog->n_segments == 1 && catalog->segments[0].first_page == 0)
        first->pages = base->pages - first_page;
}

/* ---- Strings. */

/* Adds a heap of strings, whose chunks lie in the part. */
static bool add_strings(XtfWriter *writer, XtfTrace *trace, const char *path, uint64_t first_page, GError **error)
{
    const XtfChunks *stored = &trace->catalog.strings;
    XtfChunkWriter *strings = &writer->strings;
    guint start = strings->bytes->len;
    uint64_t id = 0;

    if (stored->bytes > G_MAXINT32 - start)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: the strings of the runs take more than 2 GiB", path);
    for (uint32_t i = 0, at = start; i < stored->n; at += stored->chunks[i++].length) {
        XtfRef ref = stored->chunks[i];
        ref.offset += first_page * writer->page_size;
        g_array_append_val(strings->starts, at);
        g_array_append_val(strings->refs, ref);
    }
    while (id < stored->bytes) {
        const char *text;
        uint32_t copied;
        if (!xtf_trace_string(trace, (uint32_t)id, &text, error))
            return false;
        if (!xtf_strings_add(strings->bytes, text, &copied) || copied != start + id)
            return xtf_damaged(error, "%s: string %" PRIu64 " does not begin where the previous one ends", path, id);
        if (id + start > 0 && !g_hash_table_contains(writer->string_ids, text))
            g_hash_table_insert(writer->string_ids, g_strdup(text), GUINT_TO_POINTER(copied));
        id = xtf_strings_next(id, (uint32_t)strlen(text));
    }
    strings->stored = strings->elsewhere = strings->bytes->len;
    writer->base->n_strings = strings->refs->len;
    return true;
}

/* Stores where the strings of each segment of the part are. */
static void map_strings(const XtfWriter *writer, const XtfTrace *trace, const XtfAnchorPart *part)
{
    const XtfCatalog *catalog = &trace->catalog;

    for (uint32_t i = 0; i < catalog->n_segments; i++) {
        XtfSegmentMap *map = &writer->base->maps[part->first_segment + i];
        const XtfSegmentMap *of_part = catalog->segment_maps ? &catalog->segment_maps[i] : NULL;
        bool moved = of_part && of_part->strings > 0;
        map->strings = part->strings + (moved ? of_part->strings : 0);
        map->strings_length = moved ? of_part->strings_length : (uint32_t)catalog->strings.bytes;
    }
}

bool xtf_writer_add_part(XtfWriter *writer, XtfTrace *trace, const char *path, XtfAnchorPart *part, GError **error)
{
    XtfWriterBase *base = writer->base;
    uint64_t first_page = base->pages;

    if (!check_part(writer, trace, path, error) || !add_files(base, trace, path, error))
        return false;
    if (base->n_strings == 0) { /* the heap has an empty string of its own; the first part has one, too */
        xtf_chunk_writer_finish(&writer->strings);
        xtf_chunk_writer_init(&writer->strings);
    }
    *part = (XtfAnchorPart){.first_segment = base->n_segments, .strings = writer->strings.bytes->len};
    add_part_segments(base, trace, first_page);
    if (!add_strings(writer, trace, path, first_page, error))
        return false;
    map_strings(writer, trace, part);
    writer->incompatible |= trace->superblock.incompatible & ~XTF_FEATURE_FILES;
    return true;
}

/* ---- Tables. */

/* Returns the map of a table in a segment of a merged part; NULL if its rows keep their numbers there. */
static const XtfTableMap *find_map(const XtfCatalog *catalog, uint32_t segment, uint32_t table)
{
    const XtfSegmentMap *map = catalog->segment_maps ? &catalog->segment_maps[segment] : NULL;

    for (uint32_t i = 0; map && i < map->n_tables; i++)
        if (map->tables[i].schema == table)
            return &map->tables[i];
    return NULL;
}

/* Returns the item of a map: of all rows or, if the part maps them already, of one map after the other. */
static GByteArray *encode_map(XtfTrace *trace, const XtfTableMap *map, const uint32_t *rows, uint32_t n, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(XtfBlock) item = map && map->rows.length > 0 ? xtf_item_get(trace, map->rows, error) : NULL;

    if (map && map->rows.length > 0 && !item)
        return NULL;
    uint32_t count = map ? map->rows.length / (uint32_t)sizeof(XtfLe32) : n;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = map ? xtf_load32(item->data + i * sizeof(XtfLe32)) : i;
        if (row >= n) {
            xtf_damaged(error, "segment map (byte %" PRIu64 "): it refers to a row that its table does not have",
                        map ? map->rows.offset : 0);
            return NULL;
        }
        xtf_bytes_write_u32(bytes, rows[row]);
    }
    return g_steal_pointer(&bytes);
}

bool xtf_writer_map_part_table(XtfWriter *writer, XtfTrace *trace, const XtfAnchorPart *part, uint32_t table,
                               uint32_t schema, const uint32_t *rows, uint32_t n, GError **error)
{
    for (uint32_t i = 0; i < trace->catalog.n_segments; i++) {
        GByteArray *bytes = encode_map(trace, find_map(&trace->catalog, i, table), rows, n, error);
        if (!bytes)
            return false;
        const XtfPartTable map = {.segment = part->first_segment + i, .schema = schema, .rows = bytes};
        g_array_append_val(writer->base->tables, map);
    }
    return true;
}
