/*
 * The name that was meant by one that is mistyped: the nearest of many, which are offered one by one.
 *
 * Errors of typing are insertions, deletions, replacements and exchanges of neighbours. Upper and lower case count as
 * the same. One error in three characters is allowed, and two at most; one in words of fewer.
 */
#pragma once

#include <glib.h>

enum {
    XTF_NEAREST_WORD_MAX = 64, /* bytes of a word, or of a name, that is compared at all */
};

typedef struct {
    const char *word; /* borrowed */
    char *name;       /* the nearest so far; NULL: none is near */
    unsigned least;   /* private: names with as many errors are too far */
} XtfNearest;

void xtf_nearest_init(XtfNearest *nearest, const char *word);
void xtf_nearest_finish(XtfNearest *nearest);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfNearest, xtf_nearest_finish)

void xtf_nearest_offer(XtfNearest *nearest, const char *name);
