/*
 * Clusters a result of network_test, and writes the clusters to a file.
 */
#pragma once

#include "src/network/cluster/cluster.h"
#include "src/network/results/clustered-writer.h"
#include "src/network/results/network.h"

/* Returns the values to cluster if the user names only `path`, a file of the result: the values in this file. If it has
 * all measurements or host names, returns the first of median, average, min, deviation and amount that exists. */
XtfNetworkValue xtf_network_value_of(const XtfNetwork *network, const char *path);

typedef struct {
    XtfNetworkValue value;
    bool choose;         /* choose the threshold by the noise of the values */
    const char *program; /* name and version, for the file's attribute `method` */
    XtfClusteredOutput info;
    XtfClusteredOutput data; /* for the clusters' values; path NULL: they are in the first file */
} XtfNetworkClusterOptions;

typedef struct {
    XtfClusterReport clusters;
    XtfThreshold threshold;
    double noise;           /* NaN if unknown, or not measured */
    uint64_t before, after; /* bytes of the clustered and of the written files; `after` is 0 if none is written */
} XtfNetworkClusterReport;

/* Clusters the matrices of options->value by `clustering`, of which `portion` is not used, and `data` is passed to
 * `progress` only. Fails with XTF_ERROR_NOT_FOUND if the result does not have such values. */
bool xtf_network_cluster(XtfNetwork *network, const XtfClusterOptions *clustering,
                         const XtfNetworkClusterOptions *options, XtfNetworkClusterReport *report, GError **error);
