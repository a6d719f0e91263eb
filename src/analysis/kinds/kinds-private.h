/*
 * Types and functions of this room.
 *
 *   kind-fields.c   fields of the schemas; meanings of labels and regions
 *   kind-rows.c     the rows of a location, with the calls around them
 *   kind-waits.c    waits until they reach the consumer; functions that all files use
 *   kinds.c         all locations, in the order of the clock
 *   locks.c         locks of threads and of files
 *   joins.c         threads that are created and joined
 *   teams.c         OpenMP's teams: barriers, forks
 *   idle.c          threads of OpenMP outside of teams
 *   window-operation.c  members of collective operations of windows
 *   modes.c         waits by the mode of a collective operation of UPC
 *   windows.c       windows: members, and collective operations
 *   epochs.c        post, start, complete, wait
 *   window-locks.c  locks of windows
 */
#pragma once

#include "src/analysis/kinds/kind-rows.h"
#include "src/model/schemas.h"

/* A key of a hash table. */
typedef struct {
    uint64_t a, b, c, d;
} XtfKindKey;

/* Creates a table by XtfKindKey that owns keys and values. */
GHashTable *xtf_kind_table_new(GDestroyNotify free_value);
/* Returns the value of a key, which the table owns. Adds a value of `size` zero bytes for a new key. */
void *xtf_kind_table_get(GHashTable *table, const XtfKindKey *key, size_t size);

/* FINDER(name, Type): a finder of some kinds of waits, in a file with the four functions of XTF_KIND_FINDER. Finders
 * get each row in this order. */
#define XTF_KIND_FINDERS(FINDER) \
    FINDER(locks, Locks)         \
    FINDER(joins, Joins)         \
    FINDER(idle, Idle)           \
    FINDER(teams, Teams)         \
    FINDER(windows, Windows)     \
    FINDER(epochs, Epochs)       \
    FINDER(window_locks, WindowLocks)

#define XTF_KIND_STATE(name, Type) typedef struct XtfKind##Type XtfKind##Type;
XTF_KIND_FINDERS(XTF_KIND_STATE)
#undef XTF_KIND_STATE

typedef struct {
    uint32_t index;   /* index in xtf_trace_context_locations() */
    uint32_t process; /* number of its process, an index into `processes` */
    XtfKindRows rows;
} XtfKindLocation;

typedef struct {
    uint64_t proc;
    uint32_t first_location, n_locations;
    uint64_t first, last; /* times of its records */
} XtfKindProcess;

struct XtfKinds {
    XtfTraceContext *context;
    XtfRunWindow window; /* only rows in it */
    const XtfRanks *ranks;
    XtfKindFields *fields;
    uint8_t *regions;
    uint64_t n_regions;
    XtfKindLocation *locations; /* locations that have rows which may cause waits, by (process, thread) */
    uint32_t n_locations;
    XtfKindProcess *processes;
    uint32_t n_processes;
    uint32_t *heap; /* heap of numbers of locations: the location with the earliest next row is first */
    uint32_t n_heap;
    const XtfKindConsumer *consumer;
    GError *failed; /* the first error of the consumer, or of a table */
#define XTF_KIND_MEMBER(name, Type) XtfKind##Type *name;
    XTF_KIND_FINDERS(XTF_KIND_MEMBER)
#undef XTF_KIND_MEMBER
};

/* Finds the number of a process by `proc`; UINT32_MAX: no such process. */
uint32_t xtf_kinds_process(const XtfKinds *kinds, uint64_t proc);

/* Passes a wait on to the consumer when the call is left, clipped to the call; at once without a call. Skips empty
 * waits. */
void xtf_kinds_wait(XtfKinds *kinds, XtfKindCall *call, const XtfKindWait *wait);
/* Calls `done` when the call is left; at once if `call` is NULL or was left. Then calls `free` for `data`. */
void xtf_kinds_then(XtfKinds *kinds, XtfKindCall *call, void (*done)(XtfKinds *, XtfKindCall *, void *), void *data,
                    GDestroyNotify free);

/* Calls the functions of xtf_kinds_then() for a call that was left, then passes on its waits. */
void xtf_kinds_leave(XtfKinds *kinds, XtfKindCall *call);

/* Returns a wait without culprit and part that begins and ends at the row's time, at the row's record. */
XtfKindWait xtf_kinds_new_wait(const XtfKindLocation *location, const XtfKindRow *row, uint8_t kind);

/* A finder's state: what is still open. `free` accepts NULL. `row` handles the current row of a location. `finish`
 * is called after all rows. */
#define XTF_KIND_FINDER(name, Type)                                                                \
    XtfKind##Type *xtf_kind_##name##_new(const XtfKinds *kinds);                                   \
    void xtf_kind_##name##_free(XtfKind##Type *name);                                              \
    void xtf_kind_##name##_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row); \
    void xtf_kind_##name##_finish(XtfKinds *kinds);
XTF_KIND_FINDERS(XTF_KIND_FINDER)
#undef XTF_KIND_FINDER

/* Returns the time at which the location was last in a team; 0: never. */
uint64_t xtf_kind_idle_since(const XtfKinds *kinds, uint32_t location);
/* Finds the communicator of a window; false if it is unknown. */
bool xtf_kind_window_comm(XtfKinds *kinds, uint32_t window, uint32_t *comm);
