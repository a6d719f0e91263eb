/*
 * Frequency profiles: how often a process, or a run, does each thing. A profile is a vector of counts by number, of
 * which only counts above 0 are kept.
 *
 * The distance of two profiles a and b is sum |a - b| / sum (a + b): 0 if they are equal, 1 if they share nothing. It
 * is Bray and Curtis's dissimilarity (Ecological Monographs 27(4), 1957).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t number, count;
} XtfFrequency;

typedef struct {
    GArray *cells; /* XtfFrequency, by number, each number once */
    uint64_t total;
} XtfFrequencies;

void xtf_frequencies_init(XtfFrequencies *frequencies);
void xtf_frequencies_finish(XtfFrequencies *frequencies); /* all zeros is fine */

/* Adds a count. Numbers may have any order, and may repeat. */
void xtf_frequencies_add(XtfFrequencies *frequencies, uint64_t number, uint64_t count);
/* Sorts the cells and sums the counts of equal numbers. Must follow the last xtf_frequencies_add(). */
void xtf_frequencies_sort(XtfFrequencies *frequencies);

/* Returns the distance of two sorted profiles; 0 if both are empty. */
double xtf_frequencies_distance(const XtfFrequencies *a, const XtfFrequencies *b);

/* Finds the number whose counts differ most, the least of several; false if the profiles are equal. */
bool xtf_frequencies_differ_most(const XtfFrequencies *a, const XtfFrequencies *b, uint64_t *number,
                                 uint64_t counts[static 2]);
