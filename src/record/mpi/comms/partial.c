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
    PATIENCE = 5,       /* seconds, with processes of which nothing is known */
    MORE_PATIENCE = 15, /* with those that `xtf record` has started */
    FIRST_REST = 1,     /* ms, and twice that each time */
    LONGEST_REST = 100, /* ms */
    AT_ONCE = 64,       /* ranks that are translated */
};

bool xtf_mpi_is_partial;

/* What the file holds; NULL: all are recorded. */
static unsigned char *recorded;

static size_t size_of_file(void)
{
    return XTF_JOB_RECORDED_RANKS + (size_t)xtf_mpi_world.size;
}

static bool all_are_there(const unsigned char *file)
{
    for (uint32_t rank = 0; rank < xtf_mpi_world.size; rank++)
        if (file[XTF_JOB_RECORDED_RANKS + rank] != XTF_JOB_RECORDS)
            return false;
    return true;
}

/* Milliseconds. Tests, whose processes miss others on purpose, shorten the time to some percent of it. */
static uint64_t patience(uint64_t seconds)
{
    const char *percent = xtf_core_option("PATIENCE");

    return percent ? 10 * seconds * strtoul(percent, NULL, 10) : 1000 * seconds;
}

/* Whether somebody may come who is not there after so many milliseconds. */
static bool is_worth_waiting(const unsigned char *file, uint64_t waited)
{
    if (all_are_there(file))
        return false;
    return waited < patience(PATIENCE) || (waited < patience(MORE_PATIENCE) &&
                                           memchr(file + XTF_JOB_RECORDED_RANKS, XTF_JOB_BEGUN, xtf_mpi_world.size));
}

typedef enum {
    OPEN,
    CLOSED,
    BROKEN, /* the file cannot be read, written or locked: errno says why */
} Seen;

/* Sets a byte of the file, and no other: where locks do not hold between nodes, nobody loses what others have set. */
static bool set(int fd, unsigned char *file, size_t at, unsigned char value)
{
    file[at] = value;
    return pwrite(fd, file + at, 1, (off_t)at) == 1;
}

/* Reads the file, with the lock; closes it if nobody waits any longer. */
static Seen look(int fd, unsigned char *file, uint64_t waited)
{
    size_t own = XTF_JOB_RECORDED_RANKS + (size_t)xtf_mpi_world.rank, size = size_of_file();

    memset(file, 0, size);
    if (pread(fd, file, size, 0) < 0)
        return BROKEN;
    if (file[XTF_JOB_RECORDED_CLOSED])
        return CLOSED;
    if (file[own] != XTF_JOB_RECORDS && !set(fd, file, own, XTF_JOB_RECORDS))
        return BROKEN;
    if (is_worth_waiting(file, waited))
        return OPEN;
    return set(fd, file, XTF_JOB_RECORDED_CLOSED, 1) ? CLOSED : BROKEN;
}

static Seen look_locked(int fd, unsigned char *file, uint64_t waited)
{
    int failed;

    do
        failed = flock(fd, LOCK_EX);
    while (failed && errno == EINTR);
    if (failed)
        return BROKEN;
    Seen seen = look(fd, file, waited);
    int why = errno;
    flock(fd, LOCK_UN);
    errno = why;
    return seen;
}

/* Until the file is closed. False: it cannot be read, written or locked, which is said. */
static bool await(int fd, unsigned char *file)
{
    uint64_t begin = xtf_monotonic_ns(), waited = 0;
    long rest = FIRST_REST;
    Seen seen;

    for (; (seen = look_locked(fd, file, waited)) == OPEN; waited = (xtf_monotonic_ns() - begin) / 1000000) {
        nanosleep(&(struct timespec){.tv_nsec = rest * 1000000}, NULL);
        rest = 2 * rest < LONGEST_REST ? 2 * rest : LONGEST_REST;
    }
    if (seen == BROKEN)
        xtf_core_say("who is recorded cannot be found out, and all are taken to be: the job's file '%s': %s",
                     XTF_JOB_RECORDED, strerror(errno));
    return seen == CLOSED;
}

void xtf_mpi_partial_find(void)
{
    int fd = xtf_mpi_job_open(XTF_JOB_RECORDED, O_RDWR);
    unsigned char *file = fd >= 0 ? malloc(size_of_file()) : NULL;

    if (file && await(fd, file) && !all_are_there(file)) {
        xtf_mpi_is_partial = true;
        recorded = file;
        file = NULL;
        if (xtf_mpi_world.rank == xtf_mpi_partial_first())
            xtf_core_say("not all processes of MPI_COMM_WORLD are recorded, or not all see one folder of parts: "
                         "communicators, windows and files that others take part in have no number");
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

/* Adds to what is known of members: *missing, some are not recorded; *foreign, some are of other worlds. */
static void look_at(MPI_Group group, bool *missing, bool *foreign)
{
    int size = 0, ranks[AT_ONCE], there[AT_ONCE];

    if (XTF_PMPI(Group_size)(group, &size) != MPI_SUCCESS)
        return;
    for (int at = 0; at < size; at += AT_ONCE) {
        int n = size - at < AT_ONCE ? size - at : AT_ONCE;
        for (int i = 0; i < n; i++)
            ranks[i] = at + i;
        XTF_PMPI(Group_translate_ranks)(group, n, ranks, xtf_mpi_world_group, there);
        for (int i = 0; i < n; i++) {
            *foreign |= there[i] < 0;
            *missing |= there[i] >= 0 && recorded[XTF_JOB_RECORDED_RANKS + there[i]] != XTF_JOB_RECORDS;
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
        look_at(group, &missing, &foreign);
        XTF_PMPI(Group_free)(&group);
    }
    if (between && XTF_PMPI(Comm_remote_group)(made, &group) == MPI_SUCCESS) {
        look_at(group, &missing, &foreign);
        XTF_PMPI(Group_free)(&group);
    }
    return missing || (foreign && from_apart);
}
