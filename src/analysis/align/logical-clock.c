#include "src/analysis/align/logical-clock.h"

#include "src/analysis/align/simplify.h"

/* A jump of a clock. At local time `at` the clock is `after` ticks ahead of the original clock; just before it was
 * `before` ticks ahead. Backward amortisation spreads `spread` ticks of the jump over the time before. */
typedef struct {
    uint64_t at, before, after, spread;
} Jump;

typedef struct {
    const XtfProcessClocks *clocks;
    const XtfLogicalClockOptions *options;
    GArray **jumps; /* Jump, by process; times ascend */
    XtfReplay *replay;
    uint64_t distance; /* least ticks from a send to its receive */
    uint64_t n_jumps;
} Logical;

/* ---- Forwards. */

/* Returns how far, at local time t, the clock still is ahead because of a jump. */
static uint64_t remaining_jump(const Logical *logical, const Jump *jump, uint64_t t)
{
    uint64_t made_up = logical->options->amortise ? (t - jump->at) / XTF_AMORTISE : 0;
    return jump->after - MIN(made_up, jump->after);
}

/* Returns the last jump of a process at or before local time t, and in *n the number of jumps until then. No jump: NULL
 * and 0. */
static Jump *jump_at(const Logical *logical, uint32_t process, uint64_t t, guint *n)
{
    const GArray *jumps = logical->jumps[process];
    guint low = 0, high = jumps ? jumps->len : 0;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(jumps, Jump, middle).at <= t)
            low = middle + 1;
        else
            high = middle;
    }
    *n = low;
    return low > 0 ? &g_array_index(jumps, Jump, low - 1) : NULL;
}

/* Returns how far the clock is ahead. The events of a process are in order, so only the last jump counts. */
static uint64_t forward_now(const Logical *logical, uint32_t process, uint64_t t)
{
    const GArray *jumps = logical->jumps[process];
    return jumps ? remaining_jump(logical, &g_array_index(jumps, Jump, jumps->len - 1), t) : 0;
}

static uint64_t time_now(void *data, const XtfReplayEvent *at)
{
    const Logical *logical = data;
    return xtf_process_clocks_global(logical->clocks, at->process, at->time) +
           forward_now(logical, at->process, at->time);
}

/* Makes the clock jump if an event precedes its cause. */
static void jump_to(Logical *logical, const XtfReplayEvent *at, uint64_t cause)
{
    uint64_t now = time_now(logical, at), least = cause + logical->distance;
    GArray **jumps = &logical->jumps[at->process];

    if (now >= least)
        return;
    uint64_t before = forward_now(logical, at->process, at->time);
    if (!*jumps)
        *jumps = g_array_new(FALSE, FALSE, sizeof(Jump));
    Jump *last = (*jumps)->len > 0 ? &g_array_index(*jumps, Jump, (*jumps)->len - 1) : NULL;
    Jump jump = {.at = at->time, .before = before, .after = before + (least - now)};
    if (last && last->at == at->time) {
        last->after = jump.after;
        return;
    }
    g_array_append_val(*jumps, jump);
    logical->n_jumps++;
}

static void jump_at_receive(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    if (message->send.process != at->process)
        jump_to(data, at, message->value);
}

static void jump_at_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    uint64_t latest;

    if (xtf_replay_latest(collective, rank, &latest))
        jump_to(data, at, latest);
}

/* ---- Backwards: limits of the spread of each jump, by the clocks of the forward pass. */

static uint64_t time_after_jumps(void *data, const XtfReplayEvent *at)
{
    const Logical *logical = data;
    guint n;
    const Jump *jump = jump_at(logical, at->process, at->time, &n);
    return xtf_process_clocks_global(logical->clocks, at->process, at->time) +
           (jump ? remaining_jump(logical, jump, at->time) : 0);
}

/* Limits the spread of the next jump after `time`, so that it moves a send at `time` forward by at most `room`
 * ticks. */
static void limit_spread(Logical *logical, uint32_t process, uint64_t time, uint64_t room)
{
    const GArray *jumps = logical->jumps[process];
    guint n;

    jump_at(logical, process, time, &n);
    if (!jumps || n == jumps->len)
        return;
    Jump *next = &g_array_index(jumps, Jump, n);
    next->spread = MIN(next->spread, room + (next->at - time) / XTF_AMORTISE);
}

static uint64_t room_before(const Logical *logical, uint64_t effect, uint64_t cause)
{
    return effect > cause + logical->distance ? effect - cause - logical->distance : 0;
}

static void limit_by_receive(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    if (message->send.process != at->process)
        limit_spread(data, message->send.process, message->send.time,
                     room_before(data, time_after_jumps(data, at), message->value));
}

/* Limits the spread of the jump after a member's begin: the begin must stay before an end, at time `now`, that needs
 * it. */
static void limit_beginning(Logical *logical, const XtfReplayMember *member, uint64_t now)
{
    limit_spread(logical, member->begin.process, member->begin.time, room_before(logical, now, member->value));
}

/* Limits the spreads at begins: a begin must stay before the earliest end that needs it. With all to all, that is the
 * earliest end of all members that receive data. `scratch` is UINT64_MAX minus the time of that end. */
static void limit_by_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    uint64_t now = time_after_jumps(data, at);

    if (collective->pattern == XTF_REPLAY_ALL_TO_ALL) {
        if (collective->members[rank].receives)
            collective->scratch = MAX(collective->scratch, UINT64_MAX - now);
        if (collective->n_ended + 1 < collective->n_members)
            return;
        now = UINT64_MAX - collective->scratch;
        for (uint32_t i = 0; i < collective->n_members; i++)
            if (collective->members[i].begun && collective->members[i].sends)
                limit_beginning(data, &collective->members[i], now);
        return;
    }
    uint32_t from = collective->pattern == XTF_REPLAY_ONE_TO_ALL ? collective->root : 0;
    uint32_t to = collective->pattern == XTF_REPLAY_ONE_TO_ALL ? from + 1
                  : collective->pattern == XTF_REPLAY_SCAN     ? rank
                  : rank == collective->root                   ? collective->n_members
                                                               : 0;
    for (uint32_t i = from; i < to; i++)
        if (xtf_replay_needs(collective, rank, i))
            limit_beginning(data, &collective->members[i], now);
}

static bool find_spreads(Logical *logical, GError **error)
{
    const XtfReplayConsumer consumer = {.data = logical,
                                        .send = time_after_jumps,
                                        .begin = time_after_jumps,
                                        .receive = limit_by_receive,
                                        .end = limit_by_end};
    XtfReplayCounts counts;

    for (uint32_t i = 0; i < logical->clocks->n; i++) {
        uint64_t before = xtf_replay_process(logical->replay, i)->first;
        for (guint j = 0; logical->jumps[i] && j < logical->jumps[i]->len; j++) {
            Jump *jump = &g_array_index(logical->jumps[i], Jump, j);
            uint64_t room = jump->at > before + 1 ? (jump->at - before - 1) / XTF_AMORTISE : 0;
            jump->spread = MIN(jump->after - jump->before, room);
            before = jump->at;
        }
    }
    return xtf_replay_run(logical->replay, &consumer, &counts, error);
}

/* ---- The line. */

/* Returns how far the clock is ahead at local time t. `jump` is the last jump until then, or NULL; `next` is the jump
 * after it. */
static uint64_t forward_of(const Logical *logical, const Jump *jump, const Jump *next, uint64_t t)
{
    uint64_t forward = jump ? remaining_jump(logical, jump, t) : 0;

    if (next && next->at - t < next->spread * XTF_AMORTISE)
        forward += next->spread - (next->at - t + XTF_AMORTISE - 1) / XTF_AMORTISE;
    return forward;
}

static int compare_times(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns the times at which the line may have a corner: the process's first and last record, knots of the original
 * clock, and jumps. The begin and the end of their amortisation are corners, too. */
static GArray *find_corners(const Logical *logical, uint32_t process)
{
    const XtfClockMap *map = &logical->clocks->maps[process];
    const XtfReplayProcess *times = xtf_replay_process(logical->replay, process);
    const GArray *jumps = logical->jumps[process];
    GArray *corners = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    g_array_append_val(corners, times->first);
    g_array_append_val(corners, times->last);
    for (uint32_t i = 0; i < map->n_knots; i++)
        g_array_append_val(corners, map->knots[i].local);
    for (guint i = 0; i < jumps->len; i++) {
        const Jump *jump = &g_array_index(jumps, Jump, i);
        uint64_t before = jump->at - 1, begin = jump->at - jump->spread * XTF_AMORTISE;
        g_array_append_val(corners, jump->at);
        if (jump->at > times->first)
            g_array_append_val(corners, before);
        if (jump->spread > 0)
            g_array_append_val(corners, begin);
        if (logical->options->amortise && jump->after < (times->last - jump->at) / XTF_AMORTISE) {
            uint64_t jump_over = jump->at + jump->after * XTF_AMORTISE;
            g_array_append_val(corners, jump_over);
        }
    }
    g_array_sort(corners, compare_times);
    return corners;
}

static GArray *make_line(const Logical *logical, uint32_t process)
{
    g_autoptr(GArray) corners = find_corners(logical, process);
    GArray *points = g_array_new(FALSE, TRUE, sizeof(XtfClockKnot));
    const GArray *jumps = logical->jumps[process];
    const Jump *jump = NULL, *next = &g_array_index(jumps, Jump, 0), *end = next + jumps->len;

    for (guint i = 0; i < corners->len; i++) {
        XtfClockKnot point = {.local = g_array_index(corners, uint64_t, i)};
        if (i > 0 && point.local == g_array_index(corners, uint64_t, i - 1))
            continue;
        for (; next < end && next->at <= point.local; next++)
            jump = next;
        point.global = xtf_process_clocks_global(logical->clocks, process, point.local) +
                       forward_of(logical, jump, next < end ? next : NULL, point.local);
        g_array_append_val(points, point);
    }
    return points;
}

static void set_lines(const Logical *logical, XtfProcessClocks *clocks)
{
    for (uint32_t i = 0; i < clocks->n; i++)
        if (logical->jumps[i])
            xtf_process_clocks_set(clocks, i, xtf_simplify_line(make_line(logical, i), logical->options->tolerance));
}

bool xtf_logical_clock(XtfReplay *replay, XtfProcessClocks *clocks, const XtfLogicalClockOptions *options,
                       uint64_t *n_jumps, GError **error)
{
    g_autofree GArray **jumps = g_new0(GArray *, clocks->n + 1);
    Logical logical = {
        .clocks = clocks,
        .options = options,
        .jumps = jumps,
        .replay = replay,
        .distance = options->latency + 2 * options->tolerance,
    };
    const XtfReplayConsumer consumer = {
        .data = &logical, .send = time_now, .begin = time_now, .receive = jump_at_receive, .end = jump_at_end};
    XtfReplayCounts counts;
    bool good = xtf_replay_run(replay, &consumer, &counts, error);

    good = good && (!options->amortise || logical.n_jumps == 0 || find_spreads(&logical, error));
    if (good) {
        set_lines(&logical, clocks);
        *n_jumps = logical.n_jumps;
    }
    for (uint32_t i = 0; i < clocks->n; i++)
        if (jumps[i])
            g_array_unref(jumps[i]);
    return good;
}
