/*
 * Call paths by number. A call path is a region called on another path. It gets the next number, from 0, when it is
 * first added. So a path has a greater number than its parent.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define XTF_CALLPATH_NONE UINT32_MAX /* the parent of a path without calls around it */

typedef struct {
    uint32_t parent; /* XTF_CALLPATH_NONE: a root */
    uint32_t region;
    uint32_t depth; /* from 1 */
} XtfNumberedCallpath;

typedef struct {
    GArray *all;         /* XtfNumberedCallpath */
    GHashTable *numbers; /* by parent and region */
} XtfCallpathNumbers;

void xtf_callpath_numbers_init(XtfCallpathNumbers *numbers);
void xtf_callpath_numbers_finish(XtfCallpathNumbers *numbers); /* accepts zeros */

/* Finds or assigns the number of the path on which `parent` calls `region`. False if the path is new and there are
 * `most` paths already. */
bool xtf_callpath_number(XtfCallpathNumbers *numbers, uint32_t parent, uint32_t region, uint32_t most,
                         uint32_t *number);

static inline uint32_t xtf_callpath_numbers_n(const XtfCallpathNumbers *numbers)
{
    return numbers->all->len;
}

static inline const XtfNumberedCallpath *xtf_callpath_numbers_at(const XtfCallpathNumbers *numbers, uint32_t path)
{
    return &g_array_index(numbers->all, XtfNumberedCallpath, path);
}
