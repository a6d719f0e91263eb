#!/usr/bin/env python3
"""xtf align: traces whose clocks are wrong in known ways (make-clocks), against an independent judge.

The judge reads rows and clock maps with the second reader, and matches messages and collective operations itself. It counts
effects that precede their cause. `xtf align` must report the judge's numbers: before, after, the greatest shift, and the
greatest change of a duration.

Undoing must restore every file of the tree, byte for byte. A copy, a merged file and a second alignment must show the same. A
writer that is killed while it writes must leave the trace unchanged.

usage: test_align.py XTF MAKE_CLOCKS SPLIT_TRACE XTF_CHECK_PY [ARCHIVE]
"""

import bisect
import collections
import csv
import io
import os
import pathlib
import resource
import re
import shutil
import signal
import subprocess
import sys
import tempfile

XTF, MAKE, SPLIT, CHECKER, *ARCHIVES = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(CHECKER).parent))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
sys.dont_write_bytecode = True
import naive_pairing  # pylint: disable=wrong-import-position
import xtf_reader  # pylint: disable=wrong-import-position
import xtf_schema  # pylint: disable=wrong-import-position
from xtfrun import Xtf, is_sanitized, some_of, tests_all, without_name  # pylint: disable=wrong-import-position

COMMAND = Xtf(XTF)
HOUR = 3600 * 10**9
# Arguments of make-clocks; greatest distance from the truth in ns, if there is a bound.
CASES = {
    "equal ways, even drifts": (["--offsets", 3 * HOUR, "--drift", 50000], 1000),
    "a long run": (["--offsets", HOUR, "--drift", 80000, "--step", 10**9, "--rounds", 150, "--processes", 7], 1000),
    "offsets alone": (["--offsets", 27000000, "--jitter", 4000], None),
    "jitter": (["--offsets", HOUR, "--drift", 20000, "--jitter", 30000, "--latency", 1000, "--seed", 2], None),
    "clocks that wander": (["--offsets", HOUR, "--drift", 20000, "--wander", 20000, "--jitter", 2000, "--step", 20000000, "--seed", 3], None),
    "wandering, no drift": (["--wander", 6000, "--rounds", 200, "--step", 5000000, "--seed", 5], None),
    "one alone, some lost": (["--offsets", HOUR, "--drift", 30000, "--alone", "--lost", "--jitter", 1000, "--seed", 6], None),
    "no receive recorded": (["--offsets", HOUR, "--drift", 30000, "--unreceived", "--jitter", 1000, "--seed", 8], 1000),
    "a recorder's maps": (["--offsets", HOUR, "--drift", 30000, "--maps", "--latency", 1000, "--wander", 2000, "--seed", 7], None),
}
FULLY_TESTED = {"one alone, some lost", "a recorder's maps"}  # cases that are copied, merged, killed and undone too
ALL_TO_ALL = {"BARRIER", "ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLREDUCE", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK"}
ONE_TO_ALL = {"BCAST", "SCATTER", "SCATTERV"}
ALL_TO_ONE = {"GATHER", "GATHERV", "REDUCE"}
SCANS = {"SCAN", "EXSCAN"}


def run_xtf(*arguments, status=0):
    done = COMMAND.completed(*arguments, text=False)
    assert done.returncode == status, f"xtf {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout.decode("utf-8", "surrogateescape") if status == 0 else done.stderr.decode()


# ---- The judge.

class Judged:
    """A trace as the second reader reads it: rows with local and global times, and matched messages and operations."""

    def __init__(self, path):
        self.trace = xtf_reader.Trace(str(path))
        self.arrays = {(array.location, array.schema.name): array for array in self.trace.arrays()}
        self.locations = sorted({location for location, _ in self.arrays})
        self.procs = {row["id"]: row["proc"] for row in self.table("locations")}
        self.groups, self.members, self.comms = self.table("groups"), self.table("members"), self.table("communicators")
        self.met = {}  # {location: seqs of the ends of operations that all processes take part in}
        self.messages, self.uncertain = self.match()
        self.operations, self.ends_left_out = self.find_operations()

    def table(self, name):
        schema, rows = self.trace.tables.get(name, (None, []))
        return [dict(zip((field.name for field in schema.fields), schema.values(row))) for row in rows]

    def rows(self, location, name):
        array = self.arrays.get((location, name))
        if not array:
            return []
        names = [field.name for field in array.schema.fields]
        labels = {field.name: field.labels for field in array.schema.fields if field.labels}
        found = []
        for local, row in zip(array.read_local(), array.read()):
            values = dict(zip(names, array.schema.values(row)))
            values["local"] = array.schema.values(local)[0]
            for field, words in labels.items():
                if values[field] is not None and values[field] < len(words):
                    values[field] = words[values[field]]
            found.append(values)
        return found

    def ranks(self, comm):
        group = self.groups[self.comms[comm]["group"]] if self.comms[comm]["group"] is not None else None
        return [m["proc"] for m in self.members[group["first"]:group["first"] + group["count"]]] if group else []

    def match(self):
        """Returns pairs (send, receive) of rows, and the number of ends that are not certain."""
        sent, posted = collections.defaultdict(list), collections.defaultdict(list)
        unknown = 0
        for location in self.locations:
            proc = self.procs.get(location, location)
            cancelled = {row["message"] for row in self.rows(location, "cancelled")}
            recvs = self.rows(location, "recvs")
            for number, row in enumerate(self.rows(location, "sends")):
                ranks = self.ranks(row["comm"])
                if number in cancelled:
                    continue
                if row["peer"] < len(ranks):
                    sent[row["comm"], row["tag"], proc, ranks[row["peer"]]].append({**row, "location": location})
                else:
                    unknown += 1
            for row in self.rows(location, "postings"):
                ranks = self.ranks(row["comm"])
                if row["peer"] < len(ranks):
                    posted[row["comm"], row["tag"], ranks[row["peer"]], proc].append({**recvs[row["message"]], "location": location})
                else:
                    unknown += 1
        pairs = []
        lost = {len(sent[key]) > len(posted[key]) for key in sent.keys() & posted.keys() if len(sent[key]) != len(posted[key])}
        for key in sent.keys() | posted.keys():
            sends, recvs = sent[key], posted[key]
            if lost:
                ends = ([(row["bytes"], self.epoch(row)) for row in rows] for rows in (sends, recvs))
                found = naive_pairing.pairs(*ends, len(lost) == 2)
                unknown += len(sends) + len(recvs) - 2 * len(found)
                pairs += [(sends[s], recvs[r]) for r, s in found.items()]
                continue
            if len(sends) != len(recvs):
                unknown += len(sends) + len(recvs)
                continue
            assert all(a["bytes"] == b["bytes"] for a, b in zip(sends, recvs)), f"{key}: bytes differ"
            pairs += [pair for pair in zip(sends, recvs)]
        return pairs, unknown

    def epoch(self, row):
        """Returns how many operations of all processes ended before a send or a receive. Each process has one location with
        messages."""
        if row["location"] not in self.met:
            self.met[row["location"]] = [end["seq"] for end in self.rows(row["location"], "collectives")
                                         if end["event"] == "MPI_COLLECTIVE_END" and end["operation"] in ALL_TO_ALL
                                         and len(self.ranks(end["comm"])) == len(set(self.procs.values()))]
        return bisect.bisect(self.met[row["location"]], row["seq"])

    def find_operations(self):
        """Returns operations, a list of (operation, root, [(begin, end)] by rank), and the number of ends that are left out."""
        own = collections.defaultdict(lambda: collections.defaultdict(list))
        left_out = 0
        for location in self.locations:
            begin = None
            for row in self.rows(location, "collectives"):
                if row["event"] == "MPI_COLLECTIVE_BEGIN":
                    begin = row
                elif row["event"] == "MPI_COLLECTIVE_END":
                    own[row["comm"]][self.procs.get(location, location)].append((begin, {**row, "location": location}))
        operations = []
        for comm, by_proc in own.items():
            ranks = self.ranks(comm)
            counts = {len(by_proc.get(proc, [])) for proc in ranks}
            if len(counts) != 1 or len(ranks) < 2:
                left_out += sum(len(ends) for ends in by_proc.values())
                continue
            for k in range(counts.pop()):
                members = [by_proc[proc][k] for proc in ranks]
                operation = members[0][1]["operation"]
                if len({(end["operation"], end["root"]) for _, end in members}) > 1 or operation not in ALL_TO_ALL | ONE_TO_ALL | ALL_TO_ONE | SCANS:
                    left_out += len(members)
                    continue
                operations.append((operation, members[0][1]["root"], members))
        return operations, left_out

    def violations(self):
        """Returns the number of messages and of ends that contradict the clocks, and the greatest violation in ticks."""
        early = [send["time"] - recv["time"] for send, recv in self.messages]
        messages, ends = [e for e in early if e > 0], []
        for operation, root, members in self.operations:
            for rank, (_, end) in enumerate(members):
                causes = [begin["time"] for member, (begin, e) in enumerate(members)
                          if member != rank and needs_begin(operation, root, rank, member, e, end)]
                if causes and max(causes) > end["time"]:
                    ends.append(max(causes) - end["time"])
        return len(messages), len(ends), max(messages + ends, default=0)

    def effects(self):
        """Returns how many messages, and how many ends of operations that need another member's begin, could contradict the
        clocks."""
        return len(self.messages), sum(any(member != rank and needs_begin(operation, root, rank, member, e, end) for member, (_, e) in enumerate(members))
                                       for operation, root, members in self.operations for rank, (_, end) in enumerate(members))

    def times(self):
        """Returns {(location, seq): (local, global)} of all records."""
        return {(location, row["seq"]): (row["local"], row["time"])
                for (location, name), array in self.arrays.items() if array.schema.kind == xtf_schema.RECORD
                for row in self.rows(location, name)}

    def digest(self):
        """Returns the digest of the clocks, by docs/VOCABULARY.md."""
        def mix(h, value):
            h = ((h ^ value) + 0x9e3779b97f4a7c15) % 2**64
            h = ((h ^ (h >> 30)) * 0xbf58476d1ce4e5b9) % 2**64
            h = ((h ^ (h >> 27)) * 0x94d049bb133111eb) % 2**64
            return h ^ (h >> 31)
        h = 0
        for location in self.locations:
            array = next((a for (l, _), a in self.arrays.items() if l == location and a.schema.kind == xtf_schema.RECORD), None)
            if not array:
                continue
            knots = array.clock.knots if array.clock else []
            h = mix(mix(h, location), len(knots))
            for i, (local, time, jumps) in enumerate(knots):
                h = mix(mix(mix(h, local), time), int(jumps & xtf_schema.JUMPS and i + 1 < len(knots)))
        return h


def needs_begin(operation, root, rank, member, member_end, end):
    if operation != "BARRIER" and (member_end["bytes"] == 0 or end["received"] == 0):
        return False
    return (operation in ALL_TO_ALL or (operation in ONE_TO_ALL and member == root) or (operation in ALL_TO_ONE and rank == root) or
            (operation in SCANS and member < rank))


# ---- Reports of xtf.

def number(pattern, text, convert=int):
    found = re.search(pattern, text, re.M)
    assert found, f"no {pattern} in:\n{text}"
    return convert(found.group(1))


def ticks(text):
    return round(float(text) * 10**9)


def reported(printed):
    violations = r"^%s +(\d+) messages .*?, (\d+) ends[^,\n]*(?:, by up to ([\d.]+) s)?$"
    found = {}
    for when in ("before", "after"):
        match = re.search(violations % when, printed, re.M)
        found[when] = (int(match[1]), int(match[2]), ticks(match[3] or "0"))
    found["matched"] = number(r"^messages +(\d+) matched", printed)
    left_out = re.search(r"left out (\d+) sends, (\d+) receives", printed)
    found["left out"] = int(left_out[1]) + int(left_out[2])
    found["operations"] = number(r"^collectives +(\d+) put", printed)
    found["ends left out"] = number(r"^collectives .* left out (\d+) ends", printed)
    found["shift"] = number(r"^largest shift +([\d.]+) s", printed, ticks)
    found["change"] = number(r"^durations +([\d.]+) s", printed, ticks)
    return found


def judge(name, path, before, printed, truth, bound):
    """Checks the aligned trace against the trace before, and the report."""
    after, report = Judged(path), reported(printed)
    assert report["before"] == before.violations(), f"{name}: before {before.violations()}\n{printed}"
    assert report["after"] == after.violations() == (0, 0, 0), f"{name}: after {after.violations()}\n{printed}"
    assert sum(report["before"][:2]) > 0, f"{name}: nothing was wrong before"
    assert report["matched"] == len(after.messages) == len(before.messages), f"{name}: {len(after.messages)} pairs\n{printed}"
    assert report["left out"] == after.uncertain, f"{name}: {after.uncertain} ends left out\n{printed}"
    assert report["operations"] == len(after.operations), f"{name}: {len(after.operations)} operations\n{printed}"
    assert report["ends left out"] == after.ends_left_out, f"{name}: {after.ends_left_out}\n{printed}"
    times, shifts = after.times(), collections.defaultdict(list)
    for (location, _), (local, time) in times.items():
        shifts[location].append(time - local)
    changes = max(max(own) - min(own) for own in shifts.values())
    if before.trace.clock_maps:  # the report is about the records' own times, and so is this sum
        assert changes <= report["change"], f"{name}: a duration changed by {changes}\n{printed}"
    else:
        assert changes <= report["change"] <= changes + 2, f"{name}: a duration changed by {changes}\n{printed}"
        assert max(abs(shift) for own in shifts.values() for shift in own) == report["shift"], f"{name}: shifts\n{printed}"
    row = after.table("clock_alignments")[0]
    assert row["clocks"] == after.digest(), f"{name}: digest"
    worst = None
    if truth:
        off = [times[key][1] - true for key, true in truth.items()]
        middle = (max(off) + min(off)) // 2
        worst = max(abs(value - middle) for value in off)
        assert bound is None or worst <= bound, f"{name}: {worst} ns from the truth"
    return report, worst


# ---- Properties of every trace.

def all_content(trace):
    """Returns listings of the root, of a window of a process and of the definitions, and the content of all files there."""
    listed, files = run_xtf("ls", "-l", trace, "/", "/time/20%-60%/proc/1", "/definitions"), []
    for block in listed.split("\n\n"):
        folder, *lines = block.splitlines()
        files += [f"{folder[:-1].rstrip('/')}/{re.sub('^.[ ]+[0-9]+ ', '', line)}" for line in lines if line[0] == "-"]
    return listed, without_name(run_xtf("cat", trace, *files).encode("utf-8", "surrogateescape"), trace)


def check_sound(trace):
    assert ": 0 problems" in run_xtf("check", trace)
    if is_sanitized(XTF):  # the second reader has no sanitizer, and read the same files in the ordinary build
        return
    done = subprocess.run([sys.executable, CHECKER, trace], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_round_trips(name, folder, original, aligned, printed):
    shown, before = all_content(aligned), all_content(original)
    elsewhere, copy, again = folder / "elsewhere.xtf", folder / "copy.xtf", folder / "again.xtf"
    assert run_xtf("align", "-o", elsewhere, original) == printed, f"{name}: another report with -o"
    assert all_content(elsewhere) == shown, f"{name}: -o shows something else"
    run_xtf("copy", "-q", aligned, copy)
    assert all_content(copy) == shown, f"{name}: a copy shows something else"
    shutil.copy(aligned, again)
    run_xtf("align", "-q", again)
    assert all_content(again) == shown, f"{name}: aligned twice it shows something else"
    for path in (elsewhere, copy, again):
        check_sound(path)
        run_xtf("align", "--undo", path)
        check_sound(path)
        assert all_content(path) == before, f"{name}: {path.name}, undone, shows something else"
        assert "nothing to undo" in run_xtf("align", "--undo", path, status=1)


def test_merged(name, folder, aligned):
    subprocess.run([SPLIT, aligned, folder / "part", "2", "1"], check=True)
    parts, merged, copy = [folder / f"part-{i}.xtf" for i in range(2)], folder / "merged.xtf", folder / "merged-copy.xtf"
    run_xtf("merge", "-q", "-o", merged, *parts)
    check_sound(merged)
    assert run_xtf("cat", merged, "/records") == run_xtf("cat", aligned, "/records"), f"{name}: merged, it shows something else"
    assert "-o FILE writes" in run_xtf("align", "-a", merged, status=1)
    run_xtf("align", "-q", "-a", "-o", copy, merged)
    check_sound(copy)
    assert Judged(copy).violations() == (0, 0, 0)


def test_killed(name, folder, original, aligned):
    """The writer may grow the file up to some byte, and is killed there."""
    old, new = original.stat().st_size, aligned.stat().st_size
    before, after = run_xtf("cat", original, "/records"), run_xtf("cat", aligned, "/records")
    assert new > old
    for limit in sorted({old, old + 1, *range(old, new, max(1, (new - old) // 4)), new - 1}):
        path = folder / "killed.xtf"
        shutil.copy(original, path)

        def preexec():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # pylint: disable=cell-var-from-loop
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        done = subprocess.run([XTF, "align", "-q", path], preexec_fn=preexec, capture_output=True, check=False)
        assert done.returncode != 0, f"{name}: not killed at byte {limit} of {new}"
        assert run_xtf("cat", path, "/records") == before, f"{name}: killed at byte {limit}: other records"
        check_sound(path)
        run_xtf("align", "-q", path)
        assert run_xtf("cat", path, "/records") == after, f"{name}: killed at byte {limit}: aligned otherwise"


def test_path(name, folder, aligned):
    """Checks that the critical path's segments lie side by side, also where one begins inside a jump of its clock."""
    analysed = folder / "analysed.xtf"
    shutil.copy(aligned, analysed)
    run_xtf("analyze", "-q", analysed)
    segments = [line.split()[:2] for line in run_xtf("cat", analysed, "critical/segments").splitlines()[1:]]
    for (_, end), (begin, _) in zip(segments, segments[1:]):
        assert end == begin, f"{name}: the critical path ends at {end}, but the next segment begins at {begin}"
    assert len(segments) > 1, f"{name}: {segments}"


def check_reported_clocks(name, path, judged):
    """Checks that info and findings report contradictory clocks, with the judge's numbers, and report nothing otherwise. If
    receives are lost, the judge also matches pairs that are not certain."""
    (messages, ends, _), (all_messages, all_ends) = judged.violations(), judged.effects()
    clock_lines = re.findall("^clocks +(.*)", re.sub("^clock maps.*", "", run_xtf("info", path), flags=re.M), re.M)
    first = next(csv.DictReader(io.StringIO(run_xtf("cat", "--csv", path, "findings"))), {"rule": None})
    if messages > all_messages // 1000:
        expected = f"{messages} of " if "lost" in name else f"{messages} of {all_messages} messages ({100 * messages / all_messages:.1f} %) are received before they are sent, by up to "
    elif ends > all_ends // 1000:
        expected = f"{ends} of {all_ends} ends of collective operations ({100 * ends / all_ends:.1f} %) come before another member begins, by up to "
    else:
        assert not clock_lines and first["rule"] != "clocks", f"{name}: {clock_lines} {first}"
        return
    assert len(clock_lines) == 1 and clock_lines[0].startswith(expected), f"{name}: info says {clock_lines}, expected {expected}"
    assert first["rule"] == "clocks" and first["finding"] == clock_lines[0], f"{name}: {first}, expected {clock_lines}"
    assert "xtf align" in clock_lines[0]


def test_case(name, folder, arguments, bound):
    original, aligned = folder / "original.xtf", folder / "aligned.xtf"
    subprocess.run([MAKE, original, folder / "truth", *map(str, arguments)], check=True)
    truth = {}
    for line in (folder / "truth").read_text().splitlines():
        location, seq, time = map(int, line.split())
        truth[location, seq] = time
    shutil.copy(original, aligned)
    before = Judged(original)
    dry = run_xtf("align", "--dry-run", aligned)
    assert aligned.read_bytes() == original.read_bytes(), f"{name}: --dry-run wrote something"
    printed = run_xtf("align", aligned)
    assert dry == printed + "Nothing was stored.\n", f"{name}: --dry-run reports something else"
    if "--alone" in arguments:
        assert re.search(r"^alone +process 4: ", printed, re.M), printed
        truth = {key: true for key, true in truth.items() if key[0] < 50}
    check_reported_clocks(name, original, before)
    check_reported_clocks(name, aligned, Judged(aligned))
    report, worst = judge(name, aligned, before, printed, truth, bound)
    check_sound(aligned)
    print(f"{name}: {report['before']} violations, shift {report['shift']}, change {report['change']}, "
          f"{number('maps have ([0-9]+) knots', printed)} knots, {worst} ns from the truth")
    if "--jitter" in arguments and "--wander" in arguments:
        test_path(name, folder, aligned)
    if name in FULLY_TESTED:
        test_round_trips(name, folder, original, aligned, printed)
        test_merged(name, folder, aligned)
        test_killed(name, folder, original, aligned)


def test_refusals(folder):
    mute = folder / "mute.xtf"
    subprocess.run([MAKE, mute, folder / "truth", "--mute"], check=True)
    assert "nothing to align clocks by" in run_xtf("align", mute, status=1)
    run_xtf("align", "--undo", "--dry-run", mute, status=2)
    run_xtf("align", "--force", mute, status=2)
    sound = folder / "sound.xtf"
    subprocess.run([MAKE, sound, folder / "truth", "--rounds", "30"], check=True)
    shown = all_content(sound)
    assert "so they are kept" in run_xtf("align", sound)
    assert all_content(sound) == shown and not Judged(sound).trace.clock_maps
    assert "exists already" in run_xtf("align", "-o", mute, sound, status=1)
    assert "is not an XTF file" in run_xtf("align", folder / "truth", status=1)


def test_archive(folder, archive):
    """Checks a recorded archive, as eztrace's processes do not share a clock. Its cached import must not be changed."""
    aligned, plain = folder / "archive.xtf", folder / "plain.xtf"
    run_xtf("import", "-q", "-o", plain, archive)
    assert "-o FILE writes an aligned copy" in run_xtf("align", archive, status=1)
    printed = run_xtf("align", "-o", aligned, archive)
    report, _ = judge("archive", aligned, Judged(plain), printed, None, None)
    check_sound(aligned)
    print(f"{archive}: {report}")
    run_xtf("align", "--undo", aligned)
    assert all_content(aligned) == all_content(plain), "an archive: undone, it shows something else"


def main():
    for name in CASES if tests_all() else sorted({*FULLY_TESTED, *some_of(CASES, 3)}):
        arguments, bound = CASES[name]
        with tempfile.TemporaryDirectory(prefix="xtf-test-") as temporary:
            test_case(name, pathlib.Path(temporary), arguments, bound)
    with tempfile.TemporaryDirectory(prefix="xtf-test-") as temporary:
        os.environ["XDG_CACHE_HOME"] = temporary
        test_refusals(pathlib.Path(temporary))
        for archive in ARCHIVES:
            test_archive(pathlib.Path(temporary), archive)


if __name__ == "__main__":
    main()
