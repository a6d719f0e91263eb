#include "src/cli/watch/potential-report.h"

#include <inttypes.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/cli/ui/progress.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/row-writer.h"

enum { NAME_BYTES = 200, SHOWN_PROCESSES = 16 };

static void show_progress(uint64_t done, uint64_t total, void *data)
{
    xtf_progress_update(data, done, total, done);
}

static bool find_names(XtfPotentialReport *report, XtfTrace *trace, GError **error)
{
    report->context = xtf_replay_context(report->replay);
    report->locations = xtf_trace_context_locations(report->context, error);
    if (!report->locations || !xtf_table_names(trace, XTF_TABLE_REGIONS, &report->regions, &report->n_regions, error))
        return false;
    if (!xtf_call_site_field(report->context))
        return true;
    report->sites = xtf_trace_context_sites(report->context, error);
    if (report->sites)
        report->site_reader = xtf_site_reader_new(report->context, report->locations);
    return report->sites;
}

bool xtf_potential_report_init(XtfPotentialReport *report, XtfTrace *trace, atomic_bool *cancel, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("replaying", "records", false);
    const XtfReplayOptions options = {
        .calls = true, .cancel = cancel, .progress = show_progress, .progress_data = progress};

    *report = (XtfPotentialReport){.replay = xtf_replay_new(trace, &options, error)};
    return report->replay && xtf_synchronous_run_init(&report->run, report->replay, error) &&
           find_names(report, trace, error);
}

void xtf_potential_report_finish(XtfPotentialReport *report)
{
    g_clear_pointer(&report->site_reader, xtf_site_reader_free);
    g_clear_pointer(&report->regions, g_free);
    xtf_synchronous_run_finish(&report->run);
    g_clear_pointer(&report->replay, xtf_replay_free);
}

/* ---- The parts of a line. */

static uint64_t proc_at(const XtfPotentialReport *report, uint32_t location)
{
    return report->locations->all[location].proc;
}

static const char *record_type(const XtfSynchronousWait *wait)
{
    switch (wait->kind) {
    case XTF_SYNCHRONOUS_SEND:
        return XTF_RECORD_SENDS;
    case XTF_SYNCHRONOUS_RECEIVE:
        return XTF_RECORD_RECVS;
    case XTF_SYNCHRONOUS_OPERATION:
        break;
    }
    return XTF_RECORD_COLLECTIVES;
}

/* Appends the path of the wait's record in the tree. */
static void append_path(const XtfPotentialReport *report, const XtfSynchronousWait *wait, GString *out)
{
    const XtfLocation *location = &report->locations->all[wait->record_location];
    const XtfSchema *schema = xtf_trace_find_schema(report->context->trace, record_type(wait));

    g_string_append_printf(out, "proc/%" PRIu64 "/thread/%" PRIu64 "/%s/num/%" PRIu64, location->proc, location->thread,
                           report->context->type_names[schema->id], wait->row);
}

static const char *region_name(const XtfPotentialReport *report, const XtfSynchronousWait *wait)
{
    const char *name = report->regions && wait->region < report->n_regions ? report->regions[wait->region] : NULL;
    return name ? name : "";
}

/* Finds the FILE:LINE, or the name, of the call in which a location waits. *text is NULL if the trace has none. */
static bool find_site(XtfPotentialReport *report, const XtfSynchronousWait *wait, const char **text, GError **error)
{
    const XtfSchema *calls = xtf_replay_call_types(report->replay)->schema;
    uint32_t site;

    *text = NULL;
    if (!report->site_reader || !calls || wait->call_row == UINT64_MAX)
        return true;
    if (!xtf_site_reader_find_row(report->site_reader, wait->location, calls, wait->call_row, &site, error))
        return false;
    if (site < report->sites->n)
        *text = report->sites->names.texts[site];
    return true;
}

/* ---- Sentences. */

/* Appends "processes 0 -> 1 -> 0 would wait for each other". */
static void append_cycle(const XtfPotentialReport *report, const XtfSynchronousCycle *cycle, GString *out)
{
    uint64_t first = proc_at(report, cycle->waits[0].location);

    if (cycle->n == 1) {
        g_string_append_printf(out, "process %" PRIu64 " would wait for itself", first);
        return;
    }
    g_string_append(out, "processes ");
    for (uint32_t i = 0; i < MIN(cycle->n, SHOWN_PROCESSES); i++)
        g_string_append_printf(out, "%" PRIu64 " -> ", proc_at(report, cycle->waits[i].location));
    if (cycle->n > SHOWN_PROCESSES)
        g_string_append_printf(out, "... (%u more) -> ", cycle->n - SHOWN_PROCESSES);
    g_string_append_printf(out, "%" PRIu64 " would wait for each other", first);
}

/* Appends what a location waits for. */
static void append_need(const XtfPotentialReport *report, const XtfSynchronousWait *wait, GString *out)
{
    uint64_t awaited = proc_at(report, wait->awaited);

    switch (wait->kind) {
    case XTF_SYNCHRONOUS_SEND:
        g_string_append_printf(out, "the send waits for process %" PRIu64 " to receive, tag %" PRIu32, awaited,
                               wait->tag);
        break;
    case XTF_SYNCHRONOUS_RECEIVE:
        g_string_append_printf(out, "waits for process %" PRIu64 " to send, tag %" PRIu32, awaited, wait->tag);
        break;
    case XTF_SYNCHRONOUS_OPERATION:
        g_string_append_printf(out, "waits for process %" PRIu64 " to begin", awaited);
        break;
    }
}

static bool append_line(XtfPotentialReport *report, const XtfSynchronousWait *wait, GString *out, GError **error)
{
    g_autofree char *region = xtf_text_shown(region_name(report, wait), NAME_BYTES);
    const char *site;

    if (!find_site(report, wait, &site, error))
        return false;
    g_string_append_printf(out, "  process %" PRIu64, proc_at(report, wait->location));
    if (report->locations->n_threads > 1)
        g_string_append_printf(out, ", thread %" PRIu64, report->locations->all[wait->location].thread);
    g_string_append_printf(out, ", in %s", region);
    if (site) {
        g_autofree char *shown = xtf_text_shown(site, NAME_BYTES);
        g_string_append_printf(out, ", at %s", shown);
    }
    g_string_append(out, ": ");
    append_need(report, wait, out);
    g_string_append(out, " (");
    append_path(report, wait, out);
    g_string_append(out, ")\n");
    return true;
}

/* True if the search left out messages or operations. */
static bool leaves_out(const XtfSynchronousRun *run)
{
    return run->counts.uncertain_sends || run->counts.uncertain_receives || run->counts.uncertain_collectives ||
           run->n_outside_mpi;
}

static void append_count(uint64_t n, const char *noun, bool *any, GString *out)
{
    if (n == 0)
        return;
    g_string_append_printf(out, "%s%" PRIu64 " %s%s", *any ? ", " : "left out: ", n, noun, n == 1 ? "" : "s");
    *any = true;
}

/* Appends the numbers of messages and operations that the search left out. */
static void append_left_out(const XtfSynchronousRun *run, GString *out)
{
    bool any = false;

    append_count(run->counts.uncertain_sends, "send", &any, out);
    append_count(run->counts.uncertain_receives, "receive", &any, out);
    append_count(run->counts.uncertain_collectives, "uncertain record of collective operations", &any, out);
    append_count(run->n_outside_mpi, "send outside of calls of MPI", &any, out);
    if (any)
        g_string_append_c(out, '\n');
}

bool xtf_potential_report_text(XtfPotentialReport *report, guint most, GString *out, GError **error)
{
    const XtfSynchronousRun *run = &report->run;
    uint64_t n_in_cycles = 0;

    if (run->n_cycles == 0)
        g_string_append(out, leaves_out(run)
                                 ? "no potential deadlock among the messages and operations of which the trace "
                                   "has all sides\n"
                                 : "no potential deadlock: the program would end if each send waited for "
                                   "its receive\n");
    for (uint32_t i = 0; i < run->n_cycles; i++) {
        const XtfSynchronousCycle *cycle = &run->cycles[i];
        n_in_cycles += cycle->n;
        if (i >= most)
            continue;
        g_string_append(out, "potential deadlock: if each send waited for its receive, ");
        append_cycle(report, cycle, out);
        g_string_append_c(out, '\n');
        for (uint32_t k = 0; k < MIN(cycle->n, most); k++)
            if (!append_line(report, &cycle->waits[k], out, error))
                return false;
        if (cycle->n > most)
            g_string_append_printf(out, "  ... and %u more\n", cycle->n - most);
    }
    if (run->n_cycles > most)
        g_string_append_printf(out, "... and %u more cycles\n", run->n_cycles - most);
    if (run->n_stuck > n_in_cycles)
        g_string_append_printf(out, "%" PRIu64 " more thread%s would wait for them\n", run->n_stuck - n_in_cycles,
                               run->n_stuck - n_in_cycles == 1 ? "" : "s");
    append_left_out(run, out);
    return true;
}

/* ---- JSON. */

static void append_member(const char *name, const char *text, GString *out)
{
    g_string_append_printf(out, ",\"%s\":", name);
    if (text)
        xtf_json_add(out, text);
    else
        g_string_append(out, "null");
}

static bool append_wait(XtfPotentialReport *report, const XtfSynchronousWait *wait, GString *out, GError **error)
{
    static const char *const needs[] = {
        [XTF_SYNCHRONOUS_SEND] = "receive", [XTF_SYNCHRONOUS_RECEIVE] = "send", [XTF_SYNCHRONOUS_OPERATION] = "begin"};
    g_autoptr(GString) path = g_string_new(NULL);
    const char *site;

    if (!find_site(report, wait, &site, error))
        return false;
    append_path(report, wait, path);
    g_string_append_printf(out, "{\"proc\":%" PRIu64 ",\"thread\":%" PRIu64, proc_at(report, wait->location),
                           report->locations->all[wait->location].thread);
    append_member("region", region_name(report, wait), out);
    append_member("site", site, out);
    append_member("needs", needs[wait->kind], out);
    g_string_append_printf(out, ",\"waits_for\":%" PRIu64 ",\"comm\":%" PRIu32, proc_at(report, wait->awaited),
                           wait->comm);
    if (wait->kind == XTF_SYNCHRONOUS_OPERATION)
        g_string_append(out, ",\"tag\":null");
    else
        g_string_append_printf(out, ",\"tag\":%" PRIu32, wait->tag);
    append_member("record", path->str, out);
    g_string_append_c(out, '}');
    return true;
}

bool xtf_potential_report_json(XtfPotentialReport *report, GString *out, GError **error)
{
    const XtfSynchronousRun *run = &report->run;

    g_string_append_printf(out, "{\"potential\":%s,\"cycles\":[", run->n_cycles ? "true" : "false");
    for (uint32_t i = 0; i < run->n_cycles; i++) {
        g_string_append(out, i ? ",[" : "[");
        for (uint32_t k = 0; k < run->cycles[i].n; k++) {
            if (k)
                g_string_append_c(out, ',');
            if (!append_wait(report, &run->cycles[i].waits[k], out, error))
                return false;
        }
        g_string_append_c(out, ']');
    }
    g_string_append_printf(out,
                           "],\"stuck\":%" PRIu64 ",\"left_out\":{\"sends\":%" PRIu64 ",\"receives\":%" PRIu64
                           ",\"collectives\":%" PRIu64 ",\"outside_mpi\":%" PRIu64 "}}",
                           run->n_stuck, run->counts.uncertain_sends, run->counts.uncertain_receives,
                           run->counts.uncertain_collectives, run->n_outside_mpi);
    return true;
}
