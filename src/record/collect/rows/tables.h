/*
 * The definition tables of a part, in memory.
 *
 * Definitions come in any order, and often after their first use. So a row is made when its id is first named, and
 * filled in later; its number never changes. A table that changed is written anew at the next commit.
 *
 * What fails (too many rows, too many strings) is kept in `error`, and told by xtf_collect_tables_write(); look-ups
 * then give rows and strings that mean nothing.
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
    const XtfSchema *schema; /* NULL: no row so far */
    const XtfField *id;      /* NULL: the rows have no id */
    GByteArray *rows;
    XtfTableWriter *writer; /* NULL: it was not written yet */
    XtfIdMap by_id;
    uint32_t n_rows, n_stored; /* n_stored: rows that the writer has, and that are as they are here */
} XtfCollectTable;

typedef struct {
    XtfWriter *writer;
    XtfCollectTable tables[XTF_N_MODEL_SCHEMAS]; /* by tag; those of arrays are unused */
    GError *error;
} XtfCollectTables;

/* The writer is borrowed. */
void xtf_collect_tables_init(XtfCollectTables *tables, XtfWriter *writer);
void xtf_collect_tables_finish(XtfCollectTables *tables);

/* The number of the row of a table with that id. A new one has that id, no references, and zeros; *is_new, which may be
 * NULL, says whether it is one. */
uint32_t xtf_collect_new_row(XtfCollectTables *tables, unsigned table, uint32_t id, bool *is_new);
static inline uint32_t xtf_collect_row(XtfCollectTables *tables, unsigned table, uint32_t id)
{
    uint32_t row;

    if (G_LIKELY(tables->tables[table].schema && xtf_id_map_find(&tables->tables[table].by_id, id, &row)))
        return row;
    return xtf_collect_new_row(tables, table, id, NULL);
}

/* Adds a row to a table, by the struct of src/model. For tables without ids, or with ids that nobody looks up. */
uint32_t xtf_collect_add_row(XtfCollectTables *tables, unsigned table, const void *row);
/* A row with no references, and zeros. */
void xtf_collect_empty_row(unsigned table, void *row);
/* A row, to be changed: good until the next row is added. */
void *xtf_collect_change_row(XtfCollectTables *tables, unsigned table, uint32_t row);
const void *xtf_collect_see_row(const XtfCollectTables *tables, unsigned table, uint32_t row);
uint32_t xtf_collect_n_rows(const XtfCollectTables *tables, unsigned table);
/* Gives a row, which begins with `first` and `count`, its list: rows of another table. */
void xtf_collect_set_list(XtfCollectTables *tables, unsigned table, uint32_t row, unsigned parts_table,
                          const void *parts, uint32_t n);
/* Takes all rows away, of a table that no rows refer to and that has no ids. */
void xtf_collect_clear_table(XtfCollectTables *tables, unsigned table);

/* The id of a string, which ends at its first NUL at the latest. */
uint32_t xtf_collect_string(XtfCollectTables *tables, const char *text);

/* Gives the writer what changed. */
bool xtf_collect_tables_write(XtfCollectTables *tables, GError **error);
