/*
 * Laws of speedup, from the times T(p) of a whole run on p processes.
 *
 * - Amdahl: T(p) = T(1) (s + (1 - s) / p), with a serial part s (G. Amdahl, 1967).
 * - Karp and Flatt: the serial part that a speedup S(p) = T(1) / T(p) shows, e(p) = (1/S - 1/p) / (1 - 1/p). It grows
 *   with p if overhead grows (A. Karp, H. Flatt: Measuring parallel processor performance, CACM 33(5), 1990).
 * - Gustafson: if the problem grows with p, S(p) = p - s (p - 1) (J. Gustafson: Reevaluating Amdahl's law, 1988).
 */
#pragma once

#include "src/studies/fit/model.h"

typedef struct {
    double time;   /* T(1), in the unit of the times */
    double serial; /* s, 0 to 1 */
} XtfAmdahl;

/* Fits Amdahl's law to times, by point. */
void xtf_amdahl_fit(const XtfScalingPoints *points, const double *times, XtfAmdahl *amdahl);

/* Returns Karp and Flatt's serial part; NaN for one process. It is below 0 for a superlinear speedup. */
double xtf_karp_flatt(double speedup, double p);

/* Fits Gustafson's serial part to times of problems that grow with p, by least squares of the scaled speedup. The run
 * with the fewest processes counts as perfect. Returns s, 0 to 1. */
double xtf_gustafson_fit(const XtfScalingPoints *points, const double *times);
