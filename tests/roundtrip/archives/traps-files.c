#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traps.h"

static const uint64_t RANKS[] = {0, 1, 2};

static void write_ring(const char *folder, const char *name)
{
    Archive *archive = archive_new(folder, name);

    for (uint32_t rank = 0; rank < G_N_ELEMENTS(RANKS); rank++)
        ring_events(archive, rank, rank, G_N_ELEMENTS(RANKS), 1000 + rank, 300);
    archive_clock(archive, 1000000, 1000, 20000);
    ring_definitions(archive, RANKS, G_N_ELEMENTS(RANKS));
    archive_close(archive);
}

static void expect_success(int status, const char *path)
{
    if (status == 0)
        return;
    perror(path);
    exit(1);
}

void write_another_name(const char *folder)
{
    write_ring(folder, "another name.v2");
}

void write_missing_events(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "missing-events", "1.evt", NULL);
    write_ring(folder, "missing-events");
    expect_success(g_unlink(path), path);
}

void write_truncated_events(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "truncated-events", "1.evt", NULL);
    struct stat st;

    write_ring(folder, "truncated-events");
    expect_success(stat(path, &st), path);
    expect_success(truncate(path, st.st_size / 2), path);
}

void write_no_events(const char *folder)
{
    Archive *archive = archive_new(folder, "no-events");

    archive_events(archive, 0);
    archive_clock(archive, 1000000000, 0, 0);
    ring_definitions(archive, RANKS, 1);
    archive_close(archive);
}
