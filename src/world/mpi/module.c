/*
 * The module for one MPI. Meson builds it for each MPI whose header is installed.
 */
#include <mpi.h>
#include <stdlib.h>

#include "src/world/module.h"

enum {
    TAG = 1,
};

typedef struct {
    MPI_Request request;
} Send;

static MPI_Comm comm; /* a copy of MPI_COMM_WORLD */
static MPI_Request sum_request;
static uint64_t own_values[2], all_values[2];
static bool is_own_start; /* this module has started MPI */

static bool start_mpi(unsigned *rank, unsigned *size)
{
    int provided, own, n, started;

    MPI_Initialized(&started);
    if (!started && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return false;
    is_own_start = !started;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &n);
    *rank = (unsigned)own;
    *size = (unsigned)n;
    return true;
}

static void end_mpi(void)
{
    MPI_Comm_free(&comm);
    if (is_own_start)
        MPI_Finalize();
}

static void *send_bytes(unsigned to, const void *bytes, size_t length)
{
    Send *send = malloc(sizeof *send);

    if (send)
        MPI_Isend(bytes, (int)length, MPI_BYTE, (int)to, TAG, comm, &send->request);
    return send;
}

static bool has_sent(void *handle)
{
    Send *send = handle;
    int done;

    MPI_Test(&send->request, &done, MPI_STATUS_IGNORE);
    if (done)
        free(send);
    return done;
}

static bool find_message(XtfWorldArrival *arrival)
{
    static MPI_Message message;
    MPI_Status status;
    int found, length;

    MPI_Improbe(MPI_ANY_SOURCE, TAG, comm, &found, &message, &status);
    if (!found)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &length);
    *arrival = (XtfWorldArrival){.from = (unsigned)status.MPI_SOURCE, .length = (size_t)length, .message = &message};
    return true;
}

static void read_message(XtfWorldArrival *arrival, void *bytes)
{
    MPI_Mrecv(bytes, (int)arrival->length, MPI_BYTE, arrival->message, MPI_STATUS_IGNORE);
}

static void begin_sum(const uint64_t values[2])
{
    own_values[0] = values[0];
    own_values[1] = values[1];
    MPI_Iallreduce(own_values, all_values, 2, MPI_UINT64_T, MPI_SUM, comm, &sum_request);
}

static bool has_sum(uint64_t sums[2])
{
    int done;

    MPI_Test(&sum_request, &done, MPI_STATUS_IGNORE);
    if (done) {
        sums[0] = all_values[0];
        sums[1] = all_values[1];
    }
    return done;
}

extern const XtfWorldModule xtf_world_module;
__attribute__((visibility("default"))) const XtfWorldModule xtf_world_module = {
    .version = XTF_WORLD_MODULE_VERSION,
    .start = start_mpi,
    .end = end_mpi,
    .send = send_bytes,
    .has_sent = has_sent,
    .find = find_message,
    .read = read_message,
    .begin_sum = begin_sum,
    .has_sum = has_sum,
};
