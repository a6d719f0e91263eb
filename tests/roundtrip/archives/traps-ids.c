#include "traps.h"

enum { N_RANKS = 3, N_THREADS = 2 };

static OTF2_IdMap *new_shifted_map(uint64_t n, uint64_t shift, uint64_t first)
{
    OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, n);
    for (uint64_t i = 0; i < n; i++)
        WRITE(OTF2_IdMap_AddIdPair(map, i, first + (i + shift) % n));
    return map;
}

static void write_map(OTF2_DefWriter *local, OTF2_MappingType type, uint64_t n, uint64_t shift, uint64_t first)
{
    OTF2_IdMap *map = new_shifted_map(n, shift, first);
    WRITE(OTF2_DefWriter_WriteMappingTable(local, type, map));
    OTF2_IdMap_Free(map);
}

/* Writes mappings: local id i of location k maps to the global id FIRST + (i + k) % n. */
void write_mapped_ids(const char *folder)
{
    enum { N_REGIONS = 5, REGION_FIRST = 70, N_COMMS = 2, COMM_FIRST = 40, N_ATTRIBUTES = 2, ATTRIBUTE_FIRST = 20 };
    const uint64_t locations[N_RANKS] = {0, 1, 2};
    Archive *archive = archive_new(folder, "mapped-ids");
    OTF2_AttributeList *attributes = OTF2_AttributeList_New();

    for (uint32_t rank = 0; rank < N_RANKS; rank++) {
        OTF2_EvtWriter *writer = archive_events(archive, rank);
        for (uint32_t i = 0; i < 100; i++) {
            WRITE(OTF2_AttributeList_AddRegionRef(attributes, i % N_ATTRIBUTES, i % N_REGIONS));
            WRITE(OTF2_EvtWriter_Enter(writer, attributes, 10 * i, i % N_REGIONS));
            WRITE(OTF2_EvtWriter_MpiSend(writer, NULL, 10 * i + 3, (rank + 1) % N_RANKS, i % N_COMMS, i, rank));
            WRITE(OTF2_EvtWriter_Leave(writer, NULL, 10 * i + 7, i % N_REGIONS));
        }
    }
    WRITE(OTF2_AttributeList_Delete(attributes));
    for (uint32_t rank = 0; rank < N_RANKS; rank++) {
        OTF2_DefWriter *local = archive_local(archive, rank);
        write_map(local, OTF2_MAPPING_REGION, N_REGIONS, rank, REGION_FIRST);
        write_map(local, OTF2_MAPPING_COMM, N_COMMS, rank, COMM_FIRST);
        write_map(local, OTF2_MAPPING_ATTRIBUTE, N_ATTRIBUTES, rank, ATTRIBUTE_FIRST);
    }
    archive_clock(archive, 1000000000, 0, 1000);
    archive_processes(archive, N_RANKS);
    for (uint32_t rank = 0; rank < N_RANKS; rank++)
        archive_location(archive, rank, rank, "Master thread");
    for (uint32_t i = 0; i < N_REGIONS; i++) {
        g_autofree char *name = g_strdup_printf("region %u", i);
        archive_region(archive, REGION_FIRST + i, name, "mapped.c", 10 * i);
    }
    for (uint32_t i = 0; i < N_ATTRIBUTES; i++)
        WRITE(OTF2_GlobalDefWriter_WriteAttribute(archive_global(archive), ATTRIBUTE_FIRST + i,
                                                  archive_string(archive, i ? "odd" : "even"),
                                                  archive_string(archive, ""), OTF2_TYPE_REGION));
    archive_world(archive, COMM_FIRST, locations, N_RANKS);
    WRITE(OTF2_GlobalDefWriter_WriteComm(archive_global(archive), COMM_FIRST + 1, archive_string(archive, "copy"),
                                         COMM_FIRST, COMM_FIRST, OTF2_COMM_FLAG_NONE));
    archive_close(archive);
}

static void write_wide_ids(const char *folder, const char *name, unsigned rank_shift, unsigned thread_shift)
{
    uint64_t locations[N_RANKS];
    Archive *archive = archive_new(folder, name);

    for (uint64_t rank = 0; rank < N_RANKS; rank++) {
        locations[rank] = rank << rank_shift;
        for (uint64_t thread = 0; thread < N_THREADS; thread++)
            ring_events(archive, locations[rank] + (thread << thread_shift), (uint32_t)rank, N_RANKS,
                        1000 + rank + 7 * thread, 40);
    }
    archive_clock(archive, 1000000000, 1000, 3000);
    ring_definitions(archive, locations, N_RANKS);
    for (uint64_t rank = 0; rank < N_RANKS; rank++)
        archive_location(archive, locations[rank] + (UINT64_C(1) << thread_shift), (uint32_t)rank, "OMP thread 1");
    archive_close(archive);
}

void write_rank_low_ids(const char *folder)
{
    write_wide_ids(folder, "rank-low-ids", 0, 32);
}

void write_rank_high_ids(const char *folder)
{
    write_wide_ids(folder, "rank-high-ids", 32, 0);
}
