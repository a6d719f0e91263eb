/* Requests for single nodes: look up, forget, stat, open and read. */
#include <errno.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/fs/fs-private.h"

/* ---- The log (log.h). */

static struct stat stat_log(const XtfFs *fs)
{
    const XtfInode inode = {
        .ino = xtf_inodes_child_ino(XTF_INODE_ROOT, XTF_FS_LOG_NAME), .kind = XTF_NODE_FILE, .size = xtf_fs_log_size()};
    return xtf_fs_stat(fs, &inode);
}

/* Replies to a look-up of the log. The kernel may not cache its size, so each stat(2) shows the current size. */
static void enter_log(fuse_req_t request, XtfFs *fs)
{
    xtf_fs_complete_log(fs);
    const struct fuse_entry_param entry = {
        .ino = XTF_INODE_LOG, .attr = stat_log(fs), .entry_timeout = XTF_FS_ENDLESS, .attr_timeout = 0};
    fuse_reply_entry(request, &entry);
}

/* ---- Looking up. */

/* Looks a name up. Returns false with an error, or without one if the table does not know the directory. */
static bool look_up(XtfFs *fs, fuse_ino_t parent, const char *name, XtfInode *directory, struct fuse_entry_param *entry,
                    GError **error)
{
    XtfAttempt attempt = xtf_fs_attempt(fs);

    do {
        xtf_inode_finish(directory);
        *error = NULL;
        if (!xtf_inodes_get(fs->inodes, parent, directory, error)) {
            if (!*error)
                return false;
        } else if (xtf_fs_enter(fs, directory, name, entry, error)) {
            return true;
        }
    } while (xtf_fs_retry_later_generation(fs, &attempt, error));
    return false;
}

static void handle_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_LOOKUP);
    g_auto(XtfInode) directory = {0};
    struct fuse_entry_param entry;
    GError *error = NULL;

    if (parent == XTF_INODE_ROOT && strcmp(name, XTF_FS_LOG_NAME) == 0) {
        enter_log(request, fs);
    } else if (look_up(fs, parent, name, &directory, &entry, &error)) {
        if (fuse_reply_entry(request, &entry) != 0) /* interrupted: the kernel did not take it */
            xtf_inodes_forget(fs->inodes, entry.ino, 1);
    } else if (!error) {
        xtf_fs_reply_stale(request);
    } else if (g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND)) {
        g_error_free(error);
        entry = (struct fuse_entry_param){.ino = 0, .entry_timeout = xtf_fs_absence_timeout(fs, &directory)};
        fuse_reply_entry(request, &entry);
    } else {
        xtf_fs_reply_error(request, error);
    }
}

static void handle_forget(fuse_req_t request, fuse_ino_t id, uint64_t n_lookups)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_FORGET);

    xtf_inodes_forget(fs->inodes, id, n_lookups);
    fuse_reply_none(request);
}

static void handle_forget_multi(fuse_req_t request, size_t count, struct fuse_forget_data *forgets)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_FORGET);

    for (size_t i = 0; i < count; i++)
        xtf_inodes_forget(fs->inodes, forgets[i].ino, forgets[i].nlookup);
    fuse_reply_none(request);
}

/* Gets the inode of a number. Returns false with an error, or without one if the table does not know the number. */
static bool get_inode(XtfFs *fs, fuse_ino_t id, XtfInode *inode, GError **error)
{
    XtfAttempt attempt = xtf_fs_attempt(fs);

    while (!xtf_inodes_get(fs->inodes, id, inode, error)) {
        if (!*error || !xtf_fs_retry_later_generation(fs, &attempt, error))
            return false;
    }
    return true;
}

static void reply_unknown(fuse_req_t request, GError *error)
{
    if (error)
        xtf_fs_reply_error(request, error);
    else
        xtf_fs_reply_stale(request);
}

static void handle_getattr(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_GETATTR);
    g_auto(XtfInode) inode = {0};
    GError *error = NULL;

    if (id == XTF_INODE_LOG) {
        struct stat log = stat_log(fs);
        fuse_reply_attr(request, &log, 0);
        return;
    }
    if (!xtf_inodes_stat(fs->inodes, id, &inode)) {
        xtf_fs_reply_stale(request);
        return;
    }
    if (inode.future == XTF_NODE_GROWS) {
        xtf_inode_finish(&inode);
        if (!get_inode(fs, id, &inode, &error)) {
            reply_unknown(request, error);
            return;
        }
        xtf_inodes_grow(fs->inodes, &inode, xtf_node_size(inode.node));
    }
    struct stat attributes = xtf_fs_stat(fs, &inode);
    fuse_reply_attr(request, &attributes, xtf_fs_attr_timeout(&inode));
}

static void handle_readlink(fuse_req_t request, fuse_ino_t id)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_READLINK);
    g_auto(XtfInode) inode = {0};
    GError *error = NULL;

    if (!get_inode(fs, id, &inode, &error))
        reply_unknown(request, error);
    else if (inode.kind != XTF_NODE_LINK)
        fuse_reply_err(request, EINVAL);
    else
        fuse_reply_readlink(request, xtf_node_target(inode.node));
}

/* Opens a file of a followed trace, and renders its content now if later commits may change it. If the file's commit
 * was overwritten, replies ESTALE: the kernel then looks the name up once more and opens the new inode. */
static void open_followed(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
    XtfFs *fs = fuse_req_userdata(request);
    XtfAttempt attempt = xtf_fs_attempt(fs);
    g_auto(XtfInode) inode = {0};
    GError *error = NULL;

    XtfOpened *opened = get_inode(fs, id, &inode, &error) ? xtf_opened_new(&inode, &error) : NULL;
    if (!opened && inode.future == XTF_NODE_CHANGES && error && xtf_fs_retry_later_generation(fs, &attempt, &error)) {
        xtf_fs_reply_stale(request);
    } else if (!opened) {
        reply_unknown(request, error);
    } else {
        info->fh = (uintptr_t)opened;
        info->keep_cache = inode.future != XTF_NODE_GROWS;
        info->direct_io = inode.future == XTF_NODE_GROWS;
        if (fuse_reply_open(request, info) != 0)
            xtf_opened_free(opened);
    }
}

/* Opens a file. Since Linux 3.16 the kernel takes ENOSYS to mean that files need no opening. It sends no more such
 * requests, and keeps its page cache. */
static void handle_open(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_OPEN);

    if ((info->flags & O_ACCMODE) != O_RDONLY) {
        fuse_reply_err(request, EROFS);
    } else if (fs->options->follow && id == XTF_INODE_LOG) {
        info->direct_io = 1;
        fuse_reply_open(request, info);
    } else if (fs->options->follow) {
        open_followed(request, id, info);
    } else if (fs->kernel_opens_files) {
        fuse_reply_err(request, ENOSYS);
    } else {
        info->keep_cache = 1;
        fuse_reply_open(request, info);
    }
}

static void handle_release(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
    xtf_opened_free((XtfOpened *)(uintptr_t)info->fh);
    fuse_reply_err(request, 0);
}

/*
 * Buffers of replies to reads, kept for later reads: allocating fresh pages each time would cost more than filling
 * them. There are as many buffers as concurrent reads. A read takes the buffer that was used last, by any thread, as it
 * is most likely still in the CPU's caches.
 */
struct XtfFsBuffer {
    XtfFsBuffer *below;
    size_t size;
    char bytes[];
};

static XtfFsBuffer *take_buffer(XtfFs *fs, size_t size)
{
    g_mutex_lock(&fs->buffers_lock);
    XtfFsBuffer *buffer = fs->buffers;
    if (buffer)
        fs->buffers = buffer->below;
    g_mutex_unlock(&fs->buffers_lock);
    if (!buffer || buffer->size < size) {
        g_free(buffer);
        buffer = g_malloc(sizeof *buffer + size);
        buffer->size = size;
    }
    return buffer;
}

static void return_buffer(XtfFs *fs, XtfFsBuffer *buffer)
{
    g_mutex_lock(&fs->buffers_lock);
    buffer->below = fs->buffers;
    fs->buffers = buffer;
    g_mutex_unlock(&fs->buffers_lock);
}

void xtf_fs_free_buffers(XtfFs *fs)
{
    while (fs->buffers) {
        XtfFsBuffer *buffer = fs->buffers;
        fs->buffers = buffer->below;
        g_free(buffer);
    }
}

/* Reads the part of a file that a read asks for. Returns false with an error, or without one if the table does not know
 * the number. */
static bool read_part(XtfFs *fs, fuse_ino_t id, XtfOpened *opened, uint64_t offset, XtfFsBuffer *buffer, size_t size,
                      size_t *length, GError **error)
{
    XtfAttempt attempt = xtf_fs_attempt(fs);

    if (opened && opened->fixed)
        return xtf_opened_read_fixed(opened, offset, buffer->bytes, size, length, error);
    do {
        g_auto(XtfInode) inode = {0};
        *error = NULL;
        if (!get_inode(fs, id, &inode, error)) /* another tree has replaced the file's: read it as it was opened */
            return !*error && opened && xtf_opened_read_fixed(opened, offset, buffer->bytes, size, length, error);
        if (inode.kind != XTF_NODE_FILE)
            return xtf_fail(error, XTF_ERROR_INVALID, "a node that is no file cannot be read as a file");
        if (xtf_opened_read(fs, opened, &inode, offset, buffer->bytes, size, length, error))
            return true;
    } while (xtf_fs_retry_later_generation(fs, &attempt, error));
    return false;
}

static void handle_read(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, struct fuse_file_info *info)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_READ);
    XtfOpened *opened = fs->options->follow ? (XtfOpened *)(uintptr_t)info->fh : NULL;
    XtfFsBuffer *buffer = take_buffer(fs, size);
    GError *error = NULL;
    size_t length = 0;

    if (id == XTF_INODE_LOG)
        fuse_reply_buf(request, buffer->bytes, xtf_fs_log_read((uint64_t)offset, buffer->bytes, size));
    else if (read_part(fs, id, opened, (uint64_t)offset, buffer, size, &length, &error))
        fuse_reply_buf(request, buffer->bytes, length);
    else
        reply_unknown(request, error);
    return_buffer(fs, buffer);
}

static void handle_statfs(fuse_req_t request, fuse_ino_t id)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_STATFS);
    const unsigned block = 4096;
    struct statvfs answer = {
        .f_bsize = block,
        .f_frsize = block,
        .f_blocks = (fs->options->size + block - 1) / block, /* of the trace; no block is free */
        .f_namemax = 255,
        .f_flag = ST_RDONLY,
    };

    fuse_reply_statfs(request, &answer);
}

static void handle_access(fuse_req_t request, fuse_ino_t id, int mask)
{
    xtf_fs_of(request, XTF_REQUEST_ACCESS);
    fuse_reply_err(request, mask & W_OK ? EROFS : 0); /* the kernel checks the mode itself (default_permissions) */
}

void xtf_fs_add_file_handlers(struct fuse_lowlevel_ops *ops)
{
    ops->lookup = handle_lookup;
    ops->forget = handle_forget;
    ops->forget_multi = handle_forget_multi;
    ops->getattr = handle_getattr;
    ops->readlink = handle_readlink;
    ops->open = handle_open;
    ops->release = handle_release;
    ops->read = handle_read;
    ops->statfs = handle_statfs;
    ops->access = handle_access;
}
