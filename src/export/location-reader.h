/*
 * The records of one location of a selection, in their order, each with its rows in side arrays; and the calls that are
 * open where the selection's window begins and ends.
 *
 *     g_auto(XtfLocationReader) reader;
 *     xtf_location_reader_init(&reader, tree, selection);
 *     for each index of a selected location {
 *         if (!xtf_location_reader_begin(&reader, spans, index, error)) ...
 *         while (xtf_location_reader_next(&reader, &record, error) && record.schema)
 *             while (xtf_location_reader_side(&reader, XTF_MODEL_ATTRIBUTES, &row, error) && row) ...
 *     }
 *
 * It holds a leaf of each array, whatever the number of records.
 */
#pragma once

#include "src/export/model-rows.h"
#include "src/tables/totals/selected-locations.h"
#include "src/tree/node/node-class.h"

typedef struct {
    const XtfSchema *schema; /* NULL: there is no more */
    int tag;                 /* XTF_MODEL_...; -1: of a type that the model lacks */
    uint64_t time, seq;      /* seq: UINT64_MAX if the trace has none */
    uint64_t row;            /* its number in its array */
    const uint8_t *raw;      /* as the trace has them */
    const void *fields;      /* as the model has them; NULL with tag -1. Good until the next record */
} XtfLocationRecord;

/* A call that is open at a time. */
typedef struct {
    uint64_t region; /* row of `regions` */
    uint64_t enter;  /* row of `enters_leaves` */
} XtfOpenCall;

typedef struct {
    XtfArray array;
    bool exists, on; /* on: the cursor stands on a row */
    XtfCursor cursor;
} XtfSideReader;

typedef struct {
    XtfTree *tree;           /* borrowed */
    XtfSelection *selection; /* borrowed */
    XtfModelMap **maps;      /* by schema; NULL: not made yet, or the model lacks it */
    int *tags;               /* by schema */
    const XtfField **seqs;   /* by schema */
    XtfRecordReader *records;
    XtfRowRun run;
    uint64_t done; /* rows of the run */
    XtfLocationArrays arrays;
    XtfSideReader sides[XTF_N_ARRAY_TYPES - XTF_N_RECORD_TYPES];
    XtfLocationRecord record; /* the current one */
    uint8_t buffer[XTF_ROW_MAX], side_buffer[XTF_ROW_MAX];
} XtfLocationReader;

void xtf_location_reader_init(XtfLocationReader *reader, XtfTree *tree, XtfSelection *selection);
void xtf_location_reader_finish(XtfLocationReader *reader); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocationReader, xtf_location_reader_finish)

/* Goes to a location, by its index in XtfLocations. `spans` are those of the selection. */
bool xtf_location_reader_begin(XtfLocationReader *reader, const XtfSpans *spans, uint32_t index, GError **error);
/* The location's array of a type, XTF_MODEL_...; NULL: it has none. */
const XtfArray *xtf_location_reader_array(const XtfLocationReader *reader, int tag);
bool xtf_location_reader_next(XtfLocationReader *reader, XtfLocationRecord *record, GError **error);
/* The next row of a side array, XTF_MODEL_..., that belongs to the current record; *row is NULL if there is none. */
bool xtf_location_reader_side(XtfLocationReader *reader, unsigned tag, const void **row, GError **error);
/* The same, of that record at that time and all before it: for arrays that say what holds from there on. */
bool xtf_location_reader_side_so_far(XtfLocationReader *reader, unsigned tag, uint64_t time, uint64_t seq,
                                     const void **row, GError **error);

/* The calls of the selection that are open at time t, the outermost first: none where the location's records have
 * not begun, or have ended. The caller frees *calls. */
bool xtf_location_reader_open_calls(XtfLocationReader *reader, uint64_t t, XtfOpenCall **calls, size_t *n,
                                    GError **error);
