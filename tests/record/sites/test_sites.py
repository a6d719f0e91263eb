#!/usr/bin/env python3
"""Call sites: each recorded call of MPI leads to the function, file and line that made it. The programs count their own calls by
__LINE__, and the trace must agree. Calls are in functions, inlined functions, threads, shared libraries and unloaded ones, and in
Fortran by each binding, with each MPI. With several frames, calls through a library lead to lines of the program, too.

usage: test_sites.py ELF

ELF: 1 if this build finds names of functions.
"""

import collections
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import fewer  # noqa: E402
from recorded_trace import Recorded  # noqa: E402
from recording import Case, mpis  # noqa: E402

ELF = sys.argv.pop(1) == "1"
BINDINGS = {"mpif.h": 0, "mpi": 1, "mpi_f08": 2}
LIMIT = 32768 // 8 * 7  # sites of a process that have numbers of their own


class Sites(Case):
    def counts(self, n):
        """Returns {(process, MPI function, function, file, line): calls} by the program's own counts."""
        found = collections.Counter()
        for rank in range(n):
            for line in (self.folder / f"counts.{rank}").read_text().splitlines():
                name, function, file, number, calls = line.split()
                found[rank, name, function, pathlib.Path(file).name, int(number)] += int(calls)
        return found

    def recorded(self, mpi, n, *command, options=()):
        return self.record(mpi, n, *command, options=["--force", *options])

    def read(self, path):
        trace = Recorded(path)
        self.addCleanup(trace.close)
        return trace

    def sites(self, trace, *fields, to="site"):
        """Returns {(process, MPI function, *fields of the site): calls}, having checked each LEAVE against its ENTER. `to`: "callee"
        for the innermost frame of the call, instead of the one that the site shows."""
        found, rows = collections.Counter(), trace.tables["sites"]
        texts = [{**row, **{name: trace.text("sites", i, name) for name in ("function", "inlined_into", "file", "object", "build_id", "name")},
                  "region": trace.text("regions", row["region"])} for i, row in enumerate(rows)]
        self.assertEqual(len({tuple(row.values()) for row in texts}), len(rows), "two rows of one site")
        for location, records in trace.records.items():
            stack = []
            for record in records:
                if record.event == "ENTER" and not record.region.startswith("MPI_"):
                    self.assertIsNone(record.site)  # pthread_create
                    stack.append(record)
                elif record.event == "ENTER":
                    site = texts[record.site]
                    self.assertEqual(site["region"], record.region)
                    while site.get(to) is not None:
                        site = texts[site[to]]
                        self.assertIsNone(site["region"])
                    found[location >> 32, record.region, *(pathlib.Path(site[f]).name if f == "file" else site[f] for f in fields)] += 1
                    stack.append(record)
                elif record.event == "LEAVE":
                    self.assertEqual(record.site, stack.pop().site)
        return found

    def build(self, mpi, *options):
        """Compiles sites.c with a shared library and two plugins. Returns the command."""
        def compiled(output, *arguments):
            self.run_in(f"mpicc.{mpi}", "-w", *options, "-I", HERE, "-o", output, *arguments)
        compiled("libsites.so", "-shared", "-fPIC", HERE / "library.c")
        compiled("plugin.so", "-shared", "-fPIC", "-DNAME=call_in_plugin", HERE / "library.c")
        compiled("sites", HERE / "sites.c", HERE / "counted.c", "-rdynamic", "-pthread", "-L.", "-lsites", "-Wl,-rpath,$ORIGIN", "-ldl")
        compiled("other.so", "-shared", "-fPIC", "-DNAME=call_in_plugin", "-DOTHER", HERE / "library.c")
        return [self.folder / name for name in ("sites", "plugin.so", "other.so")]


class Lines(Sites):
    """Programs in C."""

    def check_lines(self, mpi, *options, sites=1):
        command = self.build(mpi, *options)
        path, _ = self.recorded(mpi, 2, *command, options=[f"--sites={sites}"])
        trace, counts = self.read(path), self.counts(2)
        self.assertEqual(self.sites(trace, "function", "file", "line", to="callee"), counts)
        return trace

    @unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")
    def test_lines(self):
        for mpi in self.mpis():
            for options in (["-O0"], ["-O2"], ["-O2", "-no-pie", "-fno-pie"], ["-O2", "-fno-omit-frame-pointer", "-gdwarf-4"]):
                with self.subTest(mpi=mpi, options=options):
                    trace = self.check_lines(mpi, "-g", *options)
                    names = self.sites(trace, "name", "inlined_into", "object")
                    inlined = {name: outer for _, _, name, outer, _ in names}
                    self.assertEqual({outer for name, outer in inlined.items() if name.startswith("pass_on")}, {"exchange"}, inlined)
                    objects = {pathlib.Path(object).name for *_, object in names}
                    self.assertEqual(objects, {"sites", "libsites.so", "plugin.so", "other.so"})
                    for name in inlined:
                        self.assertRegex(name, r"^\w+ \((sites|library|other)\.c:\d+\)$")

    @unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")
    def test_innermost_frames(self):
        """Checks that the innermost of several frames has the line of the call, also where a library takes the place of another."""
        for mpi in self.mpis():
            for sites in (2, 8):
                with self.subTest(mpi=mpi, sites=sites):
                    trace = self.check_lines(mpi, "-g", "-O2", sites=sites)
                    shown = {pathlib.Path(object).name for *_, object in self.sites(trace, "object")}
                    self.assertEqual(shown, {"sites"})

    @unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")
    def test_functions(self):
        """Checks that without debug information a site is a function and a distance, also in a library without .symtab. No server
        is asked for the debug information."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        server.setblocking(False)
        self.environment["DEBUGINFOD_URLS"] = f"http://127.0.0.1:{server.getsockname()[1]}"
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                command = self.build(mpi, "-O1", "-g0")
                self.run_in("strip", "libsites.so")
                path, _ = self.recorded(mpi, 2, *command)
                expected = collections.Counter()
                for (rank, name, function, _, _), calls in self.counts(2).items():
                    expected[rank, name, "exchange" if function == "pass_on" else function] += calls
                found = collections.Counter()
                for (rank, name, function, text, line), calls in self.sites(self.read(path), "function", "name", "line").items():
                    self.assertIsNone(line)
                    self.assertRegex(text, rf"^{function}\+0x[0-9a-f]+$")
                    found[rank, name, function] += calls
                self.assertEqual(found, expected)
        self.assertRaises(BlockingIOError, server.accept)

    def test_addresses(self):
        """Checks that in a stripped program a site is an address, which debug information that was kept leads to its line."""
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                command = self.build(mpi, "-O2", "-g")
                shutil.copy(self.folder / "sites", self.folder / "unstripped")
                self.run_in("strip", "sites", "-o", "sites.stripped")
                (self.folder / "sites.stripped").replace(self.folder / "sites")
                path, _ = self.recorded(mpi, 2, *command)
                found = collections.Counter()
                for (rank, name, object, text, offset), calls in self.sites(self.read(path), "object", "name", "offset").items():
                    if pathlib.Path(object).name != "sites":
                        continue
                    function, place = self.run_in("addr2line", "-f", "-e", "unstripped", f"0x{offset - 1:x}").split()[:2]
                    if function != "main":  # which the program exports
                        self.assertEqual(text, f"0x{offset:x}@sites")
                    file, _, line = place.rpartition(":")
                    found[rank, name, pathlib.Path(file).name, int(line)] += calls
                expected = collections.Counter()
                for (rank, name, _, file, line), calls in self.counts(2).items():
                    if file == "sites.c":
                        expected[rank, name, file, line] += calls
                self.assertEqual(found, expected)

    def test_off(self):
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                path, _ = self.recorded(mpi, 2, *self.build(mpi, "-O1"), options=["--sites=0"])
                trace = self.read(path)
                self.assertNotIn("sites", trace.tables)
                self.assertFalse(any("site" in vars(record) for records in trace.records.values() for record in records))
        self.assertIn("a number of frames, 0 to 8, is needed", self.refused("--sites=9"))

    def refused(self, option):
        """Returns what `xtf record` says of a wrong option."""
        done = subprocess.run([os.environ["XTF"], "record", option, "true"], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr


@unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")
class Stacks(Sites):
    """Calls through a library."""

    FRAMES = {"with frame pointers": ("-fno-omit-frame-pointer", "-fno-omit-frame-pointer"), "without": ("-fomit-frame-pointer", "-fomit-frame-pointer"),
              "in the program only": ("-fomit-frame-pointer", "-fno-omit-frame-pointer"), "in the library only": ("-fno-omit-frame-pointer", "-fomit-frame-pointer")}
    THROUGH = {"MPI_Allreduce", "MPI_Reduce", "MPI_Bcast"}  # calls of the library that the program counts, too

    def build(self, mpi, in_library, in_program):
        def compiled(output, *arguments):
            self.run_in(f"mpicc.{mpi}", "-w", "-g", "-O2", "-I", HERE, "-o", output, *arguments)
        compiled("libwrapped.so", "-shared", "-fPIC", in_library, HERE / "wrapped.c", "-pthread")
        compiled("stacked", in_program, HERE / "stacked.c", HERE / "counted.c", "-rdynamic", "-pthread", "-L.", "-lwrapped", "-Wl,-rpath,$ORIGIN")
        return self.folder / "stacked"

    def calls_of(self, file):
        """Returns the counts of the calls that a file makes itself, or through the library."""
        return collections.Counter({key: calls for key, calls in self.counts(2).items() if key[3] == file or key[1] not in self.THROUGH})

    def check_stacks(self, mpi, program):
        fields = ("function", "file", "line")
        path, _ = self.recorded(mpi, 2, program, options=["--sites=1"])
        trace = self.read(path)
        self.assertNotIn("caller", trace.tables["sites"][0])
        self.assertEqual(self.sites(trace, *fields), self.calls_of("wrapped.c"))
        for sites in (4, 8):
            path, _ = self.recorded(mpi, 2, program, options=[f"--sites={sites}"])
            trace, expected = self.read(path), self.calls_of("stacked.c")
            if sites == 4:  # which does not reach out of wrapped_deep(5)
                for rank in range(2):
                    deep = max((key for key in expected if key[:2] == (rank, "MPI_Bcast")), key=lambda key: key[-1])
                    within = next(key for key in self.counts(2) if key[:2] == (rank, "MPI_Bcast") and key[3] == "wrapped.c")
                    expected[within] = expected.pop(deep)
            self.assertEqual(self.sites(trace, *fields), expected)
            self.assertEqual(self.sites(trace, *fields, to="callee"), self.calls_of("wrapped.c"))
            yield trace

    def callers(self, trace, function):
        """Returns the functions around each site that shows a function, outwards."""
        rows, found = trace.tables["sites"], set()
        for i, row in enumerate(rows):
            if row["region"] is None or trace.text("sites", i, "function") != function:
                continue
            names = []
            while (i := rows[i]["caller"]) is not None:
                names.append(trace.text("sites", i, "function"))
            found.add(tuple(names))
        return found

    def test_frames(self):
        """Checks calls through a library, and calls of one that the program only calls back, for each use of frame pointers."""
        for mpi in self.mpis():
            for name, options in self.FRAMES.items():
                with self.subTest(mpi=mpi, frame_pointers=name):
                    of_four, of_eight = self.check_stacks(mpi, self.build(mpi, *options))
                    self.assertEqual({names[0] for names in self.callers(of_eight, "solve")}, {"main"})
                    self.assertEqual({names[:2] for names in self.callers(of_eight, "call_back")}, {("wrapped_call_back", "main")})
                    self.assertEqual({len(names) for names in self.callers(of_four, "solve")}, {1, 3})


class Many(Sites):
    """Programs that call from more places than a thread, or a process, remembers."""

    def record_barriers(self, mpi, n, times):
        """Records n barriers, each on its own line. Returns the trace's path."""
        lines = "\n".join("B;" for _ in range(n))
        (self.folder / "many.c").write_text("#include <mpi.h>\n#define B MPI_Barrier(MPI_COMM_SELF)\nint main(int argc, char **argv)\n{\n"
                                            f"MPI_Init(&argc, &argv);\nfor (int i = 0; i < {times}; i++) {{\n{lines}\n}}\nMPI_Finalize();\n}}\n")
        self.run_in(f"mpicc.{mpi}", "-g", "-O0", "-o", "many", "many.c")
        return self.recorded(mpi, 1, self.folder / "many")[0]

    def test_more_than_a_thread_remembers(self):
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                sites = self.sites(self.read(self.record_barriers(mpi, 1000, 3)), "offset")
                barriers = [calls for (_, name, _), calls in sites.items() if name == "MPI_Barrier"]
                self.assertEqual(barriers, [3] * 1000)

    def test_more_than_a_process_remembers(self):
        mpi = mpis()[0]
        path = self.record_barriers(mpi, LIMIT + 300, 2)
        sites = self.sites(self.read(path), "name")
        barriers = {name: calls for (_, function, name), calls in sites.items() if function == "MPI_Barrier"}
        others = barriers.pop("other sites")
        self.assertEqual((sum(barriers.values()), others), (2 * (LIMIT - 1), 2 * 301))  # the first site is MPI_Init's
        self.assertEqual(sites[0, "MPI_Finalize", "other sites"], 1)
        self.assertIn(f"calls MPI from more than {LIMIT} places", self.xtf("cat", path, "definitions/remarks"))


class Fortran(Sites):
    def check_binding(self, mpi, binding):
        self.run_in(f"mpif90.{mpi}", "-g", "-O1", "-w", "-fallow-argument-mismatch", "-ffree-line-length-none", f"-DBINDING={BINDINGS[binding]}",
                    "-o", "sites", HERE / "sites.F90")
        for sites in (1, 4):
            path, _ = self.recorded(mpi, 2, self.folder / "sites", options=["--all-calls", f"--sites={sites}"])
            trace = self.read(path)
            expected = collections.Counter({(rank, name, file, line): calls for (rank, name, _, file, line), calls in self.counts(2).items()})
            self.assertEqual(self.sites(trace, "file", "line"), expected)
            if sites > 1:
                callers = {trace.text("sites", row["caller"], "function") for i, row in enumerate(trace.tables["sites"])
                           if row["region"] is not None and trace.text("sites", i, "function") in ("exchanges::exchange", "reduce")}
                self.assertEqual(callers, {"sites"})
        functions = {(name, function) for _, name, function in self.sites(trace, "function")}
        self.assertLessEqual({("MPI_Waitall", "exchanges::exchange"), ("MPI_Allreduce", "reduce"), ("MPI_Init", "sites")}, functions)

    @unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")
    def test_bindings(self):
        for mpi in self.mpis("mpif90"):
            for binding in BINDINGS:
                with self.subTest(mpi=mpi, binding=binding):
                    self.check_binding(mpi, binding)


if __name__ == "__main__":
    if not mpis():
        print("skipped: no installed MPI can compile and run programs")
        sys.exit(77)
    fewer.main()
