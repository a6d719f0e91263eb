/*
 * Extended attributes: the root has user.xtf.stats, the daemon's counters, one "name value" a line.
 *
 * Everything else has none, ACLs included: the kernel, which is told that we do ACLs, remembers that, and `ls -l` asks
 * once.
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

/* Of a fixed width: readers ask for the length first, and the counters go on meanwhile. */
static void append(GString *text, const char *name, uint64_t value)
{
    g_string_append_printf(text, "%-20s %20" PRIu64 "\n", name, value);
}

static GString *stats(XtfFs *fs)
{
    GString *text = g_string_new(NULL);
    XtfCounters counters;
    uint64_t fresh, all;

    for (int i = 0; i < XTF_REQUEST_KINDS; i++)
        append(text, request_names[i], atomic_load_explicit(&fs->requests[i], memory_order_relaxed));
    g_autoptr(XtfGeneration) generation = xtf_inodes_generation(fs->inodes);
    xtf_trace_get_counters(xtf_tree_trace(generation->tree), &counters);
    append(text, "page_visits", counters.page_visits);
    append(text, "key_comparisons", counters.key_comparisons);
    append(text, "cache.hits", counters.cache_hits);
    append(text, "cache.misses", counters.cache_misses);
    append(text, "cache.loads", counters.cache_loads);
    append(text, "cache.evictions", counters.cache_evictions);
    append(text, "cache.bytes", counters.cache_bytes);
    append(text, "cache.pinned_bytes", counters.cache_pinned_bytes);
    append(text, "cache.limit", counters.cache_limit);
    xtf_inodes_count(fs->inodes, &fresh, &all);
    append(text, "nodes", all);
    append(text, "nodes.fresh", fresh);
    append(text, "nodes.limit", fs->options->max_nodes);
    if (fs->options->follow) {
        XtfTraceInfo info;
        xtf_trace_get_info(xtf_tree_trace(generation->tree), &info);
        append(text, "follow.commit", info.commit);
        append(text, "follow.final", xtf_tree_is_final(generation->tree));
    }
    return text;
}

/* The protocol of both calls: a size of 0 asks for the length. */
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
    g_autoptr(GString) text = stats(fs);
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
