"""Commands other than mount: help, info, check, completion, and their answers to damaged files."""

import contextlib
import errno
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import harness
from harness import XTF, run

UTF8 = {**os.environ, "LC_ALL": "C.UTF-8"}
PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
COMPLETION = os.path.join(PROJECT, "src", "cli", "completion", "xtf")
EXAMPLE = os.path.join(PROJECT, "examples", "melt-4")


def has_unnamed_file(pid):
    """True if the process has an open file that no folder names."""
    try:
        return any("(deleted)" in os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd"))
    except OSError:  # the process has ended or closed a file
        return False


class Commands(harness.TestCase):
    plain = True

    def test_help(self):
        overview = run(XTF, "--help").stdout
        for command in "import", "mount", "unmount", "ls", "cat", "why", "diff", "info", "check", "cache", "copy", "merge", "record":
            self.assertRegex(overview, rf"(?m)^  {command} ")
            self.assertIn(f"xtf {command}", run(XTF, command, "--help").stdout)
            wrong = run(XTF, command, "--nonsense", check=False)
            self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
            self.assertIn("--nonsense", wrong.stderr)
        self.assertRegex(run(XTF, "--version").stdout, r"^xtf \d+\.\d+")
        for arguments in [], ["frobnicate"], ["info"], ["check", "a", "b"]:
            self.assertEqual(run(XTF, *arguments, check=False).returncode, 2, arguments)

    def test_mistyped_commands(self):
        """Tests that a mistyped command is an error with any arguments, and mounts nothing."""
        for typed, meant in ("unmout", "unmount"), ("catt", "cat"), ("imprt", "import"), ("chekc", "check"):
            done = run(XTF, typed, self.trace, self.folder.name, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f"xtf: unknown command '{typed}': did you mean '{meant}'?\n")
        for typed in "frobnicate", "x", "c" * 1000:
            done = run(XTF, typed, self.trace, self.folder.name, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("see xtf --help", done.stderr)
        self.assertEqual(run(XTF, "version").stdout, run(XTF, "--version").stdout)
        self.assertIn("no trace is mounted", run(XTF, "umount", self.folder.name, check=False).stderr)

    def test_info(self):
        lines = [line.split() for line in run(XTF, "info", self.trace).stdout.splitlines()]
        facts = {line[0]: line[1:] for line in lines if line}
        each = self.procs * self.threads * self.records // 8
        self.assertEqual(int(facts["enters_leaves"][0]), 6 * each)
        self.assertEqual(int(facts["sends"][0]), each)
        self.assertEqual(int(facts["records"][0]), 8 * each)
        self.assertEqual(int(facts["size"][0]), os.path.getsize(self.trace))
        self.assertEqual(facts["pages"][2], str(self.page_size))
        self.assertEqual(int(facts["arrays"][0]), 4 * self.procs * self.threads)
        self.assertEqual(facts["first"][1], "0.000000000")
        self.assertEqual(int(facts["last"][1].replace(".", "")), 1000 * (self.records // 2 - 1) + 1000)

    def test_info_without_empty_types(self):
        """Tests that info lists a type without records only with --all."""
        trace = harness.make_trace(os.path.join(self.folder.name, "empty.xtf"), 1, 1, 0)
        self.assertNotRegex(run(XTF, "info", trace).stdout, r"(?m)^enters_leaves ")
        self.assertRegex(run(XTF, "info", "--all", trace).stdout, r"(?m)^enters_leaves +0 ")

    def test_values_of_short_options(self):
        """Tests that the value of a short option may be in the next argument or in the same one."""
        for options in ["-o", "cache=x"], ["-ocache=x"], ["-fqocache=x"], ["--options=cache=x"]:
            wrong = run(XTF, "mount", *options, self.trace, self.folder.name, check=False)
            self.assertEqual(wrong.returncode, 2, options)
            self.assertIn("'cache=x'", wrong.stderr)
        for options in ["-j", "x"], ["-qjx"]:
            self.assertIn("“x”", run(XTF, "import", *options, "a", check=False, env=UTF8).stderr)
        named = run(XTF, "import", "--", "-j4", check=False)
        self.assertIn("-j4: No such file", named.stderr)
        value = run(XTF, "import", "-o", "-j4", "no-archive", check=False)
        self.assertIn("no-archive: No such file", value.stderr)

    def test_invalid_storage_options(self):
        before = set(os.listdir(self.folder.name))
        for command in ["import", EXAMPLE, "-o"], ["copy", self.trace]:
            for option, value in ("--codec", "zip"), ("--level", "0"), ("--level", "10"), ("--level", "x"), \
                    ("--page-size", "3000"), ("--page-size", "2M"):
                done = run(XTF, *command, "none.xtf", option, value, check=False, cwd=self.folder.name)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (command, option, value))
                self.assertIn(f"{option} takes", done.stderr)
        self.assertEqual(set(os.listdir(self.folder.name)), before)

    def test_copy(self):
        """Tests that copies between codecs have the same tree, and that a failed copy leaves the old file."""
        folder = os.path.join(self.folder.name, "copies")
        os.mkdir(folder)
        copy = os.path.join(folder, "copy.xtf")
        for codec in "compact", "plain":
            run(XTF, "copy", "-qf", "--codec", codec, self.trace, copy)
            self.assertRegex(run(XTF, "info", copy).stdout, rf"(?m)^codec +{codec}$")
            for path in "records", "histogram", "proc/1/time/20%-70%/count":
                self.assertEqual(run(XTF, "cat", copy, path).stdout, run(XTF, "cat", self.trace, path).stdout)
        before = open(copy, "rb").read()
        for source in copy, EXAMPLE, "none.xtf":
            for options in [], ["--force"]:
                self.assertEqual(run(XTF, "copy", *options, source, copy, check=False).returncode, 1, source)
        refused = run(XTF, "copy", self.trace, copy, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"'{copy}' exists already: --force", refused.stderr)
        self.assertEqual(open(copy, "rb").read(), before)
        self.assertEqual(os.listdir(folder), ["copy.xtf"])

    def test_windows_beyond_the_trace(self):
        """Tests that windows beyond the trace are empty and that a message says so."""
        for path in "time/1h-2h/count", "proc/0/time/100%-/count", "at/2h/count":
            done = run(XTF, "cat", self.trace, path)
            self.assertEqual(done.stdout, "0\n", path)
            self.assertIn(f"xtf: warning: {path}: the trace ends at ", done.stderr)
        for path in "time/99%-2h/count", "at/100%/count":
            self.assertEqual(run(XTF, "cat", self.trace, path).stderr, "", path)

    @harness.needs_otf2
    def test_import_of_the_current_folder(self):
        archive = shutil.copytree(EXAMPLE, os.path.join(self.folder.name, "melt"))
        run(XTF, "import", "-q", ".", cwd=archive)
        self.assertIn("melt.xtf", os.listdir(archive))

    @harness.needs_otf2
    def test_limits_of_file_sizes(self):
        """Tests that a limit of file sizes is no damage of the input, and that the message names the file that could not be written."""
        folder = tempfile.mkdtemp(dir=self.folder.name)
        output = os.path.join(folder, "out.xtf")
        for command in ["import", EXAMPLE, "-o", output], ["copy", self.trace, output]:
            done = run(XTF, *command, check=False,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
            self.assertEqual(done.returncode, 1, command)
            self.assertIn(f"{output}: cannot write: File too large", done.stderr)
            self.assertNotIn("damage", done.stderr)
            self.assertEqual(os.listdir(folder), [])

    @harness.needs_otf2
    def test_killed_imports(self):
        """Tests that a command that is killed while it writes a file without a name leaves only the old file."""
        folder = tempfile.mkdtemp(dir=self.folder.name)
        try:
            os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
        except OSError:
            self.skipTest("files need names in this file system")
        output = os.path.join(folder, "out.xtf")
        run(XTF, "import", "-q", EXAMPLE, "-o", output)
        for command in ["import", "-q", EXAMPLE, "-o", output], ["copy", "-fq", self.trace, output]:
            before = next(filter(None, (self.inode_at_kill(command, output) for _ in range(100))), None)
            self.assertIsNotNone(before, f"{command} was never seen to write a file without a name")
            self.assertEqual(os.listdir(folder), ["out.xtf"], command)
            self.assertEqual(os.stat(output).st_ino, before)

    def inode_at_kill(self, command, output):
        """Kills a command that writes a file without a name. Returns the output's old inode, or None if the command ended first."""
        before = os.stat(output).st_ino
        process = subprocess.Popen([XTF, *command])
        while process.poll() is None and not has_unnamed_file(process.pid):
            pass
        if process.returncode is not None:
            return None
        # The command is stopped first, so that it cannot name its file between the test's look at the file and the kill.
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        writes = has_unnamed_file(process.pid)
        process.kill()
        return before if process.wait() == -signal.SIGKILL and writes else None

    @harness.needs_otf2
    def test_clocks_that_contradict(self):
        """Tests that `xtf info`, a mount and its log warn of wrong clocks until `xtf align` has corrected them."""
        folder = tempfile.mkdtemp(dir=self.folder.name)
        wrong, right, place = (os.path.join(folder, name) for name in ("heat.xtf", "aligned.xtf", "m"))
        run(XTF, "import", "-q", os.path.join(PROJECT, "examples", "heat-4"), "-o", wrong)
        run(XTF, "align", "-q", "-o", right, wrong)
        os.mkdir(place)
        sentence = "178 of 360 messages (49.4 %) are received before they are sent"  # as Python counts them in `messages`
        for trace, count in (wrong, 1), (right, 0):
            self.assertEqual(run(XTF, "info", trace).stdout.count(sentence), count)
            for quiet in [], ["-q"]:
                said = run(XTF, "mount", *quiet, trace, place).stderr
                with open(os.path.join(place, "log"), encoding="utf-8") as file:
                    log = file.read()
                run(XTF, "unmount", place)
                self.assertEqual(said.count(sentence), 0 if quiet else count, said)
                self.assertEqual(log.count(sentence), count, log)
        archive = os.path.join(PROJECT, "examples", "heat-4")
        for source in archive, wrong:  # xtf align changes the import of an archive, or the file itself; the second time it does nothing
            for _ in range(2):
                self.assertEqual(run(XTF, "mount", "-q", "--align", "-o", f"cachedir={folder}/cache", source, place).stderr, "")
                with open(os.path.join(place, "findings"), encoding="utf-8") as file:
                    findings = file.read()
                run(XTF, "unmount", place)
                self.assertNotIn(" clocks ", findings)
        run(XTF, "align", "-q", "--undo", wrong)
        self.assertIn(sentence, run(XTF, "info", wrong).stdout)

    @harness.needs_otf2
    def test_remarks_of_imports(self):
        """Tests that minor remarks of an import are only in the trace, and that warnings name the archive and are few."""
        folder = tempfile.mkdtemp(dir=self.folder.name)
        output = os.path.join(folder, "melt.xtf")
        done = run(XTF, "import", EXAMPLE, "-o", output)
        self.assertEqual(done.stderr, "")
        self.assertIn(f"4 remarks, which hardly matter: xtf cat {output} definitions/remarks\n", done.stdout)
        remarks = run(XTF, "cat", output, "definitions/remarks").stdout.splitlines()
        self.assertEqual([line.split()[1] for line in remarks], ["row"] + ["REPAIRED"] * 4)
        cached = {**os.environ, "XDG_CACHE_HOME": folder}
        self.assertEqual(run(XTF, "cat", EXAMPLE, "count", env=cached).stderr, "")

        archive = shutil.copytree(EXAMPLE, os.path.join(folder, "melt"))
        for name in os.listdir(os.path.join(archive, "eztrace_log")):
            if name.endswith(".def"):
                os.unlink(os.path.join(archive, "eztrace_log", name))
        stderr = run(XTF, "cat", archive, "count", env=cached).stderr
        self.assertRegex(stderr, rf"(?m)^xtf: warning: {archive}/.*: 4 locations have no definitions file")
        self.assertLessEqual(len(stderr.splitlines()), 5)

    @harness.needs_otf2
    def test_import_keeps_the_archive(self):
        """Tests that an import never replaces a file that it reads, even if forced."""
        archive = os.path.join(tempfile.mkdtemp(dir=self.folder.name), "archive")
        shutil.copytree(EXAMPLE, archive)
        part = next(os.path.join(folder, name) for folder, _, names in os.walk(archive) for name in sorted(names) if name.endswith(".evt"))
        with open(part, "rb") as file:
            before = file.read()
        done = run(XTF, "import", "-f", "-o", part, archive, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, f"xtf: {part}: the output is a file of the archive to be read\n"))
        with open(part, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_import_replaces_only_its_own_trace(self):
        """Tests that an import replaces only an older import of the same trace, unless it is forced."""
        folder = tempfile.mkdtemp(dir=self.folder.name)
        output = os.path.join(folder, "eztrace_log.xtf")

        def put(content):
            with open(output, "wb") as file:
                file.write(content)

        def imported(*options):
            return run(XTF, "import", *options, EXAMPLE, "-o", output, check=False)

        first = imported()
        self.assertEqual(first.returncode, 0)
        size, seen_format = first.stdout.splitlines()[-2:]
        self.assertTrue(size.startswith(f"{output}: {os.path.getsize(output)} bytes"))
        self.assertEqual(seen_format, "format: OTF2")
        self.assertEqual(imported("-q").returncode, 0)
        with open(output, "rb") as file:
            whole = file.read()
        with open(self.trace, "rb") as file:
            other = file.read()
        for content, reason in ((b"notes", "is not an import"), (whole[:5000], "is not an import"), (other, "not an import of this format")):
            put(content)
            done = imported("-q")
            self.assertEqual(done.returncode, 1, reason)
            self.assertRegex(done.stderr, f"'{output}' .*{reason}.*--force")
            with open(output, "rb") as file:
                self.assertEqual(file.read(), content)
        self.assertEqual(imported("-qf").returncode, 0)
        run(XTF, "cat", output, "count")
        self.assertEqual(os.listdir(folder), ["eztrace_log.xtf"])
        self.assertEqual(run(XTF, "import", EXAMPLE, "-o", "-", check=False, cwd=folder).returncode, 2)
        self.assertEqual(os.listdir(folder), ["eztrace_log.xtf"])

    def test_source_of_no_format(self):
        empty = os.path.join(self.folder.name, "nothing.xtf")
        open(empty, "w").close()
        done = run(XTF, "ls", empty, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "not an XTF file .* OTF2 archive")

    def test_full_disk(self):
        """Tests that a full disk is an error of every command that writes."""
        for arguments in ["info", self.trace], ["ls", self.trace], ["cat", self.trace, "count"], ["check", self.trace]:
            with open("/dev/full", "w") as full:
                done = subprocess.run([XTF, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("No space left", done.stderr)

    def test_a_file_is_no_directory(self):
        for path, explanation in ("/records/", "it is not a directory"), ("/count/x", 'the name before "x" is not a directory'):
            done = run(XTF, "cat", self.trace, path, check=False)
            self.assertEqual((done.returncode, done.stderr), (1, f"xtf: {path}: {explanation}\n"))

    def test_an_interrupted_check(self):
        """Tests that a check says that Ctrl-C interrupted it, or prints its result if it ended first."""
        for wait in 0, 0.001, 0.01:
            check = subprocess.Popen([XTF, "check", self.trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(wait)
            check.send_signal(signal.SIGINT)
            output, errors = check.communicate(timeout=60)
            self.assertIn((check.returncode, errors), [(0, ""), (1, "xtf: the check was interrupted\n"), (-signal.SIGINT, "")])

    def test_ls_without_a_path(self):
        self.assertEqual(run(XTF, "ls", self.trace).stdout, run(XTF, "ls", self.trace, "/").stdout)

    def test_check(self):
        good = run(XTF, "check", self.trace)
        self.assertRegex(good.stdout, r"^\d+ arrays, .*: 0 problems\n$")
        self.assertEqual(good.stderr, "", "progress where there is no terminal")
        self.assertEqual(run(XTF, "check", "-q", self.trace).stdout, "")

    def damaged(self, name, page):
        copy = shutil.copy(self.trace, os.path.join(self.folder.name, name))
        with open(copy, "r+b") as file:
            file.seek(page * self.page_size + 100)
            old = file.read(8)
            file.seek(page * self.page_size + 100)
            file.write(bytes(byte ^ 0x55 for byte in old))
        return copy

    def names(self, message, page):
        """True if a message names the damaged page, or an item that begins on this page or before."""
        return f"page {page} " in message or any(int(byte) < (page + 1) * self.page_size
                                                 for byte in re.findall(r"\(byte (\d+)\)", message))

    def test_damage(self):
        """Tests that check finds a damaged page, and that exactly the mounted files that need the page return an error."""
        random.seed(3)
        pages = os.path.getsize(self.trace) // self.page_size
        hit = 0
        for page in random.sample(range(2, pages - 20), 8):
            trace = self.damaged(f"damaged-{page}.xtf", page)
            checked = run(XTF, "check", trace, check=False)
            with harness.Mount(trace, quiet_at_end=False) as mount, harness.Mount(self.trace) as good:
                failed = 0
                for path in good.files("proc"):
                    try:
                        self.assertEqual(mount.read(path), good.read(path), path)
                    except OSError as error:
                        self.assertEqual(error.errno, errno.EIO, path)
                        failed += 1
                self.assertEqual(failed > 0, self.names(mount.messages(), page), mount.messages())
            if failed:
                self.assertEqual(checked.returncode, 1)
                self.assertTrue(self.names(checked.stdout, page), checked.stdout)
                hit += 1
        self.assertGreater(hit, 0, "no damage hit a page in use: nothing is tested")

    def test_log(self):
        """Tests that the mount has a current log of the daemon, and that xtf explains why a log is missing."""
        pages = os.path.getsize(self.trace) // self.page_size
        random.seed(4)
        for page in random.sample(range(2, pages - 20), 20):
            with harness.Mount(self.damaged("log.xtf", page), quiet_at_end=False) as mount:
                first = mount.read("log").decode()
                self.assertRegex(first, rf"^\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d '{self.folder.name}/log.xtf' is mounted\n$")
                bad = 0
                for path in mount.files("proc"):
                    try:
                        mount.read(path)
                    except OSError:
                        bad += 1
                        now = mount.read("log").decode()
                        self.assertTrue(now.startswith(first))
                        last = mount.messages().splitlines()[-1].removeprefix("xtf: ")
                        self.assertIn(last, now)
                        explanation = run(XTF, "why", mount.path(path), check=False)
                        self.assertEqual(explanation.returncode, 1, explanation)
                        self.assertIn(f"{path}: cannot be read: ", explanation.stderr)
                        self.assertTrue(self.names(explanation.stderr, page), explanation.stderr)
                        self.assertIn(f"xtf check '{self.folder.name}/log.xtf' lists all damage", explanation.stderr)
                        self.assertEqual(os.path.getsize(mount.path("log")), len(now.encode()))
                    if bad == 3:
                        break
                self.assertNotIn("log", os.listdir(mount.dir))
                if bad:
                    return
        self.fail("no file met the damage, so nothing was tested")

    def test_mistyped_paths(self):
        """Tests that one insertion, deletion, replacement or exchange in three characters is a typing error. Numbers and patterns are not
        corrected."""
        region = run(XTF, "ls", self.trace, "region").stdout.split()[0]
        swapped = region[:-2] + region[-1] + region[-2]
        for path, meant in (("porc", "proc"), ("recods", "records"), ("proc/0/recods", "records"), ("timelin.svg", "timeline.svg"),
                            ("definitions/regoins", "regions"), ("time/0-1s/regoin/x", "region"), ("num/0/rekord", "record"),
                            (f"region/{swapped}/count", region), (f"region/{region.swapcase()}/count", region),
                            (region, f"region/{region}"), (region.swapcase(), f"region/{region}")):
            for command in "cat", "ls":
                said = run(XTF, command, self.trace, path, check=False).stderr
                self.assertTrue(said.endswith(f"; did you mean '{meant}'?\n"), said)
        with harness.Mount(self.trace) as mount:
            said = run(XTF, "why", mount.path("recods"), check=False).stderr
            self.assertTrue(said.endswith("; did you mean 'records'?\n"), said)
        for path in "proc/99", "nonsense", "xx", "waits/profile", "region/nobody*/count", "sends/values", "p" * 100:
            self.assertNotIn("did you mean", run(XTF, "cat", self.trace, path, check=False).stderr, path)

    def test_why_explains_paths(self):
        """Tests that `xtf why` explains a path with the same words without a mount, from any directory, and behind a link to the mount."""
        link = os.path.join(self.folder.name, "link")
        with harness.Mount(self.trace) as mount:
            os.symlink(mount.dir, link)
            for path in "proc/99/count", "proc/1/time/3-1/count", "time/1x-2/records", "nonsense", "region/none/count":
                said = run(XTF, "cat", self.trace, path, check=False).stderr
                self.assertNotEqual(said, "")
                for path_given, directory in (mount.path(path), "/"), (path, mount.dir), (os.path.join(link, path), "/"), \
                        (os.path.join("..", path), mount.path("proc")):
                    done = run(XTF, "why", path_given, check=False, cwd=directory, env={**os.environ, "PWD": directory})
                    self.assertEqual((done.returncode, done.stderr), (1, said), path_given)
            self.assertIn("exists: a file", run(XTF, "why", mount.path("proc/1/count")).stdout)
            self.assertIn("the trace ends at", run(XTF, "why", mount.path("time/1h-2h/count")).stdout)
            os.unlink(link)
        self.assertIn("is in no mounted trace", run(XTF, "why", "/nothing/here", check=False).stderr)

    def test_messages_name_the_path_once(self):
        for path, message in (("proc/99-/count", '99-: there is no process 99'),
                              ("sends/values", "values is about values"), ("proc/99", "there is no process 99")):
            self.assertIn(f"xtf: {path}: {message}", run(XTF, "cat", self.trace, path, check=False).stderr)

    def complete(self, *words, xtf=f'{XTF} "$@"'):
        script = (f"source {COMPLETION}\nxtf() {{ {xtf}; }}\n"
                  'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xtf; printf "%s\\n" "${COMPREPLY[@]}"')
        return set(run("bash", "-c", script, "bash", "xtf", *words, cwd=self.folder.name).stdout.split())

    def test_completion(self):
        self.assertEqual(self.complete("mo"), {"model", "mount"})
        self.assertEqual(self.complete("mount", "--fore"), {"--foreground"})
        self.assertEqual(self.complete("info", "tra"), {"trace.xtf"})
        self.assertEqual(self.complete("mount", "-o", "cach"), {"cache=", "cachedir="})
        self.assertEqual(self.complete("copy", "--codec", "p"), {"plain"})
        self.assertEqual(self.complete("copy", "--codec", "plain", "trace.xtf", "tra"), {"trace.xtf"})
        self.assertEqual(self.complete("cat", "trace.xtf", "proc/1/co"),
                         {"proc/1/count", "proc/1/columns", "proc/1/comm/", "proc/1/communicators"})
        self.assertEqual(self.complete("ls", "-l", "trace.xtf", "count", "/proc/1/t"),
                         {"/proc/1/tag/", "/proc/1/thread/", "/proc/1/time/", "/proc/1/totals"})
        self.assertIn("region/", self.complete("cat", "trace.xtf", "reg"))
        self.assertIn("at/50%/stack", self.complete("cat", "trace.xtf", "at/50%/s"))
        self.assertEqual(self.complete("cat", "trace.xtf", "region/"),
                         {f"region/{name}/" for name in run(XTF, "ls", self.trace, "region").stdout.split()})
        # Readline splits words at colons, and completes the part after the last one.
        for before in ("by/time", ":", "4/pro"), ("by/time:4/pro",):
            self.assertEqual(self.complete("cat", "trace.xtf", *before), {"4/profile"})
        self.assertEqual(self.complete("cat", "trace.xtf", "by/time", ":", "10/by/pro"), {"10/by/proc/"})
        self.assertEqual(self.complete("cluster", "--of", "me"), {"median"})
        self.assertEqual(self.complete("record", "--when-full", "d"), {"drop"})
        self.assertEqual(self.complete("record", "--dry"), {"--dry-run"})
        self.assertIn("env", self.complete("record", "-o", "x.xtf", "en"))
        self.assertEqual(self.complete("record", "-o", "x.xtf", "env", "--dry"), set())
        self.assertEqual(self.complete("record", "-o", "x.xtf", "env", "tra"), {"trace.xtf"})
        self.assertEqual(self.complete("diff", "--by", "inc"), {"inclusive"})
        self.assertEqual(self.complete("diff", "-n", "3", "trace.xtf", "tra"), {"trace.xtf"})
        self.assertEqual(self.complete("diff", "--fail-above", "5%", "trace.xtf", "tra"), {"trace.xtf"})
        self.assertEqual(self.complete("diff", "trace.xtf", "trace.xtf", "proc/1", "proc/0/thr"), {"proc/0/thread/"})
        for options in ["--probe", "ENTER", "=", "9ns"], ["--probe", "=", "ENTER", "=", "9ns"]:
            self.assertEqual(self.complete("cat", *options, "trace.xtf", "proc/0/thr"), {"proc/0/thread/"})
        self.assertIn("env", self.complete("record", "--rotate", "1h", "en"))

    def analysed(self):
        trace = os.path.join(self.folder.name, "analysed.xtf")
        if not os.path.exists(trace):
            run(XTF, "analyze", "-q", "-o", trace, self.trace)
        return trace

    def test_completion_of_an_analysis(self):
        self.analysed()
        self.assertEqual(self.complete("cat", "analysed.xtf", "wai"), {"waits/"})
        self.assertEqual(self.complete("cat", "analysed.xtf", "proc/1/del"), {"proc/1/delays/"})
        self.assertEqual(self.complete("cat", "trace.xtf", "proc/1/del"), set())
        self.assertEqual(self.complete("cat", "analysed.xtf", "waits/culprit/"),
                         {f"waits/culprit/{proc}/" for proc in run(XTF, "ls", self.trace, "proc").stdout.split()})
        # A profile lists the kinds that the trace has.
        profile = "[[ $1 != cat ]] || printf '# kind waits\\nwait_nxn 1 a\\nlate_sender 2 a\\nlate_sender 1 b\\n'"
        self.assertEqual(self.complete("cat", "analysed.xtf", "delays/", xtf=profile), {"delays/wait_nxn/", "delays/late_sender/"})

    def test_messages_of_an_analysis(self):
        for path, message in (("waits/late_bird/count", 'the trace has no kind "late_bird"'),
                              ("late_sender/count", '"late_sender" is a kind of waits: it is a directory below waits/ and delays/'),
                              ("waits/culprit/99/count", "there is no process 99"),
                              ("critical/region/main/profile", "profile cannot be narrowed by region/"),
                              ("time/0-1us/critical/callpaths", "callpaths is about the whole run: it does not exist below time/"),
                              ("delays/waves", "waves is about waits (waits)"),
                              ("activity/callpaths", "callpaths is about")):
            self.assertIn(message, run(XTF, "cat", self.analysed(), path, check=False).stderr, path)
        self.assertIn("analyze", run(XTF, "cat", self.trace, "waits/count", check=False).stderr)

    def test_completion_of_names_that_shells_expand(self):
        """Tests that completion treats names in a trace as text. The author of the trace chooses them."""
        names = {"$(touch${IFS}owned)", "`touch${IFS}owned`", "*", "${PATH}"}
        listed = "[[ $1 != ls ]] || printf '%s\\n' " + " ".join(f"'{name}'" for name in names)
        self.assertEqual(self.complete("cat", "trace.xtf", "region/", xtf=listed), {f"region/{name}/" for name in names})
        self.assertNotIn("owned", os.listdir(self.folder.name))


if __name__ == "__main__":
    harness.main()
