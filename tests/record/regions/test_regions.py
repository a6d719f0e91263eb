#!/usr/bin/env python3
"""Regions, instrumented functions, threads and locks. Programs with known calls are run under `xtf record`.

usage: test_regions.py XTF ELF HEADER-FOLDER

ELF: 1 if this build finds names of functions. The output of a program must not change when it is recorded.
"""

import collections
import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import fewer  # noqa: E402
from naive_joins import Joins, shown_path  # noqa: E402

XTF, ELF, HEADERS = os.path.abspath(sys.argv[1]), sys.argv[2] == "1", sys.argv[3]
NAMES_ARE_FOUND = unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")


class Trace:
    """A trace, as `xtf cat` shows it."""

    def __init__(self, path):
        self.path = path
        checked = subprocess.run([XTF, "check", path], capture_output=True, text=True, check=False)
        if checked.returncode:
            raise AssertionError(checked.stdout + checked.stderr)
        # time, process, thread, seq, event, comm, peer, tag, bytes, region
        self.records = [line.split(None, 9) for line in self.cat("records").splitlines()]

    def cat(self, name):
        return subprocess.run([XTF, "cat", self.path, name], capture_output=True, text=True, check=True).stdout

    def table(self, name):
        """Returns the rows of a table of definitions."""
        return self.cat(f"definitions/{name}").splitlines()[1:]

    def events(self, event, thread=None):
        """Returns the regions of the records of that event, in order, without the region of time that is not recorded."""
        return [record[9].strip() for record in self.records
                if record[4] == event and thread in (None, int(record[2])) and record[9].strip() != "MEASUREMENT OFF"]

    def count(self, event, thread=None):
        return collections.Counter(self.events(event, thread))

    def unclosed(self):
        """Returns regions whose frames are not closed by their own LEAVE, and LEAVEs without a frame."""
        stacks, wrong = collections.defaultdict(list), []
        for record in self.records:
            stack, region = stacks[record[1], record[2]], record[9].strip()
            if record[4] == "ENTER":
                stack.append(region)
            elif record[4] == "LEAVE":
                if region not in stack:
                    wrong.append(region)
                    continue
                while stack[-1] != region:
                    wrong.append(stack.pop())
                stack.pop()
        return wrong + [region for stack in stacks.values() for region in stack]


class Recording(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        (self.path("include")).mkdir()
        (self.path("include/xtf")).symlink_to(HEADERS)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def build(self, source, *options, name="program", compiler=None):
        subprocess.run([compiler or ("g++" if source.endswith(".cc") else "gcc"), "-g", "-O1", "-Wall", "-Werror", "-I", self.path("include"), "-o", self.path(name), HERE / source, "-pthread", *options], check=True)
        return self.path(name)

    def record(self, *command, output=True, **environment):
        """Runs a command without and with `xtf record`. Returns the trace."""
        plain = subprocess.run(command, capture_output=True, text=True, check=True)
        settings = {**os.environ, **environment}
        done = subprocess.run([XTF, "record", "--force", "-o", self.path("t.xtf"), *command], capture_output=True, text=True, check=False, env=settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        if output:
            self.assertEqual(done.stdout, plain.stdout)
        return Trace(self.path("t.xtf"))


class Regions(Recording):
    def test_user(self):
        expected = {"outer": 1, "leaf": 7, "descend": 5, "turn": 3, "step 0": 3, "step 1": 3, "half": 1, "resumed": 1, "work": 30, "pthread_create": 3, "pthread_join": 3}
        for options, compiler in (([], "gcc"), (["-fno-pie", "-no-pie"], "gcc"), ([], "g++")):
            with self.subTest(options=options, compiler=compiler):
                trace = self.record(self.build("user.c", *options, compiler=compiler))
                # C++ has the full signature as name: "void leaf()".
                entered = {name.partition("(")[0].split(" ")[-1] if name.endswith(")") else name: n for name, n in trace.count("ENTER").items()}
                self.assertEqual(entered, expected)
                self.assertEqual(trace.count("ENTER"), trace.count("LEAVE"))
                self.assertEqual(trace.unclosed(), [])
                for thread in (1, 2, 3):
                    self.assertEqual(trace.count("ENTER", thread), {"work": 10})

    def test_one_row_a_region(self):
        """Checks that all threads, and both ends of a region, use one row, which has the place in the source."""
        trace = self.record(self.build("user.c"))
        rows = [line for line in trace.table("regions") if "work" in line.split()]
        self.assertEqual(len(rows), 1, rows)
        self.assertIn("user.c", rows[0])
        self.assertIn(str(1 + (HERE / "user.c").read_text().split('XTF_REGION_BEGIN("work")')[0].count("\n")), rows[0].split())

    def test_off(self):
        """Checks that a program built with XTF_USER_OFF contains no symbol of xtf."""
        program = self.build("user.c", "-DXTF_USER_OFF")
        symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("xtf", symbols)

    def test_filter_of_regions(self):
        self.path("filter").write_text("SCOREP_REGION_NAMES_BEGIN\n EXCLUDE *\n INCLUDE work descend step?1\nSCOREP_REGION_NAMES_END\n")
        trace = self.record(self.build("user.c"), XTF_RECORD_FILTER=str(self.path("filter")))
        self.assertEqual({name: n for name, n in trace.count("ENTER").items() if not name.startswith("pthread")}, {"work": 30, "descend": 5, "step 1": 3})
        self.assertEqual(trace.unclosed(), [])


@NAMES_ARE_FOUND
class Instrumented(Recording):
    def test_exceptions(self):
        trace = self.record(self.build("instrumented.cc", "-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/include"))
        entered = trace.count("ENTER")
        self.assertEqual({name: entered[name] for name in ("main", "fib(int)", "shapes::Square::area(int) const", "fail(int)", "attempt(int)", "jump()", "land()")},
                         {"main": 1, "fib(int)": 177, "shapes::Square::area(int) const": 5, "fail(int)": 12, "attempt(int)": 4, "jump()": 3, "land()": 3})
        # The functions that longjmp() left have no end.
        self.assertEqual(trace.unclosed(), ["jump()"] * 3)

    def test_source(self):
        trace = self.record(self.build("instrumented.cc", "-finstrument-functions"))
        rows = [line for line in trace.table("regions") if "fib(int)" in line]
        self.assertEqual(len(rows), 1)
        self.assertIn(str(HERE / "instrumented.cc"), rows[0])
        line = 1 + (HERE / "instrumented.cc").read_text().split("int fib(int n)")[0].count("\n")
        self.assertTrue({str(line), str(line + 1)} & set(rows[0].split()), rows[0])

    def test_no_pie(self):
        trace = self.record(self.build("hot.c", "-finstrument-functions", "-fno-pie", "-no-pie"), "100")
        self.assertEqual(trace.count("ENTER"), {"main": 1, "outer": 2, "hot": 101, "dive": 100})
        self.assertEqual(trace.unclosed(), [])

    def test_libraries(self):
        """Checks libraries that are loaded and unloaded, at addresses that others had before."""
        for name in ("one", "two", "three"):
            self.build("plugin.c", "-finstrument-functions", "-shared", "-fPIC", f"-DNAME={name}", name=f"{name}.so")
        program = self.build("plugins.c", "-finstrument-functions", "-ldl")
        command = [program] + [word for name, n in (("one", "3"), ("two", "5"), ("one", "4"), ("three", "2")) for word in (self.path(f"{name}.so"), n)]
        trace = self.record(*command, output=False)
        self.assertEqual(trace.count("ENTER"), {"main": 1, "turn": 14, "one": 7, "two": 5, "three": 2})
        self.assertEqual(trace.unclosed(), [])

    def test_relative_library(self):
        self.build("plugin.c", "-finstrument-functions", "-shared", "-fPIC", "-DNAME=near", name="near.so")
        program = self.build("plugins.c", "-ldl", "-O0")
        done = subprocess.run([XTF, "record", "-o", "t.xtf", program, "./near.so", "2"], cwd=self.folder.name, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(Trace(self.path("t.xtf")).count("ENTER"), {"turn": 2, "near": 2})

    def test_filter(self):
        self.path("filter").write_text("# comment\nSCOREP_REGION_NAMES_BEGIN\n EXCLUDE MANGLED _ZNK6shapes*\n EXCLUDE fib(*\nSCOREP_REGION_NAMES_END\n")
        program = self.build("instrumented.cc", "-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/include")
        entered = self.record(program, XTF_RECORD_FILTER=str(self.path("filter"))).count("ENTER")
        self.assertEqual((entered["fib(int)"], entered["shapes::Square::area(int) const"], entered["fail(int)"], entered["main"]), (0, 0, 12, 1))
        self.path("filter").write_text("SCOREP_FILE_NAMES_BEGIN\n EXCLUDE *instrumented.cc\nSCOREP_FILE_NAMES_END\n")
        self.assertEqual(self.record(program, XTF_RECORD_FILTER=str(self.path("filter"))).count("ENTER"), {})

    def test_bad_filter(self):
        """Checks that a mistake in a filter of the program's own environment is reported with its line, and that everything is
        recorded."""
        self.path("filter").write_text("SCOREP_REGION_NAMES_BEGIN\n hot\nSCOREP_REGION_NAMES_END\n")
        trace = self.record("env", f"XTF_RECORD_FILTER={self.path('filter')}", self.build("hot.c", "-finstrument-functions"), "10")
        self.assertIn("line 2", trace.cat("definitions/remarks"))
        self.assertEqual(trace.count("ENTER")["hot"], 11)

    def test_brake(self):
        trace = self.record(self.build("hot.c", "-finstrument-functions", "-O2", "-DBY_HAND"), "200000", XTF_RECORD_BRAKE="20000", XTF_RECORD_BUFFER=str(1 << 25))
        entered = trace.count("ENTER")
        self.assertEqual((entered["main"], entered["outer"]), (1, 2))
        # The clock is read every 20 000 calls; on a machine that is busy elsewhere, calls may once seem rare.
        self.assertLess(entered["hot"], 200000)
        self.assertEqual(entered["by hand"], 200000)
        self.assertEqual(entered["hot"] % 20000, 0)
        self.assertLess(entered["dive"], 200000)
        # Calls that were open when the brake began to act are recorded to their end.
        self.assertEqual(entered["dive"] % 100, 0)
        self.assertEqual(trace.unclosed(), [])
        remarks = trace.cat("definitions/remarks")
        self.assertIn("hot is recorded no longer", remarks)
        self.assertIn("dive is recorded no longer", remarks)

    def test_no_brake(self):
        trace = self.record(self.build("hot.c", "-finstrument-functions"), "200000", XTF_RECORD_BRAKE="0")
        self.assertEqual(trace.count("ENTER"), {"main": 1, "outer": 2, "hot": 200001, "dive": 200000})

    def test_signals(self):
        """Checks handlers that run at any instant, also within the recorder."""
        trace = self.record(self.build("signals.c", "-finstrument-functions"), "300", XTF_RECORD_BRAKE="0")
        entered = trace.count("ENTER")
        self.assertLessEqual(entered["within"], 400)
        self.assertGreater(entered["within"], 0)
        self.assertEqual(entered["main"], 1)
        self.assertEqual(set(trace.unclosed()) - {"handle", "within"}, set())


@NAMES_ARE_FOUND
@unittest.skipUnless(shutil.which("gfortran"), "there is no gfortran")
class Fortran(Recording):
    SOURCE = (HERE / "named.f90").read_text().split("\n")

    def regions(self, *options):
        """Returns (name, line, calls) of the entered regions; line is 0 for C functions."""
        program = self.build("named.f90", str(HERE / "like_fortran.c"), "-finstrument-functions", "-J", self.folder.name, *options, compiler="gfortran")
        trace = self.record(program)
        rows = list(csv.DictReader(io.StringIO(trace.cat("definitions/regions.csv"))))
        calls = {row["row"]: int(row["calls"]) for row in csv.DictReader(io.StringIO(trace.cat("profile.csv")))}
        self.assertEqual({pathlib.Path(row["file"]).name for row in rows} - {"named.f90", "like_fortran.c"}, set() if "-g0" not in options else {""})
        return sorted((row["name"], int(row["line"] or 0) if row["file"].endswith(".f90") else 0, calls[row["row"]]) for row in rows)

    def line_of(self, text, nth=0):
        return [i for i, line in enumerate(self.SOURCE, 1) if line.strip().startswith(text)][nth]

    def test_names(self):
        """Checks that names are the source's, and that two contained procedures of one name are two regions."""
        expected = sorted([("work::rows", self.line_of("subroutine rows"), 1), ("helper", self.line_of("subroutine helper"), 2),
                           ("helper", self.line_of("subroutine helper", 1), 1), ("bound", self.line_of("subroutine bound"), 1),
                           ("solve", self.line_of("subroutine solve", 1), 1), ("spectrum", self.line_of("program spectrum"), 1),
                           ("of_c_", 0, 1), ("helper.2", 0, 1), ("__work_MOD_of_c", 0, 1)])
        for options in ["-O0"], ["-O2", "-fno-inline"]:
            with self.subTest(options=options):
                self.assertEqual([region for region in self.regions(*options) if region[0] != "main"], expected)

    def test_without_debug_information(self):
        """Checks that names which only a Fortran compiler makes are decoded, and names which a C compiler may make stay."""
        names = [name for name, *_ in self.regions("-g0")]
        self.assertEqual(sorted(re.sub(r"^helper\.\d+$", "helper.N", name) for name in names),
                         sorted(["main", "MAIN__", "work::rows", "work::of_c", "helper.N", "helper.N", "helper.N", "Bound_In_C", "solve_", "of_c_"]))


    def test_whole_program(self):
        """Checks that Fortran names are decoded when Fortran and C are optimized as one unit."""
        names = [name for name, *_ in self.regions("-O1", "-fno-inline", "-flto", "-Wno-lto-type-mismatch")]
        self.assertTrue({"main", "work::rows", "of_c_"} <= set(names), names)


class Unnamed(Recording):
    def test_stripped(self):
        """Checks that functions without a name are identified by their address in the file, the same in each run."""
        program = self.build("hot.c", "-finstrument-functions", "-s")
        names = [sorted(name for name in self.record(program, "10").count("ENTER")) for _ in range(2)]
        self.assertEqual(names[0], names[1])
        self.assertTrue(all(name.endswith("@program") for name in names[0]), names[0])
        self.assertEqual(len(names[0]), 3)  # main, outer, hot


class Threads(Recording):
    def test_threads(self):
        trace = self.record(self.build("threads.c", "-finstrument-functions"))
        counts = collections.Counter(record[4] for record in trace.records)
        self.assertEqual([counts[f"THREAD_{event}"] for event in ("CREATE", "BEGIN", "WAIT", "END")], [5, 5, 4, 5])
        locations = trace.cat("definitions/locations")
        for number in range(3):
            self.assertIn(f"worker-{number}", locations)
        self.assertEqual(trace.unclosed(), [])

    def test_locks(self):
        trace = self.record(self.build("threads.c", "-finstrument-functions"), "100", XTF_RECORD_LOCKS="1")
        acquired = [record for record in trace.records if record[4] == "THREAD_ACQUIRE_LOCK"]
        released = [record for record in trace.records if record[4] == "THREAD_RELEASE_LOCK"]
        self.assertEqual((len(acquired), len(released)), (300, 300))
        self.assertEqual(trace.count("ENTER")["pthread_mutex_lock"], 300)
        # Acquisitions are numbered in the order in which threads held the lock. A release has the number of its acquisition.
        lines = [line.split() for line in trace.cat("locks/records").splitlines()]
        self.assertEqual(len({line[7] for line in lines}), 1)
        self.assertEqual([(line[4], int(line[8])) for line in lines],
                         [(f"THREAD_{event}_LOCK", order) for order in range(1, 301) for event in ("ACQUIRE", "RELEASE")])

    def test_no_locks(self):
        trace = self.record(self.build("threads.c", "-finstrument-functions"), "100")
        self.assertEqual(trace.count("ENTER")["pthread_mutex_lock"], 0)

    def test_critical_path(self):
        program = self.build("joins.c", "-finstrument-functions")
        for locks in "01":
            trace = self.record(program, XTF_RECORD_LOCKS=locks)
            subprocess.run([XTF, "analyze", "--quiet", trace.path], check=True)
            path = Joins(trace).path
            self.assertEqual(list(shown_path(trace)), path)
            self.assertEqual((path[0][2], path[-1][2]), (0, 0))
            self.assertGreater(len(path), 2)


if __name__ == "__main__":
    fewer.main(argv=sys.argv[:1])
