#!/usr/bin/env python3
"""Collective operations of three processes: the records, against what each process sends and receives by MPI's rules."""

import recording

P, INT = 3, 4
SELF_IS_ROOT, OWN_GROUP = 2**32 - 2, 2**32 - 3
NONE = None
# The root, and for each rank (sent, received) in ints. Data from a process to itself counts, except in place.
V = [1, 2, 3]
PLAIN = {
    "BARRIER": (NONE, [(0, 0)] * P),
    "BCAST": (1, [(0, 5), (15, 5), (0, 5)]),
    "GATHER": (2, [(2, 0), (2, 0), (2, 6)]),
    "GATHERV": (0, [(1, 6), (2, 0), (3, 0)]),
    "SCATTER": (0, [(12, 4), (0, 4), (0, 4)]),
    "SCATTERV": (1, [(0, 1), (6, 2), (0, 3)]),
    "ALLGATHER": (NONE, [(9, 9)] * P),
    "ALLGATHERV": (NONE, [(3, 6), (6, 6), (9, 6)]),
    "ALLTOALL": (NONE, [(21, 21)] * P),
    "ALLTOALLV": (NONE, [(3, 6), (6, 6), (9, 6)]),
    "ALLTOALLW": (NONE, [(3, 6), (6, 6), (9, 6)]),
    "ALLREDUCE": (NONE, [(18, 18)] * P),
    "REDUCE": (2, [(6, 0), (6, 0), (6, 18)]),
    "REDUCE_SCATTER": (NONE, [(6, 3), (6, 6), (6, 9)]),
    "REDUCE_SCATTER_BLOCK": (NONE, [(12, 12)] * P),
    "SCAN": (NONE, [(9, 3), (6, 6), (3, 9)]),
    "EXSCAN": (NONE, [(6, 0), (3, 3), (0, 6)]),
}
IN_PLACE = [
    ("GATHER", 1, [(2, 0), (0, 4), (2, 0)]),
    ("GATHERV", 1, [(1, 0), (0, 4), (3, 0)]),
    ("SCATTER", 1, [(0, 2), (4, 0), (0, 2)]),
    ("ALLGATHER", NONE, [(6, 6)] * P),
    ("ALLGATHERV", NONE, [(2, 5), (4, 4), (6, 3)]),
    ("ALLTOALL", NONE, [(14, 14)] * P),
    ("ALLREDUCE", NONE, [(12, 12)] * P),
    ("REDUCE", 0, [(0, 12), (6, 0), (6, 0)]),
    ("REDUCE_SCATTER", NONE, [(5, 2), (4, 4), (3, 6)]),
    ("REDUCE_SCATTER_BLOCK", NONE, [(8, 8)] * P),
    ("SCAN", NONE, [(6, 0), (3, 3), (0, 6)]),
]
LINE = [1, 2, 1]  # number of neighbours of each rank
NEIGHBOURS = [
    ("MPI_Neighbor_allgather", "ALLTOALLV", [(3 * n, 3 * n) for n in LINE]),
    ("MPI_Neighbor_alltoall", "ALLTOALLV", [(2 * n, 2 * n) for n in LINE]),
    ("MPI_Neighbor_alltoallv", "ALLTOALLV", [(4 * n, 4 * n) for n in LINE]),
    ("MPI_Neighbor_alltoall", "ALLTOALLV", [(4, 4)] * P),
    ("MPI_Neighbor_allgatherv", "ALLTOALLV", [(4, 4)] * P),
    ("MPI_Neighbor_alltoallw", "ALLTOALLW", [(3, 3)] * P),
]
INTER = [
    ("BCAST", [SELF_IS_ROOT, 0, 0], [(10, 0), (0, 5), (0, 5)]),
    ("REDUCE", [1, OWN_GROUP, SELF_IS_ROOT], [(6, 0), (0, 0), (0, 6)]),
    ("ALLGATHER", [NONE] * P, [(6, 6), (3, 3), (3, 3)]),
    ("BARRIER", [NONE] * P, [(0, 0)] * P),
]


def shown(record):
    return (record.operation, record.root, record.bytes, record.received)


def function(operation, prefix="MPI_"):
    name = operation.capitalize() if prefix == "MPI_" else operation.lower()
    return prefix + name


class Collectives(recording.Case):
    def next_call(self, name, events):
        """Removes the next call, which must be of this function. Returns the collective records in it."""
        call = self.calls.pop(0)
        self.assertEqual(call.name, name, f"rank {self.rank}")
        records = [record for record in call.records if "operation" in record.__dict__]
        self.assertEqual([record.event for record in records], events, f"rank {self.rank}, {name}")
        return records

    def assert_blocking(self, name, wanted, comm):
        _, end = self.next_call(name, ["MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END"])
        operation, root, (sent, received) = wanted
        self.assertEqual(shown(end), (operation, root, sent * INT, received * INT), f"rank {self.rank}, {name}")
        if comm:
            self.assertEqual(self.trace.comm_name(end.comm), comm)
        return end.comm

    def assert_non_blocking(self):
        ids = {}
        for operation in PLAIN:
            (request,) = self.next_call(function(operation, "MPI_I"), ["NON_BLOCKING_COLLECTIVE_REQUEST"])
            self.assertNotIn(request.request, ids)
            ids[request.request] = operation
        for record in self.next_call("MPI_Waitall", ["NON_BLOCKING_COLLECTIVE_COMPLETE"] * len(PLAIN)):
            root, traffic = PLAIN[ids[record.request]]
            self.assertEqual(shown(record), (ids.pop(record.request), root, *(n * INT for n in traffic[self.rank])))

    def assert_persistent(self):
        self.next_call("MPI_Bcast_init", [])
        seen = set()
        for _ in range(2):
            (request,) = self.next_call("MPI_Start", ["NON_BLOCKING_COLLECTIVE_REQUEST"])
            (complete,) = self.next_call("MPI_Wait", ["NON_BLOCKING_COLLECTIVE_COMPLETE"])
            self.assertEqual(request.request, complete.request)
            self.assertEqual(shown(complete), ("BCAST", 1, *(n * INT for n in PLAIN["BCAST"][1][self.rank])))
            seen.add(request.request)
        self.assertEqual(len(seen), 2)
        self.next_call("MPI_Request_free", [])
        self.assert_blocking("MPI_Allreduce_c", ("ALLREDUCE", NONE, PLAIN["ALLREDUCE"][1][self.rank]), "MPI_COMM_WORLD")

    def assert_neighbours(self):
        comms = set()
        for name, operation, traffic in NEIGHBOURS:
            comms.add(self.assert_blocking(name, (operation, NONE, traffic[self.rank]), None))
        self.assertEqual(len(comms), 2)
        (request,) = self.next_call("MPI_Ineighbor_alltoall", ["NON_BLOCKING_COLLECTIVE_REQUEST"])
        (complete,) = self.next_call("MPI_Wait", ["NON_BLOCKING_COLLECTIVE_COMPLETE"])
        self.assertEqual(request.request, complete.request)
        self.assertEqual(shown(complete), ("ALLTOALLV", NONE, 4 * INT, 4 * INT))

    def assert_between_groups(self):
        comms = {self.assert_blocking(function(operation), (operation, root[self.rank], traffic[self.rank]), None) for operation, root, traffic in INTER}
        self.assertEqual(len(comms), 1)
        # Peers are ranks of the other group.
        message = [record for call in self.calls for record in call.records if record.event in ("MPI_SEND", "MPI_RECV")]
        self.assertEqual([(record.event, record.peer, record.tag, record.bytes) for record in message],
                         [[("MPI_SEND", 1, 91, 4 * INT)], [], [("MPI_RECV", 0, 91, 4 * INT)]][self.rank])
        self.calls = [call for call in self.calls if call.name not in ("MPI_Send", "MPI_Recv")]
        self.assertTrue({record.comm for record in message} <= comms)

    def assert_rank(self, fourth):
        names = ("MPI_Init", "MPI_Finalize", "MPI_Comm_", "MPI_Type_", "MPI_Cart_", "MPI_Dist_", "MPI_Intercomm_", "MPI_Topo")
        self.calls = [call for call in self.trace.calls(self.rank) if not call.name.startswith(names)]
        for operation, (root, traffic) in PLAIN.items():
            self.assert_blocking(function(operation), (operation, root, traffic[self.rank]), "MPI_COMM_WORLD")
        for operation, root, traffic in IN_PLACE:
            self.assert_blocking(function(operation), (operation, root, traffic[self.rank]), "MPI_COMM_WORLD")
        self.assert_non_blocking()
        if fourth:
            self.assert_persistent()
        self.assert_neighbours()
        self.assert_between_groups()
        self.assert_blocking("MPI_Bcast", ("BCAST", 0, [3 * 2**32 // INT] * 2), "MPI_COMM_SELF")
        self.assertEqual(self.calls, [])

    def test_bytes(self):
        for mpi in self.mpis():
            self.trace, _ = self.recorded(mpi, P, self.compile(mpi, "collectives"))
            for self.rank in range(P):
                with self.subTest(mpi=mpi, rank=self.rank):
                    self.assert_rank(mpi == "mpich")


if __name__ == "__main__":
    recording.main()
