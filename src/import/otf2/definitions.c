/*
 * OTF2's callbacks of global definitions. Each adds rows with OTF2's ids, which definitions.h resolves later.
 *
 * Lists (members of groups and of metric classes, dimensions and coordinates of topologies) have their own tables.
 */
#include <string.h>

#include "src/import/otf2/callbacks.h"

#define ON(Name, ...) static OTF2_CallbackCode on_##Name(void *data, ##__VA_ARGS__)
#define ADD(TABLE, row) \
    (xtf_definitions_add(&((XtfOtf2Definitions *)data)->definitions, XTF_MODEL_##TABLE, &(row)), OTF2_CALLBACK_SUCCESS)
#define ADD_LIST(TABLE, row, PARTS, parts, n)                                                        \
    (xtf_definitions_add_list(&((XtfOtf2Definitions *)data)->definitions, XTF_MODEL_##TABLE, &(row), \
                              XTF_MODEL_##PARTS, parts, n),                                          \
     OTF2_CALLBACK_SUCCESS)

/* Defines a callback that adds one row to a table. The assertion makes a use end with a semicolon. */
#define ON_ROW(Name, TABLE, Type, PARAMETERS, ...) \
    ON(Name, UNWRAP PARAMETERS)                    \
    {                                              \
        Xtf##Type##Row row = {__VA_ARGS__};        \
        return ADD(TABLE, row);                    \
    }                                              \
    _Static_assert(true, "")
#define UNWRAP(...) __VA_ARGS__

/* Values of src/model/labels.h's enumerations that OTF2 does not have. */
enum {
    OF_SYSTEM_TREE_NODE,
    OF_LOCATION_GROUP,
    OF_LOCATION,
    OF_CALLING_CONTEXT,
    OF_IO_FILE,
    OF_PARADIGM,
    OF_IO_PARADIGM
};
enum { REGULAR_FILE, DIRECTORY };
enum { CLASS, INSTANCE };

uint64_t xtf_otf2_raw_value(OTF2_Type type, OTF2_AttributeValue value)
{
    double wide;
    uint64_t bits;

    switch (type) {
    case OTF2_TYPE_UINT8:
        return value.uint8;
    case OTF2_TYPE_UINT16:
        return value.uint16;
    case OTF2_TYPE_INT8:
        return (uint64_t)(int64_t)value.int8;
    case OTF2_TYPE_INT16:
        return (uint64_t)(int64_t)value.int16;
    case OTF2_TYPE_INT32:
        return (uint64_t)(int64_t)value.int32;
    case OTF2_TYPE_FLOAT:
        wide = value.float32;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_INT64:
    case OTF2_TYPE_DOUBLE:
    case OTF2_TYPE_LOCATION:
        return value.uint64;
    case OTF2_TYPE_NONE:
        return 0;
    default:
        return value.uint32; /* UINT32, and references, which have 32 bits */
    }
}

uint32_t xtf_otf2_class_member(const XtfDefinitions *definitions, uint32_t class, unsigned i)
{
    uint64_t n = xtf_definitions_n_rows(definitions, XTF_MODEL_METRIC_CLASSES);
    const XtfMetricClassRow *row = class < n ? xtf_definitions_at(definitions, XTF_MODEL_METRIC_CLASSES, class) : NULL;

    if (row && row->kind == INSTANCE)
        row = row->class < n ? xtf_definitions_at(definitions, XTF_MODEL_METRIC_CLASSES, row->class) : NULL;
    if (!row || i >= row->count)
        return XTF_NONE32;
    const XtfMetricClassMemberRow *member =
        xtf_definitions_at(definitions, XTF_MODEL_METRIC_CLASS_MEMBERS, row->first + i);
    return member->metric;
}

static OTF2_CallbackCode add_definition_property(void *data, uint8_t of, uint64_t owner, OTF2_StringRef name,
                                                 OTF2_Type type, OTF2_AttributeValue value)
{
    XtfDefinitionPropertyRow row = {
        .of = of,
        .owner = owner,
        .type = type,
        .value = xtf_otf2_raw_value(type, value),
        .name = name,
    };
    return ADD(DEFINITION_PROPERTIES, row);
}

/* Defines the callback for properties of one kind of definition. */
#define ON_PROPERTY(Name, Ref, OF)                                                                \
    ON(Name##Property, Ref owner, OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value) \
    {                                                                                             \
        return add_definition_property(data, OF, owner, name, type, value);                       \
    }                                                                                             \
    _Static_assert(true, "")
ON_PROPERTY(SystemTreeNode, OTF2_SystemTreeNodeRef, OF_SYSTEM_TREE_NODE);
ON_PROPERTY(LocationGroup, OTF2_LocationGroupRef, OF_LOCATION_GROUP);
ON_PROPERTY(Location, OTF2_LocationRef, OF_LOCATION);
ON_PROPERTY(CallingContext, OTF2_CallingContextRef, OF_CALLING_CONTEXT);
ON_PROPERTY(IoFile, OTF2_IoFileRef, OF_IO_FILE);

/* Adds a string for a name that OTF2 has only as an enumeration, and returns its id. */
static OTF2_StringRef add_own_text(void *data, const char *text)
{
    return xtf_definitions_intern_string(&((XtfOtf2Definitions *)data)->definitions, text);
}

ON(ClockProperties, uint64_t resolution, uint64_t origin, uint64_t length, uint64_t realtime)
{
    XtfOtf2Definitions *source = data;

    source->definitions.count++;
    if (source->has_clock)
        return OTF2_CALLBACK_SUCCESS;
    source->has_clock = true;
    xtf_source_order_add(&source->definitions.order, XTF_MODEL_PROPERTIES, XTF_NONE32);
    source->resolution = resolution;
    source->origin = origin;
    source->length = length;
    source->realtime = realtime;
    return OTF2_CALLBACK_SUCCESS;
}

ON(String, OTF2_StringRef self, const char *string)
{
    xtf_definitions_add_string(&((XtfOtf2Definitions *)data)->definitions, self, string);
    return OTF2_CALLBACK_SUCCESS;
}

ON_ROW(Attribute, ATTRIBUTE_DEFINITIONS, AttributeDefinition,
       (OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef description, OTF2_Type type), .id = self,
       .type = type, .description = description, .name = name);

/* Machines, processes and threads */

ON_ROW(SystemTreeNode, SYSTEM_TREE, SystemTree,
       (OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent),
       .id = self, .parent = parent, .class_name = class_name, .name = name);

ON_ROW(SystemTreeNodeDomain, SYSTEM_TREE_DOMAINS, SystemTreeDomain,
       (OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain), .node = node, .domain = domain);

ON_ROW(LocationGroup, PROCESSES, Process,
       (OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
        OTF2_LocationGroupRef creator),
       .id = self, .type = type, .system_tree_node = parent, .creator = creator, .name = name);

ON_ROW(Location, LOCATIONS, Location,
       (OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, uint64_t n_events,
        OTF2_LocationGroupRef group),
       .id = self, .process = group, .type = type, .n_events = n_events, .name = name);

ON_ROW(Paradigm, PARADIGMS, Paradigm, (OTF2_Paradigm paradigm, OTF2_StringRef name, OTF2_ParadigmClass class),
       .paradigm = paradigm, .class = class, .name = name);

ON(ParadigmProperty, OTF2_Paradigm paradigm, OTF2_ParadigmProperty property, OTF2_Type type, OTF2_AttributeValue value)
{
    static const char *const names[] = {"COMM_NAME_TEMPLATE", "RMA_WIN_NAME_TEMPLATE", "RMA_ONLY"};
    const char *name = property < G_N_ELEMENTS(names) ? names[property] : "UNKNOWN";
    return add_definition_property(data, OF_PARADIGM, paradigm, add_own_text(data, name), type, value);
}

/* Code */

ON_ROW(Region, REGION_DEFINITIONS, RegionDefinition,
       (OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical, OTF2_StringRef description,
        OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t line,
        uint32_t end_line),
       .id = self, .region = self, .line = line, .role = role, .paradigm = paradigm, .flags = flags,
       .end_line = end_line, .canonical = canonical, .description = description, .file = file, .name = name);

ON_ROW(Callsite, CALLSITES, Callsite,
       (OTF2_CallsiteRef self, OTF2_StringRef file, uint32_t line, OTF2_RegionRef entered, OTF2_RegionRef left),
       .id = self, .line = line, .entered_region = entered, .left_region = left, .file = file);

ON_ROW(Callpath, CALLPATHS, Callpath, (OTF2_CallpathRef self, OTF2_CallpathRef parent, OTF2_RegionRef region),
       .id = self, .parent = parent, .region = region);

ON_ROW(CallpathParameter, CALLPATH_PARAMETERS, CallpathParameter,
       (OTF2_CallpathRef callpath, OTF2_ParameterRef parameter, OTF2_Type type, OTF2_AttributeValue value),
       .callpath = callpath, .parameter = parameter, .type = type, .value = xtf_otf2_raw_value(type, value));

ON_ROW(SourceCodeLocation, SOURCE_LOCATIONS, SourceLocation,
       (OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line), .id = self, .line = line, .file = file);

ON_ROW(CallingContext, CALLING_CONTEXTS, CallingContext,
       (OTF2_CallingContextRef self, OTF2_RegionRef region, OTF2_SourceCodeLocationRef source_location,
        OTF2_CallingContextRef parent),
       .id = self, .region = region, .source_location = source_location, .parent = parent);

ON_ROW(InterruptGenerator, INTERRUPT_GENERATORS, InterruptGenerator,
       (OTF2_InterruptGeneratorRef self, OTF2_StringRef name, OTF2_InterruptGeneratorMode mode, OTF2_Base base,
        int64_t exponent, uint64_t period),
       .id = self, .mode = mode, .base = base, .exponent = exponent, .period = period, .name = name);

ON_ROW(Parameter, PARAMETER_DEFINITIONS, ParameterDefinition,
       (OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type), .id = self, .type = type, .name = name);

/* Groups and communicators */

ON(Group, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
   uint32_t n, const uint64_t *members)
{
    XtfGroupRow row = {.id = self, .type = type, .paradigm = paradigm, .flags = flags, .name = name};
    g_autofree XtfMemberRow *parts = g_new(XtfMemberRow, n);

    for (uint32_t i = 0; i < n; i++)
        parts[i] = (XtfMemberRow){.member = members[i], .proc = XTF_NONE32};
    return ADD_LIST(GROUPS, row, MEMBERS, parts, n);
}

ON_ROW(Comm, COMMUNICATORS, Communicator,
       (OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags),
       .id = self, .group = group, .remote_group = XTF_NONE32, .parent = parent, .flags = flags, .name = name);

ON_ROW(InterComm, COMMUNICATORS, Communicator,
       (OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group_a, OTF2_GroupRef group_b, OTF2_CommRef common,
        OTF2_CommFlag flags),
       .id = self, .group = group_a, .remote_group = group_b, .parent = common, .flags = flags, .name = name);

ON_ROW(RmaWin, RMA_WINDOWS, RmaWindow,
       (OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag flags), .id = self, .comm = comm,
       .flags = flags, .name = name);

ON_ROW(CartDimension, CART_DIMENSIONS, CartDimension,
       (OTF2_CartDimensionRef self, OTF2_StringRef name, uint32_t size, OTF2_CartPeriodicity periodic), .id = self,
       .size = size, .periodic = periodic, .name = name);

ON(CartTopology, OTF2_CartTopologyRef self, OTF2_StringRef name, OTF2_CommRef comm, uint8_t n,
   const OTF2_CartDimensionRef *dimensions)
{
    XtfCartTopologyRow row = {.id = self, .comm = comm, .name = name};
    XtfCartTopologyDimensionRow parts[UINT8_MAX];

    for (unsigned i = 0; i < n; i++)
        parts[i].dimension = dimensions[i];
    return ADD_LIST(CART_TOPOLOGIES, row, CART_TOPOLOGY_DIMENSIONS, parts, n);
}

ON(CartCoordinate, OTF2_CartTopologyRef topology, uint32_t rank, uint8_t n, const uint32_t *coordinates)
{
    XtfDefinitions *definitions = &((XtfOtf2Definitions *)data)->definitions;

    definitions->count++;
    if (n > 0)
        xtf_source_order_add(&definitions->order, XTF_MODEL_CART_COORDINATES,
                             (uint32_t)xtf_definitions_n_rows(definitions, XTF_MODEL_CART_COORDINATES));
    for (unsigned i = 0; i < n; i++) {
        XtfCartCoordinateRow row = {.topology = topology, .rank = rank, .axis = i, .coordinate = coordinates[i]};
        xtf_definitions_add_part(definitions, XTF_MODEL_CART_COORDINATES, &row);
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* Metrics */

ON_ROW(MetricMember, METRICS, Metric,
       (OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef description, OTF2_MetricType type,
        OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit),
       .id = self, .type = type, .mode = mode, .value_type = value_type, .base = base, .exponent = exponent,
       .unit = unit, .description = description, .name = name);

ON(MetricClass, OTF2_MetricRef self, uint8_t n, const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
   OTF2_RecorderKind recorder_kind)
{
    XtfMetricClassRow row = {
        .id = self,
        .kind = CLASS,
        .occurrence = occurrence,
        .recorder_kind = recorder_kind,
        .class = XTF_NONE32,
        .recorder = XTF_NONE64,
        .scope_kind = UINT8_MAX,
        .scope = XTF_NONE64,
    };
    XtfMetricClassMemberRow parts[UINT8_MAX];

    for (unsigned i = 0; i < n; i++)
        parts[i].metric = members[i];
    return ADD_LIST(METRIC_CLASSES, row, METRIC_CLASS_MEMBERS, parts, n);
}

ON_ROW(MetricInstance, METRIC_CLASSES, MetricClass,
       (OTF2_MetricRef self, OTF2_MetricRef class, OTF2_LocationRef recorder, OTF2_MetricScope scope_kind,
        uint64_t scope),
       .id = self, .kind = INSTANCE, .occurrence = UINT8_MAX, .recorder_kind = UINT8_MAX, .class = class,
       .recorder = recorder, .scope_kind = scope_kind, .scope = scope);

ON_ROW(MetricClassRecorder, METRIC_CLASS_RECORDERS, MetricClassRecorder,
       (OTF2_MetricRef metric, OTF2_LocationRef recorder), .class = metric, .recorder = recorder);

/* Input and output */

ON(IoParadigm, OTF2_IoParadigmRef self, OTF2_StringRef identification, OTF2_StringRef name, OTF2_IoParadigmClass class,
   OTF2_IoParadigmFlag flags, uint8_t n, const OTF2_IoParadigmProperty *properties, const OTF2_Type *types,
   const OTF2_AttributeValue *values)
{
    XtfIoParadigmRow row = {.id = self, .class = class, .flags = flags, .identification = identification, .name = name};

    for (unsigned i = 0; i < n; i++) {
        const char *text = properties[i] == OTF2_IO_PARADIGM_PROPERTY_VERSION ? "VERSION" : "UNKNOWN";
        add_definition_property(data, OF_IO_PARADIGM, self, add_own_text(data, text), types[i], values[i]);
    }
    return ADD(IO_PARADIGMS, row);
}

#define ON_FILE(Name, KIND)                                                                                  \
    ON_ROW(Name, IO_FILES, IoFile, (OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef scope), \
           .id = self, .kind = KIND, .scope = scope, .name = name)
ON_FILE(IoRegularFile, REGULAR_FILE);
ON_FILE(IoDirectory, DIRECTORY);

ON_ROW(IoHandle, IO_HANDLES, IoHandle,
       (OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
        OTF2_IoHandleFlag flags, OTF2_CommRef comm, OTF2_IoHandleRef parent),
       .id = self, .file = file, .io_paradigm = paradigm, .flags = flags, .comm = comm, .parent = parent, .name = name);

ON_ROW(IoPreCreatedHandleState, IO_PRE_CREATED, IoPreCreated,
       (OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoStatusFlag status_flags), .handle = handle,
       .mode = mode, .status_flags = status_flags);

ON(Unknown)
{
    ((XtfOtf2Definitions *)data)->unknown++;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_GlobalDefReaderCallbacks *xtf_otf2_definition_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();

#define SET(Name) OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(callbacks, on_##Name)
    SET(Unknown), SET(ClockProperties), SET(Paradigm), SET(ParadigmProperty), SET(IoParadigm), SET(String),
        SET(Attribute), SET(SystemTreeNode), SET(LocationGroup), SET(Location), SET(Region), SET(Callsite),
        SET(Callpath), SET(Group), SET(MetricMember), SET(MetricClass), SET(MetricInstance), SET(Comm), SET(Parameter),
        SET(RmaWin), SET(MetricClassRecorder), SET(SystemTreeNodeProperty), SET(SystemTreeNodeDomain),
        SET(LocationGroupProperty), SET(LocationProperty), SET(CartDimension), SET(CartTopology), SET(CartCoordinate),
        SET(SourceCodeLocation), SET(CallingContext), SET(CallingContextProperty), SET(InterruptGenerator),
        SET(IoFileProperty), SET(IoRegularFile), SET(IoDirectory), SET(IoHandle), SET(IoPreCreatedHandleState),
        SET(CallpathParameter), SET(InterComm);
#undef SET
    return callbacks;
}
