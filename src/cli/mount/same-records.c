#include "src/cli/mount/same-records.h"

#include <glib.h>

#include "libxtf/trace.h"

static bool has_same_times(const XtfTrace *earlier, const XtfTrace *later)
{
    const XtfClock *a = xtf_trace_clock(earlier), *b = xtf_trace_clock(later);

    return a->resolution_num == b->resolution_num && a->resolution_den == b->resolution_den && a->origin == b->origin &&
           a->first == b->first && a->last == b->last;
}

static bool has_same_maps(XtfTrace *earlier, XtfTrace *later)
{
    uint64_t a, b;

    return xtf_trace_clocks_digest(earlier, &a, NULL) && xtf_trace_clocks_digest(later, &b, NULL) && a == b;
}

/* Finds a schema of the same name and kind; NULL: none. */
static const XtfSchema *find_same_type(const XtfTrace *trace, const XtfSchema *schema)
{
    const XtfSchema *found = xtf_trace_find_schema(trace, schema->name);

    return found && found->kind == schema->kind ? found : NULL;
}

static bool has_rows_of(const XtfTrace *earlier, const XtfTrace *later, const XtfSchema *schema)
{
    const XtfSchema *found = find_same_type(later, schema);
    uint64_t before = xtf_trace_n_rows(earlier, schema->id), after = found ? xtf_trace_n_rows(later, found->id) : 0;

    if (schema->kind == XTF_SCHEMA_DERIVED)
        return true;
    return schema->kind == XTF_SCHEMA_TABLE ? after >= before : after == before;
}

bool xtf_same_records(XtfTrace *earlier, XtfTrace *later)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(earlier); i++)
        if (!has_rows_of(earlier, later, xtf_trace_schema(earlier, i)))
            return false;
    for (uint32_t i = 0; i < xtf_trace_n_schemas(later); i++) {
        const XtfSchema *schema = xtf_trace_schema(later, i);
        bool new =
            schema->kind != XTF_SCHEMA_TABLE && schema->kind != XTF_SCHEMA_DERIVED && !find_same_type(earlier, schema);
        if (new &&xtf_trace_n_rows(later, schema->id) > 0)
            return false;
    }
    return has_same_times(earlier, later) && has_same_maps(earlier, later);
}

bool xtf_has_derived(const XtfTrace *trace)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++)
        if (xtf_trace_schema(trace, i)->kind == XTF_SCHEMA_DERIVED)
            return true;
    return false;
}
