#!/usr/bin/env python3
"""Postings of messages: the side arrays `postings` and `cancelled`, `posted` in `recvs`, and the table `tags`. The test computes them
naively from otf2-print's lines, and reads them from the trace with the second reader.

usage: postings.py XTF OTF2-ARCHIVES
"""

import collections
import pathlib
import subprocess
import sys

import otf2print
from xtfrun import PROJECT, Failure, Xtf, need_programs, shared_traces, temporary_folder

sys.path.insert(0, str(PROJECT / "tests" / "reader"))
import xtf_reader  # pylint: disable=wrong-import-position

GENERATED = ["requests", "random-requests", "open-receives", "backward-times", "all-events", "sums-communicators"]
MESSAGES = {"MPI_SEND": "sends", "MPI_ISEND": "sends", "MPI_RECV": "recvs", "MPI_IRECV": "recvs"}
TAGS_MAX = 4096
# No row of `tags` has this number. A message with it has a tag that the table lacks.
NO_TAG = 2**32 - 1

# A message in the compared form: time and seq of its posting, its envelope, its row.
Message = collections.namedtuple("Message", "time seq comm tag bytes message")


class Location:
    """The expected messages of one location. `postings` has every posting and its end."""

    def __init__(self):
        self.time = self.seq = 0
        self.rows = {"sends": 0, "recvs": 0}
        self.postings = []
        self.cancelled = []
        self.posted = []
        self.open = []

    def latest(self, request, kinds):
        """Returns the latest open posting of a request id, or None."""
        found = [posting for posting in self.open if posting["request"] == request and posting["kind"] in kinds]
        return found[-1] if found else None

    def end(self, posting):
        """Ends a posting, and removes the earlier ones of its id and kind."""
        self.open = [expected_row for expected_row in self.open
                     if (expected_row["request"], expected_row["kind"]) != (posting["request"], posting["kind"])]

    def message(self, event, values, time, seq):
        array = MESSAGES[event.name]
        row = self.rows[array]
        self.rows[array] += 1
        return Message(time, seq, values["comm"], values["tag"], values["bytes"], row)

    def happen(self, event):
        self.time = max(self.time, event.time)
        values = event.values() if event.name in MESSAGES or "REQUEST" in event.name or "COMPLETE" in event.name else {}
        request = values.get("request")
        place = {"request": request, "time": self.time, "seq": self.seq}
        if event.name == "MPI_IRECV_REQUEST":
            self.open.append({**place, "kind": "recvs"})
        elif event.name == "MPI_SEND":
            self.message(event, values, self.time, self.seq)
        elif event.name == "MPI_ISEND":
            self.open.append({**place, "kind": "sends", "message": self.message(event, values, self.time, self.seq)})
        elif event.name in ("MPI_RECV", "MPI_IRECV"):
            posting = self.latest(request, ["recvs"]) if event.name == "MPI_IRECV" else None
            if posting:
                self.end(posting)
            posting = posting or place
            self.postings.append(self.message(event, values, posting["time"], posting["seq"]))
            self.posted.append(self.seq - posting["seq"])
        elif event.name == "MPI_ISEND_COMPLETE":
            self.end({"request": request, "kind": "sends"})
        elif event.name == "MPI_REQUEST_CANCELLED":
            posting = self.latest(request, ["sends", "recvs"])
            if posting:
                self.end(posting)
                if posting["kind"] == "sends":
                    self.cancelled.append(posting["message"])
        self.seq += 1


def expected(archive):
    """Returns {id: Location}, and the tags of all locations."""
    locations = collections.defaultdict(Location)
    tags = set()
    for event in otf2print.events(str(archive)):
        locations[event.location].happen(event)
        if event.name in MESSAGES:
            tags.add(event.values()["tag"])
    for location in locations.values():
        location.postings.sort(key=lambda message: message.seq)
        location.cancelled.sort(key=lambda message: message.seq)
    return locations, tags


class Found:
    """The rows of the trace. Communicators have the ids of the archive."""

    def __init__(self, path):
        self.trace = xtf_reader.Trace(str(path))
        self.comms = [row["id"] for row in self.table("communicators")]
        self.arrays = {(array.location, array.schema.name): array for array in self.trace.arrays()}

    def table(self, name):
        schema, rows = self.trace.tables.get(name, (None, []))
        return [dict(zip((field.name for field in schema.fields), schema.values(row))) for row in rows]

    def rows(self, location, name):
        array = self.arrays.get((location, name))
        names = [field.name for field in array.schema.fields] if array else []
        return [dict(zip(names, array.schema.values(row))) for row in array.read()] if array else []

    def messages(self, location, name):
        return [Message(row["time"], row["seq"], None if row["comm"] is None else self.comms[row["comm"]],
                        row["tag"], row["bytes"], row["message"]) for row in self.rows(location, name)]


def check_equal(label, found, wanted):
    if found == wanted:
        return
    if isinstance(wanted, list):
        for i, (found_row, expected_row) in enumerate(zip(found, wanted)):
            if found_row != expected_row:
                raise Failure(f"{label}: row {i} is {found_row}, should be {expected_row}")
        raise Failure(f"{label}: {len(found)} rows, should be {len(wanted)}")
    raise Failure(f"{label}: {found}, should be {wanted}")


def compare_archive(xtf, archive, folder):
    path = folder / (archive.stem + ".xtf")
    xtf.import_archive(archive, path, timeout=600)
    xtf.expect("check", path)
    locations, tags = expected(archive)
    found = Found(path)
    count = 0
    for number, location in sorted(locations.items()):
        place = f"{archive}: location {number}"
        postings = found.messages(number, "postings")
        check_equal(f"{place}: postings", postings, location.postings)
        check_equal(f"{place}: cancelled", found.messages(number, "cancelled"), location.cancelled)
        recvs, sends = found.rows(number, "recvs"), found.rows(number, "sends")
        check_equal(f"{place}: posted", [row["posted"] for row in recvs], location.posted)
        check_equal(f"{place}: receives that are posted", sorted(row.message for row in postings), list(range(len(recvs))))
        for row in found.rows(number, "postings"):
            check_equal(f"{place}: peer", row["peer"], recvs[row["message"]]["peer"])
            check_equal(f"{place}: seq of the posting", row["seq"],
                 recvs[row["message"]]["seq"] - recvs[row["message"]]["posted"])
        for row in found.rows(number, "cancelled"):
            for name in ("time", "seq", "comm", "peer", "tag", "bytes"):
                check_equal(f"{place}: {name} of a cancelled send", row[name], sends[row["message"]][name])
        count += len(postings) + len(location.cancelled)
    listed = sorted(tags - {NO_TAG})[:TAGS_MAX]
    wanted = listed + ([None] if len(tags) > len(listed) else [])
    check_equal(f"{archive}: tags", [row["tag"] for row in found.table("tags")], wanted)
    print(f"{archive}: {len(locations)} locations, {count} postings and cancelled sends, {len(tags)} tags")


def main():
    xtf, archives = Xtf(sys.argv[1]), sys.argv[2]
    need_programs("otf2-print")
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([archives, str(folder), *GENERATED], check=True)
        real = shared_traces()
        for archive in [folder / (name + ".otf2") for name in GENERATED] + [
                PROJECT / "examples" / "melt-4" / "eztrace_log.otf2", *(sorted(real.rglob("*.otf2")) if real else [])]:
            compare_archive(xtf, archive, folder)


if __name__ == "__main__":
    main()
