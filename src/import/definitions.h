/*
 * The definitions of a source, between reading and writing.
 *
 * Sources define things in any order, late, twice, or not at all. So rows of the standard tables are first collected as
 * the source has them, with its own numbers in the fields that refer to strings and to other tables; then all is
 * resolved to row numbers at once. From then on the rows are fixed, and events of all threads look up row numbers here.
 * A number that nobody defined gets a row that says so.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/writer.h"
#include "src/import/id-map.h"
#include "src/model/schemas.h"

typedef struct {
    const XtfSchema *schema;
    const XtfField *id; /* NULL if its rows have no number of the source's */
    GByteArray *rows;
    GByteArray *late;    /* made up after resolving, for numbers without a definition; they follow `rows` */
    XtfIdMap rows_by_id; /* from the source's numbers to rows */
    XtfIdMap late_rows_by_id;
    uint64_t conflicts; /* definitions of a number that was defined before, differently */
    uint64_t repeats;   /* the same, but alike */
} XtfDefinitionTable;

typedef struct {
    XtfDefinitionTable tables[XTF_N_MODEL_SCHEMAS]; /* by tag; those of arrays are unused */
    XtfWriter *writer;                              /* from resolving on */
    GStringChunk *texts;
    GPtrArray *strings; /* the source's, by order of definition */
    GArray *string_ids; /* of uint32_t: their numbers in the trace, from resolving on */
    XtfIdMap strings_by_id;
    XtfIdMap late_strings_by_id;
    GHashTable *own_strings; /* from texts to numbers */
    uint64_t string_conflicts;
    uint64_t count; /* definitions that were added, strings included */
    GMutex lock;    /* of what is late, and of the error */
    GError *error;  /* the first that a look-up met */
} XtfDefinitions;

void xtf_definitions_init(XtfDefinitions *definitions);
void xtf_definitions_finish(XtfDefinitions *definitions);

/* Collecting. Strings are copied; rows are those of src/model, `table` is XTF_MODEL_.... */
void xtf_definitions_add_string(XtfDefinitions *definitions, uint32_t id, const char *text);
/* A number for a text that the source has none for: counted down from the largest. */
uint32_t xtf_definitions_own_string(XtfDefinitions *definitions, const char *text);
void xtf_definitions_add(XtfDefinitions *definitions, unsigned table, const void *row);
/* A row that lists rows of another table: it begins with `first` and `count`, which are set here. If all is as in the
 * earlier definition of its number, the list is not stored again. */
void xtf_definitions_add_list(XtfDefinitions *definitions, unsigned table, void *row, unsigned parts_table,
                              const void *parts, uint32_t n);
/* A row that is part of another definition: not counted as one. */
void xtf_definitions_add_part(XtfDefinitions *definitions, unsigned table, const void *row);
uint64_t xtf_definitions_n_rows(const XtfDefinitions *definitions, unsigned table);
/* Row number `row` of those that were collected. */
void *xtf_definitions_at(const XtfDefinitions *definitions, unsigned table, uint64_t row);
/* Puts the rows in another order: row i becomes what row order[i] was. */
void xtf_definitions_reorder(XtfDefinitions *definitions, unsigned table, const uint32_t *order);
/* The string as the source has it, before resolving; NULL if it has none of that number. */
const char *xtf_definitions_source_string(const XtfDefinitions *definitions, uint32_t id);

/* Makes regions out of the region definitions, and row numbers out of the source's numbers. */
bool xtf_definitions_resolve(XtfDefinitions *definitions, XtfWriter *writer, GError **error);

/* Looking up, after resolving. All ones stand for none. */
uint32_t xtf_definitions_late_row(XtfDefinitions *definitions, unsigned table, uint32_t id);
uint32_t xtf_definitions_string(XtfDefinitions *definitions, uint32_t id);
/* A typed value, from the source's form into that of `attributes`. The types are those of xtf_value_types. */
uint64_t xtf_definitions_value(XtfDefinitions *definitions, uint8_t type, uint64_t value);

static inline uint32_t xtf_definitions_row(XtfDefinitions *definitions, unsigned table, uint32_t id)
{
    uint32_t row;

    if (G_LIKELY(xtf_id_map_find(&definitions->tables[table].rows_by_id, id, &row)))
        return row;
    return xtf_definitions_late_row(definitions, table, id);
}

/* Writes all tables. Look-ups are over by then. */
bool xtf_definitions_write(XtfDefinitions *definitions, GError **error);
