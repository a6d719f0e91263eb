/*
 * A scaling study as text: a table of the runs, a table of the lines' models, and the conclusions as sentences.
 */
#pragma once

#include "src/studies/scaling/study.h"
#include "src/trace/text/column.h"

extern const XtfTableDeclaration xtf_table_scaling_runs, xtf_table_scaling_models;

/* Appends the tables to `out`, of the first `top` lines; 0: of all. Lines that begin with # are comments. */
bool xtf_scaling_report(const XtfScalingStudy *study, uint64_t top, GString *out, GError **error);

/* Appends the conclusions, each a line that begins with # and ends with a full stop. */
void xtf_scaling_conclusions(const XtfScalingStudy *study, GString *out);

enum { XTF_SCALING_MODEL_TEXT = 80 }; /* bytes of "0.0015+2.5e-05*p^(3/2)*log2(p)" with a NUL */

/* Prints a model as a formula of p, in the notation of awk. */
void xtf_scaling_model_print(const XtfScalingModel *model, char text[static XTF_SCALING_MODEL_TEXT]);
