#include "src/trace/select/grouping.h"

#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"

enum {
    NAMED_TAGS_MAX = 4096, /* most tags that a path's tag/ may name if the trace does not list all tags */
};

typedef struct {
    const char *name;
    XtfGroupKey excludes; /* key that has the same values, so that inner blocks would be equal or empty */
    bool (*find)(XtfGrouping *grouping, const char *text, GError **error); /* sets the values */
} KeyClass;

/* ---- The values of keys. */

static void set_numbers(XtfKeyValues *values, GArray *numbers)
{
    values->n = numbers->len;
    values->numbers = (uint64_t *)(void *)g_array_free(numbers, FALSE);
}

/* Finds the numbers of a list that are in a set. */
static void choose_numbers(XtfKeyValues *values, const uint64_t *from, uint64_t n, const XtfNumberSet *set)
{
    GArray *chosen = g_array_new(FALSE, FALSE, sizeof *from);

    for (uint64_t i = 0; i < n; i++) {
        if (xtf_number_set_contains(set, from[i]))
            g_array_append_val(chosen, from[i]);
    }
    set_numbers(values, chosen);
}

/* Finds the rows [0, n) that are in a set. */
static void choose_rows(XtfKeyValues *values, uint64_t n, const XtfNumberSet *set)
{
    values->n = n;
    if (!set)
        return;
    GArray *chosen = g_array_new(FALSE, FALSE, sizeof n);
    for (unsigned i = 0; i < set->n_ranges; i++) {
        for (uint64_t row = set->ranges[i].first; row < n && row <= set->ranges[i].last; row++)
            g_array_append_val(chosen, row);
    }
    set_numbers(values, chosen);
}

/* Finds the first location of each of the selection's processes or threads. */
static GArray *find_first_locations(const XtfSelection *selection, const XtfLocations *locations, bool threads)
{
    g_autoptr(GArray) selected = xtf_selection_locations(selection, locations);
    GArray *firsts = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    const XtfLocation *last = NULL;

    for (unsigned i = 0; i < selected->len; i++) {
        uint64_t index = g_array_index(selected, uint32_t, i);
        const XtfLocation *location = &locations->all[index];
        if (!last || location->proc != last->proc || (threads && location->thread != last->thread))
            g_array_append_val(firsts, index);
        last = location;
    }
    return firsts;
}

static bool find_procs(XtfGrouping *grouping, const char *text, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(grouping->context, error);

    if (!locations)
        return false;
    GArray *procs = find_first_locations(grouping->selection, locations, false);
    for (unsigned i = 0; i < procs->len; i++)
        g_array_index(procs, uint64_t, i) = locations->all[g_array_index(procs, uint64_t, i)].proc;
    set_numbers(&grouping->values, procs);
    return true;
}

static bool find_threads(XtfGrouping *grouping, const char *text, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(grouping->context, error);

    if (locations)
        set_numbers(&grouping->values, find_first_locations(grouping->selection, locations, true));
    return locations;
}

static bool find_peers(XtfGrouping *grouping, const char *text, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(grouping->context, error);

    if (locations)
        choose_numbers(&grouping->values, locations->procs, locations->n_procs, grouping->selection->by[XTF_BY_PEER]);
    return locations;
}

static bool find_regions(XtfGrouping *grouping, const char *text, GError **error)
{
    const XtfNameIndex *names = xtf_trace_context_regions(grouping->context, error);

    if (names)
        choose_rows(&grouping->values, names->n_rows, grouping->selection->by[XTF_BY_REGION]);
    return names;
}

/* Finds the classes that have regions in the trace. */
static bool find_classes(XtfGrouping *grouping, const char *text, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(grouping->context, error);

    if (!classes)
        return false;
    GArray *present = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    for (uint64_t i = 0; i < XTF_N_CLASSES; i++) {
        if (classes->present & XTF_CLASS_BIT(i))
            g_array_append_val(present, i);
    }
    set_numbers(&grouping->values, present);
    return true;
}

static bool find_comms(XtfGrouping *grouping, const char *text, GError **error)
{
    const XtfNameIndex *names = xtf_trace_context_comms(grouping->context, error);

    if (names)
        choose_rows(&grouping->values, names->n_rows, grouping->selection->by[XTF_BY_COMM]);
    return names;
}

static bool find_sites(XtfGrouping *grouping, const char *text, GError **error)
{
    const XtfSites *sites = xtf_trace_context_sites(grouping->context, error);

    if (!sites)
        return false;
    if (!sites->n)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the trace has no call sites");
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    for (uint64_t row = 0; row < sites->n; row++) {
        if (xtf_sites_is_called_from(sites, row) && xtf_number_set_contains(grouping->selection->by[XTF_BY_SITE], row))
            g_array_append_val(rows, row);
    }
    set_numbers(&grouping->values, rows);
    return true;
}

/* Finds the distinct tags of the trace's table, ascending. Sets *complete to true if the trace has no other tags. */
static bool load_tags(XtfTrace *trace, GArray *tags, bool *complete, GError **error)
{
    const XtfTable *table;

    *complete = false;
    if (!xtf_trace_table(trace, XTF_TABLE_TAGS, &table, error))
        return false;
    const XtfField *field = table ? xtf_schema_field(table->schema, "tag") : NULL;
    if (!field)
        return true;
    *complete = true;
    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        uint64_t tag = xtf_field_get(field, row);
        if (xtf_field_is_none(field, row))
            *complete = false;
        else
            g_array_append_val(tags, tag);
    }
    g_array_set_size(tags, xtf_sort_distinct((uint64_t *)(void *)tags->data, tags->len));
    return true;
}

/* Lists the numbers of a set, if they are few. */
static bool list_set_numbers(const XtfNumberSet *set, GArray *numbers)
{
    g_array_set_size(numbers, 0);
    for (unsigned i = 0; set && i < set->n_ranges; i++) {
        uint64_t tag = set->ranges[i].first, more = set->ranges[i].last - tag;
        if (more >= NAMED_TAGS_MAX - numbers->len)
            return false;
        for (uint64_t end = tag + more + 1; tag != end; tag++)
            g_array_append_val(numbers, tag);
    }
    return set;
}

static bool find_tags(XtfGrouping *grouping, const char *text, GError **error)
{
    const XtfNumberSet *set = grouping->selection->by[XTF_BY_TAG];
    g_autoptr(GArray) tags = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    bool complete;

    if (!load_tags(grouping->context->trace, tags, &complete, error))
        return false;
    if (complete) {
        choose_numbers(&grouping->values, (const uint64_t *)(void *)tags->data, tags->len, set);
        return true;
    }
    if (list_set_numbers(set, tags)) {
        set_numbers(&grouping->values, g_steal_pointer(&tags));
        return true;
    }
    return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                    "the trace does not list all of its tags: name some, at most %d, as in tag/0-99/by/tag",
                    NAMED_TAGS_MAX);
}

static void set_slices(XtfGrouping *grouping, uint64_t n)
{
    XtfKeyValues *values = &grouping->values;

    values->n = n;
    xtf_selection_window(grouping->selection, &grouping->context->scale, &values->from, &values->to);
}

static bool find_slices(XtfGrouping *grouping, const char *text, GError **error)
{
    guint64 n;

    if (!text || !g_ascii_isdigit(*text) || !g_ascii_string_to_unsigned(text, 10, 1, XTF_SLICES_MAX, &n, NULL))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "write time:N for N equal slices of the window, N from 1 to %d, such as time:100",
                        XTF_SLICES_MAX);
    set_slices(grouping, n);
    return true;
}

/* ---- Keys. */

static const KeyClass keys[XTF_GROUP_N_KEYS] = {
    [XTF_GROUP_BY_PROC] = {"proc", XTF_GROUP_BY_THREAD, find_procs},
    [XTF_GROUP_BY_THREAD] = {"thread", XTF_GROUP_BY_PROC, find_threads},
    [XTF_GROUP_BY_REGION] = {"region", XTF_GROUP_BY_CLASS, find_regions},
    [XTF_GROUP_BY_CLASS] = {"class", XTF_GROUP_BY_REGION, find_classes},
    [XTF_GROUP_BY_COMM] = {"comm", XTF_GROUP_BY_COMM, find_comms},
    [XTF_GROUP_BY_PEER] = {"peer", XTF_GROUP_BY_PEER, find_peers},
    [XTF_GROUP_BY_TAG] = {"tag", XTF_GROUP_BY_TAG, find_tags},
    [XTF_GROUP_BY_SITE] = {"site", XTF_GROUP_BY_SITE, find_sites},
    [XTF_GROUP_BY_TIME] = {"time", XTF_GROUP_BY_TIME, find_slices},
};

const char *xtf_grouping_key_name(unsigned i)
{
    return i == XTF_GROUP_BY_TIME ? "time:100" : keys[i].name;
}

/* Parses a key, and finds the text after its colon; NULL without a colon. False if no key has this name. */
static bool parse_key(const char *text, XtfGroupKey *key, const char **parameter)
{
    size_t length = strcspn(text, ":");

    *parameter = text[length] ? text + length + 1 : NULL;
    for (unsigned i = 0; i < XTF_GROUP_N_KEYS; i++) {
        if (strlen(keys[i].name) == length && strncmp(keys[i].name, text, length) == 0 &&
            (i == XTF_GROUP_BY_TIME || !*parameter)) {
            *key = (XtfGroupKey)i;
            return true;
        }
    }
    return false;
}

static bool check_outer_keys(const XtfGrouping *outer, XtfGroupKey key, GError **error)
{
    for (; outer; outer = outer->outer) {
        if (outer->values.key == key || outer->values.key == keys[key].excludes)
            return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                            "the path has by/%s already, which cannot be combined with by/%s",
                            keys[outer->values.key].name, keys[key].name);
    }
    return true;
}

static XtfGrouping *grouping_alloc(XtfTraceContext *context, XtfSelection *selection, XtfGrouping *outer,
                                   XtfGroupKey key)
{
    XtfGrouping *grouping = g_new0(XtfGrouping, 1);

    g_atomic_ref_count_init(&grouping->references);
    grouping->context = context;
    grouping->outer = xtf_grouping_ref(outer);
    grouping->selection = xtf_selection_ref(selection);
    grouping->values.key = key;
    return grouping;
}

XtfGrouping *xtf_grouping_new_slices(XtfTraceContext *context, const XtfSelection *selection, uint64_t n)
{
    XtfGrouping *grouping = grouping_alloc(context, (XtfSelection *)selection, NULL, XTF_GROUP_BY_TIME);

    set_slices(grouping, n);
    grouping->n_blocks = n;
    return grouping;
}

XtfGrouping *xtf_grouping_new(XtfTraceContext *context, XtfSelection *selection, XtfGrouping *outer, const char *text,
                              GError **error)
{
    const char *parameter;
    XtfGroupKey key;

    if (!parse_key(text, &key, &parameter)) {
        xtf_fail(error, XTF_ERROR_NOT_FOUND,
                 "\"%s\" is not a key: the keys are proc, thread, region, class, comm, peer, tag, site, and time:N for "
                 "N slices",
                 text);
        return NULL;
    }
    g_autoptr(XtfGrouping) grouping = grouping_alloc(context, selection, outer, key);
    if (!check_outer_keys(outer, key, error) || !keys[key].find(grouping, parameter, error))
        return NULL;
    if (!__builtin_mul_overflow(outer ? outer->n_blocks : 1, grouping->values.n, &grouping->n_blocks))
        return g_steal_pointer(&grouping);
    xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the number of blocks exceeds 64 bits");
    return NULL;
}

XtfGrouping *xtf_grouping_ref(XtfGrouping *grouping)
{
    if (grouping)
        g_atomic_ref_count_inc(&grouping->references);
    return grouping;
}

void xtf_grouping_unref(XtfGrouping *grouping)
{
    while (grouping && g_atomic_ref_count_dec(&grouping->references)) {
        XtfGrouping *outer = grouping->outer;
        xtf_selection_unref(grouping->selection);
        g_free(grouping->values.numbers);
        g_free(grouping);
        grouping = outer;
    }
}

/* ---- Blocks. */

static XtfSelection *select_set(const XtfGrouping *grouping, const XtfSelection *selection, XtfNumberSet *set)
{
    XtfGroupKey key = grouping->values.key;
    static const XtfFacet facets[XTF_GROUP_N_KEYS] = {
        [XTF_GROUP_BY_REGION] = XTF_BY_REGION, [XTF_GROUP_BY_CLASS] = XTF_BY_REGION, [XTF_GROUP_BY_COMM] = XTF_BY_COMM,
        [XTF_GROUP_BY_PEER] = XTF_BY_PEER,     [XTF_GROUP_BY_TAG] = XTF_BY_TAG,
    };

    if (key == XTF_GROUP_BY_SITE)
        return xtf_selection_in_sites(selection, &grouping->context->sites, set); /* loaded by find_sites() */
    return key == XTF_GROUP_BY_PROC || key == XTF_GROUP_BY_THREAD ? xtf_selection_in_procs(selection, set)
                                                                  : xtf_selection_by(selection, facets[key], set);
}

static XtfSelection *select_class(const XtfGrouping *grouping, const XtfSelection *selection, uint64_t class)
{
    const XtfRegionClasses *classes = &grouping->context->classes; /* loaded: `class` comes from it */
    g_autoptr(XtfNumberSet) rows = xtf_region_classes_rows(classes, XTF_CLASS_BIT(class));

    return xtf_selection_by(selection, XTF_BY_REGION, rows);
}

static XtfSelection *select_thread(const XtfGrouping *grouping, const XtfSelection *selection, uint64_t index)
{
    const XtfLocation *location = &grouping->context->locations.all[index]; /* loaded: `index` comes from it */
    g_autoptr(XtfNumberSet) proc = xtf_number_set_of_one(location->proc),
                            thread = xtf_number_set_of_one(location->thread);
    g_autoptr(XtfSelection) in_proc = xtf_selection_in_procs(selection, proc);

    return xtf_selection_in_threads(in_proc, thread);
}

XtfSelection *xtf_key_slices(const XtfKeyValues *values, const XtfSelection *selection, uint64_t first, uint64_t n)
{
    return xtf_selection_in_window(selection, first == 0 ? 0 : xtf_key_bound(values, first),
                                   first + n == values->n ? XTF_TIME_OPEN : xtf_key_bound(values, first + n));
}

static XtfSelection *select_value(const XtfGrouping *grouping, const XtfSelection *selection, uint64_t i)
{
    const XtfKeyValues *values = &grouping->values;

    if (values->key == XTF_GROUP_BY_TIME)
        return xtf_key_slices(values, selection, i, 1);
    if (values->key == XTF_GROUP_BY_THREAD && values->n)
        return select_thread(grouping, selection, xtf_key_number(values, i));
    if (values->key == XTF_GROUP_BY_CLASS && values->n)
        return select_class(grouping, selection, xtf_key_number(values, i));
    g_autoptr(XtfNumberSet) set =
        values->n ? xtf_number_set_of_one(xtf_key_number(values, i)) : xtf_number_set_from_flags(NULL, 0);
    return select_set(grouping, selection, set);
}

XtfSelection *xtf_grouping_selection(const XtfGrouping *grouping, uint64_t block)
{
    uint64_t n = MAX(grouping->values.n, 1);
    g_autoptr(XtfSelection) outer_block =
        grouping->outer ? xtf_grouping_selection(grouping->outer, block / n) : xtf_selection_ref(grouping->selection);

    return select_value(grouping, outer_block, block % n);
}
