/*
 * Joining the tables of parts: which rows of a part become which rows of the whole, and the tables of the whole.
 *
 * Parts are added one by one. Rows of two parts are one row of the whole if they agree in all fields that are flagged
 * XTF_FIELD_IDENTIFIES, where strings are compared as text and references by the rows of the whole that they lead to.
 * Rows of one part never become one row, so that totals by row stay apart as they are stored. Tables without such
 * fields are put one behind the other. Where one row has a value and the others "none", an empty string or an empty
 * list, the whole has the value.
 *
 * Until xtf_join_finish_tables() rows have the numbers in which they came. Then tables with fields that are flagged
 * XTF_FIELD_ORDERS are put in order.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/schema.h"

/* A table of the whole. */
typedef struct {
    const XtfSchema *schema;
    GArray *references; /* of its rows: schema/references.h */
    GByteArray *rows;
    GHashTable *numbers; /* what identifies a row (GBytes) -> its number plus 1; NULL: nothing does */
    GArray *last_part;   /* uint32_t by row: the part whose row it became last, from 1 */
    uint32_t *order;     /* by number in which a row came: its number; NULL: the same */
    uint32_t n_rows;
    bool is_list; /* fields that are lists lead to it */
} XtfJoinedTable;

typedef struct {
    GPtrArray *schemas;     /* XtfSchema, by id */
    GPtrArray *tables;      /* XtfJoinedTable by id of its schema; NULL of other schemas */
    GPtrArray *paths;       /* by schema: the part that had it first */
    GByteArray *strings;    /* of the tables' rows: a heap as in disk/strings.h */
    GHashTable *string_ids; /* text -> id */
    GArray *beyond;         /* references of tables' rows to no row */
    uint32_t n_parts;
} XtfJoin;

XtfJoin *xtf_join_new(void);
void xtf_join_free(XtfJoin *join); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfJoin, xtf_join_free)

/* How the numbers of one part become those of the whole. */
typedef struct {
    uint32_t n_schemas;
    uint32_t *schemas; /* by the part's id */
    uint32_t n_whole;  /* schemas of the whole when the part was added */
    uint32_t **rows;   /* by id in the whole, of tables: by row of the part; NULL: it has no such table */
    uint32_t *n_rows;
} XtfPartMap;

void xtf_part_map_finish(XtfPartMap *map); /* all zeros is fine */

/* Adds the schemas of a part. XTF_ERROR_INVALID if another part has a different one of the same name; the message names
 * both. Borrows the path. */
bool xtf_join_schemas(XtfJoin *join, const XtfTrace *trace, const char *path, XtfPartMap *map, GError **error);

/* Adds the rows of the part's tables, all of which can be read, and so can their strings. XTF_ERROR_TOO_LARGE. */
bool xtf_join_tables(XtfJoin *join, XtfTrace *trace, XtfPartMap *map, GError **error);

/* Once all parts are added: puts tables in order. XTF_ERROR_TOO_LARGE if a field that refers to a table has no room for
 * its rows' numbers. */
bool xtf_join_finish_tables(XtfJoin *join, GError **error);

/* The final number of a table's row, from the one that a part map has. */
static inline uint32_t xtf_joined_row(const XtfJoinedTable *table, uint32_t row)
{
    return table->order ? table->order[row] : row;
}

/* The table of a name; NULL if no part has one. */
XtfJoinedTable *xtf_join_find_table(const XtfJoin *join, const char *name);
