/*
 * A scaling study as a picture: a panel for the whole run and for each of the greatest lines, with both axes
 * logarithmic. Dots are measured values, the curve is the model, and the area is its band.
 */
#pragma once

#include "src/studies/scaling/study.h"

/* Appends an SVG. XTF_ERROR_UNSUPPORTED if it is too long. */
bool xtf_scaling_chart(const XtfScalingStudy *study, GString *out, GError **error);
