#include "src/fs/inodes.h"

#include <string.h>

typedef struct Entry Entry;

/* Of what makes a node: the parent's id, and the name. */
typedef struct {
    uint64_t parent_id;
    const char *name;
} Key;

struct Entry {
    Key key; /* first, so that an entry can be its own key */
    uint64_t id, ino;
    uint64_t n_lookups;  /* that the kernel holds */
    uint32_t n_children; /* entries whose parent this is */
    bool stale;          /* handed to the reaper since its last look-up: then not in `fresh` */
    Entry *parent;       /* NULL: the root */
    XtfNode *node;
    GList age; /* its link in `fresh` */
    char name[];
};

struct XtfInodes {
    GMutex lock;        /* of all below, and of the entries */
    GCond passed;       /* the bound was passed, or `stopped` */
    GHashTable *by_id;  /* &Entry.id -> Entry, which it owns */
    GHashTable *by_key; /* Entry as its Key */
    GQueue fresh;       /* not stale, the longest ago looked up first; without the root */
    uint64_t max_fresh;
    uint64_t last_id;
    bool reaping; /* from passing the bound until there is room again */
    bool stopped;
};

void xtf_inode_finish(XtfInode *inode)
{
    g_clear_pointer(&inode->node, xtf_node_unref);
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
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (parent_ino * UINT64_C(0x9e3779b97f4a7c15));

    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32; /* so that the low bits hang on all of the name: the tail of murmur3's mixer */
    hash *= UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 33;
    return hash > XTF_INODE_ROOT ? hash : hash + 2; /* 0 and 1 are taken */
}

static void entry_free(gpointer data)
{
    Entry *entry = data;

    xtf_node_unref(entry->node);
    g_free(entry);
}

/* Takes the node. */
static Entry *add_entry(XtfInodes *inodes, Entry *parent, const char *name, XtfNode *node)
{
    size_t length = strlen(name) + 1;
    Entry *entry = g_malloc0(sizeof *entry + length);

    memcpy(entry->name, name, length);
    entry->key = (Key){parent ? parent->id : 0, entry->name};
    entry->id = ++inodes->last_id;
    entry->ino = parent ? xtf_inodes_child_ino(parent->ino, name) : XTF_INODE_ROOT;
    entry->parent = parent;
    entry->node = node;
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
    g_cond_init(&inodes->passed);
    g_queue_init(&inodes->fresh);
    inodes->by_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, entry_free);
    inodes->by_key = g_hash_table_new(key_hash, key_equal);
    inodes->max_fresh = max_nodes;
    add_entry(inodes, NULL, "", xtf_node_ref(root)); /* the first id given out: XTF_INODE_ROOT */
    return inodes;
}

void xtf_inodes_free(XtfInodes *inodes)
{
    if (!inodes)
        return;
    g_hash_table_destroy(inodes->by_key);
    g_hash_table_destroy(inodes->by_id);
    g_cond_clear(&inodes->passed);
    g_mutex_clear(&inodes->lock);
    g_free(inodes);
}

static void fill_inode(const Entry *entry, XtfInode *inode)
{
    *inode = (XtfInode){
        .id = entry->id,
        .ino = entry->ino,
        .parent_ino = entry->parent ? entry->parent->ino : entry->ino,
        .node = xtf_node_ref(entry->node),
    };
}

bool xtf_inodes_get(XtfInodes *inodes, uint64_t id, XtfInode *inode)
{
    g_mutex_lock(&inodes->lock);
    const Entry *entry = g_hash_table_lookup(inodes->by_id, &id);
    if (entry)
        fill_inode(entry, inode);
    g_mutex_unlock(&inodes->lock);
    return entry != NULL;
}

/* Counts a look-up, which makes the entry the youngest. */
static void hold(XtfInodes *inodes, Entry *entry)
{
    entry->n_lookups++;
    if (!entry->stale)
        g_queue_unlink(&inodes->fresh, &entry->age);
    entry->stale = false;
    g_queue_push_tail_link(&inodes->fresh, &entry->age);
    if (inodes->fresh.length > inodes->max_fresh && !inodes->reaping) {
        inodes->reaping = true;
        g_cond_signal(&inodes->passed);
    }
}

bool xtf_inodes_lookup(XtfInodes *inodes, const XtfInode *parent, const char *name, XtfInode *child, GError **error)
{
    const Key key = {parent->id, name};

    g_mutex_lock(&inodes->lock);
    Entry *entry = g_hash_table_lookup(inodes->by_key, &key);
    if (!entry) {
        /* Finding what the name means may read pages: not under the lock. Somebody else may be faster meanwhile. */
        g_mutex_unlock(&inodes->lock);
        XtfNode *node = xtf_node_lookup(parent->node, name, error);
        if (!node)
            return false;
        g_mutex_lock(&inodes->lock);
        entry = g_hash_table_lookup(inodes->by_key, &key);
        Entry *above = g_hash_table_lookup(inodes->by_id, &parent->id);
        if (entry) {
            xtf_node_unref(node);
        } else if (above) {
            entry = add_entry(inodes, above, name, node);
        } else { /* only a kernel that forgets a directory while it searches it gets here */
            g_mutex_unlock(&inodes->lock);
            xtf_node_unref(node);
            return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the directory of '%s' was forgotten", name);
        }
    }
    hold(inodes, entry);
    fill_inode(entry, child);
    g_mutex_unlock(&inodes->lock);
    return true;
}

/* Drops the entry if nothing holds it, and then perhaps its parents. */
static void drop_unheld(XtfInodes *inodes, Entry *entry)
{
    while (entry->parent && entry->n_lookups == 0 && entry->n_children == 0) {
        Entry *parent = entry->parent;
        if (!entry->stale)
            g_queue_unlink(&inodes->fresh, &entry->age);
        g_hash_table_remove(inodes->by_key, entry);
        g_hash_table_remove(inodes->by_id, &entry->id);
        if (--parent->n_children == 0 && parent->stale) { /* it could not go before: another chance */
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

void xtf_inodes_count(XtfInodes *inodes, uint64_t *fresh, uint64_t *all)
{
    g_mutex_lock(&inodes->lock);
    *fresh = inodes->fresh.length;
    *all = g_hash_table_size(inodes->by_id);
    g_mutex_unlock(&inodes->lock);
}

unsigned xtf_inodes_wait_stale(XtfInodes *inodes, XtfStaleName *names, unsigned max)
{
    const uint64_t low_water = inodes->max_fresh - inodes->max_fresh / 8;
    unsigned n = 0;

    g_mutex_lock(&inodes->lock);
    for (;;) {
        if (inodes->fresh.length <= low_water)
            inodes->reaping = false;
        if (inodes->reaping || inodes->stopped)
            break;
        g_cond_wait(&inodes->passed, &inodes->lock);
    }
    while (!inodes->stopped && n < max && inodes->fresh.length > low_water) {
        Entry *oldest = g_queue_peek_head(&inodes->fresh);
        g_queue_unlink(&inodes->fresh, &oldest->age);
        oldest->stale = true;
        names[n++] = (XtfStaleName){oldest->id, oldest->key.parent_id, g_strdup(oldest->name)};
    }
    g_mutex_unlock(&inodes->lock);
    return n;
}

void xtf_inodes_stop(XtfInodes *inodes)
{
    g_mutex_lock(&inodes->lock);
    inodes->stopped = true;
    g_cond_signal(&inodes->passed);
    g_mutex_unlock(&inodes->lock);
}
