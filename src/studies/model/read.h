/*
 * Reading a trace as folded calls: of the first thread of each process, all processes as one node.
 */
#pragma once

#include "src/studies/model/node.h"
#include "src/trace/select/selection.h"
#include "src/tree/node/node-class.h"

typedef struct {
    XtfProgramNode *root; /* all processes: a call of XTF_PROGRAM_PROCESS with a turn for each */
    uint64_t n_procs;     /* processes with calls */
    uint64_t n_calls;     /* calls of these processes */
    uint64_t left_out;    /* threads that were left out, since they are not the first of their process */
    uint64_t n_silent;    /* processes that were left out, since their first thread has no calls */
    uint64_t n_deeper;    /* calls that are time of the calls around them, since they are too deep */
} XtfFoldedRun;

/* Reads all records of the processes of a directory: / or proc/SET. XTF_ERROR_NOT_FOUND if it is another directory, or
 * has no calls. Memory is bounded by the folded calls of 16 processes. */
bool xtf_folded_run_load(XtfFoldedRun *run, XtfNode *directory, GError **error);
void xtf_folded_run_finish(XtfFoldedRun *run); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfFoldedRun, xtf_folded_run_finish)
