/*
 * The rows of the tables that companions and right edges hold (XtfDiskTotals in format.h): their schemas, and their
 * encoding and decoding.
 *
 * A row of totals is one group of one child; a border is one child's; a row of a snapshot is one open frame before one
 * child. They have schemas, so that they can be packed as other rows are. Schemas are made once and live as long as the
 * process; any thread may call these functions.
 */
#pragma once

#include "libxtf/base/bytes.h"
#include "libxtf/disk/codec.h"
#include "libxtf/disk/format.h"
#include "libxtf/totals/frame-stack.h"

enum {
    /* Groups that are stored for each child at most; or at most the lesser number once the rows of the children before
     * it take XTF_TABLE_BYTES. It bounds what a page's children take in memory, the writer's and the reader's. */
    XTF_CHILD_GROUPS = 1024,
    XTF_CHILD_GROUPS_LEAST = 32,
    XTF_TABLE_BYTES = 16 << 20,
};

/* Fields of totals: this many, then the keys, then the cells. */
enum { XTF_TOTALS_CHILD, XTF_TOTALS_DEPTH, XTF_TOTALS_KEYS };

/* Aggregates with the same numbers of keys and cells share one. */
const XtfSchema *xtf_stored_totals_schema(const XtfAggregate *aggregate);

/* Fields of borders. */
enum { XTF_BORDER_CHILD, XTF_BORDER_GAP, XTF_BORDER_DEPTH, XTF_BORDER_LEAST };

const XtfSchema *xtf_stored_border_schema(void);

/* Between a child and the row before it. */
typedef struct {
    uint64_t child;
    uint64_t gap;   /* ticks from the row before to the child's first; 0 if that is row 0 */
    uint64_t depth; /* frames open before the child's first row */
    uint64_t least; /* frames that a row of the child leaves open, at least: never more than depth */
} XtfBorder;

/* Fields of snapshots. */
enum { XTF_SNAPSHOT_CHILD, XTF_SNAPSHOT_KEY, XTF_SNAPSHOT_ROW, XTF_SNAPSHOT_TIME, XTF_SNAPSHOT_OUTERMOST };

const XtfSchema *xtf_stored_snapshot_schema(void);

/* Fields of filters, of which a child has as many rows as its filter has words. */
enum { XTF_FILTER_CHILD, XTF_FILTER_BITS };

const XtfSchema *xtf_stored_filter_schema(void);

/* Encoding. A child's groups are appended in the order of their keys; a stack's innermost XTF_SNAPSHOT_FRAMES frames.
 */
void xtf_stored_totals_append(GByteArray *rows, uint32_t child, const XtfAggregate *aggregate, unsigned depth,
                              const uint64_t *key, const uint64_t *cells);
void xtf_stored_border_append(GByteArray *rows, const XtfBorder *border);
void xtf_stored_snapshot_append(GByteArray *rows, uint32_t child, const XtfFrameStack *stack);
void xtf_stored_filter_append(GByteArray *rows, uint32_t child, uint64_t bits);
/* Appends a table of these rows to a payload: `head` says what they are, the rest of it is set. Nothing if there are no
 * rows. */
void xtf_stored_rows_pack(XtfDiskTotals head, const XtfSchema *schema, const XtfCodec *codec, const GByteArray *rows,
                          GByteArray *payload);

/* Decoding. Keys beyond the depth and children may be anything. */
typedef struct {
    uint64_t child, depth;
    uint64_t key[XTF_AGGREGATE_KEYS_MAX], cells[XTF_AGGREGATE_CELLS_MAX];
} XtfTotalsRow;

void xtf_stored_totals_read(const XtfAggregate *aggregate, const uint8_t *row, XtfTotalsRow *totals);
void xtf_stored_border_read(const uint8_t *row, XtfBorder *border);
void xtf_stored_snapshot_read(const uint8_t *row, uint64_t *child, XtfOpenFrame *frame);
void xtf_stored_filter_read(const uint8_t *row, uint64_t *child, uint64_t *bits);

/* A table, still packed; n is 0 if there is none. */
typedef struct {
    uint8_t kind, aggregate;
    uint32_t n;
    XtfBytesReader bytes;
} XtfPackedRows;

/* The next table of a payload, of any kind; the payload is failed if it is cut short. */
XtfPackedRows xtf_stored_rows_next(XtfBytesReader *payload);
/* Unpacked rows, to be freed, or NULL with a fault. `most` bounds their number, which the packed bytes do not: packed
 * rows may take next to none. */
uint8_t *xtf_stored_rows_unpack(const XtfSchema *schema, const XtfCodec *codec, const XtfPackedRows *packed,
                                uint64_t most, const char **fault);
