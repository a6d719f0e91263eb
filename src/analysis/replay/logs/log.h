/*
 * Logs: records of bytes, written once in sequence, and read from the beginning any number of times. Many logs share
 * one temporary file.
 *
 * A record has at most XTF_LOG_RECORD_MAX bytes and is contiguous. A log consists of parts. Each part begins with 8
 * bytes for the place of the next part, 0 if it is the last. The next 8 bytes hold the number of bytes of records in
 * the part.
 *
 * Different threads may write different logs, and read all logs, at once.
 */
#pragma once

#include <string.h>

#include "src/analysis/replay/logs/spool.h"

enum {
    XTF_LOG_RECORD_MAX = 254,
    XTF_LOG_BUFFER_MIN = 256, /* least buffer of a reader or writer, in bytes: the longest record and its length */
};

typedef struct {
    uint64_t first; /* place of the first part plus 1; 0: the log is empty */
    uint64_t bytes; /* of all records */
} XtfLog;

typedef struct {
    XtfSpool *spool; /* borrowed */
    XtfLog log;
    uint8_t *buffer; /* NULL: no record was written yet */
    uint32_t used, size;
    uint64_t place; /* place of the current part; UINT64_MAX: not allotted yet */
} XtfLogWriter;

/* Begins a log. `size` is the size of all parts except the last, in bytes. */
void xtf_log_writer_init(XtfLogWriter *writer, XtfSpool *spool, uint32_t size);
/* Writes the buffered records; *log may then be read. */
bool xtf_log_writer_end(XtfLogWriter *writer, XtfLog *log, GError **error);
void xtf_log_writer_finish(XtfLogWriter *writer); /* may be called twice */
bool xtf_log_writer_flush(XtfLogWriter *writer, bool last, GError **error);

/* Returns space for a record's bytes, up to XTF_LOG_RECORD_MAX; NULL: an error. */
static inline uint8_t *xtf_log_begin(XtfLogWriter *writer, GError **error)
{
    if ((!writer->buffer || writer->used + 1 + XTF_LOG_RECORD_MAX > writer->size) &&
        !xtf_log_writer_flush(writer, false, error))
        return NULL;
    return writer->buffer + writer->used + 1;
}

/* Ends the record at `end`. */
static inline void xtf_log_end(XtfLogWriter *writer, const uint8_t *end)
{
    uint8_t *length = writer->buffer + writer->used;
    *length = (uint8_t)(end - length - 1);
    writer->used += 1u + *length;
}

typedef struct {
    const XtfSpool *spool; /* borrowed */
    XtfLog log;
    uint8_t *buffer; /* NULL before the first record is read, and after the last */
    uint32_t at, end, size;
    uint64_t place, left; /* unread bytes of the part: their place and number */
    uint64_t next;        /* next part, as in XtfLog.first */
} XtfLogReader;

/* Begins to read. The buffer has at most `size` bytes. */
void xtf_log_reader_init(XtfLogReader *reader, const XtfSpool *spool, const XtfLog *log, uint32_t size);
void xtf_log_reader_finish(XtfLogReader *reader); /* may be called twice; xtf_log_reader_init() begins again */
bool xtf_log_reader_fill(XtfLogReader *reader, GError **error);

/* Reads the next record, which is valid until the next call. *end is behind its last byte. *record is NULL at the
 * end. */
static inline bool xtf_log_next(XtfLogReader *reader, const uint8_t **record, const uint8_t **end, GError **error)
{
    if (reader->at == reader->end || reader->at + 1u + reader->buffer[reader->at] > reader->end) {
        if (!xtf_log_reader_fill(reader, error))
            return false;
        if (reader->at == reader->end) {
            *record = *end = NULL;
            return true;
        }
    }
    uint32_t length = reader->buffer[reader->at];
    *record = reader->buffer + reader->at + 1;
    *end = *record + length;
    reader->at += 1 + length;
    return true;
}

/* ---- Numbers: 7 bits a byte, the lowest first. */

static inline uint8_t *xtf_log_put(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

/* Writes a difference, positive or negative; few bytes if it is near 0. */
static inline uint8_t *xtf_log_put_near(uint8_t *to, uint64_t value)
{
    return xtf_log_put(to, value << 1 ^ (0 - (value >> 63)));
}

static inline uint64_t xtf_log_get(const uint8_t **from)
{
    const uint8_t *at = *from;
    uint64_t value = *at & 0x7f;

    for (unsigned shift = 7; *at++ & 0x80; shift += 7)
        value |= (uint64_t)(*at & 0x7f) << shift;
    *from = at;
    return value;
}

static inline uint64_t xtf_log_get_near(const uint8_t **from)
{
    uint64_t value = xtf_log_get(from);
    return value >> 1 ^ -(value & 1);
}
