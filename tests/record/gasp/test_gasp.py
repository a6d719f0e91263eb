#!/usr/bin/env python3
"""Recorded UPC programs. Programs in C call the recorder as the runtimes of the compilers do, with the compilers' numbers of
events. The records of each call of tour.c are compared with one list for both compilers.

usage: test_gasp.py
"""

import struct
import unittest

from gasp_case import DIALECTS, HERE, XTF, GaspCase, Recorded, fewer, mpis

# The records of thread 1 of 3. "bupc" or "gupc" before a line: only that compiler has the event.
NEXT, BEFORE = 2, 0
TOUR = f"""
malloc:
free:
upc_global_alloc:
upc_all_alloc: begin | end ALLOCATE 0 0 0 3
upc_alloc:
upc_free:
upc_global_lock_alloc:
upc_all_lock_alloc: begin | end ALLOCATE 0 0 0 3
upc_lock: request 2 4096 | acquire 2 4096
upc_unlock: release 2 4096
upc_lock_attempt: try 2 4096
upc_unlock: release 2 4096
upc_lock_free:
upc_memget: GET {NEXT} 16 - 0x1000
upc_memput: PUT {BEFORE} 32 - 0x2000
upc_memset: PUT {BEFORE} 48 - 0x2000
upc_memcpy: PUT {BEFORE} 64 - 0x2000
upc_memcpy: GET {NEXT} 80 - 0x1000
upc_memcpy: GET {NEXT} 96 - 0x1000 | PUT {BEFORE} 96 - 0x2000
upc_memcpy: GET 1 112 - 0x3000
upc_get: GET {NEXT} 4 - 0x1000
upc_put: PUT {BEFORE} 8 - 0x2000
upc_nb_get_init: GET {NEXT} 1 1 0x1000
upc_nb_get_init: GET {NEXT} 2 2 0x1000
upc_nb_get_init: GET {NEXT} 3 - 0x1000
upc_nb_get_init: GET {NEXT} 4 - 0x1000
upc_nb_put_init: PUT {BEFORE} 12 3 0x2000
upc_nb_sync: complete 2
upc_nb_sync: complete 1
upc_nb_sync:
bupc bupc_trysync: test 3
bupc bupc_trysync: complete 3
bupc bupc_memget_async: GET {NEXT} 20 4 0x1000
bupc bupc_memput_async: PUT {BEFORE} 24 - 0x2000
bupc bupc_memcpy_async: PUT {BEFORE} 28 - 0x2000
upc_notify: begin
between:
upc_wait: end BARRIER - 0 0 3
bupc upc_notify: begin
bupc upc_wait: end BARRIER - 0 0 3
gupc upc_barrier: begin | end BARRIER - 0 0 3
upc_all_broadcast: begin | end BCAST 1 30 10 {3 + 256 * (1 + 8)}
upc_all_scatter: begin | end SCATTER 1 60 20 {3 + 256 * (2 + 16)}
upc_all_gather: begin | end GATHER 2 30 0 {3 + 256 * (4 + 32)}
upc_all_gather_all: begin | end ALLGATHER - 40 120 {3 + 256 * (1 + 8)}
upc_all_exchange: begin | end ALLTOALL - 150 150 {3 + 256 * (1 + 8)}
upc_all_permute: begin | end ALLTOALLV - 60 60 {3 + 256 * (1 + 8)}
upc_all_reduce: begin | end REDUCE 2 8 0 {3 + 256 * (1 + 8)}
upc_all_prefix_reduce: begin | end SCAN - 4 4 {3 + 256 * (1 + 8)}
gupc upc_fence:
gupc upc_forall:
phase:
odd:
user event:
left while off:
entered while off:
"""
WORDS = {"RMA_COLLECTIVE_BEGIN": "begin", "RMA_COLLECTIVE_END": "end {operation} {root} {bytes} {received} {sync_level}",
         "RMA_REQUEST_LOCK": "request {peer} {lock}", "RMA_ACQUIRE_LOCK": "acquire {peer} {lock}", "RMA_TRY_LOCK": "try {peer} {lock}",
         "RMA_RELEASE_LOCK": "release {peer} {lock}", "RMA_OP_COMPLETE_NON_BLOCKING": "complete {matching}", "RMA_OP_TEST": "test {matching}",
         "RMA_GET": "GET {peer} {bytes} {matching} {address:#x}", "RMA_PUT": "PUT {peer} {bytes} {matching} {address:#x}"}


def words_of(record):
    values = {name: "-" if value is None else value for name, value in record.__dict__.items()}
    return WORDS.get(record.event, record.event).format(**values, **record.attributes)


def inner_calls(trace, process):
    """Returns the calls directly in a thread's "main", with the records directly in each: (call's records, list of words)."""
    calls, depth = [], 0
    for record in trace.records[process << 32]:
        if record.region == "MEASUREMENT OFF" or record.event == "MEASUREMENT_ON_OFF":
            continue
        if record.event == "ENTER":
            depth += 1
            if depth == 2:
                calls.append((record, []))
        elif record.event == "LEAVE":
            depth -= 1
        elif depth == 2:
            calls[-1][1].append(words_of(record))
    return calls


class Gasp(GaspCase):
    def test_each_event(self):
        for dialect in DIALECTS:
            with self.subTest(dialect):
                trace, said = self.record_threads(self.build("tour", dialect))
                self.assertNotIn("not known", said)
                other = next(name for name in DIALECTS if name != dialect)
                expected = [line.removeprefix(dialect + " ") for line in TOUR.strip().splitlines() if not line.startswith(other + " ")]
                found = [f"{enter.region}: {' | '.join(words)}".strip() for enter, words in inner_calls(trace, 1)]
                self.assertEqual(found, expected)
                self.assertEqual([trace.text("rma_windows", row) for row in range(len(trace.tables["rma_windows"]))], [""])
                comm = trace.tables["rma_windows"][0]["comm"]
                self.assertEqual((trace.comm_name(comm), trace.members(comm)), ("UPC world", [0, 1, 2]))

    def test_attributes(self):
        trace, _ = self.record_threads(self.build("tour", "bupc"))
        calls = {enter.region: enter.attributes for enter, _ in inner_calls(trace, 0)}
        half = struct.unpack("<Q", struct.pack("<d", 2.5))[0]
        self.assertEqual(calls["phase"], {"argument 1": 2 ** 64 - 7, "argument 2": half, "argument 3": 1 << 40})
        self.assertEqual((calls["odd"], calls["user event"]), ({}, {}))
        self.assertEqual(calls["upc_all_alloc"], {"allocated": 300})
        self.assertEqual((calls["upc_global_alloc"], calls["upc_alloc"]), ({"allocated": 3000}, {"allocated": 64}))

    def test_functions(self):
        trace, _ = self.record_threads(self.build("tour", "gupc"))
        regions = {trace.text("regions", row): trace.tables["regions"][row] for row in range(len(trace.tables["regions"]))}
        source = (HERE / "tour.c").read_text().splitlines()
        line = next(n for n, text in enumerate(source, 1) if 'START(C_FUNC, "between")' in text)
        self.assertEqual((regions["between"]["line"], trace.trace.string(regions["between"]["file"])), (line, str(HERE / "tour.c")))
        self.assertEqual(regions["upc_memget"]["paradigm"], 12)  # UPC

    def test_many_threads(self):
        for n in (4, 32):
            trace, said = self.record_threads(self.build("patterns", "gupc"), "wait_at_barrier", str(n))
            self.assertEqual(trace.processes(), list(range(n)), said)
            self.assertEqual(trace.members(0), list(range(n)))
            for process in range(n):
                barrier = next(enter for enter, _ in inner_calls(trace, process) if enter.region == "upc_barrier")
                main = next(record for record in trace.records[process << 32] if record.region == "main")
                self.assertEqual(barrier.time - main.time, 1000000 * (process + 1))

    @unittest.skipUnless("openmpi" in mpis(), "programs of Open MPI cannot be recorded")
    def test_launcher(self):
        """Threads that a launcher starts, in both forms of the command."""
        program = self.build("patterns", "bupc")
        launcher = ["mpirun.openmpi", "--oversubscribe", "-n", "4"]
        trace, said = self.record_threads(*launcher, program, "wait_at_barrier", "4")
        self.assertEqual((trace.processes(), trace.members(0)), ([0, 1, 2, 3], [0, 1, 2, 3]), said)
        inside = self.folder / "inside.xtf"
        self.run_in(*launcher, XTF, "record", "--clock", "monotonic", "-o", inside, program, "wait_at_barrier", "4")
        self.xtf("merge", "-o", inside, f"{inside}.d")
        merged = Recorded(inside)
        self.addCleanup(merged.close)
        for process in range(4):
            self.assertEqual([enter.region for enter, _ in inner_calls(merged, process)], ["upc_notify", "upc_wait"])

    def test_without_upcalls(self):
        """Without gaspu.upc, only the calls are known."""
        trace, said = self.record_threads(self.build("tour", "gupc", "-DWITHOUT_GASPU"))
        self.assertIn("the program lacks gaspu.upc", said)
        self.assertEqual(len(trace.processes()), 3)
        self.assertEqual([call for call in inner_calls(trace, 0) if call[1]], [])
        self.assertIn("upc_memget", [enter.region for enter, _ in inner_calls(trace, 0)])

    def test_wrong_library(self):
        _, said = self.record_threads(self.build("tour", "bupc", library="gupc"))
        self.assertIn("is libxtf-gasp-gupc the library of the program's compiler?", said)

    def test_not_recorded(self):
        """The libraries that programs are linked with do nothing."""
        for dialect in DIALECTS:
            self.assertEqual(self.run_in(self.build("tour", dialect)), "")

    def test_ranks(self):
        trace, _ = self.record_threads(self.build("tour", "bupc"), options=("--ranks", "0,2"))
        self.assertEqual([process for process in trace.processes() if inner_calls(trace, process)], [0, 2])
        self.assertEqual(trace.processes(), [0, 1, 2])


if __name__ == "__main__":
    fewer.main()
