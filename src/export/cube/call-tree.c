#include "src/export/cube/call-tree.h"

void xtf_cube_tree_init(XtfCubeTree *tree)
{
    *tree = (XtfCubeTree){0};
    xtf_callpath_numbers_init(&tree->paths);
}

void xtf_cube_tree_finish(XtfCubeTree *tree)
{
    xtf_callpath_numbers_finish(&tree->paths);
}

bool xtf_cube_tree_call(XtfCubeTree *tree, uint32_t parent, uint32_t region, uint32_t *path, GError **error)
{
    if (parent != XTF_CUBE_NO_PATH && xtf_cube_tree_at(tree, parent)->depth == XTF_CUBE_DEPTH) {
        tree->n_folded++;
        *path = parent;
        return true;
    }
    return xtf_callpath_number(&tree->paths, parent, region, XTF_CUBE_PATHS_MAX, path) ||
           xtf_fail(error, XTF_ERROR_TOO_LARGE,
                    "there are more than %u call paths: choose fewer processes or less time", XTF_CUBE_PATHS_MAX);
}

/* The children of each path as a list: first child, next sibling. `root` is the first path without a parent. */
typedef struct {
    uint32_t *first, *next, root;
} Family;

static Family build_family(const XtfCubeTree *tree)
{
    uint32_t n = xtf_cube_tree_n(tree);
    Family family = {g_new(uint32_t, (gsize)n + 1), g_new(uint32_t, (gsize)n + 1), XTF_CUBE_NO_PATH};

    for (uint32_t i = 0; i < n; i++)
        family.first[i] = XTF_CUBE_NO_PATH;
    for (uint32_t i = n; i-- > 0;) { /* from the last, so that siblings keep their order */
        uint32_t parent = xtf_cube_tree_at(tree, i)->parent;
        uint32_t *head = parent == XTF_CUBE_NO_PATH ? &family.root : &family.first[parent];
        family.next[i] = *head;
        *head = i;
    }
    return family;
}

/* Writes a path, its next siblings and the paths below them to `to`, depth first. Recurses as deep as the tree. */
static uint32_t *order_depth_first(const Family *family, uint32_t path, uint32_t *to)
{
    for (; path != XTF_CUBE_NO_PATH; path = family->next[path]) {
        *to++ = path;
        to = order_depth_first(family, family->first[path], to);
    }
    return to;
}

static uint32_t *order_siblings_first(const Family *family, uint32_t path, uint32_t *to)
{
    for (uint32_t child = family->first[path]; child != XTF_CUBE_NO_PATH; child = family->next[child])
        *to++ = child;
    for (uint32_t child = family->first[path]; child != XTF_CUBE_NO_PATH; child = family->next[child])
        to = order_siblings_first(family, child, to);
    return to;
}

void xtf_cube_tree_orders(const XtfCubeTree *tree, uint32_t **deep, uint32_t **wide)
{
    Family family = build_family(tree);

    *deep = g_new(uint32_t, (gsize)xtf_cube_tree_n(tree) + 1);
    *wide = g_new(uint32_t, (gsize)xtf_cube_tree_n(tree) + 1);
    order_depth_first(&family, family.root, *deep);
    uint32_t *to = *wide;
    for (uint32_t root = family.root; root != XTF_CUBE_NO_PATH; root = family.next[root]) {
        *to++ = root;
        to = order_siblings_first(&family, root, to);
    }
    g_free(family.first);
    g_free(family.next);
}
