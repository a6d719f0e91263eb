/*
 * Printing lines to a terminal, file or log. These functions escape text of traces, archives, libraries and the command
 * line, once (src/trace/text/escape.h). Messages therefore contain names as they are.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "libxtf/handles.h"

/* Prints one line and a newline. Cuts very long lines. */
void xtf_print_line(FILE *out, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Writes bytes to the standard output as they are. */
bool xtf_print_bytes(const char *bytes, size_t length, GError **error);
/* Prints a line for each feature of the trace's schemas that this program does not know. */
void xtf_print_unknown(FILE *out, const XtfTrace *trace);
/* Prints a log message as "xtf: MESSAGE" on stderr. A GLogFunc. */
void xtf_print_log(const char *domain, GLogLevelFlags level, const char *message, gpointer data);
