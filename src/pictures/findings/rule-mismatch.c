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
    COMMS_MOST = 1 << 16, /* communicators that are looked at */
    FINDINGS_MOST = 3,
    FUNCTIONS_SHOWN = 2, /* of a sentence */
    NAME_BYTES = 4096,   /* of a communicator's name that are looked at */
};

/* ---- Whether all calls are recorded. */

/* Whether recording was off for a while. */
static bool was_off(const XtfFindingJob *job)
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

/* Sets *lost if a process states that records of it are lost, or ended early; *sure if all processes state a number. */
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
    uint64_t first, n;                                                        /* rows of `members` */
    uint64_t one;                                                             /* the process */
    uint64_t other;                                                           /* another one */
    uint64_t own[XTF_COLLECTIVE_FUNCTIONS], others[XTF_COLLECTIVE_FUNCTIONS]; /* how often they call a function */
    bool more, less;                                                          /* of some function */
} Mismatch;

/* Adds to a function's numbers the members that never call it. False if there are more processes than members. */
static bool add_others(const Mismatch *mismatch, XtfCallNumbers *numbers)
{
    uint64_t met = numbers->members[0] + numbers->members[1], all = 0, proc;

    if (numbers->more || met > mismatch->n)
        return !numbers->more && met <= mismatch->n;
    if (met == 0 || met == mismatch->n)
        return true;
    for (uint64_t i = 0; i < mismatch->n; i++) {
        if (!xtf_ranks_member_proc(mismatch->ranks, mismatch->first + i, &proc))
            return false;
        all ^= proc;
    }
    xtf_call_numbers_add(numbers, 0, all ^ numbers->mixed, mismatch->n - met);
    return !numbers->more;
}

/* Takes the numbers of a function; false if it is not one process alone, and the same as before, that differs. */
static bool take_function(Mismatch *mismatch, unsigned function, const XtfCallNumbers *numbers, bool *any)
{
    if (numbers->members[1] == 0)
        return true;
    unsigned one = numbers->members[0] == 1 ? 0 : 1;
    if (numbers->members[0] == 1 && numbers->members[1] == 1)
        one = *any ? numbers->procs[0] != mismatch->one : numbers->calls[0] < numbers->calls[1];
    if (numbers->members[one] != 1 || (*any && numbers->procs[one] != mismatch->one))
        return false;
    *any = true;
    mismatch->one = numbers->procs[one];
    mismatch->other = numbers->procs[1 - one];
    mismatch->own[function] = numbers->calls[one];
    mismatch->others[function] = numbers->calls[1 - one];
    mismatch->more |= numbers->calls[one] > numbers->calls[1 - one];
    mismatch->less |= numbers->calls[one] < numbers->calls[1 - one];
    return true;
}

/* Whether all members are processes with records, and the process that differs is one of them. */
static bool know_members(const Mismatch *mismatch)
{
    bool found = false;
    uint64_t proc;

    for (uint64_t i = 0; i < mismatch->n; i++) {
        if (!xtf_ranks_member_proc(mismatch->ranks, mismatch->first + i, &proc))
            return false;
        const XtfProcessEnd *end = xtf_process_end_find(mismatch->ends, proc);
        if (!end || !mismatch->calls->has_calls[end - mismatch->ends->ends])
            return false;
        found |= proc == mismatch->one;
    }
    return found;
}

/* Whether a process would have called nothing more: it came to MPI_Finalize. */
static bool has_ended(const Mismatch *mismatch, uint64_t proc)
{
    const XtfProcessEnd *end = xtf_process_end_find(mismatch->ends, proc);

    return end && !mismatch->calls->is_open[end - mismatch->ends->ends] &&
           (!xtf_end_is_failure(end->how) || (end->pending > 0 && end->pending == end->threads));
}

/* A process that has called less may have been on its way to the call when the run ended. Not if it had ended; nor if
 * it called another operation in place of this one, as all have the same order of operations. */
static bool is_natural(const Mismatch *mismatch)
{
    bool ended = true;
    uint64_t proc;

    if (mismatch->more && mismatch->less)
        return false;
    if (mismatch->less)
        return !has_ended(mismatch, mismatch->one);
    for (uint64_t i = 0; i < mismatch->n && ended; i++)
        ended = xtf_ranks_member_proc(mismatch->ranks, mismatch->first + i, &proc) &&
                (proc == mismatch->one || has_ended(mismatch, proc));
    return !ended;
}

/* Sets *found if one process of a communicator with one group of several members differs. */
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
        if (!add_others(mismatch, &numbers) || !take_function(mismatch, i, &numbers, &any))
            return true;
    }
    *found = any && know_members(mismatch) && !is_natural(mismatch);
    return true;
}

/* ---- Sentences. */

static void add_times(GString *text, uint64_t n)
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

/* "MPI_Allreduce 12 times, the other 7 processes 11 times" */
static bool tell_function(const Mismatch *mismatch, unsigned function, const char *on, GString *text, GError **error)
{
    g_autofree char *name = xtf_process_end_region(mismatch->ends, mismatch->comm->functions[function].region, error);

    if (!name)
        return false;
    g_string_append_printf(text, "%s%s ", name, on);
    add_times(text, mismatch->own[function]);
    if (mismatch->n == 2)
        g_string_append_printf(text, ", process %" PRIu64 " ", mismatch->other);
    else
        g_string_append_printf(text, ", the other %" PRIu64 " processes ", mismatch->n - 1);
    add_times(text, mismatch->others[function]);
    return true;
}

static bool tell(XtfFindingJob *job, const XtfFindingRule *rule, const Mismatch *mismatch, bool sure, GError **error)
{
    g_autofree char *comm = name_comm(job, mismatch->comm->comm, error), *on = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    unsigned shown = 0;
    double share = 0;

    if (!comm)
        return false;
    on = g_strdup_printf(" on communicator %s", comm);
    g_string_append_printf(text, "process %" PRIu64 " %s", mismatch->one, sure ? "calls " : "seems to call ");
    for (unsigned i = 0; i < XTF_COLLECTIVE_FUNCTIONS; i++) {
        uint64_t own = mismatch->own[i], others = mismatch->others[i];
        if (own == others)
            continue;
        share = MAX(share, 1 - (double)MIN(own, others) / (double)MAX(own, others));
        if (shown++ >= FUNCTIONS_SHOWN)
            continue;
        if (shown > 1)
            g_string_append(text, "; and ");
        if (!tell_function(mismatch, i, shown > 1 ? "" : on, text, error))
            return false;
    }
    if (shown > FUNCTIONS_SHOWN)
        g_string_append_printf(text, "; and %u more functions as unequally", shown - FUNCTIONS_SHOWN);
    XtfFinding *finding = xtf_finding_add(job, rule, share, &(XtfFinding){.table = "by/proc/profile"}, "%s", text->str);
    finding->culprit = mismatch->one;
    return true;
}

static int compare_comms(const void *a, const void *b)
{
    uint64_t x = (*(const XtfCommCalls *const *)a)->comm, y = (*(const XtfCommCalls *const *)b)->comm;

    return x < y ? -1 : x > y;
}

static bool tell_all(XtfFindingJob *job, const XtfFindingRule *rule, const XtfProcessEnds *ends,
                     const XtfCollectiveCalls *calls, bool sure, GError **error)
{
    g_autofree gpointer *comms = g_hash_table_get_keys_as_array(calls->comms, NULL);
    guint n = g_hash_table_size(calls->comms), told = 0;
    bool found;

    if (n > 1)
        qsort(comms, n, sizeof *comms, compare_comms);
    for (guint i = 0; i < n && told < FINDINGS_MOST; i++) {
        Mismatch mismatch = {.ends = ends, .calls = calls, .comm = comms[i]};
        if (!find_mismatch(&mismatch, &found, error) || (found && !tell(job, rule, &mismatch, sure, error)))
            return false;
        told += found;
    }
    return true;
}

/* The members of a communicator call each blocking collective operation equally often, so one that does not is wrong.
 * Of the whole run with all processes, unless it goes on; the threshold is the number of calls. */
bool xtf_rule_mismatch(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(XtfProcessEnds) ends = {0};
    g_auto(XtfCollectiveCalls) calls = {0};
    bool any, lost, sure;

    if (!job->is_whole_run || job->goes_on || !xtf_finding_is_of_processes(job) || job->selection->procs ||
        job->selection->threads || job->locations.n_procs < 2)
        return true;
    if (!read_losses(job, &lost, &sure, error))
        return false;
    const XtfRanks *ranks = xtf_trace_context_ranks(job->views->context, error);
    if (!ranks)
        return false;
    if (lost || was_off(job) || !ranks->comms)
        return true;
    if (ranks->comms->n_rows > COMMS_MOST) {
        xtf_finding_leave_out(job, "calls of collective operations", ranks->comms->n_rows, "communicators");
        return true;
    }
    return xtf_process_ends_init(&ends, job, &any, error) &&
           xtf_trace_table(job->views->context->trace, XTF_TABLE_REGIONS, &ends.regions, error) &&
           xtf_collective_calls_init(&calls, &ends, error) && tell_all(job, rule, &ends, &calls, sure, error);
}
