#include "src/tables/totals/waits/wait-causes.h"

#include <math.h>
#include <stdlib.h>

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/analysis/formulas/wait-shares.h"
#include "src/analysis/kinds/kind-rows.h"
#include "src/model/wait-kinds.h"
#include "src/tables/totals/waits/wait-work.h"

enum {
    FOLLOWED_MAX = 2048, /* most waits to follow */
};
#define ROWS_MAX (UINT64_C(1) << 25) /* most rows of calls to read for waits that are followed */
#define COST_MIN 0x1p-10             /* least cost to follow, in ticks */

/* A wait that is charged with a part of the searched wait, and is to be divided among its own causes. */
typedef struct {
    uint64_t end, row, steps; /* end time and row of `waits`; see XtfWaitCause */
    uint32_t location;
    double cost;
} PendingWait;

/* Sum of the costs of a call path that were passed on through other waits. */
typedef struct {
    XtfWaitCause cause;
    double exact;
} Charge;

typedef struct {
    uint64_t callpath; /* row of `contexts`; UINT64_MAX: outside of all calls */
    uint64_t ticks;
} Delay;

/* One wait, divided among its causes. */
typedef struct {
    bool known;
    uint32_t culprit;
    uint64_t seq;
    GArray *delays; /* Delay, by call path, ascending */
    uint64_t delayed, waited;
} Division;

typedef struct {
    XtfWaitSides sides;
    XtfTeamPaths *teams;
    uint8_t *regions; /* XtfKindRegion, by region */
    uint64_t n_regions;
    XtfWaitWork waiter_work, culprit_work;
    Division division;
    GTree *pending;      /* PendingWait, ordered by time: the latest first */
    GHashTable *charges; /* Charge, by its cause */
    uint32_t followed;
} Search;

/* ---- Waits to follow. */

static gint compare_pending(gconstpointer a, gconstpointer b, gpointer unused)
{
    const PendingWait *x = a, *y = b;

    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    if (x->row != y->row)
        return x->row > y->row ? -1 : 1;
    return (x->steps > y->steps) - (x->steps < y->steps);
}

static guint hash_charge(gconstpointer key)
{
    const XtfWaitCause *cause = key;

    return (guint)(((cause->callpath * 31 + cause->location) * 31 + cause->steps) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static gboolean same_charge(gconstpointer a, gconstpointer b)
{
    const XtfWaitCause *x = a, *y = b;

    return x->callpath == y->callpath && x->location == y->location && x->steps == y->steps;
}

static uint32_t callpath_parent(const void *data, uint32_t callpath)
{
    return ((const Search *)data)->sides.callpaths.rows[callpath].parent;
}

static uint32_t callpath_region(const void *data, uint32_t callpath)
{
    return ((const Search *)data)->sides.callpaths.rows[callpath].region;
}

static bool is_parallel(const void *data, uint32_t region)
{
    const Search *search = data;
    return region < search->n_regions && search->regions[region] == XTF_KIND_REGION_PARALLEL;
}

static bool search_init(Search *search, XtfTraceContext *context, GError **error)
{
    *search = (Search){
        .division.delays = g_array_new(FALSE, FALSE, sizeof(Delay)),
        .pending = g_tree_new_full(compare_pending, NULL, g_free, NULL),
        .charges = g_hash_table_new_full(hash_charge, same_charge, g_free, NULL),
    };
    if (!xtf_wait_sides_init(&search->sides, context, error) ||
        !xtf_kind_regions(context, &search->regions, &search->n_regions, error))
        return false;
    xtf_wait_work_init(&search->waiter_work, &search->sides);
    xtf_wait_work_init(&search->culprit_work, &search->sides);
    const XtfCallpathTree tree = {search, search->sides.callpaths.n, callpath_parent, callpath_region, is_parallel};
    search->teams = xtf_team_paths_new(&tree);
    return true;
}

static void search_finish(Search *search)
{
    xtf_wait_sides_finish(&search->sides);
    xtf_team_paths_free(search->teams);
    g_free(search->regions);
    xtf_wait_work_finish(&search->waiter_work);
    xtf_wait_work_finish(&search->culprit_work);
    g_array_unref(search->division.delays);
    g_tree_unref(search->pending);
    g_hash_table_unref(search->charges);
}

/* Charges each wait of the culprit with `scale` for each of its ticks. */
static void pass_cost_on(Search *search, double scale, uint64_t steps)
{
    for (guint i = 0; i < search->culprit_work.waits->len; i++) {
        const XtfWorkWait *wait = &g_array_index(search->culprit_work.waits, XtfWorkWait, i);
        const PendingWait pending = {wait->end, wait->row, steps, search->division.culprit,
                                     scale * (double)wait->amount};
        PendingWait *known = g_tree_lookup(search->pending, &pending);
        if (known) {
            known->cost += pending.cost;
        } else {
            known = g_memdup2(&pending, sizeof pending);
            g_tree_insert(search->pending, known, known);
        }
    }
}

static gboolean copy_first(gpointer key, gpointer value, gpointer to)
{
    (void)value;
    *(PendingWait *)to = *(const PendingWait *)key;
    return TRUE;
}

static bool take_latest_wait(Search *search, PendingWait *pending)
{
    if (g_tree_nnodes(search->pending) == 0)
        return false;
    g_tree_foreach(search->pending, copy_first, pending);
    g_tree_remove(search->pending, pending);
    return true;
}

/* ---- One wait. */

static int compare_delays(const void *a, const void *b)
{
    const Delay *x = a, *y = b;

    return (x->callpath > y->callpath) - (x->callpath < y->callpath);
}

/* Finds the call paths of both sides of a wait in a team, and the depths of their parallel regions. */
static bool find_teams(Search *search, uint32_t location, const XtfWaitRow *row, XtfWaitTeams *teams, GError **error)
{
    const Division *division = &search->division;
    uint32_t culprit_path, waiter_path;

    if (!xtf_wait_sides_callpath(&search->sides, division->culprit, division->seq, &culprit_path, error) ||
        !xtf_wait_sides_callpath(&search->sides, location, row->seq, &waiter_path, error))
        return false;
    *teams = (XtfWaitTeams){search->teams, xtf_team_paths_depth(search->teams, culprit_path),
                            xtf_team_paths_depth(search->teams, waiter_path)};
    return true;
}

/* Finds the work of both sides. If the waiter is idle until the culprit forks, only the culprit's work during the wait.
 * */
static bool find_work(Search *search, uint32_t location, const XtfWaitRow *row, XtfWaitTeams *teams, GError **error)
{
    const Division *division = &search->division;
    XtfWaitSides *sides = &search->sides;

    if (row->kind->rule == XTF_WAIT_IDLE)
        return xtf_wait_work_within(&search->culprit_work, sides, division->culprit,
                                    row->end - MIN(row->amount, row->end), row->end, error);
    return xtf_wait_work_find(&search->culprit_work, sides, division->culprit, division->seq, &row->culprit_met,
                              error) &&
           xtf_wait_work_find(&search->waiter_work, sides, location, row->seq, &row->met, error) &&
           (row->kind->rule != XTF_WAIT_TEAM || find_teams(search, location, row, teams, error));
}

/* Computes the delay d(x) of each call path x (wait-shares.h), and lists the positive ones. */
static bool find_delays(Search *search, const XtfWaitRow *row, const XtfWaitTeams *teams, GError **error)
{
    Division *division = &search->division;
    const XtfCallpathSums *delays = &search->culprit_work.sums;

    division->delayed = xtf_wait_delays(row->kind, &search->culprit_work.sums, &search->waiter_work.sums, teams);
    if (division->delayed == INT64_MAX)
        return xtf_damaged(error, "the delays of location %" PRIu64 " are more ticks than a sum can hold",
                           search->sides.locations->all[division->culprit].id);
    for (uint32_t i = 0; i < delays->n_touched; i++) {
        uint32_t callpath = delays->touched[i];
        const Delay delay = {callpath < search->sides.callpaths.n ? callpath : UINT64_MAX,
                             (uint64_t)delays->ticks[callpath]};
        if (delay.ticks > 0)
            g_array_append_val(division->delays, delay);
    }
    if (division->delays->len > 1)
        qsort(division->delays->data, division->delays->len, sizeof(Delay), compare_delays);
    return true;
}

static bool divide_wait(Search *search, uint32_t location, const XtfWaitRow *row, GError **error)
{
    Division *division = &search->division;
    XtfWaitSides *sides = &search->sides;
    XtfWaitTeams teams = {0};

    g_array_set_size(division->delays, 0);
    division->delayed = division->waited = 0;
    if (!xtf_wait_row_culprit(row, location, sides->context, sides->locations, &division->culprit, &division->seq,
                              &division->known, error))
        return false;
    if (!division->known)
        return true;
    if (!find_work(search, location, row, &teams, error))
        return false;
    division->waited = search->culprit_work.waited;
    return find_delays(search, row, &teams, error);
}

static bool read_wait(Search *search, uint32_t location, uint64_t n, XtfWaitRow *row, GError **error)
{
    XtfWaitSides *sides = &search->sides;
    XtfArray waits;
    bool found;

    if (!xtf_wait_array(sides->context, &sides->locations->all[location], XTF_DERIVED_WAITS, &waits, &found, error))
        return false;
    if (!found || n >= waits.n_rows)
        return xtf_fail(error, XTF_ERROR_INVALID, "the location has no wait %" PRIu64, n);
    return xtf_wait_row_read(&waits, n, row, error) && xtf_array_time(&waits, n, &row->end, error);
}

/* ---- Waits further back. */

static void charge_delays(Search *search, const PendingWait *pending, double scale)
{
    const Division *division = &search->division;

    for (guint i = 0; i < division->delays->len; i++) {
        const Delay *delay = &g_array_index(division->delays, Delay, i);
        const Charge new = {
            .cause = {.steps = pending->steps, .location = division->culprit, .callpath = delay->callpath}};
        Charge *known = g_hash_table_lookup(search->charges, &new);
        if (!known) {
            known = g_memdup2(&new, sizeof new);
            g_hash_table_insert(search->charges, known, known);
        }
        known->exact += scale * (double)delay->ticks;
    }
}

static bool follow_wait(Search *search, const PendingWait *pending, GError **error)
{
    const Division *division = &search->division;
    XtfWaitRow row;

    if (!read_wait(search, pending->location, pending->row, &row, error) ||
        !divide_wait(search, pending->location, &row, error))
        return false;
    double whole = (double)division->delayed + (double)division->waited;
    if (!division->known || whole <= 0)
        return true;
    charge_delays(search, pending, pending->cost / whole);
    if (division->waited > 0)
        pass_cost_on(search, pending->cost / whole, pending->steps + 1);
    return true;
}

/* Follows the pending waits. Waits beyond the limits are not followed: their costs stay unexplained. */
static bool follow_waits(Search *search, GError **error)
{
    g_autoptr(GError) fault = NULL;
    PendingWait pending;

    while (take_latest_wait(search, &pending)) {
        if (pending.cost < COST_MIN)
            continue;
        if (search->followed++ >= FOLLOWED_MAX || search->sides.n_rows > ROWS_MAX)
            return true;
        if (follow_wait(search, &pending, &fault))
            continue;
        if (g_error_matches(fault, XTF_ERROR, XTF_ERROR_TOO_LARGE))
            return true;
        g_propagate_error(error, g_steal_pointer(&fault));
        return false;
    }
    return true;
}

/* ---- Rounding by largest remainders. */

typedef struct {
    unsigned __int128 remainder; /* remainder of a division by a common denominator */
    guint i;
} Remainder;

static int compare_remainders(const void *a, const void *b)
{
    const Remainder *x = a, *y = b;

    if (x->remainder != y->remainder)
        return x->remainder > y->remainder ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

/* Rounds the costs of the delays, and of the waits to follow. Their sum is the wait; for a message D + W, if that is
 * less. */
static void round_direct(const Search *search, uint64_t wait, bool single, GArray *found, XtfWaitCauses *causes)
{
    const Division *division = &search->division;
    uint64_t whole = division->delayed + division->waited, left = single ? MIN(wait, whole) : wait;
    guint n = division->delays->len + 1;
    g_autofree Remainder *remainders = g_new(Remainder, n);
    g_autofree uint64_t *ticks = g_new(uint64_t, n);

    for (guint i = 0; i < n; i++) {
        uint64_t part = i + 1 < n ? g_array_index(division->delays, Delay, i).ticks : division->waited;
        unsigned __int128 exact = (unsigned __int128)part * (single ? MIN(wait, whole) : wait);
        ticks[i] = (uint64_t)(exact / whole);
        remainders[i] = (Remainder){exact % whole, i};
        left -= ticks[i];
    }
    qsort(remainders, n, sizeof *remainders, compare_remainders);
    for (guint i = 0; i < n && left > 0; i++, left--)
        ticks[remainders[i].i]++;
    for (guint i = 0; i + 1 < n; i++) {
        const XtfWaitCause cause = {.location = division->culprit,
                                    .callpath = g_array_index(division->delays, Delay, i).callpath,
                                    .cost = ticks[i]};
        causes->direct += cause.cost;
        if (cause.cost > 0)
            g_array_append_val(found, cause);
    }
    causes->indirect = ticks[n - 1];
}

static int compare_places(const XtfWaitCause *x, const XtfWaitCause *y)
{
    if (x->steps != y->steps)
        return x->steps < y->steps ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return (x->callpath > y->callpath) - (x->callpath < y->callpath);
}

static int compare_charges(const void *a, const void *b)
{
    const Charge *x = a, *y = b;
    double remainder = x->exact - floor(x->exact), y_remainder = y->exact - floor(y->exact);

    if (remainder != y_remainder)
        return remainder > y_remainder ? -1 : 1;
    return compare_places(&x->cause, &y->cause);
}

/* Rounds the charges. Their sum is at most `indirect`; the difference stays unexplained. */
static void round_indirect(const Search *search, uint64_t indirect, GArray *found)
{
    g_autoptr(GArray) charges = g_array_new(FALSE, FALSE, sizeof(Charge));
    GHashTableIter iter;
    gpointer value;
    double sum = 0;

    g_hash_table_iter_init(&iter, search->charges);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        g_array_append_vals(charges, value, 1);
        sum += ((const Charge *)value)->exact;
    }
    if (charges->len > 1)
        qsort(charges->data, charges->len, sizeof(Charge), compare_charges);
    uint64_t left = (uint64_t)MIN(floor(sum + 0.5), (double)indirect);
    for (guint i = 0; i < charges->len; i++) {
        Charge *each = &g_array_index(charges, Charge, i);
        each->cause.cost = (uint64_t)MIN(floor(each->exact), (double)left);
        left -= each->cause.cost;
    }
    for (guint i = 0; i < charges->len; i++) {
        XtfWaitCause cause = g_array_index(charges, Charge, i).cause;
        if (left > 0) {
            cause.cost++;
            left--;
        }
        if (cause.cost > 0)
            g_array_append_val(found, cause);
    }
}

/* ---- Results. */

static int compare_causes(const void *a, const void *b)
{
    const XtfWaitCause *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return compare_places(x, y);
}

static void set_causes(const Search *search, GArray *found, XtfWaitCauses *causes)
{
    const XtfCallpaths *callpaths = &search->sides.callpaths;

    causes->unexplained = causes->amount;
    causes->n = found->len;
    for (guint i = 0; i < found->len; i++) {
        XtfWaitCause *cause = &g_array_index(found, XtfWaitCause, i);
        cause->region = cause->callpath < callpaths->n ? callpaths->rows[cause->callpath].region : UINT64_MAX;
        causes->unexplained -= MIN(cause->cost, causes->unexplained);
    }
    if (found->len > 1)
        qsort(found->data, found->len, sizeof(XtfWaitCause), compare_causes);
    causes->causes = (XtfWaitCause *)(void *)g_array_free(found, FALSE);
}

static bool search_causes(Search *search, XtfWaitCauses *causes, uint32_t location, uint64_t n, GError **error)
{
    const Division *division = &search->division;
    XtfWaitRow row;

    if (!read_wait(search, location, n, &row, error) || !divide_wait(search, location, &row, error))
        return false;
    causes->known = division->known;
    causes->amount = row.amount;
    causes->culprit = division->culprit;
    causes->culprit_seq = division->seq;
    GArray *found = g_array_new(FALSE, FALSE, sizeof(XtfWaitCause));
    uint64_t whole = division->delayed + division->waited;
    bool good = true;
    if (whole > 0) {
        double scale = xtf_wait_scale(row.kind, row.amount, division->delayed, division->waited);
        round_direct(search, row.amount, row.kind->limited, found, causes);
        pass_cost_on(search, scale, 1);
        search->sides.n_rows = 0;
        good = follow_waits(search, error);
        round_indirect(search, causes->indirect, found);
    }
    set_causes(search, found, causes);
    return good;
}

bool xtf_wait_causes_find(XtfWaitCauses *causes, XtfTraceContext *context, uint32_t location, uint64_t row,
                          GError **error)
{
    Search search;

    *causes = (XtfWaitCauses){0};
    bool good = search_init(&search, context, error) && search_causes(&search, causes, location, row, error);
    search_finish(&search);
    return good;
}

void xtf_wait_causes_finish(XtfWaitCauses *causes)
{
    g_clear_pointer(&causes->causes, g_free);
}
