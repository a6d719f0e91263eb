/*
 * Converts rows of a trace to rows of the model (src/model). So exporters read structs, whichever program wrote the
 * trace.
 *
 * Fields are matched by name, else by role, and labels by their text. A field that the trace lacks, or a value that
 * does not fit, becomes none, or 0 if the field has no none. A label that the model lacks becomes XTF_NO_LABEL.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/schema.h"
#include "src/model/schemas.h"

enum { XTF_NO_LABEL = 254 };

typedef struct XtfModelMap XtfModelMap;

/* Returns the map from a trace's schema, which must outlive the map, to the model's schema XTF_MODEL_.... */
XtfModelMap *xtf_model_map_new(const XtfSchema *from, unsigned tag);
void xtf_model_map_free(XtfModelMap *map); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfModelMap, xtf_model_map_free)

/* Returns the row in the model's schema: `row` itself, or `buffer`, which has XTF_ROW_MAX bytes. */
const void *xtf_model_map_apply(const XtfModelMap *map, const uint8_t *row, uint8_t *buffer);

/* Returns the tag of a schema of records, or of a side array, by its name; -1 if the model lacks it. */
int xtf_model_map_tag(const XtfSchema *schema);

/* Returns a label by its number in a list of src/model/labels.h; "" if the list is shorter. */
const char *xtf_model_label(const char *const *labels, uint64_t number);

/* A definition table of the trace. */
typedef struct {
    const XtfTable *table; /* NULL: the trace has none */
    XtfModelMap *map;
    uint64_t n; /* rows */
} XtfModelTable;

bool xtf_model_table_load(XtfModelTable *table, XtfTrace *trace, unsigned tag, GError **error);
void xtf_model_table_finish(XtfModelTable *table);
/* Returns row i, which must exist. `buffer` is as for xtf_model_map_apply(). */
const void *xtf_model_table_row(const XtfModelTable *table, uint64_t i, uint8_t *buffer);
