/*
 * waves of waits/: the 100 most costly idle waves of the selection's waits: chains over three processes or more.
 */
#include "src/tables/totals/waits/wait-waves.h"
#include "libxtf/trace.h"

#include "libxtf/vocabulary.h"
#include "src/tables/format/call-sites.h"
#include "src/tables/views/view.h"
#include "src/tables/views/waits/wait-cells.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("rank", XTF_COLUMN_NUMBER, NULL, "place in the order, from 1"),
    XTF_COLUMN("begin", XTF_COLUMN_TIME, NULL, "when the first wait begins"),
    XTF_COLUMN("end", XTF_COLUMN_TIME, NULL, "when the last wait ends"),
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process of the first wait"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread of the first wait"),
    XTF_COLUMN("wait", XTF_COLUMN_NUMBER, NULL, "number among the waits of the thread"),
    XTF_COLUMN("waits", XTF_COLUMN_NUMBER, NULL, "number of waits"),
    XTF_COLUMN("processes", XTF_COLUMN_NUMBER, NULL, "number of processes"),
    XTF_COLUMN("amount", XTF_COLUMN_TIME, NULL, "total time of these waits"),
    XTF_COLUMN("ranks", XTF_COLUMN_NUMBER, NULL, "distance in ranks"),
    XTF_COLUMN("speed", XTF_COLUMN_REAL, "1/s", "speed, in ranks per second"),
    XTF_COLUMN("expected", XTF_COLUMN_REAL, "1/s", "speed that a model predicts"),
    XTF_COLUMN("kind", XTF_COLUMN_TEXT, NULL, "kind of the first wait"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "region of the first wait"),
    XTF_COLUMN("site", XTF_COLUMN_TEXT, NULL, "call site of the first wait"),
    XTF_COLUMN("culprit_site", XTF_COLUMN_TEXT, NULL, "call site of what the first wait was for"),
};

enum {
    WAVES_MOST = 100,
    SPEED_WIDTH = 12, /* "1.23457e+100" */
};

static bool waves_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfWaitFields fields;

    xtf_wait_fields_init(&fields, context);
    return fields.schema && selection->type == fields.schema->id;
}

static size_t kinds_width(const XtfField *event)
{
    size_t width = 1;

    for (uint32_t i = 0; i < event->n_labels; i++)
        width = MAX(width, xtf_wait_kind_width(event, i));
    return width;
}

/* Returns the width of the column of regions. In the last column, blanks need no escapes. */
static size_t region_width(const XtfPaddedNames *regions, const XtfPaddedNames *sites)
{
    size_t width = regions ? regions->width : 1;

    for (uint64_t i = 0; sites && regions && i < regions->n; i++)
        width = MAX(width, xtf_text_width(regions->whole[i], true, XTF_NAME_WIDTH_MAX));
    return width;
}

/* Sets the shape. The number of lines depends only on the whole trace: 100, or less if it has fewer waits. */
static bool shape_waves(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTimeScale *scale = &views->context->scale;
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    const XtfPaddedNames *regions, *sites;
    XtfWaitFields fields;

    xtf_wait_fields_init(&fields, views->context);
    if (!locations || !xtf_padded_names_of_table(views->formats, XTF_TABLE_REGIONS, &regions, error) ||
        !xtf_padded_names_of_sites(views->formats, &sites, error))
        return false;
    uint64_t n_waits = xtf_trace_n_rows(views->context->trace, fields.schema->id);
    unsigned __int128 longest = (unsigned __int128)(scale->last - scale->origin + 1) * n_waits;
    shape->n_lines = shape->at_once = MIN(n_waits, (uint64_t)WAVES_MOST);
    xtf_grid_add(&shape->grid, "rank", xtf_count_digits(WAVES_MOST));
    xtf_grid_add(&shape->grid, "begin", scale->width);
    xtf_grid_add(&shape->grid, "end", scale->width);
    xtf_grid_add(&shape->grid, "proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "thread", locations->thread_width);
    xtf_grid_add(&shape->grid, "wait", xtf_count_digits(n_waits));
    xtf_grid_add(&shape->grid, "waits", xtf_count_digits(n_waits));
    xtf_grid_add(&shape->grid, "processes", xtf_count_digits(locations->n_procs));
    xtf_grid_add(&shape->grid, "amount", xtf_ticks_width(scale, longest));
    /* Each wait is at most one step, over at most half of all processes. */
    xtf_grid_add(&shape->grid, "ranks", xtf_wide_width((unsigned __int128)n_waits * UINT32_MAX));
    xtf_grid_add(&shape->grid, "speed", SPEED_WIDTH);
    xtf_grid_add(&shape->grid, "expected", SPEED_WIDTH);
    xtf_grid_add(&shape->grid, "kind", kinds_width(fields.event));
    xtf_grid_add(&shape->grid, "region", region_width(regions, sites));
    if (sites) {
        xtf_grid_add(&shape->grid, "site", sites->width);
        xtf_grid_add(&shape->grid, "culprit_site", sites->width);
    }
    return true;
}

/* ---- Lines. */

static void add_speed(XtfLines *lines, bool known, double speed)
{
    if (known)
        xtf_lines_real(lines, "%.6g", speed);
    else
        xtf_lines_none(lines);
}

/* Names of regions and of call sites. */
typedef struct {
    const XtfPaddedNames *regions, *sites; /* `sites` is NULL if the trace has none */
    XtfSiteReader *reader;
} Names;

static void add_wave_line(const XtfWaitFields *fields, const XtfWaitWave *wave, const XtfLocations *locations,
                          XtfLines *lines)
{
    const XtfLocation *first = &locations->all[wave->chain.first.location];
    const uint64_t origin = lines->scale->origin;
    double speed = 0, expected = 0;
    bool known = xtf_wait_wave_speed(wave, lines->scale, &speed);

    xtf_lines_ticks(lines, wave->chain.begin - MIN(wave->chain.begin, origin));
    xtf_lines_ticks(lines, wave->last_end - MIN(wave->last_end, origin));
    xtf_lines_number(lines, first->proc);
    xtf_lines_number(lines, first->thread);
    xtf_lines_number(lines, wave->chain.first.row);
    xtf_lines_number(lines, wave->chain.n);
    xtf_lines_number(lines, wave->n_procs);
    xtf_lines_ticks(lines, wave->chain.amount);
    xtf_lines_number(lines, wave->ranks);
    add_speed(lines, known, speed);
    known = xtf_wait_wave_expected(wave, lines->scale, &expected);
    add_speed(lines, known, expected);
    xtf_wait_kind_cell(lines, fields->event, wave->kind);
}

/* Adds the names of the region and of the sites of a wave's first wait. */
static bool add_names(const XtfWaitFields *fields, const XtfWaitWave *wave, const Names *names, XtfLines *lines,
                      GError **error)
{
    const XtfPaddedNames *regions = names->regions;
    uint32_t own, culprit;

    if (names->sites && regions && wave->region < regions->n)
        xtf_lines_text(lines, regions->whole[wave->region], wave->region);
    else
        xtf_wait_region_cell(lines, fields->region, regions, wave->region);
    if (!names->sites)
        return true;
    if (!xtf_site_reader_find_wait(names->reader, wave->chain.first.location, fields->schema, wave->chain.first.row,
                                   &own, &culprit, error))
        return false;
    xtf_lines_site(lines, names->sites, own);
    xtf_lines_site(lines, names->sites, culprit);
    return true;
}

static bool fill_waves(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                       GError **error)
{
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(views->resolver, selection, error);
    const XtfLocations *locations = spans ? xtf_trace_context_locations(views->context, error) : NULL;
    g_autoptr(XtfSiteReader) reader = NULL;
    XtfWaitFields fields;
    XtfWaitWave wave;
    Names names;

    xtf_wait_fields_init(&fields, views->context);
    if (!locations || !xtf_padded_names_of_table(views->formats, XTF_TABLE_REGIONS, &names.regions, error) ||
        !xtf_padded_names_of_sites(views->formats, &names.sites, error))
        return false;
    names.reader = reader = names.sites ? xtf_site_reader_new(views->context, locations) : NULL;
    g_autoptr(GArray) chains = xtf_wait_chains_find(spans, &fields, locations, WAVES_MOST, error);
    if (!chains)
        return false;
    for (unsigned i = 0; i < count; i++) {
        xtf_lines_number(lines, i + 1);
        if (i < chains->len) {
            if (!xtf_wait_wave_measure(&wave, &g_array_index(chains, XtfWaitChain, i), views->context, &fields, error))
                return false;
            add_wave_line(&fields, &wave, locations, lines);
            if (!add_names(&fields, &wave, &names, lines, error))
                return false;
            continue;
        }
        for (unsigned column = 1; column < lines->grid->n; column++)
            xtf_lines_none(lines);
    }
    return true;
}

const XtfView xtf_view_waves = {.table = XTF_TABLE("waves", "the 100 idle waves that cost most", columns),
                                .subject = &xtf_about_waits,
                                .exists = waves_exist,
                                .shape = shape_waves,
                                .fill = fill_waves};
