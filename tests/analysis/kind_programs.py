"""Programs whose waits are known. Each program is played by the rules of locks, teams and windows, with random times. It writes
the records that a recorder would write, and the waits with their culprits."""

import collections

import programs

OPENMP, PTHREAD, MPI, SHMEM = 3, 7, 4, 13
# otf2-script expects OTF2's numbers of roles.
PARALLEL, CRITICAL, BARRIER, IMPLICIT_BARRIER, RMA, FUNCTION, POINT2POINT = 5, 12, 15, 16, 29, 1, 28
THREADS = 100  # location = process * THREADS + thread
REGIONS = [("main", 1, FUNCTION), ("!$omp parallel", OPENMP, PARALLEL), ("!$omp barrier", OPENMP, BARRIER),
           ("!$omp implicit barrier", OPENMP, IMPLICIT_BARRIER), ("!$omp critical", OPENMP, CRITICAL),
           ("pthread_mutex_lock", PTHREAD, FUNCTION), ("flock", 1, FUNCTION), ("shmem", SHMEM, FUNCTION)]
REGIONS += [(f"MPI_{name}", MPI, RMA) for name in ("Put", "Get", "Win_fence", "Win_post", "Win_start", "Win_complete", "Win_wait",
                                                   "Win_lock", "Win_unlock", "Win_create")]
REGIONS += [("pthread_join", PTHREAD, FUNCTION)]
REGION = {name: i for i, (name, _, _) in enumerate(REGIONS)}

Truth = collections.namedtuple("Truth", "location kind begin end culprit")


class Program:
    """Records in the order in which they were made, and the waits."""

    def __init__(self, chance, n_procs, n_threads):
        self.chance = chance
        self.n_procs, self.n_threads = n_procs, n_threads
        self.lines = []
        self.definitions = []
        self.truth = []
        self.used = set()  # times of ends whose order matters; no two locations share one
        self.clocks = collections.Counter({self.location(p, t): 1000 for p in range(n_procs) for t in range(n_threads)})

    @staticmethod
    def location(proc, thread):
        return proc * THREADS + thread

    def work(self, location, most=50):
        self.clocks[location] += self.chance.randint(1, most)
        return self.clocks[location]

    def advance_to_unused(self, location):
        """Advances a location to a time at which no other such end lies."""
        while self.clocks[location] in self.used:
            self.clocks[location] += 1
        self.used.add(self.clocks[location])
        return self.clocks[location]

    def record(self, location, kind, *numbers):
        self.lines.append((location, self.clocks[location], len(self.lines), f"{kind} {' '.join(map(str, numbers))}"))

    def enter(self, location, name):
        self.record(location, "E", REGION[name])

    def leave(self, location, name):
        self.record(location, "L", REGION[name])

    def add_wait(self, location, kind, begin, end, culprit):
        if end > begin:
            self.truth.append(Truth(location, kind, begin, end, culprit))

    def script(self):
        lines = [f"{location} {time} {text}" for location, time, _, text in sorted(self.lines)]
        lines += [f"clock {programs.TICKS} 0 {max(self.clocks.values()) + 10}", f"processes {self.n_procs}"]
        written = {location for location, _, _, _ in self.lines}
        lines += [f"location {location} {location // THREADS} thread {location % THREADS}" for location in sorted(written)]
        lines += [f"construct {i} {paradigm} {role} {name}" for i, (name, paradigm, role) in enumerate(REGIONS)]
        lines.append("world 0 " + " ".join(str(self.location(p, 0)) for p in range(self.n_procs)))
        return "\n".join(lines + self.definitions) + "\n"


def locks(chance, n_rounds=60):
    """Returns a program in which threads of two processes take locks of two paradigms. Some holders acquire their lock again."""
    program = Program(chance, 2, 4)
    free, orders = {}, collections.Counter()
    for location in program.clocks:
        program.enter(location, "main")
    for _ in range(n_rounds):
        # The thread with the earliest clock gets the lock.
        location = min(program.clocks, key=lambda l: (program.clocks[l], l))
        model, lock = chance.choice((OPENMP, PTHREAD)), chance.randint(0, 1)
        region = "!$omp critical" if model == OPENMP else "pthread_mutex_lock"
        key = location // THREADS, model, lock
        program.enter(location, region)
        entered = program.clocks[location]
        held_until, holder = free.get(key, (0, None))
        program.clocks[location] = max(entered, held_until) + chance.randint(0, 5)
        orders[key] += 1
        program.record(location, "A", model, lock, orders[key])
        if holder is not None:
            program.add_wait(location, "lock_contention", entered, held_until, holder)
        program.work(location, 5)
        program.leave(location, region)
        again = chance.random() < 0.3
        for _ in range(again):
            program.work(location)
            program.enter(location, region)
            program.record(location, "A", model, lock, orders[key])
            program.work(location, 5)
            program.leave(location, region)
            program.work(location)
            program.record(location, "a", model, lock, orders[key])
        program.work(location)
        program.record(location, "a", model, lock, orders[key])
        free[key] = program.clocks[location], location
        program.work(location, 100)
    for location in program.clocks:
        program.work(location)
        program.leave(location, "main")
    return program


class Joined:
    """A process whose threads create others and join them. A thread may be joined after its end."""

    def __init__(self, program, proc):
        self.program, self.proc, self.n_threads = program, proc, 1
        self.held_until, self.holder, self.order = 0, None, 0
        program.enter(program.location(proc, 0), "main")

    def create(self, creator):
        """Creates a thread that begins later, and returns its location."""
        program, number = self.program, self.n_threads
        self.n_threads += 1
        program.work(creator)
        program.record(creator, "V", self.proc, number)
        location = program.location(self.proc, number)
        program.clocks[location] = program.clocks[creator] + program.chance.randint(0, 40)
        program.record(location, "v", self.proc, number)
        program.enter(location, "main")
        return location

    def lock(self, location):
        program = self.program
        program.enter(location, "pthread_mutex_lock")
        entered = program.clocks[location]
        program.clocks[location] = max(entered, self.held_until) + program.chance.randint(0, 5)
        self.order += 1
        program.record(location, "A", PTHREAD, 0, self.order)
        if self.holder is not None:
            program.add_wait(location, "lock_contention", entered, self.held_until, self.holder)
        program.work(location, 5)
        program.leave(location, "pthread_mutex_lock")
        program.work(location, 60)
        program.record(location, "a", PTHREAD, 0, self.order)
        self.held_until, self.holder = program.clocks[location], location

    def end(self, location):
        self.program.work(location, 200)
        self.program.leave(location, "main")
        self.program.record(location, "z", self.proc, location % THREADS)
        return self.program.clocks[location]

    def join(self, creator, location, ended):
        """Joins a thread. The record lies after the thread's end, or before the wait for it."""
        program, first = self.program, self.program.chance.random() < 0.3
        program.work(creator)
        program.enter(creator, "pthread_join")
        entered = program.clocks[creator]
        if not first:
            program.clocks[creator] = max(entered, ended) + program.chance.randint(1, 9)
        program.record(creator, "Z", self.proc, location % THREADS)
        program.clocks[creator] = max(program.clocks[creator], ended) + program.chance.randint(1, 9)
        program.leave(creator, "pthread_join")
        program.add_wait(creator, "thread_join", entered, ended, location)


def joins(chance, n_rounds=8):
    """Returns a program of two processes whose first threads create others. These may create one more each, and take a lock in
    turn."""
    program = Program(chance, 2, 1)
    program.definitions = [f"comm {proc} 0 threads" for proc in range(2)]
    for proc in range(2):
        made, main = Joined(program, proc), program.location(proc, 0)
        for _ in range(n_rounds):
            creators = {}
            for _ in range(chance.randint(1, 4)):
                creator = chance.choice([main, *(location for location, by in creators.items() if by == main)])
                creators[made.create(creator)] = creator
            for _ in range(chance.randint(0, 12)):
                made.lock(min([main, *creators], key=lambda location: (program.clocks[location], location)))
            # Threads that were created last end first, so a thread ends after the threads that it joins.
            for location in reversed(list(creators)):
                created = [child for child, by in creators.items() if by == location]
                chance.shuffle(created)
                for child in created:
                    made.join(location, child, program.clocks[child])
                made.end(location)
            created = [child for child, by in creators.items() if by == main]
            chance.shuffle(created)
            for child in created:
                made.join(main, child, program.clocks[child])
        program.work(main)
        program.leave(main, "main")
    return program


def files(chance, n_rounds=40):
    """Returns a program with locks of two files, each with two handles. Only one location at a time holds a shared lock here,
    too."""
    program = Program(chance, 4, 1)
    program.definitions = ["file 0 a", "file 1 b"] + [f"handle {h} {h % 2} h{h}" for h in range(4)]
    released = {}  # {(file, shared): (time, location)}
    for _ in range(n_rounds):
        location = min(program.clocks, key=lambda l: (program.clocks[l], l))
        handle, shared = chance.randint(0, 3), chance.randint(0, 1)
        program.enter(location, "flock")
        entered = program.clocks[location]
        before = [released[handle % 2, s] for s in ((0,) if shared else (0, 1)) if (handle % 2, s) in released]
        latest = max((time for key, (time, _) in released.items() if key[0] == handle % 2), default=0)
        # Shared locks also wait for other shared locks here, but records cannot show such waits for a holder.
        program.clocks[location] = max(entered, latest + 1) + chance.randint(0, 3)
        program.record(location, "H", handle, shared)
        program.work(location, 5)
        program.leave(location, "flock")
        if before and max(before)[1] != location:
            program.add_wait(location, "io_lock", entered, max(before)[0], max(before)[1])
        program.work(location)
        program.record(location, "h", handle, shared)
        released[handle % 2, shared] = program.clocks[location], location
        program.work(location, 20)
    return program


class Teams:
    """Forks of a process."""

    def __init__(self, program, proc):
        self.program, self.proc = program, proc
        self.chance = program.chance
        self.locations = [program.location(proc, t) for t in range(program.n_threads)]
        self.ended = {}
        self.joined = None

    def barrier(self, members, name):
        program = self.program
        enters = {}
        for location in members:
            enters[location] = program.work(location)
            program.enter(location, name)
        late = max(members, key=lambda location: (enters[location], -location))
        for location in members:
            program.clocks[location] = enters[late] + self.chance.randint(1, 4)
            program.leave(location, name)
            program.add_wait(location, "omp_barrier_wait", enters[location], enters[late], late)

    def fork(self, master, members, comm, inner=None):
        """Forks a team of `members`, and calls `inner` within it. Returns when it forked and joined."""
        program = self.program
        forked = program.work(master)
        program.record(master, "F", OPENMP, len(members))
        for location in members:
            program.clocks[location] = max(program.clocks[location], forked)
            program.work(location, 10)
            program.record(location, "t", comm)
            program.enter(location, "!$omp parallel")
            program.add_wait(location, "omp_fork", forked, program.clocks[location], master)
        for _ in range(self.chance.randint(0, 3)):
            self.barrier(members, "!$omp barrier")
        if inner:
            inner()
        self.barrier(members, "!$omp implicit barrier")
        for location in members:
            program.leave(location, "!$omp parallel")
            program.record(location, "u", comm)
        program.clocks[master] = max(program.clocks[location] for location in members) + 1
        program.record(master, "f", OPENMP)
        return forked, program.clocks[master]


def teams(chance, n_rounds=12):
    """Returns a program of processes whose first thread forks teams of all or some threads. Sometimes another thread forks within
    a team."""
    program = Program(chance, 2, 6)
    comms = {}
    for proc in range(2):
        made = Teams(program, proc)
        locations, master = made.locations, made.locations[0]
        for location in locations[1:]:
            del program.clocks[location]
        begun = program.clocks[master]
        program.enter(master, "main")
        pieces, took_part, members_of = [], [], lambda threads: tuple(locations[t] for t in threads)
        for _ in range(n_rounds):
            outer = members_of(chance.choice(((0, 1, 2, 3), (0, 1), (0,))))
            inner = members_of((1, 4, 5)) if len(outer) == 4 and chance.random() < 0.5 else None
            comm = comms.setdefault(outer, len(comms) + 1)
            nested = (lambda: made.fork(inner[0], inner, comms.setdefault(inner, len(comms) + 1))) if inner else None
            pieces.append(made.fork(master, outer, comm, nested))
            took_part.append(set(outer) | set(inner or ()))
        program.work(master)
        program.leave(master, "main")
        ever = set().union(*took_part) - {master}
        since = begun
        for (forked, joined), members in zip(pieces, took_part):
            for location in ever:
                program.add_wait(location, "omp_idle", since, forked, master)
                if location not in members:
                    program.add_wait(location, "omp_limited", forked, joined, master)
            since = joined
        for location in ever:
            program.add_wait(location, "omp_idle", since, program.clocks[master], master)
    program.definitions = [f"comm {comm} 0 team" for comm in comms.values()]
    return program


# ---- One-sided communication.

NO_ROOT = 4294967295
BARRIER_OP, BCAST, ALLREDUCE, REDUCE, SCAN, CREATE, DESTROY, ALLOCATE = 0, 1, 11, 12, 14, 17, 18, 19
WINDOW = 0


def one_sided(chance, n_procs):
    """Returns a program with a window of all processes."""
    program = Program(chance, n_procs, 1)
    program.definitions = [f"window {WINDOW} 0 window"]
    for location in program.clocks:
        program.enter(location, "main")
    return program


def access(program, location, target, until=0):
    """Puts or gets. Returns when the call is entered and left."""
    name = program.chance.choice(("Put", "Get"))
    entered = program.work(location)
    program.enter(location, "MPI_" + name)
    program.record(location, "O" if name == "Put" else "G", WINDOW, target // THREADS, 8, len(program.lines))
    program.clocks[location] = max(program.clocks[location], until) + program.chance.randint(1, 60)
    program.advance_to_unused(location)
    program.leave(location, "MPI_" + name)
    return entered, program.clocks[location]


def collective(program, region, operation, root, moved, together=True):
    """Plays an operation of all. `moved`: bytes that each member sends and receives. Returns begins and ends."""
    begins, ends = {}, {}
    for location in list(program.clocks):
        program.work(location)
        program.enter(location, region)
        program.clocks[location] += program.chance.randint(0, 2)
        begins[location] = program.clocks[location]
        program.record(location, "W")
    for rank, location in enumerate(program.clocks):
        wait = max(begins.values()) if together else begins[location]
        ends[location] = program.clocks[location] = wait + program.chance.randint(1, 20)
        program.record(location, "w", operation, 2, WINDOW, root, *moved[rank])
        program.clocks[location] += program.chance.randint(0, 2)
        program.leave(location, region)
    return begins, ends


def latest_of(begins, candidates=None):
    """Returns the latest location; the lowest one of equals."""
    return min(begins if candidates is None else candidates, key=lambda location: (-begins[location], location))


def waits_for_last(program, kind, begins, ends):
    last = latest_of(begins)
    for location, begin in begins.items():
        program.add_wait(location, kind, begin, min(begins[last], ends[location]), last)


def fences(chance, n_rounds=25):
    """Returns a program with accesses between fences; some fences do not synchronise."""
    program = one_sided(chance, 4)
    locations = list(program.clocks)
    begins, ends = collective(program, "MPI_Win_create", CREATE, NO_ROOT, [(0, 0)] * 4)
    waits_for_last(program, "wait_create", begins, ends)
    for _ in range(n_rounds):
        last = {}
        for location in locations:
            for _ in range(chance.randint(0, 3)):
                target = chance.choice([process for process in locations if process != location])
                last[target] = max(last.get(target, (0, None)), (access(program, location, target)[1], location))
        together = chance.random() < 0.8
        begins, ends = collective(program, "MPI_Win_fence", BARRIER_OP, NO_ROOT, [(0, 0)] * 4, together)
        latest = latest_of(begins)
        for location in locations if min(ends.values()) > begins[latest] else ():
            begin = begins[location]
            if begin < begins[latest] and last.get(location, (0,))[0] > begin:
                program.add_wait(location, "early_fence", begin, last[location][0], last[location][1])
                begin = last[location][0]
            program.add_wait(location, "wait_fence", begin, begins[latest], latest)
    begins, ends = collective(program, "MPI_Win_create", DESTROY, NO_ROOT, [(0, 0)] * 4)
    waits_for_last(program, "wait_destroy", begins, ends)
    return program


def shared_memory(chance, n_rounds=40):
    """Returns a program with collective operations of a partitioned memory, of all shapes. In some, only some members move data."""
    program = one_sided(chance, 4)
    locations = list(program.clocks)
    for _ in range(n_rounds):
        operation = chance.choice((BARRIER_OP, BCAST, ALLREDUCE, REDUCE, SCAN, ALLOCATE))
        root = chance.randint(0, 3)
        moved = {BCAST: [(8 * (r == root), 8) for r in range(4)], REDUCE: [(8, 8 * (r == root)) for r in range(4)],
                 ALLREDUCE: [(8 * chance.randint(0, 1), 8) for r in range(3)] + [(8, 8)],
                 SCAN: [(8, 8)] * 4}.get(operation, [(0, 0)] * 4)
        together = operation == BARRIER_OP or chance.random() < 0.7
        named = root if operation in (BCAST, REDUCE, ALLOCATE) else NO_ROOT
        begins, ends = collective(program, "shmem", operation, named, moved, together)
        senders = [location for location, (sent, _) in zip(locations, moved) if sent]
        if operation == BARRIER_OP:
            waits_for_last(program, "wait_barrier", begins, ends)
        elif operation == ALLREDUCE and min(ends.values()) > max(begins.values()):
            waits_for_last(program, "wait_nxn", begins, ends)
        elif operation == ALLREDUCE:
            last = latest_of(begins, senders)
            for location in locations:
                program.add_wait(location, "wait_nxn", begins[location], min(begins[last], ends[location]), last)
        elif operation in (BCAST, ALLOCATE):
            kind, process = "late_broadcast" if operation == BCAST else "wait_alloc", locations[root]
            for location in locations:
                program.add_wait(location, kind, begins[location], min(begins[process], ends[location]), process)
        elif operation == REDUCE:
            process, last = locations[root], latest_of(begins, senders)
            program.add_wait(process, "early_reduce", begins[process], min(begins[last], ends[process]), last)
        else:
            for rank, location in enumerate(locations):
                last = latest_of(begins, locations[:rank + 1])
                program.add_wait(location, "early_scan", begins[location], min(begins[last], ends[location]), last)
    return program


class Sync:
    """Calls that begin and end epochs."""

    def __init__(self, program):
        self.program, self.groups = program, {}

    def call(self, location, name, partners, until=0):
        """Plays a call that lasts at least until a time. Returns when the call is entered and left."""
        program = self.program
        group = self.groups.setdefault(tuple(partners), 200 + len(self.groups))
        entered = program.work(location, 60)
        program.enter(location, name)
        program.clocks[location] = max(entered, until) + program.chance.randint(1, 4)
        program.record(location, "Y", 2, WINDOW, group)
        program.clocks[location] += program.chance.randint(0, 2)
        program.leave(location, name)
        return entered, program.clocks[location]


def epochs(chance, n_rounds=40):
    """Returns a program with exposures and accesses. An origin waits for its targets at its start, in its first operation or at
    its completion."""
    program = one_sided(chance, 5)
    sync, locations = Sync(program), list(program.clocks)
    for _ in range(n_rounds):
        targets = sorted(chance.sample(locations, chance.randint(1, 3)))
        origins = [location for location in locations if location not in targets]
        targets_of = {origin: sorted(chance.sample(targets, chance.randint(1, len(targets)))) for origin in origins}
        posted, completed, accessed = {}, {}, {}
        for target in targets:
            posted[target], _ = sync.call(target, "MPI_Win_post", [o for o in origins if target in targets_of[o]])
        for origin in origins:
            last = latest_of(posted, targets_of[origin])
            calls, wait_place = [], chance.choice(("start", "access", "complete"))
            calls.append(sync.call(origin, "MPI_Win_start", targets_of[origin], posted[last] if wait_place == "start" else 0))
            for i in range(chance.randint(wait_place == "access", 3)):
                target = chance.choice(targets_of[origin])
                calls.append(access(program, origin, target, posted[last] if wait_place == "access" and i == 0 else 0))
                accessed[target] = max(accessed.get(target, 0), calls[-1][1])
            calls.append(sync.call(origin, "MPI_Win_complete", targets_of[origin], posted[last]))
            completed[origin] = calls[-1][0]
            for entered, left in calls:
                if entered < posted[last] < left:
                    program.add_wait(origin, "late_post", entered, posted[last], last)
        for target in targets:
            origins_of = [origin for origin in origins if target in targets_of[origin]]
            until = max((completed[origin] for origin in origins_of), default=0)
            entered, _ = sync.call(target, "MPI_Win_wait", origins_of, until)
            if origins_of:
                program.add_wait(target, "early_wait", entered, until, latest_of(completed, origins_of))
    program.definitions += [f"group {number} " + " ".join(str(m // THREADS) for m in members)
                            for members, number in sync.groups.items()]
    return program


def window_locks(chance, n_rounds=80):
    """Returns a program with locks that are granted at once, or only when they are first used."""
    program = one_sided(chance, 4)
    released = {}  # {target: [(time, exclusive, location)]}
    for _ in range(n_rounds):
        location = min(program.clocks, key=lambda l: (program.clocks[l], l))
        target, shared, lazy = chance.randint(0, 1), chance.randint(0, 1), chance.randint(0, 1)
        holders = [h for h in released.get(target, []) if h[1] or not shared]
        until, _, holder = max(holders, default=(0, False, None))
        calls = [(program.work(location), program.enter(location, "MPI_Win_lock"))[0]]
        early = chance.randint(0, 1)
        if early:
            program.record(location, "K", WINDOW, target, 0, shared)
        program.clocks[location] = max(program.clocks[location], 0 if lazy else until) + chance.randint(1, 3)
        if not early:
            program.record(location, "K", WINDOW, target, 0, shared)
        if not lazy and chance.randint(0, 1):
            program.record(location, "k", WINDOW, target, 0, shared)
        program.leave(location, "MPI_Win_lock")
        spans = [(calls[0], program.clocks[location])]
        if chance.randint(0, 1):
            spans.append(access(program, location, target * THREADS, until if chance.randint(0, 1) else 0))
        entered = program.work(location)
        program.enter(location, "MPI_Win_unlock")
        program.record(location, "l", WINDOW, target, 0)
        program.clocks[location] = max(entered, until) + chance.randint(1, 5)
        program.advance_to_unused(location)
        program.leave(location, "MPI_Win_unlock")
        spans.append((entered, program.clocks[location]))
        for begin, end in spans:
            if begin < until < end and holder != location:
                program.add_wait(location, "lock_competition", begin, until, holder)
        released.setdefault(target, []).append((program.clocks[location], not shared, location))
    return program


# ---- Threads and messages.

def hybrid():
    """Returns a program of two processes, of which the first has two threads: (script, {(kind, call path, location): [direct
    costs, later costs]}, indirect).

    Process 0 receives before it forks: it waits for 90 ticks for process 1, which works for 90 ticks more. Its other thread is
    idle for 120 ticks. Process 0 was busy for 30 of these ticks; process 1 is charged with 90 in the long term.

    In the parallel region the first thread waits for 70 ticks, for 80 ticks of more work of process 1. It has 18 ticks of work
    and 2 ticks of receiving more than the other thread. The other thread therefore waits for 90 ticks at the barrier. After the
    join there are 57 ticks of work.
    """
    main, parallel, barrier, send, receive = range(5)
    names = [("main", 1, FUNCTION), ("!$omp parallel", OPENMP, PARALLEL), ("!$omp barrier", OPENMP, BARRIER),
             ("MPI_Send", MPI, POINT2POINT), ("MPI_Recv", MPI, POINT2POINT)]
    events = {
        0: f"""1000 E {main}|1010 E {receive}|1101 R 1 0 1 8|1102 L {receive}|1120 F {OPENMP} 2|1121 t 20|1121 E {parallel}|1130 E {receive}|
               1201 R 1 0 2 8|1202 L {receive}|1240 E {barrier}|1241 L {barrier}|1242 L {parallel}|1242 u 20|1243 f {OPENMP}|1300 L {main}""",
        1: f"1122 t 20|1122 E {parallel}|1150 E {barrier}|1241 L {barrier}|1242 L {parallel}|1242 u 20",
        THREADS: f"""1000 E {main}|1100 E {send}|1100 S 0 0 1 8|1101 L {send}|1200 E {send}|1200 S 0 0 2 8|1201 L {send}|1300 L {main}""",
    }
    lines = [f"{location} {event.strip()}" for location, text in events.items() for event in text.split("|")]
    lines += [f"clock {programs.TICKS} 0 1400", "processes 2"]
    lines += [f"location {location} {location // THREADS} thread {location % THREADS}" for location in events]
    lines += [f"construct {i} {paradigm} {role} {name}" for i, (name, paradigm, role) in enumerate(names)]
    lines += [f"world 0 0 {THREADS}", "team 20 0 1"]
    costs = {("omp_idle", "main", 0): [28 + 57, 0], ("omp_idle", "main/MPI_Recv", 0): [2, 0],
             ("omp_barrier_wait", "main/!$omp parallel", 0): [18, 0], ("omp_barrier_wait", "main/!$omp parallel/MPI_Recv", 0): [2, 0],
             ("late_sender", "main", THREADS): [90 + 70, 0], ("omp_idle", "main", THREADS): [0, 90],
             ("omp_barrier_wait", "main", THREADS): [0, 70]}
    return "\n".join(lines) + "\n", costs, {"omp_barrier_wait": 70}
