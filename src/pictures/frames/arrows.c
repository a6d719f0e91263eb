#include "src/pictures/frames/arrows.h"

#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/pictures/frames/task-arrows.h"
#include "src/tables/views/registry.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/lines.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("from", XTF_COLUMN_NUMBER, NULL, "process that sends"),
    XTF_COLUMN("to", XTF_COLUMN_NUMBER, NULL, "process that receives"),
    XTF_COLUMN("kind", XTF_COLUMN_WORD, NULL, "messages, collective operations or tasks"),
    XTF_COLUMN("count", XTF_COLUMN_NUMBER, NULL, "number of messages"),
    XTF_COLUMN("bytes", XTF_COLUMN_NUMBER, "B", "bytes of the messages"),
};

const XtfTableDeclaration xtf_table_arrows =
    XTF_TABLE("arrows/LETTER", "messages of each pair of processes, by kind", columns);

const char xtf_arrow_letters[] = "acdeimrs";
static const char letters_of_messages[] = "acdmrs";

/* The columns of the tables from which arrows are read. Traces without collective operations lack some. */
enum { SENDER, RECEIVER, MESSAGES, MESSAGE_BYTES };
static const char *const matrix_columns[] = {"sender", "receiver", "messages", "bytes"};
enum { PROC, COLLECTIVES, COLLECTIVE_SENT };
static const char *const bytes_columns[] = {"proc", "collectives", "collective_sent"};
enum { OPTIONAL_BYTES_COLUMNS = 2 };

enum { KIND_WIDTH_MAX = 40 };

static const char kind_message[] = "message", kind_collective[] = "collective";

static bool add_pair(const XtfRowCell *cells, void *data, GError **error)
{
    if (xtf_row_number(&cells[MESSAGES])) {
        XtfArrow arrow = {.kind = kind_message,
                          .from = xtf_row_number(&cells[SENDER]),
                          .to = xtf_row_number(&cells[RECEIVER]),
                          .has_to = true,
                          .count = xtf_row_number(&cells[MESSAGES]),
                          .bytes = xtf_row_number(&cells[MESSAGE_BYTES])};
        g_array_append_val((GArray *)data, arrow);
    }
    return true;
}

static bool add_operations(const XtfRowCell *cells, void *data, GError **error)
{
    if (xtf_row_number(&cells[COLLECTIVES])) {
        XtfArrow arrow = {.kind = kind_collective,
                          .from = xtf_row_number(&cells[PROC]),
                          .count = xtf_row_number(&cells[COLLECTIVES]),
                          .bytes = xtf_row_number(&cells[COLLECTIVE_SENT])};
        g_array_append_val((GArray *)data, arrow);
    }
    return true;
}

const char *xtf_arrow_letters_of(const XtfTraceContext *context)
{
    return xtf_task_arrows_exist(context) ? xtf_arrow_letters : letters_of_messages;
}

static bool has_table(const XtfViews *views, const char *view, const XtfSelection *selection)
{
    return xtf_view_exists(views, xtf_view_by_name(views, view, selection), selection);
}

/* True if arrows come from samples, which do not have the fields of messages. */
static bool is_sampled(const XtfViews *views, const XtfSelection *selection)
{
    return !selection->base && !xtf_selection_has_facets(selection) && xtf_task_arrows_exist(views->context);
}

bool xtf_arrows_exist(const XtfViews *views, const XtfSelection *selection)
{
    return selection->type == XTF_ANY_TYPE && !selection->calls &&
           (has_table(views, "bytes", selection) || is_sampled(views, selection));
}

/* Adds the rows of a table, if the selection has it. */
static bool pick_table(XtfViews *views, const char *view, XtfSelection *selection, XtfRowPicker *picker, GError **error)
{
    return !has_table(views, view, selection) || xtf_view_pick(views, view, selection, picker, error);
}

GArray *xtf_arrows_find(XtfViews *views, XtfSelection *selection, char letter, GError **error)
{
    g_autoptr(GArray) arrows = g_array_new(FALSE, FALSE, sizeof(XtfArrow));
    const XtfSchema *recvs = xtf_trace_find_schema(views->context->trace, XTF_RECORD_RECVS);
    g_autoptr(XtfSelection) received = recvs ? xtf_selection_in_type(selection, recvs->id) : NULL;
    XtfRowPicker pairs = XTF_ROW_PICKER(matrix_columns, add_pair, arrows);
    XtfRowPicker operations = XTF_ROW_PICKER(bytes_columns, add_operations, arrows);

    operations.n_optional = OPTIONAL_BYTES_COLUMNS;
    if (letter == 'r' && received && !pick_table(views, "matrix", received, &pairs, error))
        return NULL;
    if (strchr("adms", letter) && !pick_table(views, "matrix", selection, &pairs, error))
        return NULL;
    if (strchr("ac", letter) && !pick_table(views, "bytes", selection, &operations, error))
        return NULL;
    if (is_sampled(views, selection) && !xtf_task_arrows_find(views->context, selection, letter, arrows, error))
        return NULL;
    return g_steal_pointer(&arrows);
}

/* ---- The table. */

static void size_columns(const GArray *arrows, XtfGrid *grid)
{
    uint64_t proc = 0, count = 0, bytes = 0;
    size_t kind = 0;

    for (guint i = 0; i < arrows->len; i++) {
        const XtfArrow *arrow = &g_array_index(arrows, XtfArrow, i);
        proc = MAX(proc, MAX(arrow->from, arrow->to));
        count = MAX(count, arrow->count);
        bytes = MAX(bytes, arrow->bytes);
        kind = MAX(kind, xtf_text_width(arrow->kind, true, KIND_WIDTH_MAX));
    }
    xtf_grid_add(grid, "from", xtf_count_digits(proc));
    xtf_grid_add(grid, "to", xtf_count_digits(proc));
    xtf_grid_add(grid, "kind", kind);
    xtf_grid_add(grid, "count", xtf_count_digits(count));
    xtf_grid_add(grid, "bytes", xtf_count_digits(bytes));
}

/* Adds the name of a kind of messages, which may be any text of the trace. */
static void add_kind(XtfLines *lines, const char *kind, uint64_t line)
{
    char text[KIND_WIDTH_MAX];
    size_t width = xtf_text_width(kind, true, KIND_WIDTH_MAX);

    xtf_text_put(text, width, kind, true, line);
    xtf_lines_shown_text(lines, text, width, kind);
}

bool xtf_arrows_table(XtfViews *views, XtfSelection *selection, char letter, XtfTableOutput *output, GError **error)
{
    g_autoptr(GArray) arrows = xtf_arrows_find(views, selection, letter, error);

    if (!arrows)
        return false;
    xtf_grid_init(&output->grid, &xtf_table_arrows);
    size_columns(arrows, &output->grid);
    XtfLines *lines = xtf_table_output_begin(output, &views->context->scale);
    for (guint i = 0; i < arrows->len; i++) {
        const XtfArrow *arrow = &g_array_index(arrows, XtfArrow, i);
        xtf_lines_number_if(lines, !arrow->no_from, arrow->from);
        xtf_lines_number_if(lines, arrow->has_to, arrow->to);
        add_kind(lines, arrow->kind, i);
        xtf_lines_number(lines, arrow->count);
        xtf_lines_number_if(lines, !arrow->is_tasks, arrow->bytes);
    }
    return xtf_lines_finish(lines, error);
}
