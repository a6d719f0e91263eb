#include "src/record/mpi/comms/partial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "src/record/core/core.h"
#include "src/record/job.h"
#include "src/record/mpi/comms/world.h"

enum {
    TIMEOUT_S = 5,          /* for a process that may not have been started */
    TIMEOUT_STARTED_S = 15, /* for a process that `xtf record` has started */
    FIRST_DELAY_MS = 1,     /* doubled after each look at the file */
    MAX_DELAY_MS = 100,
    RANKS_PER_BATCH = 64, /* ranks that one call of MPI translates */
};

bool xtf_mpi_is_partial;

/* Content of the file `recorded`; NULL: all processes are recorded. */
static unsigned char *recorded;

static size_t size_of_file(void)
{
    return XTF_JOB_RECORDED_RANKS + (size_t)xtf_mpi_world.size;
}

static bool all_are_registered(const unsigned char *file)
{
    for (uint32_t rank = 0; rank < xtf_mpi_world.size; rank++)
        if (file[XTF_JOB_RECORDED_RANKS + rank] != XTF_JOB_RECORDS)
            return false;
    return true;
}

/* Returns a timeout in milliseconds. Tests, whose processes miss others on purpose, shorten it to a percentage. */
static uint64_t timeout_ms(uint64_t seconds)
{
    const char *percent = xtf_core_option("TIMEOUT_PERCENT");

    return percent ? 10 * seconds * strtoul(percent, NULL, 10) : 1000 * seconds;
}

/* True if a missing rank may still register after waited_ms. */
static bool is_worth_waiting(const unsigned char *file, uint64_t waited_ms)
{
    if (all_are_registered(file))
        return false;
    return waited_ms < timeout_ms(TIMEOUT_S) ||
           (waited_ms < timeout_ms(TIMEOUT_STARTED_S) &&
            memchr(file + XTF_JOB_RECORDED_RANKS, XTF_JOB_BEGUN, xtf_mpi_world.size));
}

typedef enum {
    OPEN,
    CLOSED,
    BROKEN, /* the file cannot be read, written or locked: errno says why */
} FileState;

/* Sets one byte of the file and writes no other. Where locks do not hold between nodes, no byte of another node is
 * lost. */
static bool write_byte(int fd, unsigned char *file, size_t at, unsigned char value)
{
    file[at] = value;
    return xtf_core_pwrite(fd, file + at, 1, (off_t)at) == 1;
}

/* Reads the file and registers this process in it. Closes the file if no rank is worth waiting for. The caller holds
 * the lock. */
static FileState look_at_file(int fd, unsigned char *file, uint64_t waited_ms)
{
    size_t own = XTF_JOB_RECORDED_RANKS + (size_t)xtf_mpi_world.rank, size = size_of_file();

    memset(file, 0, size);
    if (pread(fd, file, size, 0) < 0)
        return BROKEN;
    if (file[XTF_JOB_RECORDED_CLOSED])
        return CLOSED;
    if (file[own] != XTF_JOB_RECORDS && !write_byte(fd, file, own, XTF_JOB_RECORDS))
        return BROKEN;
    if (is_worth_waiting(file, waited_ms))
        return OPEN;
    return write_byte(fd, file, XTF_JOB_RECORDED_CLOSED, 1) ? CLOSED : BROKEN;
}

static FileState lock_and_look(int fd, unsigned char *file, uint64_t waited_ms)
{
    int lock_failed;

    do
        lock_failed = flock(fd, LOCK_EX);
    while (lock_failed && errno == EINTR);
    if (lock_failed)
        return BROKEN;
    FileState state = look_at_file(fd, file, waited_ms);
    int reason = errno;
    flock(fd, LOCK_UN);
    errno = reason;
    return state;
}

/* Waits until the file is closed. Returns false, with a message, if the file cannot be read, written or locked. */
static bool await_file(int fd, unsigned char *file)
{
    uint64_t begin = xtf_monotonic_ns(), waited_ms = 0;
    long delay_ms = FIRST_DELAY_MS;
    FileState state;

    for (; (state = lock_and_look(fd, file, waited_ms)) == OPEN; waited_ms = (xtf_monotonic_ns() - begin) / 1000000) {
        nanosleep(&(struct timespec){.tv_nsec = delay_ms * 1000000}, NULL);
        delay_ms = 2 * delay_ms < MAX_DELAY_MS ? 2 * delay_ms : MAX_DELAY_MS;
    }
    if (state == BROKEN)
        xtf_core_say("assuming that all processes are recorded: the job's file '%s' cannot be used: %s",
                     XTF_JOB_RECORDED, strerror(errno));
    return state == CLOSED;
}

void xtf_mpi_partial_find(void)
{
    int fd = xtf_mpi_job_open(XTF_JOB_RECORDED, O_RDWR);
    unsigned char *file = fd >= 0 ? malloc(size_of_file()) : NULL;

    if (file && await_file(fd, file) && !all_are_registered(file)) {
        xtf_mpi_is_partial = true;
        recorded = file;
        file = NULL;
        if (xtf_mpi_world.rank == xtf_mpi_partial_first())
            xtf_core_say("not all processes of MPI_COMM_WORLD are recorded, or not all see one folder of parts: "
                         "communicators, windows and files with unrecorded members have no number");
    }
    free(file);
    if (fd >= 0)
        close(fd);
}

uint32_t xtf_mpi_partial_first(void)
{
    const unsigned char *first =
        recorded ? memchr(recorded + XTF_JOB_RECORDED_RANKS, XTF_JOB_RECORDS, xtf_mpi_world.size) : NULL;

    return first ? (uint32_t)(first - recorded - XTF_JOB_RECORDED_RANKS) : 0;
}

/* Looks at the members of a group. Sets *missing if some are not recorded, *foreign if some are of other worlds. */
static void check_members(MPI_Group group, bool *missing, bool *foreign)
{
    int size = 0, ranks[RANKS_PER_BATCH], world_ranks[RANKS_PER_BATCH];

    if (XTF_PMPI(Group_size)(group, &size) != MPI_SUCCESS)
        return;
    for (int at = 0; at < size; at += RANKS_PER_BATCH) {
        int n = size - at < RANKS_PER_BATCH ? size - at : RANKS_PER_BATCH;
        for (int i = 0; i < n; i++)
            ranks[i] = at + i;
        XTF_PMPI(Group_translate_ranks)(group, n, ranks, xtf_mpi_world_group, world_ranks);
        for (int i = 0; i < n; i++) {
            *foreign |= world_ranks[i] < 0;
            *missing |= world_ranks[i] >= 0 && recorded[XTF_JOB_RECORDED_RANKS + world_ranks[i]] != XTF_JOB_RECORDS;
        }
    }
}

bool xtf_mpi_partial_is_apart(MPI_Comm made, bool from_apart)
{
    bool missing = false, foreign = false;
    int between = 0;
    MPI_Group group;

    if (!xtf_mpi_is_partial)
        return from_apart;
    XTF_PMPI(Comm_test_inter)(made, &between);
    if (XTF_PMPI(Comm_group)(made, &group) == MPI_SUCCESS) {
        check_members(group, &missing, &foreign);
        XTF_PMPI(Group_free)(&group);
    }
    if (between && XTF_PMPI(Comm_remote_group)(made, &group) == MPI_SUCCESS) {
        check_members(group, &missing, &foreign);
        XTF_PMPI(Group_free)(&group);
    }
    return missing || (foreign && from_apart);
}
