/*
 * The definition tables of a part, in memory.
 *
 * Definitions arrive in any order, often after their first use. So the first use of an id adds a row, and the
 * definition fills it in. The row's number never changes. The next commit rewrites a table that has changed.
 *
 * Failures (too many rows or strings) are stored in `error`, which xtf_collect_tables_write() reports. After a failure,
 * look-ups return rows and strings without meaning.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/writer.h"
#include "src/import/definitions/id-map.h"
#include "src/model/schemas.h"

typedef struct {
    const XtfSchema *schema; /* NULL: no rows yet */
    const XtfField *id;      /* NULL: the rows have no id */
    GByteArray *rows;
    XtfTableWriter *writer; /* NULL: not written yet */
    XtfIdMap by_id;
    uint32_t n_rows, n_stored; /* n_stored: rows that the writer has, unchanged */
} XtfCollectTable;

typedef struct {
    XtfWriter *writer;
    XtfCollectTable tables[XTF_N_MODEL_SCHEMAS]; /* by tag; array tags are unused */
    GError *error;
} XtfCollectTables;

/* Initialises the tables. Borrows the writer. */
void xtf_collect_tables_init(XtfCollectTables *tables, XtfWriter *writer);
void xtf_collect_tables_finish(XtfCollectTables *tables);

/* Sets the schema of a table without rows, instead of the model's. */
void xtf_collect_tables_use(XtfCollectTables *tables, unsigned table, const XtfSchema *schema);

/* Returns the number of the row with that id in a table. A new row has the id, no references, and zeros. *is_new (may
 * be NULL) is true for a new row. */
uint32_t xtf_collect_new_row(XtfCollectTables *tables, unsigned table, uint32_t id, bool *is_new);
static inline uint32_t xtf_collect_row(XtfCollectTables *tables, unsigned table, uint32_t id)
{
    uint32_t row;

    if (G_LIKELY(tables->tables[table].schema && xtf_id_map_find(&tables->tables[table].by_id, id, &row)))
        return row;
    return xtf_collect_new_row(tables, table, id, NULL);
}

/* Adds a row, a struct of src/model, to a table without ids, or whose ids are never looked up. Returns its number. */
uint32_t xtf_collect_add_row(XtfCollectTables *tables, unsigned table, const void *row);
/* Fills a row with zeros and no references. */
void xtf_collect_empty_row(unsigned table, void *row);
/* Returns a row for writing, valid until the next row is added. */
void *xtf_collect_change_row(XtfCollectTables *tables, unsigned table, uint32_t row);
const void *xtf_collect_see_row(const XtfCollectTables *tables, unsigned table, uint32_t row);
uint32_t xtf_collect_n_rows(const XtfCollectTables *tables, unsigned table);
/* Adds the list `parts` to another table. Sets the row's first two fields, `first` and `count`, to the list. */
void xtf_collect_set_list(XtfCollectTables *tables, unsigned table, uint32_t row, unsigned parts_table,
                          const void *parts, uint32_t n);
/* Removes all rows of a table without ids to which no rows refer. */
void xtf_collect_clear_table(XtfCollectTables *tables, unsigned table);

/* Adds a string, up to its first NUL, and returns its id. */
uint32_t xtf_collect_string(XtfCollectTables *tables, const char *text);

/* Passes changed tables to the writer. */
bool xtf_collect_tables_write(XtfCollectTables *tables, GError **error);
