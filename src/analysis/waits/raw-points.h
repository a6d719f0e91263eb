/*
 * Raw points: points in the order in which the forward pass adds them, stored by location in a temporary file. Readers
 * get them by location, in the order of `seq`.
 *
 * The points of a location are added nearly in order. Each part of a location's points is sorted before it is written,
 * and few parts overlap, so a reader holds only the parts that overlap.
 */
#pragma once

#include "src/analysis/replay/logs/spool.h"
#include "src/analysis/waits/operations.h"
#include "src/analysis/waits/points.h"
#include "src/files/paged.h"

/* A sorted part of a location's points. In the file, the XtfRawPart of the previous part lies before the points. */
typedef struct {
    uint64_t at, least; /* offset of the part in the file; seq of its first point */
    uint32_t n;         /* number of points; 0: no part */
    uint32_t spare;
} XtfRawPart;

typedef struct {
    XtfRawPart last;
    uint32_t n;       /* points in its buffer */
    uint32_t n_parts; /* number of its parts */
    bool kinds;       /* the location has points of find-kinds.c, whose records a replay does not pass on */
    uint64_t total;
} XtfRawLocation;

typedef struct {
    XtfSpool spool;
    XtfRawLocation *locations; /* in `paged_locations` */
    XtfPoint *buffers;         /* `room` points each, by location, in `paged_buffers` */
    XtfPaged paged_locations, paged_buffers;
    uint32_t n_locations, room;
    uint32_t n_added; /* atomic: points added since the pages were released */
    /* The number of the next pair of a MEETS and a MET, and the step to the number after it. In a job, each rank has
     * its own numbers. */
    uint64_t next_pair, pair_step;
    XtfOperations operations;
} XtfRawPoints;

bool xtf_raw_points_init(XtfRawPoints *raw, uint32_t n_locations, GError **error);
void xtf_raw_points_finish(XtfRawPoints *raw);
/* Returns a number for a pair of a MEETS and a MET. */
static inline uint64_t xtf_raw_points_number_pair(XtfRawPoints *raw)
{
    uint64_t number = raw->next_pair;

    raw->next_pair += raw->pair_step;
    return number;
}

/* Adds a point. Several threads may add points of different locations at once. */
bool xtf_raw_points_add(XtfRawPoints *raw, uint32_t location, const XtfPoint *point, GError **error);
/* Writes all buffers, after the last point was added. */
bool xtf_raw_points_end(XtfRawPoints *raw, GError **error);

typedef struct {
    XtfPoint *points;
    uint32_t at, n;
} XtfRawRun;

typedef struct {
    const XtfRawPoints *raw;
    XtfRawPart *parts; /* in the order of their first seq */
    uint32_t n_parts, next;
    GArray *runs; /* XtfRawRun: parts that overlap */
    XtfPoint ahead;
    bool any_ahead;
} XtfRawReader;

bool xtf_raw_reader_init(XtfRawReader *reader, const XtfRawPoints *raw, uint32_t location, GError **error);
void xtf_raw_reader_finish(XtfRawReader *reader); /* also after xtf_raw_reader_init() failed */
/* Reads the next point. Merges the raw points of one record into one, except ALONE, MEETS and MET. */
bool xtf_raw_reader_next(XtfRawReader *reader, XtfPoint *point, bool *found, GError **error);
