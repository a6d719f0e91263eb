/*
 * What the benches share: a folder for their files that is gone afterwards, clocks, medians, cold caches, and the rows
 * that they print.
 *
 * A bench prints one line of a Markdown table for each figure. Trouble ends it with a message: a bench has nobody to
 * report to.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs `work` in a child process with a new folder under `parent` (NULL: TMPDIR, or /var/tmp), and removes the folder
 * however the child ends, by a signal or a crash too. Returns the exit code for main(). */
int bench_in_folder(const char *parent, void (*work)(const char *folder, void *data), void *data);

/* Ends the bench, with the error's message if there is one. */
void bench_fail(const GError *error, const char *format, ...) G_GNUC_PRINTF(2, 3) G_GNUC_NORETURN;
#define bench_check(good, error, ...) ((good) ? (void)0 : bench_fail((error), __VA_ARGS__))

double bench_now(void);                                        /* seconds */
double bench_processor_time(void);                             /* of this process, its threads included; seconds */
double bench_median(double *values, size_t n);                 /* sorts them */
double bench_quantile(double *values, size_t n, double share); /* of sorted ones */
uint64_t bench_random(uint64_t *state);                        /* splitmix64 */
uint64_t bench_below(uint64_t *state, uint64_t limit);

uint64_t bench_file_size(const char *path);
uint64_t bench_free_space(const char *folder);
/* Drops the file's pages from the system's cache; they must not be mapped. False if more than a twentieth stays. */
bool bench_make_cold(const char *path);

/* The head of the table; benches that run.sh joins into one leave it out. */
void bench_head(void);
/* A figure, what is to be reached (NULL: nothing said), the peers' figures (NULL: none), ours. */
void bench_row(const char *figure, const char *target, const char *peers, const char *format, ...) G_GNUC_PRINTF(4, 5);

/* "870 ns", "4.2 us", "1.10 ms". */
char *bench_duration(double seconds);
