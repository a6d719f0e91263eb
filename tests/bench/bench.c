#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child;

static void forward_signal(int signal_number)
{
    if (child > 0)
        kill(child, signal_number);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    return remove(path);
}

static char *make_folder(const char *parent)
{
    const char *temporary = g_getenv("TMPDIR");
    char *folder = g_build_filename(parent ? parent : temporary ? temporary : "/var/tmp", "xtf-bench-XXXXXX", NULL);

    if (!g_mkdtemp(folder))
        bench_fail(NULL, "%s: %s", folder, g_strerror(errno));
    return folder;
}

int bench_in_folder(const char *parent, void (*work)(const char *folder, void *data), void *data)
{
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = forward_signal};
    g_autofree char *folder = make_folder(parent);
    int status = 0;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        work(folder, data);
        exit(0);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        sigaction(signals[i], &action, NULL);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (child < 0)
        bench_fail(NULL, "fork: %s", g_strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void bench_fail(const GError *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "%s: %s%s%s\n", g_get_prgname(), message, error ? ": " : "", error ? error->message : "");
    exit(1);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double bench_processor_time(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_thread_time(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return bench_quantile(values, n, 0.5);
}

double bench_quantile(double *values, size_t n, double share)
{
    return values[(size_t)((double)(n - 1) * share)];
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t bench_below(uint64_t *state, uint64_t limit)
{
    return (uint64_t)(((unsigned __int128)bench_random(state) * limit) >> 64);
}

uint64_t bench_file_size(const char *path)
{
    struct stat status;

    if (stat(path, &status) < 0)
        bench_fail(NULL, "%s: %s", path, g_strerror(errno));
    return (uint64_t)status.st_size;
}

uint64_t bench_free_space(const char *folder)
{
    struct statvfs status;

    if (statvfs(folder, &status) < 0)
        bench_fail(NULL, "%s: %s", folder, g_strerror(errno));
    return (uint64_t)status.f_bavail * status.f_frsize;
}

/* True if at most a twentieth of a file is in memory. The kernel may keep some large folios. */
static bool is_cold(int fd, uint64_t size)
{
    size_t n_pages = (size_t)((size + 4095) / 4096), resident = 0;
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    g_autofree unsigned char *pages = g_malloc(n_pages + 1);

    if (map == MAP_FAILED)
        return false;
    if (mincore(map, size, pages) == 0)
        for (size_t i = 0; i < n_pages; i++)
            resident += pages[i] & 1;
    munmap(map, size);
    return resident <= n_pages / 20;
}

bool bench_make_cold(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool cold = false;

    if (fd < 0)
        bench_fail(NULL, "%s: %s", path, g_strerror(errno));
    fdatasync(fd);                          /* the kernel does not drop dirty pages */
    for (int i = 0; i < 20 && !cold; i++) { /* nor pages that are in use at the moment, so the loop tries again */
        if (i > 0)
            g_usleep(5000);
        cold = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0 && is_cold(fd, bench_file_size(path));
    }
    close(fd);
    return cold;
}

void bench_head(void)
{
    puts("| figure | XTF | to reach | peers, in the same run |\n|---|---|---|---|");
}

void bench_row(const char *figure, const char *target, const char *peers, const char *format, ...)
{
    va_list arguments;

    printf("| %s | ", figure);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf(" | %s | %s |\n", target ? target : "", peers ? peers : "");
    fflush(stdout);
}

char *bench_duration(double seconds)
{
    if (seconds < 1e-6)
        return g_strdup_printf("%.0f ns", seconds * 1e9);
    if (seconds < 1e-3)
        return g_strdup_printf("%.3g us", seconds * 1e6);
    if (seconds < 1)
        return g_strdup_printf("%.3g ms", seconds * 1e3);
    return g_strdup_printf("%.3g s", seconds);
}
