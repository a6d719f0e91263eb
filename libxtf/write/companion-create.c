/*
 * Creates companions: copies to the writer what the companion shares with its base.
 */
#include "libxtf/disk/files.h"
#include "libxtf/error.h"
#include "libxtf/tree/parts.h"
#include "libxtf/write/chunk-writer.h"
#include "libxtf/write/companion.h"

static bool copy_schemas(XtfWriter *writer, GError **error)
{
    XtfWriterBase *base = writer->base;
    const XtfCatalog *catalog = &base->trace->catalog;

    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        const XtfSchema *schema = catalog->schemas[i];
        uint32_t id;
        base->schemas[i] = UINT32_MAX;
        if (schema->kind == XTF_SCHEMA_DERIVED)
            continue;
        if (!xtf_writer_add_schema(writer, schema, &id, error))
            return false;
        base->schemas[i] = id;
        memcpy(writer->catalog.limits[id], catalog->limits[i], schema->n_fields * sizeof(XtfLimits));
        writer->limits_changed[id] = catalog->limit_items[i].length > 0;
    }
    return true;
}

static bool copy_strings(XtfWriter *writer, GError **error)
{
    XtfChunkWriter *strings = &writer->strings;

    xtf_chunk_writer_finish(strings);
    xtf_chunk_writer_init(strings);
    if (!xtf_writer_resume_strings(writer, writer->base->trace, error))
        return false;
    strings->elsewhere = strings->bytes->len;
    writer->base->n_strings = strings->refs->len;
    return true;
}

static bool copy_table(XtfWriter *writer, const XtfTableEntry *entry, GError **error)
{
    XtfTrace *trace = writer->base->trace;
    const XtfSchema *schema = trace->catalog.schemas[entry->schema];
    const XtfTable *stored;

    if (!xtf_trace_table(trace, schema->name, &stored, error))
        return false;
    XtfTableWriter *table = xtf_writer_table(writer, writer->base->schemas[entry->schema], error);
    for (uint64_t i = 0; table && i < stored->n_rows; i++)
        if (!xtf_table_writer_append(table, stored->rows + i * schema->row_size, NULL, error))
            return false;
    if (table)
        table->n_limited = table->n_rows;
    return table;
}

static bool copy_tables(XtfWriter *writer, GError **error)
{
    const XtfCatalog *catalog = &writer->base->trace->catalog;

    for (uint32_t i = 0; i < catalog->n_tables; i++)
        if (!copy_table(writer, &catalog->tables[i], error))
            return false;
    return true;
}

static void reference_array(XtfWriter *writer, const XtfArray *stored)
{
    const XtfSchema *schema = writer->catalog.schemas[writer->base->schemas[stored->schema->id]];
    XtfArrayWriter *array = xtf_object_pool_new(&writer->arrays);

    *array = (XtfArrayWriter){
        .writer = writer,
        .schema = schema,
        .location = stored->location,
        .n_rows = stored->n_rows,
        .first = stored->first,
        .last = stored->last,
        .codec = stored->codec,
        .edge = {stored->edge_offset, stored->edge_length, stored->edge_checksum},
        .id = stored->id,
        .segment = stored->segment + 1,
        .height = stored->height,
        .closed = true,
    };
    xtf_writer_clocks_resume_array(writer, array, stored->clock_map);
    xtf_writer_take_array(writer, array);
    xtf_writer_trim_pools(writer, 1);
}

static bool reference_arrays(XtfWriter *writer, GError **error)
{
    enum { ARRAYS_PER_READ = 50 };
    XtfTrace *trace = writer->base->trace;
    uint64_t n = xtf_trace_n_arrays(trace);
    XtfArray arrays[ARRAYS_PER_READ];

    for (uint64_t rank = 0; rank < n; rank += ARRAYS_PER_READ) {
        uint32_t some = (uint32_t)MIN(n - rank, (uint64_t)ARRAYS_PER_READ);
        if (!xtf_trace_get_arrays(trace, rank, some, arrays, error))
            return false;
        for (uint32_t i = 0; i < some; i++) {
            XtfArray local = xtf_array_local(&arrays[i]);
            if (local.schema->kind == XTF_SCHEMA_DERIVED)
                continue;
            if (!xtf_array_is_supported(&local, error))
                return false;
            reference_array(writer, &local);
        }
    }
    return true;
}

static bool copy_base(XtfWriter *writer, GError **error)
{
    XtfTrace *trace = writer->base->trace;

    xtf_writer_clocks_resume(writer, trace->clocks, trace->n_clocks, (XtfRef){0});
    writer->clocks.changed = trace->n_clocks > 0;
    return copy_schemas(writer, error) && copy_strings(writer, error) && copy_tables(writer, error) &&
           reference_arrays(writer, error);
}

/* Checks the base's files. A base in several files must be an anchor whose parts fit it. */
static bool check_files(const XtfTrace *trace, GError **error)
{
    const XtfTraceInfo *info = &trace->superblock.info;

    if (info->joined || info->companion || info->volumes > 0 || (trace->superblock.incompatible & XTF_FEATURE_JOINED))
        return xtf_fail(
            error, XTF_ERROR_UNSUPPORTED,
            "the trace is in several files; a companion can have only one base file, or an anchor of parts");
    for (uint32_t i = 0; i < trace->catalog.n_files; i++)
        if (trace->catalog.files[i].size > 0 && !xtf_parts_source_check(trace->file->source, i, error))
            return false;
    return true;
}

static bool check_base(const XtfTrace *trace, GError **error)
{
    const XtfTraceInfo *info = &trace->superblock.info;

    if (!check_files(trace, error))
        return false;
    if (!info->closed)
        return xtf_fail(error, XTF_ERROR_INVALID, "its writer has not closed it");
    if (info->damaged_commit)
        return xtf_damaged(error, "commit %" PRIu64 " is damaged", info->damaged_commit);
    return xtf_trace_is_supported(trace, error);
}

/* Adds the base. An anchor takes the pages up to its first part, whose files follow. So all pages of the base keep
 * their order and distances. */
static void add_files(XtfWriterBase *base, const char *path)
{
    const XtfCatalog *catalog = &base->trace->catalog;
    const XtfTraceInfo *info = &base->trace->superblock.info;
    XtfPartFile file = xtf_part_file_of(g_path_get_basename(path), info);

    file.size = xtf_source_size(base->trace->file->own);
    file.pages = MAX(info->pages, (file.size + info->page_size - 1) / info->page_size);
    if (catalog->n_files > 0)
        file.pages = catalog->files[0].first_page;
    xtf_writer_base_add_file(base, file);
    for (uint32_t i = 0; i < catalog->n_files; i++) {
        XtfPartFile part = catalog->files[i];
        part.name = g_strdup(part.name);
        xtf_writer_base_add_file(base, part);
    }
}

static XtfWriterBase *new_base(XtfTrace *trace, const char *path)
{
    const XtfCatalog *catalog = &trace->catalog;
    XtfWriterBase *base = xtf_writer_base_new(trace);

    add_files(base, path);
    xtf_writer_base_add_segments(base, catalog->segments, catalog->n_segments, 0);
    base->schemas = g_new(uint32_t, catalog->n_schemas + 1);
    return base;
}

static XtfWriterOptions companion_options(const XtfTrace *trace, const XtfWriterOptions *given)
{
    const XtfClock *clock = &trace->catalog.clock;
    XtfWriterOptions options = given ? *given : (XtfWriterOptions){0};

    options.page_size = trace->superblock.info.page_size;
    options.resolution_num = clock->resolution_num;
    options.resolution_den = clock->resolution_den;
    options.origin = xtf_writer_origin_of(clock);
    return options;
}

/* Makes a new file the companion of a trace. Takes ownership of the file's writer; if that is NULL, because creating it
 * failed, returns NULL. */
static XtfWriter *make_companion(XtfWriter *new, XtfTrace *trace, const char *base, GError **error)
{
    g_autoptr(XtfWriter) writer = new;

    if (!writer)
        return NULL;
    writer->base = new_base(trace, base);
    writer->incompatible = trace->superblock.incompatible | XTF_FEATURE_FILES;
    writer->incompatible |= trace->catalog.n_files > 0 ? XTF_FEATURE_ANCHORED : 0;
    writer->kept_from = trace->kept_from;
    const XtfPartFile *file = &g_array_index(writer->base->files, XtfPartFile, 0);
    if (!xtf_file_name_valid(file->name, strlen(file->name)) || writer->base->pages > XTF_FILES_PAGES_MAX) {
        xtf_fail(error, XTF_ERROR_INVALID, "%s: a companion cannot name a trace with such a file name", base);
        return NULL;
    }
    return copy_base(writer, error) ? g_steal_pointer(&writer) : NULL;
}

XtfWriter *xtf_writer_create_companion(const char *path, XtfTrace *trace, const char *base,
                                       const XtfWriterOptions *given, GError **error)
{
    const XtfWriterOptions options = companion_options(trace, given);

    if (!check_base(trace, error))
        return NULL;
    return make_companion(xtf_writer_create(path, &options, error), trace, base, error);
}

XtfWriter *xtf_writer_create_companion_in(int fd, const char *path, XtfTrace *trace, const char *base,
                                          const XtfWriterOptions *given, GError **error)
{
    const XtfWriterOptions options = companion_options(trace, given);

    if (!check_base(trace, error)) {
        close(fd);
        return NULL;
    }
    return make_companion(xtf_writer_create_in(fd, path, &options, error), trace, base, error);
}
