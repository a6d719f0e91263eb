#include "src/trace/select/matcher.h"

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/selection.h"

/* A test that one of a group's keys is in a set. A test of a peer reads two keys: the rank and the communicator. */
typedef struct {
    const XtfField *field;
    XtfNumberSet *set;
    unsigned key;   /* index of the field among the keys */
    unsigned depth; /* number of keys that must be known */
    bool is_peer;
    bool of_site; /* the key is a site, and the test is of the region that it calls */
} Test;

struct XtfMatcher {
    unsigned index;
    bool begins_only; /* matches only rows that begin frames */
    unsigned n_tests;
    Test tests[XTF_N_FACETS];
    /* Translation of peers to processes. */
    const XtfRanks *ranks;
    XtfCommSource source;  /* of the peers' communicators; its field is NULL: ranks count as processes */
    unsigned comm_key;     /* index of the source's field among the keys */
    const XtfSites *sites; /* NULL: no test is of a site's region. Borrowed from the context */
    GSList *filters;       /* XtfFilter, made by xtf_matcher_filter() */
};

static const char *const facet_roles[XTF_N_FACETS] = {
    [XTF_BY_REGION] = XTF_ROLE_REGION, [XTF_BY_COMM] = XTF_ROLE_COMM,  [XTF_BY_TAG] = XTF_ROLE_TAG,
    [XTF_BY_PEER] = XTF_ROLE_PEER,     [XTF_BY_KIND] = XTF_ROLE_EVENT, [XTF_BY_CULPRIT] = XTF_ROLE_CULPRIT,
    [XTF_BY_SITE] = XTF_ROLE_SITE,
};

XtfMatch xtf_selection_matches(const XtfSelection *selection, const XtfSchema *schema)
{
    XtfMatch matches = XTF_MATCH_ALL;

    for (unsigned i = 0; i < XTF_N_FACETS; i++) {
        const XtfNumberSet *set = selection->by[i];
        if (!set)
            continue;
        if (!set->n_ranges || !xtf_schema_field_by_role(schema, facet_roles[i]))
            return XTF_MATCH_NONE;
        matches = XTF_MATCH_SOME;
    }
    return matches;
}

/* ---- Making matchers. */

static bool find_key(const XtfSchema *schema, const XtfAggregate *aggregate, const XtfField *field, unsigned *key)
{
    for (unsigned i = 0; i < aggregate->n_keys; i++) {
        if (&schema->fields[aggregate->keys[i]] == field) {
            *key = i;
            return true;
        }
    }
    return false;
}

/* Finds the key that decides a facet: its field, or for regions a site, since a site has one region. */
static bool find_facet_key(const XtfSchema *schema, const XtfAggregate *aggregate, XtfFacet facet, unsigned *key,
                           bool *of_site)
{
    const XtfField *field = xtf_schema_field_by_role(schema, facet_roles[facet]);
    const XtfField *site = facet == XTF_BY_REGION ? xtf_schema_field_by_role(schema, XTF_ROLE_SITE) : NULL;

    *of_site = false;
    if (field && find_key(schema, aggregate, field, key))
        return true;
    *of_site = field && site && find_key(schema, aggregate, site, key);
    return *of_site;
}

bool xtf_selection_fits(const XtfSelection *selection, const XtfSchema *schema, unsigned index)
{
    unsigned key;
    bool of_site;

    for (unsigned i = 0; i < XTF_N_FACETS; i++) {
        if (selection->by[i] && (!find_facet_key(schema, &schema->aggregates[index], (XtfFacet)i, &key, &of_site) ||
                                 (of_site && !selection->by[XTF_BY_SITE])))
            return false;
    }
    return true;
}

/* Loads the tables that translate peers to processes. False if the tables cannot be read. */
static bool load_peers(XtfMatcher *matcher, XtfTraceContext *context, const XtfSchema *schema, GError **error)
{
    matcher->ranks = xtf_trace_context_ranks(context, error);
    if (!matcher->ranks || !xtf_comm_source_find(&matcher->source, context->trace, schema, error))
        return false;
    if (!matcher->ranks->comms) /* the trace does not say how to translate */
        matcher->source.field = NULL;
    return true;
}

/* Adds the test of a facet. False if the facet's field is not among the keys. */
static bool add_test(XtfMatcher *matcher, XtfFacet facet, XtfNumberSet *set, const XtfSchema *schema)
{
    const XtfAggregate *aggregate = &schema->aggregates[matcher->index];
    Test test = {.field = xtf_schema_field_by_role(schema, facet_roles[facet]), .is_peer = facet == XTF_BY_PEER};

    if (!find_facet_key(schema, aggregate, facet, &test.key, &test.of_site) || (test.of_site && !matcher->sites))
        return false;
    test.depth = test.key + 1;
    if (test.is_peer && matcher->source.field) {
        if (!find_key(schema, aggregate, matcher->source.field, &matcher->comm_key))
            return false;
        test.depth = MAX(test.depth, matcher->comm_key + 1);
    }
    test.set = xtf_number_set_ref(set);
    matcher->tests[matcher->n_tests++] = test;
    return true;
}

/* Makes a matcher for one aggregate. Returns NULL without an error if the keys do not suffice. */
static XtfMatcher *make_matcher(XtfTraceContext *context, const XtfSelection *selection, const XtfSchema *schema,
                                unsigned index, GError **error)
{
    g_autoptr(XtfMatcher) matcher = g_new0(XtfMatcher, 1);

    matcher->index = index;
    if ((selection->by[XTF_BY_PEER] && !load_peers(matcher, context, schema, error)) ||
        (selection->by[XTF_BY_SITE] && !(matcher->sites = xtf_trace_context_sites(context, error))))
        return NULL;
    for (unsigned i = 0; i < XTF_N_FACETS; i++) {
        if (selection->by[i] && !add_test(matcher, (XtfFacet)i, selection->by[i], schema))
            return NULL;
    }
    return g_steal_pointer(&matcher);
}

/* Makes a matcher for the first of aggregates [from, to) whose keys suffice. */
static XtfMatcher *make_first_matcher(XtfTraceContext *context, const XtfSelection *selection, const XtfSchema *schema,
                                      unsigned from, unsigned to, GError **error)
{
    for (unsigned i = from; i < to; i++) {
        GError *problem = NULL;
        if (schema->aggregates[i].kind == XTF_AGGREGATE_UNKNOWN)
            continue;
        XtfMatcher *matcher = make_matcher(context, selection, schema, i, &problem);
        if (problem)
            g_propagate_error(error, problem);
        if (problem || matcher)
            return matcher;
    }
    xtf_fail(error, XTF_ERROR_UNSUPPORTED,
             "the trace has no aggregate of \"%s\" with the keys that this selection needs: import the trace again",
             schema->name);
    return NULL;
}

XtfMatcher *xtf_matcher_new(XtfTraceContext *context, const XtfSelection *selection, const XtfSchema *schema,
                            unsigned index, GError **error)
{
    return make_first_matcher(context, selection, schema, index, index + 1, error);
}

XtfMatcher *xtf_matcher_find(XtfTraceContext *context, const XtfSelection *selection, const XtfSchema *schema,
                             GError **error)
{
    XtfAggregateRef frames;

    if (!selection->calls || !xtf_aggregate_ref_frames_of(&frames, context, selection))
        return make_first_matcher(context, selection, schema, 0, schema->n_aggregates, error);
    XtfMatcher *matcher = xtf_matcher_new(context, selection, schema, frames.number, error);
    if (matcher)
        matcher->begins_only = true;
    return matcher;
}

void xtf_matcher_free(XtfMatcher *matcher)
{
    if (!matcher)
        return;
    for (unsigned i = 0; i < matcher->n_tests; i++)
        xtf_number_set_unref(matcher->tests[i].set);
    g_slist_free_full(matcher->filters, g_free);
    g_free(matcher);
}

unsigned xtf_matcher_aggregate(const XtfMatcher *matcher)
{
    return matcher->index;
}

/* ---- Matching. */

/* True if a set may contain the value. No set contains "none" or values less than 0. */
static bool may_be_in_set(const XtfField *field, uint64_t value)
{
    bool is_signed = field->type == XTF_TYPE_I32 || field->type == XTF_TYPE_I64;
    return !xtf_key_is_none(field, value) && !(is_signed && (int64_t)value < 0);
}

/* True if a peer passes a test. `source` is the value of matcher->source.field. */
static bool is_peer_selected(const XtfFilter *filter, const Test *test, uint64_t rank, uint64_t source)
{
    const XtfMatcher *matcher = filter->matcher;
    uint64_t comm, proc = rank;

    if (!may_be_in_set(test->field, rank))
        return false;
    if (matcher->source.field &&
        !(may_be_in_set(matcher->source.field, source) && xtf_comm_source_map(&matcher->source, source, &comm) &&
          xtf_ranks_proc(matcher->ranks, comm, rank, filter->proc, &proc)))
        return false;
    return xtf_number_set_contains(test->set, proc);
}

static bool is_value_selected(const Test *test, uint64_t value)
{
    const XtfNumberSet *set = test->set;
    bool in = set->n_ranges == 1 ? value >= set->ranges[0].first && value <= set->ranges[0].last
                                 : xtf_number_set_contains(set, value);
    return in && may_be_in_set(test->field, value);
}

/* True if a key passes a test. A key of a site without a known region does not pass the test of a region. */
static bool is_key_selected(const XtfFilter *filter, const Test *test, const uint64_t *key)
{
    if (test->is_peer)
        return is_peer_selected(filter, test, key[test->key], key[filter->matcher->comm_key]);
    return is_value_selected(test,
                             test->of_site ? xtf_sites_region(filter->matcher->sites, key[test->key]) : key[test->key]);
}

static XtfMatch match_key_values(const uint64_t *key, unsigned depth, const void *data)
{
    const XtfFilter *filter = data;
    const XtfMatcher *matcher = filter->matcher;
    XtfMatch result = XTF_MATCH_ALL;

    for (unsigned i = 0; i < matcher->n_tests; i++) {
        const Test *test = &matcher->tests[i];
        if (depth < test->depth)
            result = XTF_MATCH_SOME;
        else if (!is_key_selected(filter, test, key))
            return XTF_MATCH_NONE;
    }
    return result;
}

static bool row_matches(const uint8_t *row, const void *data)
{
    const XtfFilter *filter = data;
    const XtfMatcher *matcher = filter->matcher;

    for (unsigned i = 0; i < matcher->n_tests; i++) {
        const Test *test = &matcher->tests[i];
        uint64_t value = xtf_field_get(test->field, row);
        if (!test->is_peer) {
            if (!is_value_selected(test, value))
                return false;
            continue;
        }
        uint64_t source = matcher->source.field ? xtf_field_get(matcher->source.field, row) : 0;
        if (!is_peer_selected(filter, test, value, source))
            return false;
    }
    return true;
}

XtfGroupFilter xtf_filter_groups(const XtfFilter *filter)
{
    return (XtfGroupFilter){.match = match_key_values, .accepts_row = row_matches, .data = filter};
}

XtfGroupFilter xtf_matcher_filter(XtfMatcher *matcher, uint64_t proc)
{
    XtfFilter *filter = g_new(XtfFilter, 1);

    *filter = (XtfFilter){matcher, proc};
    matcher->filters = g_slist_prepend(matcher->filters, filter);
    /* Without tests, calls are counted from the templates of leaves, whose rows are not unpacked. */
    XtfGroupFilter groups =
        matcher->begins_only && matcher->n_tests == 0 ? (XtfGroupFilter){0} : xtf_filter_groups(filter);
    groups.begins_only = matcher->begins_only;
    return groups;
}
