#include "src/analysis/waits/find-private.h"
#include "src/model/wait-kinds.h"

/* ---- MPI_Init and MPI_Finalize: points of all locations with each other. */

typedef struct {
    uint64_t last, first_end;
    uint32_t latest; /* location that entered last */
    uint64_t latest_seq, latest_row;
    uint64_t n;
} Bound;

static bool bound_of(const XtfFind *find, uint32_t process, uint32_t location, bool init, XtfReplayBound *bound)
{
    XtfReplayBounds bounds;

    xtf_replay_bounds(find->replay, process, location, &bounds);
    *bound = init ? bounds.init : bounds.finalize;
    return bound->found;
}

static void find_bound_waits(XtfFind *find, bool init)
{
    Bound entered = {.first_end = UINT64_MAX};
    XtfReplayBound bound;

    for (unsigned round = 0; round < 2; round++)
        for (uint32_t p = 0; p < xtf_replay_n_processes(find->replay); p++)
            for (uint32_t l = 0; l < xtf_replay_process(find->replay, p)->n_locations; l++) {
                uint32_t location = find->first_location[p] + l;
                if (!bound_of(find, p, l, init, &bound))
                    continue;
                if (round == 0) {
                    if (entered.n++ == 0 || bound.enter > entered.last)
                        entered = (Bound){bound.enter,     entered.first_end, location,
                                          bound.leave_seq, bound.leave_row,   entered.n};
                    entered.first_end = MIN(entered.first_end, bound.leave);
                    continue;
                }
                const XtfEnd end = {.seq = bound.leave_seq,
                                    .time = bound.leave,
                                    .enter = bound.enter,
                                    .leave = bound.leave,
                                    .location = location,
                                    .region = bound.region,
                                    .callpath = bound.callpath};
                XtfPoint point =
                    xtf_find_point(&end, init ? XTF_LABEL_init_completion : XTF_LABEL_finalize_wait, XTF_POINT_WORLD);
                xtf_find_wait(&point, bound.enter, bound.leave, entered.last, entered.first_end);
                if (init)
                    point.wait = 0; /* the cause is unknown: nothing is recorded before MPI_Init */
                point.instance = UINT64_MAX - 1 - init;
                if (location != entered.latest) {
                    point.partner = entered.latest;
                    point.partner_seq = entered.latest_seq;
                    point.match = init ? UINT64_MAX : entered.latest_row;
                }
                if (entered.n > 1)
                    xtf_find_add(find, location, &point);
            }
}

/* ---- The pass. */

static void find_init(XtfFind *find)
{
    uint32_t n = xtf_replay_n_processes(find->replay), next = 0;

    find->first_location = g_new(uint32_t, n + 1);
    for (uint32_t p = 0; p < n; p++) {
        find->first_location[p] = next;
        next += xtf_replay_process(find->replay, p)->n_locations;
    }
    find->by_location = g_new0(XtfFindLocation, next + 1);
    find->first_location[n] = next;
    xtf_find_messages_init(find);
    xtf_find_operations_init(find);
}

static void find_finish(XtfFind *find)
{
    for (uint32_t i = 0; i < find->first_location[xtf_replay_n_processes(find->replay)]; i++) {
        g_clear_pointer(&find->by_location[i].recent, g_array_unref);
        g_clear_pointer(&find->by_location[i].taken, g_array_unref);
    }
    g_free(find->by_location);
    g_free(find->first_location);
    xtf_find_messages_finish(find);
    xtf_find_progress_finish(find);
    xtf_find_operations_finish(find);
}

bool xtf_find_waits(XtfReplay *replay, XtfRawPoints *raw, const XtfReplayConsumer *beside, XtfSteps *steps,
                    XtfFound *found, GError **error)
{
    XtfFind find = {.replay = replay, .raw = raw, .beside = beside, .found = found};
    const XtfReplayConsumer consumer = {
        .data = &find,
        .send = xtf_find_send,
        .begin = xtf_find_begin,
        .receive = xtf_find_receive,
        .end = xtf_find_operation_end,
        .post = xtf_find_post,
        .probe = xtf_find_probe,
        .sent = xtf_find_sent,
        .drop = xtf_find_drop,
        .drop_posting = xtf_find_drop_posting,
    };

    *found = (XtfFound){0};
    xtf_steps_begin(steps, "replaying", 0);
    find_init(&find);
    bool good = xtf_find_progress_init(&find, error) && xtf_replay_run(replay, &consumer, &found->counts, error);
    if (good) {
        xtf_find_messages_end(&find);
        find_bound_waits(&find, true);
        find_bound_waits(&find, false);
        good = xtf_find_progress_end(&find, error);
    }
    find_finish(&find);
    if (find.error) {
        if (good)
            g_propagate_error(error, find.error);
        else
            g_error_free(find.error);
        return false;
    }
    return good && xtf_find_kinds(replay, raw, steps, error) && xtf_raw_points_end(raw, error);
}
