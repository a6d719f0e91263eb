#include "src/tables/format/callpaths.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/analysis/replay/logs/callpath-log.h"
#include "src/trace/text/escape.h"

enum {
    CALLS_MAX = 256, /* most calls in a name: deeper call paths show only their inner calls */
};

bool xtf_callpaths_load(XtfCallpaths *callpaths, XtfTraceContext *context, GError **error)
{
    const XtfTable *table;

    *callpaths = (XtfCallpaths){.regions = xtf_trace_context_regions(context, error)};
    if (!callpaths->regions || !xtf_trace_table(context->trace, XTF_TABLE_CONTEXTS, &table, error))
        return false;
    if (!table)
        return true;
    if (table->n_rows >= XTF_NONE32 || table->schema->row_size != sizeof(XtfContextRow))
        return xtf_damaged(error, "contexts: the rows of this table are not call paths");
    callpaths->rows = (const XtfContextRow *)(const void *)table->rows;
    callpaths->n = (uint32_t)table->n_rows;
    return true;
}

/* ---- Search by parent and region. */

static uint64_t key_at(const XtfCallpaths *callpaths, uint32_t i)
{
    return xtf_callpath_log_key(callpaths->rows[i].parent, callpaths->rows[i].region);
}

bool xtf_callpaths_check(const XtfCallpaths *callpaths, GError **error)
{
    for (uint32_t i = 0; i < callpaths->n; i++) {
        uint32_t parent = callpaths->rows[i].parent;
        if ((parent != XTF_NONE32 && parent >= i) || (i > 0 && key_at(callpaths, i) <= key_at(callpaths, i - 1)))
            return xtf_damaged(
                error,
                "contexts: call path %u is out of order: parents come first, and rows ascend by parent and region", i);
    }
    return true;
}

uint32_t xtf_callpath_find(const XtfCallpaths *callpaths, uint32_t parent, uint32_t region, uint32_t depth)
{
    uint64_t key = xtf_callpath_log_key(parent, region);
    uint32_t low = 0, high = callpaths->n;

    if (depth >= XTF_CALLPATH_DEPTH_MAX && parent != XTF_NONE32)
        return parent;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (key_at(callpaths, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < callpaths->n && key_at(callpaths, low) == key ? low : parent;
}

/* ---- Names. */

static void add_region(const XtfNameIndex *regions, uint32_t region, GString *name)
{
    g_string_append(name, region < regions->n_rows && regions->texts ? regions->texts[region] : "?");
}

void xtf_callpath_name(const XtfCallpaths *callpaths, uint32_t callpath, GString *name)
{
    uint32_t calls[CALLS_MAX];
    unsigned n = 0;

    g_string_truncate(name, 0);
    if (callpath >= callpaths->n)
        g_string_append(name, callpath == XTF_NONE32 ? "(no region)" : "?");
    while (callpath < callpaths->n && n < CALLS_MAX) {
        const XtfContextRow *row = &callpaths->rows[callpath];
        calls[n++] = row->region;
        callpath = row->parent < callpath ? row->parent
                                          : XTF_NONE32; /* a caller has a smaller number, or the trace is damaged */
    }
    if (n == CALLS_MAX)
        g_string_append(name, ".../");
    while (n-- > 0) {
        add_region(callpaths->regions, calls[n], name);
        if (n > 0)
            g_string_append_c(name, '/');
    }
}

size_t xtf_callpath_width(const XtfCallpaths *callpaths, uint32_t callpath, GString *name)
{
    xtf_callpath_name(callpaths, callpath, name);
    return xtf_text_width(name->str, false, XTF_CALLPATH_WIDTH_MAX);
}
