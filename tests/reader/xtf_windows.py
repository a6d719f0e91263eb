"""Totals of windows, computed as docs/FORMAT.md, section 7, says: only the leaves at a window's edges are read."""
from bisect import bisect_right

from xtf_schema import Bytes
from xtf_totals import BEFORE, BORDERS, MASK, REAL, SNAPSHOTS, Frames, Section, groups_of, is_small, number, page_tables, table, tables, totals_of, value_kind


class Window:
    """Totals of one aggregate of an array."""

    def __init__(self, array, index):
        array.read_edge()
        self.array, self.index, self.aggregate = array, index, array.schema.aggregates[index]
        self.leaves_read, self.coarse = set(), False

    def keyed(self, rows, child, depth):
        """Returns {key: cells} of a child's stored rows; None if the rows distinguish too few keys."""
        keys = len(self.aggregate.keys)
        own = [row for row in rows if row[0] == child]
        if own[0][1] < depth:
            self.coarse = True
            return None
        return self.joined((row[2:2 + row[1]], self.numbers(row[2:2 + row[1]], row[2 + keys:])) for row in own)

    def numbers(self, key, cells):
        """Returns cells as the numbers that they represent."""
        if self.aggregate.frames:
            return list(cells)
        step = 4 if self.aggregate.extremes else 1
        kinds = [value_kind(self.array, self.aggregate, i, key, len(key)) for i in range(len(self.aggregate.values))]
        return [cells[0]] + [number(cells[1 + i * step + c], kind) for i, kind in enumerate(kinds) for c in range(step)]

    def add(self, cells, later, key):
        """Returns the sum of cells and the cells of later rows."""
        if self.aggregate.frames:
            return [(a + b) & MASK for a, b in zip(cells[:4], later)] + [max(cells[4], later[4])]
        result, step = [cells[0] + later[0]], 4 if self.aggregate.extremes else 1
        for i in range(len(self.aggregate.values)):
            kind = value_kind(self.array, self.aggregate, i, key, len(key))
            a, b = cells[1 + i * step:1 + (i + 1) * step], later[1 + i * step:1 + (i + 1) * step]
            total = a[0] + b[0] if kind == REAL else number(a[0] + b[0], kind)
            result += [total] if step == 1 else [total, *([min(a[1], b[1]), max(a[2], b[2]), b[3]] if b[1] <= b[2] else a[1:])]
        return result

    def joined(self, groups, sums=None):
        sums = {} if sums is None else sums
        for key, cells in groups:
            sums[key] = self.add(sums[key], cells, key) if key in sums else cells
        return sums

    def totals(self, n1, n2):
        """Returns {key: cells} of rows [n1, n2), by all keys."""
        array, result = self.array, {}
        if n1 == 0 and n2 == array.rows and not (is_small(array) and not array.edge_totals[-1]):
            whole = [Section(range(1), tables(Bytes(array.edge_totals[-1], f"{array.label}: right edge")))]
            stored = self.keyed(totals_of(array, whole, self.index, array.label), 0, len(self.aggregate.keys))
            if stored is not None:
                return stored
        if n1 < n2:
            self.add_page(array.root, None, n1, n2, array.rows, result)
        return result

    def add_page(self, page, place, n1, n2, end, result):
        """Adds the rows of [n1, n2) below a page; `place`: of a sealed page."""
        if page.level == 0:
            self.add_leaf(None, 0, page, n1, n2, result)
            return
        entries, sections = page.entries(), page_tables(self.array, page, place).sections
        rows = totals_of(self.array, sections, self.index, self.array.label)
        ends = [entry[1] for entry in entries[1:]] + [end]
        for i, (entry, child_end) in enumerate(zip(entries, ends)):
            _, first, child_place = entry
            if child_end <= n1 or first >= n2:
                continue
            stored = self.keyed(rows, i, len(self.aggregate.keys)) if n1 <= first and child_end <= n2 else None
            if stored is not None:
                self.joined(stored.items(), result)
                continue
            is_open = place is None and i == len(entries) - 1
            child = self.array.child(entry, page.level - 1, is_open)
            if page.level > 1:
                self.add_page(child, None if is_open else child_place, max(n1, first), min(n2, child_end), child_end, result)
            else:
                self.add_leaf((entries, sections), i, child, max(n1, first), min(n2, child_end), result)

    def before_leaf(self, parent, slot):
        """Returns the stack before a leaf, (key, row, time, outermost) each, and the time of the row before it."""
        if parent is None or not self.aggregate.frames:
            return [], 0
        entries, sections = parent
        _, gap, frames, _ = table(self.array, sections, BORDERS, self.index, [8] * 4, self.array.label)[slot]
        stack = [tuple(row[1:]) for row in table(self.array, sections, SNAPSHOTS, self.index, [8, 8, 8, 8, 1], self.array.label) if row[0] == slot]
        while len(stack) < frames:  # a row that began a frame has the distance to the row of the enclosing frame
            row, is_end, distance, outermost = stack[0][1], *self.aggregate.values
            row -= self.values(row)[distance]
            values = self.values(row)
            stack.insert(0, (values[self.aggregate.keys[0]], row, values[0], int(values[outermost] != 0)))
        return stack, entries[slot][0] - gap

    def values(self, n):
        (row,) = self.array.read_local(n, n + 1)
        return self.array.schema.layout.unpack(row)

    def run_leaf(self, parent, slot, leaf, to):
        """Returns the rows of a leaf from its first one up to row `to`, and their effects on totals and stacks."""
        size = self.array.schema.row_size
        rows = [leaf.payload[i * size:(i + 1) * size] for i in range(to - leaf.first)]
        stack, time = self.before_leaf(parent, slot)
        self.leaves_read.add(leaf.first)
        return rows, Frames(self.array, self.aggregate, rows, (), leaf.first, stack, time) if self.aggregate.frames else None

    def add_leaf(self, parent, slot, leaf, n1, n2, result):
        rows, frames = self.run_leaf(parent, slot, leaf, n2)
        first = n1 - leaf.first
        groups = frames.totals(first, len(rows), 1) if frames else groups_of(self.array, self.aggregate, rows[first:], len(self.aggregate.keys))
        self.joined(groups.items(), result)

    def stack(self, n):
        """Returns the frames open before row n, and the time of the row before it."""
        page, place, parent, slot = self.array.root, None, None, 0
        while page.level:
            entries = page.entries()
            slot = max(bisect_right(entries, n, key=lambda entry: entry[1]) - 1, 0)
            is_open = place is None and slot == len(entries) - 1
            parent = (entries, page_tables(self.array, page, place).sections) if page.level == 1 else None
            place = None if is_open else entries[slot][2]
            page = self.array.child(entries[slot], page.level - 1, is_open)
        if n == page.first:
            return self.before_leaf(parent, slot)
        _, frames = self.run_leaf(parent, slot, page, n)
        return frames.stack, frames.times[-1]

    def owed(self, n, t, first):
        """Yields (key, inclusive, exclusive) of the ticks that the n rows before time t have not yet charged at time t."""
        stack, time = self.stack(n)
        since = t - time if n else t - first
        for frame in stack:
            yield frame[0], t - frame[2] if frame[3] else 0, since if frame is stack[-1] else 0
        if not stack and n < self.array.rows and self.never_began(n):
            yield BEFORE, since, since

    def never_began(self, n):
        return self.values(n)[self.aggregate.values[0]] != 0

    def profile(self, a, b, first, last):
        """Returns {key: cells} of the window [a, b) of a location whose records are in [first, last] of its local time."""
        n1, n2 = self.array.rank(a), self.array.rank(b)
        if self.array.clock:
            a, b = (self.array.clock.to_local(t) if self.array.clock.to_local(t) is not None else MASK for t in (a, b))
        first, last = min(first, self.array.local_first), max(last, self.array.local_last)
        a, b = min(max(a, first), last), min(max(b, first), last)
        result = self.totals(n1, n2)
        if n1 == 0 < n2 and self.never_began(0):
            ticks = self.array.local_first - first
            self.joined([((BEFORE,), [0, 0, ticks, ticks, 0])], result)
        for sign, n, t in ((-1, n1, a), (1, n2, b)):
            self.joined((((key,), [0, 0, sign * inclusive & MASK, sign * exclusive & MASK, 0]) for key, inclusive, exclusive in self.owed(n, t, first)), result)
        return result
