/*
 * The set of the distinct tags of messages: the XTF_TAGS_MAX least tags, and a flag that says whether there are more.
 * Therefore the set does not depend on the order in which tags are added. The tag 2^32 - 1, which means "none" in rows,
 * is never in the set; it only sets the flag.
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
    uint32_t greatest;                /* greater tags only set has_more */
    bool has_more;                    /* a tag greater than `greatest` was added */
    uint32_t recent[XTF_TAGS_RECENT]; /* cache of tags added before, by tag % XTF_TAGS_RECENT */
} XtfTags;

void xtf_tags_init(XtfTags *tags);
void xtf_tags_finish(XtfTags *tags);
void xtf_tags_add_new(XtfTags *tags, uint32_t tag); /* the slow path of xtf_tags_add() */
/* Adds all tags of another set. */
void xtf_tags_add_all(XtfTags *tags, const XtfTags *from);
/* Returns the tags, ascending: an array of uint32_t that the caller frees. Reduces the set to XTF_TAGS_MAX tags. */
GArray *xtf_tags_list(XtfTags *tags);

static inline void xtf_tags_add(XtfTags *tags, uint32_t tag)
{
    if (G_UNLIKELY(tags->recent[tag % XTF_TAGS_RECENT] != tag))
        xtf_tags_add_new(tags, tag);
}
