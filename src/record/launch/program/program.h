/*
 * A program: whether something can be loaded into it, and which MPI it and its libraries need.
 */
#pragma once

#include "src/record/launch/program/mpi.h"

typedef struct {
    XtfMpi mpi;        /* XTF_MPI_UNKNOWN: no MPI library is among those that it needs */
    char *library;     /* the MPI library's name */
    bool defines_init; /* it has an MPI_Init of its own */
} XtfProgram;

/* Looks at a program, or at the interpreter of a script. XTF_ERROR_UNSUPPORTED if nothing can be loaded into it. */
bool xtf_program_look(const char *file, XtfProgram *program, GError **error);
void xtf_program_finish(XtfProgram *program);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProgram, xtf_program_finish)
