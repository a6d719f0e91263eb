/*
 * count: the number of records, as a column beside others. The file `count` of a selection has only the number.
 */
#include "src/tables/views/info.h"
#include "src/tables/views/view.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("count", XTF_COLUMN_NUMBER, NULL, "number of records"),
};

static bool shape_count(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    shape->n_lines = shape->at_once = 1;
    xtf_grid_add(&shape->grid, "count", xtf_count_width(views->context, selection));
    return true;
}

static bool fill_count(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                       GError **error)
{
    uint64_t n;

    if (!xtf_resolver_count(views->resolver, selection, &n, error))
        return false;
    xtf_lines_number(lines, n);
    return true;
}

const XtfView xtf_view_count = {.table =
                                    XTF_TABLE("count", "the number of records, as a column beside others", columns),
                                .final_in_window = true,
                                .shape = shape_count,
                                .fill = fill_count};
