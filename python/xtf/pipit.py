"""Events with the column names of Pipit, https://github.com/hpcgroup/pipit."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

from .values import Row

TYPES = {"ENTER": "Enter", "LEAVE": "Leave"}
# Names of attributes by the columns of `records`. Pipit's matrices of messages need them.
SENT = {"peer": "receiver", "bytes": "msg_length", "tag": "msg_tag", "comm": "communicator"}
RECEIVED = {**SENT, "peer": "sender"}
RECEIVES = ("MPI_RECV", "MPI_IRECV")
NANOSECONDS = 9  # decimals of a time in seconds


def nanoseconds(time: str) -> float:
    """Returns the nanoseconds of a time in seconds."""
    whole, _, decimals = time.partition(".")
    exact = int(whole + decimals.ljust(NANOSECONDS, "0"))
    return exact / 10 ** max(len(decimals) - NANOSECONDS, 0)


def pipit_name(event: str) -> str:
    """Returns the name of OTF2's Python module for an event: MpiSend for MPI_SEND."""
    return "".join(word.capitalize() for word in event.split("_"))


def attributes_of(record: Row) -> Dict[str, Any]:
    names = RECEIVED if record["event"] in RECEIVES else SENT
    return {names[column]: record[column] for column in names if record.get(column) is not None}


class Matcher:
    """Matches the ENTERs and LEAVEs of each thread, as Pipit does."""

    def __init__(self) -> None:
        self.stacks: Dict[Tuple[int, int], List[Tuple[int, Optional[str]]]] = {}
        self.partners: Dict[int, int] = {}

    def take(self, number: int, record: Row) -> None:
        """Takes the next record. A LEAVE ends the innermost open call of its name."""
        stack = self.stacks.setdefault((record["proc"], record["thread"]), [])
        if record["event"] == "ENTER":
            stack.append((number, record["name"]))
        elif record["event"] == "LEAVE":
            place = next((i for i in reversed(range(len(stack))) if stack[i][1] == record["name"]), None)
            if place is not None:
                enter, _ = stack.pop(place)
                self.partners[enter], self.partners[number] = number, enter


def make_pipit_frame(pandas: Any, records: Iterator[Row]) -> Any:
    """Returns the events in Pipit's columns, by time."""
    times: List[float] = []
    columns: Dict[str, List[Any]] = {name: [] for name in ("Event Type", "Name", "Thread", "Process", "Attributes")}
    matcher = Matcher()
    for number, record in enumerate(records):
        kind = TYPES.get(record["event"], "Instant")
        times.append(nanoseconds(record["time"]))
        columns["Event Type"].append(kind)
        columns["Name"].append(pipit_name(record["event"]) if kind == "Instant" else record["name"])
        columns["Thread"].append(record["thread"])
        columns["Process"].append(record["proc"])
        columns["Attributes"].append(None if kind == "Leave" else attributes_of(record))
        matcher.take(number, record)
    frame = pandas.DataFrame({"Timestamp (ns)": pandas.Series(times, dtype="float64"), **columns})
    frame = frame.astype({"Thread": "int32", "Process": "int32"})
    frame = frame.astype({name: "category" for name in ("Event Type", "Name", "Thread", "Process")})
    count = range(len(frame))
    frame["_matching_event"] = pandas.array([matcher.partners.get(i) for i in count], dtype="Int32")
    frame["_matching_timestamp"] = pandas.Series([times[matcher.partners[i]] if i in matcher.partners else None for i in count],
                                                 dtype="float64")
    return frame
