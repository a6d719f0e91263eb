"""The judge of imports: an OTF2 archive as otf2-print prints it."""

import io
import os
import pathlib
import re
import subprocess

from otf2events import EVENTS, FLAGS, PARADIGMS, ROOTS

EVENT_LINE = re.compile(r"([A-Z_0-9]+) +(\d+) +(\d+)(?:  ?(.*))?$", re.S)
ATTRIBUTES_LINE = re.compile(r" +ADDITIONAL ATTRIBUTES: (.*)$", re.S)
REFERENCE = re.compile(r".*<(\d+)>$", re.S)
NAMED = re.compile(r'"(.*)" <(\d+)>$', re.S)
# ("NAME" <ID>; TYPE; VALUE), of attributes and of metric values.
TYPED = re.compile(r'\((?:"(.*?)"|INVALID) <(\d+)>; ([A-Z_0-9]+); (.*?)\)(?=, \((?:"|INVALID)|$)', re.S)
RULE = "-" * 80

# Lines of the last archives by options, files and their states, because several judges ask for the same archive.
KEPT_ARCHIVES, KEPT_LINES = 8, 20000
kept = {}


def state_of(archive):
    """Returns the state of an archive's files, which shows changes of the archive."""
    anchor = pathlib.Path(archive)
    files = [anchor, anchor.with_suffix(".def"), anchor.with_suffix(".marker"), *sorted(anchor.with_suffix("").rglob("*"))]
    return tuple((str(file), now.st_mtime_ns, now.st_size, now.st_ino) for file in files if file.exists() for now in [file.stat()])


def read_lines(archive, *options):
    """Returns the lines after the heading's rule. Joins a line that begins no event (because a name has a line feed) to the line before."""
    key = options, state_of(archive)
    if key in kept:
        yield from kept[key]
        return
    lines = []
    for line in run_otf2_print(archive, *options):
        if len(lines) <= KEPT_LINES:
            lines.append(line)
        yield line
    if len(lines) <= KEPT_LINES:
        if len(kept) == KEPT_ARCHIVES:
            del kept[next(iter(kept))]
        kept[key] = lines


def run_otf2_print(archive, *options):
    """Yields the lines of a new run of otf2-print, as read_lines() returns them."""
    command = ["otf2-print", *options, archive]
    # OTF2's global reader uses freed memory where a location has no events. So otf2-print must not see the variable by which Meson fills
    # freed memory.
    environment = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
    # OTF2's reader first fills tables of 180 MB, which takes half the time in large pages.
    environment["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    body = False
    pending = None
    for line in io.TextIOWrapper(process.stdout, encoding="utf-8", errors="surrogateescape", newline="\n"):
        line = line.rstrip("\n")
        if not body:
            body = line.startswith(RULE)
            continue
        if re.match(r"[A-Z_0-9]+ +", line) or ATTRIBUTES_LINE.match(line):
            if pending is not None:
                yield pending
            pending = line
        elif pending is not None and line and not line.startswith("==ERROR=="):
            pending += "\n" + line
    if pending is not None:
        yield pending
    process.wait()


class Event:
    """One event. Its fields and attributes are parsed on request."""

    __slots__ = ("name", "location", "time", "text", "attribute_text", "order")

    def __init__(self, name, location, time, text):
        self.name = name
        self.location = location
        self.time = time
        self.text = text
        self.attribute_text = None
        self.order = None

    def values(self):
        return parse_values(self.name, self.text)

    def attributes(self):
        """Returns [(id of the attribute, type, text of the value)]."""
        if not self.attribute_text:
            return []
        return [(int(i), kind, value) for _, i, kind, value in TYPED.findall(self.attribute_text)]


def events(archive):
    """Yields all events in the order of otf2-print."""
    last = None
    for line in read_lines(archive):
        match = EVENT_LINE.match(line)
        if match:
            if last:
                yield last
            last = Event(match[1], int(match[2]), int(match[3]), match[4] or "")
            continue
        match = ATTRIBUTES_LINE.match(line)
        if not match or last is None:
            raise ValueError(f"otf2-print: a line that is no event: {line!r}")
        last.attribute_text = match[1]
    if last:
        yield last


def key_pattern(key):
    """Returns the pattern of a key. Arguments and values are printed with their number: `3 Values: ...`, `1 Argument: ...`, `0 Arguments`."""
    if key in ("Values", "Arguments"):
        return rf"\d+ {key}?:? ?(.*)"
    return re.escape(key) + ": (.*)"


PATTERNS = {name: re.compile(", ".join(key_pattern(key) for key, _, _ in fields) + "$", re.S)
            for name, (_, fields) in EVENTS.items()}
CACHE = {}


def parse_values(name, text):
    """Returns {column: value} of an event's text. Rows of side arrays are under "values" or "arguments"."""
    known = CACHE.get((name, text))
    if known is not None:
        return known
    match = PATTERNS[name].match(text.rstrip())
    if not match:
        raise ValueError(f"otf2-print: {name} has other fields than expected: {text!r}")
    result = {}
    for (_, column, kind), value in zip(EVENTS[name][1], match.groups()):
        result[column or kind] = parse_value(kind, value)
    if len(CACHE) < 100000:
        CACHE[name, text] = result
    return result


def parse_value(kind, text):
    if kind in ("number", "time"):
        return None if text == "UNDEFINED" else int(text)
    if kind == "rank":
        return parse_rank(text)
    if kind == "peer":
        return parse_rank(text), parse_peer(text)
    if kind == "label":
        return parse_label(text)
    if kind in FLAGS:
        return parse_flags(kind, text)
    if kind == "text":
        match = NAMED.match(text)
        return match[1] if match else None
    if kind == "arguments":
        return re.findall(r'"(.*?)" <\d+>(?=, "|$)', text, re.S)
    if kind == "values":
        return [(int(i), value_type, value) for _, i, value_type, value in TYPED.findall(text)]
    return parse_reference(text)


def parse_reference(text):
    """Returns the id of a definition that a text refers to, or None if it is undefined."""
    match = REFERENCE.match(text)
    if match:
        return int(match[1])
    return int(text) if text.isdigit() else None


def parse_rank(text):
    word = text.split(" ", 1)[0]
    if word in ROOTS:
        return ROOTS[word]
    return int(word) if word.isdigit() else None


def parse_peer(text):
    """Returns the location of a rank such as 3 ("Master thread" <17>), or None if otf2-print does not know it."""
    match = re.match(r'\d+ \(".*" <(\d+)>\)$', text, re.S)
    return int(match[1]) if match else None


def parse_label(text):
    match = NAMED.match(text)
    return PARADIGMS[int(match[2])] if match else text


def parse_flags(kind, text):
    if text == "NONE":
        return 0
    return sum(1 << FLAGS[kind].index(flag) for flag in text.strip("{}").split(", "))


def definitions(archive):
    """Returns {KIND: [(id or None, text)]} of the global definitions."""
    found = {}
    for line in read_lines(archive, "-G"):
        kind = line.split(" ", 1)[0]
        # The id ends in column 40, the text begins in 42.
        number = line[len(kind):40].strip()
        found.setdefault(kind, []).append((int(number) if number.isdigit() else None, line[42:]))
    return found


def named_definitions(found, kind):
    """Returns {id: first name} of definitions that begin with `Name: "..." <n>`."""
    names = {}
    for number, text in found.get(kind, []):
        match = re.match(r'Name: "(.*?)" <\d+>(?:,| \(|$)', text, re.S)
        if number is not None and number not in names:
            names[number] = match[1] if match else None
    return names


def clock(found):
    """Returns (ticks a second, global offset)."""
    text = found["CLOCK_PROPERTIES"][0][1]
    return (int(re.search(r"Ticks per Seconds: (\d+)", text)[1]), int(re.search(r"Global Offset: (\d+)", text)[1]))
