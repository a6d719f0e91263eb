/*
 * Exports matrices from `links`: one statistic of a measured network, between all its processes, at the selection's
 * lengths.
 */
#include <math.h>
#include <stdlib.h>

#include "libxtf/trace.h"
#include "src/export/job.h"
#include "src/model/properties.h"
#include "src/network/export/exporter.h"
#include "src/network/results/result-writer.h"
#include "src/network/tables/links.h"

enum {
    FEW_LENGTHS = 4096, /* upper limit on lengths, unless `links` has more rows */
};

typedef struct {
    XtfExportJob *job;
    XtfLinkType type;
    XtfLinkSides sides;
    XtfResultFacts facts;
    int statistic; /* event of the exported rows of `links` */
    int64_t first, lengths;
} Export;

/* Returns a whole number from the properties that the import wrote; -1 if the property is missing. */
static int64_t number_property(GHashTable *properties, const char *name)
{
    const char *text = xtf_property(properties, name);

    return text ? g_ascii_strtoll(text, NULL, 10) : -1;
}

/* Finds the measured lengths inside the selection's window: the first one, and their number. */
static bool find_lengths(Export *export, GError **error)
{
    XtfTrace *trace = export->job->tree->trace;
    const XtfSelection *selection = export->job->selection;
    GHashTable *properties = export->job->tree->context.properties;
    int64_t begin = number_property(properties, "network.begin"), step = number_property(properties, "network.step");
    int64_t n = number_property(properties, "network.lengths");

    int64_t max_lengths = (int64_t)MIN(MAX(xtf_trace_n_rows(trace, export->type.schema->id), FEW_LENGTHS), INT_MAX);

    if (begin < 0 || step < 0 || n < 0 || n > max_lengths || begin > INT_MAX || step > INT_MAX)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the properties network.begin, network.step and network.lengths of the trace do not say "
                        "which lengths were measured");
    for (int64_t i = 0; i < n; i++) {
        uint64_t length = (uint64_t)(begin + i * step);
        if (length < selection->time_from || length >= selection->time_to)
            continue;
        if (export->lengths++ == 0)
            export->first = begin + i * step;
    }
    export->facts.begin = export->lengths > 0 ? export->first : begin;
    export->facts.step = step;
    /* Any end after the last length is valid. The files store 31-bit numbers, so the end is cut to INT_MAX. */
    int64_t last = export->facts.begin + (export->lengths - 1) * step, end = last + step;
    export->facts.end = last < INT_MAX ? MIN(end, INT_MAX) : end;
    return true;
}

static bool find_value(Export *export, GError **error)
{
    XtfSelection *selection = export->job->selection;
    XtfResolver *resolver = &export->job->tree->resolver;
    uint64_t n;

    if (!xtf_links_statistic(resolver, selection, &export->type, &export->statistic, error) ||
        !xtf_resolver_count(resolver, selection, &n, error))
        return false;
    bool chosen = n > 0 || selection->by[XTF_BY_KIND];
    for (unsigned value = 0; chosen && value < XTF_NETWORK_REPEAT && export->statistic >= 0; value++) {
        if (xtf_link_statistic(&export->type, xtf_network_values[value]) == export->statistic) {
            export->facts.value = value;
            return true;
        }
    }
    return xtf_fail(error, XTF_ERROR_INVALID,
                    "the path selects no matrix: name average, median, deviation, min or amount as a directory");
}

static bool prepare_export(Export *export, GError **error)
{
    XtfExportJob *job = export->job;
    const XtfSelection *selection = job->selection;

    if (!xtf_link_type_find(&export->type, &job->tree->context))
        return xtf_fail(error, XTF_ERROR_INVALID, "the trace is not a measured network");
    if (selection->base || selection->procs || selection->threads || selection->by[XTF_BY_PEER])
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "a matrix has all processes: a path can choose only lengths (length/) and a statistic");
    if (!find_value(export, error) || !find_lengths(export, error) ||
        !xtf_link_sides_init(&export->sides, &job->tree->context, selection, error))
        return false;
    if (export->sides.senders->len != export->sides.n_receivers)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the trace has processes with several locations");
    const char *test = xtf_property(job->tree->context.properties, "network.test");
    export->facts.test = test ? test : "unknown";
    export->facts.repeats = number_property(job->tree->context.properties, "network.repeats");
    export->facts.processes = export->sides.n_receivers;
    return true;
}

/* Copies `values`, one line per sender, into `matrix`, one line per receiver. Missing values stay NaN, except on the
 * diagonal, where they become 0. Returns the number of measured values. */
static uint64_t transpose_matrix(const double *values, uint32_t n, double *matrix)
{
    uint64_t measured = 0;

    for (size_t sender = 0; sender < n; sender++) {
        for (size_t receiver = 0; receiver < n; receiver++) {
            double value = values[sender * n + receiver];
            measured += !isnan(value);
            matrix[receiver * n + sender] = isnan(value) && sender == receiver ? 0 : value;
        }
    }
    return measured;
}

static bool write_length(Export *export, XtfResultWriter *writer, int64_t length, double *matrix, GError **error)
{
    XtfExportJob *job = export->job;
    g_autoptr(XtfSelection) at = xtf_selection_in_window(job->selection, (uint64_t)length, (uint64_t)length + 1);
    g_autoptr(XtfSelection) links = xtf_links_select(at, &export->type, export->statistic);
    const XtfLinkPart part = {links, export->statistic, 0, export->sides.senders->len};
    g_autofree double *values = xtf_links_matrix(&job->tree->resolver, &export->type, &export->sides, &part, error);

    if (!values)
        return false;
    xtf_export_advance(job, transpose_matrix(values, export->facts.processes, matrix));
    return xtf_result_writer_add(writer, matrix, error);
}

static bool write_matrices(Export *export, GError **error)
{
    g_autoptr(XtfResultWriter) writer =
        xtf_result_writer_new(&export->facts, export->job->output, export->job->final_path, error);
    size_t n_pairs = (size_t) export->facts.processes * export->facts.processes;
    g_autofree double *matrix = g_try_new(double, n_pairs + 1);

    if (!matrix)
        return xtf_links_fail_too_large(&export->sides, error);
    if (!writer)
        return false;
    for (int64_t i = 0; i < export->lengths; i++) {
        if (!write_length(export, writer, export->first + i * export->facts.step, matrix, error))
            return false;
    }
    return xtf_result_writer_end(writer, error);
}

bool xtf_network_export(XtfExportJob *job, GError **error)
{
    Export export = {.job = job};
    bool good = prepare_export(&export, error) && write_matrices(&export, error);

    if (good) {
        job->report.locations = export.sides.senders->len;
        xtf_export_note(job, "%s values of %" PRId64 " lengths", xtf_network_values[export.facts.value],
                        export.lengths);
        if (job->total > job->report.records)
            xtf_export_note(job, "%" PRIu64 " records left out: they have other statistics",
                            job->total - job->report.records);
    }
    xtf_link_sides_finish(&export.sides);
    return good;
}
