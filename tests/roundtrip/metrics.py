"""Compares the views of counters, values, rates and growth with naive.py."""

import math
from fractions import Fraction

from naive import slices
from shown import shows

# Greatest relative error of a number that was rounded to this number of digits.
SIX_DIGITS, TEN_DIGITS, DOUBLES = (Fraction(5, 10**digits) for digits in (6, 10, 15))


def sum_is_unique(found):
    """True if the remainder of a sum determines it. The index keeps sums of integers modulo 2^64 for each location. The whole sum is unique
    if the least and the greatest value exclude a second sum with the same remainder."""
    of_location = {}
    for location, number in found:
        of_location.setdefault(location, []).append(number)
    return all(isinstance(numbers[0], float) or len(numbers) * (max(numbers) - min(numbers)) < 2**64
               for numbers in of_location.values())


class Metrics:
    """Metrics of one trace. `views` is the Views of views.py."""

    def __init__(self, views):
        self.views = views

    def compare_values(self, selection):
        lines = self.views.lines(selection.path("values"), 9)
        metrics = self.views.shown.table("metrics")
        bounds = slices(*selection.window())
        wanted = self.views.naive.values(selection, bounds)
        self.views.same("lines", len(lines), 100 * len(metrics))
        for number, line in enumerate(lines):
            metric, i = divmod(number, 100)
            self.views.compare_bounds(line, bounds, i)
            self.views.same("row", int(line[2]), metric)
            place = f"slice {i} of metric {metric}:"
            found = wanted[int(metrics[metric]["id"]), i]
            numbers = [number for _, number in found]
            self.views.same(f"{place} count", int(line[3]), len(numbers))
            self.views.same(place, shows(line[8], self.views.expected.names["metrics"][int(metrics[metric]["id"])]), True)
            if not numbers:
                self.views.same(place, line[4:8], ["-"] * 4)
                continue
            ordered = [number for number in numbers if number == number] or [None]
            for label, cell, number in (("min", line[4], min(ordered)), ("max", line[6], max(ordered)),
                                       ("last", line[7], numbers[-1])):
                self.compare_number(f"{place} {label}", cell, number)
            if sum_is_unique(found) and ordered[0] is not None:
                self.compare_mean(f"{place} mean", line[5], numbers)
            else:
                self.views.same(f"{place} mean", line[5], "-")

    def of_metrics(self):
        """Returns [(metric's id, true if it grows)] by row."""
        modes = self.views.naive.modes()
        return [(int(row["id"]), modes.get(int(row["id"])) != "ABSOLUTE") for row in self.views.shown.table("metrics")]

    def compare_grown(self, place, cells, grown, seconds):
        """Compares the columns growth and per_second."""
        if grown is None:
            self.views.same(place, cells, ["-", "-"])
            return
        self.views.near(f"{place} growth", cells[0], grown, 0)
        if seconds:
            self.views.near(f"{place} per_second", cells[1], grown / seconds, abs(grown / seconds) * TEN_DIGITS)
        else:
            self.views.same(f"{place} per_second", cells[1], "-")

    def compare_rates(self, selection):
        lines = self.views.lines(selection.path("rates"), 4)
        a, b = selection.window()
        wanted = self.views.naive.growth(selection, lambda record: None if selection.regions is None or
                                   record.before in selection.regions else ...)
        metrics = self.of_metrics()
        self.views.same("rows", [line[0] for line in lines], [str(row) for row in range(len(metrics))])
        for line, (metric, grows) in zip(lines, metrics):
            grown = wanted.get((metric, None)) if grows else None
            self.compare_grown(f"metric {line[0]}", line[1:3], grown, Fraction(b - a, self.views.expected.ticks))
            self.views.same(f"metric {line[0]}", shows(line[3], self.views.expected.names["metrics"].get(metric, line[3])), True)

    def compare_growth(self, selection):
        """Compares lines by region: each metric's greatest growth first."""
        lines = self.views.lines(selection.path("growth"), 6)
        wanted = self.views.naive.growth(selection, lambda record: record.before)
        times = self.views.naive.profile(self.views.naive.selected(selection), *selection.window())
        keys = {**{str(row): region for row, region in self.views.rows_shown(selection).items()},
                **({"-": None} if selection.regions is None else {})}
        metrics = self.of_metrics()
        self.views.same("lines", len(lines), len(keys) * len(metrics))
        for row, (metric, grows) in enumerate(metrics):
            place = lines[row * len(keys):(row + 1) * len(keys)]
            self.views.same(f"regions of metric {row}", sorted(line[0] for line in place), sorted(keys))
            grown = {cell: wanted.get((metric, region)) for cell, region in keys.items()}
            order = [grown[line[0]] or 0 for line in place]
            self.views.same(f"order of metric {row}", order, sorted(order, reverse=True))
            total_growth = sum(filter(None, grown.values()))
            for line in place:
                region = keys[line[0]]
                label, number = f"metric {row} in region {line[0]}", grown[line[0]] if grows else None
                seconds = Fraction(times[region][2], self.views.expected.ticks) if region in times else 0
                self.compare_grown(label, [line[1], line[3]], None if number is None else Fraction(number), seconds)
                if number is None or total_growth == 0:
                    self.views.same(f"{label} growth%", line[2], "-")
                else:
                    share = Fraction(number) * 100 / Fraction(total_growth)
                    self.views.near(f"{label} growth%", line[2], share, abs(share) * Fraction(51, 10**5))

    def compare_number(self, label, cell, wanted):
        """Compares a number. Integers are exact; otf2-print shows six digits of a double. None means that all values are NaN."""
        if wanted is None or isinstance(wanted, int) or not math.isfinite(wanted):
            self.views.same(label, cell, "-" if wanted is None else str(wanted))
        else:
            self.views.near(label, cell, wanted, abs(Fraction(wanted)) * SIX_DIGITS)

    def compare_mean(self, label, cell, numbers):
        """Compares ten digits of a quotient that may have been computed in doubles."""
        endless = sum(number for number in numbers if isinstance(number, float) and not math.isfinite(number))
        if endless:
            self.views.same(label, cell, str(endless))
            return
        exact = sum(map(Fraction, numbers)) / len(numbers)
        size = max(abs(Fraction(number)) for number in numbers)
        self.views.near(label, cell, exact, abs(exact) * TEN_DIGITS +
                  size * (SIX_DIGITS if isinstance(numbers[0], float) else DOUBLES))
