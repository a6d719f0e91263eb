#!/usr/bin/env python3
"""xtf play --frame and xtf top --once: compares every number on the screen with the tables of the frame. Tests bars, edges and errors.

usage: test_play.py XTF ASK-TREE GENERATE MAKE-RUN ARCHIVE...
"""

import os
import pathlib
import random
import re
import subprocess
import sys

import svg
from asking import Asker
from madeup import Maker
from xtfrun import Xtf, check, shared_traces, temporary_folder

GLYPHS = {True: "#=-.:", False: "\u2588\u2593\u2592\u00b7\u2591"}
SHARES = ["program", "p2p", "collective", "wait", "other"]
SIZES = [(80, 24), (200, 60), (60, 12), (100, 20), (150, 40)]
GROUPS = {"program": "program", "point to point": "p2p", "collective, barrier": "collective", "waits, tests": "wait", "other": "other",
          "calls": "calls", "messages sent": "sent_messages"}


class Trace:
    def __init__(self, xtf, ask_tree, path):
        self.xtf, self.path = xtf, path
        self.asker = Asker(xtf, ask_tree, path)

    def text(self, path):
        return self.asker.ask(f"cat {path}").decode()

    def table(self, path):
        return svg.table(self.asker.ask(f"cat {path}"))

    def screen(self, command, columns, lines, *options, ascii_only=False):
        environment = {**os.environ, "LC_ALL": "C" if ascii_only else "C.UTF-8"}
        done = subprocess.run([self.xtf.program, command, f"--columns={columns}", f"--lines={lines}", *options, self.path],
                              capture_output=True, env=environment, timeout=180, check=False)
        check(done.returncode == 0 and not done.stderr, f"{command} {options}: {done.returncode}, {done.stderr.decode()}")
        text = done.stdout.decode("ascii" if ascii_only else "utf-8")
        shown = text.split("\n")
        check(shown.pop() == "" and len(shown) == lines, f"{command} {options}: {len(shown)} lines, not {lines}")
        check(max(map(len, shown)) <= columns, f"{command} {options}: a line is longer than {columns}")
        return shown


# ---- The player.

def check_bar(text, line, width, length, glyphs, place):
    cells = [text.count(glyph) for glyph in glyphs]
    times = [float(line[share]) for share in SHARES]
    check(text.rstrip() == "".join(glyph * n for glyph, n in zip(glyphs, cells)), f"{place}: bar {text!r}")
    check(sum(cells) == min(width, int(sum(times) / length * width + 0.5)) or abs(sum(times) / length * width % 1 - 0.5) < 1e-3,
          f"{place}: {sum(cells)} cells of {width} for {sum(times)} of {length} s")
    for n, time in zip(cells, times):
        check(abs(n - time / length * width) < 1 + 1e-6, f"{place}: {cells} cells for {times}")


def check_process(trace, frame, line, shown, bar, length, glyphs):
    place = f"{trace.path.name}/{frame}, process {line['proc']}"
    head, text, remainder = shown[:9], shown[9:9 + bar], shown[10 + bar:]
    check(head.replace(">", " ").split() == [line["proc"], line["colour"].strip()[0].upper()], f"{place}: {shown!r}")
    check_bar(text, line, bar, length, glyphs, place)
    profile = trace.table(f"{frame}/proc/{line['proc']}/profile")
    mostly = profile[0]["region"].rstrip()[:15].rstrip() if profile and float(profile[0]["exclusive"]) > 0 else ""
    if profile:  # the program has the time outside all regions
        classes = {entry["class"].rstrip(): float(entry["exclusive"]) for entry in trace.table(f"{frame}/proc/{line['proc']}/classes")}
        mostly = "(program)" if classes["(no region)"] > float(profile[0]["exclusive"]) else mostly
    check(remainder[:16].rstrip() == mostly, f"{place}: {remainder[:16]!r}, not {mostly!r}")
    check(remainder[16:40].split() == [line["sent_bytes"], "B", line["received_bytes"], "B"], f"{place}: {remainder[16:40]!r}")


def check_groups(frame, state, total, shown):
    for title, column in GROUPS.items():
        line = next((text for text in shown if text.startswith(f"{title} ")), None)
        check(line, f"{frame}: no line {title!r}")
        numbers = line[len(title):52].replace("ms", "").split()
        if column in SHARES:
            wanted = [f"{1e3 * float(table[column]):.3f}" for table in (state[0], total)]
            check(all(abs(float(a) - float(b)) <= 0.0011 for a, b in zip(numbers, wanted)) and len(numbers) == 2, f"{frame}: {line!r}")
        else:
            check(numbers == [state[0][column], total[column]], f"{frame}: {line!r}")


def check_regions(trace, frame, proc, shown):
    for column, path in ((0, f"{frame}/proc/{proc}/profile"), (66, f"{frame}/profile")):
        first = next(i for i, text in enumerate(shown) if text.startswith("A process"))
        for text, line in zip(shown[first + 1:first + 13], [line for line in trace.table(path) if float(line["exclusive"]) > 0]):
            milliseconds, unit, calls, region = text[column:column + 65].split(None, 3)
            check(abs(float(milliseconds) - 1e3 * float(line["exclusive"])) <= 0.0011 and unit == "ms", f"{frame}: {text!r}")
            check(calls == line["calls"] and region.rstrip() == line["region"].rstrip()[:34].rstrip(), f"{frame}: {text!r}, {line}")


def check_frame(trace, rate, length, k, n, columns, lines, ascii_only):
    frame = f"frames/{rate}/{k}"
    shown = trace.screen("play", columns, lines, f"--rate={rate}", f"--frame={k}", ascii_only=ascii_only)
    state, total = trace.table(f"{frame}/state"), trace.table(f"{frame}/total")[0]
    check(f"frame {k}/{n - 1} " in shown[0] and f"{len(state)} process" in shown[0], f"{frame}: {shown[0]!r}")
    groups = 0 if lines < 20 else 14 if columns >= 150 else 9
    room = max(lines - 6 - groups, 1)
    bar = 60 if columns >= 150 else columns - 50
    rows = len(state) if len(state) <= room else room - 1
    for line, text in zip(state[:rows], shown[2:]):
        check_process(trace, frame, line, text, bar, length, GLYPHS[ascii_only])
    check(rows == len(state) or f"and {len(state) - rows} more" in shown[2 + rows], f"{frame}: {shown[2 + rows]!r}")
    arrows = [line for line in trace.table(f"{frame}/arrows/a") if line["to"] != "-"]
    text = shown[2 + min(room, len(state))]
    sign = ">" if ascii_only else "\u2192"
    listed = re.findall(rf"(\d+){sign}(\d+) (\d+) B", text)
    greatest = sorted(arrows, key=lambda line: -int(line["bytes"]))[:len(listed)]
    check([int(arrow[2]) for arrow in listed] == [int(line["bytes"]) for line in greatest], f"{frame}: {text!r}")
    check(set(listed) <= {(line["from"], line["to"], line["bytes"]) for line in arrows}, f"{frame}: {text!r}")
    check(len(listed) == len(arrows) or f"and {len(arrows) - len(listed)} more" in text, f"{frame}: {text!r}")
    if groups == 9:
        check_groups(frame, state, total, shown)
    if groups == 14:
        check_regions(trace, frame, state[0]["proc"], shown)
    check(f" {100 * k / (n - 1) if n > 1 else 100:.0f} % of the run" in shown[-2], f"{frame}: {shown[-2]!r}")


def check_film(trace, rates):
    for rate, length in rates.items():
        n = int(trace.text(f"frames/{rate}/count"))
        for k in random.sample(range(n), min(3, n)):
            columns, lines = random.choice(SIZES)
            check_frame(trace, rate, length, k, n, columns, lines, random.random() < 0.4)
    check(trace.screen("play", 59, 24, "--frame=0")[0] == "needs 60x12", "a narrow screen is drawn")


def check_all_printed(trace):
    """Checks that without a terminal all frames are printed in order."""
    n = int(trace.text("frames/25fps/count"))
    if n <= 30:
        done = trace.xtf.expect("play", "--columns=80", "--lines=24", trace.path)
        check(done.count(b"\n") == 24 * n, f"{done.count(bytes([10]))} lines of {n} frames")


def check_errors(trace):
    for options, status in ((["--frame=99999999"], 1), (["--rate=0fps"], 1), (["--arrows=x"], 2), (["--rate=1ps"], 1)):
        result = trace.xtf.run("play", *options, trace.path)
        check(result.status == status and result.errors, f"play {options}: {result}")
    check(trace.xtf.run("top", "--once", trace.path, "no/such/path").status == 1, "top of a path that is not there")


def check_mostly(xtf, ask_tree, make_run, folder):
    """Checks that a process in MPI for 2 of 1000 ns of a frame computes, and that one in MPI for 600 ns waits."""
    maker = Maker(None, make_run, folder)
    events = [(0, 0, "enter", 0), (0, 2, "leave", 0), (0, 1000, "enter", 0), (0, 1001, "leave", 0),
              (1, 0, "enter", 0), (1, 600, "leave", 0), (1, 1000, "enter", 0), (1, 1001, "leave", 0)]
    trace = Trace(xtf, ask_tree, maker.run("mostly", 2, ["MPI_Waitall"], events))
    shown = trace.screen("play", 80, 24, "--rate=1000ns", "--frame=0")
    check("(program)" in shown[2] and "Waitall" not in shown[2], f"mostly: {shown[2]!r}")
    check("MPI_Waitall" in shown[3], f"mostly: {shown[3]!r}")
    check(shown[1].startswith("proc now in this frame"), f"a column has no heading: {shown[1]!r}")
    check("G Y R: see ?" in shown[-3], f"letters are not explained: {shown[-3]!r}")
    shown = trace.screen("play", 120, 24, "--rate=1000ns", "--frame=0")
    check("G program, Y library, R waits" in shown[-3], f"letters are not explained: {shown[-3]!r}")


# ---- top

def check_top(trace, path):
    shown = trace.screen("top", 160, 40, "--once") if not path else \
        trace.xtf.expect("top", "--once", "--columns=160", "--lines=40", trace.path, path).decode("utf-8").split("\n")
    profile = {line["region"].rstrip(): line for line in trace.table(f"{path}/profile".lstrip("/"))}
    imbalance = {line["region"].rstrip(): line for line in trace.table(f"{path}/imbalance".lstrip("/"))}
    times, regions = [], []
    first = next(i for i, text in enumerate(shown) if text.startswith("  region "))
    for text in shown[first + 1:-2]:
        if not text.strip():
            break
        match = re.match(r"[> ] (.*?\S) +(\S+) +(\S+) +(\S+) +(-|\S+ \(\d+\)) +(-|\S+ \(\d+\))$", text)
        check(match, f"top {path}: {text!r}")
        region, calls, inclusive, exclusive, least, most = match.groups()
        line = profile[region.rstrip()]
        check((calls, inclusive, exclusive) == (line["calls"], line["inclusive"], line["exclusive"]), f"top {path}: {text!r}, {line}")
        line_of_imbalance = imbalance.get(region.rstrip())
        if line_of_imbalance:
            check((least, most) == (f"{line_of_imbalance['min']} ({line_of_imbalance['min_proc']})", f"{line_of_imbalance['max']} ({line_of_imbalance['max_proc']})"), f"top: {text!r}")
        times.append(float(exclusive))
        regions.append(region)
    check(times == sorted(times, reverse=True) and len(set(regions)) == len(regions) > 0, f"top {path}: not sorted: {times}")


def check_narrow_top(trace, columns):
    """Checks that a standard terminal shows the whole name of every region and the column by which lines are sorted."""
    profile = [line for line in trace.table("profile") if float(line["inclusive"]) > 0 or int(line["calls"]) > 0]
    shown = trace.screen("top", columns, 20 + len(profile), "--once")
    first = next(i for i, text in enumerate(shown) if text.startswith("  region "))
    check("exclusive*" in shown[first], f"top: the titles are {shown[first]!r}")
    titles = shown[first].split("exclusive*")[0].split()
    check(titles == ["region", "calls", "inclusive"][:len(titles)], f"top: the titles are {shown[first]!r}")
    names = [re.match(r"[> ] (.*?\S) {2,}", text + "  ")[1] for text in shown[first + 1:first + 1 + len(profile)]]
    for name, line in zip(names, sorted(profile, key=lambda line: -float(line["exclusive"]))):
        region = line["region"].rstrip()
        fits = len(region) <= columns // 3
        check(line["exclusive"] and (name == region if fits else len(name) > columns // 3), f"top: {name!r} of {region!r}")
    check(re.search(r"other [0-9.]+%$", shown[2]), f"top: the shares are cut: {shown[2]!r}")
    check(shown[-1].startswith(" ? keys  q quit") and len(shown[-1]) <= columns, f"top: the keys are {shown[-1]!r}")
    check(re.fullmatch(r" (\S[^ ]*( [a-zA-Z0-9-]+)*( |$))+", shown[-1].replace("  ", " ")), f"top: the keys are cut: {shown[-1]!r}")
    check(re.search(r"  [0-9.]+ s to [0-9.]+ s$", shown[0]), f"top: the window is cut: {shown[0]!r}")


def main():
    xtf, ask_tree, generate, make_run, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    random.seed(5)
    shared = shared_traces()
    if shared:
        archives.append(shared / "coverage-10" / "traces.otf2")
    with temporary_folder() as folder:
        for i, archive in enumerate(archives):
            path = pathlib.Path(folder) / f"{i}.xtf"
            xtf.import_archive(archive, path)
            trace = Trace(xtf, ask_tree, path)
            check_film(trace, {"25fps": 0.04, "200fps": 0.005, "1ms": 0.001, "333us": 0.000333})
            check_all_printed(trace)
            check_errors(trace)
            check_top(trace, "")
            check_narrow_top(trace, 80)
            check_narrow_top(trace, 60)
            check_top(trace, "time/10%-30%")
            check_top(trace, f"proc/{trace.table('state')[-1]['proc']}")
        check_mostly(xtf, ask_tree, make_run, folder)
        path = pathlib.Path(folder) / "many.xtf"
        subprocess.run([generate, "-n", "6000", "-l", "100", path], check=True, capture_output=True)
        trace = Trace(xtf, ask_tree, path)
        length = int(float(trace.table("info")[1]["value"]) * 1e9 / 5) + 1
        check_film(trace, {f"{length}ns": length * 1e-9})


if __name__ == "__main__":
    main()
