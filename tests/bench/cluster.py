#!/usr/bin/env python3
"""Clusters networks with known classes: measures the clusters that `xtf cluster` finds, the ratio of file sizes, and the cost.

Prints the table of docs/NETWORK.md with more sizes, and one of other noises and seeds. Only the seconds of processor time vary from run to run.

usage: cluster.py [--quick] XTF
"""

import argparse
import array
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(FOLDER / "nettest"), str(FOLDER / "cluster")]
import cdf  # noqa: E402
import networks  # noqa: E402

LENGTHS = range(100, 2001, 100)
KINDS = ("two levels", "fat tree", "torus")


# The kernel counts the memory of a program's parent as the program's own, so that its parent must be small.
LAUNCHER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
"""


def clusters_of(path):
    """Returns (matrices, cluster of each pair) of each portion."""
    file = cdf.read_file(path)
    n_pairs, info = file.dimensions["x"] ** 2, file.variables["info"].values
    begin, step = (file.variables[name].values[0] for name in ("begin_mes_length", "step_length"))
    borders = [(length - begin) // step for length in file.variables["length"].values] + file.attributes["matrices"]
    return [(b - a, info[k * n_pairs:(k + 1) * n_pairs]) for k, (a, b) in enumerate(zip(borders, borders[1:]))]


def adjusted_rand_index(a, b):
    """Returns the index of two partitions: L. Hubert and P. Arabie, Comparing partitions, 1985."""
    def pairs(counts):
        return sum(n * (n - 1) / 2 for n in counts)
    in_both, left, right = pairs(Counter(zip(a, b)).values()), pairs(Counter(a).values()), pairs(Counter(b).values())
    expected = left * right / (len(a) * (len(a) - 1) / 2)
    return (in_both - expected) / ((left + right) / 2 - expected)


def run_cluster(xtf, folder, source, *options):
    """Runs xtf cluster. Returns (portions, its summary, ratio, seconds of processor time, peak MiB)."""
    out = folder / "out.nc"
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, xtf, "cluster", "-f", "-o", out, source, *options],
                          check=True, capture_output=True, text=True)
    seconds, memory = map(float, done.stderr.split())
    ratio = source.stat().st_size / out.stat().st_size
    return clusters_of(out), done.stdout, ratio, seconds, memory


class Network:
    def __init__(self, folder, kind, n_procs, **more):
        self.kind, self.n_procs = kind, n_procs
        self.classes, _ = networks.classes(kind, n_procs)
        self.path = folder / "net.nc"
        values = array.array("d")
        for matrix in networks.matrices(kind, n_procs, LENGTHS, **more):
            values.extend(matrix)
        networks.write_file(self.path, n_procs, LENGTHS, values)

    def judge(self, portions):
        """Returns (clusters of a portion, clusters with at least P pairs, ARI weighted by the lengths)."""
        n = sum(steps for steps, _ in portions)
        sizes = [Counter(clusters) for _, clusters in portions]
        ari = sum(adjusted_rand_index(self.classes, clusters) * steps / n for steps, clusters in portions)
        large = [sum(s >= self.n_procs for s in size.values()) for size in sizes]
        return sum(map(len, sizes)) / len(sizes), sum(large) / len(large), ari


def table_of_networks(xtf, folder, all_procs):
    print("| network, processors | classes | options | R | clusters (of >= P pairs) | portions | MB -> MB | ARI | mean error; > 10 % off | s | MiB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for n_procs in all_procs:
            network = Network(folder, kind, n_procs)
            for options in ([], ["-t15%"], ["--average"]):
                portions, text, ratio, seconds, memory = run_cluster(xtf, folder, network.path, *options)
                clusters, large, ari = network.judge(portions)
                threshold, = re.search(r"threshold +([\d.]+ %)", text).groups()
                error, far = re.search(r"error +([\d.]+ %) on.* most; ([\d.]+ %)", text).groups()
                size = network.path.stat().st_size / 1e6
                print(f"| {kind} {n_procs} | {len(set(network.classes))} | {' '.join(options) or '-'} | {threshold} | {clusters:.0f} ({large:.0f}) "
                      f"| {len(portions)} | {size:.1f} -> {size / ratio:.2f} = {ratio:.1f}x | {ari:.3f} | {error}; {far} | {seconds:.2f} | {memory:.0f} |",
                      flush=True)


def table_of_thresholds(xtf, folder, n_procs, noises, seeds):
    """Prints the least ARI and the range of the number of clusters over seeds, with portions."""
    ways = [["-t15%"], [], ["--average", "-t8%"], ["--average"]]
    print("| network, processors | noise | " + " | ".join(" ".join(w) or "by the noise" if w != ["--average"] else "--average, by the noise" for w in ways) + " |")
    print("|---|---|" + "---|" * len(ways))
    for kind in KINDS:
        for noise in noises:
            results_by_way = [[] for _ in ways]
            for seed in seeds:
                network = Network(folder, kind, n_procs, noise=noise, seed=seed)
                for results, options in zip(results_by_way, ways):
                    portions, *_ = run_cluster(xtf, folder, network.path, *options)
                    results.append((*network.judge(portions), len(portions)))
            cells = []
            for results in results_by_way:
                least, most = (f(r[0] for r in results) for f in (min, max))
                parts = sorted({r[3] for r in results})
                cells.append(f"{min(r[2] for r in results):.3f}; {least:.0f}..{most:.0f}" + (f"; {parts[-1]} portions" if parts[-1] > 1 else ""))
            print(f"| {kind} {n_procs}, {len(set(network.classes))} classes | {noise * 100:g} % | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("xtf")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="xtf-cluster-") as name:
        folder = pathlib.Path(name)
        table_of_networks(options.xtf, folder, (32,) if options.quick else (128, 256, 512))
        print()
        table_of_thresholds(options.xtf, folder, 32 if options.quick else 128, (0.02,) if options.quick else (0.005, 0.01, 0.02, 0.03, 0.05),
                            (1,) if options.quick else (1, 2, 3, 4, 5))


if __name__ == "__main__":
    main()
