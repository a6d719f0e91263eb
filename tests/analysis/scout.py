"""Results of Scalasca's analyser, and the comparison with them."""

import collections
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
# pylint: disable=wrong-import-position
import otf2print

PATH = re.compile(r'Parent: (UNDEFINED|\d+), Region: ".*" <(\d+)>$', re.S)

# Tolerances: scout adds up doubles of seconds.
ABSOLUTE, RELATIVE = 1e-9, 1e-8


def callpaths(archive):
    """Returns {id: (parent or None, region's name)} of the archive's call paths."""
    definitions = otf2print.definitions(str(archive))
    names = otf2print.named_definitions(definitions, "REGION")
    found = {}
    for number, text in definitions.get("CALLPATH", []):
        parent, region = PATH.match(text).groups()
        found[number] = (None if parent == "UNDEFINED" else int(parent), names[int(region)])
    return found


def row_orders(paths):
    """Returns the ids of call paths in the row orders of the analyser's report: depth first for EXCLUSIVE metrics, breadth first
    for INCLUSIVE ones."""
    children = collections.defaultdict(list)
    for number in sorted(paths):
        children[paths[number][0]].append(number)
    deep, wide = [], list(children[None])
    stack = children[None][::-1]
    while stack:
        deep.append(stack.pop())
        stack += children[deep[-1]][::-1]
    for number in wide:
        wide += children[number]
    return {"EXCLUSIVE": deep, "INCLUSIVE": wide}


def correct_labels(archive):
    """Returns {type: {label: path}}. The k-th row of a metric was labelled with the call path of id k, but rows are in another
    order."""
    paths = callpaths(archive)

    def name(number):
        parent, region = paths[number]
        return ("" if parent is None else name(parent)) + "/" + region.replace(" ", "_")

    if sorted(paths) != list(range(len(paths))):
        return {}
    return {kind: {name(k): name(number) for k, number in enumerate(order)} for kind, order in row_orders(paths).items()}


def read_times(path, archive):
    """Reads {metric: {(call path, location): seconds}} from the archive's scout.tsv, which lacks values that are zero."""
    labels = correct_labels(archive)
    found = collections.defaultdict(dict)
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            metric, kind, callpath, location, value = line.split()
            found[metric][labels.get(kind, {}).get(callpath, callpath), int(location)] = float(value)
    return found


def differences(scout_values, our_values):
    """Yields (key, scout's value, our value) where {key: seconds} differ by more than rounding."""
    for key in sorted(set(scout_values) | set(our_values)):
        a, b = scout_values.get(key, 0.0), our_values.get(key, 0.0)
        if abs(a - b) > max(ABSOLUTE, RELATIVE * abs(a)):
            yield key, a, b
