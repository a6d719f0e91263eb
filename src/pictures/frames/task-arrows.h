/*
 * Arrows of an OpenTS trace: tasks that moved between processes, and messages that processes counted, by kind. Only
 * one end of a message is recorded.
 */
#pragma once

#include "src/pictures/frames/arrows.h"

/* True if the trace has such arrows. */
bool xtf_task_arrows_exist(const XtfTraceContext *context);
/* Adds the arrows of a letter to an array of XtfArrow. */
bool xtf_task_arrows_find(XtfTraceContext *context, const XtfSelection *selection, char letter, GArray *arrows,
                          GError **error);
