/*
 * Shared parts of the preloaded libraries that watch calls on the files of the folder $XTF_TORTURE_FOLDER.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* True if the path is below the folder. */
static inline bool path_is_watched(const char *path)
{
    const char *folder = getenv("XTF_TORTURE_FOLDER");
    size_t n = folder ? strlen(folder) : 0;

    return n > 0 && strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

/* Stores the path of a descriptor's file. False if the file is not below the folder. */
static inline bool file_is_watched(int file, char path[PATH_MAX])
{
    char link[64];

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n < 0)
        return false;
    path[n] = 0;
    return path_is_watched(path);
}

/* Stores the absolute path of a name in a folder, a descriptor or AT_FDCWD (-100). False if it is not below the
 * watched folder. */
static inline bool name_is_watched(int folder, const char *name, char path[PATH_MAX])
{
    char link[64], before[PATH_MAX];

    if (name[0] == '/')
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && path_is_watched(path);
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t n = readlink(folder == -100 ? "/proc/self/cwd" : link, before, sizeof before - 1);
    if (n < 0)
        return false;
    before[n] = 0;
    return snprintf(path, PATH_MAX, "%s/%s", before, name) < PATH_MAX && path_is_watched(path);
}
