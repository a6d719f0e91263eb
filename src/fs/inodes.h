/*
 * The nodes that the kernel knows.
 *
 * Paths are endless, and the kernel speaks in numbers: it looks a name up in a directory, and from then on
 * refers to what it found by a number, until it forgets it. This table keeps what stands behind the numbers.
 *
 * - A node is (parent, name), never shared between paths. So the number that users see (`ino`) is a hash of the two: it
 * is the same whenever the path is looked up again, and a listing can tell it without any look-up.
 * - The number between us and the kernel (`id`) is given out once and never used again.
 * - A node lives while the kernel holds look-ups of it, or of anything below it.
 * - The kernel forgets nothing by itself, so past a bound the oldest names are handed to the reaper (reaper.c),
 *   which asks the kernel to let go of them.
 *
 * Where a trace is followed:
 *
 * - A directory, a file that never changes and a file that grows keep their numbers from commit to commit. What stands
 * behind them is looked up again, by the names that led there, when it is needed.
 * - Any other file or link is a new one, with a new number, when its name is looked up and it is not the same any more;
 * so what a number stands for has one content and one size. A file that grows is a new one, too, if it has grown: so a
 * file that was opened gets longer only if those who have it open ask.
 *
 * Where an analysis of a finished trace is taken up, directories keep their numbers, and every file or link is a new
 * one: the old ones stay what they were for those who have them open.
 *
 * Any thread may call any of these functions.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/fs/generation.h"

enum {
    XTF_INODE_ROOT = 1, /* FUSE_ROOT_ID; also the ino of the root */
    XTF_INODE_LOG = 2,  /* no node stands behind it: log.h */
};

typedef struct XtfInodes XtfInodes;

/* What a number stands for: a copy, with references to the node and its generation. */
typedef struct {
    uint64_t id, ino, parent_ino;
    XtfNodeKind kind;
    XtfNodeFuture future;
    uint64_t size; /* that the kernel was told */
    struct timespec mtime;
    XtfNode *node;
    XtfGeneration *generation;
} XtfInode;

void xtf_inode_finish(XtfInode *inode); /* twice is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfInode, xtf_inode_finish)

XtfInodes *xtf_inodes_new(XtfNode *root, uint64_t max_nodes);
void xtf_inodes_free(XtfInodes *inodes); /* with all that the kernel has not forgotten; NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfInodes, xtf_inodes_free)

/* False if there is no such number; with an error if what stands behind it cannot be found any more. */
bool xtf_inodes_get(XtfInodes *inodes, uint64_t id, XtfInode *inode, GError **error);
/* The same without the node, which may be NULL. */
bool xtf_inodes_stat(XtfInodes *inodes, uint64_t id, XtfInode *inode);
/* The kernel is told that a file which grows is longer now. */
void xtf_inodes_grow(XtfInodes *inodes, XtfInode *inode, uint64_t size);

/* From now on names are looked up in the tree of this generation, whose root is `root`. */
void xtf_inodes_renew(XtfInodes *inodes, XtfGeneration *generation, XtfNode *root);
/* The same of a tree in which any file may have other content, though both trees are final: the reaper is handed all
 * that the kernel may keep of the one before. */
void xtf_inodes_replace(XtfInodes *inodes, XtfGeneration *generation, XtfNode *root);
XtfGeneration *xtf_inodes_generation(XtfInodes *inodes); /* a new reference; NULL: none was set */

/* Looks the name up and counts it as a look-up that the kernel holds. The child may come without its node. Errors are
 * those of xtf_node_lookup(). */
bool xtf_inodes_lookup(XtfInodes *inodes, const XtfInode *parent, const char *name, XtfInode *child, GError **error);
void xtf_inodes_forget(XtfInodes *inodes, uint64_t id, uint64_t n_lookups);

/* The ino that a child of that name has, known or not. */
uint64_t xtf_inodes_child_ino(uint64_t parent_ino, const char *name);

/* Nodes in the table: those within the bound, and all. */
void xtf_inodes_count(XtfInodes *inodes, uint64_t *fresh, uint64_t *all);

typedef enum {
    XTF_STALE_OLD,     /* past the bound: the kernel should let go of the name */
    XTF_STALE_NAME,    /* it stands for another file: the kernel must not keep it */
    XTF_STALE_LISTING, /* of a directory: the kernel must not keep it */
} XtfStaleKind;

typedef struct {
    XtfStaleKind kind;
    uint64_t id, parent_id;
    char *name;
} XtfStaleName;

/* Waits until a tree was replaced, and takes what is stale since, of the last two kinds; or until the bound is passed,
 * and takes the oldest names. They are at most `max`. Each is handed out once, until it is
 * looked up again, or loses the last of its children (a directory cannot go before them). The names are the caller's.
 * Returns 0 once xtf_inodes_stop() was called. */
unsigned xtf_inodes_wait_stale(XtfInodes *inodes, XtfStaleName *names, unsigned max);
void xtf_inodes_stop(XtfInodes *inodes);
