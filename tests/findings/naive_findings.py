"""What `findings` should say of a selection, worked out from the tables of its tree: each rule as docs/TREE.md has it, naively."""

import csv
import io
import re
from decimal import Decimal

from asking import Refused

NAME, PART_NAME = 40, 24
USEFUL = {"program", "omp-work"}
CLASSES = [
    ("waiting", 20, {"wait", "barrier"}, "is waiting"),
    ("communication", 20, {"p2p", "collective", "rma", "pgas"}, "is communication"),
    ("starting", 20, {"mpi-init"}, "is the start and the end of MPI"),
    ("openmp", 10, {"omp-sync"}, "is waiting in OpenMP"),
    ("files", 10, {"mpi-io", "io"}, "is reading and writing files"),
    ("measurement", 1, {"measurement"}, "is the recorder's own, or while it was off"),
]


def elide(name, most=NAME):
    tail = (most - 1) // 2
    return name if len(name) <= most else name[:most - 1 - tail] + "\u2026" + name[-tail:]


def window(begin, end):
    """The directory of a window, as paths have it: no zeros at the ends of times."""
    return "-".join(f"{Decimal(time).normalize():f}" for time in (begin, end))


class Tables:
    """The tables of one selection. A selection that has not got one has None."""

    def __init__(self, asker, path):
        self.asker, self.path = asker, path
        self.tables = {}
        asker.ask(f"cat {path}/info".replace("cat /", "cat "))  # Refused, if there is no such selection
        self.regions = self.whole_names()
        self.info = {line["what"]: line["value"] for line in self.table("info")}
        self.begin, self.end = Decimal(self.info["from"]), Decimal(self.info["to"])
        # All records of some processes, threads and times; the whole run.
        parts = path.split("/")
        self.of_processes = set(parts[::2]) <= {"", "proc", "thread", "time"}
        self.of_any_type = "calls" not in parts and "sends" not in parts
        self.whole_run = "time" not in parts and "at" not in parts
        self.all_processes = "proc" not in parts
        self.what = "the run" if self.whole_run else "the window"
        self.classes = {line["row"]: line["class"] for line in self.table("/definitions/regions") or []}
        self.profile = self.table("profile")

    def table(self, name):
        """The lines of a table, which several rules ask for; they leave them as they are."""
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

    def whole_names(self):
        """Of regions, by row: columns of tables may be too narrow for them."""
        try:
            text = self.asker.ask("cat definitions/regions.csv").decode()
        except Refused:
            return []
        return [row["name"] for row in csv.DictReader(io.StringIO(text, newline=""))]

    def class_of(self, line):
        return "before" if line["region"] == "(unmatched LEAVE)" else self.classes.get(line["row"], "program")

    def percent(self, classes):
        """The share of exclusive time in classes, in percent."""
        return sum((Decimal(line["exclusive%"]) for line in self.profile or []
                    if self.class_of(line) in classes and line["exclusive%"] != "-"), Decimal(0))


def classes(tables):
    for rule, least, wanted, words in CLASSES:
        lines = [line for line in tables.profile or []
                 if tables.class_of(line) in wanted and (line["calls"] != "0" or Decimal(line["exclusive"]))]
        percent = tables.percent(wanted)
        if lines and percent >= least:
            yield (percent, rule, f"{percent:.2f} % of all time {words}: {elide(lines[0]['region'])} has most of it, "
                                  f"{lines[0]['calls']} calls and {lines[0]['exclusive']} s", "profile")


def before(tables):
    for line in tables.profile or []:
        if tables.class_of(line) == "before" and line["exclusive%"] != "-" and Decimal(line["exclusive%"]) >= 1:
            yield (Decimal(line["exclusive%"]), "before", f"{line['exclusive%']} % of all time is before LEAVEs without an ENTER, "
                   f"{line['exclusive']} s: of which regions is not known", "profile")


def recording(tables):
    total = sum(int(line["calls"]) for line in tables.profile or [])
    for line in tables.profile or []:
        calls, seconds = int(line["calls"]), float(line["exclusive"])
        if calls >= 1000000 and calls >= 0.05 * total and seconds * 1e6 / calls < 10:
            yield (Decimal(line["exclusive%"]), "recording", f"{calls} calls of {elide(line['region'])} of {seconds * 1e6 / calls:.2f} us each, "
                   f"{line['exclusive']} s of all time: the recording itself may cost time", "profile")


def blocks(lines):
    """The lines of by/time:N, slice by slice."""
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
    """The line of an imbalance with the most above the mean, of the program. The mean is rounded, but the table is sorted without that."""
    lines = [line for line in lines if line["max_proc"] != "-"
             and (line["row"] == wanted if wanted else tables.classes.get(line["row"], "program") in USEFUL)]
    above = [Decimal(line["max"]) - Decimal(line["mean"]) for line in lines]
    if not lines or above[0] + Decimal(1).scaleb(above[0].as_tuple().exponent) < max(above):
        return None
    return above[0], lines[0]


def imbalance(tables):
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
        if Decimal(line["mean"]) > 0:
            where = f" between {10 * i} % and {10 * j} % of {tables.what}" if part else ""
            found.append((above / (tables.end - tables.begin) * 100, "imbalance",
                          f"process {line['max_proc']} takes {float(above) / float(line['mean']) * 100:.2f} % longer than the mean in "
                          f"{elide(line['region'])}{where}: {line['max']} s, the mean is {line['mean']} s", path))
    yield from sorted(found, key=lambda finding: -finding[0])[:3]


def concentration(tables):
    lines = tables.table("histogram") or []
    calls = [int(line["calls"]) if line["calls"] != "-" else 0 for line in lines]
    if sum(calls) < 100:
        return
    width = next(width for width in range(1, 101) if any(sum(calls[i:i + width]) * 10 >= sum(calls) * 9 for i in range(101 - width)))
    first = max(range(101 - width), key=lambda i: (sum(calls[i:i + width]), -i))
    n = sum(calls[first:first + width])
    if width < 20:
        yield (Decimal(100 - width), "concentration", f"{n / sum(calls) * 100:.2f} % of the calls are in {width} % of {tables.what}, from "
               f"{lines[first]['from']} s to {lines[first + width - 1]['to']} s: {n} of {sum(calls)}", "histogram")


class Shares:
    """Of regions in each of 100 slices, in hundredths of a percent; what is in no region is one of them."""

    def __init__(self, slices):
        self.names = [line["region"] for line in slices[0]] + ["no region"]
        self.slices = []
        for lines in slices:
            shares = [int(Decimal(line["exclusive%"]) * 100) if line["exclusive%"] != "-" else 0 for line in lines]
            self.slices.append(shares + [max(10000 - sum(shares), 0)])
        self.sums = [[0] * len(self.names)]
        for shares in self.slices:
            self.sums.append([a + b for a, b in zip(self.sums[-1], shares)])

    def mean(self, begin, end):
        return [(b - a) / (end - begin) for a, b in zip(self.sums[begin], self.sums[end])]

    def distance(self, begin, middle, end):
        return self.between((begin, middle), (middle, end))

    def between(self, one, other):
        return sum(abs(a - b) for a, b in zip(self.mean(*one), self.mean(*other))) / 2 / 10000


def phases(tables):
    procs, threads = processes_of(tables), threads_of(tables)
    chosen = min(len(procs), 64, max(512 * len(procs) // max(threads, 1), 1))
    where = "" if chosen == len(procs) else f"proc/{','.join(str(procs[i * len(procs) // chosen]) for i in range(chosen))}/"
    slices = blocks(tables.table(f"{where}by/time:100/profile") or [])
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
    if len(edges) == 2:
        return
    parts, score, room = [], 0, min(PART_NAME, (256 - 60) // (len(edges) - 1) - 28)
    for begin, end in zip(edges, edges[1:]):
        mean = shares.mean(begin, end)
        most = mean.index(max(mean))
        parts.append(f" to {end} % {'mostly' if mean[most] >= 5000 else 'most in'} {elide(shares.names[most], room)} ({mean[most] / 100:.2f} %)")
        score += shares.between((begin, end), (0, 100)) * (end - begin)
    some = f", by {chosen} of {len(procs)} processes" if where else ""
    yield Decimal(score), "phases", f"{tables.what} has {len(parts)} parts{some}:{','.join(parts)}", "by/time:100/profile"


def ends(tables):
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
    one, other = sorted(lives, key=lambda life: (-Decimal(life[1]), life[0]))[:2]
    gap = Decimal(one[1]) - Decimal(other[1])
    if gap > run / 1000:
        yield (gap / run / n * 100, "ends", f"process {one[0]} records nothing before {one[1]} s, {gap:f} s after process {other[0]}, "
               f"which begins before it, at {other[1]} s", f"proc/{one[0]}/records")
    one, other = sorted(lives, key=lambda life: (Decimal(life[2]), life[0]))[:2]
    gap = Decimal(other[2]) - Decimal(one[2])
    if gap > run / 1000:
        yield (gap / run / n * 100, "ends", f"process {one[0]} records nothing after {one[2]} s, {gap:f} s before process {other[0]}, "
               f"which is the next to end, at {other[2]} s", f"proc/{one[0]}/records")


def in_messages(tables):
    return tables.percent({"p2p", "wait"})


def moved(tables):
    lines = tables.table("bytes") or []
    for column, verb in (("bytes_sent", "sends"), ("bytes_received", "receives")):
        sizes = [int(line[column]) for line in lines]
        if not sizes or max(sizes) <= 2 * sum(sizes) / len(sizes):
            continue
        proc, most, mean = lines[sizes.index(max(sizes))]["proc"], max(sizes), sum(sizes) / len(sizes)
        yield (Decimal((most - mean) / sum(sizes)) * in_messages(tables), "bytes",
               f"process {proc} {verb} {most / mean:.2f} times as many bytes as the mean of all: {most} of {sum(sizes)}", "bytes")


def unmatched(tables):
    sends, recvs = (int(tables.info.get(name, 0)) for name in ("sends", "recvs"))
    if tables.of_processes and tables.whole_run and tables.all_processes and "thread" not in tables.path and sends != recvs:
        yield (Decimal(abs(sends - recvs)) / max(sends, recvs) * in_messages(tables), "unmatched",
               f"{sends} sends and {recvs} receives are recorded: {abs(sends - recvs)} messages lack their "
               f"{'receive' if sends > recvs else 'send'}", "info")


def unfinished(tables):
    calls, both = (int(tables.info.get(name, 0)) for name in ("calls", "enters_leaves"))
    if tables.of_processes and tables.whole_run and 2 * calls > both:
        yield (Decimal(2 * calls - both) / calls * 100, "unfinished",
               f"{2 * calls - both} of {calls} calls or more are never left: there are {both} ENTERs and LEAVEs", "info")


def numbers(values):
    """3, 5 and 6 as a directory has them."""
    runs = []
    for value in values:
        if runs and runs[-1][1] == value - 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def kinds(tables):
    order = [line["region"] + "\n" + line["row"] for line in tables.profile or [] if line["calls"] != "0" or Decimal(line["exclusive"])]
    n = len(processes_of(tables))
    if not order or n < 3:
        return
    everything = {line["region"] + "\n" + line["row"]: line for line in tables.profile}
    together = [int(Decimal(everything[key]["exclusive%"]) * 100) for key in order]
    together.append(max(10000 - sum(together), 0))
    shares = {}
    for line in tables.table("by/proc/profile"):
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
    differences = [abs(a - b) for a, b in zip(rows[farthest], together)]
    at = differences.index(max(differences))
    difference = rows[farthest][at] - together[at]
    members = [proc for proc in sorted(rows) if (rows[proc][at] - together[at] < 0) == (difference < 0)
               and 2 * abs(rows[proc][at] - together[at]) >= abs(difference)]
    if 2 * len(members) > n:
        return
    listed = ", " + numbers(members) if len(numbers(members)) + 2 <= 40 else ""
    head = f"{len(members)} of {n} processes are unlike the others{listed}: " if len(members) > 1 else ""
    name = elide(order[at].split("\n")[0]) if at < len(order) else "no region"
    yield (Decimal(abs(difference)) / 100 * len(members) / n, "kinds",
           f"{head}process {farthest} is in {name} for {rows[farthest][at] / 100:.2f} % of its time, all together for {together[at] / 100:.2f} %"
           + (": no other is like it" if len(members) == 1 else ""), f"proc/{farthest}/profile")


def efficiency(tables):
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
    more = (f", which is serialization {values['serialization']} times transfer {values['transfer']}"
            if "-" not in (values["serialization"], values["transfer"]) else "")
    product = (f": load balance {values['load_balance']} times communication {values['communication_efficiency']}"
               if "-" not in (values["load_balance"], values["communication_efficiency"]) else "")
    yield ((1 - Decimal(values["parallel_efficiency"])) * share * 100, "efficiency",
           f"the parallel efficiency{' between the ends of MPI' if column == 'focus' else ''} is {values['parallel_efficiency']}{product}{more}", "efficiency")


def waits(tables):
    sums = {}
    for line in (tables.table("waits/profile") if tables.of_any_type else None) or []:
        kind = sums.setdefault(line["kind"], [Decimal(0), 0, line])
        kind[0] += Decimal(line["amount%"]) if line["amount%"] != "-" else 0
        kind[1] += int(line["waits"])
    if not sums:
        return
    name, (percent, n, line) = max(sums.items(), key=lambda item: item[1][0])
    if percent >= 2:
        yield (percent, "waits", f"{percent:.2f} % of all time is waits of kind {name}, {n} of them: most of it in {elide(line['region'])}, "
               f"{line['amount']} s", "waits/profile")


def culprit(tables):
    lines = (tables.table("waits/matrix") if tables.of_any_type else None) or []
    total = sum((Decimal(line["amount"]) for line in lines), Decimal(0))
    sums = {}
    for line in lines:
        if line["waiter"] != line["culprit"]:
            sums[int(line["culprit"])] = sums.get(int(line["culprit"]), Decimal(0)) + Decimal(line["amount"])
    n = len(processes_of(tables))
    if n < 2 or not sums or not total:
        return
    worst = max(sorted(sums), key=lambda proc: sums[proc])
    share = sums[worst] / total
    waiting = sum((Decimal(line["amount%"]) for line in tables.table("waits/profile") if line["amount%"] != "-"), Decimal(0))
    if share * waiting >= 1 and share * n >= Decimal("1.5"):
        yield (share * waiting, "culprit", f"others wait {sums[worst]:f} s for process {worst}: {share * 100:.2f} % of all waiting for a process",
               "waits/matrix")


def path(tables):
    lines = (tables.table("critical/profile") if tables.of_any_type else None) or []
    if not lines or len(processes_of(tables)) < 2:
        return
    worst = max(lines, key=lambda line: Decimal(line["imbalance"]))
    length = sum(Decimal(line["amount"]) for line in lines)
    if Decimal(worst["imbalance"]) > 0 and Decimal(worst["imbalance"]) >= length * 2 / 100:
        yield (Decimal(worst["imbalance"]) / (tables.end - tables.begin) * 100, "path",
               f"the critical path is in {elide(worst['region'])} for {worst['amount']} s, {worst['amount%']} % of it: {worst['imbalance']} s "
               "more than the mean of all threads", "critical/profile")


def limits(tables):
    threads = threads_of(tables)
    if threads > 1000 and len(processes_of(tables)) > 1 and tables.table("imbalance"):
        yield Decimal(0), "limits", f"left out, since it would take too long: imbalance in tenths ({threads} threads)", "info"


RULES = [classes, before, recording, imbalance, concentration, phases, ends, moved, unmatched, unfinished, kinds, efficiency, waits, culprit,
         path, limits]


def expect(tables):
    """(score in percent, rule, sentence, path), the highest score first."""
    if tables.begin == tables.end:
        return []
    found = [finding for rule in RULES for finding in rule(tables)]
    return sorted(found, key=lambda finding: -round(min(finding[0], Decimal(100)), 7))
