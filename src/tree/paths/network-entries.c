#include "src/tree/paths/network-entries.h"

#include "src/network/tables/link-view.h"
#include "src/tree/paths/cluster-entries.h"

/* ---- Conditions of entries. */

static bool is_pair(const XtfSelection *selection)
{
    uint64_t sender, receiver;

    return xtf_number_set_single(selection->procs, &sender) &&
           xtf_number_set_single(selection->by[XTF_BY_PEER], &receiver);
}

/* Returns the condition of an entry that a selection does not meet; NULL if it meets the condition. */
typedef const char *(*CheckSelection)(const XtfSelection *selection);

static const char *check_no_num(const XtfSelection *selection)
{
    return selection->base ? "does not exist below num/" : NULL;
}

static const char *check_one_length(const XtfSelection *selection)
{
    return xtf_links_one_length(selection) ? NULL : "needs one length, such as length/1000";
}

static const char *check_one_statistic(const XtfSelection *selection)
{
    return selection->by[XTF_BY_KIND] ? check_one_length(selection)
                                      : "needs one length and one statistic, such as length/1000/median";
}

static const char *check_one_pair(const XtfSelection *selection)
{
    if (selection->base)
        return check_no_num(selection);
    return is_pair(selection) ? NULL : "needs one pair: pair/SENDER/RECEIVER";
}

/* ---- Files. */

static bool init_view(XtfNode *file, XtfLinkView *view, GError **error)
{
    return xtf_link_view_init(view, &file->tree->resolver, file->selection, error);
}

static bool table_size(XtfNode *file, uint64_t *size, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    if (!init_view(file, &view, error))
        return false;
    *size = xtf_link_table_size(&view);
    return true;
}

static bool table_read(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return init_view(file, &view, error) && xtf_link_table_read(&view, offset, buffer, length, error);
}

static bool table_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return init_view(file, &view, error) && xtf_link_table_rows(&view, sink, error);
}

static bool fits_size(XtfNode *file, uint64_t *size, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    if (!init_view(file, &view, error))
        return false;
    *size = xtf_link_fits_size(&view);
    return true;
}

static bool fits_read(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return init_view(file, &view, error) && xtf_link_fits_read(&view, offset, buffer, length, error);
}

static bool fits_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return init_view(file, &view, error) && xtf_link_fits_rows(&view, sink, error);
}

static const XtfNodeClass table_file = {
    .kind = XTF_NODE_FILE, .size = table_size, .read = table_read, .rows = table_rows};
static const XtfNodeClass fits_file = {.kind = XTF_NODE_FILE, .size = fits_size, .read = fits_read, .rows = fits_rows};

/* Defines the file of a table that a function of link-view.h makes. */
#define TABLE_FILE(NAME)                                                                       \
    static bool make_##NAME(XtfNode *file, XtfTableOutput *output, GError **error)             \
    {                                                                                          \
        g_auto(XtfLinkView) view = {0};                                                        \
                                                                                               \
        return init_view(file, &view, error) && xtf_link_##NAME##_table(&view, output, error); \
    }                                                                                          \
    static const XtfNodeClass NAME##_file = {.kind = XTF_NODE_FILE, .table = make_##NAME, .keeps = true}

TABLE_FILE(curve);
TABLE_FILE(segments);
TABLE_FILE(outliers);
TABLE_FILE(statistics);

static GString *heat_text(XtfNode *file, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return init_view(file, &view, error) ? xtf_link_heat_png(&view, error) : NULL;
}

static const XtfNodeClass heat_file = {.kind = XTF_NODE_FILE, .text = heat_text, .keeps = true};

typedef struct {
    const char *name;
    CheckSelection check;
    bool is_listed;
    const XtfNodeClass *class;
} Entry;

/* Entries by name. If several have one name, a lookup takes the first whose condition the selection meets. */
static const Entry entries[] = {
    {"curve", check_one_pair, true, &curve_file},
    {"fit", check_one_pair, true, &segments_file},
    {"fit", check_no_num, false, &fits_file},
    {"heat.png", check_one_length, true, &heat_file},
    {"outliers", check_one_length, true, &outliers_file},
    {"statistics", check_one_length, true, &statistics_file},
    {"statistics", check_no_num, false, &statistics_file},
    {"table", check_one_statistic, true, &table_file},
};

static const Entry *find_entry(const char *name, const XtfSelection *selection)
{
    const Entry *found = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(entries); i++) {
        if (!g_str_equal(entries[i].name, name))
            continue;
        found = &entries[i];
        if (!found->check(selection))
            break;
    }
    return found;
}

static XtfNode *make_file(XtfNode *directory, const Entry *entry, GError **error)
{
    const char *unmet = entry->check(directory->selection);

    if (unmet)
        return xtf_not_found(error, "%s %s", entry->name, unmet);
    return xtf_node_with_size(xtf_node_new(directory, entry->class), error);
}

/* ---- pair/SENDER/RECEIVER */

/* Parses the number of one process. Returns NULL on error. */
static XtfNumberSet *parse_process(XtfNode *directory, const char *name, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);
    uint64_t number;

    if (!locations)
        return NULL;
    const XtfNumbers procs = {.noun = "process", .all = locations->procs, .n = locations->n_procs};
    g_autoptr(XtfNumberSet) process = xtf_number_set_parse(&procs, name, error);
    if (process && !xtf_number_set_single(process, &number)) {
        xtf_not_found(error, "\"%s\" is not one process: a pair has one sender and one receiver", name);
        return NULL;
    }
    return g_steal_pointer(&process);
}

static XtfNode *lookup_receiver(XtfNode *directory, const char *name, GError **error)
{
    g_autoptr(XtfNumberSet) process = parse_process(directory, name, error);

    return process ? xtf_node_new_selection(directory, xtf_selection_by(directory->selection, XTF_BY_PEER, process))
                   : NULL;
}

static XtfNode *lookup_sender(XtfNode *directory, const char *name, GError **error)
{
    static const XtfNodeClass receivers_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_receiver};
    g_autoptr(XtfNumberSet) process = parse_process(directory, name, error);

    if (!process)
        return NULL;
    XtfNode *node = xtf_node_new_selection(directory, xtf_selection_in_procs(directory->selection, process));
    node->class = &receivers_dir;
    return node;
}

/* ---- Looking up. */

bool xtf_network_entry_has(const char *name)
{
    bool has = g_str_equal(name, "pair") || g_str_equal(name, "clusters");

    for (unsigned i = 0; i < G_N_ELEMENTS(entries) && !has; i++)
        has = g_str_equal(entries[i].name, name);
    return has;
}

XtfNode *xtf_network_entry_new(XtfNode *directory, const char *name, bool *found, GError **error)
{
    static const XtfNodeClass senders_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_sender};
    const Entry *entry = find_entry(name, directory->selection);
    XtfLinkType type;

    *found = xtf_link_type_find(&type, &directory->tree->context);
    if (!*found)
        return NULL;
    if (g_str_equal(name, "pair"))
        return xtf_node_new(directory, &senders_dir);
    if (g_str_equal(name, "clusters"))
        return xtf_clusters_exist(directory->tree)
                   ? xtf_node_new(directory, &xtf_clusters_dir)
                   : xtf_not_found(error, "the network is not clustered: run xtf cluster");
    if (entry)
        return make_file(directory, entry, error);
    int statistic = xtf_link_statistic(&type, name);
    *found = statistic >= 0;
    return *found ? xtf_node_new_selection(directory, xtf_links_select(directory->selection, &type, statistic)) : NULL;
}

void xtf_network_entries_list(XtfNode *directory, XtfLister *lister)
{
    XtfLinkType type;

    if (!xtf_link_type_find(&type, &directory->tree->context))
        return;
    for (unsigned i = 0; i < G_N_ELEMENTS(entries); i++)
        if (entries[i].is_listed && !entries[i].check(directory->selection))
            xtf_lister_show(lister, entries[i].name, XTF_NODE_FILE);
    if (directory->depth == 0 && xtf_clusters_exist(directory->tree))
        xtf_lister_show(lister, "clusters", XTF_NODE_DIRECTORY);
}
