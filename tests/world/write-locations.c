/*
 * Writes an OTF2 archive of many locations, each closed before the next is begun, so that memory and open files do not
 * grow with them. Each location is a rank of MPI that sends to the next one and receives from the one before. Locations
 * differ in their numbers of rounds, so that their files have different sizes.
 *
 * usage: write-locations FOLDER LOCATIONS ROUNDS   (ROUNDS: most of a location)
 */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    REGIONS = 50, /* of the user; the next two are MPI_Send and MPI_Recv */
    STEP = 100,   /* ticks between two events */
};

#define WRITE(call) expect_success((call), #call)

typedef struct {
    OTF2_EvtWriter *writer;
    uint64_t time;
} Location;

static void expect_success(OTF2_ErrorCode status, const char *operation)
{
    if (status == OTF2_SUCCESS)
        return;
    fprintf(stderr, "write-locations: %s: %s\n", operation, OTF2_Error_GetDescription(status));
    exit(1);
}

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    return OTF2_FLUSH;
}

static uint64_t rounds_of(uint64_t location, uint64_t rounds)
{
    uint64_t pair = location / 2; /* all messages of a pair are received */

    return 1 + (pair * 7919 + 13) % rounds;
}

static void enter_region(Location *location, uint32_t region)
{
    WRITE(OTF2_EvtWriter_Enter(location->writer, NULL, location->time += STEP, region));
}

static void leave_region(Location *location, uint32_t region)
{
    WRITE(OTF2_EvtWriter_Leave(location->writer, NULL, location->time += STEP, region));
}

static uint64_t write_events(OTF2_Archive *archive, uint64_t id, uint64_t n, uint64_t rounds)
{
    Location location = {.writer = OTF2_Archive_GetEvtWriter(archive, id), .time = 1000 + id % 17};
    uint32_t peer = (uint32_t)(id ^ 1);
    uint64_t events;

    for (uint64_t i = 0, n_rounds = rounds_of(id, rounds); i < n_rounds; i++) {
        uint32_t region = (uint32_t)((i * 31 + id) % REGIONS), call = (i + id) % 2 ? REGIONS : REGIONS + 1;
        enter_region(&location, region);
        if (peer < n) {
            enter_region(&location, call);
            if (call == REGIONS)
                WRITE(OTF2_EvtWriter_MpiSend(location.writer, NULL, location.time += STEP, peer, 0, (uint32_t)i % 5,
                                             8 * i));
            else
                WRITE(OTF2_EvtWriter_MpiRecv(location.writer, NULL, location.time += STEP, peer, 0, (uint32_t)i % 5,
                                             8 * i));
            leave_region(&location, call);
        }
        leave_region(&location, region);
    }
    WRITE(OTF2_EvtWriter_GetNumberOfEvents(location.writer, &events));
    WRITE(OTF2_Archive_CloseEvtWriter(archive, location.writer));
    return events;
}

static void write_string(OTF2_GlobalDefWriter *global, uint32_t *n, const char *format, uint64_t number)
{
    char text[64];

    snprintf(text, sizeof text, format, (unsigned long long)number);
    WRITE(OTF2_GlobalDefWriter_WriteString(global, (*n)++, text));
}

static void write_regions(OTF2_GlobalDefWriter *global, uint32_t *strings)
{
    for (uint32_t i = 0; i < REGIONS + 2; i++) {
        OTF2_RegionRole role = i < REGIONS ? OTF2_REGION_ROLE_FUNCTION : OTF2_REGION_ROLE_POINT2POINT;
        OTF2_Paradigm paradigm = i < REGIONS ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI;
        uint32_t name = *strings;
        write_string(global, strings, i < REGIONS ? "step_%llu" : i == REGIONS ? "MPI_Send" : "MPI_Recv", i);
        WRITE(OTF2_GlobalDefWriter_WriteRegion(global, i, name, name, 0, role, paradigm, 0, 0, 0, 0));
    }
}

static void write_definitions(OTF2_Archive *archive, uint64_t n, const uint64_t *events, uint64_t rounds)
{
    OTF2_GlobalDefWriter *global = OTF2_Archive_GetGlobalDefWriter(archive);
    uint64_t *members = malloc(n * sizeof *members);
    uint32_t strings = 0;

    WRITE(OTF2_GlobalDefWriter_WriteClockProperties(global, 1000000000, 0, 10 * STEP * (rounds + 20),
                                                    OTF2_UNDEFINED_TIMESTAMP));
    write_string(global, &strings, "", 0);
    write_string(global, &strings, "machine", 0);
    WRITE(OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, 1, 1, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    write_regions(global, &strings);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t name = strings;
        write_string(global, &strings, "MPI Rank %llu", i);
        WRITE(OTF2_GlobalDefWriter_WriteLocationGroup(global, (uint32_t)i, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
        WRITE(
            OTF2_GlobalDefWriter_WriteLocation(global, i, name, OTF2_LOCATION_TYPE_CPU_THREAD, events[i], (uint32_t)i));
        members[i] = i;
    }
    WRITE(OTF2_GlobalDefWriter_WriteGroup(global, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, (uint32_t)n, members));
    WRITE(OTF2_GlobalDefWriter_WriteGroup(global, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, (uint32_t)n, members));
    write_string(global, &strings, "MPI_COMM_WORLD", 0);
    WRITE(OTF2_GlobalDefWriter_WriteComm(global, 0, strings - 1, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    WRITE(OTF2_Archive_CloseGlobalDefWriter(archive, global));
    free(members);
}

int main(int argc, char **argv)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = pre_flush};

    if (argc != 4) {
        fprintf(stderr, "usage: write-locations FOLDER LOCATIONS ROUNDS\n");
        return 2;
    }
    uint64_t n = strtoull(argv[2], NULL, 10), rounds = strtoull(argv[3], NULL, 10);
    uint64_t *events = malloc((n + 1) * sizeof *events);
    OTF2_Archive *archive = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                                              OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    WRITE(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
    WRITE(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    WRITE(OTF2_Archive_OpenEvtFiles(archive));
    for (uint64_t i = 0; i < n; i++)
        events[i] = write_events(archive, i, n, rounds);
    WRITE(OTF2_Archive_CloseEvtFiles(archive));
    WRITE(OTF2_Archive_OpenDefFiles(archive));
    for (uint64_t i = 0; i < n; i++) /* OTF2's reader needs a file for each location, even an empty one */
        WRITE(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i)));
    WRITE(OTF2_Archive_CloseDefFiles(archive));
    write_definitions(archive, n, events, rounds);
    WRITE(OTF2_Archive_Close(archive));
    free(events);
    return 0;
}
