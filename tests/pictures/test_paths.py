#!/usr/bin/env python3
"""profile.svg: each box is a path of calls with its time, which a few lines of Python add up from the list of calls. Where there are too
many calls, the boxes may have the error of sampling.

usage: test_paths.py XTF ASK-TREE GENERATE ARCHIVE...
"""

import collections
import decimal
import gc
import pathlib
import random
import re
import subprocess
import sys

import svg
from asking import Refused
from tracepictures import Trace, check
from xtfrun import Xtf, shared_traces, some_of, temporary_folder, tests_all

TOP, BOX, LEVELS, LEAST = 60, 20, 24, 0.4
WALKED_MOST = 2000000  # calls; a picture of more calls takes times from an analysis, or samples them


def calls_of(trace):
    """Returns (start, end, depth, region, name) of all calls by process and thread."""
    found = collections.defaultdict(list)
    for line in trace.text("calls/records").splitlines():
        start, proc, thread, end, _, _, depth, _, region, name = line.split(None, 9)
        found[proc, thread].append((decimal.Decimal(start), decimal.Decimal(end), int(depth), sys.intern(region), sys.intern(name.rstrip())))
    return {(int(proc), int(thread)): calls for (proc, thread), calls in found.items()}


trees = {}


def naive_tree(calls, *arguments):
    """Caches the last tree, because two checks ask for the same tree where it takes long."""
    question = id(calls), repr(arguments)
    if question not in trees:
        trees.clear()
        trees[question] = make_naive_tree(calls, *arguments)
    return trees[question]


def make_naive_tree(calls, begin, end, procs, regions=None):
    """Returns two dictionaries by path, of selected regions: times, and numbers of calls that begin in the window."""
    times, counts = collections.Counter(), collections.Counter()
    for (proc, _), of_location in calls.items():
        if procs is not None and proc not in procs:
            continue
        stack = []
        for start, stop, depth, region, name in of_location:
            while stack and not (stack[-1][0] < depth and stop <= stack[-1][2]):
                stack.pop()
            if regions is not None and region not in regions:
                continue
            path = (*stack[-1][1], name) if stack else (name,)
            stack.append((depth, path, stop))
            if stop < begin or start >= end or (stop == begin and start < begin):
                continue
            times[path] += (stop if stop < end else end) - (start if start > begin else begin)
            counts[path] += start >= begin
    return times, counts


def boxes_of(picture):
    """Yields (path, title) of each box. A box is below the box of its caller."""
    above = {}
    for _, title, box in sorted(((link, title, box) for link, title, box in picture.tiles() if box.get("class") == "xt-box"),
                                key=lambda tile: (float(tile[2].get("y")), float(tile[2].get("x")))):
        level = round((float(box.get("y")) - TOP) / BOX)
        x = float(box.get("x"))
        # The first box below another begins at the same place.
        path = max(((a, p) for p, a in above.get(level - 1, []) if a <= x), default=(0, ()))[1]
        name, amount = title.split("\n")
        check(len(path) == level, f"a box of {name} at level {level} lies below no other")
        above.setdefault(level, []).append(((*path, name), x))
        yield (*path, name), amount


def check_exact(trace, path, calls, procs, regions=None, stored=False):
    info = {line["what"]: line["value"] for line in trace.table(path, "info")}
    begin = decimal.Decimal(info["from"])
    times, counts = naive_tree(calls, begin, begin + decimal.Decimal(info["duration"]), procs, regions)
    seen = set()
    for box, amount in boxes_of(trace.picture(path, "profile.svg")):
        time, number = re.match(r"([0-9.]+) s, [0-9.]+ %(?:, (\d+) calls?)?$", amount).groups()
        check((number is None) == stored, f"{path}: {amount}")
        # If a tick has more digits than are printed, each time is truncated.
        slack = 0 if trace.whole_digits else (2 * counts[box] + 2 * len(calls)) * decimal.Decimal(1).scaleb(-len(time.split(".")[1]))
        check(abs(decimal.Decimal(time) - times[box]) <= slack, f"{path}: {'/'.join(box)}: {time} s, {times[box]} expected")
        check(stored or int(number) == counts[box], f"{path}: {'/'.join(box)}: {number} calls, {counts[box]} expected")
        seen.add(box)
    total = sum(decimal.Decimal(line["exclusive"]) for line in trace.profile(path if regions is None else ""))
    least = total * decimal.Decimal(2 * LEAST / svg.WIDTH)
    missing = [box for box in times if times[box] > least and len(box) <= LEVELS and box not in seen]
    check(not missing, f"{path}: no box of {missing[:2]}")
    return len(seen)


def check_sampled(trace, path, calls):
    """Checks sampled boxes. A box may be off by 2.5 standard errors, 1.28 times the printed error; of a thousand boxes about twelve are
    further off."""
    info = {line["what"]: line["value"] for line in trace.table(path, "info")}
    begin = decimal.Decimal(info["from"])
    times, _ = naive_tree(calls, begin, begin + decimal.Decimal(info["duration"]), None, None)
    total = sum(time for box, time in times.items() if len(box) == 1)
    off = n = 0
    for box, amount in boxes_of(trace.picture(path, "profile.svg")):
        share, error = map(float, re.match(r"([0-9.]+) % \(\+- ([0-9.]+)\), \d+ of \d+ instants$", amount).groups())
        off += abs(share - 100 * float(times[box] / total)) > 1.28 * error + 0.02
        n += 1
    check(n > 20 and off <= n * 0.03 + 2, f"{path}: {off} of {n} boxes are off")


def check_stored(xtf, ask_tree, path, calls):
    """Checks the picture of the whole run after its analysis. A window is still sampled."""
    xtf.expect("analyze", path)
    trace = Trace(xtf, ask_tree, path)
    trace.whole_digits = prints_whole_ticks(xtf, path)
    check("from the analysis" in trace.text("profile.svg"), "the title does not say that times are from the analysis")
    boxes = check_exact(trace, "", calls, None, stored=True)
    check("whole run alone" in trace.text("time/1%-99%/profile.svg"), "the picture does not say why a window is sampled")
    return boxes


def prints_whole_ticks(xtf, path):
    """True if a printed time has all digits of its ticks."""
    ticks = re.search(r"^clock +(\d+) ticks in 1 s$", xtf.expect("info", path).decode(), re.MULTILINE)
    return bool(ticks) and re.fullmatch("10*", ticks.group(1))


def check_trace(xtf, ask_tree, path):
    trace = Trace(xtf, ask_tree, path)
    try:
        calls = calls_of(trace)
        trace.whole_digits = prints_whole_ticks(xtf, path)
        rows = random.sample(sorted({call[3] for of_location in calls.values() for call in of_location}), 2)
        check_exact(trace, f"region/#{rows[0]},#{rows[1]}", calls, None, rows)
        return sum(check_exact(trace, directory, calls, procs)
                   for directory, procs in (("", None), ("proc/0", {0}), ("time/40%-60%", None), ("time/33%-33.3%/proc/0,1", {0, 1})))
    except Refused as error:
        check("there are" in str(error) or "there is no" in str(error), str(error))
        return 0


def write_few_paths(make_run, path):
    """Writes more calls than are walked, on so few call paths that an analysis keeps all of them."""
    regions = [f"r{i}" for i in range(6)]
    with subprocess.Popen([make_run, path, "1", *regions], stdin=subprocess.PIPE, text=True) as writer:
        time = 0
        for _ in range(WALKED_MOST * 11 // 30):  # a tenth more, so that a window has too many, too
            outer, inner, innermost = random.choices(range(6), k=3)
            for what, region in (("enter", outer), ("enter", inner), ("enter", innermost), ("leave", innermost), ("leave", inner), ("leave", outer)):
                writer.stdin.write(f"0 {time} {what} {region}\n")
                time += random.randrange(1, 400)
    check(writer.returncode == 0, "make-run failed")


def main():
    random.seed(16)
    gc.disable()  # the collector would search millions of calls in vain
    xtf, ask_tree, generate, make_run, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    shared = shared_traces()
    archives += [shared / name for name in ("coverage-10", "stencil4d-32", "pingpong-2")] if shared else []
    boxes = 0
    with temporary_folder() as folder:
        for i, archive in enumerate(some_of(archives, 1)):
            path = pathlib.Path(folder) / f"{i}.xtf"
            xtf.import_archive(archive, path)
            boxes += check_trace(xtf, ask_tree, path)
        path = pathlib.Path(folder) / "few.xtf"
        subprocess.run([generate, "-n", "20000", "-l", "3", path], check=True, capture_output=True)
        boxes += check_trace(xtf, ask_tree, path)
        if tests_all():
            path = pathlib.Path(folder) / "many.xtf"
            subprocess.run([generate, "-n", "4400000", "-l", "2", path], check=True, capture_output=True)
            trace = Trace(xtf, ask_tree, path)
            check_sampled(trace, "", calls_of(trace))
            path = pathlib.Path(folder) / "stored.xtf"
            write_few_paths(make_run, path)
            boxes += check_stored(xtf, ask_tree, path, calls_of(Trace(xtf, ask_tree, path)))
    check(boxes > 100, f"only {boxes} boxes were looked at")
    print(f"{boxes} boxes")


if __name__ == "__main__":
    main()
