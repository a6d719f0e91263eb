#include "src/tables/views/state/last-call.h"

#include "libxtf/group-filter.h"
#include "libxtf/vocabulary.h"
#include "src/trace/calls/enclosing-call.h"

enum { ROWS_MAX = 64 /* most rows that are read: the last ones may be ENTERs */ };

static XtfMatch match_mpi(const uint64_t *key, unsigned depth, const void *data)
{
    if (depth == 0)
        return XTF_MATCH_SOME;
    return XTF_CLASSES_MPI & XTF_CLASS_BIT(xtf_region_classes_of(data, key[0])) ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

/* True if a row of calls is a LEAVE. */
static bool is_leave(const XtfSchema *calls, const uint8_t *row)
{
    const char *label = xtf_row_label(xtf_schema_field_by_role(calls, XTF_ROLE_EVENT), row);

    return label && g_str_equal(label, XTF_EVENT_LEAVE);
}

/* Finds the site of the call that row n leaves, unless its ENTER was in a volume that was removed. */
static bool find_site(const XtfArray *calls, uint64_t n, const uint8_t *row, XtfLastCall *call, GError **error)
{
    const XtfField *site = xtf_schema_field_by_role(calls->schema, XTF_ROLE_SITE);
    uint8_t enter_row[XTF_ROW_MAX];
    uint64_t enter, first_kept;

    if (!site || !xtf_row_linked_enter(calls, n, row, &enter))
        return true;
    if (!xtf_array_first_kept(calls, &first_kept, error))
        return false;
    if (enter < first_kept)
        return true;
    if (!xtf_array_row(calls, enter, enter_row, error))
        return false;
    if (!xtf_field_is_none(site, enter_row))
        call->site = xtf_field_get(site, enter_row);
    return true;
}

bool xtf_last_call_find(XtfLastCall *call, const XtfLocationArrays *arrays, const XtfAggregateRef *frames,
                        const XtfRegionClasses *classes, uint64_t t, GError **error)
{
    const XtfArray *calls = xtf_location_arrays_find(arrays, frames->schema);
    const XtfGroupFilter filter = {.match = match_mpi, .data = classes};
    uint8_t row[XTF_ROW_MAX];
    uint64_t n, n_mpi, first_kept;

    *call = (XtfLastCall){.region = UINT64_MAX, .site = UINT64_MAX};
    if (!calls)
        return true;
    if (!xtf_array_rank(calls, t, &n, error) ||
        !xtf_array_group_rank(calls, frames->number, &filter, n, &n_mpi, error) ||
        !xtf_array_first_kept(calls, &first_kept, error))
        return false;
    for (unsigned i = 0; i < ROWS_MAX && n_mpi > 0; i++) {
        if (!xtf_array_group_select(calls, frames->number, &filter, --n_mpi, &n, error))
            return false;
        if (n < first_kept)
            return true;
        if (!xtf_array_row(calls, n, row, error))
            return false;
        if (!is_leave(calls->schema, row))
            continue;
        const XtfField *region = xtf_schema_field_by_role(calls->schema, XTF_ROLE_REGION);
        call->found = true;
        call->region = xtf_field_get_or(region, row, UINT64_MAX);
        call->end = xtf_field_get(&calls->schema->fields[0], row);
        return find_site(calls, n, row, call, error);
    }
    return true;
}
