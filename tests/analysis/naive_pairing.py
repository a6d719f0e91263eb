"""The naive judge of groups of messages of which records were lost: tries all pairings of an epoch that keep the order."""

import collections
import itertools


def epochs_of(sends, receives):
    """[(sends, receives)] of the epochs that have any, in order: lists of places. Ends are (bytes, epoch)."""
    if any(a[1] > b[1] for ends in (sends, receives) for a, b in zip(ends, ends[1:])):
        return [(list(range(len(sends))), list(range(len(receives))))]
    found = collections.defaultdict(lambda: ([], []))
    for side, ends in enumerate((sends, receives)):
        for place, (_, epoch) in enumerate(ends):
            found[epoch][side].append(place)
    return [found[epoch] for epoch in sorted(found)]


def doubtful_epochs(excess):
    """Numbers of epochs that may have received what earlier ones sent, or the reverse. `excess`: sends less receives of each."""
    if len(excess) > 1 and (excess[0] > 0 or excess[-1] < 0):
        return set(range(len(excess)))
    doubtful, i = set(), 0
    while i < len(excess):
        # What is left over of epoch i, behind each later one, as long as there is any.
        left = list(itertools.takewhile(lambda n: n > 0, itertools.accumulate(excess[i:])))
        less = [j for j in range(i + 1, min(i + len(left) + 1, len(excess))) if left and excess[j] < 0]
        doubtful |= set(range(i, max(less) + 1)) if less else set()
        i = max(less, default=i) + 1
    return doubtful


def possible(fewer, more):
    """For each of the fewer ends, the places among the others that it has in any pairing of all of them."""
    n, m = len(fewer), len(more)
    # Whether the first i have pairs among the first j; whether those from i on have pairs among those from j on.
    begins = [[i == 0 for _ in range(m + 1)] for i in range(n + 1)]
    ends = [[i == n for _ in range(m + 1)] for i in range(n + 1)]
    for i in range(n):
        for j in range(m):
            begins[i + 1][j + 1] = begins[i + 1][j] or (begins[i][j] and fewer[i] == more[j])
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            ends[i][j] = ends[i][j + 1] or (ends[i + 1][j + 1] and fewer[i] == more[j])
    return [[j for j in range(m) if fewer[i] == more[j] and begins[i][j] and ends[i + 1][j + 1]] for i in range(n)]


def shiftable(sizes):
    """Places of messages that go with others if a send and a receive are lost at two places, and all between agree in size."""
    found = set()
    for first in range(len(sizes)):
        for last in range(first + 1, len(sizes)):
            if sizes[last] != sizes[last - 1]:
                break
            found |= {*range(first, last + 1)}
    return found


def pairs(sends, receives, both_lost=False):
    """{receive: send} of the pairs that are known, by their places; ends are (bytes, epoch). both_lost: the trace lacks sends, and
    receives, too."""
    epochs = epochs_of(sends, receives)
    doubtful = doubtful_epochs([len(a) - len(b) for a, b in epochs])
    excess = [len(a) - len(b) for a, b in epochs]
    alone = len(epochs) == 1 and both_lost and len(sends) == len(receives)
    if len(epochs) > 1 and excess[0] > 0 and excess[-1] == -excess[0] and not any(excess[1:-1]):
        epochs, doubtful = [(list(range(len(sends))), list(range(len(receives))))], set()
    found = {}
    for number, (some_sends, some_receives) in enumerate(epochs):
        if number in doubtful:
            continue
        swapped = len(some_sends) < len(some_receives)
        fewer, more = (some_sends, some_receives) if swapped else (some_receives, some_sends)
        of_fewer, of_more = (sends, receives) if swapped else (receives, sends)
        for i, places in enumerate(possible([of_fewer[i][0] for i in fewer], [of_more[i][0] for i in more])):
            if len(places) == 1:
                receive, send = (more[places[0]], fewer[i]) if swapped else (fewer[i], more[places[0]])
                found[receive] = send
    doubtful = shiftable([size for size, _ in sends]) if alone else set()
    return {receive: send for receive, send in found.items() if send not in doubtful}
