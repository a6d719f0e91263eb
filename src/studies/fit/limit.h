/*
 * Limits of scalability, from the sum of the models of all parts of a run.
 */
#pragma once

#include "src/studies/fit/model.h"

/* A sum of models; all zeros: of none. */
typedef struct {
    double constant;
    unsigned n; /* different terms */
    XtfScalingTerm terms[XTF_SCALING_TERMS_MAX];
    double factors[XTF_SCALING_TERMS_MAX];
} XtfScalingSum;

/* Adds a model, of a term of a set. */
void xtf_scaling_sum_add(XtfScalingSum *sum, const XtfScalingModel *model);
double xtf_scaling_sum_at(const XtfScalingSum *sum, double p);

/* Returns the whole number of processes from `from` to `to` for which the sum is least; the lowest of several. */
double xtf_scaling_least(const XtfScalingSum *sum, double from, double to);

/* The amount that stays the same when the number of processes grows. */
typedef enum {
    XTF_SCALING_STRONG, /* the problem */
    XTF_SCALING_WEAK,   /* the work of a process */
} XtfScalingKind;

/* Returns the parallel efficiency of p processes against `base` processes. Strong: T(base) base / (T(p) p); weak:
 * T(base) / T(p). */
double xtf_scaling_efficiency(const XtfScalingSum *sum, XtfScalingKind kind, double base, double p);

/* Returns the least whole number of processes from `base` to `to` whose efficiency is below `least`; 0 if there is
 * none. */
double xtf_scaling_inefficient(const XtfScalingSum *sum, XtfScalingKind kind, double base, double to, double least);
