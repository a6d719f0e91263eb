/*
 * Rows of `links`: what was measured between processes. Values of one statistic at one length make a matrix, of the
 * senders and receivers that a selection has.
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

/* False if the trace is of no network. */
bool xtf_link_type_find(XtfLinkType *type, const XtfTraceContext *context);
/* The event of a statistic, by its name in lower letters: "median"; -1 if there is none. */
int xtf_link_statistic(const XtfLinkType *type, const char *name);

/* The links of a selection, of one statistic; -1: of all. */
XtfSelection *xtf_links_of(const XtfSelection *selection, const XtfLinkType *type, int statistic);

/* "median", "average", ...: NULL-terminated, the one first that is shown where only one is. */
extern const char *const xtf_links_preferred[];
#define XTF_LINK_REPEAT "repeat" /* of which a pair has several values a length */

/* The statistic that a selection is narrowed to; else the first preferred one that its senders have at its lengths. -1:
 * they have none; false with an error. */
bool xtf_links_statistic(XtfResolver *resolver, const XtfSelection *selection, const XtfLinkType *type, int *statistic,
                         GError **error);
/* What values are multiplied by to be shown: times are in microseconds, amounts as they are. */
double xtf_link_factor(const XtfLinkType *type, int statistic);

/* Whether a selection is of one length. */
static inline bool xtf_links_one_length(const XtfSelection *selection)
{
    return !selection->base && selection->time_to - selection->time_from == 1;
}

/* The senders and receivers of a selection. */
typedef struct {
    const XtfLocations *locations; /* borrowed */
    GArray *senders;               /* of uint32_t: indices of locations, ascending */
    uint64_t *receivers;           /* processes, ascending */
    uint32_t n_receivers;
    GHashTable *nodes; /* processes -> node of the machine + 1; those whose node is known */
} XtfLinkSides;

bool xtf_link_sides_init(XtfLinkSides *sides, XtfTraceContext *context, const XtfSelection *selection, GError **error);
void xtf_link_sides_finish(XtfLinkSides *sides); /* of all zeros, too */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLinkSides, xtf_link_sides_finish)

static inline uint64_t xtf_link_sender(const XtfLinkSides *sides, uint32_t i)
{
    return sides->locations->all[g_array_index(sides->senders, uint32_t, i)].proc;
}

/* Whether both are known to be on one node. */
bool xtf_link_is_near(const XtfLinkSides *sides, uint32_t sender, uint32_t receiver);

/* The index of a receiver; UINT32_MAX if it is none. */
uint32_t xtf_link_receiver(const XtfLinkSides *sides, uint64_t proc);

typedef struct {
    uint64_t length;
    uint32_t sender, receiver; /* indices in the sides */
    unsigned event;
    double value;
} XtfLink;

typedef void (*XtfLinkVisit)(const XtfLink *link, void *data);

/* Which links to visit: of a selection of links, those of senders `first` to first + n - 1, and of one statistic. */
typedef struct {
    XtfSelection *links; /* borrowed */
    int statistic;       /* -1: all that the selection has */
    uint32_t first, n;
} XtfLinkPart;

/* Visits links, those of a sender in order. */
bool xtf_links_visit(XtfResolver *resolver, const XtfLinkType *type, const XtfLinkSides *sides, const XtfLinkPart *part,
                     XtfLinkVisit visit, void *data, GError **error);

/* False with XTF_ERROR_TOO_LARGE: a matrix of the sides does not fit the memory. */
bool xtf_links_do_not_fit(const XtfLinkSides *sides, GError **error);

/* The matrix of links of one length and statistic: n lines of receivers, NaN where there is no value. The caller frees
 * it. XTF_ERROR_TOO_LARGE if it does not fit the memory. */
double *xtf_links_matrix(XtfResolver *resolver, const XtfLinkType *type, const XtfLinkSides *sides,
                         const XtfLinkPart *part, GError **error);
