/*
 * Memory backed by an unlinked file: the kernel can write pages that no thread uses to the file and free them.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint8_t *data;   /* NULL: no memory */
    size_t size;     /* usable bytes; the file has blocks for all of them */
    size_t reserved; /* bytes of address space, at least `size`; bytes at `size` and after must not be accessed yet */
    int file;        /* descriptor; valid if `data` is not NULL; -1: closed, so the memory cannot grow */
} XtfFileMemory;     /* all zeros: no memory */

/* Grows the memory to `size` bytes, or allocates it. The size must not shrink. Reserves `reserved` bytes of address
 * space, at least `size`: the memory does not move while it grows within them. New bytes are zero.
 *
 * Allocates the file's blocks at once, so that a full disk is an error here and not a SIGBUS later. On XTF_ERROR_IO the
 * message names the folder, and the memory is unchanged. */
bool xtf_file_memory_grow(XtfFileMemory *memory, size_t size, size_t reserved, GError **error);
/* Allocates `size` zero bytes that can never grow. The memory keeps no descriptor open, so a process can have many. The
 * file is created in `folder` (NULL: the user's folder for temporary files). On XTF_ERROR_IO the message names the
 * folder, and *memory is unchanged. */
bool xtf_file_memory_make(XtfFileMemory *memory, const char *folder, size_t size, GError **error);
/* Lets the kernel free the pages of these bytes, which begin at a page boundary, until the next access. The content is
 * kept. Other threads may use the bytes meanwhile. */
void xtf_file_memory_page_out(void *data, size_t size);
void xtf_file_memory_free(XtfFileMemory *memory); /* accepts all zeros */
