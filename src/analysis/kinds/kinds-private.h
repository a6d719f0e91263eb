/*
 * What the files of this room share.
 *
 *   kind-fields.c   where fields lie, and what labels and regions mean
 *   kind-rows.c     the rows of a location, with the calls around them
 *   kind-waits.c    waits on their way out, and what the others share
 *   kinds.c         all locations, in the order of the clock
 *   locks.c         locks of threads and of files
 *   joins.c         threads that are created and joined
 *   teams.c         OpenMP's teams: barriers, forks
 *   idle.c          threads of OpenMP outside of teams
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

/* A table by XtfKindKey that owns keys and values. */
GHashTable *xtf_kind_table_new(GDestroyNotify free_value);
/* The value of a key, of `size` zeros if there is none yet. */
void *xtf_kind_table_get(GHashTable *table, const XtfKindKey *key, size_t size);

/* FINDER(name, Type): each finds some kinds of waits, in a file of its own, by the four functions of XTF_KIND_FINDER.
 * They take each row in this order. */
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
    uint32_t index;   /* of xtf_trace_context_locations() */
    uint32_t process; /* number */
    XtfKindRows rows;
} XtfKindLocation;

typedef struct {
    uint64_t proc;
    uint32_t first_location, n_locations;
    uint64_t first, last; /* times of its records */
} XtfKindProcess;

struct XtfKinds {
    XtfTraceContext *context;
    const XtfRanks *ranks;
    XtfKindFields *fields;
    uint8_t *regions;
    uint64_t n_regions;
    XtfKindLocation *locations; /* those with such rows, by (process, thread) */
    uint32_t n_locations;
    XtfKindProcess *processes;
    uint32_t n_processes;
    uint32_t *heap; /* numbers of locations by their next row */
    uint32_t n_heap;
    const XtfKindConsumer *consumer;
    GError *failed; /* the first error of the consumer, or of a table */
#define XTF_KIND_MEMBER(name, Type) XtfKind##Type *name;
    XTF_KIND_FINDERS(XTF_KIND_MEMBER)
#undef XTF_KIND_MEMBER
};

/* The number of a process, by `proc`; UINT32_MAX: it is not among them. */
uint32_t xtf_kinds_process(const XtfKinds *kinds, uint64_t proc);

/* A wait of a location; it goes out when the call is left, cut off at its ends. Without a call at once. Who waits for
 * itself does not wait. */
void xtf_kinds_wait(XtfKinds *kinds, XtfKindCall *call, const XtfKindWait *wait);
/* Calls `done` when the call is left; at once if it is NULL or was left. `data` then goes to `free`. */
void xtf_kinds_then(XtfKinds *kinds, XtfKindCall *call, void (*done)(XtfKinds *, XtfKindCall *, void *), void *data,
                    GDestroyNotify free);

/* Does what was to be done when a call is left. */
void xtf_kinds_leave(XtfKinds *kinds, XtfKindCall *call);

/* A wait without culprit and part, that begins and ends at the row's time, in that record. */
XtfKindWait xtf_kinds_new_wait(const XtfKindLocation *location, const XtfKindRow *row, uint8_t kind);

/* A finder's state, which holds what is still open; NULL may be freed. `row` takes the current row of a location,
 * `finish` comes behind all rows. */
#define XTF_KIND_FINDER(name, Type)                                                                \
    XtfKind##Type *xtf_kind_##name##_new(const XtfKinds *kinds);                                   \
    void xtf_kind_##name##_free(XtfKind##Type *name);                                              \
    void xtf_kind_##name##_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row); \
    void xtf_kind_##name##_finish(XtfKinds *kinds);
XTF_KIND_FINDERS(XTF_KIND_FINDER)
#undef XTF_KIND_FINDER

/* When the location was in a team last; 0: never. */
uint64_t xtf_kind_idle_since(const XtfKinds *kinds, uint32_t location);
/* The communicator of a window; false if it is not known. */
bool xtf_kind_window_comm(XtfKinds *kinds, uint32_t window, uint32_t *comm);
