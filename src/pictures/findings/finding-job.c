#include <math.h>
#include <string.h>

#include "src/model/wait-kinds.h"
#include "src/pictures/drawing/text-width.h"
#include "src/pictures/findings/finding-rule.h"

enum {
    LOCATIONS_MAX = 1000, /* with more, imbalance is found in the whole window, not in each tenth of it */
    CELLS_MAX = 10000000, /* with more locations times regions, imbalance is found in the whole window only */
};

#define UNITS_MAX 0x1p126L /* greatest time in units; only a damaged file has more */

/* ---- Tables. */

bool xtf_finding_has(const XtfFindingJob *job, const XtfSelection *selection, const char *table)
{
    return xtf_view_exists(job->views, xtf_view_by_name(job->views, table, selection), selection);
}

/* Converts ticks to units of the last digit that tables show, rounded down. */
static unsigned __int128 ticks_to_units(const XtfFindingJob *job, unsigned __int128 ticks)
{
    const XtfTimeScale *scale = &job->views->context->scale;
    unsigned __int128 seconds = ticks * scale->den, units = seconds / scale->num, remainder = seconds % scale->num;

    for (unsigned i = 0; i < scale->digits; i++) {
        units = units * 10 + remainder * 10 / scale->num;
        remainder = remainder * 10 % scale->num;
    }
    return units;
}

unsigned __int128 xtf_finding_cell_units(const XtfFindingJob *job, const XtfRowCell *cell)
{
    /* In long double: a product of two doubles may round to the middle between two units. */
    if (cell->type == XTF_ROW_REAL)
        return (unsigned __int128)roundl(
            fminl(MAX(cell->real, 0) * powl(10, job->views->context->scale.digits), UNITS_MAX));
    return ticks_to_units(job, cell->number);
}

double xtf_finding_cell_seconds(const XtfFindingJob *job, const XtfRowCell *cell)
{
    return (double)xtf_finding_cell_units(job, cell) / pow(10, job->views->context->scale.digits);
}

uint32_t xtf_finding_hundredths(unsigned __int128 part, unsigned __int128 whole)
{
    return whole ? (uint32_t)xtf_hundredths(MIN(part, whole), whole) : 0;
}

char *xtf_finding_name(const char *name)
{
    return xtf_text_elided(*name ? name : "\"\"", XTF_FINDING_NAME);
}

char *xtf_finding_place(const char *callpath)
{
    if (g_str_equal(callpath, "(no region)") || g_str_equal(callpath, "-"))
        return g_strdup("the program itself");
    return xtf_text_elided(*callpath ? callpath : "\"\"", XTF_FINDING_PLACE);
}

/* ---- The time that percentages are relative to. */

static bool has_devices(const XtfFindingJob *job)
{
    return job->devices.whole > 0;
}

bool xtf_finding_measure(XtfFindingJob *job, GError **error)
{
    XtfFormats *formats = job->views->formats;
    uint32_t devices = 0;

    for (uint32_t i = 0; i < job->locations.n; i++)
        devices += !xtf_selected_location(&job->locations, i)->is_cpu_thread;
    if (devices == 0 || devices == job->locations.n)
        return true;
    if (!xtf_class_times_measure(&job->threads, formats, job->selection, XTF_TIMES_OF_THREADS, error) ||
        !xtf_class_times_measure(&job->devices, formats, job->selection, XTF_TIMES_OF_DEVICES, error))
        return false;
    if (job->threads.whole == 0 || job->devices.whole == 0)
        job->threads = job->devices = (XtfClassTimes){0};
    return true;
}

const char *xtf_finding_whole(const XtfFindingJob *job)
{
    return has_devices(job) ? "the threads' time" : "all time";
}

uint64_t xtf_finding_of_threads(const XtfFindingJob *job, uint64_t percent)
{
    if (!has_devices(job))
        return percent;
    return xtf_finding_hundredths((job->threads.whole + job->devices.whole) * percent,
                                  job->threads.whole * XTF_HUNDREDTHS);
}

uint64_t xtf_finding_in_classes(const XtfFindingJob *job, XtfClassSet classes)
{
    uint64_t percent = 0;

    if (has_devices(job))
        return xtf_finding_hundredths(xtf_class_times_of(&job->threads, classes), job->threads.whole);
    for (guint i = 0; i < job->profile->len; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        if (line->class < XTF_N_CLASSES && classes & XTF_CLASS_BIT(line->class))
            percent += line->percent;
    }
    return percent;
}

/* ---- The selection. */

double xtf_finding_seconds(const XtfFindingJob *job)
{
    return xtf_seconds_of(&job->views->context->scale, job->to - job->from);
}

bool xtf_finding_is_of_processes(const XtfFindingJob *job)
{
    return job->selection->type == XTF_ANY_TYPE && !job->selection->base && !xtf_selection_has_facets(job->selection);
}

bool xtf_finding_is_large(const XtfFindingJob *job)
{
    return job->locations.n > LOCATIONS_MAX || (uint64_t)job->locations.n * job->classes->n > CELLS_MAX;
}

XtfSelection *xtf_finding_select_derived(const XtfFindingJob *job, const char *type, GError **error)
{
    XtfTraceContext *context = job->views->context;
    const XtfSchema *schema = xtf_trace_context_schema(context, type, XTF_SCHEMA_DERIVED);
    bool outdated = false;

    if (!schema || job->selection->type != XTF_ANY_TYPE ||
        !xtf_trace_context_is_outdated(context, schema, &outdated, error) || outdated)
        return NULL;
    return xtf_selection_in_type(job->selection, schema->id);
}

XtfSelection *xtf_finding_select_process(const XtfSelection *selection, uint64_t proc)
{
    XtfNumberRange range = {proc, proc};
    g_autoptr(XtfNumberSet) procs = xtf_number_set_from_ranges(&range, 1);

    return xtf_selection_in_procs(selection, procs);
}

/* Returns the selection narrowed to one value of a facet. */
static XtfSelection *select_value(const XtfSelection *selection, XtfFacet facet, uint64_t value)
{
    XtfNumberRange range = {value, value};
    g_autoptr(XtfNumberSet) values = xtf_number_set_from_ranges(&range, 1);

    return xtf_selection_by(selection, facet, values);
}

XtfSelection *xtf_finding_select_waits(const XtfSelection *waits, const char *kind, uint64_t culprit)
{
    const XtfWaitKind *known = xtf_wait_kind_named(kind);
    g_autoptr(XtfSelection) of_kind = known ? select_value(waits, XTF_BY_KIND, (uint64_t)(known - xtf_wait_kinds))
                                            : xtf_selection_ref((XtfSelection *)waits);

    return culprit == XTF_NO_PROCESS ? g_steal_pointer(&of_kind) : select_value(of_kind, XTF_BY_CULPRIT, culprit);
}

/* ---- Findings. */

void xtf_finding_add_skipped(XtfFindingJob *job, const char *skipped, uint64_t n, const char *items)
{
    if (job->skipped->len)
        g_string_append(job->skipped, ", ");
    g_string_append_printf(job->skipped, "%s (%" PRIu64 " %s)", skipped, n, items);
}

void xtf_finding_add_skipped_large(XtfFindingJob *job, const char *skipped)
{
    if (job->locations.n > LOCATIONS_MAX)
        xtf_finding_add_skipped(job, skipped, job->locations.n, "threads");
    else
        xtf_finding_add_skipped(job, skipped, job->locations.n * (uint64_t)job->classes->n, "regions of all threads");
}

/* Prints the path of a finding's table. `procs`: the processes that it is about; NULL: all of the selection. */
static char *print_table_path(const XtfFinding *place, const XtfTimeScale *scale, const XtfNumberSet *procs)
{
    g_autoptr(GString) path = g_string_new(NULL);
    char window[XTF_WINDOW_TEXT_MAX];

    if (place->is_window) {
        xtf_time_scale_print_window(scale, place->from, place->to, window);
        g_string_append_printf(path, "time/%s/", window);
    }
    if (place->proc)
        g_string_append_printf(path, "proc/%s/", place->proc);
    if (procs && !place->proc) {
        g_string_append(path, "proc/");
        xtf_number_set_print(procs, path);
        g_string_append_c(path, '/');
    }
    if (place->type)
        g_string_append_printf(path, "%s/", place->type);
    g_string_append(path, place->table);
    return g_string_free(g_steal_pointer(&path), FALSE);
}

XtfFinding *xtf_finding_add(XtfFindingJob *job, const XtfFindingRule *rule, double score, const XtfFinding *place,
                            const char *format, ...)
{
    XtfFinding finding = *place;
    va_list arguments;

    va_start(arguments, format);
    finding.sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    finding.rule = rule->name;
    finding.rank = rule->rank;
    finding.culprit = XTF_NO_PROCESS;
    finding.region = UINT64_MAX;
    finding.score = round(CLAMP(score, 0, 1) * 1e9) / 1e9; /* scores that differ only by rounding become equal */
    finding.proc = g_strdup(place->proc);
    const XtfNumberSet *procs = job->selection == job->recorded.selection ? job->recorded.procs : NULL;
    finding.path = print_table_path(place, &job->views->context->scale, procs);
    finding.table = finding.path + strlen(finding.path) - strlen(place->table);
    g_array_append_val(job->findings, finding);
    return &g_array_index(job->findings, XtfFinding, job->findings->len - 1);
}
