/*
 * Fuzzer without libFuzzer: reads ROUNDS mutated files. The same seed makes the same mutations.
 *
 *     fuzz-driver KEEP ROUNDS SEED FILE...
 *
 * The driver writes each input into the file KEEP before it reads the input. After a crash KEEP holds the input that
 * caused it, and `fuzz-driver KEEP 0 0 INPUT` reads that input again. An anchor is read from KEEP, beside its parts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz-structure.h"

enum {
    SECONDS_EACH = 10,     /* bound of an input's processor time: other programs may have the processors */
    SECONDS_WAITING = 120, /* bound of its elapsed time, for a hang that uses no processor time */
    MEMORY = 1 << 30,      /* bound of the address space; not with sanitizers, whose shadow takes terabytes */
};

/* Clang has no __SANITIZE_ADDRESS__, which GCC defines. */
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

/* Sets timers whose signals kill the process when it hangs. 0 seconds stop the timers. */
static void bound_time(int seconds, int elapsed)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
    alarm((unsigned)elapsed);
}

static bool read_input(FILE *keep, const char *path, const uint8_t *data, size_t size)
{
    rewind(keep);
    if (ftruncate(fileno(keep), 0) < 0 || fwrite(data, 1, size, keep) != size || fflush(keep) != 0)
        g_error("cannot keep the input");
    bound_time(SECONDS_EACH, SECONDS_WAITING);
    uint8_t *exact = g_memdup2(data, size); /* a copy of the exact size, so that sanitizers see reads past its end */
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
        opened += read_input(keep, argv[1], (const uint8_t *)data, size) && rounds == 0;
        for (long round = i; round < rounds; round += files) {
            g_autofree uint8_t *copy = g_memdup2(data, size);
            opened += read_input(keep, argv[1], copy, fuzz_mutate(copy, size, seed + (uint32_t)round));
        }
    }
    fclose(keep);
    printf("%ld mutated files read, %ld of them could be opened\n", rounds, opened);
    return opened * 3 >= rounds
               ? 0
               : 1; /* if fewer can be opened, the mutations are too coarse: they test only the opening */
}
