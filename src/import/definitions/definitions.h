/*
 * Collects the definitions of a source, resolves their ids, and writes them as tables.
 *
 * Sources define things in any order, after their first use, twice, or not at all. Therefore the importer first
 * collects rows of the standard tables, whose references to strings and to other tables are the source's ids.
 * Then all ids are resolved to row numbers at once. Afterwards rows are fixed, and threads that read events look up row
 * numbers here. An id that is used but not defined gets a late row, whose name says "(undefined ...)".
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
    GByteArray *late_rows; /* rows of undefined ids, added after resolving; they follow `rows` */
    XtfIdMap rows_by_id;   /* row numbers */
    XtfIdMap late_rows_by_id;
    uint64_t conflicts; /* definitions of an id that has a different, earlier definition */
    uint64_t alike;     /* of these conflicts: groups with the same name and length as the earlier one */
    uint64_t repeats;   /* definitions of an id that has an equal, earlier definition */
} XtfDefinitionTable;

/* A row that was added while events were read. */
typedef struct {
    uint32_t location; /* index of the location that was being read */
    uint32_t table, row;
} XtfLateRow;

struct XtfDefinitions {
    XtfDefinitionTable tables[XTF_N_MODEL_SCHEMAS]; /* by tag; the entries of arrays are unused */
    XtfWriter *writer;                              /* set when resolving begins */
    GStringChunk *texts;
    GPtrArray *strings; /* of the source, in the order of their definitions; interned strings are among them */
    GArray *string_ids; /* of uint32_t: the strings' ids in the trace; set when resolving begins */
    XtfIdMap strings_by_id;
    XtfIdMap late_strings_by_id;
    GHashTable *interned_strings; /* text -> id */
    XtfTags tags;                 /* of messages: the rows of the table `tags` */
    XtfSourceOrder order;
    uint64_t string_conflicts;
    uint64_t count; /* definitions added, including strings */
    /* For imports that several processes do together: rows that are added while events are read. */
    GArray *late_rows;                /* XtfLateRow; NULL: they are not listed */
    const _Atomic uint32_t *location; /* index of the location that is being read */
    GMutex lock;                      /* of late rows and strings, tags, and the error */
    GError *error;                    /* the error of the first look-up that failed */
};

void xtf_definitions_init(XtfDefinitions *definitions);
void xtf_definitions_finish(XtfDefinitions *definitions);

/* ---- Collecting. Strings are copied. Rows are of src/model; `table` is XTF_MODEL_.... */

void xtf_definitions_add_string(XtfDefinitions *definitions, uint32_t id, const char *text);
/* Returns an id for a text that is not from the source. The ids count down from the largest. */
uint32_t xtf_definitions_intern_string(XtfDefinitions *definitions, const char *text);
void xtf_definitions_add(XtfDefinitions *definitions, unsigned table, const void *row);
/* Adds a row with a list of parts, which are rows of another table. Sets the fields `first` and `count`, with which the
 * row must begin. Does not store the list again if an earlier definition of the id is equal. */
void xtf_definitions_add_list(XtfDefinitions *definitions, unsigned table, void *row, unsigned parts_table,
                              const void *parts, uint32_t n);
/* Adds a row for a definition that the source lacks. */
void xtf_definitions_add_missing(XtfDefinitions *definitions, unsigned table, const void *row);
/* Adds a row that is a part of another definition; `count` does not include it. */
void xtf_definitions_add_part(XtfDefinitions *definitions, unsigned table, const void *row);
/* Returns the number of collected rows. */
uint64_t xtf_definitions_n_rows(const XtfDefinitions *definitions, unsigned table);
/* Returns the number of rows, including rows that were added after resolving. */
uint32_t xtf_definitions_n_all_rows(const XtfDefinitions *definitions, unsigned table);
/* Returns a collected row, valid until a row is added to the table. */
void *xtf_definitions_at(const XtfDefinitions *definitions, unsigned table, uint64_t row);
/* Reorders a table: row i becomes the former row order[i]. */
void xtf_definitions_reorder(XtfDefinitions *definitions, unsigned table, const uint32_t *order);

/* Adds the rows of `regions` for the region definitions, and replaces ids by row numbers. */
bool xtf_definitions_resolve(XtfDefinitions *definitions, XtfWriter *writer, GError **error);

/* ---- Looking up, after resolving. All ones: none. Any thread. */

uint32_t xtf_definitions_late_row(XtfDefinitions *definitions, unsigned table, uint32_t id);
uint32_t xtf_definitions_string(XtfDefinitions *definitions, uint32_t id);
/* Returns a typed value as a row of `attributes` has it. `type` is a number of xtf_value_types. */
uint64_t xtf_definitions_value(XtfDefinitions *definitions, uint8_t type, uint64_t value);
/* True if values of a type refer to rows of a table, or to strings (*table is 0). */
bool xtf_definitions_is_reference(uint8_t type, unsigned *table);

static inline uint32_t xtf_definitions_row(XtfDefinitions *definitions, unsigned table, uint32_t id)
{
    uint32_t row;

    if (G_LIKELY(xtf_id_map_find(&definitions->tables[table].rows_by_id, id, &row)))
        return row;
    return xtf_definitions_late_row(definitions, table, id);
}

/* Returns the id in the trace of a text, for a row that is added after resolving. */
uint32_t xtf_definitions_late_string(XtfDefinitions *definitions, const char *text);
/* Returns the texts of the source by their ids in the trace. The caller unrefs the table. */
GHashTable *xtf_definitions_texts(const XtfDefinitions *definitions);
/* Adds a row after resolving, to a table without ids. Returns its number. Any thread. */
uint32_t xtf_definitions_append(XtfDefinitions *definitions, unsigned table, const void *row);
/* Adds a row that another process has added while it read events. Returns its number. */
uint32_t xtf_definitions_adopt(XtfDefinitions *definitions, unsigned table, const void *row);
/* Adds a row of `remarks`, after resolving. `kind` is a label of xtf_remark_kinds. */
void xtf_definitions_add_remark(XtfDefinitions *definitions, unsigned kind, const char *text);

/* Adds tags of messages to the trace's tags. Any thread. */
void xtf_definitions_add_tags(XtfDefinitions *definitions, const XtfTags *tags);

/* Writes all tables. Call it after the last look-up. */
bool xtf_definitions_write(XtfDefinitions *definitions, GError **error);
