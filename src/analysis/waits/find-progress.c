/*
 * Waits for the other side of a message to enter MPI again, though both had posted before.
 *
 * MPI need not move data but in its calls. Location A is in the call that completes a message, from `enter` to `leave`;
 * location B, the other side, is outside of MPI until it enters at e, and A's call ends soon behind e. The rule:
 *
 * - Both are there from `begin`, the later of A's enter and of the enter of the call in which B had posted its side. A
 *   gap of B, a time outside of MPI of 20 us or more, ends at e, begin < e <= leave. What of the gap lies behind
 *   `begin` is the wait. It is 20 us or more, and half of the time from `begin` to `leave` or more.
 * - B's side completes in the call that B enters at e, or later.
 * - leave - e is below a bound: 16 times what a quarter of the completions of such messages take at most once
 *   both sides are there; not below 20 us, and not above 5 ms; in powers of 2 of ticks. Fewer than 4 tell no bound.
 * - Such messages depend on the other side: 4 completions or more are as above, with a wait of 4 (leave - e) or
 *   longer. And these are more than twice as many as others, which take as long as a quarter of these waits or longer,
 *   but end while B has been outside of MPI for 20 us or more, and has not entered it since it posted. The others show
 *   that data moved without B: by progress threads, or networks that fetch data. If B does not matter, more calls end
 *   before its enter than just behind.
 * - The clocks contradict no more than one message in a thousand.
 *
 * Such messages: of the same side (A receives, or sends), posted in the same order (by A first, or by B), and of as
 * many bytes by the power of 2. The order counts, as whoever posts second may move the data at once.
 *
 * Of a call the longest such wait counts, behind its other waits. Whether messages depend on the other side is known
 * at the end: until then candidates are kept by location, in a file, and so are other waits of calls of 20 us or more.
 */
#include "src/analysis/waits/find-private.h"
#include "src/model/wait-kinds.h"

enum {
    SIZES = 65,         /* bits of a number of bytes; also bits of ticks */
    SIDES = 4,          /* sends that were posted first, or second; receives likewise */
    LEASTS_MOST = 250,  /* the greatest bound, in least gaps */
    BOUND_BITS = 4,     /* the bound is 16 times the quarter */
    KNOWN_LEAST = 4,    /* completions that tell a bound; and that data moved as the other side entered */
    SHOWS = 4,          /* what comes behind the wait is so much shorter, if that shows anything */
    BETWEEN_RESTS = 64, /* looks at gaps, before these rest */
};

/* What is known of messages of a size, of one side; by bits of ticks. */
typedef struct {
    uint64_t taken[SIZES];   /* completions, by how long both sides were there */
    uint64_t entered[SIZES]; /* that show that data moved as the other side entered: by the wait */
    uint64_t without[SIZES]; /* that show that data moved without it: by how long both sides were there */
} Class;

/* A side of a message, which completes at `own`, as it sees the other side. */
typedef struct {
    const XtfSent *message;
    const XtfEnd *own, *other; /* `other`: where that side was posted */
    uint64_t posted;           /* this side: the enter of the call */
    uint64_t done;             /* the other side completes: likewise */
    bool receives;
} Side;

struct XtfFindProgress {
    XtfRawPoints candidates; /* by location; `seq` is the call's enter, `part` the record */
    uint64_t least, most;    /* ticks; `most` is no bound yet */
    uint32_t n_looked;
    Class classes[SIDES][SIZES];
};

static unsigned bits_of(uint64_t value)
{
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

bool xtf_find_progress_init(XtfFind *find, GError **error)
{
    uint64_t least = xtf_replay_least_gap(find->replay);

    if (least == UINT64_MAX)
        return true;
    find->progress = g_new0(XtfFindProgress, 1);
    find->progress->least = least;
    find->progress->most = UINT64_C(1) << (bits_of(least * LEASTS_MOST) - 1);
    return xtf_raw_points_init(&find->progress->candidates, find->first_location[xtf_replay_n_processes(find->replay)],
                               error);
}

void xtf_find_progress_finish(XtfFind *find)
{
    if (find->progress)
        xtf_raw_points_finish(&find->progress->candidates);
    g_clear_pointer(&find->progress, g_free);
}

/* ---- Looking at messages. */

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
    uint64_t begin = MAX(side->own->enter, side->other->enter), leave = side->own->leave;
    const XtfReplayGap *found = NULL;

    *wait = 0;
    for (uint64_t i = n; i > 0 && gaps[i - 1].end > begin && leave - gaps[i - 1].end < progress->most; i--) {
        uint64_t length = gaps[i - 1].end - MAX(gaps[i - 1].begin, begin);
        if (length > *wait && gaps[i - 1].end <= side->done) {
            found = &gaps[i - 1];
            *wait = length;
        }
    }
    return *wait >= progress->least && *wait >= (leave - begin) - *wait ? found : NULL;
}

/* Returns the index of the side among those of `classes`. */
static unsigned number_of(const Side *side)
{
    return (side->receives ? 2 : 0) + (side->posted > side->other->enter);
}

static void add_candidate(XtfFind *find, const Side *side, const XtfReplayGap *gap, uint64_t wait)
{
    const XtfSent *message = side->message;
    const XtfEnd *own = side->own;
    XtfPoint point = xtf_find_point(own, XTF_LABEL_late_progress, XTF_POINT_ALONE);

    point.seq = own->enter;
    point.part = own->seq;
    point.wait = wait;
    point.end = gap->end;
    point.completion = (int64_t)(own->leave - gap->end);
    point.partner = side->other->location;
    point.partner_seq = gap->seq;
    point.match = gap->row;
    point.bytes = message->bytes;
    point.comm = message->comm;
    point.tag = message->tag;
    point.part_kind = (uint8_t)number_of(side);
    if (!find->error)
        xtf_raw_points_add(&find->progress->candidates, own->location, &point, &find->error);
}

static uint32_t process_of(const XtfFind *find, uint32_t location)
{
    uint32_t low = 0, high = xtf_replay_n_processes(find->replay);

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (find->first_location[middle] <= location)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_alone(const XtfFind *find, uint32_t location)
{
    uint32_t process = process_of(find, location);

    return xtf_replay_is_alone_in_mpi(find->replay, process, location - find->first_location[process]);
}

static bool completes_sends(uint8_t kind)
{
    return kind == XTF_MPI_CALL_SEND || kind == XTF_MPI_CALL_WAIT || kind == XTF_MPI_CALL_WAIT_MANY;
}

/* Adds what a completion shows to its class, and keeps it if it may be a wait. */
static void look(XtfFind *find, const Side *side)
{
    XtfFindProgress *progress = find->progress;
    const XtfEnd *own = side->own, *other = side->other;
    uint64_t begin = MAX(own->enter, other->enter), n, wait;

    if (own->kind == XTF_MPI_CALL_TEST || own->leave == UINT64_MAX || own->location == other->location)
        return;
    Class *class = &progress->classes[number_of(side)][bits_of(side->message->bytes)];
    uint64_t taken = own->leave > begin ? own->leave - begin : 0;
    class->taken[bits_of(taken)]++;
    if (taken < progress->least)
        return;
    const XtfReplayGap *gaps = xtf_replay_gaps(find->replay, other->location, &n);
    n = count_before(gaps, n, own->leave);
    if (n == 0 || !is_alone(find, other->location))
        return;
    if (++progress->n_looked % BETWEEN_RESTS == 0)
        xtf_replay_page_out_gaps(find->replay);
    if (gaps[n - 1].end > own->leave) {
        n--;
        if (own->leave - gaps[n].begin >= progress->least && (n == 0 || gaps[n - 1].end <= other->enter))
            class->without[bits_of(taken)]++;
    }
    const XtfReplayGap *gap = find_gap(progress, gaps, n, side, &wait);
    if (!gap)
        return;
    class->entered[bits_of(wait)] += own->leave - gap->end <= wait / SHOWS;
    add_candidate(find, side, gap, wait);
}

void xtf_find_progress(XtfFind *find, const XtfSent *message, const XtfEnd *sent, const XtfEnd *posting)
{
    const XtfEnd *send = &message->send, *recv = &message->recv;
    const Side receives = {message, recv, send, posting->enter, sent->enter, true};
    const Side sends = {message, sent, posting, send->enter, recv->enter, false};

    if (!find->progress)
        return;
    if (recv->kind != XTF_MPI_CALL_NONE && send->kind != XTF_MPI_CALL_NONE && posting->kind != XTF_MPI_CALL_MPROBE)
        look(find, &receives);
    if (completes_sends(sent->kind) && posting->kind != XTF_MPI_CALL_NONE)
        look(find, &sends);
}

void xtf_find_progress_beside(XtfFind *find, uint32_t location, const XtfPoint *waits)
{
    XtfPoint point = *waits;

    if (!find->progress || find->error || waits->leave - waits->enter < find->progress->least)
        return;
    point.side = XTF_POINT_ALONE;
    point.part = waits->seq;
    point.seq = waits->enter;
    xtf_raw_points_add(&find->progress->candidates, location, &point, &find->error);
}

/* ---- All of them. */

/* Returns the bits that a quarter of all do not exceed; *n: how many there are. */
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
static unsigned bound_of(const XtfFindProgress *progress, const Class *class)
{
    unsigned least = bits_of(progress->least), most = bits_of(progress->most) - 1;
    uint64_t n, entered, without = 0;
    unsigned bound = quarter_of(class->taken, &n) + BOUND_BITS;

    for (unsigned i = quarter_of(class->entered, &entered); i < SIZES; i++)
        without += class->without[i];
    return n >= KNOWN_LEAST && entered >= KNOWN_LEAST && entered / 2 > without ? CLAMP(bound, least, MAX(least, most))
                                                                               : 0;
}

typedef struct {
    XtfFind *find;
    unsigned bounds[SIDES][SIZES]; /* 0: none */
    XtfPoint best;                 /* of the call at hand, if it has a `wait` */
    uint64_t over;                 /* its other waits */
    uint64_t seq, time;            /* its last record */
} Calls;

/* Adds the points of both sides. That of the culprit lies behind the ENTER. */
static void add_waits(Calls *calls, uint32_t location, XtfPoint *waits)
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
    waits->instance = find->raw->n_pairs++;
    met.partner = location;
    met.partner_seq = waits->seq;
    met.instance = waits->instance;
    xtf_find_add(find, location, waits);
    xtf_find_add(find, waits->partner, &met);
}

/* Adds what the call's other waits leave of its longest one. */
static void end_call(Calls *calls, uint32_t location)
{
    XtfPoint waits = calls->best;
    uint64_t begin = MAX(waits.end - waits.wait, calls->over);

    if (waits.wait > 0 && begin < waits.end && waits.end - begin >= calls->find->progress->least) {
        waits.wait = waits.end - begin;
        add_waits(calls, location, &waits);
    }
    calls->best.wait = calls->over = calls->seq = calls->time = 0;
}

/* Compares waits. Ties: who entered last, then receives, then what was posted second, then the first record. */
static bool is_longer(const XtfPoint *one, const XtfPoint *other)
{
    if (one->wait != other->wait)
        return one->wait > other->wait;
    if (one->end != other->end)
        return one->end > other->end;
    return one->part_kind != other->part_kind ? one->part_kind > other->part_kind : one->part < other->part;
}

static void take(Calls *calls, const XtfPoint *point)
{
    if (point->part >= calls->seq) {
        calls->seq = point->part;
        calls->time = point->time;
    }
    if (point->kind != XTF_LABEL_late_progress) {
        calls->over = MAX(calls->over, point->end);
        return;
    }
    unsigned bound = calls->bounds[point->part_kind][bits_of(point->bytes)];
    if (bits_of((uint64_t)point->completion) <= bound && bound > 0 && is_longer(point, &calls->best))
        calls->best = *point;
}

static bool end_location(Calls *calls, uint32_t location, GError **error)
{
    XtfRawReader reader;
    uint64_t enter = UINT64_MAX;
    XtfPoint point;
    bool found = true, good;

    good = xtf_raw_reader_init(&reader, &calls->find->progress->candidates, location, error);
    while (good && found) {
        good = xtf_raw_reader_next(&reader, &point, &found, error);
        if (!good || !found || point.seq != enter)
            end_call(calls, location);
        if (good && found)
            take(calls, &point);
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

    if (!progress || xtf_found_contradicts(find->found))
        return true;
    for (unsigned i = 0; i < SIZES; i++)
        for (unsigned side = 0; side < SIDES; side++) {
            calls.bounds[side][i] = bound_of(progress, &progress->classes[side][i]);
            any |= calls.bounds[side][i] > 0;
        }
    if (!any)
        return true;
    if (!xtf_raw_points_end(&progress->candidates, error))
        return false;
    for (uint32_t i = 0; i < progress->candidates.n_locations; i++)
        if (progress->candidates.locations[i].total > 0 && !end_location(&calls, i, error))
            return false;
    return true;
}
