/*
 * A keeper holds items that are costly to make and may be wanted again soon: the latest used first, bounded in number
 * and in bytes.
 *
 * An item is in use, by one thread or by several, or idle. Bounds are for idle items: beyond them the least recently
 * used are freed, but the latest stays, whatever its size. A busy item is in use by one thread alone, and a thread that
 * wants it waits. An item is busy from when a thread adds it until that thread puts it back, since its contents are
 * made meanwhile; so what several threads want at once is made once.
 *
 * All functions may be called from any thread. `equal`, `hash` and `reuse` are called with the keeper's lock held, also
 * for busy items: what they read must not change while an item is busy. Items are made and freed without the lock.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The first member of an item; all zeros at first. */
typedef struct {
    GList link;
    size_t bytes;
    unsigned users;
    bool busy;
} XtfKept;

typedef struct {
    GEqualFunc equal;                              /* (item, wanted) */
    GHashFunc hash;                                /* NULL: items are few, and compared one by one */
    void (*reuse)(void *item, const void *wanted); /* NULL: threads share items. Else an item in use is busy */
    GDestroyNotify free;
} XtfKeeperMethods;

typedef struct {
    const XtfKeeperMethods *methods;
    size_t bytes_max;
    unsigned n_max;
    /* Private. */
    GMutex lock;
    GCond put_back;    /* a busy item was */
    GQueue items;      /* the latest used first */
    GHashTable *index; /* of items; NULL without `hash` */
    size_t bytes;      /* of idle items */
    unsigned n_idle;
} XtfKeeper;

void xtf_keeper_init(XtfKeeper *keeper, const XtfKeeperMethods *methods, size_t bytes_max, unsigned n_max);
void xtf_keeper_finish(XtfKeeper *keeper); /* all items are idle */

/* The item that equals `wanted`, whose contents are made. If there is none it is `wanted` itself, added, and the caller
 * makes its contents. Takes `wanted`. */
void *xtf_keeper_take(XtfKeeper *keeper, void *wanted);
/* Ends the use of an item, which has `bytes` now. Without `keep`, which is for busy items, it is freed. */
void xtf_keeper_put(XtfKeeper *keeper, void *item, size_t bytes, bool keep);
