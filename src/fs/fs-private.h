/*
 * The mounted filesystem, inside: what its handlers share.
 *
 * Handlers decode, call and reply; they run in many threads at once, and hold no lock while they call the tree.
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
    XTF_REQUEST_WRITE, /* any attempt to change something */
    XTF_REQUEST_KINDS,
} XtfRequestKind;

typedef struct XtfFsBuffer XtfFsBuffer;
typedef struct XtfFollower XtfFollower;

typedef struct {
    XtfFollower *follower;     /* NULL: its tree stays as it is */
    int wake;                  /* wakes the follower: a descriptor, eventfd(2); -1: there is none */
    atomic_int_fast64_t woken; /* g_get_monotonic_time() of the last request that did so */
    const XtfFsOptions *options;
    XtfInodes *inodes;
    struct fuse_session *session;
    const XtfFsHooks *hooks;
    bool kernel_opens_files, kernel_opens_directories; /* after one ENOSYS, without asking us */
    bool can_prune;                                    /* the kernel lets go of what is unused, and of nothing else */
    atomic_bool reaper_ended;
    GMutex buffers_lock;
    XtfFsBuffer *buffers; /* for reads; the one on top was used last */
    atomic_uint_fast64_t requests[XTF_REQUEST_KINDS];
} XtfFs;

/* The filesystem that a request is for, the request being counted. Once a second a request makes the follower look. */
XtfFs *xtf_fs_of(fuse_req_t request, XtfRequestKind kind);

/* For ever: longer than any mount lasts, and safe to convert to the kernel's clock ticks. */
#define XTF_FS_ENDLESS 3.2e9

/* How long the kernel may keep what stat(2) shows, in seconds. */
double xtf_fs_attr_timeout(const XtfInode *inode);
/* And that there is no such name. */
double xtf_fs_absence_timeout(const XtfFs *fs, const XtfInode *directory);

/* What stat(2) shows. */
struct stat xtf_fs_stat(const XtfFs *fs, const XtfInode *inode);
mode_t xtf_fs_mode(XtfNodeKind kind);

/* Looks a name up and fills what a reply says of it; the kernel then holds a look-up. */
bool xtf_fs_enter(XtfFs *fs, const XtfInode *directory, const char *name, struct fuse_entry_param *entry,
                  GError **error);

/* Replies with the inode's absence, or an error's errno; an error that means trouble is logged. */
void xtf_fs_reply_stale(fuse_req_t request);
void xtf_fs_reply_error(fuse_req_t request, GError *error); /* takes the error */

void xtf_fs_free_buffers(XtfFs *fs);

/* Each file's handlers. */
void xtf_fs_add_file_handlers(struct fuse_lowlevel_ops *ops);
void xtf_fs_add_directory_handlers(struct fuse_lowlevel_ops *ops);
void xtf_fs_add_attribute_handlers(struct fuse_lowlevel_ops *ops);
void xtf_fs_add_refusals(struct fuse_lowlevel_ops *ops);

/* A thread of our own; signals are for the main thread, which they must wake. */
GThread *xtf_fs_start_thread(const char *name, GThreadFunc run, void *data);

/* Looks for a later state of the trace until it is freed. NULL is fine for the others. */
XtfFollower *xtf_follower_new(XtfFs *fs, GError **error);
void xtf_follower_free(XtfFollower *follower);

/* A request that tries again if it may have met a snapshot that was overwritten. */
typedef struct {
    uint64_t number; /* of the generation that it tries */
    unsigned tries;
} XtfAttempt;

XtfAttempt xtf_fs_attempt(XtfFs *fs);
/* Whether to try again after an error, which is cleared then: there is a later generation. */
bool xtf_fs_moves_on(XtfFs *fs, XtfAttempt *attempt, GError **error);

/* What a file or directory of a followed trace was when it was opened. */
typedef struct {
    XtfNode *node;
    XtfGeneration *generation;
    char *text; /* all of a file that changes; NULL: it is too large, or does not change */
    size_t length;
    bool fixed;        /* a file that changes is read as it was when it was opened */
    atomic_bool ended; /* the reader of a file that grows has seen its end */
} XtfOpened;

XtfOpened *xtf_opened_new(const XtfInode *inode, GError **error);
void xtf_opened_free(XtfOpened *opened); /* NULL is fine */
/* Reads a file that is fixed. */
bool xtf_opened_read_fixed(const XtfOpened *opened, uint64_t offset, char *buffer, size_t size, size_t *length,
                           GError **error);
/* Reads any other. `opened` is NULL where the trace is not followed. */
bool xtf_opened_read(XtfFs *fs, XtfOpened *opened, XtfInode *inode, uint64_t offset, char *buffer, size_t size,
                     size_t *length, GError **error);

/* The thread that asks the kernel to let go of names. It ends when the inodes are stopped. */
GThread *xtf_fs_start_reaper(XtfFs *fs);
