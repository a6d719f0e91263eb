/*
 * Answers of the tree of a trace to a fixed list of questions, for tests that damage its file. Each answer must then be
 * the answer for the whole file, or an error.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "src/tree/paths/tree.h"

enum { N_ANSWERS = 43 };

/* Contents of each directory and file of the tree; NULL: an error. */
typedef struct {
    GString *texts[N_ANSWERS];
    char *errors[N_ANSWERS]; /* code and message */
} Answers;

/* Returns the path of the directory or file of an answer. */
const char *answers_path(unsigned i);

/* Asks the tree for answer `i`, and stores it. */
void answers_add(Answers *answers, unsigned i, XtfTree *tree);
void answers_clear(Answers *answers);

/* True if an answer is that of the whole file, or an error other than "not found". Pictures and findings may also say
 * that the clocks are not judged, as messages cannot be read. */
bool answers_correct(const Answers *whole, const Answers *answers, unsigned i);
