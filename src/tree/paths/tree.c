/*
 * A tree and its paths.
 */
#include "src/tree/paths/tree.h"

#include <limits.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/model/properties.h"
#include "src/tables/clocks/clock-nodes.h"
#include "src/trace/text/escape.h"
#include "src/tree/entries/record-dir.h"
#include "src/tree/paths/entries.h"
#include "src/tree/paths/selection-dir.h"
#include "src/tree/paths/suggest.h"

enum {
    LINKS_MAX = 40, /* most links that are followed in one path, as in Linux */
};

/* True if another entry has the schema's name in the directory of the schema. */
static bool is_reserved(const XtfSchema *schema)
{
    switch (schema->kind) {
    case XTF_SCHEMA_TABLE:
        return xtf_definitions_dir_has(schema->name);
    case XTF_SCHEMA_SIDE:
        return xtf_record_dir_has(schema->name);
    default: /* a mount has its log at the root */
        return xtf_selection_dir_has(schema->name) || g_str_equal(schema->name, "log");
    }
}

static XtfTree *tree_new(XtfTrace *trace, bool growing, GError **error)
{
    XtfTree *tree = g_new0(XtfTree, 1);

    tree->trace = xtf_trace_ref(trace);
    bool known = xtf_trace_context_init(&tree->context, trace, growing, is_reserved, error);
    xtf_resolver_init(&tree->resolver, &tree->context);
    xtf_formats_init(&tree->formats, &tree->context);
    xtf_records_init(&tree->records, &tree->resolver, &tree->formats);
    xtf_matching_init(&tree->matching, &tree->context);
    xtf_collectives_init(&tree->collectives, &tree->context);
    xtf_clock_check_init(&tree->clocks, &tree->resolver, &tree->matching, &tree->collectives);
    xtf_iterations_init(&tree->iterations, &tree->formats);
    xtf_views_init(&tree->views, &tree->resolver, &tree->formats, &tree->matching, &tree->clocks, &tree->iterations);
    xtf_pictures_init(&tree->pictures, &tree->views);
    tree->tables = g_new0(XtfTableView *, xtf_trace_n_schemas(trace) + 1);
    g_mutex_init(&tree->lock);
    tree->root = g_new0(XtfNode, 1);
    g_atomic_ref_count_init(&tree->root->references);
    tree->root->tree = tree;
    tree->root->class = &xtf_selection_dir;
    tree->root->selection = xtf_selection_new(&tree->context);
    if (!known)
        g_clear_pointer(&tree, xtf_tree_free);
    return tree;
}

XtfTree *xtf_tree_new(XtfTrace *trace, GError **error)
{
    return tree_new(trace, false, error);
}

XtfTree *xtf_tree_new_growing(XtfTrace *trace, GError **error)
{
    return tree_new(trace, true, error);
}

void xtf_tree_free(XtfTree *tree)
{
    if (!tree)
        return;
    xtf_node_unref(tree->root);
    xtf_pictures_finish(&tree->pictures);
    xtf_views_finish(&tree->views);
    xtf_iterations_finish(&tree->iterations);
    xtf_clock_check_finish(&tree->clocks);
    xtf_collectives_finish(&tree->collectives);
    xtf_matching_finish(&tree->matching);
    xtf_records_finish(&tree->records);
    xtf_formats_finish(&tree->formats);
    xtf_resolver_finish(&tree->resolver);
    for (uint32_t i = 0; i < xtf_trace_n_schemas(tree->trace); i++)
        xtf_table_view_free(tree->tables[i]);
    g_free(tree->tables);
    if (tree->row.text)
        g_string_free(tree->row.text, TRUE);
    xtf_trace_context_finish(&tree->context);
    g_mutex_clear(&tree->lock);
    xtf_trace_unref(tree->trace);
    g_free(tree);
}

const XtfTimeScale *xtf_tree_scale(const XtfTree *tree)
{
    return &tree->context.scale;
}

XtfTrace *xtf_tree_trace(XtfTree *tree)
{
    return tree->trace;
}

void xtf_tree_free_idle(XtfTree *tree, size_t cache_bytes)
{
    xtf_matching_free_idle(&tree->matching);
    xtf_trace_trim_cache(tree->trace, cache_bytes);
}

bool xtf_tree_clocks_contradict(XtfTree *tree)
{
    return xtf_clock_check_verdict(&tree->clocks) == XTF_CLOCKS_CONTRADICT;
}

char *xtf_tree_clock_sentence(XtfTree *tree)
{
    return xtf_clock_check_sentence(&tree->clocks);
}

char *xtf_tree_node_clocks_sentence(XtfTree *tree)
{
    return xtf_clock_nodes_sentence(&tree->clocks);
}

/* ---- The name of a trace. */

static bool cut_suffix(char *name, const char *suffix)
{
    size_t length = strlen(name), of_suffix = strlen(suffix);

    if (length <= of_suffix || !g_str_equal(name + length - of_suffix, suffix))
        return false;
    name[length - of_suffix] = '\0';
    return true;
}

/* Names an archive after its folder, because recorders often give all anchors the same name. */
void xtf_tree_name_after(XtfTree *tree, const char *path)
{
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    g_autofree char *name = g_path_get_basename(whole);

    if (g_str_has_suffix(name, ".otf2")) {
        g_autofree char *folder = g_path_get_dirname(whole);
        g_free(name);
        name = g_path_get_basename(folder);
    } else if (!cut_suffix(name, ".xtf.d")) {
        cut_suffix(name, ".xtf");
    }
    g_free(tree->context.name);
    tree->context.name = xtf_text_shown(name, NAME_MAX);
}

void xtf_tree_name_as(XtfTree *tree, const XtfTree *named)
{
    g_free(tree->context.name);
    tree->context.name = g_strdup(named->context.name);
}

/* ---- Nodes and paths. */

XtfNode *xtf_tree_root(XtfTree *tree)
{
    return xtf_node_ref(tree->root);
}

/* ---- Paths. */

static bool follow_path(GPtrArray *trail, const char *path, unsigned *links, GError **error);

/* Follows one component and appends its node to the trail. */
static bool follow_component(GPtrArray *trail, const char *name, unsigned *links, GError **error)
{
    XtfNode *directory = trail->pdata[trail->len - 1];

    if (xtf_node_kind(directory) != XTF_NODE_DIRECTORY)
        return xtf_not_found(error, *name ? "the name before \"%s\" is not a directory" : "it is not a directory%s",
                             name);
    if (g_str_equal(name, "") || g_str_equal(name, "."))
        return true;
    if (g_str_equal(name, "..")) {
        if (trail->len > 1)
            g_ptr_array_set_size(trail, (int)trail->len - 1);
        return true;
    }
    g_autoptr(XtfNode) node = xtf_node_lookup(directory, name, error);
    if (!node)
        return false;
    if (xtf_node_kind(node) != XTF_NODE_LINK) {
        g_ptr_array_add(trail, g_steal_pointer(&node));
        return true;
    }
    if (++*links > LINKS_MAX)
        return xtf_not_found(error, "the path has more than %d links", LINKS_MAX);
    return follow_path(trail, xtf_node_target(node), links, error);
}

/* True if a message about a component contains the component's name. */
static bool has_name(const char *message, const char *name)
{
    g_autofree char *quoted = g_strdup_printf("\"%s\"", name);
    size_t length = strlen(name);

    return strstr(message, quoted) || (strncmp(message, name, length) == 0 && strchr(" :,", message[length]));
}

/* Says which component failed, unless it is the last one of the path. */
static void name_component(const char *path, const char *name, GError **error)
{
    const char *last = strrchr(path, '/');

    if (error && !g_str_equal(last ? last + 1 : path, name) && !has_name((*error)->message, name))
        g_prefix_error(error, "%s: ", name);
}

/* Adds a similar name to the message about a name that a directory does not have. */
static void add_suggestion(const GPtrArray *trail, const char *name, GError **error)
{
    if (!error || !g_error_matches(*error, XTF_ERROR, XTF_ERROR_NOT_FOUND))
        return;
    g_autofree char *similar = xtf_suggest(trail->pdata[trail->len - 1], name);
    g_autofree char *message = similar ? g_strdup_printf("%s; did you mean '%s'?", (*error)->message, similar) : NULL;
    if (message) {
        g_free((*error)->message);
        (*error)->message = g_steal_pointer(&message);
    }
}

static bool follow_path(GPtrArray *trail, const char *path, unsigned *links, GError **error)
{
    g_auto(GStrv) names = g_strsplit(path, "/", -1);

    for (char **name = names; *name; name++) {
        if (!follow_component(trail, *name, links, error)) {
            name_component(path, *name, error);
            add_suggestion(trail, *name, error);
            return false;
        }
    }
    return true;
}

XtfNode *xtf_tree_resolve(XtfTree *tree, const char *path, GError **error)
{
    g_autoptr(GPtrArray) trail = g_ptr_array_new_with_free_func((GDestroyNotify)xtf_node_unref);
    unsigned links = 0;

    g_ptr_array_add(trail, xtf_tree_root(tree));
    if (!follow_path(trail, path, &links, error)) {
        g_prefix_error(error, "%s: ", path);
        return NULL;
    }
    return xtf_node_ref(trail->pdata[trail->len - 1]);
}

void xtf_tree_draw_first(XtfTree *tree)
{
    tree->pictures.drawn_first = true;
}

void xtf_tree_state_probes(XtfTree *tree, const char *probes)
{
    g_hash_table_insert(tree->context.properties, (gpointer)XTF_PROPERTY_PROBES, (gpointer)probes);
}
