/*
 * Coding of rows as records of a log. All of it is inline, as each row of a trace is written and read once.
 */
#pragma once

#include "src/analysis/replay/row-code.h"

/* Parts of a record; a record contains a part only if the bit is set. */
enum {
    XTF_ROW_HAS_LOCATION = 1 << 0, /* not that of the row before */
    XTF_ROW_HAS_ROW = 1 << 1,      /* not the row directly after the previous one of its kind */
    XTF_ROW_HAS_BYTES = 1 << 2,
    XTF_ROW_HAS_MESSAGE = 1 << 3, /* not UINT64_MAX */
    XTF_ROW_HAS_CALL = 1 << 4,    /* not that of the row before... */
    XTF_ROW_NO_CALL =
        1 << 5, /* ...or none; both bits: a different call, on the call path of the latest row of its kind */
    XTF_ROW_HAS_LEAVE = 1 << 6,   /* the call's leave is not UINT64_MAX */
    XTF_ROW_HAS_OUTSIDE = 1 << 7, /* time outside of MPI has passed since the row before */
};

static inline bool xtf_row_same_call(const XtfReplayCall *a, const XtfReplayCall *b)
{
    return a->row == b->row && a->enter == b->enter && a->leave == b->leave && a->region == b->region &&
           a->callpath == b->callpath && a->kind == b->kind;
}

/* Returns the counter of rows of a kind: kinds from the same array share one. */
static inline uint64_t *xtf_row_before(XtfRowState *state, uint8_t kind)
{
    return &state->rows[kind == XTF_ROW_END || kind == XTF_ROW_UNCERTAIN ? XTF_ROW_BEGIN : kind];
}

/* Returns the message from which a row stores the difference. */
static inline uint64_t *xtf_row_message_before(XtfRowState *state, uint8_t kind)
{
    return kind == XTF_ROW_POSTING ? &state->recv : &state->request;
}

/* Returns the flags that describe a row's call. */
static inline uint8_t xtf_row_call_flags(const XtfRowState *state, const XtfReplayRow *row, const XtfReplayCall *call)
{
    const XtfRowPath *path = &state->paths[row->kind];
    bool known = call->region == path->region && call->callpath == path->callpath && call->kind == path->kind;

    if (call->row == UINT64_MAX)
        return XTF_ROW_NO_CALL;
    if (xtf_row_same_call(call, &state->call))
        return 0;
    return XTF_ROW_HAS_CALL | (known ? XTF_ROW_NO_CALL : 0) | (call->leave != UINT64_MAX ? XTF_ROW_HAS_LEAVE : 0);
}

static inline uint8_t xtf_row_flags(const XtfRowState *state, const XtfReplayRow *row, const XtfReplayCall *call,
                                    uint64_t row_before)
{
    uint8_t flags = (row->location != state->location ? XTF_ROW_HAS_LOCATION : 0) |
                    (row->row != row_before + 1 ? XTF_ROW_HAS_ROW : 0) | (row->bytes != 0 ? XTF_ROW_HAS_BYTES : 0) |
                    (row->message != UINT64_MAX ? XTF_ROW_HAS_MESSAGE : 0);

    if (!call)
        return flags;
    flags |= xtf_row_call_flags(state, row, call);
    return flags | (call->outside != state->call.outside ? XTF_ROW_HAS_OUTSIDE : 0);
}

/* Writes a call. Its ENTER is not after the row or the LEAVE, so these differences need no sign. In a damaged trace
 * they may be negative, and take 10 bytes. */
static inline uint8_t *xtf_row_put_call(XtfRowState *state, const XtfReplayRow *row, const XtfReplayCall *call,
                                        bool path_known, uint8_t *to)
{
    to = xtf_log_put_near(to, call->row - state->call.row);
    to = xtf_log_put(to, row->time - call->enter);
    if (call->leave != UINT64_MAX)
        to = xtf_log_put(to, call->leave - call->enter);
    if (path_known)
        return to;
    to = xtf_log_put(to, call->region);
    to = xtf_log_put(to, (uint32_t)(call->callpath + 1));
    *to++ = call->kind;
    state->paths[row->kind] = (XtfRowPath){call->region, call->callpath, call->kind};
    return to;
}

/* Writes a row with its call, which may be NULL; returns the end of the record. */
static inline uint8_t *xtf_row_encode(XtfRowState *state, const XtfReplayRow *row, const XtfReplayCall *call,
                                      uint8_t *to)
{
    uint64_t *before = xtf_row_before(state, row->kind), *message = xtf_row_message_before(state, row->kind);
    uint8_t flags = xtf_row_flags(state, row, call, *before);

    to = xtf_log_put(to, row->envelope);
    *to++ = flags;
    to = xtf_log_put(to, row->time - state->time); /* in a damaged trace it may be negative, and takes 10 bytes */
    to = xtf_log_put_near(to, row->seq - state->seq);
    if (flags & XTF_ROW_HAS_LOCATION)
        to = xtf_log_put(to, row->location);
    if (flags & XTF_ROW_HAS_ROW)
        to = xtf_log_put_near(to, row->row - *before);
    if (flags & XTF_ROW_HAS_BYTES)
        to = xtf_log_put(to, row->bytes);
    if (flags & XTF_ROW_HAS_MESSAGE) {
        to = xtf_log_put_near(to, row->message - *message);
        *message = row->message;
    }
    if (flags & XTF_ROW_HAS_CALL)
        to = xtf_row_put_call(state, row, call, flags & XTF_ROW_NO_CALL, to);
    if (flags & XTF_ROW_HAS_OUTSIDE)
        to = xtf_log_put_near(to, call->outside - state->call.outside);
    state->time = row->time;
    state->seq = row->seq;
    state->location = row->location;
    *before = row->row;
    if (call)
        state->call = *call;
    return to;
}

static inline void xtf_row_get_call(XtfRowState *state, XtfRowPath *path, uint8_t flags, const uint8_t **from)
{
    XtfReplayCall *call = &state->call;

    call->row += xtf_log_get_near(from);
    call->enter = state->time - xtf_log_get(from);
    call->leave = flags & XTF_ROW_HAS_LEAVE ? call->enter + xtf_log_get(from) : UINT64_MAX;
    if (!(flags & XTF_ROW_NO_CALL)) {
        path->region = (uint32_t)xtf_log_get(from);
        path->callpath = (uint32_t)xtf_log_get(from) - 1;
        path->kind = *(*from)++;
    }
    call->region = path->region;
    call->callpath = path->callpath;
    call->kind = path->kind;
}

/* Reads a record of xtf_row_encode(). Its first number is row->envelope, an index into `envelopes`. The call is in
 * state->call, if `calls`. */
static inline void xtf_row_decode(XtfRowState *state, const XtfEnvelope *envelopes, const uint8_t *from, bool calls,
                                  XtfReplayRow *row)
{
    uint32_t number = (uint32_t)xtf_log_get(&from);
    const XtfEnvelope *envelope = &envelopes[number];
    uint64_t *before = xtf_row_before(state, envelope->kind), *message = xtf_row_message_before(state, envelope->kind);
    uint8_t flags = *from++;

    state->time += xtf_log_get(&from);
    state->seq += xtf_log_get_near(&from);
    if (flags & XTF_ROW_HAS_LOCATION)
        state->location = (uint32_t)xtf_log_get(&from);
    *before += flags & XTF_ROW_HAS_ROW ? xtf_log_get_near(&from) : 1;
    uint64_t bytes = flags & XTF_ROW_HAS_BYTES ? xtf_log_get(&from) : 0;
    if (flags & XTF_ROW_HAS_MESSAGE)
        *message += xtf_log_get_near(&from);
    if (flags & XTF_ROW_HAS_CALL)
        xtf_row_get_call(state, &state->paths[envelope->kind], flags, &from);
    else if (calls && flags & XTF_ROW_NO_CALL)
        state->call = (XtfReplayCall){.row = UINT64_MAX,
                                      .enter = state->time,
                                      .leave = state->time,
                                      .outside = state->call.outside,
                                      .region = UINT32_MAX,
                                      .callpath = UINT32_MAX};
    if (flags & XTF_ROW_HAS_OUTSIDE)
        state->call.outside += xtf_log_get_near(&from);
    *row = (XtfReplayRow){
        .time = state->time,
        .row = *before,
        .seq = state->seq,
        .bytes = bytes,
        .message = flags & XTF_ROW_HAS_MESSAGE ? *message : UINT64_MAX,
        .envelope = number,
        .group = envelope->group,
        .comm = envelope->comm,
        .peer = envelope->peer,
        .tag = envelope->tag,
        .location = state->location,
        .kind = envelope->kind,
        .pattern = envelope->pattern,
        .sends = envelope->sends,
        .receives = envelope->receives,
    };
}
