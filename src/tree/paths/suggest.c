#include "src/tree/paths/suggest.h"

#include <string.h>

#include "src/trace/typed/nearest.h"
#include "src/tree/paths/selection-dir.h"

enum {
    NAMES_MAX = 65536, /* most names of a directory that are compared */
};

typedef struct {
    XtfNearest nearest;
    unsigned n;
} Search;

static bool offer_name(const char *name, XtfNodeKind kind, void *data)
{
    Search *search = data;

    xtf_nearest_offer(&search->nearest, name);
    return ++search->n < NAMES_MAX;
}

/* True if `name` may be a mistyped name, and no number, time or pattern. */
static bool is_name(const char *name)
{
    return name[0] && !g_ascii_isdigit(name[0]) && !strchr("-#", name[0]) && !name[strcspn(name, ",*?[")];
}

/* Returns the path region/NAME of the region with the most similar name. NULL: there is none. */
static char *suggest_region(XtfNode *directory, const char *name)
{
    g_autoptr(XtfNode) regions = xtf_node_lookup(directory, "region", NULL);
    Search search = {.n = 0};

    xtf_nearest_init(&search.nearest, name);
    if (regions)
        xtf_node_list(regions, 0, offer_name, &search, NULL);
    char *path = search.nearest.name ? g_strconcat("region/", search.nearest.name, NULL) : NULL;
    xtf_nearest_finish(&search.nearest);
    return path;
}

/* Compares only the names before a failure if a listing fails. */
char *xtf_suggest(XtfNode *directory, const char *name)
{
    bool is_selection = directory->class == &xtf_selection_dir;
    Search search = {.n = 0};

    if (directory->class->kind != XTF_NODE_DIRECTORY || !is_name(name) || (is_selection && xtf_selection_dir_has(name)))
        return NULL;
    xtf_nearest_init(&search.nearest, name);
    if (is_selection)
        xtf_selection_dir_names(directory, offer_name, &search, NULL);
    else
        xtf_node_list(directory, 0, offer_name, &search, NULL);
    return search.nearest.name || !is_selection ? search.nearest.name : suggest_region(directory, name);
}
