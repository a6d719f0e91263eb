/*
 * Reads an archive by OTF2's own reader with almost empty callbacks: drain-otf2 ARCHIVE.otf2
 *
 * Reads all events of all locations, one location after the other. The callbacks for ENTER and LEAVE only count. Prints
 * the number of events. No importer that uses OTF2's library on one core can be faster.
 */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>

#include "bench.h"

static uint64_t n_calls;

static OTF2_CallbackCode on_call(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                 OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    n_calls++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t n_events, OTF2_LocationGroupRef group)
{
    g_array_append_val((GArray *)data, self);
    return OTF2_CALLBACK_SUCCESS;
}

static void check_code(OTF2_ErrorCode code, const char *action)
{
    bench_check(code == OTF2_SUCCESS, NULL, "otf2: %s: %s", action, OTF2_Error_GetName(code));
}

static GArray *read_locations(OTF2_Reader *reader)
{
    GArray *locations = g_array_new(FALSE, FALSE, sizeof(OTF2_LocationRef));
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t n;

    bench_check(definitions, NULL, "otf2: no definitions");
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    check_code(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, locations), "callbacks");
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    check_code(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n), "definitions");
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    return locations;
}

static uint64_t read_events(OTF2_Reader *reader, OTF2_LocationRef location, const OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
    uint64_t n = 0;

    if (definitions) { /* its id maps and clock, which the reader applies */
        check_code(OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &n), "local definitions");
        OTF2_Reader_CloseDefReader(reader, definitions);
    }
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
    bench_check(events, NULL, "otf2: no events of location %" PRIu64, location);
    check_code(OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, NULL), "callbacks");
    check_code(OTF2_Reader_ReadAllLocalEvents(reader, events, &n), "events");
    OTF2_Reader_CloseEvtReader(reader, events);
    return n;
}

int main(int argc, char **argv)
{
    uint64_t n_events = 0;

    g_set_prgname("drain-otf2");
    bench_check(argc == 2, NULL, "usage: drain-otf2 ARCHIVE.otf2");
    OTF2_Reader *reader = OTF2_Reader_Open(argv[1]);
    bench_check(reader, NULL, "%s: no archive", argv[1]);
    check_code(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "collectives");
    g_autoptr(GArray) locations = read_locations(reader);
    for (guint i = 0; i < locations->len; i++)
        check_code(OTF2_Reader_SelectLocation(reader, g_array_index(locations, OTF2_LocationRef, i)), "select");
    bool has_local = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
    check_code(OTF2_Reader_OpenEvtFiles(reader), "events");

    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_call);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_call);
    for (guint i = 0; i < locations->len; i++)
        n_events += read_events(reader, g_array_index(locations, OTF2_LocationRef, i), callbacks);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    if (has_local)
        OTF2_Reader_CloseDefFiles(reader);
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);
    printf("%" PRIu64 "\n", n_events);
    return 0;
}
