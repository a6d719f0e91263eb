/*
 * Definition tables that vocabulary.h does not have, and the fields of all tables.
 *
 * `id` is the source's number of the definition. Fields that refer to a table hold its row numbers; references to
 * locations hold their key P. Typed values are as in the side array `attributes`.
 */
#pragma once

#include "libxtf/vocabulary.h"
#include "src/model/fields.h"
#include "src/model/labels.h"

#define XTF_TABLE_SYSTEM_TREE              "system_tree"
#define XTF_TABLE_SYSTEM_TREE_DOMAINS      "system_tree_domains"
#define XTF_TABLE_PARADIGMS                "paradigms"
#define XTF_TABLE_REGION_DEFINITIONS       "region_definitions"
#define XTF_TABLE_CALLSITES                "callsites"
#define XTF_TABLE_CALLPATHS                "callpaths"
#define XTF_TABLE_CALLPATH_PARAMETERS      "callpath_parameters"
#define XTF_TABLE_SOURCE_LOCATIONS         "source_locations"
#define XTF_TABLE_CALLING_CONTEXTS         "calling_contexts"
#define XTF_TABLE_SITES                    "sites"
#define XTF_TABLE_INTERRUPT_GENERATORS     "interrupt_generators"
#define XTF_TABLE_METRIC_CLASSES           "metric_classes"
#define XTF_TABLE_METRIC_CLASS_MEMBERS     "metric_class_members"
#define XTF_TABLE_METRIC_CLASS_RECORDERS   "metric_class_recorders"
#define XTF_TABLE_PARAMETERS               "parameter_definitions"
#define XTF_TABLE_ATTRIBUTES               "attribute_definitions"
#define XTF_TABLE_RMA_WINDOWS              "rma_windows"
#define XTF_TABLE_IO_PARADIGMS             "io_paradigms"
#define XTF_TABLE_IO_FILES                 "io_files"
#define XTF_TABLE_IO_HANDLES               "io_handles"
#define XTF_TABLE_IO_PRE_CREATED           "io_pre_created_handles"
#define XTF_TABLE_CART_DIMENSIONS          "cart_dimensions"
#define XTF_TABLE_CART_TOPOLOGIES          "cart_topologies"
#define XTF_TABLE_CART_TOPOLOGY_DIMENSIONS "cart_topology_dimensions"
#define XTF_TABLE_CART_COORDINATES         "cart_coordinates"
#define XTF_TABLE_DEFINITION_PROPERTIES    "definition_properties"
#define XTF_TABLE_STRINGS                  "string_definitions"
#define XTF_TABLE_DEFINITION_ORDER         "definition_order"
#define XTF_TABLE_DEFINITION_REFERENCES    "definition_references"
#define XTF_TABLE_REMARKS                  "remarks"
#define XTF_TABLE_MESSAGE_TYPES            "message_types"
#define XTF_TABLE_RUNS                     "runs"
#define XTF_TABLE_CLOCK_READINGS           "clock_readings"
#define XTF_TABLE_CLOCK_NODES              "clock_nodes"

/* clang-format off */

/* FIELD(type, name, role, unit, refers_to, flags, labels). Fields that identify a row when files are merged begin with
 * XTF_SAME. */
#define XTF_VALUE(FIELD, name) FIELD(U64, name, "", "", "", 0, NULL)
#define XTF_TEXT(FIELD, name)  FIELD(STRING, name, "", "", "", 0, NULL)
#define XTF_U32(FIELD, name)   FIELD(U32, name, "", "", "", 0, NULL)
#define XTF_U8(FIELD, name, LABELS)     FIELD(U8, name, "", "", "", 0, LABELS)
#define XTF_OPT_U8(FIELD, name, LABELS) FIELD(U8, name, "", "", "", XTF_FIELD_OPTIONAL, LABELS)
#define XTF_REF(FIELD, name, TABLE)     FIELD(U32, name, "", "", TABLE, XTF_FIELD_OPTIONAL, NULL)
#define XTF_LOCATION(FIELD, name)       FIELD(U64, name, "", "", "", XTF_FIELD_OPTIONAL, NULL)
/* The rows of another table that are part of this row: the first row, and their number. */
#define XTF_LIST(FIELD, TABLE)                                                                                         \
    FIELD(U64, first, "", "", TABLE, XTF_FIELD_LIST, NULL) XTF_VALUE(FIELD, count)

#define XTF_SAME                             XTF_FIELD_IDENTIFIES
#define XTF_SAME_VALUE(FIELD, name)          FIELD(U64, name, "", "", "", XTF_SAME, NULL)
#define XTF_SAME_TEXT(FIELD, name)           FIELD(STRING, name, "", "", "", XTF_SAME, NULL)
#define XTF_SAME_U32(FIELD, name)            FIELD(U32, name, "", "", "", XTF_SAME, NULL)
#define XTF_SAME_I64(FIELD, name)            FIELD(I64, name, "", "", "", XTF_SAME, NULL)
#define XTF_SAME_U8(FIELD, name, LABELS)     FIELD(U8, name, "", "", "", XTF_SAME, LABELS)
#define XTF_SAME_REF(FIELD, name, TABLE)     FIELD(U32, name, "", "", TABLE, XTF_FIELD_OPTIONAL | XTF_SAME, NULL)
#define XTF_SAME_TYPED(FIELD, type, name)                                                                              \
    FIELD(U8, type, XTF_ROLE_VALUE_TYPE, "", "", XTF_SAME, xtf_value_types)                                            \
    FIELD(U64, name, XTF_ROLE_VALUE, "", #type XTF_VALUE_TABLES, XTF_SAME, NULL)

/* The tables that values of xtf_value_types refer to. */
#define XTF_VALUE_TABLES                                                                                               \
    ":STRING=,ATTRIBUTE=" XTF_TABLE_ATTRIBUTES ",REGION=" XTF_TABLE_REGIONS ",GROUP=" XTF_TABLE_GROUPS                 \
    ",METRIC=" XTF_TABLE_METRIC_CLASSES ",COMM=" XTF_TABLE_COMMUNICATORS ",PARAMETER=" XTF_TABLE_PARAMETERS            \
    ",RMA_WIN=" XTF_TABLE_RMA_WINDOWS ",SOURCE_CODE_LOCATION=" XTF_TABLE_SOURCE_LOCATIONS                              \
    ",CALLING_CONTEXT=" XTF_TABLE_CALLING_CONTEXTS ",INTERRUPT_GENERATOR=" XTF_TABLE_INTERRUPT_GENERATORS              \
    ",IO_FILE=" XTF_TABLE_IO_FILES ",IO_HANDLE=" XTF_TABLE_IO_HANDLES ",LOCATION_GROUP=" XTF_TABLE_PROCESSES

#define XTF_PROPERTIES_FIELDS(FIELD) XTF_SAME_TEXT(FIELD, name) XTF_SAME_TEXT(FIELD, value)

#define XTF_TAGS_FIELDS(FIELD) FIELD(U32, tag, XTF_ROLE_TAG, "", "", XTF_FIELD_OPTIONAL | XTF_SAME, NULL)

#define XTF_SYSTEM_TREE_FIELDS(FIELD)                                                                                  \
    XTF_U32(FIELD, id) XTF_SAME_REF(FIELD, parent, XTF_TABLE_SYSTEM_TREE) XTF_SAME_TEXT(FIELD, class_name)             \
    XTF_SAME_TEXT(FIELD, name)
#define XTF_SYSTEM_TREE_DOMAINS_FIELDS(FIELD)                                                                          \
    XTF_SAME_REF(FIELD, node, XTF_TABLE_SYSTEM_TREE) XTF_SAME_U8(FIELD, domain, xtf_system_tree_domains)

#define XTF_PROCESSES_FIELDS(FIELD)                                                                                    \
    FIELD(U32, proc, "", "", "", XTF_SAME | XTF_FIELD_ORDERS, NULL) XTF_U32(FIELD, id)                                 \
    XTF_U8(FIELD, type, xtf_process_types) XTF_REF(FIELD, system_tree_node, XTF_TABLE_SYSTEM_TREE)                     \
    XTF_REF(FIELD, creator, XTF_TABLE_PROCESSES) XTF_TEXT(FIELD, name)
/* n_events is the source's number; the true number is that of the location's records. */
#define XTF_LOCATIONS_FIELDS(FIELD)                                                                                    \
    XTF_SAME_VALUE(FIELD, id) FIELD(U32, proc, "", "", "", XTF_FIELD_ORDERS, NULL)                                     \
    FIELD(U32, thread, "", "", "", XTF_FIELD_ORDERS, NULL) XTF_REF(FIELD, process, XTF_TABLE_PROCESSES)                \
    XTF_U8(FIELD, type, xtf_location_types) XTF_VALUE(FIELD, n_events) XTF_TEXT(FIELD, name)
#define XTF_PARADIGMS_FIELDS(FIELD)                                                                                    \
    XTF_SAME_U8(FIELD, paradigm, xtf_paradigm_names) XTF_SAME_U8(FIELD, class, xtf_paradigm_classes)                   \
    XTF_SAME_TEXT(FIELD, name)

#define XTF_REGION_TRAITS(FIELD)                                                                                       \
    XTF_U8(FIELD, role, xtf_region_roles) XTF_U8(FIELD, paradigm, xtf_paradigm_names) XTF_U32(FIELD, flags)            \
    FIELD(U32, end_line, "", "", "", XTF_FIELD_OPTIONAL, NULL) XTF_TEXT(FIELD, canonical) XTF_TEXT(FIELD, description)
/* Regions, distinct in name, file and line. The first definition gives the traits. */
#define XTF_REGIONS_FIELDS(FIELD)                                                                                      \
    FIELD(U32, line, "", "", "", XTF_FIELD_OPTIONAL | XTF_SAME, NULL) XTF_REGION_TRAITS(FIELD)                         \
    XTF_SAME_TEXT(FIELD, file) XTF_SAME_TEXT(FIELD, name)
/* The source's own definitions, several of which may be one region. */
#define XTF_REGION_DEFINITIONS_FIELDS(FIELD)                                                                           \
    XTF_SAME_U32(FIELD, id) XTF_SAME_REF(FIELD, region, XTF_TABLE_REGIONS) XTF_REGIONS_FIELDS(FIELD)

#define XTF_CALLSITES_FIELDS(FIELD)                                                                                    \
    XTF_U32(FIELD, id) XTF_SAME_U32(FIELD, line) XTF_SAME_REF(FIELD, entered_region, XTF_TABLE_REGIONS)                \
    XTF_SAME_REF(FIELD, left_region, XTF_TABLE_REGIONS) XTF_SAME_TEXT(FIELD, file)
#define XTF_CALLPATHS_FIELDS(FIELD)                                                                                    \
    XTF_U32(FIELD, id) XTF_SAME_REF(FIELD, parent, XTF_TABLE_CALLPATHS) XTF_SAME_REF(FIELD, region, XTF_TABLE_REGIONS)
#define XTF_CALLPATH_PARAMETERS_FIELDS(FIELD)                                                                          \
    XTF_SAME_REF(FIELD, callpath, XTF_TABLE_CALLPATHS) XTF_SAME_REF(FIELD, parameter, XTF_TABLE_PARAMETERS)            \
    XTF_SAME_TYPED(FIELD, type, value)
#define XTF_SOURCE_LOCATIONS_FIELDS(FIELD) XTF_U32(FIELD, id) XTF_SAME_U32(FIELD, line) XTF_SAME_TEXT(FIELD, file)
#define XTF_CALLING_CONTEXTS_FIELDS(FIELD)                                                                             \
    XTF_U32(FIELD, id) XTF_SAME_REF(FIELD, region, XTF_TABLE_REGIONS)                                                  \
    XTF_SAME_REF(FIELD, source_location, XTF_TABLE_SOURCE_LOCATIONS)                                                   \
    XTF_SAME_REF(FIELD, parent, XTF_TABLE_CALLING_CONTEXTS)
/* `name` follows from the other fields. */
#define XTF_SITES_FIELDS(FIELD)                                                                                        \
    XTF_SAME_REF(FIELD, region, XTF_TABLE_REGIONS)                                                                     \
    FIELD(U32, line, "", "", "", XTF_FIELD_OPTIONAL | XTF_SAME, NULL)                                                  \
    FIELD(U64, offset, "", "B", "", XTF_FIELD_OPTIONAL | XTF_SAME, NULL)                                               \
    XTF_SAME_TEXT(FIELD, function) XTF_SAME_TEXT(FIELD, inlined_into) XTF_SAME_TEXT(FIELD, file)                       \
    XTF_SAME_TEXT(FIELD, object) XTF_SAME_TEXT(FIELD, build_id) XTF_TEXT(FIELD, name)
/* `sites` of a source that knows several frames of a call. */
#define XTF_STACKED_SITES_FIELDS(FIELD)                                                                                \
    XTF_SITES_FIELDS(FIELD) XTF_SAME_REF(FIELD, caller, XTF_TABLE_SITES) XTF_SAME_REF(FIELD, callee, XTF_TABLE_SITES)
#define XTF_INTERRUPT_GENERATORS_FIELDS(FIELD)                                                                         \
    XTF_U32(FIELD, id) XTF_SAME_U8(FIELD, mode, xtf_interrupt_modes) XTF_SAME_U8(FIELD, base, xtf_bases)               \
    XTF_SAME_I64(FIELD, exponent) XTF_SAME_VALUE(FIELD, period) XTF_SAME_TEXT(FIELD, name)

/* Members of COMM_LOCATIONS groups are locations. Members of COMM_GROUP are ranks in the COMM_LOCATIONS group of the
 * same paradigm. */
#define XTF_GROUPS_FIELDS(FIELD)                                                                                       \
    XTF_LIST(FIELD, XTF_TABLE_MEMBERS) XTF_SAME_U32(FIELD, id) XTF_SAME_U8(FIELD, type, xtf_group_types)               \
    XTF_SAME_U8(FIELD, paradigm, xtf_paradigm_names) XTF_U32(FIELD, flags) XTF_SAME_TEXT(FIELD, name)
#define XTF_MEMBERS_FIELDS(FIELD)                                                                                      \
    XTF_VALUE(FIELD, member) FIELD(U32, proc, "", "", "", XTF_FIELD_OPTIONAL, NULL)
#define XTF_COMMUNICATORS_FIELDS(FIELD)                                                                                \
    XTF_SAME_U32(FIELD, id) XTF_REF(FIELD, group, XTF_TABLE_GROUPS) XTF_REF(FIELD, remote_group, XTF_TABLE_GROUPS)     \
    XTF_REF(FIELD, parent, XTF_TABLE_COMMUNICATORS) XTF_U32(FIELD, flags) XTF_TEXT(FIELD, name)

#define XTF_METRICS_FIELDS(FIELD)                                                                                      \
    XTF_U32(FIELD, id) XTF_SAME_U8(FIELD, type, xtf_metric_types) XTF_SAME_U8(FIELD, mode, xtf_metric_modes)                       \
    XTF_SAME_U8(FIELD, value_type, xtf_value_types) XTF_SAME_U8(FIELD, base, xtf_bases) XTF_SAME_I64(FIELD, exponent)  \
    XTF_SAME_TEXT(FIELD, unit) XTF_TEXT(FIELD, description) XTF_SAME_TEXT(FIELD, name)
/* Classes list their metrics. Instances are classes recorded by one location for some scope. */
#define XTF_METRIC_CLASSES_FIELDS(FIELD)                                                                               \
    XTF_LIST(FIELD, XTF_TABLE_METRIC_CLASS_MEMBERS) XTF_U32(FIELD, id) XTF_U8(FIELD, kind, xtf_metric_class_kinds)     \
    XTF_OPT_U8(FIELD, occurrence, xtf_metric_occurrences) XTF_OPT_U8(FIELD, recorder_kind, xtf_recorder_kinds)         \
    XTF_REF(FIELD, class, XTF_TABLE_METRIC_CLASSES) XTF_LOCATION(FIELD, recorder)                                      \
    XTF_OPT_U8(FIELD, scope_kind, xtf_metric_scopes) XTF_LOCATION(FIELD, scope)
#define XTF_METRIC_CLASS_MEMBERS_FIELDS(FIELD)   XTF_REF(FIELD, metric, XTF_TABLE_METRICS)
#define XTF_METRIC_CLASS_RECORDERS_FIELDS(FIELD)                                                                       \
    XTF_REF(FIELD, class, XTF_TABLE_METRIC_CLASSES) XTF_LOCATION(FIELD, recorder)

#define XTF_PARAMETER_DEFINITIONS_FIELDS(FIELD)                                                                        \
    XTF_U32(FIELD, id) XTF_SAME_U8(FIELD, type, xtf_parameter_types) XTF_SAME_TEXT(FIELD, name)
#define XTF_ATTRIBUTE_DEFINITIONS_FIELDS(FIELD)                                                                        \
    XTF_U32(FIELD, id) XTF_SAME_U8(FIELD, type, xtf_value_types) XTF_TEXT(FIELD, description) XTF_SAME_TEXT(FIELD, name)
#define XTF_RMA_WINDOWS_FIELDS(FIELD)                                                                                  \
    XTF_SAME_U32(FIELD, id) XTF_REF(FIELD, comm, XTF_TABLE_COMMUNICATORS) XTF_U32(FIELD, flags) XTF_TEXT(FIELD, name)

#define XTF_IO_PARADIGMS_FIELDS(FIELD)                                                                                 \
    XTF_U32(FIELD, id) XTF_SAME_U8(FIELD, class, xtf_io_paradigm_classes) XTF_U32(FIELD, flags)                        \
    XTF_SAME_TEXT(FIELD, identification) XTF_SAME_TEXT(FIELD, name)
#define XTF_IO_FILES_FIELDS(FIELD)                                                                                     \
    XTF_SAME_U32(FIELD, id) XTF_SAME_U8(FIELD, kind, xtf_io_file_kinds) XTF_REF(FIELD, scope, XTF_TABLE_SYSTEM_TREE)   \
    XTF_SAME_TEXT(FIELD, name)
#define XTF_IO_HANDLES_FIELDS(FIELD)                                                                                   \
    XTF_SAME_U32(FIELD, id) XTF_SAME_REF(FIELD, file, XTF_TABLE_IO_FILES)                                              \
    XTF_SAME_REF(FIELD, io_paradigm, XTF_TABLE_IO_PARADIGMS) XTF_SAME_U32(FIELD, flags)                                \
    XTF_SAME_REF(FIELD, comm, XTF_TABLE_COMMUNICATORS) XTF_SAME_REF(FIELD, parent, XTF_TABLE_IO_HANDLES)               \
    XTF_SAME_TEXT(FIELD, name)
#define XTF_IO_PRE_CREATED_FIELDS(FIELD)                                                                               \
    XTF_SAME_REF(FIELD, handle, XTF_TABLE_IO_HANDLES) XTF_SAME_U8(FIELD, mode, xtf_io_access_modes)                    \
    XTF_SAME_U32(FIELD, status_flags)

#define XTF_CART_DIMENSIONS_FIELDS(FIELD)                                                                              \
    XTF_SAME_U32(FIELD, id) XTF_SAME_U32(FIELD, size) XTF_SAME_U8(FIELD, periodic, NULL) XTF_SAME_TEXT(FIELD, name)
#define XTF_CART_TOPOLOGIES_FIELDS(FIELD)                                                                              \
    XTF_LIST(FIELD, XTF_TABLE_CART_TOPOLOGY_DIMENSIONS) XTF_SAME_U32(FIELD, id)                                        \
    XTF_SAME_REF(FIELD, comm, XTF_TABLE_COMMUNICATORS) XTF_SAME_TEXT(FIELD, name)
#define XTF_CART_TOPOLOGY_DIMENSIONS_FIELDS(FIELD) XTF_REF(FIELD, dimension, XTF_TABLE_CART_DIMENSIONS)
#define XTF_CART_COORDINATES_FIELDS(FIELD)                                                                             \
    XTF_SAME_REF(FIELD, topology, XTF_TABLE_CART_TOPOLOGIES) XTF_SAME_U32(FIELD, rank) XTF_SAME_U8(FIELD, axis, NULL)  \
    XTF_SAME_U32(FIELD, coordinate)

#define XTF_OWNER_TABLES                                                                                               \
    "of:SYSTEM_TREE_NODE=" XTF_TABLE_SYSTEM_TREE ",LOCATION_GROUP=" XTF_TABLE_PROCESSES                                \
    ",CALLING_CONTEXT=" XTF_TABLE_CALLING_CONTEXTS ",IO_FILE=" XTF_TABLE_IO_FILES ",IO_PARADIGM=" XTF_TABLE_IO_PARADIGMS
/* Properties of single definitions. `owner` is a row of the table that `of` names; for LOCATION the location's key, for
 * PARADIGM its label's number. */
#define XTF_DEFINITION_PROPERTIES_FIELDS(FIELD)                                                                        \
    XTF_SAME_U8(FIELD, of, xtf_property_owners)                                                                        \
    FIELD(U64, owner, "", "", XTF_OWNER_TABLES, XTF_FIELD_OPTIONAL | XTF_SAME, NULL)                                   \
    XTF_SAME_TYPED(FIELD, type, value) XTF_SAME_TEXT(FIELD, name)

/* The tables with a source's definitions, for `definition_order`. KIND(TAG, name) */
#define XTF_DEFINED_TABLES(KIND)                                                                                       \
    KIND(PROPERTIES, XTF_TABLE_PROPERTIES) KIND(LOCATIONS, XTF_TABLE_LOCATIONS)                                        \
    KIND(STRING_DEFINITIONS, XTF_TABLE_STRINGS) XTF_DEFINED_BY_ID(KIND)
#define XTF_DEFINED_BY_ID(KIND)                                                                                        \
    KIND(ATTRIBUTE_DEFINITIONS, XTF_TABLE_ATTRIBUTES) KIND(SYSTEM_TREE, XTF_TABLE_SYSTEM_TREE)                         \
    KIND(SYSTEM_TREE_DOMAINS, XTF_TABLE_SYSTEM_TREE_DOMAINS) KIND(PROCESSES, XTF_TABLE_PROCESSES)                      \
    KIND(PARADIGMS, XTF_TABLE_PARADIGMS)                                          \
    KIND(REGION_DEFINITIONS, XTF_TABLE_REGION_DEFINITIONS) KIND(CALLSITES, XTF_TABLE_CALLSITES)                        \
    KIND(CALLPATHS, XTF_TABLE_CALLPATHS) KIND(CALLPATH_PARAMETERS, XTF_TABLE_CALLPATH_PARAMETERS)                      \
    KIND(SOURCE_LOCATIONS, XTF_TABLE_SOURCE_LOCATIONS) KIND(CALLING_CONTEXTS, XTF_TABLE_CALLING_CONTEXTS)              \
    KIND(INTERRUPT_GENERATORS, XTF_TABLE_INTERRUPT_GENERATORS) KIND(GROUPS, XTF_TABLE_GROUPS)                          \
    KIND(COMMUNICATORS, XTF_TABLE_COMMUNICATORS) KIND(METRICS, XTF_TABLE_METRICS)                                      \
    KIND(METRIC_CLASSES, XTF_TABLE_METRIC_CLASSES)                                                                     \
    KIND(METRIC_CLASS_RECORDERS, XTF_TABLE_METRIC_CLASS_RECORDERS)                                                     \
    KIND(PARAMETER_DEFINITIONS, XTF_TABLE_PARAMETERS) KIND(RMA_WINDOWS, XTF_TABLE_RMA_WINDOWS)                         \
    KIND(IO_PARADIGMS, XTF_TABLE_IO_PARADIGMS) KIND(IO_FILES, XTF_TABLE_IO_FILES)                                      \
    KIND(IO_HANDLES, XTF_TABLE_IO_HANDLES) KIND(IO_PRE_CREATED, XTF_TABLE_IO_PRE_CREATED)                              \
    KIND(CART_DIMENSIONS, XTF_TABLE_CART_DIMENSIONS) KIND(CART_TOPOLOGIES, XTF_TABLE_CART_TOPOLOGIES)                  \
    KIND(CART_COORDINATES, XTF_TABLE_CART_COORDINATES)                                                                 \
    KIND(DEFINITION_PROPERTIES, XTF_TABLE_DEFINITION_PROPERTIES)
#define XTF_DEFINED_TABLE(TAG, name) "," name "=" name
#define XTF_DEFINED_REFERENCE                                                                                          \
    "kind:" XTF_TABLE_STRINGS "=" XTF_TABLE_STRINGS XTF_DEFINED_BY_ID(XTF_DEFINED_TABLE)

/* Details of how a source defines things: its numbers of strings, and the order of all its definitions. In the order,
 * row none of `properties` is the clock, and `locations` has the key P. `definition_references` has the fields that
 * refer to a definition by another number than that in its row. */
#define XTF_STRING_DEFINITIONS_FIELDS(FIELD) XTF_SAME_U32(FIELD, id) XTF_SAME_TEXT(FIELD, text)
#define XTF_DEFINITION_ORDER_FIELDS(FIELD)                                                                             \
    XTF_SAME_U8(FIELD, kind, xtf_defined_tables)                                                                       \
    FIELD(U64, row, "", "", XTF_DEFINED_REFERENCE, XTF_FIELD_OPTIONAL | XTF_SAME, NULL)
#define XTF_DEFINITION_REFERENCES_FIELDS(FIELD)                                                                        \
    XTF_SAME_REF(FIELD, definition, XTF_TABLE_DEFINITION_ORDER) XTF_SAME_TEXT(FIELD, field)                            \
    FIELD(U32, id, "", "", "", XTF_FIELD_OPTIONAL, NULL)

/* The importer's remarks on its source. */
#define XTF_REMARKS_FIELDS(FIELD) XTF_SAME_U8(FIELD, kind, xtf_remark_kinds) XTF_SAME_TEXT(FIELD, text)

/* Tables that analyses and alignments of clocks write. */
#define XTF_ANALYSES_FIELDS(FIELD)                                                                                     \
    XTF_SAME_TEXT(FIELD, records) XTF_SAME_VALUE(FIELD, clocks) XTF_SAME_TEXT(FIELD, tool)
#define XTF_CLOCK_ALIGNMENTS_FIELDS(FIELD)                                                                             \
    XTF_VALUE(FIELD, clocks) XTF_VALUE(FIELD, messages) XTF_VALUE(FIELD, collectives)                                  \
    XTF_VALUE(FIELD, violations_before) XTF_VALUE(FIELD, violations_after) XTF_VALUE(FIELD, largest_shift)             \
    XTF_VALUE(FIELD, largest_change) XTF_LOCATION(FIELD, earlier_origin) XTF_TEXT(FIELD, tool)
#define XTF_EARLIER_CLOCKS_FIELDS(FIELD)                                                                               \
    XTF_VALUE(FIELD, location) XTF_VALUE(FIELD, local) XTF_VALUE(FIELD, global)                                        \
    FIELD(U8, jumps, "", "", "", 0, NULL)
/* Readings of other nodes' clocks. `proc` and `partner` are numbers of processes. `local` is in ticks of the clock of
 * `proc`, without its clock map. `round_trip` is 0 in the row of the reference. */
#define XTF_CLOCK_READINGS_FIELDS(FIELD)                                                                               \
    XTF_VALUE(FIELD, reading) XTF_U32(FIELD, proc) XTF_U32(FIELD, partner) FIELD(U8, is_reference, "", "", "", 0, NULL) \
    XTF_U8(FIELD, point, xtf_clock_points) XTF_VALUE(FIELD, local) XTF_VALUE(FIELD, round_trip)
/* The processes that share the clock of a node. */
#define XTF_CLOCK_NODES_FIELDS(FIELD) XTF_U32(FIELD, proc) XTF_VALUE(FIELD, node)
#define XTF_CONTEXTS_FIELDS(FIELD)                                                                                     \
    XTF_SAME_REF(FIELD, parent, XTF_TABLE_CONTEXTS) XTF_SAME_REF(FIELD, region, XTF_TABLE_REGIONS)
/* A portion: message lengths from `from` to `to`, in bytes. */
#define XTF_PORTIONS_FIELDS(FIELD)                                                                                     \
    FIELD(U64, from, "", "B", "", XTF_SAME, NULL) FIELD(U64, to, "", "B", "", XTF_SAME, NULL)                          \
    XTF_U32(FIELD, matrices) XTF_U32(FIELD, clusters)

/* Types of OpenTS's messages: "ctrl", "data". */
#define XTF_MESSAGE_TYPES_FIELDS(FIELD) XTF_SAME_TEXT(FIELD, name)

/* The runs of a trace that joins several (xtf merge --runs). `first` and `last` are times of records, in ticks of the
 * trace; `name` is the file's. */
#define XTF_RUNS_FIELDS(FIELD)                                                                                         \
    FIELD(U64, first, "", "ticks", "", XTF_SAME | XTF_FIELD_ORDERS, NULL)                                              \
    FIELD(U64, last, "", "ticks", "", XTF_SAME, NULL) XTF_U32(FIELD, processes) XTF_SAME_TEXT(FIELD, name)

/* TABLE(TAG, name, Type) */
#define XTF_TABLE_TYPES(TABLE)                                                                                         \
    TABLE(PROPERTIES, properties, Property)                                                                            \
    TABLE(TAGS, tags, Tag)                                                                                             \
    TABLE(LOCATIONS, locations, Location)                                                                              \
    TABLE(PROCESSES, processes, Process)                                                                               \
    TABLE(SYSTEM_TREE, system_tree, SystemTree)                                                                        \
    TABLE(SYSTEM_TREE_DOMAINS, system_tree_domains, SystemTreeDomain)                                                  \
    TABLE(PARADIGMS, paradigms, Paradigm)                                                                              \
    TABLE(REGIONS, regions, Region)                                                                                    \
    TABLE(REGION_DEFINITIONS, region_definitions, RegionDefinition)                                                    \
    TABLE(CALLSITES, callsites, Callsite)                                                                              \
    TABLE(CALLPATHS, callpaths, Callpath)                                                                              \
    TABLE(CALLPATH_PARAMETERS, callpath_parameters, CallpathParameter)                                                 \
    TABLE(SOURCE_LOCATIONS, source_locations, SourceLocation)                                                          \
    TABLE(CALLING_CONTEXTS, calling_contexts, CallingContext)                                                          \
    TABLE(SITES, sites, Site)                                                                                          \
    TABLE(INTERRUPT_GENERATORS, interrupt_generators, InterruptGenerator)                                              \
    TABLE(GROUPS, groups, Group)                                                                                       \
    TABLE(MEMBERS, members, Member)                                                                                    \
    TABLE(COMMUNICATORS, communicators, Communicator)                                                                  \
    TABLE(METRICS, metrics, Metric)                                                                                    \
    TABLE(METRIC_CLASSES, metric_classes, MetricClass)                                                                 \
    TABLE(METRIC_CLASS_MEMBERS, metric_class_members, MetricClassMember)                                               \
    TABLE(METRIC_CLASS_RECORDERS, metric_class_recorders, MetricClassRecorder)                                         \
    TABLE(PARAMETER_DEFINITIONS, parameter_definitions, ParameterDefinition)                                           \
    TABLE(ATTRIBUTE_DEFINITIONS, attribute_definitions, AttributeDefinition)                                           \
    TABLE(RMA_WINDOWS, rma_windows, RmaWindow)                                                                         \
    TABLE(IO_PARADIGMS, io_paradigms, IoParadigm)                                                                      \
    TABLE(IO_FILES, io_files, IoFile)                                                                                  \
    TABLE(IO_HANDLES, io_handles, IoHandle)                                                                            \
    TABLE(IO_PRE_CREATED, io_pre_created_handles, IoPreCreated)                                                        \
    TABLE(CART_DIMENSIONS, cart_dimensions, CartDimension)                                                             \
    TABLE(CART_TOPOLOGIES, cart_topologies, CartTopology)                                                              \
    TABLE(CART_TOPOLOGY_DIMENSIONS, cart_topology_dimensions, CartTopologyDimension)                                   \
    TABLE(CART_COORDINATES, cart_coordinates, CartCoordinate)                                                          \
    TABLE(DEFINITION_PROPERTIES, definition_properties, DefinitionProperty)                                            \
    TABLE(STRING_DEFINITIONS, string_definitions, StringDefinition)                                                   \
    TABLE(DEFINITION_ORDER, definition_order, DefinitionOrder)                                                        \
    TABLE(DEFINITION_REFERENCES, definition_references, DefinitionReference)                                          \
    TABLE(REMARKS, remarks, Remark)                                                                                   \
    TABLE(ANALYSES, analyses, Analysis)                                                                                \
    TABLE(CLOCK_ALIGNMENTS, clock_alignments, ClockAlignment)                                                          \
    TABLE(EARLIER_CLOCKS, earlier_clocks, EarlierClock)                                                                \
    TABLE(CLOCK_READINGS, clock_readings, ClockReading)                                                                \
    TABLE(CLOCK_NODES, clock_nodes, ClockNode)                                                                         \
    TABLE(CONTEXTS, contexts, Context)                                                                                 \
    TABLE(PORTIONS, portions, Portion)                                                                                 \
    TABLE(MESSAGE_TYPES, message_types, MessageType)                                                                  \
    TABLE(RUNS, runs, Run)

/* clang-format on */
