/*
 * The mount's log: the file `log` at its root, for users who cannot read the system's log.
 *
 * Its size is bounded: old lines are dropped. The kernel keeps cached pages while a file's size stays the same, so the
 * log's size changes whenever its content does. The log is global to the process, which serves one mount.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define XTF_FS_LOG_NAME "log"

/* Adds a line with the time. If the message repeats the last one, only counts it. Any thread may call it. */
void xtf_fs_log(const char *message);

uint64_t xtf_fs_log_size(void);

/* Copies at most `size` bytes from `offset` on into the buffer. Returns the number of bytes. */
size_t xtf_fs_log_read(uint64_t offset, char *buffer, size_t size);
