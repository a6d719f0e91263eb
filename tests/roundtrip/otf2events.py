"""The fields that otf2-print prints of each event, and the columns in which XTF shows them.

For each event: the record type, and for each key that otf2-print prints, in its order, the column and the kind of its
value.

Kinds are number, text, time, flags (a set of words), rank (a number and its location) and peer (a rank shown as a process).
A label is a word, or "NAME" <n>. Further kinds are the tables that a reference may be to. If the column is None, a side array has the values.
"""

COLLECTIVE = [("Operation", "operation", "label"), ("Communicator", "comm", "communicators"), ("Root", "root", "rank"),
              ("Sent", "bytes", "number"), ("Received", "received", "number")]
TASK = [("Thread Team", "team", "communicators"), ("Creating Thread", "creator", "rank"),
        ("Generation Number", "generation", "number")]
OMP_TASK = [("Task", "task", "number")]
THREAD = [("Thread Contingent", "team", "communicators"), ("Sequence Count", "sequence", "number")]
THREAD_LOCK = [("Model", "model", "label"), ("Lock", "lock", "number"), ("Acquisition Order", "order", "number")]
MESSAGE = [("Communicator", "comm", "communicators"), ("Tag", "tag", "number"), ("Length", "bytes", "number")]
REQUEST = [("Request", "request", "number")]
WINDOW = [("Window", "window", "rma_windows")]
REMOTE = WINDOW + [("Remote", "peer", "peer")]
RMA_LOCK = REMOTE + [("Lock", "lock", "number")]
RMA_LOCK_TYPE = RMA_LOCK + [("Type", "lock_type", "label")]
RMA_COMPLETE = WINDOW + [("Matching", "matching", "number")]
RMA_MOVE = REMOTE + [("Bytes", "bytes", "number"), ("Matching", "matching", "number")]
HANDLE = [("Handle", "handle", "io_handles")]
IO_LOCK = HANDLE + [("Type", "lock_type", "label")]
IO_MATCHING = HANDLE + [("Matching Id", "matching", "number")]
CONTEXT = [("Calling Context", "calling_context", "calling_contexts")]
REGION = [("Region", "region", "regions")]
COMM = [("Communicator", "comm", "communicators")]
TEAM = [("Thread Team", "team", "communicators")]
STATUS = ("Status Flags", "status_flags", "status")
PARAMETER = ("Parameter", "parameter", "parameter_definitions")

EVENTS = {
    "ENTER": ("enters_leaves", REGION),
    "LEAVE": ("enters_leaves", REGION),
    "MPI_SEND": ("sends", [("Receiver", "peer", "peer")] + MESSAGE),
    "MPI_ISEND": ("sends", [("Receiver", "peer", "peer")] + MESSAGE + REQUEST),
    "MPI_RECV": ("recvs", [("Sender", "peer", "peer")] + MESSAGE),
    "MPI_IRECV": ("recvs", [("Sender", "peer", "peer")] + MESSAGE + REQUEST),
    "MPI_ISEND_COMPLETE": ("requests", REQUEST),
    "MPI_IRECV_REQUEST": ("requests", REQUEST),
    "MPI_REQUEST_TEST": ("requests", REQUEST),
    "MPI_REQUEST_CANCELLED": ("requests", REQUEST),
    "MPI_COLLECTIVE_BEGIN": ("collectives", []),
    "MPI_COLLECTIVE_END": ("collectives", COLLECTIVE),
    "NON_BLOCKING_COLLECTIVE_REQUEST": ("collectives", REQUEST),
    "NON_BLOCKING_COLLECTIVE_COMPLETE": ("collectives", COLLECTIVE + REQUEST),
    "COMM_CREATE": ("comms", COMM),
    "COMM_DESTROY": ("comms", COMM),
    "METRIC": ("counters", [("Metric", "metric_class", "metric_classes"), ("Values", None, "values")]),
    "OMP_FORK": ("threads", [("# Requested Threads", "requested", "number")]),
    "OMP_JOIN": ("threads", []),
    "THREAD_FORK": ("threads", [("Model", "model", "label"), ("# Requested Threads", "requested", "number")]),
    "THREAD_JOIN": ("threads", [("Model", "model", "label")]),
    "THREAD_TEAM_BEGIN": ("threads", TEAM),
    "THREAD_TEAM_END": ("threads", TEAM),
    "THREAD_CREATE": ("threads", THREAD),
    "THREAD_BEGIN": ("threads", THREAD),
    "THREAD_WAIT": ("threads", THREAD),
    "THREAD_END": ("threads", THREAD),
    "OMP_ACQUIRE_LOCK": ("locks", THREAD_LOCK[1:]),
    "OMP_RELEASE_LOCK": ("locks", THREAD_LOCK[1:]),
    "THREAD_ACQUIRE_LOCK": ("locks", THREAD_LOCK),
    "THREAD_RELEASE_LOCK": ("locks", THREAD_LOCK),
    "OMP_TASK_CREATE": ("tasks", OMP_TASK),
    "OMP_TASK_SWITCH": ("tasks", OMP_TASK),
    "OMP_TASK_COMPLETE": ("tasks", OMP_TASK),
    "THREAD_TASK_CREATE": ("tasks", TASK),
    "THREAD_TASK_SWITCH": ("tasks", TASK),
    "THREAD_TASK_COMPLETE": ("tasks", TASK),
    "PARAMETER_STRING": ("parameters", [PARAMETER, ("Value", "text", "text")]),
    "PARAMETER_INT64": ("parameters", [PARAMETER, ("Value", "integer", "number")]),
    "PARAMETER_UINT64": ("parameters", [PARAMETER, ("Value", "unsigned_integer", "number")]),
    "IO_CREATE_HANDLE": ("io_control", HANDLE + [("Access Mode", "mode", "label"),
                                                 ("Creation Flags", "creation_flags", "creation"), STATUS]),
    "IO_DESTROY_HANDLE": ("io_control", HANDLE),
    "IO_DUPLICATE_HANDLE": ("io_control", [("Old Handle", "handle", "io_handles"),
                                           ("New Handle", "new_handle", "io_handles"), STATUS]),
    "IO_CHANGE_FLAGS": ("io_control", HANDLE + [STATUS]),
    "IO_DELETE_FILE": ("io_control", [("I/O Paradigm", "io_paradigm", "io_paradigms"), ("File", "file", "io_files")]),
    "IO_SEEK": ("io_seeks", HANDLE + [("Offset Request", "offset", "number"), ("Whence", "whence", "label"),
                                      ("Offset Result", "result", "number")]),
    "IO_OPERATION_BEGIN": ("io_operations", HANDLE + [("Mode", "mode", "label"),
                                                      ("Operation Flags", "operation_flags", "operation"),
                                                      ("Bytes Request", "requested", "number"),
                                                      ("Matching Id", "matching", "number")]),
    "IO_OPERATION_TEST": ("io_operations", IO_MATCHING),
    "IO_OPERATION_ISSUED": ("io_operations", IO_MATCHING),
    "IO_OPERATION_COMPLETE": ("io_operations", HANDLE + [("Bytes Result", "bytes", "number"),
                                                         ("Matching Id", "matching", "number")]),
    "IO_OPERATION_CANCELLED": ("io_operations", IO_MATCHING),
    "IO_ACQUIRE_LOCK": ("io_locks", IO_LOCK),
    "IO_RELEASE_LOCK": ("io_locks", IO_LOCK),
    "IO_TRY_LOCK": ("io_locks", IO_LOCK),
    "RMA_PUT": ("rma_operations", RMA_MOVE),
    "RMA_GET": ("rma_operations", RMA_MOVE),
    "RMA_ATOMIC": ("rma_operations", REMOTE + [("Type", "atomic", "label"), ("Sent", "bytes", "number"),
                                               ("Received", "received", "number"), ("Matching", "matching", "number")]),
    "RMA_OP_COMPLETE_BLOCKING": ("rma_operations", RMA_COMPLETE),
    "RMA_OP_COMPLETE_NON_BLOCKING": ("rma_operations", RMA_COMPLETE),
    "RMA_OP_TEST": ("rma_operations", RMA_COMPLETE),
    "RMA_OP_COMPLETE_REMOTE": ("rma_operations", RMA_COMPLETE),
    "RMA_COLLECTIVE_BEGIN": ("rma_collectives", []),
    "RMA_COLLECTIVE_END": ("rma_collectives", [("Operation", "operation", "label"), ("Window", "window", "rma_windows"),
                                               ("Level of Synchronicity", "sync_level", "level"),
                                               ("Root", "root", "rank"), ("Sent", "bytes", "number"),
                                               ("Received", "received", "number")]),
    "RMA_WIN_CREATE": ("rma_syncs", WINDOW),
    "RMA_WIN_DESTROY": ("rma_syncs", WINDOW),
    "RMA_GROUP_SYNC": ("rma_syncs", [("Level of Synchronicity", "sync_level", "level"),
                                     ("Window", "window", "rma_windows"), ("Group", "group", "groups")]),
    "RMA_SYNC": ("rma_syncs", REMOTE + [("Sync Type", "sync_type", "label")]),
    "RMA_WAIT_CHANGE": ("rma_syncs", WINDOW),
    "RMA_REQUEST_LOCK": ("rma_locks", RMA_LOCK_TYPE),
    "RMA_ACQUIRE_LOCK": ("rma_locks", RMA_LOCK_TYPE),
    "RMA_TRY_LOCK": ("rma_locks", RMA_LOCK_TYPE),
    "RMA_RELEASE_LOCK": ("rma_locks", RMA_LOCK),
    "CALLING_CONTEXT_ENTER": ("enters_leaves", CONTEXT + [("Unwind Distance", "unwind_distance", "number")]),
    "CALLING_CONTEXT_LEAVE": ("enters_leaves", CONTEXT),
    "CALLING_CONTEXT_SAMPLE": ("samples", CONTEXT + [("Unwind Distance", "unwind_distance", "number"),
                                                     ("Interrupt Generator", "generator", "interrupt_generators")]),
    "PROGRAM_BEGIN": ("programs", [("Name", "program", "text"), ("Arguments", None, "arguments")]),
    "PROGRAM_END": ("programs", [("Exit status", "exit_status", "number")]),
    "MEASUREMENT_ON_OFF": ("measurement", [("Mode", "mode", "label")]),
    "BUFFER_FLUSH": ("measurement", [("Stop Time", "stop", "time")]),
    "UNKNOWN": ("unknown", []),
}

# Events whose records have the label of another event. The side array call_contexts has their fields.
CONTEXT_CALLS = {"CALLING_CONTEXT_ENTER": "ENTER", "CALLING_CONTEXT_LEAVE": "LEAVE"}

# Flags by their bits.
FLAGS = {
    "creation": ["CREATE", "TRUNCATE", "DIRECTORY", "EXCLUSIVE", "NO_CONTROLLING_TERMINAL", "NO_FOLLOW", "PATH",
                 "TEMPORARY_FILE", "LARGEFILE", "NO_SEEK", "UNIQUE"],
    "status": ["CLOSE_ON_EXEC", "APPEND", "NON_BLOCKING", "ASYNC", "SYNC", "DATA_SYNC", "AVOID_CACHING",
               "NO_ACCESS_TIME", "DELETE_ON_CLOSE"],
    "operation": ["NON_BLOCKING", "COLLECTIVE"],
    "level": ["PROCESS", "MEMORY"],
}

# If the archive names a paradigm, otf2-print prints this name and the number.
PARADIGMS = ["UNKNOWN", "USER", "COMPILER", "OPENMP", "MPI", "CUDA", "MEASUREMENT_SYSTEM", "PTHREAD", "HMPP", "OMPSS",
             "HARDWARE", "GASPI", "UPC", "SHMEM", "WINTHREAD", "QTTHREAD", "ACETHREAD", "TBBTHREAD", "OPENACC", "OPENCL",
             "MTAPI", "SAMPLING", "NONE", "HIP", "KOKKOS"]

# Words that otf2-print prints for certain numbers.
ROOTS = {"NONE": None, "SELF": 2**32 - 2, "THIS_GROUP": 2**32 - 3}
