/* Functions that all files of the forward pass use. */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/analysis/formulas/blocks.h"
#include "src/analysis/formulas/clock-count.h"
#include "src/analysis/waits/find-private.h"
#include "src/model/wait-kinds.h"

XtfPoint xtf_find_point(const XtfEnd *end, uint8_t kind, XtfPointSide side)
{
    return (XtfPoint){
        .seq = end->seq,
        .time = end->time,
        .enter = end->enter,
        .leave = end->leave == UINT64_MAX ? end->time : end->leave,
        .end = end->time,
        .instance = UINT64_MAX,
        .match = UINT64_MAX,
        .bytes = UINT64_MAX,
        .partner = UINT32_MAX,
        .region = end->region,
        .callpath = end->callpath,
        .comm = UINT32_MAX,
        .tag = UINT32_MAX,
        .kind = kind,
        .side = (uint8_t)side,
        .part_kind = UINT8_MAX,
    };
}

uint32_t xtf_find_process(const XtfFind *find, uint32_t location)
{
    return xtf_block_of(find->first_location, xtf_replay_n_processes(find->replay), location);
}

uint32_t *xtf_find_first_locations(const XtfReplay *replay, unsigned n_ranks)
{
    g_autofree uint32_t *by_process = xtf_replay_first_locations(replay), *borders = xtf_replay_divide(replay, n_ranks);
    uint32_t *first = g_new(uint32_t, n_ranks + 1);

    for (unsigned i = 0; i <= n_ranks; i++)
        first[i] = by_process[borders[i]];
    return first;
}

static void route_point(XtfFind *find, XtfFindLetter letter, uint32_t location, const XtfPoint *point)
{
    if (find->error)
        return;
    if (xtf_find_owns(find, location)) {
        xtf_raw_points_add(letter == XTF_FIND_POINT ? find->raw : &find->shared->candidates, location, point,
                           &find->error);
        return;
    }
    XtfFindPointLetter *written =
        xtf_replay_share_write(find->share, xtf_find_process(find, location), sizeof *written);
    written->letter = letter;
    written->location = location;
    written->point = *point;
}

void xtf_find_add(XtfFind *find, uint32_t location, const XtfPoint *point)
{
    route_point(find, XTF_FIND_POINT, location, point);
}

void xtf_find_add_candidate(XtfFind *find, uint32_t location, const XtfPoint *point)
{
    route_point(find, XTF_FIND_CANDIDATE, location, point);
}

bool xtf_find_destroys(const XtfFind *find, uint32_t operation)
{
    const XtfSchema *schema = xtf_trace_find_schema(xtf_replay_context(find->replay)->trace, XTF_RECORD_COLLECTIVES);
    const XtfField *field = schema ? xtf_schema_field(schema, "operation") : NULL;

    return field && operation < field->n_labels && g_str_has_prefix(field->labels[operation], "DE");
}

bool xtf_found_contradicts(const XtfFound *found)
{
    return xtf_clock_count_contradicts(&(XtfClockCount){.judged = found->judged, .impossible = found->violations});
}

unsigned xtf_found_completion(const XtfPoint *point)
{
    unsigned number = xtf_wait_kinds[point->kind].completion;

    return point->completion <= 0 || number == 0 ? XTF_N_WAIT_KINDS : number - 1;
}

void xtf_found_count(XtfFound *found, const XtfPoint *point)
{
    unsigned completion = xtf_found_completion(point);

    found->waits[point->kind] += point->wait > 0;
    found->amounts[point->kind] += point->wait;
    if (completion < XTF_N_WAIT_KINDS) {
        found->waits[completion]++;
        found->amounts[completion] += (uint64_t)point->completion;
    }
}
