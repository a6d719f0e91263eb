/*
 * The definitions of a source, between reading and writing.
 *
 * Sources define things in any order, late, twice, or not at all. So rows of the standard tables are collected first,
 * with the source's ids in the fields that refer to strings and to other tables; then all ids are resolved to row
 * numbers at once. From then on rows are fixed, and threads that read events look up row numbers here. An id that is
 * used and not defined gets a late row, which says so.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/writer.h"
#include "src/import/definitions/id-map.h"
#include "src/import/definitions/source-order.h"
#include "src/import/definitions/tags.h"
#include "src/model/schemas.h"

typedef struct {
    const XtfSchema *schema;
    const XtfField *id; /* NULL: the rows have no id */
    GByteArray *rows;
    GByteArray *late;    /* for undefined ids, added after resolving; they follow `rows` */
    XtfIdMap rows_by_id; /* numbers of rows */
    XtfIdMap late_rows_by_id;
    uint64_t conflicts; /* definitions of an id that has another definition already */
    uint64_t alike;     /* those of them that are lists of the same name and length */
    uint64_t repeats;   /* definitions of an id that has an equal definition already */
} XtfDefinitionTable;

struct XtfDefinitions {
    XtfDefinitionTable tables[XTF_N_MODEL_SCHEMAS]; /* by tag; those of arrays are unused */
    XtfWriter *writer;                              /* from resolving on */
    GStringChunk *texts;
    GPtrArray *strings; /* the source's, in the order of their definitions */
    GArray *string_ids; /* of uint32_t: ids in the trace, from resolving on */
    XtfIdMap strings_by_id;
    XtfIdMap late_strings_by_id;
    GHashTable *own_strings; /* texts -> ids */
    XtfTags tags;            /* of messages, which make a table */
    XtfSourceOrder order;
    uint64_t string_conflicts;
    uint64_t count; /* definitions added, strings included */
    GMutex lock;    /* of late rows and strings, of tags, and of the error */
    GError *error;  /* of the first look-up that failed */
};

void xtf_definitions_init(XtfDefinitions *definitions);
void xtf_definitions_finish(XtfDefinitions *definitions);

/* Collecting. Strings are copied; rows are those of src/model, `table` is XTF_MODEL_.... */
void xtf_definitions_add_string(XtfDefinitions *definitions, uint32_t id, const char *text);
/* An id for a text that is not the source's: counted down from the largest. */
uint32_t xtf_definitions_own_string(XtfDefinitions *definitions, const char *text);
void xtf_definitions_add(XtfDefinitions *definitions, unsigned table, const void *row);
/* A row with a list of parts, which are rows of another table: it begins with `first` and `count`, which are set here.
 * The list is not stored again if an earlier definition of the id is equal. */
void xtf_definitions_add_list(XtfDefinitions *definitions, unsigned table, void *row, unsigned parts_table,
                              const void *parts, uint32_t n);
/* The same, of a definition that the source lacks. */
void xtf_definitions_make_up(XtfDefinitions *definitions, unsigned table, const void *row);
/* A part of another definition, which does not count. */
void xtf_definitions_add_part(XtfDefinitions *definitions, unsigned table, const void *row);
uint64_t xtf_definitions_n_rows(const XtfDefinitions *definitions, unsigned table);
/* A collected row. */
void *xtf_definitions_at(const XtfDefinitions *definitions, unsigned table, uint64_t row);
/* Row i becomes the former row order[i]. */
void xtf_definitions_reorder(XtfDefinitions *definitions, unsigned table, const uint32_t *order);

/* Makes regions out of region definitions, and row numbers out of ids. */
bool xtf_definitions_resolve(XtfDefinitions *definitions, XtfWriter *writer, GError **error);

/* Looking up, after resolving. All ones: none. */
uint32_t xtf_definitions_late_row(XtfDefinitions *definitions, unsigned table, uint32_t id);
uint32_t xtf_definitions_string(XtfDefinitions *definitions, uint32_t id);
/* A typed value as `attributes` has it. The types are those of xtf_value_types. */
uint64_t xtf_definitions_value(XtfDefinitions *definitions, uint8_t type, uint64_t value);
/* Whether values of a type lead to rows of a table, or to strings (*table is 0). */
bool xtf_definitions_is_reference(uint8_t type, unsigned *table);

static inline uint32_t xtf_definitions_row(XtfDefinitions *definitions, unsigned table, uint32_t id)
{
    uint32_t row;

    if (G_LIKELY(xtf_id_map_find(&definitions->tables[table].rows_by_id, id, &row)))
        return row;
    return xtf_definitions_late_row(definitions, table, id);
}

/* After resolving: the id in the trace of a text, for a row that is added to a table then. */
uint32_t xtf_definitions_late_string(XtfDefinitions *definitions, const char *text);
/* After resolving: adds a row of `remarks`. `kind` is a label of xtf_remark_kinds. */
void xtf_definitions_add_remark(XtfDefinitions *definitions, unsigned kind, const char *text);

/* Adds tags of messages to those of the trace. Any thread. */
void xtf_definitions_add_tags(XtfDefinitions *definitions, const XtfTags *tags);

/* Writes all tables. Look-ups are over by then. */
bool xtf_definitions_write(XtfDefinitions *definitions, GError **error);
