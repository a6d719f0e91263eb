#include "src/import/otf1/ranks.h"

#include <string.h>

#include "src/import/otf1/names.h"

enum {
    GENERATIONS_MAX = 64,
};

/* Returns the ancestor without a parent. If its ancestors form a circle, or are too many, it is the process itself. */
static uint32_t find_root(GHashTable *parents, uint32_t process, uint64_t *n_circles)
{
    unsigned steps = GENERATIONS_MAX;
    uint32_t root = process, parent;

    while ((parent = GPOINTER_TO_UINT(g_hash_table_lookup(parents, GUINT_TO_POINTER(root)))) != 0) {
        if (steps-- == 0) {
            (*n_circles)++;
            return process;
        }
        root = parent;
    }
    return root;
}

/* Sets the ancestor of each process. */
static void find_roots(XtfOtf1Ranks *ranks, const XtfOtf1Definitions *source)
{
    g_autoptr(GHashTable) parents = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) defined = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < source->processes->len; i++)
        g_hash_table_add(defined, GUINT_TO_POINTER(g_array_index(source->processes, XtfOtf1Process, i).id));
    for (guint i = source->processes->len; i > 0; i--) { /* of several definitions the first one counts */
        const XtfOtf1Process *process = &g_array_index(source->processes, XtfOtf1Process, i - 1);
        bool has_parent = g_hash_table_contains(defined, GUINT_TO_POINTER(process->parent));
        g_hash_table_insert(parents, GUINT_TO_POINTER(process->id), GUINT_TO_POINTER(has_parent ? process->parent : 0));
    }
    for (guint i = 0; i < source->processes->len; i++) {
        uint32_t id = g_array_index(source->processes, XtfOtf1Process, i).id;
        uint32_t root = find_root(parents, id, &ranks->n_circles);
        g_hash_table_insert(ranks->roots, GUINT_TO_POINTER(id), GUINT_TO_POINTER(root));
    }
}

/* Sets the rank of a process unless it has one. */
static void set_rank(XtfOtf1Ranks *ranks, uint32_t group, uint32_t process, uint32_t rank)
{
    const uint64_t key = (uint64_t)group << 32 | process;

    if (!g_hash_table_contains(ranks->ranks, &key))
        g_hash_table_insert(ranks->ranks, g_memdup2(&key, sizeof key), GSIZE_TO_POINTER((gsize)rank + 1));
}

static void add_to_all(XtfOtf1Ranks *ranks, uint32_t process)
{
    const uint64_t key = (uint64_t)XTF_OTF1_ALL << 32 | process;

    if (g_hash_table_contains(ranks->ranks, &key) || xtf_otf1_root(ranks, process) != process ||
        !g_hash_table_contains(ranks->roots, GUINT_TO_POINTER(process)))
        return;
    set_rank(ranks, XTF_OTF1_ALL, process, ranks->all->len);
    g_array_append_val(ranks->all, process);
}

/* Returns MPI_COMM_WORLD, or NULL. */
static const XtfOtf1Group *find_world(const XtfOtf1Definitions *source)
{
    uint32_t row;

    for (guint i = 0; i < source->groups->len; i++) {
        const XtfOtf1Group *group = &g_array_index(source->groups, XtfOtf1Group, i);
        if (xtf_id_map_find(&source->definitions.strings_by_id, group->name, &row) &&
            xtf_otf1_is_world(g_ptr_array_index(source->definitions.strings, row)))
            return group;
    }
    return NULL;
}

void xtf_otf1_ranks_init(XtfOtf1Ranks *ranks, const XtfOtf1Definitions *source)
{
    const XtfOtf1Group *world = find_world(source);

    *ranks = (XtfOtf1Ranks){
        .roots = g_hash_table_new(NULL, NULL),
        .ranks = g_hash_table_new_full(xtf_id_hash64, g_int64_equal, g_free, NULL),
        .all = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
    };
    find_roots(ranks, source);
    for (uint32_t i = 0; world && i < world->n; i++)
        add_to_all(ranks, world->members[i]);
    for (guint i = 0; i < source->processes->len; i++)
        add_to_all(ranks, g_array_index(source->processes, XtfOtf1Process, i).id);
    for (guint i = 0; i < source->groups->len; i++) {
        const XtfOtf1Group *group = &g_array_index(source->groups, XtfOtf1Group, i);
        for (uint32_t rank = 0; group->id != XTF_OTF1_ALL && rank < group->n; rank++)
            set_rank(ranks, group->id, group->members[rank], rank);
    }
}

void xtf_otf1_ranks_finish(XtfOtf1Ranks *ranks)
{
    g_clear_pointer(&ranks->roots, g_hash_table_unref);
    g_clear_pointer(&ranks->ranks, g_hash_table_unref);
    g_clear_pointer(&ranks->all, g_array_unref);
}

uint32_t xtf_otf1_root(const XtfOtf1Ranks *ranks, uint32_t process)
{
    gpointer root;

    if (!g_hash_table_lookup_extended(ranks->roots, GUINT_TO_POINTER(process), NULL, &root))
        return process;
    return GPOINTER_TO_UINT(root);
}

static uint32_t rank_in(const XtfOtf1Ranks *ranks, uint32_t group, uint32_t process)
{
    const uint64_t key = (uint64_t)group << 32 | process;
    gsize rank = GPOINTER_TO_SIZE(g_hash_table_lookup(ranks->ranks, &key));

    return rank == 0 ? XTF_NONE32 : (uint32_t)(rank - 1);
}

uint32_t xtf_otf1_rank(const XtfOtf1Ranks *ranks, uint32_t group, uint32_t process)
{
    uint32_t rank = rank_in(ranks, group, process);

    return rank != XTF_NONE32 ? rank : rank_in(ranks, group, xtf_otf1_root(ranks, process));
}

uint32_t xtf_otf1_common_group(XtfOtf1Ranks *ranks, uint32_t group, uint32_t process, uint32_t remote)
{
    if (group == XTF_OTF1_ALL)
        return group;
    if (xtf_otf1_rank(ranks, group, process) != XTF_NONE32 && xtf_otf1_rank(ranks, group, remote) != XTF_NONE32)
        return group;
    ranks->n_outsiders++;
    return XTF_OTF1_ALL;
}
