#include "src/trace/text/row-sink.h"

#include <string.h>

#include "libxtf/error.h"

enum {
    NO_COLUMN = XTF_GRID_COLUMNS_MAX, /* index of a column that the table does not have */
};

bool xtf_row_sink_set_columns(const XtfRowSink *sink, const XtfGrid *grid, GError **error)
{
    const XtfColumn *columns[XTF_GRID_COLUMNS_MAX];

    for (unsigned i = 0; i < grid->n; i++)
        columns[i] = grid->columns[i].column;
    return sink->set_columns(sink->data, columns, grid->n, error);
}

static bool find_columns(void *data, const XtfColumn *const *columns, unsigned n, GError **error)
{
    XtfRowPicker *picker = data;

    g_assert(picker->n <= XTF_GRID_COLUMNS_MAX);
    for (unsigned i = 0; i < picker->n; i++) {
        unsigned index = 0;
        while (index < n && strcmp(columns[index]->name, picker->names[i]) != 0)
            index++;
        if (index == n && i + picker->n_optional < picker->n)
            return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the table has no column \"%s\"", picker->names[i]);
        picker->indexes[i] = index < n ? index : NO_COLUMN;
    }
    return true;
}

static bool visit_rows(void *data, const XtfRows *rows, uint64_t first, uint64_t n, GError **error)
{
    static const XtfRowCell empty_cell = {.type = XTF_ROW_NOTHING, .text = ""};
    const XtfRowPicker *picker = data;
    XtfRowCell picked[XTF_GRID_COLUMNS_MAX];

    for (uint64_t i = first; i < first + n; i++) {
        const XtfRowCell *cells = xtf_rows_get(rows, i);
        for (unsigned j = 0; j < picker->n; j++)
            picked[j] = picker->indexes[j] == NO_COLUMN ? empty_cell : cells[picker->indexes[j]];
        if (!picker->visit(picked, picker->data, error))
            return false;
    }
    return true;
}

XtfRowSink xtf_row_picker_sink(XtfRowPicker *picker)
{
    return (XtfRowSink){.set_columns = find_columns, .add_rows = visit_rows, .data = picker};
}
