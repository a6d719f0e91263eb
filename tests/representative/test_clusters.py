#!/usr/bin/env python3
"""Tests the table `clusters` against a naive clustering of made-up processes.

usage: test_clusters.py XTF
"""

import collections
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import madeup

XTF = ""
MOST = 16


def expand(text):
    """Returns the numbers of a set such as 0-3,7."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def vectors_of(calls, width):
    """Returns the calls and the times of a process by region; time outside of regions counts too."""
    counts, times = collections.Counter(), collections.Counter()
    for region, seconds in calls:
        counts[region] += 1
        times[region] += seconds
    times[None] = max(width - sum(times.values()), 0)
    return counts, times


def cluster_naively(processes, threshold):
    """Returns clusters as lists of processes, the largest first."""
    vectors = [vectors_of(calls, sum(seconds for _, seconds in calls)) for calls in processes]
    clusters = []
    for process, (counts, times) in enumerate(vectors):
        for cluster in clusters:
            leader = vectors[cluster[0]]
            if max(madeup.distance(leader[0], counts), madeup.distance(leader[1], times)) <= threshold:
                cluster.append(process)
                break
        else:
            clusters.append([process])
    return sorted(clusters, key=lambda cluster: (-len(cluster), cluster[0]))


class Clusters(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xtf-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def clusters(self, trace, path="clusters"):
        done = subprocess.run([XTF, "cat", trace, path], capture_output=True, text=True, check=True, timeout=60)
        return [row for row in madeup.read_table(done.stdout) if row["cluster"] != "-"]

    def test_random_runs(self):
        draw = random.Random(1)
        for run in range(12):
            kinds = [[(f"r{draw.randrange(6)}", draw.choice((0.125, 0.25, 1.0))) for _ in range(draw.randrange(1, 30))] for _ in range(draw.randrange(1, 8))]
            processes = [list(draw.choice(kinds)) for _ in range(draw.randrange(2, 60))]
            with self.subTest(run):
                rows = self.clusters(madeup.make_run(XTF, self.folder, run, processes))
                thresholds = (0.05, 0.1, 0.2, 0.4, 0.8, 1)
                naive = next(found for found in (cluster_naively(processes, threshold) for threshold in thresholds) if len(found) <= MOST)
                self.assertEqual([int(row["processes"]) for row in rows], [len(cluster) for cluster in naive])
                self.assertEqual([int(row["first"]) for row in rows], [cluster[0] for cluster in naive])
                for row, cluster in zip(rows, naive):
                    calls = sum(len(processes[process]) for process in cluster) / len(cluster)
                    self.assertAlmostEqual(float(row["calls"]), calls, places=6)
                    program = sum(seconds for process in cluster for _, seconds in processes[process]) / len(cluster)
                    self.assertAlmostEqual(float(row["program"]), program, places=6)

    def test_slow_processes_and_corners_are_apart(self):
        def calls(process):
            return [("compute", 1.5 if process == 17 else 1.0), *[("MPI_Isend", 0.01)] * (2 if process % 8 in (0, 7) else 4), ("MPI_Waitall", 0.1)] * 20
        trace = madeup.make_run(XTF, self.folder, "stencil", [calls(process) for process in range(40)])
        rows = self.clusters(trace)
        corners = [process for process in range(40) if process % 8 in (0, 7)]
        self.assertEqual([expand(row["proc_set"].strip()) for row in rows],
                         [[process for process in range(40) if process not in (*corners, 17)], corners, [17]])
        self.assertEqual([row["distance"] for row in rows], ["0.00", "0.00", "0.00"])
        self.assertAlmostEqual(float(rows[2]["communication"]), 20 * (4 * 0.01 + 0.1), places=6)
        # The set of a cluster is a path.
        done = subprocess.run([XTF, "cat", trace, f"proc/{rows[1]['proc_set'].strip()}/clusters"], capture_output=True, text=True, check=True, timeout=60)
        self.assertEqual([row["processes"] for row in madeup.read_table(done.stdout) if row["cluster"] != "-"], ["10"])
        # In the window of the first second, only compute is open in all processes.
        self.assertEqual([row["processes"] for row in self.clusters(trace, "time/-0.5/clusters")], ["40"])

    def test_more_kinds_than_clusters_are_merged(self):
        processes = [[(f"r{process}", 1.0), ("common", 2.0 + process / 8)] for process in range(30)]
        rows = self.clusters(madeup.make_run(XTF, self.folder, "kinds", processes))
        self.assertLessEqual(len(rows), MOST)
        self.assertEqual(sum(int(row["processes"]) for row in rows), 30)


if __name__ == "__main__":
    XTF = sys.argv.pop()
    unittest.main()
