#include "src/query/matcher.h"

#include "libxtf/error.h"
#include "src/model/vocabulary.h"
#include "src/query/selection.h"

/* What one of a group's keys must be. A peer takes two of them: its rank, and what tells its communicator. */
typedef struct {
    const XtfField *field;
    XtfSet *set;
    unsigned key;   /* its place among the keys */
    unsigned depth; /* so many keys must be known to decide */
} Test;

struct XtfMatcher {
    unsigned sums;
    unsigned n_tests; /* the peer's, if there is one, comes last */
    Test tests[XTF_N_FACETS];
    bool has_peer;
    unsigned comm_key; /* of a peer's communicator; where there is none ranks are taken for processes */
    bool has_comm;
    XtfCommSource source;
    const XtfRanks *ranks;
};

static const char *const facet_roles[XTF_N_FACETS] = {
    [XTF_BY_REGION] = XTF_ROLE_REGION,
    [XTF_BY_COMM] = XTF_ROLE_COMM,
    [XTF_BY_TAG] = XTF_ROLE_TAG,
    [XTF_BY_PEER] = XTF_ROLE_PEER,
};

XtfMatch xtf_selection_matches(const XtfSelection *selection, const XtfSchema *schema)
{
    XtfMatch matches = XTF_MATCH_ALL;

    for (unsigned i = 0; i < XTF_N_FACETS; i++) {
        const XtfSet *set = selection->by[i];
        if (!set)
            continue;
        if (!set->n_ranges || !xtf_schema_field_by_role(schema, facet_roles[i]))
            return XTF_MATCH_NONE;
        matches = XTF_MATCH_SOME;
    }
    return matches;
}

/* ---- Making one. */

static bool find_key(const XtfSchema *schema, const XtfSums *sums, const XtfField *field, unsigned *key)
{
    for (unsigned i = 0; i < sums->n_keys; i++) {
        if (&schema->fields[sums->keys[i]] == field) {
            *key = i;
            return true;
        }
    }
    return false;
}

/* False if the keys do not have what the selection asks for. */
static bool add_tests(XtfMatcher *matcher, const XtfSelection *selection, const XtfSchema *schema)
{
    const XtfSums *sums = &schema->sums[matcher->sums];

    for (unsigned i = 0; i < XTF_N_FACETS; i++) {
        Test test = {.field = xtf_schema_field_by_role(schema, facet_roles[i]), .set = selection->by[i]};
        if (!test.set)
            continue;
        if (!test.field || !find_key(schema, sums, test.field, &test.key))
            return false;
        test.depth = test.key + 1;
        if (i == XTF_BY_PEER) {
            matcher->has_peer = true;
            matcher->has_comm = matcher->source.field && matcher->ranks->comms;
            if (matcher->has_comm && !find_key(schema, sums, matcher->source.field, &matcher->comm_key))
                return false;
            test.depth = MAX(test.depth, matcher->has_comm ? matcher->comm_key + 1 : 0);
        }
        xtf_set_ref(test.set);
        matcher->tests[matcher->n_tests++] = test;
    }
    return true;
}

/* NULL without an error if the keys do not fit. */
static XtfMatcher *try_sums(XtfGuide *guide, const XtfSelection *selection, const XtfSchema *schema, unsigned sums,
                            GError **error)
{
    g_autoptr(XtfMatcher) matcher = g_new0(XtfMatcher, 1);

    matcher->sums = sums;
    matcher->ranks = xtf_guide_ranks(guide, error);
    if (!matcher->ranks || !xtf_comm_source_find(&matcher->source, guide->trace, schema, error))
        return NULL;
    return add_tests(matcher, selection, schema) ? g_steal_pointer(&matcher) : NULL;
}

static void say_unfit(const XtfSchema *schema, GError **error)
{
    g_set_error(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED,
                "the trace keeps no sums of \"%s\" by what they are narrowed by here: import it anew", schema->name);
}

XtfMatcher *xtf_matcher_new(XtfGuide *guide, const XtfSelection *selection, const XtfSchema *schema, unsigned sums,
                            GError **error)
{
    GError *problem = NULL;
    XtfMatcher *matcher = try_sums(guide, selection, schema, sums, &problem);

    if (problem)
        g_propagate_error(error, problem);
    else if (!matcher)
        say_unfit(schema, error);
    return matcher;
}

bool xtf_matcher_find_sums(XtfGuide *guide, const XtfSelection *selection, const XtfSchema *schema, unsigned *sums,
                           GError **error)
{
    for (unsigned i = 0; i < schema->n_sums; i++) {
        GError *problem = NULL;
        g_autoptr(XtfMatcher) matcher = try_sums(guide, selection, schema, i, &problem);
        if (problem) {
            g_propagate_error(error, problem);
            return false;
        }
        if (matcher) {
            *sums = i;
            return true;
        }
    }
    say_unfit(schema, error);
    return false;
}

void xtf_matcher_free(XtfMatcher *matcher)
{
    if (!matcher)
        return;
    for (unsigned i = 0; i < matcher->n_tests; i++)
        xtf_set_unref(matcher->tests[i].set);
    g_free(matcher);
}

unsigned xtf_matcher_sums(const XtfMatcher *matcher)
{
    return matcher->sums;
}

/* ---- Matching. */

/* Numbers are what sets hold: "none" is in no set, and neither is what is less than 0. */
static bool is_number(const XtfField *field, uint64_t value)
{
    if (field->flags & XTF_FIELD_OPTIONAL) {
        uint64_t mask = field->width == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * field->width)) - 1;
        if ((value & mask) == mask)
            return false;
    }
    return (field->type != XTF_TYPE_I32 && field->type != XTF_TYPE_I64) || (int64_t)value >= 0;
}

static bool map_peer(const XtfFilter *filter, const uint64_t *key, uint64_t rank, uint64_t *proc)
{
    const XtfMatcher *matcher = filter->matcher;
    uint64_t comm;

    if (!matcher->has_comm) {
        *proc = rank;
        return true;
    }
    return is_number(matcher->source.field, key[matcher->comm_key]) &&
           xtf_comm_source_map(&matcher->source, key[matcher->comm_key], &comm) &&
           xtf_ranks_proc(matcher->ranks, comm, rank, filter->proc, proc);
}

static XtfMatch match(const uint64_t *key, unsigned depth, const void *data)
{
    const XtfFilter *filter = data;
    const XtfMatcher *matcher = filter->matcher;
    XtfMatch result = XTF_MATCH_ALL;

    for (unsigned i = 0; i < matcher->n_tests; i++) {
        const Test *test = &matcher->tests[i];
        if (depth < test->depth) {
            result = XTF_MATCH_SOME;
            continue;
        }
        uint64_t value = key[test->key];
        bool is_peer = matcher->has_peer && i + 1 == matcher->n_tests;
        if (!is_number(test->field, value) || (is_peer && !map_peer(filter, key, value, &value)) ||
            !xtf_set_contains(test->set, value))
            return XTF_MATCH_NONE;
    }
    return result;
}

XtfGroupFilter xtf_filter_groups(const XtfFilter *filter)
{
    return (XtfGroupFilter){match, filter};
}
