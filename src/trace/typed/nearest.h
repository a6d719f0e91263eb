/*
 * Finds the name nearest to a mistyped word. The caller offers the candidate names one by one.
 *
 * Typing errors are insertions, deletions, replacements and exchanges of neighbours. Case is ignored. A word may have
 * one error per three characters, at least one and at most two.
 */
#pragma once

#include <glib.h>

enum {
    XTF_NEAREST_WORD_MAX = 64, /* bytes of the longest word or name that is compared */
};

typedef struct {
    const char *word; /* borrowed */
    char *name;       /* nearest name so far; NULL if none is near */
    unsigned least;   /* private: names with this many errors or more are rejected */
} XtfNearest;

void xtf_nearest_init(XtfNearest *nearest, const char *word);
void xtf_nearest_finish(XtfNearest *nearest);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfNearest, xtf_nearest_finish)

void xtf_nearest_offer(XtfNearest *nearest, const char *name);
