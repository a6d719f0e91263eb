/*
 * Finds the records that `xtf export otf2 --scalasca` leaves out. Scalasca 2.6 knows the collective operations up to
 * REDUCE_SCATTER_BLOCK, and aborts at CREATE_HANDLE and all later ones. Newer versions of Score-P write the later
 * operations, and so does `xtf record`. They are for MPI_Init and MPI_Finalize, and for calls that make or free
 * communicators, windows and files.
 */
#include "src/export/otf2/archive.h"

static bool is_unknown_operation(const XtfCollectivesRow *row)
{
    return row->operation >= OTF2_COLLECTIVE_OP_CREATE_HANDLE;
}

/* Finds the MPI_COLLECTIVE_END of the MPI_COLLECTIVE_BEGIN at row `n`. *unknown is true if Scalasca does not know its
 * operation, and false if there is no MPI_COLLECTIVE_END. */
static bool find_end_operation(const XtfLocationReader *reader, uint64_t n, bool *unknown, GError **error)
{
    const XtfArray *array = xtf_location_reader_array(reader, XTF_MODEL_COLLECTIVES);
    const XtfModelMap *map = array ? reader->maps[array->schema->id] : NULL;
    g_auto(XtfCursor) cursor = {0};
    uint8_t buffer[XTF_ROW_MAX];
    bool found;

    *unknown = false;
    if (!map)
        return true;
    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, n + 1, &found, error))
        return false;
    while (found) {
        const XtfCollectivesRow *row = xtf_model_map_apply(map, xtf_cursor_row(&cursor), buffer);
        if (row->event == XTF_LABEL_MPI_COLLECTIVE_END)
            *unknown = is_unknown_operation(row);
        if (row->event == XTF_LABEL_MPI_COLLECTIVE_END || row->event == XTF_LABEL_MPI_COLLECTIVE_BEGIN)
            return true;
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

bool xtf_otf2_is_left_out(const XtfOtf2Export *export, const XtfLocationReader *reader, const XtfLocationRecord *record,
                          bool *left_out, GError **error)
{
    const XtfCollectivesRow *row = record->fields;

    *left_out = false;
    if (!export->job->for_scalasca || record->tag != XTF_MODEL_COLLECTIVES)
        return true;
    if (row->event == XTF_LABEL_MPI_COLLECTIVE_BEGIN)
        return find_end_operation(reader, record->row, left_out, error);
    *left_out = row->event == XTF_LABEL_MPI_COLLECTIVE_END && is_unknown_operation(row);
    return true;
}
