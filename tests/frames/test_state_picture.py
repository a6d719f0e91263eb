#!/usr/bin/env python3
"""state.svg and arrows/, compared with the tables `state`, `matrix` and `bytes` of the same frame. Places stay the same between frames, and
links exist.

usage: test_state_picture.py XTF ASK-TREE GENERATE ARCHIVE...
"""

import base64
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import zlib
from collections import Counter

import svg
from asking import Asker, Refused
from xtfrun import Failure, Xtf, check, shared_traces, temporary_folder

SHARES = ["program", "p2p", "collective", "wait", "other"]
SENT = re.compile(r"(\d+) to (\d+): (\d+) messages?, (\d+) B")


class Trace:
    def __init__(self, xtf, ask_tree, path):
        self.name = path.name
        self.asker = Asker(xtf, ask_tree, path)

    def bytes(self, path):
        return self.asker.ask(f"cat {path}")

    def table(self, path):
        return svg.table(self.bytes(path))

    def picture(self, path, circles):
        text = self.bytes(path)
        check(len(text) <= (96 if circles else 192) << 10 and len(text) % 4096 == 0, f"{path}: {len(text)} bytes")
        return svg.Picture(text)


# ---- Arrows.

def check_arrows(trace, frame):
    pairs = sorted((line["sender"], line["receiver"], line["messages"], line["bytes"])
                   for line in trace.table(f"{frame}/matrix") if line["messages"] != "0")
    received = sorted((line["sender"], line["receiver"], line["messages"], line["bytes"])
                      for line in trace.table(f"{frame}/recvs/matrix") if line["messages"] != "0")
    operations = sorted((line["proc"], "-", line["collectives"], line["collective_sent"])
                        for line in trace.table(f"{frame}/bytes") if line["collectives"] != "0")
    wanted = {"a": pairs + operations, "c": operations, "d": pairs, "m": pairs, "r": received, "s": pairs}
    for letter, lines in wanted.items():
        arrows = trace.table(f"{frame}/arrows/{letter}")
        shown = [(line["from"], line["to"], line["count"], line["bytes"]) for line in arrows]
        check(sorted(shown) == sorted(lines), f"{trace.name}/{frame}/arrows/{letter}: {shown}, not {lines}")
        check(all(line["kind"] == ("collective" if line["to"] == "-" else "message") for line in arrows), f"{frame}: kinds")
    return {letter: [line for line in lines if line[1] != "-"] for letter, lines in wanted.items()}


def check_pairs(picture, pairs, most, label):
    """Checks tool tips of arrows and the list at the side: the pairs with most bytes, at most `most` of them."""
    def find(texts):
        return Counter(SENT.fullmatch(text).groups() for text in texts if SENT.fullmatch(text))
    arrows = find(title.text for title in picture.root.iter(svg.SVG + "title") if title.text)
    listed = find(picture.texts())
    for shown, bound in ((arrows, most), (listed, 16)):
        check(sum(shown.values()) == min(bound, len(pairs)) and not shown - Counter(pairs), f"{label}: {shown}, not of {pairs}")
        least = min((int(pair[3]) for pair in shown), default=0)
        check(sum(int(pair[3]) > least for pair in pairs) < max(1, sum(shown.values())), f"{label}: greater pairs are left out")


# ---- Processes.

def shares_of(line):
    times = [float(line[share]) for share in SHARES]
    return [time / (sum(times) or 1) for time in times]


def turn_of(x, y, cx, cy):
    return math.atan2(x - cx, cy - y) / (2 * math.pi) % 1


def shares_of_circle(process):
    """Returns shares by the angles of the arcs."""
    circle = process.find(svg.SVG + "circle")
    cx, cy = float(circle.get("cx")), float(circle.get("cy"))
    shares = [0.0] * 5
    for path in process.findall(svg.SVG + "path"):
        x0, y0, large, x1, y1 = map(float, re.match(r"M(\S+) (\S+)A44 44 0 ([01]) 1 (\S+) (\S+)L", path.get("d")).groups())
        turn = (turn_of(x1, y1, cx, cy) - turn_of(x0, y0, cx, cy)) % 1
        if large == 0 and turn > 0.5 + 1e-3 or large == 1 and turn < 0.5 - 1e-3:
            raise Failure(f"an arc of {turn} turns goes round the wrong way")
        shares[int(path.get("class")[-1])] += turn
    return (cx, cy), shares


def shares_of_cell(process):
    rects = process.findall(svg.SVG + "rect")
    ground = rects[0]
    shares = [0.0] * 5
    for rect in rects[1:]:
        shares[int(rect.get("class")[-1])] += int(rect.get("height")) / int(ground.get("height"))
    return (ground.get("x"), ground.get("y")), shares


def check_processes(trace, frame, picture, lines):
    shown = picture.of_class("xt-process")
    check(len(shown) == len(lines), f"{frame}: {len(shown)} processes")
    places = []
    for process, line in zip(shown, lines):
        label = f"{trace.name}/{frame}/state.svg, process {line['proc']}"
        circle = process.find(svg.SVG + "circle") is not None
        place, shares = (shares_of_circle if circle else shares_of_cell)(process)
        tolerance = 0.004 if circle else 2 / int(process.find(svg.SVG + "rect").get("height"))
        wanted = shares_of(line)
        check(all(abs(a - b) <= tolerance for a, b in zip(shares, wanted)), f"{label}: shares {shares}, not {wanted}")
        title = process.findtext(svg.SVG + "title")
        times = ", ".join(f"{share} {line[share]} s" for share in SHARES)
        colour = line["colour"].strip().replace("-", "not recorded at the end")
        check(title == f"process {line['proc']}, {colour}: {times}, sent {line['sent_bytes']} B, received {line['received_bytes']} B",
              f"{label}: {title}")
        letters = {"green": "G", "yellow": "Y", "red": "R"}
        text = " ".join("".join(text.itertext()) for text in process.findall(svg.SVG + "text")).split()
        check(text == [line["proc"]] + ([letters[line["colour"].strip()]] if line["colour"].strip() != "-" else []), f"{label}: {text}")
        places.append(place)
    return places


def check_pixels(picture, lines):
    image, = picture.of_class("xt-processes")
    data = base64.b64decode(image.get("href").split(",")[1])
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        at += 12 + length
    raw = zlib.decompress(packed)
    pixels = b"".join(raw[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height))
    for pixel, line in zip(pixels, lines):
        times = [float(line[share]) for share in SHARES]
        check(pixel == (1 + times.index(max(times)) if max(times) else 0), f"process {line['proc']} has colour {pixel}: {line}")


def check_inside(picture, label):
    height = float(picture.root.get("viewBox").split()[3])
    for element in picture.root.iter():
        for x, y in (("x", "y"), ("cx", "cy")):
            if element.get(x) and element.get(y):
                right = float(element.get(x)) + float(element.get("width", 0))
                bottom = float(element.get(y)) + float(element.get("height", 0))
                check(0 <= float(element.get(x)) and right <= 1600 and 0 <= float(element.get(y)) and bottom <= height,
                      f"{label}: {element.tag} at {element.attrib}")
        if element.tag == svg.SVG + "path":
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", element.get("d"))]
            check(all(-1 <= number <= 1600 for number in numbers), f"{label}: {element.get('d')}")


def check_frame(trace, frame):
    lines = trace.table(f"{frame}/state")
    circles = len(lines) <= 24
    pairs = check_arrows(trace, frame)
    picture = trace.picture(f"{frame}/state.svg", circles)
    check_inside(picture, frame)
    check_pairs(picture, pairs["a"], 40 if circles else 0, f"{frame}/state.svg")
    check_targets(trace, frame, picture)
    check_refused(trace, f"{frame}/arrows/c.svg")  # operations have no receiver
    for letter in random.sample("admrs", 2):
        of_letter = trace.picture(f"{frame}/arrows/{letter}.svg", circles)
        check_pairs(of_letter, pairs[letter], 40 if circles else 0, f"{frame}/arrows/{letter}.svg")
        check_links(trace, f"{frame}/arrows", of_letter)
        check_targets(trace, f"{frame}/arrows", of_letter)
    check_links(trace, frame, picture)
    if len(lines) > 256:
        check_pixels(picture, lines)
        return [], len(pairs["a"])
    return check_processes(trace, frame, picture, lines), len(pairs["a"])


def check_refused(trace, path):
    try:
        trace.asker.ask(f"cat {path}")
    except Refused:
        return
    raise Failure(f"{path} is there")


def check_targets(trace, folder, picture):
    """Checks that the target of an arrow has the number of records that the arrow states."""
    arrows = [(link.get("href"), SENT.fullmatch(link.find(f"{svg.SVG}g/{svg.SVG}title").text)) for link in picture.root.iter(svg.SVG + "a")
              if link.find(f"{svg.SVG}g[@class='xt-arrow']") is not None]
    for link, sent in random.sample(arrows, min(5, len(arrows))):
        count = trace.bytes(svg.follow(folder, link).rstrip("/") + "/count").decode().strip()
        check(count == sent.group(3), f"{folder}: {link} has {count} records, not {sent.group(0)}")


def check_links(trace, folder, picture):
    links = sorted(set(picture.links()))
    for link in random.sample(links, min(6, len(links))):
        label = svg.follow(folder, link)
        trace.asker.ask(f"ls {label}" if link.endswith("/") else f"cat {label}")


def check_trace(xtf, ask_tree, path, rate):
    trace = Trace(xtf, ask_tree, path)
    n = int(trace.bytes(f"frames/{rate}/count"))
    drawn = [check_frame(trace, f"frames/{rate}/{k}") for k in random.sample(range(n), min(6, n))]
    for name in ("state.svg", "arrows/a.svg"):  # long paths make long links, for which there is no room
        trace.picture("time/0-100%/" * 250 + f"frames/{rate}/0/{name}", len(drawn[0][0]) in range(1, 25))
    check(all(places == drawn[0][0] for places, _ in drawn), f"{path.name}: processes move from frame to frame")
    return sum(pairs for _, pairs in drawn)


def main():
    xtf, ask_tree, generate, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    random.seed(3)
    shared = shared_traces()
    if shared:
        archives += [shared / "stencil4d-32" / "traces.otf2", shared / "coverage-10" / "traces.otf2"]
    pairs = 0
    with temporary_folder() as folder:
        for i, archive in enumerate(archives):
            path = pathlib.Path(folder) / f"{i}.xtf"
            xtf.import_archive(archive, path)
            pairs += check_trace(xtf, ask_tree, path, "100fps")
        for processes in (1, 24, 25, 256, 257, 1100):
            path = pathlib.Path(folder) / f"made-{processes}.xtf"
            subprocess.run([generate, "-n", str(60 * processes), "-l", str(processes), path], check=True, capture_output=True)
            length = Trace(xtf, ask_tree, path).table("info")[1]["value"]
            pairs += check_trace(xtf, ask_tree, path, f"{max(1, int(float(length) * 1e9 / 5))}ns")
    check(pairs > 30, f"{pairs} pairs in all: the test tests little")


if __name__ == "__main__":
    main()
