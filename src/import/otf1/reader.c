/*
 * Reads the files of a stream by OTF's library.
 *
 * The library takes a cut line, and damaged compressed data, for the end of the file. So this code looks for bytes
 * without a newline, and for the library's last error.
 */
#include <inttypes.h>
#include <string.h>

#include "src/import/otf1/files.h"
#include "src/import/otf1/import.h"

enum {
    RECORDS_PER_STEP = 65536,
    EXAMPLE_LENGTH = 60, /* most bytes of a damaged record in a message */
};

typedef struct {
    const char *ending;
    OTF_RBuffer *(*buffer)(OTF_RStream *);
    uint64_t (*read)(OTF_RStream *, OTF_HandlerArray *);
} Kind;

/* Returns the ending of files of a kind, and the library's functions for them. The library must be loaded. */
static Kind describe_kind(XtfOtf1Kind kind)
{
    const Kind kinds[] = {
        [XTF_OTF1_DEFINITIONS] = {"def", OTF_RStream_getDefBuffer, OTF_RStream_readDefinitions},
        [XTF_OTF1_EVENTS] = {"events", OTF_RStream_getEventBuffer, OTF_RStream_readEvents},
        [XTF_OTF1_SNAPSHOTS] = {"snaps", OTF_RStream_getSnapsBuffer, OTF_RStream_readSnapshots},
        [XTF_OTF1_SUMMARIES] = {"stats", OTF_RStream_getStatsBuffer, OTF_RStream_readStatistics},
        [XTF_OTF1_MARKERS] = {"marker", OTF_RStream_getMarkerBuffer, OTF_RStream_readMarker},
    };

    return kinds[kind];
}

/* Returns the position in the file of the buffer's next byte. In a compressed file it is that of the bytes read. */
static uint64_t position_of(OTF_RBuffer *buffer, bool compressed)
{
    uint64_t position = OTF_RBuffer_getFilePos(buffer);
    uint64_t ahead = buffer->end > buffer->pos ? buffer->end - buffer->pos : 0;

    return compressed || ahead > position ? position : position - ahead;
}

/* Returns the library's last message, which ends with the record. The caller frees it. */
static char *last_message(void)
{
    const char *record = strstr(otf_strerr, ":\n ");
    g_autofree char *escaped = g_strescape(record ? record + strlen(":\n ") : otf_strerr, NULL);

    if (g_str_has_suffix(escaped, "\\n"))
        escaped[strlen(escaped) - strlen("\\n")] = '\0';
    if (strlen(escaped) > EXAMPLE_LENGTH)
        memcpy(escaped + EXAMPLE_LENGTH - 3, "...", sizeof "...");
    return g_steal_pointer(&escaped);
}

/* Sets an error at the buffer's position, after n records. The message has the file's name only. */
static bool fail_damaged(const char *path, OTF_RBuffer *buffer, uint64_t n, GError **error)
{
    bool compressed = g_str_has_suffix(path, ".z");
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *message = otf_errno == OTF_NO_ERROR ? NULL : last_message();
    bool says = message && *message;

    return xtf_fail(error, XTF_ERROR_DAMAGED, "%s: damaged %s byte %" PRIu64 ", after %" PRIu64 " records%s%s%s", name,
                    compressed ? "at or before" : "at", position_of(buffer, compressed), n, says ? " (OTF says: " : "",
                    says ? message : "", says ? ")" : "");
}

/* Returns the number of records that the handlers were passed so far. */
static uint64_t n_handled(const XtfOtf1Import *import)
{
    return import->source.count + import->job->report.read;
}

static void note_progress(XtfOtf1Import *import, XtfOtf1Kind kind, OTF_RBuffer *buffer, uint64_t step)
{
    XtfSupervised *shared = import->job->shared;

    atomic_fetch_add(&shared->heartbeat, 1);
    if (kind != XTF_OTF1_EVENTS)
        return;
    atomic_fetch_add(&shared->events, step);
    if (import->bytes > 0)
        shared->per_million =
            MIN(1.0, (double)(import->bytes_done + OTF_RBuffer_getFilePos(buffer)) / (double)import->bytes) * 1000000;
}

/* Reads all records. Sets *n to their number, of which that of the step with an error is unknown. */
static bool read_records(XtfOtf1Import *import, OTF_RStream *stream, OTF_RBuffer *buffer, XtfOtf1Kind kind,
                         const char *path, OTF_HandlerArray *handlers, uint64_t *n, GError **error)
{
    const Kind files = describe_kind(kind);
    uint64_t step = RECORDS_PER_STEP, before = n_handled(import);

    OTF_RStream_setRecordLimit(stream, RECORDS_PER_STEP);
    while (step == RECORDS_PER_STEP) {
        otf_errno = OTF_NO_ERROR;
        step = files.read(stream, handlers);
        if (import->error) {
            g_propagate_error(error, g_steal_pointer(&import->error));
            return false;
        }
        if (step != OTF_READ_ERROR)
            *n += step;
        if (step == OTF_READ_ERROR || otf_errno != OTF_NO_ERROR)
            return fail_damaged(path, buffer, n_handled(import) - before, error);
        note_progress(import, kind, buffer, step);
    }
    g_autofree char *name = g_path_get_basename(path);
    return buffer->end <= buffer->pos ||
           xtf_fail(error, XTF_ERROR_DAMAGED, "%s: ends within a record, after %" PRIu64 " records", name,
                    n_handled(import) - before);
}

/* Warns of damage with --keep-going, else passes it on. */
static bool handle_damage(XtfOtf1Import *import, GError *damage, GError **error)
{
    if (damage->code != XTF_ERROR_DAMAGED) {
        g_propagate_error(error, damage);
        return false;
    }
    if (import->job->options->keep_going)
        xtf_import_warn(import->job, "%s: the rest of this file is missing", damage->message);
    else
        xtf_fail(error, XTF_ERROR_DAMAGED, "%s (xtf import --keep-going imports what is whole)", damage->message);
    g_error_free(damage);
    return import->job->options->keep_going;
}

bool xtf_otf1_read(XtfOtf1Import *import, uint32_t id, XtfOtf1Kind kind, OTF_HandlerArray *handlers, uint64_t *n,
                   GError **error)
{
    const Kind files = describe_kind(kind);
    GError *damage = NULL;
    g_autofree char *path = xtf_otf1_stream_file(import->stem, id, files.ending, &damage);

    *n = 0;
    if (!path && !damage)
        return true;
    if (damage) {
        g_propagate_error(error, damage);
        return false;
    }
    OTF_RStream *stream = OTF_RStream_open(import->stem, id, import->manager);
    OTF_RBuffer *buffer = stream ? files.buffer(stream) : NULL;
    bool good = buffer ? read_records(import, stream, buffer, kind, path, handlers, n, &damage)
                       : xtf_fail(&damage, XTF_ERROR_IO, "%s: cannot be read", path);
    if (stream)
        OTF_RStream_close(stream);
    return good || handle_damage(import, damage, error);
}
