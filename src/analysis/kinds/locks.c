/*
 * Locks of threads. A thread that acquires a lock as number n in its order waits until the last release of number n -
 * 1 (Scalasca: LockTracking.cpp). A thread may acquire a recursive lock again while it holds it. The order number then
 * stays the same, so a number is over with its last release.
 *
 * Locks of files have no order number. A location that acquires one waits until its last release before.
 */
#include "libxtf/trace.h"
#include "src/analysis/kinds/kind-fields.h"
#include "src/analysis/kinds/kinds-private.h"

#include "libxtf/vocabulary.h"
#include "src/model/wait-kinds.h"

/* The last release of an order number. */
typedef struct {
    bool known;
    uint32_t order, location;
    uint64_t time, seq, row;
} Release;

/* A lock of threads. At most one location waits for the release of the previous order number. */
typedef struct {
    Release release;
    bool waiting;
    uint32_t order, location; /* of the last acquisition */
    bool acquired;
    XtfKindCall *call;
    XtfKindWait wait;
} Lock;

enum { EXCLUSIVE, SHARED, LOCK_TYPES };

/* A lock of a file: the latest release of each type. */
typedef struct {
    Release releases[LOCK_TYPES];
} FileLock;

struct XtfKindLocks {
    GHashTable *locks, *files;
    const XtfTable *handles; /* table `io_handles`; NULL: the trace has none */
    bool loaded;
};

static void free_lock(void *lock)
{
    xtf_kind_call_unref(((Lock *)lock)->call);
    g_free(lock);
}

XtfKindLocks *xtf_kind_locks_new(const XtfKinds *kinds)
{
    XtfKindLocks *locks = g_new0(XtfKindLocks, 1);
    *locks = (XtfKindLocks){.locks = xtf_kind_table_new(free_lock), .files = xtf_kind_table_new(g_free)};
    return locks;
}

void xtf_kind_locks_free(XtfKindLocks *locks)
{
    if (!locks)
        return;
    g_hash_table_unref(locks->locks);
    g_hash_table_unref(locks->files);
    g_free(locks);
}

static void pass_lock_wait(XtfKinds *kinds, XtfKindWait *wait, XtfKindCall *call, const Release *release)
{
    wait->end = release->time;
    wait->culprit = kinds->locations[release->location].index;
    wait->culprit_seq = release->seq;
    wait->match = release->row;
    xtf_kinds_wait(kinds, call, wait);
}

/* Ends the wait for the previous order number at its last release so far. */
static void settle_wait(XtfKinds *kinds, Lock *lock)
{
    if (lock->waiting && lock->release.known && lock->release.order + 1 == lock->order)
        pass_lock_wait(kinds, &lock->wait, lock->call, &lock->release);
    lock->waiting = false;
    g_clear_pointer(&lock->call, xtf_kind_call_unref);
}

static Lock *lock_of(XtfKinds *kinds, const XtfKindLocation *location, const XtfKindRow *row)
{
    const XtfKindKey key = {kinds->processes[location->process].proc, row->model, row->lock, 0};
    return xtf_kind_table_get(kinds->locks->locks, &key, sizeof(Lock));
}

static void acquire_lock(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Lock *lock = lock_of(kinds, location, row);

    if (lock->acquired && lock->order == row->order && lock->location == location->rows.number)
        return;
    settle_wait(kinds, lock);
    XtfKindCall *call = xtf_kind_rows_call(&location->rows);
    lock->acquired = true;
    lock->order = row->order;
    lock->location = location->rows.number;
    lock->wait = xtf_kinds_new_wait(location, row, XTF_LABEL_lock_contention);
    /* The critical path does not follow OpenMP's locks, as in Scalasca. */
    lock->wait.leads = kinds->fields->has_pthread && row->model == kinds->fields->pthread;
    if (call) {
        lock->wait.begin = call->enter;
        lock->call = xtf_kind_call_ref(call);
        lock->waiting = true;
    }
}

static void release_lock(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Lock *lock = lock_of(kinds, location, row);

    if (lock->order == row->order)
        settle_wait(kinds, lock);
    lock->release = (Release){true, row->order, location->rows.number, row->time, row->seq, row->row};
}

/* ---- Files. */

/* Returns the key of a handle's file: a row of `io_files`, or, if unknown, the handle of its process. */
static XtfKindKey file_of(XtfKinds *kinds, const XtfKindLocation *location, const XtfKindRow *row)
{
    XtfKindLocks *locks = kinds->locks;
    XtfKindKey own = {1, kinds->processes[location->process].proc, row->handle, 0};

    if (!locks->loaded && !kinds->failed)
        locks->loaded = xtf_trace_table(kinds->context->trace, "io_handles", &locks->handles, &kinds->failed);
    if (!locks->handles || row->handle >= locks->handles->n_rows)
        return own;
    const XtfField *file = xtf_schema_field(locks->handles->schema, "file");
    const uint8_t *handle = locks->handles->rows + (uint64_t)row->handle * locks->handles->schema->row_size;
    if (!file || xtf_field_is_none(file, handle))
        return own;
    return (XtfKindKey){0, xtf_field_get(file, handle), 0, 0};
}

static void acquire_file(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    const XtfKindKey key = file_of(kinds, location, row);
    const FileLock *lock = xtf_kind_table_get(kinds->locks->files, &key, sizeof(FileLock));
    XtfKindCall *call = xtf_kind_rows_call(&location->rows);
    const Release *last = &lock->releases[EXCLUSIVE];

    if (row->type != SHARED && lock->releases[SHARED].known &&
        (!last->known || lock->releases[SHARED].time > last->time))
        last = &lock->releases[SHARED];
    if (!call || !last->known || last->location == location->rows.number)
        return;
    XtfKindWait wait = xtf_kinds_new_wait(location, row, XTF_LABEL_io_lock);
    wait.begin = call->enter;
    pass_lock_wait(kinds, &wait, call, last);
}

static void release_file(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    const XtfKindKey key = file_of(kinds, location, row);
    FileLock *lock = xtf_kind_table_get(kinds->locks->files, &key, sizeof(FileLock));

    lock->releases[row->type == SHARED ? SHARED : EXCLUSIVE] =
        (Release){true, 0, location->rows.number, row->time, row->seq, row->row};
}

void xtf_kind_locks_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    if (row->row_event == XTF_KIND_ROW_ACQUIRE)
        acquire_lock(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_RELEASE)
        release_lock(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_FILE_ACQUIRE)
        acquire_file(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_FILE_RELEASE)
        release_file(kinds, location, row);
}

void xtf_kind_locks_finish(XtfKinds *kinds)
{
    GHashTableIter iter;
    void *lock;

    g_hash_table_iter_init(&iter, kinds->locks->locks);
    while (g_hash_table_iter_next(&iter, NULL, &lock))
        settle_wait(kinds, lock);
}
