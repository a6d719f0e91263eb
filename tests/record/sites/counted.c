#include "counted.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
    char file[256], function[64], name[64];
    int line;
    long calls;
} counts[40000];
static int n_counts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int find_count(const char *file, int line, const char *function, const char *name)
{
    static int last;

    for (int i = 0; i < n_counts; i++, last = last + 1 < n_counts ? last + 1 : 0)
        if (counts[last].line == line && strcmp(counts[last].file, file) == 0 &&
            strcmp(counts[last].function, function) == 0 && strcmp(counts[last].name, name) == 0)
            return last;
    return last = n_counts++;
}

void count_call(const char *file, int line, const char *function, const char *call)
{
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(call, "("), call);
    pthread_mutex_lock(&lock);
    int i = find_count(file, line, function, name);
    /* Copies, since a library with the texts may be unloaded. */
    snprintf(counts[i].file, sizeof counts[i].file, "%s", file);
    snprintf(counts[i].function, sizeof counts[i].function, "%s", function);
    counts[i].line = line;
    counts[i].calls++;
    strcpy(counts[i].name, name);
    pthread_mutex_unlock(&lock);
}

void print_counts(int rank)
{
    char path[64];

    snprintf(path, sizeof path, "counts.%d", rank);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < n_counts; i++)
        fprintf(file, "%s %s %s %d %ld\n", counts[i].name, counts[i].function, counts[i].file, counts[i].line,
                counts[i].calls);
    fclose(file);
}
