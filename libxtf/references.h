/*
 * What the fields of a row lead to: rows of tables, and strings.
 *
 * A field of type STRING holds a string. A field whose `refers_to` is the name of a table holds a row number of that
 * table. A reference by choice depends on another field of the row, which has labels: its `refers_to` is
 *
 *     FIELD:LABEL=TABLE,LABEL=TABLE,...
 *
 * and the value is a row number of TABLE where the other field's value has that LABEL, or a string where TABLE is
 * empty. With any other label it leads to nothing. Whatever is not of that form leads to nothing either.
 */
#pragma once

#include "libxtf/schema.h"

XTF_BEGIN_DECLS

typedef struct {
    uint32_t field;  /* that leads to something */
    char *table;     /* its name; NULL: a string */
    int chooser;     /* the field that it depends on; -1: none */
    uint64_t choice; /* the chooser's value where this reference holds */
} XtfReference;

/* All references of a schema's rows, by field. The caller frees the array, g_array_unref(). */
GArray *xtf_schema_references(const XtfSchema *schema);

static inline const XtfReference *xtf_reference_at(const GArray *references, guint i)
{
    return &g_array_index(references, XtfReference, i);
}

/* Whether a reference holds in a row, and its value is not "none". */
static inline bool xtf_reference_holds(const XtfReference *reference, const XtfSchema *schema, const uint8_t *row)
{
    return (reference->chooser < 0 || xtf_field_get(&schema->fields[reference->chooser], row) == reference->choice) &&
           !xtf_field_is_none(&schema->fields[reference->field], row);
}

XTF_END_DECLS
