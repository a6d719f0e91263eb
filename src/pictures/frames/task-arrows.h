/*
 * Arrows of a trace of OpenTS: tasks that went from process to process, and messages that processes counted, by kind.
 * Of a message only one end is known.
 */
#pragma once

#include "src/pictures/frames/arrows.h"

/* Whether the trace has any. */
bool xtf_task_arrows_exist(const XtfTraceContext *context);
/* Adds those of a letter to an array of XtfArrow. */
bool xtf_task_arrows_find(XtfTraceContext *context, const XtfSelection *selection, char letter, GArray *arrows,
                          GError **error);
