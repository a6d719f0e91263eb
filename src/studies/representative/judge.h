/*
 * Representative sets of runs, as in ParJava. A set S of frequency profiles is representative for (delta, p, Q) under
 * two conditions: it has at least Q profiles, and at least p |S| of them are pairwise less than delta apart. The paper
 * leaves the distance open; here frequencies.h defines it.
 *
 * So S is representative if the graph of profiles less than delta apart has a large enough clique. For more than
 * 64 profiles the size of the largest one may be a range, and the answer "undecided".
 */
#pragma once

#include "src/studies/representative/clique.h"
#include "src/tables/alike/frequencies.h"

typedef struct {
    double delta;   /* above 0 */
    double share;   /* p: from 0 to 1 */
    unsigned least; /* Q */
} XtfRepresentativeRule;

typedef enum { XTF_REPRESENTATIVE_NO, XTF_REPRESENTATIVE_UNDECIDED, XTF_REPRESENTATIVE_YES } XtfVerdict;

typedef struct {
    XtfVerdict verdict;
    unsigned n, needed; /* profiles; the least size of the clique */
    XtfClique clique;
    unsigned medoid; /* member of the clique with the least sum of distances to the others, the first of several */
} XtfRepresentative;

enum { XTF_PROFILES_MAX = 20000 }; /* with 20 000 profiles, the edges take 50 MB */

/* Judges n sorted profiles, from 1 to XTF_PROFILES_MAX. */
void xtf_representative_judge(const XtfFrequencies *profiles, unsigned n, const XtfRepresentativeRule *rule,
                              XtfRepresentative *judged);
void xtf_representative_finish(XtfRepresentative *judged); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRepresentative, xtf_representative_finish)

static inline bool xtf_representative_has(const XtfRepresentative *judged, unsigned i)
{
    return xtf_graph_set_has(judged->clique.members, i);
}
