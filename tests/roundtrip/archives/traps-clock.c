#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traps.h"

static const uint64_t RANKS[] = {0, 1, 2, 3};

/* Ranks 0 and 1 are on a node with the right time. The clock of ranks 2 and 3 is 5 hours behind, and the clock of
 * rank 3 also loses one tick in a hundred. */
void write_clock_offsets(const char *folder)
{
    const uint64_t second = 1000000, hour = 3600 * second, local_start = 8 * hour, delay = 5 * hour;
    Archive *archive = archive_new(folder, "clock-offsets");

    for (uint32_t rank = 0; rank < G_N_ELEMENTS(RANKS); rank++)
        ring_events(archive, rank, rank, 4, local_start - (rank < 2 ? 0 : delay) + rank, 500);
    for (uint32_t rank = 2; rank < G_N_ELEMENTS(RANKS); rank++) {
        OTF2_DefWriter *local = archive_local(archive, rank);
        WRITE(OTF2_DefWriter_WriteClockOffset(local, local_start - delay, delay, 0.5));
        WRITE(OTF2_DefWriter_WriteClockOffset(local, local_start - delay + 30000, delay + (rank == 3 ? 300 : 0), 0.5));
    }
    archive_clock(archive, second, local_start, 30400);
    ring_definitions(archive, RANKS, G_N_ELEMENTS(RANKS));
    archive_close(archive);
}

static void write_clock(const char *folder, const char *name, uint64_t ticks_per_second, uint64_t start)
{
    Archive *archive = archive_new(folder, name);

    for (uint32_t rank = 0; rank < 2; rank++)
        ring_events(archive, rank, rank, 2, start + rank, 100);
    archive_clock(archive, ticks_per_second, start, 6000);
    ring_definitions(archive, RANKS, 2);
    archive_close(archive);
}

void write_clock_1hz(const char *folder)
{
    write_clock(folder, "clock-1hz", 1, 1700000000);
}

/* Writes ticks since 1970, which exceed the integers that a double holds. */
void write_clock_4ghz(const char *folder)
{
    write_clock(folder, "clock-4ghz", UINT64_C(4000000000), UINT64_C(1700000000) * UINT64_C(4000000000));
}

/* Replaces the time `from` in the file, which has it in one place, by `to`. */
static void patch_time(const char *path, uint64_t from, uint64_t to)
{
    g_autofree char *content = NULL;
    size_t length;

    if (!g_file_get_contents(path, &content, &length, NULL) || length < sizeof from)
        exit(1);
    char *place = memmem(content, length, &from, sizeof from);
    if (!place) {
        fprintf(stderr, "otf2-archives: %s: the time %#" G_GINT64_MODIFIER "x is not where it should be\n", path, from);
        exit(1);
    }
    memcpy(place, &to, sizeof to);
    if (!g_file_set_contents(path, content, (gssize)length, NULL))
        exit(1);
}

/* Writes a time that goes backwards. OTF2's writer forces ascending times, so location 1 gets a recognizable time.
 * The function then replaces this time in the file by an earlier one. */
void write_backward_times(const char *folder)
{
    const uint64_t start = UINT64_C(0x1122334455660000), mark = start + 60 * 50 + 5;
    Archive *archive = archive_new(folder, "backward-times");

    ring_events(archive, 0, 0, 2, start, 100);
    ring_events(archive, 1, 1, 2, start, 50);
    WRITE(OTF2_EvtWriter_Enter(archive_events(archive, 1), NULL, mark, 0));
    WRITE(OTF2_EvtWriter_Leave(archive_events(archive, 1), NULL, mark, 0));
    ring_events(archive, 1, 1, 2, mark + 10, 49);
    archive_clock(archive, 1000000, start, 10000);
    ring_definitions(archive, RANKS, 2);
    archive_close(archive);

    g_autofree char *path = g_build_filename(folder, "backward-times", "1.evt", NULL);
    patch_time(path, mark, mark - 1000);
}
