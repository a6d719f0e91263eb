/*
 * Views of a selection of a measured network: tables of one matrix, statistics, curves, fits, and a picture.
 *
 * Times are shown in microseconds, amounts unchanged. A dash means not measured, or unknown. Most texts are made as a
 * whole. The table, and the fits of all pairs, have lines of equal length, so any part of them can be read by itself.
 */
#pragma once

#include "src/network/tables/links.h"
#include "src/trace/text/row-sink.h"
#include "src/trace/text/table-output.h"

typedef struct {
    XtfResolver *resolver;   /* borrowed */
    XtfSelection *selection; /* borrowed */
    XtfLinkType type;
    XtfLinkSides sides;
    int statistic;       /* of views that show one statistic; -1: none was measured */
    XtfSelection *links; /* links of that statistic */
} XtfLinkView;

/* Initializes a view. The trace must have links. */
bool xtf_link_view_init(XtfLinkView *view, XtfResolver *resolver, XtfSelection *selection, GError **error);
void xtf_link_view_finish(XtfLinkView *view);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLinkView, xtf_link_view_finish)

/* Returns the size of the matrix: one line for each sender, one value for each receiver. */
uint64_t xtf_link_table_size(const XtfLinkView *view);
/* Reads a part of the matrix. */
bool xtf_link_table_read(XtfLinkView *view, uint64_t offset, char *buffer, size_t length, GError **error);
/* Passes the values of the matrix to a sink: one row for each pair. */
bool xtf_link_table_rows(XtfLinkView *view, const XtfRowSink *sink, GError **error);

/* Returns the size of the fits: Hockney's model of each pair, without breaks. */
uint64_t xtf_link_fits_size(const XtfLinkView *view);
/* Reads a part of the fits. */
bool xtf_link_fits_read(XtfLinkView *view, uint64_t offset, char *buffer, size_t length, GError **error);
/* Passes the fits to a sink: one row for each pair. */
bool xtf_link_fits_rows(XtfLinkView *view, const XtfRowSink *sink, GError **error);

extern const XtfTableDeclaration xtf_table_statistics, xtf_table_outliers, xtf_table_curve, xtf_table_segments,
    xtf_table_fits, xtf_table_pairs;

/* Makes the table of statistics. If the selection has one length, or chooses statistics, each of its statistics has a
 * line for each length. Otherwise each measured length has one line, for its first preferred statistic. */
bool xtf_link_statistics_table(XtfLinkView *view, XtfTableOutput *output, GError **error);
/* Makes the table of outliers of one matrix. */
bool xtf_link_outliers_table(XtfLinkView *view, XtfTableOutput *output, GError **error);
/* Makes the curve of one pair: its statistics at each length. */
bool xtf_link_curve_table(XtfLinkView *view, XtfTableOutput *output, GError **error);
/* Makes the fit of one pair: a line for each segment. */
bool xtf_link_segments_table(XtfLinkView *view, XtfTableOutput *output, GError **error);
/* Returns the matrix as a PNG file; NULL with an error. */
GString *xtf_link_heat_png(XtfLinkView *view, GError **error);
