/*
 * The fuzzer without libFuzzer: mutates files for so many rounds, the same ones every time.
 *
 *     fuzz-driver KEEP ROUNDS SEED FILE...
 *
 * KEEP is a file into which each input is written before it is read: what is in it after a crash did it, and is read
 * again by `fuzz-driver KEEP 0 0 INPUT`. An anchor is read from there, beside its parts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz-structure.h"

enum {
    SECONDS_EACH = 10,     /* of processor time: other programs may have the processors */
    SECONDS_WAITING = 120, /* by the clock, for what waits and takes no processor time */
    MEMORY = 1 << 30,      /* sanitizers have their own bound: their shadow takes terabytes of address space */
};

/* Clang's way to say what GCC says by __SANITIZE_ADDRESS__. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

static void bound_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY, MEMORY});
#endif
}

/* A hang dies of it. 0 seconds end the bounds. */
static void bound_time(int seconds, int waiting)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
    alarm((unsigned)waiting);
}

static bool read_one(FILE *keep, const char *path, const uint8_t *data, size_t size)
{
    rewind(keep);
    if (ftruncate(fileno(keep), 0) < 0 || fwrite(data, 1, size, keep) != size || fflush(keep) != 0)
        g_error("cannot keep the input");
    bound_time(SECONDS_EACH, SECONDS_WAITING);
    uint8_t *exact = g_memdup2(data, size); /* so that a byte past the end is seen */
    bool opened = fuzz_names_files(exact, size) ? fuzz_read_file(path) : fuzz_read(exact, size);
    g_free(exact);
    bound_time(0, 0);
    return opened;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: %s KEEP ROUNDS SEED FILE...\n", argv[0]);
        return 2;
    }
    FILE *keep = fopen(argv[1], "wb");
    long rounds = atol(argv[2]);
    uint32_t seed = (uint32_t)atol(argv[3]);
    int files = argc - 4;
    long opened = 0;

    if (!keep)
        g_error("cannot write %s", argv[1]);
    bound_memory();
    for (int i = 0; i < files; i++) {
        g_autofree char *data = NULL;
        gsize size;
        GError *error = NULL;
        if (!g_file_get_contents(argv[4 + i], &data, &size, &error))
            g_error("%s", error->message);
        opened += read_one(keep, argv[1], (const uint8_t *)data, size) && rounds == 0;
        for (long round = i; round < rounds; round += files) {
            g_autofree uint8_t *copy = g_memdup2(data, size);
            opened += read_one(keep, argv[1], copy, fuzz_mutate(copy, size, seed + (uint32_t)round));
        }
    }
    fclose(keep);
    printf("%ld mutated files read, %ld of them could be opened\n", rounds, opened);
    return opened * 3 >= rounds ? 0 : 1; /* else the mutations are too coarse to reach anything */
}
