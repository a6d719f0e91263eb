#!/usr/bin/env python3
"""Runs what has threads with ThreadSanitizer: concurrent readers, the workers of imports and views, mounts under load, the recorder.

usage: threads.py --build FOLDER [--long] [--seed N] [--case N] [ROW...]

FOLDER is a build with -Db_sanitize=thread. In the folder of another build the harness makes one first, thread-sanitizer/, which takes minutes.
A case is one program or one row of load.py. It is wrong if ThreadSanitizer reports anything, or if the program fails. A long run has each
case ROUNDS times. GLib is no part of the build: threads/glib-order.c says how it orders threads. threads/suppressions says what is left out.
"""
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import types

from torture import Torture, scratch_folder

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
ARCHIVES = [PROJECT / "examples/melt-4/eztrace_log.otf2", PROJECT / "examples/network-8/net_median.nc"]
ROUNDS = 4
TIMEOUT, GRACE = 1800, 60  # seconds for a program, and for its end
SHOWN = 60  # lines of a report
ADDR_NO_RANDOMIZE = 0x0040000
PROGRAMS = ["src/cli/xtf", "tests/mount/grow", "tests/mount/make-trace", "tests/bench/generate", "tests/merge/split-trace", "tests/roundtrip/ask-tree",
            "tests/record/core/test-rings", "tests/torture/glib-order.so", "tests/torture/thread-tests",
            "tests/torture/thread-tests-inodes"]


def tests(*names):
    """Returns the cases of unit tests that start threads."""
    return [("tests/torture/thread-tests", name) for name in names]


def command(*arguments):
    return ("src/cli/xtf", *arguments)


# The cases of each row: commands, in whose arguments @ is a folder with traces, or functions.
ROWS = {
    "library": tests("anchor/reads_more_parts_than_can_be_open", "array/all_sources_give_the_same_rows",
                     "cache/readers_of_the_same_block_wait_for_it", "frames/many_threads", "growing/opening_never_fails", "pack/threads"),
    "tree": tests("parallel/each_item_is_done_once", "parallel/the_first_failure_is_reported", "parallel/callers_share_the_helpers",
                  "tree/threads_read_side_by_side") + [("tests/torture/thread-tests-inodes", "inodes/many_threads")],
    "import": [command("import", "-qf", "-o", "@/new.xtf", archive) for archive in ARCHIVES],
    "commands": [command("analyze", "-q", "-o", "@/new.analysis", "@/trace.xtf"), command("check", "-q", "@/trace.xtf"),
                 command("cat", "@/trace.xtf", "records"), command("cat", "--json", "@/trace.xtf", "records"), command("cat", "@/trace.xtf", "index.html"),
                 command("cat", "@/trace.xtf", "timeline.svg"), command("cat", "@/trace.xtf", "by/proc/profile"),
                 command("diff", "@/trace.xtf", "@/trace.xtf"), command("merge", "-qf", "-o", "@/new.xtf", "@/parts")],
    "recorder": [("tests/record/core/test-rings",)],
    "collector": ["collector"],
    "mount": [("load.py", row) for row in ("melt-64M", "melt-1M", "generated-64M", "generated-1M", "parts-1M", "ends", "growing")],
}


def run(command, timeout=TIMEOUT, **options):
    """Runs a program. If it must end early, SIGTERM lets it unmount, remove its folder and end its own programs."""
    with subprocess.Popen(command, **options) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException:
            process.terminate()
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def find_build(torture):
    """Returns a build with ThreadSanitizer, made below the given one if that has none."""
    build = torture.build
    program = build / PROGRAMS[0]
    if not program.exists() or b"__tsan_init" not in program.read_bytes():
        build = build / "thread-sanitizer"
        if not (build / "build.ninja").exists():
            run(["meson", "setup", build, PROJECT, "-Dtests=enabled", "-Db_sanitize=thread", "-Db_lundef=false"], None,
                stdout=subprocess.DEVNULL).check_returncode()
    run(["ninja", "-C", build, "--quiet", *PROGRAMS], None).check_returncode()
    return build


class Threads:
    """The build, the traces that commands read, and the reports of a case."""

    def __init__(self, torture, folder):
        self.torture, self.folder, self.build = torture, folder, find_build(torture)
        self.reports = folder / "reports"
        self.environment = {**os.environ, "LD_PRELOAD": str(self.build / "tests/torture/glib-order.so"), "G_SLICE": "always-malloc",
                            "TSAN_OPTIONS": f"log_path={self.reports}/report:suppressions={HERE}/threads/suppressions:history_size=4",
                            "PYTHONDONTWRITEBYTECODE": "1"}
        self.make_traces()

    def run(self, program, *arguments):
        """Runs a program of the build, at addresses that ThreadSanitizer knows on every kernel."""
        return run([str(self.build / program), *(str(word).replace("@", str(self.folder)) for word in arguments)], stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=self.environment,
                   preexec_fn=lambda: ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE))

    def make_traces(self):
        """Makes a trace with an analysis, and its parts."""
        trace, parts = self.folder / "trace.xtf", self.folder / "parts"
        self.reports.mkdir()
        parts.mkdir()
        for words in ((*command("import", "-q", "-o", trace), ARCHIVES[0]), ("tests/merge/split-trace", trace, parts / "part", 3, 1),
                      command("analyze", "-q", trace)):
            done = self.run(*words)
            if done.returncode not in (0, 66):  # a race is reported below
                sys.exit(f"{words}: {done.returncode}: {done.stderr.decode(errors='replace')}")
        shutil.rmtree(self.reports)

    def run_collector(self, environment):
        """Records a process that is made up, with the collector's threads that watch the process and sync the part."""
        import power
        disk = self.folder / "recorded"
        disk.mkdir()
        try:
            power.run_collector(types.SimpleNamespace(xtf=self.build / PROGRAMS[0], disk=disk), environment)
            return None
        except AssertionError as fault:
            return str(fault)
        finally:
            shutil.rmtree(disk)

    def run_load(self, row, seed):
        """Runs a row of load.py."""
        return run([sys.executable, HERE / "load.py", "--build", self.build, "--seed", str(seed), row], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                   env=self.environment)

    def fault(self, case, seed):
        """Runs a case. Returns how it failed, or None."""
        if case == "collector":
            return self.run_collector({name: value for name, value in self.environment.items() if os.environ.get(name) != value})
        done = self.run_load(case[1], seed) if case[0] == "load.py" else self.run(*case)
        return None if done.returncode == 0 else f"status {done.returncode}: {(done.stdout + done.stderr).decode(errors='replace')[-2000:]}"

    def run_case(self, row, number):
        """Runs a case, and shows the beginning of each report."""
        cases = ROWS[row]
        case = cases[number % len(cases)]
        self.reports.mkdir()
        fault = self.fault(case, self.torture.options.seed + number // len(cases))
        reports = "\n".join(report for path in sorted(self.reports.iterdir()) for report in path.read_text(errors="replace").splitlines()[:SHOWN])
        self.torture.check(not fault and not reports, row, number, *map(str, case if isinstance(case, tuple) else [case]), fault or "", "\n" + reports)
        shutil.rmtree(self.reports)
        self.torture.count()


def main():
    torture = Torture(__doc__.split("\n", 1)[0], list(ROWS))
    with scratch_folder("threads") as folder:
        threads = Threads(torture, pathlib.Path(folder))
        for row in torture.rows:
            for number in torture.numbers(len(ROWS[row]), ROUNDS * len(ROWS[row])):
                threads.run_case(row, number)
    torture.finish()


if __name__ == "__main__":
    main()
