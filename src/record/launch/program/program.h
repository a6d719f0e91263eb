/*
 * Examination of a program: whether libraries can be loaded into it, and which MPI it needs.
 */
#pragma once

#include "src/record/launch/program/mpi.h"

typedef struct {
    XtfMpi mpi;        /* XTF_MPI_UNKNOWN: it needs no MPI library */
    char *library;     /* name of the MPI library */
    bool defines_init; /* the program defines its own MPI_Init */
} XtfProgram;

/* Examines a program, or the interpreter of a script. XTF_ERROR_UNSUPPORTED if no library can be loaded into it. */
bool xtf_program_examine(const char *file, XtfProgram *program, GError **error);
void xtf_program_finish(XtfProgram *program);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProgram, xtf_program_finish)
