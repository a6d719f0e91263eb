#!/usr/bin/env python3
"""Records examples/jacobi.c: `xtf model` finds the formula of the ParJava paper, and its predictions are the formula's values."""

import re

import recording

N, K, P = 48, 20, 4
EXAMPLE = recording.PROGRAMS.parents[2] / "examples" / "jacobi.c"


class Jacobi(recording.Case):

    def build(self, mpi):
        path = self.folder / f"jacobi-{mpi}"
        self.run_in(f"mpicc.{mpi}", "-w", "-O1", "-o", path, EXAMPLE)
        return path

    def model(self, path, *options):
        """Returns the factors and times of the terms, the predictions and the formula."""
        text = self.xtf("model", "--region", "solve", "--least", 0, "--parameter", f"N={N}", "--parameter", f"K={K}",
                        *(word for name in ("relax", "compare", "pack", "unpack") for word in ("--work", f"{name}=N")), *options, path)
        _, terms, *predictions, _ = text.split("\n\n")
        lines = [line.split(None, 5) for line in terms.splitlines()[1:]]
        return ({line[0]: (line[4], float(line[1])) for line in lines}, [float(line.split()[1]) for table in predictions for line in table.splitlines()[1:]],
                re.search("^# T = .*$", text, re.MULTILINE)[0][2:], text)

    def test_formula(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                path, output = self.record(mpi, P, self.build(mpi), N, K)
                self.assertIn(f"{K} iterations on {P} processes", output)
                terms, predictions, formula, text = self.model(path, "--at", f"P={P}", "--at", "P=16,N=480,K=7")
                # Times of less than 0.1 % of the run are one term: which ones they are depends on the machine.
                factors = {factor for factor, _ in terms.values()}
                self.assertLessEqual({"K", "2*K", "N^2*K/P", "2*N*K", "N*K/P"}, factors, text)
                for term, factor in (("MPI_Send(8*N)", "2*K"), ("MPI_Recv(8*N)", "2*K")):
                    self.assertEqual(terms[term][0], factor, text)
                self.assertRegex(formula, r"2\*K\*\((t\d+ \+ )?MPI_Send\(8\*N\) \+ MPI_Recv\(8\*N\)\)")
                self.assertRegex(formula, r"N\^2\*K/P\*")
                for size, predicted in zip(({"P": P, "N": N, "K": K}, {"P": 16, "N": 480, "K": 7}), predictions):
                    value = sum(seconds * eval(factor.replace("^", "**"), {}, size) * (size["N"] / N if "8*N" in term else 1)
                                for term, (factor, seconds) in terms.items())  # factors are numbers, names and operators
                    self.assertAlmostEqual(predicted, value, delta=1e-4 * value)

    def test_the_grid_does_not_depend_on_the_number_of_processes(self):
        """Tests the example itself: one process and several compute the same change of rank 0's rows with the same number of rows."""
        mpi = recording.mpis()[0]
        program = self.build(mpi)
        changes = [re.search("change is (.*)", self.run_in(*self.launch(mpi, p, program, 8, 1)))[1] for p in (1, 8)]
        self.assertAlmostEqual(float(changes[0]), 8 * float(changes[1]), places=4)


if __name__ == "__main__":
    recording.main()
