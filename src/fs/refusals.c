/*
 * Refusal of every attempt to write, with EROFS.
 *
 * The mount is read-only, so the kernel refuses most requests itself. These handlers refuse the others, such as those
 * after `mount -o remount,rw`.
 */
#include <errno.h>

#include "src/fs/fs-private.h"

static void refuse_request(fuse_req_t request)
{
    xtf_fs_of(request, XTF_REQUEST_WRITE);
    fuse_reply_err(request, EROFS);
}

static void refuse_setattr(fuse_req_t request, fuse_ino_t id, struct stat *attributes, int set,
                           struct fuse_file_info *info)
{
    refuse_request(request);
}

static void refuse_mknod(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode, dev_t device)
{
    refuse_request(request);
}

static void refuse_mkdir(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode)
{
    refuse_request(request);
}

static void refuse_unlink(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    refuse_request(request);
}

static void refuse_symlink(fuse_req_t request, const char *target, fuse_ino_t parent, const char *name)
{
    refuse_request(request);
}

static void refuse_rename(fuse_req_t request, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
                          const char *new_name, unsigned flags)
{
    refuse_request(request);
}

static void refuse_link(fuse_req_t request, fuse_ino_t id, fuse_ino_t new_parent, const char *new_name)
{
    refuse_request(request);
}

static void refuse_write(fuse_req_t request, fuse_ino_t id, const char *bytes, size_t size, off_t offset,
                         struct fuse_file_info *info)
{
    refuse_request(request);
}

static void refuse_setxattr(fuse_req_t request, fuse_ino_t id, const char *name, const char *value, size_t size,
                            int flags)
{
    refuse_request(request);
}

static void refuse_removexattr(fuse_req_t request, fuse_ino_t id, const char *name)
{
    refuse_request(request);
}

static void refuse_create(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode,
                          struct fuse_file_info *info)
{
    refuse_request(request);
}

static void refuse_fallocate(fuse_req_t request, fuse_ino_t id, int mode, off_t offset, off_t length,
                             struct fuse_file_info *info)
{
    refuse_request(request);
}

void xtf_fs_add_refusals(struct fuse_lowlevel_ops *ops)
{
    ops->setattr = refuse_setattr;
    ops->mknod = refuse_mknod;
    ops->mkdir = refuse_mkdir;
    ops->unlink = refuse_unlink;
    ops->rmdir = refuse_unlink;
    ops->symlink = refuse_symlink;
    ops->rename = refuse_rename;
    ops->link = refuse_link;
    ops->write = refuse_write;
    ops->setxattr = refuse_setxattr;
    ops->removexattr = refuse_removexattr;
    ops->create = refuse_create;
    ops->fallocate = refuse_fallocate;
}
