#!/usr/bin/env python3
"""Reports of contradictory clocks by `xtf info`, `findings` and `xtf mount`. The programs are made up. They define how many
messages are received before they are sent, and how many members end an operation before another one begins.

usage: test_clocks.py XTF OTF2-SCRIPT
"""

import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
from xtfrun import Xtf, check, run_test, temporary_folder  # pylint: disable=wrong-import-position

ROUND, BARRIER, NO_ROOT = 1000, 0, 2**32 - 1
REGIONS = ["main", "MPI_Send", "MPI_Recv", "MPI_Barrier"]


def program(rounds, messages=True, barriers=0, early=(), early_ends=(), shift=0):
    """Returns a script of two processes that send each other messages in turn, 100 ns each; every `barriers` rounds they meet. In
    rounds of `early` a message is received 50 ns before it is sent. In rounds of `early_ends` process 1 ends the barrier 30 ns
    before process 0 begins it. The clock of process 1 is `shift` ns behind."""
    lines = []
    for i in range(rounds):
        t, sender = ROUND * (i + 1), i % 2
        if messages:
            received = t + 150 if i in early else t + 300
            lines += [(sender, t + 190, "E 1"), (sender, t + 200, f"S {1 - sender} 0 0 8"), (sender, t + 210, "L 1")]
            lines += [(1 - sender, received - 10, "E 2"), (1 - sender, received, f"R {sender} 0 0 8"), (1 - sender, received + 5, "L 2")]
        if barriers and i % barriers == 0:
            for proc in range(2):
                begin, end = (t + 450, t + 470) if proc and i in early_ends else (t + 500, t + 600)
                lines += [(proc, begin - 5, "E 3"), (proc, begin, "B"), (proc, end, f"D {BARRIER} 0 {NO_ROOT} 0 0"), (proc, end + 5, "L 3")]
    lines = sorted((proc, time - shift * proc, event) for proc, time, event in lines)
    text = [f"{proc} {time} {event}" for proc, time, event in lines] + [f"clock 1000000000 0 {ROUND * (rounds + 2)}", "processes 2"]
    text += [f"location {proc} {proc} thread" for proc in range(2)] + [f"region {i} {name}" for i, name in enumerate(REGIONS)]
    return "\n".join([*text, "world 0 0 1"]) + "\n"


def clock_sentence(xtf, trace):
    """Returns the sentence of `info` on clocks, or None. Checks that `findings` has the same sentence, or none, and that the
    timeline has a remark."""
    lines = re.findall("^clocks  +(.*)$", xtf.expect("info", trace).decode(), re.M)
    check(len(lines) <= 1, f"{trace}: {lines}")
    findings = list(csv.DictReader(io.StringIO(xtf.expect("cat", "--csv", trace, "findings").decode())))
    drawn = b"clocks disagree" in xtf.expect("cat", trace, "timeline.svg")
    check(drawn == bool(lines), f"{trace}: the timeline says that clocks disagree: {drawn}, info {lines}")
    if not lines:
        check(all(finding["rule"] != "clocks" for finding in findings), f"{trace}: {findings}")
        return None
    check(findings[0]["rule"] == "clocks" and findings[0]["finding"] == lines[0], f"{trace}: {findings[0]}, but {lines}")
    check(all(finding["rule"] not in ("ends", "waits", "culprit", "path") for finding in findings), f"{trace}: {findings}")
    check("xtf align" in lines[0], lines[0])
    return lines[0]


# Programs, and the pattern of the expected sentence; None if there should be no sentence.
CASES = {
    "good clocks": (program(2000, barriers=10), None),
    "one clock is behind": (program(100, barriers=10, shift=150),
                            r"50 of 100 messages \(50\.0 %\) are received before they are sent, by up to 50 ns: "),
    "two of two thousand": (program(2000, early={5, 1999}), None),
    "three of two thousand": (program(2000, early={5, 6, 1999}), r"3 of 2000 messages \(0\.1 %\) .* 50 ns: "),
    "operations alone": (program(100, messages=False, barriers=5, early_ends={0, 5, 50}),
                         r"3 of 40 ends of collective operations \(7\.5 %\) come before another member begins, by up to 30 ns: "),
    "one message of few": (program(3, early={1}), r"1 of 3 messages "),
    "nothing to judge by": (program(20, messages=False), None),
}
# Traces too large to be examined as a whole: (program, number of samples, their name, share of early ones in percent).
MANY = {
    "many messages": (program(20000, shift=150), 8192, "chosen messages", 50),
    "many operations": (program(10000, messages=False, barriers=1, early_ends=range(0, 10000, 4)), None, "chosen ends of collective operations", 12.5),
}


def check_mount(xtf, folder, trace, sentence):
    """Checks the messages of mounting and the log."""
    point = folder / "point"
    point.mkdir(exist_ok=True)
    for options in ([], ["-q"]):
        done = xtf.run("mount", *options, trace, point)
        log = (point / "log").read_text() if done.status == 0 else ""
        xtf.run("unmount", point)
        check(done.status == 0, f"{trace}: {done}")
        printed = [line for line in done.errors.decode().splitlines() if "clocks" in line]
        check(printed == ([f"xtf: {sentence}"] if sentence and not options else []), f"{trace} {options}: {printed}, expected {sentence}")
        check(bool(sentence) == ("xtf align" in log), f"{trace} {options}: the log says\n{log}")


def check_align(xtf, folder, archive, trace):
    """Checks that `mount --align` aligns an archive's import, or a file, once, and that it refuses a merged file with advice."""
    cache, merged = folder / "cache", folder / "merged.xtf"
    cache.mkdir(mode=0o700, exist_ok=True)
    kept = []
    for source in (archive, archive, trace, trace):
        options = ["-o", f"cachedir={cache}"] if source is archive else []
        done = xtf.run("mount", "--align", "--analyze", *options, source, folder / "point")
        info = (folder / "point/definitions/clock_alignments").read_text() if done.status == 0 else ""
        waits = (folder / "point/waits/count").is_file()
        xtf.run("unmount", folder / "point")
        check(done.status == 0 and "clocks" not in done.errors.decode(), f"{source}: {done}")
        check("xtf align" in info and waits, f"{source}: {info}")
        kept.append((next(cache.glob("*.xtf")) if source is archive else trace).read_bytes())
    check(kept[0] == kept[1] and kept[2] == kept[3], f"{archive}: aligned again")
    check(clock_sentence(xtf, trace) is None, f"{trace}: {clock_sentence(xtf, trace)}")
    xtf.expect("align", "--undo", trace)
    check(clock_sentence(xtf, trace), f"{trace}: undone, info has no sentence on clocks")
    xtf.expect("merge", "-q", "-o", merged, trace)
    done = xtf.run("mount", "--align", merged, folder / "point")
    check(done.status == 1 and "xtf align -o FILE" in done.errors.decode(), f"{merged}: {done}")


def check_members(xtf, trace, sentence):
    """Checks that the last member of an operation is shown as certain only if the clocks are trusted."""
    state = xtf.expect("cat", trace, "frames/1fps/0/state.svg").decode()
    check(("The clocks disagree (xtf align corrects them)" in state) == bool(sentence), f"{trace}: state.svg, but {sentence}")
    tips = re.findall("was the last to begin(.*?)</title>", xtf.expect("cat", trace, "time/0-0.000003/timeline.svg").decode())
    check(tips and all(tip == ("; uncertain: the clocks disagree" if sentence else "") for tip in tips), f"{trace}: {tips}, but {sentence}")
    lines = xtf.expect("cat", trace, "proc/0/collectives/num/1/members").decode().splitlines()[1:]
    states = {line.split()[-1] for line in lines}
    check(len(lines) == 2 and states == {"uncertain" if sentence else "certain"}, f"{trace}: {states}, but {sentence}")


def main():
    xtf, otf2_script = Xtf(sys.argv[1]), sys.argv[2]
    with temporary_folder() as name:
        folder = pathlib.Path(name)

        def imported(number, script):
            archive, trace = folder / str(number), folder / f"{number}.xtf"
            archive.mkdir()
            subprocess.run([otf2_script, archive, "made-up"], input=script.encode(), check=True, capture_output=True)
            xtf.import_archive(archive / "made-up.otf2", trace)
            return trace

        for number, (case, (script, pattern)) in enumerate(CASES.items()):
            trace = imported(number, script)
            sentence = clock_sentence(xtf, trace)
            check(re.match(pattern, sentence or "") if pattern else sentence is None, f"{case}: {sentence}, expected {pattern}")
            if number < 2 and os.path.exists("/dev/fuse"):
                check_mount(xtf, folder, trace, sentence)
            if case in ("good clocks", "nothing to judge by") and os.path.exists("/dev/fuse"):
                before = trace.read_bytes()
                done = xtf.run("mount", "--align", trace, folder / "point")
                xtf.run("unmount", folder / "point")
                printed = b"is not aligned: there is nothing to align" in done.errors
                check(done.status == 0 and printed == (case != "good clocks") and trace.read_bytes() == before, f"{trace}: {done}")
            if number == 1 and os.path.exists("/dev/fuse"):
                shutil.copy(trace, folder / "mounted.xtf")
                check_align(xtf, folder, folder / str(number) / "made-up.otf2", folder / "mounted.xtf")
            if "clock" in case:
                check_members(xtf, trace, sentence)
            if pattern:
                xtf.expect("align", "-q", trace)
                check(clock_sentence(xtf, trace) is None, f"{case}: aligned, {clock_sentence(xtf, trace)}")
            if pattern and "clock" in case:
                check_members(xtf, trace, None)
        for number, (case, (script, n, samples, share)) in enumerate(MANY.items(), len(CASES)):
            sentence = clock_sentence(xtf, imported(number, script))
            found = re.match(rf"(\d+) of (\d+) {samples} ", sentence or "")
            check(found and int(found[2]) == (n or int(found[2])) and int(found[2]) <= 16384 + 2, f"{case}: {sentence}")
            check(abs(100 * int(found[1]) / int(found[2]) - share) < share / 10, f"{case}: {sentence}, expected {share} %")
    return 0


if __name__ == "__main__":
    run_test(main)
