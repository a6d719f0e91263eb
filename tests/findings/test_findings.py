#!/usr/bin/env python3
"""findings, in many selections of many traces with and without analysis. The file must have the same
sentences, one by one, as naive rules over the tables: no number is wrong, and no rule is silent.

usage: test_findings.py XTF ASK-TREE GENERATE OTF2-SCRIPT ARCHIVE...
"""

import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import naive_clocks
from asking import Asker, Refused
from naive_findings import Tables, expected_findings
from shown import FINDING_AT, findings_of
from xtfrun import Xtf, check, shared_traces, some_of, temporary_folder, tests_all

LINES, COLUMNS, TICKS = 12, 100, 1000000000
LONG = 10**6  # bytes of a script, of which only two selections are judged by default
REGIONS = ["main", "solve", "update_of_a_halo_whose_name_is_longer_than_a_sentence_likes", "name with\nbreaks and \x1b[31mred", "two  blanks (int, int)",
           "MPI_Testany", "MPI_Wait", "MPI_Barrier", "MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Init", "MPI_Finalize", "MPI_File_write_at", "MPI_Alltoallv",
           "omp_set_lock", "EZTrace finalize", "\u6e29\u5ea6\u306e\u8a08\u7b97", ""]
SEND, RECV = REGIONS.index("MPI_Send"), REGIONS.index("MPI_Recv")
PATHS = ["", "time/40%-60%", "time/10%-90%/proc/0-1", "proc/0", "proc/-1", "calls", "sends", "time/50%-", "class/mpi", "region/main/time/0-50%",
         "num/0-50", "at/50%", "time/0-0.000000001", "time/30%-30.1%"]


def read_findings(asker, path):
    """Reads the findings of the file: [score, rule, sentence, table]."""
    text = asker.ask(f"cat {path}/findings".replace("cat /", "cat "))
    check(text == asker.ask(f"cat {path}/findings".replace("cat /", "cat ")), f"{path}: two readings differ")
    lines = text.decode().split("\n")
    if len(lines) > 1 and not lines[-2].strip():
        del lines[-2]  # a mount states the size of a large selection's file before it makes the text, and fills it with blanks
    check(lines.pop() == "" and len(lines) <= 2 + 5 * LINES, f"{path}: {len(lines)} lines")
    check(lines[0].startswith("# score% rule ") and lines[1].startswith("# score%: "), f"{path}: no header")
    check(not any(ord(letter) < 32 or ord(letter) == 127 for line in lines for letter in line), f"{path}: control characters")
    check(all(len(line) <= COLUMNS and line == line.rstrip() for line in lines), f"{path}: a line is too long, or ends in blanks")
    return findings_of(text.decode())


UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "bytes": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "million": 1e6}


def taken_apart(sentence):
    """Returns a sentence without its numbers, and the numbers in one unit, each with the value of one in its last digit."""
    numbers = []

    def take(match):
        factor = UNITS.get(match[2], 1)
        numbers.append((float(match[1]) * factor, 10.0 ** -len(match[1].partition(".")[2]) * factor))
        return "#"

    return re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)(?: (s|ms|us|ns|bytes|KB|MB|GB|TB|million)\b)?", take, sentence), numbers


def sentences_agree(shown, wanted):
    """True if two sentences agree. Results computed from rounded numbers of a table may differ in the third digit."""
    (words, numbers), (other_words, other_numbers) = taken_apart(" ".join(shown.split())), taken_apart(" ".join(wanted.split()))
    return words == other_words and all(abs(a - b) <= max(0.011 * min(a, b), 1e-9) if step else a == b
                                        for (a, step), (b, _) in zip(numbers, other_numbers))


def compare_findings(path, shown_findings, expected):
    check(len(shown_findings) == min(len(expected), LINES), f"{path}: {len(shown_findings)} findings:\n{shown_findings}\nexpected {len(expected)}:\n{expected}")
    for (score, rule, shown, table), finding in zip(shown_findings, expected):
        check(rule == finding.rule, f"{path}: {score} {rule}: {shown}\nexpected {finding}")
        check(table == finding.table, f"{path}: {shown}: {table}, expected {finding.table}")
        if shown.endswith("\u2026"):
            check(len(shown) > 2 * (COLUMNS - FINDING_AT) and finding.sentence.split()[:5] == shown.split()[:5], f"{path}: cut: {shown}")
        else:
            check(sentences_agree(shown, finding.sentence), f"{path}:\n{shown}\nexpected\n{finding.sentence}")
        check(abs(float(score) - min(float(finding.score), 100)) < 0.0101, f"{path}: {shown}: score {score}, expected {finding.score}")


def check_trace(xtf, ask_tree, trace, seen, paths=PATHS):
    asker = Asker(xtf, ask_tree, trace)
    check("findings" in asker.ask("ls ").decode().split(), "the root does not list findings")
    check("findings" in asker.ask("ls time/40%-60%").decode().split(), "windows do not list findings")
    check("findings" not in asker.ask("ls proc/0").decode().split(), "processes list findings")
    contradictions = naive_clocks.contradictions(asker)
    for path in paths:
        try:
            tables = Tables(asker, path, contradictions)
        except Refused:
            continue
        shown_findings = read_findings(asker, path)
        compare_findings(f"{trace} {path}", shown_findings, expected_findings(tables))
        seen.update(rule for _, rule, *_ in shown_findings)
        seen.update(f"{rule} with a place" for _, rule, sentence, _ in shown_findings if re.search(r"\(.*:\d+\)", sentence))


# ---- Made-up programs.

def calls(dice, weights, begin, end):
    """Yields consecutive calls that fill a time: (begin, end, region)."""
    names, chances = zip(*weights.items())
    while begin < end:
        until = min(begin + dice.randint(1, max((end - begin) // 3, 1)), end)
        yield begin, until, REGIONS.index(dice.choices(names, chances)[0])
        begin = until


def random_program(seed):
    """Writes a script of processes with several parts. Each part has favourite regions; some processes are late, slow or different."""
    dice = random.Random(seed)
    n, length = dice.choice((1, 2, 3, 4, 9)), dice.choice((50, 5000, 10**8))
    favourites = [{name: dice.random() ** 4 for name in REGIONS[1:]} for _ in range(dice.randint(1, 4))]
    cuts = [0, *sorted(dice.randint(0, length) for _ in favourites[1:]), length]
    lines, comm = [], 0
    for proc in range(n):
        first = dice.choice((0, 0, length // 10)) if proc else 0
        if dice.random() < 0.2: # a call that began before the trace
            lines.append((proc, first, "E 1"))
            first += length // 5
            lines += [(proc, first - length // 5 + 1, "L 1"), (proc, first, f"L {dice.randrange(1, len(REGIONS))}")]
        lines.append((proc, first, "E 0"))
        own_weights = {name: dice.random() ** 4 for name in REGIONS[1:]} if dice.random() < 0.2 else None
        at = first
        for weights, end in zip(favourites, cuts[1:]):
            for begin, until, region in calls(dice, own_weights or weights, max(at, first), max(end, first)):
                lines.append((proc, begin, f"E {region}"))
                if region == SEND:
                    lines.append((proc, begin, f"S {dice.randrange(n)} {comm} 0 {dice.choice((1, 1000))}"))
                if region == RECV:
                    lines.append((proc, until, f"R {dice.randrange(n)} {comm} 0 8"))
                lines.append((proc, until, f"L {region}"))
            at = max(end, first)
        if dice.random() < 0.8:
            lines.append((proc, at + dice.randint(0, length // 50), "L 0"))
    text = [f"{proc} {time} {event}" for proc, time, event in lines]
    text += [f"clock {TICKS} 0 {2 * length + 10}", f"processes {n}"]
    text += [f"location {proc} {proc} thread" for proc in range(n)]
    text += [f"region {i} {name}".replace("\n", "\x0b") for i, name in enumerate(REGIONS)]
    return "\n".join(text + [f"world {comm} {' '.join(map(str, range(n)))}"]) + "\n"


# File and line of each region of the program of late_program(), as a recorder may have them.
PLACES = {"main": ("/home/somebody/main.c", 3), "step": ("step.c", 17), "react": (f"/a/r\x1b[31m{'s' * 60}.c", 41), "exchange": ("", 5),
          "exchange_with_all_neighbours_in_each_direction_of_the_grid": ("src/../exchange.c", 4294967294), "MPI_Send": ("MPI", 12), "MPI_Recv": ("MPI", 13),
          "!$omp for @step.c:20": ("step.c", 20)}
SENTENCES = {"late": r"by main/step/react (r\x1b[31ms", "in turn": "MPI_Recv (exchange_with_all_ne\u2026rection_of_the_grid at exchange.c:4294967294)",
             "at the end": "critical path is on it, in step (step.c:17)"}


def late_program(case, placed):
    """Writes steps in which processes wait for a message of a process that takes longer: always the same one, or each in turn. This process
    may work alone at the end."""
    names = list(PLACES)
    main, step, react, exchange, neighbours, send, recv, loop = range(len(names))
    n, steps, records = 4, 12, []
    for proc in range(n):
        records.append((proc, 0, f"E {main}"))
        for begin in range(100, 100 + 1000 * steps, 1000):
            slow = begin // 1000 % n if case == "in turn" else 2
            until = begin + (600 if proc == slow else 100)
            records += [(proc, begin, f"E {step}"), (proc, begin + 10, f"E {react}"), (proc, until, f"L {react}"), (proc, until + 1, f"E {loop}"),
                        (proc, until + 30, f"L {loop}"), (proc, until + 31, f"E {exchange}"), (proc, until + 32, f"E {neighbours}")]
            for i, receiver in enumerate(receiver for receiver in range(n) if receiver != slow):
                at = begin + 640 + 10 * i
                if proc == slow:
                    records += [(proc, at, f"E {send}"), (proc, at, f"S {receiver} 0 0 8"), (proc, at + 5, f"L {send}")]
                elif proc == receiver:
                    records += [(proc, until + 40, f"E {recv}"), (proc, at + 7, f"R {slow} 0 0 8"), (proc, at + 7, f"L {recv}")]
            records += [(proc, begin + 700, f"L {neighbours}"), (proc, begin + 701, f"L {exchange}"), (proc, begin + 800, f"L {step}")]
        at = 100 + 1000 * steps
        if case == "at the end" and proc == 2:
            records += [(proc, at, f"E {step}"), (proc, 2 * at, f"L {step}")]
            at *= 2
        records.append((proc, at, f"L {main}"))
    text = [f"{proc} {time} {event}" for proc, time, event in records]
    text += [f"clock {TICKS} 0 {200 + 2000 * steps}", f"processes {n}", *(f"location {proc} {proc} thread" for proc in range(n))]
    text += [f"placed {i} {line} {file}\t{name}" if placed else f"region {i} {name}" for i, (name, (file, line)) in enumerate(PLACES.items())]
    return "\n".join([*text, f"world 0 {' '.join(map(str, range(n)))}"]) + "\n"


def check_places(xtf, ask_tree, otf2_script, folder, seen):
    """Checks that findings name the program's regions with file and line if the trace has them."""
    for case, words in SENTENCES.items():
        for placed in True, False:
            archive, trace = folder / f"{case}-{placed}", folder / f"{case}-{placed}.xtf"
            archive.mkdir()
            subprocess.run([otf2_script, archive, "made-up"], input=late_program(case, placed).encode(), check=True, capture_output=True)
            xtf.import_archive(archive / "made-up.otf2", trace)
            xtf.expect("analyze", "-q", trace)
            check_trace(xtf, ask_tree, trace, seen)
            sentences = {rule: sentence for _, rule, sentence, _ in read_findings(Asker(xtf, ask_tree, trace), "")}
            check(any(words in sentence for sentence in sentences.values()) == placed, f"{case}, {placed}: {sentences}")


def few_records(records):
    """Writes a trace of one process with these records."""
    return "\n".join([*records, f"clock {TICKS} 0 100", "processes 1", "location 0 0 thread", "region 0 main", "region 1 MPI_Send", "world 0 0"]) + "\n"


def short_calls(n):
    """Writes very many short calls of one region and a few of another."""
    records = [f"0 {30 * i + 10 * j} {event}" for i in range(n) for j, event in enumerate(("E 1", "L 1"))]
    return "\n".join([*records, f"0 {30 * n} E 0", f"0 {40 * n} L 0", f"clock {TICKS} 0 {50 * n}", "processes 1", "location 0 0 thread", "region 0 main",
                      "region 1 MPI_Testany", "world 0 0"]) + "\n"


SMALL = [[], ["0 5 E 0"], ["0 5 L 0"], ["0 5 E 1", "0 5 S 0 0 0 8", "0 5 L 1"], ["0 1 S 0 0 0 8", "0 99 R 0 0 0 8"], ["0 1 E 0", "0 2 L 0"]]


def check_without_mpi(xtf, ask_tree, otf2_script, folder, seen):
    """Checks threads of two processes that never communicate, and a stream that is hardly used: no finding is about communication."""
    records = ["0 0 E 0", "0 100 L 0", "1 0 E 0", "1 20 L 0", "2 0 E 1", "2 1 L 1", "2 100 E 1", "2 101 L 1"]
    script = [*records, f"clock {TICKS} 0 102", "processes 2", "location 0 0 thread", "location 1 1 thread", "stream 2 0 stream", "region 0 main",
              "region 1 kernel", "world 0 0 1"]
    archive = folder / "without"
    archive.mkdir()
    subprocess.run([otf2_script, archive, "made-up"], input="\n".join(script).encode() + b"\n", check=True, capture_output=True)
    xtf.import_archive(archive / "made-up.otf2", folder / "without.xtf")
    check_trace(xtf, ask_tree, folder / "without.xtf", seen)
    asker = Asker(xtf, ask_tree, folder / "without.xtf")
    findings, page = (asker.ask(f"cat {name}").decode() for name in ("findings", "index.html"))
    top = xtf.expect("top", "--once", "--columns=160", folder / "without.xtf").decode()
    efficiency = asker.ask("cat efficiency").decode()
    check(re.search("load_balance +0.6000", efficiency), efficiency)  # of 100 and 20 ticks, without the stream
    check(not any("communication" in text.lower() for text in (findings, page, top, efficiency)), f"a text names communication:\n{findings}\n{top}")
    check("program 100.0%" in top and "<dd>100.00 %</dd>" in page and "of the devices' time busy" in page, f"a figure includes the stream:\n{top}")


def check_mismatch(xtf, ask_tree, otf2_script, folder, seen):
    """Checks two communicators. In one of them a process calls an operation more often, less often, in place of another one, or as often as
    the others."""
    dice = random.Random(os.environ.get("XTF_FINDINGS_SEED"))
    for case in "more", "less", "instead", "equal", "two":
        n, one, calls = dice.randint(2, 6), 0, dice.randint(2, 9)
        one = dice.randrange(n)
        records = []
        for proc in range(n):
            barrier, all_to_all = ("mpi_barrier_" if proc % 2 else "MPI_Barrier", 0, 1), ("MPI_Allreduce", 8, 0)
            done = [barrier] + [all_to_all] * calls
            if proc == one or (case == "two" and proc == (one + 1) % n):
                done = {"more": [*done, all_to_all], "two": [*done, all_to_all], "less": done[:-1], "instead": [*done[:-1], ("MPI_Bcast", 1, 0)]}.get(case, done)
            records.append(f"{proc} 0 E 0")
            for i, (name, operation, comm) in enumerate(done):
                region = ["MPI_Allreduce", "MPI_Barrier", "mpi_barrier_", "MPI_Bcast"].index(name) + 1
                records += [f"{proc} {10 * i + 1} E {region}", f"{proc} {10 * i + 1} B", f"{proc} {10 * i + 9} D {operation} {comm} 0 8 8", f"{proc} {10 * i + 9} L {region}"]
            records.append(f"{proc} 200 L 0")
        every = " ".join(map(str, range(n)))
        script = [*records, f"clock {TICKS} 0 202", f"processes {n}", *(f"location {proc} {proc} thread" for proc in range(n)),
                  *(f"region {i} {name}" for i, name in enumerate(("main", "MPI_Allreduce", "MPI_Barrier", "mpi_barrier_", "MPI_Bcast"))),
                  f"world 0 {every}", f"world 1 {every}"]
        archive, trace = folder / f"mismatch-{case}", folder / f"mismatch-{case}.xtf"
        archive.mkdir()
        subprocess.run([otf2_script, archive, "made-up"], input="\n".join(script).encode() + b"\n", check=True, capture_output=True)
        xtf.import_archive(archive / "made-up.otf2", trace)
        check_trace(xtf, ask_tree, trace, seen)
        sentences = [sentence for _, rule, sentence, _ in read_findings(Asker(xtf, ask_tree, trace), "") if rule == "mismatch"]
        expected = 0 if case == "equal" or (case == "two" and n != 3) else 1
        check(len(sentences) == expected, f"{case}, process {one} of {n}: {sentences}")
        if case in ("more", "less", "instead") and n > 2:
            check(sentences[0].startswith(f"process {one} seems to call MPI_"), f"{case}, process {one} of {n}: {sentences}")


def check_with_a_device(xtf, ask_tree, otf2_script, folder, seen):
    """Checks that two threads are in MPI for 75 of their 200 ticks, with streams that last longer and do not change that share."""
    records = ["0 0 E 0", "0 60 E 1", "0 60 S 1 0 0 8", "0 90 L 1", "0 100 L 0", "1 0 E 0", "1 50 E 2", "1 95 R 0 0 0 8", "1 95 L 2", "1 100 L 0",
               "2 0 E 3", "2 300 L 3", "3 0 E 3", "3 300 L 3"]
    script = [*records, f"clock {TICKS} 0 302", "processes 2", "location 0 0 thread", "location 1 1 thread", "stream 2 0 stream", "stream 3 1 stream",
              "region 0 main", "region 1 MPI_Send", "region 2 MPI_Recv", "region 3 kernel", "world 0 0 1"]
    archive, trace = folder / "device", folder / "device.xtf"
    archive.mkdir()
    subprocess.run([otf2_script, archive, "made-up"], input="\n".join(script).encode() + b"\n", check=True, capture_output=True)
    xtf.import_archive(archive / "made-up.otf2", trace)
    check_trace(xtf, ask_tree, trace, seen)
    findings = " ".join(Asker(xtf, ask_tree, trace).ask("cat findings").decode().split())
    check("37.5 % of the threads' time is communication, most of it in MPI_Recv: 45 ns in 1 calls" in findings, findings)
    xtf.expect("analyze", "-q", trace)
    check_trace(xtf, ask_tree, trace, seen)
    scores = {rule: score for score, rule, *_ in read_findings(Asker(xtf, ask_tree, trace), "proc/1")}
    check(float(scores["waits"]) == 10, f"a thread waits 10 of its 100 ticks: {scores}")


def check_scripts(xtf, ask_tree, otf2_script, folder, seen):
    seeds = int(os.environ.get("XTF_FINDINGS_SEEDS", 12 if tests_all() else 8))
    for i, script in enumerate([*map(few_records, SMALL), short_calls(1000000), *map(random_program, range(seeds))]):
        archive = folder / f"script-{i}"
        archive.mkdir()
        subprocess.run([otf2_script, archive, "made-up"], input=script.encode(), check=True, capture_output=True)
        xtf.import_archive(archive / "made-up.otf2", folder / f"script-{i}.xtf")
        is_long = len(script) > LONG and not tests_all()
        check_trace(xtf, ask_tree, folder / f"script-{i}.xtf", seen, PATHS[:2] if is_long else PATHS)


def main():
    xtf, ask_tree, generate, otf2_script, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    shared = shared_traces()
    archives += sorted(shared.glob("*/*.otf2")) if shared else []
    seen = collections.Counter()
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        check_scripts(xtf, ask_tree, otf2_script, folder, seen)
        check_without_mpi(xtf, ask_tree, otf2_script, folder, seen)
        check_places(xtf, ask_tree, otf2_script, folder, seen)
        check_with_a_device(xtf, ask_tree, otf2_script, folder, seen)
        check_mismatch(xtf, ask_tree, otf2_script, folder, seen)
        for i, archive in enumerate(some_of(archives, 4)):
            trace, analysed, aligned = (folder / f"{name}{i}.xtf" for name in ("", "analysed-", "aligned-"))
            xtf.import_archive(archive, trace)
            clocks = seen["clocks"]
            check_trace(xtf, ask_tree, trace, seen)
            shutil.copy(trace, analysed)
            if xtf.run("analyze", analysed).status == 0:
                check_trace(xtf, ask_tree, analysed, seen)
            if seen["clocks"] > clocks and xtf.run("align", "-q", "-o", aligned, trace).status == 0:
                xtf.expect("analyze", "-q", aligned)
                before = seen["clocks"]
                check_trace(xtf, ask_tree, aligned, seen)
                check(seen["clocks"] == before, f"{archive}: clocks contradict each other after xtf align")
        for locations, records in some_of([(65, 20000), (1100, 40000)], 1):
            made = folder / f"many-{locations}.xtf"
            subprocess.run([generate, "-n", str(records), "-l", str(locations), made], check=True, capture_output=True)
            check_trace(xtf, ask_tree, made, seen)
            made.unlink()
    rules = "mismatch waiting communication starting openmp files measurement before recording imbalance concentration iteration phases ends bytes unmatched not_left unjudged kinds efficiency"
    if archives:
        rules += " clocks waits culprit path"
    wanted = rules.split() + [f"{rule} with a place" for rule in ("culprit", "imbalance", "kinds", "waits")]
    check(all(seen[rule] for rule in wanted), f"rules without any finding: {[rule for rule in wanted if not seen[rule]]}")
    print(", ".join(f"{n} {rule}" for rule, n in sorted(seen.items())))


if __name__ == "__main__":
    main()
