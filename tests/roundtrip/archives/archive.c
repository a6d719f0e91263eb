#include "archive.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum { PHASE_EVENTS, PHASE_LOCAL, PHASE_GLOBAL } Phase;

struct Archive {
    OTF2_Archive *otf2;
    OTF2_GlobalDefWriter *global;
    Phase phase;
    GHashTable *events;  /* location -> OTF2_EvtWriter */
    GHashTable *local;   /* location -> OTF2_DefWriter */
    GHashTable *counts;  /* location -> uint64_t, after the events were closed */
    GHashTable *strings; /* text -> id + 1 */
    GPtrArray *texts;    /* by id */
    uint32_t n_strings_written;
};

void archive_expect(OTF2_ErrorCode status, const char *operation)
{
    if (status == OTF2_SUCCESS)
        return;
    fprintf(stderr, "otf2-archives: %s: %s\n", operation, OTF2_Error_GetDescription(status));
    exit(1);
}

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    return OTF2_FLUSH;
}

Archive *archive_new(const char *folder, const char *name)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = pre_flush};
    Archive *archive = g_new0(Archive, 1);

    archive->otf2 = OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                                      OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive->otf2) {
        fprintf(stderr, "otf2-archives: cannot create %s/%s.otf2\n", folder, name);
        exit(1);
    }
    WRITE(OTF2_Archive_SetFlushCallbacks(archive->otf2, &flush, NULL));
    WRITE(OTF2_Archive_SetSerialCollectiveCallbacks(archive->otf2));
    WRITE(OTF2_Archive_SetCreator(archive->otf2, "XTF's tests"));
    WRITE(OTF2_Archive_OpenEvtFiles(archive->otf2));
    archive->events = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    archive->local = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    archive->counts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    archive->strings = g_hash_table_new(g_str_hash, g_str_equal);
    archive->texts = g_ptr_array_new_with_free_func(g_free);
    return archive;
}

static void close_events(Archive *archive)
{
    GHashTableIter iter;
    void *location, *writer;

    g_hash_table_iter_init(&iter, archive->events);
    while (g_hash_table_iter_next(&iter, &location, &writer)) {
        uint64_t *count = g_new(uint64_t, 1);
        WRITE(OTF2_EvtWriter_GetNumberOfEvents(writer, count));
        g_hash_table_insert(archive->counts, g_memdup2(location, sizeof(uint64_t)), count);
        WRITE(OTF2_Archive_CloseEvtWriter(archive->otf2, writer));
    }
    WRITE(OTF2_Archive_CloseEvtFiles(archive->otf2));
    WRITE(OTF2_Archive_OpenDefFiles(archive->otf2));

    /* OTF2's reader needs a file of local definitions for every location, even an empty one. */
    g_hash_table_iter_init(&iter, archive->events);
    while (g_hash_table_iter_next(&iter, &location, &writer)) {
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive->otf2, *(uint64_t *)location);
        g_hash_table_insert(archive->local, g_memdup2(location, sizeof(uint64_t)), local);
    }
}

static void write_pending_strings(Archive *archive)
{
    for (; archive->n_strings_written < archive->texts->len; archive->n_strings_written++)
        WRITE(OTF2_GlobalDefWriter_WriteString(archive->global, archive->n_strings_written,
                                               archive->texts->pdata[archive->n_strings_written]));
}

static void close_local(Archive *archive)
{
    GHashTableIter iter;
    void *writer;

    g_hash_table_iter_init(&iter, archive->local);
    while (g_hash_table_iter_next(&iter, NULL, &writer))
        WRITE(OTF2_Archive_CloseDefWriter(archive->otf2, writer));
    WRITE(OTF2_Archive_CloseDefFiles(archive->otf2));
    archive->global = OTF2_Archive_GetGlobalDefWriter(archive->otf2);
    write_pending_strings(archive);
}

static void enter_phase(Archive *archive, Phase phase)
{
    g_assert(archive->phase <= phase);
    for (; archive->phase < phase; archive->phase++) {
        if (archive->phase == PHASE_EVENTS)
            close_events(archive);
        else
            close_local(archive);
    }
}

OTF2_EvtWriter *archive_events(Archive *archive, uint64_t location)
{
    enter_phase(archive, PHASE_EVENTS);
    OTF2_EvtWriter *writer = g_hash_table_lookup(archive->events, &location);
    if (!writer) {
        writer = OTF2_Archive_GetEvtWriter(archive->otf2, location);
        g_hash_table_insert(archive->events, g_memdup2(&location, sizeof location), writer);
    }
    return writer;
}

OTF2_DefWriter *archive_local(Archive *archive, uint64_t location)
{
    enter_phase(archive, PHASE_LOCAL);
    OTF2_DefWriter *writer = g_hash_table_lookup(archive->local, &location);
    if (!writer) {
        writer = OTF2_Archive_GetDefWriter(archive->otf2, location);
        g_hash_table_insert(archive->local, g_memdup2(&location, sizeof location), writer);
    }
    return writer;
}

OTF2_GlobalDefWriter *archive_global(Archive *archive)
{
    enter_phase(archive, PHASE_GLOBAL);
    return archive->global;
}

void archive_close(Archive *archive)
{
    enter_phase(archive, PHASE_GLOBAL);
    WRITE(OTF2_Archive_CloseGlobalDefWriter(archive->otf2, archive->global));
    WRITE(OTF2_Archive_Close(archive->otf2));
    g_hash_table_destroy(archive->events);
    g_hash_table_destroy(archive->local);
    g_hash_table_destroy(archive->counts);
    g_hash_table_destroy(archive->strings);
    g_ptr_array_unref(archive->texts);
    g_free(archive);
}

OTF2_StringRef archive_string(Archive *archive, const char *text)
{
    uint32_t id = GPOINTER_TO_UINT(g_hash_table_lookup(archive->strings, text));
    if (id)
        return id - 1;
    char *copy = g_strdup(text);
    g_ptr_array_add(archive->texts, copy);
    g_hash_table_insert(archive->strings, copy, GUINT_TO_POINTER(archive->texts->len));
    if (archive->phase == PHASE_GLOBAL)
        write_pending_strings(archive);
    return archive->texts->len - 1;
}

uint64_t archive_n_events(Archive *archive, uint64_t location)
{
    const uint64_t *count = g_hash_table_lookup(archive->counts, &location);
    return count ? *count : 0;
}

void archive_clock(Archive *archive, uint64_t ticks_per_second, uint64_t offset, uint64_t length)
{
    /* The day of the release of OTF2 3.0, an arbitrary date. */
    uint64_t realtime = UINT64_C(1638316800000000000);
    WRITE(
        OTF2_GlobalDefWriter_WriteClockProperties(archive_global(archive), ticks_per_second, offset, length, realtime));
}

void archive_processes(Archive *archive, uint32_t n)
{
    OTF2_GlobalDefWriter *global = archive_global(archive);
    WRITE(OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, archive_string(archive, "machine"),
                                                   archive_string(archive, "node"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *name = g_strdup_printf("MPI Rank %u", i);
        WRITE(OTF2_GlobalDefWriter_WriteLocationGroup(global, i, archive_string(archive, name),
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
    }
}

void archive_location(Archive *archive, uint64_t id, uint32_t process, const char *name)
{
    OTF2_GlobalDefWriter *global = archive_global(archive);
    WRITE(OTF2_GlobalDefWriter_WriteLocation(global, id, archive_string(archive, name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                             archive_n_events(archive, id), process));
}

void archive_region(Archive *archive, uint32_t id, const char *name, const char *file, uint32_t line)
{
    OTF2_GlobalDefWriter *global = archive_global(archive);
    OTF2_StringRef text = archive_string(archive, name);
    WRITE(OTF2_GlobalDefWriter_WriteRegion(global, id, text, text, archive_string(archive, ""),
                                           OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                           archive_string(archive, file), line, line ? line + 10 : 0));
}

void archive_world(Archive *archive, uint32_t id, const uint64_t *locations, uint32_t n)
{
    OTF2_GlobalDefWriter *global = archive_global(archive);
    g_autofree uint64_t *ranks = g_new(uint64_t, n);
    OTF2_StringRef empty = archive_string(archive, "");

    for (uint32_t i = 0; i < n; i++)
        ranks[i] = i;
    WRITE(OTF2_GlobalDefWriter_WriteGroup(global, id + 1, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, n, locations));
    WRITE(OTF2_GlobalDefWriter_WriteGroup(global, id, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, n, ranks));
    WRITE(OTF2_GlobalDefWriter_WriteComm(global, id, archive_string(archive, "MPI_COMM_WORLD"), id, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
}
