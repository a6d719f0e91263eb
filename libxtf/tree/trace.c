#include <stdlib.h>
#include <unistd.h>

#include "libxtf/base/fetching-source.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/tree/clocks.h"
#include "libxtf/tree/parts.h"
#include "libxtf/tree/row-maps.h"

/* Default bound of the page cache: a fraction of the machine's memory, within these limits, and no more than a few
 * times the file. Blocks that were unpacked for queries take one to three times the bytes of their pages. */
enum { CACHE_BYTES_LEAST = 64 << 20, CACHE_BYTES_MOST = 1 << 30, CACHE_MEMORY_DIVISOR = 32, CACHE_FILE_FACTOR = 4 };

static size_t default_cache_bytes(uint64_t file_size)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && page_size > 0 ? (uint64_t)pages * (uint64_t)page_size : 0;
    uint64_t most = MIN(MIN(memory / CACHE_MEMORY_DIVISOR, file_size * CACHE_FILE_FACTOR), (uint64_t)CACHE_BYTES_MOST);

    return (size_t)MAX(most, (uint64_t)CACHE_BYTES_LEAST);
}

/* Sets the default bound of the page cache for the size of a snapshot's file. A bound that the caller has set stays.
 * The files of a joined trace may grow without a new snapshot of this one, so they do not count. */
static void bound_cache(XtfTraceFile *file, uint64_t file_size)
{
    size_t bytes = default_cache_bytes(file->joined ? CACHE_BYTES_MOST : file_size);
    XtfCacheStats stats;

    if (file->cache)
        xtf_cache_get_stats(file->cache, &stats);
    if (!file->default_cache || (file->cache && stats.limit != file->cache_bytes))
        return;
    file->cache_bytes = bytes;
    if (file->cache)
        xtf_cache_set_limit(file->cache, bytes);
}

/* Allocates the tables and strings, which are loaded when first needed. */
static void prepare_tables(XtfTrace *trace)
{
    const XtfChunks *strings = &trace->catalog.strings;

    trace->tables = g_new0(XtfTable, trace->catalog.n_tables + 1);
    trace->strings = g_new0(uint8_t *, strings->n + 1);
    trace->string_starts = g_new(uint64_t, strings->n + 1);
    for (uint32_t i = 0; i <= strings->n; i++)
        trace->string_starts[i] = i == 0 ? 0 : trace->string_starts[i - 1] + strings->chunks[i - 1].length;
}

/* Frees the tables and strings. Called before the catalog is freed. */
static void drop_tables(XtfTrace *trace)
{
    for (uint32_t i = 0; trace->tables && i < trace->catalog.n_tables; i++)
        g_free((uint8_t *)trace->tables[i].rows);
    for (uint32_t i = 0; trace->strings && i < trace->catalog.strings.n; i++)
        g_free(trace->strings[i]);
    g_free(trace->tables);
    g_free(trace->strings);
    g_free(trace->string_starts);
}

/* Removes the first n schemas from the catalog, because the file owns them. Called before the catalog is freed. */
static void unshare_schemas(XtfTrace *trace, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        trace->catalog.schemas[i] = NULL;
}

static void file_unref(XtfTraceFile *file)
{
    if (!g_atomic_int_dec_and_test(&file->references))
        return;
    if (file->joined)
        file->joined->end(file->joined, file->cache);
    xtf_cache_free(file->cache);
    xtf_source_close(file->source);
    g_ptr_array_unref(file->schemas);
    g_hash_table_unref(file->clocks);
    g_mutex_clear(&file->growing);
    g_free(file);
}

static void free_schema(gpointer schema)
{
    xtf_schema_free(schema);
}

/* Replaces the catalog's schemas by the equal ones of the file. */
static bool share_schemas(XtfTrace *trace, GError **error)
{
    GPtrArray *shared = trace->file->schemas;

    for (uint32_t i = 0; i < trace->catalog.n_schemas; i++) {
        XtfSchema **schema = &trace->catalog.schemas[i];
        if (i == shared->len) {
            g_ptr_array_add(shared, *schema);
        } else if (xtf_schema_equal(*schema, shared->pdata[i])) {
            xtf_schema_free(*schema);
            *schema = shared->pdata[i];
        } else {
            unshare_schemas(trace, i);
            return xtf_fail(error, XTF_ERROR_INVALID, "schema %u differs from an earlier commit: open the file again",
                            i);
        }
    }
    return true;
}

static bool is_anchored(const XtfTrace *trace)
{
    return trace->superblock.incompatible & XTF_FEATURE_ANCHORED;
}

/* True if the file is a companion. Its own segment is the first one; the others are in its base, which is one part, or
 * an anchor with its parts. */
static bool is_companion(const XtfTrace *trace)
{
    const XtfCatalog *catalog = &trace->catalog;

    return (is_anchored(trace) ? catalog->n_files > 1 : catalog->n_files == 1) &&
           !(trace->superblock.incompatible & XTF_FEATURE_JOINED) && trace->superblock.own_first == 0 &&
           catalog->segments[0].first_page == 0 &&
           catalog->segments[0].id == xtf_load64(trace->superblock.info.file_id);
}

/* Checks that a file of the base of a companion is the one it was made for. A different base does not count as damage
 * of the companion, nor does a missing part of an anchor. */
static bool check_base_file(const XtfTrace *trace, uint32_t i, GError **error)
{
    GError *problem = NULL;

    if (xtf_parts_source_check(trace->file->source, i, &problem))
        return true;
    if (g_error_matches(problem, XTF_ERROR, XTF_ERROR_DAMAGED) ||
        g_error_matches(problem, XTF_ERROR, XTF_ERROR_NOT_XTF) ||
        (i > 0 && !g_error_matches(problem, XTF_ERROR, XTF_ERROR_STALE)))
        problem->code = XTF_ERROR_INVALID;
    g_propagate_error(error, problem);
    return false;
}

/* Checks all files of the base of a companion, except volumes that were removed on purpose. */
static bool check_base(const XtfTrace *trace, GError **error)
{
    for (uint32_t i = 0; i < trace->catalog.n_files; i++)
        if (trace->catalog.files[i].size > 0 && !check_base_file(trace, i, error))
            return false;
    return true;
}

/* Returns the path of a companion's base. Symbolic links to an anchor are resolved, because its parts are in its
 * folder. The caller frees the path. */
static char *find_base(const XtfTrace *trace)
{
    const char *base = trace->file->base;
    char *real = is_anchored(trace) ? realpath(base, NULL) : NULL, *found = g_strdup(real ? real : base);

    free(real);
    return found;
}

/* Replaces the file's source by one that includes the parts. On failure the file has no source. */
static bool add_parts(XtfTrace *trace, GError **error)
{
    XtfTraceFile *file = trace->file;
    XtfCatalog *catalog = &trace->catalog;
    g_autofree char *base = file->base ? find_base(trace) : NULL, *folder = base ? g_path_get_dirname(base) : NULL;
    const XtfPartsSetting setting = {
        .own = file->own,
        .folder = file->joined ? file->joined->folder : folder,
        .page_size = trace->superblock.info.page_size,
        .growing = file->joined != NULL,
        .anchored = is_anchored(trace),
    };

    if (file->base) { /* the base may have been renamed */
        g_free(catalog->files[0].name);
        catalog->files[0].name = g_path_get_basename(base);
    }
    if (file->source == file->own)
        file->source = xtf_parts_source_new(&setting, error);
    return file->source && xtf_parts_source_add(file->source, catalog->files, catalog->n_files, error) &&
           (!is_companion(trace) || check_base(trace, error));
}

/* Prepares the file after its first snapshot was read: adds its parts, counts the files' bytes and creates the cache.
 */
static bool prepare_file(XtfTrace *trace, GError **error)
{
    XtfTraceFile *file = trace->file;
    const XtfCatalog *catalog = &trace->catalog;

    if (is_anchored(trace) && !is_companion(trace))
        return xtf_damaged(
            error,
            "superblock: it is marked as the companion of an anchor, but the catalog names no anchor with its parts");
    if (file->base && !is_companion(trace))
        return xtf_fail(error, XTF_ERROR_INVALID, "it is not a companion of a trace");
    if (catalog->n_files > 0 && !file->cache && !add_parts(trace, error))
        return false;
    trace->superblock.info.companion = is_companion(trace);
    trace->superblock.info.joined = file->joined != NULL;
    if (file->joined) /* the anchor in memory is not counted */
        trace->superblock.info.file_size = 0;
    for (uint32_t i = 0; i < catalog->n_files; i++)
        trace->superblock.info.file_size += catalog->files[i].size;
    trace->superblock.info.removed = xtf_catalog_n_removed(catalog);
    trace->kept_from = trace->superblock.info.removed > 0 ? catalog->clock.first : 0;
    if (trace->superblock.own_first > 0)
        trace->superblock.info.volumes = catalog->n_files + 1;
    else
        trace->superblock.info.parts = catalog->n_files;
    bound_cache(file, trace->superblock.info.file_size);
    if (!file->cache) {
        file->cache = xtf_cache_new(file->source, file->cache_bytes);
        if (file->joined)
            file->joined->begin(file->joined, file->cache, file->cache_bytes);
    }
    trace->source = file->source;
    trace->cache = file->cache;
    return true;
}

/* Opens the newest snapshot of the file. Takes over the caller's reference, also on failure. */
static XtfTrace *open_file(XtfTraceFile *file, GError **error)
{
    enum { COUNTS_EXPECTED = 64 };
    g_autoptr(XtfTrace) trace = g_new0(XtfTrace, 1);

    trace->references = 1;
    atomic_init(&trace->counts_expected, COUNTS_EXPECTED);
    trace->file = file;
    trace->source = file->source;
    g_mutex_init(&trace->lock);
    if (!xtf_trace_open_snapshot(trace, error) || !prepare_file(trace, error) || !share_schemas(trace, error))
        return NULL;
    trace->shares_schemas = true;
    prepare_tables(trace);
    xtf_trace_take_clocks(trace);
    xtf_trace_load_leaf_lists(trace);
    return g_steal_pointer(&trace);
}

/* Starts to read the superblocks and the end of the file, where the opening run of a closed file lies, at the same
 * time.
 */
static void expect_opening(XtfSource *source)
{
    enum { TAIL_BYTES = 96 << 10 };
    uint64_t size = source->size, tail = MIN(size, (uint64_t)TAIL_BYTES);

    if (!source->ops->expect)
        return;
    source->ops->expect(source, 0, XTF_SUPERBLOCK_SLOTS * XTF_SUPERBLOCK_STRIDE);
    source->ops->expect(source, size - tail, tail);
}

/* Opens a trace from a source. `joined` and `base` may be NULL. */
static XtfTrace *open_new_file(XtfSource *source, XtfJoinedFiles *joined, const char *base,
                               const XtfOpenOptions *options, GError **error)
{
    XtfTraceFile *file = g_new0(XtfTraceFile, 1);
    g_auto(XtfGathering) gathering;

    if (source->ops->read_ranges)
        source = xtf_fetching_source_new(source);
    xtf_gathering_begin(&gathering, source, XTF_GATHER_OPENING);
    expect_opening(source);
    *file = (XtfTraceFile){.references = 1, .source = source, .own = source, .joined = joined, .base = base};
    file->default_cache = !options || options->cache_bytes == 0;
    file->cache_bytes = options ? options->cache_bytes : 0;
    file->older_commit = options && options->older_commit && !joined && !base;
    file->schemas = g_ptr_array_new_with_free_func(free_schema);
    file->clocks = xtf_clock_set_new();
    g_mutex_init(&file->growing);
    XtfTrace *trace = open_file(file, error);
    if (trace)
        file->base = NULL;
    return trace;
}

XtfTrace *xtf_trace_open_joined(XtfSource *source, XtfJoinedFiles *joined, const XtfOpenOptions *options,
                                GError **error)
{
    return open_new_file(source, joined, NULL, options, error);
}

XtfTrace *xtf_trace_open_companion(const char *path, const char *base, const XtfOpenOptions *options, GError **error)
{
    XtfSource *source = xtf_source_open_pread(path, error);
    XtfTrace *trace = source ? open_new_file(source, NULL, base, options, error) : NULL;

    if (source && !trace)
        g_prefix_error(error, "%s: ", path);
    return trace;
}

XtfTrace *xtf_trace_open_source(XtfSource *source, const XtfOpenOptions *options, GError **error)
{
    return xtf_trace_open_joined(source, NULL, options, error);
}

XtfTrace *xtf_trace_open(const char *path, const XtfOpenOptions *options, GError **error)
{
    bool use_mmap = options && options->use_mmap;
    XtfSource *source = use_mmap ? xtf_source_open_mmap(path, error) : xtf_source_open_pread(path, error);
    if (!source)
        return NULL;
    XtfTrace *trace = xtf_trace_open_source(source, options, error);
    if (!trace)
        g_prefix_error(error, "%s: ", path);
    return trace;
}

XtfTrace *xtf_trace_ref(XtfTrace *trace)
{
    g_atomic_int_inc(&trace->references);
    return trace;
}

void xtf_trace_unref(XtfTrace *trace)
{
    if (!trace || !g_atomic_int_dec_and_test(&trace->references))
        return;
    drop_tables(trace);
    xtf_trace_drop_opening(trace);
    g_clear_pointer(&trace->leaf_lists, g_array_unref);
    g_free(trace->leaf_lists_item);
    xtf_row_maps_free(trace->row_maps);
    g_clear_pointer(&trace->part_remarks, g_ptr_array_unref);
    xtf_trace_drop_clocks(trace);
    if (trace->shares_schemas)
        unshare_schemas(trace, trace->catalog.n_schemas);
    xtf_catalog_finish(&trace->catalog);
    file_unref(trace->file);
    g_mutex_clear(&trace->lock);
    g_free(trace);
}

/* Opens the next volume if the writer has begun it. A volume that ended changes no more, so it is closed with the last
 * snapshot of it. */
static bool open_next_volume(const XtfTrace *trace, XtfTrace **later, GError **error)
{
    const XtfTraceFile *file = trace->file;
    const XtfOpenOptions options = {.cache_bytes = file->default_cache ? 0 : file->cache_bytes};
    const char *path = xtf_trace_next_volume(trace);

    *later = path ? xtf_trace_open(path, &options, error) : NULL;
    return *later || !path;
}

bool xtf_trace_refresh(XtfTrace *trace, XtfTrace **later, GError **error)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&trace->file->growing);
    bool found;

    *later = NULL;
    if (trace->file->joined)
        return trace->file->joined->refresh(trace->file->joined, trace, later, error);
    if (trace->source->ops->map)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "a memory-mapped trace cannot be followed");
    if (trace->passed_over)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "a trace of an older commit cannot be followed");
    if (!xtf_trace_has_later(trace, &found, error))
        return false;
    if (!found)
        return open_next_volume(trace, later, error);
    g_atomic_int_inc(&trace->file->references);
    g_autoptr(XtfTrace) opened = open_file(trace->file, error);
    if (!opened)
        return false;
    if (memcmp(opened->superblock.info.file_id, trace->superblock.info.file_id,
               sizeof trace->superblock.info.file_id) != 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "a different trace was written over the file: open it again");
    if (opened->superblock.info.commit <= trace->superblock.info.commit)
        return xtf_damaged(error, "commit %" PRIu64 " is damaged, or not completely written yet",
                           opened->superblock.info.damaged_commit);
    if (opened->catalog.n_files > 0 && opened->superblock.own_first == 0)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "an anchor that was rewritten cannot be followed: open it again");
    *later = g_steal_pointer(&opened);
    return true;
}

const char *xtf_format_version(void)
{
    return XTF_FORMAT_VERSION;
}

const XtfClock *xtf_trace_clock(const XtfTrace *trace)
{
    return &trace->catalog.clock;
}

uint64_t xtf_trace_kept_from(const XtfTrace *trace)
{
    return trace->kept_from;
}

void xtf_trace_get_info(const XtfTrace *trace, XtfTraceInfo *info)
{
    *info = trace->superblock.info;
    info->merged = trace->superblock.own_first == 0 && xtf_catalog_is_merged(&trace->catalog);
    info->runs = trace->superblock.incompatible & XTF_FEATURE_JOINED;
    info->writer = trace->catalog.writer;
}

/* True if another volume of the same trace follows a file. */
static bool is_earlier_volume(const XtfCatalog *catalog, uint32_t i)
{
    const XtfPartFile *file = &catalog->files[i], *next = file + 1;

    return i + 1 < catalog->n_files && memcmp(file->file_id, next->file_id, sizeof file->file_id) == 0;
}

char **xtf_trace_part_paths(const XtfTrace *trace, bool all_volumes)
{
    const XtfCatalog *catalog = &trace->catalog;
    GPtrArray *paths = g_ptr_array_new();

    for (uint32_t i = 0; i < catalog->n_files; i++)
        if (all_volumes || !is_earlier_volume(catalog, i))
            g_ptr_array_add(paths, xtf_parts_source_path(trace->file->source, i));
    g_ptr_array_add(paths, NULL);
    return (char **)g_ptr_array_free(paths, FALSE);
}

uint32_t xtf_trace_n_schemas(const XtfTrace *trace)
{
    return trace->catalog.n_schemas;
}

const XtfSchema *xtf_trace_schema(const XtfTrace *trace, uint32_t id)
{
    return id < trace->catalog.n_schemas ? trace->catalog.schemas[id] : NULL;
}

const XtfSchema *xtf_trace_find_schema(const XtfTrace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->catalog.n_schemas; i++)
        if (g_str_equal(trace->catalog.schemas[i]->name, name) &&
            xtf_schema_kind_is_supported(trace->catalog.schemas[i]))
            return trace->catalog.schemas[i];
    return NULL;
}

const XtfLimits *xtf_trace_limits(const XtfTrace *trace, uint32_t schema, uint32_t field)
{
    return trace->limits ? &trace->limits[schema][field] : &trace->catalog.limits[schema][field];
}

uint64_t xtf_trace_n_rows(const XtfTrace *trace, uint32_t schema)
{
    return trace->catalog.n_rows[schema];
}

void xtf_trace_get_counters(const XtfTrace *trace, XtfCounters *counters)
{
    XtfCacheStats cache;

    xtf_cache_get_stats(trace->cache, &cache);
    *counters = (XtfCounters){
        .page_visits = atomic_load_explicit(&trace->page_visits, memory_order_relaxed),
        .key_comparisons = atomic_load_explicit(&trace->key_comparisons, memory_order_relaxed),
        .cache_hits = cache.hits,
        .cache_misses = cache.misses,
        .cache_loads = cache.loads,
        .cache_evictions = cache.evictions,
        .cache_bytes = cache.bytes,
        .cache_pinned_bytes = cache.pinned_bytes,
        .cache_limit = cache.limit,
    };
}

void xtf_trace_set_cache_bytes(XtfTrace *trace, size_t bytes)
{
    xtf_cache_set_limit(trace->cache, bytes);
}

void xtf_trace_trim_cache(XtfTrace *trace, size_t bytes)
{
    xtf_cache_trim(trace->cache, bytes);
}
