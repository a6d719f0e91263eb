/*
 * Waits for the other side of a message to enter MPI again, though both sides had posted before.
 *
 * MPI may move data only during calls. Location A is in the call that completes a message, from `enter` to `leave`.
 * Location B, the other side, is outside of MPI until it enters at e. A's call ends soon after e. The rule:
 *
 * - Both sides are posted from `begin` on: the later of A's enter and of the enter of the call in which B posted its
 *   side. A gap of B (a time outside of MPI of 20 us or more) ends at e, begin < e <= leave. The wait is the part of
 *   the gap after `begin`. It is at least 20 us and at least half of the time from `begin` to `leave`.
 * - B's side completes in the call that B enters at e, or later.
 * - leave - e is below a bound. The bound is 16 times the quarter of the class: the time from `begin` to completion
 *   that a quarter of its completions do not exceed. The bound is at least 20 us and at most 5 ms, in powers of 2 of
 *   ticks. A class of fewer than 4 completions has no bound.
 * - The class depends on the other side. At least 4 completions are as above, with a wait of 4 (leave - e) or longer.
 *   Their number is more than twice that of counterexamples. A counterexample takes at least as long as the wait that
 *   a quarter of them do not exceed. It ends while B has been outside of MPI for 20 us or more and has not entered it
 *   since it posted. So data moved without B: by progress threads, or by networks that fetch data. If B does not
 *   matter, more calls end before B's enter than just after it.
 * - The clocks contradict at most one message in a thousand.
 *
 * A class is the completions of the same side (A receives, or sends), posted in the same order (by A first, or by B),
 * with equally many bytes by the power of 2. The order matters, since the side that posts second may move the data at
 * once.
 *
 * A call counts by its longest such wait, after the call's other waits. The dependence of a class is known only at the
 * end. Until then a temporary file keeps the candidates by location, and the other waits of calls of 20 us or more.
 */
#include "src/analysis/waits/find-private.h"
#include "src/model/wait-kinds.h"

enum {
    SIZES = 65,                /* number of bit widths, of bytes and of ticks */
    SIDES = 4,                 /* sends that were posted first, or second; receives likewise */
    BOUND_MAX_GAPS = 250,      /* the greatest bound, in shortest gaps */
    BOUND_BITS = 4,            /* the bound is 16 times the quarter */
    COMPLETIONS_MIN = 4,       /* least completions for a bound, and for a dependence on the other side */
    SHOW_FACTOR = 4,           /* how many times longer than the time after it a wait must be to show a dependence */
    SEARCHES_PER_RELEASE = 64, /* searches in gaps between releases of their pages */
};

/* The completions of one class, counted by bits of ticks. */
typedef struct {
    uint64_t taken[SIZES];   /* all completions, by the time since both sides were posted */
    uint64_t entered[SIZES]; /* completions that show a dependence on the other side, by the wait */
    uint64_t without[SIZES]; /* counterexamples, by the time since both sides were posted */
} ProgressClass;

/* One side of a message, which completes at `own`. */
typedef struct {
    uint64_t bytes;
    uint32_t comm, tag;
    const XtfEnd *own, *partner; /* `partner`: where the other side was posted */
    uint64_t posted;             /* enter of the call in which this side was posted */
    uint64_t done;               /* enter of the call in which the other side completes */
    bool receives;
} Side;

struct XtfFindProgress {
    uint64_t gap_min, bound_max; /* ticks; bounds are below `bound_max` */
    uint32_t n_searched;
    ProgressClass classes[SIDES][SIZES];
};

static unsigned bits_of(uint64_t value)
{
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

bool xtf_find_candidates_init(XtfFindShared *shared, GError **error)
{
    uint32_t n_locations = shared->first_location[xtf_replay_n_processes(shared->replay)];

    return xtf_replay_least_gap(shared->replay) == UINT64_MAX ||
           xtf_raw_points_init(&shared->candidates, n_locations, error);
}

void xtf_find_progress_init(XtfFind *find)
{
    uint64_t gap_min = xtf_replay_least_gap(find->replay);

    if (gap_min == UINT64_MAX)
        return;
    find->progress = g_new0(XtfFindProgress, 1);
    find->progress->gap_min = gap_min;
    find->progress->bound_max = UINT64_C(1) << (bits_of(gap_min * BOUND_MAX_GAPS) - 1);
}

void xtf_find_progress_finish(XtfFind *find)
{
    g_clear_pointer(&find->progress, g_free);
}

void xtf_find_progress_join(XtfFind *find, const XtfFind *from)
{
    for (unsigned side = 0; find->progress && side < SIDES; side++)
        for (unsigned size = 0; size < SIZES; size++) {
            ProgressClass *to = &find->progress->classes[side][size];
            const ProgressClass *added = &from->progress->classes[side][size];
            for (unsigned i = 0; i < SIZES; i++) {
                to->taken[i] += added->taken[i];
                to->entered[i] += added->entered[i];
                to->without[i] += added->without[i];
            }
        }
}

void xtf_find_progress_sum(XtfFind *find, XtfWorld *world)
{
    uint64_t counts[] = {find->found.judged, find->found.violations};

    xtf_world_sum(world, counts, G_N_ELEMENTS(counts));
    find->found.judged = counts[0];
    find->found.violations = counts[1];
    if (find->progress)
        xtf_world_sum(world, (uint64_t *)find->progress->classes, sizeof find->progress->classes / sizeof(uint64_t));
}

/* ---- Candidates of messages. */

/* Counts the gaps that begin before a time. */
static uint64_t count_before(const XtfReplayGap *gaps, uint64_t n, uint64_t time)
{
    uint64_t low = 0, high = n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (gaps[middle].begin < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the gap that explains most of the time up to the end of the call; NULL: none explains half of it. */
static const XtfReplayGap *find_gap(const XtfFindProgress *progress, const XtfReplayGap *gaps, uint64_t n,
                                    const Side *side, uint64_t *wait)
{
    uint64_t begin = MAX(side->own->enter, side->partner->enter), leave = side->own->leave;
    const XtfReplayGap *found = NULL;

    *wait = 0;
    for (uint64_t i = n; i > 0 && gaps[i - 1].end > begin && leave - gaps[i - 1].end < progress->bound_max; i--) {
        uint64_t length = gaps[i - 1].end - MAX(gaps[i - 1].begin, begin);
        if (length > *wait && gaps[i - 1].end <= side->done) {
            found = &gaps[i - 1];
            *wait = length;
        }
    }
    return *wait >= progress->gap_min && *wait >= (leave - begin) - *wait ? found : NULL;
}

/* Returns the first index of `classes` for a side. */
static unsigned side_index(const Side *side)
{
    return (side->receives ? 2 : 0) + (side->posted > side->partner->enter);
}

static void add_candidate(XtfFind *find, const Side *side, const XtfReplayGap *gap, uint64_t wait)
{
    const XtfEnd *own = side->own;
    XtfPoint point = xtf_find_point(own, XTF_LABEL_late_progress, XTF_POINT_ALONE);

    point.seq = own->enter;
    point.part = own->seq;
    point.wait = wait;
    point.end = gap->end;
    point.completion = (int64_t)(own->leave - gap->end);
    point.partner = side->partner->location;
    point.partner_seq = gap->seq;
    point.match = gap->row;
    point.bytes = side->bytes;
    point.comm = side->comm;
    point.tag = side->tag;
    point.part_kind = (uint8_t)side_index(side);
    xtf_find_add_candidate(find, own->location, &point);
}

static bool is_alone(const XtfFind *find, uint32_t location)
{
    uint32_t process = xtf_find_process(find, location);

    return xtf_replay_is_alone_in_mpi(find->replay, process, location - find->first_location[process]);
}

static bool completes_sends(uint8_t kind)
{
    return kind == XTF_MPI_CALL_SEND || kind == XTF_MPI_CALL_WAIT || kind == XTF_MPI_CALL_WAIT_MANY;
}

static ProgressClass *class_of(const XtfFind *find, const Side *side)
{
    return &find->progress->classes[side_index(side)][bits_of(side->bytes)];
}

/* Returns the time from the posting of both sides to the completion. */
static uint64_t taken_by(const Side *side)
{
    uint64_t begin = MAX(side->own->enter, side->partner->enter);

    return side->own->leave > begin ? side->own->leave - begin : 0;
}

/* Looks for a gap of the other side, whose location is in this share. Keeps the completion as a candidate if it may be
 * a wait. */
static void search_gaps(XtfFind *find, const Side *side)
{
    XtfFindProgress *progress = find->progress;
    const XtfEnd *own = side->own, *partner = side->partner;
    ProgressClass *class = class_of(find, side);
    uint64_t n, wait;

    const XtfReplayGap *gaps = xtf_replay_gaps(find->replay, partner->location, &n);
    n = count_before(gaps, n, own->leave);
    if (n == 0 || !is_alone(find, partner->location))
        return;
    if (++progress->n_searched % SEARCHES_PER_RELEASE == 0)
        xtf_replay_page_out_gaps(find->replay);
    if (gaps[n - 1].end > own->leave) {
        n--;
        if (own->leave - gaps[n].begin >= progress->gap_min && (n == 0 || gaps[n - 1].end <= partner->enter))
            class->without[bits_of(taken_by(side))]++;
    }
    const XtfReplayGap *gap = find_gap(progress, gaps, n, side, &wait);
    if (!gap)
        return;
    class->entered[bits_of(wait)] += own->leave - gap->end <= wait / SHOW_FACTOR;
    add_candidate(find, side, gap, wait);
}

/* Counts a completion in its class. The share of the other side, which has its gaps, looks for a wait. */
static void count_completion(XtfFind *find, const Side *side)
{
    const XtfEnd *own = side->own, *partner = side->partner;

    if (own->kind == XTF_MPI_CALL_TEST || own->leave == UINT64_MAX || own->location == partner->location)
        return;
    class_of(find, side)->taken[bits_of(taken_by(side))]++;
    if (taken_by(side) < find->progress->gap_min)
        return;
    if (xtf_find_owns(find, partner->location)) {
        search_gaps(find, side);
        return;
    }
    XtfFindCompletionLetter *letter =
        xtf_replay_share_write(find->share, xtf_find_process(find, partner->location), sizeof *letter);
    *letter = (XtfFindCompletionLetter){.letter = XTF_FIND_COMPLETION,
                                        .comm = side->comm,
                                        .tag = side->tag,
                                        .receives = side->receives,
                                        .bytes = side->bytes,
                                        .posted = side->posted,
                                        .done = side->done,
                                        .own = *own,
                                        .partner = *partner};
}

void xtf_find_read_completion(XtfFind *find, const XtfFindCompletionLetter *letter)
{
    const Side side = {.bytes = letter->bytes,
                       .comm = letter->comm,
                       .tag = letter->tag,
                       .own = &letter->own,
                       .partner = &letter->partner,
                       .posted = letter->posted,
                       .done = letter->done,
                       .receives = letter->receives};

    search_gaps(find, &side);
}

void xtf_find_progress(XtfFind *find, const XtfSent *message, const XtfEnd *sent, const XtfEnd *posting)
{
    const XtfEnd *send = &message->send, *recv = &message->recv;
    const Side receives = {.bytes = message->bytes,
                           .comm = message->comm,
                           .tag = message->tag,
                           .own = recv,
                           .partner = send,
                           .posted = posting->enter,
                           .done = sent->enter,
                           .receives = true};
    Side sends = receives;

    sends.own = sent;
    sends.partner = posting;
    sends.posted = send->enter;
    sends.done = recv->enter;
    sends.receives = false;
    if (!find->progress)
        return;
    if (recv->kind != XTF_MPI_CALL_NONE && send->kind != XTF_MPI_CALL_NONE && posting->kind != XTF_MPI_CALL_MPROBE)
        count_completion(find, &receives);
    if (completes_sends(sent->kind) && posting->kind != XTF_MPI_CALL_NONE)
        count_completion(find, &sends);
}

void xtf_find_progress_beside(XtfFind *find, uint32_t location, const XtfPoint *waits)
{
    XtfPoint point = *waits;

    if (!find->progress || waits->leave - waits->enter < find->progress->gap_min)
        return;
    point.side = XTF_POINT_ALONE;
    point.part = waits->seq;
    point.seq = waits->enter;
    xtf_find_add_candidate(find, location, &point);
}

/* ---- The waits of all candidates. */

/* Returns the bits that a quarter of the counted ones do not exceed. *n: their number. */
static unsigned quarter_of(const uint64_t counts[SIZES], uint64_t *n)
{
    uint64_t before = 0;
    unsigned quarter = 0;

    *n = 0;
    for (unsigned i = 0; i < SIZES; i++)
        *n += counts[i];
    while (quarter < SIZES - 1 && (before += counts[quarter]) < *n / 4 + (*n % 4 > 0))
        quarter++;
    return quarter;
}

/* Returns the bits of the bound of a class; 0: its messages do not depend on the other side. */
static unsigned bound_of(const XtfFindProgress *progress, const ProgressClass *class)
{
    unsigned gap_min = bits_of(progress->gap_min), bound_max = bits_of(progress->bound_max) - 1;
    uint64_t n, entered, without = 0;
    unsigned bound = quarter_of(class->taken, &n) + BOUND_BITS;

    for (unsigned i = quarter_of(class->entered, &entered); i < SIZES; i++)
        without += class->without[i];
    return n >= COMPLETIONS_MIN && entered >= COMPLETIONS_MIN && entered / 2 > without
               ? CLAMP(bound, gap_min, MAX(gap_min, bound_max))
               : 0;
}

typedef struct {
    XtfFind *find;
    unsigned bounds[SIDES][SIZES]; /* 0: no bound */
    XtfPoint best;                 /* the longest candidate of the current call; no `wait`: none */
    uint64_t others_end;           /* end of the call's other waits */
    uint64_t seq, time;            /* the call's last record */
} Calls;

/* Adds the points of both sides. The culprit's point is right after its ENTER. */
static void add_points(Calls *calls, uint32_t location, XtfPoint *waits)
{
    XtfFind *find = calls->find;
    const XtfEnd entered = {.seq = waits->partner_seq + 1,
                            .time = waits->end,
                            .enter = waits->end,
                            .leave = waits->end,
                            .region = UINT32_MAX,
                            .callpath = UINT32_MAX};
    XtfPoint met = xtf_find_point(&entered, XTF_LABEL_late_progress, XTF_POINT_MET);

    waits->side = XTF_POINT_MEETS;
    waits->seq = calls->seq;
    waits->time = calls->time;
    waits->part = 0;
    waits->part_kind = UINT8_MAX;
    waits->instance = xtf_raw_points_number_pair(find->raw);
    met.partner = location;
    met.partner_seq = waits->seq;
    met.instance = waits->instance;
    xtf_find_add(find, location, waits);
    xtf_find_add(find, waits->partner, &met);
}

/* Adds the part of the call's longest candidate that lies after the call's other waits. */
static void end_call(Calls *calls, uint32_t location)
{
    XtfPoint waits = calls->best;
    uint64_t begin = MAX(waits.end - waits.wait, calls->others_end);

    if (waits.wait > 0 && begin < waits.end && waits.end - begin >= calls->find->progress->gap_min) {
        waits.wait = waits.end - begin;
        add_points(calls, location, &waits);
    }
    calls->best.wait = calls->others_end = calls->seq = calls->time = 0;
}

/* Compares waits. Ties: the later enter of the culprit, then receives, then the side posted second, then the first
 * record. */
static bool is_longer(const XtfPoint *first, const XtfPoint *second)
{
    if (first->wait != second->wait)
        return first->wait > second->wait;
    if (first->end != second->end)
        return first->end > second->end;
    return first->part_kind != second->part_kind ? first->part_kind > second->part_kind : first->part < second->part;
}

static void add_to_call(Calls *calls, const XtfPoint *point)
{
    if (point->part >= calls->seq) {
        calls->seq = point->part;
        calls->time = point->time;
    }
    if (point->kind != XTF_LABEL_late_progress) {
        calls->others_end = MAX(calls->others_end, point->end);
        return;
    }
    unsigned bound = calls->bounds[point->part_kind][bits_of(point->bytes)];
    if (bits_of((uint64_t)point->completion) <= bound && bound > 0 && is_longer(point, &calls->best))
        calls->best = *point;
}

static bool end_candidates(Calls *calls, uint32_t location, GError **error)
{
    XtfRawReader reader;
    uint64_t enter = UINT64_MAX;
    XtfPoint point;
    bool found = true, good;

    good = xtf_raw_reader_init(&reader, &calls->find->shared->candidates, location, error);
    while (good && found) {
        good = xtf_raw_reader_next(&reader, &point, &found, error);
        if (!good || !found || point.seq != enter)
            end_call(calls, location);
        if (good && found)
            add_to_call(calls, &point);
        enter = point.seq;
    }
    xtf_raw_reader_finish(&reader);
    return good;
}

bool xtf_find_progress_end(XtfFind *find, GError **error)
{
    XtfFindProgress *progress = find->progress;
    Calls calls = {.find = find};
    bool any = false;

    if (!progress || xtf_found_contradicts(&find->found))
        return true;
    for (unsigned i = 0; i < SIZES; i++)
        for (unsigned side = 0; side < SIDES; side++) {
            calls.bounds[side][i] = bound_of(progress, &progress->classes[side][i]);
            any |= calls.bounds[side][i] > 0;
        }
    if (!any)
        return true;
    XtfRawPoints *candidates = &find->shared->candidates;
    if (!xtf_raw_points_end(candidates, error))
        return false;
    for (uint32_t i = 0; i < candidates->n_locations; i++)
        if (candidates->locations[i].total > 0 && !end_candidates(&calls, i, error))
            return false;
    return true;
}
