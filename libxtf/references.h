/*
 * References from the fields of a row to rows of tables, and to strings.
 *
 * A field of type STRING refers to a string. A field whose `refers_to` is the name of a table holds a row number of
 * that table. A reference by choice depends on another field of the row, which has labels. Its `refers_to` has the form
 *
 *     FIELD:LABEL=TABLE,LABEL=TABLE,...
 *
 * If the other field's value has that LABEL, the value is a row number of TABLE, or a string if TABLE is empty. With
 * any other label, or if `refers_to` does not have this form, the field refers to nothing.
 */
#pragma once

#include "libxtf/schema.h"

XTF_BEGIN_DECLS

typedef struct {
    uint32_t field;  /* number of the field that refers */
    char *table;     /* name of the table; NULL: a string */
    int chooser;     /* number of the field that the reference depends on; -1: none */
    uint64_t choice; /* the chooser's value for which the reference holds */
} XtfReference;

/* Returns all references of a schema's rows, ordered by field. The caller frees the array with g_array_unref(). */
GArray *xtf_schema_references(const XtfSchema *schema);

static inline const XtfReference *xtf_reference_at(const GArray *references, guint i)
{
    return &g_array_index(references, XtfReference, i);
}

/* True if the reference holds in the row, and the field's value is not "none". */
static inline bool xtf_reference_holds(const XtfReference *reference, const XtfSchema *schema, const uint8_t *row)
{
    return (reference->chooser < 0 || xtf_field_get(&schema->fields[reference->chooser], row) == reference->choice) &&
           !xtf_field_is_none(&schema->fields[reference->field], row);
}

XTF_END_DECLS
