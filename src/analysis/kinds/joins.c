/*
 * Threads that are created and joined one by one, as POSIX threads are. Who joins a thread waits from the enter of the
 * call with THREAD_WAIT to THREAD_END. THREAD_BEGIN is no wait, but leads to THREAD_CREATE. A thread is known by its
 * number, `sequence`, in its process and its contingent, which is a communicator or none.
 */
#include "src/analysis/kinds/kinds-private.h"
#include "src/model/wait-kinds.h"

/* A record of a thread. */
typedef struct {
    bool known;
    uint32_t location;
    uint64_t time, seq, row;
} Mark;

/* From its creation, or what is known of it first, until it is joined. */
typedef struct {
    Mark created, ended;
    bool waiting; /* somebody joins it, and its end is not known yet */
    XtfKindCall *call;
    XtfKindWait wait;
} Joined;

struct XtfKindJoins {
    GHashTable *threads; /* by process, contingent and sequence: Joined */
};

static void free_joined(void *joined)
{
    xtf_kind_call_unref(((Joined *)joined)->call);
    g_free(joined);
}

XtfKindJoins *xtf_kind_joins_new(const XtfKinds *kinds)
{
    XtfKindJoins *joins = g_new0(XtfKindJoins, 1);

    joins->threads = xtf_kind_table_new(free_joined);
    return joins;
}

void xtf_kind_joins_free(XtfKindJoins *joins)
{
    if (!joins)
        return;
    g_hash_table_unref(joins->threads);
    g_free(joins);
}

static Mark mark_of(const XtfKindLocation *location, const XtfKindRow *row)
{
    return (Mark){true, location->rows.number, row->time, row->seq, row->row};
}

static void tell(XtfKinds *kinds, XtfKindCall *call, XtfKindWait *wait, const Mark *culprit)
{
    wait->culprit = kinds->locations[culprit->location].index;
    wait->culprit_seq = culprit->seq;
    wait->match = culprit->row;
    xtf_kinds_wait(kinds, call, wait);
}

static void begin(XtfKinds *kinds, const Joined *joined, const XtfKindLocation *location, const XtfKindRow *row)
{
    if (!joined->created.known || joined->created.location == location->rows.number)
        return;
    XtfKindWait wait = xtf_kinds_new_wait(location, row, XTF_LABEL_thread_join);
    wait.sync = XTF_KIND_CREATED;
    wait.begin = wait.end = MIN(joined->created.time, row->time);
    tell(kinds, NULL, &wait, &joined->created);
}

/* Completes a wait for a thread that has ended. The path goes on there, but after a wait of less than LEAST of the
 * thread's life: who joins it was as busy, and what a thread of a pool waited for may not be recorded. */
static void tell_join(XtfKinds *kinds, XtfKindCall *call, Joined *joined)
{
    enum { LEAST = 100 }; /* a hundredth */
    uint64_t ended = joined->ended.time, begun = joined->created.known ? joined->created.time : ended;
    uint64_t life = ended - MIN(begun, ended), waited = ended - MIN(joined->wait.begin, ended);

    joined->wait.end = ended;
    joined->wait.leads = waited >= life / LEAST;
    tell(kinds, call, &joined->wait, &joined->ended);
}

static void end(XtfKinds *kinds, const XtfKindKey *key, Joined *joined, const XtfKindLocation *location,
                const XtfKindRow *row)
{
    joined->ended = mark_of(location, row);
    if (!joined->waiting)
        return;
    tell_join(kinds, joined->call, joined);
    g_hash_table_remove(kinds->joins->threads, key);
}

/* A recorder may write the record before it waits: then the thread's end comes later. */
static void join(XtfKinds *kinds, const XtfKindKey *key, Joined *joined, XtfKindLocation *location,
                 const XtfKindRow *row)
{
    XtfKindCall *call = xtf_kind_rows_call(&location->rows);

    if (!call || joined->waiting)
        return;
    joined->wait = xtf_kinds_new_wait(location, row, XTF_LABEL_thread_join);
    joined->wait.begin = call->enter;
    if (!joined->ended.known) {
        joined->waiting = true;
        joined->call = xtf_kind_call_ref(call);
        return;
    }
    tell_join(kinds, call, joined);
    g_hash_table_remove(kinds->joins->threads, key);
}

void xtf_kind_joins_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    bool matters = row->what == XTF_KIND_ROW_THREAD_CREATE || row->what == XTF_KIND_ROW_THREAD_BEGIN ||
                   row->what == XTF_KIND_ROW_THREAD_END || row->what == XTF_KIND_ROW_THREAD_WAIT;

    if (!matters || row->sequence == UINT64_MAX)
        return;
    const XtfKindKey key = {kinds->processes[location->process].proc, row->comm, row->sequence, 0};
    Joined *joined = xtf_kind_table_get(kinds->joins->threads, &key, sizeof(Joined));
    if (row->what == XTF_KIND_ROW_THREAD_CREATE)
        joined->created = mark_of(location, row);
    else if (row->what == XTF_KIND_ROW_THREAD_BEGIN)
        begin(kinds, joined, location, row);
    else if (row->what == XTF_KIND_ROW_THREAD_END)
        end(kinds, &key, joined, location, row);
    else
        join(kinds, &key, joined, location, row);
}

void xtf_kind_joins_finish(XtfKinds *kinds)
{
    /* Of threads that never end nobody knows until when they were waited for. */
    g_hash_table_remove_all(kinds->joins->threads);
}
