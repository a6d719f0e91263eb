/*
 * Private parts of record readers (records.h).
 */
#pragma once

#include "libxtf/records.h"

/* Does what xtf_spans_select() does, for positions [low[i], high[i]) of each span i, all of which have the same time.
 * Replaces low[] by the result. */
bool xtf_select_ties(const XtfSpans *spans, uint64_t k, uint64_t *low, const uint64_t *high, GError **error);

/* Reads the records of very many spans. */
typedef struct XtfRecordBatches XtfRecordBatches;

/* Creates batches. Borrows the spans; takes ownership of `positions`, the position where each span begins. */
XtfRecordBatches *xtf_record_batches_new(const XtfSpans *spans, uint64_t *positions, GError **error);
void xtf_record_batches_free(XtfRecordBatches *batches); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRecordBatches, xtf_record_batches_free)
size_t xtf_record_batches_bytes(const XtfRecordBatches *batches); /* memory in use, bytes */
bool xtf_record_batches_next(XtfRecordBatches *batches, XtfRowRun *run, GError **error);

enum {
    XTF_RECORD_PART_BITS = 6,
    XTF_RECORD_DIGIT_BITS = 11,
};

/* Sorts rows of a block by their times. A key has the ticks from the block's beginning and, in the low bits, the number
 * of the part. */
typedef struct {
    uint64_t *keys, *sorted;
    uint8_t *order; /* number of each row's part, for the caller */
    uint32_t room;
    uint32_t counts[1 << XTF_RECORD_DIGIT_BITS];
} XtfRecordSorter;

XtfRecordSorter *xtf_record_sorter_new(void);
void xtf_record_sorter_free(XtfRecordSorter *sorter);                /* NULL is allowed */
size_t xtf_record_sorter_bytes(const XtfRecordSorter *sorter);       /* memory in use, bytes */
void xtf_record_sorter_reserve(XtfRecordSorter *sorter, uint32_t n); /* makes room for n keys */
/* Sorts n keys, of at most `last` ticks, into `sorted`. The sort is stable. Overwrites `keys`. */
void xtf_record_sorter_sort(XtfRecordSorter *sorter, uint32_t n, uint64_t last);

enum { XTF_RECORD_INPUTS_MAX = XTF_RECORD_PARTS_MAX }; /* maximum spans; more are read in batches */

/* Sort key of a span's current row. */
typedef struct {
    uint64_t t, location, seq;
    uint32_t input; /* index of the input; inputs are in the order of their spans */
} XtfRecordKey;

/* A span and its current row. */
typedef struct {
    uint32_t span;
    uint32_t row_size;
    const uint8_t *row;
    uint64_t left;     /* rows left in the run, including the current one */
    uint64_t returned; /* rows that the last block returned */
    const XtfField *seq_field;
    XtfSpanReader rows;
} XtfRecordInput;

struct XtfRecordReader {
    XtfSpans *spans;
    XtfRecordBatches *batches; /* for many spans; NULL: few spans, read by the members below */
    XtfRecordInput *inputs;
    uint32_t n_inputs;   /* number of initialised inputs */
    XtfRecordKey *order; /* keys of inputs with rows left, ascending */
    uint32_t n_order;
    uint64_t returned;       /* rows of the first input that the last run returned */
    bool block_returned;     /* true if the last call returned a block */
    uint32_t runs_left;      /* runs to return before the next attempt at a block */
    XtfRecordSorter *sorter; /* NULL: not needed so far */
};

/* Moves the inputs past the rows that the last call returned. */
bool xtf_record_reader_settle(XtfRecordReader *reader, GError **error);
