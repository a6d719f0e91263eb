#!/usr/bin/env python3
"""Recorded one-sided communication. The records of each call of programs/windows.c are compared with the program's text. The
waits that `xtf analyze` finds in programs/window_waits.c are compared with formulas over the times of its calls.

usage: test_windows.py
"""

import re

from mpis import working
from recording import Case, main, mpis, with_large


def made(call, window, operation="CREATE_HANDLE_AND_ALLOCATE"):
    return [f"{call}: begin create {window} end {operation} {window}"]


def freed(window, operation="DESTROY_HANDLE_AND_DEALLOCATE"):
    return [f"MPI_Win_free: begin destroy {window} end {operation} {window}"]


def fence(window, completed=0):
    return " ".join(["MPI_Win_fence: begin", *[f"remote {window}"] * completed, f"end BARRIER {window}"])


def epoch(window, call, memory=False, completed=0):
    return " ".join([f"MPI_Win_{call}:", *[f"remote {window}"] * completed, f"sync {3 if memory else 1} {window} {{other}}"])


COMMON = {"fenced": made("MPI_Win_create", "fenced", "CREATE_HANDLE"), "epochs": made("MPI_Win_allocate", "epochs"),
          "locked": made("MPI_Win_allocate", "locked"), "shared": made("MPI_Win_allocate_shared", "shared"),
          "dynamic": made("MPI_Win_create_dynamic", "dynamic", "CREATE_HANDLE")}
# Expected records of the calls; calls without records are omitted. An operation has its kind, window, peer, bytes, bytes
# received.
ORIGIN = [
    *COMMON["fenced"], fence("fenced"), "MPI_Put: PUT fenced 1 12", "MPI_Get: GET fenced 1 8", fence("fenced", 2),
    "MPI_Accumulate: ACCUMULATE fenced 1 16 0", fence("fenced", 1), *freed("fenced", "DESTROY_HANDLE"),
    *COMMON["epochs"], *[epoch("epochs", "start"), "MPI_Put: PUT epochs 1 4", epoch("epochs", "complete", True, 1)] * 2, *freed("epochs"),
    *COMMON["locked"], "MPI_Barrier: MPI_COLLECTIVE_BEGIN MPI_COLLECTIVE_END",
    "MPI_Win_lock: request EXCLUSIVE locked 1", "MPI_Put: PUT locked 1 8", "MPI_Win_flush_local: local locked", "MPI_Win_flush: remote locked",
    "MPI_Win_unlock: release locked 1",
    "MPI_Win_lock: request SHARED locked 1", "MPI_Fetch_and_op: FETCH_AND_ADD locked 1 8 8", "MPI_Compare_and_swap: COMPARE_AND_SWAP locked 1 8 8",
    "MPI_Win_unlock: remote locked remote locked release locked 1",
    "MPI_Rput: PUT locked 1 8", "MPI_Wait: local locked", "MPI_Get_accumulate: FETCH_AND_ACCUMULATE locked 1 8 8", "MPI_Win_sync: MEMORY locked",
    "MPI_Win_flush_all: remote locked remote locked", "MPI_Barrier: MPI_COLLECTIVE_BEGIN MPI_COLLECTIVE_END", *freed("locked"),
    *COMMON["shared"], *freed("shared"),
    *COMMON["dynamic"], "MPI_Bcast: MPI_COLLECTIVE_BEGIN MPI_COLLECTIVE_END", fence("dynamic"), "MPI_Put: PUT dynamic 1 1", fence("dynamic", 1),
    *freed("dynamic", "DESTROY_HANDLE"),
]
TARGET = [
    *COMMON["fenced"], fence("fenced"), fence("fenced"), fence("fenced"), *freed("fenced", "DESTROY_HANDLE"),
    *COMMON["epochs"], epoch("epochs", "post"), epoch("epochs", "wait", True), epoch("epochs", "post"), epoch("epochs", "test", True), *freed("epochs"),
    *COMMON["locked"], *["MPI_Barrier: MPI_COLLECTIVE_BEGIN MPI_COLLECTIVE_END"] * 2, *freed("locked"),
    *COMMON["shared"], *freed("shared"),
    *COMMON["dynamic"], "MPI_Bcast: MPI_COLLECTIVE_BEGIN MPI_COLLECTIVE_END", fence("dynamic"), fence("dynamic"), *freed("dynamic", "DESTROY_HANDLE"),
]
EVENTS = {"RMA_COLLECTIVE_BEGIN": "begin", "RMA_WIN_CREATE": "create {window}", "RMA_WIN_DESTROY": "destroy {window}",
          "RMA_COLLECTIVE_END": "end {operation} {window}", "RMA_PUT": "PUT {window} {peer} {bytes}", "RMA_GET": "GET {window} {peer} {bytes}",
          "RMA_ATOMIC": "{atomic} {window} {peer} {bytes} {received}", "RMA_OP_COMPLETE_REMOTE": "remote {window}",
          "RMA_OP_COMPLETE_NON_BLOCKING": "local {window}", "RMA_GROUP_SYNC": "sync {sync_level} {window} {group}", "RMA_SYNC": "{sync_type} {window}",
          "RMA_REQUEST_LOCK": "request {lock_type} {window} {peer}", "RMA_RELEASE_LOCK": "release {window} {peer}"}


class Windows(Case):
    def text(self, trace, record):
        if record.event not in EVENTS:
            return record.event
        values = dict(vars(record), window=trace.text("rma_windows", record.window))
        if record.event == "RMA_GROUP_SYNC":
            values["group"] = trace.processes_of(record.group)
        return EVENTS[record.event].format(**values)

    def check_completions(self, trace):
        """Checks that an operation completes at its target once, and before that at most once at its origin."""
        for process in range(2):
            under_way, local = set(), set()
            for record in trace.records[process << 32]:
                if record.event in ("RMA_PUT", "RMA_GET", "RMA_ATOMIC"):
                    self.assertNotIn(record.matching, under_way)
                    under_way.add(record.matching)
                elif record.event == "RMA_OP_COMPLETE_NON_BLOCKING":
                    self.assertIn(record.matching, under_way - local)
                    local.add(record.matching)
                elif record.event == "RMA_OP_COMPLETE_REMOTE":
                    under_way.remove(record.matching)
            self.assertEqual(under_way, set())

    def check_program(self, mpi, program, large=()):
        """Checks a program. `large`: functions that are replaced by their versions for large counts."""
        trace, _ = self.recorded(mpi, 2, program, **working(mpi))
        self.assertEqual(len(trace.tables["rma_windows"]), 5, "a row for both processes")
        self.assertEqual({trace.comm_name(row["comm"]) for row in trace.tables["rma_windows"]}, {"MPI_COMM_WORLD"})
        for process, expected in enumerate((ORIGIN, TARGET)):
            calls = [(call.name, " ".join(self.text(trace, record) for record in call.records)) for call in trace.calls(process)]
            found = [f"{name}: {text}" for name, text in calls if text and name not in ("MPI_Init", "MPI_Finalize")]
            self.maxDiff = None
            self.assertEqual(found, [with_large(line.format(other=[1 - process]), large) for line in expected])
        self.check_completions(trace)

    def test_windows(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                self.check_program(mpi, self.compile(mpi, "windows"))

    def test_large_counts(self):
        if "mpich" not in mpis():
            self.skipTest("no installed MPI has functions for large counts")
        self.check_program("mpich", *self.compile_large("mpich", "windows", "rma"))


class Waits(Case):
    """The waits by Scalasca's formulas for this program, from the times of the calls in the trace."""

    def calls(self, trace, process, *names):
        return [(call.enter.time, call.leave[0].time) for call in trace.calls(process) if call.name in names]

    def fence_waits(self, trace):
        for fences in zip(*(self.calls(trace, process, "MPI_Win_fence") for process in range(3))):
            last = max(enter for enter, _ in fences)
            if min(leave for _, leave in fences) > last:
                yield from (last - enter for enter, _ in fences)

    def post_waits(self, trace):
        starts, completes = self.calls(trace, 0, "MPI_Win_start"), self.calls(trace, 0, "MPI_Win_complete")
        puts = self.calls(trace, 0, "MPI_Put")
        for i, (post, _) in enumerate(self.calls(trace, 1, "MPI_Win_post")):
            yield next((post - enter for enter, leave in (completes[i], starts[i], puts[i]) if enter < post < leave), 0)

    def wait_waits(self, trace):
        for (enter, _), (complete, _) in zip(self.calls(trace, 1, "MPI_Win_wait"), self.calls(trace, 0, "MPI_Win_complete")):
            yield max(complete - enter, 0)

    def lock_waits(self, trace):
        """Yields the wait of the process that leaves MPI_Win_unlock last. In most runs it is 1, but 0 may return late, after its
        lock has passed to 1."""
        first, second = sorted((0, 1), key=lambda process: self.calls(trace, process, "MPI_Win_unlock")[0][1])
        (_, released), = self.calls(trace, first, "MPI_Win_unlock")
        calls = self.calls(trace, second, "MPI_Win_lock", "MPI_Put", "MPI_Win_flush", "MPI_Win_unlock")
        yield sum(released - enter for enter, leave in calls if enter < released < leave)

    def compare_waits(self, mpi, program):
        """Records the program once, and compares its waits with the formulas. Returns the kinds of which there are some."""
        path = self.folder / f"{program.name}.xtf"
        path.unlink(missing_ok=True)
        trace, _ = self.recorded(mpi, 3, program, **working(mpi))
        lines = self.xtf("analyze", "-f", "-o", f"{path}.analysis", path).splitlines()
        found = {words[0]: round(float(words[2]) * 1e9) for words in map(str.split, lines) if len(words) == 4 and re.fullmatch(r"\d+", words[1])}
        expected = {"wait_fence": self.fence_waits, "late_post": self.post_waits, "early_wait": self.wait_waits, "lock_competition": self.lock_waits}
        for kind, waits in expected.items():
            self.assertEqual(found.get(kind, 0), sum(waits(trace)), kind)
        return {kind for kind in expected if found.get(kind, 0) > 0}

    def test_waits(self):
        """On a busy machine a process may be late in one run, so that no other waits for its lock."""
        kinds = {"wait_fence", "late_post", "early_wait", "lock_competition"}
        for mpi in self.mpis():
            with self.subTest(mpi):
                program, seen = self.compile(mpi, "window_waits"), set()
                for _ in range(5):
                    seen |= self.compare_waits(mpi, program)
                    if seen == kinds:
                        break
                self.assertEqual(seen, kinds, "the program has such waits")


if __name__ == "__main__":
    main()
