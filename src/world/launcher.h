/*
 * Recognizes the launcher of an MPI job by the variables that it sets for each process.
 */
#pragma once

#include <stdbool.h>

typedef enum {
    XTF_LAUNCHER_NONE,    /* an ordinary process */
    XTF_LAUNCHER_OPENMPI, /* of Open MPI */
    XTF_LAUNCHER_MPICH,   /* of MPICH and MPIs of its ABI: Intel MPI, Cray MPICH, MVAPICH */
    XTF_N_LAUNCHERS,
} XtfLauncher;

/* Finds the launcher that started this process. *is_sure is false if the launcher of another MPI sets the same
 * variables: Slurm's srun does. XTF_MPI ("openmpi", "mpich" or "none") decides if it is set. False if it has any other
 * value. */
bool xtf_launcher_find(XtfLauncher *launcher, bool *is_sure);

/* Returns the number of processes in the job that the environment shows; 0: it does not. */
unsigned xtf_launcher_n_processes(void);
