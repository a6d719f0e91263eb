#!/usr/bin/env python3
"""Tests the trace of several runs of a job (xtf merge --runs) against its runs.

make-run writes runs of a recorded trace: one that is killed in the middle, a whole one, and one with fewer processes. The Python
reader, which shares no code with libxtf, says which rows the joined trace must have. Its tables of views and of the analysis are the
sums of the runs' tables. In the window of a run its tables are the same as the run's.

An anchor of the runs (xtf merge --runs --anchor) has the same rows. All files of its tree have the bytes of the copy's tree.

usage: test_runs.py XTF ASK_TREE MAKE_RUN SPLIT_TRACE GENERATE XTF_CHECK_PY TRACE
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / room) for room in ("roundtrip", "reader")]
# pylint: disable=wrong-import-position
from trees import compare_trees
from xtf_reader import Trace
from xtfrun import Xtf, check, is_sanitized, run_test, takes_fewer, temporary_folder, tests_all

XTF, ASK_TREE, MAKE_RUN, SPLIT, GENERATE, CHECKER, TRACE = sys.argv[1:]
COMMAND = Xtf(XTF)
SECOND = 10**9
# Numbers that a run gives out by itself: the joined trace has others. `message` and `seq` count rows of all runs.
OWN_NUMBERS = {"seq", "message", "request", "comm"}
# Tables of views: path, the columns that identify a line, the columns that add up.
SUMS = [("profile", ["region"], ["calls", "inclusive", "exclusive"]), ("classes", ["class"], ["calls", "exclusive"]),
        ("matrix", ["sender", "receiver"], ["messages", "bytes"]), ("messages", ["sender", "receiver", "tag", "state"], ["bytes"]),
        ("unmatched", ["sender", "receiver", "tag", "missing"], ["groups", "sends", "receives", "bytes_sent"]),
        ("waits/profile", ["kind", "region"], ["waits", "amount", "indirect", "propagating"]),
        ("delays/profile", ["kind", "region"], ["delays", "short", "long", "total"]), ("critical/profile", ["region"], ["amount"])]  # yapf: disable


def run(*arguments, status=0):
    done = COMMAND.run(*arguments)
    check(done.status == status, str(done))
    return (done.errors if status else done.output).decode()


def make_run(path, shift, ticks=0, locations=0, resolution=0):
    subprocess.run([MAKE_RUN, TRACE, path, *map(str, (shift, ticks, locations, resolution))], check=True)
    return path


def check_file(path, by_second_reader=True):
    output = run("check", path)
    check(": 0 problems" in output, output)
    if by_second_reader and not is_sanitized(XTF):  # the second reader has no sanitizer, and has read the same file with the ordinary build
        done = subprocess.run([sys.executable, CHECKER, path], capture_output=True, text=True, check=False)
        check(done.returncode == 0, done.stdout + done.stderr)


# ---- Rows, by the Python reader.


class Rows:
    """The rows of a trace by location and type. A row is two dictionaries: the numbers of its fields, and their texts."""

    def __init__(self, path):
        self.trace = Trace(str(path))
        self.by_array = collections.defaultdict(list)
        self.records, self.derived = set(), set()
        for array in self.trace.arrays():
            schema = array.schema
            names = [field.name for field in schema.fields]
            if schema.kind in (1, 4):
                (self.records if schema.kind == 1 else self.derived).add(schema.name)
            for row in array.read():
                values = dict(zip(names, schema.values(row)))
                texts = dict(zip(names, self.trace.texts(schema, row)))
                self.by_array[array.location, schema.name].append((values, texts))

    def last_time(self, location):
        return max(rows[-1][0]["time"] for (l, name), rows in self.by_array.items() if l == location and name in self.records)

    def members(self, comm):
        """Returns the processes of a communicator."""
        schema, rows = self.trace.tables["communicators"]
        group = dict(zip((field.name for field in schema.fields), schema.values(rows[comm])))["group"]
        if group is None:
            return None
        schema, rows = self.trace.tables["groups"]
        lists = dict(zip((field.name for field in schema.fields), schema.values(rows[group])))
        schema, rows = self.trace.tables["members"]
        at = [field.name for field in schema.fields].index("proc")
        return [schema.values(row)[at] for row in rows[lists["first"]:lists["first"] + lists["count"]]]


def open_frames(rows):
    """Returns the numbers of the rows whose frames no row ends, innermost first."""
    stack = []
    for n, (values, _) in enumerate(rows):
        if values["enter"]:
            while stack and stack[-1] > n - values["enter"]:
                stack.pop()
        elif values["event"] == 0:
            stack.clear()
        if values["event"] == 0:
            stack.append(n)
        elif values["enter"]:
            stack.pop()
    return stack[::-1]


def same_row(own, joined):
    """True if a row of a run and its row in the joined trace agree, except in numbers that a run gives out by itself."""
    return all(own[1][name] == joined[1][name] for name in own[1] if name not in OWN_NUMBERS)


def check_array(key, runs, joined):
    """Checks the rows of a location and type: the rows of all runs. A LEAVE for each open frame follows each run but the last. Returns
    the number of such LEAVEs."""
    location, name = key
    at = n_left = 0
    for run_number, rows in enumerate(runs):
        own = rows.by_array.get(key, [])
        for n, row in enumerate(own):
            check(at + n < len(joined) and same_row(row, joined[at + n]), f"{key}: row {at + n} is not row {n} of run {run_number}")
        last_run = run_number + 1 == len(runs)
        frames = [] if name != "enters_leaves" or last_run else open_frames(own)
        for i, begin in enumerate(frames):
            values, texts = joined[at + len(own) + i]
            check((values["event"], values["time"]) == (1, rows.last_time(location)) and texts["region"] == own[begin][1]["region"],
                  f"{key}: row {at + len(own) + i} is no LEAVE of {own[begin][1]['region']} at the end of run {run_number}")
            check(values["enter"] == len(own) + i - begin, f"{key}: the LEAVE leads to a wrong row")
            check((values["depth"], values["outermost"]) == (own[begin][0]["depth"], own[begin][0]["outermost"]), f"{key}: depth, outermost")
        at += len(own) + len(frames)
        n_left += len(frames)
    check(at == len(joined), f"{key}: {len(joined)} rows, not {at}")
    return n_left


def check_rows(paths, joined_path):
    runs, joined = [Rows(path) for path in paths], Rows(joined_path)
    derived = set().union(*(rows.derived for rows in runs))  # of analyses of one run
    keys = {key for key in set(joined.by_array).union(*(rows.by_array for rows in runs)) if key[1] not in derived}
    check(not joined.derived & {name for _, name in joined.by_array}, "the joined trace has an analysis of one run")
    check(sum(check_array(key, runs, joined.by_array.get(key, [])) for key in keys) > 0, "no run was killed in a call")
    check_seqs(joined)
    check_own_numbers(runs, joined)
    check_postings(joined)


def check_seqs(joined):
    """Checks that the records of each location are numbered from 0 on, in the order of time."""
    by_location = collections.defaultdict(list)
    for (location, name), rows in joined.by_array.items():
        if name in joined.records:
            by_location[location] += [(values["seq"], values["time"]) for values, _ in rows]
    for location, rows in by_location.items():
        rows.sort()
        check([seq for seq, _ in rows] == list(range(len(rows))), f"location {location}: seq has gaps")
        check([time for _, time in rows] == sorted(time for _, time in rows), f"location {location}: seq contradicts the times")


def check_own_numbers(runs, joined):
    """Checks that no two runs have a communicator or a request in common, and that communicators keep their members."""
    used = collections.defaultdict(set)
    for key, rows in joined.by_array.items():
        at = 0
        for number, run_rows in enumerate(runs):
            own = run_rows.by_array.get(key, [])
            for (values, _), (joined_values, _) in zip(own, rows[at:at + len(own)]):
                for field in ("comm", "request"):
                    if values.get(field) is not None:
                        used[field, joined_values[field]].add(number)
                if values.get("comm") is not None:
                    check(run_rows.members(values["comm"]) == joined.members(joined_values["comm"]), f"{key}: another communicator")
            at += len(own) + (len(open_frames(own)) if key[1] == "enters_leaves" and number + 1 < len(runs) else 0)
    shared = [number for number, of_runs in used.items() if len(of_runs) > 1]
    check(used and not shared, f"numbers that two runs share: {shared}")


def check_postings(joined):
    """Checks that each posting leads to a receive with its envelope."""
    for (location, name), rows in joined.by_array.items():
        for values, _ in rows if name == "postings" else []:
            message = joined.by_array[location, "recvs"][values["message"]][0]
            check(all(values[field] == message[field] for field in ("comm", "peer", "tag", "bytes")), f"location {location}: a posting leads to another receive")


# ---- Tables.


def table(path, name, keys, numbers):
    """Returns sums of columns by the texts of other columns, of a table without "no value"."""
    header, *lines = run("cat", path, name).splitlines()
    columns = header.lstrip("# ").split()
    sums = collections.defaultdict(lambda: [0] * len(numbers))
    for line in lines:
        values = dict(zip(columns, line.split(None, len(columns) - 1)))
        key = tuple(values[key].strip() for key in keys)
        sums[key] = [a + float(values[column].replace("-", "0")) for a, column in zip(sums[key], numbers)]
    return {key: values for key, values in sums.items() if any(values)}


def check_sums(runs, joined):
    for name, keys, numbers in SUMS:
        expected = collections.defaultdict(lambda n=len(numbers): [0] * n)
        for path in runs:
            for key, values in table(path, name, keys, numbers).items():
                expected[key] = [a + b for a, b in zip(expected[key], values)]
        found = table(joined, name, keys, numbers)
        # Printed times are rounded; an indirect wait is a rounded share of an amount.
        off = {key: (expected.get(key), found.get(key)) for key in set(expected) | set(found)
               if any(abs(a - b) > 1e-8 for a, b in zip(expected.get(key) or [1e9], found.get(key) or [0]))}  # yapf: disable
        check(found and not off, f"{name}: the sum of the runs, and the joined trace: {off}")


def check_windows(runs, joined):
    """Checks that the window of a run shows what the run shows, and that nothing runs between."""
    begin = Trace(str(joined)).first
    windows = []
    for path in runs:
        trace = Trace(str(path))
        windows.append((trace.first - begin, trace.last + 1 - begin))
    for path, (first, end) in zip(runs, windows):
        window = f"time/{first / SECOND:.9f}-{end / SECOND:.9f}/"
        for name, keys, numbers in SUMS[:3]:
            check(table(joined, window + name, keys, numbers) == table(path, name, keys, numbers), f"{window}{name} differs from {path.name}")
    for (_, end), (first, _) in zip(windows, windows[1:]):
        window = f"time/{end / SECOND:.9f}-{first / SECOND:.9f}/"
        check(run("cat", joined, window + "count").split()[-1] == "0", f"records in {window}")
        check(not table(joined, window + "classes", ["class"], ["exclusive"]), f"time in {window}")


def efficiency(path):
    """Returns the parallel efficiency, and the width of the window to which it refers."""
    lines = [line.split() for line in run("cat", path, "efficiency").splitlines()[1:]]
    first, end = map(float, next(line[1] for line in lines if line[0] == "window").removeprefix("time/").split("-"))
    return float(next(line[1] for line in lines if line[0] == "parallel_efficiency")), end - first


def check_efficiency(runs, joined):
    """Checks that an efficiency counts the time of all runs, and none between them."""
    figures = [efficiency(path) for path in runs]
    expected = sum(value * width for value, width in figures) / sum(width for _, width in figures)
    found, width = efficiency(joined)
    check(abs(found - expected) < 2e-4 and width > 2 * sum(width for _, width in figures), f"efficiency: {found}, not {expected}")


def check_info(joined, names):
    lines = [line.split() for line in run("info", joined).splitlines()]
    at = next(i for i, line in enumerate(lines) if line[:1] == ["runs"])
    check(lines[at][1] == f"{len(names)},", f"info: {lines[at]}")
    check([line[0].rstrip(":") for line in lines[at + 1:at + 1 + len(names)]] == names, f"info: {lines[at:at + 1 + len(names)]}")


# ---- The tests.


def test_join(folder):
    duration = Trace(TRACE).last - Trace(TRACE).first
    runs = [make_run(folder / "killed.xtf", 0, duration * 7 // 10), make_run(folder / "whole.xtf", 5 * SECOND),
            make_run(folder / "fewer.xtf", 9 * SECOND, 0, 3)]  # yapf: disable
    joined = folder / "joined.xtf"
    run("merge", "--runs", "-q", "-o", joined, runs[2], runs[0], runs[1])
    check_file(joined)
    check_rows(runs, joined)
    check_info(joined, [path.name for path in runs])
    for path in [*runs, joined]:
        run("analyze", "-q", path)
    check_file(joined)
    check_sums(runs, joined)
    check_windows(runs, joined)
    return runs, joined


def test_steps(folder, runs, joined):
    """Joins two runs, and the third one to them: the same rows."""
    two, three = folder / "two.xtf", folder / "three.xtf"
    run("merge", "--runs", "-q", "-o", two, *runs[:2])
    run("analyze", "-q", two)
    run("merge", "--runs", "-q", "-o", three, two, runs[2])
    check_file(three)
    check_info(three, [path.name for path in runs])
    rows, whole = Rows(three), Rows(joined)
    check(whole.derived and not rows.derived, "the analysis of two runs is not one of three")
    for key, expected in whole.by_array.items():
        found = rows.by_array.get(key, [])
        check(key[1] in whole.derived or len(found) == len(expected) and all(map(same_row, expected, found)), f"joined in steps: {key}")


def test_refusals(folder, runs):
    output = folder / "refused.xtf"
    other = make_run(folder / "other.xtf", 20 * SECOND, 0, 0, SECOND // 2)
    overlapping = make_run(folder / "overlapping.xtf", SECOND // 10)
    for arguments, complaint in (((runs[0], overlapping), ["killed.xtf ends at ", "overlapping.xtf begins at ", "must not overlap in time"]),
                                 ((runs[0], runs[0]), ["must not overlap in time"]), ((runs[0], other), ["different resolutions"])):
        message = run("merge", "--runs", "-o", output, *arguments, status=1)
        check(all(part in message for part in complaint), message)
        check(not output.exists(), "a refused join leaves a file")
    before = runs[0].read_bytes()
    message = run("merge", "--runs", "-f", "-o", runs[0], *runs[:2], status=1)
    check("the output file is one of the runs" in message and runs[0].read_bytes() == before, message)
    message = run("merge", "--runs", "--anchor", folder, status=2)
    check("--runs needs -o FILE" in message, message)
    message = run("merge", "--anchor", "-o", output, *runs[:2], status=2)
    check("one of -o FILE and --anchor" in message, message)
    message = run("merge", "-o", output, *runs[:2], status=1)
    check("both have location" in message and "xtf merge --runs" in message, message)


def test_folder(folder, runs):
    """A run may be a folder of parts."""
    parts, joined, from_folder = folder / "run.xtf.d", folder / "of-file.xtf", folder / "of-folder.xtf"
    parts.mkdir()
    (parts / "000000.xtf").write_bytes(runs[1].read_bytes())
    run("merge", "--runs", "-q", "-o", joined, *runs[:2])
    run("merge", "--runs", "-q", "-o", from_folder, parts, runs[0])
    check(run("cat", joined, "records") == run("cat", from_folder, "records"), "a folder as a run")
    check_efficiency(runs[:2], joined)


# ---- Anchors.


def join_both(folder, runs, by_second_reader=True):
    """Joins runs by a copy and by an anchor."""
    copy, anchor = folder / "copy.xtf", folder / "all.xtf"
    run("merge", "--runs", "-q", "-o", copy, *runs)
    run("merge", "--runs", "--anchor", "-q", "-o", anchor, *runs)
    check_file(anchor, by_second_reader)
    check_info(anchor, [path.name for path in runs])
    return copy, anchor


# FORMAT W68, W69, W70, R87, R88
def test_anchor(folder, runs):
    """Runs of several kinds: of codec plain, in volumes, and merged of parts."""
    place = folder / "anchor"
    place.mkdir()
    rows = int(re.search(r"^\d+ arrays, (\d+) rows", run("check", runs[1]), re.M)[1])
    for source, name, split in (runs[0], "plain", (1, 1, "plain", 0)), (runs[1], "volumes", (1, 1, "plain", rows // 3)), (runs[2], "part", (2, 1, "compact", 0)):
        subprocess.run([SPLIT, source, place / name, *map(str, split)], check=True)
    run("merge", "-q", "-o", place / "merged.xtf", place / "part-0.xtf", place / "part-1.xtf")
    kinds = [place / "plain-0.xtf", place / "volumes-0.xtf", place / "merged.xtf"]
    check(len(list(place.glob("volumes-0.xtf.*"))) > 1, "the second run is not in volumes")
    copy, anchor = join_both(place, kinds)
    check_rows(kinds, anchor)
    directories, files = compare_trees(COMMAND, ASK_TREE, copy, anchor)
    check(files > 500, f"only {files} files were compared")
    print(f"anchor of runs: {directories} directories and {files} files are the same as in the copy")
    one = place / "one.xtf"
    run("copy", "-q", anchor, one)
    check_file(one)
    check(run("cat", one, "records") == run("cat", anchor, "records"), "a copy of the anchor has other records")
    return kinds, anchor


def test_clocks(folder, runs):
    """Joins runs whose locations have clock maps."""
    place = folder / "clocks"
    place.mkdir()
    for path in runs:
        shutil.copyfile(path, place / path.name)
    copy, anchor = join_both(place, [place / path.name for path in runs])
    check(Trace(str(anchor)).clock_maps, "no run has a clock map")
    for name in "records", "profile", "matrix", "messages", "time/20%-60%/profile", "proc/1/records":
        check(run("cat", copy, name) == run("cat", anchor, name), f"{name} differs from that of the copy")


# FORMAT R89, C13
def test_parts(runs, anchor):
    """The rows of other runs are read while the file of one is missing or replaced, and the checks name it."""
    trace = Trace(str(runs[1]))
    begin = Trace(str(anchor)).first
    window = f"time/{(trace.first - begin) / SECOND:.9f}-{(trace.last + 1 - begin) / SECOND:.9f}/records"
    whole, away = run("cat", anchor, window), runs[2].with_suffix(".away")
    for replacement in None, runs[0]:
        runs[2].rename(away)
        if replacement:
            shutil.copyfile(replacement, runs[2])
        check(run("cat", anchor, window) == whole, "the records of a run without another run")
        check(runs[2].name in run("cat", anchor, "records", status=1), "the error does not name the run")
        checked = COMMAND.run("check", anchor)
        check(checked.status == 1 and runs[2].name.encode() in checked.output + checked.errors, checked)
        away.rename(runs[2])


# FORMAT W71
def test_anchor_refusals(folder, runs, anchor):
    before, output = sorted(runs[0].parent.iterdir()), runs[0].parent / "refused.xtf"
    elsewhere, parts = folder / "elsewhere.xtf", folder / "anchor" / "run.xtf.d"
    parts.mkdir()
    shutil.copyfile(runs[0], elsewhere)
    shutil.copyfile(runs[0], parts / "000000.xtf")
    for names, complaint in (((elsewhere, runs[1]), "is not in the folder of the anchor"), ((anchor,), "consists of several files"),
                             ((parts, runs[1]), "consists of several files")):
        message = run("merge", "--runs", "--anchor", "-o", output, *names, status=1)
        check(complaint in message and not output.exists(), message)
    shutil.rmtree(parts)
    check(sorted(runs[0].parent.iterdir()) == before, "a refused anchor leaves a file")
    for command, complaint in ((("analyze", "-q", anchor), f"xtf analyze -o ONE.xtf {anchor}"), (("align", "-q", anchor), "cannot add to a merged file"),
                               (("merge", "-o", output, anchor), "xtf copy makes one file of it")):
        message = run(*command, status=1)
        check(complaint in message and not output.exists(), message)


def test_size(folder):
    """The anchor of runs with many records is much smaller than they are: it has no copy of their rows."""
    place = folder / "size"
    place.mkdir()
    runs = [place / "1.xtf", place / "2.xtf"]
    subprocess.run([GENERATE, "--records", "300000", "--locations", "2", runs[0]], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([MAKE_RUN, runs[0], runs[1], str(100 * SECOND)], check=True)
    copy, anchor = join_both(place, runs, tests_all())
    size = sum(path.stat().st_size for path in runs)
    check(anchor.stat().st_size < size / 4, f"the anchor takes {anchor.stat().st_size} bytes, its runs {size}")
    check(max(array.height for array in Trace(str(anchor)).arrays()) > 2, "no array has sealed index pages")
    for name in "profile", "matrix", "time/10s-100.01s/profile", "time/0-0.003/matrix", "classes", "proc/1/longest":
        check(run("cat", copy, name) == run("cat", anchor, name), f"{name} differs from that of the copy")


def main():
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        runs, joined = test_join(folder)
        test_steps(folder, runs, joined)
        test_refusals(folder, runs)
        test_folder(folder, runs)
        kinds, anchor = test_anchor(folder, runs)
        test_parts(kinds, anchor)
        test_anchor_refusals(folder, kinds, anchor)
        test_clocks(folder, runs)
        if not takes_fewer(XTF):
            test_size(folder)
    return 0


if __name__ == "__main__":
    run_test(main)
