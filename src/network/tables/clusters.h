/*
 * Reads the clusters of a clustered network: the cluster of each pair in each portion of the lengths.
 */
#pragma once

#include "src/network/tables/links.h"

#define XTF_NO_CLUSTER UINT32_MAX

typedef struct {
    uint64_t from, to; /* lengths from `from` to below `to` */
    uint32_t matrices, clusters;
} XtfLinkPortion;

/* Returns the portions (XtfLinkPortion) by ascending lengths; none if the network is not clustered. The caller frees
 * the array. Returns NULL with an error. */
GArray *xtf_link_portions(XtfTrace *trace, GError **error);

/* Returns the portion that contains a length; NULL with XTF_ERROR_NOT_FOUND if there is none. */
const XtfLinkPortion *xtf_link_portion_of(const GArray *portions, uint64_t length, GError **error);

/* Returns the clusters of pairs, for the senders `first` to first + n - 1: one line of receivers for each sender. A
 * pair without a cluster has XTF_NO_CLUSTER. The caller frees the array. Returns NULL with an error. */
uint32_t *xtf_link_clusters(XtfTrace *trace, const XtfLinkSides *sides, const XtfLinkPortion *portion, uint32_t first,
                            uint32_t n, GError **error);
