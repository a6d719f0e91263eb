/*
 * The clusters of a clustered network: of each pair, in each portion of the lengths.
 */
#pragma once

#include "src/network/tables/links.h"

#define XTF_NO_CLUSTER UINT32_MAX

typedef struct {
    uint64_t from, to; /* lengths */
    uint32_t matrices, clusters;
} XtfLinkPortion;

/* Of XtfLinkPortion, in the order of lengths; empty if the network is not clustered. NULL with an error. */
GArray *xtf_link_portions(XtfTrace *trace, GError **error);

/* The portion with a length; NULL with XTF_ERROR_NOT_FOUND. */
const XtfLinkPortion *xtf_link_portion_of(const GArray *portions, uint64_t length, GError **error);

/* The clusters of pairs of the senders `first` to first + n - 1: n lines of receivers, XTF_NO_CLUSTER where the trace
 * has none. The caller frees them; NULL with an error. */
uint32_t *xtf_link_clusters(XtfTrace *trace, const XtfLinkSides *sides, const XtfLinkPortion *portion, uint32_t first,
                            uint32_t n, GError **error);
