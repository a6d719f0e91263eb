/*
 * The functions of a module for one MPI, for the ranks of a job (world.h). The module is a shared object that this
 * program loads if a launcher of that MPI started it. It is the only code that includes mpi.h, and it uses libc and MPI
 * alone.
 *
 * One thread calls the functions: MPI_THREAD_FUNNELED. A fault inside of MPI ends the job, as MPI does by default.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    XTF_WORLD_MODULE_VERSION = 1,
};

/* A message that has arrived and is not read yet. */
typedef struct {
    unsigned from;
    size_t length;
    void *message; /* the module's */
} XtfWorldArrival;

typedef struct {
    uint32_t version;
    /* Starts MPI, and finds this rank and the number of ranks. */
    bool (*start)(unsigned *rank, unsigned *size);
    /* Ends MPI. All sends and sums have ended in all ranks. */
    void (*end)(void);
    /* Begins to send bytes, which stay in place until has_sent() is true. Returns a handle; NULL: out of memory. */
    void *(*send)(unsigned to, const void *bytes, size_t length);
    /* True once the bytes may be freed; then the handle is freed, too. */
    bool (*has_sent)(void *handle);
    /* Finds a message, from any rank. Messages of one rank are found in the order in which it sent them. */
    bool (*find)(XtfWorldArrival *arrival);
    /* Reads a message that find() found. */
    void (*read)(XtfWorldArrival *arrival, void *bytes);
    /* Begins to add up values over all ranks; at most one sum at a time. The second function returns true once `sums`
     * is set. */
    void (*begin_sum)(const uint64_t values[2]);
    bool (*has_sum)(uint64_t sums[2]);
} XtfWorldModule;

/* The name of the module's only symbol: a pointer to an XtfWorldModule. */
#define XTF_WORLD_MODULE_SYMBOL "xtf_world_module"
