/*
 * Rows of a trace as rows of the model (src/model): exporters read structs, whoever wrote the trace.
 *
 * Fields are found by name, and values with labels by the labels' text. A field that the trace lacks, and a value that
 * does not fit, is none, or 0 where the field has no none. A label that the model lacks is XTF_NO_LABEL.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/schema.h"
#include "src/model/schemas.h"

enum { XTF_NO_LABEL = 254 };

typedef struct XtfModelMap XtfModelMap;

/* `from` outlives it; `tag` is an XTF_MODEL_.... */
XtfModelMap *xtf_model_map_new(const XtfSchema *from, unsigned tag);
void xtf_model_map_free(XtfModelMap *map); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfModelMap, xtf_model_map_free)

/* The row as the model has it: `row` itself, or `buffer`, of XTF_ROW_MAX bytes. */
const void *xtf_model_map_apply(const XtfModelMap *map, const uint8_t *row, uint8_t *buffer);

/* The tag of a schema of records, or of a side array, by its name; -1: the model lacks it. */
int xtf_model_map_tag(const XtfSchema *schema);

/* A label of src/model/labels.h; "" if there is none of that number. */
const char *xtf_model_label(const char *const *labels, uint64_t number);

/* A definition table of the trace. */
typedef struct {
    const XtfTable *table; /* NULL: there is none */
    XtfModelMap *map;
    uint64_t n; /* rows */
} XtfModelTable;

bool xtf_model_table_load(XtfModelTable *table, XtfTrace *trace, unsigned tag, GError **error);
void xtf_model_table_finish(XtfModelTable *table);
/* Row i, which must exist; `buffer` as above. */
const void *xtf_model_table_row(const XtfModelTable *table, uint64_t i, uint8_t *buffer);
