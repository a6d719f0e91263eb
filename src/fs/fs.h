/*
 * A trace's tree as a mounted filesystem (FUSE).
 *
 * A finished trace never changes, so the kernel may cache everything for ever: names, absent names, attributes,
 * listings and contents. Reading the same again costs no request.
 *
 * A mount may follow a trace that is still being written. It then shows the latest commit, and notices it within an
 * eighth of a second. The kernel still caches all that later commits do not change.
 *
 * A finished trace may get an analysis. The server finds it, and once replaces the mount's tree by one with the
 * analysis. The kernel then drops its caches; open files keep their content.
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
    XTF_FS_NODES_MIN = 256, /* with fewer, the reaper would revoke names that the kernel still adds */
    XTF_FS_THREADS_DEFAULT = 8,
    XTF_FS_IDLE_DEFAULT = 60,
};

typedef struct {
    const char *source;         /* name of the trace in the mount table */
    const char *kernel_options; /* for mount(2), comma-separated: "allow_other,nosuid"; may be NULL or "" */
    uid_t uid;                  /* owner of the files */
    gid_t gid;
    struct timespec mtime; /* of the files */
    uint64_t size;         /* bytes of the trace, shown by df */
    uint64_t max_nodes;    /* most names that the kernel may hold; 0: the default */
    unsigned max_threads;  /* 0: the default */
    unsigned idle_seconds; /* without a request, until cached pages are freed; 0: never */
    bool follow;           /* the trace grows: the mount switches to the tree of its latest commit */
    bool debug;            /* log every request */
} XtfFsOptions;

/* Adds a line to the file `log` of the mount that this process serves. Any thread may call it. */
void xtf_fs_log(const char *message);

/* Callbacks of the program that serves the mount. Each may be NULL. */
typedef struct {
    /* Called after mounting, before any thread starts and any request is answered. The process may give up privileges
     * here. An error ends the mount. */
    bool (*mounted)(void *data, GError **error);
    /* Called from a thread of the server, as soon as the mount answers requests. */
    void (*ready)(void *data);
    /* Adds lines to the log that take time to find. Called with the tree that the mount shows, before each look at the
     * log. If `remarks_at_once`, a thread calls it as soon as the mount answers requests. Any thread may call it. */
    void (*remark)(void *data, XtfTree *tree);
    bool remarks_at_once;
    /* Returns the tree of the trace with an analysis that `shown` does not have; NULL: there is none. Called from one
     * thread of the server at a time: when `changes` is readable, and at most once a second on a request. */
    XtfTree *(*analysed)(void *data, XtfTree *shown);
    /* Returns the tree of the file that the parts of a followed folder were merged into, once; NULL: there is none.
     * Called as analysed(), and when no later commit can be read. */
    XtfTree *(*merged)(void *data);
    int changes; /* descriptor that is readable when there may be an analysis; analysed() reads it. -1: none */
    /* Unmounts, after the connection to the kernel was closed. If NULL, or if it returns false, libfuse unmounts. */
    bool (*unmount)(void *data);
    void *data;
} XtfFsHooks;

/* Mounts the tree, which it owns from now on. Serves it until it is unmounted, or until SIGINT, SIGTERM or SIGHUP; then
 * unmounts it, lazily if it is in use. Changes the process's signal handlers. */
bool xtf_fs_serve(XtfTree *tree, const char *mount_point, const XtfFsOptions *options, const XtfFsHooks *hooks,
                  GError **error);
