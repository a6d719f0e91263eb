#!/usr/bin/env python3
"""The options of `xtf record`, on the command line and in the environment; the variables that the program gets.

usage: test_options.py
"""

import os
import re
import sys

import fewer
from launching import XTF, Case


class Options(Case):
    def test_environment(self):
        app = self.script("app", "")
        (self.folder / "filter").write_text("")
        _, variables, lines = self.plan("-o", "x.xtf", app)
        self.assertEqual({name for name in variables if name != "LD_PRELOAD"},
                         {"XTF_RECORD_FOLDER", "XTF_RECORD_JOB", "XTF_RECORD_XTF", "XTF_RECORD_GATHER", "XTF_RECORD_HOST", "XTF_RECORD_DRAIN",
                          "XTF_RECORD_SITES"})
        self.assertEqual(variables["XTF_RECORD_SITES"], "0")  # without MPI
        self.assertEqual(variables["XTF_RECORD_XTF"], os.path.realpath(XTF))
        self.assertEqual(variables["XTF_RECORD_FOLDER"], f"{self.folder}/tmp/xtf-{variables['XTF_RECORD_JOB']}")
        self.assertEqual(variables["XTF_RECORD_GATHER"], f"{self.folder}/x.xtf.{variables['XTF_RECORD_JOB']}.d")
        self.assertEqual(lines[-2:], ["./app", f"xtf merge -o x.xtf {variables['XTF_RECORD_FOLDER']}"])
        _, variables, _ = self.plan("--buffer", "300K", "--when-full=drop", "-a", "--filter=filter", "--drain", "3", "--clock", "monotonic", "--stack",
                                    "--locks", "--brake=50", app)
        expected = {"BUFFER": "524288", "WHEN_FULL": "drop", "ALL_CALLS": "1", "FILTER": f"{self.folder}/filter", "DRAIN": "3",
                    "CLOCK": "monotonic", "STACK": "1", "LOCKS": "1", "BRAKE": "50"}
        self.assertEqual({name: variables["XTF_RECORD_" + name] for name in expected}, expected)
        self.assertEqual(sorted(os.listdir(self.folder)), ["app", "filter", "lib", "tmp"], "no file is made")
        self.assertEqual(self.left(), [])

    def test_variables(self):
        """Tests that each option of the help does the same as its variable, and that a variable without an option is named."""
        app = self.script("app", "")
        (self.folder / "filter").write_text("")
        values = {"output": "x.xtf", "mpi": "mpich", "buffer": "300K", "when-full": "drop", "filter": "filter", "brake": "50",
                  "ranks": "0-3", "clock": "monotonic", "clock-sync": "on", "sync-every": "10s", "drain": "3", "fsync": "7", "rotate": "1h", "keep": "4", "sites": "0", "start": "on", "from": "10s", "for": "1500ms"}
        switches = {"force", "dry-run", "all-calls", "locks", "stack", "keep-parts", "quiet"}
        listed = set(re.findall(r"^  (?:-\w, )?--([a-z-]+)", self.record("--help")[0], re.MULTILINE)) - {"help", "names", "debug-dir"}
        self.assertEqual(listed, switches | set(values))
        variables = {"XTF_RECORD_" + name.upper().replace("-", "_"): values.get(name, "1") for name in listed}

        def plan(*arguments, **environment):
            text, error = self.record(*arguments, app, **environment)
            self.assertEqual(error, "")
            return text.replace(re.search("XTF_RECORD_JOB=(.*)", text)[1], "JOB")

        by_options = plan(*(f"--{name}={values[name]}" if name in values else f"--{name}" for name in sorted(listed, key="keep".__eq__)))
        self.assertEqual(plan(**variables), by_options)
        self.assertIn("xtf merge -o x.xtf", by_options)
        self.assertIn("XTF_RECORD_KEEP=4\n", by_options)
        self.assertIn("XTF_RECORD_FROM=10000ms\n", by_options)
        # An option overrides its variable. An empty variable and 0 count as not given.
        self.assertEqual(plan("--dry-run", "--drain=10", XTF_RECORD_DRAIN="3", XTF_RECORD_BUFFER="", XTF_RECORD_LOCKS="0"), plan("--dry-run"))
        for variable, value in (("XTF_RECORD_BUFFER", "2G"), ("XTF_RECORD_LOCKS", "yes"), ("XTF_RECORD_MPI", "lam"), ("XTF_RECORD_KEEP", "4"),
                                ("XTF_RECORD_START", "no"), ("XTF_RECORD_FROM", "1.5s"), ("XTF_RECORD_FOR", "0")):
            _, error = self.record(app, status=2, **{variable: value})
            self.assertIn(f"{variable} '{value}'", error)
        _, error = self.record("--dry-run", app, XTF_RECORD_FLITER="f", XTF_RECORD_TIMEOUT_PERCENT="9")
        self.assertEqual(error, "xtf: the variable XTF_RECORD_FLITER is ignored: `xtf record` has no such option\n")

    def test_switches_of_the_command(self):
        """Tests options that the plan does not show, and that the program does not get them."""
        app = self.script("app", self.parts(0) + "env | grep -E '^XTF_RECORD_(FORCE|QUIET|KEEP_PARTS|OUTPUT|LOCKS)='; true\n")
        (self.folder / "v.xtf").write_text("old")
        out, error = self.record(app, XTF_RECORD_MPI="none", XTF_RECORD_FORCE="1", XTF_RECORD_QUIET="1", XTF_RECORD_KEEP_PARTS="1", XTF_RECORD_OUTPUT="v.xtf", XTF_RECORD_LOCKS="0")
        self.assertEqual(out, "")
        self.assertRegex(error, "^xtf: its parts are in .*\n$")
        self.xtf("check", "v.xtf")
        self.assertEqual(len(self.left()), 1)

    def test_temporary_folder(self):
        app = self.script("app", "")
        for environment, place in (({"TMPDIR": "/var/tmp"}, self.folder / "tmp"), ({"TMPDIR": "/var/tmp", "XTF_TMPDIR": ""}, "/var/tmp"),
                                   ({"TMPDIR": "", "XTF_TMPDIR": ""}, "/tmp")):
            _, variables, _ = self.plan(app, **environment)
            self.assertEqual(os.path.dirname(variables["XTF_RECORD_FOLDER"]), str(place))
        _, error = self.record(app, status=1, XTF_TMPDIR="/nowhere")
        self.assertIn("/nowhere", error)

    def test_preload_is_kept(self):
        preloaded = self.folder / "lib" / "other.so"
        preloaded.write_bytes((self.folder / "lib" / "libxtf-record.so").read_bytes())
        _, variables, _ = self.plan(self.script("app", ""), LD_PRELOAD=str(preloaded))
        self.assertEqual(variables["LD_PRELOAD"], f"{preloaded}:{self.folder}/lib/libxtf-record.so")
        _, variables, _ = self.plan("--stack", self.script("app", ""), LD_PRELOAD=str(preloaded))
        self.assertEqual(variables["LD_PRELOAD"], f"{self.folder}/lib/libxtf-record.so:{preloaded}")

    def test_wrong(self):
        app = self.script("app", "echo ran")
        (self.folder / "mistaken").write_text("SCOREP_REGION_NAMES_BEGIN\n  EXCLUDES *\nSCOREP_REGION_NAMES_END\n")
        for arguments, word in ((["--filter", "mistaken", app], "line 2: EXCLUDES"), (["--buffer", "x", app], "--buffer"), (["--buffer", "2G", app], "--buffer"), (["--buffer", "0", app], "--buffer"),
                                (["--when-full=never", app], "wait or drop"), (["--clock=sun", app], "tsc or monotonic"),
                                (["--mpi=lam", app], "openmpi, mpich or none"), (["--drain=0", app], "seconds"), (["--brake=-1", app], "number of calls"),
                                (["--filter", "nowhere", app], "cannot be read"), (["-o", "", app], "--output"), (["--start=off", "--from=1s", app], "the program says when"), ([], "arguments are missing"), (["--nonsense", app], "nonsense")):
            out, error = self.record(*arguments, status=2)
            self.assertIn(word, error)
            self.assertEqual(out, "")
        (self.folder / "plain").write_text("")
        for arguments, word in ((["./nowhere"], "program './nowhere' not found"), (["./plain"], "it is not an executable file"), (["./lib"], "it is not an executable file"), (["-o", "no/x.xtf", app], "no such folder"), (["-o", "lib", app], "folder")):
            out, error = self.record(*arguments, status=1)
            self.assertIn(word, error)
            self.assertEqual(out, "")
        self.assertEqual(self.left(), [])

    def test_options_of_the_command_are_its_own(self):
        app = self.script("app", 'echo "$@"')
        for arguments in (["-o", "x.xtf", app, "-o", "--force", "-b4", "--"], ["--", app, "-o", "--force", "-b4", "--"]):
            out, _ = self.record(*arguments, status=1)
            self.assertEqual(out, "-o --force -b4 --\n")

    def test_missing_module(self):
        for name, package in (("openmpi", "libopenmpi-dev"), ("mpich", "libmpich-dev")):
            os.remove(self.folder / "lib" / f"libxtf-record-{name}.so")
            _, error = self.record("--mpi=" + name, self.script("app", "echo ran"), status=1)
            self.assertIn(package, error)
            self.assertIn(f"-D{name}=enabled", error)
        spaced = self.folder / "a b"
        os.rename(self.folder / "lib", spaced)
        _, error = self.record("./app", status=1, XTF_RECORD_LIBDIR=str(spaced))
        self.assertIn("space", error)


if __name__ == "__main__":
    sys.exit(fewer.main(verbosity=1))
