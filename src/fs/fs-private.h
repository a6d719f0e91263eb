/*
 * The mounted filesystem: internal functions that its handlers share.
 *
 * Handlers decode a request, call a function and reply. They run in many threads at once, and hold no lock while they
 * call the tree.
 */
#pragma once

#define FUSE_USE_VERSION 312

#include <fuse_lowlevel.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "src/fs/fs.h"
#include "src/fs/inodes.h"
#include "src/fs/log.h"

typedef enum {
    XTF_REQUEST_LOOKUP,
    XTF_REQUEST_FORGET,
    XTF_REQUEST_GETATTR,
    XTF_REQUEST_READLINK,
    XTF_REQUEST_OPEN,
    XTF_REQUEST_READ,
    XTF_REQUEST_OPENDIR,
    XTF_REQUEST_READDIR,
    XTF_REQUEST_GETXATTR,
    XTF_REQUEST_LISTXATTR,
    XTF_REQUEST_STATFS,
    XTF_REQUEST_ACCESS,
    XTF_REQUEST_WRITE, /* any attempt to change a file */
    XTF_REQUEST_KINDS,
} XtfRequestKind;

typedef struct XtfFsBuffer XtfFsBuffer;
typedef struct XtfFollower XtfFollower;
typedef struct XtfIdleWatch XtfIdleWatch;

typedef struct {
    XtfFollower *follower;     /* NULL: the mount's tree never changes */
    int wake;                  /* eventfd(2) that wakes the follower; -1: none */
    atomic_int_fast64_t woken; /* g_get_monotonic_time() when a request last woke the follower */
    const XtfFsOptions *options;
    XtfInodes *inodes;
    struct fuse_session *session;
    const XtfFsHooks *hooks;
    GThread *remarks;                                  /* thread that adds remarks to the log; NULL: none */
    bool kernel_opens_files, kernel_opens_directories; /* after one ENOSYS the kernel sends no more such requests */
    bool can_prune;                                    /* the kernel can drop unused names and keep the used ones */
    atomic_bool reaper_ended;
    GMutex buffers_lock;
    XtfFsBuffer *buffers; /* stack of read buffers; the top one was used last */
    atomic_uint_fast64_t requests[XTF_REQUEST_KINDS];
} XtfFs;

/* Returns the filesystem of a request, and counts the request. Once a second a request also wakes the follower. */
XtfFs *xtf_fs_of(fuse_req_t request, XtfRequestKind kind);

/* Seconds that count as for ever: longer than any mount lasts, and safe to convert to the kernel's clock ticks. */
#define XTF_FS_ENDLESS 3.2e9

/* Returns a session with all handlers, which is not mounted. NULL: the mount options are bad. */
struct fuse_session *xtf_fs_new_session(XtfFs *fs);
/* Makes the inode table with the tree as its first generation, and owns the tree. */
XtfInodes *xtf_fs_new_inodes(XtfTree *tree, const XtfFsOptions *options);

/* Returns for how many seconds the kernel may cache the result of stat(2). */
double xtf_fs_attr_timeout(const XtfInode *inode);
/* Returns for how many seconds the kernel may cache that a name does not exist. */
double xtf_fs_absence_timeout(const XtfFs *fs, const XtfInode *directory);

/* Returns the result of stat(2). */
struct stat xtf_fs_stat(const XtfFs *fs, const XtfInode *inode);
mode_t xtf_fs_mode(XtfNodeKind kind);

/* Looks a name up and fills the entry of the reply. The kernel then holds one more look-up of the inode. */
bool xtf_fs_enter(XtfFs *fs, const XtfInode *directory, const char *name, struct fuse_entry_param *entry,
                  GError **error);

/* Replies that the inode is stale, or with an error's errno. Logs errors other than XTF_ERROR_NOT_FOUND. */
void xtf_fs_reply_stale(fuse_req_t request);
void xtf_fs_reply_error(fuse_req_t request, GError *error); /* takes the error */

void xtf_fs_free_buffers(XtfFs *fs);

/* Completes the log by remarks that take time to find. */
void xtf_fs_complete_log(XtfFs *fs);

/* Adds the handlers of file.c, directory.c, attributes.c and refusals.c. */
void xtf_fs_add_file_handlers(struct fuse_lowlevel_ops *ops);
void xtf_fs_add_directory_handlers(struct fuse_lowlevel_ops *ops);
void xtf_fs_add_attribute_handlers(struct fuse_lowlevel_ops *ops);
void xtf_fs_add_refusals(struct fuse_lowlevel_ops *ops);

/* Starts a thread that blocks all signals: signals must wake the main thread. */
GThread *xtf_fs_start_thread(const char *name, GThreadFunc run, void *data);

/* Starts a thread that looks for later commits, or an analysis, until it is freed. NULL is fine for freeing. */
XtfFollower *xtf_follower_new(XtfFs *fs, GError **error);
void xtf_follower_free(XtfFollower *follower);

/* Starts a thread that returns memory to the system after options->idle_seconds without a request, until it is freed.
 * NULL, which is fine for freeing: the options want none. */
XtfIdleWatch *xtf_idle_watch_new(XtfFs *fs);
void xtf_idle_watch_free(XtfIdleWatch *watch);

/* State of a request that tries again when it meets an overwritten snapshot. */
typedef struct {
    uint64_t number; /* of the generation in which the request tries */
    unsigned tries;
} XtfAttempt;

XtfAttempt xtf_fs_attempt(XtfFs *fs);
/* True if the request shall try again, as there is a later generation. Clears the error then. */
bool xtf_fs_retry_later_generation(XtfFs *fs, XtfAttempt *attempt, GError **error);

/* An open file or directory of a followed trace, as it was when it was opened. */
typedef struct {
    XtfNode *node;
    XtfGeneration *generation;
    char *text; /* whole content of a file that changes; NULL: too large, or the file does not change */
    size_t length;
    bool fixed;        /* later commits may change the file: it is read as it was when it was opened */
    atomic_bool ended; /* the reader of a growing file has seen its end */
} XtfOpened;

XtfOpened *xtf_opened_new(const XtfInode *inode, GError **error);
void xtf_opened_free(XtfOpened *opened); /* NULL is fine */
/* Reads a file whose `fixed` is set. */
bool xtf_opened_read_fixed(const XtfOpened *opened, uint64_t offset, char *buffer, size_t size, size_t *length,
                           GError **error);
/* Reads any other file. `opened` is NULL if the trace is not followed. */
bool xtf_opened_read(XtfFs *fs, XtfOpened *opened, XtfInode *inode, uint64_t offset, char *buffer, size_t size,
                     size_t *length, GError **error);

/* Starts the thread that asks the kernel to forget names. It ends after xtf_inodes_stop(). */
GThread *xtf_fs_start_reaper(XtfFs *fs);
