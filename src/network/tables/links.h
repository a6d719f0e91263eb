/*
 * Reads rows of `links`: measurements between processes. The values of one statistic at one length are a matrix of a
 * selection's senders and receivers.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/trace/select/selection.h"

typedef struct {
    const XtfSchema *schema;
    const XtfField *peer, *event, *value;
} XtfLinkType;

/* Finds the schema of links and its fields. Returns false if the trace is not a measured network. */
bool xtf_link_type_find(XtfLinkType *type, const XtfTraceContext *context);
/* Returns the event of the statistic with a name in lower case, such as "median"; -1 if there is none. */
int xtf_link_statistic(const XtfLinkType *type, const char *name);

/* Returns the links of one statistic in a selection, or all its links if `statistic` is -1. The caller releases the
 * result. */
XtfSelection *xtf_links_select(const XtfSelection *selection, const XtfLinkType *type, int statistic);

/* Names of statistics, NULL-terminated. A table of one statistic shows the first that was measured. */
extern const char *const xtf_links_preferred[];
#define XTF_LINK_REPEAT "repeat" /* has several values for each pair and length */

/* Finds the statistic to show: the one to which the selection is narrowed, or the first preferred one that its senders
 * have at its lengths. It is -1 if there is none. Returns false with an error. */
bool xtf_links_statistic(XtfResolver *resolver, const XtfSelection *selection, const XtfLinkType *type, int *statistic,
                         GError **error);
/* Returns the factor from stored to shown values. Times are shown in microseconds, amounts unchanged. */
double xtf_link_factor(const XtfLinkType *type, int statistic);

/* True if a selection has only one length. */
static inline bool xtf_links_one_length(const XtfSelection *selection)
{
    return !selection->base && selection->time_to - selection->time_from == 1;
}

/* The senders and receivers of a selection. */
typedef struct {
    const XtfLocations *locations; /* borrowed */
    GArray *senders;               /* of uint32_t: indices in `locations`, ascending */
    uint64_t *receivers;           /* numbers of processes, ascending */
    uint32_t n_receivers;
    GHashTable *nodes; /* number of a process -> number of its node + 1; only for known nodes */
} XtfLinkSides;

bool xtf_link_sides_init(XtfLinkSides *sides, XtfTraceContext *context, const XtfSelection *selection, GError **error);
void xtf_link_sides_finish(XtfLinkSides *sides); /* sides of all zeros are allowed */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLinkSides, xtf_link_sides_finish)

/* Returns the process of the i-th sender. */
static inline uint64_t xtf_link_sender(const XtfLinkSides *sides, uint32_t i)
{
    return sides->locations->all[g_array_index(sides->senders, uint32_t, i)].proc;
}

/* True if both processes are known to run on one node. */
bool xtf_link_on_one_node(const XtfLinkSides *sides, uint32_t sender, uint32_t receiver);

/* Returns the index of a process among the receivers; UINT32_MAX if it is not one of them. */
uint32_t xtf_link_receiver(const XtfLinkSides *sides, uint64_t proc);

typedef struct {
    uint64_t length;
    uint32_t sender, receiver; /* indices in the sides */
    unsigned event;
    double value;
} XtfLink;

typedef void (*XtfLinkVisit)(const XtfLink *link, void *data);

/* Links to visit: of a selection of links, one statistic from the senders `first` to first + n - 1. */
typedef struct {
    XtfSelection *links; /* borrowed */
    int statistic;       /* -1: all statistics of the selection */
    uint32_t first, n;
} XtfLinkPart;

/* Calls `visit` for links. The links of each sender are in their order in the trace. Returns false with an error. */
bool xtf_links_visit(XtfResolver *resolver, const XtfLinkType *type, const XtfLinkSides *sides, const XtfLinkPart *part,
                     XtfLinkVisit visit, void *data, GError **error);

/* Sets XTF_ERROR_TOO_LARGE: there is not enough memory for a matrix of the sides. Returns false. */
bool xtf_links_fail_too_large(const XtfLinkSides *sides, GError **error);

/* Returns the matrix of one length and statistic: a line of receivers for each of part->n senders, NaN where there is
 * no value. The caller frees it. Returns NULL with an error, XTF_ERROR_TOO_LARGE without enough memory. */
double *xtf_links_matrix(XtfResolver *resolver, const XtfLinkType *type, const XtfLinkSides *sides,
                         const XtfLinkPart *part, GError **error);
