#include "src/pictures/findings/process-ends.h"

#include "libxtf/trace.h"
#include "src/model/schemas.h"
#include "src/trace/calls/open-frames.h"
#include "src/trace/calls/pending-call.h"
#include "src/trace/text/escape.h"

enum { NAME_WIDTH = 80 /* bytes of a region's name */ };

static const XtfSchema *pending_of(const XtfFindingJob *job)
{
    const XtfSchema *pending = xtf_trace_context_schema(job->views->context, "pending", XTF_SCHEMA_RECORD);

    return pending && xtf_trace_n_rows(job->views->context->trace, pending->id) > 0 ? pending : NULL;
}

/* Sets *any if the records of a location end in a call of MPI. */
static bool find_any_pending(const XtfFindingJob *job, bool *any, GError **error)
{
    const XtfSchema *pending = pending_of(job);
    g_auto(XtfLocationArrays) arrays = {0};
    XtfAggregateRef frames;
    XtfPendingCall call;

    *any = false;
    if (!pending || !xtf_aggregate_ref_frames(&frames, job->views->context))
        return true;
    for (uint32_t i = 0; i < job->locations.n && !*any; i++) {
        const XtfLocation *location = xtf_selected_location(&job->locations, i);
        if (!xtf_location_arrays_load(&arrays, job->views->context, location, error) ||
            !xtf_pending_call_find(&arrays, pending, frames.schema, &call, error))
            return false;
        *any = call.array != NULL;
    }
    return true;
}

bool xtf_finding_ended_in_calls(const XtfFindingJob *job, bool *ended, GError **error)
{
    return find_any_pending(job, ended, error);
}

XtfProcessEnd *xtf_process_end_find(const XtfProcessEnds *ends, uint64_t proc)
{
    uint32_t index;

    return xtf_selected_process_find(&ends->job->locations, proc, &index) ? &ends->ends[index] : NULL;
}

static bool read_ends(XtfProcessEnds *ends, GError **error)
{
    g_autoptr(GArray) stated = xtf_stated_ends(ends->job->views->context->trace, error);

    for (guint i = 0; stated && i < stated->len; i++) {
        const XtfStatedEnd *one = &g_array_index(stated, XtfStatedEnd, i);
        XtfProcessEnd *end = xtf_process_end_find(ends, one->proc);
        if (!end)
            continue;
        end->kind = one->kind;
        end->number = one->number;
    }
    return stated != NULL;
}

static uint64_t field_value_or(const XtfSchema *schema, const char *name, const uint8_t *row, uint64_t none)
{
    const XtfField *field = xtf_schema_field(schema, name);

    return xtf_field_get_or(field, row, none);
}

char *xtf_process_end_region(const XtfProcessEnds *ends, uint64_t region, GError **error)
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

char *xtf_process_ends_called(const XtfProcessEnds *ends, const GPtrArray *some, GError **error)
{
    g_autofree double *weights = g_new0(double, ends->sites->n + 1);

    for (guint i = 0; i < some->len; i++) {
        const XtfProcessEnd *end = some->pdata[i];
        if (end->site < ends->sites->n)
            weights[end->site]++;
    }
    XtfMainSites main = xtf_main_sites(ends->sites, weights, UINT32_MAX);
    return xtf_main_sites_words(&main, ends->job->views->context, error);
}

/* Finds the site of the call of a region that a thread never left; UINT32_MAX if there is none. */
static bool find_last_site(const XtfProcessEnds *ends, const XtfLocationArrays *arrays, uint64_t region, uint32_t *site,
                           GError **error)
{
    g_auto(XtfOpenFrames) open = {0};
    XtfAggregateRef by_site;

    *site = UINT32_MAX;
    if (!ends->sites->n || !xtf_aggregate_ref_frames_by_site(&by_site, ends->job->views->context))
        return true;
    if (!xtf_open_frames_at_end(&open, arrays, &by_site, error))
        return false;
    uint64_t innermost = open.n > 0 ? open.frames[open.n - 1].key : UINT64_MAX;
    if (innermost < ends->sites->n && ends->sites->regions[innermost] == region)
        *site = (uint32_t)innermost;
    return true;
}

/* Adds the call in which a thread ended. MPI_Abort has precedence over the calls of other threads. */
static bool add_pending_call(const XtfProcessEnds *ends, XtfProcessEnd *end, uint64_t since, uint64_t peer,
                             uint64_t region, uint32_t site, GError **error)
{
    bool first = end->pending++ == 0;
    g_autofree char *name = xtf_process_end_region(ends, region, error);

    if (!name)
        return false;
    end->elsewhere |= end->threads > 1 && region != end->region;
    end->peer = first || peer == end->peer ? peer : XTF_END_NO_PROC;
    if (first || g_str_equal(name, "MPI_Abort")) {
        end->region = region;
        end->site = site;
        end->since = since;
    }
    return true;
}

static bool read_pending(const XtfProcessEnds *ends, const XtfLocation *location, XtfProcessEnd *end,
                         const XtfLocationArrays *arrays, const XtfPendingCall *call, GError **error)
{
    const XtfArray *array = call->array;
    g_autofree uint8_t *row = g_malloc(array->schema->row_size);
    const XtfRanks *ranks = xtf_trace_context_ranks(ends->job->views->context, error);

    if (!ranks || !xtf_array_row(array, call->n, row, error))
        return false;
    uint64_t peer = field_value_or(array->schema, "peer", row, XTF_END_NO_PROC),
             comm = field_value_or(array->schema, "comm", row, XTF_END_NO_PROC);
    uint64_t proc = XTF_END_NO_PROC;
    if (peer == XTF_END_NO_PROC || comm == XTF_END_NO_PROC || !xtf_ranks_proc(ranks, comm, peer, location->proc, &proc))
        proc = XTF_END_NO_PROC;
    if (end->pending == 0) {
        end->comm = comm;
        end->tag = field_value_or(array->schema, "tag", row, XTF_END_NO_PROC);
    }
    uint64_t region = field_value_or(array->schema, "region", row, XTF_END_NO_REGION);
    uint32_t site;
    return find_last_site(ends, arrays, region, &site, error) &&
           add_pending_call(ends, end, field_value_or(array->schema, "since", row, 0), proc, region, site, error);
}

/* Reads the region in which a thread ended, if that is not a call of MPI. */
static bool read_region(const XtfProcessEnds *ends, const XtfLocation *location, XtfProcessEnd *end,
                        const XtfLocationArrays *arrays, const XtfAggregateRef *frames, GError **error)
{
    g_auto(XtfOpenFrames) open = {0};

    if (!xtf_end_is_failure(end->kind))
        return true;
    if (!xtf_open_frames_at_end(&open, arrays, frames, error))
        return false;
    uint64_t region = open.n > 0 ? open.frames[open.n - 1].key : XTF_END_NO_REGION;
    end->elsewhere |= end->threads > 1 && region != end->region;
    if (end->pending == 0 && location->thread == 0)
        end->region = region;
    return true;
}

/* True if a location is a thread of the program: threads of MPI have neither calls nor a begin. */
static bool is_of_program(const XtfLocationArrays *arrays, const XtfSchema *calls, const XtfSchema *threads)
{
    return xtf_location_arrays_find(arrays, calls) || (threads && xtf_location_arrays_find(arrays, threads));
}

static bool read_locations(XtfProcessEnds *ends, GError **error)
{
    const XtfSelectedLocations *locations = &ends->job->locations;
    g_auto(XtfLocationArrays) arrays = {0};
    XtfAggregateRef frames;
    bool has_frames = xtf_aggregate_ref_frames(&frames, ends->job->views->context);
    const XtfSchema *threads = xtf_trace_context_schema(ends->job->views->context, "threads", XTF_SCHEMA_RECORD);

    for (uint32_t i = 0; i < locations->n; i++) {
        const XtfLocation *location = xtf_selected_location(locations, i);
        if (!xtf_location_arrays_load(&arrays, ends->job->views->context, location, error))
            return false;
        XtfPendingCall call = {0};
        XtfProcessEnd *end = xtf_process_end_find(ends, location->proc);
        if (!end || !has_frames || !is_of_program(&arrays, frames.schema, threads))
            continue;
        end->threads++;
        if (!xtf_pending_call_find(&arrays, ends->pending, frames.schema, &call, error))
            return false;
        if (call.array ? !read_pending(ends, location, end, &arrays, &call, error)
                       : !read_region(ends, location, end, &arrays, &frames, error))
            return false;
    }
    return true;
}

bool xtf_process_ends_init(XtfProcessEnds *ends, const XtfFindingJob *job, bool *any, GError **error)
{
    *ends = (XtfProcessEnds){.job = job, .n = job->locations.n_procs};
    ends->ends = g_new0(XtfProcessEnd, ends->n + 1);
    for (uint32_t i = 0; i < ends->n; i++)
        ends->ends[i] = (XtfProcessEnd){.proc = job->locations.procs[i].proc,
                                        .peer = XTF_END_NO_PROC,
                                        .region = XTF_END_NO_REGION,
                                        .site = UINT32_MAX};
    if (!(ends->sites = xtf_trace_context_sites(job->views->context, error)) || !read_ends(ends, error) ||
        !find_any_pending(job, any, error))
        return false;
    ends->pending = *any ? pending_of(job) : NULL;
    for (uint32_t i = 0; i < ends->n; i++)
        *any |= ends->ends[i].kind == XTF_END_KILLED;
    return !*any || (xtf_trace_table(job->views->context->trace, XTF_TABLE_REGIONS, &ends->regions, error) &&
                     read_locations(ends, error));
}

void xtf_process_ends_finish(XtfProcessEnds *ends)
{
    g_clear_pointer(&ends->ends, g_free);
}
