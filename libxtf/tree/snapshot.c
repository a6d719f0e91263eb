/*
 * Opens a snapshot of a file: finds a commit whose catalog, schemas and clock maps can be read. Also finds features of
 * the file that this version does not know; FORMAT.md, section 2, defines their consequences.
 */
#include "libxtf/disk/format.h"
#include "libxtf/tree/items.h"
#include "libxtf/tree/parts.h"

/* True if a read costs little, as from a local file or from memory. */
static bool reads_are_cheap(const XtfSource *source)
{
    return source->ops->expect || source->ops->map;
}

/* Reads the bytes needed for opening by one call, as far as the superblock gives their place. Other items are read
 * individually. If reads are cheap, reads only the end of a long run, which has the schemas and the catalog. Questions
 * about few arrays need little of the index and the tables before it. */
static void read_opening(XtfTrace *trace)
{
    enum { OPENING_BYTES_MAX = 4 << 20, END_BYTES = 64 << 10 };
    const XtfSuperblock *superblock = &trace->superblock;
    XtfSource *source = trace->source;
    uint32_t length = superblock->opening_bytes;

    if (length > OPENING_BYTES_MAX || length > xtf_source_size(source) ||
        superblock->opening > xtf_source_size(source) - length)
        return;
    uint32_t before = length > XTF_OPENING_SHORT_BYTES && reads_are_cheap(source) ? length - END_BYTES : 0;
    XtfOpening *opening = &trace->opening;
    *opening = (XtfOpening){.offset = superblock->opening + before, .length = length - before};
    opening->bytes = g_malloc(MAX(opening->length, 1));
    if (length > 0 && !source->ops->read(source, opening->offset, opening->bytes, opening->length, NULL))
        opening->length = 0; /* each item is then read individually, with its own error */
}

static bool read_schemas(XtfTrace *trace, GError **error)
{
    XtfCatalog *catalog = &trace->catalog;

    for (uint32_t i = 0; i < catalog->schema_chunks.n; i++) {
        XtfRef chunk = catalog->schema_chunks.chunks[i];
        g_autofree uint8_t *own = NULL;
        const uint8_t *bytes = xtf_trace_borrow_item(trace, chunk, "schemas", &own, error);
        if (!bytes || !xtf_catalog_decode_schemas(catalog, bytes, chunk.length, error))
            return false;
    }
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        XtfRef item = catalog->limit_items[i];
        if (item.length == 0)
            continue;
        g_autofree uint8_t *own = NULL;
        const uint8_t *bytes = xtf_trace_borrow_item(trace, item, "limits", &own, error);
        if (!bytes || !xtf_catalog_decode_limits(catalog, i, bytes, item.length, error))
            return false;
    }
    return xtf_catalog_check(catalog, error);
}

static bool read_clock_maps(XtfTrace *trace, GError **error)
{
    XtfRef ref = trace->catalog.clock_maps;

    if (trace->catalog.n_clock_maps == 0)
        return true;
    g_autofree uint8_t *own = NULL;
    const uint8_t *maps = xtf_trace_borrow_item(trace, ref, "clock maps", &own, error);
    return maps && xtf_clock_maps_decode(&trace->clock_maps, trace->catalog.n_clock_maps, maps, ref.length, error);
}

static bool read_catalog(XtfTrace *trace, GError **error)
{
    XtfRef ref = trace->superblock.catalog;

    read_opening(trace);
    g_autofree uint8_t *own = NULL;
    const uint8_t *catalog = xtf_trace_borrow_item(trace, ref, "catalog", &own, error);
    if (!catalog || !xtf_catalog_decode(&trace->catalog, catalog, ref.length, error) || !read_schemas(trace, error) ||
        !read_clock_maps(trace, error))
        return false;
    /* Readers allocate memory for the stated number of arrays, and for all strings that they need. Most strings of an
     * anchor are in other files. */
    uint64_t n_arrays = trace->catalog.n_arrays, strings = trace->catalog.strings.bytes;
    if (trace->catalog.n_files == 0 && strings > xtf_source_size(trace->source))
        return xtf_damaged(error, "catalog: %" PRIu64 " bytes of strings exceed the size of the file", strings);
    return n_arrays <= xtf_source_size(trace->source) / sizeof(XtfDiskArray) ||
           xtf_damaged(error, "catalog: %" PRIu64 " arrays exceed the size of the file", n_arrays);
}

void xtf_trace_drop_opening(XtfTrace *trace)
{
    g_free(trace->opening.bytes);
    trace->opening = (XtfOpening){0};
}

/* True if items are taken from the bytes of the opening run later, too. A snapshot of a growing file is soon replaced
 * by a later one, so it keeps no bytes. Mapped bytes need no copy. */
static bool keeps_opening(const XtfTrace *trace)
{
    return trace->superblock.info.closed && !trace->source->ops->map && trace->opening.length <= XTF_OPENING_KEPT_BYTES;
}

/* Opens the commit of a superblock. */
static bool open_commit(XtfTrace *trace, const XtfSuperblock *superblock, GError **error)
{
    trace->superblock = *superblock;
    trace->superblock.info.file_size = xtf_source_size(trace->file ? trace->file->own : trace->source);
    bool good = read_catalog(trace, error);
    if (!good || !keeps_opening(trace))
        xtf_trace_drop_opening(trace);
    if (!good) {
        xtf_clock_maps_finish(&trace->clock_maps);
        xtf_catalog_finish(&trace->catalog);
    }
    return good;
}

bool xtf_trace_read_twin(const XtfTrace *trace, XtfTwin *twin, GError **error)
{
    const XtfSuperblock *own = &trace->superblock;
    XtfTrace copy = {.source = trace->source};
    bool found;

    if (!xtf_superblock_read_slot(trace->file->own, 1u - own->slot, &twin->superblock, &found, error))
        return false;
    if (!found || twin->superblock.info.commit != own->info.commit)
        return true;
    bool good = open_commit(&copy, &twin->superblock, error);
    xtf_trace_drop_opening(&copy);
    xtf_clock_maps_finish(&copy.clock_maps);
    twin->catalog = copy.catalog;
    twin->found = good;
    return good;
}

/* Tries the superblocks in turn. If the catalog of the first is damaged, the second leads to another copy of it, or to
 * the previous commit. */
static bool open_any_commit(XtfTrace *trace, const XtfSuperblock *superblocks, unsigned n, GError **error)
{
    g_autoptr(GError) damage = NULL;

    if (open_commit(trace, &superblocks[0], &damage))
        return true;
    bool lost =
        g_error_matches(damage, XTF_ERROR, XTF_ERROR_DAMAGED) || g_error_matches(damage, XTF_ERROR, XTF_ERROR_IO);
    if (n > 1 && lost && open_commit(trace, &superblocks[1], NULL)) {
        if (superblocks[1].info.commit != superblocks[0].info.commit)
            trace->superblock.info.damaged_commit = superblocks[0].info.commit;
        return true;
    }
    g_propagate_error(error, g_steal_pointer(&damage));
    return false;
}

/* Opens the commit before the newest one. */
static bool open_older_commit(XtfTrace *trace, const XtfSuperblock *superblocks, unsigned n, GError **error)
{
    uint64_t newest = superblocks[0].info.commit;

    if (n < 2 || superblocks[1].info.commit == newest)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the file has no commit before commit %" PRIu64, newest);
    trace->passed_over = newest;
    return open_commit(trace, &superblocks[1], error);
}

/* Gives the pages of a later volume their numbers. Earlier volumes are added when the catalog has named them. */
static bool number_pages(XtfTrace *trace, const XtfSuperblock *superblock, GError **error)
{
    XtfTraceFile *file = trace->file;

    if (file->source == file->own && superblock->own_first > 0) {
        const XtfPartsSetting setting = {
            .own = file->own, .own_first = superblock->own_first, .page_size = superblock->info.page_size};
        trace->source = file->source = xtf_parts_source_new(&setting, error);
    }
    if (!file->source)
        return false;
    return file->source == file->own || file->source->ops->grow(file->source, error);
}

bool xtf_trace_open_snapshot(XtfTrace *trace, GError **error)
{
    XtfSource *own = trace->file->own;
    uint64_t tried = 0;

    for (;;) {
        XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS];
        unsigned n;
        g_autoptr(GError) problem = NULL;
        if (!xtf_superblock_read(own, superblocks, &n, error) || (own->ops->grow && !own->ops->grow(own, error)) ||
            !number_pages(trace, &superblocks[0], error))
            return false;
        xtf_superblock_prefer_longer_run(own, superblocks, n);
        if ((trace->file->older_commit ? open_older_commit : open_any_commit)(trace, superblocks, n, &problem))
            return true;
        if (superblocks[0].info.commit <= tried) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return false;
        }
        tried = superblocks[0].info.commit;
    }
}

/* ---- Unknown features. */

static bool is_version_known(const XtfTraceInfo *info, GError **error)
{
    return info->version_minor <= XTF_VERSION_MINOR ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                    "the file has format %u.%u; this program writes formats up to %d.%d and would lose newer content",
                    info->version_major, info->version_minor, XTF_VERSION_MAJOR, XTF_VERSION_MINOR);
}

bool xtf_trace_is_supported(const XtfTrace *trace, GError **error)
{
    const XtfSuperblock *superblock = &trace->superblock;
    uint64_t unknown = superblock->read_only | superblock->compatible; /* no such feature is defined yet */

    if (!is_version_known(&superblock->info, error))
        return false;
    if (unknown != 0)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the file has unknown features that this program would lose (bits 0x%" PRIx64 ")", unknown);
    if (trace->catalog.has_unknown)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the file has an unknown section that this program would lose");
    for (uint32_t i = 0; i < trace->catalog.n_schemas; i++)
        if (!xtf_schema_is_supported(trace->catalog.schemas[i], error))
            return false;
    return true;
}
