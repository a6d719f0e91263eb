"""The naive judge of the critical path of a recorded process whose threads create and join each other, and wait for mutexes."""

import collections

Record = collections.namedtuple("Record", "time thread seq event values enter")
Wait = collections.namedtuple("Wait", "end seq thread culprit_seq")


def nanoseconds(text):
    seconds, digits = text.split(".")
    return int(seconds) * 10**9 + int(digits.ljust(9, "0"))


def rows_of(trace, name):
    """Returns {(thread, seq): {column: cell}} of a record type."""
    columns = [line.split()[0] for line in trace.cat(f"{name}/columns").splitlines()[1:]]
    rows = (dict(zip(columns, line.split())) for line in trace.cat(f"{name}/records").splitlines())
    return {(int(row["thread"]), int(row["seq"])): row for row in rows}


class Joins:
    """`path`: [(begin, end, thread, next thread)] of the critical path, in nanoseconds since the first record; the next thread is
    None at the end."""

    def __init__(self, trace):
        self.waits, self.bounds = collections.defaultdict(list), {}
        values = rows_of(trace, "threads")
        if any("LOCK" in record[4] for record in trace.records):
            values.update(rows_of(trace, "locks"))
        found, stacks = [], collections.defaultdict(list)
        for time, _, thread, seq, event, *_ in trace.records:
            time, thread, seq = nanoseconds(time), int(thread), int(seq)
            self.bounds[thread] = self.bounds.get(thread, (time,))[0], time
            if event == "ENTER":
                stacks[thread].append(time)
            elif event == "LEAVE":
                stacks[thread].pop()
            else:
                enter = stacks[thread][-1] if stacks[thread] else None
                found.append(Record(time, thread, seq, event, values.get((thread, seq)), enter))
        self.add_joins([record for record in found if record.event.startswith("THREAD_") and "LOCK" not in record.event])
        self.add_locks([record for record in found if "LOCK" in record.event])
        self.path = list(self.segments())[::-1]

    def add_wait(self, waiter, end, culprit):
        self.waits[waiter.thread].append(Wait(end, waiter.seq, culprit.thread, culprit.seq))

    def add_joins(self, records):
        threads = collections.defaultdict(dict)
        for record in records:
            threads[record.values["sequence"]][record.event] = record
        for thread in threads.values():
            joined, ended = thread.get("THREAD_WAIT"), thread["THREAD_END"]
            if joined and ended.time > joined.enter:
                self.add_wait(joined, ended.time, ended)
            self.add_wait(thread["THREAD_BEGIN"], thread["THREAD_CREATE"].time, thread["THREAD_CREATE"])

    def add_locks(self, records):
        held = {}
        for record in records:
            held[record.values["lock"], int(record.values["order"]), record.event] = record
        for (lock, order, event), record in held.items():
            before = held.get((lock, order - 1, "THREAD_RELEASE_LOCK"))
            if event == "THREAD_ACQUIRE_LOCK" and before and before.time > record.enter and before.thread != record.thread:
                self.add_wait(record, before.time, before)

    def segments(self):
        thread = max(sorted(self.bounds), key=lambda thread: self.bounds[thread][1])
        time, seq, next_thread = self.bounds[thread][1], float("inf"), None
        while True:
            behind = [wait for wait in self.waits[thread] if wait.end <= time and wait.seq < seq]
            last = max(behind, key=lambda wait: wait.seq, default=None)
            begin = last.end if last else self.bounds[thread][0]
            if begin < time:
                yield begin, time, thread, next_thread
            if not last:
                return
            next_thread = thread if begin < time else next_thread
            time, thread, seq = begin, last.thread, last.culprit_seq


def shown_path(trace):
    """Yields the path in `critical/segments` in the same form."""
    for line in trace.cat("critical/segments").splitlines()[1:]:
        begin, end, _, thread, _, next_thread = line.split()[:6]
        yield nanoseconds(begin), nanoseconds(end), int(thread), None if next_thread == "-" else int(next_thread)
