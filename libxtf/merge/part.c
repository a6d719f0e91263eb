#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/check.h"
#include "libxtf/disk/files.h"
#include "libxtf/merge/merge-private.h"
#include "libxtf/references.h"
#include "libxtf/tree/descent.h"

enum {
    CACHE_BYTES = 4 << 20,       /* a merge reads a part's P index once, from end to end */
    KEPT_CACHE_BYTES = 64 << 10, /* a growing folder reads it at each scan: few nodes may stay */
    ARRAYS_PER_READ = 64,
};

static void clear_file(gpointer data)
{
    g_free(((XtfPartFile *)data)->name);
}

static void clear_segment(gpointer data)
{
    XtfPartSegment *segment = data;

    for (guint i = 0; segment->maps && i < segment->maps->len; i++)
        g_free(g_array_index(segment->maps, XtfNumbersMap, i).rows);
    g_clear_pointer(&segment->maps, g_array_unref);
}

void xtf_part_free(XtfPart *part)
{
    if (!part)
        return;
    g_array_unref(part->segments);
    g_array_unref(part->files);
    g_free(part->strings.chunks);
    g_free(part);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfPart, xtf_part_free)

/* Opens a file that no writer has locked. Trusts file systems without locks. */
static int open_unwritten(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* O_NONBLOCK: do not wait for the writer of a FIFO */
    int code = errno;

    if (fd >= 0 && (flock(fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK))
        return fd;
    if (fd >= 0) {
        close(fd);
        code = EWOULDBLOCK;
    }
    xtf_fail(error, XTF_ERROR_IO, "%s: %s", path,
             code == EWOULDBLOCK ? "another program is writing it" : g_strerror(code));
    return -1;
}

static bool stat_part(XtfPart *part, int fd, GError **error)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", part->path, g_strerror(errno));
    part->device = status.st_dev;
    part->inode = status.st_ino;
    part->size = (uint64_t)status.st_size;
    return true;
}

/* Opens an earlier volume, which has no writer. */
static int open_volume(const XtfPart *part, const XtfPartFile *file, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(part->path), *path = g_build_filename(folder, file->name, NULL);
    uint64_t size;
    int fd = xtf_file_open(path, &size, error);

    if (fd < 0 || size == file->size)
        return fd;
    close(fd);
    xtf_fail(error, XTF_ERROR_IO, "%s: the file changed during the merge", path);
    return -1;
}

int xtf_part_open(const XtfPart *part, const XtfPartFile *file, GError **error)
{
    if (file != &g_array_index(part->files, XtfPartFile, part->files->len - 1))
        return open_volume(part, file, error);
    XtfPart again = {.path = part->path};
    int fd = open_unwritten(part->path, error);
    g_autoptr(XtfTrace) trace = fd >= 0 ? xtf_trace_open(part->path, NULL, error) : NULL;

    if (trace && stat_part(&again, fd, error)) {
        const XtfTraceInfo *now = &trace->superblock.info, *then = &part->superblock.info;
        if (again.device == part->device && again.inode == part->inode && again.size == part->size &&
            now->commit == then->commit && memcmp(now->file_id, then->file_id, sizeof now->file_id) == 0)
            return fd;
        xtf_fail(error, XTF_ERROR_IO, "%s: the file changed during the merge", part->path);
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* ---- Checks of the part itself. */

/* State of a verification: the first problem. */
typedef struct {
    const XtfMerge *merge;
    char *first;
} Verification;

static void record_problem(const char *message, void *data)
{
    Verification *verification = data;

    if (!verification->first)
        verification->first = g_strdup(message);
}

static bool report_verify_progress(double done, void *data)
{
    const XtfMergeOptions *options = &((const Verification *)data)->merge->options;

    return !options->progress || options->progress(0, 0, options->data);
}

/* Verifies all data of the part, copied or rewritten. Damage in rewritten data would no longer be visible after the
 * merge. */
static bool verify_part(const XtfMerge *merge, XtfTrace *trace, GError **error)
{
    Verification verification = {.merge = merge};
    XtfCheckReport report = {0};
    bool good = xtf_trace_verify(trace, record_problem, report_verify_progress, &verification, &report, error);
    g_autofree char *first = verification.first;

    if (good && report.problems > 1)
        return xtf_damaged(error, "%s (and %" PRIu64 " more problems; run xtf check)", first, report.problems - 1);
    return good && (report.problems == 0 || xtf_damaged(error, "%s", first));
}

/* Checks that the newest commit was opened, not the one before it. */
static bool check_newest_commit(const XtfTrace *trace, GError **error)
{
    uint64_t lost = trace->superblock.info.damaged_commit;

    return lost == 0 || xtf_damaged(error, "commit %" PRIu64 " cannot be read", lost);
}

/* Checks that a table, and the strings in its rows, can be read. */
static bool check_table(XtfTrace *trace, const XtfSchema *schema, GError **error)
{
    g_autoptr(GArray) references = xtf_schema_references(schema);
    const XtfTable *table;
    const char *text;

    if (!xtf_trace_table(trace, schema->name, &table, error))
        return false;
    for (uint64_t row = 0; table && row < table->n_rows; row++) {
        const uint8_t *at = table->rows + row * schema->row_size;
        for (guint i = 0; i < references->len; i++) {
            const XtfReference *reference = xtf_reference_at(references, i);
            uint64_t value = xtf_field_get(&schema->fields[reference->field], at);
            if (reference->table || !xtf_reference_holds(reference, schema, at))
                continue;
            if (value > UINT32_MAX)
                return xtf_damaged(error, "table \"%s\", row %" PRIu64 ": a string id is outside of the string heap",
                                   schema->name, row);
            if (!xtf_trace_string(trace, (uint32_t)value, &text, error))
                return false;
        }
    }
    return true;
}

static bool check_tables(XtfTrace *trace, GError **error)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(trace, i);
        if (schema->kind == XTF_SCHEMA_TABLE && !check_table(trace, schema, error))
            return false;
    }
    return true;
}

/* Reads all entries of the P index. */
static bool read_arrays(XtfTrace *trace, GArray *arrays, GError **error)
{
    uint64_t n = xtf_trace_n_arrays(trace);

    for (uint64_t rank = 0; rank < n;) {
        XtfArray some[ARRAYS_PER_READ];
        uint64_t count = MIN(n - rank, (uint64_t)ARRAYS_PER_READ);
        if (!xtf_trace_get_arrays(trace, rank, count, some, error))
            return false;
        for (uint64_t i = 0; i < count; i++)
            if (!xtf_array_is_supported(&some[i], error))
                return false;
        g_array_append_vals(arrays, some, (guint)count);
        rank += count;
    }
    return true;
}

/* ---- Checks against the other parts. */

static bool check_fits(const XtfMerge *merge, const XtfPart *part, const XtfTrace *trace, GError **error)
{
    const XtfClock *clock = &trace->catalog.clock;

    if (trace->superblock.incompatible & XTF_FEATURE_JOINED)
        return xtf_fail(error, XTF_ERROR_INVALID, "%s is an anchor of several runs: xtf copy makes one file of it",
                        part->path);
    if (trace->catalog.n_files > 0 && trace->superblock.own_first == 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "%s is an anchor: give its folder instead", part->path);
    if (merge->parts->len == 0)
        return true;
    const char *first = ((const XtfPart *)merge->parts->pdata[0])->path;
    if (part->superblock.info.page_size != merge->page_size)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "%s has pages of %u bytes, and %s has pages of %u bytes; xtf copy --page-size %u makes a part "
                        "that fits",
                        first, merge->page_size, part->path, part->superblock.info.page_size, merge->page_size);
    if (clock->resolution_num != merge->clock.resolution_num || clock->resolution_den != merge->clock.resolution_den)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "the clocks of %s and %s have different resolutions: %" PRIu64 "/%" PRIu64 " and %" PRIu64
                        "/%" PRIu64 " ticks per second",
                        first, part->path, merge->clock.resolution_num, merge->clock.resolution_den,
                        clock->resolution_num, clock->resolution_den);
    return true;
}

/* ---- Adding the part. */

/* Lists the files of a part: its earlier volumes, and the part itself. */
static void list_files(XtfPart *part, const XtfTrace *trace)
{
    const XtfCatalog *catalog = &trace->catalog;
    uint64_t own_first = trace->superblock.own_first;

    for (uint32_t i = 0; i < catalog->n_files; i++) {
        XtfPartFile file = catalog->files[i];
        file.name = g_strdup(file.name);
        g_array_append_val(part->files, file);
    }
    XtfPartFile own = xtf_part_file_of(g_path_get_basename(part->path), &part->superblock.info);
    own.size = part->size;
    own.first_page = own_first;
    own.pages = part->pages - own_first;
    g_array_append_val(part->files, own);
}

static bool add_segments(XtfMerge *merge, XtfPart *part, const XtfTrace *trace, GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;
    uint32_t page_size = part->superblock.info.page_size;

    if (catalog->n_segments > XTF_SEGMENTS_MAX - merge->n_segments)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: the parts up to this one have more than %d segments",
                        part->path, XTF_SEGMENTS_MAX);
    uint64_t end = trace->superblock.own_first + (part->size + page_size - 1) / page_size;
    part->pages = MAX(part->superblock.info.pages, end);
    list_files(part, trace);
    part->first_segment = merge->n_segments;
    for (uint32_t i = 0; i < catalog->n_segments; i++) {
        XtfPartSegment segment = {.segment = catalog->segments[i]};
        if (catalog->n_segments == 1 && segment.segment.first_page == 0)
            segment.segment.pages = part->pages; /* reserved places too, so that nothing else is put there */
        g_array_append_val(part->segments, segment);
    }
    merge->n_segments += catalog->n_segments;
    return true;
}

static void copy_strings(XtfPart *part, const XtfChunks *strings)
{
    part->strings = (XtfChunks){
        .chunks = g_memdup2(strings->chunks, strings->n * sizeof *strings->chunks),
        .n = strings->n,
        .bytes = strings->bytes,
    };
}

static void add_arrays(XtfMerge *merge, const XtfPart *part, const XtfPartMap *map, GArray *arrays)
{
    for (guint i = 0; i < arrays->len; i++) {
        XtfArray *array = &g_array_index(arrays, XtfArray, i);
        array->schema = merge->join->schemas->pdata[map->schemas[array->schema->id]];
        array->segment += part->first_segment;
        array->trace = NULL;
    }
    g_array_append_vals(merge->arrays, arrays->data, arrays->len);
}

static gint compare_array_ids(gconstpointer a, gconstpointer b)
{
    const XtfArray *x = a, *y = b;

    return x->segment != y->segment ? (x->segment < y->segment ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

/* Adds the leaf lists of a part's arrays, until one does not fit. Leaves out arrays that cannot be read. */
static void add_leaf_lists(XtfMerge *merge, const XtfPart *part, const GArray *arrays)
{
    g_autoptr(GArray) higher = g_array_new(FALSE, FALSE, sizeof(XtfArray));
    g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(XtfDiskEntry));

    for (guint i = 0; i < arrays->len && merge->lists; i++)
        if (g_array_index(arrays, XtfArray, i).height > 1)
            g_array_append_vals(higher, &g_array_index(arrays, XtfArray, i), 1);
    g_array_sort(higher, compare_array_ids);
    for (guint i = 0; i < higher->len && merge->lists; i++) {
        const XtfArray *array = &g_array_index(higher, XtfArray, i);
        g_array_set_size(entries, 0);
        if (xtf_array_leaves(array, entries, XTF_LEAF_LIST_ENTRIES, NULL))
            merge->lists = xtf_leaf_lists_add(merge->leaf_heads, merge->leaf_lists,
                                              part->first_segment + array->segment, array->id, entries);
    }
}

static bool join_part(XtfMerge *merge, XtfPart *part, XtfTrace *trace, GArray *arrays, GError **error)
{
    XtfPartMap map = {0};

    part->superblock = trace->superblock;
    part->clock = trace->catalog.clock;
    if (!check_fits(merge, part, trace, error) || !add_segments(merge, part, trace, error))
        return false;
    copy_strings(part, &trace->catalog.strings);
    add_leaf_lists(merge, part, arrays);
    bool removed = xtf_catalog_n_removed(&trace->catalog) > 0;
    bool good = xtf_merge_add_clocks(merge, part, arrays, removed, error) &&
                xtf_join_schemas(merge->join, trace, part->path, &map, error) &&
                (merge->shared ? xtf_merge_share_tables(merge, trace, &map, error)
                               : xtf_join_tables(merge->join, trace, &map, error));
    if (good)
        add_arrays(merge, part, &map, arrays);
    good = good && xtf_merge_add_numbers(merge, trace, part, &map, error);
    xtf_part_map_finish(&map);
    merge->page_size = part->superblock.info.page_size;
    merge->incompatible |= trace->superblock.incompatible & ~XTF_FEATURE_FILES;
    return good;
}

static guint hash_file(gconstpointer data)
{
    const XtfPart *part = data;
    uint64_t inode = part->inode ^ (uint64_t)part->device << 32;

    return g_int64_hash(&inode);
}

static gboolean is_same_file(gconstpointer a, gconstpointer b)
{
    const XtfPart *left = a, *right = b;
    return left->device == right->device && left->inode == right->inode;
}

GHashTable *xtf_part_set_new(void)
{
    return g_hash_table_new(hash_file, is_same_file);
}

static bool is_part_already(const XtfMerge *merge, const XtfPart *part, GError **error)
{
    const XtfPart *same_file = g_hash_table_lookup(merge->files, part);

    if (same_file)
        xtf_fail(error, XTF_ERROR_INVALID, "%s and %s are the same file", same_file->path, part->path);
    return same_file != NULL;
}

/* Returns the bytes of a part's own file in the opened commit. */
static uint64_t own_size(const XtfTrace *trace)
{
    uint64_t size = trace->superblock.info.file_size;

    for (uint32_t i = 0; i < trace->catalog.n_files; i++)
        size -= trace->catalog.files[i].size;
    return size;
}

/* Returns a growing part that stayed open; NULL if none did. */
static XtfTrace *find_kept(const XtfMerge *merge, XtfPart *part)
{
    const XtfKeptPart *kept = merge->kept ? xtf_kept_parts_find(merge->kept, part->path) : NULL;

    if (!kept)
        return NULL;
    part->device = kept->device;
    part->inode = kept->inode;
    part->size = own_size(kept->trace);
    return xtf_trace_ref(kept->trace);
}

/* Opens the part's newest commit. Fails if the part is being written, unless parts may grow. */
static XtfTrace *open_newest_commit(const XtfMerge *merge, XtfPart *part, GError **error)
{
    const XtfOpenOptions options = {.cache_bytes = merge->growing ? KEPT_CACHE_BYTES : CACHE_BYTES};
    uint64_t size;
    int fd = merge->growing ? xtf_file_open(part->path, &size, error) : open_unwritten(part->path, error);

    if (fd < 0)
        return NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(part->path, &options, error);
    bool good = trace && stat_part(part, fd, error);
    close(fd);
    if (!good)
        return NULL;
    if (merge->growing)
        part->size = own_size(trace);
    if (merge->kept)
        xtf_kept_parts_add(merge->kept, part->path, &(XtfKeptPart){trace, part->device, part->inode});
    return g_steal_pointer(&trace);
}

/* Checks a part. If parts share their tables, checks only the tables of the first: all have just been written. */
static bool is_sound(const XtfMerge *merge, XtfTrace *trace, GError **error)
{
    bool verifies = !merge->growing && !merge->shared, has_tables = merge->shared && merge->parts->len > 0;

    return (merge->growing || check_newest_commit(trace, error)) && (!verifies || verify_part(merge, trace, error)) &&
           xtf_trace_is_supported(trace, error) && (has_tables || check_tables(trace, error));
}

bool xtf_merge_add_part(XtfMerge *merge, const char *path, bool *fatal, GError **error)
{
    g_autoptr(XtfPart) part = g_new0(XtfPart, 1);
    g_autoptr(GArray) arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray));

    *fatal = false;
    part->path = path;
    part->files = g_array_new(FALSE, FALSE, sizeof(XtfPartFile));
    g_array_set_clear_func(part->files, clear_file);
    part->segments = g_array_new(FALSE, FALSE, sizeof(XtfPartSegment));
    g_array_set_clear_func(part->segments, clear_segment);
    g_autoptr(XtfTrace) trace = find_kept(merge, part);
    if (!trace)
        trace = open_newest_commit(merge, part, error);
    if (!trace)
        return false;
    if (!is_sound(merge, trace, error) || !read_arrays(trace, arrays, error)) {
        g_prefix_error(error, "%s: ", path);
        return false;
    }
    *fatal = true;
    if (is_part_already(merge, part, error) || !join_part(merge, part, trace, arrays, error))
        return false;
    g_hash_table_add(merge->files, part);
    g_ptr_array_add(merge->parts, g_steal_pointer(&part));
    return true;
}
