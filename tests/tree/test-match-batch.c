/* Batches of messages: compared with the order in which a program sends and posts, and with single queries. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <unistd.h>

#include "libxtf/disk/format.h"
#include "libxtf/vocabulary.h"
#include "src/tables/match/message-batch.h"
#include "src/tables/match/order/message-walk.h"
#include "src/tree/node/node-class.h"
#include "tests/tree/traces/mpi.h"

enum {
    PROCESSES = 3,
    MESSAGES = 1500,
    RARE = 600,     /* distance of messages with a rare tag: more rows than a walk reads */
    OVERTAKEN = 40, /* most messages that a receive overtakes */
    LOST = 50,      /* one in LOST receives is not recorded, if some are lost */
};

typedef struct {
    unsigned sender, receiver, tag;
    uint64_t bytes;
    uint64_t send, receive; /* rows; receive is UINT64_MAX if it is lost */
    bool posted;
} Planned;

typedef struct {
    Written written;
    Planned planned[MESSAGES];
    XtfMessageEnd ends[MESSAGES];
} Played;

static bool are_of_one_group(const Planned *a, const Planned *b)
{
    return a->sender == b->sender && a->receiver == b->receiver && a->tag == b->tag;
}

/* Returns the message to post next: near the first that is not posted, but the first of its group. */
static unsigned choose_next(const Planned *planned, unsigned first, GRand *random)
{
    unsigned at = (unsigned)g_rand_int_range(random, (gint32)first, (gint32)MIN(first + OVERTAKEN, MESSAGES));

    for (unsigned i = first; i < at; i++)
        if (!planned[i].posted && are_of_one_group(&planned[i], &planned[at]))
            return i;
    return planned[at].posted ? first : at;
}

/* Sends the messages, and posts their receives in another order that keeps the order of each group. */
static void play_program(Played *played, uint32_t seed, unsigned tags, bool loses, uint64_t sizes)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    uint64_t sends[PROCESSES] = {0}, receives[PROCESSES] = {0};
    Planned *planned = played->planned;
    Mpi mpi;

    mpi_begin(&mpi, PROCESSES, 1);
    for (unsigned i = 0; i < MESSAGES; i++) {
        unsigned sender = (unsigned)g_rand_int_range(random, 0, PROCESSES);
        planned[i] = (Planned){.sender = sender,
                               .receiver = (unsigned)g_rand_int_range(random, 0, PROCESSES),
                               .tag = i % RARE == 7 ? tags : (unsigned)g_rand_int_range(random, 0, (gint32)tags),
                               .bytes = i % sizes,
                               .send = sends[sender]++};
        played->ends[i] = (XtfMessageEnd){sender, planned[i].send};
        mpi_send(&mpi, sender, 1000 + 10 * i, 4,
                 (Envelope){planned[i].receiver, MPI_WORLD, planned[i].tag, planned[i].bytes});
    }
    for (unsigned i = 0, first = 0; i < MESSAGES; i++) {
        while (planned[first].posted)
            first++;
        Planned *next = &planned[choose_next(planned, first, random)];
        next->posted = true;
        next->receive = UINT64_MAX;
        if (loses && g_rand_int_range(random, 0, LOST) == 0)
            continue;
        next->receive = receives[next->receiver]++;
        mpi_recv(&mpi, next->receiver, 100000 + 10 * i, 4, (Envelope){next->sender, MPI_WORLD, next->tag, next->bytes});
    }
    mpi_end(&mpi, &played->written);
}

static void played_free(Played *played)
{
    written_finish(&played->written);
    g_free(played);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Played, played_free)

static void assert_is_planned(const Played *played, unsigned i, const XtfMatchedSend *matched, unsigned reach)
{
    const Planned *planned = &played->planned[i];
    const XtfMessage *message = &matched->message;

    cr_assert_eq(message->state, XTF_PAIR_CERTAIN, "message %u, reach %u: %s", i, reach,
                 xtf_pair_doubts[message->doubt]);
    cr_assert(message->has_receive && message->posting.location == planned->receiver &&
                  message->receive == planned->receive,
              "message %u, reach %u: receive %" PRIu64 " of %u, should be %" PRIu64 " of %u", i, reach,
              message->receive, message->posting.location, planned->receive, planned->receiver);
    cr_assert_eq(message->received_bytes, planned->bytes);
    cr_assert_eq(matched->times.sent, 1000 + 10 * i + 2);
}

static void assert_same(const XtfMatchedSend *a, const XtfMatchedSend *b, unsigned i, unsigned reach)
{
    const XtfMessage *x = &a->message, *y = &b->message;
    const XtfMessageTimes *s = &a->times, *t = &b->times;

    cr_assert(x->state == y->state && x->doubt == y->doubt && x->has_group == y->has_group &&
                  x->has_receive == y->has_receive && x->k == y->k && x->n_sends == y->n_sends &&
                  x->n_receives == y->n_receives,
              "message %u, reach %u: number %" PRIu64 ", %s; should be %" PRIu64 ", %s", i, reach, x->k,
              xtf_pair_doubts[x->doubt], y->k, xtf_pair_doubts[y->doubt]);
    if (x->has_receive)
        cr_assert(x->posting.location == y->posting.location && x->posting.row == y->posting.row &&
                      x->receive == y->receive,
                  "message %u, reach %u: receive %" PRIu64 ", should be %" PRIu64, i, reach, x->receive, y->receive);
    cr_assert(s->sent == t->sent && s->received == t->received && s->posted == t->posted && s->wait == t->wait &&
                  s->ticks == t->ticks,
              "message %u, reach %u: times differ", i, reach);
}

static void match_each(const Played *played, XtfMatchedSend *matched)
{
    XtfMatching *matching = &played->written.tree->matching;
    g_autoptr(GError) error = NULL;

    for (unsigned i = 0; i < MESSAGES; i++)
        cr_assert(xtf_match_send(matching, &played->ends[i], &matched[i].message, &error) &&
                      xtf_message_times(matching, &matched[i].message, &matched[i].times, &error),
                  "%s", error->message);
}

static const unsigned reaches[] = {0, 1, 3, 20, XTF_WALK_REACH};

/* Matches messages [from, to) at once. */
static void match_part(const Played *played, unsigned from, unsigned to, unsigned reach, XtfMatchedSend *matched)
{
    g_autoptr(GError) error = NULL;

    cr_assert(
        xtf_match_sends_within(&played->written.tree->matching, played->ends + from, to - from, reach, matched, &error),
        "%s", error->message);
}

/* Checks windows of the sends, at each reach. */
static void assert_windows(const Played *played, const XtfMatchedSend *single)
{
    static const unsigned windows[][2] = {{0, MESSAGES}, {0, 1}, {600, 632}, {300, 1200}, {MESSAGES - 3, MESSAGES}};
    g_autofree XtfMatchedSend *matched = g_new(XtfMatchedSend, MESSAGES);

    for (unsigned w = 0; w < G_N_ELEMENTS(windows); w++)
        for (unsigned r = 0; r < G_N_ELEMENTS(reaches); r++) {
            match_part(played, windows[w][0], windows[w][1], reaches[r], matched);
            for (unsigned i = windows[w][0]; i < windows[w][1]; i++) {
                const XtfMatchedSend *found = &matched[i - windows[w][0]];
                if (single)
                    assert_same(found, &single[i], i, reaches[r]);
                else
                    assert_is_planned(played, i, found, reaches[r]);
            }
        }
}

/* Checks windows without indexes, with indexes of few bytes, and with all indexes. */
static void assert_windows_with_indexes(uint32_t seed, unsigned tags, size_t few)
{
    const size_t most[] = {0, few, 1 << 20};
    size_t before = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(most); i++) {
        g_autoptr(Played) played = g_new0(Played, 1);
        play_program(played, seed, tags, false, UINT64_MAX);
        XtfMessageIndexBounds *bounds = &played->written.tree->matching.processes.bounds;
        bounds->bytes_most = most[i];
        assert_windows(played, NULL);
        cr_assert(bounds->bytes <= most[i] && (i == 0 || bounds->bytes > before), "%zu of %zu bytes, %zu before",
                  bounds->bytes, most[i], before);
        before = bounds->bytes;
    }
}

Test(match_batch, messages_match_as_the_program_sends_and_posts)
{
    assert_windows_with_indexes(1, 2, 8000);
    assert_windows_with_indexes(2, 60, 20000);
}

/* An idle mount gives its indexes back, and makes them again. */
Test(match_batch, indexes_are_freed_with_idle_processes)
{
    g_autoptr(Played) played = g_new0(Played, 1);

    play_program(played, 8, 60, false, UINT64_MAX);
    XtfMatching *matching = &played->written.tree->matching;
    assert_windows(played, NULL);
    size_t made = matching->processes.bounds.bytes;
    xtf_matching_free_idle(matching);
    cr_assert(made > 0 && matching->processes.bounds.bytes == 0, "%zu bytes, then %zu", made,
              matching->processes.bounds.bytes);
    assert_windows(played, NULL);
    cr_assert_eq(matching->processes.bounds.bytes, made);
}

/* Some receives are lost. The sizes show which, or are all equal. */
Test(match_batch, lost_receives_are_found_as_by_single_queries)
{
    static const uint64_t sizes[] = {UINT64_MAX, 7, 1};
    g_autofree XtfMatchedSend *single = g_new(XtfMatchedSend, MESSAGES);

    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
        g_autoptr(Played) played = g_new0(Played, 1);
        play_program(played, 3 + i, 2, true, sizes[i]);
        match_each(played, single);
        assert_windows(played, single);
    }
}

/* Sends of a batch may be in any order, and a send may occur twice. */
Test(match_batch, sends_may_be_in_any_order)
{
    g_autoptr(Played) played = g_new0(Played, 1);
    g_autofree XtfMatchedSend *matched = g_new(XtfMatchedSend, MESSAGES);
    g_autofree XtfMessageEnd *ends = g_new(XtfMessageEnd, MESSAGES);
    g_autoptr(GError) error = NULL;

    play_program(played, 6, 4, false, UINT64_MAX);
    for (unsigned i = 0; i < MESSAGES; i++)
        ends[i] = played->ends[i * UINT64_C(2654435761) % MESSAGES / 2];
    cr_assert(xtf_match_sends(&played->written.tree->matching, ends, MESSAGES, matched, &error), "%s", error->message);
    for (unsigned i = 0; i < MESSAGES; i++)
        assert_is_planned(played, i * UINT64_C(2654435761) % MESSAGES / 2, &matched[i], XTF_WALK_REACH);
}

/* Changes a byte of the first leaf of the sends of location 0. */
static void damage_sends(const Written *written)
{
    _Alignas(XtfDiskPage) uint8_t page[4096];
    const XtfDiskPage *head = (const XtfDiskPage *)page;
    XtfTrace *trace = written->trace;
    int fd = open(written->path, O_RDWR | O_CLOEXEC);
    off_t at = 2 * sizeof page;
    XtfArray sends;
    bool found;

    cr_assert(fd >= 0 &&
              xtf_trace_find_array(trace, 0, xtf_trace_find_schema(trace, XTF_RECORD_SENDS)->id, &sends, &found, NULL));
    cr_assert(found && xtf_array_height(&sends) > 1, "the sends have one leaf");
    while (pread(fd, page, sizeof page, at) == sizeof page &&
           (xtf_read32(head->magic) != XTF_PAGE_MAGIC || head->kind != XTF_PAGE_LEAF ||
            xtf_read32(head->array) != sends.id || xtf_read64(head->first_n) > 0))
        at += sizeof page;
    cr_assert_eq(pwrite(fd, &(uint8_t){page[100] ^ 1}, 1, at + 100), 1);
    close(fd);
}

/* A damaged leaf affects only its own messages, also after queries that are worth an index. */
Test(match_batch, messages_of_sound_leaves_match_beside_a_damaged_one)
{
    enum { ALL = 4000, LAST = 100 };
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    g_auto(Written) written;
    g_autoptr(GError) error = NULL;
    XtfMessageEnd ends[LAST];
    XtfMatchedSend matched[LAST];
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < ALL; i++) {
        uint64_t bytes = g_rand_int(random);
        mpi_send(&mpi, 0, 1000 + 10 * i, 4, (Envelope){1, MPI_WORLD, i % 2, bytes});
        mpi_recv(&mpi, 1, 100000 + 10 * i, 4, (Envelope){0, MPI_WORLD, i % 2, bytes});
        ends[i % LAST] = (XtfMessageEnd){0, i};
    }
    mpi_end(&mpi, &written);
    damage_sends(&written);
    cr_assert(xtf_match_sends_within(&written.tree->matching, ends, LAST, 0, matched, &error), "%s", error->message);
    for (unsigned i = 0; i < LAST; i++)
        cr_assert(matched[i].message.state == XTF_PAIR_CERTAIN && matched[i].message.receive == ends[i].row);
    cr_assert_gt(written.tree->matching.processes.bounds.bytes, 0, "no array was asked often");
}

/* ---- Waits, from calls of all forms. */

enum { WAITING = 5000 };

/* A call with a record in it, as it is planned. */
typedef struct {
    uint64_t enter, leave, record;
    bool in_call; /* false: the record is outside of all calls */
} PlannedCall;

typedef struct {
    PlannedCall send, receive;
} PlannedWait;

/* Writes a send or a receive at a random time from t on, before t + 100. */
static PlannedCall write_call(Mpi *mpi, unsigned location, uint64_t t, GRand *random)
{
    uint64_t enter = t + (uint64_t)g_rand_int_range(random, 1, 40),
             length = 2 * (uint64_t)g_rand_int_range(random, 2, 25);
    PlannedCall call = {enter, enter + length, enter + length / 2, true};
    unsigned form = (unsigned)g_rand_int_range(random, 0, 6);
    Envelope envelope = {1 - location, MPI_WORLD, 0, 8};

    if (form == 0)
        call = (PlannedCall){enter, enter, enter, false};
    if (form == 1)
        mpi_enter(mpi, location, t, MPI_WORK_CALL);
    if (form == 2) /* the record has the time of the ENTER */
        call.record = enter;
    if (call.in_call)
        mpi_enter(mpi, location, call.enter, location == 0 ? MPI_SEND_CALL : MPI_RECV_CALL);
    if (form == 3) {
        mpi_enter(mpi, location, call.enter + 1, MPI_WORK_CALL);
        mpi_leave(mpi, location, call.record);
    }
    if (location == 0)
        mpi_record_send(mpi, location, call.record, envelope, XTF_NONE64);
    else
        mpi_record_recv(mpi, location, call.record, envelope);
    if (call.in_call)
        mpi_leave(mpi, location, call.leave);
    if (form == 1)
        mpi_leave(mpi, location, t + 99);
    return call;
}

static XtfMessageWait naive_wait(const PlannedWait *planned, uint64_t *ticks)
{
    const PlannedCall *send = &planned->send, *receive = &planned->receive;
    uint64_t until = MIN(send->enter, receive->leave);

    *ticks = 0;
    if (send->enter > receive->leave)
        return XTF_WAIT_CLOCK_VIOLATION;
    if (receive->in_call && until > receive->enter) {
        *ticks = until - receive->enter;
        return XTF_WAIT_LATE_SENDER;
    }
    if (!send->in_call || receive->enter <= send->enter || send->leave <= receive->enter)
        return XTF_WAIT_NONE;
    *ticks = receive->enter - send->enter;
    return XTF_WAIT_LATE_RECEIVER;
}

/* Checks messages [first, first + n), matched at once. */
static void assert_waits(const Written *written, const PlannedWait *planned, uint32_t first, uint32_t n)
{
    g_autofree XtfMatchedSend *matched = g_new(XtfMatchedSend, n);
    g_autofree XtfMessageEnd *ends = g_new(XtfMessageEnd, n);
    g_autoptr(GError) error = NULL;

    for (uint32_t i = 0; i < n; i++)
        ends[i] = (XtfMessageEnd){0, first + i};
    cr_assert(xtf_match_sends(&written->tree->matching, ends, n, matched, &error), "%s", error->message);
    for (uint32_t i = 0; i < n; i++) {
        const PlannedWait *plan = &planned[first + i];
        const XtfMessageTimes *times = &matched[i].times;
        uint64_t ticks;
        XtfMessageWait wait = naive_wait(plan, &ticks);
        cr_assert(times->sent == plan->send.record && times->received == plan->receive.record &&
                      times->posted == plan->receive.record,
                  "message %u: times", first + i);
        cr_assert(times->wait == wait && times->ticks == ticks,
                  "message %u: %s of %" PRIu64 ", should be %s of %" PRIu64, first + i,
                  xtf_message_wait_word(times->wait), times->ticks, xtf_message_wait_word(wait), ticks);
    }
}

/* The waits are the same if the batch before needed the uses of calls. Parts begin within leaves. */
Test(match_batch, waits_are_those_of_the_calls_around_both_ends)
{
    g_autofree PlannedWait *planned = g_new(PlannedWait, WAITING);
    g_autoptr(GRand) random = g_rand_new_with_seed(9);
    g_auto(Written) written;
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    for (unsigned i = 0; i < WAITING; i++) {
        planned[i].send = write_call(&mpi, 0, 1000 + 100 * i, random);
        planned[i].receive = write_call(&mpi, 1, 1000 + 100 * i, random);
    }
    mpi_end(&mpi, &written);
    for (gint needs = 0; needs < 2; needs++)
        for (uint32_t first = 0; first < WAITING; first += 1024) {
            g_atomic_int_set(&written.tree->matching.needs_uses, needs);
            assert_waits(&written, planned, first, MIN(WAITING - first, 1024));
        }
}
