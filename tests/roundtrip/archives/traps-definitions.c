#include "traps.h"

static const uint64_t RANKS[] = {0, 1, 2, 3};

void write_duplicate_definitions(const char *folder)
{
    Archive *archive = archive_new(folder, "duplicate-definitions");

    for (uint32_t rank = 0; rank < 2; rank++)
        ring_events(archive, rank, rank, 2, 100, 20);
    archive_clock(archive, 1000000, 100, 2000);
    ring_definitions(archive, RANKS, 2);
    /* The same definitions again. Then region 1 with another name, string "work" with another text, and location 1
     * in process 0. */
    archive_region(archive, 0, "work", "ring.c", 12);
    archive_region(archive, 1, "something else", "other.c", 1);
    WRITE(OTF2_GlobalDefWriter_WriteString(archive_global(archive), archive_string(archive, "work"), "play"));
    archive_location(archive, 0, 0, "Master thread");
    archive_location(archive, 1, 0, "Another thread");
    archive_world(archive, 0, RANKS, 2);
    archive_close(archive);
}

void write_late_definitions(const char *folder)
{
    const OTF2_StringRef name = 1000, local_name = 1001;
    Archive *archive = archive_new(folder, "late-definitions");

    ring_events(archive, 0, 0, 2, 100, 20);
    ring_events(archive, 1, 1, 2, 100, 20);
    WRITE(OTF2_EvtWriter_Enter(archive_events(archive, 1), NULL, 5000, 2));
    WRITE(OTF2_EvtWriter_Enter(archive_events(archive, 1), NULL, 5001, 3));

    /* Only the local definitions have region 3 and its name. */
    OTF2_DefWriter *local = archive_local(archive, 1);
    WRITE(OTF2_DefWriter_WriteString(local, local_name, "of location 1 only"));
    WRITE(OTF2_DefWriter_WriteRegion(local, 3, local_name, local_name, local_name, OTF2_REGION_ROLE_FUNCTION,
                                     OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, local_name, 5, 6));

    /* Every definition precedes the definitions that it refers to. */
    OTF2_GlobalDefWriter *global = archive_global(archive);
    WRITE(OTF2_GlobalDefWriter_WriteRegion(global, 2, name, name, name, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER,
                                           OTF2_REGION_FLAG_NONE, name, 77, 78));
    archive_location(archive, 1, 1, "Master thread");
    archive_location(archive, 0, 0, "Master thread");
    archive_world(archive, 0, RANKS, 2);
    archive_region(archive, 1, "exchange", "ring.c", 34);
    archive_region(archive, 0, "work", "ring.c", 12);
    archive_processes(archive, 2);
    WRITE(OTF2_GlobalDefWriter_WriteString(global, name, "late"));
    archive_clock(archive, 1000000, 100, 5000);
    archive_close(archive);
}

/* Omits the definitions of region 1, string 2000, communicator 0 and the process of location 1. */
void write_missing_definitions(const char *folder)
{
    const OTF2_StringRef missing = 2000;
    Archive *archive = archive_new(folder, "missing-definitions");

    ring_events(archive, 0, 0, 2, 100, 20);
    ring_events(archive, 1, 1, 2, 100, 20);
    archive_clock(archive, 1000000, 100, 2000);
    archive_processes(archive, 1);
    archive_location(archive, 0, 0, "Master thread");
    archive_location(archive, 1, 1, "Master thread");
    WRITE(OTF2_GlobalDefWriter_WriteRegion(archive_global(archive), 0, missing, missing, missing, OTF2_REGION_ROLE_CODE,
                                           OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, missing, 1, 2));
    archive_close(archive);
}

/* Writes an archive as eztrace does: each rank has its own definitions of `main` and `MPI_Send`, which differ only
 * in their ids. */
void write_region_per_process(const char *folder)
{
    const uint32_t step = 536870911;
    Archive *archive = archive_new(folder, "region-per-process");

    for (uint32_t rank = 0; rank < 4; rank++) {
        OTF2_EvtWriter *writer = archive_events(archive, rank);
        WRITE(OTF2_EvtWriter_Enter(writer, NULL, 100 + rank, rank * step));
        for (uint64_t i = 0; i < 50; i++) {
            WRITE(OTF2_EvtWriter_Enter(writer, NULL, 200 + 10 * i, rank * step + 1));
            WRITE(OTF2_EvtWriter_Leave(writer, NULL, 205 + 10 * i, rank * step + 1));
        }
        WRITE(OTF2_EvtWriter_Leave(writer, NULL, 1000, rank * step));
    }
    archive_clock(archive, 1000000000, 100, 1000);
    archive_processes(archive, 4);
    for (uint32_t rank = 0; rank < 4; rank++)
        archive_location(archive, rank, rank, "Master thread");
    for (uint32_t rank = 0; rank < 4; rank++) {
        archive_region(archive, rank * step, "main", "main.c", 10);
        archive_region(archive, rank * step + 1, "MPI_Send", "", 0);
    }
    /* Region 7 has the name of another region but a different line. */
    archive_region(archive, 7, "main", "main.c", 99);
    archive_close(archive);
}

void write_wrong_counts(const char *folder)
{
    Archive *archive = archive_new(folder, "wrong-counts");

    for (uint32_t rank = 0; rank < 2; rank++)
        ring_events(archive, rank, rank, 2, 100, 200);
    archive_clock(archive, 1000000, 100, 15000);
    archive_processes(archive, 2);
    for (uint32_t rank = 0; rank < 2; rank++)
        WRITE(OTF2_GlobalDefWriter_WriteLocation(archive_global(archive), rank,
                                                 archive_string(archive, "Master thread"),
                                                 OTF2_LOCATION_TYPE_CPU_THREAD, rank ? UINT64_C(1) << 60 : 2, rank));
    archive_region(archive, 0, "work", "ring.c", 12);
    archive_region(archive, 1, "exchange", "ring.c", 34);
    archive_world(archive, 0, RANKS, 2);
    archive_close(archive);
}
