#!/usr/bin/env python3
"""The naive judges of waits, of their causes and of the critical path against Scalasca's own analyser, value for value.

usage: test_judge.py
"""

import collections
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "match")]
# pylint: disable=wrong-import-position
import scout
from naive_causes import Causes
from naive_path import Path
from naive_waits import Waits
from xtfrun import need_programs, shared_traces, skip

METRICS = ("delay_", "mpi_wait_", "mpi_late", "mpi_lswo", "mpi_early", "mpi_barrier_", "mpi_nxn_", "mpi_init_", "mpi_finalize_", "critical_",
           "non_critical_", "inter_partition_")


def named(sums, ticks):
    """Returns {metric: {(call path, location): seconds}} of {(metric, path, location): ticks}, with call paths named as scout
    names them."""
    found = collections.defaultdict(dict)
    for (metric, path, location), value in sums.items():
        found[metric]["".join("/" + name.replace(" ", "_") for name in path), location] = float(value / ticks)
    return found


def compare(archive, tsv):
    """Returns (number of values, [line for each difference])."""
    waits = Waits(str(archive))
    our_values = {metric: values for judge in (waits, Causes(waits), Path(waits)) for metric, values in named(judge.sums, waits.ticks).items()}
    scout_values = scout.read_times(tsv, archive)
    metrics = sorted(metric for metric in {*our_values, *scout_values} if metric.startswith(METRICS))
    wrong = [f"{metric} {path} {location}: {b!r}, by scout {a!r}" for metric in metrics
             for (path, location), a, b in scout.differences(scout_values[metric], our_values.get(metric, {}))]
    return sum(len(scout_values[metric]) for metric in metrics), wrong


def main():
    need_programs("otf2-print")
    folder = shared_traces() or skip("there are no shared traces here; XTF_SHARED_TRACES may name their folder")
    failures = compared = 0
    for tsv in sorted(folder.glob("scalasca/*/scout.tsv")):
        archive = next(place / "traces.otf2" for place in (tsv.parent, folder / tsv.parent.name)
                       if (place / "traces.otf2").exists())
        values, wrong = compare(archive, tsv)
        print("\n  ".join([f"{tsv.parent.name}: {values} values of scout, {len(wrong)} differences", *wrong[:20]]))
        failures += len(wrong)
        compared += values
    if not compared:
        skip("there are no results of scout here")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
