#!/usr/bin/env python3
"""The command `xtf record`: its two forms, its handling of whole, missing or damaged parts, and its exit status. The
programs are scripts that leave parts as collectors do.

usage: test_record.py
"""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time

import fewer
from launching import MAKE_PART, XTF, Case


class Running(Case):
    def test_merges(self):
        app = self.script("app", self.parts(0, 1, 2, after="echo out; echo err >&2; cat"))
        out, error = self.record("-o", "run.xtf", app)
        self.assertEqual(out, "out\n")
        self.assertIn("err\n", error)
        self.assertIn("run.xtf: 33 records of 3 processes", error)
        self.assertIn("processes 0-2: finalized", error)
        self.assertIn(str((self.folder / "run.xtf").stat().st_size) + " bytes", error)
        self.xtf("check", "run.xtf")
        self.assertEqual(self.left(), [])
        for p in range(3):
            self.assertEqual(len(self.xtf("cat", "run.xtf", f"/proc/{p}/records").splitlines()), 10 + p)

    def test_reader_of_the_summary_ends(self):
        """Checks that the parts are removed if the reader of the summary has ended."""
        end, beginning = os.pipe()
        os.close(end)
        app = self.script("app", self.parts(0, 1, 2))
        done = subprocess.run([XTF, "record", "--mpi=none", "-o", "run.xtf", app], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=beginning, stderr=beginning, timeout=180)
        os.close(beginning)
        self.assertEqual(done.returncode, 0)
        self.xtf("check", "run.xtf")
        self.assertEqual(self.left(), [])

    def test_name_by_default(self):
        self.record(self.script("app", self.parts(0)))
        self.xtf("check", "app.xtf")
        _, error = self.record("--quiet", "--force", "--mpi=none", "./app")
        self.assertEqual(error, "")

    def test_never_overwrites(self):
        app = self.script("app", self.parts(0, after="echo ran"))
        (self.folder / "run.xtf").write_text("mine")
        out, error = self.record("-o", "run.xtf", app, status=1)
        self.assertEqual(out, "", "the conflict is found before the run")
        self.assertIn("--force", error)
        self.assertEqual((self.folder / "run.xtf").read_text(), "mine")
        out, _ = self.record("-f", "-o", "run.xtf", app)
        self.assertEqual(out, "ran\n")
        self.xtf("check", "run.xtf")

    def test_statuses(self):
        for text, status in (("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143), ("exit 0", 0)):
            self.record("-f", "-o", "run.xtf", self.script("app", self.parts(0, after=text)), status=status)
            self.xtf("check", "run.xtf")
            self.assertEqual(self.left(), [])
        (self.folder / "app").write_bytes(b"\x7fELF" + bytes(100))
        _, error = self.record("-f", "-o", "run.xtf", "./app", status=1)
        self.assertIn("another machine", error)

    def test_nothing_recorded(self):
        _, error = self.record("-o", "run.xtf", self.script("app", ""), status=1)
        self.assertIn("no process recorded anything", error)
        _, error = self.record("-o", "run.xtf", "--mpi=mpich", "./app", status=1)
        self.assertIn("MPI_Init", error)
        for mpi in ("none", "mpich"):
            _, error = self.record("-o", "run.xtf", "--mpi=" + mpi, self.script("app", "exit 3"), status=3)
            self.assertIn("failed, with status 3", error)
            self.assertFalse("RTLD" in error or "taken for" in error, error)
        self.assertEqual(self.left(), [])
        self.assertFalse((self.folder / "run.xtf").exists())

    def test_keeps_parts(self):
        _, error = self.record("--keep-parts", "-o", "run.xtf", self.script("app", self.parts(0, 1)))
        [folder] = self.left()
        self.assertIn(f"{self.folder}/tmp/{folder}", error)
        self.assertEqual(sorted(os.listdir(self.folder / "tmp" / folder)), ["000000.xtf", "000001.xtf", "output"])
        brought = f'mkdir "$XTF_RECORD_GATHER"\n"{MAKE_PART}" "$XTF_RECORD_GATHER/000001.xtf" 1 2 5 finalized\n'
        _, error = self.record("--keep-parts", "-o", "two.xtf", self.script("app", self.parts(0, world=2) + brought))
        [gathered] = [name for name in os.listdir(self.folder) if name.startswith("two.xtf.")]
        self.assertIn(f" and {self.folder}/{gathered}", error)
        self.assertEqual(os.listdir(self.folder / gathered), ["000001.xtf"])

    def test_file_that_appears_meanwhile(self):
        """Checks an output file that appears during the run, for instance made by the program. The file and the parts must stay."""
        _, error = self.record("-o", "run.xtf", self.script("app", self.parts(0, 1, after="echo mine >run.xtf")), status=1)
        self.assertEqual((self.folder / "run.xtf").read_text(), "mine\n")
        self.assertIn("'run.xtf' exists already", error)
        [folder] = self.left()
        self.assertIn(f"what was recorded is in {self.folder}/tmp/{folder}:", error)
        self.xtf("merge", "-o", "other.xtf", f"tmp/{folder}")
        self.assertEqual(self.xtf("cat", "other.xtf", "/count").split()[-1], "21")
        self.record("-o", "new.xtf", "--force", self.script("app", self.parts(0, after="echo mine >new.xtf")))
        self.xtf("check", "new.xtf")

    def test_ends_of_children_ignored(self):
        """Checks a parent that ignores the ends of children. The status must be the program's, and the program must inherit the
        same setting."""
        for text, status in ((self.parts(0) + "exit 7", 7), (self.parts(0) + "exec grep SigIgn /proc/self/status", 0)):
            app = self.script("app", text)
            plain, done = [subprocess.run([*before, app], cwd=self.folder, env={**self.environment, "XTF_RECORD_FOLDER": str(self.folder)}, check=False,
                                          capture_output=True, text=True, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
                           for before in ([], [XTF, "record", "-f", "-o", "run.xtf"])]
            self.assertEqual((done.returncode, done.stdout), (status, plain.stdout), done.stderr)
            self.xtf("check", "run.xtf")

    def test_too_little_space(self):
        """Checks that nothing is left behind on a full file system."""
        app = self.script("app", "echo ran")
        text = f"mount -t tmpfs -o size=1M none tmp && {{ head -c 2M /dev/zero >tmp/full; '{XTF}' record {app}; echo $? $(ls tmp); }}"
        done = self.run_in("unshare", *([] if os.getuid() == 0 else ["-r"]), "-m", "sh", "-c", text)
        if done.returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.assertIn("make room", done.stderr)
        self.assertEqual(done.stdout, "1 full\n")

    def test_removes_only_its_own(self):
        app = self.script("app", self.parts(0, after='echo mine >"$XTF_RECORD_FOLDER/notes"'))
        _, error = self.record("-o", "run.xtf", app, status=1)
        [folder] = self.left()
        self.assertIn("cannot be removed", error)
        self.assertEqual(os.listdir(self.folder / "tmp" / folder), ["notes"])
        self.xtf("check", "run.xtf")

    def test_parts_of_other_hosts(self):
        app = self.script("app", self.parts(0, world=2) + 'mkdir "$XTF_RECORD_GATHER"\n' +
                          f'"{MAKE_PART}" "$XTF_RECORD_GATHER/000001.xtf" 1 2 5 finalized\n')
        _, error = self.record("-o", "run.xtf", app)
        self.assertIn("15 records of 2 processes", error)
        self.assertEqual(sorted(os.listdir(self.folder)), ["app", "lib", "run.xtf", "tmp"])

    def test_leaves_parts_of_other_runs_alone(self):
        """Checks that parts of other runs stay, for instance in run.xtf.d, parts of `mpirun xtf record -o run.xtf`."""
        (self.folder / "run.xtf.d").mkdir()
        subprocess.run([MAKE_PART, str(self.folder / "run.xtf.d" / "000005.xtf"), "5", "6", "9"], check=True)
        _, error = self.record("-o", "run.xtf", self.script("app", self.parts(0, 1)))
        self.assertIn("21 records of 2 processes", error)
        self.assertEqual(os.listdir(self.folder / "run.xtf.d"), ["000005.xtf"])

    def test_waits_for_parts_of_other_hosts(self):
        slow = f'(sleep 0.4; "{MAKE_PART}" "$XTF_RECORD_GATHER/.part" 1 2 5; mv "$XTF_RECORD_GATHER/.part" "$XTF_RECORD_GATHER/000001.xtf") >/dev/null 2>&1 &'
        app = self.script("app", self.parts(0, world=2) + f'mkdir "$XTF_RECORD_GATHER"\n{slow}\n')
        _, error = self.record("-o", "run.xtf", app)
        self.assertIn("15 records of 2 processes", error)
        self.assertEqual(sorted(os.listdir(self.folder)), ["app", "lib", "run.xtf", "tmp"])

    def test_descriptors_and_signals_of_the_program(self):
        """Checks that standard input, and the signals that the shell ignores, are as without xtf."""
        app = self.script("app", self.parts(0) + "cat; grep SigIgn /proc/self/status")
        plain = self.run_in("./app").stdout
        out, _ = self.record("-o", "run.xtf", app)
        self.assertEqual(out, plain)


class Incomplete(Case):
    def test_missing(self):
        _, error = self.record("-o", "run.xtf", self.script("app", self.parts(0, 3, world=6)), status=1)
        self.assertIn("processes 1-2,4-5 of 6 left no part", error)
        self.assertIn("processes 1-2,4-5 of 6 left no part", self.xtf("cat", "run.xtf", "/definitions/remarks"))
        self.xtf("check", "run.xtf")
        [folder] = self.left()
        self.assertIn(f"its parts stay in {self.folder}/tmp/{folder}\n", error)

    def test_damaged(self):
        folder = '"$XTF_RECORD_FOLDER"'
        for damage in ("truncate -s 5000", "truncate -s 0", "cp /dev/null", "dd if=/dev/zero conv=notrunc bs=4096 count=2 status=none of="):
            file = f"{folder}/000001.xtf"
            damaging = f"{damage}{file}" if damage.endswith("=") else f"{damage} {file}"
            _, error = self.record("-f", "-o", "run.xtf", self.script("app", self.parts(0, 1, 2, after=damaging)), status=1)
            self.assertIn("process 1 is left out: ", error)
            self.assertIn("process 1 is left out", self.xtf("cat", "run.xtf", "/definitions/remarks"))
            self.assertIn("22 records of 2 processes", error)
            self.xtf("check", "run.xtf")
            [kept] = [name for name in self.left() if f"/tmp/{name}\n" in error]
            self.assertEqual(sorted(os.listdir(self.folder / "tmp" / kept)), [*(f"00000{p}.xtf" for p in range(3)), "output"], "the parts are the only copy")
        _, error = self.record("-f", "-o", "run.xtf", self.script("app", self.parts(0, after=damaging.replace("000001", "000000"))), status=1)
        self.assertIn("process 0 is left out", error)
        self.xtf("check", "run.xtf")  # the trace of the run before

    def test_damaged_inside(self):
        """Checks damage in the lists, tables and texts of a part. It must be left out, or taken as it was stored before; the
        trace must be whole."""
        subprocess.run([MAKE_PART, str(self.folder / "p.xtf"), "1", "2", "9"], check=True)
        whole = (self.folder / "p.xtf").read_bytes()
        printed = set()
        damaged = [whole[:place] + b"\xff" * 64 + whole[place + 64:] for place in range(12288, len(whole), 256)]
        damaged += [whole[:place] for place in range(0, len(whole), 2048)]
        for content in damaged:
            (self.folder / "p.xtf").write_bytes(content)
            app = self.script("app", self.parts(0, world=2, after='cp p.xtf "$XTF_RECORD_FOLDER/000001.xtf"'))
            done = self.run_in(XTF, "record", "-f", "-o", "run.xtf", app)
            problems = [line for line in done.stderr.splitlines() if line.startswith("xtf:   process 1") and "finalized" not in line]
            self.assertEqual(done.returncode, 1 if problems else 0, done.stderr)
            printed.update("left out" if "left out" in line else "before" for line in problems)
            self.xtf("check", "run.xtf")
        self.assertIn("left out", printed)

    def test_two_parts_of_one_process(self):
        app = self.script("app", self.parts(0, 1) + 'cp "$XTF_RECORD_FOLDER/000001.xtf" "$XTF_RECORD_FOLDER/000002.xtf"\n')
        _, error = self.record("-o", "run.xtf", app, status=1)
        self.assertIn("000002.xtf", error)
        [folder] = self.left()
        self.assertIn(f"what was recorded is in {self.folder}/tmp/{folder}", error)
        self.assertFalse((self.folder / "run.xtf").exists())

    def test_collector_died(self):
        part = f'"{MAKE_PART}" "$XTF_RECORD_FOLDER/000001.xtf" 1 2 5 "" grow\necho "xtf: no space" >"$XTF_RECORD_FOLDER/collect-1.log"\n'
        _, error = self.record("-o", "run.xtf", self.script("app", self.parts(0, world=2) + part), status=1)
        self.assertIn("process 1: its collector did not end in order", error)
        self.assertIn("no space", error)
        self.assertIn("15 records of 2 processes", error)
        self.assertIn("did not end in order", self.xtf("cat", "run.xtf", "/definitions/remarks"))

    def test_waits_for_collectors(self):
        """Checks that xtf waits for a collector that works when the program has ended."""
        slow = f'(sleep 0.5 | "{MAKE_PART}" "$XTF_RECORD_FOLDER/000001.xtf" 1 2 5 "" hold) >/dev/null 2>&1 &\nwhile ! [ -s "$XTF_RECORD_FOLDER/000001.xtf" ]; do sleep 0.01; done\n'
        _, error = self.record("-o", "run.xtf", self.script("app", self.parts(0, world=2) + slow), status=1)
        self.assertIn("15 records of 2 processes", error)

    def test_waits_for_no_other_processes(self):
        """Checks that xtf does not wait for a traced process. Its number is in the name of a log; it may still run, and may have
        any arguments."""
        with subprocess.Popen(["sh", "-c", "read line", "collect"], stdin=subprocess.PIPE) as traced:
            app = self.script("app", self.parts(0, after=f': >"$XTF_RECORD_FOLDER/collect-{traced.pid}.log"'))
            self.record("--drain=600", "-o", "run.xtf", app)
            traced.stdin.close()
        self.xtf("check", "run.xtf")

    def test_merge_waits_for_collectors(self):
        """Checks `xtf merge` after a job whose processes have just ended."""
        (self.folder / "run.xtf.d").mkdir()
        part = self.folder / "run.xtf.d" / "000000.xtf"
        with subprocess.Popen([MAKE_PART, str(part), "0", "1", "5", "", "hold"], stdin=subprocess.PIPE) as holder:
            while not part.exists() or part.stat().st_size == 0:
                time.sleep(0.01)
            with subprocess.Popen([XTF, "merge", "-o", "run.xtf", "run.xtf.d"], cwd=self.folder, stdout=subprocess.PIPE) as merging:
                time.sleep(0.2)
                self.assertIsNone(merging.poll())
                holder.stdin.close()
                holder.wait()
                self.assertEqual(merging.wait(timeout=60), 0)
        self.xtf("check", "run.xtf")

    def test_killed_launcher(self):
        """Checks that the folder left by a killed `xtf record` can be read by the other commands."""
        app = self.script("app", self.parts(0, 1) + "echo ready; exec sleep 60")
        process = subprocess.Popen([XTF, "record", "--mpi=none", "-o", "run.xtf", app], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                   text=True, start_new_session=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        [folder] = self.left()
        self.assertIn("21", self.xtf("cat", f"tmp/{folder}", "/count"))
        self.xtf("merge", "-o", "run.xtf", f"tmp/{folder}")
        self.assertEqual(self.xtf("cat", "run.xtf", "/records"), self.xtf("cat", f"tmp/{folder}", "/records"))


def end_session(session):
    """Ends all processes of a session that a test started, if it still runs."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(session, signal.SIGKILL)


class Signals(Case):
    def setUp(self):
        """Restores signals that the caller of the tests may ignore, as programs inherit this."""
        super().setUp()
        for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL), (signal.SIGHUP, signal.SIG_DFL)):
            signal.signal(number, handler)

    def wait_for(self, name):
        """Waits until the program has made a file."""
        until = time.monotonic() + 60
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), until, f"there is no {name}")
            time.sleep(0.01)

    def start(self, text):
        app = self.script("app", self.parts(0) + text)
        process = subprocess.Popen([XTF, "record", "--mpi=none", "-o", "run.xtf", app], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(end_session, process.pid)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def end(self, process, status):
        self.assertEqual(process.wait(timeout=60), status, process.stderr.read())
        self.xtf("check", "run.xtf")
        self.assertEqual(self.left(), [])

    def test_goes_to_the_program(self):
        """Checks that xtf passes on a signal, waits for the program's end, and merges its trace."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start(f"trap 'echo caught; exit 9' {number.value}\necho ready\nwhile :; do sleep 0.01; done\n")
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), "caught\n")
            self.end(process, 9)
            os.remove(self.folder / "run.xtf")

    def test_keyboard(self):
        """Checks that Ctrl-C on a terminal reaches the program once, from the terminal itself, and that xtf continues."""
        app = self.script("app", self.parts(0) + "n=0\ntrap 'echo caught >caught; exit 6' TERM\n"
                          "trap 'n=$((n + 1)); echo $n >count' INT\necho ready\nwhile :; do sleep 0.01; done\n")
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe(XTF, [XTF, "record", "-q", "-o", "run.xtf", app], self.environment)
        self.addCleanup(end_session, pid)
        with open(terminal, "rb+", buffering=0) as stream:
            printed = b""
            while b"ready" not in printed:
                printed += stream.read(100)
            stream.write(b"\x03")
            self.wait_for("count")
            time.sleep(0.1)
            os.kill(pid, signal.SIGTERM)
            self.wait_for("caught")
            _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 6)
        self.assertEqual((self.folder / "count").read_text(), "1\n")
        self.xtf("check", "run.xtf")

    def test_program_that_does_not_catch(self):
        process = self.start("echo ready\nexec sleep 60\n")
        process.send_signal(signal.SIGTERM)
        self.end(process, 128 + signal.SIGTERM)


class Inside(Case):
    """`mpirun xtf record`: in an environment as launchers make it, without a launcher."""

    def rank(self, rank, *arguments, job="1", status=0, **environment):
        return self.record(*arguments, status=status, PMIX_NAMESPACE=job, OMPI_COMM_WORLD_RANK=str(rank), **environment)

    def test_parts(self):
        app = self.script("app", f'"{MAKE_PART}" "$XTF_RECORD_FOLDER/00000$OMPI_COMM_WORLD_RANK.xtf" $OMPI_COMM_WORLD_RANK 2 5 finalized; exit 4')
        errors = [self.rank(rank, "-o", "run.xtf", app, status=4)[1] for rank in range(2)]
        self.assertIn(f"{self.folder}/run.xtf.d", errors[0])
        self.assertEqual(errors[1], "", "one process reports for all")
        self.assertEqual(sorted(os.listdir(self.folder / "run.xtf.d")), ["000000.xtf", "000001.xtf", "job", "recorded"])
        self.assertIn("10", self.xtf("cat", "run.xtf.d", "/count"))
        self.xtf("merge", "-o", "run.xtf", "run.xtf.d")
        self.xtf("check", "run.xtf")
        self.assertEqual(self.left(), [])

    def test_becomes_the_program(self):
        out, _ = self.rank(0, "-o", "run.xtf", self.script("app", 'echo "$$"; exit 0'))
        process = subprocess.Popen([XTF, "record", "-o", "run.xtf", "./app"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env={**self.environment, "PMIX_NAMESPACE": "1", "OMPI_COMM_WORLD_RANK": "0"}, text=True)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(out, f"{process.pid}\n")

    def test_two_jobs_do_not_share_a_folder(self):
        app = self.script("app", f'"{MAKE_PART}" "$XTF_RECORD_FOLDER/000000.xtf" 0 1 5 finalized; echo ran')
        self.rank(0, "-o", "run.xtf", app)
        out, error = self.rank(0, "-o", "run.xtf", app, job="2", status=1)
        self.assertEqual(out, "")
        self.assertIn("--force", error)
        (self.folder / "run.xtf.d" / "000007.xtf").write_text("old")
        kept_files = ["12.xtf", "00001.xtf", "app.log", "collect.log", "mine", "mine.xtf", "results.log", "run-1.xtf"]
        old = ["000007.log", "1234567.xtf", ".part-remarks.xtf", "anchor.xtf", "clock-a", "collect-12.log", "a-b-12.starting", "worlds",
               "accept-12ab", ".a-b-000003.xtf"]
        for name in kept_files + old:
            (self.folder / "run.xtf.d" / name).write_text("")
        self.rank(0, "--force", "-o", "run.xtf", app, job="2")
        self.rank(1, "--force", "-o", "run.xtf", app, job="2")
        self.assertEqual(sorted(os.listdir(self.folder / "run.xtf.d")), sorted(["000000.xtf", "job", "recorded", *kept_files]))
        (self.folder / "other.xtf.d").mkdir()
        (self.folder / "other.xtf.d" / "000000.xtf").write_text("mine")
        for force in ([], ["--force"]):
            out, error = self.rank(0, *force, "-o", "other.xtf", app, status=1)
            self.assertIn("`xtf record` did not create this folder", error)
            self.assertEqual((out, os.listdir(self.folder / "other.xtf.d")), ("", ["000000.xtf"]))

    def test_all_at_once(self):
        """Checks that processes of one job agree on one folder, whichever is first."""
        self.script("app", 'echo "$XTF_RECORD_FOLDER"')
        environment = {**self.environment, "PMIX_NAMESPACE": "3"}
        (self.folder / "run.xtf.d").mkdir()
        (self.folder / "run.xtf.d" / "job").write_text("an old one")
        (self.folder / "run.xtf.d" / "000009.xtf").write_text("an old one")
        started = [subprocess.Popen([XTF, "record", "--force", "-o", "run.xtf", "./app"], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                    stderr=subprocess.PIPE, env={**environment, "OMPI_COMM_WORLD_RANK": str(i)}) for i in range(8)]
        for process in started:
            out, error = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (0, f"{self.folder}/run.xtf.d\n"), error)
        self.assertEqual(sorted(os.listdir(self.folder / "run.xtf.d")), ["job", "recorded"])

    def test_names_of_jobs(self):
        """Checks that names of jobs are equal in one run and differ between runs, also between runs in one allocation or step of
        Slurm."""
        app = self.script("app", "")
        step = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_PROCID": "0"}
        openmpi, hydra = {"OMPI_COMM_WORLD_RANK": "1"}, {"PMI_RANK": "0", "MPI_LOCALRANKID": "0"}

        def job(*environments):
            environment = {name: value for variables in environments for name, value in variables.items()}
            return self.plan("--mpi=none", app, **environment)[1]["XTF_RECORD_JOB"]
        self.assertEqual(job(step, {"PMI_RANK": "0"}), "slurm-7.0")
        self.assertEqual(job(step, {"PMI_RANK": "3", "SLURM_PROCID": "3"}), "slurm-7.0")
        self.assertTrue(job(step, {"PMI_RANK": "3"}).startswith("hydra-"), "ranks of a launcher in the step")
        self.assertTrue(job(step, hydra).startswith("hydra-"))
        self.assertEqual(job(step, openmpi, {"PMIX_NAMESPACE": "a"}), job(openmpi, {"PMIX_NAMESPACE": "a"}))
        names = [job(step, {"PMIX_RANK": "0", "PMIX_NAMESPACE": "a"}), job(step, {"PMIX_RANK": "0", "PMIX_NAMESPACE": "b"}),
                 job(step, openmpi, {"OMPI_MCA_orte_hnp_uri": "1"}), job(step, openmpi, {"OMPI_MCA_orte_hnp_uri": "2"})]
        self.assertEqual(len(set(names)), 4, names)

    def test_rank_variables(self):
        for environment, mpi in (({"OMPI_COMM_WORLD_RANK": "0"}, "Open MPI"), ({"PMI_RANK": "0"}, "MPICH")):
            first, variables, lines = self.plan(self.script("app", ""), **environment)
            self.assertTrue(first.startswith(f"# {mpi}: the environment is"), first)
            self.assertEqual(variables["XTF_RECORD_FOLDER"], f"{self.folder}/app.xtf.d")
            self.assertEqual(lines[-1], "exec ./app")
        for environment in ({"PMI_RANK": "0", "SLURM_PROCID": "0"}, {"PMIX_RANK": "0", "SLURM_PROCID": "0"}):
            _, error = self.record("--dry-run", "./app", status=1, **environment)
            self.assertIn("--mpi", error)
            first, _, _ = self.plan("--mpi=openmpi", "./app", **environment)
            self.assertEqual(first, "# Open MPI: --mpi says so")
        _, _, lines = self.plan("./app", SLURM_PROCID="0", SLURM_JOB_ID="1")  # a batch script is no process of a job step
        self.assertIn("xtf merge", lines[-1])


if __name__ == "__main__":
    sys.exit(fewer.main(verbosity=1))
