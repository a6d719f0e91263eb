/*
 * A set of numbers, stored as runs of consecutive numbers.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t first, last;
} XtfRun;

/* Returns an empty set. Its runs ascend and do not touch. */
GArray *xtf_runs_new(void);
/* Adds all numbers from `first` to `last`; fast near the greatest number of the set. */
void xtf_runs_add(GArray *runs, uint32_t first, uint32_t last);
void xtf_runs_add_all(GArray *runs, const GArray *more);
bool xtf_runs_have(const GArray *runs, uint32_t number);
