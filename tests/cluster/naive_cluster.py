"""The six steps of docs/NETWORK.md, written as plainly as possible: a slow program that the fast one must agree with, label by label.

A matrix is a flat list of P x P values. Clusters of a portion are numbered by the sum of their values over the matrices, then by
their first pair.
"""

import math
from collections import Counter, defaultdict


def measured(value):
    return 0 <= value < 5e36


class Threshold:
    """A threshold: its kind ("relative", "absolute" or "precision") and its value."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value

    def fits(self, values):
        """Returns a predicate: true if a range that begins with `least` may contain `greatest`."""
        if self.kind == "relative":
            return lambda least, greatest: greatest <= least * (1 + self.value) + 0.0
        room = self.value
        if self.kind == "precision":
            positive = [v for v in values if measured(v) and v > 0]
            room *= max(positive) - min(positive) if positive else 0
        return lambda least, greatest: greatest <= least + room


def label_pairs(values, n_procs, threshold):
    """Computes steps 1 and 2: a label for each pair, None for pairs without a measurement."""
    fits = threshold.fits(values)
    order = sorted((value, pair) for pair, value in enumerate(values) if measured(value))
    v = [value for value, _ in order]
    clusters = []  # lists of positions
    i, j = 0, min(n_procs, len(v)) - 1
    while i < len(v):
        while not fits(v[i], v[j]):
            j -= 1
        while True:
            while j + 1 < len(v) and fits(v[i], v[j + 1]):
                j += 1
            if j + 2 >= len(v) or not fits(v[i + 1], v[j + 2]):
                break
            clusters.append([i])
            i, j = i + 1, j + 1
        clusters.append(list(range(i, j + 1)))
        i = j = j + 1
    labels = [None] * len(values)
    for number, positions in enumerate(clusters):
        for position in positions:
            labels[order[position][1]] = number
    return labels


def intersect_labels(labels, first_fixed=False):
    """Computes steps 3 and 4: lists of pairs."""
    pairs_of = defaultdict(list)
    for pair, vector in enumerate(zip(*labels)):
        pairs_of[tuple(math.inf if x is None else x for x in vector)].append(pair)
    free = sorted(pairs_of, key=lambda vector: (-len(pairs_of[vector]), vector))
    wild = range(first_fixed, len(labels)) if len(labels) - first_fixed >= 2 else []
    clusters = []
    while free:
        largest = free[0]
        taken = [vector for vector in free if vector == largest or any(
            vector[:w] == largest[:w] and vector[w + 1:] == largest[w + 1:] for w in wild)]
        clusters.append([pair for vector in taken for pair in pairs_of[vector]])
        free = [vector for vector in free if vector not in taken]
    return clusters


def numbers_of(clusters, n_pairs):
    numbers = [None] * n_pairs
    for number, pairs in enumerate(clusters):
        for pair in pairs:
            numbers[pair] = number
    return numbers


def portion_at(matrices, left, n_procs, threshold, first, other, drop):
    n_pairs = n_procs * n_procs
    right = min(left + first, len(matrices))
    clusters = intersect_labels([label_pairs(matrix, n_procs, threshold) for matrix in matrices[left:right]])
    while right < len(matrices):
        to = min(right + other, len(matrices))
        before = numbers_of(clusters, n_pairs)
        refined = intersect_labels([before] + [label_pairs(matrix, n_procs, threshold) for matrix in matrices[right:to]], True)
        largest = Counter()
        for pairs in refined:
            largest[before[pairs[0]]] = max(largest[before[pairs[0]]], len(pairs))
        if n_pairs - sum(largest.values()) > drop * n_pairs:
            break
        clusters, right = refined, to
    return right, clusters


# ---- The mean of a portion's matrices.

def averages(matrices):
    n_pairs, columns = len(matrices[0]), None
    columns = [[] for _ in range(n_pairs)]
    for matrix in matrices:
        positive = sorted(v for v in matrix if measured(v) and v > 0)
        median = positive[len(positive) // 2] if positive else 1
        for pair, value in enumerate(matrix):
            if measured(value / median):
                columns[pair].append(value / median)
    result = []
    for column in columns:
        column.sort()
        middle = column[len(column) // 4:len(column) - len(column) // 4]
        total = 0.0
        for value in middle:
            total += value
        result.append(total / len(middle) if middle else math.nan)
    return result


def clusters_of(labels):
    clusters = defaultdict(list)
    for pair, number in enumerate(labels):
        clusters[math.inf if number is None else number].append(pair)
    return [clusters[number] for number in sorted(clusters)]


def average_portion_at(matrices, left, n_procs, threshold, first, other, drop):
    n_pairs = n_procs * n_procs
    right = min(left + first, len(matrices))
    mean = averages(matrices[left:right])
    clusters = clusters_of(label_pairs(mean, n_procs, threshold))
    fits = threshold.fits(mean)
    while right < len(matrices):
        to = min(right + other, len(matrices))
        now, leaving = averages(matrices[right:to]), 0
        for pairs in clusters:
            of_cluster = [mean[pair] for pair in pairs if measured(mean[pair])]
            for pair in pairs:
                if not of_cluster or not measured(now[pair]):
                    leaving += bool(of_cluster) != measured(now[pair])
                elif not (fits(now[pair], min(of_cluster)) and fits(max(of_cluster), now[pair])):
                    leaving += 1
        if leaving > drop * n_pairs:
            break
        right = to
    return right, clusters_of(label_pairs(averages(matrices[left:right]), n_procs, threshold))


# ---- All steps.

def values_of(pairs, matrices):
    values = []
    for matrix in matrices:
        known = [matrix[pair] for pair in sorted(pairs) if measured(matrix[pair])]
        off = 0.0
        for value in known:
            off += value - known[0]
        values.append(known[0] + off / len(known) if known else math.nan)
    return values


def rank_cluster(pairs, values):
    known = [value for value in values if not math.isnan(value)]
    total = 0.0
    for value in known:
        total += value
    return (total if known else math.inf, min(pairs))


def cluster(matrices, n_procs, threshold, first=5, other=4, drop=0.05, average=False):
    """Returns [(left, right, cluster number of each pair, values of each cluster)]."""
    portions, left = [], 0
    while left < len(matrices):
        find = average_portion_at if average else portion_at
        right, clusters = find(matrices, left, n_procs, threshold, first, other, drop)
        ranked = sorted(((pairs, values_of(pairs, matrices[left:right])) for pairs in clusters), key=lambda c: rank_cluster(*c))
        portions.append((left, right, numbers_of([pairs for pairs, _ in ranked], n_procs * n_procs), [v for _, v in ranked]))
        left = right
    return portions
