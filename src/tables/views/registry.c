#include "src/tables/views/registry.h"

#include "libxtf/error.h"
#include "src/tables/format/table.h"
#include "src/tables/totals/pairs.h"
#include "src/tables/totals/waits/group-list.h"
#include "src/tables/views/blocks.h"
#include "src/tables/views/view.h"

enum {
    KEPT_BYTES = 8 << 20,
    KEPT_PARTS = 64,
};

/* Every selection has the totals of records: those of waits come before. Of others of one name, too, those of records
 * come first: they say why a selection has none, if all say it as well. */
const XtfView *const xtf_all_views[] = {&xtf_view_totals_of_waits,
                                        &xtf_view_totals,
                                        &xtf_view_histogram_of_waits,
                                        &xtf_view_histogram,
                                        &xtf_view_profile,
                                        &xtf_view_profile_of_waits,
                                        &xtf_view_profile_of_delays,
                                        &xtf_view_profile_of_callpaths,
                                        &xtf_view_critical_profile,
                                        &xtf_view_critical_segments,
                                        &xtf_view_critical_callpaths,
                                        &xtf_view_classes,
                                        &xtf_view_efficiency,
                                        &xtf_view_matrix,
                                        &xtf_view_matrix_of_waits,
                                        &xtf_view_waves,
                                        &xtf_view_messages,
                                        &xtf_view_unmatched,
                                        &xtf_view_bytes,
                                        &xtf_view_stack,
                                        &xtf_view_state,
                                        &xtf_view_total,
                                        &xtf_view_imbalance,
                                        &xtf_view_longest,
                                        &xtf_view_metrics,
                                        &xtf_view_values,
                                        &xtf_view_rates,
                                        &xtf_view_growth,
                                        &xtf_view_info,
                                        NULL};

bool xtf_view_is_name(const char *name)
{
    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        if (g_str_equal((*view)->name, name))
            return true;
    }
    return false;
}

/* How well a view that a selection does not have says what is missing. */
static unsigned fitness(const XtfViews *views, const XtfView *view, const XtfSelection *selection)
{
    if (!view->subject)
        return 0;
    return xtf_view_is_about(views->context, view->subject, selection) ? 2 : 1;
}

const XtfView *xtf_view_find_for(const XtfViews *views, const char *name, const XtfSelection *selection)
{
    const XtfView *first = NULL;

    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        if (!g_str_equal((*view)->name, name))
            continue;
        if (xtf_view_exists(views, *view, selection))
            return *view;
        if (!first || fitness(views, *view, selection) > fitness(views, first, selection))
            first = *view;
    }
    return first;
}

const XtfView *xtf_view_find_for_blocks(const XtfViews *views, const char *name, const XtfSelection *selection)
{
    return g_str_equal(name, xtf_view_count.name) ? &xtf_view_count : xtf_view_find_for(views, name, selection);
}

bool xtf_view_is_lasting(const XtfView *view)
{
    return view->lasting;
}

/* A part of a table's text: `at_once` lines from `first` on. */
typedef struct {
    XtfKept kept;
    XtfShownTable table; /* owned */
    uint64_t first;
    GString *text; /* NULL: not made yet */
} Part;

static Part *part_new(const XtfShownTable *table, uint64_t first)
{
    Part *part = g_new(Part, 1);
    *part = (Part){.table = *table, .first = first};
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
    g_free(part);
}

static gboolean part_equal(const void *item, const void *wanted)
{
    const Part *a = item, *b = wanted;
    return a->table.view == b->table.view && a->table.selection == b->table.selection &&
           a->table.grouping == b->table.grouping && a->first == b->first;
}

static const XtfKeeperMethods part_methods = {.equal = part_equal, .free = part_free};

void xtf_views_init(XtfViews *views, XtfResolver *resolver, XtfFormats *formats, XtfMatching *matching)
{
    *views = (XtfViews){.resolver = resolver, .formats = formats, .context = resolver->context, .matching = matching};
    xtf_keeper_init(&views->parts, &part_methods, KEPT_BYTES, KEPT_PARTS);
    xtf_pair_counts_init(&views->pair_counts);
    xtf_group_lists_init(&views->group_lists);
}

void xtf_views_finish(XtfViews *views)
{
    xtf_keeper_finish(&views->parts);
    xtf_keeper_finish(&views->pair_counts);
    xtf_keeper_finish(&views->group_lists);
}

/* ---- Shapes. */

static bool get_shape(XtfViews *views, const XtfShownTable *table, XtfViewShape *shape, GError **error)
{
    uint64_t bytes;

    *shape = (XtfViewShape){0};
    if (table->grouping ? !xtf_blocks_shape(views, table->view, table->grouping, shape, error)
                        : !table->view->shape(views, table->selection, shape, error))
        return false;
    shape->at_once = CLAMP(shape->at_once, 1, MAX(shape->n_lines, 1));
    if (shape->n_lines < UINT64_MAX &&
        !__builtin_mul_overflow(shape->n_lines + 1, (uint64_t)shape->grid.line, &bytes) && bytes <= INT64_MAX)
        return true;
    return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the %s of this selection makes too large a file", table->view->name);
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

static GString *make_text(XtfViews *views, const XtfShownTable *table, const XtfViewShape *shape, uint64_t first,
                          GError **error)
{
    uint64_t count = MIN(shape->at_once, shape->n_lines - first);
    g_autoptr(GString) text = g_string_new(NULL);
    XtfLines lines;

    xtf_lines_init(&lines, &shape->grid, &views->context->scale, text);
    bool good = table->grouping ? xtf_blocks_fill(views, table->view, table->grouping, first, count, &lines, error)
                                : table->view->fill(views, table->selection, first, count, &lines, error);
    if (!good || !xtf_lines_finish(&lines, error))
        return NULL;
    if (text->len == count * shape->grid.line)
        return g_steal_pointer(&text);
    xtf_damaged(error, "the %s has more or fewer lines than the trace states", table->view->name);
    return NULL;
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

/* Copies from the part that begins with line `first`: one that is kept, or is made now. */
static bool read_part(XtfViews *views, const XtfShownTable *table, const XtfViewShape *shape, uint64_t first,
                      uint64_t offset, char *buffer, size_t length, GError **error)
{
    Part *part = xtf_keeper_take(&views->parts, part_new(table, first));

    if (!part->text)
        part->text = make_text(views, table, shape, first, error);
    bool good = part->text;
    if (good)
        xtf_copy_part(part->text->str, part->text->len, (first + 1) * shape->grid.line, offset, buffer, length);
    xtf_keeper_put(&views->parts, part, good ? part->text->allocated_len : 0, good);
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
    /* Lines are counted from the one below the header. */
    uint64_t first = offset < line ? 0 : (offset / line - 1) / shape.at_once * shape.at_once;
    for (; first < shape.n_lines && (first + 1) * line < end; first += shape.at_once) {
        if (!read_part(views, table, &shape, first, offset, buffer, length, error))
            return false;
    }
    return true;
}
