/*
 * Threads that are created and joined one by one, such as POSIX threads. A thread that joins another one waits from
 * the enter of the call with THREAD_WAIT to the other's THREAD_END. THREAD_BEGIN is no wait, but the critical path
 * leads from it to THREAD_CREATE. The key of a thread is its number, `sequence`, in its process and its contingent,
 * which is a communicator or none.
 */
#include "src/analysis/kinds/kinds-private.h"
#include "src/model/wait-kinds.h"

/* A record of a thread. */
typedef struct {
    bool known;
    uint32_t location;
    uint64_t time, seq, row;
} Mark;

/* A thread, from its first record until it is joined. */
typedef struct {
    Mark created, ended;
    bool waiting; /* a join of this thread was read before its THREAD_END */
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

static void pass_thread_wait(XtfKinds *kinds, XtfKindCall *call, XtfKindWait *wait, const Mark *culprit)
{
    wait->culprit = kinds->locations[culprit->location].index;
    wait->culprit_seq = culprit->seq;
    wait->match = culprit->row;
    xtf_kinds_wait(kinds, call, wait);
}

static void begin_thread(XtfKinds *kinds, const Joined *joined, const XtfKindLocation *location, const XtfKindRow *row)
{
    if (!joined->created.known || joined->created.location == location->rows.number)
        return;
    XtfKindWait wait = xtf_kinds_new_wait(location, row, XTF_LABEL_thread_join);
    wait.sync = XTF_KIND_CREATED;
    wait.begin = wait.end = MIN(joined->created.time, row->time);
    pass_thread_wait(kinds, NULL, &wait, &joined->created);
}

/* Completes a wait for a thread that has ended. The critical path continues there, unless the wait is less than 1 /
 * LIFE_PER_WAIT of the thread's life. After such a short wait the joining thread was as busy, and waits of a pool's
 * thread may not be recorded. */
static void pass_join(XtfKinds *kinds, XtfKindCall *call, Joined *joined)
{
    enum { LIFE_PER_WAIT = 100 };
    uint64_t ended = joined->ended.time, begun = joined->created.known ? joined->created.time : ended;
    uint64_t life = ended - MIN(begun, ended), waited = ended - MIN(joined->wait.begin, ended);

    joined->wait.end = ended;
    joined->wait.leads = waited >= life / LIFE_PER_WAIT;
    pass_thread_wait(kinds, call, &joined->wait, &joined->ended);
}

static void end_thread(XtfKinds *kinds, const XtfKindKey *key, Joined *joined, const XtfKindLocation *location,
                       const XtfKindRow *row)
{
    joined->ended = mark_of(location, row);
    if (!joined->waiting)
        return;
    pass_join(kinds, joined->call, joined);
    g_hash_table_remove(kinds->joins->threads, key);
}

/* Handles THREAD_WAIT. A recorder may write it before it waits: then the thread's end is read later. */
static void join_thread(XtfKinds *kinds, const XtfKindKey *key, Joined *joined, XtfKindLocation *location,
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
    pass_join(kinds, call, joined);
    g_hash_table_remove(kinds->joins->threads, key);
}

void xtf_kind_joins_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    bool matters = row->row_event == XTF_KIND_ROW_THREAD_CREATE || row->row_event == XTF_KIND_ROW_THREAD_BEGIN ||
                   row->row_event == XTF_KIND_ROW_THREAD_END || row->row_event == XTF_KIND_ROW_THREAD_WAIT;

    if (!matters || row->sequence == UINT64_MAX)
        return;
    const XtfKindKey key = {kinds->processes[location->process].proc, row->comm, row->sequence, 0};
    Joined *joined = xtf_kind_table_get(kinds->joins->threads, &key, sizeof(Joined));
    if (row->row_event == XTF_KIND_ROW_THREAD_CREATE)
        joined->created = mark_of(location, row);
    else if (row->row_event == XTF_KIND_ROW_THREAD_BEGIN)
        begin_thread(kinds, joined, location, row);
    else if (row->row_event == XTF_KIND_ROW_THREAD_END)
        end_thread(kinds, &key, joined, location, row);
    else
        join_thread(kinds, &key, joined, location, row);
}

void xtf_kind_joins_finish(XtfKinds *kinds)
{
    /* A thread without an end adds no wait: its end is unknown. */
    g_hash_table_remove_all(kinds->joins->threads);
}
