/*
 * Reads the records of one location of a selection in order, each with its rows in side arrays. Also finds the calls
 * that are open where the selection's window begins or ends.
 *
 *     g_auto(XtfLocationReader) reader;
 *     xtf_location_reader_init(&reader, tree, selection);
 *     for each index of a selected location {
 *         if (!xtf_location_reader_begin(&reader, spans, index, error)) ...
 *         while (xtf_location_reader_next(&reader, &record, error) && record.schema)
 *             while (xtf_location_reader_side(&reader, XTF_MODEL_ATTRIBUTES, &row, error) && row) ...
 *     }
 *
 * A reader keeps one leaf of each array in memory, however many records it reads.
 */
#pragma once

#include "src/export/model-rows.h"
#include "src/tables/totals/selected-locations.h"
#include "src/tree/node/node-class.h"

typedef struct {
    const XtfSchema *schema; /* NULL: after the last record */
    int tag;                 /* XTF_MODEL_...; -1: the model lacks the type */
    uint64_t time, seq;      /* seq: UINT64_MAX if the trace has none */
    uint64_t row;            /* number in its array */
    const uint8_t *raw;      /* the row in the trace's schema */
    const void *fields;      /* the row in the model's schema, valid until the next record; NULL with tag -1 */
} XtfLocationRecord;

/* A call that is open at a time. */
typedef struct {
    uint64_t region; /* row of `regions` */
    uint64_t enter;  /* row of `enters_leaves` */
} XtfOpenCall;

typedef struct {
    XtfArray array;
    bool exists, has_row; /* has_row: the cursor is on a row */
    XtfCursor cursor;
} XtfSideReader;

typedef struct {
    XtfTree *tree;           /* borrowed */
    XtfSelection *selection; /* borrowed */
    XtfModelMap **maps;      /* by schema; NULL: the model lacks it */
    int *tags;               /* by schema */
    const XtfField **seqs;   /* by schema */
    XtfRecordReader *records;
    XtfRowRun run;
    uint64_t done; /* rows of the run that were returned */
    XtfLocationArrays arrays;
    XtfSideReader sides[XTF_N_ARRAY_TYPES - XTF_N_RECORD_TYPES];
    XtfLocationRecord record; /* the current record */
    uint8_t buffer[XTF_ROW_MAX], side_buffer[XTF_ROW_MAX];
} XtfLocationReader;

void xtf_location_reader_init(XtfLocationReader *reader, XtfTree *tree, XtfSelection *selection);
void xtf_location_reader_finish(XtfLocationReader *reader); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocationReader, xtf_location_reader_finish)

/* Begins a location, by its index in XtfLocations. `spans` are the selection's spans. */
bool xtf_location_reader_begin(XtfLocationReader *reader, const XtfSpans *spans, uint32_t index, GError **error);
/* Returns the location's array of a type, XTF_MODEL_...; NULL if it has none. */
const XtfArray *xtf_location_reader_array(const XtfLocationReader *reader, int tag);
bool xtf_location_reader_next(XtfLocationReader *reader, XtfLocationRecord *record, GError **error);
/* Finds the current record's next row in a side array, XTF_MODEL_...; *row is NULL if there is none. */
bool xtf_location_reader_side(XtfLocationReader *reader, unsigned tag, const void **row, GError **error);
/* Finds the next row of a side array up to the record with this time and seq. For arrays whose rows stay valid from
 * their record on. */
bool xtf_location_reader_side_so_far(XtfLocationReader *reader, unsigned tag, uint64_t time, uint64_t seq,
                                     const void **row, GError **error);

/* Finds the calls of the selection that are open at time t, outermost first. Finds none before the location's first
 * call or after its last record. The caller frees *calls. */
bool xtf_location_reader_open_calls(XtfLocationReader *reader, uint64_t t, XtfOpenCall **calls, size_t *n,
                                    GError **error);
