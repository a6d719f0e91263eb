/*
 * One netCDF file of a result, for the files of this room.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/network/results/network.h"

enum { XTF_NETCDF_MUST_BE_THERE = -2 };

typedef struct {
    char *path; /* of a file that is written: its name in errors */
    int id;     /* libnetcdf's; -1: not open */
} XtfNetcdf;

/* Of a clustered result. */
typedef struct {
    XtfNetcdf other;   /* with `data`, if that is in a file of its own */
    GArray *portions;  /* of XtfNetworkPortion; the result takes it */
    int info;          /* variable */
    double *curves;    /* the whole variable `data` */
    uint64_t n_curves; /* values in it */
    bool shifted;
    uint32_t at;     /* the portion that `starts` are of; UINT32_MAX: none yet */
    int32_t *starts; /* P * P: where the curves begin */
} XtfClustered;

struct XtfNetworkFile {
    XtfNetcdf netcdf;
    XtfNetworkValue value;
    uint32_t processes, lengths, repeats;
    int64_t begin, step, end, asked_repeats, noise_length, noise_messages, noise_processes;
    char *test;
    int data;                /* variable */
    double fill;             /* where nothing was written */
    XtfClustered *clustered; /* or NULL */
};

/* NULL if the path does not end so. The caller frees what these return. */
char *xtf_network_sibling(const char *path, const char *ending, const char *other);
/* The path of the file with these values, beside another of the result; NULL: the name does not say. */
char *xtf_network_file_of(const char *path, XtfNetworkValue value);
char *xtf_network_hosts_of(const char *path);

XtfNetworkFile *xtf_network_file_open(const char *path, GError **error);
void xtf_network_file_free(XtfNetworkFile *file); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNetworkFile, xtf_network_file_free)

/* What libnetcdf answered, as an error: `what` was to be done. Returns true if it was done. */
bool xtf_netcdf_done(const XtfNetcdf *netcdf, int status, const char *what, GError **error);
bool xtf_netcdf_open(XtfNetcdf *netcdf, const char *path, GError **error);
void xtf_netcdf_close(XtfNetcdf *netcdf);
/* The variable of that name, -1 if there is none. */
int xtf_netcdf_variable(const XtfNetcdf *netcdf, const char *prefix, const char *name);
/* The lengths of a variable's dimensions, which must be n, and its type, which must be libnetcdf's NC_.... */
bool xtf_netcdf_shape(const XtfNetcdf *netcdf, int variable, int type, unsigned n, uint64_t *lengths, GError **error);
/* A whole number without dimensions. Of one that is missing it is `missing`; if that is XTF_NETCDF_MUST_BE_THERE, there
 * is an error. */
bool xtf_netcdf_number(const XtfNetcdf *netcdf, const char *prefix, const char *name, int64_t missing, int64_t *number,
                       GError **error);
/* An attribute of a variable, or of NC_GLOBAL, that is one number. Of one that is missing it is `missing`, and of one
 * that is a text or several numbers, too, with an error. */
bool xtf_netcdf_attribute(const XtfNetcdf *netcdf, int variable, const char *name, double missing, double *number,
                          GError **error);
/* The value that stands where nothing was written to a variable of doubles. */
double xtf_netcdf_fill(const XtfNetcdf *netcdf, int variable);
/* Checks P, as the dimensions of a variable and `proc_num` have it. */
bool xtf_network_file_set_processes(XtfNetworkFile *file, int64_t stated, uint64_t x, uint64_t y, GError **error);

/* Reads the facts of a clustered result, whose variables' names begin with `prefix`. */
bool xtf_clustered_open(XtfNetworkFile *file, const char *prefix, GError **error);
void xtf_clustered_free(XtfClustered *clustered);
/* As xtf_network_read_senders(). */
bool xtf_clustered_read(XtfNetworkFile *file, uint32_t i, uint32_t first, uint32_t n, double *values, GError **error);
/* Of each pair, the place among the starts of a portion's curves. */
bool xtf_clustered_numbers(XtfNetworkFile *file, uint32_t portion, uint32_t *numbers, GError **error);
