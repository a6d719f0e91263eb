/*
 * A temporary file that has no name: gone with its last user, also after a crash. It lies in $TMPDIR.
 *
 * Any number of threads may read and write different places at once.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int fd; /* -1: none yet */
    uint64_t end;
} XtfSpool;

#define XTF_SPOOL_NONE ((XtfSpool){.fd = -1})

bool xtf_spool_open(XtfSpool *spool, GError **error);
void xtf_spool_close(XtfSpool *spool); /* twice is fine */
/* A place for so many bytes behind all others. */
uint64_t xtf_spool_allot(XtfSpool *spool, uint64_t bytes);
bool xtf_spool_put(const XtfSpool *spool, uint64_t at, const void *bytes, size_t n, GError **error);
/* Bytes that were never put are zeros. */
bool xtf_spool_get(const XtfSpool *spool, uint64_t at, void *bytes, size_t n, GError **error);
