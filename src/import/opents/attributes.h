/*
 * The attributes of an element. Reads their values, and describes their faults.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "src/import/opents/notation.h"

enum {
    XTF_ATTRIBUTES_MAX = 6, /* known attributes of an element */
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

extern const char *const xtf_opents_elements[XTF_OPENTS_N_ELEMENTS]; /* names of the elements, as in the file */

/* The known attributes of each element: indices of XtfAttributes.values. */
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
/* <message> has the four counters; <extra> (a kind of messages) has the counters and the type. */
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
    const char *values[XTF_ATTRIBUTES_MAX]; /* of known attributes; NULL: the element does not have it */
    unsigned unknown;                       /* number of unknown attributes */
    unsigned rounded;                       /* number of times with more than 9 decimals */
    char *fault;                            /* a description of the fault, or NULL; the caller frees it */
} XtfAttributes;

/* Stores the values of known attributes, as the parser passes them. False with a fault if an attribute occurs twice. */
bool xtf_attributes_store(XtfAttributes *attributes, const char **names, const char **values);

/* True if an element may have the attribute. */
bool xtf_attributes_is_known(XtfOpentsElement element, const char *name);

/* Sets the fault. Returns false. */
bool xtf_attributes_fault(XtfAttributes *attributes, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* ---- Reading values. False with a fault if a required attribute is missing, or a value is not a number, negative or
 * too large. A missing optional value is XTF_NONE64, or a double of the same bits. */

bool xtf_attributes_require(XtfAttributes *attributes, unsigned attribute);
bool xtf_attributes_count(XtfAttributes *attributes, unsigned attribute, uint64_t *n);
bool xtf_attributes_optional_count(XtfAttributes *attributes, unsigned attribute, uint64_t *n);
/* Reads seconds and converts them to nanoseconds. */
bool xtf_attributes_time(XtfAttributes *attributes, unsigned attribute, XtfDecimalAttribute kind, bool required,
                         uint64_t *ticks);
bool xtf_attributes_real(XtfAttributes *attributes, unsigned attribute, XtfDecimalAttribute kind, double *value);
