#!/usr/bin/env python3
"""Lets imports and analyses by ranks fail. All ranks end, one prints a message, and the status is not 0. Nothing is left of the output. An older output
stays.

usage: test_faults.py XTF WRITE_LOCATIONS NAME...   (of MPIs)
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PLACE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(PLACE.parent / "record")]

import fewer
import mpis

XTF, WRITE_LOCATIONS = map(os.path.abspath, sys.argv[1:3])
NAMES = [name for name in sys.argv[3:] if shutil.which(f"mpirun.{name}")]
# The shell's expression for the own rank.
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
WAIT = 100  # seconds for processes to begin or end, on a busy machine


class Case(unittest.TestCase):
    """A test with archives, in a folder of its own."""

    @classmethod
    def setUpClass(cls):
        cls.archives = pathlib.Path(tempfile.mkdtemp(prefix="xtf-world-"))
        cls.addClassCleanup(shutil.rmtree, cls.archives)
        subprocess.run([WRITE_LOCATIONS, cls.archives / "small", "12", "300"], check=True)
        subprocess.run([WRITE_LOCATIONS, cls.archives / "large", "2000", "500"], check=True)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-world-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.small, self.large = (str(self.archives / name / "traces.otf2") for name in ("small", "large"))

    def begin(self, mpi, n, *command):
        job = subprocess.Popen(mpis.Mpi(mpi, "").launch(n, *command), cwd=self.folder, env=mpis.outside(), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, job)
        return job

    def end(self, job):
        """Ends a job that hangs."""
        if job.poll() is None:
            job.terminate()
            job.communicate(timeout=WAIT)

    def launch(self, mpi, n, *command, status=0):
        job = self.begin(mpi, n, *command)
        stdout, stderr = job.communicate(timeout=170)
        if status is None:
            self.assertNotEqual(job.returncode, 0, f"{command}\n{stdout}{stderr}")
        else:
            self.assertEqual(job.returncode, status, f"{command}\n{stdout}{stderr}")
        return stdout, stderr

    def script(self, text):
        """Returns a command that does something for some ranks, then runs xtf with the arguments."""
        path = self.folder.parent / f"{self.folder.name}.sh"
        # Shared memory in files fails by a limit of files or in another namespace. Open MPI's launcher then crashes now and then, as
        # warnings of several ranks arrive together. MPICH over TCP hangs now and then as it ends.
        path.write_text(f'#!/bin/sh\nexport OMPI_MCA_btl=self,tcp UCX_TLS=sysv,self\nrank={RANK}\n{text}\nexec "{XTF}" "$@"\n')
        path.chmod(0o755)
        self.addCleanup(path.unlink, missing_ok=True)
        return path

    def messages(self, stderr):
        return re.findall(r"^xtf: .*", stderr, re.MULTILINE)

    def expect_failure(self, mpi, n, command, message, status=1):
        """Runs a command that fails, with any status but 0 if `status` is None. Checks its only message, and that it leaves nothing."""
        before = sorted(os.listdir(self.folder))
        _, stderr = self.launch(mpi, n, *command, status=status)
        found = self.messages(stderr)
        self.assertEqual(len(found), 1, stderr)
        self.assertRegex(found[0], message)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def await_end(self, archive):
        """Waits until no process works on the archive, and checks that nothing is left."""
        until = time.monotonic() + WAIT
        while self.processes_of(archive) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(self.processes_of(archive), [])
        self.assertEqual(os.listdir(self.folder), [])

    def processes_of(self, archive):
        """Returns the ids of xtf's processes that import to this test's folder."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                command = pathlib.Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
                if command[0] == XTF.encode() and archive.encode() in command and os.readlink(f"/proc/{name}/cwd") == str(self.folder):
                    found.append(int(name))
            except OSError:
                continue
        return found


class Imports(Case):
    def test_missing_archive(self):
        for mpi in mpis.of_test(self, NAMES):
            self.expect_failure(mpi, 3, [XTF, "import", "-o", "out.xtf.d", "/nowhere/traces.otf2"], "nowhere/traces.otf2: No such file")

    def test_damaged_events(self):
        """Only some rank reads the damaged location; it may be any."""
        shutil.copytree(self.archives / "small", self.folder / "damaged")
        for mpi in mpis.of_test(self, NAMES):
            for location in (0, 7):
                events = self.folder / "damaged" / "traces" / f"{location}.evt"
                whole = events.read_bytes()
                events.write_bytes(whole[:len(whole) // 2])
                self.expect_failure(mpi, 3, [XTF, "import", "-o", "out.xtf.d", "damaged/traces.otf2"], f"location {location} is damaged after")
                events.write_bytes(whole)

    def test_full_disk_of_one_rank(self):
        script = self.script('if [ "$rank" = 2 ]; then ulimit -f 64; fi')
        for mpi in mpis.of_test(self, NAMES):
            self.expect_failure(mpi, 3, [script, "import", "-o", "out.xtf.d", self.large], r"rank 2 on \S+: .*000002.xtf.*: (File too large|.*limit)")

    def test_unshared_folder(self):
        if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode:
            self.skipTest("no namespaces of mounts here")
        (self.folder / "out").mkdir()
        script = self.script(f'[ "$rank" = 1 ] && exec unshare -rm sh -c \'mount -t tmpfs none out; exec "{XTF}" "$@"\' - "$@"')
        for mpi in mpis.of_test(self, NAMES):
            self.expect_failure(mpi, 2, [script, "import", "-o", "out/trace.xtf.d", self.small], "rank 1 on .*all ranks share")
            self.assertEqual(os.listdir(self.folder / "out"), [])

    def test_rank_without_module(self):
        """Rank 1 ends before MPI starts, for which the others wait."""
        script = self.script('[ "$rank" = 1 ] && export XTF_WORLD_LIBDIR=/nowhere')
        for mpi in mpis.of_test(self, NAMES):
            self.expect_failure(mpi, 3, [script, "import", "-o", "out.xtf.d", self.small], "/nowhere/libxtf-world-.*: there is no such file", status=None)

    def test_one_rank_without_module(self):
        """The only process of a job needs no MPI."""
        script = self.script("export XTF_WORLD_LIBDIR=/nowhere")
        for mpi in mpis.of_test(self, NAMES):
            self.launch(mpi, 1, script, "import", "-q", "-o", f"{mpi}-alone.xtf.d", self.small)
            self.launch(mpi, 1, XTF, "import", "-q", "-o", f"{mpi}.xtf.d", self.small)
            records = [subprocess.run([XTF, "cat", self.folder / name, "records"], capture_output=True, check=True).stdout
                       for name in (f"{mpi}-alone.xtf.d", f"{mpi}.xtf.d")]
            self.assertEqual(*records)
            self.assertEqual(*(sorted(os.listdir(self.folder / name)) for name in (f"{mpi}-alone.xtf.d", f"{mpi}.xtf.d")))

    @unittest.skipUnless("mpich" in NAMES, "MPICH is not installed")
    def test_mpi_that_hangs_at_its_end(self):
        """MPICH 4.0 over TCP hangs in MPI_Finalize in some of such runs."""
        script = self.script("export UCX_TLS=tcp,self")
        for _ in range(6):
            self.expect_failure("mpich", 3, [script, "import", "-o", "out.xtf.d", "/nowhere/traces.otf2"], "No such file", status=None)

    def test_killed_rank(self):
        """Rank 1 is killed while its child process reads."""
        script = self.script('if [ "$rank" = 1 ]; then (while ! pgrep -P $$ -x xtf >/dev/null; do :; done; kill -9 $$) & fi')
        for mpi in mpis.of_test(self, NAMES):
            job = self.begin(mpi, 3, script, "import", "-o", "out.xtf.d", self.large)
            job.communicate(timeout=170)
            self.assertNotEqual(job.returncode, 0)
            self.await_end(self.large)

    def test_interrupt(self):
        for mpi in mpis.of_test(self, NAMES):
            job = self.begin(mpi, 3, XTF, "import", "-o", "out.xtf.d", self.large)
            while len(self.processes_of(self.large)) < 6 and job.poll() is None:
                pass
            job.send_signal(signal.SIGINT)
            _, stderr = job.communicate(timeout=170)
            self.assertNotEqual(job.returncode, 0)
            self.assertLessEqual(len(self.messages(stderr)), 1, stderr)
            if (self.folder / "out.xtf.d").exists():  # the signal came when the import was done: the output is whole
                subprocess.run([XTF, "check", "-q", self.folder / "out.xtf.d"], check=True)
                shutil.rmtree(self.folder / "out.xtf.d")
            self.await_end(self.large)

    def test_existing_output(self):
        mpi = NAMES[0]
        command = [XTF, "import", "-q", "-o", "out.xtf.d"]
        (self.folder / "out.xtf.d").write_text("a file")
        self.expect_failure(mpi, 2, [*command, "-f", self.small], "it exists and is no folder")
        os.unlink(self.folder / "out.xtf.d")
        (self.folder / "out.xtf.d").mkdir()
        self.launch(mpi, 2, *command, self.small)
        self.launch(mpi, 3, *command, self.small)  # another import of the same archive
        self.expect_failure(mpi, 2, [*command, self.large], "holds another trace")
        self.assertEqual(len(list((self.folder / "out.xtf.d").glob("0*.xtf"))), 3)
        self.launch(mpi, 2, *command, "--force", self.large)
        (self.folder / "out.xtf.d" / "notes.txt").write_text("not of xtf")
        self.expect_failure(mpi, 2, [*command, "--force", self.large], "it has other files than an import, such as notes.txt")
        self.assertEqual(sorted(os.listdir(self.folder / "out.xtf.d")), ["000000.xtf", "000001.xtf", "anchor.xtf", "definitions.xtf", "notes.txt"])

    def test_more_ranks_than_locations(self):
        subprocess.run([WRITE_LOCATIONS, self.folder / "two", "2", "30"], check=True)
        self.launch(NAMES[0], 5, XTF, "import", "-q", "-o", "out.xtf.d", "two/traces.otf2")
        self.assertEqual(sorted(os.listdir(self.folder / "out.xtf.d")), ["000000.xtf", "000001.xtf", "anchor.xtf", "definitions.xtf"])

    def test_default_output(self):
        self.launch(NAMES[0], 2, XTF, "import", "-q", self.small)
        self.assertEqual(os.listdir(self.folder), ["traces.xtf.d"])

    def test_other_formats_by_rank_0(self):
        events = [{"ph": "X", "name": "call", "ts": 10 * i, "dur": 5, "pid": 1, "tid": 1} for i in range(9)]
        (self.folder / "events.json").write_text(json.dumps(events))
        for mpi in mpis.of_test(self, NAMES):
            stdout, _ = self.launch(mpi, 3, XTF, "import", "-f", "-o", "out.xtf", "events.json")
            self.assertEqual(stdout.count("18             18"), 1, stdout)
            subprocess.run([XTF, "check", "-q", self.folder / "out.xtf"], check=True)


class Analyses(Case):
    """The trace stays as it is, and an older analysis beside it."""

    COMMAND = ["analyze", "-q", "-f", "-o", "out.analysis"]

    def import_archive(self, archive):
        """Imports an archive outside of the test's folder, and returns the trace."""
        trace = f"{os.path.dirname(archive)}.xtf"
        if not os.path.exists(trace):
            subprocess.run([XTF, "import", "-q", "-o", trace, archive], check=True)
        return trace

    def test_missing_trace(self):
        for mpi in mpis.of_test(self, NAMES):
            self.expect_failure(mpi, 3, [XTF, *self.COMMAND, "/nowhere/run.xtf"], "nowhere/run.xtf: No such file")

    def test_archive_is_imported_once(self):
        for mpi in mpis.of_test(self, NAMES):
            script = self.script(f'export XTF_CACHE_DIR="{self.folder}/cache"')
            stdout, _ = self.launch(mpi, 3, script, "analyze", self.small)
            self.assertEqual(stdout.count("critical path"), 1)
            self.assertEqual(len(list((self.folder / "cache").rglob("*.xtf"))), 1)
            shutil.rmtree(self.folder / "cache")

    def test_damaged_page(self):
        """Only some rank reads a damaged page of records; it may be any."""
        trace = pathlib.Path(self.import_archive(self.large))
        whole = trace.read_bytes()
        for mpi, place in zip(NAMES, (len(whole) // 5, len(whole) // 2)):
            damaged = self.folder / "damaged.xtf"
            damaged.write_bytes(whole[:place] + bytes(byte ^ 0x55 for byte in whole[place:place + 8192]) + whole[place + 8192:])
            self.expect_failure(mpi, 3, [XTF, *self.COMMAND, "damaged.xtf"], "its checksum is wrong")

    def test_full_disk_of_one_rank(self):
        trace = self.import_archive(self.large)
        for mpi in mpis.of_test(self, NAMES):
            for rank, name in ((0, ""), (2, r"rank 2 on \S+: ")):
                script = self.script(f'if [ "$rank" = {rank} ]; then ulimit -f 64; fi')
                self.expect_failure(mpi, 3, [script, *self.COMMAND, trace], f"xtf: {name}.*(File too large|.*limit)")

    def test_other_file_of_one_rank(self):
        trace = self.import_archive(self.small)
        for name in ("one", "two"):
            (self.folder / name).mkdir()
        shutil.copy(trace, self.folder / "one" / "run.xtf")
        subprocess.run([XTF, "import", "-q", "-o", self.folder / "two" / "run.xtf", self.small], check=True)
        script = self.script('cd one; [ "$rank" = 1 ] && cd ../two')
        for mpi in mpis.of_test(self, NAMES):
            self.expect_failure(mpi, 3, [script, *self.COMMAND, "run.xtf"], r"rank 1 on \S+: 'run.xtf' is another file here than for rank 0")

    def test_killed_rank(self):
        """Rank 1 is killed at some time of the analysis: the output is missing, or whole."""
        trace = self.import_archive(self.large)
        for mpi in mpis.of_test(self, NAMES):
            for delay in (0.1, 0.3, 0.6):
                script = self.script(f'if [ "$rank" = 1 ]; then (sleep {delay}; kill -9 $$) & fi')
                job = self.begin(mpi, 3, script, *self.COMMAND, trace)
                job.communicate(timeout=170)
                if (self.folder / "out.analysis").exists():
                    subprocess.run([XTF, "check", "-q", self.folder / "out.analysis"], check=True)
                    os.unlink(self.folder / "out.analysis")
                else:
                    self.assertNotEqual(job.returncode, 0)
                self.await_end(trace)

    def test_interrupt(self):
        trace = self.import_archive(self.large)
        for mpi in mpis.of_test(self, NAMES):
            job = self.begin(mpi, 3, XTF, *self.COMMAND, trace)
            while len(self.processes_of(trace)) < 3 and job.poll() is None:
                pass
            time.sleep(0.2)
            job.send_signal(signal.SIGINT)
            _, stderr = job.communicate(timeout=170)
            self.assertLessEqual(len(self.messages(stderr)), 1, stderr)
            if (self.folder / "out.analysis").exists():  # the signal came when all was done
                os.unlink(self.folder / "out.analysis")
            else:
                self.assertNotEqual(job.returncode, 0)
            self.await_end(trace)


if __name__ == "__main__":
    if not NAMES:
        print("skipped: no launcher of an MPI is installed")
        sys.exit(mpis.SKIPPED)
    fewer.main(argv=sys.argv[:1])
