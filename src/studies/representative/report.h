/*
 * The answer whether runs are representative, as text: a line for each profile, then a sentence.
 */
#pragma once

#include "src/studies/representative/judge.h"
#include "src/studies/representative/profiles.h"
#include "src/trace/text/column.h"

extern const XtfTableDeclaration xtf_table_representative;

/* Appends the table to `out`. `names` has the name of each run. */
bool xtf_representative_report(const XtfRunProfiles *profiles, const XtfRepresentative *judged,
                               const char *const *names, GString *out, GError **error);

/* Appends the answer as a line that begins with #. */
void xtf_representative_conclude(const XtfRepresentative *judged, const XtfRepresentativeRule *rule, GString *out);
