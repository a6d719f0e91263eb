#!/usr/bin/env python3
"""Damages files in every way: no command may crash, hang, use huge memory, leave half a file, or silently give a wrong answer.

usage: damaged.py archives|traces XTF OTF2-ARCHIVES [ROUNDS [SEED]]

archives: imports copies of OTF2 archives with flipped bytes, truncated or missing files.
traces:   checks and queries copies of an imported trace.

OTF2-ARCHIVES is the program that writes the archives. A failure names its round; the same seed repeats the damage.
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys

from asking import Asker, Refused
from xtfrun import Failure, Xtf, temporary_folder, tests_all

ARCHIVES = ["all-events", "mapped-ids", "clock-offsets", "odd-calls", "contexts", "odd-contexts", "rank-high-ids"]
QUERIES = ["/count", "/info", "/records", "/enters_leaves/records", "/proc/0/records", "/time/20%-70%/count",
           "/proc/1/time/30%-50%/enters_leaves/count", "/histogram", "/definitions/regions", "/num/7/records",
           "/time/20%-70%/profile", "/proc/1/imbalance", "/time/30%-/stack", "/recvs/matrix", "/proc/0/bytes", "/values"]


def flip_bytes(data, rng):
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def randomize_bytes(data, rng):
    """Overwrites a run with equal or random bytes."""
    start = rng.randrange(len(data) or 1)
    length = rng.choice([4, 8, 100, 4096])
    fill = rng.choice([0, 255, None])
    for i in range(start, min(start + length, len(data))):
        data[i] = rng.randrange(256) if fill is None else fill


def cut_off(data, rng):
    del data[rng.randrange(len(data) or 1):]


def append_noise(data, rng):
    data += rng.randbytes(rng.choice([1, 100, 20000]))


def move_block(data, rng):
    """Copies a block over another one: the block is sound but at the wrong place."""
    size = rng.choice([64, 4096, 16384])
    if len(data) >= 2 * size:
        source, target = (rng.randrange(len(data) // size) * size for _ in range(2))
        data[target:target + size] = data[source:source + size]


DAMAGES = [flip_bytes, flip_bytes, randomize_bytes, cut_off, append_noise, move_block]


def damage_file(path, rng):
    data = bytearray(path.read_bytes())
    damage = rng.choice(DAMAGES)
    damage(data, rng)
    path.write_bytes(data)
    return f"{damage.__name__} of {path.name}"


def copy_archive(folder, name, target):
    target.mkdir()
    for suffix in (".otf2", ".def"):
        shutil.copy(folder / (name + suffix), target)
    shutil.copytree(folder / name, target / name)


def damage_archive(folder, rng):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = rng.choice(files)
    if rng.random() < 0.15:
        path.unlink()
        return f"{path.name} is missing"
    return damage_file(path, rng)


def import_damaged(xtf, folder, name, options):
    """Asserts that an import makes a whole trace, or makes no file and prints an error."""
    output = folder / "out"
    output.mkdir()
    trace = output / "trace.xtf"
    result = xtf.run("import", "--quiet", "--force", *options, "-o", trace, folder / "archive" / (name + ".otf2"))
    leftovers = sorted(path.name for path in output.iterdir())
    if result.status == 0:
        if leftovers != ["trace.xtf"]:
            raise Failure(f"the folder has {leftovers}, not only the trace")
        xtf.expect("check", trace)
        xtf.expect("cat", trace, "/records")
    else:
        if leftovers:
            raise Failure(f"a failed import left {leftovers}")
        if not result.errors.strip():
            raise Failure("a failed import printed no error")
    shutil.rmtree(output)
    return result.status == 0


def test_archives(xtf, folder, rounds, rng):
    imported = 0
    for i in range(rounds):
        name = rng.choice(ARCHIVES)
        with temporary_folder() as temporary:
            target = pathlib.Path(temporary)
            copy_archive(folder, name, target / "archive")
            damages = ", ".join(damage_archive(target / "archive", rng) for _ in range(rng.choice([1, 1, 2])))
            for options in ([], ["--keep-going"]):
                try:
                    imported += import_damaged(xtf, target, name, options)
                except Failure as failure:
                    raise Failure(f"round {i}, {name}, {damages}, {options}: {failure}") from failure
    print(f"{rounds} damaged archives, each imported twice: {imported} made a trace, "
          f"{2 * rounds - imported} were refused")


def ask_process(xtf, trace):
    """Asks the queries of one process, which ends if it cannot open the trace."""
    asker, results = Asker(xtf, os.environ["ASK_TREE"], trace), []
    for query in QUERIES:
        try:
            results.append(asker.ask(f"cat {query}") if asker.process else None)
        except Refused:
            results.append(None)
    return results


def ask_all(xtf, trace, by_command=True):
    """Returns the output of each query, or None if the command refuses it."""
    if not by_command and "ASK_TREE" in os.environ:
        return ask_process(xtf, trace)
    results = []
    for query in QUERIES:
        result = xtf.run("cat", trace, query)
        results.append(result.output if result.status == 0 else None)
        if result.status != 0 and not result.errors.strip():
            raise Failure(f"xtf cat {query} failed without an error")
    return results


def test_traces(xtf, folder, rounds, rng):
    found = 0
    with temporary_folder() as temporary:
        target = pathlib.Path(temporary)
        originals = []
        for name, options in (("all-events", []), ("clock-offsets", ["--page-size", "4096"])):
            trace = target / (name + ".xtf")
            xtf.import_archive(folder / (name + ".otf2"), trace, *options)
            xtf.expect("check", trace)
            originals.append((trace, ask_all(xtf, trace)))
        for i in range(rounds):
            trace, expected = rng.choice(originals)
            damaged = target / "damaged.xtf"
            shutil.copy(trace, damaged)
            damages = damage_file(damaged, rng)
            try:
                sound = xtf.run("check", damaged).status == 0
                found += not sound
                wrong = [q for q, a, b in zip(QUERIES, ask_all(xtf, damaged, i % 10 == 0), expected) if a != b]
                if sound and wrong:
                    raise Failure(f"xtf check finds nothing, but the answers to {wrong} differ")
            except Failure as failure:
                raise Failure(f"round {i}, {trace.name}, {damages}: {failure}") from failure
    print(f"{rounds} damaged traces: xtf check found {found}; the queries of the others give the same answers")
    if not found:
        raise Failure("xtf check found no damage at all")


def main():
    test = {"archives": test_archives, "traces": test_traces}[sys.argv[1]]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 100 if tests_all() else 40
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    with temporary_folder() as folder:
        subprocess.run([sys.argv[3], folder, *ARCHIVES], check=True)
        try:
            test(Xtf(sys.argv[2]), pathlib.Path(folder), rounds, random.Random(seed))
        except Failure as failure:
            print(f"seed {seed}, {failure}")
            sys.exit(1)


if __name__ == "__main__":
    main()
