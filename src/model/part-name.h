/*
 * Names of the parts of a recorded trace: the numbers of their processes, as in "000012.xtf".
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/merge.h"

/* Finds the number of a part's process from its file name. False if the name has another form. */
bool xtf_part_process(const char *path, guint64 *number);
/* Returns "process 12", or the file's name if it has another form. The caller frees it. */
char *xtf_part_name(const char *path);
/* Formats a remark as a line: "process 12 (000012.xtf): it has no commit yet". The caller frees it. */
char *xtf_part_remark_line(const XtfPartRemark *remark);
