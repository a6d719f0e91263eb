"""Networks whose classes of pairs are known, as files for a test.

A pair's time is (latency + length / bandwidth) x the factor of its class, with noise. The noise is `noise` of the
value each time, and `pair_noise` of it once for the pair. A share `outliers` of all values is 2 to 10 times too long. The diagonal is 0, as in measured files.
"""

import random

import cdf

LATENCY, PER_BYTE = 2e-6, 1e-9
FACTORS = [1, 1.6, 2.4, 3.4]  # of levels


def shape(n_procs):
    """Returns the shape of a torus of n_procs: three sides, powers of 2, nearly equal."""
    sides = [1, 1, 1]
    while sides[0] * sides[1] * sides[2] < n_procs:
        sides.sort()
        sides[0] *= 2
    return sorted(sides)


def hops(a, b, sides):
    total = 0
    for side in sides:
        away = abs(a % side - b % side)
        total += min(away, side - away)
        a, b = a // side, b // side
    return total


def level(a, b, groups):
    """Returns the level of the innermost group that contains both."""
    return next((i for i, group in enumerate(groups) if a // group == b // group), len(groups))


def classes(kind, n_procs):
    """Returns (class of each pair, factor of each class). Class 0 is the diagonal."""
    if kind == "torus":
        sides = shape(n_procs)
        of_pairs = [hops(a, b, sides) for a in range(n_procs) for b in range(n_procs)]
        return of_pairs, [0] + [(4 + n) / 5 for n in range(1, max(of_pairs) + 1)]
    groups = {"two levels": [1, 16], "fat tree": [1, 8, 32, 128]}[kind]
    groups = [group for group in groups if group < n_procs]
    of_pairs = [level(a, b, groups) for a in range(n_procs) for b in range(n_procs)]
    return of_pairs, [0] + FACTORS[:len(groups)]


def matrices(kind, n_procs, lengths, noise=0.02, pair_noise=0.006, outliers=0.001, seed=1):
    """Returns flat lists of values, one list a length."""
    of_pairs, factors = classes(kind, n_procs)
    rng = random.Random(f"{kind} {n_procs} {seed}")
    base = [factors[c] * max(rng.gauss(1, pair_noise), 0.1) for c in of_pairs]
    for length in lengths:
        time = LATENCY + PER_BYTE * length
        values = [time * b * max(rng.gauss(1, noise), 0.1) for b in base]
        for _ in range(round(outliers * len(values))):
            values[rng.randrange(len(values))] *= rng.uniform(2, 10)
        yield values


def write_file(path, n_procs, lengths, all_values, data_type=2):
    """Writes a file of a test's results. `all_values` has the matrices in one flat list."""
    step = lengths[1] - lengths[0] if len(lengths) > 1 else 100
    end = lengths[-1] + step if len(lengths) > 0 else 100
    begin = lengths[0] if len(lengths) > 0 else 100
    scalars = {"proc_num": n_procs, "test_type": 1, "data_type": data_type, "begin_mes_length": begin, "end_mes_length": end,
               "step_length": step, "noise_mes_length": 0, "num_noise_mes": 0, "num_noise_proc": 0, "num_repeates": 100}
    file = cdf.File({"x": n_procs, "y": n_procs, "n": None}, n_records=len(lengths))
    for name, value in scalars.items():
        file.variables[name] = cdf.Variable("int", [], [value])
    file.variables["data"] = cdf.Variable("double", ["n", "x", "y"], all_values)
    cdf.write_file(path, file)
