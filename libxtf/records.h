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
 * A reader moves forwards, from any record. With few spans it keeps span readers in the order of their current rows,
 * each with its leaf pinned. So each leaf is loaded once. With very many spans it reads batches of records, one time
 * interval after another. A batch fills a bounded buffer. So at most one leaf is pinned, and each array is visited once
 * per batch.
 *
 * Only one thread at a time may use a reader.
 */
#pragma once

#include "libxtf/spans.h"

XTF_BEGIN_DECLS

typedef struct XtfRecordReader XtfRecordReader;

/* Consecutive rows of the order that are contiguous in memory; valid until the next call. */
typedef struct {
    const XtfSpan *span;
    const uint8_t *rows;
    uint64_t n_rows; /* 0: no more rows */
    uint64_t first;  /* number of the first row in its array */
} XtfRowRun;

/* Creates a reader that begins with record k of all spans together, counted from 0. Takes a reference to the spans. */
XtfRecordReader *xtf_record_reader_new(XtfSpans *spans, uint64_t k, GError **error);
void xtf_record_reader_free(XtfRecordReader *reader); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRecordReader, xtf_record_reader_free)

/* Returns the next run, of at most `max` rows and at least 1. After an error the reader can only be freed. */
bool xtf_record_reader_next(XtfRecordReader *reader, uint64_t max, XtfRowRun *run, GError **error);

/* Called with a row of a span and its number in its array. Returns false, with an error set, to stop. */
typedef bool (*XtfRowVisit)(void *data, const XtfSpan *span, uint64_t number, const uint8_t *row, GError **error);
/* Calls `visit` for all rows of the spans, in their order. */
bool xtf_records_each(XtfSpans *spans, XtfRowVisit visit, void *data, GError **error);

enum { XTF_RECORD_PARTS_MAX = 64 };

/*
 * Consecutive rows of the order from several spans. Each part holds contiguous rows of one span, and `order` says in
 * which part each row is. Valid until the next call.
 */
typedef struct {
    uint32_t n_rows; /* total of all parts; 0: no more rows */
    uint32_t n_parts;
    XtfRowRun parts[XTF_RECORD_PARTS_MAX];
    const uint8_t *order; /* for each row, the index in `parts` of its part; NULL: all rows are in parts[0] */
} XtfRecordBlock;

/* Returns the next rows, at most `max` and at least 1, in a block: faster than run by run if runs are short. Calls may
 * alternate with xtf_record_reader_next(). After an error the reader can only be freed. */
bool xtf_record_reader_next_block(XtfRecordReader *reader, uint64_t max, XtfRecordBlock *block, GError **error);

/* Returns the memory that the reader uses, in bytes, including the leaves that it has pinned in the cache. */
size_t xtf_record_reader_bytes(const XtfRecordReader *reader);

XTF_END_DECLS
