/* Directories that narrow a selection by the names below them. */
#include <inttypes.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/text/digits.h"
#include "src/tree/entries/record-dir.h"
#include "src/tree/paths/entries.h"

enum {
    NUMBERINGS_MAX = 16, /* most num/ components in one path */
};

/* ---- proc/, thread/, peer/ and tag/: sets of numbers. */

/* Finds a set of processes in proc/, peer/ or culprit/. */
static XtfNode *lookup_procs(XtfNode *directory, const char *name, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);

    if (!locations)
        return NULL;
    const XtfNumbers procs = {.noun = "process", .all = locations->procs, .n = locations->n_procs};
    g_autoptr(XtfNumberSet) set = xtf_number_set_parse(&procs, name, error);
    if (!set)
        return NULL;
    if (directory->class == &xtf_procs_dir)
        return xtf_node_new_selection(directory, xtf_selection_in_procs(directory->selection, set));
    XtfFacet facet = directory->class == &xtf_peers_dir ? XTF_BY_PEER : XTF_BY_CULPRIT;
    return xtf_node_new_selection(directory, xtf_selection_by(directory->selection, facet, set));
}

static XtfNode *lookup_threads(XtfNode *directory, const char *name, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);

    if (!locations)
        return NULL;
    const XtfNumbers threads = {.noun = "thread", .all = locations->threads, .n = locations->n_threads};
    g_autoptr(XtfNumberSet) set = xtf_number_set_parse(&threads, name, error);
    return set ? xtf_node_new_selection(directory, xtf_selection_in_threads(directory->selection, set)) : NULL;
}

static XtfNode *lookup_tags(XtfNode *directory, const char *name, GError **error)
{
    static const XtfNumbers tags = {.noun = "tag", .is_any = true};
    g_autoptr(XtfNumberSet) set = xtf_number_set_parse(&tags, name, error);

    return set ? xtf_node_new_selection(directory, xtf_selection_by(directory->selection, XTF_BY_TAG, set)) : NULL;
}

static void list_numbers(XtfLister *lister, const uint64_t *numbers, uint64_t n)
{
    char text[24], *end = text + sizeof text - 1;

    *end = '\0';
    for (uint64_t i = MIN(lister->from, n); i < n && !lister->stopped; i++)
        lister->stopped = !lister->visit(xtf_put_digits(end, numbers[i]), XTF_NODE_DIRECTORY, lister->data);
}

static bool list_procs(XtfNode *directory, XtfLister *lister, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);

    if (locations)
        list_numbers(lister, locations->procs, locations->n_procs);
    return locations != NULL;
}

/* Lists the threads of the selection's process, or of all processes if it has several. */
static bool list_threads(XtfNode *directory, XtfLister *lister, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);
    uint64_t proc;

    if (!locations)
        return false;
    if (!xtf_number_set_single(directory->selection->procs, &proc)) {
        list_numbers(lister, locations->threads, locations->n_threads);
        return true;
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
    return true;
}

const XtfNodeClass xtf_procs_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_procs, .list = list_procs};
const XtfNodeClass xtf_threads_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_threads, .list = list_threads};
const XtfNodeClass xtf_peers_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_procs};
const XtfNodeClass xtf_culprits_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_procs};
const XtfNodeClass xtf_tags_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_tags};

/* ---- region/ and comm/: names. */

static const XtfNameIndex *name_index(XtfNode *directory, GError **error)
{
    XtfTraceContext *context = &directory->tree->context;
    return directory->class == &xtf_regions_dir ? xtf_trace_context_regions(context, error)
                                                : xtf_trace_context_comms(context, error);
}

static XtfNode *lookup_names(XtfNode *directory, const char *name, GError **error)
{
    const XtfNameIndex *names = name_index(directory, error);
    g_autoptr(XtfNumberSet) set = names ? xtf_name_index_lookup(names, name, error) : NULL;
    XtfFacet facet = directory->class == &xtf_regions_dir ? XTF_BY_REGION : XTF_BY_COMM;

    return set ? xtf_node_new_selection(directory, xtf_selection_by(directory->selection, facet, set)) : NULL;
}

static void list_index(const XtfNameIndex *names, XtfLister *lister)
{
    for (uint64_t i = lister->from; i < names->n_listed && !lister->stopped; i++) {
        g_autofree char *name = xtf_name_index_print(names, i);
        lister->stopped = !lister->visit(name, XTF_NODE_DIRECTORY, lister->data);
    }
}

static bool list_names(XtfNode *directory, XtfLister *lister, GError **error)
{
    const XtfNameIndex *names = name_index(directory, error);

    if (names)
        list_index(names, lister);
    return names;
}

const XtfNodeClass xtf_regions_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_names, .list = list_names};
const XtfNodeClass xtf_comms_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_names, .list = list_names};

/* ---- site/: places in the program. */

static XtfNode *lookup_sites(XtfNode *directory, const char *name, GError **error)
{
    const XtfSites *sites = xtf_trace_context_sites(&directory->tree->context, error);
    g_autoptr(XtfNumberSet) rows = sites ? xtf_sites_lookup(sites, name, error) : NULL;

    return rows ? xtf_node_new_selection(directory, xtf_selection_in_sites(directory->selection, sites, rows)) : NULL;
}

static bool list_sites(XtfNode *directory, XtfLister *lister, GError **error)
{
    const XtfSites *sites = xtf_trace_context_sites(&directory->tree->context, error);

    if (sites)
        list_index(&sites->names, lister);
    return sites;
}

const XtfNodeClass xtf_sites_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_sites, .list = list_sites};

/* ---- class/: sets of regions. */

static XtfNode *lookup_class(XtfNode *directory, const char *name, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(&directory->tree->context, error);
    XtfClassSet wanted;

    if (!classes || !xtf_class_set_parse(name, &wanted, error))
        return NULL;
    g_autoptr(XtfNumberSet) rows = xtf_region_classes_rows(classes, wanted);
    return xtf_node_new_selection(directory, xtf_selection_by(directory->selection, XTF_BY_REGION, rows));
}

/* Lists the classes, and the groups of classes, that the trace has regions of. */
static bool list_classes(XtfNode *directory, XtfLister *lister, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(&directory->tree->context, error);

    if (!classes)
        return false;
    for (const XtfClassGroup *group = xtf_class_groups; group->name; group++) {
        if (classes->present & group->classes)
            xtf_lister_show(lister, group->name, XTF_NODE_DIRECTORY);
    }
    for (unsigned i = 0; i < XTF_N_CLASSES; i++) {
        if (classes->present & XTF_CLASS_BIT(i))
            xtf_lister_show(lister, xtf_class_names[i], XTF_NODE_DIRECTORY);
    }
    return true;
}

const XtfNodeClass xtf_classes_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_class, .list = list_classes};

/* ---- Kinds of derived rows, directly below their type. */

bool xtf_kinds_has(const XtfNode *directory)
{
    const XtfSelection *selection = directory->selection;
    const XtfSchema *schema =
        selection->type >= 0 ? xtf_trace_schema(directory->tree->trace, (uint32_t)selection->type) : NULL;
    const XtfField *event = schema ? xtf_schema_field_by_role(schema, XTF_ROLE_EVENT) : NULL;

    return event && schema->kind == XTF_SCHEMA_DERIVED && event->n_labels;
}

XtfNode *xtf_kinds_lookup(XtfNode *directory, const char *name, GError **error)
{
    const XtfSchema *schema = xtf_trace_schema(directory->tree->trace, (uint32_t)directory->selection->type);
    const XtfField *event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
    const char **labels = g_memdup2(event->labels, event->n_labels * sizeof *labels);
    XtfNameIndex kinds;

    xtf_name_index_init(&kinds, "kind", labels, event->n_labels);
    g_autoptr(XtfNumberSet) set = xtf_name_index_lookup(&kinds, name, error);
    xtf_name_index_finish(&kinds);
    return set ? xtf_node_new_selection(directory, xtf_selection_by(directory->selection, XTF_BY_KIND, set)) : NULL;
}

/* ---- time/, last/, at/ and num/: infinitely many ranges, which no listing shows. */

/* Finds a length of messages, which takes the place of an instant if the clock counts bytes. It has records. */
static XtfNode *lookup_length(XtfNode *directory, const char *name, GError **error)
{
    uint64_t length;

    if (!xtf_time_scale_parse_instant(&directory->tree->context.scale, name, &length, error))
        return NULL;
    length = MIN(length, XTF_TIME_OPEN - 1);
    return xtf_node_new_selection(directory, xtf_selection_in_window(directory->selection, length, length + 1));
}

static XtfNode *lookup_window(XtfNode *directory, const char *name, GError **error)
{
    const XtfTimeScale *scale = &directory->tree->context.scale;
    uint64_t a, b;

    if (scale->bytes && !strchr(name, '-'))
        return lookup_length(directory, name, error);
    if (!xtf_time_scale_parse_window(scale, name, &a, &b, error))
        return NULL;
    XtfNode *node = xtf_node_new_window(directory, a, b);
    if (!xtf_tree_is_final(directory->tree) && strchr(name, '%')) {
        node->text = g_malloc(XTF_WINDOW_TEXT_MAX);
        xtf_time_scale_print_window(scale, a, b, node->text);
    }
    return node;
}

/* Finds the window of a length that ends with the trace. While the trace grows, the window moves. */
static XtfNode *lookup_last(XtfNode *directory, const char *name, GError **error)
{
    const XtfTimeScale *scale = &directory->tree->context.scale;
    uint64_t t;

    if (!xtf_time_scale_parse_instant(scale, name, &t, NULL))
        return xtf_not_found(error, "\"%s\" is not a length of time: write 10s or 5%%", name);
    uint64_t length = t - MIN(t, scale->origin), whole = scale->end - MIN(scale->origin, scale->end);
    XtfNode *node = xtf_node_new_window(directory, scale->end - MIN(length, whole), XTF_TIME_OPEN);
    node->moves = !xtf_tree_is_final(directory->tree);
    return node;
}

/* Finds an instant, a window of length 0. */
static XtfNode *lookup_instant(XtfNode *directory, const char *name, GError **error)
{
    const XtfTimeScale *scale = &directory->tree->context.scale;
    uint64_t t;

    if (scale->bytes)
        return lookup_length(directory, name, error);
    if (!xtf_time_scale_parse_instant(scale, name, &t, error))
        return NULL;
    t = MIN(t, XTF_TIME_OPEN - 1);
    if (t < directory->selection->time_from || t > directory->selection->time_to)
        return xtf_not_found(error, "\"%s\" is outside the window of time that the path names before", name);
    XtfNode *node = xtf_node_new_selection(directory, xtf_selection_in_window(directory->selection, t, t));
    node->is_instant = true;
    node->window.from = node->window.to = t;
    if (!xtf_tree_is_final(directory->tree) && strchr(name, '%')) {
        node->text = g_malloc(XTF_TIME_TEXT_MAX);
        xtf_time_scale_print_instant(scale, t, node->text);
    }
    return node;
}

static XtfNode *lookup_numbers(XtfNode *directory, const char *name, GError **error)
{
    uint64_t i, j;
    bool single;

    if (!xtf_rank_range_parse(name, "record", &i, &j, &single, error))
        return NULL;
    if (single)
        return xtf_record_dir_new(directory, i, error);
    if (directory->numberings >= NUMBERINGS_MAX)
        return xtf_not_found(error, "the path has num/ more than %d times", NUMBERINGS_MAX);
    XtfNode *node = xtf_node_new_selection(directory, xtf_selection_in_numbers(directory->selection, i, j));
    node->numberings++;
    return node;
}

/* ---- iter/: iterations of the main loop. */

static bool has_iterations(XtfNode *directory, GError **error)
{
    XtfTree *tree = directory->tree;

    if (xtf_trace_context_final(&tree->context) != UINT64_MAX)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "iter/ exists once the run has ended");
    if (!xtf_iterations_load(&tree->iterations, error))
        return false;
    return tree->iterations.n > 0 ||
           xtf_fail(error, XTF_ERROR_NOT_FOUND,
                    "no main loop was found: no region is called equally often in all processes, three times or more, "
                    "and long enough; XTF_ITERATION marks iterations");
}

/* Makes the selection of iterations [k, end). One process has a window, several processes have one each. */
static XtfSelection *select_iterations(XtfNode *directory, uint64_t k, uint64_t end, GError **error)
{
    XtfIterations *iterations = &directory->tree->iterations;
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);
    uint64_t proc, from, to;

    if (!locations)
        return NULL;
    if (!xtf_number_set_single(directory->selection->procs, &proc)) {
        g_autoptr(XtfLocationWindows) windows = xtf_iterations_windows(iterations, k, end, error);
        return windows ? xtf_selection_in_location_windows(directory->selection, windows) : NULL;
    }
    const uint64_t *at = bsearch(&proc, locations->procs, locations->n_procs, sizeof proc, xtf_compare_numbers);
    if (!xtf_iterations_window(iterations, (uint32_t)(at - locations->procs), k, end, &from, &to, error))
        return NULL;
    return xtf_selection_in_window(directory->selection, from, to);
}

static XtfNode *lookup_iterations(XtfNode *directory, const char *name, GError **error)
{
    uint64_t k, end, n;
    bool single;

    if (!has_iterations(directory, error) || !xtf_rank_range_parse(name, "iteration", &k, &end, &single, error))
        return NULL;
    n = directory->tree->iterations.n;
    end = MIN(end, n);
    if (k >= end)
        return xtf_not_found(error, "there are iterations 0 to %" PRIu64 ", and not \"%s\"", n - 1, name);
    XtfSelection *selection = select_iterations(directory, k, end, error);
    return selection ? xtf_node_new_selection(directory, selection) : NULL;
}

static bool list_iterations(XtfNode *directory, XtfLister *lister, GError **error)
{
    char text[24], *end = text + sizeof text - 1;

    if (!has_iterations(directory, error))
        return false;
    *end = '\0';
    for (uint64_t k = lister->from; k < directory->tree->iterations.n && !lister->stopped; k++)
        lister->stopped = !lister->visit(xtf_put_digits(end, k), XTF_NODE_DIRECTORY, lister->data);
    return true;
}

const XtfNodeClass xtf_iterations_dir = {
    .kind = XTF_NODE_DIRECTORY, .lookup = lookup_iterations, .list = list_iterations};
const XtfNodeClass xtf_times_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_window};
const XtfNodeClass xtf_lasts_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_last};
const XtfNodeClass xtf_instants_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_instant};
const XtfNodeClass xtf_numbers_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_numbers};
