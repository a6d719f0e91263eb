/*
 * Writer of clustered results in the paper's format: docs/NETWORK.md. Writes one or two netCDF files with 64-bit
 * offsets.
 *
 * The writer stores each portion's clusters in the file at once. It keeps the clusters' values in memory until the end,
 * because the file needs their number first.
 */
#pragma once

#include "src/network/cluster/cluster.h"
#include "src/network/results/network.h"

typedef struct XtfClusteredWriter XtfClusteredWriter;

/* An output file. */
typedef struct {
    const char *path; /* is replaced; NULL: no such file */
    const char *name; /* for error messages */
} XtfClusteredOutput;

/* Begins a file with the clusters of the matrices `value` of `network`, which must live as long as the writer. The
 * clusters' values go to `data`, or to `info` if data->path is NULL. */
XtfClusteredWriter *xtf_clustered_writer_new(const XtfNetwork *network, XtfNetworkValue value,
                                             const XtfClusteredOutput *info, const XtfClusteredOutput *data,
                                             GError **error);

/* Adds the next portion. Fails with XTF_ERROR_TOO_LARGE if the number of values or the portion's first length exceeds
 * 31 bits. */
bool xtf_clustered_writer_add(XtfClusteredWriter *writer, const XtfPortion *portion, GError **error);

typedef struct {
    XtfThreshold threshold;
    const char *method; /* how the clusters were found */
    XtfClusterReport report;
} XtfClusteredFacts;

/* Writes the clusters' values and the facts, and closes the files. */
bool xtf_clustered_writer_end(XtfClusteredWriter *writer, const XtfClusteredFacts *facts, GError **error);

/* Frees a writer, which may be NULL. Without xtf_clustered_writer_end(), the files are incomplete. */
void xtf_clustered_writer_free(XtfClusteredWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfClusteredWriter, xtf_clustered_writer_free)
