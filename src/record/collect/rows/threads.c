/* Rings and their threads' locations. */
#include <string.h>

#include "src/record/collect/rows/collect.h"
#include "src/record/collect/rows/process.h"

enum { RECORD_NUMBERS_MAX = 1 << 20 }; /* bound of thread numbers */

void xtf_collect_ring_init(XtfCollectRing *ring, XtfCollector *collector, uint32_t number)
{
    *ring = (XtfCollectRing){.collector = collector, .number = number};
    xtf_stream_init(&ring->stream, collector->tables.writer, NULL, NULL);
    ring->stream.has_sites = collector->site_frames > 0;
}

void xtf_collect_ring_finish(XtfCollectRing *ring)
{
    xtf_stream_finish(&ring->stream);
    if (ring->pieces.data)
        g_byte_array_unref(ring->pieces.data);
    g_free(ring->fault);
}

static XtfCollectThread *find_thread(XtfCollector *collector, uint32_t number)
{
    guint i = 0;

    for (; i < collector->threads->len; i++) { /* recent threads are looked up most */
        XtfCollectThread *thread =
            &g_array_index(collector->threads, XtfCollectThread, collector->threads->len - 1 - i);
        if (thread->number == number)
            return thread;
        if (thread->number < number)
            break;
    }
    guint place = collector->threads->len - i;
    g_array_insert_val(collector->threads, place, ((XtfCollectThread){.number = number}));
    return &g_array_index(collector->threads, XtfCollectThread, place);
}

bool xtf_collect_ring_begin(XtfCollectRing *ring, uint64_t time, uint32_t number, int32_t tid, bool is_mpis)
{
    XtfCollector *collector = ring->collector;

    if (number >= RECORD_NUMBERS_MAX)
        return xtf_collect_malformed(ring, "thread number %" PRIu32 " is too large", number);
    XtfCollectThread *thread = find_thread(collector, number);
    if (thread->tid != 0 || thread->n_records > 0)
        return xtf_collect_malformed(ring, "thread %" PRIu32 " had a ring before", number);
    thread->tid = tid > 0 ? tid : -1;
    thread->is_mpis = is_mpis;
    xtf_stream_begin(&ring->stream, (uint64_t)collector->rank << 32 | number);
    xtf_stream_set_time(&ring->stream, collector->complete);
    ring->thread = number;
    ring->off = false;
    ring->reported = 0;
    ring->open = true;
    return number != 0 || xtf_collect_program_begin(ring, time);
}

bool xtf_collect_ring_end(XtfCollectRing *ring)
{
    if (!ring->open)
        return true;
    if (!xtf_collect_append_begun(ring))
        return false;
    ring->begun.kind = XTF_WIRE_NOTHING;
    if (!xtf_collect_leave_off(ring, ring->stream.last_time))
        return false;
    ring->open = false;
    find_thread(ring->collector, ring->thread)->n_records = ring->stream.seq;
    xtf_tags_add_all(&ring->collector->tags, &ring->stream.tags);
    GError *error = NULL;
    if (xtf_stream_end(&ring->stream, &error))
        return true;
    g_clear_error(&ring->stream.error);
    ring->stream.error = error;
    return false;
}

void xtf_collect_name_thread(XtfCollector *collector, uint32_t number, const char *name)
{
    if (number >= RECORD_NUMBERS_MAX)
        return;
    XtfCollectThread *thread = find_thread(collector, number);

    g_free(thread->name);
    thread->name = g_strdup(name);
}
