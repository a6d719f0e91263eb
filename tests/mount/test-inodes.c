/* The table of inodes, over nodes that only count their references. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/fs/inodes.h"

struct XtfNode {
    atomic_int references;
};

static atomic_int living;

static XtfNode *new_node(void)
{
    XtfNode *node = g_new0(XtfNode, 1);

    node->references = 1;
    atomic_fetch_add(&living, 1);
    return node;
}

XtfNode *xtf_node_ref(XtfNode *node)
{
    atomic_fetch_add(&node->references, 1);
    return node;
}

void xtf_node_unref(XtfNode *node)
{
    if (node && atomic_fetch_sub(&node->references, 1) == 1) {
        atomic_fetch_sub(&living, 1);
        g_free(node);
    }
}

XtfNode *xtf_node_lookup(XtfNode *directory, const char *name, GError **error)
{
    if (strcmp(name, "nothing") != 0)
        return new_node();
    g_set_error_literal(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "nothing");
    return NULL;
}

/* The nodes never change, but the table works as if they could. */
static XtfNodeKind kind = XTF_NODE_DIRECTORY; /* of all nodes */

XtfNodeKind xtf_node_kind(const XtfNode *node)
{
    return kind;
}

XtfNodeFuture xtf_node_future(const XtfNode *node)
{
    return XTF_NODE_FINAL;
}

uint64_t xtf_node_size(const XtfNode *node)
{
    return 0;
}

const char *xtf_node_lasting_name(const XtfNode *node)
{
    return NULL;
}

bool xtf_node_is_same(const XtfNode *older, const XtfNode *newer)
{
    return true;
}

void xtf_tree_free(XtfTree *tree)
{
}

static XtfInodes *new_inodes(uint64_t bound)
{
    XtfNode *root = new_node();
    XtfInodes *inodes = xtf_inodes_new(root, bound);

    xtf_node_unref(root);
    return inodes;
}

/* Looks up "name" in the directory with an id. Returns the id of the child. */
static uint64_t lookup_id(XtfInodes *inodes, uint64_t directory, const char *name)
{
    g_auto(XtfInode) parent = {0}, child = {0};

    cr_assert(xtf_inodes_get(inodes, directory, &parent, NULL));
    cr_assert(xtf_inodes_lookup(inodes, &parent, name, &child, NULL));
    cr_assert_eq(child.parent_ino, parent.ino);
    cr_assert_eq(child.ino, xtf_inodes_child_ino(parent.ino, name));
    return child.id;
}

static uint64_t count_all(XtfInodes *inodes)
{
    uint64_t fresh, n;

    xtf_inodes_count(inodes, &fresh, &n);
    return n;
}

static bool exists(XtfInodes *inodes, uint64_t id)
{
    g_auto(XtfInode) inode = {0};

    return xtf_inodes_get(inodes, id, &inode, NULL);
}

Test(inodes, a_name_is_one_node_until_it_is_forgotten)
{
    g_autoptr(XtfInodes) inodes = new_inodes(100);
    uint64_t id = lookup_id(inodes, XTF_INODE_ROOT, "a");

    cr_expect_eq(lookup_id(inodes, XTF_INODE_ROOT, "a"), id);
    cr_expect_eq(lookup_id(inodes, XTF_INODE_ROOT, "a"), id);
    cr_expect_neq(lookup_id(inodes, XTF_INODE_ROOT, "b"), id);
    xtf_inodes_forget(inodes, id, 2);
    cr_expect(exists(inodes, id));
    xtf_inodes_forget(inodes, id, 1);
    cr_expect_not(exists(inodes, id));
    cr_expect_neq(lookup_id(inodes, XTF_INODE_ROOT, "a"), id, "a number was used again");
}

Test(inodes, failed_lookups_add_nothing)
{
    g_autoptr(XtfInodes) inodes = new_inodes(100);
    g_auto(XtfInode) root = {0}, child = {0};
    g_autoptr(GError) error = NULL;

    cr_assert(xtf_inodes_get(inodes, XTF_INODE_ROOT, &root, NULL));
    cr_expect_not(xtf_inodes_lookup(inodes, &root, "nothing", &child, &error));
    cr_expect(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND));
    cr_expect_null(child.node);
    cr_expect_eq(count_all(inodes), 1);
}

Test(inodes, parents_stay_for_their_children)
{
    g_autoptr(XtfInodes) inodes = new_inodes(100);
    uint64_t a = lookup_id(inodes, XTF_INODE_ROOT, "a");
    uint64_t b = lookup_id(inodes, a, "b");
    uint64_t c = lookup_id(inodes, b, "c");

    xtf_inodes_forget(inodes, a, 1);
    xtf_inodes_forget(inodes, b, 1);
    cr_expect_eq(count_all(inodes), 4);
    cr_expect_eq(lookup_id(inodes, XTF_INODE_ROOT, "a"), a, "a forgotten parent of a known child is still itself");
    xtf_inodes_forget(inodes, a, 1);
    xtf_inodes_forget(inodes, c, 1);
    cr_expect_eq(count_all(inodes), 1);
}

Test(inodes, excess_forgets_are_ignored)
{
    g_autoptr(XtfInodes) inodes = new_inodes(100);
    uint64_t a = lookup_id(inodes, XTF_INODE_ROOT, "a");

    xtf_inodes_forget(inodes, a, 1000);
    xtf_inodes_forget(inodes, a, 1);
    xtf_inodes_forget(inodes, XTF_INODE_ROOT, 5);
    xtf_inodes_forget(inodes, 12345, 1);
    cr_expect(exists(inodes, XTF_INODE_ROOT));
    cr_expect_eq(count_all(inodes), 1);
}

/* Waits for stale names, and asserts that they have the given ids. */
static void expect_stale(XtfInodes *inodes, unsigned n, const uint64_t *ids)
{
    XtfStaleName names[16];

    cr_assert_eq(xtf_inodes_wait_stale(inodes, names, G_N_ELEMENTS(names)), n);
    for (unsigned i = 0; i < n; i++) {
        cr_expect_eq(names[i].id, ids[i], "number %u", i);
        g_free(names[i].name);
    }
}

Test(inodes, the_oldest_are_stale, .timeout = 10)
{
    g_autoptr(XtfInodes) inodes = new_inodes(8); /* more than 8 names are reduced to 7 */
    uint64_t ids[12];
    char name[16];

    for (unsigned i = 0; i < 8; i++) {
        g_snprintf(name, sizeof name, "%u", i);
        ids[i] = lookup_id(inodes, XTF_INODE_ROOT, name);
    }
    lookup_id(inodes, XTF_INODE_ROOT, "1"); /* now the youngest */
    ids[8] = lookup_id(inodes, XTF_INODE_ROOT, "8");
    expect_stale(inodes, 2, (uint64_t[]){ids[0], ids[2]});
    cr_expect(exists(inodes, ids[0]), "only the kernel forgets");

    /* A name that is looked up again is young, and ages again. */
    lookup_id(inodes, XTF_INODE_ROOT, "0");
    ids[9] = lookup_id(inodes, XTF_INODE_ROOT, "9");
    expect_stale(inodes, 2, (uint64_t[]){ids[3], ids[4]});
}

Test(inodes, a_directory_is_stale_after_its_children, .timeout = 10)
{
    g_autoptr(XtfInodes) inodes = new_inodes(8);
    uint64_t directory = lookup_id(inodes, XTF_INODE_ROOT, "directory"), child = lookup_id(inodes, directory, "child");
    char name[16];

    for (unsigned i = 0; i < 7; i++) {
        g_snprintf(name, sizeof name, "%u", i);
        lookup_id(inodes, XTF_INODE_ROOT, name);
    }
    expect_stale(inodes, 2, (uint64_t[]){child, directory});
    xtf_inodes_forget(inodes, child, 1); /* the directory is next, now that it has no child */
    lookup_id(inodes, XTF_INODE_ROOT, "7");
    XtfStaleName names[1];
    cr_assert_eq(xtf_inodes_wait_stale(inodes, names, 1), 1);
    cr_expect_eq(names[0].id, directory);
    g_free(names[0].name);
}

/* Replaces the tree by another one with the generation `number`. */
static void replace_tree(XtfInodes *inodes, uint64_t number)
{
    XtfGeneration *generation = xtf_generation_new(number, NULL);
    XtfNode *root = new_node();

    xtf_inodes_replace(inodes, generation, root);
    xtf_node_unref(root);
    xtf_generation_unref(generation);
}

/* Waits for stale names, and counts names and listings that the kernel must drop. */
static void count_replaced(XtfInodes *inodes, unsigned *names, unsigned *listings)
{
    XtfStaleName stale[16];
    unsigned n = xtf_inodes_wait_stale(inodes, stale, G_N_ELEMENTS(stale));

    *names = *listings = 0;
    for (unsigned i = 0; i < n; i++) {
        *names += stale[i].kind == XTF_STALE_NAME;
        *listings += stale[i].kind == XTF_STALE_LISTING;
        g_free(stale[i].name);
    }
    cr_expect_eq(*names + *listings, n);
}

Test(inodes, a_tree_is_replaced, .timeout = 10)
{
    g_autoptr(XtfInodes) inodes = new_inodes(100);
    g_auto(XtfInode) before = {0}, after = {0};
    unsigned names, listings;

    uint64_t directory = lookup_id(inodes, XTF_INODE_ROOT, "directory");
    kind = XTF_NODE_FILE;
    uint64_t file = lookup_id(inodes, directory, "file");
    kind = XTF_NODE_DIRECTORY;
    cr_assert(xtf_inodes_get(inodes, file, &before, NULL));
    replace_tree(inodes, 2);
    count_replaced(inodes, &names, &listings);
    cr_expect_eq(names, 1);
    cr_expect_eq(listings, 2);
    cr_assert(xtf_inodes_get(inodes, file, &after, NULL));
    cr_expect_eq(after.node, before.node, "a file that is open is what it was");
    cr_expect_eq(lookup_id(inodes, XTF_INODE_ROOT, "directory"), directory);
    cr_expect_neq(lookup_id(inodes, directory, "file"), file, "the name stands for another content");
    xtf_inodes_forget(inodes, file, 1);
    cr_expect_not(exists(inodes, file));
}

Test(inodes, lookups_during_a_replacement_find_the_new_tree)
{
    g_autoptr(XtfInodes) inodes = new_inodes(100);
    XtfGeneration *first = xtf_generation_new(1, NULL);
    g_auto(XtfInode) root = {0}, child = {0};
    XtfNode *node = new_node();

    xtf_inodes_renew(inodes, first, node);
    xtf_node_unref(node);
    xtf_generation_unref(first);
    cr_assert(xtf_inodes_get(inodes, XTF_INODE_ROOT, &root, NULL));
    replace_tree(inodes, 2);
    cr_assert(xtf_inodes_lookup(inodes, &root, "a", &child, NULL));
    cr_assert_not_null(child.generation);
    cr_expect_eq(child.generation->number, 2, "a name of the earlier tree would stay in the kernel");
}

static gpointer wait_for_stale(gpointer inodes)
{
    XtfStaleName names[16];
    unsigned n;

    while ((n = xtf_inodes_wait_stale(inodes, names, G_N_ELEMENTS(names))) > 0) {
        for (unsigned i = 0; i < n; i++) {
            xtf_inodes_forget(inodes, names[i].id, UINT64_MAX);
            g_free(names[i].name);
        }
    }
    return NULL;
}

static gpointer look_up_many(gpointer inodes)
{
    for (unsigned i = 0; i < 20000; i++) {
        char name[16];
        g_auto(XtfInode) root = {0}, directory = {0}, child = {0};
        g_snprintf(name, sizeof name, "%u", g_random_int_range(0, 300));
        cr_assert(xtf_inodes_get(inodes, XTF_INODE_ROOT, &root, NULL));
        cr_assert(xtf_inodes_lookup(inodes, &root, name, &directory, NULL));
        /* Another thread may have made the table forget the directory. A kernel would not do that while it looks up
         * a child. */
        if (xtf_inodes_lookup(inodes, &directory, "child", &child, NULL))
            xtf_inodes_forget(inodes, child.id, 1);
    }
    return NULL;
}

Test(inodes, many_threads, .timeout = 60)
{
    XtfInodes *inodes = new_inodes(64);
    GThread *reaper = g_thread_new("reaper", wait_for_stale, inodes);
    GThread *threads[4];
    uint64_t fresh, n;

    for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("lookup", look_up_many, inodes);
    for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    do {
        g_usleep(1000);
        xtf_inodes_count(inodes, &fresh, &n);
    } while (fresh > 64);
    xtf_inodes_stop(inodes);
    g_thread_join(reaper);
    cr_expect_leq(n, 65);
    cr_expect_eq((uint64_t)living, n, "nodes and entries differ");
    xtf_inodes_free(inodes);
    cr_expect_eq(living, 0, "nodes were leaked");
}
