/*
 * Fields and tables that hold for one run of a program only, for joining the traces of several runs (libxtf/runs.h).
 */
#pragma once

#include "libxtf/runs.h"

/* Returns the fields whose numbers a run gives out by itself: of communicators, windows, requests, locks. *n gets
 * their number. */
const XtfRunNumber *xtf_run_numbers(size_t *n);

/* Returns the tables whose rows describe one run, such as how its processes ended. NULL-terminated. */
const char *const *xtf_run_separate_tables(void);

/* Returns the tables that do not hold for a trace of several runs. They describe analyses, corrections of clocks, and
 * the order of definitions in a source. NULL-terminated. */
const char *const *xtf_run_left_out_tables(void);
