/*
 * Memory that is a file's without a name: what nobody touches for a while need not stay in memory.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint8_t *data; /* NULL: none */
    size_t size;   /* bytes that may be used: the file has all their blocks */
    size_t room;   /* bytes of addresses, of which those behind `size` must not be touched yet */
    int file;      /* if there are data; -1: closed, so that it cannot grow */
} XtfFileMemory;   /* zeros: none */

/* Makes it `size` bytes long, not less than it was, and has `room` bytes of addresses for it, not less than `size`: so
 * far it can grow later without being moved. What is new is zeros.
 *
 * The blocks of the file are allotted at once, so that nobody is killed by a signal where the disk is full: that fails
 * here, with XTF_ERROR_IO, which names the folder, and the memory stays as it was. */
bool xtf_file_memory_grow(XtfFileMemory *memory, size_t size, size_t room, GError **error);
/* Makes memory of `size` bytes, zeros, which never grows: it holds no descriptor, so that there can be many. The file
 * is in a folder (NULL: the user's for temporary files). It fails like the above; then the memory is none. */
bool xtf_file_memory_make(XtfFileMemory *memory, const char *folder, size_t size, GError **error);
/* Nothing of these bytes is needed at once: they begin at a page. Other threads may use them meanwhile. */
void xtf_file_memory_rest(void *data, size_t size);
void xtf_file_memory_free(XtfFileMemory *memory); /* also of zeros */
