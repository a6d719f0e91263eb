/*
 * A storm of reads of shared data, as in NPB's CG: gasp-storm THREADS READS WORK.
 *
 * Each thread, a process, reads READS times from the next one, and computes WORK steps between two reads. Thread 0
 * prints the least time of a notification in ns, of many short slices. It also prints the seconds from the first read
 * to the last. The time for which thread 0 was ready but other processes ran is left out.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/record/gasp/gasp-api.h"
#include "src/record/gasp/gaspu.h"

enum { GET_OF_BERKELEY_UPC = 1111, EXIT_OF_BERKELEY_UPC = 1210, SLICE = 64 };

typedef struct {
    uint64_t address;
    uint32_t thread;
} Shared;

static int thread, n_threads;
static gasp_context_t context;
static volatile double sink;

__attribute__((visibility("default"))) void xtf_gaspu_threads(int *mythread, int *threads)
{
    *mythread = thread;
    *threads = n_threads;
}

__attribute__((visibility("default"))) void xtf_gaspu_locate(const void *pointer, int *of, unsigned long long *address)
{
    const Shared *shared = pointer;

    *of = (int)shared->thread;
    *address = shared->address;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the seconds for which the process was ready to run but other processes ran; 0 if unknown. */
static double seconds_delayed(void)
{
    unsigned long long ran, delayed = 0;
    FILE *file = fopen("/proc/self/schedstat", "r");

    if (file && fscanf(file, "%llu %llu", &ran, &delayed) != 2)
        delayed = 0;
    if (file)
        fclose(file);
    return 1e-9 * (double)delayed;
}

static void read_once(uint64_t i, long work)
{
    Shared source = {4096 + 8 * i % 65536, (uint32_t)((thread + 1) % n_threads)};
    double value = sink;

    gasp_event_notify(context, GET_OF_BERKELEY_UPC, GASP_START, "cg.upc", 1, 0, 1, &sink, &source, sizeof(double));
    gasp_event_notify(context, GET_OF_BERKELEY_UPC, GASP_END, "cg.upc", 1, 0, 1, &sink, &source, sizeof(double));
    for (long k = 0; k < work; k++)
        value = value * 0.999 + 1;
    sink = value;
}

static void run_thread(uint64_t n_reads, long work)
{
    double least = 1, begin = seconds_now() - seconds_delayed();

    for (uint64_t done = 0; done < n_reads; done += SLICE) {
        double since = seconds_now();
        for (uint64_t i = 0; i < SLICE; i++)
            read_once(done + i, work);
        double passed = seconds_now() - since;
        least = passed < least ? passed : least;
    }
    if (thread == 0)
        printf("%.2f %.4f\n", 1e9 * least / (2 * SLICE), seconds_now() - seconds_delayed() - begin);
    fflush(stdout);
    gasp_event_notify(context, EXIT_OF_BERKELEY_UPC, GASP_END, NULL, 0, 0, 0);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    n_threads = atoi(argv[1]);
    for (thread = 0; thread < n_threads; thread++)
        if (fork() == 0) {
            context = gasp_init(GASP_MODEL_UPC, &argc, &argv);
            run_thread(strtoull(argv[2], NULL, 10), atol(argv[3]));
            exit(0);
        }
    while (wait(NULL) > 0)
        continue;
    return 0;
}
