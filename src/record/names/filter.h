/*
 * Filters: which regions of a program are recorded. A filter file has the syntax of Score-P's.
 *
 *     # excludes all but the second line's patterns; * is not for functions of MPI
 *     SCOREP_REGION_NAMES_BEGIN
 *       EXCLUDE *
 *       INCLUDE main solve* void?setup(int)
 *       EXCLUDE MANGLED _ZN5boost*
 *     SCOREP_REGION_NAMES_END
 *     SCOREP_FILE_NAMES_BEGIN
 *       EXCLUDE *.hpp
 *     SCOREP_FILE_NAMES_END
 *
 * In each of the two kinds of blocks the last rule that matches a name decides. Without a match the region is recorded.
 * A region is excluded if its name or its file is. Patterns have *, ? and [...], and are separated by blanks; \ takes
 * the meaning from the next character. A rule without MANGLED matches readable names, a rule with MANGLED the linker's
 * names. Names of C are the same in both. The prefix XTF_ is allowed instead of SCOREP_.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct XtfFilter XtfFilter;

/* Reads a filter. The error message names the line. */
XtfFilter *xtf_filter_read(const char *path, GError **error);
XtfFilter *xtf_filter_parse(const char *text, const char *path, GError **error);
void xtf_filter_free(XtfFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfFilter, xtf_filter_free)

/* Returns true if the last rule whose pattern begins with `prefix` and matches the name excludes it (*excludes) or
 * includes it. Returns false if there is no such rule. */
bool xtf_filter_names(const XtfFilter *filter, const char *prefix, const char *name, bool *excludes);
/* Returns a pattern that begins with `prefix` and matches none of the names; NULL: there is none. `names` ends with
 * NULL. */
const char *xtf_filter_unmatched(const XtfFilter *filter, const char *prefix, const char *const *names);

/* True if the filter excludes a region. `mangled` is the linker's name, `file` the source's path, "" if unknown. */
bool xtf_filter_excludes(const XtfFilter *filter, const char *name, const char *mangled, const char *file);
