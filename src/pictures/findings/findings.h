/*
 * Findings: what to look at first in a selection, in sentences.
 *
 * A finding is made by a rule, whose numbers come from one table of the tree, or follow from its numbers; the finding
 * names the table. Sentences have three digits of a number, tables have all. Where a rule's threshold is not reached it
 * says nothing. Findings of the same cause become one (finding-order.c). TREE.md lists the rules.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

/* What can be done about a finding: those of an earlier rank come first. */
typedef enum {
    XTF_FINDING_DOUBT,     /* what is recorded cannot be trusted, or the run went wrong: all else is in doubt */
    XTF_FINDING_CAUSE,     /* a place in the program, or a process, to change */
    XTF_FINDING_STATE,     /* where time is lost, without a cause */
    XTF_FINDING_RECORDING, /* what the recording lacks or costs */
    XTF_FINDING_CONTEXT,   /* how the run is made up */
} XtfFindingRank;

enum {
    XTF_FINDINGS_MAX = 12,      /* that the file has lines for */
    XTF_FINDING_SENTENCE = 256, /* bytes of a sentence that are shown at least; more may be cut */
};

#define XTF_NO_PROCESS UINT64_MAX

typedef struct {
    const char *rule; /* its name */
    XtfFindingRank rank;
    double score;   /* the share of all time of the window that it explains: findings of a rank come in this order */
    char *sentence; /* without a point at its end; escaped as tables are, so nothing in it acts on a terminal */

    /* What it is about; known to xtf_findings_merge(). */
    char *as_clause;  /* the sentence behind another one about the same process: "it computes 74 %..."; NULL: none */
    char *source;     /* the place in the source that as_clause has, and is said once in a sentence; NULL: none */
    uint64_t culprit; /* the process that it is about; XTF_NO_PROCESS: it is about no single one */
    uint64_t region;  /* row of the region of the program that it is about; UINT64_MAX: it is about none */

    /* The table that shows its numbers: */
    char *path;     /* from the directory of the selection: "time/1.5-2/waits/profile" */
    bool is_window; /* it is of a narrower window, [from, to) in ticks; else of the selection's own */
    uint64_t from, to;
    char *proc;        /* of these processes alone, as a path names them; NULL: of the selection's */
    const char *type;  /* of rows of this type: "waits"; NULL: of the selection's */
    const char *table; /* its file there, "profile"; may have directories in it, "by/time:100/profile" */
} XtfFinding;

/* The findings of a selection, by rank, then the highest score first: XtfFinding, owned by the array. One that is not
 * about the time of a program has none, as one without records. NULL with an error.
 *
 * It costs some twenty tables of totals, and the profiles of 100 slices of at most 64 locations. */
GArray *xtf_findings_find(XtfViews *views, XtfSelection *selection, GError **error);

/* The file `findings`: a line for each of the first XTF_FINDINGS_MAX. */
extern const XtfTableDeclaration xtf_table_findings;
extern const XtfPicture xtf_picture_findings;
