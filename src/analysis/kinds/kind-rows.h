/*
 * Reads the rows of a location that may cause waits, one by one, with the calls around them.
 */
#pragma once

#include "libxtf/array.h"
#include "src/analysis/kinds/kinds.h"

typedef enum {
    XTF_KIND_ROW_ENTER, /* of regions with an XtfKindRegion */
    XTF_KIND_ROW_LEAVE, /* of regions with an XtfKindRegion, and of all calls in which other rows happened */
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
} XtfKindRowEvent;

/* The kinds of regions that have rows of their own. */
typedef enum {
    XTF_KIND_REGION_OTHER,
    XTF_KIND_REGION_PARALLEL,
    XTF_KIND_REGION_BARRIER, /* of OpenMP, explicit or implicit */
    XTF_KIND_REGION_RMA,     /* one-sided communication of MPI, or upc_lock; functions with rules of their own follow */
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
    GDestroyNotify free; /* frees `data`, even if `done` was not called; may be NULL */
} XtfKindThen;

/* A call in which a row happened. References keep it while a wait needs its end. */
struct XtfKindCall {
    uint32_t refs;
    uint32_t location; /* index in the `locations` of XtfKinds */
    uint32_t region;
    XtfKindRegion special;
    uint64_t enter, leave, seq, row; /* seq and row of the LEAVE */
    bool left;                       /* true if leave, seq and row are set */
    GArray *waits;                   /* XtfKindWait, until the call is left; NULL: none */
    GArray *then;                    /* XtfKindThen, until the call is left; NULL: none */
};

typedef struct {
    uint64_t time, seq, row;
    uint64_t lock, sent, received, sequence;
    uint32_t region; /* the region that is entered or left, or the one around the row */
    uint32_t comm;   /* id of the communicator, or of OpenMP's team */
    uint32_t window, peer, group, root, operation;
    uint32_t order, model, type, handle, sync_level;
    uint8_t row_event, special; /* XtfKindRowEvent; XtfKindRegion of ENTER and LEAVE */
    XtfKindCall *call;          /* the call that is left; NULL: no row happened in it */
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
    XtfRunWindow window;  /* only rows in it; set before xtf_kind_rows_init() */
    uint64_t first, last; /* times of the location's records in the window */
    uint64_t last_seq;    /* seq of the last row read */
    bool any_team;        /* true if the location begins a team */
    bool any_thread;      /* true if the location creates or joins a thread */
    XtfKindRow row;       /* the current one */
} XtfKindRows;

/* The labels and fields of the trace's schemas. */
typedef struct XtfKindFields XtfKindFields;
XtfKindFields *xtf_kind_fields_new(XtfTrace *trace);
void xtf_kind_fields_free(XtfKindFields *fields);
/* Makes beginnings and ends of threads rows that cause waits, since the trace creates or joins threads. */
void xtf_kind_fields_take_threads(XtfKindFields *fields);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfKindFields, xtf_kind_fields_free)

/* Finds the XtfKindRegion of each row of `regions`. The caller owns *regions. */
bool xtf_kind_regions(XtfTraceContext *context, uint8_t **regions, uint64_t *n, GError **error);

/* Opens the rows of a location. *any: false if the location has no rows that cause waits; then `rows` is empty. */
bool xtf_kind_rows_init(XtfKindRows *rows, const XtfKindFields *fields, XtfTrace *trace, const XtfLocation *location,
                        uint32_t number, bool *any, GError **error);
void xtf_kind_rows_finish(XtfKindRows *rows);
/* Reads the next row; *found: false at the end. After the last record, leaves all open calls, one by one. */
bool xtf_kind_rows_next(XtfKindRows *rows, const XtfKindFields *fields, bool *found, GError **error);

/* Returns the innermost open call at the current row, or NULL. Creates it for the first row in the call. Borrowed. */
XtfKindCall *xtf_kind_rows_call(XtfKindRows *rows);

XtfKindCall *xtf_kind_call_ref(XtfKindCall *call); /* NULL is fine */
void xtf_kind_call_unref(XtfKindCall *call);       /* NULL is fine */
