/*
 * The order of findings, and one finding for each cause.
 *
 * Rules look at one table each, so several of them see the same cause: a process that computes longer than the others
 * shows in imbalance, in its profile, in the waits of the others and on the critical path. What a more precise finding
 * says already is taken out, or becomes a clause of it.
 */
#include <string.h>

#include "src/pictures/findings/finding-rule.h"

/* A cause of which little comes is no better than a state. */
static XtfFindingRank rank_of(const XtfFinding *finding)
{
    static const double CAUSE_LEAST = 0.05;

    return finding->rank == XTF_FINDING_CAUSE && finding->score < CAUSE_LEAST ? XTF_FINDING_STATE : finding->rank;
}

int xtf_finding_compare(const void *a, const void *b, void *data)
{
    const XtfFinding *x = a, *y = b;

    if (rank_of(x) != rank_of(y))
        return rank_of(x) < rank_of(y) ? -1 : 1;
    return x->score == y->score ? 0 : x->score > y->score ? -1 : 1;
}

static XtfFinding *find_rule(GArray *found, const char *rule)
{
    for (guint i = 0; i < found->len; i++) {
        XtfFinding *finding = &g_array_index(found, XtfFinding, i);
        if (g_str_equal(finding->rule, rule))
            return finding;
    }
    return NULL;
}

static void take_out(GArray *found, const XtfFinding *finding)
{
    g_array_remove_index(found, (guint)(finding - &g_array_index(found, XtfFinding, 0)));
}

/* A place in the source that the sentence has already is left out of the clause. */
static void add_clause(XtfFinding *finding, const XtfFinding *other)
{
    g_autofree char *sentence = finding->sentence;
    const char *clause = other->as_clause ? other->as_clause : other->sentence;
    const char *at = other->source && strstr(sentence, other->source) ? strstr(clause, other->source) : NULL;
    int length = (int)(at ? at - clause : 0);

    finding->sentence =
        g_strdup_printf("%s; %.*s%s", sentence, length, clause, at ? at + strlen(other->source) : clause);
}

/* Another finding about the process of `one`: the first of these rules that has such. */
static XtfFinding *find_same_process(GArray *found, const XtfFinding *one)
{
    static const char *const rules[] = {"culprit", "imbalance", "path"};

    for (unsigned r = 0; r < G_N_ELEMENTS(rules); r++) {
        for (guint i = 0; i < found->len; i++) {
            XtfFinding *other = &g_array_index(found, XtfFinding, i);
            if (g_str_equal(other->rule, rules[r]) && other->culprit == one->culprit)
                return other;
        }
    }
    return NULL;
}

/* What a process does otherwise is a clause of the finding that names it for what that costs. */
static void merge_kinds(GArray *found)
{
    XtfFinding *kinds = find_rule(found, "kinds");

    if (!kinds || !kinds->as_clause)
        return;
    XtfFinding *other = find_same_process(found, kinds);
    if (!other)
        return;
    add_clause(other, kinds);
    take_out(found, kinds);
}

/* Efficiency is lost where most of the time that is no use is spent. */
static void merge_efficiency(GArray *found)
{
    XtfFinding *efficiency = find_rule(found, "efficiency"), *waiting = find_rule(found, "waiting"),
               *other = find_rule(found, "communication");

    if (!other || (waiting && waiting->score > other->score))
        other = waiting;
    if (!efficiency || !other || 2 * other->score < efficiency->score)
        return;
    add_clause(other, efficiency);
    take_out(found, efficiency);
}

/* Whether the path is in the region, or on the process, that another finding is about. */
static bool is_same(const XtfFinding *path, const XtfFinding *other)
{
    return (path->region != UINT64_MAX && other->region == path->region) ||
           (path->culprit != XTF_NO_PROCESS && other->culprit == path->culprit);
}

/* The path leads through what costs time, so it has the cause of others. The finding with the process that others wait
 * for gets a clause, and the higher score. */
static void merge_path(GArray *found)
{
    static const char *const rules[] = {"culprit", "imbalance"};
    const XtfFinding *path = find_rule(found, "path");

    for (unsigned i = 0; path && i < G_N_ELEMENTS(rules); i++) {
        XtfFinding *other = find_rule(found, rules[i]);
        if (!other || !is_same(path, other))
            continue;
        if (path->as_clause && path->culprit == other->culprit)
            add_clause(other, path);
        other->score = MAX(other->score, path->score);
        take_out(found, path);
        return;
    }
}

/* The culprit's sentence names the kind of waits. */
static void merge_waits(GArray *found)
{
    const XtfFinding *waits = find_rule(found, "waits");

    if (waits && find_rule(found, "culprit"))
        take_out(found, waits);
}

/* Time that is lost without a cause is no news where causes explain half of it. */
static void merge_states(GArray *found)
{
    double explained = 0;

    for (guint i = 0; i < found->len; i++) {
        const XtfFinding *finding = &g_array_index(found, XtfFinding, i);
        if (finding->rank == XTF_FINDING_CAUSE)
            explained = MAX(explained, finding->score);
    }
    for (guint i = found->len; i-- > 0;) {
        const XtfFinding *finding = &g_array_index(found, XtfFinding, i);
        if (finding->rank == XTF_FINDING_STATE && 2 * explained >= finding->score)
            g_array_remove_index(found, i);
    }
}

void xtf_findings_merge(GArray *found)
{
    merge_path(found);
    merge_kinds(found);
    merge_waits(found);
    merge_efficiency(found);
    merge_states(found);
    g_array_sort_with_data(found, xtf_finding_compare, NULL); /* stable */
}
