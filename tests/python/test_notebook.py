#!/usr/bin/env python3
"""Executes the cells of examples/first-look.ipynb in order, and compares what they show with the command.

usage: test_notebook.py PROJECT

XTF in the environment is the command. Plain Python executes the cells: a notebook shows the value of a cell's last expression.
"""

import ast
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import unittest

from interpreters import need_pandas

need_pandas()

PROJECT = pathlib.Path(sys.argv.pop())
EXAMPLES = PROJECT / "examples"
TRACE = EXAMPLES / "rod-4/rod.xtf"
sys.path.insert(0, str(PROJECT / "python"))
XTF = os.path.abspath(os.environ["XTF"])


def execute(source, names):
    """Executes a cell. Returns the value of its last expression, or None."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(last, "cell", "eval"), names) if last else None


def table(path):
    text = subprocess.run([XTF, "cat", "--csv", TRACE, path], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(text, newline="")))


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        notebook = json.loads((EXAMPLES / "first-look.ipynb").read_text())
        os.environ["PATH"] = f"{os.path.dirname(XTF)}:{os.environ['PATH']}"
        os.chdir(EXAMPLES)
        cls.notebook, names = notebook, {}
        cls.shown = [execute("".join(cell["source"]), names) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        cls.names = names

    def test_each_cell_shows_something(self):
        self.assertEqual(self.notebook["nbformat"], 4)
        self.assertEqual(len(self.shown), 8)
        for value in self.shown:
            self.assertIsNotNone(value)
        self.assertTrue(all(not cell.get("outputs") for cell in self.notebook["cells"]), "the notebook in the repository has no outputs")

    def test_numbers(self):
        count, picture, findings, profile, half, shares, sent, _ = self.shown
        self.assertEqual(count, len(table("records")))
        self.assertTrue(picture._repr_svg_().startswith("<svg"))
        self.assertEqual(list(findings["finding"]), [line["finding"] for line in table("findings")])
        expected = sorted(table("profile"), key=lambda line: -float(line["exclusive"]))[:5]
        self.assertEqual(list(profile["region"]), [line["region"] for line in expected])
        self.assertEqual(list(profile["calls"]), [int(line["calls"]) for line in expected])
        self.assertEqual(list(profile["exclusive"]), [float(line["exclusive"]) for line in expected])
        self.assertEqual(dict(half), {int(line["proc"]): float(line["exclusive"]) for line in table("time/50%-100%/by/proc/profile")
                                      if line["region"] == "inner cells"})
        self.assertEqual(half.idxmax(), 2)
        exact = [float(line["exclusive%"]) for line in table("by/time:20/classes") if line["class"] == "wait"]
        self.assertEqual(len(shares), len(exact))
        for found, expected in zip(shares["wait"], exact):
            self.assertAlmostEqual(found, expected, delta=0.0501)
        self.assertEqual(sent, {(int(line["sender"]), int(line["receiver"])): int(line["bytes"]) for line in table("matrix") if int(line["messages"])})
        self.assertEqual(len(self.names["frame"]), len(table("time/50%-60%/records")))


if __name__ == "__main__":
    unittest.main()
