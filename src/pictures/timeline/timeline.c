#include "src/pictures/timeline/timeline.h"

#include <inttypes.h>
#include <math.h>

#include "libxtf/trace.h"
#include "src/pictures/timeline/timeline-page.h"
#include "src/pictures/timeline/timeline-private.h"

enum {
    SIZE_BASE = 256 << 10,
    SIZE_OF_ROW = 16 << 10,  /* up to XTF_STACKED_ROWS_MAX rows */
    SIZE_DENSE = 1280 << 10, /* of more rows, whatever their number */
    EDGES_MAX = 6000,        /* of columns, that are asked of the index: of up to 64 locations together... */
    EDGES_EACH = 100,        /* ...and of more locations, of each of those that are shown */
    LEAVES_MAX = 2000,       /* of rows, that are unpacked for columns of 2 pixels; of 4, as many as there are edges */
    NARROW_ROWS_MAX = 16,    /* that may have columns of 2 pixels */
    ITEM_BYTES = 300,        /* that a bar or a message may take in an exact picture, about */
};

/* ---- The picture. */

/* Whether columns of 2 pixels would unpack few leaves: there are no more in the window, or no more edges. Leaves are
 * taken for as long as the file's pages are, all of which may hold calls. */
static bool are_leaves_few(const XtfTimeline *timeline, bool *few, GError **error)
{
    const XtfTraceContext *context = timeline->links.context;
    const XtfSchema *schema = timeline->times.frames.schema;
    uint64_t all = schema ? xtf_trace_n_rows(context->trace, schema->id) : 0, calls;
    g_autoptr(XtfSelection) selection = xtf_selection_in_calls(timeline->job->selection, context);
    XtfTraceInfo info;

    *few = true;
    if (all == 0 || (uint64_t)timeline->rows.selected.n * (XTF_PICTURE_PLOT / 2 + 1) <= LEAVES_MAX)
        return true;
    if (!xtf_resolver_count(timeline->job->views->resolver, selection, &calls, error))
        return false;
    xtf_trace_get_info(context->trace, &info);
    /* A call is two rows, mostly. */
    double share = fmin(2 * (double)calls / (double)all, 1);
    *few = share * (double)info.file_size / info.page_size <= LEAVES_MAX;
    return true;
}

/* Few rows have columns of 2 pixels at the narrowest, if that costs little, others of 4. */
static bool plan_columns(XtfTimeline *timeline, GError **error)
{
    bool narrow = false;

    if (timeline->rows.n <= NARROW_ROWS_MAX && !are_leaves_few(timeline, &narrow, error))
        return false;
    uint32_t rows = MAX(timeline->rows.n, 1);
    XtfColumnPlan *plan = &timeline->plan;

    plan->cells = XTF_PICTURE_PLOT / 2;
    plan->narrowest = narrow ? 1 : 2;
    timeline->tiles = rows <= 8 ? 40 : 12;
    plan->columns = rows <= 8 ? 80 : 84;
    if (rows > XTF_STACKED_ROWS_MAX)
        plan->columns = 92;
    /* No cell is narrower than a tick. */
    uint64_t ticks = plan->to > plan->from ? plan->to - plan->from : 1;
    plan->cells = (uint32_t)MIN(plan->cells, ticks);
    if (plan->cells < plan->columns)
        plan->columns = timeline->tiles = plan->cells;
    /* Columns side by side share their edges, of which there is one more. */
    uint32_t locations = MAX(rows, timeline->rows.selected.n);
    uint32_t edges = locations <= XTF_STACKED_ROWS_MAX ? EDGES_MAX / locations : EDGES_EACH;
    plan->splits = edges > plan->columns + 1 ? edges - plan->columns - 1 : 0;
    return true;
}

static uint64_t size_of_rows(uint32_t rows)
{
    return rows <= XTF_STACKED_ROWS_MAX ? SIZE_BASE + (uint64_t)rows * SIZE_OF_ROW : SIZE_DENSE;
}

static bool timeline_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    g_auto(XtfPictureRows) rows = {0};

    if (!xtf_picture_rows_init(&rows, views->context, selection, error))
        return false;
    *size = size_of_rows(rows.n);
    return true;
}

static bool is_dense(XtfViews *views, const XtfSelection *selection)
{
    g_auto(XtfPictureRows) rows = {0};

    return xtf_picture_rows_init(&rows, views->context, selection, NULL) && rows.n > XTF_STACKED_ROWS_MAX;
}

static bool draw_rows(XtfTimeline *timeline, uint64_t size, GError **error)
{
    bool drawn = false;

    if (timeline->rows.n <= XTF_STACKED_ROWS_MAX &&
        !xtf_timeline_exact(timeline, (size - (64 << 10)) / ITEM_BYTES, &drawn, error))
        return false;
    if (drawn)
        return true;
    if (!plan_columns(timeline, error))
        return false;
    if (timeline->rows.n > XTF_STACKED_ROWS_MAX)
        return xtf_timeline_dense(timeline, error);
    return xtf_timeline_stacked(timeline, error);
}

static void timeline_finish(XtfTimeline *timeline)
{
    xtf_timeline_forget(timeline);
    xtf_row_waits_finish(&timeline->waits);
    xtf_region_times_finish(&timeline->times);
    xtf_picture_rows_finish(&timeline->rows);
    xtf_picture_links_finish(&timeline->links);
}

static bool timeline_draw(const XtfPictureJob *job, XtfDrawing *drawing, GError **error)
{
    XtfTraceContext *context = job->views->context;
    XtfTimeline timeline = {.job = job, .file = job->file, .drawing = drawing};

    xtf_picture_links_init(&timeline.links, context, job->selection, job->depth);
    xtf_selection_window(job->selection, &context->scale, &timeline.plan.from, &timeline.plan.to);
    timeline.clocks = xtf_clock_check_verdict(job->views->clocks);
    timeline.plot = (XtfPlot){timeline.plan.from, timeline.plan.to, XTF_PICTURE_LEFT, XTF_PICTURE_PLOT};
    bool good = xtf_picture_rows_init(&timeline.rows, context, job->selection, error) &&
                xtf_region_times_init(&timeline.times, job->views->formats, job->selection, error) &&
                xtf_row_waits_init(&timeline.waits, context, job->selection, &timeline.times.regions, error) &&
                draw_rows(&timeline, drawing->size - drawing->out->len, error);
    if (good)
        xtf_draw(drawing, "<!-- %" PRIu64 " edges of columns were asked of the index -->\n", timeline.n_edges);
    timeline_finish(&timeline);
    return good;
}

const XtfPicture xtf_picture_timeline = {.name = "timeline.svg",
                                         .of = "profile",
                                         .has_colours = true,
                                         .is_image = is_dense,
                                         .size = timeline_size,
                                         .draw = timeline_draw,
                                         .end = "</svg>\n"};

/* ---- The same as a page, in which a window is chosen by dragging. */

enum {
    PAGE_BYTES = 16 << 10, /* more than the picture */
};

static bool page_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    if (!timeline_size(views, selection, size, error))
        return false;
    *size += PAGE_BYTES;
    return true;
}

/* The picture has a title to be seen; the heading is for those who hear the page. */
static const char styles[] = "body{margin:0;font:14px 'DejaVu Sans','Liberation Sans',Arial,sans-serif}"
                             "h1{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}"
                             "@media(prefers-color-scheme:dark){body{background:#15181c;color:#e6edf3}}";

static bool page_draw(const XtfPictureJob *job, XtfDrawing *drawing, GError **error)
{
    xtf_timeline_page_begin(drawing, job, "timeline", styles);
    xtf_draw(drawing, "<main><h1>Timeline</h1>\n");
    xtf_timeline_page_scroller(drawing);
    size_t room = drawing->size - drawing->out->len - PAGE_BYTES / 2;
    if (!xtf_draw_part(job, &xtf_picture_timeline, drawing, room, error))
        return false;
    xtf_draw(drawing, "</div></main>\n");
    xtf_timeline_page_script(drawing, job);
    return true;
}

const XtfPicture xtf_picture_timeline_page = {.name = "timeline.html",
                                              .of = "profile",
                                              .has_colours = true,
                                              .is_image = is_dense,
                                              .size = page_size,
                                              .draw = page_draw,
                                              .end = "</body></html>\n"};
