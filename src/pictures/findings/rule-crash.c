/* Processes that were killed, or ended without MPI_Finalize, and the calls of MPI in which others then waited. */
#include <inttypes.h>
#include <signal.h>

#include "src/pictures/findings/process-ends.h"

enum {
    PROCS_MAX = 4, /* most processes of a list; of the others it gives the number */
    CALLS_MAX = 3, /* most functions in which processes waited */
};

/* ---- The processes to blame. */

/* True if a signal is raised by a process's own fault. */
static bool is_fault_signal(int64_t number)
{
    return number == SIGILL || number == SIGTRAP || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
           number == SIGSEGV || number == SIGSYS || number == SIGXCPU || number == SIGXFSZ;
}

static bool is_aborting(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    g_autofree char *name = end->pending > 0 ? xtf_process_end_region(ends, end->region, NULL) : NULL;

    return name && g_str_equal(name, "MPI_Abort");
}

typedef bool (*IsToBlame)(const XtfProcessEnds *ends, const XtfProcessEnd *end);

static bool has_fault(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    return end->kind == XTF_END_KILLED && is_fault_signal(end->number);
}

static bool have_same_end(const XtfProcessEnd *a, const XtfProcessEnd *b)
{
    return a->kind == b->kind && a->number == b->number;
}

/* True if a process ended by itself, and no other one that was in a call ended likewise. All processes end alike if the
 * launcher is lost. MPI ends a process whose call fails. */
static bool ended_alone(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    bool are_others_ended = false;

    if (end->kind != XTF_END_STATUS && end->kind != XTF_END_WITHOUT_FINALIZE)
        return false;
    for (uint32_t i = 0; i < ends->n; i++) {
        const XtfProcessEnd *candidate = &ends->ends[i];
        if (candidate == end || !xtf_end_is_failure(candidate->kind))
            continue;
        if (have_same_end(candidate, end) && candidate->pending > 0)
            return false;
        are_others_ended |= candidate->kind == XTF_END_KILLED || candidate->pending > 0;
    }
    return are_others_ended;
}

/* True if the process ended by itself, outside of MPI. */
static bool ended_outside_mpi(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    return end->pending == 0 && ended_alone(ends, end);
}

/* True if the process was killed, but not by the launcher, which ends the others with SIGTERM. */
static bool was_killed(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    bool are_others_terminated = false;

    for (uint32_t i = 0; i < ends->n; i++)
        are_others_terminated |= ends->ends[i].kind == XTF_END_KILLED && ends->ends[i].number == SIGTERM;
    return are_others_terminated && end->kind == XTF_END_KILLED && end->number == SIGKILL;
}

/* Finds the processes to blame, by the first rule that blames any. The caller frees the array, which may be empty. */
static GPtrArray *find_culprits(const XtfProcessEnds *ends)
{
    static const IsToBlame blames[] = {has_fault, is_aborting, ended_outside_mpi, ended_alone, was_killed};
    GPtrArray *culprits = g_ptr_array_new();

    for (unsigned i = 0; i < G_N_ELEMENTS(blames) && culprits->len == 0; i++)
        for (uint32_t j = 0; j < ends->n; j++)
            if (xtf_end_is_failure(ends->ends[j].kind) && blames[i](ends, &ends->ends[j]))
                g_ptr_array_add(culprits, &ends->ends[j]);
    return culprits;
}

/* ---- Sentences. */

static uint64_t proc_of(const GPtrArray *ends, guint i)
{
    return ((const XtfProcessEnd *)ends->pdata[i])->proc;
}

static uint64_t peer_of(const GPtrArray *ends, guint i)
{
    return ((const XtfProcessEnd *)ends->pdata[i])->peer;
}

/* Appends "process 1", "processes 0, 2 and 3", "processes 0, 1, 2, 3 and 5 more". */
static void append_processes(GString *text, const GPtrArray *ends, uint64_t (*number)(const GPtrArray *ends, guint i))
{
    guint shown = MIN(ends->len, PROCS_MAX);

    g_string_append(text, ends->len == 1 ? "process " : "processes ");
    for (guint i = 0; i < shown; i++)
        g_string_append_printf(text, "%s%" PRIu64,
                               i == 0                                 ? ""
                               : i + 1 == shown && shown == ends->len ? " and "
                                                                      : ", ",
                               number(ends, i));
    if (shown < ends->len)
        g_string_append_printf(text, " and %u more", ends->len - shown);
}

static void append_ending(GString *text, const XtfProcessEnd *end, bool is_plural)
{
    if (end->kind == XTF_END_KILLED)
        g_string_append_printf(text, " %s killed by signal %" PRId64, is_plural ? "were" : "was", end->number);
    else if (end->kind == XTF_END_STATUS)
        g_string_append_printf(text, " ended with status %" PRId64, end->number);
    else
        g_string_append(text, " ended without MPI_Finalize");
}

/* Appends the region in which some processes ended: " in validate (solver.c:41)", " in MPI_Recv, called by get
 * (a.c:7)".
 */
static bool append_region(const XtfProcessEnds *ends, const GPtrArray *some, GString *text, GError **error)
{
    uint64_t region = ((const XtfProcessEnd *)some->pdata[0])->region;
    g_autofree char *name = xtf_process_end_region(ends, region, error), *source = NULL;
    g_autofree char *called = name ? xtf_process_ends_called(ends, some, error) : NULL;

    if (!called || !xtf_finding_source(ends->job, region, &source, error))
        return false;
    g_string_append_printf(text, " in %s%s%s", name, source, called);
    return true;
}

/* Appends the culprits that ended as the first one did, how they ended, and in which region if that is one. */
static bool append_culprits(const XtfProcessEnds *ends, const GPtrArray *culprits, GString *text, GError **error)
{
    g_autoptr(GPtrArray) same_end = g_ptr_array_new();
    const XtfProcessEnd *first = culprits->pdata[0];

    for (guint i = 0; i < culprits->len; i++) {
        const XtfProcessEnd *end = culprits->pdata[i];
        if (have_same_end(end, first) && end->region == first->region && end->elsewhere == first->elsewhere)
            g_ptr_array_add(same_end, culprits->pdata[i]);
    }
    append_processes(text, same_end, proc_of);
    append_ending(text, first, same_end->len > 1);
    /* Unknown which of several threads had the fault. */
    bool is_vague = first->elsewhere && !is_aborting(ends, first);
    if (!is_vague && first->region == XTF_END_NO_REGION)
        g_string_append(text, " outside of all recorded calls");
    else if (!is_vague && !append_region(ends, same_end, text, error))
        return false;
    if (same_end->len < culprits->len)
        g_string_append_printf(text, ", and %u more ended so", culprits->len - same_end->len);
    return true;
}

/* Appends the processes that ended from outside, and how if all ended alike. */
static void append_ended(const XtfProcessEnds *ends, GString *text)
{
    g_autoptr(GPtrArray) ended = g_ptr_array_new();
    const XtfProcessEnd *first = NULL;
    bool same_end = true;

    for (uint32_t i = 0; i < ends->n; i++) {
        const XtfProcessEnd *end = &ends->ends[i];
        if (!xtf_end_is_failure(end->kind))
            continue;
        first = first ? first : end;
        same_end &= have_same_end(end, first);
        g_ptr_array_add(ended, &ends->ends[i]);
    }
    if (!first) {
        g_string_append(text, "the run did not come to MPI_Finalize");
        return;
    }
    append_processes(text, ended, proc_of);
    if (same_end)
        append_ending(text, first, ended->len > 1);
    else
        g_string_append(text, " were ended from outside");
}

/* Returns the word between a call and the process that it waits for. MPI_Wait waits for an earlier send or receive. */
static const char *preposition_of(const char *name)
{
    if (g_str_has_suffix(name, "end") || g_str_has_suffix(name, "end_c")) /* MPI_Send, MPI_Ssend_c ... */
        return " to ";
    return g_str_equal(name, "MPI_Wait") ? " for " : " from ";
}

/* Appends "; processes 0, 2 and 3 had been waiting in MPI_Recv from process 1 since 2.1 s". The site of the call is
 * behind MPI_Recv. */
static bool append_call(const XtfProcessEnds *ends, const GPtrArray *waiting, GString *text, GError **error)
{
    const XtfTimeScale *scale = &ends->job->views->context->scale;
    const XtfProcessEnd *first = waiting->pdata[0];
    uint64_t since = 0;
    bool have_peers = true, have_same_peer = true;
    g_autofree char *name = xtf_process_end_region(ends, first->region, error);
    g_autofree char *called = name ? xtf_process_ends_called(ends, waiting, error) : NULL;

    if (!called)
        return false;
    for (guint i = 0; i < waiting->len; i++) {
        const XtfProcessEnd *end = waiting->pdata[i];
        since = MAX(since, end->since);
        have_peers &= end->peer != XTF_END_NO_PROC;
        have_same_peer &= end->peer == first->peer;
    }
    g_string_append(text, "; ");
    append_processes(text, waiting, proc_of);
    g_string_append_printf(text, " had been waiting in %s%s%s", name, called, xtf_finding_comma(called));
    if (have_peers) {
        g_autoptr(GPtrArray) peers = g_ptr_array_new();
        for (guint i = 0; i < (have_same_peer ? 1 : waiting->len); i++)
            g_ptr_array_add(peers, waiting->pdata[i]);
        g_string_append(text, preposition_of(name));
        append_processes(text, peers, peer_of);
    }
    double seconds = xtf_seconds_of(scale, since - MIN(since, scale->origin));
    g_string_append_printf(text, " since %s", xtf_word_time(seconds, xtf_finding_seconds(ends->job)).text);
    return true;
}

static int compare_proc(const void *a, const void *b)
{
    uint64_t x = ((const XtfProcessEnd *)a)->proc, y = ((const XtfProcessEnd *)b)->proc;

    return x < y ? -1 : x > y;
}

static int compare_size(const void *a, const void *b)
{
    const GPtrArray *x = *(GPtrArray *const *)a, *y = *(GPtrArray *const *)b;

    return x->len != y->len ? (x->len < y->len ? 1 : -1) : compare_proc(x->pdata[0], y->pdata[0]);
}

/* Returns the waiting processes, in an array for each function in which they waited, the longest first. The caller
 * frees all. */
static GPtrArray *find_waiting_calls(const XtfProcessEnds *ends, const GPtrArray *culprits)
{
    GPtrArray *calls = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    g_autoptr(GHashTable) by_region = g_hash_table_new(g_int64_hash, g_int64_equal);

    for (uint32_t i = 0; i < ends->n; i++) {
        XtfProcessEnd *end = &ends->ends[i];
        if (end->pending == 0 || g_ptr_array_find((GPtrArray *)culprits, end, NULL))
            continue;
        GPtrArray *call = g_hash_table_lookup(by_region, &end->region);
        if (!call) {
            call = g_ptr_array_new();
            g_hash_table_insert(by_region, &end->region, call);
            g_ptr_array_add(calls, call);
        }
        g_ptr_array_add(call, end);
    }
    g_ptr_array_sort(calls, compare_size);
    return calls;
}

/* True if all threads wait in calls. */
static bool is_stuck(const XtfProcessEnd *end)
{
    return end->pending > 0 && end->pending == end->threads;
}

/* Appends a cycle of processes that wait for each other, each for the next: "; processes 0 and 1 wait for each other".
 */
static void append_deadlock(const XtfProcessEnds *ends, GString *text)
{
    g_autofree uint32_t *walk_of = g_new0(uint32_t, ends->n + 1); /* 1 + the walk that visited an end; 0: none */

    for (uint32_t i = 0; i < ends->n; i++) {
        const XtfProcessEnd *end = &ends->ends[i];
        while (end && is_stuck(end) && walk_of[end - ends->ends] == 0) {
            walk_of[end - ends->ends] = i + 1;
            end = end->peer == XTF_END_NO_PROC ? NULL : xtf_process_end_find(ends, end->peer);
        }
        if (!end || !is_stuck(end) || walk_of[end - ends->ends] != i + 1)
            continue;
        g_autoptr(GPtrArray) circle = g_ptr_array_new();
        for (const XtfProcessEnd *at = end; circle->len == 0 || at != end; at = xtf_process_end_find(ends, at->peer))
            g_ptr_array_add(circle, (void *)at);
        if (circle->len < 2)
            continue;
        g_string_append(text, "; ");
        append_processes(text, circle, proc_of);
        g_string_append(text, " wait for each other");
        return;
    }
}

/* ---- Messages with another tag than the one that a receiver waits for. */

enum { SENDER, RECEIVER, COMM, TAG, MISSING };
static const char *const unmatched_columns[] = {"sender", "receiver", "comm", "tag", "missing"};

/* Messages that a waiting process was sent, and did not receive. */
typedef struct {
    const XtfProcessEnd *end;
    bool is_sent, matches; /* there are such messages; one of them has the tag for which the process waits */
    uint64_t tag;          /* the lowest of their tags */
} Unreceived;

static bool add_unreceived(const XtfRowCell *cells, void *data, GError **error)
{
    Unreceived *unreceived = data;
    const XtfProcessEnd *end = unreceived->end;

    for (unsigned i = SENDER; i <= TAG; i++)
        if (cells[i].type == XTF_ROW_NOTHING)
            return true;
    if (xtf_row_number(&cells[SENDER]) != end->peer || xtf_row_number(&cells[RECEIVER]) != end->proc ||
        xtf_row_number(&cells[COMM]) != end->comm || !g_str_equal(cells[MISSING].text, "receives"))
        return true;
    uint64_t tag = xtf_row_number(&cells[TAG]);
    unreceived->matches |= tag == end->tag;
    unreceived->tag = unreceived->is_sent ? MIN(unreceived->tag, tag) : tag;
    unreceived->is_sent = true;
    return true;
}

/* True if a process is in MPI_Recv, and its sender, communicator and tag are known: none is a wildcard. */
static bool is_receiving(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    g_autofree char *name = end->pending == 1 ? xtf_process_end_region(ends, end->region, NULL) : NULL;

    return name && (g_str_equal(name, "MPI_Recv") || g_str_equal(name, "MPI_Recv_c")) && end->peer != XTF_END_NO_PROC &&
           end->comm != XTF_END_NO_PROC && end->tag != XTF_END_NO_PROC;
}

/* Appends "; process 1 waits in MPI_Recv for tag 6 from process 0; ..." for the first process that waits for one tag
 * and was sent only others. */
static bool append_tag_mismatch(XtfFindingJob *job, const XtfProcessEnds *ends, GString *text, bool *is_reported,
                                GError **error)
{
    *is_reported = false;
    for (uint32_t i = 0; i < ends->n && !*is_reported; i++) {
        Unreceived unreceived = {.end = &ends->ends[i]};
        XtfRowPicker picker = XTF_ROW_PICKER(unmatched_columns, add_unreceived, &unreceived);
        if (!is_receiving(ends, unreceived.end))
            continue;
        if (!xtf_finding_has(job, job->selection, "unmatched"))
            return true;
        if (!xtf_view_pick(job->views, "unmatched", job->selection, &picker, error))
            return false;
        *is_reported = unreceived.is_sent && !unreceived.matches;
        if (*is_reported)
            g_string_append_printf(text,
                                   "; process %" PRIu64 " waits in MPI_Recv for tag %" PRIu64 " from process %" PRIu64
                                   "; process %" PRIu64 " sent it tag %" PRIu64 ", which nobody received",
                                   unreceived.end->proc, unreceived.end->tag, unreceived.end->peer,
                                   unreceived.end->peer, unreceived.tag);
    }
    return true;
}

static bool report_crash(XtfFindingJob *job, const XtfProcessEnds *ends, const XtfFindingRule *rule, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GPtrArray) culprits = find_culprits(ends), calls = find_waiting_calls(ends, culprits);
    bool by_tag = false;

    if (culprits->len == 0)
        append_ended(ends, text);
    else if (!append_culprits(ends, culprits, text, error))
        return false;
    for (guint i = 0; i < MIN(calls->len, CALLS_MAX); i++)
        if (!append_call(ends, calls->pdata[i], text, error))
            return false;
    if (culprits->len == 0)
        append_deadlock(ends, text);
    /* If a process crashed, the message may have been its last action. */
    if (culprits->len == 0 && !append_tag_mismatch(job, ends, text, &by_tag, error))
        return false;
    XtfFinding place = {.type = ends->pending ? "pending" : NULL, .table = ends->pending ? "records" : "stack"};
    if (by_tag)
        place = (XtfFinding){.table = "unmatched"};
    xtf_finding_add(job, rule, 1, &place, "%s", text->str);
    return true;
}

/* Reports how processes ended that did not finish. Looks at whole runs that have ended. There is no threshold. */
bool xtf_rule_crash(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(XtfProcessEnds) ends = {0};
    bool any;

    if (!job->is_whole_run || job->is_growing || !xtf_finding_is_of_processes(job))
        return true;
    return xtf_process_ends_init(&ends, job, &any, error) && (!any || report_crash(job, &ends, rule, error));
}
