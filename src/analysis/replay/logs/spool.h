/*
 * A temporary file without a name, in $TMPDIR. The kernel deletes it after its last user, also after a crash.
 *
 * Any number of threads may read and write different places at once.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int fd; /* -1: not open */
    uint64_t end;
} XtfSpool;

#define XTF_SPOOL_NONE ((XtfSpool){.fd = -1})

bool xtf_spool_open(XtfSpool *spool, GError **error);
void xtf_spool_close(XtfSpool *spool); /* may be called twice */
/* Reserves a place for this many bytes at the end of the file. */
uint64_t xtf_spool_allot(XtfSpool *spool, uint64_t bytes);
/* Reserves a place at a multiple of the greatest power of 2 that divides `bytes`, which is not 0. The kernel writes and
 * reads whole aligned blocks of 16 KiB or more in half of the time. */
uint64_t xtf_spool_allot_aligned(XtfSpool *spool, uint64_t bytes);
bool xtf_spool_put(const XtfSpool *spool, uint64_t at, const void *bytes, size_t n, GError **error);
/* Reads bytes. Bytes that were never written are zeros. */
bool xtf_spool_get(const XtfSpool *spool, uint64_t at, void *bytes, size_t n, GError **error);
