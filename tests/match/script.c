/*
 * otf2-script FOLDER NAME: writes the OTF2 archive that a script on standard input describes, with OTF2's own writer.
 *
 * A line is a word and numbers. Events precede definitions: `LOCATION TIME WORD NUMBER...`, sorted by time in each
 * location. Definitions follow: `WORD NUMBER...`, some with a name at the end. A definition follows the definitions
 * that it refers to. The events are named in tests/match/programs.py; the tables below say which numbers each has.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../roundtrip/archives/archive.h"

enum { N_NUMBERS = 100000 };

typedef struct {
    uint64_t numbers[N_NUMBERS]; /* numbers after the word */
    unsigned n;
    const char *name; /* text after the numbers */
} Line;

static void refuse_line(const char *line)
{
    fprintf(stderr, "otf2-script: not a line of a script: %s\n", line);
    exit(2);
}

/* Reads numbers, up to the line's end or a word that is no number. */
static void read_numbers(Line *line, char *text)
{
    line->n = 0;
    while (*text) {
        char *end;
        errno = 0;
        uint64_t number = strtoull(text, &end, 10);
        if (end == text || (*end && *end != ' ') || errno || line->n == N_NUMBERS)
            break;
        line->numbers[line->n++] = number;
        text = end + strspn(end, " ");
    }
    line->name = text;
}

/* ---- Events. */

static OTF2_ErrorCode write_message(OTF2_EvtWriter *writer, uint64_t time, char kind, const uint64_t *n)
{
    uint32_t peer = (uint32_t)n[0], comm = (uint32_t)n[1], tag = (uint32_t)n[2];

    switch (kind) {
    case 'S':
        return OTF2_EvtWriter_MpiSend(writer, NULL, time, peer, comm, tag, n[3]);
    case 'I':
        return OTF2_EvtWriter_MpiIsend(writer, NULL, time, peer, comm, tag, n[3], n[4]);
    case 'R':
        return OTF2_EvtWriter_MpiRecv(writer, NULL, time, peer, comm, tag, n[3]);
    default:
        return OTF2_EvtWriter_MpiIrecv(writer, NULL, time, peer, comm, tag, n[3], n[4]);
    }
}

static OTF2_ErrorCode write_request(OTF2_EvtWriter *writer, uint64_t time, char kind, const uint64_t *n)
{
    switch (kind) {
    case 'P':
        return OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, time, n[0]);
    case 'C':
        return OTF2_EvtWriter_MpiIsendComplete(writer, NULL, time, n[0]);
    case 'X':
        return OTF2_EvtWriter_MpiRequestCancelled(writer, NULL, time, n[0]);
    case 'T':
        return OTF2_EvtWriter_MpiRequestTest(writer, NULL, time, n[0]);
    default:
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, NULL, time, n[0]);
    }
}

static OTF2_ErrorCode write_collective(OTF2_EvtWriter *writer, uint64_t time, char kind, const uint64_t *n)
{
    uint32_t comm = (uint32_t)n[1], root = (uint32_t)n[2];

    if (kind == 'B')
        return OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, time);
    if (kind == 'D')
        return OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, time, (OTF2_CollectiveOp)n[0], comm, root, n[3], n[4]);
    return OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, NULL, time, (OTF2_CollectiveOp)n[0], comm, root, n[3],
                                                        n[4], n[5]);
}

/* Writes an event of a team of threads, or of its locks. */
static OTF2_ErrorCode write_thread(OTF2_EvtWriter *writer, uint64_t time, char kind, const uint64_t *n)
{
    OTF2_Paradigm model = (OTF2_Paradigm)n[0];

    switch (kind) {
    case 'F':
        return OTF2_EvtWriter_ThreadFork(writer, NULL, time, model, (uint32_t)n[1]);
    case 'f':
        return OTF2_EvtWriter_ThreadJoin(writer, NULL, time, model);
    case 't':
        return OTF2_EvtWriter_ThreadTeamBegin(writer, NULL, time, (uint32_t)n[0]);
    case 'u':
        return OTF2_EvtWriter_ThreadTeamEnd(writer, NULL, time, (uint32_t)n[0]);
    case 'A':
        return OTF2_EvtWriter_ThreadAcquireLock(writer, NULL, time, model, (uint32_t)n[1], (uint32_t)n[2]);
    default:
        return OTF2_EvtWriter_ThreadReleaseLock(writer, NULL, time, model, (uint32_t)n[1], (uint32_t)n[2]);
    }
}

/* Writes an event of a single thread outside of teams: its creation, begin, end, or the wait for it. */
static OTF2_ErrorCode write_created(OTF2_EvtWriter *writer, uint64_t time, char kind, const uint64_t *n)
{
    switch (kind) {
    case 'V':
        return OTF2_EvtWriter_ThreadCreate(writer, NULL, time, (uint32_t)n[0], n[1]);
    case 'v':
        return OTF2_EvtWriter_ThreadBegin(writer, NULL, time, (uint32_t)n[0], n[1]);
    case 'Z':
        return OTF2_EvtWriter_ThreadWait(writer, NULL, time, (uint32_t)n[0], n[1]);
    default:
        return OTF2_EvtWriter_ThreadEnd(writer, NULL, time, (uint32_t)n[0], n[1]);
    }
}

/* Writes an event of one-sided communication other than locks. */
static OTF2_ErrorCode write_window(OTF2_EvtWriter *writer, uint64_t time, char kind, const uint64_t *n)
{
    switch (kind) {
    case 'O':
        return OTF2_EvtWriter_RmaPut(writer, NULL, time, (uint32_t)n[0], (uint32_t)n[1], n[2], n[3]);
    case 'G':
        return OTF2_EvtWriter_RmaGet(writer, NULL, time, (uint32_t)n[0], (uint32_t)n[1], n[2], n[3]);
    case 'W':
        return OTF2_EvtWriter_RmaCollectiveBegin(writer, NULL, time);
    case 'w':
        return OTF2_EvtWriter_RmaCollectiveEnd(writer, NULL, time, (OTF2_CollectiveOp)n[0], (uint32_t)n[1],
                                               (uint32_t)n[2], (uint32_t)n[3], n[4], n[5]);
    default:
        return OTF2_EvtWriter_RmaGroupSync(writer, NULL, time, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]);
    }
}

/* Writes an event of a lock of a window or a file. */
static OTF2_ErrorCode write_lock(OTF2_EvtWriter *writer, uint64_t time, char kind, const uint64_t *n)
{
    switch (kind) {
    case 'K':
        return OTF2_EvtWriter_RmaRequestLock(writer, NULL, time, (uint32_t)n[0], (uint32_t)n[1], n[2],
                                             (OTF2_LockType)n[3]);
    case 'k':
        return OTF2_EvtWriter_RmaAcquireLock(writer, NULL, time, (uint32_t)n[0], (uint32_t)n[1], n[2],
                                             (OTF2_LockType)n[3]);
    case 'l':
        return OTF2_EvtWriter_RmaReleaseLock(writer, NULL, time, (uint32_t)n[0], (uint32_t)n[1], n[2]);
    case 'H':
        return OTF2_EvtWriter_IoAcquireLock(writer, NULL, time, (uint32_t)n[0], (OTF2_LockType)n[1]);
    default:
        return OTF2_EvtWriter_IoReleaseLock(writer, NULL, time, (uint32_t)n[0], (OTF2_LockType)n[1]);
    }
}

static void write_event(Archive *archive, uint64_t location, uint64_t time, char kind, const Line *line)
{
    /* counts[i]: how many numbers an event of kind kinds[i] has */
    static const char kinds[] = "ELSIRJPCXTQBDNFftuAaVvZzOGWwYKklHhM", counts[] = "11454511111056211133222244063443221";
    const char *at = strchr(kinds, kind);
    OTF2_EvtWriter *writer = archive_events(archive, location);

    if (!at || line->n != (unsigned)(counts[at - kinds] - '0'))
        refuse_line("an event with other numbers");
    if (kind == 'E')
        WRITE(OTF2_EvtWriter_Enter(writer, NULL, time, (uint32_t)line->numbers[0]));
    else if (kind == 'L')
        WRITE(OTF2_EvtWriter_Leave(writer, NULL, time, (uint32_t)line->numbers[0]));
    else if (kind == 'M')
        WRITE(OTF2_EvtWriter_BufferFlush(writer, NULL, time, line->numbers[0]));
    else if (strchr("SIRJ", kind))
        WRITE(write_message(writer, time, kind, line->numbers));
    else if (strchr("PCXTQ", kind))
        WRITE(write_request(writer, time, kind, line->numbers));
    else if (strchr("FftuAa", kind))
        WRITE(write_thread(writer, time, kind, line->numbers));
    else if (strchr("VvZz", kind))
        WRITE(write_created(writer, time, kind, line->numbers));
    else if (strchr("OGWwY", kind))
        WRITE(write_window(writer, time, kind, line->numbers));
    else if (strchr("KklHh", kind))
        WRITE(write_lock(writer, time, kind, line->numbers));
    else
        WRITE(write_collective(writer, time, kind, line->numbers));
}

/* ---- Definitions. */

static void define_clock(Archive *archive, const Line *line)
{
    archive_clock(archive, line->numbers[0], line->numbers[1], line->numbers[2]);
}

static void define_processes(Archive *archive, const Line *line)
{
    archive_processes(archive, (uint32_t)line->numbers[0]);
}

static void define_location(Archive *archive, const Line *line)
{
    archive_location(archive, line->numbers[0], (uint32_t)line->numbers[1], line->name);
}

static void define_stream(Archive *archive, const Line *line)
{
    WRITE(OTF2_GlobalDefWriter_WriteLocation(archive_global(archive), line->numbers[0],
                                             archive_string(archive, line->name), OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                                             archive_n_events(archive, line->numbers[0]), (uint32_t)line->numbers[1]));
}

static void define_region(Archive *archive, const Line *line)
{
    archive_region(archive, (uint32_t)line->numbers[0], line->name, "", 0);
}

/* Defines a region with a source line: FILE, a tab, NAME. */
static void define_placed(Archive *archive, const Line *line)
{
    const char *tab = strchr(line->name, '\t');

    if (!tab)
        refuse_line(line->name);
    g_autofree char *file = g_strndup(line->name, (gsize)(tab - line->name));
    archive_region(archive, (uint32_t)line->numbers[0], tab + 1, file, (uint32_t)line->numbers[1]);
}

/* Defines a region of a paradigm and a role, in the file that Score-P names for regions of libraries. */
static void define_construct(Archive *archive, const Line *line)
{
    OTF2_StringRef name = archive_string(archive, line->name);
    OTF2_Paradigm paradigm = (OTF2_Paradigm)line->numbers[1];
    const char *file = paradigm == OTF2_PARADIGM_MPI       ? "MPI"
                       : paradigm == OTF2_PARADIGM_OPENMP  ? "OMP"
                       : paradigm == OTF2_PARADIGM_PTHREAD ? "PTHREAD"
                                                           : "";

    WRITE(OTF2_GlobalDefWriter_WriteRegion(archive_global(archive), (uint32_t)line->numbers[0], name, name,
                                           archive_string(archive, ""), (OTF2_RegionRole)line->numbers[2], paradigm,
                                           OTF2_REGION_FLAG_NONE, archive_string(archive, file), 0, 0));
}

static void define_window(Archive *archive, const Line *line)
{
    WRITE(OTF2_GlobalDefWriter_WriteRmaWin(archive_global(archive), (uint32_t)line->numbers[0],
                                           archive_string(archive, line->name), (uint32_t)line->numbers[1],
                                           OTF2_RMA_WIN_FLAG_NONE));
}

/* Defines a file; all files are of one paradigm. */
static void define_file(Archive *archive, const Line *line)
{
    WRITE(OTF2_GlobalDefWriter_WriteIoRegularFile(archive_global(archive), (uint32_t)line->numbers[0],
                                                  archive_string(archive, line->name), 0));
}

static void define_handle(Archive *archive, const Line *line)
{
    OTF2_StringRef name = archive_string(archive, line->name);

    if (line->numbers[0] == 0)
        WRITE(OTF2_GlobalDefWriter_WriteIoParadigm(archive_global(archive), 0, name, name,
                                                   OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL,
                                                   NULL, NULL));
    WRITE(OTF2_GlobalDefWriter_WriteIoHandle(archive_global(archive), (uint32_t)line->numbers[0], name,
                                             (uint32_t)line->numbers[1], 0, OTF2_IO_HANDLE_FLAG_NONE,
                                             OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE));
}

/* Defines MPI's world: its communicator, and the locations of its ranks. */
static void define_world(Archive *archive, const Line *line)
{
    archive_world(archive, (uint32_t)line->numbers[0], line->numbers + 1, line->n - 1);
}

/* Defines the communicator of an OpenMP team and the locations of its threads. */
static void define_team(Archive *archive, const Line *line)
{
    g_autofree uint64_t *ranks = g_new(uint64_t, line->n);
    const uint32_t n = line->n - 1, id = (uint32_t)line->numbers[0];
    OTF2_GlobalDefWriter *global = archive_global(archive);
    OTF2_StringRef empty = archive_string(archive, "");

    for (uint32_t i = 0; i < n; i++)
        ranks[i] = i;
    WRITE(OTF2_GlobalDefWriter_WriteGroup(global, id, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                                          OTF2_GROUP_FLAG_NONE, n, line->numbers + 1));
    WRITE(OTF2_GlobalDefWriter_WriteGroup(global, id + 1, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                          OTF2_GROUP_FLAG_NONE, n, ranks));
    WRITE(OTF2_GlobalDefWriter_WriteComm(global, id, empty, id + 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void define_group(Archive *archive, const Line *line)
{
    WRITE(OTF2_GlobalDefWriter_WriteGroup(archive_global(archive), (uint32_t)line->numbers[0],
                                          archive_string(archive, ""), OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, line->n - 1, line->numbers + 1));
}

/* Defines the group of communicators that each process has for itself. */
static void define_self(Archive *archive, const Line *line)
{
    WRITE(OTF2_GlobalDefWriter_WriteGroup(archive_global(archive), (uint32_t)line->numbers[0],
                                          archive_string(archive, ""), OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, 0, NULL));
}

static void define_comm(Archive *archive, const Line *line)
{
    WRITE(OTF2_GlobalDefWriter_WriteComm(archive_global(archive), (uint32_t)line->numbers[0],
                                         archive_string(archive, line->name), (uint32_t)line->numbers[1],
                                         OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void define_inter(Archive *archive, const Line *line)
{
    WRITE(OTF2_GlobalDefWriter_WriteInterComm(archive_global(archive), (uint32_t)line->numbers[0],
                                              archive_string(archive, line->name), (uint32_t)line->numbers[1],
                                              (uint32_t)line->numbers[2], OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static const struct {
    const char *word;
    unsigned least; /* least number of numbers */
    void (*define)(Archive *archive, const Line *line);
} DEFINITIONS[] = {
    {"clock", 3, define_clock},         {"processes", 1, define_processes}, {"location", 2, define_location},
    {"region", 1, define_region},       {"world", 2, define_world},         {"group", 1, define_group},
    {"self", 1, define_self},           {"comm", 2, define_comm},           {"inter", 3, define_inter},
    {"construct", 3, define_construct}, {"window", 2, define_window},       {"file", 1, define_file},
    {"handle", 2, define_handle},       {"team", 2, define_team},           {"stream", 2, define_stream},
    {"placed", 2, define_placed},
};

static void write_definition(Archive *archive, const char *word, const Line *line)
{
    for (size_t i = 0; i < G_N_ELEMENTS(DEFINITIONS); i++) {
        if (strcmp(DEFINITIONS[i].word, word) == 0 && line->n >= DEFINITIONS[i].least) {
            DEFINITIONS[i].define(archive, line);
            return;
        }
    }
    refuse_line(word);
}

static void write_line(Archive *archive, Line *line, char *text)
{
    char word[16], kind;
    uint64_t location, time;
    int end = -1;

    if (sscanf(text, "%" SCNu64 " %" SCNu64 " %c %n", &location, &time, &kind, &end) == 3 && end >= 0) {
        read_numbers(line, text + end);
        write_event(archive, location, time, kind, line);
        return;
    }
    if (sscanf(text, "%15s %n", word, &end) != 1 || end < 0)
        refuse_line(text);
    read_numbers(line, text + end);
    write_definition(archive, word, line);
}

int main(int argc, char **argv)
{
    static Line line;
    char *text = NULL;
    size_t capacity = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: otf2-script FOLDER NAME < SCRIPT\n");
        return 2;
    }
    Archive *archive = archive_new(argv[1], argv[2]);
    while (getline(&text, &capacity, stdin) > 0) {
        text[strcspn(text, "\n")] = '\0';
        write_line(archive, &line, text);
    }
    free(text);
    archive_close(archive);
    return 0;
}
