#!/usr/bin/env python3
"""`xtf analyze` against the naive judge, tick for tick, and against Scalasca's own analyser. Also repeated, refused and
interrupted analyses.

usage: test_analyze.py XTF CHECKER [ARCHIVE...]
"""

import collections
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import otf2print
import scout
from naive_waits import COMPLETIONS, METRICS, Waits
from xtfrun import Failure, Xtf, need_programs, run_test, shared_traces

# Kinds of rows, with the names that the judge and Scalasca use. Waits for handles are XTF's own.
KINDS = {"late_sender": "mpi_latesender", "late_receiver": "mpi_latereceiver", "wait_barrier": "mpi_barrier_wait", "wait_nxn": "mpi_wait_nxn",
         "late_broadcast": "mpi_latebroadcast", "early_reduce": "mpi_earlyreduce", "early_scan": "mpi_earlyscan",
         "finalize_wait": "mpi_finalize_wait", "barrier_completion": "mpi_barrier_completion",
         "nxn_completion": "mpi_nxn_completion", "init_completion": "mpi_init_completion"}
XTF_ONLY = ("wait_create", "wait_destroy")
SCOUT = {*METRICS.values(), *COMPLETIONS.values(), "mpi_latesender_wo", "mpi_lswo_same", "mpi_lswo_different"}


class Analysed:
    """An analysed trace."""

    def __init__(self, xtf, trace):
        self.xtf, self.trace = xtf, trace
        self.regions = self.names("/definitions/regions")
        self.contexts = [line.split() for line in self.cat("/definitions/contexts")[1:]]
        self.locations = {}
        for line in self.cat("/definitions/locations")[1:]:
            cells = line.split()
            self.locations[cells[2], cells[3]] = int(cells[1])

    def run(self, *args):
        return self.xtf.completed(*args, check=True).stdout

    def cat(self, path):
        return self.run("cat", self.trace, path).splitlines()

    def names(self, path):
        lines = self.cat(path)
        at = lines[0].rindex(" name") + 1
        return [line[at:].rstrip() for line in lines[1:]]

    def path_of(self, context):
        path = ()
        while context != "-":
            _, parent, region = self.contexts[int(context)]
            path = (self.regions[int(region)], *path)
            context = parent
        return path

    def rows(self):
        """Yields {column: value} for each row of `waits`."""
        columns = [line.split()[0] for line in self.cat("/waits/columns")[1:]]
        for line in self.cat("/waits/records"):
            yield dict(zip(columns, line.split(None, len(columns) - 1)))

    def sums(self, judge):
        """Returns {(metric, path, location): ticks}. For Scalasca the program is a call around all others."""
        sums = collections.Counter()
        roots = {path[:1] for _, path, _ in judge.sums} - {(self.regions[int(region)],) for _, parent, region in self.contexts if parent == "-"}
        program = roots.pop() if roots else ()
        for row in self.rows():
            if row["event"] in XTF_ONLY:
                continue
            where = program + self.path_of(row["context"]), self.locations[row["proc"], row["thread"]]
            sums[KINDS[row["event"]], *where] += int(row["amount"])
            if row["part_kind"] != "-":
                sums["mpi_latesender_wo", *where] += int(row["part"])
                sums["mpi_lswo_same" if row["part_kind"] == "same_source" else "mpi_lswo_different", *where] += int(row["part"])
        return +sums


def is_balanced(archive):
    """Returns True if each LEAVE is of the region that was entered last."""
    stacks = collections.defaultdict(list)
    for event in otf2print.events(str(archive)):
        if event.name == "ENTER":
            stacks[event.location].append(event.text.split("Region:")[1])
        elif event.name == "LEAVE" and (not stacks[event.location] or stacks[event.location].pop() != event.text.split("Region:")[1]):
            return False
    return True


def by_region(sums):
    """Returns sums by innermost region. Readers may differ in the calls around it where ENTERs and LEAVEs do not match."""
    found = collections.Counter()
    for (metric, path, location), ticks in sums.items():
        found[metric, path[-1:], location] += ticks
    return found


def check_against_judge(analysed, judge, name):
    found, judged = analysed.sums(judge), +judge.sums
    if not is_balanced(name):
        found, judged = by_region(found), by_region(judged)
    wrong = [key for key in {*found, *judged} if found[key] != judged[key]]
    if wrong:
        raise Failure(f"{name}: {len(wrong)} sums differ from the judge's: {[(k, found[k], judged[k]) for k in wrong[:5]]}")
    return len(judged)


def check_against_scout(analysed, judge, archive, tsv):
    scout_values = scout.read_times(tsv, archive)
    found = collections.defaultdict(dict)
    for (metric, path, location), ticks in analysed.sums(judge).items():
        found[metric]["".join("/" + name.replace(" ", "_") for name in path), location] = float(ticks / judge.ticks)
    wrong = [(metric, *difference) for metric in sorted(SCOUT) for difference in scout.differences(scout_values.get(metric, {}), found.get(metric, {}))]
    if wrong:
        raise Failure(f"{tsv}: {len(wrong)} values differ: {wrong[:5]}")
    return sum(len(scout_values.get(metric, {})) for metric in SCOUT)


def check_twice(xtf, checker, trace):
    """Checks that a new analysis equals the one it replaces, and that from the third on analyses reuse the space of earlier ones."""
    rows = xtf.expect("cat", trace, "/waits/records")
    sizes = []
    for _ in range(5):
        xtf.expect("analyze", "-q", trace)
        sizes.append(trace.stat().st_size)
    if sizes[1:] != sizes[1:2] * 4:
        raise Failure(f"{trace}: analysed again and again, it grows: {sizes}")
    again = xtf.expect("cat", trace, "/waits/records")
    if rows != again:
        raise Failure(f"{trace}: analysed twice, its waits changed")
    xtf.expect("check", "-q", trace)
    result = subprocess.run([sys.executable, checker, trace], capture_output=True, text=True, check=False)
    if result.returncode:
        raise Failure(f"{trace}: the second reader: {result.stdout}{result.stderr}")


def check_jobs(xtf, archive, folder):
    """Checks that the number of threads does not change the analysis; only the place of its pages may differ."""
    texts, sizes = [], []
    for jobs in (1, 2, 7):
        trace = folder / "jobs.xtf"
        xtf.expect("import", "-f", "-q", "-o", trace, archive)
        xtf.expect("analyze", "-q", "-j", str(jobs), trace)
        paths = [f"/{kind}/records" for kind in ("waits", "delays", "critical", "activity", "ideal")]
        texts.append([xtf.expect("cat", trace, path)
                      for path in (*paths, "/definitions/contexts")])
        sizes.append(trace.stat().st_size)
    if texts != texts[:1] * 3 or sizes != sizes[:1] * 3:
        raise Failure(f"{archive}: its analysis depends on the number of threads: {sizes}")
    if xtf.run("analyze", "-q", "-j", "-1", trace).status != 2:
        raise Failure("analyze accepts -1 threads")


def check_copy(xtf, trace, folder):
    """Checks that a copy keeps an analysis."""
    copy = folder / "copy.xtf"
    xtf.expect("copy", "-q", trace, copy)
    texts = [xtf.expect("cat", path, "/waits/records") for path in (trace, copy)]
    if texts[0] != texts[1]:
        raise Failure(f"{trace}: the copy has other waits")


def check_killed(xtf, archive, folder):
    """Checks that a trace is unchanged or analysed after a kill at any time."""
    trace = folder / "killed.xtf"
    xtf.expect("import", "-q", "-o", trace, archive)
    before = xtf.expect("cat", trace, "/records")
    for step in range(12):
        with subprocess.Popen([xtf.program, "analyze", "-q", trace]) as process:
            time.sleep(step * 0.004)
            process.send_signal(signal.SIGKILL)
        result = xtf.completed("check", trace)
        # A writer that is killed between its last two superblocks leaves the trace sound.
        if result.returncode:
            raise Failure(f"killed after {step * 4} ms: {result.stdout}{result.stderr}")
        if xtf.expect("cat", trace, "/records") != before:
            raise Failure(f"killed after {step * 4} ms, the trace changed")


def check_mount(xtf, archive, folder):
    """Checks that an archive is mounted with its waits, and that a second mount reuses them."""
    if not os.path.exists("/dev/fuse") or not shutil.which("fusermount3"):
        return
    place = folder / "mnt"
    place.mkdir()
    counts = []
    for _ in range(2):
        subprocess.run([xtf.program, "mount", "-q", "--analyze", archive, place], check=True)
        try:
            counts.append(int((place / "waits" / "count").read_text()))
        finally:
            subprocess.run([xtf.program, "unmount", place], check=True)
    if counts[0] == 0 or counts[0] != counts[1]:
        raise Failure(f"{archive}: mounted with {counts} waits")


def archives(folder, own):
    """Yields (archive, tsv or None)."""
    for archive in own:
        yield pathlib.Path(archive), None
    for archive in sorted(folder.glob("**/*.otf2")) if folder else ():
        tsv = next((place / "scout.tsv" for place in (archive.parent, folder / "scalasca" / archive.parent.name)
                    if (place / "scout.tsv").exists()), None)
        yield archive, tsv


def main():
    xtf, checker, *own = Xtf(sys.argv[1]), *sys.argv[2:]
    need_programs("otf2-print")
    with tempfile.TemporaryDirectory() as name:
        folder, last = pathlib.Path(name), None
        os.environ["XDG_CACHE_HOME"] = name
        for archive, tsv in archives(shared_traces(), own):
            trace = folder / "trace.xtf"
            xtf.expect("import", "-f", "-q", "-o", trace, archive)
            xtf.expect("analyze", "-q", trace)
            analysed, judge = Analysed(xtf, trace), Waits(str(archive))
            n = check_against_judge(analysed, judge, archive)
            by_scout = check_against_scout(analysed, judge, archive, tsv) if tsv else 0
            print(f"{archive}: {n} sums of the judge, {by_scout} of scout")
            check_twice(xtf, checker, trace)
            last = archive
        if last:
            check_copy(xtf, trace, folder)
            check_jobs(xtf, last, folder)
            check_killed(xtf, last, folder)
            check_mount(xtf, last, folder)
        shutil.rmtree(folder / "xtf", ignore_errors=True)
    return 0


if __name__ == "__main__":
    run_test(main)
