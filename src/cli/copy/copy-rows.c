#include "src/cli/copy/copy-rows.h"

#include <string.h>

#include "libxtf/references.h"
#include "libxtf/trace.h"

/* Copies a string, unless that was done before, and returns its id in the copy. */
static bool copy_string(const XtfCopyRows *copy, uint32_t old_id, uint32_t *new_id, GError **error)
{
    gpointer known = g_hash_table_lookup(copy->strings, GUINT_TO_POINTER(old_id));
    const char *text;

    if (known) {
        *new_id = GPOINTER_TO_UINT(known) - 1;
        return true;
    }
    if (!xtf_trace_string(copy->trace, old_id, &text, error) ||
        !xtf_writer_add_string(copy->writer, text, new_id, error))
        return false;
    g_hash_table_insert(copy->strings, GUINT_TO_POINTER(old_id), GUINT_TO_POINTER(*new_id + 1));
    return true;
}

GArray *xtf_copy_string_references(const XtfSchema *schema)
{
    GArray *references = xtf_schema_references(schema);

    for (guint i = references->len; i > 0; i--)
        if (xtf_reference_at(references, i - 1)->table)
            g_array_remove_index(references, i - 1);
    return references;
}

bool xtf_copy_row(const XtfCopyRows *copy, const XtfSchema *schema, const GArray *strings, const uint8_t *row,
                  uint8_t *to, GError **error)
{
    memcpy(to, row, schema->row_size);
    for (guint i = 0; i < strings->len; i++) {
        const XtfReference *reference = xtf_reference_at(strings, i);
        const XtfField *field = &schema->fields[reference->field];
        uint32_t id;
        if (!xtf_reference_holds(reference, schema, row))
            continue;
        if (!copy_string(copy, (uint32_t)xtf_field_get(field, row), &id, error))
            return false;
        xtf_field_set(field, to, id);
    }
    return true;
}
