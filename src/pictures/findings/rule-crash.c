/* Processes that were killed, or ended without MPI_Finalize, and the calls of MPI in which others waited then. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/model/process-properties.h"
#include "src/model/schemas.h"
#include "src/pictures/findings/finding-rule.h"
#include "src/trace/select/open-frames.h"
#include "src/trace/text/escape.h"

enum {
    SHOWN = 4,      /* processes of a list; of others their number is told */
    CALLS_MAX = 3,  /* functions of waiting processes that are told */
    NAME_WIDTH = 80 /* bytes of a region's name */
};

#define NO_REGION UINT64_MAX
#define NO_PROC   UINT64_MAX

typedef enum { FINISHED, KILLED, STATUS, WITHOUT_FINALIZE } How;

/* How a process ended. */
typedef struct {
    uint64_t proc;
    How how;
    unsigned number; /* of the signal; the status */
    bool is_pending; /* it ended in a call of MPI... */
    uint64_t since;  /* ...that it had entered then... */
    uint64_t peer;   /* ...and that waited for this process; NO_PROC: for any */
    uint64_t region; /* the row of the call, or of the region that it ended in; NO_REGION: none */
} End;

typedef struct {
    XtfFindingJob *job;
    End *ends; /* by process */
    uint32_t n;
    const XtfTable *regions; /* NULL: there is none */
    const XtfSchema *pending;
} Ends;

static const XtfSchema *pending_of(const XtfFindingJob *job)
{
    const XtfSchema *pending = xtf_trace_context_schema(job->views->context, "pending", XTF_SCHEMA_RECORD);

    return pending && xtf_trace_n_rows(job->views->context->trace, pending->id) > 0 ? pending : NULL;
}

bool xtf_finding_ended_in_calls(const XtfFindingJob *job)
{
    return pending_of(job) != NULL;
}

/* ---- What the trace says. */

static int compare_proc(const void *key, const void *end)
{
    uint64_t a = *(const uint64_t *)key, b = ((const End *)end)->proc;

    return a < b ? -1 : a > b;
}

static End *find_end(const Ends *ends, uint64_t proc)
{
    return bsearch(&proc, ends->ends, ends->n, sizeof *ends->ends, compare_proc);
}

static bool read_properties(Ends *ends, GError **error)
{
    g_autoptr(GArray) found = xtf_process_properties(ends->job->views->context->trace, XTF_RECORD_END, error);

    for (guint i = 0; found && i < found->len; i++) {
        const XtfProcessProperty *property = &g_array_index(found, XtfProcessProperty, i);
        End *end = find_end(ends, property->proc);
        if (!end)
            continue;
        if (sscanf(property->text, "killed by signal %u", &end->number) == 1)
            end->how = KILLED;
        else if (sscanf(property->text, "status %u", &end->number) == 1)
            end->how = STATUS;
        else if (g_str_equal(property->text, "exited without MPI_Finalize"))
            end->how = WITHOUT_FINALIZE;
    }
    return found != NULL;
}

static uint64_t value_of(const XtfSchema *schema, const char *name, const uint8_t *row, uint64_t none)
{
    const XtfField *field = xtf_schema_field(schema, name);

    return field && !xtf_field_is_none(field, row) ? xtf_field_get(field, row) : none;
}

static bool read_pending(Ends *ends, const XtfLocation *location, const XtfArray *array, GError **error)
{
    g_autofree uint8_t *row = g_malloc(array->schema->row_size);
    End *end = find_end(ends, location->proc);
    const XtfRanks *ranks = xtf_trace_context_ranks(ends->job->views->context, error);

    if (!ranks || !xtf_array_row(array, array->n_rows - 1, row, error))
        return false;
    if (!end || end->is_pending) /* the first thread of those that wait stands for the process */
        return true;
    uint64_t peer = value_of(array->schema, "peer", row, NO_PROC), comm = value_of(array->schema, "comm", row, NO_PROC);
    end->is_pending = true;
    end->region = value_of(array->schema, "region", row, NO_REGION);
    end->since = value_of(array->schema, "since", row, 0);
    if (peer == NO_PROC || comm == NO_PROC || !xtf_ranks_proc(ranks, comm, peer, location->proc, &end->peer))
        end->peer = NO_PROC;
    return true;
}

/* The region in which a process ended that ended in no call of MPI. */
static bool read_region(Ends *ends, const XtfLocation *location, const XtfLocationArrays *arrays, GError **error)
{
    End *end = find_end(ends, location->proc);
    g_auto(XtfOpenFrames) open = {0};
    XtfAggregateRef frames;

    if (!end || end->how == FINISHED || location->thread != 0 ||
        !xtf_aggregate_ref_frames(&frames, ends->job->views->context))
        return true;
    if (!xtf_open_frames_at_end(&open, arrays, &frames, error))
        return false;
    if (open.n > 0)
        end->region = open.frames[open.n - 1].key;
    return true;
}

static bool read_locations(Ends *ends, GError **error)
{
    const XtfSelectedLocations *locations = &ends->job->locations;
    g_auto(XtfLocationArrays) arrays = {0};

    for (uint32_t i = 0; i < locations->n; i++) {
        const XtfLocation *location = xtf_selected_location(locations, i);
        if (!xtf_location_arrays_load(&arrays, ends->job->views->context, location, error))
            return false;
        const XtfArray *array = ends->pending ? xtf_location_arrays_find(&arrays, ends->pending) : NULL;
        if (array ? !read_pending(ends, location, array, error) : !read_region(ends, location, &arrays, error))
            return false;
    }
    return true;
}

/* ---- Who is to blame. */

/* Signals that a process brings upon itself. */
static bool is_fault(unsigned number)
{
    return number == SIGILL || number == SIGTRAP || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
           number == SIGSEGV || number == SIGSYS || number == SIGXCPU || number == SIGXFSZ;
}

static char *name_of(const Ends *ends, uint64_t region, GError **error)
{
    const XtfField *name = ends->regions ? xtf_schema_field(ends->regions->schema, "name") : NULL;
    char text[NAME_WIDTH + 1] = "";
    const char *raw;

    if (!name || region >= ends->regions->n_rows)
        return g_strdup("a call");
    const uint8_t *row = ends->regions->rows + region * ends->regions->schema->row_size;
    if (!xtf_trace_string(ends->job->views->context->trace, (uint32_t)xtf_field_get(name, row), &raw, error))
        return NULL;
    xtf_text_put(text, xtf_text_width(raw, false, NAME_WIDTH), raw, false, region);
    return xtf_finding_name(text);
}

static bool is_aborting(const Ends *ends, const End *end)
{
    g_autofree char *name = end->is_pending ? name_of(ends, end->region, NULL) : NULL;

    return name && g_str_equal(name, "MPI_Abort");
}

typedef bool (*Blames)(const Ends *ends, const End *end);

static bool has_fault(const Ends *ends, const End *end)
{
    return end->how == KILLED && is_fault(end->number);
}

/* It ended outside of MPI, and no launcher ended it, while others were in calls. */
static bool has_left(const Ends *ends, const End *end)
{
    return ends->pending && !end->is_pending && (end->how == STATUS || end->how == WITHOUT_FINALIZE);
}

/* Those who ended first, as far as the way tells in which they ended; a new array of pointers, which may be empty. */
static GPtrArray *find_culprits(const Ends *ends)
{
    static const Blames blames[] = {has_fault, is_aborting, has_left};
    GPtrArray *culprits = g_ptr_array_new();

    for (unsigned i = 0; i < G_N_ELEMENTS(blames) && culprits->len == 0; i++)
        for (uint32_t j = 0; j < ends->n; j++)
            if (ends->ends[j].how != FINISHED && blames[i](ends, &ends->ends[j]))
                g_ptr_array_add(culprits, &ends->ends[j]);
    return culprits;
}

/* ---- Sentences. */

static uint64_t proc_of(const GPtrArray *ends, guint i)
{
    return ((const End *)ends->pdata[i])->proc;
}

static uint64_t peer_of(const GPtrArray *ends, guint i)
{
    return ((const End *)ends->pdata[i])->peer;
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

static void add_how(GString *text, const End *end, bool many)
{
    if (end->how == KILLED)
        g_string_append_printf(text, " %s killed by signal %u", many ? "were" : "was", end->number);
    else if (end->how == STATUS)
        g_string_append_printf(text, " ended with status %u", end->number);
    else
        g_string_append(text, " ended without MPI_Finalize");
}

/* " in validate (solver.c:41)" */
static bool tell_region(const Ends *ends, uint64_t region, GString *text, GError **error)
{
    g_autofree char *name = name_of(ends, region, error), *source = NULL;

    if (!name || !xtf_finding_source(ends->job, region, &source, error))
        return false;
    g_string_append_printf(text, " in %s%s", name, source);
    return true;
}

/* Those of one way to end, and where if they ended in one region. */
static bool tell_culprits(const Ends *ends, const GPtrArray *culprits, GString *text, GError **error)
{
    g_autoptr(GPtrArray) alike = g_ptr_array_new();
    const End *first = culprits->pdata[0];

    for (guint i = 0; i < culprits->len; i++) {
        const End *end = culprits->pdata[i];
        if (end->how == first->how && end->number == first->number && end->region == first->region)
            g_ptr_array_add(alike, culprits->pdata[i]);
    }
    add_list(text, alike, proc_of);
    add_how(text, first, alike->len > 1);
    if (first->region == NO_REGION)
        g_string_append(text, " outside of all recorded calls");
    else if (!tell_region(ends, first->region, text, error))
        return false;
    if (alike->len < culprits->len)
        g_string_append_printf(text, ", and %u more ended so", culprits->len - alike->len);
    return true;
}

/* All those that were ended from outside, if one way is that of all. */
static void tell_ended(const Ends *ends, GString *text)
{
    g_autoptr(GPtrArray) ended = g_ptr_array_new();
    const End *first = NULL;
    bool alike = true;

    for (uint32_t i = 0; i < ends->n; i++) {
        const End *end = &ends->ends[i];
        if (end->how == FINISHED)
            continue;
        first = first ? first : end;
        alike &= end->how == first->how && end->number == first->number;
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
static bool tell_call(const Ends *ends, const GPtrArray *waiting, GString *text, GError **error)
{
    const XtfTimeScale *scale = &ends->job->views->context->scale;
    const End *first = waiting->pdata[0];
    uint64_t since = 0;
    bool known = true, one = true;
    g_autofree char *name = name_of(ends, first->region, error);

    if (!name)
        return false;
    for (guint i = 0; i < waiting->len; i++) {
        const End *end = waiting->pdata[i];
        since = MAX(since, end->since);
        known &= end->peer != NO_PROC;
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

static int compare_size(const void *a, const void *b)
{
    const GPtrArray *x = *(GPtrArray *const *)a, *y = *(GPtrArray *const *)b;

    return x->len != y->len ? (x->len < y->len ? 1 : -1) : compare_proc(&((End *)x->pdata[0])->proc, y->pdata[0]);
}

/* Those who waited, by the function in which they did: new arrays, the longest first. */
static GPtrArray *find_calls(const Ends *ends, const GPtrArray *culprits)
{
    GPtrArray *calls = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    g_autoptr(GHashTable) by_region = g_hash_table_new(g_int64_hash, g_int64_equal);

    for (uint32_t i = 0; i < ends->n; i++) {
        End *end = &ends->ends[i];
        if (!end->is_pending || g_ptr_array_find((GPtrArray *)culprits, end, NULL))
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

/* Processes each of which waits for the next one, and the last for the first: "; processes 0 and 1 wait for each
 * other". `on` is the walk in which a process was met. */
static void tell_circle(const Ends *ends, GString *text)
{
    g_autofree uint32_t *on = g_new0(uint32_t, ends->n + 1);

    for (uint32_t i = 0; i < ends->n; i++) {
        const End *end = &ends->ends[i];
        while (end && end->is_pending && on[end - ends->ends] == 0) {
            on[end - ends->ends] = i + 1;
            end = end->peer == NO_PROC ? NULL : find_end(ends, end->peer);
        }
        if (!end || !end->is_pending || on[end - ends->ends] != i + 1)
            continue;
        g_autoptr(GPtrArray) circle = g_ptr_array_new();
        for (const End *at = end; circle->len == 0 || at != end; at = find_end(ends, at->peer))
            g_ptr_array_add(circle, (void *)at);
        if (circle->len < 2)
            continue;
        g_string_append(text, "; ");
        add_list(text, circle, proc_of);
        g_string_append(text, " wait for each other");
        return;
    }
}

static bool tell(const Ends *ends, const XtfFindingRule *rule, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GPtrArray) culprits = find_culprits(ends), calls = find_calls(ends, culprits);

    if (culprits->len == 0 && calls->len == 0)
        return true;
    if (culprits->len == 0)
        tell_ended(ends, text);
    else if (!tell_culprits(ends, culprits, text, error))
        return false;
    for (guint i = 0; i < MIN(calls->len, CALLS_MAX); i++)
        if (!tell_call(ends, calls->pdata[i], text, error))
            return false;
    if (culprits->len == 0)
        tell_circle(ends, text);
    const XtfFinding place = {.type = ends->pending ? "pending" : NULL, .table = ends->pending ? "records" : "stack"};
    xtf_finding_add(ends->job, rule, 1, &place, "%s", text->str);
    return true;
}

/* Of the whole run, unless it goes on: nothing is compared with the threshold. */
bool xtf_rule_crash(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    Ends ends = {.job = job, .n = job->locations.n_procs, .pending = pending_of(job)};

    if (!job->is_whole_run || job->goes_on || !xtf_finding_is_of_processes(job))
        return true;
    g_autofree End *all = ends.ends = g_new0(End, ends.n + 1);
    for (uint32_t i = 0; i < ends.n; i++)
        ends.ends[i] = (End){.proc = job->locations.procs[i].proc, .peer = NO_PROC, .region = NO_REGION};
    if (!read_properties(&ends, error))
        return false;
    bool any = ends.pending != NULL;
    for (uint32_t i = 0; i < ends.n; i++)
        any |= ends.ends[i].how == KILLED;
    if (!any)
        return true;
    return xtf_trace_table(job->views->context->trace, XTF_TABLE_REGIONS, &ends.regions, error) &&
           read_locations(&ends, error) && tell(&ends, rule, error);
}
