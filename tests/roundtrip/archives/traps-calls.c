#include "traps.h"

static const uint64_t RANKS[] = {0, 1};

typedef struct {
    char kind; /* '+' enter, '-' leave */
    uint32_t region;
} Step;

static void write_steps(Archive *archive, uint64_t location, const Step *steps, size_t n)
{
    OTF2_EvtWriter *writer = archive_events(archive, location);

    for (size_t i = 0; i < n; i++) {
        if (steps[i].kind == '+')
            WRITE(OTF2_EvtWriter_Enter(writer, NULL, 100 + 10 * i, steps[i].region));
        else
            WRITE(OTF2_EvtWriter_Leave(writer, NULL, 100 + 10 * i, steps[i].region));
    }
}

void write_odd_calls(const char *folder)
{
    /* Region 0 is first left and later entered; 1 is recursive; 2 is left twice. The last 0, and 3, are never left. */
    static const Step first[] = {
        {'-', 0}, {'+', 1}, {'+', 1}, {'+', 1}, {'-', 1}, {'-', 1}, {'-', 1},
        {'+', 2}, {'-', 2}, {'-', 2}, {'+', 0}, {'+', 3}, {'+', 2}, {'-', 2},
    };
    /* Frames are left in the wrong order and inside other frames. Region 3 is left inside region 0 but was not
     * entered. */
    static const Step second[] = {
        {'+', 0}, {'+', 1}, {'+', 2}, {'-', 1}, {'-', 2}, {'-', 3}, {'-', 0}, {'+', 3}, {'-', 3},
    };
    Archive *archive = archive_new(folder, "odd-calls");

    write_steps(archive, 0, first, G_N_ELEMENTS(first));
    write_steps(archive, 1, second, G_N_ELEMENTS(second));
    archive_clock(archive, 1000, 100, 1000);
    archive_processes(archive, 2);
    for (uint32_t i = 0; i < 2; i++)
        archive_location(archive, i, i, "Master thread");
    for (uint32_t i = 0; i < 4; i++) {
        static const char *const names[] = {"main", "recurse", "twice", "never"};
        archive_region(archive, i, names[i], "calls.c", 10 * i);
    }
    archive_world(archive, 0, RANKS, 2);
    archive_close(archive);
}

/* Writes receives in groups of four: one completes, one is cancelled, one is tested without success, and one has no
 * further event. */
void write_open_receives(const char *folder)
{
    Archive *archive = archive_new(folder, "open-receives");

    for (uint32_t rank = 0; rank < 2; rank++) {
        OTF2_EvtWriter *writer = archive_events(archive, rank);
        uint64_t time = 100;
        WRITE(OTF2_EvtWriter_Enter(writer, NULL, time++, 0));
        for (uint64_t request = 0; request < 40; request++) {
            WRITE(OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, time++, request));
            WRITE(OTF2_EvtWriter_MpiIsend(writer, NULL, time++, 1 - rank, 0, 5, 1024, 1000 + request));
        }
        for (uint64_t request = 0; request < 40; request++) {
            if (request % 4 == 0)
                WRITE(OTF2_EvtWriter_MpiIrecv(writer, NULL, time++, 1 - rank, 0, 5, 1024, request));
            if (request % 4 == 1)
                WRITE(OTF2_EvtWriter_MpiRequestCancelled(writer, NULL, time++, request));
            if (request % 4 == 2)
                WRITE(OTF2_EvtWriter_MpiRequestTest(writer, NULL, time++, request));
        }
        /* Completes a request that was never posted. */
        WRITE(OTF2_EvtWriter_MpiIrecv(writer, NULL, time++, 1 - rank, 0, 5, 1024, 4711));
        WRITE(OTF2_EvtWriter_Leave(writer, NULL, time, 0));
    }
    archive_clock(archive, 1000000, 100, 1000);
    ring_definitions(archive, RANKS, 2);
    archive_close(archive);
}
