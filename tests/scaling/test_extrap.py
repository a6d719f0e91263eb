#!/usr/bin/env python3
"""Fits the cases of Extra-P's own tests, and compares with the functions that these tests state.

Extra-P (https://github.com/extra-p/extrap, BSD-3) is read by name: XTF_EXTRAP is the folder of its source, such as commit 291ac81.
Without it the test is skipped.

usage: test_extrap.py FIT-VALUES
"""

import ast
import fractions
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import unittest

from test_scale import naive_error

SKIPPED = 77
EXTRAP = pathlib.Path(os.environ.get("XTF_EXTRAP", "/nonexistent"))
PROGRAM = ""
CASES = "tests/test_basic_modeler.py"


def value_of(node):
    """Returns the value of a literal, in which Fraction(a, b) is a number, and numbers may be added."""
    if isinstance(node, ast.Call) and node.func.id == "Fraction":
        return fractions.Fraction(*map(value_of, node.args))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return value_of(node.left) + value_of(node.right)
    if isinstance(node, (ast.Tuple, ast.List)):
        return [value_of(part) for part in node.elts]
    return ast.literal_eval(node)


def function_of(name):
    """Returns the syntax tree of a function of Extra-P's test."""
    tree = ast.parse((EXTRAP / CASES).read_text(encoding="utf-8"))
    return next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)


def assigned(function, name):
    return next(value_of(node.value) for node in ast.walk(function) if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name)


def lists_of_loops(function):
    """Returns the lists that the function's loops go through."""
    return [value_of(node.iter) for node in ast.walk(function) if isinstance(node, ast.For) and isinstance(node.iter, ast.List)]


def fit(cases):
    """Returns (constant, factor, exponent of p, exponent of log2(p)) of each (points, values, falls)."""
    text = "".join(f"{len(points)} {int(falls)} {' '.join(map(repr, points))} {' '.join(map(repr, values))}\n" for points, values, falls in cases)
    lines = subprocess.run([PROGRAM], input=text, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    fitted = []
    for line in lines:
        constant, factor, numerator, denominator, log = line.split()
        fitted.append((float(constant), float(factor), fractions.Fraction(int(numerator), int(denominator)), int(log)))
    return fitted


def read_text(path):
    """Reads a text file of Extra-P with one parameter: yields (region, points, medians of the values)."""
    points, region, values = [], "", []
    for line in [*path.read_text(encoding="utf-8").splitlines(), "REGION"]:
        word, _, rest = line.partition(" ")
        numbers = [float(number) for number in re.findall(r"[-+.\deE]+", rest)] if word in ("POINTS", "DATA") else []
        if word == "POINTS":
            points += numbers
        elif word == "DATA":
            values.append(statistics.median(numbers))
        elif word in ("REGION", "METRIC"):
            if values:
                yield region, points, values
            values, region = [], rest.strip() if word == "REGION" else region


class ExtraP(unittest.TestCase):

    def check(self, cases):
        """Fits the values of known functions: (points, exponent, log, constant, factor, falls, values or None)."""
        questions = []
        for points, exponent, log, constant, factor, falls, values in cases:
            logs = {p: int(p).bit_length() - 1 for p in points}  # of powers of 2
            questions.append((points, values or [constant + factor * p**float(exponent) * logs[p]**log for p in points], falls))
        fitted = fit(questions)
        self.assertEqual(len(fitted), len(cases))
        for (_, exponent, log, constant, factor, _, _), found in zip(cases, fitted):
            self.assertEqual(found[2:], (exponent, log), f"{constant} + {factor} p^{exponent} log^{log}")
            self.assertAlmostEqual(found[0], constant, delta=1e-5 * constant)
            self.assertAlmostEqual(found[1], factor, delta=1e-5 * factor)

    def test_known_functions(self):
        for name, constants, factors in (("test_modeling", [200], [10]), ("test_modeling2", [200], None), ("test_modeling3", None, [1000])):
            function = function_of(name)
            exponents, *others = lists_of_loops(function)
            points = assigned(function, "points")
            cases = [(points, fractions.Fraction(n, d), log, constant, factor, False, None)
                     for n, d, log in exponents for constant in constants or others[0] for factor in factors or others[0]]  # yapf: disable
            self.assertGreater(len(cases), 40)
            self.check(cases)

    def test_falling_functions(self):
        function = function_of("test_modeling_negative_exponents")
        exponents, constants = lists_of_loops(function)
        points = assigned(function, "points")
        known = [(n, d, log) for n, d, log in exponents if log == 0]  # xtf has no negative exponents of logarithms
        self.assertGreater(len(known), 12)
        self.check([(points, fractions.Fraction(n, d), log, constant, 1000, True, None) for n, d, log in known for constant in constants])

    def test_measured_values(self):
        function = function_of("test_compare")
        points, cases = assigned(function, "points"), []
        for (exponents, (constant, factor)), values, _ in assigned(function, "data"):
            exponent, log = exponents or (0, 0)
            cases.append((points, fractions.Fraction(exponent), int(log), constant, factor, False, values))
        self.assertGreater(len(cases), 30)
        self.check(cases)

    def test_files(self):
        """Compares with the exponents that Extra-P's test_modeling.py states: met1 is constant, the others grow as p^2. The values of met3
        have another term, too. There a term that predicts points better than p^2 is accepted."""
        found = {region: (points, values) for region, points, values in read_text(EXTRAP / "tests/data/text/one_parameter_6.txt")}
        self.assertEqual(sorted(found), ["met1", "met2", "met3", "met4"])
        for region, (points, values) in found.items():
            _, _, exponent, log = fit([(points, values, False)])[0]
            if region != "met3":
                self.assertEqual((exponent, log), (0 if region == "met1" else 2, 0), region)
                continue
            errors = [naive_error(list(zip(points, values)), function) for function in (lambda p: p**float(exponent) * math.log2(p)**log, lambda p: p**2)]
            self.assertLessEqual(errors[0], errors[1])
        for number in range(1, 6):  # x^2 / 5, with noise; Extra-P's tests state no function
            for region, points, values in read_text(EXTRAP / f"tests/data/text/one_parameter_{number}.txt"):
                constant, factor, exponent, log = fit([(points, values, False)])[0]
                for p in points:
                    model = constant + factor * p**float(exponent) * math.log2(p)**log
                    self.assertAlmostEqual(model, p * p / 5, delta=0.03 * p * p / 5, msg=f"{number} {region}")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if not (EXTRAP / CASES).exists():
        print("skipped: XTF_EXTRAP is not the folder of Extra-P's source")
        sys.exit(SKIPPED)
    unittest.main()
