/*
 * Findings: what to look at first in a selection, in sentences.
 *
 * A rule makes a finding from the numbers of one table, and the finding names the table. Sentences have three digits
 * of a number, tables have all. A rule adds nothing if its threshold is not reached. Findings of the same cause become
 * one (finding-order.c). TREE.md lists the rules.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

/* The use of a finding. Findings of a lower rank are printed first. */
typedef enum {
    XTF_FINDING_DOUBT,     /* the records cannot be trusted, or the run went wrong: all other findings are in doubt */
    XTF_FINDING_CAUSE,     /* a place in the program, or a process, that costs time */
    XTF_FINDING_STATE,     /* where time is lost, without a cause */
    XTF_FINDING_RECORDING, /* what the recording lacks, or its own cost */
    XTF_FINDING_CONTEXT,   /* a property of the run, not a loss */
} XtfFindingRank;

enum {
    XTF_FINDINGS_MAX = 12,      /* most findings in the file */
    XTF_FINDING_SENTENCE = 256, /* bytes of a sentence that are always shown; the rest may be cut */
};

#define XTF_NO_PROCESS UINT64_MAX

typedef struct {
    const char *rule; /* name of the rule */
    XtfFindingRank rank;
    double score;   /* share of all time of the window that it explains; the order in a rank */
    char *sentence; /* the finding in words, without a full stop; escaped, so that nothing in it acts on a terminal */

    /* The subject, for xtf_findings_merge(): */
    char *as_clause;  /* the sentence as a clause of another one about the same process: "it computes 74 %..."; NULL:
                         none */
    char *source;     /* place in the source that is in as_clause, so as not to repeat it; NULL: none */
    uint64_t culprit; /* process; XTF_NO_PROCESS: no single one */
    uint64_t region;  /* row of a region of the program; UINT64_MAX: none */

    /* The table that shows its numbers: */
    char *path;     /* relative to the directory of the selection: "time/1.5-2/waits/profile" */
    bool is_window; /* the table is of a narrower window, [from, to) in ticks; else of the selection's window */
    uint64_t from, to;
    char *proc;        /* the table's processes, as a path names them; NULL: the selection's */
    const char *type;  /* the table's type of rows: "waits"; NULL: the selection's */
    const char *table; /* name of its file, at the end of `path`: "profile"; may have directories, "iter/1/profile" */
} XtfFinding;

/* Returns the findings of a selection as XtfFinding, by rank, then the highest score first. The array owns them. It is
 * empty for a selection without time of a program, such as one without records. Returns NULL on error.
 *
 * The cost is some twenty tables of totals, and the profiles of 100 slices of at most 64 locations. */
GArray *xtf_findings_find(XtfViews *views, XtfSelection *selection, GError **error);

/* The file `findings`: an entry for each of the first XTF_FINDINGS_MAX findings. */
extern const XtfTableDeclaration xtf_table_findings;
extern const XtfPicture xtf_picture_findings;
