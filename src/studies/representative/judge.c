#include "src/studies/representative/judge.h"

#include <math.h>

static void find_medoid(const XtfFrequencies *profiles, XtfRepresentative *judged)
{
    double least = INFINITY;

    for (unsigned i = 0; i < judged->n; i++) {
        double sum = 0;
        for (unsigned j = 0; j < judged->n && xtf_representative_has(judged, i) && sum < least; j++)
            sum += xtf_representative_has(judged, j) ? xtf_frequencies_distance(&profiles[i], &profiles[j]) : 0;
        if (!xtf_representative_has(judged, i) || sum >= least)
            continue;
        least = sum;
        judged->medoid = i;
    }
}

/* Returns the least whole number that is at least a part of n. A part such as 0.8 of 5 is 4, in spite of rounding. */
static unsigned least_part(double share, unsigned n)
{
    return (unsigned)ceil(share * n - 1e-9);
}

void xtf_representative_judge(const XtfFrequencies *profiles, unsigned n, const XtfRepresentativeRule *rule,
                              XtfRepresentative *judged)
{
    XtfGraph graph;

    xtf_graph_init(&graph, n);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (xtf_frequencies_distance(&profiles[i], &profiles[j]) < rule->delta)
                xtf_graph_join(&graph, i, j);
        }
    }
    *judged = (XtfRepresentative){.n = n, .needed = least_part(rule->share, n)};
    xtf_clique_find(&graph, &judged->clique);
    xtf_graph_finish(&graph);
    find_medoid(profiles, judged);
    if (n < rule->least || judged->clique.most < judged->needed)
        judged->verdict = XTF_REPRESENTATIVE_NO;
    else if (judged->clique.size >= judged->needed)
        judged->verdict = XTF_REPRESENTATIVE_YES;
    else
        judged->verdict = XTF_REPRESENTATIVE_UNDECIDED;
}

void xtf_representative_finish(XtfRepresentative *judged)
{
    g_clear_pointer(&judged->clique.members, g_free);
}
