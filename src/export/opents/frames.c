#include "src/export/opents/frames.h"

#include <inttypes.h>

#include "src/tables/totals/message-totals.h"
#include "src/tables/totals/regions/class-times.h"
#include "src/trace/typed/frame-rate.h"
#include "src/tree/node/node-class.h"

enum {
    DECIMALS = 9,
};

/* Region classes that OpenTS's times sum up. All other time, also outside of all regions, is the time of tasks. */
#define BIT XTF_CLASS_BIT
static const XtfClassSet idle_classes =
    BIT(XTF_CLASS_WAIT) | BIT(XTF_CLASS_COLLECTIVE) | BIT(XTF_CLASS_BARRIER) | BIT(XTF_CLASS_OMP_SYNC);
static const XtfClassSet sched_classes =
    BIT(XTF_CLASS_OMP_OTHER) | BIT(XTF_CLASS_THREADS) | BIT(XTF_CLASS_MEASUREMENT) | BIT(XTF_CLASS_UNRECORDED);
static const XtfClassSet mpi_classes = BIT(XTF_CLASS_P2P) | BIT(XTF_CLASS_RMA) | BIT(XTF_CLASS_MPI_IO) |
                                       BIT(XTF_CLASS_MPI_INIT) | BIT(XTF_CLASS_MPI_OTHER) | BIT(XTF_CLASS_PGAS);

typedef struct {
    XtfExportJob *job;
    XtfXml *xml;
    const XtfRegionClasses *classes;
} Frames;

/* Totals of one process in one frame. */
typedef struct {
    XtfClassTimes times;
    XtfMoved moved[XTF_N_MOVED];
} Figures;

bool xtf_opents_has_frames(XtfExportJob *job)
{
    return !job->tree->context.scale.bytes && xtf_region_times_exist(&job->tree->context, job->selection);
}

/* Converts ticks to nanoseconds, rounded down. */
static uint64_t to_nanoseconds(const Frames *frames, unsigned __int128 ticks)
{
    return xtf_nanoseconds_of(&frames->job->tree->context.scale, ticks);
}

static void write_resources(const Frames *frames, const XtfClassTimes *times)
{
    unsigned __int128 idle = xtf_class_times_of(times, idle_classes), sched = xtf_class_times_of(times, sched_classes),
                      mpi = xtf_class_times_of(times, mpi_classes);
    XtfXml *xml = frames->xml;

    xtf_xml_begin(xml, "resource");
    xtf_xml_count(xml, "mbytes", 0);
    xtf_xml_count(xml, "mflops", 0);
    xtf_xml_seconds(xml, "tasks", to_nanoseconds(frames, times->whole - MIN(times->whole, idle + sched + mpi)),
                    DECIMALS);
    xtf_xml_seconds(xml, "idle", to_nanoseconds(frames, idle), DECIMALS);
    xtf_xml_seconds(xml, "sched", to_nanoseconds(frames, sched), DECIMALS);
    xtf_xml_seconds(xml, "mpi", to_nanoseconds(frames, mpi), DECIMALS);
    xtf_xml_end(xml);
}

static void write_counters(XtfXml *xml, const XtfMoved *sent, const XtfMoved *received, uint64_t received_bytes)
{
    xtf_xml_count(xml, "sbytes", sent->bytes);
    xtf_xml_count(xml, "scount", sent->rows);
    xtf_xml_count(xml, "rbytes", received_bytes);
    xtf_xml_count(xml, "rcount", received->rows);
}

/* Writes the counters of messages. A collective operation has an unknown number of messages: it counts as one sent and
 * one received. */
static void write_message_counters(XtfXml *xml, const XtfMoved *moved)
{
    const XtfMoved *sends = &moved[XTF_MOVED_SENDS], *recvs = &moved[XTF_MOVED_RECVS],
                   *collectives = &moved[XTF_MOVED_COLLECTIVES];
    const XtfMoved sent = {sends->rows + collectives->rows, sends->bytes + collectives->bytes, 0},
                   received = {recvs->rows + collectives->rows, 0, 0};

    xtf_xml_begin(xml, "message");
    write_counters(xml, &sent, &received, recvs->bytes + collectives->received);
    if (sends->rows + recvs->rows > 0) {
        xtf_xml_begin(xml, "extra");
        xtf_xml_text(xml, "type", "p2p");
        write_counters(xml, sends, recvs, recvs->bytes);
        xtf_xml_end(xml);
    }
    if (collectives->rows > 0) {
        xtf_xml_begin(xml, "extra");
        xtf_xml_text(xml, "type", "collective");
        write_counters(xml, collectives, collectives, collectives->received);
        xtf_xml_end(xml);
    }
    xtf_xml_end(xml);
}

static void write_process(const Frames *frames, uint64_t number, const Figures *figures)
{
    XtfXml *xml = frames->xml;

    xtf_xml_begin(xml, "rank");
    xtf_xml_count(xml, "num", number);
    write_resources(frames, &figures->times);
    xtf_xml_begin(xml, "task");
    xtf_xml_text(xml, "type", "S");
    xtf_xml_count(xml, "count", figures->times.calls[XTF_CLASS_PROGRAM] + figures->times.calls[XTF_CLASS_OMP_WORK]);
    xtf_xml_end(xml);
    write_message_counters(xml, figures->moved);
    xtf_xml_end(xml);
}

static bool write_frame(Frames *frames, XtfSelection *window, GError **error)
{
    XtfTree *tree = frames->job->tree;
    g_auto(XtfRegionTimes) times = {0};
    g_auto(XtfMessageTotals) moved = {0};
    g_auto(XtfSelectedLocations) selected = {0};
    uint64_t ticks;

    if (!xtf_region_times_init(&times, &tree->formats, window, error) ||
        !xtf_message_totals_init(&moved, &tree->context, window, error) ||
        !xtf_selected_locations_init(&selected, &tree->context, window, error))
        return false;
    frames->job->report.locations = selected.n;
    for (uint32_t p = 0; p < selected.n_procs; p++) {
        const XtfSelectedProcess *proc = &selected.procs[p];
        Figures figures = {0};
        for (uint32_t i = proc->first; i < proc->first + proc->n; i++) {
            if (!xtf_region_times_measure(&times, xtf_selected_location(&selected, i), &ticks, error))
                return false;
            xtf_class_times_add(&figures.times, &times, frames->classes, ticks);
        }
        if (!xtf_message_totals_of(&moved, &selected, proc, figures.moved, error))
            return false;
        write_process(frames, proc->proc, &figures);
        xtf_export_beat(frames->job);
    }
    return true;
}

bool xtf_opents_write_frames(XtfExportJob *job, XtfXml *xml, const char *rate, GError **error)
{
    const XtfTimeScale *scale = &job->tree->context.scale;
    Frames frames = {.job = job, .xml = xml, .classes = xtf_trace_context_classes(&job->tree->context, error)};
    XtfFrameRate length;
    uint64_t from, to, count;

    if (!frames.classes || !xtf_frame_rate_parse(&length, scale, rate, error))
        return false;
    xtf_selection_window(job->selection, scale, &from, &to);
    uint64_t n = 0, first = length.n > 0 && from < to ? xtf_frame_rate_at(&length, scale, from) : 0;
    uint64_t end = length.n > 0 && from < to ? xtf_frame_rate_at(&length, scale, to - 1) + 1 : 0;
    for (uint64_t k = first; k < end; k++, n++) {
        uint64_t a = xtf_frame_rate_bound(&length, scale, k), b = xtf_frame_rate_bound(&length, scale, k + 1);
        g_autoptr(XtfSelection) window = xtf_selection_in_window(job->selection, a, b);
        xtf_xml_begin(xml, "slice");
        xtf_xml_count(xml, "num", k);
        xtf_xml_seconds(xml, "time", to_nanoseconds(&frames, b - scale->origin), DECIMALS);
        if (!write_frame(&frames, window, error) || !xtf_resolver_count(&job->tree->resolver, window, &count, error))
            return false;
        xtf_xml_end(xml);
        xtf_export_advance(job, count);
    }
    xtf_export_note(job, "%" PRIu64 " frames; all counters are per frame, mbytes and mflops are unknown", n);
    return true;
}
