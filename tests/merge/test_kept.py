#!/usr/bin/env python3
"""Tests traces whose first volumes were removed (`xtf record --rotate --keep`). All tables show what the whole trace has from the
kept time on. Copies and analyses have that, too. The expected rows are lines of the whole trace's tables.

usage: test_kept.py XTF ASK_TREE KEEP_VOLUMES XTF_CHECK_PY TRACE...      a TRACE that is no .xtf file is imported first
"""
import collections
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
# pylint: disable=wrong-import-position
from asking import Asker, Refused
from xtfrun import Xtf, check, run_test, temporary_folder, without_name

XTF, ASK_TREE, KEEP, CHECKER, *TRACES = sys.argv[1:]
COMMAND = Xtf(XTF)
N_VOLUMES = 12
# They show the whole run, links to windows, or messages and operations that began earlier, or matches of messages, which are compared elsewhere.
PAGES = {"index.html", "timeline.html", "timeline.svg", "findings"}
OTHER = PAGES | {"README", "messages", "unmatched", "time", "zoom", "frames"}
LINK, NAMED = re.compile(rb'(href|src)="[^"]*"'), ".svg"


def lines_of(text):
    return [line for line in text.decode().splitlines() if not line.startswith("#")]


def time_of(word):
    """Returns a time in nanoseconds."""
    seconds, fraction = word.split(".")
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0"))


def ask(asker, question, trace):
    answer = asker.ask(question)
    return LINK.sub(b"", without_name(answer, trace)) if question.endswith(NAMED) else answer


def list_names(asker, path):
    """Returns the names in a directory; None: it is a file."""
    try:
        return set(asker.ask(f"ls {path}").decode("utf-8", "surrogateescape").splitlines())
    except Refused:
        return None


class Kept:
    """A trace and its copy without the first volumes."""

    def __init__(self, folder, trace, codec, keep):
        self.whole, self.kept = trace, folder / "kept.xtf"
        printed = subprocess.run([KEEP, trace, folder, "kept.xtf", str(N_VOLUMES), str(keep), codec], check=True, capture_output=True)
        check(int(printed.stdout.split()[1]) == N_VOLUMES - 1 - keep, printed)
        info = COMMAND.expect("info", self.kept).decode()
        self.first, self.last = (re.search(rf"^{end} record +(\S+)", info, re.M)[1] for end in ("first", "last"))
        self.from_time = time_of(self.first)
        seconds, fraction = divmod(time_of(self.last) + 1, 10**9)
        self.window = f"/time/{self.first}-{seconds}.{fraction:09}"
        self.folder = folder

    def cat(self, trace, path):
        return COMMAND.expect("cat", trace, path)

    def compare_trees(self):
        """Compares all tables with the window of the whole trace. Returns their number."""
        kept, whole = Asker(COMMAND, ASK_TREE, self.kept), Asker(COMMAND, ASK_TREE, self.whole)
        waiting, files = [""], 0
        while waiting:
            path = waiting.pop()
            names = list_names(kept, path or "/")
            if names is None:
                check(ask(kept, f"cat {path}", self.kept) == ask(whole, f"cat {self.window}{path}", self.whole), f"{path} differs")
                files += 1
                continue
            same = list_names(whole, self.window + path) - OTHER
            check(names - OTHER - {"definitions"} == same - {"definitions"}, f"{path}: {names} {same}")
            waiting += [f"{path}/{name}" for name in same]
            for name in names & PAGES:
                kept.ask(f"cat {path}/{name}")
        return files

    def check_remark(self):
        remark = f"kept.xtf begins at {self.first} s: earlier records were in volumes that were removed"
        check(remark in COMMAND.run("cat", self.kept, "count").errors.decode(), "no remark")

    # ---- Messages.

    def messages(self):
        """Returns the words of the lines of the whole trace's messages that were sent after the kept time."""
        lines = [line.split() for line in lines_of(self.cat(self.whole, "messages"))]
        return [words for words in lines if time_of(words[0]) >= self.from_time]

    def compare_messages(self, copy):
        shown = [line.split() for line in lines_of(self.cat(self.kept, "messages"))]
        copied = [line.split() for line in lines_of(self.cat(copy, "messages"))]
        expected = self.messages()
        check(len(shown) == len(copied) == len(expected), f"{len(shown)}, {len(copied)} messages, not {len(expected)}")
        early, begins = 0, {}
        for line in lines_of(self.cat(copy, "records")):
            begins.setdefault(line.split()[1], line.split())
        for words, seen, made in zip(expected, shown, copied):
            is_early = words[2] != "-" and time_of(words[2]) < self.from_time
            early += is_early
            if is_early:
                words[1:3], words[8:] = [words[1], self.first], words[8:]
                check(seen[1:3] == ["-", "-"] and seen[8] == "uncertain", f"{words}: {seen}")
            else:
                check(seen == words, f"{seen} is not {words}")
            first = begins.get(words[4])
            if is_early and first[0] == words[1] and first[4] == "MPI_IRECV" and (first[5], first[7]) == (words[3], words[6]):  # the receive is record 0: it cannot say that record 0 posted it
                words[8] = "uncertain"
            check(made[:9] == words[:9], f"{made} is not {words}")
        return len(expected), early

    # ---- Copies.

    def compare_records(self, copy):
        """Compares the records of the copy. They are numbered from 0 in each location."""
        counts, expected = collections.Counter(), []
        for line in lines_of(self.cat(self.whole, "records")):
            words = line.split(maxsplit=4)
            if time_of(words[0]) >= self.from_time:
                expected.append([*words[:3], str(counts[words[1], words[2]]), " ".join(words[4].split())])
                counts[words[1], words[2]] += 1
        got = [line.split(maxsplit=4) for line in lines_of(self.cat(copy, "records"))]
        check([[*words[:4], " ".join(words[4].split())] for words in got] == expected, "the copy has other records")
        check(len(got) > 500, f"only {len(got)} records")
        return len(got)

    def check_sound(self, copy):
        check(b": 0 problems" in COMMAND.expect("check", copy), f"{copy} has problems")
        checked = subprocess.run([sys.executable, CHECKER, copy], capture_output=True, text=True, check=False)
        check(checked.returncode == 0, checked.stdout + checked.stderr)
        check("removed" not in COMMAND.expect("info", copy).decode(), "the copy lacks volumes")

    # ---- Analyses.

    def waits(self, trace, path="waits/records"):
        lines = [line.split() for line in lines_of(self.cat(trace, path))]
        return {(words[0], words[1], words[2], words[4], words[6]) for words in lines}

    def in_flight(self, analysed):
        """Returns the time up to which messages and operations end that have begun before the kept time."""
        until = self.from_time
        for words in (line.split() for line in lines_of(self.cat(analysed, "messages"))):
            if words[1] != "-" and min(time_of(words[0]), time_of(words[2])) < self.from_time:
                until = max(until, time_of(words[1]))
        for words in (line.split() for line in lines_of(self.cat(analysed, "operations"))):
            times = [time_of(word) for word in words if re.fullmatch(r"\d+\.\d{9}", word)]
            if min(times[:2]) < self.from_time:
                until = max(until, *times[:2])
        return until

    def compare_waits(self, copy):
        analysed = self.folder / "whole.xtf"
        COMMAND.expect("copy", "-qf", self.whole, analysed)
        for trace in analysed, self.kept, copy:
            COMMAND.expect("analyze", "-q", trace)
        expected, kept, copied = self.waits(analysed, self.window.strip("/") + "/waits/records"), self.waits(self.kept), self.waits(copy)
        until = self.in_flight(analysed)
        check(kept <= expected and copied <= expected, f"waits that the run has not: {sorted((kept | copied) - expected)[:3]}")
        for lost in (expected - kept) | (expected - copied):
            check(time_of(lost[0]) <= until, f"{lost} is missing; messages and operations end by {until}")
        check(b": 0 problems" in COMMAND.expect("check", self.kept), f"{self.kept} has problems")
        return len(expected), len(kept)


def compare_aligned(trace):
    """Compares a kept trace whose clocks are corrected in place with an aligned copy. The kept time moves with the clocks."""
    with temporary_folder() as folder:
        kept = Kept(pathlib.Path(folder), trace, "plain", 9)
        aligned = kept.folder / "aligned.xtf"
        COMMAND.expect("align", "-q", "-o", aligned, kept.kept)
        COMMAND.expect("align", "-q", kept.kept)
        kept.check_sound(aligned)
        check(b": 0 problems" in COMMAND.expect("check", kept.kept), f"{kept.kept} has problems")
        begin = time_of(re.search(r"^first record +(\S+)", COMMAND.expect("info", kept.kept).decode(), re.M)[1])
        check(begin >= kept.from_time, f"records before {kept.first} are shown")
        shown, copied = (collections.Counter((*words[:3], *words[4:]) for words in map(str.split, lines_of(kept.cat(name, "records"))))
                         for name in (kept.kept, aligned))
        for words in [words for words in copied if time_of(words[0]) < begin]:
            del copied[words]
        check(len(shown) > 500 and shown == copied, f"{kept.kept} has other records than {aligned}")
        COMMAND.expect("analyze", "-q", kept.kept)
        print(f"{pathlib.Path(trace).name}, aligned: {sum(shown.values())} records")


# FORMAT W64, W66, R86
def compare_kept(trace, codec, keep):
    with temporary_folder() as folder:
        kept = Kept(pathlib.Path(folder), trace, codec, keep)
        kept.check_remark()
        files = kept.compare_trees()
        check(files > 300, f"only {files} files")
        copy = kept.folder / "copy.xtf"
        COMMAND.expect("copy", "-q", kept.kept, copy)
        kept.check_sound(copy)
        print(f"{pathlib.Path(trace).name}, {codec}, {keep} kept: {files} files, {kept.compare_records(copy)} records, "
              "%u messages (%u posted earlier), %u waits (%u kept)" % (*kept.compare_messages(copy), *kept.compare_waits(copy)))


def main():
    with temporary_folder() as folder:
        for trace in TRACES:
            if not trace.endswith(".xtf"):
                COMMAND.expect("import", "-qf", "-o", pathlib.Path(folder) / "trace.xtf", trace)
                trace = pathlib.Path(folder) / "trace.xtf"
            for keep in 1, 4:
                compare_kept(trace, "plain", keep)
            compare_kept(trace, "compact", 2)
            if b"the clocks disagree" in COMMAND.expect("info", trace):
                compare_aligned(trace)


run_test(main)
