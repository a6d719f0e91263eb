/*
 * The ids of rows and strings in the archive to write.
 *
 * Imported definitions keep the ids of their source: `id` of each row, `string_definitions`, and the exceptions of
 * `definition_references`. A table without ids gets the numbers of its rows as ids. So does a table of a merged file if
 * several of its rows share an id. Ids with gaps are replaced, too, unless the trace was imported from OTF2. A text
 * without an id gets a new id at its first use.
 */
#pragma once

#include "src/export/model-rows.h"
#include "src/import/otf2/otf2-library.h"

typedef struct {
    XtfModelTable table;
    uint32_t *ids;   /* by row; NULL: the table's rows have no ids */
    uint64_t *order; /* rows in the order of writing; NULL: by number, or in the order of the source */
    bool renumbered;
} XtfOtf2Table;

typedef struct {
    uint32_t text, id;
} XtfOtf2NewText;

typedef struct {
    XtfTrace *trace;  /* borrowed */
    bool ordered;     /* the trace has `definition_order`: only rows in it are defined, in its order */
    bool lacks_world; /* a group of type COMM_LOCATIONS is needed but missing: the export adds it, with id 0 */
    XtfOtf2Table tables[XTF_N_MODEL_SCHEMAS]; /* by tag; only tags of tables */
    GHashTable *texts;                        /* strings of the trace -> ids */
    uint64_t next_text;                       /* the next free id */
    GArray *new_texts;                        /* of XtfOtf2NewText: texts to define */
    GHashTable *exceptions;                   /* row of `definition_order` and field -> id */
    uint32_t *region_ids;                     /* by row of `regions` */
    uint64_t next_region;
    GArray *new_regions; /* of uint32_t: rows of `regions` without a definition, to define */
} XtfOtf2Names;

bool xtf_otf2_names_init(XtfOtf2Names *names, XtfTrace *trace, GError **error);
void xtf_otf2_names_finish(XtfOtf2Names *names); /* all zeros is fine */

/* Returns a table's rows, each after its parent in the same table; NULL: by number. The caller frees the array. */
uint64_t *xtf_otf2_row_order(const XtfModelTable *table, unsigned tag);

/* Returns the id of a row of XTF_MODEL_...; all ones if the row is none, or does not exist. */
uint32_t xtf_otf2_id(const XtfOtf2Names *names, unsigned tag, uint64_t row);
/* Returns the id of a row of `regions`. A region without an id gets a new one, and is added to `new_regions`. */
uint32_t xtf_otf2_region(XtfOtf2Names *names, uint64_t row);
/* Finds the id of a text of the trace. A text without an id gets a new one, and is added to `new_texts`. */
bool xtf_otf2_text(XtfOtf2Names *names, uint32_t text, uint32_t *id, GError **error);
/* Converts a value of a type of xtf_value_types to OTF2's form. XTF_ERROR_INVALID if OTF2 has no such type. */
bool xtf_otf2_value(XtfOtf2Names *names, uint8_t type, uint64_t value, OTF2_AttributeValue *out, GError **error);
/* True if a field of a definition had another id in the source than the row to which it refers. Sets *id to the
 * source's id. */
bool xtf_otf2_exception(const XtfOtf2Names *names, uint64_t definition, const char *field, uint32_t *id);
