#include "src/trace/calls/pending-call.h"

#include "libxtf/array.h"
#include "libxtf/vocabulary.h"

/* Reads row n of an array whose rows have a number of order, and its number; UINT64_MAX: it has none. */
static bool read_order(const XtfArray *array, uint64_t n, uint8_t *row, uint64_t *order, GError **error)
{
    const XtfField *field = xtf_schema_field_by_role(array->schema, XTF_ROLE_SEQ);

    *order = UINT64_MAX;
    if (!xtf_array_row(array, n, row, error))
        return false;
    if (field)
        *order = xtf_field_get(field, row);
    return true;
}

/* Sets *is_open if the last row of `pending` is later than all ENTERs and LEAVEs. */
static bool is_last(const XtfArray *pending, const XtfArray *calls, bool *is_open, GError **error)
{
    uint8_t row[XTF_ROW_MAX];
    uint64_t open_order, call_order;

    *is_open = true;
    if (!calls || calls->n_rows == 0)
        return true;
    if (!read_order(pending, pending->n_rows - 1, row, &open_order, error) ||
        !read_order(calls, calls->n_rows - 1, row, &call_order, error))
        return false;
    *is_open = open_order > call_order;
    return true;
}

static bool is_call(const XtfArray *pending, const uint8_t *row)
{
    const XtfField *event = xtf_schema_field_by_role(pending->schema, XTF_ROLE_EVENT);

    return !event || xtf_field_get(event, row) == 0; /* PENDING is the first label */
}

bool xtf_pending_call_find(const XtfLocationArrays *arrays, const XtfSchema *pending, const XtfSchema *calls,
                           XtfPendingCall *call, GError **error)
{
    const XtfArray *array = pending ? xtf_location_arrays_find(arrays, pending) : NULL;
    uint8_t row[XTF_ROW_MAX];
    uint64_t first_kept;
    bool is_open;

    *call = (XtfPendingCall){0};
    if (!array || array->n_rows == 0)
        return true;
    if (!xtf_array_first_kept(array, &first_kept, error) ||
        !is_last(array, calls ? xtf_location_arrays_find(arrays, calls) : NULL, &is_open, error))
        return false;
    for (uint64_t n = array->n_rows; is_open && n-- > first_kept;) {
        if (!xtf_array_row(array, n, row, error))
            return false;
        if (!is_call(array, row))
            continue;
        *call = (XtfPendingCall){array, n, array->n_rows - 1 - n};
        return true;
    }
    return true;
}
