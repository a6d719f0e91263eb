/*
 * Lines on a terminal, or in a file or log that stands for it. What a line shows of a trace, of an archive, of a
 * library or of the command line is escaped here, once (src/trace/text/escape.h), so messages hold names as they are.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "libxtf/handles.h"

/* Prints one line, whose newline is added. Very long lines are cut. */
void xtf_print_line(FILE *out, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Prints what the schemas of a trace have that this program does not know, a line each. */
void xtf_print_unknown(FILE *out, const XtfTrace *trace);
/* A log handler (GLogFunc): messages of the libraries, and our own, as lines "xtf: MESSAGE" on stderr. */
void xtf_print_log(const char *domain, GLogLevelFlags level, const char *message, gpointer data);
