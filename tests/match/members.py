#!/usr/bin/env python3
"""Members of collective operations: `members`, `first`, `last` and `root` of each operation's records, against the naive judge's
replay of the archive. Sums of the waits are compared with Scalasca's own analyser where its results are available.

usage: members.py XTF OTF2-SCRIPT
"""

import collections
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "roundtrip"))
# pylint: disable=wrong-import-position
import programs
from collectives import ALL_TO_ALL, BLOCKING, CollectiveJudge, Member
from shown import ticks_of
from xtfrun import PROJECT, Failure, Xtf, fewer_archives, need_programs, shared_traces, temporary_folder

# Number of paths in one call of xtf.
AT_ONCE = 500
SOME_TO_SOME = ("ALLTOALLV", "ALLTOALLW")
EXCHANGES = {"ALLREDUCE", "ALLGATHER", "ALLGATHERV", "ALLTOALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK"}
# By operation: Scalasca's metrics of the wait and of the completion.
METRICS = {
    "BARRIER": ("mpi_barrier_wait", "mpi_barrier_completion"),
    **{name: ("mpi_wait_nxn", "mpi_nxn_completion") for name in ALL_TO_ALL},
    **{name: ("mpi_latebroadcast", None) for name in ("BCAST", "SCATTER", "SCATTERV")},
    **{name: ("mpi_earlyreduce", None) for name in ("REDUCE", "GATHER", "GATHERV")},
    **{name: ("mpi_earlyscan", None) for name in ("SCAN", "EXSCAN")},
}
SUMMED = sorted({metric for pair in METRICS.values() for metric in pair if metric})


def number(cell):
    return None if cell == "-" else int(cell)


def parse(judge, line):
    """Returns a line of `members` as a Member."""
    proc, thread, *times, sent, received, state = line.split()
    ticks = [None if cell == "-" else ticks_of(cell, judge.ticks, 0) for cell in times]
    return Member(number(proc), number(thread), *ticks, number(sent), number(received), state)


def path_of(part, row=None):
    return f"proc/{part.location.proc}/thread/{part.location.thread}/collectives/num/{part.row if row is None else row}"


class Shown:
    """The trace's files about its operations, by path of a record."""

    def __init__(self, xtf, trace):
        self.xtf, self.trace = xtf, trace

    def files(self, paths, begins):
        """Returns {path: lines}. `begins` returns True for the first line of a file."""
        found = {}
        for i in range(0, len(paths), AT_ONCE):
            batch = paths[i:i + AT_ONCE]
            output = self.xtf.expect("cat", self.trace, *batch, timeout=600).decode()
            files = []
            for line in output.splitlines():
                if begins(line):
                    files.append([])
                files[-1].append(line)
            if len(files) != len(batch):
                raise Failure(f"{self.trace}: {len(files)} files of {len(batch)} paths")
            found.update(zip(batch, files))
        return found

    def members(self, paths):
        files = self.files([path + "/members" for path in paths], lambda line: line.startswith("#"))
        return {path.rsplit("/", 1)[0]: lines[1:] for path, lines in files.items()}


def expand(text):
    """Returns the processes of ranges, such as `0-3,7`, in their order; None for a dash."""
    if text in ("-", '""'):
        return None if text == "-" else []
    ends = [[int(number) for number in part.split("-")] for part in text.split(",")]
    return [proc for first, *last in ends for proc in range(first, (last or [first])[0] + 1)]


def ids_of_comms(shown):
    """Returns the archive's ids of communicators, by row of the trace."""
    lines = shown.xtf.expect("cat", shown.trace, "definitions/communicators").decode().splitlines()
    return [int(line.split()[1]) for line in lines[1:]]


def is_led(judge, part):
    """Returns True if the part's process has rank 0, where the operation is counted."""
    members = judge.members(part.comm, part.location.proc)
    return bool(members) and members[0] == part.location.proc


def leader_parts(judge, parts, ids, path):
    """Returns the leaders' parts of the operations whose leader ends them in a selection."""
    window = re.search(r"time/([^/]+)-([^/]+)", path)
    begin, end = [ticks_of(end, judge.ticks, 0) + judge.origin for end in window.groups()] if window else (0, 2**64)
    proc, row = re.search(r"proc/(\d+)", path), re.search(r"comm/#(\d+)", path)
    return [part for part in parts if is_led(judge, part) and begin <= part.end < end
            and (not proc or part.location.proc == int(proc[1])) and (not row or part.comm == ids[int(row[1])])]


def some_paths(judge, parts, ids):
    """Returns selections: all, a process, a communicator, and a window that begins and ends during operations."""
    ends = sorted(part.end - judge.origin for part in parts)
    if not ends:
        return [""]
    second = lambda ticks: f"{ticks // judge.ticks}.{ticks % judge.ticks * 10**12 // judge.ticks:012}"
    a, b = ends[len(ends) // 3], ends[len(ends) * 2 // 3] + 1
    return ["", f"proc/{max(part.location.proc for part in parts)}/", f"comm/#{ids.index(parts[-1].comm)}/", f"time/{second(a)}-{second(b)}/"]


def compare_communicators(judge, shown, parts, name):
    ids = ids_of_comms(shown)
    for path in some_paths(judge, parts, ids):
        counts = collections.Counter(part.comm for part in leader_parts(judge, parts, ids, path))
        lines = shown.xtf.expect("cat", shown.trace, path + "communicators").decode().splitlines()[1:]
        found = [(int(row), number(size), int(n), expand(procs), expand(remote))
                 for row, _, size, n, procs, remote, *_ in map(str.split, lines)]
        wanted = []
        for row, comm in enumerate(ids):
            groups = judge.comms.comms.get(comm) or [None]
            sizes = [len(group) for group in groups if group is not None]
            wanted.append((row, sum(sizes) if sizes else 1, counts[comm], groups[0], groups[-1] or None if len(groups) > 1 else None))
        if found != wanted:
            raise Failure(f"{name}: {path}communicators are\n  {found}, should be\n  {wanted}")


def operation_line(judge, part, ids, trusted):
    """Returns the values that `operations` must show for the operation of a leader's part."""
    operation = judge.operation(part)
    members = list(judge.lines(operation))
    comparable = trusted or len(members) == 1
    begun = [line for line in members if line.begin is not None]
    last = max(begun, key=lambda line: line.begin) if begun and comparable else None
    waited = comparable and operation.agreed and part.kind == BLOCKING and part.operation not in SOME_TO_SOME
    return (min(line.begin for line in begun) if begun else None, max(line.end for line in members if line.end is not None),
            part.location.proc, part.location.thread, part.row, ids.index(part.comm), len(members), last and last.proc,
            last and last.begin - min(line.begin for line in begun), sum(line.wait or 0 for line in begun) if waited else None,
            sum(line.sent or 0 for line in members), members[0].state if comparable else "uncertain", part.operation)


def parse_operation(judge, line):
    begin, end, proc, thread, row, comm, members, last, late, waited, sent, state, operation = line.split()
    begin, end, late, waited = (None if cell == "-" else ticks_of(cell, judge.ticks, 0) for cell in (begin, end, late, waited))
    return (begin, end, int(proc), int(thread), int(row), int(comm), int(members), number(last), late, waited, int(sent), state, operation)


def compare_operations(judge, shown, parts, trusted, name):
    ids = ids_of_comms(shown)
    for path in some_paths(judge, parts, ids) if parts else []:
        led = sorted(leader_parts(judge, parts, ids, path), key=lambda part: (part.end, part.location.number, part.row))
        wanted = [operation_line(judge, part, ids, trusted) for part in led]
        lines = shown.xtf.expect("cat", shown.trace, path + "operations").decode().splitlines()[1:]
        found = [parse_operation(judge, line) for line in lines]
        if found != wanted:
            difference = next((pair for pair in zip(found, wanted) if pair[0] != pair[1]), (len(found), len(wanted)))
            raise Failure(f"{name}: {path}operations:\n  {difference[0]}, should be\n  {difference[1]}")


def needs_begin(operation, root, rank, member):
    """Returns True if a member of an operation needs the begin of another one."""
    return (operation == "BARRIER" or operation in EXCHANGES or (operation in ("BCAST", "SCATTER", "SCATTERV") and member == root)
            or (operation in ("REDUCE", "GATHER", "GATHERV") and rank == root) or (operation in ("SCAN", "EXSCAN") and member < rank))


def clocks_contradict(judge, parts):
    """Returns True if more than one end in a thousand lies before the begin of a member that it needs."""
    judged = impossible = 0
    for part in parts:
        operation = judge.operation(part)
        if part.kind != BLOCKING or not operation.certain or any(member.begin is None for member in operation.parts):
            continue
        other_members = [(i, member) for i, member in enumerate(operation.parts) if member is not part]
        rank = operation.parts.index(part)
        root = next((i for i, member in enumerate(operation.parts) if member.root == member.location.proc), None)
        barrier = part.operation == "BARRIER"
        causes = [member.begin for i, member in other_members if needs_begin(part.operation, root, rank, i) and (barrier or (member.sent != 0 and part.received != 0))]
        judged += bool(causes)
        impossible += bool(causes) and max(causes) > part.end
    return impossible > judged // 1000


def compare_lines(judge, part, lines, name, trusted):
    found = [parse(judge, line) for line in lines]
    wanted = list(judge.lines(judge.operation(part)))
    if not trusted and len(wanted) > 1:
        wanted = [line._replace(state="uncertain") for line in wanted]
    if found != wanted:
        difference = next((pair for pair in zip(found, wanted) if pair[0] != pair[1]), (len(found), len(wanted)))
        raise Failure(f"{name}: {path_of(part)}/members:\n  {difference[0]}, should be\n  {difference[1]}")
    return found


def links_of(judge, part):
    """Returns {name: Part} of the links that the record has."""
    operation = judge.operation(part)
    timed = [member for member in operation.parts if member and member.begin is not None]
    roots = [member for member in timed if member.root == member.location.proc]
    links = {"root": roots[0]} if roots else {}
    if timed:
        links["first"] = min(timed, key=lambda member: member.begin)
        links["last"] = max(timed, key=lambda member: member.begin)
    return links


def compare_links(judge, shown, parts, what):
    wanted = {f"{path_of(part)}/{name}": to for part in parts for name, to in links_of(judge, part).items()}
    targets = shown.files([path + "/record" for path in [*wanted, *map(path_of, wanted.values())]],
                          lambda line: line.startswith("time "))
    for path, to in wanted.items():
        if targets[path + "/record"] != targets[path_of(to) + "/record"]:
            raise Failure(f"{what}: {path} does not lead to {path_of(to)}")
    for part in parts[:20]:
        names = set(shown.xtf.expect("ls", shown.trace, path_of(part)).decode().split()) & {"first", "last", "root"}
        if names != set(links_of(judge, part)):
            raise Failure(f"{what}: {path_of(part)} has {names}")


def compare(xtf, archive, folder):
    judge = CollectiveJudge(str(archive))
    path = folder / (archive.stem + ".xtf")
    xtf.import_archive(archive, path, timeout=600)
    shown = Shown(xtf, path)
    parts = [part for location in judge.locations.values() for part in location.parts.values() if judge.operation(part)]
    files = shown.members([path_of(part) for part in parts])
    states, trusted = collections.Counter(), not clocks_contradict(judge, parts)
    for part in parts:
        lines = compare_lines(judge, part, files[path_of(part)], archive, trusted)
        states[lines[0].state] += 1
    compare_links(judge, shown, parts[::7], archive)
    compare_communicators(judge, shown, parts, archive)
    compare_operations(judge, shown, parts, trusted, archive)
    compare_begins(judge, shown, archive)
    xtf.run("align", "--dry-run", "--always", "--quiet", path)  # xtf align finds operations by a different algorithm; it must end
    compare_analysis(xtf, judge, parts, path)
    print(f"{archive}: {len(parts)} records of operations, {dict(states)}")
    return judge, parts, files


def compare_analysis(xtf, judge, parts, path):
    """Checks the analysis's number of operations, which it finds by a different algorithm. If each process has one thread, it
    counts certain blocking operations of communicators of one group. Senders and receivers must be known, or the process must
    be alone."""
    found = re.search(r"^collectives +(\d+)  put together", xtf.expect("analyze", path).decode(), re.M)
    if any(location.thread for location in judge.locations.values()):
        return
    members = collections.Counter()
    for part in parts:
        operation = judge.operation(part)
        known = part.operation not in SOME_TO_SOME or len(operation.members) == 1
        if part.kind == BLOCKING and operation.certain and known and len(judge.comms.comms[part.comm]) == 1:
            members[len(operation.members)] += 1
    wanted = sum(parts // size for size, parts in members.items())
    if int(found[1]) != wanted:
        raise Failure(f"{path}: {wanted} operations are certain; the analysis counts {found[1]}")


def align_strangers(xtf, archive, folder):
    """Checks that operations of members and strangers are found without the strangers, and that a stranger's record can be read."""
    path = folder / "strangers.xtf"
    xtf.import_archive(archive, path)
    lines = xtf.expect("align", "--dry-run", "--always", path).decode().splitlines()
    if "collectives    3 put together; left out 3 ends" not in lines:
        raise Failure(f"{archive}: {lines}")
    xtf.expect("cat", path, "/proc/2/thread/0/collectives/num/1/members")


def compare_begins(judge, shown, name):
    """Checks that a BEGIN and a REQUEST have the members of their END and COMPLETE."""
    pairs = [(part, row) for location in judge.locations.values() for row, end in list(location.operation_of.items())[::5]
             for part in [location.parts[end]] if judge.operation(part)]
    paths = [path_of(part, row) for part, row in pairs] + [path_of(part) for part, _ in pairs]
    files = shown.members(paths)
    for part, row in pairs:
        if files[path_of(part, row)] != files[path_of(part)]:
            raise Failure(f"{name}: {path_of(part, row)} does not have the members of {path_of(part)}")


# ---- Scalasca.


def compare_scalasca(judge, parts, files, tsv):
    """Compares the sums of waits in `members` of each location with Scalasca's analyser."""
    scout = collections.Counter()
    for line in tsv.read_text().splitlines():
        cells = line.split()
        if cells[0] in SUMMED:
            scout[cells[0], int(cells[3])] += float(cells[4])
    sums = collections.Counter()
    for part in parts:
        if part.kind != BLOCKING:
            continue
        lines = [parse(judge, line) for line in files[path_of(part)]]
        own = next(line for line in lines if line.proc == part.location.proc)
        for metric, ticks in zip(METRICS[part.operation], (own.wait, own.completion)):
            if metric:
                sums[metric, part.location.number] += ticks
    for key in sorted(set(scout) | set(sums)):
        seconds, off = sums[key] / judge.ticks, 1e-9 * len(parts)
        if abs(seconds - scout[key]) > off + 1e-8 * scout[key]:
            raise Failure(f"{tsv}: {key}: {seconds} s, Scalasca has {scout[key]} s")
    print(f"{tsv}: {len(scout)} sums of waits are Scalasca's")


# ---- Programs.

OPERATIONS = ["BARRIER", "BCAST", "GATHER", "GATHERV", "SCATTER", "SCATTERV", "ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLTOALLV",
              "ALLTOALLW", "ALLREDUCE", "REDUCE", "REDUCE_SCATTER", "SCAN", "EXSCAN", "REDUCE_SCATTER_BLOCK", "CREATE_HANDLE"]
ROOTED = ["BCAST", "GATHER", "GATHERV", "SCATTER", "SCATTERV", "REDUCE"]
NO_ROOT = 2**32 - 1


class Operations(programs.Program):
    """Random collective operations; each location has its own clock."""

    def __init__(self, n_procs, n_threads, dice, **options):
        super().__init__(n_procs, n_threads, programs.some_comms(n_procs), **options)
        self.dice = dice
        self.clocks = {location: 1000 + dice.randrange(1000) for location in self.locations}

    def at(self, location, kind, *numbers, ticks=None):
        self.clocks[location] += self.dice.randrange(1, 20) if ticks is None else ticks
        self.time = max(self.time, self.clocks[location] + location.skew)
        self.lines.append(f"{location.number} {self.clocks[location] + location.skew} {kind} {' '.join(map(str, numbers))}")

    def root_rank(self, comm, proc, root):
        """Returns the root as a member's record names it."""
        if root is None:
            return NO_ROOT
        if len(comm.groups) < 2:
            return comm.members().index(root) if comm.groups else 0
        if proc == root:
            return 2**32 - 2
        return 2**32 - 3 if (proc in comm.groups[0]) == (root in comm.groups[0]) else comm.peers(proc).index(root)

    def one_thread_each(self, comm):
        """Returns one thread of each member."""
        return [self.dice.choice([location for location in self.locations if location.proc == proc]) for proc in comm.members()]

    def blocking(self, comm, name, locations, sizes=(0, 0, 8, 4096)):
        procs = [location.proc for location in locations]
        root = self.dice.choice(procs) if name in ROOTED else None
        together = self.dice.random() < 0.6
        for location in locations:
            self.at(location, "E", programs.REGION["MPI_Barrier"])
            self.at(location, "B", ticks=self.dice.randrange(200))
        last = max(self.clocks[location] for location in locations)
        for location in locations:
            if together:
                self.clocks[location] = max(self.clocks[location], last)
            self.at(location, "D", OPERATIONS.index(name), comm.number, self.root_rank(comm, location.proc, root),
                    self.dice.choice(sizes), self.dice.choice(sizes), ticks=self.dice.randrange(100))
            self.at(location, "L", programs.REGION["MPI_Barrier"])

    def post(self, location, request):
        self.at(location, "E", programs.REGION["MPI_Ibarrier"])
        self.at(location, "Q", request)
        self.at(location, "L", programs.REGION["MPI_Ibarrier"])

    def complete(self, location, comm, name, request):
        self.at(location, "N", OPERATIONS.index(name), comm.number, NO_ROOT, 8, 8, request)

    def non_blocking(self, comms):
        """Plays several operations at once, of several communicators. Each member completes them in its own order. Ids are
        reused."""
        started = [(comm, self.dice.choice(["BARRIER", "ALLREDUCE"])) for comm in comms]
        for proc in range(len(self.processes)):
            location = self.locations_of(proc)[0]
            own = [(request, comm, name) for request, (comm, name) in enumerate(started)
                    if not comm.groups or proc in comm.members()]
            for request, _, _ in own:
                self.post(location, request)
            self.dice.shuffle(own)
            for request, comm, name in own:
                self.complete(location, comm, name, request)

    def locations_of(self, proc):
        return [location for location in self.locations if location.proc == proc]

    def play_own(self, comm):
        """Plays operations of each process's own communicator, a random number for each location."""
        for location in self.locations:
            for _ in range(self.dice.randrange(4)):
                self.blocking(comm, self.dice.choice(OPERATIONS), [location])


def random_operations(n_procs, n_threads, seed, rounds, requests=True):
    dice = random.Random(seed)
    program = Operations(n_procs, n_threads, dice, skews=[dice.randrange(2000) for _ in range(n_procs)])
    shared = [comm for comm in program.comms if comm.groups]
    for i in range(rounds):
        comm = dice.choice(shared)
        program.blocking(comm, OPERATIONS[i % len(OPERATIONS)], program.one_thread_each(comm))
        if requests and i % 5 == 0:
            program.non_blocking(dice.sample(program.comms, 3) + [dice.choice(shared)] * 2)
        if i % 20 == 0:
            program.play_own(next(comm for comm in program.comms if not comm.groups))
    return program


def missing_records():
    """Returns a program with missing records: a process whose measurement begins late, one with a different operation,
    completions without requests, and requests without completions."""
    dice = random.Random(8)
    program = Operations(4, 1, dice)
    world, backwards, half, *_ = program.comms
    for i in range(3):
        program.blocking(half, "BARRIER", program.one_thread_each(half)[i == 0:])
    program.blocking(world, "BARRIER", program.locations[1:])
    for name in ("ALLREDUCE", "BCAST", "BARRIER"):
        program.blocking(world, name, program.one_thread_each(world))
    program.blocking(backwards, "ALLREDUCE", program.one_thread_each(backwards))
    for i, location in enumerate(program.locations):
        program.blocking(backwards, "BARRIER" if i else "SCAN", [location])
    program.blocking(backwards, "ALLREDUCE", program.one_thread_each(backwards))
    for i, location in enumerate(program.locations):
        if i:
            program.post(location, 5)
        program.complete(location, program.comms[1], "BARRIER", 5)
    program.non_blocking([program.comms[1]] * 3)
    for location in program.locations:
        program.post(location, 6)
    return program


def simultaneous_ends():
    """Returns a program in which two threads take turns and end at the same time."""
    dice = random.Random(9)
    program = Operations(2, 2, dice)
    for i in range(50):
        for thread in (0, 1):
            for proc in (0, 1):
                location = program.locations_of(proc)[thread]
                program.clocks[location] = 10000 + 1000 * i
                program.at(location, "B", ticks=dice.randrange(1, 100))
                program.clocks[location] = 10000 + 1000 * i
                program.at(location, "D", OPERATIONS.index("ALLREDUCE"), 0, NO_ROOT, 8, 8 + thread, ticks=500 + 10 * proc)
    return program


def strangers():
    """Returns a program in which a process takes part in operations of a communicator, but is no member of it. Damaged archives
    may have such operations."""
    program = Operations(4, 1, random.Random(11))
    comm = next(comm for comm in program.comms if len(comm.groups) == 1 and comm.groups[0] and len(comm.members()) < 4)
    outside = [location for location in program.locations if location.proc not in comm.members()]
    for name in ("BARRIER", "ALLREDUCE", "SCAN"):
        program.blocking(comm, name, program.one_thread_each(comm) + outside)
    return program


PROGRAMS = {
    "many": lambda: random_operations(4, 1, 1, 150),
    "threads": lambda: random_operations(4, 3, 2, 100),
    "more": lambda: random_operations(9, 1, 3, 60, requests=False),
    "lost": missing_records,
    "ties": simultaneous_ends,
}


def main():
    need_programs("otf2-print")
    xtf, script = Xtf(sys.argv[1]), sys.argv[2]
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        for name, program in PROGRAMS.items():
            compare(xtf, program().write(script, folder, name), folder)
        align_strangers(xtf, strangers().write(script, folder, "strangers"), folder)
        real = shared_traces()
        for archive in fewer_archives([PROJECT / "examples" / "melt-4" / "eztrace_log.otf2", *(sorted(real.rglob("*.otf2")) if real else [])]):
            judge, parts, files = compare(xtf, archive, folder)
            tsv = real / "scalasca" / archive.parent.name / "scout.tsv" if real else archive
            if tsv.is_file() and tsv.suffix == ".tsv":
                compare_scalasca(judge, parts, files, tsv)


if __name__ == "__main__":
    main()
