#include "sums.h"

enum { N_PROCS = 2, N_THREADS = 2, N_REGIONS = 6 };

uint32_t dice(Dice *dice, uint32_t n)
{
    dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((dice->state >> 32) * n) >> 32);
}

void sums_places(Archive *archive, uint32_t n_procs, uint32_t n_threads)
{
    g_autofree uint64_t *masters = g_new(uint64_t, n_procs);

    archive_processes(archive, n_procs);
    for (uint32_t p = 0; p < n_procs; p++) {
        masters[p] = p;
        for (uint32_t t = 0; t < n_threads; t++)
            archive_location(archive, p + t * n_procs, p, t ? "OMP thread" : "Master thread");
    }
    archive_world(archive, 0, masters, n_procs);
}

/* Writer of the calls of one location. */
typedef struct {
    OTF2_EvtWriter *writer;
    Dice dice;
    uint64_t time;
    uint32_t pace; /* greatest number of ticks between two events */
    GArray *open;  /* regions whose LEAVE the writer still owes */
} Caller;

static void caller_init(Caller *caller, Archive *archive, uint64_t location)
{
    *caller = (Caller){archive_events(archive, location), {location + 1}, 1000 + location, 20, NULL};
    caller->open = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

static void caller_finish(Caller *caller)
{
    g_array_unref(caller->open);
}

static void write_enter(Caller *caller, uint32_t region)
{
    WRITE(OTF2_EvtWriter_Enter(caller->writer, NULL, caller->time, region));
    g_array_append_val(caller->open, region);
}

static void write_leave(Caller *caller, uint32_t region)
{
    WRITE(OTF2_EvtWriter_Leave(caller->writer, NULL, caller->time, region));
}

static void leave_top(Caller *caller)
{
    write_leave(caller, g_array_index(caller->open, uint32_t, caller->open->len - 1));
    g_array_set_size(caller->open, caller->open->len - 1);
}

/* Leaves the frame of an outer call, so that the frames inside it are never left. */
static void leave_below(Caller *caller)
{
    guint depth = dice(&caller->dice, MIN(caller->open->len, 4u));
    write_leave(caller, g_array_index(caller->open, uint32_t, caller->open->len - 1 - depth));
    g_array_set_size(caller->open, caller->open->len - 1 - depth);
}

/* Writes an event that is no call. It makes a gap between calls, or is before the first call or after the last. */
static void write_other_event(Caller *caller)
{
    OTF2_MeasurementMode mode = dice(&caller->dice, 2) ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF;
    WRITE(OTF2_EvtWriter_MeasurementOnOff(caller->writer, NULL, caller->time, mode));
    caller->time += dice(&caller->dice, 25 * caller->pace);
}

/* Writes one random event. Many events have equal times. Region N_REGIONS - 1 is never entered. */
static void write_random_event(Caller *caller, uint32_t depth)
{
    uint32_t event = dice(&caller->dice, 100);

    caller->time += dice(&caller->dice, 3) ? 0 : dice(&caller->dice, caller->pace);
    if (event < 2)
        write_other_event(caller);
    else if (event < 6)
        write_leave(caller, N_REGIONS - 1);
    else if (caller->open->len && event < 12)
        leave_below(caller);
    else if (caller->open->len && (event < 55 || caller->open->len >= depth))
        leave_top(caller);
    else
        write_enter(caller, dice(&caller->dice, N_REGIONS - 1));
}

static void write_definitions(Archive *archive, uint32_t n_procs, uint32_t n_threads)
{
    archive_clock(archive, 1000000, 1000, 1000000);
    sums_places(archive, n_procs, n_threads);
    for (uint32_t i = 0; i < N_REGIONS; i++) {
        g_autofree char *name = g_strdup_printf("region %u", i);
        archive_region(archive, i, name, "calls.c", 10 * i);
    }
}

/* Writes calls with unmatched ends. Location 0 begins with LEAVEs; location 1 with another event and then LEAVEs.
 * Location 2 ends with an event that is no call, and all its regions are open. Location 3 only enters regions at
 * first, and its last LEAVEs have no open frame. */
void write_sums_calls(const char *folder)
{
    Archive *archive = archive_new(folder, "sums-calls");

    for (uint64_t location = 0; location < N_PROCS * N_THREADS; location++) {
        Caller caller;
        caller_init(&caller, archive, location);
        if (location == 1)
            write_other_event(&caller);
        for (uint32_t i = 0; location < 2 && i < 4; i++, caller.time += 7)
            write_leave(&caller, i);
        for (uint32_t i = 0; i < 6000; i++)
            write_random_event(&caller, 1 + i % 20);
        if (location == 2)
            write_other_event(&caller);
        while (location == 3 && caller.open->len)
            leave_top(&caller);
        for (uint32_t i = 0; location == 3 && i < 3; i++, caller.time += 7)
            write_leave(&caller, i);
        caller_finish(&caller);
    }
    archive_events(archive, N_PROCS * N_THREADS); /* none */
    write_definitions(archive, N_PROCS, N_THREADS);
    archive_location(archive, N_PROCS * N_THREADS, 0, "idle");
    archive_close(archive);
}

static void enter_many(Caller *caller, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, caller->time += i % 3)
        write_enter(caller, i % (N_REGIONS - 1));
}

/* Writes deep stacks. Location 0 has 1500 frames, left one by one. Location 1 has 300 and leaves frames further out
 * than the import searches. Location 2 has calls at the depth from which an index keeps no more of a stack. Location
 * 3 never leaves its 3000 frames. */
void write_sums_deep(const char *folder)
{
    Archive *archive = archive_new(folder, "sums-deep");
    Caller callers[4];

    for (uint64_t location = 0; location < G_N_ELEMENTS(callers); location++)
        caller_init(&callers[location], archive, location);
    enter_many(&callers[0], 1500);
    for (; callers[0].open->len; callers[0].time++)
        leave_top(&callers[0]);

    write_enter(&callers[1], N_REGIONS - 1);
    enter_many(&callers[1], 300);
    write_leave(&callers[1], N_REGIONS - 1);
    for (; callers[1].open->len > 1; callers[1].time++)
        leave_top(&callers[1]);
    write_leave(&callers[1], N_REGIONS - 1);

    enter_many(&callers[2], 60);
    for (uint32_t i = 0; i < 6000; i++)
        write_random_event(&callers[2], 70);

    enter_many(&callers[3], 3000);

    for (uint64_t location = 0; location < G_N_ELEMENTS(callers); location++)
        caller_finish(&callers[location]);
    write_definitions(archive, G_N_ELEMENTS(callers), 1);
    archive_close(archive);
}

void write_sums_instant(const char *folder)
{
    Archive *archive = archive_new(folder, "sums-instant");

    for (uint64_t location = 0; location < N_PROCS; location++) {
        Caller caller;
        caller_init(&caller, archive, location);
        caller.time = 5000;
        caller.pace = 0;
        for (uint32_t i = 0; i < 500; i++)
            write_random_event(&caller, 10);
        caller_finish(&caller);
    }
    write_definitions(archive, N_PROCS, 1);
    archive_close(archive);
}

/* Writes regions with equal sums of times. In regions 6 i to 6 i + 5 the processes have three times in all six
 * orders. */
void write_sums_ties(const char *folder)
{
    enum { N_RANKS = 3, N_ORDERS = 6, N_TRIPLES = 60 };
    static const uint8_t orders[N_ORDERS][N_RANKS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    Archive *archive = archive_new(folder, "sums-ties");

    for (uint32_t rank = 0; rank < N_RANKS; rank++) {
        Caller caller;
        caller_init(&caller, archive, rank);
        for (uint32_t region = 0; region < N_TRIPLES * N_ORDERS; region++) {
            uint32_t i = region / N_ORDERS;
            const uint32_t times[N_RANKS] = {1 + 101 * i, 1 + 211 * i, 1 + 397 * i};
            write_enter(&caller, region);
            caller.time += times[orders[region % N_ORDERS][rank]];
            leave_top(&caller);
        }
        caller_finish(&caller);
    }
    archive_clock(archive, 1000000, 1000, 100000);
    sums_places(archive, N_RANKS, 1);
    for (uint32_t region = 0; region < N_TRIPLES * N_ORDERS; region++) {
        g_autofree char *name = g_strdup_printf("region %u", region);
        archive_region(archive, region, name, "ties.c", region);
    }
    archive_close(archive);
}
