/*
 * Tables and a picture of the clusters in a clustered network. They show the portions: ranges of message lengths that
 * have the same clusters. For one portion they show its clusters and the cluster of each pair.
 */
#pragma once

#include "src/network/tables/clusters.h"
#include "src/trace/text/row-sink.h"
#include "src/trace/text/table-output.h"

typedef struct {
    XtfResolver *resolver;   /* borrowed */
    XtfSelection *selection; /* borrowed: the view shows its senders and receivers */
    XtfLinkSides sides;
    GArray *portions;
    const XtfLinkPortion *portion;
} XtfClusterView;

/* Initializes a view of the portion with this length. */
bool xtf_cluster_view_init(XtfClusterView *view, XtfResolver *resolver, XtfSelection *selection, uint64_t length,
                           GError **error);
void xtf_cluster_view_finish(XtfClusterView *view); /* a view of all zeros is allowed */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfClusterView, xtf_cluster_view_finish)

/* Returns the size of the matrix of cluster numbers: one line for each sender, one column for each receiver. */
uint64_t xtf_cluster_table_size(const XtfClusterView *view);
/* Reads a part of the matrix. All lines have the same length, so only the lines of the part are loaded. */
bool xtf_cluster_table_read(XtfClusterView *view, uint64_t offset, char *buffer, size_t length, GError **error);
/* Passes the cluster numbers of the matrix to a sink: one row for each pair. */
bool xtf_cluster_table_rows(XtfClusterView *view, const XtfRowSink *sink, GError **error);

extern const XtfTableDeclaration xtf_table_portions, xtf_table_clusters, xtf_table_cluster_pairs;
/* Makes a table of all portions. */
bool xtf_cluster_portions_table(const XtfTraceContext *context, XtfTableOutput *output, GError **error);
/* Makes a table with a line for each cluster of the portion: least, mean and greatest value, and Hockney's model. Times
 * are in microseconds. */
bool xtf_cluster_summary_table(XtfClusterView *view, XtfTableOutput *output, GError **error);
/* Returns the clusters of all pairs as a PNG file; NULL with an error. */
GString *xtf_cluster_png(XtfClusterView *view, GError **error);
