/*
 * The order of findings, and merging of findings with the same cause.
 *
 * Each rule looks at one table, so several rules see the same cause. A process that computes longer than the others
 * shows in imbalance, in its profile, in the waits of the others and on the critical path. A finding that a more
 * precise one repeats is removed, or becomes a clause of the more precise one.
 */
#include <string.h>

#include "src/pictures/findings/finding-rule.h"

/* Returns the rank to sort by: a cause that explains little of the time ranks as a state. */
static XtfFindingRank effective_rank(const XtfFinding *finding)
{
    static const double CAUSE_SCORE_MIN = 0.05;

    return finding->rank == XTF_FINDING_CAUSE && finding->score < CAUSE_SCORE_MIN ? XTF_FINDING_STATE : finding->rank;
}

int xtf_finding_compare(const void *a, const void *b, void *data)
{
    const XtfFinding *x = a, *y = b;

    if (effective_rank(x) != effective_rank(y))
        return effective_rank(x) < effective_rank(y) ? -1 : 1;
    return x->score == y->score ? 0 : x->score > y->score ? -1 : 1;
}

static XtfFinding *find_rule_finding(GArray *findings, const char *rule)
{
    for (guint i = 0; i < findings->len; i++) {
        XtfFinding *finding = &g_array_index(findings, XtfFinding, i);
        if (g_str_equal(finding->rule, rule))
            return finding;
    }
    return NULL;
}

static void remove_finding(GArray *findings, const XtfFinding *finding)
{
    g_array_remove_index(findings, (guint)(finding - &g_array_index(findings, XtfFinding, 0)));
}

/* Appends the clause of `added` to a sentence. Skips the clause's place in the source if the sentence has it already.
 */
static void add_clause(XtfFinding *finding, const XtfFinding *added)
{
    g_autofree char *sentence = finding->sentence;
    const char *clause = added->as_clause ? added->as_clause : added->sentence;
    const char *at = added->source && strstr(sentence, added->source) ? strstr(clause, added->source) : NULL;
    int length = (int)(at ? at - clause : 0);

    finding->sentence =
        g_strdup_printf("%s; %.*s%s", sentence, length, clause, at ? at + strlen(added->source) : clause);
}

/* Finds another finding about the process of `kinds`: of the first of these rules that has one. */
static XtfFinding *find_same_process(GArray *findings, const XtfFinding *kinds)
{
    static const char *const rules[] = {"culprit", "imbalance", "path"};

    for (unsigned r = 0; r < G_N_ELEMENTS(rules); r++) {
        for (guint i = 0; i < findings->len; i++) {
            XtfFinding *related = &g_array_index(findings, XtfFinding, i);
            if (g_str_equal(related->rule, rules[r]) && related->culprit == kinds->culprit)
                return related;
        }
    }
    return NULL;
}

/* Makes the unusual profile of a process a clause of the finding about what that process costs the others. */
static void merge_kinds(GArray *findings)
{
    XtfFinding *kinds = find_rule_finding(findings, "kinds");

    if (!kinds || !kinds->as_clause)
        return;
    XtfFinding *related = find_same_process(findings, kinds);
    if (!related)
        return;
    add_clause(related, kinds);
    remove_finding(findings, kinds);
}

/* Makes efficiency a clause of waiting or communication, whichever takes more time, if it explains half of the loss. */
static void merge_efficiency(GArray *findings)
{
    XtfFinding *efficiency = find_rule_finding(findings, "efficiency"),
               *waiting = find_rule_finding(findings, "waiting"),
               *related = find_rule_finding(findings, "communication");

    if (!related || (waiting && waiting->score > related->score))
        related = waiting;
    if (!efficiency || !related || 2 * related->score < efficiency->score)
        return;
    add_clause(related, efficiency);
    remove_finding(findings, efficiency);
}

/* True if the path is in the region, or on the process, of another finding. */
static bool has_same_cause(const XtfFinding *path, const XtfFinding *related)
{
    return (path->region != UINT64_MAX && related->region == path->region) ||
           (path->culprit != XTF_NO_PROCESS && related->culprit == path->culprit);
}

/* Merges the critical path into the finding about the process that others wait for, which has the same cause. The
 * merged finding gets a clause, and the higher score. */
static void merge_path(GArray *findings)
{
    static const char *const rules[] = {"culprit", "imbalance"};
    const XtfFinding *path = find_rule_finding(findings, "path");

    for (unsigned i = 0; path && i < G_N_ELEMENTS(rules); i++) {
        XtfFinding *related = find_rule_finding(findings, rules[i]);
        if (!related || !has_same_cause(path, related))
            continue;
        if (path->as_clause && path->culprit == related->culprit)
            add_clause(related, path);
        related->score = MAX(related->score, path->score);
        remove_finding(findings, path);
        return;
    }
}

/* Removes the finding about kinds of waits if there is one about the culprit, whose sentence names the kind. */
static void merge_waits(GArray *findings)
{
    const XtfFinding *waits = find_rule_finding(findings, "waits");

    if (waits && find_rule_finding(findings, "culprit"))
        remove_finding(findings, waits);
}

/* Removes findings of rank STATE, time lost without a known cause, if one of rank CAUSE scores at least half as much.
 */
static void merge_states(GArray *findings)
{
    double explained = 0;

    for (guint i = 0; i < findings->len; i++) {
        const XtfFinding *finding = &g_array_index(findings, XtfFinding, i);
        if (finding->rank == XTF_FINDING_CAUSE)
            explained = MAX(explained, finding->score);
    }
    for (guint i = findings->len; i-- > 0;) {
        const XtfFinding *finding = &g_array_index(findings, XtfFinding, i);
        if (finding->rank == XTF_FINDING_STATE && 2 * explained >= finding->score)
            g_array_remove_index(findings, i);
    }
}

void xtf_findings_merge(GArray *findings)
{
    merge_path(findings);
    merge_kinds(findings);
    merge_waits(findings);
    merge_efficiency(findings);
    merge_states(findings);
    g_array_sort_with_data(findings, xtf_finding_compare, NULL); /* stable */
}
