/*
 * The table of inodes: the nodes that the kernel knows.
 *
 * There are infinitely many paths, and the kernel uses numbers. It looks a name up in a directory, and refers to the
 * result by its number until it forgets the number. This table keeps the node of each number.
 *
 * - A node is (parent, name); no two paths share a node. The number that users see (`ino`) is a hash of both. So it is
 *   the same at each look-up of a path, and a listing computes it without a look-up.
 * - The number between the kernel and this table (`id`) is given out once and never used again.
 * - A node lives while the kernel holds look-ups of it, or of a node below it.
 * - The kernel never forgets a name by itself. Above a bound this table hands the oldest names to the reaper
 *   (reaper.c), which asks the kernel to forget them.
 *
 * In a followed trace:
 *
 * - A directory, a file that never changes and a file that grows keep their numbers in later commits. The table looks
 *   their nodes up again, by name, when they are needed.
 * - Any other file or link that has changed gets a new number at the next look-up of its name. So each number has one
 *   content and one size. A file that has grown gets a new number, too: so an open file gets longer only when its
 *   readers ask.
 *
 * When an analysis of a finished trace appears, directories keep their numbers. Every file or link gets a new one, and
 * open files keep their content.
 *
 * All functions are thread-safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/fs/generation.h"

enum {
    XTF_INODE_ROOT = 1, /* FUSE_ROOT_ID; also the ino of the root */
    XTF_INODE_LOG = 2,  /* has no node: see log.h */
};

typedef struct XtfInodes XtfInodes;

/* A copy of an entry, with references to the node and its generation. */
typedef struct {
    uint64_t id, ino, parent_ino;
    XtfNodeKind kind;
    XtfNodeFuture future;
    uint64_t size; /* size that the kernel knows */
    struct timespec mtime;
    XtfNode *node;
    XtfGeneration *generation;
} XtfInode;

void xtf_inode_finish(XtfInode *inode); /* may be called twice */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfInode, xtf_inode_finish)

XtfInodes *xtf_inodes_new(XtfNode *root, uint64_t max_nodes);
void xtf_inodes_free(XtfInodes *inodes); /* also frees the nodes that the kernel still holds; NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfInodes, xtf_inodes_free)

/* Gets the inode of a number, with its node. Returns false if the number is unknown, and false with an error if its
 * node no longer exists. */
bool xtf_inodes_get(XtfInodes *inodes, uint64_t id, XtfInode *inode, GError **error);
/* Gets the inode of a number; its node may be NULL. */
bool xtf_inodes_stat(XtfInodes *inodes, uint64_t id, XtfInode *inode);
/* Sets the size that the kernel knows of a growing file, unless it is larger already. Updates `inode`. */
void xtf_inodes_grow(XtfInodes *inodes, XtfInode *inode, uint64_t size);

/* Makes the generation the current one, in which names are looked up. `root` is the root of its tree. */
void xtf_inodes_renew(XtfInodes *inodes, XtfGeneration *generation, XtfNode *root);
/* Makes the generation the current one if any file may have other content in the new tree, though both trees are final.
 * Hands the reaper all that the kernel may cache of the old tree. */
void xtf_inodes_replace(XtfInodes *inodes, XtfGeneration *generation, XtfNode *root);
XtfGeneration *xtf_inodes_generation(XtfInodes *inodes); /* returns a new reference; NULL: none was set */

/* Looks the name up, and counts a look-up that the kernel holds. The child's node may be NULL. Returns the errors of
 * xtf_node_lookup(). */
bool xtf_inodes_lookup(XtfInodes *inodes, const XtfInode *parent, const char *name, XtfInode *child, GError **error);
void xtf_inodes_forget(XtfInodes *inodes, uint64_t id, uint64_t n_lookups);

/* Returns the ino of the child with that name, whether the table has it or not. */
uint64_t xtf_inodes_child_ino(uint64_t parent_ino, const char *name);

/* Counts the nodes in the table: those that the bound limits, and all. */
void xtf_inodes_count(XtfInodes *inodes, uint64_t *fresh, uint64_t *all);

typedef enum {
    XTF_STALE_OLD,     /* beyond the bound: the kernel should forget the name */
    XTF_STALE_NAME,    /* the name now has another file: the kernel must drop the name */
    XTF_STALE_LISTING, /* a directory whose cached listing the kernel must drop */
} XtfStaleKind;

typedef struct {
    XtfStaleKind kind;
    uint64_t id, parent_id;
    char *name;
} XtfStaleName;

/* Waits until a tree is replaced, and returns names and listings that are stale since. Or waits until the bound is
 * exceeded, and returns the oldest names. Returns at most `max` names, which the caller owns. Each name is returned
 * once, until it is looked up again, or loses the last of its children (a directory cannot be forgotten before them).
 * Returns 0 after xtf_inodes_stop(). */
unsigned xtf_inodes_wait_stale(XtfInodes *inodes, XtfStaleName *names, unsigned max);
void xtf_inodes_stop(XtfInodes *inodes);
