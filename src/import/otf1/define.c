#include "src/import/otf1/define.h"

#include <inttypes.h>

#include "src/import/otf1/files.h"
#include "src/import/otf1/names.h"
#include "src/model/labels.h"

/* Numbers of labels in src/model/labels.c. */
enum { CPU_THREAD = 1, ACCELERATOR_STREAM };
enum { PROCESS = 1 };
enum { PARADIGM_UNKNOWN, PARADIGM_MPI = 4 };
enum { OF_LOCATION = 2, OF_IO_FILE = 4 };
enum { TYPE_UINT32 = 3, TYPE_UINT64 = 4, TYPE_STRING = 11, TYPE_LOCATION = 13, TYPE_SOURCE_CODE_LOCATION = 20 };

static uint32_t text_id(XtfOtf1Definitions *source, const char *text)
{
    return xtf_definitions_intern_string(&source->definitions, text);
}

static void add_row(XtfOtf1Definitions *source, unsigned table, const void *row)
{
    xtf_definitions_add_missing(&source->definitions, table, row);
}

/* ---- Processes. */

/* Defines the processes that only the master file names. */
static uint64_t add_undefined_processes(XtfOtf1Definitions *source, const GArray *entries)
{
    g_autoptr(GHashTable) defined = g_hash_table_new(NULL, NULL);
    uint64_t n = 0;

    for (guint i = 0; i < source->processes->len; i++)
        g_hash_table_add(defined, GUINT_TO_POINTER(g_array_index(source->processes, XtfOtf1Process, i).id));
    for (guint i = 0; i < entries->len; i++) {
        XtfOtf1Process process = {.id = g_array_index(entries, XtfOtf1Entry, i).process};
        if (!g_hash_table_add(defined, GUINT_TO_POINTER(process.id)))
            continue;
        g_autofree char *name = g_strdup_printf("(undefined process %" PRIu32 ")", process.id);
        process.name = text_id(source, name);
        g_array_append_val(source->processes, process);
        n++;
    }
    return n;
}

static void add_process_rows(XtfOtf1Definitions *source, const XtfOtf1Ranks *ranks)
{
    for (guint i = 0; i < source->processes->len; i++) {
        const XtfOtf1Process *process = &g_array_index(source->processes, XtfOtf1Process, i);
        const XtfProcessRow row = {.id = process->id,
                                   .type = PROCESS,
                                   .system_tree_node = XTF_NONE32,
                                   .creator = XTF_NONE32,
                                   .name = process->name};
        const XtfLocationRow location = {
            .id = process->id, .process = xtf_otf1_root(ranks, process->id), .type = CPU_THREAD, .name = process->name};
        if (location.process == process->id)
            add_row(source, XTF_MODEL_PROCESSES, &row);
        add_row(source, XTF_MODEL_LOCATIONS, &location);
    }
}

/* ---- Attributes of processes. */

static const char *attribute_name(OTF_ATTR_TYPE attribute)
{
    static const char *const names[] = {"UNKNOWN",
                                        "IsMPIRank",
                                        "IsPThread",
                                        "IsOMPThread",
                                        "IsCellSPUThread",
                                        "hasGroupCounters",
                                        "hasEnterLeaveRecords",
                                        "IsCommunicator",
                                        "IsCUDAThread",
                                        "IsMasterThread"};

    return (unsigned)attribute < G_N_ELEMENTS(names) ? names[attribute] : names[0];
}

static void add_attribute(XtfOtf1Definitions *source, uint32_t process, OTF_ATTR_TYPE attribute)
{
    const XtfDefinitionPropertyRow row = {.of = OF_LOCATION,
                                          .owner = process,
                                          .type = TYPE_STRING,
                                          .value = text_id(source, "yes"),
                                          .name = text_id(source, attribute_name(attribute))};

    xtf_definitions_add_part(&source->definitions, XTF_MODEL_DEFINITION_PROPERTIES, &row);
}

/* Adds the attributes of processes. Groups have only one, by which they are communicators. */
static void add_attributes(XtfOtf1Definitions *source)
{
    g_autoptr(GHashTable) rows = g_hash_table_new(NULL, NULL);

    for (uint64_t i = 0; i < xtf_definitions_n_rows(&source->definitions, XTF_MODEL_LOCATIONS); i++) {
        const XtfLocationRow *row = xtf_definitions_at(&source->definitions, XTF_MODEL_LOCATIONS, i);
        g_hash_table_insert(rows, GSIZE_TO_POINTER(row->id), GSIZE_TO_POINTER(i + 1));
    }
    for (guint i = 0; i < source->attributed->len; i++) {
        const XtfOtf1Attributed *attributed = &g_array_index(source->attributed, XtfOtf1Attributed, i);
        const GArray *list = g_hash_table_lookup(source->attribute_lists, GUINT_TO_POINTER(attributed->list));
        gsize row = GPOINTER_TO_SIZE(g_hash_table_lookup(rows, GUINT_TO_POINTER(attributed->of)));
        for (guint j = 0; row > 0 && list && j < list->len; j++) {
            OTF_ATTR_TYPE attribute = g_array_index(list, OTF_ATTR_TYPE, j);
            XtfLocationRow *location = xtf_definitions_at(&source->definitions, XTF_MODEL_LOCATIONS, row - 1);
            if (attribute == OTF_ATTR_IsCUDAThread || attribute == OTF_ATTR_IsCellSPUThread)
                location->type = ACCELERATOR_STREAM;
            add_attribute(source, attributed->of, attribute);
        }
    }
}

/* ---- Groups. */

static void add_communicator(XtfOtf1Definitions *source, uint32_t id, uint32_t group, uint32_t name)
{
    const XtfCommunicatorRow comm = {
        .id = id, .group = group, .remote_group = XTF_NONE32, .parent = XTF_NONE32, .name = name};
    const XtfRmaWindowRow window = {.id = id, .comm = id, .name = name};

    add_row(source, XTF_MODEL_COMMUNICATORS, &comm);
    add_row(source, XTF_MODEL_RMA_WINDOWS, &window);
}

static void add_group(XtfOtf1Definitions *source, XtfGroupRow *row, const XtfMemberRow *members, uint32_t n)
{
    xtf_definitions_add_list(&source->definitions, XTF_MODEL_GROUPS, row, XTF_MODEL_MEMBERS, members, n);
}

/* Adds the group of all processes, by which other groups number their members. */
static void add_all_processes(XtfOtf1Definitions *source, const XtfOtf1Ranks *ranks)
{
    uint32_t name = text_id(source, "(all processes)");
    XtfGroupRow row = {
        .id = XTF_OTF1_ALL, .type = XTF_GROUP_TYPE_COMM_LOCATIONS, .paradigm = PARADIGM_MPI, .name = name};
    g_autofree XtfMemberRow *members = g_new(XtfMemberRow, ranks->all->len + 1);

    for (guint i = 0; i < ranks->all->len; i++)
        members[i] = (XtfMemberRow){.member = g_array_index(ranks->all, uint32_t, i), .proc = XTF_NONE32};
    add_group(source, &row, members, ranks->all->len);
    add_communicator(source, XTF_OTF1_ALL, XTF_OTF1_ALL, name);
}

/* Adds a group of processes, and a communicator. Its members are ranks among all processes. If some members are
 * threads, all its members are locations. */
static void add_process_group(XtfOtf1Definitions *source, const XtfOtf1Ranks *ranks, const XtfOtf1Group *group)
{
    XtfGroupRow row = {
        .id = group->id, .type = XTF_GROUP_TYPE_COMM_GROUP, .paradigm = PARADIGM_MPI, .name = group->name};
    g_autofree XtfMemberRow *members = g_new(XtfMemberRow, (gsize)group->n + 1);

    for (uint32_t i = 0; i < group->n; i++) {
        bool is_thread = xtf_otf1_root(ranks, group->members[i]) != group->members[i];
        uint32_t rank = is_thread ? XTF_NONE32 : xtf_otf1_rank(ranks, XTF_OTF1_ALL, group->members[i]);
        members[i] = (XtfMemberRow){.member = rank, .proc = XTF_NONE32};
        if (rank == XTF_NONE32)
            row.type = XTF_GROUP_TYPE_LOCATIONS;
    }
    for (uint32_t i = 0; row.type == XTF_GROUP_TYPE_LOCATIONS && i < group->n; i++)
        members[i].member = group->members[i];
    if (row.type == XTF_GROUP_TYPE_LOCATIONS)
        row.paradigm = PARADIGM_UNKNOWN;
    add_group(source, &row, members, group->n);
    add_communicator(source, group->id, group->id, group->name);
}

/* ---- Code. */

/* Adds the places in the source. Returns their rows: id -> row + 1. */
static GHashTable *add_sources(XtfOtf1Definitions *source)
{
    GHashTable *rows = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < source->sources->len; i++) {
        const XtfOtf1Source *place = &g_array_index(source->sources, XtfOtf1Source, i);
        const XtfSourceLocationRow row = {
            .id = place->id,
            .line = place->line,
            .file = text_id(source, xtf_otf1_name(source, XTF_OTF1_SOURCE_FILE, place->file))};
        add_row(source, XTF_MODEL_SOURCE_LOCATIONS, &row);
        if (!g_hash_table_contains(rows, GUINT_TO_POINTER(place->id)))
            g_hash_table_insert(rows, GUINT_TO_POINTER(place->id), GSIZE_TO_POINTER((gsize)i + 1));
    }
    return rows;
}

static void add_functions(XtfOtf1Definitions *source)
{
    g_autoptr(GHashTable) places = add_sources(source);

    for (guint i = 0; i < source->functions->len; i++) {
        const XtfOtf1Function *function = &g_array_index(source->functions, XtfOtf1Function, i);
        const char *group = xtf_otf1_name(source, XTF_OTF1_FUNCTION_GROUP, function->group);
        gsize place = GPOINTER_TO_SIZE(g_hash_table_lookup(places, GUINT_TO_POINTER(function->source)));
        const XtfOtf1Source *at = place > 0 ? &g_array_index(source->sources, XtfOtf1Source, place - 1) : NULL;
        const char *file = at ? xtf_otf1_name(source, XTF_OTF1_SOURCE_FILE, at->file) : "";
        const XtfRegionDefinitionRow row = {.id = function->id,
                                            .region = function->id,
                                            .line = at ? at->line : 0,
                                            .paradigm = xtf_otf1_paradigm(group),
                                            .canonical = function->name,
                                            .description = text_id(source, group),
                                            .file = text_id(source, file),
                                            .name = function->name};
        add_row(source, XTF_MODEL_REGION_DEFINITIONS, &row);
    }
}

/* Maps the archive's collective operations to the model's. */
static void add_collectives(XtfOtf1Definitions *source)
{
    for (guint i = 0; i < source->collectives->len; i++) {
        const XtfOtf1Collective *collective = &g_array_index(source->collectives, XtfOtf1Collective, i);
        bool by_name = xtf_otf1_collective(collective->text, OTF_COLLECTIVE_TYPE_UNKNOWN) != UINT8_MAX;
        uint8_t operation = xtf_otf1_collective(collective->text, collective->type);
        source->n_guessed += !by_name;
        if (!g_hash_table_contains(source->collective_operations, GUINT_TO_POINTER(collective->id)))
            g_hash_table_insert(source->collective_operations, GUINT_TO_POINTER(collective->id),
                                GUINT_TO_POINTER(operation + 1u));
    }
}

/* ---- Counters: a metric, and a class of this metric alone. */

static void add_counter(XtfOtf1Definitions *source, const XtfOtf1Counter *counter)
{
    const XtfMetricRow metric = {.id = counter->id,
                                 .mode = xtf_otf1_metric_mode(counter->properties),
                                 .value_type = xtf_otf1_value_type(counter->properties),
                                 .unit = counter->unit,
                                 .description =
                                     text_id(source, xtf_otf1_name(source, XTF_OTF1_COUNTER_GROUP, counter->group)),
                                 .name = counter->name};
    XtfMetricClassRow class = {.id = counter->id,
                               .class = XTF_NONE32,
                               .recorder = XTF_NONE64,
                               .scope_kind = UINT8_MAX,
                               .scope = XTF_NONE64,
                               .occurrence = UINT8_MAX,
                               .recorder_kind = UINT8_MAX};
    const XtfMetricClassMemberRow member = {.metric = counter->id};

    add_row(source, XTF_MODEL_METRICS, &metric);
    xtf_definitions_add_list(&source->definitions, XTF_MODEL_METRIC_CLASSES, &class, XTF_MODEL_METRIC_CLASS_MEMBERS,
                             &member, 1);
}

/* Adds the processes to which a counter is assigned. Groups are resolved to their members. */
static void add_assignment(XtfOtf1Definitions *source, const XtfOtf1Ranks *ranks, const XtfOtf1Group *assignment)
{
    for (uint32_t i = 0; i < assignment->n; i++) {
        uint32_t id = assignment->members[i];
        const XtfMetricClassRecorderRow row = {.class = assignment->id, .recorder = id};
        if (g_hash_table_contains(ranks->roots, GUINT_TO_POINTER(id)))
            add_row(source, XTF_MODEL_METRIC_CLASS_RECORDERS, &row);
        for (guint j = 0; j < source->groups->len; j++) {
            const XtfOtf1Group *group = &g_array_index(source->groups, XtfOtf1Group, j);
            for (uint32_t k = 0; group->id == id && k < group->n; k++) {
                const XtfMetricClassRecorderRow member = {.class = assignment->id, .recorder = group->members[k]};
                add_row(source, XTF_MODEL_METRIC_CLASS_RECORDERS, &member);
            }
        }
    }
}

/* ---- Files, and fields that become attributes. */

static void add_file_groups(XtfOtf1Definitions *source)
{
    for (guint i = 0; i < source->files->len; i++) {
        const XtfOtf1File *file = &g_array_index(source->files, XtfOtf1File, i);
        const char *group = xtf_otf1_name(source, XTF_OTF1_FILE_GROUP, file->group);
        const XtfDefinitionPropertyRow row = {.of = OF_IO_FILE,
                                              .owner = file->id,
                                              .type = TYPE_STRING,
                                              .value = text_id(source, group),
                                              .name = text_id(source, "group")};
        if (*group)
            xtf_definitions_add_part(&source->definitions, XTF_MODEL_DEFINITION_PROPERTIES, &row);
    }
    if (source->files->len > 0) {
        const XtfIoParadigmRow paradigm = {.identification = text_id(source, "OTF1"), .name = text_id(source, "I/O")};
        add_row(source, XTF_MODEL_IO_PARADIGMS, &paradigm);
    }
}

static void add_fields(XtfOtf1Definitions *source)
{
    static const struct {
        const char *name, *description;
        uint8_t type;
    } fields[XTF_OTF1_N_FIELDS] = {
        [XTF_OTF1_SOURCE] = {"source", "place in the source", TYPE_SOURCE_CODE_LOCATION},
        [XTF_OTF1_HANDLE] = {"handle", "handle of an open file", TYPE_UINT64},
        [XTF_OTF1_DURATION] = {"duration", "of an operation, in ticks", TYPE_UINT64},
        [XTF_OTF1_FLAGS] = {"flags", "of an operation on a file (OTF_IOFLAG_...)", TYPE_UINT32},
        [XTF_OTF1_MARKER_KIND] = {"kind", "name and type of a marker", TYPE_STRING},
        [XTF_OTF1_ORIGIN] = {"origin", "process whose memory is transferred", TYPE_LOCATION},
    };

    for (unsigned i = 0; i < XTF_OTF1_N_FIELDS; i++) {
        const XtfAttributeDefinitionRow row = {.id = xtf_otf1_field_id(i),
                                               .type = fields[i].type,
                                               .description = text_id(source, fields[i].description),
                                               .name = text_id(source, fields[i].name)};
        add_row(source, XTF_MODEL_ATTRIBUTE_DEFINITIONS, &row);
    }
}

uint64_t xtf_otf1_define(XtfOtf1Definitions *source, XtfOtf1Ranks *ranks, const GArray *entries)
{
    uint64_t n_undefined = add_undefined_processes(source, entries);

    xtf_otf1_ranks_init(ranks, source);
    add_process_rows(source, ranks);
    add_attributes(source);
    add_all_processes(source, ranks);
    for (guint i = 0; i < source->groups->len; i++)
        if (g_array_index(source->groups, XtfOtf1Group, i).id != XTF_OTF1_ALL)
            add_process_group(source, ranks, &g_array_index(source->groups, XtfOtf1Group, i));
    add_functions(source);
    add_collectives(source);
    for (guint i = 0; i < source->counters->len; i++)
        add_counter(source, &g_array_index(source->counters, XtfOtf1Counter, i));
    for (guint i = 0; i < source->assignments->len; i++)
        add_assignment(source, ranks, &g_array_index(source->assignments, XtfOtf1Group, i));
    add_file_groups(source);
    add_fields(source);
    /* The rows are no definitions of the archive one by one, so it has no order of them to keep. */
    g_array_set_size(source->definitions.order.definitions, 0);
    source->definitions.count = source->count;
    return n_undefined;
}
