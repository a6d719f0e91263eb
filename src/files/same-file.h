/*
 * Identity of files, by device and inode.
 */
#pragma once

#include <stdbool.h>

/* True if both paths lead to the same file or folder, also through links. False if one of them cannot be found. */
bool xtf_is_same_file(const char *a, const char *b);
