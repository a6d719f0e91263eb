"""Computes the expected `findings` of a selection from the tables of its tree: each rule of docs/TREE.md, naively."""

import collections
import csv
import io
import re
from decimal import Decimal

import naive_clocks
from asking import Refused

NAME, PLACE = 40, 76
OF_ALL = re.compile(r"p?mpi_(barrier|bcast|gatherv?|scatterv?|allgatherv?|alltoall[vw]?|reduce|allreduce|reduce_scatter(?:_block)?|scan|exscan|"
                    r"neighbor_(?:allgatherv?|alltoall[vw]?))(_c|_f08(ts)?|_fts)?_*", re.IGNORECASE)
UNJUDGED = re.compile(r"p?mpi_alltoall[vw](_c|_f08(ts)?)?_*", re.IGNORECASE)
USEFUL = {"program", "omp-work"}
OTHERS = {"ACCELERATOR_STREAM", "METRIC"}  # types of locations that are no threads
CLASSES = [
    ("waiting", 20, {"wait", "barrier"}, "is waiting"),
    ("communication", 20, {"p2p", "collective", "rma", "pgas"}, "is communication"),
    ("starting", 20, {"mpi-init"}, "is the start and the end of MPI"),
    ("openmp", 10, {"omp-sync"}, "is waiting in OpenMP"),
    ("files", 10, {"mpi-io", "io"}, "is reading and writing files"),
    ("measurement", 1, {"measurement"}, "is the recorder's own"),
]


# A finding: its score in percent, rule, sentence and table, the process and the region's row that it is about. Then its wording as a clause
# of another finding, and the place in the source that the sentence names.
Finding = collections.namedtuple("Finding", "score rule sentence table process region clause source", defaults=(None, None, None, None))
BY_CLOCKS = {"culprit", "waits", "path", "waiting", "ends"}  # rules that are silent if clocks contradict each other
RANKS = [["mismatch", "early", "clocks", "cpus"], ["culprit", "imbalance", "kinds", "waits", "path", "openmp", "files", "bytes", "iteration"],
         ["efficiency", "waiting", "communication", "phases"], ["unmatched", "not_left", "unjudged", "measurement", "unrecorded", "before",
          "recording", "missing"],
         ["starting", "concentration", "ends", "limits"]]


def digits(value, unit=""):
    """Returns three digits, or all digits before the point."""
    value = float(value)
    rounded = float(f"{value:.2e}")
    text = f"{rounded:.9f}".rstrip("0").rstrip(".") if abs(value) < 1000 else f"{value:.0f}"
    return text + unit


def seconds(value):
    value = float(value)
    for factor, unit in ((1, " s"), (1e3, " ms"), (1e6, " us"), (1e9, " ns")):
        if abs(value * factor) >= 0.9995:
            break
    return digits(value * factor, unit) if value > 0 else "0 s"


def percent(value):
    return digits(value, " %")


def count_text(value):
    return digits(value / 1e6, " million") if value >= 100000 else str(value)


def size(value):
    if value < 9999.5:
        return f"{value:.0f} bytes"
    for factor, unit in ((1e-12, " TB"), (1e-9, " GB"), (1e-6, " MB"), (1e-3, " KB")):
        if value * factor >= 0.9995:
            break
    return digits(value * factor, unit)


def moment(value, length):
    """Returns a time with the digits for a window of that length."""
    exponent = int(f"{float(length):e}".partition("e")[2]) if length > 0 else -7
    return f"{float(value):.{min(max(2 - exponent, 0), 12)}f} s"


def elide(name, most=NAME):
    tail = (most - 1) // 2
    return name if len(name) <= most else name[:most - 1 - tail] + "\u2026" + name[-tail:]


def window(begin, end):
    """Returns the directory of a window as paths have it: no zeros at the ends of times."""
    return "-".join(f"{Decimal(time).normalize():f}" for time in (begin, end))


class Tables:
    """The tables of one selection, or None for a table that the selection lacks."""

    def __init__(self, asker, path, contradictions):
        self.asker, self.path, self.contradictions = asker, path, contradictions
        self.tables = {}
        asker.ask(f"cat {path}/info".replace("cat /", "cat "))  # raises Refused if the selection does not exist
        self.definitions = self.whole_table("definitions/regions.csv")  # columns of texts may be too narrow
        self.regions = [row["name"] for row in self.definitions]
        self.contexts = self.whole_table("definitions/contexts.csv")
        self.info = {line["what"]: line["value"] for line in self.table("info")}
        self.begin, self.end = Decimal(self.info["from"]), Decimal(self.info["to"])
        # True if the selection has all records of some processes, threads and times, all record types, the whole run, or all processes.
        parts = path.split("/")
        self.of_processes = set(parts[::2]) <= {"", "proc", "thread", "time"}
        self.of_any_type = "calls" not in parts and "sends" not in parts
        self.whole_run = "time" not in parts and "at" not in parts
        self.all_processes = "proc" not in parts
        self.period = "the run" if self.whole_run else "the window"
        self.classes = {line["row"]: line["class"] for line in self.table("/definitions/regions") or []}
        self.profile = self.table("profile")
        self.threads, self.thread_time, self.all_time = self.measure()
        self.time_base = "the threads' time" if self.thread_time else "all time"

    def measure(self):
        """Computes the seconds of threads by class, their sum, and the sum of all locations. The result is None without other locations."""
        parts = self.path.split("/")
        places = "/".join(f"{key}/{value}" for key, value in zip(parts[::2], parts[1::2]) if key in ("proc", "thread", "time", "at"))
        classes, threads, device_time = collections.Counter(), Decimal(0), Decimal(0)
        locations = self.table("/definitions/locations") or []
        if not any(location["type"] in OTHERS for location in locations):
            return None, None, None
        for location in locations:
            below = f"proc/{location['proc']}/thread/{location['thread']}/classes"
            location_time = sum(self.ask_classes(f"{places}/{below}").values())  # including records that the selection leaves out
            if location["type"] in OTHERS:
                device_time += location_time
            else:
                threads += location_time
                classes.update(self.ask_classes(f"{self.path}/{below}"))
        return (classes, threads, threads + device_time) if threads and device_time else (None, None, None)

    def ask_classes(self, path):
        """Returns the seconds by class; `mpi` is the sum of some."""
        try:
            _, *lines = self.asker.ask(f"cat {path.lstrip('/')}").decode().splitlines()
        except Refused:
            return {}
        return {name.strip(): Decimal(exclusive) for _, exclusive, _, name in (line.split(None, 3) for line in lines) if name.strip() != "mpi"}

    def of_threads(self, share):
        """Converts a share of all time in percent to a share of the threads' time."""
        return share * self.all_time / self.thread_time if self.thread_time else share

    def table(self, name):
        """Returns the lines of a table. Several rules read them, and none changes them."""
        if name not in self.tables:
            self.tables[name] = self.read_table(name[1:] if name.startswith("/") else f"{self.path}/{name}".lstrip("/"))
        return self.tables[name]

    def read_table(self, path):
        try:
            head, *lines = self.asker.ask(f"cat {path}").decode().splitlines()
        except Refused:
            return None
        names = head.lstrip("# ").split()
        rows = [dict(zip(names, line.rstrip().split(None, len(names) - 1))) for line in lines]
        for row in rows:
            cut = re.fullmatch(r".*~(\d+)", row["region"]) if "~" in row.get("region", "") else None
            if cut and self.regions[int(cut[1])].startswith(row["region"].rpartition("~")[0]):
                row["region"] = self.regions[int(cut[1])]
        return rows

    def whole_table(self, path):
        try:
            text = self.asker.ask(f"cat {path}").decode()
        except Refused:
            return []
        return list(csv.DictReader(io.StringIO(text, newline="")))

    def class_of(self, line):
        return "before" if line["region"] == "(unmatched LEAVE)" else self.classes.get(line["row"], "program")

    def percent(self, classes):
        """Returns the share of exclusive time in classes, in percent."""
        if self.thread_time:
            return (sum((self.threads[name] for name in classes), Decimal(0)) / self.thread_time * 100).quantize(Decimal("0.01"))
        return sum((Decimal(line["exclusive%"]) for line in self.profile or []
                    if self.class_of(line) in classes and line["exclusive%"] != "-"), Decimal(0))


def place_of(tables, row):
    """Returns the place of a region in the source, or None."""
    region = tables.definitions[int(row)]
    base = region.get("file", "").rpartition("/")[2]
    return f"{elide(base)}:{region['line']}" if base and region["line"] else None


def source(tables, row):
    """Returns the text after the name of a region of the program."""
    known = row not in ("-", "") and tables.definitions[int(row)]["class"] in USEFUL and place_of(tables, row)
    return f" ({known})" if known and known not in elide(tables.regions[int(row)]) else ""


def source_of_callpath(tables, row):
    """Returns the text after a call path: the place of the program's innermost function, with its name if the path does not end with it."""
    around = row
    while around not in ("-", "") and tables.definitions[int(tables.contexts[int(around)]["region"])]["class"] not in USEFUL:
        around = tables.contexts[int(around)]["parent"]
    if around in ("-", ""):
        return ""
    region = tables.contexts[int(around)]["region"]
    name, known = elide(tables.regions[int(region)]), place_of(tables, region)
    return source(tables, region) if around == row or not known else f" ({name})" if known in name else f" ({name} at {known})"


def find_clocks(tables):
    found = tables.contradictions
    if found:
        name, judged, impossible, most = found
        subject = "messages" if name == "messages" else "ends of collective operations"
        fault = "are received before they are sent" if name == "messages" else "come before another member begins"
        yield Finding(Decimal(impossible) / judged * 100, "clocks", f"{impossible} of {judged} {subject} ({100 * impossible / judged:.1f} %) {fault}, by up to "
                      f"{seconds(most)}: the clocks disagree; xtf align corrects them", "messages" if name == "messages" else "collectives/records")


def cpus_in(text):
    """Returns the set of CPUs of a list such as 0-3,8."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return {cpu for end in ends for cpu in range(end[0], end[-1] + 1)}


def find_cpus(tables):
    """Finds the host with the most MPI processes a CPU. Counts the processes that may run on no other CPUs than one of them."""
    if not (tables.of_processes and tables.whole_run and tables.all_processes) or "thread" in tables.path:
        return
    processes = collections.defaultdict(dict)
    for line in read_csv(tables, "definitions/definition_properties"):
        if line["of"] == "LOCATION_GROUP":
            processes[line["owner"]][line["name"]] = line["value"]
    placed = [(process["record.host"], cpus_in(process["record.affinity"]), process["record.affinity"]) for process in processes.values()
              if {"record.host", "record.affinity"} <= set(process) and process.get("record.world_size") != "0"]
    most = {}
    for host, cpus, text in placed:
        n = sum(other == host and theirs <= cpus for other, theirs, _ in placed)
        if n > len(cpus):
            most[host] = max(most.get(host, (0,)), (n / len(cpus), n, len(cpus), text))
    if not most:
        return
    host = max(most, key=lambda host: most[host][0])
    ratio, n, n_cpus, text = most[host]
    others = len(most) - 1
    also = f", as do processes of {others} other host{'s' * (others > 1)}" if others else ""
    yield Finding(100 - 100 / ratio, "cpus", f"{n} processes share {n_cpus} CPU{'s' * (n_cpus > 1)} of {host} ({text}){also}: "
                  "calls and waits include time without a CPU", "definitions/definition_properties")


def times(n):
    return {0: "never", 1: "once"}.get(n, f"{n} times")


def last_calls(tables):
    """Returns the rows of the calls of MPI in which locations end: behind them are neither ENTERs nor LEAVEs."""
    last = {(row["proc"], row["thread"]): int(row["seq"]) for row in read_csv(tables, "enters_leaves/records")}
    rows = [row for row in read_csv(tables, "pending/records") if row["event"] == "PENDING"]
    return [row for row in rows if int(row["seq"]) > last.get((row["proc"], row["thread"]), -1)]


def calls_of_all(tables):
    """Returns {communicator: {function: {process: calls}}} of blocking operations, and the name of each function's region."""
    counts, names = collections.defaultdict(lambda: collections.defaultdict(collections.Counter)), {}
    rows = [row for row in read_csv(tables, "collectives/records") if row["event"] == "MPI_COLLECTIVE_END"] + last_calls(tables)
    for row in rows:
        region = tables.regions[int(row["region"])] if row["region"] else ""
        function = OF_ALL.fullmatch(region)
        if function and row["comm"]:
            counts[int(row["comm"])][function[1].lower()][int(row["proc"])] += 1
            names[function[1].lower()] = elide(region)
    return counts, names


def still_running(tables, properties):
    """Returns processes whose records end before MPI_Finalize or another end."""
    running = {proc for proc, name, value in properties if name == "record.end" and value.startswith(("killed", "status", "exited"))}
    pending = collections.defaultdict(list)
    for line in tables.table("stack") or []:
        if line["region"] == "-":
            continue
        name = tables.classes.get(line["row"], "program") if "row" in line else None
        pending[int(line["proc"])].append((line["region"], name))
    closing = {proc for proc, regions in pending.items() if any(region.lower().strip("_").endswith("mpi_finalize") for region, _ in regions)}
    inside = {proc for proc, regions in pending.items()
              if any(region.lower().startswith(("mpi_", "pmpi_")) and not region.lower().strip("_").endswith("mpi_finalize") for region, _ in regions)}
    return (running - closing) | inside


def find_mismatch(tables):
    """Finds communicators in which all processes but one call each blocking collective operation equally often."""
    if not (tables.of_processes and tables.whole_run and tables.all_processes) or "thread" in tables.path:
        return
    procs = [int(line["proc"]) for line in read_csv(tables, "definitions/processes")]
    properties = [(procs[int(line["owner"])], line["name"], line["value"]) for line in read_csv(tables, "definitions/definition_properties")
                  if line["of"] == "LOCATION_GROUP"]
    unseen = any(name in ("record.lost", "record.dropped", "record.without_ring") and value != "0" or name == "record.ended_early"
                 for _, name, value in properties)
    if unseen or len(processes_of(tables)) < 2 or any(row["event"] == "MEASUREMENT_ON_OFF" for row in read_csv(tables, "measurement/records")):
        return
    sure = len([name for _, name, _ in properties if name == "record.lost"]) >= len(processes_of(tables))
    counts, names = calls_of_all(tables)
    if not counts:
        return
    communicators, groups, rows = (read_csv(tables, f"definitions/{name}") for name in ("communicators", "groups", "members"))
    with_calls = {int(row["proc"]) for row in tables.table("by/proc/profile") or [] if row["calls"] != "0"}
    running, n_findings = still_running(tables, properties), 0
    for comm, functions in sorted(counts.items()):
        line = communicators[comm]
        if not line["group"] or line.get("remote_group") or n_findings == 3:
            continue
        members = naive_clocks.procs_of(groups[int(line["group"])], rows)
        if len(members) < 2 or len(members) != int(groups[int(line["group"])]["count"]) or not set(members) <= with_calls:
            continue
        finding = compare_members(members, functions, names, running, line["name"] or str(comm), sure)
        if finding:
            n_findings += 1
            yield finding


ORDER = ("barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw reduce allreduce reduce_scatter "
         "reduce_scatter_block scan exscan neighbor_allgather neighbor_allgatherv neighbor_alltoall neighbor_alltoallv neighbor_alltoallw").split()


def compare_members(members, functions, names, running, comm, sure):
    """Returns the finding about one communicator. Returns None if its members agree or the run ended too early."""
    if any(set(calls) - set(members) for calls in functions.values()):
        return None
    rows = {member: tuple(functions[name][member] if name in functions else 0 for name in ORDER) for member in members}
    kinds = collections.Counter(rows.values())
    lonely = [member for member in members if kinds[rows[member]] == 1]
    if len(kinds) != 2 or not lonely or (len(members) > 2 and len(lonely) != 1):
        return None
    if len(members) == 2:
        first = next(i for i, (a, b) in enumerate(zip(*(rows[member] for member in members))) if a != b)
        lonely.sort(key=lambda member: -rows[member][first])
    one = lonely[0]
    second = next(member for member in members if member != one)
    unequal = [(name, own_count, other_count) for name, own_count, other_count in zip(ORDER, rows[one], rows[second]) if own_count != other_count]
    has_more, has_less = any(own_count > other_count for _, own_count, other_count in unequal), any(own_count < other_count for _, own_count, other_count in unequal)
    if not (has_more and has_less) and running & ({one} if has_less else set(members) - {one}):
        return None  # a process with fewer calls may have been about to call it
    others_text = f"process {second}" if len(members) == 2 else f"the other {len(members) - 1} processes"
    parts = [f"{names[name]}{'' if i else f' on communicator {elide(comm)}'} {times(own_count)}, {others_text} {times(other_count)}"
             for i, (name, own_count, other_count) in enumerate(unequal[:2])]
    if len(unequal) > 2:
        parts.append(f"{len(unequal) - 2} more functions as unequally")
    share = max(1 - min(own_count, other_count) / max(own_count, other_count) for _, own_count, other_count in unequal)
    return Finding(Decimal(share) * 100, "mismatch", f"process {one} {'calls' if sure else 'seems to call'} {'; and '.join(parts)}", "by/proc/profile", one)


def find_classes(tables):
    for rule, least, wanted, words in CLASSES:
        lines = [line for line in tables.profile or []
                 if tables.class_of(line) in wanted and (line["calls"] != "0" or Decimal(line["exclusive"]))]
        share = tables.percent(wanted)
        if lines and share >= least:
            yield Finding(share, rule, f"{percent(share)} of {tables.time_base} {words}, most of it in {elide(lines[0]['region'])}: "
                                       f"{seconds(lines[0]['exclusive'])} in {count_text(int(lines[0]['calls']))} calls", "profile")


def find_unjudged(tables):
    for line in tables.profile or []:
        share = tables.of_threads(Decimal(line["exclusive%"])) if line["exclusive%"] != "-" else 0
        if UNJUDGED.fullmatch(line["region"]) and share >= 5:
            yield Finding(share, "unjudged", f"{line['region']} takes {percent(share)} of {tables.time_base}, and how much "
                          "of it is waiting is not judged: who sends to whom is not recorded", "profile")


def find_before(tables):
    for line in tables.profile or []:
        if tables.class_of(line) == "before" and line["exclusive%"] != "-" and Decimal(line["exclusive%"]) >= 1:
            yield Finding(Decimal(line["exclusive%"]), "before", f"{percent(line['exclusive%'])} of all time, {seconds(line['exclusive'])}, "
                          "is before LEAVEs without an ENTER: its regions are not known", "profile")


def find_recording(tables):
    total = sum(int(line["calls"]) for line in tables.profile or [])
    for line in tables.profile or []:
        calls, spent = int(line["calls"]), float(line["exclusive"])
        if calls >= 1000000 and calls >= 0.05 * total and spent * 1e6 / calls < 10:
            yield Finding(Decimal(line["exclusive%"]), "recording", f"{count_text(calls)} calls of {elide(line['region'])} take "
                          f"{seconds(spent / calls)} each: the recording itself may cost time", "profile")


def read_csv(tables, path):
    """Returns the lines of a table whose texts may have blanks."""
    try:
        return list(csv.DictReader(io.StringIO(tables.asker.ask(f"cat {path}.csv").decode(), newline="")))
    except Refused:
        return []


def find_missing(tables):
    """Returns the data that xtf record reports as not recorded, of the selected processes."""
    if not (tables.of_processes and tables.whole_run) or not tables.table("classes"):
        return
    procs = [int(line["proc"]) for line in read_csv(tables, "definitions/processes")]
    properties = [line for line in read_csv(tables, "definitions/definition_properties")
                  if line["name"] == "record.missing" and procs[int(line["owner"])] in processes_of(tables)]
    words = {word for line in properties for word in line["value"].split(" ")}
    outside = next(Decimal(line["exclusive%"].replace("-", "0")) for line in tables.table("classes") if line["class"] == "(no region)")
    parts = [f"OpenMP ({runtime} is loaded)" for runtime in ("libgomp", "libomp", "libiomp5") if runtime in words and "teams" in words]
    if not parts and "teams" in words:
        parts.append("OpenMP")
    if "locks" in words:
        parts.append("locks of threads (xtf record --locks)")
    tail = ""
    if "functions" in words and outside >= Decimal("33.33"):
        parts.append("functions of the program (-finstrument-functions, <xtf/user.h>)")
        tail = f"; {percent(outside)} of all time is in no region"
    if parts:
        yield Finding(outside, "missing", f"not recorded: {', '.join(parts)}{tail}", "classes")


def blocks(lines):
    """Returns the lines of by/time:N, one list a slice."""
    slices = []
    for line in lines:
        if not slices or (line["from"], line["to"]) != (slices[-1][0]["from"], slices[-1][0]["to"]):
            slices.append([])
        slices[-1].append(line)
    return slices


def processes_of(tables):
    lines = tables.table("by/proc/count")
    return [int(line["proc"]) for line in lines or []]


def threads_of(tables):
    return len(tables.table("by/thread/count") or [])


def slowest(lines, tables, wanted=None):
    """Returns the program's line of an imbalance with the greatest excess over the mean. The table is sorted by the exact mean, which it
    prints rounded."""
    lines = [line for line in lines if line["max_proc"] != "-"
             and (line["row"] == wanted if wanted else tables.classes.get(line["row"], "program") in USEFUL)]
    above = [Decimal(line["max"]) - Decimal(line["mean"]) for line in lines]
    if not lines or above[0] + Decimal(1).scaleb(above[0].as_tuple().exponent) < max(above):
        return None
    return above[0], lines[0]


def find_imbalance(tables):
    n = 1 if threads_of(tables) > 1000 else 10
    if len(processes_of(tables)) < 2 or not tables.table("imbalance"):
        return
    slices = [(line["from"], line["to"]) for line in tables.table(f"by/time:{n}/count")]
    runs, found, tenth = [], [], (tables.end - tables.begin) / n
    for i, (begin, end) in enumerate(slices):
        best = slowest(tables.table(f"time/{window(begin, end)}/imbalance"), tables) if begin != end else None
        if not best or best[0] <= 0 or best[0] < Decimal("0.02") * tenth:
            continue
        key = best[1]["row"], best[1]["max_proc"]
        if runs and runs[-1][2] == key and runs[-1][1] == i:
            runs[-1][1] = i + 1
        else:
            runs.append([i, i + 1, key])
    for i, j, (row, _) in runs:
        part = j - i < n
        path = f"time/{window(slices[i][0], slices[j - 1][1])}/imbalance" if part else "imbalance"
        above, line = slowest(tables.table(path), tables, row)
        if Decimal(line["mean"]) > 0 and above * 100 >= tables.end - tables.begin:
            part_text = f" between {10 * i} % and {10 * j} % of {tables.period}" if part else ""
            found.append(Finding(above / (tables.end - tables.begin) * 100, "imbalance",
                                 f"process {line['max_proc']} takes {digits(float(line['max']) / float(line['mean']))} times as long as the mean in "
                                 f"{elide(line['region'])}{source(tables, line['row'])}{part_text}: {seconds(line['max'])} instead of {seconds(line['mean'])}", path,
                                 int(line["max_proc"]), line["row"]))
    yield from sorted(found, key=lambda finding: -finding.score)[:3]


def find_concentration(tables):
    lines = tables.table("histogram") or []
    calls = [int(line["calls"]) if line["calls"] != "-" else 0 for line in lines]
    if sum(calls) < 100:
        return
    width = next(width for width in range(1, 101) if any(sum(calls[i:i + width]) * 10 >= sum(calls) * 9 for i in range(101 - width)))
    first = max(range(101 - width), key=lambda i: (sum(calls[i:i + width]), -i))
    n = sum(calls[first:first + width])
    if width < 20:
        begin, end = (float(time) for time in (lines[first]["from"], lines[first + width - 1]["to"]))
        yield Finding(Decimal(100 - width), "concentration", f"{percent(n / sum(calls) * 100)} of the calls are in {width} % of {tables.period}, "
                      f"from {moment(begin, end - begin)} to {moment(end, end - begin)}", "histogram")


def find_iteration(tables):
    lines = tables.table("iterations") or []
    if len(lines) < 5 or len(lines) > 20000 // max(len(processes_of(tables)), 1):
        return
    times = [Decimal(line["max"]) for line in lines]
    median, longest = sorted(times)[len(times) // 2], max(times)
    window = tables.end - tables.begin
    if longest * 2 < median * 3 or longest - median < window / 100:
        return
    line = lines[times.index(longest)]
    yield Finding((longest - median) / window * 100, "iteration", f"iteration {line['iteration']} of 0 to {len(lines) - 1} takes {digits(longest / median)} times as "
                  f"long as the median: {seconds(longest)} instead of {seconds(median)}, in process {line['max_proc']}", f"iter/{line['iteration']}/profile")


class Shares:
    """Shares of regions in each of 100 slices, in hundredths of a percent. Time outside all regions counts as one region."""

    def __init__(self, slices):
        self.lines = slices[0]
        self.times = [(lines[0]["from"], lines[0]["to"]) for lines in slices]
        self.slices = []
        for lines in slices:
            shares = [int(Decimal(line["exclusive%"]) * 100) if line["exclusive%"] != "-" else 0 for line in lines]
            self.slices.append(shares + [max(10000 - sum(shares), 0)])
        self.sums = [[0] * (len(self.lines) + 1)]
        for shares in self.slices:
            self.sums.append([a + b for a, b in zip(self.sums[-1], shares)])

    def mean(self, begin, end):
        return [(b - a) / (end - begin) for a, b in zip(self.sums[begin], self.sums[end])]

    def distance(self, begin, middle, end):
        return self.between((begin, middle), (middle, end))

    def between(self, first, second):
        return sum(abs(a - b) for a, b in zip(self.mean(*first), self.mean(*second))) / 2 / 10000


def find_phases(tables):
    procs, threads = processes_of(tables), threads_of(tables)
    chosen = min(len(procs), 64, max(512 * len(procs) // max(threads, 1), 1))
    selected = "" if chosen == len(procs) else f"proc/{','.join(str(procs[i * len(procs) // chosen]) for i in range(chosen))}/"
    slices = blocks(tables.table(f"{selected}by/time:100/profile") or [])
    if not any(line["calls"] != "0" or Decimal(line["exclusive"]) for line in tables.profile or []) or len(slices) < 100:
        return
    if any(lines[0]["from"] == lines[0]["to"] for lines in slices):
        return  # fewer ticks than slices
    shares = Shares(slices)
    edges = set()
    for i in range(0, 90, 10):
        if shares.distance(i, i + 10, i + 20) > 0.3:
            edges.add(max(range(i + 1, i + 20), key=lambda edge: (shares.distance(i, edge, i + 20), -edge)))
    edges = [0, *sorted(edges), 100]
    while len(edges) > 2:
        distances = [shares.distance(*edges[i - 1:i + 2]) for i in range(1, len(edges) - 1)]
        if min(distances) > 0.3 and len(edges) <= 6:
            break
        del edges[1 + distances.index(min(distances))]
    parts = []
    for begin, end in zip(edges, edges[1:]):
        by_class = collections.Counter()
        lost = []
        for line, share in zip(shares.lines, shares.mean(begin, end)):
            by_class[tables.class_of(line)] += share
            if tables.class_of(line) not in USEFUL | {"before", "mpi-init", "measurement", "unrecorded", "offload"}:
                lost.append((share, line["region"]))
        if by_class["mpi-init"] < 5000:
            parts.append((sum(share for share, _ in lost), begin, end, max(lost, key=lambda one: one[0])[1] if lost else ""))
    if len(parts) < 2:
        return
    worst = max(parts, key=lambda part: part[0])
    other_parts = [part for part in parts if part is not worst]
    other_mean = sum(part[0] * (part[2] - part[1]) for part in other_parts) / sum(part[2] - part[1] for part in other_parts)
    lost, begin, end, name = worst
    if lost - other_mean >= 3000:
        some = f", by {chosen} of {len(procs)} processes" if selected else ""
        yield Finding(Decimal((lost - other_mean) / 10000 * (end - begin)), "phases",
                      f"between {begin} % and {end} % of {tables.period}, {percent(lost / 100)} of the time is not the program's own, most of it in "
                      f"{elide(name)}; in the rest {percent(other_mean / 100)}{some}", f"time/{window(shares.times[begin][0], shares.times[end - 1][1])}/profile")


def find_ends(tables):
    if not (tables.of_processes and tables.whole_run) or len(processes_of(tables)) < 2:
        return
    lives = []
    for proc in processes_of(tables):
        prefix = "" if "proc/" in tables.path and len(processes_of(tables)) == 1 else f"proc/{proc}/"
        lines = tables.asker.ask(f"cat {tables.path + '/' if tables.path else ''}{prefix}records").decode().splitlines()
        if lines:
            lives.append((proc, lines[0].split()[0], lines[-1].split()[0]))
    if len(lives) < 2:
        return
    n, run = len(processes_of(tables)), tables.end - tables.begin
    first, second = sorted(lives, key=lambda life: (-Decimal(life[1]), life[0]))[:2]
    gap = Decimal(first[1]) - Decimal(second[1])
    if gap > run / 10:
        yield Finding(gap / run / n * 100, "ends", f"process {first[0]} begins at {moment(first[1], run)}, {seconds(gap)} after the one before it, "
                      f"process {second[0]}", f"proc/{first[0]}/records", first[0])
    first, second = sorted(lives, key=lambda life: (Decimal(life[2]), life[0]))[:2]
    gap = Decimal(second[2]) - Decimal(first[2])
    if gap > run / 10:
        yield Finding(gap / run / n * 100, "ends", f"process {first[0]} ends at {moment(first[2], run)}, {seconds(gap)} before the next, "
                      f"process {second[0]}", f"proc/{first[0]}/records", first[0])


def in_messages(tables):
    return tables.percent({"p2p", "wait"})


def find_moved(tables):
    lines = tables.table("bytes") or []
    for column, verb in (("bytes_sent", "sends"), ("bytes_received", "receives")):
        sizes = [int(line[column]) for line in lines]
        if not sizes or max(sizes) <= 2 * sum(sizes) / len(sizes):
            continue
        proc, most, mean = lines[sizes.index(max(sizes))]["proc"], max(sizes), sum(sizes) / len(sizes)
        yield Finding(Decimal((most - mean) / sum(sizes)) * in_messages(tables), "bytes",
                      f"process {proc} {verb} {digits(most / mean)} times as many bytes as the mean: {size(most)} of {size(sum(sizes))}", "bytes")


def find_unmatched(tables):
    sends, recvs = (int(tables.info.get(name, 0)) for name in ("sends", "recvs"))
    if tables.of_processes and tables.whole_run and tables.all_processes and "thread" not in tables.path and sends != recvs:
        yield Finding(Decimal(abs(sends - recvs)) / max(sends, recvs) * in_messages(tables), "unmatched",
                      f"{abs(sends - recvs)} {'message lacks its' if abs(sends - recvs) == 1 else 'messages lack their'} {'receive' if sends > recvs else 'send'}: {sends} sends and {recvs} receives "
                      "are recorded", "info")


def find_not_left(tables):
    calls, n_events = (int(tables.info.get(name, 0)) for name in ("calls", "enters_leaves"))
    if tables.of_processes and tables.whole_run and 2 * calls > n_events:
        yield Finding(Decimal(2 * calls - n_events) / calls * 100, "not_left",
                      f"at least {2 * calls - n_events} of {calls} calls have no end: the program was ended in them, or records are lost", "info")


def numbers(values):
    """Returns a set of numbers as a directory has it: 3,5-6."""
    runs = []
    for value in values:
        if runs and runs[-1][1] == value - 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def is_of_program(tables, order, i):
    return i == len(order) or tables.class_of(dict(zip(("region", "row"), order[i].split("\n")))) in USEFUL


def find_kinds(tables):
    order = [line["region"] + "\n" + line["row"] for line in tables.profile or [] if line["calls"] != "0" or Decimal(line["exclusive"])]
    n = len(processes_of(tables))
    if not order or n < 3:
        return
    everything = {line["region"] + "\n" + line["row"]: line for line in tables.profile}
    together = [int(Decimal(everything[key]["exclusive%"]) * 100) for key in order]
    together.append(max(10000 - sum(together), 0))
    shares = {}
    by_proc = tables.table("by/proc/profile")
    for line in by_proc:
        if line["exclusive%"] != "-":
            shares.setdefault(int(line["proc"]), {})[line["region"] + "\n" + line["row"]] = int(Decimal(line["exclusive%"]) * 100)
    rows = {}
    for proc, own in shares.items():
        row = [own.get(key, 0) for key in order]
        rows[proc] = row + [max(10000 - sum(row), 0)]
    if not rows:
        return
    distances = {proc: sum(abs(a - b) for a, b in zip(row, together)) for proc, row in rows.items()}
    farthest = max(sorted(rows), key=lambda proc: distances[proc])
    if distances[farthest] < 2000:
        return
    signed = [a - b for a, b in zip(rows[farthest], together)]
    differences = [abs(difference) for difference in signed]
    at = differences.index(max(differences))
    own = [(difference, -i) for i, difference in enumerate(signed) if difference > 0 and is_of_program(tables, order, i)]
    if own and 2 * max(own)[0] >= differences[at]:
        at = -max(own)[1]
    difference = rows[farthest][at] - together[at]
    members = [proc for proc in sorted(rows) if (rows[proc][at] - together[at] < 0) == (difference < 0)
               and 2 * abs(rows[proc][at] - together[at]) >= abs(difference)]
    if 2 * len(members) > n:
        return
    listed = ", " + numbers(members) if len(numbers(members)) + 2 <= 40 else ""
    head = f"{len(members)} of {n} processes are unlike the others{listed}: " if len(members) > 1 else ""
    lines_of = {}
    for line in by_proc:
        lines_of.setdefault(int(line["proc"]), []).append(line)
    whole = {proc: lifetime(lines_of[proc]) for proc in rows}
    rest = [proc for proc in rows if proc not in members]
    others = float(sum(rows[proc][at] * whole[proc] for proc in rest) / sum(whole[proc] for proc in rest)) if rest else 0
    more = rows[farthest][at] - others
    own, others = percent(rows[farthest][at] / 100), percent(others / 100)
    words, computes, place_text = f"computes {own} of its time, the others {others}", True, None
    if at < len(order):
        name, row = order[at].split("\n")
        place_text = source(tables, row)
        waiting = tables.class_of({"region": name, "row": row}) in {"wait", "barrier", "omp-sync"}
        words = f"{'waits' if waiting else 'is'} in {elide(name)}{place_text} for {own} of its time, the others for {others}"
        computes = tables.class_of({"region": name, "row": row}) in USEFUL
    clause = f"it {words}" if len(members) == 1 and computes and difference > 0 else None
    score = Decimal(abs(difference)) / 100 * len(members) / n
    if computes and more > 0:
        score = Decimal(more) / 100 * (n - len(members)) / n
    yield Finding(score, "kinds", f"{head}process {farthest} {words}", f"proc/{farthest}/profile",
                  farthest, None, clause, place_text)


def lifetime(lines):
    """Returns the time of all threads of a process in the selection, from the lines' shares of exclusive time."""
    lines = [line for line in lines if Decimal(line["exclusive%"] if line["exclusive%"] != "-" else 0)]
    line = max(lines, key=lambda line: Decimal(line["exclusive%"]), default=None)
    return Decimal(line["exclusive"]) / Decimal(line["exclusive%"]) * 100 if line else Decimal(0)


def find_efficiency(tables):
    lines = {line["figure"]: line for line in tables.table("efficiency") or []}
    if len(processes_of(tables)) < 2 or not lines:
        return
    column = "focus" if lines["parallel_efficiency"]["focus"] != "-" else "value"
    values = {name: line[column] for name, line in lines.items()}
    if values["parallel_efficiency"] == "-" or float(values["parallel_efficiency"]) >= 0.8:
        return
    share = Decimal(1)
    if column == "focus":
        begin, end = (Decimal(time) for time in values["window"].removeprefix("time/").split("-"))
        share = (min(end, tables.end) - max(begin, tables.begin)) / (tables.end - tables.begin)
    lost = (1 - Decimal(values["parallel_efficiency"])) * share * 100
    if lost < 2:
        return
    text = f"the parallel efficiency{' between MPI_Init and MPI_Finalize' if column == 'focus' else ''} is {digits(values['parallel_efficiency'])}"
    hybrid = "-" not in (values.get("mpi_parallel_efficiency", "-"), values.get("openmp_parallel_efficiency", "-"))
    for name, figure, other_name, other in ((": MPI's", "mpi_parallel_efficiency", "OpenMP's", "openmp_parallel_efficiency"),
                                            ("; load balance" if hybrid else ": load balance", "load_balance", "communication", "communication_efficiency"),
                                            (", which is serialization", "serialization", "transfer", "transfer")):
        if "-" not in (values.get(figure, "-"), values.get(other, "-")):
            text += f"{name} {digits(values[figure])} times {other_name} {digits(values[other])}"
    yield Finding(lost, "efficiency", text, "efficiency")


SENTENCES = {
    "late_sender": "waiting for a message that is sent late", "late_receiver": "waiting for a receive that is posted late",
    "wait_barrier": "waiting for the last to reach a barrier", "wait_nxn": "waiting for the last to begin an operation of all with all",
    "late_broadcast": "waiting for the root", "early_reduce": "the root's waiting for the others",
    "wait_create": "waiting for the last to make a communicator, a file or a window",
    "wait_destroy": "waiting for the last to free a communicator, a file or a window",
    "finalize_wait": "waiting for the last to reach MPI_Finalize",
    "init_completion": "from the first who leaves MPI_Init on", "barrier_completion": "from the first who leaves a barrier on",
    "nxn_completion": "from the first who ends an operation of all with all on", "early_scan": "waiting for lower ranks",
    "lock_contention": "waiting for a lock that another thread holds", "omp_barrier_wait": "waiting for the last thread of a team to reach a barrier",
    "omp_idle": "idle while the process forks no team",
}


def most_of_waits(tables):
    """Returns the share of the kind of waits with most time, its words and its place, or None without waits."""
    sums = {}
    for line in (tables.table("waits/profile") if tables.of_any_type else None) or []:
        kind = sums.setdefault(line["kind"], [Decimal(0), line])
        kind[0] += Decimal(line["amount%"]) if line["amount%"] != "-" else 0
    if not sums:
        return None
    name, (share, line) = max(sums.items(), key=lambda item: item[1][0])
    place_text = elide(line["region"])
    paths = [path for path in tables.whole_table(f"{tables.path}/waits/callpaths.csv".lstrip("/"))
            if path["kind"] == name and Decimal(path["amount"]) and path["callpath"].endswith("/" + line["region"])]
    path = max(paths, key=lambda path: Decimal(path["amount"]), default=None)
    if path and source_of_callpath(tables, path["call_path"]):
        place_text = elide_place(path["callpath"]) + source_of_callpath(tables, path["call_path"])
    words = "a thread waits for a condition" if name == "lock_contention" and "cond_" in line["region"] else SENTENCES[name]
    return tables.of_threads(share), f"{words} ({name}), mostly in {place_text}"


def find_waits(tables):
    most = most_of_waits(tables)
    if most and most[0] >= 2:
        yield Finding(most[0], "waits", f"{percent(most[0])} of {tables.time_base}: {most[1]}", "waits/profile")


def elide_place(name):
    return "the program itself" if name == "(no region)" else elide(name, PLACE)


def of_process(tables, proc, table):
    """Reads a table of one process as CSV, because texts cut names."""
    try:
        text = tables.asker.ask(f"cat {tables.path}/proc/{proc}/{table}.csv".replace("cat /", "cat ")).decode()
    except Refused:
        return []
    return list(csv.DictReader(io.StringIO(text, newline="")))


def find_culprit(tables):
    n = len(processes_of(tables))
    if n < 2 or not tables.of_any_type or not tables.table("delays/callpaths"):
        return
    lines = {proc: of_process(tables, proc, "delays/profile") for proc in processes_of(tables)}
    sums = {proc: sum(Decimal(line["total"]) for line in own) for proc, own in lines.items()}
    if not sum(sums.values()):
        return
    worst = max(sorted(sums), key=lambda proc: sums[proc])
    share = sums[worst] / sum(sums.values())
    waiting = sum((Decimal(line["amount%"]) for line in tables.table("waits/profile") or [] if line["amount%"] != "-"), Decimal(0))
    waited = sum(Decimal(line["amount"]) for line in tables.table("waits/profile") or [])
    waiting = tables.of_threads(waiting) * (min(sum(sums.values()) / waited, 1) if waited else 0)
    if share * waiting >= 1 and share * n >= Decimal("1.5"):
        line = max(of_process(tables, worst, "delays/callpaths"), key=lambda line: Decimal(line["total"]))
        yield Finding(share * waiting, "culprit", f"process {worst} causes {seconds(sums[worst])} of waiting, {percent(share * 100)} of all with a known cause, mostly by "
                      f"{elide_place(line['callpath'])}{source_of_callpath(tables, line['call_path'])}: {SENTENCES[line['kind']]} ({line['kind']})", f"proc/{worst}/delays/callpaths", worst)


def find_path(tables):
    lines = (tables.table("critical/profile") if tables.of_any_type else None) or []
    if not lines or len(processes_of(tables)) < 2:
        return
    worst = max(lines, key=lambda line: Decimal(line["imbalance"]))
    length = sum(Decimal(line["amount"]) for line in lines)
    if Decimal(worst["imbalance"]) <= 0 or Decimal(worst["imbalance"]) < length * 2 / 100:
        return
    reason = (": why is not known, as no message explains it"
              if worst["row"] != "-" and tables.class_of(worst) in {"wait", "barrier"} else "")
    on = None
    for proc in processes_of(tables):
        own_time = sum(Decimal(line["amount"]) for line in of_process(tables, proc, "critical/profile") if (line["row"] or "-") == worst["row"])
        if 3 * own_time >= 2 * Decimal(worst["amount"]):
            on = proc
    if (worst["row"] == "-" and on is None) or UNJUDGED.fullmatch(worst["region"]):
        return
    place_text = source(tables, worst["row"])
    share, region = percent(worst["amount%"]), elide_place(worst["region"]) + place_text
    yield Finding(Decimal(worst["imbalance"]) / (tables.end - tables.begin) * 100, "path",
                  f"the critical path is in {region}{'' if on is None else f' on process {on}'} for {seconds(worst['amount'])}, {share} of it, and "
                  f"{seconds(worst['imbalance'])} longer than threads are on average{reason}", "critical/profile", None if reason else on,
                  None if worst["row"] == "-" else worst["row"], None if on is None or reason else f"{share} of the critical path is on it, in {region}", place_text)


def find_limits(tables):
    threads = threads_of(tables)
    skipped, iterations = [], len(tables.table("iterations") or [])
    if threads > 1000 and len(processes_of(tables)) > 1 and tables.table("imbalance"):
        skipped.append(f"imbalance in tenths ({threads} threads)")
    if iterations >= 5 and iterations > 20000 // max(len(processes_of(tables)), 1):
        skipped.append(f"iterations unlike others ({iterations} iterations)")
    if skipped:
        yield Finding(Decimal(0), "limits", f"left out, since it would take too long: {', '.join(skipped)}", "info")


RULES = [find_mismatch, find_clocks, find_cpus, find_culprit, find_imbalance, find_kinds, find_waits, find_path, find_classes,
         find_moved, find_efficiency, find_phases, find_iteration, find_unmatched, find_not_left, find_unjudged,
         find_before, find_recording, find_missing, find_concentration, find_ends, find_limits]


def append_finding(finding, second):
    """Returns a sentence followed by another as a clause, which omits a place that the sentence names."""
    clause = second.clause or second.sentence
    if second.source and second.source in finding.sentence:
        clause = clause.replace(second.source, "", 1)
    return f"{finding.sentence}; {clause}"


def merge_findings(found):
    """Merges findings into one for each cause."""
    def first(rule):
        return next((one for one in found if one.rule == rule), None)

    on_path = first("path")
    for rule in ("culprit", "imbalance") if on_path else ():
        second = first(rule)
        on_it = second and on_path.process is not None and second.process == on_path.process
        if second and (on_it or (on_path.region is not None and second.region == on_path.region)):
            more = second._replace(score=max(second.score, on_path.score), sentence=append_finding(second, on_path) if on_it else second.sentence)
            found = [more if one is second else one for one in found if one is not on_path]
            break
    unlike = first("kinds")
    same = [one for rule in ("culprit", "imbalance", "path") for one in found
            if one.rule == rule and unlike and unlike.clause and one.process == unlike.process]
    if same:
        found = [one._replace(sentence=append_finding(one, unlike)) if one is same[0] else one for one in found if one is not unlike]
    named = first("culprit")
    found = [one for one in found if not (one.rule == "waits" and named)]
    lost = next((one for one in found if one.rule == "efficiency"), None)
    spent = max((one for one in found if one.rule in ("communication", "waiting")), key=lambda one: (one.score, one.rule == "communication"), default=None)
    if lost and spent and 2 * spent.score >= lost.score:
        found = [one._replace(sentence=f"{one.sentence}; {lost.sentence}") if one is spent else one for one in found if one is not lost]
    explained = max((one.score for one in found if one.rule in RANKS[1]), default=0)
    return [one for one in found if one.rule not in RANKS[2] or 2 * explained < one.score]


def expected_findings(tables):
    """Returns the findings, first by kind of remedy, then by falling score."""
    if tables.begin == tables.end:
        return []
    order = {rule: (rank, i) for rank, rules in enumerate(RANKS) for i, rule in enumerate(rules)}
    found = [finding for rule in RULES for finding in rule(tables)]
    if tables.contradictions:
        found = [one for one in found if one.rule not in BY_CLOCKS]
    found = merge_findings(found)
    return sorted(found, key=lambda one: (order[one.rule][0] + (order[one.rule][0] == 1 and one.score < 5), -round(min(one.score, Decimal(100)), 7), order[one.rule][1]))
