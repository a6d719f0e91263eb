#include "src/pictures/timeline/timeline.h"

#include <inttypes.h>
#include <math.h>

#include "libxtf/trace.h"
#include "src/pictures/timeline/timeline-page.h"
#include "src/pictures/timeline/timeline-private.h"

enum {
    SIZE_BASE = 256 << 10,
    SIZE_OF_ROW = 16 << 10,  /* bytes for each row, if there are up to XTF_STACKED_ROWS_MAX rows */
    SIZE_DENSE = 1280 << 10, /* bytes of the whole picture, if there are more rows */
    EDGES_MAX = 6000,        /* most edges of columns for which the index is read, for up to 64 locations together */
    EDGES_EACH = 100,        /* most edges for each location that is shown, if there are more */
    LEAVES_MAX = 2000,       /* most leaves that columns of 2 pixels may unpack; columns of 4 may unpack one an edge */
    NARROW_ROWS_MAX = 16,    /* most rows with columns of 2 pixels */
    ITEM_BYTES = 300,        /* bytes that a bar or a message takes in an exact picture, roughly */
    SITE_BYTES = 60,         /* bytes of a call site in its title */
};

/* ---- The picture. */

/* Sets *few if columns of 2 pixels would unpack few leaves: the window has no more leaves, or no more edges. Assumes
 * that leaves are as long as the file's pages, and that all pages may hold calls. */
static bool check_leaves(const XtfTimeline *timeline, bool *few, GError **error)
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
    /* Most calls are two rows. */
    double share = fmin(2 * (double)calls / (double)all, 1);
    *few = share * (double)info.file_size / info.page_size <= LEAVES_MAX;
    return true;
}

/* Plans columns: the narrowest are 2 pixels for few rows, if that costs little, and 4 for others. */
static bool plan_columns(XtfTimeline *timeline, GError **error)
{
    bool narrow = false;

    if (timeline->rows.n <= NARROW_ROWS_MAX && !check_leaves(timeline, &narrow, error))
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
    /* Adjacent columns share edges: there is one more edge than columns. */
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

static bool draw_rows(XtfTimeline *timeline, uint64_t size, GError **error)
{
    XtfAggregateRef by_site;
    uint64_t bytes =
        ITEM_BYTES + (xtf_aggregate_ref_frames_by_site(&by_site, timeline->times.context) ? SITE_BYTES : 0);
    bool drawn = false;

    if (timeline->rows.n <= XTF_STACKED_ROWS_MAX &&
        !xtf_timeline_exact(timeline, (size - (64 << 10)) / bytes, &drawn, error))
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
                                         .size = timeline_size,
                                         .draw = timeline_draw,
                                         .end = "</svg>\n"};

/* ---- The picture as a page, in which users choose a window by dragging. */

enum {
    PAGE_BYTES = 16 << 10, /* bytes of the page beyond the picture's */
};

static bool page_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    if (!timeline_size(views, selection, size, error))
        return false;
    *size += PAGE_BYTES;
    return true;
}

/* The picture shows a title; the heading is for screen readers. */
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
                                              .size = page_size,
                                              .draw = page_draw,
                                              .end = "</body></html>\n"};
