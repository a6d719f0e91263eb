#!/usr/bin/env python3
"""Names found later, `xtf record --names`: a program that was stripped before it was recorded gets the names of the same program with
its debug information. The debug information is in another folder, and no server is asked.

usage: test_names.py
"""

import pathlib
import shutil
import socket
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from recorded_trace import Recorded  # noqa: E402
from recording import XTF, Case, main, mpis  # noqa: E402

PROGRAM = """
#include <mpi.h>

static double compute(int n)
{
    double sum = n, all;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all + n;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    int result = compute(1) + compute(2) < 0;
    MPI_Finalize();
    return result;
}
"""


class Names(Case):
    def names(self, path):
        """Returns the rows of sites and regions with their texts."""
        trace = Recorded(path)
        self.addCleanup(trace.close)
        rows = []
        for table, texts in (("sites", ("function", "inlined_into", "file", "object", "build_id", "name")), ("regions", ("name", "canonical", "file"))):
            rows += sorted(str({"table": table, **row, **{name: trace.text(table, i, name) for name in texts}}) for i, row in enumerate(trace.tables[table]))
        return rows

    def make(self, mpi):
        """Records the program, and once more after it was stripped. Returns the folder of its debug information, and both traces."""
        (self.folder / "program.c").write_text(PROGRAM)
        self.run_in(f"mpicc.{mpi}", "-w", "-g", "-O1", "-finstrument-functions", "-o", "program", "program.c")
        shutil.rmtree(self.folder / "kept", ignore_errors=True)
        (self.folder / "kept").mkdir()
        self.run_in("objcopy", "--only-keep-debug", "program", "kept/any name")
        whole, _ = self.record(mpi, 2, self.folder / "program", options=["--force"])
        whole = whole.rename(self.folder / "whole.xtf")
        self.run_in("strip", "program")
        stripped, _ = self.record(mpi, 2, self.folder / "program")
        return self.folder / "kept", whole, stripped.rename(self.folder / "stripped.xtf")

    def listen(self):
        """Returns a server of debug information, which no command may ask."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        server.setblocking(False)
        self.environment["DEBUGINFOD_URLS"] = f"http://127.0.0.1:{server.getsockname()[1]}"
        return server

    def test_names(self):
        server = self.listen()
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                kept, whole, stripped = self.make(mpi)
                before, expected = self.names(stripped), self.names(whole)
                self.assertIn("main (program.c:14)", str(expected))
                self.assertNotIn("program.c", str(before))
                # Without the folder nothing is found, and the file stays as it is.
                bytes_before = stripped.read_bytes()
                said = self.xtf("record", "--names", stripped)
                self.assertIn("0 of 4 that had no line", said)
                self.assertRegex(said, rf"no debug file +{self.folder}/program \(build id [0-9a-f]+\)")
                self.assertEqual(stripped.read_bytes(), bytes_before)
                # In a copy, by the folder of debuggers.
                build_id = said.split("build id ")[1].split(")")[0]
                (self.folder / "debug/.build-id" / build_id[:2]).mkdir(parents=True, exist_ok=True)
                shutil.copy(kept / "any name", self.folder / "debug/.build-id" / build_id[:2] / f"{build_id[2:]}.debug")
                self.xtf("record", "--names", "--force", "--debug-dir", self.folder / "debug", "-o", "copy.xtf", stripped)
                self.assertEqual(self.names(self.folder / "copy.xtf"), expected)
                self.assertEqual(stripped.read_bytes(), bytes_before)
                # In the trace itself, by any name.
                said = self.xtf("record", "--names", "--debug-dir", kept, stripped)
                self.assertIn("4 of 4 that had no line", said)
                self.assertIn("2 of 2 that had no name", said)
                self.assertEqual(self.names(stripped), expected)
                for path in (stripped, self.folder / "copy.xtf"):
                    self.xtf("check", path)
        self.assertRaises(BlockingIOError, server.accept)

    def test_other_build(self):
        """Checks that a file of another build gives no names, even under the right name."""
        mpi = mpis()[0]
        kept, _, stripped = self.make(mpi)
        (self.folder / "program.c").write_text("\n\n" + PROGRAM)
        shutil.rmtree(kept)
        kept.mkdir()
        self.run_in(f"mpicc.{mpi}", "-w", "-g", "-O1", "-o", "program", "program.c")
        shutil.copy(self.folder / "program", kept / "program")
        before = self.names(stripped)
        self.assertIn("0 of 4 that had no line", self.xtf("record", "--names", "--debug-dir", kept, stripped))
        self.assertEqual(self.names(stripped), before)

    def test_without_library(self):
        """Checks that a program is recorded without libdw, and that the search for names then says why it fails."""
        mpi = mpis()[0]
        (self.folder / "broken").mkdir()
        (self.folder / "broken/libdw.so.1").write_bytes(b"")
        self.environment["LD_LIBRARY_PATH"] = f"{self.folder}/broken:{self.environment.get('LD_LIBRARY_PATH', '')}"
        kept, whole, stripped = self.make(mpi)
        self.assertNotIn("program.c", str(self.names(whole)))
        said = self.run_in("sh", "-c", f"'{XTF}' record --names --debug-dir '{kept}' '{stripped}' 2>&1", status=1)
        self.assertRegex(said, "cannot load libdw: .*broken/libdw.so.1")
        self.xtf("check", whole)

    def test_refused(self):
        mpi = mpis()[0]
        (self.folder / "empty").mkdir()
        self.xtf("record", "--names", "--buffer", "1M", "x.xtf", status=2)
        self.xtf("record", "--debug-dir", "empty", "true", status=2)
        self.xtf("record", "--names", "--debug-dir", "missing", "x.xtf", status=2)
        self.xtf("record", "--names", "a.xtf", "b.xtf", status=2)
        self.xtf("record", "--names", "missing.xtf", status=1)
        kept, _, stripped = self.make(mpi)
        (self.folder / "copy.xtf").write_text("old")
        self.xtf("record", "--names", "--debug-dir", kept, "-o", "copy.xtf", stripped, status=1)
        self.assertEqual((self.folder / "copy.xtf").read_text(), "old")


if __name__ == "__main__":
    main()
