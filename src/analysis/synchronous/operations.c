#include "src/analysis/synchronous/operations.h"

#define NONE UINT32_MAX

typedef struct {
    uint64_t *places; /* by rank: of the begins; 0: sends nothing */
    uint32_t n_known; /* ranks whose places are known */
    uint32_t n_left;  /* members that have not ended */
    uint32_t n_waits; /* needs that are not met */
    uint32_t next;    /* next free operation */
} Operation;

static Operation *operation_at(const XtfSynchronousOperations *operations, uint32_t counter)
{
    return &g_array_index(operations->all, Operation, counter - operations->first);
}

void xtf_synchronous_operations_init(XtfSynchronousOperations *operations, XtfSyncCounters *counters, uint32_t first)
{
    *operations = (XtfSynchronousOperations){
        .counters = counters,
        .all = g_array_new(FALSE, FALSE, sizeof(Operation)),
        .first = first,
        .free = NONE,
    };
}

void xtf_synchronous_operations_finish(XtfSynchronousOperations *operations)
{
    for (guint i = 0; operations->all && i < operations->all->len; i++)
        g_free(g_array_index(operations->all, Operation, i).places);
    g_clear_pointer(&operations->all, g_array_unref);
}

/* Returns the counter of an operation; the first member to end adds it. */
static uint32_t counter_of(XtfSynchronousOperations *operations, XtfReplayCollective *collective)
{
    const Operation new = {.places = g_new(uint64_t, collective->n_members), .n_left = collective->n_members};

    if (collective->scratch) {
        g_free(new.places);
        return (uint32_t)collective->scratch;
    }
    uint32_t counter = operations->free;
    if (counter != NONE) {
        operations->free = operation_at(operations, counter)->next;
        *operation_at(operations, counter) = new;
        xtf_sync_counter(operations->counters, counter)->value = 0;
    } else {
        counter = xtf_sync_counters_add(operations->counters);
        g_array_append_val(operations->all, new);
    }
    collective->scratch = counter;
    return counter;
}

static void free_if_over(XtfSynchronousOperations *operations, uint32_t counter)
{
    Operation *operation = operation_at(operations, counter);

    if (operation->n_left > 0 || operation->n_waits > 0 ||
        xtf_sync_counter(operations->counters, counter)->awaited != XTF_NO_COUNTER)
        return;
    g_clear_pointer(&operation->places, g_free);
    operation->next = operations->free;
    operations->free = counter;
}

/* Lets an operation know the places of ranks below `n`. */
static void add_places(XtfSynchronousOperations *operations, uint32_t counter, const XtfReplayCollective *collective,
                       uint32_t n)
{
    Operation *operation = operation_at(operations, counter);

    for (uint32_t *i = &operation->n_known; *i < n; ++*i) {
        const XtfReplayMember *member = &collective->members[*i];
        operation->places[*i] = member->begun && member->sends ? member->value : 0;
    }
    if (xtf_sync_counter(operations->counters, counter)->awaited == XTF_NO_COUNTER)
        xtf_synchronous_operations_continue(operations, counter);
}

void xtf_synchronous_operations_continue(XtfSynchronousOperations *operations, uint32_t counter)
{
    const Operation *operation = operation_at(operations, counter);
    uint64_t rank = xtf_sync_counter(operations->counters, counter)->value;

    for (; rank < operation->n_known; rank++) {
        uint64_t place = operation->places[rank];
        if (xtf_sync_counters_wait(operations->counters, counter, xtf_place_location(place), xtf_place_call(place)))
            break;
    }
    xtf_sync_counters_raise(operations->counters, counter, rank);
}

/* Finds the number of members, from rank 0 on, that the end of a rank needs; 0: none. */
static uint32_t count_needed(const XtfReplayCollective *collective, uint32_t rank)
{
    if (!collective->members[rank].receives)
        return 0;
    switch (collective->pattern) {
    case XTF_REPLAY_ALL_TO_ALL:
        return collective->n_members;
    case XTF_REPLAY_ALL_TO_ONE:
        return rank == collective->root ? collective->n_members : 0;
    case XTF_REPLAY_SCAN:
        return rank;
    case XTF_REPLAY_ONE_TO_ALL:
    case XTF_REPLAY_NOBODY:
        break;
    }
    return 0;
}

bool xtf_synchronous_operations_end(XtfSynchronousOperations *operations, XtfReplayCollective *collective,
                                    uint32_t rank, bool waits, uint32_t *counter, uint64_t *level)
{
    uint32_t root = collective->root;

    if (collective->pattern == XTF_REPLAY_ONE_TO_ALL) {
        if (root == rank || !xtf_replay_needs(collective, rank, root))
            return false;
        *counter = xtf_place_location(collective->members[root].value);
        *level = xtf_place_call(collective->members[root].value);
        return true;
    }
    if (collective->pattern == XTF_REPLAY_NOBODY)
        return false;
    uint32_t n = count_needed(collective, rank), number = counter_of(operations, collective);
    Operation *operation = operation_at(operations, number);
    operation->n_left--;
    if (n == 0 || !waits) {
        free_if_over(operations, number);
        return false;
    }
    operation->n_waits++;
    add_places(operations, number, collective, n);
    *counter = number;
    *level = n;
    return true;
}

void xtf_synchronous_operations_leave(XtfSynchronousOperations *operations, uint32_t counter)
{
    operation_at(operations, counter)->n_waits--;
    free_if_over(operations, counter);
}
