"""Made-up runs as event files of Chrome's format, which xtf imports."""

import json
import subprocess


def make_run(xtf, folder, name, processes):
    """Writes a run in which each process makes calls of (region, seconds), one after the other. Returns its trace."""
    events = []
    for process, calls in enumerate(processes):
        now, common = 0.0, {"pid": process, "tid": 0}
        for region, seconds in calls:
            events.append({"ph": "B", "name": region, "ts": now * 1e6, **common})
            now += seconds
            events.append({"ph": "E", "ts": now * 1e6, **common})
    source = folder / f"{name}.json"
    source.write_text(json.dumps({"traceEvents": events}))
    trace = source.with_suffix(".xtf")
    subprocess.run([xtf, "import", "-q", "-f", "-o", trace, source], check=True, capture_output=True, timeout=60)
    return str(trace)


def read_table(text):
    """Returns the rows of a table, as {column: text}; the last column may have blanks."""
    lines = text.splitlines()
    names = lines[0][1:].split()
    return [dict(zip(names, line.split(None, len(names) - 1))) for line in lines[1:]]


def distance(a, b):
    """Returns the distance of two vectors: {key: number}."""
    keys = set(a) | set(b)
    total = sum(a.values()) + sum(b.values())
    return sum(abs(a.get(key, 0) - b.get(key, 0)) for key in keys) / total if total else 0
