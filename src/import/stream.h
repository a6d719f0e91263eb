/*
 * The events of one location on their way into arrays: numbering, time order, the call stack.
 *
 * A record is built as a row of src/model on the caller's stack; xtf_stream_append() fills in its head. One stream
 * belongs to one thread; streams of different locations may share a writer and definitions.
 *
 * The source's mistakes are repaired as follows, and counted:
 * - A record dated before its predecessor gets its predecessor's time; `backward_times` keeps the source's.
 * - A LEAVE whose region is not on top of the stack closes the innermost frame of that region, and all above it are
 * never left. It is looked for among the XTF_STREAM_SEARCH innermost frames. Without such a frame it has no ENTER and
 * changes nothing.
 * - Frames beyond XTF_STREAM_DEPTH are counted, not stored: records there name the deepest stored region, and LEAVEs
 * have no ENTER.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/writer.h"
#include "src/import/definitions.h"
#include "src/model/schemas.h"

enum {
    XTF_STREAM_SEARCH = 256,
    XTF_STREAM_DEPTH = 1 << 20,
};

/* Events of all types, numbered type by type; XTF_FIRST_SENDS is the first of `sends`. */
enum {
#define XTF_EVENT_TAG(name) XTF_ID_##name,
#define XTF_EVENTS_OF(TAG, array, Type) \
    XTF_FIRST_##TAG, XTF_BEFORE_##TAG = XTF_FIRST_##TAG - 1, XTF_##TAG##_EVENTS(XTF_EVENT_TAG)
    XTF_RECORD_TYPES(XTF_EVENTS_OF) XTF_N_EVENTS,
#undef XTF_EVENT_TAG
#undef XTF_EVENTS_OF
};

/* Something that goes wrong again and again. */
typedef struct {
    uint64_t count;
    uint64_t first_seq;
} XtfMishap;

typedef struct {
    uint32_t region;
    bool call;      /* by ENTER; else by a calling context */
    uint64_t enter; /* row of `calls` of the innermost ENTER up to here, plus 1; 0: none */
} XtfFrame;

typedef struct {
    XtfWriter *writer;
    XtfDefinitions *definitions;
    const uint32_t *schemas; /* the trace's schema ids by model tag */
    uint64_t location;
    uint64_t seq;  /* of the next record */
    uint64_t last; /* time of the last record */
    uint64_t n_calls;
    XtfFrame *stack;
    uint32_t depth, room;
    uint64_t beyond; /* frames on top of the stack that are not stored */
    XtfArrayWriter *arrays[XTF_N_ARRAY_TYPES];
    uint64_t counts[XTF_N_EVENTS];
    XtfMishap backward, without_enter, out_of_order;
    uint64_t never_left; /* known after xtf_stream_end() */
    uint64_t deepest_beyond;
    GError *error; /* what made an append fail */
} XtfStream;

void xtf_stream_init(XtfStream *stream, XtfWriter *writer, XtfDefinitions *definitions, const uint32_t *schemas);
void xtf_stream_finish(XtfStream *stream);
/* Between locations. The counts go on. */
void xtf_stream_begin(XtfStream *stream, uint64_t location);
bool xtf_stream_end(XtfStream *stream, GError **error);

/* The slow paths of what follows. */
XtfArrayWriter *xtf_stream_open_array(XtfStream *stream, unsigned type);
uint64_t xtf_stream_go_back(XtfStream *stream, uint64_t time);
void xtf_stream_more_stack(XtfStream *stream);
uint64_t xtf_stream_leave_elsewhere(XtfStream *stream, uint32_t region);

static inline bool xtf_stream_append_row(XtfStream *stream, unsigned type, const void *row)
{
    XtfArrayWriter *array = stream->arrays[type];

    if (G_UNLIKELY(array == NULL) && (array = xtf_stream_open_array(stream, type)) == NULL)
        return false;
    return G_LIKELY(stream->error == NULL) && xtf_array_append(array, row, &stream->error);
}

/* Appends a record: `row` begins with a head, whose region is set already. */
static inline bool xtf_stream_append(XtfStream *stream, unsigned type, unsigned first_event, unsigned event,
                                     uint64_t time, void *row)
{
    XtfRecordHead *head = row;

    if (G_UNLIKELY(time < stream->last))
        time = xtf_stream_go_back(stream, time);
    stream->last = time;
    head->time = time;
    head->seq = stream->seq++;
    head->event = event - first_event;
    stream->counts[event]++;
    return xtf_stream_append_row(stream, type, row);
}

static inline uint32_t xtf_stream_region(const XtfStream *stream)
{
    return stream->depth > 0 ? stream->stack[stream->depth - 1].region : XTF_NONE32;
}

static inline uint64_t xtf_stream_enclosing(const XtfStream *stream)
{
    return stream->depth > 0 ? stream->stack[stream->depth - 1].enter : 0;
}

/* Puts a frame on the stack. `enter`: the row that its ENTER is about to become, plus 1. */
static inline void xtf_stream_push(XtfStream *stream, uint32_t region, bool call, uint64_t enter)
{
    if (G_UNLIKELY(stream->depth == stream->room))
        xtf_stream_more_stack(stream);
    if (G_UNLIKELY(stream->depth == stream->room)) {
        stream->beyond++;
        stream->deepest_beyond = MAX(stream->deepest_beyond, stream->beyond);
        return;
    }
    stream->stack[stream->depth++] = (XtfFrame){.region = region, .call = call, .enter = enter};
}

/* Takes the frame of `region` off the stack. Returns its ENTER's row plus 1; 0: it has none. */
static inline uint64_t xtf_stream_pop(XtfStream *stream, uint32_t region)
{
    if (G_UNLIKELY(stream->depth == 0 || stream->beyond > 0 || stream->stack[stream->depth - 1].region != region))
        return xtf_stream_leave_elsewhere(stream, region);
    const XtfFrame *top = &stream->stack[--stream->depth];
    return top->call ? top->enter : 0;
}

static inline bool xtf_stream_enter(XtfStream *stream, uint64_t time, uint32_t region)
{
    uint64_t enclosing = xtf_stream_enclosing(stream);
    XtfCallsRow row = {.region = region, .enter = enclosing != 0 ? stream->n_calls + 1 - enclosing : 0};

    xtf_stream_push(stream, region, true, ++stream->n_calls);
    return xtf_stream_append(stream, XTF_MODEL_CALLS, XTF_FIRST_CALLS, XTF_ID_ENTER, time, &row);
}

static inline bool xtf_stream_leave(XtfStream *stream, uint64_t time, uint32_t region)
{
    uint64_t enter = xtf_stream_pop(stream, region);
    XtfCallsRow row = {.region = region, .enter = enter != 0 ? stream->n_calls + 1 - enter : 0};

    stream->n_calls++;
    return xtf_stream_append(stream, XTF_MODEL_CALLS, XTF_FIRST_CALLS, XTF_ID_LEAVE, time, &row);
}

/* The name of an event, and the record type that it belongs to. */
const char *xtf_stream_event_name(unsigned event, const char **type);
