#!/usr/bin/env python3
"""Exports to Cube, read back. The test compares them with Score-P's profile and Scalasca's analysis of the same runs, and with a few lines
of Python over otf2-print's output.

usage: test_cube.py XTF OTF2-ARCHIVES WRITE-NAMES MELT
"""

import collections
import pathlib
import random
import subprocess
import sys
import tarfile

import otf2print
import scout
from cube_reader import Cube
from shown import Cat, Shown
from xtfrun import Failure, Xtf, all_good, need_programs, shared_traces, temporary_folder

CALLS = ("ENTER", "LEAVE")
# The derived type that an analysis needs for a metric, by a word of the metric's name.
MADE_OF = {"delay_": "delays", "indirect": "delays", "propagating": "delays", "critical": "critical", "activities": "activity"}
DEEPEST = 64
LOOKED_AT = 256  # innermost calls that the import searches for the frame of a LEAVE


class Comparison:
    def __init__(self, xtf, folder):
        self.xtf = xtf
        self.folder = folder
        self.checks = 0

    def check(self, label, found, wanted):
        self.checks += 1
        if found == wanted:
            return
        if isinstance(found, dict) and isinstance(wanted, dict):
            keys = [key for key in {**found, **wanted} if found.get(key) != wanted.get(key)]
            found, wanted = ({key: all_of.get(key) for key in keys[:3]} for all_of in (found, wanted))
            label += f" ({len(keys)} differ)"
        raise Failure(f"{label}: {found!r}, should be {wanted!r}")

    def near(self, label, expected, found):
        self.checks += len(expected)
        for key, a, b in scout.differences(expected, found):
            raise Failure(f"{label}: {key}: {b!r}, should be {a!r}")

    def imported(self, archive):
        trace = self.folder / "trace.xtf"
        self.xtf.expect("import", "--quiet", "--force", "-o", trace, archive)
        return trace

    def exported(self, trace, *path):
        file = self.folder / "profile.cubex"
        self.xtf.expect("export", "cube", "--quiet", "--force", "-o", file, trace, *path)
        return Cube(file)

    def compare_scalasca(self, archive, results):
        """Compares all metrics that need no analysis."""
        cube = self.exported(self.imported(archive))
        expected = scout.read_times(results, archive)
        for metric in ("time", "visits", "bytes_sent", "bytes_rcvd", "bytes_cout", "bytes_cin", "comms_send", "comms_recv",
                       "comms_cxch", "comms_csrc", "comms_cdst", "syncs_send", "syncs_recv", "syncs_coll"):
            self.near(f"{archive}: {metric}", expected.get(metric, {}), cube.by_name(metric))

    def compare_analysed(self, archive, results):
        """Compares all metrics of an analysis, and the sum of adjacent windows with the whole."""
        trace = self.imported(archive)
        self.xtf.expect("analyze", "--quiet", trace)
        cube, expected = self.exported(trace), scout.read_times(results, archive)
        made = {line.split()[0] for line in self.xtf.expect("info", trace).decode().splitlines() if line.strip()}
        wanted = {metric for metric in expected if all(array in made for word, array in MADE_OF.items() if word in metric)}
        self.check(f"{archive}: metrics of Scalasca that are not there", wanted - set(cube.metrics), set())
        for metric in sorted(wanted):
            self.near(f"{archive}: {metric}", expected.get(metric, {}), cube.by_name(metric))
        parts = [self.exported(trace, f"time/{part}") for part in ("-31%", "31%-74%", "74%-")]
        for metric in [m for m in parts[0].metrics if "completion" not in m]:
            total = collections.Counter()
            for part in parts:
                total.update(part.by_name(metric))
            self.near(f"{archive}: {metric} of three windows", cube.by_name(metric), {k: v for k, v in total.items() if v})

    def compare_scorep(self, archive, profile, same_clock):
        """Compares with Score-P's profile of the same run. Where each rank has its own clock, the trace's times are stretched."""
        exported, profile_values = self.exported(self.imported(archive)), Cube(profile)
        self.check(f"{archive}: visits", exported.by_name("visits"),
                   {key: n for key, n in profile_values.by_name("visits").items() if n})
        sent = collections.Counter()
        for metric in ("bytes_sent", "bytes_cout"):
            sent.update(exported.by_name(metric))
        if "bytes_sent" in profile_values.metrics:
            self.check(f"{archive}: bytes", dict(sent), profile_values.by_name("bytes_sent"))
        for key, seconds in profile_values.by_name("time").items():
            found = exported.by_name("time").get(key, 0)
            if abs(found - seconds) > (1e-6 if same_clock else 1e-3 * seconds + 1e-6):
                raise Failure(f"{archive}: time {key}: {found}, Score-P says {seconds}")


def naive_profile(archive, begin, end, a_second):
    """Returns visits and exclusive seconds of each path in a window of ticks: {(path, location): ...}."""
    visits, times = collections.Counter(), collections.Counter()
    by_location = collections.defaultdict(list)
    for event in otf2print.events(archive):
        by_location[event.location].append(event)
    for location, events in by_location.items():
        path, since = [], events[0].time
        for event in events:
            step = min(event.time, end) - max(since, begin)
            if step > 0 and path:
                times["/" + "/".join(path[:DEEPEST]), location] += step
            since = event.time
            region = event.text.split('"')[1] if event.name in CALLS else None
            if event.name == "ENTER":
                path.append(region)
                visits["/" + "/".join(path[:DEEPEST]), location] += begin <= event.time < end
            elif event.name == "LEAVE" and region in path[-LOOKED_AT:]:
                while path.pop() != region:
                    pass
    return +visits, {key: ticks / a_second for key, ticks in times.items()}


def compare_windows(comparison, archive, rounds, seed):
    trace = comparison.imported(archive)
    a_second, offset = otf2print.clock(otf2print.definitions(archive))
    events = list(otf2print.events(archive))
    first, last = min(e.time for e in events), max(e.time for e in events)
    threads = {int(row["id"]): (int(row["proc"]), int(row["thread"])) for row in Shown(Cat(comparison.xtf, trace)).table("locations")}
    origin, pick = min(offset, first), random.Random(seed)
    for i in range(rounds):
        begin, end = sorted(pick.randrange(first, last + 1) for _ in range(2)) if i else (origin, last + 1)
        ns = [(t - origin) * 10**9 // a_second for t in (begin, end)]
        begin, end = (origin + -(-t * a_second // 10**9) for t in ns)
        cube = comparison.exported(trace, "/" if i == 0 else f"time/{ns[0]}ns-{ns[1]}ns")
        visits, times = naive_profile(archive, begin, end if i else last + 1, a_second)
        label = f"{archive}, window {i} [{begin}, {end})"
        by_thread = lambda found: {(path, threads[location]): n for (path, location), n in found.items()}
        by_name = lambda found: {(cube.name(path), thread): n for (path, thread), n in found.items() if abs(n) > 1e-12}
        comparison.check(f"{label}: visits", by_name(cube.values("visits")), by_thread(visits))
        comparison.near(f"{label}: time", by_thread(times), by_name(cube.exclusive("time")))


def compare_selections(comparison, melt):
    trace = comparison.imported(melt)
    whole = comparison.exported(trace)
    for path, ranks in (("proc/1-2", {1, 2}), ("proc/3/thread/0", {3})):
        cube = comparison.exported(trace, path)
        comparison.check(f"{path}: locations", {rank for rank, _ in cube.locations}, ranks)
        comparison.check(f"{path}: visits", cube.by_name("visits"),
                         {key: n for key, n in whole.by_name("visits").items() if key[1] in ranks})
    sends = comparison.exported(trace, "sends")
    comparison.check("sends: bytes", sends.by_name("bytes_sent"), whole.by_name("bytes_sent"))
    comparison.check("sends: nothing else", (sends.by_name("time"), sends.by_name("comms_cxch")), ({}, {}))
    bcast = comparison.exported(trace, "region/MPI_Bcast")
    of_bcast = lambda values: {key: n for key, n in values.items() if key[0].endswith("/MPI_Bcast")}
    comparison.check("a region: visits", bcast.by_name("visits"), of_bcast(whole.by_name("visits")))
    comparison.check("a region: bytes", bcast.by_name("bytes_cout"), of_bcast(whole.by_name("bytes_cout")))
    nothing = comparison.exported(trace, "proc/0/time/900s-901s")
    comparison.check("nothing", (nothing.names, nothing.by_name("visits")), ({}, {}))
    refused = comparison.xtf.run("export", "cube", "-o", comparison.folder / "no", trace, "num/0-10")
    comparison.check("records by number", (refused.status, b"time/" in refused.errors), (1, True))
    comparison.check("refused leaves nothing", (comparison.folder / "no").exists(), False)


def compare_texts(comparison, write_names):
    """Checks that the file is a tar of well-formed XML for hostile names."""
    trace = comparison.folder / "names.xtf"
    subprocess.run([write_names, trace, "nasty"], check=True)
    result = comparison.xtf.run("export", "cube", "--force", "-o", comparison.folder / "names.cubex", trace)
    if result.status == 0:
        Cube(comparison.folder / "names.cubex")
    with tarfile.open(comparison.folder / "profile.cubex") as tar:
        comparison.check("the first member", tar.getnames()[0], "anchor.xml")


def main():
    need_programs("otf2-print")
    archives, write_names, melt = sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([archives, folder, "sums-calls", "sums-deep", "odd-calls", "no-events"], check=True)
        comparison = Comparison(Xtf(sys.argv[1]), folder)
        jobs = [lambda: compare_windows(comparison, melt, 4, 1), lambda: compare_selections(comparison, melt),
                lambda: compare_windows(comparison, folder / "sums-deep.otf2", 3, 2),
                lambda: compare_windows(comparison, folder / "sums-calls.otf2", 3, 3),
                lambda: compare_windows(comparison, folder / "odd-calls.otf2", 1, 4),
                lambda: comparison.exported(comparison.imported(folder / "no-events.otf2")),
                lambda: compare_texts(comparison, write_names)]
        shared = shared_traces()
        if shared:
            late = shared / "scalasca" / "late-sender-barrier-4"
            jobs += [lambda f=f: comparison.compare_scalasca(f / "traces.otf2", shared / "scalasca" / f.name / "scout.tsv")
                     for f in (shared / "coverage-10", shared / "pingpong-2", late)]
            jobs += [lambda f=f: comparison.compare_analysed(f / "traces.otf2", shared / "scalasca" / f.name / "scout.tsv")
                     for f in (shared / "coverage-10", shared / "pingpong-2", late)]
            jobs += [lambda: comparison.compare_scorep(shared / "coverage-10" / "traces.otf2", shared / "coverage-10" / "profile.cubex", False),
                     lambda: comparison.compare_scorep(late / "traces.otf2", late / "profile.cubex", True)]
        good = all_good(jobs)
    print(f"{comparison.checks} comparisons")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
