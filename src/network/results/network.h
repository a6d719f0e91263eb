/*
 * Results of network_test (Salnikov, Andreyev), read from netCDF: for each message length a matrix of P x P times, in
 * one file for each statistic of them; and clustered results, which store one curve for all pairs of a cluster.
 *
 * A result is named by any of its files. NAME_average.nc, NAME_median.nc, NAME_deviation.nc, NAME_min.nc,
 * NAME_measurements_amount.nc, NAME_all.nc and NAME_hosts.txt beside each other are one result; a file with another
 * name is one by itself. Files say what they hold (`data_type`); their names are only how they are found.
 * docs/NETWORK.md lists all kinds of files.
 *
 * A matrix is in the order of the file, where the process that measured stands first: the value from sender s to
 * receiver r stands at [r * P + s]. Times are in seconds. What was not measured is NaN: the source has NaN, -1, or
 * nothing (a fill value) there. A diagonal of 0 is left as it is. Any other negative or infinite value is an error, as
 * is everything that contradicts itself in a file; no file makes us allocate more than it has bytes.
 *
 * libnetcdf is not made for threads: one thread at a time may use this room.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

enum { XTF_NETWORK_PROCESSES_MAX = 1 << 20 };

/* Ends of the names of a clustered result in two files. */
#define XTF_NETWORK_INFO_ENDING "_info.nc"
#define XTF_NETWORK_DATA_ENDING "_data.nc"

typedef enum {
    XTF_NETWORK_AVERAGE,
    XTF_NETWORK_MEDIAN,
    XTF_NETWORK_DEVIATION, /* of the whole, not of a sample */
    XTF_NETWORK_MIN,
    XTF_NETWORK_AMOUNT, /* of measurements that the others are made of: a number, no time */
    XTF_NETWORK_REPEAT, /* each measurement */
    XTF_N_NETWORK_VALUES,
} XtfNetworkValue;

/* "average", "median", ...; the name of each, NULL-terminated. */
extern const char *const xtf_network_values[];

/* Of a clustered result: lengths with the same clusters. */
typedef struct {
    uint32_t begin, end; /* matrices begin <= i < end */
    uint32_t clusters;
} XtfNetworkPortion;

typedef struct XtfNetworkFile XtfNetworkFile;

typedef struct {
    uint32_t processes;    /* P, at least 1 */
    uint32_t lengths;      /* n, may be 0 */
    int64_t begin, step;   /* bytes: the i-th length is begin + i * step. step > 0 if n > 1 */
    int64_t end;           /* as the file says; may be beyond the last length */
    uint32_t repeats;      /* values a pair and length of XTF_NETWORK_REPEAT; 0: there are none */
    int64_t asked_repeats; /* num_repeates, as the file says; -1: it does not */
    int64_t noise_length, noise_messages, noise_processes; /* likewise */
    char *test;                                            /* "one_to_one", ...; never NULL */
    char **hosts;                                          /* P names, NULL-terminated; NULL: not known */
    GArray *portions; /* of XtfNetworkPortion; NULL: not clustered. Side by side, from 0 to n */
    bool shifted;     /* clustered: with the fault of the authors' program, see docs/NETWORK.md */
    XtfNetworkFile *files[XTF_N_NETWORK_VALUES]; /* NULL: the result does not have it */
} XtfNetwork;

/* Whether a regular file may be a result, by its first bytes: netCDF in one of its classic formats. Never fails. */
bool xtf_network_detect(const char *path);

/* The paths of all files of the result that `path` is of, itself included, whether good or not. */
GPtrArray *xtf_network_files(const char *path);

/* The path of the file with these values; NULL if the result does not have them. */
char *xtf_network_path(const XtfNetwork *network, XtfNetworkValue value);

/* XTF_ERROR_NOT_XTF: netCDF, but no result of this kind. XTF_ERROR_DAMAGED: says which file, and what is wrong. */
XtfNetwork *xtf_network_open(const char *path, GError **error);
void xtf_network_free(XtfNetwork *network);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNetwork, xtf_network_free)

static inline int64_t xtf_network_length(const XtfNetwork *network, uint32_t i)
{
    return network->begin + i * network->step;
}

/* How many lengths the file with these values has, which the result has: at most those of the result. */
uint32_t xtf_network_lengths(const XtfNetwork *network, XtfNetworkValue value);

/* Reads matrix i of one that the result has, but not of XTF_NETWORK_REPEAT: P * P values. */
bool xtf_network_read(XtfNetwork *network, XtfNetworkValue value, uint32_t i, double *matrix, GError **error);

/* Reads what it has of n senders from `first` on: the value from sender s to receiver r stands at [r * n + s - first].
 * Of XTF_NETWORK_REPEAT they are `repeats` values each. */
bool xtf_network_read_senders(XtfNetwork *network, XtfNetworkValue value, uint32_t i, uint32_t first, uint32_t n,
                              double *values, GError **error);

/* Of a clustered result: the number of each pair's cluster, from 0, in the order in which their curves are stored. P *
 * P values as in a matrix. */
bool xtf_network_read_clusters(XtfNetwork *network, uint32_t portion, uint32_t *numbers, GError **error);
