/*
 * Sets of numbers and ranges of ranks: the names of directories below proc/, thread/, peer/, tag/ and num/.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t first, last; /* both are in the range */
} XtfNumberRange;

/* A set of numbers: ranges that are sorted and neither touch nor overlap. Immutable, reference-counted. */
typedef struct {
    gatomicrefcount references;
    unsigned n_ranges;
    XtfNumberRange ranges[];
} XtfNumberSet;

/* "12", "0-63", "0,4,8-11". For messages: the numbers are of a `what`. */
XtfNumberSet *xtf_number_set_parse(const char *what, const char *text, GError **error);
XtfNumberSet *xtf_number_set_from_numbers(const uint64_t *numbers, size_t n);
XtfNumberSet *xtf_number_set_ref(XtfNumberSet *set); /* NULL is fine, and means "all" everywhere */
void xtf_number_set_unref(XtfNumberSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNumberSet, xtf_number_set_unref)

XtfNumberSet *xtf_number_set_intersect(XtfNumberSet *a, XtfNumberSet *b); /* a new reference */
bool xtf_number_set_contains(const XtfNumberSet *set, uint64_t value);
/* Whether it is one number, and which. */
bool xtf_number_set_single(const XtfNumberSet *set, uint64_t *value);
void xtf_number_set_print(const XtfNumberSet *set, GString *out);

/* Ranks of records [*from, *to): "K", which is *single, or "I-J", "I-", "-J". */
bool xtf_rank_range_parse(const char *text, uint64_t *from, uint64_t *to, bool *single, GError **error);
