#include "src/tree/paths/network-entries.h"

#include "src/network/tables/link-view.h"
#include "src/pictures/images/indexed-png.h"
#include "src/tree/paths/cluster-entries.h"

/* ---- Conditions of entries. */

static bool is_pair(const XtfSelection *selection)
{
    uint64_t sender, receiver;

    return xtf_number_set_single(selection->procs, &sender) &&
           xtf_number_set_single(selection->by[XTF_BY_PEER], &receiver);
}

/* Returns the condition that a selection misses to have an entry, or NULL if it meets all. */
typedef const char *(*Lack)(const XtfSelection *selection);

static const char *lacks_nothing(const XtfSelection *selection)
{
    return selection->base ? "is of all lengths, or some: not below num/" : NULL;
}

static const char *lacks_length(const XtfSelection *selection)
{
    return xtf_links_one_length(selection) ? NULL : "is of one length: length/1000";
}

static const char *lacks_statistic(const XtfSelection *selection)
{
    return selection->by[XTF_BY_KIND] ? lacks_length(selection) : "is of one length and statistic: length/1000/median";
}

static const char *lacks_pair(const XtfSelection *selection)
{
    if (selection->base)
        return lacks_nothing(selection);
    return is_pair(selection) ? NULL : "is of one pair: pair/SENDER/RECEIVER";
}

/* ---- Files. */

static bool view_of(XtfNode *file, XtfLinkView *view, GError **error)
{
    return xtf_link_view_init(view, &file->tree->resolver, file->selection, error);
}

static bool table_size(XtfNode *file, uint64_t *size, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    if (!view_of(file, &view, error))
        return false;
    *size = xtf_link_table_size(&view);
    return true;
}

static bool table_read(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return view_of(file, &view, error) && xtf_link_table_read(&view, offset, buffer, length, error);
}

static bool table_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return view_of(file, &view, error) && xtf_link_table_rows(&view, sink, error);
}

static bool fits_size(XtfNode *file, uint64_t *size, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    if (!view_of(file, &view, error))
        return false;
    *size = xtf_link_fits_size(&view);
    return true;
}

static bool fits_read(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return view_of(file, &view, error) && xtf_link_fits_read(&view, offset, buffer, length, error);
}

static bool fits_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return view_of(file, &view, error) && xtf_link_fits_rows(&view, sink, error);
}

static const XtfNodeClass table_file = {
    .kind = XTF_NODE_FILE, .size = table_size, .read = table_read, .rows = table_rows};
static const XtfNodeClass fits_file = {.kind = XTF_NODE_FILE, .size = fits_size, .read = fits_read, .rows = fits_rows};

/* Defines the file of a table that a function of link-view.h makes. */
#define TABLE_FILE(NAME)                                                                     \
    static bool make_##NAME(XtfNode *file, XtfTableOutput *output, GError **error)           \
    {                                                                                        \
        g_auto(XtfLinkView) view = {0};                                                      \
                                                                                             \
        return view_of(file, &view, error) && xtf_link_##NAME##_table(&view, output, error); \
    }                                                                                        \
    static const XtfNodeClass NAME##_file = {.kind = XTF_NODE_FILE, .table = make_##NAME, .keeps = true}

TABLE_FILE(curve);
TABLE_FILE(segments);
TABLE_FILE(outliers);
TABLE_FILE(statistics);

static GString *heat_text(XtfNode *file, GError **error)
{
    g_auto(XtfLinkView) view = {0};

    return view_of(file, &view, error) ? xtf_link_heat_png(&view, error) : NULL;
}

static const XtfNodeClass heat_file = {.kind = XTF_NODE_FILE, .text = heat_text, .keeps = true};

typedef struct {
    const char *name;
    Lack lack;
    bool is_image, is_listed;
    const XtfNodeClass *class;
} Entry;

/* Entries by name. If a name has several, the first one that the selection has counts. */
static const Entry entries[] = {
    {"curve", lacks_pair, false, true, &curve_file},
    {"fit", lacks_pair, false, true, &segments_file},
    {"fit", lacks_nothing, false, false, &fits_file},
    {"heat.png", lacks_length, true, true, &heat_file},
    {"outliers", lacks_length, false, true, &outliers_file},
    {"statistics", lacks_length, false, true, &statistics_file},
    {"statistics", lacks_nothing, false, false, &statistics_file},
    {"table", lacks_statistic, false, true, &table_file},
};

static const Entry *find_entry(const char *name, const XtfSelection *selection)
{
    const Entry *found = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(entries); i++) {
        if (!g_str_equal(entries[i].name, name))
            continue;
        found = &entries[i];
        if (!found->lack(selection))
            break;
    }
    return found;
}

static XtfNode *make_file(XtfNode *directory, const Entry *entry, GError **error)
{
    const char *lack = entry->lack(directory->selection);

    if (lack)
        return xtf_not_found(error, "%s %s", entry->name, lack);
    return xtf_node_with_size(xtf_node_new(directory, entry->class), error);
}

/* ---- pair/SENDER/RECEIVER */

/* Parses the number of one process. Returns NULL on error. */
static XtfNumberSet *parse_one(XtfNode *directory, const char *name, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&directory->tree->context, error);
    uint64_t number;

    if (!locations)
        return NULL;
    const XtfNumbers procs = {.noun = "process", .all = locations->procs, .n = locations->n_procs};
    g_autoptr(XtfNumberSet) one = xtf_number_set_parse(&procs, name, error);
    if (one && !xtf_number_set_single(one, &number)) {
        xtf_not_found(error, "\"%s\": a pair is of one sender and one receiver", name);
        return NULL;
    }
    return g_steal_pointer(&one);
}

static XtfNode *lookup_receiver(XtfNode *directory, const char *name, GError **error)
{
    g_autoptr(XtfNumberSet) one = parse_one(directory, name, error);

    return one ? xtf_node_new_selection(directory, xtf_selection_by(directory->selection, XTF_BY_PEER, one)) : NULL;
}

static XtfNode *lookup_sender(XtfNode *directory, const char *name, GError **error)
{
    static const XtfNodeClass receivers_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_receiver};
    g_autoptr(XtfNumberSet) one = parse_one(directory, name, error);

    if (!one)
        return NULL;
    XtfNode *node = xtf_node_new_selection(directory, xtf_selection_in_procs(directory->selection, one));
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
                   : xtf_not_found(error, "the network is not clustered: xtf cluster does that");
    if (entry)
        return make_file(directory, entry, error);
    int statistic = xtf_link_statistic(&type, name);
    *found = statistic >= 0;
    return *found ? xtf_node_new_selection(directory, xtf_links_of(directory->selection, &type, statistic)) : NULL;
}

void xtf_network_entries_list(XtfNode *directory, XtfLister *lister)
{
    XtfLinkType type;

    if (!xtf_link_type_find(&type, &directory->tree->context))
        return;
    for (unsigned i = 0; i < G_N_ELEMENTS(entries); i++)
        if (entries[i].is_listed && !entries[i].lack(directory->selection) &&
            (!entries[i].is_image || xtf_png_is_built()))
            xtf_lister_show(lister, entries[i].name, XTF_NODE_FILE);
    if (directory->depth == 0 && xtf_clusters_exist(directory->tree))
        xtf_lister_show(lister, "clusters", XTF_NODE_DIRECTORY);
}
