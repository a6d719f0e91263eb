/*
 * Where the times of call trees come from.
 *
 * Few calls are walked one by one, and times are exact. So they are of more calls, of the whole run, if an analysis has
 * stored the time by call path. Else the stack is looked at at many instants, spread evenly over the window of each
 * location and moved a little each, so that no period of the program hides: then an amount is a number of instants.
 */
#pragma once

#include "src/pictures/charts/call-tree.h"
#include "src/tables/views/registry.h"

/* Of all calls of a selection. The tree is to be finished in any case. */
bool xtf_call_tree_measure(XtfCallTree *tree, XtfViews *views, XtfSelection *selection, GError **error);
