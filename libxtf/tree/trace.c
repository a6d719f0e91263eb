#include "libxtf/base/checksum.h"
#include "libxtf/disk/strings.h"
#include "libxtf/tree/row-maps.h"

enum { CACHE_BYTES_DEFAULT = 64 << 20 };

/* Reads an item whole, outside of the cache: tables and the heap of strings are held for the trace's life anyway. */
static uint8_t *read_item(XtfTrace *trace, XtfRef ref, const char *what, GError **error)
{
    XtfSource *source = trace->source;

    if (ref.length > source->size || ref.offset > source->size - ref.length) {
        xtf_damaged(error, "%s: it should lie at byte %" PRIu64 ", %u bytes, but the file ends at %" PRIu64, what,
                    ref.offset, ref.length, source->size);
        return NULL;
    }
    g_autofree uint8_t *bytes = g_malloc(MAX(ref.length, 1));
    if (ref.length > 0 && !source->ops->read(source, ref.offset, bytes, ref.length, error))
        return NULL;
    if (xtf_checksum(bytes, ref.length) != ref.checksum) {
        xtf_damaged(error, "%s (byte %" PRIu64 "): its checksum is wrong", what, ref.offset);
        return NULL;
    }
    return g_steal_pointer(&bytes);
}

static bool read_clock_maps(XtfTrace *trace, GError **error)
{
    XtfRef ref = trace->catalog.clock_maps;

    if (trace->catalog.n_clock_maps == 0)
        return true;
    g_autofree uint8_t *maps = read_item(trace, ref, "clock maps", error);
    return maps && xtf_clock_maps_decode(&trace->clock_maps, trace->catalog.n_clock_maps, maps, ref.length, error);
}

/* Widens the limits of instants, which the catalog has in local ticks, to what they are by any map, or by none. */
static void widen_limits(const XtfClockMaps *maps, XtfLimits *limits)
{
    const XtfLimits local = *limits;

    for (uint32_t i = 0; local.min <= local.max && i < maps->n; i++) {
        limits->min = MIN(limits->min, xtf_clock_map_to_global(&maps->maps[i], local.min));
        limits->max = MAX(limits->max, xtf_clock_map_to_global(&maps->maps[i], local.max));
    }
}

static void make_global_limits(XtfTrace *trace)
{
    const XtfCatalog *catalog = &trace->catalog;

    if (trace->clock_maps.n == 0)
        return;
    trace->limits = g_new0(XtfLimits *, catalog->n_schemas);
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        const XtfSchema *schema = catalog->schemas[i];
        trace->limits[i] = g_memdup2(catalog->limits[i], schema->n_fields * sizeof(XtfLimits));
        for (uint32_t f = 0; f < schema->n_fields && schema->kind != XTF_SCHEMA_TABLE; f++)
            if (f == 0 || schema->fields[f].flags & XTF_FIELD_INSTANT)
                widen_limits(&trace->clock_maps, &trace->limits[i][f]);
    }
}

static bool open_snapshot(XtfTrace *trace, GError **error)
{
    if (!xtf_superblock_read(trace->source, &trace->superblock, error))
        return false;
    XtfRef ref = trace->superblock.catalog;
    g_autofree uint8_t *catalog = read_item(trace, ref, "catalog", error);
    if (!catalog || !xtf_catalog_decode(&trace->catalog, catalog, ref.length, error) || !read_clock_maps(trace, error))
        return false;
    make_global_limits(trace);
    trace->tables = g_new0(XtfTable, trace->catalog.n_tables);
    /* Readers make room for as many arrays as the catalog says. */
    uint64_t n_arrays = trace->catalog.n_arrays;
    return n_arrays <= trace->source->size / sizeof(XtfDiskArray) ||
           xtf_damaged(error, "catalog: %" PRIu64 " arrays, more than the file has room for", n_arrays);
}

XtfTrace *xtf_trace_open_source(XtfSource *source, const XtfOpenOptions *options, GError **error)
{
    g_autoptr(XtfTrace) trace = g_new0(XtfTrace, 1);
    size_t cache_bytes = options && options->cache_bytes ? options->cache_bytes : CACHE_BYTES_DEFAULT;

    trace->references = 1;
    trace->source = source;
    trace->cache = xtf_cache_new(source, cache_bytes);
    g_mutex_init(&trace->lock);
    return open_snapshot(trace, error) ? g_steal_pointer(&trace) : NULL;
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
    for (uint32_t i = 0; trace->tables && i < trace->catalog.n_tables; i++)
        g_free((uint8_t *)trace->tables[i].rows);
    g_free(trace->tables);
    g_free(trace->strings);
    xtf_row_maps_free(trace->row_maps);
    for (uint32_t i = 0; trace->limits && i < trace->catalog.n_schemas; i++)
        g_free(trace->limits[i]);
    g_free(trace->limits);
    xtf_clock_maps_finish(&trace->clock_maps);
    xtf_catalog_finish(&trace->catalog);
    xtf_cache_free(trace->cache);
    xtf_source_close(trace->source);
    g_mutex_clear(&trace->lock);
    g_free(trace);
}

const XtfClock *xtf_trace_clock(const XtfTrace *trace)
{
    return &trace->catalog.clock;
}

uint32_t xtf_trace_n_clock_maps(const XtfTrace *trace)
{
    return trace->clock_maps.n;
}

const XtfClockMap *xtf_trace_clock_map(const XtfTrace *trace, uint32_t number)
{
    return xtf_clock_maps_get(&trace->clock_maps, number);
}

void xtf_trace_get_info(const XtfTrace *trace, XtfTraceInfo *info)
{
    *info = trace->superblock.info;
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
        if (g_str_equal(trace->catalog.schemas[i]->name, name))
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

bool xtf_trace_table(XtfTrace *trace, const char *name, const XtfTable **table, GError **error)
{
    uint32_t i = 0;
    while (i < trace->catalog.n_tables &&
           !g_str_equal(trace->catalog.schemas[trace->catalog.tables[i].schema]->name, name))
        i++;
    if (i == trace->catalog.n_tables) {
        *table = NULL;
        return true;
    }

    const XtfTableEntry *entry = &trace->catalog.tables[i];
    XtfTable *loaded = &trace->tables[i];
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&trace->lock);
    if (!loaded->rows) {
        loaded->schema = trace->catalog.schemas[entry->schema];
        loaded->n_rows = entry->n_rows;
        loaded->rows = read_item(trace, entry->rows, name, error);
    }
    if (loaded->rows)
        *table = loaded;
    return loaded->rows != NULL;
}

/* The heap, loaded when first asked for. */
static const uint8_t *string_heap(XtfTrace *trace, GError **error)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&trace->lock);
    if (!trace->strings)
        trace->strings = read_item(trace, trace->catalog.strings, "strings", error);
    return trace->strings;
}

bool xtf_trace_string(XtfTrace *trace, uint32_t string, const char **text, GError **error)
{
    if (string == 0) {
        *text = "";
        return true;
    }
    const uint8_t *heap = string_heap(trace, error);
    if (!heap)
        return false;

    const char *fault = NULL;
    uint32_t length;
    return xtf_strings_get(heap, trace->catalog.strings.length, string, text, &length, &fault) ||
           xtf_damaged(error, "string %u: %s", string, fault);
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
