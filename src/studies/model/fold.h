/*
 * Folding the calls of one thread into a node, in their order. Memory is bounded by the folded calls, and does not grow
 * with the number of records.
 *
 * A call deeper than XTF_PROGRAM_DEPTH_MAX counts as time of the call around it. Calls that are still open are left
 * when the records end.
 */
#pragma once

#include "src/studies/model/node.h"

enum { XTF_PROGRAM_DEPTH_MAX = 128 };

typedef struct XtfProgramFold XtfProgramFold;

/* Begins with the first record of a process. */
XtfProgramFold *xtf_program_fold_new(uint64_t t);
/* Begins a call. False if it is too deep. */
bool xtf_program_fold_enter(XtfProgramFold *fold, uint32_t region, uint64_t t);
/* Leaves the innermost call. Ignores a LEAVE without a call. */
void xtf_program_fold_leave(XtfProgramFold *fold, uint64_t t);
/* Counts a message for the innermost call. */
void xtf_program_fold_message(XtfProgramFold *fold, uint64_t bytes, bool is_sent);
/* Ends with the last record, and frees the fold. Returns the process, a call of XTF_PROGRAM_PROCESS. */
XtfProgramNode *xtf_program_fold_end(XtfProgramFold *fold, uint64_t t);
void xtf_program_fold_free(XtfProgramFold *fold); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfProgramFold, xtf_program_fold_free)
