#!/usr/bin/env python3
"""Recordings of a part of a run: --start, --from and --for, functions of MPI in filters or found by dlsym. The trace must have the steps that the
program printed, and the same of all processes.

usage: test_selection.py
"""

import collections
import subprocess

import recording
from recorded_trace import OFF, Recorded

SIZE = 3


def names_of(calls):
    return [call.name for call in calls]


class Windows(recording.Case):
    def windowed(self, mpi, options, *arguments):
        """Records programs/windowed.c. Returns the trace, and {process: the times of its steps in ms}."""
        program = self.folder / f"windowed-{mpi}"
        if not program.exists():
            self.compile(mpi, "windowed")
        trace, output = self.recorded(mpi, SIZE, program, *arguments, options=["-f", *options])
        times = collections.defaultdict(list)
        for line in output.splitlines():
            rank, step, time = line.split()
            self.assertEqual(int(step), len(times[int(rank)]))
            times[int(rank)].append(float(time))
        self.assertEqual(sorted(times), list(range(SIZE)))
        return trace, times

    def steps_of(self, trace, process):
        """Returns the steps of the process that the trace has, from the tags of its messages, and how many MPI_Allreduce."""
        calls = trace.calls(process)
        steps = [record.tag for call in calls if call.name == "MPI_Sendrecv" for record in call.records if record.event == "MPI_SEND"]
        self.assertEqual((names_of(calls)[0], names_of(calls)[-1]), ("MPI_Init", "MPI_Finalize"))
        return steps, names_of(calls).count("MPI_Allreduce")

    def switches_of(self, trace, process):
        return [record.mode for record in trace.records[process << 32] if record.event == "MEASUREMENT_ON_OFF"]

    def test_start_off(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, times = self.windowed(mpi, ["--start=off"], 1, 5, 9)
                for process in range(SIZE):
                    self.assertGreater(len(times[process]), 10)
                    self.assertEqual(self.steps_of(trace, process), ([5, 6, 7, 8, 9], 5))
                    # On in MPI_Init, in the steps and in MPI_Finalize.
                    self.assertEqual(self.switches_of(trace, process), ["OFF", "ON"] * 3 + ["OFF"])
                    self.assertIn("MPI_COMM_WORLD", {trace.comm_name(record.comm) for record in trace.records[process << 32] if record.event == "MPI_SEND"})

    def test_from_and_for(self):
        """Tests that all processes begin at the same step, not before the time, and end later, before the program."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, times = self.windowed(mpi, ["--from=1500ms", "--for=200ms"], 2500)
                firsts = set()
                for process in range(SIZE):
                    steps, n_reduced = self.steps_of(trace, process)
                    self.assertEqual(steps, list(range(steps[0], steps[0] + len(steps))))
                    # The recording begins in MPI_Allreduce, after the messages of its step.
                    self.assertIn(n_reduced, (len(steps), len(steps) + 1))
                    firsts.add(steps[0])
                    self.assertLess(steps[-1], len(times[process]) - 1, "the window never ended")
                self.assertEqual(len(firsts), 1, "processes begin at different steps")
                begin = firsts.pop() - 1
                if max(times[process][0] for process in range(SIZE)) < 1500:  # else MPI_Init took longer, as on a busy machine
                    self.assertGreater(begin, 0)
                self.assertGreaterEqual(begin, 0)
                self.assertGreaterEqual(max(times[process][begin] for process in range(SIZE)), 1500)

    def test_for(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, times = self.windowed(mpi, ["--for=60s"], 1)
                for process in range(SIZE):
                    self.assertEqual(self.steps_of(trace, process), (list(range(len(times[process]))), len(times[process])))
                    self.assertEqual(self.switches_of(trace, process), [])

    def test_never(self):
        """Tests that a window that never begins is named."""
        for mpi in self.mpis():
            program = self.compile(mpi, "windowed")
            for options, reason in ((["--start", "off"], "never began: with --start off, MPI_Pcontrol"), (["--from", "1h"], "never began: after the time of --from")):
                done = subprocess.run([recording.XTF, "record", "-f", *options, "-o", "run.xtf", *map(str, self.launch(mpi, SIZE, program, 1))],
                                      cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=recording.TIMEOUT, check=True)
                self.assertIn(reason, done.stderr)
                trace = Recorded(self.folder / "run.xtf")
                self.addCleanup(trace.close)
                for process in range(SIZE):
                    self.assertEqual(names_of(trace.calls(process)), ["MPI_Init", "MPI_Finalize"])

    def test_user_regions(self):
        """Tests a program without MPI that switches recording on."""
        program = self.folder / "regions"
        header = recording.TABLE.parents[1] / "regions"
        (self.folder / "xtf").symlink_to(header)
        (self.folder / "regions.c").write_text("""
            #include <xtf/user.h>
            static void step(void) { XTF_FUNCTION; }
            int main(void)
            {
                XTF_REGION("outer");
                step();
                XTF_RECORDING_ON();
                step();
                step();
                XTF_RECORDING_OFF();
                step();
                return 0;
            }
            """)
        self.run_in("gcc", "-w", "-I", self.folder, "-o", program, self.folder / "regions.c")
        self.xtf("record", "--start", "off", "-o", "run.xtf", program)
        trace = Recorded(self.folder / "run.xtf")
        self.addCleanup(trace.close)
        entered = [record.region for record in trace.records[0] if record.event == "ENTER"]
        # "outer" is left while recording is off.
        self.assertEqual(entered, [OFF, "outer", "step", "step", OFF, OFF])


class Calls(recording.Case):
    def filtered(self, mpi, rules, *options):
        """Records programs/asking.c with a filter. Returns {function: calls} of process 0."""
        (self.folder / "filter").write_text(f"SCOREP_REGION_NAMES_BEGIN\n{rules}\nSCOREP_REGION_NAMES_END\n")
        trace, _ = self.recorded(mpi, 2, self.compile(mpi, "asking"), options=["-f", "--filter", "filter", *options])
        return collections.Counter(names_of(trace.calls(0)))

    def test_calls_in_filters(self):
        """Tests that functions which do not communicate, tests and probes can be included and excluded by name."""
        always = {"MPI_Init": 1, "MPI_Finalize": 1, "MPI_Sendrecv": 3, "MPI_Wait": 1, "MPI_Irecv": 1, "MPI_Send": 1, "MPI_Iprobe": 1}  # the first that finds nothing
        counted = {"MPI_Comm_rank": 2, "MPI_Comm_size": 4, "MPI_Wtime": 5, "MPI_Iprobe": 6}
        for mpi in self.mpis():
            with self.subTest(mpi):
                self.assertEqual(self.filtered(mpi, "EXCLUDE *"), always)
                self.assertEqual(self.filtered(mpi, "INCLUDE MPI_Comm_* MPI_Iprobe\nEXCLUDE MPI_Comm_size"),
                                 always | {name: counted[name] for name in ("MPI_Comm_rank", "MPI_Iprobe")})
                self.assertEqual(self.filtered(mpi, "", "--all-calls"), always | counted)
                self.assertEqual(self.filtered(mpi, "EXCLUDE MPI_Wtime MPI_Iprobe", "--all-calls"),
                                 always | {name: counted[name] for name in ("MPI_Comm_rank", "MPI_Comm_size")})

    def test_refused(self):
        for rules, reason in (("EXCLUDE MPI_Wtime MPI_Send", "it excludes MPI_Send, without which messages"), ("EXCLUDE MPI_*", "it excludes MPI_"),
                              ("EXCLUDE MPI_Comm_rang", "MPI has no function MPI_Comm_rang")):
            (self.folder / "filter").write_text(f"SCOREP_REGION_NAMES_BEGIN\n{rules}\nSCOREP_REGION_NAMES_END\n")
            done = subprocess.run([recording.XTF, "record", "--filter", "filter", "true"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=recording.TIMEOUT, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)


class Handles(recording.Case):
    def test_dlsym(self):
        """Tests programs that look MPI's functions up: by RTLD_DEFAULT they are recorded; by a handle, the end says what to do."""
        for mpi, name in (("openmpi", "libmpi.so.40"), ("mpich", "libmpich.so.12")):
            if mpi not in self.mpis():
                continue
            flags = self.run_in("pkg-config", "--cflags", {"openmpi": "ompi-c", "mpich": "mpich"}[mpi]).split()
            program = self.folder / f"by_handle-{mpi}"
            self.run_in("gcc", "-w", *flags, "-o", program, recording.PROGRAMS / "by_handle.c", "-ldl")
            for scope in "default", "local":
                with self.subTest(mpi, scope=scope):
                    trace, _ = self.recorded(mpi, 2, program, name, scope, options=["-f", "--mpi", mpi])
                    for process in range(2):
                        self.assertEqual(names_of(trace.calls(process)), ["MPI_Init", *["MPI_Barrier"] * 3, "MPI_Finalize"])
            words = [recording.XTF, "record", "-f", "--mpi", mpi, "-o", "run.xtf", *map(str, self.launch(mpi, 2, program, name, "handle"))]
            done = subprocess.run(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=recording.TIMEOUT, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("dlsym(RTLD_DEFAULT, ...) finds the recorder's", done.stderr)


if __name__ == "__main__":
    recording.main()
