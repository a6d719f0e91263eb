/* The places of regions of the program in its source, from files and lines of their definitions. The sites of calls. */
#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/pictures/drawing/text-width.h"
#include "src/pictures/findings/finding-rule.h"
#include "src/tables/format/callpaths.h"
#include "src/tables/totals/sites/wait-sites.h"
#include "src/trace/text/escape.h"

enum {
    FILE_BYTES = 4096, /* most bytes of a file's name that are read */
};

static bool is_of_program(const XtfFindingJob *job, uint64_t region)
{
    return XTF_CLASS_BIT(xtf_region_classes_of(job->classes, region)) & XTF_CLASSES_USEFUL;
}

/* Sets *file to the path of a region's source, or "", and *line to its line, or 0. */
static bool read_definition(const XtfFindingJob *job, uint64_t region, const char **file, uint64_t *line,
                            GError **error)
{
    XtfTrace *trace = job->views->context->trace;
    const XtfTable *table;

    *file = "";
    *line = 0;
    if (!xtf_trace_table(trace, XTF_TABLE_REGIONS, &table, error))
        return false;
    if (!table || region >= table->n_rows)
        return true;
    const XtfField *file_field = xtf_schema_field(table->schema, "file");
    const XtfField *line_field = xtf_schema_field(table->schema, "line");
    const uint8_t *row = table->rows + region * table->schema->row_size;
    if (line_field && !xtf_field_is_none(line_field, row))
        *line = xtf_field_get(line_field, row);
    return !file_field || file_field->type != XTF_TYPE_STRING ||
           xtf_trace_string(trace, (uint32_t)xtf_field_get(file_field, row), file, error);
}

/* Sets *place to "stencil.c:41" for a region; NULL if its file or line is unknown. Recorders store a library's name as
 * the file, without a line. */
static bool find_source_place(const XtfFindingJob *job, uint64_t region, char **place, GError **error)
{
    const char *file;
    uint64_t line;

    *place = NULL;
    if (!read_definition(job, region, &file, &line, error))
        return false;
    if (!line)
        return true;
    const char *slash = strrchr(file, '/');
    g_autofree char *shown = xtf_text_shown(slash ? slash + 1 : file, FILE_BYTES);
    g_autofree char *name = xtf_text_elided(shown, XTF_FINDING_NAME);
    if (name[0])
        *place = g_strdup_printf("%s:%" PRIu64, name, line);
    return true;
}

static bool find_name(const XtfFindingJob *job, uint64_t region, char **name, GError **error)
{
    const XtfNameIndex *regions = xtf_trace_context_regions(job->views->context, error);

    if (!regions)
        return false;
    g_autofree char *shown =
        xtf_text_shown(region < regions->n_rows && regions->texts ? regions->texts[region] : "?", FILE_BYTES);
    *name = xtf_finding_name(shown);
    return true;
}

/* Sets *source to " (stencil.c:41)", or with the region's name " (exchange at stencil.c:15)"; "" if the place is
 * unknown. */
static bool print_source(const XtfFindingJob *job, uint64_t region, bool is_named, char **source, GError **error)
{
    g_autofree char *place = NULL, *name = NULL;

    if (!find_source_place(job, region, &place, error) || !find_name(job, region, &name, error))
        return false;
    bool has_place = place && strstr(name, place); /* as in names of OpenMP's regions */
    if (!place || (has_place && !is_named))
        *source = g_strdup("");
    else if (has_place)
        *source = g_strdup_printf(" (%s)", name);
    else
        *source = is_named ? g_strdup_printf(" (%s at %s)", name, place) : g_strdup_printf(" (%s)", place);
    return true;
}

bool xtf_finding_source(const XtfFindingJob *job, uint64_t region, char **source, GError **error)
{
    if (is_of_program(job, region))
        return print_source(job, region, false, source, error);
    *source = g_strdup("");
    return true;
}

bool xtf_finding_callpath_source(const XtfFindingJob *job, uint64_t callpath, char **source, GError **error)
{
    XtfCallpaths callpaths;
    uint64_t at = callpath;

    if (!xtf_callpaths_load(&callpaths, job->views->context, error))
        return false;
    /* Each call path has a higher row than its caller's. */
    while (at < callpaths.n && !is_of_program(job, callpaths.rows[at].region))
        at = callpaths.rows[at].parent < at ? callpaths.rows[at].parent : UINT64_MAX;
    if (at < callpaths.n)
        return print_source(job, callpaths.rows[at].region, at != callpath, source, error);
    *source = g_strdup("");
    return true;
}

/* ---- Call sites. */

bool xtf_finding_called(XtfFindingJob *job, const XtfSelection *selection, uint64_t region, char **words,
                        GError **error)
{
    XtfTraceContext *context = job->views->context;
    g_auto(XtfSiteTotals) narrower = {0};
    XtfSiteTotals *totals = selection == job->selection ? &job->sites : &narrower;

    *words = NULL;
    if (region < UINT32_MAX && xtf_site_totals_exist(context, selection)) {
        if (!totals->all && !xtf_site_totals_load(totals, context, selection, 0, error))
            return false;
        XtfMainSites main = xtf_main_sites_by_time(totals, (uint32_t)region);
        return (*words = xtf_main_sites_words(&main, context, error)) != NULL;
    }
    *words = g_strdup("");
    return true;
}

bool xtf_finding_region_place(XtfFindingJob *job, uint64_t proc, uint64_t region, char **source, GError **error)
{
    if (is_of_program(job, region))
        return print_source(job, region, false, source, error);
    if (proc == XTF_NO_PROCESS)
        return xtf_finding_called(job, job->selection, region, source, error);
    g_autoptr(XtfSelection) own = xtf_finding_select_process(job->selection, proc);
    return xtf_finding_called(job, own, region, source, error);
}

/* A sample of waits, and the calls that end them. */
typedef struct {
    const XtfFindingJob *job;
    const XtfSites *sites;
    XtfWaitDraw draws[XTF_WAIT_DRAWS];
    unsigned n;
} WaitSample;

/* Finds the main sites of the waits whose region has the name, or of any region if `name` is NULL. */
static bool find_waiting_sites(const WaitSample *sample, const char *name, XtfMainSites *main, GError **error)
{
    g_autofree double *weights = g_new0(double, sample->sites->n + 1);

    for (unsigned i = 0; i < sample->n; i++) {
        g_autofree char *region = NULL;
        uint32_t site = sample->draws[i].waiting;
        if (site >= sample->sites->n)
            continue;
        if (name && !find_name(sample->job, sample->sites->regions[site], &region, error))
            return false;
        weights[site] += !name || g_str_equal(region, name);
    }
    *main = xtf_main_sites(sample->sites, weights, UINT32_MAX);
    return true;
}

/* Sets *main to the main sites of the calls that end the waits at a site. Sets *proc to the process of these calls;
 * XTF_NO_PROCESS: several. */
static void find_ending_sites(const WaitSample *sample, uint32_t waiting, XtfMainSites *main, uint64_t *proc)
{
    const XtfLocation *locations = sample->job->locations.locations->all;
    g_autofree double *weights = g_new0(double, sample->sites->n + 1);
    bool is_first = true;

    *proc = XTF_NO_PROCESS;
    for (unsigned i = 0; i < sample->n; i++) {
        const XtfWaitDraw *draw = &sample->draws[i];
        if (draw->waiting != waiting || draw->ending >= sample->sites->n)
            continue;
        weights[draw->ending]++;
        *proc = is_first || *proc == locations[draw->culprit].proc ? locations[draw->culprit].proc : XTF_NO_PROCESS;
        is_first = false;
    }
    *main = xtf_main_sites(sample->sites, weights, UINT32_MAX);
}

/* Returns "; before that, it computes after MPI_Waitall, called by ..." if most waits at a site have one such call
 * before them; else "". NULL with an error. */
static char *print_before(const WaitSample *sample, uint32_t waiting, GError **error)
{
    g_autofree double *weights = g_new0(double, sample->sites->n + 1);
    g_autofree char *name = NULL, *called = NULL;

    for (unsigned i = 0; i < sample->n; i++) {
        if (sample->draws[i].waiting == waiting && sample->draws[i].before < sample->sites->n)
            weights[sample->draws[i].before]++;
    }
    XtfMainSites main = xtf_main_sites(sample->sites, weights, UINT32_MAX);
    if (!xtf_main_sites_is_one(&main) || main.region == UINT32_MAX)
        return g_strdup("");
    if (!find_name(sample->job, main.region, &name, error) ||
        !(called = xtf_main_sites_words(&main, sample->job->views->context, error)))
        return NULL;
    return g_strdup_printf("; before that, it computes after %s%s", name, called);
}

/* Sets *until to ", until process 3 is in MPI_Isend, called by ...". */
static bool print_until(const WaitSample *sample, const XtfMainSites *waiting, char **until, GError **error)
{
    g_autofree char *name = NULL, *called = NULL, *culprit = NULL;
    XtfMainSites ending;
    uint64_t proc;

    find_ending_sites(sample, waiting->first, &ending, &proc);
    if (ending.n == 0 || ending.region == UINT32_MAX) {
        *until = g_strdup("");
        return true;
    }
    culprit = proc == XTF_NO_PROCESS ? g_strdup("the other process") : g_strdup_printf("process %" PRIu64, proc);
    if (ending.first == waiting->first && ending.n == 1) {
        *until = g_strdup_printf(", until %s calls it there, too", culprit);
        return true;
    }
    if (!find_name(sample->job, ending.region, &name, error) ||
        !(called = xtf_main_sites_words(&ending, sample->job->views->context, error)))
        return false;
    *until = g_strdup_printf(", until %s is in %s%s", culprit, name, called);
    return true;
}

bool xtf_finding_wait_sites(const XtfFindingJob *job, const XtfSelection *waits, const char *region, char **words,
                            char **until, char **before, GError **error)
{
    XtfTraceContext *context = job->views->context;
    WaitSample sample = {.job = job, .sites = xtf_trace_context_sites(context, error)};
    g_autofree char *name = NULL, *called = NULL;
    XtfMainSites main;

    if (!sample.sites || !xtf_wait_sites_draw(sample.draws, &sample.n, context, waits, error) ||
        !find_waiting_sites(&sample, region, &main, error))
        return false;
    if (main.n == 0 || main.region == UINT32_MAX) {
        *words = g_strdup("");
        *until = g_strdup("");
        *before = g_strdup("");
        return true;
    }
    if (!find_name(job, main.region, &name, error) || !(called = xtf_main_sites_words(&main, context, error)) ||
        !print_until(&sample, &main, until, error) || !(*before = print_before(&sample, main.first, error)))
        return false;
    *words = g_strdup_printf("%s%s", name, called);
    return true;
}
