/*
 * Points as they are found: in any order, kept by location in a temporary file; and read again by location, in the
 * order of `seq`.
 *
 * The points of a location come nearly in their order, so each part of a file is sorted before it is written, and few
 * parts overlap: reading holds only those that do.
 */
#pragma once

#include "src/analysis/replay/logs/spool.h"
#include "src/analysis/waits/operations.h"
#include "src/analysis/waits/points.h"
#include "src/files/paged.h"

/* A part of a location's points; before them in the file lies what is known of the part before. */
typedef struct {
    uint64_t at, least; /* where it lies; its first seq */
    uint32_t n;         /* points; 0: there is no such part */
    uint32_t spare;
} XtfRawPart;

typedef struct {
    XtfRawPart last;
    uint32_t n;       /* points in its buffer */
    uint32_t n_parts; /* `last` and those before */
    bool kinds;       /* it has points of records that a replay does not hand out */
    uint64_t total;
} XtfRawLocation;

typedef struct {
    XtfSpool spool;
    XtfRawLocation *locations; /* in `paged_locations` */
    XtfPoint *buffers;         /* of `room` points each, by location, in `paged_buffers` */
    XtfPaged paged_locations, paged_buffers;
    uint32_t n_locations, room;
    uint32_t n_added; /* since these rested */
    uint64_t n_pairs; /* of points MEETS and MET */
    XtfOperations operations;
} XtfRawPoints;

bool xtf_raw_points_init(XtfRawPoints *raw, uint32_t n_locations, GError **error);
void xtf_raw_points_finish(XtfRawPoints *raw);
bool xtf_raw_points_add(XtfRawPoints *raw, uint32_t location, const XtfPoint *point, GError **error);
/* Says that all were added. */
bool xtf_raw_points_end(XtfRawPoints *raw, GError **error);

typedef struct {
    XtfPoint *points;
    uint32_t at, n;
} XtfRawRun;

typedef struct {
    const XtfRawPoints *raw;
    XtfRawPart *parts; /* by their first seq */
    uint32_t n_parts, next;
    GArray *runs; /* XtfRawRun: parts that overlap */
    XtfPoint ahead;
    bool any_ahead;
} XtfRawReader;

bool xtf_raw_reader_init(XtfRawReader *reader, const XtfRawPoints *raw, uint32_t location, GError **error);
void xtf_raw_reader_finish(XtfRawReader *reader); /* also if that failed */
/* The next point: what was found of one record is one point, but for those that are ALONE. */
bool xtf_raw_reader_next(XtfRawReader *reader, XtfPoint *point, bool *found, GError **error);
