#include "src/tables/views/blocks.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/trace/text/digits.h"

static const XtfColumn key_columns[] = {
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread of the process"),
    XTF_COLUMN("peer", XTF_COLUMN_NUMBER, NULL, "process on the other side"),
    XTF_COLUMN("culprit", XTF_COLUMN_NUMBER, NULL, "process that it waits for"),
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the region, communicator or call site in its table"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
    XTF_COLUMN("comm", XTF_COLUMN_TEXT, NULL, "name of the communicator"),
    XTF_COLUMN("class", XTF_COLUMN_TEXT, NULL, "class of regions"),
    XTF_COLUMN("site", XTF_COLUMN_TEXT, NULL, "call site: where the program calls"),
    XTF_COLUMN("tag", XTF_COLUMN_NUMBER, NULL, "tag of messages"),
    XTF_COLUMN("from", XTF_COLUMN_TIME, NULL, "beginning of the slice"),
    XTF_COLUMN("to", XTF_COLUMN_TIME, NULL, "end of the slice"),
};

static const XtfTableDeclaration keys_table = XTF_TABLE("by", "values of keys", key_columns);

enum {
    PART_BYTES = 128 << 10,  /* approximate bytes of text, for blocks that are made one by one */
    BATCH_BYTES = 512 << 10, /* approximate bytes of text, for blocks that a view makes in one call */
};

bool xtf_blocks_exist(const XtfViews *views, const XtfView *view, const XtfGrouping *grouping, GError **error)
{
    for (const XtfGrouping *at = grouping; at; at = at->outer) {
        if (view->refused_keys >> at->values.key & 1)
            return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                            at->values.key == XTF_GROUP_BY_TIME
                                ? "%s already has slices of time: there is no by/time of it"
                                : "the lines of %s differ from block to block of this key",
                            view->table.name);
    }
    g_autoptr(XtfSelection) sample = xtf_grouping_selection(grouping, 0);
    return xtf_view_check(views, view, sample, error);
}

/* ---- The cells of keys. */

typedef struct {
    const XtfPaddedNames *names; /* of regions or communicators; NULL: the trace has no names */
    const XtfLocations *locations;
} KeyText;

static bool load_key_text(XtfViews *views, const XtfKeyValues *values, KeyText *text, GError **error)
{
    *text = (KeyText){.locations = xtf_trace_context_locations(views->context, error)};
    if (!text->locations)
        return false;
    if (values->key == XTF_GROUP_BY_REGION)
        return xtf_padded_words_of_table(views->formats, XTF_TABLE_REGIONS, &text->names, error);
    if (values->key == XTF_GROUP_BY_COMM)
        return xtf_padded_words_of_table(views->formats, XTF_TABLE_COMMUNICATORS, &text->names, error);
    if (values->key == XTF_GROUP_BY_SITE)
        return xtf_padded_names_of_sites(views->formats, &text->names, error);
    return true;
}

static void add_row_columns(const KeyText *text, const char *name, XtfGrid *grid)
{
    uint64_t n = text->names ? text->names->n : 0;

    xtf_grid_add(grid, "row", xtf_count_digits(n ? n - 1 : 0));
    xtf_grid_add(grid, name, text->names ? text->names->width : 1);
}

static size_t tag_width(const XtfTraceContext *context, const XtfKeyValues *values)
{
    return context->growing || !values->n ? XTF_GROWING_NUMBER_WIDTH
                                          : xtf_count_digits(xtf_key_number(values, values->n - 1));
}

static size_t class_width(void)
{
    size_t width = 0;

    for (unsigned i = 0; i < XTF_N_CLASSES; i++)
        width = MAX(width, strlen(xtf_class_names[i]));
    return width;
}

static bool add_key_columns(XtfViews *views, const XtfGrouping *grouping, XtfGrid *grid, GError **error)
{
    const XtfKeyValues *values = &grouping->values;
    size_t time = views->context->scale.width;
    KeyText text;

    if ((grouping->outer && !add_key_columns(views, grouping->outer, grid, error)) ||
        !load_key_text(views, values, &text, error))
        return false;
    switch (values->key) {
    case XTF_GROUP_BY_THREAD:
        xtf_grid_add(grid, "proc", text.locations->proc_width);
        xtf_grid_add(grid, "thread", text.locations->thread_width);
        break;
    case XTF_GROUP_BY_REGION:
        add_row_columns(&text, "region", grid);
        break;
    case XTF_GROUP_BY_CLASS:
        xtf_grid_add(grid, "class", class_width());
        break;
    case XTF_GROUP_BY_COMM:
        add_row_columns(&text, "comm", grid);
        break;
    case XTF_GROUP_BY_SITE:
        add_row_columns(&text, "site", grid);
        break;
    case XTF_GROUP_BY_TAG:
        xtf_grid_add(grid, "tag", tag_width(views->context, values));
        break;
    case XTF_GROUP_BY_TIME:
        xtf_grid_add(grid, "from", time);
        xtf_grid_add(grid, "to", time);
        break;
    default:
        xtf_grid_add(grid, xtf_grouping_key_name(values->key), text.locations->proc_width);
    }
    return true;
}

static void add_key_cells(const XtfKeyValues *values, const KeyText *text, uint64_t i, XtfLines *lines)
{
    uint64_t number = values->key == XTF_GROUP_BY_TIME ? 0 : xtf_key_number(values, i);
    uint64_t origin = lines->scale->origin;

    switch (values->key) {
    case XTF_GROUP_BY_TIME:
        xtf_lines_ticks(lines, xtf_key_bound(values, i) - origin);
        xtf_lines_ticks(lines, xtf_key_bound(values, i + 1) - origin);
        break;
    case XTF_GROUP_BY_THREAD:
        xtf_lines_number(lines, text->locations->all[number].proc);
        xtf_lines_number(lines, text->locations->all[number].thread);
        break;
    case XTF_GROUP_BY_CLASS:
        xtf_lines_word(lines, xtf_class_names[number]);
        break;
    case XTF_GROUP_BY_REGION:
    case XTF_GROUP_BY_COMM:
    case XTF_GROUP_BY_SITE:
        xtf_lines_number(lines, number);
        xtf_lines_padded_name_if(lines, text->names, number);
        break;
    default:
        xtf_lines_number(lines, number);
    }
}

/* ---- Shapes. */

/* Finds the shape of the view of one block. */
static bool block_shape(XtfViews *views, const XtfView *view, const XtfSelection *selection, XtfViewShape *shape,
                        GError **error)
{
    *shape = (XtfViewShape){.grid.table = &view->table};
    if (!view->shape(views, selection, shape, error))
        return false;
    shape->at_once = CLAMP(shape->at_once, 1, MAX(shape->n_lines, 1));
    return true;
}

/* Returns the lines of a part: several whole blocks, or, if a block is larger than a part, several parts of its view.
 */
static uint64_t lines_at_once(const XtfView *view, const XtfGrouping *grouping, const XtfViewShape *block, size_t line)
{
    uint64_t most = xtf_view_has_batches(view, grouping->values.key) ? BATCH_BYTES : PART_BYTES;
    uint64_t unit = block->n_lines <= most / line ? block->n_lines : block->at_once;
    return unit * MAX(most / line / MAX(unit, 1), 1);
}

bool xtf_blocks_shape(XtfViews *views, const XtfView *view, const XtfGrouping *grouping, XtfViewShape *shape,
                      GError **error)
{
    g_autoptr(XtfSelection) sample = xtf_grouping_selection(grouping, 0);
    XtfViewShape block;

    xtf_grid_init(&shape->grid, &keys_table);
    if (!block_shape(views, view, sample, &block, error) || !add_key_columns(views, grouping, &shape->grid, error))
        return false;
    for (unsigned i = 0; i < block.grid.n; i++)
        xtf_grid_add_column(&shape->grid, block.grid.columns[i].column, block.grid.columns[i].width);
    if (__builtin_mul_overflow(block.n_lines, grouping->n_blocks, &shape->n_lines))
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the %s of these blocks is too large for a file",
                        view->table.name);
    shape->at_once = lines_at_once(view, grouping, &block, shape->grid.line);
    return true;
}

/* ---- Lines. */

typedef struct {
    XtfViews *views;
    const XtfView *view;
    const XtfGrouping *grouping;
    XtfViewShape block;
    KeyText *text; /* by grouping, the outermost first */
    XtfLines *lines;
} Filling;

static void put_keys(const Filling *filling, const XtfGrouping *grouping, unsigned depth, uint64_t block)
{
    uint64_t n = grouping->values.n;

    if (grouping->outer)
        put_keys(filling, grouping->outer, depth - 1, block / n);
    add_key_cells(&grouping->values, &filling->text[depth], block % n, filling->lines);
}

static unsigned depth_of(const XtfGrouping *grouping)
{
    return grouping->outer ? 1 + depth_of(grouping->outer) : 0;
}

/* Lines of the view, which are copied to the last columns. */
typedef struct {
    XtfLines lines;
    GString *text; /* NULL: the lines are made as rows */
    XtfRows rows;
} MadeLines;

static void made_finish(MadeLines *made)
{
    if (made->text)
        g_string_free(made->text, TRUE);
    xtf_rows_finish(&made->rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MadeLines, made_finish)

static void made_init(MadeLines *made, const Filling *filling, const XtfGrid *grid)
{
    if (filling->lines->rows) {
        xtf_rows_init(&made->rows, grid->n);
        xtf_lines_init_rows(&made->lines, grid, filling->lines->scale, &made->rows);
    } else {
        made->text = g_string_new(NULL);
        xtf_lines_init(&made->lines, grid, filling->lines->scale, made->text);
    }
}

static bool check_made(const Filling *filling, const MadeLines *made, uint64_t n, GError **error)
{
    if (!xtf_lines_finish(&made->lines, error))
        return false;
    return xtf_lines_n(&made->lines) == n ||
           xtf_damaged(error, "the %s has more or fewer lines than the trace states", filling->view->table.name);
}

/* Adds lines [first, first + n) of `made` as lines of a block. */
static void add_block(const Filling *filling, uint64_t block, const MadeLines *made, uint64_t first, uint64_t n)
{
    size_t line = filling->block.grid.line;

    put_keys(filling, filling->grouping, depth_of(filling->grouping), block);
    if (made->text)
        xtf_lines_join_text(filling->lines, made->text->str + first * line, line, n);
    else
        xtf_lines_join_rows(filling->lines, &made->rows, first, n);
}

/* Adds lines [from, to) of a block. Makes whole parts of its view for them. */
static bool fill_block(const Filling *filling, uint64_t block, uint64_t from, uint64_t to, GError **error)
{
    const XtfView *view = filling->view;
    g_autoptr(XtfSelection) selection = xtf_grouping_selection(filling->grouping, block);
    XtfViewShape shape;
    g_auto(MadeLines) made = {0};

    if (!block_shape(filling->views, view, selection, &shape, error))
        return false;
    if (shape.n_lines != filling->block.n_lines || shape.grid.line != filling->block.grid.line)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the %s of one of these blocks has other columns or another number of lines", view->table.name);
    uint64_t first = from / shape.at_once * shape.at_once;
    uint64_t end = MIN((to + shape.at_once - 1) / shape.at_once * shape.at_once, shape.n_lines);
    made_init(&made, filling, &shape.grid);
    bool good = xtf_view_fill_in_order(filling->views, view, selection, first, end - first, &made.lines, error);
    if (!good || !check_made(filling, &made, end - first, error))
        return false;
    add_block(filling, block, &made, from - first, to - from);
    return true;
}

/* Adds `n` whole blocks, all in one block of the outer grouping. */
static bool fill_block_batch(const Filling *filling, uint64_t first, uint64_t n, GError **error)
{
    const XtfGrouping *grouping = filling->grouping;
    g_autoptr(XtfSelection) outer_block = grouping->outer
                                              ? xtf_grouping_selection(grouping->outer, first / grouping->values.n)
                                              : xtf_selection_ref(grouping->selection);
    uint64_t from = first % grouping->values.n, n_lines = filling->block.n_lines;
    g_auto(MadeLines) made = {0};

    made_init(&made, filling, &filling->block.grid);
    if (!xtf_view_fill_batch(filling->views, filling->view, outer_block, &grouping->values, from, n, &made.lines,
                             error) ||
        !check_made(filling, &made, n * n_lines, error))
        return false;
    for (uint64_t i = 0; i < n; i++)
        add_block(filling, first + i, &made, i * n_lines, n_lines);
    return true;
}

static bool fill_lines(const Filling *filling, uint64_t first, uint64_t count, GError **error)
{
    uint64_t n_lines = filling->block.n_lines, end = first + count, n_values = filling->grouping->values.n;

    while (first < end) {
        uint64_t block = first / n_lines, from = first % n_lines, to = MIN(n_lines, end - block * n_lines);
        uint64_t whole = MIN((end - first) / n_lines, n_values - block % n_values);
        if (from == 0 && whole && xtf_view_has_batches(filling->view, filling->grouping->values.key)) {
            if (!fill_block_batch(filling, block, whole, error))
                return false;
            first += whole * n_lines;
        } else {
            if (!fill_block(filling, block, from, to, error))
                return false;
            first += to - from;
        }
    }
    return true;
}

bool xtf_blocks_fill(XtfViews *views, const XtfView *view, const XtfGrouping *grouping, uint64_t first, uint64_t count,
                     XtfLines *lines, GError **error)
{
    g_autoptr(XtfSelection) sample = xtf_grouping_selection(grouping, 0);
    unsigned depth = depth_of(grouping);
    g_autofree KeyText *text = g_new(KeyText, depth + 1);
    Filling filling = {views, view, grouping, .text = text, .lines = lines};

    for (const XtfGrouping *at = grouping; at; at = at->outer) {
        if (!load_key_text(views, &at->values, &text[depth--], error))
            return false;
    }
    return block_shape(views, view, sample, &filling.block, error) && fill_lines(&filling, first, count, error);
}
