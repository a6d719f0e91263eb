#include "src/cli/copy/compensate-report.h"

#include <inttypes.h>
#include <stdio.h>

#include "libxtf/trace.h"
#include "src/cli/ui/print.h"

enum {
    PROCESSES_SHOWN = 32, /* most processes with a line each */
    CLAMPED_PART = 100,   /* a warning appears if more than 1 in 100 sections are clamped */
    BACKWARD_PART = 1000, /* an error, if more than 1 in 1000 messages contradict the clocks */
};

bool xtf_compensation_trusts_clocks(const XtfCompensation *compensation, GError **error)
{
    const XtfCompensationReport *report = xtf_compensation_report(compensation);
    uint64_t backward = report->retime.backward, messages = report->counts.messages;

    return backward <= messages / BACKWARD_PART ||
           xtf_fail(error, XTF_ERROR_INVALID,
                    "the clocks contradict the messages: %" PRIu64 " of %" PRIu64
                    " were received before they were sent. xtf align corrects the clocks",
                    backward, messages);
}

static const char *put_time(const XtfTimeScale *scale, uint64_t ticks, char *text)
{
    text[XTF_TIME_TEXT_MAX - 1] = 0;
    return xtf_time_scale_put(scale, ticks, text + XTF_TIME_TEXT_MAX - 1);
}

static void print_times(const char *label, const XtfTimeScale *scale, uint64_t before, uint64_t after)
{
    char old_text[XTF_TIME_TEXT_MAX], new_text[XTF_TIME_TEXT_MAX];

    printf("%-14s %s s recorded, %s s without probes\n", label, put_time(scale, before, old_text),
           put_time(scale, after, new_text));
}

static void print_processes(const XtfCompensationReport *report, const XtfTimeScale *scale)
{
    const GArray *all = report->processes;
    const XtfCompensatedProcess *dearest = NULL;
    char text[XTF_TIME_TEXT_MAX];

    for (guint i = 0; i < all->len; i++) {
        const XtfCompensatedProcess *process = &g_array_index(all, XtfCompensatedProcess, i);
        if (!dearest || process->removed > dearest->removed)
            dearest = process;
        if (all->len <= PROCESSES_SHOWN)
            printf("  process %-4" PRIu64 " %s s of probes, end %s%s s\n", process->proc,
                   put_time(scale, process->removed, text), process->new_end <= process->end ? "-" : "+",
                   put_time(scale,
                            process->new_end <= process->end ? process->end - process->new_end
                                                             : process->new_end - process->end,
                            (char[XTF_TIME_TEXT_MAX]){0}));
    }
    if (all->len > PROCESSES_SHOWN)
        printf("  process %-4" PRIu64 " %s s of probes, the most of %u processes\n", dearest->proc,
               put_time(scale, dearest->removed, text), all->len);
}

static void warn_of(uint64_t n, const char *text)
{
    if (n > 0)
        xtf_print_line(stderr, "xtf: warning: %" PRIu64 " %s", n, text);
}

static void print_warnings(const XtfCompensationReport *report)
{
    const XtfRetimeCounts *retime = &report->retime;
    const XtfReplayCounts *counts = &report->counts;

    if (report->n_clamped > report->n_sections / CLAMPED_PART)
        xtf_print_line(stderr,
                       "xtf: warning: %" PRIu64 " of %" PRIu64
                       " sections were shorter than their probes: the costs may be too high",
                       report->n_clamped, report->n_sections);
    warn_of(retime->backward, "messages were received before they were sent; they now are received later");
    warn_of(retime->late_receives,
            "blocking sends waited for their receive: such waits keep their length, less the probes");
    warn_of(retime->polled, "receives were completed by MPI_Test and the like: polling counts as computing");
    warn_of(counts->uncertain_receives, "receives are not matched: their waits keep their length, less the probes");
    warn_of(counts->uncertain_collectives,
            "ends of collective operations are not matched: their waits keep their length, less the probes");
    warn_of(report->thread_locations,
            "locations have records of threads or locks: waits for them keep their length, less the probes");
    warn_of(report->window_locations,
            "locations have records of windows or locks of files: waits for them keep their length, less the probes");
}

void xtf_compensation_print(const XtfCompensation *compensation, const XtfTrace *trace)
{
    const XtfCompensationReport *report = xtf_compensation_report(compensation);
    char text[XTF_TIME_TEXT_MAX];
    XtfTimeScale scale;

    xtf_time_scale_init(&scale, xtf_trace_clock(trace));
    printf("%-14s %s\n", "probes", report->recorded ? "the recorder's own figures" : report->probes);
    print_times("run", &scale, report->length, report->new_length);
    printf("%-14s %s s, of %" PRIu64 " records\n", "removed", put_time(&scale, report->removed, text),
           report->n_records);
    print_processes(report, &scale);
    printf("%-14s %" PRIu64 " of %" PRIu64 " sections, which were shorter than their probes\n", "clamped",
           report->n_clamped, report->n_sections);
    printf("%-14s %" PRIu64 " matched; %" PRIu64 " waits changed\n", "messages", report->counts.messages,
           report->retime.waits);
    printf("%-14s %" PRIu64 " put together%s\n", "collectives", report->counts.collectives,
           report->retime.finalize ? ", and MPI_Finalize" : "");
    printf("%-14s %" PRIu64 " pairs of receives may come in the other order (order_changes)\n", "order",
           report->retime.order_changes);
    print_warnings(report);
}
