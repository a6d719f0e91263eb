#include "src/trace/text/rows.h"

enum {
    CHUNK_BYTES = 4096,
};

void xtf_rows_init(XtfRows *rows, unsigned n_columns)
{
    *rows = (XtfRows){.n_columns = n_columns,
                      .cells = g_array_new(FALSE, FALSE, sizeof(XtfRowCell)),
                      .texts = g_string_chunk_new(CHUNK_BYTES)};
}

void xtf_rows_finish(XtfRows *rows)
{
    g_clear_pointer(&rows->cells, g_array_unref);
    g_clear_pointer(&rows->texts, g_string_chunk_free);
}

void xtf_rows_add(XtfRows *rows, XtfRowCell cell, const char *text, size_t length)
{
    cell.text = cell.type == XTF_ROW_NOTHING ? "" : g_string_chunk_insert_len(rows->texts, text, (gssize)length);
    rows->text_bytes += length + 1;
    g_array_append_val(rows->cells, cell);
}

uint64_t xtf_rows_n(const XtfRows *rows)
{
    return rows->cells->len / rows->n_columns;
}

const XtfRowCell *xtf_rows_get(const XtfRows *rows, uint64_t i)
{
    return &g_array_index(rows->cells, XtfRowCell, i * rows->n_columns);
}

size_t xtf_rows_bytes(const XtfRows *rows)
{
    return rows->cells->len * sizeof(XtfRowCell) + rows->text_bytes;
}

const char *xtf_row_shown(const XtfRowCell *cell)
{
    return cell->type == XTF_ROW_NOTHING ? "-" : cell->text;
}

double xtf_row_real(const XtfRowCell *cell)
{
    double whole = cell->type == XTF_ROW_PERCENT ? (double)cell->number / 100 : (double)cell->number;

    if (cell->type == XTF_ROW_REAL)
        return cell->real;
    if (cell->type != XTF_ROW_NUMBER && cell->type != XTF_ROW_PERCENT)
        return 0;
    return cell->negative ? -whole : whole;
}

uint64_t xtf_row_number(const XtfRowCell *cell)
{
    bool is_whole = cell->type == XTF_ROW_NUMBER || cell->type == XTF_ROW_TIME || cell->type == XTF_ROW_PERCENT;
    return is_whole ? (uint64_t)MIN(cell->number, (unsigned __int128)UINT64_MAX) : 0;
}
