/*
 * Spans: rows of an array, all or those that a filter takes, and sets of spans, whose records are counted in order.
 *
 * A position in a span numbers the rows that the filter takes, from 0 at the array's first; without a filter a position
 * is a row's own number. So cutting, counting, selecting and reading by positions are the same with and without a
 * filter. The totals in the index lead from positions to rows and back.
 *
 * Records are in (T, location, seq) order: by time; in one location by the field of role XTF_ROLE_SEQ, or the row's
 * number if there is none; and after all that by the order of the spans.
 *
 * Functions may be called from any thread; a reader belongs to one thread at a time.
 */
#pragma once

#include "libxtf/group-filter.h"

XTF_BEGIN_DECLS

typedef struct {
    XtfArray array;
    uint64_t lo, hi;       /* positions [lo, hi) */
    XtfGroupFilter filter; /* all zeros: all rows */
    unsigned aggregate;    /* the one whose groups the filter takes */
    uint32_t tag;          /* the caller's own; means nothing here */
} XtfSpan;

static inline bool xtf_span_is_filtered(const XtfSpan *span)
{
    return span->filter.match || span->filter.exact || span->filter.begun;
}

void xtf_span_init(XtfSpan *span, const XtfArray *array); /* all rows */
/* Leaves the rows with a time in [from, to); with `to` UINT64_MAX all from `from` on. */
bool xtf_span_cut(XtfSpan *span, uint64_t from, uint64_t to, GError **error);
/* Leaves the rows that a filter takes, of those that the span has. Borrows what the filter borrows. */
bool xtf_span_filter(XtfSpan *span, unsigned aggregate, const XtfGroupFilter *filter, GError **error);

/* The number of rows before row n that the filter takes: the position of the first such row at or after row n. */
bool xtf_span_position(const XtfSpan *span, uint64_t n, uint64_t *position, GError **error);
/* The row at a position less than hi. */
bool xtf_span_row_number(const XtfSpan *span, uint64_t position, uint64_t *n, GError **error);
/* The time of that row. */
bool xtf_span_time(const XtfSpan *span, uint64_t position, uint64_t *t, GError **error);
/* Rows [*from, *to), from the first to the last of a span that is not empty. */
bool xtf_span_rows(const XtfSpan *span, uint64_t *from, uint64_t *to, GError **error);

/* The number of positions with a time before t, if it is known to lie in [low, high]. */
bool xtf_span_rank_within(const XtfSpan *span, uint64_t t, uint64_t low, uint64_t high, uint64_t *position,
                          GError **error);
/* Among positions [low, high), which have one time: the first whose seq is not less than `seq`; else high. */
bool xtf_span_rank_of_seq(const XtfSpan *span, uint64_t seq, uint64_t low, uint64_t high, uint64_t *position,
                          GError **error);

/* What orders row n among records of the same time and location. `seq` is the field of role XTF_ROLE_SEQ, or NULL. */
static inline uint64_t xtf_row_seq(const XtfField *seq, const uint8_t *row, uint64_t n)
{
    return seq ? xtf_field_get(seq, row) : n;
}

/*
 * A span reader goes from run to run of a span, and passes over leaves without a row that the filter takes. A run is
 * such rows side by side in one leaf, which the reader holds pinned.
 */
typedef struct {
    const XtfSpan *span; /* borrowed */
    XtfCursor cursor;    /* on the run's first row */
    uint64_t position;   /* of the run's first row */
    uint64_t n_rows;     /* in the run; 0: the reader is at its end */
} XtfSpanReader;

void xtf_span_reader_init(XtfSpanReader *reader, const XtfSpan *span); /* at no run; borrows the span */
void xtf_span_reader_finish(XtfSpanReader *reader);                    /* twice is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSpanReader, xtf_span_reader_finish)

/* To the run that begins at a position; at hi the reader is at its end. */
bool xtf_span_reader_seek(XtfSpanReader *reader, uint64_t position, GError **error);
/* To the next run. */
bool xtf_span_reader_next(XtfSpanReader *reader, GError **error);

/* Spans of several arrays, in the order of their locations. Immutable once they are shared. */
typedef struct {
    uint64_t count; /* of records */
    uint32_t n;
    XtfSpan *spans;
    /* Private. */
    gatomicrefcount references;
    uint32_t room;
    void *data;
    GDestroyNotify free_data;
} XtfSpans;

/* No spans yet. Takes `data`, which the spans' filters borrow from; both may be NULL. */
XtfSpans *xtf_spans_new(void *data, GDestroyNotify free_data);
XtfSpans *xtf_spans_ref(XtfSpans *spans);
void xtf_spans_unref(XtfSpans *spans); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSpans, xtf_spans_unref)

/* Adds a copy; an empty span is left out. XTF_ERROR_INVALID if its location is less than that of the one before. */
bool xtf_spans_add(XtfSpans *spans, const XtfSpan *span, GError **error);

/*
 * positions[i], for each of the spans, is that of its first row that is not among the first k records. No record before
 * these is read.
 */
bool xtf_spans_select(const XtfSpans *spans, uint64_t k, uint64_t *positions, GError **error);

XTF_END_DECLS
