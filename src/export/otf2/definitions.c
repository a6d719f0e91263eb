/*
 * Writes OTF2's global definitions. Each kind has a function that writes one row of its table.
 */
#include <string.h>

#include "libxtf/trace.h"
#include "src/export/otf2/definitions.h"
#include "src/import/otf2/errors.h"
#include "src/model/labels.h"

/* The id of the row, or of the text, that a field refers to. */
#define REF(field, TAG) xtf_otf2_reference(d, #field, XTF_MODEL_##TAG, row->field)
#define TEXT(field)     xtf_otf2_words(d, #field, row->field)
#define ID(TAG)         xtf_otf2_id(&d->export->names, XTF_MODEL_##TAG, i)
#define W               d->writer
/* Writes a definition unless there was an error. The writer computes its arguments before, since new texts must be
 * defined first. */
#define PUT(call) (d->error ? OTF2_SUCCESS : (call))

#define DEFINE(name, Type)                                                                      \
    static OTF2_ErrorCode name##_row(XtfOtf2Definer *d, const Xtf##Type##Row *row, uint64_t i); \
    static OTF2_ErrorCode name(XtfOtf2Definer *d, const void *row, uint64_t i)                  \
    {                                                                                           \
        return name##_row(d, row, i);                                                           \
    }                                                                                           \
    static OTF2_ErrorCode name##_row(XtfOtf2Definer *d, const Xtf##Type##Row *row, uint64_t i)

DEFINE(write_string, StringDefinition)
{
    const char *text;

    if (!xtf_trace_string(d->export->names.trace, row->text, &text, &d->error))
        return OTF2_SUCCESS;
    return OTF2_GlobalDefWriter_WriteString(W, row->id, text);
}

DEFINE(write_attribute, AttributeDefinition)
{
    uint32_t name = TEXT(name), description = TEXT(description);
    return PUT(OTF2_GlobalDefWriter_WriteAttribute(W, ID(ATTRIBUTE_DEFINITIONS), name, description, row->type));
}

/* Machines, processes and threads */

DEFINE(write_system_tree_node, SystemTree)
{
    uint32_t name = TEXT(name), class = TEXT(class_name), parent = REF(parent, SYSTEM_TREE);
    return PUT(OTF2_GlobalDefWriter_WriteSystemTreeNode(W, ID(SYSTEM_TREE), name, class, parent));
}

DEFINE(write_domain, SystemTreeDomain)
{
    return OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(W, REF(node, SYSTEM_TREE), row->domain);
}

DEFINE(write_process, Process)
{
    uint32_t name = TEXT(name), node = REF(system_tree_node, SYSTEM_TREE), creator = REF(creator, PROCESSES);
    return PUT(OTF2_GlobalDefWriter_WriteLocationGroup(W, ID(PROCESSES), name, row->type, node, creator));
}

DEFINE(write_location, Location)
{
    const uint64_t id = row->id, *n = g_hash_table_lookup(d->export->n_events, &id);
    const bool as_source = d->export->whole && d->export->names.ordered && !d->export->job->for_scalasca;
    uint64_t n_events = as_source ? row->n_events : n ? *n : 0;
    uint32_t name = TEXT(name), process = REF(process, PROCESSES);
    return PUT(OTF2_GlobalDefWriter_WriteLocation(W, id, name, row->type, n_events, process));
}

DEFINE(write_paradigm, Paradigm)
{
    uint32_t name = TEXT(name);
    return PUT(OTF2_GlobalDefWriter_WriteParadigm(W, row->paradigm, name, row->class));
}

/* Code */

DEFINE(write_region, RegionDefinition)
{
    uint32_t name = TEXT(name), canonical = TEXT(canonical), description = TEXT(description), file = TEXT(file);
    return PUT(OTF2_GlobalDefWriter_WriteRegion(W, ID(REGION_DEFINITIONS), name, canonical, description, row->role,
                                                row->paradigm, row->flags, file, row->line, row->end_line));
}

DEFINE(write_callsite, Callsite)
{
    uint32_t file = TEXT(file), entered = REF(entered_region, REGIONS), left = REF(left_region, REGIONS);
    return PUT(OTF2_GlobalDefWriter_WriteCallsite(W, ID(CALLSITES), file, row->line, entered, left));
}

DEFINE(write_callpath, Callpath)
{
    return OTF2_GlobalDefWriter_WriteCallpath(W, ID(CALLPATHS), REF(parent, CALLPATHS), REF(region, REGIONS));
}

DEFINE(write_callpath_parameter, CallpathParameter)
{
    OTF2_AttributeValue value = xtf_otf2_definition_value(d, row->type, row->value);
    return PUT(OTF2_GlobalDefWriter_WriteCallpathParameter(W, REF(callpath, CALLPATHS),
                                                           REF(parameter, PARAMETER_DEFINITIONS), row->type, value));
}

DEFINE(write_source_location, SourceLocation)
{
    uint32_t file = TEXT(file);
    return PUT(OTF2_GlobalDefWriter_WriteSourceCodeLocation(W, ID(SOURCE_LOCATIONS), file, row->line));
}

DEFINE(write_calling_context, CallingContext)
{
    return OTF2_GlobalDefWriter_WriteCallingContext(W, ID(CALLING_CONTEXTS), REF(region, REGIONS),
                                                    REF(source_location, SOURCE_LOCATIONS),
                                                    REF(parent, CALLING_CONTEXTS));
}

DEFINE(write_interrupt_generator, InterruptGenerator)
{
    uint32_t name = TEXT(name);
    return PUT(OTF2_GlobalDefWriter_WriteInterruptGenerator(W, ID(INTERRUPT_GENERATORS), name, row->mode, row->base,
                                                            row->exponent, row->period));
}

DEFINE(write_parameter, ParameterDefinition)
{
    uint32_t name = TEXT(name);
    return PUT(OTF2_GlobalDefWriter_WriteParameter(W, ID(PARAMETER_DEFINITIONS), name, row->type));
}

/* Groups and communicators */

enum { RANKS_MAX = 1 << 24 };

/* Returns the number of ranks in the groups of type COMM_GROUP: the greatest rank plus 1. */
static uint64_t count_group_ranks(const XtfModelTable *groups, const XtfModelTable *members)
{
    uint8_t buffer[XTF_ROW_MAX], member_buffer[XTF_ROW_MAX];
    uint64_t n = 0;

    for (uint64_t i = 0; i < groups->n; i++) {
        const XtfGroupRow *group = xtf_model_table_row(groups, i, buffer);
        for (uint64_t j = 0;
             group->type == XTF_GROUP_TYPE_COMM_GROUP && j < group->count && group->first + j < members->n; j++) {
            const XtfMemberRow *row = xtf_model_table_row(members, group->first + j, member_buffer);
            if (row->member < RANKS_MAX)
                n = MAX(n, row->member + 1);
        }
    }
    return n;
}

/* Extends a list of locations by rank to n ranks. A rank whose part is missing has an undefined location. Returns the
 * list, which may have moved. */
static uint64_t *extend_to_ranks(const XtfOtf2Definer *d, uint64_t *list, uint64_t *count, uint64_t n)
{
    const XtfModelTable *locations = &d->export->names.tables[XTF_MODEL_LOCATIONS].table;
    const uint64_t first = *count;
    uint8_t buffer[XTF_ROW_MAX];

    if (n <= first)
        return list;
    list = g_renew(uint64_t, list, n);
    while (*count < n)
        list[(*count)++] = OTF2_UNDEFINED_LOCATION;
    for (uint64_t i = 0; i < locations->n; i++) {
        const XtfLocationRow *row = xtf_model_table_row(locations, i, buffer);
        if (row->thread == 0 && row->proc >= first && row->proc < n)
            list[row->proc] = row->id;
    }
    return list;
}

/* Adds the ranks of spawned processes. In a recorded job, the group of type COMM_LOCATIONS lists only the first world,
 * and spawned processes have the ranks after it. */
static uint64_t *add_spawned_ranks(const XtfOtf2Definer *d, uint64_t *list, uint64_t *count)
{
    const XtfOtf2Table *tables = d->export->names.tables;

    return extend_to_ranks(d, list, count,
                           count_group_ranks(&tables[XTF_MODEL_GROUPS].table, &tables[XTF_MODEL_MEMBERS].table));
}

DEFINE(write_group, Group)
{
    const XtfModelTable *members = &d->export->names.tables[XTF_MODEL_MEMBERS].table;
    uint64_t first = row->first, count = row->count;
    uint32_t name = TEXT(name);
    uint8_t buffer[XTF_ROW_MAX];

    if (count > UINT32_MAX || !xtf_otf2_has_list(d, members, first, count))
        return OTF2_SUCCESS;
    g_autofree uint64_t *list = g_new(uint64_t, count + 1);
    for (uint64_t j = 0; j < count; j++)
        list[j] = ((const XtfMemberRow *)xtf_model_table_row(members, first + j, buffer))->member;
    if (row->type == XTF_GROUP_TYPE_COMM_LOCATIONS && !d->export->names.ordered)
        list = add_spawned_ranks(d, g_steal_pointer(&list), &count);
    return PUT(OTF2_GlobalDefWriter_WriteGroup(W, ID(GROUPS), name, row->type, row->paradigm, row->flags,
                                               (uint32_t)count, list));
}

/* Returns how many ranks the locations have. */
static uint64_t count_processes(const XtfModelTable *locations)
{
    uint8_t buffer[XTF_ROW_MAX];
    uint64_t n = 0;

    for (uint64_t i = 0; i < locations->n; i++) {
        const XtfLocationRow *row = xtf_model_table_row(locations, i, buffer);
        if (row->thread == 0 && row->proc < RANKS_MAX)
            n = MAX(n, (uint64_t)row->proc + 1);
    }
    return n;
}

bool xtf_otf2_define_world(XtfOtf2Definer *d, GError **error)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint64_t count = 0;

    if (!d->export->names.lacks_world)
        return true;
    g_autofree uint64_t *list =
        extend_to_ranks(d, NULL, &count, count_processes(&d->export->names.tables[XTF_MODEL_LOCATIONS].table));
    uint32_t name = xtf_otf2_define_own(d, "", &code);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteGroup(W, 0, name, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                               OTF2_GROUP_FLAG_NONE, (uint32_t)count, list);
    return xtf_otf2_done(d, code, "the group of all processes", error);
}

/* Returns the id of the group of type COMM_SELF, for communicators of one process. They have no group in the trace, but
 * need one in OTF2. Imported archives name their groups themselves; other traces have one group of this type. */
static uint32_t find_self_group(XtfOtf2Definer *d)
{
    const XtfModelTable *groups = &d->export->names.tables[XTF_MODEL_GROUPS].table;
    uint8_t buffer[XTF_ROW_MAX];

    for (uint64_t i = 0; i < groups->n; i++)
        if (((const XtfGroupRow *)xtf_model_table_row(groups, i, buffer))->type == XTF_GROUP_TYPE_COMM_SELF)
            return xtf_otf2_id(&d->export->names, XTF_MODEL_GROUPS, i);
    return OTF2_UNDEFINED_GROUP;
}

DEFINE(write_communicator, Communicator)
{
    uint32_t name = TEXT(name), group = REF(group, GROUPS), remote = REF(remote_group, GROUPS),
             parent = REF(parent, COMMUNICATORS);

    if (group == OTF2_UNDEFINED_GROUP && d->export->names.tables[XTF_MODEL_DEFINITION_REFERENCES].table.n == 0)
        group = find_self_group(d);
    if (remote != OTF2_UNDEFINED_GROUP)
        return PUT(OTF2_GlobalDefWriter_WriteInterComm(W, ID(COMMUNICATORS), name, group, remote, parent, row->flags));
    return PUT(OTF2_GlobalDefWriter_WriteComm(W, ID(COMMUNICATORS), name, group, parent, row->flags));
}

DEFINE(write_window, RmaWindow)
{
    uint32_t name = TEXT(name);
    return PUT(OTF2_GlobalDefWriter_WriteRmaWin(W, ID(RMA_WINDOWS), name, REF(comm, COMMUNICATORS), row->flags));
}

DEFINE(write_dimension, CartDimension)
{
    uint32_t name = TEXT(name);
    return PUT(OTF2_GlobalDefWriter_WriteCartDimension(W, ID(CART_DIMENSIONS), name, row->size, row->periodic));
}

DEFINE(write_topology, CartTopology)
{
    const XtfModelTable *parts = &d->export->names.tables[XTF_MODEL_CART_TOPOLOGY_DIMENSIONS].table;
    uint64_t first = row->first, count = row->count;
    uint32_t name = TEXT(name), dimensions[UINT8_MAX];
    uint8_t buffer[XTF_ROW_MAX];

    if (!xtf_otf2_has_short_list(d, parts, first, count))
        return OTF2_SUCCESS;
    for (uint64_t j = 0; j < count; j++) {
        const XtfCartTopologyDimensionRow *part = xtf_model_table_row(parts, first + j, buffer);
        dimensions[j] = xtf_otf2_id(&d->export->names, XTF_MODEL_CART_DIMENSIONS, part->dimension);
    }
    return PUT(OTF2_GlobalDefWriter_WriteCartTopology(W, ID(CART_TOPOLOGIES), name, REF(comm, COMMUNICATORS),
                                                      (uint8_t)count, dimensions));
}

/* Writes the coordinates of a rank, which are consecutive rows. Their axes count from 0. */
DEFINE(write_coordinate, CartCoordinate)
{
    const XtfModelTable *table = &d->export->names.tables[XTF_MODEL_CART_COORDINATES].table;
    const uint32_t topology = row->topology, rank = row->rank;
    uint32_t coordinates[UINT8_MAX], id = REF(topology, CART_TOPOLOGIES);
    uint8_t buffer[XTF_ROW_MAX];
    unsigned n = 0;

    if (row->axis != 0)
        return OTF2_SUCCESS; /* written with axis 0 */
    for (uint64_t j = i; j < table->n && n < UINT8_MAX; j++) {
        const XtfCartCoordinateRow *coordinate = xtf_model_table_row(table, j, buffer);
        if (coordinate->topology != topology || coordinate->rank != rank || coordinate->axis != n)
            break;
        coordinates[n++] = coordinate->coordinate;
    }
    return PUT(OTF2_GlobalDefWriter_WriteCartCoordinate(W, id, rank, (uint8_t)n, coordinates));
}

/* Metrics */

DEFINE(write_metric, Metric)
{
    uint32_t name = TEXT(name), description = TEXT(description), unit = TEXT(unit);
    return PUT(OTF2_GlobalDefWriter_WriteMetricMember(W, ID(METRICS), name, description, row->type, row->mode,
                                                      row->value_type, row->base, row->exponent, unit));
}

DEFINE(write_metric_class, MetricClass)
{
    const XtfModelTable *parts = &d->export->names.tables[XTF_MODEL_METRIC_CLASS_MEMBERS].table;
    uint64_t first = row->first, count = row->count;
    uint32_t members[UINT8_MAX];
    uint8_t buffer[XTF_ROW_MAX];
    enum { INSTANCE = 1 }; /* index in xtf_metric_class_kinds */

    if (row->kind == INSTANCE)
        return OTF2_GlobalDefWriter_WriteMetricInstance(W, ID(METRIC_CLASSES), REF(class, METRIC_CLASSES),
                                                        row->recorder, row->scope_kind, row->scope);
    if (!xtf_otf2_has_short_list(d, parts, first, count))
        return OTF2_SUCCESS;
    for (uint64_t j = 0; j < count; j++) {
        const XtfMetricClassMemberRow *part = xtf_model_table_row(parts, first + j, buffer);
        members[j] = xtf_otf2_id(&d->export->names, XTF_MODEL_METRICS, part->metric);
    }
    return OTF2_GlobalDefWriter_WriteMetricClass(W, ID(METRIC_CLASSES), (uint8_t)count, members, row->occurrence,
                                                 row->recorder_kind);
}

DEFINE(write_recorder, MetricClassRecorder)
{
    return OTF2_GlobalDefWriter_WriteMetricClassRecorder(W, REF(class, METRIC_CLASSES), row->recorder);
}

/* Input and output */

DEFINE(write_file, IoFile)
{
    uint32_t name = TEXT(name), scope = REF(scope, SYSTEM_TREE);
    enum { DIRECTORY = 1 }; /* index in xtf_io_file_kinds */

    if (row->kind == DIRECTORY)
        return PUT(OTF2_GlobalDefWriter_WriteIoDirectory(W, ID(IO_FILES), name, scope));
    return PUT(OTF2_GlobalDefWriter_WriteIoRegularFile(W, ID(IO_FILES), name, scope));
}

DEFINE(write_handle, IoHandle)
{
    uint32_t name = TEXT(name), file = REF(file, IO_FILES), paradigm = REF(io_paradigm, IO_PARADIGMS),
             comm = REF(comm, COMMUNICATORS), parent = REF(parent, IO_HANDLES);
    return PUT(OTF2_GlobalDefWriter_WriteIoHandle(W, ID(IO_HANDLES), name, file, (OTF2_IoParadigmRef)paradigm,
                                                  row->flags, comm, parent));
}

DEFINE(write_pre_created, IoPreCreated)
{
    return OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(W, REF(handle, IO_HANDLES), row->mode, row->status_flags);
}

static const XtfOtf2DefinitionWriter writers[XTF_N_MODEL_SCHEMAS] = {
    [XTF_MODEL_PROPERTIES] = xtf_otf2_write_clock,
    [XTF_MODEL_STRING_DEFINITIONS] = write_string,
    [XTF_MODEL_ATTRIBUTE_DEFINITIONS] = write_attribute,
    [XTF_MODEL_SYSTEM_TREE] = write_system_tree_node,
    [XTF_MODEL_SYSTEM_TREE_DOMAINS] = write_domain,
    [XTF_MODEL_PROCESSES] = write_process,
    [XTF_MODEL_LOCATIONS] = write_location,
    [XTF_MODEL_PARADIGMS] = write_paradigm,
    [XTF_MODEL_REGION_DEFINITIONS] = write_region,
    [XTF_MODEL_CALLSITES] = write_callsite,
    [XTF_MODEL_CALLPATHS] = write_callpath,
    [XTF_MODEL_CALLPATH_PARAMETERS] = write_callpath_parameter,
    [XTF_MODEL_SOURCE_LOCATIONS] = write_source_location,
    [XTF_MODEL_CALLING_CONTEXTS] = write_calling_context,
    [XTF_MODEL_INTERRUPT_GENERATORS] = write_interrupt_generator,
    [XTF_MODEL_GROUPS] = write_group,
    [XTF_MODEL_COMMUNICATORS] = write_communicator,
    [XTF_MODEL_METRICS] = write_metric,
    [XTF_MODEL_METRIC_CLASSES] = write_metric_class,
    [XTF_MODEL_METRIC_CLASS_RECORDERS] = write_recorder,
    [XTF_MODEL_PARAMETER_DEFINITIONS] = write_parameter,
    [XTF_MODEL_RMA_WINDOWS] = write_window,
    [XTF_MODEL_IO_PARADIGMS] = xtf_otf2_write_io_paradigm,
    [XTF_MODEL_IO_FILES] = write_file,
    [XTF_MODEL_IO_HANDLES] = write_handle,
    [XTF_MODEL_IO_PRE_CREATED] = write_pre_created,
    [XTF_MODEL_CART_DIMENSIONS] = write_dimension,
    [XTF_MODEL_CART_TOPOLOGIES] = write_topology,
    [XTF_MODEL_CART_COORDINATES] = write_coordinate,
    [XTF_MODEL_DEFINITION_PROPERTIES] = xtf_otf2_write_property,
};

bool xtf_otf2_write_row(XtfOtf2Definer *d, unsigned tag, uint64_t i, GError **error)
{
    const XtfModelTable *table = &d->export->names.tables[tag].table;
    const bool is_clock = tag == XTF_MODEL_PROPERTIES;
    uint8_t buffer[XTF_ROW_MAX];

    if (!is_clock && i >= table->n)
        return xtf_damaged(error, "definition_order names row %" PRIu64 " of %s, which has %" PRIu64, i,
                           xtf_model_schema(tag)->name, table->n);
    OTF2_ErrorCode code = writers[tag](d, is_clock ? NULL : xtf_model_table_row(table, i, buffer), i);
    if (d->error) {
        g_propagate_prefixed_error(error, g_steal_pointer(&d->error), "row %" PRIu64 " of %s: ", i,
                                   xtf_model_schema(tag)->name);
        return false;
    }
    if (code == OTF2_SUCCESS)
        return true;
    g_autofree char *object = g_strdup_printf("row %" PRIu64 " of %s", i, xtf_model_schema(tag)->name);
    return xtf_otf2_fail_writing(error, code, object);
}
