#include "src/analysis/causes/causes.h"

#include "libxtf/error.h"
#include "src/analysis/causes/causes-private.h"

/* A location on its way back. */
typedef struct {
    uint64_t at; /* points that are still before it */
    bool queued, settled;
} Walk;

/* Those that have come to an operation: XtfWaiter, of members that waited. */
typedef struct {
    GArray *waiters;
    uint32_t arrived;
    uint32_t blocked; /* location that waits for the others; UINT32_MAX: none */
} Operation;

typedef struct {
    uint32_t location, unused;
    uint64_t i;
} Place;

typedef struct {
    XtfLateWork work;
    Walk *walks;
    uint32_t n_locations;
    GQueue ready;           /* numbers of locations, plus 1 */
    GHashTable *costs;      /* Place of a wait of a message that was passed -> XtfCosts */
    GHashTable *blocked;    /* Place of a wait -> number of the location that waits for it to be passed, plus 1 */
    GHashTable *operations; /* guint64 -> Operation */
    XtfCausesCounts counts;
    bool forced; /* the point at hand is gone over without what is not known */
} Pass;

typedef enum { WENT, BLOCKED, FAILED } Step;

static guint hash_place(gconstpointer key)
{
    const Place *place = key;

    return (guint)((place->i * UINT64_C(0x9e3779b97f4a7c15) + place->location) >> 16);
}

static gboolean same_place(gconstpointer a, gconstpointer b)
{
    const Place *one = a, *other = b;

    return one->location == other->location && one->i == other->i;
}

static void operation_free(gpointer data)
{
    Operation *operation = data;

    g_array_unref(operation->waiters);
    g_free(operation);
}

static void wake(Pass *pass, uint32_t location)
{
    if (!pass->walks[location].queued) {
        pass->walks[location].queued = true;
        g_queue_push_tail(&pass->ready, GUINT_TO_POINTER(location + 1));
    }
}

/* What the wait has to bear, and what of it went on. */
static void settle(Pass *pass, XtfWaiter *waiter)
{
    XtfSyncPoint *point = &waiter->point;
    XtfRests *rests = &pass->work.rests[waiter->location];
    double propagating, passed = 0;

    point->indirect = point->propagating = point->passed = 0;
    point->cause = UINT64_MAX;
    if (point->wait == 0)
        return;
    xtf_passing_costs(&pass->work.passing[waiter->location], waiter->i, point->wait, &waiter->costs, &propagating);
    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        passed += waiter->costs.of[kind];
    point->passed =
        xtf_share_round(rests, xtf_share_key(point->context, XTF_SHARE_PASSED + point->cost), passed, UINT64_MAX);
    point->propagating = xtf_share_round(rests, xtf_share_key(point->context, XTF_SHARE_PROPAGATING + point->cost),
                                         propagating, point->wait);
}

/* A wait for a message: whoever was late may go on. */
static Step pass_wait(Pass *pass, XtfWaiter *waiter, GError **error)
{
    const Place place = {.location = waiter->location, .i = waiter->i};
    bool nothing = true;

    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        nothing &= waiter->costs.of[kind] <= 0;
    if (!nothing)
        g_hash_table_insert(pass->costs, g_memdup2(&place, sizeof place),
                            g_memdup2(&waiter->costs, sizeof waiter->costs));
    if (!xtf_sync_points_put(pass->work.points, place.location, place.i, &waiter->point, error))
        return FAILED;
    uint32_t blocked = GPOINTER_TO_UINT(g_hash_table_lookup(pass->blocked, &place));
    if (blocked > 0) {
        g_hash_table_remove(pass->blocked, &place);
        wake(pass, blocked - 1);
    }
    return WENT;
}

/* The point that waited for this one; false in *found if there is none. */
static bool find_waiter(Pass *pass, const XtfSyncPoint *point, XtfWaiter *waiter, bool *found, GError **error)
{
    XtfSyncKind kind = point->kind == XTF_SYNC_SEND ? XTF_SYNC_LATE_SENDER : XTF_SYNC_LATE_RECEIVER;
    XtfSyncPoints *points = pass->work.points;

    *found = false;
    if (point->other >= pass->n_locations)
        return true;
    *waiter = (XtfWaiter){.location = point->other};
    if (!xtf_sync_points_find(points, point->other, point->other_seq, &waiter->i, error))
        return false;
    for (; waiter->i < xtf_sync_points_n(points, point->other); waiter->i++) {
        if (!xtf_sync_points_get(points, point->other, waiter->i, &waiter->point, error))
            return false;
        if (waiter->point.key.seq != point->other_seq)
            return true;
        if (waiter->point.kind == kind && waiter->point.wait > 0) {
            *found = true;
            return true;
        }
    }
    return true;
}

/* A send or a posting that another location waited for. */
static Step pass_late(Pass *pass, uint32_t location, uint64_t i, const XtfSyncPoint *point, GError **error)
{
    XtfWaiter waiter;
    bool found;

    if (!find_waiter(pass, point, &waiter, &found, error))
        return FAILED;
    if (!found) {
        pass->counts.lost++;
        return WENT;
    }
    const Place place = {.location = waiter.location, .i = waiter.i};
    if (pass->walks[waiter.location].at > waiter.i && !pass->forced) {
        g_hash_table_insert(pass->blocked, g_memdup2(&place, sizeof place), GUINT_TO_POINTER(location + 1));
        return BLOCKED;
    }
    const XtfCosts *costs = g_hash_table_lookup(pass->costs, &place);
    if (costs)
        waiter.costs = *costs;
    g_hash_table_remove(pass->costs, &place);
    pass->counts.explained++;
    return xtf_late_at(&pass->work, location, i, point, NULL, &waiter, 1, error) ? WENT : FAILED;
}

static Operation *operation_of(Pass *pass, uint64_t number)
{
    Operation *operation = g_hash_table_lookup(pass->operations, &number);

    if (!operation) {
        operation = g_new0(Operation, 1);
        operation->waiters = g_array_new(false, false, sizeof(XtfWaiter));
        operation->blocked = UINT32_MAX;
        g_hash_table_insert(pass->operations, g_memdup2(&number, sizeof number), operation);
    }
    return operation;
}

static Step pass_member(Pass *pass, XtfWaiter *waiter, GError **error)
{
    const XtfSyncPoint *point = &waiter->point;
    XtfSyncOperation all;

    if (!xtf_sync_points_operation(pass->work.points, point->operation, &all, error) ||
        !xtf_sync_points_put(pass->work.points, waiter->location, waiter->i, point, error))
        return FAILED;
    Operation *operation = operation_of(pass, point->operation);
    if (all.late != waiter->location || all.late_seq != point->key.seq) {
        if (point->wait > 0)
            g_array_append_val(operation->waiters, *waiter);
        if (++operation->arrived + 1 == all.n_points && operation->blocked != UINT32_MAX)
            wake(pass, operation->blocked);
        return WENT;
    }
    if (operation->arrived + 1 < all.n_points && !pass->forced) {
        operation->blocked = waiter->location;
        return BLOCKED;
    }
    pass->counts.explained += operation->waiters->len;
    bool good = xtf_late_at(&pass->work, waiter->location, waiter->i, point, &all,
                            (XtfWaiter *)(void *)operation->waiters->data, operation->waiters->len, error);
    g_hash_table_remove(pass->operations, &point->operation);
    return good ? WENT : FAILED;
}

/* Goes back over one point. */
static Step step(Pass *pass, uint32_t location, GError **error)
{
    XtfWaiter waiter = {.location = location, .i = pass->walks[location].at - 1};

    if (!xtf_sync_points_get(pass->work.points, location, waiter.i, &waiter.point, error))
        return FAILED;
    switch (waiter.point.kind) {
    case XTF_SYNC_LATE_SENDER:
    case XTF_SYNC_LATE_RECEIVER:
        settle(pass, &waiter);
        return pass_wait(pass, &waiter, error);
    case XTF_SYNC_SEND:
    case XTF_SYNC_POSTING:
        return pass_late(pass, location, waiter.i, &waiter.point, error);
    case XTF_SYNC_MEMBER:
        if (!pass->walks[location].settled)
            settle(pass, &waiter);
        pass->walks[location].settled = true; /* it may come here again, if it has to wait for others */
        return pass_member(pass, &waiter, error);
    default:
        settle(pass, &waiter);
        return xtf_sync_points_put(pass->work.points, location, waiter.i, &waiter.point, error) ? WENT : FAILED;
    }
}

/* As far back as a location comes. */
static bool go(Pass *pass, uint32_t location, const XtfCausesOptions *options, GError **error)
{
    Walk *walk = &pass->walks[location];

    for (uint32_t n = 1; walk->at > 0; n++) {
        if (n % 1024 == 0 && options->cancel && atomic_load(options->cancel))
            return xtf_fail(error, XTF_ERROR_CANCELLED, "cancelled");
        switch (step(pass, location, error)) {
        case FAILED:
            return false;
        case BLOCKED:
            return true;
        case WENT:
            walk->at--;
            walk->settled = pass->forced = false;
        }
    }
    return true;
}

/* Everybody waits for somebody: the first one goes on without what it does not know. */
static bool break_circle(Pass *pass)
{
    for (uint32_t location = 0; location < pass->n_locations; location++) {
        if (pass->walks[location].at > 0) {
            pass->counts.circles++;
            pass->forced = true;
            wake(pass, location);
            return true;
        }
    }
    return false;
}

static bool run(Pass *pass, const XtfCausesOptions *options, GError **error)
{
    for (uint32_t location = pass->n_locations; location-- > 0;)
        wake(pass, location);
    do {
        gpointer next;
        while ((next = g_queue_pop_head(&pass->ready))) {
            uint32_t location = GPOINTER_TO_UINT(next) - 1;
            pass->walks[location].queued = false;
            if (!go(pass, location, options, error))
                return false;
        }
    } while (break_circle(pass));
    return true;
}

static void pass_finish(Pass *pass)
{
    for (uint32_t location = 0; location < pass->n_locations; location++) {
        xtf_passing_finish(&pass->work.passing[location]);
        xtf_rests_finish(&pass->work.rests[location]);
    }
    g_free(pass->work.passing);
    g_free(pass->work.rests);
    g_free(pass->work.charges);
    xtf_context_times_finish(&pass->work.all);
    xtf_context_times_finish(&pass->work.mine);
    xtf_context_times_finish(&pass->work.theirs);
    g_hash_table_unref(pass->costs);
    g_hash_table_unref(pass->blocked);
    g_hash_table_unref(pass->operations);
    g_queue_clear(&pass->ready);
    g_free(pass->walks);
}

static void pass_init(Pass *pass, XtfSyncPoints *points, XtfCallTimes *times, XtfSortedFile *delays,
                      uint32_t n_contexts)
{
    uint32_t n = xtf_sync_points_n_locations(points);

    *pass = (Pass){
        .work =
            {
                .points = points,
                .times = times,
                .delays = delays,
                .passing = g_new0(XtfPassing, n),
                .rests = g_new0(XtfRests, n),
                .charges = g_new0(double, (size_t)n_contexts *XTF_CHARGES),
                .n_contexts = n_contexts,
            },
        .walks = g_new0(Walk, n),
        .n_locations = n,
        .costs = g_hash_table_new_full(hash_place, same_place, g_free, g_free),
        .blocked = g_hash_table_new_full(hash_place, same_place, g_free, NULL),
        .operations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, operation_free),
    };
    xtf_context_times_init(&pass->work.all, n_contexts);
    xtf_context_times_init(&pass->work.mine, n_contexts);
    xtf_context_times_init(&pass->work.theirs, n_contexts);
    for (uint32_t location = 0; location < n; location++)
        pass->walks[location].at = xtf_sync_points_n(points, location);
}

bool xtf_causes_find(XtfSyncPoints *points, XtfCallTimes *times, const XtfCausesOptions *options,
                     XtfSortedFile **delays, XtfCausesCounts *counts, GError **error)
{
    g_autoptr(XtfSortedFile) found =
        xtf_sorted_file_new(sizeof(XtfDelay), xtf_sync_points_n_locations(points), options->folder, error);
    Pass pass;

    if (!found)
        return false;
    pass_init(&pass, points, times, found, options->n_contexts);
    bool good = run(&pass, options, error) && xtf_sorted_file_sort(found, error);
    if (good) {
        *counts = pass.counts;
        *delays = g_steal_pointer(&found);
    }
    pass_finish(&pass);
    return good;
}
