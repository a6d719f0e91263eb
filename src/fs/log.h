/*
 * The mount's log: the file `log` at its root, for people who cannot read the system's log.
 *
 * It is bounded: old lines go. The kernel keeps a file's pages for as long as its size stays the same, so the log has
 * another size whenever its content changes. It belongs to the process, which serves one mount.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define XTF_FS_LOG_NAME "log"

/* Adds a line with the time; a line that repeats the last one is only counted. Any thread. */
void xtf_fs_log(const char *message);

uint64_t xtf_fs_log_size(void);

/* What a reader gets from an offset on, at most `size` bytes; returns how many. */
size_t xtf_fs_log_read(uint64_t offset, char *buffer, size_t size);
