#include "src/analysis/compensate/marks.h"

#include <inttypes.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/context/name-index.h"

static const XtfSchema *find_records(XtfTrace *trace, const char *name)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, name);

    return schema && schema->kind == XTF_SCHEMA_RECORD ? schema : NULL;
}

static uint64_t find_event(const XtfSchema *schema, const char *label, XtfFieldLoad *load)
{
    const XtfField *field = schema ? xtf_schema_field_by_role(schema, XTF_ROLE_EVENT) : NULL;

    if (field)
        *load = xtf_field_load(field);
    return xtf_label_value(field, label);
}

void xtf_mark_types_init(XtfMarkTypes *types, XtfTrace *trace)
{
    *types = (XtfMarkTypes){.sends = find_records(trace, XTF_RECORD_SENDS),
                            .recvs = find_records(trace, XTF_RECORD_RECVS),
                            .collectives = find_records(trace, XTF_RECORD_COLLECTIVES),
                            .requests = find_records(trace, XTF_RECORD_REQUESTS)};
    types->begin = find_event(types->collectives, "MPI_COLLECTIVE_BEGIN", &types->collective_event);
    types->end = find_event(types->collectives, "MPI_COLLECTIVE_END", &types->collective_event);
    types->sent = find_event(types->requests, "MPI_ISEND_COMPLETE", &types->request_event);
    types->posted = find_event(types->requests, "MPI_IRECV_REQUEST", &types->request_event);
}

/* True if a record is a mark. *completes: true if it completes something. */
static bool is_mark(const XtfMarkTypes *types, const XtfWalkedRecord *record, bool *completes)
{
    *completes = record->schema == types->recvs;
    if (*completes || record->schema == types->sends)
        return true;
    if (record->schema == types->collectives) {
        uint64_t event = xtf_load_bits(&types->collective_event, record->row);
        *completes = event == types->end;
        return *completes || event == types->begin;
    }
    if (record->schema == types->requests) {
        uint64_t event = xtf_load_bits(&types->request_event, record->row);
        *completes = event == types->sent;
        return *completes || event == types->posted;
    }
    return false;
}

bool xtf_marks_put(XtfMarkWriter *writer, const XtfMarkTypes *types, const XtfWalkedRecord *record, GError **error)
{
    bool completes;

    if (!is_mark(types, record, &completes))
        return true;
    const XtfMark mark = {.seq = record->seq,
                          .time = record->time,
                          .local = record->local,
                          .section = record->time - record->begin,
                          .debt = record->debt,
                          .continues = completes && writer->last_completion == record->seq && record->seq > 0};
    uint8_t *to = xtf_log_begin(&writer->log, error);
    if (!to)
        return false;
    if (completes)
        writer->last_completion = record->seq + 1;
    to = xtf_log_put(to, (mark.seq - writer->last.seq) << 1 | mark.continues);
    to = xtf_log_put(to, mark.time - writer->last.time);
    to = xtf_log_put_near(to, (mark.time - mark.local) - (writer->last.time - writer->last.local));
    to = xtf_log_put(to, mark.section);
    to = xtf_log_put(to, mark.debt);
    xtf_log_end(&writer->log, to);
    writer->last = mark;
    return true;
}

static void read_mark(XtfMarkReader *reader, const uint8_t *record)
{
    XtfMark *mark = &reader->mark;
    const XtfMark last = *mark;
    uint64_t seq = xtf_log_get(&record);

    mark->continues = seq & 1;
    mark->seq = last.seq + (seq >> 1);
    mark->time = last.time + xtf_log_get(&record);
    mark->local = mark->time - (last.time - last.local) - xtf_log_get_near(&record);
    mark->section = xtf_log_get(&record);
    mark->debt = xtf_log_get(&record);
    if (!mark->continues)
        reader->run = *mark;
}

bool xtf_marks_find(XtfMarkReader *reader, uint64_t seq, GError **error)
{
    const uint8_t *record, *end;

    while (!reader->any || reader->mark.seq < seq) {
        if (!xtf_log_next(&reader->log, &record, &end, error))
            return false;
        if (!record)
            break;
        read_mark(reader, record);
        reader->any = true;
    }
    return (reader->any && reader->mark.seq == seq) ||
           xtf_damaged(error, "the replay names record %" PRIu64 " of a location, which has no such record", seq);
}
