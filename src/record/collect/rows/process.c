#include "src/record/collect/rows/process.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "src/model/labels.h"
#include "src/model/process-properties.h"
#include "src/record/collect/rows/build-id.h"

enum {
    ARGUMENTS_MAX = 1024, /* bound of stored arguments */
    ARGUMENT_BYTES_MAX = 1 << 16,
    LABEL_PROCESS = 1,     /* index in xtf_process_types */
    LABEL_CPU_THREAD = 1,  /* index in xtf_location_types */
    LABEL_GROUP_OWNER = 1, /* LOCATION_GROUP in xtf_property_owners */
    LABEL_STRING = 11,     /* index in xtf_value_types */
};

/* Environment variables stored as properties, since they say how the program was run. docs/VOCABULARY.md lists them. */
static const char *const environment_names[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", NULL};
static const char *const environment_prefixes[] = {"SLURM_JOB_",   "SLURM_STEP_",  "SLURM_NTASKS",
                                                   "SLURM_NNODES", "SLURM_PROCID", "OMPI_COMM_WORLD_",
                                                   "PMI_RANK",     "PMI_SIZE",     NULL};

/* Reads a file of NUL-separated arguments, up to the bounds. The caller frees the list. */
static char **read_arguments(const char *path)
{
    g_autoptr(GPtrArray) arguments = g_ptr_array_new();
    g_autofree char *text = NULL;
    size_t size = 0;

    if (g_file_get_contents(path, &text, &size, NULL)) {
        for (size_t at = 0; at < MIN(size, ARGUMENT_BYTES_MAX) && arguments->len < ARGUMENTS_MAX;
             at += strlen(text + at) + 1)
            g_ptr_array_add(arguments, g_strndup(text + at, ARGUMENT_BYTES_MAX - at));
        if (size > ARGUMENT_BYTES_MAX || arguments->len == ARGUMENTS_MAX)
            g_ptr_array_add(arguments, g_strdup("..."));
    }
    g_ptr_array_add(arguments, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&arguments), FALSE);
}

static bool has_cpu(const uint8_t *cpus, unsigned cpu)
{
    return cpu < XTF_WIRE_CPUS && cpus[cpu / 8] >> cpu % 8 & 1;
}

/* Notes on which CPUs the process may run, as the kernel's tools list them: "0-3,8". */
static void list_cpus(XtfCollectProgram *program, const uint8_t *cpus)
{
    GString *list = g_string_new(NULL);

    for (unsigned first = 0; first < XTF_WIRE_CPUS; first++) {
        if (!has_cpu(cpus, first))
            continue;
        unsigned last = first;
        while (has_cpu(cpus, last + 1))
            last++;
        g_string_append_printf(list, "%s%u", list->len > 0 ? "," : "", first);
        if (last > first)
            g_string_append_printf(list, "-%u", last);
        program->n_cpus += last - first + 1;
        first = last;
    }
    program->affinity = g_string_free(list, FALSE);
}

void xtf_collect_program_init(XtfCollectProgram *program, const XtfWireProcess *process)
{
    int32_t pid = process->pid;
    g_autofree char *exe = g_strdup_printf("/proc/%" PRId32 "/exe", pid);
    g_autofree char *cmdline = g_strdup_printf("/proc/%" PRId32 "/cmdline", pid);
    char host[HOST_NAME_MAX + 1] = "";

    gethostname(host, sizeof host - 1);
    *program = (XtfCollectProgram){.host = g_strdup(host),
                                   .executable = g_file_read_link(exe, NULL),
                                   .build_id = xtf_collect_build_id(exe),
                                   .arguments = read_arguments(cmdline)};
    if (!program->executable)
        program->executable = g_strdup("");
    long node_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    program->node_cpus = node_cpus > 0 ? (uint32_t)node_cpus : 0;
    list_cpus(program, process->cpus);
}

void xtf_collect_program_finish(XtfCollectProgram *program)
{
    g_free(program->host);
    g_free(program->executable);
    g_free(program->build_id);
    g_free(program->affinity);
    g_strfreev(program->arguments);
    *program = (XtfCollectProgram){0};
}

static void add_tree_node(XtfCollectTables *tables, uint32_t id, uint32_t parent, const char *class, const char *name)
{
    XtfSystemTreeRow row = {.id = id,
                            .parent = parent,
                            .class_name = xtf_collect_string(tables, class),
                            .name = xtf_collect_string(tables, name)};

    xtf_collect_add_row(tables, XTF_MODEL_SYSTEM_TREE, &row);
}

static void add_process_property(XtfCollectTables *tables, const char *name, const char *value)
{
    if (!value || !value[0])
        return;
    XtfPropertyRow row = {.name = xtf_collect_string(tables, name), .value = xtf_collect_string(tables, value)};
    xtf_collect_add_row(tables, XTF_MODEL_PROPERTIES, &row);
}

/* Adds the group of MPI_COMM_WORLD's locations. Only rank 0 does so, for all processes. */
static void add_world(XtfCollector *collector)
{
    g_autofree XtfMemberRow *members = g_new(XtfMemberRow, collector->world_size);
    XtfGroupRow group = {.id = 0,
                         .type = XTF_GROUP_TYPE_COMM_LOCATIONS,
                         .paradigm = XTF_COLLECT_PARADIGM_MPI,
                         .name = xtf_collect_string(&collector->tables, "")};

    for (uint32_t rank = 0; rank < collector->world_size; rank++)
        members[rank] = (XtfMemberRow){.member = (uint64_t)rank << 32, .proc = rank};
    uint32_t row = xtf_collect_add_row(&collector->tables, XTF_MODEL_GROUPS, &group);
    xtf_collect_set_list(&collector->tables, XTF_MODEL_GROUPS, row, XTF_MODEL_MEMBERS, members, collector->world_size);
}

static void add_environment(XtfCollector *collector)
{
    g_auto(GStrv) variables = g_listenv();

    for (char **variable = variables; *variable; variable++) {
        bool kept = g_strv_contains(environment_names, *variable);
        for (const char *const *prefix = environment_prefixes; *prefix && !kept; prefix++)
            kept = g_str_has_prefix(*variable, *prefix);
        g_autofree char *name = g_strconcat("environment.", *variable, NULL);
        if (kept)
            xtf_collect_set_property(collector, name, g_getenv(*variable));
    }
}

void xtf_collect_add_program(XtfCollector *collector, const XtfCollectProgram *program)
{
    g_autofree char *command = g_strjoinv(" ", program->arguments);

    xtf_collect_set_property(collector, XTF_RECORD_HOST, program->host);
    xtf_collect_set_number(collector, "record.pid", collector->pid);
    xtf_collect_set_number(collector, XTF_RECORD_WORLD_SIZE, collector->world_size);
    xtf_collect_set_property(collector, "record.executable", program->executable);
    xtf_collect_set_property(collector, "record.build_id", program->build_id);
    xtf_collect_set_property(collector, "record.command", command);
    xtf_collect_set_property(collector, XTF_RECORD_AFFINITY, program->affinity);
    if (program->n_cpus > 0)
        xtf_collect_set_number(collector, "record.cpus", program->n_cpus);
    if (program->node_cpus > 0)
        xtf_collect_set_number(collector, "record.node_cpus", program->node_cpus);
    add_environment(collector);
}

void xtf_collect_process_begin(XtfCollector *collector, const XtfCollectProgram *program)
{
    XtfCollectTables *tables = &collector->tables;
    g_autofree char *name =
        g_strdup_printf("%s %" PRIu32, collector->world_size > 0 ? "Rank" : "Process", collector->rank);
    XtfProcessRow process = {.proc = collector->rank,
                             .id = collector->rank,
                             .type = LABEL_PROCESS,
                             .system_tree_node = 1,
                             .creator = XTF_NONE32,
                             .name = xtf_collect_string(tables, name)};
    XtfParadigmRow mpi = {.paradigm = XTF_COLLECT_PARADIGM_MPI, .class = 0, .name = xtf_collect_string(tables, "MPI")};

    add_tree_node(tables, 0, XTF_NONE32, "machine", "machine");
    add_tree_node(tables, 1, 0, "node", program->host);
    xtf_collect_add_row(tables, XTF_MODEL_PROCESSES, &process);
    add_process_property(tables, "source", "xtf record");
    add_process_property(tables, "record.job", g_getenv("XTF_RECORD_JOB"));
    add_process_property(tables, "record.start", g_getenv("XTF_RECORD_START"));
    add_process_property(tables, "record.ranks", g_getenv("XTF_RECORD_RANKS"));
    add_process_property(tables, "record.from", g_getenv("XTF_RECORD_FROM"));
    add_process_property(tables, "record.for", g_getenv("XTF_RECORD_FOR"));
    add_process_property(tables, "record.clock",
                         collector->clock.source == XTF_WIRE_CLOCK_TSC ? "time stamp counter" : "CLOCK_MONOTONIC");
    xtf_collect_add_program(collector, program);
    collector->program = program;
    if (collector->world_size == 0)
        return;
    xtf_collect_add_row(tables, XTF_MODEL_PARADIGMS, &mpi);
    if (collector->rank == 0)
        add_world(collector);
}

bool xtf_collect_program_begin(XtfCollectRing *ring, uint64_t time)
{
    XtfCollector *collector = ring->collector;
    const XtfCollectProgram *program = collector->program;
    char **arguments = program ? program->arguments : NULL;
    uint32_t n = arguments ? g_strv_length(arguments) : 0;
    XtfProgramsRow row = {.region = XTF_NONE32,
                          .n_arguments = n > 0 ? n - 1 : 0,
                          .program = xtf_collect_string(&collector->tables, n > 0 ? arguments[0] : "")};

    if (!xtf_stream_append(&ring->stream, XTF_MODEL_PROGRAMS, XTF_LABEL_PROGRAM_BEGIN, time, &row))
        return false;
    for (uint32_t i = 1; i < n; i++) {
        XtfArgumentsRow argument = {
            .time = row.time, .seq = row.seq, .argument = xtf_collect_string(&collector->tables, arguments[i])};
        if (!xtf_stream_append_row(&ring->stream, XTF_MODEL_ARGUMENTS, &argument))
            return false;
    }
    return true;
}

bool xtf_collect_program_end(XtfCollectRing *ring, uint64_t time, int64_t exit_status)
{
    XtfProgramsRow row = {
        .region = xtf_stream_region(&ring->stream), .n_arguments = XTF_NONE32, .exit_status = exit_status};

    return xtf_collect_leave_off(ring, time) &&
           xtf_stream_append(&ring->stream, XTF_MODEL_PROGRAMS, XTF_LABEL_PROGRAM_END, time, &row);
}

void xtf_collect_set_property(XtfCollector *collector, const char *name, const char *value)
{
    XtfCollectTables *tables = &collector->tables;
    const unsigned tag = XTF_MODEL_DEFINITION_PROPERTIES;
    XtfDefinitionPropertyRow row = {.of = LABEL_GROUP_OWNER,
                                    .owner = 0,
                                    .type = LABEL_STRING,
                                    .value = xtf_collect_string(tables, value),
                                    .name = xtf_collect_string(tables, name)};

    for (uint32_t i = 0; i < xtf_collect_n_rows(tables, tag); i++) {
        const XtfDefinitionPropertyRow *old = xtf_collect_see_row(tables, tag, i);
        if (old->of != row.of || old->owner != row.owner || old->name != row.name)
            continue;
        if (old->value != row.value)
            memcpy(xtf_collect_change_row(tables, tag, i), &row, sizeof row);
        return;
    }
    if (value[0])
        xtf_collect_add_row(tables, tag, &row);
}

void xtf_collect_set_number(XtfCollector *collector, const char *name, uint64_t value)
{
    char text[24];

    g_snprintf(text, sizeof text, "%" PRIu64, value);
    xtf_collect_set_property(collector, name, text);
}

/* Replaces the rows of a table if they differ. */
static void set_table(XtfCollectTables *tables, unsigned tag, const void *rows, uint32_t n, uint32_t row_size)
{
    bool same = xtf_collect_n_rows(tables, tag) == n &&
                (n == 0 || memcmp(xtf_collect_see_row(tables, tag, 0), rows, (size_t)n * row_size) == 0);

    if (same)
        return;
    xtf_collect_clear_table(tables, tag);
    for (uint32_t i = 0; i < n; i++)
        xtf_collect_add_row(tables, tag, (const uint8_t *)rows + (size_t)i * row_size);
}

/* Returns a thread's name, which the program gave or which has its number. The caller frees it. */
static char *thread_name(const XtfCollectThread *thread)
{
    if (thread->is_mpis)
        return g_strdup_printf("MPI helper thread %" PRIu32, thread->number);
    if (thread->name)
        return g_strdup(thread->name);
    return thread->number == 0 ? g_strdup("Master thread") : g_strdup_printf("Thread %" PRIu32, thread->number);
}

static void update_locations(XtfCollector *collector)
{
    g_autofree XtfLocationRow *rows = g_new0(XtfLocationRow, collector->threads->len);
    uint32_t n = 0;

    for (guint i = 0; i < collector->threads->len; i++) {
        const XtfCollectThread *thread = &g_array_index(collector->threads, XtfCollectThread, i);
        if (thread->tid == 0) /* named, but without records */
            continue;
        g_autofree char *name = thread_name(thread);
        rows[n++] = (XtfLocationRow){.id = (uint64_t)collector->rank << 32 | thread->number,
                                     .proc = collector->rank,
                                     .thread = thread->number,
                                     .process = 0,
                                     .type = LABEL_CPU_THREAD,
                                     .n_events = thread->n_records,
                                     .name = xtf_collect_string(&collector->tables, name)};
    }
    set_table(&collector->tables, XTF_MODEL_LOCATIONS, rows, n, sizeof *rows);
}

static void update_tags(XtfCollector *collector, XtfCollectRing *const *rings, size_t n_rings)
{
    for (size_t i = 0; i < n_rings; i++)
        if (rings[i]->open)
            xtf_tags_add_all(&collector->tags, &rings[i]->stream.tags);
    g_autoptr(GArray) tags = xtf_tags_list(&collector->tags);
    set_table(&collector->tables, XTF_MODEL_TAGS, tags->data, tags->len, sizeof(XtfTagRow));
}

void xtf_collect_process_update(XtfCollector *collector, XtfCollectRing *const *rings, size_t n_rings)
{
    XtfCollectTables *tables = &collector->tables;

    update_locations(collector);
    update_tags(collector, rings, n_rings);
    for (guint i = xtf_collect_n_rows(tables, XTF_MODEL_REMARKS); i < collector->remarks->len; i++) {
        XtfRemarkRow row = {.kind = XTF_REMARK_WARNING,
                            .text = xtf_collect_string(tables, collector->remarks->pdata[i])};
        xtf_collect_add_row(tables, XTF_MODEL_REMARKS, &row);
    }
}
