/* Reading of tables: in parts, as text or as rows. */
#include "libxtf/error.h"
#include "src/tables/collectives/collective-leaders.h"
#include "src/tables/format/table.h"
#include "src/tables/totals/pairs.h"
#include "src/tables/totals/waits/group-list.h"
#include "src/tables/views/blocks.h"
#include "src/tables/views/registry.h"
#include "src/tables/views/view.h"

enum {
    KEPT_BYTES = 8 << 20,
    FIRST_BYTES = 1 << 20, /* most bytes that a text gets before its lines are known */
    KEPT_PARTS = 64,
};

/* A part of a table: `at_once` lines from `first` on, as text or as rows. */
typedef struct {
    XtfKept kept;
    XtfShownTable table; /* owned */
    uint64_t first;
    bool as_rows;
    bool is_made;
    GString *text;
    XtfRows rows;
} Part;

static Part *part_new(const XtfShownTable *table, uint64_t first, bool as_rows)
{
    Part *part = g_new(Part, 1);
    *part = (Part){.table = *table, .first = first, .as_rows = as_rows};
    xtf_selection_ref(table->selection);
    xtf_grouping_ref(table->grouping);
    return part;
}

static void part_free(void *data)
{
    Part *part = data;
    xtf_selection_unref(part->table.selection);
    xtf_grouping_unref(part->table.grouping);
    if (part->text)
        g_string_free(part->text, TRUE);
    xtf_rows_finish(&part->rows);
    g_free(part);
}

static gboolean part_equal(const void *item, const void *wanted)
{
    const Part *a = item, *b = wanted;
    return a->table.view == b->table.view && a->table.selection == b->table.selection &&
           a->table.grouping == b->table.grouping && a->first == b->first && a->as_rows == b->as_rows;
}

static const XtfKeeperMethods part_methods = {.equal = part_equal, .free = part_free};

void xtf_views_init(XtfViews *views, XtfResolver *resolver, XtfFormats *formats, XtfMatching *matching,
                    XtfClockCheck *clocks, XtfIterations *iterations)
{
    *views = (XtfViews){.resolver = resolver,
                        .formats = formats,
                        .context = resolver->context,
                        .matching = matching,
                        .clocks = clocks,
                        .iterations = iterations};
    xtf_keeper_init(&views->parts, &part_methods, KEPT_BYTES, KEPT_PARTS);
    xtf_pair_counts_init(&views->pair_counts);
    xtf_group_lists_init(&views->group_lists);
    xtf_leaders_init(&views->leaders);
}

void xtf_views_finish(XtfViews *views)
{
    xtf_keeper_finish(&views->parts);
    xtf_keeper_finish(&views->pair_counts);
    xtf_keeper_finish(&views->group_lists);
    xtf_keeper_finish(&views->leaders);
}

/* ---- Shapes. */

static bool get_shape(XtfViews *views, const XtfShownTable *table, XtfViewShape *shape, GError **error)
{
    uint64_t bytes;

    *shape = (XtfViewShape){.grid.table = &table->view->table};
    if (table->grouping ? !xtf_blocks_shape(views, table->view, table->grouping, shape, error)
                        : !table->view->shape(views, table->selection, shape, error))
        return false;
    shape->at_once = CLAMP(shape->at_once, 1, MAX(shape->n_lines, 1));
    if (shape->n_lines < UINT64_MAX &&
        !__builtin_mul_overflow(shape->n_lines + 1, (uint64_t)shape->grid.line, &bytes) && bytes <= INT64_MAX)
        return true;
    return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the %s of this selection is too large for a file",
                    table->view->table.name);
}

bool xtf_view_size(XtfViews *views, const XtfShownTable *table, uint64_t *size, GError **error)
{
    XtfViewShape shape;

    if (!get_shape(views, table, &shape, error))
        return false;
    *size = (shape.n_lines + 1) * shape.grid.line;
    return true;
}

/* ---- Parts. */

static bool make_part(XtfViews *views, const XtfViewShape *shape, Part *part, GError **error)
{
    const XtfShownTable *table = &part->table;
    const XtfTimeScale *scale = &views->context->scale;
    uint64_t count = MIN(shape->at_once, shape->n_lines - part->first);
    XtfLines lines;

    if (part->as_rows) {
        xtf_rows_init(&part->rows, shape->grid.n);
        xtf_lines_init_rows(&lines, &shape->grid, scale, &part->rows);
    } else {
        part->text = g_string_sized_new(MIN(count * shape->grid.line, (uint64_t)FIRST_BYTES));
        xtf_lines_init(&lines, &shape->grid, scale, part->text);
    }
    bool good = table->grouping
                    ? xtf_blocks_fill(views, table->view, table->grouping, part->first, count, &lines, error)
                    : xtf_view_fill(views, table->view, table->selection, part->first, count, &lines, error);
    if (!good || !xtf_lines_finish(&lines, error))
        return false;
    return xtf_lines_n(&lines) == count ||
           xtf_damaged(error, "table %s: lines %" PRIu64 " to %" PRIu64 " were expected, but %" PRIu64 " were made",
                       table->view->table.name, part->first, part->first + count - 1, (uint64_t)xtf_lines_n(&lines));
}

/* Takes a part from the keeper, or makes it. Put it back with put_part(), also after an error. */
static Part *take_part(XtfViews *views, const XtfShownTable *table, const XtfViewShape *shape, uint64_t first,
                       bool as_rows, GError **error)
{
    Part *part = xtf_keeper_take(&views->parts, part_new(table, first, as_rows));

    if (!part->is_made)
        part->is_made = make_part(views, shape, part, error);
    return part;
}

static void put_part(XtfViews *views, Part *part)
{
    size_t bytes = !part->is_made ? 0 : part->as_rows ? xtf_rows_bytes(&part->rows) : part->text->allocated_len;
    xtf_keeper_put(&views->parts, part, bytes, part->is_made);
}

/* ---- Reading. */

static void read_header(const XtfViewShape *shape, const XtfTimeScale *scale, uint64_t offset, char *buffer,
                        size_t length)
{
    g_autoptr(GString) text = g_string_new(NULL);
    XtfLines lines;

    xtf_lines_init(&lines, &shape->grid, scale, text);
    xtf_lines_header(&lines);
    xtf_copy_part(text->str, text->len, 0, offset, buffer, length);
}

/* Copies text from the part that begins with line `first`. */
static bool read_part(XtfViews *views, const XtfShownTable *table, const XtfViewShape *shape, uint64_t first,
                      uint64_t offset, char *buffer, size_t length, GError **error)
{
    Part *part = take_part(views, table, shape, first, false, error);
    bool good = part->is_made;

    if (good)
        xtf_copy_part(part->text->str, part->text->len, (first + 1) * shape->grid.line, offset, buffer, length);
    put_part(views, part);
    return good;
}

bool xtf_view_read(XtfViews *views, const XtfShownTable *table, uint64_t offset, char *buffer, size_t length,
                   GError **error)
{
    XtfViewShape shape;
    uint64_t line, end = offset + length;

    if (!get_shape(views, table, &shape, error))
        return false;
    line = shape.grid.line;
    if (offset < line)
        read_header(&shape, &views->context->scale, offset, buffer, length);
    /* Line 0 is the line below the header. */
    uint64_t first = offset < line ? 0 : (offset / line - 1) / shape.at_once * shape.at_once;
    for (; first < shape.n_lines && (first + 1) * line < end; first += shape.at_once) {
        if (!read_part(views, table, &shape, first, offset, buffer, length, error))
            return false;
    }
    return true;
}

bool xtf_view_rows(XtfViews *views, const XtfShownTable *table, const XtfRowSink *sink, GError **error)
{
    XtfViewShape shape;
    bool good = get_shape(views, table, &shape, error) && xtf_row_sink_set_columns(sink, &shape.grid, error);

    for (uint64_t first = 0; good && first < shape.n_lines; first += shape.at_once) {
        Part *part = take_part(views, table, &shape, first, true, error);
        good = part->is_made && sink->add_rows(sink->data, &part->rows, 0, xtf_rows_n(&part->rows), error);
        put_part(views, part);
    }
    return good;
}

bool xtf_view_pick(XtfViews *views, const char *view, XtfSelection *selection, XtfRowPicker *picker, GError **error)
{
    const XtfShownTable table = {.view = xtf_view_by_name(views, view, selection), .selection = selection};
    const XtfRowSink sink = xtf_row_picker_sink(picker);

    return xtf_view_check(views, table.view, selection, error) && xtf_view_rows(views, &table, &sink, error);
}
