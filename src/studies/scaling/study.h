/*
 * A scaling study: runs of one program with different numbers of processes, and a model of each region.
 *
 * Runs with the same number of processes count as one point, with the median of their values. The mean times of all
 * lines add up to the time of the run. So the sum of their models is the model of the run, and limits follow from it.
 */
#pragma once

#include "src/studies/fit/band.h"
#include "src/studies/fit/laws.h"
#include "src/studies/fit/limit.h"
#include "src/studies/scaling/run.h"

/* The amount that is modelled. */
typedef enum { XTF_SCALING_SLOWEST, XTF_SCALING_MEAN, XTF_SCALING_CALLS, XTF_N_SCALING_AMOUNTS } XtfScalingAmount;
extern const char *const xtf_scaling_amount_names[XTF_N_SCALING_AMOUNTS];

typedef enum { XTF_SCALING_AUTO, XTF_SCALING_IS_STRONG, XTF_SCALING_IS_WEAK } XtfScalingAsked;

typedef struct {
    XtfScalingAmount of;
    bool by_class;         /* a line for each class of regions; false: for each region */
    XtfScalingAsked asked; /* AUTO: strong if the program's own time of a process falls with the number of processes */
    double at;             /* number of processes of the prediction; 0: four times the greatest measured one */
    double efficiency;     /* the efficiency whose limit is asked for, above 0 and below 1 */
} XtfScalingOptions;

typedef struct {
    const char *label;                     /* owned by the study */
    uint64_t number;                       /* of the line in its first order */
    double values[XTF_SCALING_POINTS_MAX]; /* by point */
    double means[XTF_SCALING_POINTS_MAX];  /* seconds, by point */
    XtfScalingModel model, mean_model;     /* of these */
    double predicted;                      /* model at options.at */
} XtfScalingLine;

typedef struct {
    XtfScalingOptions options; /* with `at` filled in */
    XtfScalingKind kind;
    XtfScalingPoints points;
    unsigned n_runs[XTF_SCALING_POINTS_MAX];                              /* by point */
    double times[XTF_SCALING_POINTS_MAX], useful[XTF_SCALING_POINTS_MAX]; /* seconds, by point */
    XtfRegionPairs pairs;
    GArray *lines; /* XtfScalingLine, with values above 0; the greatest prediction first */
    XtfScalingSum sum;
    double horizon; /* the greatest number of processes that limits are searched in */
    double fastest; /* number of processes with the least time; 0: the time falls, or stays, up to `horizon` */
    XtfScalingBand fastest_band;
    double inefficient; /* least number of processes below options.efficiency; 0: none up to `horizon` */
    double limit;       /* `fastest`, or else `inefficient`, or else options.at */
    XtfAmdahl amdahl;
    double gustafson;              /* serial part */
    const XtfScalingLine *stopper; /* line that stops the scaling first; NULL: none grows */
} XtfScalingStudy;

/* Makes a study of n runs: fits all lines and finds the limits. XTF_ERROR_NOT_FOUND with fewer than
 * XTF_SCALING_POINTS_LEAST numbers of processes, XTF_ERROR_UNSUPPORTED with more than XTF_SCALING_POINTS_MAX. */
bool xtf_scaling_study_init(XtfScalingStudy *study, const XtfScalingRun *runs, unsigned n,
                            const XtfScalingOptions *options, GError **error);
void xtf_scaling_study_finish(XtfScalingStudy *study); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfScalingStudy, xtf_scaling_study_finish)

static inline const XtfScalingLine *xtf_scaling_line(const XtfScalingStudy *study, guint i)
{
    return &g_array_index(study->lines, XtfScalingLine, i);
}

/* Returns the band of a line's model for p processes. */
XtfScalingBand xtf_scaling_line_band(const XtfScalingStudy *study, const XtfScalingLine *line, double p);
/* Draws the samples of a line's model, for several bands. */
void xtf_scaling_line_sample(const XtfScalingStudy *study, const XtfScalingLine *line, XtfScalingSamples *samples);
