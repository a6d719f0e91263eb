/*
 * Common code of the benches: a folder for their files that is removed afterwards, clocks, medians, cold caches, and
 * the rows that they print.
 *
 * A bench prints one line of a Markdown table for each figure. An error ends the bench with a message.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs `work` in a child process with a new folder under `parent` (NULL: TMPDIR, or /var/tmp). Removes the folder
 * even if a signal or a crash ends the child. Returns the exit code for main(). */
int bench_in_folder(const char *parent, void (*work)(const char *folder, void *data), void *data);

/* Ends the bench with a message, and the error's message if there is one. */
void bench_fail(const GError *error, const char *format, ...) G_GNUC_PRINTF(2, 3) G_GNUC_NORETURN;
#define bench_check(good, error, ...) ((good) ? (void)0 : bench_fail((error), __VA_ARGS__))

double bench_now(void);                                        /* seconds */
double bench_processor_time(void);                             /* of this process with all its threads; seconds */
double bench_thread_time(void);                                /* processor time of the calling thread; seconds */
double bench_median(double *values, size_t n);                 /* sorts the values */
double bench_quantile(double *values, size_t n, double share); /* of sorted values */
uint64_t bench_random(uint64_t *state);                        /* splitmix64 */
uint64_t bench_below(uint64_t *state, uint64_t limit);

uint64_t bench_file_size(const char *path);
uint64_t bench_free_space(const char *folder);
/* Drops the file's pages from the system's cache; they must not be mapped. Returns false if more than a twentieth
 * stays. */
bool bench_make_cold(const char *path);

/* Prints the head of the table. Benches whose rows run.sh collects do not print it. */
void bench_head(void);
/* Prints a row: the figure, its target (NULL: none), the peers' values (NULL: none), and XTF's value. */
void bench_row(const char *figure, const char *target, const char *peers, const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Returns a duration as text: "870 ns", "4.2 us", "1.10 ms". */
char *bench_duration(double seconds);
