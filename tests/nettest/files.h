/* netCDF files as network_test and the authors' clustering program write them, and wrong ones. */
#pragma once

#include <glib.h>
#include <netcdf.h>
#include <stdint.h>

typedef struct {
    int processes, x, y; /* x, y: 0: as `processes` */
    int lengths, begin, step, data_type, repeats;
    const char *test; /* NULL: a number, as the paper's version writes it */
    double (*value)(int i, int receiver, int sender, int repeat);
} ResultFile;

/* Writes a result. */
void write_result(const char *path, const ResultFile *result);

typedef struct {
    int processes, portions, begin, step, values;
    const int *info;   /* portions x processes x processes */
    const int *length; /* portions */
    const double *data;
    int matrices;                   /* an attribute; 0: none */
    int times;                      /* that it is there; 0: once */
    const char *prefix, *data_path; /* data_path: of a second file, or NULL */
} ClusteredFile;

void write_clustered(const char *path, const ClusteredFile *clustered);

/* A new folder, and a path in it. The caller frees them. */
char *make_folder(void);
void remove_folder(const char *folder);
