"""The naive judge of message groups with lost records: tries all pairings of an epoch that keep the order."""

import collections
import itertools


def epochs_of(sends, receives):
    """Returns [(sends, receives)], lists of places, for each epoch that has any, in order. Ends are (bytes, epoch)."""
    if any(a[1] > b[1] for ends in (sends, receives) for a, b in zip(ends, ends[1:])):
        return [(list(range(len(sends))), list(range(len(receives))))]
    found = collections.defaultdict(lambda: ([], []))
    for side, ends in enumerate((sends, receives)):
        for place, (_, epoch) in enumerate(ends):
            found[epoch][side].append(place)
    return [found[epoch] for epoch in sorted(found)]


def doubtful_epochs(excess):
    """Returns the numbers of epochs that may have received messages of earlier epochs, or the reverse. `excess`: sends minus
    receives of each."""
    if len(excess) > 1 and (excess[0] > 0 or excess[-1] < 0):
        return set(range(len(excess)))
    doubtful, i = set(), 0
    while i < len(excess):
        # Unmatched ends of epoch i behind each later epoch, while there are any.
        left = list(itertools.takewhile(lambda n: n > 0, itertools.accumulate(excess[i:])))
        deficits = [j for j in range(i + 1, min(i + len(left) + 1, len(excess))) if left and excess[j] < 0]
        doubtful |= set(range(i, max(deficits) + 1)) if deficits else set()
        i = max(deficits, default=i) + 1
    return doubtful


def possible_partners(fewer, more):
    """Returns for each of the fewer ends the places among the more ends that it has in any complete pairing."""
    n, m = len(fewer), len(more)
    # begins[i][j]: the first i ends have pairs among the first j.
    # ends[i][j]: the ends from i on have pairs among the ends from j on.
    begins = [[i == 0 for _ in range(m + 1)] for i in range(n + 1)]
    ends = [[i == n for _ in range(m + 1)] for i in range(n + 1)]
    for i in range(n):
        for j in range(m):
            begins[i + 1][j + 1] = begins[i + 1][j] or (begins[i][j] and fewer[i] == more[j])
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            ends[i][j] = ends[i][j + 1] or (ends[i + 1][j + 1] and fewer[i] == more[j])
    return [[j for j in range(m) if fewer[i] == more[j] and begins[i][j] and ends[i + 1][j + 1]] for i in range(n)]


def shiftable_places(sizes):
    """Returns places of messages whose pairs shift if a send and a receive are lost at two places and all sizes between are
    equal."""
    found = set()
    for first in range(len(sizes)):
        for last in range(first + 1, len(sizes)):
            if sizes[last] != sizes[last - 1]:
                break
            found |= {*range(first, last + 1)}
    return found


def pairs(sends, receives, both_lost=False):
    """Returns {receive: send} of the pairs that are certain, by their places. Ends are (bytes, epoch). `both_lost`: the trace
    lacks both sends and receives."""
    epochs = epochs_of(sends, receives)
    doubtful = doubtful_epochs([len(a) - len(b) for a, b in epochs])
    excess = [len(a) - len(b) for a, b in epochs]
    ambiguous = len(epochs) == 1 and both_lost and len(sends) == len(receives)
    if len(epochs) > 1 and excess[0] > 0 and excess[-1] == -excess[0] and not any(excess[1:-1]):
        epochs, doubtful = [(list(range(len(sends))), list(range(len(receives))))], set()
    found = {}
    for number, (epoch_sends, epoch_receives) in enumerate(epochs):
        if number in doubtful:
            continue
        swapped = len(epoch_sends) < len(epoch_receives)
        fewer, more = (epoch_sends, epoch_receives) if swapped else (epoch_receives, epoch_sends)
        of_fewer, of_more = (sends, receives) if swapped else (receives, sends)
        for i, places in enumerate(possible_partners([of_fewer[i][0] for i in fewer], [of_more[i][0] for i in more])):
            if len(places) == 1:
                receive, send = (more[places[0]], fewer[i]) if swapped else (fewer[i], more[places[0]])
                found[receive] = send
    doubtful = shiftable_places([size for size, _ in sends]) if ambiguous else set()
    return {receive: send for receive, send in found.items() if send not in doubtful}
