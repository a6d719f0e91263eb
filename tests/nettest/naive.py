"""Computes the views of a measured network from the matrices: matrix[receiver][sender], with NaN for no measurement."""

import fractions
import math
import statistics

FAR = 5 * 1.4826


def value(matrix, sender, receiver):
    """Returns a value, or None without a measurement or from a process to itself."""
    v = matrix[receiver][sender]
    return None if sender == receiver or math.isnan(v) else v


def line(values):
    """Returns (median, distance from it at which a value is an outlier)."""
    median = statistics.median(values)
    return median, FAR * statistics.median([abs(v - median) for v in values])


def outliers(matrix, node=lambda proc: proc):
    """Returns [(sender, receiver, value, expected, reason)]. node(proc) is equal for processes of one node."""
    procs = range(len(matrix))
    pairs = {(s, r): value(matrix, s, r) for s in procs for r in procs if value(matrix, s, r) is not None}
    found = {}
    for (s, r), v in pairs.items():
        alike = [pair for pair in pairs if (node(pair[0]) == node(pair[1])) == (node(s) == node(r))]
        row = line([pairs[pair] for pair in alike if pair[0] == s])
        column = line([pairs[pair] for pair in alike if pair[1] == r])
        by_row, by_column = abs(v - row[0]) > row[1], abs(v - column[0]) > column[1]
        if by_row or by_column:
            found[s, r] = row[0] if by_row else column[0]
    result = []
    for (s, r), expected in found.items():
        of_row, of_column = [k for k in pairs if k[0] == s], [k for k in pairs if k[1] == r]
        reason = "pair"
        if len(of_row) > 1 and 2 * sum(k in found for k in of_row) > len(of_row):
            reason = "sender"
        elif len(of_column) > 1 and 2 * sum(k in found for k in of_column) > len(of_column):
            reason = "receiver"
        result.append((s, r, pairs[s, r], expected, reason))
    return sorted(result, key=lambda o: (-abs(o[2] - o[3]), o[0], o[1]))


def figures(matrix):
    """Returns (pairs, min, q1, median, mean, q3, max, stddev, asymmetry)."""
    procs = range(len(matrix))
    values = [v for s in procs for r in procs if (v := value(matrix, s, r)) is not None]
    q1, median, q3 = statistics.quantiles(values, n=4, method="inclusive")
    uneven = []
    for a in procs:
        for b in range(a):
            forward, back = value(matrix, a, b), value(matrix, b, a)
            if forward is not None and back is not None and forward + back > 0:
                uneven.append(abs(forward - back) / ((forward + back) / 2))
    return (len(values), min(values), q1, median, statistics.fmean(values), q3, max(values), statistics.pstdev(values),
            statistics.fmean(uneven) if uneven else math.nan)


def hockney(points):
    """Fits weighted least squares in exact fractions by the normal equations: (alpha, its error, beta, its error, sum of squares)."""
    points = [(fractions.Fraction(l), fractions.Fraction(t)) for l, t in points]
    weights = [1 / t ** 2 for _, t in points]
    s0 = sum(weights)
    s1 = sum(w * l for w, (l, _) in zip(weights, points))
    s2 = sum(w * l * l for w, (l, _) in zip(weights, points))
    y0 = sum(w * t for w, (_, t) in zip(weights, points))
    y1 = sum(w * l * t for w, (l, t) in zip(weights, points))
    determinant = s0 * s2 - s1 * s1
    if determinant == 0:
        alpha, beta = y0 / s0, None
    else:
        alpha, beta = (y0 * s2 - y1 * s1) / determinant, (s0 * y1 - s1 * y0) / determinant
        if beta < 0:
            alpha, beta = y0 / s0, fractions.Fraction(0)
    if len({l for l, _ in points}) < 2:
        beta = None
    residual = sum(((t - alpha - (beta or 0) * l) / t) ** 2 for l, t in points)
    if len({l for l, _ in points}) < 3:
        return float(alpha), None, beta if beta is None else float(beta), None, float(residual)
    variance = residual / (len(points) - 2)
    return (float(alpha), math.sqrt(variance * s2 / determinant), float(beta), math.sqrt(variance * s0 / determinant), float(residual))


def segments(points):
    """Returns [points] or [points before a break, points after it]."""
    n = len(points)

    def information(residual, parameters):
        return n * math.log(max(residual, 1e-24) / n) + parameters * math.log(n)

    best, found = information(hockney(points)[4], 2), [points]
    for k in range(3, n - 2):
        if points[k - 1][0] == points[k][0] or min(len({l for l, _ in part}) for part in (points[:k], points[k:])) < 3:
            continue
        two_segments = information(hockney(points[:k])[4] + hockney(points[k:])[4], 5)
        if two_segments < best:
            best, found = two_segments, [points[:k], points[k:]]
    return found
