/*
 * The compact codec: rows of one schema, packed.
 *
 * The times, as differences, and the rest of the rows are streams of their own, so the times can be had without the
 * rest. The rest is written as numbers of templates: a page's rows repeat a handful of rows but for what grows
 * steadily, so a template holds, for each field, its value, or its difference to the row before (RISES), or, for a
 * DISTANCE, the distance or that it leads where the row before leads on to. Fields that take too many values stand in
 * columns of their own. pack-format.h and docs/FORMAT.md have the whole.
 *
 * Packing knows neither pages nor headers. The same rows always pack to the same templates; deflate's output depends on
 * the library at hand. All functions may be called from any thread; scratch memory is a thread's own.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/schema.h"

enum {
    XTF_PACK_LEVEL_DEFAULT = 1,
    XTF_PACK_LEVEL_MAX = 9, /* as zlib's; libdeflate's of about the same effort where that is at hand */
};

/* Packs `count` rows, at least 1, whose times ascend, into at most `room` bytes. The length; 0 if they do not fit,
 * *estimate then being about what they would take. `estimate` may be NULL. */
uint32_t xtf_pack(const XtfSchema *schema, const uint8_t *rows, uint32_t count, unsigned level, uint8_t *out,
                  uint32_t room, uint32_t *estimate);

/* The most bytes that so many rows can take packed. */
uint64_t xtf_pack_bound(const XtfSchema *schema, uint32_t count);

/*
 * The times of packed rows, `count` of them, as integers of this machine. False with *fault, a phrase such as "its
 * times are cut short", if the bytes are not what `count` packed rows are: any bytes may be given. The times ascend.
 */
bool xtf_unpack_times(const uint8_t *packed, uint32_t length, uint32_t count, uint64_t *times, const char **fault);

/* The rows, count * schema->row_size bytes, as they were. */
bool xtf_unpack_rows(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count, uint8_t *rows,
                     const char **fault);
