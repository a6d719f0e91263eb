#include "src/analysis/replay/lossy/pairing.h"

#include <stdbool.h>

#include "src/analysis/replay/logs/runs.h"

/* The messages [from, to) of both sides, of one epoch or of several. */
typedef struct {
    uint32_t sends_from, sends_to, receives_from, receives_to;
} Block;

typedef struct {
    const XtfPairingTask *task;
    XtfPairing *pairing;
    bool ordered;      /* the epochs of both sides ascend; false: all is one epoch */
    bool no_more_less; /* no epoch from here on has fewer sends than receives */
    bool one_epoch;    /* all ends are in the same epoch */
} Work;

void xtf_pairing_free(XtfPairing *pairing)
{
    if (!pairing)
        return;
    g_array_unref(pairing->receives);
    g_array_unref(pairing->unpaired);
    g_free(pairing);
}

uint32_t xtf_pairing_send_of(const XtfPairing *pairing, uint32_t receive)
{
    const GArray *runs = pairing->receives;
    guint low = 0, high = runs->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(runs, XtfPairingRun, middle).first <= receive)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return UINT32_MAX;
    const XtfPairingRun *run = &g_array_index(runs, XtfPairingRun, low - 1);
    return run->send == UINT32_MAX ? UINT32_MAX : run->send + (receive - run->first);
}

/* ---- Epochs. */

static bool epochs_ascend(const XtfPairingEnd *ends, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (ends[i].epoch < ends[i - 1].epoch)
            return false;
    return true;
}

/* Finds the next epoch with messages after `before`; false if there is none. */
static bool next_epoch(const Work *work, const Block *before, Block *epoch)
{
    const XtfPairingTask *task = work->task;
    uint32_t s = before->sends_to, r = before->receives_to;

    *epoch = (Block){s, task->n_sends, r, task->n_receives};
    if (s == task->n_sends && r == task->n_receives)
        return false;
    if (!work->ordered)
        return true;
    uint32_t number = MIN(s < task->n_sends ? task->sends[s].epoch : UINT32_MAX,
                          r < task->n_receives ? task->receives[r].epoch : UINT32_MAX);
    while (s < task->n_sends && task->sends[s].epoch == number)
        s++;
    while (r < task->n_receives && task->receives[r].epoch == number)
        r++;
    epoch->sends_to = s;
    epoch->receives_to = r;
    return true;
}

/* Returns the number of sends minus the number of receives. */
static int64_t excess(const Block *block)
{
    return (int64_t)(block->sends_to - block->sends_from) - (int64_t)(block->receives_to - block->receives_from);
}

static bool is_one_epoch(const Work *work)
{
    Block epoch = {0};

    return next_epoch(work, &epoch, &epoch) && !next_epoch(work, &epoch, &epoch);
}

/* True if the first of several epochs has more sends than receives, or the last has more receives than sends.
 * *shifted: these two surpluses are equal, and all other epochs are balanced. */
static bool is_cut_off(const Work *work, bool *shifted)
{
    Block epoch = {0};
    uint64_t n = 0, n_unequal = 0;
    int64_t first = 0, last = 0;

    while (next_epoch(work, &epoch, &epoch)) {
        last = excess(&epoch);
        first = n++ == 0 ? last : first;
        n_unequal += last != 0;
    }
    *shifted = n > 1 && first > 0 && first == -last && n_unequal == 2;
    return n > 1 && (first > 0 || last < 0);
}

/* Widens an epoch with more sends than receives up to the last epoch that may have received its surplus. */
static bool widen_block(Work *work, Block *block)
{
    Block epoch = *block;
    int64_t left = excess(block);
    bool widened = false;

    while (left > 0 && next_epoch(work, &epoch, &epoch)) {
        int64_t more = excess(&epoch);
        left += more;
        if (more >= 0)
            continue;
        block->sends_to = epoch.sends_to;
        block->receives_to = epoch.receives_to;
        widened = true;
    }
    work->no_more_less = left > 0;
    return widened;
}

/* ---- Pairs. */

static void add_run(XtfPairing *pairing, uint32_t first, uint32_t send)
{
    const XtfPairingRun run = {first, send};

    if (pairing->receives->len > 0) {
        const XtfPairingRun *last = &g_array_index(pairing->receives, XtfPairingRun, pairing->receives->len - 1);
        if (send == UINT32_MAX ? last->send == send
                               : last->send != UINT32_MAX && send - last->send == first - last->first)
            return;
    }
    g_array_append_val(pairing->receives, run);
}

static void doubt_sends(XtfPairing *pairing, uint32_t from, uint32_t to)
{
    if (from < to)
        xtf_runs_add(pairing->unpaired, from, to - 1);
}

static void doubt_block(const Work *work, const Block *block)
{
    if (block->receives_from < block->receives_to)
        add_run(work->pairing, block->receives_from, UINT32_MAX);
    doubt_sends(work->pairing, block->sends_from, block->sends_to);
}

/* Finds the first possible partner for each end of the smaller side, given that all ends before it have partners,
 * too. */
static bool find_first(const XtfPairingEnd *fewer, uint32_t n, const XtfPairingEnd *more, uint32_t n_more,
                       uint32_t *first)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < n; i++, at++) {
        while (at < n_more && more[at].bytes != fewer[i].bytes)
            at++;
        if (at == n_more)
            return false;
        first[i] = at;
    }
    return true;
}

/* Keeps the partners from find_first() that are also the last possible ones; replaces all others by UINT32_MAX. */
static void keep_last(const XtfPairingEnd *fewer, uint32_t n, const XtfPairingEnd *more, uint32_t n_more,
                      uint32_t *first)
{
    uint32_t at = n_more;

    for (uint32_t i = n; i-- > 0;) {
        do
            at--;
        while (more[at].bytes != fewer[i].bytes);
        if (first[i] != at)
            first[i] = UINT32_MAX;
    }
}

/* Keeps the pairs whose neighbours have different sizes. If both sides have equally many ends, each may lack one at a
 * different place: only these pairs cannot shift. */
static void keep_unshifted(const XtfPairingEnd *sends, uint32_t n, uint32_t *found)
{
    for (uint32_t i = 0; i < n; i++) {
        if ((i > 0 && sends[i - 1].bytes == sends[i].bytes) || (i + 1 < n && sends[i + 1].bytes == sends[i].bytes))
            found[i] = UINT32_MAX;
    }
}

/* Adds the pairs of a block, and marks its other ends as doubtful. */
static void add_pairs(const Work *work, const Block *block, bool sends_are_fewer)
{
    const uint32_t *found = work->task->scratch;
    uint32_t n_sends = block->sends_to - block->sends_from, n_receives = block->receives_to - block->receives_from;
    uint32_t send = 0, receive = 0;

    for (uint32_t i = 0; i < (sends_are_fewer ? n_sends : n_receives); i++) {
        if (found[i] == UINT32_MAX)
            continue;
        uint32_t s = sends_are_fewer ? i : found[i], r = sends_are_fewer ? found[i] : i;
        if (receive < r)
            add_run(work->pairing, block->receives_from + receive, UINT32_MAX);
        doubt_sends(work->pairing, block->sends_from + send, block->sends_from + s);
        add_run(work->pairing, block->receives_from + r, block->sends_from + s);
        work->pairing->n_pairs++;
        send = s + 1;
        receive = r + 1;
    }
    const Block remainder = {block->sends_from + send, block->sends_to, block->receives_from + receive,
                             block->receives_to};
    doubt_block(work, &remainder);
}

static void pair_block(const Work *work, const Block *block)
{
    const XtfPairingEnd *sends = work->task->sends + block->sends_from;
    const XtfPairingEnd *receives = work->task->receives + block->receives_from;
    uint32_t n_sends = block->sends_to - block->sends_from, n_receives = block->receives_to - block->receives_from;
    bool sends_are_fewer = n_sends < n_receives;
    const XtfPairingEnd *fewer = sends_are_fewer ? sends : receives, *more = sends_are_fewer ? receives : sends;
    uint32_t n = MIN(n_sends, n_receives), n_more = MAX(n_sends, n_receives);

    if (!find_first(fewer, n, more, n_more, work->task->scratch)) {
        doubt_block(work, block);
        return;
    }
    keep_last(fewer, n, more, n_more, work->task->scratch);
    if (work->task->both_lost && work->one_epoch && n == n_more)
        keep_unshifted(sends, n, work->task->scratch);
    add_pairs(work, block, sends_are_fewer);
}

XtfPairing *xtf_pairing_new(const XtfPairingTask *task)
{
    Work work = {.task = task,
                 .ordered =
                     epochs_ascend(task->sends, task->n_sends) && epochs_ascend(task->receives, task->n_receives)};
    Block block = {0};
    bool shifted;

    if (is_cut_off(&work, &shifted) && !shifted)
        return NULL;
    work.ordered &= !shifted;
    work.one_epoch = !shifted && is_one_epoch(&work);
    work.pairing = g_new0(XtfPairing, 1);
    work.pairing->receives = g_array_new(FALSE, FALSE, sizeof(XtfPairingRun));
    work.pairing->unpaired = xtf_runs_new();
    while (next_epoch(&work, &block, &block)) {
        if (excess(&block) > 0 && !work.no_more_less && widen_block(&work, &block))
            doubt_block(&work, &block);
        else
            pair_block(&work, &block);
        if (MAX(work.pairing->receives->len, work.pairing->unpaired->len) <= task->runs_most)
            continue;
        work.pairing->n_pairs = 0;
        break;
    }
    if (work.pairing->n_pairs == 0)
        g_clear_pointer(&work.pairing, xtf_pairing_free);
    return work.pairing;
}
