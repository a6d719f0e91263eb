/*
 * Opens the folder of a job, and files in it, for all rooms.
 *
 * The parent folder may be writable for other users. So a folder that another user owns or may write to is refused.
 * Files in it are opened relative to its descriptor and through no symbolic link, so that a folder that replaces it
 * meanwhile is never used.
 *
 * This header knows libc alone: it is compiled into programs that are traced.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a folder that only this user may write to. Returns -1 with errno on failure: EPERM if other users may. */
static inline int xtf_job_folder_open(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;

    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

/* Returns why a folder could not be opened, by errno. */
static inline const char *xtf_job_folder_reason(int code)
{
    return code == EPERM                      ? "it exists already, and is not a folder that only you can write to"
           : code == ELOOP || code == ENOTDIR ? "it is no folder, or a symbolic link to one"
                                              : strerror(code);
}

/* Opens a file of the folder, with the flags of open(2); -1, with errno. With O_CREAT a new one is made for this user
 * alone. */
static inline int xtf_job_file_open(int folder, const char *name, int flags)
{
    const int more = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK; /* or opening a FIFO would block */
    struct stat status;
    int fd = -1;

    for (int tries = 0; fd < 0 && tries < 100; tries++) { /* other processes may create and remove the file meanwhile */
        if (flags & O_CREAT)
            fd = openat(folder, name, flags | more | O_EXCL, 0600);
        if (fd < 0 && (!(flags & O_CREAT) || (errno == EEXIST && !(flags & O_EXCL))))
            fd = openat(folder, name, (flags & ~O_CREAT) | more);
        if (fd < 0 && (errno != ENOENT || !(flags & O_CREAT)))
            return -1;
    }
    if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
        return fd;
    close(fd);
    errno = EEXIST;
    return -1;
}

/* Opens a file as xtf_job_file_open() does, in a folder that is not open. */
static inline int xtf_job_open_in(const char *folder, const char *name, int flags)
{
    int directory = xtf_job_folder_open(folder);

    if (directory < 0)
        return -1;
    int fd = xtf_job_file_open(directory, name, flags);
    int reason = errno;
    close(directory);
    errno = reason;
    return fd;
}
