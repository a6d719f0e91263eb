/*
 * Sets of numbers and ranges of ranks: the names of directories below proc/, thread/, peer/, tag/ and num/.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t first, last; /* both inclusive */
} XtfNumberRange;

/* A set of numbers: ranges that are sorted and neither touch nor overlap. Immutable, reference-counted. */
typedef struct {
    gatomicrefcount references;
    unsigned n_ranges;
    XtfNumberRange ranges[];
} XtfNumberSet;

/* The numbers that a set may name. */
typedef struct {
    const char *noun;    /* of a number, for messages: "process" */
    bool is_any;         /* true: every number is valid; false: the numbers of `all` are */
    const uint64_t *all; /* ascending; borrowed */
    uint32_t n;
} XtfNumbers;

/* Parses "12", "0-63", "8-", "-7" or "0,4,8-11". Fails with XTF_ERROR_NOT_FOUND if the text is not a set, or names a
 * number that is not valid. An open end stays open, since a growing trace may get more numbers later. */
XtfNumberSet *xtf_number_set_parse(const XtfNumbers *numbers, const char *text, GError **error);
/* Makes a set of the numbers less than n whose flag is true. */
XtfNumberSet *xtf_number_set_from_flags(const bool *flags, uint64_t n);
XtfNumberSet *xtf_number_set_of_one(uint64_t number);
/* Makes a set of ranges in any order; the ranges may overlap. */
XtfNumberSet *xtf_number_set_from_ranges(const XtfNumberRange *ranges, size_t n);
XtfNumberSet *xtf_number_set_ref(XtfNumberSet *set); /* accepts NULL, which means "all" everywhere */
void xtf_number_set_unref(XtfNumberSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNumberSet, xtf_number_set_unref)

XtfNumberSet *xtf_number_set_intersect(XtfNumberSet *a, XtfNumberSet *b); /* a new reference */
bool xtf_number_set_equal(const XtfNumberSet *a, const XtfNumberSet *b);  /* accepts NULL */
/* Counts the numbers of the set that are less than n. */
uint64_t xtf_number_set_count_below(const XtfNumberSet *set, uint64_t n);
bool xtf_number_set_contains(const XtfNumberSet *set, uint64_t value);
/* True if the set is a single number, which *value returns. */
bool xtf_number_set_single(const XtfNumberSet *set, uint64_t *value);
void xtf_number_set_print(const XtfNumberSet *set, GString *out);

/* Compares two uint64_t, for qsort() and bsearch(). */
int xtf_compare_numbers(const void *a, const void *b);
/* Sorts numbers in place and drops duplicates. Returns the number of distinct ones. */
uint32_t xtf_sort_distinct(uint64_t *numbers, uint32_t n);

/* Parses the numbers [*from, *to): "K", which sets *single, or "I-J", "I-", "-J". `noun` names what is numbered, for
 * messages: "record". XTF_ERROR_NOT_FOUND if the text is none of these. */
bool xtf_rank_range_parse(const char *text, const char *noun, uint64_t *from, uint64_t *to, bool *single,
                          GError **error);
