#include "libxtf/check/check-private.h"
#include "libxtf/disk/strings.h"
#include "libxtf/schema/value-limits.h"
#include "libxtf/tree/items.h"

enum {
    BATCH_ROWS = 1 << 20,
};

struct XtfValueCheck {
    XtfTrace *trace;
    XtfChecking *check;
    /* For each chunk of the heap, a bit for each byte: set if a string begins there. NULL: the chunk is damaged, or in
     * an unreadable file. */
    uint8_t **starts;
    uint64_t n_bytes;
    XtfLimits **row_limits; /* by schema and field: limits computed from rows */
};

/* ---- Strings. */

/* Returns the length stored before a string of the heap. */
static uint32_t get_stored_length(const char *text)
{
    return xtf_load32((const uint8_t *)text - sizeof(XtfLe32));
}

/* Checks string 0. Readers never read it, because they know that it is empty. */
static bool check_empty_string(XtfValueCheck *values)
{
    static const uint8_t empty[sizeof(XtfLe32) + 1];
    g_autoptr(GError) error = NULL;
    XtfRef first = values->trace->catalog.strings.chunks[0];

    if (!xtf_trace_item_lies_within(values->trace->source, first, "strings", &error)) {
        xtf_checking_problem(values->check, "%s", error->message);
        return false;
    }
    g_autoptr(XtfBlock) chunk = xtf_item_get(values->trace, first, &error);
    if (chunk && chunk->length >= sizeof empty && memcmp(chunk->data, empty, sizeof empty) == 0)
        return true;
    xtf_checking_problem(values->check, "strings: %s", chunk ? "the first is not the empty string" : error->message);
    return false;
}

/* Sets the bit of each byte at which a string of the chunk begins. Returns false if the chunk is damaged. */
static bool find_starts_in_chunk(XtfValueCheck *values, uint32_t chunk, uint8_t *starts)
{
    const uint64_t *begins = &values->trace->string_starts[chunk];
    uint64_t id = begins[0], steps = 0;

    if (chunk == 0) { /* readers know that string 0 is empty */
        starts[0] = 1;
        id = xtf_strings_next(0, 0);
    }
    while (id < begins[1]) {
        g_autoptr(GError) error = NULL;
        const char *text;
        if (!xtf_trace_string(values->trace, (uint32_t)id, &text, &error)) {
            xtf_checking_problem(values->check, "%s", error->message);
            return false;
        }
        if (++steps % BATCH_ROWS == 0 && !xtf_checking_go_on(values->check))
            return false;
        starts[(id - begins[0]) / 8] |= (uint8_t)(1u << (id - begins[0]) % 8);
        id = xtf_strings_next(id, get_stored_length(text));
    }
    return true;
}

static bool chunk_is_unreadable(const XtfValueCheck *values, uint32_t chunk)
{
    uint64_t offset = values->trace->catalog.strings.chunks[chunk].offset;
    return !xtf_checking_can_read(values->check, offset / values->trace->superblock.info.page_size);
}

/* Finds the begins of strings in each chunk; a string never crosses chunks. Allocates a chunk's bits after the chunk
 * has been read. */
static void find_starts(XtfValueCheck *values)
{
    const XtfChunks *heap = &values->trace->catalog.strings;

    values->starts = g_new0(uint8_t *, heap->n + 1);
    for (uint32_t i = 0; i < heap->n && !xtf_checking_stopping(values->check); i++) {
        g_autoptr(GError) error = NULL;
        const char *text;
        if (chunk_is_unreadable(values, i))
            continue;
        if (i == 0 ? !check_empty_string(values)
                   : !xtf_trace_string(values->trace, (uint32_t)values->trace->string_starts[i], &text, &error)) {
            if (error)
                xtf_checking_problem(values->check, "%s", error->message);
            continue;
        }
        g_autofree uint8_t *starts = g_malloc0(heap->chunks[i].length / 8 + 1);
        if (find_starts_in_chunk(values, i, starts))
            values->starts[i] = g_steal_pointer(&starts);
    }
}

/* Returns the chunk that contains a string of the heap. */
static uint32_t find_chunk(const XtfValueCheck *values, uint32_t id)
{
    const uint64_t *begins = values->trace->string_starts;
    uint32_t low = 0, high = values->trace->catalog.strings.n;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (begins[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* True if a string begins at `id`. Sets *known to false if the chunk is damaged or unreadable. */
static bool is_string_start(const XtfValueCheck *values, uint32_t id, bool *known)
{
    *known = true;
    if (id >= values->n_bytes)
        return id == 0;
    uint32_t chunk = find_chunk(values, id);
    uint64_t at = id - values->trace->string_starts[chunk];
    const uint8_t *starts = values->starts[chunk];
    *known = starts != NULL;
    return !starts || starts[at / 8] >> at % 8 & 1;
}

/* Adds the length of a row's string to the limits. Returns false if no string begins at `id`, or it cannot be read. */
static bool add_string_length(XtfValueCheck *values, uint32_t id, XtfLimits *limits)
{
    bool known;
    g_autoptr(GError) error = NULL;
    const char *text;

    if (!is_string_start(values, id, &known))
        return false;
    if (!known)
        return true;
    if (!xtf_trace_string(values->trace, id, &text, &error))
        return false;
    const XtfLimits length_limits = {.min = id ? get_stored_length(text) : 0, .max = id ? get_stored_length(text) : 0};
    *limits = xtf_limits_join(XTF_TYPE_STRING, limits, &length_limits);
    return true;
}

static void add_string_lengths(XtfValueCheck *values, const XtfSchema *schema, const XtfField *field,
                               const uint8_t *rows, uint32_t count, XtfLimits *limits)
{
    for (uint32_t i = 0; i < count; i++, rows += schema->row_size) {
        uint32_t id = (uint32_t)xtf_field_get(field, rows);
        if (xtf_field_is_none(field, rows)) {
            limits->has_none = true;
        } else if (!add_string_length(values, id, limits)) {
            xtf_checking_problem(values->check, "schema \"%s\", field \"%s\": no string begins at %u", schema->name,
                                 field->name, id);
            return;
        }
    }
}

/* ---- Limits. */

static void add_rows_of_batch(XtfValueCheck *values, const XtfSchema *schema, const uint8_t *rows, uint32_t count)
{
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        XtfLimits *limits = &values->row_limits[schema->id][f];
        if (xtf_type_width(field->type) == 0)
            continue; /* the field's type is unknown, and so is the order of its values */
        if (field->type == XTF_TYPE_STRING) {
            add_string_lengths(values, schema, field, rows, count, limits);
        } else {
            XtfLimits batch_limits = xtf_limits_of_rows(field, rows, schema->row_size, count);
            *limits = xtf_limits_join(field->type, limits, &batch_limits);
        }
    }
}

void xtf_value_check_rows(XtfValueCheck *values, const XtfSchema *schema, const uint8_t *rows, uint64_t count)
{
    for (uint64_t i = 0; i < count; i += BATCH_ROWS) {
        if (i > 0 && !xtf_checking_go_on(values->check))
            return;
        add_rows_of_batch(values, schema, rows + i * schema->row_size, (uint32_t)MIN(count - i, (uint64_t)BATCH_ROWS));
    }
}

static bool limits_equal(const XtfLimits *a, const XtfLimits *b)
{
    return a->min == b->min && a->max == b->max && a->has_none == b->has_none;
}

/* Compares the limits of a field. In a merged file the least and the greatest of row numbers that segment maps convert
 * may be beyond the values. */
static void compare_limits(const XtfValueCheck *values, const XtfSchema *schema, uint32_t f, bool all_rows_checked)
{
    const XtfField *field = &schema->fields[f];
    bool mapped = values->trace->catalog.segment_maps && schema->kind != XTF_SCHEMA_TABLE && *field->refers_to;
    const XtfLimits *catalog_limits = &values->trace->catalog.limits[schema->id][f],
                    *row_limits = &values->row_limits[schema->id][f];
    XtfLimits joined = xtf_limits_join(field->type, catalog_limits, row_limits);
    bool is_wider =
        mapped ? row_limits->has_none != catalog_limits->has_none : !limits_equal(row_limits, catalog_limits);

    if (!limits_equal(&joined, catalog_limits))
        xtf_checking_problem(values->check, "schema \"%s\", field \"%s\": values beyond the limits in the catalog",
                             schema->name, field->name);
    else if (all_rows_checked && is_wider)
        xtf_checking_problem(values->check,
                             "schema \"%s\", field \"%s\": the limits in the catalog are wider than its values",
                             schema->name, field->name);
}

void xtf_value_check_limits(XtfValueCheck *values, bool all_rows_checked)
{
    const XtfCatalog *catalog = &values->trace->catalog;

    for (uint32_t i = 0; i < catalog->n_schemas; i++)
        for (uint32_t f = 0; f < catalog->schemas[i]->n_fields; f++)
            if (xtf_type_width(catalog->schemas[i]->fields[f].type) > 0)
                compare_limits(values, catalog->schemas[i], f, all_rows_checked && !values->check->unknown[i]);
}

XtfValueCheck *xtf_value_check_new(XtfTrace *trace, XtfChecking *check)
{
    XtfValueCheck *values = g_new0(XtfValueCheck, 1);
    const XtfCatalog *catalog = &trace->catalog;

    *values = (XtfValueCheck){.trace = trace, .check = check, .n_bytes = catalog->strings.bytes};
    values->row_limits = g_new0(XtfLimits *, catalog->n_schemas + 1);
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        values->row_limits[i] = g_new(XtfLimits, catalog->schemas[i]->n_fields);
        for (uint32_t f = 0; f < catalog->schemas[i]->n_fields; f++)
            values->row_limits[i][f] = xtf_limits_empty();
    }
    find_starts(values);
    return values;
}

void xtf_value_check_free(XtfValueCheck *values)
{
    if (!values)
        return;
    for (uint32_t i = 0; i < values->trace->catalog.n_schemas; i++)
        g_free(values->row_limits[i]);
    g_free(values->row_limits);
    for (uint32_t i = 0; i < values->trace->catalog.strings.n; i++)
        g_free(values->starts[i]);
    g_free(values->starts);
    g_free(values);
}
