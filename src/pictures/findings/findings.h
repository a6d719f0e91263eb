/*
 * Findings: what to look at first in a selection, in sentences.
 *
 * A finding is made by a rule, whose numbers come from one table of the tree and are printed as that table prints them,
 * or follow from them; the finding names the table. Where a rule's threshold is not reached it says nothing. TREE.md
 * lists the rules.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

enum {
    XTF_FINDINGS_MAX = 12,      /* that the file has lines for */
    XTF_FINDING_SENTENCE = 256, /* bytes of a sentence that are shown at least; more may be cut */
};

typedef struct {
    const char *rule; /* its name */
    double score;     /* the share of all time of the window that it explains: findings come in this order */
    char *sentence;   /* without a point at its end; escaped as tables are, so nothing in it acts on a terminal */

    /* The table that shows its numbers: */
    char *path;     /* from the directory of the selection: "time/1.5-2/waits/profile" */
    bool is_window; /* it is of a narrower window, [from, to) in ticks; else of the selection's own */
    uint64_t from, to;
    char *proc;        /* of these processes alone, as a path names them; NULL: of the selection's */
    const char *type;  /* of rows of this type: "waits"; NULL: of the selection's */
    const char *table; /* its file there, "profile"; may have directories in it, "by/time:100/profile" */
} XtfFinding;

/* The findings of a selection, the highest score first: XtfFinding, owned by the array. One that is not about the
 * time of a program has none, as one without records. NULL with an error.
 *
 * It costs some twenty tables of totals, and the profiles of 100 slices of at most 64 locations. */
GArray *xtf_findings_find(XtfViews *views, XtfSelection *selection, GError **error);

/* The file `findings`: a line for each of the first XTF_FINDINGS_MAX. */
extern const XtfTableDeclaration xtf_table_findings;
extern const XtfPicture xtf_picture_findings;
