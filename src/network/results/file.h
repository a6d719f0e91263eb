/*
 * A netCDF file of a result; private to this folder.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/network/results/network.h"

enum { XTF_NETCDF_REQUIRED = -2 };

typedef struct {
    char *path; /* for a file being written: its name in error messages */
    int id;     /* libnetcdf's id of the open file; -1: not open */
} XtfNetcdf;

/* The fields that only a clustered result has. */
typedef struct {
    XtfNetcdf data_file;     /* the file NAME_data.nc, if `data` is there; else its id is -1 */
    GArray *portions;        /* of XtfNetworkPortion; shared with the result */
    int info;                /* id of the variable `info` */
    double *curves;          /* the whole variable `data` */
    uint64_t n_curves;       /* number of values in `curves` */
    bool shifted;            /* curves are stored by their matrices' numbers: clustered.c */
    uint32_t loaded_portion; /* the portion of `starts`; UINT32_MAX: none */
    int32_t *starts;         /* P * P: where the pairs' curves begin */
} XtfClustered;

struct XtfNetworkFile {
    XtfNetcdf netcdf;
    XtfNetworkValue value;
    uint32_t processes, lengths, repeats;
    int64_t begin, step, end, requested_repeats, noise_length, noise_messages, noise_processes;
    char *test;
    int data;                /* id of the variable `data` */
    double fill;             /* value of unwritten cells */
    XtfClustered *clustered; /* or NULL */
};

/* Returns `path` with `other_ending` in place of its `ending`, or NULL if the path has another ending. The caller frees
 * the string. */
char *xtf_network_sibling(const char *path, const char *ending, const char *other_ending);
/* Returns the path of the result's file with the values `value`, where `path` is any file of the result. Returns NULL
 * if the name has no known ending. The caller frees the string. */
char *xtf_network_file_of(const char *path, XtfNetworkValue value);
/* Returns the path of the result's file of host names. The caller frees the string. */
char *xtf_network_hosts_of(const char *path);

XtfNetworkFile *xtf_network_file_open(const char *path, GError **error);
void xtf_network_file_free(XtfNetworkFile *file); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNetworkFile, xtf_network_file_free)

/* True if libnetcdf's `status` is success. Otherwise sets an error with the path, `action` and libnetcdf's message. */
bool xtf_netcdf_succeeded(const XtfNetcdf *netcdf, int status, const char *action, GError **error);
bool xtf_netcdf_open(XtfNetcdf *netcdf, const char *path, GError **error);
void xtf_netcdf_close(XtfNetcdf *netcdf);
/* Returns the id of the variable `prefix` + `name`, or -1 if the file has no such variable. */
int xtf_netcdf_variable(const XtfNetcdf *netcdf, const char *prefix, const char *name);
/* Reads the lengths of a variable's dimensions. Fails unless the variable has `n` dimensions and libnetcdf's type
 * `type` (NC_...). */
bool xtf_netcdf_shape(const XtfNetcdf *netcdf, int variable, int type, unsigned n, uint64_t *lengths, GError **error);
/* Reads a scalar integer variable. If the file does not have the variable, stores `missing`, and fails if `missing` is
 * XTF_NETCDF_REQUIRED. */
bool xtf_netcdf_number(const XtfNetcdf *netcdf, const char *prefix, const char *name, int64_t missing, int64_t *number,
                       GError **error);
/* Reads a numeric attribute of a variable or of NC_GLOBAL. If the attribute does not exist, stores `missing`. If the
 * attribute is a text or has several numbers, stores `missing` and fails. */
bool xtf_netcdf_attribute(const XtfNetcdf *netcdf, int variable, const char *name, double missing, double *number,
                          GError **error);
/* Returns the fill value of a variable of doubles: the value of cells that were never written. */
double xtf_netcdf_fill(const XtfNetcdf *netcdf, int variable);
/* Sets the number of processes. Fails unless `stated` (the file's `proc_num`) and the dimensions `x` and `y` are equal,
 * and in the range 1 to XTF_NETWORK_PROCESSES_MAX. */
bool xtf_network_file_set_processes(XtfNetworkFile *file, int64_t stated, uint64_t x, uint64_t y, GError **error);

/* Reads the facts of a clustered result, whose variables' names begin with `prefix`. */
bool xtf_clustered_open(XtfNetworkFile *file, const char *prefix, GError **error);
void xtf_clustered_free(XtfClustered *clustered);
/* Reads values as xtf_network_read_senders() does, from a clustered result. */
bool xtf_clustered_read(XtfNetworkFile *file, uint32_t i, uint32_t first, uint32_t n, double *values, GError **error);
/* Computes the number of each pair's cluster in a portion: 0, 1, ... in the order in which the clusters' curves are
 * stored. */
bool xtf_clustered_numbers(XtfNetworkFile *file, uint32_t portion, uint32_t *numbers, GError **error);
