"""Vectors: inputs and results of each function that docs/FORMAT.md and docs/VOCABULARY.md define.

The functions here were written from these two pages alone, and are plain and slow.
"""
from format_truth import U64_MAX, as_cell, as_number, to_global

HEAD_CLASSES = [(0, 191, 0, 0), (192, 239, 192, 1), (240, 247, 12480, 2), (248, 251, 536768, 3), (252, 252, 67645632, 4), (253, 253, 0, 5), (254, 254, 0, 6), (255, 255, 0, 8)]
CRC_INPUTS = [b"", b"\0", b"123456789", b"XTFc", bytes(64), bytes(range(256))]
HASHES = [(), (0,), (1,), (1, 2, 3), (3, 2, 1), (U64_MAX,), (0, 0, 0, 0, 0, 0)]
NUMBERS = [0, 1, 127, 128, 191, 192, 300, 453, 12479, 12480, 16383, 16384, 536767, 536768, 67645631, 67645632, 4362612927, 4362612928, (1 << 40) - 1, 1 << 40,
           (1 << 48) - 1, 1 << 48, (1 << 63) - 1, 1 << 63, U64_MAX]
SIGNED = [0, -1, 1, -2, 2, 63, -64, (1 << 31) - 1, -(1 << 31), (1 << 63) - 1, -(1 << 63)]
KNOTS = [[1000, 5000, False], [2000, 6001, True], [2001, 9000, False]]  # the example of section 3
FAR_KNOTS = [[10, 1 << 63, False], [20, (1 << 63) + 10, False]]
LOCALS = [0, 999, 1000, 1999, 2000, 2001, 2011, U64_MAX]
GLOBALS = [0, 1, 4000, 4999, 5000, 6000, 6001, 6002, 8999, 9000, 9001, U64_MAX]
PACKED = ("10c30ac1c10c282a34740101000002030202020 20e10100e0000020200000001000101 00010203").replace(" ", "")


def crc32(data):
    """Returns the CRC-32 bit by bit."""
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xedb88320 if crc & 1 else 0)
    return crc ^ 0xffffffff


def mix(h, value):
    h = (h ^ value) + 0x9e3779b97f4a7c15 & U64_MAX
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9 & U64_MAX
    h = (h ^ h >> 27) * 0x94d049bb133111eb & U64_MAX
    return h ^ h >> 31


def mix_all(values):
    h = 0
    for value in values:
        h = mix(h, value)
    return h


def filter_bits(h, words):
    return sorted({((h & 0xffffffff) + i * (h >> 32 | 1)) % (64 * words) for i in range(7)})


def clocks_digest(clocks):
    """Returns the digest of clocks: (location, knots) each."""
    values = []
    for location, knots in clocks:
        values += [location, len(knots)]
        for i, (local, time, jump) in enumerate(knots):
            values += [local, time, int(jump and i + 1 < len(knots))]
    return mix_all(values)


def varint(value):
    data = bytearray()
    while value >= 128:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes(data + bytes([value]))


def zigzag(value):
    return 2 * value if value >= 0 else -2 * value - 1


def head_and_tail(value):
    """Returns the shortest form of a number."""
    for first, last, base, tail in HEAD_CLASSES:
        head = first + ((value - base >> 8 * tail) if first < last else 0)
        if value >= base and head <= last and (first < last or value - base < 1 << 8 * tail):
            return head, (value - base & (1 << 8 * tail) - 1).to_bytes(tail, "little")
    raise ValueError(value)


def to_local(knots, time):
    """Returns the least local time whose global time is `time` or later, by halving; None if there is none."""
    low, high = 0, U64_MAX
    if to_global(knots, high) < time:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if to_global(knots, middle) >= time else (middle + 1, high)
    return low


def knots_cells(knots):
    return [[as_cell(l), as_cell(g), jump] for l, g, jump in knots]


def as_cell_or_none(number):
    return None if number is None else as_cell(number)


def make_vectors():
    """Returns what vectors.json has."""
    clocks = [[[3, []]], [[3, KNOTS]], [[3, []], [4, KNOTS], [1 << 40, []]]]
    return {
        "crc32": [{"hex": data.hex(), "crc32": crc32(data)} for data in CRC_INPUTS],
        "hash": [{"values": list(map(as_cell, values)), "h": as_cell(mix_all(values))} for values in HASHES],
        "filter_bits": [{"h": as_cell(mix_all(values)), "words": words, "bits": filter_bits(mix_all(values), words)} for values in HASHES[1:4] for words in (1, 3, 210)],
        "clocks_digest": [{"clocks": [[as_cell(location), knots] for location, knots in case], "digest": as_cell(clocks_digest(case))} for case in clocks],
        "varint": [{"number": as_cell(value), "hex": varint(value).hex()} for value in NUMBERS],
        "zigzag": [{"signed": as_cell(value), "number": as_cell(zigzag(value))} for value in SIGNED],
        "head_and_tail": [{"number": as_cell(value), "head": head_and_tail(value)[0], "tail": head_and_tail(value)[1].hex()} for value in NUMBERS],
        "to_global": [{"knots": knots_cells(knots), "local_global": [[as_cell(l), as_cell(to_global(knots, l))] for l in LOCALS]} for knots in (KNOTS, FAR_KNOTS)],
        "to_local": [{"knots": knots_cells(knots), "global_local": [[as_cell(t), as_cell_or_none(to_local(knots, t))] for t in GLOBALS]} for knots in (KNOTS, FAR_KNOTS)],
        "packed": [{"types": ["U64", "U64", "U32", "U8", "U64"], "hex": PACKED, "rows": [[1000, 0, 7, 0, 0], [1010, 1, 8, 0, 1], [1500, 2, 8, 1, 1], [2000, 3, 7, 1, 3]]}],
    }


# ---- The questions that print-vectors.c answers, and the answers.

def knots_text(knots):
    return " ".join([str(len(knots))] + [f"{as_number(l)} {as_number(g)} {int(jump)}" for l, g, jump in knots])


def questions(vectors):
    """Yields (question, answer) for libxtf."""
    for v in vectors["crc32"]:
        yield f"crc32 {v['hex']}".rstrip(), str(v["crc32"])
    for v in vectors["hash"]:
        if v["values"]:
            yield "hash " + " ".join(str(as_number(value)) for value in v["values"]), str(as_number(v["h"]))
    for v in vectors["filter_bits"]:
        yield f"bits {v['words']} {as_number(v['h'])}", " ".join(map(str, v["bits"]))
    for v in vectors["clocks_digest"]:
        if len(v["clocks"]) == 1:
            yield f"clocks_digest {v['clocks'][0][0]} {knots_text(v['clocks'][0][1])}", str(as_number(v["digest"]))
    for v in vectors["varint"]:
        yield f"varint {as_number(v['number'])}", v["hex"]
    for v in vectors["zigzag"]:
        yield f"zigzag {as_number(v['signed'])}", str(as_number(v["number"]))
    for v in vectors["head_and_tail"]:
        yield f"number {as_number(v['number'])}", f"{v['head']:02x} {v['tail']}".rstrip()
    for v in vectors["to_global"]:
        for local, time in v["local_global"]:
            yield f"clock {as_number(local)} {knots_text(v['knots'])}", str(as_number(time))
    for v in vectors["to_local"]:
        for time, local in v["global_local"]:
            yield f"clock_back {as_number(time)} {knots_text(v['knots'])}", str(U64_MAX if local is None else as_number(local))
