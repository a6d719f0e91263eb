"""Compares calls/ and `longest` with the calls that naive.py finds in otf2-print's lines. Compares lines by window, process, thread and
regions, and the links of num/K of a call."""

from shown import shows, ticks_of

LINES_MAX = 5000
LONGEST = 100
COLUMNS = ["start", "proc", "thread", "end", "duration", "exclusive", "depth", "ending", "region", "name"]


class Calls:
    """Calls of one trace. `views` is the comparison of all views of the trace."""

    def __init__(self, views):
        self.views = views
        self.random = views.random
        self.ticks = views.expected.ticks
        self.origin = views.expected.origin
        self.has_sites = "sites" in views.shown.reader.list("/definitions")

    def compare(self, window, procs):
        if not self.views.has("enters_leaves"):
            return
        for narrow in False, True:
            selection = self.views.chooser.selection(window, procs)
            if narrow and self.random.random() < 0.3:
                selection.in_threads(self.views.chooser.subset(
                    {location.thread for location in self.views.naive.locations}))
            if narrow and self.random.random() < 0.8 and self.views.regions:
                selection = self.views.narrowing.by_region(selection)
            choice = self.random.random()
            if choice < 0.5:
                selection.in_calls()
            elif choice < 0.7:
                selection.in_type("enters_leaves")
            self.compare_longest(selection)
            if not selection.calls:
                selection.in_calls()
            self.compare_selection(selection.shuffled(self.random))

    def wanted(self, selection):
        """Returns [(begin, location's number, row, location, frame)] of the calls that are entered in the selection."""
        a, b = selection.a, selection.b
        return sorted((frame.begin, location.number, frame.row, location, frame)
                      for location in self.views.naive.selected(selection) for frame in location.frames
                      if a <= frame.begin and (b is None or frame.begin < b) and
                      (selection.regions is None or frame.region in selection.regions))

    def compare_selection(self, selection):
        views, path = self.views, selection.path()
        wanted = self.wanted(selection)
        views.check(f"count of {path}", views.shown.count(path), len(wanted))
        profile = views.shown.reader.read(selection.path("profile")).split("\n")[1:-1]
        views.check(f"calls of {path}profile", sum(int(line.split()[1]) for line in profile if line.split()[0] != "-"),
                    len(wanted))
        if len(wanted) > LINES_MAX:
            first = self.random.randrange(len(wanted) - LINES_MAX)
            self.compare_lines(f"{path}num/{first}-{first + LINES_MAX}", wanted[first:first + LINES_MAX])
        else:
            self.compare_lines(path, wanted)
        for k in self.random.sample(range(len(wanted)), min(len(wanted), 3)):
            self.compare_one(f"{path}num/{k}", wanted[k][3], wanted[k][4])

    def without_site(self, cells, at):
        """Returns the cells of a line without the cell of the call site, which contexts.py compares."""
        return [*cells[:at], *cells[at + 1:]] if self.has_sites else cells

    def compare_longest(self, selection):
        """Compares lines of: rank start end duration depth ending proc thread call row region."""
        views = self.views
        lines = [self.without_site(line, 11) for line in views.lines(selection.path("longest"), 11 + self.has_sites)]
        records = sum(len(location.calls) for location in views.naive.locations)
        views.same("lines", len(lines), min(records, LONGEST))
        wanted = sorted(self.wanted(selection),
                        key=lambda call: (call[0] - call[4].end, call[0], call[1], call[2]))[:LONGEST]
        for rank, line in enumerate(lines, 1):
            views.same("rank", int(line[0]), rank)
            if rank > len(wanted):
                views.same(f"rank {rank}", line[1:], ["-"] * 10)
                continue
            _, _, _, location, frame = wanted[rank - 1]
            found = (ticks_of(line[1], self.ticks, self.origin), ticks_of(line[2], self.ticks, self.origin),
                     ticks_of(line[3], self.ticks, 0), int(line[4]), line[5], int(line[6]), int(line[7]), int(line[8]))
            views.same(f"rank {rank}", found, (
                frame.begin, frame.end, frame.end - frame.begin, frame.depth, frame.ending, location.proc,
                location.thread, location.frames.index(frame)))
            views.same(f"rank {rank}: region", views.regions[int(line[9])], frame.region)
            views.same(f"rank {rank}: name", shows(line[10], views.names[frame.region]), True)

    def compare_lines(self, path, wanted):
        views = self.views
        lines = [self.without_site(line, 9) for line in views.shown.records(path, "calls")]
        views.check(f"columns of {path}", self.without_site(views.shown.columns_of["calls"], 9), COLUMNS)
        views.check(f"lines of {path}", len(lines), len(wanted))
        for i, (line, (_, _, _, location, frame)) in enumerate(zip(lines, wanted)):
            self.compare_line(f"{path}: line {i}", line, location, frame)

    def compare_line(self, place, line, location, frame):
        found = (ticks_of(line[0], self.ticks, self.origin), int(line[1]), int(line[2]),
                 ticks_of(line[3], self.ticks, self.origin), ticks_of(line[4], self.ticks, 0),
                 ticks_of(line[5], self.ticks, 0), int(line[6]), line[7])
        self.views.check(place, found, (frame.begin, location.proc, location.thread, frame.end, frame.end - frame.begin,
                                       frame.exclusive, frame.depth, frame.ending))
        self.views.check(f"{place}: region", self.views.regions[int(line[8])], frame.region)
        self.views.check(f"{place}: name", shows(line[9], self.views.names[frame.region]), True)

    def fields(self, path):
        return [line.split(None, 1)[1] for line in self.views.shown.reader.read(path).splitlines()]

    def compare_one(self, path, location, frame):
        """Compares one call as a directory."""
        views = self.views
        record = self.without_site(self.fields(f"{path}/record"), 9)
        self.compare_line(path, [cell.removesuffix(" s") if i in (0, 3, 4, 5) else cell for i, cell in enumerate(record)],
                          location, frame)
        children = [candidate for candidate in location.frames if candidate.parent is frame]
        lines = [self.without_site(line.rstrip(" ").split(None, len(COLUMNS) - 1 + self.has_sites), 9)
                 for line in views.shown.reader.read(f"{path}/children").splitlines()]
        views.check(f"{path}/children", len(lines), len(children))
        for line, child in zip(lines, children):
            self.compare_line(f"{path}/children", line, location, child)
        names = views.shown.reader.list(path)
        views.check(f"{path}: parent", "parent" in names, frame.parent is not None)
        views.check(f"{path}: leave", "leave" in names, frame.ending == "left")
        if frame.parent:
            self.compare_line(f"{path}/parent",
                              [cell.removesuffix(" s") if i in (0, 3, 4, 5) else cell
                               for i, cell in enumerate(self.without_site(self.fields(f"{path}/parent/record"), 9))], location, frame.parent)
        inside = sum(frame.row < candidate.row < frame.end_row for candidate in location.frames)
        views.check(f"{path}/inside", views.shown.count(f"{path}/inside"), inside)
        for link, row in (("enter", frame.row), ("leave", frame.end_row)):
            if link == "enter" or frame.ending == "left":
                record = dict(line.split(None, 1) for line in views.shown.reader.read(f"{path}/{link}/record").splitlines())
                views.check(f"{path}/{link}", (record["event"], int(record["seq"])),
                            (link.upper(), location.calls[row].seq))
