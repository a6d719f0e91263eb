"""Compares by/KEY/VIEW with the records: each block with the value's own file KEY/VALUE/VIEW, and that file with naive.py.

The values of a key and their order follow from otf2-print's definitions and records.
"""

import copy

from naive import RECVS, SENDS, slices

# Views whose lines are sorted, in another order in blocks.
ORDERED = ("profile", "imbalance", "growth")


class Blocks:
    """Blocks of one trace. `views` is the Views of views.py."""

    def __init__(self, views):
        self.views = views
        self.random = views.random
        self.shown = views.shown
        self.expected = views.expected

    def compare(self, window, procs):
        selection = self.views.chooser.selection(window, procs)
        if self.views.types and self.random.random() < 0.4:
            selection.in_type(self.random.choice(self.views.types))
        for key, values in self.random.sample(self.keys(selection), 2):
            if values:
                self.compare_key(selection, key, values)

    def keys(self, selection):
        """Returns [(key, [(first cells, narrowed selection)])]."""
        naive, tables = self.views.naive, self.shown.reader.list("/definitions")
        locations = naive.selected(selection)
        comms = self.shown.table("communicators") if "communicators" in tables else []
        if any(row["tag"] == "-" for row in (self.shown.table("tags") if "tags" in tables else [{"tag": "-"}])):
            selection.in_tags(set(range(10)), "0-9") # not all tags are listed, so only tags that the path names have blocks
        tags = sorted({record.event.values()["tag"] for location in naive.locations for record in location.records
                       if record.event.name in SENDS + RECVS})
        tags = sorted(selection.tags) if selection.tags else tags
        return [
            ("proc", [([proc], self.narrow(selection).in_procs({proc}))
                      for proc in sorted({location.proc for location in locations})]),
            ("thread", [([proc, thread], self.narrow(selection).in_procs({proc}).in_threads({thread}))
                        for proc, thread in sorted({(location.proc, location.thread) for location in locations})]),
            ("region", [([row], self.narrow(selection).in_regions(f"#{row}", {region}))
                        for row, region in enumerate(self.views.regions)]),
            ("comm", [([row], self.narrow(selection).in_comms(f"#{row}", {int(comm["id"])}))
                      for row, comm in enumerate(comms)]),
            ("peer", [([proc], self.narrow(selection).in_peers({proc})) for proc in naive.procs]),
            ("tag", [([tag], self.narrow(selection).in_tags({tag})) for tag in tags]),
            self.slices(selection),
        ]

    @staticmethod
    def narrow(selection):
        narrowed = copy.copy(selection)
        narrowed.parts = list(selection.parts)
        return narrowed

    def slices(self, selection):
        n = self.random.choice([1, 2, 3, 10, 33])
        bounds = slices(*selection.window(), n)
        return f"time:{n}", [([], self.narrow(selection).in_window(*bounds[i:i + 2])) for i in range(n)]

    def compare_key(self, selection, key, values):
        self.compare_counts(selection, key, values)
        views = [name for name in self.shown.reader.list(selection.path(f"by/{key}")) if name != "count"]
        path = selection.path(f"by/{key}/{self.random.choice(views)}")
        lines, view = self.lines(path), path.rsplit("/", 1)[1]
        n, remainder = divmod(len(lines), len(values))
        self.views.check(f"{path}: lines that are left over", remainder, 0)
        for i in {0, len(values) - 1, self.random.randrange(len(values))}:
            block, wanted = lines[n * i:n * (i + 1)], self.lines(values[i][1].path(view))
            self.views.check(f"{path}: lines of block {i}", len(block), len(wanted))
            for line in block:
                self.compare_cells(f"{path}: block {i}", line, values[i][0])
            found = [line[len(line) - len(expected_line):] for line, expected_line in zip(block, wanted)]
            order = sorted if view in ORDERED else list
            self.views.check(f"{path}: block {i}", order(found), order(wanted))
        if values[0][1].window()[0] < values[0][1].window()[1]:
            self.views.compare_views_of(self.random.choice(values)[1])

    def compare_counts(self, selection, key, values):
        """Compares the number of records in every block."""
        path = selection.path(f"by/{key}/count")
        lines = self.lines(path)
        self.views.check(f"{path}: blocks", len(lines), len(values))
        for line, (cells, narrowed) in self.random.sample(list(zip(lines, values)), min(len(values), 20)):
            self.compare_cells(path, line, cells)
            self.views.check(f"{path}: {cells}", int(line.split()[-1]), len(self.views.naive.records(narrowed)))

    def compare_cells(self, label, line, cells):
        self.views.check(f"{label}: key", line.split()[:len(cells)], [str(cell) for cell in cells])

    def lines(self, path):
        return self.shown.reader.read(path).split("\n")[1:-1]
