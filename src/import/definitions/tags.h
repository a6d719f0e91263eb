/*
 * The distinct tags of messages: all of them, or the XTF_TAGS_MAX least and that there are others. So the set does not
 * depend on the order in which tags are seen. The tag 2^32 - 1, which stands for "none" in rows, is always one of the
 * others.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/import/definitions/id-map.h"

enum {
    XTF_TAGS_MAX = 4096,
    XTF_TAGS_RECENT = 64,
};

typedef struct {
    XtfIdMap tags;
    uint32_t greatest; /* the greatest tag that is looked at */
    bool others;       /* there are tags beyond it */
    uint32_t recent[XTF_TAGS_RECENT];
} XtfTags;

void xtf_tags_init(XtfTags *tags);
void xtf_tags_finish(XtfTags *tags);
void xtf_tags_add_new(XtfTags *tags, uint32_t tag); /* the slow path of xtf_tags_add() */
void xtf_tags_add_all(XtfTags *tags, const XtfTags *from);
/* The tags, ascending: an array of uint32_t that the caller frees. Cuts the set down to XTF_TAGS_MAX. */
GArray *xtf_tags_list(XtfTags *tags);

static inline void xtf_tags_add(XtfTags *tags, uint32_t tag)
{
    if (G_UNLIKELY(tags->recent[tag % XTF_TAGS_RECENT] != tag))
        xtf_tags_add_new(tags, tag);
}
