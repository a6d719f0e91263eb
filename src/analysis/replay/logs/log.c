#include "src/analysis/replay/logs/log.h"

typedef struct {
    uint64_t next, bytes;
} Head;

/* ---- Writing. */

void xtf_log_writer_init(XtfLogWriter *writer, XtfSpool *spool, uint32_t size)
{
    *writer = (XtfLogWriter){
        .spool = spool, .size = MAX(size, XTF_LOG_BUFFER_MIN + (uint32_t)sizeof(Head)), .place = UINT64_MAX};
}

void xtf_log_writer_finish(XtfLogWriter *writer)
{
    g_clear_pointer(&writer->buffer, g_free);
}

/* Writes the buffer as a part, of the writer's size unless it is the last. A part stores the place of the next one, so
 * that place is allotted now. */
bool xtf_log_writer_flush(XtfLogWriter *writer, bool last, GError **error)
{
    if (!writer->buffer) {
        writer->buffer = g_malloc(writer->size);
        writer->used = sizeof(Head);
        return true;
    }
    uint32_t used = writer->used, bytes = last ? used : writer->size;
    uint64_t place = writer->place;
    Head head = {.bytes = used - sizeof head};
    if (place == UINT64_MAX)
        place = last ? xtf_spool_allot(writer->spool, bytes) : xtf_spool_allot_aligned(writer->spool, bytes);
    if (writer->log.first == 0)
        writer->log.first = place + 1;
    if (!last) {
        writer->place = xtf_spool_allot_aligned(writer->spool, writer->size);
        head.next = writer->place + 1;
    }
    memcpy(writer->buffer, &head, sizeof head);
    memset(writer->buffer + used, 0, bytes - used);
    writer->log.bytes += head.bytes;
    writer->used = sizeof head;
    return xtf_spool_put(writer->spool, place, writer->buffer, bytes, error);
}

bool xtf_log_writer_end(XtfLogWriter *writer, XtfLog *log, GError **error)
{
    bool good = !writer->buffer || xtf_log_writer_flush(writer, true, error);

    *log = writer->log;
    xtf_log_writer_finish(writer);
    return good;
}

/* ---- Reading. */

void xtf_log_reader_init(XtfLogReader *reader, const XtfSpool *spool, const XtfLog *log, uint32_t size)
{
    uint64_t all = MIN(log->bytes, UINT32_MAX);

    *reader = (XtfLogReader){.spool = spool, .log = *log, .next = log->first};
    reader->size = MAX(MIN(size, (uint32_t)all), XTF_LOG_BUFFER_MIN);
}

void xtf_log_reader_finish(XtfLogReader *reader)
{
    g_clear_pointer(&reader->buffer, g_free);
    reader->at = reader->end = 0;
    reader->left = reader->next = 0;
}

static bool open_log_part(XtfLogReader *reader, GError **error)
{
    uint64_t place = reader->next - 1;
    Head head;

    if (!xtf_spool_get(reader->spool, place, &head, sizeof head, error))
        return false;
    reader->place = place + sizeof head;
    reader->left = head.bytes;
    reader->next = head.next;
    return true;
}

/* Fills the buffer. The unread bytes move to its beginning. */
bool xtf_log_reader_fill(XtfLogReader *reader, GError **error)
{
    uint32_t kept = reader->end - reader->at;

    if (!reader->buffer)
        reader->buffer = g_malloc(reader->size);
    if (kept > 0)
        memmove(reader->buffer, reader->buffer + reader->at, kept);
    reader->at = 0;
    reader->end = kept;
    while (reader->left == 0 && reader->next != 0)
        if (!open_log_part(reader, error))
            return false;
    uint32_t n = (uint32_t)MIN(reader->left, (uint64_t)(reader->size - kept));
    if (n == 0) {
        xtf_log_reader_finish(reader);
        return true;
    }
    if (!xtf_spool_get(reader->spool, reader->place, reader->buffer + kept, n, error))
        return false;
    reader->place += n;
    reader->left -= n;
    reader->end += n;
    return true;
}
