#!/usr/bin/env python3
"""Jobs of several nodes, which namespaces simulate, with clocks that the test makes wrong (clocks/test-clock.c). The recorder's readings
must bring the times of all events back to the first node's clock, within half the round trips and 1 us.

usage: test_clocks.py SOURCE_OF_PULSE
"""

import os
import pathlib
import shlex
import sys

import fewer
from launching import XTF
from recorded_trace import Recorded
from ring import MPIS, SKIP, Ring
from test_nodes import AGENT, BETWEEN, working_way

POINTS = ("INIT", "COLLECTIVE", "PCONTROL", "FINALIZE")
HOSTS = ("one", "two", "three", "four", "five")
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
MODULES = os.environ["CLOCK_MODULES"]


class Clock:
    """The clock of a process, as XTF_TEST_CLOCK says: by how much its time differs from CLOCK_MONOTONIC."""

    def __init__(self, offset=0, drift=0, wander=0, period=0):
        self.offset, self.drift, self.wander, self.period = offset, drift, wander, period

    def text(self, rank):
        return f"{rank}:{self.offset}:{self.drift}" + (f":{self.wander},{self.period}" if self.period else "")

    def __call__(self, time):
        shown = time + self.offset + time * self.drift // 10**9
        if self.period:
            phase = time % self.period
            shown += (phase if phase < self.period // 2 else self.period - phase) * self.wander // 10**9
        return shown


class Trace(Recorded):
    """A recorded trace, with the times of calls on the first node's clock and on the process's own."""

    def __init__(self, path):
        super().__init__(path)
        self.clocks = {array.location: array.clock for array in self.trace.arrays()}
        self.readings, self.nodes = self.tables.get("clock_readings", []), self.tables.get("clock_nodes", [])

    def times(self, process, correct=True):
        """Returns [name, ENTER, LEAVE] of each outermost call of a process; the times are of its own clock if not `correct`."""
        clock, found, depth = self.clocks[process << 32], [], 0
        for record in self.records[process << 32]:
            time = record.time if correct or not clock else clock.to_local(record.time)
            if record.event == "ENTER":
                depth += 1
                if depth == 1:
                    found.append([record.region, time, None])
            elif record.event == "LEAVE":
                depth -= 1
                if depth == 0:
                    found[-1][2] = time
        return found

    def bounds(self):
        """Returns {process: greatest error of its clock}, from the readings alone."""
        bounds, node = {0: 0}, {row["proc"]: row["node"] for row in self.nodes}
        for row in sorted(self.readings, key=lambda row: row["proc"]):
            if not row["is_reference"]:
                bounds[row["proc"]] = max(bounds.get(row["proc"], 0), row["round_trip"] / 2 + bounds[row["partner"]])
        return {process: bounds[min(other for other in node if node[other] == node[process])] for process in node}


def logged(folder, process):
    """Returns (name, time before, time after) of each call that a process has logged."""
    lines = (folder / f"log-{process}").read_text().splitlines()
    return [(name, int(before), int(after)) for name, before, after in map(str.split, lines)]


class Clocks(Ring):
    def setUp(self):
        super().setUp()
        self.environment.update(BETWEEN)
        self.environment.update(XTF_RECORD_LIBDIR=MODULES, HIDES="")
        for name in (*(f"node-{host}" for host in HOSTS), "hidden", "out"):
            (self.folder / name).mkdir()
        self.agent = self.folder / "agent"
        self.agent.write_text(AGENT.format(separate=shlex.join(working_way()), folder=shlex.quote(str(self.folder))))
        self.agent.chmod(0o755)

    def compiled(self, mpi):
        done = self.run_in("mpicc." + mpi, "-O1", SOURCE, "-o", "pulse-" + mpi)
        self.assertEqual(done.returncode, 0, done.stderr)
        return "./pulse-" + mpi

    def launch(self, mpi, nodes, per_node, *command):
        """Returns a command that launches processes, the first ones on the first node."""
        hosts, n = HOSTS[:nodes], str(nodes * per_node)
        if mpi == "openmpi":
            return ["mpirun.openmpi", "--mca", "plm_rsh_agent", self.agent, "-x", "XTF_TEST_CLOCK", "--host", ",".join(f"{host}:{per_node}" for host in hosts), "-n", n, *command]
        return ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", self.agent, "-hosts", ",".join(hosts), "-ppn", str(per_node), "-n", n, *command]

    def recorded(self, mpi, clocks, per_node, *program, options=(), status=0):
        """Records a job in which each node has one of the clocks. Returns its trace and the printed lines."""
        self.environment["XTF_TEST_CLOCK"] = " ".join(clocks[rank // per_node].text(rank) for rank in range(per_node * len(clocks)))
        _, printed = self.record("--force", "--clock", "monotonic", *options, "-o", "out/run.xtf",
                                 *self.launch(mpi, len(clocks), per_node, self.compiled(mpi), *program), status=status)
        self.xtf("check", "out/run.xtf")
        return self.opened("out/run.xtf"), printed

    def opened(self, name):
        trace = Trace(self.folder / name)
        self.addCleanup(trace.close)
        return trace

    def calls_of(self, trace, process):
        """Returns the logged calls of a process, each with the corrected times of its ENTER and LEAVE."""
        logs = logged(self.folder, process)
        names = {name for name, _, _ in logs}
        times = [call for call in trace.times(process) if call[0] in names]
        self.assertEqual([call[0] for call in times], [call[0] for call in logs])
        return [(before, enter, leave, after) for (_, enter, leave), (_, before, after) in zip(times, logs)]

    def check_times(self, trace, clocks, per_node):
        """Checks the times of all calls. The first process's calls say by how much CLOCK_MONOTONIC differs from the time of the trace."""
        first, bounds = clocks[0], trace.bounds()
        calls = self.calls_of(trace, 0)
        least, most = max(leave - first(after) for _, _, leave, after in calls), min(enter - first(before) for before, enter, _, _ in calls)
        self.assertLessEqual(least, most)
        for process in range(per_node * len(clocks)):
            error = bounds[process] + 1000
            for before, enter, leave, after in self.calls_of(trace, process):
                self.assertGreaterEqual(enter + error, first(before) + least, f"process {process}: ENTER, allowed error {error}")
                self.assertLessEqual(leave - error, first(after) + most, f"process {process}: LEAVE, allowed error {error}")

    def violations(self, trace, n, correct):
        """Returns by how much messages are received before they are sent: each process sends to the next one."""
        sendrecvs = [[call for call in trace.times(process, correct) if call[0] == "MPI_Sendrecv"] for process in range(n)]
        return [(process, sent[1] - received[2]) for process in range(n) for sent, received in zip(sendrecvs[process], sendrecvs[(process + 1) % n]) if sent[1] > received[2]]

    def check_points(self, trace, nodes, points):
        """Checks that each node but the first was read at these points, and that both ends are there."""
        for is_reference in False, True:
            rows = [row for row in trace.readings if bool(row["is_reference"]) == is_reference]
            self.assertEqual(len(rows), (nodes - 1) * len(points))
        self.assertEqual([POINTS[row["point"]] for row in sorted(trace.readings, key=lambda row: row["reading"])], [point for point in points for _ in range(2 * (nodes - 1))])

    def check_corrected(self, trace, clocks, per_node):
        n = per_node * len(clocks)
        self.assertGreater(len(self.violations(trace, n, correct=False)), 0, "violations of the clocks as they were recorded")
        bounds = trace.bounds()
        for process, by in self.violations(trace, n, correct=True):
            self.assertLessEqual(by, bounds[process] + bounds[(process + 1) % n] + 2000)
        self.check_times(trace, clocks, per_node)

    def test_two_nodes(self):
        for mpi in self.mpis():
            for clocks in ([Clock(2 * 10**9), Clock(14_300_000_000, 37_000)], [Clock(60 * 10**9, -20_000), Clock(41 * 10**9, 150_000)]):
                with self.subTest(mpi, clocks=[clock.text(0) for clock in clocks]):
                    trace, printed = self.recorded(mpi, clocks, 2, 30, 20000)
                    self.assertIn("the clocks of 2 nodes are corrected by readings", printed)
                    self.check_points(trace, 2, ["INIT", "FINALIZE"])
                    self.check_corrected(trace, clocks, 2)
                    self.check_recorders_time(trace)

    def check_recorders_time(self, trace):
        """Checks that the time of the readings is the recorder's own, in the processes that took part."""
        readers = {row["proc"] for row in trace.readings}
        for process in trace.processes():
            marked = [record for record in trace.records[process << 32] if record.region == "CLOCK READINGS"]
            self.assertEqual([record.event for record in marked], ["ENTER", "BUFFER_FLUSH", "LEAVE"] * (2 if process in readers else 0))

    def test_five_nodes(self):
        clocks = [Clock(30 * 10**9), Clock(10 * 10**9, 90_000), Clock(50 * 10**9, -300_000), Clock(30_000_100_000, 500), Clock(2 * 10**9)]
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, _ = self.recorded(mpi, clocks, 1, 20, 30000)
                self.check_points(trace, 5, ["INIT", "FINALIZE"])
                # A tree: node 3 reads node 1, node 4 reads node 0.
                self.assertEqual({row["proc"]: row["partner"] for row in trace.readings if not row["is_reference"]}, {1: 0, 2: 0, 3: 1, 4: 0})
                self.check_corrected(trace, clocks, 1)

    def test_wandering(self):
        """Clocks that wander contradict messages, unless they are read often. `xtf align` begins with the readings."""
        clocks = [Clock(5 * 10**9), Clock(9 * 10**9, 0, 400_000, 10**9)]
        for mpi in self.mpis():
            with self.subTest(mpi):
                self.recorded(mpi, clocks, 1, 60, 20000, options=["--sync-every", "100ms"])
                trace = self.opened("out/run.xtf")
                points = [POINTS[row["point"]] for row in trace.readings]
                self.assertGreater(points.count("COLLECTIVE"), 2)
                self.assertEqual((points.count("INIT"), points.count("FINALIZE")), (2, 2))
                printed = self.xtf("align", "-a", "-o", "out/aligned.xtf", "-f", "out/run.xtf")
                self.assertIn("those of the recorder, mended", printed)
                self.assertEqual(self.violations(self.opened("out/aligned.xtf"), 2, correct=True), [])
                self.xtf("copy", "--compensate", "-f", "out/aligned.xtf", "out/compensated.xtf")
                self.assertIn("which the trace does not have", self.xtf("cat", "out/compensated.xtf", "clocks", status=1))

    def test_unrecorded_process(self):
        """On one node, or without readings, nothing waits for a process without the recorder."""
        bare = self.script("bare", 'case "$PMI_RANK$OMPI_COMM_WORLD_RANK" in 1) unset LD_PRELOAD;; esac\nexec "$@"\n')
        for mpi in self.mpis():
            with self.subTest(mpi):
                program = Ring.compiled(self, mpi)
                _, printed = self.record("--force", "-o", "out/run.xtf", f"mpirun.{mpi}", "-n", "2", bare, program, status=1)
                self.assertIn("process 1 of 2 left no part", printed)
                self.assertEqual(self.xtf("cat", "out/run.xtf", "/region/MPI_Sendrecv/calls/count").strip(), "50")
                _, printed = self.record("--force", "--clock-sync", "off", "-o", "out/run.xtf", *self.launch(mpi, 2, 1, bare, program), status=1)
                self.assertIn("process 1 of 2 left no part", printed)

    def test_pcontrol(self):
        clocks = [Clock(5 * 10**9), Clock(9 * 10**9, 2000)]
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, _ = self.recorded(mpi, clocks, 2, 10, 1000, "pcontrol")
                self.check_points(trace, 2, ["INIT", "PCONTROL", "FINALIZE"])
                self.check_times(trace, clocks, 2)

    def test_killed(self):
        """Checks a job that dies before MPI_Finalize: the offset of MPI_Init alone."""
        clocks = [Clock(5 * 10**9), Clock(9 * 10**9)]
        for mpi in self.mpis():
            with self.subTest(mpi):
                self.environment["XTF_TEST_CLOCK"] = " ".join(clocks[rank // 2].text(rank) for rank in range(4))
                done = self.run_in(XTF, "record", "--clock", "monotonic", "-f", "-o", "out/run.xtf", *self.launch(mpi, 2, 2, self.compiled(mpi), 20, 5000, "die"))
                self.assertNotEqual(done.returncode, 0)
                trace = self.opened("out/run.xtf")
                self.check_points(trace, 2, ["INIT"])
                self.check_times(trace, clocks, 2)

    def test_stepping(self):
        """Checks a clock that goes wrong by more than clocks drift: the readings after that are refused, with a message."""
        clocks = [Clock(5 * 10**9), Clock(9 * 10**9, 200_000_000)]
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, printed = self.recorded(mpi, clocks, 1, 10, 5000)
                self.assertIn("the clock of process 1's node has stepped by ", printed)
                self.assertEqual(len(self.clock_of(trace, 1)), 1)

    def clock_of(self, trace, process):
        return trace.clocks[process << 32].knots

    def test_without(self):
        clocks = [Clock(5 * 10**9), Clock(9 * 10**9)]
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, printed = self.recorded(mpi, clocks, 2, 5, 1000, options=["--clock-sync", "off"])
                self.assertEqual((trace.readings, trace.nodes, set(trace.clocks.values())), ([], [], {None}))
                self.assertNotIn("corrected", printed)
                trace, printed = self.recorded(mpi, clocks[:1], 4, 5, 1000, "pcontrol", options=["--sync-every", "1ms"])
                self.assertEqual((trace.readings, trace.nodes), ([], []))
                self.assertNotIn("corrected", printed)

    def test_inside(self):
        """Checks `xtf record` behind the launcher: `xtf merge` corrects the clocks, in a file and in an anchor."""
        clocks = [Clock(20 * 10**9), Clock(9 * 10**9, 30_000)]
        for mpi in self.mpis():
            with self.subTest(mpi):
                self.environment["XTF_TEST_CLOCK"] = " ".join(clocks[rank // 2].text(rank) for rank in range(4))
                self.environment["XTF_RECORD_LIBDIR"] = MODULES
                done = self.run_in(*self.launch(mpi, 2, 2, *(["env", f"XTF_RECORD_LIBDIR={MODULES}"]), XTF, "record", "--clock", "monotonic", "-o", f"out/{mpi}.xtf", self.compiled(mpi), 20, 10000))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("the clocks of 2 nodes are corrected", self.xtf("merge", "-o", "out/run.xtf", "--force", f"out/{mpi}.xtf.d"))
                self.check_corrected(self.opened("out/run.xtf"), clocks, 2)
                self.xtf("merge", "--anchor", f"out/{mpi}.xtf.d")
                self.xtf("check", f"out/{mpi}.xtf.d")
                self.assertEqual(self.xtf("cat", f"out/{mpi}.xtf.d", "calls/records"), self.xtf("cat", "out/run.xtf", "calls/records"))


if __name__ == "__main__":
    if not MPIS or not working_way():
        print("skipped: no MPI with a compiler is installed" if not MPIS else "skipped: namespaces, which simulate nodes, are forbidden here")
        sys.exit(SKIP)
    sys.exit(fewer.main(verbosity=1))
