/*
 * A set of numbers, most of which lie side by side: as runs of them.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t first, last;
} XtfRun;

/* Runs ascend, and are apart from each other. */
GArray *xtf_runs_new(void);
/* Adds all numbers from `first` to `last`: quick where they are near the greatest. */
void xtf_runs_add(GArray *runs, uint32_t first, uint32_t last);
void xtf_runs_add_all(GArray *runs, const GArray *more);
bool xtf_runs_have(const GArray *runs, uint32_t number);
