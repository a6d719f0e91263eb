/*
 * Joining the tables of parts: maps the rows of each part to rows of the whole, and builds the tables of the whole.
 *
 * The caller adds parts one by one. Rows of two parts become one row of the whole if they agree in all fields that are
 * flagged XTF_FIELD_IDENTIFIES. Strings are compared as text, references by the rows of the whole that they lead to.
 * Two rows of one part never become one row, because their totals are stored separately. Tables without such fields are
 * concatenated. If one row has a value and another has "none", an empty string or an empty list, the whole has the
 * value.
 *
 * Until xtf_join_finish_tables() rows are numbered in the order in which they were added. It then sorts the tables with
 * fields that are flagged XTF_FIELD_ORDERS.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/schema.h"

/* A table of the whole. */
typedef struct {
    const XtfSchema *schema;
    GArray *references; /* references of its rows: schema/references.h */
    GByteArray *rows;
    GHashTable *numbers; /* identifying values of a row (GBytes) -> its number plus 1; NULL: no fields identify rows */
    GArray *last_part;   /* uint32_t by row: the last part that has this row, from 1 */
    uint32_t *order;     /* final number by number of arrival; NULL: the same */
    uint32_t n_rows;
    bool is_list; /* list fields refer to it */
} XtfJoinedTable;

/* A number that is added to a field of a part's tables. */
typedef struct {
    const char *schema, *field;
    uint64_t by;
} XtfNumberShift;

typedef struct {
    GPtrArray *schemas;     /* XtfSchema, by id */
    GPtrArray *tables;      /* XtfJoinedTable by schema id; NULL for schemas of other kinds */
    GPtrArray *paths;       /* by schema: path of the first part that has it */
    GByteArray *strings;    /* strings of the tables' rows: a heap as in disk/strings.h */
    GHashTable *string_ids; /* text -> id */
    GArray *beyond;         /* references from table rows to rows that do not exist */
    uint32_t n_parts;
    bool keeps_order;             /* tables have their order, so xtf_join_finish_tables() sorts none */
    const char *const *separate;  /* tables whose rows join no rows of other parts, NULL-terminated; NULL: none */
    const XtfNumberShift *shifts; /* what the next part adds to its numbers */
    size_t n_shifts;
} XtfJoin;

XtfJoin *xtf_join_new(void);
void xtf_join_free(XtfJoin *join); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfJoin, xtf_join_free)

/* Maps from the numbers of one part to the whole's. */
typedef struct {
    uint32_t n_schemas;
    uint32_t *schemas; /* id in the whole, by the part's id */
    uint32_t n_whole;  /* number of schemas of the whole when the part was added */
    uint32_t **rows;   /* by the table's id in the whole, then by row of the part; NULL: the part has no such table */
    uint32_t *n_rows;
} XtfPartMap;

void xtf_part_map_finish(XtfPartMap *map); /* an all-zero map is allowed */

/* Adds the schemas of a part. XTF_ERROR_INVALID if another part has a different schema of the same name; the message
 * names both parts. Borrows the path. */
bool xtf_join_schemas(XtfJoin *join, const XtfTrace *trace, const char *path, XtfPartMap *map, GError **error);

/* Adds the rows of the part's tables. The caller has checked that all of them and their strings can be read.
 * XTF_ERROR_TOO_LARGE if the whole exceeds a limit of the format. */
bool xtf_join_tables(XtfJoin *join, XtfTrace *trace, XtfPartMap *map, GError **error);

/* Sorts the tables, after all parts are added. XTF_ERROR_TOO_LARGE if a field is too narrow for the numbers of the rows
 * that it refers to. */
bool xtf_join_finish_tables(XtfJoin *join, GError **error);

/* Returns the final number of a table's row, from the number in a part map. */
static inline uint32_t xtf_joined_row(const XtfJoinedTable *table, uint32_t row)
{
    return table->order ? table->order[row] : row;
}

/* Returns the table of a name; NULL if no part has it. */
XtfJoinedTable *xtf_join_find_table(const XtfJoin *join, const char *name);
