/*
 * Archives with calling contexts, as Score-P writes them with SCOREP_ENABLE_UNWINDING=true.
 *
 * A context's source location is a place in the context's own region. Contexts of MPI functions have none: the line of
 * the call is in the parent. Regions of frames on the stack have the paradigm SAMPLING. A function that the compiler
 * instruments has two contexts: the stack's frame, and below it the instrumented region.
 */
#include "traps.h"

enum { MAIN, EXCHANGE, LIBRARY, HELPER, WORK_FRAME, N_FRAMES, SEND = N_FRAMES, RECV, BARRIER, WORK, PHASE, N_REGIONS };

static const struct {
    const char *name, *file;
    uint32_t line;
    OTF2_Paradigm paradigm;
} REGIONS[N_REGIONS] = {
    [MAIN] = {"main", "/src/app/main.c", 40, OTF2_PARADIGM_SAMPLING},
    [EXCHANGE] = {"exchange", "/src/app/exchange.c", 10, OTF2_PARADIGM_SAMPLING},
    [LIBRARY] = {"lib_send", NULL, 0, OTF2_PARADIGM_SAMPLING},
    [HELPER] = {"helper", "/src/app/work.c", 80, OTF2_PARADIGM_SAMPLING},
    [WORK_FRAME] = {"work", "/src/app/work.c", 70, OTF2_PARADIGM_SAMPLING},
    [SEND] = {"MPI_Send", "MPI", 0, OTF2_PARADIGM_MPI},
    [RECV] = {"MPI_Recv", "MPI", 0, OTF2_PARADIGM_MPI},
    [BARRIER] = {"MPI_Barrier", "MPI", 0, OTF2_PARADIGM_MPI},
    [WORK] = {"work", "/src/app/work.c", 71, OTF2_PARADIGM_COMPILER},
    [PHASE] = {"phase", "/src/app/main.c", 54, OTF2_PARADIGM_USER},
};

#define NONE      OTF2_UNDEFINED_CALLING_CONTEXT
#define NO_SOURCE OTF2_UNDEFINED_SOURCE_CODE_LOCATION
enum { NO_LINE, IN_LIBRARY = 1 }; /* instead of a line */

/* Contexts, by id. A line is in the file of the region. */
static const struct {
    uint32_t region, line, parent;
} CONTEXTS[] = {
    {MAIN, 50, NONE},          /* 0 */
    {EXCHANGE, 20, 0},         /* 1 */
    {SEND, NO_LINE, 1},        /* 2: exchange.c:20, called at main.c:50 */
    {EXCHANGE, 24, 0},         /* 3 */
    {SEND, NO_LINE, 3},        /* 4: exchange.c:24 */
    {RECV, NO_LINE, 1},        /* 5: exchange.c:20, too */
    {MAIN, 55, NONE},          /* 6 */
    {PHASE, 55, 6},            /* 7: main.c:55 */
    {PHASE, 56, 6},            /* 8: a later line in the same call of phase */
    {EXCHANGE, 20, 8},         /* 9 */
    {SEND, NO_LINE, 9},        /* 10: exchange.c:20, called in phase at main.c:56 */
    {PHASE, 58, 6},            /* 11: the line where phase is left */
    {MAIN, 60, NONE},          /* 12 */
    {WORK_FRAME, 70, 12},      /* 13: the frame of work itself */
    {WORK, 70, 13},            /* 14: main.c:60 */
    {WORK, 75, 13},            /* 15 */
    {HELPER, 81, 15},          /* 16 */
    {BARRIER, NO_LINE, 16},    /* 17: work.c:81 */
    {WORK, 78, 13},            /* 18: the line where work is left */
    {MAIN, 65, NONE},          /* 19 */
    {LIBRARY, IN_LIBRARY, 19}, /* 20 */
    {SEND, NO_LINE, 20},       /* 21: called in a library, which main called at main.c:65 */
    {MAIN, 52, NONE},          /* 22: sampled */
};

typedef struct {
    char kind; /* '+' enter, '-' leave, '*' sample, 's' send, 'r' receive, 'b' and 'e' begin and end of a barrier */
    uint32_t context, distance;
    uint64_t time;
} Step;

/* Process 0 sends late from exchange.c:24 and then early from three other places. */
static const Step SENDER[] = {
    {'*', 22, 2, 100}, /* in main */
    {'+', 4, 3, 500},  {'s', 0, 0, 510},  {'-', 4, 0, 520},  {'+', 2, 3, 530},  {'s', 0, 0, 540},  {'-', 2, 0, 550},
    {'+', 7, 3, 600},  {'*', 8, 1, 610},  {'+', 10, 3, 620}, {'s', 0, 0, 630},  {'-', 10, 0, 640}, {'-', 11, 0, 650},
    {'+', 21, 3, 660}, {'s', 0, 0, 670},  {'-', 21, 0, 680}, {'+', 14, 4, 700}, {'+', 17, 3, 710}, {'b', 0, 0, 720},
    {'e', 0, 0, 800},  {'-', 17, 0, 810}, {'-', 18, 0, 820},
};
/* Process 1 receives at exchange.c:20, the first time too early. */
static const Step RECEIVER[] = {
    {'+', 5, 3, 200},  {'r', 0, 0, 515},  {'-', 5, 0, 525}, {'+', 5, 2, 570}, {'r', 0, 0, 575},  {'-', 5, 0, 580},
    {'+', 5, 2, 650},  {'r', 0, 0, 655},  {'-', 5, 0, 660}, {'+', 5, 2, 690}, {'r', 0, 0, 695},  {'-', 5, 0, 698},
    {'+', 14, 4, 700}, {'+', 17, 3, 760}, {'b', 0, 0, 770}, {'e', 0, 0, 800}, {'-', 17, 0, 810}, {'-', 18, 0, 830},
};

static void write_step(OTF2_EvtWriter *writer, const Step *step)
{
    switch (step->kind) {
    case '+':
        WRITE(OTF2_EvtWriter_CallingContextEnter(writer, NULL, step->time, step->context, step->distance));
        break;
    case '-':
        WRITE(OTF2_EvtWriter_CallingContextLeave(writer, NULL, step->time, step->context));
        break;
    case '*':
        WRITE(OTF2_EvtWriter_CallingContextSample(writer, NULL, step->time, step->context, step->distance, 0));
        break;
    case 's':
        WRITE(OTF2_EvtWriter_MpiSend(writer, NULL, step->time, 1, 0, 7, 1024));
        break;
    case 'r':
        WRITE(OTF2_EvtWriter_MpiRecv(writer, NULL, step->time, 0, 0, 7, 1024));
        break;
    case 'b':
        WRITE(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, step->time));
        break;
    default:
        WRITE(OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, step->time, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                              OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
    }
}

static void write_steps(Archive *archive, uint64_t location, const Step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        write_step(archive_events(archive, location), &steps[i]);
}

static void define_regions(Archive *archive)
{
    OTF2_GlobalDefWriter *global = archive_global(archive);

    for (uint32_t i = 0; i < N_REGIONS; i++) {
        OTF2_StringRef name = archive_string(archive, REGIONS[i].name), description = archive_string(archive, "");
        OTF2_StringRef file =
            REGIONS[i].file ? archive_string(archive, REGIONS[i].file) : (OTF2_StringRef)OTF2_UNDEFINED_STRING;
        WRITE(OTF2_GlobalDefWriter_WriteRegion(global, i, name, name, description, OTF2_REGION_ROLE_FUNCTION,
                                               REGIONS[i].paradigm, OTF2_REGION_FLAG_NONE, file, REGIONS[i].line,
                                               REGIONS[i].line > 0 ? REGIONS[i].line + 30 : 0));
    }
}

/* Writes the properties by which Score-P describes an instruction. */
static void define_instruction(Archive *archive, uint32_t context, const char *object, uint64_t offset)
{
    OTF2_GlobalDefWriter *global = archive_global(archive);
    const OTF2_AttributeValue object_value = {.stringRef = archive_string(archive, object)};
    const OTF2_AttributeValue offset_value = {.uint64 = offset};

    WRITE(OTF2_GlobalDefWriter_WriteCallingContextProperty(
        global, context, archive_string(archive, "EXECUTABLE/SHARED OBJECT"), OTF2_TYPE_STRING, object_value));
    WRITE(OTF2_GlobalDefWriter_WriteCallingContextProperty(
        global, context, archive_string(archive, "INSTRUCTION OFFSET"), OTF2_TYPE_UINT64, offset_value));
}

static void define_generator(Archive *archive)
{
    WRITE(OTF2_GlobalDefWriter_WriteInterruptGenerator(
        archive_global(archive), 0, archive_string(archive, "PAPI_TOT_CYC"), OTF2_INTERRUPT_GENERATOR_MODE_COUNT,
        OTF2_BASE_DECIMAL, 0, 1000000));
}

static void define_contexts(Archive *archive)
{
    OTF2_GlobalDefWriter *global = archive_global(archive);

    for (uint32_t i = 0; i < G_N_ELEMENTS(CONTEXTS); i++) {
        bool has_line = CONTEXTS[i].line > IN_LIBRARY;
        if (has_line)
            WRITE(OTF2_GlobalDefWriter_WriteSourceCodeLocation(
                global, i, archive_string(archive, REGIONS[CONTEXTS[i].region].file), CONTEXTS[i].line));
        WRITE(OTF2_GlobalDefWriter_WriteCallingContext(global, i, CONTEXTS[i].region,
                                                       has_line ? i : (uint32_t)NO_SOURCE, CONTEXTS[i].parent));
        if (CONTEXTS[i].line != NO_LINE)
            define_instruction(archive, i, has_line ? "/opt/app" : "/usr/lib/libx.so", 0x1000 + CONTEXTS[i].line);
    }
    define_generator(archive);
}

static void define_world(Archive *archive)
{
    static const uint64_t locations[] = {0, 1};

    archive_clock(archive, 1000, 100, 1000);
    archive_processes(archive, 2);
    for (uint32_t i = 0; i < 2; i++)
        archive_location(archive, i, i, "Master thread");
    archive_world(archive, 0, locations, 2);
    define_regions(archive);
}

void write_contexts(const char *folder)
{
    Archive *archive = archive_new(folder, "contexts");

    write_steps(archive, 0, SENDER, G_N_ELEMENTS(SENDER));
    write_steps(archive, 1, RECEIVER, G_N_ELEMENTS(RECEIVER));
    define_world(archive);
    define_contexts(archive);
    archive_close(archive);
}

/* Writes odd contexts. Context 90 and region 91 are not defined. Contexts 30 to 32 are a circle of parents, 33 is its
 * own parent. Context 4 is left without an ENTER, 2 is never left. */
void write_odd_contexts(const char *folder)
{
    static const Step first[] = {
        {'-', 4, 0, 200},  {'+', 90, 2, 210}, {'-', 90, 0, 220}, {'+', NONE, 0, 230}, {'-', NONE, 0, 240},
        {'+', 30, 2, 250}, {'-', 30, 0, 260}, {'+', 33, 2, 270}, {'-', 33, 0, 280},   {'+', 34, 2, 290},
        {'-', 34, 0, 300}, {'+', 35, 2, 310}, {'-', 35, 0, 320}, {'+', 2, 9999, 330}, {'*', 90, 2, 340},
    };
    static const struct {
        uint32_t id, region, parent, source;
    } odd[] = {
        {30, SEND, 31, NO_SOURCE}, {31, EXCHANGE, 32, 3},  {32, MAIN, 30, NO_SOURCE},
        {33, RECV, 33, NO_SOURCE}, {34, 91, 1, NO_SOURCE}, {35, SEND, 91, NO_SOURCE},
    };
    Archive *archive = archive_new(folder, "odd-contexts");

    write_steps(archive, 0, first, G_N_ELEMENTS(first));
    write_steps(archive, 1, RECEIVER, 3);
    define_world(archive);
    define_contexts(archive);
    for (size_t i = 0; i < G_N_ELEMENTS(odd); i++)
        WRITE(OTF2_GlobalDefWriter_WriteCallingContext(archive_global(archive), odd[i].id, odd[i].region, odd[i].source,
                                                       odd[i].parent));
    archive_close(archive);
}

/* Writes samples as lo2s does: functions are only sampled. lo2s enters contexts of threads, whose parents are contexts
 * of processes. */
void write_samples_alone(const char *folder)
{
    static const Step steps[] = {{'*', 22, 2, 200}, {'*', 1, 3, 300}, {'*', 3, 2, 400}};
    Archive *archive = archive_new(folder, "samples-alone");
    OTF2_GlobalDefWriter *global;

    write_steps(archive, 0, steps, G_N_ELEMENTS(steps));
    WRITE(OTF2_EvtWriter_CallingContextEnter(archive_events(archive, 1), NULL, 200, 41, 2));
    WRITE(OTF2_EvtWriter_CallingContextLeave(archive_events(archive, 1), NULL, 300, 41));
    define_world(archive);
    global = archive_global(archive);
    for (uint32_t i = 0; i < G_N_ELEMENTS(CONTEXTS); i++)
        if (CONTEXTS[i].region < N_FRAMES &&
            (CONTEXTS[i].parent == NONE || CONTEXTS[CONTEXTS[i].parent].region < N_FRAMES))
            WRITE(
                OTF2_GlobalDefWriter_WriteCallingContext(global, i, CONTEXTS[i].region, NO_SOURCE, CONTEXTS[i].parent));
    WRITE(OTF2_GlobalDefWriter_WriteCallingContext(global, 40, WORK, NO_SOURCE, NONE));
    WRITE(OTF2_GlobalDefWriter_WriteCallingContext(global, 41, PHASE, NO_SOURCE, 40));
    define_generator(archive);
    archive_close(archive);
}
