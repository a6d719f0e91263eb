/*
 * Patterns of names as in shells: `*` matches any text, `?` any character, `[a-z]` one of these, `[!a-z]` any other.
 * A byte that is written as \xNN matches only itself, and so does a `[` that no `]` follows.
 *
 * Immutable: any thread may use a pattern.
 */
#pragma once

#include <stdbool.h>

typedef struct XtfNamePattern XtfNamePattern;

/* Parses a pattern. NULL if an escape is wrong. */
XtfNamePattern *xtf_name_pattern_new(const char *text);
void xtf_name_pattern_free(XtfNamePattern *pattern); /* accepts NULL */

/* Returns the pattern without escapes: the name that it matches if it has no wildcard. The pattern owns the text. */
const char *xtf_name_pattern_text(const XtfNamePattern *pattern);
/* True if the pattern has a wildcard: `*`, `?` or `[...]`. */
bool xtf_name_pattern_is_open(const XtfNamePattern *pattern);
/* True if the whole name matches. Characters are UTF-8; a byte of no valid character counts as one character. */
bool xtf_name_pattern_fits(const XtfNamePattern *pattern, const char *name);
