/*
 * A program that ends in a given way, and counts its actions.
 *
 * usage: die COUNTS N HOW
 *
 * N times (0: for ever) the program begins and ends three nested regions. It counts the ends in the file COUNTS, which
 * outlives the program. Then it prints attributes that a recorder might change, and ends. Each MPI process has its own
 * file, COUNTS.RANK.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

#include "src/record/regions/user.h"

static volatile uint64_t *counts;

/* Waits for some microseconds, so that the trace of an endless program stays small. */
static void pause_briefly(void)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec == begin.tv_sec && now.tv_nsec - begin.tv_nsec < 5000);
}

static void work(uint64_t n)
{
    for (uint64_t i = 0; n == 0 || i < n; i++) {
        if (n == 0)
            pause_briefly();
        XTF_REGION_BEGIN("outer");
        XTF_REGION_BEGIN("middle");
        XTF_REGION_BEGIN("inner");
        XTF_REGION_END("inner");
        counts[0]++;
        XTF_REGION_END("middle");
        counts[0]++;
        XTF_REGION_END("outer");
        counts[0]++;
    }
}

#ifdef WITH_MPI
/* Aborts the job from one process: mpirun of Open MPI 4.1 may crash if two processes abort at once. */
static void abort_job(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 9);
    sleep(60);
}
#endif

static int end_process(const char *way)
{
    int *volatile nowhere = NULL;

    if (!strcmp(way, "kill"))
        kill(getpid(), SIGKILL);
    else if (!strcmp(way, "segv"))
        *nowhere = 1;
    else if (!strcmp(way, "abort"))
        abort();
    else if (!strcmp(way, "_exit"))
        _exit(3);
    else if (!strcmp(way, "quick_exit"))
        quick_exit(4);
    else if (!strcmp(way, "exit"))
        exit(5);
    else if (!strcmp(way, "exec"))
        execl("/bin/sh", "sh", "-c", "echo another program; exit 6", NULL);
    else if (!strcmp(way, "term"))
        raise(SIGTERM);
#ifdef WITH_MPI
    else if (!strcmp(way, "MPI_Abort"))
        abort_job();
    else if (!strcmp(way, "finalize"))
        MPI_Finalize();
#endif
    return 0;
}

static bool open_counts(const char *name)
{
    char path[4096];
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (!rank)
        rank = getenv("PMI_RANK");
    snprintf(path, sizeof path, "%s%s%s", name, rank ? "." : "", rank ? rank : "");
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0 || (lseek(file, 0, SEEK_END) < 4096 && ftruncate(file, 4096)))
        return false;
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return counts != MAP_FAILED;
}

/* Prints attributes of the process that a recorder might change. */
static void print_attributes(void)
{
    int before = errno;
    sigset_t blocked;
    char line[1024]; /* written at once, as launchers mix output that processes write in pieces */
    int status, file = open("/dev/null", O_RDONLY), n;

    sigprocmask(SIG_SETMASK, NULL, &blocked);
    n = snprintf(line, sizeof line, "descriptor %d, child %d, nice %d, session %d, blocked", file,
                 waitpid(-1, &status, WNOHANG), getpriority(PRIO_PROCESS, 0), getsid(0) == getpid());
    for (int i = 1; i < NSIG; i++)
        if (sigismember(&blocked, i) == 1)
            n += snprintf(line + n, sizeof line - (size_t)n, " %d", i);
    snprintf(line + n, sizeof line - (size_t)n, ", errno %d\n", before);
    close(file);
    fputs(line, stdout);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 4 || !open_counts(argv[1]))
        return 1;
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    errno = 0;
    work(strtoull(argv[2], NULL, 10));
    print_attributes();
    return end_process(argv[3]);
}
