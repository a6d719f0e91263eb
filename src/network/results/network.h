/*
 * Reader of results of network_test (Salnikov, Andreyev) in netCDF files. A result has one file for each statistic,
 * with a matrix of P x P times for each message length. A clustered result stores one curve for all pairs of a cluster.
 *
 * Any file of a result names the result. NAME_average.nc, NAME_median.nc, NAME_deviation.nc, NAME_min.nc,
 * NAME_measurements_amount.nc, NAME_all.nc and NAME_hosts.txt in one folder are one result. A file with another name is
 * a result by itself. The names only serve to find the files; the variable `data_type` says what a file holds.
 * docs/NETWORK.md lists all kinds of files.
 *
 * Matrices keep the order of the file, receivers first: [r * P + s] is the value from sender s to receiver r, which
 * took the time. Times are in seconds. NaN means not measured; the file has NaN, -1 or a fill value there. Zeros on the
 * diagonal stay zeros. Any other negative or infinite value is an error, and so is any contradiction in a file. The
 * memory for a file is bounded by the file's size.
 *
 * libnetcdf is not thread-safe: only one thread at a time may use this room.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

enum { XTF_NETWORK_PROCESSES_MAX = 1 << 20 };

/* Ends of the file names of a clustered result in two files. */
#define XTF_NETWORK_INFO_ENDING "_info.nc"
#define XTF_NETWORK_DATA_ENDING "_data.nc"

typedef enum {
    XTF_NETWORK_AVERAGE,
    XTF_NETWORK_MEDIAN,
    XTF_NETWORK_DEVIATION, /* of the population, not of a sample */
    XTF_NETWORK_MIN,
    XTF_NETWORK_AMOUNT, /* number of measurements behind the other values; not a time */
    XTF_NETWORK_REPEAT, /* every single measurement */
    XTF_N_NETWORK_VALUES,
} XtfNetworkValue;

/* Names of the values, by XtfNetworkValue: "average", "median", ...; NULL-terminated. */
extern const char *const xtf_network_values[];

/* Portion of a clustered result: consecutive lengths with the same clusters. */
typedef struct {
    uint32_t begin, end; /* matrices begin to end - 1 */
    uint32_t clusters;
} XtfNetworkPortion;

typedef struct XtfNetworkFile XtfNetworkFile;

typedef struct {
    uint32_t processes;  /* number of processes, P; at least 1 */
    uint32_t lengths;    /* number of message lengths, n; may be 0 */
    int64_t begin, step; /* bytes: the i-th length is begin + i * step. step > 0 if n > 1 */
    int64_t end;         /* the file's end_mes_length, unchanged; -1: not stated. May exceed the last measured length */
    uint32_t repeats;    /* values for each pair and length of XTF_NETWORK_REPEAT; 0: none */
    int64_t requested_repeats;                             /* the file's num_repeates; -1: not stated */
    int64_t noise_length, noise_messages, noise_processes; /* -1: not stated */
    char *test;                                            /* "one_to_one", ...; never NULL */
    char **hosts;                                          /* P names, NULL-terminated; NULL: unknown */
    GArray *portions; /* of XtfNetworkPortion, consecutive from 0 to n; NULL: not clustered */
    bool shifted;     /* clustered: values have shifted places, by a fault of the authors' program: docs/NETWORK.md */
    XtfNetworkFile *files[XTF_N_NETWORK_VALUES]; /* NULL: the result does not have it */
} XtfNetwork;

/* True if a regular file may be a result: it begins as netCDF in a classic format. Reports no errors. */
bool xtf_network_detect(const char *path);

/* Returns the paths of all existing files of the result, `path` first. Does not check their contents. The caller frees
 * the array. */
GPtrArray *xtf_network_files(const char *path);

/* Returns the path of the file with these values; NULL if the result does not have them. The caller frees the
 * string. */
char *xtf_network_path(const XtfNetwork *network, XtfNetworkValue value);

/* Opens the result of the file `path`. Fails with XTF_ERROR_NOT_XTF if the file is not a result of network_test, or
 * with XTF_ERROR_DAMAGED if a file is damaged or contradicts another one. */
XtfNetwork *xtf_network_open(const char *path, GError **error);
void xtf_network_free(XtfNetwork *network);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNetwork, xtf_network_free)

/* Returns the i-th message length, in bytes. */
static inline int64_t xtf_network_length(const XtfNetwork *network, uint32_t i)
{
    return network->begin + i * network->step;
}

/* Returns the number of lengths in the file with these values, at most network->lengths. The result must have the
 * values. */
uint32_t xtf_network_lengths(const XtfNetwork *network, XtfNetworkValue value);

/* Reads matrix i: P * P values. The result must have the values, and they must not be XTF_NETWORK_REPEAT. */
bool xtf_network_read(XtfNetwork *network, XtfNetworkValue value, uint32_t i, double *matrix, GError **error);

/* Reads the part of matrix i for n senders from `first` on: [r * n + s - first] is the value from sender s to receiver
 * r. Each XTF_NETWORK_REPEAT element consists of `repeats` values. Lengths that the file lacks are NaN. */
bool xtf_network_read_senders(XtfNetwork *network, XtfNetworkValue value, uint32_t i, uint32_t first, uint32_t n,
                              double *values, GError **error);

/* Reads the cluster numbers of all pairs in a portion of a clustered result: P * P values, as in a matrix. Clusters are
 * numbered from 0, in the order in which their curves are stored. */
bool xtf_network_read_clusters(XtfNetwork *network, uint32_t portion, uint32_t *numbers, GError **error);
