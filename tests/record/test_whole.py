#!/usr/bin/env python3
"""Programs as Debian packages them: HPCC, LAMMPS and Python with mpi4py. Recorded, they must print and end as by themselves, and
their traces must have the records that such programs make."""

import gzip
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import recording

HPCC_INPUT = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
IN_LJ = pathlib.Path(__file__).resolve().parents[2] / "examples/melt-4/in.lj"
NUMBER = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?", re.IGNORECASE)
# HPCC's output without times and rates: sizes, counts, whether results are right. A line that begins with "CPU" repeats the
# result of the line "WALL" above it. It is present only if the clock of processor time has ticked meanwhile.
HPCC_FACTS = re.compile(r"^(\w*(Success|_N|_nb|_nprow|_npcol|VectorSize|CommWorldProcs|MPIRandomAccess_Errors\w*)=.*|(?!CPU ).*(PASSED|FAILED).*)$",
                        re.MULTILINE)
PYTHON = "/usr/bin/python3"  # Debian's mpi4py is for this one
SCRIPT = """
from mpi4py import MPI
import sys
comm = MPI.COMM_WORLD
for i in range(3):
    got = comm.sendrecv({"from": comm.rank}, dest=(comm.rank + 1) % comm.size, source=(comm.rank - 1) % comm.size)
half = comm.Split(comm.rank % 2)
values = comm.gather((got["from"], half.size, comm.allreduce(comm.rank)), root=0)
half.Free()
if comm.rank == 0:
    print(values, file=sys.stdout)
sys.exit(3)
"""


class Whole(recording.Case):
    def run_twice(self, n, *command, status=0):
        """Runs a program by itself and recorded. Returns both outputs, and the trace."""
        launch = self.launch("openmpi", n, *command)
        by_itself = self.run_in(*launch, status=status)
        trace = self.folder / "run.xtf"
        recorded = self.run_in(recording.XTF, "record", "-o", trace, *launch, status=status)
        self.xtf("check", trace)
        return by_itself, recorded, trace

    def count(self, trace, path):
        return int(self.xtf("cat", trace, f"{path}/count"))

    @unittest.skipUnless(shutil.which("lmp"), "LAMMPS is not installed")
    def test_lammps(self):
        shutil.copy(IN_LJ, self.folder)
        by_itself, recorded, trace = self.run_twice(4, "lmp", "-in", "in.lj", "-log", "none")
        thermo = re.compile(r"^ +\d+( +[-\d.]+){5} *$", re.MULTILINE)
        rows = [match[0] for match in thermo.finditer(by_itself)]
        self.assertGreater(len(rows), 5)
        self.assertEqual(rows, [match[0] for match in thermo.finditer(recorded)])
        # Times differ; the words do not.
        self.assertEqual([re.sub(r"[-\d.|%]+| +", "", line) for line in by_itself.splitlines() if "time" not in line.lower()],
                         [re.sub(r"[-\d.|%]+| +", "", line) for line in recorded.splitlines() if "time" not in line.lower()])
        self.assertGreater(self.count(trace, "sends"), 1000)
        self.assertEqual(self.count(trace, "sends"), self.count(trace, "recvs"))
        heads, *rows = self.xtf("cat", trace, "unmatched").splitlines()
        for row in rows:
            numbers = dict(zip(heads.lstrip("# ").split(), row.split()))
            self.assertLessEqual({numbers["sends"], numbers["receives"]}, {"0", "-"}, row)

    @unittest.skipUnless(shutil.which("hpcc"), "HPCC is not installed")
    def test_hpcc(self):
        text = HPCC_INPUT.read_text() if HPCC_INPUT.exists() else gzip.open(HPCC_INPUT.with_suffix(".txt.gz"), "rt").read()
        for name, value in ("Ns", 64), ("NBs", 16), ("Ps", 2), ("Qs", 1):
            text = re.sub(rf"^[\d ]+{name} *$", f"{value}         {name}", text, flags=re.MULTILINE)
        (self.folder / "hpccinf.txt").write_text(text)
        facts = []
        for name in "by itself", "recorded":
            launch = self.launch("openmpi", 2, "hpcc")
            prefix = [recording.XTF, "record", "-o", self.folder / "run.xtf"] if name == "recorded" else []
            self.run_in(*prefix, *launch)
            facts.append([match[0] for match in HPCC_FACTS.finditer((self.folder / "hpccoutf.txt").read_text())])
            (self.folder / "hpccoutf.txt").unlink()
        self.assertGreater(len(facts[0]), 10)
        words = [[NUMBER.sub("", fact) if "=" not in fact else fact for fact in run_facts] for run_facts in facts]
        self.assertEqual(*words)
        self.xtf("check", self.folder / "run.xtf")
        self.assertEqual(self.count(self.folder / "run.xtf", "sends"), self.count(self.folder / "run.xtf", "recvs"))

    def test_python(self):
        """Checks that Python, which opens MPI's library itself in a separate scope, is recorded, and that the exit status is the
        program's."""
        if subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True).returncode != 0:
            self.skipTest("mpi4py is not installed")
        (self.folder / "ring.py").write_text(SCRIPT)
        by_itself, recorded, trace = self.run_twice(4, PYTHON, "ring.py", status=3)
        self.assertEqual(by_itself, recorded)
        self.assertIn("Rank 3", self.xtf("cat", trace, "definitions/processes"))
        # mpi4py receives objects by MPI_Mprobe and MPI_Mrecv.
        states = [line.split()[8] for line in self.xtf("cat", trace, "messages").splitlines() if not line.startswith("#")]
        self.assertGreaterEqual(len(states), 3 * 4)
        self.assertEqual(set(states), {"certain"})
        profile = self.xtf("cat", trace, "profile")
        for function in "MPI_Init_thread", "MPI_Isend", "MPI_Mrecv", "MPI_Comm_split", "MPI_Gather", "MPI_Comm_free", "MPI_Finalize":
            self.assertRegex(profile, rf"\b{function}\b")


if __name__ == "__main__":
    if "openmpi" not in recording.mpis():
        print("skipped: Open MPI is not installed, or xtf was built without it")
        sys.exit(77)
    unittest.main()
