#!/usr/bin/env python3
"""Programs under limits of resources run as without the recorder. They are recorded, or say why not.

usage: test_limits.py
"""

import ctypes
import os
import platform
import resource
import shutil
import struct
import subprocess
import unittest

from dying import DIE, ENVIRONMENT, MODULE, XTF, Case

N = 3000
REFUSED = r"\Axtf record: [^\n]*: this process is not recorded\n\Z"
PIDFD_OPEN = 434  # on all processors but Alpha
MEMFD_CREATE = 319  # on x86_64


def forbid(call, code):
    """Makes a system call fail, as the filters of some containers do (seccomp(2))."""
    steps = ((0x20, 0, 0, 0), (0x15, 0, 1, call), (0x06, 0, 0, 0x00050000 | code), (0x06, 0, 0, 0x7fff0000))  # return an error, or allow the call
    program = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(program)
    filter_of = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(buffer)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(38, 1, 0, 0, 0) != 0 or prctl(22, 2, filter_of, 0, 0) != 0:  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
        raise OSError(ctypes.get_errno(), "prctl")


def forbid_pidfd_open():
    """Makes pidfd_open fail as if it did not exist."""
    forbid(PIDFD_OPEN, 38)
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return
    raise RuntimeError("pidfd_open still works")


def forbid_memfd_create():
    """Makes memfd_create fail as if it were forbidden."""
    forbid(MEMFD_CREATE, 1)
    try:
        os.close(os.memfd_create("none"))
    except PermissionError:
        return
    raise RuntimeError("memfd_create still works")


class Limits(Case):
    def run_both(self, limits, before=None):
        start = {"limits": limits, "before": before}
        plain = self.run_plain(N, "exit", **start)
        self.assertEqual((plain.status, plain.err), (5, ""))
        done = self.run_recorded(N, "exit", start=start)
        self.assertEqual((done.status, done.out), (plain.status, plain.out))
        self.assertEqual(self.counted(), 3 * N)
        return done

    def check_refused(self, *limits, why=""):
        done = self.run_both(limits)
        self.assertRegex(done.err, REFUSED)
        self.assertIn(why, done.err)
        self.assertEqual(self.files(), [])

    def check_whole(self, *limits):
        done = self.run_both(limits)
        self.assertEqual(done.err, "")
        [part] = self.files()
        kinds, _ = self.check(part)
        self.assertEqual((kinds["ENTER"], kinds["LEAVE"]), (3 * N, 3 * N))

    def test_no_pidfd_open(self):
        """Checks that the collector notices the end of a process by a socket that only this process has."""
        if platform.machine() != "x86_64":
            self.skipTest("the filter is for 64 bits, the lower half first")
        for way in "exit", "kill":
            plain = self.run_plain(N, way, before=forbid_pidfd_open)
            done = self.run_recorded(N, way, start={"before": forbid_pidfd_open})
            self.assertEqual(done, plain)
            [part] = self.files()
            kinds, _ = self.check(part)
            self.assertEqual((kinds["ENTER"], kinds["LEAVE"], kinds["PROGRAM_END"]), (3 * N, 3 * N, 1))
            for file in [*self.parts.iterdir(), self.counts]:
                file.unlink()

    def test_no_memfd_create(self):
        """Checks that the rings are then in a file that loses its name at once."""
        if platform.machine() != "x86_64":
            self.skipTest("the filter is for 64 bits, the lower half first")
        for way in "exit", "kill", "exec":
            before = set(os.listdir("/dev/shm"))
            plain = self.run_plain(N, way, before=forbid_memfd_create)
            done = self.run_recorded(N, way, start={"before": forbid_memfd_create})
            self.assertEqual(done, plain)
            [part] = self.files()
            kinds, _ = self.check(part)
            self.assertEqual((kinds["ENTER"], kinds["LEAVE"], kinds["PROGRAM_END"]), (3 * N, 3 * N, 1))
            self.assertEqual([name for name in set(os.listdir("/dev/shm")) - before if "xtf" in name], [])
            for file in [*self.parts.iterdir(), self.counts]:
                file.unlink()

    def test_size_of_files(self):
        self.check_refused((resource.RLIMIT_FSIZE, 100000), why="ulimit -f")

    def test_no_size_of_files(self):
        """Checks a limit that allows neither the rings nor a word of the log, nor a message in a file."""
        for size in 0, 40:
            for has_file in False, True:
                said = self.folder / "said"

                def limit():
                    self.counts.write_bytes(bytes(4096))
                    if has_file:
                        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
                    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

                said.write_bytes(bytes(size))
                done = self.run_both((), before=limit)
                self.assertRegex(done.err, r"\A\Z" if has_file else REFUSED)
                self.assertEqual((said.read_bytes(), self.files()), (bytes(size), []))

    def test_no_size_of_files_under_record(self):
        """Checks both forms of `xtf record`: the program runs, and a message says why it is not recorded."""
        limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"]
        for rank, command, status in (({}, [*limited, XTF, "record", "--mpi=none", "-o", "run.xtf", DIE], 1),
                                      ({}, [XTF, "record", "--mpi=none", "-o", "run.xtf", *limited, DIE], 1),
                                      ({"PMI_RANK": "0"}, [*limited, XTF, "record", "--mpi=none", "-o", "run.xtf", DIE], 0)):
            counts = self.folder / ("counts.0" if rank else "counts")
            counts.write_bytes(bytes(4096))
            done = subprocess.run([*command, self.counts, str(N), "return"], cwd=self.folder, env={**ENVIRONMENT, **rank, "XTF_TMPDIR": str(self.folder)},
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
            self.assertEqual((done.returncode, self.counted(counts)), (status, 3 * N), done.stderr)
            self.assertEqual(done.stderr.count("(ulimit -f)"), 1, done.stderr)
            self.assertIn("this process is not recorded\n", done.stderr)

    def test_size_of_files_that_suffices(self):
        self.check_whole((resource.RLIMIT_FSIZE, 3 << 20))

    def test_part_too_large(self):
        """Checks that the collector fails, but not the program."""
        n, start = 2000000, {"limits": [(resource.RLIMIT_FSIZE, 520000)]}
        plain = self.run_plain(n, "exit", **start)
        done = self.run_recorded(n, "exit", start=start, BUFFER=65536)
        self.assertEqual((done.status, done.out), (plain.status, plain.out))
        self.assertEqual(self.counted(), 3 * n)
        self.assertIn("File too large", "".join(log.read_text() for log in self.parts.glob("*.log")))
        for part in self.files():
            self.assertLessEqual(part.stat().st_size, 520000)
            self.assertIn(" 0 problems", self.xtf("check", part))

    def test_memory(self):
        self.check_refused((resource.RLIMIT_AS, 8 << 20), why="no memory")

    def test_no_memory_under_record(self):
        """Checks that the real reason is reported, and that the named folder has a log with it."""
        done = subprocess.run([XTF, "record", "--mpi=none", "-o", "run.xtf", "sh", "-c", 'ulimit -v 8192; exec "$@"', "sh", DIE, self.counts, str(N), "return"],
                              cwd=self.folder, env={**ENVIRONMENT, "XTF_TMPDIR": str(self.folder)}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
        self.assertEqual((done.returncode, self.counted()), (1, 3 * N), done.stderr)
        self.assertNotIn("seems to have no MPI", done.stderr)
        [folder] = self.folder.glob("xtf-*")
        self.assertIn(f"is in {folder}\n", done.stderr)
        [log] = folder.glob("collect-*.log")
        self.assertRegex(log.read_text(), r"^process \d+: no memory for what is recorded: Cannot allocate memory: ")

    def test_too_few_descriptors(self):
        # The program's own descriptors and one more: the recorder needs more.
        self.check_refused((resource.RLIMIT_NOFILE, 4), why="Too many open files")

    def test_few_descriptors(self):
        self.check_whole((resource.RLIMIT_NOFILE, 16))

    def test_processes(self):
        if os.getuid() != 0:
            self.skipTest("only root can become a user without processes")
        nobody = 54321
        os.chmod(self.folder, 0o777)
        os.chown(self.parts, nobody, nobody)
        for path in (DIE, MODULE, XTF):
            if subprocess.run(["setpriv", "--reuid", str(nobody), "--clear-groups", "test", "-r", path]).returncode:
                self.skipTest(f"{path} is not readable for other users")
        done = self.run_both([(resource.RLIMIT_NPROC, 1)], before=lambda: os.setuid(nobody))
        self.assertRegex(done.err, REFUSED)


class Full(Case):
    """Full file systems, in a separate namespace of mounts."""

    def in_namespace(self, script, **options):
        if os.getuid() != 0 or not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
            self.skipTest("mounts need root")
        environment = {**ENVIRONMENT, "DIE": DIE, "COUNTS": str(self.counts), "PARTS": str(self.parts), "XTF": XTF,
                       "WITH": " ".join(f"{name}={value}" for name, value in self.environment(**options).items() if name not in ENVIRONMENT)}
        # A mount ends with the last process of the namespace: the part is copied before.
        return subprocess.run(["unshare", "-m", "sh", "-c", script], env=environment, capture_output=True, text=True, timeout=180, cwd=self.folder)

    def test_disk(self):
        script = """
            mount -t tmpfs -o size=256k,mode=700 none "$PARTS" || exit 77
            env $WITH "$DIE" "$COUNTS" 400000 exit
            echo "status $?"
            for i in $(seq 400); do
                pgrep -f "^$XTF collect" | while read process; do
                    tr '\\0' '\\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "XTF_RECORD_FOLDER=$PARTS" && echo "$process"
                done | grep -q . || break
                sleep 0.05
            done
            mkdir kept && cp "$PARTS"/*.xtf kept/
        """
        done = self.in_namespace(script, BUFFER=65536)
        if done.returncode == 77:
            self.skipTest("no tmpfs")
        self.assertIn("status 5\n", done.stdout, done.stderr)
        self.assertEqual(self.counted(), 1200000)
        [part] = (self.folder / "kept").glob("*.xtf")
        self.check(part)

    def test_temporary_folder(self):
        """Checks that parts fill their disk while the trace is written elsewhere. Every record must be kept or counted as lost,
        also in a trace that is merged by hand."""
        n = 700000
        script = f"""
            mount -t tmpfs -o size=300k,mode=700 none "$PARTS" || exit 77
            XTF_TMPDIR="$PARTS" "$XTF" record -k --brake=0 -b 64K -o run.xtf "$DIE" "$COUNTS" {n} return
            echo "status $?"
            [ -s "$PARTS"/xtf-*/000000.log ] && "$XTF" merge -o again.xtf "$PARTS"/xtf-*
        """
        done = self.in_namespace(script)
        if done.returncode == 77:
            self.skipTest("no tmpfs")
        self.assertIn("status 1\n", done.stdout, done.stderr)
        self.assertRegex(done.stderr, r"process 0 ends early: \d+ records are lost, since nothing could be written any more from .*No space left on device")
        for trace in self.folder / "run.xtf", self.folder / "again.xtf":
            kinds, _ = self.check(trace)
            values = {line.split()[5]: line.split()[4].replace(r"\x20", " ") for line in self.xtf("cat", trace, "definitions/definition_properties").splitlines()[1:]}
            self.assertEqual(kinds["ENTER"] + kinds["LEAVE"] + int(values["record.lost"]), 6 * n)
            self.assertEqual(values["record.end"], "exited")
            self.assertRegex(self.xtf("info", trace), r"(?m)^ends early +process 0: .*No space left on device$")
            self.assertRegex(self.xtf("check", trace), r"(?m)^process 0 ends early, .*No space left on device$")

    def test_shared_memory(self):
        """Checks that /dev/shm may be full or missing, as the rings are elsewhere."""
        script = """
            mount -t tmpfs -o size=4k none /dev/shm || exit 77
            dd if=/dev/zero of=/dev/shm/full bs=1k count=100 2>/dev/null
            env $WITH "$DIE" "$COUNTS" 3000 exit
            echo "status $?"
        """
        done = self.in_namespace(script)
        if done.returncode == 77:
            self.skipTest("no tmpfs")
        self.wait_for_collector()
        self.assertIn("status 5\n", done.stdout, done.stderr)
        self.assertEqual(done.stderr, "")
        [part] = self.files()
        kinds, _ = self.check(part)
        self.assertEqual(kinds["LEAVE"], 9000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
