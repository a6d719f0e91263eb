/*
 * Archives for sums and views: whatever makes totals of a window hard to get right.
 */
#pragma once

#include "archive.h"

/* Calls: sums-calls.c */
void write_sums_calls(const char *folder);   /* recursion, LEAVEs of anything, gaps of measurement, ties; many rows */
void write_sums_deep(const char *folder);    /* stacks of more than 64 and of more than 1000 frames */
void write_sums_instant(const char *folder); /* all at one time */

void write_sums_ties(const char *folder); /* regions whose times differ in nothing but who has them */

/* Regions: sums-names.c */
void write_sums_regions(const char *folder); /* 5000 */
void write_sums_names(const char *folder);   /* of regions and communicators: escapes, duplicates, no name */

/* Messages: sums-messages.c */
void write_sums_messages(const char *folder);      /* 10000 tags, sums beyond 64 bits, collectives */
void write_sums_communicators(const char *folder); /* part of the world, in another order, between two groups */

/* Classes of regions: sums-classes.c */
void write_sums_hybrid(
    const char *folder);                   /* MPI, OpenMP and everything else, in threads, by a recorder like Score-P */
void write_sums_plain(const char *folder); /* by one that gives regions nothing but names */

/* Metrics: sums-metrics.c */
void write_sums_metrics(const char *folder); /* of all value types; extremes */
void write_sums_growth(const char *folder);  /* counters that grow in regions, in several series */

/* Two runs of one program: diffs.c */
void write_diff_before(const char *folder);
void write_diff_after(const char *folder);

/* The same numbers in every run. */
typedef struct {
    uint64_t state;
} Dice;

uint32_t dice(Dice *dice, uint32_t n); /* from 0 to n - 1; 0 if n is 0 */

/* Processes 0 to n_procs - 1 of n_threads locations each: process p's thread t is location p + t * n_procs. Then
 * MPI_COMM_WORLD, communicator 0, whose groups are 0 and 1. */
void sums_places(Archive *archive, uint32_t n_procs, uint32_t n_threads);
