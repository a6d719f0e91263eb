/*
 * A program's model as text: the folded calls, the terms, predictions, and the formula.
 */
#pragma once

#include "src/studies/model/model.h"
#include "src/trace/text/column.h"

extern const XtfTableDeclaration xtf_table_model_calls, xtf_table_model_terms, xtf_table_model_predictions;

/* Appends the tables of calls and of terms. Calls of less than `least` of the time are left out. */
bool xtf_program_report(const XtfProgramModel *model, double least, GString *out, GError **error);

/* Appends the table of predictions for the sizes of runs: n settings of all variables. */
bool xtf_program_report_predictions(const XtfProgramModel *model, const XtfProgramVariables *sizes, unsigned n,
                                    GString *out, GError **error);

/* Appends the formula and remarks on it, lines that begin with #. */
void xtf_program_conclude(const XtfProgramModel *model, const XtfFoldedRun *run, GString *out);
