/*
 * Names and contents of the files in the folder of a job that several rooms use.
 *
 * This header knows libc alone: it is compiled into programs that are traced.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

/* HOST-PID.starting: a collector that has no part yet. */
#define XTF_JOB_STARTING ".starting"
/* collect-PID.log: messages of a collector. At its end it names the log after its part, or removes an empty one. */
#define XTF_JOB_LOG        "collect-"
#define XTF_JOB_LOG_ENDING ".log"
/* clock-HOST: the length of a tick of that node's clock (collect/calibrate.c). */
#define XTF_JOB_CLOCK "clock-"
/* The numbers of worlds, and of processes in them (mpi/comms/world.c). */
#define XTF_JOB_WORLDS "worlds"
/* accept-HASH, connect-HASH: a port at which a process accepts, or to which it connects (mpi/connect.h). */
#define XTF_JOB_ACCEPTS  "accept-"
#define XTF_JOB_CONNECTS "connect-"

/* A monitor sets the folder's time of access to this time ahead, again and again. While that time is in the future,
 * collectors commit more often (collect/run.c). */
enum { XTF_JOB_WATCHED_SECONDS = 3 };

/* True if processes of the job exchange data in the file, so that it is useless once they have ended. */
static inline bool xtf_job_is_shared(const char *name)
{
    static const char *const beginnings[] = {XTF_JOB_CLOCK, XTF_JOB_ACCEPTS, XTF_JOB_CONNECTS};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return strcmp(name, XTF_JOB_WORLDS) == 0;
}

/*
 * The file that says which processes of MPI_COMM_WORLD are recorded (mpi/partial.h). Its first byte is 1 once the file
 * is closed; then there is a byte for each process, in the order of ranks. Readers and writers hold its lock
 * (flock(2)).
 */
#define XTF_JOB_RECORDED "recorded"
enum { XTF_JOB_RECORDED_CLOSED, XTF_JOB_RECORDED_RANKS /* of the byte of rank 0 */ };
enum {
    XTF_JOB_UNKNOWN,
    XTF_JOB_BEGUN,   /* `xtf record` has started the program, which may record or not */
    XTF_JOB_RECORDS, /* the process itself says so */
};
