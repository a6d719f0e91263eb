/* netCDF files as network_test and the authors' clustering program write them, and invalid ones. */
#pragma once

#include <glib.h>
#include <netcdf.h>
#include <stdint.h>

typedef struct {
    int processes, x, y; /* x, y: 0 means `processes` */
    int lengths, begin, step, data_type, repeats;
    const char *test; /* NULL: a number, as the version of the paper writes it */
    double (*value)(int i, int receiver, int sender, int repeat);
} ResultFile;

/* Writes a result. */
void write_result(const char *path, const ResultFile *result);

typedef struct {
    int processes, portions, begin, step, values;
    const int *info;   /* portions x processes x processes */
    const int *length; /* portions */
    const double *data;
    int matrices;                   /* value of an attribute; 0: no attribute */
    int times;                      /* numbers in the attribute; 0: one */
    const char *prefix, *data_path; /* data_path: a second file, or NULL */
} ClusteredFile;

void write_clustered(const char *path, const ClusteredFile *clustered);

/* Creates a folder and returns its path. The caller frees it. */
char *make_folder(void);
void remove_folder(const char *folder);
