/*
 * What a selection of a measured network shows: tables of one matrix, figures, curves, fits, and a picture.
 *
 * Times are shown in microseconds, numbers (AMOUNT) as they are; a dash stands for what was not measured or cannot be
 * told. Texts are made whole; the table and the fits of all pairs have lines of one length, of any of which parts are
 * read alone.
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
    int statistic;       /* the one that is shown where only one is; -1: none */
    XtfSelection *links; /* of that statistic */
} XtfLinkView;

/* Of a trace that has links. */
bool xtf_link_view_init(XtfLinkView *view, XtfResolver *resolver, XtfSelection *selection, GError **error);
void xtf_link_view_finish(XtfLinkView *view);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLinkView, xtf_link_view_finish)

/* A matrix: a line a sender, a value a receiver. */
uint64_t xtf_link_table_size(const XtfLinkView *view);
bool xtf_link_table_read(XtfLinkView *view, uint64_t offset, char *buffer, size_t length, GError **error);
/* The same values, a row a pair. */
bool xtf_link_table_rows(XtfLinkView *view, const XtfRowSink *sink, GError **error);

/* Hockney's model of each pair, without breaks. */
uint64_t xtf_link_fits_size(const XtfLinkView *view);
bool xtf_link_fits_read(XtfLinkView *view, uint64_t offset, char *buffer, size_t length, GError **error);
bool xtf_link_fits_rows(XtfLinkView *view, const XtfRowSink *sink, GError **error);

extern const XtfTableDeclaration xtf_table_statistics, xtf_table_outliers, xtf_table_curve, xtf_table_segments,
    xtf_table_fits, xtf_table_pairs;

/* Statistics have, of one length or where statistics are chosen, a line for each; else a line for
 * each length that was measured, of the first preferred statistic there. */
bool xtf_link_statistics_table(XtfLinkView *view, XtfTableOutput *output, GError **error);
bool xtf_link_outliers_table(XtfLinkView *view, XtfTableOutput *output, GError **error);
bool xtf_link_curve_table(XtfLinkView *view, XtfTableOutput *output, GError **error);    /* of one pair */
bool xtf_link_segments_table(XtfLinkView *view, XtfTableOutput *output, GError **error); /* its fit, a line a segment */
GString *xtf_link_heat_png(XtfLinkView *view, GError **error);
