#include "src/trace/calls/call-readers.h"

#include "src/trace/select/aggregate-ref.h"

enum {
    ARRAYS_PER_READ = 64,
    ROWS_TOTAL = 1 << 16, /* rows of all batches together */
    ROWS_MAX = 1 << 14,   /* most rows of a batch: the rows of the largest leaf */
    ROWS_MIN = 128,       /* least rows of a batch, so that most calls end in the batch in which they begin */
    ROW_BYTES = 40,
};

const char *const xtf_frame_endings[XTF_N_FRAME_ENDINGS] = {
    [XTF_FRAME_LEFT] = "left", [XTF_FRAME_CUT] = "cut", [XTF_FRAME_OPEN] = "open"};

struct XtfCallReaders {
    const XtfTraceContext *context;
    const XtfLocations *locations;
    unsigned frames;        /* number of the aggregate of frames */
    GHashTable *readers;    /* XtfFrameReader, by location index + 1 */
    size_t bytes;           /* of all batches, at most */
    XtfFrameReader *latest; /* returned last: most calls follow another call of their location; NULL: none */
    uint32_t latest_tag;    /* index in XtfLocations of the location of `latest` */
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
    readers->readers = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_reader);
    return readers;
}

void xtf_call_readers_free(XtfCallReaders *readers)
{
    if (!readers)
        return;
    g_hash_table_unref(readers->readers);
    g_free(readers);
}

bool xtf_location_last(const XtfTraceContext *context, const XtfLocation *location, uint64_t *last, GError **error)
{
    XtfArray arrays[ARRAYS_PER_READ];

    *last = 0;
    for (uint64_t done = 0; done < location->n_arrays; done += ARRAYS_PER_READ) {
        uint64_t count = MIN(location->n_arrays - done, (uint64_t)ARRAYS_PER_READ);
        if (!xtf_trace_get_arrays(context->trace, location->first_array + done, count, arrays, error))
            return false;
        for (uint64_t i = 0; i < count; i++)
            if (xtf_trace_context_is_record(context, arrays[i].schema->id) && xtf_array_is_supported(&arrays[i], NULL))
                *last = MAX(*last, arrays[i].local_last);
    }
    return true;
}

size_t xtf_call_readers_bytes(const XtfCallReaders *readers)
{
    return readers ? readers->bytes : 0;
}

static XtfFrameReader *make_reader(XtfCallReaders *readers, const XtfSpan *span, GError **error)
{
    uint32_t n = g_hash_table_size(readers->readers);
    uint64_t last;

    if (!xtf_location_last(readers->context, &readers->locations->all[span->tag], &last, error))
        return NULL;
    uint32_t rows = CLAMP(ROWS_TOTAL / (n + 1), (uint32_t)ROWS_MIN, (uint32_t)ROWS_MAX);
    XtfFrameReader *reader = xtf_frame_reader_new(&span->array, readers->frames, last, rows);
    g_hash_table_insert(readers->readers, GSIZE_TO_POINTER((gsize)span->tag + 1), reader);
    readers->bytes += (size_t)MIN((uint64_t)rows, span->array.n_rows) * ROW_BYTES;
    return reader;
}

XtfFrameReader *xtf_call_readers_get(XtfCallReaders *readers, const XtfSpan *span, GError **error)
{
    if (readers->latest && readers->latest_tag == span->tag)
        return readers->latest;
    readers->latest = g_hash_table_lookup(readers->readers, GSIZE_TO_POINTER((gsize)span->tag + 1));
    if (!readers->latest)
        readers->latest = make_reader(readers, span, error);
    readers->latest_tag = span->tag;
    return readers->latest;
}
