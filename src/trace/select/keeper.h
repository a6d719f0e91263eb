/*
 * A keeper caches items that are costly to make. It orders them by their last use and bounds their number and bytes.
 *
 * An item is in use, by one thread or by several, or idle. The bounds apply to idle items alone: the keeper frees the
 * least recently used items beyond them. It keeps the most recent idle item even if that item is larger than the bound.
 * A busy item is in use by one thread alone, and other threads wait for it. An item is busy from its addition until
 * the thread that added it puts it back. The thread makes the contents meanwhile, so each item is made only once.
 *
 * All functions may be called from any thread. The keeper calls `equal`, `hash` and `reuse` with its lock
 * held, also for busy items. The members that they read must not change while an item is busy. Items are made and
 * freed without the lock.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The first member of an item; initially all zeros. */
typedef struct {
    GList link;
    size_t bytes;
    unsigned users;
    bool busy;
} XtfKept;

typedef struct {
    GEqualFunc equal;                              /* called with an item and the wanted one */
    GHashFunc hash;                                /* NULL: the keeper compares its few items one by one */
    void (*reuse)(void *item, const void *wanted); /* NULL: threads share items. Else each item in use is busy */
    GDestroyNotify free;
} XtfKeeperMethods;

typedef struct {
    const XtfKeeperMethods *methods;
    size_t bytes_max;
    unsigned n_max;
    /* Private. */
    GMutex lock;
    GCond put_back;    /* signals that a thread put back a busy item */
    GQueue items;      /* the most recently used first */
    GHashTable *index; /* of items; NULL without `hash` */
    size_t bytes;      /* bytes of all idle items */
    unsigned n_idle;
} XtfKeeper;

void xtf_keeper_init(XtfKeeper *keeper, const XtfKeeperMethods *methods, size_t bytes_max, unsigned n_max);
void xtf_keeper_finish(XtfKeeper *keeper); /* all items must be idle */
/* Frees all idle items. */
void xtf_keeper_empty(XtfKeeper *keeper);

/* Returns the item that equals `wanted`, with its contents. If no item does, adds and returns `wanted` itself, and the
 * caller makes its contents. Takes ownership of `wanted`. */
void *xtf_keeper_take(XtfKeeper *keeper, void *wanted);
/* Ends the use of an item and sets its size to `bytes`. Frees the item if `keep` is false; only a busy item may be
 * freed. */
void xtf_keeper_put(XtfKeeper *keeper, void *item, size_t bytes, bool keep);
