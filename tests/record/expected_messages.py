"""The expected records of programs/blocking.c, programs/requests.c and programs/switched.c: for each rank its calls in order, and
the records in each.

The lists are derived from the programs and MPI's rules, not from recordings. Records are (WHAT, request, peer, tag, bytes)
without absent fields. Requests have names here: equal names are one id, different names different ids.
"""

INT, DOUBLE, SHORT = 4, 8, 2

# A row of calls of one of these counts as one call, as their number depends on time.
POLLS = {"MPI_Iprobe", "MPI_Improbe", "MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Waitsome"}


def sent(function, peer, tag, size):
    return (function, [("SEND", peer, tag, size)])


def received(peer, tag, size, function="MPI_Recv"):
    return (function, [("RECV", peer, tag, size)])


def isent(name, peer, tag, size, function="MPI_Isend"):
    return (function, [("ISEND", name, peer, tag, size)])


def posted(name, function="MPI_Irecv"):
    return (function, [("POST", name)])


def got(name, peer, tag, size):
    return ("IRECV", name, peer, tag, size)


def done(name):
    return ("DONE", name)


def cancelled(name):
    return ("CANCELLED", name)


def call(function, *records):
    return (function, list(records))


def blocking(rank):
    peer = 1 - rank
    if rank == 0:
        yield from [sent("MPI_Send", 1, 10, 3 * INT), sent("MPI_Ssend", 1, 11, 2 * INT), call("MPI_Buffer_attach"), sent("MPI_Bsend", 1, 12, INT),
                    call("MPI_Buffer_detach"), received(1, 99, 0), sent("MPI_Rsend", 1, 13, 3 * INT)]
    else:
        yield from [received(0, 10, 3 * INT), received(0, 11, 2 * INT), received(0, 12, INT), posted("ready"), sent("MPI_Send", 0, 99, 0),
                    call("MPI_Wait", got("ready", 0, 13, 3 * INT))]
    # No data, or no peer.
    yield sent("MPI_Send", 1, 20, 0) if rank == 0 else received(0, 20, 0)
    yield from [call(f"MPI_{name}") for name in ("Send", "Recv", "Isend", "Irecv", "Waitall")]
    # Types: 5 of 4 blocks of 2; 2 of 3, of a type that is freed before the receive completes.
    if rank == 0:
        yield from [sent("MPI_Send", 1, 30, 5 * 4 * 2 * DOUBLE), sent("MPI_Send", 1, 31, 2 * 3 * SHORT)]
    else:
        yield from [received(0, 30, 5 * 4 * 2 * DOUBLE), posted("freed type"), call("MPI_Wait", got("freed type", 0, 31, 2 * 3 * SHORT))]
    # MPI_ANY_SOURCE, MPI_ANY_TAG.
    yield sent("MPI_Send", 1, 40, 7) if rank == 0 else received(0, 40, 7)
    # Sendrecv.
    yield call("MPI_Sendrecv", ("SEND", peer, 50 + rank, (1 + rank) * INT), ("RECV", peer, 50 + peer, (1 + peer) * INT))
    yield call("MPI_Sendrecv_replace", ("SEND", peer, 52, 3 * INT), ("RECV", peer, 52, 3 * INT))
    yield sent("MPI_Sendrecv", 1, 53, 2 * INT) if rank == 0 else received(0, 53, 2 * INT, "MPI_Sendrecv")
    # Probes.
    if rank == 0:
        yield from [call("MPI_Iprobe"), sent("MPI_Send", 1, 60, INT), call("MPI_Probe"), call("MPI_Iprobe"), received(1, 61, INT),
                    posted("first", "MPI_Mprobe"), call("MPI_Mrecv", got("first", 1, 62, 2 * INT)), posted("matched", "MPI_Mprobe"), call("MPI_Imrecv"),
                    call("MPI_Wait", got("matched", 1, 63, 3 * INT)), posted("third", "MPI_Improbe"), call("MPI_Mrecv", got("third", 1, 64, 4 * INT)),
                    call("MPI_Mprobe"), call("MPI_Mrecv")]
    else:
        yield from [received(0, 60, INT), *(sent("MPI_Send", 0, 60 + i, i * INT) for i in range(1, 5))]
    # Calls that fail record no message.
    yield call("MPI_Send")
    yield sent("MPI_Send", 1, 71, 8) if rank == 0 else call("MPI_Recv")


def requests(rank, fourth):
    """Yields the calls of programs/requests.c. `fourth`: with functions of MPI 4."""
    peer = 1 - rank

    def notify(tag):
        return sent("MPI_Send", peer, tag, 0)

    def wait_for(tag):
        return received(peer, tag, 0)

    yield from [posted("r"), isent("s", peer, 10 + rank, 3 * INT), call("MPI_Waitall", got("r", peer, 10 + peer, 3 * INT), done("s")), call("MPI_Waitall")]
    if rank == 0:
        yield from [isent("synchronous", 1, 15, INT, "MPI_Issend"), call("MPI_Wait", done("synchronous"))]
    else:
        yield from [posted("any"), call("MPI_Wait", got("any", 0, 15, INT))]
    yield call("MPI_Wait")

    if rank == 0:
        small = [f"small {i}" for i in range(10)]
        yield from [isent(name, 1, 20, 1) for name in small]
        yield call("MPI_Isend")
        yield ("MPI_Wait...", 11, [done(name) for name in small])
    else:
        yield from [received(0, 20, 1)] * 10

    yield from [call(f"MPI_{name}") for name in (("Send_init", "Ssend_init", "Send_init") if rank == 0 else ("Recv_init", "Recv_init", "Recv_init"))]
    for i in range(2):
        a, b = f"persistent {i}", f"another {i}"
        if rank == 0:
            yield from [isent(a, 1, 30, 2 * INT, "MPI_Start"), call("MPI_Wait", done(a)), call("MPI_Wait"),
                        isent(b, 1, 31, 3 * INT, "MPI_Startall"), call("MPI_Waitall", done(b))]
        else:
            yield from [posted(a, "MPI_Start"), call("MPI_Wait", got(a, 0, 30, 2 * INT)), call("MPI_Wait"), posted(b, "MPI_Startall"),
                        call("MPI_Waitall", got(b, 0, 31, 3 * INT))]
    yield from [call("MPI_Request_free")] * 3

    if rank == 0:
        yield from [isent("given up", 1, 40, 4), call("MPI_Request_free"), wait_for(41)]
    else:
        yield from [received(0, 40, 4), notify(41)]
    yield from [posted("cancelled"), call("MPI_Cancel"), call("MPI_Wait", cancelled("cancelled"))]

    if rank == 0:
        yield from [call("MPI_Waitany"), posted("one"), call("MPI_Waitany", got("one", 1, 50, INT))]
        for function in ("MPI_Waitsome", "MPI_Testall", "MPI_Testany", "MPI_Testsome"):
            names = [f"{function} {i}" for i in range(4)]
            yield from [*map(posted, names), notify(59), call(function, *(got(name, 1, 51 + i, INT) for i, name in enumerate(names)))]
    else:
        yield sent("MPI_Send", 0, 50, INT)
        for _ in range(4):
            yield from [wait_for(59), *(sent("MPI_Send", 0, 51 + i, INT) for i in range(4))]

    if rank == 0:
        yield from [posted("tested"), call("MPI_Test"), notify(61), call("MPI_Test", got("tested", 1, 60, INT))]
    else:
        yield from [wait_for(61), sent("MPI_Send", 0, 60, INT)]
    yield from [call("MPI_Grequest_start"), call("MPI_Recv_init"), call("MPI_Request_free"), call("MPI_Grequest_complete"), call("MPI_Test")]

    if rank == 0:
        yield from [posted("too long"), posted("fits"), notify(72), ("MPI_Waitall...", None, [cancelled("too long"), got("fits", 1, 71, 8)])]
    else:
        yield from [wait_for(72), sent("MPI_Send", 0, 71, 8), sent("MPI_Send", 0, 70, 8)]

    if fourth:
        yield from [("MPI_Isendrecv", [("ISEND", "both", peer, 80 + rank, 2 * INT), ("POST", "and")]),
                    call("MPI_Wait", done("both"), got("and", peer, 80 + peer, 2 * INT)),
                    ("MPI_Isendrecv_replace", [("ISEND", "both again", peer, 82, 3 * INT), ("POST", "and again")]),
                    call("MPI_Wait", done("both again"), got("and again", peer, 82, 3 * INT)), call("MPI_Send_c")]
        yield call("MPI_Psend_init" if rank == 0 else "MPI_Precv_init")
        for i in range(2):
            if rank == 0:
                yield from [isent(f"parts {i}", 1, 84, 3 * 2 * INT, "MPI_Start"), *[call("MPI_Pready")] * 3, call("MPI_Wait", done(f"parts {i}"))]
            else:
                yield from [posted(f"parts {i}", "MPI_Start"), call("MPI_Wait", got(f"parts {i}", 0, 84, 3 * 2 * INT))]
        yield call("MPI_Request_free")


def switched(rank):
    """Yields the calls of programs/switched.c. Requests that start or complete while the process is switched off are absent."""
    peer = 1 - rank
    yield call("MPI_Recv")

    def start(tag):
        return [posted(f"r{tag}"), isent(f"s{tag}", peer, tag, INT, "MPI_Issend")]

    yield from [*start(1), call("MPI_Waitall", got("r1", peer, 1, INT), done("s1"))]
    yield from [*start(2), call("MPI_Waitall")]
    yield from [*start(4), *start(5), call("MPI_Waitall", got("r4", peer, 4, INT), done("s4"))]
    yield from [call("MPI_Recv_init"), posted("first", "MPI_Start"), sent("MPI_Send", peer, 6, INT), call("MPI_Wait"),
                posted("second", "MPI_Start"), sent("MPI_Send", peer, 6, INT), call("MPI_Wait", got("second", peer, 6, INT)), call("MPI_Request_free")]
    yield from [posted("tested"), call("MPI_Test"), sent("MPI_Send", peer, 8, INT), call("MPI_Wait", got("tested", peer, 8, INT))]
    yield call("MPI_Sendrecv", ("SEND", peer, 7, INT), ("RECV", peer, 7, INT))
