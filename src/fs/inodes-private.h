/* Internal types of the table of inodes, for inodes.c and stale-names.c. */
#pragma once

#include "src/fs/inodes.h"

typedef struct XtfInodeEntry XtfInodeEntry;

/* Key of the entry table: parent inode and name. */
typedef struct {
    uint64_t parent_id;
    const char *name;
} XtfInodeKey;

struct XtfInodeEntry {
    XtfInodeKey key; /* the first member, so that an entry can serve as its own key */
    uint64_t id, ino;
    uint64_t n_lookups;    /* look-ups that the kernel holds */
    uint32_t n_children;   /* entries whose `parent` is this entry */
    bool stale;            /* the reaper got it after its last look-up: not in `fresh` */
    bool detached;         /* a newer entry has its name */
    bool kept;             /* the tree of the entry was replaced: the entry never changes any more */
    XtfInodeEntry *parent; /* NULL for the root */
    XtfNodeKind kind;
    XtfNodeFuture future;
    uint64_t size; /* size that the kernel knows */
    struct timespec mtime;
    uint64_t lookup_generation; /* generation of the last look-up of the name */
    XtfNode *node;              /* NULL: must be looked up again before use */
    XtfGeneration *generation;  /* generation of `node` */
    char *lasting_name;         /* name for looking it up again; NULL: `name` */
    GList age;                  /* link in `fresh` */
    char name[];
};

struct XtfInodes {
    GMutex lock;         /* protects all fields below, and the entries */
    GCond reaper_wanted; /* signalled when `max_fresh` is exceeded, a tree is replaced, or `stopped` is set */
    GHashTable *by_id;   /* &XtfInodeEntry.id -> XtfInodeEntry; owns the entries */
    GHashTable *by_key;  /* XtfInodeEntry as its XtfInodeKey */
    GQueue fresh;        /* entries that are not stale, without the root; the oldest look-up first */
    uint64_t max_fresh;
    uint64_t last_id;
    XtfGeneration *current; /* NULL before the first xtf_inodes_renew() */
    uint64_t replaced;      /* number of the last generation that replaced a tree */
    GArray *changed;        /* ids of that replacement that the reaper has not handled yet */
    bool reaping;           /* true from exceeding `max_fresh` until enough entries are stale */
    bool stopped;
};
