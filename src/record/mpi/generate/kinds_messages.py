"""The snippets (kinds.py) of messages, requests and collective operations. They call functions of messages.h and collectives.h."""


def succeeded(statement):
    return "if ({result} == MPI_SUCCESS) { " + statement + "; }"


BYTES = "xtf_mpi_bytes({count}, {datatype})"
PARTS = "xtf_mpi_bytes({partitions} * {count}, {datatype})"
SEND_BYTES = "xtf_mpi_bytes({sendcount}, {sendtype})"
KNOWN = "XTF_MPI_REQUEST_KNOWN"

HANDLE = "uint64_t handle = XTF_MPI_HANDLE(*{request});"
HANDLES = "const uint64_t *handles = xtf_mpi_handles({count}, {requests});"
ONE = "uint64_t saved = xtf_mpi_save_request(*{request});"
MANY = "uint64_t *saved = xtf_mpi_save_requests({count}, {requests});"
AWAITS = " xtf_mpi_awaits_request({ring}, {entered}, saved);"
AWAITED = "uint64_t *saved = xtf_mpi_save_awaited({ring}, {entered}, {count}, {requests});"
TEST = " XtfMpiTest test = { 0 };"
MESSAGE = "uint64_t saved = xtf_mpi_save_message(*{message});"
OR_LOST = " else { xtf_mpi_message_lost({ring}, {left}, saved, *{message}); }"


def test_condition(found, saved):
    """Returns the condition under which a test is recorded: it has `found` something, or it is the first one that has not."""
    return f"xtf_mpi_test_is_recorded({{ring}}, {found}, {saved}, &test)"


def test(found, completed):
    return f"if ({found}) {{ {completed}; }} else {{ xtf_mpi_record_test({{ring}}, {{left}}, &test); }}"


COMPLETED = "xtf_mpi_completed({ring}, {left}, {result}, saved, *{request}, {status})"
COMPLETED_ALL = "xtf_mpi_completed_all({ring}, {left}, {result}, {count}, saved, {requests}, {statuses})"
COMPLETED_ANY = "xtf_mpi_completed_any({ring}, {left}, {result}, {count}, saved, {requests}, {index}, {status})"
COMPLETED_SOME = "xtf_mpi_completed_some({ring}, {left}, {result}, {count}, saved, {outcount}, {indices}, {statuses})"
FAILED = "{result} != MPI_SUCCESS"


# For calls that may block: their snippets record before the call what they can, and the record FAILED cancels it if the call fails.
OR_FAILED = " else { xtf_mpi_failed({ring}, {left}); }"


def awaits(peer, tag):
    """Returns a statement that shows what a call waits for, since the call may never return."""
    return f"xtf_mpi_awaits({{ring}}, {{entered}}, {{{peer}}}, {{{tag}}}, {{comm}});"


def send(send_bytes, datatype, tag, then="", awaited=awaits("dest", "tag")):
    """Returns the snippets of a send. The statements `then` run if the call succeeds."""
    sent = f"xtf_mpi_send({{ring}}, {{entered}}, {send_bytes}, {{dest}}, {tag}, {{comm}});"
    return (f"{awaited} bool sent = xtf_mpi_can_send({datatype}, {{comm}}); if (sent) {{ {sent} }}",
            f"if ({{result}} == MPI_SUCCESS) {{ if (!sent) {{ {sent} }} {then} }} else if (sent) {{ xtf_mpi_failed({{ring}}, {{left}}); }}")


def sendrecv(send_bytes, datatype):
    return send(send_bytes, datatype, "{sendtag}", "xtf_mpi_recv({ring}, {left}, {comm}, {status});",
                "xtf_mpi_awaits_both({ring}, {entered}, {source}, {recvtag}, {dest}, {sendtag}, {comm});")


def isendrecv(send_bytes, room):
    return ("", succeeded(f"xtf_mpi_isendrecv({{ring}}, {{entered}}, {send_bytes}, {{dest}}, {{sendtag}}, {room}, {{source}}, {{recvtag}}, {{comm}}, *{{request}})"))


KINDS = {
    "send": send(BYTES, "{datatype}", "{tag}"),
    "recv": (awaits("source", "tag"), succeeded("xtf_mpi_recv({ring}, {left}, {comm}, {status})")),
    "isend": ("", succeeded(f"xtf_mpi_isend({{ring}}, {{entered}}, {BYTES}, {{dest}}, {{tag}}, {{comm}}, *{{request}})")),
    "irecv": ("", succeeded("xtf_mpi_irecv({ring}, {entered}, {source}, {tag}, {comm}, *{request})")),
    "sendrecv": sendrecv(SEND_BYTES, "{sendtype}"),
    "sendrecv_replace": sendrecv(BYTES, "{datatype}"),
    "isendrecv": isendrecv(SEND_BYTES, "xtf_mpi_bytes({recvcount}, {recvtype})"),
    "isendrecv_replace": isendrecv(BYTES, BYTES),
    "send_init": ("", succeeded(f"xtf_mpi_send_init({BYTES}, {{dest}}, {{tag}}, {{comm}}, *{{request}}, 0)")),
    "recv_init": ("", succeeded("xtf_mpi_recv_init(0, {source}, {tag}, {comm}, *{request}, 0)")),
    "psend_init": ("", succeeded(f"xtf_mpi_send_init({PARTS}, {{dest}}, {{tag}}, {{comm}}, *{{request}}, {KNOWN})")),
    # MPICH calls the source of MPI_Precv_init dest.
    "precv_init": ("", succeeded(f"xtf_mpi_recv_init({PARTS}, {{source|dest}}, {{tag}}, {{comm}}, *{{request}}, {KNOWN})")),
    "start": (HANDLE, succeeded("xtf_mpi_start({ring}, {entered}, handle, *{request})")),
    "startall": (HANDLES, succeeded("xtf_mpi_start_all({ring}, {entered}, {count}, handles, {requests})")),
    "probe": (awaits("source", "tag"), ""),
    "mprobe": (awaits("source", "tag"), succeeded("xtf_mpi_mprobe({ring}, {entered}, *{message}, {comm})")),
    "iprobe": ("", succeeded("if ({flag}) { xtf_mpi_probe_found({ring}, {left}); }"), "{flag} || xtf_mpi_probe_failed()"),
    "improbe": ("", succeeded("if ({flag}) { xtf_mpi_probe_found({ring}, {entered}); xtf_mpi_mprobe({ring}, {entered}, *{message}, {comm}); }"),
                "{flag} || xtf_mpi_probe_failed()"),
    "mrecv": (MESSAGE, succeeded("xtf_mpi_mrecv({ring}, {left}, saved, {status})") + OR_LOST),
    "imrecv": (MESSAGE, succeeded("xtf_mpi_imrecv({ring}, {entered}, saved, *{request})") + OR_LOST),
    "wait": (ONE + AWAITS, COMPLETED + ";"),
    "waitall": (AWAITED, COMPLETED_ALL + ";"),
    "waitany": (AWAITED, COMPLETED_ANY + ";"),
    "waitsome": (AWAITED, COMPLETED_SOME + ";"),
    "test": (ONE + TEST, test(f"{FAILED} || {{flag}}", COMPLETED), f"{FAILED} || " + test_condition("{flag}", "1, &saved")),
    "testall": (MANY + TEST, test(f"{FAILED} || {{flag}}", COMPLETED_ALL), f"{FAILED} || " + test_condition("{flag}", "{count}, saved")),
    "testany": (MANY + TEST, test(f"{FAILED} || {{flag}}", COMPLETED_ANY), f"{FAILED} || " + test_condition("{flag}", "{count}, saved")),
    "testsome": (MANY + TEST, test(f"{FAILED} || {{outcount}} != 0", COMPLETED_SOME),
                 f"{FAILED} || " + test_condition("{outcount} != 0", "{count}, saved")),
    # The next two complete no request, but programs may call them millions of times, too.
    "parrived": (ONE + TEST, test(f"{FAILED} || {{flag}}", "xtf_mpi_release(saved)"), f"{FAILED} || " + test_condition("{flag}", "1, &saved")),
    "request_get_status": (ONE + TEST, test(f"{FAILED} || {{flag}}", "xtf_mpi_release(saved)"), f"{FAILED} || " + test_condition("{flag}", "1, &saved")),
    "request_free": (ONE, "xtf_mpi_freed({result}, saved);"),
    "cancel": (HANDLE, succeeded("xtf_mpi_requests_cancel(handle)")),
    "type_commit": ("", succeeded("xtf_mpi_valid_add(XTF_MPI_HANDLE({datatype}))")),
    # The program may pass NULL, for which MPI returns an error.
    # After the call another thread may have got the handle, so it is removed before.
    "type_free": ("const MPI_Datatype *type = &{datatype}; uint64_t handle = type ? XTF_MPI_HANDLE(*type) : 0; bool removed = xtf_mpi_valid_remove(handle);",
                  "if (removed && {result} != MPI_SUCCESS) { xtf_mpi_valid_add(handle); }"),
}

# Kinds that change requests or matched messages. If nothing is recorded, their snippets run nevertheless, with a ring of NULL.
ENDING = {"wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome", "request_free", "cancel", "mrecv", "imrecv"}

SENT, RECEIVED = "XTF_MPI_BLOCK({sendcount}, {sendtype})", "XTF_MPI_BLOCK({recvcount}, {recvtype})"
SENT_V, RECEIVED_V = "XTF_MPI_BLOCKS({sendcounts}, {sendtype})", "XTF_MPI_BLOCKS({recvcounts}, {recvtype})"
SENT_W, RECEIVED_W = "XTF_MPI_BLOCKS_W({sendcounts}, {sendtypes})", "XTF_MPI_BLOCKS_W({recvcounts}, {recvtypes})"
BLOCK = "XTF_MPI_BLOCK({count}, {datatype})"
IN_PLACE, SCATTERED_IN_PLACE = "{sendbuf} == MPI_IN_PLACE", "{recvbuf} == MPI_IN_PLACE"

# {operation: (its traffic, the operation that is recorded instead; None: the operation itself)}
TRAFFIC = {
    "BARRIER": ("xtf_mpi_barrier({comm})", None),
    "BCAST": (f"xtf_mpi_from_root({{comm}}, {{root}}, false, {BLOCK}, {BLOCK})", None),
    "GATHER": (f"xtf_mpi_to_root({{comm}}, {{root}}, {IN_PLACE}, {SENT}, {RECEIVED})", None),
    "GATHERV": (f"xtf_mpi_to_root_v({{comm}}, {{root}}, {IN_PLACE}, {SENT}, {RECEIVED_V})", None),
    "SCATTER": (f"xtf_mpi_from_root({{comm}}, {{root}}, {SCATTERED_IN_PLACE}, {SENT}, {RECEIVED})", None),
    "SCATTERV": (f"xtf_mpi_from_root_v({{comm}}, {{root}}, {SCATTERED_IN_PLACE}, {SENT_V}, {RECEIVED})", None),
    "REDUCE": (f"xtf_mpi_to_root({{comm}}, {{root}}, {IN_PLACE}, {BLOCK}, {BLOCK})", None),
    "ALLGATHER": (f"xtf_mpi_all_to_all({{comm}}, {IN_PLACE}, {SENT}, {RECEIVED})", None),
    "ALLGATHERV": (f"xtf_mpi_allgatherv({{comm}}, {IN_PLACE}, {SENT}, {RECEIVED_V})", None),
    "ALLTOALL": (f"xtf_mpi_all_to_all({{comm}}, {IN_PLACE}, {SENT}, {RECEIVED})", None),
    "ALLTOALLV": (f"xtf_mpi_all_to_all_v({{comm}}, {IN_PLACE}, {SENT_V}, {RECEIVED_V})", None),
    "ALLTOALLW": (f"xtf_mpi_all_to_all_v({{comm}}, {IN_PLACE}, {SENT_W}, {RECEIVED_W})", None),
    "ALLREDUCE": (f"xtf_mpi_all_to_all({{comm}}, {IN_PLACE}, {BLOCK}, {BLOCK})", None),
    "REDUCE_SCATTER": (f"xtf_mpi_reduce_scatter({{comm}}, {IN_PLACE}, XTF_MPI_BLOCKS({{recvcounts}}, {{datatype}}))", None),
    "REDUCE_SCATTER_BLOCK": (f"xtf_mpi_reduce_scatter_block({{comm}}, {IN_PLACE}, XTF_MPI_BLOCK({{recvcount}}, {{datatype}}))", None),
    "SCAN": (f"xtf_mpi_scan({{comm}}, {IN_PLACE}, {BLOCK})", None),
    "EXSCAN": (f"xtf_mpi_scan({{comm}}, true, {BLOCK})", None),
    "ALLGATHER,neighbor": (f"xtf_mpi_neighbors({{comm}}, {SENT}, {RECEIVED})", "ALLTOALLV"),
    "ALLGATHERV,neighbor": (f"xtf_mpi_neighbors_gather_v({{comm}}, {SENT}, {RECEIVED_V})", "ALLTOALLV"),
    "ALLTOALL,neighbor": (f"xtf_mpi_neighbors({{comm}}, {SENT}, {RECEIVED})", "ALLTOALLV"),
    "ALLTOALLV,neighbor": (f"xtf_mpi_neighbors_v({{comm}}, {SENT_V}, {RECEIVED_V})", "ALLTOALLV"),
    "ALLTOALLW,neighbor": (f"xtf_mpi_neighbors_v({{comm}}, {SENT_W}, {RECEIVED_W})", "ALLTOALLW"),
}

# {operation: the count that is above 0 if its root exchanges data with each member. Gatherv has a count for each}
ROOTED = {"BCAST": "{count}", "GATHER": "{recvcount}", "GATHERV": "1", "SCATTER": "{recvcount}", "SCATTERV": "{recvcount}", "REDUCE": "{count}"}

for what, (traffic, recorded_as) in TRAFFIC.items():
    awaited = (f"xtf_mpi_awaits_root({{ring}}, {{entered}}, {{root}}, {ROOTED[what]}, {{comm}});" if what in ROOTED
               else "xtf_mpi_awaits_all({ring}, {entered}, {comm});")
    operation = f"XTF_MPI_OP_{recorded_as}" if recorded_as else "{operation}"
    KINDS[f"collective:{what}"] = (awaited + " xtf_mpi_collective_begin({ring}, {entered});",
                                   succeeded(f"xtf_mpi_collective({{ring}}, {{left}}, {operation}, {traffic})") + OR_FAILED)
    KINDS[f"icollective:{what}"] = ("", succeeded(f"xtf_mpi_icollective({{ring}}, {{entered}}, {operation}, {traffic}, *{{request}})"))
    KINDS[f"collective_init:{what}"] = ("", succeeded(f"xtf_mpi_collective_init({operation}, {traffic}, *{{request}})"))
