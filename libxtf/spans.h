/*
 * Spans: all rows of an array, or only rows that match a filter. Sets of spans put their records in one order.
 *
 * A position in a span numbers the matching rows, from 0 at the array's first; without a filter a position is the row's
 * number. So cutting, counting, selecting and reading by positions are the same with and without a filter. The totals
 * in the index convert between positions and rows.
 *
 * Records are in (T, location, seq) order. Within one time and location, seq is the field of role XTF_ROLE_SEQ, or the
 * row's number if there is none. Records that agree in all three are in the order of their spans.
 *
 * Any thread may call these functions; only one thread at a time may use a reader.
 */
#pragma once

#include "libxtf/group-filter.h"

XTF_BEGIN_DECLS

typedef struct {
    XtfArray array;
    uint64_t lo, hi;       /* positions [lo, hi) */
    XtfGroupFilter filter; /* all zeros: all rows match */
    unsigned aggregate;    /* index of the aggregate whose groups the filter matches */
    uint32_t tag;          /* for the caller; not used by the library */
} XtfSpan;

static inline bool xtf_span_is_filtered(const XtfSpan *span)
{
    return span->filter.match || span->filter.exact || span->filter.begins_only;
}

void xtf_span_init(XtfSpan *span, const XtfArray *array); /* a span of all rows */
/* Restricts the span to rows with a time in [from, to); with `to` UINT64_MAX to all from `from` on. */
bool xtf_span_cut(XtfSpan *span, uint64_t from, uint64_t to, GError **error);
/* Restricts the span to the rows that match a filter. Borrows what the filter borrows. */
bool xtf_span_filter(XtfSpan *span, unsigned aggregate, const XtfGroupFilter *filter, GError **error);

/* Returns the number of matching rows before row n: the position of the first matching row at or after row n. */
bool xtf_span_position(const XtfSpan *span, uint64_t n, uint64_t *position, GError **error);
/* Returns the number of the row at a position, which must be less than hi. */
bool xtf_span_row_number(const XtfSpan *span, uint64_t position, uint64_t *n, GError **error);

/* A row n that has `position` matching rows before it. All zeros: the first row of the array. */
typedef struct {
    uint64_t position, n;
} XtfSpanMark;

/* Returns the same as xtf_span_row_number(), and moves the mark to that row. A position before the mark is found from
 * the first row on. Index pages lack totals of arrays with very many groups. There a search reads all rows between the
 * mark and the result, so ascending positions are found in one pass. */
bool xtf_span_find_row(const XtfSpan *span, XtfSpanMark *mark, uint64_t position, uint64_t *n, GError **error);
/* Returns the time of the row at a position. */
bool xtf_span_time(const XtfSpan *span, uint64_t position, uint64_t *t, GError **error);
/* Returns the range of rows [*from, *to), from the first to the last of a span that is not empty. */
bool xtf_span_rows(const XtfSpan *span, uint64_t *from, uint64_t *to, GError **error);

/* Returns the number of positions with a time before t. The caller knows that the result is in [low, high]. */
bool xtf_span_rank_within(const XtfSpan *span, uint64_t t, uint64_t low, uint64_t high, uint64_t *position,
                          GError **error);
/* Finds among positions [low, high), which have one time, the first whose seq is not less than `seq`; high if there is
 * none. */
bool xtf_span_rank_of_seq(const XtfSpan *span, uint64_t seq, uint64_t low, uint64_t high, uint64_t *position,
                          GError **error);

/* Returns the value that orders row n among records of the same time and location. `seq` is the field of role
 * XTF_ROLE_SEQ, or NULL. */
static inline uint64_t xtf_row_seq(const XtfField *seq, const uint8_t *row, uint64_t n)
{
    return seq ? xtf_field_get(seq, row) : n;
}

/*
 * A span reader moves from run to run of a span, and skips leaves without a matching row. A run is a sequence of
 * adjacent matching rows in one leaf, which the reader pins.
 */
typedef struct {
    const XtfSpan *span; /* borrowed */
    XtfCursor cursor;    /* at the run's first row */
    uint64_t position;   /* position of the run's first row */
    uint64_t n_rows;     /* rows in the run; 0: the reader is at its end */
} XtfSpanReader;

void xtf_span_reader_init(XtfSpanReader *reader, const XtfSpan *span); /* at no run; borrows the span */
void xtf_span_reader_finish(XtfSpanReader *reader);                    /* may be called twice */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSpanReader, xtf_span_reader_finish)

/* Moves to the run that begins at a position; at hi the reader is at its end. */
bool xtf_span_reader_seek(XtfSpanReader *reader, uint64_t position, GError **error);
/* Moves to the next run. */
bool xtf_span_reader_next(XtfSpanReader *reader, GError **error);

/* Spans of several arrays, in the order of their locations. Immutable once shared. */
typedef struct {
    uint64_t count; /* number of records */
    uint32_t n;
    XtfSpan *spans;
    /* Private. */
    gatomicrefcount references;
    uint32_t room;
    void *data;
    GDestroyNotify free_data;
} XtfSpans;

/* Creates an empty set. Takes ownership of `data`, from which the spans' filters borrow; both may be NULL. */
XtfSpans *xtf_spans_new(void *data, GDestroyNotify free_data);
XtfSpans *xtf_spans_ref(XtfSpans *spans);
void xtf_spans_unref(XtfSpans *spans); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSpans, xtf_spans_unref)

/* Adds a copy of a span; ignores an empty one. XTF_ERROR_INVALID if its location is less than that of the previous
 * span. */
bool xtf_spans_add(XtfSpans *spans, const XtfSpan *span, GError **error);

/*
 * Finds in every span the first row that is not among the first k records of all spans: positions[i] is its position.
 * Reads no earlier record.
 */
bool xtf_spans_select(const XtfSpans *spans, uint64_t k, uint64_t *positions, GError **error);

XTF_END_DECLS
