/*
 * The events of one location on their way into arrays: numbering, time order, the call stack.
 *
 * A record is built as a row of src/model on the caller's stack; xtf_stream_append() fills in its head. One stream
 * belongs to one thread; streams of different locations may share a writer and definitions.
 *
 * The source's mistakes are repaired as follows, and counted:
 * - A record dated before its predecessor gets its predecessor's time; `backward_times` keeps the source's.
 * - A LEAVE whose region is not on top of the stack closes the innermost frame of that region, if it is among the
 * XTF_STREAM_SEARCH innermost frames; the frames above it are never left. Else the LEAVE has no ENTER and changes
 * nothing.
 * - Frames beyond XTF_STREAM_DEPTH are counted, not stored: records inside them name the deepest stored region, their
 * LEAVEs have no ENTER, and their ENTERs stand right in the deepest stored frame.
 *
 * A row of `enters_leaves` says whether its frame is the outermost of its region, and how deep it stands. For both,
 * only frames opened by an ENTER count, not calling contexts; a frame counts until it, or one below it, is left.
 *
 * The container keeps the call stack a second time (XtfOpenFrame), by design: it trusts no importer.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/writer.h"
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
    uint32_t depth : 30;    /* frames by ENTER, including this one */
    uint32_t call : 1;      /* by ENTER; else by a calling context */
    uint32_t outermost : 1; /* no other frame by ENTER of this region is below */
    uint64_t enter;         /* row of `enters_leaves` of the innermost ENTER, this frame's included, plus 1; 0: none */
} XtfFrame;

typedef struct {
    XtfWriter *writer;
    XtfDefinitions *definitions;
    const uint32_t *schemas; /* the trace's schema ids by model tag; NULL: the writer adds those that it lacks */
    uint64_t location;
    uint64_t seq;         /* of the next record */
    uint64_t last;        /* time of the last record */
    uint32_t before_last; /* the region on top of the stack before all records of that time */
    uint64_t n_calls;
    XtfFrame *stack;
    uint32_t depth, room;
    uint64_t beyond; /* frames above the stack, which are not stored */
    uint32_t *open;  /* by region plus 1 (XTF_NONE32 is first): its frames by ENTER on the stack */
    uint32_t n_open;
    uint32_t *region_ids; /* by region: the source's number of it that is meant from here on */
    uint32_t n_region_ids;
    XtfArrayWriter *arrays[XTF_N_ARRAY_TYPES];
    uint64_t counts[XTF_N_RECORD_TYPES][XTF_EVENTS_MAX]; /* of records, by label */
    XtfMishap backward, without_enter, out_of_order;
    XtfRequests requests; /* postings and sends of the location that are not written yet: messages.h */
    XtfTags tags;         /* of the messages of all locations */
    XtfGrowth growth;     /* of the location's metrics */
    uint64_t never_left;  /* known after xtf_stream_end() */
    uint64_t deepest_beyond;
    GError *error; /* why an append failed */
} XtfStream;

void xtf_stream_init(XtfStream *stream, XtfWriter *writer, XtfDefinitions *definitions, const uint32_t *schemas);
void xtf_stream_finish(XtfStream *stream);
/* Between locations. The counts go on. */
void xtf_stream_begin(XtfStream *stream, uint64_t location);
bool xtf_stream_end(XtfStream *stream, GError **error);

/* Writes what can be written of the postings of messages; at the `end` of the location all. */
bool xtf_stream_write_postings(XtfStream *stream, bool end);

/* The slow paths of the functions below. */
XtfArrayWriter *xtf_stream_open_array(XtfStream *stream, unsigned type);
uint64_t xtf_stream_hold_time(XtfStream *stream, uint64_t time);
void xtf_stream_grow_stack(XtfStream *stream);
void xtf_stream_grow_open(XtfStream *stream, uint32_t region);
XtfFrame xtf_stream_leave_elsewhere(XtfStream *stream, uint32_t region);
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

/* Goes on to the time of the next record, before that record changes the stack. */
static inline void xtf_stream_set_time(XtfStream *stream, uint64_t time)
{
    if (G_LIKELY(time > stream->last)) {
        stream->before_last = xtf_stream_region(stream);
        stream->last = time;
    }
}

/* Appends a record: `row` begins with a head, whose region is set already. `event` is a label of the type's. */
static inline bool xtf_stream_append(XtfStream *stream, unsigned type, unsigned event, uint64_t time, void *row)
{
    XtfRecordHead *head = row;

    if (G_UNLIKELY(time < stream->last))
        time = xtf_stream_hold_time(stream, time);
    xtf_stream_set_time(stream, time);
    head->time = time;
    head->seq = stream->seq++;
    head->event = event;
    stream->counts[type][event]++;
    return xtf_stream_append_row(stream, type, row);
}

/* The number of open frames by ENTER. */
static inline uint32_t xtf_stream_depth(const XtfStream *stream)
{
    return stream->depth > 0 ? stream->stack[stream->depth - 1].depth : 0;
}

/* The row of `enters_leaves` of the innermost open ENTER, plus 1; 0: none. */
static inline uint64_t xtf_stream_enclosing(const XtfStream *stream)
{
    return stream->depth > 0 ? stream->stack[stream->depth - 1].enter : 0;
}

static inline void xtf_stream_push(XtfStream *stream, XtfFrame frame)
{
    if (G_UNLIKELY(stream->depth == stream->room))
        xtf_stream_grow_stack(stream);
    if (G_UNLIKELY(stream->depth == stream->room)) {
        stream->beyond++;
        stream->deepest_beyond = MAX(stream->deepest_beyond, stream->beyond);
        return;
    }
    stream->stack[stream->depth++] = frame;
    if (frame.call)
        stream->open[frame.region + 1]++;
}

/* A frame of a calling context. */
static inline void xtf_stream_push_context(XtfStream *stream, uint32_t region)
{
    xtf_stream_push(
        stream, (XtfFrame){.region = region, .depth = xtf_stream_depth(stream), .enter = xtf_stream_enclosing(stream)});
}

/* Takes the frame of `region` off the stack and returns it; its `call` is 0 if no ENTER opened such a frame. */
static inline XtfFrame xtf_stream_pop(XtfStream *stream, uint32_t region)
{
    if (G_UNLIKELY(stream->depth == 0 || stream->beyond > 0 || stream->stack[stream->depth - 1].region != region))
        return xtf_stream_leave_elsewhere(stream, region);
    XtfFrame top = stream->stack[--stream->depth];
    if (top.call)
        stream->open[region + 1]--;
    return top;
}

static inline bool xtf_stream_enter(XtfStream *stream, uint64_t time, uint32_t region)
{
    uint64_t enclosing = xtf_stream_enclosing(stream);

    xtf_stream_set_time(stream, time);
    if (G_UNLIKELY(region + 1 >= stream->n_open))
        xtf_stream_grow_open(stream, region);
    XtfFrame frame = {.region = region,
                      .depth = xtf_stream_depth(stream) + 1,
                      .call = true,
                      .outermost = stream->open[region + 1] == 0,
                      .enter = stream->n_calls + 1};
    XtfEntersLeavesRow row = {.region = region,
                              .enter = enclosing != 0 ? frame.enter - enclosing : 0,
                              .outermost = frame.outermost,
                              .depth = frame.depth};
    xtf_stream_push(stream, frame);
    stream->n_calls++;
    return xtf_stream_append(stream, XTF_MODEL_ENTERS_LEAVES, XTF_LABEL_ENTER, time, &row);
}

static inline bool xtf_stream_leave(XtfStream *stream, uint64_t time, uint32_t region)
{
    xtf_stream_set_time(stream, time);
    XtfFrame frame = xtf_stream_pop(stream, region);
    XtfEntersLeavesRow row = {.region = region};

    stream->n_calls++;
    if (G_LIKELY(frame.call)) {
        row.enter = stream->n_calls - frame.enter;
        row.outermost = frame.outermost;
        row.depth = frame.depth;
    }
    return xtf_stream_append(stream, XTF_MODEL_ENTERS_LEAVES, XTF_LABEL_LEAVE, time, &row);
}

/* The last record entered or left a region, which has this number in the source. */
static inline bool xtf_stream_region_id(XtfStream *stream, uint32_t region, uint32_t id)
{
    return G_LIKELY(region < stream->n_region_ids && stream->region_ids[region] == id) ||
           xtf_stream_change_region_id(stream, region, id);
}
