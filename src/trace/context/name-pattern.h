/*
 * Patterns of names, as shells have them: `*` is any text, `?` any character, `[a-z]` one of these, `[!a-z]` any other.
 * A byte that is written as \xNN stands for itself, and so does a `[` that no `]` follows.
 *
 * Immutable: any thread may use a pattern.
 */
#pragma once

#include <stdbool.h>

typedef struct XtfNamePattern XtfNamePattern;

/* NULL if an escape is wrong. */
XtfNamePattern *xtf_name_pattern_new(const char *text);
void xtf_name_pattern_free(XtfNamePattern *pattern); /* NULL is fine */

/* Without escapes: the name that it is if no character has a meaning. Owned by the pattern. */
const char *xtf_name_pattern_text(const XtfNamePattern *pattern);
/* Whether some character has a meaning. */
bool xtf_name_pattern_is_open(const XtfNamePattern *pattern);
/* Whether all of a name fits. Characters are those of UTF-8; a byte that is part of none counts as one. */
bool xtf_name_pattern_fits(const XtfNamePattern *pattern, const char *name);
