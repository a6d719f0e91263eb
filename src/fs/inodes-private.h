/* The table of inodes, inside: for inodes.c and stale-names.c. */
#pragma once

#include "src/fs/inodes.h"

typedef struct XtfInodeEntry XtfInodeEntry;

/* Of what makes a node: the parent's id, and the name. */
typedef struct {
    uint64_t parent_id;
    const char *name;
} XtfInodeKey;

struct XtfInodeEntry {
    XtfInodeKey key; /* first, so that an entry can be its own key */
    uint64_t id, ino;
    uint64_t n_lookups;    /* that the kernel holds */
    uint32_t n_children;   /* entries whose parent this is */
    bool stale;            /* handed to the reaper since its last look-up: then not in `fresh` */
    bool detached;         /* its name stands for a newer entry */
    bool kept;             /* of a tree that was replaced: it is what it was, whatever comes */
    XtfInodeEntry *parent; /* NULL: the root */
    XtfNodeKind kind;
    XtfNodeFuture future;
    uint64_t size; /* that the kernel was told */
    struct timespec mtime;
    uint64_t told;             /* number of the generation in which its name was looked up last */
    XtfNode *node;             /* NULL: looked up again when it is needed */
    XtfGeneration *generation; /* of the node */
    char *lasting_name;        /* by which it is looked up again; NULL: its name */
    GList age;                 /* its link in `fresh` */
    char name[];
};

struct XtfInodes {
    GMutex lock;        /* of all below, and of the entries */
    GCond passed;       /* the bound was passed, a tree replaced, or `stopped` */
    GHashTable *by_id;  /* &XtfInodeEntry.id -> XtfInodeEntry, which it owns */
    GHashTable *by_key; /* XtfInodeEntry as its XtfInodeKey */
    GQueue fresh;       /* not stale, the longest ago looked up first; without the root */
    uint64_t max_fresh;
    uint64_t last_id;
    XtfGeneration *current; /* NULL: none was set */
    uint64_t replaced;      /* number of the generation that replaced another one last */
    GArray *changed;        /* ids for the reaper since then */
    bool reaping;           /* from passing the bound until there is room again */
    bool stopped;
};
