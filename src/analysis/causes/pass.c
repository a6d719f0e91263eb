#include "src/analysis/causes/pass-private.h"
#include "src/analysis/causes/waiters.h"

/* HELD_MAX: most waits in memory before turns get short. TURN_MIN, TURN_MAX: least and most points of one location's
 * turn. TURNS_MAX: points of the turns of all locations together. */
enum { HELD_MAX = 1 << 15, TURN_MIN = 4, TURN_MAX = 256, TURNS_MAX = 1 << 15 };
/* Points between checks for an interrupt: very many locations may wait for one point. */
enum { POINTS_PER_CHECK = 16 };

typedef enum { DONE, BLOCKED, FAILED } Step;

/* ---- Points. */

/* Computes the costs that a wait passes on, and its propagating part, and stores their sums. */
static bool set_costs(XtfPass *pass, uint32_t location, uint64_t i, const XtfPoint *point, XtfCosts *costs,
                      GError **error)
{
    XtfCulpritWork *work = pass->work;
    XtfRemainders *remainders = &work->remainders[location];
    uint64_t number = xtf_point_cache_number(work->intervals.cache, location, i);
    XtfCostKind cost = xtf_cost_kind(point->kind);
    double propagating, passed = 0;
    XtfPointResult result;

    *costs = (XtfCosts){0};
    if (!xtf_is_synchronising_wait(point))
        return true;
    xtf_pass_tree_costs(&work->pool, &work->pass_trees[location], i, point->wait, costs, &propagating);
    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        passed += costs->of[kind];
    xtf_points_results(work->intervals.points, number, 1, &result);
    result.passed =
        xtf_share_round(remainders, xtf_share_key(point->callpath, XTF_SHARE_PASSED + cost), passed, UINT64_MAX);
    result.propagating = xtf_share_round(remainders, xtf_share_key(point->callpath, XTF_SHARE_PROPAGATING + cost),
                                         propagating, point->wait);
    return (result.passed == 0 && result.propagating == 0) || /* the stored result is the initial one */
           xtf_points_put_result(work->intervals.points, number, &result, error);
}

static bool send_wait(XtfPass *pass, uint32_t location, uint64_t i, const XtfPoint *point,
                      const XtfOperation *operation, GError **error)
{
    XtfCosts costs;

    if (!set_costs(pass, location, i, point, &costs, error))
        return false;
    if (!operation && point->partner >= pass->n_locations)
        return true;
    XtfWait *wait = xtf_wait_new(pass->work, location, i, point, &costs, error);
    if (!wait)
        return false;
    if (operation) {
        wait->key.culprit = operation->culprit;
        wait->instance = point->instance;
    }
    xtf_letters_put_wait(pass->letters, wait);
    return true;
}

/* Handles a point that another location waited for. Blocks until the pass has reached the waiting point. */
static Step pass_late(XtfPass *pass, uint32_t location, uint64_t i, const XtfPoint *awaited, GError **error)
{
    XtfPassWalk *walk = xtf_pass_walk(pass, location);
    const XtfWaitKey key = xtf_wait_key(location, awaited);
    XtfWaiter waiter = {.wait = xtf_arrivals_find(&pass->arrivals, &key)};

    walk->waits = false;
    if (walk->lost || key.waiter >= pass->n_locations) {
        walk->lost = false;
        pass->counts.lost++;
        return DONE;
    }
    if (!waiter.wait) {
        walk->waits = true;
        walk->key = key;
        if (!walk->is_listed)
            g_array_append_val(pass->unasked, location);
        walk->is_listed = true;
        return BLOCKED;
    }
    bool good = true;
    if (waiter.wait->wait == 0) {
        pass->counts.lost++;
    } else {
        pass->counts.explained++;
        good = xtf_charge_culprit(pass->work, location, i, xtf_cost_kind(waiter.wait->kind), NULL, &waiter, 1, error);
        if (good)
            xtf_letters_put_answer(pass->letters, &waiter.answer);
    }
    xtf_arrivals_remove(&pass->arrivals, &key);
    return good ? DONE : FAILED;
}

/* Charges the culprit of an operation with the waits of the members. */
static bool charge_member(XtfPass *pass, uint32_t location, uint64_t i, const XtfPoint *point, const XtfOperation *all,
                          const GPtrArray *waits, GError **error)
{
    g_autofree XtfWaiter *waiters = g_new0(XtfWaiter, waits->len + 1);

    pass->counts.explained += waits->len;
    for (guint w = 0; w < waits->len; w++)
        waiters[w].wait = waits->pdata[w];
    xtf_waiters_sort(waiters, waits->len);
    if (waits->len > 0 &&
        !xtf_charge_culprit(pass->work, location, i, xtf_cost_kind(point->kind), all, waiters, waits->len, error))
        return false;
    for (guint w = 0; w < waits->len; w++)
        xtf_letters_put_answer(pass->letters, &waiters[w].answer);
    return true;
}

/* Handles a member of an operation. The member that was late blocks until the pass has reached all others. */
static Step pass_member(XtfPass *pass, uint32_t location, uint64_t i, const XtfPoint *point, GError **error)
{
    XtfPassWalk *walk = xtf_pass_walk(pass, location);
    XtfOperation all;
    XtfCosts costs;

    if (!xtf_operation_heads_get(&pass->heads, point->instance, &all, error))
        return FAILED;
    bool is_culprit = all.n_points > 0 && all.culprit == location && all.culprit_seq == point->seq;
    if (all.n_points > 0 && !is_culprit && all.culprit < pass->n_locations && point->wait > 0)
        return send_wait(pass, location, i, point, &all, error) ? DONE : FAILED;
    if (!walk->is_set && !set_costs(pass, location, i, point, &costs, error))
        return FAILED;
    walk->is_set = true; /* a blocked point is handled again later */
    if (!is_culprit) {
        pass->counts.lost += all.n_points == 0;
        if (all.n_points > 0 && all.culprit < pass->n_locations)
            xtf_letters_put_arrival(pass->letters, all.culprit, point->instance);
        return DONE;
    }
    XtfArrivedMembers *members = xtf_arrivals_members(&pass->arrivals, point->instance);
    if (members->arrived + 1 < all.n_points && !pass->forced) {
        members->awaited = all.n_points - 1;
        members->blocked = location;
        return BLOCKED;
    }
    bool good = charge_member(pass, location, i, point, &all, members->waits, error);
    xtf_arrivals_remove_members(&pass->arrivals, point->instance);
    return good ? DONE : FAILED;
}

/* Handles the last point left of a location. */
static Step handle_point(XtfPass *pass, uint32_t location, GError **error)
{
    uint64_t i = xtf_pass_walk(pass, location)->at - 1;
    const XtfPoint *point = xtf_point_cache_get(pass->work->intervals.cache, location, i, error);
    XtfCosts costs;

    if (!point)
        return FAILED;
    const XtfPoint copy = *point; /* the cache's is valid until its next use */
    if (xtf_is_awaited(point))
        return pass_late(pass, location, i, &copy, error);
    switch ((XtfPointSide)copy.side) {
    case XTF_POINT_WAITS:
    case XTF_POINT_MEETS:
        return send_wait(pass, location, i, &copy, NULL, error) ? DONE : FAILED;
    case XTF_POINT_ALL:
    case XTF_POINT_ROOT:
    case XTF_POINT_LEAF:
    case XTF_POINT_PAIR:
    case XTF_POINT_TEAM:
        return pass_member(pass, location, i, &copy, error);
    case XTF_POINT_FORKS:
        return set_costs(pass, location, i, &copy, &costs, error) && xtf_charge_fork(pass->work, location, i, error)
                   ? DONE
                   : FAILED;
    default:
        return set_costs(pass, location, i, &copy, &costs, error) ? DONE : FAILED;
    }
}

/* Walks a location backward until it is blocked. If many waits are in memory whose culprits are not reached yet,
 * turns are short, so that no location gets far ahead of the others. In a job turns end, too, so that letters are
 * read. */
static bool walk_back(XtfPass *pass, uint32_t location, GError **error)
{
    XtfPassWalk *walk = xtf_pass_walk(pass, location);

    for (uint32_t turn = 0; walk->at > 0; turn++) {
        if (turn >= pass->turn && (pass->mail || xtf_arrivals_n(&pass->arrivals) > HELD_MAX)) {
            xtf_pass_queue(pass, location);
            return true;
        }
        switch (handle_point(pass, location, error)) {
        case FAILED:
            return false;
        case BLOCKED:
            return true;
        case DONE:
            walk->at--;
            walk->is_set = pass->forced = false;
            if (++pass->n_done % POINTS_PER_CHECK == 0 && !xtf_steps_advance(pass->steps, POINTS_PER_CHECK, error))
                return false;
        }
    }
    return true;
}

/* ---- Circles. */

/* Asks for all waits for which locations of this share wait. */
static void ask_for_waits(XtfPass *pass)
{
    for (guint i = 0; i < pass->unasked->len; i++) {
        XtfPassWalk *walk = xtf_pass_walk(pass, g_array_index(pass->unasked, uint32_t, i));
        const XtfWaitQuestion question = {.key = walk->key};
        walk->is_listed = false;
        if (walk->waits)
            xtf_letters_put_question(pass->letters, &question);
    }
    g_array_set_size(pass->unasked, 0);
}

/* Lets the lowest location of a circle continue without unknown costs. */
static void break_circle(XtfPass *pass, uint32_t location)
{
    const XtfPassWalk *walk = xtf_pass_walk(pass, location);
    const XtfWaitQuestion question = {.key = walk->key, .forced = 1};

    pass->counts.circles++;
    if (walk->waits) {
        xtf_letters_put_question(pass->letters, &question);
        return;
    }
    pass->forced = true;
    xtf_pass_queue(pass, location);
}

/* Adds the state of a share. */
static void add_standstill(XtfPass *pass, XtfStandstill *all)
{
    while (pass->lowest < pass->end && xtf_pass_walk(pass, pass->lowest)->at == 0)
        pass->lowest++;
    all->left += pass->n_points - pass->n_done;
    all->unasked += pass->unasked->len;
    if (pass->lowest < pass->end)
        all->lowest = MIN(all->lowest, pass->lowest);
}

/* Joins the states of all ranks. */
static void join_standstill(const XtfPassShares *shares, XtfStandstill *all)
{
    enum { LEFT, UNASKED, LOWEST };
    g_autofree uint64_t *numbers = g_new0(uint64_t, LOWEST + shares->n); /* the last ones by share */

    numbers[LEFT] = all->left;
    numbers[UNASKED] = all->unasked;
    numbers[LOWEST + shares->self] = all->lowest;
    xtf_world_sum(shares->world, numbers, LOWEST + shares->n);
    all->left = numbers[LEFT];
    all->unasked = numbers[UNASKED];
    for (uint32_t i = 0; i < shares->n; i++)
        all->lowest = MIN(all->lowest, (uint32_t)numbers[LOWEST + i]);
}

/* Returns the state of all shares. A thread may read that of the others, which wait. */
static XtfStandstill find_standstill(XtfPass *pass)
{
    const XtfPassShares *shares = pass->shares;
    XtfStandstill all = {.lowest = UINT32_MAX};

    if (shares->world || !pass->mail) {
        add_standstill(pass, &all);
    } else {
        for (uint32_t i = 0; i < shares->n; i++)
            add_standstill(shares->passes[i], &all);
    }
    if (shares->world)
        join_standstill(shares, &all);
    return all;
}

/* Continues a share. A wait may be missing, since of two points of a record only one is kept. So each location asks for
 * its wait first. If no wait is missing, the locations wait in a circle. */
static void continue_share(XtfPass *pass, const XtfStandstill *all)
{
    if (all->unasked > 0)
        ask_for_waits(pass);
    else if (all->lowest >= pass->first && all->lowest < pass->end)
        break_circle(pass, all->lowest);
}

/* Lets each thread continue its share. */
static XtfMailState resume_threads(XtfPass *pass, const XtfStandstill *all)
{
    for (uint32_t i = 0; i < pass->shares->n; i++) {
        pass->shares->passes[i]->standstill = *all;
        pass->shares->passes[i]->resumed = true;
        xtf_mail_mark(pass->mail, i);
    }
    return xtf_mail_resume(pass->mail, pass->shares->self);
}

/* Continues the pass, as all locations of all shares wait. If no location has points left, the pass has ended. */
static XtfMailState continue_quiet_pass(XtfPass *pass)
{
    bool by_threads = pass->mail && !pass->shares->world;
    const XtfStandstill all = find_standstill(pass);

    if (all.left == 0) {
        if (by_threads)
            xtf_mail_end(pass->mail);
        return XTF_MAIL_ENDED;
    }
    if (by_threads)
        return resume_threads(pass, &all);
    continue_share(pass, &all);
    return XTF_MAIL_NEWS;
}

/* ---- The pass. */

/* Walks locations until all are blocked. Fails, too, if a letter that was read before has failed. */
static bool walk_ready(XtfPass *pass, GError **error)
{
    gpointer next;

    while (!pass->error && !(pass->mail && xtf_mail_has_ended(pass->mail)) && (next = g_queue_pop_head(&pass->ready))) {
        uint32_t location = GPOINTER_TO_UINT(next) - 1;
        xtf_pass_walk(pass, location)->queued = false;
        if (!walk_back(pass, location, error))
            return false;
        xtf_letters_take_between(pass->letters, xtf_arrivals_n(&pass->arrivals) > HELD_MAX);
    }
    if (!pass->error)
        return true;
    g_propagate_error(error, g_steal_pointer(&pass->error));
    return false;
}

/* Waits for letters, and reads them. *ended: the pass has ended. */
static bool wait_for_letters(XtfPass *pass, bool *ended)
{
    XtfMailState state = pass->mail ? xtf_mail_wait(pass->mail, pass->shares->self) : XTF_MAIL_QUIET;

    if (state == XTF_MAIL_ENDED) { /* a rank has failed; or a thread has, or has seen the end */
        *ended = true;
        return !pass->shares->world;
    }
    if (state == XTF_MAIL_QUIET)
        state = continue_quiet_pass(pass);
    *ended = state == XTF_MAIL_ENDED;
    if (state == XTF_MAIL_NEWS)
        xtf_letters_take(pass->letters);
    if (pass->resumed)
        continue_share(pass, &pass->standstill);
    pass->resumed = false;
    return true;
}

static bool run_pass(XtfPass *pass, GError **error)
{
    bool ended = false;

    for (uint32_t location = pass->end; location-- > pass->first;)
        xtf_pass_queue(pass, location);
    while (!ended)
        if (!walk_ready(pass, error) || !wait_for_letters(pass, &ended))
            return false;
    return true;
}

bool xtf_pass_run(XtfPass *pass, GError **error)
{
    if (run_pass(pass, error))
        return true;
    if (pass->mail)
        xtf_mail_end(pass->mail);
    return false;
}

XtfPass *xtf_pass_new(XtfCulpritWork *work, const XtfPassShares *shares, XtfSteps *steps)
{
    XtfPass *pass = g_new(XtfPass, 1);
    uint32_t n = xtf_points_n_locations(work->intervals.points);
    const XtfLetterReader reader = xtf_pass_letter_reader(pass);

    *pass = (XtfPass){
        .work = work,
        .shares = shares,
        .steps = steps,
        .mail = shares->mail,
        .walks = g_new0(XtfPassWalk, shares->borders[shares->self + 1] - shares->borders[shares->self] + 1),
        .first = shares->borders[shares->self],
        .end = shares->borders[shares->self + 1],
        .n_locations = n,
        .turn = CLAMP(TURNS_MAX / MAX(n, 1), TURN_MIN, TURN_MAX),
        .lowest = shares->borders[shares->self],
        .unasked = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
    };
    xtf_arrivals_init(&pass->arrivals);
    pass->letters = xtf_letters_new(pass->mail, shares->self, shares->borders, shares->n, &reader);
    xtf_operation_heads_init(&pass->heads, xtf_points_operations(work->intervals.points));
    for (uint32_t location = pass->first; location < pass->end; location++) {
        xtf_pass_walk(pass, location)->at = xtf_point_cache_n(work->intervals.cache, location);
        pass->n_points += xtf_pass_walk(pass, location)->at;
    }
    return pass;
}

void xtf_pass_free(XtfPass *pass)
{
    if (!pass)
        return;
    xtf_letters_free(pass->letters);
    xtf_arrivals_finish(&pass->arrivals);
    g_queue_clear(&pass->ready);
    g_array_unref(pass->unasked);
    g_clear_error(&pass->error);
    g_free(pass->walks);
    g_free(pass);
}

uint64_t xtf_pass_n_points(const XtfPass *pass)
{
    return pass->n_points;
}

const XtfPassCounts *xtf_pass_counts(const XtfPass *pass)
{
    return &pass->counts;
}
