/*
 * Extended attributes: the root has user.xtf.stats, the daemon's counters, one "name value" a line.
 *
 * No other file has any, nor ACLs. The daemon announces support for ACLs, so the kernel caches that a file has none,
 * and `ls -l` asks only once.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/fs/fs-private.h"

#define STATS_NAME "user.xtf.stats"

static const char *const request_names[XTF_REQUEST_KINDS] = {
    [XTF_REQUEST_LOOKUP] = "requests.lookup",     [XTF_REQUEST_FORGET] = "requests.forget",
    [XTF_REQUEST_GETATTR] = "requests.getattr",   [XTF_REQUEST_READLINK] = "requests.readlink",
    [XTF_REQUEST_OPEN] = "requests.open",         [XTF_REQUEST_READ] = "requests.read",
    [XTF_REQUEST_OPENDIR] = "requests.opendir",   [XTF_REQUEST_READDIR] = "requests.readdir",
    [XTF_REQUEST_GETXATTR] = "requests.getxattr", [XTF_REQUEST_LISTXATTR] = "requests.listxattr",
    [XTF_REQUEST_STATFS] = "requests.statfs",     [XTF_REQUEST_ACCESS] = "requests.access",
    [XTF_REQUEST_WRITE] = "requests.write",
};

/* Appends a line of fixed width. Readers ask for the length first, and the counters may grow before they read. */
static void append_counter(GString *text, const char *name, uint64_t value)
{
    g_string_append_printf(text, "%-20s %20" PRIu64 "\n", name, value);
}

static GString *format_stats(XtfFs *fs)
{
    GString *text = g_string_new(NULL);
    XtfCounters counters;
    uint64_t fresh, all;

    for (int i = 0; i < XTF_REQUEST_KINDS; i++)
        append_counter(text, request_names[i], atomic_load_explicit(&fs->requests[i], memory_order_relaxed));
    g_autoptr(XtfGeneration) generation = xtf_inodes_generation(fs->inodes);
    xtf_trace_get_counters(xtf_tree_trace(generation->tree), &counters);
    append_counter(text, "page_visits", counters.page_visits);
    append_counter(text, "key_comparisons", counters.key_comparisons);
    append_counter(text, "cache.hits", counters.cache_hits);
    append_counter(text, "cache.misses", counters.cache_misses);
    append_counter(text, "cache.loads", counters.cache_loads);
    append_counter(text, "cache.evictions", counters.cache_evictions);
    append_counter(text, "cache.bytes", counters.cache_bytes);
    append_counter(text, "cache.pinned_bytes", counters.cache_pinned_bytes);
    append_counter(text, "cache.limit", counters.cache_limit);
    xtf_inodes_count(fs->inodes, &fresh, &all);
    append_counter(text, "nodes", all);
    append_counter(text, "nodes.fresh", fresh);
    append_counter(text, "nodes.limit", fs->options->max_nodes);
    if (fs->options->follow) {
        XtfTraceInfo info;
        xtf_trace_get_info(xtf_tree_trace(generation->tree), &info);
        append_counter(text, "follow.commit", info.commit);
        append_counter(text, "follow.final", xtf_tree_is_final(generation->tree));
    }
    return text;
}

/* Replies as both calls require: with the length if `size` is 0, else with the value. */
static void reply_value(fuse_req_t request, const char *value, size_t length, size_t size)
{
    if (size == 0)
        fuse_reply_xattr(request, length);
    else if (size < length)
        fuse_reply_err(request, ERANGE);
    else
        fuse_reply_buf(request, value, length);
}

static void handle_getxattr(fuse_req_t request, fuse_ino_t id, const char *name, size_t size)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_GETXATTR);

    if (id != XTF_INODE_ROOT || strcmp(name, STATS_NAME) != 0) {
        fuse_reply_err(request, ENODATA);
        return;
    }
    g_autoptr(GString) text = format_stats(fs);
    reply_value(request, text->str, text->len, size);
}

static void handle_listxattr(fuse_req_t request, fuse_ino_t id, size_t size)
{
    xtf_fs_of(request, XTF_REQUEST_LISTXATTR);
    reply_value(request, STATS_NAME, id == XTF_INODE_ROOT ? sizeof STATS_NAME : 0, size);
}

void xtf_fs_add_attribute_handlers(struct fuse_lowlevel_ops *ops)
{
    ops->getxattr = handle_getxattr;
    ops->listxattr = handle_listxattr;
}
