/*
 * Directories of selections: what narrows them, what shows them, and what they list.
 *
 * Listings show one order only: processes, in each its threads, in each its record types. All else is there when it is
 * named.
 */
#include <string.h>

#include "libxtf/error.h"
#include "src/query/text/digits.h"
#include "src/query/tree/node.h"
#include "src/query/views/info.h"

enum {
    ZOOMS = 10,
};

/* ---- Links to windows. */

/* The window's ends, cut off at those of the trace; false if nothing is left of it. */
static bool window_ends(const XtfNode *node, uint64_t *from, uint64_t *to)
{
    const XtfTimeScale *scale = &node->tree->context.scale;

    *from = CLAMP(node->a, scale->origin, scale->end);
    *to = CLAMP(node->b, *from, scale->end);
    return *from < *to;
}

static XtfNode *window_link(const XtfNode *directory, const char *up, uint64_t a, uint64_t b)
{
    char name[XTF_WINDOW_TEXT_MAX];

    xtf_time_scale_print_window(&directory->tree->context.scale, a, b, name);
    return xtf_node_new_link(directory, g_strconcat(up, name, NULL));
}

/* The window of the same width right after, or before, this one; false if it would lie outside of the trace. An open
 * end is the trace's; one beyond it stays, so that going there and back leads home. */
static bool beside(const XtfNode *node, bool after, uint64_t *a, uint64_t *b)
{
    const XtfTimeScale *scale = &node->tree->context.scale;
    uint64_t from = MAX(node->a, scale->origin), to = node->b == XTF_TIME_OPEN ? scale->end : node->b;
    uint64_t width = to > from ? to - from : 0;

    if (!width || (after ? to >= scale->end : from <= scale->origin))
        return false;
    *a = after ? to : from - MIN(width, from - scale->origin);
    *b = after ? (width > UINT64_MAX - 1 - to ? UINT64_MAX - 1 : to + width) : from;
    return true;
}

static XtfNode *lookup_beside(XtfNode *directory, const char *name, GError **error)
{
    uint64_t a, b;

    if (beside(directory, g_str_equal(name, "next"), &a, &b))
        return window_link(directory, "../", a, b);
    g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "the trace %s here",
                g_str_equal(name, "next") ? "ends" : "begins");
    return NULL;
}

static XtfNode *lookup_zoom(XtfNode *directory, const char *name, GError **error)
{
    uint64_t from, to;

    if (!g_ascii_isdigit(name[0]) || name[1]) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "the parts of a window are numbered 0 to %d", ZOOMS - 1);
        return NULL;
    }
    uint64_t i = (uint64_t)(name[0] - '0');
    window_ends(directory, &from, &to);
    return window_link(directory, directory->is_window ? "../../" : "../time/", xtf_slice(from, to, i, ZOOMS),
                       xtf_slice(from, to, i + 1, ZOOMS));
}

/* ---- Narrowing. */

static XtfNode *narrowed(const XtfNode *directory, XtfSelection *selection)
{
    XtfNode *node = xtf_node_new(directory, NODE_SELECTION);
    xtf_selection_unref(node->selection);
    node->selection = selection;
    return node;
}

static XtfNode *lookup_set(XtfNode *directory, const char *name, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);
    bool procs = directory->role == NODE_PROCS;
    const char *what = procs ? "process" : "thread";
    g_autoptr(XtfNumberSet) set = locations ? xtf_number_set_parse(what, name, error) : NULL;

    if (!set || !xtf_number_set_exists(set, what, procs ? locations->procs : locations->threads,
                                       procs ? locations->n_procs : locations->n_threads, error))
        return NULL;
    return narrowed(directory, procs ? xtf_selection_in_procs(directory->selection, set)
                                     : xtf_selection_in_threads(directory->selection, set));
}

static XtfNode *lookup_peers(XtfNode *directory, const char *name, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);
    g_autoptr(XtfNumberSet) set = locations ? xtf_number_set_parse("process", name, error) : NULL;

    if (!set || !xtf_number_set_exists(set, "process", locations->procs, locations->n_procs, error))
        return NULL;
    return narrowed(directory, xtf_selection_by(directory->selection, XTF_BY_PEER, set));
}

static XtfNode *lookup_tags(XtfNode *directory, const char *name, GError **error)
{
    g_autoptr(XtfNumberSet) set = xtf_number_set_parse("tag", name, error);
    return set ? narrowed(directory, xtf_selection_by(directory->selection, XTF_BY_TAG, set)) : NULL;
}

static const XtfNameIndex *named_of(const XtfNode *directory, GError **error)
{
    XtfTraceContext *context = &directory->tree->context;
    return directory->role == NODE_REGIONS ? xtf_trace_context_regions(context, error)
                                           : xtf_trace_context_comms(context, error);
}

static XtfNode *lookup_named(XtfNode *directory, const char *name, GError **error)
{
    const XtfNameIndex *named = named_of(directory, error);
    g_autoptr(XtfNumberSet) set = named ? xtf_name_index_lookup(named, name, error) : NULL;
    XtfFacet facet = directory->role == NODE_REGIONS ? XTF_BY_REGION : XTF_BY_COMM;

    return set ? narrowed(directory, xtf_selection_by(directory->selection, facet, set)) : NULL;
}

static XtfNode *lookup_window(XtfNode *directory, const char *name, GError **error)
{
    const XtfTimeScale *scale = &directory->tree->context.scale;
    uint64_t a, b;

    if (!xtf_time_scale_parse_window(scale, name, &a, &b, error))
        return NULL;
    /* What begins before the trace, or ends after it, is open there: one form for one meaning. */
    uint64_t from = a <= scale->origin ? 0 : a, to = b >= scale->end ? XTF_TIME_OPEN : b;
    XtfNode *node = narrowed(directory, xtf_selection_in_window(directory->selection, MIN(from, to), to));
    node->is_window = true;
    node->a = a;
    node->b = b;
    return node;
}

static XtfNode *lookup_numbers(XtfNode *directory, const char *name, GError **error)
{
    uint64_t i, j;
    bool single;

    if (!xtf_numbers_parse(name, &i, &j, &single, error))
        return NULL;
    if (single)
        return xtf_record_new(directory, i, error);
    if (directory->numberings >= XTF_NUMBERINGS_MAX) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "num/ stands more than %d times in the path",
                    XTF_NUMBERINGS_MAX);
        return NULL;
    }
    XtfNode *node = narrowed(directory, xtf_selection_in_numbers(directory->selection, i, j));
    node->numberings++;
    return node;
}

static XtfNode *lookup_type(XtfNode *directory, const char *name, GError **error)
{
    const XtfSchema *schema = xtf_trace_context_schema(&directory->tree->context, name, XTF_SCHEMA_RECORD);

    if (schema)
        return narrowed(directory, xtf_selection_in_type(directory->selection, schema->id));
    g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND,
                "\"%s\" is no file, no record type and none of proc, thread, time, num, region, comm, peer, tag: see "
                "README and info",
                name);
    return NULL;
}

/* ---- Files. */

static bool size_file(XtfNode *node, GError **error)
{
    XtfTree *tree = node->tree;
    const XtfFormat *format;
    uint64_t count;

    switch (node->role) {
    case NODE_README:
        node->size = strlen(xtf_readme);
        return true;
    case NODE_COUNT:
        if (!xtf_resolver_count(&tree->resolver, node->selection, &count, error))
            return false;
        node->size = xtf_count_digits(count) + 1;
        return true;
    case NODE_RECORDS:
        return xtf_records_size(&tree->records, node->selection, &node->size, error);
    case NODE_COLUMNS: {
        if (!(format = xtf_formats_get(&tree->formats, node->selection->type, error)))
            return false;
        GString *text = xtf_columns_text(format, &tree->context.scale);
        node->size = text->len;
        g_string_free(text, TRUE);
        return true;
    }
    case NODE_VIEW:
        return xtf_view_size(&tree->views, node->view, node->selection, &node->size, error);
    default:
        return true; /* directories */
    }
}

static XtfNode *new_zoom(const XtfNode *directory)
{
    XtfNode *node = xtf_node_new(directory, NODE_ZOOM);

    node->is_window = directory->is_window;
    node->a = directory->is_window ? directory->a : directory->selection->time_from;
    node->b = directory->is_window ? directory->b : directory->selection->time_to;
    return node;
}

/* What is always there. In the order of the listing; `root`: only at the root; `window`: only in windows. */
static const struct {
    const char *name;
    NodeRole role;
    bool root, window;
} own[] = {
    {"README", NODE_README, true, false},
    {"columns", NODE_COLUMNS, false, false},
    {"comm", NODE_COMMS, false, false},
    {"count", NODE_COUNT, false, false},
    {"definitions", NODE_DEFINITIONS, true, false},
    {"histogram", NODE_VIEW, false, false},
    {"profile", NODE_VIEW, false, false},
    {"matrix", NODE_VIEW, false, false},
    {"bytes", NODE_VIEW, false, false},
    {"stack", NODE_VIEW, false, false},
    {"imbalance", NODE_VIEW, false, false},
    {"values", NODE_VIEW, false, false},
    {"info", NODE_VIEW, false, false},
    {"next", NODE_LINK, false, true},
    {"num", NODE_NUMBERS, false, false},
    {"peer", NODE_PEERS, false, false},
    {"prev", NODE_LINK, false, true},
    {"proc", NODE_PROCS, false, false},
    {"records", NODE_RECORDS, false, false},
    {"region", NODE_REGIONS, false, false},
    {"tag", NODE_TAGS, false, false},
    {"thread", NODE_THREADS, false, false},
    {"time", NODE_TIMES, false, false},
    {"zoom", NODE_ZOOM, false, false},
};

static bool is_here(const XtfNode *directory, unsigned i)
{
    return (!own[i].root || directory->depth == 0) && (!own[i].window || directory->is_window);
}

static bool shows_view(const XtfNode *directory, unsigned i)
{
    return xtf_view_exists(&directory->tree->views, xtf_view_find(own[i].name), directory->selection);
}

static XtfNode *lookup_own(XtfNode *directory, unsigned i, GError **error)
{
    if (own[i].role == NODE_LINK)
        return lookup_beside(directory, own[i].name, error);
    if (own[i].role == NODE_ZOOM)
        return new_zoom(directory);
    if (own[i].role == NODE_VIEW && !shows_view(directory, i)) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND,
                    "there is no %s of these records, or the trace keeps no sums for it", own[i].name);
        return NULL;
    }
    g_autoptr(XtfNode) node = xtf_node_new(directory, own[i].role);
    if (own[i].role == NODE_VIEW)
        node->view = xtf_view_find(own[i].name);
    return size_file(node, error) ? g_steal_pointer(&node) : NULL;
}

XtfNode *xtf_selection_lookup(XtfNode *directory, const char *name, GError **error)
{
    if (strlen(name) > XTF_DIRECTORY_NAME_MAX) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "the name is longer than 255 bytes");
        return NULL;
    }
    switch (directory->role) {
    case NODE_PROCS:
    case NODE_THREADS:
        return lookup_set(directory, name, error);
    case NODE_TIMES:
        return lookup_window(directory, name, error);
    case NODE_NUMBERS:
        return lookup_numbers(directory, name, error);
    case NODE_REGIONS:
    case NODE_COMMS:
        return lookup_named(directory, name, error);
    case NODE_PEERS:
        return lookup_peers(directory, name, error);
    case NODE_TAGS:
        return lookup_tags(directory, name, error);
    case NODE_ZOOM:
        return lookup_zoom(directory, name, error);
    default:
        break;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(own); i++) {
        if (g_str_equal(own[i].name, name) && is_here(directory, i))
            return lookup_own(directory, i, error);
    }
    return lookup_type(directory, name, error);
}

/* ---- Listing. */

static void list_numbers(XtfLister *lister, const uint64_t *numbers, uint64_t n)
{
    char text[24], *end = text + sizeof text - 1;

    *end = '\0';
    for (uint64_t i = MIN(lister->from, n); i < n && !lister->stopped; i++)
        lister->stopped = !lister->visit(xtf_put_digits(end, numbers[i]), XTF_NODE_DIRECTORY, lister->data);
}

static void list_named(const XtfNameIndex *named, XtfLister *lister)
{
    for (uint64_t i = lister->from; i < named->n_listed && !lister->stopped; i++) {
        g_autofree char *name = xtf_name_index_print(named, i);
        lister->stopped = !lister->visit(name, XTF_NODE_DIRECTORY, lister->data);
    }
}

/* The threads of one process; or of any, where there are several. */
static void list_threads(const XtfSelection *selection, const XtfLocations *locations, XtfLister *lister)
{
    uint64_t proc;

    if (!xtf_number_set_single(selection->procs, &proc)) {
        list_numbers(lister, locations->threads, locations->n_threads);
        return;
    }
    g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    for (uint32_t i = xtf_locations_of_proc(locations, proc); i < locations->n; i++) {
        const XtfLocation *location = &locations->all[i];
        if (location->proc != proc)
            break;
        if (!threads->len || g_array_index(threads, uint64_t, threads->len - 1) != location->thread)
            g_array_append_val(threads, location->thread);
    }
    list_numbers(lister, (const uint64_t *)(void *)threads->data, threads->len);
}

/* The types that the selection's locations have records of, in the order of the schemas. */
static bool list_types(XtfTraceContext *context, const XtfSelection *selection, const XtfLocations *locations,
                       XtfLister *lister, GError **error)
{
    XtfTrace *trace = context->trace;
    g_autoptr(GArray) places = xtf_selection_locations(selection, locations);
    g_autofree bool *present = g_new0(bool, xtf_trace_n_schemas(trace) + 1);

    for (unsigned i = 0; i < places->len; i++) {
        const XtfLocation *location = &locations->all[g_array_index(places, uint32_t, i)];
        g_autofree XtfArray *arrays = g_new(XtfArray, MIN(location->n_arrays, (uint64_t)XTF_SCHEMAS_MAX) + 1);
        uint64_t n = MIN(location->n_arrays, (uint64_t)XTF_SCHEMAS_MAX);
        if (n && !xtf_trace_get_arrays(trace, location->first_array, n, arrays, error))
            return false;
        for (uint64_t j = 0; j < n; j++)
            present[arrays[j].schema->id] = true;
    }
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        if (present[i] && xtf_trace_context_is_record(context, i))
            xtf_lister_show(lister, context->type_names[i], XTF_NODE_DIRECTORY);
    }
    return true;
}

static XtfNodeKind kind_of_role(NodeRole role)
{
    XtfNode node = {.role = role};
    return xtf_node_kind(&node);
}

static bool listed(const XtfNode *directory, unsigned i)
{
    uint64_t a, b;

    if (!is_here(directory, i))
        return false;
    switch (own[i].role) {
    case NODE_LINK:
        return beside(directory, g_str_equal(own[i].name, "next"), &a, &b);
    case NODE_PROCS:
        return !directory->selection->procs;
    case NODE_THREADS:
        return directory->selection->procs && !directory->selection->threads;
    case NODE_VIEW:
        return shows_view(directory, i);
    case NODE_ZOOM:
        return directory->is_window || directory->depth == 0;
    case NODE_REGIONS:
    case NODE_COMMS:
    case NODE_PEERS:
    case NODE_TAGS: /* what walks the tree would read all that is below once more */
        return false;
    default:
        return true;
    }
}

static bool list_selection(XtfNode *directory, XtfLister *lister, GError **error)
{
    const XtfSelection *selection = directory->selection;

    for (unsigned i = 0; i < G_N_ELEMENTS(own); i++) {
        if (listed(directory, i))
            xtf_lister_show(lister, own[i].name, kind_of_role(own[i].role));
    }
    if (!selection->procs || !selection->threads || selection->type != XTF_ANY_TYPE)
        return true;
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);
    return locations && list_types(&directory->tree->context, selection, locations, lister, error);
}

bool xtf_selection_list(XtfNode *directory, uint64_t from, XtfNodeVisit visit, void *data, GError **error)
{
    XtfLister lister = {from, visit, data, false};
    const XtfLocations *locations;
    const XtfNameIndex *named;

    switch (directory->role) {
    case NODE_SELECTION:
        return list_selection(directory, &lister, error);
    case NODE_PROCS:
    case NODE_THREADS:
        if (!(locations = xtf_trace_context_locations(&directory->tree->context, error)))
            return false;
        if (directory->role == NODE_PROCS)
            list_numbers(&lister, locations->procs, locations->n_procs);
        else
            list_threads(directory->selection, locations, &lister);
        return true;
    case NODE_ZOOM:
        for (unsigned i = 0; i < ZOOMS; i++) {
            char name[2] = {(char)('0' + i), '\0'};
            xtf_lister_show(&lister, name, XTF_NODE_LINK);
        }
        return true;
    case NODE_REGIONS:
    case NODE_COMMS:
        if ((named = named_of(directory, error)))
            list_named(named, &lister);
        return named != NULL;
    default: /* time/, num/, peer/ and tag/: without end, so they list nothing */
        return true;
    }
}
