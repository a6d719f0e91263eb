/*
 * Inside the room: a record reader (records.h), and its helpers.
 */
#pragma once

#include "libxtf/records.h"

/* Like xtf_spans_select() for the rows low[i] to high[i] of each span, which all have one time. Replaces `low`. */
bool xtf_select_ties(const XtfSpans *spans, uint64_t k, uint64_t *low, const uint64_t *high, GError **error);

/* Reads the records of very many spans. */
typedef struct XtfRecordBatches XtfRecordBatches;

/* Borrows the spans; takes the positions, where each of them begins. */
XtfRecordBatches *xtf_record_batches_new(const XtfSpans *spans, uint64_t *positions, GError **error);
void xtf_record_batches_free(XtfRecordBatches *batches); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRecordBatches, xtf_record_batches_free)
size_t xtf_record_batches_bytes(const XtfRecordBatches *batches); /* memory that they hold */
bool xtf_record_batches_next(XtfRecordBatches *batches, XtfRowRun *run, GError **error);

enum {
    XTF_RECORD_PART_BITS = 6,
    XTF_RECORD_DIGIT_BITS = 11,
};

/* Sorts rows of a block by their times. A key is the ticks from the block's beginning, and in the low bits the number
 * of the part. */
typedef struct {
    uint64_t *keys, *sorted;
    uint8_t *order; /* for the caller */
    uint32_t room;
    uint32_t counts[1 << XTF_RECORD_DIGIT_BITS];
} XtfRecordSorter;

XtfRecordSorter *xtf_record_sorter_new(void);
void xtf_record_sorter_free(XtfRecordSorter *sorter);                /* NULL is fine */
size_t xtf_record_sorter_bytes(const XtfRecordSorter *sorter);       /* memory that it holds */
void xtf_record_sorter_reserve(XtfRecordSorter *sorter, uint32_t n); /* for n keys */
/* Sorts n keys, of at most `last` ticks, into `sorted`; those of equal ticks stay in order. `keys` is spoilt. */
void xtf_record_sorter_sort(XtfRecordSorter *sorter, uint32_t n, uint64_t last);

enum { XTF_RECORD_INPUTS_MAX = XTF_RECORD_PARTS_MAX }; /* spans: more are read in batches */

/* Where the current row of a span stands in the order. */
typedef struct {
    uint64_t t, location, seq;
    uint32_t input; /* as their spans, inputs are in order */
} XtfRecordKey;

/* A span and its current row. */
typedef struct {
    uint32_t span;
    uint32_t row_size;
    const uint8_t *row;
    uint64_t left;  /* rows in the run, the current row included */
    uint64_t taken; /* of them, those that the last block gave out */
    const XtfField *seq_field;
    XtfSpanReader rows;
} XtfRecordInput;

struct XtfRecordReader {
    XtfSpans *spans;
    XtfRecordBatches *batches; /* of many spans; NULL: few, and: */
    XtfRecordInput *inputs;
    uint32_t n_inputs;   /* made */
    XtfRecordKey *order; /* of inputs with rows left, ascending */
    uint32_t n_order;
    uint64_t taken;          /* rows of the first input that the last run gave out */
    bool block_taken;        /* the last call gave out a block */
    uint32_t runs_left;      /* runs to give out before a block is tried again */
    XtfRecordSorter *sorter; /* NULL: not needed so far */
};

/* Moves the inputs past the rows that the last call gave out. */
bool xtf_record_reader_settle(XtfRecordReader *reader, GError **error);
