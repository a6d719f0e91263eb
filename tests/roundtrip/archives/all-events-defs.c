/* Definitions of metrics, attributes, parameters and files, and the archive as a whole. */
#include "all-events.h"

static void define_metrics(Archive *archive)
{
    static const OTF2_Type types[N_METRIC_MEMBERS] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE};
    static const char *const units[N_METRIC_MEMBERS] = {"B", "", "W"};
    OTF2_MetricMemberRef members[N_METRIC_MEMBERS];

    for (uint32_t i = 0; i < N_METRIC_MEMBERS; i++) {
        g_autofree char *name = g_strdup_printf("metric %u", i);
        members[i] = METRIC_MEMBER_FIRST + i;
        DEFINE(MetricMember, members[i], archive_string(archive, name), archive_string(archive, "a metric"),
               OTF2_METRIC_TYPE_OTHER + i, i ? OTF2_METRIC_ABSOLUTE_POINT : OTF2_METRIC_ACCUMULATED_START, types[i],
               i % 2, 3 * (int64_t)i, archive_string(archive, units[i]));
    }
    DEFINE(MetricClass, METRIC_CLASS, N_METRIC_MEMBERS, members, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    DEFINE(MetricInstance, METRIC_INSTANCE, METRIC_CLASS, all_events_location(0, 0), OTF2_SCOPE_LOCATION_GROUP,
           GROUP_FIRST + 1);
    DEFINE(MetricClassRecorder, METRIC_CLASS, all_events_location(1, 1));
}

void define_values(Archive *archive)
{
    for (uint32_t type = 1; type <= N_ATTRIBUTE_TYPES; type++) {
        g_autofree char *name = g_strdup_printf("attribute %u", type);
        DEFINE(Attribute, ATTRIBUTE_FIRST + type, archive_string(archive, name),
               archive_string(archive, "an attribute"), type);
    }
    /* Attribute values of type ATTRIBUTE refer to attributes from the first one on. */
    DEFINE(Attribute, ATTRIBUTE_FIRST, archive_string(archive, "attribute 0"), archive_string(archive, ""),
           OTF2_TYPE_UINT8);
    for (uint32_t i = 0; i < N_OF_EACH; i++) {
        g_autofree char *name = g_strdup_printf("parameter %u", i);
        DEFINE(Parameter, PARAMETER_FIRST + i, archive_string(archive, name), i % 3);
    }
    define_metrics(archive);
}

void define_io(Archive *archive)
{
    static const OTF2_IoParadigmProperty property = OTF2_IO_PARADIGM_PROPERTY_VERSION;
    static const OTF2_Type type = OTF2_TYPE_STRING;
    OTF2_AttributeValue version = {.stringRef = archive_string(archive, "2.1")};
    OTF2_StringRef key = archive_string(archive, "file property");

    DEFINE(IoParadigm, 0, archive_string(archive, "POSIX"), archive_string(archive, "POSIX I/O"),
           OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL);
    DEFINE(IoParadigm, 1, archive_string(archive, "MPI-IO"), archive_string(archive, "MPI I/O"),
           OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 1, &property, &type, &version);
    for (uint32_t i = 0; i < N_OF_EACH; i++) {
        g_autofree char *path = g_strdup_printf("data/file %u", i);
        if (i % 4 == 3)
            DEFINE(IoDirectory, FILE_FIRST + i, archive_string(archive, path), i % 2);
        else
            DEFINE(IoRegularFile, FILE_FIRST + i, archive_string(archive, path), i % 2);
        DEFINE(IoFileProperty, FILE_FIRST + i, key, OTF2_TYPE_INT8, all_events_value(archive, OTF2_TYPE_INT8, i));
        DEFINE(IoHandle, HANDLE_FIRST + i, archive_string(archive, i ? path : ""), FILE_FIRST + i, i % N_IO_PARADIGMS,
               i % 4, COMM_FIRST + i, i ? HANDLE_FIRST : OTF2_UNDEFINED_IO_HANDLE);
    }
    DEFINE(IoPreCreatedHandleState, HANDLE_FIRST + 1, OTF2_IO_ACCESS_MODE_READ_WRITE,
           OTF2_IO_STATUS_FLAG_APPEND | OTF2_IO_STATUS_FLAG_SYNC);
}

static void emit_location(Archive *archive, uint64_t location)
{
    enum { N_ROUNDS = OTF2_PARADIGM_KOKKOS + 1 }; /* the largest enumeration */
    Emitter emitter = {
        .archive = archive,
        .writer = archive_events(archive, location),
        .attributes = OTF2_AttributeList_New(),
        .time = 1000000,
    };

    for (emitter.round = 0; emitter.round < N_ROUNDS; emitter.round++) {
        emit_mpi(&emitter);
        emit_threads(&emitter);
        emit_rma(&emitter);
        emit_io(&emitter);
        emit_values(&emitter);
    }
    WRITE(OTF2_AttributeList_Delete(emitter.attributes));
}

void write_all_events(const char *folder)
{
    Archive *archive = archive_new(folder, "all-events");

    for (unsigned i = 0; i < N_PROCESSES; i++) {
        for (unsigned t = 0; t < N_THREADS; t++)
            emit_location(archive, all_events_location(i, t));
    }
    /* Buffer flushes end after the last event's time, so the trace is a little longer. */
    archive_clock(archive, 1000000, 1000000, 100000);
    define_system(archive);
    define_program(archive);
    define_values(archive);
    define_io(archive);
    archive_close(archive);
}
