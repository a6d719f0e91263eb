/*
 * The hierarchical model of a program, from the folded calls of a run: the time T of a process as a sum of terms.
 *
 * A term is the time t of one execution of a part of the program, times the number of executions. The number is the
 * product of the turns of the loops, and the frequencies of the branches, around the part. Turns are numbers, or
 * expressions of the number of processes P and of parameters, such as N^2/P. The model follows V. Ivannikov, S.
 * Gaissaryan and others (docs/MODEL.md).
 */
#pragma once

#include "src/studies/model/expression.h"
#include "src/studies/model/read.h"

/* "NAME=EXPRESSION", given by the user. */
typedef struct {
    char *name, *expression;
    bool is_used;
} XtfProgramSetting;

typedef struct {
    XtfProgramVariables variables; /* values of the recorded run */
    GArray *turns;      /* XtfProgramSetting: turns of the loop with a label, or of the innermost one that begins with a
                           region */
    GArray *work;       /* XtfProgramSetting: work of a region; its own time is proportional to it */
    const char *region; /* borrowed: the model is of the time in all calls of this region; NULL: of the process */
    bool shortest;      /* a call without calls in it takes the shortest recorded time, not the mean */
    bool worst;         /* of each branch the longest alternative, of each loop the most turns */
    bool has_network;   /* calls of MPI take the time by `latency` and `bandwidth` */
    double latency, bandwidth; /* seconds, bytes a second */
} XtfProgramOptions;

typedef struct {
    char *label;              /* "t3", "MPI_Send(8*N)" */
    char *call;               /* the region, or the loop of it */
    char *bytes;              /* expression of the bytes of a message; NULL: no messages */
    XtfProgramProduct factor; /* number of executions */
    double seconds;           /* of an execution; with a setting in `work`: of a unit of work */
    double messages;          /* of a call, sent or received, whichever are more; 1 if only some calls have one */
    double n_parts;           /* parts of the program that are in this term */
    bool is_mpi, is_collective;
} XtfProgramTerm;

/* A node of the folded run. Times are in seconds. */
typedef struct {
    unsigned depth, loop;    /* loop: number of a loop; 0: none */
    double turns;            /* mean turns of a visit */
    double executions;       /* turns of a process */
    double seconds;          /* mean of a turn */
    double total;            /* of a process */
    double folding_error;    /* (longest - shortest turn) * turns of a process */
    char *text, *expression; /* expression of the turns; NULL: a number */
} XtfProgramRow;

typedef struct {
    const XtfProgramOptions *options; /* borrowed */
    double time;                      /* recorded time of a process: mean, in seconds */
    GArray *rows;                     /* XtfProgramRow, from the root on */
    GArray *terms;                    /* XtfProgramTerm; terms of equal factors are neighbours */
} XtfProgramModel;

/* Makes a model of a folded run of the tree `tree`. XTF_ERROR_INVALID if a setting names no loop or region, or an
 * expression is none. */
bool xtf_program_model_init(XtfProgramModel *model, const XtfFoldedRun *run, XtfTree *tree, XtfProgramOptions *options,
                            GError **error);
void xtf_program_model_finish(XtfProgramModel *model); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProgramModel, xtf_program_model_finish)

/* Returns the seconds that a term takes in a run of another size, of all its executions. */
double xtf_program_term_time(const XtfProgramModel *model, const XtfProgramTerm *term,
                             const XtfProgramVariables *variables);

static inline const XtfProgramTerm *xtf_program_term(const XtfProgramModel *model, unsigned i)
{
    return &g_array_index(model->terms, XtfProgramTerm, i);
}
