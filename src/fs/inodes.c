#include "src/fs/inodes-private.h"

#include <string.h>

#include "libxtf/base/fnv.h"
#include "libxtf/trace.h"

typedef XtfInodeEntry Entry;
typedef XtfInodeKey Key;

void xtf_inode_finish(XtfInode *inode)
{
    g_clear_pointer(&inode->node, xtf_node_unref);
    g_clear_pointer(&inode->generation, xtf_generation_unref);
}

static guint key_hash(gconstpointer data)
{
    const Key *key = data;
    uint64_t hash = key->parent_id * UINT64_C(0x9e3779b97f4a7c15);

    return (guint)(hash >> 32) ^ g_str_hash(key->name);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const Key *left = a, *right = b;

    return left->parent_id == right->parent_id && strcmp(left->name, right->name) == 0;
}

uint64_t xtf_inodes_child_ino(uint64_t parent_ino, const char *name)
{
    uint64_t hash = xtf_fnv64(XTF_FNV64 ^ (parent_ino * UINT64_C(0x9e3779b97f4a7c15)), name);

    hash ^= hash >> 32; /* so that the low bits depend on the whole name: the end of murmur3's mixer */
    hash *= UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 33;
    return hash > XTF_INODE_ROOT ? hash : hash + 2; /* 0 is no inode, and 1 is the root */
}

/* Sets the entry's node, and owns it; NULL: none. */
static void set_node(Entry *entry, XtfGeneration *generation, XtfNode *node)
{
    xtf_node_unref(entry->node);
    xtf_generation_unref(entry->generation);
    entry->node = node;
    entry->generation = xtf_generation_ref(generation);
}

static void entry_free(gpointer data)
{
    Entry *entry = data;

    set_node(entry, NULL, NULL);
    g_free(entry->lasting_name);
    g_free(entry);
}

static void set_attributes(Entry *entry, XtfNode *node, const XtfGeneration *generation)
{
    entry->kind = xtf_node_kind(node);
    entry->size = entry->kind == XTF_NODE_DIRECTORY ? 0 : xtf_node_size(node);
    if (!generation)
        return;
    entry->future = xtf_node_future(node);
    entry->mtime = generation->mtime;
    entry->lookup_generation = generation->number;
    g_free(entry->lasting_name);
    entry->lasting_name = g_strdup(xtf_node_lasting_name(node));
}

/* Adds an entry to both tables. It owns the node. */
static Entry *add_entry(XtfInodes *inodes, Entry *parent, const char *name, XtfGeneration *generation, XtfNode *node)
{
    size_t length = strlen(name) + 1;
    Entry *entry = g_malloc0(sizeof *entry + length);

    memcpy(entry->name, name, length);
    entry->key = (Key){parent ? parent->id : 0, entry->name};
    entry->id = ++inodes->last_id;
    entry->ino = parent ? xtf_inodes_child_ino(parent->ino, name) : XTF_INODE_ROOT;
    entry->parent = parent;
    set_attributes(entry, node, generation);
    set_node(entry, generation, node);
    entry->age.data = entry;
    if (parent) {
        parent->n_children++;
        g_queue_push_tail_link(&inodes->fresh, &entry->age);
    }
    g_hash_table_insert(inodes->by_id, &entry->id, entry);
    g_hash_table_insert(inodes->by_key, entry, entry);
    return entry;
}

XtfInodes *xtf_inodes_new(XtfNode *root, uint64_t max_nodes)
{
    XtfInodes *inodes = g_new0(XtfInodes, 1);

    g_mutex_init(&inodes->lock);
    g_cond_init(&inodes->reaper_wanted);
    g_queue_init(&inodes->fresh);
    inodes->by_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, entry_free);
    inodes->by_key = g_hash_table_new(key_hash, key_equal);
    inodes->max_fresh = max_nodes;
    inodes->changed = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    add_entry(inodes, NULL, "", NULL, xtf_node_ref(root)); /* gets the first id, XTF_INODE_ROOT */
    inodes->last_id = XTF_INODE_LOG;
    return inodes;
}

void xtf_inodes_free(XtfInodes *inodes)
{
    if (!inodes)
        return;
    g_hash_table_destroy(inodes->by_key);
    g_hash_table_destroy(inodes->by_id);
    g_array_unref(inodes->changed);
    xtf_generation_unref(inodes->current);
    g_cond_clear(&inodes->reaper_wanted);
    g_mutex_clear(&inodes->lock);
    g_free(inodes);
}

static void fill_inode(const Entry *entry, XtfInode *inode)
{
    *inode = (XtfInode){
        .id = entry->id,
        .ino = entry->ino,
        .parent_ino = entry->parent ? entry->parent->ino : entry->ino,
        .kind = entry->kind,
        .future = entry->future,
        .size = entry->size,
        .mtime = entry->mtime,
        .node = entry->node ? xtf_node_ref(entry->node) : NULL,
        .generation = xtf_generation_ref(entry->generation),
    };
}

bool xtf_inodes_stat(XtfInodes *inodes, uint64_t id, XtfInode *inode)
{
    g_mutex_lock(&inodes->lock);
    const Entry *entry = g_hash_table_lookup(inodes->by_id, &id);
    if (entry)
        fill_inode(entry, inode);
    g_mutex_unlock(&inodes->lock);
    return entry != NULL;
}

void xtf_inodes_grow(XtfInodes *inodes, XtfInode *inode, uint64_t size)
{
    g_mutex_lock(&inodes->lock);
    Entry *entry = g_hash_table_lookup(inodes->by_id, &inode->id);
    if (entry && entry->size < size) {
        entry->size = size;
        entry->mtime = inode->generation ? inode->generation->mtime : entry->mtime;
    }
    if (entry) {
        inode->size = entry->size;
        inode->mtime = entry->mtime;
    }
    g_mutex_unlock(&inodes->lock);
}

/* ---- Switching to a later commit. */

/* True if the entry keeps the content of the commit in which its name was looked up. */
static bool is_fixed(const Entry *entry)
{
    return entry->kind != XTF_NODE_DIRECTORY && (entry->kept || entry->future == XTF_NODE_CHANGES);
}

static bool is_up_to_date(const XtfInodes *inodes, const Entry *entry)
{
    return entry->node && (is_fixed(entry) || !xtf_generation_is_older(entry->generation, inodes->current));
}

void xtf_inodes_renew(XtfInodes *inodes, XtfGeneration *generation, XtfNode *root)
{
    enum {
        KEPT_GENERATIONS = 64
    }; /* generations after which fixed entries lose their nodes, as readers open files soon after the look-up */
    GHashTableIter all;
    void *value;

    g_mutex_lock(&inodes->lock);
    xtf_generation_unref(inodes->current);
    inodes->current = xtf_generation_ref(generation);
    g_hash_table_iter_init(&all, inodes->by_id);
    while (g_hash_table_iter_next(&all, NULL, &value)) {
        Entry *entry = value;
        if (!entry->parent)
            set_node(entry, generation, xtf_node_ref(root));
        else if (entry->node && (!is_fixed(entry) || entry->generation->number + KEPT_GENERATIONS < generation->number))
            set_node(entry, NULL, NULL);
    }
    g_mutex_unlock(&inodes->lock);
}

static void detach_name(XtfInodes *inodes, Entry *entry)
{
    if (!entry->detached)
        g_hash_table_remove(inodes->by_key, entry);
    entry->detached = true;
}

void xtf_inodes_replace(XtfInodes *inodes, XtfGeneration *generation, XtfNode *root)
{
    GHashTableIter all;
    void *value;

    g_mutex_lock(&inodes->lock);
    xtf_generation_unref(inodes->current);
    inodes->current = xtf_generation_ref(generation);
    inodes->replaced = generation->number;
    g_array_set_size(inodes->changed, 0);
    g_hash_table_iter_init(&all, inodes->by_id);
    while (g_hash_table_iter_next(&all, NULL, &value)) {
        Entry *entry = value;
        if (entry->kind == XTF_NODE_DIRECTORY) {
            set_node(entry, entry->parent ? NULL : generation, entry->parent ? NULL : xtf_node_ref(root));
        } else {
            detach_name(inodes, entry);
            entry->kept = true;
        }
        g_array_append_val(inodes->changed, entry->id);
    }
    g_cond_signal(&inodes->reaper_wanted);
    g_mutex_unlock(&inodes->lock);
}

XtfGeneration *xtf_inodes_generation(XtfInodes *inodes)
{
    g_mutex_lock(&inodes->lock);
    XtfGeneration *generation = xtf_generation_ref(inodes->current);
    g_mutex_unlock(&inodes->lock);
    return generation;
}

/* Collects the names that lead to an entry from its nearest ancestor that is up to date. Returns the node of that
 * ancestor; NULL: there is none. The caller holds the lock. */
static XtfNode *collect_trail(XtfInodes *inodes, Entry *entry, GArray *ids, GPtrArray *names)
{
    for (; entry && !is_up_to_date(inodes, entry); entry = entry->parent) {
        if (is_fixed(entry)) /* the entry's commit is too old to look the entry up again */
            return NULL;
        g_array_append_val(ids, entry->id);
        g_ptr_array_add(names, g_strdup(entry->lasting_name ? entry->lasting_name : entry->name));
    }
    return entry ? xtf_node_ref(entry->node) : NULL;
}

/* Looks up the node of a number again, in the current tree. */
static bool find_node_again(XtfInodes *inodes, uint64_t id, GError **error)
{
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    g_mutex_lock(&inodes->lock);
    g_autoptr(XtfGeneration) generation = xtf_generation_ref(inodes->current);
    g_autoptr(XtfNode) node = collect_trail(inodes, g_hash_table_lookup(inodes->by_id, &id), ids, names);
    g_mutex_unlock(&inodes->lock);
    for (guint i = ids->len; node && i-- > 0;) {
        XtfNode *child = xtf_node_lookup(node, names->pdata[i], error);
        xtf_node_unref(node);
        node = child;
        if (!node)
            return false;
        g_mutex_lock(&inodes->lock);
        Entry *entry = g_hash_table_lookup(inodes->by_id, &g_array_index(ids, uint64_t, i));
        if (entry && (!entry->node || xtf_generation_is_older(entry->generation, generation)))
            set_node(entry, generation, xtf_node_ref(node));
        g_mutex_unlock(&inodes->lock);
    }
    return node;
}

bool xtf_inodes_get(XtfInodes *inodes, uint64_t id, XtfInode *inode, GError **error)
{
    for (;;) {
        g_mutex_lock(&inodes->lock);
        const Entry *entry = g_hash_table_lookup(inodes->by_id, &id);
        bool up_to_date = entry && is_up_to_date(inodes, entry);
        if (up_to_date)
            fill_inode(entry, inode);
        g_mutex_unlock(&inodes->lock);
        if (!entry || up_to_date)
            return up_to_date;
        if (!find_node_again(inodes, id, error))
            return false;
    }
}

/* True if the entry has the content that its name has now. */
static bool is_unchanged(const Entry *entry, const XtfNode *node)
{
    if (entry->kind != xtf_node_kind(node))
        return false;
    if (entry->kind == XTF_NODE_DIRECTORY)
        return g_strcmp0(entry->lasting_name, xtf_node_lasting_name(node)) == 0;
    if (is_fixed(entry))
        return entry->node && xtf_node_is_same(entry->node, node);
    return entry->future == XTF_NODE_FINAL ||
           (xtf_node_future(node) == entry->future && xtf_node_size(node) == entry->size);
}

/* True if a look-up of the entry's name can use the entry as it is. */
static bool is_current(const XtfInodes *inodes, const Entry *entry)
{
    return !inodes->current || entry->future == XTF_NODE_FINAL || entry->lookup_generation >= inodes->current->number;
}

/* Gives the node of a repeated look-up to the name's entry, and returns the entry. If the content has changed, detaches
 * the name from the entry and returns NULL. */
static Entry *update_entry(XtfInodes *inodes, Entry *entry, XtfGeneration *generation, XtfNode *node)
{
    if (!generation || entry->lookup_generation >= generation->number)
        return entry;
    if (is_unchanged(entry, node)) {
        set_attributes(entry, node, generation);
        set_node(entry, generation, xtf_node_ref(node));
        return entry;
    }
    detach_name(inodes, entry);
    return NULL;
}

/* Counts a look-up, and moves the entry to the end of `fresh`. Its directory follows, so that the kernel keeps the
 * cached listing of a directory longer than the names in it. */
static void count_lookup(XtfInodes *inodes, Entry *entry)
{
    Entry *parent = entry->parent;

    entry->n_lookups++;
    if (!entry->stale)
        g_queue_unlink(&inodes->fresh, &entry->age);
    entry->stale = false;
    g_queue_push_tail_link(&inodes->fresh, &entry->age);
    if (parent && parent->parent && !parent->stale) {
        g_queue_unlink(&inodes->fresh, &parent->age);
        g_queue_push_tail_link(&inodes->fresh, &parent->age);
    }
    if (inodes->fresh.length > inodes->max_fresh && !inodes->reaping) {
        inodes->reaping = true;
        g_cond_signal(&inodes->reaper_wanted);
    }
}

static bool is_replaced(const XtfInodes *inodes, const XtfInode *inode)
{
    return inode->generation && inode->generation->number < inodes->replaced;
}

/* Looks the name up in the tree that has replaced the parent's tree. */
static bool look_up_again(XtfInodes *inodes, uint64_t parent_id, const char *name, XtfInode *child, GError **error)
{
    g_auto(XtfInode) parent = {0};
    GError *problem = NULL;

    if (xtf_inodes_get(inodes, parent_id, &parent, &problem))
        return xtf_inodes_lookup(inodes, &parent, name, child, error);
    if (!problem)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the kernel has forgotten the directory of '%s'", name);
    g_propagate_error(error, problem);
    return false;
}

bool xtf_inodes_lookup(XtfInodes *inodes, const XtfInode *parent, const char *name, XtfInode *child, GError **error)
{
    const Key key = {parent->id, name};

    g_mutex_lock(&inodes->lock);
    Entry *entry = g_hash_table_lookup(inodes->by_key, &key);
    if (!entry || !is_current(inodes, entry)) {
        /* Looking up the node may read pages, so the lock is released. Another thread may add the entry meanwhile. */
        g_mutex_unlock(&inodes->lock);
        XtfNode *node = xtf_node_lookup(parent->node, name, error);
        if (!node)
            return false;
        g_mutex_lock(&inodes->lock);
        if (is_replaced(inodes, parent)) {
            g_mutex_unlock(&inodes->lock);
            xtf_node_unref(node);
            return look_up_again(inodes, parent->id, name, child, error);
        }
        entry = g_hash_table_lookup(inodes->by_key, &key);
        Entry *parent_entry = g_hash_table_lookup(inodes->by_id, &parent->id);
        if (entry)
            entry = update_entry(inodes, entry, parent->generation, node);
        if (entry) {
            xtf_node_unref(node);
        } else if (parent_entry) {
            entry = add_entry(inodes, parent_entry, name, parent->generation, node);
        } else { /* happens only if the kernel forgets a directory during a look-up in it */
            g_mutex_unlock(&inodes->lock);
            xtf_node_unref(node);
            return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the kernel has forgotten the directory of '%s'", name);
        }
    }
    count_lookup(inodes, entry);
    fill_inode(entry, child);
    g_mutex_unlock(&inodes->lock);
    return true;
}

/* Frees the entry if the kernel holds no look-up of it or below it, and then its parents likewise. */
static void drop_unheld(XtfInodes *inodes, Entry *entry)
{
    while (entry->parent && entry->n_lookups == 0 && entry->n_children == 0) {
        Entry *parent = entry->parent;
        if (!entry->stale)
            g_queue_unlink(&inodes->fresh, &entry->age);
        if (!entry->detached)
            g_hash_table_remove(inodes->by_key, entry);
        g_hash_table_remove(inodes->by_id, &entry->id);
        if (--parent->n_children == 0 &&
            parent->stale) { /* the kernel can forget it only now: hand it to the reaper again */
            parent->stale = false;
            g_queue_push_head_link(&inodes->fresh, &parent->age);
        }
        entry = parent;
    }
}

void xtf_inodes_forget(XtfInodes *inodes, uint64_t id, uint64_t n_lookups)
{
    g_mutex_lock(&inodes->lock);
    Entry *entry = g_hash_table_lookup(inodes->by_id, &id);
    if (entry) {
        entry->n_lookups -= MIN(n_lookups, entry->n_lookups);
        drop_unheld(inodes, entry);
    }
    g_mutex_unlock(&inodes->lock);
}
