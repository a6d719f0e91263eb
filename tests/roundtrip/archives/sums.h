/* Archives for sums and views, with everything that makes totals of a window hard. */
#pragma once

#include "archive.h"

/* Calls: sums-calls.c */
void write_sums_calls(const char *folder);   /* recursion, unmatched LEAVEs, gaps of measurement, equal times; many
                                              * rows */
void write_sums_deep(const char *folder);    /* stacks of more than 64 and of more than 1000 frames */
void write_sums_instant(const char *folder); /* all events at one time */

void write_sums_ties(const char *folder); /* regions whose processes have the same times in different orders */

/* Regions: sums-names.c */
void write_sums_regions(const char *folder); /* 5000 */
void write_sums_names(const char *folder);   /* of regions and communicators: escapes, duplicates, empty names */

/* Messages: sums-messages.c */
void write_sums_messages(const char *folder);      /* 10000 tags, sums beyond 64 bits, collectives */
void write_sums_communicators(const char *folder); /* of a part of the world, in another order, between two groups */

/* Classes of regions: sums-classes.c */
void write_sums_hybrid(const char *folder); /* MPI, OpenMP and all other classes, in threads, by a recorder like
                                             * Score-P */
void write_sums_plain(const char *folder);  /* by a recorder that gives regions only names */

/* Metrics: sums-metrics.c */
void write_sums_metrics(const char *folder); /* of all value types, with extreme values */
void write_sums_growth(const char *folder);  /* counters that grow in regions, in several series */

/* Two runs of one program: diffs.c */
void write_diff_before(const char *folder);
void write_diff_after(const char *folder);

/* A generator of the same numbers in every run. */
typedef struct {
    uint64_t state;
} Dice;

uint32_t dice(Dice *dice, uint32_t n); /* Returns a number from 0 to n - 1, or 0 if n is 0. */

/* Defines processes 0 to n_procs - 1 of n_threads locations each: thread t of process p is location p + t * n_procs.
 * Then defines MPI_COMM_WORLD, communicator 0, whose groups are 0 and 1. */
void sums_places(Archive *archive, uint32_t n_procs, uint32_t n_threads);
