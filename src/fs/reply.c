/* What handlers have in common. */
#include <errno.h>

#include "src/fs/fs-private.h"

XtfFs *xtf_fs_of(fuse_req_t request, XtfRequestKind kind)
{
    XtfFs *fs = fuse_req_userdata(request);

    atomic_fetch_add_explicit(&fs->requests[kind], 1, memory_order_relaxed);
    return fs;
}

mode_t xtf_fs_mode(XtfNodeKind kind)
{
    switch (kind) {
    case XTF_NODE_DIRECTORY:
        return S_IFDIR | 0555;
    case XTF_NODE_LINK:
        return S_IFLNK | 0777;
    case XTF_NODE_FILE:
        break;
    }
    return S_IFREG | 0444;
}

struct stat xtf_fs_stat(const XtfFs *fs, const XtfInode *inode)
{
    XtfNodeKind kind = xtf_node_kind(inode->node);
    uint64_t size = kind == XTF_NODE_DIRECTORY ? 0 : xtf_node_size(inode->node);

    return (struct stat){
        .st_ino = inode->ino,
        .st_mode = xtf_fs_mode(kind),
        .st_nlink = 1, /* also of directories: "unknown", so that find does not count sub-directories */
        .st_uid = fs->options->uid,
        .st_gid = fs->options->gid,
        .st_size = (off_t)size,
        .st_blksize = 128 * 1024,
        .st_blocks = (blkcnt_t)(size / 512 + (size % 512 != 0)), /* 0 would read as a hole */
        .st_atim = fs->options->mtime,
        .st_mtim = fs->options->mtime,
        .st_ctim = fs->options->mtime,
    };
}

bool xtf_fs_enter(XtfFs *fs, const XtfInode *directory, const char *name, struct fuse_entry_param *entry,
                  GError **error)
{
    g_auto(XtfInode) child = {0};

    if (!xtf_inodes_lookup(fs->inodes, directory, name, &child, error))
        return false;
    *entry = (struct fuse_entry_param){
        .ino = child.id,
        .attr = xtf_fs_stat(fs, &child),
        .attr_timeout = XTF_FS_ENDLESS,
        .entry_timeout = XTF_FS_ENDLESS,
    };
    return true;
}

void xtf_fs_reply_stale(fuse_req_t request)
{
    fuse_reply_err(request, ESTALE);
}

void xtf_fs_reply_error(fuse_req_t request, GError *error)
{
    if (!g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND))
        g_warning("%s", error->message);
    fuse_reply_err(request, xtf_error_to_errno(error));
    g_error_free(error);
}
