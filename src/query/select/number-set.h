/*
 * The grammar of what stands below proc/, thread/ and num/, and which names may stand in a directory.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t first, last; /* both in */
} XtfRange;

/* A set of numbers: ranges that are sorted and neither touch nor overlap. Immutable, reference-counted. */
typedef struct {
    gatomicrefcount references;
    unsigned n_ranges;
    XtfRange ranges[];
} XtfSet;

/* "12", "0-63", "0,4,8-11"; `what` is what the numbers count, for messages. */
XtfSet *xtf_set_parse(const char *what, const char *text, GError **error);
XtfSet *xtf_set_from_numbers(const uint64_t *numbers, size_t n);
XtfSet *xtf_set_ref(XtfSet *set); /* NULL is fine, and means "all" everywhere */
void xtf_set_unref(XtfSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSet, xtf_set_unref)

XtfSet *xtf_set_intersect(XtfSet *a, XtfSet *b); /* a new reference */
bool xtf_set_contains(const XtfSet *set, uint64_t value);
/* Whether it is one number, and which. */
bool xtf_set_single(const XtfSet *set, uint64_t *value);
void xtf_set_print(const XtfSet *set, GString *out);

/* "K", or "I-J", "I-", "-J" of records: [*i, *j); *single for the first kind. */
bool xtf_numbers_parse(const char *text, uint64_t *i, uint64_t *j, bool *single, GError **error);

/* Whether a name from a file can stand in a directory beside those of the tree's own. */
bool xtf_name_is_usable(const char *name);
