/*
 * Arrays: the rows of one schema of one location, in time order.
 *
 * A row is found by T, its time, or by N, its number from 0. Both orders agree, so one index, TN, serves both (see
 * tree/descent.c). Windows are half-open. An operation costs at most one page visit per level of the tree
 * (xtf_array_height()).
 *
 * An XtfArray is a small value that may be copied. It borrows the trace. Any number of threads may use it at once; only
 * one thread at a time may use a cursor.
 *
 * Times are global, also in the rows that functions return: see clock-map.h.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/clock-map.h"
#include "libxtf/error.h"
#include "libxtf/handles.h"
#include "libxtf/schema.h"

XTF_BEGIN_DECLS

typedef struct {
    XtfTrace *trace; /* borrowed */
    const XtfSchema *schema;
    uint64_t location;                /* key P */
    uint64_t n_rows;                  /* at least 1: empty arrays are not stored */
    uint64_t first, last;             /* times of the first and the last row */
    uint64_t local_first, local_last; /* the same in local ticks of the location's clock */
    const XtfClockMap *clock; /* the location's map; NULL: none, local times are global. Borrowed from the trace */
    uint32_t id;
    /* Private to the index. */
    uint32_t segment, clock_map;
    uint64_t kept; /* the trace's kept time (trace.h), global or local as the array's other times are */
    uint64_t edge_offset;
    uint32_t edge_length, edge_checksum;
    struct XtfCache *cache; /* cache of the sweep that reads the array (sweep.h); NULL: the trace's cache */
    uint8_t height, codec;
    bool joined;           /* it consists of pieces (disk/lists/pieces.h) */
    const uint8_t *shifts; /* of a piece: the numbers to add to its rows (XtfDiskShift); borrowed */
    uint32_t n_shifts;
} XtfArray;

/* Returns the number of the trace's arrays: the entries of the P index, sorted by location, then schema id. */
uint64_t xtf_trace_n_arrays(const XtfTrace *trace);
/* Finds an array by its key. *found is false if there is none, or if xtf_array_is_supported() is false. */
bool xtf_trace_find_array(XtfTrace *trace, uint64_t location, uint32_t schema, XtfArray *array, bool *found,
                          GError **error);
/* Returns the number of arrays before (location, schema). */
bool xtf_trace_array_rank(XtfTrace *trace, uint64_t location, uint32_t schema, uint64_t *rank, GError **error);
/* Returns `count` arrays from rank `rank` on, all of which must exist. */
bool xtf_trace_get_arrays(XtfTrace *trace, uint64_t rank, uint64_t count, XtfArray *arrays, GError **error);

/* True if this library knows the array's schema and codec. If not, sets XTF_ERROR_UNSUPPORTED, as every function does
 * that reads the array's rows or totals. Other arrays stay readable. */
bool xtf_array_is_supported(const XtfArray *array, GError **error);

/* Returns the name of the array's codec; NULL if this library does not know the codec. */
const char *xtf_array_codec(const XtfArray *array);

/*
 * Returns the array in local ticks: times in arguments, results and rows are as the file stores them. For copying, and
 * for callers that sum times themselves.
 */
XtfArray xtf_array_local(const XtfArray *array);

/* Returns the number of levels of the tree, including the leaves. */
unsigned xtf_array_height(const XtfArray *array);

/* Converts T to N: the number of rows with a time before t. This is also the N of the first row at or after t. A time
 * before the kept time counts as the kept time. One descent. */
bool xtf_array_rank(const XtfArray *array, uint64_t t, uint64_t *n, GError **error);
/* Converts T to N as xtf_array_rank() does, if the result is known to be in [low, high]. No descent if t is outside the
 * array's times. */
bool xtf_array_rank_within(const XtfArray *array, uint64_t t, uint64_t low, uint64_t high, uint64_t *n, GError **error);
/* Finds the first row at or after the trace's kept time (trace.h), n_rows if there is none. Rows before it may be in
 * volumes that were removed. Sets *n to 0 without a descent if no volume was removed. */
bool xtf_array_first_kept(const XtfArray *array, uint64_t *n, GError **error);
/* Converts N to T: the time of row n, which must exist. One descent. */
bool xtf_array_time(const XtfArray *array, uint64_t n, uint64_t *t, GError **error);
/* Copies row n, which must exist: schema->row_size bytes. One descent. */
bool xtf_array_row(const XtfArray *array, uint64_t n, uint8_t *row, GError **error);

/* Computes the paper's `size` by T: the number of rows with a time in [t1, t2). */
bool xtf_array_size_t(const XtfArray *array, uint64_t t1, uint64_t t2, uint64_t *size, GError **error);
/* Returns the paper's `size` by N: the number of rows with a number in [n1, n2). */
uint64_t xtf_array_size_n(const XtfArray *array, uint64_t n1, uint64_t n2);

/*
 * A cursor has a current row and pins its leaf in the cache. Steps and searches within the leaf need no page visit;
 * steps to a neighbouring leaf need one, along the leaf's link.
 *
 *     g_auto(XtfCursor) cursor;
 *     xtf_cursor_init(&cursor, &array);
 *     if (!xtf_cursor_seek_t(&cursor, from, &found, error)) ...
 *     while (found && xtf_cursor_time(&cursor) < to) {
 *         use(xtf_cursor_row(&cursor));
 *         if (!xtf_cursor_next(&cursor, 1, &found, error)) ...
 *     }
 *
 * If *found is false, the cursor has no current row: seek before any other call.
 */
typedef struct {
    XtfArray array;
    uint64_t n; /* number of the current row */
    /* Private. */
    void *block;         /* block of the leaf, pinned */
    const uint8_t *rows; /* rows of the leaf */
    uint64_t leaf_first; /* N of the leaf's first row */
    uint32_t leaf_count;
    uint64_t leaf_next, leaf_previous;
} XtfCursor;

void xtf_cursor_init(XtfCursor *cursor, const XtfArray *array); /* without a current row */
void xtf_cursor_finish(XtfCursor *cursor);                      /* unpins the leaf; may be called twice */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCursor, xtf_cursor_finish)

/* Moves to row n: the paper's `search` by N. */
bool xtf_cursor_seek_n(XtfCursor *cursor, uint64_t n, bool *found, GError **error);
/* Moves to the first row at or after t, and after the kept time: the paper's `search` by T. */
bool xtf_cursor_seek_t(XtfCursor *cursor, uint64_t t, bool *found, GError **error);
/* Moves by `step` rows, backwards if negative: the paper's `next`. A step to a neighbouring leaf follows its link; a
 * longer one descends. */
bool xtf_cursor_next(XtfCursor *cursor, int64_t step, bool *found, GError **error);

static inline const uint8_t *xtf_cursor_row(const XtfCursor *cursor)
{
    return cursor->rows + (cursor->n - cursor->leaf_first) * cursor->array.schema->row_size;
}

static inline uint64_t xtf_cursor_time(const XtfCursor *cursor)
{
    uint64_t t;
    memcpy(&t, xtf_cursor_row(cursor), sizeof t);
    return GUINT64_FROM_LE(t);
}

/* Returns the number of rows from the current one to the end of its leaf. They are contiguous at xtf_cursor_row(), and
 * valid until the cursor moves to another leaf. For callers that read many rows. */
static inline uint64_t xtf_cursor_available(const XtfCursor *cursor)
{
    return cursor->leaf_first + cursor->leaf_count - cursor->n;
}

/* Does what xtf_cursor_next() does for a step within the leaf: `step` must be less than xtf_cursor_available(). For
 * callers that read many rows. */
static inline void xtf_cursor_skip(XtfCursor *cursor, uint64_t step)
{
    cursor->n += step;
}

XTF_END_DECLS
