/*
 * Reading the records of several arrays as one sequence, in (T, location, seq) order.
 *
 *     g_autoptr(XtfSpans) spans = xtf_spans_new(NULL, NULL);
 *     for each array {
 *         xtf_span_init(&span, &array);
 *         if (!xtf_span_cut(&span, from, to, error) || !xtf_spans_add(spans, &span, error)) ...
 *     }
 *     g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(spans, 0, error);
 *     XtfRowRun run;
 *     while (xtf_record_reader_next(reader, UINT64_MAX, &run, error) && run.n_rows)
 *         use(run.span->array.schema, run.rows, run.n_rows);
 *
 * A reader goes forwards, from any record. Few spans: span readers in the order of their current rows, each with its
 * leaf pinned, so that each leaf is loaded once. Very many spans: batches of records, one interval of time after
 * another, each as many as fit a bounded buffer, so that one leaf is pinned at most and each array is visited once a
 * batch.
 *
 * A reader belongs to one thread at a time.
 */
#pragma once

#include "libxtf/spans.h"

XTF_BEGIN_DECLS

typedef struct XtfRecordReader XtfRecordReader;

/* Rows that follow one another in the order and lie side by side; good until the next call. */
typedef struct {
    const XtfSpan *span;
    const uint8_t *rows;
    uint64_t n_rows; /* 0: there are no more */
    uint64_t first;  /* the number of the first in its array */
} XtfRowRun;

/* References the spans, and begins with their record k, counted from 0. */
XtfRecordReader *xtf_record_reader_new(XtfSpans *spans, uint64_t k, GError **error);
void xtf_record_reader_free(XtfRecordReader *reader); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRecordReader, xtf_record_reader_free)

/* The next run, of at most `max` rows, at least 1. After an error the reader can only be freed. */
bool xtf_record_reader_next(XtfRecordReader *reader, uint64_t max, XtfRowRun *run, GError **error);

/* A row of a span, and its number in its array. False stops, with an error set. */
typedef bool (*XtfRowVisit)(void *data, const XtfSpan *span, uint64_t number, const uint8_t *row, GError **error);
/* All rows of the spans, in their order. */
bool xtf_records_each(XtfSpans *spans, XtfRowVisit visit, void *data, GError **error);

enum { XTF_RECORD_PARTS_MAX = 64 };

/*
 * Rows of several spans that follow one another in the order, where rows of different spans come by turns: the rows of
 * each span, which lie side by side, and the span of each row in the order. Good until the next call.
 */
typedef struct {
    uint32_t n_rows; /* of all parts; 0: there are no more */
    uint32_t n_parts;
    XtfRowRun parts[XTF_RECORD_PARTS_MAX];
    const uint8_t *order; /* n_rows numbers of parts; NULL: there is one part, a run */
} XtfRecordBlock;

/* The next rows, at most `max` and at least 1, in a block: faster than run by run, where runs are short. Calls may take
 * turns with xtf_record_reader_next(). After an error the reader can only be freed. */
bool xtf_record_reader_next_block(XtfRecordReader *reader, uint64_t max, XtfRecordBlock *block, GError **error);

/* Memory that the reader holds, with the leaves that it has pinned in the cache. */
size_t xtf_record_reader_bytes(const XtfRecordReader *reader);

XTF_END_DECLS
