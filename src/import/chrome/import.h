/*
 * The state of an import of Chrome's trace events, which these files share:
 *
 * - input.c, json.c, event.c: read bytes, tokens, events.
 * - document.c: reads the file's outermost array or object, and its members beside the events.
 * - collect.c, arguments.c: turn each event into an entry of the sort, or of the sort of flows.
 * - flows.c: pairs the events of flows, and adds them to the sort as messages.
 * - define.c: adds definitions and creates the output, after the last event.
 * - write.c: appends the sorted entries to the trace; calls.c: the calls among them.
 * - import.c: runs the import, and adds the remarks that are known only at its end.
 */
#pragma once

#include "src/files/sort.h"
#include "src/import/chrome/event.h"
#include "src/import/chrome/input.h"
#include "src/import/chrome/names.h"
#include "src/import/chrome/places.h"
#include "src/import/job.h"

/* Reasons why an event is left out. */
typedef enum {
    XTF_CHROME_NO_PHASE,
    XTF_CHROME_OTHER_PHASE,
    XTF_CHROME_NO_TIME,
    XTF_CHROME_NO_VALUE,
    XTF_CHROME_NO_PARTNER,
    XTF_CHROME_NO_BEGIN,
    XTF_CHROME_NO_PLACE,
    XTF_CHROME_NO_EVENT,
    XTF_CHROME_N_REASONS,
} XtfChromeReason;

typedef enum {
    XTF_CHROME_BEGIN,
    XTF_CHROME_END,
    XTF_CHROME_SLICE, /* a call with its duration */
    XTF_CHROME_SEND,
    XTF_CHROME_RECV,
    XTF_CHROME_COUNTER,
    XTF_CHROME_MARKER,
    XTF_CHROME_ASYNC,
} XtfChromeKind;

/* An entry of the sort: an event, followed by its arguments. The entry's key has the location and the time. */
typedef struct {
    uint8_t kind;  /* XtfChromeKind */
    uint8_t label; /* MARKER: its scope; ASYNC: its label; COUNTER: type of the value, of xtf_value_types */
    uint16_t n_arguments;
    uint32_t name;   /* number of a text; COUNTER: number of the metric */
    uint32_t detail; /* ASYNC: the category; messages: the tag */
    uint32_t peer;   /* messages: index of the process */
    uint64_t value;  /* SLICE: its end; ASYNC: the id; COUNTER: the value; messages: number of bytes */
} XtfChromeStored;

typedef struct {
    uint32_t name;
    uint32_t type; /* of xtf_value_types */
    uint64_t value;
} XtfChromeStoredArgument;

/* An entry of the sort of flows. The key has the flow and the time. */
typedef struct {
    uint64_t order;    /* of the event in the file, as order_of() in collect.c gives it */
    uint32_t location; /* index */
    uint8_t phase;     /* 's', 't' or 'f' */
    bool has_tag, has_bytes, has_peer;
    XtfChromeStored stored; /* `peer` has a process number, if the file names the peer */
} XtfChromeFlow;

/* A series of a counter. */
typedef struct {
    uint32_t name; /* number of a text */
    bool real;     /* a value was no integer of 64 bits */
} XtfChromeMetric;

/* Types of xtf_value_types. */
enum {
    XTF_CHROME_UINT8 = 1,
    XTF_CHROME_UINT64 = 4,
    XTF_CHROME_INT64 = 8,
    XTF_CHROME_DOUBLE = 10,
    XTF_CHROME_STRING = 11
};

/* Classes of entries in the order at one time. They are the highest bits of the least key. */
enum {
    XTF_CHROME_CLASS_SHIFT = 62,
    XTF_CHROME_PLAIN = 0,
    XTF_CHROME_SLICES = 1,       /* longest first */
    XTF_CHROME_AFTER_SLICES = 2, /* entries that the call which begins at their time contains */
};

/* Times in the sort are shifted, so that negative ones are in order. */
#define XTF_CHROME_BIAS (UINT64_C(1) << 62)

typedef struct {
    XtfImportJob *job;
    char *identity;
    XtfChromeInput input;
    XtfJson *json;
    XtfChromeEvent event;
    XtfChromeNames names;
    XtfChromePlaces places;
    XtfSort *sort, *flows;
    GArray *metrics;          /* of XtfChromeMetric */
    GHashTable *metric_index; /* names of counter and series -> index + 1 */
    GHashTable *properties;   /* name -> value */
    GByteArray *entry;        /* the entry that is made */

    uint64_t n_events; /* events begun so far */
    uint64_t order;    /* number of events collected so far */
    int64_t first_time;
    bool has_time;
    bool in_events; /* the array of events has begun */
    uint64_t left_out[XTF_CHROME_N_REASONS];
    GHashTable *other_phases; /* text -> uint64_t, number of events with that phase */
    uint64_t n_sampled;       /* members of the file that are not events: samples, stacks */
    uint64_t rounded, cut_arguments, dropped_values, no_durations, backward_durations, bound_flows, lone_flows;
    uint64_t clipped, never_left; /* calls that end with a call around them, or not at all */

    XtfDefinitions definitions;
    uint32_t *texts, *regions; /* by number of a text: its id in the trace, and its row of `regions` */
} XtfChromeImport;

/* Reads the file. Sets *cut to a remark, which the caller frees, if the file ends early or, with --keep-going, is
 * damaged from some place on. */
bool xtf_chrome_read(XtfChromeImport *import, char **cut, GError **error);

/* Adds the event that was read to the sorts, or to definitions, or counts it as left out. */
bool xtf_chrome_collect(XtfChromeImport *import, GError **error);
/* Counts the event as left out. */
static inline bool xtf_chrome_leave_out(XtfChromeImport *import, XtfChromeReason reason)
{
    import->left_out[reason]++;
    return true;
}
/* Appends the arguments of the event to import->entry, whose first bytes are an XtfChromeStored at `at`. */
void xtf_chrome_store_arguments(XtfChromeImport *import, gsize at);
/* Returns the event's argument of a name; NULL: it has none. */
const XtfChromeValue *xtf_chrome_argument(const XtfChromeEvent *event, const char *name);
/* Reads a number as a value of a type of xtf_value_types. False if it is no number. */
bool xtf_chrome_number(const XtfChromeEvent *event, const XtfChromeValue *value, unsigned *type, uint64_t *bits);
/* Adds the data in import->entry to the sort. */
bool xtf_chrome_sort_entry(XtfChromeImport *import, uint32_t location, int64_t time, uint64_t order, GError **error);

/* Adds the messages of flows to the sort, after the last event. */
bool xtf_chrome_pair_flows(XtfChromeImport *import, GError **error);
/* Adds the definitions and creates the output. Frees the names. */
bool xtf_chrome_define(XtfChromeImport *import, GError **error);
/* Appends all entries of the sort, which the caller has ended. */
bool xtf_chrome_write(XtfChromeImport *import, GError **error);

/* Shares of the work: reading the file, then appending the sorted entries. */
#define XTF_CHROME_READ_SHARE  0.6
#define XTF_CHROME_WRITE_SHARE 0.4

/* Signals progress. `base` and `share`: the part of the work that this step is; `done`: of the step, from 0 to 1. */
static inline void xtf_chrome_beat(XtfChromeImport *import, double base, double share, double done)
{
    atomic_fetch_add(&import->job->shared->heartbeat, 1);
    atomic_store(&import->job->shared->events, import->n_events);
    atomic_store(&import->job->shared->per_million, (uint32_t)((base + share * done) * 1e6));
}
