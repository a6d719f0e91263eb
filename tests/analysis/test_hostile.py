#!/usr/bin/env python3
"""Hostile analyses: every field of every type that an analysis adds gets values that refer to nothing or to everything. All files
of the tree that show the analysis, and the export to Cube, must be text or an error that says what is wrong. There must be no
crash, no endless answer and no huge memory.

usage: test_hostile.py XTF DERIVED-SCRIPT ASK-TREE OTF2-SCRIPT [FIELD | all]

FIELD, such as waits.cause, selects the cases of one field. Without it programs get every fourth case, and slow programs with
sanitizers every 15th; with `all` or XTF_TEST_ALL they get all. Rows whose times fall are not tested here: libxtf neither writes nor reads such
rows (test_invariants.py).
"""

import decimal
import itertools
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "reader"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import path_programs
import team_programs
import window_programs
import xtf_reader
from asking import Asker, Refused
from meeting_programs import Program
from test_path import make_archive
from xtfrun import Failure, Xtf, need_programs, takes_fewer, temporary_folder, tests_all

TYPES = ("waits", "delays", "critical", "activity", "ideal")
CONTEXTS = "contexts"
TYPES_OF_TREE = ("waits", "delays", "critical")
PREFIXES = ("", "proc/1/", "time/20%-70%/", "time/20%-70%/proc/1/")
MORE = ["efficiency", "proc/1/efficiency", "time/20%-70%/efficiency", "waits/culprit/0/profile", "waits/culprit/2/count", "waits/wait_nxn/records",
        "waits/late_sender/profile", "delays/wait_nxn/callpaths", "critical/region/work/profile", "waits/by/culprit/count",
        "waits/comm/MPI_COMM_WORLD/profile", "info"]
SINGLE = "proc/1/waits/num/"
LONGEST = 1 << 20  # bytes of an answer
CIRCLE = 20000     # waits of each of two processes; the ticks of a wait
AMOUNT = 10**8
FAULTS = 3         # faults that are printed
# Columns from which the causes of a wait are computed; links of a wait to other files.
READ = ("seq", "event", "amount", "context", "culprit", "culprit_thread", "match", "met", "met_idle", "culprit_met", "culprit_met_idle")
LINKS = ("causes", "match/record", "met/record", "culprit_met/record")


def rows_of(path):
    """Returns lines for derived-script, as lists of words, and by type the names and sizes of fields."""
    trace, lines, fields = xtf_reader.Trace(str(path)), [], {}

    def words(schema, row):
        return ["-" if value is None else str(value) for value in schema.values(row)]

    schema, rows = trace.tables[CONTEXTS]
    fields[CONTEXTS] = [(field.name, field.size) for field in schema.fields]
    lines += [[CONTEXTS, *words(schema, row)] for row in rows]
    for array in trace.arrays():
        if array.schema.name in TYPES:
            fields[array.schema.name] = [(field.name, field.size) for field in array.schema.fields]
            lines += [[array.schema.name, str(array.location), *words(array.schema, row)] for row in array.read_local()]
    trace.close()
    return lines, fields


def extremes(size):
    """Returns values of a field of `size` bytes, and whether all rows get them or a third. They are small values, and values
    where a sign or an absent value begins."""
    most = (1 << 8 * size) - 1
    return [(value, False) for value in (0, 1, most >> 1, most - 1, most)] + [(value, True) for value in (1, most - 1)]


def hostile_lines(lines, name, at, value, every):
    """Returns the lines with the value in a field of a type: in all rows, or in each third."""
    changed, count = [], 0
    for line in lines:
        if line[0] == name:
            count += 1
            if every or count % 3 == 1:
                line = [*line[:at], str(value), *line[at + 1:]]
        changed.append(line)
    return changed


def cases(lines, fields, only):
    """Yields (name, lines)."""
    yield "as it was", lines
    for name, columns in fields.items():
        first = 1 if name == CONTEXTS else 2
        for at, (field, size) in enumerate(columns):
            for value, every in extremes(size) if only in (None, f"{name}.{field}") else ():
                yield f"{name}.{field} = {value}{' in all rows' if every else ''}", hostile_lines(lines, name, first + at, value, every)
    if only:
        return
    # Call paths in circles: each its own parent, and each the parent of the next one.
    contexts = [i for i, line in enumerate(lines) if line[0] == CONTEXTS]
    for shift in (0, 1):
        changed = [list(line) for line in lines]
        for number, i in enumerate(contexts):
            changed[i][1] = str((number + shift) % len(contexts))
        yield f"call paths in a circle of {shift + 1}", changed
    yield "no call paths", [line for line in lines if line[0] != CONTEXTS]
    for name in TYPES:
        yield f"no {name}", [line for line in lines if line[0] != name]


def step_of(program, step):
    """Returns the distance of the cases that a program gets: with sanitizers about four times the given one, and in full size 1."""
    return 1 if tests_all() else 4 * step - 1 if takes_fewer(program) else step


def write_rows(script, trace, lines):
    """Returns True if the writer accepts the rows. Rows that it refuses, such as rows whose times fall, are in no file written by
    libxtf."""
    text = "".join(" ".join(line) + "\n" for line in lines)
    done = subprocess.run([script, trace], input=text, text=True, capture_output=True, check=False)
    if done.returncode not in (0, 1) or (done.returncode == 1 and "derived-script: " not in done.stderr):
        raise Failure(f"the writer crashed: {done.stderr}")
    return done.returncode == 0


def paths_to_ask(asker):
    """Yields all files of the types in some selections, and the files of single waits."""
    for kind in TYPES_OF_TREE:
        for prefix in PREFIXES:
            try:
                names = asker.ask(f"ls {prefix}{kind}").decode().split()
            except Refused:
                continue
            yield from (f"{prefix}{kind}/{name}" for name in names)
    for number in range(6):
        try:
            names = asker.ask(f"ls {SINGLE}{number}").decode().split()
        except Refused:
            continue
        yield from (f"{SINGLE}{number}/{name}" for name in names)
    yield from MORE


def ask_all(xtf, program, trace):
    """Returns {path: answer, or None if xtf refuses it}."""
    answers = {}
    asker = Asker(xtf, program, trace)
    for path in list(paths_to_ask(asker)):
        try:
            answer = asker.ask(f"cat {path}")
        except Refused as refused:
            if not str(refused).partition(": ")[2].strip():
                raise Failure(f"{path} is refused without an error") from None
            answers[path] = None
            continue
        if len(answer) > LONGEST or b"\0" in answer:
            raise Failure(f"{path}: {len(answer)} bytes: {answer[:200]}")
        answer.decode()
        answers[path] = answer
    ended = asker.end()
    if ended:
        raise Failure(ended)
    return answers


# FORMAT R69
def ask_case(programs, base, folder, lines):
    """Returns the answers; None if the writer refuses the rows."""
    xtf, script, ask_tree = programs
    trace = folder / "hostile.xtf"
    trace.write_bytes(base.read_bytes())
    if not write_rows(script, trace, lines):
        return None
    answers = ask_all(xtf, ask_tree, trace)
    done = xtf.run("export", "--quiet", "--force", "cube", "-o", folder / "hostile.cubex", trace)
    if done.status and not done.errors:
        raise Failure("export cube fails without an error")
    return answers


def check_circle_of_waits(programs, folder, otf2_script):
    """Checks two processes that each wait for the other very often, in rows which say that both never met before. Each wait then
    leads to all waits of the other process. An answer must still take only seconds."""
    xtf, script, _ = programs
    timelines = path_programs.begin_timelines(2)
    for timeline in timelines:
        timeline.work(100 + 600 * timeline.rank)
        timeline.call("MPI_Barrier", 950 + timeline.rank, ("D", path_programs.BARRIER, 0, path_programs.NO_ROOT, 0, 0))
        timeline.call("MPI_Finalize", 1000)
        timeline.note("L", "main")
    archive, base, good = make_archive(otf2_script, folder, "circle", path_programs.script(timelines)), folder / "circle.xtf", folder / "analysed.xtf"
    xtf.import_archive(archive, base)
    xtf.import_archive(archive, good)
    xtf.expect("analyze", "--quiet", good)
    lines, fields = rows_of(good)
    names = [name for name, _ in fields["waits"]]
    template = next(line for line in lines if line[0] == "waits" and line[2 + names.index("match")] != "-")
    changed = [line for line in lines if line[0] == CONTEXTS]
    for location in range(2):
        for number in range(CIRCLE):
            values = {"time": 10**9 + 10 * number, "seq": 1, "amount": AMOUNT, "culprit": 1 - location, "culprit_thread": 0, "match": 0,
                      "met": 0, "met_idle": 0, "culprit_met": 0, "culprit_met_idle": 0}
            changed.append(["waits", str(location), *(str(values.get(name, old)) for name, old in zip(names, template[2:]))])
    if not write_rows(script, base, changed):
        raise Failure("no circle of waits can be written")
    shown = xtf.expect("cat", base, f"proc/0/waits/num/{CIRCLE - 1}/causes").decode().splitlines()[1:]
    costs = sum(decimal.Decimal(line.split()[0]) for line in shown)
    # The last line has no location: its cost was not followed further.
    if costs * 10**9 != AMOUNT or shown[-1].split()[2:] != ["-"] * 5:
        raise Failure(f"causes of {costs} s, and the last line is {shown[-1]}")


def check_other_kinds(programs, folder, otf2_script):
    """Checks waits in one-sided communication, in teams, and of idle threads, with hostile values. Either xtf prints causes that
    add up to the wait, or it refuses with an error. Returns how many were printed and refused."""
    xtf, script, ask_tree = programs
    answered = refused = 0
    for name, make in (("fence", window_programs.fence), ("lock", window_programs.lock), ("team", team_programs.team)):
        subprocess.run([otf2_script, folder, name], input=make()[0], text=True, check=True)
        base, analysed, trace = (folder / f"{name}-{case}.xtf" for case in ("base", "good", "hostile"))
        for path in (base, analysed):
            xtf.import_archive(folder / f"{name}.otf2", path)
        xtf.expect("analyze", "--quiet", analysed)
        lines, fields = rows_of(analysed)
        names = [field for field, _ in fields["waits"]]
        # Records without a field of role seq are ordered by their row numbers.
        files = [("calls without a role", [["roleless", "enters_leaves", "seq"], *lines])]
        values = [(field, value, every) for field in READ for value, every in extremes(dict(fields["waits"])[field])]
        files += [(f"{field} = {value}", hostile_lines(lines, "waits", 2 + names.index(field), value, every))
                  for field, value, every in values[::step_of(xtf.program, 3)]]
        for case, changed in files:
            trace.write_bytes(base.read_bytes())
            if not write_rows(script, trace, changed):
                if changed[0][0] == "roleless":
                    raise Failure(f"{name}: {case} cannot be written")
                continue
            asker = Asker(xtf, ask_tree, trace)
            for number, link in itertools.product(range(sum(line[0] == "waits" for line in lines)), LINKS):
                try:
                    answer = asker.ask(f"cat waits/num/{number}/{link}").decode().splitlines()
                    answered += 1
                except Refused as reason:
                    refused += 1
                    if not str(reason).partition(": ")[2].strip():
                        raise Failure(f"{name}, {case}: wait {number} is refused without an error") from None
                    continue
                percents = sum(decimal.Decimal(line.split()[1]) for line in answer[1:]) if link == "causes" else 100
                if answer[1:] and abs(percents - 100) > decimal.Decimal("0.01") * len(answer):
                    raise Failure(f"{name}, {case}: causes of wait {number} are {percents} % of it")
            ended = asker.end()
            if ended:
                raise Failure(f"{name}, {case}: {ended}")
    return answered, refused


def main():
    xtf, script, ask_tree, otf2_script = Xtf(sys.argv[1]), *sys.argv[2:5]
    only = (sys.argv + [None])[5]
    complete = only is not None
    only = None if only == "all" else only
    need_programs("otf2-print")
    faults, tried, refused = [], 0, 0
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        program = Program(4, 1)
        program.play(24, 3)
        archive, base, good = make_archive(otf2_script, folder, "program", program.lines), folder / "base.xtf", folder / "good.xtf"
        xtf.import_archive(archive, base)
        xtf.import_archive(archive, good)
        xtf.expect("analyze", "--quiet", good)
        lines, fields = rows_of(good)
        wanted = ask_all(xtf, ask_tree, good)
        step = 1 if complete else step_of(xtf.program, 4)
        for case, changed in itertools.islice(cases(lines, fields, only), 0, None, step):
            try:
                answers = ask_case((xtf, script, ask_tree), base, folder, changed)
            except Failure as failure:
                faults.append(f"{case}: {failure}")
                continue
            tried, refused = tried + (answers is not None), refused + (answers is None)
            if case == "as it was" and answers != wanted:
                differ = [path for path in wanted if answers.get(path) != wanted[path]]
                faults.append(f"{case}: answers differ from those of xtf analyze: {differ}")
        if not only:
            try:
                check_circle_of_waits((xtf, script, ask_tree), folder, otf2_script)
                print("other kinds: {} answers, {} refused".format(*check_other_kinds((xtf, script, ask_tree), folder, otf2_script)))
            except Failure as failure:
                faults.append(f"a circle of waits: {failure}")
    print(f"{tried} files, and {refused} that no writer makes; {len(wanted)} questions to each")
    print("\n".join([f"{len(faults)} faults", *faults[:FAULTS]]) if faults else "no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
