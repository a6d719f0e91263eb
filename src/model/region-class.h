/*
 * Classes of regions: what a call does for the program, as far as the region's definition shows it.
 *
 * All code about classes uses only this table: class/ in the tree, the column `class` of definitions/regions,
 * efficiencies, colours. The rules, in this order:
 *
 * 1. The names of the measurement's own regions identify them.
 * 2. A name of MPI is more reliable than paradigm and role: some recorders call MPI_Wait a function, some point to
 * point. It counts if the paradigm is MPI, or means nothing (UNKNOWN, USER, NONE).
 * 3. The paradigm, with the role.
 * 4. If the paradigm means nothing: the role. If the role is FUNCTION: the name, by the conventions of OpenMP's
 * run-time libraries, POSIX and others.
 *
 * All other regions are the program's. A region's class depends only on its own definition.
 *
 * Any thread may call these functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    XTF_CLASS_PROGRAM,
    XTF_CLASS_P2P,
    XTF_CLASS_WAIT, /* waits, tests and probes */
    XTF_CLASS_COLLECTIVE,
    XTF_CLASS_BARRIER, /* barriers of MPI */
    XTF_CLASS_RMA,
    XTF_CLASS_MPI_IO,
    XTF_CLASS_MPI_INIT, /* MPI_Init, MPI_Finalize and the like */
    XTF_CLASS_MPI_OTHER,
    XTF_CLASS_OMP_WORK, /* the program's work in OpenMP's constructs */
    XTF_CLASS_OMP_SYNC,
    XTF_CLASS_OMP_OTHER,
    XTF_CLASS_THREADS, /* libraries of threads: POSIX and others */
    XTF_CLASS_PGAS,    /* SHMEM, GASPI, UPC */
    XTF_CLASS_OFFLOAD,
    XTF_CLASS_IO, /* files and other input and output, but not MPI's */
    XTF_CLASS_MEASUREMENT,
    XTF_CLASS_UNRECORDED, /* no call, but a time in which nothing was recorded */
    XTF_N_CLASSES,
} XtfRegionClass;

/* The region that a location is in while nothing is recorded; the name is Score-P's. */
#define XTF_REGION_OFF "MEASUREMENT OFF"
/* The region that a location is in while `xtf record` reads the clocks of other nodes. */
#define XTF_REGION_CLOCKS "CLOCK READINGS"

/* By class: its name, a word of lower-case letters and hyphens. */
extern const char *const xtf_class_names[XTF_N_CLASSES];

/* A set of classes: bit k is class k. */
typedef uint32_t XtfClassSet;
#define XTF_CLASS_BIT(class) ((XtfClassSet)1 << (class))

#define XTF_CLASSES_MPI    (XTF_CLASS_BIT(XTF_CLASS_MPI_OTHER + 1) - XTF_CLASS_BIT(XTF_CLASS_P2P))
#define XTF_CLASSES_OMP    (XTF_CLASS_BIT(XTF_CLASS_OMP_OTHER + 1) - XTF_CLASS_BIT(XTF_CLASS_OMP_WORK))
#define XTF_CLASSES_USEFUL (XTF_CLASS_BIT(XTF_CLASS_PROGRAM) | XTF_CLASS_BIT(XTF_CLASS_OMP_WORK))

/* Classes of regions in which processes exchange data. */
#define XTF_CLASSES_COMMUNICATION (XTF_CLASSES_MPI | XTF_CLASS_BIT(XTF_CLASS_PGAS))

/* True if calls of a class are the program's own work. */
static inline bool xtf_class_is_program(XtfRegionClass class)
{
    return XTF_CLASS_BIT(class) & XTF_CLASSES_USEFUL;
}

/* A name for several classes together: "mpi", "omp", "useful". The last group has no name. */
typedef struct {
    const char *name;
    XtfClassSet classes;
} XtfClassGroup;
extern const XtfClassGroup xtf_class_groups[];

/* Returns the class of a region. `paradigm` and `role` are the labels in the trace; NULL: the trace has none. */
XtfRegionClass xtf_region_class(const char *name, const char *paradigm, const char *role);

/* Returns the class or group of a name; 0 if there is none. */
XtfClassSet xtf_classes_by_name(const char *name);
