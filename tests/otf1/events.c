#include "tests/otf1/archive.h"

#include <string.h>

enum {
    STEP = 100, /* unit of times and durations, so that many are equal */
};

uint64_t archive_random(Archive *archive, uint64_t n)
{
    archive->seed = archive->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (archive->seed >> 33) % n;
}

static uint32_t random_id(Archive *archive, uint32_t n)
{
    return 1 + (uint32_t)archive_random(archive, n);
}

/* Fills the list of keys and values for the next record: mostly with nothing. */
static OTF_KeyValueList *fill_list(Archive *archive)
{
    OTF_KeyValueList *list = archive->list;
    uint8_t bytes[250];

    OTF_KeyValueList_reset(list);
    if (archive_random(archive, 4) > 0)
        return list;
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, "a text: ", 8);
    OTF_KeyValueList_appendByteArray(list, 12, bytes, 1 + (uint32_t)archive_random(archive, sizeof bytes));
    OTF_KeyValueList_appendChar(list, 1, 'A' + (char)archive_random(archive, 26));
    OTF_KeyValueList_appendInt8(list, 2, -(int8_t)archive_random(archive, 100));
    OTF_KeyValueList_appendUint8(list, 3, (uint8_t)archive_random(archive, 256));
    OTF_KeyValueList_appendInt16(list, 4, -(int16_t)archive_random(archive, 30000));
    OTF_KeyValueList_appendUint16(list, 5, (uint16_t)archive_random(archive, 65536));
    OTF_KeyValueList_appendInt32(list, 6, -(int32_t)archive_random(archive, 1 << 30));
    OTF_KeyValueList_appendUint32(list, 7, UINT32_MAX - (uint32_t)archive_random(archive, 5));
    OTF_KeyValueList_appendInt64(list, 8, INT64_MIN + (int64_t)archive_random(archive, 5));
    OTF_KeyValueList_appendUint64(list, 9, UINT64_MAX - archive_random(archive, 5));
    OTF_KeyValueList_appendFloat(list, 10, 0.5f * (float)archive_random(archive, 1000));
    OTF_KeyValueList_appendDouble(list, 11, -0.25 * (double)archive_random(archive, 1000));
    return list;
}

/* The arguments of the functions that write records. */
typedef struct {
    uint64_t time;
    uint32_t process, peer, group, source;
    OTF_KeyValueList *list;
} Record;

static void write_call(Archive *archive, const Record *r)
{
    if (archive_random(archive, 2))
        OTF_Writer_writeEnterKV(archive->writer, r->time, random_id(archive, N_FUNCTIONS), r->process, r->source,
                                r->list);
    else
        OTF_Writer_writeLeaveKV(archive->writer, r->time, (uint32_t)archive_random(archive, N_FUNCTIONS + 1),
                                r->process, r->source, r->list);
}

static void write_message(Archive *archive, const Record *r)
{
    uint32_t tag = (uint32_t)archive_random(archive, 5), length = (uint32_t)archive_random(archive, UINT32_MAX);

    if (archive_random(archive, 2))
        OTF_Writer_writeSendMsgKV(archive->writer, r->time, r->process, r->peer, r->group, tag, length, r->source,
                                  r->list);
    else
        OTF_Writer_writeRecvMsgKV(archive->writer, r->time, r->process, r->peer, r->group, tag, length, r->source,
                                  r->list);
}

static void write_collective(Archive *archive, const Record *r)
{
    uint32_t root = archive_random(archive, 2) ? r->peer : 0, operation = random_id(archive, N_COLLECTIVES);
    uint64_t matching = archive_random(archive, 3);

    switch (archive_random(archive, 3)) {
    case 0:
        OTF_Writer_writeCollectiveOperationKV(archive->writer, r->time, r->process, operation, r->group, root, 10, 20,
                                              STEP * archive_random(archive, 20), r->source, r->list);
        break;
    case 1:
        OTF_Writer_writeBeginCollectiveOperationKV(archive->writer, r->time, r->process, operation, matching, r->group,
                                                   root, UINT64_C(1) << 40, 7, r->source, r->list);
        break;
    default:
        OTF_Writer_writeEndCollectiveOperationKV(archive->writer, r->time, r->process, matching, r->list);
    }
}

static void write_counter(Archive *archive, const Record *r)
{
    uint32_t counter = random_id(archive, N_COUNTERS);
    uint64_t value = archive_random(archive, UINT32_MAX);

    if (counter >= 4 && counter <= 6)
        value = OTF_Signed2Counter(-(int64_t)(value % 30000));
    else if (counter == 7)
        value = OTF_Float2Counter(0.125f * (float)(value % 1000));
    else if (counter > 7)
        value = OTF_Double2Counter(1.5 * (double)value);
    OTF_Writer_writeCounterKV(archive->writer, r->time, r->process, counter, value, r->list);
}

static void write_file_operation(Archive *archive, const Record *r)
{
    static const uint32_t flags[] = {
        0, 0, OTF_IOFLAG_IOFAILED, OTF_IOFLAG_ASYNC, OTF_IOFLAG_COLL | OTF_IOFLAG_DIRECT, OTF_IOFLAG_ISREADLOCK};
    uint32_t operation = (uint32_t)archive_random(archive, OTF_FILEOP_UNLOCK + 2), file = random_id(archive, N_FILES);
    uint64_t bytes = archive_random(archive, 1 << 20), matching = archive_random(archive, 3);

    if (operation > OTF_FILEOP_UNLOCK)
        operation = OTF_FILEOP_OTHER;
    operation |= flags[archive_random(archive, sizeof flags / sizeof *flags)];
    switch (archive_random(archive, 3)) {
    case 0:
        OTF_Writer_writeFileOperationKV(archive->writer, r->time, file, r->process, 77, operation, bytes,
                                        STEP * archive_random(archive, 20), r->source, r->list);
        break;
    case 1:
        OTF_Writer_writeBeginFileOperationKV(archive->writer, r->time, r->process, matching, r->source, r->list);
        break;
    default:
        OTF_Writer_writeEndFileOperationKV(archive->writer, r->time, r->process, file, matching, 78, operation, bytes,
                                           r->source, r->list);
    }
}

static void write_transfer(Archive *archive, const Record *r)
{
    uint32_t tag = (uint32_t)archive_random(archive, 9),
             origin = archive_random(archive, 3) ? 0 : random_id(archive, 3);
    uint64_t bytes = archive_random(archive, 1 << 30);

    switch (archive_random(archive, 4)) {
    case 0:
        OTF_Writer_writeRMAPutKV(archive->writer, r->time, r->process, origin, r->peer, r->group, tag, bytes, r->source,
                                 r->list);
        break;
    case 1:
        OTF_Writer_writeRMAPutRemoteEndKV(archive->writer, r->time, r->process, origin, r->peer, r->group, tag, bytes,
                                          r->source, r->list);
        break;
    case 2:
        OTF_Writer_writeRMAGetKV(archive->writer, r->time, r->process, origin, r->peer, r->group, tag, bytes, r->source,
                                 r->list);
        break;
    default:
        OTF_Writer_writeRMAEndKV(archive->writer, r->time, r->process, archive_random(archive, 2) ? r->peer : 0,
                                 r->group, tag, r->source, r->list);
    }
}

static void write_other(Archive *archive, const Record *r)
{
    switch (archive_random(archive, 4)) {
    case 0:
        OTF_Writer_writeEventCommentKV(archive->writer, r->time, r->process, "a comment, with \\ and \xc3\xbc",
                                       r->list);
        break;
    case 1:
        OTF_Writer_writeBeginProcessKV(archive->writer, r->time, r->process, r->list);
        break;
    case 2:
        OTF_Writer_writeEndProcessKV(archive->writer, r->time, r->process, r->list);
        break;
    default:
        OTF_Writer_writeNoOpKV(archive->writer, r->time, r->process, r->list);
    }
}

void archive_write_events(Archive *archive, unsigned n)
{
    static void (*const writers[])(Archive *, const Record *) = {write_call,           write_call,       write_call,
                                                                 write_message,        write_collective, write_counter,
                                                                 write_file_operation, write_transfer,   write_other};

    for (unsigned i = 0; i < n; i++) {
        archive->time += STEP * archive_random(archive, 10);
        Record r = {.time = archive->time,
                    .process = random_id(archive, N_PROCESSES),
                    .peer = random_id(archive, N_RANKS),
                    .group = archive_random(archive, 4) ? WORLD + (uint32_t)archive_random(archive, 3) : 0,
                    .source = (uint32_t)archive_random(archive, 3),
                    .list = fill_list(archive)};
        writers[archive_random(archive, sizeof writers / sizeof *writers)](archive, &r);
    }
}

/* Writes markers, which are not sorted. One is of a group. */
static void write_markers(Archive *archive)
{
    for (uint32_t i = 0; i < 20; i++)
        OTF_Writer_writeMarker(archive->writer, STEP * archive_random(archive, 600), random_id(archive, N_PROCESSES),
                               random_id(archive, 4), "a place to \"look\" at" + archive_random(archive, 3));
    OTF_Writer_writeMarker(archive->writer, 3000, PART, 2, "of a group");
}

void archive_write_extras(Archive *archive)
{
    OTF_Writer *writer = archive->writer;

    write_markers(archive);
    for (uint32_t process = 1; process <= N_PROCESSES; process++) {
        OTF_Writer_writeEnterSnapshot(writer, 5000, 4000, 1, process, 0);
        OTF_Writer_writeSendSnapshot(writer, 5000, 4000, process, 1, WORLD, 3, 100, 0);
        OTF_Writer_writeOpenFileSnapshot(writer, 5000, 4000, 1, process, 77, 0);
        OTF_Writer_writeFunctionSummary(writer, 5000, 1, process, 2, 300, 400);
        OTF_Writer_writeMessageSummary(writer, 5000, process, 1, WORLD, 3, 1, 2, 3, 4);
    }
}
