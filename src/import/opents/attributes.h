/*
 * The attributes of an element, and what is wrong with them.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "src/import/opents/notation.h"

enum {
    XTF_ATTRIBUTES_MAX = 6, /* known ones of an element */
};

typedef enum {
    XTF_OPENTS_TRACE,
    XTF_OPENTS_SLICE,
    XTF_OPENTS_RANK,
    XTF_OPENTS_RESOURCE,
    XTF_OPENTS_TASK,
    XTF_OPENTS_DETAIL,
    XTF_OPENTS_MESSAGE,
    XTF_OPENTS_EXTRA,
    XTF_OPENTS_N_ELEMENTS,
} XtfOpentsElement;

extern const char *const xtf_opents_elements[XTF_OPENTS_N_ELEMENTS]; /* their names */

/* The attributes of each element, by which they are asked for. */
typedef enum { XTF_TRACE_RANKS, XTF_TRACE_CMD, XTF_TRACE_TIME } XtfTraceAttribute;
typedef enum { XTF_SLICE_NUM, XTF_SLICE_TIME } XtfSliceAttribute;
typedef enum { XTF_RANK_NUM } XtfRankAttribute;
typedef enum {
    XTF_RESOURCE_MBYTES,
    XTF_RESOURCE_MFLOPS,
    XTF_RESOURCE_TASKS,
    XTF_RESOURCE_IDLE,
    XTF_RESOURCE_SCHED,
    XTF_RESOURCE_MPI,
} XtfResourceAttribute;
typedef enum { XTF_TASK_TYPE, XTF_TASK_COUNT } XtfTaskAttribute;
typedef enum { XTF_DETAIL_COUNT, XTF_DETAIL_TO, XTF_DETAIL_FROM } XtfDetailAttribute;
/* Of messages the four counters; of kinds of them the same, and then the type. */
typedef enum {
    XTF_MESSAGE_SBYTES,
    XTF_MESSAGE_SCOUNT,
    XTF_MESSAGE_RBYTES,
    XTF_MESSAGE_RCOUNT,
    XTF_EXTRA_TYPE,
} XtfMessageAttribute;

typedef struct {
    XtfOpentsElement element;
    XtfNotation *notation;                  /* notes how decimal numbers are written */
    const char *values[XTF_ATTRIBUTES_MAX]; /* of the known ones; NULL: the element does not have it */
    unsigned unknown;                       /* how many there are */
    unsigned rounded;                       /* times with more than 9 decimals */
    char *fault;                            /* what is wrong; the caller frees it */
} XtfAttributes;

/* The attributes as the parser gives them. False: one is there twice. */
bool xtf_attributes_take(XtfAttributes *attributes, const char **names, const char **values);

bool xtf_attributes_is_known(XtfOpentsElement element, const char *name);

/* Sets the fault. Returns false. */
bool xtf_attributes_fault(XtfAttributes *attributes, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The following are false with a fault: it is not there, though it must be; it is no number; it is negative; it is too
 * large. What is optional and not there is XTF_NONE64, or a double of the same bits. */
bool xtf_attributes_needed(XtfAttributes *attributes, unsigned attribute);
bool xtf_attributes_count(XtfAttributes *attributes, unsigned attribute, uint64_t *n);
bool xtf_attributes_optional_count(XtfAttributes *attributes, unsigned attribute, uint64_t *n);
/* Seconds as nanoseconds. */
bool xtf_attributes_time(XtfAttributes *attributes, unsigned attribute, XtfDecimalAttribute kind, bool needed,
                         uint64_t *ticks);
bool xtf_attributes_real(XtfAttributes *attributes, unsigned attribute, XtfDecimalAttribute kind, double *value);
