#include "src/pictures/timeline/timeline-collectives.h"

#include <inttypes.h>
#include <math.h>

#include "libxtf/records.h"
#include "src/pictures/timeline/rows/picture-calls.h"
#include "src/tables/collectives/collective-members.h"

enum {
    MEMBERS_MAX = 30,   /* most members of an operation with a band */
    RECORDS_MAX = 2000, /* most records of operations; if there are more, no bands are drawn */
    BAND_BYTES = 1000,  /* most bytes of a band */
    MARGIN = 2,         /* pixels between rows and the outline of a band */
    GAP_MIN = 1,        /* least pixels between two bands with outlines */
};

typedef struct {
    XtfTimeline *timeline;
    XtfCollectives collectives;
    GHashTable *seen; /* records of operations that were read, by location and row */
    GArray *bands;
} Search;

static gint64 *new_record_key(uint32_t location, uint64_t row)
{
    gint64 *key = g_new(gint64, 1);
    *key = (gint64)((uint64_t)location << 40 ^ row);
    return key;
}

/* Stores the label of the member that began last: its row's, if it has one. */
static void store_latest(const XtfTimeline *timeline, const XtfCollectiveMember *member, uint32_t row, XtfBand *band)
{
    const XtfLocation *location = &timeline->rows.selected.locations->all[member->location];
    const XtfPictureRow no_row = {location->proc, location->thread, location->thread > 0, 0, 0};

    xtf_picture_row_label(row < timeline->rows.n ? &timeline->rows.all[row] : &no_row, band->latest);
}

/* Adds a member's part, whether it is in the picture or not. False if the times of the operation are unknown. */
static bool add_member(Search *search, const XtfCollectiveMember *member, XtfBand *band, uint64_t *latest)
{
    const XtfPictureRows *rows = &search->timeline->rows;

    if (!member->found)
        return true;
    g_hash_table_add(search->seen, new_record_key(member->location, member->row));
    if (!member->started)
        return false;
    uint32_t row = xtf_selected_number(&rows->selected, member->location);
    bool is_shown = row < rows->selected.n;
    if (band->n++ == 0 || member->begin > *latest) {
        *latest = member->begin;
        store_latest(search->timeline, member, row, band);
    }
    band->operation = member->operation;
    band->begin = MIN(band->begin, member->begin);
    band->end = MAX(band->end, member->end);
    band->first = is_shown ? MIN(band->first, row) : band->first;
    band->last = is_shown ? MAX(band->last, row) : band->last;
    band->n_shown += is_shown;
    return true;
}

static bool add_operation(Search *search, const XtfCollectiveId *id, GError **error)
{
    XtfCollectiveOperation *operation = xtf_collective_operation_take(&search->collectives, id, error);
    XtfBand band = {.first = UINT32_MAX, .begin = UINT64_MAX};
    uint64_t latest = 0;
    bool shown = true;

    if (!operation)
        return false;
    bool good = xtf_collective_operation_load(&search->collectives, operation, 0, error);
    for (uint64_t i = 0; good && i < id->n; i++)
        shown = add_member(search, &operation->members[i], &band, &latest) && shown;
    band.certain = operation->certain;
    xtf_collective_operation_put(&search->collectives, operation);
    if (good && shown && band.n_shown > 1 && band.last - band.first + 1 == band.n_shown)
        g_array_append_val(search->bands, band);
    return good;
}

static bool add_record(void *data, const XtfSpan *span, uint64_t row, const uint8_t *bytes, GError **error)
{
    Search *search = data;
    uint32_t location = (uint32_t)span->tag;
    XtfCollectiveEvent event = xtf_collective_event(&search->collectives.types, bytes);
    g_autofree gint64 *key = new_record_key(location, row);
    XtfCollectiveId id;
    bool found;

    if ((event != XTF_COLLECTIVE_END && event != XTF_COLLECTIVE_COMPLETE) || g_hash_table_contains(search->seen, key))
        return true;
    if (!xtf_collectives_identify(&search->collectives, location, row, &id, &found, error))
        return false;
    return !found || id.n > MEMBERS_MAX || add_operation(search, &id, error);
}

static bool search_operations(Search *search, XtfSelection *selection, GError **error)
{
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(search->timeline->job->views->resolver, selection, error);

    return spans && xtf_records_each(spans, add_record, search, error);
}

bool xtf_timeline_bands(XtfTimeline *timeline, GArray **bands, GError **error)
{
    Search search = {.timeline = timeline, .bands = g_array_new(FALSE, FALSE, sizeof(XtfBand))};
    XtfViews *views = timeline->job->views;
    uint64_t n = 0;
    bool good = true;

    *bands = search.bands;
    xtf_collectives_init(&search.collectives, views->context);
    const XtfSchema *schema = search.collectives.types.schema;
    search.seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    if (schema && !timeline->job->selection->by[XTF_BY_REGION]) {
        g_autoptr(XtfSelection) selection = xtf_selection_in_type(timeline->job->selection, schema->id);
        good = xtf_resolver_count(views->resolver, selection, &n, error) &&
               (n == 0 || n > RECORDS_MAX || search_operations(&search, selection, error));
    }
    g_hash_table_unref(search.seen);
    xtf_collectives_finish(&search.collectives);
    return good;
}

/* ---- Drawing. */

/* True if two bands have pixels in common: rows, and times. */
static bool do_bands_overlap(const XtfPlot *plot, const XtfBand *a, const XtfBand *b)
{
    return a->first <= b->last && b->first <= a->last &&
           xtf_plot_x(plot, a->begin) < xtf_plot_x(plot, b->end) + GAP_MIN &&
           xtf_plot_x(plot, b->begin) < xtf_plot_x(plot, a->end) + GAP_MIN;
}

/* Marks the bands that overlap another. */
static void mark_overlaps(const XtfPlot *plot, GArray *bands)
{
    for (guint i = 0; i < bands->len; i++) {
        XtfBand *band = &g_array_index(bands, XtfBand, i);
        for (guint k = 0; k < i; k++) {
            XtfBand *earlier = &g_array_index(bands, XtfBand, k);
            if (do_bands_overlap(plot, band, earlier))
                band->overlaps = earlier->overlaps = true;
        }
    }
}

static void draw_band_title(XtfTimeline *timeline, const XtfField *operation, const XtfBand *band)
{
    const char *name = band->operation < operation->n_labels ? operation->labels[band->operation] : "an operation";
    char window[XTF_WINDOW_TEXT_MAX];

    xtf_time_scale_print_window(&timeline->links.context->scale, band->begin, band->end, window);
    xtf_draw(timeline->drawing, "<title>");
    xtf_draw_bytes(timeline->drawing, name, XTF_TITLE_NAME);
    xtf_draw(timeline->drawing, " of %" PRIu32 " processes", band->n);
    if (band->n_shown < band->n)
        xtf_draw(timeline->drawing, ", %" PRIu32 " of them here", band->n_shown);
    xtf_draw(timeline->drawing, ", from the first begin to the last end\n%s", window);
    xtf_draw(timeline->drawing, "\nprocess %s was the last to begin%s%s</title>", band->latest,
             band->certain ? "" : "; uncertain: members may belong to another operation",
             timeline->clocks == XTF_CLOCKS_CONTRADICT ? "; uncertain: the clocks disagree" : "");
}

/* Draws a band. Its outline lies in the gaps above and below the rows. Bars that are drawn later hide outlines that
 * cross them. */
static void draw_band(XtfTimeline *timeline, const XtfField *operation, const XtfBand *band, const int *tops, int gap)
{
    double x = xtf_plot_x(&timeline->plot, band->begin), width = xtf_plot_x(&timeline->plot, band->end) - x;
    int top = tops[band->first], height = tops[band->last + 1] - gap - top;

    xtf_draw(timeline->drawing,
             "<rect class=\"xt-none xt-operation%s\" x=\"%.1f\" y=\"%d.5\" width=\"%.1f\" height=\"%d\">",
             band->overlaps ? "" : " xt-band", x, top - MARGIN, fmax(width, 1), height + 2 * MARGIN - 2);
    draw_band_title(timeline, operation, band);
    xtf_draw(timeline->drawing, "</rect>\n");
}

uint32_t xtf_timeline_draw_bands(XtfTimeline *timeline, GArray *bands, const int *tops, int gap)
{
    XtfCollectiveTypes types;
    uint32_t n_outlined = 0;

    mark_overlaps(&timeline->plot, bands);
    xtf_collective_types_find(&types, timeline->links.context);
    for (guint i = 0; i < bands->len && xtf_drawing_left(timeline->drawing) > BAND_BYTES; i++) {
        const XtfBand *band = &g_array_index(bands, XtfBand, i);
        n_outlined += !band->overlaps;
        draw_band(timeline, types.operation, band, tops, gap);
    }
    return n_outlined;
}
