#include "src/model/labels.h"

#include <stddef.h>

#include "src/model/tables.h"

/* A list of labels, which ends with NULL. */
#define LABELS(NAME, ...) const char *const NAME[] = {__VA_ARGS__, NULL};
LABELS(xtf_bases, "BINARY", "DECIMAL")
LABELS(xtf_collective_operations, "BARRIER", "BCAST", "GATHER", "GATHERV", "SCATTER", "SCATTERV", "ALLGATHER",
       "ALLGATHERV", "ALLTOALL", "ALLTOALLV", "ALLTOALLW", "ALLREDUCE", "REDUCE", "REDUCE_SCATTER", "SCAN", "EXSCAN",
       "REDUCE_SCATTER_BLOCK", "CREATE_HANDLE", "DESTROY_HANDLE", "ALLOCATE", "DEALLOCATE",
       "CREATE_HANDLE_AND_ALLOCATE", "DESTROY_HANDLE_AND_DEALLOCATE")
#define TABLE_NAME(TAG, name) name,
const char *const xtf_defined_tables[] = {XTF_DEFINED_TABLES(TABLE_NAME) NULL};
LABELS(xtf_group_types, "UNKNOWN", "LOCATIONS", "REGIONS", "METRIC", "COMM_LOCATIONS", "COMM_GROUP", "COMM_SELF")
LABELS(xtf_interrupt_modes, "TIME", "COUNT")
LABELS(xtf_io_access_modes, "READ_ONLY", "WRITE_ONLY", "READ_WRITE", "EXECUTE_ONLY", "SEARCH_ONLY")
LABELS(xtf_io_file_kinds, "REGULAR_FILE", "DIRECTORY")
LABELS(xtf_io_operation_modes, "READ", "WRITE", "FLUSH")
LABELS(xtf_io_paradigm_classes, "SERIAL", "PARALLEL")
LABELS(xtf_io_seek_options, "FROM_START", "FROM_CURRENT", "FROM_END", "DATA", "HOLE")
LABELS(xtf_location_types, "UNKNOWN", "CPU_THREAD", "ACCELERATOR_STREAM", "METRIC")
LABELS(xtf_lock_types, "EXCLUSIVE", "SHARED")
LABELS(xtf_marker_scopes, "THREAD", "PROCESS", "TRACE")
LABELS(xtf_measurement_modes, "0", "ON", "OFF")
LABELS(xtf_metric_class_kinds, "CLASS", "INSTANCE")
/* The gaps are numbers that OTF2 does not use. */
LABELS(xtf_metric_modes, "ACCUMULATED_START", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14",
       "15", "ACCUMULATED_POINT", "ABSOLUTE_POINT", "RELATIVE_POINT", "19", "20", "21", "22", "23", "24", "25", "26",
       "27", "28", "29", "30", "31", "ACCUMULATED_LAST", "ABSOLUTE_LAST", "RELATIVE_LAST", "35", "36", "37", "38", "39",
       "40", "41", "42", "43", "44", "45", "46", "47", "ACCUMULATED_NEXT", "ABSOLUTE_NEXT", "RELATIVE_NEXT")
LABELS(xtf_metric_occurrences, "SYNCHRONOUS_STRICT", "SYNCHRONOUS", "ASYNCHRONOUS")
LABELS(xtf_metric_scopes, "LOCATION", "LOCATION_GROUP", "SYSTEM_TREE_NODE", "GROUP")
LABELS(xtf_metric_types, "OTHER", "PAPI", "RUSAGE", "USER")
LABELS(xtf_move_directions, "to", "from")
LABELS(xtf_paradigm_classes, "PROCESS", "THREAD_FORK_JOIN", "THREAD_CREATE_WAIT", "ACCELERATOR")
LABELS(xtf_paradigm_names, "UNKNOWN", "USER", "COMPILER", "OPENMP", "MPI", "CUDA", "MEASUREMENT_SYSTEM", "PTHREAD",
       "HMPP", "OMPSS", "HARDWARE", "GASPI", "UPC", "SHMEM", "WINTHREAD", "QTTHREAD", "ACETHREAD", "TBBTHREAD",
       "OPENACC", "OPENCL", "MTAPI", "SAMPLING", "NONE", "HIP", "KOKKOS")
LABELS(xtf_parameter_types, "STRING", "INT64", "UINT64")
LABELS(xtf_process_types, "UNKNOWN", "PROCESS", "ACCELERATOR")
LABELS(xtf_property_owners, "SYSTEM_TREE_NODE", "LOCATION_GROUP", "LOCATION", "CALLING_CONTEXT", "IO_FILE", "PARADIGM",
       "IO_PARADIGM")
LABELS(xtf_recorder_kinds, "UNKNOWN", "ABSTRACT", "CPU", "GPU")
LABELS(xtf_region_roles, "UNKNOWN", "FUNCTION", "WRAPPER", "LOOP", "CODE", "PARALLEL", "SECTIONS", "SECTION",
       "WORKSHARE", "SINGLE", "SINGLE_SBLOCK", "MASTER", "CRITICAL", "CRITICAL_SBLOCK", "ATOMIC", "BARRIER",
       "IMPLICIT_BARRIER", "FLUSH", "ORDERED", "ORDERED_SBLOCK", "TASK", "TASK_CREATE", "TASK_WAIT", "COLL_ONE2ALL",
       "COLL_ALL2ONE", "COLL_ALL2ALL", "COLL_OTHER", "FILE_IO", "POINT2POINT", "RMA", "DATA_TRANSFER", "ARTIFICIAL",
       "THREAD_CREATE", "THREAD_WAIT", "TASK_UNTIED", "ALLOCATE", "DEALLOCATE", "REALLOCATE", "FILE_IO_METADATA")
LABELS(xtf_clock_points, "INIT", "COLLECTIVE", "PCONTROL", "FINALIZE")
LABELS(xtf_remark_kinds, "WARNING", "LEFT_OUT", "REPAIRED")
LABELS(xtf_rma_atomics, "ACCUMULATE", "INCREMENT", "TEST_AND_SET", "COMPARE_AND_SWAP", "SWAP", "FETCH_AND_ADD",
       "FETCH_AND_INCREMENT", "FETCH_AND_ACCUMULATE")
LABELS(xtf_rma_sync_types, "MEMORY", "NOTIFY_IN", "NOTIFY_OUT")
LABELS(xtf_system_tree_domains, "MACHINE", "SHARED_MEMORY", "NUMA", "SOCKET", "CACHE", "CORE", "PU",
       "ACCELERATOR_DEVICE", "NETWORKING_DEVICE")
LABELS(xtf_value_types, "NONE", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FLOAT",
       "DOUBLE", "STRING", "ATTRIBUTE", "LOCATION", "REGION", "GROUP", "METRIC", "COMM", "PARAMETER", "RMA_WIN",
       "SOURCE_CODE_LOCATION", "CALLING_CONTEXT", "INTERRUPT_GENERATOR", "IO_FILE", "IO_HANDLE", "LOCATION_GROUP")
LABELS(xtf_wait_parts, "different_source", "same_source", "late_complete")
