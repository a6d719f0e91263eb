#!/usr/bin/env python3
"""Programs of MPI, recorded on two nodes in parts that begin new files (`xtf record --rotate`). Old files are kept, or removed.
The traces must have what the program did. No file may be left behind, or mixed with files of another run. Two nodes need
namespaces of Linux.

usage: test_volumes.py
"""

import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

from launching import XTF
from recorded_trace import Recorded
from ring import MPIS, SKIP
from test_nodes import Nodes, working_way

ROUNDS, PAUSE = 32, 100000  # microseconds: three seconds, in which each part begins two volumes or more
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, got;
    char line[100] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < %d; i++) {
        usleep(%d);
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) %% size, i, &got, 1, MPI_INT, (rank + size - 1) %% size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && fgets(line, sizeof line, stdin))
        printf("read %%s%%d processes, the last message was %%d\n", line, size, got + 49 - %d);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
""" % (ROUNDS, PAUSE, ROUNDS - 1)
CHECKER = pathlib.Path(__file__).resolve().parents[1] / "reader" / "xtf_check.py"
PART, VOLUME = re.compile(r"\d{6}\.xtf"), re.compile(r"(\d{6}\.xtf)\.(\d{4})")


class Volumes(Nodes):
    def setUp(self):
        super().setUp()
        (self.folder / "ring.c").write_text(PROGRAM)

    def numbers(self, folder):
        """Returns {part: numbers of its earlier volumes}, after the collectors have ended. Fails if an unknown file is there."""
        end = time.monotonic() + 60
        while any(name.endswith(".starting") for name in self.files(folder)) and time.monotonic() < end:
            time.sleep(0.05)
        names = self.files(folder)
        parts = {name: [] for name in names if PART.fullmatch(name)}
        for name in names:
            volume = VOLUME.fullmatch(name)
            if volume:
                parts[volume[1]].append(int(volume[2]))
            else:
                self.assertRegex(name, r"^(\d{6}\.xtf|anchor\.xtf|clock-\w+|worlds|recorded|job|output)$", names)
        return parts

    def messages(self, trace):
        """Returns the messages of each process that the reader in Python finds: (records, peers and tags of its sends)."""
        recorded = Recorded(str(self.folder / trace))
        try:
            return {location: (len(records), [(record.peer, record.tag) for record in records if record.event == "MPI_SEND"])
                    for location, records in recorded.records.items()}
        finally:
            recorded.close()

    def check_whole(self, trace, processes=4):
        """Checks that the trace has all calls and messages, by xtf and by the reader in Python."""
        self.xtf("check", trace)
        self.assertEqual([int(self.xtf("cat", trace, path)) for path in ("/region/MPI_Sendrecv/calls/count", "/sends/count", "/recvs/count")],
                         [ROUNDS * processes] * 3)
        self.assertEqual(self.xtf("cat", trace, "/unmatched").splitlines()[1].split()[:3], ["0", "0", "0"])
        self.assertEqual(len([line for line in self.xtf("cat", trace, "/messages").splitlines() if not line.startswith("#")]), ROUNDS * processes)
        if not (self.folder / trace).is_dir():
            self.assertEqual(len(self.messages(trace)), processes)
            for location, (n_records, sends) in self.messages(trace).items():
                self.assertEqual(len(sends), ROUNDS, f"process {location}")
                self.assertEqual(n_records, int(self.xtf("cat", trace, f"/proc/{location >> 32}/thread/{location & 0xffffffff}/count")))

    def check_volumes(self, folder):
        """Checks a folder of parts, alone and anchored. Each part has volumes, numbered from 1."""
        numbers = self.numbers(folder)
        self.assertEqual(len(numbers), 4, numbers)
        for part, volumes in numbers.items():
            self.assertGreaterEqual(len(volumes), 2, numbers)
            self.assertEqual(sorted(volumes), list(range(1, len(volumes) + 1)), part)
            self.assertIn(": 0 problems", self.xtf("check", f"{folder}/{part}"))
        self.check_whole(folder)
        self.xtf("merge", "-q", "--anchor", folder)
        self.check_whole(f"{folder}/anchor.xtf")
        os.remove(self.folder / folder / "anchor.xtf")

    def test_outside(self):
        """The launcher runs in `xtf record`: one file remains, of the parts of both nodes."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                self.run_on_nodes(XTF, "record", "--rotate", "1s", "-o", f"out/{mpi}.xtf", *self.launch(mpi, self.compiled(mpi)))
                self.check_whole(f"out/{mpi}.xtf")
                self.assertEqual(self.files("out"), [f"{mpi}.xtf"])
                os.remove(self.folder / f"out/{mpi}.xtf")
                self.assertEqual([self.files(name) for name in ("tmp", "node-one", "node-two")], [[]] * 3, "volumes of a job")

    def test_inside(self):
        """The launcher runs `xtf record`. With --force a second run replaces the volumes of the first."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, program = f"out/{mpi}.xtf", self.compiled(mpi)
                self.run_on_nodes(*self.launch(mpi, XTF, "record", "--rotate", "1s", "-o", trace, program))
                self.check_volumes(trace + ".d")
                first = {name: (self.folder / f"{trace}.d/{name}").stat().st_ino for name in self.files(trace + ".d")}
                self.run_on_nodes(*self.launch(mpi, XTF, "record", "--force", "-o", trace, program))
                self.assertEqual(list(self.numbers(trace + ".d").values()), [[]] * 4, f"volumes of the first run, {first}")
                self.check_whole(trace + ".d")
                self.xtf("merge", "-q", "-o", "run.xtf", "--force", trace + ".d")
                self.check_whole("run.xtf")

    def check_anchored(self, folder, parts):
        """Checks that parts without their first volumes become no file, but a trace by an anchor in place."""
        self.assertIn("only --anchor joins the others", self.xtf("merge", "-o", "merged.xtf", folder, status=1))
        self.assertFalse(os.path.exists(self.folder / "merged.xtf"))
        self.xtf("merge", "-q", "--anchor", folder)
        anchor = f"{folder}/anchor.xtf"
        self.assertIn(": 0 problems", self.xtf("check", anchor))
        checked = subprocess.run([sys.executable, CHECKER, anchor], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        counts = [int(self.xtf("cat", part, "/count")) for part in parts]
        self.assertTrue(0 < int(self.xtf("cat", anchor, "/count")) <= sum(counts), counts)  # it begins with the latest of them

    # FORMAT W66, C9
    def test_keep(self):
        """Old files are removed. The kept files are gathered, and are the trace."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                printed = self.run_on_nodes(XTF, "record", "--rotate", "1s", "--keep", "1", "-o", f"out/{mpi}.xtf", *self.launch(mpi, self.compiled(mpi)))
                self.assertIn("--keep has removed the first files", printed)
                gathered = [folder for folder in re.findall(r"/\S+", printed) if os.path.isdir(folder)]
                self.assertFalse(os.path.exists(self.folder / f"out/{mpi}.xtf"))
                parts = {}
                for folder in gathered:
                    parts.update({pathlib.Path(folder) / part: volumes for part, volumes in self.numbers(folder).items()})
                self.assertEqual(sorted(part.name for part in parts), [f"{i:06}.xtf" for i in range(4)], printed)
                for part, volumes in parts.items():
                    self.assertEqual(len(volumes), 1, parts)
                    self.assertGreaterEqual(volumes[0], 2, parts)
                    self.assertIn(": 0 problems", self.xtf("check", part))
                    self.assertRegex(self.xtf("info", part), r"(?m)^removed +\d+ volumes")
                    self.assertGreater(int(self.xtf("cat", part, "/count")), 10)
                for folder in {str(part.parent) for part in parts}:
                    self.check_anchored(folder, [part for part in parts if str(part.parent) == folder])


if __name__ == "__main__":
    if not MPIS or not working_way():
        print("skipped: no MPI with a compiler is installed" if not MPIS else "skipped: namespaces, which simulate nodes, are forbidden here")
        sys.exit(SKIP)
    # The tests of nodes that this case inherits run elsewhere.
    names = [f"Volumes.{name}" for name in ("test_outside", "test_inside", "test_keep")]
    sys.exit(unittest.main(argv=[sys.argv[0], *(sys.argv[1:] or names)], verbosity=1))
