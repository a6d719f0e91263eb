/*
 * Two runs of a program that changed between them. Its regions have other numbers; the second run lacks some of them
 * and has new ones.
 */
#include "sums.h"

enum { N_PROCS = 3 };

typedef struct {
    const char *name, *file;
    uint32_t line;
} Region;

static void write_nested_calls(OTF2_EvtWriter *writer, uint64_t *time, uint32_t n_regions, Dice *random, unsigned deep)
{
    uint32_t region = dice(random, n_regions);

    WRITE(OTF2_EvtWriter_Enter(writer, NULL, *time, region));
    *time += 1 + dice(random, 100);
    if (deep < 5 && dice(random, 2))
        write_nested_calls(writer, time, n_regions, random, deep + 1);
    if (dice(random, 3) == 0)
        WRITE(OTF2_EvtWriter_MpiSend(writer, NULL, *time, dice(random, N_PROCS), 0, dice(random, 3), *time));
    if (dice(random, 3) == 0)
        WRITE(OTF2_EvtWriter_MpiRecv(writer, NULL, *time, dice(random, N_PROCS), 0, 1, dice(random, 1000)));
    if (dice(random, 9) == 0)
        WRITE(OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, *time, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                              OTF2_COLLECTIVE_ROOT_NONE, dice(random, 50), dice(random, 50)));
    *time += dice(random, 50);
    WRITE(OTF2_EvtWriter_Leave(writer, NULL, *time, region));
}

/* Writes one run. The last two regions are never called. */
static void write_run(const char *folder, const char *name, const Region *regions, uint32_t n, uint64_t resolution,
                      uint64_t seed)
{
    Archive *archive = archive_new(folder, name);
    Dice random = {seed};
    uint64_t end = 0;

    for (uint64_t location = 0; location < N_PROCS; location++) {
        OTF2_EvtWriter *writer = archive_events(archive, location);
        uint64_t time = 100;
        if (location == 1) /* a region that was entered before the trace */
            WRITE(OTF2_EvtWriter_Leave(writer, NULL, time, 0));
        for (unsigned i = 0; i < 200; i++)
            write_nested_calls(writer, &time, n - 2, &random, 0);
        end = MAX(end, time);
    }
    archive_clock(archive, resolution, 100, end);
    sums_places(archive, N_PROCS, 1);
    for (uint32_t i = 0; i < n; i++)
        archive_region(archive, i, regions[i].name, regions[i].file, regions[i].line);
    archive_close(archive);
}

void write_diff_before(const char *folder)
{
    static const Region regions[] = {
        {"main", "main.c", 1},
        {"with blanks in it", "a.c", 3},
        {"twice", "a.c", 5},
        {"twice", "b.c", 5},
        {"gone", "a.c", 9},
        {"moved", "a.c", 10},
        {"overloaded", "a.c", 20},
        {"overloaded", "a.c", 30},
        {"one of two", "a.c", 40},
        {"of no file", "", 0},
        {"(unmatched LEAVE)", "a.c", 70},
        {"unused before", "a.c", 80},
        {"unused", "a.c", 90},
    };
    write_run(folder, "diff-before", regions, G_N_ELEMENTS(regions), 1000000, 1);
}

void write_diff_after(const char *folder)
{
    static const Region regions[] = {
        {"moved", "b.c", 99},
        {"new", "a.c", 1},
        {"overloaded", "a.c", 35},
        {"overloaded", "a.c", 20},
        {"twice", "b.c", 6},
        {"twice", "a.c", 6},
        {"with blanks in it", "a.c", 3},
        {"main", "main.c", 1},
        {"one of two", "b.c", 40},
        {"one of two", "a.c", 41},
        {"of no file", "", 0},
        {"unused before", "a.c", 80},
        {"\\x20 (a.c)\t", "a.c", 4},
        {"unused", "a.c", 90},
        {"never called", "a.c", 91},
    };
    write_run(folder, "diff-after", regions, G_N_ELEMENTS(regions), 2500000000, 2);
}
