#!/usr/bin/env python3
"""matrix.svg and histogram.svg: each cell and each bar is a line of the table at its place, and the pictures have no others.

usage: test_charts.py XTF ASK-TREE GENERATE ARCHIVE...
"""

import base64
import pathlib
import random
import re
import struct
import subprocess
import sys
import zlib

import svg
from asking import Refused
from tracepictures import Trace, check
from xtfrun import Xtf, shared_traces, temporary_folder

BASE, PANEL, PITCH, TOP = 16, 90, 120, 84


def check_matrix(trace, path):
    picture = trace.picture(path, "matrix.svg")
    lines = [line for line in trace.table(path, "matrix") if line["messages"] != "0"]
    titles = {}
    for link, title, cell in picture.tiles():
        titles[title] = (link, cell)
    wanted = {}
    for line in lines:
        messages = f"{line['messages']} message{'s' if line['messages'] != '1' else ''}"
        wanted[f"{line['sender']} to {line['receiver']}: {messages}, {line['bytes']} B"] = line
    check(set(titles) == set(wanted), f"{path}: {sorted(set(titles) ^ set(wanted))[:4]}")
    sizes = sorted((int(line["bytes"]), int(re.search(r"xt-q(\d+)", titles[title][1].get("class")).group(1)))
                   for title, line in wanted.items())
    check(sizes == sorted(sizes, key=lambda pair: pair[1]), f"{path}: more bytes are paler")
    check_sums(picture, lines, path)
    check_amounts(picture, sizes, path)
    for title in random.sample(sorted(titles), min(20, len(titles))):
        directory = svg.follow(path, titles[title][0])
        check(trace.text(f"{directory}/count").strip() == wanted[title]["messages"], f"{path}: {directory} has another count than {title}")


def check_sums(picture, lines, path):
    """Checks that each row and each column with messages has a bar as long as its bytes."""
    for role, words, side in ("sender", "sends", "width"), ("receiver", "is sent", "height"):
        wanted = {}
        for line in lines:
            wanted[line[role]] = wanted.get(line[role], 0) + int(line["bytes"])
        bars = {bar.findtext(svg.SVG + "title"): float(bar.get(side)) for bar in picture.of_class("xt-bar")}
        drawn = {title: length for title, length in bars.items() if f" {words} " in title}
        titles = {f"process {proc} {words} {n} B": n for proc, n in wanted.items() if n > 0}
        check(set(drawn) == set(titles), f"{path}: {sorted(set(drawn) ^ set(titles))[:4]}")
        most = max((int(title.split()[-2]) for title in bars), default=0)
        check(all(abs(drawn[title] - 96 * n / most) <= 0.1 for title, n in titles.items()), f"{path}: bars of what each {words}")


def check_amounts(picture, sizes, path):
    """Checks that up to six amounts are listed with their pairs, and of more the least and the greatest."""
    pairs = {}
    for amount, _ in sizes:
        pairs[amount] = pairs.get(amount, 0) + 1
    few = [f"{amount} B: {n} pair{'s' if n > 1 else ''}" for amount, n in sorted(pairs.items())]
    wanted = few if len(few) <= 6 else [f"{amount} B" for amount in (min(pairs), max(pairs))]
    shown = [text for text in picture.texts() if re.match(r"\d+ B", text)]
    check(shown == wanted, f"{path}: {shown}, not {wanted}")


def pixels_of(text):
    """Returns the indices of an indexed PNG, row by row, and the number of colours."""
    data, at, packed, colours = base64.b64decode(text), 8, b"", 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", chunk[:8])
        elif kind == b"PLTE":
            colours = length // 3
        elif kind == b"IDAT":
            packed += chunk
        at += 12 + length
    raw = zlib.decompress(packed)
    check(all(raw[y * (width + 1)] == 0 for y in range(height)), "rows of an indexed image are filtered")
    return [raw[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height)], colours


def check_image(trace, path, processes):
    """Checks an image of many processes: coloured pixels are the pairs that exchange messages, one pixel for a block of neighbours."""
    picture = trace.picture(path, "matrix.svg")
    image = next(picture.root.iter(svg.SVG + "image"))
    rows, _ = pixels_of(image.get("href").split(",", 1)[1])
    least = -(-processes // 720)
    block = next(size for size in (1, 2, 5, 10, 20, 50) if size >= least)
    drawn = {(y, x) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel}
    wanted = {(int(line["sender"]) // block, int(line["receiver"]) // block)
              for line in trace.table(path, "matrix") if line["messages"] != "0"}
    check(drawn == wanted, f"{path}: {len(drawn)} cells are drawn, {len(wanted)} expected")


def check_histogram(trace, path):
    picture = trace.picture(path, "histogram.svg")
    table = trace.table(path, "histogram")
    for panel, (column, words) in enumerate([("calls", "calls"), ("sent_messages", "messages sent"), ("sent_bytes", "bytes sent")]):
        bottom = TOP + panel * PITCH + PANEL + BASE
        bars = [(link, title, bar) for link, title, bar in picture.tiles() if title.endswith(words)]
        values = [int(line[column]) if line[column] != "-" else 0 for line in table]
        check([int(title.split()[0]) for _, title, _ in bars] == [value for value in values if value > 0],
              f"{path}: bars of {words} are not the table's")
        heights = [float(bar.get("height")) for _, _, bar in bars]
        for height, (_, title, bar) in zip(heights, bars):
            check(abs(float(bar.get("y")) + height - bottom) < 0.11 and height <= PANEL + 0.05, f"{path}: {title}: a bar that stands nowhere")
            share = int(title.split()[0]) / max(values)
            check(abs(height - max(share * max(heights), 1)) < 0.2, f"{path}: {title}: {height} pixels")
        for link, title, _ in random.sample(bars, min(3, len(bars))):
            directory = svg.follow(path, link).rsplit("/", 1)[0]
            total = trace.table(directory, "totals")[0][column]
            check(total == title.split()[0], f"{path}: {directory} has {total} {words}, not {title}")


PATHS = ["", "time/40%-60%", "proc/0", "proc/0,1/time/10%-90%", "time/50%-", "sends/time/20%-80%", "recvs", "tag/0", "proc/1/peer/0-"]


def check_trace(xtf, ask_tree, path):
    trace = Trace(xtf, ask_tree, path)
    for directory in PATHS:
        for check_one in check_matrix, check_histogram:
            try:
                check_one(trace, directory)
            except Refused as error:
                check("there are" in str(error) or "there is no" in str(error), str(error))


def main():
    random.seed(15)
    xtf, ask_tree, generate, *archives = Xtf(sys.argv[1]), sys.argv[2], sys.argv[3], *sys.argv[4:]
    shared = shared_traces()
    archives += [shared / name for name in ("coverage-10", "stencil4d-32")] if shared else []
    with temporary_folder() as folder:
        for i, archive in enumerate(archives):
            path = pathlib.Path(folder) / f"{i}.xtf"
            xtf.import_archive(archive, path)
            check_trace(xtf, ask_tree, path)
        for processes in (65, 800):
            path = pathlib.Path(folder) / f"many-{processes}.xtf"
            subprocess.run([generate, "-n", str(60 * processes), "-l", str(processes), path], check=True, capture_output=True)
            trace = Trace(xtf, ask_tree, path)
            check_image(trace, "", processes)
            check_histogram(trace, "proc/3")


if __name__ == "__main__":
    main()
