"""The snippets (kinds.py) of functions that create, use or free communicators, windows and files, and of MPI's begin and end."""

COLLECTIVE = "xtf_mpi_collective_begin({ring}, {entered});"


def collective(comm):
    """Returns statements before a collective operation of a communicator: a role."""
    return f"xtf_mpi_awaits_all({{ring}}, {{entered}}, {{{comm}}}); " + COLLECTIVE



# All members of {comm} create the communicator.
CREATED = "xtf_mpi_comm_created({ring}, &{left}, {result}, saved_comm, {result} == MPI_SUCCESS ? {newcomm} : MPI_COMM_NULL);"
CREATE = ("XtfMpiFrom saved_comm = xtf_mpi_from({comm}); " + collective("comm"), CREATED)
# Only the leader knows {peer_comm}. It sends the id to the other members if the call has succeeded, since {local_comm} is valid then.
CREATE_OF_LOCAL = ("XtfMpiFrom saved_comm = xtf_mpi_from({local_comm}); " + collective("local_comm"),
                   "if ({result} == MPI_SUCCESS) { saved_comm = xtf_mpi_from_leader({local_comm}, (int){local_leader}, {peer_comm}); } " + CREATED)
CREATE_OF_BOTH = ("XtfMpiFrom saved_comm = xtf_mpi_from({intercomm}); " + collective("intercomm"), CREATED)
CREATE_BY_SOME = ("XtfMpiFrom saved_comm = { XTF_WIRE_NONE, false, false };", CREATED)
CREATE_BY_SOME_OF = ("XtfMpiFrom saved_comm = { XTF_WIRE_NONE, xtf_mpi_comm_is_apart({comm}), false };", CREATED)
CART = (CREATE[0], CREATED + " xtf_mpi_cart_created({ring}, {result}, {newcomm});")
def connect(accepts):
    return ("xtf_mpi_connects({port_name}, (int){root}, {comm}, %s); " % accepts + COLLECTIVE,
            "xtf_mpi_connected({ring}, &{left}, {result}, {port_name}, (int){root}, {comm}, %s, {result} == MPI_SUCCESS ? {newcomm} : MPI_COMM_NULL);" % accepts)


# The program may pass NULL, for which MPI returns an error.
FREE = ("const MPI_Comm *freed = &{comm}; uint32_t saved_comm = xtf_mpi_comm_id(freed ? *freed : MPI_COMM_NULL); "
        "xtf_mpi_awaits_members({ring}, {entered}, saved_comm); " + COLLECTIVE, "xtf_mpi_comm_freed({ring}, {left}, {result}, saved_comm);")

COMMUNICATORS = {
    "comm_dup": CREATE,
    "comm_split": CREATE,
    "comm_create": CREATE,
    "comm_create_group": CREATE_BY_SOME_OF,
    "comm_create_from_group": CREATE_BY_SOME,
    "intercomm_create_from_groups": CREATE_BY_SOME,
    "graph_create": CREATE,
    "dist_graph_create": CREATE,
    "cart_create": CART,
    "cart_sub": CART,
    "intercomm_create": CREATE_OF_LOCAL,
    "intercomm_merge": CREATE_OF_BOTH,
    "comm_spawn": (collective("comm"), "xtf_mpi_spawned({ring}, &{left}, {result}, {comm}, {result} == MPI_SUCCESS ? {newcomm} : MPI_COMM_NULL);"),
    "comm_accept": connect("true"),
    "comm_connect": connect("false"),
    "comm_join": (COLLECTIVE, "xtf_mpi_connected({ring}, &{left}, {result}, NULL, 0, MPI_COMM_SELF, false, {result} == MPI_SUCCESS ? {newcomm} : MPI_COMM_NULL);"),
    "comm_idup": ("", "xtf_mpi_idup({ring}, {result}, {comm}, {newcomm_out|=(&*newcomm)}, *{request});"),
    "comm_free": FREE,
    "comm_disconnect": FREE,
    "comm_set_name": ("", "xtf_mpi_comm_named({ring}, {result}, {comm}, {comm_name});"),
}

STARTING = {
    "init": (COLLECTIVE, "xtf_mpi_started({ring}, &{left}, {result}); xtf_mpi_collective_end({ring}, {left}, XTF_MPI_OP_CREATE_HANDLE, xtf_mpi_world_id);"),
    "session_init": ("", "xtf_mpi_session_started({ring}, {result}, {session});"),
    "finalize": ("xtf_mpi_messages_finish({ring}, {entered}); xtf_mpi_world_ends({ring}, {entered});", "xtf_mpi_world_ended({ring}, &{left}, {result});"),
    "session_finalize": ("xtf_mpi_session_ends();", ""),
    "abort": ("xtf_core_drain();", ""),
}

WIN_BEGIN = "xtf_mpi_win_begin({ring}, {entered}, %s);"


def win_create(allocates):
    return (WIN_BEGIN % "xtf_mpi_comm_id({comm})", "xtf_mpi_win_created({ring}, &{left}, {result}, {comm}, {win}, %s);" % allocates)


def access(kind, atomic="XTF_WIRE_NONE", count="{origin_count}", datatype="{origin_datatype}", back="0, {origin_datatype|datatype}", request="NULL"):
    return ("", "xtf_mpi_access({ring}, {entered}, {result}, XTF_WIRE_RMA_%s, %s, (XtfMpiAccess){ {win}, (int){target_rank}, %s, %s, %s, %s });"
            % (kind, atomic, count, datatype, back, request))


RESULT = "{result_count}, {result_datatype}"
WINDOWS = {
    "win_create": win_create("false"),
    "win_create:allocate": win_create("true"),
    "win_create:shared": win_create("true"),
    "win_free": ("const MPI_Win *freed = &{win}; XtfMpiEndingWin saved_win = xtf_mpi_win_ending({ring}, {entered}, freed ? *freed : MPI_WIN_NULL); " + WIN_BEGIN % "saved_win.comm", "xtf_mpi_win_freed({ring}, {left}, saved_win);"),
    "win_set_name": ("", "xtf_mpi_win_named({ring}, {result}, {win}, {win_name});"),
    "put": access("PUT"),
    "rput": access("PUT", request="{request}"),
    "get": access("GET"),
    "rget": access("GET", request="{request}"),
    "accumulate": access("ATOMIC", "XTF_MPI_ACCUMULATE"),
    "raccumulate": access("ATOMIC", "XTF_MPI_ACCUMULATE", request="{request}"),
    "get_accumulate": access("ATOMIC", "XTF_MPI_FETCH_AND_ACCUMULATE", back=RESULT),
    "rget_accumulate": access("ATOMIC", "XTF_MPI_FETCH_AND_ACCUMULATE", back=RESULT, request="{request}"),
    "fetch_and_op": access("ATOMIC", "xtf_mpi_fetch_kind({op})", "1", "{datatype}", "1, {datatype}"),
    "compare_and_swap": access("ATOMIC", "XTF_MPI_COMPARE_AND_SWAP", "1", "{datatype}", "1, {datatype}"),
    "win_fence": (WIN_BEGIN % "xtf_mpi_window_comm({win})", "xtf_mpi_win_fenced({ring}, {left}, {result}, {win});"),
    "win_post": ("", "xtf_mpi_win_opened({ring}, {left}, {result}, {win}, {group}, true);"),
    "win_start": ("", "xtf_mpi_win_opened({ring}, {left}, {result}, {win}, {group}, false);"),
    "win_wait": ("", "xtf_mpi_win_closed({ring}, {left}, {result}, {win}, true);"),
    "win_test": ("", "if ({flag}) xtf_mpi_win_closed({ring}, {left}, {result}, {win}, true);", "{flag}"),
    "win_complete": ("", "xtf_mpi_win_closed({ring}, {left}, {result}, {win}, false);"),
    "win_lock": ("xtf_mpi_win_locks({ring}, {entered}, {win}, (int){target_rank}, (int){lock_type});", ""),
    "win_unlock": ("", "xtf_mpi_win_unlocked({ring}, {left}, {result}, {win}, (int){target_rank});"),
    "win_unlock_all": ("", "xtf_mpi_win_flushed({ring}, {left}, {result}, {win}, XTF_MPI_ANY_TARGET, false);"),
    "win_flush": ("", "xtf_mpi_win_flushed({ring}, {left}, {result}, {win}, (int){target_rank}, false);"),
    "win_flush_all": ("", "xtf_mpi_win_flushed({ring}, {left}, {result}, {win}, XTF_MPI_ANY_TARGET, false);"),
    "win_flush_local": ("", "xtf_mpi_win_flushed({ring}, {left}, {result}, {win}, (int){target_rank}, true);"),
    "win_flush_local_all": ("", "xtf_mpi_win_flushed({ring}, {left}, {result}, {win}, XTF_MPI_ANY_TARGET, true);"),
    "win_sync": ("", "xtf_mpi_win_synced({ring}, {left}, {result}, {win});"),
}

FILE_BEGIN = "XtfMpiOperation saved_operation = xtf_mpi_file_begin({ring}, {entered}, {file}, XTF_MPI_FILE_%s, {flags}, %s);"
FILE_DATA = "{count}, {datatype}"
FILES = {
    "file_open": ("xtf_mpi_awaits_all({ring}, {entered}, {comm});", "xtf_mpi_file_opened({ring}, &{left}, {result}, {comm}, {filename}, (int){amode}, {file});"),
    "file_close": ("uint32_t saved_file = xtf_mpi_file_closing({ring}, {entered}, {file});", "xtf_mpi_file_closed({ring}, {left}, {result}, saved_file);"),
    "file_delete": ("", "xtf_mpi_file_deleted({ring}, {left}, {result}, {filename});"),
    "file_seek": ("", "xtf_mpi_file_sought({ring}, {left}, {result}, {file}, {flags} & XTF_MPI_SHARED, {offset}, (int){whence});"),
    "file_sync": (FILE_BEGIN % ("FLUSH", "0, MPI_DATATYPE_NULL"), "xtf_mpi_file_end({ring}, {left}, {result}, saved_operation, NULL);"),
}
for mode in "read", "write":
    begin = FILE_BEGIN % (mode.upper(), FILE_DATA)
    FILES[f"file_{mode}"] = (begin, "xtf_mpi_file_end({ring}, {left}, {result}, saved_operation, {status});")
    for place in "", "at,", "shared,":
        for scope in "", "collective,":
            if (place, scope) == ("shared,", "collective,"):
                continue
            FILES[f"file_{mode}:{place}{scope}nonblocking"] = (begin, "xtf_mpi_file_issued({ring}, {left}, {result}, saved_operation, {file}, {request});")
    for what in "collective", "at,collective", "ordered":
        FILES[f"file_{mode}:{what},begin"] = (begin, "xtf_mpi_file_issued({ring}, {left}, {result}, saved_operation, {file}, NULL);")
        FILES[f"file_{mode}:{what},end"] = ("", "xtf_mpi_file_split_end({ring}, {left}, {result}, {file}, {status});")

KINDS = {**STARTING, **COMMUNICATORS, **WINDOWS, **FILES}

# Kinds whose hooks make all members of a communicator agree. If nothing is recorded, they are called with a ring of NULL.
ALWAYS = {"init"} | {kind for kind, snippets in {**COMMUNICATORS, **WINDOWS, **FILES}.items()
                     if any(hook in snippets[1] for hook in ("_created(", "_connected(", "_spawned(", "_idup(", "_opened({ring}, &"))}
