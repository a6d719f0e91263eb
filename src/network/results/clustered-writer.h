/*
 * Clustered results, written as the paper has them: docs/NETWORK.md. One netCDF file with 64-bit offsets, or two.
 *
 * The matrices' portions go to the file as they come; the values of their clusters are kept until the end, when it is
 * known how many they are.
 */
#pragma once

#include "src/network/cluster/cluster.h"
#include "src/network/results/network.h"

typedef struct XtfClusteredWriter XtfClusteredWriter;

/* A file that is written. */
typedef struct {
    const char *path; /* it is replaced; NULL: there is none */
    const char *name; /* in errors */
} XtfClusteredOutput;

/* Begins the result of clustering the matrices `value` of `network`, which must stay until the end. The values of the
 * clusters go to `data`, if that is a file. */
XtfClusteredWriter *xtf_clustered_writer_new(const XtfNetwork *network, XtfNetworkValue value,
                                             const XtfClusteredOutput *info, const XtfClusteredOutput *data,
                                             GError **error);

/* XTF_ERROR_TOO_LARGE: places of values, and lengths at left borders, are 31-bit numbers. */
bool xtf_clustered_writer_add(XtfClusteredWriter *writer, const XtfPortion *portion, GError **error);

typedef struct {
    XtfThreshold threshold;
    const char *method; /* a text: how the clusters were found */
    XtfClusterReport report;
} XtfClusteredFacts;

/* Writes what is left, and closes. */
bool xtf_clustered_writer_end(XtfClusteredWriter *writer, const XtfClusteredFacts *facts, GError **error);

/* What was not ended is not whole. NULL is fine. */
void xtf_clustered_writer_free(XtfClusteredWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfClusteredWriter, xtf_clustered_writer_free)
