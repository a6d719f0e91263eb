/*
 * The rows of a location that its waits follow from, one by one, with the calls that they happened in.
 */
#pragma once

#include "libxtf/array.h"
#include "src/analysis/kinds/kinds.h"

typedef enum {
    XTF_KIND_ROW_ENTER, /* of regions that matter by themselves */
    XTF_KIND_ROW_LEAVE, /* of these, and of all calls in which something happened */
    XTF_KIND_ROW_FORK,
    XTF_KIND_ROW_JOIN,
    XTF_KIND_ROW_TEAM_BEGIN,
    XTF_KIND_ROW_TEAM_END,
    XTF_KIND_ROW_THREAD_CREATE, /* threads that are created and joined one by one */
    XTF_KIND_ROW_THREAD_BEGIN,
    XTF_KIND_ROW_THREAD_END,
    XTF_KIND_ROW_THREAD_WAIT,
    XTF_KIND_ROW_ACQUIRE, /* locks of threads */
    XTF_KIND_ROW_RELEASE,
    XTF_KIND_ROW_FILE_ACQUIRE,
    XTF_KIND_ROW_FILE_RELEASE,
    XTF_KIND_ROW_OPERATION, /* RMA_PUT, RMA_GET, RMA_ATOMIC */
    XTF_KIND_ROW_WINDOW_BEGIN,
    XTF_KIND_ROW_WINDOW_END,
    XTF_KIND_ROW_GROUP_SYNC,
    XTF_KIND_ROW_WINDOW_REQUEST,
    XTF_KIND_ROW_WINDOW_ACQUIRE,
    XTF_KIND_ROW_WINDOW_RELEASE,
    XTF_KIND_ROW_OTHER,
} XtfKindRowWhat;

/* Regions that matter by themselves. */
typedef enum {
    XTF_KIND_REGION_OTHER,
    XTF_KIND_REGION_PARALLEL,
    XTF_KIND_REGION_BARRIER, /* of OpenMP, explicit or implicit */
    XTF_KIND_REGION_RMA,     /* of MPI, and below by their function */
    XTF_KIND_REGION_FENCE,
    XTF_KIND_REGION_POST,
    XTF_KIND_REGION_START,
    XTF_KIND_REGION_COMPLETE,
    XTF_KIND_REGION_WAIT,
    XTF_KIND_REGION_TEST,
} XtfKindRegion;

typedef struct XtfKinds XtfKinds;
typedef struct XtfKindCall XtfKindCall;

typedef struct {
    void (*done)(XtfKinds *kinds, XtfKindCall *call, void *data);
    void *data;
    GDestroyNotify free; /* of `data`, also if nothing is done with it; may be NULL */
} XtfKindThen;

/* A call in which something happened. It lives as long as somebody waits for its end. */
struct XtfKindCall {
    uint32_t refs;
    uint32_t location; /* number */
    uint32_t region;
    XtfKindRegion special;
    uint64_t enter, leave, seq, row; /* seq and row of the LEAVE */
    bool left;                       /* else leave, seq, row mean nothing yet */
    GArray *waits;                   /* XtfKindWait, until it is left; NULL: none */
    GArray *then;                    /* XtfKindThen: to be done when it is left; NULL: nothing */
};

typedef struct {
    uint64_t time, seq, row;
    uint64_t lock, sent, received, sequence;
    uint32_t region; /* that is entered, left, or around */
    uint32_t comm;   /* team */
    uint32_t window, peer, group, root, operation;
    uint32_t order, model, type, handle;
    uint8_t what, special; /* XtfKindRowWhat; XtfKindRegion of ENTER and LEAVE */
    XtfKindCall *call;     /* that is left; NULL: nothing happened in it */
} XtfKindRow;

typedef struct XtfKindSource XtfKindSource;
typedef struct XtfKindFrame XtfKindFrame;

/* The rows of one location. */
typedef struct {
    XtfKindSource *sources;
    uint32_t n_sources, batch_size;
    XtfKindFrame *frames;
    uint64_t depth;
    uint64_t room;
    const uint8_t *regions; /* XtfKindRegion, by row of the table */
    uint64_t n_regions;
    uint32_t number;
    uint64_t first, last; /* times of the location's records */
    uint64_t last_seq;    /* of those that were taken by now */
    bool any_team;        /* it begins a team somewhere */
    bool any_thread;      /* it creates or joins a thread somewhere */
    XtfKindRow row;       /* the current one */
} XtfKindRows;

/* The labels and fields of the trace's schemas. */
typedef struct XtfKindFields XtfKindFields;
XtfKindFields *xtf_kind_fields_new(XtfTrace *trace);
void xtf_kind_fields_free(XtfKindFields *fields);
/* From here on, beginnings and ends of threads are rows that waits follow from, as some are created or joined. */
void xtf_kind_fields_take_threads(XtfKindFields *fields);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfKindFields, xtf_kind_fields_free)

/* The regions that matter, by row of `regions`. Owned by the caller. */
bool xtf_kind_regions(XtfTraceContext *context, uint8_t **regions, uint64_t *n, GError **error);

/* *any is false, and nothing is held, if the location has no rows that waits of these kinds follow from. */
bool xtf_kind_rows_init(XtfKindRows *rows, const XtfKindFields *fields, XtfTrace *trace, const XtfLocation *location,
                        uint32_t number, bool *any, GError **error);
void xtf_kind_rows_finish(XtfKindRows *rows);
/* Goes to the next row; *found is false at the end, where the calls that are still open are left, one by one. */
bool xtf_kind_rows_next(XtfKindRows *rows, const XtfKindFields *fields, bool *found, GError **error);

/* The innermost call that is open at the current row, or NULL; a new one if nothing happened in it before. Borrowed. */
XtfKindCall *xtf_kind_rows_call(XtfKindRows *rows);

XtfKindCall *xtf_kind_call_ref(XtfKindCall *call); /* NULL is fine */
void xtf_kind_call_unref(XtfKindCall *call);       /* NULL is fine */
