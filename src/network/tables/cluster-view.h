/*
 * What a clustered network shows of its clusters: portions, and of one portion the clusters, the cluster of each pair,
 * and a picture of it.
 */
#pragma once

#include "src/network/tables/clusters.h"
#include "src/trace/text/row-sink.h"
#include "src/trace/text/table-output.h"

typedef struct {
    XtfResolver *resolver;   /* borrowed */
    XtfSelection *selection; /* borrowed: its senders and receivers are shown */
    XtfLinkSides sides;
    GArray *portions;
    const XtfLinkPortion *portion;
} XtfClusterView;

/* Of the portion with this length. */
bool xtf_cluster_view_init(XtfClusterView *view, XtfResolver *resolver, XtfSelection *selection, uint64_t length,
                           GError **error);
void xtf_cluster_view_finish(XtfClusterView *view); /* of all zeros, too */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfClusterView, xtf_cluster_view_finish)

/* A matrix: a line a sender, a number of a cluster a receiver; lines of one length, any of which are read alone. */
uint64_t xtf_cluster_table_size(const XtfClusterView *view);
bool xtf_cluster_table_read(XtfClusterView *view, uint64_t offset, char *buffer, size_t length, GError **error);
/* The same numbers, a row a pair. */
bool xtf_cluster_table_rows(XtfClusterView *view, const XtfRowSink *sink, GError **error);

/* NULL with an error. */
extern const XtfTableDeclaration xtf_table_portions, xtf_table_clusters, xtf_table_cluster_pairs;
bool xtf_cluster_portions_table(const XtfTraceContext *context, XtfTableOutput *output, GError **error);
/* Of each cluster the least, mean and greatest value at the lengths of its portion, in microseconds (of amounts: as
 * they are), and Hockney's model of them. */
bool xtf_cluster_summary_table(XtfClusterView *view, XtfTableOutput *output, GError **error);
GString *xtf_cluster_png(XtfClusterView *view, GError **error);
