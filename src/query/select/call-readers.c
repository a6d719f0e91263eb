#include "src/query/select/call-readers.h"

#include "src/query/select/aggregate-ref.h"

enum {
    ARRAYS_AT_ONCE = 64,
    /* Rows of all batches together; but no batch has more rows than the largest leaf, nor so few that most calls are
     * left outside of it. */
    ROWS_IN_ALL = 1 << 16,
    ROWS_MOST = 1 << 14,
    ROWS_LEAST = 128,
};

struct XtfCallReaders {
    const XtfTraceContext *context;
    const XtfLocations *locations;
    unsigned frames;    /* the aggregate's number */
    GPtrArray *readers; /* by location: XtfFrameReader, or NULL */
    uint32_t n;         /* that are made */
};

static void free_reader(void *reader)
{
    xtf_frame_reader_free(reader);
}

XtfCallReaders *xtf_call_readers_new(const XtfTraceContext *context, const XtfLocations *locations)
{
    XtfCallReaders *readers = g_new0(XtfCallReaders, 1);
    XtfAggregateRef frames;

    xtf_aggregate_ref_frames(&frames, context);
    *readers = (XtfCallReaders){.context = context, .locations = locations, .frames = frames.number};
    readers->readers = g_ptr_array_new_with_free_func(free_reader);
    g_ptr_array_set_size(readers->readers, (int)locations->n);
    return readers;
}

void xtf_call_readers_free(XtfCallReaders *readers)
{
    if (!readers)
        return;
    g_ptr_array_unref(readers->readers);
    g_free(readers);
}

bool xtf_location_last(const XtfTraceContext *context, const XtfLocation *location, uint64_t *last, GError **error)
{
    XtfArray arrays[ARRAYS_AT_ONCE];

    *last = 0;
    for (uint64_t done = 0; done < location->n_arrays; done += ARRAYS_AT_ONCE) {
        uint64_t count = MIN(location->n_arrays - done, (uint64_t)ARRAYS_AT_ONCE);
        if (!xtf_trace_get_arrays(context->trace, location->first_array + done, count, arrays, error))
            return false;
        for (uint64_t i = 0; i < count; i++)
            if (xtf_trace_context_is_record(context, arrays[i].schema->id))
                *last = MAX(*last, arrays[i].local_last);
    }
    return true;
}

XtfFrameReader *xtf_call_readers_get(XtfCallReaders *readers, const XtfSpan *span, GError **error)
{
    void **reader = &readers->readers->pdata[span->tag];
    uint64_t last;

    if (*reader)
        return *reader;
    if (!xtf_location_last(readers->context, &readers->locations->all[span->tag], &last, error))
        return NULL;
    uint32_t rows = CLAMP(ROWS_IN_ALL / ++readers->n, (uint32_t)ROWS_LEAST, (uint32_t)ROWS_MOST);
    return *reader = xtf_frame_reader_new(&span->array, readers->frames, last, rows);
}
