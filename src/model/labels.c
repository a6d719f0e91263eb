#include "src/model/labels.h"

#include <stddef.h>

const char *const xtf_bases[] = {
    "BINARY",
    "DECIMAL",
    NULL,
};

const char *const xtf_collective_operations[] = {
    "BARRIER",
    "BCAST",
    "GATHER",
    "GATHERV",
    "SCATTER",
    "SCATTERV",
    "ALLGATHER",
    "ALLGATHERV",
    "ALLTOALL",
    "ALLTOALLV",
    "ALLTOALLW",
    "ALLREDUCE",
    "REDUCE",
    "REDUCE_SCATTER",
    "SCAN",
    "EXSCAN",
    "REDUCE_SCATTER_BLOCK",
    "CREATE_HANDLE",
    "DESTROY_HANDLE",
    "ALLOCATE",
    "DEALLOCATE",
    "CREATE_HANDLE_AND_ALLOCATE",
    "DESTROY_HANDLE_AND_DEALLOCATE",
    NULL,
};

const char *const xtf_group_types[] = {
    "UNKNOWN", "LOCATIONS", "REGIONS", "METRIC", "COMM_LOCATIONS", "COMM_GROUP", "COMM_SELF", NULL,
};

const char *const xtf_interrupt_modes[] = {
    "TIME",
    "COUNT",
    NULL,
};

const char *const xtf_io_access_modes[] = {
    "READ_ONLY", "WRITE_ONLY", "READ_WRITE", "EXECUTE_ONLY", "SEARCH_ONLY", NULL,
};

const char *const xtf_io_file_kinds[] = {
    "REGULAR_FILE",
    "DIRECTORY",
    NULL,
};

const char *const xtf_io_operation_modes[] = {
    "READ",
    "WRITE",
    "FLUSH",
    NULL,
};

const char *const xtf_io_paradigm_classes[] = {
    "SERIAL",
    "PARALLEL",
    NULL,
};

const char *const xtf_io_seek_options[] = {
    "FROM_START", "FROM_CURRENT", "FROM_END", "DATA", "HOLE", NULL,
};

const char *const xtf_location_types[] = {
    "UNKNOWN", "CPU_THREAD", "ACCELERATOR_STREAM", "METRIC", NULL,
};

const char *const xtf_lock_types[] = {
    "EXCLUSIVE",
    "SHARED",
    NULL,
};

const char *const xtf_measurement_modes[] = {
    "0",
    "ON",
    "OFF",
    NULL,
};

const char *const xtf_metric_class_kinds[] = {
    "CLASS",
    "INSTANCE",
    NULL,
};

const char *const xtf_metric_occurrences[] = {
    "SYNCHRONOUS_STRICT",
    "SYNCHRONOUS",
    "ASYNCHRONOUS",
    NULL,
};

const char *const xtf_metric_scopes[] = {
    "LOCATION", "LOCATION_GROUP", "SYSTEM_TREE_NODE", "GROUP", NULL,
};

const char *const xtf_metric_types[] = {
    "OTHER", "PAPI", "RUSAGE", "USER", NULL,
};

const char *const xtf_paradigm_classes[] = {
    "PROCESS", "THREAD_FORK_JOIN", "THREAD_CREATE_WAIT", "ACCELERATOR", NULL,
};

const char *const xtf_paradigm_names[] = {
    "UNKNOWN",   "USER",     "COMPILER",  "OPENMP",    "MPI",     "CUDA",   "MEASUREMENT_SYSTEM",
    "PTHREAD",   "HMPP",     "OMPSS",     "HARDWARE",  "GASPI",   "UPC",    "SHMEM",
    "WINTHREAD", "QTTHREAD", "ACETHREAD", "TBBTHREAD", "OPENACC", "OPENCL", "MTAPI",
    "SAMPLING",  "NONE",     "HIP",       "KOKKOS",    NULL,
};

const char *const xtf_parameter_types[] = {
    "STRING",
    "INT64",
    "UINT64",
    NULL,
};

const char *const xtf_process_types[] = {
    "UNKNOWN",
    "PROCESS",
    "ACCELERATOR",
    NULL,
};

const char *const xtf_property_owners[] = {
    "SYSTEM_TREE_NODE", "LOCATION_GROUP", "LOCATION", "CALLING_CONTEXT", "IO_FILE", "PARADIGM", "IO_PARADIGM", NULL,
};

const char *const xtf_recorder_kinds[] = {
    "UNKNOWN", "ABSTRACT", "CPU", "GPU", NULL,
};

const char *const xtf_region_roles[] = {
    "UNKNOWN",
    "FUNCTION",
    "WRAPPER",
    "LOOP",
    "CODE",
    "PARALLEL",
    "SECTIONS",
    "SECTION",
    "WORKSHARE",
    "SINGLE",
    "SINGLE_SBLOCK",
    "MASTER",
    "CRITICAL",
    "CRITICAL_SBLOCK",
    "ATOMIC",
    "BARRIER",
    "IMPLICIT_BARRIER",
    "FLUSH",
    "ORDERED",
    "ORDERED_SBLOCK",
    "TASK",
    "TASK_CREATE",
    "TASK_WAIT",
    "COLL_ONE2ALL",
    "COLL_ALL2ONE",
    "COLL_ALL2ALL",
    "COLL_OTHER",
    "FILE_IO",
    "POINT2POINT",
    "RMA",
    "DATA_TRANSFER",
    "ARTIFICIAL",
    "THREAD_CREATE",
    "THREAD_WAIT",
    "TASK_UNTIED",
    "ALLOCATE",
    "DEALLOCATE",
    "REALLOCATE",
    "FILE_IO_METADATA",
    NULL,
};

const char *const xtf_rma_atomics[] = {
    "ACCUMULATE", "INCREMENT",     "TEST_AND_SET",        "COMPARE_AND_SWAP",
    "SWAP",       "FETCH_AND_ADD", "FETCH_AND_INCREMENT", "FETCH_AND_ACCUMULATE",
    NULL,
};

const char *const xtf_rma_sync_types[] = {
    "MEMORY",
    "NOTIFY_IN",
    "NOTIFY_OUT",
    NULL,
};

const char *const xtf_system_tree_domains[] = {
    "MACHINE", "SHARED_MEMORY", "NUMA", "SOCKET", "CACHE", "CORE", "PU", "ACCELERATOR_DEVICE", "NETWORKING_DEVICE",
    NULL,
};

const char *const xtf_value_types[] = {
    "NONE",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "FLOAT",
    "DOUBLE",
    "STRING",
    "ATTRIBUTE",
    "LOCATION",
    "REGION",
    "GROUP",
    "METRIC",
    "COMM",
    "PARAMETER",
    "RMA_WIN",
    "SOURCE_CODE_LOCATION",
    "CALLING_CONTEXT",
    "INTERRUPT_GENERATOR",
    "IO_FILE",
    "IO_HANDLE",
    "LOCATION_GROUP",
    NULL,
};
