#include "traps.h"

void ring_events(Archive *archive, uint64_t location, uint32_t rank, uint32_t n_ranks, uint64_t start, unsigned n)
{
    OTF2_EvtWriter *writer = archive_events(archive, location);
    uint32_t next = (rank + 1) % n_ranks, previous = (rank + n_ranks - 1) % n_ranks;

    for (unsigned i = 0; i < n; i++, start += 60) {
        WRITE(OTF2_EvtWriter_Enter(writer, NULL, start, 0));
        WRITE(OTF2_EvtWriter_Leave(writer, NULL, start + 10, 0));
        WRITE(OTF2_EvtWriter_Enter(writer, NULL, start + 20, 1));
        WRITE(OTF2_EvtWriter_MpiSend(writer, NULL, start + 30, next, 0, i, 8 * i));
        WRITE(OTF2_EvtWriter_MpiRecv(writer, NULL, start + 40, previous, 0, i, 8 * i));
        WRITE(OTF2_EvtWriter_Leave(writer, NULL, start + 50, 1));
    }
}

void ring_definitions(Archive *archive, const uint64_t *locations, uint32_t n)
{
    archive_processes(archive, n);
    for (uint32_t i = 0; i < n; i++)
        archive_location(archive, locations[i], i, "Master thread");
    archive_region(archive, 0, "work", "ring.c", 12);
    archive_region(archive, 1, "exchange", "ring.c", 34);
    archive_world(archive, 0, locations, n);
}
