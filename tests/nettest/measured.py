#!/usr/bin/env python3
"""Results of network_test for tests: ncgen makes them and ncdump reads them. Both are programs of netCDF.

usage: measured.py FOLDER NAME PROCESSES LENGTHS    makes up a result: see make()
"""

import dataclasses
import math
import pathlib
import random
import re
import subprocess
import sys

TYPES = {"average": 1, "median": 2, "deviation": 3, "min": 4, "measurements_amount": 6}
EVENTS = {"average": "AVERAGE", "median": "MEDIAN", "deviation": "DEVIATION", "min": "MIN", "measurements_amount": "AMOUNT", "all": "REPEAT"}


@dataclasses.dataclass
class Result:
    """A file: data[i][receiver][sender] is a value or a list of values."""
    begin: int
    step: int
    data: list

    def lengths(self):
        return [self.begin + i * self.step for i in range(len(self.data))]


def numbers_of(text):
    return [math.nan if word.lower().startswith("nan") or word == "_" else float(word) for word in re.split(r"[\s,]+", text.strip(" \n,;"))]


def read(path):
    """Reads a file with ncdump."""
    text = subprocess.run(["ncdump", "-p", "9,17", path], check=True, capture_output=True, text=True, timeout=60).stdout
    scalars = dict(re.findall(r"^ (\w+) = (-?\d+) ;", text, re.MULTILINE))
    sizes = dict(re.findall(r"^\t(\w+) = (\d+) ;", text, re.MULTILINE))
    flat = numbers_of(re.search(r"^ data =(.*?);", text, re.MULTILINE | re.DOTALL)[1])
    p, z = int(sizes["x"]), int(sizes.get("z", 0))
    if z:
        flat = [flat[k:k + z] for k in range(0, len(flat), z)]
    rows = [flat[k:k + p] for k in range(0, len(flat), p)]
    return Result(int(scalars["begin_mes_length"]), int(scalars["step_length"]), [rows[k:k + p] for k in range(0, len(rows), p)])


def write(path, kind, begin, step, data):
    """Writes data[i][receiver][sender] with ncgen."""
    p = len(data[0])
    flat = ", ".join("NaN" if math.isnan(v) else repr(v) for matrix in data for row in matrix for v in row)
    cdl = f"""netcdf x {{
dimensions: x = {p} ; y = {p} ; n = UNLIMITED ; strings = 101 ;
variables: int proc_num ; int test_type ; int data_type ; int begin_mes_length ; int end_mes_length ; int step_length ;
 int noise_mes_length ; int num_noise_mes ; int num_noise_proc ; int num_repeates ; double data(n, x, y) ;
data: proc_num = {p} ; test_type = 1 ; data_type = {TYPES[kind]} ; begin_mes_length = {begin} ; end_mes_length = {begin + len(data) * step} ;
 step_length = {step} ; noise_mes_length = 0 ; num_noise_mes = 0 ; num_noise_proc = 0 ; num_repeates = 50 ; data = {flat} ;
}}"""
    subprocess.run(["ncgen", "-k", "64-bit offset", "-o", path], input=cdl, text=True, check=True, timeout=60)


def write_repeats(path, begin, step, data):
    """Writes data[i][receiver][sender], a list of all measurements, with ncgen."""
    p, repeats = len(data[0]), len(data[0][0][0])
    flat = ", ".join("NaN" if math.isnan(v) else repr(v) for matrix in data for row in matrix for cell in row for v in cell)
    cdl = f"""netcdf x {{
dimensions: x = {p} ; y = {p} ; z = {repeats} ; n = UNLIMITED ;
variables: int proc_num ; int test_type ; int data_type ; int begin_mes_length ; int step_length ; double data(n, x, y, z) ;
data: proc_num = {p} ; test_type = 1 ; data_type = 5 ; begin_mes_length = {begin} ; step_length = {step} ; data = {flat} ;
}}"""
    subprocess.run(["ncgen", "-k", "64-bit offset", "-o", path], input=cdl, text=True, check=True, timeout=60)


def make(folder, name, p, lengths, begin=1000, step=1000, seed=1):
    """Makes up two nodes of p/2 processes. Links within a node are faster and change their protocol at half of the lengths. Writes average,
    median, deviation, min and amount, and the hosts. Returns {kind: path}."""
    dice = random.Random(seed)
    values = {kind: [] for kind in TYPES}
    for i in range(lengths):
        length = begin + i * step
        matrices = {kind: [[0.0] * p for _ in range(p)] for kind in TYPES}
        for receiver in range(p):
            for sender in range(p):
                if sender == receiver:
                    continue
                near = sender // (p // 2) == receiver // (p // 2)
                alpha, beta = (1e-6, 1e-10) if near else (3e-6, 1e-9)
                if i >= lengths // 2:
                    alpha, beta = alpha + 4e-6, beta / 2
                median = (alpha + beta * length) * dice.gauss(1, 0.02)
                if dice.random() < 0.02:
                    median *= 4
                matrices["median"][receiver][sender] = median
                matrices["average"][receiver][sender] = median * 1.05
                matrices["deviation"][receiver][sender] = median * 0.1
                matrices["min"][receiver][sender] = median * 0.9
                matrices["measurements_amount"][receiver][sender] = 50.0
        for kind, matrix in matrices.items():
            values[kind].append(matrix)
    paths = {kind: folder / f"{name}_{kind}.nc" for kind in TYPES}
    for kind, path in paths.items():
        write(path, kind, begin, step, values[kind])
    (folder / f"{name}_hosts.txt").write_text("".join(f"node{k // (p // 2)}\n" for k in range(p)))
    return paths


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
