/*
 * Files in the folder of a job that several rooms know: their names, and what is in them.
 *
 * This header knows libc alone: it is compiled into programs that are traced.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

/* HOST-PID.starting: a collector that has no part yet. */
#define XTF_JOB_STARTING ".starting"
/* collect-PID.log: what it says. What is left of that is named by its part, with the same ending. */
#define XTF_JOB_LOG        "collect-"
#define XTF_JOB_LOG_ENDING ".log"
/* clock-HOST: what a tick of that node's clock is (collect/calibrate.c). */
#define XTF_JOB_CLOCK "clock-"
/* How many worlds there are, and processes in them (mpi/world.c). */
#define XTF_JOB_WORLDS "worlds"
/* accept-HASH, connect-HASH: a port that somebody accepts at, or connects to (mpi/connect.h). */
#define XTF_JOB_ACCEPTS  "accept-"
#define XTF_JOB_CONNECTS "connect-"

/* Whether processes of the job tell one another by the file: nobody needs it once they have ended. */
static inline bool xtf_job_is_shared(const char *name)
{
    static const char *const beginnings[] = {XTF_JOB_CLOCK, XTF_JOB_ACCEPTS, XTF_JOB_CONNECTS};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return strcmp(name, XTF_JOB_WORLDS) == 0;
}

/*
 * Which processes of MPI_COMM_WORLD are recorded (mpi/partial.h): a byte that closes the file, 0 or 1, and behind it
 * one for each process, in the order of their ranks. Who looks at the file, or changes it, has its lock (flock(2)).
 */
#define XTF_JOB_RECORDED "recorded"
enum { XTF_JOB_RECORDED_CLOSED, XTF_JOB_RECORDED_RANKS /* of the first of them */ };
enum {
    XTF_JOB_UNKNOWN,
    XTF_JOB_BEGUN,   /* `xtf record` has started the program, which may record or not */
    XTF_JOB_RECORDS, /* the process itself says so */
};
