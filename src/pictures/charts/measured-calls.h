/*
 * The sources of the times of call trees.
 *
 * Few calls are walked one by one, and times are exact. If calls are many, the times of the whole run are exact as
 * well if an analysis has stored them by call path. Otherwise the stack is sampled at many instants, and an amount is
 * a number of instants. They are spread evenly over the window of each location, with jitter against periods of the
 * program.
 */
#pragma once

#include "src/pictures/charts/call-tree.h"
#include "src/tables/views/registry.h"

/* Measures all calls of a selection. The caller finishes the tree even on error. */
bool xtf_call_tree_measure(XtfCallTree *tree, XtfViews *views, XtfSelection *selection, GError **error);
