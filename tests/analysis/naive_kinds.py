"""The naive judge of waits that need no messages: for locks, in OpenMP teams, and in one-sided communication. It holds a whole
archive in memory, as otf2-print prints it, and walks over it once for each kind.

docs/VOCABULARY.md, section 9, has the formulas. The analysis itself walks over the records once, in the order of the clock; this
judge implements the formulas independently.
"""

import collections
import re

import otf2print
from judge import Judge
from otf2events import EVENTS

EXCLUSIVE = "EXCLUSIVE"
# Names of OpenMP's regions, by their role.
BARRIERS = ("BARRIER", "IMPLICIT BARRIER", "IMPLICIT_BARRIER")

Wait = collections.namedtuple("Wait", "location seq kind begin end culprit culprit_seq match completion part part_kind")


class Call:
    """One call of a region."""

    def __init__(self, region, enter, seq):
        self.region, self.enter, self.enter_seq = region, enter, seq
        self.leave = self.seq = self.row = None
        self.inside = False  # True if a record lies in the call


class Record:
    """A record and the innermost call around it; `row` is its number in the array of its type."""

    __slots__ = ("location", "seq", "row", "name", "time", "values", "call")

    def __init__(self, location, seq, row, name, time, values, call):
        self.location, self.seq, self.row, self.name, self.time, self.values, self.call = (location, seq, row, name, time,
                                                                                          values, call)

    def order(self):
        return self.time, self.location, self.seq


class Kinds:
    """`waits`, of all kinds. Location numbers must ascend by (process, thread)."""

    def __init__(self, archive):
        definitions = otf2print.definitions(archive)
        self.definitions = definitions
        self.regions = {number: self.region_of(text) for number, text in definitions["REGION"]}
        self.procs = Judge.ranks_of(definitions)
        self.records = collections.defaultdict(list)
        self.calls = collections.defaultdict(list)
        self.bounds = {}
        self.read_events(archive)
        self.waits = []
        self.begins = {}  # {(location, seq): when the operation of a window began}, for the records of both ends
        self.together = []  # [(when the last member began, ENDs of all)] for operations in which all members were present at one time
        self.entries = []  # [(location, seq, time of the first thread)]: threads of a team enter its parallel region
        self.leading = set()  # {(location, seq)} of waits of POSIX threads at which the critical path moves to the culprit
        self.created = {}  # {location: (its THREAD_BEGIN, the THREAD_CREATE)}
        self.thread_locks()
        self.thread_joins()
        self.file_locks()
        self.find_teams()
        self.idle_times()
        Windows(self).find()

    @staticmethod
    def region_of(text):
        """Returns (name, role, paradigm)."""
        return (re.match(r'Name: "(.*?)" <', text)[1], re.search(r"Role: ([A-Z_0-9 ]+)", text)[1].strip(),
                re.search(r'Paradigm: "?([A-Za-z_0-9 ]+)', text)[1].strip().upper())

    def read_events(self, archive):
        stacks, counts = collections.defaultdict(list), collections.Counter()
        for event in otf2print.events(archive):
            location = event.location
            stack, array = stacks[location], EVENTS[event.name][0]
            seq, row = counts[location], counts[location, array]
            counts[location] += 1
            counts[location, array] += 1
            first, _ = self.bounds.get(location, (event.time, None))
            self.bounds[location] = first, event.time
            call = stack[-1] if stack else None
            if event.name == "ENTER":
                region = self.regions[int(otf2print.REFERENCE.search(event.text.rstrip())[1])]
                stack.append(Call(region, event.time, seq))
                self.calls[location].append(stack[-1])
                self.records[location].append(Record(location, seq, row, "ENTER", event.time, None, stack[-1]))
            elif event.name == "LEAVE" and call:
                call.leave, call.seq, call.row = event.time, seq, row
                stack.pop()
                self.records[location].append(Record(location, seq, row, "LEAVE", event.time, None, call))
            else:
                self.records[location].append(Record(location, seq, row, event.name, event.time, event.values(), call))
        for location, stack in stacks.items():
            for call in stack:
                call.leave = self.bounds[location][1]

    def all(self, *names):
        """Returns the records of these names, in the order of the clock."""
        return sorted((r for records in self.records.values() for r in records if r.name in names), key=Record.order)

    def add(self, record, kind, begin, end, culprit, call=None, completion=0, part=0, part_kind="-"):
        """Adds a wait in `call` for the record `culprit`; the default is the call around the record."""
        call = call or record.call
        begin, end = max(begin, call.enter), min(end, call.leave)
        self.add_free(record.location, record.seq, kind, begin, end, culprit, completion, part, part_kind)

    def add_free(self, location, seq, kind, begin, end, culprit, completion=0, part=0, part_kind="-"):
        if end > begin or completion > 0:
            self.waits.append(Wait(location, seq, kind, begin, max(begin, end), culprit.location, culprit.seq, culprit.row,
                                   completion, part, part_kind if part else "-"))

    # ---- Locks.

    def thread_locks(self):
        orders = collections.defaultdict(lambda: ([], []))  # by lock and order: acquires, releases
        for record in self.all("THREAD_ACQUIRE_LOCK", "THREAD_RELEASE_LOCK"):
            key = self.procs[record.location], record.values["model"], record.values["lock"], record.values["order"]
            orders[key]["RELEASE" in record.name].append(record)
        for (*lock, order), (acquires, _) in orders.items():
            _, releases = orders.get((*lock, order - 1), (None, None))
            if acquires and releases and acquires[0].call:
                self.add(acquires[0], "lock_contention", acquires[0].call.enter, releases[-1].time, releases[-1])
                if lock[1] == "PTHREAD":
                    self.leading.add((acquires[0].location, acquires[0].seq))

    def thread_joins(self):
        threads = collections.defaultdict(dict)  # by process and number: the records
        for record in self.all("THREAD_CREATE", "THREAD_BEGIN", "THREAD_WAIT", "THREAD_END"):
            threads[self.procs[record.location], record.values["team"], record.values["sequence"]][record.name] = record
        for thread in threads.values():
            wait, end, begin, create = (thread.get(f"THREAD_{name}") for name in ("WAIT", "END", "BEGIN", "CREATE"))
            if wait and end and wait.call:
                self.add(wait, "thread_join", wait.call.enter, end.time, end)
                if not create or end.time - wait.call.enter >= (end.time - create.time) // 100:
                    self.leading.add((wait.location, wait.seq))
            if begin and create:
                self.created[begin.location] = begin, create

    def file_locks(self):
        files = {}
        for number, text in self.definitions.get("IO_HANDLE", ()):
            files[number] = re.search(r"File: .*?<(\d+)>", text)[1]
        released = collections.defaultdict(list)
        for record in self.all("IO_ACQUIRE_LOCK", "IO_RELEASE_LOCK"):
            file, exclusive = files[record.values["handle"]], record.values["lock_type"] == EXCLUSIVE
            if record.name == "IO_RELEASE_LOCK":
                released[file].append(record)
                continue
            before = [r for r in released[file] if exclusive or r.values["lock_type"] == EXCLUSIVE]
            if before and before[-1].location != record.location and record.call:
                self.add(record, "io_lock", record.call.enter, before[-1].time, before[-1])

    # ---- Teams.

    def find_teams(self):
        """Pairs each location's time in each team with its records in that time."""
        instances = collections.defaultdict(list)  # by process, team and occurrence: [(location, records, the fork)]
        for location, records in self.records.items():
            begun, inside, forks = collections.Counter(), [], []
            for record in records:
                if record.name == "THREAD_FORK":
                    forks.append(record)
                elif record.name == "THREAD_JOIN":
                    forks.pop()
                elif record.name == "THREAD_TEAM_BEGIN":
                    team = record.values["team"]
                    inside.append([])
                    claimed = forks[-1] if forks and forks[-1].values is not None else None
                    if claimed:
                        forks[-1] = Record(*[None] * 7)
                    instances[self.procs[location], team, begun[team]].append((location, inside[-1], claimed))
                    begun[team] += 1
                elif record.name == "THREAD_TEAM_END":
                    inside.pop()
                elif inside and record.call and record.call.region[2] == "OPENMP":
                    inside[-1].append(record)
        for members in instances.values():
            self.add_forks(members)
            self.add_barriers(members)

    def add_forks(self, members):
        fork = next((claimed for _, _, claimed in members if claimed), None)
        enters = [(location, next((r for r in records if r.name == "ENTER" and r.call.region[1] == "PARALLEL"), None))
                  for location, records, _ in members]
        first = min((enter.time for _, enter in enters if enter), default=None)
        for location, enter in enters:
            if fork and enter:
                self.entries.append((location, enter.seq, first))
                ended = [end for _, end in self.times_in_teams(location) if end <= enter.time]
                self.add_free(location, enter.seq, "omp_fork", max([fork.time] + ended[-1:]), enter.time, fork)

    def add_barriers(self, members):
        calls_of = {location: [r.call for r in records if r.name == "ENTER" and r.call.region[1] in BARRIERS]
                for location, records, _ in members}
        for i in range(max(map(len, calls_of.values()))):
            calls = {location: calls[i] for location, calls in calls_of.items() if len(calls) > i}
            late = min(calls, key=lambda location: (-calls[location].enter, location))
            last = Record(late, calls[late].seq, calls[late].row, "LEAVE", None, None, None)
            for location, call in calls.items():
                self.add_free(location, call.seq, "omp_barrier_wait", call.enter, min(calls[late].enter, call.leave), last)

    def times_in_teams(self, location):
        """Returns [(begin, end)] of the outermost teams that a location was in."""
        depth, times = 0, []
        for record in self.records[location]:
            if record.name == "THREAD_TEAM_BEGIN":
                if depth == 0:
                    times.append((record.time, None))
                depth += 1
            elif record.name == "THREAD_TEAM_END":
                depth -= 1
                if depth == 0:
                    times[-1] = times[-1][0], record.time
        return [(begin, end) for begin, end in times if end is not None]

    def idle_times(self):
        for proc in set(self.procs.values()):
            locations = [location for location in self.records if self.procs[location] == proc]
            open_forks, outermost = 0, []
            for record in self.all("THREAD_FORK", "THREAD_JOIN"):
                if record.location not in locations:
                    continue
                open_forks += 1 if record.name == "THREAD_FORK" else -1
                if record.name == "THREAD_FORK" and open_forks == 1:
                    outermost.append((record, None))
                elif open_forks == 0:
                    outermost[-1] = outermost[-1][0], record.time
            if outermost:
                self.idle_of(locations, outermost)

    def idle_of(self, locations, outermost):
        """Adds the idle times of a process's locations. `outermost`: [(fork, time of its join)]."""
        watched = [location for location in locations if any(r.name not in ("ENTER", "LEAVE") for r in self.records[location])]
        since, until = min(self.bounds[l][0] for l in watched), max(self.bounds[l][1] for l in watched)
        pieces = []
        for fork, joined in outermost:
            pieces += [("omp_idle", since, fork.time, fork), ("omp_limited", fork.time, joined, fork)]
            since = joined
        pieces.append(("omp_idle", since, until, outermost[-1][0]))
        for location in watched:
            times = self.times_in_teams(location)
            for kind, begin, end, fork in pieces if times else []:
                inside = any(a < end and b > begin for a, b in times)
                if location == fork.location or (kind == "omp_limited" and inside):
                    continue
                ended = max([b for _, b in times if b <= end], default=0)
                self.add_free(location, None, kind, max(begin, ended), end, fork)


class Windows:
    """One-sided communication. Ranks of a window are ranks of its communicator, which are processes here."""

    OPERATIONS = ("RMA_PUT", "RMA_GET", "RMA_ATOMIC")

    def __init__(self, kinds):
        self.kinds = kinds
        self.comms = {number: int(re.search(r"Communicator: .*?<(\d+)>", text)[1])
                      for number, text in kinds.definitions.get("RMA_WIN", ())}
        self.groups = {number: int(re.search(r"Group: .*?<(\d+)>", text)[1])
                       for number, text in kinds.definitions.get("COMM", ())}
        # otf2-print prints members so: `0 ("Master thread" <17>), ...`
        self.members = {number: [kinds.procs[int(location)] for location in re.findall(r"\d+ \(\".*?\" <(\d+)>\)", text)]
                        for number, text in kinds.definitions["GROUP"]}
        self.accesses = kinds.all(*self.OPERATIONS)
        self.proc = lambda record: kinds.procs[record.location]

    def find(self):
        self.operations()
        self.epochs()
        self.locks()

    def ranks(self, window):
        return self.members[self.groups[self.comms[window]]]

    def target(self, access):
        return self.ranks(access.values["window"])[access.values["peer"][0] if isinstance(access.values["peer"], tuple)
                                                   else access.values["peer"]]

    # ---- Collective operations.

    def operations(self):
        ends = collections.defaultdict(list)  # by window and process
        begun = {}
        for record in self.kinds.all("RMA_COLLECTIVE_BEGIN", "RMA_COLLECTIVE_END"):
            if record.name == "RMA_COLLECTIVE_BEGIN":
                begun[record.location] = record
                self.kinds.begins[record.location, record.seq] = record.time
            else:
                self.kinds.begins[record.location, record.seq] = begun[record.location].time
                ends[record.values["window"], self.proc(record)].append((begun[record.location], record))
        for window in self.comms:
            ranks = self.ranks(window)
            for k in range(min(len(ends[window, proc]) for proc in ranks)):
                self.operation(window, [ends[window, proc][k] for proc in ranks],
                               [ends[window, proc][k - 1][1].time if k else -1 for proc in ranks])

    def last_access(self, window, proc, since, members):
        """Returns the last access to a process since the previous operation, by the end of its call. The previous operation ended
        at `since` on each rank."""
        until = {self.proc(record): record.time for _, record in members}
        since = dict(zip(self.ranks(window), since))
        found = [a for a in self.accesses if a.values["window"] == window and self.target(a) == proc
                 and since[self.proc(a)] < a.time < until[self.proc(a)]]
        return max(found, key=lambda a: (a.call.leave, -a.seq), default=None)

    def operation(self, window, members, since):
        begins, ends = [begin.time for begin, _ in members], [record.time for _, record in members]
        latest = min(range(len(members)), key=lambda i: (-begins[i], i))
        name, region = members[0][1].values["operation"], members[0][1].call.region[0]
        fence = region == "MPI_Win_fence"
        root = members[0][1].values["root"]
        senders = [i for i, (_, record) in enumerate(members) if record.values["bytes"]]
        receives = [bool(record.values["received"]) for _, record in members]
        exchanges = name in ("ALLREDUCE", "ALLGATHER")
        if name == "BARRIER" and not fence or min(ends) > max(begins) and (exchanges or fence or "HANDLE" in name or root is None and "ALLOCATE" in name):
            self.kinds.together.append((max(begins), [record for _, record in members]))
        for i, (first, record) in enumerate(members):
            begin = first.time
            if fence or ("HANDLE" in name or "ALLOCATE" in name) and root is None:
                if min(ends) <= max(begins) or begin >= max(begins):
                    continue
                access = self.last_access(window, self.proc(record), since, members) if fence else None
                if access and begin < access.call.leave <= record.time:
                    self.add(first, "early_fence", begin, access.call.leave, access)
                    begin = access.call.leave
                kind = "wait_fence" if fence else "wait_destroy" if name.startswith("DE") else "wait_create"
                self.add(record, kind, begin, max(begins), members[latest][1])
            elif name == "ALLOCATE":
                self.add(record, "wait_alloc", begin, min(begins[root], record.time), members[root][1])
            elif name == "BARRIER":
                last = min(max(begins), record.time)
                self.add(record, "wait_barrier", begin, last, members[latest][1],
                         completion=max(0, record.time - max(min(ends), last)))
            elif name in ("BCAST", "SCATTER"):
                if receives[i]:
                    self.add(record, "late_broadcast", begin, min(begins[root], record.time), members[root][1])
            elif name in ("REDUCE", "GATHER"):
                late = min(senders, key=lambda s: (-begins[s], s))
                if i == root:
                    self.add(record, "early_reduce", begin, min(begins[late], record.time), members[late][1])
            elif name == "SCAN":
                earlier = [s for s in senders if s <= i]
                late = min(earlier, key=lambda s: (-begins[s], s))
                self.add(record, "early_scan", begin, min(begins[late], record.time), members[late][1])
            elif exchanges:
                self.exchange(i, begins, ends, members, senders, receives)

    def add(self, record, kind, begin, end, culprit, completion=0):
        self.kinds.add_free(record.location, record.seq, kind, begin, end, culprit, completion)

    def exchange(self, i, begins, ends, members, senders, receives):
        waiters, late = range(len(members)), min(range(len(members)), key=lambda m: (-begins[m], m))
        if min(ends) <= max(begins):
            late = min(senders, key=lambda s: (-begins[s], s))
            waiters = [m for m in range(len(members)) if m == late or (receives[m] and begins[m] < begins[late])]
        if i in waiters:
            last, through = min(begins[late], ends[i]), min(ends[m] for m in waiters)
            self.add(members[i][1], "wait_nxn", begins[i], last, members[late][1], max(0, ends[i] - max(through, last)))

    # ---- Post, start, complete, wait.

    def epochs(self):
        calls = collections.defaultdict(list)  # by call, window, from and to: records
        for record in self.kinds.all("RMA_GROUP_SYNC"):
            call_name = record.call.region[0].removeprefix("MPI_Win_")
            for proc in self.members[record.values["group"]]:
                calls[call_name, record.values["window"], self.proc(record), proc].append(record)
        number = {}  # matched partners of each start or wait, by id of its record
        for (call_name, window, own, partner), records in calls.items():
            partners = {"start": "post", "wait": "complete"}.get(call_name)
            for k, record in enumerate(records if partners else ()):
                matched = calls.get((partners, window, partner, own), [])
                number.setdefault(id(record), (call_name, window, record, []))[3].append(matched[k] if k < len(matched) else None)
        for call_name, window, record, matched in number.values():
            if None in matched:
                continue
            late = min(matched, key=lambda r: (-r.call.enter, r.location))
            if call_name == "wait":
                self.early_wait(window, record, late, matched)
            else:
                self.late_post(window, record, late)

    def origin_epoch(self, window, start):
        """Returns (the record that completes the epoch, the accesses in it)."""
        later = [r for r in self.kinds.records[start.location] if r.seq > start.seq]
        done = next(r for r in later if r.name == "RMA_GROUP_SYNC" and r.values["window"] == window
                    and r.call.region[0] == "MPI_Win_complete")
        return done, [r for r in later if r.seq < done.seq and r.name in self.OPERATIONS and r.values["window"] == window]

    def late_post(self, window, start, late):
        done, accesses = self.origin_epoch(window, start)
        for record in (done, start, *accesses):
            if record.call.enter < late.call.enter < record.call.leave:
                self.kinds.add(record, "late_post", record.call.enter, late.call.enter, late)
                break

    def early_wait(self, window, wait, late, completions):
        last = 0
        for done in completions:
            start = max((r for r in self.kinds.records[done.location] if r.name == "RMA_GROUP_SYNC" and r.seq < done.seq
                         and r.call.region[0] == "MPI_Win_start" and r.values["window"] == window), key=lambda r: r.seq)
            last = max([last] + [a.call.leave for a in self.origin_epoch(window, start)[1] if self.target(a) == self.proc(wait)])
        end = min(late.call.enter, wait.call.leave)
        part = max(0, end - max(last, wait.call.enter))
        self.kinds.add(wait, "early_wait", wait.call.enter, end, late, part=part, part_kind="late_complete")

    # ---- Locks.

    def locks(self):
        """Finds the epochs of each lock: the request, its type, and the release."""
        epochs, asked = collections.defaultdict(list), {}
        for record in self.kinds.all("RMA_REQUEST_LOCK", "RMA_ACQUIRE_LOCK", "RMA_RELEASE_LOCK"):
            key = record.values["window"], self.target(record), record.values["lock"]
            if record.name == "RMA_RELEASE_LOCK":
                epochs[key].append((asked.pop((key, record.location)), record))
            else:
                epoch = asked.setdefault((key, record.location), [record, None])
                epoch[1] = record if "ACQUIRE" in record.name else epoch[1]
        for lock_epochs in epochs.values():
            lock_epochs.sort(key=lambda epoch: epoch[1].call.leave)
            for i, ((request, acquired), release) in enumerate(lock_epochs):
                exclusive = request.values["lock_type"] == EXCLUSIVE
                before = [r for (q, _), r in lock_epochs[:i] if (exclusive or q.values["lock_type"] == EXCLUSIVE)
                          and (acquired is None or r.call.leave <= acquired.time)]
                if before:
                    self.competition(request, release, before[-1])

    def competition(self, request, release, holder):
        for call in self.kinds.calls[request.location]:
            if (call.region[0].startswith("MPI_") and request.call.enter <= call.enter <= release.call.enter
                    and call.enter < holder.call.leave < call.leave and holder.location != request.location):
                leave = Record(request.location, call.seq, None, None, None, None, call)
                self.kinds.add(leave, "lock_competition", call.enter, holder.call.leave, holder, call=call)
