#!/usr/bin/env python3
"""Call sites of archives with calling contexts, which OTF2's own writer writes as Score-P does. The test
compares them with the sites that follow from otf2-print's lines, and with the calls of the writer (archives/traps-contexts.c).

usage: contexts.py XTF OTF2-ARCHIVES
"""

import collections
import csv
import pathlib
import re
import subprocess
import sys

import otf2print
from xtfrun import Failure, Xtf, all_good, need_programs, temporary_folder

# Each call of the writer, with the lines around it: innermost first.
EXCHANGE, PHASE, WORK = "exchange (exchange.c:20)", "phase (main.c:56)", "work (work.c:75)"
CALLS = {
    ("MPI_Send", "exchange (exchange.c:24)", "main (main.c:50)"): 1,
    ("MPI_Send", EXCHANGE, "main (main.c:50)"): 1,
    ("MPI_Send", EXCHANGE, PHASE, "main (main.c:55)"): 1,
    ("MPI_Send", "main (main.c:65)"): 1, # through a library, which has no lines
    ("MPI_Recv", EXCHANGE, "main (main.c:50)"): 4,
    ("MPI_Barrier", "helper (work.c:81)", WORK, "main (main.c:60)"): 2,
    ("work", "main (main.c:60)"): 2, # not from work itself, whose frame is on the stack, too
    ("phase", "main (main.c:55)"): 1,
}
MESSAGES = [("exchange (exchange.c:24)", EXCHANGE), (EXCHANGE, EXCHANGE), (EXCHANGE, EXCHANGE), ("main (main.c:65)", EXCHANGE)]
SITE_FIELDS = ("site", "send_site", "recv_site", "culprit_site", "first_site", "last_site", "from_site", "to_site")


def expect_equal(label, found, wanted):
    if found != wanted:
        raise Failure(f"{label}: {found!r}, should be {wanted!r}")


class Contexts:
    """The calling contexts of an archive by their ids: (region, place, parent)."""

    def __init__(self, archive):
        definitions = otf2print.definitions(archive)
        pattern = re.compile(r'Region: "(.*?)" <(\d+)>, Source code location: (?:"(.*?)" <\d+>|UNDEFINED), Parent: (?:.*<(\d+)>|UNDEFINED)$')
        self.paradigms = {number: re.search(r'Paradigm: "?(\w+)', text)[1] for number, text in definitions["REGION"]}
        self.nodes = {}
        for number, text in definitions["CALLING_CONTEXT"]:
            match = pattern.match(text)
            self.nodes[number] = (match[1], int(match[2]), match[3], int(match[4]) if match[4] else None)

    def path(self, context):
        """Returns the function that a context calls, and the names of the lines around the call, innermost first."""
        name, region, _, parent = self.nodes[context]
        frames, instrumented = [], self.paradigms[region] != "SAMPLING"
        while parent is not None:
            inner, (name, region, place, parent) = name, self.nodes[parent]
            if not (instrumented and inner == name and self.paradigms[region] == "SAMPLING") and place:
                frames.append(f"{name} ({place.rsplit('/', 1)[-1]})")
            instrumented = self.paradigms[region] != "SAMPLING"
        return (self.nodes[context][0], *frames)


class Trace:
    def __init__(self, xtf, path):
        self.xtf = xtf
        self.path = path

    def read(self, name):
        return self.xtf.expect("cat", self.path, name).decode()

    def rows(self, name):
        return list(csv.DictReader(self.read(name).splitlines()))

    def calls(self):
        """Returns the calls of each site, by function and names of frames."""
        sites, found = self.rows("definitions/sites.csv"), collections.Counter()
        for row in self.rows("sites.csv"):
            site = sites[int(row["row"])]
            frames, at = [site["name"]], site
            while at["caller"] not in ("", "-"):
                at = sites[int(at["caller"])]
                frames.append(at["name"])
            expect_equal(f"site of row {row['row']}", row["site"], site["name"])
            found[(row["region"], *frames)] += int(row["calls"])
        return dict(found)


class Test:
    def __init__(self, xtf, folder):
        self.xtf = xtf
        self.folder = folder

    def imported(self, name, archive=None):
        """Returns the trace and the messages of the import."""
        trace = self.folder / (name + ".xtf")
        result = self.xtf.run("import", "--quiet", "--force", "-o", trace, archive or self.folder / (name + ".otf2"))
        expect_equal(f"status of importing {name}", (result.status, result.errors.decode() if result.status else ""), (0, ""))
        self.xtf.expect("check", trace)
        return Trace(self.xtf, trace), result.errors.decode()

    def exported(self, trace, *path):
        """Returns the import of the trace's export."""
        self.xtf.expect("export", "otf2", "--force", "-o", self.folder / "out", trace.path, *path)
        return self.imported("again", self.folder / "out" / "traces.otf2")[0]

    def sites(self):
        trace, messages = self.imported("contexts")
        expect_equal("messages of the import", messages, "")
        archive = self.folder / "contexts.otf2"
        contexts, judged = Contexts(archive), collections.Counter()
        for event in otf2print.events(archive):
            if event.name == "CALLING_CONTEXT_ENTER":
                judged[contexts.path(event.values()["calling_context"])] += 1
        expect_equal("calls by otf2-print", dict(judged), CALLS)
        expect_equal("calls", trace.calls(), CALLS)
        sites = trace.rows("definitions/sites.csv")
        library = [sites[int(row["callee"])] for row in sites if row["callee"] not in ("", "-")]
        expect_equal("frames of libraries", [(row["name"], row["object"]) for row in library], [("lib_send", "/usr/lib/libx.so")])

    def paths(self):
        """Compares site/FILE:LINE/ with the writer's calls."""
        trace, _ = self.imported("contexts")
        lines = collections.Counter()
        for (_, site, *_), n in CALLS.items():
            lines[re.search(r"\((.*)\)", site)[1]] += n
        for line, n in lines.items():
            expect_equal(f"calls of {line}", trace.read(f"site/{line}/calls/count").strip(), str(n))
        expect_equal("call of MPI_Send at main.c:65", trace.read("site/main.c:65/calls/records").split()[-2:], ["main(main.c:65)", "MPI_Send"])

    def waits(self):
        trace, _ = self.imported("contexts")
        self.xtf.expect("analyze", trace.path)
        expect_equal("messages", [(row["send_site"], row["recv_site"]) for row in trace.rows("messages.csv")], MESSAGES)
        late = [(row["amount"], row["site"], row["culprit_site"]) for row in trace.rows("waits/late_sender/records.csv")]
        # The receive begins at 200, the send at 500.
        expect_equal("late senders", late, [("300", EXCHANGE, "exchange (exchange.c:24)")])
        caused = {row["site"]: row["caused"] for row in trace.rows("sites.csv") if row["region"] == "MPI_Send"}
        expect_equal("waits caused by exchange.c:24", caused["exchange (exchange.c:24)"], "0.300")

    def exports(self):
        """Exports and imports again: all, a window, and a merge, whose definitions get new ids."""
        trace, _ = self.imported("contexts")
        expect_equal("calls after an export", self.exported(trace).calls(), CALLS)
        window = self.exported(trace, "time/0.42-0.60").calls() # process 0's last three sends, and `phase`
        wanted = {path: n for path, n in CALLS.items() if path[0] in ("MPI_Send", "phase") and "exchange (exchange.c:24)" not in path}
        expect_equal("calls in a window", {path: n for path, n in window.items() if path[0] != "MPI_Recv"}, wanted)
        parts = []
        for proc in ("proc/0", "proc/1"):
            part = self.exported(trace, proc)
            parts.append(part.path.rename(self.folder / (proc.replace("/", "-") + ".xtf")))
        merged = self.folder / "merged.xtf"
        self.xtf.expect("merge", "--quiet", "--force", "-o", merged, *parts)
        expect_equal("calls of a merge", Trace(self.xtf, merged).calls(), CALLS)
        expect_equal("calls after an export of a merge", self.exported(Trace(self.xtf, merged)).calls(), CALLS)

    def odd(self):
        trace, messages = self.imported("odd-contexts")
        for words in ("in 2 circles", "1 of 8 calls is left and never entered", "1 of 8 calls is never left",
                      "3 ids are used and not defined, of regions, calling_contexts"):
            expect_equal(f"the message of '{words}'", words in messages, True)
        expect_equal("calls", trace.calls(), {
            ("MPI_Recv", EXCHANGE, "main (main.c:50)"): 1,
            ("MPI_Send", EXCHANGE, "main (main.c:50)"): 1,
            ("MPI_Send", "exchange (exchange.c:24)", "main"): 1, # the circle ends there
            ("(undefined regions 91)", EXCHANGE, "main (main.c:50)"): 1,
        })

    def without(self):
        """A trace has no columns of sites if it has samples alone, or no calling contexts."""
        for name in ("samples-alone", "sums-plain"):
            trace, _ = self.imported(name)
            for table in ("enters_leaves/columns", "calls/columns", "longest.csv", "messages.csv"):
                shown = set(re.findall(r"\w+", trace.read(table).split("\n\n")[0] if table.endswith("columns") else
                                       trace.read(table).split("\n", 1)[0]))
                expect_equal(f"columns of sites in {table} of {name}", shown.intersection(SITE_FIELDS), set())
            for path in ("sites", "definitions/sites", "site"):
                expect_equal(f"status of {path} of {name}", self.xtf.run("ls", trace.path, path).status, 1)


def main():
    need_programs("otf2-print")
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([sys.argv[2], folder, "contexts", "odd-contexts", "samples-alone", "sums-plain"], check=True)
        test = Test(Xtf(sys.argv[1]), folder)
        good = all_good([test.sites, test.paths, test.waits, test.exports, test.odd, test.without])
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
