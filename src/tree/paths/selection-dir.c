#include "src/tree/paths/selection-dir.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/selected-locations.h"
#include "src/tables/views/view.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/tree/paths/entries.h"
#include "src/tree/paths/network-entries.h"

#define CALLS "calls"

/* ---- Entries that do not depend on the type of records. */

/* Sets of directories. */
enum {
    PROGRAM = 1,  /* directories of traces of programs */
    NETWORK = 64, /* directories of measured networks */
    ALL = PROGRAM | NETWORK,
    ROOT = 2,
    WINDOWS = 4,
    ANY_PROC = 8,         /* not narrowed by proc/ */
    PROC_ANY_THREAD = 16, /* narrowed by proc/, but not by thread/ */
    INSTANTS = 32,
    FRAMES = 128, /* frames are also in WINDOWS */
};

static bool shows_derived_rows(const XtfNode *directory)
{
    int64_t type = directory->selection->type;

    return type >= 0 && xtf_trace_schema(directory->tree->trace, (uint32_t)type)->kind == XTF_SCHEMA_DERIVED;
}

/* Returns the sets that a directory is in. Every selection lists derived types. Their directories do not list narrower
 * selections: programs that walk the tree would visit all processes again for each type. */
static unsigned find_sets(const XtfNode *directory)
{
    const XtfSelection *selection = directory->selection;
    bool is_network = directory->tree->context.scale.bytes, narrows = !shows_derived_rows(directory);
    return (is_network ? NETWORK : PROGRAM) | (directory->depth == 0 ? ROOT : 0) |
           (directory->is_window ? WINDOWS : 0) | (directory->is_instant ? INSTANTS : 0) |
           (directory->is_frame ? FRAMES : 0) | (narrows && !selection->procs ? ANY_PROC : 0) |
           (narrows && selection->procs && !selection->threads ? PROC_ANY_THREAD : 0);
}

typedef struct {
    const char *name; /* NULL: place of the views and pictures in a listing */
    const XtfNodeClass *class;
    unsigned is_in, is_listed;                                              /* sets of directories */
    XtfNode *(*make)(XtfNode *directory, const char *name, GError **error); /* NULL: makes a node of the class */
} Entry;

static XtfNode *make_calls(XtfNode *directory, const char *name, GError **error)
{
    const XtfTraceContext *context = &directory->tree->context;
    XtfAggregateRef frames;

    if (!xtf_aggregate_ref_frames(&frames, context))
        return xtf_not_found(error, "the trace has no calls, or keeps no aggregates of them");
    return xtf_node_new_selection(directory, xtf_selection_in_calls(directory->selection, context));
}

static XtfNode *make_sites(XtfNode *directory, const char *name, GError **error)
{
    const XtfSites *sites = xtf_trace_context_sites(&directory->tree->context, error);

    if (!sites)
        return NULL;
    if (!sites->n)
        return xtf_not_found(error, "the trace has no call sites");
    if (directory->selection->type >= 0 &&
        !xtf_schema_field_by_role(xtf_trace_schema(directory->tree->trace, (uint32_t)directory->selection->type),
                                  XTF_ROLE_SITE))
        return xtf_not_found(error, "site/ is about calls: the table `sites` has bytes and waits of each call site");
    return xtf_node_new(directory, &xtf_sites_dir);
}

/* Entries in the order of the listing. A listing omits directories that show each record again, since programs that
 * walk the tree would read all records once more. They read rows of an analysis once for the trace, each
 * process and each thread. Windows do not list links to other windows, since programs that follow links would never
 * end. */
static const Entry entries[] = {
    {"README", &xtf_readme_file, ROOT, ROOT, NULL},
    {"after", &xtf_link, INSTANTS, INSTANTS, xtf_instant_link_new},
    {"arrows", &xtf_arrows_dir, PROGRAM, FRAMES, xtf_arrows_dir_new},
    {"at", &xtf_instants_dir, ALL, 0, NULL},
    {"before", &xtf_link, INSTANTS, INSTANTS, xtf_instant_link_new},
    {"by", &xtf_by_dir, PROGRAM, 0, NULL},
    {CALLS, &xtf_selection_dir, PROGRAM, 0, make_calls},
    {"class", &xtf_classes_dir, PROGRAM, 0, NULL},
    {"columns", &xtf_columns_file, ALL, ALL, NULL},
    {"comm", &xtf_comms_dir, PROGRAM, 0, NULL},
    {"count", &xtf_count_file, ALL, ALL, NULL},
    {"culprit", &xtf_culprits_dir, PROGRAM, 0, NULL},
    {"definitions", &xtf_definitions_dir, ROOT, ROOT, NULL},
    {"frames", &xtf_frames_dir, PROGRAM, ROOT, NULL},
    {"header", &xtf_header_file, ALL, ALL, NULL},
    {NULL, NULL, 0, 0, NULL},
    {"iter", &xtf_iterations_dir, PROGRAM, 0, NULL},
    {"last", &xtf_lasts_dir, PROGRAM, 0, NULL},
    {"length", &xtf_times_dir, NETWORK, NETWORK, NULL},
    {"local", &xtf_local_dir, PROGRAM, 0, NULL},
    {"next", &xtf_link, WINDOWS, 0, xtf_window_link_new},
    {"num", &xtf_numbers_dir, ALL, ALL, NULL},
    {"peer", &xtf_peers_dir, ALL, 0, NULL},
    {"prev", &xtf_link, WINDOWS, 0, xtf_window_link_new},
    {"proc", &xtf_procs_dir, ALL, ANY_PROC, NULL},
    {"records", &xtf_records_file, ALL, ALL, NULL},
    {"region", &xtf_regions_dir, PROGRAM, 0, NULL},
    {"run", &xtf_readme_file, FRAMES, FRAMES, xtf_run_file_new},
    {"site", &xtf_sites_dir, PROGRAM, 0, make_sites},
    {"tag", &xtf_tags_dir, PROGRAM, 0, NULL},
    {"thread", &xtf_threads_dir, ALL, PROC_ANY_THREAD, NULL},
    {"time", &xtf_times_dir, PROGRAM, PROGRAM, NULL},
    {"zoom", &xtf_zoom_dir, ALL, ROOT, xtf_zoom_new},
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
    return find_entry(name) || xtf_view_is_name(name) || xtf_picture_find(name) || xtf_network_entry_has(name);
}

/* ---- Looking up. */

static XtfNode *lookup_view(XtfNode *directory, const XtfView *view, GError **error)
{
    if (!xtf_view_check(&directory->tree->views, view, directory->selection, error))
        return NULL;
    XtfNode *node = xtf_node_new(directory, &xtf_view_file);
    node->view = view;
    return xtf_node_with_size(node, error);
}

static XtfNode *lookup_picture(XtfNode *directory, const XtfPicture *picture, GError **error)
{
    if (!xtf_picture_check(&directory->tree->pictures, picture, directory->selection, error))
        return NULL;
    XtfNode *node = xtf_node_new(directory, &xtf_picture_file);
    node->picture = picture;
    return xtf_node_with_size(node, error);
}

/* True if a name is a derived type of the vocabulary. */
static bool is_derived_name(const char *name)
{
    static const char *const names[] = {XTF_DERIVED_WAITS,    XTF_DERIVED_DELAYS, XTF_DERIVED_CRITICAL,
                                        XTF_DERIVED_ACTIVITY, XTF_DERIVED_IDEAL,  NULL};

    return g_strv_contains(names, name);
}

/* True if the writer has not closed the trace. */
static bool is_running(const XtfTraceContext *context)
{
    XtfTraceInfo info;

    xtf_trace_get_info(context->trace, &info);
    return context->growing || !info.closed;
}

/* True if the trace's waits may have a kind of this name. */
static bool is_wait_kind(XtfTraceContext *context, const char *name)
{
    const XtfSchema *waits = xtf_trace_context_schema(context, XTF_DERIVED_WAITS, XTF_SCHEMA_DERIVED);
    const XtfField *event = waits ? xtf_schema_field_by_role(waits, XTF_ROLE_EVENT) : NULL;

    for (uint32_t i = 0; event && i < event->n_labels; i++) {
        if (g_str_equal(event->labels[i], name))
            return true;
    }
    return false;
}

/* True if rows of a type can be in the directory: below site/, only calls have sites. */
static bool allows_type(const XtfNode *directory, const XtfSchema *schema)
{
    return !directory->selection->by[XTF_BY_SITE] || xtf_schema_field_by_role(schema, XTF_ROLE_SITE);
}

static XtfNode *lookup_type(XtfNode *directory, const char *name, GError **error)
{
    XtfTraceContext *context = &directory->tree->context;
    const XtfSchema *schema = xtf_trace_context_schema(context, name, XTF_SCHEMA_RECORD);
    bool outdated = false;

    if (!schema)
        schema = xtf_trace_context_schema(context, name, XTF_SCHEMA_DERIVED);
    if (schema && !xtf_trace_context_is_outdated(context, schema, &outdated, error))
        return NULL;
    if (outdated)
        return xtf_not_found(error, "the clocks have changed since \"%s\" was made: analyse the trace again", name);
    if (schema && !allows_type(directory, schema))
        return xtf_not_found(
            error, "\"%s\" is not below site/: the table `sites` has bytes and waits of each call site", name);
    if (schema)
        return xtf_node_new_selection(directory, xtf_selection_in_type(directory->selection, schema->id));
    if (xtf_kinds_has(directory))
        return xtf_kinds_lookup(directory, name, error);
    if (context->scale.bytes)
        return xtf_not_found(error,
                             "\"%s\" is neither a file nor one of links, average, median, deviation, min, amount, "
                             "repeat, proc, peer, pair, length, at, num: see README and info",
                             name);
    if (is_derived_name(name) && is_running(context))
        return xtf_not_found(error,
                             "\"%s\" needs an analysis, which a trace can have when its run has ended; `waiting` shows "
                             "who waits now",
                             name);
    if (is_derived_name(name))
        return xtf_not_found(error, "\"%s\" exists once the trace is analysed: run xtf analyze TRACE", name);
    if (is_wait_kind(context, name))
        return xtf_not_found(error, "\"%s\" is a kind of waits: it is a directory below waits/ and delays/", name);
    return xtf_not_found(
        error,
        "\"%s\" is neither a file, a record type nor one of calls, proc, thread, time, last, at, iter, local, num, "
        "region, class, site, comm, peer, tag, culprit, by: see README and info",
        name);
}

static XtfNode *lookup_entry(XtfNode *directory, const char *name, GError **error)
{
    const XtfView *view = xtf_view_by_name(&directory->tree->views, name, directory->selection);
    const XtfPicture *picture = xtf_picture_find(name);
    const Entry *entry = find_entry(name);

    bool found;

    XtfNode *node = xtf_network_entry_new(directory, name, &found, error);
    if (found)
        return node;
    if (view)
        return lookup_view(directory, view, error);
    if (picture)
        return lookup_picture(directory, picture, error);
    if (!entry || !(entry->is_in & find_sets(directory)))
        return lookup_type(directory, name, error);
    if (entry->make)
        return entry->make(directory, name, error);
    bool are_calls = entry->class == &xtf_records_file && directory->selection->calls;
    return xtf_node_with_size(xtf_node_new(directory, are_calls ? &xtf_calls_file : entry->class), error);
}

/* ---- Listing. */

/* Lists a type of derived rows, unless it is outdated. */
static bool list_derived(XtfTraceContext *context, const XtfSchema *schema, XtfLister *lister, GError **error)
{
    GError *lookup_error = NULL;
    bool outdated, known = xtf_trace_context_is_outdated(context, schema, &outdated, &lookup_error);

    return xtf_lister_offer(lister, context->type_names[schema->id], XTF_NODE_DIRECTORY, known && !outdated,
                            lookup_error, error);
}

/* Lists all derived types, for any locations. All data it needs is in memory. */
static bool list_all_derived(const XtfNode *directory, XtfLister *lister, GError **error)
{
    XtfTraceContext *context = &directory->tree->context;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(context->trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(context->trace, i);
        if (schema->kind == XTF_SCHEMA_DERIVED && allows_type(directory, schema) &&
            !list_derived(context, schema, lister, error))
            return false;
    }
    return true;
}

/* Lists the types that the selection's locations have rows of: calls first, then the order of the schemas. */
static bool list_types(const XtfNode *directory, XtfLister *lister, GError **error)
{
    XtfTraceContext *context = &directory->tree->context;
    const XtfSelection *selection = directory->selection;
    g_autofree bool *present = g_new0(bool, xtf_trace_n_schemas(context->trace) + 1);
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(XtfLocationArrays) arrays = {0};

    if (!xtf_selected_locations_init(&selected, context, selection, error))
        return false;
    for (uint32_t i = 0; i < selected.n; i++) {
        if (!xtf_location_arrays_load(&arrays, context, xtf_selected_location(&selected, i), error))
            return false;
        for (uint32_t j = 0; j < arrays.n; j++)
            present[arrays.all[j].schema->id] = true;
    }
    XtfAggregateRef frames;
    if (xtf_aggregate_ref_frames(&frames, context) && present[frames.schema->id])
        xtf_lister_show(lister, CALLS, XTF_NODE_DIRECTORY);
    for (uint32_t i = 0; i < xtf_trace_n_schemas(context->trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(context->trace, i);
        if (!allows_type(directory, schema))
            continue;
        if (present[i] && schema->kind == XTF_SCHEMA_RECORD)
            xtf_lister_show(lister, context->type_names[i], XTF_NODE_DIRECTORY);
        else if (present[i] && schema->kind == XTF_SCHEMA_DERIVED && !list_derived(context, schema, lister, error))
            return false;
    }
    return true;
}

static void list_views(XtfNode *directory, XtfLister *lister)
{
    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        const XtfViews *views = &directory->tree->views;
        bool listed = (*view)->of_frames ? directory->is_frame : !directory->is_instant || (*view)->of_instants;
        if (listed && xtf_view_exists(views, *view, directory->selection) &&
            xtf_view_by_name(views, (*view)->table.name, directory->selection) == *view)
            xtf_lister_show(lister, (*view)->table.name, XTF_NODE_FILE);
    }
}

/* Lists pictures at the root, in windows and in frames only. Every selection has pictures, but programs that walk the
 * tree would draw thousands. */
static void list_pictures(XtfNode *directory, XtfLister *lister)
{
    for (const XtfPicture *const *picture = xtf_all_pictures; *picture; picture++) {
        bool listed = (*picture)->of_frames ? directory->is_frame : find_sets(directory) & (ROOT | WINDOWS);
        if (listed && xtf_picture_check(&directory->tree->pictures, *picture, directory->selection, NULL))
            xtf_lister_show(lister, (*picture)->name, XTF_NODE_FILE);
    }
}

static void list_files(XtfNode *directory, XtfLister *lister)
{
    list_views(directory, lister);
    xtf_network_entries_list(directory, lister);
    list_pictures(directory, lister);
}

/* Lists an entry if the directory has it. An instant has no records, so its directory does not list entries
 * that show records. */
static bool list_entry(XtfNode *directory, const Entry *entry, XtfLister *lister, GError **error)
{
    unsigned sets = find_sets(directory) & ~(directory->is_instant ? (unsigned)ALL : 0);
    GError *lookup_error = NULL;

    if (!(entry->is_listed & sets))
        return true;
    g_autoptr(XtfNode) node = entry->make ? entry->make(directory, entry->name, &lookup_error) : NULL;
    return xtf_lister_offer(lister, entry->name, entry->class->kind, node || !entry->make, lookup_error, error);
}

static bool list_directory(XtfNode *directory, XtfLister *lister, GError **error)
{
    const XtfSelection *selection = directory->selection;

    for (unsigned i = 0; i < G_N_ELEMENTS(entries); i++) {
        if (!entries[i].name)
            list_files(directory, lister);
        else if (!list_entry(directory, &entries[i], lister, error))
            return false;
    }
    if (selection->type != XTF_ANY_TYPE || directory->is_instant)
        return true;
    if (selection->procs && selection->threads)
        return list_types(directory, lister, error);
    return selection->base || list_all_derived(directory, lister, error);
}

bool xtf_selection_dir_names(XtfNode *directory, XtfNodeVisit visit, void *data, GError **error)
{
    XtfLister lister = {.visit = visit, .data = data};

    for (unsigned i = 0; i < G_N_ELEMENTS(entries); i++) {
        if (entries[i].name && entries[i].is_in & find_sets(directory))
            xtf_lister_show(&lister, entries[i].name, entries[i].class->kind);
    }
    for (const XtfPicture *const *picture = xtf_all_pictures; *picture; picture++) {
        if (xtf_picture_check(&directory->tree->pictures, *picture, directory->selection, NULL))
            xtf_lister_show(&lister, (*picture)->name, XTF_NODE_FILE);
    }
    return list_directory(directory, &lister, error);
}

const XtfNodeClass xtf_selection_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_entry, .list = list_directory};
