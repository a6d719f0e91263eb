#!/usr/bin/env python3
"""Compares XTF with SQLite, LMDB, DuckDB, Parquet and OTF2, on the same trace: one table.

usage: peers.py [--build DIR] [--dir DIR] [--windows N] [--libduckdb FILE] ARCHIVE.otf2

Each peer has the trace's calls and sent messages with all their fields, and answers the same questions. The answers are compared.
run.sh installs the peers. ask.h describes the questions, and the data and the plan of each peer. XTF and SQLite have XTF's
default cache.
A warm question was asked four times before. Its figure is its elapsed time, or, beyond a millisecond, its processor time if that
is less.
"""

import argparse
import collections
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common  # noqa: E402

TITLES = {"xtf": "XTF", "sqlite": "SQLite", "lmdb": "LMDB", "duckdb": "DuckDB", "parquet": "Parquet, zstd",
          "otf2": "OTF2"}
KINDS = {"rows": "count of records", "calls": "calls by region", "bytes": "bytes sent"}
BUILT = ("sqlite", "lmdb", "duckdb", "parquet")


class Table:
    def __init__(self, peers):
        self.peers = peers
        print("| figure | " + " | ".join(TITLES[peer] for peer in peers) + " |")
        print("|---|" + "---|" * len(peers), flush=True)

    def row(self, figure, cells):
        print(f"| {figure} | " + " | ".join(cells.get(peer, "") for peer in self.peers) + " |", flush=True)


def output(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE,
                          **options).stdout


def size_of(path):
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


class Peers:
    """The places where the peers keep the trace."""

    def __init__(self, arguments, folder):
        self.ask = arguments.build / "tests/bench/ask"
        self.folder = folder
        self.trace = folder / "trace.xtf"
        self.archive = arguments.archive
        self.names = ["xtf"]

    def source(self, name):
        return {"xtf": self.trace, "otf2": self.archive}.get(name, self.folder)

    def limit_cache(self):
        """Sets SQLite's cache to XTF's default size, and returns it in MiB."""
        os.environ["ASK_CACHE"] = output(self.ask, "cache", self.trace).strip()
        return int(os.environ["ASK_CACHE"]) >> 20

    def stored_path(self, name):
        return {"xtf": self.trace, "otf2": self.archive.parent}.get(
            name, self.folder / ("parquet" if name == "parquet" else f"peer.{name}"))

    def size(self, name):
        return size_of(self.stored_path(name))

    def answers(self, name, state, questions):
        """Returns (answer, seconds) of each question, in order."""
        lines = output(self.ask, state, name, self.source(name), input="\n".join(questions) + "\n").splitlines()
        return [(int(answer), float(seconds)) for _, _, answer, seconds in map(str.split, lines)]


def build_peer(peers, name, threads):
    """Builds a peer on `threads` cores. Returns seconds, seconds of processor time, and rows; None if it cannot be built."""
    stored = peers.stored_path(name)
    if stored.is_dir():
        shutil.rmtree(stored)
    elif name in BUILT:
        stored.unlink(missing_ok=True)
    environment = dict(os.environ, ASK_THREADS=str(threads))
    cores = sorted(os.sched_getaffinity(0))[:threads]
    run = subprocess.run([str(word) for word in (peers.ask, "build", name, peers.folder, peers.trace)], text=True,
                         capture_output=True, env=environment, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if run.returncode != 0:
        print(f"peers: {TITLES[name]} is left out: {run.stderr.strip()}", file=sys.stderr)
        return None
    seconds, processor, rows = run.stdout.split()
    return float(seconds), float(processor), int(rows)


def rate(n, seconds):
    return f"{n / seconds / 1e6:.1f}"


def import_ours(arguments, peers, events):
    """Returns the rates of XTF and of OTF2's reader, which stores nothing: on one core by processor time, and on all cores by
    elapsed time."""
    command = [arguments.xtf, "import", "-qf", "-o", peers.trace]
    one, _ = common.median_run(3, [*command, "--jobs", 1, arguments.archive])
    run, _ = common.median_run(3, [*command, arguments.archive])
    drain, _ = common.median_run(3, [arguments.bench / "drain-otf2", arguments.archive])
    return ({"xtf": rate(events, one.cpu), "otf2": f"({rate(events, drain.cpu)}, only read)"},
            {"xtf": rate(events, run.seconds), "otf2": f"({rate(events, drain.seconds)}, only read, one core)"})


def import_all(arguments, peers, table):
    events = int(output(arguments.bench / "drain-otf2", arguments.archive))
    one, every = import_ours(arguments, peers, events)
    cache = peers.limit_cache()
    cores = len(os.sched_getaffinity(0))
    sizes = {"xtf": f"{peers.size('xtf') / events:.2f}", "otf2": f"{peers.size('otf2') / events:.2f}"}
    for name in BUILT:
        if name in ("duckdb", "parquet") and "LIBDUCKDB" not in os.environ:
            continue
        built = build_peer(peers, name, 1)
        if not built:
            continue
        seconds, processor, rows = built
        one[name] = rate(rows, processor) if name != "parquet" else "(from DuckDB)"
        every[name] = f"{rate(rows, seconds)} (one writer)" if name != "parquet" else "(from DuckDB)"
        if name == "duckdb":
            every[name] = rate(rows, build_peer(peers, name, cores)[0])
        sizes[name] = f"{peers.size(name) / rows:.2f}"
        peers.names.append(name)
    peers.names.append("otf2")
    table.row("import on one core, million records a second of processor", one)
    table.row(f"import, {cores} cores, million records a second", every)
    table.row("bytes a record", sizes)
    return cache


def compare_answers(peers, name, answers, expected, questions):
    for question, (answer, _), right in zip(questions, answers, expected):
        if answer != right:
            sys.exit(f"peers: {TITLES[name]} answers {answer} where XTF answers {right}: {question}")


def ask_all(arguments, peers, table, cache):
    """Prints medians by share of the trace and kind of question. Compares every answer with XTF's."""
    questions = output(peers.ask, "questions", peers.trace, arguments.windows).splitlines()
    few = [question for i, question in enumerate(questions) if i // len(KINDS) % arguments.windows < 5]
    for state, asked in ("warm", questions), ("cold", few):
        expected = None
        cells = collections.defaultdict(dict)
        title_of_cache = f", a cache of {cache} MiB" if state == "warm" else ""
        for name in peers.names:
            questions_of_peer = few if name == "otf2" else asked
            answers = peers.answers(name, state, questions_of_peer)
            if expected is None:
                expected = dict(zip(asked, (answer for answer, _ in answers)))
            compare_answers(peers, name, answers, [expected[question] for question in questions_of_peer], questions_of_peer)
            times = collections.defaultdict(list)
            for question, (_, seconds) in zip(questions_of_peer, answers):
                times[tuple(question.split()[:2])].append(seconds)
            for key, values in times.items():
                cells[key][name] = common.duration(statistics.median(values))
        for kind, title in KINDS.items():
            for share in sorted({key[0] for key in cells}, key=float):
                table.row(f"{title} in {float(share) * 100:g}% of the time, {state}{title_of_cache}", cells[share, kind])


def text_of_all(arguments, peers, table, mount):
    """Measures the text of the records, to /dev/null: XTF's and OTF2's of all types, the others' of the calls, which are nearly
    all records."""
    cells = {}
    records = mount / "records"
    lines = int(output("wc", "-l", records).split()[0])
    run, _ = common.median_run(3, [arguments.xtf, "cat", peers.trace, "records"])
    cells["xtf"] = f"{lines / run.seconds / 1e6:.1f} (all cores, in the order of time)"
    for name in "duckdb", "parquet":
        if name in peers.names:
            runs = [output(peers.ask, "text", name, peers.source(name)).split() for _ in range(3)]
            rows, seconds = int(runs[0][0]), statistics.median(float(run[1]) for run in runs)
            cells[name] = f"{rows / seconds / 1e6:.1f} (all cores, CSV)"
    if shutil.which("otf2-print"):
        cells["otf2"] = f"{lines / common.Run(['otf2-print', peers.archive]).seconds / 1e6:.1f} (one core)"
    if "sqlite" in peers.names and shutil.which("sqlite3"):
        rows = int(output("sqlite3", peers.folder / "peer.sqlite", "SELECT count(*) FROM calls"))
        run = common.Run(["sqlite3", peers.folder / "peer.sqlite", "SELECT * FROM calls"])
        cells["sqlite"] = f"{rows / run.seconds / 1e6:.1f} (one core)"
    table.row("all records as text, million lines a second", cells)


def shell_question(arguments, peers, table, mount):
    """Measures one count as a whole process."""
    share, _, index, location, begin, end = next(
        line.split() for line in output(peers.ask, "questions", peers.trace, 5).splitlines() if line.startswith("0.01"))
    info = dict(line.split()[:2] for line in output(arguments.xtf, "cat", peers.trace, "info").splitlines()[1:])
    duration = float(info["duration"])
    windows = [f"{duration * i / 100:.6f}-{duration * (i + 1) / 100:.6f}" for i in range(60)]
    cells = {}
    times = [common.Run(["cat", mount / f"proc/{index}/time/{window}/enters_leaves/count"]).seconds
             for window in windows]
    run, _ = common.median_run(7, [peers.ask, "once", "xtf", peers.trace, "rows", index, location, begin, end])
    cells["xtf"] = (f"{common.duration(run.seconds)}; {common.duration(statistics.median(times))} "
                    "(cat of a mount that is there, new windows)")
    for name in peers.names:
        if name in ("xtf", "otf2"):
            continue
        run, _ = common.median_run(7, [peers.ask, "once", name, peers.source(name), "rows", index, location, begin, end])
        cells[name] = common.duration(run.seconds)
    if "sqlite" in peers.names and shutil.which("sqlite3"):
        ordinal = f"SELECT n FROM calls WHERE location = {index} AND time >= %s ORDER BY time, seq LIMIT 1"
        sql = f"SELECT ({ordinal % end}) - ({ordinal % begin})"
        run, _ = common.median_run(7, ["sqlite3", peers.folder / "peer.sqlite", sql])
        cells["sqlite"] = f"{common.duration(run.seconds)} (sqlite3)"
    if shutil.which("otf2-print"):
        run, _ = common.median_run(3, ["sh", "-c", f"otf2-print -L {location} {peers.archive} | grep -c ."])
        cells["otf2"] = f"{common.duration(run.seconds)} (otf2-print)"
    table.row("a count in 1%, from the shell, whole process", cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.environ.get("BUILD", common.HERE.parents[1] / "build"), type=pathlib.Path)
    parser.add_argument("--dir", help="folder for the files (default: TMPDIR, or /var/tmp): some 5 GB")
    parser.add_argument("--windows", type=int, default=20, help="questions of each kind and width")
    parser.add_argument("--libduckdb", help="DuckDB's library; without it DuckDB and Parquet are left out")
    parser.add_argument("archive", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.xtf = arguments.build / "src/cli/xtf"
    arguments.bench = arguments.build / "tests/bench"
    if arguments.libduckdb:
        os.environ["LIBDUCKDB"] = arguments.libduckdb
    common.make_warm(arguments.archive.parent)
    with common.folder(arguments.dir) as folder:
        peers = Peers(arguments, folder)
        table = Table([name for name in TITLES])
        cache = import_all(arguments, peers, table)
        ask_all(arguments, peers, table, cache)
        with common.mounted(arguments.xtf, peers.trace, folder / "mount"):
            text_of_all(arguments, peers, table, folder / "mount")
            shell_question(arguments, peers, table, folder / "mount")


if __name__ == "__main__":
    main()
