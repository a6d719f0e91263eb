/*
 * Which regions of a program are recorded: a filter file, in the syntax of Score-P's.
 *
 *     # all but what is named in the second line, and no MPI function is meant
 *     SCOREP_REGION_NAMES_BEGIN
 *       EXCLUDE *
 *       INCLUDE main solve* void?setup(int)
 *       EXCLUDE MANGLED _ZN5boost*
 *     SCOREP_REGION_NAMES_END
 *     SCOREP_FILE_NAMES_BEGIN
 *       EXCLUDE *.hpp
 *     SCOREP_FILE_NAMES_END
 *
 * In each of the two kinds of blocks, rules apply in turn: the last that matches a name decides; none: the region is
 * recorded. A region is left out if its name is excluded, or its file is. Patterns have *, ? and [...], and stand
 * between blanks; \ before a character takes its meaning from it. A rule without MANGLED looks at names as people read
 * them, one with it at the names that linkers use; for C they are the same. XTF_... may stand for SCOREP_....
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct XtfFilter XtfFilter;

/* The error names the line. */
XtfFilter *xtf_filter_read(const char *path, GError **error);
XtfFilter *xtf_filter_parse(const char *text, const char *path, GError **error);
void xtf_filter_free(XtfFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfFilter, xtf_filter_free)

/* `mangled` is the linker's name, `file` the source's path, "" if it is not known. */
bool xtf_filter_excludes(const XtfFilter *filter, const char *name, const char *mangled, const char *file);
