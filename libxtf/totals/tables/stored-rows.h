/*
 * The rows of the tables in companions and right edges (XtfDiskTotals in format.h): their schemas, encoding and
 * decoding.
 *
 * A row of totals is one group of one child. A border is one row per child. A row of a snapshot is one open frame
 * before a child. These rows have schemas, so that they are packed like other rows. The schemas are created once and
 * live as long as the process; any thread may call these functions.
 */
#pragma once

#include "libxtf/base/bytes.h"
#include "libxtf/disk/codec.h"
#include "libxtf/disk/format.h"
#include "libxtf/totals/frame-stack.h"

enum {
    /* Maximum number of stored groups per child; the lesser number applies once the rows of the previous children take
       XTF_TABLE_BYTES. It bounds the memory of a page's children in the writer and the reader. */
    XTF_CHILD_GROUPS = 1024,
    XTF_CHILD_GROUPS_LEAST = 32,
    XTF_TABLE_BYTES = 16 << 20,
};

/* Fields of totals: these, then the keys, then the cells. */
enum { XTF_TOTALS_CHILD, XTF_TOTALS_DEPTH, XTF_TOTALS_KEYS };

/* Returns the schema of an aggregate's totals. Aggregates with the same numbers of keys and cells share it. */
const XtfSchema *xtf_stored_totals_schema(const XtfAggregate *aggregate);

/* Fields of borders. */
enum { XTF_BORDER_CHILD, XTF_BORDER_GAP, XTF_BORDER_DEPTH, XTF_BORDER_LEAST };

const XtfSchema *xtf_stored_border_schema(void);

/* State between a child and the row before it. */
typedef struct {
    uint64_t child;
    uint64_t gap;   /* ticks from the row before the child to its first row; 0 if the child begins with row 0 */
    uint64_t depth; /* number of frames open before the child's first row */
    uint64_t least; /* minimum number of frames that a row of the child leaves open: never more than depth */
} XtfBorder;

/* Fields of snapshots. */
enum { XTF_SNAPSHOT_CHILD, XTF_SNAPSHOT_KEY, XTF_SNAPSHOT_ROW, XTF_SNAPSHOT_TIME, XTF_SNAPSHOT_OUTERMOST };

const XtfSchema *xtf_stored_snapshot_schema(void);

/* Fields of filters. A child has one row per word of its filter. */
enum { XTF_FILTER_CHILD, XTF_FILTER_BITS };

const XtfSchema *xtf_stored_filter_schema(void);

/* Appends a group of a child. The caller appends a child's groups in the order of their keys. */
void xtf_stored_totals_append(GByteArray *rows, uint32_t child, const XtfAggregate *aggregate, unsigned depth,
                              const uint64_t *key, const uint64_t *cells);
void xtf_stored_border_append(GByteArray *rows, const XtfBorder *border);
/* Appends the innermost XTF_SNAPSHOT_FRAMES frames of the stack before a child. */
void xtf_stored_snapshot_append(GByteArray *rows, uint32_t child, const XtfFrameStack *stack);
/* Appends a word of a child's filter. */
void xtf_stored_filter_append(GByteArray *rows, uint32_t child, uint64_t bits);
/* Appends a table of n rows to a payload: `head` has its kind and aggregate; the function sets its other members.
 * Appends nothing if there are no rows. */
void xtf_stored_rows_pack(XtfDiskTotals head, const XtfSchema *schema, const XtfCodec *codec, const uint8_t *rows,
                          uint32_t n, GByteArray *payload);

void xtf_stored_filter_read(const uint8_t *row, uint64_t *child, uint64_t *bits);

/* A packed table; n is 0 if there is none. */
typedef struct {
    uint8_t kind, aggregate;
    uint32_t n;
    XtfBytesReader bytes;
} XtfPackedRows;

/* Returns the next table of a payload, of any kind. Marks the payload as failed if it is truncated. */
XtfPackedRows xtf_stored_rows_next(XtfBytesReader *payload);
/* Returns true if a table has at most `most` rows, else sets *fault. */
bool xtf_stored_rows_check(const XtfPackedRows *packed, uint64_t most, const char **fault);
/* Unpacks rows, to be freed by the caller; NULL with a fault on failure. `most` bounds their number, because packed
 * rows may take almost no bytes. */
uint8_t *xtf_stored_rows_unpack(const XtfSchema *schema, const XtfCodec *codec, const XtfPackedRows *packed,
                                uint64_t most, const char **fault);

/* Unpacks a table of borders, at least one. `borders` has room for them all. Returns false with a fault on failure. */
bool xtf_stored_borders_unpack(const XtfCodec *codec, const XtfPackedRows *packed, XtfBorder *borders,
                               const char **fault);

/* Columns of unpacked snapshots, in memory of the thread that the next call overwrites. */
typedef struct {
    const uint64_t *child, *outermost;
} XtfSnapshotColumns;

/* Unpacks a table of snapshots, at least one row, with a checked number of them. Sets the frames, which the caller
 * allocated, except `outermost`, which may have bad values. Returns false with a fault on failure. */
bool xtf_stored_snapshots_unpack(const XtfCodec *codec, const XtfPackedRows *packed, XtfOpenFrame *frames,
                                 XtfSnapshotColumns *snapshots, const char **fault);

/* Unpacked totals: their children, numbers of keys, and keys; the cells are the caller's. */
typedef struct {
    uint32_t n;
    const uint64_t *child, *depth;
    const uint64_t *keys; /* n_keys of each row; keys beyond the depth are not checked */
} XtfTotalsRows;

/* Unpacks a table of totals with a checked number of rows, and the first n_cells cells of each row. `cells` gets the
 * first cells of all rows, then the second ones, and so on. `totals` uses memory of the thread that the next call
 * overwrites. */
bool xtf_stored_totals_unpack(const XtfAggregate *aggregate, const XtfCodec *codec, const XtfPackedRows *packed,
                              unsigned n_cells, uint64_t *cells, XtfTotalsRows *totals, const char **fault);
