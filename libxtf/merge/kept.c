#include <sys/resource.h>
#include <sys/stat.h>

#include "libxtf/merge/merge-private.h"

enum {
    PARTS_MAX = 256,         /* bound on parts, and so on descriptors */
    DESCRIPTORS_DIVISOR = 8, /* at most this fraction of the process's descriptors */
    BYTES_MAX = 1 << 20,     /* largest tables and strings of a part */
};

typedef struct {
    XtfKeptPart part;
    bool used; /* found since the last xtf_kept_parts_begin() */
} Entry;

struct XtfKeptParts {
    GHashTable *entries; /* path -> Entry */
    size_t parts_max;    /* maximum number of parts */
};

static void free_entry(gpointer data)
{
    Entry *entry = data;

    xtf_trace_unref(entry->part.trace);
    g_free(entry);
}

XtfKeptParts *xtf_kept_parts_new(void)
{
    XtfKeptParts *kept = g_new0(XtfKeptParts, 1);

    kept->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_entry);
    return kept;
}

void xtf_kept_parts_free(XtfKeptParts *kept)
{
    g_hash_table_unref(kept->entries);
    g_free(kept);
}

static size_t compute_parts_max(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return PARTS_MAX;
    return (size_t)MIN(limit.rlim_cur / DESCRIPTORS_DIVISOR, (rlim_t)PARTS_MAX);
}

static gboolean remove_unused(gpointer path, gpointer data, gpointer unused)
{
    Entry *entry = data;
    bool used = entry->used;

    entry->used = false;
    return !used;
}

void xtf_kept_parts_begin(XtfKeptParts *kept)
{
    g_hash_table_foreach_remove(kept->entries, remove_unused, NULL);
    kept->parts_max = compute_parts_max();
}

const XtfKeptPart *xtf_kept_parts_find(XtfKeptParts *kept, const char *path)
{
    Entry *entry = g_hash_table_lookup(kept->entries, path);
    struct stat status;
    bool later;

    if (!entry)
        return NULL;
    /* The path may name another file by now. */
    bool same = stat(path, &status) == 0 && status.st_dev == entry->part.device && status.st_ino == entry->part.inode &&
                xtf_trace_has_later(entry->part.trace, &later, NULL) && !later;
    entry->used = same;
    if (same)
        return &entry->part;
    g_hash_table_remove(kept->entries, path);
    return NULL;
}

static uint64_t table_bytes(const XtfCatalog *catalog)
{
    uint64_t bytes = catalog->strings.bytes;

    for (uint32_t i = 0; i < catalog->n_tables; i++)
        bytes += catalog->tables[i].rows.bytes;
    return bytes;
}

void xtf_kept_parts_add(XtfKeptParts *kept, const char *path, const XtfKeptPart *part)
{
    if (g_hash_table_size(kept->entries) >= kept->parts_max || table_bytes(&part->trace->catalog) > BYTES_MAX ||
        part->trace->superblock.info.damaged_commit)
        return;
    Entry *entry = g_new0(Entry, 1);
    *entry = (Entry){.part = *part, .used = true};
    xtf_trace_ref(part->trace);
    g_hash_table_insert(kept->entries, g_strdup(path), entry);
}
