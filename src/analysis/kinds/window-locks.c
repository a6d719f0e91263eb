/*
 * Locks of windows. MPI may grant a lock as late as at its release. So recorders write the request and the release,
 * and only some write the acquisition.
 *
 * A location that requested a lock waits for the last earlier holder whose lock excludes its own. The wait ends when
 * that holder leaves the call of its release. The wait is in the call of one-sided communication that the location is
 * in at that time. The order of locks is that of their releases (Scalasca: MPI_RMA_LC_COMPUTE).
 */
#include "src/analysis/kinds/kinds-private.h"
#include "src/model/wait-kinds.h"

enum { SHARED = 1 };

/* A location that released the lock. */
typedef struct {
    bool known;
    uint32_t location;
    uint64_t time, seq, row;
    uint64_t behind; /* seq of the record after the call of the release */
} Holder;

/* A location's use of the lock, from the request to the release. */
typedef struct {
    uint32_t location;
    bool exclusive, acquired, releasing, waits;
    XtfKindCall *call; /* the call that it waited in, if `waits` */
    Holder holder;
} Epoch;

typedef struct {
    GPtrArray *open;       /* Epoch */
    Holder any, exclusive; /* the last ones that released it: of any type, and exclusive */
} Lock;

struct XtfKindWindowLocks {
    GHashTable *locks; /* by window, target and number: Lock */
    GHashTable *calls; /* by location: the call of one-sided communication that it is in, XtfKindCall */
};

static void free_epoch(void *pointer)
{
    xtf_kind_call_unref(((Epoch *)pointer)->call);
    g_free(pointer);
}

static void free_lock(void *pointer)
{
    g_ptr_array_unref(((Lock *)pointer)->open);
    g_free(pointer);
}

static void unref_call(void *call)
{
    xtf_kind_call_unref(call);
}

XtfKindWindowLocks *xtf_kind_window_locks_new(const XtfKinds *kinds)
{
    XtfKindWindowLocks *locks = g_new0(XtfKindWindowLocks, 1);

    locks->locks = xtf_kind_table_new(free_lock);
    locks->calls = xtf_kind_table_new(unref_call);
    return locks;
}

void xtf_kind_window_locks_free(XtfKindWindowLocks *locks)
{
    if (!locks)
        return;
    g_hash_table_unref(locks->locks);
    g_hash_table_unref(locks->calls);
    g_free(locks);
}

static Lock *lock_of(XtfKinds *kinds, const XtfKindKey *key)
{
    Lock *lock = xtf_kind_table_get(kinds->window_locks->locks, key, sizeof(Lock));

    if (!lock->open)
        lock->open = g_ptr_array_new_with_free_func(free_epoch);
    return lock;
}

static Epoch *epoch_of(const Lock *lock, uint32_t location)
{
    for (guint i = 0; i < lock->open->len; i++) {
        Epoch *epoch = lock->open->pdata[i];
        if (epoch->location == location && !epoch->releasing)
            return epoch;
    }
    return NULL;
}

/* Sets or clears the epoch's wait: the holder released the lock while the epoch's location was in `call`, or (NULL)
 * in none. */
static void set_wait(Epoch *epoch, const Holder *holder, XtfKindCall *call)
{
    g_clear_pointer(&epoch->call, xtf_kind_call_unref);
    epoch->waits = call && holder->known && holder->location != epoch->location && holder->time > call->enter;
    if (epoch->waits) {
        epoch->call = xtf_kind_call_ref(call);
        epoch->holder = *holder;
    }
}

static void request_lock(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    const XtfKindKey key = {row->window, row->peer, row->lock, 0};
    Lock *lock = lock_of(kinds, &key);
    Epoch *epoch = epoch_of(lock, location->rows.number);

    if (!epoch) {
        epoch = g_new0(Epoch, 1);
        epoch->location = location->rows.number;
        epoch->exclusive = row->type != SHARED;
        set_wait(epoch, epoch->exclusive ? &lock->any : &lock->exclusive, xtf_kind_rows_call(&location->rows));
        g_ptr_array_add(lock->open, epoch);
    }
    epoch->acquired |= row->row_event == XTF_KIND_ROW_WINDOW_ACQUIRE;
}

/* ---- A release, once its call is left. */

typedef struct {
    XtfKindKey key;
    Epoch *epoch; /* owned by the lock */
    Holder holder;
} Release;

static void add_lock_wait(XtfKinds *kinds, const Epoch *epoch)
{
    const XtfKindRow row = {.seq = UINT64_MAX, .region = epoch->call->region};
    XtfKindWait wait = xtf_kinds_new_wait(&kinds->locations[epoch->location], &row, XTF_LABEL_lock_competition);

    wait.begin = epoch->call->enter;
    wait.end = epoch->holder.time;
    wait.culprit = kinds->locations[epoch->holder.location].index;
    wait.culprit_seq = epoch->holder.seq;
    wait.match = epoch->holder.row;
    wait.sync = XTF_KIND_PAIR;
    wait.arrival = (XtfKindArrival){.seq = epoch->holder.behind,
                                    .time = epoch->holder.time,
                                    .enter = epoch->holder.time,
                                    .end = epoch->holder.time};
    xtf_kinds_wait(kinds, epoch->call, &wait);
}

static void end_release(XtfKinds *kinds, XtfKindCall *call, void *data)
{
    Release *release = data;
    Lock *lock = lock_of(kinds, &release->key);

    if (call) {
        release->holder.time = call->leave;
        release->holder.behind = call->seq + 1;
    }
    if (release->epoch->waits && release->epoch->call->leave > release->epoch->holder.time)
        add_lock_wait(kinds, release->epoch);
    lock->any = release->holder;
    if (release->epoch->exclusive)
        lock->exclusive = release->holder;
    for (guint i = 0; i < lock->open->len; i++) {
        Epoch *waiter = lock->open->pdata[i];
        const XtfKindKey place = {waiter->location, 0, 0, 0};
        if (waiter != release->epoch && !waiter->acquired && (waiter->exclusive || release->epoch->exclusive))
            set_wait(waiter, &release->holder, g_hash_table_lookup(kinds->window_locks->calls, &place));
    }
    g_ptr_array_remove_fast(lock->open, release->epoch);
}

static void handle_release(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Release release = {.key = {row->window, row->peer, row->lock, 0}};

    release.epoch = epoch_of(lock_of(kinds, &release.key), location->rows.number);
    if (!release.epoch)
        return;
    release.epoch->releasing = true;
    release.holder = (Holder){.known = true,
                              .location = location->rows.number,
                              .time = row->time,
                              .seq = row->seq,
                              .row = row->row,
                              .behind = row->seq};
    xtf_kinds_then(kinds, xtf_kind_rows_call(&location->rows), end_release, g_memdup2(&release, sizeof release),
                   g_free);
}

/* Records the call of one-sided communication that a location enters, and forgets the call at its end. */
static void keep_call(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    const XtfKindKey place = {location->rows.number, 0, 0, 0};

    if (row->row_event == XTF_KIND_ROW_ENTER)
        g_hash_table_replace(kinds->window_locks->calls, g_memdup2(&place, sizeof place),
                             xtf_kind_call_ref(xtf_kind_rows_call(&location->rows)));
    else
        g_hash_table_remove(kinds->window_locks->calls, &place);
}

void xtf_kind_window_locks_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    if (row->row_event == XTF_KIND_ROW_WINDOW_REQUEST || row->row_event == XTF_KIND_ROW_WINDOW_ACQUIRE)
        request_lock(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_WINDOW_RELEASE)
        handle_release(kinds, location, row);
    else if ((row->row_event == XTF_KIND_ROW_ENTER || row->row_event == XTF_KIND_ROW_LEAVE) &&
             row->special >= XTF_KIND_REGION_RMA)
        keep_call(kinds, location, row);
}

/* Ends the walk: a lock that is never released adds no wait. */
void xtf_kind_window_locks_finish(XtfKinds *kinds)
{
}
