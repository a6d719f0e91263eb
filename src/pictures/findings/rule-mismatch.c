/* Collective operations that one process calls more often, or less often, than the others of its communicator. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/mpi-functions.h"
#include "src/model/process-properties.h"
#include "src/pictures/findings/collective-calls.h"
#include "src/trace/text/escape.h"

enum {
    COMMS_MAX = 1 << 16, /* most communicators of a trace; with more, the rule is skipped */
    FINDINGS_MAX = 3,
    FUNCTIONS_MAX = 2, /* most functions in a sentence */
    NAME_BYTES = 4096, /* most bytes of a communicator's name that are read */
};

/* ---- Completeness of the records. */

/* True if recording was off for a while. */
static bool has_pauses(const XtfFindingJob *job)
{
    const XtfSchema *measurement = xtf_trace_context_schema(job->views->context, "measurement", XTF_SCHEMA_RECORD);
    const XtfField *event = measurement ? xtf_schema_field_by_role(measurement, XTF_ROLE_EVENT) : NULL;

    if (!event)
        return false;
    const XtfLimits *limits =
        xtf_trace_limits(job->views->context->trace, measurement->id, (uint32_t)(event - measurement->fields));
    for (uint64_t i = limits->min; i <= limits->max && i < event->n_labels; i++)
        if (g_str_equal(event->labels[i], "MEASUREMENT_ON_OFF"))
            return true;
    return false;
}

/* Sets *lost if a process states that it lost records, or that its records end early. Sets *sure if all processes state
 * a number. */
static bool read_losses(const XtfFindingJob *job, bool *lost, bool *sure, GError **error)
{
    XtfStatedLosses losses;
    g_autoptr(GArray) early = xtf_early_ends(job->views->context->trace, error);

    if (!early || !xtf_stated_losses(job->views->context->trace, &losses, error))
        return false;
    *lost = losses.any || early->len > 0;
    *sure = losses.n_stated >= job->locations.n_procs;
    return true;
}

/* ---- The process that differs. */

/* A communicator in which one process differs from all others. */
typedef struct {
    const XtfProcessEnds *ends;
    const XtfCollectiveCalls *calls;
    const XtfCommCalls *comm;
    XtfRanks const *ranks;
    uint64_t first, n;   /* rows of the table `members` */
    uint64_t odd_proc;   /* the process that differs */
    uint64_t other_proc; /* one of the other members */
    uint64_t own_calls[XTF_COLLECTIVE_FUNCTIONS],
        other_calls[XTF_COLLECTIVE_FUNCTIONS]; /* calls of each function by odd_proc, and by each other member */
    bool has_more, has_fewer;                  /* the process has more calls, or fewer, of some function */
} Mismatch;

/* Adds the members that never call a function to its numbers. False if that makes more than two different numbers, or
 * if there are more processes than members.
 * If one member is silent, the exclusive or of all members and of the members that call is its number. If several are
 * silent, that number means nothing, and no sentence uses it. */
static bool add_silent_members(const Mismatch *mismatch, XtfCallNumbers *numbers)
{
    uint64_t n_added = numbers->members[0] + numbers->members[1], all_xor = 0, proc;

    if (numbers->has_more_counts || n_added > mismatch->n)
        return !numbers->has_more_counts && n_added <= mismatch->n;
    if (n_added == 0 || n_added == mismatch->n)
        return true;
    for (uint64_t i = 0; i < mismatch->n; i++) {
        if (!xtf_ranks_member_proc(mismatch->ranks, mismatch->first + i, &proc))
            return false;
        all_xor ^= proc;
    }
    xtf_call_numbers_add(numbers, 0, all_xor ^ numbers->proc_xor, mismatch->n - n_added);
    return !numbers->has_more_counts;
}

/* Adds the calls of a function that one process calls more or less often than the others, and sets *any. Returns false
 * if several processes differ, or another process than in earlier functions. */
static bool add_function(Mismatch *mismatch, unsigned function, const XtfCallNumbers *numbers, bool *any)
{
    if (numbers->members[1] == 0)
        return true;
    unsigned odd = numbers->members[0] == 1 ? 0 : 1;
    if (numbers->members[0] == 1 && numbers->members[1] == 1)
        odd = *any ? numbers->procs[0] != mismatch->odd_proc : numbers->calls[0] < numbers->calls[1];
    if (numbers->members[odd] != 1 || (*any && numbers->procs[odd] != mismatch->odd_proc))
        return false;
    *any = true;
    mismatch->odd_proc = numbers->procs[odd];
    mismatch->other_proc = numbers->procs[1 - odd];
    mismatch->own_calls[function] = numbers->calls[odd];
    mismatch->other_calls[function] = numbers->calls[1 - odd];
    mismatch->has_more |= numbers->calls[odd] > numbers->calls[1 - odd];
    mismatch->has_fewer |= numbers->calls[odd] < numbers->calls[1 - odd];
    return true;
}

/* True if all members are processes with records, and the process that differs is one of them. */
static bool are_members_recorded(const Mismatch *mismatch)
{
    bool found = false;
    uint64_t proc;

    for (uint64_t i = 0; i < mismatch->n; i++) {
        if (!xtf_ranks_member_proc(mismatch->ranks, mismatch->first + i, &proc))
            return false;
        const XtfProcessEnd *end = xtf_process_end_find(mismatch->ends, proc);
        if (!end || !mismatch->calls->has_calls[end - mismatch->ends->ends])
            return false;
        found |= proc == mismatch->odd_proc;
    }
    return found;
}

/* True if a process would have made no more calls: it reached MPI_Finalize, or all its threads ended in calls of MPI.
 */
static bool has_ended(const Mismatch *mismatch, uint64_t proc)
{
    const XtfProcessEnd *end = xtf_process_end_find(mismatch->ends, proc);

    return end && !mismatch->calls->is_open[end - mismatch->ends->ends] &&
           (!xtf_end_is_failure(end->kind) || (end->pending > 0 && end->pending == end->threads));
}

/* True if the end of the run explains the difference: a process with fewer calls may have been on its way to the call.
 * False for a process that had ended. Also false for one that called another operation instead, as all members call
 * operations in the same order. */
static bool is_due_to_end(const Mismatch *mismatch)
{
    bool ended = true;
    uint64_t proc;

    if (mismatch->has_more && mismatch->has_fewer)
        return false;
    if (mismatch->has_fewer)
        return !has_ended(mismatch, mismatch->odd_proc);
    for (uint64_t i = 0; i < mismatch->n && ended; i++)
        ended = xtf_ranks_member_proc(mismatch->ranks, mismatch->first + i, &proc) &&
                (proc == mismatch->odd_proc || has_ended(mismatch, proc));
    return !ended;
}

/* Sets *found if the communicator has one group of several members, of which one process differs. */
static bool find_mismatch(Mismatch *mismatch, bool *found, GError **error)
{
    const XtfFindingJob *job = mismatch->ends->job;
    uint64_t first[2], n[2];
    bool any = false;

    *found = false;
    mismatch->ranks = xtf_trace_context_ranks(job->views->context, error);
    if (!mismatch->ranks)
        return false;
    if (!xtf_ranks_groups(mismatch->ranks, mismatch->comm->comm, first, n) || n[0] < 2 || n[1] > 0)
        return true;
    mismatch->first = first[0];
    mismatch->n = n[0];
    for (unsigned i = 0; i < XTF_COLLECTIVE_FUNCTIONS; i++) {
        XtfCallNumbers numbers = mismatch->comm->functions[i];
        if (!add_silent_members(mismatch, &numbers) || !add_function(mismatch, i, &numbers, &any))
            return true;
    }
    *found = any && are_members_recorded(mismatch) && !is_due_to_end(mismatch);
    return true;
}

/* ---- Sentences. */

static void add_times_words(GString *text, uint64_t n)
{
    if (n == 0)
        g_string_append(text, "never");
    else if (n == 1)
        g_string_append(text, "once");
    else
        g_string_append_printf(text, "%" PRIu64 " times", n);
}

static char *name_comm(const XtfFindingJob *job, uint64_t comm, GError **error)
{
    const char **texts;
    uint64_t n;

    if (!xtf_table_names(job->views->context->trace, XTF_TABLE_COMMUNICATORS, &texts, &n, error))
        return NULL;
    g_autofree const char **owned = texts;
    if (!owned || comm >= n || !owned[comm][0])
        return g_strdup_printf("%" PRIu64, comm);
    g_autofree char *shown = xtf_text_shown(owned[comm], NAME_BYTES);
    return xtf_finding_name(shown);
}

/* Appends "MPI_Allreduce 12 times, the other 7 processes 11 times". */
static bool append_function(const Mismatch *mismatch, unsigned function, const char *on, GString *text, GError **error)
{
    g_autofree char *name = xtf_process_end_region(mismatch->ends, mismatch->comm->functions[function].region, error);

    if (!name)
        return false;
    g_string_append_printf(text, "%s%s ", name, on);
    add_times_words(text, mismatch->own_calls[function]);
    if (mismatch->n == 2)
        g_string_append_printf(text, ", process %" PRIu64 " ", mismatch->other_proc);
    else
        g_string_append_printf(text, ", the other %" PRIu64 " processes ", mismatch->n - 1);
    add_times_words(text, mismatch->other_calls[function]);
    return true;
}

static bool report_mismatch(XtfFindingJob *job, const XtfFindingRule *rule, const Mismatch *mismatch, bool sure,
                            GError **error)
{
    g_autofree char *comm = name_comm(job, mismatch->comm->comm, error), *on = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    unsigned shown = 0;
    double share = 0;

    if (!comm)
        return false;
    on = g_strdup_printf(" on communicator %s", comm);
    g_string_append_printf(text, "process %" PRIu64 " %s", mismatch->odd_proc, sure ? "calls " : "seems to call ");
    for (unsigned i = 0; i < XTF_COLLECTIVE_FUNCTIONS; i++) {
        uint64_t own_calls = mismatch->own_calls[i], other_calls = mismatch->other_calls[i];
        if (own_calls == other_calls)
            continue;
        share = MAX(share, 1 - (double)MIN(own_calls, other_calls) / (double)MAX(own_calls, other_calls));
        if (shown++ >= FUNCTIONS_MAX)
            continue;
        if (shown > 1)
            g_string_append(text, "; and ");
        if (!append_function(mismatch, i, shown > 1 ? "" : on, text, error))
            return false;
    }
    if (shown > FUNCTIONS_MAX)
        g_string_append_printf(text, "; and %u more functions as unequally", shown - FUNCTIONS_MAX);
    XtfFinding *finding = xtf_finding_add(job, rule, share, &(XtfFinding){.table = "by/proc/profile"}, "%s", text->str);
    finding->culprit = mismatch->odd_proc;
    return true;
}

static int compare_comms(const void *a, const void *b)
{
    uint64_t x = (*(const XtfCommCalls *const *)a)->comm, y = (*(const XtfCommCalls *const *)b)->comm;

    return x < y ? -1 : x > y;
}

static bool report_communicators(XtfFindingJob *job, const XtfFindingRule *rule, const XtfProcessEnds *ends,
                                 const XtfCollectiveCalls *calls, bool sure, GError **error)
{
    g_autofree gpointer *comms = g_hash_table_get_keys_as_array(calls->comms, NULL);
    guint n = g_hash_table_size(calls->comms), n_reported = 0;
    bool found;

    if (n > 1)
        qsort(comms, n, sizeof *comms, compare_comms);
    for (guint i = 0; i < n && n_reported < FINDINGS_MAX; i++) {
        Mismatch mismatch = {.ends = ends, .calls = calls, .comm = comms[i]};
        if (!find_mismatch(&mismatch, &found, error) || (found && !report_mismatch(job, rule, &mismatch, sure, error)))
            return false;
        n_reported += found;
    }
    return true;
}

/* Reports a process that calls a blocking collective operation more or less often than all other members of the
 * communicator: an error of the program. Looks at whole runs that have ended, with all processes. The threshold is a
 * number of calls. */
bool xtf_rule_mismatch(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(XtfProcessEnds) ends = {0};
    g_auto(XtfCollectiveCalls) calls = {0};
    bool any, lost, sure;

    if (!job->is_whole_run || job->is_growing || !xtf_finding_is_of_processes(job) || job->selection->procs ||
        job->selection->threads || job->locations.n_procs < 2)
        return true;
    if (!read_losses(job, &lost, &sure, error))
        return false;
    const XtfRanks *ranks = xtf_trace_context_ranks(job->views->context, error);
    if (!ranks)
        return false;
    if (lost || has_pauses(job) || !ranks->comms)
        return true;
    if (ranks->comms->n_rows > COMMS_MAX) {
        xtf_finding_add_skipped(job, "calls of collective operations", ranks->comms->n_rows, "communicators");
        return true;
    }
    return xtf_process_ends_init(&ends, job, &any, error) &&
           xtf_trace_table(job->views->context->trace, XTF_TABLE_REGIONS, &ends.regions, error) &&
           xtf_collective_calls_init(&calls, &ends, error) &&
           report_communicators(job, rule, &ends, &calls, sure, error);
}
