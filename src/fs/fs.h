/*
 * A trace's tree as a mounted filesystem (FUSE).
 *
 * A finished trace never changes, so the kernel is told to keep all that it has seen: names, names that do not exist,
 * attributes, listings, contents. What was read once costs no request any more.
 *
 * A trace that is still being written may be followed: the mount then shows the latest commit, noticed within an eighth
 * of a second. What later commits do not change is kept by the kernel as before.
 *
 * A finished trace may get an analysis: whoever serves finds it, and its tree takes the place of the one before, once.
 * The kernel is told to drop what it has seen, and files that are open stay what they are.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "src/tree/paths/tree.h"

enum {
    XTF_FS_NODES_DEFAULT = 32768,
    XTF_FS_NODES_MIN = 256, /* fewer would be asked back while the kernel is still taking them in */
    XTF_FS_THREADS_DEFAULT = 8,
};

typedef struct {
    const char *source;         /* what is mounted, as the mount table names it */
    const char *kernel_options; /* for mount(2), separated by commas: "allow_other,nosuid"; may be NULL or "" */
    uid_t uid;                  /* who owns the files */
    gid_t gid;
    struct timespec mtime; /* of the files */
    uint64_t size;         /* of the trace, bytes: what df shows */
    uint64_t max_nodes;    /* names that the kernel may hold at a time; 0: the default */
    unsigned max_threads;  /* 0: the default */
    bool follow;           /* the tree is of a trace that grows, and that of its latest commit takes its place */
    bool debug;            /* log every request */
} XtfFsOptions;

/* Adds a line to the file `log` of the mount that this process serves. Any thread. */
void xtf_fs_log(const char *message);

/* Of whoever serves. Each may be NULL. */
typedef struct {
    /* Once it is mounted, before any thread is started and any request is answered: what the process needs no more may
     * be given up here. An error ends the mount. */
    bool (*mounted)(void *data, GError **error);
    /* From a thread of the server, as soon as the mount answers. */
    void (*ready)(void *data);
    /* The tree of the trace with an analysis that `shown` does not have; NULL: there is none. From a thread of the
     * server, one at a time, when `changes` can be read, and at most once a second when a request comes. */
    XtfTree *(*analysed)(void *data, XtfTree *shown);
    int changes; /* a descriptor that can be read when there may be one; analysed() reads it. -1: there is none */
    /* Unmounts; the connection to the kernel is closed by then. NULL, or false: libfuse tries. */
    bool (*unmount)(void *data);
    void *data;
} XtfFsHooks;

/* Takes the tree. Mounts it and serves it until it is unmounted, or SIGINT, SIGTERM or SIGHUP comes; then it is
 * unmounted, lazily if it is in use. It changes the process's signal handlers. */
bool xtf_fs_serve(XtfTree *tree, const char *mount_point, const XtfFsOptions *options, const XtfFsHooks *hooks,
                  GError **error);
