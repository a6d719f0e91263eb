#include "src/tables/match/order/message-rows.h"

#include <inttypes.h>

bool xtf_message_row(XtfCursor *cursor, const XtfArray *array, uint64_t n, const uint8_t **row, GError **error)
{
    bool found;

    if (cursor->array.schema != array->schema || cursor->array.location != array->location) {
        xtf_cursor_finish(cursor);
        xtf_cursor_init(cursor, array);
    }
    if (!xtf_cursor_seek_n(cursor, n, &found, error))
        return false;
    if (!found)
        return xtf_fail(error, XTF_ERROR_INVALID, "array %u has no row %" PRIu64 "; it has %" PRIu64 " rows", array->id,
                        n, array->n_rows);
    *row = xtf_cursor_row(cursor);
    return true;
}
