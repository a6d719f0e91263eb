"""Random sets of regions, classes, peers, communicators and tags, and their paths."""

import classes
from selections import all_escaped, as_bytes, escaped


class Narrowing:
    """Narrows selections of one trace. `views` is the Views of views.py. A method returns None if the trace lacks the key."""

    def __init__(self, views):
        self.views = views
        self.random = views.random

    def by_region(self, selection):
        if not self.views.regions:
            return None
        parts = [self.some_regions() for _ in range(self.random.choice([1, 1, 2, 3]))]
        return selection.in_regions(",".join(text for text, _ in parts), set().union(*[regions for _, regions in parts]))

    def by_class(self, selection):
        """Narrows to some classes, by names, by the name of a group, or by a pattern."""
        if not self.views.regions:
            return None
        group, choice = self.random.choice(sorted(classes.GROUPS)), self.random.random()
        names = set(self.random.sample(classes.NAMES, self.random.randint(1, 3))) | {
            self.views.efficiency.class_of(self.random.choice(self.views.regions))}
        text = ",".join(sorted(names))
        if choice < 0.3:
            names, text = set(classes.GROUPS[group]), group
        elif choice < 0.5:
            start = self.random.choice(classes.NAMES)[:self.random.randint(1, 4)]
            names, text = {name for name in classes.NAMES if name.startswith(start)}, start + "*"
            names |= {name for group in classes.GROUPS if group.startswith(start) for name in classes.GROUPS[group]}
        return selection.in_classes(text, {region for region in self.views.regions if self.views.efficiency.class_of(region) in names})

    def some_regions(self):
        """Returns regions and their path: a region by its row or name, or all regions whose names share a begin or an end."""
        row, choice = self.random.randrange(len(self.views.regions)), self.random.random()
        data = as_bytes(self.views.names[self.views.regions[row]])
        if not data or choice < 0.3:
            return f"#{row}", {self.views.regions[row]}
        if choice < 0.6:
            text = escaped(self.views.names[self.views.regions[row]]).replace(",", "\\x2c")
            return text, {region for region in self.views.regions if as_bytes(self.views.names[region]) == data}
        if choice < 0.8:
            start = data[:self.random.randint(1, 5)]
            return all_escaped(start) + "*", {region for region in self.views.regions
                                              if as_bytes(self.views.names[region]).startswith(start)}
        end = data[-self.random.randint(1, 5):]
        return "*" + all_escaped(end), {region for region in self.views.regions if as_bytes(self.views.names[region]).endswith(end)}

    def by_peer(self, selection):
        if not self.views.naive.procs:
            return None
        peers = self.views.chooser.subset(self.views.naive.procs)
        return selection.in_peers(peers, self.views.chooser.set_text(peers, self.views.naive.procs))

    def by_comm(self, selection):
        rows = self.views.shown.table("communicators") if "communicators" in self.views.shown.reader.list("/definitions") else []
        if not rows:
            return None
        row = self.random.randrange(len(rows))
        number = int(rows[row]["id"])
        name = self.views.expected.names["communicators"].get(number)
        unique = list(self.views.expected.names["communicators"].values()).count(name) == 1
        if not name or not unique or self.random.random() < 0.3:
            return selection.in_comms(f"#{row}", {number})
        return selection.in_comms(escaped(name), {number})

    def by_tag(self, selection):
        """Narrows to some tags, or to all between two, because a path has room for few tags."""
        tags = sorted({record.event.values()["tag"] for _, record in self.views.naive.records(self.views.chooser.selection(None))
                       if "tag" in record.event.values()})
        if not tags:
            return None
        if self.random.random() < 0.5:
            return selection.in_tags(set(self.random.sample(tags, min(len(tags), 10))))
        first, last = sorted((self.random.choice(tags), self.random.choice(tags)))
        return selection.in_tags(*self.random.choice([
            ({tag for tag in tags if first <= tag <= last}, f"{first}-{last}"),
            ({tag for tag in tags if first <= tag}, f"{first}-"),
            ({tag for tag in tags if 0 <= tag <= last}, f"-{last}")]))
