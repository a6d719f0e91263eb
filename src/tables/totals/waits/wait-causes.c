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
    FOLLOWED_MAX = 2048, /* waits */
};
#define ROWS_MAX (UINT64_C(1) << 25) /* of calls, that are walked over for waits that are followed */
#define COST_MIN 0x1p-10             /* ticks: less is not followed */

/* A wait that something was passed on to. */
typedef struct {
    uint64_t end, row, steps; /* of `waits` */
    uint32_t location;
    double cost;
} Passed;

/* What a call path is charged with, of those further back. */
typedef struct {
    XtfWaitCause cause;
    double exact;
} Charge;

typedef struct {
    uint64_t callpath; /* row of `contexts`; UINT64_MAX: outside of all calls */
    uint64_t ticks;
} Delay;

/* One wait, divided among what caused it. */
typedef struct {
    bool known;
    uint32_t culprit;
    uint64_t seq;
    GArray *delays; /* Delay, by call path */
    uint64_t delayed, waited;
} Division;

typedef struct {
    XtfWaitSides sides;
    XtfTeamPaths *teams;
    uint8_t *regions; /* XtfKindRegion */
    uint64_t n_regions;
    XtfWaitWork theirs, mine; /* of the one that waited, and of the late one */
    Division division;
    GTree *passed;       /* Passed: the latest first */
    GHashTable *charges; /* Charge, by its cause's place */
    uint32_t followed;
} Search;

/* ---- What goes on. */

static gint compare_passed(gconstpointer a, gconstpointer b, gpointer unused)
{
    const Passed *one = a, *other = b;

    if (one->end != other->end)
        return one->end > other->end ? -1 : 1;
    if (one->location != other->location)
        return one->location < other->location ? -1 : 1;
    if (one->row != other->row)
        return one->row > other->row ? -1 : 1;
    return (one->steps > other->steps) - (one->steps < other->steps);
}

static guint hash_charge(gconstpointer key)
{
    const XtfWaitCause *cause = key;

    return (guint)(((cause->callpath * 31 + cause->location) * 31 + cause->steps) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static gboolean same_charge(gconstpointer a, gconstpointer b)
{
    const XtfWaitCause *one = a, *other = b;

    return one->callpath == other->callpath && one->location == other->location && one->steps == other->steps;
}

static uint32_t parent_of(const void *data, uint32_t callpath)
{
    return ((const Search *)data)->sides.callpaths.rows[callpath].parent;
}

static uint32_t region_of(const void *data, uint32_t callpath)
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
        .passed = g_tree_new_full(compare_passed, NULL, g_free, NULL),
        .charges = g_hash_table_new_full(hash_charge, same_charge, g_free, NULL),
    };
    if (!xtf_wait_sides_init(&search->sides, context, error) ||
        !xtf_kind_regions(context, &search->regions, &search->n_regions, error))
        return false;
    xtf_wait_work_init(&search->theirs, &search->sides);
    xtf_wait_work_init(&search->mine, &search->sides);
    const XtfCallpathTree tree = {search, search->sides.callpaths.n, parent_of, region_of, is_parallel};
    search->teams = xtf_team_paths_new(&tree);
    return true;
}

static void search_finish(Search *search)
{
    xtf_wait_sides_finish(&search->sides);
    xtf_team_paths_free(search->teams);
    g_free(search->regions);
    xtf_wait_work_finish(&search->theirs);
    xtf_wait_work_finish(&search->mine);
    g_array_unref(search->division.delays);
    g_tree_unref(search->passed);
    g_hash_table_unref(search->charges);
}

/* The waits of the late one bear `scale` for each tick of theirs. */
static void pass_on(Search *search, double scale, uint64_t steps)
{
    for (guint i = 0; i < search->mine.waits->len; i++) {
        const XtfWorkWait *wait = &g_array_index(search->mine.waits, XtfWorkWait, i);
        const Passed passed = {wait->end, wait->row, steps, search->division.culprit, scale * (double)wait->amount};
        Passed *known = g_tree_lookup(search->passed, &passed);
        if (known) {
            known->cost += passed.cost;
        } else {
            known = g_memdup2(&passed, sizeof passed);
            g_tree_insert(search->passed, known, known);
        }
    }
}

static gboolean take_first(gpointer key, gpointer value, gpointer to)
{
    (void)value;
    *(Passed *)to = *(const Passed *)key;
    return TRUE;
}

static bool take_latest(Search *search, Passed *passed)
{
    if (g_tree_nnodes(search->passed) == 0)
        return false;
    g_tree_foreach(search->passed, take_first, passed);
    g_tree_remove(search->passed, passed);
    return true;
}

/* ---- One wait. */

static int compare_delays(const void *a, const void *b)
{
    const Delay *one = a, *other = b;

    return (one->callpath > other->callpath) - (one->callpath < other->callpath);
}

/* Where a wait's teams are known by: the call paths on which both sides meet at a barrier. */
static bool find_teams(Search *search, uint32_t location, const XtfWaitRow *row, XtfWaitTeams *teams, GError **error)
{
    const Division *division = &search->division;
    uint32_t mine, theirs;

    if (!xtf_wait_sides_callpath(&search->sides, division->culprit, division->seq, &mine, error) ||
        !xtf_wait_sides_callpath(&search->sides, location, row->seq, &theirs, error))
        return false;
    *teams = (XtfWaitTeams){search->teams, xtf_team_paths_depth(search->teams, mine),
                            xtf_team_paths_depth(search->teams, theirs)};
    return true;
}

/* What both sides did: of one that is idle until the other forks, what that one does meanwhile. */
static bool find_work(Search *search, uint32_t location, const XtfWaitRow *row, XtfWaitTeams *teams, GError **error)
{
    const Division *division = &search->division;
    XtfWaitSides *sides = &search->sides;

    if (row->kind->rule == XTF_WAIT_IDLE)
        return xtf_wait_work_within(&search->mine, sides, division->culprit, row->end - MIN(row->amount, row->end),
                                    row->end, error);
    return xtf_wait_work_find(&search->mine, sides, division->culprit, division->seq, &row->culprit_met, error) &&
           xtf_wait_work_find(&search->theirs, sides, location, row->seq, &row->met, error) &&
           (row->kind->rule != XTF_WAIT_TEAM || find_teams(search, location, row, teams, error));
}

/* d(x), by call path. */
static bool find_delays(Search *search, const XtfWaitRow *row, const XtfWaitTeams *teams, GError **error)
{
    Division *division = &search->division;
    const XtfCallpathSums *delays = &search->mine.sums;

    division->delayed = xtf_wait_delays(row->kind, &search->mine.sums, &search->theirs.sums, teams);
    if (division->delayed == INT64_MAX)
        return xtf_damaged(error, "location %" PRIu64 " was longer by more ticks than there are, than one that waited",
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

static bool divide(Search *search, uint32_t location, const XtfWaitRow *row, GError **error)
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
    division->waited = search->mine.waited;
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

/* ---- Those further back. */

static void charge(Search *search, const Passed *passed, double one)
{
    const Division *division = &search->division;

    for (guint i = 0; i < division->delays->len; i++) {
        const Delay *delay = &g_array_index(division->delays, Delay, i);
        const Charge new = {
            .cause = {.steps = passed->steps, .location = division->culprit, .callpath = delay->callpath}};
        Charge *known = g_hash_table_lookup(search->charges, &new);
        if (!known) {
            known = g_memdup2(&new, sizeof new);
            g_hash_table_insert(search->charges, known, known);
        }
        known->exact += one * (double)delay->ticks;
    }
}

static bool follow(Search *search, const Passed *passed, GError **error)
{
    const Division *division = &search->division;
    XtfWaitRow row;

    if (!read_wait(search, passed->location, passed->row, &row, error) ||
        !divide(search, passed->location, &row, error))
        return false;
    double whole = (double)division->delayed + (double)division->waited;
    if (!division->known || whole <= 0)
        return true;
    charge(search, passed, passed->cost / whole);
    if (division->waited > 0)
        pass_on(search, passed->cost / whole, passed->steps + 1);
    return true;
}

/* What is not followed for lack of time stays unexplained. */
static bool follow_all(Search *search, GError **error)
{
    g_autoptr(GError) fault = NULL;
    Passed passed;

    while (take_latest(search, &passed)) {
        if (passed.cost < COST_MIN)
            continue;
        if (search->followed++ >= FOLLOWED_MAX || search->sides.n_rows > ROWS_MAX)
            return true;
        if (follow(search, &passed, &fault))
            continue;
        if (g_error_matches(fault, XTF_ERROR, XTF_ERROR_TOO_LARGE))
            return true;
        g_propagate_error(error, g_steal_pointer(&fault));
        return false;
    }
    return true;
}

/* ---- Rounding: largest remainders. */

typedef struct {
    unsigned __int128 rest; /* of a whole that all have */
    guint i;
} Rest;

static int compare_rests(const void *a, const void *b)
{
    const Rest *one = a, *other = b;

    if (one->rest != other->rest)
        return one->rest > other->rest ? -1 : 1;
    return (one->i > other->i) - (one->i < other->i);
}

/* Costs of the delays, and what is passed on: they add up to the wait, or of a message to D + W if that is less. */
static void round_direct(const Search *search, uint64_t wait, bool single, GArray *found, XtfWaitCauses *causes)
{
    const Division *division = &search->division;
    uint64_t whole = division->delayed + division->waited, left = single ? MIN(wait, whole) : wait;
    guint n = division->delays->len + 1;
    g_autofree Rest *rests = g_new(Rest, n);
    g_autofree uint64_t *ticks = g_new(uint64_t, n);

    for (guint i = 0; i < n; i++) {
        uint64_t part = i + 1 < n ? g_array_index(division->delays, Delay, i).ticks : division->waited;
        unsigned __int128 exact = (unsigned __int128)part * (single ? MIN(wait, whole) : wait);
        ticks[i] = (uint64_t)(exact / whole);
        rests[i] = (Rest){exact % whole, i};
        left -= ticks[i];
    }
    qsort(rests, n, sizeof *rests, compare_rests);
    for (guint i = 0; i < n && left > 0; i++, left--)
        ticks[rests[i].i]++;
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

static int compare_places(const XtfWaitCause *one, const XtfWaitCause *other)
{
    if (one->steps != other->steps)
        return one->steps < other->steps ? -1 : 1;
    if (one->location != other->location)
        return one->location < other->location ? -1 : 1;
    return (one->callpath > other->callpath) - (one->callpath < other->callpath);
}

static int compare_charges(const void *a, const void *b)
{
    const Charge *one = a, *other = b;
    double rest = one->exact - floor(one->exact), more = other->exact - floor(other->exact);

    if (rest != more)
        return rest > more ? -1 : 1;
    return compare_places(&one->cause, &other->cause);
}

/* At most what was passed on; what is left of it is not explained. */
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

/* ---- */

static int compare_causes(const void *a, const void *b)
{
    const XtfWaitCause *one = a, *other = b;

    if (one->cost != other->cost)
        return one->cost > other->cost ? -1 : 1;
    return compare_places(one, other);
}

static void put_causes(const Search *search, GArray *found, XtfWaitCauses *causes)
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

    if (!read_wait(search, location, n, &row, error) || !divide(search, location, &row, error))
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
        pass_on(search, scale, 1);
        search->sides.n_rows = 0;
        good = follow_all(search, error);
        round_indirect(search, causes->indirect, found);
    }
    put_causes(search, found, causes);
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
