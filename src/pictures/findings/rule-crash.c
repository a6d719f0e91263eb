/* Processes that were killed, or ended without MPI_Finalize, and the calls of MPI in which others waited then. */
#include <inttypes.h>
#include <signal.h>

#include "src/pictures/findings/process-ends.h"

enum {
    SHOWN = 4,     /* processes of a list; of others their number is told */
    CALLS_MAX = 3, /* functions of waiting processes that are told */
};

/* ---- Who is to blame. */

/* Signals that a process brings upon itself. */
static bool is_fault(int64_t number)
{
    return number == SIGILL || number == SIGTRAP || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
           number == SIGSEGV || number == SIGSYS || number == SIGXCPU || number == SIGXFSZ;
}

static bool is_aborting(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    g_autofree char *name = end->pending > 0 ? xtf_process_end_region(ends, end->region, NULL) : NULL;

    return name && g_str_equal(name, "MPI_Abort");
}

typedef bool (*Blames)(const XtfProcessEnds *ends, const XtfProcessEnd *end);

static bool has_fault(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    return end->how == XTF_END_KILLED && is_fault(end->number);
}

static bool end_alike(const XtfProcessEnd *a, const XtfProcessEnd *b)
{
    return a->how == b->how && a->number == b->number;
}

/* Whether a process ended by itself, and no other one that was in a call ended likewise. A launcher that is lost ends
 * all in one way; MPI ends a process whose call fails. */
static bool ended_alone(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    bool others = false;

    if (end->how != XTF_END_STATUS && end->how != XTF_END_WITHOUT_FINALIZE)
        return false;
    for (uint32_t i = 0; i < ends->n; i++) {
        const XtfProcessEnd *other = &ends->ends[i];
        if (other == end || !xtf_end_is_failure(other->how))
            continue;
        if (end_alike(other, end) && other->pending > 0)
            return false;
        others |= other->how == XTF_END_KILLED || other->pending > 0;
    }
    return others;
}

/* The process ended by itself, outside of MPI. */
static bool has_left(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    return end->pending == 0 && ended_alone(ends, end);
}

/* The process was killed, and not by the launcher, which ends the others by SIGTERM. */
static bool was_killed(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    bool others = false;

    for (uint32_t i = 0; i < ends->n; i++)
        others |= ends->ends[i].how == XTF_END_KILLED && ends->ends[i].number == SIGTERM;
    return others && end->how == XTF_END_KILLED && end->number == SIGKILL;
}

/* Finds the processes to blame, by the first rule that blames any. The caller frees the array, which may be empty. */
static GPtrArray *find_culprits(const XtfProcessEnds *ends)
{
    static const Blames blames[] = {has_fault, is_aborting, has_left, ended_alone, was_killed};
    GPtrArray *culprits = g_ptr_array_new();

    for (unsigned i = 0; i < G_N_ELEMENTS(blames) && culprits->len == 0; i++)
        for (uint32_t j = 0; j < ends->n; j++)
            if (xtf_end_is_failure(ends->ends[j].how) && blames[i](ends, &ends->ends[j]))
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

/* "process 1", "processes 0, 2 and 3", "processes 0, 1, 2, 3 and 5 more". */
static void add_list(GString *text, const GPtrArray *ends, uint64_t (*number)(const GPtrArray *ends, guint i))
{
    guint shown = MIN(ends->len, SHOWN);

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

static void add_how(GString *text, const XtfProcessEnd *end, bool many)
{
    if (end->how == XTF_END_KILLED)
        g_string_append_printf(text, " %s killed by signal %" PRId64, many ? "were" : "was", end->number);
    else if (end->how == XTF_END_STATUS)
        g_string_append_printf(text, " ended with status %" PRId64, end->number);
    else
        g_string_append(text, " ended without MPI_Finalize");
}

/* " in validate (solver.c:41)" */
static bool tell_region(const XtfProcessEnds *ends, uint64_t region, GString *text, GError **error)
{
    g_autofree char *name = xtf_process_end_region(ends, region, error), *source = NULL;

    if (!name || !xtf_finding_source(ends->job, region, &source, error))
        return false;
    g_string_append_printf(text, " in %s%s", name, source);
    return true;
}

/* Those of one way to end, and where if they ended in one region. */
static bool tell_culprits(const XtfProcessEnds *ends, const GPtrArray *culprits, GString *text, GError **error)
{
    g_autoptr(GPtrArray) alike = g_ptr_array_new();
    const XtfProcessEnd *first = culprits->pdata[0];

    for (guint i = 0; i < culprits->len; i++) {
        const XtfProcessEnd *end = culprits->pdata[i];
        if (end_alike(end, first) && end->region == first->region && end->elsewhere == first->elsewhere)
            g_ptr_array_add(alike, culprits->pdata[i]);
    }
    add_list(text, alike, proc_of);
    add_how(text, first, alike->len > 1);
    /* Which of several threads had the fault is not known. */
    bool is_vague = first->elsewhere && !is_aborting(ends, first);
    if (!is_vague && first->region == XTF_END_NO_REGION)
        g_string_append(text, " outside of all recorded calls");
    else if (!is_vague && !tell_region(ends, first->region, text, error))
        return false;
    if (alike->len < culprits->len)
        g_string_append_printf(text, ", and %u more ended so", culprits->len - alike->len);
    return true;
}

/* All those that were ended from outside, if one way is that of all. */
static void tell_ended(const XtfProcessEnds *ends, GString *text)
{
    g_autoptr(GPtrArray) ended = g_ptr_array_new();
    const XtfProcessEnd *first = NULL;
    bool alike = true;

    for (uint32_t i = 0; i < ends->n; i++) {
        const XtfProcessEnd *end = &ends->ends[i];
        if (!xtf_end_is_failure(end->how))
            continue;
        first = first ? first : end;
        alike &= end_alike(end, first);
        g_ptr_array_add(ended, &ends->ends[i]);
    }
    if (!first) {
        g_string_append(text, "the run did not come to MPI_Finalize");
        return;
    }
    add_list(text, ended, proc_of);
    if (alike)
        add_how(text, first, ended->len > 1);
    else
        g_string_append(text, " were ended from outside");
}

/* The word between a call and the process that it waits for. MPI_Wait waits for what was begun before. */
static const char *preposition_of(const char *name)
{
    if (g_str_has_suffix(name, "end") || g_str_has_suffix(name, "end_c")) /* MPI_Send, MPI_Ssend_c ... */
        return " to ";
    return g_str_equal(name, "MPI_Wait") ? " for " : " from ";
}

/* "; processes 0, 2 and 3 had been waiting in MPI_Recv from process 1 since 2.1 s" */
static bool tell_call(const XtfProcessEnds *ends, const GPtrArray *waiting, GString *text, GError **error)
{
    const XtfTimeScale *scale = &ends->job->views->context->scale;
    const XtfProcessEnd *first = waiting->pdata[0];
    uint64_t since = 0;
    bool known = true, one = true;
    g_autofree char *name = xtf_process_end_region(ends, first->region, error);

    if (!name)
        return false;
    for (guint i = 0; i < waiting->len; i++) {
        const XtfProcessEnd *end = waiting->pdata[i];
        since = MAX(since, end->since);
        known &= end->peer != XTF_END_NO_PROC;
        one &= end->peer == first->peer;
    }
    g_string_append(text, "; ");
    add_list(text, waiting, proc_of);
    g_string_append_printf(text, " had been waiting in %s", name);
    if (known) {
        g_autoptr(GPtrArray) peers = g_ptr_array_new();
        for (guint i = 0; i < (one ? 1 : waiting->len); i++)
            g_ptr_array_add(peers, waiting->pdata[i]);
        g_string_append(text, preposition_of(name));
        add_list(text, peers, peer_of);
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

/* Those who waited, by the function in which they did: new arrays, the longest first. */
static GPtrArray *find_calls(const XtfProcessEnds *ends, const GPtrArray *culprits)
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

/* Whether all threads wait in calls. */
static bool is_stuck(const XtfProcessEnd *end)
{
    return end->pending > 0 && end->pending == end->threads;
}

/* Processes each of which waits for the next one, and the last for the first: "; processes 0 and 1 wait for each
 * other". `on` is the walk in which a process was met. */
static void tell_circle(const XtfProcessEnds *ends, GString *text)
{
    g_autofree uint32_t *on = g_new0(uint32_t, ends->n + 1);

    for (uint32_t i = 0; i < ends->n; i++) {
        const XtfProcessEnd *end = &ends->ends[i];
        while (end && is_stuck(end) && on[end - ends->ends] == 0) {
            on[end - ends->ends] = i + 1;
            end = end->peer == XTF_END_NO_PROC ? NULL : xtf_process_end_find(ends, end->peer);
        }
        if (!end || !is_stuck(end) || on[end - ends->ends] != i + 1)
            continue;
        g_autoptr(GPtrArray) circle = g_ptr_array_new();
        for (const XtfProcessEnd *at = end; circle->len == 0 || at != end; at = xtf_process_end_find(ends, at->peer))
            g_ptr_array_add(circle, (void *)at);
        if (circle->len < 2)
            continue;
        g_string_append(text, "; ");
        add_list(text, circle, proc_of);
        g_string_append(text, " wait for each other");
        return;
    }
}

/* ---- Messages with another tag than a receiver waits for. */

enum { SENDER, RECEIVER, COMM, TAG, MISSING };
static const char *const unmatched_columns[] = {"sender", "receiver", "comm", "tag", "missing"};

/* What a process that waits was sent, and did not receive. */
typedef struct {
    const XtfProcessEnd *end;
    bool found, matches; /* a message with another tag; one with the tag that it waits for */
    uint64_t tag;        /* of the former, the lowest */
} Unreceived;

static bool take_group(const XtfRowCell *cells, void *data, GError **error)
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
    unreceived->tag = unreceived->found ? MIN(unreceived->tag, tag) : tag;
    unreceived->found = true;
    return true;
}

/* Whether a process is in a receive of messages of one process, communicator and tag, as MPI_Recv. */
static bool is_receiving(const XtfProcessEnds *ends, const XtfProcessEnd *end)
{
    g_autofree char *name = end->pending == 1 ? xtf_process_end_region(ends, end->region, NULL) : NULL;

    return name && (g_str_equal(name, "MPI_Recv") || g_str_equal(name, "MPI_Recv_c")) && end->peer != XTF_END_NO_PROC &&
           end->comm != XTF_END_NO_PROC && end->tag != XTF_END_NO_PROC;
}

/* "; process 1 waits in MPI_Recv for tag 6 from process 0, which sent it tag 5, that nobody received": of the first
 * process of which that is so. */
static bool tell_tag(XtfFindingJob *job, const XtfProcessEnds *ends, GString *text, bool *told, GError **error)
{
    *told = false;
    for (uint32_t i = 0; i < ends->n && !*told; i++) {
        Unreceived unreceived = {.end = &ends->ends[i]};
        XtfRowPicker picker = XTF_ROW_PICKER(unmatched_columns, take_group, &unreceived);
        if (!is_receiving(ends, unreceived.end))
            continue;
        if (!xtf_finding_has(job, job->selection, "unmatched"))
            return true;
        if (!xtf_view_pick(job->views, "unmatched", job->selection, &picker, error))
            return false;
        *told = unreceived.found && !unreceived.matches;
        if (*told)
            g_string_append_printf(text,
                                   "; process %" PRIu64 " waits in MPI_Recv for tag %" PRIu64 " from process %" PRIu64
                                   "; process %" PRIu64 " sent it tag %" PRIu64 ", which nobody received",
                                   unreceived.end->proc, unreceived.end->tag, unreceived.end->peer,
                                   unreceived.end->peer, unreceived.tag);
    }
    return true;
}

static bool tell(XtfFindingJob *job, const XtfProcessEnds *ends, const XtfFindingRule *rule, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GPtrArray) culprits = find_culprits(ends), calls = find_calls(ends, culprits);
    bool by_tag = false;

    if (culprits->len == 0)
        tell_ended(ends, text);
    else if (!tell_culprits(ends, culprits, text, error))
        return false;
    for (guint i = 0; i < MIN(calls->len, CALLS_MAX); i++)
        if (!tell_call(ends, calls->pdata[i], text, error))
            return false;
    if (culprits->len == 0)
        tell_circle(ends, text);
    /* Where a process crashed, the message may have been the last thing that it did. */
    if (culprits->len == 0 && !tell_tag(job, ends, text, &by_tag, error))
        return false;
    XtfFinding place = {.type = ends->pending ? "pending" : NULL, .table = ends->pending ? "records" : "stack"};
    if (by_tag)
        place = (XtfFinding){.table = "unmatched"};
    xtf_finding_add(job, rule, 1, &place, "%s", text->str);
    return true;
}

/* Of the whole run, unless it goes on: nothing is compared with the threshold. */
bool xtf_rule_crash(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(XtfProcessEnds) ends = {0};
    bool any;

    if (!job->is_whole_run || job->goes_on || !xtf_finding_is_of_processes(job))
        return true;
    return xtf_process_ends_init(&ends, job, &any, error) && (!any || tell(job, &ends, rule, error));
}
