/*
 * What the files of the join share.
 *
 *   join.c         the whole: its schemas, tables and strings
 *   join-rows.c    numbering the rows of a part
 *   join-fields.c  the values of the rows of a part, once all are numbered
 *   join-order.c   the order of the tables, and references that follow it
 */
#pragma once

#include "libxtf/disk/format.h"
#include "libxtf/error.h"
#include "libxtf/merge/join.h"
#include "libxtf/references.h"
#include "libxtf/schema/row-map.h"

/* A reference of a table's row to no row: a number that is not less than the `n` rows of the part's table. */
typedef struct {
    XtfJoinedTable *table, *target;
    uint32_t row, field;
    uint32_t n;
    uint64_t number;
} XtfBeyond;

/* A table of the part that is being added. */
typedef struct {
    XtfJoinedTable *to; /* NULL: the part has no such table */
    const uint8_t *from;
    uint32_t n;
    uint32_t *rows; /* by row: its number in the whole, or one of the marks below */
} XtfPartTable;

#define XTF_ROW_UNKNOWN UINT32_MAX
#define XTF_ROW_BUSY    (UINT32_MAX - 1)

/* A row of the part that has become one of the whole: the first of its kind, which was copied as it was, or a further
 * one, which may have values that the first lacks. */
typedef struct {
    const XtfPartTable *table;
    uint32_t row, whole;
    bool first;
} XtfJoinedRow;

/* The part that is being added. */
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

/* The table that field f of a table's rows lists rows of: its value is the first row, the next field their number.
 * NULL: the field is no list. */
XtfJoinedTable *xtf_join_list(const XtfJoin *join, const XtfSchema *schema, uint32_t f);

/* The id in the whole of a string of the part. */
bool xtf_part_join_string(const XtfPartJoin *part, uint64_t id, uint32_t *whole, GError **error);

/* Numbers all rows of the part's tables, and copies those that are the first of their kind, with their lists. */
bool xtf_part_join_rows(XtfPartJoin *part, GError **error);
