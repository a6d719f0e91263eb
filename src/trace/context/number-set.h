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

/* What the numbers of a set are of. */
typedef struct {
    const char *what;    /* "process": for messages */
    bool is_any;         /* every number is one; else those of `all` are: */
    const uint64_t *all; /* ascending; borrowed */
    uint32_t n;
} XtfNumbers;

/* "12", "0-63", "8-", "-7", "0,4,8-11". XTF_ERROR_NOT_FOUND if it is no set, or if a number that it names is none of
 * these. An open end stays open, whatever numbers there are: a trace that grows may have more later. */
XtfNumberSet *xtf_number_set_parse(const XtfNumbers *numbers, const char *text, GError **error);
/* The numbers less than n whose flag is set. */
XtfNumberSet *xtf_number_set_from_flags(const bool *flags, uint64_t n);
XtfNumberSet *xtf_number_set_of_one(uint64_t number);
/* In any order; they may overlap. */
XtfNumberSet *xtf_number_set_from_ranges(const XtfNumberRange *ranges, size_t n);
XtfNumberSet *xtf_number_set_ref(XtfNumberSet *set); /* NULL is fine, and means "all" everywhere */
void xtf_number_set_unref(XtfNumberSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNumberSet, xtf_number_set_unref)

XtfNumberSet *xtf_number_set_intersect(XtfNumberSet *a, XtfNumberSet *b); /* a new reference */
bool xtf_number_set_equal(const XtfNumberSet *a, const XtfNumberSet *b);  /* also of NULL */
/* How many of its numbers are less than n. */
uint64_t xtf_number_set_count_below(const XtfNumberSet *set, uint64_t n);
bool xtf_number_set_contains(const XtfNumberSet *set, uint64_t value);
/* Whether it is one number, and which. */
bool xtf_number_set_single(const XtfNumberSet *set, uint64_t *value);
void xtf_number_set_print(const XtfNumberSet *set, GString *out);

/* For qsort() and its like, of uint64_t. */
int xtf_compare_numbers(const void *a, const void *b);
/* Sorts numbers in place, each of them once; returns how many are left. */
uint32_t xtf_sort_distinct(uint64_t *numbers, uint32_t n);

/* Ranks of records [*from, *to): "K", which is *single, or "I-J", "I-", "-J". */
bool xtf_rank_range_parse(const char *text, uint64_t *from, uint64_t *to, bool *single, GError **error);
