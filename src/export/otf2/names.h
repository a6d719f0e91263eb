/*
 * What definitions are called in an archive that is written: OTF2's ids of rows and strings.
 *
 * What was imported keeps the ids of its source: `id` of each row, `string_definitions`, and the exceptions of
 * `definition_references`. A table without ids, with ids that several rows share in a file that was merged, or with
 * gaps in what was not imported from OTF2, gets the numbers of its rows. Texts that have no id get new ones when first
 * asked for.
 */
#pragma once

#include <otf2/otf2.h>

#include "src/export/model-rows.h"

typedef struct {
    XtfModelTable table;
    uint32_t *ids;   /* by row; NULL: the table's rows have none */
    uint64_t *order; /* rows as they are written; NULL: one after another, or as their source has them */
    bool renumbered;
} XtfOtf2Table;

typedef struct {
    uint32_t text, id;
} XtfOtf2NewText;

typedef struct {
    XtfTrace *trace;  /* borrowed */
    bool ordered;     /* the trace says in which order it was defined; rows that are not in there are not defined */
    bool lacks_world; /* MPI's groups need one of type COMM_LOCATIONS, and there is none: it gets the id 0 */
    XtfOtf2Table tables[XTF_N_MODEL_SCHEMAS]; /* by tag; of tables only */
    GHashTable *texts;                        /* strings of the trace -> ids */
    uint64_t next_text;                       /* the next free id */
    GArray *new_texts;                        /* of XtfOtf2NewText: to be defined */
    GHashTable *exceptions;                   /* row of `definition_order` and field -> id */
    uint32_t *region_ids;                     /* by row of `regions` */
    uint64_t next_region;
    GArray *new_regions; /* of uint32_t: rows of `regions` that no definition is, to be defined */
} XtfOtf2Names;

bool xtf_otf2_names_init(XtfOtf2Names *names, XtfTrace *trace, GError **error);
void xtf_otf2_names_finish(XtfOtf2Names *names); /* all zeros is fine */

/* Returns a table's rows, each behind the row of the table that it names as its parent; NULL: one after another. */
uint64_t *xtf_otf2_row_order(const XtfModelTable *table, unsigned tag);

/* The id of a row of XTF_MODEL_...; all ones if the row is none, or does not exist. */
uint32_t xtf_otf2_id(const XtfOtf2Names *names, unsigned tag, uint64_t row);
/* The same of `regions`. */
uint32_t xtf_otf2_region(XtfOtf2Names *names, uint64_t row);
bool xtf_otf2_text(XtfOtf2Names *names, uint32_t text, uint32_t *id, GError **error);
/* The value of a type of xtf_value_types, as OTF2 has it. XTF_ERROR_INVALID if OTF2 has no such type. */
bool xtf_otf2_value(XtfOtf2Names *names, uint8_t type, uint64_t value, OTF2_AttributeValue *out, GError **error);
/* Whether a field of a definition has another id than its row says. */
bool xtf_otf2_exception(const XtfOtf2Names *names, uint64_t definition, const char *field, uint32_t *id);
