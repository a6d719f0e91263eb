#include <string.h>

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

/* Finds the last ENTER and the first LEAVE of the locations that this process knows. */
static Bound find_entered(const XtfFind *find, bool init)
{
    Bound entered = {.first_end = UINT64_MAX};
    XtfReplayBound bound;

    for (uint32_t p = 0; p < xtf_replay_n_processes(find->replay); p++)
        for (uint32_t l = 0; l < xtf_replay_process(find->replay, p)->n_locations; l++) {
            if (!bound_of(find, p, l, init, &bound))
                continue;
            if (entered.n++ == 0 || bound.enter > entered.last)
                entered = (Bound){bound.enter,     entered.first_end, find->first_location[p] + l,
                                  bound.leave_seq, bound.leave_row,   entered.n};
            entered.first_end = MIN(entered.first_end, bound.leave);
        }
    return entered;
}

/* Joins the bounds of all ranks, whose locations are in the order of the ranks. */
static void join_entered(XtfWorld *world, Bound *entered)
{
    g_autoptr(GBytes) own = g_bytes_new(entered, sizeof *entered);
    g_autoptr(GPtrArray) all = xtf_world_gather(world, own);

    for (guint i = 1; all && i < all->len; i++) {
        Bound of_rank, before = *entered;
        memcpy(&of_rank, g_bytes_get_data(all->pdata[i], NULL), sizeof of_rank);
        if (of_rank.n > 0 && (before.n == 0 || of_rank.last > before.last))
            *entered = of_rank;
        entered->first_end = MIN(before.first_end, of_rank.first_end);
        entered->n = before.n + of_rank.n;
    }
    g_autoptr(GBytes) joined = g_bytes_new(entered, sizeof *entered), shared = xtf_world_broadcast(world, joined);
    memcpy(entered, g_bytes_get_data(shared, NULL), sizeof *entered);
}

static void add_bound_point(XtfFind *find, bool init, uint32_t location, const XtfReplayBound *bound,
                            const Bound *entered)
{
    const XtfEnd end = {.seq = bound->leave_seq,
                        .time = bound->leave,
                        .enter = bound->enter,
                        .leave = bound->leave,
                        .location = location,
                        .region = bound->region,
                        .callpath = bound->callpath};
    XtfPoint point = xtf_find_point(&end, init ? XTF_LABEL_init_completion : XTF_LABEL_finalize_wait, XTF_POINT_WORLD);

    xtf_find_wait(&point, bound->enter, bound->leave, entered->last, entered->first_end);
    if (init)
        point.wait = 0; /* the cause is unknown: nothing is recorded before MPI_Init */
    point.instance = UINT64_MAX - 1 - init;
    if (location != entered->latest) {
        point.partner = entered->latest;
        point.partner_seq = entered->latest_seq;
        point.match = init ? UINT64_MAX : entered->latest_row;
    }
    xtf_find_add(find, location, &point);
}

static void find_bound_waits(XtfFind *find, bool init)
{
    XtfWorld *world = xtf_replay_world(find->replay);
    Bound entered = find_entered(find, init);
    XtfReplayBound bound;

    if (world)
        join_entered(world, &entered);
    for (uint32_t p = 0; entered.n > 1 && p < xtf_replay_n_processes(find->replay); p++)
        for (uint32_t l = 0; l < xtf_replay_process(find->replay, p)->n_locations; l++)
            if (bound_of(find, p, l, init, &bound))
                add_bound_point(find, init, find->first_location[p] + l, &bound, &entered);
}

/* ---- The pass. */

static bool shared_init(XtfFindShared *shared, GError **error)
{
    shared->first_location = xtf_replay_first_locations(shared->replay);
    shared->by_location = g_new0(XtfFindLocation, shared->first_location[xtf_replay_n_processes(shared->replay)] + 1);
    shared->operations = g_hash_table_new_full(NULL, NULL, g_free, NULL);
    g_mutex_init(&shared->lock);
    return xtf_find_candidates_init(shared, error);
}

static void shared_finish(XtfFindShared *shared)
{
    for (uint32_t i = 0; i < shared->first_location[xtf_replay_n_processes(shared->replay)]; i++) {
        g_clear_pointer(&shared->by_location[i].recent, g_array_unref);
        g_clear_pointer(&shared->by_location[i].taken, g_array_unref);
    }
    g_free(shared->by_location);
    g_free(shared->first_location);
    xtf_raw_points_finish(&shared->candidates);
    g_hash_table_unref(shared->operations);
    g_mutex_clear(&shared->lock);
}

static void find_init(XtfFind *find, XtfFindShared *shared, uint32_t first_process, uint32_t end_process)
{
    *find = (XtfFind){.shared = shared,
                      .first = shared->first_location[first_process],
                      .end = shared->first_location[end_process],
                      .replay = shared->replay,
                      .raw = shared->raw,
                      .beside = shared->beside,
                      .first_location = shared->first_location,
                      .by_location = shared->by_location};
    xtf_find_messages_init(find);
    xtf_find_progress_init(find);
}

static void find_finish(XtfFind *find)
{
    xtf_find_messages_finish(find);
    xtf_find_progress_finish(find);
    g_clear_error(&find->error);
}

static void join_share(void *find, XtfReplayShare *share)
{
    ((XtfFind *)find)->share = share;
}

static void read_received(XtfFind *find, const XtfFindReceivedLetter *letter)
{
    XtfSent *message = xtf_find_sent_of(find, letter->value);

    message->recv = letter->recv;
    message->recv_row = letter->recv_row;
    message->comm = letter->comm;
    message->tag = letter->tag;
    xtf_find_received(find, message, &letter->posting);
}

static void read_letter(void *data, const void *letter, uint32_t n_bytes)
{
    XtfFind *find = data;
    const XtfFindPointLetter *point = letter;
    const XtfFindDroppedLetter *dropped = letter;

    switch (*(const uint32_t *)letter) {
    case XTF_FIND_POINT:
        xtf_find_add(find, point->location, &point->point);
        break;
    case XTF_FIND_CANDIDATE:
        xtf_find_add_candidate(find, point->location, &point->point);
        break;
    case XTF_FIND_RECEIVED:
        read_received(find, letter);
        break;
    case XTF_FIND_DROPPED:
        xtf_find_drop(find, dropped->value);
        break;
    case XTF_FIND_COMPLETION:
        xtf_find_read_completion(find, letter);
        break;
    }
}

/* Ends the work of a rank. First the calls that wait for several messages end, then the candidates of all ranks are
 * judged. Both may write letters. */
static bool finish_in_job(void *data)
{
    XtfFind *find = data;

    if (find->n_finished == 0) {
        xtf_find_messages_end(find);
    } else if (find->n_finished == 1) {
        xtf_find_progress_sum(find, find->shared->world);
        if (!find->error)
            xtf_find_progress_end(find, &find->error);
    }
    return find->n_finished++ < 2;
}

static XtfReplayConsumer consumer_of(XtfFind *find)
{
    return (XtfReplayConsumer){
        .data = find,
        .send = xtf_find_send,
        .begin = xtf_find_begin,
        .receive = xtf_find_receive,
        .end = xtf_find_operation_end,
        .post = xtf_find_post,
        .probe = xtf_find_probe,
        .sent = xtf_find_sent,
        .drop = xtf_find_drop,
        .drop_posting = xtf_find_drop_posting,
        .join = join_share,
        .described_bytes = XTF_FIND_DESCRIBED_BYTES,
        .describe = xtf_find_describe,
        .adopt = xtf_find_adopt,
        .end_bytes = sizeof(XtfEnd),
        .describe_end = xtf_find_describe_end,
        .ended = xtf_find_operation_ended,
        .finish = finish_in_job,
        .read = read_letter,
    };
}

/* Ends the work of all shares, and adds their counts to the first one, which then has all locations. */
static void join_shares(XtfFind *finds, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        finds[i].first = 0;
        finds[i].end = UINT32_MAX;
        xtf_find_messages_end(&finds[i]);
        if (i == 0)
            continue;
        finds[0].found.judged += finds[i].found.judged;
        finds[0].found.violations += finds[i].found.violations;
        xtf_find_progress_join(&finds[0], &finds[i]);
    }
}

static bool move_error(XtfFind *finds, uint32_t n, GError **error)
{
    for (uint32_t i = 0; i < n; i++) {
        if (finds[i].error) {
            g_propagate_error(error, g_steal_pointer(&finds[i].error));
            return false;
        }
    }
    return true;
}

/* Runs the shares of this process. */
static bool run_shares(XtfFindShared *shared, const uint32_t *borders, uint32_t n_shares, XtfFind *finds, uint32_t n,
                       XtfFound *found, GError **error)
{
    g_autofree XtfReplayConsumer *consumers = g_new(XtfReplayConsumer, n);
    XtfReplayCounts counts;

    for (uint32_t i = 0; i < n; i++)
        consumers[i] = consumer_of(&finds[i]);
    if (!xtf_replay_run_shares(shared->replay, borders, n_shares, consumers, &counts, error) ||
        !move_error(finds, n, error))
        return false;
    if (!shared->world) {
        join_shares(finds, n);
        if (!xtf_find_progress_end(&finds[0], error) || !move_error(finds, n, error))
            return false;
    }
    *found = finds[0].found;
    found->counts = counts;
    return true;
}

bool xtf_find_waits(XtfReplay *replay, const uint32_t *borders, uint32_t n_shares, XtfRawPoints *raw,
                    const XtfReplayConsumer *beside, XtfSteps *steps, XtfFound *found, GError **error)
{
    const XtfReplayLocal local = xtf_replay_local(replay, n_shares);
    XtfFindShared shared = {.replay = replay,
                            .world = xtf_replay_world(replay),
                            .raw = raw,
                            .beside = beside,
                            .candidates = {.spool = XTF_SPOOL_NONE, .operations = XTF_OPERATIONS_NONE}};
    g_autofree XtfFind *finds = g_new0(XtfFind, local.n);

    *found = (XtfFound){0};
    xtf_steps_begin(steps, "replaying", 0);
    bool good = shared_init(&shared, error);
    for (uint32_t i = 0; i < local.n; i++)
        find_init(&finds[i], &shared, borders[local.first + i], borders[local.first + i + 1]);
    good = good && run_shares(&shared, borders, n_shares, finds, local.n, found, error);
    for (uint32_t i = 0; i < local.n; i++)
        find_finish(&finds[i]);
    shared_finish(&shared);
    return good;
}

bool xtf_find_other_waits(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error)
{
    g_autofree uint32_t *first_location = xtf_replay_first_locations(replay);
    XtfFind find = {.replay = replay, .raw = raw, .first_location = first_location, .end = UINT32_MAX};
    GError *own = NULL;

    find_bound_waits(&find, true);
    find_bound_waits(&find, false);
    if (move_error(&find, 1, &own) && xtf_find_kinds(replay, raw, steps, &own))
        xtf_raw_points_end(raw, &own);
    return xtf_world_have_succeeded(xtf_replay_world(replay), own, error);
}
