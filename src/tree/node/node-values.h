/*
 * The values of a table's file: as rows, as CSV and as JSON Lines; and the files FILE.csv and FILE.json beside it.
 *
 * In a mount a file has its size when it is looked up. So these files are made whole then, and there are none of tables
 * that would be longer than XTF_VALUES_MAX: `xtf cat --csv` writes those. No directory lists them.
 */
#pragma once

#include "src/tree/node/node-class.h"

enum { XTF_VALUES_MAX = 1 << 20 };

/* The file FILE.csv or FILE.json of a directory that has FILE, a table. Takes `failed`, the error of looking up the
 * name itself, which is the one that is given back where the name is no such file's. */
XtfNode *xtf_values_file_new(XtfNode *directory, const char *name, GError *failed, GError **error);
