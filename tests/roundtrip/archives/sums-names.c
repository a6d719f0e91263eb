#include "sums.h"

static void write_call(OTF2_EvtWriter *writer, uint64_t *time, uint32_t region)
{
    WRITE(OTF2_EvtWriter_Enter(writer, NULL, *time, region));
    WRITE(OTF2_EvtWriter_Leave(writer, NULL, *time + 1 + region % 5, region));
    *time += 10;
}

void write_sums_regions(const char *folder)
{
    enum { N_PROCS = 2, N_REGIONS = 5000 };
    Archive *archive = archive_new(folder, "sums-regions");
    Dice random = {1};

    for (uint64_t location = 0; location < N_PROCS; location++) {
        OTF2_EvtWriter *writer = archive_events(archive, location);
        uint64_t time = 100;
        for (uint32_t region = 0; location == 0 && region < N_REGIONS; region++)
            write_call(writer, &time, region);
        for (uint32_t i = 0; i < 5000; i++)
            write_call(writer, &time, dice(&random, N_REGIONS));
    }
    archive_clock(archive, 1000000000, 0, 200000);
    sums_places(archive, N_PROCS, 1);
    for (uint32_t region = 0; region < N_REGIONS; region++) {
        g_autofree char *name = g_strdup_printf("function %u", region);
        archive_region(archive, region, name, "many.c", region);
    }
    archive_close(archive);
}

/* Two names are longer than any column and differ only at their ends. */
#define LONG "a_function_template_with_a_name_that_is_longer_than_any_column_of_any_table_"

static const char *const names[] = {
    "plain",
    "a/b",
    "line\nfeed",
    "tab\tstop",
    "two words",
    "umlaut \xc3\xa4",
    "\xe6\x97\xa5\xe6\x9c\xac",
    "a\\b",
    "\\x41",
    ".hidden",
    "..",
    ".",
    "#1",
    "-",
    "",
    LONG "1",
    LONG "2",
    "(unmatched LEAVE)",
    "12-34",
    "operator<<(int, x)",
    "count",
    "50%",
    "proc",
    "trailing.",
    "~1",
};

void write_sums_names(const char *folder)
{
    enum { N_PROCS = 2, N_NAMES = G_N_ELEMENTS(names), N_COMMS = 2 * N_NAMES };
    Archive *archive = archive_new(folder, "sums-names");

    for (uint64_t location = 0; location < N_PROCS; location++) {
        OTF2_EvtWriter *writer = archive_events(archive, location);
        uint64_t time = 100;
        for (uint32_t i = 0; i < 2 * N_NAMES; i++) {
            write_call(writer, &time, i);
            WRITE(OTF2_EvtWriter_MpiSend(writer, NULL, time, 1 - (uint32_t)location, i, i % 3, i));
            WRITE(OTF2_EvtWriter_MpiRecv(writer, NULL, time, 1 - (uint32_t)location, i, i % 3, i));
        }
    }
    archive_clock(archive, 1000000000, 0, 2000);
    sums_places(archive, N_PROCS, 1);
    /* The second half has the names of the first half in another file. */
    for (uint32_t i = 0; i < 2 * N_NAMES; i++)
        archive_region(archive, i, names[i % N_NAMES], i < N_NAMES ? "names.c" : "names-again.c", 10);
    for (uint32_t i = 1; i < N_COMMS; i++) {
        OTF2_StringRef name = archive_string(archive, names[i % N_NAMES]);
        WRITE(OTF2_GlobalDefWriter_WriteComm(archive_global(archive), i, name, 0, 0, OTF2_COMM_FLAG_NONE));
    }
    archive_close(archive);
}
