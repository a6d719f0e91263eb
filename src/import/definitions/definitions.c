#include "src/import/definitions/definitions.h"

#include <inttypes.h>
#include <string.h>

void xtf_definitions_init(XtfDefinitions *definitions)
{
    memset(definitions, 0, sizeof *definitions);
    definitions->texts = g_string_chunk_new(65536);
    definitions->strings = g_ptr_array_new();
    definitions->string_ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    definitions->interned_strings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    xtf_id_map_init(&definitions->strings_by_id);
    xtf_id_map_init(&definitions->late_strings_by_id);
    xtf_tags_init(&definitions->tags);
    xtf_source_order_init(&definitions->order);
    g_mutex_init(&definitions->lock);
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        XtfDefinitionTable *table = &definitions->tables[tag];
        table->schema = xtf_model_schema(tag);
        table->id = tag == XTF_MODEL_LOCATIONS ? NULL : xtf_schema_field(table->schema, "id");
        table->rows = g_byte_array_new();
        table->late_rows = g_byte_array_new();
        xtf_id_map_init(&table->rows_by_id);
        xtf_id_map_init(&table->late_rows_by_id);
    }
}

void xtf_definitions_finish(XtfDefinitions *definitions)
{
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        XtfDefinitionTable *table = &definitions->tables[tag];
        g_byte_array_unref(table->rows);
        g_byte_array_unref(table->late_rows);
        xtf_id_map_finish(&table->rows_by_id);
        xtf_id_map_finish(&table->late_rows_by_id);
    }
    xtf_id_map_finish(&definitions->strings_by_id);
    xtf_id_map_finish(&definitions->late_strings_by_id);
    xtf_tags_finish(&definitions->tags);
    xtf_source_order_finish(&definitions->order);
    g_clear_pointer(&definitions->late_rows, g_array_unref);
    g_hash_table_unref(definitions->interned_strings);
    g_ptr_array_unref(definitions->strings);
    g_array_unref(definitions->string_ids);
    g_string_chunk_free(definitions->texts);
    g_clear_error(&definitions->error);
    g_mutex_clear(&definitions->lock);
}

static void add_text(XtfDefinitions *definitions, uint32_t id, const char *text)
{
    xtf_id_map_insert(&definitions->strings_by_id, id, definitions->strings->len);
    g_ptr_array_add(definitions->strings, g_string_chunk_insert(definitions->texts, text));
}

/* Returns a string of the source; NULL if it is undefined so far. */
static const char *source_string(const XtfDefinitions *definitions, uint32_t id)
{
    uint32_t row;

    if (!xtf_id_map_find(&definitions->strings_by_id, id, &row))
        return NULL;
    return g_ptr_array_index(definitions->strings, row);
}

void xtf_definitions_add_string(XtfDefinitions *definitions, uint32_t id, const char *text)
{
    XtfDefinitionTable *table = &definitions->tables[XTF_MODEL_STRING_DEFINITIONS];
    const char *earlier = source_string(definitions, id);
    uint32_t number = xtf_definitions_n_rows(definitions, XTF_MODEL_STRING_DEFINITIONS);

    definitions->count++;
    if (!earlier) {
        const XtfStringDefinitionRow row = {.id = id, .text = id};
        add_text(definitions, id, text);
        xtf_id_map_insert(&table->rows_by_id, id, number);
        xtf_definitions_add_part(definitions, XTF_MODEL_STRING_DEFINITIONS, &row);
    } else if (strcmp(earlier, text) != 0) {
        definitions->string_conflicts++;
        return;
    } else if (!xtf_id_map_find(&table->rows_by_id, id, &number)) {
        return; /* the id of an interned string */
    }
    xtf_source_order_add(&definitions->order, XTF_MODEL_STRING_DEFINITIONS, number);
}

uint32_t xtf_definitions_intern_string(XtfDefinitions *definitions, const char *text)
{
    gpointer number;

    if (!g_hash_table_lookup_extended(definitions->interned_strings, text, NULL, &number)) {
        number = GUINT_TO_POINTER(XTF_NONE32 - 1 - g_hash_table_size(definitions->interned_strings));
        g_hash_table_insert(definitions->interned_strings, g_strdup(text), number);
        add_text(definitions, GPOINTER_TO_UINT(number), text);
    }
    return GPOINTER_TO_UINT(number);
}

uint64_t xtf_definitions_n_rows(const XtfDefinitions *definitions, unsigned table)
{
    return definitions->tables[table].rows->len / definitions->tables[table].schema->row_size;
}

uint32_t xtf_definitions_n_all_rows(const XtfDefinitions *definitions, unsigned tag)
{
    const XtfDefinitionTable *table = &definitions->tables[tag];

    return (table->rows->len + table->late_rows->len) / table->schema->row_size;
}

void *xtf_definitions_at(const XtfDefinitions *definitions, unsigned table, uint64_t row)
{
    return definitions->tables[table].rows->data + row * definitions->tables[table].schema->row_size;
}

/* True if two groups may list the same members in two ways. Some recorders define a communicator's group twice: by its
 * ranks, and by their locations. */
static bool are_alike(const XtfGroupRow *a, const XtfGroupRow *b)
{
    return a->name == b->name && a->count == b->count;
}

/* Adds a row unless the id has an equal row. Returns the number of the new or equal row. */
static uint32_t add_unless_equal(XtfDefinitions *definitions, unsigned tag, const void *row)
{
    XtfDefinitionTable *table = &definitions->tables[tag];
    uint32_t earlier, number = xtf_definitions_n_rows(definitions, tag);

    definitions->count++;
    if (table->id) {
        uint32_t id = xtf_field_get(table->id, row);
        if (!xtf_id_map_find(&table->rows_by_id, id, &earlier)) {
            xtf_id_map_insert(&table->rows_by_id, id, number);
        } else if (memcmp(xtf_definitions_at(definitions, tag, earlier), row, table->schema->row_size) == 0) {
            table->repeats++;
            return earlier;
        } else {
            table->conflicts++; /* the row is kept, but the id names the first row */
            table->alike += tag == XTF_MODEL_GROUPS && are_alike(xtf_definitions_at(definitions, tag, earlier), row);
        }
    }
    g_byte_array_append(table->rows, row, table->schema->row_size);
    return number;
}

void xtf_definitions_add(XtfDefinitions *definitions, unsigned tag, const void *row)
{
    xtf_source_order_add(&definitions->order, tag, add_unless_equal(definitions, tag, row));
}

void xtf_definitions_add_missing(XtfDefinitions *definitions, unsigned tag, const void *row)
{
    add_unless_equal(definitions, tag, row);
}

void xtf_definitions_add_part(XtfDefinitions *definitions, unsigned tag, const void *row)
{
    g_byte_array_append(definitions->tables[tag].rows, row, definitions->tables[tag].schema->row_size);
}

/* True if the row and its parts equal row `earlier` and its parts. Sets the row's `first` to that of `earlier`. */
static bool repeats_list(const XtfDefinitions *definitions, unsigned tag, uint32_t earlier, uint8_t *row,
                         unsigned parts_tag, const void *parts, uint32_t n)
{
    const uint8_t *old = xtf_definitions_at(definitions, tag, earlier);
    size_t size = definitions->tables[parts_tag].schema->row_size;
    uint64_t first;

    memcpy(&first, old, sizeof first);
    memcpy(row, &first, sizeof first);
    return memcmp(old, row, definitions->tables[tag].schema->row_size) == 0 &&
           (n == 0 || memcmp(xtf_definitions_at(definitions, parts_tag, first), parts, n * size) == 0);
}

void xtf_definitions_add_list(XtfDefinitions *definitions, unsigned tag, void *row, unsigned parts_tag,
                              const void *parts, uint32_t n)
{
    const XtfDefinitionTable *table = &definitions->tables[tag];
    const uint64_t first = xtf_definitions_n_rows(definitions, parts_tag), count = n;
    uint32_t earlier;

    memcpy((uint8_t *)row + sizeof first, &count, sizeof count);
    if (!xtf_id_map_find(&table->rows_by_id, xtf_field_get(table->id, row), &earlier) ||
        !repeats_list(definitions, tag, earlier, row, parts_tag, parts, n)) {
        size_t size = definitions->tables[parts_tag].schema->row_size;
        for (uint32_t i = 0; i < n; i++)
            xtf_definitions_add_part(definitions, parts_tag, (const uint8_t *)parts + i * size);
        memcpy(row, &first, sizeof first);
    }
    xtf_definitions_add(definitions, tag, row);
}

void xtf_definitions_reorder(XtfDefinitions *definitions, unsigned tag, const uint32_t *order)
{
    XtfDefinitionTable *table = &definitions->tables[tag];
    uint32_t n = xtf_definitions_n_rows(definitions, tag), size = table->schema->row_size, earlier;
    GByteArray *rows = g_byte_array_sized_new(table->rows->len);
    g_autofree uint32_t *moved = g_new(uint32_t, (gsize)n + 1);
    XtfIdMap rows_by_id;

    xtf_id_map_init(&rows_by_id);
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *row = xtf_definitions_at(definitions, tag, order[i]);
        g_byte_array_append(rows, row, size);
        moved[order[i]] = i;
        if (!table->id)
            continue;
        uint32_t id = xtf_field_get(table->id, row);
        if (xtf_id_map_find(&table->rows_by_id, id, &earlier) && earlier == order[i])
            xtf_id_map_insert(&rows_by_id, id, i);
    }
    g_byte_array_unref(table->rows);
    xtf_id_map_finish(&table->rows_by_id);
    table->rows = rows;
    table->rows_by_id = rows_by_id;
    xtf_source_order_move(&definitions->order, tag, moved);
}

/* Stores a text in the trace and returns its id; 0 after an error. Keeps the first error. Needs the lock. */
static uint32_t store_text(XtfDefinitions *definitions, const char *text)
{
    GError **error = definitions->error ? NULL : &definitions->error;
    uint32_t number = 0;

    xtf_writer_add_string(definitions->writer, text, &number, error);
    return number;
}

uint32_t xtf_definitions_string(XtfDefinitions *definitions, uint32_t id)
{
    uint32_t row;

    if (G_LIKELY(xtf_id_map_find(&definitions->strings_by_id, id, &row)))
        return g_array_index(definitions->string_ids, uint32_t, row);
    if (id == XTF_NONE32)
        return 0;
    g_mutex_lock(&definitions->lock);
    if (!xtf_id_map_find(&definitions->late_strings_by_id, id, &row)) {
        g_autofree char *text = g_strdup_printf("(undefined string %" PRIu32 ")", id);
        row = store_text(definitions, text);
        xtf_id_map_insert(&definitions->late_strings_by_id, id, row);
    }
    g_mutex_unlock(&definitions->lock);
    return row;
}

static uint32_t add_late_row(XtfDefinitions *definitions, unsigned tag, uint32_t id);

/* Lists a row that is added while events are read. Needs the lock. */
static void list_late_row(XtfDefinitions *definitions, unsigned tag, uint32_t row)
{
    if (!definitions->late_rows)
        return;
    const XtfLateRow late_row = {*definitions->location, tag, row};
    g_array_append_val(definitions->late_rows, late_row);
}

/* Appends a late row. Needs the lock. */
static uint32_t append_late_row(XtfDefinitions *definitions, unsigned tag, uint32_t id, const void *late_row)
{
    XtfDefinitionTable *table = &definitions->tables[tag];
    uint32_t row = xtf_definitions_n_all_rows(definitions, tag);

    g_byte_array_append(table->late_rows, late_row, table->schema->row_size);
    xtf_id_map_insert(&table->late_rows_by_id, id, row);
    list_late_row(definitions, tag, row);
    return row;
}

/* Fills in the row of an undefined id: its name says that it is undefined, and its references are "none". */
static void fill_late_row(XtfDefinitions *definitions, XtfDefinitionTable *table, uint32_t id, uint8_t *row)
{
    const XtfField *name = xtf_schema_field(table->schema, "name");

    memset(row, 0, table->schema->row_size);
    for (uint32_t i = 0; i < table->schema->n_fields; i++)
        if (table->schema->fields[i].flags & XTF_FIELD_OPTIONAL)
            xtf_field_set(&table->schema->fields[i], row, UINT64_MAX);
    if (table->id)
        xtf_field_set(table->id, row, id);
    if (name) {
        g_autofree char *text = g_strdup_printf("(undefined %s %" PRIu32 ")", table->schema->name, id);
        xtf_field_set(name, row, store_text(definitions, text));
    }
    /* A communicator without a group is a self communicator. Therefore this one gets a group, with unknown members. */
    if (table == &definitions->tables[XTF_MODEL_COMMUNICATORS])
        ((XtfCommunicatorRow *)row)->group = add_late_row(definitions, XTF_MODEL_GROUPS, XTF_NONE32);
}

/* Returns the late row of an undefined id; adds it if necessary. Needs the lock. */
static uint32_t add_late_row(XtfDefinitions *definitions, unsigned tag, uint32_t id)
{
    XtfDefinitionTable *table = &definitions->tables[tag];
    uint8_t late_row[XTF_ROW_MAX];
    uint32_t row;

    if (xtf_id_map_find(&table->late_rows_by_id, id, &row))
        return row;
    fill_late_row(definitions, table, id, late_row);
    return append_late_row(definitions, tag, id, late_row);
}

uint32_t xtf_definitions_late_row(XtfDefinitions *definitions, unsigned tag, uint32_t id)
{
    /* Processes are numbered and sorted already, so none can be added. */
    if (id == XTF_NONE32 || tag == XTF_MODEL_PROCESSES)
        return XTF_NONE32;
    g_mutex_lock(&definitions->lock);
    uint32_t row = add_late_row(definitions, tag, id);
    g_mutex_unlock(&definitions->lock);
    return row;
}

/* Returns the table to which values of a type (of xtf_value_types) refer; 0: no table. */
static unsigned table_of_type(uint8_t type)
{
    static const unsigned tables[] = {
        [12] = XTF_MODEL_ATTRIBUTE_DEFINITIONS,
        [14] = XTF_MODEL_REGIONS,
        [15] = XTF_MODEL_GROUPS,
        [16] = XTF_MODEL_METRIC_CLASSES,
        [17] = XTF_MODEL_COMMUNICATORS,
        [18] = XTF_MODEL_PARAMETER_DEFINITIONS,
        [19] = XTF_MODEL_RMA_WINDOWS,
        [20] = XTF_MODEL_SOURCE_LOCATIONS,
        [21] = XTF_MODEL_CALLING_CONTEXTS,
        [22] = XTF_MODEL_INTERRUPT_GENERATORS,
        [23] = XTF_MODEL_IO_FILES,
        [24] = XTF_MODEL_IO_HANDLES,
        [25] = XTF_MODEL_PROCESSES,
    };
    return type < G_N_ELEMENTS(tables) ? tables[type] : 0;
}

enum { STRING = 11 }; /* index in xtf_value_types */

bool xtf_definitions_is_reference(uint8_t type, unsigned *table)
{
    *table = table_of_type(type);
    return *table != 0 || type == STRING;
}

uint64_t xtf_definitions_value(XtfDefinitions *definitions, uint8_t type, uint64_t value)
{
    unsigned table = table_of_type(type);

    if (type == STRING)
        return xtf_definitions_string(definitions, value);
    if (table == 0)
        return value;
    uint32_t row = xtf_definitions_row(definitions, table, value);
    return row == XTF_NONE32 ? XTF_NONE64 : row;
}

uint32_t xtf_definitions_late_string(XtfDefinitions *definitions, const char *text)
{
    g_mutex_lock(&definitions->lock);
    uint32_t number = store_text(definitions, text);
    g_mutex_unlock(&definitions->lock);
    return number;
}

GHashTable *xtf_definitions_texts(const XtfDefinitions *definitions)
{
    GHashTable *texts = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < definitions->string_ids->len; i++)
        g_hash_table_insert(texts, GUINT_TO_POINTER(g_array_index(definitions->string_ids, uint32_t, i)),
                            g_ptr_array_index(definitions->strings, i));
    return texts;
}

uint32_t xtf_definitions_append(XtfDefinitions *definitions, unsigned table, const void *row)
{
    g_mutex_lock(&definitions->lock);
    uint32_t number = (uint32_t)xtf_definitions_n_rows(definitions, table);
    xtf_definitions_add_part(definitions, table, row);
    list_late_row(definitions, table, number);
    g_mutex_unlock(&definitions->lock);
    return number;
}

uint32_t xtf_definitions_adopt(XtfDefinitions *definitions, unsigned tag, const void *row)
{
    const XtfField *id = definitions->tables[tag].id;

    if (tag == XTF_MODEL_SITES) /* the only table to which xtf_definitions_append() adds rows while events are read */
        return xtf_definitions_append(definitions, tag, row);
    g_mutex_lock(&definitions->lock);
    uint32_t key = id ? xtf_field_get(id, row) : xtf_definitions_n_all_rows(definitions, tag);
    uint32_t number = append_late_row(definitions, tag, key, row);
    g_mutex_unlock(&definitions->lock);
    return number;
}

void xtf_definitions_add_remark(XtfDefinitions *definitions, unsigned kind, const char *text)
{
    g_mutex_lock(&definitions->lock);
    XtfRemarkRow row = {.kind = kind, .text = store_text(definitions, text)};
    xtf_definitions_add_part(definitions, XTF_MODEL_REMARKS, &row);
    g_mutex_unlock(&definitions->lock);
}

void xtf_definitions_add_tags(XtfDefinitions *definitions, const XtfTags *tags)
{
    g_mutex_lock(&definitions->lock);
    xtf_tags_add_all(&definitions->tags, tags);
    g_mutex_unlock(&definitions->lock);
}

/* Adds the rows of `tags`. A last row "none" says that the trace has more tags. */
static void add_tag_rows(XtfDefinitions *definitions)
{
    g_autoptr(GArray) tags = xtf_tags_list(&definitions->tags);
    const uint32_t none = XTF_NONE32;

    if (definitions->tags.has_more)
        g_array_append_val(tags, none);
    for (guint i = 0; i < tags->len; i++)
        xtf_definitions_add_part(definitions, XTF_MODEL_TAGS, &g_array_index(tags, XtfTagRow, i));
}

static bool write_rows(XtfTableWriter *writer, const GByteArray *rows, uint32_t size, GError **error)
{
    for (uint32_t at = 0; at < rows->len; at += size)
        if (!xtf_table_writer_append(writer, rows->data + at, NULL, error))
            return false;
    return true;
}

bool xtf_definitions_write(XtfDefinitions *definitions, GError **error)
{
    if (definitions->error) {
        g_propagate_error(error, g_steal_pointer(&definitions->error));
        return false;
    }
    add_tag_rows(definitions);
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        XtfDefinitionTable *table = &definitions->tables[tag];
        uint32_t schema;
        if (table->rows->len + table->late_rows->len == 0)
            continue;
        if (!xtf_writer_add_schema(definitions->writer, table->schema, &schema, error))
            return false;
        XtfTableWriter *writer = xtf_writer_table(definitions->writer, schema, error);
        if (!writer || !write_rows(writer, table->rows, table->schema->row_size, error) ||
            !write_rows(writer, table->late_rows, table->schema->row_size, error))
            return false;
    }
    return true;
}
