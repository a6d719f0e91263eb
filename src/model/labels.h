/*
 * Labels of enumerated fields, in the order of OTF2's numbers. NULL-terminated.
 */
#pragma once

/* Sets of the values of xtf_value_types that are doubles, or signed integers: bit k is value k. */
enum {
    XTF_REAL_VALUE_TYPES = 3 << 9,    /* FLOAT, DOUBLE */
    XTF_SIGNED_VALUE_TYPES = 15 << 5, /* INT8 to INT64 */
};

enum { XTF_REMARK_WARNING, XTF_REMARK_LEFT_OUT, XTF_REMARK_REPAIRED }; /* indices in xtf_remark_kinds */

/* Indices in xtf_wait_parts. */
enum { XTF_WAIT_PART_DIFFERENT_SOURCE, XTF_WAIT_PART_SAME_SOURCE, XTF_WAIT_PART_LATE_COMPLETE };

/* The values of xtf_group_types whose members define ranks. */
enum {
    XTF_GROUP_TYPE_LOCATIONS = 1,
    XTF_GROUP_TYPE_COMM_LOCATIONS = 4,
    XTF_GROUP_TYPE_COMM_GROUP,
    XTF_GROUP_TYPE_COMM_SELF,
};

enum { XTF_MOVE_TO, XTF_MOVE_FROM }; /* indices in xtf_move_directions */

extern const char *const xtf_bases[];
extern const char *const xtf_collective_operations[];
extern const char *const xtf_defined_tables[];
extern const char *const xtf_group_types[];
extern const char *const xtf_interrupt_modes[];
extern const char *const xtf_io_access_modes[];
extern const char *const xtf_io_file_kinds[];
extern const char *const xtf_io_operation_modes[];
extern const char *const xtf_io_paradigm_classes[];
extern const char *const xtf_io_seek_options[];
extern const char *const xtf_location_types[];
extern const char *const xtf_lock_types[];
extern const char *const xtf_marker_scopes[];
extern const char *const xtf_measurement_modes[];
extern const char *const xtf_metric_class_kinds[];
extern const char *const xtf_metric_modes[];
extern const char *const xtf_metric_occurrences[];
extern const char *const xtf_metric_scopes[];
extern const char *const xtf_metric_types[];
extern const char *const xtf_move_directions[];
extern const char *const xtf_paradigm_classes[];
extern const char *const xtf_paradigm_names[];
extern const char *const xtf_parameter_types[];
extern const char *const xtf_process_types[];
extern const char *const xtf_property_owners[];
extern const char *const xtf_recorder_kinds[];
extern const char *const xtf_region_roles[];
extern const char *const xtf_clock_points[];
extern const char *const xtf_remark_kinds[];
extern const char *const xtf_rma_atomics[];
extern const char *const xtf_rma_sync_types[];
extern const char *const xtf_system_tree_domains[];
extern const char *const xtf_value_types[];
extern const char *const xtf_wait_parts[];
