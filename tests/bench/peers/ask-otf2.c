/*
 * OTF2's own reader. It has no index of times, so it reads a location's events from the first one up to the window's
 * end.
 */
#include <inttypes.h>
#include <otf2/otf2.h>

#include "ask.h"

typedef struct {
    OTF2_Reader *reader;
    OTF2_EvtReaderCallbacks *callbacks;
    bool local_definitions;
    const Question *question;
    uint64_t sum;
    Tally tally;
} Archive;

static void check_code(OTF2_ErrorCode code, const char *action)
{
    bench_check(code == OTF2_SUCCESS, NULL, "otf2: %s: %s", action, OTF2_Error_GetName(code));
}

static OTF2_CallbackCode add_event(Archive *self, OTF2_TimeStamp time, Kind kind, uint64_t value)
{
    if (time >= self->question->to)
        return OTF2_CALLBACK_INTERRUPT;
    if (time < self->question->from || kind != self->question->kind)
        return OTF2_CALLBACK_SUCCESS;
    if (kind == ASK_CALLS)
        tally_add(&self->tally, value, 1);
    else
        self->sum += value;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    Archive *self = data;
    return self->question->kind == ASK_CALLS ? add_event(self, time, ASK_CALLS, region)
                                             : add_event(self, time, ASK_ROWS, 1);
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    return add_event(data, time, ASK_ROWS, 1);
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                 OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t length)
{
    return add_event(data, time, ASK_BYTES, length);
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                  OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t length, uint64_t request)
{
    return add_event(data, time, ASK_BYTES, length);
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t n_events, OTF2_LocationGroupRef group)
{
    check_code(OTF2_Reader_SelectLocation(data, self), "select");
    return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(OTF2_Reader *reader)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t n;

    bench_check(definitions, NULL, "otf2: no definitions");
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    check_code(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, reader), "callbacks");
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    check_code(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n), "definitions");
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
}

static void *open_archive(const char *path)
{
    Archive *self = g_new0(Archive, 1);

    self->reader = OTF2_Reader_Open(path);
    bench_check(self->reader, NULL, "%s: no archive", path);
    check_code(OTF2_Reader_SetSerialCollectiveCallbacks(self->reader), "collectives");
    read_definitions(self->reader);
    self->local_definitions = OTF2_Reader_OpenDefFiles(self->reader) == OTF2_SUCCESS;
    check_code(OTF2_Reader_OpenEvtFiles(self->reader), "events");
    self->callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(self->callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(self->callbacks, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(self->callbacks, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(self->callbacks, on_isend);
    return self;
}

static uint64_t ask_archive(void *opaque, const Question *question)
{
    Archive *self = opaque;
    uint64_t n;

    self->question = question;
    self->sum = 0;
    OTF2_DefReader *definitions = self->local_definitions ? OTF2_Reader_GetDefReader(self->reader, question->id) : NULL;
    if (definitions) { /* its id maps and clock, which the reader applies */
        check_code(OTF2_Reader_ReadAllLocalDefinitions(self->reader, definitions, &n), "local definitions");
        OTF2_Reader_CloseDefReader(self->reader, definitions);
    }
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(self->reader, question->id);
    bench_check(events, NULL, "otf2: no events of location %" PRIu64, question->id);
    check_code(OTF2_Reader_RegisterEvtCallbacks(self->reader, events, self->callbacks, self), "callbacks");
    OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(self->reader, events, &n);
    bench_check(code == OTF2_SUCCESS || code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK, NULL, "otf2: events: %s",
                OTF2_Error_GetName(code));
    OTF2_Reader_CloseEvtReader(self->reader, events);
    return question->kind == ASK_CALLS ? tally_end(&self->tally) : self->sum;
}

static void close_archive(void *opaque)
{
    Archive *self = opaque;

    tally_clear(&self->tally);
    OTF2_EvtReaderCallbacks_Delete(self->callbacks);
    if (self->local_definitions)
        OTF2_Reader_CloseDefFiles(self->reader);
    OTF2_Reader_CloseEvtFiles(self->reader);
    OTF2_Reader_Close(self->reader);
    g_free(self);
}

const Peer peer_otf2 = {.name = "otf2", .open = open_archive, .ask = ask_archive, .close = close_archive};
