/*
 * Export to OpenTS's XML. A trace imported from OpenTS keeps its slices (slices.h). Any other trace gets frames of
 * equal length (frames.h).
 */
#include <string.h>

#include "src/export/job.h"
#include "src/export/opents/exporter.h"
#include "src/export/opents/frames.h"
#include "src/export/opents/slices.h"
#include "src/files/head.h"
#include "src/model/properties.h"

#define DEFAULT_RATE "25fps" /* the rate of OpenTS's tracer */

enum {
    RANKS_MAX = 1 << 20, /* most ranks; a greater value of the property `ranks` is ignored */
    HEAD_BYTES = 4096,   /* bytes read at the begin of a file, which contain its first element */
};

/* Finds the number of ranks, which count from 0: the property `ranks`, or more if a process has a greater number. */
static bool count_ranks(XtfExportJob *job, uint32_t *n_ranks, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&job->tree->context, error);
    const char *text = xtf_property(job->tree->context.properties, "ranks");
    uint64_t declared = text ? g_ascii_strtoull(text, NULL, 10) : 0;

    if (!locations)
        return false;
    uint64_t n = declared <= RANKS_MAX ? declared : 0;
    if (locations->n_procs > 0)
        n = MAX(n, locations->procs[locations->n_procs - 1] + 1);
    if (n > RANKS_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                        "process numbers go up to %" G_GUINT64_FORMAT
                        "; OpenTS has a rank for each number from 0, at most %d",
                        n - 1, RANKS_MAX);
    *n_ranks = (uint32_t)MAX(n, 1);
    return true;
}

static void begin_trace_element(XtfExportJob *job, XtfXml *xml, uint32_t n_ranks)
{
    const char *command = xtf_property(job->tree->context.properties, "command");
    const char *start = xtf_property(job->tree->context.properties, "start");

    xtf_xml_begin(xml, "trace");
    xtf_xml_count(xml, "ranks", n_ranks);
    if (command)
        xtf_xml_text(xml, "cmd", command);
    if (start)
        xtf_xml_text(xml, "time", start);
}

static bool export_trace(XtfExportJob *job, GError **error)
{
    const XtfSelection *selection = job->selection;
    XtfXml xml = {0};
    uint32_t n_ranks = 0;

    if (selection->base || selection->threads || selection->type != XTF_ANY_TYPE ||
        xtf_selection_is_filtered(selection))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "slices show all records of a rank: choose only a window (time/) and processes (proc/)");
    bool has_slices = xtf_opents_has_slices(job);
    if (has_slices && job->rate)
        return xtf_fail(error, XTF_ERROR_INVALID, "the trace has its own slices: --fps does not apply");
    if (!has_slices && !xtf_opents_has_frames(job))
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the trace has neither slices of OpenTS nor calls to make slices from");
    if (!count_ranks(job, &n_ranks, error) ||
        !xtf_xml_open(&xml, job->output, job->final_path, (XtfXmlStyle){.indent = 2}, error))
        return false;
    begin_trace_element(job, &xml, n_ranks);
    bool good = has_slices ? xtf_opents_write_slices(job, &xml, n_ranks, error)
                           : xtf_opents_write_frames(job, &xml, job->rate ? job->rate : DEFAULT_RATE, error);
    if (good)
        xtf_xml_end_to(&xml, 0);
    return xtf_xml_close(&xml, good ? error : NULL) && good;
}

/* True if the first element is <trace>, as this exporter writes it. */
static bool is_trace(const char *path)
{
    char bytes[HEAD_BYTES + 1];
    ssize_t n = xtf_file_read_head(path, bytes, HEAD_BYTES, NULL);

    bytes[MAX(n, 0)] = '\0';
    return g_str_has_prefix(bytes, "<?xml") && strstr(bytes, "\n<trace ranks=\"");
}

const XtfExporter xtf_opents_exporter = {
    .name = "opents",
    .description = "an XML file of OpenTS",
    .has_rate = true,
    .may_replace = is_trace,
    .run = export_trace,
};
