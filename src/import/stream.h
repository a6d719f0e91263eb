/*
 * Appends the events of one location to its arrays. A stream numbers the records, keeps them in time order, and tracks
 * the call stack.
 *
 * The caller builds a record as a row of src/model; xtf_stream_append() fills in its head. Only one thread may use a
 * stream. Streams of different locations may share a writer and definitions.
 *
 * A stream repairs faults of the source as follows, and counts them:
 * - A record dated before its predecessor gets its predecessor's time. A row of `backward_times` keeps the source's
 * time.
 * - A LEAVE may name a region that is not on top of the stack. The LEAVE closes the innermost frame of that region, if
 * that frame is one of the XTF_STREAM_SEARCH innermost frames. The frames above it are never left. Otherwise the LEAVE
 * has no ENTER and changes nothing.
 * - Frames deeper than XTF_STREAM_DEPTH are counted but not stored. Records inside them name the deepest stored region.
 * Their LEAVEs have no ENTER. For their ENTERs, the enclosing frame is the deepest stored frame.
 *
 * A row of `enters_leaves` says whether its frame is the outermost of its region, and how deep the frame is. A frame
 * counts until it, or a frame below it, is left.
 *
 * The container tracks the call stack a second time (XtfOpenFrame), by design: the container does not rely on
 * importers.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/writer.h"
#include "src/import/definitions/call-sites.h"
#include "src/import/definitions/context-sites.h"
#include "src/import/definitions/definitions.h"
#include "src/import/definitions/tags.h"
#include "src/import/growth.h"
#include "src/import/requests.h"
#include "src/model/schemas.h"

enum {
    XTF_STREAM_SEARCH = 256,
    XTF_STREAM_DEPTH = 1 << 20,
};

/* A fault that may occur many times. */
typedef struct {
    uint64_t count;
    uint64_t first_seq;
} XtfMishap;

typedef struct {
    uint32_t region;
    uint32_t depth : 30;    /* number of frames up to and including this frame */
    uint32_t call : 1;      /* 0: no frame */
    uint32_t outermost : 1; /* no frame below has the same region */
    uint32_t site;          /* of `sites`; XTF_NONE32: none */
    uint64_t enter;         /* row of `enters_leaves` of the innermost ENTER up to this frame, plus 1; 0: none */
} XtfFrame;

typedef struct {
    XtfWriter *writer;
    XtfDefinitions *definitions;
    const uint32_t *schemas; /* the trace's schema ids by model tag; NULL: the writer adds missing schemas */
    /* Borrowed, for the importer's own use; NULL: none. */
    XtfCallSites *call_sites;
    XtfContextSites *context_sites;
    /* Set before the first record: */
    bool has_sites;    /* rows of `enters_leaves` have a field `site` */
    bool has_contexts; /* the trace has the side array `call_contexts` */
    uint64_t location;
    uint64_t seq;             /* of the next record */
    uint64_t last_time;       /* time of the last record */
    uint32_t previous_region; /* the region on top of the stack before the first record with the time `last_time` */
    uint64_t n_calls;
    XtfFrame *stack;
    uint32_t depth, capacity;
    uint64_t unstored;    /* open frames deeper than the stack, which are not stored */
    uint32_t *open_calls; /* by region plus 1 (XTF_NONE32 is first): number of its frames by ENTER on the stack */
    uint32_t n_open_calls;
    uint32_t *region_ids; /* by region: the source's number of the region that the last call of it used */
    uint32_t n_region_ids;
    XtfArrayWriter *arrays[XTF_N_ARRAY_TYPES];
    uint64_t counts[XTF_N_RECORD_TYPES][XTF_EVENTS_MAX]; /* number of records, by type and label */
    XtfMishap backward, without_enter, out_of_order;
    XtfRequests requests; /* messages of the location whose postings are not written yet: messages.h */
    XtfTags tags;         /* of the messages of all locations so far */
    XtfGrowth growth;     /* of the location's metrics */
    uint64_t never_left;  /* number of frames; complete after xtf_stream_end() */
    uint64_t max_unstored;
    GError *error; /* of the first append that failed */
} XtfStream;

void xtf_stream_init(XtfStream *stream, XtfWriter *writer, XtfDefinitions *definitions, const uint32_t *schemas);
void xtf_stream_finish(XtfStream *stream);
/* Begins a location. `counts` and `tags` add up over locations. */
void xtf_stream_begin(XtfStream *stream, uint64_t location);
/* Ends the location: writes its last postings and closes its arrays. */
bool xtf_stream_end(XtfStream *stream, GError **error);

/* Writes the postings before the first open request; at the `end` of the location all postings. */
bool xtf_stream_write_postings(XtfStream *stream, bool end);

/* ---- The slow paths of the functions below. */

XtfArrayWriter *xtf_stream_open_array(XtfStream *stream, unsigned type);
uint64_t xtf_stream_repair_time(XtfStream *stream, uint64_t time);
void xtf_stream_grow_stack(XtfStream *stream);
void xtf_stream_grow_open_calls(XtfStream *stream, uint32_t region);
XtfFrame xtf_stream_pop_below_top(XtfStream *stream, uint32_t region);
bool xtf_stream_change_region_id(XtfStream *stream, uint32_t region, uint32_t id);

static inline bool xtf_stream_append_row(XtfStream *stream, unsigned type, const void *row)
{
    XtfArrayWriter *array = stream->arrays[type];

    if (G_UNLIKELY(!array) && !(array = xtf_stream_open_array(stream, type)))
        return false;
    return G_LIKELY(!stream->error) && xtf_array_writer_append(array, row, &stream->error);
}

static inline uint32_t xtf_stream_region(const XtfStream *stream)
{
    return stream->depth > 0 ? stream->stack[stream->depth - 1].region : XTF_NONE32;
}

/* Advances to the time of the next record. Call it before that record changes the stack. */
static inline void xtf_stream_set_time(XtfStream *stream, uint64_t time)
{
    if (G_LIKELY(time > stream->last_time)) {
        stream->previous_region = xtf_stream_region(stream);
        stream->last_time = time;
    }
}

/* Appends a record. `row` begins with a head, whose region the caller has set. `event` is a label of the type. */
static inline bool xtf_stream_append(XtfStream *stream, unsigned type, unsigned event, uint64_t time, void *row)
{
    XtfRecordHead *head = row;

    if (G_UNLIKELY(time < stream->last_time))
        time = xtf_stream_repair_time(stream, time);
    xtf_stream_set_time(stream, time);
    head->time = time;
    head->seq = stream->seq++;
    head->event = event;
    stream->counts[type][event]++;
    return xtf_stream_append_row(stream, type, row);
}

/* Returns the number of stored open frames. */
static inline uint32_t xtf_stream_depth(const XtfStream *stream)
{
    return stream->depth > 0 ? stream->stack[stream->depth - 1].depth : 0;
}

/* Returns the row of `enters_leaves` of the innermost open ENTER, plus 1; 0: none. */
static inline uint64_t xtf_stream_enclosing(const XtfStream *stream)
{
    return stream->depth > 0 ? stream->stack[stream->depth - 1].enter : 0;
}

static inline void xtf_stream_push(XtfStream *stream, XtfFrame frame)
{
    if (G_UNLIKELY(stream->depth == stream->capacity))
        xtf_stream_grow_stack(stream);
    if (G_UNLIKELY(stream->depth == stream->capacity)) {
        stream->unstored++;
        stream->max_unstored = MAX(stream->max_unstored, stream->unstored);
        return;
    }
    stream->stack[stream->depth++] = frame;
    stream->open_calls[frame.region + 1]++;
}

/* Removes the frame of `region` from the stack and returns it; `call` is 0 if there is no such frame. */
static inline XtfFrame xtf_stream_pop(XtfStream *stream, uint32_t region)
{
    if (G_UNLIKELY(stream->depth == 0 || stream->unstored > 0 || stream->stack[stream->depth - 1].region != region))
        return xtf_stream_pop_below_top(stream, region);
    stream->open_calls[region + 1]--;
    return stream->stack[--stream->depth];
}

/* Enters a region that is called from a row of `sites`; XTF_NONE32: not known. */
static inline bool xtf_stream_enter_from(XtfStream *stream, uint64_t time, uint32_t region, uint32_t site)
{
    uint64_t enclosing = xtf_stream_enclosing(stream);

    xtf_stream_set_time(stream, time);
    if (G_UNLIKELY(region + 1 >= stream->n_open_calls))
        xtf_stream_grow_open_calls(stream, region);
    XtfFrame frame = {.region = region,
                      .depth = xtf_stream_depth(stream) + 1,
                      .call = true,
                      .outermost = stream->open_calls[region + 1] == 0,
                      .site = site,
                      .enter = stream->n_calls + 1};
    /* A schema without sites has the same row without its end. */
    XtfSitedCallsRow row = {.region = region,
                            .enter = enclosing != 0 ? frame.enter - enclosing : 0,
                            .outermost = frame.outermost,
                            .depth = frame.depth,
                            .site = site};
    xtf_stream_push(stream, frame);
    stream->n_calls++;
    return xtf_stream_append(stream, XTF_MODEL_ENTERS_LEAVES, XTF_LABEL_ENTER, time, &row);
}

static inline bool xtf_stream_enter(XtfStream *stream, uint64_t time, uint32_t region)
{
    return xtf_stream_enter_from(stream, time, region, XTF_NONE32);
}

static inline bool xtf_stream_leave(XtfStream *stream, uint64_t time, uint32_t region)
{
    xtf_stream_set_time(stream, time);
    XtfFrame frame = xtf_stream_pop(stream, region);
    XtfSitedCallsRow row = {.region = region, .site = XTF_NONE32};

    stream->n_calls++;
    if (G_LIKELY(frame.call)) {
        row.enter = stream->n_calls - frame.enter;
        row.outermost = frame.outermost;
        row.depth = frame.depth;
        row.site = frame.site;
    }
    return xtf_stream_append(stream, XTF_MODEL_ENTERS_LEAVES, XTF_LABEL_LEAVE, time, &row);
}

/* Notes the source's number `id` of the region that the last record entered or left. */
static inline bool xtf_stream_region_id(XtfStream *stream, uint32_t region, uint32_t id)
{
    return G_LIKELY(region < stream->n_region_ids && stream->region_ids[region] == id) ||
           xtf_stream_change_region_id(stream, region, id);
}
