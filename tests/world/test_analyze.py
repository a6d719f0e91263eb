#!/usr/bin/env python3
"""Compares analyses by the ranks of a job with an analysis by one process: the report, all tables, and the size of the file.

The programs are random. Some lack records, or have records that contradict each other, so that the replay is stuck. Others wait
without messages: in locks, teams and windows.

usage: test_analyze.py XTF OTF2_SCRIPT GENERATE MAKE_RUN KEEP_VOLUMES long|short EXAMPLE... -- NAME...   (of MPIs)
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PLACE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(PLACE.parent / name) for name in ("record", "analysis", "match", "roundtrip")]

import mpis
import test_threads
from test_kinds import PROGRAMS as KIND_PROGRAMS
from xtfrun import n_rounds, shared_traces

XTF, SCRIPT, GENERATE, MAKE_RUN, KEEP_VOLUMES = map(os.path.abspath, sys.argv[1:6])
IS_LONG = sys.argv[6] == "long"
SPLIT = sys.argv.index("--")
EXAMPLES = [pathlib.Path(name).resolve() for name in sys.argv[7:SPLIT]]
NAMES = [name for name in sys.argv[SPLIT + 1:] if shutil.which(f"mpirun.{name}")]
N_PROGRAMS = 200 if IS_LONG else n_rounds(12)
COUNTS = (2, 3, 8) if IS_LONG else (3,)


class Case(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-world-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.turn = 0

    def mpis(self):
        """Returns the MPIs with which this test runs."""
        return NAMES if IS_LONG else mpis.of_test(self, NAMES)

    def run_in(self, command, status=0):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env=mpis.outside(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=170, check=False)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def launch(self, mpi, n, *command, **options):
        return self.run_in(mpis.Mpi(mpi, "").launch(n, *command), **options)

    def import_archive(self, archive):
        trace = self.folder / f"{archive.parent.name}-{archive.stem}.xtf"
        self.run_in([XTF, "import", "-q", "-f", "-o", trace, archive])
        return trace

    def result(self, trace):
        """Returns the tables of the analysis beside a trace, and the size of its file."""
        tables = [self.run_in([XTF, "cat", trace, path]).stdout for path in test_threads.TABLES]
        return tables, (self.folder / f"{trace}.analysis").stat().st_size

    def compare(self, trace, counts=COUNTS, names=None):
        """Compares the analyses of a trace by numbers of ranks of MPIs with that of one process. Returns its report."""
        analyze = [XTF, "analyze", "-f", "-o", f"{trace}.analysis"]
        one = self.run_in([*analyze, "-j1", trace])
        tables, size = self.result(trace)
        for mpi in names or self.mpis():
            for n in counts:
                with self.subTest(trace=str(trace), mpi=mpi, n=n):
                    os.unlink(f"{trace}.analysis")
                    done = self.launch(mpi, n, *analyze, trace)
                    self.assertEqual((done.stdout, done.stderr), (one.stdout, one.stderr))
                    of_ranks = self.result(trace)
                    for path, found, expected in zip(test_threads.TABLES, of_ranks[0], tables):
                        self.assertEqual(found, expected, path)
                    self.assertEqual(of_ranks[1], size)
        return one.stdout

    def compare_once(self, trace):
        """Compares with one number of ranks of one MPI, and takes others at the next call. The long test takes all."""
        self.turn += 1
        if IS_LONG:
            return self.compare(trace)
        return self.compare(trace, [COUNTS[self.turn // len(NAMES) % len(COUNTS)]], [NAMES[self.turn % len(NAMES)]])


class Analyses(Case):
    def test_examples(self):
        for archive in EXAMPLES:
            self.compare(self.import_archive(archive))

    def test_random_programs(self):
        """Every other program lacks records, or contradicts itself."""
        uncertain = 0
        for number in range(N_PROGRAMS):
            dice = random.Random(7000003 + number)
            write = test_threads.write_lossy if number % 2 else test_threads.write_random
            report = self.compare_once(self.import_archive(write(dice, SCRIPT, self.folder, f"p{number}")))
            uncertain += int(next(line for line in report.splitlines() if line.split()[0] == "uncertain").split()[1])
        self.assertGreater(uncertain, N_PROGRAMS, "the programs hardly contradict themselves")

    def test_waits_without_messages(self):
        for make in KIND_PROGRAMS:
            for seed in range(4 if IS_LONG else 1):
                program = make(random.Random(seed))
                name = f"{make.__name__}-{seed}"
                self.run_script(program, name)
                self.compare_once(self.import_archive(self.folder / f"{name}.otf2"))

    def run_script(self, program, name):
        subprocess.run([SCRIPT, self.folder, name], input=program.script(), text=True, check=True, timeout=60)

    def test_many_call_paths(self):
        """The call paths of all ranks together are more than an analysis keeps."""
        self.run_in([GENERATE, "-n", "400000", "-l", "4", "many.xtf"])
        self.compare(self.folder / "many.xtf", [3], NAMES[:1])

    def test_runs(self):
        """A trace of several runs is analysed run by run."""
        runs = [self.folder / f"run{number}.xtf" for number in range(2)]
        own = self.import_archive(EXAMPLES[0])
        for number, run in enumerate(runs):
            self.run_in([MAKE_RUN, own, run, number * 5 * 10 ** 9, 0, 0, 0])
        self.run_in([XTF, "merge", "-q", "--runs", "-o", "runs.xtf", *runs])
        report = self.compare(self.folder / "runs.xtf", [3])
        self.assertIn("critical path", report)

    def test_removed_volumes(self):
        """Each rank reads all records of a trace whose first volumes were removed. The analysis goes into the last volume."""
        own, results = self.import_archive(EXAMPLES[1]), []
        for command in ([XTF], mpis.Mpi(NAMES[0], "").launch(3, XTF)):
            self.run_in([KEEP_VOLUMES, own, self.folder, "kept.xtf", 6, 3, "compact"])
            self.run_in([*command, "analyze", "-q", "kept.xtf"])
            results.append([self.run_in([XTF, "cat", "kept.xtf", path]).stdout for path in test_threads.TABLES])
            for volume in self.folder.glob("kept.xtf*"):
                volume.unlink()
        self.assertEqual(*results)
        self.assertGreater(len(results[0][0].splitlines()), 5)

    def test_beside_an_anchor(self):
        """The analysis of the parts that ranks wrote is beside their anchor. Nothing remains of one that fails."""
        parts = self.folder / "run.xtf.d"
        self.launch(NAMES[0], 3, XTF, "import", "-q", "-o", parts, EXAMPLES[1])
        report = self.compare_parts(parts)
        self.run_in([XTF, "copy", "-q", parts, "one.xtf"])
        self.assertEqual(self.run_in([XTF, "analyze", "one.xtf"]).stdout, report)
        for path in [*test_threads.TABLES, "records", "definitions/locations"]:
            self.assertEqual(*(self.run_in([XTF, "cat", trace, path]).stdout for trace in ("one.xtf", parts)), path)
        self.run_in([XTF, "check", "-q", parts])
        (parts / "anchor.xtf.analysis").unlink()
        os.truncate(parts / "000001.xtf", 8192)
        before = sorted(os.listdir(parts))
        for mpi in self.mpis():
            self.assertIn("000001.xtf", self.launch(mpi, 2, XTF, "analyze", "-q", parts, status=1).stderr)
            self.assertEqual(sorted(os.listdir(parts)), before)

    def compare_parts(self, parts):
        """Compares the companions of an anchor that ranks wrote with that of one process. Returns its report."""
        one = self.run_in([XTF, "analyze", "-j1", parts]).stdout
        expected = [self.run_in([XTF, "cat", parts, path]).stdout for path in test_threads.TABLES]
        for mpi in self.mpis():
            for n in COUNTS:
                (parts / "anchor.xtf.analysis").unlink()
                self.assertEqual(self.launch(mpi, n, XTF, "analyze", parts).stdout, one)
                self.assertEqual([self.run_in([XTF, "cat", parts, path]).stdout for path in test_threads.TABLES], expected)
        return one

    def test_folder_of_parts(self):
        """With -o the analysis of parts is a copy in one file."""
        self.launch(NAMES[0], 3, XTF, "import", "-q", "-o", "run.xtf.d", EXAMPLES[1])
        self.run_in([XTF, "copy", "-q", "run.xtf.d", "one.xtf"])
        self.run_in([XTF, "analyze", "-q", "one.xtf"])
        for mpi in self.mpis():
            for source in ("run.xtf.d", "run.xtf.d/anchor.xtf"):
                self.launch(mpi, 2, XTF, "analyze", "-q", "-f", "-o", "many.xtf", source)
                self.run_in([XTF, "check", "-q", "many.xtf"])
                for path in [*test_threads.TABLES, "records", "definitions/locations"]:
                    self.assertEqual(*(self.run_in([XTF, "cat", trace, path]).stdout for trace in ("one.xtf", "many.xtf")), path)
        (self.folder / "run.xtf.d" / "anchor.xtf").unlink()  # the parts are joined in memory
        self.launch(NAMES[0], 3, XTF, "analyze", "-q", "-o", "joined.xtf", "run.xtf.d")
        self.assertEqual(*(self.run_in([XTF, "cat", trace, "waits/profile"]).stdout for trace in ("one.xtf", "joined.xtf")))

    def test_more_ranks_than_processes(self):
        archive = test_threads.write_random(random.Random(5), SCRIPT, self.folder, "few")
        self.compare(self.import_archive(archive), [1, 12], NAMES[:1])

    def test_rank_without_others_needs_no_module(self):
        trace = self.import_archive(EXAMPLES[0])
        for mpi in self.mpis():
            self.run_in(["env", "XTF_WORLD_LIBDIR=/nowhere", *mpis.Mpi(mpi, "").launch(1, XTF, "analyze", "-q", "-f", "-o", "out.analysis", trace)])

    def test_analysis_in_the_trace(self):
        trace = self.import_archive(EXAMPLES[0])
        self.run_in([XTF, "analyze", "-q", trace])
        expected = [self.run_in([XTF, "cat", trace, path]).stdout for path in test_threads.TABLES]
        trace = self.import_archive(EXAMPLES[0])
        for _ in range(2):  # the second analysis replaces the first
            self.launch(NAMES[0], 3, XTF, "analyze", "-q", trace)
            self.assertEqual([self.run_in([XTF, "cat", trace, path]).stdout for path in test_threads.TABLES], expected)
        self.run_in([XTF, "check", "-q", trace])

    @unittest.skipUnless(IS_LONG and shared_traces(), "takes minutes, and needs the shared traces")
    def test_traces_of_others(self):
        for archive in sorted(shared_traces().glob("**/*.otf2")):
            self.compare(self.import_archive(archive))


if __name__ == "__main__":
    if not NAMES:
        print("skipped: no launcher of an MPI is installed")
        sys.exit(mpis.SKIPPED)
    unittest.main(argv=sys.argv[:1])
