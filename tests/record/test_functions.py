#!/usr/bin/env python3
"""The table of MPI's functions against the installed headers and libraries. It must have every function of the headers, as they
declare it, and every function of the libraries that the headers hide. The recording modules must have a wrapper for each. The
generator must refuse lines that do not fit.

usage: test_functions.py SOURCE [NAME MODULE COMPILER...] [-- NAME ...]...

For each MPI: its name, the module that records it, and the command that compiles for it.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "src/record/mpi/generate"))

import fewer  # noqa: E402
import header  # noqa: E402
import kinds  # noqa: E402
import kinds_handles  # noqa: E402
import kinds_messages  # noqa: E402
import roles  # noqa: E402
import table  # noqa: E402
import wrappers  # noqa: E402

# Exported symbols that are no functions, or only names by which Fortran calls a callback.
DATA = re.compile(r"MPI_(F(08)?_STATUS(ES)?_IGNORE|UNWEIGHTED|WEIGHTS_EMPTY|\w+_FN|CONVERSION_FN_NULL|\w+_F90)$")

EQUAL_TYPES = {"MPI_Fint": "int", "MPI_Handler_function": "MPI_Comm_errhandler_function"}
EQUAL_TYPE = re.compile(r"\b(" + "|".join(EQUAL_TYPES) + r")\b")


def normal_types(parameters):
    """Returns the types of a declaration without details that do not matter to wrappers: names of arguments, notation of arrays,
    and `const`."""
    types = []
    for part in parameters.split(","):
        part = part.strip().removeprefix("const ")
        match = re.match(r"(.*?)(\w+)\s*((?:\[\d*\])*)$", part)
        kind, array = (match[1], match[3]) if match and part != "void" else (part, "")
        types.append(re.sub(r"\s+", "", EQUAL_TYPE.sub(lambda alias: EQUAL_TYPES[alias[0]], kind)) + ("*" if array.startswith("[]") else "") + array[2:])
    return types


def table_problems(functions, declared):
    """Returns problems of the table with the functions that a header declares."""
    known = {function.name: function for function in functions}
    problems = []
    for name, (result, parameters) in sorted(declared.items()):
        function = known.get(name)
        if not function:
            problems.append(f"{name}({parameters}) is not in the table")
        elif normal_types(function.parameters) != normal_types(parameters):
            problems.append(f"{name} is declared ({parameters}), but has ({function.parameters}) in the table")
        elif function.result.replace("MPI_Fint", "int") != result.replace("MPI_Fint", "int"):
            problems.append(f"{name} returns {result}, but {function.result} in the table")
    return problems


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout.split("\n")
    return {line.split()[2] for line in lines if line}


def library_of(name):
    """Returns the installed library to which programs of an MPI are linked; None if only the header is installed."""
    cache = subprocess.run(["ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    match = re.search({"openmpi": r"libmpi\.so\.40 .*=> (\S+)", "mpich": r"libmpich\.so\.12 .*=> (\S+)"}[name], cache)
    return match and match[1]


def mpis():
    """Returns [(name, module, compiler)] from the command line."""
    found, arguments = [], sys.argv[2:]
    while arguments:
        end = arguments.index("--") if "--" in arguments else len(arguments)
        name, module, *compiler = arguments[:end]
        found.append((name, module, compiler))
        arguments = arguments[end + 1:]
    return found


NEWER = """#define MPI_Win_sync hidden_win_sync
#include_next <mpi.h>
#undef MPI_Win_sync
typedef struct Brand *MPI_Brand;
int MPI_Win_sync(MPI_Win win, MPI_Brand brand);
int MPI_Brand_new(int x, MPI_Brand *brand);
"""


def generate(name, compiler, folder, text):
    """Returns {file: text} of the generators' output for an mpi.h with this text, after all of it has compiled."""
    mpi = SOURCE / "src/record/mpi"
    (folder / "mpi.h").write_text(text)
    compiler = [*compiler, f"-I{folder}"]
    for command in (["wrappers.py", mpi / "functions.tbl", folder / "functions.h", folder / "wrappers.c"],
                    ["fortran.py", mpi / "functions.tbl", name, folder / "fortran.c"]):
        subprocess.run([sys.executable, mpi / "generate" / command[0], *command[1:], "--", *compiler], check=True, stderr=subprocess.DEVNULL)
    for source in "wrappers.c", "fortran.c":
        subprocess.run([*compiler, *header.DEFINES, f"-I{SOURCE}", "-D_GNU_SOURCE", '-DXTF_MPI_FUNCTIONS_HEADER="functions.h"', "-fsyntax-only", "-Werror=implicit",
                        "-Wno-deprecated-declarations", folder / source], check=True)
    return {made: (folder / made).read_text() for made in ("functions.h", "wrappers.c", "fortran.c")}


class Headers(unittest.TestCase):
    functions = table.read(SOURCE / "src/record/mpi/functions.tbl")

    def test_known(self):
        for name, _, compiler in mpis():
            declared = header.declarations(header.preprocess(compiler))
            self.assertGreater(len(declared), 300, name)
            self.assertEqual(table_problems(self.functions, declared), [], name)

    def test_one_more(self):
        """Checks that a function of a future header is found to be missing, and that a changed function is found."""
        for name, _, compiler in mpis():
            text = "#include <mpi.h>\nint MPI_Brand_new(int x, MPI_Comm comm);\n"
            self.assertEqual(table_problems(self.functions, header.declarations(header.preprocess(compiler, text))),
                             ["MPI_Brand_new(int x, MPI_Comm comm) is not in the table"], name)
        self.assertEqual(len(table_problems(self.functions, {"MPI_Barrier": ("int", "MPI_Comm comm, int how")})), 1)
        self.assertEqual(len(table_problems(self.functions, {"MPI_Barrier": ("void", "MPI_Comm comm")})), 1)

    def test_constant(self):
        """Checks that a wrapper is declared as in the header, whose `const` another version or the table may lack or add."""
        for parameters in "int n, const int list[], MPI_Request r", "int n, int list[], MPI_Request r":
            text = wrappers.source_text(self.functions, {"MPI_Pready_list": ("int", parameters)}, kinds.collect(kinds_messages.KINDS, kinds_handles.KINDS))
            declared = header.declarations(text.partition("XTF_MPI_VISIBLE ")[2].partition("{")[0] + ";")["MPI_Pready_list"][1]
            self.assertEqual("const" in declared, "const" in parameters, declared)
            self.assertEqual(table_problems(self.functions, {"MPI_Pready_list": ("int", parameters)}), [])
        status = {"MPI_Status_get_tag": ("int", "MPI_Status *status, int *tag")}
        self.assertIn("MPI_Status_get_tag(MPI_Status *status, int *tag)", wrappers.source_text(self.functions, status, kinds.collect(kinds_messages.KINDS, kinds_handles.KINDS)))

    def test_hidden(self):
        """Checks that the library has no function that is missing in both the header and the table."""
        known = {function.name for function in self.functions}
        for name, _, _ in mpis():
            library = library_of(name)
            if not library:
                continue
            symbols = {symbol for symbol in exported(library) if symbol.startswith("MPI_") and not symbol.startswith("MPI_T_")}
            self.assertGreater(len(symbols), 300, name)
            self.assertEqual(sorted(symbol for symbol in symbols - known if not DATA.match(symbol)), [], name)

    def test_wrapped(self):
        """Checks that a module has the wrappers, and exports nothing else that could disturb a program."""
        for name, module, compiler in mpis():
            declared = header.declarations(header.preprocess(compiler))
            expected = {function.name for function in self.functions if function.name in declared and function.recorded != "never"}
            symbols = exported(module)
            self.assertEqual(expected - symbols, set(), name)
            # Fortran names are in capitals.
            self.assertEqual({symbol for symbol in symbols if symbol.startswith("MPI_") and not symbol.isupper()} - expected, set(), name)
            self.assertEqual({symbol for symbol in symbols if symbol.startswith(("PMPI_", "xtf_core", "xtf_mpi", "xtf_regions", "g_"))}, set(), name)
            needed = subprocess.run(["objdump", "-p", module], check=True, capture_output=True, text=True).stdout
            self.assertLessEqual(set(re.findall(r"NEEDED\s+(\S+?)\.so", needed)), {"libc", "libdl", "libpthread", "ld-linux-x86-64"}, name)

    def test_newer(self):
        """Checks that a function with an unknown type, or with other types than in the table, is omitted, and that the remaining
        code compiles."""
        for name, _, compiler in mpis():
            with tempfile.TemporaryDirectory(prefix="xtf-test-") as folder:
                made = generate(name, compiler, pathlib.Path(folder), NEWER)
                self.assertIn('#define XTF_MPI_NOT_WRAPPED "MPI_Brand_new MPI_Win_sync"\n', made["functions.h"])
                self.assertIn("MPI_Win_flush(", made["wrappers.c"])
                self.assertIn("mpi_win_flush_", made["fortran.c"])
                for text in made.values():
                    self.assertNotRegex(text, r"(?i)\bmpi_(win_sync|brand_new)_?\(")
            with tempfile.TemporaryDirectory(prefix="xtf-test-") as folder:
                self.assertIn('#define XTF_MPI_NOT_WRAPPED ""\n', generate(name, compiler, pathlib.Path(folder), "#include_next <mpi.h>\n")["functions.h"])

    def test_numbers(self):
        self.assertEqual([function.number for function in self.functions], list(range(1, len(self.functions) + 1)))
        wire = (SOURCE / "src/record/wire.h").read_text()
        self.assertLess(len(self.functions) + 1, int(re.search(r"XTF_WIRE_FUNCTIONS = (\d+)", wire)[1]))
        labels = (SOURCE / "src/model/labels.c").read_text()
        operations = re.findall(r'"(\w+)"', re.search(r"LABELS\(xtf_collective_operations,(.*?)\)", labels, re.DOTALL)[1])
        self.assertEqual(tuple(operations[:len(wrappers.OPERATIONS)]), wrappers.OPERATIONS)

    def test_large_counts(self):
        """Checks that a function for large counts is recorded like the one for small counts."""
        known = {function.name: function for function in self.functions}
        for function in self.functions:
            small_version = known.get(function.name[:-2]) if function.name.endswith("_c") else None
            if small_version:
                self.assertEqual((function.kind, function.what, function.group, function.recorded),
                                 (small_version.kind, small_version.what, small_version.group, small_version.recorded), function.name)

    def test_kinds(self):
        """Checks that snippets fit all functions of their kinds."""
        snippets = kinds.collect(kinds_messages.KINDS, kinds_handles.KINDS)
        wrappers.check(self.functions, snippets)
        for function in self.functions:
            kinds.fill(kinds.snippets_of(snippets, function), roles.roles_of(function), function)


class Refusals(unittest.TestCase):

    def read(self, line):
        with tempfile.NamedTemporaryFile("w", suffix=".tbl") as file:
            file.write(f"# a head\n{line}\n")
            file.flush()
            return table.read(file.name)

    def test_lines(self):
        good = "MPI_Send p2p send - 1.0 on const void *buf, int count"
        self.assertEqual(self.read(good)[0].parameters, "const void *buf, int count")
        for bad, word in (("MPI_Send p2p send - 1.0 on", "columns"), (good.replace("p2p", "pp"), "group"), (good.replace(" on ", " yes "), "yes"),
                          (good.replace("MPI_Send", "Send"), "name"), (good.replace("1.0", "one"), "version"), (good.replace("int count", "int result"), "result"),
                          (good.replace("int count", "int buf"), "one name"), (good + "\n" + good, "before")):
            with self.assertRaisesRegex(table.TableError, word):
                self.read(bad)

    def test_snippets(self):
        function = self.read("MPI_Send p2p send buffered 1.0 on const void *buf, int count, MPI_Comm comm, MPI_Request *request, const int displs[]")[0]
        expressions = roles.roles_of(function)

        def fill(text):
            return kinds.substitute(text, expressions, function)

        self.assertEqual(fill("f({count}, {comm}, {request}, {flags});"), "f((long long)count, comm, request, (XTF_MPI_BUFFERED));")
        self.assertEqual(fill("f({dest|count}, {dest|=-1}); if (x) { y; }"), "f((long long)count, -1); if (x) { y; }")
        self.assertIn("XtfMpiCounts", fill("{displs}"))
        for bad in "f({dest});", "f({dest|tag});", "f({Count});", "f({});{dest}":
            with self.assertRaisesRegex(kinds.KindError, "MPI_Send"):
                fill(bad)
        with self.assertRaisesRegex(kinds.KindError, "twice"):
            kinds.collect({"send": ("", "")}, {"send": ("", "")})
        with self.assertRaisesRegex(kinds.KindError, "sent"):
            wrappers.check([function], {"sent": kinds.Snippets()})


if __name__ == "__main__":
    fewer.main(argv=sys.argv[:1])
