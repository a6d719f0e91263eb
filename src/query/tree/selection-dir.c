#include "src/query/tree/selection-dir.h"

#include "src/query/tree/definitions-dir.h"
#include "src/query/tree/files.h"
#include "src/query/tree/narrowing-dirs.h"
#include "src/query/tree/window-links.h"
#include "src/query/views/view.h"

/* ---- The entries that a directory has whatever its records are. */

typedef struct {
    const char *name; /* NULL: the views are listed here */
    const XtfNodeClass *class;
    bool (*is_here)(const XtfNode *directory);                              /* NULL: in every directory */
    bool (*is_listed)(const XtfNode *directory);                            /* if it is here; NULL: if it can be made */
    XtfNode *(*make)(XtfNode *directory, const char *name, GError **error); /* NULL: makes a node of the class */
} Entry;

static bool is_root(const XtfNode *directory)
{
    return directory->depth == 0;
}

static bool is_window(const XtfNode *directory)
{
    return directory->is_window;
}

static bool is_root_or_window(const XtfNode *directory)
{
    return directory->is_window || directory->depth == 0;
}

static bool has_all_procs(const XtfNode *directory)
{
    return !directory->selection->procs;
}

static bool has_all_threads_of_some(const XtfNode *directory)
{
    return directory->selection->procs && !directory->selection->threads;
}

/* For directories below which each record stands once more: a program that walks the tree would read them all again. */
static bool never(const XtfNode *directory)
{
    return false;
}

static const Entry entries[] = {
    /* In the order of the listing. */
    {.name = "README", .class = &xtf_readme_file, .is_here = is_root},
    {.name = "columns", .class = &xtf_columns_file},
    {.name = "comm", .class = &xtf_comms_dir, .is_listed = never},
    {.name = "count", .class = &xtf_count_file},
    {.name = "definitions", .class = &xtf_definitions_dir, .is_here = is_root},
    {.name = NULL}, /* views */
    {.name = "next", .class = &xtf_link, .is_here = is_window, .make = xtf_window_link_new},
    {.name = "num", .class = &xtf_numbers_dir},
    {.name = "peer", .class = &xtf_peers_dir, .is_listed = never},
    {.name = "prev", .class = &xtf_link, .is_here = is_window, .make = xtf_window_link_new},
    {.name = "proc", .class = &xtf_procs_dir, .is_listed = has_all_procs},
    {.name = "records", .class = &xtf_records_file},
    {.name = "region", .class = &xtf_regions_dir, .is_listed = never},
    {.name = "tag", .class = &xtf_tags_dir, .is_listed = never},
    {.name = "thread", .class = &xtf_threads_dir, .is_listed = has_all_threads_of_some},
    {.name = "time", .class = &xtf_times_dir},
    {.name = "zoom", .class = &xtf_zoom_dir, .is_listed = is_root_or_window, .make = xtf_zoom_new},
};

static const Entry *find_entry(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(entries); i++) {
        if (entries[i].name && g_str_equal(entries[i].name, name))
            return &entries[i];
    }
    return NULL;
}

bool xtf_selection_dir_has(const char *name)
{
    /* Nothing is called match or timeline.svg yet. */
    return find_entry(name) || xtf_view_find(name) || g_str_equal(name, "match") || g_str_equal(name, "timeline.svg");
}

/* ---- Looking up. */

static XtfNode *lookup_view(XtfNode *directory, const XtfView *view, GError **error)
{
    XtfTree *tree = directory->tree;

    if (!xtf_view_exists(&tree->views, view, tree->root->selection))
        return xtf_not_found(error, "the trace has no records for %s, or keeps no aggregates of them", view->name);
    if (!xtf_view_exists(&tree->views, view, directory->selection))
        return xtf_not_found(error, "there is no %s of these records", view->name);
    XtfNode *node = xtf_node_new(directory, &xtf_view_file);
    node->view = view;
    return xtf_node_with_size(node, error);
}

static XtfNode *lookup_type(XtfNode *directory, const char *name, GError **error)
{
    const XtfSchema *schema = xtf_trace_context_schema(&directory->tree->context, name, XTF_SCHEMA_RECORD);

    if (schema)
        return xtf_node_new_selection(directory, xtf_selection_in_type(directory->selection, schema->id));
    return xtf_not_found(error,
                         "\"%s\" is no file, no record type and none of proc, thread, time, num, region, comm, peer, "
                         "tag: see README and info",
                         name);
}

static XtfNode *lookup(XtfNode *directory, const char *name, GError **error)
{
    const XtfView *view = xtf_view_find(name);
    const Entry *entry = find_entry(name);

    if (view)
        return lookup_view(directory, view, error);
    if (!entry || (entry->is_here && !entry->is_here(directory)))
        return lookup_type(directory, name, error);
    if (entry->make)
        return entry->make(directory, name, error);
    return xtf_node_with_size(xtf_node_new(directory, entry->class), error);
}

/* ---- Listing. */

/* The types that the selection's locations have records of, in the order of the schemas. */
static bool list_types(XtfTraceContext *context, const XtfSelection *selection, XtfLister *lister, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    XtfTrace *trace = context->trace;

    if (!locations)
        return false;
    g_autoptr(GArray) places = xtf_selection_locations(selection, locations);
    g_autofree bool *present = g_new0(bool, xtf_trace_n_schemas(trace) + 1);
    for (unsigned i = 0; i < places->len; i++) {
        const XtfLocation *location = &locations->all[g_array_index(places, uint32_t, i)];
        uint64_t n = MIN(location->n_arrays, (uint64_t)XTF_SCHEMAS_MAX);
        g_autofree XtfArray *arrays = g_new(XtfArray, n + 1);
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

static void list_views(XtfNode *directory, XtfLister *lister)
{
    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        if (xtf_view_exists(&directory->tree->views, *view, directory->selection))
            xtf_lister_show(lister, (*view)->name, XTF_NODE_FILE);
    }
}

static bool is_listed(XtfNode *directory, const Entry *entry)
{
    if (entry->is_here && !entry->is_here(directory))
        return false;
    if (entry->is_listed || !entry->make)
        return !entry->is_listed || entry->is_listed(directory);
    g_autoptr(XtfNode) made = entry->make(directory, entry->name, NULL);
    return made;
}

static bool list(XtfNode *directory, XtfLister *lister, GError **error)
{
    const XtfSelection *selection = directory->selection;

    for (unsigned i = 0; i < G_N_ELEMENTS(entries); i++) {
        if (!entries[i].name)
            list_views(directory, lister);
        else if (is_listed(directory, &entries[i]))
            xtf_lister_show(lister, entries[i].name, entries[i].class->kind);
    }
    if (!selection->procs || !selection->threads || selection->type != XTF_ANY_TYPE)
        return true;
    return list_types(&directory->tree->context, selection, lister, error);
}

const XtfNodeClass xtf_selection_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup, .list = list};
