/*
 * Private parts of the join, shared by its files.
 *
 *   join.c         the whole: its schemas, tables and strings
 *   join-rows.c    numbering the rows of a part
 *   join-fields.c  the field values of a part's rows, after all are numbered
 *   join-order.c   sorting the tables, and updating references
 */
#pragma once

#include "libxtf/disk/format.h"
#include "libxtf/error.h"
#include "libxtf/merge/join.h"
#include "libxtf/references.h"
#include "libxtf/schema/row-map.h"

/* A reference from a table's row to a row that does not exist: `number` is not less than the `n` rows of the part's
 * table. */
typedef struct {
    XtfJoinedTable *table, *target;
    uint32_t row, field;
    uint32_t n;
    uint64_t number;
} XtfBeyond;

/* A table of the part being added. */
typedef struct {
    XtfJoinedTable *to; /* NULL: the part has no such table */
    const uint8_t *from;
    uint8_t *shifted; /* a copy of the part's rows, with other numbers; NULL: `from` has the part's own rows */
    uint32_t n;
    uint32_t *rows; /* by row: its number in the whole, or one of the values below */
} XtfPartTable;

#define XTF_ROW_UNKNOWN UINT32_MAX
#define XTF_ROW_BUSY    (UINT32_MAX - 1)

/* A row of the part and its row of the whole. `first`: the row was copied, as the first with its identity; else it may
 * add values that the first lacks. */
typedef struct {
    const XtfPartTable *table;
    uint32_t row, whole;
    bool first;
} XtfJoinedRow;

/* The part being added. */
typedef struct {
    XtfJoin *join;
    XtfTrace *trace;
    XtfPartTable *tables; /* by id of the schema in the whole */
    GArray *joined;       /* XtfJoinedRow */
} XtfPartJoin;

static inline const uint8_t *xtf_part_row(const XtfPartTable *table, uint32_t row)
{
    return table->from + (size_t)row * table->to->schema->row_size;
}

static inline uint8_t *xtf_joined_at(const XtfJoinedTable *table, uint32_t row)
{
    return table->rows->data + (size_t)row * table->schema->row_size;
}

/* Returns the table whose rows field f lists: f holds the first row, the next field the number of rows. NULL if field f
 * is not a list. */
XtfJoinedTable *xtf_join_list(const XtfJoin *join, const XtfSchema *schema, uint32_t f);

/* Finds the id in the whole of a string of the part, adding the string if needed. */
bool xtf_part_join_string(const XtfPartJoin *part, uint64_t id, uint32_t *whole, GError **error);

/* Numbers all rows of the part's tables. Copies the first row of each identity, with its lists. */
bool xtf_part_join_rows(XtfPartJoin *part, GError **error);
