"""Builds and records UPC programs in C, which play the runtimes of the compilers."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
# pylint: disable=wrong-import-position
import fewer  # noqa: F401
from recorded_trace import Recorded
from recording import TIMEOUT, XTF, Case, mpis  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = pathlib.Path(os.environ["GASP_LIBRARIES"])
COMPILER = os.environ.get("CC", "cc").split()
DIALECTS = {"bupc": ["-DBUPC"], "gupc": []}


class GaspCase(Case):
    def build(self, program, dialect, *options, library=None):
        path = self.folder / f"{program}-{dialect}"
        self.run_in(*COMPILER, "-w", "-O1", *DIALECTS[dialect], *options, "-o", path, HERE / f"{program}.c", f"-L{LIBRARIES}",
                    f"-lxtf-gasp-{library or dialect}", f"-Wl,-rpath,{LIBRARIES}")
        return path

    def record_threads(self, *command, options=()):
        """Records a program, and checks the trace. Returns the trace, and the command's errors."""
        path = self.folder / "run.xtf"
        done = subprocess.run([XTF, "record", "--force", "--clock", "monotonic", *options, "-o", path, *command], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.xtf("check", path)
        trace = Recorded(path)
        self.addCleanup(trace.close)
        return trace, done.stderr
