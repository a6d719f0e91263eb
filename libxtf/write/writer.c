#include "libxtf/write/writer-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "libxtf/base/string-hash.h"
#include "libxtf/disk/address.h"
#include "libxtf/disk/strings.h"
#include "libxtf/error.h"
#include "libxtf/pack/pack.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/schema/value-limits.h"
#include "libxtf/write/chunk-writer.h"
#include "libxtf/write/companion.h"
#include "libxtf/write/volume-list.h"

static void free_arrays(XtfWriter *writer)
{
    XtfArrayWriter *array;
    XtfObjectIter arrays;

    xtf_object_iter_init(&arrays, &writer->arrays);
    while ((array = xtf_object_iter_next(&arrays)))
        xtf_array_writer_finish(array);
    xtf_object_pool_finish(&writer->arrays);
    g_ptr_array_unref(writer->nodes);
    xtf_object_pool_finish(&writer->entries);
}

static void free_table(gpointer data)
{
    XtfTableWriter *table = data;
    xtf_chunk_writer_finish(&table->rows);
    g_free(table);
}

XtfWriter *xtf_writer_new_empty(int fd, const char *path)
{
    XtfWriter *writer = g_new0(XtfWriter, 1);

    writer->fd = fd;
    writer->edges_fd = -1;
    writer->path = g_strdup(path);
    g_mutex_init(&writer->lock);
    writer->catalog.schemas = g_new0(XtfSchema *, XTF_SCHEMAS_MAX);
    writer->catalog.limits = g_new0(XtfLimits *, XTF_SCHEMAS_MAX);
    writer->catalog.n_rows = g_new0(uint64_t, XTF_SCHEMAS_MAX);
    writer->catalog.limit_items = g_new0(XtfRef, XTF_SCHEMAS_MAX);
    writer->limits_changed = g_new0(bool, XTF_SCHEMAS_MAX);
    xtf_object_pool_init(&writer->arrays, sizeof(XtfArrayWriter));
    xtf_object_pool_init(&writer->entries, XTF_NODE_ARRAYS * sizeof(XtfNodeEntry));
    writer->nodes = g_ptr_array_new_with_free_func(g_free);
    writer->tables = g_ptr_array_new_with_free_func(free_table);
    xtf_chunk_writer_init(&writer->strings);
    xtf_chunk_writer_init(&writer->schema_rows);
    writer->branch_nodes = g_array_new(FALSE, FALSE, sizeof(XtfRef));
    writer->dropped = g_array_new(FALSE, FALSE, sizeof(XtfRef));
    writer->dropped_pages = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    writer->string_ids = g_hash_table_new_full(xtf_string_hash, g_str_equal, g_free, NULL);
    for (unsigned i = 0; i < XTF_N_PENDING; i++)
        writer->pending[i] = (XtfPendingEdges){.bytes = g_byte_array_new(), .arrays = g_ptr_array_new()};
    xtf_writer_clocks_init(&writer->clocks);
    return writer;
}

void xtf_writer_abort(XtfWriter *writer)
{
    if (!writer)
        return;
    if (writer->fd >= 0)
        close(writer->fd);
    if (writer->edges_fd >= 0)
        close(writer->edges_fd);
    free_arrays(writer);
    g_ptr_array_unref(writer->tables);
    for (unsigned i = 0; i < XTF_N_PENDING; i++) {
        g_ptr_array_unref(writer->pending[i].arrays);
        g_byte_array_unref(writer->pending[i].bytes);
    }
    xtf_chunk_writer_finish(&writer->strings);
    xtf_chunk_writer_finish(&writer->schema_rows);
    g_array_unref(writer->branch_nodes);
    g_array_unref(writer->dropped);
    xtf_writer_base_free(writer->base);
    xtf_writer_volumes_free(writer->volumes);
    g_clear_pointer(&writer->volume_ends, g_array_unref);
    xtf_trace_unref(writer->resumed);
    g_array_unref(writer->dropped_pages);
    g_hash_table_unref(writer->string_ids);
    xtf_writer_clocks_finish(&writer->clocks);
    xtf_space_free(writer->space);
    writer->catalog.n_tables = 0; /* the catalog borrows its chunks from the chunk writers */
    writer->catalog.schema_chunks = writer->catalog.strings = (XtfChunks){0};
    xtf_catalog_finish(&writer->catalog);
    g_free(writer->limits_changed);
    g_mutex_clear(&writer->lock);
    g_free(writer->path);
    g_free(writer);
}

bool xtf_writer_set_options(XtfWriter *writer, const XtfWriterOptions *options, GError **error)
{
    unsigned level = options && options->level ? options->level : XTF_PACK_LEVEL_DEFAULT;

    if (level > XTF_PACK_LEVEL_MAX)
        return xtf_fail(error, XTF_ERROR_INVALID, "packing level %u is not between 1 and %d", level,
                        XTF_PACK_LEVEL_MAX);
    if (!xtf_codec_find(options ? options->codec : NULL, &writer->codec))
        return xtf_fail(error, XTF_ERROR_INVALID, "there is no codec '%s'", options->codec);
    if (options && (options->keep_commits == 1 || options->keep_seconds < -1))
        return xtf_fail(error, XTF_ERROR_INVALID, "keep_commits must be 0 or at least 2, and keep_seconds at least -1");
    writer->no_sync = options && options->no_sync;
    writer->late_sync = options && options->late_sync;
    writer->reserve = options ? options->reserve : 0;
    writer->keep_volumes = options ? options->keep_volumes : 0;
    writer->level = level;
    writer->kept_commits = options && options->keep_commits ? options->keep_commits : XTF_KEEP_COMMITS_DEFAULT;
    int32_t seconds = options && options->keep_seconds ? options->keep_seconds : XTF_KEEP_SECONDS_DEFAULT;
    writer->kept_seconds = seconds > 0 ? (uint32_t)seconds : 0;
    return true;
}

static XtfWriterOptions with_defaults(const XtfWriterOptions *given)
{
    XtfWriterOptions options = given ? *given : (XtfWriterOptions){.origin = UINT64_MAX};

    if (options.page_size == 0)
        options.page_size = XTF_PAGE_SIZE_DEFAULT;
    return options;
}

static bool options_valid(const XtfWriterOptions *given, GError **error)
{
    const XtfWriterOptions options = with_defaults(given);

    if (!xtf_page_size_valid(options.page_size))
        return xtf_fail(error, XTF_ERROR_INVALID, "page size %u: it must be a power of two from %d to %d",
                        options.page_size, XTF_PAGE_SIZE_MIN, XTF_PAGE_SIZE_MAX);
    if ((options.resolution_num == 0) != (options.resolution_den == 0))
        return xtf_fail(error, XTF_ERROR_INVALID, "invalid clock resolution: %" PRIu64 "/%" PRIu64 " ticks per second",
                        options.resolution_num, options.resolution_den);
    return true;
}

const char *const *xtf_writer_codecs(void)
{
    return xtf_codec_names();
}

/* Creates a writer for a locked file; takes ownership of the descriptor. */
static XtfWriter *create_locked(int fd, const char *path, const XtfWriterOptions *given, GError **error)
{
    g_autoptr(XtfWriter) writer = xtf_writer_new_empty(fd, path);
    XtfWriterOptions options = with_defaults(given);

    if (!xtf_writer_set_options(writer, &options, error))
        return NULL;
    writer->page_size = options.page_size;
    writer->pages = xtf_first_place(options.page_size);
    writer->space = xtf_space_new(options.page_size, writer->kept_commits, writer->kept_seconds);
    writer->epoch = 1;
    writer->origin = options.origin;
    writer->catalog.clock.resolution_num = options.resolution_num ? options.resolution_num : 1000000000;
    writer->catalog.clock.resolution_den = options.resolution_den ? options.resolution_den : 1;
    if (ftruncate(fd, 0) < 0) { /* only after the lock was taken */
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
        return NULL;
    }
    if (getrandom(writer->file_id, sizeof writer->file_id, 0) != sizeof writer->file_id) {
        xtf_fail(error, XTF_ERROR_IO, "cannot get random numbers for the file id");
        return NULL;
    }
    writer->segment = xtf_load64(writer->file_id);
    xtf_chunk_writer_begin_unit(&writer->strings);
    xtf_strings_encode(writer->strings.bytes);
    return g_steal_pointer(&writer);
}

XtfWriter *xtf_writer_create(const char *path, const XtfWriterOptions *options, GError **error)
{
    if (!options_valid(options, error))
        return NULL;
    int fd = xtf_writer_open_file(path, O_CREAT, error);
    XtfWriter *writer = fd < 0 ? NULL : create_locked(fd, path, options, error);

    if (writer)
        writer->sync_name = true;
    return writer;
}

XtfWriter *xtf_writer_create_in(int fd, const char *path, const XtfWriterOptions *options, GError **error)
{
    if (options_valid(options, error) && xtf_writer_lock_file(fd, path, error))
        return create_locked(fd, path, options, error);
    close(fd);
    return NULL;
}

bool xtf_writer_add_schema(XtfWriter *writer, const XtfSchema *schema, uint32_t *id, GError **error)
{
    XtfCatalog *catalog = &writer->catalog;

    if (!xtf_schema_validate(schema, error) || !xtf_schema_encodable(schema, error))
        return false;
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&writer->lock);
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        if (!g_str_equal(catalog->schemas[i]->name, schema->name))
            continue;
        if (xtf_schema_equal(catalog->schemas[i], schema)) {
            *id = i;
            return true;
        }
        return xtf_fail(error, XTF_ERROR_INVALID, "schema \"%s\": a different schema has this name", schema->name);
    }
    if (catalog->n_schemas == XTF_SCHEMAS_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "more than %d schemas", XTF_SCHEMAS_MAX);
    *id = catalog->n_schemas;
    XtfSchema *copy = xtf_schema_copy(schema);
    copy->id = *id;
    catalog->schemas[*id] = copy;
    xtf_chunk_writer_begin_unit(&writer->schema_rows);
    xtf_schema_encode(copy, writer->schema_rows.bytes);
    catalog->limits[*id] = g_new(XtfLimits, copy->n_fields);
    for (uint32_t f = 0; f < copy->n_fields; f++)
        catalog->limits[*id][f] = xtf_limits_empty();
    catalog->n_schemas++;
    return true;
}

/* Returns the schema of an id if its kind fits. The caller holds the lock. */
static const XtfSchema *schema_for(XtfWriter *writer, uint32_t id, bool table, GError **error)
{
    const XtfSchema *schema = id < writer->catalog.n_schemas ? writer->catalog.schemas[id] : NULL;

    if (schema && (schema->kind == XTF_SCHEMA_TABLE) == table)
        return schema;
    xtf_fail(error, XTF_ERROR_INVALID, "schema %u is not the schema of %s", id, table ? "a table" : "an array");
    return NULL;
}

/* Largest string: with a chunk before it and its length beside it, it still fits an item. */
enum { STRING_BYTES_MAX = XTF_ITEM_MAX - XTF_CHUNK_BYTES - 16 };

bool xtf_writer_add_string(XtfWriter *writer, const char *text, uint32_t *id, GError **error)
{
    gpointer known;

    if (text[0] == '\0') {
        *id = 0;
        return true;
    }
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&writer->lock);
    if (g_hash_table_lookup_extended(writer->string_ids, text, NULL, &known)) {
        *id = GPOINTER_TO_UINT(known);
        return true;
    }
    if (strlen(text) > STRING_BYTES_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "a string of %zu bytes: at most %d are allowed", strlen(text),
                        STRING_BYTES_MAX);
    xtf_chunk_writer_begin_unit(&writer->strings);
    if (!xtf_strings_add(writer->strings.bytes, text, id))
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the trace's strings take more than 2 GiB");
    g_hash_table_insert(writer->string_ids, g_strdup(text), GUINT_TO_POINTER((guint)*id));
    return true;
}

XtfArrayWriter *xtf_writer_array(XtfWriter *writer, uint64_t location, uint32_t schema_id, GError **error)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&writer->lock);
    const XtfSchema *schema = schema_for(writer, schema_id, false, error);
    if (!schema)
        return NULL;
    xtf_writer_trim_pools(writer, 1);
    XtfArrayWriter *array = xtf_writer_find_array(writer, location, schema);
    if (array)
        return array;
    if (writer->next_array == UINT32_MAX) {
        xtf_fail(error, XTF_ERROR_TOO_LARGE, "the file has no ids for more arrays");
        return NULL;
    }
    array = xtf_array_writer_new(writer, location, schema);
    array->id = writer->next_array++;
    array->clock_map = xtf_writer_clock_of(writer, location);
    xtf_array_writer_update_earliest(array);
    xtf_writer_take_array(writer, array);
    return array;
}

XtfTableWriter *xtf_writer_table(XtfWriter *writer, uint32_t schema_id, GError **error)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&writer->lock);
    const XtfSchema *schema = schema_for(writer, schema_id, true, error);
    if (!schema)
        return NULL;
    for (guint i = 0; i < writer->tables->len; i++) {
        XtfTableWriter *table = writer->tables->pdata[i];
        if (table->schema == schema)
            return table;
    }
    XtfTableWriter *table = g_new0(XtfTableWriter, 1);
    table->writer = writer;
    table->schema = schema;
    xtf_chunk_writer_init(&table->rows);
    g_ptr_array_add(writer->tables, table);
    return table;
}

bool xtf_table_writer_append(XtfTableWriter *table, const void *row, uint64_t *number, GError **error)
{
    uint32_t row_size = table->schema->row_size;

    if ((uint64_t)table->rows.bytes->len + row_size > XTF_TABLE_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "table \"%s\" takes more than 256 MiB", table->schema->name);
    xtf_chunk_writer_begin_unit(&table->rows);
    g_byte_array_append(table->rows.bytes, row, row_size);
    if (number)
        *number = table->n_rows;
    table->n_rows++;
    return true;
}

void xtf_table_writer_clear(XtfTableWriter *table)
{
    XtfWriter *writer = table->writer;
    uint32_t id = table->schema->id;

    for (guint i = 0; i < table->rows.refs->len; i++) {
        const XtfRef *stored = &g_array_index(table->rows.refs, XtfRef, i);
        xtf_writer_drop(writer, stored->offset, stored->length);
    }
    xtf_chunk_writer_finish(&table->rows);
    xtf_chunk_writer_init(&table->rows);
    table->n_rows = table->n_limited = 0;
    for (uint32_t f = 0; f < table->schema->n_fields; f++)
        writer->catalog.limits[id][f] = xtf_limits_empty();
    writer->limits_changed[id] = true;
}

uint64_t xtf_table_writer_n_rows(const XtfTableWriter *table)
{
    return table->n_rows;
}

/* Returns the limits of the lengths of a column's strings. The caller holds the lock. */
static XtfLimits string_limits(const XtfWriter *writer, const XtfField *field, const uint8_t *row, uint32_t row_size,
                               uint32_t count)
{
    XtfLimits limits = xtf_limits_empty();

    for (; count > 0; count--, row += row_size) {
        const char *text, *fault;
        uint32_t length;
        if (!xtf_strings_get(writer->strings.bytes->data, writer->strings.bytes->len, xtf_field_get(field, row), &text,
                             &length, &fault)) { /* the field is absent, or its value is no string id of this file */
            limits.has_none |= xtf_field_is_none(field, row);
            continue;
        }
        XtfLimits one = {.min = length, .max = length};
        limits = xtf_limits_join(XTF_TYPE_U32, &limits, &one);
    }
    return limits;
}

void xtf_writer_widen_limits(XtfWriter *writer, const XtfSchema *schema, const uint8_t *rows, uint32_t count)
{
    XtfLimits found[XTF_FIELDS_MAX];

    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        if (f == 0 && schema->kind != XTF_SCHEMA_TABLE && count > 2 && !(field->flags & XTF_FIELD_OPTIONAL))
            found[f] = xtf_limits_of_rows(field, rows, (count - 1) * schema->row_size,
                                          2); /* times ascend: the first and the last row suffice */
        else if (field->type != XTF_TYPE_STRING)
            found[f] = xtf_limits_of_rows(field, rows, schema->row_size, count);
    }
    g_mutex_lock(&writer->lock);
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        XtfLimits *limits = &writer->catalog.limits[schema->id][f];
        if (field->type == XTF_TYPE_STRING)
            found[f] = string_limits(writer, field, rows, schema->row_size, count);
        XtfLimits before = *limits;
        *limits = xtf_limits_join(field->type == XTF_TYPE_STRING ? XTF_TYPE_U32 : field->type, limits, &found[f]);
        writer->limits_changed[schema->id] |=
            before.min != limits->min || before.max != limits->max || before.has_none != limits->has_none;
    }
    g_mutex_unlock(&writer->lock);
}

bool xtf_writer_set_complete(XtfWriter *writer, uint64_t t, GError **error)
{
    if (t < writer->complete)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "the trace is already complete up to %" PRIu64 ", which is after %" PRIu64, writer->complete,
                        t);
    writer->complete = t;
    XtfObjectIter arrays;
    XtfArrayWriter *array;
    xtf_object_iter_init(&arrays, &writer->arrays);
    while ((array = xtf_object_iter_next(&arrays)))
        xtf_array_writer_update_earliest(array);
    return true;
}

bool xtf_writer_set_origin(XtfWriter *writer, uint64_t origin, GError **error)
{
    if (writer->complete > 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: time 0 cannot change, as the trace is complete up to %" PRIu64,
                        writer->path, writer->complete);
    writer->origin = origin;
    return true;
}

uint64_t xtf_writer_commit_bytes(const XtfWriter *writer)
{
    return writer->commit_bytes;
}
