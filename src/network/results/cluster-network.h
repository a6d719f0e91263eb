/*
 * A result of network_test, clustered into a file.
 */
#pragma once

#include "src/network/cluster/cluster.h"
#include "src/network/results/clustered-writer.h"
#include "src/network/results/network.h"

/* Which values are meant if a user says no more than the name of a file of the result: those in this file; of one with
 * all measurements, or of hosts, the medians, or what there is. */
XtfNetworkValue xtf_network_value_of(const XtfNetwork *network, const char *path);

typedef struct {
    XtfNetworkValue value;
    bool choose;         /* the threshold: by the noise */
    const char *program; /* that does this, for the file */
    XtfClusteredOutput info;
    XtfClusteredOutput data; /* for the values of the clusters; none: they are in the same file */
} XtfNetworkClusterOptions;

typedef struct {
    XtfClusterReport clusters;
    XtfThreshold threshold;
    double noise;           /* NaN if it is not known, or was not needed */
    uint64_t before, after; /* bytes of the files; 0 after if nothing is written */
} XtfNetworkClusterReport;

/* `how` says how to cluster; its `portion` and `data` but for `progress` are not used. XTF_ERROR_NOT_FOUND: the result
 * does not have such values. */
bool xtf_network_cluster(XtfNetwork *network, const XtfClusterOptions *how, const XtfNetworkClusterOptions *options,
                         XtfNetworkClusterReport *report, GError **error);
