#include "tests/otf1/archive.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void write_processes(Archive *archive)
{
    OTF_Writer *writer = archive->writer;
    uint32_t world[] = {2, 1, 3}, part[] = {3, 1}, team[] = {1, 4, 5};
    OTF_ATTR_TYPE rank[] = {OTF_ATTR_IsMPIRank, OTF_ATTR_IsMasterThread}, device[] = {OTF_ATTR_IsCUDAThread};
    OTF_ATTR_TYPE communicator[] = {OTF_ATTR_IsCommunicator};

    OTF_Writer_writeDefProcess(writer, 0, 1, "Rank one", 0);
    OTF_Writer_writeDefProcess(writer, 0, 2, "Rank \xc3\xa4", 0);
    OTF_Writer_writeDefProcess(writer, 0, 4, "Thread of one", 1);
    OTF_Writer_writeDefProcess(writer, 0, 3, "Rank three", 0);
    OTF_Writer_writeDefProcess(writer, 0, 5, "Device", 1);
    OTF_Writer_writeDefProcess(writer, 0, 6, "Thread of a thread", 4);
    OTF_Writer_writeDefProcessGroup(writer, 0, WORLD, "MPI_COMM_WORLD", COUNT(world), world);
    OTF_Writer_writeDefProcessGroup(writer, 0, PART, "MPI Communicator 2", COUNT(part), part);
    OTF_Writer_writeDefProcessGroup(writer, 0, TEAM, "OMP Team", COUNT(team), team);
    OTF_Writer_writeDefAttributeList(writer, 0, 1, COUNT(rank), rank);
    OTF_Writer_writeDefAttributeList(writer, 0, 2, COUNT(device), device);
    OTF_Writer_writeDefAttributeList(writer, 0, 3, COUNT(communicator), communicator);
    for (uint32_t process = 1; process <= N_RANKS; process++)
        OTF_Writer_writeDefProcessOrGroupAttributes(writer, 0, process, 1);
    OTF_Writer_writeDefProcessOrGroupAttributes(writer, 0, 5, 2);
    OTF_Writer_writeDefProcessOrGroupAttributes(writer, 0, PART, 3);
    OTF_Writer_writeDefProcessSubstitutes(writer, 0, 1, 1, &world[0], NULL);
}

/* Writes functions before the definitions of their groups and places. */
static void write_code(Archive *archive)
{
    static const char *const names[] = {"main", "MPI_Send", "MPI_Allreduce", "solve", "fwrite", "!$omp parallel"};
    static const char *const groups[] = {"Application", "MPI", "MPI", "Application", "I/O", "OMP"};
    OTF_Writer *writer = archive->writer;

    for (uint32_t i = 0; i < N_FUNCTIONS; i++)
        OTF_Writer_writeDefFunction(writer, 0, i + 1, names[i], 10 + i, i % 3);
    for (uint32_t i = 0; i < N_FUNCTIONS; i++)
        OTF_Writer_writeDefFunctionGroup(writer, 0, 10 + i, groups[i]);
    OTF_Writer_writeDefScl(writer, 0, 1, 7, 42);
    OTF_Writer_writeDefScl(writer, 0, 2, 8, 4711);
    OTF_Writer_writeDefSclFile(writer, 0, 7, "main.c");
    OTF_Writer_writeDefSclFile(writer, 0, 8, "solve.f90");
}

static void write_counters(Archive *archive)
{
    static const uint32_t properties[N_COUNTERS] = {
        OTF_COUNTER_TYPE_ACC | OTF_COUNTER_SCOPE_START | OTF_COUNTER_VARTYPE_UNSIGNED8,
        OTF_COUNTER_TYPE_ACC | OTF_COUNTER_SCOPE_LAST | OTF_COUNTER_VARTYPE_UNSIGNED4,
        OTF_COUNTER_TYPE_ACC | OTF_COUNTER_SCOPE_NEXT | OTF_COUNTER_VARTYPE_UNSIGNED2,
        OTF_COUNTER_TYPE_ACC | OTF_COUNTER_SCOPE_POINT | OTF_COUNTER_VARTYPE_SIGNED8,
        OTF_COUNTER_TYPE_ABS | OTF_COUNTER_SCOPE_START | OTF_COUNTER_VARTYPE_SIGNED4,
        OTF_COUNTER_TYPE_ABS | OTF_COUNTER_SCOPE_LAST | OTF_COUNTER_VARTYPE_SIGNED2,
        OTF_COUNTER_TYPE_ABS | OTF_COUNTER_SCOPE_NEXT | OTF_COUNTER_VARTYPE_FLOAT,
        OTF_COUNTER_TYPE_ABS | OTF_COUNTER_SCOPE_POINT | OTF_COUNTER_VARTYPE_DOUBLE,
        OTF_COUNTER_TYPE_ACC | OTF_COUNTER_SCOPE_START | OTF_COUNTER_VARTYPE_DOUBLE,
    };
    static const char *const names[N_COUNTERS] = {"PAPI_TOT_INS", "b", "c", "d", "e", "f", "flops", "load", "joules"};
    uint32_t members[] = {1, PART};

    for (uint32_t i = 0; i < N_COUNTERS; i++)
        OTF_Writer_writeDefCounter(archive->writer, 0, i + 1, names[i], properties[i], 50, i % 2 ? "#" : "1/s");
    OTF_Writer_writeDefCounterGroup(archive->writer, 0, 50, "Hardware counters");
    OTF_Writer_writeDefCounterAssignments(archive->writer, 0, 1, COUNT(members), members, NULL);
}

static void write_operations(Archive *archive)
{
    static const char *const names[N_COLLECTIVES] = {"MPI_Barrier", "MPI_Bcast", "MPI_Reduce_scatter",
                                                     "gather all",  "scatter",   "sum of all"};
    static const uint32_t types[N_COLLECTIVES] = {OTF_COLLECTIVE_TYPE_BARRIER, OTF_COLLECTIVE_TYPE_ONE2ALL,
                                                  OTF_COLLECTIVE_TYPE_ALL2ALL, OTF_COLLECTIVE_TYPE_ALL2ALL,
                                                  OTF_COLLECTIVE_TYPE_ONE2ALL, OTF_COLLECTIVE_TYPE_ALL2ONE};

    for (uint32_t i = 0; i < N_COLLECTIVES; i++)
        OTF_Writer_writeDefCollectiveOperation(archive->writer, 0, i + 1, names[i], types[i]);
    OTF_Writer_writeDefFileGroup(archive->writer, 0, 1, "/scratch");
    OTF_Writer_writeDefFile(archive->writer, 0, 1, "/scratch/in.dat", 1);
    OTF_Writer_writeDefFile(archive->writer, 0, 2, "out.dat", 0);
    OTF_Writer_writeDefFile(archive->writer, 0, 3, "log", 1);
}

static void write_keys(Archive *archive)
{
    static const OTF_Type types[] = {OTF_CHAR,   OTF_INT8,  OTF_UINT8,  OTF_INT16, OTF_UINT16, OTF_INT32,
                                     OTF_UINT32, OTF_INT64, OTF_UINT64, OTF_FLOAT, OTF_DOUBLE, OTF_BYTE_ARRAY};
    static const char *const names[] = {"char",   "int8",  "uint8",  "int16", "uint16", "int32",
                                        "uint32", "int64", "uint64", "float", "double", "bytes"};

    for (uint32_t i = 0; i < COUNT(types); i++)
        OTF_Writer_writeDefKeyValue(archive->writer, 0, i + 1, types[i], names[i], "a key");
    for (uint32_t type = 0; type <= OTF_MARKER_TYPE_HINT; type++)
        OTF_Writer_writeDefMarker(archive->writer, 0, type + 1, type == 2 ? "yellow alarm" : "a marker", type);
}

void archive_write_definitions(Archive *archive)
{
    OTF_Writer_writeOtfVersion(archive->writer, 0);
    OTF_Writer_writeDefCreator(archive->writer, 0, "tests");
    OTF_Writer_writeDefinitionComment(archive->writer, 0, "made by a test");
    OTF_Writer_writeDefTimerResolution(archive->writer, 0, 1000000000);
    OTF_Writer_writeDefTimeRange(archive->writer, 0, 1000, 900000, NULL);
    OTF_Writer_writeDefAuxSamplePoint(archive->writer, 0, 5000, OTF_AUX_SAMPLE_POINT_SUMMARY, NULL);
    write_processes(archive);
    write_code(archive);
    write_counters(archive);
    write_operations(archive);
    write_keys(archive);
}
